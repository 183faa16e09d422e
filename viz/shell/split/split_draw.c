/* Drawing of a split: a title above each side; views, or maps of what differs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts/figures/grid.h"
#include "parts/figures/overlays.h"
#include "shell/split/split_state.h"
#include "view/map.h"
#include "view/settings.h"
#include "view/words.h"

#define TITLE_ROW 30.0f
#define CLOSE 16.0f
#define VALUE_ROW 24.0f
#define LARGEST_CELL 72.0f
#define LEAST_LABELLED_CELL 12.0f
#define WIDEST_BAR 300.0f
/* A view is laid out for a window of at least that, less the tabs. */
#define LEAST_HEIGHT (VIZ_LEAST_HEIGHT - 44)

/* ---------------------------------------------------------------- titles */

/* Adds "temperature 2" where not all sides have that value. */
static void append_differing_setting(const viz_snapshot *all, int count, int side, const char *key,
                                     char *text, size_t size)
{
    const char *value = viz_snapshot_find(&all[side], key);
    bool same = true;
    for (int i = 0; i < count && value; i++) {
        const char *other = viz_snapshot_find(&all[i], key);
        same = same && other && strcmp(value, other) == 0;
    }
    size_t used = strlen(text);
    if (!value || same || used >= size)
        return;
    bool bare = strcmp(key, "model") == 0, cells = strcmp(key, "hidden") == 0;
    snprintf(text + used, size - used, "%s%s%s%s", used ? ", " : "", bare ? "" : viz_word(key),
             bare ? "" : " ",
             !value[0] ? viz_word("none")
             : cells   ? viz_word("cells")
                       : viz_word(value));
}

/* A head, or what a person chose and undo takes back; which heads are shown is named by the one chosen last. */
static bool is_compared(const viz_view *view, const char *key)
{
    static const char *const places[] = {"layer", "head", "batch"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strcmp(key, places[i]) == 0)
            return true;
    return strcmp(key, "replaced") != 0 && strcmp(key, "heads shown alone") != 0 &&
           viz_view_undoes(view, key);
}

char *split_title(const split_view *s, int side, char *text, size_t size)
{
    const viz_view *view = s->side[side].view;
    viz_snapshot all[VIZ_SPLIT_MOST] = {{0}};
    bool sources = false;
    for (int i = 0; i < s->count; i++)
        sources |= s->side[i].source != s->side[0].source;
    snprintf(text, size, "%s", sources ? view->source->title : "");
    for (int i = 0; i < s->count; i++)
        all[i] = viz_snapshot_take(s->side[i].view, is_compared);
    for (const char *key = all[side].text; key; key = viz_snapshot_next(&all[side], key))
        append_differing_setting(all, s->count, side, key, text, size);
    for (int i = 0; i < s->count; i++)
        viz_snapshot_free(&all[i]);
    if (!text[0])
        snprintf(text, size, "%s", viz_word("the same settings"));
    return text;
}

static void draw_close(const split_view *s, viz_canvas *canvas, int side)
{
    const viz_rect close = s->side[side].close;
    const viz_color color = canvas->theme->text2;
    if (close.w <= 0)
        return;
    float x = close.x + CLOSE / 2, y = close.y + CLOSE / 2;
    viz_line(canvas, x - 3.5f, y - 3.5f, x + 3.5f, y + 3.5f, 1.4f, color);
    viz_line(canvas, x - 3.5f, y + 3.5f, x + 3.5f, y - 3.5f, 1.4f, color);
}

static void draw_title(const split_view *s, viz_canvas *canvas, int side, bool subtracts,
                       bool differs)
{
    const viz_theme *theme = canvas->theme;
    const split_side *p = &s->side[side];
    char letter[8] = "", own[256], from[256], text[600], fit[600];
    if (canvas->figure)
        snprintf(letter, sizeof letter, "(%c)  ", 'a' + side);
    split_title(s, side, own, sizeof own);
    snprintf(text, sizeof text, "%s%s", letter, own);
    if (differs)
        snprintf(text, sizeof text, "%s%s  −  %s", letter, own,
                 split_title(s, s->focus, from, sizeof from));
    else if (subtracts && side != s->focus)
        snprintf(text, sizeof text, "%s%s  ·  %s", letter, own,
                 viz_word("of another size: no difference"));
    viz_text_fit(canvas, VIZ_SANS_BOLD, VIZ_BODY, p->title.w, text, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS_BOLD, VIZ_BODY, p->title.x, p->title.y + 21, VIZ_LEFT,
             side == s->focus || canvas->figure ? theme->text : theme->text2, fit);
    draw_close(s, canvas, side);
}

/* ---------------------------------------------------------------- layout */

#define LEAST_PANEL 300.0f /* wide: a column of a paper */

/* How many panels a row of a figure has. */
int split_figure_columns(const split_view *s, float width)
{
    const int most = (int)fmaxf(width / LEAST_PANEL, 1), count = s->count > 0 ? s->count : 1;
    const int rows = (count + most - 1) / most;
    return (count + rows - 1) / rows;
}

static int columns_for(const split_view *s, viz_rect area)
{
    if (s->count < 2)
        return 1;
    if (viz_view_is_figure(&s->base))
        return split_figure_columns(s, area.w);
    if (s->count == 3)
        return area.w > 2.4f * area.h ? 3 : 2;
    return s->count == 4 || area.w > 0.87f * area.h ? 2 : 1;
}

float split_title_height(const split_view *s)
{
    return s->count > 1 ? TITLE_ROW : 0;
}

static void lay(split_view *s, const viz_canvas *canvas, viz_rect area)
{
    int columns = columns_for(s, area), rows = (s->count + columns - 1) / columns;
    float w = area.w / (float)columns, h = area.h / (float)rows;
    float title = split_title_height(s);
    bool figure = canvas->figure;
    for (int i = 0; i < s->count; i++) {
        split_side *p = &s->side[i];
        float x = area.x + w * (float)(i % columns), y = area.y + h * (float)(i / columns);
        float right = x + w - VIZ_MARGIN;
        bool closes = s->count > 1 && !canvas->theme->presents && !figure;
        p->close = closes ? (viz_rect){right - CLOSE, y + 9, CLOSE, CLOSE} : (viz_rect){0};
        p->title = (viz_rect){x + VIZ_MARGIN, y, w - 2 * VIZ_MARGIN - CLOSE - VIZ_GAP, title};
        p->area = (viz_rect){x, y + title, w, h - title};
        p->shrink = s->count > 1 && !figure
                        ? fmaxf(fmaxf(VIZ_LEAST_WIDTH / w, LEAST_HEIGHT / (h - title)), 1)
                        : 1;
    }
}

/* A view that does not fit its area is drawn smaller as a whole. */
static void draw_view(const split_side *p, viz_canvas *canvas, bool seen)
{
    viz_canvas smaller = *canvas;
    viz_rect a = p->area;
    smaller.density /= p->shrink;
    if (!seen) /* laid out all the same, as its map may not be known before */
        smaller.recording = NULL;
    viz_view_draw(p->view, &smaller,
                  (viz_rect){a.x * p->shrink, a.y * p->shrink, a.w * p->shrink, a.h * p->shrink});
    viz_clip_none(canvas);
    if (!seen)
        viz_fill(canvas, a, canvas->theme->ground);
}

/* ---------------------------------------------------------------- differences */

static float largest(const viz_map *map)
{
    float most = 0;
    for (int i = 0; i < map->rows * map->columns; i++)
        if (isfinite(map->values[i]))
            most = fmaxf(most, fabsf(map->values[i]));
    return most;
}

/* Draws the map into `room`, its cells in `like` where that is not empty; returns their place. */
static viz_rect draw_map(split_view *s, split_side *p, viz_canvas *canvas, viz_rect room,
                         viz_rect like, const viz_map *map, const viz_scale *scale)
{
    if (map->image) {
        float aspect = (float)map->image->width / (float)map->image->height;
        float w = fmaxf(fminf(room.w, room.h * aspect), 1);
        viz_rect r = {room.x + (room.w - w) / 2, room.y, w, w / aspect};
        viz_heat_style style = {
            .overlay = VIZ_HEAT, .map = VIZ_DIVERGING, VIZ_HEAT_DEFAULTS, .scale = *scale};
        size_t cells = (size_t)map->rows * (size_t)map->columns;
        float *values = viz_allocate(cells, sizeof *values + 1);
        if (!values)
            return r;
        uint8_t *hidden = (uint8_t *)(values + cells);
        for (size_t i = 0; i < cells; i++) {
            hidden[i] = !isfinite(map->values[i]);
            values[i] = hidden[i] ? 0 : map->values[i];
        }
        viz_image_kept(canvas, &p->kept, map->image, s->takes, r, true);
        viz_heat(canvas, &p->kept, r, values, map->columns, map->rows, &style);
        viz_hidden_draw(canvas, r, hidden, map->columns, map->rows);
        free(values);
        return r;
    }
    viz_grid_layout layout;
    viz_grid grid = {.values = map->values,
                     .rows = map->rows,
                     .columns = map->columns,
                     .scale = *scale,
                     .colors = VIZ_DIVERGING,
                     .row = -1,
                     .column = -1,
                     .hover_row = -1,
                     .hover_column = -1};
    if (map->row_labels.count && map->column_labels.count) {
        grid.row_labels = (const char *const *)map->row_labels.text;
        grid.column_labels = (const char *const *)map->column_labels.text;
    }
    const float wide = like.w / (float)map->columns, high = like.h / (float)map->rows;
    const bool square = fabsf(wide - high) < 0.01f * wide;
    viz_grid_lay(&layout, canvas, &grid, room, like.w > 0 ? wide : LARGEST_CELL);
    if (like.w > 0) {
        layout.cells = like;
        layout.cell = wide;
        layout.area = room;
    }
    if (layout.cell >= LEAST_LABELLED_CELL && (like.w <= 0 || square))
        viz_grid_draw(&layout, canvas, &grid);
    else
        viz_cells(canvas, layout.cells, map->values, (size_t)map->rows, (size_t)map->columns,
                  viz_map_colors(canvas->theme, VIZ_DIVERGING), scale);
    return layout.cells;
}

static int index_at_share(float share, int count)
{
    return (int)fminf(fmaxf(share, 0) * (float)count, (float)(count - 1));
}

/* Where the difference is largest, by magnitude; 0 where nothing is known. */
static int find_largest(const viz_map *map)
{
    int at = 0;
    for (int i = 1; i < map->rows * map->columns; i++)
        if (isfinite(map->values[i]) &&
            !(fabsf(map->values[i]) <= fabsf(map->values[at]))) /* or there it is hidden */
            at = i;
    return at;
}

/* In `a`; `like`: where the cells are, as large as those of the maps beside it, whose bars its own is in
 * line with; empty: as large as fit. Names the cell that is pointed at, or beside both maps the one
 * where they differ most. */
static void draw_difference(split_view *s, viz_canvas *canvas, int side, viz_rect a, viz_rect like,
                            const viz_map *map, float most)
{
    split_side *p = &s->side[side];
    viz_rect room = {a.x + VIZ_MARGIN, a.y + 6, a.w - 2 * VIZ_MARGIN,
                     a.h - 6 - VALUE_ROW - VIZ_BAR_NAMED_HEIGHT - 20};
    viz_scale scale = {VIZ_FIXED, -most, most};
    viz_rect r = draw_map(s, p, canvas, room, like, map, &scale);
    viz_rect bar = {room.x, a.y + a.h - VIZ_BAR_NAMED_HEIGHT - 14, fminf(room.w, WIDEST_BAR),
                    VIZ_BAR_NAMED_HEIGHT};
    if (like.w > 0) {
        bar.y = like.y + like.h + 34;
        bar.w = room.w;
    }
    viz_bar_draw(canvas, bar, viz_map_colors(canvas->theme, VIZ_DIVERGING), &scale, 0,
                 "difference");
    if (!s->pointed && like.w <= 0)
        return;
    const int largest = find_largest(map);
    int row = s->pointed ? index_at_share(s->at_y, map->rows) : largest / map->columns;
    int column = s->pointed ? index_at_share(s->at_x, map->columns) : largest % map->columns;
    float w = r.w / (float)map->columns, h = r.h / (float)map->rows;
    viz_rect cell = (viz_rect){r.x + (float)column * w, r.y + (float)row * h, w, h};
    float more = fmaxf(0, 9 - fminf(cell.w, cell.h)) / 2;
    viz_rect frame = {cell.x - more, cell.y - more, cell.w + 2 * more, cell.h + 2 * more};
    viz_frame_apart(canvas, frame, 2);
    float y = r.y + r.h + (like.w > 0 ? 20 : 18);
    char text[96], number[32], names[400];
    float value = map->values[row * map->columns + column];
    if (isfinite(value))
        snprintf(text, sizeof text, "(%d, %d)  %s%s", column, row,
                 value < 0   ? "−"
                 : value > 0 ? "+"
                             : "",
                 viz_number(fabsf(value), number, sizeof number));
    else
        snprintf(text, sizeof text, "(%d, %d)  hidden", column, row);
    if (like.w <= 0) {
        viz_text(canvas, VIZ_MONO, VIZ_BODY, r.x, y, VIZ_LEFT, canvas->theme->text, text);
        return;
    }
    /* As those of the maps beside it. */
    const char *figure = strstr(text, "  ") + 2;
    float wide = viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, figure) + VIZ_GAP;
    if (map->row_labels.count && map->column_labels.count)
        snprintf(names, sizeof names, "“%s” → “%s”", map->row_labels.text[row],
                 map->column_labels.text[column]);
    else
        snprintf(names, sizeof names, "%.*s", (int)(figure - 2 - text), text);
    float end = viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, room.x, y, room.w - wide, VIZ_LEFT,
                                canvas->theme->text2, names);
    viz_text(canvas, VIZ_MONO, VIZ_LABEL, room.x + end + VIZ_GAP, y, VIZ_LEFT, canvas->theme->text,
             figure);
}

/* Differences have one scale, with zero in its middle. `differs`, of each side: whether it has one;
 * a map of another size, as of a longer sentence, has none, and is drawn as it is. False: not all
 * maps are known yet. */
static bool draw_differences(split_view *s, viz_canvas *canvas, bool differs[VIZ_SPLIT_MOST])
{
    viz_map maps[VIZ_SPLIT_MOST] = {{0}};
    bool known = true;
    float most = 0;
    for (int i = 0; i < s->count; i++)
        known &= s->side[i].view->class->map(s->side[i].view, &maps[i]);
    const viz_map *from = &maps[s->focus];
    for (int i = 0; i < s->count && known; i++) {
        differs[i] =
            i != s->focus && maps[i].rows == from->rows && maps[i].columns == from->columns;
        if (!differs[i])
            continue;
        /* NaN where either is hidden, or is not there. */
        bool same = maps[i].rows == from->rows && maps[i].columns == from->columns;
        for (int k = 0; k < maps[i].rows * maps[i].columns; k++)
            maps[i].values[k] = same ? maps[i].values[k] - from->values[k] : NAN;
        most = fmaxf(most, largest(&maps[i]));
    }
    for (int i = 0; i < s->count && known; i++)
        if (differs[i])
            draw_difference(s, canvas, i, s->side[i].area, (viz_rect){0}, &maps[i],
                            most > 0 ? most : 1);
    for (int i = 0; i < s->count; i++)
        viz_map_free(&maps[i]);
    return known;
}

/* ---------------------------------------------------------------- A | B | A − B */

static void draw_letter_title(const split_view *s, viz_canvas *canvas, int side)
{
    const viz_rect r = s->side[side].title;
    const viz_theme *theme = canvas->theme;
    const bool focus = side == s->focus;
    char own[256];
    float x = viz_text(canvas, VIZ_SANS_BOLD, VIZ_BODY, r.x, r.y + 21, VIZ_LEFT,
                       focus ? theme->accent : theme->text, side ? "B" : "A");
    split_title(s, side, own, sizeof own);
    viz_text_within(canvas, VIZ_SANS, VIZ_BODY, r.x + x + 12, r.y + 21, r.w - x - 12, VIZ_LEFT,
                    focus ? theme->text : theme->text2, own);
    draw_close(s, canvas, side);
}

/* The first map less the second, as large as they are. */
static void draw_minus(split_view *s, viz_canvas *canvas)
{
    viz_map a = {0}, b = {0};
    const viz_view *first = s->side[0].view, *second = s->side[1].view;
    const viz_rect m = s->minus;
    bool known = first->class->map(first, &a) && second->class->map(second, &b);
    bool same = known && a.rows == b.rows && a.columns == b.columns;
    viz_text(canvas, VIZ_SANS_BOLD, VIZ_BODY, m.x + VIZ_MARGIN, m.y - TITLE_ROW + 21, VIZ_LEFT,
             canvas->theme->text, "A − B");
    for (int k = 0; same && k < a.rows * a.columns; k++)
        a.values[k] -= b.values[k]; /* NaN where either is hidden */
    if (same) {
        viz_rect like = first->class->map_rect(first);
        const float most = largest(&a);
        like.x += m.x - s->side[0].area.x;
        draw_difference(s, canvas, 0, m, like, &a, most > 0 ? most : 1);
    } else if (known) {
        viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, m.x + VIZ_MARGIN, m.y + 21,
                        m.w - 2 * VIZ_MARGIN, VIZ_LEFT, canvas->theme->text2,
                        viz_word("of another size: no difference"));
    }
    viz_map_free(&a);
    viz_map_free(&b);
}

/* Both maps and their difference in three columns, below what both share. False: they have no layout
 * for that. */
static bool draw_pair(split_view *s, viz_canvas *canvas, viz_rect area)
{
    viz_view *focus = split_in_focus(s), *other = s->side[s->focus == 0].view;
    const viz_view_class *class = focus->class;
    s->minus = (viz_rect){0};
    s->paired = s->difference && s->count == 2 && class->pair_room && !canvas->figure &&
                !viz_view_is_figure(&s->base);
    viz_rect room = s->paired ? class->pair_room(focus, other, canvas, area) : (viz_rect){0};
    s->paired = room.w > 0;
    if (!s->paired)
        return false;
    const float w = room.w / 3, y = room.y + TITLE_ROW, h = room.h - TITLE_ROW;
    float end = 0;
    for (int i = 0; i < 2; i++) {
        split_side *p = &s->side[i];
        const float x = room.x + w * (float)i, right = x + w - VIZ_MARGIN;
        p->shrink = 1;
        p->close = canvas->theme->presents ? (viz_rect){0}
                                           : (viz_rect){right - CLOSE, room.y + 9, CLOSE, CLOSE};
        p->title =
            (viz_rect){x + VIZ_MARGIN, room.y, w - 2 * VIZ_MARGIN - CLOSE - VIZ_GAP, TITLE_ROW};
        p->area = (viz_rect){x, y, w, h};
        end = fmaxf(end, class->pair_lay(p->view, canvas, p->area, i == s->focus));
    }
    s->minus = (viz_rect){room.x + 2 * w, y, w, h};
    for (int i = 0; i < 2; i++) {
        class->pair_draw(s->side[i].view, canvas, end);
        viz_clip_none(canvas);
        draw_letter_title(s, canvas, i);
    }
    draw_minus(s, canvas);
    return true;
}

/* ---------------------------------------------------------------- panels of a figure */

/* The panels have no titles of their own, and one scale: up to the largest of their ends. */
void split_join_panels(split_view *s, const viz_canvas *canvas, float width)
{
    const bool panels = viz_view_is_figure(&s->base) && s->count > 1;
    float end = 0;
    for (int i = 0; i < s->made; i++) {
        s->side[i].view->panel = panels;
        s->side[i].view->scale_end = 0;
    }
    for (int i = 0; i < s->count && panels && s->class.figure_scale; i++) {
        viz_view_figure_height(s->side[i].view, canvas, width);
        end = fmaxf(end, s->class.figure_scale(s->side[i].view));
    }
    for (int i = 0; i < s->count && panels; i++)
        s->side[i].view->scale_end = end;
}

/* ---------------------------------------------------------------- the whole */

void split_draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    split_view *s = split_of(view);
    if (draw_pair(s, canvas, area))
        return;
    lay(s, canvas, area);
    split_join_panels(s, canvas, s->side[0].area.w);
    bool subtracts = s->difference && s->count > 1;
    for (int i = 0; i < s->count; i++)
        draw_view(&s->side[i], canvas, !subtracts || i == s->focus);
    bool differs[VIZ_SPLIT_MOST] = {false};
    if (subtracts)
        draw_differences(s, canvas, differs);
    for (int i = 0; i < s->count && subtracts; i++)
        if (i != s->focus && !differs[i])
            draw_view(&s->side[i], canvas, true);
    if (s->count < 2)
        return;
    /* Lines between the sides; a figure has white space. */
    for (int i = 1; i < s->count && !canvas->figure; i++) {
        viz_rect r = s->side[i].area, above = s->side[i].title;
        if (r.x > area.x + 1)
            viz_fill(canvas, (viz_rect){r.x, above.y, 1, above.h + r.h}, canvas->theme->line);
        if (above.y > area.y + 1)
            viz_fill(canvas, (viz_rect){r.x, above.y, r.w, 1}, canvas->theme->line);
    }
    for (int i = 0; i < s->count; i++)
        draw_title(s, canvas, i, subtracts, differs[i]);
}
