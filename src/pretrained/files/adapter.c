/* Adapters of low rank. */
#include "pretrained/files/adapter.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/json.h"
#include "base/error.h"
#include "images/folder.h"
#include "pretrained/files/config.h"

enum { NAME = 256, FOLDER = 4096, PATH = FOLDER + 64, MOST_RANK = 1 << 16 };

/* A pair of matrices A [rank,in], B [out,rank]. */
typedef struct pair {
    char module[NAME]; /* "model.layers.0.self_attn.q_proj" */
    const sac_array *a, *b;
    sac_array merged; /* owned; empty until it is asked for */
} pair;

struct sac_adapter {
    sac_arrays *arrays;
    char folder[FOLDER];
    double alpha;
    bool by_root;    /* the scale is alpha/√rank, else alpha/rank */
    bool transposed; /* matrices of the base lie as [in,out] */
    pair *pairs;     /* [count] */
    size_t count;
};

#define USED(name, value)                                                                          \
    {                                                                                              \
        name, SAC_KEY_USED, value                                                                  \
    }
#define ONLY(name, value)                                                                          \
    {                                                                                              \
        name, SAC_KEY_ONLY, value                                                                  \
    }
static const sac_config_key keys[] = {USED("peft_type", NULL),
                                      USED("base_model_name_or_path", NULL),
                                      USED("lora_alpha", "8"),
                                      USED("use_rslora", "false"),
                                      USED("fan_in_fan_out", "false"),
                                      ONLY("use_dora", "false"),
                                      ONLY("use_qalora", "false"),
                                      ONLY("lora_bias", "false"),
                                      ONLY("bias", "\"none\""),
                                      ONLY("alpha_pattern", "{}"),
                                      ONLY("modules_to_save", "null"),
                                      ONLY("layer_replication", "null"),
                                      ONLY("trainable_token_indices", "null"),
                                      ONLY("target_parameters", "null"),
                                      {NULL, 0, NULL}};

static bool path_of(const char *folder, const char *name, char path[PATH])
{
    return (size_t)snprintf(path, PATH, "%s/%s", folder, name) < PATH;
}

bool sac_is_adapter(const char *folder)
{
    char path[PATH];
    return path_of(folder, "adapter_config.json", path) && sac_is_regular(path);
}

bool sac_adapter_base(const char *folder, char *base, size_t size)
{
    char path[PATH];
    cJSON *json = NULL;
    bool found = false;
    if (path_of(folder, "adapter_config.json", path) &&
        sac_json_load_config(path, &json, NULL) == SAC_OK) {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(json, "base_model_name_or_path");
        found = cJSON_IsString(name) && name->valuestring[0] &&
                (size_t)snprintf(base, size, "%s", name->valuestring) < size;
    }
    cJSON_Delete(json);
    return found;
}

sac_status sac_adapter_lacks_base(const char *folder, sac_error *error)
{
    char base[NAME] = "?";
    sac_adapter_base(folder, base, sizeof base);
    return sac_fail(error, SAC_E_FILE, folder,
                    "put the base's folder beside it, or merge the two (peft: merge_and_unload)",
                    "is an adapter (LoRA) of \"%.200s\", which is not found", base);
}

static sac_status read_config(sac_adapter *a, sac_error *error)
{
    static const char *const kinds[] = {"LORA", NULL};
    char path[PATH];
    cJSON *json = NULL;
    path_of(a->folder, "adapter_config.json", path);
    sac_status status = sac_json_load_config(path, &json, error);
    if (status != SAC_OK)
        return status;
    sac_config c = sac_config_of(json, path, error);
    sac_config_follow(&c, keys);
    sac_config_choice(&c, "peft_type", kinds);
    a->alpha = (double)sac_config_number_or(&c, "lora_alpha", 8);
    a->by_root = sac_config_flag_or(&c, "use_rslora", false);
    a->transposed = sac_config_flag_or(&c, "fan_in_fan_out", false);
    status = sac_config_end(&c);
    cJSON_Delete(json);
    return status;
}

/* The part of a tensor's name that says whose it is, as "base_model.model.MODULE.lora_A.weight" does; false: it
 * is none of a pair. */
static bool module_of(const char *name, const char *which, char module[NAME])
{
    static const char start[] = "base_model.model.";
    const char *end = strstr(name, which);
    const char *rest = end ? end + strlen(which) : "";
    if (!end || (strcmp(rest, ".weight") != 0 && strcmp(rest, ".default.weight") != 0))
        return false;
    if (strncmp(name, start, strlen(start)) == 0)
        name += strlen(start);
    return end > name && (size_t)snprintf(module, NAME, "%.*s", (int)(end - name), name) < NAME;
}

static pair *find_pair(sac_adapter *a, const char *module)
{
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->pairs[i].module, module) == 0)
            return &a->pairs[i];
    snprintf(a->pairs[a->count].module, NAME, "%s", module);
    return &a->pairs[a->count++];
}

static sac_status sort_pairs(sac_adapter *a, sac_error *error)
{
    char module[NAME];
    size_t count = sac_arrays_size(a->arrays);
    a->pairs = calloc(count + 1, sizeof *a->pairs);
    if (!a->pairs)
        return sac_no_memory(error, a->folder);
    for (size_t i = 0; i < count; i++) {
        const char *name = sac_arrays_name(a->arrays, i);
        const sac_array *array = sac_arrays_find(a->arrays, name);
        bool is_a = module_of(name, ".lora_A", module);
        if (!is_a && !module_of(name, ".lora_B", module))
            return sac_fail(error, SAC_E_FORMAT, name, "merge the adapter with PEFT first",
                            "is no part of a linear layer's adapter");
        pair *p = find_pair(a, module);
        *(is_a ? &p->a : &p->b) = array;
    }
    for (size_t i = 0; i < a->count; i++) {
        const pair *p = &a->pairs[i];
        if (!p->a || !p->b || p->a->rank != 2 || p->b->rank != 2 ||
            p->a->shape[0] != p->b->shape[1] || p->a->shape[0] < 1 || p->a->shape[0] > MOST_RANK)
            return sac_fail(error, SAC_E_SHAPE, p->module, "give the whole adapter",
                            "lora_A and lora_B are no pair of matrices of one rank");
    }
    return SAC_OK;
}

sac_status sac_adapter_open(const char *folder, sac_adapter **adapter, sac_error *error)
{
    char path[PATH];
    sac_adapter *a = calloc(1, sizeof *a);
    *adapter = NULL;
    if (!a)
        return sac_no_memory(error, folder);
    snprintf(a->folder, sizeof a->folder, "%s", folder);
    sac_status status = read_config(a, error);
    path_of(folder, "adapter_model.safetensors", path);
    if (!sac_is_regular(path))
        path_of(folder, "adapter_model.bin", path);
    if (status == SAC_OK)
        status = sac_arrays_open_regular(path, &a->arrays, error);
    if (status == SAC_OK)
        status = sac_error_within(error, sort_pairs(a, error), path);
    if (status == SAC_OK)
        *adapter = a;
    else
        sac_adapter_close(a);
    return status;
}

void sac_adapter_close(sac_adapter *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->count; i++)
        sac_array_free(&a->pairs[i].merged);
    free(a->pairs);
    sac_arrays_close(a->arrays);
    free(a);
}

/* One of two names is the other, or ends with a dot and the other: files of a model without its head leave the
 * first part out. */
static bool is_end(const char *name, size_t length, const char *end, size_t end_length)
{
    return length >= end_length && memcmp(name + length - end_length, end, end_length) == 0 &&
           (length == end_length || name[length - end_length - 1] == '.');
}

static pair *pair_of(const sac_adapter *a, const char *tensor)
{
    static const char ending[] = ".weight";
    size_t length = strlen(tensor), tail = strlen(ending);
    if (length <= tail || strcmp(tensor + length - tail, ending) != 0)
        return NULL;
    length -= tail;
    for (size_t i = 0; i < a->count; i++) {
        const char *module = a->pairs[i].module;
        size_t size = strlen(module);
        if (is_end(module, size, tensor, length) || is_end(tensor, length, module, size))
            return &a->pairs[i];
    }
    return NULL;
}

bool sac_adapter_owns(const sac_adapter *a, const sac_array *merged)
{
    for (size_t i = 0; i < a->count; i++)
        if (merged == &a->pairs[i].merged)
            return true;
    return false;
}

bool sac_adapter_changes(const sac_adapter *a, const char *tensor)
{
    return pair_of(a, tensor) != NULL;
}

sac_status sac_adapter_check(const sac_adapter *a, bool (*has)(const void *, const char *),
                             const void *files, sac_error *error)
{
    static const char *const before[] = {"", "model.", "transformer.", "bert.", "roberta."};
    char tensor[2 * NAME];
    for (size_t i = 0; i < a->count; i++) {
        bool found = false;
        for (size_t k = 0; k < sizeof before / sizeof *before && !found; k++) {
            snprintf(tensor, sizeof tensor, "%s%s.weight", before[k], a->pairs[i].module);
            found = has(files, tensor);
        }
        for (const char *part = strchr(a->pairs[i].module, '.'); part && !found;
             part = strchr(part + 1, '.')) {
            snprintf(tensor, sizeof tensor, "%s.weight", part + 1);
            found = has(files, tensor);
        }
        if (!found)
            return sac_fail(error, SAC_E_FORMAT, a->folder, "take the base that it was trained on",
                            "\"%.100s\" is no part of the base", a->pairs[i].module);
    }
    return SAC_OK;
}

/* to [out,in] += scale · B A, or where it is `transposed` [in,out]. */
static void add_product(const float *b, const float *a, size_t out, size_t rank, size_t in,
                        float scale, bool transposed, float *to)
{
    for (size_t o = 0; o < out; o++)
        for (size_t r = 0; r < rank; r++) {
            float factor = scale * b[o * rank + r];
            for (size_t i = 0; i < in; i++)
                to[transposed ? i * out + o : o * in + i] += factor * a[r * in + i];
        }
}

sac_status sac_adapter_merge(sac_adapter *adapter, const char *tensor, const sac_array *base,
                             const sac_array **merged, sac_error *error)
{
    pair *p = pair_of(adapter, tensor);
    size_t rank = p->a->shape[0], in = p->a->shape[1], out = p->b->shape[0];
    bool turns = adapter->transposed;
    *merged = &p->merged;
    if (p->merged.data)
        return SAC_OK;
    if (base->rank != 2 || base->shape[turns] != out || base->shape[!turns] != in)
        return sac_fail(error, SAC_E_SHAPE, adapter->folder, "take the base that it was trained on",
                        "\"%.100s\" is for a matrix of %zu × %zu", p->module, out, in);
    sac_array both[2] = {{0}, {0}}, sum = {0};
    const sac_array *const from[2] = {p->a, p->b};
    sac_status status = sac_array_create(SAC_F32, 2, base->shape, &sum, error);
    if (status == SAC_OK)
        status = sac_array_to_f32(base, sum.data, error);
    for (int i = 0; i < 2 && status == SAC_OK; i++) {
        status = sac_array_create(SAC_F32, 2, from[i]->shape, &both[i], error);
        if (status == SAC_OK)
            status = sac_array_to_f32(from[i], both[i].data, error);
    }
    if (status == SAC_OK) {
        double by = adapter->by_root ? sqrt((double)rank) : (double)rank;
        add_product(both[1].data, both[0].data, out, rank, in, (float)(adapter->alpha / by), turns,
                    sum.data);
        p->merged = sum;
    } else {
        sac_array_free(&sum);
    }
    sac_array_free(&both[0]);
    sac_array_free(&both[1]);
    return status;
}
