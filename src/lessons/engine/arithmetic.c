#include "lessons/engine/arithmetic.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/text/number_text.h"
#include "lessons/engine/graph.h"
#include "lessons/engine/operations.h"

/* ---------------------------------------------------------------- writing */

/* The expression of a cell that is being written, its operands as numbers for people or programs. */
typedef struct sac_writer {
    const sac_graph *graph;
    const sac_small_array *array;
    size_t batch, row, column; /* of the cell */
    size_t depth;              /* terms of a sum */
    FILE *out;
    bool people, silent; /* silent: operands are recorded, nothing is written */
    sac_arithmetic *arithmetic;
    size_t room; /* for operands */
    bool failed; /* out of memory */
} sac_writer;

typedef void (*sac_put_term)(sac_writer *w, size_t k);

enum { PEOPLES_TERMS = 16 /* of a sum, before "…" */ };

/* The cell (row, column) of input `which`; axes of size 1 broadcast. */
static size_t cell_of(const sac_writer *w, int which, size_t row, size_t column)
{
    sac_extent e = sac_small_extent(sac_node_shape(w->graph, w->array->inputs[which]));
    size_t batch = e.batch > 1 ? w->batch : 0;
    return (batch * e.rows + (e.rows > 1 ? row : 0)) * e.columns + (e.columns > 1 ? column : 0);
}

static float value_of(const sac_writer *w, int which, size_t cell)
{
    return w->graph->arrays[w->array->inputs[which] - 1].numbers[cell];
}

/* Adds the cell to the operands. */
static void note(sac_writer *w, int which, size_t cell)
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

__attribute__((format(printf, 2, 3))) static void say(sac_writer *w, const char *format, ...)
{
    va_list list;
    if (w->silent)
        return;
    va_start(list, format);
    vfprintf(w->out, format, list);
    va_end(list);
}

static void put_number(sac_writer *w, double value)
{
    char text[32];
    if (w->silent) /* of 16000 terms people read a few */
        return;
    if (w->people)
        say(w, "%s", sac_number_text(value, text, sizeof text));
    else
        say(w, "%.9g", value);
}

/* The number alone: what stands in parentheses already. */
static void put_bare(sac_writer *w, int which, size_t row, size_t column)
{
    size_t cell = cell_of(w, which, row, column);
    note(w, which, cell);
    put_number(w, (double)value_of(w, which, cell));
}

/* A factor or term; negative ones in parentheses. */
static void put(sac_writer *w, int which, size_t row, size_t column)
{
    bool negative = signbit(value_of(w, which, cell_of(w, which, row, column)));
    say(w, "%s", negative ? "(" : "");
    put_bare(w, which, row, column);
    say(w, "%s", negative ? ")" : "");
}

/* That of the cell's own row and column. */
static void put_here(sac_writer *w, int which)
{
    put(w, which, w->row, w->column);
}

static void put_factor(sac_writer *w, double value)
{
    say(w, "%s", value < 0 ? "(" : "");
    put_number(w, value);
    say(w, "%s", value < 0 ? ")" : "");
}

/* "·" and "²" for people, "*" and "**2" for programs. */
static const char *times(const sac_writer *w)
{
    return w->people ? "·" : "*";
}

static const char *square(const sac_writer *w)
{
    return w->people ? "²" : "**2";
}

/* Every term is noted; people read the first and "…". */
static void put_sum(sac_writer *w, sac_put_term term)
{
    for (size_t k = 0; k < w->depth; k++) {
        w->silent = w->people && w->depth > PEOPLES_TERMS && k >= PEOPLES_TERMS - 2;
        if (k)
            say(w, " + ");
        term(w, k);
    }
    w->silent = false;
    if (w->people && w->depth > PEOPLES_TERMS)
        say(w, " + …");
}

/* ---------------------------------------------------------------- arithmetic */

/* ---------------------------------------------------------------- sums */

static void product_term(sac_writer *w, size_t k)
{
    put(w, 0, w->row, k);
    say(w, "%s", times(w));
    if (w->array->operation == SAC_OP_MATMUL)
        put(w, 1, k, w->column);
    else
        put(w, 1, w->column, k);
}

static void additive_term(sac_writer *w, size_t k)
{
    put(w, 2, 0, k);
    say(w, "%stanh(", times(w));
    put(w, 0, w->row, k);
    say(w, " + ");
    put(w, 1, w->column, k);
    say(w, ")");
}

static void gaussian_term(sac_writer *w, size_t k)
{
    say(w, "((");
    put(w, 0, w->row, k);
    say(w, " - ");
    put(w, 1, w->column, k);
    say(w, ")%s", times(w));
    put_factor(w, (double)w->array->f);
    say(w, ")%s", square(w));
}

static void plain_term(sac_writer *w, size_t k)
{
    put(w, 0, w->row, k);
}

static void squared_term(sac_writer *w, size_t k)
{
    put(w, 0, w->row, k);
    say(w, "%s", square(w));
}

static void deviation_term(sac_writer *w, size_t k)
{
    say(w, "(");
    put(w, 0, w->row, k);
    say(w, " - ");
    put(w, 1, w->row, 0);
    say(w, ")%s", square(w));
}

static void entropy_term(sac_writer *w, size_t k)
{
    bool none = value_of(w, 0, cell_of(w, 0, w->row, k)) == 0;
    if (none) {
        put(w, 0, w->row, k); /* 0 log2 0 is 0 */
        return;
    }
    put(w, 0, w->row, k);
    say(w, "%slog2(", times(w));
    put_bare(w, 0, w->row, k);
    say(w, ")");
}

/* ---------------------------------------------------------------- operations */

/* "exp(0.91) / (exp(1.32) + exp(0.91))". Large scores are written less the row's largest, as they
 * are computed: no exp overflows. What is blocked has no exp for people. */
static double shift_of(const sac_writer *w, bool rows)
{
    double largest = -INFINITY;
    for (size_t k = 0; k < w->depth; k++) {
        size_t cell = rows ? cell_of(w, 0, k, w->column) : cell_of(w, 0, w->row, k);
        largest = fmax(largest, (double)value_of(w, 0, cell));
    }
    return isfinite(largest) && fabs(largest) > 50 ? largest : isinf(largest) ? largest : 0;
}

static void put_exp(sac_writer *w, size_t row, size_t column, double shift)
{
    say(w, "exp(");
    put_bare(w, 0, row, column);
    if (shift != 0) {
        say(w, " - ");
        put_factor(w, shift);
    }
    say(w, ")");
}

static void put_softmax(sac_writer *w, bool rows)
{
    double shift = shift_of(w, rows);
    bool first = true;
    if (isinf(shift)) { /* all is blocked */
        for (size_t k = 0; k < w->depth; k++)
            note(w, 0, rows ? cell_of(w, 0, k, w->column) : cell_of(w, 0, w->row, k));
        say(w, "%s", w->array->f != 0 ? w->people ? "0 / 0" : "nan" : "0");
        return;
    }
    put_exp(w, w->row, w->column, shift);
    say(w, " / (");
    for (size_t k = 0; k < w->depth; k++) {
        size_t row = rows ? k : w->row, column = rows ? w->column : k;
        size_t cell = cell_of(w, 0, row, column);
        if (w->people && isinf(value_of(w, 0, cell))) {
            note(w, 0, cell);
            continue;
        }
        say(w, "%s", first ? "" : " + ");
        put_exp(w, row, column, shift);
        first = false;
    }
    say(w, ")");
}

static void put_mask(sac_writer *w)
{
    size_t cell = cell_of(w, 1, w->row, w->column);
    note(w, 1, cell);
    if (value_of(w, 1, cell) == 0) {
        put_here(w, 0);
        return;
    }
    note(w, 0, cell_of(w, 0, w->row, w->column));
    say(w, "%s", w->people ? "−∞" : "-inf");
}

static void put_affine(sac_writer *w)
{
    double f = (double)w->array->f, g = (double)w->array->g;
    put_factor(w, f);
    say(w, "%s", times(w));
    put_here(w, 0);
    if (g != 0) {
        say(w, " + ");
        put_factor(w, g);
    }
}

static void put_add(sac_writer *w)
{
    double f = (double)w->array->f;
    put_here(w, 0);
    say(w, "%s", f == -1 ? " - " : " + ");
    if (f != 1 && f != -1) {
        put_factor(w, f);
        say(w, "%s", times(w));
    }
    put_here(w, 1);
}

static void put_pair(sac_writer *w, const char *before, const char *between, const char *after)
{
    say(w, "%s", before);
    put_here(w, 0);
    say(w, "%s", between);
    put_here(w, 1);
    say(w, "%s", after);
}

static void put_sum_in(sac_writer *w, const char *before, sac_put_term term, const char *after)
{
    say(w, "%s", before);
    put_sum(w, term);
    say(w, "%s", after);
}

static void put_function(sac_writer *w, const char *before)
{
    say(w, "%s", before);
    put_bare(w, 0, w->row, w->column);
    say(w, ")");
}

static void put_standardised(sac_writer *w)
{
    put_pair(w, "(", " - ", ") / sqrt(");
    put_here(w, 2);
    say(w, " + ");
    put_number(w, (double)w->array->f);
    say(w, ")");
}

static void put_position(sac_writer *w)
{
    size_t c = w->column, d = w->array->shape.n[1];
    const char *power = w->people ? "^" : "**";
    say(w, "%s(%zu / 10000%s(%zu/%zu))", c % 2 ? "cos" : "sin", w->row, power, c - c % 2, d);
}

static void put_gathered(sac_writer *w)
{
    sac_extent e = sac_small_extent(w->array->shape);
    size_t cell = (size_t)w->array->index[(w->batch * e.rows + w->row) * e.columns + w->column];
    note(w, 0, cell);
    put_number(w, (double)value_of(w, 0, cell));
}

static void put_mean(sac_writer *w, sac_put_term term)
{
    char after[32];
    snprintf(after, sizeof after, ") / %zu", w->depth);
    put_sum_in(w, "(", term, after);
}

static void put_equals(sac_writer *w)
{
    say(w, "%s", w->people ? "" : "float(");
    put_here(w, 0);
    say(w, "%s", w->people ? " = " : " == ");
    put_number(w, (double)w->array->f);
    say(w, "%s", w->people ? "?" : ")");
}

static void put_largest(sac_writer *w)
{
    say(w, "%s", w->people ? "max(" : "max((");
    for (size_t k = 0; k < w->depth; k++) {
        say(w, "%s", k ? ", " : "");
        put_bare(w, 0, w->row, k);
    }
    say(w, "%s", w->people ? ")" : ",))");
}

static void put_expression(sac_writer *w)
{
    switch (w->array->operation) {
    case SAC_OP_GIVEN:
        put_number(w, (double)w->arithmetic->value);
        break;
    case SAC_OP_MATMUL:
    case SAC_OP_MATMUL_T:
        put_sum(w, product_term);
        break;
    case SAC_OP_ADD:
        put_add(w);
        break;
    case SAC_OP_MULTIPLY:
        put_pair(w, "", times(w), "");
        break;
    case SAC_OP_DIVIDE:
        put_pair(w, "", " / ", "");
        break;
    case SAC_OP_AFFINE:
        put_affine(w);
        break;
    case SAC_OP_MASK:
        put_mask(w);
        break;
    case SAC_OP_OR:
        put_pair(w, w->people ? "" : "max(", w->people ? " or " : ", ", w->people ? "" : ")");
        break;
    case SAC_OP_EQUALS:
        put_equals(w);
        break;
    case SAC_OP_SOFTMAX:
    case SAC_OP_SOFTMAX_0:
        put_softmax(w, w->array->operation == SAC_OP_SOFTMAX_0);
        break;
    case SAC_OP_GATHER:
        put_gathered(w);
        break;
    case SAC_OP_ADDITIVE:
        put_sum(w, additive_term);
        break;
    case SAC_OP_GAUSSIAN:
        put_sum_in(w, w->people ? "−½·(" : "-0.5*(", gaussian_term, ")");
        break;
    case SAC_OP_STANDARDISE:
        put_standardised(w);
        break;
    case SAC_OP_SUM:
        put_sum(w, plain_term);
        break;
    case SAC_OP_MEAN:
        put_mean(w, plain_term);
        break;
    case SAC_OP_LARGEST:
        put_largest(w);
        break;
    case SAC_OP_VARIANCE:
        put_mean(w, deviation_term);
        break;
    case SAC_OP_LENGTH:
        put_sum_in(w, "sqrt(", squared_term, ")");
        break;
    case SAC_OP_ENTROPY:
        put_sum_in(w, "-(", entropy_term, ")");
        break;
    case SAC_OP_RELU:
        put_function(w, "max(0, ");
        break;
    case SAC_OP_TANH:
        put_function(w, "tanh(");
        break;
    case SAC_OP_EXP:
        put_function(w, "exp(");
        break;
    case SAC_OP_POSITION:
        put_position(w);
        break;
    case SAC_OP_COUNT:
        break;
    }
}

sac_status sac_arithmetic_of(const sac_graph *graph, sac_node node, size_t cell, sac_reader reader,
                             sac_arithmetic *arithmetic, sac_error *error)
{
    const sac_small_array *array = &graph->arrays[node - 1];
    sac_extent e = sac_small_extent(array->shape);
    size_t size = 0;
    *arithmetic = (sac_arithmetic){.value = array->numbers[cell]};
    sac_writer w = {.graph = graph,
                    .array = array,
                    .people = reader == SAC_FOR_PEOPLE,
                    .arithmetic = arithmetic};
    w.column = cell % e.columns;
    w.row = cell / e.columns % e.rows;
    w.batch = cell / e.columns / e.rows;
    if (array->inputs[0]) {
        sac_extent a = sac_small_extent(sac_node_shape(graph, array->inputs[0]));
        w.depth = array->operation == SAC_OP_SOFTMAX_0 ? a.rows : a.columns;
    }
    w.out = open_memstream(&arithmetic->expression, &size);
    if (w.out) {
        put_expression(&w);
        w.failed |= fclose(w.out) != 0;
    }
    if (w.out && !w.failed)
        return SAC_OK;
    sac_arithmetic_free(arithmetic);
    return sac_no_memory(error, array->name);
}
