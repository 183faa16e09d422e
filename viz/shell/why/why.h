/* "Why this number?": a weight of another view, step by step. It is a view itself, which the shell
 * shows over the other one until it is closed; it is asked again about the next weight. */
#ifndef VIZ_SHELL_WHY_H
#define VIZ_SHELL_WHY_H

#include "view/view.h"

extern const viz_view_class viz_why_class;

sac_status viz_why_create(viz_view **why, sac_error *error);
/* Takes up a weight of the view `of`, which must stay, from its first step on. False: no memory. */
bool viz_why_ask(viz_view *why, viz_view *of, const viz_subject *subject);
/* "position step", as `describe` writes it under "why". */
void viz_why_restore(viz_view *why, const char *value);

#endif
