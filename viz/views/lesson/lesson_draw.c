/* The lesson view's drawing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/colormap.h"
#include "canvas/text.h"
#include "lesson/lesson_state.h"
#include "parts/pages/paragraph.h"
#include "parts/pages/steps.h"

#define SIZE 16.0f
#define CODE_LINE 1.4f
#define CODE_INSET 0.7f /* round the lines, in sizes of the text */

const char *lesson_code_shown(const lesson_view *v)
{
    const char *code = v->codes ? lesson_step(v)->code : NULL;
    return code && !lesson_asks(v) ? code : NULL;
}

/* Small enough for the longest line. */
static float code_size(const lesson_view *v, const viz_canvas *canvas, const char *code, float room)
{
    float size = fmaxf(12, SIZE * v->layout.unit), longest = 1;
    for (const char *at = code; *at; at += strcspn(at, "\n"), at += *at == '\n')
        longest = fmaxf(longest, (float)strcspn(at, "\n"));
    float letter = viz_text_width(canvas, VIZ_MONO, size, "0") / size;
    float fits = room / (longest * letter + 2 * CODE_INSET);
    return fmaxf(viz_least_text(canvas, 9), fminf(size, fits));
}

float lesson_code_lay(lesson_view *v, const viz_canvas *canvas, viz_rect room)
{
    const char *code = lesson_code_shown(v);
    v->layout.code = (viz_rect){0};
    if (!code)
        return 0;
    float size = code_size(v, canvas, code, room.w);
    int count = 1;
    for (; *code; code++)
        count += *code == '\n';
    float height = (CODE_LINE * (float)count + 2 * CODE_INSET) * size;
    v->layout.code = (viz_rect){room.x, room.y + room.h - height, room.w, height};
    return height;
}

static void lesson_code_draw(const lesson_view *v, viz_canvas *canvas)
{
    const char *code = lesson_code_shown(v);
    viz_rect r = v->layout.code;
    char line[200];
    if (!code || r.h <= 0)
        return;
    float size = code_size(v, canvas, code, r.w), y = r.y + CODE_INSET * size;
    viz_fill_round(canvas, r, 5, canvas->theme->panel);
    for (const char *at = code; *at;
         at += strcspn(at, "\n"), at += *at == '\n', y += CODE_LINE * size) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        viz_text(canvas, VIZ_MONO, size, r.x + CODE_INSET * size, y + size, VIZ_LEFT,
                 canvas->theme->text, line);
    }
}

const char *lesson_code_copied(viz_view *view)
{
    lesson_view *v = lesson_of(view);
    bool asked = v->code_copied && v->known;
    v->code_copied = false;
    return asked ? lesson_code_shown(v) : NULL;
}

/* ---- The doors of a step: names that open another lesson or a view, each with its command. */

#define NAME 15.0f
#define LEAST_ABOVE                                                                                \
    6.0f                /* sizes of a label: the name, a column's and one number, above the doors */
#define DOOR_LINE 2.0f  /* heights, in sizes of the name */
#define DOOR_INSET 0.6f /* on both sides of a name */

static const sac_lesson_door *door_at(const lesson_view *v, int i)
{
    return i < SAC_STEP_DOORS ? lesson_step(v)->doors[i] : NULL;
}

static int door_count(const lesson_view *v)
{
    int count = 0;
    while (door_at(v, count))
        count++;
    return count;
}

static int marked_door(const lesson_view *v)
{
    int count = door_count(v);
    return v->door < count ? v->door : count - 1;
}

static float name_size(const lesson_view *v)
{
    return fmaxf(12, NAME * v->layout.unit);
}

/* With letters as large as for a lecture room, only names are shown. */
static bool shows_commands(const lesson_view *v, const viz_canvas *canvas)
{
    return v->base.figure || (!canvas->theme->presents && v->layout.area.h >= LESSON_LOW_PAGE);
}

float lesson_doors_lay(lesson_view *v, const viz_canvas *canvas, viz_rect room)
{
    lesson_layout *l = &v->layout;
    float size = name_size(v), line = DOOR_LINE * size, gap = 0.6f * size, x = 0, y = 0;
    memset(l->doors, 0, sizeof l->doors);
    for (int i = 0; door_at(v, i); i++) {
        float name =
            viz_text_width(canvas, VIZ_SANS_BOLD, size, lesson_text(v, door_at(v, i)->name));
        float command = viz_text_width(canvas, VIZ_MONO, v->layout.label, door_at(v, i)->command);
        float w =
            fminf(name + 2 * DOOR_INSET * size + (shows_commands(v, canvas) ? command + size : 0),
                  room.w);
        if (x > 0 && x + w > room.w) {
            x = 0;
            y += line + 0.5f * gap;
        }
        l->doors[i] = (viz_rect){room.x + x, y, w, line};
        x += w + gap;
    }
    float height = door_count(v) ? y + line : 0;
    bool gives_way = lesson_drawing_alone(v) && l->area.h < LESSON_LOW_PAGE;
    if (room.h - height < LEAST_ABOVE * l->label || gives_way) {
        memset(l->doors, 0, sizeof l->doors);
        return 0;
    }
    for (int i = 0; door_at(v, i); i++)
        l->doors[i].y += room.y + room.h - height;
    return height;
}

static void lesson_doors_draw(const lesson_view *v, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    float size = name_size(v);
    for (int i = 0; door_at(v, i); i++) {
        viz_rect r = v->layout.doors[i];
        bool marked = i == marked_door(v) && !v->base.figure;
        if (r.w <= 0)
            continue;
        float x = r.x + DOOR_INSET * size, y = r.y + r.h / 2 + 0.36f * size;
        char fit[128];
        viz_fill_round(canvas, r, 5, theme->panel);
        viz_frame_round(canvas, r, 5, 1, marked ? theme->accent : theme->line);
        x += viz_text(canvas, VIZ_SANS_BOLD, size, x, y, VIZ_LEFT, theme->text,
                      lesson_text(v, door_at(v, i)->name)) +
             size;
        if (shows_commands(v, canvas))
            viz_text(canvas, VIZ_MONO, v->layout.label, x, y, VIZ_LEFT, theme->text2,
                     viz_text_fit(canvas, VIZ_MONO, v->layout.label, r.x + r.w - x,
                                  door_at(v, i)->command, fit, sizeof fit));
    }
}

/* A lesson is opened here; a view is opened by the shell that holds this one. */
static bool open_door(lesson_view *v, const sac_lesson_door *door)
{
    if (!door->lesson) {
        v->opens = door;
        return true;
    }
    for (int i = 0; i < v->source->lesson.entry_count; i++)
        if (strcmp(v->source->lesson.entries[i].name, door->lesson) == 0)
            lesson_open(v, i);
    return true;
}

bool lesson_doors_press(lesson_view *v, float x, float y)
{
    for (int i = 0; door_at(v, i); i++)
        if (viz_inside(v->layout.doors[i], x, y))
            return open_door(v, door_at(v, i));
    return false;
}

bool lesson_press_door(lesson_view *v, int step)
{
    int count = door_count(v);
    if (!count)
        return false;
    if (!step)
        return open_door(v, door_at(v, marked_door(v)));
    v->door = (marked_door(v) + step + count) % count;
    return true;
}

void lesson_doors_spots(const lesson_view *v, viz_spots *spots)
{
    for (int i = 0; door_at(v, i); i++)
        viz_spots_add(spots, v->layout.doors[i], VIZ_SPOT_PRESSES,
                      "Opens this; ctrl B comes back. N marks the next one, Return opens it.");
}

/* ---- The drawing of a transformer's encoder and decoder layer: what is computed runs from the left to the right, the encoder above; a residual path goes over each part to the sum behind it. The parts that a step is about are lit. */

#define WIDTH 8.65f /* of the drawing, in widths of a large box */
#define TEXT 13.0f
#define SECOND_LINE 7.8f /* widths of a letter that a large box has, where it has two lines */
#define LEAST_ROOM 90.0f /* that arrays keep; where they have less there is no drawing */

/* A box at `x`, in widths of a large box; the encoder's row is 0. */
typedef struct block_part {
    unsigned bit;
    int row;
    float x, w;
    const char *name, *brief, *below, *below_brief; /* a brief one replaces what does not fit */
} block_part;

#define ATTENTION N_("attention"), NULL
#define NORM N_("norm"), NULL, NULL
#define FORWARD N_("feed-forward"), N_("forward")
#define POSITION N_("+ position"), N_("+ place")
#define EMBEDDING N_("embedding"), N_("embed")

/* A part with a residual path over it comes before its norm. */
static const block_part parts[] = {
    {SAC_BLOCK_EMBEDDING, 0, 0, .86f, EMBEDDING, POSITION},
    {SAC_BLOCK_ENCODER_ATTENTION, 0, 1.02f, 1, ATTENTION, N_("1: all words"), N_("1: all")},
    {SAC_BLOCK_ENCODER_NORM, 0, 2.28f, .5f, NORM},
    {SAC_BLOCK_ENCODER_FORWARD, 0, 2.94f, 1, FORWARD, N_("each word")},
    {SAC_BLOCK_ENCODER_NORM, 0, 4.2f, .5f, NORM},
    {SAC_BLOCK_EMBEDDING, 1, 1.01f, .86f, EMBEDDING, POSITION},
    {SAC_BLOCK_DECODER_ATTENTION, 1, 2.03f, 1, ATTENTION, N_("2: earlier words"), N_("2: earlier")},
    {SAC_BLOCK_DECODER_NORM, 1, 3.29f, .5f, NORM},
    {SAC_BLOCK_CROSS_ATTENTION, 1, 3.95f, 1, ATTENTION, N_("3: the memory"), N_("3: memory")},
    {SAC_BLOCK_DECODER_NORM, 1, 5.21f, .5f, NORM},
    {SAC_BLOCK_DECODER_FORWARD, 1, 5.87f, 1, FORWARD, N_("each word")},
    {SAC_BLOCK_DECODER_NORM, 1, 7.13f, .5f, NORM},
    {SAC_BLOCK_WORDS, 1, 7.79f, .86f, N_("softmax"), NULL, N_("next word")},
};
enum { PARTS = sizeof parts / sizeof *parts, LAST_OF_ENCODER = 4, CROSS = 8 };

/* ---------------------------------------------------------------- places */

/* The sizes of a drawing in its rectangle. */
typedef struct block_sizes {
    float text, wide, box,
        arc; /* of letters, a large box's width, a box's height, a path over it */
} block_sizes;

static float block_text(const lesson_layout *l)
{
    float size = fmaxf(12, TEXT * l->unit);
    if (l->block_large) /* as large as two lines allow */
        size = fmaxf(size, fminf(l->block.w / WIDTH / (SECOND_LINE + 0.1f), 0.09f * l->block.h));
    return size;
}

static block_sizes sizes_of(const lesson_layout *l)
{
    block_sizes s = {.text = block_text(l), .wide = l->block.w / WIDTH};
    s.box = (s.wide < SECOND_LINE * s.text ? 1.8f : 2.9f) * s.text;
    s.arc = 0.75f * s.text;
    if (l->block_large) {
        s.box = fmaxf(s.box, 0.27f * l->block.h);
        s.arc = fmaxf(s.arc, 0.11f * l->block.h);
    }
    return s;
}

float lesson_block_lay(lesson_view *v, viz_rect room)
{
    lesson_layout *l = &v->layout;
    l->block = (viz_rect){room.x, room.y, room.w, 0};
    block_sizes s = sizes_of(l);
    float height = 2 * (s.arc + s.box) + 0.9f * s.text;
    l->block.h = lesson_step(v)->block && !lesson_drawing_alone(v) && room.h - height >= LEAST_ROOM
                     ? height
                     : 0;
    return l->block.h;
}

static viz_rect part_rect(const lesson_layout *l, const block_part *part)
{
    block_sizes s = sizes_of(l);
    float y = part->row ? l->block.y + l->block.h - s.box : l->block.y + s.arc;
    return (viz_rect){l->block.x + part->x * s.wide, y, part->w * s.wide, s.box};
}

static bool is_norm(const block_part *part)
{
    return part->bit == SAC_BLOCK_ENCODER_NORM || part->bit == SAC_BLOCK_DECODER_NORM;
}

int lesson_block_hit(const lesson_view *v, float x, float y)
{
    for (int i = 0; v->layout.block.h > 0 && i < PARTS; i++)
        for (int s = 0;
             viz_inside(part_rect(&v->layout, &parts[i]), x, y) && s < v->lesson.step_count; s++)
            if (v->lesson.steps[s].block & parts[i].bit)
                return s;
    return -1;
}

/* ---------------------------------------------------------------- looks */

/* In the letters of the drawing, with some room beside them. */
static const char *fitting(const lesson_view *v, const viz_canvas *canvas, const char *text,
                           const char *brief, float size, float room)
{
    const char *name = lesson_text(v, text);
    bool fits = viz_text_width(canvas, VIZ_SANS, size, name) + 0.4f * size <= room;
    return fits || !brief ? name : lesson_text(v, brief);
}

/* The path over a part, from the line before it to the sum behind it. */
static void draw_residual(const lesson_view *v, viz_canvas *canvas, const block_part *part,
                          viz_color color)
{
    const lesson_layout *l = &v->layout;
    block_sizes s = sizes_of(l);
    viz_rect r = part_rect(l, part);
    float from = r.x - 0.09f * s.wide, to = r.x + r.w + 0.13f * s.wide, y = r.y + r.h / 2,
          top = r.y - 0.6f * s.arc, radius = 0.42f * s.text, sign = 0.22f * s.text;
    viz_line(canvas, from, y, from, top, 1.5f, color);
    viz_line(canvas, from, top, to, top, 1.5f, color);
    viz_line(canvas, to, top, to, y, 1.5f, color);
    viz_disc(canvas, to, y, radius + 1.5f, color);
    viz_disc(canvas, to, y, radius, canvas->theme->ground);
    viz_line(canvas, to - sign, y, to + sign, y, 1.5f, color);
    viz_line(canvas, to, y - sign, to, y + sign, 1.5f, color);
}

static void draw_part(const lesson_view *v, viz_canvas *canvas, const block_part *part)
{
    const viz_theme *theme = canvas->theme;
    viz_rect r = part_rect(&v->layout, part);
    float size = block_text(&v->layout), middle = r.x + r.w / 2, y = r.y + r.h / 2;
    bool lit = lesson_step(v)->block & part->bit, two = r.h > 2 * size && part->below;
    viz_color ink = lit ? theme->on_accent : theme->text;
    viz_fill_round(canvas, r, 5, lit ? theme->accent : theme->panel);
    if (!lit)
        viz_frame_round(canvas, r, 5, 1, theme->line);
    viz_text(canvas, VIZ_SANS, size, middle, y + (two ? -0.25f : 0.36f) * size, VIZ_CENTER, ink,
             fitting(v, canvas, part->name, part->brief, size, r.w));
    if (two)
        viz_text(canvas, VIZ_SANS, size, middle, y + 1.0f * size, VIZ_CENTER, ink,
                 fitting(v, canvas, part->below, part->below_brief, size, r.w));
}

static void lesson_block_draw(const lesson_view *v, viz_canvas *canvas)
{
    if (v->layout.block.h <= 0)
        return;
    static const char *const names[] = {N_("encoder"), N_("decoder")};
    const viz_theme *theme = canvas->theme;
    const lesson_layout *l = &v->layout;
    viz_rect last = part_rect(l, &parts[LAST_OF_ENCODER]), cross = part_rect(l, &parts[CROSS]);
    bool remembers = lesson_step(v)->block & SAC_BLOCK_MEMORY;
    float size = block_text(l), x = last.x + last.w / 2, head = 0.3f * size;
    viz_color ink = remembers ? theme->accent : theme->text2;
    /* The encoder's result goes down into the decoder. */
    viz_line(canvas, x, last.y + last.h, x, cross.y, remembers ? 3 : 1.5f, ink);
    viz_line(canvas, x - head, cross.y - head, x, cross.y, 1.5f, ink);
    viz_line(canvas, x + head, cross.y - head, x, cross.y, 1.5f, ink);
    viz_text(canvas, VIZ_SANS, size, last.x + last.w + 0.7f * size, last.y + last.h + 0.45f * size,
             VIZ_LEFT, ink, "memory");
    /* The line from a part to the next one of its row, with the residual path of the parts between
     * two norms; highlighted while the step is about the norm after it. */
    for (int i = 0; i + 1 < PARTS; i++) {
        viz_rect from = part_rect(l, &parts[i]), to = part_rect(l, &parts[i + 1]);
        bool lit = is_norm(&parts[i + 1]) && lesson_step(v)->block & parts[i + 1].bit;
        viz_color color = lit ? theme->accent : theme->text2;
        float y = from.y + from.h / 2;
        if (parts[i].row != parts[i + 1].row)
            continue;
        viz_line(canvas, from.x + from.w, y, to.x, y, 1.5f, color);
        viz_line(canvas, to.x - head, y - head, to.x, y, 1.5f, color);
        viz_line(canvas, to.x - head, y + head, to.x, y, 1.5f, color);
        if (is_norm(&parts[i + 1]))
            draw_residual(v, canvas, &parts[i], color);
    }
    for (int i = 0; i < PARTS; i++)
        draw_part(v, canvas, &parts[i]);
    viz_text(canvas, VIZ_SANS_BOLD, size, last.x + last.w + 0.7f * size, last.y + 0.9f * size,
             VIZ_LEFT, theme->text, lesson_text(v, names[0]));
    viz_text(canvas, VIZ_SANS_BOLD, size, l->block.x, cross.y + cross.h / 2 + 0.36f * size,
             VIZ_LEFT, theme->text, lesson_text(v, names[1]));
}

void lesson_block_spots(const lesson_view *v, viz_spots *spots)
{
    for (int i = 0; v->layout.block.h > 0 && i < PARTS; i++)
        viz_spots_add(spots, part_rect(&v->layout, &parts[i]), VIZ_SPOT_PRESSES,
                      "To the step that is about this part.");
}

/* ---------------------------------------------------------------- the looks of a lesson's page */

/* ---------------------------------------------------------------- arrays */

static viz_color label_color(const lesson_view *v, const viz_canvas *canvas, const lesson_block *b,
                             bool current, float alpha)
{
    bool lit = current && v->current.array == b->node;
    return viz_with_alpha(lit ? canvas->theme->accent : canvas->theme->text2, alpha);
}

#define LEAST_LABEL 0.88f /* of its size, where it would touch the next one */

static void draw_column_labels(const lesson_view *v, viz_canvas *canvas, const lesson_block *b,
                               size_t batch, float alpha)
{
    const sac_shown_array *array = lesson_array(v, b->node);
    float size = v->layout.label;
    char text[32], fit[64];
    for (size_t c = b->first_column; array->columns > 1 && c < b->first_column + b->columns; c++) {
        viz_rect r =
            lesson_cell_rect(b, array, (batch * array->rows + b->first_row) * array->columns + c);
        bool current = v->current.cell % array->columns == c && !lesson_asks_row(v);
        const char *label = lesson_label(v, array, false, c, text);
        float wide = viz_text_width(canvas, VIZ_SANS, v->layout.label, label);
        float least = canvas->theme->presents ? 1 : LEAST_LABEL; /* far away each is to be read */
        float fits = fminf((r.w - 3) / wide, 1);
        size = v->layout.label * (fits >= least ? fits : 1); /* one that is cut keeps its size */
        viz_text_fit(canvas, VIZ_SANS, size, r.w, label, fit, sizeof fit);
        viz_text(canvas, array->column_labels ? VIZ_SANS : VIZ_MONO, size, r.x + r.w / 2,
                 r.y - 0.45f * size, VIZ_CENTER, label_color(v, canvas, b, current, alpha), fit);
    }
}

static void draw_row_label(const lesson_view *v, viz_canvas *canvas, const lesson_block *b,
                           size_t line, float alpha)
{
    const sac_shown_array *array = lesson_array(v, b->node);
    viz_rect r = lesson_cell_rect(b, array, line * array->columns + b->first_column);
    size_t index = array->rows > 1 ? line % array->rows : line / array->rows;
    float size = v->layout.label;
    bool current = v->current.cell / array->columns == line;
    char text[32], fit[64];
    const viz_face face = array->row_labels ? VIZ_SANS : VIZ_MONO;
    const char *label = lesson_label(v, array, true, index, text);
    if (b->gutter > 0)
        viz_text(canvas, face, size, r.x - 0.6f * size, r.y + r.h / 2 + 0.36f * size, VIZ_RIGHT,
                 label_color(v, canvas, b, current, alpha),
                 viz_text_fit(canvas, face, size, b->gutter - 0.5f * size, label, fit, sizeof fit));
}

lesson_paint lesson_paint_of(const lesson_view *v, const viz_canvas *canvas, const lesson_block *b)
{
    const sac_shown_array *array = lesson_array(v, b->node);
    lesson_paint paint = {lesson_heat_of(array, v->map), b->format, b->number, 1};
    if (lesson_is_dragged(v)) { /* the numbers are others than those it was laid out for */
        paint.heat.most = b->most;
        paint.format = lesson_format_of(array, b->decimals);
    }
    float letter = viz_text_width(canvas, VIZ_MONO, 100, "0") / 100;
    float fits = (b->cell_w - 4) / (letter * (float)(paint.format.letters + !paint.format.letters));
    paint.number = fminf(paint.number, fits);
    return paint;
}

void lesson_paint_number(viz_canvas *canvas, const lesson_paint *paint, viz_rect r, float value)
{
    const viz_theme *theme = canvas->theme;
    char text[32];
    viz_color color = lesson_heat_color(&paint->heat, theme, value);
    viz_color ink = isfinite(value) ? viz_text_on(color) : theme->text;
    viz_rect cell = lesson_cell_ground(r);
    viz_fill(canvas, cell, viz_with_alpha(color, paint->alpha));
    viz_text(canvas, VIZ_MONO, paint->number, cell.x + cell.w / 2,
             cell.y + cell.h / 2 + 0.36f * paint->number, VIZ_CENTER,
             viz_with_alpha(ink, paint->alpha), lesson_number(&paint->format, value, text, 32));
}

void lesson_draw_array(const lesson_view *v, viz_canvas *canvas, const lesson_block *b, float alpha,
                       float (*seen)(const void *user, size_t cell), const void *user)
{
    const sac_shown_array *array = lesson_array(v, b->node);
    const viz_theme *theme = canvas->theme;
    float size = v->layout.label, y = b->rect.y + size;
    char shape[96];
    viz_color name = b->made_here ? theme->text : theme->text2;
    if (alpha <= 0)
        return;
    float x = b->rect.x + viz_text(canvas, VIZ_SANS_BOLD, size, b->rect.x, y, VIZ_LEFT,
                                   viz_with_alpha(name, alpha), array->name);
    viz_text(canvas, VIZ_MONO, size, x + 0.6f * size, y, VIZ_LEFT,
             viz_with_alpha(theme->text2, alpha),
             lesson_block_shape(b, array, shape, sizeof shape));
    if (b->arrow) {
        float reach = 22 * v->layout.unit, head = 6 * v->layout.unit,
              thick = fmaxf(1.5f, v->layout.unit * 2);
        float middle = b->rect.x - 1.1f * reach,
              level = b->rect.y + b->name_h + b->label_h + b->cell_h / 2;
        viz_color color = viz_with_alpha(canvas->theme->faint, alpha);
        viz_line(canvas, middle - reach / 2, level, middle + reach / 2, level, thick, color);
        viz_line(canvas, middle + reach / 2 - head, level - head, middle + reach / 2, level, thick,
                 color);
        viz_line(canvas, middle + reach / 2 - head, level + head, middle + reach / 2, level, thick,
                 color);
    }
    lesson_paint paint = lesson_paint_of(v, canvas, b);
    paint.alpha = alpha;
    for (size_t batch = b->first_batch; batch < b->first_batch + b->batches; batch++) {
        if (batch - b->first_batch < b->across)
            draw_column_labels(v, canvas, b, batch, alpha);
        for (size_t row = b->first_row; row < b->first_row + b->rows; row++) {
            size_t line = batch * array->rows + row;
            draw_row_label(v, canvas, b, line, alpha);
            for (size_t c = b->first_column; c < b->first_column + b->columns; c++) {
                size_t cell = line * array->columns + c;
                /* A cell that is not seen yet has its ground. */
                float part = seen ? seen(user, cell) : 1;
                viz_rect r = lesson_cell_rect(b, array, cell);
                bool hidden = lesson_hides_cell(v, b->node, cell);
                lesson_paint faded = paint;
                faded.alpha *= part;
                if (hidden || part < 1)
                    viz_fill(canvas, lesson_cell_ground(r),
                             viz_with_alpha(canvas->theme->panel, paint.alpha));
                if (!hidden && part > 0)
                    lesson_paint_number(canvas, &faded, r, array->numbers[cell]);
            }
        }
    }
}

#define PAST 0.3f /* how much is left of the colours of arrays that are not of this step */

void lesson_draw_past(const lesson_view *v, viz_canvas *canvas, const lesson_block *b, float alpha)
{
    const sac_shown_array *array = lesson_array(v, b->node);
    lesson_heat heat = lesson_heat_of(array, v->map);
    float size = v->layout.label;
    viz_text(canvas, VIZ_SANS, size, b->rect.x, b->rect.y + size, VIZ_LEFT,
             viz_with_alpha(canvas->theme->text2, alpha), array->name);
    for (size_t cell = 0; cell < array->batch * array->rows * array->columns; cell++) {
        viz_rect r = lesson_cell_rect(b, array, cell);
        viz_color color = lesson_heat_color(&heat, canvas->theme, array->numbers[cell]);
        viz_fill(canvas, lesson_cell_ground(r), viz_with_alpha(color, PAST * alpha));
    }
}

/* ---------------------------------------------------------------- the cells that make one */

/* A frame round cells, over the gaps between them. */
static void draw_frame(viz_canvas *canvas, const lesson_block *b, viz_rect r, viz_color color)
{
    float thick = b->cell_h > 26 ? 3 : 2, gap = b->cell_h > 26 ? 2 : 1;
    if (r.w > 0)
        viz_frame(canvas, (viz_rect){r.x - gap, r.y - gap, r.w + gap, r.h + gap}, thick, color);
}

/* A frame round each run of cells in a row; a column of runs has one frame. */
static void draw_operands(const lesson_view *v, viz_canvas *canvas, const lesson_block *b,
                          const sac_operand *operands, size_t count)
{
    const sac_shown_array *array = lesson_array(v, b->node);
    size_t lines = array->batch * array->rows;
    viz_rect open = {0};
    for (size_t line = 0; line <= lines; line++) {
        viz_rect run = {0};
        for (size_t c = 0; line < lines && c < array->columns; c++) {
            size_t cell = line * array->columns + c;
            viz_rect r = lesson_cell_rect(b, array, cell);
            bool found = false;
            for (size_t i = 0; i < count && !found; i++)
                found = operands[i].array == b->node && operands[i].cell == cell;
            if (r.w <= 0 || !found)
                continue;
            run = run.w > 0 ? (viz_rect){run.x, run.y, r.x + r.w - run.x, run.h} : r;
        }
        bool continues = run.w > 0 && open.w == run.w && open.x == run.x &&
                         fabsf(open.y + open.h - run.y) < 0.5f;
        if (continues) {
            open.h += run.h;
            continue;
        }
        if (open.w > 0)
            draw_frame(canvas, b, open, canvas->theme->text);
        open = run;
    }
}

void lesson_draw_marks(const lesson_view *v, viz_canvas *canvas, const lesson_block *blocks,
                       int block_count, const sac_operand *operands, size_t count)
{
    for (int i = 0; i < block_count; i++) {
        const lesson_block *b = &blocks[i];
        draw_operands(v, canvas, b, operands, count);
        if (b->node != v->current.array)
            continue;
        viz_rect r = lesson_cell_rect(b, lesson_array(v, b->node), v->current.cell);
        r.w *= lesson_asks_row(v) ? (float)b->columns : 1; /* a row is in question */
        draw_frame(canvas, b, r, canvas->theme->accent);
    }
}

void lesson_arrays_draw(const lesson_view *v, viz_canvas *canvas)
{
    const lesson_layout *l = &v->layout;
    for (int i = 0; i < l->past_count; i++)
        lesson_draw_past(v, canvas, &l->past[i], 1);
    for (int i = 0; i < l->block_count; i++)
        lesson_draw_array(v, canvas, &l->blocks[i], 1, NULL, NULL);
    lesson_draw_marks(v, canvas, l->blocks, l->block_count, v->arithmetic.operands,
                      v->arithmetic.count);
}

/* ---------------------------------------------------------------- text */

static void draw_head(const lesson_view *v, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    const lesson_layout *l = &v->layout;
    char text[64], fit[256];
    if (l->reset.w > 0)
        viz_text(canvas, VIZ_SANS, l->turns.size, l->reset.x, l->reset.y + 1.1f * l->turns.size,
                 VIZ_LEFT, theme->accent, lesson_text(v, "changed · reset"));
    bool alone = lesson_is_alone(v);
    if (alone)
        snprintf(text, sizeof text, "%s", lesson_text(v, lesson_step(v)->name));
    else if (v->quiz && v->has_question)
        snprintf(text, sizeof text, lesson_text(v, "question %d of %d  ·  %d right"), v->at + 1,
                 v->sheet_count, v->right_count);
    else if (v->ends)
        text[0] = '\0';
    else
        snprintf(text, sizeof text, "%d / %d", v->step + 1, v->lesson.step_count);
    float count = viz_text(canvas, alone || v->quiz ? VIZ_SANS : VIZ_MONO, l->turns.size,
                           l->area.x + l->area.w, l->title_y, VIZ_RIGHT, theme->text2, text);
    float back = l->back.w > 0 ? l->back.w + 0.6f * l->turns.size : 0;
    if (l->back.w > 0)
        viz_text(canvas, VIZ_SANS, l->turns.size, l->back.x, l->title_y, VIZ_LEFT, theme->text2,
                 lesson_back_text(v));
    viz_text_fit(canvas, VIZ_SANS_BOLD, l->title, l->area.w - back - count - l->title,
                 lesson_text(v, v->lesson.title), fit, sizeof fit);
    viz_text(canvas, VIZ_SANS_BOLD, l->title, l->area.x + back, l->title_y, VIZ_LEFT, theme->text,
             fit);
    viz_turns_draw(&l->turns, canvas);
}

/* ---------------------------------------------------------------- what can be changed */

static const viz_key_row caps[] = {{"↑  ↓", "cell"}, {"←  →", "step"}, {"space", "play"},
                                   {"#", "PyTorch"}, {"S", "PNG"},     {"?", "keys"}};

/* In a quiz the foot leads on from question to question, and not from step to step. */
static float draw_buttons(lesson_view *v, viz_canvas *canvas, viz_rect foot, float x)
{
    float y = foot.y + 8;
    if (v->ends || v->writes)
        return x;
    if (!v->quiz)
        return lesson_button_draw(v, canvas, LESSON_BUTTON_QUIZ, x + 12, y, lesson_text(v, "Quiz"),
                                  false);
    bool last = v->at + 1 >= v->sheet_count;
    x = lesson_button_draw(v, canvas, LESSON_BUTTON_ON, foot.x + viz_page_margin(foot), y,
                           lesson_text(v, !v->answered ? "Skip  ›"
                                          : last       ? "Your score  ›"
                                                       : "Next question  ›"),
                           v->answered);
    return lesson_button_draw(v, canvas, LESSON_BUTTON_LEAVE, x + 12, y,
                              lesson_text(v, "Leave the quiz"), false);
}

static void draw_foot(lesson_view *v, viz_canvas *canvas, viz_rect foot)
{
    lesson_layout *l = &v->layout;
    if (v->quiz)
        l->turns.count = 0; /* the line above it was drawn */
    float margin = viz_page_margin(foot), right = foot.x + foot.w - margin;
    float x = viz_turns_draw_foot(&l->turns, canvas, foot, margin);
    x = draw_buttons(v, canvas, foot, x);
    l->caps = viz_caps_layout(canvas, right, foot.y + 14, right - x - 16, caps,
                              sizeof caps / sizeof *caps);
    viz_caps_draw(canvas, &l->caps);
}

/* ---------------------------------------------------------------- the page */

void lesson_draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    lesson_view *v = lesson_of(view);
    viz_rect foot = {area.x, area.y + area.h - VIZ_FOOT, area.w, VIZ_FOOT};
    bool presents = canvas->theme->presents || v->base.figure;
    memset(v->buttons, 0, sizeof v->buttons);
    if (lesson_is_sheet(v)) {
        lesson_sheet_draw(v, canvas, area);
        return;
    }
    if (v->lists) {
        v->layout = (lesson_layout){0};
        lesson_gallery_draw(v, canvas, area);
        return;
    }
    if (!v->known) {
        v->layout = (lesson_layout){0};
        const char *text = v->request.problem[0] ? v->request.problem : "computing …";
        float width = fminf(area.w - 2 * VIZ_MARGIN, 720);
        viz_paragraph_draw(canvas, VIZ_SANS, VIZ_SENTENCE, area.x + (area.w - width) / 2,
                           area.y + area.h / 2, width, canvas->theme->text2, text);
        return;
    }
    area.h -= presents ? 0 : VIZ_FOOT;
    if (v->ends) {
        float y = lesson_lay_head(v, canvas, area);
        draw_head(v, canvas);
        lesson_end_draw(v, canvas,
                        (viz_rect){v->layout.area.x, y, v->layout.area.w, area.y + area.h - y});
        if (!presents)
            draw_foot(v, canvas, foot);
        return;
    }
    lesson_look(v);
    lesson_lay(v, canvas, area);
    draw_head(v, canvas);
    const viz_theme *theme = canvas->theme;
    const lesson_layout *l = &v->layout;
    const sac_lesson_step *step = lesson_step(v);
    viz_paragraph_draw(canvas, VIZ_SANS, l->sentence, l->area.x, l->sentence_y, l->area.w,
                       theme->text, lesson_text(v, step->sentence));
    if (step->formula)
        viz_text(canvas, VIZ_MONO, l->formula, l->area.x, l->formula_y, VIZ_LEFT, theme->text,
                 step->formula);
    lesson_block_draw(v, canvas);
    lesson_doors_draw(v, canvas);
    lesson_code_draw(v, canvas);
    if (lesson_moves(v) && v->layout.planned)
        lesson_motion_draw(v, canvas);
    else
        lesson_arrays_draw(v, canvas);
    lesson_drawing_draw(v, canvas);
    if (v->card.asked)
        lesson_card_draw(v, canvas, &v->card);
    else if (lesson_asks(v))
        viz_paragraph_draw(canvas, VIZ_SANS, v->layout.arithmetic, v->layout.area.x,
                           v->layout.arithmetic_y, v->layout.area.w, canvas->theme->accent,
                           v->layout.equation);
    else if (!v->layout.unmentioned) {
        /* The arithmetic followed by its result, which goes to the next line if there is no space. */
        float size = l->arithmetic, letter = viz_text_width(canvas, VIZ_MONO, size, "0");
        float x = l->area.x, y = l->arithmetic_y;
        int lines = viz_paragraph_lines(canvas, VIZ_MONO, size, l->area.w, l->equation);
        float end =
            viz_paragraph_draw(canvas, VIZ_MONO, size, x, y, l->area.w, theme->text, l->equation);
        float result = 2 * letter + viz_text_width(canvas, VIZ_MONO, size, l->result);
        bool behind = end + letter + result <= l->area.w;
        x += behind ? end + letter : 0;
        y += VIZ_LEADING * size * (float)(behind ? lines - 1 : lines);
        viz_text(canvas, VIZ_MONO, size, x, y, VIZ_LEFT, theme->text, l->sign);
        viz_text(canvas, VIZ_MONO, size, x + 2 * letter, y, VIZ_LEFT, theme->accent, l->result);
    }
    /* What to notice, with the verdict of an answer. */
    if (l->notice_x > 0)
        lesson_verdict_draw(canvas, l->area.x + 0.6f * l->notice, l->notice_y - 0.35f * l->notice,
                            0.6f * l->notice, v->right);
    viz_paragraph_draw(canvas, VIZ_SANS, l->notice, l->area.x + l->notice_x, l->notice_y,
                       l->area.w - l->notice_x, canvas->theme->text2, l->noticed);
    lesson_bar_draw(v, canvas);
    char text[32];
    for (int i = 0; i < l->control_count; i++)
        if (l->switches[i].w > 0) {
            viz_rect r = v->layout.switches[i];
            bool on = v->lesson.values[i] != 0, idle = lesson_is_idle(v, i);
            viz_color lit = idle ? theme->faint : theme->accent;
            float y = r.y + r.h / 2;
            viz_rect track = {r.x, y - 8, 30, 16};
            viz_fill_round(canvas, track, 8, on ? lit : theme->line);
            viz_disc(canvas, on ? track.x + 22 : track.x + 8, y, 6,
                     on ? theme->on_accent : theme->faint);
            viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x + 40, y + 4, VIZ_LEFT,
                     on && !idle ? theme->text : theme->text2,
                     lesson_text(v, v->lesson.parameters[i].label));
        } else {
            viz_number(v->lesson.values[i], text, sizeof text);
            size_t end = strlen(text); /* "0.5" in place of "0.5000" */
            while (strchr(text, '.') && !strchr(text, 'e') &&
                   (text[end - 1] == '0' || text[end - 1] == '.'))
                text[--end] = '\0';
            viz_slider_draw(canvas, &l->sliders[i], v->lesson.values[i], text);
        }
    if (!presents)
        draw_foot(v, canvas, foot);
}
