/* A worksheet on paper: a head with room for a name, each question with the arrays that it is about and
 * room to write; then the same questions with their answers and reasons. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "canvas/text.h"
#include "lesson/lesson_state.h"
#include "parts/pages/paragraph.h"

#define TITLE 22.0f
#define TEXT 15.0f
#define SMALL 12.0f
#define NUMBER 30.0f       /* the width of a question's number */
#define LEAST_NUMBER 9.0f  /* the size of digits */
#define ARRAYS 190.0f      /* the height of arrays, at most; … */
#define MOST_ARRAYS 260.0f /* … where they would be cut, this */
#define LINE 30.0f         /* from one line to write on to the next */

bool lesson_is_sheet(const lesson_view *v)
{
    return v->base.figure && v->quiz && (v->known || v->lists);
}

/* Of all lessons, where none is open; those that could not be computed have none. */
static bool is_whole(const lesson_view *v)
{
    return lesson_is_sheet(v) && v->lists;
}

/* A sheet's pages without its answers, in a lesson of the gallery. */
static int half_of(const lesson_view *v, int entry)
{
    const sac_shown_lesson *lesson =
        entry == v->borrowed - 1 ? &v->lesson : v->gallery.lessons[entry];
    sac_asked asked[LESSON_SHEET];
    return lesson && lesson->ask
               ? 1 + lesson->ask(lesson->self, v->quiz_seed, asked, lesson_most_asked(v))
               : 0;
}

static int half_of_all(const lesson_view *v)
{
    int pages = 0;
    if (!is_whole(v))
        return 1 + v->sheet_count;
    for (int i = 0; i < v->source->lesson.entry_count && i < LESSON_ENTRIES; i++)
        pages += half_of(v, i);
    return pages;
}

int lesson_sheet_pages(const lesson_view *v)
{
    return lesson_is_sheet(v) ? 2 * half_of_all(v) : 1;
}

static void exchange(lesson_view *v, int entry)
{
    sac_shown_lesson *kept = v->gallery.lessons[entry], lesson = v->lesson;
    v->lesson = *kept;
    *kept = lesson;
}

/* The lesson of the gallery in the place of the one that is shown; the one before goes back. */
static void borrow(lesson_view *v, int entry)
{
    if (v->borrowed == entry + 1)
        return;
    if (v->borrowed)
        exchange(v, v->borrowed - 1);
    exchange(v, entry);
    v->borrowed = entry + 1;
    v->taught++;
    v->step = 0;
    lesson_ask(v);
}

/* The entry that a page is of; the page becomes the one within its lesson. */
static int entry_of(const lesson_view *v, int *page)
{
    int entry = 0;
    while (*page >= half_of(v, entry))
        *page -= half_of(v, entry++);
    return entry;
}

void lesson_sheet_turn(lesson_view *v, int page)
{
    int half = half_of_all(v), within = half ? page % half : 0;
    if (half == 0)
        return;
    if (is_whole(v))
        borrow(v, entry_of(v, &within));
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
    int half = half_of_all(v), within = page;
    if (!lesson_is_sheet(v) || page == half)
        return lesson_is_sheet(v);
    if (page > half || !is_whole(v))
        return false;
    entry_of(v, &within);
    return within == 0;
}

/* ---------------------------------------------------------------- parts; each returns where it ends */

static void rule(viz_canvas *canvas, float x, float y, float width)
{
    viz_fill(canvas, (viz_rect){x, y, width, 1}, canvas->theme->faint);
}

static float draw_head(const lesson_view *v, viz_canvas *canvas, viz_rect area, bool draws)
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
        rule(canvas, x, line + 3, middle - 24 - x);
        x = middle +
            viz_text(canvas, VIZ_SANS, TEXT, middle, line, VIZ_LEFT, theme->text2,
                     lesson_text(v, "Date")) +
            10;
        rule(canvas, x, line + 3, area.x + area.w - x);
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
    lesson_arrays arrays = {&v->lesson, &looked, 1, TEXT, LEAST_NUMBER, SMALL, 26, v->language};
    lesson_spread spread;
    lesson_spread_one(&arrays, canvas, (viz_rect){x, y, width, ARRAYS}, v->step, &spread);
    if (spread.cut)
        lesson_spread_one(&arrays, canvas, (viz_rect){x, y, width, MOST_ARRAYS}, v->step, &spread);
    float top = spread.count ? spread.blocks[0].rect.y : y, bottom = top;
    for (int i = 0; i < spread.count; i++) {
        top = fminf(top, spread.blocks[i].rect.y);
        bottom = fmaxf(bottom, spread.blocks[i].rect.y + spread.blocks[i].rect.h);
    }
    lesson_spread_move(&spread, y - top);
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
            rule(canvas, x, y, w);
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

static float page(lesson_view *v, viz_canvas *canvas, viz_rect area, bool draws)
{
    if (!v->lesson.step_count)
        return area.y + LINE; /* of all lessons none is turned to yet */
    if (!v->has_question)
        return draw_head(v, canvas, area, draws);
    return v->answered ? draw_answer(v, canvas, area, draws)
                       : draw_question(v, canvas, area, draws);
}

float lesson_sheet_height(lesson_view *v, const viz_canvas *canvas, float width)
{
    viz_canvas measures = *canvas; /* nothing is drawn on it */
    return page(v, &measures, (viz_rect){0, 0, width, 0}, false);
}

void lesson_sheet_draw(lesson_view *v, viz_canvas *canvas, viz_rect area)
{
    page(v, canvas, area, true);
}
