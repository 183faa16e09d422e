/* Generation over any decoder by beam search. */

#include "generate/generate.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "sources/source.h"

static_assert((int)SAC_SAMPLING_BEAM == (int)SAC_BEAM_WIDTH, "as wide as a search is");
enum { STEPS = SAC_MAX_TOKENS, ROWS = SAC_BEAM_WIDTH };

struct sac_search {
    const sac_decoder *decoder;
    void *self;                        /* of the decoder */
    const sac_result_request *request; /* of the search that runs */
    sac_sequence sequence;
    size_t vocabulary, positions; /* V, N */
    /* Of each step, for the rows that its beam has. */
    struct {
        float *log_probability, *weights; /* [R,V], [R,N] */
        size_t numbers, cells;            /* capacity of the two */
    } step[STEPS];
    float *scores; /* [R,V], of a step that is restrained */
    size_t restrained;
    float gate[STEPS][ROWS];
    sac_beam beam;
    int words[STEPS], rows[STEPS],
        count; /* the best sentence's, and the rows that they come from */
};

typedef sac_search generation;

/* ---------------------------------------------------------------- memory */

void sac_generation_destroy(generation *g)
{
    if (!g)
        return;
    sac_beam_free(&g->beam);
    for (int t = 0; t < STEPS; t++) {
        free(g->step[t].log_probability);
        free(g->step[t].weights);
    }
    free(g->scores);
    free(g);
}

static float *log_probability_of(const generation *g, int step, int row)
{
    return g->step[step].log_probability + (size_t)row * g->vocabulary;
}

static float *weights_of(const generation *g, int step, int row)
{
    return g->step[step].weights + (size_t)row * g->positions;
}

static bool grow(float **memory, size_t *capacity, size_t count)
{
    if (count <= *capacity)
        return true;
    float *grown = realloc(*memory, count * sizeof *grown);
    if (grown) {
        *memory = grown;
        *capacity = count;
    }
    return grown;
}

/* Room for what the model has encoded now. */
static sac_status prepare(generation **made, const sac_decoder *decoder, void *self,
                          sac_error *error)
{
    generation *g = *made;
    if (!g)
        g = *made = calloc(1, sizeof *g);
    if (g) {
        g->decoder = decoder;
        g->self = self;
        g->sequence = decoder->start(self);
        g->vocabulary = (size_t)g->sequence.tokens.vocabulary;
        g->positions = (size_t)g->sequence.grid_w * (size_t)g->sequence.grid_h;
        assert(g->sequence.tokens.length <= STEPS);
        if (!sac_beam_has_restrictions(&g->sequence.tokens) ||
            grow(&g->scores, &g->restrained, ROWS * g->vocabulary))
            return SAC_OK;
    }
    return sac_no_memory(error, decoder->name);
}

/* ---------------------------------------------------------------- the search */

static sac_status check_request(const sac_beam_options *tokens, const sac_result_request *request,
                                sac_error *error)
{
    if (request->beam < 0 || request->beam > ROWS)
        return sac_fail(error, SAC_E_ARGUMENT, "beam", NULL, "%d is not a width from 1 to %d",
                        request->beam, ROWS);
    if (request->penalty.given && !(fabsf(request->penalty.value) <= SAC_LENGTH_PENALTY))
        return sac_fail(error, SAC_E_ARGUMENT, "length penalty", NULL, "%g is not from -%d to %d",
                        (double)request->penalty.value, SAC_LENGTH_PENALTY, SAC_LENGTH_PENALTY);
    if (!(request->temperature >= 0) || !isfinite(request->temperature))
        return sac_fail(error, SAC_E_ARGUMENT, "temperature", NULL, "%g is not above 0",
                        (double)request->temperature);
    if (request->prefix_count < 0 || request->prefix_count > tokens->length)
        return sac_fail(error, SAC_E_ARGUMENT, "prefix", NULL,
                        "has %d words; a sentence has up to %d", request->prefix_count,
                        tokens->length);
    for (int i = 0; i < request->prefix_count; i++)
        if (!sac_beam_may_hold(tokens, request->prefix[i]))
            return sac_fail(error, SAC_E_ARGUMENT, "prefix", NULL,
                            "word %d is not in the decoder's vocabulary", request->prefix[i]);
    return SAC_OK;
}

void sac_log_softmax(float *row, size_t count)
{
    double highest = -INFINITY, sum = 0;
    for (size_t i = 0; i < count; i++)
        highest = fmax(highest, row[i]);
    for (size_t i = 0; i < count; i++)
        sum += exp(row[i] - highest);
    for (size_t i = 0; i < count; i++)
        row[i] = (float)(row[i] - highest - log(sum));
}

/* Changes a row's logits to log probabilities under the rules and penalties of the search. */
static void apply_rules_to_row(generation *g, const sac_beam *beam, int row)
{
    float *logits = log_probability_of(g, beam->step, row);
    float *scores = g->scores + (size_t)row * g->vocabulary;
    if (beam->options.width == 1)
        memcpy(scores, logits, g->vocabulary * sizeof *scores);
    sac_log_softmax(logits, g->vocabulary);
    if (beam->options.width > 1)
        memcpy(scores, logits, g->vocabulary * sizeof *scores);
    sac_beam_restrain(beam, row, scores);
}

static sac_status score(void *self, const sac_beam *beam, const float **log_probability,
                        sac_error *error)
{
    generation *g = self;
    const size_t rows = (size_t)beam->rows;
    if (!grow(&g->step[beam->step].log_probability, &g->step[beam->step].numbers,
              rows * g->vocabulary) ||
        !grow(&g->step[beam->step].weights, &g->step[beam->step].cells, rows * g->positions + 1))
        return sac_no_memory(error, g->decoder->name);
    sac_step_result result = {log_probability_of(g, beam->step, 0), weights_of(g, beam->step, 0),
                              g->gate[beam->step]};
    for (int i = 0; i < beam->rows; i++)
        result.gate[i] = 1;
    sac_status status = g->decoder->step(g->self, beam, g->request, &result, error);
    bool restrains = sac_beam_has_restrictions(&beam->options);
    for (int i = 0; i < beam->rows && status == SAC_OK; i++)
        if (restrains)
            apply_rules_to_row(g, beam, i);
        else
            sac_log_softmax(log_probability_of(g, beam->step, i), g->vocabulary);
    *log_probability = restrains ? g->scores : result.logits;
    return status;
}

static sac_status search(generation *g, const sac_result_request *request, sac_error *error)
{
    const sac_beam_scorer scorer = {g, score};
    sac_beam_options options = g->sequence.tokens;
    g->request = request;
    if (request->beam || !options.width)
        options.width = request->beam ? request->beam : SAC_DEFAULT_BEAM;
    if (request->penalty.given)
        options.length_penalty = (double)request->penalty.value;
    return sac_beam_search(&g->beam, &options, &scorer, request->prefix, request->prefix_count,
                           error);
}

/* ---------------------------------------------------------------- the best sentence */

/* The most probable words that could stand in place of this one. */
static void find_alternatives(const float *log_probability, const sac_beam_options *tokens,
                              sac_result_output *word)
{
    enum { OTHERS = sizeof word->alternative / sizeof *word->alternative };
    int count = 0;
    for (int w = 0; w < tokens->vocabulary; w++) {
        if (w == word->word || !sac_beam_may_hold(tokens, w))
            continue;
        int place = count < OTHERS ? count++ : OTHERS;
        while (place > 0 && log_probability[word->alternative[place - 1]] < log_probability[w]) {
            if (place < OTHERS)
                word->alternative[place] = word->alternative[place - 1];
            place--;
        }
        if (place < OTHERS)
            word->alternative[place] = w;
    }
    for (int i = 0; i < OTHERS; i++) {
        if (i >= count)
            word->alternative[i] = -1;
        word->alternative_probability[i] =
            i < count ? expf(log_probability[word->alternative[i]]) : 0;
    }
}

int sac_generated_count(const generation *g)
{
    return g->count;
}

int sac_generated_end_row(const generation *g)
{
    return sac_beam_has_ended(&g->beam) ? g->beam.ended_row : -1;
}

sac_generated_step sac_generated_step_at(const generation *g, int step)
{
    int row = g->rows[step];
    return (sac_generated_step){row, log_probability_of(g, step, row), weights_of(g, step, row),
                                g->gate[step][row]};
}

static void fill_word(const generation *g, int t, sac_result_output *word)
{
    sac_generated_step step = sac_generated_step_at(g, t);
    int number = g->words[t];
    *word = (sac_result_output){.word = number};
    sac_utf8_copy(word->text, SAC_MAX_TOKEN_TEXT, g->decoder->token(g->self, number));
    word->probability = expf(step.log_probability[number]);
    word->gate = step.gate;
    find_alternatives(step.log_probability, &g->sequence.tokens, word);
}

/* The weights that `step` left to be requested later. */
static sac_status compute_missing_attention(generation *g, const sac_result_request *request,
                                            float *weights, sac_error *error)
{
    float gates[STEPS];
    if (!g->decoder->attention || g->count == 0)
        return SAC_OK;
    sac_status status =
        g->decoder->attention(g->self, request, g->words, g->rows, g->count, weights, gates, error);
    for (int t = 0; t < g->count && status == SAC_OK; t++) {
        memcpy(weights_of(g, t, g->rows[t]), weights + (size_t)t * g->positions,
               g->positions * sizeof *weights);
        g->gate[t][g->rows[t]] = gates[t];
    }
    return status;
}

static sac_status fill_caption(generation *g, const sac_result_request *request,
                               sac_result *caption, sac_error *error)
{
    *caption = (sac_result){.grid_w = g->sequence.grid_w, .grid_h = g->sequence.grid_h};
    caption->count = g->count = sac_beam_path(&g->beam, g->words, g->rows);
    caption->finished = sac_beam_has_ended(&g->beam);
    caption->weights = malloc((size_t)caption->count * g->positions * sizeof *caption->weights);
    if (g->decoder->position)
        caption->positions = malloc(g->positions * sizeof *caption->positions);
    sac_status status = caption->weights && (caption->positions || !g->decoder->position)
                            ? SAC_OK
                            : sac_no_memory(error, g->decoder->name);
    if (status == SAC_OK)
        status = compute_missing_attention(g, request, caption->weights, error);
    if (status != SAC_OK) {
        sac_result_free(caption);
        return status;
    }
    for (size_t i = 0; caption->positions && i < g->positions; i++)
        sac_utf8_copy(caption->positions[i], SAC_MAX_TOKEN_TEXT,
                      g->decoder->position(g->self, (int)i));
    for (int t = 0; t < caption->count; t++) {
        float *weights = caption->weights + (size_t)t * g->positions;
        memcpy(weights, sac_generated_step_at(g, t).weights, g->positions * sizeof *weights);
        fill_word(g, t, &caption->outputs[t]);
    }
    sac_result_measure(caption);
    return SAC_OK;
}

sac_status sac_generate(generation **made, const sac_decoder *decoder, void *self,
                        const sac_result_request *request, sac_result *caption, sac_error *error)
{
    double start = sac_now();
    *caption = (sac_result){0};
    sac_status status = prepare(made, decoder, self, error);
    if (status == SAC_OK)
        status = check_request(&(*made)->sequence.tokens, request, error);
    if (status == SAC_OK)
        status = search(*made, request, error);
    if (status == SAC_OK)
        status = fill_caption(*made, request, caption, error);
    caption->milliseconds = 1e3 * (sac_now() - start);
    return status;
}
