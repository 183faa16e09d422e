/* The pointer and the keys in the caption view. */
#include <math.h>
#include <string.h>

#include "caption/caption_state.h"
#include "parts/hidden.h"
#include "parts/player.h"

/* ---------------------------------------------------------------- cells */

static int cell_of(float place, float from, float size, int cells)
{
    return (int)floorf((place - from) / size * (float)cells);
}

static void cell_in(const caption_view *v, float x, float y, int cell[2])
{
    viz_rect picture = v->layout.main.picture;
    const sac_source *source = v->source;
    cell[0] = cell_of(x, picture.x, picture.w, source->picture.grid_w);
    cell[1] = cell_of(y, picture.y, picture.h, source->picture.grid_h);
}

static void hide_stroke(caption_view *v, const int to[2])
{
    int changed = viz_hidden_stroke(v->hidden, v->source->picture.grid_w, v->source->picture.grid_h,
                                    v->brush, to, v->hide_value);
    memcpy(v->brush, to, sizeof v->brush);
    if (changed)
        caption_hidden_changed(v);
}

static size_t cell_count(const caption_view *v)
{
    return (size_t)v->source->picture.grid_w * (size_t)v->source->picture.grid_h;
}

/* From where the drag began to this cell; a rectangle that shrinks again gives its cells back. */
static void hide_rectangle(caption_view *v, const int to[2])
{
    memcpy(v->hidden, v->hidden_before, cell_count(v));
    viz_hidden_rectangle(v->hidden, v->source->picture.grid_w, v->source->picture.grid_h, v->brush,
                         to, v->hide_value);
    caption_hidden_changed(v);
}

static void begin_hiding(caption_view *v, const viz_event *e)
{
    int cell[2];
    cell_in(v, e->x, e->y, cell);
    v->drag = e->shift ? CAPTION_HIDES_RECTANGLE : CAPTION_HIDES;
    v->hide_value = !v->hidden[cell[1] * v->source->picture.grid_w + cell[0]];
    memcpy(v->brush, cell, sizeof v->brush);
    memcpy(v->hidden_before, v->hidden, cell_count(v));
    hide_stroke(v, cell);
}

/* The cell under the pointer: of the picture, or of a row of the matrix. */
static bool point_at(caption_view *v, float x, float y)
{
    viz_rect picture = v->layout.main.picture, matrix = v->layout.main.matrix;
    bool was = v->pointed;
    int before[] = {v->cell_x, v->cell_y, v->cell_word}, cell[2], count = v->caption.count;
    v->pointed = false;
    if (viz_inside(picture, x, y)) {
        cell_in(v, x, y, cell);
        v->pointed = true;
        v->cell_x = cell[0];
        v->cell_y = cell[1];
        v->cell_word = -1;
    } else if (viz_inside(matrix, x, y) && count > 0) {
        int width = v->source->picture.grid_w;
        int place = cell_of(x, matrix.x, matrix.w, width * v->source->picture.grid_h);
        v->pointed = true;
        v->cell_x = place % width;
        v->cell_y = place / width;
        v->cell_word = cell_of(y, matrix.y, matrix.h, count);
    }
    int now[] = {v->cell_x, v->cell_y, v->cell_word};
    return v->pointed != was || (v->pointed && memcmp(before, now, sizeof now) != 0);
}

/* ---------------------------------------------------------------- words */

/* The word of the sentence, strip or matrix at a place; −1: none. */
static int word_at(const caption_view *v, float x, float y)
{
    const caption_side_layout *p = &v->layout.main;
    int count = v->caption.count;
    for (int i = 0; i < count; i++) {
        viz_rect r = v->layout.line.word[i];
        r.x -= 4;
        r.w += 8;
        if (viz_inside(r, x, y) || viz_inside(p->thumb[i], x, y) || viz_inside(p->label[i], x, y) ||
            viz_inside(p->small[i], x, y))
            return i;
    }
    viz_rect rows = {p->matrix_names.x, p->matrix.y, p->matrix.x + p->matrix.w - p->matrix_names.x,
                     p->matrix.h};
    return count > 0 && viz_inside(rows, x, y) ? cell_of(y, rows.y, rows.h, count) : -1;
}

static bool in_sentence(const caption_view *v, int word, float x, float y)
{
    viz_rect r = v->layout.line.word[word];
    return viz_inside((viz_rect){r.x - 4, r.y, r.w + 8, r.h}, x, y);
}

static bool scrub(caption_view *v, float x)
{
    viz_rect track = v->layout.track;
    int words = v->caption.count;
    if (words < 1 || !(track.w > 0))
        return false;
    return caption_go(v, viz_timeline_step_at(track, words, x));
}

static bool press_word(caption_view *v, int word, float x, float y)
{
    bool current = word == caption_word_of(v);
    if (current && in_sentence(v, word, x, y)) {
        caption_list_open(v, word);
        return true;
    }
    v->player.playing = false;
    v->drag = CAPTION_READS;
    caption_go(v, word);
    return true;
}

static bool press_cross(caption_view *v, float x, float y)
{
    for (int i = 0; i < v->caption.count; i++)
        if (v->prefix.replaced[i] && viz_inside(v->layout.line.cross[i], x, y))
            return caption_take_back(v, i);
    return false;
}

/* ---------------------------------------------------------------- keys */

static bool step_word(caption_view *v, int step)
{
    v->player.playing = false;
    caption_go(v, v->player.step + step);
    return true;
}

/* The next of `count` values, or the one before, round and round. */
static int next(int value, int count, bool back)
{
    return (value + (back ? count - 1 : 1)) % count;
}

static bool next_style(caption_view *v, int key, bool back)
{
    viz_heat_style *style = &v->style;
    switch (key) {
    case 'o':
        style->overlay = (viz_overlay)next((int)style->overlay, VIZ_OVERLAY_COUNT, back);
        return true;
    case 'm':
        style->map = (viz_colormap)next((int)style->map, VIZ_DIVERGING, back);
        return true;
    case 'l':
        v->scale = (viz_scale_kind)next((int)v->scale, VIZ_SCALE_COUNT, back);
        return true;
    case 'b':
        style->blocky = !style->blocky;
        return true;
    default:
        style->opacity = fminf(fmaxf(style->opacity + (key == ']' ? 0.05f : -0.05f), 0), 1);
        return true;
    }
}

/* Closes what lies over the rest. False: nothing does; then the last step is taken back. */
static bool escape(caption_view *v)
{
    if (v->hide_mode)
        v->hide_mode = false;
    else if (v->message[0])
        v->message[0] = 0;
    else if (v->matters.on)
        caption_matters_toggle(v);
    else if (v->figure)
        v->figure = false;
    else
        return false;
    return true;
}

static bool show_truth(caption_view *v)
{
    if (v->scene.has_truth)
        v->truth = !v->truth;
    else
        snprintf(v->message, sizeof v->message, "no ground truth for this picture");
    return true;
}

static bool time_key(caption_view *v, int key)
{
    switch (key) {
    case ' ':
        caption_play(v, !v->player.playing);
        return true;
    case VIZ_KEY_LEFT:
        return step_word(v, -1);
    case VIZ_KEY_RIGHT:
        return step_word(v, 1);
    case VIZ_KEY_HOME:
        return step_word(v, -SAC_MAX_TOKENS);
    case VIZ_KEY_END:
        return step_word(v, SAC_MAX_TOKENS);
    case '+':
        return caption_step_value(v, VALUE_SPEED, false);
    case '-':
        return caption_step_value(v, VALUE_SPEED, true);
    case 'y':
        v->player.loops = !v->player.loops;
        snprintf(v->message, sizeof v->message,
                 v->player.loops ? "at the end it begins again" : "at the end it rests");
        return true;
    default:
        return false;
    }
}

/* The line below the sentence says which weights are shown then. */
static bool part_key(caption_view *v, int key, bool back)
{
    int step = key == VIZ_KEY_DOWN || back ? -1 : 1;
    bool there =
        key == 'r' ? caption_set_head(v, v->head + step) : caption_set_layer(v, v->layer + step);
    if (!there)
        snprintf(v->message, sizeof v->message, "this model has one map for each word");
    return true;
}

static bool asking_key(caption_view *v, const viz_event *e)
{
    switch (e->key) {
    case 'n':
        return caption_turn(v, e->shift ? -1 : 1);
    case 'p':
        return caption_turn(v, -1);
    case 'e':
        return caption_step_value(v, VALUE_TEMPERATURE, e->shift);
    case 'w':
        return caption_step_value(v, VALUE_BEAM, e->shift);
    case 'g':
        return caption_step_value(v, VALUE_SCORE, e->shift);
    case VIZ_KEY_UP:
    case VIZ_KEY_DOWN:
    case 'r':
        return part_key(v, e->key, e->shift);
    case 'd':
        return caption_matters_toggle(v);
    case VIZ_KEY_RETURN:
        caption_list_open(v, caption_word_of(v));
        return v->list.open;
    case 'u':
        caption_hide_none(v);
        return true;
    default:
        return false;
    }
}

static bool key(caption_view *v, const viz_event *e)
{
    bool had_message = v->message[0];
    if (e->key == VIZ_KEY_ESCAPE)
        return escape(v);
    v->message[0] = 0;
    if (e->ctrl)
        return had_message;
    if (time_key(v, e->key) || asking_key(v, e))
        return true;
    switch (e->key) {
    case 'h':
        v->hide_mode = !v->hide_mode;
        return true;
    case 't':
        return show_truth(v);
    case 'f':
        v->figure = !v->figure;
        return true;
    case 'o':
    case 'm':
    case 'l':
    case 'b':
    case '[':
    case ']':
        return next_style(v, e->key, e->shift);
    default:
        return had_message;
    }
}

/* ---------------------------------------------------------------- pointer */

static int value_at(const caption_view *v, float x, float y)
{
    for (int i = 0; i < VALUE_COUNT; i++) {
        viz_rect r = v->layout.value[i];
        if (r.w > 0 && viz_inside((viz_rect){r.x - 8, r.y, r.w + 16, r.h}, x, y))
            return i;
    }
    return -1;
}

static bool press_picture(caption_view *v, const viz_event *e)
{
    bool hides = e->button == 3 || (e->button == 1 && (v->hide_mode || e->shift));
    if (!hides || !viz_inside(v->layout.main.picture, e->x, e->y))
        return false;
    begin_hiding(v, e);
    return true;
}

static bool press(caption_view *v, const viz_event *e)
{
    const caption_layout *l = &v->layout;
    viz_rect track = {l->track.x - 8, l->track.y, l->track.w + 16, l->track.h};
    int word, value = value_at(v, e->x, e->y);
    bool had_message = v->message[0];
    v->message[0] = 0;
    if (press_picture(v, e))
        return true;
    if (value >= 0)
        return caption_step_value(v, (caption_value)value, e->button == 3 || e->shift);
    if (e->button != 1)
        return had_message;
    if (press_cross(v, e->x, e->y))
        return true;
    if (viz_inside(l->play, e->x, e->y)) {
        caption_play(v, !v->player.playing);
        return true;
    }
    if (viz_inside(track, e->x, e->y)) {
        v->drag = CAPTION_SCRUBS;
        v->player.playing = false;
        scrub(v, e->x);
        return true;
    }
    word = word_at(v, e->x, e->y);
    return word >= 0 ? press_word(v, word, e->x, e->y) : had_message;
}

static bool move(caption_view *v, const viz_event *e)
{
    int cell[2], word;
    if (v->drag == CAPTION_SCRUBS)
        return scrub(v, e->x);
    if (v->drag == CAPTION_READS) {
        word = word_at(v, e->x, e->y);
        return word >= 0 && caption_go(v, word);
    }
    if (v->drag == CAPTION_HIDES || v->drag == CAPTION_HIDES_RECTANGLE) {
        cell_in(v, e->x, e->y, cell);
        v->drag == CAPTION_HIDES ? hide_stroke(v, cell) : hide_rectangle(v, cell);
        return true;
    }
    return point_at(v, e->x, e->y);
}

static bool wheel(caption_view *v, const viz_event *e)
{
    int value = value_at(v, e->x, e->y);
    if (e->wheel_y == 0)
        return false;
    if (value >= 0)
        return caption_step_value(v, (caption_value)value, e->wheel_y < 0);
    bool below = e->y > v->layout.rule.y;
    return below && step_word(v, e->wheel_y > 0 ? -1 : 1);
}

static bool list_event(caption_view *v, const viz_event *e)
{
    int word;
    bool changed = viz_word_list_event(&v->list, e, &word);
    if (word >= 0)
        caption_replace(v, v->list.word, word);
    return changed;
}

bool caption_event(viz_view *view, const viz_event *e)
{
    caption_view *v = caption_of(view);
    if (v->list.open)
        return list_event(v, e);
    if (v->figure && e->kind != VIZ_KEY)
        return false;
    switch (e->kind) {
    case VIZ_MOVE:
        return move(v, e);
    case VIZ_PRESS:
        return press(v, e);
    case VIZ_RELEASE:
        v->drag = CAPTION_DRAGS_NOTHING;
        return false;
    case VIZ_WHEEL:
        return wheel(v, e);
    case VIZ_KEY:
        return key(v, e);
    case VIZ_LEAVE:
        v->drag = CAPTION_DRAGS_NOTHING;
        v->pointed = false;
        return true;
    default:
        return false;
    }
}
