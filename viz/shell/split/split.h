/* Up to four views of one class beside each other: the one way to compare. They may be of one
 * source with other settings, or of two sources. A split is a view itself, and is for the shell what
 * its views are; its keys, tables and answers are those of the side in focus, which the pointer
 * chooses. What a person changes in one side changes in all, until the settings are parted. The cell
 * that is pointed at in one is pointed at in all. Instead of the other maps, what differs from the
 * map in focus can be shown. */
#ifndef VIZ_SHELL_SPLIT_H
#define VIZ_SHELL_SPLIT_H

#include "view/view.h"

#define VIZ_SPLIT_MOST 4

/* The settings of a split itself: "1 1 2" are three sides, of the first source, of it again, and of
 * the one beside it; set it before those of a side. Those of the second side are named "second
 * temperature", and so on. */
#define VIZ_SPLIT_SIDES "sides"

/* Takes the view over, which is its first side; where it fails, the view stays the caller's. */
sac_status viz_split_create(viz_view *first, viz_view **split, sac_error *error);
bool viz_is_split(const viz_view *view); /* NULL: no */
int viz_split_count(const viz_view *split);
viz_view *viz_split_side(const viz_view *split, int side);
/* Where a side was drawn last, below its title; in the units of the split. */
viz_rect viz_split_area(const viz_view *split, int side);
/* One more side, which is in focus then and has the settings of the one that was. It is of the
 * source beside the first, if no side is yet; else of that of the side in focus. False: there are
 * four, or no memory. */
bool viz_split_add(viz_view *split);
void viz_split_focus(viz_view *split, int side);
/* Takes the side in focus away; false: it is the only one. */
bool viz_split_close(viz_view *split);
/* From now on what is changed in one side stays as it is in the others, or not. */
void viz_split_part(viz_view *split, bool parted);
bool viz_split_is_parted(const viz_view *split);
/* Side by side, or the differences; false: the views show no maps. */
bool viz_split_subtract(viz_view *split, bool difference);
bool viz_split_subtracts(const viz_view *split);

#endif
