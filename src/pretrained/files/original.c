#include "pretrained/files/original.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "arrays/arrays.h"
#include "base/error.h"

/* What distinguishes a kind, all of it. */
static const char *const marks[][4] = {
    {"blocks.0.attn.qkv.weight", "patch_embed.proj.weight", "pos_embed", "cls_token"},
    {"visual.conv1.weight", "visual.class_embedding", "visual.positional_embedding",
     "visual.transformer.resblocks.0.attn.in_proj_weight"}};
enum { TIMM = 0, CLIP, KINDS };

/* KINDS: it is none. */
static int kind_of(const sac_arrays *arrays)
{
    int kind = 0;
    for (; kind < KINDS; kind++) {
        bool is = true;
        for (int i = 0; i < 4; i++)
            is = is && sac_arrays_find(arrays, marks[kind][i]);
        if (is)
            return kind;
    }
    return KINDS;
}

bool sac_original_is(const char *path)
{
    static const char *const endings[] = {".pth", ".pt", ".bin", ".safetensors"};
    const char *ending = strrchr(path, '.');
    sac_arrays *arrays = NULL;
    bool is = false;
    for (size_t i = 0; ending && i < sizeof endings / sizeof *endings; i++)
        is = is || strcasecmp(ending, endings[i]) == 0;
    if (is && sac_arrays_open_regular(path, &arrays, NULL) == SAC_OK)
        is = kind_of(arrays) < KINDS;
    else
        is = false;
    sac_arrays_close(arrays);
    return is;
}

/* A size of an array that is there; 0: it has no such axis. */
static size_t axis_size(const sac_arrays *arrays, const char *name, int axis)
{
    const sac_array *array = sac_arrays_find(arrays, name);
    return array && axis < array->rank ? array->shape[axis] : 0;
}

/* The side in cells of the square that so many positions are, without up to two of other tokens; 0: none. */
static size_t square_side(size_t positions)
{
    for (size_t others = 1; others < 3; others++) {
        const size_t side =
            positions > others ? (size_t)lround(sqrt((double)(positions - others))) : 0;
        if (side && side * side == positions - others)
            return side;
    }
    const size_t side = (size_t)lround(sqrt((double)positions));
    return side * side == positions ? side : 0;
}

static cJSON *timm_config(const sac_arrays *arrays)
{
    const size_t patch = axis_size(arrays, "patch_embed.proj.weight", 3),
                 side = patch * square_side(axis_size(arrays, "pos_embed", 1));
    cJSON *json = side && side <= 16384 ? cJSON_CreateObject() : NULL;
    cJSON *trained = cJSON_AddObjectToObject(json, "pretrained_cfg");
    cJSON_AddStringToObject(json, "model_type", "timm_wrapper");
    cJSON_AddStringToObject(json, "architecture", "vision transformer"); /* heads of 64 */
    cJSON_AddItemToObject(trained, "input_size",
                          cJSON_CreateIntArray((const int[]){3, (int)side, (int)side}, 3));
    cJSON_AddNumberToObject(trained, "crop_pct", 1);
    cJSON_AddStringToObject(trained, "interpolation", "bicubic");
    return json;
}

/* OpenAI's were trained with a quick GELU, and are of float16, or have the sizes of their input as arrays; those that open_clip
 * trained have a GELU. */
static cJSON *clip_config(const sac_arrays *arrays)
{
    static const char first[] = "visual.transformer.resblocks.0.mlp.c_fc.weight";
    const size_t width = axis_size(arrays, "visual.class_embedding", 0),
                 patch = axis_size(arrays, "visual.conv1.weight", 3),
                 side = patch * square_side(axis_size(arrays, "visual.positional_embedding", 0));
    const sac_array *conv = sac_arrays_find(arrays, "visual.conv1.weight");
    const bool quick = conv->dtype == SAC_F16 || sac_arrays_find(arrays, "input_resolution");
    size_t layers = 0;
    char name[80];
    do
        snprintf(name, sizeof name, "visual.transformer.resblocks.%zu.ln_1.weight", layers);
    while (sac_arrays_find(arrays, name) && ++layers < 1024);
    if (!width || width % 64 || !side || side > 16384 || !axis_size(arrays, first, 0))
        return NULL;
    const struct {
        const char *key;
        size_t number;
    } sizes[] = {{"hidden_size", width},
                 {"num_hidden_layers", layers},
                 {"num_attention_heads", width / 64},
                 {"intermediate_size", axis_size(arrays, first, 0)},
                 {"image_size", side},
                 {"patch_size", patch}};
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "model_type", "clip_vision_model");
    cJSON_AddStringToObject(json, "hidden_act", quick ? "quick_gelu" : "gelu");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        cJSON_AddNumberToObject(json, sizes[i].key, (double)sizes[i].number);
    return json;
}

sac_status sac_original_config(const sac_arrays *arrays, cJSON **config, sac_error *error)
{
    const int kind = kind_of(arrays);
    *config = NULL;
    if (kind == KINDS)
        return SAC_OK;
    *config = kind == TIMM ? timm_config(arrays) : clip_config(arrays);
    if (*config)
        return SAC_OK;
    return sac_fail(error, SAC_E_FORMAT, marks[kind][2],
                    "give the same model as a folder of transformers",
                    "is of no square of cells, or the width is no multiple of 64");
}
