/* The kinds of drawings that a step of a lesson can have. A kind lays out what it draws, draws it
 * and finds the numbers of a place; the room, the handles and what a hand does with them are
 * the same for all (drawings.c). */
#ifndef VIZ_LESSON_DRAWINGS_DRAWINGS_H
#define VIZ_LESSON_DRAWINGS_DRAWINGS_H

#include "lesson/lesson_state.h"

typedef struct lesson_drawing_class {
    /* Lays out panels in the layout's room, then the places of handles that are shown. */
    void (*lay)(lesson_view *v, const viz_canvas *canvas, const sac_lesson_drawing *drawing);
    void (*draw)(const lesson_view *v, viz_canvas *canvas, const sac_lesson_drawing *drawing);
    /* The width that it leaves free beside the arrays, whatever the room: the height of what it draws
     * sets its width. NULL: none, it fills the room. */
    float (*spare)(const lesson_view *v, const viz_canvas *canvas,
                   const sac_lesson_drawing *drawing);
    /* What is laid out can be read: there is room for its labels. NULL: always. */
    bool (*legible)(const lesson_view *v, const sac_lesson_drawing *drawing);
    /* The numbers at a place, which is brought into the handle's panel; NULL: it has no handles. */
    void (*at)(const lesson_view *v, const sac_drawing_handle *handle, float x, float y,
               float *at_x, float *at_y);
    /* In place of that: the handle that is held goes to a place. */
    void (*drag)(lesson_view *v, const sac_lesson_drawing *drawing, float x, float y);
    /* What a hand does beside handles, and where it can; NULL: nothing. */
    bool (*event)(lesson_view *v, const viz_event *event, const sac_lesson_drawing *drawing);
    void (*spots)(const lesson_view *v, const sac_lesson_drawing *drawing, viz_spots *spots);
    /* What it shows one after the other while the lesson plays: how many at a step, and the cell of
     * one of them, array 0: none; NULL: it shows all at once. */
    int (*beats)(const lesson_view *v, const sac_lesson_drawing *drawing, int step);
    lesson_cell (*beat_cell)(const lesson_view *v, const sac_lesson_drawing *drawing, int beat);
} lesson_drawing_class;

/* In the order of sac_drawing_kind. */
extern const lesson_drawing_class *const lesson_drawing_kinds[SAC_DRAWING_KINDS];
extern const lesson_drawing_class lesson_plot, lesson_matrix, lesson_bands, lesson_rows,
    lesson_picture;

/* Of the room beside the other panels that are shown. */
static inline float lesson_panel_share(const sac_drawing_panel *panel)
{
    return panel->share > 0 ? panel->share : 1;
}

#endif
