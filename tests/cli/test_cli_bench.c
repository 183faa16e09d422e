/* saccade bench. */
#include "run.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What `saccade bench attention --json …` says of the only case. Free it. */
static cJSON *bench_case(const char *name)
{
    program_run run = {.environment = {"SACCADE_DEVICE=pocl"}};
    run_saccade(&run, "bench", "attention", "--json", "--case", name, NULL);
    assert_done(&run);
    cJSON *json = cJSON_Parse(run.out);
    assert_non_null(json);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "cases")), 1);
    return json;
}

static double number(const cJSON *json, const char *name)
{
    const cJSON *item = cJSON_GetObjectItem(json, name);
    if (!cJSON_IsNumber(item))
        fail_msg("no number %s", name);
    return item->valuedouble;
}

static const cJSON *only_case(const cJSON *json)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItem(json, "cases"), 0);
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
    assert_non_null(strstr(cJSON_GetObjectItem(json, "device")->valuestring, "PoCL"));
    assert_string_equal(cJSON_GetObjectItem(c, "score")->valuestring, "scaled-dot");
    assert_string_equal(cJSON_GetObjectItem(c, "mask")->valuestring, "causal");
    assert_true(number(c, "heads") == 8 && number(c, "tokens") == 1000);
    assert_true(number(c, "keys") == 1000 && number(c, "dim") == 64);
    double operations = 8 * 4 * 1000.0 * 1000 * 64 / 2, peak = number(json, "peak_gflops");
    assert_true(fabs(number(c, "gflops") * number(c, "ms") * 1e6 / operations - 1) < 1e-6);
    assert_true(fabs(number(c, "share_of_peak") * peak / number(c, "gflops") - 1) < 1e-6);
    assert_true(number(json, "copy_gbs") > 0);
    assert_true(peak >= number(json, "peak_c_gflops") && number(json, "peak_c_gflops") > 0);
}

/* Q, K, V and the output, once each, and little else. */
TEST(what_is_held_on_the_device_is_inputs_and_outputs)
{
    const cJSON *c = only_case(*state);
    double io = number(c, "io_bytes"), held = number(c, "scratch_bytes");
    assert_true(io == 4 * 8 * 1000 * 64 * 4.0);
    assert_in_range((long)(1000 * held / io), 1000, 1100);
}

TEST(a_tile_is_measured_with_its_rows_unknown)
{
    cJSON *json = bench_case("tile-new");
    const cJSON *c = only_case(json);
    assert_true(number(c, "tile") == 512 && number(c, "keys") == 65536);
    /* Of rows that are known already, 512² weights are a hundredth of the operations counted, and
     * would seem to be done far above the peak. */
    assert_true(number(c, "share_of_peak") < 2);
    assert_true(number(c, "output_rms") > 0);
    cJSON_Delete(json);
}

/* Seven products of 2·1024²·64 operations in each of 8 heads: forward's two and five more. */
TEST(a_backward_pass_counts_what_it_computes_again)
{
    cJSON *json = bench_case("1024-backward");
    const cJSON *c = only_case(json), *forward = only_case(*state);
    double operations = 8 * 7 * 2 * 1024.0 * 1024 * 64, peak = number(json, "peak_gflops");
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(c, "backward")));
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(forward, "backward")));
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(c, "variant")), "cpu");
    assert_true(fabs(number(c, "gflops") * number(c, "ms") * 1e6 / operations - 1) < 1e-6);
    assert_true(fabs(number(c, "share_of_limit") * peak / number(c, "gflops") - 1) < 1e-6);
    assert_true(number(c, "io_bytes") == 7 * 8 * 1024 * 64 * 4.0);
    assert_true(number(c, "output_rms") > 0 && number(c, "runs") >= 1);
    cJSON_Delete(json);
}

TEST(the_text_names_limits_and_case)
{
    program_run run = {.environment = {"SACCADE_DEVICE=pocl"}};
    run_saccade(&run, "bench", "--case", "512", NULL);
    assert_done(&run);
    assert_non_null(strstr(run.out, "attention on PoCL"));
    assert_non_null(strstr(run.out, "GFLOP/s in multiply-adds (OpenCL "));
    assert_non_null(strstr(run.out, "\n512 "));
    assert_non_null(strstr(run.out, " of peak"));
    assert_null(strstr(run.out, "pointer to new picture"));
}

TEST(steps_of_a_training_are_measured)
{
    program_run run = {.environment = {"SACCADE_DEVICE=pocl"}};
    run_saccade(&run, "bench", "train", "--json", NULL);
    assert_done(&run);
    cJSON *json = cJSON_Parse(run.out);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(json, "model")), "captioner");
    assert_true(number(json, "steps") >= 5 && number(json, "ms") <= number(json, "ms_95"));
    double product = number(json, "ms") * number(json, "samples_per_second");
    assert_float_equal(product, 1e3 * number(json, "batch"), 1e-3 * product);
    cJSON_Delete(json);
}

TEST(sentences_of_the_shipped_model_are_measured)
{
    program_run run = {.environment = {"SACCADE_DEVICE=pocl"}};
    run_saccade(&run, "bench", "decode", "--json", NULL);
    assert_done(&run);
    cJSON *json = cJSON_Parse(run.out), *beam = cJSON_GetObjectItem(json, "beam_3");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(json, "model")), "captioner");
    assert_true(number(json, "encode_ms") > 0 && number(beam, "ms") > 0);
    assert_true(number(beam, "words") >= 1);
    assert_float_equal(number(beam, "launches"), 1, 0); /* the whole sentence */
    cJSON_Delete(json);
}

TEST(a_model_of_others_is_measured)
{
    program_run run = {.environment = {"SACCADE_DEVICE=pocl"}};
    run_saccade(&run, "bench", "folder", REFERENCES "/vit", "--json", NULL);
    assert_done(&run);
    cJSON *json = cJSON_Parse(run.out);
    assert_true(number(json, "first_ms") > 0 && number(json, "ms") > 0);
    assert_null(cJSON_GetObjectItem(json, "token_ms")); /* it says nothing */
    cJSON_Delete(json);
    run_saccade(&run, "bench", "folder", REFERENCES "/gpt2", "--json", NULL);
    assert_done(&run);
    json = cJSON_Parse(run.out);
    assert_true(number(json, "tokens") > 0 && number(json, "token_ms") > 0);
    assert_true(number(json, "token_cpu_ms") > 0);
    cJSON_Delete(json);
}

TEST(what_is_mistyped_is_said)
{
    program_run run = {0};
    run_saccade(&run, "bench", "--case", "4097", NULL);
    assert_fails(&run, 2, "4097: unknown case; did you mean 4096?");
    run_saccade(&run, "bench", "--peer", "nobody", NULL);
    assert_fails(&run, 2, "--peer: is not one we know; give clblast");
    run_saccade(&run, "bench", "view", "--long", NULL);
    assert_fails(&run, 2, "view: has no cases to choose from; give attention");
    run_saccade(&run, "bench", "train", "captoner", NULL);
    assert_fails_saying(&run, 2, "captoner: is not a model that can be trained");
    run_saccade(&run, "bench", "decode", "--dataset", "book", NULL);
    assert_fails(&run, 2, "--dataset: works with bench train only; leave it out");
    run_saccade(&run, "bench", "train", "--long", NULL);
    assert_fails(&run, 2, "train: has no cases to choose from; give attention");
    run_saccade(&run, "bench", "folder", NULL);
    assert_fails(&run, 2, "folder: needs a model; give its folder");
    run_saccade(&run, "bench", "view", "captioner", NULL);
    assert_fails(&run, 2, "captioner: unexpected argument; give one benchmark");
    run_saccade(&run, "bench", "attention", "--case", "additive", "--peer", "clblast", NULL);
    assert_fails_saying(&run, 2, "two products do not make additive");
    run_saccade(&run, "bench", "attention", "--case", "1024-backward", "--peer", "clblast", NULL);
    assert_fails_saying(&run, 2, "two products do not make 1024-backward");
}

TEST(it_ends_when_interrupted)
{
    program_run run = {.environment = {"SACCADE_DEVICE=pocl"}, .interrupt_after_ms = 300};
    run_saccade(&run, "bench", "attention", "--case", "65536", NULL);
    assert_fails_saying(&run, 1, "");
    assert_string_equal(run.out, "");
}

TEST_MAIN(run_causal, free_causal)
