/* The simulated scan path: chooses the next fixation by attention, contrast and the path so far. */

#include "picture/picture_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/colormap.h"
#include "images/resample.h"

void viz_gaze_forget(viz_gaze *gaze)
{
    memset(gaze->seen, 0, (size_t)gaze->grid_w * (size_t)gaze->grid_h * sizeof *gaze->seen);
    gaze->path_count = 0;
}

void viz_gaze_free(viz_gaze *gaze)
{
    free(gaze->seen);
    free(gaze->pull);
    *gaze = (viz_gaze){0};
}

void viz_gaze_fixate(viz_gaze *gaze, int x, int y, const float *weights)
{
    size_t count = (size_t)gaze->grid_w * (size_t)gaze->grid_h;
    for (size_t i = 0; i < count; i++)
        gaze->seen[i] += weights[i];
    if (gaze->path_count == GAZE_PATH)
        memmove(gaze->path, gaze->path + 1, (GAZE_PATH - 1) * sizeof *gaze->path);
    else
        gaze->path_count++;
    gaze->path[gaze->path_count - 1] = (gaze_point){((float)x + 0.5f) / (float)gaze->grid_w,
                                                    ((float)y + 0.5f) / (float)gaze->grid_h};
}

/* The squared distance from the middle of cell (x, y) to the nearest fixation of the path, as a
 * share of the grid's longer side. */
static float path_distance(const viz_gaze *gaze, int x, int y)
{
    float nearest = 1;
    float longer = (float)(gaze->grid_w > gaze->grid_h ? gaze->grid_w : gaze->grid_h);
    for (int i = 0; i < gaze->path_count; i++) {
        float dx = gaze->path[i].x * (float)gaze->grid_w - (float)x - 0.5f;
        float dy = gaze->path[i].y * (float)gaze->grid_h - (float)y - 0.5f;
        nearest = fminf(nearest, (dx * dx + dy * dy) / (longer * longer));
    }
    return nearest;
}

bool viz_gaze_next(const viz_gaze *gaze, const uint8_t *hidden, int *x, int *y)
{
    int count = gaze->grid_w * gaze->grid_h;
    float least = INFINITY, best = -1;
    for (int i = 0; i < count; i++)
        if (!hidden || !hidden[i])
            least = fminf(least, gaze->seen[i]);
    float equal = fmaxf(1.25f * least, 0.25f / (float)count);
    for (int i = 0; i < count; i++) {
        if ((hidden && hidden[i]) || gaze->seen[i] > equal)
            continue;
        int cx = i % gaze->grid_w, cy = i / gaze->grid_w;
        /* A fixation keeps later ones at least a sixth of the picture away. */
        float away = 1 - expf(-36 * path_distance(gaze, cx, cy));
        if (gaze->pull[i] * away > best) {
            best = gaze->pull[i] * away;
            *x = cx;
            *y = cy;
        }
    }
    return best >= 0;
}

void viz_gaze_first(const viz_gaze *gaze, int *x, int *y)
{
    int best = 0;
    for (int i = 1; i < gaze->grid_w * gaze->grid_h; i++)
        if (gaze->pull[i] > gaze->pull[best])
            best = i;
    *x = best % gaze->grid_w;
    *y = best / gaze->grid_w;
}

/* ---------------------------------------------------------------- what stands out */

/* The distance of cell (x, y)'s colour from the mean of the cells within `reach`. */
static float contrast_at(const float (*lab)[3], int grid_w, int grid_h, int x, int y, int reach)
{
    float mean[3] = {0}, sum = 0;
    int count = 0;
    for (int j = y - reach; j <= y + reach; j++)
        for (int i = x - reach; i <= x + reach; i++) {
            if (i < 0 || j < 0 || i >= grid_w || j >= grid_h)
                continue;
            count++;
            for (int c = 0; c < 3; c++)
                mean[c] += lab[j * grid_w + i][c];
        }
    for (int c = 0; c < 3; c++) {
        float d = lab[y * grid_w + x][c] - mean[c] / (float)count;
        sum += d * d;
    }
    return sqrtf(sum);
}

/* Initial saliency: colour that differs from its surroundings, near the middle rather than the
 * edge, as people look first. */
static bool compute_initial_saliency(const sac_image *image, int grid_w, int grid_h, float *pull)
{
    sac_image cells = {0};
    float(*lab)[3] = viz_allocate((size_t)grid_w * (size_t)grid_h, sizeof *lab);
    if (!lab || sac_image_scale(image, grid_w, grid_h, true, &cells, NULL) != SAC_OK) {
        viz_drawing_lacks_memory();
        free(lab);
        return false;
    }
    for (int i = 0; i < grid_w * grid_h; i++) {
        const uint8_t *c = cells.rgba + 4 * i;
        viz_color_lab((viz_color){c[0], c[1], c[2], 255}, lab[i]);
    }
    int reach = (grid_w > grid_h ? grid_w : grid_h) / 6 + 1;
    for (int y = 0; y < grid_h; y++)
        for (int x = 0; x < grid_w; x++) {
            float dx = ((float)x + 0.5f) / (float)grid_w - 0.5f;
            float dy = ((float)y + 0.5f) / (float)grid_h - 0.5f;
            pull[y * grid_w + x] = expf(-6 * (dx * dx + dy * dy)) *
                                   (1 + contrast_at(lab, grid_w, grid_h, x, y, reach));
        }
    sac_image_free(&cells);
    free(lab);
    return true;
}

bool viz_gaze_resize(viz_gaze *gaze, const sac_image *image, int grid_w, int grid_h)
{
    size_t count = (size_t)grid_w * (size_t)grid_h;
    float *seen = viz_allocate(count, sizeof *seen), *pull = viz_allocate(count, sizeof *pull);
    if (!seen || !pull || !compute_initial_saliency(image, grid_w, grid_h, pull)) {
        free(seen);
        free(pull);
        return false;
    }
    free(gaze->seen);
    free(gaze->pull);
    gaze->seen = seen;
    gaze->pull = pull;
    gaze->grid_w = grid_w;
    gaze->grid_h = grid_h;
    return true;
}
