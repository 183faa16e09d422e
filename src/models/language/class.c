/* The language model among the models: its options, and what the training loop, the checkpoints and the views ask of
 * it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/notice.h"
#include "language/language.h"
#include "language/text.h"
#include "models/checkpoint.h"

/* ---------------------------------------------------------------- options */

enum { TEXT, TOKENS, KIND, CONTEXT, LAYERS, HEADS, WIDTH, DROPOUT };
static const sac_model_option options[] = {
    [TEXT] = {.name = "text",
              .value_name = "FILE",
              .is_text = true,
              .of_set = true,
              .help =
                  "a text in UTF-8, a folder of such, or - for the standard input; may be given "
                  "several times (default: sentences that are made). Its last tenth is held "
                  "out"},
    [TOKENS] = {.name = "tokens",
                .value_name = "KIND",
                .is_text = true,
                .help = "what a text is cut into: characters (default), bytes, or bpe:N, N tokens "
                        "that byte-pair encoding makes of it, 257 to 4096 (bpe: 512)",
                .sizes = true},
    [KIND] = {.name = "kind",
              .value_name = "KIND",
              .help = "architecture: gpt2 (default), or llama (rotary positions, RMSNorm, SwiGLU)",
              .choices = sac_gpt_kinds,
              .sizes = true},
    [CONTEXT] = {.name = "context",
                 .value_name = "N",
                 .help = "tokens that it sees at most, 1 to 4096 (default 64)",
                 .remedy = "give a whole number from 1 to 4096",
                 .initial = 64,
                 .sizes = true},
    [LAYERS] = {.name = "layers",
                .value_name = "N",
                .help = "layers, 1 to 24 (default 4)",
                .remedy = "give a whole number from 1 to 24",
                .initial = 4,
                .sizes = true},
    [HEADS] = {.name = "heads",
               .value_name = "N",
               .help = "heads of each attention, 1 to 64, a divisor of the width (default 4)",
               .remedy = "give a whole number from 1 to 64",
               .initial = 4,
               .sizes = true},
    [WIDTH] = {.name = "width",
               .value_name = "N",
               .help = "size of a token's vector (default 128)",
               .remedy = "give a whole number from 1 to 4096",
               .initial = 128,
               .sizes = true},
    [DROPOUT] = {.name = "dropout",
                 .value_name = "P",
                 .help = "dropout probability of tokens, weights and what layers add (default 0)",
                 .remedy = "give a share under 1"},
    {0},
};

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
    int *tokens;
    size_t count;
    sac_status status =
        sac_tokens_encode(&l->tokens, text->text, text->size, &tokens, &count, error);
    if (status == SAC_OK && count / HELD_OUT < least)
        status =
            sac_fail(error, SAC_E_ARGUMENT, "--text", "give a longer one, or a shorter --context",
                     "has %zu tokens; with a tenth held out it takes %zu for a context of %d",
                     count, HELD_OUT * least, l->sizes.context);
    if (status != SAC_OK) {
        free(tokens);
        return status;
    }
    l->text = tokens;
    l->count = count;
    l->learnt = count - count / HELD_OUT;
    sac_notice("text: %zu tokens, of which %zu are held out; %zu different ones", count,
               count - l->learnt, l->tokens.count);
    return SAC_OK;
}

static sac_status prepare(sac_model *model, const sac_model_values *values, sac_error *error)
{
    sac_text text;
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
    sac_token_table_free(&l->tokens);
    free(l->text);
    sac_model_release(&l->base);
    free(l);
}

/* Takes the tokens over, also where it fails. */
static sac_status make(sac_device *device, const sac_gpt_sizes *sizes, sac_token_table *tokens,
                       bool training, uint32_t seed, sac_model **model, sac_error *error)
{
    sac_gpt *l = calloc(1, sizeof *l);
    if (!l) {
        sac_token_table_free(tokens);
        return sac_no_memory(error, "language");
    }
    l->base.class = &sac_language_class;
    l->base.device = device;
    l->sizes = *sizes;
    l->tokens = *tokens;
    sac_pass_open(&l->base.pass, device);
    sac_gpt_declare(sizes, tokens->count, &l->base.parameters, &l->weights);
    sac_status status = sac_parameters_create(&l->base.parameters, device, training, seed, error);
    if (status == SAC_OK) {
        sac_gpt_bind(sizes, &l->weights);
        *model = &l->base;
    } else {
        destroy(&l->base);
    }
    return status;
}

static sac_status create(sac_device *device, const sac_model_values *values, uint32_t seed,
                         sac_model **model, sac_error *error)
{
    const sac_model_class *class = &sac_language_class;
    sac_gpt_sizes sizes = {.kind = (sac_gpt_kind)values->value[KIND]};
    sac_token_table tokens = {0};
    sac_text text = {0};
    sac_token_kind kind = SAC_TOKENS_CHARACTERS;
    size_t most = 0;
    const char *named = values->text[0][TOKENS];
    *model = NULL;
    sac_status status =
        sac_model_size_option(class, values, LAYERS, SAC_GPT_LAYERS, &sizes.layers, error);
    if (status == SAC_OK)
        status = sac_model_size_option(class, values, HEADS, SAC_GPT_HEADS, &sizes.heads, error);
    if (status == SAC_OK)
        status = sac_model_size_option(class, values, WIDTH, SAC_GPT_WIDTH, &sizes.width, error);
    if (status == SAC_OK)
        status =
            sac_model_size_option(class, values, CONTEXT, SAC_GPT_CONTEXT, &sizes.context, error);
    if (status == SAC_OK && !sac_gpt_heads_fit(&sizes))
        status =
            sac_fail(error, SAC_E_ARGUMENT, "--heads",
                     sizes.kind == SAC_GPT_LLAMA
                         ? "give a divisor of the width that leaves each an even size up to 512"
                         : "give a divisor of the width",
                     "%d do not divide a width of %d", sizes.heads, sizes.width);
    if (status == SAC_OK && named && !sac_token_kind_read(named, &kind, &most))
        status = sac_fail(error, SAC_E_ARGUMENT, "--tokens",
                          "give characters, bytes, or bpe:N of 257 to 4096 tokens", "is \"%.40s\"",
                          named);
    if (status == SAC_OK)
        status = read_text(values, &text, error);
    if (status == SAC_OK)
        status = sac_token_table_learn(kind, most, text.text, text.size, &tokens, error);
    if (status == SAC_OK &&
        (tokens.count < 2 || text.size == strspn(text.text, (char[]){text.text[0], 0})))
        status = sac_fail(error, SAC_E_ARGUMENT, "--text", "give one of several characters",
                          "has one character alone, which leaves nothing to learn");
    if (status == SAC_OK && tokens.count > SAC_TOKENS_MOST)
        status = sac_fail(error, SAC_E_ARGUMENT, "--text", "give a text of fewer characters",
                          "has %zu different characters; %d are the most", tokens.count,
                          SAC_TOKENS_MOST);
    if (status == SAC_OK)
        status = make(device, &sizes, &tokens, true, seed, model, error);
    else
        sac_token_table_free(&tokens);
    if (status == SAC_OK && (status = take_text(gpt_of(*model), &text, error)) != SAC_OK) {
        destroy(*model);
        *model = NULL;
    }
    free(text.text);
    return status;
}

static sac_status create_like(sac_device *device, const sac_arrays *file, const char *path,
                              const sac_model_values *training, uint32_t seed, sac_model **model,
                              sac_error *error)
{
    sac_gpt_sizes sizes;
    sac_token_table tokens;
    *model = NULL;
    sac_status status = sac_gpt_read_sizes(file, path, &sizes, &tokens, error);
    return status == SAC_OK ? make(device, &sizes, &tokens, training != NULL, seed, model, error)
                            : status;
}

static sac_status check(const sac_model *model, const sac_arrays *file, const char *path,
                        sac_error *error)
{
    sac_gpt_sizes sizes;
    sac_token_table tokens;
    sac_status status = sac_gpt_read_sizes(file, path, &sizes, &tokens, error);
    if (status != SAC_OK)
        return status;
    status = sac_description_compare(model, sac_gpt_describe(&sizes, &tokens), path, error);
    sac_token_table_free(&tokens);
    return status;
}

static char *describe(const sac_model *model)
{
    const sac_gpt *l = (const sac_gpt *)model;
    return sac_gpt_describe(&l->sizes, &l->tokens);
}

static sac_status save_beside(const sac_model *model, const char *folder, sac_error *error)
{
    return sac_gpt_save_beside((const sac_gpt *)model, folder, error);
}

static void describe_short(const sac_model *model, char *text, size_t size)
{
    const sac_gpt *l = (const sac_gpt *)model;
    snprintf(text, size, "%s, %d layers of %d heads, %s", sac_gpt_kinds[l->sizes.kind],
             l->sizes.layers, l->sizes.heads, sac_token_kind_name(l->tokens.kind));
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
    .describe_short = describe_short,
    .destroy = destroy,
    .prepare = prepare,
    .batches = sac_gpt_batches,
    .learn = learn,
    .figure = "held-out loss",
    .figure_is_loss = true,
    .judge = judge,
    .watch = watch,
};
