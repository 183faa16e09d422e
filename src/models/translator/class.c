/* The translator as a row of the table of models. */

#include "translator/translator.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "models/checkpoint.h"
#include "models/description.h"
#include "saccade_arrays.h"
#include "translation/class_functions.h"
#include "translation/own_pairs.h"
#include "translation/source.h"
#include "translator/decode.h"
#include "translator/learn.h"

/* ---------------------------------------------------------------- the model */

sac_status sac_translator_make(const sac_model_class *class, sac_device *device,
                               const sac_translator_shape *shape, bool training, uint32_t seed,
                               sac_translator **translator, sac_error *error)
{
    *translator = NULL;
    sac_translator *t = calloc(1, sizeof *t);
    if (!t)
        return sac_no_memory(error, "translator");
    t->base.class = class;
    t->base.device = device;
    t->shape = *shape;
    sac_pass_open(&t->base.pass, device);
    sac_translator_declare(shape, &t->base.parameters, &t->weights);
    sac_status status = sac_translating_open(&t->translating, shape->languages, error);
    t->shape.languages = t->translating.languages;
    if (status == SAC_OK)
        status = sac_parameters_create(&t->base.parameters, device, training, seed, error);
    if (status == SAC_OK)
        *translator = t;
    else
        sac_translator_destroy(t);
    return status;
}

void sac_translator_destroy(sac_translator *t)
{
    if (!t)
        return;
    sac_translator_decoding_destroy(t->decoding);
    sac_translator_training_destroy(t->training);
    sac_translating_close(&t->translating);
    sac_model_release(&t->base);
    free(t);
}

/* ---------------------------------------------------------------- options */

static const char *const scores[] = {"additive", "scaled-dot", "bilinear", NULL};
static const sac_score score_of[] = {SAC_SCORE_ADDITIVE, SAC_SCORE_SCALED_DOT, SAC_SCORE_BILINEAR};

enum { SCORE, NO_ATTENTION, ALIGNMENT_LOSS, ATTENTION, DROPOUT, PAIRS, LANGUAGES, WORD_COUNT };
static const sac_model_option options[] = {
    [SCORE] = {.name = "score",
               .value_name = "S",
               .help = "additive (default), scaled-dot or bilinear",
               .choices = scores,
               .sizes = true},
    [NO_ATTENTION] = {.name = "no-attention",
                      .help = "no attention: the decoder gets the last state of the encoder only",
                      .sizes = true},
    [ALIGNMENT_LOSS] = {.name = "alignment-loss",
                        .value_name = "X",
                        .help = "weight of the loss that makes words attend to the words they "
                                "translate; 0: none (default 0)",
                        .remedy = "give the weight of that loss; 0: none"},
    [ATTENTION] = SAC_ATTENTION_OPTION(0),
    [DROPOUT] = {.name = "dropout",
                 .value_name = "P",
                 .help = "dropout probability of embedded words, of what the encoder gives and of "
                         "the output layer (default 0; of --pairs 0.3)",
                 .remedy = "give a share under 1"},
    [PAIRS] = SAC_PAIRS_OPTION,
    [LANGUAGES] = SAC_LANGUAGES_OPTION,
    [WORD_COUNT] = SAC_WORD_COUNT_OPTION,
    {0},
};

static const sac_bundled bundled[] = {
    {"additive", "translator/additive.safetensors"},
    {"scaled-dot", "translator/scaled-dot.safetensors"},
    {"no-attention", "translator/plain.safetensors", .is_baseline = true},
    {0},
};

/* ---------------------------------------------------------------- making and keeping */

static sac_translator *translator_of(sac_model *model)
{
    return (sac_translator *)model;
}

static const sac_translator_shape *shape_of(const sac_model *model)
{
    return &((const sac_translator *)model)->shape;
}

static sac_status create(sac_device *device, const sac_model_values *values, uint32_t seed,
                         sac_model **model, sac_error *error)
{
    sac_translator *translator = NULL;
    sac_translator_shape shape;
    sac_pairs *pairs;
    *model = NULL;
    if (values->given[ATTENTION] && values->value[NO_ATTENTION] > 0)
        return sac_fail(error, SAC_E_ARGUMENT, "--attention", "leave out one of both",
                        "is of an attention, and --no-attention asks for none");
    sac_status status =
        sac_own_pairs_open(&sac_translator_class, values, seed, NULL, &pairs, error);
    if (status == SAC_OK)
        status = sac_translator_default_shape(score_of[(int)values->value[SCORE]],
                                              values->value[NO_ATTENTION] == 0, &shape, error);
    shape.normalizer = (sac_normalizer)values->value[ATTENTION];
    if (status == SAC_OK && pairs) {
        shape.languages = pairs->languages;
        shape.source_words = sac_translation_word_count(shape.languages, SAC_SOURCE_SIDE);
        shape.target_words = sac_translation_word_count(shape.languages, SAC_TARGET_SIDE);
    }
    if (status == SAC_OK)
        status = sac_translator_make(&sac_translator_class, device, &shape, true, seed, &translator,
                                     error);
    if (status == SAC_OK) {
        translator->translating.pairs = pairs;
        translator->base.attention_chosen = values->given[ATTENTION];
        *model = &translator->base;
    } else if (pairs) {
        sac_pairs_free(pairs);
        free(pairs);
    }
    return status;
}

static sac_status create_like(sac_device *device, const sac_arrays *file, const char *path,
                              const sac_model_values *training, uint32_t seed, sac_model **model,
                              sac_error *error)
{
    sac_translator *translator = NULL;
    sac_translator_shape shape;
    sac_status status = sac_translator_read_shape(file, path, &shape, error);
    bool chosen = training && training->given[ATTENTION];
    if (status == SAC_OK && chosen && !shape.attends)
        status = sac_fail(error, SAC_E_ARGUMENT, path, "leave out --attention",
                          "holds a model without attention");
    if (status == SAC_OK)
        shape.normalizer = sac_model_choose_normalizer(training, ATTENTION, shape.normalizer, path);
    if (status == SAC_OK)
        status = sac_translator_make(&sac_translator_class, device, &shape, training != NULL, seed,
                                     &translator, error);
    sac_language_pair_release(shape.languages);
    *model = translator ? &translator->base : NULL;
    if (translator)
        translator->base.attention_chosen = chosen;
    return status;
}

static sac_status check(const sac_model *model, const sac_arrays *file, const char *path,
                        sac_error *error)
{
    sac_translator_shape shape;
    sac_status status = sac_translator_read_shape(file, path, &shape, error);
    if (status == SAC_OK)
        status = sac_description_take_normalizer(model, file, path, shape_of(model)->normalizer,
                                                 &shape.normalizer, error);
    if (status == SAC_OK)
        status = sac_description_compare(model, sac_translator_describe(&shape), path, error);
    sac_language_pair_release(shape.languages);
    return status;
}

static char *describe(const sac_model *model)
{
    return sac_translator_describe(shape_of(model));
}

static void describe_short(const sac_model *model, char *text, size_t size)
{
    const sac_translator_shape *shape = shape_of(model);
    sac_model_kind(shape->attends ? sac_score_name(shape->score) : "no attention",
                   shape->normalizer, text, size);
}

static void destroy(sac_model *model)
{
    sac_translator_destroy(translator_of(model));
}

/* ---------------------------------------------------------------- learning */

static sac_translating *translation_words_of_model(sac_model *model)
{
    return &translator_of(model)->translating;
}

static sac_schedule training_schedule(const sac_model *model)
{
    return sac_own_pairs_schedule(model, &sac_translator_class.training);
}

static void set_default_options(const sac_model *model, sac_model_values *values)
{
    if (shape_of(model)->languages && !values->given[DROPOUT])
        values->value[DROPOUT] = 0.3f;
}

static sac_status prepare(sac_model *model, const sac_model_values *values, sac_error *error)
{
    if (values->value[DROPOUT] >= 1)
        return sac_fail(error, SAC_E_ARGUMENT, "--dropout", "give a share under 1", "is 1 or more");
    if (values->value[ALIGNMENT_LOSS] > 0 && shape_of(model)->languages)
        return sac_fail(error, SAC_E_ARGUMENT, "--alignment-loss", "leave it out",
                        "needs to know which words translate which, and pairs do not show it");
    return sac_translation_prepare(model, values, error);
}

/* The parts are the mean cross-entropy of a word, and the supervision by the right words. */
static sac_status learn(sac_model *model, const void *batch, const sac_model_values *values,
                        sac_losses *losses, sac_error *error)
{
    float alignment = values->value[ALIGNMENT_LOSS], all[2] = {0};
    bool asked = alignment > 0 && shape_of(model)->attends;
    sac_translator_lesson lesson = {.alignment = alignment, .dropout = values->value[DROPOUT]};
    sac_status status = sac_translator_learn(translator_of(model), batch, &lesson, all, error);
    losses->total = all[0] + all[1];
    losses->part[0] = all[0];
    losses->part[1] = asked ? all[1] / alignment : NAN;
    return status;
}

static const char *token_text(const void *self, int token)
{
    return sac_translating_word(&((const sac_translator *)self)->translating, SAC_TARGET_SIDE,
                                token);
}

static const sac_decoder decoder = {.name = "translator",
                                    .start = sac_translator_start,
                                    .token = token_text,
                                    .position = sac_translator_position,
                                    .step = sac_translator_decode_step};

static sac_status open_translation_source(const sac_model_open_options *how, sac_source *source,
                                          sac_error *error)
{
    return sac_translation_open(&sac_translator_class, how, source, error);
}

const sac_model_class sac_translator_class = {
    .name = "translator",
    .samples = "sentences",
    .sample = "sentence",
    .losses = {"words", "alignment"},
    .options = options,
    .bundled = bundled,
    .mark = "\"attends\":",
    .training = {.steps = 3000, .batch = 64, .rate = 2e-3f},
    .training_of = training_schedule,
    .create = create,
    .create_like = create_like,
    .check = check,
    .describe = describe,
    .describe_short = describe_short,
    .destroy = destroy,
    .defaults = set_default_options,
    .prepare = prepare,
    .figure = "BLEU",
    .judge = sac_translation_judge,
    .batches = sac_translation_batches,
    .learn = learn,
    .decoder = &decoder,
    .read = sac_translator_read,
    .translating = translation_words_of_model,
    .watch = sac_translation_watch,
    .evaluate = sac_translation_evaluate_model,
    .open = open_translation_source,
};
