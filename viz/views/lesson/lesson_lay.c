/* Lays out a page of a lesson: title and steps on top, then the sentence and the formula, the
 * arrays, the arithmetic of one number and a hint; the controls below. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/colormap.h"
#include "canvas/text.h"
#include "lesson/lesson_state.h"
#include "parts/pages/paragraph.h"
#include "parts/pages/steps.h"

/* ---------------------------------------------------------------- the lines of PyTorch */

#define SIZE 16.0f
#define CODE_LINE 1.4f
#define CODE_INSET 0.7f /* round the lines, in sizes of the text */

/* NULL: none is */
static const char *lesson_code_shown(const lesson_view *v)
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

/* Lays out the lines along the lower edge of `room`; returns their height. */
static float lesson_code_lay(lesson_view *v, const viz_canvas *canvas, viz_rect room)
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

void lesson_code_draw(const lesson_view *v, viz_canvas *canvas)
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

const char *lesson_take_copied_code(viz_view *view)
{
    lesson_view *v = lesson_of(view);
    bool asked = v->code_copied && v->known;
    v->code_copied = false;
    return asked ? lesson_code_shown(v) : NULL;
}

/* ---------------------------------------------------------------- the doors of a step: names that open another lesson
 * or a view, each with its command */

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

/* Lays them out along the lower edge of `room`; returns their height. */
static float lesson_doors_lay(lesson_view *v, const viz_canvas *canvas, viz_rect room)
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

void lesson_doors_draw(const lesson_view *v, viz_canvas *canvas)
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

bool lesson_mark_or_open_door(lesson_view *v, int step)
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

/* ---------------------------------------------------------------- sizes */

#define LEAST_TEXT 12.0f
#define TITLE 28.0f
#define NAMES 16.0f
#define SENTENCE 21.0f
#define FORMULA 20.0f
#define LABEL 14.0f
#define NUMBER 28.0f
#define PRESENTED_NUMBER 1.6f /* of that at most, where arrays leave room */
#define ON_SHEET 10.0f /* a number of a handout, which has two steps on a sheet where they fit */
#define ARITHMETIC 19.0f
#define NOTICE 18.0f
#define MOST_LINES 4          /* of arithmetic, … */
#define LOW_LINES 2           /* … and on a low page, where the others are rows of the arrays */
#define LEAST_FOR_BOTH 500.0f /* … and lines of PyTorch take the arithmetic's place */
#define SLIDER_WIDTH 190.0f
#define PRESENTED_SLIDER_WIDTH 140.0f
#define SWITCH_HEIGHT 26.0f

const char *lesson_back_text(const lesson_view *v)
{
    return lesson_text(v, "Lessons  ›");
}

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
    *t = (viz_turns){.current = v->ends ? v->lesson.step_count : v->step,
                     .size = text_size(l, NAMES)};
    for (; t->count < v->lesson.step_count; t->count++)
        t->names[t->count] = lesson_text(v, v->lesson.steps[t->count].name);
    if (!v->base.figure)
        t->names[t->count++] = lesson_text(v, "end");
    float y = l->title_y + 0.8f * t->size;
    float reset = (v->wanted.settings[0] || v->wanted.text[0]) && !v->draws.on
                      ? viz_text_width(canvas, VIZ_SANS, t->size, lesson_text(v, "changed · reset"))
                      : 0;
    bool presents = t->leads = canvas->theme->presents && !v->base.figure;
    float buttons = presents ? lesson_head_buttons_width(v, canvas, t->size) : 0;
    l->head_right = l->area.x + l->area.w;
    l->reset = (viz_rect){l->head_right - buttons - reset, y, reset, 1.7f * t->size};
    if (lesson_is_alone(v))
        t->count = 0;
    viz_turns_lay(t, canvas, l->area.x, y, l->area.w - buttons - reset - 20 * l->unit,
                  20 * l->unit);
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
    const bool presents = canvas->theme->presents; /* where a line more is a row of numbers less */
    float least = presents ? PRESENTED_SLIDER_WIDTH : SLIDER_WIDTH;
    return is_switch(p) ? label + 42 : fmaxf(least, label + (presents ? 44 : 60));
}

/* What changes nothing of a step has no room on a page that is presented. */
static bool has_control(const lesson_view *v, const viz_canvas *canvas, int i)
{
    return !canvas->theme->presents || !lesson_is_idle(v, i);
}

/* Sliders and switches in lines; returns their height. */
static float lay_controls(lesson_view *v, const viz_canvas *canvas, float bottom)
{
    lesson_layout *l = &v->layout;
    bool presents = canvas->theme->presents;
    const float gap = presents ? 20 : 32, line = VIZ_SLIDER_HEIGHT + (presents ? 0 : 14);
    bool none = v->base.figure || (l->area.h < LESSON_LOW_PAGE && !presents);
    int count = none ? 0 : v->lesson.parameter_count;
    float x[SAC_LESSON_PARAMETERS], at = 0;
    int lines[SAC_LESSON_PARAMETERS], last = 0;
    for (int i = 0; i < count; i++) {
        if (!has_control(v, canvas, i))
            continue;
        float w = control_width(v, canvas, &v->lesson.parameters[i]);
        if (at > 0 && at + w > l->area.w) {
            at = 0;
            last++;
        }
        x[i] = at;
        lines[i] = last;
        at += w + gap;
    }
    float height = at > 0 ? (float)(last + 1) * line : 0;
    l->control_count = count;
    l->controls = (viz_rect){l->area.x, bottom - height, l->area.w, height};
    for (int i = 0; i < count; i++) {
        if (!has_control(v, canvas, i))
            continue;
        viz_rect r =
            (viz_rect){l->area.x + x[i], l->controls.y + (float)lines[i] * line,
                       control_width(v, canvas, &v->lesson.parameters[i]), VIZ_SLIDER_HEIGHT};
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
                                         .idle = lesson_is_idle(v, i),
                                         .logarithmic = p->low > 0 && p->high >= 50 * p->low};
    }
    return height;
}

/* ---------------------------------------------------------------- the arithmetic */

/* "weights[2,1] = exp(0.707) / …", "=" and "0.503" */
static void compose_arithmetic(const lesson_view *v, lesson_cell cell, const sac_arithmetic *a,
                               lesson_layout *l)
{
    char name[LESSON_CELL_NAME];
    size_t letters = strlen(lesson_array(v, cell.array)->name);
    lesson_cell_name(v, cell, name, sizeof name);
    snprintf(l->equation, sizeof l->equation, "%.*s[%s]%s%s", (int)letters, name,
             name + letters + 1,
             a->relation == SAC_GIVEN   ? ""
             : a->relation == SAC_GIVES ? ": "
                                        : " = ",
             a->expression && a->relation != SAC_GIVEN ? a->expression : "");
    snprintf(l->result, sizeof l->result, "%s", a->result);
    l->sign = sac_lesson_relation_sign(a->relation);
}

/* The result stays with its "=". */
static int count_arithmetic_lines(const lesson_layout *l, const viz_canvas *canvas)
{
    char text[sizeof l->equation + sizeof l->result + 8];
    snprintf(text, sizeof text, "%s %s\u00a0%s", l->equation, l->sign, l->result);
    return viz_paragraph_lines(canvas, VIZ_MONO, l->arithmetic, l->area.w, text);
}

static int most_arithmetic_lines(const lesson_layout *l)
{
    return l->area.h < LESSON_LOW_PAGE ? LOW_LINES : MOST_LINES;
}

/* Leaves out the last terms, "exp(0.1) / (exp(0.1) + exp(0.2) + …)", until it has so many lines. */
static void shorten_equation(lesson_layout *l, const viz_canvas *canvas, int lines)
{
    char all[sizeof l->equation];
    snprintf(all, sizeof all, "%s", l->equation);
    for (size_t end = strlen(all); count_arithmetic_lines(l, canvas) > lines;) {
        while (end > 0 && strncmp(all + end, " + ", 3) && strncmp(all + end, " - ", 3))
            end--;
        if (end == 0)
            return;
        int open = 0;
        for (size_t i = 0; i < end; i++)
            open += (all[i] == '(') - (all[i] == ')');
        size_t used = (size_t)snprintf(l->equation, sizeof l->equation, "%.*s + …", (int)end, all);
        while (open-- > 0 && used + 1 < sizeof l->equation)
            used += (size_t)snprintf(l->equation + used, sizeof l->equation - used, ")");
        end--;
    }
}

/* The text of the arithmetic, in letters small enough for the lines that it has; returns their
 * height, which is more where the least letters are too large. With `usual` that of any cell. */
static float fit_arithmetic(lesson_view *v, const viz_canvas *canvas, bool usual)
{
    lesson_layout *l = &v->layout;
    /* Lines that the arithmetic of any cell of this step may take, so that the page stays as it is
     * while the pointer moves: of the last cell of each array. */
    const sac_lesson_step *step = lesson_step(v);
    int most = 1;
    for (int i = 0; i < SAC_STEP_ARRAYS && step->arrays[i]; i++) {
        const sac_shown_array *array = lesson_array(v, step->arrays[i]);
        lesson_cell cell = {step->arrays[i], array->batch * array->rows * array->columns - 1};
        sac_arithmetic a = {0};
        v->lesson.arithmetic(v->lesson.self, cell.array, cell.cell, &a, NULL);
        compose_arithmetic(v, cell, &a, l);
        int lines = count_arithmetic_lines(l, canvas);
        most = lines > most ? lines : most;
        sac_arithmetic_free(&a);
    }
    float room = VIZ_LEADING * l->arithmetic *
                 (float)(most < most_arithmetic_lines(l) ? most : most_arithmetic_lines(l));
    if (usual)
        return room;
    if (lesson_asks(v)) {
        lesson_write_question(v, l->equation, sizeof l->equation);
        l->result[0] = '\0';
        l->sign = "";
    } else {
        compose_arithmetic(v, v->current, &v->arithmetic, l);
    }
    while (l->arithmetic > LEAST_TEXT &&
           VIZ_LEADING * l->arithmetic * (float)count_arithmetic_lines(l, canvas) > room)
        l->arithmetic = fmaxf(l->arithmetic - 0.5f, LEAST_TEXT);
    if (!lesson_asks(v) && l->area.h < LESSON_LOW_PAGE)
        shorten_equation(l, canvas, most_arithmetic_lines(l));
    return fmaxf(room, VIZ_LEADING * l->arithmetic * (float)count_arithmetic_lines(l, canvas));
}

/* ---------------------------------------------------------------- the page */

static void lay_sizes(lesson_view *v, viz_rect area)
{
    lesson_layout *l = &v->layout;
    bool upright = area.h > 1.2f * area.w; /* sentences have two lines there, not smaller letters */
    float unit = fminf(area.w / (upright ? 800 : 1000), area.h / 756);
    float margin = viz_page_margin(area);
    if (v->base.figure) { /* its height follows from its letters */
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

#define QUESTION                                                                                   \
    1.2f /* the size of a question, in that of the sentence, which is the largest text but the title */

/* What to notice; while that would give away the answer, how to give it, and then the answer. With
 * `usual` the text for when nothing is asked or typed. */
static void compose_notice(lesson_view *v, bool usual)
{
    lesson_layout *l = &v->layout;
    bool of_question = v->quiz && v->has_question && v->step == v->asked.question->step;
    l->noticed[0] = '\0';
    if (usual)
        snprintf(l->noticed, sizeof l->noticed, "%s", lesson_text(v, lesson_step(v)->notice));
    else if (v->writes) {
        /* A sentence of a person's own, while it is typed. */
        snprintf(l->noticed, (sizeof l->noticed), "%s %s▏  %s", lesson_text(v, "Your sentence:"),
                 v->written, lesson_text(v, "Return takes it, Esc lets it be."));
    } else if (v->request.problem[0])
        snprintf(l->noticed, sizeof l->noticed, "%s", v->request.problem);
    else if (v->card.asked)
        return; /* the question stands on its card */
    else if (of_question && v->answered)
        lesson_write_answer(v, l->noticed, sizeof l->noticed);
    else if (of_question)
        snprintf(l->noticed, sizeof l->noticed, "%s", lesson_how_to_answer(v));
    else if (!of_question)
        snprintf(l->noticed, sizeof l->noticed, "%s", lesson_text(v, lesson_step(v)->notice));
}

/* Where it begins. */
static float lay_card(lesson_view *v, const viz_canvas *canvas, float bottom)
{
    const lesson_layout *l = &v->layout;
    float size = fminf(l->sentence, 24), x = l->area.x, w = fminf(l->area.w, 60 * size);
    float height = lesson_card_lay(v, canvas, &v->card, x, 0, w, size);
    lesson_card_lay(v, canvas, &v->card, x, bottom - height, w, size);
    return bottom - height;
}

/* From `bottom` up: what to notice, the arithmetic, lines of code and doors, and what is left for
 * the arrays. */
static void lay_page_from_bottom(lesson_view *v, const viz_canvas *canvas, float bottom, bool usual)
{
    lesson_layout *l = &v->layout;
    const char *notice = l->noticed;
    float gap = 18 * l->unit;
    l->arithmetic = lesson_asks(v) ? QUESTION * l->sentence : text_size(l, ARITHMETIC);
    if (v->card.asked)
        bottom = lay_card(v, canvas, bottom) - gap;
    bool judged = v->answered && !v->card.asked && v->step == v->asked.question->step;
    l->notice_x = judged ? 1.6f * l->notice : 0;
    float notice_h =
        viz_paragraph_height(canvas, VIZ_SANS, l->notice, l->area.w - l->notice_x, notice);
    l->notice_y = bottom - notice_h + 1.1f * l->notice;
    l->answer_y = l->notice_y;
    lesson_bar_lay(v);
    float arithmetic_h = l->unmentioned || v->card.asked ? 0 : fit_arithmetic(v, canvas, usual);
    float above = l->bar.w > 0 ? 1.3f * gap : notice[0] ? 0.7f * gap : 0; /* the bar has numbers */
    float top = bottom - notice_h - above - arithmetic_h;
    l->arithmetic_y = top + l->arithmetic;
    float y = l->formula_y + (lesson_step(v)->formula ? 1.6f * gap : 0);
    float below = l->unmentioned ? 0 : gap;
    float code = lesson_code_lay(v, canvas, (viz_rect){l->area.x, y, l->area.w, top - below - y});
    top -= code > 0 ? code + below : 0;
    float doors = lesson_doors_lay(v, canvas, (viz_rect){l->area.x, y, l->area.w, top - gap - y});
    top -= doors > 0 ? doors + gap : 0;
    float block = lesson_block_lay(v, (viz_rect){l->area.x, y, l->area.w, top - 2 * gap - y});
    y += block > 0 ? block + gap : 0;
    l->room = (viz_rect){l->area.x, y, l->area.w, top - gap - y};
    l->room = lesson_drawing_lay(v, canvas, l->room);
}

float lesson_lay_head(lesson_view *v, const viz_canvas *canvas, viz_rect area)
{
    lay_sizes(v, area);
    lay_head(v, canvas);
    return v->layout.sentence_y - v->layout.sentence;
}

/* All of the step's page but its arrays; returns its bottom. */
static float lay_all_but_arrays(lesson_view *v, const viz_canvas *canvas, viz_rect area, bool usual)
{
    lesson_layout *l = &v->layout;
    lay_sizes(v, area);
    lay_head(v, canvas);
    float gap = 18 * l->unit, bottom = area.y + area.h - gap;
    bottom -= lay_controls(v, canvas, bottom);
    bottom -= l->controls.h > 0 ? gap : 0;
    compose_notice(v, usual);
    l->unmentioned = lesson_code_shown(v) && l->area.h < LEAST_FOR_BOTH;
    if (l->unmentioned)
        l->noticed[0] = '\0';
    /* No number of the step is made of others: on a low page rows come before a line that adds nothing. */
    bool given = v->layout.area.h < LESSON_LOW_PAGE && !lesson_asks(v);
    for (int i = 0; i < SAC_STEP_ARRAYS && lesson_step(v)->arrays[i] && given; i++) {
        sac_arithmetic a = {0};
        v->lesson.arithmetic(v->lesson.self, lesson_step(v)->arrays[i], 0, &a, NULL);
        given = a.relation == SAC_GIVEN;
        sac_arithmetic_free(&a);
    }
    l->unmentioned |= lesson_drawing_alone(v) || given;
    lay_page_from_bottom(v, canvas, bottom, usual);
    return bottom;
}

/* ---------------------------------------------------------------- the arrays */

#define MOST_SPARE 6.0f /* gaps round the arrays; more is left below the page */
#define MOST_HOLE 9.0f  /* gaps below arrays that are lower than those of other steps */
#define ABOVE 0.35f     /* of the room that is left: small arrays stand a little above the middle */
#define ALIKE 0.7f      /* of its own room a step has at least, where all steps have one */

static void copy_spread_to_layout(lesson_layout *l, const lesson_spread *spread)
{
    memcpy(l->blocks, spread->blocks, sizeof l->blocks);
    memcpy(l->past, spread->past, sizeof l->past);
    l->block_count = spread->count;
    l->past_count = spread->past_count;
    l->number = spread->number;
}

/* The arrays keep their places, and have the digits and colours of the numbers that they hold by now. */
static void renew_planned_numbers(lesson_view *v)
{
    for (int s = 0; s < v->lesson.step_count; s++)
        for (int i = 0; i < SAC_STEP_ARRAYS + LESSON_PAST; i++) {
            lesson_spread *spread = &v->plan.spreads[s];
            bool past = i >= SAC_STEP_ARRAYS;
            lesson_block *b = past ? &spread->past[i - SAC_STEP_ARRAYS] : &spread->blocks[i];
            if (past ? i - SAC_STEP_ARRAYS >= spread->past_count : i >= spread->count)
                continue;
            const sac_shown_array *array = lesson_array(v, b->node);
            for (int d = 0; d <= LESSON_MOST_DECIMALS; d++)
                b->formats[d] = lesson_format_of(array, d);
            b->format = b->formats[b->decimals];
            b->most = lesson_heat_of(array, v->map).most;
        }
    v->plan.key.taught = v->taught;
}

#define LEAST_FOR_ARRAYS 90.0f /* above the choices of a question */
#define LEAST_DRAWING 0.4f     /* the height that a drawing keeps, of the page's width */

/* The page of a step by itself, down to `bottom`; returns the height below that it leaves empty. */
static float lay_single_step(lesson_view *v, const viz_canvas *canvas, const lesson_arrays *arrays,
                             float bottom)
{
    lesson_layout *l = &v->layout;
    lesson_spread spread;
    if (v->card.asked && l->room.h < LEAST_FOR_ARRAYS) {
        l->block_count = l->past_count = 0;
        return 0;
    }
    if (l->drawing.alone)
        return fmaxf(l->drawing.room.h - LEAST_DRAWING * l->area.w, 0);
    lesson_spread_one(arrays, canvas, l->room, v->step, &spread);
    float gaps = 18 * l->unit * (lesson_is_alone(v) ? 2 : v->base.figure ? 1 : MOST_SPARE);
    float left = lesson_spread_height_below(&spread, l->room), spare = left - gaps;
    if (l->drawing.room.w > 0 && !l->drawing.below)
        spare = fminf(spare, l->drawing.room.h - LEAST_DRAWING * l->area.w);
    if (spare > 0) {
        lay_page_from_bottom(v, canvas, bottom - spare, false);
        lesson_spread_one(arrays, canvas, l->room, v->step, &spread);
        left = lesson_spread_height_below(&spread, l->room);
    }
    lesson_spread_move_down(&spread, ABOVE * fmaxf(left, 0));
    copy_spread_to_layout(l, &spread);
    return fmaxf(spare, 0);
}

#define MOST_YIELDS 4
#define LEAST_SHOWN 0.5f /* of the cells … */
#define LEAST_BESIDE                                                                               \
    0.65f /* … and beside a drawing, presented, before it has the page or they have it */

/* As if the drawing beside its arrays had made room so many times; returns the part of the cells that is
 * shown. */
static float lay_narrowed_drawing(lesson_view *v, const viz_canvas *canvas, viz_rect area,
                                  const lesson_arrays *arrays, int yields, bool *cut)
{
    lesson_spread spread;
    size_t shown = 0, all = 0;
    v->plan.yields[v->step] = yields;
    lay_all_but_arrays(v, canvas, area, true);
    lesson_spread_one(arrays, canvas, v->layout.room, v->step, &spread);
    for (int i = 0; i < spread.count; i++) {
        const lesson_block *b = &spread.blocks[i];
        const sac_shown_array *array = lesson_array(v, b->node);
        shown += b->batches * b->rows * b->columns;
        all += array->batch * array->rows * array->columns;
    }
    *cut = spread.cut;
    return all ? (float)shown / (float)all : 1;
}

/* Lays out the arrays of all steps: in one room, where each step has nearly all of it. */
static void make_plan(lesson_view *v, const viz_canvas *canvas, viz_rect area,
                      const lesson_arrays *arrays)
{
    lesson_plan *plan = &v->plan;
    int step = v->step, count = v->lesson.step_count;
    viz_rect common = {-1e6f, -1e6f, 2e6f, 2e6f};
    viz_rect rooms[SAC_LESSON_STEPS];
    bool in_common[SAC_LESSON_STEPS] = {0};
    float left = INFINITY, most_spare = MOST_SPARE * 18 * v->layout.unit;
    bool drawn = false; /* a drawing has all the height that there is, and begins with the arrays */
    for (v->step = 0; v->step < count; v->step++) {
        /* The page of a step. A drawing makes room for arrays that would be cut, if that helps; where there is
         * none for both, and little of the arrays would be seen, it is there alone. */
        const lesson_layout *l = &v->layout;
        bool cut = false, *alone = &v->plan.alone[v->step];
        *alone = v->plan.crowded[v->step] = false;
        float most = lay_narrowed_drawing(v, canvas, area, arrays, 0, &cut);
        int best = 0, yields = 0;
        while (cut && yields < MOST_YIELDS && lesson_drawing_can_narrow(v, canvas)) {
            float shown = lay_narrowed_drawing(v, canvas, area, arrays, ++yields, &cut);
            best = shown > most ? yields : best;
            most = fmaxf(shown, most);
        }
        if (yields != best)
            lay_narrowed_drawing(v, canvas, area, arrays, yields = best, &cut);
        if (canvas->theme->presents && v->layout.drawing.beside &&
            (most < LEAST_BESIDE || !lesson_drawing_is_legible(v))) {
            v->plan.crowded[v->step] = true;
            most = lay_narrowed_drawing(v, canvas, area, arrays, 0, &cut);
        }
        *alone = most < LEAST_SHOWN && lesson_drawing(v) && v->shown == LESSON_BOTH &&
                 !l->drawing.both && l->block.h <= 0;
        if (*alone)
            lay_narrowed_drawing(v, canvas, area, arrays, v->plan.yields[v->step], &cut);
        plan->rooms[v->step] = v->layout.room;
        if (!v->layout.drawing.alone) {
            float x = fmaxf(common.x, v->layout.room.x), y = fmaxf(common.y, v->layout.room.y);
            common = (viz_rect){
                x, y, fminf(common.x + common.w, v->layout.room.x + v->layout.room.w) - x,
                fminf(common.y + common.h, v->layout.room.y + v->layout.room.h) - y};
        }
        drawn |= v->layout.drawing.room.w > 0;
    }
    v->step = step;
    for (int i = 0; i < count; i++) {
        const viz_rect *own = &plan->rooms[i];
        in_common[i] = common.w >= ALIKE * own->w && common.h >= ALIKE * own->h && own->h > 0;
        rooms[i] = in_common[i] ? common : *own;
    }
    lesson_spread_all(arrays, canvas, rooms, plan->spreads);
    for (int i = 0; i < count; i++)
        if (in_common[i] && plan->spreads[i].cut) { /* there is no room to give away */
            in_common[i] = false;
            lesson_spread_one(arrays, canvas, plan->rooms[i], i, &plan->spreads[i]);
        }
    for (int i = 0; i < count; i++)
        if (in_common[i])
            left = fminf(left, fmaxf(lesson_spread_height_below(&plan->spreads[i], common), 0));
    for (int i = 0; i < count; i++) {
        lesson_spread *spread = &plan->spreads[i];
        plan->rooms[i] = in_common[i] ? common : plan->rooms[i];
        float own = fmaxf(lesson_spread_height_below(spread, plan->rooms[i]), 0);
        float free = in_common[i] ? left : own, spare = drawn ? 0 : fmaxf(free - most_spare, 0);
        plan->rooms[i].h -= spare;
        plan->down[i] = drawn ? 0 : ABOVE * fminf(free, most_spare);
        lesson_spread_move_down(spread, plan->down[i]);
    }
}

float lesson_lay(lesson_view *v, const viz_canvas *canvas, viz_rect area)
{
    lesson_layout *l = &v->layout;
    lesson_cell looked_at[LESSON_LOOKED] = {v->current};
    size_t count = 1;
    for (size_t i = 0; i < v->arithmetic.count && count < LESSON_LOOKED; i++)
        looked_at[count++] =
            (lesson_cell){v->arithmetic.operands[i].array, v->arithmetic.operands[i].cell};
    lay_sizes(v, area);
    const bool handout = v->base.figure && v->pages == LESSON_ALL_PAGES,
               presents = canvas->theme->presents && !v->base.figure;
    lesson_arrays arrays = {&v->lesson,
                            looked_at,
                            count,
                            handout ? ON_SHEET
                                    : text_size(l, NUMBER) * (presents ? PRESENTED_NUMBER : 1),
                            handout ? ON_SHEET : LEAST_TEXT,
                            l->label,
                            (handout ? 30 : 44) * l->unit,
                            v->language,
                            handout ? ON_SHEET : text_size(l, NUMBER)};
    /* Another number where arrays are shown, or have other sizes. */
    uint64_t shapes = 0xcbf29ce484222325;
    for (int s = 0; s < v->lesson.step_count; s++)
        for (int i = 0; i < SAC_STEP_ARRAYS; i++) {
            sac_node node = v->lesson.steps[s].arrays[i];
            const sac_shown_array *a = node ? &v->lesson.arrays[node - 1] : NULL;
            const size_t of[] = {(size_t)node, a ? a->batch : 0, a ? a->rows : 0,
                                 a ? a->columns : 0};
            for (size_t k = 0; k < sizeof of / sizeof *of; k++)
                shapes = (shapes ^ of[k]) * 0x100000001b3;
        }
    const struct lesson_plan_key key = {
        v->taught,     shapes,         area,
        canvas->theme, v->language,    v->shown,
        v->codes,      lesson_asks(v), v->wanted.settings[0] || v->wanted.text[0]};
    bool alone = v->base.figure || v->card.asked; /* and not in the places of all steps */
    const struct lesson_plan_key *k = &v->plan.key;
    /* What was dragged keeps its place when it is let go, too. */
    bool dragged = lesson_is_dragged(v), goes_on = k->taught && (dragged || v->plan.kept);
    bool holds = (goes_on || key.taught == k->taught) && key.shapes == k->shapes &&
                 key.area.x == k->area.x && key.area.y == k->area.y && key.area.w == k->area.w &&
                 key.area.h == k->area.h && key.theme == k->theme && key.language == k->language &&
                 key.shown == k->shown && key.codes == k->codes && key.asks == k->asks &&
                 (goes_on || key.changed == k->changed);
    if (!alone && !holds) {
        make_plan(v, canvas, area, &arrays);
        v->plan.key = key;
    }
    v->plan.kept = holds && goes_on;
    if (v->plan.kept && !dragged && k->taught != key.taught)
        renew_planned_numbers(v);
    v->drawn_below = false;
    float bottom = lay_all_but_arrays(v, canvas, area, false);
    lesson_spread cut;
    if (v->base.figure && l->drawing.beside) { /* where it leaves the arrays no room */
        lesson_spread_one(&arrays, canvas, l->room, v->step, &cut);
        v->drawn_below = cut.cut;
        if (cut.cut)
            bottom = lay_all_but_arrays(v, canvas, area, false);
    }
    viz_rect room = v->plan.rooms[v->step];
    const lesson_spread *spread = &v->plan.spreads[v->step];
    if (alone || l->drawing.alone || room.x <= l->room.x - 1 || room.y <= l->room.y - 1 ||
        room.x + room.w >= l->room.x + l->room.w + 1 ||
        room.y + room.h >= l->room.y + l->room.h + 1)
        return lay_single_step(v, canvas, &arrays, bottom);
    if (spread->cut && !lesson_moves(v)) {
        lesson_spread_one(&arrays, canvas, room, v->step, &cut);
        lesson_spread_move_down(&cut, v->plan.down[v->step]);
        spread = &cut;
    }
    l->planned = true;
    float hole = lesson_spread_height_below(spread, room) - MOST_HOLE * 18 * l->unit;
    if (l->drawing.room.w <= 0) {
        /* Moves all that is laid out below the arrays. */
        float by = room.y + room.h - l->room.y - l->room.h - fmaxf(hole, 0);
        l->notice_y += by;
        l->answer_y += by;
        l->arithmetic_y += by;
        l->bar.y += by;
        l->code.y += by;
        for (int i = 0; i < SAC_STEP_DOORS; i++)
            l->doors[i].y += by;
    }
    l->room = room;
    copy_spread_to_layout(l, spread);
    l->past_count = v->quiz ? 0 : l->past_count;
    return 0;
}
