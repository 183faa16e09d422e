/* The spots of a view that answer the pointer, where they were drawn last: the shell lights one up,
 * shows a sentence about it, and presses the keys that caps name. */
#ifndef VIZ_PARTS_SPOTS_H
#define VIZ_PARTS_SPOTS_H

#include "parts/controls/widgets.h"
#include "view/keys.h"

typedef enum viz_spot_kind {
    VIZ_SPOT_READOUT = 0, /* a number or a name, which is explained */
    VIZ_SPOT_PRESSES,     /* a click does something */
    VIZ_SPOT_STEPS,       /* ‹ › a click is more, at its left edge less */
    VIZ_SPOT_SLIDES,      /* is dragged */
    VIZ_SPOT_AREA         /* pictures and matrices: what is pointed at is part of them */
} viz_spot_kind;

#define VIZ_SPOTS_MOST 640
#define VIZ_STEP_ARROW 9.0f /* beside a value that is stepped, on both sides */

typedef struct viz_spot {
    viz_rect rect;
    viz_spot_kind kind;
    const char *tip;        /* one sentence; a literal */
    const viz_key *key;     /* that a press stands for; NULL: the view takes the press */
    const char *place;      /* the class's name of a place of the bar that it opens; NULL: none */
    float knob;             /* of a slider: where it stands, x, … */
    float stride;           /* … and how far a key moves it; 0: none does */
    float knob_y, stride_y; /* the same of what is moved up and down */
    int moves; /* its number among those that change their place; it keeps the focus where it goes; 0:
                  it does not */
} viz_spot;

struct viz_spots {
    int count;
    viz_spot items[VIZ_SPOTS_MOST];
};

/* Empty rectangles are left out, and NULL is returned. A spot that is added later lies over those before it. */
viz_spot *viz_spots_add(viz_spots *spots, viz_rect rect, viz_spot_kind kind, const char *tip);
/* A press stands for the key; its tip is that of the table. */
void viz_spots_add_key(viz_spots *spots, viz_rect rect, const char *cap);
/* The same with a sentence of its own. */
void viz_spots_add_press(viz_spots *spots, viz_rect rect, const char *cap, const char *tip);
/* A press opens a place of the bar, by the name of its class. */
void viz_spots_add_place(viz_spots *spots, viz_rect rect, const char *place, const char *tip);
void viz_spots_add_caps(viz_spots *spots, const viz_caps *caps);
/* `tips` [count]. */
void viz_spots_add_choices(viz_spots *spots, const viz_choices *choices, const char *const *tips);
/* ← and → move it from `value` while it has the focus. */
void viz_spots_add_slider(viz_spots *spots, const viz_slider *slider, float value, const char *tip);
/* The uppermost one at a place; NULL: none. */
const viz_spot *viz_spots_at(const viz_spots *spots, float x, float y);
bool viz_spot_is_pressable(const viz_spot *spot); /* the pointer is a hand over it */
/* True at the place of ‹. */
bool viz_spot_steps_down(const viz_spot *spot, float x);

/* Light under the pointer, and ‹ ›. */
void viz_spot_draw(viz_canvas *canvas, const viz_spot *spot);

#endif
