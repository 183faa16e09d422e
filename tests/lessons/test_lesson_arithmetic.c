/* The arithmetic shown for a cell gives the cell: every expression, as a program and as a person
 * reads it, is evaluated in float64. */

#include "base/text/numbers.h"
#include "computed.h"
#include "lessons/engine/graph.h"
#include "lessons/lesson_source.h"
#include "status.h"

/* ---------------------------------------------------------------- expressions, as Python reads
 * them, and as they are written for people: 0.5·(−2)² − √2 */

typedef struct reader {
    const char *at;
} reader;

static double read_sum(reader *r);

static bool take(reader *r, const char *word)
{
    while (*r->at == ' ')
        r->at++;
    if (strncmp(r->at, word, strlen(word)) != 0)
        return false;
    r->at += strlen(word);
    return true;
}

static void need(reader *r, const char *word)
{
    if (!take(r, word))
        fail_msg("\"%s\" is missing at \"%.40s\"", word, r->at);
}

/* max(a, b) and max((a, b, …,)). */
static double read_largest(reader *r)
{
    bool tuple = take(r, "(");
    double largest = read_sum(r);
    while (take(r, ",")) {
        if (tuple && take(r, ")")) {
            need(r, ")");
            return largest;
        }
        largest = fmax(largest, read_sum(r));
    }
    need(r, ")");
    return largest;
}

static double read_comparison(reader *r)
{
    double a = read_sum(r);
    bool larger = take(r, ">");
    if (!larger)
        need(r, "==");
    double b = read_sum(r);
    need(r, ")");
    return larger ? a > b : a == b;
}

static double read_call(reader *r, double (*function)(double))
{
    double value = function(read_sum(r));
    need(r, ")");
    return value;
}

static double same(double x)
{
    return x;
}

static double read_atom(reader *r)
{
    static const struct {
        const char *name;
        double (*function)(double);
    } functions[] = {{"exp(", exp}, {"sqrt(", sqrt}, {"tanh(", tanh}, {"sin(", sin},
                     {"cos(", cos}, {"log2(", log2}, {"(", same}};
    char *end;
    if (take(r, "max("))
        return read_largest(r);
    if (take(r, "float("))
        return read_comparison(r);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (take(r, functions[i].name))
            return read_call(r, functions[i].function);
    if (take(r, "√(")) {
        double root = sqrt(read_sum(r));
        need(r, ")");
        return root;
    }
    if (take(r, "√"))
        return sqrt(read_atom(r));
    if (take(r, "∞"))
        return INFINITY;
    if (take(r, "½"))
        return 0.5;
    double value = strtod(r->at, &end); /* knows inf and nan */
    if (end == r->at)
        fail_msg("no number at \"%.40s\"", r->at);
    r->at = end;
    if (strncmp(r->at, "e−", strlen("e−")) == 0) { /* 2.1e−9 */
        char digits[40];
        long power = strtol(r->at + strlen("e−"), &end, 10);
        snprintf(digits, sizeof digits, "%.12ge-%ld", value, power);
        value = strtod(digits, NULL);
        r->at = end;
    }
    return value;
}

static double read_power(reader *r)
{
    if (take(r, "-") || take(r, "−"))
        return -read_power(r);
    double base = read_atom(r);
    if (take(r, "²"))
        return base * base;
    return take(r, "**") || take(r, "^") ? pow(base, read_power(r)) : base;
}

static double read_product(reader *r)
{
    double value = read_power(r);
    for (;;) {
        if (take(r, "*") || take(r, "·"))
            value *= read_power(r);
        else if (take(r, "/"))
            value /= read_power(r);
        else
            return value;
    }
}

static double read_sum(reader *r)
{
    double value = read_product(r);
    for (;;) {
        if (take(r, "+"))
            value += read_product(r);
        else if (take(r, "-") || take(r, "−"))
            value -= read_product(r);
        else
            return value;
    }
}

static double evaluate(const char *expression)
{
    reader r = {expression};
    double value = read_sum(&r);
    if (*r.at)
        fail_msg("more than an expression: \"%.40s\"", r.at);
    return value;
}

/* ---------------------------------------------------------------- every cell */

/* Large arrays of draws are tried at every 997th cell. */
static void check_lesson(const sac_lesson *lesson)
{
    for (sac_node node = 1; node <= lesson->graph.count; node++) {
        size_t count = sac_small_count(lesson->graph.arrays[node - 1].shape);
        for (size_t cell = 0; cell<count; cell += count> 2000 ? 997 : 1) {
            /* 1e-6, of the largest magnitude among value and operands where that is above 1. */
            sac_arithmetic a;
            const sac_small_array *array = &lesson->graph.arrays[node - 1];
            OK(sac_arithmetic_of(&lesson->graph, node, cell, SAC_FOR_PROGRAMS, &a, &failure));
            double value = evaluate(a.expression), is = (double)a.value, scale = fmax(1, fabs(is));
            bool given = array->operation == SAC_OP_GIVEN || array->operation == SAC_OP_POSITION;
            assert_true((a.count == 0) == given);
            for (size_t i = 0; i < a.count; i++) {
                const sac_small_array *from = &lesson->graph.arrays[a.operands[i].array - 1];
                assert_true(a.operands[i].array < node);
                assert_true(a.operands[i].cell < sac_small_count(from->shape));
                double operand = fabs((double)from->numbers[a.operands[i].cell]);
                scale = isfinite(operand) ? fmax(scale, operand) : scale;
            }
            bool equal =
                value == is || (isnan(value) && isnan(is)) || fabs(value - is) <= 1e-6 * scale;
            if (!equal)
                fail_msg("%s: %s at %zu is %.9g, and %.60s is %.9g", lesson->class->name,
                         array->name, cell, is, a.expression, value);
            sac_arithmetic_free(&a);
        }
    }
}

TEST(arithmetic_of_every_cell_evaluates_to_its_value)
{
    for (int i = 0; sac_lessons[i]; i++) {
        bool has_draws = strcmp(sac_lessons[i]->name, "why-scale") == 0; /* thousands */
        if (!has_draws || !is_oclgrind())
            check_lesson(computed_as_it_is(sac_lessons[i]->name));
    }
}

/* Equal scores, of which a third is kept at that temperature. */
#define TIED "temperature=3 scores,0,0=0.8 scores,0,2=0.8"

TEST(it_does_in_other_settings_too)
{
    check_lesson(computed((asked){"self-attention", "heads=3", -1}));
    check_lesson(computed((asked){"self-attention", "identity=1", -1}));
    check_lesson(computed((asked){"image-as-set", "keys=1", -1}));
    check_lesson(computed((asked){"image-as-set", "self=1", -1}));
    check_lesson(computed((asked){"masks", "nan=1", -1}));
    check_lesson(computed((asked){"multi-head", "prenorm=1", -1}));
    check_lesson(computed((asked){"positions", "d=7", -1}));
    check_lesson(computed((asked){"permutation", "positions=1", -1}));
    check_lesson(computed((asked){"sharper-than-softmax", TIED, -1}));
    check_lesson(computed((asked){"sharper-than-softmax", "scores,0,2=4", -1})); /* one is kept */
}

/* ---------------------------------------------------------------- texts for a view */

static bool has_operand(const sac_operand *operands, size_t count, sac_operand one)
{
    for (size_t i = 0; i < count; i++)
        if (operands[i].array == one.array && operands[i].cell == one.cell)
            return true;
    return false;
}

enum { MOST_OPERANDS = 4096 };

/* The last cell of each array: a view moves the numbers that its arithmetic is made of. */
TEST(a_view_knows_of_which_cells_a_cell_is_made)
{
    static sac_operand shown[MOST_OPERANDS];
    static sac_shown_lesson view;
    for (int i = 0; sac_lessons[i]; i++) {
        const sac_lesson *lesson = computed_as_it_is(sac_lessons[i]->name);
        sac_lesson_describe((sac_lesson *)lesson, &view); /* and is not freed by it */
        for (sac_node node = 1; node <= lesson->graph.count; node++) {
            sac_arithmetic a;
            size_t cell = sac_small_count(lesson->graph.arrays[node - 1].shape) - 1;
            size_t count = sac_shown_operands(&view, node, cell, shown, MOST_OPERANDS);
            OK(sac_arithmetic_of(&lesson->graph, node, cell, SAC_FOR_PROGRAMS, &a, &failure));
            bool all = count < MOST_OPERANDS; /* and not a row of thousands */
            for (size_t k = 0; k < a.count && all; k++)
                assert_true(has_operand(shown, count, a.operands[k]));
            for (size_t k = 0; k < count && all; k++)
                assert_true(has_operand(a.operands, a.count, shown[k]));
            sac_arithmetic_free(&a);
        }
    }
}

/* ---------------------------------------------------------------- what people read */

/* The number of a text in the window's form. */
static double number_in(const char *text)
{
    bool negative = strncmp(text, "−", strlen("−")) == 0;
    text += negative ? strlen("−") : 0;
    double value = strncmp(text, "∞", 3) == 0 ? INFINITY
                   : strcmp(text, "NaN") == 0 ? NAN
                                              : evaluate(text);
    return negative ? -value : value;
}

/* "0.04 + (−0.09)", where 0.04 − 0.09 is meant. A square is another thing: 1 + (−2)². */
static bool adds_a_negative_number(const char *text)
{
    static const char *const begins[] = {"+ (−", "− (−"};
    for (size_t i = 0; i < 2; i++)
        for (const char *at = text; (at = strstr(at, begins[i])) != NULL;) {
            at += strlen(begins[i]);
            const char *end = at + strspn(at, "0123456789.e");
            if (*end == ')' && strncmp(end + 1, "²", strlen("²")) != 0)
                return true;
        }
    return false;
}

/* Computing with the numbers that are shown gives the result, to its last digit; or the line has
 * "≈". A result that rounding left of 0 is 0. */
static void check_what_is_read(const sac_lesson *lesson, sac_node node, size_t cell)
{
    /* A sum of a negative number, or a factor −1, is not written so. */
    static const char *const riddles[] = {"(−1)·", "--", "+ −", "e-", "-0", " - "};
    sac_arithmetic a;
    const sac_small_array *array = &lesson->graph.arrays[node - 1];
    OK(sac_arithmetic_of(&lesson->graph, node, cell, SAC_FOR_PEOPLE, &a, &failure));
    char where[160];
    snprintf(where, sizeof where, "%s: %s at %zu", lesson->class->name, array->name, cell);
    if (fabsf(a.value) < array->noise && strcmp(a.result, "0") != 0)
        fail_msg("%s: noise is shown as %s", where, a.result);
    for (size_t i = 0; i < sizeof riddles / sizeof *riddles; i++)
        if (strstr(a.expression, riddles[i]))
            fail_msg("%s: \"%s\" in %.80s", where, riddles[i], a.expression);
    if (adds_a_negative_number(a.expression))
        fail_msg("%s: a sum of a negative number in %.80s", where, a.expression);
    if (strcmp(a.expression, a.result) == 0)
        fail_msg("%s: %s = %s adds nothing", where, a.expression, a.result);
    bool cut = strstr(a.expression, "…"), name = strchr(a.expression, '[');
    if (cut && a.relation != SAC_ABOUT)
        fail_msg("%s: %.80s is cut and has no ≈", where, a.expression);
    if ((a.relation == SAC_IS || a.relation == SAC_ABOUT) && !name && !cut) {
        double value = evaluate(a.expression);
        value = fabs(value) < (double)array->noise ? 0 : value;
        /* With the digits of `result`. */
        char text[40];
        double is = number_in(a.result),
               rounded = sac_number_text_with_digits(value, 0, text, sizeof text);
        bool exact = is == rounded || (isnan(is) && isnan(rounded));
        if (exact != (a.relation == SAC_IS))
            fail_msg("%s: %.160s %s %s, and it is %.9g", where, a.expression,
                     sac_lesson_relation_sign(a.relation), a.result, value);
    }
    sac_arithmetic_free(&a);
}

/* Of arrays that steps show. */
static void check_what_is_read_of(const sac_lesson *lesson)
{
    for (sac_node node = 1; node <= lesson->graph.count; node++) {
        const sac_small_array *array = &lesson->graph.arrays[node - 1];
        size_t count = array->hidden ? 0 : sac_small_count(array->shape);
        for (size_t cell = 0; cell<count; cell += count> 2000 ? 997 : 1)
            check_what_is_read(lesson, node, cell);
    }
}

TEST(what_is_shown_can_be_reckoned_to_its_last_digit)
{
    static const asked others[] = {{"self-attention", "heads=3", -1},
                                   {"self-attention", "identity=1", -1},
                                   {"image-as-set", "self=1 keys=1 values=1", -1},
                                   {"masks", "nan=1", -1},
                                   {"positions", "d=7", -1},
                                   {"sharper-than-softmax", TIED, -1},
                                   {"sharper-than-softmax", "scores,0,2=4", -1},
                                   {"permutation", "positions=1", -1},
                                   {"step-by-step", "temperature=0.3", -1}};
    for (int i = 0; sac_lessons[i]; i++)
        if (strcmp(sac_lessons[i]->name, "why-scale") != 0 || !is_oclgrind())
            check_what_is_read_of(computed_as_it_is(sac_lessons[i]->name));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        check_what_is_read_of(computed(others[i]));
}

static void check_line(const char *lesson, const char *settings, const char *array, size_t cell,
                       const char *line)
{
    sac_arithmetic a;
    char reported[400];
    const sac_lesson *l = computed((asked){lesson, settings, -1});
    OK(sac_arithmetic_of(&l->graph, sac_graph_find(&l->graph, array), cell, SAC_FOR_PEOPLE, &a,
                         &failure));
    snprintf(reported, sizeof reported, "%s %s %s", a.expression,
             sac_lesson_relation_sign(a.relation), a.result);
    assert_string_equal(reported, line);
    sac_arithmetic_free(&a);
}

TEST(arithmetic_is_written_for_people)
{
    check_line("step-by-step", "", "weights", 3, "exp(0) / (exp(0) + exp(0.707)) = 0.330");
    check_line("step-by-step", "", "output", 2, "0.2483·1 + 0.2483·2 + 0.5035·3 = 2.255");
    check_line("step-by-step", "", "scaled", 8, "2 / √2 = 1.414");
    check_line("step-by-step", "", "masked", 1, "blocked[0,1] = 1 → −∞");
    check_line("step-by-step", "", "masked", 3, "scaled[1,0] = 0");
    check_line("step-by-step", "", "query", 0, " = 1");
    check_line("masks", "", "is_padding", 5, "3 ≠ 0 → 0");
    check_line("masks", "", "is_padding", 6, "0 = 0 → 1");
    check_line("mask-conventions", "", "kept", 0, "1 − 0 = 1");
    check_line("positions", "", "encoding", 8, "sin(1) = 0.841");
    check_line("alignment", "", "words_seen", 8, "2^1.0113 = 2.016");
}

TEST_MAIN(open_device, close_lessons)
