/* The weight of the caption view that a person asks about. */
#include <stdio.h>
#include <string.h>

#include "caption/caption_state.h"

/* Copies the request that the sentence on show answers. */
static void copy_request(const caption_view *v, viz_subject *subject)
{
    subject->caption = (sac_caption_request){.model = v->model,
                                             .temperature = v->temperature,
                                             .beam = v->beam,
                                             .layer = v->layer,
                                             .head = v->head,
                                             .hidden = v->hidden_count > 0 ? v->hidden : NULL};
    viz_prefix_ask(&v->prefix, &subject->caption);
    subject->hidden_count = (size_t)v->source->picture.grid_w * (size_t)v->source->picture.grid_h;
    subject->request.caption = &subject->caption;
}

bool caption_subject(const viz_view *view, viz_subject *subject)
{
    const caption_view *v = (const caption_view *)view;
    const sac_caption *caption = &v->caption;
    const sac_source *source = v->source;
    int word = v->pointed && v->cell_word >= 0 ? v->cell_word : caption_word_of(v);
    word = word >= 0 ? word : v->player.step; /* nothing was said yet: a saved picture */
    copy_request(v, subject);
    subject->pointed = v->pointed;
    subject->request.step = (size_t)word;
    snprintf(subject->query, sizeof subject->query, "word %d", word + 1);
    if (word < caption->count) {
        const sac_caption_word *w = &caption->words[word];
        snprintf(subject->query, sizeof subject->query, "“%s”", w->text);
        subject->request.position = (size_t)(w->peak_y * source->picture.grid_w + w->peak_x);
    }
    if (v->pointed)
        subject->request.position = (size_t)(v->cell_y * source->picture.grid_w + v->cell_x);
    snprintf(subject->where, sizeof subject->where, "%s attention",
             source->speaker.model[v->model]);
    return true;
}

char *caption_key_name(const viz_view *view, size_t position, char *text, size_t size)
{
    const caption_view *v = (const caption_view *)view;
    size_t width = (size_t)v->source->picture.grid_w;
    snprintf(text, size, "cell (%zu, %zu)", position % width, position / width);
    return text;
}
