/* The files of a pretrained model. */
#include "pretrained/files/pretrained.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/json.h"
#include "base/cancel.h"
#include "base/error.h"
#include "images/folder.h"
#include "pretrained/files/adapter.h"
#include "pretrained/files/original.h"
#include "pretrained/files/places.h"
#include "pretrained/files/quantised.h"
#include "saccade_arrays.h"

/* ---------------------------------------------------------------- other names of tensors */

typedef struct renaming {
    const char *in_file, *in_memory;
} renaming;

/* Of a layer's parts, those of the attention first. */
static const renaming parts[] = {
    {".attention.attention.query.", ".attention.q_proj."},
    {".attention.attention.key.", ".attention.k_proj."},
    {".attention.attention.value.", ".attention.v_proj."},
    {".attention.output.dense.", ".attention.o_proj."},
    {".intermediate.dense.", ".mlp.fc1."},
    {".output.dense.", ".mlp.fc2."},
};
enum { ATTENTION = 4, PARTS = sizeof parts / sizeof *parts };

/* True where the name matches and the result fits. */
static bool rename_one(const char *name, const renaming *r, char *other, size_t size)
{
    const char *at = strstr(name, r->in_file);
    if (!at)
        return false;
    return (size_t)snprintf(other, size, "%.*s%s%s", (int)(at - name), name, r->in_memory,
                            at + strlen(r->in_file)) < size;
}

static bool rename_part(const char *name, int count, char *other, size_t size)
{
    for (int i = 0; i < count; i++)
        if (strstr(name, parts[i].in_file))
            return rename_one(name, &parts[i], other, size);
    return false;
}

/* As torch.nn.MultiheadAttention has them, in CLIP's original files. */
static const renaming packed[] = {{".attn.in_proj.weight", ".attn.in_proj_weight"},
                                  {".attn.in_proj.bias", ".attn.in_proj_bias"}};

/* DINOv2 has other names in its attention alone, ViT and DeiT of all in a layer, and of it. */
/* Other names of a tensor: transformers 5 has other names in memory than in the files of
 * save_pretrained for the layers of ViT, DeiT and DINOv2, and torch.save(model.state_dict()) writes
 * those. Writes way number `way` (from 0) into `other`; false: there are no more. */
static bool tensor_other_name(const char *name, int way, char *other, size_t size)
{
    static const renaming layer = {"encoder.layer.", "layers."};
    char within[256];
    for (int i = 0; i < 2 && way == 0; i++)
        if (strstr(name, packed[i].in_file))
            return rename_one(name, &packed[i], other, size);
    if (way == 0)
        return rename_part(name, ATTENTION, other, size) || rename_one(name, &layer, other, size);
    if (way > 1 || !rename_part(name, PARTS, within, sizeof within))
        return false;
    return rename_one(within, &layer, other, size);
}

/* ---------------------------------------------------------------- pretrained */

enum { SHARDS = 512, PATH = SAC_PLACE_SIZE };

/* In which file a tensor is, by an index; both are lent. */
typedef struct indexed {
    const char *tensor;
    int shard;
} indexed;

struct sac_pretrained {
    char folder[PATH], config_path[PATH + 16];
    char adapter_folder[PATH]; /* empty: none changes it */
    char prefix[64];           /* of all names in the file … */
    bool is_wrapped;           /* … which a wrapper put there */
    cJSON *config;
    char *shard_names[SHARDS];
    sac_arrays *shards[SHARDS];
    bool *used[SHARDS]; /* [its arrays]: which were requested */
    int shard_count;
    const char *index_name; /* NULL: one file has all */
    cJSON *index;
    indexed *tensors; /* [tensor_count], by name */
    size_t tensor_count;
    sac_quantised *quantised; /* matrices that are unpacked; NULL: there are none */
    sac_adapter *adapter;     /* that changes the tensors; NULL: none does */
    sac_gguf_folder *gguf;    /* in place of all files: config is its own; NULL: it is a folder */
    char note[400];           /* of a GGUF's file that sees; "": none */
};

/* The files of weights that a folder may have, the first of which is taken. Those of PyTorch hold
 * the same under the same names; of old folders they are all there is. */
static const struct {
    const char *whole, *index;
} weight_files[] = {
    {"model.safetensors", "model.safetensors.index.json"},
    {"pytorch_model.bin", "pytorch_model.bin.index.json"},
};
enum { WEIGHT_FILES = sizeof weight_files / sizeof *weight_files };

static bool has_file(const char *folder, const char *name, char *path, size_t size)
{
    return (size_t)snprintf(path, size, "%s/%s", folder, name) < size && sac_is_regular(path);
}

bool sac_is_pretrained(const char *path)
{
    char place[SAC_PLACE_SIZE];
    return sac_pretrained_place(path, place);
}

/* ---------------------------------------------------------------- weights */

static int find_shard(const sac_pretrained *p, const char *name)
{
    int i = 0;
    while (i < p->shard_count && strcmp(p->shard_names[i], name) != 0)
        i++;
    return i;
}

static sac_status open_shard(sac_pretrained *p, const char *name, sac_error *error)
{
    char path[PATH + 300];
    if (find_shard(p, name) < p->shard_count)
        return SAC_OK;
    if (p->shard_count == SHARDS)
        return sac_fail(error, SAC_E_FORMAT, p->folder, NULL, "has over %d files of weights",
                        SHARDS);
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    char *copy = strdup(name);
    if (!copy)
        return sac_no_memory(error, path);
    sac_status status = sac_arrays_open_regular(path, &p->shards[p->shard_count], error);
    if (status != SAC_OK) {
        free(copy);
        return status;
    }
    const size_t count = sac_arrays_size(p->shards[p->shard_count]);
    bool *used = p->used[p->shard_count] = calloc(count + 1, sizeof *used);
    p->shard_names[p->shard_count++] = copy;
    return used ? SAC_OK : sac_no_memory(error, path);
}

/* An index names files of weights in its own folder, and nothing else: sources/origin.c hashes what ends
 * so. */
static bool is_plain_name(const char *name)
{
    const char *ending = strrchr(name, '.');
    return name[0] && name[0] != '.' && !strpbrk(name, "/\\") && strlen(name) < 256 && ending &&
           (strcmp(ending, ".safetensors") == 0 || strcmp(ending, ".bin") == 0);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const indexed *)a)->tensor, ((const indexed *)b)->tensor);
}

/* Notes which file has which tensor: two may hold one of the same name, such as an old copy, and
 * the index selects one. */
static sac_status sort_index(sac_pretrained *p, const cJSON *map, sac_error *error)
{
    const cJSON *file;
    p->tensors = calloc((size_t)cJSON_GetArraySize(map) + 1, sizeof *p->tensors);
    if (!p->tensors)
        return sac_no_memory(error, p->folder);
    cJSON_ArrayForEach(file, map)
    {
        p->tensors[p->tensor_count++] = (indexed){file->string, find_shard(p, file->valuestring)};
    }
    qsort(p->tensors, p->tensor_count, sizeof *p->tensors, by_name);
    return SAC_OK;
}

static sac_status open_index(sac_pretrained *p, const char *name, const char *path,
                             sac_error *error)
{
    p->index_name = name;
    size_t number = 0;
    sac_status status = sac_json_load(path, &p->index, error);
    const cJSON *file, *map = cJSON_GetObjectItemCaseSensitive(p->index, "weight_map");
    if (status == SAC_OK && !cJSON_IsObject(map))
        status = sac_fail(error, SAC_E_FORMAT, path, NULL, "has no weight_map");
    cJSON_ArrayForEach(file, map)
    {
        if (status == SAC_OK && ++number % 4096 == 0)
            status = sac_cancel_check("index", error);
        if (status != SAC_OK)
            break;
        if (cJSON_IsString(file) && is_plain_name(file->valuestring))
            status = open_shard(p, file->valuestring, error);
        else
            status = sac_fail(error, SAC_E_FORMAT, path, NULL,
                              "the tensor \"%.60s\" is in no .safetensors or .bin of this folder",
                              file->string);
    }
    return status == SAC_OK ? sort_index(p, map, error) : status;
}

/* How many names begin with that, of all. */
static size_t count_names(const sac_pretrained *p, const char *first, const char *second,
                          size_t *all)
{
    char whole[160];
    size_t count = 0, length = (size_t)snprintf(whole, sizeof whole, "%s%s", first, second);
    *all = 0;
    for (int i = 0; i < p->shard_count; i++)
        for (size_t k = 0; k < sac_arrays_size(p->shards[i]); k++, ++*all)
            count += strncmp(sac_arrays_name(p->shards[i], k), whole, length) == 0;
    return count;
}

/* "model." is what many models put there themselves: it is a wrapper's where another follows, or
 * what stands behind it is not theirs. */
static bool model_prefix_is_wrapper(const sac_pretrained *p, const char *prefix)
{
    static const char *const twice[] = {"model.", "lm_head.", "logit_scale"};
    static const char *const own[] = {"layers.",       "encoder.layers.", "decoder.layers.",
                                      "embed_tokens.", "language_model.", "vision_tower.",
                                      "text_model.",   "vision_model.",   "visual.",
                                      "backbone.",     "vision.proj_mlp."};
    size_t all;
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++)
        if (count_names(p, prefix, twice[i], &all))
            return true;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (count_names(p, prefix, own[i], &all))
            return false;
    return true;
}

/* What torch.compile, DistributedDataParallel, FSDP and Lightning's usual modules put before all
 * names, however they are nested, becomes p->prefix. */
static void find_wrapper_prefix(sac_pretrained *p)
{
    static const char *const wrappers[] = {"_orig_mod.", "module.",     "_fsdp_wrapped_module.",
                                           "net.",       "base_model.", "model."};
    const size_t count = sizeof wrappers / sizeof *wrappers;
    char longer[sizeof p->prefix];
    for (size_t i = 0, all; i < count; i++) {
        int length = snprintf(longer, sizeof longer, "%s%s", p->prefix, wrappers[i]);
        bool fits = length > 0 && (size_t)length < sizeof longer;
        if (!fits || count_names(p, longer, "", &all) != all || all == 0 ||
            (i == count - 1 && !model_prefix_is_wrapper(p, longer)))
            continue;
        memcpy(p->prefix, longer, sizeof longer);
        p->is_wrapped = true;
        i = (size_t)-1; /* from the first on: they nest */
    }
}

const char *sac_pretrained_wrapper(const sac_pretrained *p)
{
    return p->is_wrapped ? p->prefix : "";
}

static sac_status open_weights(sac_pretrained *p, sac_error *error)
{
    char path[PATH + 64];
    for (int i = 0; i < WEIGHT_FILES; i++) {
        if (has_file(p->folder, weight_files[i].whole, path, sizeof path))
            return open_shard(p, weight_files[i].whole, error);
        if (has_file(p->folder, weight_files[i].index, path, sizeof path))
            return open_index(p, weight_files[i].index, path, error);
    }
    return sac_fail(error, SAC_E_FILE, p->folder, "give the whole folder of the model",
                    "has neither model.safetensors nor pytorch_model.bin");
}

void sac_pretrained_forget(const sac_pretrained *p, const sac_array *tensor)
{
    if ((p->adapter && sac_adapter_owns(p->adapter, tensor)) ||
        (p->quantised && sac_quantised_owns(p->quantised, tensor)))
        return;
    if (p->gguf)
        sac_gguf_folder_forget(p->gguf, tensor);
    else
        sac_bytes_drop_pages(tensor->data, sac_array_count(tensor) * sac_dtype_size(tensor->dtype));
}

void sac_pretrained_forget_all(const sac_pretrained *p)
{
    for (int i = 0; i < p->shard_count; i++)
        for (size_t k = 0; k < sac_arrays_size(p->shards[i]); k++)
            sac_pretrained_forget(p,
                                  sac_arrays_find(p->shards[i], sac_arrays_name(p->shards[i], k)));
}

/* The file that has the tensor, by the index, or where that lacks it the first file with it; NULL:
 * none. */
static const sac_arrays *find_file(const sac_pretrained *p, const char *name)
{
    const indexed wanted = {name, 0};
    const indexed *found =
        p->tensor_count ? bsearch(&wanted, p->tensors, p->tensor_count, sizeof *p->tensors, by_name)
                        : NULL;
    if (found)
        return p->shards[found->shard];
    for (int i = 0; i < p->shard_count; i++)
        if (sac_arrays_find(p->shards[i], name) || sac_arrays_unread_reason(p->shards[i], name))
            return p->shards[i];
    return NULL;
}

/* Notes that a tensor of the files was requested. */
static void mark_used(const sac_pretrained *p, const char *name)
{
    const sac_arrays *file = find_file(p, name);
    for (int i = 0; file && i < p->shard_count; i++)
        if (p->shards[i] == file && p->used[i])
            p->used[i][sac_arrays_index(file, name)] = true; /* there is one more */
}

/* ---------------------------------------------------------------- the folder */

/* For matrices that are unpacked: tensors as the files have them. */
static const sac_array *find_file_tensor(const void *self, const char *name)
{
    const sac_array *found = sac_arrays_find(find_file(self, name), name);
    if (found)
        mark_used(self, name);
    return found;
}

static const char *name_of_tensor(const void *self, size_t index)
{
    const sac_pretrained *p = self;
    for (int i = 0; i < p->shard_count; i++) {
        size_t count = sac_arrays_size(p->shards[i]);
        if (index < count)
            return sac_arrays_name(p->shards[i], index);
        index -= count;
    }
    return NULL;
}

static sac_status open_folder(sac_pretrained *p, sac_error *error)
{
    snprintf(p->config_path, sizeof p->config_path, "%s/config.json", p->folder);
    sac_status status = sac_json_load_config(p->config_path, &p->config, error);
    if (status == SAC_OK)
        status = open_weights(p, error);
    if (status == SAC_OK)
        find_wrapper_prefix(p);
    const sac_config config = sac_config_of(p->config, p->config_path, error);
    const sac_quantised_files files = {p, find_file_tensor, name_of_tensor};
    if (status == SAC_OK && sac_quantised_is_known(&config))
        status = sac_error_within(error, sac_quantised_open(&config, &files, &p->quantised, error),
                                  p->folder);
    return status;
}

/* Where it cannot be used the model reads text alone, and the note has the reason. */
static void add_gguf_vision(sac_pretrained *p)
{
    char path[SAC_PLACE_SIZE];
    sac_bytes file;
    sac_error own = {0};
    const size_t count = sac_gguf_find_vision(p->folder, path);
    const char *name = strrchr(path, '/');
    if (!count)
        return;
    name = name ? name + 1 : path;
    sac_status status = sac_bytes_map_regular(path, &file, &own);
    if (status == SAC_OK)
        status = sac_gguf_folder_add_vision(p->gguf, &file, path, &own);
    if (status != SAC_OK)
        snprintf(p->note, sizeof p->note, "it sees no pictures: %.100s: %.60s %.200s", name,
                 own.where, own.what);
    else if (count > 1)
        snprintf(p->note, sizeof p->note, "of %zu files beside it that see %.100s is taken", count,
                 name);
}

static sac_status open_gguf(sac_pretrained *p, sac_error *error)
{
    sac_bytes file;
    snprintf(p->config_path, sizeof p->config_path, "%s", p->folder);
    sac_status status = sac_bytes_map_regular(p->folder, &file, error);
    if (status == SAC_OK)
        status = sac_error_within(error, sac_gguf_folder_open(&file, p->folder, &p->gguf, error),
                                  p->folder);
    if (status == SAC_OK)
        add_gguf_vision(p);
    if (status == SAC_OK)
        p->config = sac_gguf_folder_config(p->gguf);
    return status;
}

/* One file, whose config.json is made of its arrays. */
static sac_status open_original(sac_pretrained *p, sac_error *error)
{
    snprintf(p->config_path, sizeof p->config_path, "%s", p->folder);
    if (!(p->shard_names[0] = strdup(p->folder)))
        return sac_no_memory(error, p->folder);
    sac_status status = sac_arrays_open_regular(p->folder, &p->shards[0], error);
    if (status != SAC_OK) {
        free(p->shard_names[0]);
        p->shard_names[0] = NULL;
        return status;
    }
    p->shard_count = 1;
    p->used[0] = calloc(sac_arrays_size(p->shards[0]) + 1, sizeof *p->used[0]);
    status = p->used[0] ? sac_original_config(p->shards[0], &p->config, error)
                        : sac_no_memory(error, p->folder);
    if (status == SAC_OK && !p->config) /* it was changed meanwhile */
        status = sac_fail(error, SAC_E_FORMAT, NULL, "open it again", "is no model any more");
    return sac_error_within(error, status, p->folder);
}

const char *sac_pretrained_adapter_folder(const sac_pretrained *p)
{
    return p->adapter_folder[0] ? p->adapter_folder : NULL;
}

static bool has_tensor(const void *files, const char *name)
{
    return sac_pretrained_has(files, name);
}

static sac_status open_adapter(sac_pretrained *p, const char *folder, sac_error *error)
{
    snprintf(p->adapter_folder, sizeof p->adapter_folder, "%s", folder);
    sac_status status = sac_adapter_open(folder, &p->adapter, error);
    return status == SAC_OK ? sac_adapter_check(p->adapter, has_tensor, p, error) : status;
}

sac_status sac_pretrained_open(const char *folder, sac_pretrained **pretrained, sac_error *error)
{
    sac_pretrained *p = calloc(1, sizeof *p);
    *pretrained = NULL;
    if (!p)
        return sac_no_memory(error, folder);
    sac_status status = SAC_OK;
    char adapter[SAC_PLACE_SIZE];
    bool found = sac_pretrained_place(folder, p->folder);
    bool adapts = sac_adapter_place(folder, adapter);
    if (!found && (size_t)snprintf(p->folder, sizeof p->folder, "%s", folder) >= sizeof p->folder)
        status = sac_fail(error, SAC_E_ARGUMENT, "folder", NULL, "its path is too long");
    if (status == SAC_OK && !found)
        status = sac_place_check(folder, error);
    if (status == SAC_OK && adapts && !found)
        status = sac_adapter_fail_no_base(adapter, error);
    if (status == SAC_OK)
        status = !found || sac_is_folder(p->folder) ? open_folder(p, error)
                 : sac_original_is(p->folder)       ? open_original(p, error)
                                                    : open_gguf(p, error);
    if (status == SAC_OK && adapts)
        status = open_adapter(p, adapter, error);
    if (status == SAC_OK)
        *pretrained = p;
    else
        sac_pretrained_close(p);
    return status;
}

sac_status sac_pretrained_open_inside(const sac_pretrained_inside *inside,
                                      sac_pretrained **pretrained, sac_error *error)
{
    sac_pretrained *p = calloc(1, sizeof *p);
    *pretrained = NULL;
    if (!p || !(p->shard_names[0] = strdup(inside->file))) {
        free(p);
        return sac_no_memory(error, inside->file);
    }
    snprintf(p->folder, sizeof p->folder, "%s", inside->file);
    snprintf(p->config_path, sizeof p->config_path, "%s", inside->file);
    snprintf(p->prefix, sizeof p->prefix, "%s", inside->prefix);
    sac_status status = sac_json_parse(inside->config, strlen(inside->config), &p->config, error);
    if (status == SAC_OK)
        status = sac_arrays_open_regular(inside->file, &p->shards[0], error);
    p->shard_count = status == SAC_OK;
    if (status == SAC_OK) {
        *pretrained = p;
    } else {
        free(p->shard_names[0]);
        sac_pretrained_close(p);
    }
    return status;
}

void sac_pretrained_close(sac_pretrained *p)
{
    if (!p)
        return;
    for (int i = 0; i < p->shard_count; i++) {
        sac_arrays_close(p->shards[i]);
        free(p->shard_names[i]);
        free(p->used[i]);
    }
    if (p->gguf)
        sac_gguf_folder_close(p->gguf);
    else
        cJSON_Delete(p->config);
    cJSON_Delete(p->index);
    sac_adapter_close(p->adapter);
    sac_quantised_close(p->quantised);
    free(p->tensors);
    free(p);
}

sac_config sac_pretrained_config(const sac_pretrained *p, sac_error *error)
{
    return sac_config_of(p->config, p->config_path, error);
}

/* ---------------------------------------------------------------- tensors */

const char *sac_pretrained_ignored_keys(const sac_pretrained *p)
{
    return p->gguf ? sac_gguf_folder_ignored(p->gguf) : "";
}

const char *sac_pretrained_weights_name(const sac_pretrained *p)
{
    return p->gguf ? "GGUF" : p->index_name ? p->index_name : p->shard_names[0];
}

/* The tensor, or why it is not read; neither: it is in no file. */
typedef struct finding {
    const sac_array *tensor;
    const char *why;
    char name[256]; /* in the file; "": it is in none as it is */
} finding;

static finding find_exactly(const sac_pretrained *p, const char *name)
{
    finding found = {0};
    if (p->gguf) {
        found.tensor = sac_gguf_folder_find(p->gguf, name, &found.why);
        found.why = found.why[0] ? found.why : NULL;
        return found;
    }
    found.tensor = p->quantised ? sac_quantised_find(p->quantised, name) : NULL;
    if (found.tensor || (size_t)snprintf(found.name, sizeof found.name, "%s%s", p->prefix, name) >=
                            sizeof found.name) {
        found.name[0] = '\0';
        return found;
    }
    const sac_arrays *file = find_file(p, found.name);
    found.tensor = sac_arrays_find(file, found.name);
    found.why = sac_arrays_unread_reason(file, found.name);
    return found;
}

static finding find(const sac_pretrained *p, const char *name)
{
    char other[256];
    finding found = find_exactly(p, name);
    for (int way = 0;
         !found.tensor && !found.why && tensor_other_name(name, way, other, sizeof other); way++)
        found = find_exactly(p, other);
    if (!found.tensor && !found.why && /* of models that are made of another, as ColPali */
        (size_t)snprintf(other, sizeof other, "vlm.%s", name) < sizeof other)
        found = find_exactly(p, other);
    return found;
}

/* The same of a tensor that is requested, and not only looked for. */
static finding request_tensor(const sac_pretrained *p, const char *name)
{
    finding found = find(p, name);
    if (found.tensor && found.name[0])
        mark_used(p, found.name);
    return found;
}

const sac_array *sac_pretrained_find(const sac_pretrained *p, const char *name)
{
    static const sac_array unread = {.dtype = SAC_TEXT, .rank = 1};
    finding found = request_tensor(p, name);
    return found.why ? &unread : found.tensor;
}

bool sac_pretrained_has(const sac_pretrained *p, const char *name)
{
    const finding found = p->gguf ? (finding){0} : find(p, name);
    return p->gguf ? sac_gguf_folder_has(p->gguf, name) : (found.tensor || found.why);
}

/* The name that the matrix has among those of few bits, which may be another one; NULL: it is none of them. */
static const char *quantised_name(const sac_pretrained *p, const char *name, char *other,
                                  size_t size)
{
    if (!p->quantised || sac_quantised_find(p->quantised, name))
        return p->quantised ? name : NULL;
    for (int way = 0; tensor_other_name(name, way, other, size); way++)
        if (sac_quantised_find(p->quantised, other))
            return other;
    return NULL;
}

/* NAME_blocks [E,out,in/32,16] and NAME_scales [E,out,in/32], of what would be NAME [E,in,out]. */
static sac_status find_mxfp4(const sac_pretrained *p, const char *name, sac_gguf_blocks *blocks,
                             sac_error *error)
{
    char full[256];
    snprintf(full, sizeof full, "%s_blocks", name);
    const sac_array *pairs = request_tensor(p, full).tensor;
    snprintf(full, sizeof full, "%s_scales", name);
    const sac_array *scales = pairs ? request_tensor(p, full).tensor : NULL;
    if (!pairs)
        return SAC_OK;
    bool fits = scales && pairs->dtype == SAC_U8 && scales->dtype == SAC_U8 && pairs->rank == 4 &&
                scales->rank == 3 && pairs->shape[3] == 16 &&
                memcmp(pairs->shape, scales->shape, 3 * sizeof *scales->shape) == 0;
    if (!fits)
        return sac_fail(error, SAC_E_FORMAT, sac_pretrained_weights_name(p), NULL,
                        "\"%.80s_blocks\" and _scales are not bytes [·,·,n,16] and [·,·,n]", name);
    *blocks = (sac_gguf_blocks){.stored = SAC_STORED_MXFP4,
                                .rows = pairs->shape[0] * pairs->shape[1],
                                .width = pairs->shape[2] * 32,
                                .data = pairs->data,
                                .scales = scales->data,
                                .scale_step = 1,
                                .data_step = 16,
                                .transposed = true};
    return SAC_OK;
}

sac_status sac_pretrained_blocks(const sac_pretrained *p, const char *name, sac_gguf_blocks *blocks,
                                 sac_error *error)
{
    char other[256];
    const char *few_bits = quantised_name(p, name, other, sizeof other);
    *blocks = (sac_gguf_blocks){0};
    if (p->adapter && sac_adapter_changes(p->adapter, name))
        return SAC_OK;
    sac_status status = p->gguf    ? sac_gguf_folder_blocks(p->gguf, name, blocks, error)
                        : few_bits ? sac_quantised_blocks(p->quantised, few_bits, blocks, error)
                                   : find_mxfp4(p, name, blocks, error);
    return sac_error_within(error, status, p->folder);
}

void sac_pretrained_list_free(sac_named_array *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free((char *)list[i].name);
    free(list);
}

sac_status sac_pretrained_list(const sac_pretrained *p, const char *prefix, sac_named_array **list,
                               size_t *count, sac_error *error)
{
    size_t all = 0;
    *count = 0;
    for (int i = 0; i < p->shard_count; i++)
        all += sac_arrays_size(p->shards[i]);
    if (!(*list = calloc(all + 1, sizeof **list)))
        return sac_no_memory(error, p->folder);
    for (int i = 0; i < p->shard_count; i++)
        for (size_t k = 0; k < sac_arrays_size(p->shards[i]); k++) {
            char full[256];
            const char *name = sac_arrays_name(p->shards[i], k);
            const sac_array *array = sac_arrays_find(p->shards[i], name);
            if (strncmp(name, p->prefix, strlen(p->prefix)) != 0 || array->dtype == SAC_TEXT ||
                find_file(p, name) != p->shards[i])
                continue;
            snprintf(full, sizeof full, "%s%s", prefix, name + strlen(p->prefix));
            if (!((*list)[*count].name = strdup(full))) {
                sac_pretrained_list_free(*list, *count);
                *list = NULL;
                *count = 0;
                return sac_no_memory(error, p->folder);
            }
            (*list)[(*count)++].array = array;
        }
    return SAC_OK;
}

/* ---------------------------------------------------------------- what was not requested */

/* Buffers that files of older versions hold, what only training uses, and cross attention of a model that is read alone, which
 * is noted by its architecture. */
static bool is_ignorable_tensor(const char *name, const sac_array *array)
{
    static const char *const ends[] = {"inv_freq",
                                       "position_ids",
                                       "masked_bias",
                                       "causal_mask",
                                       "attn_mask",
                                       "relative_position_index",
                                       "num_batches_tracked",
                                       "EncDecAttention.relative_attention_bias.weight",
                                       "_extra_state",
                                       "pos_idx_to_embed",
                                       "embed_positions.weight", /* sinusoids */
                                       "mask_token",
                                       "masked_spec_embed"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t all = strlen(name), length = strlen(ends[i]);
        if (all >= length && strcmp(name + all - length, ends[i]) == 0)
            return true;
    }
    return strstr(name, "crossattention.") ||
           (array->rank == 4 && (strstr(name, "attn.bias") || strstr(name, "attention.bias")));
}

/* A bias of 0, as some write for linear layers that have none. */
static bool is_zero_bias(const char *name, const sac_array *array)
{
    const size_t length = strlen(name),
                 bytes = sac_array_count(array) * sac_dtype_size(array->dtype);
    const uint8_t *data = array->data;
    if (length < 5 || strcmp(name + length - 5, ".bias") != 0 || array->rank != 1)
        return false;
    for (size_t i = 0; i < bytes; i++)
        if (data[i])
            return false;
    return true;
}

/* How many characters of a name identify its layer: up to its first number; 0: in none. */
static size_t layer_prefix_length(const char *name)
{
    for (const char *at = name; (at = strchr(at, '.')); at++) {
        const size_t digits = strspn(at + 1, "0123456789");
        if (digits && at[1 + digits] == '.')
            return (size_t)(at - name) + digits + 2;
    }
    return 0;
}

/* Whether one whose name begins so was requested: names that begin alike follow each other in by_name. */
static bool is_layer_used(const sac_pretrained *p, const char *name, size_t length)
{
    for (int i = 0; i < p->shard_count; i++) {
        const sac_arrays *file = p->shards[i];
        size_t low = 0, high = file->count;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (strncmp(file->by_name[middle]->name, name, length) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < file->count && strncmp(file->by_name[low]->name, name, length) == 0; low++)
            if (p->used[i] && p->used[i][file->by_name[low] - file->entries])
                return true;
    }
    return false;
}

/* Adds what of a file was not requested. */
static void add_unused(const sac_pretrained *p, int shard, sac_unused_tensors *unused)
{
    const sac_arrays *file = p->shards[shard];
    const char *layer = "";
    size_t length = 0;
    bool is_used = false; /* of the last layer that was met */
    for (size_t k = 0; p->used[shard] && k < file->count; k++) {
        const sac_entry *entry = file->by_name[k];
        const size_t written = strlen(unused->first), own = layer_prefix_length(entry->name);
        if (p->used[shard][entry - file->entries] ||
            is_ignorable_tensor(entry->name, &entry->array) ||
            is_zero_bias(entry->name, &entry->array) || find_file(p, entry->name) != file)
            continue;
        if (own && (own != length || strncmp(layer, entry->name, own) != 0)) {
            layer = entry->name;
            length = own;
            is_used = is_layer_used(p, layer, length);
        }
        if (own && is_used && !unused->in_layer[0])
            snprintf(unused->in_layer, sizeof unused->in_layer, "%s", entry->name);
        unused->count++;
        unused->is_cut =
            unused->is_cut || written + strlen(entry->name) + sizeof ", " > sizeof unused->first;
        if (!unused->is_cut)
            snprintf(unused->first + written, sizeof unused->first - written, "%s%s",
                     written ? ", " : "", entry->name);
    }
}

void sac_pretrained_unused(const sac_pretrained *p, sac_unused_tensors *unused)
{
    *unused = (sac_unused_tensors){0};
    for (int i = 0; i < p->shard_count; i++)
        add_unused(p, i, unused);
}

char *sac_pretrained_unread_text(const sac_pretrained *p, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < p->shard_count; i++)
        sac_arrays_unread_text(p->shards[i], text, size);
    return text;
}

bool sac_pretrained_has_ending(const sac_pretrained *p, const char *ending)
{
    size_t length = strlen(ending);
    for (int i = 0; i < p->shard_count; i++)
        for (size_t k = 0; k < sac_arrays_size(p->shards[i]); k++) {
            const char *name = sac_arrays_name(p->shards[i], k);
            size_t all = strlen(name);
            if (all >= length && strcmp(name + all - length, ending) == 0 &&
                (all == length || name[all - length - 1] == '.'))
                return true;
        }
    return false;
}

/* Integers are quantized values, by a rule that is not known here. */
static bool is_floating(sac_dtype dtype)
{
    return dtype == SAC_F16 || dtype == SAC_BF16 || dtype == SAC_F32 || dtype == SAC_F64;
}

const cJSON *sac_pretrained_gguf_pictures(const sac_pretrained *p)
{
    return p->gguf ? sac_gguf_folder_pictures(p->gguf) : NULL;
}

const char *sac_pretrained_note(const sac_pretrained *p)
{
    return p->note;
}

const cJSON *sac_pretrained_gguf_keys(const sac_pretrained *p)
{
    return p->gguf ? sac_gguf_folder_keys(p->gguf) : NULL;
}

/* The name of a tensor that is `name` but for what stands before it, or between its parts, as wrappers of single
 * layers put it there; NULL: there is none. */
static const char *find_wrapped(const sac_pretrained *p, const char *name)
{
    static const char *const inner[] = {"_orig_mod.", "_checkpoint_wrapped_module.",
                                        "_fsdp_wrapped_module."};
    for (int i = 0; i < p->shard_count; i++)
        for (size_t k = 0; k < sac_arrays_size(p->shards[i]); k++) {
            char plain[512];
            const char *full = sac_arrays_name(p->shards[i], k);
            if ((size_t)snprintf(plain, sizeof plain, "%s", full) >= sizeof plain)
                continue;
            for (size_t w = 0; w < sizeof inner / sizeof *inner; w++)
                for (char *at; (at = strstr(plain, inner[w]));)
                    memmove(at, at + strlen(inner[w]), strlen(at + strlen(inner[w])) + 1);
            const size_t length = strlen(plain), size = strlen(name);
            if (length >= size && strcmp(plain + length - size, name) == 0 &&
                (length == size || plain[length - size - 1] == '.'))
                return full;
        }
    return NULL;
}

static sac_status fail_missing(const sac_pretrained *p, const char *name, sac_error *error)
{
    const char *where = sac_pretrained_weights_name(p), *wrapped = find_wrapped(p, name);
    return wrapped
               ? sac_fail(error, SAC_E_FORMAT, where,
                          "save it by those names, without what was put before or between",
                          "the tensor \"%.80s\" is missing, and it has \"%.120s\"", name, wrapped)
               : sac_fail(error, SAC_E_FORMAT, where, "give the whole model",
                          "the tensor \"%.80s\" is missing", name);
}

sac_status sac_pretrained_require_tensor(const sac_pretrained *p, const char *name, int rank,
                                         const size_t *shape, const sac_array **tensor,
                                         sac_error *error)
{
    char wanted_text[80], found_text[80];
    const sac_array wanted = sac_array_view(SAC_F32, rank, shape, NULL);
    const finding looked_for = request_tensor(p, name);
    const sac_array *found = looked_for.tensor;
    const char *why = looked_for.why;
    const char *where = sac_pretrained_weights_name(p);
    sac_status status = SAC_OK;
    if (why)
        status = sac_fail(error, SAC_E_FORMAT, where, NULL, "\"%.80s\" %s", name, why);
    else if (!found || found->dtype == SAC_TEXT)
        status = fail_missing(p, name, error);
    else if (!is_floating(found->dtype))
        status =
            sac_fail(error, SAC_E_FORMAT, where, "take the model in float32, float16 or bfloat16",
                     "\"%.80s\" is of whole numbers, %s, and weights are none", name,
                     sac_dtype_name(found->dtype));
    else if (found->rank != rank || memcmp(found->shape, shape, (size_t)rank * sizeof *shape) != 0)
        status =
            sac_fail(error, SAC_E_SHAPE, where, NULL, "\"%.80s\" is %s, not %s as in config.json",
                     name, sac_array_shape_text(found, found_text, sizeof found_text),
                     sac_array_shape_text(&wanted, wanted_text, sizeof wanted_text));
    char other[256];
    const char *few_bits = quantised_name(p, name, other, sizeof other);
    if (status == SAC_OK && few_bits)
        status = sac_quantised_unpack(p->quantised, few_bits, &found, error);
    if (status == SAC_OK && p->adapter && sac_adapter_changes(p->adapter, name))
        status = sac_adapter_merge(p->adapter, name, found, &found, error);
    *tensor = status == SAC_OK ? found : NULL;
    return sac_error_within(error, status, p->folder);
}
