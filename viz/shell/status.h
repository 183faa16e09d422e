/* The line below every view: what is pointed at, what to try first, what happened; at its right what is
 * open, or what a person has to wait for. Nothing of it lies over a view but a message that is too long
 * for the line, and a question. */
#ifndef VIZ_SHELL_STATUS_H
#define VIZ_SHELL_STATUS_H

#include "canvas/text.h"

#define VIZ_STATUS_HEIGHT 26.0f

struct viz_shell;
/* The height that it takes of a canvas: nothing of one that is lower than views are laid out for. */
float viz_status_height(const viz_canvas *canvas);
/* `tip` is the sentence of what is pointed at; NULL: nothing is. */
void viz_status_draw(struct viz_shell *shell, viz_canvas *canvas, const char *tip);
/* The line over a view that has the whole canvas: messages, questions, what to wait for. */
void viz_status_draw_over(struct viz_shell *shell, viz_canvas *canvas);
/* True where the pointer is on a message, which stays then; a press puts it away. */
bool viz_status_is_on_message(const struct viz_shell *shell, float x, float y);
/* Time goes on; true where something changed. */
bool viz_status_tick(struct viz_shell *shell);
/* Before the first view is there: in the middle of its area, what a person waits for. */
void viz_status_draw_waiting(const struct viz_shell *shell, viz_canvas *canvas, viz_rect area);

#endif
