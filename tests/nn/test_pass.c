/* A pass and its memory: numbers there and back, failures that stay, and tensors that are shaped
 * anew. */
#include <stdlib.h>
#include <string.h>

#include "nn/pass.h"
#include "reference.h"
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
    sac_error error = {0};
    sac_arena_shape(&arena, pass, &huge, SIZE_MAX / 2, 4);
    sac_arena_shape(&arena, pass, &next, 2, 2); /* nothing is made any more */
    assert_int_equal(sac_pass_end(pass, &error), SAC_E_SHAPE);
    assert_non_null(strstr(error.what, "is too large"));
    assert_null(huge.buffer);
    assert_null(next.buffer);
    assert_int_equal(sac_pass_end(pass, &error), SAC_OK);
    sac_arena_shape(&arena, pass, &next, 2, 2);
    reference_end();
    assert_non_null(next.buffer);
    sac_arena_release(&arena);
}

TEST_MAIN(NULL, reference_close)
