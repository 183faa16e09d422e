/* src/source/head_choice: one matrix chosen out of a source. */
#include "fake_matrix.h"
#include "sources/heads/head_choice.h"
#include "status.h"
#include "test.h"

/* Sums of a few dozen float32 below 1. */
#define ROUNDING 1e-6f

/* The weight at a place of a map, from the formula alone. */
static float one_head(const fake_matrix *fake, const sac_head_choice *map, size_t head, size_t row,
                      size_t col)
{
    float weight = fake_weight(fake, map->layer, map->batch, head, row, col);
    if (map->prefix != SAC_PREFIX_MASKED || map->reduce != SAC_REDUCE_NONE)
        return weight;
    double rest = 0;
    for (size_t c = map->prefix_count; c < fake->source.weights.positions; c++)
        rest += fake_weight(fake, map->layer, map->batch, head, row, c);
    return col < map->prefix_count ? 0 : (float)(weight / rest);
}

static float expected_weight(const fake_matrix *fake, const sac_head_choice *map, size_t row,
                             size_t col)
{
    size_t dropped = map->prefix == SAC_PREFIX_DROPPED ? map->prefix_count : 0;
    size_t heads = fake->source.weights.heads;
    bool square = fake->source.weights.steps == fake->source.weights.positions;
    row += square ? dropped : 0;
    col += dropped;
    if (map->reduce == SAC_REDUCE_NONE) {
        return one_head(fake, map, map->head, row, col);
    }
    float total = one_head(fake, map, 0, row, col);
    for (size_t h = 1; h < heads; h++) {
        float w = one_head(fake, map, h, row, col);
        total = map->reduce == SAC_REDUCE_MEAN  ? total + w
                : map->reduce == SAC_REDUCE_MAX ? fmaxf(total, w)
                                                : fminf(total, w);
    }
    return map->reduce == SAC_REDUCE_MEAN ? total / (float)heads : total;
}

/* Reads a rectangle pooled, and holds it to the formula pooled by its definition. */
static void check_read(fake_matrix *fake, const sac_head_choice *map, sac_rect rect, sac_pool pool,
                       size_t out_rows, size_t out_cols)
{
    sac_reader reader = {.source = &fake->source};
    float *out = malloc(out_rows * out_cols * sizeof *out);
    float *expected = malloc(out_rows * out_cols * sizeof *out);
    float *whole = malloc(rect.rows * rect.cols * sizeof *whole);
    for (size_t r = 0; r < rect.rows; r++)
        for (size_t c = 0; c < rect.cols; c++)
            whole[r * rect.cols + c] = expected_weight(fake, map, rect.row + r, rect.col + c);
    sac_weights_pool(whole, rect.rows, rect.cols, pool, out_rows, out_cols, expected);
    OK(sac_head_choice_read(&reader, map, &rect, pool, out_rows, out_cols, out, &failure));
    for (size_t i = 0; i < out_rows * out_cols; i++)
        if (!(fabsf(out[i] - expected[i]) <= ROUNDING))
            fail_msg("reduce %s, prefix %s, pool %d, [%zu] is %g, not %g",
                     sac_reduce_name(map->reduce), sac_prefix_names[map->prefix], pool, i,
                     (double)out[i], (double)expected[i]);
    free(whole);
    free(expected);
    free(out);
    sac_reader_free(&reader);
}

/* Keys 1, 4 and 8 of ten stand for no text; B begins at 5. */
TEST(special_keys_are_hidden_and_parts_of_a_pair_are_read)
{
    static const uint8_t special[10] = {[1] = 1, [4] = 1, [8] = 1};
    fake_matrix *fake = fake_create(1, 1, 2, 10, 10);
    fake->source.weights.special = special;
    fake->source.weights.second = 5;
    sac_reader reader = {.source = &fake->source};
    float row[10], sum = 0, shown = 0;
    sac_head_choice map = {.head = 1, .special = SAC_SPECIAL_HIDDEN};
    OK(sac_head_choice_read(&reader, &map, &(sac_rect){3, 1, 0, 10}, SAC_POOL_MEAN, 1, 10, row,
                            &failure));
    for (size_t c = 0; c < 10; c++) {
        float weight = fake_weight(fake, 0, 0, 1, 3, c);
        assert_float_equal(row[c], special[c] ? 0 : weight, ROUNDING);
        shown += special[c] ? 0 : weight;
    }
    map.special = SAC_SPECIAL_MASKED;
    map.segments = SAC_SEGMENTS_AB; /* its rows sum to 1 over both texts */
    OK(sac_head_choice_read(&reader, &map, &(sac_rect){3, 1, 0, 5}, SAC_POOL_MEAN, 1, 5, row,
                            &failure));
    for (size_t c = 0; c < 5; c++)
        assert_float_equal(
            row[c], special[5 + c] ? 0 : fake_weight(fake, 0, 0, 1, 3, 5 + c) / shown, ROUNDING);
    /* Of the map's rows, what it has of their weight; and as many queries as keys are no square. */
    sac_weights_scan scan;
    OK(sac_head_choice_scan_begin(&fake->source, &map, 1, &scan, &failure));
    assert_false(scan.stats.is_square);
    while (scan.next_row < scan.stats.rows)
        OK(sac_head_choice_scan(&reader, &map, 100, &scan, &failure));
    for (size_t r = 0; r < 5; r++)
        sum += scan.row_sum[r] / 5;
    assert_float_equal(sac_weights_scan_mean_share(&scan), sum, ROUNDING);
    assert_true(sum > 0.1f && sum < 0.9f && scan.stats.self == 0);
    sac_weights_scan_free(&scan);
    sac_reader_free(&reader);
    fake_free(fake);
}

TEST(every_choice_reads_what_it_names_at_any_pooling)
{
    fake_matrix *square = fake_create(2, 2, 3, 23, 23), *wide = fake_create(2, 1, 2, 9, 31);
    for (sac_reduce reduce = SAC_REDUCE_NONE; reduce <= SAC_REDUCE_MIN; reduce++)
        for (sac_prefix prefix = SAC_PREFIX_SHOWN; prefix < SAC_PREFIX_COUNT; prefix++)
            for (sac_pool pool = SAC_POOL_MEAN; pool <= SAC_POOL_MAX; pool++) {
                sac_head_choice map = {.layer = 1,
                                       .batch = 1,
                                       .head = reduce ? 0 : 2,
                                       .reduce = reduce,
                                       .prefix = prefix,
                                       .prefix_count = 2};
                if (reduce && prefix == SAC_PREFIX_MASKED)
                    continue; /* the rest sums to 1 after heads are reduced: tested below */
                check_read(square, &map, (sac_rect){0, 21, 0, 21}, pool, 21, 21);
                check_read(square, &map, (sac_rect){3, 16, 5, 12}, pool, 5, 7);
                map.batch = 0;
                map.head = reduce ? 0 : 1;
                check_read(wide, &map, (sac_rect){1, 8, 2, 27}, pool, 3, 4);
            }
    fake_free(square);
    fake_free(wide);
}

TEST(masked_rows_of_reduced_heads_sum_to_1)
{
    fake_matrix *fake = fake_create(1, 1, 3, 10, 10);
    sac_reader reader = {.source = &fake->source};
    sac_head_choice map = {
        .reduce = SAC_REDUCE_MAX, .prefix = SAC_PREFIX_MASKED, .prefix_count = 1};
    float out[100];
    sac_rect all = {0, 10, 0, 10};
    OK(sac_head_choice_read(&reader, &map, &all, SAC_POOL_MEAN, 10, 10, out, NULL));
    for (int r = 0; r < 10; r++) {
        double sum = 0;
        for (int c = 0; c < 10; c++)
            sum += out[r * 10 + c];
        assert_true(out[r * 10] == 0 && fabs(sum - 1) <= ROUNDING);
    }
    sac_reader_free(&reader);
    fake_free(fake);
}

/* Against the product written out here, on the formula's numbers. */
TEST(rollout_multiplies_the_layers)
{
    enum { N = 5 };
    fake_matrix *fake = fake_create(3, 2, 2, N, N);
    double below[N][N] = {{0}}, next[N][N];
    for (int i = 0; i < N; i++)
        below[i][i] = 1;
    for (size_t l = 0; l < 3; l++) {
        for (size_t i = 0; i < N; i++)
            for (size_t k = 0; k < N; k++) {
                next[i][k] = 0;
                for (size_t j = 0; j < N; j++)
                    next[i][k] += 0.5 *
                                  (0.5 * (fake_weight(fake, l, 1, 0, i, j) +
                                          fake_weight(fake, l, 1, 1, i, j)) +
                                   (i == j)) *
                                  below[j][k];
            }
        memcpy(below, next, sizeof below);
    }
    sac_reader reader = {.source = &fake->source};
    sac_head_choice map = {.layer = 2, .batch = 1, .reduce = SAC_REDUCE_ROLLOUT};
    float out[N * N];
    sac_rect all = {0, N, 0, N};
    OK(sac_head_choice_read(&reader, &map, &all, SAC_POOL_MEAN, N, N, out, NULL));
    for (int i = 0; i < N * N; i++)
        assert_true(fabs(out[i] - below[i / N][i % N]) <= ROUNDING);
    sac_reader_free(&reader);
    fake_free(fake);
}

TEST(rollout_is_refused_where_queries_and_keys_differ)
{
    fake_matrix *fake = fake_create(2, 1, 1, 3, 4);
    sac_reader reader = {.source = &fake->source};
    sac_head_choice map = {.reduce = SAC_REDUCE_ROLLOUT};
    float out[12];
    sac_rect all = {0, 3, 0, 4};
    REFUSES(SAC_E_SHAPE, "…3 × 4…",
            sac_head_choice_read(&reader, &map, &all, SAC_POOL_MEAN, 3, 4, out, &failure));
    sac_reader_free(&reader);
    fake_free(fake);
}

TEST(dropping_cuts_rows_of_square_maps_only)
{
    fake_matrix *square = fake_create(1, 1, 1, 8, 8), *wide = fake_create(1, 1, 1, 4, 8);
    sac_head_choice map = {.prefix = SAC_PREFIX_DROPPED, .prefix_count = 3};
    size_t rows, columns;
    sac_head_choice_size(&square->source, &map, &rows, &columns);
    assert_int_equal(rows, 5);
    assert_int_equal(columns, 5);
    sac_head_choice_size(&wide->source, &map, &rows, &columns);
    assert_int_equal(rows, 4);
    assert_int_equal(columns, 5);
    map.prefix_count = 99; /* something is always left */
    sac_head_choice_size(&wide->source, &map, &rows, &columns);
    assert_int_equal(columns, 1);
    fake_free(square);
    fake_free(wide);
}

TEST(a_scan_in_pieces_gives_the_figures_of_one_in_whole)
{
    fake_matrix *fake = fake_create(1, 1, 1, 40, 40);
    sac_reader reader = {.source = &fake->source};
    sac_head_choice map = {0};
    sac_weights_scan whole, pieces;
    OK(sac_weights_scan_begin(&whole, 40, 40, 1, NULL, NULL));
    OK(sac_weights_scan_begin(&pieces, 40, 40, 1, NULL, NULL));
    OK(sac_head_choice_scan(&reader, &map, SIZE_MAX, &whole, NULL));
    int count = 0;
    for (; pieces.next_row < 40; count++)
        OK(sac_head_choice_scan(&reader, &map, 300, &pieces, NULL));
    assert_int_equal(count, 6); /* 300 weights are 7 rows */
    assert_memory_equal(&whole.stats, &pieces.stats, sizeof whole.stats);
    sac_weights_scan_free(&whole);
    sac_weights_scan_free(&pieces);
    sac_reader_free(&reader);
    fake_free(fake);
}

TEST(nothing_of_the_size_of_the_matrix_is_read_for_a_pooled_corner)
{
    fake_matrix *fake = fake_create(1, 1, 4, 2000, 2000);
    sac_reader reader = {.source = &fake->source};
    sac_head_choice map = {.reduce = SAC_REDUCE_MAX};
    float out[16];
    sac_rect corner = {1000, 64, 500, 64};
    OK(sac_head_choice_read(&reader, &map, &corner, SAC_POOL_MAX, 4, 4, out, NULL));
    assert_true(fake->most_read <= 64 * 64);
    sac_reader_free(&reader);
    fake_free(fake);
}

TEST_MAIN(NULL, NULL)
