/* Questions to the caption view's state: its content, note, message, and visible cells. */
#include <stdio.h>
#include <string.h>

#include "caption/caption_state.h"

const char *caption_score(const caption_view *v)
{
    return v->source->weights.layers ? NULL : v->source->speaker.model[v->model];
}

caption_content caption_contents(const caption_view *v)
{
    char note[sizeof v->scene.note];
    const sac_image *image = &v->scene.image;
    caption_note(v, note, sizeof note);
    return (caption_content){
        .caption = &v->caption,
        .score = caption_score(v),
        .replaced = v->prefix.replaced,
        .note = note[0],
        .truth = v->scene.has_truth,
        .turns = v->scene.scenes || v->scene.pictures > 1,
        .explains = v->base.source->weights.explain != NULL,
        .layered = v->source->weights.layers > 0,
        .aspect = image->height > 0 ? (float)image->width / (float)image->height : 0};
}

int caption_visible_cells(const caption_view *v)
{
    return v->source->picture.grid_w * v->source->picture.grid_h - v->hidden_count;
}

/* Whose weights are shown, of a model that has layers of heads. */
static void tell_part(const caption_view *v, char *text, size_t size)
{
    const sac_source *source = v->source;
    char layer[48], head[48];
    if (v->layer)
        snprintf(layer, sizeof layer, "layer %d", v->layer - 1);
    else
        snprintf(layer, sizeof layer, "mean of %zu layers", source->weights.layers);
    if (v->head)
        snprintf(head, sizeof head, "head %d", v->head - 1);
    else
        snprintf(head, sizeof head, "mean of %zu heads", source->weights.heads);
    snprintf(text, size, "%s, %s", layer, head);
}

void caption_note(const caption_view *v, char *text, size_t size)
{
    const caption_scene *scene = &v->scene;
    bool wrong = v->truth && scene->has_truth && v->caption.count && !v->right;
    if (wrong)
        snprintf(text, size, "truly: %s", scene->truth.caption);
    else
        snprintf(text, size, "%s", v->caption.note[0] ? v->caption.note : scene->note);
    if (!text[0] && v->source->weights.layers > 0)
        tell_part(v, text, size);
}

const char *caption_message(const caption_view *v)
{
    return v->request.problem[0]           ? v->request.problem
           : v->message[0]                 ? v->message
           : caption_visible_cells(v) == 0 ? "every cell is hidden: U shows them again"
           : v->hide_mode                  ? "drag to hide cells, U shows all, H ends"
                                           : NULL;
}
