/* A lesson as a view shows it: steps over small named arrays, each number with its arithmetic, in
 * every language at once. Nothing of how it is computed. */
#ifndef SAC_SOURCES_LESSON_H
#define SAC_SOURCES_LESSON_H

#include <stdio.h>

#include "saccade.h"
#include "sources/translate.h"

enum {
    SAC_LESSON_PARAMETERS = 8,
    SAC_LESSON_STEPS = 16,
    SAC_LESSON_EDITS = 64, /* numbers of arrays that a person may set */
    SAC_LESSON_ARRAYS = 160,
    SAC_ARRAY_INPUTS = 3,
    SAC_STEP_ARRAYS = 6,
    SAC_STEP_QUESTIONS = 2,
    SAC_STEP_DOORS = 4,
    SAC_CHOICES = 6,
    SAC_SHOWN_RANK = 4,
    SAC_LESSON_DRAWINGS = 8,
    SAC_DRAWING_PANELS = 5,
    SAC_DRAWING_MARKS = 12,
    SAC_DRAWING_HANDLES = 12,
};

/* An array by its number in the lesson, from 1 on; 0: none. */
typedef int sac_node;

typedef struct sac_lesson_parameter {
    const char *name; /* "temperature" */
    const char *label;
    float low, high, initial;
    bool whole;
} sac_lesson_parameter;

/* What a person is asked about an array, before they see it. */
typedef enum sac_question_kind {
    SAC_ASK_LARGEST = 0, /* which column of a row has the largest number */
    SAC_ASK_VALUE,       /* what a cell holds */
    SAC_ASK_COUNT,       /* how many cells of a row are not 0 */
    SAC_ASK_WAY,         /* whether a number grows, falls or stays by a change */
    SAC_ASK_GAINS,       /* which column of a row gains most by a change */
    SAC_ASK_WHY,         /* which reason is the right one */
} sac_question_kind;
static inline bool sac_asks_choice(sac_question_kind kind)
{
    return kind >= SAC_ASK_WAY;
}

/* A question about one of a step's arrays, counted from 0. */
typedef struct sac_step_question {
    sac_question_kind kind;
    int array;
    const char *why; /* the answer's reason; without one there is no question */
    bool
        by_text; /* the answer follows from the step's words and formula; else from numbers that it shows */
} sac_step_question;

/* A way out of a lesson: to another one, or to a view of the program. */
typedef struct sac_lesson_door {
    const char *name;   /* "Translation"; of a lesson its title */
    const char *lesson; /* its name; NULL: */
    const char *tab;    /* the view that opens, … */
    const char *text;   /* … with this sentence; NULL: its own */
    const char *command;
} sac_lesson_door;

/* ---- a drawing: arrays of the lesson as curves, points, arrows and bars, and handles by which a
 * hand sets its numbers. A view computes places and nothing else: a curve is an array of many
 * points that the lesson computes. */

/* A number of an array; array 0: none. */
typedef struct sac_operand {
    sac_node array;
    size_t cell; /* counted through the array, rows first */
} sac_operand;

typedef enum sac_drawing_kind {
    SAC_DRAWS_PLOT = 0, /* panels with axes */
    SAC_DRAWS_MATRIX,   /* matrices beside each other, with a curtain over what is blocked */
    SAC_DRAWS_BANDS,    /* two sentences and bands between their words */
    SAC_DRAWS_PICTURES, /* beside each other; y of a panel runs down */
    SAC_DRAWS_ROWS, /* rows of matrices, and where they stand in the next one: by the largest number
                           of each row of its weights. Handle i is row i of the second matrix, and sets
                           the permutation that it names as its place */
    SAC_DRAWS_BLOCK, /* a transformer: it stands above arrays, and has the page where it is alone */
    SAC_DRAWING_KINDS
} sac_drawing_kind;

/* Two axes. Where both ends of one are 0, it reaches as far as the numbers do. */
typedef struct sac_drawing_panel {
    const char *title, *x, *y; /* names of the panel and of its axes */
    float x_low, x_high, y_low, y_high;
    bool plane;      /* both axes have the same unit, and cross at 0 */
    bool x_by_ratio; /* equal ways are equal factors */
    bool y_by_ratio;
    sac_node categories; /* columns of it have their names in place of numbers along x; 0: none */
    float share;         /* of the drawing, beside the others; 0: 1 */
    int since;           /* the step that shows it first */
} sac_drawing_panel;

typedef enum sac_mark_kind {
    SAC_MARK_LINE = 0, /* through all (x, y); where y has several rows, a line for each; over a
                          picture through the places that are the rows of y: column, row */
    SAC_MARK_AREA,     /* the same, filled down to 0 */
    SAC_MARK_POINTS,   /* as large as their weights, if there are any */
    SAC_MARK_BARS,     /* from 0 to y */
    SAC_MARK_ARROWS,   /* from 0 to each row of y, as thick as its weight */
    SAC_MARK_RULE,     /* across the panel, at each x; without an x at each y */
    SAC_MARK_CELLS, /* of a matrix y, covered where a weight is not 0; where y is the weights, open
                          cells have no number */
    SAC_MARK_PICTURE, /* of brightness y, or three of red, green and blue; weights lie over it,
                         and a path */
    SAC_MARK_BANDS, /* from each row of y to each column, as wide as the number; of each of several
                         matrices in its own colour */
} sac_mark_kind;

typedef enum sac_mark_ink {
    SAC_INK_PLAIN = 0,
    SAC_INK_FAINT,
    SAC_INK_ACCENT, /* what the step is about */
    SAC_INK_BLUE,
    SAC_INK_GREEN,
} sac_mark_ink;

typedef struct sac_drawing_mark {
    sac_mark_kind kind;
    int panel; /* from 0 */
    int since,
        before;    /* steps from 0 that show it: from the first to one less than the second; 0: to
                          the last */
    sac_node x, y; /* of as many columns; x 0: 0, 1, 2 … */
    sac_node weights; /* as many as there are points or arrows; 0: none */
    sac_mark_ink ink;
    const char *name; /* in the legend, or the heading of bands; empty: it is not there, and
                                  bands show which word attends to which */
    const char *const *labels; /* beside points and arrows; NULL: none */
    const char *credit;        /* of a picture: author and licence; NULL: not named */
    int cut_rows, cut_columns; /* lines cut a picture into so many cells; 0: none do */
    /* What a hand that covers or opens a cell makes of a number of a given array: of as many as y
     * has, from the first, or of one for each column. */
    sac_operand sets; /* array 0: nothing */
    bool by_column;
    float covered, open;
} sac_drawing_mark;

/* What a hand sets as it moves a handle along one axis: a parameter or a number of a given array, as
 * far from `origin` as the handle is. */
typedef struct sac_drawing_target {
    const char *parameter; /* NULL: */
    sac_operand number;    /* array 0: nothing, the handle keeps its place */
    sac_operand origin;    /* none: from 0 */
    float power;           /* of that distance; 0: 1 */
} sac_drawing_target;

typedef struct sac_drawing_handle {
    int panel, since;
    bool quiet;       /* it is drawn while it is pointed at: a mark is where it stands */
    sac_operand x, y; /* where it stands; none: in the middle, at the foot */
    sac_drawing_target sets_x, sets_y;
    const char *does; /* "Drag the query: the estimate follows." */
} sac_drawing_handle;

typedef struct sac_lesson_drawing {
    sac_drawing_kind kind;
    float part;  /* of the page's width, beside arrays; 0: about half */
    bool across; /* panels are side by side, not one below another */
    /* A whole parameter that goes on so many times while the lesson plays, and the first step that
     * shows it; NULL: none does. */
    const char *plays;
    int play_count, plays_since;
    int panel_count, mark_count, handle_count;
    sac_drawing_panel panels[SAC_DRAWING_PANELS];
    sac_drawing_mark marks[SAC_DRAWING_MARKS];
    sac_drawing_handle handles[SAC_DRAWING_HANDLES];
} sac_lesson_drawing;

/* Parts of a transformer's drawing. */
enum {
    SAC_BLOCK_EMBEDDING = 1,
    SAC_BLOCK_ENCODER_ATTENTION = 2,
    SAC_BLOCK_ENCODER_NORM = 4,
    SAC_BLOCK_ENCODER_FORWARD = 8,
    SAC_BLOCK_MEMORY = 16,
    SAC_BLOCK_DECODER_ATTENTION = 32,
    SAC_BLOCK_CROSS_ATTENTION = 64,
    SAC_BLOCK_DECODER_NORM = 128,
    SAC_BLOCK_DECODER_FORWARD = 256,
    SAC_BLOCK_WORDS = 512,
};

typedef struct sac_lesson_step {
    const char *name;     /* "softmax" */
    const char *sentence; /* the operation */
    const char *formula;  /* "P = softmax(S)" */
    const char *notice;   /* what to see in it */
    const char *code;     /* the same in PyTorch; NULL: none */
    const char *cell;     /* "weights,0,2", that is marked first: the one that the text is
                                         about; NULL: the largest of the last row of the result */
    unsigned block;       /* parts that are lit in a transformer's drawing; 0: none is
                                         drawn */
    sac_node arrays[SAC_STEP_ARRAYS]; /* from left to right, up to the first 0 */
    int drawing;                      /* of the lesson's, from 1 on; 0: none */
    sac_step_question questions[SAC_STEP_QUESTIONS];
    const sac_lesson_door *doors[SAC_STEP_DOORS]; /* up to the first NULL */
} sac_lesson_step;

typedef struct sac_question {
    sac_question_kind kind;
    int step;
    sac_node array;
    const char *why;
    const struct sac_lesson_ask *of; /* of a choice: its words … */
    int right;                       /* … and its right one */
    bool by_text;                    /* as in sac_step_question */
} sac_question;
/* A question of the lesson and its answer, by a seed. */
typedef struct sac_asked {
    const sac_question *question;
    size_t row, column; /* of the cell; the answer of SAC_ASK_LARGEST is `column` */
    float answer;       /* a column, a number, how many, or the place of the right choice */
    int choices[SAC_CHOICES], choice_count; /* in the order in which they are shown */
} sac_asked;

/* How a cell came about: the numbers that went into it, and the expression that made it of them. */
/* What stands between an expression and its result. */
typedef enum sac_lesson_relation {
    SAC_IS = 0, /* "=": who reckons with the digits that are shown gets the result, to its last */
    SAC_ABOUT,  /* "≈": who does comes near it */
    SAC_GIVES,  /* "→": the expression is a condition, "3 ≠ 0" */
    SAC_GIVEN,  /* there is no expression: the number is given */
} sac_lesson_relation;
typedef struct sac_arithmetic {
    float value;
    sac_operand *operands; /* owned, in the order of the expression */
    size_t count;
    char *expression; /* owned */
    sac_lesson_relation relation;
    char result[32]; /* the value as it stands behind the relation */
} sac_arithmetic;

/* ---- what a view is given */

typedef struct sac_lesson_entry {
    const char *name; /* "masks" */
    const char *title, *summary;
    const char *group; /* that begins with it; NULL: it belongs to the one before */
    bool finished;     /* a person went through it to its end */
} sac_lesson_entry;

/* Which lesson, of which numbers. */
typedef struct sac_lesson_request {
    char name[32];
    char settings[3072]; /* "temperature=0.5 query,0,1=2.5", a blank between; empty: its own */
    char text[256];      /* a sentence in place of its words; empty: its own */
    uint64_t seed;       /* of its weights, … */
    bool seed_given;     /* … where they are not the lesson's own */
    bool asks;           /* questions with choices too, for which it is computed several times */
} sac_lesson_request;

/* Of which cells of its inputs a cell of an array is made. An input whose batch, rows or columns are
 * 1 is the same for all of them. */
typedef enum sac_making {
    SAC_MADE_OF_NOTHING = 0, /* given, or computed of its place */
    SAC_MADE_OF_PRODUCTS,    /* of a row of the first and a column of the second */
    SAC_MADE_OF_PRODUCTS_T,  /* of a row of the first and a row of the second */
    SAC_MADE_CELLWISE,       /* of the cells at its own place */
    SAC_MADE_SHARES,         /* of its row of the first: the softmax */
    SAC_MADE_SHARES_0,       /* of its column */
    SAC_MADE_OF_ROWS,        /* one number of a row of the first */
    SAC_MADE_OF_ROW_SO_FAR,  /* of its row of the first, up to its own column */
    SAC_MADE_BY_MOVING,      /* cell i is the cell index[i] of the first */
} sac_making;

/* All dimensions but the last two are the batch; an array of one dimension is one row. */
typedef struct sac_shown_array {
    const char *name;
    int rank;
    size_t shape[SAC_SHOWN_RANK];
    size_t batch, rows, columns;
    const float *numbers;
    bool given;  /* and not computed: a person may set its numbers */
    bool shares; /* drawn from 0 to the largest, as weights are */
    sac_making making;
    float noise; /* numbers below it are what rounding left of 0 */
    float scale; /* that the colours go up to; 0: the largest number */
    sac_node inputs[SAC_ARRAY_INPUTS];
    const int *index;                                     /* of SAC_MADE_BY_MOVING */
    const char *const *row_labels, *const *column_labels; /* NULL: numbers */
    bool row_terms,
        column_terms; /* and these are terms, which are translated, and no words of a sentence */
} sac_shown_array;

/* A label in that language; NULL: there is none, but its number. */
static inline const char *sac_label_text(const char *const *labels, bool terms, size_t index,
                                         sac_locale language)
{
    return !labels ? NULL : terms ? sac_translate(language, labels[index]) : labels[index];
}
static inline const char *sac_shown_label(const sac_shown_array *array, bool of_rows, size_t index,
                                          sac_locale language)
{
    return of_rows ? sac_label_text(array->row_labels, array->row_terms, index, language)
                   : sac_label_text(array->column_labels, array->column_terms, index, language);
}

/* All that it points to is lent by `self`; free it with sac_shown_lesson_free. */
typedef struct sac_shown_lesson {
    const char *name;
    const char *title, *summary;
    const sac_lesson_parameter *parameters; /* [parameter_count] */
    float values[SAC_LESSON_PARAMETERS];
    unsigned idle[SAC_LESSON_PARAMETERS]; /* a bit for each step that it does not change */
    int parameter_count;
    sac_shown_array arrays[SAC_LESSON_ARRAYS]; /* array n is arrays[n − 1] */
    int array_count;
    const sac_lesson_step *steps; /* [step_count] */
    int step_count;
    const sac_lesson_drawing *drawings; /* [drawing_count] */
    int drawing_count;
    void *self;
    /* For people; on any thread. Free the arithmetic, also where it fails. */
    sac_status (*arithmetic)(const void *self, sac_node array, size_t cell,
                             sac_arithmetic *arithmetic, sac_error *error);
    /* So many different questions at most, in the order of the steps, by a seed; returns how many
     * there are. */
    int (*ask)(const void *self, uint64_t seed, sac_asked *asked, int most);
    char *(*asked_text)(const void *self, const sac_asked *asked, sac_locale language, char *text,
                        size_t size);
    /* A choice, by its place. */
    char *(*choice_text)(const void *self, const sac_asked *asked, int place, sac_locale language,
                         char *text, size_t size);
    void (*destroy)(void *self);
} sac_shown_lesson;

typedef struct sac_lesson_source {
    const sac_lesson_entry *entries; /* [entry_count], in teaching order; lent by self */
    int entry_count;
    sac_lesson_request first;     /* that is shown first; its name empty: none is */
    const sac_lesson_door *doors; /* [door_count] of all steps; static */
    int door_count;
    /* A person came to the end of an entry, which is finished from then on. */
    void (*finish)(void *self, int entry);
    /* Computes a lesson. SAC_E_ARGUMENT where a setting makes no sense. Free what it gives. */
    sac_status (*teach)(void *self, const sac_lesson_request *request, sac_shown_lesson *lesson,
                        sac_error *error);
    /* Writes a lesson as a page of the web computes it: JSON (lessons/engine/recipe.h). */
    sac_status (*write_recipe)(void *self, const sac_lesson_request *request, sac_locale language,
                               FILE *file, sac_error *error);
} sac_lesson_source;

/* The cells of an array's inputs that a cell is made of, [most] at most; a product's in pairs. Returns
 * how many there are. */
size_t sac_shown_operands(const sac_shown_lesson *lesson, sac_node node, size_t cell,
                          sac_operand *operands, size_t most);
/* 0 for what rounding left of it. */
float sac_shown_number(const sac_shown_array *array, size_t cell);
/* "=" */
const char *sac_lesson_relation_sign(sac_lesson_relation relation);
void sac_arithmetic_free(sac_arithmetic *arithmetic); /* takes a zeroed one */
void sac_shown_lesson_free(sac_shown_lesson *lesson); /* takes a zeroed one */

#endif
