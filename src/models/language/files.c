/* The files of a folder other than the weights, and the model's description in their file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/json.h"
#include "base/error.h"
#include "base/output.h"
#include "language/language.h"
#include "models/description.h"

const char *const sac_gpt_file_names[] = {"config.json",
                                          "tokenizer.json",
                                          "tokenizer_config.json",
                                          "special_tokens_map.json",
                                          "added_tokens.json",
                                          "generation_config.json",
                                          NULL};

/* ---------------------------------------------------------------- made for other programs */

static cJSON *make_config(const sac_gpt_sizes *sizes)
{
    const struct {
        const char *name[2]; /* by sac_gpt_kind; NULL: it has none */
        double value;
    } numbers[] = {{{"vocab_size", "vocab_size"}, sizes->words},
                   {{"n_positions", "max_position_embeddings"}, sizes->places},
                   {{"n_embd", "hidden_size"}, sizes->width},
                   {{"n_layer", "num_hidden_layers"}, sizes->layers},
                   {{"n_head", "num_attention_heads"}, sizes->heads},
                   {{"n_inner", "intermediate_size"}, sizes->hidden},
                   {{"layer_norm_epsilon", "rms_norm_eps"}, 1e-5},
                   {{NULL, "num_key_value_heads"}, sizes->key_heads},
                   {{NULL, "rope_theta"}, (double)sizes->rotary_base}};
    static const char *const classes[] = {"GPT2LMHeadModel", "LlamaForCausalLM"},
                             *const activations[][2] = {{"activation_function", "gelu_new"},
                                                        {"hidden_act", "silu"}},
                             *const none[] = {"bos_token_id", "eos_token_id"};
    const sac_gpt_kind kind = sizes->kind;
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

static bool add_tokenizer_config(cJSON *json, const sac_gpt_sizes *sizes)
{
    return cJSON_AddStringToObject(json, "tokenizer_class", "PreTrainedTokenizerFast") &&
           cJSON_AddFalseToObject(json, "clean_up_tokenization_spaces") &&
           cJSON_AddNumberToObject(json, "model_max_length", sizes->places);
}

cJSON *sac_gpt_make_files(const sac_gpt_sizes *sizes, cJSON *tokenizer)
{
    cJSON *files = cJSON_CreateObject(), *config = make_config(sizes);
    bool whole = cJSON_AddItemToObject(files, "config.json", config);
    if (!whole)
        cJSON_Delete(config);
    if (!cJSON_AddItemToObject(files, "tokenizer.json", tokenizer)) {
        cJSON_Delete(tokenizer);
        whole = false;
    }
    if (whole &&
        add_tokenizer_config(cJSON_AddObjectToObject(files, "tokenizer_config.json"), sizes))
        return files;
    cJSON_Delete(files);
    return NULL;
}

/* adapter_config.json; NULL: out of memory. */
static cJSON *make_adapter_config(const sac_gpt *l)
{
    const bool is_llama = l->sizes.kind == SAC_GPT_LLAMA;
    const int rank = l->adapter->rank;
    cJSON *json = cJSON_CreateObject(), *modules = cJSON_AddArrayToObject(json, "target_modules");
    bool whole =
        cJSON_AddStringToObject(json, "peft_type", "LORA") &&
        cJSON_AddStringToObject(json, "task_type", "CAUSAL_LM") &&
        cJSON_AddStringToObject(json, "base_model_name_or_path", l->from) &&
        cJSON_AddNumberToObject(json, "r", rank) &&
        cJSON_AddNumberToObject(json, "lora_alpha", SAC_GPT_ADAPTER_SCALE * rank) &&
        cJSON_AddNumberToObject(json, "lora_dropout", 0) &&
        cJSON_AddStringToObject(json, "bias", "none") &&
        cJSON_AddBoolToObject(json, "fan_in_fan_out", !is_llama) &&
        cJSON_AddTrueToObject(json, "inference_mode") &&
        cJSON_AddItemToArray(modules, cJSON_CreateString(is_llama ? "q_proj" : "c_attn")) &&
        (!is_llama || cJSON_AddItemToArray(modules, cJSON_CreateString("v_proj"))) &&
        cJSON_AddNullToObject(json, "modules_to_save");
    if (whole)
        return json;
    cJSON_Delete(json);
    return NULL;
}

/* ---------------------------------------------------------------- a folder */

static sac_status write_json(const char *folder, const char *name, const cJSON *json,
                             sac_error *error)
{
    char path[1024];
    char *text = json ? cJSON_Print(json) : NULL;
    sac_output output = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    sac_status status =
        text ? sac_output_open(&output, path, error) : sac_no_memory(error, "language");
    if (status == SAC_OK) {
        fprintf(output.file, "%s\n", text);
        status = sac_output_commit(&output, error);
    }
    sac_output_discard(&output);
    free(text);
    return status;
}

/* config.json names the numbers that the weights beside it are stored as, and no longer where they came from. */
static sac_status write_config(const sac_gpt *l, const char *folder, const cJSON *config,
                               sac_error *error)
{
    const char *dtype = l->base.parameters.halves ? "float16" : "float32";
    cJSON *own = cJSON_Duplicate(config, true), *text = cJSON_CreateString(dtype);
    const char *const name =
        cJSON_GetObjectItemCaseSensitive(own, "dtype") ? "dtype" : "torch_dtype";
    cJSON_DeleteItemFromObjectCaseSensitive(own, "_name_or_path");
    const bool replaced = cJSON_GetObjectItemCaseSensitive(own, name)
                              ? cJSON_ReplaceItemInObjectCaseSensitive(own, name, text)
                              : cJSON_AddItemToObject(own, name, text);
    if (!replaced)
        cJSON_Delete(text);
    sac_status status =
        replaced ? write_json(folder, "config.json", own, error) : sac_no_memory(error, "language");
    cJSON_Delete(own);
    return status;
}

sac_status sac_gpt_save_beside(const sac_gpt *l, const char *folder, sac_error *error)
{
    sac_status status = SAC_OK;
    cJSON *adapter = l->adapter ? make_adapter_config(l) : NULL;
    if (l->adapter) {
        status = write_json(folder, "adapter_config.json", adapter, error);
        cJSON_Delete(adapter);
        return status;
    }
    for (int i = 0; sac_gpt_file_names[i] && status == SAC_OK; i++) {
        const cJSON *file = cJSON_GetObjectItemCaseSensitive(l->files, sac_gpt_file_names[i]);
        if (file)
            status = i == 0 ? write_config(l, folder, file, error)
                            : write_json(folder, sac_gpt_file_names[i], file, error);
    }
    return status;
}

/* ---------------------------------------------------------------- the description */

enum { FORMAT = 2 /* of the description */ };

/* The files are a text of their own in it, so that no word of a vocabulary is taken for a part of the description. */
char *sac_gpt_describe(const sac_gpt *l)
{
    cJSON *model = cJSON_CreateObject();
    char *files = l->adapter ? NULL : cJSON_PrintUnformatted(l->files);
    bool whole = cJSON_AddNumberToObject(model, "format", FORMAT) &&
                 cJSON_AddNumberToObject(model, "context", l->sizes.context);
    if (l->adapter)
        whole = whole && cJSON_AddNumberToObject(model, "rank", l->adapter->rank) &&
                cJSON_AddStringToObject(model, "from", l->from);
    else
        whole = whole && files && cJSON_AddStringToObject(model, "files", files);
    free(files);
    return sac_description_print_and_free(model, whole);
}

void sac_gpt_description_free(sac_gpt_description *d)
{
    cJSON_Delete(d->files);
    free(d->from);
    *d = (sac_gpt_description){0};
}

/* The files, of which config.json has the sizes. */
static void read_files(sac_description *d, const char *path, sac_gpt_description *own)
{
    const int context = own->sizes.context;
    const char *text = sac_description_text_or(d, "files", "");
    if (d->status == SAC_OK && sac_json_parse(text, strlen(text), &own->files, NULL) != SAC_OK)
        sac_description_refuse(d, "has no files in JSON");
    if (d->status != SAC_OK)
        return;
    const cJSON *files = own->files,
                *config = cJSON_GetObjectItemCaseSensitive(files, "config.json");
    if (!cJSON_IsObject(config) ||
        !cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(files, "tokenizer.json"))) {
        sac_description_refuse(d, "has no config.json and tokenizer.json");
        return;
    }
    d->status = sac_gpt_read_config(config, "config.json", &own->sizes, d->error);
    own->sizes.context = context;
    if (d->status == SAC_OK && context > own->sizes.places)
        sac_description_refuse(d, "has a context of %d, of %d places", context, own->sizes.places);
    if (d->status != SAC_OK)
        return;
    /* The limits on the sizes keep these sums far below what a size_t holds. */
    sac_parameters parameters = {0};
    sac_gpt_weights *weights = calloc(1, sizeof *weights);
    if (weights)
        sac_gpt_declare(&own->sizes, NULL, &parameters, weights);
    if (weights)
        sac_description_check_number_count(d, &parameters);
    else
        d->status = sac_no_memory(d->error, path);
    sac_parameters_destroy(&parameters);
    free(weights);
}

sac_status sac_gpt_read_description(const sac_arrays *file, const char *path,
                                    sac_gpt_description *own, sac_error *error)
{
    sac_description d = sac_description_open(file, "language", error);
    *own = (sac_gpt_description){0};
    sac_description_size(&d, "format", FORMAT, FORMAT);
    own->sizes.context = sac_description_size(&d, "context", 1, SAC_GPT_CONTEXT);
    const char *from = sac_description_text_or(&d, "from", "");
    if (d.status == SAC_OK && from[0]) {
        own->rank = sac_description_size(&d, "rank", 1, SAC_GPT_WIDTH);
        own->from = strdup(from);
        d.status = own->from ? d.status : sac_no_memory(error, path);
    } else if (d.status == SAC_OK) {
        read_files(&d, path, own);
    }
    return sac_description_close(&d, path);
}
