/* The arithmetic that a cell tells gives the cell: every expression, as a program reads it, is
 * evaluated in float64. */

#include "computed.h"
#include "lessons/engine/arithmetic.h"
#include "lessons/engine/operations.h"
#include "lessons/lesson_source.h"
#include "status.h"

/* ---------------------------------------------------------------- expressions, as Python reads
 * them */

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
    need(r, "==");
    double b = read_sum(r);
    need(r, ")");
    return a == b;
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
    double value = strtod(r->at, &end); /* knows inf and nan */
    if (end == r->at)
        fail_msg("no number at \"%.40s\"", r->at);
    r->at = end;
    return value;
}

static double read_power(reader *r)
{
    if (take(r, "-"))
        return -read_power(r);
    double base = read_atom(r);
    return take(r, "**") ? pow(base, read_power(r)) : base;
}

static double read_product(reader *r)
{
    double value = read_power(r);
    for (;;) {
        if (take(r, "*"))
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
        else if (take(r, "-"))
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

/* 1e-6, of the largest magnitude among value and operands where that is above 1. */
static void check_cell(const sac_lesson *lesson, sac_node node, size_t cell)
{
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
    bool equal = value == is || (isnan(value) && isnan(is)) || fabs(value - is) <= 1e-6 * scale;
    if (!equal)
        fail_msg("%s: %s at %zu is %.9g, and %.60s is %.9g", lesson->class->name, array->name, cell,
                 is, a.expression, value);
    sac_arithmetic_free(&a);
}

/* Large arrays of draws are tried at every 997th cell. */
static void check_lesson(const sac_lesson *lesson)
{
    for (sac_node node = 1; node <= lesson->graph.count; node++) {
        size_t count = sac_small_count(lesson->graph.arrays[node - 1].shape);
        for (size_t cell = 0; cell<count; cell += count> 2000 ? 997 : 1)
            check_cell(lesson, node, cell);
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
}

/* ---------------------------------------------------------------- what a view is told */

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
        sac_lesson_show((sac_lesson *)lesson, &view); /* and is not freed by it */
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

TEST(people_read_few_digits_and_no_masked_terms)
{
    sac_arithmetic a;
    const sac_lesson *lesson = computed((asked){"step-by-step", "", -1});
    sac_node weights = sac_graph_find(&lesson->graph, "weights");
    OK(sac_arithmetic_of(&lesson->graph, weights, 3, SAC_FOR_PEOPLE, &a, &failure));
    assert_string_equal(a.expression, "exp(0) / (exp(0) + exp(0.707))");
    assert_int_equal(a.count, 4); /* the cell, and the row with its masked cell */
    sac_arithmetic_free(&a);
}

TEST_MAIN(open_device, close_lessons)
