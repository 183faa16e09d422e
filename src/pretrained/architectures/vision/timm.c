/* Vision transformers under timm's names (Wightman 2019), whose config.json has the name of an
 * architecture and the rules of pictures, and no sizes: those are the tensors'. */
#include <cjson/cJSON.h>

#include <string.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"

static const sac_description of_timm = {
    .width = "hidden_size",
    .layers = "num_hidden_layers",
    .heads = "num_attention_heads",
    .hidden = "intermediate_size",
    .epsilon = "layer_norm_eps",
    .prefix = {"timm_model.", ""},
    .class_token = "cls_token",
    .second_token = "dist_token",
    .registers = "reg_token",
    .register_count = "num_register_tokens",
    .positions = "pos_embed",
    .patches = "patch_embed.proj",
    .first_norm = "norm_pre",
    .last_norm = "norm",
    .layer = "blocks.%d",
    .attention = {{.fused = "attn.qkv", .out = "attn.proj"}},
    .query_norm = "attn.q_norm",
    .key_norm = "attn.k_norm",
    .norms_heads = true,
    .up = "mlp.fc1",
    .down = "mlp.fc2",
    .norm = {[SAC_PART_SELF] = "norm1", [SAC_PART_FORWARD] = "norm2"},
    .scale = {[SAC_PART_SELF] = "ls1.gamma", [SAC_PART_FORWARD] = "ls2.gamma"},
    .norm_first = true,
    .activated = SAC_GELU,
    .bias = SAC_ALL_BIASED,
    .processor = "ViTImageProcessor"};

/* The registers of DINOv2's own files, whose other names are timm's. */
static const char original_registers[] = "register_tokens";

/* NULL where it is not there. */
static const sac_array *find(const sac_pretrained_model *m, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "timm_model.%s", name);
    const sac_array *tensor = sac_pretrained_find(m->files, full);
    return tensor ? tensor : sac_pretrained_find(m->files, name);
}

/* A size of a tensor that must be there. */
static size_t tensor_axis_size(const sac_pretrained_model *m, sac_config *c, const char *name,
                               int axis)
{
    const sac_array *tensor = find(m, name);
    if (tensor && axis < tensor->rank)
        return tensor->shape[axis];
    sac_config_refuse(c, "architecture", "the tensor \"%s\" of a vision transformer is missing",
                      name);
    return 1;
}

static void set_missing_size(sac_config *c, const char *name, size_t number)
{
    if (c->status == SAC_OK && !sac_config_has(c, name))
        cJSON_AddNumberToObject(c->json, name, (double)number);
}

/* Numbers of a head by the name of the size: "vit_huge_patch14_224". */
static size_t head_depth(const char *name)
{
    static const struct {
        const char *part;
        size_t depth;
    } sizes[] = {{"so150m", 64}, {"so400m", 72}, {"huge", 80}, {"gigantic", 104}, {"giant", 88}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strstr(name, sizes[i].part))
            return sizes[i].depth;
    return 64;
}

/* The settings that transformers' config.json would have. */
static void add_size_settings(sac_pretrained_model *m, sac_config *c, const sac_config *trained)
{
    char name[32];
    int layers = 0, input[3] = {3, 224, 224};
    size_t width = tensor_axis_size(m, c, "patch_embed.proj.weight", 0);
    sac_config own = *trained, arguments = sac_config_inside(c, "model_args");
    do
        snprintf(name, sizeof name, "blocks.%d.norm1.weight", layers);
    while (find(m, name) && ++layers < SAC_ARCHITECTURE_LAYERS);
    size_t depth = head_depth(sac_config_text(c, "architecture"));
    set_missing_size(c, "num_attention_heads",
                     (size_t)sac_config_size_or(&arguments, "num_heads", 1, SAC_ARCHITECTURE_WIDTH,
                                                width > depth ? (int)(width / depth) : 1));
    set_missing_size(c, "hidden_size", width);
    set_missing_size(c, "num_hidden_layers", (size_t)layers);
    set_missing_size(c, "intermediate_size", tensor_axis_size(m, c, "blocks.0.mlp.fc1.weight", 0));
    const sac_array *registers = find(m, "reg_token");
    registers = registers ? registers : find(m, original_registers);
    set_missing_size(c, "num_register_tokens",
                     registers && registers->rank == 3 ? registers->shape[1] : 0);
    sac_config_sizes(&own, "input_size", 1, 16384, input, 3);
    const char *const sides[] = {"image_size", "patch_size"};
    const int height[] = {input[1], (int)tensor_axis_size(m, c, "patch_embed.proj.weight", 2)};
    const int across[] = {input[2], (int)tensor_axis_size(m, c, "patch_embed.proj.weight", 3)};
    for (int i = 0; i < 2 && c->status == SAC_OK; i++)
        if (!sac_config_has(c, sides[i]))
            cJSON_AddItemToObject(c->json, sides[i],
                                  cJSON_CreateIntArray((const int[]){height[i], across[i]}, 2));
    if (c->status == SAC_OK)
        c->status = own.status != SAC_OK ? own.status : arguments.status;
}

/* The middle of a picture, by timm's pretrained_cfg. */
static void read_rules(sac_vision_encoder *s, sac_config *trained)
{
    static const char *const names[] = {"", "bicubic", "bilinear", "nearest", "lanczos", NULL};
    static const sac_resampling meant[] = {SAC_RESAMPLE_BICUBIC, SAC_RESAMPLE_BICUBIC,
                                           SAC_RESAMPLE_BILINEAR, SAC_RESAMPLE_NEAREST,
                                           SAC_RESAMPLE_LANCZOS};
    int side = s->image_w < s->image_h ? s->image_w : s->image_h;
    float part = sac_config_number_or(trained, "crop_pct", 0.875f);
    if (!(part > 0.1f && part <= 1))
        sac_config_refuse(trained, "crop_pct", "is not a share of a picture");
    s->rules =
        (sac_picture_rules){.resizes = true,
                            .crops = true,
                            .shortest = (int)((float)side / part),
                            .crop_width = s->image_w,
                            .crop_height = s->image_h,
                            .resampling = meant[sac_config_choice(trained, "interpolation", names)],
                            .factor = 1.0f / 255,
                            .mean = {0.485f, 0.456f, 0.406f},
                            .deviation = {0.229f, 0.224f, 0.225f}};
    sac_config_numbers(trained, "mean", s->rules.mean, 3);
    sac_config_numbers(trained, "std", s->rules.deviation, 3);
    for (int i = 0; i < 3; i++)
        if (!(s->rules.deviation[i] > 0))
            sac_config_refuse(trained, "std", "has a number that is not above 0");
    s->has_rules = true;
}

static void declare(sac_pretrained_model *m, sac_config *c)
{
    sac_config trained = sac_config_inside(c, "pretrained_cfg");
    const char *name = sac_config_text(c, "architecture");
    sac_description d = of_timm;
    if (strstr(name, "siglip"))
        sac_config_refuse(c, "architecture", "%.60s is supported as transformers' folder of it",
                          name);
    add_size_settings(m, c, &trained);
    if (c->status != SAC_OK)
        return;
    d.class_token = find(m, "cls_token") ? d.class_token : NULL;
    d.second_token = find(m, "dist_token") ? d.second_token : NULL;
    d.registers = find(m, original_registers) ? original_registers : d.registers;
    d.first_norm = find(m, "norm_pre.weight") ? d.first_norm : NULL;
    d.last_norm = find(m, "norm.weight") ? d.last_norm : NULL;
    d.query_norm = find(m, "blocks.0.attn.q_norm.weight") ? d.query_norm : NULL;
    if (!find(m, "blocks.0.ls1.gamma"))
        d.scale[SAC_PART_SELF] = d.scale[SAC_PART_FORWARD] = NULL;
    if (!find(m, "blocks.0.attn.qkv.bias"))
        for (int i = SAC_BIAS_QUERY; i <= SAC_BIAS_VALUE; i++)
            d.bias[i].otherwise = false;
    d.patches_unbiased = !find(m, "patch_embed.proj.bias");
    d.activated = strstr(name, "quickgelu") ? SAC_QUICK_GELU : SAC_GELU;
    d.spread = SAC_SPREAD_BICUBIC_SMOOTH;
    /* Where there are positions of patches alone, the other tokens have none. */
    sac_vision_encoder *s = &m->vision_encoder;
    int sides[4] = {1, 1, 1, 1};
    sac_config_sizes(c, "image_size", 1, 16384, sides, 2);
    sac_config_sizes(c, "patch_size", 1, 16384, sides + 2, 2);
    size_t patches = (size_t)(sides[0] / sides[2]) * (size_t)(sides[1] / sides[3]);
    d.unplaced_tokens = tensor_axis_size(m, c, "pos_embed", 1) == patches;
    sac_describe(m, c, &d);
    if (c->status == SAC_OK)
        read_rules(s, &trained);
    if (c->status == SAC_OK)
        c->status = trained.status;
}

static const sac_config_key keys[] = {
    COMMON,
    U("architecture", NULL),
    U("pretrained_cfg", "{}"),
    U("model_args", NULL),
    U("layer_norm_eps", "1e-6"),
    H("num_classes"),
    H("num_features"),
    H("global_pool"),
    H("do_pooling"),
    H("label_names"),
    H("label_descriptions"),
    END,
};

const sac_architecture sac_architecture_timm = {.types = {"timm_wrapper"},
                                                .keys = keys,
                                                .architectures = {"Timm"},
                                                .mark = "blocks.0.attn.qkv.weight",
                                                .declare = declare};
