/* What a person learns of the best sentence: its words, and where each of them looked. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "captioner/decode_buffers.h"
#include "scenes/vocabulary.h"
#include "trace/trace.h"

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
static void find_others(const float *log_probability, int vocabulary, sac_caption_word *word)
{
    enum { OTHERS = sizeof word->instead / sizeof *word->instead };
    int count = 0;
    for (int w = SAC_WORD_END + 1; w < vocabulary; w++) {
        if (w == word->word)
            continue;
        int place = count < OTHERS ? count++ : OTHERS;
        while (place > 0 && log_probability[word->instead[place - 1]] < log_probability[w]) {
            if (place < OTHERS)
                word->instead[place] = word->instead[place - 1];
            place--;
        }
        if (place < OTHERS)
            word->instead[place] = w;
    }
    for (int i = 0; i < OTHERS; i++) {
        if (i >= count)
            word->instead[i] = -1;
        word->instead_probability[i] = i < count ? expf(log_probability[word->instead[i]]) : 0;
    }
}

static void tell_word(const sac_captioner *c, int step, int row, int number, sac_caption_word *word)
{
    const float *weights = sac_decoded_weights(c, step, row),
                *log_probability = sac_decoded_log_probability(c, step, row);
    *word = (sac_caption_word){.word = number};
    snprintf(word->text, sizeof word->text, "%s", sac_word_text(number));
    word->probability = expf(log_probability[number]);
    word->entropy = sac_entropy(weights, (size_t)c->cells);
    word->gate = c->decode->beta_read[step][row];
    find_peak_and_centre(weights, c->grid, c->grid, word);
    find_others(log_probability, c->shape.vocabulary, word);
}

sac_status sac_captioner_result(const sac_captioner *c, sac_caption *caption, sac_error *error)
{
    int words[SAC_CAPTION_WORDS], rows[SAC_CAPTION_WORDS];
    size_t cells = (size_t)c->cells;
    *caption = (sac_caption){.grid_w = c->grid, .grid_h = c->grid};
    caption->count = sac_beam_path(&c->decode->beam, words, rows);
    caption->finished = sac_beam_has_ended(&c->decode->beam);
    caption->weights = malloc((size_t)caption->count * cells * sizeof *caption->weights);
    if (!caption->weights)
        return sac_fail(error, SAC_E_MEMORY, "caption", NULL, "no memory for its weights");
    for (int t = 0; t < caption->count; t++) {
        float *weights = caption->weights + (size_t)t * cells;
        memcpy(weights, sac_decoded_weights(c, t, rows[t]), cells * sizeof *weights);
        for (size_t i = 0; i < cells; i++)
            caption->max_weight = fmaxf(caption->max_weight, weights[i]);
        tell_word(c, t, rows[t], words[t], &caption->words[t]);
    }
    return SAC_OK;
}
