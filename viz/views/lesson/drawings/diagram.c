/* A transformer's diagram over the whole page. It is drawn, and its parts are pressed, as where it
 * stands above arrays (lesson_draw.c). */
#include "lesson/drawings/drawings.h"

static void lay(lesson_view *v, const viz_canvas *canvas, const sac_lesson_drawing *drawing)
{
    (void)canvas, (void)drawing;
    v->layout.block = v->layout.drawing.room;
    v->layout.block_large = true;
}

static void draw(const lesson_view *v, viz_canvas *canvas, const sac_lesson_drawing *drawing)
{
    (void)v, (void)canvas, (void)drawing;
}

const lesson_drawing_class lesson_diagram = {.lay = lay, .draw = draw};
