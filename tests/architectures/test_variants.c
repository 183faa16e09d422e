/* The tiny models of tests/reference under other values of config.json and generation_config.json,
 * against `transformers` (make_variants.py): what their heads look at, what comes next, and what is
 * generated. */
#include <dirent.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "architectures/captioning/pretrained_captioner.h"
#include "architectures/known.h"
#include "saccade_arrays.h"
#include "status.h"
#include "trial.h"

/* Of weights, which are 1 together; and of what leaves the last layer and of logits, of about 1 to
 * 30. */
#define WEIGHT_TOLERANCE 5e-6
#define TOLERANCE 1e-4

typedef struct variant {
    const cJSON *json;
    const char *name;
    char folder[64];
    sac_arrays *expected;
    sac_pretrained_model *model;
} variant;

/* ---------------------------------------------------------------- folders */

static void write_json(const variant *v, const char *name, const cJSON *json)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", v->folder, name);
    char *text = cJSON_Print(json);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    cJSON_free(text);
}

static cJSON *read_json(const char *path)
{
    static char text[1 << 18];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return cJSON_Parse(text);
}

/* The files of the weights' folder, but for those that are written anew. */
static void link_files(const variant *v, const char *from)
{
    static const char *const others[] = {"config.json", "generation_config.json",
                                         "reference.safetensors"};
    DIR *folder = opendir(from);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char old[1024], new[512];
        bool is_other = entry->d_name[0] == '.';
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            is_other = is_other || strcmp(entry->d_name, others[i]) == 0;
        snprintf(old, sizeof old, "%s/%s", from, entry->d_name);
        snprintf(new, sizeof new, "%s/%s", v->folder, entry->d_name);
        if (!is_other)
            assert_int_equal(symlink(old, new), 0);
    }
    closedir(folder);
}

/* A value of null takes the key away, and "null" makes it null. */
static void write_config(const variant *v, const char *from)
{
    char path[512];
    const cJSON *change;
    snprintf(path, sizeof path, "%s/config.json", from);
    cJSON *config = read_json(path);
    cJSON_ArrayForEach(change, cJSON_GetObjectItem(v->json, "config"))
    {
        cJSON_DeleteItemFromObject(config, change->string);
        bool is_null = cJSON_IsString(change) && strcmp(change->valuestring, "null") == 0;
        if (is_null)
            cJSON_AddNullToObject(config, change->string);
        else if (!cJSON_IsNull(change))
            cJSON_AddItemToObject(config, change->string, cJSON_Duplicate(change, true));
    }
    write_json(v, "config.json", config);
    cJSON_Delete(config);
}

static void open_variant(variant *v)
{
    char from[256];
    const char *weights = cJSON_GetStringValue(cJSON_GetObjectItem(v->json, "weights"));
    const cJSON *generation = cJSON_GetObjectItem(v->json, "generation");
    v->name = cJSON_GetStringValue(cJSON_GetObjectItem(v->json, "name"));
    snprintf(v->folder, sizeof v->folder, "/tmp/saccade-variantXXXXXX");
    assert_non_null(mkdtemp(v->folder));
    snprintf(from, sizeof from, "%s/%s", REFERENCES, weights);
    link_files(v, from);
    write_config(v, from);
    if (generation)
        write_json(v, "generation_config.json", generation);
    if (sac_pretrained_model_open_stored(v->folder, NULL, SAC_STORAGE_F32, &v->model, &failure) !=
        SAC_OK)
        fail_msg("%s: %s: %s", v->name, failure.where, failure.what);
}

static void close_variant(variant *v)
{
    DIR *folder = opendir(v->folder);
    sac_pretrained_model_close(v->model);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", v->folder, entry->d_name);
        unlink(path);
    }
    closedir(folder);
    rmdir(v->folder);
}

/* ---------------------------------------------------------------- against transformers */

static const sac_array *find(const variant *v, const char *what)
{
    char name[96];
    snprintf(name, sizeof name, "%s.%s", v->name, what);
    return sac_arrays_find(v->expected, name);
}

static void hold(const variant *v, const char *what, const float *made, double tolerance)
{
    char name[96];
    const sac_array *array = find(v, what);
    assert_non_null(array);
    snprintf(name, sizeof name, "%s: %s", v->name, what);
    compare(made, array->data, sac_array_count(array), tolerance, name);
}

static void check_heads(const variant *v, sac_inference *inference)
{
    sac_source source;
    OK(sac_inference_open_source(inference, &source, &failure));
    size_t map = source.weights.steps * source.weights.positions;
    float *weights = calloc(source.weights.heads * map, sizeof *weights);
    uint8_t *masked = calloc(map, 1);
    assert_true(weights && masked);
    for (size_t head = 0; head < source.weights.heads; head++) {
        sac_tile tile = {
            .head = head, .rows = source.weights.steps, .cols = source.weights.positions};
        OK(source.weights.tile(source.self, source.weights.layers - 1, &tile, weights + head * map,
                               &failure));
        if (source.weights.masked)
            OK(source.weights.masked(source.self, source.weights.layers - 1, &tile, masked,
                                     &failure));
        for (size_t i = 0; i < map; i++) /* just what is masked has no weight at all */
            if (masked[i] && weights[head * map + i] != 0)
                fail_msg("%s: what is masked has a weight", v->name);
    }
    hold(v, "attentions", weights, WEIGHT_TOLERANCE);
    free(weights);
    free(masked);
    sac_source_destroy(&source);
}

static void check_left(const variant *v, const sac_inference *p)
{
    size_t numbers = p->count * v->model->width, layers = (size_t)v->model->layers;
    float *states = calloc((layers + 1) * numbers, sizeof *states);
    assert_non_null(states);
    OK(sac_inference_states(p, states, &failure));
    hold(v, "left", states + layers * numbers, TOLERANCE);
    free(states);
}

/* The generated tokens, without the end. */
static void check_tokens(const variant *v, const char *what, const int *generated, int count)
{
    const sac_array *array = find(v, what);
    const int *wanted = array->data;
    int all = (int)sac_array_count(array);
    const sac_pretrained_model *d = v->model->decoder ? v->model->decoder : v->model;
    if (sac_beam_is_end(&d->text_decoder.search, wanted[all - 1]))
        all--;
    for (int i = 0; i < all && i < count; i++)
        if (generated[i] != wanted[i])
            fail_msg("%s: token %d is %d, not %d", v->name, i, generated[i], wanted[i]);
    if (count != all)
        fail_msg("%s: %d tokens are generated, not %d", v->name, count, all);
}

static void check_passage(const variant *v)
{
    sac_inference *inference;
    const sac_array *ids = find(v, "input_ids"), *pixels = find(v, "pixel_values");
    if (ids)
        OK(sac_inference_read_tokens(v->model, ids->data, sac_array_count(ids), &inference,
                                     &failure));
    else
        OK(sac_inference_see_pixels(v->model, pixels->data, (int)pixels->shape[3],
                                    (int)pixels->shape[2], &inference, &failure));
    if (find(v, "generated")) {
        int generated[8], count;
        OK(sac_inference_continue(inference, &(sac_sampling){.count = 8}, generated, &count,
                                  &failure));
        check_tokens(v, "generated", generated, count);
        sac_inference_free(inference);
        return;
    }
    check_left(v, inference);
    if (sac_architecture_continues(v->model) != (find(v, "logits") != NULL))
        fail_msg("%s: whether it predicts the next token", v->name);
    if (inference->next)
        hold(v, "logits", inference->next, TOLERANCE);
    check_heads(v, inference);
}

static void check_sentence(const variant *v)
{
    sac_pretrained_captioner *captioner;
    sac_result caption;
    int generated[SAC_MAX_TOKENS];
    const sac_array *ids = find(v, "input_ids"), *pixels = find(v, "pixel_values");
    OK(sac_pretrained_captioner_create(v->model, &captioner, &failure));
    if (ids)
        OK(sac_pretrained_captioner_read_tokens(captioner, ids->data, sac_array_count(ids),
                                                &failure));
    else
        OK(sac_pretrained_captioner_encode_pixels(captioner, pixels->data, (int)pixels->shape[3],
                                                  (int)pixels->shape[2], &failure));
    OK(sac_pretrained_captioner_generate(captioner, &(sac_result_request){0}, &caption, &failure));
    for (int i = 0; i < caption.count; i++)
        generated[i] = caption.outputs[i].word;
    check_tokens(v, "generated", generated, caption.count);
    sac_result_free(&caption);
    sac_pretrained_captioner_destroy(captioner);
}

/* Of the folder's picture, to the question of its reference. */
static void check_answer(const variant *v)
{
    sac_pretrained_captioner *captioner;
    sac_result caption;
    sac_image picture;
    char path[128];
    int generated[SAC_MAX_TOKENS];
    snprintf(path, sizeof path, "%s/picture.png", v->folder);
    OK(sac_pretrained_captioner_create(v->model, &captioner, &failure));
    OK(sac_image_load(path, &picture, &failure));
    OK(sac_pretrained_captioner_encode_picture(captioner, &picture, NULL, &failure));
    OK(sac_pretrained_captioner_ask(captioner, "the bank of a", &failure));
    OK(sac_pretrained_captioner_generate(captioner, &(sac_result_request){0}, &caption, &failure));
    for (int i = 0; i < caption.count; i++)
        generated[i] = caption.outputs[i].word;
    check_tokens(v, "answered", generated, caption.count);
    sac_result_free(&caption);
    sac_image_free(&picture);
    sac_pretrained_captioner_destroy(captioner);
}

TEST(each_variant_is_that_of_transformers)
{
    cJSON *all = read_json(REFERENCES "/variants.json");
    variant v = {0};
    int count = 0;
    OK(sac_arrays_open(REFERENCES "/variants.safetensors", &v.expected, &failure));
    cJSON_ArrayForEach(v.json, cJSON_GetObjectItem(all, "variants"))
    {
        open_variant(&v);
        if (find(&v, "answered"))
            check_answer(&v);
        else if (v.model->decoder)
            check_sentence(&v);
        else
            check_passage(&v);
        close_variant(&v);
        count++;
    }
    assert_true(count > 50);
    sac_arrays_close(v.expected);
    cJSON_Delete(all);
}

/* ---------------------------------------------------------------- keys */

static const sac_config_key *find_key(const sac_config_key *keys, const char *name)
{
    while (keys->name && strcmp(keys->name, name) != 0)
        keys++;
    return keys->name ? keys : NULL;
}

/* A default that is a value is the table's, and of the values that alone are followed one is the
 * default. */
static void check_key(const char *class, const sac_config_key *keys, const cJSON *wanted)
{
    const sac_config_key *key = find_key(keys, wanted->string);
    if (!key)
        fail_msg("%s: nothing is known of %s", class, wanted->string);
    cJSON *own = key->value ? cJSON_Parse(key->value) : NULL;
    const cJSON *one;
    bool same = !own || cJSON_IsNull(wanted) || cJSON_Compare(own, wanted, true);
    if (key->use == SAC_KEY_ONLY)
        cJSON_ArrayForEach(one, own) same = same || cJSON_Compare(one, wanted, true);
    cJSON_Delete(own);
    if (!same)
        fail_msg("%s: %s is not %s where a file lacks it", class, key->name, key->value);
}

static bool is_listed(const cJSON *list, const char *name)
{
    const cJSON *one;
    cJSON_ArrayForEach(one, list) if (strcmp(one->valuestring, name) == 0) return true;
    return false;
}

/* A key that is null: what fails in transformers is refused by its name; else it stays null, where
 * no default may take its place, or becomes the default. */
static void check_null(const char *class, const sac_config_key *keys, const char *name,
                       const cJSON *nulls)
{
    const sac_config_key *key = find_key(keys, name);
    bool is_none = is_listed(cJSON_GetObjectItem(nulls, "none"), name);
    bool fails = !is_none && !is_listed(cJSON_GetObjectItem(nulls, "default"), name);
    if (!key || key->use == SAC_KEY_HARMLESS)
        return;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNullToObject(json, key->name);
    sac_config c = sac_config_of(json, "config.json", &failure);
    sac_config_apply_keys(&c, (sac_config_key[]){*key, {NULL}});
    const cJSON *left = cJSON_GetObjectItemCaseSensitive(json, key->name);
    bool has_default = key->use == SAC_KEY_USED && key->value && strcmp(key->value, "null") != 0;
    if ((has_default || key->use == SAC_KEY_ONLY) && (c.status != SAC_OK) != fails)
        fail_msg("%s: %s of null %s", class, key->name, fails ? "is taken" : "is refused");
    if (c.status != SAC_OK)
        assert_string_equal(failure.where, key->name);
    else if (has_default && cJSON_IsNull(left) != is_none)
        fail_msg("%s: %s of null %s", class, key->name, is_none ? "is a value" : "is none");
    cJSON_Delete(json);
}

/* Those of transformers 5.24 (make_config_keys.py). */
TEST(every_key_of_a_configuration_is_known)
{
    const struct {
        const char *class;
        const sac_config_key *keys;
#define OF(name)                                                                                   \
    {                                                                                              \
#name, sac_architecture_##name.keys                                                        \
    }
    } tables[] = {OF(bert),
                  OF(roberta),
                  OF(distilbert),
                  OF(gpt2),
                  OF(llama),
                  OF(qwen2),
                  OF(vit),
                  OF(deit),
                  OF(dinov2),
                  OF(dinov2_with_registers),
                  OF(resnet),
                  OF(detr),
                  OF(table_transformer),
                  OF(yolos),
                  OF(owlvit),
                  OF(owlv2),
                  {"owlvit_text", sac_keys_of_owl_text},
                  {"owlvit_vision", sac_keys_of_owlvit_vision},
                  {"owlv2_text", sac_keys_of_owl_text},
                  {"owlv2_vision", sac_keys_of_owlv2_vision},
                  OF(beit),
                  OF(blip),
                  OF(marian),
                  OF(bart),
                  OF(mbart),
                  OF(t5),
                  OF(mt5),
                  OF(umt5),
                  OF(whisper),
                  OF(qwen2_audio),
                  OF(qwen2_audio_encoder),
                  OF(wav2vec2),
                  OF(hubert),
                  OF(wavlm),
                  OF(ast),
                  OF(moonshine),
                  OF(parakeet),
                  {"parakeet_encoder", sac_keys_of_parakeet_encoder},
                  OF(m2m_100),
                  OF(electra),
                  OF(mpnet),
                  OF(albert),
                  OF(modernbert),
                  OF(deberta),
                  OF(deberta_v2),
                  OF(vit_mae),
                  OF(vit_msn),
                  OF(dinov3),
                  OF(clip),
                  OF(clip_text),
                  OF(clip_vision),
                  OF(siglip),
                  OF(siglip_text),
                  OF(siglip_vision),
                  OF(git),
                  OF(siglip2),
                  OF(siglip2_text),
                  OF(siglip2_vision),
                  OF(qwen3),
                  OF(mistral),
                  OF(phi3),
                  OF(smollm3),
                  OF(olmo2),
                  OF(gemma2),
                  OF(gemma3),
                  OF(gemma3_whole),
                  OF(gemma4),
                  OF(gemma4_whole),
                  {"gemma4_vision", sac_keys_of_gemma4_vision},
                  OF(gpt_neox),
                  OF(opt),
                  OF(gpt_neo),
                  OF(bloom),
                  OF(gpt_oss),
                  OF(mixtral),
                  OF(qwen3_moe),
                  OF(qwen3_next),
                  OF(olmoe),
                  OF(idefics2),
                  {"idefics2_vision", sac_keys_of_idefics2_vision},
                  {"idefics2_perceiver", sac_keys_of_idefics2_perceiver},
                  OF(idefics3),
                  OF(internvl),
                  {"internvl_vision", sac_keys_of_internvl_vision},
                  OF(mistral3),
                  OF(pixtral),
                  OF(llava),
                  OF(gemma),
                  {"rt_detr", sac_keys_of_rt_detr},
                  {"rt_detr_v2", sac_keys_of_rt_detr_v2},
                  OF(paligemma),
                  OF(colpali),
                  OF(colqwen2),
                  OF(swin),
                  OF(florence2),
                  {"davit", sac_keys_of_davit},
                  {"donut_swin", sac_keys_of_swin},
                  OF(llava_next),
                  OF(llava_onevision),
                  OF(qwen2_vl),
                  OF(qwen2_vl_text),
                  OF(qwen2_5_vl),
                  OF(qwen3_vl),
                  OF(qwen3_vl_text),
                  OF(qwen3_5),
                  OF(qwen3_5_text),
                  OF(qwen3_5_moe),
                  OF(qwen3_5_moe_text),
                  {"qwen3_5_vision", sac_keys_of_qwen3_5_vision},
                  OF(qwen3_vl_moe),
                  OF(qwen3_vl_moe_text),
                  OF(ernie),
                  OF(roformer),
                  OF(nomic_bert),
                  OF(gte),
                  OF(jina_embeddings_v3),
                  OF(olmo),
                  OF(olmo3),
                  OF(granite),
                  OF(starcoder2),
                  OF(ernie4_5),
                  OF(glm),
                  OF(glm4),
                  OF(eurobert),
                  OF(phi),
                  OF(stablelm),
                  OF(gptj),
                  OF(falcon),
                  OF(falcon_h1),
                  OF(cohere),
                  OF(cohere2),
                  OF(pegasus),
                  OF(qwen2_moe),
                  OF(llama4),
                  OF(deepseek_v2),
                  OF(deepseek_v3),
                  OF(esm),
                  OF(depth_anything),
                  {"blip_text", sac_keys_of_blip_text},
                  {"blip_vision", sac_keys_of_blip_vision},
                  OF(blip2),
                  {"blip2_vision", sac_keys_of_blip2_vision},
                  {"blip2_queries", sac_keys_of_blip2_queries},
                  {"idefics3_vision", sac_keys_of_idefics3_vision},
                  {"qwen2_vl_vision", sac_keys_of_qwen2_vl_vision},
                  {"qwen2_5_vl_vision", sac_keys_of_qwen2_5_vl_vision},
                  {"qwen3_vl_vision", sac_keys_of_qwen3_vl_vision}};
    cJSON *all = read_json(REFERENCES "/config_keys.json");
    cJSON *nulls = read_json(REFERENCES "/config_nulls.json");
    assert_true(all && nulls);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const cJSON *key, *class = cJSON_GetObjectItem(all, tables[i].class);
        assert_true(cJSON_GetArraySize(class) > 5);
        cJSON_ArrayForEach(key, class) check_key(tables[i].class, tables[i].keys, key);
        cJSON_ArrayForEach(key, class) check_null(tables[i].class, tables[i].keys, key->string,
                                                  cJSON_GetObjectItem(nulls, tables[i].class));
    }
    cJSON_Delete(all);
    cJSON_Delete(nulls);
}

TEST_MAIN(open_device, close_device)
