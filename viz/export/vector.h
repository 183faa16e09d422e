/* A recording into a file in which text is text and cells are shapes. One unit of the file is a
 * logical unit of the canvas, 1/96 inch; pictures are embedded with the canvas's pixels. */
#ifndef VIZ_EXPORT_VECTOR_H
#define VIZ_EXPORT_VECTOR_H

#include "canvas/recording.h"
#include "images/png_write.h"

typedef struct viz_page {
    const viz_recording *recording;
    int width, height;         /* of the canvas, in pixels */
    float density;             /* pixels to a logical unit */
    const sac_png_text *notes; /* where the page came from: written as "key: value" */
    size_t note_count;
} viz_page;

sac_status viz_svg_save(const viz_page *page, const char *path, sac_error *error);
/* A page each; all have the size and the notes of the first. */
sac_status viz_pdf_save(const viz_page *pages, int count, const char *path, sac_error *error);

/* The rectangle that is painted for a cell: it reaches below its right and lower neighbours, which
 * are painted over it, so that no seam is seen where a viewer smooths edges. False where its clip
 * hides it. */
bool viz_page_cell(const viz_page *page, const viz_shape *shape, int row, int column,
                   viz_pixels *box);

#endif
