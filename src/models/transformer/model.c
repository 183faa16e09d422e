/* The transformer's mathematics: two stacks, one after the other. */
#include <stdlib.h>

#include "base/error.h"
#include "transformer/decode.h"
#include "transformer/learn.h"
#include "transformer/transformer.h"
#include "translation/translation.h"

/* ---------------------------------------------------------------- parameters */

sac_status sac_transformer_default_sizes(sac_transformer_sizes *sizes, sac_error *error)
{
    *sizes = (sac_transformer_sizes){
        .layers = 2,
        .heads = 4,
        .width = 128,
        .hidden = 384,
        .source_words = sac_translation_word_count(NULL, SAC_SOURCE_SIDE),
        .target_words = sac_translation_word_count(NULL, SAC_TARGET_SIDE),
    };
    return sizes->source_words && sizes->target_words ? SAC_OK
                                                      : sac_no_memory(error, "transformer");
}

void sac_transformer_declare(const sac_transformer_sizes *sizes, sac_parameters *p,
                             sac_transformer_weights *w)
{
    sac_stack_sizes stack = {.layers = sizes->layers,
                             .heads = sizes->heads,
                             .width = sizes->width,
                             .hidden = sizes->hidden,
                             .norm_first = sizes->norm_first,
                             .words = sizes->source_words};
    sac_stack_declare(&stack, "encoder", p, &w->encoder);
    stack.decodes = true;
    stack.normalizer = sizes->normalizer;
    stack.words = sizes->target_words;
    sac_stack_declare(&stack, "decoder", p, &w->decoder);
}

/* ---------------------------------------------------------------- description */

enum { FORMAT = 1 /* of the description */ };

char *sac_transformer_describe(const sac_transformer_sizes *sizes)
{
    cJSON *model = cJSON_CreateObject();
    bool whole = cJSON_AddNumberToObject(model, "format", FORMAT) &&
                 cJSON_AddNumberToObject(model, "depth", sizes->layers) &&
                 cJSON_AddNumberToObject(model, "heads", sizes->heads) &&
                 cJSON_AddNumberToObject(model, "width", sizes->width) &&
                 cJSON_AddNumberToObject(model, "hidden", sizes->hidden) &&
                 cJSON_AddBoolToObject(model, "norm_first", sizes->norm_first) &&
                 sac_description_add_normalizer(model, sizes->normalizer) &&
                 sac_translation_add_vocabularies(model, sizes->languages);
    return sac_description_print_and_free(model, whole);
}

sac_status sac_transformer_read_sizes(const sac_arrays *file, const char *path,
                                      sac_transformer_sizes *sizes, sac_error *error)
{
    sac_description d = sac_description_open(file, "transformer", error);
    *sizes = (sac_transformer_sizes){0};
    sac_description_size(&d, "format", FORMAT, FORMAT);
    sizes->layers = sac_description_size(&d, "depth", 1, SAC_STACK_LAYERS);
    sizes->heads = sac_description_size(&d, "heads", 1, SAC_STACK_HEADS);
    sizes->width = sac_description_size(&d, "width", 1, 4096);
    sizes->hidden = sac_description_size(&d, "hidden", 1, 16384);
    sizes->norm_first = sac_description_flag(&d, "norm_first");
    sizes->normalizer = sac_description_normalizer(&d);
    if (d.status == SAC_OK && sizes->width % sizes->heads != 0)
        sac_description_refuse(&d, "%d heads do not divide a width of %d", sizes->heads,
                               sizes->width);
    sac_translation_read_vocabularies(&d, &sizes->languages, &sizes->source_words,
                                      &sizes->target_words);
    if (d.status == SAC_OK) {
        /* The limits on the sizes keep these sums far below what a size_t holds. */
        sac_parameters parameters = {0};
        sac_transformer_weights weights = {0};
        sac_transformer_declare(sizes, &parameters, &weights);
        sac_description_check_number_count(&d, &parameters);
        sac_parameters_destroy(&parameters);
    }
    sac_status status = sac_description_close(&d, path);
    if (status != SAC_OK) {
        sac_language_pair_release(sizes->languages);
        sizes->languages = NULL;
    }
    return status;
}

/* ---------------------------------------------------------------- forward */

void sac_transformer_transpose_batch(const sac_sentence_batch *batch, int *source_words,
                                     uint8_t *source_padding, int *words, uint8_t *padding)
{
    size_t B = batch->source.batch, S = batch->source.steps, T = batch->steps;
    for (size_t b = 0; b < B; b++) {
        for (size_t i = 0; i < S; i++) {
            source_words[b * S + i] = batch->source.words[i * B + b];
            source_padding[b * S + i] = (int)i >= batch->source.lengths[b];
        }
        for (size_t t = 0; t < T; t++) {
            words[b * T + t] = batch->inputs[t * B + b];
            padding[b * T + t] = (int)t >= batch->lengths[b];
        }
    }
}

void sac_transformer_shape(sac_transformer *t, sac_arena *arena, size_t batch, size_t source_steps,
                           size_t steps, sac_stack_tensors *source, sac_stack_tensors *target)
{
    sac_pass *pass = &t->base.pass;
    sac_stack_shape(pass, arena, &t->weights.encoder, batch, source_steps, 0, 0, source);
    sac_stack_shape(pass, arena, &t->weights.decoder, batch, steps, batch, source_steps, target);
}

sac_stack_memory sac_transformer_memory(const sac_stack_tensors *source, sac_tensor rows)
{
    return (sac_stack_memory){.rows = rows, .padding = source->padding.buffer};
}

sac_tensor sac_transformer_encode(sac_transformer *t, const sac_stack_noise *noise,
                                  const sac_stack_tensors *tensors)
{
    return sac_stack_forward(&t->base.pass, &t->weights.encoder, noise, tensors,
                             &(sac_stack_memory){0});
}

sac_tensor sac_transformer_decode(sac_transformer *t, const sac_stack_noise *noise,
                                  const sac_stack_tensors *tensors, const sac_stack_tensors *source,
                                  sac_tensor rows)
{
    sac_stack_memory memory = sac_transformer_memory(source, rows);
    return sac_stack_forward(&t->base.pass, &t->weights.decoder, noise, tensors, &memory);
}
