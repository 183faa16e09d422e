/* The looks of a lesson's page, and of a worksheet. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "canvas/colormap.h"
#include "canvas/text.h"
#include "lesson/lesson_state.h"
#include "parts/pages/paragraph.h"
#include "parts/pages/steps.h"

/* ---------------------------------------------------------------- a worksheet on paper: a head with room for a name, each question with the arrays that it is about and
 * room to write; then the same questions with their answers and reasons */

#define TITLE 22.0f
#define TEXT 15.0f
#define SMALL 12.0f
#define NUMBER 30.0f       /* the width of a question's number */
#define LEAST_NUMBER 9.0f  /* the size of digits */
#define ARRAYS 190.0f      /* the height of arrays, at most; … */
#define MOST_ARRAYS 260.0f /* … where they would be cut, this */
#define LINE 30.0f         /* from one line to write on to the next */

/* Of all lessons, where none is open; those that could not be computed have none. */
static bool is_sheet_of_all_lessons(const lesson_view *v)
{
    return lesson_is_sheet(v) && v->lists;
}

/* A sheet's pages without its answers, in a lesson of the gallery. */
static int entry_question_pages(const lesson_view *v, int entry)
{
    const sac_shown_lesson *lesson =
        entry == v->borrowed - 1 ? &v->lesson : v->gallery.lessons[entry];
    sac_asked asked[LESSON_SHEET];
    return lesson && lesson->ask
               ? 1 + lesson->ask(lesson->self, v->quiz_seed, asked, lesson_most_questions(v))
               : 0;
}

static int all_question_pages(const lesson_view *v)
{
    int pages = 0;
    if (!is_sheet_of_all_lessons(v))
        return 1 + v->sheet_count;
    for (int i = 0; i < v->source->lesson.entry_count && i < LESSON_ENTRIES; i++)
        pages += entry_question_pages(v, i);
    return pages;
}

int lesson_sheet_pages(const lesson_view *v)
{
    return lesson_is_sheet(v) ? 2 * all_question_pages(v) : 1;
}

static void swap_lesson(lesson_view *v, int entry)
{
    sac_shown_lesson *kept = v->gallery.lessons[entry], lesson = v->lesson;
    v->lesson = *kept;
    *kept = lesson;
}

/* The lesson of the gallery in the place of the one that is shown; the one before goes back. */
static void show_gallery_lesson(lesson_view *v, int entry)
{
    if (v->borrowed == entry + 1)
        return;
    if (v->borrowed)
        swap_lesson(v, v->borrowed - 1);
    swap_lesson(v, entry);
    v->borrowed = entry + 1;
    v->taught++;
    v->step = 0;
    lesson_make_questions(v);
}

/* The entry that a page is of; the page becomes the one within its lesson. */
static int find_page_entry(const lesson_view *v, int *page)
{
    int entry = 0;
    while (*page >= entry_question_pages(v, entry))
        *page -= entry_question_pages(v, entry++);
    return entry;
}

void lesson_sheet_turn(lesson_view *v, int page)
{
    int half = all_question_pages(v), within = half ? page % half : 0;
    if (half == 0)
        return;
    if (is_sheet_of_all_lessons(v))
        show_gallery_lesson(v, find_page_entry(v, &within));
    int at = within - 1;
    v->has_question = at >= 0 && at < v->sheet_count;
    if (v->has_question) {
        v->at = at;
        v->asked = v->sheet[at];
        v->step = v->asked.question->step;
        v->card = (lesson_card){
            .chosen = -1, .asked = sac_asks_choice(v->asked.question->kind) ? &v->asked : NULL};
    }
    v->answered = page >= half;
}

bool lesson_sheet_breaks(const lesson_view *v, int page)
{
    int half = all_question_pages(v), within = page;
    if (!lesson_is_sheet(v) || page == half)
        return lesson_is_sheet(v);
    if (page > half || !is_sheet_of_all_lessons(v))
        return false;
    find_page_entry(v, &within);
    return within == 0;
}

/* ---------------------------------------------------------------- parts; each returns where it ends */

static void draw_rule(viz_canvas *canvas, float x, float y, float width)
{
    viz_fill(canvas, (viz_rect){x, y, width, 1}, canvas->theme->faint);
}

static float draw_sheet_head(const lesson_view *v, viz_canvas *canvas, viz_rect area, bool draws)
{
    const viz_theme *theme = canvas->theme;
    const char *title = lesson_text(v, v->lesson.title);
    char text[160];
    float y = area.y + TITLE;
    if (v->answered) {
        snprintf(text, sizeof text, lesson_text(v, "Answers: %s"), title);
        if (draws)
            viz_text(canvas, VIZ_SANS_BOLD, TITLE, area.x, y, VIZ_LEFT, theme->text, text);
        return y + 0.6f * TITLE;
    }
    if (draws) {
        float middle = area.x + 0.62f * area.w, x = area.x, line = y + 2.4f * TITLE;
        viz_text(canvas, VIZ_SANS_BOLD, TITLE, x, y, VIZ_LEFT, theme->text, title);
        x += viz_text(canvas, VIZ_SANS, TEXT, x, line, VIZ_LEFT, theme->text2,
                      lesson_text(v, "Name")) +
             10;
        draw_rule(canvas, x, line + 3, middle - 24 - x);
        x = middle +
            viz_text(canvas, VIZ_SANS, TEXT, middle, line, VIZ_LEFT, theme->text2,
                     lesson_text(v, "Date")) +
            10;
        draw_rule(canvas, x, line + 3, area.x + area.w - x);
        viz_text(canvas, VIZ_SANS, SMALL, area.x, line + 2.4f * TEXT, VIZ_LEFT, theme->text2,
                 lesson_text(v, "Rows and columns are counted from 0."));
    }
    return y + 2.4f * TITLE + 2.8f * TEXT;
}

/* The arrays of the question's step, as large as they fit; the one that is requested has empty cells. */
static float draw_arrays(lesson_view *v, viz_canvas *canvas, float x, float y, float width,
                         bool draws)
{
    lesson_layout *l = &v->layout;
    lesson_cell looked = lesson_asked_cell(v);
    *l = (lesson_layout){.unit = 0.8f, .label = SMALL};
    lesson_arrays arrays = {&v->lesson, &looked, 1,           TEXT, LEAST_NUMBER,
                            SMALL,      26,      v->language, TEXT};
    lesson_spread spread;
    lesson_spread_one(&arrays, canvas, (viz_rect){x, y, width, ARRAYS}, v->step, &spread);
    if (spread.cut)
        lesson_spread_one(&arrays, canvas, (viz_rect){x, y, width, MOST_ARRAYS}, v->step, &spread);
    float top = spread.count ? spread.blocks[0].rect.y : y, bottom = top;
    for (int i = 0; i < spread.count; i++) {
        top = fminf(top, spread.blocks[i].rect.y);
        bottom = fmaxf(bottom, spread.blocks[i].rect.y + spread.blocks[i].rect.h);
    }
    lesson_spread_move_down(&spread, y - top);
    memcpy(l->blocks, spread.blocks, sizeof l->blocks);
    l->block_count = spread.count;
    l->number = spread.number;
    v->current = sac_asks_choice(v->asked.question->kind) ? (lesson_cell){0} : looked;
    v->arithmetic.count = 0;
    if (draws)
        lesson_arrays_draw(v, canvas);
    return y + bottom - top;
}

static float draw_choices(const lesson_view *v, viz_canvas *canvas, float x, float y, float width,
                          bool draws)
{
    for (int i = 0; i < v->asked.choice_count; i++) {
        char text[256];
        v->lesson.choice_text(v->lesson.self, &v->asked, i, v->language, text, sizeof text);
        if (draws) {
            viz_frame_round(canvas, (viz_rect){x, y + 0.35f * TEXT, TEXT, TEXT}, 2, 1,
                            canvas->theme->text2);
            viz_paragraph_draw(canvas, VIZ_SANS, TEXT, x + 1.8f * TEXT, y + 1.2f * TEXT,
                               width - 1.8f * TEXT, canvas->theme->text, text);
        }
        y += viz_paragraph_height(canvas, VIZ_SANS, TEXT, width - 1.8f * TEXT, text) + 0.25f * TEXT;
    }
    return y;
}

static float draw_question(lesson_view *v, viz_canvas *canvas, viz_rect area, bool draws)
{
    const viz_theme *theme = canvas->theme;
    const sac_lesson_step *step = lesson_step(v);
    bool chooses = v->card.asked, shows = v->asked.question->kind != SAC_ASK_WHY;
    float x = area.x + NUMBER, w = area.w - NUMBER, y = area.y;
    char text[512], number[16];
    snprintf(number, sizeof number, "%d", v->at + 1);
    v->lesson.asked_text(v->lesson.self, &v->asked, v->language, text, sizeof text);
    if (draws) {
        viz_text(canvas, VIZ_SANS_BOLD, TEXT, area.x, y + TEXT, VIZ_LEFT, theme->text, number);
        viz_paragraph_draw(canvas, VIZ_SANS_BOLD, TEXT, x, y + TEXT, w, theme->text, text);
    }
    y += viz_paragraph_height(canvas, VIZ_SANS_BOLD, TEXT, w, text);
    if (shows && step->formula) {
        if (draws)
            viz_text(canvas, VIZ_MONO, SMALL, x, y + SMALL, VIZ_LEFT, theme->text2, step->formula);
        y += 1.7f * SMALL;
    }
    if (shows)
        y = draw_arrays(v, canvas, x, y, w, draws) + 0.4f * TEXT;
    if (chooses)
        y = draw_choices(v, canvas, x, y, w, draws);
    for (int i = 0; i < (chooses ? 1 : 2); i++) {
        y += LINE;
        if (draws)
            draw_rule(canvas, x, y, w);
    }
    return y + 4;
}

static float draw_answer(lesson_view *v, viz_canvas *canvas, viz_rect area, bool draws)
{
    const viz_theme *theme = canvas->theme;
    float x = area.x + NUMBER, w = area.w - NUMBER;
    char text[1200], number[16], answer[300];
    snprintf(number, sizeof number, "%d", v->at + 1);
    if (v->card.asked)
        v->lesson.choice_text(v->lesson.self, &v->asked, (int)v->asked.answer, v->language, answer,
                              sizeof answer);
    else
        lesson_right_answer(v, &v->asked, answer, sizeof answer);
    snprintf(text, sizeof text, lesson_text(v, "%s. %s"), answer,
             lesson_text(v, v->asked.question->why));
    if (draws) {
        viz_text(canvas, VIZ_SANS_BOLD, TEXT, area.x, area.y + TEXT, VIZ_LEFT, theme->text, number);
        viz_paragraph_draw(canvas, VIZ_SANS, TEXT, x, area.y + TEXT, w, theme->text, text);
    }
    return area.y + viz_paragraph_height(canvas, VIZ_SANS, TEXT, w, text);
}

/* ---------------------------------------------------------------- pages */

static float lay_or_draw_page(lesson_view *v, viz_canvas *canvas, viz_rect area, bool draws)
{
    if (!v->lesson.step_count)
        return area.y + LINE; /* of all lessons none is turned to yet */
    if (!v->has_question)
        return draw_sheet_head(v, canvas, area, draws);
    return v->answered ? draw_answer(v, canvas, area, draws)
                       : draw_question(v, canvas, area, draws);
}

float lesson_sheet_height(lesson_view *v, const viz_canvas *canvas, float width)
{
    viz_canvas measures = *canvas; /* nothing is drawn on it */
    return lay_or_draw_page(v, &measures, (viz_rect){0, 0, width, 0}, false);
}

static void lesson_sheet_draw(lesson_view *v, viz_canvas *canvas, viz_rect area)
{
    lay_or_draw_page(v, canvas, area, true);
}

/* ---------------------------------------------------------------- a page */

void lesson_update_current(lesson_view *v)
{
    lesson_cell before = v->current;
    bool stays = lesson_is_dragged(v) && lesson_shows(v, v->current);
    v->current = lesson_shows(v, v->hovered)  ? v->hovered
                 : lesson_shows(v, v->chosen) ? v->chosen
                 : stays                      ? v->current
                                              : lesson_usual_cell(v);
    if (v->quiz && v->has_question && v->step == v->asked.question->step)
        v->current = lesson_asked_cell(v);
    lesson_cell made = lesson_motion_cell(v), answer = lesson_beat_cell(v);
    v->current = made.array ? made : lesson_shows(v, answer) ? answer : v->current;
    if (lesson_asks(v)) {
        sac_arithmetic_free(&v->arithmetic);
        return;
    }
    bool same = before.array == v->current.array && before.cell == v->current.cell;
    if (!v->current.array || (same && v->arithmetic.expression))
        return;
    sac_arithmetic_free(&v->arithmetic);
    v->lesson.arithmetic(v->lesson.self, v->current.array, v->current.cell, &v->arithmetic, NULL);
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

static const viz_key_row caps[] = {
    {"↑  ↓", "cell",
     .tips = {N_("How the cell above is computed (↑)."),
              N_("How the cell below is computed (↓).")}},
    {"←  →", "step"},
    {"space", "play", .tips = {N_("Plays the motion of this step, or holds it (space).")}},
    {"#", "PyTorch", .tips = {N_("The lines of PyTorch that compute this step (#).")}},
    {"S", "PNG"},
    {"?", "keys"}};

/* In a quiz the foot leads on from question to question, and not from step to step. */
static float draw_buttons(lesson_view *v, viz_canvas *canvas, viz_rect foot, float x)
{
    float y = foot.y + 8;
    if (v->ends || v->writes)
        return x;
    if (!v->quiz)
        return lesson_button_draw(v, canvas, LESSON_BUTTON_QUIZ, x + 12, y, lesson_text(v, "Quiz"),
                                  false);
    x = lesson_button_draw(v, canvas, LESSON_BUTTON_ON, foot.x + viz_page_margin(foot), y,
                           lesson_on_text(v), v->answered);
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
    lesson_update_current(v);
    lesson_lay(v, canvas, area);
    draw_head(v, canvas);
    if (canvas->theme->presents && !v->base.figure)
        lesson_head_buttons_draw(v, canvas);
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
        viz_paragraph_draw(canvas, VIZ_SANS_BOLD, v->layout.arithmetic, v->layout.area.x,
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
        } else if (l->sliders[i].rect.w > 0) {
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
