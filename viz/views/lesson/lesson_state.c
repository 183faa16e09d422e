/* What changes of a lesson view: which lesson of which numbers is wanted, what is asked of it, and the step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lesson/lesson_state.h"

/* ---------------------------------------------------------------- the lesson that is wanted */

void lesson_request_setting(lesson_view *v, const char *key, float value, bool own)
{
    char *settings = v->wanted.settings, before[sizeof v->wanted.settings];
    memcpy(before, settings, sizeof before);
    /* Takes "key=…" out of the words. */
    size_t length = strlen(key);
    for (char *at = settings; *at;) {
        size_t word = strcspn(at, " "), gap = at[word] == ' ';
        if (strncmp(at, key, length) == 0 && at[length] == '=') {
            memmove(at, at + word + gap, strlen(at + word + gap) + 1);
        } else {
            at += word + gap;
        }
    }
    size_t end = strlen(settings);
    if (end > 0 && settings[end - 1] == ' ')
        settings[end - 1] = '\0';
    size_t used = strlen(settings), room = sizeof v->wanted.settings - used;
    int more =
        own ? 0 : snprintf(settings + used, room, "%s%s=%.6g", used ? " " : "", key, (double)value);
    if (more >= (int)room)
        memcpy(settings, before, sizeof before);
    v->demand += strcmp(before, settings) != 0;
}

/* The value is shown at once; the arrays follow when they are computed. */
void lesson_set_parameter(lesson_view *v, int i, float value)
{
    const sac_lesson_parameter *p = &v->lesson.parameters[i];
    /* Three digits: a command that is copied should be short. */
    char text[32];
    snprintf(text, sizeof text, "%.3g", (double)value);
    value = p->whole ? rintf(value) : fminf(fmaxf(strtof(text, NULL), p->low), p->high);
    v->lesson.values[i] = value;
    lesson_request_setting(v, p->name, value, value == p->initial);
}

bool lesson_quiz_leave(lesson_view *v)
{
    v->quiz = v->has_question = v->answered = false;
    v->card = (lesson_card){.chosen = -1};
    return true;
}

void lesson_open(lesson_view *v, int index)
{
    v->wanted = (sac_lesson_request){0};
    snprintf(v->wanted.name, sizeof v->wanted.name, "%s", v->source->lesson.entries[index].name);
    v->cell_name[0] = '\0';
    v->step = v->scored = 0;
    v->ends = v->quizzed = v->plan.kept = false;
    lesson_quiz_leave(v);
    v->opening = true;
    v->marked = index;
    v->demand++;
}

int lesson_entry(const lesson_view *v)
{
    for (int i = 0; i < v->source->lesson.entry_count; i++)
        if (strcmp(v->source->lesson.entries[i].name, v->wanted.name) == 0)
            return i;
    return -1;
}

bool lesson_gallery_show(lesson_view *v)
{
    int entry = lesson_entry(v);
    v->lists = v->gallery.reveals = true;
    v->marked = entry >= 0 ? entry : v->marked;
    return true;
}

bool lesson_is_sheet(const lesson_view *v)
{
    return v->base.figure && v->quiz && (v->known || v->lists);
}

/* ---------------------------------------------------------------- what is asked */

bool lesson_hides(const lesson_view *v, sac_node node)
{
    if (!lesson_asks(v) || v->asked.question->array != node)
        return false;
    /* On paper the result would answer the questions before it. */
    sac_question_kind kind = v->asked.question->kind;
    return v->base.figure ? kind != SAC_ASK_WHY : !sac_asks_choice(kind);
}

bool lesson_hides_cell(const lesson_view *v, sac_node node, size_t cell)
{
    sac_node hides = lesson_asks(v) ? v->asked.question->array : 0;
    const sac_node *inputs = lesson_array(v, node)->inputs;
    size_t columns = lesson_array(v, node)->columns;
    /* What is made of a hidden result alone, such as its sums or another shape of it, would give it
     * away. */
    bool describes = hides && lesson_hides(v, hides) && inputs[0];
    for (int i = 0; i < SAC_ARRAY_INPUTS && inputs[i]; i++)
        describes &= inputs[i] == hides;
    bool hidden = lesson_hides(v, node) || describes;
    for (int i = 0; i < SAC_ARRAY_INPUTS && hides && !hidden; i++)
        if (lesson_array(v, hides)->inputs[i] == node)
            return false;
    for (int i = 0; i < v->sheet_count && v->base.figure && lesson_asks(v) && !hidden; i++) {
        const sac_asked *asked = &v->sheet[i];
        sac_question_kind kind = asked->question->kind;
        hidden = !sac_asks_choice(kind) && asked->question->array == node &&
                 asked->row == cell / columns &&
                 (kind != SAC_ASK_VALUE || asked->column == cell % columns);
    }
    return hidden;
}

void lesson_request_questions(lesson_view *v)
{
    v->demand += !v->wanted.asks;
    v->wanted.asks = true;
}

/* The question of the sheet that it is at. */
static void show_question(lesson_view *v)
{
    v->has_question = v->at < v->sheet_count;
    v->answered = v->by_bar = v->bar_held = false;
    v->typed[0] = '\0';
    v->card = (lesson_card){.chosen = -1};
    if (!v->has_question)
        return;
    v->asked = v->sheet[v->at];
    v->step = v->asked.question->step;
    v->card.asked = sac_asks_choice(v->asked.question->kind) ? &v->asked : NULL;
}

int lesson_most_questions(const lesson_view *v)
{
    return v->base.figure && !v->lists ? LESSON_SHEET : LESSON_QUIZ;
}

void lesson_make_questions(lesson_view *v)
{
    v->sheet_count = v->lesson.ask ? v->lesson.ask(v->lesson.self, v->quiz_seed, v->sheet,
                                                   lesson_most_questions(v))
                                   : 0;
    v->at = v->right_count = 0;
    v->ends = false;
    memset(v->results, 0, sizeof v->results); /* of what is skipped too */
    show_question(v);
}

/* The lesson was computed anew: the same questions of its new numbers. */
void lesson_refresh_questions(lesson_view *v)
{
    int at = v->at;
    bool answered = v->answered, began = v->sheet_count > 0;
    if (!began) {
        lesson_make_questions(v);
        return;
    }
    v->sheet_count = v->lesson.ask ? v->lesson.ask(v->lesson.self, v->quiz_seed, v->sheet,
                                                   lesson_most_questions(v))
                                   : 0;
    v->at = at < v->sheet_count ? at : 0;
    v->has_question = v->sheet_count > 0;
    v->answered = answered && v->has_question;
    if (v->has_question)
        v->asked = v->sheet[v->at];
}

bool lesson_quiz_begin(lesson_view *v)
{
    v->quiz_seed += v->quizzed;
    v->quizzed = v->quiz = true;
    v->ends = false;
    v->has_question = false;
    v->sheet_count = v->at = v->right_count = 0;
    if (v->knows_asks)
        lesson_make_questions(v);
    else
        lesson_request_questions(v);
    return true;
}

bool lesson_asks_row(const lesson_view *v)
{
    return lesson_asks(v) && v->asked.question->kind != SAC_ASK_VALUE &&
           !sac_asks_choice(v->asked.question->kind);
}

/* The column may be the answer. */
lesson_cell lesson_asked_cell(const lesson_view *v)
{
    sac_node node = v->asked.question->array;
    size_t column = lesson_asks_row(v) ? 0 : v->asked.column;
    return (lesson_cell){node, v->asked.row * lesson_array(v, node)->columns + column};
}

/* ---------------------------------------------------------------- steps, and the end behind the last one */

void lesson_choose_end_cards(lesson_view *v)
{
    sac_asked asked[LESSON_SHEET];
    int count = v->lesson.ask
                    ? v->lesson.ask(v->lesson.self, (uint64_t)lesson_entry(v), asked, LESSON_SHEET)
                    : 0,
        found = 0;
    v->cards[0].asked = v->cards[1].asked = NULL;
    for (int i = count; i-- > 0 && found < 2;)
        if (sac_asks_choice(asked[i].question->kind))
            v->last[1 - found++] = asked[i];
    for (int i = 0; i < found; i++)
        v->cards[i].asked = &v->last[i + 2 - found];
}

/* turns to it */
static bool lesson_show_end(lesson_view *v)
{
    v->ends = true;
    /* it was gone through to its end */
    int entry = lesson_entry(v);
    if (entry >= 0 && v->source->lesson.finish)
        v->source->lesson.finish(v->source->self, entry);
    for (int i = 0; i < 2; i++)
        v->cards[i] = (lesson_card){.chosen = -1};
    if (v->knows_asks)
        lesson_choose_end_cards(v);
    else
        lesson_request_questions(v);
    return true;
}

/* The next question; after the last one the lesson's end, with the score. */
bool lesson_quiz_next(lesson_view *v)
{
    v->at++;
    show_question(v);
    if (v->has_question)
        return true;
    lesson_quiz_leave(v);
    v->scored = v->sheet_count;
    return lesson_show_end(v);
}

void lesson_motion_begin(lesson_view *v, int from, int to)
{
    lesson_motion *m = &v->motion;
    m->back = to < from;
    m->lower = m->back ? to : from;
    m->upper = m->back ? from : to;
    m->since = m->now;
    m->begins = m->moves = m->has_clock && v->pace != VIZ_PACE_STILL && !v->quiz && !v->base.figure;
    m->rests_since = m->now;
}

bool lesson_motion_end(lesson_view *v)
{
    bool moved = v->motion.moves;
    v->motion.moves = false;
    v->motion.rests_since = v->motion.now;
    return moved;
}

bool lesson_turn(lesson_view *v, int step)
{
    int last = v->lesson.step_count - 1;
    int to = step < 0 ? 0 : step > last ? last : step;
    if (!v->known || (step > last && (v->ends || v->quiz)))
        return false;
    if (step > last)
        return lesson_show_end(v);
    if (to == v->step && !v->ends)
        return false;
    lesson_motion_begin(v, v->step, to);
    v->step = to;
    v->ends = false;
    v->hovered = (lesson_cell){0};
    return true;
}
