/* The list of shapes and texts that a canvas was asked to draw, in order: for files in which a
 * letter is a letter, such as SVG and PDF. A canvas that has a recording draws the same pixels as
 * without one and notes each shape beside them:
 *
 *     viz_recording recording = {0};
 *     canvas.recording = &recording;
 *     viz_shell_draw(shell, &canvas);      // viz_clear empties the list
 *     … recording.shapes[0 … count − 1] …
 *     viz_recording_free(&recording);
 *
 * All places are in pixels of the canvas. What the clip hides is not noted, and rectangles and
 * images are noted as far as they are seen. */
#ifndef VIZ_CANVAS_RECORDING_H
#define VIZ_CANVAS_RECORDING_H

#include "canvas/text.h"

typedef enum viz_shape_kind {
    VIZ_SHAPE_FILL = 0, /* the box, its corners of `radius` */
    VIZ_SHAPE_FRAME,    /* `thickness` along the inside of the box */
    VIZ_SHAPE_LINE,     /* points[0] to points[1], `thickness` wide, with round ends */
    VIZ_SHAPE_POLYGON,  /* points */
    VIZ_SHAPE_HATCH,    /* the strokes of viz_shape_stroke over the box */
    VIZ_SHAPE_TEXT,     /* its baseline begins in points[0] */
    VIZ_SHAPE_IMAGE,    /* over the box */
    VIZ_SHAPE_CELLS     /* the same, each pixel a cell: viz_shape_cell */
} viz_shape_kind;

typedef struct viz_point {
    float x, y;
} viz_point;

typedef struct viz_shape {
    viz_shape_kind kind;
    viz_color color;
    viz_pixels box;
    viz_pixels clip; /* nothing of it is seen outside */
    float radius, thickness;
    int pitch;         /* from stroke to stroke of a hatch, along x */
    viz_point *points; /* owned */
    size_t point_count;
    sac_image image; /* owned */
    char *text;      /* owned; UTF-8 without control characters */
    viz_face face;
    int size;      /* of the text */
    float advance; /* of the whole text as the canvas set it */
    bool upwards;  /* it runs towards smaller y */
} viz_shape;

typedef struct viz_recording {
    viz_shape *shapes; /* owned */
    size_t count, room;
} viz_recording;

/* Smaller cells are recorded as one image: they could not be pointed at, and a file with a million
 * of them would take a minute to open. */
#define VIZ_LEAST_CELL 2.0f /* logical units */

void viz_recording_free(viz_recording *recording);
/* Moves all shapes of `from`, which is empty then, to the end of `to`, so many pixels further. */
void viz_recording_move(viz_recording *to, viz_recording *from, int dx, int dy);
/* True where the clip leaves a part of the shape out. */
bool viz_shape_is_cut(const viz_shape *shape);
/* Stroke `index` of a hatch, cut to its box; false past the last. */
bool viz_shape_stroke(const viz_shape *shape, int index, viz_point *from, viz_point *to);
/* The pixels of a cell, as far as the clip shows them; empty where it shows none. */
viz_pixels viz_shape_cell(const viz_shape *shape, int row, int column);
viz_color viz_shape_cell_color(const viz_shape *shape, int row, int column);

/* Record one shape each; they do nothing on a canvas without a recording. They are called wherever
 * pixels are drawn: in canvas.h, heat.h and text.h, and by code that uses viz_blend. */
void viz_record_clear(viz_canvas *canvas);
/* Copies what `shape` lends; its clip is the canvas's. */
void viz_record(viz_canvas *canvas, const viz_shape *shape);
/* An image of what the canvas shows in the box, after that was drawn. */
void viz_record_pixels(viz_canvas *canvas, viz_pixels box);

#endif
