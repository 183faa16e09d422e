/* Lays out a page of a lesson: title and steps on top, then the sentence and the formula, the
 * arrays, the arithmetic of one number and a hint; the controls below. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "canvas/text.h"
#include "lesson/lesson_state.h"
#include "parts/pages/paragraph.h"
#include "parts/pages/steps.h"

#define LEAST_TEXT 12.0f
#define TITLE 28.0f
#define NAMES 16.0f
#define SENTENCE 21.0f
#define FORMULA 20.0f
#define LABEL 14.0f
#define NUMBER 24.0f
#define ARITHMETIC 19.0f
#define NOTICE 18.0f
#define MOST_LINES 4              /* of arithmetic */
#define LEAST_FOR_CONTROLS 420.0f /* the height of a page; in a lower one numbers come first */
#define LEAST_FOR_BOTH 500.0f     /* … and lines of PyTorch take the arithmetic's place */
#define SLIDER_WIDTH 190.0f
#define SWITCH_HEIGHT 26.0f

const char *lesson_back_text(const lesson_view *v)
{
    static const sac_text back = SAC_TEXT_IN("Lessons  ›", "课程  ›");
    return lesson_text(v, back);
}

const sac_text lesson_reset_text = SAC_TEXT_IN("changed · reset", "已改动 · 复原");

static float text_size(const lesson_layout *l, float size)
{
    return fmaxf(LEAST_TEXT, size * l->unit);
}

static void lay_head(lesson_view *v, const viz_canvas *canvas)
{
    lesson_layout *l = &v->layout;
    viz_turns *t = &l->turns;
    l->title_y = l->area.y + 20 * l->unit + l->title;
    float back = viz_text_width(canvas, VIZ_SANS, text_size(l, NAMES), lesson_back_text(v));
    if (!v->base.figure)
        l->back = (viz_rect){l->area.x, l->title_y - l->title, back, 1.3f * l->title};
    *t = (viz_turns){.current = v->step, .size = text_size(l, NAMES)};
    for (; t->count < v->lesson.step_count && t->count < VIZ_TURNS; t->count++)
        t->names[t->count] = lesson_text(v, v->lesson.steps[t->count].name);
    float y = l->title_y + 0.8f * t->size;
    float reset = v->wanted.settings[0] || v->wanted.text[0]
                      ? viz_text_width(canvas, VIZ_SANS, t->size, lesson_text(v, lesson_reset_text))
                      : 0;
    l->reset = (viz_rect){l->area.x + l->area.w - reset, y, reset, 1.7f * t->size};
    if (lesson_is_alone(v))
        t->count = 0;
    viz_turns_lay(t, canvas, l->area.x, y, l->area.w - reset - 20 * l->unit, 20 * l->unit);
    l->sentence_y = y + (lesson_is_alone(v) ? 0.5f : 2.9f) * t->size + l->sentence;
    float lines = viz_paragraph_height(canvas, VIZ_SANS, l->sentence, l->area.w,
                                       lesson_text(v, lesson_step(v)->sentence));
    l->formula_y = l->sentence_y + lines - 0.35f * l->sentence + 0.6f * l->formula;
}

/* ---------------------------------------------------------------- what can be changed */

static bool is_switch(const sac_lesson_parameter *p)
{
    return p->whole && p->low == 0 && p->high == 1;
}

static float control_width(const lesson_view *v, const viz_canvas *canvas,
                           const sac_lesson_parameter *p)
{
    float label = viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, lesson_text(v, p->label));
    return is_switch(p) ? label + 42 : fmaxf(SLIDER_WIDTH, label + 60);
}

static void lay_control(lesson_view *v, int i, viz_rect r)
{
    lesson_layout *l = &v->layout;
    const sac_lesson_parameter *p = &v->lesson.parameters[i];
    if (is_switch(p))
        l->switches[i] =
            (viz_rect){r.x, r.y + VIZ_SLIDER_HEIGHT - SWITCH_HEIGHT - 2, r.w, SWITCH_HEIGHT};
    else
        l->sliders[i] = (viz_slider){.rect = r,
                                     .label = lesson_text(v, p->label),
                                     .low = p->low,
                                     .high = p->high,
                                     .whole = p->whole,
                                     .logarithmic = p->low > 0 && p->high >= 50 * p->low};
}

/* Sliders and switches in lines; returns their height. */
static float lay_controls(lesson_view *v, const viz_canvas *canvas, float bottom)
{
    lesson_layout *l = &v->layout;
    const float gap = 32, line = VIZ_SLIDER_HEIGHT + 14;
    bool none = canvas->theme->presents || v->base.figure || l->area.h < LEAST_FOR_CONTROLS;
    int count = none ? 0 : v->lesson.parameter_count;
    float x[SAC_LESSON_PARAMETERS], at = 0;
    int lines[SAC_LESSON_PARAMETERS], last = 0;
    for (int i = 0; i < count; i++) {
        float w = control_width(v, canvas, &v->lesson.parameters[i]);
        if (at > 0 && at + w > l->area.w) {
            at = 0;
            last++;
        }
        x[i] = at;
        lines[i] = last;
        at += w + gap;
    }
    float height = count ? (float)(last + 1) * line : 0;
    l->control_count = count;
    l->controls = (viz_rect){l->area.x, bottom - height, l->area.w, height};
    for (int i = 0; i < count; i++)
        lay_control(v, i,
                    (viz_rect){l->area.x + x[i], l->controls.y + (float)lines[i] * line,
                               control_width(v, canvas, &v->lesson.parameters[i]),
                               VIZ_SLIDER_HEIGHT});
    return height;
}

/* ---------------------------------------------------------------- the arithmetic */

/* "weights[2,1] = exp(0.707) / …", "=" and "0.503" */
static void tell_arithmetic(const lesson_view *v, lesson_cell cell, const sac_arithmetic *a,
                            lesson_layout *l)
{
    char name[LESSON_CELL_NAME];
    size_t letters = strlen(lesson_array(v, cell.array)->name);
    lesson_cell_name(v, cell, name, sizeof name);
    snprintf(l->told, sizeof l->told, "%.*s[%s]%s%s", (int)letters, name, name + letters + 1,
             a->relation == SAC_GIVEN   ? ""
             : a->relation == SAC_GIVES ? ": "
                                        : " = ",
             a->expression && a->relation != SAC_GIVEN ? a->expression : "");
    snprintf(l->result, sizeof l->result, "%s", a->result);
    l->sign = sac_lesson_relation_sign(a->relation);
}

/* The result stays with its "=". */
static int lines_told(const lesson_layout *l, const viz_canvas *canvas)
{
    char text[sizeof l->told + sizeof l->result + 8];
    snprintf(text, sizeof text, "%s %s\u00a0%s", l->told, l->sign, l->result);
    return viz_paragraph_lines(canvas, VIZ_MONO, l->arithmetic, l->area.w, text);
}

/* Lines that the arithmetic of any cell of this step may take, so that the page stays as it is
 * while the pointer moves: of the last cell of each array. */
static int lines_of_arithmetic(lesson_view *v, const viz_canvas *canvas)
{
    lesson_layout *l = &v->layout;
    const sac_lesson_step *step = lesson_step(v);
    int most = 1;
    for (int i = 0; i < SAC_STEP_ARRAYS && step->arrays[i]; i++) {
        const sac_shown_array *array = lesson_array(v, step->arrays[i]);
        lesson_cell cell = {step->arrays[i], array->batch * array->rows * array->columns - 1};
        sac_arithmetic a = {0};
        v->lesson.arithmetic(v->lesson.self, cell.array, cell.cell, &a, NULL);
        tell_arithmetic(v, cell, &a, l);
        int lines = lines_told(l, canvas);
        most = lines > most ? lines : most;
        sac_arithmetic_free(&a);
    }
    return most < MOST_LINES ? most : MOST_LINES;
}

/* The text of the arithmetic, in letters small enough for the lines that it has; returns their
 * height, which is more where the least letters are too large. */
static float fit_arithmetic(lesson_view *v, const viz_canvas *canvas)
{
    lesson_layout *l = &v->layout;
    int usual = lines_of_arithmetic(v, canvas);
    float room = VIZ_LEADING * l->arithmetic * (float)usual;
    if (lesson_asks(v)) {
        lesson_tell_question(v, l->told, sizeof l->told);
        l->result[0] = '\0';
        l->sign = "";
    } else {
        tell_arithmetic(v, v->current, &v->arithmetic, l);
    }
    while (l->arithmetic > LEAST_TEXT &&
           VIZ_LEADING * l->arithmetic * (float)lines_told(l, canvas) > room)
        l->arithmetic = fmaxf(l->arithmetic - 0.5f, LEAST_TEXT);
    return fmaxf(room, VIZ_LEADING * l->arithmetic * (float)lines_told(l, canvas));
}

/* ---------------------------------------------------------------- the page */

static void lay_sizes(lesson_view *v, viz_rect area)
{
    lesson_layout *l = &v->layout;
    bool upright = area.h > 1.2f * area.w; /* sentences have two lines there, not smaller letters */
    float unit = fminf(area.w / (upright ? 800 : 1000), area.h / 756);
    float margin = viz_page_margin(area);
    if (lesson_is_alone(v)) { /* its height follows from its letters */
        unit = area.w / (area.w < 600 ? 800 : 1000);
        margin = VIZ_GAP;
    }
    *l = (lesson_layout){.unit = fminf(fmaxf(unit, 0.5f), 3)};
    l->area = (viz_rect){area.x + margin, area.y, area.w - 2 * margin, area.h};
    l->title = text_size(l, TITLE);
    l->sentence = text_size(l, SENTENCE);
    l->formula = text_size(l, FORMULA);
    l->label = text_size(l, LABEL);
    l->notice = text_size(l, NOTICE);
}

/* What to notice; while that would tell the answer, how to give it, and then the answer. */
static void tell_notice(lesson_view *v)
{
    lesson_layout *l = &v->layout;
    bool of_question = v->quiz && v->has_question && v->step == v->asked.question->step;
    l->noticed[0] = '\0';
    if (v->writes)
        lesson_tell_writing(v, l->noticed, sizeof l->noticed);
    else if (v->request.problem[0])
        snprintf(l->noticed, sizeof l->noticed, "%s", v->request.problem);
    else if (of_question && v->answered)
        lesson_tell_answer(v, l->noticed, sizeof l->noticed);
    else if (of_question)
        snprintf(l->noticed, sizeof l->noticed, "%s", lesson_how_to_answer(v));
    else if (!of_question)
        snprintf(l->noticed, sizeof l->noticed, "%s", lesson_text(v, lesson_step(v)->notice));
}

#define LEAST_DRAWING 0.4f /* the height that a drawing keeps, of the page's width */

/* The height of the arrays' area that neither they nor a drawing beside them need. */
static float spare_room(const lesson_layout *l)
{
    float drawing = l->drawing.room.w > 0 ? LEAST_DRAWING * l->area.w : 0;
    float bottom = l->room.y;
    for (int i = 0; i < l->block_count; i++)
        bottom = fmaxf(bottom, l->blocks[i].rect.y + l->blocks[i].rect.h);
    float spare = l->block_count ? l->blocks[0].rect.y - bottom + l->room.h : 0;
    return fminf(spare, drawing > 0 ? l->drawing.room.h - drawing : spare);
}

/* From `bottom` up: what to notice, the arithmetic, lines of code and doors, and what is left for
 * the arrays. */
static void lay_page(lesson_view *v, const viz_canvas *canvas, float bottom)
{
    lesson_layout *l = &v->layout;
    const char *notice = l->noticed;
    float gap = 18 * l->unit;
    l->arithmetic = text_size(l, ARITHMETIC);
    float notice_h = viz_paragraph_height(canvas, VIZ_SANS, l->notice, l->area.w, notice);
    l->notice_y = bottom - notice_h + 1.1f * l->notice;
    l->answer_y = l->notice_y;
    lesson_bar_lay(v);
    float arithmetic_h = l->untold ? 0 : fit_arithmetic(v, canvas);
    float top = bottom - notice_h - (notice[0] ? 0.7f * gap : 0) - arithmetic_h;
    l->arithmetic_y = top + l->arithmetic;
    float y = l->formula_y + (lesson_step(v)->formula ? 1.6f * gap : 0);
    float below = l->untold ? 0 : gap;
    float code = lesson_code_lay(v, canvas, (viz_rect){l->area.x, y, l->area.w, top - below - y});
    top -= code > 0 ? code + below : 0;
    float doors = lesson_doors_lay(v, canvas, (viz_rect){l->area.x, y, l->area.w, top - gap - y});
    top -= doors > 0 ? doors + gap : 0;
    float block = lesson_block_lay(v, (viz_rect){l->area.x, y, l->area.w, top - 2 * gap - y});
    y += block > 0 ? block + gap : 0;
    l->room = (viz_rect){l->area.x, y, l->area.w, top - gap - y};
    l->room = lesson_drawing_lay(v, canvas, l->room);
    lesson_cell looked_at[LESSON_LOOKED] = {v->current};
    size_t count = 1;
    for (size_t i = 0; i < v->arithmetic.count && count < LESSON_LOOKED; i++)
        looked_at[count++] =
            (lesson_cell){v->arithmetic.operands[i].array, v->arithmetic.operands[i].cell};
    lesson_arrays arrays = {&v->lesson,           v->step,    looked_at, count,
                            text_size(l, NUMBER), LEAST_TEXT, l->label,  44 * l->unit};
    l->block_count = 0;
    if (!l->drawing.alone)
        l->number = lesson_arrays_lay(&arrays, canvas, l->room, l->blocks, &l->block_count);
}

#define MOST_SPARE 6.0f /* gaps round the arrays; more is left below the page */

float lesson_lay(lesson_view *v, const viz_canvas *canvas, viz_rect area)
{
    lesson_layout *l = &v->layout;
    lay_sizes(v, area);
    lay_head(v, canvas);
    float gap = 18 * l->unit, bottom = area.y + area.h - gap;
    bottom -= lay_controls(v, canvas, bottom);
    bottom -= l->control_count ? gap : 0;
    tell_notice(v);
    l->untold = lesson_code_shown(v) && l->area.h < LEAST_FOR_BOTH;
    if (l->untold)
        l->noticed[0] = '\0';
    l->untold |= lesson_drawing_alone(v);
    lay_page(v, canvas, bottom);
    float spare = fmaxf(spare_room(l) - (lesson_is_alone(v) ? 2 : MOST_SPARE) * gap, 0);
    if (spare > 0)
        lay_page(v, canvas, bottom - spare);
    return spare;
}
