/* Captions and the requests that they answer. */
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

static bool is_answer(const sac_caption_cache *cache, int i, const sac_caption_request *b, int beam)
{
    const sac_caption_request *a = &cache->entry[i].request;
    const sac_caption *caption = &cache->entry[i].caption;
    int beam_a = a->beam ? a->beam : beam, beam_b = b->beam ? b->beam : beam;
    size_t cells = (size_t)caption->grid_w * (size_t)caption->grid_h;
    if (!cache->entry[i].known || !a->hidden != !b->hidden ||
        (a->hidden && memcmp(a->hidden, b->hidden, cells) != 0))
        return false;
    return a->model == b->model && beam_a == beam_b && temperature_of(a) == temperature_of(b) &&
           a->layer == b->layer && a->head == b->head && a->prefix_count == b->prefix_count &&
           memcmp(a->prefix, b->prefix, (size_t)a->prefix_count * sizeof *a->prefix) == 0;
}

bool sac_caption_cache_find(const sac_caption_cache *cache, const sac_caption_request *request,
                            int beam, sac_caption *caption)
{
    for (int i = 0; i < SAC_CACHED_CAPTIONS; i++)
        if (is_answer(cache, i, request, beam))
            return copy_caption(&cache->entry[i].caption, caption);
    return false;
}

bool sac_caption_cache_is_latest(const sac_caption_cache *cache, const sac_caption_request *request,
                                 int beam)
{
    return is_answer(cache, cache->latest, request, beam);
}

static void forget(sac_caption_cache *cache, int i)
{
    sac_caption_free(&cache->entry[i].caption);
    free(cache->entry[i].hidden);
    cache->entry[i].hidden = NULL;
    cache->entry[i].known = false;
}

void sac_caption_cache_keep(sac_caption_cache *cache, const sac_caption_request *request,
                            const sac_caption *caption)
{
    int i = cache->latest = (cache->latest + 1) % SAC_CACHED_CAPTIONS;
    size_t cells = (size_t)caption->grid_w * (size_t)caption->grid_h;
    forget(cache, i);
    cache->entry[i].request = *request;
    if (request->hidden) {
        cache->entry[i].hidden = malloc(cells);
        if (!cache->entry[i].hidden)
            return;
        memcpy(cache->entry[i].hidden, request->hidden, cells);
        cache->entry[i].request.hidden = cache->entry[i].hidden;
    }
    cache->entry[i].known = copy_caption(caption, &cache->entry[i].caption);
}

void sac_caption_cache_forget(sac_caption_cache *cache)
{
    for (int i = 0; i < SAC_CACHED_CAPTIONS; i++)
        forget(cache, i);
}
