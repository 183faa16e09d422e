/* Tiles of other shapes: every candidate computes what it should; what was tuned is used, kept and
 * forgotten; and what is no such shape is not believed. */
#include "trial.h"

#include <errno.h>
#include <glob.h>
#include <unistd.h>

#include <sys/stat.h>

#include "attention/plan/tuning.h"
#include "attention/prepare/prepared.h"
#include "device/cache/cache.h"
#include "saccade_tools.h"
#include "status.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))
enum { MOST_SHAPES = 64 };

/* ---------------------------------------------------------------- every candidate */

static size_t add_shape(sac_tiling *shapes, size_t count, const sac_tiling *shape)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(&shapes[i], shape, sizeof *shape) == 0)
            return count;
    assert_true(count < MOST_SHAPES);
    shapes[count] = *shape;
    return count + 1;
}

/* The shapes that a search meets first: one after the other, each number at its smallest, and each
 * at its largest; then one number changed. */
static size_t candidates(sac_variant variant, sac_tiling *shapes)
{
    const sac_device_info *info = sac_device_get_info(test_device());
    const sac_tiling *shipped = sac_tiling_shipped(info, variant);
    sac_tiling list[SAC_TUNING_VALUES], small = *shipped, large = *shipped;
    for (size_t which = 0; which < sac_tuning_number_count(variant); which++) {
        if (sac_tuning_candidates(info, variant, which, &small, list))
            small = list[0];
        size_t found = sac_tuning_candidates(info, variant, which, &large, list);
        if (found)
            large = list[found - 1];
    }
    size_t count = add_shape(shapes, 0, &small);
    count = add_shape(shapes, count, &large);
    for (size_t which = 0; which < sac_tuning_number_count(variant); which++) {
        size_t found = sac_tuning_candidates(info, variant, which, shipped, list);
        for (size_t i = 0; i < found; i++)
            count = add_shape(shapes, count, &list[i]);
    }
    return count;
}

/* Beyond the largest tile and block, the widest head, a single query, and rows off every multiple.
 */
static const recipe large_recipes[] = {
    {.queries = 300, .keys = 1100, .query_dim = 37, .value_dim = 29, .mask = MASK_EVERYTHING},
    {.queries = 20, .keys = 40, .query_dim = SAC_CPU_WIDEST, .value_dim = 300},
    {.queries = 1, .keys = 1500, .query_dim = 64},
    {.spec = {.heads = 2, .dropout = 0.3f, .causal = true, .split = SAC_SPLIT_VIEW},
     .queries = 129,
     .keys = 129,
     .query_dim = 16,
     .batch = 2},
};
static const recipe small_recipe = {.queries = 33, .keys = 70, .query_dim = 9, .mask = MASK_CAUSAL};

/* The GPU kernel is compiled for each number of value columns, which takes seconds on a CPU: it is
 * asked the first alone. */
static int shape_failures(sac_variant variant, const sac_tiling *shape)
{
    bool slow = device_is_slow();
    int failures = 0;
    for (size_t i = 0; i < (slow || variant == SAC_VARIANT_GPU ? 1 : COUNT(large_recipes)); i++) {
        trial t;
        trial_make(&t, slow ? &small_recipe : &large_recipes[i], i);
        failures += tiled_failures(&t, variant, shape);
        trial_free(&t);
    }
    if (failures)
        print_error("in tiles of %u × %u, registers %u × %u and %u × %u\n", shape->tile_rows,
                    shape->block_keys, shape->micro_rows, 2 * shape->width, shape->rows_each,
                    shape->keys_each);
    return failures;
}

/* Each is another program to compile: for a full test alone. Slow devices take the smallest and the
 * largest; of the GPU's, which take PoCL five seconds each, a CPU tries one in three. PoCL compiles
 * these, which its CPU is never given, unoptimised: it looks at the variable for each program. */
TEST(every_candidate_computes_right)
{
    int variant_count, failures = 0;
    FULL_ONLY;
    const sac_variant *variants = test_variants(&variant_count);
    bool is_cpu = sac_device_get_info(test_device())->is_cpu;
    for (int v = 0; v < variant_count; v++) {
        sac_tiling shapes[MOST_SHAPES];
        if (variants[v] != SAC_VARIANT_CPU && variants[v] != SAC_VARIANT_GPU)
            continue;
        size_t count = candidates(variants[v], shapes);
        size_t step = variants[v] == SAC_VARIANT_GPU && is_cpu ? 3 : 1;
        if (device_is_slow())
            count = 2;
        if (variants[v] == SAC_VARIANT_GPU)
            setenv("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable", 1);
        for (size_t i = 0; i < count; i += step)
            failures += shape_failures(variants[v], &shapes[i]);
        unsetenv("POCL_EXTRA_BUILD_FLAGS");
    }
    assert_int_equal(failures, 0);
}

/* ---------------------------------------------------------------- what was tuned */

/* Which a CPU is given by itself, so that tests of what is used know it. */
static bool has_cpu_kernels(void)
{
    int count;
    const sac_variant *variants = test_variants(&count);
    for (int v = 0; v < count; v++)
        if (variants[v] == SAC_VARIANT_CPU)
            return !device_is_slow();
    return false;
}

/* The plan of an attention on the test device. */
static sac_plan plan_of(sac_score score)
{
    recipe r = {.spec = {.score = score}};
    trial t;
    sac_attention *attention;
    trial_make(&t, &r, 1);
    test_device()->profile.has_squares = false; /* whose tiles come before those that were tuned */
    OK(sac_attention_create(test_device(), &t.spec, &t.input, &attention, &failure));
    sac_plan plan = attention->plan;
    sac_attention_destroy(attention);
    trial_free(&t);
    return plan;
}

/* Another shape than ships, and right. */
static sac_tiling other_shape(void)
{
    sac_tiling tiling = *sac_tiling_shipped(sac_device_get_info(test_device()), SAC_VARIANT_CPU);
    tiling.block_keys /= 2;
    return tiling;
}

static void assert_in_use(const sac_tiling *tiling, sac_score score)
{
    sac_plan plan = plan_of(score);
    assert_int_equal(plan.block_keys, tiling->block_keys);
    assert_int_equal(plan.tile_rows, tiling->tile_rows);
}

static void assert_shipped_in_use(void)
{
    assert_in_use(sac_tiling_shipped(sac_device_get_info(test_device()), SAC_VARIANT_CPU),
                  SAC_SCORE_SCALED_DOT);
}

/* As another process would find it. */
static void reopen(void)
{
    close_device(NULL);
    test_device();
}

TEST(a_tuned_shape_is_used_and_kept_until_it_is_reset)
{
    if (!has_cpu_kernels())
        skip();
    sac_tiling tuned = other_shape();
    sac_tuning_set(test_device(), SAC_VARIANT_CPU, &tuned);
    assert_in_use(&tuned, SAC_SCORE_SCALED_DOT);
    reopen();
    assert_in_use(&tuned, SAC_SCORE_SCALED_DOT);
    assert_in_use(&tuned, SAC_SCORE_BILINEAR);
    sac_tune_reset(test_device());
    assert_shipped_in_use();
    reopen();
    assert_shipped_in_use();
}

/* It was measured on the dot product. */
TEST(other_scores_keep_the_shipped_shape)
{
    if (!has_cpu_kernels())
        skip();
    const sac_tiling *shipped =
        sac_tiling_shipped(sac_device_get_info(test_device()), SAC_VARIANT_CPU);
    sac_tiling tuned = other_shape();
    sac_tuning_set(test_device(), SAC_VARIANT_CPU, &tuned);
    assert_in_use(shipped, SAC_SCORE_GAUSSIAN);
    assert_in_use(shipped, SAC_SCORE_ADDITIVE);
    sac_tune_reset(test_device());
}

TEST(a_shape_that_failed_the_self_test_is_not_used)
{
    if (!has_cpu_kernels())
        skip();
    sac_tiling tuned = other_shape();
    sac_tuning_set(test_device(), SAC_VARIANT_CPU, &tuned);
    assert_in_use(&tuned, SAC_SCORE_SCALED_DOT);
    char name[32] = "";
    /* "cpu-dot-1f00ba12 passed"; other storage stands there too: "cpu-dot-pairs passed". */
    const char *line = NULL, *next = test_device()->verdicts;
    while ((next = strstr(next, "cpu-dot-"))) /* the last, for squares have one as well */
        if (strspn(next += 8, "0123456789abcdef") == 8)
            line = next - 8;
    assert_non_null(line);
    assert_int_equal(sscanf(line, "%31s", name), 1);
    sac_verdict_remember(test_device(), name, SAC_REFUSED);
    assert_shipped_in_use();
    reopen();
    assert_shipped_in_use();
    sac_verdict_remember(test_device(), name, SAC_PASSED);
    sac_tune_reset(test_device());
}

static void store_entry(const char *text)
{
    char key[1024];
    sac_device_kernels_key(sac_device_get_info(test_device()), key, sizeof key);
    sac_cache_store("tuning", key, text, strlen(text));
    reopen();
}

static void store_shape(const sac_tiling *shape)
{
    char entry[256];
    snprintf(entry, sizeof entry,
             "cpu tile_rows %u block_keys %u width %u micro_rows %u tile_floats %u weight_rows %u "
             "rows_each 0 keys_each 0 depth 0\n",
             shape->tile_rows, shape->block_keys, shape->width, shape->micro_rows,
             shape->tile_floats, shape->weight_rows);
    store_entry(entry);
}

TEST(tuning_file_with_invalid_shape_is_ignored)
{
    static const char *const entries[] = {
        "",
        "cpu",
        "\n\n\n",
        /* tiles of 7 and 100 queries; a block off the panels; no numbers; too few; one too many */
        "cpu tile_rows 100 block_keys 256 width 16 micro_rows 8 tile_floats 32768 weight_rows 16 "
        "rows_each 0 keys_each 0 depth 0\n",
        "cpu tile_rows 7 block_keys 256 width 16 micro_rows 8 tile_floats 32768 weight_rows 16 "
        "rows_each 0 keys_each 0 depth 0\n",
        "cpu tile_rows 128 block_keys 250 width 16 micro_rows 8 tile_floats 32768 weight_rows 16 "
        "rows_each 0 keys_each 0 depth 0\n",
        "cpu tile_rows block_keys width micro_rows\n",
        "cpu tile_rows 64 block_keys 256 width 16 micro_rows 8\n",
        "cpu tile_rows 64 block_keys 256 width 16 micro_rows 8 tile_floats 32768 weight_rows 16 "
        "rows_each 0 keys_each 0 depth 0 1\n",
        /* zeros; a negative number; vectors of 5; 5 rows; more than a stack holds */
        "cpu tile_rows 0 block_keys 0 width 0 micro_rows 0 tile_floats 0 weight_rows 0 "
        "rows_each 0 keys_each 0 depth 0\n",
        "cpu tile_rows -64 block_keys 256 width 16 micro_rows 8 tile_floats 32768 weight_rows 16 "
        "rows_each 0 keys_each 0 depth 0\n",
        "cpu tile_rows 64 block_keys 250 width 5 micro_rows 8 tile_floats 32768 weight_rows 16 "
        "rows_each 0 keys_each 0 depth 0\n",
        "cpu tile_rows 65 block_keys 256 width 16 micro_rows 5 tile_floats 32768 weight_rows 15 "
        "rows_each 0 keys_each 0 depth 0\n",
        "cpu tile_rows 512 block_keys 1024 width 16 micro_rows 8 tile_floats 32768 weight_rows 16 "
        "rows_each 0 keys_each 0 depth 0\n",
        /* tiles that wide heads do not fit; of a kernel that has none, of one that there is not,
         * and of another kernel */
        "cpu tile_rows 64 block_keys 256 width 16 micro_rows 8 tile_floats 4096 weight_rows 16 "
        "rows_each 0 keys_each 0 depth 0\n",
        "naive tile_rows 64 block_keys 256 width 16 micro_rows 8 tile_floats 32768 weight_rows 16 "
        "rows_each 0 keys_each 0 depth 0\n",
        "fpga tile_rows 64 block_keys 256 width 16 micro_rows 8 tile_floats 32768 weight_rows 16 "
        "rows_each 0 keys_each 0 depth 0\n",
        "gpu tile_rows 64 block_keys 256 width 16 micro_rows 8 tile_floats 32768 weight_rows 16 "
        "rows_each 0 keys_each 0 depth 0\n",
    };
    if (!has_cpu_kernels())
        skip();
    for (size_t i = 0; i < COUNT(entries); i++) {
        sac_variant variant;
        store_entry(entries[i]);
        if (sac_tuning_get(test_device(), &variant))
            fail_msg("believed: %s", entries[i]);
    }
    assert_shipped_in_use();
    sac_tiling right = other_shape(); /* whose program the tests above have compiled */
    store_shape(&right);
    assert_in_use(&right, SAC_SCORE_SCALED_DOT);
    sac_tune_reset(test_device());
}

/* ---------------------------------------------------------------- the search */

static void assert_trials_differ(const sac_tune_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const sac_tune_trial *a = &report->trials[i];
        if (!(a->seconds > 0 && a->ratio > 0) && !a->message[0])
            fail_msg("trial %zu was neither measured nor explained", i);
        for (size_t j = 0; j < i; j++) {
            const sac_tune_trial *b = &report->trials[j];
            assert_false(a->tile_rows == b->tile_rows && a->tile_keys == b->tile_keys &&
                         a->register_rows == b->register_rows &&
                         a->register_keys == b->register_keys && a->depth == b->depth &&
                         a->strip_rows == b->strip_rows);
        }
    }
}

TEST(a_search_names_what_it_tried_and_keeps_what_it_shows)
{
    static sac_tune_report report;
    if (!has_cpu_kernels())
        skip();
    OK(sac_tune_run(test_device(), 2, NULL, &report, &failure));
    const sac_tiling *shipped =
        sac_tiling_shipped(sac_device_get_info(test_device()), SAC_VARIANT_CPU);
    assert_int_equal(report.variant, SAC_VARIANT_CPU);
    assert_int_equal(report.trials[0].tile_rows, shipped->tile_rows);
    assert_int_equal(report.trials[0].tile_keys, shipped->block_keys);
    assert_true(report.trials[0].ratio == 1);
    assert_in_range(report.count, 1, SAC_TUNE_TRIALS); /* of a busy machine the shipped one alone */
    assert_true(report.kept < report.count);
    assert_trials_differ(&report);
    const sac_tune_trial *kept = &report.trials[report.kept];
    assert_true(report.kept == 0 || (kept->ratio <= 0.98 && !kept->message[0]));
    reopen();
    sac_plan plan = plan_of(SAC_SCORE_SCALED_DOT);
    assert_int_equal(plan.tile_rows, kept->tile_rows);
    assert_int_equal(plan.block_keys, kept->tile_keys);
    assert_int_equal(plan.micro_rows, kept->register_rows);
    sac_tune_reset(test_device());
}

static bool three_steps(void *user, double done)
{
    int *left = user;
    assert_true(done >= 0 && done <= 1);
    return --*left > 0;
}

TEST(a_search_that_is_stopped_changes_nothing)
{
    static sac_tune_report report;
    int left = 3;
    sac_progress progress = {three_steps, &left};
    if (!has_cpu_kernels())
        skip();
    sac_tiling tuned = other_shape();
    sac_tuning_set(test_device(), SAC_VARIANT_CPU, &tuned);
    assert_int_equal(sac_tune_run(test_device(), 0, &progress, &report, &failure), SAC_E_CANCELLED);
    assert_int_equal(left, 0);
    assert_in_use(&tuned, SAC_SCORE_SCALED_DOT);
    reopen();
    assert_in_use(&tuned, SAC_SCORE_SCALED_DOT);
    sac_tune_reset(test_device());
}

/* ---------------------------------------------------------------- */

/* Entries of a cache. */
static void find(const char *folder, const char *kind, glob_t *files)
{
    char pattern[1100];
    snprintf(pattern, sizeof pattern, "%s/saccade/%s-*", folder, kind);
    glob(pattern, 0, NULL, files);
}

/* What an earlier run found out; its compiled kernels may stay. */
static void forget(const char *folder, const char *kind)
{
    glob_t files;
    find(folder, kind, &files);
    for (size_t i = 0; i < files.gl_pathc; i++)
        unlink(files.gl_pathv[i]);
    globfree(&files);
}

/* What other tests found out holds here too, so that no self-test is run again, for a minute on
 * llvmpipe. An entry is replaced as a whole, never written into: theirs stays as it is. */
static void take_over(const char *from, const char *folder, const char *kind)
{
    char path[1200];
    glob_t files;
    snprintf(path, sizeof path, "%s/saccade", folder);
    mkdir(path, 0700);
    find(from, kind, &files);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        snprintf(path, sizeof path, "%s/saccade%s", folder, strrchr(files.gl_pathv[i], '/'));
        if (link(files.gl_pathv[i], path) != 0)
            print_message("%s: %s\n", path, strerror(errno));
    }
    globfree(&files);
}

/* A cache of its own, on each platform: what is tuned here is for this test alone. What PoCL and
 * Mesa compiled is. */
static int open_own_cache(void **state)
{
    (void)state;
    static char folder[1024], compiled[1024];
    const char *given = getenv("XDG_CACHE_HOME"), *platform = getenv("SACCADE_DEVICE");
    const char *cache = given ? given : "/tmp";
    snprintf(compiled, sizeof compiled, "%s/saccade/pocl", cache);
    setenv("POCL_CACHE_DIR", compiled, 0);
    setenv("MESA_SHADER_CACHE_DIR", cache, 0);
    snprintf(folder, sizeof folder, "%s/tuning-%s%s", cache, platform ? platform : "any",
             test_is_full() ? ".full" : "");
    mkdir(cache, 0700);
    mkdir(folder, 0700);
    forget(folder, "tuning");
    forget(folder, "verdicts");
    take_over(cache, folder, "verdicts");
    setenv("XDG_CACHE_HOME", folder, 1);
    return 0;
}

TEST_MAIN(open_own_cache, close_device)
