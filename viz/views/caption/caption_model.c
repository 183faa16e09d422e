/* Questions to the caption view's state: its content, note, message, and visible cells. */
#include <stdio.h>
#include <string.h>

#include "caption/caption_state.h"

/* Of a comparison the names of the sides tell it. */
const char *caption_score(const caption_view *v)
{
    const caption_side *first = &v->side[0], *last = &v->side[v->speakers - 1];
    const sac_source *source = first->speaker->source;
    const char *name = source->speaker.model[first->model];
    bool same = strcmp(name, last->speaker->source->speaker.model[last->model]) == 0;
    return v->compare || !same || source->weights.layers ? NULL : name;
}

caption_content caption_contents(const caption_view *v)
{
    char note[512];
    const caption_scene *first = &v->speaker[0].scene;
    caption_content c = {.sides = caption_sides(v),
                         .apart = v->speakers > 1,
                         .explains = v->base.source->weights.explain != NULL,
                         .turns = first->scenes || first->pictures > 1};
    for (int i = 0; i < c.sides; i++) {
        const caption_speaker *s = v->side[i].speaker;
        const sac_image *image = &s->scene.image;
        c.caption[i] = &v->side[i].caption;
        c.replaced[i] = s->prefix.replaced;
        c.model[i] = caption_name(v, i);
        c.truth |= s->scene.has_truth;
        c.layered |= s->source->weights.layers > 0;
        if (image->height > 0)
            c.aspect[i] = (float)image->width / (float)image->height;
        caption_note(v, i, note, sizeof note);
        c.note |= note[0] && (i == 0 || c.apart);
    }
    c.score = caption_score(v);
    c.beams = v->speaker[0].beam != v->speaker[v->speakers - 1].beam;
    return c;
}

int caption_visible_cells(const caption_view *v, int side)
{
    const caption_speaker *s = v->side[side].speaker;
    return s->source->picture.grid_w * s->source->picture.grid_h - s->hidden_count;
}

const char *caption_name(const caption_view *v, int side)
{
    const caption_speaker *s = v->side[side].speaker;
    return v->speakers > 1 ? s->scene.title : s->source->speaker.model[v->side[side].model];
}

/* Whose weights are shown, of a model that has layers of heads. */
static void tell_part(const caption_speaker *s, char *text, size_t size)
{
    const sac_source *source = s->source;
    char layer[48], head[48];
    if (s->layer)
        snprintf(layer, sizeof layer, "layer %d", s->layer - 1);
    else
        snprintf(layer, sizeof layer, "mean of %zu layers", source->weights.layers);
    if (s->head)
        snprintf(head, sizeof head, "head %d", s->head - 1);
    else
        snprintf(head, sizeof head, "mean of %zu heads", source->weights.heads);
    snprintf(text, size, "%s, %s", layer, head);
}

void caption_note(const caption_view *v, int side, char *text, size_t size)
{
    const caption_side *s = &v->side[side];
    const caption_scene *scene = &s->speaker->scene;
    bool wrong = v->truth && scene->has_truth && s->caption.count && !s->right;
    if (wrong)
        snprintf(text, size, "truly: %s", scene->truth.caption);
    else
        snprintf(text, size, "%s", s->caption.note[0] ? s->caption.note : scene->note);
    if (!text[0] && s->speaker->source->weights.layers > 0)
        tell_part(s->speaker, text, size);
}

static bool all_are_hidden(const caption_view *v)
{
    for (int i = 0; i < caption_sides(v); i++)
        if (caption_visible_cells(v, i) == 0)
            return true;
    return false;
}

const char *caption_message(const caption_view *v)
{
    return v->request.problem[0] ? v->request.problem
           : v->message[0]       ? v->message
           : all_are_hidden(v)   ? "every cell is hidden: U shows them again"
           : v->hide_mode        ? "drag to hide cells, U shows all, H ends"
                                 : NULL;
}
