/* The contents of a file of arrays: a list of its readings, chosen by pointer or keys. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "parts/controls/spots.h"
#include "view/settings.h"
#include "view/words.h"

extern const viz_view_class viz_contents_class;

#define ROW_HEIGHT 52.0f
#define LIST_TOP 64.0f /* below the view's top edge */

typedef struct contents_view {
    viz_view base;
    int marked; /* that ↑ and ↓ choose */
    int chosen; /* to be opened; −1: none */
    float scroll;
    viz_rect list; /* as drawn last */
} contents_view;

static contents_view *as_contents_view(const viz_view *view)
{
    return (contents_view *)view;
}

static bool accepts(const sac_source *source)
{
    return source->weights.opened.reading_count > 1;
}

static sac_status create(sac_source *source, viz_view *beside, viz_view **view, sac_error *error)
{
    (void)beside;
    contents_view *v = calloc(1, sizeof *v);
    if (!v)
        return sac_no_memory(error, "contents");
    *v = (contents_view){
        .base = {&viz_contents_class, source},
        .marked = source->weights.opened.reading < 0 ? 0 : source->weights.opened.reading,
        .chosen = -1};
    *view = &v->base;
    return SAC_OK;
}

static void destroy(viz_view *view)
{
    free(view);
}

/* ---------------------------------------------------------------- the list */

static viz_rect row_at(const contents_view *v, int row)
{
    return (viz_rect){v->list.x, v->list.y + ROW_HEIGHT * (float)row - v->scroll, v->list.w,
                      ROW_HEIGHT};
}

static void scroll_to(contents_view *v, float scroll)
{
    float most = ROW_HEIGHT * (float)v->base.source->weights.opened.reading_count - v->list.h;
    v->scroll = fmaxf(fminf(scroll, most), 0);
}

static void draw_row(const contents_view *v, viz_canvas *canvas, int row)
{
    const viz_theme *theme = canvas->theme;
    const sac_reading *reading = &v->base.source->weights.opened.readings[row];
    bool is_open = row == v->base.source->weights.opened.reading;
    viz_rect r = row_at(v, row);
    float room = r.w - 2 * VIZ_MARGIN;
    if (row == v->marked && !canvas->figure)
        viz_fill_round(canvas, (viz_rect){r.x, r.y, r.w, r.h - VIZ_GAP / 2}, 6, theme->panel);
    if (is_open)
        viz_fill(canvas, (viz_rect){r.x, r.y + 8, 3, r.h - 20}, theme->accent);
    viz_text_within(canvas, VIZ_SANS, VIZ_BODY, r.x + VIZ_MARGIN, r.y + 20, room, VIZ_LEFT,
                    is_open ? theme->accent : theme->text, reading->meaning);
    viz_text_within(canvas, VIZ_MONO, VIZ_LABEL, r.x + VIZ_MARGIN, r.y + 38, room, VIZ_LEFT,
                    theme->text2, reading->array);
}

static void draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    contents_view *v = as_contents_view(view);
    const sac_source *source = view->source;
    char text[200];
    v->list = (viz_rect){area.x + VIZ_MARGIN, area.y + LIST_TOP, area.w - 2 * VIZ_MARGIN,
                         area.h - LIST_TOP - VIZ_MARGIN};
    scroll_to(v, v->scroll);
    const char *asks = source->weights.opened.reading < 0
                           ? "several attentions fit. Which one?"
                           : "what it can be read as. Click to open.";
    snprintf(text, sizeof text, "%s%s%s", source->title, canvas->figure ? "" : ": ",
             canvas->figure ? "" : viz_word(asks));
    viz_text_within(canvas, VIZ_SANS, VIZ_SENTENCE, v->list.x, area.y + 40, v->list.w, VIZ_LEFT,
                    canvas->theme->text, text);
    viz_clip(canvas, v->list);
    for (int row = 0; row < source->weights.opened.reading_count; row++)
        draw_row(v, canvas, row);
    viz_clip_none(canvas);
}

/* All rows, none of which can be chosen. */
static float figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    (void)canvas;
    (void)width;
    return LIST_TOP + ROW_HEIGHT * (float)view->source->weights.opened.reading_count + VIZ_MARGIN;
}

/* ---------------------------------------------------------------- events */

static bool press_move_mark(viz_view *view, viz_pressed pressed)
{
    /* Keeps the marked row in sight. */
    contents_view *v = as_contents_view(view);
    int row = as_contents_view(view)->marked + pressed.step;
    int last = v->base.source->weights.opened.reading_count - 1;
    v->marked = row < 0 ? 0 : row > last ? last : row;
    float top = ROW_HEIGHT * (float)v->marked;
    if (top < v->scroll)
        scroll_to(v, top);
    else if (top + ROW_HEIGHT > v->scroll + v->list.h)
        scroll_to(v, top + ROW_HEIGHT - v->list.h);
    return true;
}

static bool press_choose_marked(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    as_contents_view(view)->chosen = as_contents_view(view)->marked;
    return true;
}

static const viz_key_row keys[] = {
    {"click", "open it"},
    {"↑  ↓", "the row before, the next one", press_move_mark},
    {"Return", "open the marked row", press_choose_marked},
    {"wheel", "move the list"},
    {NULL, NULL},
};

static bool event(viz_view *view, const viz_event *event)
{
    contents_view *v = as_contents_view(view);
    if (event->kind == VIZ_KEY)
        return viz_keys_press(keys, view, event);
    if (event->kind == VIZ_WHEEL) {
        scroll_to(v, v->scroll - ROW_HEIGHT * event->wheel_y);
        return true;
    }
    int row = (int)((event->y - v->list.y + v->scroll) / ROW_HEIGHT);
    if (event->kind != VIZ_PRESS || event->button != 1 ||
        !viz_inside(v->list, event->x, event->y) ||
        row >= view->source->weights.opened.reading_count)
        return false;
    v->marked = v->chosen = row;
    return true;
}

static int take_chosen_row(viz_view *view)
{
    int chosen = as_contents_view(view)->chosen;
    as_contents_view(view)->chosen = -1;
    return chosen;
}

static void add_spots(const viz_view *view, viz_spots *spots)
{
    const contents_view *v = as_contents_view(view);
    for (int row = 0; row < view->source->weights.opened.reading_count; row++) {
        viz_rect r = row_at(v, row);
        if (r.y >= v->list.y && r.y + r.h <= v->list.y + v->list.h)
            viz_spots_add(spots, r, VIZ_SPOT_PRESSES, "Shows the attention of this array.");
    }
}

static void status(const viz_view *view, char *text, size_t size)
{
    snprintf(text, size, viz_word("%s  ·  %d readings"), view->source->title,
             view->source->weights.opened.reading_count);
}

static const viz_setting settings[] = {{NULL, .save = viz_save_source}, {0}};

const viz_view_class viz_contents_class = {
    .name = "contents",
    .tab = "Contents",
    .about = "What the file can be read as, to choose from.",
    .accepts = accepts,
    .create = create,
    .draw = draw,
    .figure = draw,
    .figure_height = figure_height,
    .event = event,
    .choose = take_chosen_row,
    .spots = add_spots,
    .status = status,
    .settings = {settings},
    .keys = keys,
    .destroy = destroy,
};
