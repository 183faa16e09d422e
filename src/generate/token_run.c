#include "generate/token_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "generate/generate.h"

void sac_token_run_free(sac_token_run *s)
{
    free(s->words);
    free(s->logits);
    free(s->weights);
    *s = (sac_token_run){0};
}

/* Memory for `most` words; what is not used of it is never touched. */
static sac_status prepare(sac_token_run *s, const sac_decoder *decoder,
                          const sac_sequence *sequence, size_t most, sac_error *error)
{
    const size_t positions = (size_t)sequence->grid_w * (size_t)sequence->grid_h;
    sac_token_run_free(s);
    s->words = malloc((most + 1) * sizeof *s->words);
    s->logits = malloc(most * (size_t)sequence->tokens.vocabulary * sizeof *s->logits);
    s->weights = decoder->attention ? NULL : malloc(most * positions * sizeof *s->weights);
    return s->words && s->logits && (s->weights || decoder->attention)
               ? SAC_OK
               : sac_no_memory(error, decoder->name);
}

sac_status sac_token_run_generate(sac_token_run *s, const sac_decoder *decoder, void *self,
                                  const sac_sampling *how, sac_error *error)
{
    const sac_sequence sequence = decoder->start(self);
    int most = sequence.tokens.length - sequence.tokens.ends_at_length, count = 1;
    most = how->count < most ? how->count : most;
    sac_status status = prepare(s, decoder, &sequence, (size_t)(most > 0 ? most : 1), error);
    if (status != SAC_OK)
        return status;
    const sac_text_search sampling = {.draw = how->draw,
                                      .change = how->change,
                                      .changes = how->changes,
                                      .logits = s->logits,
                                      .weights = s->weights};
    s->words[0] = sequence.tokens.start;
    status = sac_generate_text(decoder, self, &sampling, s->words, &count, most, error);
    s->count = count - 1;
    return status;
}

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

sac_status sac_token_run_candidates(const sac_token_run *s, const sac_decoder *decoder,
                                    const void *self, size_t step, const sac_sampling *how,
                                    sac_candidate *candidates, int *count, int *kept,
                                    sac_error *error)
{
    *count = *kept = 0;
    if (!s->words || step >= (size_t)s->count)
        return sac_fail(error, SAC_E_ARGUMENT, "step", "choose another", "was not generated");
    const sac_beam_options options = decoder->start(self).tokens;
    const size_t V = (size_t)options.vocabulary;
    float *ruled = malloc(V * sizeof *ruled);
    if (!ruled)
        return sac_no_memory(error, decoder->name);
    memcpy(ruled, s->logits + step * V, V * sizeof *ruled);
    sac_restrain(&options, s->words, (int)step + 1, ruled);
    sac_status status = sac_find_candidates(how, s->logits + step * V, ruled, (int)V,
                                            s->words[step + 1], candidates, count, kept, error);
    free(ruled);
    return status;
}
