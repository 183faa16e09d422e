/* Positions, and dropout of what is added: small layers of a transformer. */

#include "nn/attention/positions.h"
#include "nn/training.h"
#include "reference.h"
#include "test.h"

enum { COUNT = 12, NUMBERS = 1000 };

static void check_table(size_t depth)
{
    float table[COUNT * 9];
    sac_positions_fill(table, COUNT, depth);
    for (size_t n = 0; n < COUNT; n++)
        for (size_t i = 0; 2 * i < depth; i++) {
            double angle = (double)n * pow(10000, -2.0 * (double)i / (double)depth);
            assert_true(fabs(table[n * depth + 2 * i] - sin(angle)) < 1e-6);
            if (2 * i + 1 < depth)
                assert_true(fabs(table[n * depth + 2 * i + 1] - cos(angle)) < 1e-6);
        }
}

TEST(sines_and_cosines_take_turns_and_an_odd_width_ends_in_a_sine)
{
    check_table(8);
    check_table(9);
}

/* Key and place alone decide: forward and backward drop the same, another key drops others. */
TEST(dropout_drops_its_share_and_the_same_again)
{
    static double ones[NUMBERS], result[NUMBERS];
    static float first[NUMBERS], second[NUMBERS], other[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        ones[i] = 1;
    sac_span of_x = reference_span(ones, NUMBERS), of_y = reference_span(NULL, NUMBERS);
    sac_tensor x = reference_tensor(of_x, 1, NUMBERS), y = reference_tensor(of_y, 1, NUMBERS);
    sac_dropout dropout = sac_dropout_of(0.25f, 7, 1), another = sac_dropout_of(0.25f, 7, 2);
    float *const results[] = {first, second, other};
    for (int i = 0; i < 3; i++) {
        sac_dropout_run(reference_pass(), i < 2 ? &dropout : &another, y, x);
        sac_pass_read(reference_pass(), y, results[i]);
    }
    int kept = 0, same = 0;
    for (int i = 0; i < NUMBERS; i++) {
        assert_true(first[i] == 0 || fabsf(first[i] - 4.0f / 3) < 1e-6f);
        kept += first[i] != 0;
        same += first[i] == other[i];
        result[i] = 1 + first[i];
    }
    assert_memory_equal(first, second, sizeof first);
    assert_in_range(kept, 690, 810); /* four deviations of 13.7 around 750 */
    assert_in_range(same, 560, 690); /* 625 where they are independent */
    sac_dropout_add(reference_pass(), &dropout, y, x, x);
    reference_end();
    reference_check(of_y, result, NUMBERS, 1e-6, "1 + D 1");
    sac_span_release(&of_x);
    sac_span_release(&of_y);
}

TEST_MAIN(NULL, reference_close)
