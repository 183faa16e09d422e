/* Weights on their way from one word to the next. */

#include "parts/playback/glide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/canvas.h"
#include "sources/words/peak.h"

static bool skips;

void viz_glide_skip(bool skip)
{
    skips = skip;
}

double viz_glide_seconds(void)
{
    return skips ? 1e-3 : VIZ_GLIDE_SECONDS;
}

float viz_eased(float t)
{
    t = t > 0 ? t < 1 ? t : 1 : 0;
    return t * t * (3 - 2 * t);
}

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

/* The map at a place between cells; beyond the edge, the edge. */
static float sample(const float *map, int w, int h, float x, float y)
{
    float fx = floorf(x), fy = floorf(y), tx = x - fx, ty = y - fy;
    int x0 = clamp((int)fx, 0, w - 1), x1 = clamp((int)fx + 1, 0, w - 1);
    int y0 = clamp((int)fy, 0, h - 1), y1 = clamp((int)fy + 1, 0, h - 1);
    float above = map[y0 * w + x0] + tx * (map[y0 * w + x1] - map[y0 * w + x0]);
    float below = map[y1 * w + x0] + tx * (map[y1 * w + x1] - map[y1 * w + x0]);
    return above + ty * (below - above);
}

/* Both maps are carried along the way between their centres while one fades into the other, so that
 * the heat travels instead of vanishing here and appearing there. `t` 0: from, 1: to, exactly. */
static void blend_moving_maps(viz_glide *g, float t)
{
    float dx = g->to_x - g->from_x, dy = g->to_y - g->from_y;
    for (int y = 0; y < g->grid_h; y++)
        for (int x = 0; x < g->grid_w; x++) {
            float px = (float)x, py = (float)y;
            float old = sample(g->from, g->grid_w, g->grid_h, px - t * dx, py - t * dy);
            float new = sample(g->to, g->grid_w, g->grid_h, px + (1 - t) * dx, py + (1 - t) * dy);
            g->now[y * g->grid_w + x] = old + t * (new - old);
        }
    g->now_x = g->from_x + t * dx;
    g->now_y = g->from_y + t * dy;
}

static size_t map_bytes(const viz_glide *g)
{
    return (size_t)g->grid_w * (size_t)g->grid_h * sizeof *g->now;
}

/* `now` at share `t` of its way. */
static void update_map_at_share(viz_glide *g, float t)
{
    if (t >= 1) {
        memcpy(g->now, g->to, map_bytes(g));
        g->now_x = g->to_x;
        g->now_y = g->to_y;
    } else {
        blend_moving_maps(g, viz_eased(t));
    }
}

bool viz_glide_step(viz_glide *g, double now, double seconds)
{
    if (!g->moving)
        return false;
    float t = (float)((now - g->start) / seconds);
    update_map_at_share(g, t);
    g->moving = t < 1;
    return g->moving;
}

bool viz_glide_resize(viz_glide *g, int grid_w, int grid_h)
{
    size_t count = (size_t)grid_w * (size_t)grid_h;
    float *all = viz_allocate(3 * count, sizeof *all);
    if (!all)
        return false;
    free(g->from);
    *g = (viz_glide){grid_w, grid_h, all, all + count, all + 2 * count};
    return true;
}

void viz_glide_free(viz_glide *g)
{
    free(g->from);
    *g = (viz_glide){0};
}

bool viz_glide_to(viz_glide *g, const sac_result *caption, int word, double start, bool at_once)
{
    bool fresh = g->grid_w != caption->grid_w || g->grid_h != caption->grid_h;
    if (word < 0) {
        viz_glide_free(g);
        return true;
    }
    if (fresh && !viz_glide_resize(g, caption->grid_w, caption->grid_h))
        return false;
    size_t cells = (size_t)g->grid_w * (size_t)g->grid_h;
    memcpy(g->from, g->now, map_bytes(g));
    g->from_x = g->now_x;
    g->from_y = g->now_y;
    memcpy(g->to, caption->weights + (size_t)word * cells, map_bytes(g));
    sac_map_heaviest(g->to, g->grid_w, g->grid_h, &g->to_x, &g->to_y);
    g->start = start;
    g->moving = !fresh && !at_once && !skips; /* a glide of one step would not be drawn again */
    if (!g->moving)
        update_map_at_share(g, 1);
    return true;
}

void viz_glide_from_word(viz_glide *g, const sac_result *caption, int before, int word,
                         double start)
{
    int last = caption->count - 1;
    bool moves = before != word && word <= last;
    if (last < 0)
        return;
    bool shown = viz_glide_to(g, caption, clamp(moves ? before : word, 0, last), start, true);
    if (moves && shown)
        viz_glide_to(g, caption, word, start, false);
}
