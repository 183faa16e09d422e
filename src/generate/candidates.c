#include "generate/candidates.h"

#include <stdlib.h>

#include "base/error.h"
#include "generate/generate.h"

static sac_candidate candidate_of(const sac_drawable *all, const sac_drawable *left, int kept,
                                  int stands)
{
    sac_candidate one = {
        .id = all->token, .probability = all->probability, .stands = all->token == stands};
    for (int i = 0; i < kept; i++)
        one.left = left[i].token == one.id ? left[i].probability : one.left;
    return one;
}

sac_status sac_find_candidates(const sac_sampling *how, const float *logits, const float *ruled,
                               int vocabulary, int stands, sac_candidate *candidates, int *count,
                               int *kept, sac_error *error)
{
    const sac_draw plain = {0};
    sac_drawable *all = malloc(2 * (size_t)vocabulary * sizeof *all), *left = all + vocabulary;
    *count = *kept = 0;
    if (!all)
        return sac_no_memory(error, "candidates");
    sac_draw_left(&plain, logits, vocabulary, all);
    *kept = sac_draw_left(&how->draw, ruled, vocabulary, left);
    if (!(how->draw.temperature > 0)) { /* the first alone */
        *kept = 1;
        left[0].probability = 1;
    }
    bool there = stands < 0;
    for (; *count < SAC_GENERATION_CANDIDATES && *count < vocabulary; (*count)++) {
        candidates[*count] = candidate_of(&all[*count], left, *kept, stands);
        there = there || candidates[*count].stands;
    }
    for (int i = *count; i < vocabulary && !there; i++)
        if (all[i].token == stands)
            candidates[*count - 1] = candidate_of(&all[i], left, *kept, stands);
    free(all);
    return SAC_OK;
}
