/* Allocates a map of numbers, marks its hidden cells, and frees it. */

#include "view/map.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

bool viz_map_allocate(viz_map *map, size_t rows, size_t columns)
{
    if (!rows || !columns || rows > INT_MAX || columns > INT_MAX / rows)
        return false;
    map->values = viz_allocate(rows * columns, sizeof *map->values);
    map->rows = (int)rows;
    map->columns = (int)columns;
    return map->values;
}

void viz_map_hide(viz_map *map, const uint8_t *hidden)
{
    for (int i = 0; hidden && i < map->rows * map->columns; i++)
        if (hidden[i])
            map->values[i] = NAN;
}

void viz_map_free(viz_map *map)
{
    free(map->values);
    sac_labels_free(&map->row_labels);
    sac_labels_free(&map->column_labels);
    *map = (viz_map){0};
}
