/* Checked values out of JSON. */
#include "pretrained/files/config.h"

#include <cjson/cJSON.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "arrays/json.h"
#include "base/error.h"

sac_config sac_config_of(cJSON *json, const char *path, sac_error *error)
{
    return (sac_config){.json = json, .path = path, .error = error};
}

/* ---------------------------------------------------------------- tables of keys */

/* True where `value` is `known`, or one of a list of those. */
static bool is_among(const cJSON *value, const cJSON *known)
{
    const cJSON *one;
    if (cJSON_Compare(value, known, true))
        return true;
    cJSON_ArrayForEach(one, known) if (cJSON_Compare(value, one, true)) return true;
    return false;
}

static void check_only_value(sac_config *c, const sac_config_key *key, const cJSON *value,
                             const cJSON *known)
{
    if (is_among(value, known))
        return;
    char *text = cJSON_PrintUnformatted(value);
    sac_config_refuse(c, key->name, "%.80s is not supported; it must be %s", text ? text : "this",
                      key->value);
    cJSON_free(text);
}

/* Takes over `own`, the default. */
static void apply_default_value(sac_config *c, const sac_config_key *key, const cJSON *value,
                                cJSON *own)
{
    bool takes_default = !value || (cJSON_IsNull(value) && key->null == SAC_NULL_DEFAULT);
    if (value && cJSON_IsNull(value) && key->null == SAC_NULL_REFUSED)
        sac_config_refuse(c, key->name, "is null; leave the key out, and it is %.80s", key->value);
    if (!takes_default || c->status != SAC_OK) {
        cJSON_Delete(own);
        return;
    }
    cJSON_DeleteItemFromObjectCaseSensitive(c->json, key->name);
    if (!cJSON_AddItemToObject(c->json, key->name, own))
        cJSON_Delete(own);
}

static bool is_among_keys(const sac_config_key *first, const sac_config_key *end)
{
    for (; first < end; first++)
        if (strcmp(first->name, end->name) == 0)
            return true;
    return false;
}

/* What many files have that no class reads: of training, of the file itself, of generation (which is
 * read elsewhere where a model generates), and of heads that are not run. */
static bool is_relevant_key(const char *name)
{
    static const char harmless[] =
        " auto_map attn_implementation gradient_checkpointing output_past pretraining_tp "
        "task_specific_params finetuning_task tokenizer_class prefix use_bfloat16 "
        "use_flash_attn unsloth_version unsloth_fixed transformers.js_config "
        "sentence_transformers num_labels label_smoothing bos_token_id eos_token_id "
        "pad_token_id sep_token_id unk_token_id decoder_start_token_id is_decoder "
        "add_cross_attention cross_attention_hidden_size tie_encoder_decoder "
        "tie_word_embeddings tf_legacy_loss remove_invalid_values return_dict_in_generate "
        "output_scores max_length min_length max_new_tokens min_new_tokens do_sample "
        "early_stopping num_beams num_beam_groups diversity_penalty temperature top_k top_p "
        "typical_p repetition_penalty length_penalty no_repeat_ngram_size "
        "encoder_no_repeat_ngram_size bad_words_ids num_return_sequences forced_bos_token_id "
        "forced_eos_token_id suppress_tokens begin_suppress_tokens "
        "exponential_decay_length_penalty directionality n_ctx n_special "
        "predict_special_tokens pooler_fc_size pooler_num_attention_heads "
        "pooler_num_fc_layers pooler_size_per_head pooler_type xla_device projection_dim "
        "num_image_tokens guidance_scale "
        "sequence_bias watermarking_config stop_strings constraints force_words_ids "
        "dola_layers penalty_alpha token_healing encoder_repetition_penalty "
        "renormalize_logits max_time ";
    static const char *const training[] = {"dropout",   "pdrop",       "drop_path",
                                           "layerdrop", "initializer", "_loss",
                                           "loss_",     "summary_",    "_version"};
    char one[64];
    bool fits = (size_t)snprintf(one, sizeof one, " %s ", name) < sizeof one;
    if (fits && strstr(harmless, one))
        return false;
    for (size_t i = 0; i < sizeof training / sizeof *training; i++)
        if (strstr(name, training[i]))
            return false;
    return name[0] != '_';
}

static bool is_in_table(const char *name, const sac_config_key *key)
{
    while (key->name && strcmp(key->name, name) != 0)
        key++;
    return key->name != NULL;
}

static void collect_unknown(const sac_config *c, const sac_config_key *keys)
{
    const cJSON *one;
    sac_unknown_keys *u = c->unknown;
    if (u->count < sizeof u->tables / sizeof *u->tables)
        u->tables[u->count++] = keys;
    if (!u->names)
        u->names = cJSON_CreateObject();
    cJSON_ArrayForEach(one, c->json)
    {
        if (!cJSON_IsNull(one) && !is_in_table(one->string, keys) && is_relevant_key(one->string))
            cJSON_AddNullToObject(u->names, one->string);
    }
}

void sac_config_unknown_text(sac_unknown_keys *u, char *text, size_t size)
{
    static const char more[] = ", …";
    const cJSON *one;
    cJSON *named = cJSON_CreateObject(); /* no more than the text has room for */
    size_t used = 0;
    text[0] = '\0';
    cJSON_ArrayForEach(one, u->names)
    {
        bool is_known = cJSON_HasObjectItem(named, one->string);
        for (size_t i = 0; i < u->count; i++)
            is_known = is_known || is_in_table(one->string, u->tables[i]);
        if (is_known)
            continue;
        bool fits = used + 2 + strlen(one->string) + sizeof more <= size;
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                 fits ? one->string : "…");
        cJSON_AddNullToObject(named, one->string);
        if (!fits)
            break;
    }
    cJSON_Delete(named);
    cJSON_Delete(u->names);
    u->names = NULL;
}

void sac_config_apply_keys(sac_config *c, const sac_config_key *first)
{
    if (c->unknown && cJSON_IsObject(c->json))
        collect_unknown(c, first);
    for (const sac_config_key *keys = first; keys->name && c->status == SAC_OK && c->json; keys++) {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(c->json, keys->name);
        cJSON *own = NULL;
        if (!keys->value || (keys->use == SAC_KEY_ONLY && !value) || is_among_keys(first, keys))
            continue;
        c->status = sac_json_parse(keys->value, strlen(keys->value), &own, c->error);
        if (own && keys->use == SAC_KEY_USED)
            apply_default_value(c, keys, value, own);
        else if (own) {
            check_only_value(c, keys, value, own);
            cJSON_Delete(own);
        }
    }
}

void sac_config_drop_nulls(sac_config *c)
{
    cJSON *next;
    for (cJSON *one = c->json ? c->json->child : NULL; one; one = next) {
        next = one->next;
        if (cJSON_IsNull(one))
            cJSON_Delete(cJSON_DetachItemViaPointer(c->json, one));
    }
}

/* ---------------------------------------------------------------- values */

sac_config sac_config_inside(const sac_config *c, const char *name)
{
    sac_config inside = *c;
    inside.json = cJSON_GetObjectItemCaseSensitive(c->json, name);
    return inside;
}

sac_status sac_config_status(const sac_config *c)
{
    return sac_error_within(c->error, c->status, c->path);
}

void sac_config_refuse(sac_config *c, const char *name, const char *what_format, ...)
{
    char what[sizeof c->error->what];
    va_list arguments;
    if (c->status != SAC_OK)
        return;
    va_start(arguments, what_format);
    vsnprintf(what, sizeof what, what_format, arguments);
    va_end(arguments);
    c->status = sac_fail(c->error, SAC_E_FORMAT, name, NULL, "%s", what);
}

/* NULL where there is none, or null. */
static const cJSON *item(const sac_config *c, const char *name)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(c->json, name);
    return cJSON_IsNull(value) ? NULL : value;
}

bool sac_config_has(const sac_config *c, const char *name)
{
    return item(c, name) != NULL;
}

int sac_config_size(sac_config *c, const char *name, int low, int high)
{
    if (!sac_config_has(c, name))
        sac_config_refuse(c, name, "is missing");
    return sac_config_size_or(c, name, low, high, low);
}

static int whole_number_value(sac_config *c, const char *name, const cJSON *value, int low,
                              int high)
{
    double number = cJSON_IsNumber(value) ? value->valuedouble : NAN;
    if (number >= low && number <= high && number == floor(number))
        return (int)number;
    sac_config_refuse(c, name, "is not a whole number from %d to %d", low, high);
    return low;
}

int sac_config_size_or(sac_config *c, const char *name, int low, int high, int otherwise)
{
    const cJSON *value = item(c, name);
    return value ? whole_number_value(c, name, value, low, high) : otherwise;
}

int sac_config_sizes(sac_config *c, const char *name, int low, int high, int *sizes, int most)
{
    const cJSON *value = item(c, name), *one;
    int count = 0;
    if (value && !cJSON_IsArray(value)) {
        sizes[0] = whole_number_value(c, name, value, low, high);
        return 1;
    }
    cJSON_ArrayForEach(one, value)
    {
        if (count == most) {
            sac_config_refuse(c, name, "has more than %d numbers", most);
            break;
        }
        sizes[count++] = whole_number_value(c, name, one, low, high);
    }
    return count;
}

static float number_of(sac_config *c, const char *name, const cJSON *value)
{
    float number = cJSON_IsNumber(value) ? (float)value->valuedouble : NAN;
    if (isfinite(number))
        return number;
    sac_config_refuse(c, name, "is not a number");
    return 0;
}

float sac_config_number_or(sac_config *c, const char *name, float otherwise)
{
    const cJSON *value = item(c, name);
    return value ? number_of(c, name, value) : otherwise;
}

bool sac_config_flag_or(sac_config *c, const char *name, bool otherwise)
{
    const cJSON *value = item(c, name);
    if (value && !cJSON_IsBool(value))
        sac_config_refuse(c, name, "is neither true nor false");
    return value ? cJSON_IsTrue(value) : otherwise;
}

const char *sac_config_text(sac_config *c, const char *name)
{
    const cJSON *value = item(c, name);
    if (value && !cJSON_IsString(value))
        sac_config_refuse(c, name, "is not a text");
    return cJSON_IsString(value) ? value->valuestring : "";
}

void sac_config_numbers(sac_config *c, const char *name, float *numbers, int count)
{
    const cJSON *list = item(c, name);
    if (!list)
        return;
    if (cJSON_IsNumber(list)) {
        for (int i = 0; i < count && c->status == SAC_OK; i++)
            numbers[i] = number_of(c, name, list);
        return;
    }
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != count)
        sac_config_refuse(c, name, "is not a list of %d numbers", count);
    for (int i = 0; i < count && c->status == SAC_OK; i++)
        numbers[i] = number_of(c, name, cJSON_GetArrayItem(list, i));
}

int sac_config_choice(sac_config *c, const char *name, const char *const *choices)
{
    char all[400] = "";
    const char *text = sac_config_text(c, name);
    for (int i = 0; choices[i]; i++) {
        size_t used = strlen(all);
        if (strcmp(text, choices[i]) == 0)
            return i;
        if (choices[i][0]) /* "": where a file lacks it */
            snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "", choices[i]);
    }
    sac_config_refuse(c, name, "\"%.40s\" is not supported; there are %s", text, all);
    return 0;
}
