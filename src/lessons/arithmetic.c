#include "lessons/arithmetic.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "lessons/arithmetic_writer.h"
#include "lessons/operations.h"

/* ---------------------------------------------------------------- sums */

static void product_term(sac_writer *w, size_t k)
{
    sac_writer_put(w, 0, w->row, k);
    sac_writer_say(w, "%s", sac_writer_times(w));
    if (w->array->operation == SAC_OP_MATMUL)
        sac_writer_put(w, 1, k, w->column);
    else
        sac_writer_put(w, 1, w->column, k);
}

static void additive_term(sac_writer *w, size_t k)
{
    sac_writer_put(w, 2, 0, k);
    sac_writer_say(w, "%stanh(", sac_writer_times(w));
    sac_writer_put(w, 0, w->row, k);
    sac_writer_say(w, " + ");
    sac_writer_put(w, 1, w->column, k);
    sac_writer_say(w, ")");
}

static void gaussian_term(sac_writer *w, size_t k)
{
    sac_writer_say(w, "((");
    sac_writer_put(w, 0, w->row, k);
    sac_writer_say(w, " - ");
    sac_writer_put(w, 1, w->column, k);
    sac_writer_say(w, ")%s", sac_writer_times(w));
    sac_writer_put_factor(w, (double)w->array->f);
    sac_writer_say(w, ")%s", sac_writer_square(w));
}

static void plain_term(sac_writer *w, size_t k)
{
    sac_writer_put(w, 0, w->row, k);
}

static void squared_term(sac_writer *w, size_t k)
{
    sac_writer_put(w, 0, w->row, k);
    sac_writer_say(w, "%s", sac_writer_square(w));
}

static void deviation_term(sac_writer *w, size_t k)
{
    sac_writer_say(w, "(");
    sac_writer_put(w, 0, w->row, k);
    sac_writer_say(w, " - ");
    sac_writer_put(w, 1, w->row, 0);
    sac_writer_say(w, ")%s", sac_writer_square(w));
}

static void entropy_term(sac_writer *w, size_t k)
{
    bool none = sac_writer_value_of(w, 0, sac_writer_cell_of(w, 0, w->row, k)) == 0;
    if (none) {
        sac_writer_put(w, 0, w->row, k); /* 0 log2 0 is 0 */
        return;
    }
    sac_writer_put(w, 0, w->row, k);
    sac_writer_say(w, "%slog2(", sac_writer_times(w));
    sac_writer_put_bare(w, 0, w->row, k);
    sac_writer_say(w, ")");
}

/* ---------------------------------------------------------------- operations */

/* "exp(0.91) / (exp(1.32) + exp(0.91))". Large scores are written less the row's largest, as they
 * are computed: no exp overflows. What is blocked has no exp for people. */
static double shift_of(const sac_writer *w, bool rows)
{
    double largest = -INFINITY;
    for (size_t k = 0; k < w->depth; k++) {
        size_t cell =
            rows ? sac_writer_cell_of(w, 0, k, w->column) : sac_writer_cell_of(w, 0, w->row, k);
        largest = fmax(largest, (double)sac_writer_value_of(w, 0, cell));
    }
    return isfinite(largest) && fabs(largest) > 50 ? largest : isinf(largest) ? largest : 0;
}

static void put_exp(sac_writer *w, size_t row, size_t column, double shift)
{
    sac_writer_say(w, "exp(");
    sac_writer_put_bare(w, 0, row, column);
    if (shift != 0) {
        sac_writer_say(w, " - ");
        sac_writer_put_factor(w, shift);
    }
    sac_writer_say(w, ")");
}

static void put_softmax(sac_writer *w, bool rows)
{
    double shift = shift_of(w, rows);
    bool first = true;
    if (isinf(shift)) { /* all is blocked */
        for (size_t k = 0; k < w->depth; k++)
            sac_writer_note(w, 0,
                            rows ? sac_writer_cell_of(w, 0, k, w->column)
                                 : sac_writer_cell_of(w, 0, w->row, k));
        sac_writer_say(w, "%s", w->array->f != 0 ? w->people ? "0 / 0" : "nan" : "0");
        return;
    }
    put_exp(w, w->row, w->column, shift);
    sac_writer_say(w, " / (");
    for (size_t k = 0; k < w->depth; k++) {
        size_t row = rows ? k : w->row, column = rows ? w->column : k;
        size_t cell = sac_writer_cell_of(w, 0, row, column);
        if (w->people && isinf(sac_writer_value_of(w, 0, cell))) {
            sac_writer_note(w, 0, cell);
            continue;
        }
        sac_writer_say(w, "%s", first ? "" : " + ");
        put_exp(w, row, column, shift);
        first = false;
    }
    sac_writer_say(w, ")");
}

static void put_mask(sac_writer *w)
{
    size_t cell = sac_writer_cell_of(w, 1, w->row, w->column);
    sac_writer_note(w, 1, cell);
    if (sac_writer_value_of(w, 1, cell) == 0) {
        sac_writer_put_here(w, 0);
        return;
    }
    sac_writer_note(w, 0, sac_writer_cell_of(w, 0, w->row, w->column));
    sac_writer_say(w, "%s", w->people ? "−∞" : "-inf");
}

static void put_affine(sac_writer *w)
{
    double f = (double)w->array->f, g = (double)w->array->g;
    sac_writer_put_factor(w, f);
    sac_writer_say(w, "%s", sac_writer_times(w));
    sac_writer_put_here(w, 0);
    if (g != 0) {
        sac_writer_say(w, " + ");
        sac_writer_put_factor(w, g);
    }
}

static void put_add(sac_writer *w)
{
    double f = (double)w->array->f;
    sac_writer_put_here(w, 0);
    sac_writer_say(w, "%s", f == -1 ? " - " : " + ");
    if (f != 1 && f != -1) {
        sac_writer_put_factor(w, f);
        sac_writer_say(w, "%s", sac_writer_times(w));
    }
    sac_writer_put_here(w, 1);
}

static void put_pair(sac_writer *w, const char *before, const char *between, const char *after)
{
    sac_writer_say(w, "%s", before);
    sac_writer_put_here(w, 0);
    sac_writer_say(w, "%s", between);
    sac_writer_put_here(w, 1);
    sac_writer_say(w, "%s", after);
}

static void put_sum_in(sac_writer *w, const char *before, sac_put_term term, const char *after)
{
    sac_writer_say(w, "%s", before);
    sac_writer_put_sum(w, term);
    sac_writer_say(w, "%s", after);
}

static void put_function(sac_writer *w, const char *before)
{
    sac_writer_say(w, "%s", before);
    sac_writer_put_bare(w, 0, w->row, w->column);
    sac_writer_say(w, ")");
}

static void put_standardised(sac_writer *w)
{
    put_pair(w, "(", " - ", ") / sqrt(");
    sac_writer_put_here(w, 2);
    sac_writer_say(w, " + ");
    sac_writer_put_number(w, (double)w->array->f);
    sac_writer_say(w, ")");
}

static void put_position(sac_writer *w)
{
    size_t c = w->column, d = w->array->shape.n[1];
    const char *power = w->people ? "^" : "**";
    sac_writer_say(w, "%s(%zu / 10000%s(%zu/%zu))", c % 2 ? "cos" : "sin", w->row, power, c - c % 2,
                   d);
}

static void put_gathered(sac_writer *w)
{
    sac_extent e = sac_small_extent(w->array->shape);
    size_t cell = (size_t)w->array->index[(w->batch * e.rows + w->row) * e.columns + w->column];
    sac_writer_note(w, 0, cell);
    sac_writer_put_number(w, (double)sac_writer_value_of(w, 0, cell));
}

static void put_mean(sac_writer *w, sac_put_term term)
{
    char after[32];
    snprintf(after, sizeof after, ") / %zu", w->depth);
    put_sum_in(w, "(", term, after);
}

static void put_or(sac_writer *w)
{
    if (w->people)
        put_pair(w, "", " or ", "");
    else
        put_pair(w, "max(", ", ", ")");
}

static void put_equals(sac_writer *w)
{
    sac_writer_say(w, "%s", w->people ? "" : "float(");
    sac_writer_put_here(w, 0);
    sac_writer_say(w, "%s", w->people ? " = " : " == ");
    sac_writer_put_number(w, (double)w->array->f);
    sac_writer_say(w, "%s", w->people ? "?" : ")");
}

static void put_given(sac_writer *w)
{
    sac_writer_put_number(w, (double)w->arithmetic->value);
}

static void put_product(sac_writer *w)
{
    sac_writer_put_sum(w, product_term);
}

static void put_multiplied(sac_writer *w)
{
    put_pair(w, "", sac_writer_times(w), "");
}

static void put_divided(sac_writer *w)
{
    put_pair(w, "", " / ", "");
}

static void put_softmax_of_row(sac_writer *w)
{
    put_softmax(w, false);
}

static void put_softmax_of_column(sac_writer *w)
{
    put_softmax(w, true);
}

static void put_additive(sac_writer *w)
{
    sac_writer_put_sum(w, additive_term);
}

static void put_gaussian(sac_writer *w)
{
    put_sum_in(w, w->people ? "−½·(" : "-0.5*(", gaussian_term, ")");
}

static void put_total(sac_writer *w)
{
    sac_writer_put_sum(w, plain_term);
}

static void put_mean_of_row(sac_writer *w)
{
    put_mean(w, plain_term);
}

static void put_variance(sac_writer *w)
{
    put_mean(w, deviation_term);
}

static void put_length(sac_writer *w)
{
    put_sum_in(w, "sqrt(", squared_term, ")");
}

static void put_entropy(sac_writer *w)
{
    put_sum_in(w, "-(", entropy_term, ")");
}

static void put_largest(sac_writer *w)
{
    sac_writer_say(w, "%s", w->people ? "max(" : "max((");
    for (size_t k = 0; k < w->depth; k++) {
        sac_writer_say(w, "%s", k ? ", " : "");
        sac_writer_put_bare(w, 0, w->row, k);
    }
    sac_writer_say(w, "%s", w->people ? ")" : ",))");
}

static void put_relu(sac_writer *w)
{
    put_function(w, "max(0, ");
}

static void put_tanh(sac_writer *w)
{
    put_function(w, "tanh(");
}

static void put_power(sac_writer *w)
{
    put_function(w, "exp(");
}

static void (*const expressions[SAC_OP_COUNT])(sac_writer *w) = {
    [SAC_OP_GIVEN] = put_given,
    [SAC_OP_MATMUL] = put_product,
    [SAC_OP_MATMUL_T] = put_product,
    [SAC_OP_ADD] = put_add,
    [SAC_OP_MULTIPLY] = put_multiplied,
    [SAC_OP_DIVIDE] = put_divided,
    [SAC_OP_AFFINE] = put_affine,
    [SAC_OP_MASK] = put_mask,
    [SAC_OP_OR] = put_or,
    [SAC_OP_EQUALS] = put_equals,
    [SAC_OP_SOFTMAX] = put_softmax_of_row,
    [SAC_OP_SOFTMAX_0] = put_softmax_of_column,
    [SAC_OP_GATHER] = put_gathered,
    [SAC_OP_ADDITIVE] = put_additive,
    [SAC_OP_GAUSSIAN] = put_gaussian,
    [SAC_OP_STANDARDISE] = put_standardised,
    [SAC_OP_SUM] = put_total,
    [SAC_OP_MEAN] = put_mean_of_row,
    [SAC_OP_LARGEST] = put_largest,
    [SAC_OP_VARIANCE] = put_variance,
    [SAC_OP_LENGTH] = put_length,
    [SAC_OP_ENTROPY] = put_entropy,
    [SAC_OP_RELU] = put_relu,
    [SAC_OP_TANH] = put_tanh,
    [SAC_OP_EXP] = put_power,
    [SAC_OP_POSITION] = put_position,
};

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
        expressions[array->operation](&w);
        w.failed |= fclose(w.out) != 0;
    }
    if (w.out && !w.failed)
        return SAC_OK;
    sac_arithmetic_free(arithmetic);
    return sac_fail(error, SAC_E_MEMORY, array->name, NULL, "no memory for its arithmetic");
}
