/* A lesson's questions, whose answers come from its arrays. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random/rng.h"
#include "lessons/engine/lesson.h"

/* ---------------------------------------------------------------- what a change does */

/* The array of a cell, and where in it: rows first. False: there is no such cell. */
static bool find_cell(const sac_lesson *lesson, const char *text, sac_node *node, size_t *cell)
{
    sac_lesson_edit at = {0};
    *node = sac_lesson_read_cell(text, strlen(text), &at) ? sac_graph_find(&lesson->graph, at.array)
                                                          : 0;
    sac_small_shape is = sac_node_shape(&lesson->graph, *node);
    bool inside = *node && at.rank == is.rank;
    *cell = 0;
    for (int d = 0; d < is.rank && inside; d++) {
        inside = at.at[d] < is.n[d];
        *cell = *cell * is.n[d] + at.at[d];
    }
    return inside;
}

bool sac_lesson_cell_number(const sac_lesson *lesson, const char *text, float *number)
{
    sac_node node;
    size_t cell;
    bool found = find_cell(lesson, text, &node, &cell);
    if (found)
        *number = lesson->graph.arrays[node - 1].numbers[cell];
    return found;
}

/* The lesson's own numbers with those settings; free it with free_other. */
static sac_status compute_with_settings(const sac_lesson_class *class, const char *settings,
                                        sac_device *device, sac_lesson **other, sac_error *error)
{
    *other = calloc(1, sizeof **other);
    if (!*other)
        return sac_no_memory(error, class->name);
    sac_lesson_begin(*other, class);
    sac_status status = sac_lesson_set_all(*other, settings ? settings : "", error);
    return status == SAC_OK ? sac_lesson_compute(*other, device, error) : status;
}

static void free_lesson(sac_lesson *other)
{
    if (other)
        sac_lesson_clear(other);
    free(other);
}

enum { GROWS, FALLS, STAYS };

/* The right choice of a question about a change. */
static sac_status find_change_direction(const sac_lesson_ask *ask, const sac_lesson *before,
                                        const sac_lesson *after, int *right, sac_error *error)
{
    sac_node node, same;
    size_t cell, there;
    if (!find_cell(before, ask->cell, &node, &cell) ||
        !find_cell(after, ask->cell, &same, &there) || cell != there)
        return sac_fail(error, SAC_E_ARGUMENT, before->class->name, "correct its question",
                        "has no %s", ask->cell);
    const float *was = before->graph.arrays[node - 1].numbers,
                *is = after->graph.arrays[same - 1].numbers;
    if (ask->kind == SAC_ASK_WAY) {
        /* Of two numbers that rounding alone makes unequal. */
        float gap = is[cell] - was[cell], least = 1e-5f * fmaxf(fabsf(was[cell]), fabsf(is[cell]));
        *right = !(fabsf(gap) > least) ? STAYS : gap > 0 ? GROWS : FALLS;
        return SAC_OK;
    }
    size_t columns = sac_node_size(&before->graph, node, -1), first = cell - cell % columns;
    *right = 0;
    for (size_t c = 1; c < columns && c < SAC_CHOICES; c++)
        if (is[first + c] - was[first + c] >
            is[first + (size_t)*right] - was[first + (size_t)*right])
            *right = (int)c;
    return SAC_OK;
}

static sac_status compute_right_choice(const sac_lesson *lesson, const sac_lesson_ask *ask,
                                       sac_device *device, int *right, sac_error *error)
{
    sac_lesson *before = NULL, *after = NULL;
    *right = 0;
    if (ask->kind == SAC_ASK_WHY)
        return SAC_OK;
    sac_status status = compute_with_settings(lesson->class, ask->before, device, &before, error);
    if (status == SAC_OK)
        status = compute_with_settings(lesson->class, ask->after, device, &after, error);
    if (status == SAC_OK)
        status = find_change_direction(ask, before, after, right, error);
    free_lesson(before);
    free_lesson(after);
    return status;
}

/* The first step that shows an array; the last one where none does. */
static int first_step_showing(const sac_lesson *lesson, sac_node node)
{
    for (int s = 0; s < lesson->step_count; s++)
        for (int i = 0; i < SAC_STEP_ARRAYS && lesson->steps[s].arrays[i]; i++)
            if (lesson->steps[s].arrays[i] == node)
                return s;
    return lesson->step_count - 1;
}

/* That the question is about; without one, what the last step is about. 0: there is no such array. */
static sac_node question_array(const sac_lesson *lesson, const sac_lesson_ask *ask)
{
    const sac_lesson_step *last = &lesson->steps[lesson->step_count - 1];
    char name[32];
    if (!ask->cell)
        return last->arrays[0];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(ask->cell, ","), ask->cell);
    return sac_graph_find(&lesson->graph, name);
}

sac_status sac_lesson_add_questions(sac_lesson *lesson, sac_device *device, sac_error *error)
{
    sac_status status = SAC_OK;
    for (const sac_lesson_ask *ask = lesson->class->asks; ask && ask->text; ask++) {
        sac_node node = question_array(lesson, ask);
        int right;
        if (lesson->question_count == SAC_LESSON_QUESTIONS || !node)
            continue; /* a person's own numbers may leave it out */
        status = compute_right_choice(lesson, ask, device, &right, error);
        if (status != SAC_OK)
            break;
        lesson->questions[lesson->question_count++] = (sac_question){
            ask->kind, ask->cell ? first_step_showing(lesson, node) : lesson->step_count - 1,
            node,      ask->why,
            ask,       right};
    }
    return status;
}

/* ---------------------------------------------------------------- questions by a seed */

static int choice_count(const sac_lesson *lesson, const sac_question *question)
{
    int count = question->kind == SAC_ASK_WAY ? 3 : 0;
    if (question->kind == SAC_ASK_GAINS) {
        size_t columns = sac_node_size(&lesson->graph, question->array, -1);
        count = columns < SAC_CHOICES ? (int)columns : SAC_CHOICES;
    }
    while (question->kind == SAC_ASK_WHY && count < SAC_CHOICES &&
           question->of->reasons[count].text)
        count++;
    return count;
}

/* Reasons are shuffled; ways and columns have an order of their own. */
static void pick_random_choices(const sac_lesson *lesson, sac_rng *rng, sac_asked *asked)
{
    const sac_question *question = asked->question;
    sac_node node;
    size_t cell;
    if (question->of->cell && find_cell(lesson, question->of->cell, &node, &cell)) {
        asked->row = cell / sac_node_size(&lesson->graph, node, -1);
        asked->column = cell % sac_node_size(&lesson->graph, node, -1);
    }
    asked->choice_count = choice_count(lesson, question);
    for (int i = 0; i < asked->choice_count; i++)
        asked->choices[i] = i;
    for (int i = asked->choice_count; question->kind == SAC_ASK_WHY && i-- > 1;) {
        int k = sac_rng_pick(rng, i + 1), moved = asked->choices[i];
        asked->choices[i] = asked->choices[k];
        asked->choices[k] = moved;
    }
    for (int i = 0; i < asked->choice_count; i++)
        if (asked->choices[i] == question->right)
            asked->answer = (float)i;
}

/* The column of the largest of a row's numbers, if the next one is smaller by more than the digits
 * that are shown can hide: by a fiftieth of the largest magnitude, as an answer that is typed may be
 * off. −1: none is clearly larger. */
static int clearly_largest_column(const float *row, size_t columns)
{
    size_t best = 0;
    float most = 0, next = -INFINITY;
    for (size_t c = 0; c < columns; c++) {
        best = row[c] > row[best] ? c : best;
        most = isfinite(row[c]) ? fmaxf(most, fabsf(row[c])) : most;
    }
    for (size_t c = 0; c < columns; c++)
        next = c != best ? fmaxf(next, row[c]) : next;
    return row[best] - next > most / 50 ? (int)best : -1;
}

/* Of a row that has an answer. False: none of the array has. */
static bool pick_random_cell(const sac_lesson *lesson, sac_rng *rng, sac_asked *asked)
{
    const sac_small_array *array = &lesson->graph.arrays[asked->question->array - 1];
    sac_extent e = sac_small_extent(array->shape);
    size_t rows = e.batch * e.rows, first = (size_t)sac_rng_pick(rng, (int)rows);
    asked->column = (size_t)sac_rng_pick(rng, (int)e.columns);
    for (size_t i = 0; i < rows; i++) {
        asked->row = (first + i) % rows;
        const float *row = array->numbers + asked->row * e.columns;
        int largest = clearly_largest_column(row, e.columns);
        switch (asked->question->kind) {
        case SAC_ASK_LARGEST:
            asked->column = (size_t)largest;
            asked->answer = (float)largest;
            if (largest >= 0)
                return true;
            break;
        case SAC_ASK_VALUE:
            asked->answer = row[asked->column];
            if (isfinite(asked->answer))
                return true;
            break;
        default:
            for (size_t c = 0; c < e.columns; c++)
                asked->answer += row[c] != 0;
            return true;
        }
    }
    return false;
}

static bool pick_random_question(const sac_lesson *lesson, int number, sac_rng *rng,
                                 sac_asked *asked)
{
    *asked = (sac_asked){.question = &lesson->questions[number]};
    if (!sac_asks_choice(asked->question->kind))
        return pick_random_cell(lesson, rng, asked);
    pick_random_choices(lesson, rng, asked);
    return true;
}

static bool is_same(const sac_asked *a, const sac_asked *b)
{
    if (a->question != b->question || sac_asks_choice(a->question->kind))
        return a->question == b->question;
    return a->row == b->row && (a->question->kind != SAC_ASK_VALUE || a->column == b->column);
}

/* What `a` asks for is needed to answer `b`. */
static bool is_needed_to_answer(const sac_lesson *lesson, const sac_asked *a, const sac_asked *b)
{
    const sac_small_array *of = &lesson->graph.arrays[b->question->array - 1];
    bool leads = false;
    for (int k = 0; k < SAC_GRAPH_INPUTS; k++) /* of the others any row may be an operand */
        leads |= of->inputs[k] == a->question->array && (k > 0 || a->row == b->row);
    return leads && !sac_asks_choice(a->question->kind) && !sac_asks_choice(b->question->kind);
}

static int by_step(const void *a, const void *b)
{
    const sac_question *x = ((const sac_asked *)a)->question, *y = ((const sac_asked *)b)->question;
    return x->step != y->step ? x->step - y->step : (x > y) - (x < y);
}

static bool shows(const sac_lesson_step *step, sac_node node)
{
    for (int i = 0; i < SAC_STEP_ARRAYS && step->arrays[i]; i++)
        if (step->arrays[i] == node)
            return true;
    return false;
}

/* The step shows the array, or all that it is computed of; one number all over needs no showing. */
static bool is_array_known(const sac_lesson *lesson, const sac_lesson_step *step, sac_node node)
{
    const sac_small_array *array = &lesson->graph.arrays[node - 1];
    sac_extent e = sac_small_extent(array->shape);
    bool known = true;
    if (shows(step, node))
        return true;
    for (size_t i = 1; i < e.batch * e.rows * e.columns && !array->inputs[0] && known; i++)
        known = array->numbers[i] == array->numbers[0];
    for (int k = 0; k < SAC_GRAPH_INPUTS && array->inputs[k] && known; k++)
        known = is_array_known(lesson, step, array->inputs[k]);
    return known;
}

/* What is hidden follows from what it is computed of, or from the step's words; a choice from its own. */
static bool has_answer_on_page(const sac_lesson *lesson, const sac_question *question)
{
    const sac_small_array *array = &lesson->graph.arrays[question->array - 1];
    const sac_lesson_step *step = &lesson->steps[question->step];
    bool known = array->inputs[0] != 0;
    for (int k = 0; k < SAC_GRAPH_INPUTS && array->inputs[k]; k++)
        known = known && is_array_known(lesson, step, array->inputs[k]);
    return known || question->by_text || sac_asks_choice(question->kind);
}

bool sac_lesson_pick_one_question(const sac_lesson *lesson, uint64_t seed, sac_asked *asked)
{
    sac_rng rng = {.seed = seed};
    int count = lesson->question_count, first = count ? sac_rng_pick(&rng, count) : 0;
    for (int i = 0; i < count; i++) {
        int number = (first + i) % count;
        if (has_answer_on_page(lesson, &lesson->questions[number]) &&
            pick_random_question(lesson, number, &rng, asked))
            return true;
    }
    return false;
}

/* Two numbers of one row. Of two weights the second is 1 less the first. */
static bool share_row(const sac_lesson *lesson, const sac_asked *a, const sac_asked *b, bool strict)
{
    const sac_extent e = sac_small_extent(lesson->graph.arrays[a->question->array - 1].shape);
    return !sac_asks_choice(a->question->kind) && !sac_asks_choice(b->question->kind) &&
           a->question->array == b->question->array && a->row == b->row &&
           (strict || e.columns == 2);
}

int sac_lesson_pick_questions(const sac_lesson *lesson, uint64_t seed, sac_asked *asked, int most)
{
    enum { ROUNDS = 12, ENOUGH = 5 };
    sac_rng rng = {.seed = seed};
    int order[SAC_LESSON_QUESTIONS], count = 0, kinds = lesson->question_count;
    for (int i = 0; i < kinds; i++) {
        int k = sac_rng_pick(&rng, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    /* Choices first: where there is no room for all, they teach more than another cell does. A question
     * of another cell has another answer, and none needs what another one asks for, unless there
     * would be too few. */
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < kinds && count < most; i++) {
            bool chooses = sac_asks_choice(lesson->questions[order[i]].kind);
            bool is_new = round == 0 ? chooses : !chooses;
            bool strict = round < ROUNDS / 2;
            if (!is_new || (!strict && count >= ENOUGH) ||
                !has_answer_on_page(lesson, &lesson->questions[order[i]]) ||
                !pick_random_question(lesson, order[i], &rng, &asked[count]))
                continue;
            for (int k = 0; k < count && is_new; k++) {
                const sac_asked *a = &asked[k], *b = &asked[count];
                bool alike = a->question == b->question && a->answer == b->answer;
                bool leads = is_needed_to_answer(lesson, a, b) || is_needed_to_answer(lesson, b, a);
                is_new = !is_same(a, b) && !share_row(lesson, a, b, strict) &&
                         !(strict && (alike || leads));
            }
            count += is_new;
        }
    qsort(asked, (size_t)count, sizeof *asked, by_step);
    return count;
}

/* ---------------------------------------------------------------- their words */

char *sac_choice_text(const sac_lesson *lesson, const sac_asked *asked, int place,
                      sac_locale language, char *text, size_t size)
{
    static const char *const ways[] = {
        [GROWS] = N_("it grows"), [FALLS] = N_("it falls"), [STAYS] = N_("it stays the same")};
    const sac_question *question = asked->question;
    const sac_small_array *array = &lesson->graph.arrays[question->array - 1];
    int choice = asked->choices[place];
    if (question->kind == SAC_ASK_GAINS && !array->column_labels) {
        snprintf(text, size, sac_translate(language, "column %d"), choice);
        return text;
    }
    snprintf(
        text, size, "%s",
        question->kind == SAC_ASK_WAY ? sac_translate(language, ways[choice])
        : question->kind == SAC_ASK_GAINS
            ? sac_label_text(array->column_labels, array->column_terms, (size_t)choice, language)
            : sac_translate(language, question->of->reasons[choice].text));
    return text;
}

/* "row 2 (“garden”)" */
static void format_row_label(const char *line, size_t number, const char *label,
                             sac_locale language, char *text, size_t size)
{
    int used = snprintf(text, size, line, number);
    if (label && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, sac_translate(language, " (“%s”)"), label);
}

char *sac_asked_text(const sac_lesson *lesson, const sac_asked *asked, sac_locale language,
                     char *text, size_t size)
{
    static const char *const forms[] = {
        [SAC_ASK_LARGEST] = N_("Which column holds the largest number in %s of %s?"),
        [SAC_ASK_VALUE] = N_("Which number stands in %s of %s, %s?"),
        [SAC_ASK_COUNT] = N_("How many numbers in %s of %s are not 0?"),
    };
    if (sac_asks_choice(asked->question->kind)) {
        snprintf(text, size, "%s", sac_translate(language, asked->question->of->text));
        return text;
    }
    const sac_small_array *array = &lesson->graph.arrays[asked->question->array - 1];
    size_t rows = sac_small_extent(array->shape).rows;
    char row[80], matrix[96], column[80];
    size_t r = asked->row % rows, c = asked->column;
    format_row_label(sac_translate(language, "row %zu"), r,
                     sac_label_text(array->row_labels, array->row_terms, r, language), language,
                     row, sizeof row);
    format_row_label(sac_translate(language, "column %zu"), c,
                     sac_label_text(array->column_labels, array->column_terms, c, language),
                     language, column, sizeof column);
    /* "weights", or "block 1 of weights", from 0 like rows and columns: which of an array's matrices
     * it is. In Chinese with the word that leads on to its row, which stands apart from letters only. */
    size_t block = asked->row / rows;
    if (sac_small_extent(array->shape).batch == 1)
        snprintf(matrix, sizeof matrix,
                 sac_translate(language, NC_("an array, before its row", "%s")), array->name);
    else
        snprintf(matrix, sizeof matrix, sac_translate(language, "block %2$zu of %1$s"), array->name,
                 block);
    snprintf(text, size, sac_translate(language, forms[asked->question->kind]), row, matrix,
             column);
    return text;
}
