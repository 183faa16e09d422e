/* Checkpoints as their authors gave them out: the same numbers under other names, in one file without config.json, give the
 * same states as a folder under transformers' names, which the other tests compare with transformers. */
#include <unistd.h>

#include "base/random/rng.h"
#include "pretrained/files/pretrained.h"
#include "trial.h"

enum { WIDTH = 128, HIDDEN = 256, LAYERS = 2, PATCH = 4, SIDE = 5, REGISTERS = 3, MOST = 64 };

/* The arrays of a file. */
typedef struct arrays {
    sac_named_array named[MOST];
    sac_array array[MOST];
    char name[MOST][80];
    size_t count;
} arrays;

static sac_rng rng = {.seed = 5};

/* Adds an array under `format` with the layer's number, of numbers that are not those of another; returns them. */
static float *add(arrays *a, const char *format, int layer, int rank, const size_t *shape)
{
    const size_t i = a->count++;
    assert_true(i < MOST);
    snprintf(a->name[i], sizeof a->name[i], format, layer);
    OK(sac_array_create(SAC_F32, rank, shape, &a->array[i], &failure));
    a->named[i] = (sac_named_array){a->name[i], &a->array[i]};
    return a->array[i].data;
}

/* In both files, the same numbers. */
static void both(arrays *folder, arrays *original, const char *name, const char *other, int layer,
                 int rank, const size_t *shape)
{
    float *x = add(folder, name, layer, rank, shape);
    const size_t count = sac_array_count(&folder->array[folder->count - 1]);
    const float middle = strstr(name, "norm") && strstr(name, "weight") ? 1 : 0;
    for (size_t i = 0; i < count; i++)
        x[i] = middle + sac_rng_between(&rng, -0.2F, 0.2F);
    memcpy(add(original, other, layer, rank, shape), x, count * sizeof *x);
}

/* Query, key and value, which the original has in one. */
static void fused(arrays *folder, arrays *original, const char *const names[3], const char *other,
                  int layer, int rank)
{
    const size_t shape[] = {WIDTH, WIDTH}, all[] = {3 * WIDTH, WIDTH};
    const size_t count = rank == 2 ? WIDTH * WIDTH : WIDTH;
    float *to = add(original, other, layer, rank, all);
    for (int i = 0; i < 3; i++) {
        float *x = add(folder, names[i], layer, rank, shape);
        for (size_t k = 0; k < count; k++)
            to[(size_t)i * count + k] = x[k] = sac_rng_between(&rng, -0.2F, 0.2F);
    }
}

static void add_layer(arrays *f, arrays *o, const char *const (*names)[2], int count, int layer)
{
    for (int i = 0; i < count; i++) {
        const char *name = names[i][0];
        const bool is_matrix = strstr(name, ".weight") && !strstr(name, "norm");
        const bool up = strstr(name, "fc1"), down = strstr(name, "fc2");
        const size_t shape[] = {up ? HIDDEN : WIDTH, down ? HIDDEN : WIDTH};
        both(f, o, name, names[i][1], layer, is_matrix ? 2 : 1, shape);
    }
}

static void release(arrays *a)
{
    for (size_t i = 0; i < a->count; i++)
        sac_array_free(&a->array[i]);
}

/* States and weights of both, for one picture of pixels. */
static void compare_models(const char *config, arrays *f, arrays *o, const char *ending)
{
    char folder[] = "/tmp/saccade-originalXXXXXX", path[3][80];
    float pixels[3 * SIDE * PATCH * SIDE * PATCH];
    float *states[2];
    sac_pretrained_model *models[2];
    size_t numbers = 0;
    assert_non_null(mkdtemp(folder));
    snprintf(path[0], sizeof path[0], "%s/model.safetensors", folder);
    snprintf(path[1], sizeof path[1], "%s/config.json", folder);
    snprintf(path[2], sizeof path[2], "%s/original%s", folder, ending);
    OK(sac_safetensors_save(path[0], f->named, f->count, NULL, &failure));
    OK(sac_safetensors_save(path[2], o->named, o->count, NULL, &failure));
    FILE *file = fopen(path[1], "w");
    fputs(config, file);
    fclose(file);
    assert_true(sac_is_pretrained(path[2]));
    for (size_t i = 0; i < sizeof pixels / sizeof *pixels; i++)
        pixels[i] = sac_rng_between(&rng, -1, 1);
    for (int i = 0; i < 2; i++) {
        sac_inference *p;
        OK(sac_pretrained_model_open_stored(i ? path[2] : folder, NULL, SAC_STORAGE_F32, &models[i],
                                            &failure));
        OK(sac_inference_see_pixels(models[i], pixels, SIDE * PATCH, SIDE * PATCH, &p, &failure));
        numbers = (LAYERS + 1) * p->count * WIDTH;
        states[i] = calloc(numbers, sizeof **states);
        assert_non_null(states[i]);
        OK(sac_inference_states(p, states[i], &failure));
        sac_inference_free(p);
    }
    compare(states[1], states[0], numbers, 1e-6, "original");
    assert_int_equal(models[1]->vision_encoder.rules.crop_width, SIDE * PATCH);
    for (int i = 0; i < 3; i++)
        unlink(path[i]);
    rmdir(folder);
    for (int i = 0; i < 2; i++) {
        sac_pretrained_model_close(models[i]);
        free(states[i]);
    }
    release(f);
    release(o);
}

TEST(dinov2_with_registers_opens_from_its_own_file)
{
    static const char *const parts[][2] = {
        {"encoder.layer.%d.norm1.weight", "blocks.%d.norm1.weight"},
        {"encoder.layer.%d.norm1.bias", "blocks.%d.norm1.bias"},
        {"encoder.layer.%d.norm2.weight", "blocks.%d.norm2.weight"},
        {"encoder.layer.%d.norm2.bias", "blocks.%d.norm2.bias"},
        {"encoder.layer.%d.attention.output.dense.weight", "blocks.%d.attn.proj.weight"},
        {"encoder.layer.%d.attention.output.dense.bias", "blocks.%d.attn.proj.bias"},
        {"encoder.layer.%d.layer_scale1.lambda1", "blocks.%d.ls1.gamma"},
        {"encoder.layer.%d.layer_scale2.lambda1", "blocks.%d.ls2.gamma"},
        {"encoder.layer.%d.mlp.fc1.weight", "blocks.%d.mlp.fc1.weight"},
        {"encoder.layer.%d.mlp.fc2.weight", "blocks.%d.mlp.fc2.weight"},
        {"encoder.layer.%d.mlp.fc2.bias", "blocks.%d.mlp.fc2.bias"}};
    static const char *const matrices[] = {"encoder.layer.%d.attention.attention.query.weight",
                                           "encoder.layer.%d.attention.attention.key.weight",
                                           "encoder.layer.%d.attention.attention.value.weight"};
    static const char *const biases[] = {"encoder.layer.%d.attention.attention.query.bias",
                                         "encoder.layer.%d.attention.attention.key.bias",
                                         "encoder.layer.%d.attention.attention.value.bias"};
    const size_t one[] = {1, 1, WIDTH}, few[] = {1, REGISTERS, WIDTH}, hidden[] = {HIDDEN},
                 all[] = {1, SIDE * SIDE + 1, WIDTH}, patch[] = {WIDTH, 3, PATCH, PATCH};
    arrays f = {0}, o = {0};
    both(&f, &o, "embeddings.cls_token", "cls_token", 0, 3, one);
    both(&f, &o, "embeddings.register_tokens", "register_tokens", 0, 3, few);
    both(&f, &o, "embeddings.position_embeddings", "pos_embed", 0, 3, all);
    both(&f, &o, "embeddings.patch_embeddings.projection.weight", "patch_embed.proj.weight", 0, 4,
         patch);
    both(&f, &o, "embeddings.patch_embeddings.projection.bias", "patch_embed.proj.bias", 0, 1,
         patch);
    both(&f, &o, "layernorm.weight", "norm.weight", 0, 1, patch);
    both(&f, &o, "layernorm.bias", "norm.bias", 0, 1, patch);
    for (int layer = 0; layer < LAYERS; layer++) {
        add_layer(&f, &o, parts, sizeof parts / sizeof *parts, layer);
        both(&f, &o, "encoder.layer.%d.mlp.fc1.bias", "blocks.%d.mlp.fc1.bias", layer, 1, hidden);
        fused(&f, &o, matrices, "blocks.%d.attn.qkv.weight", layer, 2);
        fused(&f, &o, biases, "blocks.%d.attn.qkv.bias", layer, 1);
    }
    compare_models("{\"model_type\": \"dinov2_with_registers\", \"hidden_size\": 128, "
                   "\"num_hidden_layers\": 2, \"num_attention_heads\": 2, \"image_size\": 20, "
                   "\"patch_size\": 4, \"mlp_ratio\": 2, \"num_register_tokens\": 3, "
                   "\"layer_norm_eps\": 1e-6}",
                   &f, &o, ".pth");
}

/* open_clip's, whose numbers are float32: a GELU. */
TEST(clip_s_vision_transformer_opens_from_its_own_file)
{
    static const char *const parts[][2] = {
        {"vision_model.encoder.layers.%d.layer_norm1.weight",
         "visual.transformer.resblocks.%d.ln_1.weight"},
        {"vision_model.encoder.layers.%d.layer_norm1.bias",
         "visual.transformer.resblocks.%d.ln_1.bias"},
        {"vision_model.encoder.layers.%d.layer_norm2.weight",
         "visual.transformer.resblocks.%d.ln_2.weight"},
        {"vision_model.encoder.layers.%d.layer_norm2.bias",
         "visual.transformer.resblocks.%d.ln_2.bias"},
        {"vision_model.encoder.layers.%d.self_attn.out_proj.weight",
         "visual.transformer.resblocks.%d.attn.out_proj.weight"},
        {"vision_model.encoder.layers.%d.self_attn.out_proj.bias",
         "visual.transformer.resblocks.%d.attn.out_proj.bias"},
        {"vision_model.encoder.layers.%d.mlp.fc1.weight",
         "visual.transformer.resblocks.%d.mlp.c_fc.weight"},
        {"vision_model.encoder.layers.%d.mlp.fc2.weight",
         "visual.transformer.resblocks.%d.mlp.c_proj.weight"},
        {"vision_model.encoder.layers.%d.mlp.fc2.bias",
         "visual.transformer.resblocks.%d.mlp.c_proj.bias"}};
    static const char *const matrices[] = {
        "vision_model.encoder.layers.%d.self_attn.q_proj.weight",
        "vision_model.encoder.layers.%d.self_attn.k_proj.weight",
        "vision_model.encoder.layers.%d.self_attn.v_proj.weight"};
    static const char *const biases[] = {"vision_model.encoder.layers.%d.self_attn.q_proj.bias",
                                         "vision_model.encoder.layers.%d.self_attn.k_proj.bias",
                                         "vision_model.encoder.layers.%d.self_attn.v_proj.bias"};
    const size_t all[] = {SIDE * SIDE + 1, WIDTH}, patch[] = {WIDTH, 3, PATCH, PATCH},
                 hidden[] = {HIDDEN};
    arrays f = {0}, o = {0};
    both(&f, &o, "vision_model.embeddings.class_embedding", "visual.class_embedding", 0, 1, patch);
    both(&f, &o, "vision_model.embeddings.position_embedding.weight", "visual.positional_embedding",
         0, 2, all);
    both(&f, &o, "vision_model.embeddings.patch_embedding.weight", "visual.conv1.weight", 0, 4,
         patch);
    both(&f, &o, "vision_model.pre_layrnorm.weight", "visual.ln_pre.weight", 0, 1, patch);
    both(&f, &o, "vision_model.pre_layrnorm.bias", "visual.ln_pre.bias", 0, 1, patch);
    for (int layer = 0; layer < LAYERS; layer++) {
        add_layer(&f, &o, parts, sizeof parts / sizeof *parts, layer);
        both(&f, &o, "vision_model.encoder.layers.%d.mlp.fc1.bias",
             "visual.transformer.resblocks.%d.mlp.c_fc.bias", layer, 1, hidden);
        fused(&f, &o, matrices, "visual.transformer.resblocks.%d.attn.in_proj_weight", layer, 2);
        fused(&f, &o, biases, "visual.transformer.resblocks.%d.attn.in_proj_bias", layer, 1);
    }
    compare_models(
        "{\"model_type\": \"clip_vision_model\", \"hidden_size\": 128, \"num_hidden_layers\": 2, "
        "\"num_attention_heads\": 2, \"intermediate_size\": 256, \"image_size\": 20, "
        "\"patch_size\": 4, "
        "\"hidden_act\": \"gelu\"}",
        &f, &o, ".pt");
}

TEST_MAIN(open_device, close_device)
