/* The sheet of keys: its lines, its layout, and its drawing. */

#include "shell/sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "parts/controls/widgets.h"
#include "parts/pages/paragraph.h"
#include "view/words.h"

#define COLUMN_GAP 28.0f
#define CAPS_GAP 10.0f
#define WIDEST_TEXT 20.0f /* of a column's text, in sizes of it */
#define LINE 1.36f        /* from line to line, in sizes of text */
#define LEAST_TEXT 7.5f
#define MOST_COLUMNS 5

/* ---------------------------------------------------------------- rows */

static bool is_key_in_rows(const viz_key_row *keys, const viz_key *key)
{
    for (; keys && keys->key; keys++)
        if (viz_key_named(keys->key, NULL) == key)
            return true;
    return false;
}

/* Keys that mean the same, one after the other in the table, are a row. */
static void add_row(viz_sheet *sheet, const char *caps, const char *does)
{
    viz_sheet_row *last = &sheet->rows[sheet->count - 1];
    if (!last->title && strcmp(last->does, viz_word(does)) == 0) {
        size_t used = strlen(last->caps);
        snprintf(last->caps + used, sizeof last->caps - used, "  %s", caps);
    } else if (sheet->count < VIZ_SHEET_ROWS) {
        viz_sheet_row *row = &sheet->rows[sheet->count++];
        *row = (viz_sheet_row){.does = viz_word(does)};
        snprintf(row->caps, sizeof row->caps, "%s", caps);
    }
}

static void add_group(viz_sheet *sheet, const viz_key_row *keys, const viz_view *view, bool split,
                      viz_key_group group)
{
    if (sheet->count < VIZ_SHEET_ROWS)
        sheet->rows[sheet->count++] =
            (viz_sheet_row){.title = viz_word(viz_key_group_names[group])};
    for (const viz_key_row *row = keys; row && row->key; row++) {
        const viz_key *key = viz_key_named(row->key, NULL);
        bool acts = !view || viz_key_acts(row, view);
        if (acts && (key ? key->group : VIZ_KEYS_LOOK) == group)
            add_row(sheet, row->key, row->does);
    }
    for (const viz_key *key = viz_keys; key->cap; key++)
        if (key->group == group && key->owner != VIZ_KEY_OF_VIEW && (split || !key->split) &&
            !key->shared && !is_key_in_rows(keys, key))
            add_row(sheet, key->cap, key->meaning);
}

/* ---------------------------------------------------------------- layout */

/* Caps shrink with the text beside them. */
static float caps_scale(const viz_sheet *sheet)
{
    return fminf(sheet->text_size / 13, 1);
}

/* Between the sheet's edge and its rows: less in a low window. */
static float padding(const viz_canvas *canvas)
{
    return fminf(22, 0.04f * viz_height(canvas));
}

static float row_height(const viz_canvas *canvas, const viz_sheet *sheet, const viz_sheet_row *row,
                        float width)
{
    float size = sheet->text_size, line = LINE * size;
    if (row->title)
        return 1.5f * line;
    float text = width - sheet->caps_width - CAPS_GAP;
    float lines = (float)viz_paragraph_lines(canvas, VIZ_SANS, size, text, row->does);
    return fmaxf(lines * line, VIZ_CAPS_HEIGHT * caps_scale(sheet)) + 0.3f * size;
}

/* Fills columns of `height` one after the other; returns how many it takes. A group's name never
 * ends a column. */
static int fill_columns(viz_sheet *sheet, const float *heights, float width, float height)
{
    int column = 0;
    float y = 0;
    for (int i = 0; i < sheet->count; i++) {
        viz_sheet_row *row = &sheet->rows[i];
        float needed = heights[i] + (row->title && i + 1 < sheet->count ? heights[i + 1] : 0);
        if (y > 0 && y + needed > height) {
            column++;
            y = 0;
        }
        row->rect = (viz_rect){(float)column * (width + COLUMN_GAP), y, width, heights[i]};
        y += heights[i];
    }
    return column + 1;
}

/* Lays out columns of equal height, as low as possible; false if they are higher than `room`. */
static bool lay_out_columns(const viz_canvas *canvas, viz_sheet *sheet, int columns, viz_rect room)
{
    float heights[VIZ_SHEET_ROWS], total = 0, tallest = 0;
    float width = (room.w - COLUMN_GAP * (float)(columns - 1)) / (float)columns;
    width = fminf(width, sheet->caps_width + CAPS_GAP + WIDEST_TEXT * sheet->text_size);
    if (width < sheet->caps_width + CAPS_GAP + 6 * sheet->text_size)
        return false;
    for (int i = 0; i < sheet->count; i++) {
        heights[i] = row_height(canvas, sheet, &sheet->rows[i], width);
        tallest = fmaxf(tallest, heights[i]);
        total += heights[i];
    }
    float height = fmaxf(total / (float)columns, 2 * tallest);
    while (height <= room.h && fill_columns(sheet, heights, width, height) > columns)
        height += 4;
    sheet->rect.w = width * (float)columns + COLUMN_GAP * (float)(columns - 1);
    sheet->rect.h = height;
    return height <= room.h;
}

/* The largest text that fits, in the fewest columns. */
viz_sheet viz_sheet_layout(const viz_canvas *canvas, const viz_key_row *keys, const viz_view *view,
                           bool split)
{
    viz_sheet sheet = {.text_size = VIZ_BODY};
    float margin = fminf(VIZ_MARGIN, 0.02f * viz_height(canvas));
    float around = margin + padding(canvas);
    viz_rect room = {.w = viz_width(canvas) - 2 * around, .h = viz_height(canvas) - 2 * around};
    bool fits = false;
    for (int group = 0; group < VIZ_KEYS_GROUPS; group++)
        add_group(&sheet, keys, view, split, (viz_key_group)group);
    for (; !fits && sheet.text_size >= LEAST_TEXT; sheet.text_size -= fits ? 0 : 0.5f) {
        float widest = 0;
        for (int i = 0; i < sheet.count; i++)
            if (!sheet.rows[i].title)
                widest = fmaxf(widest, viz_cap_width(canvas, sheet.rows[i].caps));
        sheet.caps_width = widest * caps_scale(&sheet);
        for (int columns = 1; columns <= MOST_COLUMNS && !fits; columns++)
            fits = lay_out_columns(canvas, &sheet, columns, room);
    }
    sheet.rect.x = (viz_width(canvas) - sheet.rect.w) / 2;
    sheet.rect.y = (viz_height(canvas) - sheet.rect.h) / 2;
    for (int i = 0; i < sheet.count; i++) {
        sheet.rows[i].rect.x += sheet.rect.x;
        sheet.rows[i].rect.y += sheet.rect.y;
    }
    return sheet;
}

/* ---------------------------------------------------------------- drawing */

static void draw_row(viz_canvas *canvas, const viz_sheet *sheet, const viz_sheet_row *row)
{
    const viz_theme *theme = canvas->theme;
    float size = sheet->text_size;
    viz_rect r = row->rect;
    if (row->title) {
        viz_text(canvas, VIZ_SANS_BOLD, fmaxf(size - 2, LEAST_TEXT), r.x,
                 r.y + r.h - 0.45f * size - 4, VIZ_LEFT, theme->text2, row->title);
        return;
    }
    float scale = caps_scale(sheet);
    float density = canvas->density;
    canvas->density = density * scale;
    viz_cap_draw(canvas, r.x / scale,
                 (r.y + 0.5f * (LINE * size - VIZ_CAPS_HEIGHT * scale)) / scale, row->caps);
    canvas->density = density;
    r.x += sheet->caps_width + CAPS_GAP;
    r.w -= sheet->caps_width + CAPS_GAP;
    viz_paragraph_draw_apart(canvas, VIZ_SANS, size, r.x, r.y + size, r.w, LINE * size, theme->text,
                             row->does);
}

void viz_sheet_draw(viz_canvas *canvas, const viz_key_row *keys, const viz_view *view, bool split)
{
    viz_sheet sheet = viz_sheet_layout(canvas, keys, view, split);
    float edge = padding(canvas);
    viz_rect r = {sheet.rect.x - edge, sheet.rect.y - edge, sheet.rect.w + 2 * edge,
                  sheet.rect.h + 2 * edge};
    viz_fill(canvas, (viz_rect){0, 0, viz_width(canvas), viz_height(canvas)},
             viz_with_alpha(canvas->theme->ground, 0.7f));
    viz_fill_round(canvas, r, 10, canvas->theme->panel);
    viz_frame_round(canvas, r, 10, 1, canvas->theme->line);
    for (int i = 0; i < sheet.count; i++)
        draw_row(canvas, &sheet, &sheet.rows[i]);
}
