/* Every product against double: all transposes, sizes around the tiles', and what may come along.
 */

#include "extent.h"
#include "gemm/gemm.h"
#include "gemm/gemm_in_place.h"
#include "gemm/gemm_selftest.h"
#include "gemm/launch.h"
#include "reference.h"
#include "status.h"
#include "test.h"

#include <clblast_c.h>

#define TOLERANCE                                                                                  \
    2e-5 /* of the largest result: floats have 6e-8, sums of up to 20000 lose a little */

typedef sac_status gemm_by(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                           sac_span c, sac_error *error);
static gemm_by *tested = sac_gemm_tiled; /* the backend that is tested */

typedef struct operands {
    double *a, *b, *bias, *c, *before;
} operands;

static double *numbers(size_t count, unsigned seed)
{
    double *x = malloc((count + 1) * sizeof *x);
    assert_non_null(x);
    reference_fill(x, count, seed);
    return x;
}

/* What `c` becomes out of `before`. */
static void expected(const sac_gemm *p, const operands *o, bool bias)
{
    for (size_t i = 0; i < p->m; i++)
        for (size_t j = 0; j < p->n; j++) {
            double sum = bias ? o->bias[j] : 0;
            for (size_t t = 0; t < p->k; t++)
                sum += o->a[p->transpose_a ? t * p->m + i : i * p->k + t] *
                       o->b[p->transpose_b ? j * p->k + t : t * p->n + j];
            if (p->accumulate)
                sum += o->before[i * p->n + j];
            o->c[i * p->n + j] = p->ceiling > 0 ? fmin(fmax(sum, 0), (double)p->ceiling) : sum;
        }
}

static void check_product(sac_gemm p, bool with_bias)
{
    operands o = {numbers(p.m * p.k, 1), numbers(p.k * p.n, 2), numbers(p.n, 3),
                  numbers(p.m * p.n, 4), numbers(p.m * p.n, 5)};
    sac_span a = reference_span(o.a, p.m * p.k), b = reference_span(o.b, p.k * p.n);
    sac_span c = reference_span(p.accumulate ? o.before : NULL, p.m * p.n);
    sac_span bias = reference_span(o.bias, p.n);
    char name[128];
    snprintf(name, sizeof name,
             "[%zu,%zu]x[%zu,%zu] transposed %d %d accumulate %d bias %d ceiling %g", p.m, p.k, p.k,
             p.n, p.transpose_a, p.transpose_b, p.accumulate, with_bias, (double)p.ceiling);
    expected(&p, &o, with_bias);
    p.bias = with_bias ? bias : (sac_span){0};
    OK(tested(reference_device(), &p, a, b, c, &failure));
    reference_check(c, o.c, p.m * p.n, TOLERANCE, name);
    sac_span spans[] = {a, b, c, bias};
    double *doubles[] = {o.a, o.b, o.bias, o.c, o.before};
    for (size_t i = 0; i < 4; i++)
        sac_span_release(&spans[i]);
    for (size_t i = 0; i < 5; i++)
        free(doubles[i]);
}

static void check_transposes(size_t m, size_t n, size_t k)
{
    for (int which = 0; which < 4; which++)
        check_product(
            (sac_gemm){.m = m, .n = n, .k = k, .transpose_a = which & 1, .transpose_b = which & 2},
            false);
    check_product((sac_gemm){.m = m, .n = n, .k = k, .transpose_b = true, .any_rows = true}, false);
}

TEST(sizes_around_a_tile_are_right_transposed_or_not)
{
    static const size_t sizes[][3] = {{1, 1, 1},    {1, 16, 3},    {2, 3, 1},    {7, 15, 9},
                                      {8, 16, 16},  {9, 17, 5},    {5, 32, 31},  {31, 31, 33},
                                      {33, 33, 17}, {3, 65, 129},  {65, 48, 7},  {13, 29, 130},
                                      {4, 80, 257}, {64, 26, 100}, {32, 64, 40}, {13, 72, 500}};
    size_t count = reference_is_oclgrind() ? 7 : sizeof sizes / sizeof *sizes;
    for (size_t i = 0; i < count; i++)
        check_transposes(sizes[i][0], sizes[i][1], sizes[i][2]);
}

TEST(large_sizes_are_right_transposed_or_not)
{
    if (reference_is_oclgrind())
        return;
    check_transposes(1021, 67, 64);
    check_transposes(300, 128, 384);
}

/* Gradients of weights: few results, each a sum over all pixels of a batch. */
TEST(a_deep_product_is_summed_in_pieces)
{
    bool tiny = reference_is_oclgrind();
    check_transposes(tiny ? 2 : 16, tiny ? 3 : 27, tiny ? 600 : 20011);
    check_product((sac_gemm){.m = 9, .n = 16, .k = 1100, .ceiling = INFINITY}, true);
    check_product((sac_gemm){.m = 9, .n = 16, .k = 1100, .accumulate = true}, true);
    check_product((sac_gemm){.m = 7, .n = 13, .k = 1100, .ceiling = INFINITY},
                  true); /* no whole lines */
}

TEST(bias_ceiling_and_accumulation_come_along)
{
    static const size_t sizes[][3] = {{3, 5, 4}, {10, 16, 7}, {33, 50, 20}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int which = 0; which < 8; which++) {
            sac_gemm p = {.m = sizes[i][0], .n = sizes[i][1], .k = sizes[i][2]};
            p.transpose_b = which & 1;
            p.accumulate = which >= 4;
            p.ceiling = !(which & 2) ? 0 : p.accumulate ? 0.5f : INFINITY;
            check_product(p, which != 6);
        }
}

TEST(nothing_times_anything_does_nothing)
{
    double before[6] = {1, 2, 3, 4, 5, 6};
    sac_span c = reference_span(before, 6);
    sac_gemm products[] = {{.m = 0, .n = 2, .k = 3}, {.m = 3, .n = 0, .k = 2}, {.m = 3, .n = 2}};
    for (size_t i = 0; i < 3; i++)
        OK(tested(reference_device(), &products[i], c, c, c, &failure));
    reference_check(c, before, 6, 0, "c");
    sac_span_release(&c);
}

TEST(the_same_product_twice_gives_the_same_bits)
{
    size_t m = 12, n = 20, k = reference_is_oclgrind() ? 700 : 9001;
    double *x = numbers(k * n, 7);
    float results[2][12 * 20];
    sac_span a = reference_span(x, k * m), b = reference_span(x, k * n);
    for (int i = 0; i < 2; i++) {
        sac_span c = reference_span(NULL, m * n);
        sac_gemm p = {.m = m, .n = n, .k = k, .transpose_a = true};
        OK(tested(reference_device(), &p, a, b, c, &failure));
        OK(sac_span_read(reference_device(), c, m * n, results[i], &failure));
        sac_span_release(&c);
    }
    assert_memory_equal(results[0], results[1], sizeof results[0]);
    sac_span_release(&a);
    sac_span_release(&b);
    free(x);
}

static bool clblast_is_right(void)
{
    const sac_gemm_question question = {.backend = SAC_GEMM_CLBLAST};
    sac_tested asked = sac_gemm_tested(&question);
    return sac_tested_run(reference_device(), &asked, NULL, NULL, NULL, NULL) == SAC_RIGHT;
}

/* In a full test alone, and few sizes: CLBlast compiles for seconds, and that it multiplies right
 * is not ours to show. */
TEST(clblast_gives_the_same_where_it_can_be_trusted)
{
    if (reference_is_oclgrind() || !test_is_full() || !clblast_is_right())
        skip();
    tested = sac_gemm_clblast;
    check_transposes(7, 15, 9);
    bias_ceiling_and_accumulation_come_along(state);
    nothing_times_anything_does_nothing(state);
    tested = sac_gemm_tiled;
}

/* Parameters of the kernel for large products by which CLBlast 1.5.3 is wrong; they are set behind
 * those of gemm_clblast.c, with the size from which it is taken. Small products are right then. */
static void set_wrong_parameters(void)
{
    const char *size = "XGEMM_MIN_INDIRECT_SIZE";
    const char *names[] = {"GEMMK", "KREG", "KWG", "KWI", "MDIMA", "MDIMC", "MWG", "NDIMB",
                           "NDIMC", "NWG",  "SA",  "SB",  "STRM",  "STRN",  "VWM", "VWN"};
    const size_t values[] = {1, 1, 1, 1, 8, 8, 64, 8, 8, 32, 0, 0, 0, 0, 1, 1}, from = 448;
    cl_device_id id = reference_device()->id;
    assert_int_equal(
        CLBlastOverrideParameters(id, "GemmRoutine", CLBlastPrecisionSingle, 1, &size, &from),
        CLBlastSuccess);
    assert_int_equal(
        CLBlastOverrideParameters(id, "Xgemm", CLBlastPrecisionSingle, 16, names, values),
        CLBlastSuccess);
}

/* Later versions of CLBlast compute right by them. */
static bool is_wrong_in_a_large_product(void)
{
    enum { SIDE = 512 };
    static float ones[SIDE * SIDE], c[SIDE * SIDE];
    sac_span a, b;
    const sac_gemm gemm = {.m = SIDE, .n = SIDE, .k = SIDE};
    bool wrong = false;
    for (size_t i = 0; i < SIDE * SIDE; i++)
        ones[i] = 1;
    sac_device *device = reference_device();
    OK(sac_span_create(device, SIDE * SIDE, ones, &a, &failure));
    OK(sac_span_create(device, SIDE * SIDE, NULL, &b, &failure));
    OK(sac_gemm_clblast(device, &gemm, a, a, b, &failure));
    OK(sac_span_read(device, b, SIDE * SIDE, c, &failure));
    for (size_t i = 0; i < SIDE * SIDE; i++)
        wrong = wrong || c[i] != SIDE;
    sac_span_release(&a);
    sac_span_release(&b);
    return wrong;
}

/* The last resort, which is taken on hardly any device. */
TEST(the_naive_backend_gives_the_same)
{
    tested = sac_gemm_naive;
    check_transposes(7, 15, 9);
    check_transposes(2, 3, 70);
    bias_ceiling_and_accumulation_come_along(state);
    nothing_times_anything_does_nothing(state);
    tested = sac_gemm_tiled;
}

/* Few rows: sizes that are prime, one, and one off what the kernels take at a time. */
TEST(few_rows_are_right_where_b_lies_either_way)
{
    static const size_t sizes[][3] = {{1, 1, 1},     {1, 4, 16},    {2, 3, 15},   {8, 5, 17},
                                      {5, 255, 31},  {3, 257, 33},  {4, 67, 127}, {1, 256, 32},
                                      {7, 127, 129}, {1, 769, 768}, {4, 768, 769}};
    size_t count = reference_is_oclgrind() ? 6 : sizeof sizes / sizeof *sizes;
    tested = sac_gemm_few_rows;
    for (size_t i = 0; i < count; i++)
        for (int transposed = 0; transposed < 2; transposed++)
            check_product((sac_gemm){.m = sizes[i][0],
                                     .n = sizes[i][1],
                                     .k = sizes[i][2],
                                     .transpose_b = transposed},
                          i % 2);
    for (int which = 0; which < 8; which++)
        check_product((sac_gemm){.m = 1 + 2 * (which & 1),
                                 .n = 37,
                                 .k = 70,
                                 .transpose_b = which & 2,
                                 .accumulate = which & 4,
                                 .ceiling = which & 4 ? 0 : INFINITY},
                      true);
    if (!reference_is_oclgrind())
        check_product((sac_gemm){.m = 1, .n = 3, .k = 20011, .transpose_b = true}, false);
    nothing_times_anything_does_nothing(state);
    tested = sac_gemm_tiled;
}

static void assert_chosen(const sac_gemm *gemm, sac_gemm_backend expected)
{
    sac_gemm_backend chosen = SAC_GEMM_BACKEND_COUNT;
    OK(sac_gemm_choose(reference_device(), gemm, &chosen, &failure));
    assert_int_equal(chosen, expected);
}

/* Verdicts are set in the device's memory alone: other tests share what is on disk. */
TEST(few_rows_have_a_backend_of_their_own_that_others_stand_in_for)
{
    sac_device *device = reference_device();
    sac_gemm_backend first = sac_gemm_first_backend(device);
    char before[sizeof device->verdicts];
    memcpy(before, device->verdicts, sizeof before);
    snprintf(device->verdicts, sizeof before,
             "few-rows passed\nclblast-%08x-rows passed\ntiled-rows passed\n"
             "clblast-%08x-columns passed\ntiled-columns passed\n",
             sac_gemm_clblast_identity(), sac_gemm_clblast_identity());
    assert_chosen(&(sac_gemm){.m = 1, .n = 9, .k = 9}, SAC_GEMM_FEW_ROWS);
    assert_chosen(&(sac_gemm){.m = SAC_GEMM_FEW, .n = 9, .k = 9}, SAC_GEMM_FEW_ROWS);
    assert_chosen(&(sac_gemm){.m = SAC_GEMM_FEW + 1, .n = 9, .k = 9}, first);
    assert_chosen(&(sac_gemm){.m = 1, .n = 9, .k = 9, .transpose_a = true}, first);
    assert_chosen(&(sac_gemm){.m = 1, .n = 9, .k = 9, .any_rows = true}, first);
    snprintf(device->verdicts, sizeof before,
             "few-rows refused\nclblast-%08x-rows passed\ntiled-rows passed\n",
             sac_gemm_clblast_identity());
    assert_chosen(&(sac_gemm){.m = 1, .n = 9, .k = 9}, first);
    memcpy(device->verdicts, before, sizeof before);
}

TEST(a_backend_that_computes_wrong_is_passed_over)
{
    sac_device *device = reference_device();
    bool has_squares = device->profile.has_squares;
    const sac_gemm product = {.m = 64, .n = 64, .k = 64};
    sac_gemm_backend chosen = SAC_GEMM_BACKEND_COUNT, first = sac_gemm_first_backend(device);
    static const char *const verdicts[] = {
        [SAC_GEMM_CLBLAST] = "clblast-%08x-rows passed\n",
        [SAC_GEMM_TILED] = "clblast-%08x-rows refused\ntiled-rows passed\n",
        [SAC_GEMM_NAIVE] = "clblast-%08x-rows refused\ntiled-rows refused\nnaive-rows passed\n",
    };
    char before[sizeof device->verdicts];
    memcpy(before, device->verdicts, sizeof before);
    device->profile.has_squares = false;
    for (sac_gemm_backend best = first; best < SAC_GEMM_BACKEND_COUNT; best++) {
        snprintf(device->verdicts, sizeof before, verdicts[best], sac_gemm_clblast_identity());
        OK(sac_gemm_choose(device, &product, &chosen, &failure));
        assert_int_equal(chosen, best);
    }
    snprintf(device->verdicts, sizeof before,
             "clblast-%08x-rows refused\ntiled-rows refused\nnaive-rows refused\n",
             sac_gemm_clblast_identity());
    REFUSES(SAC_E_DEVICE, "…even the simplest product computes wrong…",
            sac_gemm_choose(device, &product, &chosen, &failure));
    device->profile.has_squares = has_squares;
    memcpy(device->verdicts, before, sizeof before);
}

static void assert_passes(sac_gemm_question question)
{
    sac_tested asked = sac_gemm_tested(&question);
    double off;
    sac_tested_run(reference_device(), &asked, NULL, NULL, &off, NULL);
    assert_true(off > 1e-9 && off <= asked.bound);
}

/* The simulator meets them where a backend is chosen, below, and computes on them for a minute. */
TEST(the_self_test_cases_come_out_right)
{
    if (reference_is_oclgrind())
        skip();
    for (int transposed = 0; transposed < 2; transposed++)
        for (sac_gemm_backend backend = SAC_GEMM_TILED; backend < SAC_GEMM_BACKEND_COUNT; backend++)
            assert_passes((sac_gemm_question){backend, transposed, SAC_STORED_F32});
    assert_passes((sac_gemm_question){.backend = SAC_GEMM_FEW_ROWS});
    assert_passes((sac_gemm_question){.backend = SAC_GEMM_TILED, .in_place = true});
}

/* Weights that stay where they are have a verdict of their own, and other products none of it. */
TEST(products_in_place_follow_their_own_verdict)
{
    sac_device *device = reference_device();
    sac_gemm product = {.m = 64, .n = 64, .k = 64, .transpose_b = true};
    char before[sizeof device->verdicts];
    bool in_place, has_squares = device->profile.has_squares;
    OK(sac_gemm_is_in_place(device, &product, &in_place, &failure));
    if (!in_place)
        skip();
    memcpy(before, device->verdicts, sizeof before);
    device->profile.has_squares = false;
    snprintf(device->verdicts, sizeof before,
             "tiled-rows passed\ntiled-rows-in-place refused\nnaive-rows passed\n");
    assert_chosen(&product, SAC_GEMM_NAIVE);
    product.any_rows = true;
    assert_chosen(&product, SAC_GEMM_TILED);
    device->profile.has_squares = has_squares;
    memcpy(device->verdicts, before, sizeof before);
}

TEST(kernels_that_read_fewer_bits_have_cases_of_their_own)
{
    bool in_place = false;
    const sac_gemm weights = {.m = 9, .n = 9, .k = 9, .transpose_b = true};
    if (reference_is_oclgrind())
        skip();
    OK(sac_gemm_is_in_place(reference_device(), &weights, &in_place, &failure));
    for (sac_stored stored = SAC_STORED_F16; stored < SAC_STORED_COUNT; stored++) {
        if (!reference_tries(stored))
            continue;
        assert_passes((sac_gemm_question){.backend = SAC_GEMM_FEW_ROWS, .stored = stored});
        if (in_place)
            assert_passes((sac_gemm_question){.backend = SAC_GEMM_TILED, .stored = stored});
        for (size_t i = 0; i < REFERENCE_DOTS; i++)
            if (stored == reference_dots[i])
                assert_passes((sac_gemm_question){.backend = SAC_GEMM_DOTS, .stored = stored});
    }
}

/* By the instructions where the processor has them, and by the loops that stand in for them. What is right is of the
 * rounded numbers: 40 times as far from that of those before as the bound allows. */
TEST(products_by_pairs_of_bfloat16_are_those_of_rounded_numbers)
{
    sac_device *device = reference_device();
    bool has_pairs = device->profile.has_pairs;
    size_t limit; /* of loops, where no kernel of a CPU's long ones is used */
    OK(sac_quirk_loop_limit(device, &limit, &failure));
    if (reference_is_oclgrind() || !device->profile.is_cpu || limit)
        skip();
    for (int by_loops = !has_pairs; by_loops < 2; by_loops++) {
        device->profile.has_pairs = !by_loops;
        for (sac_stored stored = SAC_STORED_F32; stored < SAC_STORED_COUNT; stored++)
            if (stored == SAC_STORED_F32 ||
                (reference_tries(stored) && (!has_pairs || test_is_full())))
                assert_passes((sac_gemm_question){.backend = SAC_GEMM_PAIRS, .stored = stored});
    }
    device->profile.has_pairs = has_pairs;
}

/* By AMX where the processor has it, and by the loops that stand in for it: of float32 in parts, and rounded. */
TEST(products_by_matrices_are_right_in_parts_and_rounded)
{
    sac_device *device = reference_device();
    bool has_squares = device->profile.has_squares;
    size_t limit;
    OK(sac_quirk_loop_limit(device, &limit, &failure));
    if (reference_is_oclgrind() || !device->profile.is_cpu || limit)
        skip();
    for (int by_loops = !has_squares; by_loops < 2; by_loops++) {
        device->profile.has_squares = !by_loops;
        for (int which = 0; which < 4; which++)
            assert_passes((sac_gemm_question){
                .backend = SAC_GEMM_MATRIX, .transpose_a = which & 1, .rounded = which & 2});
        for (sac_stored stored = SAC_STORED_F32 + 1; stored < SAC_STORED_COUNT; stored++)
            if (reference_tries(stored) && (!by_loops || test_is_full()))
                assert_passes((sac_gemm_question){.backend = SAC_GEMM_MATRIX, .stored = stored});
        tested = sac_gemm_matrix;
        sizes_around_a_tile_are_right_transposed_or_not(state);
        bias_ceiling_and_accumulation_come_along(state);
        nothing_times_anything_does_nothing(state);
        the_same_product_twice_gives_the_same_bits(state);
        tested = sac_gemm_tiled;
    }
    device->profile.has_squares = has_squares;
}

/* Only what may be rounded, of many rows; others take over where they do not compute right. */
TEST(pairs_are_chosen_where_a_product_may_be_rounded)
{
    sac_device *device = reference_device();
    sac_gemm rounded = {.m = 9, .n = 9, .k = 9, .transpose_b = true, .rounded = true};
    bool has_pairs = device->profile.has_pairs;
    sac_gemm_backend first = sac_gemm_first_backend(device);
    char before[sizeof device->verdicts];
    if (first != SAC_GEMM_TILED)
        skip();
    memcpy(before, device->verdicts, sizeof before);
    device->profile.has_pairs = true;
    snprintf(device->verdicts, sizeof before,
             "long-loops passed\nfew-rows passed\npairs-rows passed\ntiled-rows passed\n");
    assert_chosen(&rounded, SAC_GEMM_PAIRS);
    rounded.m = 1;
    assert_chosen(&rounded, SAC_GEMM_FEW_ROWS);
    rounded.m = 9;
    rounded.rounded = false;
    assert_chosen(&rounded, SAC_GEMM_TILED);
    rounded.rounded = true;
    device->profile.has_pairs = false;
    assert_chosen(&rounded, SAC_GEMM_TILED);
    device->profile.has_pairs = true;
    snprintf(device->verdicts, sizeof before,
             "long-loops passed\nfew-rows passed\npairs-rows refused\ntiled-rows passed\n");
    assert_chosen(&rounded, SAC_GEMM_TILED);
    device->profile.has_pairs = has_pairs;
    memcpy(device->verdicts, before, sizeof before);
}

/* Many rows, or any where a row's bytes may not depend on how many there are; those of which there are panels only if
 * they are in squares. */
TEST(matrices_are_chosen_where_they_are_faster)
{
    sac_device *device = reference_device();
    sac_gemm product = {.m = 64, .n = 64 * device->info.compute_units, .k = 64};
    sac_gemm few = product, many = product, packed = product;
    bool has_squares = device->profile.has_squares;
    char before[sizeof device->verdicts];
    if (sac_gemm_first_backend(device) != SAC_GEMM_TILED)
        skip();
    few.m = 16;
    many.any_rows = true;
    packed.panels.buffer = (cl_mem)&packed; /* it is not looked into */
    memcpy(before, device->verdicts, sizeof before);
    device->profile.has_squares = true;
    snprintf(
        device->verdicts, sizeof before,
        "long-loops passed\nmatrix-rows passed\nmatrix-rounded-rows passed\ntiled-rows passed\n");
    assert_chosen(&product, SAC_GEMM_MATRIX);
    assert_chosen(&few, SAC_GEMM_TILED);
    for (many.m = 1; many.m < 100; many.m += 33)
        assert_chosen(&many, SAC_GEMM_MATRIX);
    assert_chosen(&packed, SAC_GEMM_TILED);
    packed.in_squares = true;
    assert_chosen(&packed, SAC_GEMM_MATRIX);
    product.rounded = true;
    assert_chosen(&product, SAC_GEMM_MATRIX);
    snprintf(
        device->verdicts, sizeof before,
        "long-loops passed\nmatrix-rows refused\nmatrix-rounded-rows passed\ntiled-rows passed\n");
    assert_chosen(&product, SAC_GEMM_MATRIX);
    product.rounded = false;
    assert_chosen(&product, SAC_GEMM_TILED);
    device->profile.has_squares = has_squares;
    memcpy(device->verdicts, before, sizeof before);
}

/* Its verdict is another than that of the same backend for float32. */
TEST(gemm_choice_for_16_bits_follows_its_own_verdicts)
{
    sac_device *device = reference_device();
    sac_gemm_backend first = sac_gemm_first_backend(device);
    const sac_gemm product = {
        .m = 1, .n = 9, .k = 9, .transpose_b = true, .stored = SAC_STORED_BF16};
    char before[sizeof device->verdicts];
    if (first != SAC_GEMM_TILED)
        skip();
    memcpy(before, device->verdicts, sizeof before);
    snprintf(device->verdicts, sizeof before,
             "long-loops passed\nfew-rows passed\nfew-rows-bfloat16 refused\ntiled-rows passed\n"
             "tiled-rows-bfloat16 passed\nnaive-rows passed\n");
    assert_chosen(&product, SAC_GEMM_TILED);
    snprintf(device->verdicts, sizeof before,
             "long-loops passed\nfew-rows passed\nfew-rows-bfloat16 refused\ntiled-rows passed\n"
             "tiled-rows-bfloat16 refused\nnaive-rows passed\n");
    assert_chosen(&product, SAC_GEMM_NAIVE);
    memcpy(device->verdicts, before, sizeof before);
}

TEST(one_of_the_backends_is_chosen)
{
    tested = sac_gemm_run;
    check_transposes(5, 6, 7);
    check_transposes(11, 6, 7);
    tested = sac_gemm_tiled;
}

/* The last of the process, as the parameters stay. */
TEST(clblast_with_wrong_parameters_for_large_products_is_found_out)
{
    if (reference_is_oclgrind() || !test_is_full() || !clblast_is_right())
        skip();
    set_wrong_parameters();
    if (!is_wrong_in_a_large_product())
        skip();
    assert_false(clblast_is_right());
}

TEST_MAIN(NULL, reference_close)
