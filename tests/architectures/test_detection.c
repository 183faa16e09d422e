/* Models that detect objects against `transformers`: what the encoder sees, and boxes, classes and
 * attention of the decoder's queries. */
#include "saccade_arrays.h"
#include "status.h"
#include "trial.h"

#define BACKBONE "\"backbone_config\": null, \"backbone\": "

static void compare_layers(const trial *t, const char *name, size_t layers, size_t numbers,
                           const float *weights)
{
    for (size_t i = 0; i < layers; i++) {
        char full[40];
        snprintf(full, sizeof full, "%s.%zu", name, i);
        compare(weights + i * numbers, expect(t, full, numbers), numbers, 1e-4, full);
    }
}

/* What passes the threshold, in the queries' order as transformers gives it; boxes of a picture of
 * 640 × 480. */
static void compare_objects(const trial *t, const sac_result *result)
{
    const sac_array *labels = sac_arrays_find(t->expected, "found.labels");
    int count = sac_result_count_above(result, SAC_OBJECT_THRESHOLD);
    size_t at = 0;
    assert_non_null(labels);
    assert_int_equal(labels->dtype, SAC_I32);
    assert_int_equal(sac_array_count(labels), count);
    const float *scores = expect(t, "found.scores", (size_t)count);
    const float *boxes = expect(t, "found.boxes", 4 * (size_t)count);
    assert_true(count > 2 && count < result->count);
    for (size_t q = 0; q < (size_t)result->count; q++)
        for (int i = 0; i < count; i++) {
            const sac_result_output *object = &result->outputs[i];
            if (object->query != q)
                continue;
            assert_int_equal(object->word, ((const int32_t *)labels->data)[at]);
            if (object->word == 3)
                assert_string_equal(sac_result_share(result, i), "a very small boat");
            assert_float_equal(object->probability, scores[at], 1e-4);
            for (int k = 0; k < 4; k++)
                assert_float_equal(object->box[k] * (k % 2 ? 480 : 640), boxes[4 * at + (size_t)k],
                                   0.2);
            at++;
        }
    assert_int_equal(at, count);
    for (int i = 1; i < result->count; i++)
        assert_true(result->outputs[i - 1].probability >= result->outputs[i].probability);
}

static void check_found(const char *folder)
{
    trial t;
    sac_result result;
    open_named(&t, folder, "");
    assert_true(sac_inference_finds(t.inference));
    OK(sac_inference_find_objects(t.inference, &result, &failure));
    const sac_attention_kind *cross = &result.attentions->kind[SAC_CROSS_ATTENTION];
    const sac_attention_kind *own = &result.attentions->kind[SAC_DECODER_ATTENTION];
    size_t Q = (size_t)result.count, cells = (size_t)(result.grid_w * result.grid_h);
    const size_t heads = cross->heads;
    assert_int_equal(cross->layers, 3);
    assert_int_equal(cells, t.inference->count - (size_t)t.inference->prefix);
    compare(result.logits, expect(&t, "logits", Q * 5), Q * 5, 1e-3, "logits");
    const float *boxes = expect(&t, "pred_boxes", Q * 4);
    for (size_t i = 0; i < Q; i++) { /* middle and size */
        const sac_result_output *object = &result.outputs[i];
        const float *box = object->box, *expected = boxes + 4 * object->query;
        for (int k = 0; k < 2; k++) {
            assert_float_equal((box[k] + box[k + 2]) / 2, expected[k], 1e-3);
            assert_float_equal(box[k + 2] - box[k], expected[k + 2], 1e-3);
        }
    }
    compare_layers(&t, "cross_attentions", 3, heads * Q * cells, cross->weights);
    compare_layers(&t, "decoder_attentions", 3, heads * Q * Q, own->weights);
    compare_objects(&t, &result);
    sac_result_free(&result);
    close_trial(&t);
}

TEST(detr_sees_as_transformers_does)
{
    check_family("detr", "");
    check_family("detr_timm", "");
    check_family("table_transformer", "");
}

TEST(detr_finds_what_transformers_finds)
{
    check_found("detr");
    check_found("detr_timm");
    check_found("table_transformer");
}

/* Of another size than the trained one, with positions between layers, and of that size without them. */
TEST(yolos_sees_and_finds_as_transformers_does)
{
    static const char *const folders[] = {"yolos", "yolos_plain"};
    for (int i = 0; i < 2; i++) {
        check_family(folders[i], "");
        check_found(folders[i]);
    }
}

/* Every cell has what the points of a query's heads have of it, by a reference in float64. */
static void check_found_by_points(const char *folder, const char *prefix, int across, int down)
{
    enum { Q = 12, H = 3, CLASSES = 3 };
    const size_t cells = (size_t)(across * down);
    trial t;
    sac_result result;
    open_named(&t, folder, prefix);
    assert_true(sac_inference_finds(t.inference));
    OK(sac_inference_find_objects(t.inference, &result, &failure));
    assert_int_equal(result.count, Q);
    assert_int_equal(result.grid_w, across);
    assert_int_equal(result.grid_h, down);
    const float *logits = expect(&t, "logits", Q * CLASSES),
                *boxes = expect(&t, "pred_boxes", 4 * Q);
    compare(result.logits, logits, Q * CLASSES, 1e-3, "logits");
    for (int i = 0; i < Q; i++) {
        const sac_result_output *object = &result.outputs[i];
        const float *box = object->box, *expected = boxes + 4 * object->query;
        const float *own = logits + CLASSES * object->query;
        float most = fmaxf(fmaxf(own[0], own[1]), own[2]);
        assert_true(own[object->word] > most - 1e-3f);
        assert_float_equal(object->probability, 1 / (1 + expf(-most)), 1e-4);
        for (int k = 0; k < 2; k++) {
            assert_float_equal((box[k] + box[k + 2]) / 2, expected[k], 1e-3);
            assert_float_equal(box[k + 2] - box[k], expected[k + 2], 1e-3);
        }
    }
    compare_layers(&t, "rows", 3, H * Q * cells,
                   result.attentions->kind[SAC_CROSS_ATTENTION].weights);
    compare_layers(&t, "decoder_attentions", 3, H * Q * Q,
                   result.attentions->kind[SAC_DECODER_ATTENTION].weights);
    sac_result_free(&result);
    check_weights(&t);
    close_trial(&t);
}

TEST(queries_that_look_at_points_find_as_in_transformers)
{
    static const char *const folders[] = {"rt_detr", "rt_detr_basic", "rt_detr_v2"};
    for (int i = 0; i < 3; i++)
        check_found_by_points(folders[i], "", 3, 2);
    check_found_by_points("rt_detr", "wide.", 13, 1);
}

/* Both sides become whole multiples of 16 pixels below, as in transformers, whose order of tokens has those that
 * detect last. */
TEST(a_picture_for_yolos_has_whole_patches)
{
    static const int sizes[][4] = {{200, 100, 20, 8}, {100, 400, 4, 24}, {40, 40, 8, 8}};
    sac_pretrained_model *model;
    OK(sac_pretrained_model_open_stored(REFERENCES "/yolos", NULL, SAC_STORAGE_F32, &model,
                                        &failure));
    for (int i = 0; i < 3; i++) {
        sac_inference *inference;
        sac_labels labels;
        sac_image image;
        OK(sac_image_create(sizes[i][0], sizes[i][1], &image, &failure));
        OK(sac_inference_see(model, &image, SAC_FIT_WHOLE, &inference, &failure));
        assert_int_equal(inference->grid_w, sizes[i][2]);
        assert_int_equal(inference->grid_h, sizes[i][3]);
        assert_int_equal(inference->prefix, 13);
        OK(sac_inference_labels(inference, &labels, &failure));
        assert_string_equal(labels.text[0], "class");
        assert_string_equal(labels.text[12], "query 11");
        sac_labels_free(&labels);
        sac_inference_free(inference);
        sac_image_free(&image);
    }
    sac_pretrained_model_close(model);
}

/* In the trained size, and in another one: all boxes and logits, and in each layer and head where a patch looks. */
static void check_phrases(const char *folder, const char *prefix)
{
    trial t;
    sac_result result;
    open_named(&t, folder, prefix);
    const size_t N = t.inference->count - 1, H = 3;
    const float *logits = expect(&t, "logits", 2 * N), *boxes = expect(&t, "pred_boxes", 4 * N);
    const float *things = strcmp(folder, "owlv2") == 0 ? expect(&t, "objectness_logits", N) : NULL;
    assert_true(sac_inference_finds_phrases(t.inference));
    assert_false(sac_inference_compares(t.inference) || sac_inference_finds(t.inference));
    for (int head = 0; head <= 2; head++) {
        const sac_result_request request = {
            .phrases = "A dog  CAT | cat", .layer = head ? 3 : 0, .head = head};
        OK(sac_inference_find_phrases(t.inference, &request, &result, &failure));
        assert_int_equal(result.count, N);
        for (int i = 0; i < result.count; i++) {
            const sac_result_output *object = &result.outputs[i];
            const float *box = object->box, *expected = boxes + 4 * object->query;
            const float *own = logits + 2 * object->query;
            double map[64] = {0};
            compare(result.logits + 2 * object->row, own, 2, 1e-3, "logits");
            assert_int_equal(object->word, own[1] > own[0]);
            assert_string_equal(sac_result_share(&result, i),
                                own[1] > own[0] ? "cat" : "A dog  CAT");
            assert_float_equal(object->probability, 1 / (1 + expf(-fmaxf(own[0], own[1]))), 1e-4);
            assert_true(i == 0 || object->probability <= object[-1].probability);
            assert_int_equal(result.has_objectness, things != NULL);
            if (things)
                assert_float_equal(object->objectness, 1 / (1 + expf(-things[object->query])),
                                   1e-4);
            for (int k = 0; k < 2; k++) {
                assert_float_equal((box[k] + box[k + 2]) / 2, expected[k], 1e-3);
                assert_float_equal(box[k + 2] - box[k], expected[k + 2], 1e-3);
            }
            for (size_t l = head ? 2 : 0; l < 3; l++)
                for (size_t h = 0; h < H; h++) {
                    char name[40];
                    snprintf(name, sizeof name, "attentions.%zu", l);
                    const float *row = expect(&t, name, H * (N + 1) * (N + 1)) +
                                       (h * (N + 1) + 1 + object->query) * (N + 1) + 1;
                    for (size_t n = 0; n < N && (!head || h + 1 == (size_t)head); n++)
                        map[n] += (double)row[n] / (head ? 1 : 3 * (double)H);
                }
            for (size_t n = 0; n < N; n++)
                assert_float_equal(result.weights[(size_t)i * N + n], map[n], 1e-4);
        }
        sac_result_free(&result);
    }
    close_trial(&t);
}

TEST(owls_find_what_phrases_name_as_transformers_do)
{
    static const char *const folders[] = {"owlvit", "owlv2"}, *const prefixes[] = {"", "wide.",
                                                                                   "text."};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) {
            check_family(folders[i], prefixes[k]);
            if (k < 2)
                check_phrases(folders[i], prefixes[k]);
        }
}

/* OWLv2 sees a square, with black below or at the right; OWL-ViT all of the picture, out of shape. Boxes are in shares
 * of what is shown. */
TEST(owls_see_pictures_as_transformers_brings_them)
{
    static const int sides[][2] = {{30, 10}, {30, 30}};
    static const char *const folders[] = {"owlvit", "owlv2"};
    for (int i = 0; i < 2; i++) {
        char folder[512];
        sac_pretrained_model *model;
        sac_inference *inference;
        sac_image image;
        snprintf(folder, sizeof folder, "%s/%s", REFERENCES, folders[i]);
        OK(sac_image_create(30, 10, &image, &failure));
        memset(image.rgba, 100, 4 * (size_t)30 * 10);
        OK(sac_pretrained_model_open_stored(folder, NULL, SAC_STORAGE_F32, &model, &failure));
        OK(sac_inference_see(model, &image, SAC_FIT_WHOLE, &inference, &failure));
        assert_true(inference->grid_w == 5 && inference->grid_h == 5);
        assert_int_equal(inference->image.width, sides[i][0]);
        assert_int_equal(inference->image.height, sides[i][1]);
        assert_int_equal(inference->image.rgba[4 * (size_t)(9 * 30 + 29)], 100);
        if (i)
            assert_int_equal(inference->image.rgba[4 * (size_t)(10 * 30 + 29)], 0);
        sac_inference_free(inference);
        sac_pretrained_model_close(model);
        sac_image_free(&image);
    }
}

/* The mean of maps is theirs; one layer and head are as they are. */
TEST(what_a_query_looks_at_is_a_head_or_a_mean)
{
    trial t;
    sac_result result;
    open_named(&t, "detr", "");
    OK(sac_inference_find_objects(t.inference, &result, &failure));
    const float *maps = result.attentions->kind[SAC_CROSS_ATTENTION].weights;
    size_t cells = (size_t)(result.grid_w * result.grid_h), map = (size_t)result.count * cells;
    size_t at = result.outputs[5].query * cells;
    float look[64], sum = 0;
    assert_true(cells <= 64);
    sac_result_row(&result, 5, 2, 1, look);
    assert_memory_equal(look, maps + (2 * 2 + 1) * map + at, cells * sizeof *look);
    sac_result_row(&result, 5, -1, 1, look);
    for (size_t l = 0; l < 3; l++)
        sum += maps[(l * 2 + 1) * map + at + 3] / 3;
    assert_float_equal(look[3], sum, 1e-6);
    sac_result_row(&result, 5, -1, -1, look);
    sum = 0;
    for (size_t i = 0; i < cells; i++)
        sum += look[i];
    assert_float_equal(sum, 1, 1e-5);
    sac_result_free(&result);
    close_trial(&t);
}

/* Both sides follow the rules: the shorter one, and at most the longest. */
TEST(a_picture_is_brought_to_the_size_of_the_folder)
{
    static const char *const folders[] = {"detr", "detr_timm"};
    static const int sizes[][4] = {{200, 100, 12, 6}, {100, 400, 3, 12}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            char folder[512];
            sac_pretrained_model *model;
            sac_inference *inference;
            sac_image image;
            int stride = i == 0 ? 1 : 2; /* the other network has a stage more */
            snprintf(folder, sizeof folder, "%s/%s", REFERENCES, folders[i]);
            OK(sac_image_create(sizes[k][0], sizes[k][1], &image, &failure));
            memset(image.rgba, 100, 4 * (size_t)sizes[k][0] * (size_t)sizes[k][1]);
            OK(sac_pretrained_model_open_stored(folder, NULL, SAC_STORAGE_F32, &model, &failure));
            OK(sac_inference_see(model, &image, SAC_FIT_WHOLE, &inference, &failure));
            assert_int_equal(inference->grid_w, (sizes[k][2] + stride - 1) / stride);
            assert_int_equal(inference->grid_h, (sizes[k][3] + stride - 1) / stride);
            assert_int_equal(inference->image.width, sizes[k][0]);
            sac_inference_free(inference);
            sac_pretrained_model_close(model);
            sac_image_free(&image);
        }
}

#define DETR(queries, more)                                                                        \
    "{\"model_type\": \"detr\", \"d_model\": 32, \"encoder_layers\": 2, \"decoder_layers\": 3, "   \
    "\"encoder_attention_heads\": 4, \"decoder_attention_heads\": 2, \"encoder_ffn_dim\": 40, "    \
    "\"decoder_ffn_dim\": 48, \"num_queries\": " #queries more "}"

TEST(what_is_not_known_of_a_detector_is_refused)
{
    check_folder_refused("detr_timm", DETR(12, ", \"position_embedding_type\": \"learned\""),
                         SAC_E_FORMAT, "position_embedding_type");
    check_folder_refused("detr_timm", DETR(12, ", \"dilation\": true"), SAC_E_FORMAT, "dilation");
    check_folder_refused("detr_timm", DETR(12, ", " BACKBONE "\"tf_efficientnet_b0\""),
                         SAC_E_FORMAT, "\"tf_efficientnet_b0\" is not supported");
    check_folder_refused("detr_timm", DETR(12, ", \"backbone_config\": {\"model_type\": \"swin\"}"),
                         SAC_E_FORMAT, "\"swin\" is not resnet or timm_backbone");
    check_folder_refused("detr_timm", DETR(12, ", \"use_timm_backbone\": false"), SAC_E_FORMAT,
                         "backbone_config: is missing");
    check_folder_refused("detr", DETR(12, ""), SAC_E_FORMAT, "\"model.backbone");
    check_folder_refused("detr_timm", DETR(13, ""), SAC_E_SHAPE, "not [13,32]");
}

TEST_MAIN(open_device, close_device)
