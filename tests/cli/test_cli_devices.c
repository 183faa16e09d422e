/* saccade devices and saccade selftest. */
#include "extent.h"
#include "run.h"

TEST(devices_shows_what_there_is_and_which_is_taken)
{
    program_run run = {.environment = {"SACCADE_DEVICE=pocl"}};
    run_saccade(&run, "devices", NULL);
    assert_done(&run);
    const char *const parts[] = {"device",    "vendor", "driver",
                                 "memory",    "units",  "fp16",
                                 "subgroups", "matrix", "self-test",
                                 "* 1  PoCL", " GiB ",  "\n* is used: SACCADE_DEVICE is \"pocl\""};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(run.out, parts[i]))
            fail_msg("no \"%s\" in: %s", parts[i], run.out);
}

TEST(devices_prints_the_same_in_json)
{
    program_run run = {.environment = {"SACCADE_DEVICE=pocl"}};
    run_saccade(&run, "devices", "--json", NULL);
    assert_done(&run);
    const char *const fields[] = {
        "devices",        "number",        "name",
        "model",          "kind",          "vendor",
        "platform",       "driver",        "version",
        "memory_bytes",   "compute_units", "max_array_bytes",
        "max_work_group", "float_width",   "fp16",
        "fp64",           "fma",           "subgroups",
        "matrix",         "self_test",     "chosen",
        "reason",         "broken",
    };
    char quoted[64];
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        snprintf(quoted, sizeof quoted, "\"%s\":", fields[i]);
        if (!strstr(run.out, quoted))
            fail_msg("no %s in: %s", quoted, run.out);
    }
    assert_non_null(strstr(run.out, "\"chosen\":\ttrue"));
}

TEST(without_any_opencl_the_one_line_shows_what_to_install)
{
    const char *line = "OpenCL: there is no platform at all; install a driver: pocl-opencl-icd on "
                       "Debian, or saccade[pocl] with pip, runs on any CPU";
    program_run run = {.environment = {"OCL_ICD_VENDORS=/nonexistent"}};
    run_saccade(&run, "devices", NULL);
    assert_fails(&run, 3, line);
    run_saccade(&run, "selftest", NULL);
    assert_fails(&run, 3, line);
}

/* As ulimit -v and batch systems limit it; the drivers are there. */
TEST(drivers_that_find_no_memory_are_not_reported_to_be_missing)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) /* which take terabytes */
    skip();
#endif
    program_run run = {.memory_limit = 120 << 20};
    run_saccade(&run, "devices", NULL);
    assert_int_equal(run.status, 3);
    assert_non_null(strstr(run.out, "cannot be loaded for want of memory")); /* each is listed */
    assert_non_null(strstr(run.err, "drivers could not be loaded for want of memory"));
    program_run again = {.environment = {"SACCADE_DEVICE=pocl"}};
    run_saccade(&again, "devices", NULL); /* what it found is not remembered */
    assert_done(&again);
    assert_null(strstr(again.out, "for want of memory"));
}

TEST(an_unknown_device_is_answered_with_the_known_ones)
{
    program_run run = {.environment = {"SACCADE_DEVICE"}};
    run_saccade(&run, "selftest", "--device", "no such thing", NULL);
    assert_fails_with(&run, 3, "no device is called \"no such thing\"; there is 1 \"");
    program_run named = {.environment = {"SACCADE_DEVICE=no such thing"}};
    run_saccade(&named, "devices", NULL); /* which lists them none the less */
    assert_int_equal(named.status, 3);
    assert_non_null(strstr(named.err, "no device is called \"no such thing\""));
    assert_non_null(strstr(named.out, "PoCL"));
}

TEST(the_self_test_shows_every_variant_and_is_remembered)
{
    FULL_ONLY; /* the GPU kernels are among them, which PoCL compiles for a minute */
    program_run run = {.environment = {"SACCADE_DEVICE=pocl"}};
    run_saccade(&run, "selftest", NULL);
    assert_done(&run);
    const char *const parts[] = {"\n  cpu ",   "\n  gpu ",   "\n  tiled ", "\n  naive ",
                                 "\n  joint ", "\n  token ", "\npassed: "};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(run.out, parts[i]))
            fail_msg("no \"%s\" in: %s", parts[i], run.out);
    assert_null(strstr(run.out, "FAILED"));
    run_saccade(&run, "devices", "--json", NULL);
    assert_non_null(strstr(run.out, "\"self_test\":\t\"passed\""));
    run_saccade(&run, "selftest", "--json", NULL);
    assert_done(&run);
    assert_non_null(strstr(run.out, "\"verdict\":\t\"passed\""));
}

TEST(a_mistyped_option_is_answered_with_the_nearest)
{
    FAILS_WITH(2, "did you mean --json?", "devices", "--jsn");
    FAILS_WITH(2, "extra", "devices", "extra");
}

TEST_MAIN(NULL, NULL)
