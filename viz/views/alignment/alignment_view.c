/* The alignment view: a player of the steps, a request for the weights of a layer's heads, and the
 * two sentences with a band for each weight. */
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
#include "parts/figures/lines.h"
#include "parts/playback/player.h"
#include "sources/heads/head_choice.h"
#include "view/request.h"
#include "view/settings.h"
#include "view/words.h"

#define STEP_SECONDS 0.8
#define REST_SECONDS 1.5
#define READ_LINE 20.0f /* a word's line, unless all is to be seen at once */
#define FIRST_STEP 12
#define FIT_LINE 0.5f
/* Rows are read ahead as long as all heads' are so few weights. */
#define HELD_WEIGHTS ((size_t)1 << 22)

/* The weights of all heads of a layer, for some of the steps. */
typedef struct alignment_job {
    viz_job base;
    size_t layer, item;
    int first, held;
    float *weights; /* [heads,held,positions]; owned */
    double milliseconds;
} alignment_job;

typedef struct alignment_layout {
    viz_lines_layout lines;
    viz_rect play, track, all; /* all: switches every head on; empty: they are */
    viz_caps caps;
    float title_w, title_y; /* its baseline */
} alignment_layout;

typedef struct alignment_view {
    viz_view base;
    int steps, positions;
    size_t layer, head, item; /* item: of the batch; head: the one chosen last */
    bool chosen;              /* layer or head were */
    bool *shown;              /* [heads] owned */
    viz_request request;
    viz_player player; /* its steps are the source's */
    float *weights;    /* [heads,held,positions]; owned; NULL: not known yet */
    int first, held;   /* the steps that they are of */
    double milliseconds;
    alignment_layout layout;   /* as drawn last */
    int line_row, line_column; /* pointed at: a word of either side */
    float line, scroll;        /* 0: a line that is read; else its least height */
    bool scrubs, settled;      /* settled: the first word has been scrolled into sight */
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
        v->line_row = v->line_column = -1;
        viz_player_rest_at(&v->player, 0);
    }
    v->item = item;
    v->steps = steps;
    v->positions = positions;
}

/* ---------------------------------------------------------------- which heads */

static int head_count(const alignment_view *v)
{
    return (int)v->base.source->weights.heads;
}

static int shown_count(const alignment_view *v)
{
    int count = 0;
    for (int h = 0; h < head_count(v); h++)
        count += v->shown[h];
    return count;
}

static void show_all(alignment_view *v)
{
    for (int h = 0; h < head_count(v); h++)
        v->shown[h] = true;
}

static void show_alone(alignment_view *v, size_t head)
{
    for (int h = 0; h < head_count(v); h++)
        v->shown[h] = (size_t)h == head;
    v->head = head;
    v->chosen = true;
}

/* The one that questions about one head are about. */
static size_t head_for_questions(const alignment_view *v)
{
    for (int h = 0; h < head_count(v) && !v->shown[v->head]; h++)
        if (v->shown[h])
            return (size_t)h;
    return v->head;
}

/* ---------------------------------------------------------------- work */

/* The steps to be held: all of them, or those that are seen, with as many around them as may be. */
static void steps_to_hold(const alignment_view *v, int *first, int *held)
{
    size_t row = (size_t)v->positions * v->base.source->weights.heads;
    size_t most = HELD_WEIGHTS / row;
    int seen = viz_lines_first_seen(&v->layout.lines),
        count = v->layout.lines.rows ? viz_lines_count_seen(&v->layout.lines) : 1;
    count = (size_t)count > most ? count : most < (size_t)v->steps ? (int)most : v->steps;
    count = count < v->steps ? count : v->steps;
    bool kept = v->weights && v->held == count && v->first <= seen &&
                seen + viz_lines_count_seen(&v->layout.lines) <= v->first + v->held;
    int from = seen - count / 3;
    from = from + count < v->steps ? from : v->steps - count;
    *first = kept ? v->first : from > 0 ? from : 0;
    *held = count;
}

static uint64_t demand_number(const alignment_view *v, int first)
{
    const sac_source *source = v->base.source;
    return (uint64_t)(v->item * source->weights.layers + v->layer) * (uint64_t)(v->steps + 1) +
           (uint64_t)first;
}

static viz_job *create_job(viz_view *view)
{
    alignment_view *v = alignment_of(view);
    int first, held;
    steps_to_hold(v, &first, &held);
    if (!viz_request_due(&v->request, demand_number(v, first)))
        return NULL;
    alignment_job *job = viz_job_create(&viz_alignment_class, sizeof *job);
    if (!job)
        return NULL;
    job->layer = v->layer;
    job->item = v->item;
    job->first = first;
    job->held = held;
    job->weights = viz_allocate(view->source->weights.heads * (size_t)held * (size_t)v->positions,
                                sizeof *job->weights);
    if (!job->weights) {
        free(job);
        return NULL;
    }
    return viz_request_submit(&v->request, &job->base, demand_number(v, first));
}

static sac_status run_job(viz_view *view, viz_job *base, sac_error *error)
{
    alignment_job *job = viz_job_of(base, &viz_alignment_class);
    const sac_source *source = view->source;
    size_t positions = sac_source_positions(source, job->item), held = (size_t)job->held;
    double start = sac_now();
    sac_status status = SAC_OK;
    for (size_t h = 0; h < source->weights.heads && status == SAC_OK; h++) {
        sac_tile tile = {job->item, h, (size_t)job->first, held, 0, positions};
        status = source->weights.tile(source->self, job->layer, &tile,
                                      job->weights + h * held * positions, error);
    }
    job->milliseconds = 1e3 * (sac_now() - start);
    return status;
}

static void finish_job(viz_view *view, viz_job *base, const sac_error *error)
{
    alignment_view *v = alignment_of(view);
    alignment_job *job = viz_job_of(base, &viz_alignment_class);
    bool fits = sac_source_steps(view->source, job->item) == (size_t)v->steps &&
                sac_source_positions(view->source, job->item) == (size_t)v->positions;
    if (viz_request_take(&v->request, error) && fits) {
        float *before = v->weights;
        v->weights = job->weights;
        v->first = job->first;
        v->held = job->held;
        v->milliseconds = job->milliseconds;
        job->weights = before;
    }
    free(job->weights);
    free(job);
}

/* ---------------------------------------------------------------- layout */

static const viz_key_row caps_keys[] = {
    {"space", "play"},
    {"↑  ↓", "layer", .tips = {N_("One layer up (↑)."), N_("One layer down (↓).")}},
    {"N  P", "head", .tips = {N_("The next head (N)."), N_("The head before (P).")}},
    {"F", "whole", .tips = {N_("All words at once, or as large as they are read (F).")}},
    {"I", "why"},
    {"S", "PNG"},
    {"?", "keys"}};

/* The word whose bands are lit; −1: none, as in a figure where no word was chosen. */
static int lit_word(const alignment_view *v)
{
    return v->base.figure && !v->player.chosen ? -1 : v->player.step;
}

static viz_lines lines_of(const alignment_view *v)
{
    return (viz_lines){.weights = v->weights,
                       .rows = v->steps,
                       .columns = v->positions,
                       .heads = head_count(v),
                       .first = v->first,
                       .held = v->weights ? v->held : 0,
                       .shown = v->shown,
                       .row_labels = (const char *const *)step_labels(v)->text,
                       .column_labels = (const char *const *)position_labels(v)->text,
                       .row = lit_word(v),
                       .sides = {"query", "key"},
                       .hover_row = v->line_row,
                       .hover_column = v->line_column,
                       .line = v->line > 0 ? v->line : READ_LINE,
                       .scroll = v->scroll};
}

/* Scrolls the current word into sight. */
static void scroll_to_step(alignment_view *v)
{
    const viz_lines_layout *l = &v->layout.lines;
    float top = l->row_h * (float)v->player.step, high = l->left.h;
    if (high <= l->row_h)
        return;
    v->scroll = fminf(v->scroll, fmaxf(top - l->row_h, 0));
    v->scroll = fmaxf(v->scroll, top + 2 * l->row_h - high);
}

/* The timeline at the foot; both sentences have the rest. */
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
    l->title_w = width;
    l->all = (viz_rect){0};
    if (shown_count(v) < head_count(v)) {
        float w = viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, "all heads");
        l->all = (viz_rect){left + width - w, area.y + 10, w, 20};
        l->title_w = width - w - 16;
    }
    viz_rect room = {left, area.y + 36, width, bottom - 12 - area.y - 36};
    viz_lines lines = lines_of(v);
    viz_lines_lay(&l->lines, canvas, &lines, room);
    if (!v->settled) {
        v->settled = true;
        scroll_to_step(v);
        lines.scroll = v->scroll;
        viz_lines_lay(&l->lines, canvas, &lines, room);
    }
    v->scroll = l->lines.shift;
}

/* ---------------------------------------------------------------- drawing */

/* "all 8 heads", "head 3", "heads 0, 3, 5". */
static void name_heads(const alignment_view *v, char *text, size_t size)
{
    int heads = head_count(v), count = shown_count(v), used = 0;
    if (count == heads && heads > 1) {
        snprintf(text, size, viz_word("all %d heads"), heads);
        return;
    }
    used = snprintf(text, size, "%s", viz_word(count > 1 ? "heads" : "head"));
    for (int h = 0, named = 0; h < heads && used > 0 && (size_t)used < size; h++)
        if (v->shown[h])
            used += snprintf(text + used, size - (size_t)used, "%s %d", named++ ? "," : "", h);
}

/* The weight that is pointed at; else the name of what is shown, or why it is not. */
static void title(const alignment_view *v, char *text, size_t size)
{
    const sac_source *source = v->base.source;
    char item[48] = "", items[48] = "", layers[96] = "", heads[160];
    if (v->request.problem[0]) {
        snprintf(text, size, "%s", v->request.problem);
        return;
    }
    name_heads(v, heads, sizeof heads);
    if (source->weights.batch > 1) {
        snprintf(item, sizeof item, viz_word("item %zu, "), v->item);
        snprintf(items, sizeof items, viz_word("%zu items × "), source->weights.batch);
    }
    if (source->weights.layers * source->weights.batch > 1 && !v->base.figure)
        snprintf(layers, sizeof layers,
                 viz_word(source->weights.layers == 1 ? "  ·  %s%zu layer" : "  ·  %s%zu layers"),
                 items, source->weights.layers);
    snprintf(text, size, viz_word("%slayer %zu, %s%s"), item,
             sac_source_layer_number(source, v->layer), heads, layers);
}

static void draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    alignment_view *v = alignment_of(view);
    const alignment_layout *l = &v->layout;
    char text[512];
    lay(v, canvas, area);
    title(v, text, sizeof text);
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, area.x + VIZ_MARGIN, l->title_y, l->title_w,
                    VIZ_LEFT, canvas->theme->text2, text);
    if (l->all.w > 0)
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, l->all.x, l->title_y, VIZ_LEFT, canvas->theme->accent,
                 "all heads");
    viz_lines lines = lines_of(v);
    viz_lines_draw(&l->lines, canvas, &lines);
    viz_timeline_draw_play(canvas, l->play, v->player.playing);
    viz_timeline_draw_track(canvas, l->track, &v->player, v->steps);
    viz_caps_draw(canvas, &l->caps);
}

/* ---------------------------------------------------------------- as a figure */

#define FIGURE_LINE 18.0f
#define LONG_FIGURE_LINE 10.0f /* of more words than … */
#define LONG_FIGURE 64         /* … these */

static float figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    const alignment_view *v = alignment_of(view);
    int most = v->steps > v->positions ? v->steps : v->positions;
    const viz_lines lines = lines_of(v);
    return viz_lines_figure_height(canvas, &lines, width - 2 * VIZ_FIGURE_MARGIN,
                                   most > LONG_FIGURE ? LONG_FIGURE_LINE : FIGURE_LINE) +
           2 * VIZ_FIGURE_MARGIN;
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
    char text[512] = "";
    if (!v->base.panel)
        title(v, text, sizeof text);
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, room.x, room.y + 12, room.w / 2, VIZ_LEFT,
                    canvas->theme->text, text);
    lines.line = FIT_LINE;
    viz_lines_lay(&v->layout.lines, canvas, &lines, room);
    viz_lines_draw(&v->layout.lines, canvas, &lines);
}

/* ---------------------------------------------------------------- events and time */

static bool go_to_step(alignment_view *v, int step)
{
    bool was_playing = v->player.playing;
    v->player.playing = false;
    bool gone = viz_player_go(&v->player, v->steps, step) || was_playing;
    scroll_to_step(v);
    return gone;
}

static bool press_play_control(viz_view *view, viz_pressed pressed)
{
    alignment_view *v = alignment_of(view);
    bool pressed_any = viz_player_press(&v->player, v->steps, pressed.key, NULL, 0);
    scroll_to_step(v);
    return pressed_any;
}

/* All heads, then each alone, round and round. */
static bool press_show_next_head(viz_view *view, viz_pressed pressed)
{
    alignment_view *v = alignment_of(view);
    int heads = head_count(v), at = shown_count(v) == 1 ? (int)head_for_questions(v) : heads;
    if (heads == 1)
        return false;
    at = (at + (pressed.step < 0 ? heads : 1)) % (heads + 1);
    if (at == heads)
        show_all(v);
    else
        show_alone(v, (size_t)at);
    return true;
}

static bool press_toggle_fit(viz_view *view, viz_pressed pressed)
{
    alignment_view *v = alignment_of(view);
    (void)pressed;
    v->line = v->line > 0 ? 0 : FIT_LINE;
    return true;
}

static const viz_key_row keys[] = {
    VIZ_PLAYER_KEYS(press_play_control),
    {"↑  ↓", "layer", .setting = "layer"},
    {"N  P", "one head alone after the other, then all", press_show_next_head},
    {"F", "all words at once, or as they are read", press_toggle_fit},
    {"wheel", "scroll; with ctrl, zoom"},
    {"PgUp  PgDn", "item of the batch", .setting = "batch"},
    {"pointer", "on a word: what it attends to, what attends to it"},
    {"click", "on a word, or a row: go there"},
    {NULL, NULL},
};

static bool press(alignment_view *v, const viz_event *event)
{
    const alignment_layout *l = &v->layout;
    int row, column;
    viz_rect track = {l->track.x - 8, l->track.y, l->track.w + 16, l->track.h};
    int head = viz_lines_switch(&l->lines, v->shown, event);
    if (head >= 0) {
        v->head = (size_t)head;
        return v->chosen = true;
    }
    if (viz_inside(l->all, event->x, event->y)) {
        show_all(v);
        return true;
    }
    if (event->button != 1)
        return false;
    if (viz_inside(l->play, event->x, event->y))
        return viz_player_press(&v->player, v->steps, ' ', NULL, 0);
    v->scrubs = viz_inside(track, event->x, event->y);
    if (v->scrubs)
        return go_to_step(v, viz_timeline_step_at(l->track, v->steps, event->x));
    return viz_lines_hit(&l->lines, event->x, event->y, &row, &column) && row >= 0 &&
           go_to_step(v, row);
}

static bool handle_pointer_move(alignment_view *v, const viz_event *event)
{
    int row = v->line_row, column = v->line_column;
    if (v->scrubs && event->button == 1)
        return go_to_step(v, viz_timeline_step_at(v->layout.track, v->steps, event->x));
    viz_lines_hit(&v->layout.lines, event->x, event->y, &v->line_row, &v->line_column);
    return row != v->line_row || column != v->line_column;
}

static bool turn_wheel(alignment_view *v, const viz_event *event)
{
    const viz_lines_layout *l = &v->layout.lines;
    if (!viz_inside(l->area, event->x, event->y))
        return false;
    if (event->ctrl) {
        float line = fmaxf(l->row_h, l->column_h), to = line * powf(1.15f, event->wheel_y);
        float above = event->y - l->left.y;
        v->line = fminf(fmaxf(to, FIT_LINE), VIZ_WIDEST_LINE);
        v->scroll = (v->scroll + above) * v->line / line - above;
    } else {
        v->scroll -= 3 * fmaxf(l->row_h, l->column_h) * event->wheel_y;
    }
    return true;
}

static bool event(viz_view *view, const viz_event *e)
{
    alignment_view *v = alignment_of(view);
    switch (e->kind) {
    case VIZ_KEY:
        return viz_keys_press(keys, view, e);
    case VIZ_PRESS:
        return press(v, e);
    case VIZ_WHEEL:
        return turn_wheel(v, e);
    case VIZ_RELEASE:
        v->scrubs = false;
        return false;
    case VIZ_MOVE:
        return handle_pointer_move(v, e);
    case VIZ_LEAVE:
        v->line_row = v->line_column = -1;
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
    if (stepped)
        scroll_to_step(alignment_of(view));
    return stepped || was_playing != p->playing || viz_player_glided(p) < 1 ||
           viz_player_is_near_step(p);
}

static void arrive(viz_view *view)
{
    viz_player_arrive(&alignment_of(view)->player);
}

/* ---------------------------------------------------------------- words and frames */

static void status(const viz_view *view, char *text, size_t size)
{
    const alignment_view *v = (const alignment_view *)view;
    const sac_source *source = view->source;
    int used = snprintf(text, size, viz_word("%s  ·  %d words × %d words"), source->title, v->steps,
                        v->positions);
    if (source->origin.device[0] && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, "  ·  %s", source->origin.device);
    bool computed = v->milliseconds >= 0.05; /* or the weights were there already */
    if (source->origin.device[0] && computed && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "  ·  %.1f ms", v->milliseconds);
}

static void set_layer(viz_view *view, const viz_setting *s, double number)
{
    viz_setting_store(s, view, number);
    alignment_of(view)->chosen = true;
}

static void set_head(viz_view *view, const viz_setting *s, double number)
{
    (void)s;
    show_alone(alignment_of(view), (size_t)number);
}

static bool is_chosen(const viz_view *view)
{
    return ((const alignment_view *)view)->chosen || view->source->weights.heads == 1;
}

/* Their numbers; nothing where all are shown. */
static void save_heads(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const alignment_view *v = (const alignment_view *)view;
    char text[1024] = "";
    int used = 0, heads = head_count(v);
    for (int h = 0; h < heads && shown_count(v) < heads && used + 12 < (int)sizeof text; h++)
        if (v->shown[h])
            used += snprintf(text + used, sizeof text - (size_t)used, "%s%d", used ? " " : "", h);
    put(user, s->name, shown_count(v) < heads ? text : "all");
}

static void restore_shown_heads(viz_view *view, const viz_setting *s, const char *value)
{
    alignment_view *v = alignment_of(view);
    char *end;
    (void)s;
    if (strcmp(value, "all") == 0) {
        show_all(v);
        return;
    }
    for (int any = 0;; value = end) {
        unsigned long head = strtoul(value, &end, 10);
        if (end == value)
            break;
        if (head >= (unsigned long)head_count(v))
            continue;
        if (!any++)
            show_alone(v, head);
        v->shown[head] = true;
    }
}

static void set_item(viz_view *view, const viz_setting *s, double number)
{
    (void)s;
    choose_item(alignment_of(view), (size_t)number);
}

static void set_word(viz_view *view, const viz_setting *s, double number)
{
    alignment_view *v = alignment_of(view);
    (void)s;
    viz_player_rest_at(&v->player, (int)fmin(number, (double)(v->steps - 1)));
    v->player.chosen = true;
    v->scroll = fmaxf(v->layout.lines.row_h, READ_LINE) * fmaxf((float)v->player.step - 6, 0);
}

#define IN(member) offsetof(alignment_view, member)

static const viz_setting settings[] = {
    {NULL, .save = viz_save_source},
    {"layer", VIZ_LAYER, IN(layer), .set = set_layer, .only = is_chosen},
    {"head", VIZ_INDEX, IN(head), .below = viz_source_heads, .set = set_head, .only = is_chosen},
    {"heads shown alone", .save = save_heads, .take = restore_shown_heads},
    {"line", VIZ_REAL, IN(line), 0, VIZ_WIDEST_LINE},
    {"batch", VIZ_INDEX, IN(item), .below = viz_source_items, .set = set_item},
    {"word", VIZ_WHOLE, IN(player.step), 0, INT_MAX, .moves = true, .set = set_word},
    {VIZ_WORD_CHOSEN_SETTING(IN)},
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
    viz_player_set_frame(&alignment_of(view)->player, alignment_of(view)->steps, index, fps);
    scroll_to_step(alignment_of(view));
}

/* ---------------------------------------------------------------- the table */

static bool is_sentence(const sac_labels *labels, size_t count)
{
    return count > 0 && count <= VIZ_ALIGNMENT_MOST && labels->count == count;
}

static bool accepts(const sac_source *source)
{
    bool all = source->weights.tile && !source->weights.sides && !source->weights.turned &&
               source->weights.steps > 1 && source->weights.positions > 1;
    for (size_t item = 0; all && item < source->weights.batch; item++)
        all = is_sentence(sac_source_step_labels(source, item), sac_source_steps(source, item)) &&
              is_sentence(sac_source_position_labels(source, item),
                          sac_source_positions(source, item));
    return all;
}

static void destroy(viz_view *view)
{
    free(alignment_of(view)->weights);
    free(alignment_of(view)->shown);
    free(view);
}

static sac_status create(sac_source *source, viz_view *beside, viz_view **view, sac_error *error)
{
    alignment_view *v = calloc(1, sizeof *v);
    *view = NULL;
    (void)beside;
    bool *shown = calloc(source->weights.heads, sizeof *shown);
    if (!v || !shown) {
        free(v);
        free(shown);
        return sac_no_memory(error, "alignment view");
    }
    v->shown = shown;
    v->base = (viz_view){.class = &viz_alignment_class, .source = source};
    v->steps = (int)sac_source_steps(source, 0);
    v->positions = (int)sac_source_positions(source, 0);
    v->line_row = v->line_column = -1;
    show_all(v);
    if (sac_best_head(source->weights.head_alignment, source->weights.layers, source->weights.heads,
                      &v->layer, &v->head))
        show_alone(v, v->head);
    v->player =
        (viz_player){.step_seconds = STEP_SECONDS, .rest_seconds = REST_SECONDS, .speed = 1};
    /* In a sentence that attends to itself the row of the first word is empty. */
    sac_head_choice choice = {0};
    if (sac_head_choice_words(source, &choice))
        viz_player_rest_at(&v->player, v->steps < 2 * FIRST_STEP ? v->steps / 2 : FIRST_STEP);
    *view = &v->base;
    return SAC_OK;
}

static void add_spots(const viz_view *view, viz_spots *spots)
{
    const alignment_view *v = (const alignment_view *)view;
    const alignment_layout *l = &v->layout;
    viz_rect track = {l->track.x - 8, l->track.y, l->track.w + 16, l->track.h};
    viz_spots_add(spots, viz_lines_side(&l->lines, true), VIZ_SPOT_AREA,
                  "Point at a word to see what it attends to; click to go there.");
    viz_spots_add(spots, viz_lines_side(&l->lines, false), VIZ_SPOT_AREA,
                  "Point at a word to see which words attend to it.");
    viz_lines_spots(&l->lines, spots);
    viz_spots_add(spots, l->all, VIZ_SPOT_PRESSES, "Click to switch all heads on.");
    viz_spots_add(spots, l->play, VIZ_SPOT_PRESSES, "Play the words one after the other, or rest.");
    viz_spots_add(spots, track, VIZ_SPOT_SLIDES, "Drag to go through the words.");
    viz_spots_add_caps(spots, &l->caps);
}

/* The current word, and the one that is pointed at or else its largest weight; of the heads that are
 * shown, the one with most of it. */
static bool find_subject(const viz_view *view, viz_subject *s)
{
    const alignment_view *v = (const alignment_view *)view;
    const sac_source *source = view->source;
    viz_lines lines = lines_of(v);
    int row = v->line_row >= 0 ? v->line_row : v->player.step, column = v->line_column;
    float weight, most = -1;
    size_t head = head_for_questions(v);
    for (int i = 0; i < v->positions && v->line_column < 0 && v->weights; i++) {
        viz_lines_strongest(&lines, row, i, &weight);
        column = weight > most ? i : column;
        most = fmaxf(most, weight);
    }
    if (column >= 0 && v->weights)
        head = (size_t)viz_lines_strongest(&lines, row, column, &weight);
    s->request = (sac_explanation_request){.layer = v->layer,
                                           .batch = v->item,
                                           .head = head,
                                           .step = (size_t)row,
                                           .position = column > 0 ? (size_t)column : 0};
    s->pointed = v->line_column >= 0;
    snprintf(s->query, sizeof s->query, "“%s”", step_labels(v)->text[row]);
    if (source->weights.layers * source->weights.heads > 1)
        snprintf(s->where, sizeof s->where, viz_word("layer %zu, head %zu"),
                 sac_source_layer_number(source, v->layer), head);
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
             sac_source_layer_number(view->source, v->layer), head_for_questions(v));
    return true;
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
    sac_tile tile = {v->item, head_for_questions(v), row, 1, 0, (size_t)v->positions};
    return view->source->weights.tile(view->source->self, v->layer, &tile, values, error);
}

const viz_view_class viz_alignment_class = {
    .name = "alignment",
    .tab = "Alignment",
    .accepts = accepts,
    .create = create,
    .draw = draw,
    .figure = draw_figure,
    .figure_height = figure_height,
    .event = event,
    .tick = tick,
    .arrive = arrive,
    .create_job = create_job,
    .run_job = run_job,
    .finish_job = finish_job,
    .status = status,
    .settings = {settings},
    .subject = find_subject,
    .key_name = key_name,
    .table = table,
    .table_name = table_name,
    .table_row = table_row,
    .keys = keys,
    .spots = add_spots,
    .about = "One sentence beside the other, and every head's bands between them in its colour.",
    .frames = frames,
    .frame = frame,
    .destroy = destroy,
};
