/* Drawing of the tray: titles that say what differs, maps of one scale, the cell that is read. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts/hidden.h"
#include "shell/tray_state.h"

#define HEAD 38.0f      /* above the panels: what all maps have in common, and the cell */
#define FOOT 74.0f      /* below: colour bars and caps */
#define TITLE_ROW 20.0f /* of a panel; its title may have more lines */
#define TITLE_LINE 16.0f
#define MOST_LINES 3
#define VALUE_ROW 22.0f
#define COLUMN_GAP 24.0f
#define ROW_GAP 10.0f
#define CLOSE 16.0f
#define LEAST_TITLE 240.0f /* a title may be wider than its map */
#define WIDEST_BAR 300.0f
#define LARGEST_CELL 72.0f
#define HATCHED_CELL 6.0f

/* ---------------------------------------------------------------- titles */

/* The next part of a title into `part`; what follows it, or NULL. */
static const char *next_part(const char *title, char *part, size_t size)
{
    const char *end = strstr(title, VIZ_PIN_BETWEEN);
    snprintf(part, size, "%.*s", end ? (int)(end - title) : (int)strlen(title), title);
    return end ? end + strlen(VIZ_PIN_BETWEEN) : NULL;
}

static bool has_part(const char *title, const char *wanted)
{
    char part[256];
    while (title) {
        title = next_part(title, part, sizeof part);
        if (strcmp(part, wanted) == 0)
            return true;
    }
    return false;
}

static bool all_have(const tray_view *t, const char *part)
{
    for (int i = 0; i < t->now.count; i++)
        if (!has_part(tray_pin(t, i)->title, part))
            return false;
    return true;
}

/* Behind the `used` bytes of the text; returns how many it adds. */
static size_t add_part(char *text, size_t used, size_t size, const char *part)
{
    return (size_t)snprintf(text + used, size - used, "%s%s", used ? VIZ_PIN_BETWEEN : "", part);
}

/* The parts of a map's title that all maps have, or those that they do not. */
static char *title_parts(const tray_view *t, int panel, bool common, char *text, size_t size)
{
    char part[256];
    size_t used = 0;
    text[0] = '\0';
    for (const char *title = tray_pin(t, panel)->title; title && used < size;) {
        title = next_part(title, part, sizeof part);
        if (all_have(t, part) == common)
            used += add_part(text, used, size, part);
    }
    return text;
}

/* The parts of a title that another one has not. */
static char *parts_alone(const char *title, const char *other, char *text, size_t size)
{
    char part[256];
    size_t used = 0;
    text[0] = '\0';
    while (title && used < size) {
        title = next_part(title, part, sizeof part);
        if (!has_part(other, part))
            used += add_part(text, used, size, part);
    }
    return text;
}

#define MINUS "  −  "

/* The title of a panel: the settings of its map that not all have; of a difference, those in which
 * the two differ. */
static char *panel_title(const tray_view *t, int panel, char *text, size_t size)
{
    char own[256], from[256];
    const char *title = tray_pin(t, panel)->title, *other = tray_pin(t, t->reference)->title;
    if (t->now.count == 1)
        text[0] = '\0';
    else if (tray_subtracts(t, panel)) {
        parts_alone(title, other, own, sizeof own);
        parts_alone(other, title, from, sizeof from);
        snprintf(text, size, "%s" MINUS "%s", own[0] ? own : "the same",
                 from[0] ? from : "the same");
    } else {
        title_parts(t, panel, false, own, sizeof own);
        snprintf(text, size, "%s", own[0] ? own : "the same");
    }
    return text;
}

/* The last place where a title is parted so that what stands before has room; NULL: none. */
static const char *find_break(const viz_canvas *canvas, const char *title, float width)
{
    const char *found = NULL;
    char head[600];
    for (const char *at = title; *at; at++) {
        bool parts = strncmp(at, VIZ_PIN_BETWEEN, strlen(VIZ_PIN_BETWEEN)) == 0 ||
                     strncmp(at, MINUS, strlen(MINUS)) == 0;
        if (!parts)
            continue;
        snprintf(head, sizeof head, "%.*s", (int)(at - title), title);
        if (viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, head) > width)
            break;
        found = at;
    }
    return found;
}

/* The next line of a title into `line` [600]; what follows it, or NULL. */
static const char *next_line(const viz_canvas *canvas, const char *title, float width, char *line)
{
    bool wide = viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, title) > width;
    const char *end = wide ? find_break(canvas, title, width) : NULL;
    snprintf(line, 600, "%.*s", end ? (int)(end - title) : (int)strlen(title), title);
    if (!end)
        return NULL;
    return strncmp(end, MINUS, strlen(MINUS)) == 0 ? end + 2 : end + strlen(VIZ_PIN_BETWEEN);
}

static int lines_of(const viz_canvas *canvas, const char *title, float width)
{
    char line[600];
    int lines = 0;
    for (; title; lines++)
        title = next_line(canvas, title, width, line);
    return lines;
}

/* ---------------------------------------------------------------- colours */

/* A map with negative numbers is drawn around zero. */
static bool is_signed(const tray_view *t, int panel)
{
    const viz_pin *pin = tray_pin(t, panel);
    bool negative = tray_subtracts(t, panel);
    for (int i = 0; i < pin->rows * pin->columns && !negative; i++)
        negative = pin->values[i] < 0;
    return negative;
}

/* The largest magnitude in a map. */
static float largest(const tray_view *t, int panel)
{
    const viz_pin *pin = tray_pin(t, panel);
    float most = 0;
    for (int i = 0; i < pin->rows * pin->columns; i++) {
        float value = tray_value(t, panel, i);
        most = isfinite(value) ? fmaxf(most, fabsf(value)) : most;
    }
    return most;
}

/* Over all maps that are coloured alike. */
static float largest_of_all(const tray_view *t, bool of_signed)
{
    float most = 0;
    for (int i = 0; i < t->now.count; i++)
        if (is_signed(t, i) == of_signed)
            most = fmaxf(most, largest(t, i));
    return most;
}

/* Differences have one scale for all, with zero in its middle. */
static viz_scale scale_of(const tray_view *t, int panel)
{
    bool around_zero = is_signed(t, panel), own = t->scale == VIZ_PER_MAP && !around_zero;
    float most = own ? largest(t, panel) : largest_of_all(t, around_zero);
    most = most > 0 ? most : 1;
    return around_zero ? (viz_scale){VIZ_FIXED, -most, most} : viz_scale_for(t->scale, most);
}

/* The first panel that is coloured so; −1: none. */
static int first_panel(const tray_view *t, bool of_signed)
{
    for (int i = 0; i < t->now.count; i++)
        if (is_signed(t, i) == of_signed)
            return i;
    return -1;
}

static viz_colormap map_of(const tray_view *t, int panel)
{
    return is_signed(t, panel) ? VIZ_DIVERGING : t->style.map;
}

/* ---------------------------------------------------------------- layout */

static float aspect_of(const viz_pin *pin)
{
    return pin->image.rgba ? (float)pin->image.width / (float)pin->image.height
                           : (float)pin->columns / (float)pin->rows;
}

/* The area of all maps in so many columns. */
static float shown_area(const tray_view *t, viz_rect room, int columns)
{
    int rows = (t->now.count + columns - 1) / columns;
    float w = (room.w - COLUMN_GAP * (float)(columns - 1)) / (float)columns;
    float h = (room.h - ROW_GAP * (float)(rows - 1)) / (float)rows - TITLE_ROW - VALUE_ROW;
    float area = 0;
    for (int i = 0; i < t->now.count; i++) {
        float aspect = aspect_of(tray_pin(t, i)), wide = fminf(w, fmaxf(h, 0) * aspect);
        area += wide * wide / aspect;
    }
    return area;
}

/* A pin as the component for matrices takes it; `values` [rows,columns] are those that are shown.
 */
static viz_grid grid_of(const tray_view *t, int panel, const float *values)
{
    const viz_pin *pin = tray_pin(t, panel);
    viz_grid grid = {
        .values = values,
        .rows = pin->rows,
        .columns = pin->columns,
        .row_labels = pin->row_labels.count ? (const char *const *)pin->row_labels.text : NULL,
        .column_labels =
            pin->column_labels.count ? (const char *const *)pin->column_labels.text : NULL,
        .scale = scale_of(t, panel),
        .colors = map_of(t, panel),
        .row = -1,
        .column = -1,
        .hover_row = -1,
        .hover_column = -1};
    float x, y;
    if (tray_cursor(t, &x, &y))
        tray_cell_at(pin, x, y, &grid.hover_row, &grid.hover_column);
    return grid;
}

static void lay_panel(tray_view *t, const viz_canvas *canvas, int panel, viz_rect room)
{
    const viz_pin *pin = tray_pin(t, panel);
    tray_panel *p = &t->layout.panels[panel];
    float head = TITLE_ROW + TITLE_LINE * (float)(t->layout.title_lines - 1);
    viz_rect map = {room.x, room.y + head, room.w, room.h - head - VALUE_ROW};
    if (pin->image.rgba) {
        float w = fmaxf(fminf(map.w, map.h * aspect_of(pin)), 1);
        p->map = (viz_rect){map.x, map.y, w, w / aspect_of(pin)};
    } else {
        viz_grid grid = grid_of(t, panel, pin->values);
        viz_grid_lay(&p->grid, canvas, &grid, map, LARGEST_CELL);
        p->map = p->grid.cells;
    }
    float w = fminf(fmaxf(p->map.x + p->map.w - room.x, LEAST_TITLE), room.w);
    p->close = (viz_rect){room.x + w - CLOSE, room.y, CLOSE, CLOSE};
    p->title = (viz_rect){room.x, room.y, w - CLOSE - VIZ_GAP, head - 2};
    p->value_y = p->map.y + p->map.h + 17;
}

static const viz_key_help caps[] = {
    {"L", "scale"}, {"S", "PNG"}, {"C", "difference"}, {"Tab", "back"}, {"?", "keys"}};

static void lay_foot(tray_view *t, const viz_canvas *canvas, viz_rect area)
{
    tray_layout *l = &t->layout;
    float y = area.y + area.h - FOOT + 14, width = area.w - 2 * VIZ_MARGIN, x = area.x + VIZ_MARGIN;
    bool plain = first_panel(t, false) >= 0, signs = first_panel(t, true) >= 0;
    float share = plain && signs && width < 2 * WIDEST_BAR + 100 ? 0.36f : 0.45f;
    l->caps =
        viz_caps_layout(canvas, x + width, y - 4, share * width, caps, sizeof caps / sizeof *caps);
    float left = x + width;
    for (int i = 0; i < l->caps.count; i++)
        left = l->caps.items[i].w > 0 ? fminf(left, l->caps.items[i].x) : left;
    float room = left - x - COLUMN_GAP;
    float bar = fminf(plain && signs ? (room - COLUMN_GAP) / 2 : room, WIDEST_BAR);
    l->bar = plain ? (viz_rect){x, y, bar, VIZ_BAR_NAMED_HEIGHT} : (viz_rect){0};
    x += plain ? bar + COLUMN_GAP : 0;
    l->difference_bar = signs ? (viz_rect){x, y, bar, VIZ_BAR_NAMED_HEIGHT} : (viz_rect){0};
}

/* Panels that are narrower than their room move together, in the middle of it. */
static void close_ranks(tray_view *t, viz_rect room, int columns, float pitch)
{
    float widest = 0;
    for (int i = 0; i < t->now.count; i++)
        widest = fmaxf(widest, t->layout.panels[i].close.x + CLOSE - t->layout.panels[i].title.x);
    float whole = widest * (float)columns + COLUMN_GAP * (float)(columns - 1);
    for (int i = 0; i < t->now.count; i++) {
        tray_panel *p = &t->layout.panels[i];
        float by = (room.w - whole) / 2 - (float)(i % columns) * (pitch - widest - COLUMN_GAP);
        p->title.x += by;
        p->close.x += by;
        p->map.x += by;
        p->grid.area.x += by;
        p->grid.cells.x += by;
    }
}

static void move_down(tray_panel *p, float by)
{
    p->title.y += by;
    p->close.y += by;
    p->map.y += by;
    p->grid.area.y += by;
    p->grid.cells.y += by;
    p->value_y += by;
}

/* Rows of maps that are lower than their room stand below each other in the middle of it. */
static void close_rows(tray_view *t, viz_rect room, int columns, float pitch)
{
    int count = t->now.count, rows = count ? (count + columns - 1) / columns : 1;
    float highest = 0;
    for (int i = 0; i < count; i++)
        highest = fmaxf(highest, t->layout.panels[i].value_y + 5 - t->layout.panels[i].title.y);
    float spare = fmaxf(pitch - ROW_GAP - highest, 0), top = spare * (float)rows / 2;
    for (int i = 0; i < count; i++)
        move_down(&t->layout.panels[i], fminf(top, 0.25f * room.h) - (float)(i / columns) * spare);
}

/* What the titles need as the panels are laid out now, and may have. */
static int lines_needed(const tray_view *t, const viz_canvas *canvas)
{
    char text[600];
    int most = 1;
    for (int i = 0; i < t->now.count; i++) {
        int lines =
            lines_of(canvas, panel_title(t, i, text, sizeof text), t->layout.panels[i].title.w);
        most = lines > most ? lines : most;
    }
    return most < MOST_LINES ? most : MOST_LINES;
}

static void lay(tray_view *t, const viz_canvas *canvas, viz_rect area)
{
    viz_rect room = {area.x + VIZ_MARGIN, area.y + HEAD, area.w - 2 * VIZ_MARGIN,
                     area.h - HEAD - FOOT};
    int count = t->now.count, columns = 1;
    for (int c = 2; c <= count; c++)
        columns = shown_area(t, room, c) > 1.02f * shown_area(t, room, columns) ? c : columns;
    int rows = count ? (count + columns - 1) / columns : 1;
    float w = (room.w - COLUMN_GAP * (float)(columns - 1)) / (float)columns;
    float h = (room.h - ROW_GAP * (float)(rows - 1)) / (float)rows;
    t->layout = (tray_layout){.title_y = area.y + 24};
    do {
        t->layout.title_lines++;
        for (int i = 0; i < count; i++)
            lay_panel(t, canvas, i,
                      (viz_rect){room.x + (w + COLUMN_GAP) * (float)(i % columns),
                                 room.y + (h + ROW_GAP) * (float)(i / columns), w, h});
    } while (t->layout.title_lines < lines_needed(t, canvas));
    close_ranks(t, room, columns, w + COLUMN_GAP);
    close_rows(t, room, columns, h + ROW_GAP);
    lay_foot(t, canvas, area);
}

bool tray_hit(const tray_view *t, float x, float y, int *panel, int *row, int *column)
{
    for (int i = 0; i < t->now.count; i++) {
        viz_rect map = t->layout.panels[i].map;
        if (map.w <= 0 || !viz_inside(map, x, y))
            continue;
        *panel = i;
        tray_cell_at(tray_pin(t, i), (x - map.x) / map.w, (y - map.y) / map.h, row, column);
        return true;
    }
    return false;
}

/* ---------------------------------------------------------------- maps */

static viz_rect cell_rect(const tray_panel *p, const viz_pin *pin, int row, int column)
{
    float w = p->map.w / (float)pin->columns, h = p->map.h / (float)pin->rows;
    return (viz_rect){p->map.x + (float)column * w, p->map.y + (float)row * h, w, h};
}

/* Draws a frame with a dark edge, so that it stands out on every colour. */
static void frame_cell(viz_canvas *canvas, viz_rect cell)
{
    float more = fmaxf(0, 9 - fminf(cell.w, cell.h)) / 2;
    viz_rect frame = {cell.x - more, cell.y - more, cell.w + 2 * more, cell.h + 2 * more};
    viz_rect around = {frame.x - 1, frame.y - 1, frame.w + 2, frame.h + 2};
    viz_frame(canvas, around, 1, (viz_color){0, 0, 0, 170});
    viz_frame(canvas, frame, 2, canvas->theme->pale);
}

/* The numbers of a map as they are shown, what is hidden as 0, and in `hidden` which those are. */
static void read_map(const tray_view *t, int panel, float *values, uint8_t *hidden)
{
    const viz_pin *pin = tray_pin(t, panel);
    for (int i = 0; i < pin->rows * pin->columns; i++) {
        float value = tray_value(t, panel, i);
        hidden[i] = !isfinite(value);
        values[i] = hidden[i] ? 0 : value;
    }
}

static void draw_over_picture(tray_view *t, viz_canvas *canvas, int panel, const float *values,
                              const uint8_t *hidden)
{
    const viz_pin *pin = tray_pin(t, panel);
    const tray_panel *p = &t->layout.panels[panel];
    int place = t->now.pins[panel], row, column;
    float x, y;
    viz_heat_style style = t->style;
    style.scale = scale_of(t, panel);
    style.map = map_of(t, panel);
    viz_image_kept(canvas, &t->scaled[place], &pin->image, t->stamps[place], p->map, true);
    viz_heat(canvas, &t->scaled[place], p->map, values, pin->columns, pin->rows, &style);
    viz_hidden_draw(canvas, p->map, hidden, pin->columns, pin->rows);
    if (!tray_cursor(t, &x, &y))
        return;
    tray_cell_at(pin, x, y, &row, &column);
    frame_cell(canvas, cell_rect(p, pin, row, column));
}

static void draw_matrix(const tray_view *t, viz_canvas *canvas, int panel, const float *values,
                        const uint8_t *hidden)
{
    const viz_pin *pin = tray_pin(t, panel);
    const tray_panel *p = &t->layout.panels[panel];
    viz_grid grid = grid_of(t, panel, values);
    bool hatched = p->grid.cell >= HATCHED_CELL;
    viz_grid_draw(&p->grid, canvas, &grid);
    for (int i = 0; i < pin->rows * pin->columns; i++) {
        viz_rect cell = viz_grid_cell(&p->grid, i / pin->columns, i % pin->columns);
        if (hidden[i] && hatched)
            viz_hatch(canvas, cell, &p->map);
        else if (hidden[i])
            viz_fill(canvas, cell, viz_masked_tone);
    }
    if (grid.hover_row >= 0)
        frame_cell(canvas, viz_grid_cell(&p->grid, grid.hover_row, grid.hover_column));
}

static void draw_map(tray_view *t, viz_canvas *canvas, int panel)
{
    const viz_pin *pin = tray_pin(t, panel);
    size_t cells = (size_t)pin->rows * (size_t)pin->columns;
    float *values = viz_allocate(cells, sizeof *values + 1);
    if (!values)
        return;
    uint8_t *hidden = (uint8_t *)(values + cells);
    read_map(t, panel, values, hidden);
    if (pin->image.rgba)
        draw_over_picture(t, canvas, panel, values, hidden);
    else
        draw_matrix(t, canvas, panel, values, hidden);
    free(values);
}

/* ---------------------------------------------------------------- words */

static void value_text(const tray_view *t, int panel, int cell, char *text, size_t size)
{
    char number[32];
    float value = tray_value(t, panel, cell);
    const viz_pin *pin = tray_pin(t, panel), *from = tray_pin(t, t->reference);
    bool subtracts = tray_subtracts(t, panel);
    if (subtracts && (pin->rows != from->rows || pin->columns != from->columns))
        snprintf(text, size, "another size: no difference");
    else if (isfinite(value))
        snprintf(text, size, "%s%s",
                 value < 0                ? "−"
                 : subtracts && value > 0 ? "+"
                                          : "",
                 viz_number(fabsf(value), number, sizeof number));
    else
        snprintf(text, size, "hidden");
}

/* The last line is shortened where it must be. */
static void draw_title(const tray_view *t, viz_canvas *canvas, int panel)
{
    const viz_theme *theme = canvas->theme;
    viz_rect r = t->layout.panels[panel].title;
    char text[600], line[600], fit[600];
    bool lit = t->difference && t->now.count > 1 && panel == t->reference;
    const char *rest = panel_title(t, panel, text, sizeof text);
    for (int i = 0; rest && i < t->layout.title_lines; i++) {
        const char *from = rest;
        rest = next_line(canvas, from, r.w, line);
        bool last = i + 1 == t->layout.title_lines;
        viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, r.w, last ? from : line, fit, sizeof fit);
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x, r.y + 13 + TITLE_LINE * (float)i, VIZ_LEFT,
                 lit ? theme->accent : theme->text, fit);
    }
}

static void draw_words(const tray_view *t, viz_canvas *canvas, int panel)
{
    const viz_theme *theme = canvas->theme;
    const tray_panel *p = &t->layout.panels[panel];
    char text[64];
    float x, y, middle = p->close.x + CLOSE / 2, level = p->close.y + CLOSE / 2;
    int row, column;
    draw_title(t, canvas, panel);
    if (!theme->presents) {
        viz_line(canvas, middle - 3.5f, level - 3.5f, middle + 3.5f, level + 3.5f, 1.4f,
                 theme->text2);
        viz_line(canvas, middle - 3.5f, level + 3.5f, middle + 3.5f, level - 3.5f, 1.4f,
                 theme->text2);
    }
    if (!tray_cursor(t, &x, &y))
        return;
    tray_cell_at(tray_pin(t, panel), x, y, &row, &column);
    value_text(t, panel, row * tray_pin(t, panel)->columns + column, text, sizeof text);
    viz_text(canvas, VIZ_MONO, VIZ_BODY, p->map.x, p->value_y, VIZ_LEFT, theme->text, text);
}

/* "“sat” → “mat”", "cell (12, 9)" or "row 3, column 7", as the first map calls it. */
static void name_cell(const tray_view *t, char *text, size_t size)
{
    float x, y;
    int row, column;
    text[0] = '\0';
    if (!t->now.count || !tray_cursor(t, &x, &y))
        return;
    const viz_pin *pin = tray_pin(t, 0);
    tray_cell_at(pin, x, y, &row, &column);
    if (pin->image.rgba)
        snprintf(text, size, "cell (%d, %d)", column, row);
    else if (pin->row_labels.count && pin->column_labels.count)
        snprintf(text, size, "%s → %s", pin->row_labels.text[row], pin->column_labels.text[column]);
    else
        snprintf(text, size, "row %d, column %d", row, column);
}

static void draw_head(const tray_view *t, viz_canvas *canvas, viz_rect area)
{
    char common[256], cell[160], fit[256];
    float left = area.x + VIZ_MARGIN, right = area.x + area.w - VIZ_MARGIN;
    name_cell(t, cell, sizeof cell);
    right -= viz_text(canvas, VIZ_SANS, VIZ_BODY, right, t->layout.title_y, VIZ_RIGHT,
                      canvas->theme->accent, cell);
    title_parts(t, 0, true, common, sizeof common);
    viz_text_fit(canvas, VIZ_SANS, VIZ_BODY, right - left - COLUMN_GAP, common, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_BODY, left, t->layout.title_y, VIZ_LEFT, canvas->theme->text2,
             fit);
}

static void draw_bar(const tray_view *t, viz_canvas *canvas, viz_rect rect, bool of_signed)
{
    int panel = first_panel(t, of_signed);
    if (rect.w <= 0 || panel < 0)
        return;
    bool heat = tray_pin(t, panel)->image.rgba;
    viz_colormap map = map_of(t, panel);
    viz_scale scale = scale_of(t, panel);
    const char *name = of_signed ? (t->difference ? "difference" : "0 in the middle")
                       : t->scale == VIZ_PER_MAP ? "per map; the numbers are the first's"
                                                 : viz_scale_name(t->scale);
    viz_bar_draw(canvas, rect, heat ? viz_heat_colors(map) : viz_colormap_table(map), &scale, 0,
                 name);
}

void tray_draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    tray_view *t = tray_of(view);
    lay(t, canvas, area);
    if (!t->now.count)
        return;
    draw_head(t, canvas, area);
    for (int i = 0; i < t->now.count; i++) {
        draw_map(t, canvas, i);
        draw_words(t, canvas, i);
    }
    draw_bar(t, canvas, t->layout.bar, false);
    draw_bar(t, canvas, t->layout.difference_bar, true);
    viz_caps_draw(canvas, &t->layout.caps);
}

void tray_spots(const viz_view *view, viz_spots *spots)
{
    const tray_view *t = (const tray_view *)view;
    const tray_layout *l = &t->layout;
    for (int i = 0; i < t->now.count; i++) {
        viz_spots_add(spots, l->panels[i].map, VIZ_SPOT_AREA,
                      "Point at a cell to read it in all maps; click to hold it.");
        viz_spots_add(spots, l->panels[i].title, VIZ_SPOT_PRESSES,
                      "Subtract this map from the others, where differences are shown.");
        viz_spots_add(spots, l->panels[i].close, VIZ_SPOT_PRESSES, "Take this map away.");
    }
    viz_spots_add(spots, l->bar, VIZ_SPOT_READS, "What the colours mean, the same in all maps.");
    viz_spots_add(spots, l->difference_bar, VIZ_SPOT_READS,
                  "What the colours of a difference mean: more than in the other, or less.");
    viz_spots_add_caps(spots, &l->caps);
}
