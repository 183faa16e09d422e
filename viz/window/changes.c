#include "window/changes.h"

#include <string.h>

/* RGBA bytes as the display's 0xxxRRGGBB word. It is loaded whole: of four loads of a byte
 * compilers make no vector instructions worth having. */
static inline uint32_t word_of(const uint8_t *rgba)
{
    uint32_t abgr;
    memcpy(&abgr, rgba, sizeof abgr);
    abgr = SDL_SwapLE32(abgr);
    return 0xff000000u | (abgr & 0xff) << 16 | (abgr & 0xff00) | (abgr >> 16 & 0xff);
}

static bool row_differs(const uint8_t *restrict from, const uint32_t *restrict to, int width)
{
    uint32_t changed = 0;
    for (int x = 0; x < width; x++)
        changed |= word_of(from + 4 * x) ^ to[x];
    return changed != 0;
}

static void copy_row(const uint8_t *restrict from, uint32_t *restrict to, int width)
{
    for (int x = 0; x < width; x++)
        to[x] = word_of(from + 4 * x);
}

size_t viz_changes_most(const viz_canvas *canvas)
{
    return (size_t)(canvas->width / VIZ_TILE + 1) * (size_t)(canvas->height / VIZ_TILE + 1);
}

/* A row of tiles, from x0 to x1. */
typedef struct band {
    const viz_canvas *canvas;
    uint8_t *pixels;
    size_t pitch;
    int x0, x1, y, h;
} band;

static const uint8_t *source_row(const band *b, int y)
{
    return b->canvas->rgba + 4 * ((size_t)y * (size_t)b->canvas->width);
}

static uint32_t *target_row(const band *b, int y)
{
    return (uint32_t *)(void *)(b->pixels + (size_t)y * b->pitch);
}

/* tiles[i].h becomes 0 where tile i of the band is on the display already. Pixels are read row by
 * row, not tile by tile: in the order in which they lie in memory, which is several times as fast.
 */
static void find_changed(const band *b, bool whole, SDL_Rect *tiles)
{
    int count = 0;
    for (int x = b->x0; x < b->x1; x += VIZ_TILE)
        tiles[count++] = (SDL_Rect){x, b->y, SDL_min(VIZ_TILE, b->x1 - x), whole ? b->h : 0};
    for (int y = b->y; y < b->y + b->h; y++)
        for (SDL_Rect *tile = tiles; tile < tiles + count; tile++)
            if (!tile->h &&
                row_differs(source_row(b, y) + 4 * tile->x, target_row(b, y) + tile->x, tile->w))
                tile->h = b->h;
}

/* Makes one rectangle of neighbours that changed. Returns how many there are. */
static int join_changed(const band *b, SDL_Rect *tiles)
{
    int count = 0, end = 0; /* the last rectangle's right edge */
    for (int i = 0; b->x0 + i * VIZ_TILE < b->x1; i++) {
        SDL_Rect tile = tiles[i];
        if (!tile.h)
            continue;
        if (count && end == tile.x)
            tiles[count - 1].w += tile.w;
        else
            tiles[count++] = tile;
        end = tile.x + tile.w;
    }
    return count;
}

static void copy_rect(const band *b, const SDL_Rect *rect)
{
    for (int y = rect->y; y < rect->y + rect->h; y++)
        copy_row(source_row(b, y) + 4 * rect->x, target_row(b, y) + rect->x, rect->w);
}

int viz_changes_copy(const viz_canvas *canvas, const viz_pixels *parts, int count, void *pixels,
                     size_t pitch, bool whole, SDL_Rect *changed)
{
    int found = 0;
    for (const viz_pixels *part = parts; part < parts + count; part++)
        for (int y = part->y0; y < part->y1; y += VIZ_TILE) {
            band b = {
                canvas, pixels, pitch, part->x0, part->x1, y, SDL_min(VIZ_TILE, part->y1 - y)};
            find_changed(&b, whole, changed + found);
            int more = join_changed(&b, changed + found);
            for (int i = found; i < found + more; i++)
                copy_rect(&b, &changed[i]);
            found += more;
        }
    return found;
}
