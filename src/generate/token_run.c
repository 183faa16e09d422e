#include "generate/token_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random/random.h"

void sac_token_run_free(sac_token_run *r)
{
    free(r->words);
    free(r->logits);
    free(r->weights);
    *r = (sac_token_run){0};
}

/* ---------------------------------------------------------------- which token comes */

static int most_probable(const float *logits, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++)
        best = logits[i] > logits[best] ? i : best;
    return best;
}

static int by_probability(const void *a, const void *b)
{
    const sac_drawable *x = a, *y = b;
    int order = (x->probability < y->probability) - (x->probability > y->probability);
    return order ? order : (x->token > y->token) - (x->token < y->token);
}

int sac_draw_rank_and_cut(const sac_draw *how, const float *logits, int count, sac_drawable *left)
{
    double temperature = how->temperature > 0 ? (double)how->temperature : 1;
    double highest = logits[most_probable(logits, count)], sum = 0, so_far = 0;
    for (int i = 0; i < count; i++)
        left[i] = (sac_drawable){i, (float)exp((logits[i] - highest) / temperature)};
    qsort(left, (size_t)count, sizeof *left, by_probability);
    int kept = how->top_k > 0 && how->top_k < count ? how->top_k : count;
    for (int i = 0; i < kept; i++)
        sum += (double)left[i].probability;
    int most = kept;
    for (kept = 0; kept < most && (!kept || how->top_p <= 0 || so_far < (double)how->top_p * sum);
         kept++)
        so_far += (double)left[kept].probability;
    for (int i = 0; i < kept; i++)
        left[i].probability = (float)((double)left[i].probability / so_far);
    return kept;
}

int sac_draw_token(const sac_draw *how, const float *logits, int count, float uniform,
                   sac_drawable *left)
{
    const int best = most_probable(logits, count);
    double sum = 0, so_far = 0, highest = logits[best];
    if (!(how->temperature > 0))
        return best;
    if (left) {
        int kept = sac_draw_rank_and_cut(how, logits, count, left), at = 0;
        for (so_far = (double)left[0].probability; so_far <= (double)uniform && at + 1 < kept;)
            so_far += (double)left[++at].probability;
        return left[at].token;
    }
    for (int i = 0; i < count; i++)
        sum += exp((logits[i] - highest) / (double)how->temperature);
    for (int i = 0; i < count; i++) {
        so_far += exp((logits[i] - highest) / (double)how->temperature);
        if (so_far > uniform * sum)
            return i;
    }
    return best;
}

/* ---------------------------------------------------------------- a run */

typedef struct running {
    sac_token_run *r;
    const sac_decoder *decoder;
    void *self; /* of the decoder */
    const sac_sampling *how;
    sac_sequence sequence;
    sac_step_result step; /* of as many rows as the beam is wide */
    int most;             /* words of the run */
} running;

static size_t vocabulary_of(const running *g)
{
    return (size_t)g->sequence.tokens.vocabulary;
}

static size_t positions_of(const running *g)
{
    return (size_t)g->sequence.grid_w * (size_t)g->sequence.grid_h;
}

static sac_status generate_token_by_token(const running *g, sac_error *error)
{
    sac_token_run *r = g->r;
    const sac_beam_options *options = &g->sequence.tokens;
    const size_t V = vocabulary_of(g), N = positions_of(g);
    const sac_draw *draw = &g->how->draw;
    const bool cuts = draw->temperature > 0 && (draw->top_k > 0 || draw->top_p > 0);
    const uint32_t seed[2] = {(uint32_t)(draw->seed >> 32), (uint32_t)draw->seed};
    sac_drawable *left = cuts ? malloc(V * sizeof *left) : NULL;
    sac_beam beam = {0};
    sac_status status = left || !cuts ? sac_beam_begin(&beam, options, error)
                                      : sac_no_memory(error, g->decoder->name);
    for (; status == SAC_OK && beam.step < options->length; beam.step++) {
        status = g->decoder->step(g->self, &beam, &(sac_result_request){0}, &g->step, error);
        if (status != SAC_OK)
            break;
        if (r->logits)
            memcpy(r->logits + (size_t)r->count * V, g->step.logits, V * sizeof *r->logits);
        if (r->weights)
            memcpy(r->weights + (size_t)r->count * N, g->step.weights, N * sizeof *r->weights);
        const int there = r->before + r->count;
        sac_restrain(options, r->words, there, g->step.logits);
        int token = sac_draw_token(draw, g->step.logits, options->vocabulary,
                                   sac_philox_uniform((uint32_t)there, seed[0], seed[1]), left);
        bool ends = sac_beam_is_end(options, token);
        for (int i = g->how->changes; i-- > 0;) /* of several for one step the first counts */
            if (g->how->change[i].step == beam.step) {
                token = g->how->change[i].id;
                ends = false;
            }
        if (ends)
            break;
        r->words[there] = token;
        r->count++;
        beam.row[beam.step + 1][0] = (sac_beam_row){.word = token};
    }
    sac_beam_free(&beam);
    free(left);
    return status;
}

/* ---------------------------------------------------------------- by beam search */

/* As `generate` of transformers takes them: the rules see the whole text. */
static sac_status score(void *self, const sac_beam *beam, const float **log_probability,
                        sac_error *error)
{
    running *g = self;
    const size_t V = vocabulary_of(g);
    sac_status status = g->decoder->step(g->self, beam, &(sac_result_request){0}, &g->step, error);
    for (int r = 0; r < beam->rows && status == SAC_OK; r++) {
        sac_log_softmax(g->step.logits + (size_t)r * V, V);
        sac_beam_restrain(beam, r, g->step.logits + (size_t)r * V);
    }
    *log_probability = g->step.logits;
    return status;
}

/* The best text after all words that are there. */
static sac_status search(running *g, sac_error *error)
{
    sac_token_run *r = g->r;
    sac_beam_options options = g->sequence.tokens;
    sac_beam beam = {0};
    const int there = r->before + r->count, room = g->most - r->count;
    options.length = options.length < room ? options.length : room;
    if (options.length < 1)
        return SAC_OK;
    int *rows = malloc((size_t)options.length * sizeof *rows);
    if (!rows)
        return sac_no_memory(error, g->decoder->name);
    options.start = r->words[there - 1];
    options.before = r->words;
    options.before_count = there - 1;
    sac_status status =
        sac_beam_search(&beam, &options, &(sac_beam_scorer){g, score}, NULL, 0, error);
    if (status == SAC_OK)
        r->count += sac_beam_path(&beam, r->words + there, rows);
    sac_beam_free(&beam);
    free(rows);
    return status;
}

/* The tokens before one that a person chose stay, and the search begins anew after it. */
static sac_status search_with_changes(running *g, sac_error *error)
{
    sac_token_run *r = g->r;
    const sac_beam_options first = g->sequence.tokens;
    sac_status status = search(g, error);
    for (int i = 0; i < g->how->changes && status == SAC_OK; i++) {
        const sac_token_change *change = &g->how->change[i];
        if (change->step >= r->count)
            break;
        r->words[r->before + change->step] = change->id;
        r->count = change->step + 1;
        status = g->decoder->read(g->self, r->words, r->before + r->count, error);
        g->sequence = g->decoder->start(g->self);
        g->sequence.tokens.width = first.width;
        g->sequence.tokens.length_penalty = first.length_penalty;
        if (status == SAC_OK)
            status = search(g, error);
    }
    return status;
}

/* ---------------------------------------------------------------- all of it */

/* Memory for its words; what is not used of it is never touched. */
static sac_status prepare(running *g, const int *text, int count, sac_error *error)
{
    sac_token_run *r = g->r;
    const size_t rows = (size_t)g->sequence.tokens.width, V = vocabulary_of(g);
    const size_t N = positions_of(g), most = (size_t)(g->most ? g->most : 1);
    const bool keeps_weights = !text && !g->decoder->attention;
    float *numbers = malloc(rows * (V + N + 1) * sizeof *numbers);
    g->step = (sac_step_result){numbers, numbers + rows * V, numbers + rows * (V + N)};
    sac_token_run_free(r);
    r->before = text ? count : 1;
    r->words = malloc(((size_t)r->before + most) * sizeof *r->words);
    r->logits = text ? NULL : malloc(most * V * sizeof *r->logits);
    r->weights = keeps_weights ? malloc(most * N * sizeof *r->weights) : NULL;
    if (!numbers || !r->words || (!r->logits && !text) || (!r->weights && keeps_weights))
        return sac_no_memory(error, g->decoder->name);
    memcpy(r->words, text ? text : &g->sequence.tokens.start, (size_t)r->before * sizeof *r->words);
    return SAC_OK;
}

sac_status sac_token_run_generate(sac_token_run *r, const sac_decoder *decoder, void *self,
                                  const int *text, int count, const sac_sampling *how,
                                  sac_error *error)
{
    running g = {r, decoder, self, how, .sequence = {{0}}};
    sac_status status = text ? decoder->read(self, text, count, error) : SAC_OK;
    if (status != SAC_OK)
        return status;
    g.sequence = decoder->start(self);
    sac_beam_options *options = &g.sequence.tokens;
    const bool is_free = !how->changes && !(how->draw.temperature > 0);
    const int width = !text ? 1 : how->beam ? how->beam : is_free ? options->width : 1;
    options->width = width > 1 ? width : 1;
    if (how->penalty.given)
        options->length_penalty = (double)how->penalty.value;
    for (int i = 0; i < how->changes; i++)
        if (how->change[i].id < 0 || how->change[i].id >= options->vocabulary)
            return sac_fail(error, SAC_E_ARGUMENT, decoder->name, "choose another token",
                            "has no token %d", how->change[i].id);
    if (width <= 1) /* token by token the end at the last place is none of the words */
        options->length -= options->ends_at_length;
    options->length = how->count < options->length ? how->count : options->length;
    g.most = options->length > 0 ? options->length : 0;
    status = prepare(&g, text, count, error);
    if (status == SAC_OK && g.most)
        status = width > 1 ? search_with_changes(&g, error) : generate_token_by_token(&g, error);
    free(g.step.logits);
    return status;
}

/* ---------------------------------------------------------------- what might have come */

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
    sac_draw_rank_and_cut(&plain, logits, vocabulary, all);
    *kept = sac_draw_rank_and_cut(&how->draw, ruled, vocabulary, left);
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

sac_status sac_token_run_candidates(const sac_token_run *r, const sac_decoder *decoder,
                                    const void *self, size_t step, const sac_sampling *how,
                                    sac_candidate *candidates, int *count, int *kept,
                                    sac_error *error)
{
    *count = *kept = 0;
    if (!r->logits || step >= (size_t)r->count)
        return sac_fail(error, SAC_E_ARGUMENT, "step", "choose another", "was not generated");
    const sac_beam_options options = decoder->start(self).tokens;
    const size_t V = (size_t)options.vocabulary;
    float *ruled = malloc(V * sizeof *ruled);
    if (!ruled)
        return sac_no_memory(error, decoder->name);
    memcpy(ruled, r->logits + step * V, V * sizeof *ruled);
    sac_restrain(&options, r->words, (int)step + 1, ruled);
    sac_status status = sac_find_candidates(how, r->logits + step * V, ruled, (int)V,
                                            r->words[step + 1], candidates, count, kept, error);
    free(ruled);
    return status;
}
