/* The language model among the models: its options, and what the training loop, the checkpoints and the views ask of
 * it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/notice.h"
#include "base/text/utf8.h"
#include "language/language.h"
#include "language/text.h"
#include "language/tokens.h"
#include "models/checkpoint.h"
#include "models/description.h"
#include "pretrained/files/adapter.h"

/* ---------------------------------------------------------------- options */

enum { TEXT, FROM, LORA, TOKENS, KIND, CONTEXT, LAYERS, HEADS, WIDTH, DROPOUT, DTYPE };
/* In which trainings an option counts. */
enum { ANEW = 1 << 0, OF_FOLDER = 1 << 1, BOTH = ANEW | OF_FOLDER };
static const char *const trainings[] = {"a training of new weights",
                                        "a training that begins as a folder (--from)", NULL};
#define AS_THE_FOLDER "leave it out: the folder has it"
enum { USUAL_CONTEXT_OF_FOLDER = 256 };

static const char *const dtypes[] = {"float32", "float16", NULL};
static const sac_model_option options[] = {
    [TEXT] = {.name = "text",
              .value_name = "FILE",
              .is_text = true,
              .of_set = true,
              .help =
                  "a text in UTF-8, a folder of such, or - for the standard input; may be given "
                  "several times (default: sentences that are made). Its last tenth is held "
                  "out",
              .of = BOTH},
    [FROM] = {.name = "from",
              .value_name = "FOLDER",
              .is_text = true,
              .help = "begin as the model of this folder, of GPT-2's or LLaMA's architecture, with "
                      "its own tokenizer; with --steps 0 it is written again",
              .sizes = true,
              .of = OF_FOLDER},
    [LORA] = {.name = "lora",
              .value_name = "R",
              .help =
                  "train an adapter of this rank (LoRA) beside the folder's weights, which stay "
                  "as they are, 1 to 256",
              .remedy = "give a whole number from 1 to 256",
              .sizes = true,
              .of = OF_FOLDER,
              .otherwise = "give the model that it is for as --from FOLDER"},
    [TOKENS] = {.name = "tokens",
                .value_name = "KIND",
                .is_text = true,
                .help = "what a text is cut into: characters (default), bytes, or bpe:N, N tokens "
                        "that byte-pair encoding makes of it, 257 to 4096 (bpe: 512)",
                .sizes = true,
                .of = ANEW,
                .otherwise = AS_THE_FOLDER},
    [KIND] = {.name = "kind",
              .value_name = "KIND",
              .help = "architecture: gpt2 (default), or llama (rotary positions, RMSNorm, SwiGLU)",
              .choices = sac_gpt_kinds,
              .sizes = true,
              .of = ANEW,
              .otherwise = AS_THE_FOLDER},
    [CONTEXT] = {.name = "context",
                 .value_name = "N",
                 .help = "tokens that it sees at most, 1 to 4096 (default 64; of a folder's model "
                         "256, or its own if that is less)",
                 .remedy = "give a whole number from 1 to 4096",
                 .initial = 64,
                 .sizes = true,
                 .of = BOTH},
    [LAYERS] = {.name = "layers",
                .value_name = "N",
                .help = "layers, 1 to 48 (default 4)",
                .remedy = "give a whole number from 1 to 48",
                .initial = 4,
                .sizes = true,
                .of = ANEW,
                .otherwise = AS_THE_FOLDER},
    [HEADS] = {.name = "heads",
               .value_name = "N",
               .help = "heads of each attention, 1 to 64, a divisor of the width (default 4)",
               .remedy = "give a whole number from 1 to 64",
               .initial = 4,
               .sizes = true,
               .of = ANEW,
               .otherwise = AS_THE_FOLDER},
    [WIDTH] = {.name = "width",
               .value_name = "N",
               .help = "size of a token's vector (default 128)",
               .remedy = "give a whole number from 1 to 4096",
               .initial = 128,
               .sizes = true,
               .of = ANEW,
               .otherwise = AS_THE_FOLDER},
    [DROPOUT] = {.name = "dropout",
                 .value_name = "P",
                 .help = "dropout probability of tokens, weights and what layers add (default 0)",
                 .remedy = "give a share under 1",
                 .of = BOTH},
    [DTYPE] = {.name = "dtype",
               .value_name = "T",
               .help = "numbers that the weights are saved as: float32 (default), or float16, "
                       "half as long",
               .choices = dtypes,
               .of = BOTH},
    {0},
};

static int training_kind(const sac_model *model, const sac_model_values *values, bool measures)
{
    (void)measures;
    return values->text[0][FROM] || (model && ((const sac_gpt *)model)->adapter);
}

static sac_gpt *gpt_of(sac_model *model)
{
    return (sac_gpt *)model;
}

/* ---------------------------------------------------------------- the text */

/* Of --text, or the sentences that are made. */
static sac_status read_text(const sac_model_values *values, sac_text *text, sac_error *error)
{
    const char *paths[SAC_MODEL_SETS];
    int count = 0;
    for (int i = 0; i < SAC_MODEL_SETS; i++)
        if (values->text[i][TEXT])
            paths[count++] = values->text[i][TEXT];
    return sac_text_read(paths, count, text, error);
}

/* Takes its tokens; a tenth is held out, in which there is a context and what follows it, too. */
static sac_status take_text(sac_gpt *l, const sac_text *text, sac_error *error)
{
    enum { HELD_OUT = 10 };
    const size_t least = (size_t)l->sizes.context + 1;
    sac_tokens tokens = {0};
    sac_status status = sac_gpt_encode(l, text->text, &tokens, error);
    if (status == SAC_OK && tokens.count / HELD_OUT < least)
        status =
            sac_fail(error, SAC_E_ARGUMENT, "--text", "give a longer one, or a shorter --context",
                     "has %zu tokens; with a tenth held out it takes %zu for a context of %d",
                     tokens.count, HELD_OUT * least, l->sizes.context);
    if (status != SAC_OK) {
        sac_tokens_free(&tokens);
        return status;
    }
    l->text = tokens.ids;
    l->count = tokens.count;
    l->learnt = tokens.count - tokens.count / HELD_OUT;
    sac_notice("text: %zu tokens, of which %zu are held out; %d different ones are known", l->count,
               l->count - l->learnt, l->sizes.words);
    return SAC_OK;
}

static sac_status prepare(sac_model *model, const sac_model_values *values, sac_error *error)
{
    sac_text text;
    model->parameters.halves = values->value[DTYPE] > 0;
    if (gpt_of(model)->text)
        return SAC_OK;
    sac_status status = read_text(values, &text, error);
    if (status != SAC_OK)
        return status;
    status = take_text(gpt_of(model), &text, error);
    free(text.text);
    return status;
}

/* ---------------------------------------------------------------- making and keeping */

static void destroy(sac_model *model)
{
    sac_gpt *l = gpt_of(model);
    sac_gpt_training_destroy(l->training);
    sac_gpt_writing_destroy(l->writing);
    sac_gpt_probing_destroy(l->probing);
    sac_tokenizer_destroy(l->tokenizer);
    cJSON_Delete(l->files);
    sac_parameters_destroy(&l->frozen);
    sac_pretrained_close(l->frozen_files);
    free(l->adapter);
    free(l->from);
    free(l->text);
    sac_model_release(&l->base);
    free(l);
}

/* A model that has no sizes yet. */
static sac_gpt *begin(sac_device *device)
{
    sac_gpt *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->base.class = &sac_language_class;
    l->base.device = device;
    sac_pass_open(&l->base.pass, device);
    return l;
}

/* *model = l, or after a failure NULL, and l is destroyed; returns the status. */
static sac_status end(sac_gpt *l, sac_status status, sac_model **model)
{
    *model = status == SAC_OK ? &l->base : NULL;
    if (l && status != SAC_OK)
        destroy(&l->base);
    return status;
}

/* Gives a model its parameters, whose sizes, files and tokenizer are there. `weights`: what it begins as; NULL: new
 * ones. `rank` 0: without an adapter. */
static sac_status complete(sac_gpt *l, const sac_pretrained *weights, int rank, bool training,
                           uint32_t seed, sac_error *error)
{
    sac_parameters *p = &l->base.parameters;
    sac_status status = SAC_OK;
    if (rank)
        status = sac_gpt_declare_adapter(l, rank, error);
    else
        sac_gpt_declare(&l->sizes, NULL, p, &l->weights);
    if (status == SAC_OK && training)
        status = sac_gpt_check_memory(l, 0, error);
    if (status == SAC_OK)
        status = sac_parameters_create(p, l->base.device, training, seed, error);
    if (status == SAC_OK && weights)
        status = sac_gpt_load_folder(l, weights, error);
    if (status == SAC_OK)
        sac_gpt_bind(&l->sizes, &l->weights);
    if (status == SAC_OK && rank)
        sac_gpt_bind_adapter(l);
    return status;
}

/* A model that begins as a folder. */
static sac_status complete_as_folder(sac_gpt *l, const char *folder, int context, int rank,
                                     bool training, uint32_t seed, sac_error *error)
{
    sac_pretrained *weights = NULL;
    sac_status status = sac_gpt_open_folder(folder, l, &weights, error);
    if (status == SAC_OK && context > l->sizes.places)
        status = sac_fail(error, SAC_E_ARGUMENT, "--context", "give a shorter one",
                          "is %d, and the model has %d places", context, l->sizes.places);
    if (status == SAC_OK && rank && sac_pretrained_adapter_folder(weights))
        status = sac_fail(error, SAC_E_ARGUMENT, "--lora", "give the adapter's base as --from",
                          "does not go beside an adapter, which %.200s is", folder);
    if (status == SAC_OK && !(l->from = realpath(folder, NULL)))
        l->from = strdup(folder); /* the name of a model that is kept */
    if (status == SAC_OK && !l->from)
        status = sac_no_memory(error, "language");
    if (context)
        l->sizes.context = context;
    if (status == SAC_OK)
        status = complete(l, weights, rank, training, seed, error);
    if (rank)
        l->frozen_files = weights; /* whose memory the frozen weights may be */
    else
        sac_pretrained_close(weights);
    return status;
}

static bool has_one_character(const sac_text *text)
{
    uint32_t code;
    const size_t first = sac_utf8_at(text->text, text->size, &code);
    return memcmp(text->text, text->text + first, text->size - first) == 0;
}

/* New tokens and sizes, by the options. */
static sac_status begin_anew(sac_gpt *l, const sac_model_values *values, const sac_text *text,
                             sac_error *error)
{
    const sac_model_class *class = &sac_language_class;
    sac_gpt_sizes *s = &l->sizes;
    sac_token_kind kind = SAC_TOKENS_CHARACTERS;
    size_t most = 0, words = 0;
    cJSON *tokenizer = NULL;
    const char *named = values->text[0][TOKENS];
    sac_status status =
        sac_model_size_option(class, values, LAYERS, SAC_GPT_LAYERS, &s->layers, error);
    *s = (sac_gpt_sizes){.kind = (sac_gpt_kind)values->value[KIND],
                         .layers = s->layers,
                         .context = s->context,
                         .epsilon = 1e-5f,
                         .rotary_base = 10000};
    if (status == SAC_OK)
        status = sac_model_size_option(class, values, HEADS, SAC_GPT_HEADS, &s->heads, error);
    if (status == SAC_OK)
        status = sac_model_size_option(class, values, WIDTH, SAC_GPT_WIDTH, &s->width, error);
    if (status == SAC_OK)
        status = sac_model_size_option(class, values, CONTEXT, SAC_GPT_CONTEXT, &s->context, error);
    if (status == SAC_OK && !sac_gpt_heads_fit(s))
        status =
            sac_fail(error, SAC_E_ARGUMENT, "--heads",
                     s->kind == SAC_GPT_LLAMA
                         ? "give a divisor of the width that leaves each an even size up to 512"
                         : "give a divisor of the width",
                     "%d do not divide a width of %d", s->heads, s->width);
    if (status == SAC_OK && named && !sac_token_kind_read(named, &kind, &most))
        status = sac_fail(error, SAC_E_ARGUMENT, "--tokens",
                          "give characters, bytes, or bpe:N of 257 to 4096 tokens", "is \"%.40s\"",
                          named);
    if (status == SAC_OK && has_one_character(text))
        status = sac_fail(error, SAC_E_ARGUMENT, "--text", "give one of several characters",
                          "has one character alone, which leaves nothing to learn");
    if (status == SAC_OK)
        status = sac_tokens_learn(kind, most, text->text, text->size, &tokenizer, &words, error);
    s->key_heads = s->heads;
    s->hidden = sac_gpt_usual_hidden(s);
    s->places = s->context;
    s->words = (int)words;
    if (status == SAC_OK && !(l->files = sac_gpt_make_files(s, tokenizer)))
        status = sac_no_memory(error, "language");
    return status == SAC_OK ? sac_tokenizer_open_files(l->files, &l->tokenizer, error) : status;
}

static sac_status create(sac_device *device, const sac_model_values *values, uint32_t seed,
                         sac_model **model, sac_error *error)
{
    const sac_model_class *class = &sac_language_class;
    const char *from = values->text[0][FROM];
    sac_text text = {0};
    sac_gpt *l = begin(device);
    int context = 0, rank = 0;
    sac_status status = l ? SAC_OK : sac_no_memory(error, "language");
    if (status == SAC_OK && from && values->given[LORA])
        status = sac_model_size_option(class, values, LORA, 256, &rank, error);
    if (status == SAC_OK && from && values->given[CONTEXT])
        status = sac_model_size_option(class, values, CONTEXT, SAC_GPT_CONTEXT, &context, error);
    if (status == SAC_OK)
        status = read_text(values, &text, error);
    if (status == SAC_OK && from) {
        status = complete_as_folder(l, from, context, rank, true, seed, error);
    } else if (status == SAC_OK) {
        status = begin_anew(l, values, &text, error);
        if (status == SAC_OK)
            status = complete(l, NULL, 0, true, seed, error);
    }
    if (status == SAC_OK && from && !context && l->sizes.context > USUAL_CONTEXT_OF_FOLDER)
        l->sizes.context = USUAL_CONTEXT_OF_FOLDER;
    if (status == SAC_OK)
        status = take_text(l, &text, error);
    free(text.text);
    return end(l, status, model);
}

static sac_status create_like(sac_device *device, const sac_arrays *file, const char *path,
                              const sac_model_values *training, uint32_t seed, sac_model **model,
                              sac_error *error)
{
    sac_gpt_description d = {0};
    sac_gpt *l = begin(device);
    sac_status status = l ? SAC_OK : sac_no_memory(error, path);
    if (status == SAC_OK && training && !sac_arrays_metadata(file, "model"))
        status = sac_fail(error, SAC_E_FORMAT, path, "give its folder as --from",
                          "has weights that another program wrote");
    if (status == SAC_OK)
        status = sac_gpt_read_description(file, path, &d, error);
    if (status == SAC_OK && d.from) {
        status = complete_as_folder(l, d.from, d.sizes.context, d.rank, training, seed, error);
    } else if (status == SAC_OK) {
        l->sizes = d.sizes;
        l->files = d.files;
        d.files = NULL;
        status =
            sac_error_within(error, sac_tokenizer_open_files(l->files, &l->tokenizer, error), path);
        if (status == SAC_OK)
            status = complete(l, NULL, 0, training, seed, error);
    }
    sac_gpt_description_free(&d);
    return end(l, status, model);
}

/* A folder of any program, to be used as it is; one that sees very many tokens gets contexts that memory is given for. */
static sac_status open_folder(sac_device *device, const char *folder, sac_model **model,
                              sac_error *error)
{
    enum { MOST = 1024 };
    sac_gpt *l = begin(device);
    sac_status status =
        l ? complete_as_folder(l, folder, 0, 0, false, 0, error) : sac_no_memory(error, folder);
    if (status == SAC_OK && l->sizes.context > MOST)
        l->sizes.context = MOST;
    return end(l, status, model);
}

static sac_status check(const sac_model *model, const sac_arrays *file, const char *path,
                        sac_error *error)
{
    const char *description = sac_arrays_metadata(file, "model");
    return sac_description_compare(model, strdup(description ? description : ""), path, error);
}

static char *describe(const sac_model *model)
{
    return sac_gpt_describe((const sac_gpt *)model);
}

static const char *name_weights(const sac_model *model)
{
    return ((const sac_gpt *)model)->adapter ? SAC_ADAPTER_FILE : SAC_WEIGHTS_FILE;
}

static sac_status save_beside(const sac_model *model, const char *folder, sac_error *error)
{
    return sac_gpt_save_beside((const sac_gpt *)model, folder, error);
}

static void describe_short(const sac_model *model, char *text, size_t size)
{
    const sac_gpt *l = (const sac_gpt *)model;
    char adapter[40] = "";
    if (l->adapter)
        snprintf(adapter, sizeof adapter, ", adapter of rank %d", l->adapter->rank);
    snprintf(text, size, "%s, %d layers of %d heads, %d tokens%s", sac_gpt_kinds[l->sizes.kind],
             l->sizes.layers, l->sizes.heads, l->sizes.words, adapter);
}

/* ---------------------------------------------------------------- learning */

static sac_status learn(sac_model *model, const void *batch, const sac_model_values *values,
                        sac_losses *losses, sac_error *error)
{
    const float dropout = values->value[DROPOUT];
    if (dropout >= 1)
        return sac_fail(error, SAC_E_ARGUMENT, "--dropout", options[DROPOUT].remedy,
                        "is 1 or more");
    sac_status status = sac_gpt_learn(gpt_of(model), batch, dropout, &losses->total, error);
    losses->part[0] = losses->total;
    return status;
}

static sac_status judge(sac_model *model, const sac_model_values *values, double *loss,
                        sac_error *error)
{
    (void)values;
    return sac_gpt_judge(gpt_of(model), loss, error);
}

/* ---------------------------------------------------------------- what it writes while it trains */

/* How it goes on where the text that it learns from ends. */
static sac_status write_sample(void *self, sac_model *model, char *text, size_t size,
                               sac_error *error)
{
    enum { WRITTEN = 400 }; /* tokens */
    const sac_gpt *l = gpt_of(model);
    const sac_draw how = {.temperature = 0.8f, .seed = 1};
    (void)self;
    return sac_gpt_write(gpt_of(model), l->text, l->learnt, WRITTEN, &how, text, size, error);
}

static sac_status attend(void *self, sac_model *model, sac_attention_kind *attention,
                         sac_error *error)
{
    (void)self;
    return sac_gpt_attend(gpt_of(model), attention, error);
}

static sac_status watch(const sac_model *model, sac_watched *watched, sac_error *error)
{
    (void)model, (void)error;
    *watched = (sac_watched){.write = write_sample, .attend = attend};
    return SAC_OK;
}

const sac_model_class sac_language_class = {
    .name = "language",
    .samples = "contexts",
    .sample = "context",
    .losses = {"tokens"},
    .options = options,
    .trainings = trainings,
    .training_kind = training_kind,
    .mark = "\"context\":",
    .training = {.steps = 2000,
                 .batch = 12,
                 .rate = 1e-3f,
                 .warm_up = 100,
                 .decay = 0.1f,
                 .judge_every = 250,
                 .patience = 8},
    .create = create,
    .create_like = create_like,
    .check = check,
    .describe = describe,
    .save_beside = save_beside,
    .name_weights = name_weights,
    .open_folder = open_folder,
    .describe_short = describe_short,
    .destroy = destroy,
    .prepare = prepare,
    .batches = sac_gpt_batches,
    .learn = learn,
    .figure = "held-out loss",
    .figure_is_loss = true,
    .judge = judge,
    .watch = watch,
    .evaluate = sac_gpt_evaluate,
};
