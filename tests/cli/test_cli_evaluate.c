/* saccade evaluate: the figures it gives, and the one clear line that bad input gets. */
#include "json.h"

#include "captioner/model.h"
#include "models/checkpoint.h"
#include "shapes/vocabulary.h"

static const char *weights;

/* The weights of a small captioner that learned nothing. */
static int make_weights(void **state)
{
    const sac_captioner_shape shape = {.side = 28,
                                       .layers = 2,
                                       .layer = {{4, 2}, {6, 1}},
                                       .score = SAC_SCORE_ADDITIVE,
                                       .attention = 5,
                                       .hidden = 7,
                                       .embedding = 4,
                                       .vocabulary = SAC_WORDS};
    sac_error error = {0};
    sac_device *device = NULL;
    sac_captioner *captioner = NULL;
    make_folder(state);
    weights = strdup(here("w.safetensors"));
    if (sac_device_open("cpu", &device, &error) == SAC_OK &&
        sac_captioner_create(device, &shape, 1, &captioner, &error) == SAC_OK)
        sac_checkpoint_save(&captioner->base, weights, 0, 1, NULL, &error);
    sac_captioner_destroy(captioner);
    sac_device_close(device);
    if (error.status != SAC_OK)
        sac_error_print(&error, stderr);
    return error.status == SAC_OK ? 0 : -1;
}

static int remove_weights(void **state)
{
    free((char *)weights);
    return remove_folder(state);
}

/* ---------------------------------------------------------------- figures */

/* free with cJSON_Delete. */
static cJSON *evaluate(const char *count, const char *seed)
{
    cJSON *json = JSON_OF("evaluate", "captioner", "--weights", weights, "--count", count, "--seed",
                          seed, "--device", "cpu", "--json");
    return json;
}

static void assert_shares(const cJSON *json)
{
    assert_non_null(json);
    assert_true(number_of(json, "pointing") >= 0 && number_of(json, "pointing") <= 1);
    assert_true(number_of(json, "mass_in_box") > 0 && number_of(json, "mass_in_box") < 1);
}

TEST(json_holds_every_figure)
{
    cJSON *json = evaluate("40", "3");
    const cJSON *baselines = get(json, "baselines");
    assert_float_equal(number_of(json, "count"), 40, 0);
    assert_true(number_of(json, "exact") >= 0 && number_of(json, "exact_unseen_pairs") >= 0);
    assert_shares(json);
    assert_shares(get(baselines, "uniform"));
    assert_shares(get(baselines, "centre"));
    assert_shares(get(baselines, "shuffled"));
    assert_float_equal(number_of(json, "seen") + number_of(json, "unseen"), 40, 0);
    assert_true(number_of(json, "unseen") > 0);
    assert_float_equal(number_of(json, "seed"), 3, 0);
    assert_float_equal(number_of(json, "beam"), 3, 0);
    assert_true(number_of(json, "ms") > 0);
    assert_string_equal(text_of(json, "weights"), weights);
    assert_non_null(text_of(json, "device"));
    cJSON_Delete(json);
}

TEST(the_same_seed_gives_the_same_figures_and_another_others)
{
    cJSON *one = evaluate("20", "1"), *again = evaluate("20", "1"), *other = evaluate("20", "2");
    assert_float_equal(number_of(one, "mass_in_box"), number_of(again, "mass_in_box"), 0);
    assert_float_equal(number_of(one, "pointing"), number_of(again, "pointing"), 0);
    assert_true(number_of(one, "mass_in_box") != number_of(other, "mass_in_box"));
    cJSON_Delete(one);
    cJSON_Delete(again);
    cJSON_Delete(other);
}

TEST(the_table_names_what_it_compares)
{
    static const char *const parts[] = {" on 5 scenes, beam 2, on ",
                                        "pairs seen in training",
                                        "pairs never trained on",
                                        "pointing",
                                        "mass in box",
                                        "uniform heat",
                                        "fixed on the centre",
                                        "words shuffled"};
    DONE("evaluate", "captioner", "--weights", weights, "--count", "5", "--beam", "2", "--device",
         "cpu");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(ran.out, parts[i]))
            fail_msg("the table lacks \"%s\"", parts[i]);
}

TEST(an_interrupted_evaluation_reports_it)
{
    program_run run = {.interrupt_after_ms = 400};
    run_saccade(&run, "evaluate", "captioner", "--weights", weights, "--count", "10000000",
                "--device", "cpu", NULL);
    assert_fails_with(&run, 1, "stopped on request"); /* while it loads, or evaluates */
    assert_string_equal(run.out, "");
}

/* ---------------------------------------------------------------- mistakes */

TEST(what_to_evaluate_has_to_be_reported)
{
    FAILS(2, "evaluate: needs the name of a model; give captioner,…", "evaluate");
    FAILS(2, "diffuser: is not a model that can be evaluated; give captioner,…", "evaluate",
          "diffuser");
    FAILS_WITH(2, "twice: unexpected argument", "evaluate", "captioner", "twice");
}

TEST(numbers_out_of_range_are_refused)
{
    FAILS(2, "--count: must be at least 1; …", "evaluate", "captioner", "--count", "0");
    FAILS(2, "--beam: must be at least 1; …", "evaluate", "captioner", "--beam", "0");
    FAILS(2, "beam: 17 is not a width from 1 to 16", "evaluate", "captioner", "--weights", weights,
          "--beam", "17", "--device", "cpu");
}

TEST(streams_that_judge_nothing_are_refused)
{
    FAILS(2, "--stream: unknown stream; give test or varied", "evaluate", "captioner", "--stream",
          "training");
    FAILS(2, "--stream: works with the captioner only; leave it out", "evaluate", "translator",
          "--stream", "varied");
}

TEST(weights_that_are_none_are_refused)
{
    FAILS_WITH(1, "/nowhere/w: ", "evaluate", "captioner", "--weights", "/nowhere/w", "--device",
               "cpu");
    file_write(here("junk"), "junk", 4);
    FAILS_WITH(1, "/junk: is not a .pt, .npz, .npy, .safetensors, .csv, .tsv or .json file",
               "evaluate", "captioner", "--weights", here("junk"), "--device", "cpu");
}

/* The captioner that people meet has seen every pair; only its like that has not can be judged. */
TEST(shapes_are_judged_by_weights_that_never_saw_the_held_back_pairs)
{
    DONE("evaluate", "captioner", "--dataset", "shapes", "--count", "1", "--device", "cpu",
         "--json");
    assert_non_null(strstr(ran.out, "additive-held-pairs.safetensors"));
}

TEST_MAIN(make_weights, remove_weights)
