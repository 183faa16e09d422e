/* Generation one word at a time from what was encoded, some of the words chosen by a person, with the
 * attention and the candidates of each. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "architectures/inference/continuation.h"
#include "base/clock.h"
#include "base/error.h"

typedef sac_pretrained_captioner captioner;

/* ---------------------------------------------------------------- rows and their names */

/* Tokens of what was encoded that are a picture's; of a sound all are, those too that are silence behind its end. */
static size_t picture_token_count(const captioner *c)
{
    return sac_architecture_has_audio(c->model) ? c->seen : sac_captioner_picture_token_count(c);
}

/* Where what was encoded lies in the columns, and the tokens that stand before the output. */
static size_t set_column_ranges(const captioner *c, sac_generation *generation)
{
    bool is_text = !sac_architecture_has_media_encoder(c->model);
    size_t begins;
    sac_captioner_start_tokens(c, &begins);
    generation->is_audio = sac_architecture_has_audio(c->model);
    generation->seconds = sac_captioner_seconds(c);
    if (sac_captioner_reads_picture_in_prompt(
            c)) { /* from the first of its tokens to the last, with those between its tiles */
        const int token = c->decoder->text_decoder.connector.token;
        size_t first = 0, end = c->seen;
        while (c->ids[first] != token)
            first++;
        while (c->ids[end - 1] != token)
            end--;
        generation->picture = first;
        generation->pictured = end - first;
        return c->seen;
    }
    generation->pictured = is_text ? 0 : picture_token_count(c);
    generation->apart = c->decoder->text_decoder.joins ? 0 : c->seen;
    return c->seen + (c->decoder->text_decoder.recurrent ? 0 : begins + 1);
}

/* "3,1": a column and a row; "query 2"; "0.24 s": of a sound. */
static sac_status label_picture_tokens(const captioner *c, size_t count, char **text,
                                       sac_error *error)
{
    for (size_t i = 0; i < count; i++) {
        size_t cell = i - c->prefix, width = (size_t)c->grid_w;
        char name[48];
        if (sac_architecture_has_audio(c->model))
            snprintf(name, sizeof name, "%.2f s",
                     (double)i * (double)sac_captioner_cell_seconds(c));
        else if (sac_captioner_has_queries(c))
            snprintf(name, sizeof name, "query %zu", i);
        else if (i < c->prefix)
            snprintf(name, sizeof name, "whole picture");
        else
            snprintf(name, sizeof name, "%zu,%zu", cell % width, cell / width);
        if (!(text[i] = strdup(name)))
            return sac_no_memory(error, c->model->name);
    }
    return SAC_OK;
}

/* WordPiece marks the pieces that go on a word, "##s", and no blanks, as other tokenizers do. */
static bool has_piece_marks(const sac_pretrained_model *m)
{
    for (int i = 0; i < (int)m->vocabulary; i++) {
        const char *token = sac_tokenizer_token(m->tokenizer, i);
        if (token && strncmp(token, "##", 2) == 0 && token[2])
            return true;
    }
    return false;
}

/* A dot before each word, as in other vocabularies. */
static sac_status mark_words(const sac_pretrained_model *m, const int *ids, sac_labels *labels,
                             sac_error *error)
{
    for (size_t i = 0; i < labels->count; i++) {
        const char *token = sac_tokenizer_token(m->tokenizer, ids[i]);
        if (!token || strncmp(token, "##", 2) == 0 || !isalnum((unsigned char)token[0]))
            continue;
        size_t size = strlen(labels->text[i]) + sizeof "·";
        char *marked = malloc(size);
        if (!marked)
            return sac_no_memory(error, m->name);
        snprintf(marked, size, "·%s", labels->text[i]);
        free(labels->text[i]);
        labels->text[i] = marked;
    }
    return SAC_OK;
}

static sac_status name_text_tokens(const sac_pretrained_model *m, const int *ids, size_t count,
                                   char **to, sac_error *error)
{
    sac_labels labels = {0};
    if (count == 0)
        return SAC_OK;
    sac_status status = sac_architecture_label_tokens(m, ids, count, &labels, error);
    if (status == SAC_OK && has_piece_marks(m))
        status = mark_words(m, ids, &labels, error);
    if (status != SAC_OK) {
        sac_labels_free(&labels);
        return status;
    }
    memcpy(to, labels.text, labels.count * sizeof *to);
    free(labels.text);
    return SAC_OK;
}

/* Names [seen] of what was encoded, of which so many tokens are a picture's. */
static sac_status name_encoded_tokens(const captioner *c, size_t pictured, char **text,
                                      sac_error *error)
{
    if (sac_captioner_reads_picture_in_prompt(c))
        return name_text_tokens(c->decoder, c->ids, c->seen, text, error);
    sac_status status = label_picture_tokens(c, pictured, text, error);
    return status == SAC_OK ? name_text_tokens(c->model, c->ids + pictured, c->seen - pictured,
                                               text + pictured, error)
                            : status;
}

sac_status sac_captioner_name_encoded(const captioner *c, sac_labels *labels, sac_error *error)
{
    char **text = calloc(c->seen + 1, sizeof *text);
    *labels = (sac_labels){c->seen, text};
    sac_status status = text ? name_encoded_tokens(c, picture_token_count(c), text, error)
                             : sac_no_memory(error, c->model->name);
    if (status != SAC_OK)
        sac_labels_free(labels);
    return status;
}

/* Names [count] of all columns: what was encoded, what stands before the words, and the words. */
static sac_status name_columns(const captioner *c, sac_generation *generation, sac_error *error)
{
    const sac_pretrained_model *d = c->decoder;
    const int *words = c->token_run.words; /* the start, and those that were generated */
    const size_t read = generation->count - generation->generated;
    char **text = calloc(generation->count + 1, sizeof *text);
    generation->tokens = (sac_labels){generation->count, text};
    size_t begins;
    const int *before = sac_captioner_start_tokens(c, &begins);
    sac_status status = text ? name_encoded_tokens(c, generation->pictured, text, error)
                             : sac_no_memory(error, d->name);
    if (status == SAC_OK && read > c->seen)
        status = name_text_tokens(d, before, begins, text + c->seen, error);
    if (status == SAC_OK && read > c->seen)
        status = name_text_tokens(d, words, 1, text + c->seen + begins, error);
    return status == SAC_OK
               ? name_text_tokens(d, words + 1, generation->generated, text + read, error)
               : status;
}

static sac_status fill_generation(captioner *c, sac_generation *generation, sac_error *error)
{
    const size_t cells = (size_t)c->grid_w * (size_t)c->grid_h;
    const size_t words = (size_t)c->token_run.count, read = set_column_ranges(c, generation);
    generation->generated = words;
    generation->count = read + words;
    if (c->decoder->tokenizer && !(generation->text = sac_tokenizer_decode(
                                       c->decoder->tokenizer, c->token_run.words + 1, words)))
        return sac_no_memory(error, c->model->name);
    generation->rows = calloc(words * generation->count + 1, sizeof *generation->rows);
    if (sac_architecture_has_media_encoder(c->model)) {
        generation->grid_w = c->grid_w;
        generation->grid_h = c->grid_h;
        generation->cells = calloc(words * cells + 1, sizeof *generation->cells);
    }
    if (!generation->rows || (generation->grid_w && !generation->cells))
        return sac_no_memory(error, c->model->name);
    sac_status status = name_columns(c, generation, error);
    if (status != SAC_OK || !words)
        return status;
    if (c->decoder->text_decoder.recurrent) {
        generation->is_plain = true;
        for (size_t s = 0; s < words; s++) { /* its steps wrote all that there is */
            const float *weights = c->token_run.weights + s * cells;
            memcpy(generation->rows + s * generation->count + c->prefix, weights,
                   cells * sizeof *weights);
            memcpy(generation->cells + s * cells, weights, cells * sizeof *weights);
        }
        return SAC_OK;
    }
    return sac_captioner_fill_attention_rows(c, c->token_run.words + 1, (int)words, generation,
                                             error);
}

sac_status sac_pretrained_captioner_step(captioner *c, const sac_sampling *how,
                                         sac_generation *generation, sac_error *error)
{
    double begin = sac_now();
    *generation = (sac_generation){0};
    if (!c->seen)
        return sac_fail(error, SAC_E_ARGUMENT, c->model->name, NULL,
                        "has seen or read nothing yet");
    sac_status status = sac_captioner_apply_request(c, &(sac_result_request){0}, error);
    if (status == SAC_OK)
        status = sac_token_run_generate(&c->token_run, &c->generates, c, NULL, 0, how, error);
    if (status == SAC_OK)
        status = fill_generation(c, generation, error);
    generation->milliseconds = 1e3 * (sac_now() - begin);
    if (status != SAC_OK)
        sac_generation_free(generation);
    return status;
}

/* ---------------------------------------------------------------- what might have come */

sac_status sac_pretrained_captioner_candidates(captioner *c, size_t step, const sac_sampling *how,
                                               sac_candidate *candidates, int *count, int *kept,
                                               sac_error *error)
{
    sac_status status = sac_token_run_candidates(&c->token_run, &c->generates, c, step, how,
                                                 candidates, count, kept, error);
    sac_name_candidates(c->decoder->tokenizer, candidates, *count);
    return status;
}
