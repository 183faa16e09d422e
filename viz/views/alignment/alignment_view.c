/* The alignment view: a player of the steps, a request for one head's weights, a grid of them, and
 * the two sentences with a band for each weight. */
#include "alignment/alignment_view.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "canvas/text.h"
#include "parts/controls/spots.h"
#include "parts/controls/widgets.h"
#include "parts/figures/frame.h"
#include "parts/figures/grid.h"
#include "parts/figures/lines.h"
#include "parts/playback/player.h"
#include "view/request.h"
#include "view/settings.h"

#define STEP_SECONDS 0.8
#define REST_SECONDS 1.5
#define WORD_LINE 26.0f
#define WORD_GAP 6.0f
#define LARGEST_CELL 56.0f
#define LEAST_BESIDE 860.0f /* width for the lines beside the grid … */
#define LEAST_BELOW 620.0f  /* … and height for them below it */
#define LOW 400.0f /* height of a view below which the sentences stand beside the weights … */
#define LEAST_SENTENCE 220.0f /* … where these are so wide */

/* The weights of one head. */
typedef struct alignment_job {
    viz_job base;
    sac_tile tile;
    size_t layer;
    float *weights; /* [steps,positions]; owned */
    double milliseconds;
} alignment_job;

/* A sentence cut into lines. */
typedef struct words_layout {
    viz_rect word[VIZ_ALIGNMENT_MOST];
    float height;
} words_layout;

typedef struct alignment_layout {
    viz_grid_layout grid;
    viz_lines_layout lines; /* no rows: no space for them */
    words_layout positions, steps;
    viz_rect play, track, bar;
    viz_caps caps;
    float title_w, title_y, positions_y,
        steps_y; /* baselines of the title and of the names of sentences */
} alignment_layout;

typedef struct alignment_view {
    viz_view base;
    int steps, positions;
    size_t layer, head, item; /* item: of the batch */
    viz_request request;
    viz_player player; /* its steps are the source's */
    float *weights;    /* [steps,positions] of one head; owned; NULL: not known yet */
    float most;        /* of them */
    double milliseconds;
    alignment_layout layout;     /* as drawn last */
    int hover_row, hover_column; /* of the grid */
    int line_row, line_column;   /* of the lines: a word of either side */
    bool scrubs;
} alignment_view;

static alignment_view *alignment_of(viz_view *view)
{
    return (alignment_view *)view;
}

static const sac_labels *step_labels(const alignment_view *v)
{
    return sac_source_step_labels(v->base.source, v->item);
}

static const sac_labels *position_labels(const alignment_view *v)
{
    return sac_source_position_labels(v->base.source, v->item);
}

/* Items may have sentences of different lengths: weights of another size are of no use then. */
static void choose_item(alignment_view *v, size_t item)
{
    int steps = (int)sac_source_steps(v->base.source, item);
    int positions = (int)sac_source_positions(v->base.source, item);
    if (steps != v->steps || positions != v->positions) {
        free(v->weights);
        v->weights = NULL;
        v->hover_row = v->hover_column = v->line_row = v->line_column = -1;
        viz_player_rest_at(&v->player, 0);
    }
    v->item = item;
    v->steps = steps;
    v->positions = positions;
}

/* ---------------------------------------------------------------- work */

static uint64_t demand(const alignment_view *v)
{
    const sac_source *source = v->base.source;
    return (uint64_t)((v->item * source->weights.layers + v->layer) * source->weights.heads +
                      v->head);
}

static viz_job *want(viz_view *view)
{
    alignment_view *v = alignment_of(view);
    if (!viz_request_due(&v->request, demand(v)))
        return NULL;
    alignment_job *job = viz_job_create(&viz_alignment_class, sizeof *job);
    if (!job)
        return NULL;
    job->layer = v->layer;
    job->tile = (sac_tile){v->item, v->head, 0, (size_t)v->steps, 0, (size_t)v->positions};
    job->weights = viz_allocate((size_t)v->steps * (size_t)v->positions, sizeof *job->weights);
    if (!job->weights) {
        free(job);
        return NULL;
    }
    return viz_request_submit(&v->request, &job->base, demand(v));
}

static sac_status work(viz_view *view, viz_job *base, sac_error *error)
{
    alignment_job *job = viz_job_of(base, &viz_alignment_class);
    const sac_source *source = view->source;
    double start = sac_now();
    sac_status status =
        source->weights.tile(source->self, job->layer, &job->tile, job->weights, error);
    job->milliseconds = 1e3 * (sac_now() - start);
    return status;
}

static void take(viz_view *view, viz_job *base, const sac_error *error)
{
    alignment_view *v = alignment_of(view);
    alignment_job *job = viz_job_of(base, &viz_alignment_class);
    bool fits = job->tile.rows == (size_t)v->steps && job->tile.cols == (size_t)v->positions;
    if (viz_request_take(&v->request, error) && fits) {
        float *before = v->weights;
        v->weights = job->weights;
        v->milliseconds = job->milliseconds;
        v->most = 0;
        for (int i = 0; i < v->steps * v->positions; i++)
            v->most = fmaxf(v->most, v->weights[i]);
        job->weights = before;
    }
    free(job->weights);
    free(job);
}

/* ---------------------------------------------------------------- layout */

static const viz_key_row caps_keys[] = {{"space", "play"}, {"↑  ↓", "layer"}, {"N", "head"},
                                        {"I", "why"},      {"S", "PNG"},      {"?", "keys"}};

/* Words from (x, y) to the right, in as many lines as they need. */
static void lay_words(words_layout *l, const viz_canvas *canvas, const sac_labels *labels, float x,
                      float y, float width)
{
    float at = x, line = y;
    for (size_t i = 0; i < labels->count; i++) {
        float w = viz_text_width(canvas, VIZ_SANS, VIZ_BODY, labels->text[i]) + 12;
        w = fminf(w, width);
        if (at + w > x + width && at > x) {
            at = x;
            line += WORD_LINE;
        }
        l->word[i] = (viz_rect){at, line, w, WORD_LINE - 4};
        at += w + WORD_GAP;
    }
    l->height = line + WORD_LINE - y;
}

static viz_grid grid_of(const alignment_view *v)
{
    return (viz_grid){.values = v->weights,
                      .rows = v->steps,
                      .columns = v->positions,
                      .row_labels = (const char *const *)step_labels(v)->text,
                      .column_labels = (const char *const *)position_labels(v)->text,
                      .scale = viz_scale_for(VIZ_PER_MAP, v->most),
                      .row = v->player.step,
                      .column = -1,
                      .hover_row = v->hover_row,
                      .hover_column = v->hover_column};
}

static viz_lines lines_of(const alignment_view *v)
{
    return (viz_lines){.weights = v->weights,
                       .rows = v->steps,
                       .columns = v->positions,
                       .row_labels = (const char *const *)step_labels(v)->text,
                       .column_labels = (const char *const *)position_labels(v)->text,
                       .row = v->player.step,
                       .hover_row = v->hover_row >= 0 ? v->hover_row : v->line_row,
                       .hover_column = v->line_column};
}

/* Grid, bar and lines: side by side, or where there is height below each other, or the grid alone.
 */
static void lay_weights(alignment_view *v, const viz_canvas *canvas, viz_rect room)
{
    alignment_layout *l = &v->layout;
    viz_grid grid = grid_of(v);
    viz_lines lines = lines_of(v);
    viz_rect beside = {0};
    l->bar = (viz_rect){0};
    l->lines = (viz_lines_layout){0};
    if (room.w >= LEAST_BESIDE) {
        beside = room;
        room.w = floorf(room.w * 0.44f);
        beside.x += room.w + 40;
        beside.w -= room.w + 40;
    } else if (room.h >= LEAST_BELOW) {
        beside = room;
        room.h = floorf(room.h / 2) - 10;
        beside.y += room.h + 20;
        beside.h -= room.h + 20;
    }
    if (room.w > 300 && room.h > 3 * VIZ_BAR_NAMED_HEIGHT) {
        l->bar = (viz_rect){room.x, room.y + room.h - VIZ_BAR_NAMED_HEIGHT, fminf(room.w, 280),
                            VIZ_BAR_NAMED_HEIGHT};
        room.h -= VIZ_BAR_NAMED_HEIGHT + 12;
    }
    viz_grid_lay(&l->grid, canvas, &grid, room, LARGEST_CELL);
    if (beside.w > 0)
        viz_lines_lay(&l->lines, canvas, &lines, beside);
}

/* Both sentences in `room`, one over the other, each under its name; the room's height is of no
 * account. Returns their height. */
static float lay_sentences(alignment_view *v, const viz_canvas *canvas, viz_rect room)
{
    alignment_layout *l = &v->layout;
    lay_words(&l->positions, canvas, position_labels(v), room.x, room.y + 8, room.w);
    float steps_y = room.y + 8 + l->positions.height + WORD_LINE;
    lay_words(&l->steps, canvas, step_labels(v), room.x, steps_y, room.w);
    l->positions_y = room.y;
    l->steps_y = steps_y - 8;
    return steps_y + l->steps.height - room.y;
}

/* In a low window the sentences stand beside the weights, on the line of the title, if both are
 * short enough; else there is nothing. */
static viz_rect sentences_beside(alignment_view *v, const viz_canvas *canvas, viz_rect area,
                                 float bottom)
{
    float width = floorf(0.44f * (area.w - 2 * VIZ_MARGIN));
    viz_rect room = {area.x + area.w - VIZ_MARGIN - width, v->layout.title_y, width, 0};
    if (area.h >= LOW || width < LEAST_SENTENCE)
        return (viz_rect){0};
    room.h = lay_sentences(v, canvas, room);
    return room.y + room.h > bottom ? (viz_rect){0} : room;
}

/* Lays out from the bottom up: timeline, the sentences; the weights have the rest. */
static void lay(alignment_view *v, const viz_canvas *canvas, viz_rect area)
{
    alignment_layout *l = &v->layout;
    float left = area.x + VIZ_MARGIN, width = area.w - 2 * VIZ_MARGIN;
    float bottom = area.y + area.h - VIZ_MARGIN - VIZ_TIMELINE_HEIGHT;
    float half = fminf(width / 2, 480);
    l->play = (viz_rect){left, bottom, 28, VIZ_TIMELINE_HEIGHT};
    l->track = (viz_rect){left + 44, bottom, half - 44, VIZ_TIMELINE_HEIGHT};
    l->caps = viz_caps_layout(canvas, left + width, bottom + 2, width - half - 20, caps_keys,
                              sizeof caps_keys / sizeof *caps_keys);
    l->title_y = area.y + 24;
    viz_rect room = {left, area.y + 40, width, bottom - 12 - area.y - 40};
    viz_rect beside = sentences_beside(v, canvas, area, bottom);
    l->title_w = width;
    if (beside.w > 0) {
        l->title_w = room.w = beside.x - 32 - left;
    } else {
        float height = lay_sentences(v, canvas, (viz_rect){left, 0, width, 0});
        float top = bottom - VIZ_GAP - height;
        lay_sentences(v, canvas, (viz_rect){left, top, width, 0});
        room.h = top - 20 - room.y;
    }
    lay_weights(v, canvas, room);
}

/* ---------------------------------------------------------------- drawing */

/* The weight of a position at the place where the player is, between two steps while it glides. */
static float weight_now(const alignment_view *v, int position)
{
    float place = viz_player_place(&v->player), from = floorf(place), t = place - from;
    int a = (int)from, b = a + 1 < v->steps ? a + 1 : a;
    const float *column = v->weights + position;
    return column[a * v->positions] * (1 - t) + column[b * v->positions] * t;
}

static void draw_word(viz_canvas *canvas, viz_rect r, const char *word, viz_color color)
{
    char fit[256];
    viz_text_fit(canvas, VIZ_SANS, VIZ_BODY, r.w - 8, word, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_BODY, r.x + r.w / 2, r.y + 16, VIZ_CENTER, color, fit);
}

static void draw_positions(const alignment_view *v, viz_canvas *canvas)
{
    const sac_labels *labels = position_labels(v);
    viz_scale scale = viz_scale_for(VIZ_PER_MAP, v->most);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, v->layout.positions.word[0].x, v->layout.positions_y,
             VIZ_LEFT, canvas->theme->text2, "attends to");
    for (int i = 0; i < v->positions; i++) {
        viz_rect r = v->layout.positions.word[i];
        viz_color text = canvas->theme->text2;
        if (v->weights) {
            viz_color heat =
                viz_map_color(canvas->theme, VIZ_INFERNO, viz_scale_at(&scale, weight_now(v, i)));
            viz_fill_round(canvas, r, 4, heat);
            text = viz_text_on(heat);
        }
        draw_word(canvas, r, labels->text[i], text);
    }
}

/* The weight of the cell under the pointer; else the name of what is shown, or why it is not. */
static void title(const alignment_view *v, char *text, size_t size)
{
    if (v->request.problem[0])
        snprintf(text, size, "%s", v->request.problem);
    else if (v->hover_row >= 0 && v->weights)
        snprintf(text, size, "“%s” → “%s”  %.4f", step_labels(v)->text[v->hover_row],
                 position_labels(v)->text[v->hover_column],
                 (double)v->weights[v->hover_row * v->positions + v->hover_column]);
    else {
        /* Which head is shown, of how many. */
        const sac_source *source = v->base.source;
        char item[48] = "", items[48] = "", heads[96] = "";
        if (source->weights.batch > 1) {
            snprintf(item, sizeof item, "item %zu, ", v->item);
            snprintf(items, sizeof items, "%zu items × ", source->weights.batch);
        }
        if (source->weights.layers * source->weights.heads * source->weights.batch > 1 &&
            !v->base.figure)
            snprintf(heads, sizeof heads, "  ·  %s%zu layer%s × %zu head%s", items,
                     source->weights.layers, source->weights.layers == 1 ? "" : "s",
                     source->weights.heads, source->weights.heads == 1 ? "" : "s");
        snprintf(text, size, "%slayer %zu, head %zu%s", item,
                 sac_source_layer_number(source, v->layer), v->head, heads);
    }
}

static void draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    alignment_view *v = alignment_of(view);
    const alignment_layout *l = &v->layout;
    char text[512], fit[512];
    lay(v, canvas, area);
    title(v, text, sizeof text);
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, l->title_w, text, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, area.x + VIZ_MARGIN, l->title_y, VIZ_LEFT,
             canvas->theme->text2, fit);
    viz_grid grid = grid_of(v);
    viz_grid_draw(&l->grid, canvas, &grid);
    viz_lines lines = lines_of(v);
    if (l->lines.rows)
        viz_lines_draw(&l->lines, canvas, &lines);
    if (l->bar.w > 0 && v->weights)
        viz_bar_draw(canvas, l->bar, viz_map_colors(canvas->theme, VIZ_INFERNO), &grid.scale,
                     1.0f / (float)v->positions, viz_scale_name(grid.scale.kind));
    draw_positions(v, canvas);
    const viz_theme *theme = canvas->theme;
    const sac_labels *labels = step_labels(v);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, v->layout.steps.word[0].x, v->layout.steps_y, VIZ_LEFT,
             theme->text2, "word by word");
    for (int i = 0; i < v->steps; i++) {
        viz_rect r = v->layout.steps.word[i];
        bool current = i == v->player.step, past = i < v->player.step;
        draw_word(canvas, r, labels->text[i],
                  current ? theme->accent
                  : past  ? theme->text
                          : theme->text2);
        if (current)
            viz_fill(canvas, (viz_rect){r.x + 6, r.y + r.h, r.w - 12, 2}, theme->accent);
    }
    viz_timeline_draw_play(canvas, l->play, v->player.playing);
    viz_timeline_draw_track(canvas, l->track, &v->player, v->steps);
    viz_caps_draw(canvas, &l->caps);
}

/* ---------------------------------------------------------------- as a figure */

#define FIGURE_LINE 18.0f

static float figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    const alignment_view *v = alignment_of(view);
    int most = v->steps > v->positions ? v->steps : v->positions;
    (void)canvas;
    (void)width;
    return viz_lines_least_height(most, FIGURE_LINE) + 2 * VIZ_FIGURE_MARGIN;
}

/* Both sentences with the bands between them. */
static void draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    alignment_view *v = alignment_of(view);
    viz_lines lines = lines_of(v);
    float most = 2.2f * area.h, width = fminf(area.w, most); /* farther apart bands lead nowhere */
    viz_rect room = {area.x + (area.w - width) / 2 + VIZ_FIGURE_MARGIN, area.y + VIZ_FIGURE_MARGIN,
                     width - 2 * VIZ_FIGURE_MARGIN, area.h - 2 * VIZ_FIGURE_MARGIN};
    v->layout = (alignment_layout){0};
    char text[512], fit[512];
    title(v, text, sizeof text);
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, room.w / 2, text, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, room.x, room.y + 12, VIZ_LEFT, canvas->theme->text, fit);
    viz_lines_lay(&v->layout.lines, canvas, &lines, room);
    viz_lines_draw(&v->layout.lines, canvas, &lines);
}

/* ---------------------------------------------------------------- events and time */

static bool go(alignment_view *v, int step)
{
    bool was_playing = v->player.playing;
    v->player.playing = false;
    return viz_player_go(&v->player, v->steps, step) || was_playing;
}

/* Round and round. */
static bool choose(size_t *choice, size_t count, bool back)
{
    *choice = (*choice + (back ? count - 1 : 1)) % count;
    return count > 1;
}

static bool press_time(viz_view *view, viz_pressed pressed)
{
    alignment_view *v = alignment_of(view);
    return viz_player_press(&v->player, v->steps, pressed.key, NULL, 0);
}

static bool press_layer(viz_view *view, viz_pressed pressed)
{
    return choose(&alignment_of(view)->layer, view->source->weights.layers, pressed.step < 0);
}

static bool press_head(viz_view *view, viz_pressed pressed)
{
    return choose(&alignment_of(view)->head, view->source->weights.heads, pressed.step < 0);
}

static bool press_item(viz_view *view, viz_pressed pressed)
{
    alignment_view *v = alignment_of(view);
    size_t item = v->item;
    bool turned = choose(&item, view->source->weights.batch, pressed.step < 0);
    choose_item(v, item);
    return turned;
}

static const viz_key_row keys[] = {
    VIZ_PLAYER_KEYS(press_time),
    {"↑  ↓", "layer", press_layer},
    {"N  P", "the next head, the one before", press_head},
    {"PgUp  PgDn", "item of the batch", press_item},
    {"pointer", "on a word: what it attends to, what attends to it"},
    {"click", "on a word, or a row: go there"},
    {NULL, NULL},
};

static bool press(alignment_view *v, const viz_event *event)
{
    const alignment_layout *l = &v->layout;
    int row, column;
    viz_rect track = {l->track.x - 8, l->track.y, l->track.w + 16, l->track.h};
    if (viz_inside(l->play, event->x, event->y))
        return viz_player_press(&v->player, v->steps, ' ', NULL, 0);
    v->scrubs = viz_inside(track, event->x, event->y);
    if (v->scrubs)
        return go(v, viz_timeline_step_at(l->track, v->steps, event->x));
    if (viz_grid_hit(&l->grid, event->x, event->y, &row, &column))
        return go(v, row);
    if (viz_lines_hit(&l->lines, event->x, event->y, &row, &column) && row >= 0)
        return go(v, row);
    for (int i = 0; i < v->steps; i++)
        if (viz_inside(l->steps.word[i], event->x, event->y))
            return go(v, i);
    return false;
}

static bool point(alignment_view *v, const viz_event *event)
{
    int row = v->hover_row, column = v->hover_column;
    int line_row = v->line_row, line_column = v->line_column;
    if (v->scrubs && event->button == 1)
        return go(v, viz_timeline_step_at(v->layout.track, v->steps, event->x));
    viz_grid_hit(&v->layout.grid, event->x, event->y, &v->hover_row, &v->hover_column);
    viz_lines_hit(&v->layout.lines, event->x, event->y, &v->line_row, &v->line_column);
    return row != v->hover_row || column != v->hover_column || line_row != v->line_row ||
           line_column != v->line_column;
}

static bool event(viz_view *view, const viz_event *e)
{
    alignment_view *v = alignment_of(view);
    switch (e->kind) {
    case VIZ_KEY:
        return viz_keys_press(keys, view, e);
    case VIZ_PRESS:
        return e->button == 1 && press(v, e);
    case VIZ_RELEASE:
        v->scrubs = false;
        return false;
    case VIZ_MOVE:
        return point(v, e);
    case VIZ_LEAVE:
        v->hover_row = v->hover_column = v->line_row = v->line_column = -1;
        return true;
    default:
        return false;
    }
}

static bool tick(viz_view *view, double now)
{
    viz_player *p = &alignment_of(view)->player;
    bool was_playing = p->playing;
    viz_player_set_time(p, now);
    bool stepped = viz_player_advance(p, alignment_of(view)->steps);
    return stepped || was_playing != p->playing || viz_player_glided(p) < 1 ||
           viz_player_is_near_step(p);
}

/* ---------------------------------------------------------------- words and frames */

static void status(const viz_view *view, char *text, size_t size)
{
    const alignment_view *v = (const alignment_view *)view;
    const sac_source *source = view->source;
    int used =
        snprintf(text, size, "%s  ·  %d words × %d words", source->title, v->steps, v->positions);
    if (source->origin.device[0] && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, "  ·  %s", source->origin.device);
    bool computed = v->milliseconds >= 0.05; /* or the weights were there already */
    if (source->origin.device[0] && computed && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "  ·  %.1f ms", v->milliseconds);
}

static void tell_layer(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    size_t layer = ((const alignment_view *)view)->layer;
    viz_put_whole(put, user, s->name, (long long)sac_source_layer_number(view->source, layer));
}

static void set_layer(viz_view *view, const viz_setting *s, double number)
{
    size_t layer;
    (void)s;
    if (number < 1e9 && sac_source_find_layer(view->source, (size_t)number, &layer))
        alignment_of(view)->layer = layer;
}

static void set_head(viz_view *view, const viz_setting *s, double number)
{
    (void)s;
    if (number < (double)view->source->weights.heads)
        alignment_of(view)->head = (size_t)number;
}

static void set_item(viz_view *view, const viz_setting *s, double number)
{
    (void)s;
    if (number < (double)view->source->weights.batch)
        choose_item(alignment_of(view), (size_t)number);
}

static void set_word(viz_view *view, const viz_setting *s, double number)
{
    alignment_view *v = alignment_of(view);
    (void)s;
    viz_player_rest_at(&v->player, (int)fmin(number, (double)(v->steps - 1)));
}

#define IN(member) offsetof(alignment_view, member)

static const viz_setting settings[] = {
    {NULL, .tell = viz_tell_source},
    {"layer", VIZ_INDEX, .tell = tell_layer, .set = set_layer},
    {"head", VIZ_INDEX, IN(head), .set = set_head},
    {"batch", VIZ_INDEX, IN(item), .set = set_item},
    {"word", VIZ_WHOLE, IN(player.step), 0, INT_MAX, .set = set_word},
    {"speed", VIZ_REAL, IN(player.speed), 0.25, 4},
    {"loop", VIZ_SWITCH, IN(player.loops), VIZ_NAMES(viz_no_yes)},
    {0},
};

static int frames(const viz_view *view, int fps)
{
    const alignment_view *v = (const alignment_view *)view;
    return viz_player_frames(&v->player, v->steps, fps);
}

static void frame(viz_view *view, int index, int fps)
{
    viz_player_frame(&alignment_of(view)->player, alignment_of(view)->steps, index, fps);
}

/* ---------------------------------------------------------------- the table */

static bool is_sentence(const sac_labels *labels, size_t count)
{
    return count > 0 && count <= VIZ_ALIGNMENT_MOST && labels->count == count;
}

static bool accepts(const sac_source *source)
{
    bool all = source->weights.tile && !source->weights.turned && source->weights.steps > 1 &&
               source->weights.positions > 1;
    for (size_t item = 0; all && item < source->weights.batch; item++)
        all = is_sentence(sac_source_step_labels(source, item), sac_source_steps(source, item)) &&
              is_sentence(sac_source_position_labels(source, item),
                          sac_source_positions(source, item));
    return all;
}

static void destroy(viz_view *view)
{
    free(alignment_of(view)->weights);
    free(view);
}

sac_status viz_alignment_view_create(sac_source *source, viz_view *beside, viz_view **view,
                                     sac_error *error)
{
    alignment_view *v = calloc(1, sizeof *v);
    *view = NULL;
    (void)beside;
    if (!v)
        return sac_no_memory(error, "alignment view");
    v->base = (viz_view){.class = &viz_alignment_class, .source = source};
    v->steps = (int)sac_source_steps(source, 0);
    v->positions = (int)sac_source_positions(source, 0);
    v->hover_row = v->hover_column = v->line_row = v->line_column = -1;
    v->player =
        (viz_player){.step_seconds = STEP_SECONDS, .rest_seconds = REST_SECONDS, .speed = 1};
    *view = &v->base;
    return SAC_OK;
}

static void spots(const viz_view *view, viz_spots *spots)
{
    const alignment_view *v = (const alignment_view *)view;
    const alignment_layout *l = &v->layout;
    viz_rect track = {l->track.x - 8, l->track.y, l->track.w + 16, l->track.h};
    viz_spots_add(spots, l->grid.cells, VIZ_SPOT_AREA,
                  "One row a word, one column what it attends to; click a row to go there.");
    viz_spots_add(spots, viz_lines_side(&l->lines, true), VIZ_SPOT_AREA,
                  "Point at a word to see what it attends to; click to go there.");
    viz_spots_add(spots, viz_lines_side(&l->lines, false), VIZ_SPOT_AREA,
                  "Point at a word to see which words attend to it.");
    for (int i = 0; i < v->positions; i++)
        viz_spots_add(spots, l->positions.word[i], VIZ_SPOT_READS,
                      "The darker or brighter, the more the current word attends to this one.");
    for (int i = 0; i < v->steps; i++)
        viz_spots_add(spots, l->steps.word[i], VIZ_SPOT_PRESSES,
                      "Click to see what this word attends to.");
    if (v->weights)
        viz_spots_add(spots, l->bar, VIZ_SPOT_READS,
                      "What the colours mean; 1/N is the weight that every word would have, were "
                      "all equal.");
    viz_spots_add(spots, l->play, VIZ_SPOT_PRESSES, "Play the words one after the other, or rest.");
    viz_spots_add(spots, track, VIZ_SPOT_SLIDES, "Drag to go through the words.");
    viz_spots_add_caps(spots, &l->caps);
}

/* The current word, and the one that is pointed at or else its largest weight. */
static bool subject(const viz_view *view, viz_subject *s)
{
    const alignment_view *v = (const alignment_view *)view;
    const sac_source *source = view->source;
    int row = v->hover_row >= 0 ? v->hover_row : v->player.step, column = v->hover_column;
    for (int i = 0; i < v->positions && v->hover_column < 0 && v->weights; i++)
        if (column < 0 ||
            v->weights[row * v->positions + i] > v->weights[row * v->positions + column])
            column = i;
    s->request = (sac_explanation_request){.layer = v->layer,
                                           .batch = v->item,
                                           .head = v->head,
                                           .step = (size_t)row,
                                           .position = column > 0 ? (size_t)column : 0};
    s->pointed = v->hover_column >= 0;
    snprintf(s->query, sizeof s->query, "“%s”", step_labels(v)->text[row]);
    if (source->weights.layers * source->weights.heads > 1)
        snprintf(s->where, sizeof s->where, "layer %zu, head %zu",
                 sac_source_layer_number(source, v->layer), v->head);
    return true;
}

static char *key_name(const viz_view *view, size_t position, char *text, size_t size)
{
    snprintf(text, size, "“%s”", position_labels((const alignment_view *)view)->text[position]);
    return text;
}

static bool table(const viz_view *view, viz_table *table)
{
    const alignment_view *v = (const alignment_view *)view;
    *table = (viz_table){(size_t)v->steps, (size_t)v->positions, (size_t)v->player.step, ""};
    snprintf(table->title, sizeof table->title, "layer %zu, head %zu",
             sac_source_layer_number(view->source, v->layer), v->head);
    return v->weights;
}

static char *table_name(const viz_view *view, bool of_row, size_t index, char *text, size_t size)
{
    const alignment_view *v = (const alignment_view *)view;
    snprintf(text, size, "%s",
             of_row ? step_labels(v)->text[index] : position_labels(v)->text[index]);
    return text;
}

static sac_status table_row(viz_view *view, size_t row, float *values, sac_error *error)
{
    const alignment_view *v = alignment_of(view);
    size_t columns = (size_t)v->positions;
    (void)error;
    memcpy(values, v->weights + row * columns, columns * sizeof *values);
    return SAC_OK;
}

const viz_view_class viz_alignment_class = {
    .name = "alignment",
    .tab = "Alignment",
    .accepts = accepts,
    .create = viz_alignment_view_create,
    .draw = draw,
    .figure = draw_figure,
    .figure_height = figure_height,
    .event = event,
    .tick = tick,
    .want = want,
    .work = work,
    .take = take,
    .status = status,
    .settings = {settings},
    .subject = subject,
    .key_name = key_name,
    .table = table,
    .table_name = table_name,
    .table_row = table_row,
    .keys = keys,
    .spots = spots,
    .about = "One sentence beside the other: which word attends to which.",
    .frames = frames,
    .frame = frame,
    .destroy = destroy,
};
