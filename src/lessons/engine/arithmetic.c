#include "lessons/engine/graph.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/numbers.h"

/* ---------------------------------------------------------------- writing */

/* The expression of a cell that is being written, its operands as numbers for people or programs.
 * What is written for people is parsed back to its rounded value, so that the writer knows whether the
 * result follows from the digits shown. */
typedef struct sac_writer {
    const sac_graph *graph;
    const sac_small_array *array;
    size_t batch, row, column; /* of the cell */
    size_t depth;              /* terms of a sum */
    FILE *out;
    bool people, silent; /* silent: operands are recorded, nothing is written */
    int more;            /* digits of an operand, beside the usual ones */
    bool begun;          /* a term of the sum stands there */
    bool cut;            /* not all terms are written */
    sac_arithmetic *arithmetic;
    size_t room; /* for operands */
    bool failed; /* out of memory */
} sac_writer;

typedef double (*sac_put_term)(sac_writer *w, size_t k);

enum {
    PEOPLES_TERMS = 16, /* of a sum, at most; of a longer one … */
    FIRST_TERMS = 4,    /* … so many before "…" */
    INNER_TERMS = 12,   /* of a sum inside an expression */
    MOST_DIGITS = 3,    /* more than usual, before "≈" */
};

static double put_expression(sac_writer *w);

/* The cell (row, column) of input `which`; axes of size 1 broadcast. */
static size_t broadcast_cell_index(const sac_writer *w, int which, size_t row, size_t column)
{
    sac_extent e = sac_small_extent(sac_node_shape(w->graph, w->array->inputs[which]));
    size_t batch = e.batch > 1 ? w->batch : 0;
    return (batch * e.rows + (e.rows > 1 ? row : 0)) * e.columns + (e.columns > 1 ? column : 0);
}

static size_t current_cell_index(const sac_writer *w, int which)
{
    return broadcast_cell_index(w, which, w->row, w->column);
}

/* For people without what rounding left of 0. */
static double input_cell_value(const sac_writer *w, int which, size_t cell)
{
    const sac_small_array *array = &w->graph->arrays[w->array->inputs[which] - 1];
    float value = array->numbers[cell];
    bool nothing = value == 0 || fabsf(value) < array->noise; /* no −0 either */
    return w->people && nothing ? 0 : (double)value;
}

/* Adds the cell to the operands. */
static void add_operand(sac_writer *w, int which, size_t cell)
{
    sac_arithmetic *a = w->arithmetic;
    if (a->count == w->room) {
        size_t room = w->room ? 2 * w->room : 8;
        sac_operand *more = realloc(a->operands, room * sizeof *more);
        w->failed |= !more;
        if (!more)
            return;
        a->operands = more;
        w->room = room;
    }
    a->operands[a->count++] = (sac_operand){w->array->inputs[which], cell};
}

__attribute__((format(printf, 2, 3))) static void append(sac_writer *w, const char *format, ...)
{
    va_list list;
    if (w->silent)
        return;
    va_start(list, format);
    vfprintf(w->out, format, list);
    va_end(list);
}

/* A number that has few digits is written with no more of them: "0.5". Returns what stands there. */
static double format_number_for_people(double value, int more, char *text, size_t size)
{
    double printed = sac_number_text_with_digits(value, more, text, size);
    size_t end = strlen(text);
    if ((float)printed != (float)value || !strchr(text, '.') || strchr(text, 'e'))
        return printed;
    while (text[end - 1] == '0')
        text[--end] = '\0';
    if (text[end - 1] == '.')
        text[end - 1] = '\0';
    return printed;
}

static double put_number(sac_writer *w, double value)
{
    char text[40];
    if (w->silent) /* of 16000 terms people read a few */
        return value;
    if (!w->people) {
        append(w, "%.9g", value);
        return value;
    }
    double printed = format_number_for_people(value, w->more, text, sizeof text);
    append(w, "%s", text);
    return printed;
}

/* Negative ones in parentheses. */
static double put_factor(sac_writer *w, double value)
{
    bool negative = w->people ? value < 0 : signbit(value);
    append(w, "%s", negative ? "(" : "");
    double printed = put_number(w, value);
    append(w, "%s", negative ? ")" : "");
    return printed;
}

/* The number alone: what stands in parentheses already. */
static double put_bare_operand(sac_writer *w, int which, size_t row, size_t column)
{
    size_t cell = broadcast_cell_index(w, which, row, column);
    add_operand(w, which, cell);
    return put_number(w, input_cell_value(w, which, cell));
}

/* A factor; negative ones in parentheses. */
static double put_operand_factor(sac_writer *w, int which, size_t row, size_t column)
{
    size_t cell = broadcast_cell_index(w, which, row, column);
    add_operand(w, which, cell);
    return put_factor(w, input_cell_value(w, which, cell));
}

/* " + ", where a term stands there already. */
static void put_plus_sign(sac_writer *w)
{
    append(w, "%s", w->begun ? " + " : "");
    w->begun = true;
}

/* What a term begins with. People read its sign in place of the joint: "0.04 − 0.09". */
static double put_signed(sac_writer *w, double value)
{
    if (!w->people) {
        put_plus_sign(w);
        return put_factor(w, value);
    }
    bool negative = signbit(value);
    append(w, "%s", !w->begun ? negative ? "−" : "" : negative ? " − " : " + ");
    w->begun = true;
    double printed = put_number(w, fabs(value));
    return negative ? -printed : printed;
}

static double put_leading_operand(sac_writer *w, int which, size_t row, size_t column)
{
    size_t cell = broadcast_cell_index(w, which, row, column);
    add_operand(w, which, cell);
    return put_signed(w, input_cell_value(w, which, cell));
}

/* That of the cell's own row and column. */
static double put_current_operand(sac_writer *w, int which)
{
    return put_operand_factor(w, which, w->row, w->column);
}

/* "·" and "²" for people, "*" and "**2" for programs. */
static const char *times_sign(const sac_writer *w)
{
    return w->people ? "·" : "*";
}

static const char *square_sign(const sac_writer *w)
{
    return w->people ? "²" : "**2";
}

static const char *root_opening(const sac_writer *w)
{
    return w->people ? "√(" : "sqrt(";
}

/* Every term is noted; people read the first and "…". */
static double put_sum(sac_writer *w, sac_put_term term)
{
    double sum = 0;
    w->begun = false;
    for (size_t k = 0; k < w->depth; k++) {
        w->silent = w->people && w->depth > PEOPLES_TERMS && k >= FIRST_TERMS;
        sum += term(w, k);
    }
    w->silent = false;
    if (w->people && w->depth > PEOPLES_TERMS) {
        append(w, " + …");
        w->cut = true;
    }
    return sum;
}

/* ---------------------------------------------------------------- what no step shows */

static bool is_copy(const sac_small_array *array, const sac_graph *graph, size_t cell, size_t *of)
{
    *of = cell;
    switch (array->operation) {
    case SAC_OP_GATHER:
    case SAC_OP_SORTED:
        *of = (size_t)array->index[cell];
        return true;
    case SAC_OP_RUNNING_SUM: /* of one number */
        return cell % sac_small_extent(array->shape).columns == 0;
    case SAC_OP_AFFINE:
        return array->f == 1 && array->g == 0;
    case SAC_OP_MASK: {
        sac_writer w = {.graph = graph, .array = array};
        sac_extent e = sac_small_extent(array->shape);
        w.column = cell % e.columns;
        w.row = cell / e.columns % e.rows;
        w.batch = cell / e.columns / e.rows;
        *of = current_cell_index(&w, 0);
        return graph->arrays[array->inputs[1] - 1].numbers[current_cell_index(&w, 1)] == 0;
    }
    default:
        return false;
    }
}

/* From a cell through copies that no step shows, to one that a step shows or that is no copy. */
static sac_operand resolve_copies(const sac_graph *graph, sac_operand at)
{
    size_t of;
    for (;;) {
        const sac_small_array *array = &graph->arrays[at.array - 1];
        if (!array->hidden || !is_copy(array, graph, at.cell, &of))
            return at;
        at = (sac_operand){array->inputs[0], of};
    }
}

/* The writer goes to another cell; what it was at. */
static sac_writer move_writer_to(sac_writer *w, sac_operand at)
{
    sac_writer was = *w;
    w->array = &w->graph->arrays[at.array - 1];
    sac_extent e = sac_small_extent(w->array->shape);
    w->column = at.cell % e.columns;
    w->row = at.cell / e.columns % e.rows;
    w->batch = at.cell / e.columns / e.rows;
    w->depth = 0;
    if (w->array->inputs[0]) {
        sac_extent a = sac_small_extent(sac_node_shape(w->graph, w->array->inputs[0]));
        w->depth = w->array->operation == SAC_OP_SOFTMAX_0 ? a.rows : a.columns;
    }
    return was;
}

/* An input that no step shows is written by the numbers that it is made of, where they are few:
 * "(1·0.5 + 0·2) / √2", "(2 − 1) / 2". */
static bool is_spelled_out(const sac_writer *w, int which, sac_operand *at)
{
    *at = resolve_copies(w->graph,
                         (sac_operand){w->array->inputs[which], current_cell_index(w, which)});
    const sac_small_array *array = &w->graph->arrays[at->array - 1];
    bool product = array->operation == SAC_OP_MATMUL || array->operation == SAC_OP_MATMUL_T;
    bool shifted =
        array->operation == SAC_OP_AFFINE && array->g != 0 && w->array->operation == SAC_OP_DIVIDE;
    sac_extent a = sac_small_extent(sac_node_shape(w->graph, array->inputs[0]));
    return w->people && array->hidden && (shifted || (product && a.columns <= INNER_TERMS));
}

static double put_inner(sac_writer *w, sac_operand at, bool as_factor)
{
    sac_writer was = move_writer_to(w, at);
    as_factor = as_factor && (w->depth > 1 || w->array->operation == SAC_OP_AFFINE);
    append(w, "%s", as_factor ? "(" : "");
    double printed = put_expression(w);
    append(w, "%s", as_factor ? ")" : "");
    w->array = was.array;
    w->batch = was.batch;
    w->row = was.row;
    w->column = was.column;
    w->depth = was.depth;
    return printed;
}

static double put_operand_or_expression(sac_writer *w, int which)
{
    sac_operand at;
    return is_spelled_out(w, which, &at) ? put_inner(w, at, true) : put_current_operand(w, which);
}

/* "X[3,1]" */
static void put_name(sac_writer *w, sac_operand at)
{
    const sac_small_array *array = &w->graph->arrays[at.array - 1];
    size_t index[SAC_GRAPH_RANK] = {0}, rest = at.cell;
    for (int d = array->shape.rank; d-- > 0; rest /= array->shape.n[d])
        index[d] = rest % array->shape.n[d];
    append(w, "%s", array->name);
    for (int d = 0; d < array->shape.rank; d++)
        append(w, "%s%zu", d ? "," : "[", index[d]);
    append(w, "]");
}

/* ---------------------------------------------------------------- sums */

static double put_product_term(sac_writer *w, size_t k)
{
    double a = put_leading_operand(w, 0, w->row, k);
    append(w, "%s", times_sign(w));
    return a * (w->array->operation == SAC_OP_MATMUL ? put_operand_factor(w, 1, k, w->column)
                                                     : put_operand_factor(w, 1, w->column, k));
}

/* a + b of two operands, or f = −1: a − b. */
static double put_pair_sum(sac_writer *w, size_t row_a, size_t column_a, double f, size_t row_b,
                           size_t column_b)
{
    size_t cell_a = broadcast_cell_index(w, 0, row_a, column_a),
           cell_b = broadcast_cell_index(w, 1, row_b, column_b);
    double b = input_cell_value(w, 1, cell_b);
    bool begun = w->begun;
    add_operand(w, 0, cell_a);
    add_operand(w, 1, cell_b);
    w->begun = false;
    double printed = put_signed(w, input_cell_value(w, 0, cell_a));
    if (w->people) {
        printed += put_signed(w, f * b);
    } else if (f == -1) {
        append(w, " - ");
        printed -= put_factor(w, b);
    } else {
        put_plus_sign(w);
        printed += put_factor(w, b);
    }
    w->begun = begun;
    return printed;
}

static double put_additive_term(sac_writer *w, size_t k)
{
    double factor = put_leading_operand(w, 2, 0, k);
    append(w, "%stanh(", times_sign(w));
    double sum = put_pair_sum(w, w->row, k, 1, w->column, k);
    append(w, ")");
    return factor * tanh(sum);
}

static double put_gaussian_term(sac_writer *w, size_t k)
{
    double f = (double)w->array->f;
    bool plain = w->people && f == 1;
    put_plus_sign(w);
    append(w, "%s", plain ? "(" : "((");
    double apart = put_pair_sum(w, w->row, k, -1, w->column, k);
    append(w, ")");
    if (!plain) {
        append(w, "%s", times_sign(w));
        apart *= put_factor(w, f);
        append(w, ")");
    }
    append(w, "%s", square_sign(w));
    return apart * apart;
}

static double put_plain_term(sac_writer *w, size_t k)
{
    return put_leading_operand(w, 0, w->row, k);
}

static double put_squared_term(sac_writer *w, size_t k)
{
    put_plus_sign(w);
    double a = put_operand_factor(w, 0, w->row, k);
    append(w, "%s", square_sign(w));
    return a * a;
}

static double put_deviation_term(sac_writer *w, size_t k)
{
    put_plus_sign(w);
    append(w, "(");
    double apart = put_pair_sum(w, w->row, k, -1, w->row, 0);
    append(w, ")%s", square_sign(w));
    return apart * apart;
}

static double put_entropy_term(sac_writer *w, size_t k)
{
    size_t cell = broadcast_cell_index(w, 0, w->row, k);
    if (input_cell_value(w, 0, cell) == 0) { /* 0 log2 0 is 0, and people read nothing of it */
        if (w->people)
            add_operand(w, 0, cell);
        else
            put_leading_operand(w, 0, w->row, k);
        return 0;
    }
    double p = put_leading_operand(w, 0, w->row, k);
    append(w, "%slog2(", times_sign(w));
    put_number(w, input_cell_value(w, 0, cell));
    append(w, ")");
    add_operand(w, 0, cell);
    return p * log2(p);
}

/* ---------------------------------------------------------------- operations */

/* "exp(0.91) / (exp(1.32) + exp(0.91))". Large scores are written less the row's largest, as they
 * are computed: no exp overflows. What is blocked has no exp for people. */
static double softmax_shift(const sac_writer *w, bool rows)
{
    double largest = -INFINITY;
    for (size_t k = 0; k < w->depth; k++) {
        size_t cell =
            rows ? broadcast_cell_index(w, 0, k, w->column) : broadcast_cell_index(w, 0, w->row, k);
        largest = fmax(largest, input_cell_value(w, 0, cell));
    }
    return isfinite(largest) && fabs(largest) > 50 ? largest : isinf(largest) ? largest : 0;
}

static double put_exp(sac_writer *w, size_t row, size_t column, double shift)
{
    append(w, "exp(");
    double score = put_bare_operand(w, 0, row, column);
    if (shift != 0) {
        append(w, "%s", w->people ? " − " : " - ");
        score -= put_factor(w, shift);
    }
    append(w, ")");
    return exp(score);
}

static double put_softmax(sac_writer *w, bool rows)
{
    double shift = softmax_shift(w, rows), sum = 0;
    bool first = true;
    if (isinf(shift)) { /* all is blocked */
        for (size_t k = 0; k < w->depth; k++)
            add_operand(w, 0,
                        rows ? broadcast_cell_index(w, 0, k, w->column)
                             : broadcast_cell_index(w, 0, w->row, k));
        if (w->people)
            w->arithmetic->relation = SAC_GIVES;
        append(w, "%s", w->people ? "0 / 0" : w->array->f != 0 ? "nan" : "0");
        return NAN;
    }
    double one = put_exp(w, w->row, w->column, shift);
    append(w, " / (");
    for (size_t k = 0; k < w->depth; k++) {
        size_t row = rows ? k : w->row, column = rows ? w->column : k;
        size_t cell = broadcast_cell_index(w, 0, row, column);
        if (w->people && isinf(input_cell_value(w, 0, cell))) {
            add_operand(w, 0, cell);
            continue;
        }
        w->silent = w->people && w->depth > PEOPLES_TERMS && k >= FIRST_TERMS;
        append(w, "%s", first ? "" : " + ");
        sum += put_exp(w, row, column, shift);
        first = false;
    }
    w->silent = false;
    if (w->people && w->depth > PEOPLES_TERMS) {
        append(w, " + …");
        w->cut = true;
    }
    append(w, ")");
    return one / sum;
}

static double put_mask(sac_writer *w)
{
    size_t cell = current_cell_index(w, 1);
    add_operand(w, 1, cell);
    if (input_cell_value(w, 1, cell) == 0)
        return put_current_operand(w, 0);
    add_operand(w, 0, current_cell_index(w, 0));
    if (!w->people) {
        append(w, "-inf");
        return -INFINITY;
    }
    put_name(w, resolve_copies(w->graph, (sac_operand){w->array->inputs[1], cell}));
    append(w, " = ");
    put_number(w, input_cell_value(w, 1, cell));
    w->arithmetic->relation = SAC_GIVES;
    return -INFINITY;
}

static bool is_whole(double value)
{
    return fabs(value - rint(value)) < 1e-5 * fabs(value);
}

/* f a: a factor that is one over a root or a whole number is written as a division by it. */
static double put_scaled(sac_writer *w, double f)
{
    double of = 1 / fabs(f);
    bool is_short = is_whole(fabs(f) * 1000), root_of = is_whole(of * of);
    if (w->people && !is_short && f > 0 && of < 1e3 && (root_of || is_whole(of * 100))) {
        double a = put_operand_or_expression(w, 0);
        append(w, " / ");
        if (is_whole(of * 100))
            return a / put_number(w, rint(of * 100) / 100);
        append(w, "√%.0f", rint(of * of));
        return a / sqrt(rint(of * of));
    }
    if (w->people && f == -1) {
        append(w, "−");
        return -put_operand_or_expression(w, 0);
    }
    double factor = put_factor(w, f);
    append(w, "%s", times_sign(w));
    return factor * put_operand_or_expression(w, 0);
}

/* People read g first where f is negative: "1 − 0.3". */
static double put_affine(sac_writer *w)
{
    double f = (double)w->array->f, g = (double)w->array->g;
    if (g == 0)
        return put_scaled(w, f);
    if (w->people && f < 0) {
        double first = put_number(w, g);
        size_t cell = current_cell_index(w, 0);
        add_operand(w, 0, cell);
        if (f == -1) {
            w->begun = true;
            return first + put_signed(w, -input_cell_value(w, 0, cell));
        }
        append(w, " − ");
        double factor = put_number(w, -f);
        append(w, "·");
        return first - factor * put_factor(w, input_cell_value(w, 0, cell));
    }
    double product = w->people && f == 1 ? put_current_operand(w, 0) : put_scaled(w, f);
    w->begun = true;
    return product + put_signed(w, g);
}

static double put_add(sac_writer *w)
{
    double f = (double)w->array->f;
    sac_operand at;
    if (w->people && is_spelled_out(w, 0, &at)) {
        double sum = put_inner(w, at, false);
        size_t cell = current_cell_index(w, 1);
        add_operand(w, 1, cell);
        w->begun = true;
        return sum + put_signed(w, f * input_cell_value(w, 1, cell));
    }
    if (f == 1 || f == -1 || w->people)
        return put_pair_sum(w, w->row, w->column, f, w->row, w->column);
    double a = put_current_operand(w, 0);
    append(w, " + ");
    double factor = put_factor(w, f);
    append(w, "%s", times_sign(w));
    return a + factor * put_current_operand(w, 1);
}

static double put_enclosed_sum(sac_writer *w, const char *before, sac_put_term term,
                               const char *after)
{
    append(w, "%s", before);
    double sum = put_sum(w, term);
    append(w, "%s", after);
    return sum;
}

static double put_function(sac_writer *w, const char *before)
{
    append(w, "%s", before);
    double a = put_bare_operand(w, 0, w->row, w->column);
    append(w, ")");
    return a;
}

static double put_standardised(sac_writer *w)
{
    append(w, "(");
    double apart = put_pair_sum(w, w->row, w->column, -1, w->row, w->column);
    append(w, ") / %s", root_opening(w));
    double variance = put_current_operand(w, 2);
    append(w, " + ");
    variance += put_number(w, (double)w->array->f);
    append(w, ")");
    return apart / sqrt(variance);
}

static double put_position(sac_writer *w)
{
    size_t c = w->column, d = w->array->shape.n[1], pair = c - c % 2;
    double angle = (double)w->row / pow(10000, (double)pair / (double)d);
    if (w->people && pair == 0)
        append(w, "%s(%zu)", c % 2 ? "cos" : "sin", w->row);
    else
        append(w, "%s(%zu / 10000%s(%zu/%zu))", c % 2 ? "cos" : "sin", w->row,
               w->people ? "^" : "**", pair, d);
    return c % 2 ? cos(angle) : sin(angle);
}

static double put_gathered(sac_writer *w)
{
    sac_extent e = sac_small_extent(w->array->shape);
    size_t cell = (size_t)w->array->index[(w->batch * e.rows + w->row) * e.columns + w->column];
    add_operand(w, 0, cell);
    return put_number(w, input_cell_value(w, 0, cell));
}

static double put_mean(sac_writer *w, sac_put_term term)
{
    char after[32];
    snprintf(after, sizeof after, ") / %zu", w->depth);
    return put_enclosed_sum(w, "(", term, after) / (double)w->depth;
}

static double put_condition(sac_writer *w)
{
    double a = input_cell_value(w, 0, current_cell_index(w, 0)), f = (double)w->array->f;
    bool equal = a == f;
    if (w->people)
        w->arithmetic->relation = SAC_GIVES;
    append(w, "%s", w->people ? "" : "float(");
    put_current_operand(w, 0);
    append(w, "%s", !w->people ? " == " : equal ? " = " : " ≠ ");
    put_number(w, f);
    append(w, "%s", w->people ? "" : ")");
    return equal;
}

static double put_or(sac_writer *w)
{
    if (w->people)
        w->arithmetic->relation = SAC_GIVES;
    append(w, "%s", w->people ? "" : "max(");
    double a = put_current_operand(w, 0);
    append(w, "%s", w->people ? " or " : ", ");
    a = fmax(a, put_current_operand(w, 1));
    append(w, "%s", w->people ? "" : ")");
    return a;
}

static double put_largest(sac_writer *w)
{
    double largest = -INFINITY;
    append(w, "%s", w->people ? "max(" : "max((");
    for (size_t k = 0; k < w->depth; k++) {
        append(w, "%s", k ? ", " : "");
        largest = fmax(largest, put_bare_operand(w, 0, w->row, k));
    }
    append(w, "%s", w->people ? ")" : ",))");
    return largest;
}

/* "max(0, 1.2 − 0.5)", "max(0, 0.6 + 0.181)²"; with the power 0 a condition: "1.2 > 0.5". */
static double put_positive_excess(sac_writer *w)
{
    double f = (double)w->array->f;
    if (f == 0) {
        if (w->people)
            w->arithmetic->relation = SAC_GIVES;
        append(w, "%s", w->people ? "" : "float(");
        double a = put_current_operand(w, 0), b = input_cell_value(w, 1, current_cell_index(w, 1));
        append(w, "%s", !w->people || a > b ? " > " : a < b ? " < " : " = ");
        put_current_operand(w, 1);
        append(w, "%s", w->people ? "" : ")");
        return a > b;
    }
    append(w, "max(0, ");
    double above = fmax(0, put_pair_sum(w, w->row, w->column, -1, w->row, w->column));
    append(w, ")%s", f == 2 ? square_sign(w) : "");
    return pow(above, f);
}

/* a (1 − b) on the diagonal, a (0 − b) beside it. */
static double put_softmax_derivative(sac_writer *w)
{
    double a = put_operand_factor(w, 0, w->row, 0), one = w->row == w->column;
    size_t cell = broadcast_cell_index(w, 1, 0, w->column);
    append(w, "%s(%.0f", times_sign(w), one);
    add_operand(w, 1, cell);
    w->begun = true;
    if (w->people) {
        one += put_signed(w, -input_cell_value(w, 1, cell));
    } else {
        append(w, " - ");
        one -= put_factor(w, input_cell_value(w, 1, cell));
    }
    append(w, ")");
    return a * one;
}

/* Of the numbers above it: "(1.2 + 0.8 − 1) / 2", and where squares add up to 1 the mean less a root,
 * "(0.6 + 0.4) / 2 − √((1 − (0.6 − 0.5)² − (0.4 − 0.5)²) / 2)". The others are noted and not written. */
static double put_threshold(sac_writer *w)
{
    double tau =
        (double)w->array->numbers[w->batch * sac_small_extent(w->array->shape).rows + w->row];
    double f = (double)w->array->f, mean = 0, sum = 0, rest = 1;
    int count = 0;
    for (size_t k = 0; k < w->depth; k++) {
        double value = input_cell_value(w, 0, broadcast_cell_index(w, 0, w->row, k));
        mean += value > tau ? value : 0;
        count += value > tau;
        if (!(value > tau))
            add_operand(w, 0, broadcast_cell_index(w, 0, w->row, k));
    }
    if (count == 0) { /* all is −∞ */
        append(w, "%s", w->people ? "∞" : "inf");
        return INFINITY;
    }
    append(w, "%s", count > 1 ? "(" : "");
    w->begun = false;
    for (size_t k = 0; k < w->depth; k++)
        if (input_cell_value(w, 0, broadcast_cell_index(w, 0, w->row, k)) > tau)
            sum += put_leading_operand(w, 0, w->row, k);
    const char *less = w->people ? " − " : " - ";
    if (f != 2 || count == 1) {
        append(w, "%s1", less);
        if (count > 1)
            append(w, ") / %d", count);
        return (sum - 1) / count;
    }
    append(w, ") / %d%s%s(1", count, less, root_opening(w));
    for (size_t k = 0; k < w->depth; k++) {
        size_t cell = broadcast_cell_index(w, 0, w->row, k);
        if (!(input_cell_value(w, 0, cell) > tau))
            continue;
        append(w, "%s(", less);
        w->begun = false;
        double apart = put_signed(w, input_cell_value(w, 0, cell));
        if (w->people) {
            apart += put_signed(w, -mean / count);
        } else {
            append(w, " - ");
            apart -= put_factor(w, mean / count);
        }
        append(w, ")%s", square_sign(w));
        rest -= apart * apart;
    }
    append(w, ") / %d)", count);
    return sum / count - sqrt(rest / count);
}

static double put_expression(sac_writer *w)
{
    switch (w->array->operation) {
    case SAC_OP_GIVEN:
        return put_number(w, (double)w->arithmetic->value);
    case SAC_OP_MATMUL:
    case SAC_OP_MATMUL_T:
        return put_sum(w, put_product_term);
    case SAC_OP_ADD:
        return put_add(w);
    case SAC_OP_MULTIPLY:
    case SAC_OP_DIVIDE: {
        bool divides = w->array->operation == SAC_OP_DIVIDE;
        double a = put_operand_or_expression(w, 0);
        append(w, "%s", divides ? " / " : times_sign(w));
        double b = put_current_operand(w, 1);
        return divides ? a / b : a * b;
    }
    case SAC_OP_AFFINE:
        return put_affine(w);
    case SAC_OP_MASK:
        return put_mask(w);
    case SAC_OP_OR:
        return put_or(w);
    case SAC_OP_EQUALS:
        return put_condition(w);
    case SAC_OP_SOFTMAX:
    case SAC_OP_SOFTMAX_0:
        return put_softmax(w, w->array->operation == SAC_OP_SOFTMAX_0);
    case SAC_OP_GATHER:
        return put_gathered(w);
    case SAC_OP_ADDITIVE:
        return put_sum(w, put_additive_term);
    case SAC_OP_GAUSSIAN:
        return -0.5 * put_enclosed_sum(w, w->people ? "−½·(" : "-0.5*(", put_gaussian_term, ")");
    case SAC_OP_STANDARDISE:
        return put_standardised(w);
    case SAC_OP_SUM:
        return put_sum(w, put_plain_term);
    case SAC_OP_MEAN:
        return put_mean(w, put_plain_term);
    case SAC_OP_LARGEST:
        return put_largest(w);
    case SAC_OP_VARIANCE:
        return put_mean(w, put_deviation_term);
    case SAC_OP_LENGTH:
        return sqrt(put_enclosed_sum(w, root_opening(w), put_squared_term, ")"));
    case SAC_OP_ENTROPY:
        return -put_enclosed_sum(w, w->people ? "−(" : "-(", put_entropy_term, ")");
    case SAC_OP_RELU:
        return fmax(0, put_function(w, "max(0, "));
    case SAC_OP_TANH:
        return tanh(put_function(w, "tanh("));
    case SAC_OP_EXP:
        return exp(put_function(w, "exp("));
    case SAC_OP_POWER_OF_2:
        append(w, "%s", w->people ? "2^" : "2**");
        return exp2(put_current_operand(w, 0));
    case SAC_OP_POSITION:
        return put_position(w);
    case SAC_OP_SORTED:
        return put_gathered(w);
    case SAC_OP_RUNNING_SUM:
        w->depth = w->column + 1;
        return put_sum(w, put_plain_term);
    case SAC_OP_THRESHOLD:
        return put_threshold(w);
    case SAC_OP_ABOVE:
        return put_positive_excess(w);
    case SAC_OP_SLOPES:
        return put_softmax_derivative(w);
    case SAC_OP_COUNT:
        break;
    }
    return NAN;
}

/* ---------------------------------------------------------------- for people, for programs */

/* The expression as text, and what it comes to; NULL: out of memory. */
static char *write_expression(sac_writer *w, double *printed)
{
    size_t size = 0;
    char *text = NULL;
    w->arithmetic->count = 0;
    w->cut = false;
    w->out = open_memstream(&text, &size);
    if (!w->out)
        return NULL;
    *printed = put_expression(w);
    w->failed |= fclose(w->out) != 0;
    if (w->failed) {
        free(text);
        return NULL;
    }
    return text;
}

/* A copy of a shown cell is written as that cell's name, any other copy as what it copies. */
static void format_cell_arithmetic(sac_writer *w, sac_operand at, double shown)
{
    sac_arithmetic *a = w->arithmetic;
    double printed = 0;
    size_t of;
    bool copy = is_copy(w->array, w->graph, at.cell, &of);
    sac_operand from = copy ? resolve_copies(w->graph, (sac_operand){w->array->inputs[0], of}) : at;
    const sac_small_array *source = &w->graph->arrays[from.array - 1];
    move_writer_to(w, from);
    if (source->operation == SAC_OP_GIVEN && (!copy || source->hidden)) {
        a->relation = SAC_GIVEN;
        a->expression = strdup("");
        return;
    }
    if (copy && !source->hidden) {
        size_t size = 0;
        w->out = open_memstream(&a->expression, &size);
        if (w->out) {
            put_name(w, from);
            w->failed |= fclose(w->out) != 0;
        }
        w->array = &w->graph->arrays[at.array - 1];
        add_operand(w, 0, of);
        if (a->count)
            a->operands[0] = from;
        return;
    }
    for (w->more = 0; w->more <= MOST_DIGITS; w->more++) {
        free(a->expression);
        a->expression = write_expression(w, &printed);
        /* What the expression comes to is the result, to its last digit. */
        char text[40];
        double result = sac_number_text_with_digits(shown, 0, text, sizeof text);
        double reckoned = sac_number_text_with_digits(
            fabs(printed) < (double)source->noise ? 0 : printed, 0, text, sizeof text);
        if (!a->expression || a->relation == SAC_GIVES ||
            (!w->cut && (reckoned == result || (isnan(reckoned) && isnan(result)))))
            return;
        if (w->cut) { /* more digits do not give what is left out */
            a->relation = SAC_ABOUT;
            return;
        }
    }
    w->more = 0;
    free(a->expression);
    a->expression = write_expression(w, &printed);
    a->relation = SAC_ABOUT;
}

sac_status sac_arithmetic_of(const sac_graph *graph, sac_node node, size_t cell,
                             sac_written_for reader, sac_arithmetic *arithmetic, sac_error *error)
{
    const sac_small_array *array = &graph->arrays[node - 1];
    double printed;
    *arithmetic = (sac_arithmetic){.value = array->numbers[cell]};
    sac_writer w = {.graph = graph,
                    .array = array,
                    .people = reader == SAC_FOR_PEOPLE,
                    .arithmetic = arithmetic};
    float shown = fabsf(arithmetic->value) < array->noise ? 0 : arithmetic->value;
    sac_number_text((double)shown, arithmetic->result, sizeof arithmetic->result);
    move_writer_to(&w, (sac_operand){node, cell});
    if (w.people)
        format_cell_arithmetic(&w, (sac_operand){node, cell}, (double)shown);
    else
        arithmetic->expression = write_expression(&w, &printed);
    if (arithmetic->expression && !w.failed)
        return SAC_OK;
    sac_arithmetic_free(arithmetic);
    return sac_no_memory(error, array->name);
}
