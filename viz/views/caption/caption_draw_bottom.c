/* Drawing of the lower part of the caption view: sentence and timeline. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "caption/caption_state.h"
#include "parts/player.h"

/* ---------------------------------------------------------------- the sentence */

static void draw_cross(viz_canvas *canvas, viz_rect r)
{
    float x = r.x + 5, y = r.y + 3, s = 5;
    viz_line(canvas, x, y, x + s, y + s, 1.25f, canvas->theme->text2);
    viz_line(canvas, x + s, y, x, y + s, 1.25f, canvas->theme->text2);
}

void caption_mark_unsure(viz_canvas *canvas, float x, float y, float width)
{
    int teeth = (int)fmaxf(1, roundf(width / 4));
    float step = width / (float)teeth;
    for (int i = 0; i < teeth; i++) {
        float left = x + (float)i * step, up = i % 2 ? 0 : 2;
        viz_line(canvas, left, y + up, left + step, y + 2 - up, 1.25f, canvas->theme->text2);
    }
}

/* Spoken words are bright, the current one is the accent's, those to come are faint. */
static void draw_word(const caption_view *v, viz_canvas *canvas, int word)
{
    const viz_theme *theme = canvas->theme;
    viz_rect r = v->layout.line.word[word];
    float size = v->layout.text_size;
    int current = caption_word_of(v);
    bool here = word == current && v->player.step < v->caption.count;
    viz_color color = here ? theme->accent : word <= current ? theme->text : theme->faint;
    viz_text(canvas, VIZ_SANS, size, r.x, r.y + 0.98f * size, VIZ_LEFT, color,
             v->caption.words[word].text);
    bool wrong = v->truth && v->scene.has_truth && !v->marks[word].right;
    if (wrong) /* struck out, as in a training */
        viz_line(canvas, r.x - 2, r.y + 0.66f * size, r.x + r.w + 2, r.y + 0.66f * size, 1.5f,
                 color);
    if (here)
        viz_fill(canvas, (viz_rect){r.x, r.y + floorf(1.3f * size), r.w, 2}, theme->accent);
    if (v->caption.words[word].unsure)
        caption_mark_unsure(canvas, r.x, r.y + floorf(1.3f * size) + (here ? 5 : 1), r.w);
    if (v->prefix.replaced[word]) {
        viz_disc(canvas, r.x + r.w + 7.5f, r.y + 0.78f * size, 2.5f, theme->accent);
        draw_cross(canvas, v->layout.line.cross[word]);
    }
}

static void draw_sentence(const caption_view *v, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    const sac_caption *caption = &v->caption;
    float size = v->layout.text_size;
    for (int i = 0; i < caption->count; i++)
        draw_word(v, canvas, i);
    viz_rect first = v->layout.line.first;
    if (!caption->count && v->request.out) /* the first time on a device its programs are built */
        viz_text(canvas, VIZ_SANS, size, first.x, first.y + 0.98f * size, VIZ_LEFT, theme->faint,
                 "looking …");
    if (caption->count > 0 && !caption->finished) {
        viz_rect last = v->layout.line.word[caption->count - 1];
        viz_text(canvas, VIZ_SANS, size, last.x + last.w + 4, last.y + 0.98f * size, VIZ_LEFT,
                 theme->faint, "…");
    }
}

static void draw_note(const caption_view *v, viz_canvas *canvas)
{
    viz_rect r = v->layout.line.note;
    char note[512], fit[512];
    caption_note(v, note, sizeof note);
    if (!(r.w > 0) || !note[0])
        return;
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, r.w, note, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x, r.y + 14, VIZ_LEFT, canvas->theme->text2, fit);
}

/* ---------------------------------------------------------------- the timeline */

static int number_of(const caption_view *v, caption_value value)
{
    return value == VALUE_LAYER ? v->layer : value == VALUE_HEAD ? v->head : v->beam;
}

/* A layer or head is counted from 1, and 0 is none. */
static void number_text(const caption_view *v, caption_value value, char *text, size_t size)
{
    bool is_part = value != VALUE_BEAM;
    int number = number_of(v, value);
    if (is_part && number == 0)
        snprintf(text, size, "mean");
    else
        snprintf(text, size, "%d", number - is_part);
}

static void value_text(const caption_view *v, caption_value value, char *text, size_t size)
{
    switch (value) {
    case VALUE_SPEED: {
        bool quarter = fabsf(v->player.speed * 2 - roundf(v->player.speed * 2)) > 0.01f;
        snprintf(text, size, quarter ? "%.2f×" : "%.1f×", (double)v->player.speed);
        break;
    }
    case VALUE_TEMPERATURE:
        snprintf(text, size, "%.2f", (double)v->temperature);
        break;
    case VALUE_SCORE:
        snprintf(text, size, "%s", caption_score(v));
        break;
    default:
        number_text(v, value, text, size);
    }
}

/* A value that is not the usual one is bright. */
static bool is_usual(const caption_view *v, caption_value value)
{
    return value == VALUE_SPEED         ? v->player.speed == 1
           : value == VALUE_TEMPERATURE ? v->temperature == 1
           : value == VALUE_SCORE
               ? v->model == 0
               : number_of(v, value) == (value == VALUE_BEAM ? sac_source_beam(v->source) : 0);
}

static void draw_values(const caption_view *v, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    char text[64];
    for (int i = 0; i < VALUE_COUNT; i++) {
        viz_rect r = v->layout.value[i];
        const char *label = caption_value_names[i];
        float x = r.x, y = r.y + r.h / 2 + 4.5f;
        if (!(r.w > 0))
            continue;
        value_text(v, (caption_value)i, text, sizeof text);
        if (label[0])
            x += viz_text(canvas, VIZ_SANS, VIZ_LABEL, x, y, VIZ_LEFT, theme->text2, label) + 6;
        viz_text(canvas, i == VALUE_SCORE ? VIZ_SANS : VIZ_MONO, VIZ_LABEL, x, y, VIZ_LEFT,
                 is_usual(v, (caption_value)i) ? theme->text2 : theme->text, text);
    }
}

void caption_draw_bottom(const caption_view *v, viz_canvas *canvas)
{
    viz_fill(canvas, v->layout.rule, canvas->theme->line);
    draw_sentence(v, canvas);
    draw_note(v, canvas);
    viz_timeline_draw_play(canvas, v->layout.play, v->player.playing);
    viz_timeline_draw_track(canvas, v->layout.track, &v->player, v->caption.count);
    draw_values(v, canvas);
    viz_caps_draw(canvas, &v->layout.caps);
}
