/* Families that see pictures against `transformers`: at the size that they were trained on, and at
 * another aspect, to which positions are interpolated. */

#include "saccade_arrays.h"
#include "status.h"
#include "trial.h"

TEST(vit_is_that_of_transformers)
{
    check_family("vit", "");
}

TEST(vit_sees_another_aspect_as_transformers_does)
{
    check_family("vit", "wide.");
}

TEST(vit_without_biases_and_with_a_head_is_that_of_transformers)
{
    check_family("vit_classifier", "");
}

TEST(deit_is_that_of_transformers)
{
    check_family("deit", "");
    check_family("deit", "wide.");
}

TEST(dinov2_is_that_of_transformers)
{
    check_family("dinov2", "");
    check_family("dinov2", "wide.");
}

TEST(dinov2_with_registers_is_that_of_transformers)
{
    check_family("dinov2_with_registers", "");
    check_family("dinov2_with_registers", "wide.");
}

TEST(dinov2_with_swiglu_is_that_of_transformers)
{
    check_family("dinov2_giant", "");
    check_family("dinov2_giant", "wide.");
}

TEST(depth_anything_sees_as_dinov2)
{
    check_family("depth_anything", "");
    check_family("depth_anything", "wide.");
}

TEST(mae_and_msn_are_those_of_transformers)
{
    check_family("vit_mae", "");
    check_family("vit_msn", "");
    check_family("vit_msn", "wide.");
}

/* Sizes are those of the tensors. */
TEST(timms_names_are_those_of_transformers)
{
    check_family("timm", "");
    check_family("timm_registers", "");
    check_family("timm_registers", "wide.");
}

TEST(dinov3_is_that_of_transformers)
{
    check_family("dinov3", "");
    check_family("dinov3", "wide.");
    check_family("dinov3_gated", "");
    check_family("dinov3_gated", "wide.");
}

/* ---------------------------------------------------------------- encoders in stages */

/* Each stage of the picture under `prefix`: its states, and its heads' weights over its grid. */
static void check_stages(const char *folder, const char *prefix)
{
    trial t;
    char name[32];
    open_named(&t, folder, prefix);
    size_t numbers = t.inference->count * sac_inference_width(t.inference);
    compare(t.inference->left, expect(&t, "last_hidden_state", numbers), numbers, 1e-4, folder);
    sac_inference_free(t.inference);
    assert_true(sac_architecture_has_heads(t.model) && t.model->stage_count > 1);
    for (int i = 1; i <= t.model->stage_count; i++) {
        snprintf(name, sizeof name, "%spixel_values", prefix);
        const sac_array *pixels = sac_arrays_find(t.expected, name);
        OK(sac_stages_see(t.model, pixels->data, (int)pixels->shape[3], (int)pixels->shape[2], i,
                          true, NULL, &t.inference, &failure));
        snprintf(name, sizeof name, "%sstage.%d.", prefix, i);
        t.prefix = name;
        check_layers(&t);
        check_weights(&t);
    }
    t.prefix = prefix;
    close_trial(&t);
}

TEST(swin_is_that_of_transformers_in_each_stage)
{
    check_stages("swin", "");
    check_stages("swin", "wide.");
}

/* The eyes of captioners, whose heads are looked at as those of Swin by itself. */
static void open_stage(trial *t, const char *family, int stage, char prefix[32])
{
    char folder[512], name[64];
    snprintf(folder, sizeof folder, "%s/%s", REFERENCES, family);
    snprintf(prefix, 32, "%s.", family);
    open_trial(t, folder, REFERENCES "/stages.safetensors", prefix);
    sac_inference_free(t->inference);
    snprintf(name, sizeof name, "%spixel_values", prefix);
    const sac_array *pixels = sac_arrays_find(t->expected, name);
    OK(sac_stages_see(t->model, pixels->data, (int)pixels->shape[3], (int)pixels->shape[2], stage,
                      true, NULL, &t->inference, &failure));
    snprintf(prefix, 32, "%s.stage.%d.", family, stage);
}

TEST(heads_of_donuts_eye_are_those_of_transformers)
{
    for (int stage = 1; stage <= 3; stage++) {
        trial t;
        char prefix[32];
        open_stage(&t, "donut", stage, prefix);
        assert_true(sac_architecture_has_heads(t.model));
        check_layers(&t);
        check_weights(&t);
        close_trial(&t);
    }
}

TEST(heads_and_channels_of_florence2s_eye_are_those_of_transformers)
{
    for (int i = 0; i < 4; i++) {
        trial t;
        char prefix[32], name[40];
        open_stage(&t, "florence2", i / 2 + 1, prefix);
        t.inference->shows_channels = i % 2;
        if (!t.inference->shows_channels) {
            check_weights(&t);
            close_trial(&t);
            continue;
        }
        sac_source source;
        OK(sac_inference_open_source(t.inference, &source, &failure));
        t.inference = NULL;
        assert_int_equal(source.weights.opened.reading, 2 + i / 2);
        size_t T = source.weights.steps, map = T * T;
        float weights[16];
        assert_int_equal(T, 4);
        for (size_t layer = 0; layer < source.weights.layers; layer++) {
            snprintf(name, sizeof name, "channels.%zu", layer);
            const float *expected = expect(&t, name, source.weights.heads * map);
            for (size_t head = 0; head < source.weights.heads; head++) {
                const sac_tile tile = {.head = head, .rows = T, .cols = T};
                OK(source.weights.tile(source.self, layer, &tile, weights, &failure));
                compare(weights, expected + head * map, map, 1e-4, name);
            }
        }
        sac_source_destroy(&source);
        close_trial(&t);
    }
}

/* Florence-2's eye: windows, channels, and convolutions; no norm is behind them. To 1e-5 of the
 * largest number. */
TEST(davit_is_that_of_transformers)
{
    trial t;
    double most = 0;
    open_named(&t, "florence2", "");
    size_t numbers = t.inference->count * sac_inference_width(t.inference);
    const float *expected = expect(&t, "last_hidden_state", numbers);
    for (size_t i = 0; i < numbers; i++)
        most = fmax(most, fabs((double)expected[i]));
    compare(t.inference->left, expected, numbers, 1e-5 * most, "DaViT");
    close_trial(&t);
}

/* Distances of patches, of each layer and of all, to a wider grid interpolated. */
TEST(beit_is_that_of_transformers)
{
    check_family("beit", "");
    check_family("beit", "wide.");
    check_family("beit_shared", "");
    check_family("beit_shared", "wide.");
}

TEST(clip_and_siglip_see_and_read_as_transformers_does)
{
    static const char *const folders[] = {"clip", "siglip", "siglip2"}, *const prefixes[] = {
                                                                            "", "wide.", "text."};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            check_family(folders[i], prefixes[k]);
}

/* The half that reads has the folder's tokenizer, and an inference of it keeps the whole model. A
 * text for SigLIP is filled up with padding. */
static void check_read(const char *folder, const char *text)
{
    trial t;
    sac_inference *read;
    sac_labels labels;
    open_named(&t, folder, "text.");
    assert_true(sac_architecture_has_media_encoder(t.model) &&
                sac_architecture_has_text_encoder(t.model));
    OK(sac_inference_read(t.model, text, &read, &failure));
    assert_int_equal(read->count, t.inference->count);
    assert_memory_equal(read->ids, t.inference->ids, read->count * sizeof *read->ids);
    close_trial(&t);
    OK(sac_inference_labels(read, &labels, &failure));
    sac_labels_free(&labels);
    sac_inference_free(read);
}

/* The settings that a file of 2022 has of a half beside it count. */
TEST(a_half_of_clip_is_what_both_objects_show)
{
    sac_pretrained_model *model;
    OK(open_with_config(
        "clip",
        "{\"model_type\": \"clip\", \"text_config\": {\"hidden_size\": 64, "
        "\"num_hidden_layers\": 1}, \"text_config_dict\": {\"hidden_size\": 32, "
        "\"num_attention_heads\": 4, \"intermediate_size\": 40, \"vocab_size\": 20, "
        "\"max_position_embeddings\": 12}, \"vision_config\": {\"hidden_size\": 24, "
        "\"num_hidden_layers\": 3, \"num_attention_heads\": 3, \"intermediate_size\": 40, "
        "\"image_size\": 20, \"patch_size\": 4}}",
        &model, &failure));
    assert_int_equal(model->reader->width, 32);
    assert_int_equal(model->reader->layers, 1);
    sac_pretrained_model_close(model);
}

TEST(clip_and_siglip_read_a_text_by_their_tokenizers)
{
    check_read("clip", "A dog  CAT");
    check_read("siglip", "a dog");
}

/* Logits to 1e-3 and cosines of patches to 1e-4, in every way, of what float64 gives. */
static void check_likeness(const char *folder, const char *phrases, bool each)
{
    enum { PHRASES = 2, PATCHES = 25 };
    trial t;
    open_named(&t, folder, "");
    const float *logits = expect(&t, "likeness.logits", PHRASES);
    const float *patches =
        expect(&t, "likeness.patches", SAC_LIKENESS_RELEVANCE * PHRASES * PATCHES);
    assert_true(sac_inference_compares(t.inference));
    for (int way = SAC_LIKENESS_RELEVANCE - 1; way >= 0; way--) {
        sac_result result;
        const sac_result_request asked = {.phrases = phrases, .way = (sac_likeness_way)way};
        OK(sac_inference_compare(t.inference, &asked, &result, &failure));
        assert_int_equal(result.count, PHRASES);
        for (int i = 0; i < PHRASES; i++)
            assert_float_equal(result.outputs[i].logit, logits[i], 1e-3);
        compare(result.weights, patches + way * PHRASES * PATCHES, PHRASES * PATCHES, 1e-4,
                sac_likeness_way_names[way]);
        double sum = 0;
        for (int i = 0; i < PHRASES; i++)
            sum += (double)result.outputs[i].probability;
        if (each)
            assert_float_equal(result.outputs[0].probability, 1 / (1 + expf(-logits[0])), 1e-4);
        else
            assert_float_equal(sum, 1, 1e-6);
        sac_result_free(&result);
    }
    close_trial(&t);
}

TEST(clip_and_siglip_compare_a_picture_and_its_patches_with_phrases)
{
    check_likeness("clip", "A dog  CAT | cat", false);
    check_likeness("siglip", "a dog\n\n dog|", true);
    check_likeness("siglip2", "a dog|dog", true);
}

/* The end token stays, whose state is compared: what is cut off makes no difference. */
TEST(a_phrase_longer_than_the_places_keeps_its_end)
{
    trial t;
    sac_result result;
    const sac_result_request asked = {.phrases = "a a a a a a a a a a|a a a a a a a a a a a a a a"};
    open_named(&t, "clip", "");
    OK(sac_inference_compare(t.inference, &asked, &result, &failure));
    assert_true(result.outputs[0].cosine == result.outputs[1].cosine);
    sac_result_free(&result);
    close_trial(&t);
}

/* Rows of a picture's file, and of the query: cosines to 1e-4, and the page's score to 1e-3, as embeddings and
 * score_retrieval of transformers have them; the tokens of both prompts are those of its processor. */
static void check_late(const char *folder, size_t page, size_t query, size_t words, size_t from,
                       int grid_w, int grid_h, size_t first)
{
    enum { P = 16 };
    trial t = {.prefix = ""};
    char path[512];
    sac_image image;
    sac_inference *seen;
    sac_result result;
    const sac_result_request asked = {.phrases = "the river's bank money"};
    snprintf(path, sizeof path, "%s/%s/reference.safetensors", REFERENCES, folder);
    OK(sac_arrays_open(path, &t.expected, &failure));
    const float *of_page = expect(&t, "page_embeddings", page * P);
    const float *of_query = expect(&t, "query_embeddings", query * P);
    const float *score = expect(&t, "score", 1);
    snprintf(path, sizeof path, "%s/%s/picture.png", REFERENCES, folder);
    OK(sac_image_load(path, &image, &failure));
    snprintf(path, sizeof path, "%s/%s", REFERENCES, folder);
    OK(sac_pretrained_model_open_stored(path, NULL, SAC_STORAGE_F32, &t.model, &failure));
    assert_string_equal(sac_architecture_note(t.model), "");
    OK(sac_inference_see(t.model, &image, SAC_FIT_WHOLE, &seen, &failure));
    assert_true(sac_inference_compares(seen));
    OK(sac_inference_compare(seen, &asked, &result, &failure));
    assert_int_equal(result.count, query);
    assert_int_equal(result.grid_w, grid_w);
    assert_int_equal(result.grid_h, grid_h);
    assert_true(result.has_score);
    assert_float_equal(result.score, score[0], 1e-3);
    const size_t cells = (size_t)(grid_w * grid_h);
    for (size_t i = 0; i < query; i++) {
        const size_t at = i < words ? from + i : i - words < from ? i - words : i;
        double most = -2;
        for (size_t n = 0; n < page; n++) {
            double cosine = 0;
            for (size_t k = 0; k < P; k++)
                cosine += (double)of_query[at * P + k] * (double)of_page[n * P + k];
            most = fmax(most, cosine);
            if (n >= first && n < first + cells)
                assert_float_equal(result.weights[i * cells + n - first], cosine, 1e-4);
        }
        assert_float_equal(result.outputs[i].cosine, most, 1e-4);
        assert_int_equal(result.outputs[i].is_of_prompt, i >= words);
    }
    sac_result_free(&result);
    sac_inference *text;
    const sac_array *ids = sac_arrays_find(t.expected, "query");
    OK(sac_inference_read(t.model, asked.phrases, &text, &failure));
    assert_int_equal(text->count, query);
    assert_memory_equal(text->ids, ids->data, query * sizeof *text->ids);
    sac_inference_free(text);
    const sac_result_request other = {.phrases = "the", .way = SAC_LIKENESS_VALUES}, none = {0};
    REFUSES(SAC_E_ARGUMENT, "…compares each token…",
            sac_inference_compare(seen, &other, &result, &failure));
    REFUSES(SAC_E_ARGUMENT, "…is empty…", sac_inference_compare(seen, &none, &result, &failure));
    sac_inference_free(seen);
    sac_image_free(&image);
    sac_pretrained_model_close(t.model);
    sac_arrays_close(t.expected);
}

TEST(words_of_a_query_are_compared_with_the_tokens_of_a_page)
{
    check_late("colpali", 33, 35, 15, 9, 4, 4, 0);
    check_late("colqwen2", 44, 31, 15, 5, 8, 4, 7);
}

TEST(phrases_that_cannot_be_compared_are_refused)
{
    trial t;
    sac_result result;
    const sac_result_request none = {.phrases = " | \n"}, many = {.phrases = "a|a|a|a|a|a|a|a|a"};
    open_named(&t, "clip", "");
    REFUSES(SAC_E_ARGUMENT, "…none…", sac_inference_compare(t.inference, &none, &result, &failure));
    REFUSES(SAC_E_ARGUMENT, "…more than 8…",
            sac_inference_compare(t.inference, &many, &result, &failure));
    close_trial(&t);
    open_named(&t, "vit", "");
    assert_false(sac_inference_compares(t.inference));
    close_trial(&t);
}

/* ---------------------------------------------------------------- residual networks */

/* The last feature map [D,h,w], to 1e-5 of its largest number. */
static void check_residual(const char *folder)
{
    trial t;
    open_named(&t, folder, "");
    const sac_inference *p = t.inference;
    size_t width = sac_inference_width(p), cells = (size_t)(p->grid_w * p->grid_h);
    const float *expected = expect(&t, "last_hidden_state", cells * width);
    float *planes = calloc(cells * width, sizeof *planes);
    double most = 0;
    assert_non_null(planes);
    assert_true(sac_architecture_has_media_encoder(t.model) &&
                !sac_architecture_has_heads(t.model));
    for (size_t i = 0; i < cells * width; i++) {
        planes[i % width * cells + i / width] = p->left[i];
        most = fmax(most, fabs((double)expected[i]));
    }
    compare(planes, expected, cells * width, 1e-5 * most, folder);
    free(planes);
    close_trial(&t);
}

TEST(residual_networks_are_those_of_transformers)
{
    check_residual("../encoders/resnet");
    check_residual("../encoders/resnet_basic");
    check_residual("../encoders/resnet_classifier");
}

TEST(what_is_no_residual_network_is_refused)
{
    static const char *const rows[][2] = {
        {"\"hidden_act\": \"gelu\"", "is not relu"},
        {"\"layer_type\": \"wide\"", "\"wide\" is neither basic nor bottleneck"},
        {"\"num_channels\": 1", "is not 3"},
        {"\"depths\": [1, 1]", "is not of as many stages as hidden_sizes"},
        {"\"hidden_sizes\": []", "has no stage"},
        {"\"hidden_sizes\": [1, 2, 3, 4, 5]", "has more than 4 numbers"},
        {"\"hidden_sizes\": [16, 24, 32, 41]", "ends with 41, and the last stage gives 40"},
        {"\"depths\": [2, 1, 1, 2]", "\"encoder.stages.3.layers.1.layer.0.convolution.weight\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char config[400];
        snprintf(config, sizeof config,
                 "{%s, \"model_type\": \"resnet\", \"hidden_sizes\": [16, 24, 32, 40], \"depths\": "
                 "[2, 1, 1, 1]}",
                 rows[i][0]); /* of two members of one name the first is read */
        sac_pretrained_model *model;
        sac_error error = {0};
        assert_int_not_equal(open_with_config("../encoders/resnet", config, &model, &error),
                             SAC_OK);
        if (!strstr(error.what, rows[i][1]))
            fail_msg("\"%s\" does not contain \"%s\"", error.what, rows[i][1]);
    }
}

/* ---------------------------------------------------------------- pictures */

/* Waves of the three colours. */
static sac_image make_picture(int width, int height)
{
    sac_image image;
    OK(sac_image_create(width, height, &image, &failure));
    for (int i = 0; i < 4 * width * height; i++)
        image.rgba[i] = i % 4 == 3 ? 255 : (uint8_t)(128 + 100 * sin(i / (7.0 + i % 4)));
    return image;
}

/* The passage of a picture of that size through a tiny model. */
static sac_inference *see(const char *architecture, int width, int height, sac_picture_fit fit)
{
    char folder[512];
    sac_pretrained_model *model;
    sac_inference *inference;
    sac_image image = make_picture(width, height);
    snprintf(folder, sizeof folder, "%s/%s", REFERENCES, architecture);
    OK(sac_pretrained_model_open_stored(folder, NULL, SAC_STORAGE_F32, &model, &failure));
    OK(sac_inference_see(model, &image, fit, &inference, &failure));
    sac_pretrained_model_close(model);
    sac_image_free(&image);
    return inference;
}

static void check_seen(const char *architecture, int width, int height, sac_picture_fit fit,
                       int grid_w, int grid_h)
{
    sac_inference *p = see(architecture, width, height, fit);
    assert_int_equal(p->grid_w, grid_w);
    assert_int_equal(p->grid_h, grid_h);
    assert_int_equal(p->count, p->prefix + grid_w * grid_h);
    assert_int_equal(p->image.width, fit == SAC_FIT_WHOLE ? width : 4 * grid_w);
    assert_int_equal(p->image.height, fit == SAC_FIT_WHOLE ? height : 4 * grid_h);
    sac_inference_free(p);
}

TEST(a_picture_is_seen_whole_in_its_own_aspect_or_as_the_model_was_trained)
{
    check_seen("vit", 60, 30, SAC_FIT_WHOLE, 10, 5);
    check_seen("dinov2", 30, 61, SAC_FIT_WHOLE, 5, 10);
    check_seen("vit", 60, 30, SAC_FIT_TRAINED, 5, 5);
    check_seen("vit", 300, 2, SAC_FIT_WHOLE, 750, 5);
    check_seen("siglip2", 60, 30, SAC_FIT_WHOLE, 8, 4); /* of 40 patches at most */
}

TEST(a_picture_of_too_many_patches_is_refused)
{
    sac_pretrained_model *model;
    sac_inference *inference;
    sac_image image = make_picture(8000, 1);
    OK(sac_pretrained_model_open_stored(REFERENCES "/vit", NULL, SAC_STORAGE_F32, &model,
                                        &failure));
    REFUSES(SAC_E_SHAPE, "…has over 16384 patches of 4 x 4 pixels…",
            sac_inference_see(model, &image, SAC_FIT_WHOLE, &inference, &failure));
    assert_null(inference);
    REFUSES(SAC_E_SHAPE, "…22 x 3 pixels are less than a patch of vit, 4 x 4…",
            sac_inference_see_pixels(model, NULL, 22, 3, &inference, &failure));
    sac_pretrained_model_close(model);
    sac_image_free(&image);
}

TEST(the_trace_has_the_patches_over_the_picture_and_names_what_comes_before)
{
    sac_source source;
    sac_inference *p = see("dinov2_with_registers", 60, 30, SAC_FIT_WHOLE);
    OK(sac_inference_open_source(p, &source, &failure));
    assert_int_equal(source.picture.grid_w * source.picture.grid_h + source.picture.prefix,
                     source.weights.positions);
    assert_int_equal(source.picture.image->width, 60);
    assert_int_equal(source.weights.position_labels.count, 5);
    assert_string_equal(source.weights.position_labels.text[0], "class");
    assert_string_equal(source.weights.position_labels.text[4], "register 4");
    sac_source_destroy(&source);
}

/* ---------------------------------------------------------------- what is wrong with a folder */

#define VIT(rest)                                                                                  \
    "{\"model_type\": \"vit\", \"hidden_act\": \"gelu\", \"hidden_size\": 24, "                    \
    "\"num_attention_heads\": 3, \"intermediate_size\": 40" rest "}"

TEST(what_is_missing_or_does_not_fit_is_reported)
{
    check_folder_refused(
        "vit", VIT(", \"image_size\": 20, \"patch_size\": 4, \"num_hidden_layers\": 4"),
        SAC_E_FORMAT, "the tensor \"encoder.layer.3.attention.attention.query.weight\" is missing");
    check_folder_refused("vit",
                         VIT(", \"image_size\": 20, \"patch_size\": 5, \"num_hidden_layers\": 3"),
                         SAC_E_SHAPE, "is [1,26,24], not [1,17,24]");
    check_folder_refused("vit",
                         VIT(", \"image_size\": 20, \"patch_size\": 32, \"num_hidden_layers\": 3"),
                         SAC_E_FORMAT, "patch_size: 32 does not fit into an image_size of 20");
    check_folder_refused("vit", VIT(", \"num_channels\": 1, \"num_hidden_layers\": 3"),
                         SAC_E_FORMAT, "num_channels");
}

TEST_MAIN(open_device, close_device)
