#include "parts/boxes.h"

static void draw_box(viz_canvas *canvas, viz_rect picture, const float box[4], bool own,
                     float thickness)
{
    float t = own ? 1.6f * thickness : thickness;
    viz_rect r = {picture.x + box[0] * picture.w - t, picture.y + box[1] * picture.h - t,
                  (box[2] - box[0]) * picture.w + 2 * t, (box[3] - box[1]) * picture.h + 2 * t};
    viz_rect around = {r.x - 1, r.y - 1, r.w + 2, r.h + 2};
    viz_frame(canvas, around, t + 2, viz_with_alpha((viz_color){0, 0, 0, 255}, 0.25f));
    viz_frame(canvas, r, t, own ? canvas->theme->accent : (viz_color){205, 210, 216, 200});
}

void viz_look_draw(viz_canvas *canvas, viz_rect picture, const sac_look *look, bool own,
                   float thickness)
{
    for (int k = 0; k < look->count; k++)
        draw_box(canvas, picture, look->box[k], own, thickness);
}
