/* The rectangles of a lesson's page, which drawing and hit-testing both read. */
#ifndef VIZ_LESSON_LESSON_LAYOUT_H
#define VIZ_LESSON_LESSON_LAYOUT_H

#include "lesson/lesson_numbers.h"
#include "parts/turns.h"
#include "parts/widgets.h"

enum { LESSON_ARITHMETIC = 1200, LESSON_LOOKED = 64 };

/* A cell of an array; array 0: none. */
typedef struct lesson_cell {
    sac_node array;
    size_t cell; /* counted through the array, rows first */
} lesson_cell;

/* An array on the page: as much of it as has room, in batches of rows and columns. */
typedef struct lesson_block {
    sac_node node;
    viz_rect rect;                                           /* name, labels and cells */
    lesson_format format, formats[LESSON_MOST_DECIMALS + 1]; /* with so many decimals at most */
    bool made_here; /* by this step: it is told from what was there before */
    bool arrow;     /* one points to it from the arrays before */
    bool beside;    /* batches stand beside each other, not below */
    size_t first_batch, batches, first_row, rows, first_column, columns; /* shown */
    float name_h, label_h, gutter; /* above the cells, and left of them */
    float cell_w, cell_h, batch_gap;
} lesson_block;

typedef struct lesson_layout {
    float unit; /* of letters: 1 at 1280 × 756 */
    viz_rect area;
    float title, sentence, formula, number, label, notice; /* sizes of text */
    float title_y, sentence_y, formula_y, arithmetic_y, notice_y;
    float arithmetic;                         /* size of its text: */
    char told[LESSON_ARITHMETIC], result[32]; /* "weights[2,1] = …", "0.503" */
    char noticed[600];
    viz_turns turns;
    viz_rect reset; /* to the lesson's own numbers; empty: it has them */
    viz_rect room;  /* of the arrays */
    viz_rect block; /* of a transformer's drawing, above them */
    lesson_block blocks[SAC_STEP_ARRAYS];
    int block_count;
    float answer_y; /* of what tells how to answer */
    viz_rect bar;   /* by which a number is guessed; empty: none is */
    viz_rect doors[SAC_STEP_DOORS];
    viz_rect code;   /* lines of PyTorch */
    bool code_alone; /* there is no room for them and the arithmetic */
    viz_rect controls;
    viz_slider sliders[SAC_LESSON_PARAMETERS];
    viz_rect switches[SAC_LESSON_PARAMETERS]; /* one of the two is empty */
    int control_count;
    viz_caps caps;
} lesson_layout;

/* "2×4×10", and what is shown of it: "2×4×10  [0]  4×6". Returns `text`. */
char *lesson_block_shape(const lesson_block *block, const sac_shown_array *array, char *text,
                         size_t size);
/* The place of a cell of a block; empty where it is not shown. */
viz_rect lesson_cell_rect(const lesson_block *block, const sac_shown_array *array, size_t cell);
/* The cell at a place; false: none. */
bool lesson_cell_at(const lesson_block *block, const sac_shown_array *array, float x, float y,
                    size_t *cell);

/* What the arrays are laid out for: these of the lesson, around what is looked at. */
typedef struct lesson_arrays {
    const sac_shown_lesson *lesson;
    int step;
    const lesson_cell *looked_at; /* [looked_count]: kept in sight where an array is cut */
    size_t looked_count;
    float number, least, label; /* sizes of text: the largest of numbers, the least of them … */
    float gap;                  /* between arrays */
} lesson_arrays;
/* Lays the arrays into `room`, from the left to the right and line by line, in the largest numbers
 * that have room; returns their size. Arrays that have none in the least are cut. */
float lesson_arrays_lay(const lesson_arrays *arrays, const viz_canvas *canvas, viz_rect room,
                        lesson_block blocks[SAC_STEP_ARRAYS], int *count);

#endif
