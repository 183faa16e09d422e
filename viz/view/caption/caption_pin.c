/* The current word's map over the picture, as it is pinned. */
#include <string.h>

#include "caption/caption_state.h"
#include "view/pin.h"

bool caption_pin(const viz_view *view, viz_pin *pin)
{
    const caption_view *v = (const caption_view *)view;
    const caption_side *side = &v->side[0];
    const sac_caption *caption = &side->caption;
    int word = caption_word_of(v, 0);
    if (word < 0 || !v->scene.image.rgba ||
        !viz_pin_size(pin, (size_t)caption->grid_h, (size_t)caption->grid_w) ||
        !viz_pin_lay_over(pin, &v->scene.image))
        return false;
    size_t cells = (size_t)(pin->rows * pin->columns);
    memcpy(pin->values, caption->weights + (size_t)word * cells, cells * sizeof *pin->values);
    viz_pin_say(pin, "word %d “%s”", word + 1, caption->words[word].text);
    viz_pin_say(pin, "%s", v->trace->model[side->model]);
    viz_pin_say(pin, "temperature %.3g", (double)v->temperature);
    bool own = v->trace->grid_w == pin->columns && v->trace->grid_h == pin->rows;
    viz_pin_hide(pin, v->hidden_count > 0 && own ? v->hidden : NULL);
    viz_pin_say_source(pin, v->scene.title, &v->scene.origin);
    return true;
}
