#include "lessons/arithmetic_writer.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/number_text.h"
#include "lessons/operations.h"

enum { PEOPLES_TERMS = 16 /* of a sum, before "…" */ };

size_t sac_writer_cell_of(const sac_writer *w, int which, size_t row, size_t column)
{
    sac_extent e = sac_small_extent(sac_node_shape(w->graph, w->array->inputs[which]));
    size_t batch = e.batch > 1 ? w->batch : 0;
    return (batch * e.rows + (e.rows > 1 ? row : 0)) * e.columns + (e.columns > 1 ? column : 0);
}

float sac_writer_value_of(const sac_writer *w, int which, size_t cell)
{
    return w->graph->arrays[w->array->inputs[which] - 1].numbers[cell];
}

void sac_writer_note(sac_writer *w, int which, size_t cell)
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

void sac_writer_say(sac_writer *w, const char *format, ...)
{
    va_list list;
    if (w->silent)
        return;
    va_start(list, format);
    vfprintf(w->out, format, list);
    va_end(list);
}

void sac_writer_put_number(sac_writer *w, double value)
{
    char text[32];
    if (w->silent) /* of 16000 terms people read a few */
        return;
    if (w->people)
        sac_writer_say(w, "%s", sac_number_text(value, text, sizeof text));
    else
        sac_writer_say(w, "%.9g", value);
}

void sac_writer_put_bare(sac_writer *w, int which, size_t row, size_t column)
{
    size_t cell = sac_writer_cell_of(w, which, row, column);
    sac_writer_note(w, which, cell);
    sac_writer_put_number(w, (double)sac_writer_value_of(w, which, cell));
}

void sac_writer_put(sac_writer *w, int which, size_t row, size_t column)
{
    bool negative =
        signbit(sac_writer_value_of(w, which, sac_writer_cell_of(w, which, row, column)));
    sac_writer_say(w, "%s", negative ? "(" : "");
    sac_writer_put_bare(w, which, row, column);
    sac_writer_say(w, "%s", negative ? ")" : "");
}

void sac_writer_put_here(sac_writer *w, int which)
{
    sac_writer_put(w, which, w->row, w->column);
}

void sac_writer_put_factor(sac_writer *w, double value)
{
    sac_writer_say(w, "%s", value < 0 ? "(" : "");
    sac_writer_put_number(w, value);
    sac_writer_say(w, "%s", value < 0 ? ")" : "");
}

const char *sac_writer_times(const sac_writer *w)
{
    return w->people ? "·" : "*";
}

const char *sac_writer_square(const sac_writer *w)
{
    return w->people ? "²" : "**2";
}

void sac_writer_put_sum(sac_writer *w, sac_put_term term)
{
    for (size_t k = 0; k < w->depth; k++) {
        w->silent = w->people && w->depth > PEOPLES_TERMS && k >= PEOPLES_TERMS - 2;
        if (k)
            sac_writer_say(w, " + ");
        term(w, k);
    }
    w->silent = false;
    if (w->people && w->depth > PEOPLES_TERMS)
        sac_writer_say(w, " + …");
}
