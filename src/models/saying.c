#include "models/saying.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text/script.h"

/* ---------------------------------------------------------------- names of columns */

static sac_status name(sac_said *said, size_t column, const char *text, sac_error *error)
{
    return (said->tokens.text[column] = strdup(text)) ? SAC_OK : sac_no_memory(error, "words");
}

/* With a dot where a blank stands before it; the first (`before` NULL) has one, too. */
static sac_status name_word(sac_said *said, size_t column, const char *before, const char *word,
                            sac_error *error)
{
    char text[96];
    bool blank = !before || sac_script_needs_blank(before, word);
    snprintf(text, sizeof text, "%s%s", blank ? "·" : "", word);
    return name(said, column, text, error);
}

static sac_status name_cell(sac_said *said, size_t cell, sac_error *error)
{
    char text[48];
    snprintf(text, sizeof text, "%zu,%zu", cell % (size_t)said->grid_w,
             cell / (size_t)said->grid_w);
    return name(said, cell, text, error);
}

/* Cells or words that were encoded, the start where words look back at it, and the words. */
static sac_status name_columns(const sac_model *model, sac_said *said, sac_error *error)
{
    const sac_decoder *decoder = sac_model_decoder(model);
    const int *words = model->spoken.words;
    const size_t read = said->count - said->said;
    sac_status status = SAC_OK;
    for (size_t i = 0; i < said->apart && status == SAC_OK; i++)
        status = decoder->position
                     ? name_word(said, i, NULL, decoder->position(model, (int)i), error)
                     : name_cell(said, i, error);
    if (status == SAC_OK && read > said->apart)
        status = name_word(said, said->apart, NULL, decoder->token(model, words[0]), error);
    for (size_t i = 0; i < said->said && status == SAC_OK; i++)
        status = name_word(said, read + i, i ? decoder->token(model, words[i]) : NULL,
                           decoder->token(model, words[1 + i]), error);
    return status;
}

/* The words, with blanks where their script has them. */
static sac_status join_words(const sac_model *model, sac_said *said, sac_error *error)
{
    const sac_decoder *decoder = sac_model_decoder(model);
    const int *words = model->spoken.words + 1;
    size_t size = 1, used = 0;
    for (size_t i = 0; i < said->said; i++)
        size += strlen(decoder->token(model, words[i])) + 1;
    said->text = calloc(size, 1);
    for (size_t i = 0; i < said->said && said->text; i++) {
        const char *word = decoder->token(model, words[i]);
        bool blank = i && sac_script_needs_blank(decoder->token(model, words[i - 1]), word);
        used += (size_t)snprintf(said->text + used, size - used, "%s%s", blank ? " " : "", word);
    }
    return said->text ? SAC_OK : sac_no_memory(error, "words");
}

/* ---------------------------------------------------------------- rows */

/* Adds the mean of a kind's layers and heads to the rows, from column `column` on. */
static void add_mean(const sac_attention_kind *kind, size_t column, sac_said *said)
{
    const size_t maps = kind->layers * kind->heads;
    for (size_t m = 0; m < maps; m++)
        for (size_t s = 0; s < kind->steps; s++)
            for (size_t i = 0; i < kind->positions; i++)
                said->rows[s * said->count + column + i] +=
                    kind->weights[(m * kind->steps + s) * kind->positions + i] / (float)maps;
}

static sac_status fill_rows(sac_model *model, sac_model_attend *attend, sac_said *said,
                            sac_error *error)
{
    const size_t N = said->apart;
    sac_attentions attentions = {0};
    if (!attend) {
        for (size_t s = 0; s < said->said; s++)
            memcpy(said->rows + s * said->count, model->spoken.weights + s * N,
                   N * sizeof *said->rows);
        return SAC_OK;
    }
    sac_status status =
        attend(model, model->spoken.words + 1, model->spoken.count, &attentions, error);
    if (status != SAC_OK)
        return status;
    add_mean(&attentions.kind[SAC_CROSS_ATTENTION], 0, said);
    add_mean(&attentions.kind[SAC_DECODER_ATTENTION], N, said);
    sac_attentions_free(&attentions);
    return SAC_OK;
}

static sac_status explain(sac_model *model, sac_model_attend *attend, sac_said *said,
                          sac_error *error)
{
    const sac_sequence sequence = sac_model_decoder(model)->start(model);
    const size_t N = (size_t)sequence.grid_w * (size_t)sequence.grid_h;
    const bool sees = !sac_model_decoder(model)->position;
    said->said = (size_t)model->spoken.count;
    said->count = N + (attend != NULL) + said->said;
    said->apart = N;
    said->is_plain = !attend;
    said->pictured = sees ? N : 0;
    said->grid_w = sees ? sequence.grid_w : 0;
    said->grid_h = sees ? sequence.grid_h : 0;
    said->tokens = (sac_labels){said->count, calloc(said->count + 1, sizeof *said->tokens.text)};
    said->rows = calloc(said->said * said->count + 1, sizeof *said->rows);
    said->cells = sees ? malloc((said->said * N + 1) * sizeof *said->cells) : NULL;
    if (!said->tokens.text || !said->rows || (sees && !said->cells))
        return sac_no_memory(error, model->class->name);
    sac_status status = name_columns(model, said, error);
    if (status == SAC_OK)
        status = join_words(model, said, error);
    if (status == SAC_OK && said->said)
        status = fill_rows(model, attend, said, error);
    for (size_t s = 0; s < said->said && sees; s++)
        memcpy(said->cells + s * N, said->rows + s * said->count, N * sizeof *said->cells);
    return status;
}

/* ---------------------------------------------------------------- all of it */

sac_status sac_model_say(sac_model *model, sac_model_attend *attend, const sac_saying *how,
                         sac_said *said, sac_error *error)
{
    double begin = sac_now();
    *said = (sac_said){0};
    sac_status status = sac_spoken_say(&model->spoken, sac_model_decoder(model), model, how, error);
    if (status == SAC_OK)
        status = explain(model, attend, said, error);
    said->milliseconds = 1e3 * (sac_now() - begin);
    if (status != SAC_OK)
        sac_said_free(said);
    return status;
}

sac_status sac_model_candidates(sac_model *model, size_t step, const sac_saying *how,
                                sac_might_come *candidates, int *count, int *kept, sac_error *error)
{
    const sac_decoder *decoder = sac_model_decoder(model);
    sac_status status = sac_spoken_candidates(&model->spoken, decoder, model, step, how, candidates,
                                              count, kept, error);
    for (int i = 0; i < *count; i++)
        snprintf(candidates[i].text, sizeof candidates[i].text, "%s",
                 decoder->token(model, candidates[i].id));
    return status;
}
