/* What of a canvas changes from one frame of a window to the next, so that the rest is neither drawn
 * again nor compared nor copied. Views know nothing of it. A frame is drawn twice by the same code:
 *
 *     viz_tiles_begin_noting(&tiles, &canvas);
 *     viz_shell_draw(shell, &canvas);      // touches no pixel
 *     viz_tiles_compare(&tiles, &canvas);
 *     viz_shell_draw(shell, &canvas);      // touches those of tiles->parts
 *     viz_tiles_end(&tiles, &canvas);
 *
 * The first time each shape notes a hash of all that its pixels depend on in the tiles that it may
 * touch. A tile where the same was noted for the frame before, in the same order, is right as it is. */
#ifndef VIZ_CANVAS_TILES_H
#define VIZ_CANVAS_TILES_H

#include "canvas/canvas.h"

#define VIZ_TILE 32         /* pixels: the side of a tile */
#define VIZ_TILES_PARTS 256 /* rectangles of tiles; what would be more is drawn as one */

typedef struct viz_tiles {
    int width, height; /* of the canvas that was noted last, in pixels; 0: none was, all is drawn */
    int columns, rows;
    uint64_t *noted, *before; /* [rows,columns] of this frame and of the one before; owned */
    bool notes;               /* shapes are noted now, and not drawn */
    viz_pixels parts[VIZ_TILES_PARTS]; /* what changes, of whole tiles, none over another */
    int count;
} viz_tiles;

/* From here to viz_tiles_end the canvas keeps to `tiles`, zeroed or of the frame before. Without memory
 * all is drawn. */
void viz_tiles_begin_noting(viz_tiles *tiles, viz_canvas *canvas);
void viz_tiles_compare(viz_tiles *tiles, viz_canvas *canvas);
/* Where the drawing lacked something (viz_drawing_check), the next frame is drawn whole. */
void viz_tiles_end(viz_tiles *tiles, viz_canvas *canvas);
void viz_tiles_free(viz_tiles *tiles);

/* ---------------------------------------------------------------- for code that touches pixels */

/* True while shapes are noted and not drawn. */
static inline bool viz_is_noting(const viz_canvas *canvas)
{
    return canvas->tiles && canvas->tiles->notes;
}
/* Notes that a shape may touch the pixels of `box` that the clip shows, and that what it does to a pixel
 * depends on `hash`, on what is below, and on nothing else. Does nothing while shapes are drawn. */
void viz_note(viz_canvas *canvas, viz_pixels box, uint64_t hash);
/* `data` added to a hash. It has no padding. */
uint64_t viz_hash(uint64_t hash, const void *data, size_t bytes);

/* The pixels of `box` that are drawn now, a rectangle at a time, in canvas->part; none while shapes are
 * noted. The loop is not left early. */
#define VIZ_EACH_PART(canvas, box)                                                                 \
    for (int part_ = viz_next_part(canvas, box, 0); part_;                                         \
         part_ = viz_next_part(canvas, box, part_))
/* Opens the first part at or after `from`; 0: there is none, else where the one after it begins. */
int viz_next_part(viz_canvas *canvas, viz_pixels box, int from);

#endif
