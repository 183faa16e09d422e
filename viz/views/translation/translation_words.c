/* What of a translation is on show. */
#include "translation/translation_state.h"

int translation_words(const translation_view *v)
{
    int most = 0;
    for (int i = 0; i < translation_sides(v); i++)
        if (v->side[i].caption.count > most)
            most = v->side[i].caption.count;
    return most;
}

int translation_word_of(const translation_view *v, int side)
{
    int count = v->side[side].caption.count;
    return v->player.step < count ? v->player.step : count - 1;
}

bool translation_go(translation_view *v, int word)
{
    v->fresh = false;
    return viz_player_go(&v->player, translation_words(v), word);
}

bool translation_attends(const translation_view *v, int side)
{
    return v->side[side].caption.max_weight > 0;
}

bool translation_is_hidden(const translation_view *v, int word)
{
    return v->hidden_of == v->side[0].caption.grid_w && v->hidden[word];
}

translation_content translation_contents(translation_view *v)
{
    translation_content c = {.sides = translation_sides(v), .replaced = v->prefix.replaced};
    snprintf(v->value[VALUE_TEMPERATURE], sizeof *v->value, "temperature %.2f",
             (double)v->temperature);
    snprintf(v->value[VALUE_BEAM], sizeof *v->value, "beam %d", v->beam);
    snprintf(v->value[VALUE_MODEL], sizeof *v->value, "model %s",
             v->source->speaker.model[v->side[v->compare].model]);
    for (int i = 0; i < VALUE_COUNT; i++)
        c.value[i] = v->value[i];
    for (int i = 0; i < c.sides; i++) {
        const translation_side *s = &v->side[i];
        c.side[i].source_words = s->source_words;
        c.side[i].target = s->target;
        c.side[i].sources = s->caption.grid_w;
        c.side[i].targets = s->caption.count;
        c.side[i].name = v->source->speaker.model[s->model];
    }
    return c;
}
