/* Questions about a step, whose result is hidden until it is answered: by a click on the largest
 * number, by a number that is typed, or by a bar (lesson_bar.c). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lesson/lesson_state.h"

bool lesson_hides(const lesson_view *v, sac_node node)
{
    return lesson_asks(v) && v->asked.question->array == node;
}

void lesson_ask(lesson_view *v)
{
    v->has_question = v->lesson.ask && v->lesson.ask(v->lesson.self, v->quiz_seed, &v->asked);
    v->answered = v->by_bar = v->bar_held = false;
    v->typed[0] = '\0';
    if (v->has_question)
        v->step = v->asked.question->step;
}

bool lesson_asks_row(const lesson_view *v)
{
    return lesson_asks(v) && v->asked.question->kind != SAC_ASK_VALUE;
}

/* The column may be the answer. */
lesson_cell lesson_asked_cell(const lesson_view *v)
{
    sac_node node = v->asked.question->array;
    size_t column = lesson_asks_row(v) ? 0 : v->asked.column;
    return (lesson_cell){node, v->asked.row * lesson_array(v, node)->columns + column};
}

const char *lesson_how_to_answer(const lesson_view *v)
{
    static const sac_text click = SAC_TEXT_IN("Click it, or type its number and press Return.",
                                              "点击它，或输入列号后按 Return。");
    static const sac_text type =
        SAC_TEXT_IN("Type a number and press Return.", "输入数字后按 Return。");
    static const sac_text drag =
        SAC_TEXT_IN("Drag the bar, or type and press Return.", "拖动横条，或输入数字后按 Return。");
    const sac_text *ways[] = {
        [SAC_ASK_LARGEST] = &click, [SAC_ASK_VALUE] = &drag, [SAC_ASK_COUNT] = &type};
    return v->figure ? "" : lesson_text(v, *ways[v->asked.question->kind]);
}
/* The question with what was typed; then what was said, what it is, and why. */
void lesson_tell_question(const lesson_view *v, char *text, size_t size)
{
    char question[256];
    v->lesson.asked_text(v->lesson.self, &v->asked, v->language, question, sizeof question);
    snprintf(text, size, "%s %s", question, v->typed);
}

void lesson_tell_answer(const lesson_view *v, char *text, size_t size)
{
    static const sac_text right = SAC_TEXT_IN("Right", "对"), not = SAC_TEXT_IN("Not", "不是");
    static const sac_text it_is = SAC_TEXT_IN("it is", "而是"), off = SAC_TEXT_IN("away", "之差");
    const char *why = lesson_text(v, v->asked.question->why);
    char answer[32], away[32];
    lesson_format format = {.decimals = v->asked.question->kind == SAC_ASK_VALUE ? 3 : 0};
    lesson_number(&format, v->asked.answer, answer, sizeof answer);
    float gap = fabsf(v->said - v->asked.answer);
    bool close = gap <= 0.005f + 0.01f * fabsf(v->asked.answer) || lesson_bar_is_close(v);
    if (!v->typed[0])
        snprintf(text, size, "%s. %s", answer, why);
    else if (close)
        snprintf(text, size, "%s: %s. %s", lesson_text(v, right), answer, why);
    else
        snprintf(text, size, "%s %s, %s %s (%s %s). %s", lesson_text(v, not ), v->typed,
                 lesson_text(v, it_is), answer, lesson_number(&format, gap, away, sizeof away),
                 lesson_text(v, off), why);
}

static bool answer(lesson_view *v)
{
    char *end;
    v->said = strtof(v->typed, &end);
    v->answered = end != v->typed;
    return v->answered;
}

bool lesson_quiz_press(lesson_view *v, lesson_cell cell)
{
    if (!lesson_asks(v) || !lesson_hides(v, cell.array))
        return false;
    const sac_shown_array *array = lesson_array(v, cell.array);
    if (v->asked.question->kind != SAC_ASK_LARGEST || cell.cell / array->columns != v->asked.row)
        return false;
    snprintf(v->typed, sizeof v->typed, "%zu", cell.cell % array->columns);
    return answer(v);
}

bool lesson_quiz_key(lesson_view *v, int key)
{
    size_t length = strlen(v->typed);
    bool digit = (key >= '0' && key <= '9') || key == '.' || key == '-';
    if (!lesson_asks(v)) {
        if (!v->quiz || key != VIZ_KEY_RETURN)
            return false;
        v->quiz_seed++;
        lesson_ask(v);
        return true;
    }
    if (key == VIZ_KEY_RETURN)
        return answer(v);
    if (key == VIZ_KEY_BACKSPACE && length > 0)
        v->typed[length - 1] = '\0';
    else if (digit && length + 1 < sizeof v->typed)
        memcpy(v->typed + length, (char[]){(char)key, '\0'}, 2);
    else
        return false;
    return true;
}
