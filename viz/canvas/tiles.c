/* Notes what is drawn in each tile of a canvas, and finds the tiles that change. */
#include "canvas/tiles.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- hashes */

#define MULTIPLIER 0x9e3779b97f4a7c15u /* odd, its bits without order */

static inline uint64_t mix_hash(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * MULTIPLIER;
    return hash ^ hash >> 29;
}

/* Four words at a time, as each waits for the one before it in its own hash alone. */
uint64_t viz_hash(uint64_t hash, const void *data, size_t bytes)
{
    const uint8_t *at = data;
    uint64_t lanes[4] = {hash, 1, 2, 3}, words[4];
    size_t left = bytes;
    for (; left >= sizeof words; left -= sizeof words, at += sizeof words) {
        memcpy(words, at, sizeof words);
        for (int i = 0; i < 4; i++)
            lanes[i] = mix_hash(lanes[i], words[i]);
    }
    memset(words, 0, sizeof words);
    memcpy(words, at, left);
    for (int i = 0; i < 4; i++)
        lanes[i] = mix_hash(lanes[i], words[i]);
    hash = mix_hash(lanes[0], bytes);
    for (int i = 1; i < 4; i++)
        hash = mix_hash(hash, lanes[i]);
    return hash;
}

/* ---------------------------------------------------------------- noting */

static bool fit_tiles_to_canvas(viz_tiles *t, const viz_canvas *canvas)
{
    int columns = (canvas->width + VIZ_TILE - 1) / VIZ_TILE;
    int rows = (canvas->height + VIZ_TILE - 1) / VIZ_TILE;
    if (t->width == canvas->width && t->height == canvas->height)
        return true;
    viz_tiles_free(t);
    t->noted = calloc((size_t)columns * (size_t)rows, sizeof *t->noted);
    t->before = calloc((size_t)columns * (size_t)rows, sizeof *t->before);
    t->columns = columns;
    t->rows = rows;
    return t->noted && t->before;
}

static void mark_all_for_drawing(viz_tiles *t, const viz_canvas *canvas)
{
    t->parts[0] = (viz_pixels){0, 0, canvas->width, canvas->height};
    t->count = 1;
}

void viz_tiles_begin_noting(viz_tiles *t, viz_canvas *canvas)
{
    viz_drawing_begin();
    if (!fit_tiles_to_canvas(t, canvas)) {
        viz_tiles_free(t);
        mark_all_for_drawing(t, canvas);
        return;
    }
    memset(t->noted, 0, (size_t)t->columns * (size_t)t->rows * sizeof *t->noted);
    t->notes = true;
    canvas->tiles = t;
}

void viz_note(viz_canvas *canvas, viz_pixels box, uint64_t hash)
{
    viz_tiles *t = canvas->tiles;
    viz_pixels p = viz_seen_part(canvas, box);
    if (!viz_is_noting(canvas) || viz_is_empty(p))
        return;
    int x0 = p.x0 / VIZ_TILE, x1 = (p.x1 - 1) / VIZ_TILE;
    int y0 = p.y0 / VIZ_TILE, y1 = (p.y1 - 1) / VIZ_TILE;
    for (int y = y0; y <= y1; y++) {
        uint64_t top = y == y0 ? (uint64_t)p.y0 % VIZ_TILE : 0;
        uint64_t bottom = y == y1 ? (uint64_t)(p.y1 - 1) % VIZ_TILE : VIZ_TILE - 1;
        for (int x = x0; x <= x1; x++) {
            uint64_t left = x == x0 ? (uint64_t)p.x0 % VIZ_TILE : 0;
            uint64_t right = x == x1 ? (uint64_t)(p.x1 - 1) % VIZ_TILE : VIZ_TILE - 1;
            uint64_t *tile = &t->noted[(size_t)y * (size_t)t->columns + (size_t)x];
            *tile = mix_hash(*tile, hash + (top << 24 | bottom << 16 | left << 8 | right));
        }
    }
}

/* ---------------------------------------------------------------- what changes */

/* One more run of tiles that change, in a row below those before it. A rectangle that ends there and is
 * as wide grows by it. False: there are too many. */
static bool add_run(viz_tiles *t, viz_pixels run)
{
    for (int i = t->count - 1; i >= 0; i--) {
        viz_pixels *part = &t->parts[i];
        if (part->y1 == run.y0 && part->x0 == run.x0 && part->x1 == run.x1) {
            part->y1 = run.y1;
            return true;
        }
    }
    if (t->count == VIZ_TILES_PARTS)
        return false;
    t->parts[t->count++] = run;
    return true;
}

static bool changes(const viz_tiles *t, int x, int y)
{
    size_t at = (size_t)y * (size_t)t->columns + (size_t)x;
    return t->noted[at] != t->before[at];
}

void viz_tiles_compare(viz_tiles *t, viz_canvas *canvas)
{
    if (!canvas->tiles) /* there was no memory */
        return;
    if (t->width) {
        bool fits = true;
        t->count = 0;
        for (int y = 0; y < t->rows; y++)
            for (int x = 0, end; x < t->columns; x = end) {
                end = x + 1;
                if (!changes(t, x, y))
                    continue;
                while (end < t->columns && changes(t, end, y))
                    end++;
                viz_pixels run = {x * VIZ_TILE, y * VIZ_TILE, end * VIZ_TILE, (y + 1) * VIZ_TILE};
                run.x1 = run.x1 < canvas->width ? run.x1 : canvas->width;
                run.y1 = run.y1 < canvas->height ? run.y1 : canvas->height;
                fits = fits && add_run(t, run);
            }
        if (!fits)
            mark_all_for_drawing(t, canvas);
    } else
        mark_all_for_drawing(t, canvas);
    uint64_t *noted = t->noted;
    t->noted = t->before;
    t->before = noted;
    t->width = canvas->width;
    t->height = canvas->height;
    t->notes = false;
}

void viz_tiles_end(viz_tiles *t, viz_canvas *canvas)
{
    canvas->tiles = NULL;
    if (viz_drawing_check(NULL) != SAC_OK)
        viz_tiles_free(t);
}

void viz_tiles_free(viz_tiles *t)
{
    free(t->noted);
    free(t->before);
    t->noted = t->before = NULL;
    t->width = t->height = 0;
}

int viz_next_part(viz_canvas *canvas, viz_pixels box, int from)
{
    const viz_tiles *t = canvas->tiles;
    int count = !t ? 1 : t->notes ? 0 : t->count;
    viz_pixels seen = viz_seen_part(canvas, box);
    for (int i = from; i < count; i++) {
        canvas->part = t ? viz_common(t->parts[i], seen) : seen;
        if (!viz_is_empty(canvas->part))
            return i + 1;
    }
    canvas->part = (viz_pixels){0};
    return 0;
}
