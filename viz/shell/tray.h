/* Up to four pinned maps beside each other, or their signed differences from one of them; a cell
 * that is pointed at in one is read in all. It is a view itself, which the shell shows over the
 * others; it is in the PNG of what it shows, numbers and all. */
#ifndef VIZ_SHELL_TRAY_H
#define VIZ_SHELL_TRAY_H

#include "view/pin.h"

#define VIZ_TRAY_MOST 4

extern const viz_view_class viz_tray_class;

sac_status viz_tray_create(viz_view **tray, sac_error *error);
/* It is shown over `below`, which says in a PNG what else was open; lent. */
void viz_tray_lie_over(viz_view *tray, viz_view *below);
/* Takes the pin over, also where it fails. A fifth one takes the place of the first. */
bool viz_tray_add(viz_view *tray, viz_pin *pin);
int viz_tray_count(const viz_view *tray);
/* The last map that was pinned or taken away, back, or again; false: there is none. */
bool viz_tray_undo(viz_view *tray);
bool viz_tray_redo(viz_view *tray);

/* The keys of the tray's own settings, in the order in which `restore` takes them; ends with NULL.
 */
extern const char *const viz_tray_keys[];

#endif
