/* src/sources/words/gaze_heads: spatial entropy and selection of heads against float64 that joins parts in another way, and
 * maps made by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sources/words/gaze_heads.h"
#include "test.h"

enum { W = 6, H = 5, CELLS = W * H, LAYERS = 3, HEADS = 8, COUNT = LAYERS * HEADS, WORDS = 4 };

/* ---------------------------------------------------------------- float64 */

/* Each cell above the mean begins with a number of its own; neighbours take the smaller one until nothing changes. */
static double reference_entropy(const float *map, int w, int h, int *part)
{
    double sum = 0, weight[64] = {0}, all = 0, entropy = 0;
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
    for (int i = 0; i < w * h; i++)
        if (weight[i] > 0)
            entropy -= weight[i] / all * log2(weight[i] / all);
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
    int work[CELLS], parts[CELLS], several = 0;
    for (int n = 0; n < 500; n++) {
        draw_map(&seed, 0.7f, map);
        for (int w = 1; w <= W; w++) { /* grids of other sides, down to one column */
            const double right = reference_entropy(map, w, H, parts);
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

/* ---------------------------------------------------------------- heads */

static const float *map_at(const float *maps, int head, int word)
{
    return maps + (head * WORDS + word) * CELLS;
}

/* Sorted down, the share that is farthest below the straight line between the ends. */
static double reference_knee(const double *share)
{
    double sorted[COUNT], most = 0, knee = 0;
    memcpy(sorted, share, sizeof sorted);
    for (int a = 0; a < COUNT; a++)
        for (int b = a + 1; b < COUNT; b++)
            if (sorted[b] > sorted[a]) {
                const double t = sorted[a];
                sorted[a] = sorted[b];
                sorted[b] = t;
            }
    for (int i = 0; i < COUNT; i++) {
        const double line = sorted[0] + (sorted[COUNT - 1] - sorted[0]) * i / (COUNT - 1);
        if (line - sorted[i] > most + 1e-9) {
            most = line - sorted[i];
            knee = sorted[i];
        }
    }
    return knee;
}

/* A head is selected by a word where fewer than ten of those above the threshold come before it. */
static double reference_frequency(const float *maps, const double *share, double knee, int head)
{
    int parts[CELLS], selected = 0;
    for (int t = 0; t < WORDS && share[head] > knee + 1e-7; t++) {
        const double own = reference_entropy(map_at(maps, head, t), W, H, parts);
        int before = 0;
        for (int i = 0; i < COUNT; i++) {
            const double other = reference_entropy(map_at(maps, i, t), W, H, parts);
            const bool is_alike = fabs(other - own) < 1e-7;
            before += share[i] > knee + 1e-7 && (is_alike ? i < head : other < own);
        }
        selected += before < SAC_GAZE_SELECTED;
    }
    return (double)selected / WORDS;
}

TEST(heads_are_selected_as_in_float64)
{
    static float maps[COUNT * WORDS * CELLS];
    uint32_t seed = 7;
    for (int n = 0; n < 20; n++) {
        double share[COUNT] = {0};
        sac_gaze_heads found;
        sac_error error;
        for (int i = 0; i < COUNT; i++) {
            const float on_picture = draw_number(&seed);
            for (int t = 0; t < WORDS; t++)
                draw_map(&seed, on_picture, maps + (i * WORDS + t) * CELLS);
            for (int k = 0; k < WORDS * CELLS; k++)
                share[i] += (double)maps[i * WORDS * CELLS + k] / WORDS;
        }
        assert_int_equal(sac_gaze_heads_find(maps, LAYERS, HEADS, WORDS, W, H, &found, &error),
                         SAC_OK);
        const double knee = reference_knee(share);
        assert_float_equal(found.threshold, knee, 1e-6);
        for (int i = 0; i < COUNT; i++) {
            int parts[CELLS];
            double entropy = 0;
            for (int t = 0; t < WORDS; t++)
                entropy += reference_entropy(map_at(maps, i, t), W, H, parts) / WORDS;
            assert_float_equal(found.on_picture[i], share[i], 1e-6);
            assert_float_equal(found.entropy[i], entropy, 1e-5);
            assert_float_equal(found.frequency[i], reference_frequency(maps, share, knee, i), 1e-6);
        }
        for (int i = 1; i < COUNT; i++) {
            const size_t a = found.rank[i - 1], b = found.rank[i];
            assert_true(
                found.frequency[a] > found.frequency[b] ||
                (found.frequency[a] == found.frequency[b] && found.entropy[a] <= found.entropy[b]));
        }
        sac_gaze_heads_free(&found);
    }
}

static void fill_box(float *map, int x0, int y0, int x1, int y1, float sum)
{
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++)
            map[y * W + x] = sum / (float)((x1 - x0) * (y1 - y0));
}

/* Heads 0.2, 1.5 and 2.7 look at one place, others at corners or not at the picture. */
TEST(planted_heads_are_found_and_give_a_box)
{
    static float maps[COUNT * WORDS * CELLS];
    static const int planted[] = {2, HEADS + 5, 2 * HEADS + 7};
    float mean[CELLS], box[4];
    int work[CELLS];
    char text[SAC_GAZE_HEADS];
    sac_gaze_heads found;
    sac_error error;
    memset(maps, 0, sizeof maps);
    for (int i = 0; i < COUNT; i++)
        for (int t = 0; t < WORDS; t++) {
            float *map = maps + (i * WORDS + t) * CELLS;
            if (i == planted[0] || i == planted[1] || i == planted[2])
                fill_box(map, t, 1, t + 2, 4, 0.9f);
            else if (i % 2) /* as much of it, at all corners */
                map[0] = map[W - 1] = map[CELLS - W] = map[CELLS - 1] = 0.225f;
            else /* one part, but hardly any of it */
                map[CELLS - 1] = 0.01f;
        }
    assert_int_equal(sac_gaze_heads_find(maps, LAYERS, HEADS, WORDS, W, H, &found, &error), SAC_OK);
    assert_string_equal(sac_gaze_heads_write(&found, SAC_GAZE_BEST, text), "0.2,1.5,2.7");
    for (size_t t = 0; t < WORDS; t++) {
        assert_true(sac_gaze_heads_box(&found, maps, WORDS, t, W, H, mean, work, box));
        assert_true(box[0] == (float)t && box[1] == 1 && box[2] == (float)t + 2 && box[3] == 4);
    }
    sac_gaze_heads_free(&found);
}

TEST(of_one_head_it_is_that_head)
{
    float map[CELLS] = {0}, mean[CELLS], box[4];
    int work[CELLS];
    char text[SAC_GAZE_HEADS];
    sac_gaze_heads found;
    sac_error error;
    map[W + 1] = 0.6f;
    map[0] = map[1] = 0.2f; /* joined to it at a corner */
    assert_int_equal(sac_gaze_heads_find(map, 1, 1, 1, W, H, &found, &error), SAC_OK);
    assert_string_equal(sac_gaze_heads_write(&found, SAC_GAZE_BEST, text), "0.0");
    assert_true(sac_gaze_heads_box(&found, map, 1, 0, W, H, mean, work, box));
    assert_true(box[0] == 0 && box[1] == 0 && box[2] == 2 && box[3] == 2);
    sac_gaze_heads_free(&found);
    for (int i = 0; i < CELLS; i++)
        map[i] = 1;
    assert_int_equal(sac_gaze_heads_find(map, 1, 1, 1, W, H, &found, &error), SAC_OK);
    assert_false(sac_gaze_heads_box(&found, map, 1, 0, W, H, mean, work, box));
    sac_gaze_heads_free(&found);
    assert_int_equal(sac_gaze_heads_find(map, 1, 1, 0, W, H, &found, &error), SAC_E_ARGUMENT);
    assert_non_null(strstr(error.what, "no maps"));
}

TEST_MAIN(NULL, NULL)
