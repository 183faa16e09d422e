/* The current word's map over the picture, as numbers. */
#include <string.h>

#include "caption/caption_state.h"
#include "view/map.h"

bool caption_map(const viz_view *view, viz_map *map)
{
    const caption_view *v = (const caption_view *)view;
    int word = caption_word_of(v);
    const sac_caption *caption = &v->caption;
    if (word < 0 || !v->scene.image.rgba ||
        !viz_map_size(map, (size_t)caption->grid_h, (size_t)caption->grid_w))
        return false;
    size_t cells = (size_t)(map->rows * map->columns);
    memcpy(map->values, caption->weights + (size_t)word * cells, cells * sizeof *map->values);
    bool own = v->source->picture.grid_w == map->columns && v->source->picture.grid_h == map->rows;
    viz_map_hide(map, v->hidden_count > 0 && own ? v->hidden : NULL);
    map->image = &v->scene.image;
    return true;
}

viz_rect caption_map_rect(const viz_view *view)
{
    return ((const caption_view *)view)->layout.main.picture;
}
