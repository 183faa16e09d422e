/* The map that a view shows now, as numbers: what a split subtracts from that of another view. */
#ifndef VIZ_VIEW_MAP_H
#define VIZ_VIEW_MAP_H

#include "arrays/labels.h"
#include "view/view.h"

struct viz_map {
    int rows, columns;
    float *values;                        /* [rows,columns]; NaN: hidden or masked; owned */
    sac_labels row_labels, column_labels; /* count 0: none; owned */
    const sac_image *image; /* that the cells lie over; NULL: none; lent until the view changes */
};

/* Zeros for the values of a zeroed map; false: no memory. */
bool viz_map_allocate(viz_map *map, size_t rows, size_t columns);
/* NaN for what is hidden; `hidden` [rows,columns] or NULL. */
void viz_map_hide(viz_map *map, const uint8_t *hidden);
void viz_map_free(viz_map *map); /* takes a zeroed one */

#endif
