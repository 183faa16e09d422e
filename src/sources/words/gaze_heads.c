#include "sources/words/gaze_heads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* ---------------------------------------------------------------- the parts of a map */

enum { BELOW = -2, UNSEEN = -1 };

/* Part `number` begins at cell `from`: its weight. Cells that are still to be looked around are a list in `next`, through
 * the cells themselves, so that no stack is needed: a cell of the list has BELOW − 1 − (the next one, or itself at the end). */
static double fill_part(const float *map, int w, int h, int from, int number, int *part)
{
    const int end = BELOW - 1 - w * h;
    int first = from;
    double weight = 0;
    part[from] = end;
    while (first >= 0) {
        const int at = first, behind = part[at];
        first = behind == end ? -1 : BELOW - 1 - behind;
        part[at] = number;
        weight += (double)map[at];
        for (int y = at / w - 1; y <= at / w + 1; y++)
            for (int x = at % w - 1; x <= at % w + 1; x++) {
                if (x < 0 || y < 0 || x >= w || y >= h || part[y * w + x] != UNSEEN)
                    continue;
                part[y * w + x] = first < 0 ? end : BELOW - 1 - first;
                first = y * w + x;
            }
    }
    return weight;
}

static double sum_cells(const float *map, int cells)
{
    double sum = 0;
    for (int i = 0; i < cells; i++)
        sum += (double)map[i];
    return sum;
}

/* Marks cells that are not above the mean. */
static void mark_cells(const float *map, int cells, int *part)
{
    const double sum = sum_cells(map, cells);
    for (int i = 0; i < cells; i++)
        part[i] = (double)map[i] > sum / cells * (1 + 1e-6) ? UNSEEN : BELOW;
}

double sac_gaze_entropy(const float *map, int grid_w, int grid_h, int *work)
{
    const int cells = grid_w * grid_h;
    double all = 0, sum = 0; /* H = log2 W − Σ w log2 w / W of weights w with the sum W */
    int parts = 0;
    mark_cells(map, cells, work);
    for (int i = 0; i < cells; i++) {
        if (work[i] != UNSEEN)
            continue;
        const double weight = fill_part(map, grid_w, grid_h, i, parts++, work);
        all += weight;
        sum += weight * log2(weight);
    }
    return parts ? fmax(0, log2(all) - sum / all) : log2(cells);
}

/* ---------------------------------------------------------------- heads */

void sac_gaze_heads_free(sac_gaze_heads *found)
{
    free(found->on_picture);
    free(found->rank);
    *found = (sac_gaze_heads){0};
}

static int compare_down(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* share [count] is sorted in place. */
static float find_knee(float *share, size_t count)
{
    qsort(share, count, sizeof *share, compare_down);
    float knee = 0;
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        const double line = (double)share[0] + (double)(share[count - 1] - share[0]) * (double)i /
                                                   (double)(count > 1 ? count - 1 : 1);
        if (line - (double)share[i] > most + 1e-9) {
            most = line - (double)share[i];
            knee = share[i];
        }
    }
    return knee;
}

/* The heads that this word selects count once more; entropy [count] of it. */
static void select_heads(const sac_gaze_heads *found, const float *entropy, uint8_t *taken)
{
    const size_t count = found->layers * found->heads;
    memset(taken, 0, count);
    for (int n = 0; n < SAC_GAZE_SELECTED; n++) {
        size_t best = count;
        for (size_t i = 0; i < count; i++)
            if (!taken[i] && found->on_picture[i] > found->threshold &&
                (best == count || entropy[i] < entropy[best]))
                best = i;
        if (best == count)
            return;
        taken[best] = 1;
        found->frequency[best] += 1;
    }
}

static bool is_better(const sac_gaze_heads *found, size_t a, size_t b)
{
    if (found->frequency[a] != found->frequency[b])
        return found->frequency[a] > found->frequency[b];
    return found->entropy[a] != found->entropy[b] ? found->entropy[a] < found->entropy[b] : a < b;
}

static void rank_heads(sac_gaze_heads *found)
{
    for (size_t i = 0; i < found->layers * found->heads; i++) {
        size_t at = i;
        for (; at > 0 && is_better(found, i, found->rank[at - 1]); at--)
            found->rank[at] = found->rank[at - 1];
        found->rank[at] = i;
    }
}

/* entropy [words,count]. */
static void measure_heads(const float *maps, size_t words, int grid_w, int grid_h,
                          sac_gaze_heads *found, float *entropy, int *work)
{
    const size_t count = found->layers * found->heads, cells = (size_t)grid_w * (size_t)grid_h;
    for (size_t i = 0; i < count; i++) {
        double on_picture = 0, mean = 0;
        for (size_t t = 0; t < words; t++) {
            const float *map = maps + (i * words + t) * cells;
            on_picture += sum_cells(map, (int)cells);
            entropy[t * count + i] = (float)sac_gaze_entropy(map, grid_w, grid_h, work);
            mean += (double)entropy[t * count + i];
        }
        found->on_picture[i] = (float)(on_picture / (double)words);
        found->entropy[i] = (float)(mean / (double)words);
    }
}

sac_status sac_gaze_heads_find(const float *maps, size_t layers, size_t heads, size_t words,
                               int grid_w, int grid_h, sac_gaze_heads *found, sac_error *error)
{
    const size_t count = layers * heads;
    *found = (sac_gaze_heads){.layers = layers, .heads = heads};
    if (!count || !words)
        return sac_fail(error, SAC_E_ARGUMENT, "gaze heads", "give a sentence with a word",
                        "there are no maps to rank");
    float *entropy = malloc(words * count * sizeof *entropy);
    int *work = malloc((size_t)grid_w * (size_t)grid_h * sizeof *work);
    uint8_t *taken = malloc(count);
    found->on_picture = calloc(3 * count, sizeof *found->on_picture);
    found->rank = calloc(count, sizeof *found->rank);
    sac_status status = entropy && work && taken && found->on_picture && found->rank
                            ? SAC_OK
                            : sac_no_memory(error, "gaze heads");
    if (status == SAC_OK) {
        found->entropy = found->on_picture + count;
        found->frequency = found->entropy + count;
        measure_heads(maps, words, grid_w, grid_h, found, entropy, work);
        memcpy(found->frequency, found->on_picture, count * sizeof *found->frequency);
        found->threshold = find_knee(found->frequency, count);
        memset(found->frequency, 0, count * sizeof *found->frequency);
        for (size_t t = 0; t < words; t++)
            select_heads(found, entropy + t * count, taken);
        for (size_t i = 0; i < count; i++)
            found->frequency[i] /= (float)words;
        rank_heads(found);
    }
    free(taken);
    free(work);
    free(entropy);
    if (status != SAC_OK)
        sac_gaze_heads_free(found);
    return status;
}

char *sac_gaze_heads_write(const sac_gaze_heads *found, size_t most, char text[SAC_GAZE_HEADS])
{
    const size_t count = found->layers * found->heads;
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && i < most && found->frequency[found->rank[i]] > 0; i++) {
        const size_t head = found->rank[i];
        char name[48];
        const int length = snprintf(name, sizeof name, "%s%zu.%zu", used ? "," : "",
                                    head / found->heads, head % found->heads);
        if (used + (size_t)length >= SAC_GAZE_HEADS)
            break;
        memcpy(text + used, name, (size_t)length + 1);
        used += (size_t)length;
    }
    return text;
}

static void add_map(const float *map, size_t cells, float share, float *mean)
{
    for (size_t n = 0; n < cells; n++)
        mean[n] += map[n] * share;
}

bool sac_gaze_heads_box(const sac_gaze_heads *found, const float *maps, size_t words, size_t word,
                        int grid_w, int grid_h, float *mean, int *work, float box[4])
{
    const size_t count = found->layers * found->heads, cells = (size_t)grid_w * (size_t)grid_h;
    const size_t best = count < SAC_GAZE_BEST ? count : SAC_GAZE_BEST;
    double most = 0;
    int parts = 0, heaviest = -1;
    memset(mean, 0, cells * sizeof *mean);
    for (size_t i = 0; i < best; i++)
        add_map(maps + (found->rank[i] * words + word) * cells, cells, 1 / (float)best, mean);
    mark_cells(mean, (int)cells, work);
    for (int i = 0; i < (int)cells; i++) {
        if (work[i] != UNSEEN)
            continue;
        const double weight = fill_part(mean, grid_w, grid_h, i, parts, work);
        if (weight > most) {
            most = weight;
            heaviest = parts;
        }
        parts++;
    }
    if (heaviest < 0)
        return false;
    box[0] = (float)grid_w;
    box[1] = (float)grid_h;
    box[2] = box[3] = 0;
    for (int i = 0; i < (int)cells; i++) {
        const float x = (float)(i % grid_w), y = (float)(i / grid_w);
        if (work[i] != heaviest)
            continue;
        box[0] = fminf(box[0], x);
        box[1] = fminf(box[1], y);
        box[2] = fmaxf(box[2], x + 1);
        box[3] = fmaxf(box[3], y + 1);
    }
    return true;
}
