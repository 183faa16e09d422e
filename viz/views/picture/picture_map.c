/* The current query's weights over the picture, as numbers. */
#include <string.h>

#include "picture/picture_state.h"
#include "view/map.h"

bool picture_map(const viz_view *view, viz_map *map)
{
    const picture_view *v = (const picture_view *)view;
    const viz_glide *g = &v->glide;
    if (!g->to || g->grid_w != v->grid_w || g->grid_h != v->grid_h ||
        !viz_map_size(map, (size_t)g->grid_h, (size_t)g->grid_w))
        return false;
    memcpy(map->values, g->to, (size_t)(map->rows * map->columns) * sizeof *map->values);
    viz_map_hide(map, v->hidden_count > 0 ? v->hidden : NULL);
    map->image = picture_image(v);
    return true;
}

viz_rect picture_map_rect(const viz_view *view)
{
    return ((const picture_view *)view)->layout.right;
}
