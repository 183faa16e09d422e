/* saccade bench. */
#include "json.h"

/* The output of `saccade bench attention --json …` for the only case. Free it. */
static cJSON *bench_case(const char *name)
{
    ran.environment[0] = "SACCADE_DEVICE=pocl";
    cJSON *json = JSON_OF("bench", "attention", "--json", "--case", name);
    assert_int_equal(cJSON_GetArraySize(get(json, "cases")), 1);
    return json;
}

static const cJSON *only_case(const cJSON *json)
{
    return cJSON_GetArrayItem(get(json, "cases"), 0);
}

/* One run for several tests. */
static int run_causal(void **state)
{
    *state = bench_case("1000-causal");
    return 0;
}

static int free_causal(void **state)
{
    cJSON_Delete(*state);
    return 0;
}

TEST(the_figures_fit_each_other)
{
    const cJSON *json = *state, *c = only_case(json);
    assert_non_null(strstr(text_of(json, "device"), "PoCL"));
    assert_string_equal(text_of(c, "score"), "scaled-dot");
    assert_string_equal(text_of(c, "mask"), "causal");
    assert_true(number_of(c, "heads") == 8 && number_of(c, "tokens") == 1000);
    assert_true(number_of(c, "keys") == 1000 && number_of(c, "dim") == 64);
    double operations = 8 * 4 * 1000.0 * 1000 * 64 / 2, peak = number_of(json, "peak_gflops");
    assert_true(fabs(number_of(c, "gflops") * number_of(c, "ms") * 1e6 / operations - 1) < 1e-6);
    assert_true(fabs(number_of(c, "share_of_peak") * peak / number_of(c, "gflops") - 1) < 1e-6);
    assert_true(number_of(json, "copy_gbs") > 0);
    assert_true(peak >= number_of(json, "peak_c_gflops") && number_of(json, "peak_c_gflops") > 0);
}

/* Q, K, V and the output, once each, and little else. */
TEST(what_is_held_on_the_device_is_inputs_and_outputs)
{
    const cJSON *c = only_case(*state);
    double io = number_of(c, "io_bytes"), held = number_of(c, "scratch_bytes");
    assert_true(io == 4 * 8 * 1000 * 64 * 4.0);
    assert_in_range((long)(1000 * held / io), 1000, 1100);
}

TEST(cases_that_are_given_are_all_measured)
{
    cJSON *json = JSON_OF("bench", "attention", "--json", "--case", "1000-causal", "--case=1000");
    const cJSON *cases = get(json, "cases");
    assert_int_equal(cJSON_GetArraySize(cases), 2);
    cJSON_Delete(json);
}

TEST(a_tile_is_measured_with_its_rows_unknown)
{
    cJSON *json = bench_case("tile-new");
    const cJSON *c = only_case(json);
    assert_true(number_of(c, "tile") == 512 && number_of(c, "keys") == 65536);
    /* Of rows that are known already, 512² weights are a hundredth of the operations counted, and
     * would seem to be done far above the peak. */
    assert_true(number_of(c, "share_of_peak") < 2);
    assert_true(number_of(c, "output_rms") > 0);
    cJSON_Delete(json);
}

/* Seven products of 2·1024²·64 operations in each of 8 heads: forward's two and five more. */
TEST(a_backward_pass_counts_what_it_computes_again)
{
    cJSON *json = bench_case("1024-backward");
    const cJSON *c = only_case(json), *forward = only_case(*state);
    double operations = 8 * 7 * 2 * 1024.0 * 1024 * 64, peak = number_of(json, "peak_gflops");
    assert_true(cJSON_IsTrue(get(c, "backward")));
    assert_true(cJSON_IsFalse(get(forward, "backward")));
    assert_string_equal(text_of(c, "variant"), "cpu");
    assert_true(fabs(number_of(c, "gflops") * number_of(c, "ms") * 1e6 / operations - 1) < 1e-6);
    assert_true(fabs(number_of(c, "share_of_limit") * peak / number_of(c, "gflops") - 1) < 1e-6);
    assert_true(number_of(c, "io_bytes") == 7 * 8 * 1024 * 64 * 4.0);
    assert_true(number_of(c, "output_rms") > 0 && number_of(c, "runs") >= 1);
    cJSON_Delete(json);
}

TEST(the_text_names_limits_and_case)
{
    DONE("bench", "--case", "512");
    assert_non_null(strstr(ran.out, "attention on PoCL"));
    assert_non_null(strstr(ran.out, "GFLOP/s in multiply-adds (OpenCL "));
    assert_non_null(strstr(ran.out, "\n512 "));
    assert_non_null(strstr(ran.out, " of peak"));
    assert_null(strstr(ran.out, "pointer to new picture"));
}

TEST(steps_of_a_training_are_measured)
{
    cJSON *json = JSON_OF("bench", "train", "--json");
    assert_string_equal(text_of(json, "model"), "captioner");
    assert_true(number_of(json, "steps") >= 5 && number_of(json, "ms") <= number_of(json, "ms_95"));
    double product = number_of(json, "ms") * number_of(json, "samples_per_second");
    assert_float_equal(product, 1e3 * number_of(json, "batch"), 1e-3 * product);
    cJSON_Delete(json);
}

TEST(sentences_of_the_shipped_model_are_measured)
{
    cJSON *json = JSON_OF("bench", "decode", "--json");
    const cJSON *beam = get(json, "beam_3");
    assert_string_equal(text_of(json, "model"), "captioner");
    assert_true(number_of(json, "encode_ms") > 0 && number_of(beam, "ms") > 0);
    assert_true(number_of(beam, "words") >= 1);
    assert_float_equal(number_of(beam, "launches"), 1, 0); /* the whole sentence */
    cJSON_Delete(json);
}

TEST(a_model_of_others_is_measured)
{
    cJSON *json = JSON_OF("bench", "folder", REFERENCES "/vit", "--json");
    assert_true(number_of(json, "first_ms") > 0 && number_of(json, "ms") > 0);
    assert_null(cJSON_GetObjectItem(json, "token_ms")); /* it generates nothing */
    cJSON_Delete(json);
    json = JSON_OF("bench", "folder", REFERENCES "/gpt2", "--json");
    assert_true(number_of(json, "tokens") > 0 && number_of(json, "token_ms") > 0);
    assert_true(number_of(json, "token_cpu_ms") > 0);
    cJSON_Delete(json);
}

/* Kinds of work and layers make up the time that is printed, but for what is around all launches. */
TEST(layers_of_a_model_are_measured)
{
    cJSON *json = JSON_OF("bench", "folder", REFERENCES "/gpt2", "--layers", "--json"), *item;
    static const char *const read[] = {"prompt", "token"};
    for (int i = 0; i < 2; i++) {
        const cJSON *one = get(get(json, "layers"), read[i]);
        double launches = 0, busy = number_of(one, "products") + number_of(one, "attention");
        assert_true(number_of(one, "products") > 0 && number_of(one, "attention") > 0);
        assert_true(number_of(one, "products_of_peak") > 0);
        assert_true(number_of(one, "products_of_copy") > 0);
        assert_true(busy + number_of(one, "between") <= number_of(one, "ms"));
        cJSON_ArrayForEach(item, get(one, "by_layer"))
        {
            assert_true(number_of(item, "products") > 0);
            launches += number_of(item, "launches");
        }
        assert_int_equal(cJSON_GetArraySize(get(one, "by_layer")), 3);
        assert_true(launches > 4 && launches < number_of(one, "launches"));
    }
    cJSON_Delete(json);
}

TEST(what_is_mistyped_is_reported)
{
    FAILS(2, "4097: unknown case; did you mean 4096?", "bench", "--case", "4097");
    FAILS(2, "4097: unknown case; did you mean 4096?", "bench", "--case", "tile-new", "--case",
          "4097");
    FAILS(2, "view: has no cases to choose from; give attention", "bench", "view", "--long");
    FAILS_WITH(2, "captoner: is not a model that can be trained", "bench", "train", "captoner");
    FAILS(2, "--dataset: works with bench train only; leave it out", "bench", "decode", "--dataset",
          "book");
    FAILS(2, "train: has no cases to choose from; give attention", "bench", "train", "--long");
    FAILS(2, "folder: needs a model; give its folder", "bench", "folder");
    FAILS(2, "--layers: works with bench folder only; leave it out", "bench", "ring", "--layers");
    FAILS(2, "captioner: unexpected argument; give one benchmark", "bench", "view", "captioner");
}

TEST(it_ends_when_interrupted)
{
    program_run run = {.environment = {"SACCADE_DEVICE=pocl"}, .interrupt_after_ms = 300};
    run_saccade(&run, "bench", "attention", "--case", "65536", NULL);
    assert_fails_with(&run, 1, "");
    assert_string_equal(ran.out, "");
}

TEST_MAIN(run_causal, free_causal)
