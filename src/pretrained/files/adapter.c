/* Adapters of low rank. */
#include "pretrained/files/adapter.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/json.h"
#include "base/cancel.h"
#include "base/error.h"
#include "images/folder.h"
#include "pretrained/files/config.h"
#include "saccade_arrays.h"

enum { NAME = 256, FOLDER = 4096, PATH = FOLDER + 64, MOST_RANK = 1 << 16 };

/* A pair of matrices A [rank,in], B [out,rank]. */
typedef struct pair {
    char module[NAME]; /* "model.layers.0.self_attn.q_proj" */
    const sac_array *a, *b;
    sac_array merged; /* owned; empty until it is requested */
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
static const sac_config_key keys[] = {
    USED("peft_type", NULL),
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
    {NULL, 0, NULL},
};

static bool join_path(const char *folder, const char *name, char path[PATH])
{
    return (size_t)snprintf(path, PATH, "%s/%s", folder, name) < PATH;
}

bool sac_is_adapter(const char *folder)
{
    char path[PATH];
    return join_path(folder, "adapter_config.json", path) && sac_is_regular(path);
}

bool sac_adapter_base(const char *folder, char *base, size_t size)
{
    char path[PATH];
    cJSON *json = NULL;
    bool found = false;
    if (join_path(folder, "adapter_config.json", path) &&
        sac_json_load_config(path, &json, NULL) == SAC_OK) {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(json, "base_model_name_or_path");
        found = cJSON_IsString(name) && name->valuestring[0] &&
                (size_t)snprintf(base, size, "%s", name->valuestring) < size;
    }
    cJSON_Delete(json);
    return found;
}

sac_status sac_adapter_fail_no_base(const char *folder, sac_error *error)
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
    join_path(a->folder, "adapter_config.json", path);
    sac_status status = sac_json_load_config(path, &json, error);
    if (status != SAC_OK)
        return status;
    sac_config c = sac_config_of(json, path, error);
    sac_config_drop_nulls(&c);
    sac_config_apply_keys(&c, keys);
    sac_config_choice(&c, "peft_type", kinds);
    a->alpha = (double)sac_config_number_or(&c, "lora_alpha", 8);
    a->by_root = sac_config_flag_or(&c, "use_rslora", false);
    a->transposed = sac_config_flag_or(&c, "fan_in_fan_out", false);
    status = sac_config_status(&c);
    cJSON_Delete(json);
    return status;
}

/* The part of a tensor's name that names its module, as "base_model.model.MODULE.lora_A.weight" does; false: it
 * is none of a pair. */
static bool read_module_name(const char *name, const char *which, char module[NAME])
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

/* By their last letters first, so that names with the same ending follow each other. */
static int compare_ends(const char *a, size_t a_size, const char *b, size_t b_size)
{
    while (a_size && b_size)
        if (a[--a_size] != b[--b_size])
            return (unsigned char)a[a_size] < (unsigned char)b[b_size] ? -1 : 1;
    return (a_size > 0) - (b_size > 0);
}

static int by_end(const void *a, const void *b)
{
    const char *x = ((const pair *)a)->module, *y = ((const pair *)b)->module;
    return compare_ends(x, strlen(x), y, strlen(y));
}

/* A pair for each module out of the halves, which follow each other once they are sorted. */
static void join_halves(sac_adapter *a)
{
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++) {
        pair *half = &a->pairs[i], *last = count ? &a->pairs[count - 1] : NULL;
        if (!last || strcmp(last->module, half->module) != 0) {
            a->pairs[count++] = *half;
            continue;
        }
        last->a = half->a ? half->a : last->a;
        last->b = half->b ? half->b : last->b;
    }
    a->count = count;
}

static sac_status collect_pairs(sac_adapter *a, sac_error *error)
{
    size_t count = sac_arrays_size(a->arrays);
    a->pairs = calloc(count + 1, sizeof *a->pairs);
    if (!a->pairs)
        return sac_no_memory(error, a->folder);
    for (size_t i = 0; i < count; i++) {
        const char *name = sac_arrays_name(a->arrays, i);
        const sac_array *array = sac_arrays_find(a->arrays, name);
        pair *half = &a->pairs[a->count++];
        bool is_a = read_module_name(name, ".lora_A", half->module);
        if (!is_a && !read_module_name(name, ".lora_B", half->module))
            return sac_fail(error, SAC_E_FORMAT, name, "merge the adapter with PEFT first",
                            "is no part of a linear layer's adapter");
        *(is_a ? &half->a : &half->b) = array;
        sac_status status = i % 1024 ? SAC_OK : sac_cancel_check("adapter", error);
        if (status != SAC_OK)
            return status;
    }
    qsort(a->pairs, a->count, sizeof *a->pairs, by_end);
    join_halves(a);
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
    join_path(folder, "adapter_model.safetensors", path);
    if (!sac_is_regular(path))
        join_path(folder, "adapter_model.bin", path);
    if (status == SAC_OK)
        status = sac_arrays_open_regular(path, &a->arrays, error);
    if (status == SAC_OK)
        status = sac_error_within(error, collect_pairs(a, error), path);
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

/* The first pair whose module is, or comes behind, `name` by its end. */
static size_t lower_bound_pair(const sac_adapter *a, const char *name, size_t size)
{
    size_t low = 0, high = a->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *module = a->pairs[middle].module;
        if (compare_ends(module, strlen(module), name, size) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether pair `at` is of that name, or, where it may be longer, of one that ends with a dot and that. */
static bool pair_has_name(const sac_adapter *a, size_t at, const char *name, size_t size,
                          bool longer)
{
    const char *module = at < a->count ? a->pairs[at].module : "";
    size_t length = strlen(module);
    return length >= size && memcmp(module + length - size, name, size) == 0 &&
           (length == size || (longer && module[length - size - 1] == '.'));
}

/* One of two names is the other, or ends with a dot and the other: files of a model without its head leave the
 * first part out. */
static pair *find_pair(const sac_adapter *a, const char *tensor)
{
    static const char ending[] = ".weight";
    char longer[NAME + 1];
    size_t length = strlen(tensor), tail = strlen(ending);
    if (length <= tail || strcmp(tensor + length - tail, ending) != 0)
        return NULL;
    length -= tail;
    for (size_t begin = 0; begin < length; begin++) { /* what the tensor ends with */
        if ((begin && tensor[begin - 1] != '.') || length - begin >= NAME)
            continue;
        size_t at = lower_bound_pair(a, tensor + begin, length - begin);
        if (pair_has_name(a, at, tensor + begin, length - begin, false))
            return &a->pairs[at];
    }
    if (length >= NAME)
        return NULL;
    int size = snprintf(longer, sizeof longer, ".%.*s", (int)length, tensor);
    size_t at = lower_bound_pair(a, longer, (size_t)size);
    return pair_has_name(a, at, tensor, length, true) ? &a->pairs[at] : NULL;
}

bool sac_adapter_owns(const sac_adapter *a, const sac_array *merged)
{
    uintptr_t at = (uintptr_t)merged, begin = (uintptr_t)a->pairs;
    return at >= begin && at < begin + a->count * sizeof *a->pairs;
}

bool sac_adapter_changes(const sac_adapter *a, const char *tensor)
{
    return find_pair(a, tensor) != NULL;
}

sac_status sac_adapter_check(const sac_adapter *a, bool (*has)(const void *, const char *),
                             const void *files, sac_error *error)
{
    static const char *const before[] = {"", "model.", "transformer.", "bert.", "roberta."};
    char tensor[2 * NAME];
    for (size_t i = 0; i < a->count; i++) {
        bool found = false;
        sac_status status = i % 1024 ? SAC_OK : sac_cancel_check("adapter", error);
        if (status != SAC_OK)
            return status;
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
    pair *p = find_pair(adapter, tensor);
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
