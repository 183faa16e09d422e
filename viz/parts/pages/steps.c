/* A page of arithmetic: its layout, and the drawing of sentences, formulas and arrays. */

#include "parts/pages/steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text/numbers.h"
#include "canvas/colormap.h"
#include "canvas/text.h"
#include "parts/controls/widgets.h"
#include "parts/figures/overlays.h"
#include "parts/pages/paragraph.h"

#define LEAST_TEXT 12.0f
#define NAME_GAP 18.0f
#define CELL_W 84.0f
#define WIDEST_CELL 120.0f
#define CELL_H 64.0f
#define LEAST_CELL_H 40.0f /* where a row goes on below itself */
#define TITLE 28.0f
#define SUBTITLE 17.0f
#define NAMES 16.0f
#define SENTENCE 21.0f
#define LABEL 15.0f
#define NUMBER 21.0f
#define FORMULA 26.0f
#define NOTICE 18.0f
#define CELL_GAP 2.0f
#define REST_CELLS 1.6f /* cells that "60 others" takes */

/* Three digits, for a cell. */
static char *short_number(double value, char *text, size_t size)
{
    double a = fabs(value);
    const char *sign = value < 0 ? "−" : "";
    if (a > 0 && a < 1e-3)
        snprintf(text, size, "%s%.0e", sign, a);
    else if (a > 0 && a < 1e3)
        snprintf(text, size, "%s%.*f", sign, a < 1 ? 3 : a < 10 ? 2 : a < 100 ? 1 : 0, a);
    else
        sac_number_text(value, text, size);
    return text;
}

static float text_size(const viz_page_layout *l, float size)
{
    return fmaxf(LEAST_TEXT, size * l->unit);
}

/* ---------------------------------------------------------------- layout */

static const viz_step_table *current_table(const viz_page *page)
{
    return &page->steps[page->current].table;
}

static void lay_table(viz_page_layout *l, const viz_page *page, const viz_canvas *canvas,
                      viz_rect room)
{
    const viz_step_table *t = current_table(page);
    float size = text_size(l, LABEL), label = text_size(l, LABEL);
    l->gutter = 0;
    for (int r = 0; r < t->rows; r++)
        l->gutter = fmaxf(l->gutter, viz_text_width(canvas, VIZ_MONO, size, t->row[r].name) + 14);
    l->gutter = fminf(l->gutter, 0.3f * room.w);
    l->table = room;
    if (!t->columns || t->rows < 1)
        return;
    float name = 2.2f * label, columns = 1.6f * size;
    if (l->area.h > l->area.w) /* bands fill the room: what follows keeps its distance */
        room.h -= label;
    /* An upright page has room for long rows: they go on in up to so many bands, one below the other. */
    float band = columns + LEAST_CELL_H * l->unit * (float)t->rows, high = room.h - name;
    size_t most_bands = l->area.h > l->area.w && high > 2 * band ? (size_t)(high / band) : 1;
    /* Numbers keep their width; what is left over goes to wider cells. */
    float least = CELL_W * fmaxf(l->unit, 0.8f), across = room.w - l->gutter;
    size_t most = across > least ? (size_t)(across / least) : 1;
    l->rest = t->columns > most_bands * most;
    l->shown = t->columns;
    if (l->rest) {
        float cells = across / least - REST_CELLS;
        l->shown = (most_bands - 1) * most + (cells > 1 ? (size_t)cells : 1);
    }
    size_t last = t->columns - l->shown;
    l->first = page->first < last ? page->first : last;
    l->across = l->shown < most ? l->shown : most;
    float cells = (float)l->across + (l->rest && l->shown <= most ? REST_CELLS : 0);
    l->cell_w = fminf(across / cells, WIDEST_CELL * l->unit);
    l->cells = (viz_rect){room.x + l->gutter, room.y, l->cell_w * (float)l->across, 0};
    float bands = (float)((l->shown + l->across - 1) / l->across);
    float each = (high / bands - columns) / (float)t->rows;
    l->cell_h = fmaxf(fminf(each, CELL_H * l->unit), 0);
    l->band_h = columns + l->cell_h * (float)t->rows;
    float above = name + columns, height = name + l->band_h * bands;
    l->table.y += canvas->figure ? 0 : fmaxf(0, (room.h - height) * 0.15f);
    l->table.h = height;
    l->cells.y = l->table.y + above;
    l->cells.h = l->band_h * bands - columns;
}

/* True where the result stands behind the formula, in its last line; else it has a line of its own.
 */
static bool result_is_behind(const viz_step *step, const viz_page_layout *l,
                             const viz_canvas *canvas, float *end)
{
    float size = text_size(l, FORMULA);
    *end = viz_text_width(canvas, VIZ_MONO, size, step->formula) +
           viz_text_width(canvas, VIZ_MONO, size, " ");
    return *end + viz_text_width(canvas, VIZ_MONO, size, step->result) <= l->area.w;
}

/* The formula follows the table, and what to notice the formula. */
viz_page_layout viz_page_lay(const viz_page *page, const viz_canvas *canvas, viz_rect area)
{
    const viz_step *step = &page->steps[page->current];
    float unit = canvas->figure ? area.w / 850 : fminf(area.w / 1000, area.h / 756);
    viz_page_layout l = {.unit = unit};
    l.unit = fminf(fmaxf(l.unit, 0.5f), 3);
    float margin = canvas->figure ? VIZ_GAP : viz_page_margin(area);
    l.area = (viz_rect){area.x + margin, area.y, area.w - 2 * margin, area.h};
    float gap = 16 * l.unit, notice = text_size(&l, NOTICE);
    float end, size = text_size(&l, FORMULA);
    float lines = viz_paragraph_height(canvas, VIZ_MONO, size, l.area.w, step->formula);
    float formula_h = lines + (result_is_behind(step, &l, canvas, &end) ? 0 : VIZ_LEADING * size);
    float notice_h = viz_paragraph_height(canvas, VIZ_SANS, notice, l.area.w, step->notice);
    /* Title, names and sentence from the top, then the table. */
    float sentence = text_size(&l, SENTENCE), width = l.area.w;
    l.title_y = l.area.y + 14 * l.unit + 1.1f * text_size(&l, TITLE);
    l.subtitle_y = l.title_y + 1.5f * text_size(&l, SUBTITLE);
    float y = l.subtitle_y + 0.7f * text_size(&l, NAMES);
    if (!canvas->figure) { /* a figure shows the one step alone */
        viz_turns *t = &l.turns;
        *t = (viz_turns){.current = page->current, .size = text_size(&l, NAMES)};
        for (; t->count < page->count && t->count < VIZ_TURNS; t->count++)
            t->names[t->count] = page->steps[t->count].name;
        viz_turns_lay(t, canvas, l.area.x, y, l.area.w, NAME_GAP * l.unit);
        y += 2.3f * text_size(&l, NAMES);
    }
    l.sentence_y = y + sentence;
    y = l.sentence_y + viz_paragraph_height(canvas, VIZ_SANS, sentence, width, step->sentence) -
        0.5f * sentence + gap;
    float rest = area.y + area.h - y - formula_h - notice_h - 3 * gap;
    lay_table(&l, page, canvas, (viz_rect){l.area.x, y, l.area.w, rest});
    y = l.table.y + l.table.h + 1.5f * gap;
    l.formula_y = y + text_size(&l, FORMULA);
    l.notice_y = y + formula_h + 0.5f * gap + notice;
    return l;
}

float viz_page_height(const viz_page *page, const viz_canvas *canvas, float width)
{
    viz_page_layout l = viz_page_lay(page, canvas, (viz_rect){0, 0, width, 0.95f * width});
    float notice = text_size(&l, NOTICE);
    return l.notice_y +
           viz_paragraph_height(canvas, VIZ_SANS, notice, l.area.w,
                                page->steps[page->current].notice) +
           20 * l.unit;
}

float viz_page_margin(viz_rect area)
{
    return area.w < 800 ? VIZ_MARGIN : 48 * fminf(area.w / 1280, 2);
}

/* ---------------------------------------------------------------- the table */

static size_t column_at_place(const viz_page *page, const viz_page_layout *l, size_t place)
{
    const viz_step_table *t = current_table(page);
    return l->rest && t->order ? t->order[place] : place;
}

static viz_rect cell_at(const viz_page_layout *l, size_t place, int row)
{
    size_t band = (place - l->first) / l->across, column = (place - l->first) % l->across;
    return (viz_rect){l->cells.x + l->cell_w * (float)column,
                      l->cells.y + l->band_h * (float)band + l->cell_h * (float)row,
                      l->cell_w - CELL_GAP, l->cell_h - CELL_GAP};
}

static double largest(const viz_step_row *row, size_t columns)
{
    double most = 0;
    for (size_t i = 0; i < columns; i++)
        if (isfinite(row->numbers[i]))
            most = fmax(most, fabs(row->numbers[i]));
    return most > 0 ? most : 1;
}

static void draw_number(viz_canvas *canvas, viz_rect r, float size, viz_color color, double number)
{
    char text[32];
    viz_text(canvas, VIZ_MONO, size, r.x + r.w / 2, r.y + r.h / 2 + 0.36f * size, VIZ_CENTER, color,
             short_number(number, text, sizeof text));
}

static void draw_cell(const viz_page *page, const viz_page_layout *l, viz_canvas *canvas,
                      size_t place, int r, double most, float size)
{
    const viz_step_table *t = current_table(page);
    size_t column = column_at_place(page, l, place);
    double number = t->row[r].numbers[column];
    viz_rect cell = cell_at(l, place, r);
    if (!isfinite(number)) {
        viz_hidden_draw(canvas, cell, &(uint8_t){1}, 1, 1); /* as hidden cells of a picture are */
        draw_number(canvas, cell, size, canvas->theme->pale, number);
        return;
    }
    bool shares = t->row[r].colors == VIZ_STEP_SHARES;
    viz_color color = viz_map_color(canvas->theme, shares ? VIZ_INFERNO : VIZ_DIVERGING,
                                    (float)(shares ? number / most : 0.5 + 0.5 * number / most));
    viz_fill(canvas, cell, color);
    draw_number(canvas, cell, size, viz_text_on(color), number);
}

static void draw_rest(const viz_page *page, const viz_page_layout *l, viz_canvas *canvas,
                      float size)
{
    const viz_step_table *t = current_table(page);
    char text[64];
    viz_rect r = cell_at(l, l->first + l->shown - 1, 0);
    r = (viz_rect){r.x + l->cell_w + 6, r.y, REST_CELLS * l->cell_w - 6, l->cell_h};
    float label = text_size(l, LABEL);
    snprintf(text, sizeof text, "%zu others", t->columns - l->shown);
    viz_text_within(canvas, VIZ_SANS, label, r.x + r.w / 2, r.y - 0.6f * label, r.w, VIZ_CENTER,
                    canvas->theme->text2, text);
    for (int i = 0; i < t->rows; i++, r.y += l->cell_h) {
        if (t->row[i].sums) {
            char number[32];
            /* The sum of the columns that have no cell. */
            double sum = 0;
            size_t columns = current_table(page)->columns;
            for (size_t place = 0; place < columns; place++)
                if (place < l->first || place >= l->first + l->shown)
                    sum += t->row[i].numbers[column_at_place(page, l, place)];
            snprintf(text, sizeof text, "Σ %s", sac_number_text(sum, number, sizeof number));
            viz_text(canvas, VIZ_MONO, size, r.x + r.w / 2, r.y + r.h / 2 + 0.36f * size,
                     VIZ_CENTER, canvas->theme->text, text);
        } else {
            viz_text(canvas, VIZ_MONO, size, r.x + r.w / 2, r.y + r.h / 2 + 0.36f * size,
                     VIZ_CENTER, canvas->theme->faint, "…");
        }
    }
}

static void draw_labels(const viz_page *page, const viz_page_layout *l, viz_canvas *canvas)
{
    const viz_step_table *t = current_table(page);
    const viz_theme *theme = canvas->theme;
    float size = text_size(l, LABEL), mono = text_size(l, LABEL);
    char text[160];
    snprintf(text, sizeof text, "%s%s", t->name, l->rest && t->order ? ", largest first" : "");
    viz_text_within(canvas, VIZ_SANS, size, l->table.x, l->table.y + size, l->area.w, VIZ_LEFT,
                    theme->text2, text);
    for (size_t place = l->first; place < l->first + l->shown; place++) {
        size_t column = column_at_place(page, l, place);
        viz_rect r = cell_at(l, place, 0);
        snprintf(text, sizeof text, "%zu", column);
        if (t->label)
            t->label(t->user, column, text, sizeof text);
        viz_text_within(canvas, VIZ_SANS, size, r.x + r.w / 2, r.y - 0.6f * size, r.w, VIZ_CENTER,
                        column == t->current ? theme->accent : theme->text2, text);
    }
    for (size_t place = l->first; place < l->first + l->shown; place += l->across)
        for (int r = 0; r < t->rows; r++) {
            viz_text_within(canvas, VIZ_MONO, mono, l->cells.x - 10,
                            cell_at(l, place, r).y + l->cell_h / 2 + 0.3f * mono, l->gutter - 10,
                            VIZ_RIGHT, theme->text, t->row[r].name);
        }
}

static void draw_table(const viz_page *page, const viz_page_layout *l, viz_canvas *canvas)
{
    const viz_step_table *t = current_table(page);
    if (l->cells.h <= 0)
        return;
    /* The largest size at which the widest of the numbers fits. */
    float size = fminf(text_size(l, NUMBER), 0.6f * l->cell_h);
    float width = viz_text_width(canvas, VIZ_MONO, size, "−0.000");
    size = width > l->cell_w - 6 ? size * (l->cell_w - 6) / width : size;
    draw_labels(page, l, canvas);
    for (int r = 0; r < t->rows; r++) {
        double most = largest(&t->row[r], t->columns);
        for (size_t place = l->first; place < l->first + l->shown; place++)
            draw_cell(page, l, canvas, place, r, most, size);
    }
    if (l->rest)
        draw_rest(page, l, canvas, size);
    for (size_t place = l->first; place < l->first + l->shown; place++)
        if (column_at_place(page, l, place) == t->current) {
            viz_rect column = viz_page_column(page, l, place - l->first);
            viz_frame(canvas, column, 2, canvas->theme->accent);
        }
}

/* ---------------------------------------------------------------- the page */

void viz_page_draw(const viz_page *page, const viz_page_layout *l, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    const viz_step *step = &page->steps[page->current];
    float counter = 70 * l->unit + 20;
    viz_text_within(canvas, VIZ_SANS_BOLD, text_size(l, TITLE), l->area.x, l->title_y,
                    l->area.w - counter, VIZ_LEFT, theme->text, page->title);
    viz_text_within(canvas, VIZ_SANS, text_size(l, SUBTITLE), l->area.x, l->subtitle_y, l->area.w,
                    VIZ_LEFT, theme->text2, page->subtitle);
    viz_turns_draw(&l->turns, canvas);
    char text[64];
    snprintf(text, sizeof text, "%d of %d", page->current + 1, page->count);
    if (!canvas->figure)
        viz_text(canvas, VIZ_MONO, text_size(l, NAMES), l->area.x + l->area.w, l->title_y,
                 VIZ_RIGHT, canvas->theme->text2, text);
    viz_paragraph_draw(canvas, VIZ_SANS, text_size(l, SENTENCE), l->area.x, l->sentence_y,
                       l->area.w, theme->text, step->sentence);
    draw_table(page, l, canvas);
    /* The formula, and its result in the accent behind it: in the next line where there is no room. */
    float end, size = text_size(l, FORMULA), x = l->area.x, y = l->formula_y;
    int lines = viz_paragraph_lines(canvas, VIZ_MONO, size, l->area.w, step->formula);
    viz_paragraph_draw(canvas, VIZ_MONO, size, x, y, l->area.w, theme->text, step->formula);
    bool behind = result_is_behind(step, l, canvas, &end);
    viz_text(canvas, VIZ_MONO, size, behind ? x + end : x,
             behind ? y : y + (float)lines * VIZ_LEADING * size, VIZ_LEFT, theme->accent,
             step->result);
    viz_paragraph_draw(canvas, VIZ_SANS, text_size(l, NOTICE), l->area.x, l->notice_y, l->area.w,
                       theme->text2, step->notice);
}

/* ---------------------------------------------------------------- the pointer */

viz_rect viz_page_column(const viz_page *page, const viz_page_layout *l, size_t i)
{
    viz_rect cells = cell_at(l, l->first + i, 0);
    cells.h = l->cell_h * (float)current_table(page)->rows - CELL_GAP;
    return cells;
}

size_t viz_page_column_at(const viz_page *page, const viz_page_layout *l, float x, float y)
{
    if (!viz_inside(l->cells, x, y))
        return SIZE_MAX;
    size_t column = (size_t)((x - l->cells.x) / l->cell_w);
    size_t band = (size_t)((y - l->cells.y) / l->band_h), place = band * l->across + column;
    float down = y - l->cells.y - l->band_h * (float)band;
    bool is_cell = column < l->across && place < l->shown &&
                   down < l->cell_h * (float)current_table(page)->rows;
    return is_cell ? column_at_place(page, l, l->first + place) : SIZE_MAX;
}

/* ---------------------------------------------------------------- the names of steps in a line */

/* "‹ mask" and "output ›", of the step before (−1) and of the next one. */
static const char *neighbour_text(const viz_turns *t, int way, char text[96])
{
    snprintf(text, 96, way < 0 ? "‹ %s" : "%s ›", t->names[t->current + way]);
    return text;
}

/* On both sides of the current name, which moves to the right for that. */
static void lay_neighbours(viz_turns *t, const viz_canvas *canvas, float gap)
{
    char text[96];
    viz_rect *now = &t->items[t->current], *leads[2] = {&t->back, &t->on};
    for (int way = -1; way <= 1; way += 2) {
        viz_rect *lead = leads[way > 0];
        *lead = (viz_rect){0};
        if (t->current + way < 0 || t->current + way >= t->count)
            continue;
        *lead = *now;
        lead->w = viz_text_width(canvas, VIZ_SANS, t->size, neighbour_text(t, way, text));
        *(way < 0 ? &now->x : &lead->x) += (way < 0 ? lead->w : now->w) + gap;
    }
}

void viz_turns_lay(viz_turns *t, const viz_canvas *canvas, float x, float y, float width, float gap)
{
    float widths[VIZ_TURNS], total = -gap;
    for (int i = 0; i < t->count && i < VIZ_TURNS; i++) {
        widths[i] = viz_text_width(canvas, VIZ_SANS, t->size, t->names[i]);
        total += widths[i] + gap;
    }
    for (int i = 0; i < t->count && i < VIZ_TURNS; i++) {
        bool shown = total <= width || i == t->current;
        t->items[i] = shown ? (viz_rect){x, y, widths[i], 1.7f * t->size} : (viz_rect){0};
        x += total <= width ? widths[i] + gap : 0;
    }
    if (t->leads && total > width)
        lay_neighbours(t, canvas, gap);
}

void viz_turns_draw(const viz_turns *t, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    for (int i = 0; i < t->count && i < VIZ_TURNS; i++) {
        viz_rect r = t->items[i];
        bool current = i == t->current;
        if (r.w <= 0)
            continue;
        viz_text(canvas, VIZ_SANS, t->size, r.x, r.y + 1.1f * t->size, VIZ_LEFT,
                 current ? theme->accent : theme->text2, t->names[i]);
        if (current)
            viz_fill(canvas, (viz_rect){r.x, r.y + r.h - 2, r.w, 2}, theme->accent);
    }
    const viz_rect *leads[2] = {&t->back, &t->on};
    for (int way = 0; way < 2 && t->leads; way++)
        if (leads[way]->w > 0)
            viz_text(canvas, VIZ_SANS, t->size, leads[way]->x, leads[way]->y + 1.1f * t->size,
                     VIZ_LEFT, theme->text2, neighbour_text(t, way ? 1 : -1, (char[96]){0}));
}

static viz_rect draw_turn(const viz_turns *t, viz_canvas *canvas, float x, float y, int way,
                          viz_color color)
{
    char text[96];
    float w = viz_text(canvas, VIZ_SANS, VIZ_BODY, x, y + 20, VIZ_LEFT, color,
                       neighbour_text(t, way, text));
    return (viz_rect){x - 8, y, w + 16, 30};
}

float viz_turns_draw_foot(viz_turns *t, viz_canvas *canvas, viz_rect foot, float margin)
{
    const viz_theme *theme = canvas->theme;
    float x = foot.x + margin, y = foot.y + 8;
    viz_fill(canvas, (viz_rect){foot.x, foot.y, foot.w, 1}, theme->line);
    t->back = t->on = (viz_rect){0};
    if (t->current > 0 && t->current < t->count) {
        t->back = draw_turn(t, canvas, x, y, -1, theme->text2);
        x = t->back.x + t->back.w + 16;
    }
    if (t->current + 1 < t->count) {
        t->on = draw_turn(t, canvas, x, y, 1, theme->text);
        x = t->on.x + t->on.w;
    }
    return x;
}

/* A name answers a little beside itself; empty where it is not shown. */
static viz_rect pressable_rect(const viz_turns *t, int step)
{
    viz_rect r = t->items[step];
    return r.w > 0 ? (viz_rect){r.x - 8, r.y - 4, r.w + 16, r.h + 8} : r;
}

int viz_turns_hit(const viz_turns *t, float x, float y)
{
    if (viz_inside(t->back, x, y))
        return t->current - 1;
    if (viz_inside(t->on, x, y))
        return t->current + 1;
    for (int i = 0; i < t->count && i < VIZ_TURNS; i++)
        if (viz_inside(pressable_rect(t, i), x, y))
            return i;
    return -1;
}

void viz_turns_spots(const viz_turns *t, viz_spots *spots)
{
    for (int i = 0; i < t->count && i < VIZ_TURNS; i++)
        viz_spots_add(spots, pressable_rect(t, i), VIZ_SPOT_PRESSES, "Go to this step.");
    viz_spots_add(spots, t->back, VIZ_SPOT_PRESSES, "The step before.");
    viz_spots_add(spots, t->on, VIZ_SPOT_PRESSES, "The next step.");
}
