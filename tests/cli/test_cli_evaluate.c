/* saccade evaluate: the figures it gives, and the one clear line that bad input gets. */
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "captioner/model.h"
#include "models/checkpoint.h"
#include "shapes/vocabulary.h"

static char folder[64];
static const char *weights;

/* The weights of a small captioner that learned nothing. */
static int make_weights(void **state)
{
    (void)state;
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
    folder_create(folder);
    weights = strdup(in_folder(folder, "w.safetensors"));
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
    (void)state;
    folder_remove(folder);
    free((char *)weights);
    return 0;
}

/* ---------------------------------------------------------------- figures */

/* free with cJSON_Delete. */
static cJSON *evaluate(const char *count, const char *seed)
{
    program_run run = {0};
    run_saccade(&run, "evaluate", "captioner", "--weights", weights, "--count", count, "--seed",
                seed, "--device", "cpu", "--json", NULL);
    assert_done(&run);
    cJSON *json = cJSON_Parse(run.out);
    assert_non_null(json);
    return json;
}

static double number(const cJSON *json, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);
    if (!cJSON_IsNumber(item))
        fail_msg("there is not a number \"%s\"", name);
    return item->valuedouble;
}

static void assert_shares(const cJSON *json)
{
    assert_non_null(json);
    assert_true(number(json, "pointing") >= 0 && number(json, "pointing") <= 1);
    assert_true(number(json, "mass_in_box") > 0 && number(json, "mass_in_box") < 1);
}

TEST(json_holds_every_figure)
{
    cJSON *json = evaluate("40", "3");
    const cJSON *baselines = cJSON_GetObjectItemCaseSensitive(json, "baselines");
    assert_float_equal(number(json, "count"), 40, 0);
    assert_true(number(json, "exact") >= 0 && number(json, "exact_unseen_pairs") >= 0);
    assert_shares(json);
    assert_shares(cJSON_GetObjectItemCaseSensitive(baselines, "uniform"));
    assert_shares(cJSON_GetObjectItemCaseSensitive(baselines, "centre"));
    assert_shares(cJSON_GetObjectItemCaseSensitive(baselines, "shuffled"));
    assert_float_equal(number(json, "seen") + number(json, "unseen"), 40, 0);
    assert_true(number(json, "unseen") > 0);
    assert_float_equal(number(json, "seed"), 3, 0);
    assert_float_equal(number(json, "beam"), 3, 0);
    assert_true(number(json, "ms") > 0);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(json, "weights")), weights);
    assert_non_null(cJSON_GetStringValue(cJSON_GetObjectItem(json, "device")));
    cJSON_Delete(json);
}

TEST(the_same_seed_gives_the_same_figures_and_another_others)
{
    cJSON *one = evaluate("20", "1"), *again = evaluate("20", "1"), *other = evaluate("20", "2");
    assert_float_equal(number(one, "mass_in_box"), number(again, "mass_in_box"), 0);
    assert_float_equal(number(one, "pointing"), number(again, "pointing"), 0);
    assert_true(number(one, "mass_in_box") != number(other, "mass_in_box"));
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
    program_run run = {0};
    run_saccade(&run, "evaluate", "captioner", "--weights", weights, "--count", "5", "--beam", "2",
                "--device", "cpu", NULL);
    assert_done(&run);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(run.out, parts[i]))
            fail_msg("the table says nothing of \"%s\"", parts[i]);
}

TEST(an_interrupted_evaluation_says_so)
{
    program_run run = {.interrupt_after_ms = 400};
    run_saccade(&run, "evaluate", "captioner", "--weights", weights, "--count", "10000000",
                "--device", "cpu", NULL);
    assert_fails_saying(&run, 1, "stopped on request"); /* while it loads, or evaluates */
    assert_string_equal(run.out, "");
}

/* ---------------------------------------------------------------- mistakes */

TEST(what_to_evaluate_has_to_be_said)
{
    program_run none = {0}, wrong = {0}, two = {0};
    run_saccade(&none, "evaluate", NULL);
    assert_fails(&none, 2,
                 "evaluate: needs the name of a model; give captioner, translator or transformer");
    run_saccade(&wrong, "evaluate", "diffuser", NULL);
    assert_fails(&wrong, 2,
                 "diffuser: is not a model that can be evaluated; give captioner, translator or "
                 "transformer");
    run_saccade(&two, "evaluate", "captioner", "twice", NULL);
    assert_fails_saying(&two, 2, "twice: unexpected argument");
}

TEST(numbers_out_of_range_are_refused)
{
    program_run count = {0}, beam = {0}, wide = {0};
    run_saccade(&count, "evaluate", "captioner", "--count", "0", NULL);
    assert_fails(&count, 2, "--count: must be at least 1; give 1 or more");
    run_saccade(&beam, "evaluate", "captioner", "--beam", "0", NULL);
    assert_fails(&beam, 2, "--beam: must be at least 1; give 1 or more");
    run_saccade(&wide, "evaluate", "captioner", "--weights", weights, "--beam", "17", "--device",
                "cpu", NULL);
    assert_fails(&wide, 2, "beam: 17 is not a width from 1 to 16");
}

TEST(streams_that_judge_nothing_are_refused)
{
    program_run training = {0}, translator = {0};
    run_saccade(&training, "evaluate", "captioner", "--stream", "training", NULL);
    assert_fails(&training, 2, "--stream: unknown stream; give test or varied");
    run_saccade(&translator, "evaluate", "translator", "--stream", "varied", NULL);
    assert_fails(&translator, 2, "--stream: works with the captioner only; leave it out");
}

TEST(weights_that_are_none_are_refused)
{
    program_run missing = {0}, damaged = {0};
    run_saccade(&missing, "evaluate", "captioner", "--weights", "/nowhere/w", "--device", "cpu",
                NULL);
    assert_fails_saying(&missing, 1, "/nowhere/w: ");
    file_write(in_folder(folder, "junk"), "junk", 4);
    run_saccade(&damaged, "evaluate", "captioner", "--weights", in_folder(folder, "junk"),
                "--device", "cpu", NULL);
    assert_fails_saying(&damaged, 1, "/junk: is not a .pt, .npz, .npy or .safetensors file");
}

/* The captioner that people meet has seen every pair; only its like that has not can be judged. */
TEST(shapes_are_judged_by_weights_that_never_saw_the_held_back_pairs)
{
    program_run run = {0};
    run_saccade(&run, "evaluate", "captioner", "--dataset", "shapes", "--count", "1", "--device",
                "cpu", "--json", NULL);
    assert_done(&run);
    assert_non_null(strstr(run.out, "additive-held-pairs.safetensors"));
}

TEST_MAIN(make_weights, remove_weights)
