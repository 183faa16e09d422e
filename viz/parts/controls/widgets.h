/* The widgets that views share around their pictures. A layout function (or the caller) fills a
 * struct of rectangles; drawing and hit-testing read the same struct, so that what is seen is what
 * is hit. Texts are lent and must outlive the struct. */
#ifndef VIZ_PARTS_WIDGETS_H
#define VIZ_PARTS_WIDGETS_H

#include "canvas/heat.h"
#include "canvas/text.h"
#include "view/settings.h"

#define VIZ_MARGIN 20.0f
#define VIZ_GAP 8.0f

/* A weight as a person reads it: "0", "0.0214", "3.1e-06", "1". Returns `text`. */
char *viz_number(float value, char *text, size_t size);
/* The same with its sign: "+0.0012". */
char *viz_signed_number(float value, char *text, size_t size);

/* "62 %", "0.4 %". Returns `text`. */
char *viz_percent(float share, char *text, size_t size);
/* A token in quotes, a line's end as a sign: “ Paris”, “↵”. Returns `text`. */
char *viz_quoted(const char *token, char *text, size_t size);

/* ---- a slider: label and value above, a track with a knob below */

#define VIZ_SLIDER_HEIGHT 36.0f

typedef struct viz_slider {
    viz_rect rect;
    const char *label;
    float low, high;
    bool logarithmic; /* equal ways are equal factors */
    bool idle;        /* has no effect now; drawn faint */
    bool whole;       /* its values are whole numbers */
} viz_slider;
void viz_slider_draw(viz_canvas *canvas, const viz_slider *slider, float value,
                     const char *value_text);
bool viz_slider_hit(const viz_slider *slider, float x, float y);
/* Where its knob stands, x. */
float viz_slider_knob_x(const viz_slider *slider, float value);
/* The value at x; beyond the ends, the ends. */
float viz_slider_value(const viz_slider *slider, float x);

/* ---- one of several names, as chips or as a line of words */

#define VIZ_CHIP_HEIGHT 26.0f
#define VIZ_WORDS_HEIGHT 20.0f

typedef struct viz_choices {
    int count;
    const char *names[VIZ_MAX_CHOICES];
    const char *label; /* before the words; NULL: none */
    viz_rect rect;     /* of all of it */
    viz_rect items[VIZ_MAX_CHOICES];
} viz_choices;
/* Lays chips from (x, y) to the right; those that do not fit `width` go on in the next line. */
viz_choices viz_chips_layout(const viz_canvas *canvas, float x, float y, float width,
                             const char *const *names, int count);
void viz_chips_draw(viz_canvas *canvas, const viz_choices *choices, int current);
/* "label one · two · three", the current one lit. */
viz_choices viz_words_layout(const viz_canvas *canvas, float x, float y, float width,
                             const char *label, const char *const *names, int count);
void viz_words_draw(viz_canvas *canvas, const viz_choices *choices, int current);
int viz_choices_hit(const viz_choices *choices, float x, float y); /* −1: none */

/* ---- the colour bar: what the colours mean in true numbers */

#define VIZ_BAR_HEIGHT 32.0f       /* bar and numbers */
#define VIZ_BAR_NAMED_HEIGHT 50.0f /* and the scale's name below */

/* `colors` [256]; `uniform` is the weight that all would have were they equal, 1/N, and is marked;
 * 0: no mark. `name` (may be NULL) is the name of the scale; drawn where the rectangle is high
 * enough. */
void viz_bar_draw(viz_canvas *canvas, viz_rect rect, const viz_color *colors,
                  const viz_scale *scale, float uniform, const char *name);

/* The legend of what lies over a picture: of heat its bar; of light what is dimmed and what is lit; of
 * contours what part of the weight each holds. */
void viz_heat_bar_draw(viz_canvas *canvas, viz_rect rect, const viz_heat_style *style,
                       float uniform, const char *name);

/* ---- a line of a list of numbers: "dog  ▇▇▇▇  0.62" */

#define VIZ_BAR_DIGITS 62.0f /* the width of the number */
/* The name ends `names` behind the left edge; the bar is `length` long, below 0: there is none. `number`:
 * NULL: none. */
void viz_named_bar_draw(viz_canvas *canvas, viz_rect line, float names, const char *name,
                        viz_color name_color, float length, viz_color color, const char *number);

/* ---- keys that do something: "[S] PNG  [A] animation" */

#define VIZ_CAPS_HEIGHT 20.0f

typedef struct viz_caps {
    int count;
    const viz_key_row *keys; /* lent */
    viz_rect items[VIZ_MAX_CHOICES];
    float
        second[VIZ_MAX_CHOICES]; /* of "N  P": from where on it is P, from the left edge; else 0 */
} viz_caps;
/* Right-aligned at `right`, within `width`; where there is no room the first ones are left out
 * (their items are empty). */
viz_caps viz_caps_layout(const viz_canvas *canvas, float right, float y, float width,
                         const viz_key_row *keys, int count);
/* The same of those that are `shown` [count]. */
viz_caps viz_caps_layout_shown(const viz_canvas *canvas, float right, float y, float width,
                               const viz_key_row *keys, int count, const bool *shown);
void viz_caps_draw(viz_canvas *canvas, const viz_caps *caps);
int viz_caps_hit(const viz_caps *caps, float x, float y); /* −1: none */
/* A cap for each key of "N  P", the first one's left edge at x; both give their width. */
float viz_cap_width(const viz_canvas *canvas, const char *keys);
float viz_cap_draw(viz_canvas *canvas, float x, float y, const char *keys);

/* ---- a note that must be seen: "maps are identical for every query" */

#define VIZ_NOTE_HEIGHT 28.0f
/* Draws a note as wide as its text, at most `width`; returns its rectangle. */
viz_rect viz_note_draw(viz_canvas *canvas, float x, float y, float width, const char *text);
/* The same over the lower edge of a picture; nothing on a low one, or without a text. */
void viz_note_draw_over(viz_canvas *canvas, viz_rect picture, const char *text);
#define VIZ_EVEN_NOTE "looks everywhere alike"

#endif
