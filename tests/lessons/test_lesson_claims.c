/* What the sentences of a lesson claim, computed: each claim is checked against the arrays it speaks
 * of, and a step whose text claims something must have its claim here. */
#include "computed.h"
#include "status.h"

typedef enum kind {
    FALLS,        /* from cell to cell, over `count` cells of `a` from `first` on */
    RISES,        /* the same */
    EQUAL,        /* as many cells of `a` and of `b` differ by at most `by` of a's largest number */
    ALIKE,        /* the same of these cells of `a` among themselves, … */
    COLUMN_ALIKE, /* … or of column `first` of `count`, by at most `by` */
    DIFFERENT,    /* some cell of `a` and of `b` differs by more than `by` */
    WITHIN,       /* all are between `by` and `to` */
    SUMS,         /* of rows of `count` cells are `by` */
    SUMS_DOWN,    /* the same of columns, `first` their number */
    ZEROS,        /* there are `by` cells that are exactly 0 */
    LARGEST,      /* of `count` cells from `first` on the one at `by` */
    LARGER,       /* each cell of `a` is larger than `by` times that of `b` */
} kind;

/* count 0: all cells. */
static const struct claim {
    const char *lesson, *settings, *step;
    kind kind;
    const char *a, *b;
    size_t first, count;
    double by, to;
} claims[] = {
#include "lesson_claims.h"
};
enum { CLAIMS = sizeof claims / sizeof *claims };

static const sac_small_array *array_named(const sac_lesson *lesson, const char *name)
{
    sac_node node = sac_graph_find(&lesson->graph, name);
    if (!node)
        fail_msg("%s: no array %s", lesson->class->name, name);
    return &lesson->graph.arrays[node - 1];
}

static double largest_of(const sac_small_array *array)
{
    double most = 0;
    for (size_t i = 0; i < sac_small_count(array->shape); i++)
        if (isfinite(array->numbers[i]))
            most = fmax(most, fabs((double)array->numbers[i]));
    return most;
}

static bool sums_hold(const struct claim *c, const float *a, size_t count)
{
    bool down = c->kind == SUMS_DOWN;
    size_t columns = down ? c->first : c->count, rows = count / columns;
    for (size_t i = 0; i < (down ? columns : rows); i++) {
        double sum = 0;
        for (size_t k = 0; k < (down ? rows : columns); k++)
            sum += (double)a[down ? k * columns + i : i * columns + k];
        if (fabs(sum - c->by) > 1e-5)
            return false;
    }
    return true;
}

static bool is_alike(const float *a, size_t count, size_t step, double by)
{
    for (size_t i = 0; i < count; i += step)
        if (fabs((double)a[i] - (double)a[0]) > by)
            return false;
    return true;
}

static bool holds(const struct claim *c, const sac_lesson *lesson)
{
    const sac_small_array *array = array_named(lesson, c->a);
    const sac_small_array *other = c->b ? array_named(lesson, c->b) : array;
    size_t all = sac_small_count(array->shape), count = c->count ? c->count : all - c->first;
    const float *a = array->numbers + c->first, *b = other->numbers + c->first;
    size_t zeros = 0, largest = 0;
    double apart = 0;
    if (c->kind == SUMS || c->kind == SUMS_DOWN)
        return sums_hold(c, array->numbers, all);
    if (c->kind == COLUMN_ALIKE)
        return is_alike(a, all - c->first, c->count, c->by);
    if (c->kind == ALIKE)
        return is_alike(a, count, 1, c->by * largest_of(array));
    assert_true(c->first + count <= all && c->first + count <= sac_small_count(other->shape));
    for (size_t i = 0; i < count; i++) {
        if ((c->kind == FALLS && i && a[i] >= a[i - 1]) ||
            (c->kind == RISES && i && a[i] <= a[i - 1]) ||
            (c->kind == WITHIN && !((double)a[i] >= c->by && (double)a[i] <= c->to)) ||
            (c->kind == LARGER && (double)a[i] <= c->by * (double)b[i]))
            return false;
        zeros += a[i] == 0;
        largest = a[i] > a[largest] ? i : largest;
        apart = fmax(apart, a[i] == b[i] ? 0 : fabs((double)a[i] - (double)b[i]));
    }
    return c->kind == EQUAL       ? apart <= c->by * largest_of(array)
           : c->kind == DIFFERENT ? apart > c->by
           : c->kind == ZEROS     ? (double)zeros == c->by
           : c->kind == LARGEST   ? (double)largest == c->by
                                  : true;
}

static const sac_lesson_step *step_named(const sac_lesson *lesson, const char *name)
{
    for (int s = 0; s < lesson->step_count; s++)
        if (strcmp(sac_translate(SAC_IN_ENGLISH, lesson->steps[s].name), name) == 0)
            return &lesson->steps[s];
    fail_msg("%s has no step %s", lesson->class->name, name);
    return NULL;
}

static bool is_left_out(const char *lesson)
{
    return is_oclgrind() && strcmp(lesson, "why-scale") == 0; /* thousands of draws */
}

TEST(what_sentences_claim_is_so)
{
    for (size_t i = 0; i < CLAIMS; i++) {
        const struct claim *c = &claims[i];
        if (is_left_out(c->lesson))
            continue;
        const sac_lesson *lesson = c->settings[0] ? computed((asked){c->lesson, c->settings, -1})
                                                  : computed_as_it_is(c->lesson);
        step_named(lesson, c->step);
        if (!holds(c, lesson))
            fail_msg("%s, %s: claim %zu of %s does not hold", c->lesson, c->step, i, c->a);
    }
}

/* Words by which a sentence claims something about numbers. */
static bool claims_something(const char *text)
{
    static const char *const words[] = {
        " fall",    " rise",   " equal",  "the same", " larger",   " smaller", " more ", " fewer",
        " nothing", "exactly", " add up", " adds up", " times",    "sharp",    " wins",  " largest",
        " near 1",  " nearly", " is 0",   " are 0",   " smallest", "at most",  "not 0",  "zero",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

static bool has_claim(const char *lesson, const char *step)
{
    for (size_t i = 0; i < CLAIMS; i++)
        if (strcmp(claims[i].lesson, lesson) == 0 && strcmp(claims[i].step, step) == 0)
            return true;
    return false;
}

TEST(a_step_that_claims_something_has_its_claim)
{
    int missing = 0;
    for (int i = 0; sac_lessons[i]; i++) {
        const sac_lesson *lesson = computed_as_it_is(sac_lessons[i]->name);
        for (int s = 0; s < lesson->step_count; s++) {
            const sac_lesson_step *step = &lesson->steps[s];
            const char *name = sac_translate(SAC_IN_ENGLISH, step->name);
            const char *sentence = step->sentence;
            const char *notice = step->notice;
            if ((claims_something(sentence) || claims_something(notice)) &&
                !has_claim(lesson->class->name, name)) {
                print_error("%s, %s: \"%s %s\"\n", lesson->class->name, name, sentence, notice);
                missing++;
            }
        }
    }
    assert_int_equal(missing, 0);
}

/* ---------------------------------------------------------------- how much there is to read */

static int sentences_in(const char *text, sac_locale language)
{
    static const char *const ends[] = {"。", "！", "？"};
    int count = 0;
    if (language == SAC_IN_CHINESE) {
        for (size_t i = 0; i < 3; i++)
            for (const char *at = text; (at = strstr(at, ends[i])) != NULL; at++)
                count++;
        return count;
    }
    for (const char *at = text; *at; at++)
        count += strchr(".!?", *at) && (at[1] == ' ' || at[1] == '\0');
    return count;
}

TEST(a_step_has_two_sentences_at_most)
{
    int missing = 0;
    for (int i = 0; sac_lessons[i]; i++) {
        const sac_lesson *lesson = computed_as_it_is(sac_lessons[i]->name);
        for (int s = 0; s < lesson->step_count; s++)
            for (sac_locale language = 0; language < SAC_LOCALES; language++) {
                const sac_lesson_step *step = &lesson->steps[s];
                const char *sentence = sac_translate(language, step->sentence),
                           *notice = sac_translate(language, step->notice);
                int count = sentences_in(sentence, language) + sentences_in(notice, language);
                if (count > 2 || count == 0) {
                    print_error("%s, step %d has %d sentences: %s %s\n", lesson->class->name, s + 1,
                                count, sentence, notice);
                    missing++;
                }
            }
    }
    assert_int_equal(missing, 0);
}

TEST_MAIN(open_device, close_lessons)
