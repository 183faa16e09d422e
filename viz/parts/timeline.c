/* A button to play, and a track with a mark for each step. */

#include "parts/timeline.h"

#include <math.h>

#include "canvas/recording.h"

/* A triangle of lines of one pixel, antialiased along its slopes. */
static void draw_triangle(viz_canvas *canvas, float x, float y, float w, float h, viz_color color)
{
    float d = canvas->density;
    int x0 = (int)lroundf(x * d), x1 = (int)lroundf((x + w) * d);
    for (int px = x0; px < x1; px++) {
        float half = 0.5f * h * d * (1 - ((float)(px - x0) + 0.5f) / (float)(x1 - x0));
        float middle = (y + h / 2) * d, top = middle - half, bottom = middle + half;
        for (int py = (int)floorf(top); py < (int)ceilf(bottom); py++)
            viz_blend(canvas, px, py, color, fminf((float)py + 1, bottom) - fmaxf((float)py, top));
    }
    viz_point corners[] = {{x * d, y * d}, {(x + w) * d, (y + h / 2) * d}, {x * d, (y + h) * d}};
    viz_record(canvas,
               &(viz_shape){
                   .kind = VIZ_SHAPE_POLYGON, .points = corners, .point_count = 3, .color = color});
}

void viz_timeline_draw_play(viz_canvas *canvas, viz_rect rect, bool playing)
{
    float x = rect.x + 6, y = rect.y + rect.h / 2 - 7;
    viz_color color = canvas->theme->text;
    if (!playing) {
        draw_triangle(canvas, x, y, 14, 14, color);
        return;
    }
    viz_fill(canvas, (viz_rect){x, y, 5, 14}, color);
    viz_fill(canvas, (viz_rect){x + 9, y, 5, 14}, color);
}

void viz_timeline_draw_track(viz_canvas *canvas, viz_rect r, const viz_player *player, int steps)
{
    const viz_theme *theme = canvas->theme;
    float y = r.y + r.h / 2, knob = r.x + viz_player_progress(player, steps) * r.w;
    viz_fill_round(canvas, (viz_rect){r.x, y - 2, r.w, 4}, 2, theme->line);
    viz_fill_round(canvas, (viz_rect){r.x, y - 2, knob - r.x, 4}, 2, theme->accent);
    for (int i = 0; i < steps && steps > 1 && r.w / (float)steps > 12; i++) {
        float x = r.x + r.w * (float)i / (float)(steps - 1);
        if (x > knob)
            viz_disc(canvas, x, y, 2, theme->faint);
    }
    viz_disc(canvas, knob, y, 8, viz_with_alpha(theme->text2, 0.5f));
    viz_disc(canvas, knob, y, 7, theme->pale);
}

int viz_timeline_step_at(viz_rect track, int steps, float x)
{
    float place = fminf(fmaxf((x - track.x) / track.w, 0), 1);
    return (int)floorf(place * (float)(steps - 1) + 0.5f);
}
