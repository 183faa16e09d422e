/* The gallery of lessons: a tile for each, under the names of groups, chosen by pointer or keys. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "canvas/text.h"
#include "lesson/lesson_state.h"
#include "parts/pages/paragraph.h"
#include "parts/pages/steps.h"

#define TITLE 26.0f
#define GROUP 15.0f
#define NAME 14.0f
#define SUMMARY 12.0f
#define LEAST_NAME 0.92f  /* of its size, before a name has two lines */
#define MOST_LINES 4      /* of a summary */
#define GAP 18.0f         /* between tiles */
#define LEAST_TILE 176.0f /* its width */
#define MOST_TILES 6      /* beside each other */
#define PROPORTION 0.54f  /* of a picture */
#define MOST_CELL 22.0f   /* of a picture's arrays */
#define ARRAY_GAP 16.0f   /* between them */

static int entry_count(const lesson_view *v)
{
    int count = v->source->lesson.entry_count;
    return count < LESSON_ENTRIES ? count : LESSON_ENTRIES;
}

/* ---------------------------------------------------------------- layout */

/* The size of an entry's name in a tile of that width, and its lines: one or two. */
static float name_size(const lesson_view *v, const viz_canvas *canvas, int i, float w, int *lines)
{
    const char *name = lesson_text(v, v->source->lesson.entries[i].title);
    float fits = fminf(0.98f * w / viz_text_width(canvas, VIZ_SANS_BOLD, NAME, name), 1);
    bool one = fits >= LEAST_NAME && viz_text_width(canvas, VIZ_SANS_BOLD, fits * NAME, name) <= w;
    *lines = one ? 1 : 2;
    return one ? fits * NAME : NAME;
}

/* In a page of that width, from y = 0 on. Tiles stand in lines, and a group begins one, below its name. */
static void lay(lesson_view *v, const viz_canvas *canvas, float width)
{
    lesson_gallery *g = &v->gallery;
    float margin = viz_page_margin((viz_rect){0, 0, width, 0}), room = width - 2 * margin;
    int across = (int)((room + GAP) / (LEAST_TILE + GAP));
    across = across < 1 ? 1 : across > MOST_TILES ? MOST_TILES : across;
    across -= across == 5; /* no line of one behind a line of five: the first group has six */
    float w = (room - GAP * (float)(across - 1)) / (float)across, y = 22 + TITLE;
    int place = across;
    g->picture_h = PROPORTION * w;
    float line = 0;
    for (int i = 0; i < entry_count(v); i++, place++) {
        bool begins = v->source->lesson.entries[i].group;
        if (place == across || begins) {
            y += line + (begins ? 2.6f * GROUP : 0);
            place = 0;
            line = 0;
        }
        g->headings[i] = y - 0.9f * GROUP;
        const char *summary = lesson_text(v, v->source->lesson.entries[i].summary);
        int names, lines = viz_paragraph_lines(canvas, VIZ_SANS, SUMMARY, w, summary);
        name_size(v, canvas, i, w, &names);
        lines = lines < MOST_LINES ? lines : MOST_LINES;
        float height = v->gallery.picture_h + (0.35f + VIZ_LEADING * (float)names) * NAME +
                       VIZ_LEADING * SUMMARY * (float)lines;
        g->tiles[i] = (viz_rect){margin + (float)place * (w + GAP), y, w, height};
        line = fmaxf(line, height + GAP);
    }
    g->height = y + line + GAP;
}

/* Where it is seen. */
static viz_rect tile_at(const lesson_view *v, int i)
{
    const lesson_gallery *g = &v->gallery;
    viz_rect r = g->tiles[i];
    return (viz_rect){g->area.x + r.x, g->area.y + r.y - g->scroll, r.w, r.h};
}

/* What of a tile is seen; empty: nothing. */
static viz_rect seen_part(const lesson_view *v, int i)
{
    viz_rect r = tile_at(v, i), area = v->gallery.area;
    float top = fmaxf(r.y, area.y), bottom = fminf(r.y + r.h, area.y + area.h);
    return bottom - top > 4 ? (viz_rect){r.x, top, r.w, bottom - top} : (viz_rect){0};
}

static bool scroll_to(lesson_view *v, float to)
{
    lesson_gallery *g = &v->gallery;
    float before = g->scroll;
    g->scroll = fmaxf(fminf(to, g->height - g->area.h), 0);
    return g->scroll != before;
}

/* The whole tile comes into sight, with the name of its group. */
static void reveal(lesson_view *v, int i)
{
    const lesson_gallery *g = &v->gallery;
    float top = v->source->lesson.entries[i].group ? g->headings[i] - 2 * GROUP : g->tiles[i].y;
    float bottom = g->tiles[i].y + g->tiles[i].h + GAP;
    scroll_to(v, fminf(fmaxf(g->scroll, bottom - g->area.h), i == 0 ? 0 : top - GAP));
}

float lesson_gallery_height(lesson_view *v, const viz_canvas *canvas, float width)
{
    lay(v, canvas, width);
    return v->gallery.height;
}

int lesson_gallery_next_missing(const lesson_view *v)
{
    for (int i = 0; v->lists && i < entry_count(v); i++)
        if (!v->gallery.asked[i] && (lesson_is_sheet(v) || seen_part(v, i).h > 0))
            return i;
    return -1;
}

void lesson_gallery_free(lesson_gallery *g)
{
    for (int i = 0; i < LESSON_ENTRIES; i++)
        if (g->lessons[i]) {
            sac_shown_lesson_free(g->lessons[i]);
            free(g->lessons[i]);
        }
}

/* ---------------------------------------------------------------- pictures */

/* How well a step stands for its lesson: best where it makes weights, then where it shows some, and then
 * by how much it shows. */
static size_t rate_step_for_tile(const sac_shown_lesson *lesson, const sac_lesson_step *step)
{
    size_t cells = 0, weights = 0;
    for (int i = 0; i < SAC_STEP_ARRAYS && step->arrays[i]; i++) {
        const sac_shown_array *array = &lesson->arrays[step->arrays[i] - 1];
        size_t own = array->batch * array->rows * array->columns;
        cells += own;
        if (array->shares && own > 1)
            weights = i + 1 == SAC_STEP_ARRAYS || !step->arrays[i + 1] ? 2 : 1;
    }
    return (cells < 999 ? cells : 999) + 1000 * weights;
}

enum { MOST_ROWS = 10, MOST_COLUMNS = 14 };

static size_t shown_rows(const sac_shown_array *array)
{
    return array->rows < MOST_ROWS ? array->rows : MOST_ROWS;
}

static size_t shown_columns(const sac_shown_array *array)
{
    return array->columns < MOST_COLUMNS ? array->columns : MOST_COLUMNS;
}

/* As many of the step's last arrays as fit side by side. */
static void draw_arrays(const lesson_view *v, viz_canvas *canvas, const sac_shown_lesson *lesson,
                        viz_rect room)
{
    const sac_lesson_step *step = &lesson->steps[0];
    for (int s = 1; s < lesson->step_count; s++)
        if (rate_step_for_tile(lesson, &lesson->steps[s]) >= rate_step_for_tile(lesson, step))
            step = &lesson->steps[s];
    int count = 0, first = 0;
    size_t columns = 0, rows = 1;
    while (count < SAC_STEP_ARRAYS && step->arrays[count])
        count++;
    for (first = count; first > 0; first--) {
        const sac_shown_array *array = &lesson->arrays[step->arrays[first - 1] - 1];
        if (first < count && columns + shown_columns(array) > MOST_COLUMNS + 4)
            break;
        columns += shown_columns(array);
        rows = shown_rows(array) > rows ? shown_rows(array) : rows;
    }
    float gaps = ARRAY_GAP * (float)(count - first - 1);
    float cell = fminf((room.w - gaps) / (float)columns, room.h / (float)rows);
    cell = fminf(cell, MOST_CELL);
    float x = room.x + (room.w - gaps - cell * (float)columns) / 2;
    for (int i = first; i < count; i++) {
        const sac_shown_array *array = &lesson->arrays[step->arrays[i] - 1];
        lesson_heat heat = lesson_heat_of(array, v->map);
        float y = room.y + (room.h - cell * (float)shown_rows(array)) / 2;
        for (size_t r = 0; r < shown_rows(array); r++)
            for (size_t c = 0; c < shown_columns(array); c++)
                viz_fill(canvas,
                         (viz_rect){x + cell * (float)c, y + cell * (float)r, cell - 1, cell - 1},
                         lesson_heat_color(&heat, canvas->theme,
                                           array->numbers[r * array->columns + c]));
        x += cell * (float)shown_columns(array) + ARRAY_GAP;
    }
}

/* ---------------------------------------------------------------- looks */

/* The first lines of a text, the last one cut where there is more. */
static void draw_lines(viz_canvas *canvas, viz_face face, float size, float x, float y, float width,
                       int lines, viz_color color, const char *text)
{
    char line[256];
    for (int i = 0; i < lines && *text; i++, y += VIZ_LEADING * size) {
        size_t length = viz_text_line_bytes(canvas, face, size, width, text);
        bool last = i + 1 == lines;
        snprintf(line, sizeof line, "%.*s", last ? 250 : (int)length, text);
        char fit[256];
        viz_text(canvas, face, size, x, y, VIZ_LEFT, color,
                 viz_text_fit(canvas, face, size, width, line, fit, sizeof fit));
        text += length + (text[length] == ' ');
    }
}

/* The step whose drawing stands for the lesson: of those that have one, that of most weights. −1: none has. */
static int drawn_step(const sac_shown_lesson *lesson)
{
    int best = -1;
    for (int s = 0; s < lesson->step_count; s++)
        if (lesson->steps[s].drawing &&
            (best < 0 || rate_step_for_tile(lesson, &lesson->steps[s]) >=
                             rate_step_for_tile(lesson, &lesson->steps[best])))
            best = s;
    return best;
}

static void draw_tile(lesson_view *v, viz_canvas *canvas, int i)
{
    const viz_theme *theme = canvas->theme;
    const sac_lesson_entry *entry = &v->source->lesson.entries[i];
    const sac_shown_lesson *lesson = v->gallery.lessons[i];
    viz_rect r = tile_at(v, i);
    int names;
    float size = name_size(v, canvas, i, r.w, &names);
    r.h = v->gallery.picture_h;
    viz_fill_round(canvas, r, 6, theme->panel);
    if (lesson) {
        char text[32];
        float foot = 1.7f * SUMMARY;
        viz_rect room = {r.x + 14, r.y + 12, r.w - 28, r.h - 16 - foot};
        if (drawn_step(lesson) < 0)
            draw_arrays(v, canvas, lesson, room);
        else
            lesson_drawing_draw_small(v, canvas, lesson, drawn_step(lesson), room);
        snprintf(text, sizeof text, lesson_text(v, "%d steps"), lesson->step_count);
        viz_text(canvas, VIZ_SANS, viz_least_text(canvas, SUMMARY - 1), r.x + r.w - 8,
                 r.y + r.h - 7, VIZ_RIGHT, theme->text2, text);
    }
    if (entry->finished)
        lesson_check_mark_draw(canvas, r.x + r.w - 15, r.y + 15, 9, theme->accent,
                               theme->on_accent);
    if (i == v->marked && !v->base.figure)
        viz_frame_round(canvas, (viz_rect){r.x - 3, r.y - 3, r.w + 6, r.h + 6}, 8, 2,
                        theme->accent);
    float y = r.y + r.h + 1.35f * NAME;
    draw_lines(canvas, VIZ_SANS_BOLD, size, r.x, y, r.w, names, theme->text,
               lesson_text(v, entry->title));
    y += VIZ_LEADING * NAME * (float)(names - 1) + 1.4f * SUMMARY;
    draw_lines(canvas, VIZ_SANS, SUMMARY, r.x, y, r.w, MOST_LINES, theme->text2,
               lesson_text(v, entry->summary));
}

void lesson_gallery_draw(lesson_view *v, viz_canvas *canvas, viz_rect area)
{
    const viz_theme *theme = canvas->theme;
    lesson_gallery *g = &v->gallery;
    int count = entry_count(v), done = 0;
    lay(v, canvas, area.w);
    g->area = area;
    if (g->reveals)
        reveal(v, v->marked);
    g->reveals = false;
    scroll_to(v, g->scroll);
    float x = area.x + g->tiles[0].x, y = area.y - g->scroll;
    char text[64];
    viz_clip(canvas, area);
    viz_text(canvas, VIZ_SANS_BOLD, TITLE, x, y + 18 + TITLE, VIZ_LEFT, theme->text,
             lesson_text(v, "Lessons on attention"));
    for (int i = 0; i < count; i++) {
        const sac_lesson_entry *entry = &v->source->lesson.entries[i];
        done += entry->finished;
        if (entry->group)
            viz_text(canvas, VIZ_SANS_BOLD, GROUP, area.x + g->tiles[i].x, y + g->headings[i],
                     VIZ_LEFT, theme->text2, lesson_text(v, entry->group));
        if (seen_part(v, i).h > 0)
            draw_tile(v, canvas, i);
    }
    snprintf(text, sizeof text, lesson_text(v, "%d of %d finished"), done, count);
    if (done)
        viz_text(canvas, VIZ_SANS, NAME, area.x + area.w - g->tiles[0].x, y + 18 + TITLE, VIZ_RIGHT,
                 theme->text2, text);
    /* At the right, where the gallery is longer than the page. */
    float part = g->area.h / g->height;
    viz_rect bar = {g->area.x + g->area.w - 8, g->area.y + g->scroll * part, 4, g->area.h * part};
    if (part < 1)
        viz_fill_round(canvas, bar, 2, canvas->theme->line);
    viz_clip_none(canvas);
}

void lesson_gallery_spots(const lesson_view *v, viz_spots *spots)
{
    for (int i = 0; i < entry_count(v); i++)
        viz_spots_add(spots, seen_part(v, i), VIZ_SPOT_PRESSES, "Opens this lesson.");
}

/* ---------------------------------------------------------------- events */

static bool mark_tile(lesson_view *v, int index)
{
    int last = entry_count(v) - 1, before = v->marked;
    float scrolled = v->gallery.scroll;
    v->marked = index < 0 ? 0 : index > last ? last : index;
    reveal(v, v->marked);
    return v->marked != before || v->gallery.scroll != scrolled;
}

/* In the line above or below the one that is at the same place, or the last one before it. */
static int tile_in_next_line(const lesson_view *v, int way)
{
    const viz_rect *tiles = v->gallery.tiles, *from = &tiles[v->marked];
    int i = v->marked, best = v->marked;
    while (i >= 0 && i < entry_count(v) && tiles[i].y == from->y)
        i += way;
    for (int k = i; k >= 0 && k < entry_count(v) && tiles[k].y == tiles[i].y; k += way)
        if (best == v->marked || fabsf(tiles[k].x - from->x) < fabsf(tiles[best].x - from->x))
            best = k;
    return best;
}

static bool press_key(lesson_view *v, int key)
{
    switch (key) {
    case VIZ_KEY_LEFT:
        return mark_tile(v, v->marked - 1);
    case VIZ_KEY_RIGHT:
        return mark_tile(v, v->marked + 1);
    case VIZ_KEY_UP:
    case VIZ_KEY_PAGE_UP:
        return mark_tile(v, tile_in_next_line(v, -1));
    case VIZ_KEY_DOWN:
    case VIZ_KEY_PAGE_DOWN:
        return mark_tile(v, tile_in_next_line(v, 1));
    case VIZ_KEY_HOME:
        return mark_tile(v, 0);
    case VIZ_KEY_END:
        return mark_tile(v, entry_count(v) - 1);
    case VIZ_KEY_RETURN:
    case ' ':
        lesson_open(v, v->marked);
        return true;
    default:
        return false;
    }
}

bool lesson_gallery_event(lesson_view *v, const viz_event *e)
{
    int tile = entry_count(v) - 1, before = v->marked;
    while (tile >= 0 && !viz_inside(seen_part(v, tile), e->x, e->y))
        tile--;
    switch (e->kind) {
    case VIZ_KEY:
        return !e->ctrl && press_key(v, e->key);
    case VIZ_WHEEL:
        return scroll_to(v, v->gallery.scroll - 60 * e->wheel_y);
    case VIZ_PRESS:
        if (e->button == 1 && tile >= 0)
            lesson_open(v, tile);
        return tile >= 0;
    case VIZ_MOVE:
        v->marked = tile >= 0 ? tile : v->marked;
        return v->marked != before;
    default:
        return false;
    }
}
