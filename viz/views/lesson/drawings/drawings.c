/* A drawing on the page of a lesson: its room beside the arrays, and its handles, which pointer and
 * keys move. */
#include "lesson/drawings/drawings.h"

#include <math.h>
#include <string.h>

#include "base/text/numbers.h"
#include "canvas/text.h"
#include "parts/figures/lines.h"

/* ---------------------------------------------------------------- the diagram of a transformer's encoder and decoder layer:
 * what is computed runs from the left to the right, the encoder above; a residual path goes over each part to the sum
 * behind it. The parts that a step is about are lit */

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

static float block_text_size(const lesson_layout *l)
{
    float size = fmaxf(12, TEXT * l->unit);
    if (l->block_large) /* as large as two lines allow */
        size = fmaxf(size, fminf(l->block.w / WIDTH / (SECOND_LINE + 0.1f), 0.09f * l->block.h));
    return size;
}

static block_sizes measure_block(const lesson_layout *l)
{
    block_sizes s = {.text = block_text_size(l), .wide = l->block.w / WIDTH};
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
    block_sizes s = measure_block(l);
    float height = 2 * (s.arc + s.box) + 0.9f * s.text;
    l->block.h = lesson_step(v)->block && !lesson_drawing_alone(v) && room.h - height >= LEAST_ROOM
                     ? height
                     : 0;
    return l->block.h;
}

static viz_rect part_rect(const lesson_layout *l, const block_part *part)
{
    block_sizes s = measure_block(l);
    float y = part->row ? l->block.y + l->block.h - s.box : l->block.y + s.arc;
    return (viz_rect){l->block.x + part->x * s.wide, y, part->w * s.wide, s.box};
}

static bool is_norm(const block_part *part)
{
    return part->bit == SAC_BLOCK_ENCODER_NORM || part->bit == SAC_BLOCK_DECODER_NORM;
}

int lesson_block_step_at(const lesson_view *v, float x, float y)
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
static const char *fitting_text(const lesson_view *v, const viz_canvas *canvas, const char *text,
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
    block_sizes s = measure_block(l);
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
    float size = block_text_size(&v->layout), middle = r.x + r.w / 2, y = r.y + r.h / 2;
    bool lit = lesson_step(v)->block & part->bit, two = r.h > 2 * size && part->below;
    viz_color ink = lit ? theme->on_accent : theme->text;
    viz_fill_round(canvas, r, 5, lit ? theme->accent : theme->panel);
    if (!lit)
        viz_frame_round(canvas, r, 5, 1, theme->line);
    viz_text(canvas, VIZ_SANS, size, middle, y + (two ? -0.25f : 0.36f) * size, VIZ_CENTER, ink,
             fitting_text(v, canvas, part->name, part->brief, size, r.w));
    if (two)
        viz_text(canvas, VIZ_SANS, size, middle, y + 1.0f * size, VIZ_CENTER, ink,
                 fitting_text(v, canvas, part->below, part->below_brief, size, r.w));
}

void lesson_block_draw(const lesson_view *v, viz_canvas *canvas)
{
    if (v->layout.block.h <= 0)
        return;
    static const char *const names[] = {N_("encoder"), N_("decoder")};
    const viz_theme *theme = canvas->theme;
    const lesson_layout *l = &v->layout;
    viz_rect last = part_rect(l, &parts[LAST_OF_ENCODER]), cross = part_rect(l, &parts[CROSS]);
    bool remembers = lesson_step(v)->block & SAC_BLOCK_MEMORY;
    float size = block_text_size(l), x = last.x + last.w / 2, head = 0.3f * size;
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

/* A transformer's diagram over the whole page. It is drawn, and its parts are pressed, as where it stands above
 * arrays (lesson_draw.c). */
static void lay_diagram(lesson_view *v, const viz_canvas *canvas, const sac_lesson_drawing *drawing)
{
    (void)canvas, (void)drawing;
    v->layout.block = v->layout.drawing.room;
    v->layout.block_large = true;
}

static void draw_nothing(const lesson_view *v, viz_canvas *canvas,
                         const sac_lesson_drawing *drawing)
{
    (void)v, (void)canvas, (void)drawing;
}

static const lesson_drawing_class diagram = {.lay = lay_diagram, .draw = draw_nothing};

/* ---------------------------------------------------------------- the kinds */

const lesson_drawing_class *const lesson_drawing_kinds[SAC_DRAWING_KINDS] = {
    [SAC_DRAWS_PLOT] = &lesson_plot,        [SAC_DRAWS_MATRIX] = &lesson_matrix,
    [SAC_DRAWS_BANDS] = &lesson_bands,      [SAC_DRAWS_ROWS] = &lesson_rows,
    [SAC_DRAWS_PICTURES] = &lesson_picture, [SAC_DRAWS_BLOCK] = &diagram,
};
const char *const lesson_shown_names[LESSON_SHOWN_COUNT] = {"both", "drawing", "numbers"};

static const sac_lesson_drawing *drawing_at(const lesson_view *v, int step)
{
    int number = v->lesson.steps[step].drawing;
    return number > 0 && number <= v->lesson.drawing_count && !v->quiz
               ? &v->lesson.drawings[number - 1]
               : NULL;
}

const sac_lesson_drawing *lesson_drawing(const lesson_view *v)
{
    return drawing_at(v, v->step);
}

bool lesson_drawing_alone(const lesson_view *v)
{
    bool alone = v->shown == LESSON_DRAWING ||
                 (v->shown == LESSON_BOTH && v->plan.alone[v->step] && !v->base.figure);
    return alone && lesson_drawing(v);
}

/* ---------------------------------------------------------------- what kinds share: what is shown one after the other */

static bool plays_parameter_at(const sac_lesson_drawing *drawing, int step)
{
    return drawing->plays && step >= drawing->plays_since;
}

int lesson_beat_count(const lesson_view *v, int step)
{
    const sac_lesson_drawing *drawing = drawing_at(v, step);
    const lesson_drawing_class *class = drawing ? lesson_drawing_kinds[drawing->kind] : NULL;
    if (drawing && plays_parameter_at(drawing, step))
        return drawing->play_count;
    return class && class->beats ? class->beats(v, drawing, step) : 0;
}

int lesson_current_beat(const lesson_view *v)
{
    const lesson_motion *m = &v->motion;
    float passed = (float)(m->now - m->rests_since) * lesson_pace(v);
    bool goes = (m->plays || m->exported) && !m->moves && !m->begins && v->pace != VIZ_PACE_STILL;
    return goes && passed < LESSON_BEAT * (float)lesson_beat_count(v, v->step)
               ? (int)(passed / LESSON_BEAT)
               : -1;
}

lesson_cell lesson_beat_cell(const lesson_view *v)
{
    const sac_lesson_drawing *drawing = lesson_drawing(v);
    int beat = lesson_current_beat(v);
    if (beat < 0 || plays_parameter_at(drawing, v->step) ||
        !lesson_drawing_kinds[drawing->kind]->beat_cell)
        return (lesson_cell){0};
    return lesson_drawing_kinds[drawing->kind]->beat_cell(v, drawing, beat);
}

void lesson_follow_beat(lesson_view *v)
{
    const sac_lesson_drawing *drawing = lesson_drawing(v);
    int beat = lesson_current_beat(v), parameter = v->draws.parameter;
    if (beat >= 0 && plays_parameter_at(drawing, v->step)) {
        for (parameter = 0; strcmp(v->lesson.parameters[parameter].name, drawing->plays);)
            parameter++;
        const sac_lesson_parameter *p = &v->lesson.parameters[parameter];
        if (!v->draws.on)
            v->draws = (lesson_draws){true, parameter, v->lesson.values[parameter]};
        float at = v->draws.own + 1 + (float)beat, count = p->high - p->low + 1;
        lesson_set_parameter(v, parameter, at > p->high ? at - count : at);
    } else if (v->draws.on) {
        v->draws.on = false;
        lesson_set_parameter(v, parameter, v->draws.own);
    }
}

/* ---------------------------------------------------------------- the room */

#define LEAST_WIDTH 330.0f  /* of a drawing beside the arrays, and of those */
#define PART 0.52f          /* of the page's width, where a drawing has none of its own */
#define LEAST_HEIGHT 190.0f /* of a drawing, and of arrays below it */
#define ON_PAPER 290.0f     /* the least width in a figure, which can as well be higher */
#define BELOW 0.4f          /* of the width, the height of a drawing below the arrays of a figure */
#define YIELD 0.1f          /* of that part, a time that a drawing makes room for arrays */
#define CHIP 12.0f
/* On a page that is presented letters are half as many, and what is drawn beside numbers is as large as it is to
 * be seen from the last row. */
#define PRESENTED_WIDTH 190.0f
#define PRESENTED_HEIGHT 100.0f

/* Where that leaves too little of the arrays, the page is one of a low window. */
static bool is_for_last_row(const lesson_view *v, const viz_canvas *canvas)
{
    return canvas->theme->presents && !v->plan.crowded[v->step];
}

static float least_width(const lesson_view *v, const viz_canvas *canvas)
{
    return is_for_last_row(v, canvas) ? PRESENTED_WIDTH : LEAST_WIDTH;
}

static const char *const turns[LESSON_SHOWN_COUNT] = {
    N_("both"),
    N_("drawing"),
    N_("numbers"),
};

#define LEAST_PICTURE 90.0f /* the height of a drawing that is narrow then, … */
#define NARROW 0.36f /* … so much of the width at most: a low window has room beside it, too */

/* The drawing's width, if it stood at the right edge of a low room; 0: it is no narrow one. */
static float narrow_width(lesson_view *v, const viz_canvas *canvas,
                          const sac_lesson_drawing *drawing, viz_rect room)
{
    const lesson_drawing_class *class = lesson_drawing_kinds[drawing->kind];
    lesson_drawing_layout *d = &v->layout.drawing;
    if (!class->spare || room.h < LEAST_PICTURE)
        return 0;
    d->room = room;
    class->lay(v, canvas, drawing);
    float width = room.w - class->spare(v, canvas, drawing);
    return width <= NARROW * room.w ? width : 0;
}

static lesson_shown next_shown(const lesson_view *v)
{
    if (!v->layout.drawing.both)
        return lesson_drawing_alone(v) ? LESSON_NUMBERS : LESSON_DRAWING;
    return (v->shown + 1) % LESSON_SHOWN_COUNT;
}

bool lesson_turn_shown(lesson_view *v, int step)
{
    if (!lesson_drawing(v))
        return false;
    lesson_shown next = next_shown(v);
    if (step < 0 && next != LESSON_DRAWING)
        next = v->shown == LESSON_BOTH ? LESSON_NUMBERS : LESSON_DRAWING;
    v->shown = next;
    return true;
}

/* The chip stands at the end of the formula's line, where that has room for it. */
static void lay_chip(lesson_view *v, const viz_canvas *canvas, const char *name)
{
    lesson_layout *l = &v->layout;
    const char *formula = lesson_step(v)->formula;
    if (v->base.figure)
        return;
    float w = viz_text_width(canvas, VIZ_SANS, CHIP, name) + 1.4f * CHIP, h = 1.7f * CHIP;
    float taken = formula ? viz_text_width(canvas, VIZ_MONO, l->formula, formula) : 0;
    float x = l->area.x + l->area.w - w, y = l->formula_y - 0.35f * l->formula - h / 2;
    if (!formula)
        y = l->room.y - h;
    l->drawing.turn = taken + CHIP <= l->area.w - w ? (viz_rect){x, y, w, h} : (viz_rect){0};
}

bool lesson_drawing_can_narrow(const lesson_view *v, const viz_canvas *canvas)
{
    const lesson_drawing_layout *d = &v->layout.drawing;
    return d->room.w * (1 - YIELD) > least_width(v, canvas) && !d->alone && d->beside;
}

bool lesson_drawing_is_legible(const lesson_view *v)
{
    const sac_lesson_drawing *drawing = lesson_drawing(v);
    bool shown = drawing && v->layout.drawing.room.w > 0;
    const lesson_drawing_class *class = shown ? lesson_drawing_kinds[drawing->kind] : NULL;
    return !class || !class->legible || class->legible(v, drawing);
}

/* At the right edge. */
static void place_at_right_edge(lesson_drawing_layout *d, viz_rect room, float width)
{
    d->room = (viz_rect){room.x + room.w - width, room.y, width, room.h};
}

viz_rect lesson_drawing_lay(lesson_view *v, const viz_canvas *canvas, viz_rect room)
{
    lesson_drawing_layout *d = &v->layout.drawing;
    const sac_lesson_drawing *drawing = lesson_drawing(v);
    const lesson_drawing_class *class = drawing ? lesson_drawing_kinds[drawing->kind] : NULL;
    bool page = drawing && drawing->kind == SAC_DRAWS_BLOCK; /* above the room already, or alone */
    const float least = least_width(v, canvas),
                low = is_for_last_row(v, canvas) ? PRESENTED_HEIGHT : LEAST_HEIGHT;
    bool figure = v->base.figure && !page,
         beside =
             figure ? !v->drawn_below && room.w >= 2.2f * ON_PAPER
                    : !page && (room.w >= 2.2f * least && room.h >= low && room.w > 1.2f * room.h),
         above = !figure && !page && !beside &&
                 (room.w >= LEAST_WIDTH && room.h >= 2.2f * LEAST_HEIGHT),
         below = figure && !beside;
    *d = (lesson_drawing_layout){.text = v->layout.label, .beat = lesson_current_beat(v)};
    if (!drawing || room.h <= 0)
        return room;
    float narrow = page || beside || above || below ? 0 : narrow_width(v, canvas, drawing, room);
    beside = beside || narrow > 0;
    *d = (lesson_drawing_layout){.text = v->layout.label,
                                 .beat = d->beat,
                                 .both = beside || above || below,
                                 .beside = beside};
    d->alone = lesson_drawing_alone(v);
    lay_chip(v, canvas, lesson_text(v, turns[next_shown(v)]));
    if (!d->alone && (v->shown == LESSON_NUMBERS || !d->both))
        return room;
    float gap = 34 * v->layout.unit;
    viz_rect rest = room;
    d->room = room;
    if (d->alone) {
        rest = (viz_rect){room.x, room.y, room.w, 0};
    } else if (beside) {
        /* The part of the page's width of a drawing beside arrays: less where those would else be cut. */
        place_at_right_edge(d, room,
                            narrow > 0 ? narrow
                                       : ((drawing->part > 0 ? drawing->part : PART) *
                                          (1 - YIELD * (float)v->plan.yields[v->step])) *
                                                 room.w -
                                             gap / 2);
    } else if (below) {
        d->below = true;
        d->room.h = fminf(fmaxf(BELOW * room.w, LEAST_HEIGHT), 0.5f * (room.h - gap));
        d->room.y += room.h - d->room.h;
        rest.h -= d->room.h + gap;
    } else {
        d->room.h = 0.5f * room.h - gap / 2;
        rest.y += d->room.h + gap;
        rest.h -= d->room.h + gap;
    }
    class->lay(v, canvas, drawing);
    if (!d->alone && beside) {
        if (class->spare) {
            place_at_right_edge(d, room, d->room.w - class->spare(v, canvas, drawing));
            class->lay(v, canvas, drawing);
        }
        rest.w = room.w - d->room.w - gap;
    }
    return rest;
}

/* ---------------------------------------------------------------- looks */

#define HANDLE 7.0f /* its radius … */
#define REACH 13.0f /* … and of what takes it */

/* A chevron that points where x and y go. */
static void draw_chevron(viz_canvas *canvas, float x, float y, float to_x, float to_y,
                         viz_color color)
{
    float side_x = 3.5f * to_y, side_y = 3.5f * to_x, back_x = 3 * to_x, back_y = 3 * to_y;
    viz_line(canvas, x - back_x - side_x, y - back_y - side_y, x, y, 2, color);
    viz_line(canvas, x - back_x + side_x, y - back_y + side_y, x, y, 2, color);
}

static bool is_movable_target(const sac_drawing_target *target)
{
    return target->parameter || target->number.array;
}

void lesson_drawing_draw(const lesson_view *v, viz_canvas *canvas)
{
    const lesson_drawing_layout *d = &v->layout.drawing;
    const sac_lesson_drawing *drawing = lesson_drawing(v);
    const viz_theme *theme = canvas->theme;
    if (!drawing)
        return;
    if (d->turn.w > 0) {
        viz_fill_round(canvas, d->turn, 5, theme->panel);
        viz_frame_round(canvas, d->turn, 5, 1, theme->line);
        viz_text(canvas, VIZ_SANS, CHIP, d->turn.x + d->turn.w / 2,
                 d->turn.y + d->turn.h / 2 + 0.36f * CHIP, VIZ_CENTER, theme->text,
                 lesson_text(v, turns[next_shown(v)]));
    }
    if (d->room.w <= 0)
        return;
    lesson_drawing_kinds[drawing->kind]->draw(v, canvas, drawing);
    for (int i = 0; i < drawing->handle_count && !v->base.figure; i++)
        if (d->handles[i].rect.w > 0) {
            bool current = v->handle_held ? i == v->handle : i == v->handle_over;
            float away = HANDLE + 7;
            if (drawing->handles[i].quiet && !current)
                return;
            if (!drawing->handles[i].quiet) {
                viz_disc(canvas, d->handles[i].x, d->handles[i].y, HANDLE + 2, theme->ground);
                viz_disc(canvas, d->handles[i].x, d->handles[i].y, HANDLE, theme->accent);
                viz_disc(canvas, d->handles[i].x, d->handles[i].y, 2.5f, theme->ground);
            }
            if (is_movable_target(&drawing->handles[i].sets_x) &&
                is_movable_target(&drawing->handles[i].sets_y) && !current)
                return; /* where it goes anywhere, four would be much */
            for (int way = -1; way <= 1; way += 2) {
                if (is_movable_target(&drawing->handles[i].sets_x))
                    draw_chevron(canvas, d->handles[i].x + (float)way * away, d->handles[i].y,
                                 (float)way, 0, theme->accent);
                if (is_movable_target(&drawing->handles[i].sets_y))
                    draw_chevron(canvas, d->handles[i].x, d->handles[i].y + (float)way * away, 0,
                                 (float)way, theme->accent);
            }
        }
}

#define SMALL_WIDTH 340.0f /* units across a small drawing, … */
#define SMALL_BLOCK 760.0f /* … and across a transformer's, whose boxes have a least width */
#define NO_TEXT 0.01f

/* A unit is so much smaller then that lines and points are finer, too. */
void lesson_drawing_draw_small(lesson_view *v, viz_canvas *canvas, const sac_shown_lesson *lesson,
                               int step, viz_rect room)
{
    const sac_shown_lesson shown = v->lesson;
    const int shown_step = v->step, handle = v->handle_over;
    const lesson_drawing_layout laid = v->layout.drawing;
    const viz_rect block = v->layout.block;
    const float density = canvas->density, unit = v->layout.unit;
    const bool large = v->layout.block_large;
    v->lesson = *lesson;
    v->step = step;
    v->handle_over = -1;
    v->layout.unit = 1;
    const sac_lesson_drawing *drawing = &lesson->drawings[lesson->steps[step].drawing - 1];
    const float scale = (drawing->kind == SAC_DRAWS_BLOCK ? SMALL_BLOCK : SMALL_WIDTH) / room.w;
    canvas->density = density / scale;
    const viz_pixels clip = canvas->frame = canvas->clip; /* of what lies around */
    canvas->has_frame = true;
    v->layout.drawing = (lesson_drawing_layout){
        .room = {room.x * scale, room.y * scale, room.w * scale, room.h * scale},
        .text = NO_TEXT,
        .beat = -1};
    const lesson_drawing_class *class = lesson_drawing_kinds[drawing->kind];
    class->lay(v, canvas, drawing);
    if (class->spare) { /* in the middle */
        const float spare = class->spare(v, canvas, drawing);
        v->layout.drawing.room.x += spare / 2;
        v->layout.drawing.room.w -= spare;
        class->lay(v, canvas, drawing);
    }
    class->draw(v, canvas, drawing);
    if (drawing->kind == SAC_DRAWS_BLOCK)
        lesson_block_draw(v, canvas);
    canvas->has_frame = false;
    canvas->clip = clip;
    canvas->density = density;
    v->lesson = shown;
    v->step = shown_step;
    v->handle_over = handle;
    v->layout.unit = unit;
    v->layout.drawing = laid;
    v->layout.block = block;
    v->layout.block_large = large;
}

/* ---------------------------------------------------------------- a hand */

/* The handle at a place: the nearest; of those that are as near the one that was taken last. */
static int handle_at(const lesson_view *v, float x, float y)
{
    const sac_lesson_drawing *drawing = lesson_drawing(v);
    const lesson_handle *handles = v->layout.drawing.handles;
    int found = -1;
    float least = INFINITY;
    for (int i = 0; drawing && v->layout.drawing.room.w > 0 && i < drawing->handle_count; i++) {
        float way = hypotf(x - handles[i].x, y - handles[i].y) - (i == v->handle ? REACH : 0);
        if (viz_inside(handles[i].rect, x, y) && way < least) {
            found = i;
            least = way;
        }
    }
    return found;
}

/* A number that is set has steps of about a pixel: a command that is copied is short. */
static void set_target(lesson_view *v, const sac_drawing_target *target, float at, float pixel)
{
    float value = at - lesson_operand_value(v, target->origin, 0), step = viz_round_step(pixel, 1);
    value = target->power ? powf(fmaxf(value, 1e-6f), target->power) : step * rintf(value / step);
    for (int i = 0; target->parameter && i < v->lesson.parameter_count; i++)
        if (!strcmp(v->lesson.parameters[i].name, target->parameter))
            lesson_set_parameter(v, i, value);
    if (!target->number.array)
        return;
    char name[LESSON_CELL_NAME];
    lesson_cell cell = {target->number.array, target->number.cell};
    lesson_request_setting(v, lesson_cell_name(v, cell, name, sizeof name), value, false);
}

static bool drag(lesson_view *v, float x, float y)
{
    const sac_lesson_drawing *drawing = lesson_drawing(v);
    if (!drawing || v->handle < 0 || v->handle >= drawing->handle_count)
        return false;
    const sac_drawing_handle *handle = &drawing->handles[v->handle];
    const lesson_drawing_class *class = lesson_drawing_kinds[drawing->kind];
    float at_x, at_y, next_x, next_y;
    if (class->drag) {
        class->drag(v, drawing, x, y);
        return true;
    }
    class->at(v, handle, x, y, &at_x, &at_y);
    class->at(v, handle, x - 1, y - 1, &next_x, &next_y);
    if (next_x == at_x || next_y == at_y) /* at an edge */
        class->at(v, handle, x + 1, y + 1, &next_x, &next_y);
    set_target(v, &handle->sets_x, at_x, fmaxf(fabsf(next_x - at_x), 1e-6f));
    set_target(v, &handle->sets_y, at_y, fmaxf(fabsf(next_y - at_y), 1e-6f));
    return true;
}

bool lesson_drawing_event(lesson_view *v, const viz_event *e)
{
    const lesson_drawing_layout *d = &v->layout.drawing;
    if (e->kind == VIZ_PRESS && e->button == 1 && viz_inside(d->turn, e->x, e->y))
        return lesson_turn_shown(v, 1);
    int handle = e->kind == VIZ_PRESS && e->button == 1 ? handle_at(v, e->x, e->y) : -1;
    if (handle >= 0) {
        v->handle = handle;
        v->handle_held = true;
        v->grip_x = d->handles[handle].x - e->x;
        v->grip_y = d->handles[handle].y - e->y;
        memcpy(v->held_panels, d->panels, sizeof v->held_panels);
        return true;
    }
    if (e->kind == VIZ_MOVE && v->handle_held)
        return drag(v, e->x + v->grip_x, e->y + v->grip_y);
    const sac_lesson_drawing *drawing = d->room.w > 0 ? lesson_drawing(v) : NULL;
    if (drawing && lesson_drawing_kinds[drawing->kind]->event && !v->handle_held &&
        lesson_drawing_kinds[drawing->kind]->event(v, e, drawing))
        return true;
    if (e->kind == VIZ_MOVE || e->kind == VIZ_LEAVE) {
        int over = e->kind == VIZ_MOVE ? handle_at(v, e->x, e->y) : -1;
        bool changed = over != v->handle_over;
        v->handle_over = over;
        return changed && over >= 0;
    }
    bool was_held = v->handle_held;
    v->handle_held &= e->kind != VIZ_RELEASE && e->kind != VIZ_KEY;
    return was_held && e->kind == VIZ_RELEASE;
}

void lesson_drawing_spots(const lesson_view *v, viz_spots *spots)
{
    const lesson_drawing_layout *d = &v->layout.drawing;
    const sac_lesson_drawing *drawing = lesson_drawing(v);
    viz_spots_add_press(spots, d->turn, "=", "The drawing, the numbers, or both.");
    if (drawing && d->room.w > 0 && lesson_drawing_kinds[drawing->kind]->spots)
        lesson_drawing_kinds[drawing->kind]->spots(v, drawing, spots);
    for (int i = 0; drawing && d->room.w > 0 && i < drawing->handle_count; i++) {
        const sac_drawing_handle *handle = &drawing->handles[i];
        int before = spots->count;
        viz_spots_add(spots, d->handles[i].rect, VIZ_SPOT_SLIDES, lesson_text(v, handle->does));
        if (spots->count == before)
            continue;
        viz_spot *spot = &spots->items[before];
        float stride = d->handles[i].stride > 0 ? d->handles[i].stride : 0.6f * REACH;
        spot->moves = d->handles[i].id > 0 ? d->handles[i].id : i + 1;
        spot->knob = d->handles[i].x;
        spot->knob_y = d->handles[i].y;
        spot->stride = is_movable_target(&handle->sets_x) ? stride : 0;
        spot->stride_y = is_movable_target(&handle->sets_y) ? stride : 0;
    }
}
