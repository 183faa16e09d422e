/* The scale and the heat of a caption's maps, and the true boxes over them. */
#include <math.h>
#include <stdio.h>

#include "caption/caption_state.h"
#include "parts/boxes.h"

/* The scale's end is at least so many times the weight that all cells would have were they equal:
 * a map that looks at everything looks like it. */
#define LEAST_END 8.0f

static int cells_of(const caption_view *v)
{
    return v->source->picture.grid_w * v->source->picture.grid_h;
}

viz_scale caption_scale_of(const caption_view *v, const float *map)
{
    int cells = cells_of(v);
    float end = fmaxf(v->scale_end, LEAST_END / (float)cells), own = 0;
    for (int i = 0; v->scale == VIZ_PER_MAP && i < cells; i++)
        own = fmaxf(own, map[i]);
    return viz_scale_for(v->scale, v->scale == VIZ_PER_MAP ? own : end);
}

viz_scale caption_scale(const caption_view *v)
{
    const viz_glide *g = &v->glide;
    bool any = caption_word_of(v) >= 0 && g->grid_w > 0;
    return any ? caption_scale_of(v, g->now)
               : viz_scale_for(v->scale == VIZ_PER_MAP ? VIZ_FIXED : v->scale, v->scale_end);
}

float caption_uniform(const caption_view *v)
{
    int visible = caption_visible_cells(v);
    return visible > 0 ? 1.0f / (float)visible : 0;
}

char *caption_scale_name(const caption_view *v, char *text, size_t size)
{
    int word = caption_word_of(v);
    bool own = v->scale == VIZ_PER_MAP && word >= 0;
    snprintf(text, size, "%s%s%s%s", viz_scale_name(v->scale), own ? "; the numbers are of “" : "",
             own ? v->caption.words[word].text : "", own ? "”" : "");
    return text;
}

viz_heat_style caption_heat_style(const caption_view *v, const float *map)
{
    viz_heat_style style = v->style;
    style.scale = caption_scale_of(v, map);
    return style;
}

void caption_draw_boxes(const caption_view *v, viz_canvas *canvas, viz_rect picture, int word,
                        bool only_own, float thickness)
{
    const sac_caption_truth *truth = &v->scene.truth;
    int current = word >= 0 ? v->marks[word].object : -1;
    for (int i = 0; i < truth->objects * 2; i++) { /* the word's own over the others */
        int object = i % truth->objects;
        bool own = object == current;
        bool named = truth->object[object].words[0][0] || !truth->by_word;
        if (own != (i >= truth->objects) || (!own && (only_own || !named)))
            continue;
        viz_look_draw(canvas, picture, &truth->object[object].look, own, thickness);
    }
}
