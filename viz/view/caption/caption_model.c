/* Questions to the caption view's state: its content, note, message, and visible cells. */
#include <stdio.h>

#include "caption/caption_state.h"

caption_content caption_contents(const caption_view *v)
{
    char note[512];
    const sac_image *image = &v->scene.image;
    caption_content c = {.sides = caption_sides(v),
                         .replaced = v->prefix.replaced,
                         .truth = v->scene.has_truth,
                         .turns = v->scene.scenes || v->scene.pictures > 1};
    for (int i = 0; i < c.sides; i++) {
        c.caption[i] = &v->side[i].caption;
        c.model[i] = v->trace->model[v->side[i].model];
    }
    if (image->height > 0)
        c.aspect = (float)image->width / (float)image->height;
    caption_note(v, note, sizeof note);
    c.note = note[0];
    return c;
}

int caption_visible_cells(const caption_view *v)
{
    return v->trace->grid_w * v->trace->grid_h - v->hidden_count;
}

/* Whose weights are shown, of a model that has layers of heads. */
static void tell_part(const caption_view *v, char *text, size_t size)
{
    const sac_trace *trace = v->trace;
    char layer[48], head[48];
    if (v->layer)
        snprintf(layer, sizeof layer, "layer %d", v->layer - 1);
    else
        snprintf(layer, sizeof layer, "mean of %zu layers", trace->layers);
    if (v->head)
        snprintf(head, sizeof head, "head %d", v->head - 1);
    else
        snprintf(head, sizeof head, "mean of %zu heads", trace->heads);
    snprintf(text, size, "%s, %s", layer, head);
}

void caption_note(const caption_view *v, char *text, size_t size)
{
    const caption_side *s = &v->side[0];
    bool wrong = v->truth && v->scene.has_truth && s->caption.count && !s->right;
    if (wrong)
        snprintf(text, size, "truly: %s", v->scene.truth.caption);
    else
        snprintf(text, size, "%s", s->caption.note[0] ? s->caption.note : v->scene.note);
    if (!text[0] && v->trace->layers > 0)
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
