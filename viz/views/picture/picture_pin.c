/* The query's weights over the picture, as they are pinned. */
#include <string.h>

#include "picture/picture_state.h"
#include "view/pin.h"

bool picture_pin(const viz_view *view, viz_pin *pin)
{
    const picture_view *v = (const picture_view *)view;
    const viz_glide *g = &v->glide;
    const sac_picture_settings *s = &v->settings;
    if (!g->to || g->grid_w != v->grid_w || g->grid_h != v->grid_h ||
        !viz_pin_size(pin, (size_t)g->grid_h, (size_t)g->grid_w) ||
        !viz_pin_lay_over(pin, picture_image(v)))
        return false;
    memcpy(pin->values, g->to, (size_t)(pin->rows * pin->columns) * sizeof *pin->values);
    viz_pin_say(pin, "query (%d, %d)", v->shown_x, v->shown_y);
    viz_pin_say(pin, "%s", picture_score(v)->words.label);
    if (picture_score(v)->has_width)
        viz_pin_say(pin, "width %.3g", 1 / (double)s->inverse_width);
    viz_pin_say(pin, "temperature %.3g", (double)s->temperature);
    viz_pin_say(pin, "position %.3g", (double)s->position);
    viz_pin_hide(pin, v->hidden_count > 0 ? v->hidden : NULL);
    viz_pin_say_source(pin, v->source->title, &v->source->origin);
    return true;
}
