/* Steps, their timing, and frames of an animation. */
#include <math.h>
#include <stdio.h>

#include "canvas/recording.h"
#include "canvas/tiles.h"
#include "parts/playback/glide.h"
#include "parts/playback/player.h"
#include "view/words.h"

#define NEAR_STEP_SECONDS 0.15
#define LATE_SECONDS 0.1 /* a later step does not make those after it follow faster */
#define ROUNDING 1e-6    /* of index / fps */

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

static double step_seconds(const viz_player *p)
{
    return p->step_seconds / (double)p->speed;
}

double viz_player_glide_seconds(const viz_player *p)
{
    return fmin(viz_glide_seconds(), 0.75 * step_seconds(p));
}

float viz_player_glided(const viz_player *p)
{
    if (!p->has_clock && !p->exporting)
        return 1;
    return viz_eased((float)((p->now - p->glide_since) / viz_player_glide_seconds(p)));
}

float viz_player_place(const viz_player *p)
{
    return p->step_from + ((float)p->step - p->step_from) * viz_player_glided(p);
}

float viz_player_progress(const viz_player *p, int steps)
{
    return steps > 1 ? viz_player_place(p) / (float)(steps - 1) : steps > 0 ? 1 : 0;
}

bool viz_player_go(viz_player *p, int steps, int step)
{
    int before = p->step;
    float place = viz_player_place(p);
    p->step = clamp(step, 0, steps > 0 ? steps - 1 : 0);
    p->step_since = p->now;
    p->chosen = true;
    if (p->step == before)
        return false;
    p->step_from = place;
    p->glide_since = p->now;
    return true;
}

void viz_player_rest_at(viz_player *p, int step)
{
    p->step = step;
    p->step_from = (float)step;
    p->step_since = p->now;
}

bool viz_player_play(viz_player *p, int steps, bool playing)
{
    p->until = 0;
    bool again = playing && p->step >= steps - 1 && viz_player_go(p, steps, 0);
    p->playing = playing;
    p->chosen = p->chosen && !playing;
    p->step_since = p->now;
    return again;
}

void viz_player_arrive(viz_player *p)
{
    const int until = p->playing ? 0 : p->step + 1;
    viz_player_rest_at(p, 0);
    p->until = until;
    p->playing = until != 1;
}

bool viz_player_press(viz_player *p, int steps, int key, char *message, size_t size)
{
    bool was_playing = p->playing;
    if (key == ' ') {
        viz_player_play(p, steps, !was_playing);
    } else if (key == 'y') {
        p->loops = !p->loops;
        if (message)
            snprintf(message, size,
                     p->loops ? "at the end it begins again" : "at the end it rests");
    } else if (key == '+' || key == '-') {
        float step = p->speed < 1 || (key == '-' && p->speed <= 1) ? 0.25f : 0.5f;
        p->speed = fminf(fmaxf(p->speed + (key == '-' ? -step : step), 0.25f), 4);
        if (message)
            snprintf(message, size, viz_word("speed %.2f×"), (double)p->speed);
    } else {
        p->playing = false;
        p->until = 0;
        return viz_player_go(p, steps,
                             key == VIZ_KEY_HOME   ? 0
                             : key == VIZ_KEY_END  ? steps - 1
                             : key == VIZ_KEY_LEFT ? p->step - 1
                                                   : p->step + 1) ||
               was_playing;
    }
    return true;
}

/* ---------------------------------------------------------------- the clock of a window */

bool viz_player_set_time(viz_player *p, double now)
{
    bool begins = !p->has_clock || p->exporting;
    p->now = now;
    if (begins) {
        p->step_since = now;
        p->glide_since = now - VIZ_GLIDE_SECONDS;
    }
    p->has_clock = true;
    p->exporting = false;
    return begins;
}

bool viz_player_advance(viz_player *p, int steps)
{
    bool arrives = p->until > 0 && p->until < steps;
    bool last = p->step >= (arrives ? p->until : steps) - 1, loops = p->loops && !p->until;
    double due = p->step_since + step_seconds(p) + (last && loops ? p->rest_seconds : 0);
    if (!p->playing || steps == 0 || p->now < due)
        return false;
    if (last && !loops) {
        p->playing = false;
        p->until = 0;
        return false;
    }
    double late = p->now - due;
    bool moved = viz_player_go(p, steps, last ? 0 : p->step + 1);
    p->chosen = false;
    p->step_since -= fmin(late, LATE_SECONDS);
    return moved;
}

bool viz_player_is_near_step(const viz_player *p)
{
    return p->playing && p->now > p->step_since + step_seconds(p) - NEAR_STEP_SECONDS;
}

/* ---------------------------------------------------------------- the story, for export */

int viz_player_frames(const viz_player *p, int steps, int fps)
{
    return (int)ceil(fps * (steps * step_seconds(p) + p->rest_seconds) - ROUNDING);
}

void viz_player_set_frame(viz_player *p, int steps, int index, int fps)
{
    p->exporting = true;
    p->now = (double)index / fps;
    p->step = clamp((int)(p->now / step_seconds(p) + ROUNDING), 0, steps - 1);
    p->playing = p->now < steps * step_seconds(p) - ROUNDING;
    p->step_since = p->glide_since = p->step * step_seconds(p);
    p->step_from = (float)(p->step > 0 ? p->step - 1 : 0);
}

bool viz_player_rest_frame_at(viz_player *p, int steps, int step)
{
    if (p->playing)
        return false;
    p->step = step;
    p->step_from = (float)(steps - 1);
    p->step_since = p->glide_since = steps * step_seconds(p);
    return true;
}

/* ---------------------------------------------------------------- a button to play, and a track with a mark for each step */

/* A triangle of lines of one pixel, antialiased along its slopes. */
static void draw_triangle(viz_canvas *canvas, float x, float y, float w, float h, viz_color color)
{
    float d = canvas->density;
    int x0 = (int)lroundf(x * d), x1 = (int)lroundf((x + w) * d);
    viz_pixels box = {x0, (int)floorf(y * d), x1, (int)ceilf((y + h) * d)};
    const float key[] = {x * d, y * d, w * d, h * d};
    viz_note(canvas, box, viz_hash(viz_hash(2, key, sizeof key), &color, sizeof color));
    VIZ_EACH_PART(canvas, box)
    for (int px = canvas->part.x0; px < canvas->part.x1; px++) {
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
