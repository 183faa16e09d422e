/* saccade bench, and what a long attention takes of memory. */
#include "run.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sys/resource.h>
#include <sys/wait.h>

#include "saccade.h"

/* What `saccade bench attention --json …` says of the only case. Free it. */
static cJSON *bench_case(const char *name, const char *peer)
{
    program_run run = {.environment = {"SACCADE_DEVICE=pocl"}};
    if (peer)
        run_saccade(&run, "bench", "attention", "--json", "--case", name, "--peer", peer, NULL);
    else
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

static void the_figures_fit_each_other(void **state)
{
    (void)state;
    cJSON *json = bench_case("1000-causal", NULL);
    const cJSON *c = only_case(json);
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
    cJSON_Delete(json);
}

/* Q, K, V and the output, once each, and little else. */
static void what_is_held_on_the_device_is_inputs_and_outputs(void **state)
{
    (void)state;
    cJSON *json = bench_case("2048", NULL);
    double io = number(only_case(json), "io_bytes"),
           held = number(only_case(json), "scratch_bytes");
    assert_true(io == 4 * 8 * 2048 * 64 * 4.0);
    assert_in_range((long)(1000 * held / io), 1000, 1100);
    cJSON_Delete(json);
}

static void the_peer_computes_the_same(void **state)
{
    (void)state;
    const char *const names[] = {"1000", "1000-causal", "query"}; /* 1000: vectors do not fit */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cJSON *ours = bench_case(names[i], NULL), *theirs = bench_case(names[i], "clblast");
        double a = number(only_case(ours), "output_rms"),
               b = number(only_case(theirs), "output_rms");
        assert_string_equal(cJSON_GetObjectItem(only_case(theirs), "variant")->valuestring,
                            "clblast");
        if (!(fabs(a / b - 1) < 1e-5))
            fail_msg("%s: %g and %g", names[i], a, b);
        cJSON_Delete(ours);
        cJSON_Delete(theirs);
    }
}

static void a_tile_is_measured_with_its_rows_unknown(void **state)
{
    (void)state;
    cJSON *json = bench_case("tile", NULL);
    const cJSON *c = only_case(json);
    assert_true(number(c, "tile") == 512 && number(c, "keys") == 65536);
    /* Of rows that are known already, 512² weights are a hundredth of the operations counted, and
     * would seem to be done above the peak. */
    assert_true(number(c, "share_of_peak") < 1.05);
    assert_true(number(c, "output_rms") > 0);
    cJSON_Delete(json);
}

static void the_text_names_limits_and_case(void **state)
{
    (void)state;
    program_run run = {.environment = {"SACCADE_DEVICE=pocl"}};
    run_saccade(&run, "bench", "--case", "512", NULL);
    assert_done(&run);
    assert_non_null(strstr(run.out, "attention on PoCL"));
    assert_non_null(strstr(run.out, "GFLOP/s in multiply-adds (OpenCL "));
    assert_non_null(strstr(run.out, "\n512 "));
    assert_non_null(strstr(run.out, " of peak"));
    assert_null(strstr(run.out, "pointer to new picture"));
}

static void what_is_mistyped_is_said(void **state)
{
    (void)state;
    program_run run = {0};
    run_saccade(&run, "bench", "--case", "4097", NULL);
    assert_fails(&run, 2, "4097: is no case of the table; did you mean 4096?");
    run_saccade(&run, "bench", "--peer", "nobody", NULL);
    assert_fails(&run, 2, "--peer: is not one we know; give clblast");
    run_saccade(&run, "bench", "view", "--long", NULL);
    assert_fails(&run, 2, "view: has no cases to choose; give attention");
    run_saccade(&run, "bench", "attention", "--case", "additive", "--peer", "clblast", NULL);
    assert_fails_saying(&run, 2, "two products do not make additive");
}

static void it_ends_when_interrupted(void **state)
{
    (void)state;
    program_run run = {.environment = {"SACCADE_DEVICE=pocl"}, .interrupt_after_ms = 300};
    run_saccade(&run, "bench", "attention", "--case", "65536", NULL);
    assert_fails_saying(&run, 1, "");
    assert_string_equal(run.out, "");
}

/* Most bytes that any child so far had in memory at once. */
static size_t most_of_children(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
    return (size_t)usage.ru_maxrss << 10;
}

/* 65536 tokens, whose matrix would be 16 GiB: 64 MiB of inputs and outputs. Causal, which halves
 * the time and changes nothing about the memory. */
static void a_long_attention_needs_little_memory(void **state)
{
    (void)state;
    enum { TOKENS = 65536, DIM = 64 };
    char folder[64];
    sac_array x;
    assert_int_equal(sac_array_create(SAC_F32, 2, (size_t[]){TOKENS, DIM}, &x, NULL), SAC_OK);
    for (size_t i = 0; i < TOKENS * DIM; i++)
        ((float *)x.data)[i] = (float)(i * 2654435761u % 1000) / 500 - 1;
    const sac_named_array arrays[] = {{"query", &x}, {"key", &x}, {"value", &x}};
    folder_create(folder);
    const char *in = in_folder(folder, "in.npz"), *out = in_folder(folder, "out.npz");
    assert_int_equal(sac_npz_save(in, arrays, 3, NULL), SAC_OK);
    sac_array_free(&x);
    program_run run = {.environment = {"SACCADE_DEVICE=pocl"}};
    run_saccade(&run, "attend", in, out, "--no-weights", "--causal", NULL);
    assert_done(&run);
    folder_remove(folder);
    size_t most = most_of_children();
    if (most >= 400e6)
        fail_msg("%zu MB", most / 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_long_attention_needs_little_memory), /* first: it looks at all children */
        cmocka_unit_test(the_figures_fit_each_other),
        cmocka_unit_test(what_is_held_on_the_device_is_inputs_and_outputs),
        cmocka_unit_test(the_peer_computes_the_same),
        cmocka_unit_test(a_tile_is_measured_with_its_rows_unknown),
        cmocka_unit_test(the_text_names_limits_and_case),
        cmocka_unit_test(what_is_mistyped_is_said),
        cmocka_unit_test(it_ends_when_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
