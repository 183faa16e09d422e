/* Weights that lie in 16 bits, or in blocks of 2 to 8: products with them, and rows of a table of words, against double. */

#include "base/round.h"
#include "gemm/gemm.h"
#include "gemm/storage.h"
#include "nn/layers.h"
#include "reference.h"
#include "status.h"
#include "test.h"

#define TOLERANCE 2e-5 /* of the largest result, as in test_gemm.c */

static const sac_stored types[] = {SAC_STORED_F16, SAC_STORED_BF16};
enum { TYPES = sizeof types / sizeof *types };
#define EACH_BLOCK_FORM(form)                                                                      \
    for (sac_stored form = SAC_STORED_Q8_0; form < SAC_STORED_COUNT; form++)                       \
        if (reference_tries(form))

/* Of sign, exponent and fraction; a NaN is NAN. */
static double value_of(sac_stored type, uint16_t bits)
{
    int fraction_bits = type == SAC_STORED_F16 ? 10 : 7, bias = type == SAC_STORED_F16 ? 15 : 127;
    int exponent = (bits & 0x7fff) >> fraction_bits, fraction = bits & ((1 << fraction_bits) - 1);
    double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 2 * bias + 1)
        return fraction ? (double)NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexp(fraction, 1 - bias - fraction_bits);
    return sign * ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
}

/* Numbers from 1/64 to 2, any sign; each seventh is 0 or subnormal. */
static uint16_t draw(sac_stored type, unsigned *seed)
{
    int fraction_bits = type == SAC_STORED_F16 ? 10 : 7, bias = type == SAC_STORED_F16 ? 15 : 127;
    *seed = *seed * 1664525 + 1013904223;
    unsigned drawn = *seed >> 8, exponent = (unsigned)bias - 6 + drawn % 7;
    if (drawn % 7 == 0)
        exponent = 0;
    return (uint16_t)((drawn >> 8 & 0x8000) | exponent << fraction_bits |
                      (drawn >> 3 & ((1u << fraction_bits) - 1)));
}

/* Random blocks, behind one of others, and their numbers. */
static sac_span stored_in_blocks(sac_stored type, size_t count, double *values)
{
    const sac_stored_form *form = sac_stored_form_of(type);
    sac_span span = {.at = (cl_uint)form->numbers};
    size_t bytes = sac_stored_bytes(type, count + span.at);
    uint8_t *blocks = malloc(bytes);
    float numbers[256];
    assert_non_null(blocks);
    sac_stored_fill_random(type, 9, bytes, blocks);
    for (size_t i = 0; i < count; i++) {
        if (i % form->numbers == 0)
            form->read(blocks + (1 + i / form->numbers) * form->bytes, numbers);
        values[i] = (double)numbers[i % form->numbers];
    }
    OK(sac_buffer_create(reference_device(), bytes, blocks, &span.buffer, &failure));
    free(blocks);
    return span;
}

/* Random numbers as they are stored, from 3 on in their buffer, and as they are. */
static sac_span stored(sac_stored type, size_t count, double *values)
{
    sac_span span = {.at = 3};
    unsigned seed = 5;
    if (sac_stored_in_blocks(type))
        return stored_in_blocks(type, count, values);
    uint16_t *bits = calloc(count + 3, sizeof *bits);
    assert_non_null(bits);
    for (size_t i = 0; i < count; i++) {
        bits[span.at + i] = draw(type, &seed);
        values[i] = value_of(type, bits[span.at + i]);
    }
    OK(sac_buffer_create(reference_device(), (count + 3) * sizeof *bits, bits, &span.buffer,
                         &failure));
    free(bits);
    return span;
}

typedef sac_status gemm_by(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                           sac_span c, sac_error *error);

static void check_product(gemm_by *by, sac_gemm g)
{
    char name[96];
    double *a = calloc(g.m * g.k, sizeof *a), *b = calloc(g.n * g.k, sizeof *b);
    double *c = calloc(g.m * g.n, sizeof *c), *bias = calloc(g.n, sizeof *bias);
    assert_true(a && b && c && bias);
    reference_fill(a, g.m * g.k, 1);
    reference_fill(bias, g.n, 2);
    sac_span x = reference_span(a, g.m * g.k), w = stored(g.stored, g.n * g.k, b);
    sac_span y = reference_span(NULL, g.m * g.n);
    g.bias = reference_span(bias, g.n);
    for (size_t i = 0; i < g.m * g.n; i++) {
        c[i] = bias[i % g.n];
        for (size_t t = 0; t < g.k; t++)
            c[i] += a[i / g.n * g.k + t] * b[g.transpose_b ? i % g.n * g.k + t : t * g.n + i % g.n];
    }
    OK(by(reference_device(), &g, x, w, y, &failure));
    snprintf(name, sizeof name, "%zu rows, [%zu,%zu] of %s, transposed %d", g.m, g.n, g.k,
             sac_stored_form_of(g.stored)->name, g.transpose_b);
    reference_check(y, c, g.m * g.n, TOLERANCE, name);
    sac_span *const spans[] = {&x, &w, &y, &g.bias};
    double *const numbers[] = {a, b, c, bias};
    for (int i = 0; i < 4; i++) {
        sac_span_release(spans[i]);
        free(numbers[i]);
    }
}

static void check_sizes(gemm_by *by, const size_t (*sizes)[3], size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int which = 0; which < 2 * TYPES; which++)
            check_product(by, (sac_gemm){.m = sizes[i][0],
                                         .n = sizes[i][1],
                                         .k = sizes[i][2],
                                         .transpose_b = which % 2,
                                         .stored = types[which / 2]});
}

/* Sizes that are prime, one, and one off what the kernels take at a time. */
TEST(few_rows_read_either_type_where_it_lies)
{
    static const size_t sizes[][3] = {{1, 1, 1},    {2, 3, 15},    {8, 5, 17},    {5, 31, 31},
                                      {3, 257, 33}, {7, 127, 129}, {1, 769, 768}, {4, 61, 1537}};
    check_sizes(sac_gemm_few_rows, sizes, reference_is_oclgrind() ? 4 : 8);
}

TEST(many_rows_are_multiplied_by_them_as_floats)
{
    static const size_t sizes[][3] = {{9, 7, 17}, {13, 61, 31}, {131, 67, 70}};
    check_sizes(sac_gemm_run, sizes, reference_is_oclgrind() ? 1 : 3);
}

/* Lines of one block and of several; fewer lines, and other numbers of them, than are read side by side. */
TEST(few_rows_read_blocks_where_they_lie)
{
    static const size_t sizes[][3] = {
        {2, 3, 97}, {1, 1, 1}, {8, 5, 300}, {1, 261, 576}, {3, 67, 768}};
    EACH_BLOCK_FORM(form)
    for (int i = 0; i < (reference_is_oclgrind() ? 1 : 5); i++)
        check_product(sac_gemm_few_rows,
                      (sac_gemm){.m = sizes[i][0],
                                 .n = sizes[i][1],
                                 .k = sac_round_up(sizes[i][2], sac_stored_form_of(form)->numbers),
                                 .transpose_b = true,
                                 .stored = form});
}

/* By the instruction where the processor has it, and by loops. */
TEST(few_rows_are_multiplied_by_dots_of_digits)
{
    static const size_t sizes[][3] = {
        {1, 1, 32}, {2, 3, 96}, {8, 5, 320}, {1, 261, 576}, {3, 1067, 768}};
    sac_device *device = reference_device();
    bool has_dots = device->profile.has_dots;
    for (int loops = has_dots ? 0 : 1; loops < 2; loops++)
        for (size_t form = 0; form < REFERENCE_DOTS; form++)
            for (int i = 0;
                 reference_tries(reference_dots[form]) && i < (reference_is_oclgrind() ? 2 : 5);
                 i++) {
                device->profile.has_dots = !loops;
                check_product(
                    sac_gemm_dots,
                    (sac_gemm){.m = sizes[i][0],
                               .n = sizes[i][1],
                               .k = sac_round_up(sizes[i][2],
                                                 sac_stored_form_of(reference_dots[form])->numbers),
                               .transpose_b = true,
                               .stored = reference_dots[form]});
            }
    device->profile.has_dots = has_dots;
}

/* What a block of whole bytes needs, so that its factors are 1 and its leasts 0. */
typedef struct block_part {
    sac_stored form;
    size_t at, count;
    uint8_t bytes[4]; /* again and again */
} block_part;

static const block_part plain_parts[] = {
    {SAC_STORED_Q8_0, 0, 2, {0, 0x3c}},     {SAC_STORED_Q4_0, 0, 2, {0, 0x3c}},
    {SAC_STORED_Q4_1, 0, 4, {0, 0x3c}},     {SAC_STORED_Q5_0, 0, 2, {0, 0x3c}},
    {SAC_STORED_Q5_1, 0, 4, {0, 0x3c}},     {SAC_STORED_MXFP4, 0, 1, {128}},
    {SAC_STORED_IQ4_NL, 0, 2, {0, 0x3c}},   {SAC_STORED_Q4_K, 0, 4, {0, 0x3c}},
    {SAC_STORED_Q4_K, 4, 4, {1, 1, 1, 1}},  {SAC_STORED_Q4_K, 8, 4, {0}},
    {SAC_STORED_Q4_K, 12, 4, {1, 1, 1, 1}}, {SAC_STORED_Q5_K, 0, 4, {0, 0x3c}},
    {SAC_STORED_Q5_K, 4, 4, {1, 1, 1, 1}},  {SAC_STORED_Q5_K, 8, 4, {0}},
    {SAC_STORED_Q5_K, 12, 4, {1, 1, 1, 1}}, {SAC_STORED_Q6_K, 192, 16, {1, 1, 1, 1}},
    {SAC_STORED_Q6_K, 208, 2, {0, 0x3c}}};

/* One row of `count` times the number x with one line of blocks whose wholes are all of these bytes, their factors 1
 * and their leasts 0; the numbers' sum is `sum`. */
static void check_alike(sac_stored form, float x, size_t count, uint8_t byte, double sum)
{
    const sac_stored_form *stored = sac_stored_form_of(form);
    size_t bytes = sac_stored_bytes(form, count);
    uint8_t *blocks = calloc(1, bytes);
    double *row = calloc(count, sizeof *row);
    assert_true(blocks && row);
    memset(blocks, byte, bytes);
    for (size_t n = 0; n < sizeof plain_parts / sizeof *plain_parts; n++)
        for (size_t i = 0; plain_parts[n].form == form && i < bytes; i += stored->bytes)
            for (size_t k = 0; k < plain_parts[n].count; k++)
                blocks[i + plain_parts[n].at + k] = plain_parts[n].bytes[k % 4];
    for (size_t i = 0; i < count; i++)
        row[i] = (double)x;
    sac_gemm g = {.m = 1, .n = 1, .k = count, .transpose_b = true, .stored = form};
    sac_span a = reference_span(row, count), b = {0}, c = reference_span(NULL, 1);
    OK(sac_buffer_create(reference_device(), bytes, blocks, &b.buffer, &failure));
    OK(sac_gemm_dots(reference_device(), &g, a, b, c, &failure));
    reference_check(c, &(double){(double)x * sum}, 1, 1e-6, stored->name);
    sac_span_release(&a);
    sac_span_release(&b);
    sac_span_release(&c);
    free(blocks);
    free(row);
}

/* The largest sums that the dots' integers have to hold, of numbers that floats hold. */
TEST(dots_hold_the_largest_wholes_and_numbers_of_any_size)
{
    static const struct {
        sac_stored form;
        uint8_t byte;
        double value; /* of each number */
    } alike[] = {{SAC_STORED_Q8_0, 0x80, -128},   {SAC_STORED_Q8_0, 0x7f, 127},
                 {SAC_STORED_Q4_0, 0x00, -8},     {SAC_STORED_Q4_0, 0xff, 7},
                 {SAC_STORED_Q4_1, 0xff, 15},     {SAC_STORED_Q4_1, 0xf0, 7.5},
                 {SAC_STORED_Q5_0, 0x00, -16},    {SAC_STORED_Q5_0, 0xff, 15},
                 {SAC_STORED_Q5_1, 0xff, 31},     {SAC_STORED_MXFP4, 0xff, -12},
                 {SAC_STORED_IQ4_NL, 0x00, -127}, {SAC_STORED_Q4_K, 0xff, 15},
                 {SAC_STORED_Q5_K, 0xff, 31},     {SAC_STORED_Q6_K, 0x00, -32},
                 {SAC_STORED_Q6_K, 0xff, 31}};
    sac_device *device = reference_device();
    bool has_dots = device->profile.has_dots;
    static const float numbers[] = {1.0f, -1.0f, 5e33f, -1e-29f, 0.333f};
    for (int loops = has_dots ? 0 : 1; loops < 2; loops++)
        for (size_t n = 0; n < sizeof alike / sizeof *alike; n++)
            for (size_t i = 0;
                 reference_tries(alike[n].form) && i < sizeof numbers / sizeof *numbers; i++) {
                device->profile.has_dots = !loops;
                check_alike(alike[n].form, numbers[i], 256, alike[n].byte, alike[n].value * 256);
            }
    device->profile.has_dots = has_dots;
}

TEST(dots_of_what_is_not_finite_are_not_finite)
{
    sac_device *device = reference_device();
    static const double limits[] = {INFINITY, NAN};
    bool has_dots = device->profile.has_dots;
    for (int which = 0; which < 4; which++) {
        double row[64] = {[40] = limits[which % 2]}, values[64];
        float x;
        if (which < 2 && !has_dots)
            continue;
        device->profile.has_dots = which < 2;
        sac_gemm g = {.m = 1, .n = 1, .k = 64, .transpose_b = true, .stored = SAC_STORED_Q4_1};
        sac_span a = reference_span(row, 64), b = stored(g.stored, 64, values);
        sac_span c = reference_span(NULL, 1);
        OK(sac_gemm_dots(device, &g, a, b, c, &failure));
        OK(sac_span_read(device, c, 1, &x, &failure));
        assert_false(isfinite(x));
        sac_span_release(&a);
        sac_span_release(&b);
        sac_span_release(&c);
    }
    device->profile.has_dots = has_dots;
}

/* With B stored [k,n] as well, which is unpacked first. */
TEST(many_rows_are_multiplied_by_blocks)
{
    static const size_t sizes[][3] = {{9, 7, 40}, {13, 64, 300}, {131, 67, 576}};
    EACH_BLOCK_FORM(form)
    for (int i = 0; i < (reference_is_oclgrind() ? 0 : 6); i++) {
        size_t numbers = sac_stored_form_of(form)->numbers;
        sac_gemm g = {.m = sizes[i / 2][0], .transpose_b = i % 2 == 0, .stored = form};
        g.n = g.transpose_b ? sizes[i / 2][1] : sac_round_up(sizes[i / 2][1], numbers);
        g.k = sac_round_up(sizes[i / 2][2], numbers);
        check_product(sac_gemm_run, g);
    }
}

/* Lines of 19 numbers: with an infinity, with both, with a NaN, with none but subnormals. */
static void fill_limits(sac_stored type, uint16_t bits[5][19])
{
    uint16_t one = type == SAC_STORED_F16 ? 0x3c00 : 0x3f80,
             infinity = type == SAC_STORED_F16 ? 0x7c00 : 0x7f80;
    for (int line = 0; line < 5; line++)
        for (int i = 0; i < 19; i++)
            bits[line][i] = line == 4 ? (uint16_t)(i + 1) : one;
    bits[0][17] = infinity;
    bits[1][2] = infinity | 0x8000;
    bits[2][0] = infinity;
    bits[2][18] = infinity | 0x8000;
    bits[3][16] = infinity + 1;
}

/* The sum of a line's numbers; subnormals of bfloat16 are those of float32, and may be 0. */
static void check_limit(sac_stored type, const uint16_t bits[19], double x)
{
    double sum = 0;
    for (int i = 0; i < 19; i++)
        sum += value_of(type, bits[i]);
    bool is_tiny = type == SAC_STORED_BF16 && fabs(sum) < 0x1p-126;
    if (isnan(sum) ? !isnan(x) : x != sum && !(is_tiny && x == 0))
        fail_msg("a sum in %s is %g, and should be %g", sac_stored_form_of(type)->name, x, sum);
}

TEST(gemm_keeps_infinities_and_subnormals_of_16_bit_weights)
{
    double ones[19];
    for (int i = 0; i < 19; i++)
        ones[i] = 1;
    for (int t = 0; t < TYPES; t++) {
        uint16_t bits[5][19];
        float x[5];
        sac_gemm g = {.m = 1, .n = 5, .k = 19, .transpose_b = true, .stored = types[t]};
        sac_span a = reference_span(ones, 19), b = {0}, c = reference_span(NULL, 5);
        fill_limits(types[t], bits);
        OK(sac_buffer_create(reference_device(), sizeof bits, bits, &b.buffer, &failure));
        OK(sac_gemm_few_rows(reference_device(), &g, a, b, c, &failure));
        OK(sac_span_read(reference_device(), c, 5, x, &failure));
        for (int line = 0; line < 5; line++)
            check_limit(types[t], bits[line], (double)x[line]);
        sac_span_release(&a);
        sac_span_release(&b);
        sac_span_release(&c);
    }
}

TEST(words_are_rows_of_a_table_of_either_type)
{
    enum { WORDS = 11, WIDTH = 37, ROWS = 4 };
    static const int words[ROWS] = {10, 0, 7, 7};
    for (int t = 0; t < TYPES; t++) {
        double table[WORDS * WIDTH], expected[ROWS * WIDTH];
        sac_span span = stored(types[t], WORDS * WIDTH, table);
        sac_span y = reference_span(NULL, ROWS * WIDTH);
        sac_ints ids = {0};
        sac_arena arena = {0};
        const sac_parameter all = {.value = {span.buffer, span.at, WORDS, WIDTH, types[t]}};
        for (int i = 0; i < ROWS * WIDTH; i++)
            expected[i] = table[words[i / WIDTH] * WIDTH + i % WIDTH];
        sac_arena_shape_ints(&arena, reference_pass(), &ids, ROWS);
        sac_pass_write_ints(reference_pass(), ids, words);
        sac_embedding_forward(reference_pass(), reference_tensor(y, ROWS, WIDTH), &all, ids);
        reference_end();
        reference_check(y, expected, ROWS * WIDTH, 0, sac_stored_form_of(types[t])->name);
        sac_arena_release(&arena);
        sac_span_release(&span);
        sac_span_release(&y);
    }
}

TEST(words_are_rows_of_a_table_in_blocks)
{
    enum { WORDS = 11, WIDTH = 512, ROWS = 4 };
    static const int words[ROWS] = {10, 0, 7, 7};
    EACH_BLOCK_FORM(form)
    {
        static double table[WORDS * WIDTH], expected[ROWS * WIDTH];
        sac_span span = stored(form, WORDS * WIDTH, table);
        sac_span y = reference_span(NULL, ROWS * WIDTH);
        sac_ints ids = {0};
        sac_arena arena = {0};
        const sac_parameter all = {.value = {span.buffer, span.at, WORDS, WIDTH, form}};
        for (int i = 0; i < ROWS * WIDTH; i++)
            expected[i] = table[words[i / WIDTH] * WIDTH + i % WIDTH];
        sac_arena_shape_ints(&arena, reference_pass(), &ids, ROWS);
        sac_pass_write_ints(reference_pass(), ids, words);
        sac_embedding_forward(reference_pass(), reference_tensor(y, ROWS, WIDTH), &all, ids);
        reference_end();
        reference_check(y, expected, ROWS * WIDTH, 1e-6, sac_stored_form_of(form)->name);
        sac_arena_release(&arena);
        sac_span_release(&span);
        sac_span_release(&y);
    }
}

/* It asks for every number of 16 bits that there is, and for some blocks. */
TEST(this_device_reads_all_forms)
{
    for (sac_stored form = SAC_STORED_F32; form < SAC_STORED_COUNT; form++)
        assert_true(sac_storage_is_right(reference_device(), form));
}

TEST_MAIN(NULL, reference_close)
