/* A caption and the request that it answers. */
#include "generate/cached_caption.h"

#include <stdlib.h>
#include <string.h>

static bool copy_caption(const sac_caption *from, sac_caption *to)
{
    size_t cells = (size_t)from->grid_w * (size_t)from->grid_h;
    size_t words = from->positions ? (size_t)from->grid_w : 0;
    size_t weights = from->weights ? (size_t)from->count * cells : 0;
    *to = *from;
    to->weights = weights ? malloc(weights * sizeof *to->weights) : NULL;
    to->positions = words ? malloc(words * sizeof *to->positions) : NULL;
    if ((weights && !to->weights) || (words && !to->positions)) {
        sac_caption_free(to);
        return false;
    }
    if (weights)
        memcpy(to->weights, from->weights, weights * sizeof *to->weights);
    if (words)
        memcpy(to->positions, from->positions, words * sizeof *to->positions);
    return true;
}

static float temperature_of(const sac_caption_request *request)
{
    return request->temperature > 0 ? request->temperature : 1;
}

static bool is_same(const sac_caption_request *a, const sac_caption_request *b, int beam)
{
    int beam_a = a->beam ? a->beam : beam, beam_b = b->beam ? b->beam : beam;
    return a->model == b->model && beam_a == beam_b && temperature_of(a) == temperature_of(b) &&
           a->layer == b->layer && a->head == b->head && a->prefix_count == b->prefix_count &&
           memcmp(a->prefix, b->prefix, (size_t)a->prefix_count * sizeof *a->prefix) == 0;
}

bool sac_cached_caption_find(const sac_cached_caption *said, const sac_caption_request *request,
                             int beam, sac_caption *caption)
{
    return said->known && !request->hidden && is_same(&said->request, request, beam) &&
           copy_caption(&said->caption, caption);
}

void sac_cached_caption_keep(sac_cached_caption *said, const sac_caption_request *request,
                             const sac_caption *caption)
{
    sac_cached_caption_forget(said);
    said->known = !request->hidden && copy_caption(caption, &said->caption);
    said->request = *request;
    said->request.hidden = NULL;
}

void sac_cached_caption_forget(sac_cached_caption *said)
{
    sac_caption_free(&said->caption);
    *said = (sac_cached_caption){0};
}
