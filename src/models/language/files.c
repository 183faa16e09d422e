/* The files of a folder other than the weights, and the model's description in their file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/output.h"
#include "language/language.h"

/* ---------------------------------------------------------------- for other programs */

/* Deletes `json`; NULL: there was no memory for it. */
static sac_status write_json(const char *folder, const char *name, cJSON *json, sac_error *error)
{
    char path[1024];
    char *text = json ? cJSON_Print(json) : NULL;
    sac_output output = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    sac_status status =
        text ? sac_output_open(&output, path, error) : sac_no_memory(error, "tokens");
    if (status == SAC_OK) {
        fprintf(output.file, "%s\n", text);
        status = sac_output_commit(&output, error);
    }
    sac_output_discard(&output);
    free(text);
    cJSON_Delete(json);
    return status;
}

static cJSON *make_config(const sac_gpt *l)
{
    const double words = (double)l->tokens.count, hidden = (double)sac_gpt_hidden(&l->sizes);
    const struct {
        const char *name[2]; /* by sac_gpt_kind; NULL: it has none */
        double value;
    } numbers[] = {{{"vocab_size", "vocab_size"}, words},
                   {{"n_positions", "max_position_embeddings"}, l->sizes.context},
                   {{"n_embd", "hidden_size"}, l->sizes.width},
                   {{"n_layer", "num_hidden_layers"}, l->sizes.layers},
                   {{"n_head", "num_attention_heads"}, l->sizes.heads},
                   {{"n_inner", "intermediate_size"}, hidden},
                   {{"layer_norm_epsilon", "rms_norm_eps"}, 1e-5},
                   {{NULL, "num_key_value_heads"}, l->sizes.heads},
                   {{NULL, "rope_theta"}, SAC_GPT_ROTARY_BASE}};
    static const char *const classes[] = {"GPT2LMHeadModel", "LlamaForCausalLM"},
                             *const activations[][2] = {{"activation_function", "gelu_new"},
                                                        {"hidden_act", "silu"}},
                             *const none[] = {"bos_token_id", "eos_token_id"};
    const sac_gpt_kind kind = l->sizes.kind;
    cJSON *json = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(json, "architectures");
    bool whole = cJSON_AddItemToArray(list, cJSON_CreateString(classes[kind])) &&
                 cJSON_AddStringToObject(json, "model_type", sac_gpt_kinds[kind]) &&
                 cJSON_AddStringToObject(json, activations[kind][0], activations[kind][1]) &&
                 cJSON_AddTrueToObject(json, "tie_word_embeddings") &&
                 cJSON_AddStringToObject(json, "torch_dtype", "float32");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        whole = whole && (!numbers[i].name[kind] ||
                          cJSON_AddNumberToObject(json, numbers[i].name[kind], numbers[i].value));
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        whole = whole && cJSON_AddNullToObject(json, none[i]);
    if (whole)
        return json;
    cJSON_Delete(json);
    return NULL;
}

static cJSON *make_tokenizer_config(const sac_gpt *l)
{
    cJSON *json = cJSON_CreateObject();
    if (cJSON_AddStringToObject(json, "tokenizer_class", "PreTrainedTokenizerFast") &&
        cJSON_AddFalseToObject(json, "clean_up_tokenization_spaces") &&
        cJSON_AddNumberToObject(json, "model_max_length", l->sizes.context))
        return json;
    cJSON_Delete(json);
    return NULL;
}

sac_status sac_gpt_save_beside(const sac_gpt *l, const char *folder, sac_error *error)
{
    sac_status status = write_json(folder, "config.json", make_config(l), error);
    if (status == SAC_OK)
        status = write_json(folder, "tokenizer.json", sac_token_table_json(&l->tokens), error);
    if (status == SAC_OK)
        status = write_json(folder, "tokenizer_config.json", make_tokenizer_config(l), error);
    return status;
}

/* ---------------------------------------------------------------- the description */

enum { FORMAT = 1 /* of the description */ };

char *sac_gpt_describe(const sac_gpt_sizes *sizes, const sac_token_table *tokens)
{
    cJSON *model = cJSON_CreateObject();
    bool whole = cJSON_AddNumberToObject(model, "format", FORMAT) &&
                 cJSON_AddStringToObject(model, "kind", sac_gpt_kinds[sizes->kind]) &&
                 cJSON_AddNumberToObject(model, "depth", sizes->layers) &&
                 cJSON_AddNumberToObject(model, "heads", sizes->heads) &&
                 cJSON_AddNumberToObject(model, "width", sizes->width) &&
                 cJSON_AddNumberToObject(model, "context", sizes->context) &&
                 sac_token_table_describe(tokens, model);
    return sac_description_print_and_free(model, whole);
}

sac_status sac_gpt_read_sizes(const sac_arrays *file, const char *path, sac_gpt_sizes *sizes,
                              sac_token_table *tokens, sac_error *error)
{
    sac_description d = sac_description_open(file, "language", error);
    sac_description_size(&d, "format", FORMAT, FORMAT);
    *sizes = (sac_gpt_sizes){.layers = sac_description_size(&d, "depth", 1, SAC_GPT_LAYERS),
                             .heads = sac_description_size(&d, "heads", 1, SAC_GPT_HEADS),
                             .width = sac_description_size(&d, "width", 1, SAC_GPT_WIDTH),
                             .context = sac_description_size(&d, "context", 1, SAC_GPT_CONTEXT)};
    const char *kind = sac_description_text_or(&d, "kind", sac_gpt_kinds[SAC_GPT_2]);
    sizes->kind = strcmp(kind, sac_gpt_kinds[SAC_GPT_LLAMA]) == 0 ? SAC_GPT_LLAMA : SAC_GPT_2;
    if (strcmp(kind, sac_gpt_kinds[sizes->kind]) != 0)
        sac_description_refuse(&d, "is of another kind: \"%.40s\"", kind);
    if (d.status == SAC_OK && !sac_gpt_heads_fit(sizes))
        sac_description_refuse(&d, "%d heads do not divide a width of %d", sizes->heads,
                               sizes->width);
    sac_token_table_read(&d, tokens);
    if (d.status == SAC_OK) {
        /* The limits on the sizes keep these sums far below what a size_t holds. */
        sac_parameters parameters = {0};
        sac_gpt_weights *weights = calloc(1, sizeof *weights);
        if (weights)
            sac_gpt_declare(sizes, tokens->count, &parameters, weights);
        if (weights)
            sac_description_check_number_count(&d, &parameters);
        else
            d.status = sac_no_memory(error, "language");
        sac_parameters_destroy(&parameters);
        free(weights);
    }
    sac_status status = sac_description_close(&d, path);
    if (status != SAC_OK)
        sac_token_table_free(tokens);
    return status;
}
