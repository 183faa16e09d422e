#include "sources/words/gaze_heads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* ---------------------------------------------------------------- the parts of a map */

enum { BELOW = -2, UNSEEN = -1 };

/* Part `number` begins at cell `from`: its weight. Cells that are still to be looked around are a list in `part`, through
 * the cells themselves, so that no stack is needed: a cell of the list has BELOW − 1 − (the next one, or the number of
 * cells at the end). */
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

/* Of the parts of a map, whose cells have their number in `part`. */
typedef struct parts {
    double all, entropy; /* the weight of all of them */
    double most;         /* … and of the heaviest, … */
    int heaviest;        /* … which has this number; −1: there is none */
} parts;

static parts find_parts(const float *map, int w, int h, int *part)
{
    const int cells = w * h;
    parts found = {.heaviest = -1};
    double sum = 0, logs = 0; /* H = log2 W − Σ w log2 w / W of weights w with the sum W */
    int count = 0;
    for (int i = 0; i < cells; i++)
        sum += (double)map[i];
    for (int i = 0; i < cells; i++)
        part[i] = (double)map[i] > sum / cells * (1 + 1e-6) ? UNSEEN : BELOW;
    for (int i = 0; i < cells; i++) {
        if (part[i] != UNSEEN)
            continue;
        const double weight = fill_part(map, w, h, i, count, part);
        found.all += weight;
        logs += weight * log2(weight);
        if (weight > found.most) {
            found.most = weight;
            found.heaviest = count;
        }
        count++;
    }
    found.entropy = count ? fmax(0, log2(found.all) - logs / found.all) : log2(cells);
    return found;
}

double sac_gaze_entropy(const float *map, int grid_w, int grid_h, int *work)
{
    return find_parts(map, grid_w, grid_h, work).entropy;
}

bool sac_gaze_box(const float *map, int grid_w, int grid_h, int *work, float box[4])
{
    const parts found = find_parts(map, grid_w, grid_h, work);
    box[0] = (float)grid_w;
    box[1] = (float)grid_h;
    box[2] = box[3] = 0;
    for (int i = 0; i < grid_w * grid_h && found.heaviest >= 0; i++) {
        const float x = (float)(i % grid_w), y = (float)(i / grid_w);
        if (work[i] != found.heaviest)
            continue;
        box[0] = fminf(box[0], x);
        box[1] = fminf(box[1], y);
        box[2] = fmaxf(box[2], x + 1);
        box[3] = fmaxf(box[3], y + 1);
    }
    return found.heaviest >= 0;
}

/* ---------------------------------------------------------------- the maps of a head */

sac_status sac_gaze_scan_begin(sac_gaze_scan *scan, size_t rows, int grid_w, int grid_h,
                               sac_error *error)
{
    const size_t cells = (size_t)grid_w * (size_t)grid_h;
    *scan = (sac_gaze_scan){.grid_w = grid_w,
                            .grid_h = grid_h,
                            .rows = rows,
                            .places = malloc(rows * cells + 1),
                            .sums = calloc(cells + 1, sizeof *scan->sums),
                            .work = malloc((cells + 1) * sizeof *scan->work)};
    if (scan->places && scan->sums && scan->work)
        return SAC_OK;
    sac_gaze_scan_free(scan);
    return sac_no_memory(error, "gaze heads");
}

void sac_gaze_scan_free(sac_gaze_scan *scan)
{
    free(scan->places);
    free(scan->sums);
    free(scan->work);
    *scan = (sac_gaze_scan){0};
}

double sac_gaze_scan_map(sac_gaze_scan *scan, const float *map)
{
    const int cells = scan->grid_w * scan->grid_h;
    const parts found = find_parts(map, scan->grid_w, scan->grid_h, scan->work);
    uint8_t *place = scan->places + scan->read++ * (size_t)cells;
    for (int i = 0; i < cells; i++) {
        place[i] = found.heaviest >= 0 && scan->work[i] == found.heaviest;
        scan->sums[i] += (double)map[i];
        scan->on_picture += (double)map[i];
    }
    scan->own += found.most;
    scan->entropy += found.entropy;
    return found.most;
}

void sac_gaze_scan_finish(const sac_gaze_scan *scan, sac_gaze_head *head)
{
    const size_t cells = (size_t)scan->grid_w * (size_t)scan->grid_h;
    const double words = (double)scan->read;
    double all = 0; /* what rows have on the places of all words, their own among them */
    head->score = head->entropy = head->on_picture = 0;
    if (!scan->read)
        return;
    for (size_t i = 0; i < scan->read * cells; i++)
        all += scan->places[i] ? scan->sums[i % cells] : 0;
    const double others = scan->read > 1 ? (all - scan->own) / (words - 1) : 0;
    head->score = (float)fmax(0, (scan->own - others) / words);
    head->entropy = (float)(scan->entropy / words);
    head->on_picture = (float)(scan->on_picture / words);
}

/* ---------------------------------------------------------------- heads */

static int compare_heads(const void *a, const void *b)
{
    const sac_gaze_head *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    if (x->layer != y->layer)
        return x->layer > y->layer ? 1 : -1;
    return (x->head > y->head) - (x->head < y->head);
}

void sac_gaze_heads_rank(sac_gaze_head *heads, size_t count)
{
    qsort(heads, count, sizeof *heads, compare_heads);
}

void sac_gaze_heads_choose(sac_gaze_head *heads, size_t count, size_t together)
{
    const size_t most = SAC_GAZE_HEADS / 8; /* that a text has room for */
    size_t chosen = 0;
    together = together ? together : 1;
    for (size_t i = 0; i < count; i++)
        heads[i].is_chosen = false;
    for (size_t i = 0; i < count && chosen + together <= most && heads[i].score > 0; i++) {
        if (heads[i].is_chosen || heads[i].score < heads[0].score / 2)
            continue;
        for (size_t k = 0; k < count; k++)
            if (heads[k].layer == heads[i].layer &&
                heads[k].head / together == heads[i].head / together) {
                heads[k].is_chosen = true;
                chosen++;
            }
    }
}

char *sac_gaze_heads_write(const sac_gaze_head *heads, size_t count, char text[SAC_GAZE_HEADS])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        char name[48];
        const int length = snprintf(name, sizeof name, "%s%zu.%zu", used ? "," : "", heads[i].layer,
                                    heads[i].head);
        if (!heads[i].is_chosen || used + (size_t)length >= SAC_GAZE_HEADS)
            continue;
        memcpy(text + used, name, (size_t)length + 1);
        used += (size_t)length;
    }
    return text;
}
