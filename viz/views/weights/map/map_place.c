/* Places of a large map. */

#include "weights/map/map_place.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/numbers.h"
#include "parts/controls/widgets.h"
#include "view/words.h"

#define NEAR_CELL 26.0f /* of a place that is gone to from afar */
#define GO_WIDTH 300.0f
#define GO_HEIGHT 30.0f
#define INSET 10.0f

/* ---------------------------------------------------------------- text */

static const char *skip_blanks(const char *text)
{
    while (isspace((unsigned char)*text) || *text == ',')
        text++;
    return text;
}

/* A range, or one number, of `count`; *end stays at `text` where there is neither. */
static bool read_place(const char *text, size_t count, size_t *from, size_t *size, const char **end)
{
    char *after = (char *)text;
    if (sac_range_read(text, count, from, size, end))
        return true;
    unsigned long long number = isdigit((unsigned char)*text) ? strtoull(text, &after, 10) : 0;
    bool range = *after == ':'; /* and one that is not of the map */
    *end = range ? after + 1 : after;
    *from = (size_t)number;
    *size = 1;
    return !range && after > text && number < count;
}

typedef struct word {
    const char *text;
    bool column;
} word;

/* Passes a word for rows or columns, in either language of the window; the longest come first. */
static const char *skip_word(const char *text, bool *named, bool *column)
{
    static const word words[] = {
        {"rows", false},  {"row", false},  {"queries", false}, {"query", false}, {"columns", true},
        {"column", true}, {"cols", true},  {"col", true},      {"keys", true},   {"key", true},
        {"行", false},    {"查询", false}, {"列", true},       {"键", true},     {"r", false},
        {"c", true},      {"q", false},    {"k", true}};
    *named = false;
    for (size_t i = 0; i < sizeof words / sizeof *words && !*named; i++) {
        size_t length = strlen(words[i].text), same = 0;
        while (same < length &&
               tolower((unsigned char)text[same]) == tolower((unsigned char)words[i].text[same]))
            same++;
        if (same == length) {
            text += length;
            *named = true;
            *column = words[i].column;
        }
    }
    return skip_blanks(text);
}

bool viz_map_place_read(const char *text, size_t rows, size_t columns, viz_map_place *place,
                        char *why, size_t size)
{
    bool named, column = false;
    *place = (viz_map_place){0};
    *why = 0;
    text = skip_blanks(text);
    if (!*text)
        snprintf(why, size, "%s", viz_word("type a row, such as row 1234"));
    while (*text && !*why) {
        const char *from = skip_word(text, &named, &column), *end;
        size_t first, count, all = column ? columns : rows;
        bool read = read_place(from, all, &first, &count, &end);
        if (end == from)
            snprintf(why, size, "%s", viz_word("type a row, such as row 1234"));
        else if (!read)
            snprintf(why, size,
                     column ? viz_word("columns go from 0 to %zu")
                            : viz_word("rows go from 0 to %zu"),
                     all - 1);
        size_t *at = column ? &place->column : &place->row,
               *many = column ? &place->columns : &place->rows;
        *at = first;
        *many = count;
        column = !column; /* a second number without a name is the other one */
        text = skip_blanks(end);
    }
    return !*why;
}

/* ---------------------------------------------------------------- going there */

void viz_panel_go(viz_panel *panel, const viz_map_place *place)
{
    const viz_panel_layout *l = &panel->layout;
    viz_weights_model *model = panel->model;
    if (place->rows > 1 || place->columns > 1) {
        panel->fit = (sac_rect){place->rows ? place->row : 0, place->rows ? place->rows : l->rows,
                                place->columns ? place->column : 0,
                                place->columns ? place->columns : l->columns};
        panel->fits = true;
        viz_panel_select_cell(panel, panel->fit.row + panel->fit.rows / 2,
                              panel->fit.col + panel->fit.cols / 2);
        return;
    }
    size_t row = place->rows ? place->row : model->row;
    viz_panel_select_cell(panel, row, place->columns ? place->column : model->column);
    /* Of a row alone the largest weight is gone to, once it is known. */
    model->column_chosen = place->columns || row == panel->weights_row;
    panel->centers = !model->column_chosen;
    viz_panel_center(panel, model->row, model->column, NEAR_CELL);
}

/* ---------------------------------------------------------------- the line of text */

void viz_go_line_begin(viz_go_line *line)
{
    line->open = true;
    line->why[0] = '\0';
    viz_text_field_begin(&line->field);
}

static void close_line(viz_go_line *line)
{
    line->open = line->field.typing = line->field.all = false;
    line->rect = (viz_rect){0};
}

bool viz_go_line_event(viz_go_line *line, viz_panel *panel, const viz_event *event)
{
    viz_map_place place;
    bool changed;
    if (!line->open)
        return false;
    if (event->kind == VIZ_PRESS) {
        if (!viz_inside(line->rect, event->x, event->y))
            close_line(line);
        else
            line->field.typing = true;
        return viz_inside(line->rect, event->x, event->y);
    }
    if (event->kind != VIZ_KEY)
        return false;
    if (event->key == VIZ_KEY_ESCAPE) {
        close_line(line);
        return true;
    }
    if (event->ctrl && event->key == 'v' && event->text)
        return viz_text_field_paste(&line->field, event->text);
    if (event->key != VIZ_KEY_RETURN)
        return viz_text_field_key(&line->field, event, &changed);
    if (viz_map_place_read(line->field.text, panel->layout.rows, panel->layout.columns, &place,
                           line->why, sizeof line->why)) {
        viz_panel_go(panel, &place);
        close_line(line);
    } else {
        viz_text_field_begin(&line->field);
    }
    return true;
}

void viz_go_line_draw(viz_go_line *line, const viz_panel *panel, viz_canvas *canvas)
{
    viz_rect c = panel->layout.room;
    line->rect = (viz_rect){0};
    if (!line->open || canvas->figure)
        return;
    line->rect = (viz_rect){c.x + INSET, c.y + INSET, fminf(GO_WIDTH, c.w - 2 * INSET), GO_HEIGHT};
    viz_rect r = line->rect;
    if (line->why[0])
        r.h += 22;
    viz_fill_round(canvas, (viz_rect){r.x - 6, r.y - 6, r.w + 12, r.h + 12}, 8,
                   canvas->theme->ground);
    viz_frame_round(canvas, (viz_rect){r.x - 6, r.y - 6, r.w + 12, r.h + 12}, 8, 1,
                    canvas->theme->line);
    viz_text_field_draw(&line->field, canvas, line->rect,
                        viz_word("row 1234, column 56; rows 0:200"));
    if (line->why[0])
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x + 2, r.y + GO_HEIGHT + 17, VIZ_LEFT,
                 canvas->theme->accent, line->why);
}
