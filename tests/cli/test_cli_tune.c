/* saccade tune. */
#include "json.h"

#include <glob.h>
#include <unistd.h>

#include <sys/stat.h>

/* A cache of its own, so that what is tuned here does not change what other tests see. */
static char cache[1024], compiled[1024];

static void find_tunings(glob_t *files)
{
    char pattern[1100];
    snprintf(pattern, sizeof pattern, "%s/saccade/tuning-*", strchr(cache, '=') + 1);
    glob(pattern, 0, NULL, files);
}

/* What PoCL compiled is everyone's, what was tuned here is for this test alone. */
static int make_cache(void **state)
{
    (void)state;
    const char *usual = getenv("XDG_CACHE_HOME");
    snprintf(cache, sizeof cache, "XDG_CACHE_HOME=%s/cli-tuning", usual ? usual : "/tmp");
    snprintf(compiled, sizeof compiled, "POCL_CACHE_DIR=%s/saccade/pocl", usual ? usual : "/tmp");
    mkdir(usual ? usual : "/tmp", 0700);
    mkdir(strchr(cache, '=') + 1, 0700);
    glob_t old;
    find_tunings(&old);
    for (size_t i = 0; i < old.gl_pathc; i++)
        unlink(old.gl_pathv[i]);
    globfree(&old);
    ran = (program_run){.environment = {"SACCADE_DEVICE=pocl", cache, compiled}};
    return 0;
}

static void assert_trial(const cJSON *trial)
{
    assert_true(number_of(trial, "tile_rows") >= number_of(trial, "register_rows"));
    assert_true(number_of(trial, "tile_keys") >= number_of(trial, "register_keys"));
    if (cJSON_HasObjectItem(trial, "ms"))
        assert_true(number_of(trial, "ms") > 0 && number_of(trial, "ratio") > 0);
    else
        assert_true(text_of(trial, "message")[0]);
}

TEST(the_figures_fit_each_other)
{
    cJSON *json = JSON_OF("tune", "--seconds", "1", "--json");
    const cJSON *trials = get(json, "trials"), *trial;
    int kept = (int)number_of(json, "kept"), count = cJSON_GetArraySize(trials);
    assert_true(text_of(json, "device")[0] != '\0');
    assert_string_equal(text_of(json, "variant"), "cpu");
    assert_true(number_of(json, "heads") == 8 && number_of(json, "dim") == 64);
    assert_in_range(number_of(json, "tokens"), 128, 16384);
    assert_in_range(count, 1, 61); /* a machine may be too slow for any but the shipped shape */
    assert_in_range(kept, 0, count - 1);
    cJSON_ArrayForEach(trial, trials) assert_trial(trial);
    assert_true(number_of(cJSON_GetArrayItem(trials, 0), "ratio") == 1);
    double ratio = number_of(cJSON_GetArrayItem(trials, kept), "ratio");
    assert_true(fabs(number_of(json, "speedup") * ratio - 1) < 1e-9);
    assert_true(kept == 0 || ratio <= 0.98);
    cJSON_Delete(json);
}

TEST(the_text_names_what_was_tried_and_what_is_kept)
{
    DONE("tune", "--seconds", "1");
    const char *const parts[] = {
        "PoCL, ",  "cpu kernels, 8 heads × ", "registers", "tile", " 1.000  ", "of shipped",
        "\nkept: "};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(ran.out, parts[i]))
            fail_msg("no \"%s\" in: %s", parts[i], ran.out);
}

/* The content of what is remembered, as text. */
static void read_tuning(char text[2048])
{
    glob_t files;
    size_t size;
    find_tunings(&files);
    assert_int_equal(files.gl_pathc, 1);
    char *content = file_read(files.gl_pathv[0], &size);
    assert_true(size < 2048);
    memcpy(text, content, size);
    text[size] = '\0';
    free(content);
    globfree(&files);
}

TEST(reset_forgets_and_an_interruption_changes_nothing)
{
    program_run run = ran;
    DONE("tune", "--reset");
    assert_non_null(strstr(ran.out, ": the kernels are as shipped\n"));
    char before[2048], after[2048];
    read_tuning(before);
    assert_null(strstr(before, "tile_rows"));
    run.interrupt_after_ms = 1500;
    run_saccade(&run, "tune", NULL);
    assert_fails(&run, 1, "tune: stopped; nothing has changed");
    assert_string_equal(run.out, "");
    read_tuning(after);
    assert_string_equal(before, after);
}

TEST(what_is_mistyped_is_reported)
{
    FAILS(2, "--seconds: is out of range; give a number from 1 to 600", "tune", "--seconds", "0");
    FAILS_WITH(2, "did you mean --reset?", "tune", "--rest");
    FAILS_WITH(2, "attention", "tune", "attention");
    FAILS_WITH(3, "no device is called \"no such thing\"", "tune", "--device", "no such thing");
}

TEST_MAIN(make_cache, NULL)
