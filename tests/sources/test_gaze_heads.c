/* src/sources/words/gaze_heads: parts of maps and the figures of a head, against float64 that joins parts in another way,
 * and maps made by hand. tests/architectures/test_held.c compares heads of models with Python. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sources/words/gaze_heads.h"
#include "test.h"

enum { W = 6, H = 5, CELLS = W * H, WORDS = 4 };

/* ---------------------------------------------------------------- float64 */

/* Each cell above the mean begins with a number of its own; neighbours take the smaller one until nothing changes. *most:
 * the number of the heaviest part. */
static double reference_entropy(const float *map, int w, int h, int *part, int *most)
{
    double sum = 0, weight[64] = {0}, all = 0, entropy = 0;
    *most = -2;
    for (int i = 0; i < w * h; i++)
        sum += (double)map[i];
    for (int i = 0; i < w * h; i++)
        part[i] = (double)map[i] > sum / (w * h) * (1 + 1e-6) ? i : -1;
    for (bool changed = true; changed;) {
        changed = false;
        for (int a = 0; a < w * h; a++)
            for (int b = 0; b < w * h; b++) {
                const bool touch = abs(a % w - b % w) <= 1 && abs(a / w - b / w) <= 1;
                if (part[a] < 0 || part[b] < 0 || !touch || part[b] >= part[a])
                    continue;
                part[a] = part[b];
                changed = true;
            }
    }
    for (int i = 0; i < w * h; i++)
        if (part[i] >= 0) {
            weight[part[i]] += (double)map[i];
            all += (double)map[i];
        }
    for (int i = 0; i < w * h; i++) {
        if (weight[i] > 0)
            entropy -= weight[i] / all * log2(weight[i] / all);
        if (weight[i] > (*most < 0 ? 0 : weight[*most]))
            *most = i;
    }
    return all > 0 ? entropy : log2(w * h);
}

static float draw_number(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 16777216.0f;
}

/* Weights of which few are large, so that there are several parts. */
static void draw_map(uint32_t *state, float share, float *map)
{
    double sum = 0;
    for (int i = 0; i < CELLS; i++) {
        const float u = draw_number(state);
        sum += (double)(map[i] = u * u * u * u);
    }
    for (int i = 0; i < CELLS; i++)
        map[i] *= share / (float)sum;
}

TEST(spatial_entropy_is_that_of_float64)
{
    uint32_t seed = 1;
    float map[CELLS];
    int work[CELLS], parts[CELLS], several = 0, most;
    for (int n = 0; n < 500; n++) {
        draw_map(&seed, 0.7f, map);
        for (int w = 1; w <= W; w++) { /* grids of other sides, down to one column */
            const double right = reference_entropy(map, w, H, parts, &most);
            assert_float_equal(sac_gaze_entropy(map, w, H, work), right, 1e-9);
            several += right > 0;
        }
    }
    assert_true(several > 500);
}

TEST(spatial_entropy_counts_what_is_apart)
{
    const float one[9] = {0, 0, 1, 0, 1, 0, 1, 0, 0}, /* joined at corners */
        two[9] = {1, 0, 0, 0, 0, 0, 0, 0, 1}, four[9] = {1, 0, 1, 0, 0, 0, 1, 0, 1},
                even[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, none[9] = {0};
    int work[9];
    assert_float_equal(sac_gaze_entropy(one, 3, 3, work), 0, 1e-12);
    assert_float_equal(sac_gaze_entropy(two, 3, 3, work), 1, 1e-12);
    assert_float_equal(sac_gaze_entropy(four, 3, 3, work), 2, 1e-12);
    assert_float_equal(sac_gaze_entropy(even, 3, 3, work), log2(9), 1e-12);
    assert_float_equal(sac_gaze_entropy(none, 3, 3, work), log2(9), 1e-12);
}

/* ---------------------------------------------------------------- a head */

/* What rows have on the word's own place, less the mean of what those of the others have there. */
static double reference_score(const float *maps, int words)
{
    double score = 0;
    for (int t = 0; t < words; t++) {
        int part[CELLS], most;
        reference_entropy(maps + t * CELLS, W, H, part, &most);
        for (int s = 0; s < words; s++)
            for (int i = 0; i < CELLS; i++)
                if (part[i] == most && (s == t || words > 1))
                    score += (double)maps[s * CELLS + i] * (s == t ? 1 : -1.0 / (words - 1));
    }
    return fmax(0, score / words);
}

static sac_gaze_head scan_maps(const float *maps, int words)
{
    sac_gaze_scan scan;
    sac_gaze_head head = {0};
    assert_int_equal(sac_gaze_scan_begin(&scan, (size_t)words, W, H, NULL), SAC_OK);
    for (int t = 0; t < words; t++)
        sac_gaze_scan_map(&scan, maps + t * CELLS);
    sac_gaze_scan_finish(&scan, &head);
    sac_gaze_scan_free(&scan);
    return head;
}

TEST(what_is_found_of_a_head_is_that_of_float64)
{
    float maps[WORDS * CELLS];
    uint32_t seed = 7;
    int part[CELLS], most, above = 0;
    for (int n = 0; n < 200; n++)
        for (int words = 1; words <= WORDS; words++) {
            double entropy = 0, on_picture = 0;
            for (int t = 0; t < words; t++) {
                draw_map(&seed, draw_number(&seed), maps + t * CELLS);
                entropy += reference_entropy(maps + t * CELLS, W, H, part, &most) / words;
            }
            for (int i = 0; i < words * CELLS; i++)
                on_picture += (double)maps[i] / words;
            const sac_gaze_head head = scan_maps(maps, words);
            const double right = reference_score(maps, words);
            assert_float_equal(head.score, right, 1e-6);
            assert_float_equal(head.entropy, entropy, 1e-6);
            assert_float_equal(head.on_picture, on_picture, 1e-6);
            above += right > 0.1;
        }
    assert_true(above > 100);
}

static void fill_box(float *map, int x0, int y0, int x1, int y1, float sum)
{
    memset(map, 0, CELLS * sizeof *map);
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++)
            map[y * W + x] = sum / (float)((x1 - x0) * (y1 - y0));
}

/* Maps that lie on one place, everywhere, at corners, and on another place for each word. */
TEST(a_head_that_follows_scores_what_lies_there)
{
    float still[WORDS * CELLS], even[WORDS * CELLS], moves[WORDS * CELLS];
    for (int t = 0; t < WORDS; t++) {
        fill_box(still + t * CELLS, 1, 1, 3, 3, 0.9f);
        fill_box(even + t * CELLS, 0, 0, W, H, 0.9f);
        fill_box(moves + t * CELLS, t, 1, t + 1, 4, 0.6f);
    }
    assert_float_equal(scan_maps(still, WORDS).score, 0, 1e-6);
    assert_float_equal(scan_maps(even, WORDS).score, 0, 1e-6);
    assert_float_equal(scan_maps(moves, WORDS).score, 0.6, 1e-6);
    assert_float_equal(scan_maps(still, 1).score, 0.9, 1e-6); /* there is nothing to compare with */
    assert_float_equal(scan_maps(moves, WORDS).entropy, 0, 1e-6);
    assert_float_equal(scan_maps(moves, 0).score, 0, 0);
}

TEST(a_box_is_around_the_heaviest_part)
{
    float map[CELLS], box[4];
    int work[CELLS];
    fill_box(map, 1, 1, 3, 4, 0.6f);
    map[CELLS - 1] = 0.3f;
    assert_true(sac_gaze_box(map, W, H, work, box));
    assert_true(box[0] == 1 && box[1] == 1 && box[2] == 3 && box[3] == 4);
    map[CELLS - 1] = 0.7f;
    assert_true(sac_gaze_box(map, W, H, work, box));
    assert_true(box[0] == W - 1 && box[1] == H - 1 && box[2] == W && box[3] == H);
    for (int i = 0; i < CELLS; i++)
        map[i] = 1;
    assert_false(sac_gaze_box(map, W, H, work, box));
}

/* ---------------------------------------------------------------- heads */

/* Of 2 layers × 24 heads whose scores are 1 − n / 100 in the order of `rank`, and 0 elsewhere. */
static char *choose(const int *rank, int count, size_t together, char text[SAC_GAZE_HEADS])
{
    enum { HEADS = 24, ALL = 2 * HEADS };
    sac_gaze_head heads[ALL];
    for (size_t i = 0; i < ALL; i++)
        heads[i] = (sac_gaze_head){.layer = i / HEADS, .head = i % HEADS, .is_chosen = true};
    for (int n = 0; n < count; n++)
        heads[rank[n]].score = 1 - (float)n / 100;
    sac_gaze_heads_rank(heads, ALL);
    for (int n = 0; n < count; n++)
        assert_int_equal(heads[n].layer * HEADS + heads[n].head, rank[n]);
    sac_gaze_heads_choose(heads, ALL, together);
    return sac_gaze_heads_write(heads, ALL, text);
}

TEST(heads_are_ranked_and_those_that_look_are_chosen)
{
    static const int rank[] = {30, 3, 25, 40, 8, 9}, one[] = {47};
    char text[SAC_GAZE_HEADS];
    assert_string_equal(choose(rank, 6, 1, text), "1.6,0.3,1.1,1.16,0.8,0.9");
    assert_string_equal(choose(rank, 2, 0, text), "1.6,0.3"); /* others look at no place */
    assert_string_equal(choose(one, 1, 1, text), "1.23");
    assert_string_equal(choose(one, 0, 1, text), "");
}

TEST(heads_that_share_values_are_chosen_together)
{
    static const int rank[] = {30, 3};
    char text[SAC_GAZE_HEADS];
    assert_string_equal(choose(rank, 2, 2, text), "1.6,0.3,0.2,1.7");
    assert_string_equal(choose(rank, 1, 4, text), "1.6,1.4,1.5,1.7");
}

/* All of 600 look alike: a text has room for so many. */
TEST(as_many_are_chosen_as_a_text_has_room_for)
{
    enum { ALL = 600 };
    sac_gaze_head heads[ALL];
    char text[SAC_GAZE_HEADS];
    size_t chosen = 0, named = 1;
    for (size_t i = 0; i < ALL; i++)
        heads[i] = (sac_gaze_head){.layer = i / 6, .head = i % 6, .score = 0.5f};
    sac_gaze_heads_rank(heads, ALL);
    sac_gaze_heads_choose(heads, ALL, 6);
    for (size_t i = 0; i < ALL; i++)
        chosen += heads[i].is_chosen;
    sac_gaze_heads_write(heads, ALL, text);
    for (const char *at = text; *at; at++)
        named += *at == ',';
    assert_int_equal(chosen, named);
    assert_int_equal(chosen, 126); /* whole groups of at most 128 */
}

TEST(of_a_few_heads_those_with_half_of_the_best_score)
{
    sac_gaze_head heads[] = {{.head = 0, .score = 0.2f},
                             {.head = 1, .score = 0.41f},
                             {.head = 2, .score = 0.19f},
                             {.head = 3, .score = 0.3f}};
    char text[SAC_GAZE_HEADS];
    sac_gaze_heads_rank(heads, 4);
    sac_gaze_heads_choose(heads, 4, 1);
    assert_string_equal(sac_gaze_heads_write(heads, 4, text), "0.1,0.3");
}

TEST_MAIN(NULL, NULL)
