/* Decoding by beam search, for any model. */

#include "models/decode.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

enum { STEPS = SAC_MAX_TOKENS, ROWS = SAC_BEAM_WIDTH };

/* The weights and log probabilities of every hypothesis at every step. */
typedef struct sac_decoding {
    sac_speech speech;
    size_t vocabulary, positions;      /* V, N */
    float *log_probability;            /* [T,R,V] with T the longest sentence, R = SAC_BEAM_WIDTH */
    float *weights;                    /* [T,R,N] */
    float *scores;                     /* [R,V], of a step that is restrained */
    size_t numbers, cells, restrained; /* capacity of the three */
    float gate[STEPS][ROWS];
    sac_beam beam;
    int words[STEPS], rows[STEPS], count; /* the best sentence's, and the rows they were said by */
} sac_decoding;

/* ---------------------------------------------------------------- memory */

void sac_decoding_destroy(sac_decoding *d)
{
    if (!d)
        return;
    sac_beam_free(&d->beam);
    free(d->log_probability);
    free(d->weights);
    free(d->scores);
    free(d);
}

static float *log_probability_of(const sac_decoding *d, int step, int row)
{
    return d->log_probability + (size_t)(step * ROWS + row) * d->vocabulary;
}

static float *weights_of(const sac_decoding *d, int step, int row)
{
    return d->weights + (size_t)(step * ROWS + row) * d->positions;
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
static sac_status prepare(sac_model *model, sac_error *error)
{
    sac_decoding *d = model->decoding;
    if (!d)
        d = model->decoding = calloc(1, sizeof *d);
    if (d) {
        d->speech = model->class->speech(model);
        d->vocabulary = (size_t)d->speech.tokens.vocabulary;
        d->positions = (size_t)d->speech.grid_w * (size_t)d->speech.grid_h;
        size_t rows = (size_t)d->speech.tokens.length * ROWS;
        assert(d->speech.tokens.length <= STEPS);
        if (grow(&d->log_probability, &d->numbers, rows * d->vocabulary) &&
            grow(&d->weights, &d->cells, rows * d->positions) &&
            (!sac_beam_restrains(&d->speech.tokens) ||
             grow(&d->scores, &d->restrained, ROWS * d->vocabulary)))
            return SAC_OK;
    }
    return sac_fail(error, SAC_E_MEMORY, model->class->name, NULL, "no memory to speak");
}

/* ---------------------------------------------------------------- the search */

static sac_status check_request(const sac_beam_options *tokens, const sac_caption_request *request,
                                sac_error *error)
{
    if (request->beam < 0 || request->beam > ROWS)
        return sac_fail(error, SAC_E_ARGUMENT, "beam", NULL, "%d is not a width from 1 to %d",
                        request->beam, ROWS);
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
                            "word %d is no word that can be said", request->prefix[i]);
    return SAC_OK;
}

/* logits become log probabilities, in place. */
static void log_softmax(float *row, size_t count)
{
    double highest = -INFINITY, sum = 0;
    for (size_t i = 0; i < count; i++)
        highest = fmax(highest, row[i]);
    for (size_t i = 0; i < count; i++)
        sum += exp(row[i] - highest);
    for (size_t i = 0; i < count; i++)
        row[i] = (float)(row[i] - highest - log(sum));
}

/* The scores of a row that the search goes by, from its logits, which become log probabilities. */
static void restrain(sac_decoding *d, const sac_beam *beam, int row)
{
    float *logits = log_probability_of(d, beam->step, row);
    float *scores = d->scores + (size_t)row * d->vocabulary;
    if (beam->options.width == 1)
        memcpy(scores, logits, d->vocabulary * sizeof *scores);
    log_softmax(logits, d->vocabulary);
    if (beam->options.width > 1)
        memcpy(scores, logits, d->vocabulary * sizeof *scores);
    sac_beam_restrain(beam, row, scores);
}

/* The `self` of the search's decoder. */
typedef struct speaker {
    sac_model *model;
    const sac_caption_request *request;
} speaker;

static sac_status decode_step(void *self, const sac_beam *beam, const float **log_probability,
                              sac_error *error)
{
    const speaker *s = self;
    sac_decoding *d = s->model->decoding;
    sac_step_result result = {log_probability_of(d, beam->step, 0), weights_of(d, beam->step, 0),
                              d->gate[beam->step]};
    for (int i = 0; i < beam->rows; i++)
        result.gate[i] = 1;
    sac_status status = s->model->class->step(s->model, beam, s->request, &result, error);
    bool restrains = sac_beam_restrains(&beam->options);
    for (int i = 0; i < beam->rows && status == SAC_OK; i++)
        if (restrains)
            restrain(d, beam, i);
        else
            log_softmax(log_probability_of(d, beam->step, i), d->vocabulary);
    *log_probability = restrains ? d->scores : result.logits;
    return status;
}

static sac_status search(sac_model *model, const sac_caption_request *request, sac_error *error)
{
    speaker self = {model, request};
    sac_decoder decoder = {&self, decode_step};
    sac_beam_options options = model->decoding->speech.tokens;
    if (request->beam || !options.width)
        options.width = request->beam ? request->beam : 3;
    return sac_beam_search(&model->decoding->beam, &options, &decoder, request->prefix,
                           request->prefix_count, error);
}

/* ---------------------------------------------------------------- the best sentence */

static void find_peak_and_centre(const float *weights, int grid_w, int grid_h,
                                 sac_caption_word *word)
{
    double sum = 0, x_sum = 0, y_sum = 0;
    float peak = 0;
    for (int y = 0; y < grid_h; y++)
        for (int x = 0; x < grid_w; x++) {
            float weight = weights[y * grid_w + x];
            sum += weight;
            x_sum += weight * (x + 0.5);
            y_sum += weight * (y + 0.5);
            if (weight > peak) {
                peak = weight;
                word->peak_x = x;
                word->peak_y = y;
            }
        }
    word->centre_x = (float)(sum > 0 ? x_sum / sum : grid_w / 2.0);
    word->centre_y = (float)(sum > 0 ? y_sum / sum : grid_h / 2.0);
}

/* The most probable words that could stand in place of this one. */
static void find_others(const float *log_probability, const sac_beam_options *tokens,
                        sac_caption_word *word)
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

int sac_decoded_count(const sac_model *model)
{
    return model->decoding->count;
}

sac_decoded_step sac_decoded_step_at(const sac_model *model, int step)
{
    const sac_decoding *d = model->decoding;
    int row = d->rows[step];
    return (sac_decoded_step){row, log_probability_of(d, step, row), weights_of(d, step, row),
                              d->gate[step][row]};
}

static void fill_word(const sac_model *model, const sac_decoded_step *step, int number,
                      sac_caption_word *word)
{
    const sac_decoding *d = model->decoding;
    *word = (sac_caption_word){.word = number};
    snprintf(word->text, sizeof word->text, "%s", model->class->word(model, number));
    word->probability = expf(step->log_probability[number]);
    word->entropy = sac_entropy(step->weights, d->positions);
    word->gate = step->gate;
    find_peak_and_centre(step->weights, d->speech.grid_w, d->speech.grid_h, word);
    find_others(step->log_probability, &d->speech.tokens, word);
}

static void name_positions(const sac_model *model, sac_caption *caption)
{
    for (int i = 0; i < caption->grid_w * caption->grid_h; i++)
        snprintf(caption->positions[i], sizeof caption->positions[i], "%s",
                 model->class->position(model, i));
}

static sac_status allocate(const sac_model *model, sac_caption *caption, sac_error *error)
{
    size_t positions = model->decoding->positions;
    caption->weights = malloc((size_t)caption->count * positions * sizeof *caption->weights);
    if (model->class->position)
        caption->positions = malloc(positions * sizeof *caption->positions);
    if (caption->weights && (caption->positions || !model->class->position))
        return SAC_OK;
    sac_caption_free(caption);
    return sac_fail(error, SAC_E_MEMORY, model->class->name, NULL, "no memory for its words");
}

/* The weights that `step` left to be asked for later. */
static sac_status weigh(sac_model *model, const sac_caption_request *request, float *weights,
                        sac_error *error)
{
    sac_decoding *d = model->decoding;
    float gates[STEPS];
    if (!model->class->weigh || d->count == 0)
        return SAC_OK;
    sac_status status =
        model->class->weigh(model, request, d->rows, d->count, weights, gates, error);
    for (int t = 0; t < d->count && status == SAC_OK; t++) {
        memcpy(weights_of(d, t, d->rows[t]), weights + (size_t)t * d->positions,
               d->positions * sizeof *weights);
        d->gate[t][d->rows[t]] = gates[t];
    }
    return status;
}

static sac_status fill_caption(sac_model *model, const sac_caption_request *request,
                               sac_caption *caption, sac_error *error)
{
    sac_decoding *d = model->decoding;
    *caption = (sac_caption){.grid_w = d->speech.grid_w, .grid_h = d->speech.grid_h};
    caption->count = d->count = sac_beam_path(&d->beam, d->words, d->rows);
    caption->finished = sac_beam_has_ended(&d->beam);
    sac_status status = allocate(model, caption, error);
    if (status != SAC_OK)
        return status;
    status = weigh(model, request, caption->weights, error);
    if (status != SAC_OK) {
        sac_caption_free(caption);
        return status;
    }
    if (caption->positions)
        name_positions(model, caption);
    for (int t = 0; t < caption->count; t++) {
        float *weights = caption->weights + (size_t)t * d->positions;
        sac_decoded_step step = sac_decoded_step_at(model, t);
        memcpy(weights, step.weights, d->positions * sizeof *weights);
        for (size_t i = 0; i < d->positions; i++)
            caption->max_weight = fmaxf(caption->max_weight, weights[i]);
        fill_word(model, &step, d->words[t], &caption->words[t]);
    }
    return SAC_OK;
}

sac_status sac_model_decode(sac_model *model, const sac_caption_request *request,
                            sac_caption *caption, sac_error *error)
{
    double start = sac_now();
    *caption = (sac_caption){0};
    sac_status status = prepare(model, error);
    if (status == SAC_OK)
        status = check_request(&model->decoding->speech.tokens, request, error);
    if (status == SAC_OK)
        status = search(model, request, error);
    if (status == SAC_OK)
        status = fill_caption(model, request, caption, error);
    caption->milliseconds = 1e3 * (sac_now() - start);
    return status;
}
