/* The current word's map over the picture, as it is pinned. */
#include <string.h>

#include "caption/caption_state.h"
#include "view/pin.h"

bool caption_pin(const viz_view *view, viz_pin *pin)
{
    const caption_view *v = (const caption_view *)view;
    int focus = caption_focus(v), word = caption_word_of(v, focus);
    const caption_side *side = &v->side[focus];
    const caption_speaker *s = side->speaker;
    const sac_caption *caption = &side->caption;
    if (word < 0 || !s->scene.image.rgba ||
        !viz_pin_size(pin, (size_t)caption->grid_h, (size_t)caption->grid_w) ||
        !viz_pin_lay_over(pin, &s->scene.image))
        return false;
    size_t cells = (size_t)(pin->rows * pin->columns);
    memcpy(pin->values, caption->weights + (size_t)word * cells, cells * sizeof *pin->values);
    viz_pin_say(pin, "word %d “%s”", word + 1, caption->words[word].text);
    viz_pin_say(pin, "%s", s->source->speaker.model[side->model]);
    viz_pin_say(pin, "temperature %.3g", (double)v->temperature);
    bool own = s->source->picture.grid_w == pin->columns && s->source->picture.grid_h == pin->rows;
    viz_pin_hide(pin, s->hidden_count > 0 && own ? s->hidden : NULL);
    viz_pin_say_source(pin, s->scene.title, &s->scene.origin);
    return true;
}
