/* The captioner of the PyTorch tutorial against PyTorch: a tiny model of random weights
 * (tests/reference/make_show_attend_tell.py), whose features, steps and captions are the same. */
#include <unistd.h>

#include "architectures/captioning/text_decoder.h"
#include "architectures/captioning/token_texts.h"
#include "saccade_arrays.h"
#include "status.h"
#include "trial.h"

#define TOLERANCE 1e-4
enum { CELLS = 25 };

static void open_tutorial(trial *t)
{
    open_named(t, "show_attend_tell", "");
}

static const sac_array *ints(const trial *t, const char *name)
{
    const sac_array *array = sac_arrays_find(t->expected, name);
    assert_non_null(array);
    assert_int_equal(array->dtype, SAC_I32);
    return array;
}

/* ---------------------------------------------------------------- seeing */

TEST(the_encoder_sees_what_that_of_torch_sees)
{
    trial t;
    open_tutorial(&t);
    size_t numbers = CELLS * t.model->width;
    assert_int_equal(t.inference->count, CELLS);
    assert_int_equal(t.inference->grid_w, 5);
    assert_false(sac_architecture_has_heads(t.model));
    compare(t.inference->left, expect(&t, "features", numbers), numbers, TOLERANCE, "features");
    close_trial(&t);
}

static void make_image(const sac_array *bytes, sac_image *image)
{
    const uint8_t *from = bytes->data;
    OK(sac_image_create((int)bytes->shape[1], (int)bytes->shape[0], image, &failure));
    for (size_t i = 0; i < bytes->shape[0] * bytes->shape[1]; i++) {
        memcpy(image->rgba + 4 * i, from + 3 * i, 3);
        image->rgba[4 * i + 3] = 255;
    }
}

/* As Pillow makes it square, in the colours of ImageNet; it is shown in its own aspect. */
TEST(a_photograph_is_brought_to_the_model_s_size_and_colours)
{
    trial t;
    sac_inference *p;
    sac_image image;
    open_tutorial(&t);
    size_t numbers = CELLS * t.model->width;
    make_image(sac_arrays_find(t.expected, "photo"), &image);
    for (sac_picture_fit fit = SAC_FIT_WHOLE; fit <= SAC_FIT_SHOWN; fit++) {
        OK(sac_inference_see(t.model, &image, fit, &p, &failure));
        compare(p->left, expect(&t, "photo.features", numbers), numbers, TOLERANCE, "features");
        sac_inference_free(p);
    }
    sac_image_free(&image);
    close_trial(&t);
}

/* ---------------------------------------------------------------- steps */

typedef struct steps {
    sac_pretrained_model *decoder;
    sac_arena arena;
    sac_tensor seen, logits;
    sac_recurrent_tensors t;
} steps;

static void check_tensor(const steps *s, const trial *t, const char *name, sac_tensor x,
                         size_t step)
{
    size_t count = sac_tensor_count(x);
    float *numbers = malloc(count * sizeof *numbers);
    const sac_array *all = sac_arrays_find(t->expected, name);
    assert_non_null(all);
    assert_non_null(numbers);
    sac_pass_read(&s->decoder->pass, x, numbers);
    compare(numbers, (const float *)all->data + step * count, count, TOLERANCE, name);
    free(numbers);
}

/* Two rows, the second of which has other tokens: rows do not mix. */
static void take_step(steps *s, const trial *t, const int *generated, size_t step)
{
    const sac_recurrent *l = s->decoder->text_decoder.recurrent;
    const int words[] = {generated[step], 5}, parents[] = {0, 0};
    const sac_recurrent_step how = {step == 0, words, parents};
    sac_recurrent_decode_step(l, &s->decoder->pass, &how, s->seen, s->logits, &s->t);
    check_tensor(s, t, "logits", sac_tensor_rows(s->logits, 0, 1), step);
    check_tensor(s, t, "states", sac_tensor_rows(s->t.after[0], 0, 1), step);
    check_tensor(s, t, "cells", sac_tensor_rows(s->t.after[1], 0, 1), step);
    check_tensor(s, t, "weights", sac_tensor_rows(s->t.weights, 0, 1), step);
    check_tensor(s, t, "gates", sac_tensor_rows(s->t.open, 0, 1), step);
}

TEST(each_step_has_the_states_and_weights_of_torch)
{
    trial t;
    open_tutorial(&t);
    steps s = {.decoder = t.model->decoder};
    sac_pass *pass = &s.decoder->pass;
    const sac_array *generated = ints(&t, "beam.5");
    sac_arena_shape(&s.arena, pass, &s.seen, CELLS, t.model->width);
    sac_arena_shape(&s.arena, pass, &s.logits, 2, s.decoder->vocabulary);
    sac_recurrent_shape(s.decoder->text_decoder.recurrent, pass, &s.arena, CELLS, 2, &s.t);
    sac_pass_write(pass, s.seen, t.inference->left);
    sac_recurrent_begin(s.decoder->text_decoder.recurrent, pass, s.seen, &s.t);
    for (size_t step = 0; step + 1 < sac_array_count(generated); step++)
        take_step(&s, &t, generated->data, step);
    OK(sac_pass_end(pass, &failure));
    sac_arena_release(&s.arena);
    close_trial(&t);
}

/* ---------------------------------------------------------------- sentences */

static void check_generation(const trial *t, const char *name, const sac_result *caption)
{
    const sac_array *array = ints(t, name);
    const int *generated = (const int *)array->data + 1; /* after the start */
    int count = (int)sac_array_count(array) - 1;
    bool ends = generated[count - 1] == t->model->decoder->text_decoder.search.end;
    assert_int_equal(caption->count, count - ends);
    assert_int_equal(caption->finished, ends);
    for (int i = 0; i < caption->count; i++)
        assert_int_equal(caption->outputs[i].word, generated[i]);
}

typedef struct generator {
    trial t;
    sac_pretrained_captioner *captioner;
} generator;

static void open_generator(generator *s)
{
    open_tutorial(&s->t);
    const sac_array *pixels = sac_arrays_find(s->t.expected, "pixel_values");
    OK(sac_pretrained_captioner_create(s->t.model, &s->captioner, &failure));
    OK(sac_pretrained_captioner_encode_pixels(s->captioner, pixels->data, (int)pixels->shape[3],
                                              (int)pixels->shape[2], &failure));
}

static void close_generator(generator *s)
{
    sac_pretrained_captioner_destroy(s->captioner);
    close_trial(&s->t);
}

static void generate(const generator *s, const sac_result_request *request, sac_result *caption)
{
    OK(sac_pretrained_captioner_generate(s->captioner, request, caption, &failure));
}

TEST(beams_name_what_the_tutorial_s_search_shows)
{
    static const int widths[] = {1, 2, 3, 5, 8};
    generator s;
    sac_result caption;
    open_generator(&s);
    s.captioner->search.length = 12;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        char name[16];
        snprintf(name, sizeof name, "beam.%d", widths[i]);
        generate(&s, &(sac_result_request){.beam = widths[i]}, &caption);
        check_generation(&s.t, name, &caption);
        sac_result_free(&caption);
    }
    s.captioner->search.length = 2;
    generate(&s, &(sac_result_request){.beam = 3}, &caption);
    check_generation(&s.t, "short", &caption);
    sac_result_free(&caption);
    close_generator(&s);
}

/* Five wide, as in the tutorial, and each word with its weights and how far its gates opened.
 */
TEST(a_sentence_has_its_weights_and_gates)
{
    generator s;
    sac_result caption;
    float weights[CELLS];
    open_generator(&s);
    generate(&s, &(sac_result_request){0}, &caption);
    check_generation(&s.t, "beam.5", &caption);
    size_t T = (size_t)caption.count, generated = T + caption.finished;
    const float *expected = expect(&s.t, "weights", generated * CELLS);
    const float *gates = expect(&s.t, "gates", generated);
    compare(caption.weights, expected, T * CELLS, TOLERANCE, "weights");
    for (size_t i = 0; i < T; i++)
        compare(&caption.outputs[i].gate, &gates[i], 1, TOLERANCE, "gate");
    OK(sac_pretrained_captioner_weights(s.captioner, 1, 0, 0, weights, &failure));
    compare(weights, expected + CELLS, CELLS, TOLERANCE, "weights of a word");
    sac_result_free(&caption);
    close_generator(&s);
}

TEST(a_photograph_is_captioned_in_words)
{
    generator s;
    sac_image image, shown;
    sac_result caption;
    open_generator(&s);
    make_image(sac_arrays_find(s.t.expected, "photo"), &image);
    OK(sac_pretrained_captioner_encode_picture(s.captioner, &image, &shown, &failure));
    assert_int_equal(shown.width, image.width);
    assert_int_equal(shown.height, image.height);
    generate(&s, &(sac_result_request){0}, &caption);
    check_generation(&s.t, "photo.generated", &caption);
    const char *const *words = s.captioner->words.text;
    const int count = s.captioner->words.count;
    assert_int_equal(count, 24);
    assert_string_equal(words[2], "man");
    assert_string_equal(words[23], "<end>");
    sac_result_free(&caption);
    sac_image_free(&shown);
    sac_image_free(&image);
    close_generator(&s);
}

/* The score is no row of the library's table: by ReLU, and not by tanh. */
TEST(its_trace_names_the_score_that_it_has)
{
    static const char *const pictures[] = {PICTURES "/garden.png"};
    static const char *const names[][2] = {{"show_attend_tell", "w·relu(W₁a + W₂h)"},
                                           {"blip", "scaled-dot"}};
    for (int i = 0; i < 2; i++) {
        char folder[512];
        sac_pretrained_model *model;
        sac_source source;
        snprintf(folder, sizeof folder, "%s/%s", REFERENCES, names[i][0]);
        OK(sac_pretrained_model_open_stored(folder, NULL, SAC_STORAGE_F32, &model, &failure));
        const sac_pictures_request seen = {.pictures = pictures, .count = 1};
        OK(sac_pretrained_caption_open(model, &seen, &source, &failure));
        assert_int_equal(source.result.models, 1);
        assert_string_equal(source.result.model[0], names[i][1]);
        assert_string_equal(source.weights.made.score, names[i][1]);
        assert_false(sac_source_allows_token(&source, model->decoder->text_decoder.search.end));
        sac_source_destroy(&source);
        sac_pretrained_model_close(model);
    }
}

TEST(hidden_cells_are_not_looked_at_and_heat_can_be_sharpened)
{
    generator s;
    uint8_t hidden[CELLS] = {0};
    sac_result plain, masked, sharp;
    open_generator(&s);
    generate(&s, &(sac_result_request){0}, &plain);
    for (int i = 0; i < CELLS; i++)
        hidden[i] = i % 2;
    generate(&s, &(sac_result_request){.hidden = hidden}, &masked);
    for (int i = 0; i < CELLS; i++)
        assert_true(hidden[i] ? masked.weights[i] == 0 : masked.weights[i] > plain.weights[i]);
    generate(&s, &(sac_result_request){.temperature = 0.5f}, &sharp);
    assert_true(sharp.outputs[0].entropy < plain.outputs[0].entropy);
    sac_result_free(&plain);
    sac_result_free(&masked);
    sac_result_free(&sharp);
    close_generator(&s);
}

/* ---------------------------------------------------------------- what is wrong with a folder */

#define CONFIG(more)                                                                               \
    "{\"model_type\": \"show-attend-tell\", \"attention_dim\": 12, \"embed_dim\": 10, "            \
    "\"decoder_dim\": 14, \"pad_token_id\": 0, \"bos_token_id\": 22" more "}"
#define SIZES ", \"vocab_size\": 24, \"eos_token_id\": 23"

TEST(what_is_missing_or_does_not_fit_is_reported)
{
    static const struct {
        const char *config;
        sac_status status;
        const char *what;
    } folders[] = {
        {CONFIG(SIZES), SAC_E_SHAPE, "encoder_dim: is 2048, and the encoder gives 40 channels"},
        {CONFIG(", \"encoder_dim\": 40, \"eos_token_id\": 23"), SAC_E_FORMAT,
         "vocab_size: is missing"},
        {CONFIG(", \"encoder_dim\": 40, \"vocab_size\": 23, \"eos_token_id\": 23"), SAC_E_FORMAT,
         "eos_token_id: is not a whole number from 0 to 22"},
        {CONFIG(SIZES ", \"encoder_dim\": 40, \"wordmap\": \"../words.json\""), SAC_E_FORMAT,
         "wordmap: \"../words.json\" is not a file of this folder"},
        {CONFIG(SIZES ", \"encoder_dim\": 40, \"image_size\": 5000"), SAC_E_FORMAT,
         "image_size: is not a whole number from 32 to 1024"},
        {CONFIG(SIZES ", \"encoder_dim\": 40, \"image_std\": [1, 0, 1]"), SAC_E_FORMAT,
         "image_std: has a number that is not above 0"},
    };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        check_folder_refused("show_attend_tell", folders[i].config, folders[i].status,
                             folders[i].what);
}

typedef enum damage { LOST, TURNED, NO_NUMBERS } damage;

/* A folder of the model in which a tensor is damaged. */
static void save_damaged(const char *folder, const char *name, damage how)
{
    enum { MOST = 256 };
    sac_named_array named[MOST];
    sac_array turned = {0};
    sac_arrays *whole;
    size_t count = 0;
    char path[128];
    static const float nothing[1 << 12] = {NAN};
    OK(sac_arrays_open(REFERENCES "/show_attend_tell/model.safetensors", &whole, &failure));
    for (size_t i = 0; i < sac_arrays_size(whole); i++) {
        bool is_damaged = strcmp(sac_arrays_name(whole, i), name) == 0;
        assert_true(count < MOST);
        named[count] = (sac_named_array){sac_arrays_name(whole, i), sac_arrays_at(whole, i)};
        if (is_damaged && how != LOST) {
            turned = *named[count].array;
            turned.shape[0] = named[count].array->shape[how == TURNED];
            turned.shape[1] = named[count].array->shape[how != TURNED];
            assert_true(sac_array_count(&turned) <= sizeof nothing / sizeof *nothing);
            turned.data = how == NO_NUMBERS ? (void *)nothing : turned.data;
            named[count].array = &turned;
        }
        count += !(is_damaged && how == LOST);
    }
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    OK(sac_safetensors_save(path, named, count, NULL, &failure));
    sac_arrays_close(whole);
}

TEST(a_damaged_encoder_is_reported_by_its_tensor)
{
    static const struct {
        const char *name;
        damage how;
        const char *what;
    } damages[] = {
        {"encoder.resnet.0.weight", LOST, "the tensor \"encoder.resnet.0.weight\" is missing"},
        {"encoder.resnet.5.0.conv1.weight", LOST,
         "the tensor \"encoder.resnet.5.0.conv1.weight\" is missing"},
        {"encoder.resnet.4.1.conv3.weight", LOST,
         "the tensor \"encoder.resnet.4.1.conv3.weight\" is missing"},
        {"encoder.resnet.7.0.bn2.running_var", LOST,
         "the tensor \"encoder.resnet.7.0.bn2.running_var\" is missing"},
        {"encoder.resnet.5.0.downsample.0.weight", LOST,
         "the tensor \"encoder.resnet.5.0.downsample.0.weight\" is missing"},
        {"encoder.resnet.4.0.downsample.0.weight", LOST,
         "\"encoder.resnet.4.0.conv3.weight\" gives 16 channels, which are added to 8"},
        {"encoder.resnet.4.1.conv1.weight", TURNED,
         "\"encoder.resnet.4.1.conv1.weight\" is [16,4,1,1], and 16 channels come to its windows "
         "of 1 x 1; give an encoder of bottlenecks"},
        {"encoder.resnet.6.1.conv2.weight", NO_NUMBERS,
         "\"encoder.resnet.6.1.conv2.weight\" and the norm after it are not finite; the weights "
         "may be corrupt"},
        {"decoder.f_beta.weight", TURNED, "\"decoder.f_beta.weight\" is [14,40], not [40,14]"},
    };
    char folder[] = "/tmp/saccade-tutorialXXXXXX", config[64], weights[64], line[1200];
    assert_non_null(mkdtemp(folder));
    snprintf(config, sizeof config, "%s/config.json", folder);
    snprintf(weights, sizeof weights, "%s/model.safetensors", folder);
    assert_int_equal(symlink(REFERENCES "/show_attend_tell/config.json", config), 0);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        sac_pretrained_model *model;
        sac_error error = {0};
        save_damaged(folder, damages[i].name, damages[i].how);
        assert_int_not_equal(
            sac_pretrained_model_open_stored(folder, NULL, SAC_STORAGE_F32, &model, &error),
            SAC_OK);
        if (!strstr(sac_error_line(&error, line, sizeof line), damages[i].what))
            fail_msg("“%s” does not contain “%s”", line, damages[i].what);
    }
    unlink(config);
    unlink(weights);
    rmdir(folder);
}

TEST(a_wordmap_has_each_number_once)
{
    static const struct {
        const char *text, *what;
    } files[] = {
        {"{\"a\": 0, \"dog\": 1}", NULL},
        {"{\"a\": 0, \"dog\": 2}", "dog: is not a whole number from 0 to 1"},
        {"{\"a\": 0, \"dog\": \"1\"}", "dog: is not a whole number from 0 to 1"},
        {"{\"a\": 0, \"dog\": 0}", "dog: is 0, and so is \"a\""},
        {"{\"dog\": 1}", "has no word 0, and config.json has 2; give that of this"},
        {"[\"a\", \"dog\"]", "wordmap"},
    };
    char path[] = "/tmp/saccade-wordmapXXXXXX", line[1200];
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        sac_token_texts texts;
        sac_error error = {0};
        FILE *written = fopen(path, "w");
        assert_non_null(written);
        fputs(files[i].text, written);
        fclose(written);
        sac_status status = sac_token_texts_read(path, 2, &texts, &error);
        if (!files[i].what)
            assert_string_equal(sac_token_text(&texts, 1), "dog");
        if (status != SAC_OK && !strstr(sac_error_line(&error, line, sizeof line), files[i].what))
            fail_msg("“%s” does not contain “%s”", line, files[i].what);
        assert_int_equal(status, files[i].what ? SAC_E_FORMAT : SAC_OK);
        sac_token_texts_free(&texts);
    }
    unlink(path);
}

TEST_MAIN(open_device, close_device)
