/* The current word's map over the picture, as numbers. */
#include <string.h>

#include "caption/caption_state.h"
#include "view/map.h"

bool caption_map(const viz_view *view, viz_map *map)
{
    const caption_view *v = (const caption_view *)view;
    int focus = caption_focus(v), word = caption_word_of(v, focus);
    const caption_speaker *s = v->side[focus].speaker;
    const sac_caption *caption = &v->side[focus].caption;
    if (word < 0 || !s->scene.image.rgba ||
        !viz_map_size(map, (size_t)caption->grid_h, (size_t)caption->grid_w))
        return false;
    size_t cells = (size_t)(map->rows * map->columns);
    memcpy(map->values, caption->weights + (size_t)word * cells, cells * sizeof *map->values);
    bool own = s->source->picture.grid_w == map->columns && s->source->picture.grid_h == map->rows;
    viz_map_hide(map, s->hidden_count > 0 && own ? s->hidden : NULL);
    map->image = &s->scene.image;
    return true;
}

viz_rect caption_map_rect(const viz_view *view)
{
    const caption_view *v = (const caption_view *)view;
    return v->layout.side[caption_focus(v)].picture;
}
