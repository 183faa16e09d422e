/* What a drawing lacked. */
#ifndef VIZ_CANVAS_DRAWING_H
#define VIZ_CANVAS_DRAWING_H

#include <errno.h>
#include <stddef.h>

#include "saccade.h"

/* Drawing gives no status. Where something is left out, for want of memory or of a font that cannot
 * be read, its errno is noted on the thread that draws, from viz_drawing_begin on:
 * viz_drawing_check then gives SAC_E_MEMORY or SAC_E_FILE, before a picture with a gap is written.
 * A window draws the next frame anew. */
void viz_drawing_begin(void);
void viz_drawing_fails(int code);
static inline void viz_drawing_lacks_memory(void)
{
    viz_drawing_fails(ENOMEM);
}
void *viz_allocate(size_t count, size_t size); /* calloc that notes it; free() what it gives */
sac_status viz_drawing_check(sac_error *error);

#endif
