/* The weight of the picture view that a person asks about. */
#include <stdio.h>

#include "picture/picture_state.h"

/* The pointer makes the query, so the key is the cell that the query attends to most: itself only
 * where there is no other. */
static size_t strongest(const picture_view *v, size_t query)
{
    size_t best = query, cells = (size_t)v->grid_w * (size_t)v->grid_h;
    const viz_glide *g = &v->glide;
    if (g->grid_w != v->grid_w || g->grid_h != v->grid_h)
        return query;
    for (size_t i = 0; i < cells; i++)
        if (i != query && (best == query || g->to[i] > g->to[best]))
            best = i;
    return best;
}

bool picture_subject(const viz_view *view, viz_subject *subject)
{
    const picture_view *v = (const picture_view *)view;
    int x = picture_query_x(v), y = picture_query_y(v);
    size_t query = (size_t)(y * v->grid_w + x);
    subject->picture = (sac_picture_request){.settings = v->settings,
                                             .query_x = x,
                                             .query_y = y,
                                             .hidden = v->hidden_count > 0 ? v->hidden : NULL};
    subject->hidden_count = (size_t)v->grid_w * (size_t)v->grid_h;
    subject->request = (sac_explanation_request){
        .step = query, .position = strongest(v, query), .picture = &subject->picture};
    subject->pointed = v->pointed;
    if (v->pointed && v->held)
        subject->request.position = (size_t)(picture_cell(v->pointer.y, v->grid_h) * v->grid_w +
                                             picture_cell(v->pointer.x, v->grid_w));
    snprintf(subject->query, sizeof subject->query, "cell (%d, %d)", x, y);
    snprintf(subject->where, sizeof subject->where, "%s score", sac_score_name(v->settings.score));
    return true;
}

char *picture_key_name(const viz_view *view, size_t position, char *text, size_t size)
{
    size_t width = (size_t)((const picture_view *)view)->grid_w;
    snprintf(text, size, "cell (%zu, %zu)", position % width, position / width);
    return text;
}
