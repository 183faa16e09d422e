/* A map that a person pinned: a copy of the numbers that a view showed, the picture or the labels
 * that they belong to, and one line that says what it is. It outlives view and source, and goes as
 * text into a PNG and back. */
#ifndef VIZ_VIEW_PIN_H
#define VIZ_VIEW_PIN_H

#include "arrays/labels.h"
#include "view/view.h"

#define VIZ_PIN_SIDE 256        /* rows and columns at most */
#define VIZ_PIN_PICTURE 384     /* pixels of the picture's longer side at most */
#define VIZ_PIN_BETWEEN "  ·  " /* between the parts of a title */

struct viz_pin {
    char title[256]; /* "layer 3, head 5  ·  vit.npz" */
    int rows, columns;
    float *values;                        /* [rows,columns]; NaN: hidden or masked; owned */
    sac_labels row_labels, column_labels; /* count 0: none; owned */
    sac_image image;                      /* that the cells lie over; rgba NULL: none; owned */
};

/* Zeros for the map of a zeroed pin; false: no memory, or no such size. */
bool viz_pin_size(viz_pin *pin, size_t rows, size_t columns);
/* Adds a part to the title; an empty one is left out. */
void viz_pin_say(viz_pin *pin, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes the name of what is open into the pin: its title, or its file's name. */
void viz_pin_say_source(viz_pin *pin, const char *title, const sac_origin *origin);
/* "3 cells hidden", where there are any; their values become NaN. `hidden` [rows,columns] or NULL.
 */
void viz_pin_hide(viz_pin *pin, const uint8_t *hidden);
/* The picture below, shrunk to what a pin keeps; false: no memory. */
bool viz_pin_lay_over(viz_pin *pin, const sac_image *image);
void viz_pin_free(viz_pin *pin); /* takes zeroed ones */

/* True where both lie over the same pixels. */
bool viz_pin_same_picture(const viz_pin *a, const viz_pin *b);
/* The whole pin as text; without its picture where `beside` (may be NULL) has the same. free() it;
 * NULL: no memory. */
char *viz_pin_write(const viz_pin *pin, const viz_pin *beside);
/* Back into a zeroed pin; the picture of `beside` where the text has none of its own. False, and
 * the pin zeroed, where it makes no sense: the text may be anybody's. */
bool viz_pin_read(viz_pin *pin, const char *text, const viz_pin *beside);

#endif
