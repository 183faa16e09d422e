#include "models/token_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text/utf8.h"

/* ---------------------------------------------------------------- names of columns */

static sac_status set_column_name(sac_generation *generation, size_t column, const char *text,
                                  sac_error *error)
{
    return (generation->tokens.text[column] = strdup(text)) ? SAC_OK
                                                            : sac_no_memory(error, "words");
}

/* With a dot where a blank stands before it; the first (`before` NULL) has one, too. */
static sac_status name_word(sac_generation *generation, size_t column, const char *before,
                            const char *word, sac_error *error)
{
    char text[96];
    bool blank = !before || sac_script_needs_blank(before, word);
    snprintf(text, sizeof text, "%s%s", blank ? "·" : "", word);
    return set_column_name(generation, column, text, error);
}

static sac_status name_cell(sac_generation *generation, size_t cell, sac_error *error)
{
    char text[48];
    snprintf(text, sizeof text, "%zu,%zu", cell % (size_t)generation->grid_w,
             cell / (size_t)generation->grid_w);
    return set_column_name(generation, cell, text, error);
}

/* Cells or words that were encoded, the start where words look back at it, and the words. */
static sac_status name_columns(const sac_model *model, sac_generation *generation, sac_error *error)
{
    const sac_decoder *decoder = sac_model_decoder(model);
    const int *words = model->token_run.words;
    const size_t read = generation->count - generation->generated;
    sac_status status = SAC_OK;
    for (size_t i = 0; i < generation->apart && status == SAC_OK; i++)
        status = decoder->position
                     ? name_word(generation, i, NULL, decoder->position(model, (int)i), error)
                     : name_cell(generation, i, error);
    if (status == SAC_OK && read > generation->apart)
        status =
            name_word(generation, generation->apart, NULL, decoder->token(model, words[0]), error);
    for (size_t i = 0; i < generation->generated && status == SAC_OK; i++)
        status = name_word(generation, read + i, i ? decoder->token(model, words[i]) : NULL,
                           decoder->token(model, words[1 + i]), error);
    return status;
}

/* The words, with blanks where their script has them. */
static sac_status join_words(const sac_model *model, sac_generation *generation, sac_error *error)
{
    const sac_decoder *decoder = sac_model_decoder(model);
    const int *words = model->token_run.words + 1;
    size_t size = 1, used = 0;
    for (size_t i = 0; i < generation->generated; i++)
        size += strlen(decoder->token(model, words[i])) + 1;
    generation->text = calloc(size, 1);
    for (size_t i = 0; i < generation->generated && generation->text; i++) {
        const char *word = decoder->token(model, words[i]);
        bool blank = i && sac_script_needs_blank(decoder->token(model, words[i - 1]), word);
        used +=
            (size_t)snprintf(generation->text + used, size - used, "%s%s", blank ? " " : "", word);
    }
    return generation->text ? SAC_OK : sac_no_memory(error, "words");
}

/* ---------------------------------------------------------------- rows */

/* Adds the mean of a kind's layers and heads to the rows, from column `column` on. */
static void add_mean(const sac_attention_kind *kind, size_t column, sac_generation *generation)
{
    const size_t maps = kind->layers * kind->heads;
    for (size_t m = 0; m < maps; m++)
        for (size_t s = 0; s < kind->steps; s++)
            for (size_t i = 0; i < kind->positions; i++)
                generation->rows[s * generation->count + column + i] +=
                    kind->weights[(m * kind->steps + s) * kind->positions + i] / (float)maps;
}

static sac_status fill_rows(sac_model *model, sac_model_attend *attend, sac_generation *generation,
                            sac_error *error)
{
    const size_t N = generation->apart;
    sac_attentions attentions = {0};
    if (!attend) {
        for (size_t s = 0; s < generation->generated; s++)
            memcpy(generation->rows + s * generation->count, model->token_run.weights + s * N,
                   N * sizeof *generation->rows);
        return SAC_OK;
    }
    sac_status status =
        attend(model, model->token_run.words + 1, model->token_run.count, &attentions, error);
    if (status != SAC_OK)
        return status;
    add_mean(&attentions.kind[SAC_CROSS_ATTENTION], 0, generation);
    add_mean(&attentions.kind[SAC_DECODER_ATTENTION], N, generation);
    sac_attentions_free(&attentions);
    return SAC_OK;
}

static sac_status fill_generation(sac_model *model, sac_model_attend *attend,
                                  sac_generation *generation, sac_error *error)
{
    const sac_sequence sequence = sac_model_decoder(model)->start(model);
    const size_t N = (size_t)sequence.grid_w * (size_t)sequence.grid_h;
    const bool sees = !sac_model_decoder(model)->position;
    generation->generated = (size_t)model->token_run.count;
    generation->count = N + (attend != NULL) + generation->generated;
    generation->apart = N;
    generation->is_plain = !attend;
    generation->pictured = sees ? N : 0;
    generation->grid_w = sees ? sequence.grid_w : 0;
    generation->grid_h = sees ? sequence.grid_h : 0;
    generation->tokens = (sac_labels){
        generation->count, calloc(generation->count + 1, sizeof *generation->tokens.text)};
    generation->rows =
        calloc(generation->generated * generation->count + 1, sizeof *generation->rows);
    generation->cells =
        sees ? malloc((generation->generated * N + 1) * sizeof *generation->cells) : NULL;
    if (!generation->tokens.text || !generation->rows || (sees && !generation->cells))
        return sac_no_memory(error, model->class->name);
    sac_status status = name_columns(model, generation, error);
    if (status == SAC_OK)
        status = join_words(model, generation, error);
    if (status == SAC_OK && generation->generated)
        status = fill_rows(model, attend, generation, error);
    for (size_t s = 0; s < generation->generated && sees; s++)
        memcpy(generation->cells + s * N, generation->rows + s * generation->count,
               N * sizeof *generation->cells);
    return status;
}

/* ---------------------------------------------------------------- all of it */

sac_status sac_model_generate_tokens(sac_model *model, sac_model_attend *attend,
                                     const sac_sampling *how, sac_generation *generation,
                                     sac_error *error)
{
    double begin = sac_now();
    *generation = (sac_generation){0};
    sac_status status = sac_token_run_generate(&model->token_run, sac_model_decoder(model), model,
                                               NULL, 0, how, error);
    if (status == SAC_OK)
        status = fill_generation(model, attend, generation, error);
    generation->milliseconds = 1e3 * (sac_now() - begin);
    if (status != SAC_OK)
        sac_generation_free(generation);
    return status;
}

sac_status sac_model_candidates(sac_model *model, size_t step, const sac_sampling *how,
                                sac_candidate *candidates, int *count, int *kept, sac_error *error)
{
    const sac_decoder *decoder = sac_model_decoder(model);
    sac_status status = sac_token_run_candidates(&model->token_run, decoder, model, step, how,
                                                 candidates, count, kept, error);
    for (int i = 0; i < *count; i++)
        snprintf(candidates[i].text, sizeof candidates[i].text, "%s",
                 decoder->token(model, candidates[i].id));
    return status;
}
