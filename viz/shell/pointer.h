/* What is pointed at, or has the focus of the keyboard. */
#ifndef VIZ_SHELL_POINTER_H
#define VIZ_SHELL_POINTER_H

#include "parts/controls/spots.h"

struct viz_shell;
/* Follows an event of the pointer; true where another spot is lit. */
bool viz_pointer_follow(struct viz_shell *shell, const viz_event *event);
/* The spot at a place; false: there is none. */
bool viz_pointer_spot(const struct viz_shell *shell, float x, float y, viz_spot *spot);
/* Tab goes through all that can be pressed, as it is read, from the bar on. Return and space press what
 * has the focus: `pressed` is that press then, and its kind not VIZ_KEY; arrows move what can be moved,
 * which is pressed then and moved to `to`. Any other key, and the pointer,
 * take the ring away, and Tab goes on where it was. False: the event is none of these. */
bool viz_focus_event(struct viz_shell *shell, const viz_event *event, viz_event *pressed,
                     viz_event *to);
/* The light under the pointer, and the ring around what has the focus. */
void viz_pointer_draw(const struct viz_shell *shell, viz_canvas *canvas);
/* The sentence of what has the focus, or else is pointed at; NULL: there is none. */
const char *viz_pointer_tip(const struct viz_shell *shell);

#endif
