#include "window/changes.h"

/* RGBA bytes as the display's 0xxxRRGGBB words. */
static uint32_t word_of(const uint8_t *rgba)
{
    return 0xff000000u | (uint32_t)rgba[0] << 16 | (uint32_t)rgba[1] << 8 | rgba[2];
}

/* Copies a tile; true where a pixel of it was another one. */
static bool copy_tile(const viz_canvas *canvas, uint8_t *pixels, size_t pitch, const SDL_Rect *tile)
{
    uint32_t changed = 0;
    for (int y = tile->y; y < tile->y + tile->h; y++) {
        const uint8_t *from = canvas->rgba + 4 * ((size_t)y * (size_t)canvas->width);
        uint32_t *to = (uint32_t *)(void *)(pixels + (size_t)y * pitch);
        for (int x = tile->x; x < tile->x + tile->w; x++) {
            uint32_t word = word_of(from + 4 * (size_t)x);
            changed |= word ^ to[x];
            to[x] = word;
        }
    }
    return changed != 0;
}

size_t viz_changes_most(const viz_canvas *canvas)
{
    return (size_t)(canvas->width / VIZ_TILE + 1) * (size_t)(canvas->height / VIZ_TILE + 1);
}

int viz_changes_copy(const viz_canvas *canvas, void *pixels, size_t pitch, bool whole,
                     SDL_Rect *changed)
{
    int count = 0;
    for (int y = 0; y < canvas->height; y += VIZ_TILE) {
        bool joins = false;
        for (int x = 0; x < canvas->width; x += VIZ_TILE) {
            SDL_Rect tile = {x, y, SDL_min(VIZ_TILE, canvas->width - x),
                             SDL_min(VIZ_TILE, canvas->height - y)};
            bool sent = copy_tile(canvas, pixels, pitch, &tile) || whole;
            if (sent && joins)
                changed[count - 1].w += tile.w;
            else if (sent)
                changed[count++] = tile;
            joins = sent;
        }
    }
    return count;
}
