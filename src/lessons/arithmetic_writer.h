/* What the arithmetic of a cell is written with: its operands, as numbers for people or programs.
 */
#ifndef SAC_LESSONS_ARITHMETIC_WRITER_H
#define SAC_LESSONS_ARITHMETIC_WRITER_H

#include <stdio.h>

#include "lessons/graph.h"

/* The expression that is being written. */
typedef struct sac_writer {
    const sac_graph *graph;
    const sac_small_array *array;
    size_t batch, row, column; /* of the cell */
    size_t depth;              /* terms of a sum */
    FILE *out;
    bool people, silent; /* silent: operands are noted, and nothing is written */
    sac_arithmetic *arithmetic;
    size_t room; /* for operands */
    bool failed; /* no memory */
} sac_writer;

/* The cell (row, column) of input `which`, whose only batch, row or column serves all. */
size_t sac_writer_cell_of(const sac_writer *w, int which, size_t row, size_t column);
float sac_writer_value_of(const sac_writer *w, int which, size_t cell);
/* Adds the cell to the operands. */
void sac_writer_note(sac_writer *w, int which, size_t cell);
__attribute__((format(printf, 2, 3))) void sac_writer_say(sac_writer *w, const char *format, ...);
void sac_writer_put_number(sac_writer *w, double value);
/* The number alone: what stands in parentheses already. */
void sac_writer_put_bare(sac_writer *w, int which, size_t row, size_t column);
/* A factor or term; negative ones in parentheses. */
void sac_writer_put(sac_writer *w, int which, size_t row, size_t column);
/* That of the cell's own row and column. */
void sac_writer_put_here(sac_writer *w, int which);
void sac_writer_put_factor(sac_writer *w, double value);
/* "·" and "²" for people, "*" and "**2" for programs. */
const char *sac_writer_times(const sac_writer *w);
const char *sac_writer_square(const sac_writer *w);

typedef void (*sac_put_term)(sac_writer *w, size_t k);
/* Every term is noted; people read the first and "…". */
void sac_writer_put_sum(sac_writer *w, sac_put_term term);

#endif
