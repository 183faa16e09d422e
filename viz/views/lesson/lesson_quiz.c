/* Questions about a lesson, one after the other: a result that is hidden until it is answered, by a click on
 * the largest number, by a number that is typed, or by a bar; and choices, on a card. Behind them the page at
 * the end of a lesson, whose buttons are those of every page's foot. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/text.h"
#include "lesson/lesson_state.h"
#include "parts/pages/paragraph.h"

/* ---------------------------------------------------------------- what is asked */

static bool record_result(lesson_view *v, bool right)
{
    v->answered = true;
    v->right = right;
    v->results[v->at] = right;
    v->right_count += right;
    return true;
}

static bool lesson_card_choose(lesson_view *v, lesson_card *card, int choice)
{
    if (!card->asked || card->chosen >= 0 || choice < 0 || choice >= card->asked->choice_count)
        return false;
    card->chosen = choice;
    if (card == &v->card)
        record_result(v, choice == (int)card->asked->answer);
    return true;
}

const char *lesson_how_to_answer(const lesson_view *v)
{
    static const char *const ways[] = {
        [SAC_ASK_LARGEST] = N_("Click it, or type its number and press Return."),
        [SAC_ASK_VALUE] = N_("Drag the bar, or type and press Return."),
        [SAC_ASK_COUNT] = N_("Type a number and press Return.")};
    return lesson_text(v, ways[v->asked.question->kind]);
}

/* The question with what was typed; then the answer given, the correct one, and why. */
void lesson_write_question(const lesson_view *v, char *text, size_t size)
{
    char question[256];
    v->lesson.asked_text(v->lesson.self, &v->asked, v->language, question, sizeof question);
    snprintf(text, size, "%s %s", question, v->typed);
}

/* As the numbers of its array; how many there are of something is whole. */
static lesson_format answer_format(const lesson_view *v, const sac_asked *asked)
{
    return asked->question->kind == SAC_ASK_VALUE
               ? lesson_format_of(lesson_array(v, asked->question->array), LESSON_MOST_DECIMALS)
               : (lesson_format){0};
}

/* What is right: a number, or a column. */
char *lesson_right_answer(const lesson_view *v, const sac_asked *asked, char *text, size_t size)
{
    if (asked->question->kind == SAC_ASK_LARGEST) {
        const char *label = sac_shown_label(lesson_array(v, asked->question->array), false,
                                            asked->column, v->language);
        int used = snprintf(text, size, lesson_text(v, "column %zu"), asked->column);
        if (label && used > 0 && (size_t)used < size)
            snprintf(text + used, size - (size_t)used, lesson_text(v, " (“%s”)"), label);
        return text;
    }
    lesson_format format = answer_format(v, asked);
    return lesson_number(&format, asked->answer, text, size);
}

void lesson_write_answer(const lesson_view *v, char *text, size_t size)
{
    const char *why = lesson_text(v, v->asked.question->why);
    char is[96], away[32];
    lesson_format format = answer_format(v, &v->asked);
    lesson_right_answer(v, &v->asked, is, sizeof is);
    if (v->right)
        snprintf(text, size, lesson_text(v, "Right: %s. %s"), is, why);
    else if (v->asked.question->kind == SAC_ASK_LARGEST)
        snprintf(text, size, lesson_text(v, "Not column %s, it is %s. %s"), v->typed, is, why);
    else
        snprintf(text, size, lesson_text(v, "Not %s, it is %s (%s away). %s"), v->typed, is,
                 lesson_number(&format, fabsf(v->answer - v->asked.answer), away, sizeof away),
                 why);
}

/* A bar goes from 0, or from the negative of its end where numbers are negative; shares end at 1.
 */
static void find_bar_range(const lesson_view *v, float *low, float *high)
{
    const sac_shown_array *array = lesson_array(v, v->asked.question->array);
    size_t count = array->batch * array->rows * array->columns;
    bool negative = false;
    for (size_t i = 0; i < count; i++)
        negative |= array->numbers[i] < 0;
    float most = lesson_heat_of(array, v->map).most;
    /* A round number above the largest is an end that does not give it away. */
    *high = array->shares || most <= 0 ? 1 : viz_round_step(1.05f * most, 1);
    *low = negative ? -*high : 0;
}

static bool is_close(const lesson_view *v)
{
    float gap = fabsf(v->answer - v->asked.answer), low, high;
    find_bar_range(v, &low, &high);
    return gap <= 0.005f + 0.01f * fabsf(v->asked.answer) ||
           (v->by_bar && gap <= 0.025f * (high - low));
}

static bool submit_typed_answer(lesson_view *v)
{
    char *end;
    v->answer = strtof(v->typed, &end);
    return end != v->typed && record_result(v, is_close(v));
}

bool lesson_quiz_press(lesson_view *v, lesson_cell cell)
{
    if (!lesson_asks(v) || !lesson_hides(v, cell.array))
        return false;
    const sac_shown_array *array = lesson_array(v, cell.array);
    if (v->asked.question->kind != SAC_ASK_LARGEST || cell.cell / array->columns != v->asked.row)
        return false;
    snprintf(v->typed, sizeof v->typed, "%zu", cell.cell % array->columns);
    return submit_typed_answer(v);
}

bool lesson_quiz_key(lesson_view *v, int key)
{
    size_t length = strlen(v->typed);
    bool digit = (key >= '0' && key <= '9') || key == '.' || key == '-';
    if (!lesson_asks(v))
        return v->quiz && v->has_question && key == VIZ_KEY_RETURN && lesson_quiz_next(v);
    if (v->card.asked)
        return lesson_card_choose(v, &v->card,
                                  key >= 'a'                ? key - 'a'
                                  : key > '0' && key <= '9' ? key - '1'
                                                            : -1);
    if (key == VIZ_KEY_RETURN)
        return submit_typed_answer(v);
    if (key == VIZ_KEY_BACKSPACE && length > 0)
        v->typed[length - 1] = '\0';
    else if (digit && length + 1 < sizeof v->typed)
        memcpy(v->typed + length, (char[]){(char)key, '\0'}, 2);
    else
        return false;
    return true;
}

/* ---------------------------------------------------------------- the bar by which a number is guessed: dragged from the least to the largest number that the array may hold; answered, it shows how far that was from the number itself */

/* Of the page's width, beside the line of instructions. */
#define BEGINS 0.56f

void lesson_bar_lay(lesson_view *v)
{
    lesson_layout *l = &v->layout;
    bool shown = (v->quiz && v->has_question && !v->base.figure &&
                  v->step == v->asked.question->step && v->asked.question->kind == SAC_ASK_VALUE) &&
                 (!v->answered || v->by_bar);
    float x = l->area.x + BEGINS * l->area.w, size = l->notice;
    float y = l->answer_y - 0.9f * size, w = l->area.x + l->area.w - x;
    l->bar = shown ? (viz_rect){x, y, w, 1.1f * size} : (viz_rect){0};
}

static float bar_x(const lesson_view *v, float value)
{
    float low, high;
    find_bar_range(v, &low, &high);
    float share = (value - low) / (high - low);
    return v->layout.bar.x + v->layout.bar.w * fminf(fmaxf(share, 0), 1);
}

void lesson_bar_draw(const lesson_view *v, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    viz_rect r = v->layout.bar;
    float zero, end, low, high, size = v->layout.label;
    char text[32];
    if (r.w <= 0)
        return;
    find_bar_range(v, &low, &high);
    viz_text(canvas, VIZ_MONO, size, r.x, r.y - 0.5f * size, VIZ_LEFT, theme->text2,
             viz_number(low, text, sizeof text));
    viz_text(canvas, VIZ_MONO, size, r.x + r.w, r.y - 0.5f * size, VIZ_RIGHT, theme->text2,
             viz_number(high, text, sizeof text));
    viz_fill_round(canvas, r, 4, theme->line);
    zero = bar_x(v, 0);
    end = bar_x(v, v->answer);
    if (v->by_bar)
        viz_fill(canvas, (viz_rect){fminf(zero, end), r.y, fabsf(end - zero), r.h},
                 v->answered ? theme->text2 : theme->accent);
    viz_line(canvas, zero, r.y - 3, zero, r.y + r.h + 3, 1.5f, theme->text2);
    if (v->answered) {
        float is = bar_x(v, v->asked.answer);
        viz_line(canvas, is, r.y - 4, is, r.y + r.h + 4, 4, theme->accent);
    }
}

/* Three digits of the range are more than a hand can drag. */
static bool drag_to(lesson_view *v, float x)
{
    float low, high;
    find_bar_range(v, &low, &high);
    float share = fminf(fmaxf((x - v->layout.bar.x) / v->layout.bar.w, 0), 1);
    float unit = powf(10, floorf(log10f(high)) - 2);
    v->answer = unit * rintf((low + share * (high - low)) / unit);
    v->by_bar = true;
    snprintf(v->typed, sizeof v->typed, "%.3g", (double)v->answer);
    return true;
}

bool lesson_bar_event(lesson_view *v, const viz_event *e)
{
    viz_rect r = v->layout.bar;
    viz_rect wide = {r.x - 6, r.y - 8, r.w + 12, r.h + 16};
    if (!lesson_asks(v) || r.w <= 0)
        return v->bar_held = false;
    if (e->kind == VIZ_PRESS && e->button == 1 && viz_inside(wide, e->x, e->y)) {
        v->bar_held = true;
        return drag_to(v, e->x);
    }
    if (e->kind == VIZ_MOVE && v->bar_held)
        return drag_to(v, e->x);
    if (e->kind != VIZ_RELEASE || !v->bar_held)
        return false;
    v->bar_held = false;
    return record_result(v, is_close(v));
}

void lesson_check_mark_draw(viz_canvas *canvas, float x, float y, float radius, viz_color disc,
                            viz_color ink)
{
    float r = 0.45f * radius;
    viz_disc(canvas, x, y, radius, disc);
    viz_line(canvas, x - r, y + 0.1f * r, x - 0.25f * r, y + 0.8f * r, 0.2f * radius, ink);
    viz_line(canvas, x - 0.25f * r, y + 0.8f * r, x + r, y - 0.7f * r, 0.2f * radius, ink);
}

/* ---------------------------------------------------------------- a question with choices */

#define BADGE 2.1f /* the width of a choice's letter, in sizes of the text */
#define ROW 0.8f   /* above and below its text, together */
#define ROWS_GAP 0.35f

/* Short choices lie side by side, else each has a line. */
float lesson_card_lay(const lesson_view *v, const viz_canvas *canvas, lesson_card *card, float x,
                      float y, float width, float size)
{
    char text[512];
    float widest = 0;
    int count = card->asked->choice_count;
    card->size = size;
    card->rect = (viz_rect){x, y, width, 0};
    v->lesson.asked_text(v->lesson.self, card->asked, v->language, text, sizeof text);
    y += viz_paragraph_height(canvas, VIZ_SANS_BOLD, size, width, text) + 0.5f * size;
    for (int i = 0; i < count; i++) {
        v->lesson.choice_text(v->lesson.self, card->asked, i, v->language, text, sizeof text);
        float w = viz_text_width(canvas, VIZ_SANS, size, text);
        widest = fmaxf(widest, w + (BADGE + 1.4f) * size);
    }
    float gap = ROWS_GAP * size;
    bool beside = (widest + 2 * gap) * (float)count <= width;
    for (int i = 0; i < count; i++) {
        float room = width - (BADGE + 1.0f) * size;
        v->lesson.choice_text(v->lesson.self, card->asked, i, v->language, text, sizeof text);
        float h = (beside ? VIZ_LEADING * size
                          : viz_paragraph_height(canvas, VIZ_SANS, size, room, text)) +
                  ROW * size;
        card->items[i] = beside ? (viz_rect){x + (float)i * (widest + 2 * gap), y, widest, h}
                                : (viz_rect){x, y, width, h};
        y += beside && i + 1 < count ? 0 : h + gap;
    }
    card->why_y = y + 1.1f * size;
    y += viz_paragraph_height(canvas, VIZ_SANS, size, width,
                              lesson_text(v, card->asked->question->why)) +
         0.3f * size;
    return card->rect.h = y - card->rect.y;
}

/* Green or red, and a disc with ✓ or ✗. */
static viz_color lesson_verdict_color(const viz_theme *theme, bool right)
{
    if (theme->light)
        return right ? (viz_color){22, 120, 66, 255} : (viz_color){184, 44, 32, 255};
    return right ? (viz_color){96, 206, 138, 255} : (viz_color){246, 124, 108, 255};
}

void lesson_verdict_draw(viz_canvas *canvas, float x, float y, float radius, bool right)
{
    viz_color color = lesson_verdict_color(canvas->theme, right), ink = canvas->theme->ground;
    float r = 0.4f * radius, thick = 0.22f * radius;
    if (right) {
        lesson_check_mark_draw(canvas, x, y, radius, color, ink);
        return;
    }
    viz_disc(canvas, x, y, radius, color);
    viz_line(canvas, x - r, y - r, x + r, y + r, thick, ink);
    viz_line(canvas, x - r, y + r, x + r, y - r, thick, ink);
}

static void draw_choice(const lesson_view *v, viz_canvas *canvas, const lesson_card *card, int i)
{
    const viz_theme *theme = canvas->theme;
    viz_rect r = card->items[i];
    float size = card->size, x = r.x + 0.7f * size;
    bool answered = card->chosen >= 0, right = i == (int)card->asked->answer;
    char text[256], letter[2] = {(char)('a' + i), 0};
    v->lesson.choice_text(v->lesson.self, card->asked, i, v->language, text, sizeof text);
    viz_fill_round(canvas, r, 5, theme->panel);
    if (answered && (right || i == card->chosen)) {
        viz_frame_round(canvas, r, 5, 2, lesson_verdict_color(theme, right));
        lesson_verdict_draw(canvas, x + 0.5f * size, r.y + 0.5f * (ROW + VIZ_LEADING) * size,
                            0.62f * size, right);
    } else {
        viz_text(canvas, VIZ_MONO, size, x, r.y + (0.5f * ROW + 1.05f) * size, VIZ_LEFT,
                 theme->text2, letter);
    }
    viz_paragraph_draw(canvas, VIZ_SANS, size, r.x + (BADGE + 0.2f) * size,
                       r.y + (0.5f * ROW + 1.05f) * size, r.w - (BADGE + 0.9f) * size,
                       answered && !right && i != card->chosen ? theme->text2 : theme->text, text);
}

void lesson_card_draw(const lesson_view *v, viz_canvas *canvas, const lesson_card *card)
{
    char text[512];
    viz_rect r = card->rect;
    v->lesson.asked_text(v->lesson.self, card->asked, v->language, text, sizeof text);
    viz_paragraph_draw(canvas, VIZ_SANS_BOLD, card->size, r.x, r.y + 1.05f * card->size, r.w,
                       canvas->theme->text, text);
    for (int i = 0; i < card->asked->choice_count; i++)
        draw_choice(v, canvas, card, i);
    if (card->chosen >= 0)
        viz_paragraph_draw(canvas, VIZ_SANS, card->size, r.x, card->why_y, r.w,
                           canvas->theme->text2, lesson_text(v, card->asked->question->why));
}

bool lesson_card_press(lesson_view *v, lesson_card *card, float x, float y)
{
    for (int i = 0; card->asked && i < card->asked->choice_count; i++)
        if (viz_inside(card->items[i], x, y))
            return lesson_card_choose(v, card, i);
    return false;
}

void lesson_card_spots(const lesson_card *card, viz_spots *spots)
{
    for (int i = 0; card->asked && card->chosen < 0 && i < card->asked->choice_count; i++)
        viz_spots_add(spots, card->items[i], VIZ_SPOT_PRESSES, "Answers the question.");
}

/* ---------------------------------------------------------------- the page behind the last step: the score, two questions, and what comes next */

#define HEADING 24.0f
#define CARD 17.0f
#define BUTTON_HEIGHT 32.0f
#define CARDS_BESIDE 520.0f /* a narrower page has them below each other */

/* ---------------------------------------------------------------- buttons */

static void draw_button(lesson_view *v, viz_canvas *canvas, int button, viz_rect r, float size,
                        const char *text, bool primary)
{
    const viz_theme *theme = canvas->theme;
    v->buttons[button] = r;
    if (primary)
        viz_fill_round(canvas, r, 6, theme->accent);
    else
        viz_frame_round(canvas, r, 6, 1, theme->line);
    viz_text(canvas, VIZ_SANS, size, r.x + r.w / 2, r.y + r.h / 2 + 0.36f * size, VIZ_CENTER,
             primary ? theme->on_accent : theme->text, text);
}

float lesson_button_draw(lesson_view *v, viz_canvas *canvas, int button, float x, float y,
                         const char *text, bool primary)
{
    float width = viz_text_width(canvas, VIZ_SANS, VIZ_BODY, text) + 24;
    draw_button(v, canvas, button, (viz_rect){x, y, width, BUTTON_HEIGHT}, VIZ_BODY, text, primary);
    return x + width;
}

/* ---------------------------------------------------------------- the buttons of a presented page, which has no foot:
 * at the end of the line of steps */

const char *lesson_on_text(const lesson_view *v)
{
    return lesson_text(v, !v->answered                  ? "Skip  ›"
                          : v->at + 1 >= v->sheet_count ? "Your score  ›"
                                                        : "Next question  ›");
}

/* Those that there are now, from the left; returns how many. */
static int head_buttons(const lesson_view *v, int buttons[2], const char *texts[2])
{
    if (v->ends || v->writes)
        return 0;
    buttons[0] = v->quiz ? LESSON_BUTTON_LEAVE : LESSON_BUTTON_QUIZ;
    texts[0] = lesson_text(v, v->quiz ? "Leave the quiz" : "Quiz");
    buttons[1] = LESSON_BUTTON_ON;
    texts[1] = lesson_on_text(v);
    return v->quiz ? 2 : 1;
}

float lesson_head_buttons_width(const lesson_view *v, const viz_canvas *canvas, float size)
{
    int buttons[2];
    const char *texts[2];
    float width = 0;
    for (int i = head_buttons(v, buttons, texts); i-- > 0;)
        width += viz_text_width(canvas, VIZ_SANS, size, texts[i]) + 2.6f * size;
    return width;
}

void lesson_head_buttons_draw(lesson_view *v, viz_canvas *canvas)
{
    int buttons[2];
    const char *texts[2];
    const lesson_layout *l = &v->layout;
    float size = l->turns.size, right = l->head_right;
    for (int i = head_buttons(v, buttons, texts); i-- > 0; right -= size) {
        float width = viz_text_width(canvas, VIZ_SANS, size, texts[i]) + 1.6f * size;
        right -= width;
        draw_button(v, canvas, buttons[i], (viz_rect){right, l->reset.y, width, 1.7f * size}, size,
                    texts[i], buttons[i] == LESSON_BUTTON_ON && v->answered);
    }
}

/* The entry behind the one that is open; −1: it is the last one. */
static int next_entry(const lesson_view *v)
{
    int entry = lesson_entry(v);
    return entry >= 0 && entry + 1 < v->source->lesson.entry_count ? entry + 1 : -1;
}

static bool press_button(lesson_view *v, int button)
{
    switch (button) {
    case LESSON_BUTTON_QUIZ:
        return lesson_quiz_begin(v);
    case LESSON_BUTTON_ON:
        if (v->quiz)
            return lesson_quiz_next(v);
        lesson_open(v, next_entry(v));
        return true;
    case LESSON_BUTTON_LEAVE:
        return lesson_quiz_leave(v);
    default:
        return lesson_gallery_show(v);
    }
}

bool lesson_buttons_press(lesson_view *v, float x, float y)
{
    for (int i = 0; i < LESSON_BUTTONS; i++)
        if (viz_inside(v->buttons[i], x, y))
            return press_button(v, i);
    return false;
}

/* ---------------------------------------------------------------- the end */

/* Of the whole, or of the quiz: "3 of 5 right" and a mark for each. */
static void draw_end_heading(const lesson_view *v, viz_canvas *canvas, float x, float y, float size)
{
    const viz_theme *theme = canvas->theme;
    char text[64];
    if (!v->scored) {
        lesson_verdict_draw(canvas, x + 0.6f * size, y - 0.35f * size, 0.6f * size, true);
        viz_text(canvas, VIZ_SANS, size, x + 1.7f * size, y, VIZ_LEFT, theme->text,
                 lesson_text(v, "You have gone through this lesson."));
        return;
    }
    snprintf(text, sizeof text, lesson_text(v, "%d of %d right"), v->right_count, v->scored);
    x += viz_text(canvas, VIZ_SANS, size, x, y, VIZ_LEFT, theme->text, text) + size;
    for (int i = 0; i < v->scored; i++, x += 1.4f * size)
        lesson_verdict_draw(canvas, x + 0.5f * size, y - 0.35f * size, 0.5f * size, v->results[i]);
}

/* The first `count` of them; returns where they end. */
static float lay_cards(lesson_view *v, const viz_canvas *canvas, viz_rect area, float y, float size,
                       int count)
{
    bool beside = area.w >= CARDS_BESIDE && count == 2;
    float gap = 2 * size, w = beside ? (area.w - gap) / 2 : fminf(area.w, 50 * size), bottom = y;
    for (int i = 0; i < count; i++) {
        float x = area.x + (beside ? (float)i * (w + gap) : 0), top = beside ? y : bottom;
        float h = lesson_card_lay(v, canvas, &v->cards[i], x, top, w, size);
        bottom = fmaxf(bottom, top + h + 0.5f * size);
    }
    return bottom;
}

/* `area` is what the head leaves. */
void lesson_end_draw(lesson_view *v, viz_canvas *canvas, viz_rect area)
{
    float unit = v->layout.unit, size = fmaxf(12, CARD * fminf(unit, 1.3f));
    float y = area.y + fmaxf(14, HEADING * unit);
    draw_end_heading(v, canvas, area.x, y, fmaxf(14, HEADING * unit));
    /* As many cards as there is room for above the buttons. */
    y += (area.h < LESSON_LOW_PAGE ? 1.1f : 2) * size;
    float most = area.y + area.h - BUTTON_HEIGHT - 8, bottom = y;
    int count = 2;
    while (count > 0 && (!v->cards[count - 1].asked ||
                         (bottom = lay_cards(v, canvas, area, y, size, count)) > most))
        count--;
    for (int i = 0; i < 2; i++) {
        if (i < count)
            lesson_card_draw(v, canvas, &v->cards[i]);
        else
            memset(v->cards[i].items, 0, sizeof v->cards[i].items);
    }
    y = (count ? bottom : y) + 0.4f * size;
    int entry = next_entry(v);
    char text[160], fit[160];
    float x = lesson_button_draw(v, canvas, LESSON_BUTTON_QUIZ, area.x, y,
                                 lesson_text(v, v->scored ? "Another quiz" : "Quiz: 5 questions"),
                                 !v->scored) +
              12;
    if (entry >= 0) {
        snprintf(text, sizeof text, lesson_text(v, "Next: %s  ›"),
                 lesson_text(v, v->source->lesson.entries[entry].title));
        viz_text_fit(canvas, VIZ_SANS, VIZ_BODY, area.x + area.w - x - 160, text, fit, sizeof fit);
        x = lesson_button_draw(v, canvas, LESSON_BUTTON_ON, x, y, fit, v->scored) + 12;
    }
    lesson_button_draw(v, canvas, LESSON_BUTTON_LIST, x, y, lesson_text(v, "All lessons"), false);
}

bool lesson_end_press(lesson_view *v, float x, float y)
{
    for (int i = 0; i < 2; i++)
        if (lesson_card_press(v, &v->cards[i], x, y))
            return true;
    return false;
}

bool lesson_end_go_on(lesson_view *v)
{
    return press_button(v, next_entry(v) >= 0 ? LESSON_BUTTON_ON : LESSON_BUTTON_LIST);
}

/* Return presses what is lit. */
bool lesson_end_press_default(lesson_view *v)
{
    bool on = v->scored && next_entry(v) >= 0;
    return press_button(v, on          ? LESSON_BUTTON_ON
                           : v->scored ? LESSON_BUTTON_LIST
                                       : LESSON_BUTTON_QUIZ);
}

void lesson_buttons_spots(const lesson_view *v, viz_spots *spots)
{
    const char *tips[] = {[LESSON_BUTTON_QUIZ] = "Five questions about this lesson, with a score.",
                          [LESSON_BUTTON_ON] =
                              v->quiz ? "The next question (Return)." : "The next lesson (→).",
                          [LESSON_BUTTON_LEAVE] = "Back to the lesson.",
                          [LESSON_BUTTON_LIST] = "Back to all lessons (F)."};
    for (int i = 0; i < LESSON_BUTTONS; i++)
        viz_spots_add(spots, v->buttons[i], VIZ_SPOT_PRESSES, tips[i]);
}

void lesson_end_spots(const lesson_view *v, viz_spots *spots)
{
    for (int i = 0; i < 2; i++)
        lesson_card_spots(&v->cards[i], spots);
}
