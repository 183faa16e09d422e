/* sources/difference: one source's weights less another's, by tile and pooled, and what is refused. */
#include <math.h>

#include "fake_map.h"
#include "sources/heads/difference.h"
#include "status.h"
#include "test.h"

enum { LAYERS = 2, HEADS = 3 };

/* A number less the weights of the first side, more in each layer, so that no two differences are alike in
 * magnitude. */
static sac_status read_other(void *self, size_t layer, const sac_tile *tile, float *weights,
                             sac_error *error)
{
    sac_status status = fake_map_tile(self, layer, tile, weights, error);
    for (size_t i = 0; i < tile->rows * tile->cols; i++)
        weights[i] = 1.00013f - weights[i] + (float)layer;
    return status;
}

static sac_status hide_left(void *self, size_t layer, const sac_tile *tile, uint8_t *masked,
                            sac_error *error)
{
    (void)self;
    (void)layer;
    (void)error;
    for (size_t i = 0; i < tile->rows * tile->cols; i++)
        masked[i] = tile->col + i % tile->cols < 3 + tile->head;
    return SAC_OK;
}

static sac_source *side_of(size_t rows, size_t columns, bool other)
{
    sac_source *source = malloc(sizeof *source);
    *source = fake_map_source(HEADS, rows, columns, NULL);
    source->weights.layers = LAYERS;
    source->weights.tile = other ? read_other : fake_map_tile;
    source->weights.masked = hide_left;
    snprintf(source->title, sizeof source->title, "%s.npz", other ? "other" : "one");
    return source;
}

static sac_source open_both(size_t rows, size_t columns)
{
    sac_source d = {0};
    OK(sac_difference_open(&(sac_difference_sides){.first = side_of(rows, columns, false),
                                                   .second = side_of(rows, columns, true)},
                           &d, &failure));
    return d;
}

/* In float64. */
static double expected(size_t layer, size_t head, size_t row, size_t column)
{
    double first = (double)fake_map_weight(head, row, column);
    return 1.00013 + (double)layer - 2 * first;
}

TEST(a_weight_is_the_second_side_less_the_first)
{
    sac_source d = open_both(17, 23);
    sac_tile tile = {0, 2, 3, 5, 7, 11};
    float weights[5 * 11], first[5 * 11], second[5 * 11];
    assert_string_equal(d.title, "other.npz − one.npz");
    OK(d.weights.tile(d.self, 1, &tile, weights, &failure));
    OK(d.weights.sides(d.self, 1, &tile, first, second, &failure));
    for (size_t r = 0; r < 5; r++)
        for (size_t c = 0; c < 11; c++) {
            size_t i = r * 11 + c;
            assert_true(fabs((double)weights[i] - expected(1, 2, 3 + r, 7 + c)) < 1e-6);
            assert_true(first[i] == fake_map_weight(2, 3 + r, 7 + c));
            assert_true(weights[i] == second[i] - first[i]);
        }
    sac_source_destroy(&d);
}

static void check_pooled(size_t rows, size_t columns, const sac_tile *tile, sac_pool pool,
                         size_t out_rows, size_t out_cols)
{
    sac_source d = open_both(rows, columns);
    float *pooled = malloc(out_rows * out_cols * sizeof *pooled);
    bool below = false, above = false;
    OK(d.weights.pool(d.self, 0, tile, pool, out_rows, out_cols, pooled, &failure));
    for (size_t r = 0; r < out_rows; r++)
        for (size_t c = 0; c < out_cols; c++) {
            double sum = 0, most = 0, count = 0;
            for (size_t i = r * tile->rows / out_rows; i < (r + 1) * tile->rows / out_rows; i++)
                for (size_t j = c * tile->cols / out_cols; j < (c + 1) * tile->cols / out_cols;
                     j++) {
                    double one = expected(0, tile->head, tile->row + i, tile->col + j);
                    sum += one;
                    most = fabs(one) > fabs(most) ? one : most;
                    count++;
                }
            double number = (double)pooled[r * out_cols + c];
            below |= number < 0;
            above |= number > 0;
            assert_true(fabs(number - (pool == SAC_POOL_MAX ? most : sum / count)) < 2e-6);
        }
    if (pool == SAC_POOL_MAX && out_rows * out_cols > 1000)
        assert_true(below && above);
    free(pooled);
    sac_source_destroy(&d);
}

TEST(a_dot_has_the_value_of_largest_magnitude_or_the_mean_in_whatever_slabs)
{
    static const struct {
        size_t rows, columns;
        sac_tile tile;
        size_t out_rows, out_cols;
    } cases[] = {
        {1, 1, {0, 1, 0, 1, 0, 1}, 1, 1},
        {127, 131, {0, 1, 0, 127, 0, 131}, 13, 11},
        {129, 129, {0, 2, 1, 128, 1, 128}, 64, 32},
        {41, 600011, {0, 0, 2, 37, 9, 500009}, 2, 70}, /* a row of dots takes several slabs */
        {3, 1100000, {0, 0, 0, 3, 0, 1100000}, 3, 9},  /* a row is more than a slab */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int pool = SAC_POOL_MEAN; pool <= SAC_POOL_MAX; pool++)
            check_pooled(cases[i].rows, cases[i].columns, &cases[i].tile, (sac_pool)pool,
                         cases[i].out_rows, cases[i].out_cols);
}

TEST(two_heads_of_one_source_are_compared_and_masked_where_both_are)
{
    sac_difference_sides sides = {.first = side_of(9, 9, false)};
    sac_source d = {0};
    OK(sac_difference_parts_read("0.2,1.0", sides.parts, &failure));
    OK(sac_difference_open(&sides, &d, &failure));
    assert_true(d.weights.layers == 1 && d.weights.heads == 1);
    assert_string_equal(d.weights.side_names[0], "layer 0, head 2");
    float one;
    uint8_t masked[9];
    OK(d.weights.tile(d.self, 0, &(sac_tile){0, 0, 4, 1, 5, 1}, &one, &failure));
    assert_true(one == fake_map_weight(0, 4, 5) - fake_map_weight(2, 4, 5));
    OK(d.weights.masked(d.self, 0, &(sac_tile){0, 0, 4, 1, 0, 9}, masked, &failure));
    for (size_t c = 0; c < 9; c++)
        assert_int_equal(masked[c], c < 3); /* as in head 0, and not head 2 */
    sac_source_destroy(&d);
}

static void refuse(sac_difference_sides sides, sac_status status, const char *generation)
{
    sac_source d = {0};
    sac_error why = {0};
    char line[1200];
    assert_int_equal(sac_difference_open(&sides, &d, &why), status);
    sac_error_line(&why, line, sizeof line);
    if (!strstr(line, generation))
        fail_msg("%s", line);
}

TEST(what_cannot_be_compared_is_refused_in_a_line)
{
    refuse((sac_difference_sides){.first = side_of(9, 9, false), .second = side_of(9, 8, true)},
           SAC_E_SHAPE, "other.npz: weights [2,1,3,9,8] are not of the first file's sizes");
    sac_source *a = side_of(2, 2, false), *b = side_of(2, 2, true);
    char *words[2][2] = {{strdup("one"), strdup("two")}, {strdup("one"), strdup("three")}};
    for (int i = 0; i < 2; i++) {
        sac_labels *labels = &(i ? b : a)->weights.position_labels;
        labels->count = 2;
        labels->text = malloc(2 * sizeof *labels->text);
        memcpy(labels->text, words[i], sizeof words[i]);
    }
    refuse((sac_difference_sides){.first = a, .second = b}, SAC_E_VALUE,
           "other.npz: key 1 is “three”, and “two” in the first file; compare weights of one text");
    static const char *const bad[] = {"", "1", "1,", "1.2,1", "1.2,3.", "a,b", "1.2.3,1.2", "-1,2"};
    sac_difference_part parts[2];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(sac_difference_parts_read(bad[i], parts, NULL), SAC_E_ARGUMENT);
    sac_difference_sides beyond = {.first = side_of(9, 9, false)};
    OK(sac_difference_parts_read("1.2,1.3", beyond.parts, &failure));
    refuse(beyond, SAC_E_ARGUMENT, "head 3 does not exist; heads go from 0 to 2 in one.npz");
}

TEST_MAIN(NULL, NULL)
