/* What of a translation is on show. */
#include "translation/translation_state.h"

int translation_word_of(const translation_view *v)
{
    int count = v->caption.count;
    return v->player.step < count ? v->player.step : count - 1;
}

bool translation_go(translation_view *v, int word)
{
    v->fresh = false;
    return viz_player_go(&v->player, v->caption.count, word);
}

bool translation_attends(const translation_view *v)
{
    return v->caption.max_weight > 0;
}

bool translation_is_hidden(const translation_view *v, int word)
{
    return v->hidden_of == v->caption.grid_w && v->hidden[word];
}

translation_content translation_contents(translation_view *v)
{
    translation_content c = {.source_words = v->source_words,
                             .target = v->target,
                             .sources = v->caption.grid_w,
                             .targets = v->caption.count,
                             .replaced = v->prefix.replaced};
    snprintf(v->value[VALUE_TEMPERATURE], sizeof *v->value, "temperature %.2f",
             (double)v->temperature);
    snprintf(v->value[VALUE_BEAM], sizeof *v->value, "beam %d", v->beam);
    snprintf(v->value[VALUE_MODEL], sizeof *v->value, "model %s",
             v->source->speaker.model[v->model]);
    for (int i = 0; i < VALUE_COUNT; i++)
        c.value[i] = v->value[i];
    return c;
}
