/* Query, key and value stored as float16: every variant computes what the reference does with the
 * rounded numbers, to float32's accuracy, and rounds to the nearest; and the matrix kernels, which
 * take nothing else. They are tried in the form of every vendor's instruction; where it is not the
 * device's own, with loops in its place. */
#include "trial.h"

#include "attention/attention.h"
#include "attention/run/run.h"
#include "status.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* The nearest float16 by its definition: a multiple of 2^-24, and of at most 11 digits. */
static float to_half(float number)
{
    float step = 0x1p-24f;
    while (fabsf(number) >= 2048 * step)
        step *= 2;
    return rintf(number / step) * step; /* halves to even; both are exact */
}

/* The nearest bfloat16: of at most 8 digits. */
static float to_bfloat(float number)
{
    int exponent;
    frexpf(number, &exponent);
    return ldexpf(rintf(ldexpf(number, 8 - exponent)), exponent - 8);
}

static void round_bfloats(const sac_array *array)
{
    float *data = array ? array->data : NULL;
    for (size_t i = 0; array && i < sac_array_count(array); i++)
        data[i] = to_bfloat(data[i]);
}

static void round_array(const sac_array *array)
{
    float *data = array ? array->data : NULL;
    for (size_t i = 0; array && i < sac_array_count(array); i++)
        data[i] = to_half(data[i]);
}

/* Every variant on the numbers as they are, stored as float16, against the reference on the rounded
 * ones; where the score has a matrix of its own, against what the reference itself makes of
 * float16, which may round a product of float64 the other way: within 1e-4. */
static int failures_of(const recipe *wanted, uint64_t seed)
{
    trial t;
    int count, failures = 0;
    const sac_variant *variants = test_variants(&count);
    bool has_matrix = wanted->spec.score == SAC_SCORE_ADDITIVE ||
                      wanted->spec.score == SAC_SCORE_BILINEAR || wanted->project;
    results found[SAC_VARIANT_COUNT] = {0};
    yardstick held;
    trial_make(&t, wanted, seed);
    t.spec.storage = SAC_STORAGE_F16;
    for (int v = 0; v < count; v++)
        OK(compute_device(test_device(), variants[v], &t, true, &found[v], NULL));
    if (!has_matrix) {
        t.spec.storage = SAC_STORAGE_F32;
        round_array(t.input.query);
        round_array(t.input.key);
        round_array(t.input.value);
    }
    yardstick_make(&held, &t);
    for (int v = 0; v < count; v++) {
        double error =
            relative_error(found[v].output, held.reference.output, held.reference.outputs);
        double bound = variants[v] == SAC_VARIANT_AUTO ? matrix_bound(SAC_STORAGE_F16) : 0;
        if (has_matrix && bound < 1e-4)
            bound = 1e-4;
        if (bound > 0 ? !(error < bound) : !(excess(&found[v], &held) <= 1)) {
            print_error("%s: %s: output off by %.2g\n", sac_variant_name(variants[v]),
                        trial_text(&t), error);
            failures++;
        }
        results_free(&found[v]);
    }
    yardstick_free(&held);
    trial_free(&t);
    return failures;
}

TEST(float16_is_as_accurate_as_its_numbers)
{
    enum { SCALED = 4 }; /* each other score is a program more */
    static const recipe recipes[] = {
        {.spec = {.heads = 2}, .queries = 70, .keys = 131, .query_dim = 64, .value_dim = 64},
        {.queries = 9, .keys = 23, .query_dim = 37, .value_dim = 29, .mask = MASK_EVERYTHING},
        {.queries = 1, .keys = 1500, .query_dim = 80, .value_dim = 80},
        {.spec = {.heads = 2}, .queries = 12, .keys = 17, .query_dim = 8, .project = true},
        {.spec = {.score = SAC_SCORE_DOT, .heads = 2, .dropout = 0.3f, .split = SAC_SPLIT_VIEW},
         .queries = 19,
         .keys = 33,
         .query_dim = 12,
         .value_dim = 5,
         .mask = MASK_CAUSAL},
        {.spec = {.score = SAC_SCORE_GAUSSIAN}, .queries = 21, .keys = 34, .query_dim = 9},
        {.spec = {.score = SAC_SCORE_ADDITIVE}, .queries = 9, .keys = 17, .query_dim = 8},
        {.spec = {.score = SAC_SCORE_BILINEAR}, .queries = 9, .keys = 17, .query_dim = 8},
    };
    int failures = 0;
    for (size_t i = 0; i < (test_is_full() ? COUNT(recipes) : SCALED); i++) {
        size_t work = recipes[i].queries * recipes[i].keys * recipes[i].query_dim;
        if (!is_oclgrind() || work < 5000)
            failures += failures_of(&recipes[i], i);
    }
    assert_int_equal(failures, 0);
}

/* Against the reference on the rounded numbers. By pairs and by squares weights are rounded to bfloat16 too, by 2^-9 of each at most
 * and of either sign; all else is exact to float32. */
static int pairs_failures(sac_variant variant, unsigned pairs, const recipe *wanted, uint64_t seed)
{
    trial t;
    results found = {0};
    yardstick held;
    sac_tiling tiling = *sac_tiling_shipped(&test_device()->info, SAC_VARIANT_CPU);
    bool rounds = variant == SAC_VARIANT_CPU && pairs != SAC_PAIRS_NEVER; /* or it may */
    if (pairs >= SAC_SQUARES)
        sac_tiling_of_squares(&test_device()->info, &tiling);
    tiling.pairs = pairs;
    trial_make(&t, wanted, seed);
    t.spec.storage = SAC_STORAGE_BF16;
    OK(compute_tiled(test_device(), variant, variant == SAC_VARIANT_CPU ? &tiling : NULL, &t, true,
                     &found, NULL));
    t.spec.storage = SAC_STORAGE_F32;
    round_bfloats(t.input.query);
    round_bfloats(t.input.key);
    round_bfloats(t.input.value);
    yardstick_make(&held, &t);
    double error = relative_error(found.output, held.reference.output, held.reference.outputs);
    bool fails = rounds && !(error < 4e-3);
    if (rounds) {
        free(found.output);
        found.output = NULL; /* so that the rest is judged alone */
    }
    fails = fails || !(excess(&found, &held) <= 1);
    if (fails)
        print_error("bfloat16 by %s, pairs %u: %s: output off by %.2g\n", sac_variant_name(variant),
                    pairs, trial_text(&t), error);
    results_free(&found);
    yardstick_free(&held);
    trial_free(&t);
    return fails;
}

/* By the instruction where there is one, by loops in its place, and as floats: strips and blocks that end anywhere, odd
 * heads, every mask, keys in pieces, heads too wide and queries too few for pairs. */
TEST(bfloat16_is_as_accurate_as_its_numbers)
{
    static const recipe recipes[] = {
        {.queries = 16, .keys = 23, .query_dim = 5, .value_dim = 3, .mask = MASK_EVERYTHING},
        {.spec = {.heads = 2}, .queries = 70, .keys = 131, .query_dim = 64, .value_dim = 64},
        {.spec = {.heads = 2}, .queries = 141, .keys = 777, .query_dim = 37, .value_dim = 29},
        {.spec = {.score = SAC_SCORE_DOT, .heads = 2, .dropout = 0.3f, .split = SAC_SPLIT_VIEW},
         .queries = 19,
         .keys = 33,
         .query_dim = 12,
         .value_dim = 5,
         .mask = MASK_CAUSAL},
        {.queries = 300, .keys = 300, .query_dim = 128, .value_dim = 128, .mask = MASK_CAUSAL},
        {.queries = 17, .keys = 9000, .query_dim = 80, .value_dim = 80},
        {.spec = {.softcap = 3}, .queries = 20, .keys = 40, .query_dim = 9, .sinks = true},
        {.queries = 3, .keys = 40, .query_dim = 9},
        {.queries = 33, .keys = 40, .query_dim = 130},
    };
    bool is_cpu = sac_device_get_info(test_device())->is_cpu || is_oclgrind();
    int failures = 0;
    for (size_t i = 0; i < (is_oclgrind() ? 1 : COUNT(recipes)); i++) {
        for (unsigned pairs = 0; is_cpu && pairs <= SAC_PAIRS_NEVER; pairs++)
            failures += pairs_failures(SAC_VARIANT_CPU, pairs, &recipes[i], i);
        if (!is_cpu) /* whose work-items have no room for a CPU's tiles */
            failures += pairs_failures(SAC_VARIANT_GPU, 0, &recipes[i], i);
        failures += pairs_failures(SAC_VARIANT_NAIVE, 0, &recipes[i], i);
    }
    assert_int_equal(failures, 0);
}

static int squares_failures(unsigned pairs, const recipe *wanted, uint64_t seed)
{
    trial t;
    results found = {0};
    yardstick held;
    sac_tiling tiling;
    sac_tiling_of_squares(&test_device()->info, &tiling);
    tiling.pairs = pairs;
    trial_make(&t, wanted, seed);
    OK(compute_tiled(test_device(), SAC_VARIANT_CPU, &tiling, &t, true, &found, NULL));
    yardstick_make(&held, &t);
    double off = excess(&found, &held);
    if (!(off <= 1))
        print_error("squares, %u: %s: %.2g times what is allowed\n", pairs, trial_text(&t), off);
    results_free(&found);
    yardstick_free(&held);
    trial_free(&t);
    return !(off <= 1);
}

/* By the instructions where there are any and by loops in their place: float32 in parts is float32, and bfloat16 is
 * bfloat16. Heads too wide and queries too few for squares, too. */
TEST(squares_are_as_accurate_as_vectors)
{
    static const recipe recipes[] = {
        {.spec = {.heads = 2}, .queries = 70, .keys = 131, .query_dim = 64, .value_dim = 64},
        {.spec = {.heads = 2}, .queries = 141, .keys = 777, .query_dim = 37, .value_dim = 29},
        {.spec = {.score = SAC_SCORE_DOT, .heads = 2, .dropout = 0.3f, .split = SAC_SPLIT_VIEW},
         .queries = 67,
         .keys = 33,
         .query_dim = 12,
         .value_dim = 5,
         .mask = MASK_CAUSAL},
        {.queries = 600, .keys = 600, .query_dim = 128, .value_dim = 128, .mask = MASK_EVERYTHING},
        {.queries = 64, .keys = 9000, .query_dim = 80, .value_dim = 80},
        {.spec = {.softcap = 3}, .queries = 90, .keys = 40, .query_dim = 9, .sinks = true},
        {.queries = 3, .keys = 40, .query_dim = 9},
        {.queries = 99, .keys = 40, .query_dim = 130},
    };
    const sac_device *device = test_device();
    int failures = 0;
    if (is_oclgrind() || !device->profile.is_cpu || device->profile.vector_width != 16)
        skip();
    for (unsigned pairs = device->profile.has_squares ? SAC_SQUARES : SAC_SQUARES_BY_LOOPS;
         pairs <= SAC_SQUARES_BY_LOOPS; pairs++)
        for (size_t i = 0; i < COUNT(recipes); i++) {
            failures += squares_failures(pairs, &recipes[i], i);
            failures += pairs_failures(SAC_VARIANT_CPU, pairs, &recipes[i], i);
        }
    assert_int_equal(failures, 0);
}

/* The matrix kernels' in the form of that instruction, which need not be the device's. */
static const sac_tiling *tiling_of(sac_matrix matrix)
{
    static sac_tiling tiling;
    sac_variant variant;
    for (size_t row = 0; sac_tiling_table_entry(row, &variant, &tiling); row++)
        if (variant == SAC_VARIANT_MATRIX && tiling.matrix == matrix)
            return &tiling;
    fail_msg("no tiles are written for %s", sac_matrix_name(matrix));
    return NULL;
}

/* What computes where the matrix kernels are requested. */
static sac_variant variant_of(sac_matrix matrix, const recipe *wanted)
{
    trial t;
    sac_attention *attention;
    trial_make(&t, wanted, 1);
    t.spec.variant = SAC_VARIANT_MATRIX;
    t.spec.storage = sac_matrix_storage(matrix);
    OK(sac_attention_create_tiled(test_device(), &t.spec, &t.input, tiling_of(matrix), &attention,
                                  NULL));
    sac_variant variant = sac_attention_get_variant(attention);
    sac_attention_destroy(attention);
    trial_free(&t);
    return variant;
}

/* Scores and statistics by matrix instructions are exact to float32, and of float32 the output is;
 * float16 weights are rounded before the values are added up, by 2^-12 of each at most, and their
 * errors are of either sign. */
static int matrix_failures(sac_matrix matrix, const recipe *wanted, uint64_t seed)
{
    trial t;
    results found = {0};
    yardstick held;
    bool is_half = sac_matrix_storage(matrix) == SAC_STORAGE_F16;
    trial_make(&t, wanted, seed);
    t.spec.storage = sac_matrix_storage(matrix);
    assert_int_equal(variant_of(matrix, wanted), SAC_VARIANT_MATRIX);
    OK(compute_tiled(test_device(), SAC_VARIANT_MATRIX, tiling_of(matrix), &t, true, &found, NULL));
    t.spec.storage = SAC_STORAGE_F32;
    if (is_half) {
        round_array(t.input.query);
        round_array(t.input.key);
        round_array(t.input.value);
    }
    yardstick_make(&held, &t);
    double error = relative_error(found.output, held.reference.output, held.reference.outputs);
    if (is_half) {
        free(found.output);
        found.output = NULL; /* so that the rest is judged alone */
    }
    bool fails = !(error < 5e-4) || !(excess(&found, &held) <= 1);
    if (fails)
        print_error("%s: %s: output off by %.2g\n", sac_matrix_name(matrix), trial_text(&t), error);
    results_free(&found);
    yardstick_free(&held);
    trial_free(&t);
    return fails;
}

/* The simulator does not compile. */
static bool is_for_device(sac_matrix matrix)
{
    return !device_is_slow() || is_oclgrind() || matrix == SAC_MATRIX_MMA;
}

/* Of few different heads: each is another kernel to compile. */
static recipe matrix_recipe(trial_mask mask)
{
    bool is_tiny = mask % 4 == 1;
    recipe r = {.spec = {.heads = 2, .dropout = mask % 3 == 1 ? 0.3f : 0, .seed = 5},
                .batch = is_oclgrind() ? 1 : 2,
                .queries = mask % 2 ? 19 : 150,
                .keys = mask % 4 ? 70 : 131,
                .query_dim = is_tiny ? 1 : 37,
                .value_dim = is_tiny ? 1 : 29,
                .mask = mask};
    if (mask % 5 == 4) {
        r.spec.use_scale = true;
        r.spec.scale = -0.2f;
    }
    return r;
}

TEST(matrix_instructions_take_every_mask_and_size)
{
    int failures = 0;
    FULL_ONLY;
    for (int mask = 0; mask < MASK_COUNT; mask++) {
        recipe r = matrix_recipe((trial_mask)mask);
        if (!device_is_slow() || (!is_oclgrind() && mask % 3 == 0))
            failures += matrix_failures(SAC_MATRIX_MMA, &r, (uint64_t)mask);
    }
    recipe few = {.queries = 1, .keys = 1500, .query_dim = 128, .value_dim = 128};
    if (!device_is_slow()) /* which have too little local memory for so wide heads */
        failures += matrix_failures(SAC_MATRIX_MMA, &few, 1);
    assert_int_equal(failures, 0);
}

/* The rest is the same for all: for each a few recipes that between them meet its edges. The loops
 * that stand in for an instruction are as plain as C: a slow compiler is given those of one. */
TEST(every_vendors_instruction_computes_the_same)
{
    recipe recipes[] = {matrix_recipe(MASK_EVERYTHING), matrix_recipe(MASK_NONE),
                        matrix_recipe(MASK_CAUSAL)};
    int count = device_is_slow() ? 1 : (int)COUNT(recipes), failures = 0;
    FULL_ONLY;
    for (sac_matrix matrix = SAC_MATRIX_MMA; matrix < SAC_MATRIX_COUNT; matrix++) {
        for (int i = 0; i < count && is_for_device(matrix); i++) {
            recipes[i].query_dim = 37;
            recipes[i].value_dim = 29;
            recipes[i].queries = is_oclgrind() ? 19 : 133;
            failures += matrix_failures(matrix, &recipes[i], (uint64_t)i);
        }
    }
    assert_int_equal(failures, 0);
}

TEST(matrix_tiles_end_anywhere)
{
    enum { FEW = 8 }; /* queries of float32 that are left to the GPU kernels */
    static const size_t queries[] = {1, 8, 17, 63, 65, 127, 129}, keys[] = {1, 31, 33, 64, 65};
    int failures = 0;
    FULL_ONLY;
    for (sac_matrix matrix = SAC_MATRIX_MMA; matrix < SAC_MATRIX_COUNT; matrix++)
        for (size_t i = 0; i < COUNT(queries) * COUNT(keys); i++) {
            recipe r = {.queries = queries[i / COUNT(keys)],
                        .keys = keys[i % COUNT(keys)],
                        .query_dim = 37,
                        .value_dim = 29};
            bool leaves = sac_matrix_storage(matrix) == SAC_STORAGE_F32 && r.queries <= FEW;
            if (leaves)
                assert_int_equal(variant_of(matrix, &r), SAC_VARIANT_GPU);
            else if (!device_is_slow() || (!is_oclgrind() && is_for_device(matrix) && i % 15 == 14))
                failures += matrix_failures(matrix, &r, i);
        }
    assert_int_equal(failures, 0);
}

TEST(matrix_instructions_leave_the_rest_to_the_gpu_kernels)
{
    recipe gaussian = {.spec = {.score = SAC_SCORE_GAUSSIAN}};
    FULL_ONLY;
    for (sac_matrix matrix = SAC_MATRIX_MMA; matrix < SAC_MATRIX_COUNT; matrix++) {
        size_t widest = sac_matrix_widest_head(matrix);
        recipe usual = {.queries = 9, .query_dim = 37, .value_dim = 29};
        recipe wide = {.query_dim = widest + 1}, long_value = {.value_dim = widest + 1};
        assert_int_equal(variant_of(matrix, &usual), SAC_VARIANT_MATRIX);
        assert_int_equal(variant_of(matrix, &wide), SAC_VARIANT_GPU);
        assert_int_equal(variant_of(matrix, &long_value), SAC_VARIANT_GPU);
        assert_int_equal(variant_of(matrix, &gaussian), SAC_VARIANT_GPU);
    }
}

/* The queries of a tile where that instruction computes. */
static size_t tile_rows_of(sac_matrix matrix, int heads, size_t queries)
{
    trial t;
    sac_attention *attention;
    trial_make(&t, &(recipe){.spec = {.heads = heads}, .queries = queries, .query_dim = 16}, 1);
    t.spec.variant = SAC_VARIANT_MATRIX;
    t.spec.storage = sac_matrix_storage(matrix);
    OK(sac_attention_create_tiled(test_device(), &t.spec, &t.input, tiling_of(matrix), &attention,
                                  NULL));
    size_t rows = attention->plan.tile_rows;
    sac_attention_destroy(attention);
    trial_free(&t);
    return rows;
}

/* A tile of two fragments is twice as tall, which fewer tiles than a device has units are not. */
TEST(matrix_tiles_are_tall_where_they_fill_the_device)
{
    unsigned units = sac_device_get_info(test_device())->compute_units;
    assert_int_equal(tile_rows_of(SAC_MATRIX_MMA, (int)units, 100), 128);
    if (units > 1)
        assert_int_equal(tile_rows_of(SAC_MATRIX_MMA, 1, 100), 64);
}

/* One query and one key: the output is the value as it was stored. */
static sac_status store(sac_variant variant, float *numbers, size_t count, float *stored,
                        sac_error *error)
{
    float zeros[1] = {0};
    sac_array none = sac_array_view(SAC_F32, 2, (size_t[]){1, 1}, zeros);
    sac_array value = sac_array_view(SAC_F32, 2, (size_t[]){1, count}, numbers);
    sac_attention_input input = {.query = &none, .key = &none, .value = &value};
    sac_attention_spec spec = {.variant = variant, .storage = SAC_STORAGE_F16};
    sac_attention *attention;
    sac_status status = sac_attention_create(test_device(), &spec, &input, &attention, error);
    if (status == SAC_OK)
        status =
            sac_attention_run(attention, &(sac_attention_output){.output = stored}, NULL, error);
    sac_attention_destroy(attention);
    return status;
}

TEST(numbers_become_the_nearest_float16)
{
    const float one = 1, end = 65504;
    float numbers[] = {0,
                       1,
                       one + 0x1p-11f,            /* between 1 and 1 + 2^-10: to the even one */
                       one + 0x3p-11f,            /* … which is above here */
                       one + 0x1p-11f + 0x1p-23f, /* just above the middle */
                       -one - 0x3p-11f,
                       0.1f,
                       end,
                       -end - 15.99f, /* nearer to the end than to what would come next */
                       0x1p-14f,
                       0x1p-14f - 0x1p-26f,
                       0x1p-24f,
                       0x1p-25f, /* half of the smallest: to 0 */
                       0x3p-25f,
                       -0x5p-25f,
                       0x1.8p-17f};
    float stored[COUNT(numbers)];
    int count;
    const sac_variant *variants = test_variants(&count);
    for (int v = 0; v < count; v++) {
        OK(store(variants[v], numbers, COUNT(numbers), stored, NULL));
        for (size_t i = 0; i < COUNT(numbers); i++)
            if (stored[i] != to_half(numbers[i]))
                fail_msg("%s stores %a as %a, not as %a", sac_variant_name(variants[v]),
                         (double)numbers[i], (double)stored[i], (double)to_half(numbers[i]));
    }
}

TEST(what_float16_cannot_hold_is_refused)
{
    float numbers[] = {1, -65520, 3}, stored[3];
    int count;
    const sac_variant *variants = test_variants(&count);
    for (int v = 0; v < count; v++) {
        REFUSES(SAC_E_VALUE,
                "value: a number of magnitude 65520 does not fit float16, which ends at 65504; "
                "scale it down, or store it as float32",
                store(variants[v], numbers, 3, stored, &failure));
    }
}

static size_t bytes_of(cl_mem buffer)
{
    size_t bytes = 0;
    assert_int_equal(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL),
                     CL_SUCCESS);
    return bytes;
}

TEST(the_gpu_kernels_read_half_as_much)
{
    trial t;
    size_t bytes[2];
    trial_make(&t, &(recipe){.queries = 30, .keys = 50, .query_dim = 32, .value_dim = 32}, 1);
    t.spec.variant = SAC_VARIANT_GPU;
    for (int halves = 0; halves < 2; halves++) {
        sac_attention *a;
        t.spec.storage = halves ? SAC_STORAGE_F16 : SAC_STORAGE_F32;
        OK(sac_attention_create(test_device(), &t.spec, &t.input, &a, NULL));
        bytes[halves] = bytes_of(a->query) + bytes_of(a->key) + bytes_of(a->value);
        sac_attention_destroy(a);
    }
    trial_free(&t);
    assert_int_equal(bytes[0], 2 * bytes[1]);
}

TEST(unknown_ways_to_store_are_refused)
{
    sac_attention_spec spec = {.storage = SAC_STORAGE_COUNT};
    sac_attention *attention;
    float zeros[1] = {0};
    sac_array none = sac_array_view(SAC_F32, 2, (size_t[]){1, 1}, zeros);
    sac_attention_input input = {.query = &none, .key = &none, .value = &none};
    REFUSES(SAC_E_ARGUMENT, "storage: …",
            sac_attention_create(test_device(), &spec, &input, &attention, &failure));
    spec = (sac_attention_spec){.variant = SAC_VARIANT_MATRIX, .storage = SAC_STORAGE_BF16};
    REFUSES(SAC_E_ARGUMENT, "variant: the matrix kernels take no bfloat16…",
            sac_attention_create(test_device(), &spec, &input, &attention, &failure));
}

TEST_MAIN(NULL, close_device)
