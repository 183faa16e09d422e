/* The transformer among the models: its options, and what the training loop, the checkpoints and
 * the views ask of it. */
#include "transformer/transformer.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "models/checkpoint.h"
#include "models/description.h"
#include "saccade_arrays.h"
#include "transformer/decode.h"
#include "transformer/learn.h"
#include "translation/class_functions.h"
#include "translation/own_pairs.h"
#include "translation/source.h"

/* ---------------------------------------------------------------- the model */

sac_status sac_transformer_make(const sac_model_class *class, sac_device *device,
                                const sac_transformer_sizes *sizes, bool training, uint32_t seed,
                                sac_transformer **transformer, sac_error *error)
{
    *transformer = NULL;
    sac_transformer *t = calloc(1, sizeof *t);
    if (!t)
        return sac_no_memory(error, "transformer");
    t->base.class = class;
    t->base.device = device;
    t->sizes = *sizes;
    sac_pass_open(&t->base.pass, device);
    sac_transformer_declare(sizes, &t->base.parameters, &t->weights);
    sac_status status = sac_translating_open(&t->translating, sizes->languages, error);
    t->sizes.languages = t->translating.languages;
    if (status == SAC_OK)
        status = sac_parameters_create(&t->base.parameters, device, training, seed, error);
    if (status == SAC_OK) {
        sac_tensor *positions = &t->weights.encoder.positions;
        sac_stack_positions(&t->base.pass, &t->arena, SAC_TRANSFORMER_PLACES, (size_t)sizes->width,
                            positions);
        t->weights.decoder.positions = *positions;
        status = sac_pass_end(&t->base.pass, error);
    }
    if (status == SAC_OK)
        *transformer = t;
    else
        sac_transformer_destroy(t);
    return status;
}

void sac_transformer_destroy(sac_transformer *t)
{
    if (!t)
        return;
    sac_transformer_decoding_destroy(t->decoding);
    sac_transformer_training_destroy(t->training);
    sac_arena_release(&t->arena);
    sac_translating_close(&t->translating);
    sac_model_release(&t->base);
    free(t);
}

/* ---------------------------------------------------------------- options */

enum {
    LAYERS,
    HEADS,
    WIDTH,
    HIDDEN,
    NORM_FIRST,
    DROPOUT,
    SMOOTHING,
    ATTENTION,
    PAIRS,
    LANGUAGES,
    WORD_COUNT
};
static const sac_model_option options[] = {
    [LAYERS] = {.name = "layers",
                .value_name = "N",
                .help = "layers of the encoder and of the decoder, 1 to 6 (default 2)",
                .remedy = "give a whole number from 1 to 6",
                .initial = 2,
                .sizes = true},
    [HEADS] = {.name = "heads",
               .value_name = "N",
               .help = "heads of each attention, 1 to 16, a divisor of the width (default 4)",
               .remedy = "give a whole number from 1 to 16",
               .initial = 4,
               .sizes = true},
    [WIDTH] = {.name = "width",
               .value_name = "N",
               .help = "size of a word's vector (default 128)",
               .remedy = "give a whole number from 1 to 4096",
               .initial = 128,
               .sizes = true},
    [HIDDEN] = {.name = "hidden",
                .value_name = "N",
                .help = "size of the feed-forward layers (default 384)",
                .remedy = "give a whole number from 1 to 16384",
                .initial = 384,
                .sizes = true},
    [NORM_FIRST] = {.name = "norm-first",
                    .help = "layer norms before each sublayer, not after the sum",
                    .sizes = true},
    [DROPOUT] = {.name = "dropout",
                 .value_name = "P",
                 .help = "dropout probability of weights and of sublayer outputs (default 0; of "
                         "--pairs 0.2)",
                 .remedy = "give a share under 1"},
    [SMOOTHING] = {.name = "label-smoothing",
                   .value_name = "E",
                   .help = "label smoothing (default 0.1)",
                   .remedy = "give a share under 1",
                   .initial = 0.1f},
    [ATTENTION] = SAC_ATTENTION_OPTION(0),
    [PAIRS] = SAC_PAIRS_OPTION,
    [LANGUAGES] = SAC_LANGUAGES_OPTION,
    [WORD_COUNT] = SAC_WORD_COUNT_OPTION,
    {0},
};

static const sac_bundled bundled[] = {{"transformer", "translator/transformer.safetensors"}, {0}};

/* ---------------------------------------------------------------- making and keeping */

static sac_transformer *transformer_of(sac_model *model)
{
    return (sac_transformer *)model;
}

/* values: of a training; NULL: there is none. */
static sac_status make(sac_device *device, const sac_transformer_sizes *sizes,
                       const sac_model_values *values, uint32_t seed, sac_model **model,
                       sac_error *error)
{
    sac_transformer *transformer = NULL;
    sac_status status = sac_transformer_make(&sac_transformer_class, device, sizes, values != NULL,
                                             seed, &transformer, error);
    *model = transformer ? &transformer->base : NULL;
    if (transformer)
        transformer->base.attention_chosen = values && values->given[ATTENTION];
    return status;
}

static sac_status create(sac_device *device, const sac_model_values *values, uint32_t seed,
                         sac_model **model, sac_error *error)
{
    sac_transformer_sizes sizes;
    sac_pairs *pairs = NULL;
    *model = NULL;
    sac_status status = sac_transformer_default_sizes(&sizes, error);
    if (status == SAC_OK)
        status = sac_model_size_option(&sac_transformer_class, values, LAYERS, SAC_STACK_LAYERS,
                                       &sizes.layers, error);
    if (status == SAC_OK)
        status = sac_model_size_option(&sac_transformer_class, values, HEADS, SAC_STACK_HEADS,
                                       &sizes.heads, error);
    if (status == SAC_OK)
        status =
            sac_model_size_option(&sac_transformer_class, values, WIDTH, 4096, &sizes.width, error);
    if (status == SAC_OK)
        status = sac_model_size_option(&sac_transformer_class, values, HIDDEN, 16384, &sizes.hidden,
                                       error);
    if (status == SAC_OK && sizes.width % sizes.heads != 0)
        status = sac_fail(error, SAC_E_ARGUMENT, "--heads", "give a divisor of the width",
                          "%d do not divide a width of %d", sizes.heads, sizes.width);
    sizes.norm_first = values->value[NORM_FIRST] != 0;
    sizes.normalizer = (sac_normalizer)values->value[ATTENTION];
    if (status == SAC_OK)
        status = sac_own_pairs_open(&sac_transformer_class, values, seed, NULL, &pairs, error);
    if (status == SAC_OK && pairs) {
        sizes.languages = pairs->languages;
        sizes.source_words = sac_translation_word_count(sizes.languages, SAC_SOURCE_SIDE);
        sizes.target_words = sac_translation_word_count(sizes.languages, SAC_TARGET_SIDE);
    }
    if (status == SAC_OK)
        status = make(device, &sizes, values, seed, model, error);
    if (status == SAC_OK)
        transformer_of(*model)->translating.pairs = pairs;
    else if (pairs) {
        sac_pairs_free(pairs);
        free(pairs);
    }
    return status;
}

static sac_status create_like(sac_device *device, const sac_arrays *file, const char *path,
                              const sac_model_values *training, uint32_t seed, sac_model **model,
                              sac_error *error)
{
    sac_transformer_sizes sizes;
    *model = NULL;
    sac_status status = sac_transformer_read_sizes(file, path, &sizes, error);
    if (status == SAC_OK)
        sizes.normalizer = sac_model_choose_normalizer(training, ATTENTION, sizes.normalizer, path);
    if (status == SAC_OK)
        status = make(device, &sizes, training, seed, model, error);
    sac_language_pair_release(sizes.languages);
    return status;
}

static sac_status check(const sac_model *model, const sac_arrays *file, const char *path,
                        sac_error *error)
{
    sac_transformer_sizes sizes;
    const sac_transformer *own = (const sac_transformer *)model;
    sac_status status = sac_transformer_read_sizes(file, path, &sizes, error);
    if (status == SAC_OK)
        status = sac_description_take_normalizer(model, file, path, own->sizes.normalizer,
                                                 &sizes.normalizer, error);
    if (status == SAC_OK)
        status = sac_description_compare(model, sac_transformer_describe(&sizes), path, error);
    sac_language_pair_release(sizes.languages);
    return status;
}

static char *describe(const sac_model *model)
{
    return sac_transformer_describe(&((const sac_transformer *)model)->sizes);
}

static void describe_short(const sac_model *model, char *text, size_t size)
{
    const sac_normalizer normalizer = ((const sac_transformer *)model)->sizes.normalizer;
    sac_model_kind("transformer", normalizer, text, size);
}

static void destroy(sac_model *model)
{
    sac_transformer_destroy(transformer_of(model));
}

/* ---------------------------------------------------------------- learning */

static sac_translating *translation_words_of_model(sac_model *model)
{
    return &transformer_of(model)->translating;
}

static sac_schedule training_schedule(const sac_model *model)
{
    return sac_own_pairs_schedule(model, &sac_transformer_class.training);
}

static void set_default_options(const sac_model *model, sac_model_values *values)
{
    if (sac_translation_languages(model) && !values->given[DROPOUT])
        values->value[DROPOUT] = 0.2f;
}

static sac_status learn(sac_model *model, const void *batch, const sac_model_values *values,
                        sac_losses *losses, sac_error *error)
{
    sac_transformer_lesson lesson = {
        .smoothing = values->value[SMOOTHING], .dropout = values->value[DROPOUT], .shifts = true};
    if (lesson.smoothing >= 1 || lesson.dropout >= 1)
        return sac_fail(error, SAC_E_ARGUMENT,
                        lesson.dropout >= 1 ? "--dropout" : "--label-smoothing",
                        "give a share under 1", "is 1 or more");
    sac_status status =
        sac_transformer_learn(transformer_of(model), batch, &lesson, &losses->total, error);
    losses->part[0] = losses->total;
    return status;
}

static const char *token_text(const void *self, int token)
{
    return sac_translating_word(&((const sac_transformer *)self)->translating, SAC_TARGET_SIDE,
                                token);
}

static const sac_decoder decoder = {.name = "transformer",
                                    .start = sac_transformer_start,
                                    .token = token_text,
                                    .position = sac_transformer_position,
                                    .step = sac_transformer_step};

static sac_status open_translation_source(const sac_model_open_options *how, sac_source *source,
                                          sac_error *error)
{
    return sac_translation_open(&sac_transformer_class, how, source, error);
}

const sac_model_class sac_transformer_class = {
    .name = "transformer",
    .samples = "sentences",
    .sample = "sentence",
    .losses = {"words"},
    .options = options,
    .bundled = bundled,
    .mark = "\"norm_first\":",
    .training = {.steps = 8000, .batch = 64, .rate = 1.5e-3f, .warm_up = 250},
    .training_of = training_schedule,
    .create = create,
    .create_like = create_like,
    .check = check,
    .describe = describe,
    .describe_short = describe_short,
    .destroy = destroy,
    .defaults = set_default_options,
    .prepare = sac_translation_prepare,
    .figure = "BLEU",
    .judge = sac_translation_judge,
    .batches = sac_translation_batches,
    .learn = learn,
    .decoder = &decoder,
    .read = sac_transformer_read,
    .translating = translation_words_of_model,
    .attentions = sac_transformer_attentions,
    .watch = sac_translation_watch,
    .evaluate = sac_translation_evaluate_model,
    .open = open_translation_source,
};
