/* A folder of a pretrained model: its files, its values, and a picture as its rules bring it to the
 * model (make_references.py). */
#include "scratch.h"

#include <cjson/cJSON.h>
#include <sys/stat.h>

#include "pretrained/files/adapter.h"
#include "pretrained/files/foreign_folder.h"
#include "pretrained/files/picture_rules.h"
#include "pretrained/files/pretrained.h"
#include "saccade_arrays.h"
#include "status.h"
#include "torch_file.h"

/* ---------------------------------------------------------------- pictures */

TEST(a_picture_in_another_size_is_pillows_to_the_last_bit)
{
    static const char *const names[SAC_RESAMPLINGS] = {"nearest", "lanczos", "bilinear",
                                                       "bicubic", "box",     "hamming"};
    static const int sizes[][2] = {{24, 24}, {70, 33}, {41, 9}, {1, 1}};
    sac_arrays *expected;
    sac_image picture, made;
    OK(sac_arrays_open(TEST_DATA "/resampled.npz", &expected, NULL));
    OK(sac_image_load(TEST_DATA "/picture.png", &picture, NULL));
    for (int f = 0; f < SAC_RESAMPLINGS; f++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            char name[64];
            int width = sizes[s][0], height = sizes[s][1];
            snprintf(name, sizeof name, "%s.%dx%d", names[f], width, height);
            const sac_array *array = sac_arrays_find(expected, name);
            OK(sac_resample(&picture, width, height, (sac_resampling)f, &made, NULL));
            const uint8_t *wanted = array->data;
            for (int i = 0; i < width * height; i++, wanted += 3)
                if (memcmp(made.rgba + 4 * i, wanted, 3) != 0)
                    fail_msg("%s: pixel %d is %d %d %d, not %d %d %d", name, i, made.rgba[4 * i],
                             made.rgba[4 * i + 1], made.rgba[4 * i + 2], wanted[0], wanted[1],
                             wanted[2]);
            sac_image_free(&made);
        }
    sac_image_free(&picture);
    sac_arrays_close(expected);
}

static void write_text(scratch *s, const char *name, const char *text)
{
    scratch_write(s, name, text, strlen(text));
}

static const sac_picture_guess of_vit = {"ViTImageProcessor", 0, 0};

static sac_picture_rules read_rules(scratch *s, const char *json)
{
    sac_picture_rules rules;
    write_text(s, "preprocessor_config.json", json);
    if (sac_picture_rules_read(s->folder, &of_vit, &rules, &failure) != SAC_OK)
        fail_msg("%s: %s", json, failure.what);
    return rules;
}

/* Donut's, two of which are turned first. */
IN_SCRATCH(a_page_is_turned_before_it_is_brought_to_its_size)
{
    static const int pages[][2] = {{20, 30}, {20, 24}, {30, 20}};
    sac_arrays *expected;
    sac_image picture, made;
    OK(sac_arrays_open(TEST_DATA "/resampled.npz", &expected, NULL));
    OK(sac_image_load(TEST_DATA "/picture.png", &picture, NULL));
    for (size_t p = 0; p < sizeof pages / sizeof *pages; p++) {
        char json[200], name[64];
        snprintf(name, sizeof name, "page.%dx%d", pages[p][0], pages[p][1]);
        snprintf(
            json, sizeof json,
            "{\"image_processor_type\": \"DonutImageProcessor\", \"do_align_long_axis\": true, "
            "\"resample\": 2, \"size\": {\"width\": %d, \"height\": %d}}",
            pages[p][0], pages[p][1]);
        const sac_picture_rules rules = read_rules(s, json);
        OK(sac_picture_rules_apply(&rules, &picture, &made, NULL));
        assert_int_equal(made.width, pages[p][0]);
        assert_int_equal(made.height, pages[p][1]);
        const uint8_t *wanted = sac_arrays_find(expected, name)->data;
        for (int i = 0; i < made.width * made.height; i++)
            if (memcmp(made.rgba + 4 * i, wanted + 3 * i, 3) != 0)
                fail_msg("%s: pixel %d is %d, not %d", name, i, made.rgba[4 * i], wanted[3 * i]);
        sac_image_free(&made);
    }
    sac_image_free(&picture);
    sac_arrays_close(expected);
}

/* OWLv2's, to half a grey level. */
IN_SCRATCH(a_square_is_resized_behind_a_gaussian_filter)
{
    static const int sizes[][2] = {{12, 12}, {60, 60}, {20, 50}};
    sac_arrays *expected;
    sac_image picture, square, made;
    OK(sac_arrays_open(TEST_DATA "/resampled.npz", &expected, NULL));
    OK(sac_image_load(TEST_DATA "/picture.png", &picture, NULL));
    OK(sac_picture_rules_square(&picture, &square, NULL));
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        char json[200], name[64];
        snprintf(name, sizeof name, "smooth.%dx%d", sizes[k][0], sizes[k][1]);
        snprintf(json, sizeof json,
                 "{\"image_processor_type\": \"Owlv2ImageProcessor\", \"do_pad\": true, "
                 "\"size\": {\"width\": %d, \"height\": %d}}",
                 sizes[k][0], sizes[k][1]);
        const sac_picture_rules rules = read_rules(s, json);
        assert_true(rules.squares && rules.smooths);
        OK(sac_picture_rules_apply(&rules, &square, &made, NULL));
        const float *wanted = sac_arrays_find(expected, name)->data;
        for (int i = 0; i < 3 * made.width * made.height; i++)
            assert_float_equal(made.rgba[i / 3 * 4 + i % 3], wanted[i], 0.51);
        sac_image_free(&made);
    }
    sac_image_free(&picture);
    sac_image_free(&square);
    sac_arrays_close(expected);
}

static void assert_size(const sac_picture_rules *rules, int width, int height)
{
    sac_image from, to;
    OK(sac_image_create(60, 40, &from, NULL));
    OK(sac_picture_rules_apply(rules, &from, &to, NULL));
    assert_int_equal(to.width, width);
    assert_int_equal(to.height, height);
    sac_image_free(&from);
    sac_image_free(&to);
}

IN_SCRATCH(sizes_are_read_in_all_ways_that_they_are_written)
{
    sac_picture_rules rules;
    OK(sac_picture_rules_read(s->folder, &of_vit, &rules, NULL));
    assert_size(&rules, 224, 224);
    rules = read_rules(s, "{\"size\": 16}");
    assert_size(&rules, 16, 16);
    rules = read_rules(s, "{\"size\": {\"height\": 12, \"width\": 20}, \"resample\": 3}");
    assert_int_equal(rules.resampling, SAC_RESAMPLE_BICUBIC);
    assert_size(&rules, 20, 12);
    rules = read_rules(s, "{\"size\": [12, 20]}");
    assert_size(&rules, 20, 12);
    rules = read_rules(s, "{\"size\": 20, \"default_to_square\": false}");
    assert_size(&rules, 30, 20);
    rules = read_rules(s, "{\"size\": {\"shortest_edge\": 20, \"longest_edge\": 24}}");
    assert_size(&rules, 24, 16);
    rules = read_rules(s, "{\"size\": {\"shortest_edge\": 20, \"longest_edge\": 40}}");
    assert_size(&rules, 30, 20);
    rules = read_rules(s, "{\"size\": {\"max_height\": 20, \"max_width\": 15}}");
    assert_size(&rules, 15, 10);
    rules = read_rules(s, "{\"size\": {\"shortest_edge\": 20}}");
    assert_size(&rules, 30, 20);
    rules = read_rules(s, "{\"size\": {\"shortest_edge\": 20}, \"do_center_crop\": true, "
                          "\"crop_size\": {\"height\": 16, \"width\": 16}}");
    assert_size(&rules, 16, 16);
    rules = read_rules(s, "{\"do_resize\": false}");
    assert_size(&rules, 60, 40);
#define DPT "{\"image_processor_type\": \"DPTImageProcessor\", \"ensure_multiple_of\": "
    rules = read_rules(s, DPT "14, \"keep_aspect_ratio\": true, \"size\": 518}");
    assert_size(&rules, 518, 350);
    rules = read_rules(s, DPT "4, \"keep_aspect_ratio\": true, \"size\": 30}"); /* by height */
    assert_size(&rules, 44, 32);
    rules = read_rules(s, DPT "8, \"size\": {\"height\": 30, \"width\": 50}}");
    assert_size(&rules, 48, 32);
}

/* What a file leaves out is what its class takes, as in transformers 5.24. */
IN_SCRATCH(picture_rules_use_class_defaults_for_missing_keys)
{
    static const struct {
        const char *json;
        int width, height; /* of a picture of 60 × 40 */
        float mean;
        sac_resampling resampling;
    } cases[] = {
        {"{\"image_processor_type\": \"ViTImageProcessor\"}", 224, 224, 0.5f,
         SAC_RESAMPLE_BILINEAR},
        {"{\"image_processor_type\": \"ViTImageProcessorFast\", \"resample\": null}", 224, 224,
         0.5f, SAC_RESAMPLE_BILINEAR},
        {"{\"feature_extractor_type\": \"DeiTFeatureExtractor\", \"size\": 20, \"crop_size\": 16}",
         16, 16, 0.5f, SAC_RESAMPLE_BICUBIC},
        {"{\"image_processor_type\": \"DeiTImageProcessor\", \"do_center_crop\": false}", 256, 256,
         0.5f, SAC_RESAMPLE_BICUBIC},
        {"{\"image_processor_type\": \"BitImageProcessor\"}", 224, 224, 0.48145466f,
         SAC_RESAMPLE_BICUBIC},
        {"{\"image_processor_type\": \"CLIPImageProcessor\", \"size\": 20, "
         "\"do_center_crop\": false}",
         30, 20, 0.48145466f, SAC_RESAMPLE_BICUBIC},
        {"{\"image_processor_type\": \"BlipImageProcessor\"}", 384, 384, 0.48145466f,
         SAC_RESAMPLE_BICUBIC},
        {"{\"image_processor_type\": \"ConvNextImageProcessor\"}", 384, 384, 0.5f,
         SAC_RESAMPLE_BICUBIC},
        {"{\"image_processor_type\": \"ConvNextImageProcessor\", \"size\": {\"shortest_edge\": "
         "70}, "
         "\"image_mean\": 0.25}",
         70, 70, 0.25f, SAC_RESAMPLE_BICUBIC},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_picture_rules rules = read_rules(s, cases[i].json);
        assert_size(&rules, cases[i].width, cases[i].height);
        assert_float_equal(rules.mean[0], cases[i].mean, 1e-7);
        assert_int_equal(rules.resampling, cases[i].resampling);
        assert_string_equal(rules.assumed, "");
    }
    sac_picture_rules rules =
        read_rules(s, "{\"image_processor_type\": \"ConvNextImageProcessor\", \"size\": "
                      "{\"shortest_edge\": 70}}");
    assert_int_equal(rules.shortest, 80); /* 70 / 0.875 */
}

/* As transformers 5 saves them; where both files are there this one counts. */
IN_SCRATCH(rules_in_processor_config_are_read_first)
{
    write_text(s, "processor_config.json",
               "{\"image_processor\": {\"image_processor_type\": \"BlipImageProcessor\", \"size\": "
               "{\"height\": 12, \"width\": 20}}}");
    sac_picture_rules rules = read_rules(s, "{\"size\": 16}");
    assert_size(&rules, 20, 12);
    assert_int_equal(rules.resampling, SAC_RESAMPLE_BICUBIC);
    write_text(s, "processor_config.json", "{\"processor_class\": \"BlipProcessor\"}");
    rules = read_rules(s, "{\"size\": 16}");
    assert_size(&rules, 16, 16);
}

IN_SCRATCH(picture_rules_without_a_file_are_the_models_and_noted)
{
    sac_picture_rules rules;
    const sac_picture_guess vit = {"ViTImageProcessor", 32, 20};
    const sac_picture_guess deit = {"DeiTImageProcessor", 28, 28};
    OK(sac_picture_rules_read(s->folder, &vit, &rules, NULL));
    assert_size(&rules, 32, 20);
    assert_string_equal(rules.assumed,
                        "without preprocessor_config.json pictures are taken as ViTImageProcessor "
                        "does: 32 x 20 pixels, bilinear, mean 0.5 0.5 0.5, deviation 0.5 0.5 0.5");
    OK(sac_picture_rules_read(s->folder, &deit, &rules, NULL));
    assert_int_equal(rules.width, 32); /* 28 · 256 / 224 */
    assert_size(&rules, 28, 28);
}

IN_SCRATCH(center_crop_pads_with_black)
{
    sac_image from, to;
    sac_picture_rules rules = read_rules(s, "{\"do_resize\": false, \"do_center_crop\": true, "
                                            "\"crop_size\": {\"height\": 4, \"width\": 1}}");
    OK(sac_image_create(3, 2, &from, NULL));
    for (int i = 0; i < 24; i++)
        from.rgba[i] = (uint8_t)(10 * i);
    OK(sac_picture_rules_apply(&rules, &from, &to, NULL));
    assert_memory_equal(to.rgba, ((uint8_t[]){0, 0, 0, 255, 40, 50, 60, 255}), 8);
    assert_memory_equal(to.rgba + 8, ((uint8_t[]){160, 170, 180, 255, 0, 0, 0, 255}), 8);
    sac_image_free(&from);
    sac_image_free(&to);
}

IN_SCRATCH(a_byte_becomes_the_models_input)
{
    sac_picture_rules rules = read_rules(s, "{\"image_mean\": [0.4, 0.5, 0.25], "
                                            "\"image_std\": [0.2, 0.5, 0.25]}");
    assert_float_equal(sac_picture_rules_light(&rules, 0, 255), 3, 1e-6);
    assert_float_equal(sac_picture_rules_light(&rules, 2, 0), -1, 1e-6);
    rules = read_rules(s, "{\"do_normalize\": false}");
    assert_float_equal(sac_picture_rules_light(&rules, 1, 51), 0.2, 1e-6);
}

static void assert_rules_refused(scratch *s, const char *json, const char *line)
{
    sac_picture_rules rules;
    write_text(s, "preprocessor_config.json", json);
    assert_int_equal(sac_picture_rules_read(s->folder, &of_vit, &rules, &failure), SAC_E_FORMAT);
    assert_line(s, &failure, line);
}

IN_SCRATCH(invalid_picture_rules_are_refused)
{
    assert_rules_refused(s, "[", "preprocessor_config.json: is not valid JSON; check it with a…");
    assert_rules_refused(s, "{\"size\": 0}",
                         "preprocessor_config.json: size: is not a whole number from 1 to 4096");
    assert_rules_refused(s, "{\"size\": {\"width\": 3}}",
                         "preprocessor_config.json: size: height: is missing");
    assert_rules_refused(s, "{\"resample\": 17}",
                         "preprocessor_config.json: resample: is not a whole number from 0 to 5");
    assert_rules_refused(s, "{\"image_std\": [1, 0, 1]}",
                         "preprocessor_config.json: image_std: has a number that is not above 0");
    assert_rules_refused(s, "{\"image_mean\": [1]}",
                         "preprocessor_config.json: image_mean: is not a list of 3 numbers");
    assert_rules_refused(s, "{\"do_pad\": true}",
                         "preprocessor_config.json: do_pad: true is not supported; it must be "
                         "false");
    assert_rules_refused(
        s, "{\"image_processor_type\": \"LevitImageProcessor\"}",
        "preprocessor_config.json: …\"LevitImageProcessor\"…; there are those of…");
}

/* ---------------------------------------------------------------- weights and config.json */

static void write_weights(scratch *s, const char *file, const char *name, float value)
{
    const size_t shape[] = {2, 3};
    const float numbers[] = {value, 1, 2, 3, 4, 5};
    const sac_array array = sac_array_view(SAC_F32, 2, shape, numbers);
    const sac_named_array named = {name, &array};
    OK(sac_safetensors_save(scratch_path(s, file), &named, 1, NULL, NULL));
}

static void assert_first(const sac_pretrained *p, const char *name, float value)
{
    const sac_array *tensor;
    OK(sac_pretrained_require_tensor(p, name, 2, (size_t[]){2, 3}, &tensor, NULL));
    assert_float_equal(((const float *)tensor->data)[0], value, 0);
}

IN_SCRATCH(tensors_are_found_in_one_file_and_in_several)
{
    sac_pretrained *p;
    assert_false(sac_is_pretrained(s->folder));
    write_text(s, "config.json", "{\"model_type\": \"bert\"}");
    assert_true(sac_is_pretrained(s->folder));
    write_weights(s, "a.safetensors", "x", 7);
    write_weights(s, "b.safetensors", "y", 8);
    write_text(s, "model.safetensors.index.json",
               "{\"weight_map\": {\"x\": \"a.safetensors\", \"y\": \"b.safetensors\"}}");
    OK(sac_pretrained_open(s->folder, &p, NULL));
    assert_first(p, "x", 7);
    assert_first(p, "y", 8);
    sac_pretrained_close(p);
    write_weights(s, "model.safetensors", "x", 9);
    OK(sac_pretrained_open(s->folder, &p, NULL));
    assert_first(p, "x", 9);
    sac_pretrained_close(p);
}

static void assert_same_tensors(const sac_pretrained *p, const sac_arrays *arrays)
{
    for (size_t i = 0; i < sac_arrays_size(arrays); i++) {
        const sac_array *array = sac_arrays_at(arrays, i), *tensor;
        OK(sac_pretrained_require_tensor(p, sac_arrays_name(arrays, i), array->rank, array->shape,
                                         &tensor, &failure));
        assert_int_equal(tensor->dtype, array->dtype);
        assert_memory_equal(tensor->data, array->data,
                            sac_array_count(array) * sac_dtype_size(array->dtype));
    }
}

/* The models of tests/reference, whole and in two files with their index. */
IN_SCRATCH(weights_of_pytorch_are_those_of_safetensors)
{
    static const char *const names[] = {"bert",   "gpt2_bfloat16", "llama_float16", "dinov2",
                                        "marian", "blip",          "vit_gpt2",      "roberta"};
    write_text(s, "config.json", "{}");
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        char path[400];
        sac_arrays *arrays;
        sac_pretrained *p;
        snprintf(path, sizeof path, "%s/%s/model.safetensors", REFERENCES, names[n]);
        OK(sac_arrays_open(path, &arrays, NULL));
        torch_file_write(scratch_path(s, "pytorch_model.bin"), arrays, 0, 1);
        OK(sac_pretrained_open(s->folder, &p, NULL));
        assert_same_tensors(p, arrays);
        sac_pretrained_close(p);
        unlink(scratch_path(s, "pytorch_model.bin"));

        torch_file_write(scratch_path(s, "a.bin"), arrays, 0, 2);
        torch_file_write(scratch_path(s, "b.bin"), arrays, 1, 2);
        FILE *index = fopen(scratch_path(s, "pytorch_model.bin.index.json"), "w");
        assert_non_null(index);
        for (size_t i = 0; i < sac_arrays_size(arrays); i++)
            fprintf(index, "%s\"%s\": \"%c.bin\"", i ? ", " : "{\"weight_map\": {",
                    sac_arrays_name(arrays, i), "ab"[i % 2]);
        assert_true(fputs("}}", index) >= 0 && fclose(index) == 0);
        OK(sac_pretrained_open(s->folder, &p, NULL));
        assert_same_tensors(p, arrays);
        sac_pretrained_close(p);
        unlink(scratch_path(s, "pytorch_model.bin.index.json"));
        sac_arrays_close(arrays);
    }
}

IN_SCRATCH(tensor_in_two_files_is_taken_from_the_one_in_the_index)
{
    sac_pretrained *p;
    write_text(s, "config.json", "{}");
    for (int meant = 0; meant < 2; meant++) {
        char index[200];
        write_weights(s, "a.safetensors", "x", 7);
        write_weights(s, "b.safetensors", "x", 8);
        write_weights(s, "c.safetensors", "y", 9);
        snprintf(index, sizeof index,
                 "{\"weight_map\": {\"z\": \"a.safetensors\", \"y\": \"c.safetensors\", "
                 "\"v\": \"b.safetensors\", \"x\": \"%c.safetensors\"}}",
                 "ab"[meant]);
        write_text(s, "model.safetensors.index.json", index);
        OK(sac_pretrained_open(s->folder, &p, NULL));
        assert_first(p, "x", meant ? 8 : 7);
        assert_first(p, "y", 9);
        assert_null(sac_pretrained_find(p, "z"));
        sac_pretrained_close(p);
    }
}

/* A pipe would be waited for without end. */
IN_SCRATCH(an_index_leads_to_files_alone)
{
    sac_pretrained *p;
    write_text(s, "config.json", "{}");
    write_text(s, "model.safetensors.index.json",
               "{\"weight_map\": {\"x\": \"pipe.safetensors\"}}");
    assert_int_equal(mkfifo(scratch_path(s, "pipe.safetensors"), 0600), 0);
    assert_int_equal(sac_pretrained_open(s->folder, &p, &failure), SAC_E_FILE);
    assert_line(s, &failure, "pipe.safetensors: is not a file; save it to a file first");
    unlink(scratch_path(s, "pipe.safetensors"));
    assert_int_equal(symlink("/dev/zero", scratch_path(s, "pipe.safetensors")), 0);
    assert_int_equal(sac_pretrained_open(s->folder, &p, &failure), SAC_E_FILE);
    assert_line(s, &failure, "pipe.safetensors: is not a file; save it to a file first");
}

IN_SCRATCH(a_tensor_that_is_not_read_is_an_error_where_it_is_needed)
{
    static const char header[] =
        "{\"x\":{\"dtype\":\"F8_E4M3\",\"shape\":[1],\"data_offsets\":[0,1]},"
        "\"y\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[1,3]}}";
    char weights[sizeof header + 16] = {(char)strlen(header)};
    memcpy(weights + 8, header, sizeof header);
    sac_pretrained *p;
    const sac_array *tensor;
    write_text(s, "config.json", "{}");
    scratch_write(s, "model.safetensors", weights, 8 + strlen(header) + 3);
    OK(sac_pretrained_open(s->folder, &p, &failure));
    OK(sac_pretrained_require_tensor(p, "y", 1, (size_t[]){1}, &tensor, NULL));
    assert_int_equal(sac_pretrained_find(p, "x")->dtype, SAC_TEXT); /* it is there */
    REFUSES(SAC_E_FORMAT,
            "…\"x\" has dtype 'F8_E4M3', which is not read; convert it to F32, F16 or BF16…",
            sac_pretrained_require_tensor(p, "x", 1, (size_t[]){1}, &tensor, &failure));
    char text[100];
    assert_string_equal(sac_pretrained_unread_text(p, text, sizeof text),
                        "x (has dtype 'F8_E4M3', which is not read)");
    sac_pretrained_close(p);
}

/* What transformers 5 calls the layers of ViT and DINOv2 in memory. */
IN_SCRATCH(tensors_are_found_by_the_names_of_a_state_dict_too)
{
    static const char *const names[][2] = {
        {"vit.encoder.layer.0.attention.attention.query.weight",
         "vit.layers.0.attention.q_proj.weight"},
        {"encoder.layer.11.attention.output.dense.weight", "layers.11.attention.o_proj.weight"},
        {"encoder.layer.1.attention.attention.key.weight",
         "encoder.layer.1.attention.k_proj.weight"},
        {"encoder.encoder.layer.1.intermediate.dense.weight", "encoder.layers.1.mlp.fc1.weight"},
        {"encoder.layer.1.output.dense.weight", "layers.1.mlp.fc2.weight"},
        {"encoder.layer.1.layernorm_before.weight", "layers.1.layernorm_before.weight"}};
    write_text(s, "config.json", "{}");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sac_pretrained *p;
        write_weights(s, "model.safetensors", names[i][1], 5);
        OK(sac_pretrained_open(s->folder, &p, NULL));
        assert_first(p, names[i][0], 5);
        assert_null(sac_pretrained_find(p, "encoder.layer.2.attention.attention.key.weight"));
        sac_pretrained_close(p);
    }
}

/* Pages that a tensor has to itself. */
IN_SCRATCH(weights_that_rest_hold_no_memory_and_are_read_again)
{
    sac_pretrained *p;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), count = 4 * page / sizeof(float);
    float *numbers = calloc(count, sizeof *numbers);
    assert_non_null(numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = (float)i;
    const sac_array array = sac_array_view(SAC_F32, 1, &count, numbers);
    const sac_named_array named = {"x", &array};
    write_text(s, "config.json", "{\"model_type\": \"bert\"}");
    OK(sac_safetensors_save(scratch_path(s, "model.safetensors"), &named, 1, NULL, NULL));
    OK(sac_pretrained_open(s->folder, &p, NULL));
    const float *read = sac_pretrained_find(p, "x")->data;
    assert_memory_equal(read, numbers, 4 * page);
    assert_int_equal(pages_held(read, 4, page), 4);
    sac_pretrained_forget_all(p);
    assert_int_equal(pages_held((const char *)read + page, 3, page), 0);
    assert_memory_equal(read, numbers, 4 * page);
    sac_pretrained_close(p);
    free(numbers);
}

static void assert_folder_refused(scratch *s, const char *line)
{
    sac_pretrained *p;
    assert_int_not_equal(sac_pretrained_open(s->folder, &p, &failure), SAC_OK);
    assert_null(p);
    assert_line(s, &failure, line);
}

IN_SCRATCH(damaged_folders_are_refused_in_one_line)
{
    write_text(s, "config.json", "{");
    assert_folder_refused(s, "config.json: is not valid JSON; check it with a JSON tool");
    write_text(s, "config.json", "{}");
    write_text(s, "model.safetensors.index.json", "{}");
    assert_folder_refused(s, "model.safetensors.index.json: has no weight_map");
    write_text(s, "model.safetensors.index.json", "{\"weight_map\": {\"x\": \"../a\"}}");
    assert_folder_refused(s, "model.safetensors.index.json: the tensor \"x\" is in no .safetensors "
                             "or .bin of this folder");
    write_text(s, "model.safetensors", "no tensors");
    sac_pretrained *p;
    assert_int_not_equal(sac_pretrained_open(s->folder, &p, NULL), SAC_OK);
}

IN_SCRATCH(a_tensor_that_is_missing_or_of_another_shape_is_named)
{
    sac_pretrained *p;
    const sac_array *tensor;
    char line[1200];
    write_text(s, "config.json", "{}");
    write_weights(s, "model.safetensors", "x", 1);
    assert_int_equal(sac_pretrained_open(s->folder, &p, NULL), SAC_OK);
    assert_int_equal(sac_pretrained_require_tensor(p, "y", 1, (size_t[]){2}, &tensor, &failure),
                     SAC_E_FORMAT);
    sac_error_line(&failure, line, sizeof line);
    assert_string_equal(line + strlen(s->folder),
                        ": model.safetensors: the tensor \"y\" is missing; give the whole model");
    assert_int_equal(sac_pretrained_require_tensor(p, "x", 1, (size_t[]){2}, &tensor, &failure),
                     SAC_E_SHAPE);
    sac_error_line(&failure, line, sizeof line);
    assert_string_equal(line + strlen(s->folder),
                        ": model.safetensors: \"x\" is [2,3], not [2] as in config.json");
    sac_pretrained_close(p);
}

IN_SCRATCH(integer_tensors_are_refused_as_weights)
{
    sac_pretrained *p;
    const size_t shape[] = {3};
    const int32_t numbers[] = {1, 2, 3};
    const sac_array array = sac_array_view(SAC_I32, 1, shape, numbers), *tensor;
    const sac_named_array named = {"x", &array};
    char line[1200];
    write_text(s, "config.json", "{}");
    OK(sac_safetensors_save(scratch_path(s, "model.safetensors"), &named, 1, NULL, NULL));
    assert_int_equal(sac_pretrained_open(s->folder, &p, NULL), SAC_OK);
    assert_int_equal(sac_pretrained_require_tensor(p, "x", 1, shape, &tensor, &failure),
                     SAC_E_FORMAT);
    sac_error_line(&failure, line, sizeof line);
    assert_string_equal(line + strlen(s->folder),
                        ": model.safetensors: \"x\" is of whole numbers, int32, and weights are "
                        "none; take the model in float32, float16 or bfloat16");
    sac_pretrained_close(p);
}

/* A table lists what is followed, what may be there, and what is taken for the rest. */
TEST(a_table_of_keys_is_followed)
{
    static const sac_config_key keys[] = {{"width", SAC_KEY_USED, "8"},
                                          {"names", SAC_KEY_USED, "{\"a\": 1}", SAC_NULL_DEFAULT},
                                          {"cap", SAC_KEY_USED, "7", SAC_NULL_NONE},
                                          {"cap", SAC_KEY_USED, "6"},
                                          {"seed", SAC_KEY_HARMLESS, NULL},
                                          {"tilt", SAC_KEY_ONLY, "[false, 0]"},
                                          {NULL, 0, NULL}};
    static const struct {
        const char *json, *what;
    } cases[] = {{"{}", ""},
                 {"{\"names\": null, \"seed\": null, \"more\": 1, \"cap\": null}", ""},
                 {"{\"width\": null}", "is null; leave the key out, and it is 8"},
                 {"{\"tilt\": null}", "null is not supported; it must be [false, 0]"},
                 {"{\"tilt\": 0}", ""},
                 {"{\"tilt\": false}", ""},
                 {"{\"tilt\": 3}", "3 is not supported; it must be [false, 0]"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_error error = {0};
        cJSON *json = cJSON_Parse(cases[i].json);
        sac_config c = sac_config_of(json, "config.json", &error);
        sac_config_apply_keys(&c, keys);
        assert_int_equal(c.status, cases[i].what[0] ? SAC_E_FORMAT : SAC_OK);
        assert_string_equal(error.what, cases[i].what);
        if (c.status == SAC_OK) {
            sac_config inside = sac_config_inside(&c, "names");
            assert_int_equal(sac_config_size(&c, "width", 1, 9), 8);
            assert_int_equal(sac_config_size(&inside, "a", 1, 9), 1);
            assert_int_equal(sac_config_size_or(&c, "cap", 1, 9, 0), i == 1 ? 0 : 7);
        }
        cJSON_Delete(json);
    }
}

IN_SCRATCH(config_sizes_outside_limits_are_refused)
{
    static const char *const kinds[] = {"gelu", "relu", NULL};
    sac_pretrained *p;
    char line[1200];
    write_weights(s, "model.safetensors", "x", 1);
    write_text(s, "config.json",
               "{\"width\": 8, \"act\": \"relu\", \"eps\": 1e-12, \"none\": null}");
    assert_int_equal(sac_pretrained_open(s->folder, &p, NULL), SAC_OK);
    sac_config c = sac_pretrained_config(p, &failure);
    assert_int_equal(sac_config_size(&c, "width", 1, 9), 8);
    assert_int_equal(sac_config_choice(&c, "act", kinds), 1);
    assert_int_equal(sac_config_size_or(&c, "none", 1, 9, 5), 5);
    assert_float_equal(sac_config_number_or(&c, "eps", 1), 1e-12, 1e-18);
    OK(sac_config_status(&c));
    assert_int_equal(sac_config_choice(&c, "width", kinds), 0);
    sac_config_size(&c, "width", 1, 2); /* the first failure is reported */
    assert_int_equal(sac_config_status(&c), SAC_E_FORMAT);
    sac_error_line(&failure, line, sizeof line);
    assert_string_equal(line + strlen(s->folder) + 1, "config.json: width: is not a text");
    sac_pretrained_close(p);
}

/* Each file makes the folder what it is; `line` names what is to be given in its place. */
IN_SCRATCH(foreign_folders_are_named_with_a_remedy)
{
    static const struct {
        const char *file, *line;
    } cases[] = {
        {"model.safetensors", "has a model's model.safetensors, but no config.json"},
        {"adapter_config.json", "is an adapter (LoRA)"},
        {"model_index.json", "is a pipeline of diffusers"},
    };
    OK(sac_foreign_path_check(s->folder, &failure));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(s, cases[i].file, "{}");
        assert_int_not_equal(sac_foreign_path_check(s->folder, &failure), SAC_OK);
        assert_non_null(strstr(failure.what, cases[i].line));
        unlink(scratch_path(s, cases[i].file));
    }
    write_text(s, "config.json", "{}");
    assert_int_equal(sac_foreign_path_check(s->folder, &failure), SAC_OK);
    REFUSES(SAC_E_FORMAT, "…is one file of a model…",
            sac_foreign_path_check(scratch_path(s, "config.json"), &failure));
}

IN_SCRATCH(foreign_check_leaves_pictures_and_sounds_to_their_readers)
{
    static const char *const starts[] = {"\0\0\0\x20"
                                         "ftypavif",
                                         "\0\0\0\x20"
                                         "ftypheic",
                                         "FORM\0\0\0\0AIFF", "ID3\4\0\0\0\0\0\0\0\0"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        OK(sac_foreign_path_check(scratch_write(s, "file", starts[i], 12), &failure));
}

/* Halves in any order become pairs, and a tensor has the pair whose module it is, or which ends with a dot and the other. */
IN_SCRATCH(an_adapter_finds_modules_by_the_ends_of_their_names)
{
    static const char *const modules[] = {"model.layers.10.q_proj", "model.layers.1.q_proj",
                                          "model.layers.1.k_proj", "model.layers.0.q_proj"};
    static const struct {
        const char *tensor;
        bool changes;
    } rows[] = {{"model.layers.1.q_proj.weight", true},
                {"layers.1.q_proj.weight", true},
                {"base.model.layers.10.q_proj.weight", true},
                {"model.layers.2.q_proj.weight", false},
                {"ayers.1.q_proj.weight", false},
                {"xmodel.layers.1.q_proj.weight", false},
                {"model.layers.1.q_proj.bias", false},
                {"k_proj.weight", true},
                {"o_proj.weight", false},
                {".weight", false}};
    static const char config[] = "{\"peft_type\": \"LORA\", \"base_model_name_or_path\": \"a/b\"}";
    char header[4000] = "{";
    size_t used = 1, at = 0;
    for (int half = 0; half < 2; half++)
        for (size_t i = 0; i < sizeof modules / sizeof *modules; i++, at += 8)
            used += (size_t)snprintf(
                header + used, sizeof header - used,
                "%s\"base_model.model.%s.lora_%c.weight\": {\"dtype\": \"F32\", "
                "\"shape\": [%s], \"data_offsets\": [%zu, %zu]}",
                at ? ", " : "", modules[i], half ? 'A' : 'B', half ? "1, 2" : "2, 1", at, at + 8);
    header[used++] = '}';
    uint8_t *file = calloc(1, 8 + used + at);
    const uint64_t size = used;
    memcpy(file, &size, 8);
    memcpy(file + 8, header, used);
    scratch_write(s, "adapter_config.json", config, sizeof config - 1);
    scratch_write(s, "adapter_model.safetensors", file, 8 + used + at);
    free(file);
    sac_adapter *adapter;
    OK(sac_adapter_open(s->folder, &adapter, &failure));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (sac_adapter_changes(adapter, rows[i].tensor) != rows[i].changes)
            fail_msg("%s", rows[i].tensor);
    sac_adapter_close(adapter);
}

TEST_MAIN(NULL, NULL)
