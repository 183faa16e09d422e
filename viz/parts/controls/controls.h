/* The controls of a view: each is a row of its settings (view/settings.h), which has the name, kind,
 * range, label and tips. A layout places them; drawing, pressing, dragging and tips follow. */
#ifndef VIZ_PARTS_CONTROLS_H
#define VIZ_PARTS_CONTROLS_H

#include "parts/controls/spots.h"
#include "parts/controls/widgets.h"

enum { VIZ_CONTROLS_MOST = 12 };

#define VIZ_VALUE_HEIGHT 24.0f

typedef struct viz_control {
    const viz_setting *setting;
    viz_rect rect;
    bool
        is_value; /* label and value alone: a press or the wheel steps it, with the right button or shift back */
    viz_slider slider;   /* of VIZ_SLIDER */
    viz_choices choices; /* of the others */
} viz_control;

typedef struct viz_controls {
    float
        label_width; /* of words, so that those in a column begin at one place; 0: their own; below
                          0: words have no label */
    int count;
    viz_control items[VIZ_CONTROLS_MOST]; /* as laid out last */
    const viz_setting *dragged;           /* a slider, until the button is released */
} viz_controls;

/* The control of the setting `name` at (x, y), at most `width` wide; empty where nothing can be chosen. */
viz_control viz_control_lay_out(const viz_view *view, const viz_canvas *canvas, const char *name,
                                float x, float y, float width, float label_width);
/* Adds it to those that are shown; returns its height. */
float viz_controls_add(viz_controls *controls, const viz_view *view, const viz_canvas *canvas,
                       const char *name, float x, float y, float width);
/* Adds it as a value at (x, y), where that ends before `right`; returns its width, 0: it is not there. */
float viz_controls_add_value(viz_controls *controls, const viz_view *view, const viz_canvas *canvas,
                             const char *name, float x, float y, float right);
void viz_controls_append(viz_controls *controls, const viz_control *control);
/* The names of the settings that have such a control, in the order of their rows; returns how many. */
int viz_controls_list_names(const viz_view_class *class, viz_widget widget,
                            const char *names[VIZ_CONTROLS_MOST]);
/* Takes all of them away, before they are laid out anew; a drag goes on. */
void viz_controls_clear(viz_controls *controls);
void viz_controls_draw(const viz_controls *controls, const viz_view *view, viz_canvas *canvas);
/* A press on a control, the drag of a slider, its release, the wheel over a value. True: the event was theirs; *changed:
 * and a setting is another one now. */
bool viz_controls_event(viz_controls *controls, viz_view *view, const viz_event *event,
                        bool *changed);
void viz_controls_spots(const viz_controls *controls, const viz_view *view, viz_spots *spots);

#endif
