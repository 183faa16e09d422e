/* Two sentences beside each other, and a band from each word of the left one to each word of the
 * right one, as wide as the weight; of several heads, each in its own colour. The bands of one word stand out: of the one that is pointed at,
 * on either side, else of the current one at the left. Drawing and hit-testing read one layout. */
#ifndef VIZ_PARTS_LINES_H
#define VIZ_PARTS_LINES_H

#include "parts/controls/spots.h"

/* A band from one word to another, as wide as the weight that it stands for. */

/* From (x0, y0) to (x1, y1), level at both ends; from the left to the right, or where `down` is
 * true from above down. Drawn line by line of pixels, so that a transparent band stays even. */
void viz_band_draw(viz_canvas *canvas, float x0, float y0, float x1, float y1, float width,
                   bool down, viz_color color);

/* The colour of one of several heads: hues that are even steps apart, alike in lightness. */
viz_color viz_head_color(const viz_theme *theme, int head, int heads);

/* Lines of words fill the height that there is, up to this distance. */
#define VIZ_WIDEST_LINE 100.0f

/* The content: two sentences and the weights between them, of one head or of several; all of it is
 * lent. */
typedef struct viz_lines {
    const float *weights; /* [heads,held,columns]; NULL: not known yet */
    int rows, columns, heads;
    int first, held;   /* the rows that weights hold: first … first + held − 1 */
    const bool *shown; /* [heads] which of them */
    const char *const *row_labels, *const *column_labels;
    int row;                     /* the current one; −1: none, and no band stands out */
    int hover_row, hover_column; /* under the pointer: at most one of them; −1: not */
    float line;   /* the least height of a word's line; where not all words fit then, they are
                     scrolled */
    float scroll; /* so far */
    const char *heading;  /* instead of which word attends to which; NULL or empty: that */
    const char *sides[2]; /* names of both, which stand above them in a figure */
} viz_lines;

typedef struct viz_lines_layout {
    viz_rect area, left, right;                   /* what is seen of the words of either side */
    float row_h, column_h, row_text, column_text; /* from word to word; size of their letters */
    float shift; /* what is scrolled out above; brought to what there is */
    int rows, columns, heads;
    viz_rect table; /* of several heads: a column each, a cell for each word of the right side */
    float cell_w;
    float heading;      /* the height above both sides */
    float names_y;      /* the baseline of their names; 0: they have none */
    viz_rect heads_row; /* where no word is lit: a legend of the heads in place of the table */
} viz_lines_layout;

void viz_lines_lay(viz_lines_layout *layout, const viz_canvas *canvas, const viz_lines *lines,
                   viz_rect area);
/* The height of an area whose lines are `line` high, for a side of so many words. */
float viz_lines_least_height(int words, float line);
/* The same of a figure of that width, with the names of both sides. */
float viz_lines_figure_height(const viz_canvas *canvas, const viz_lines *lines, float width,
                              float line);
void viz_lines_draw(const viz_lines_layout *layout, viz_canvas *canvas, const viz_lines *lines);
/* The rectangle in which words of the left side, or of the right one, are pointed at. */
viz_rect viz_lines_side(const viz_lines_layout *layout, bool left);
/* The word at a point, on one of the sides; false, and both −1, where there is none. */
bool viz_lines_hit(const viz_lines_layout *layout, float x, float y, int *row, int *column);
/* The first row that is seen, and how many. */
int viz_lines_first_seen(const viz_lines_layout *layout);
int viz_lines_count_seen(const viz_lines_layout *layout);
/* Above the table, the square of a head, by which it is switched; empty: there is no table. */
viz_rect viz_lines_head(const viz_lines_layout *layout, int head);
/* A press on such a square switches that head of `shown` [heads]; with shift, or another button, it alone is
 * shown; what is left is never nothing. Returns the head; −1: none was pressed. */
int viz_lines_switch(const viz_lines_layout *layout, bool *shown, const viz_event *event);
void viz_lines_spots(const viz_lines_layout *layout, viz_spots *spots);
/* The head that is shown and has the largest weight there. */
int viz_lines_strongest(const viz_lines *lines, int row, int column, float *weight);

#endif
