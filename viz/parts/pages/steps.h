/* Arithmetic on a page: one step at a time, each an operation in a sentence and as a formula, the
 * numbers that it works on and the numbers that it gives, and what to notice. The drawing depends
 * on the steps and the page alone; all that steps hold is lent. */
#ifndef VIZ_PARTS_STEPS_H
#define VIZ_PARTS_STEPS_H

#include "canvas/canvas.h"
#include "parts/controls/spots.h"

/* ---- the way through steps: their names in a line, the current one underlined, and at the foot of a
 * page the names of the step before and of the next one */

#define VIZ_TURNS 17
#define VIZ_FOOT 48.0f /* the height of a page's foot */

typedef struct viz_turns {
    const char *names[VIZ_TURNS]; /* lent */
    int count, current;
    bool leads; /* where names have no room, those before and behind the current one lead there */
    float size; /* of the text */
    viz_rect items[VIZ_TURNS]; /* empty: it has no room */
    viz_rect back, on;         /* to the step before, and the next one; as drawn last */
} viz_turns;

/* Places the names from the left to the right; where they have no room, the current one alone. */
void viz_turns_lay(viz_turns *turns, const viz_canvas *canvas, float x, float y, float width,
                   float gap);
void viz_turns_draw(const viz_turns *turns, viz_canvas *canvas);
/* "‹ mask   output ›" into the foot; returns where it ends. */
float viz_turns_draw_foot(viz_turns *turns, viz_canvas *canvas, viz_rect foot, float margin);
/* The step that a press there turns to; −1: none. */
int viz_turns_hit(const viz_turns *turns, float x, float y);
void viz_turns_spots(const viz_turns *turns, viz_spots *spots);

/* ---- the steps and their page */

typedef enum viz_step_colors {
    VIZ_STEP_SIGNED = 0, /* about 0, by the row's largest magnitude */
    VIZ_STEP_SHARES,     /* from 0 to the row's largest */
} viz_step_colors;

/* A named array: a row of numbers. −inf is a number here: what a mask has hidden. */
typedef struct viz_step_row {
    char name[64];         /* "q", "exp(score)" */
    const double *numbers; /* [columns] */
    viz_step_colors colors;
    bool sums; /* where columns have no room, the sum of the rest means something */
} viz_step_row;

#define VIZ_STEP_ROWS 8

/* Arrays of one length below each other: a vector and what becomes of it, or a small matrix. */
typedef struct viz_step_table {
    char name[128]; /* "64 numbers of each"; with the shape where that is the point */
    size_t columns;
    int rows;
    viz_step_row row[VIZ_STEP_ROWS];
    const size_t
        *order;     /* [columns]: which come first where not all have room; NULL: as they are */
    size_t current; /* the column that the step is about; SIZE_MAX: none */
    /* The name of a column; NULL: its number. */
    char *(*label)(const void *user, size_t column, char *text, size_t size);
    const void *user;
} viz_step_table;

typedef struct viz_step {
    char name[24];      /* "scale" */
    char sentence[320]; /* the operation */
    char formula[256];  /* with its numbers; what it gives is drawn in the accent behind it: */
    char result[48];
    char notice[320]; /* what to see in it; empty: nothing */
    viz_step_table table;
} viz_step;

/* The page that is turned to. */
typedef struct viz_page {
    const char *title, *subtitle;
    const viz_step *steps;
    int count, current;
    size_t first; /* columns are shown from here on, where not all have room */
} viz_page;

/* The rectangles of a page, which drawing and hit-testing both read. */
typedef struct viz_page_layout {
    float unit; /* of letters: 1 at 1280 × 756 */
    viz_rect area, table, cells;
    viz_turns turns;
    float title_y, subtitle_y, sentence_y, formula_y, notice_y;
    float line; /* from one line of the sentence to the next */
    float gutter, cell_w, cell_h;
    size_t first, shown; /* columns: the order's first … first + shown − 1, … */
    size_t across;       /* … so many beside each other, … */
    float band_h;        /* … and below them, in an upright page, the next ones */
    bool rest;           /* and one cell more, for the others */
} viz_page_layout;
viz_page_layout viz_page_lay(const viz_page *page, const viz_canvas *canvas, viz_rect area);
/* The height at which a figure of the page ends below its last line. */
float viz_page_height(const viz_page *page, const viz_canvas *canvas, float width);
void viz_page_draw(const viz_page *page, const viz_page_layout *layout, viz_canvas *canvas);
/* At the left and right of an area, for what stands below the page. */
float viz_page_margin(viz_rect area);
/* The cells of column `first` + i of those that are shown. */
viz_rect viz_page_column(const viz_page *page, const viz_page_layout *layout, size_t i);
/* The column of the current step's table; SIZE_MAX: none. */
size_t viz_page_column_at(const viz_page *page, const viz_page_layout *layout, float x, float y);

#endif
