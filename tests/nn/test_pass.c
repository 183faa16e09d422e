/* A pass and its memory: numbers there and back, failures that stay, and tensors that are shaped
 * anew. */

#include "nn/layers.h"
#include "nn/pass.h"
#include "reference.h"
#include "status.h"
#include "test.h"

TEST(a_tensor_shaped_anew_keeps_its_memory)
{
    sac_pass *pass = reference_pass();
    sac_arena arena = {0};
    sac_tensor x = {0};
    float numbers[6] = {1, 2, 3, 4, 5, 6}, read[4] = {9, 9, 9, 9};
    sac_arena_shape(&arena, pass, &x, 3, 2);
    reference_end();
    cl_mem memory = x.buffer;
    sac_pass_read(pass, sac_tensor_rows(x, 1, 2), read);
    for (int i = 0; i < 4; i++)
        assert_true(read[i] == 0);
    sac_pass_write(pass, x, numbers);
    sac_arena_shape(&arena, pass, &x, 2, 2);
    sac_pass_read(pass, x, read);
    reference_end();
    assert_ptr_equal(x.buffer, memory);
    assert_true(x.rows == 2 && x.width == 2 && arena.count == 1);
    assert_memory_equal(read, numbers, sizeof read);
    sac_arena_release(&arena);
    sac_arena_release(&arena);
}

TEST(rows_and_copies_are_where_they_should_be)
{
    sac_pass *pass = reference_pass();
    sac_arena arena = {0};
    sac_tensor x = {0}, y = {0};
    float numbers[6] = {1, 2, 3, 4, 5, 6}, read[6], expected[6] = {5, 6, 0, 0, 7, 7};
    sac_arena_shape(&arena, pass, &x, 3, 2);
    sac_arena_shape(&arena, pass, &y, 3, 2);
    sac_pass_write(pass, x, numbers);
    sac_pass_copy(pass, sac_tensor_rows(y, 0, 1), sac_tensor_rows(x, 2, 1));
    sac_pass_fill(pass, sac_tensor_rows(y, 2, 1), 7);
    sac_pass_read(pass, y, read);
    reference_end();
    assert_memory_equal(read, expected, sizeof read);
    sac_arena_release(&arena);
}

/* What is large goes another way, and this ends amid a strip of it. */
TEST(many_numbers_are_filled_and_none_beside_them)
{
    enum { WIDTH = 32771, ROWS = 4 };
    sac_pass *pass = reference_pass();
    sac_arena arena = {0};
    sac_tensor x = {0};
    float *read = malloc((size_t)ROWS * WIDTH * sizeof *read);
    assert_non_null(read);
    sac_arena_shape(&arena, pass, &x, ROWS, WIDTH);
    sac_pass_fill(pass, sac_tensor_rows(x, 1, 2), 7);
    sac_pass_read(pass, x, read);
    reference_end();
    for (size_t i = 0; i < (size_t)ROWS * WIDTH; i++)
        assert_true(read[i] == (i / WIDTH == 1 || i / WIDTH == 2 ? 7 : 0));
    sac_arena_release(&arena);
    free(read);
}

TEST(scratch_memory_grows_and_is_kept)
{
    sac_pass *pass = reference_pass();
    sac_span small = sac_pass_scratch(pass, 10);
    reference_end();
    assert_non_null(small.buffer);
    assert_ptr_equal(sac_pass_scratch(pass, 3).buffer, small.buffer);
    assert_true(sac_pass_scratch(pass, 1000).buffer && pass->scratch_floats == 1000);
    reference_end();
}

TEST(a_tensor_beyond_all_memory_fails_the_pass_and_the_next_pass_runs)
{
    sac_pass *pass = reference_pass();
    sac_arena arena = {0};
    sac_tensor huge = {0}, next = {0};
    sac_arena_shape(&arena, pass, &huge, SIZE_MAX / 2, 4);
    sac_arena_shape(&arena, pass, &next, 2, 2); /* nothing is made any more */
    REFUSES(SAC_E_SHAPE, "…is too large…", sac_pass_end(pass, &failure));
    assert_null(huge.buffer);
    assert_null(next.buffer);
    OK(sac_pass_end(pass, &failure));
    sac_arena_shape(&arena, pass, &next, 2, 2);
    reference_end();
    assert_non_null(next.buffer);
    sac_arena_release(&arena);
}

TEST(pass_after_a_failure_does_nothing_and_its_end_names_the_first)
{
    double y[] = {10, 20};
    sac_pass *pass = reference_pass();
    sac_span span = reference_span(y, 2);
    sac_tensor x = reference_tensor(span, 1, 2);
    sac_convolution no_stride = {1, 6, 6, 1, 1, 3}, too_large = {1 << 20, 6, 1 << 20, 1, 1, 1};
    sac_parameter none = {0};
    sac_tanh_forward(pass, x);
    sac_convolution_forward(pass, &no_stride, x, false, x, &none, &none);
    sac_convolution_forward(pass, &too_large, x, false, x, &none, &none);
    sac_pass_fill(pass, x, 7);
    assert_false(sac_pass_runs(pass));
    REFUSES(SAC_E_ARGUMENT, "…stride is 3…", sac_pass_end(pass, &failure));
    y[0] = y[1] = 1; /* their tanh, and no 7 */
    reference_check(span, y, 2, 1e-6, "what came before the failure");
    sac_pass_fill(pass, x, 7);
    y[0] = y[1] = 7;
    OK(sac_pass_end(pass, NULL));
    reference_check(span, y, 2, 0, "the next pass");
    sac_span_release(&span);
}

/* y = x Wᵀ + b and dx = dy W into `numbers` [rows,out] and [rows,in], side by side. */
static void both_products(const sac_parameter *w, const sac_parameter *b, sac_tensor x,
                          sac_tensor dy, float *numbers)
{
    sac_pass *pass = reference_pass();
    sac_span spans[2] = {reference_span(NULL, dy.rows * dy.width),
                         reference_span(NULL, x.rows * x.width)};
    sac_tensor y = reference_tensor(spans[0], dy.rows, dy.width);
    sac_tensor dx = reference_tensor(spans[1], x.rows, x.width);
    sac_linear_forward(pass, y, x, w, b);
    sac_linear_backward_input(pass, dx, dy, w);
    sac_pass_read(pass, y, numbers);
    sac_pass_read(pass, dx, numbers + sac_tensor_count(y));
    reference_end();
    for (int i = 0; i < 2; i++)
        sac_span_release(&spans[i]);
}

/* A product of few rows and a long sum is cut in pieces; kept or not, they are the same. */
TEST(kept_weights_change_no_byte_and_are_forgotten)
{
    enum { LINES = 5, IN = 600, OUT = 19, RESULTS = LINES * (IN + OUT) };
    static double weights[OUT * IN], inputs[RESULTS];
    reference_fill(weights, OUT * IN, 3);
    reference_fill(inputs, RESULTS, 4);
    sac_span value = reference_span(weights, OUT * IN), slope = reference_span(weights, OUT * IN);
    sac_span bias = reference_span(inputs, OUT), given = reference_span(inputs, RESULTS);
    sac_parameter w = reference_parameter(value, slope, OUT, IN);
    sac_parameter b = reference_parameter(bias, bias, 1, OUT);
    sac_tensor x = reference_tensor(given, LINES, IN);
    sac_tensor dy = reference_tensor(sac_span_from(given, LINES * IN), LINES, OUT);
    float plain[RESULTS], kept[RESULTS], changed[RESULTS];
    both_products(&w, &b, x, dy, plain);
    sac_pass_keep_weights(reference_pass(), true);
    for (int time = 0; time < 2; time++) {
        both_products(&w, &b, x, dy, kept);
        assert_memory_equal(plain, kept, sizeof plain);
    }
    sac_pass_fill(reference_pass(), w.value, 0.5f);
    sac_pass_keep_weights(reference_pass(), true);
    both_products(&w, &b, x, dy, kept);
    sac_pass_keep_weights(reference_pass(), false);
    both_products(&w, &b, x, dy, changed);
    assert_memory_equal(changed, kept, sizeof changed);
    assert_memory_not_equal(changed, plain, sizeof changed);
    sac_span spans[] = {value, slope, bias, given};
    for (size_t i = 0; i < 4; i++)
        sac_span_release(&spans[i]);
}

TEST_MAIN(NULL, reference_close)
