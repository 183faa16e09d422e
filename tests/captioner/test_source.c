/* Pictures, folders and scenes as a source of captions: what is known of them, turning, and models
 * that wait until they are asked. The models are tiny and untrained: their captions have no meaning.
 */
#include <unistd.h>

#include "captioner/captioner.h"
#include "captioner/source/source.h"
#include "images/png_write.h"
#include "shapes/truth.h"
#include "status.h"
#include "test.h"
#include "tiny.h"

static char folder[] = "/tmp/saccade-source-XXXXXX";

/* Lends one of eight buffers that take turns. */
static const char *here(const char *name)
{
    static char paths[8][128];
    static int turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* A grid of a quarter of `side`. */
static void make_weights(const char *name, int side, sac_score score, uint32_t seed)
{
    tiny_captioner_save(here(name), NULL, side, 2, score, seed);
}

/* Stripes of a colour that distinguishes the pictures. */
static void make_picture(const char *name, int width, int height, uint8_t red)
{
    sac_image image;
    OK(sac_image_create(width, height, &image, NULL));
    for (int i = 0; i < width * height; i++) {
        uint8_t *p = image.rgba + 4 * i;
        p[0] = red;
        p[1] = i % width / 5 % 2 ? 200 : 20;
        p[2] = (uint8_t)(255 - red);
        p[3] = 255;
    }
    OK(sac_png_save(here(name), &image, NULL, 0, NULL));
    sac_image_free(&image);
}

/* Scene `seed` as a picture that carries its truth. */
static void make_scene_picture(const char *name, uint64_t seed)
{
    sac_scene scene;
    sac_image image;
    sac_scene_make(SAC_STREAM_TEST, seed, &scene);
    OK(sac_scene_image(&scene, 96, &image, NULL));
    char *json = sac_scene_json(&scene, 96);
    sac_png_text text = {"scene", json};
    OK(sac_png_save(here(name), &image, &text, 1, NULL));
    free(json);
    sac_image_free(&image);
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(here(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int make_files(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    make_weights("a.safetensors", 28, SAC_SCORE_ADDITIVE, 1);
    make_weights("b.safetensors", 28, SAC_SCORE_SCALED_DOT, 2);
    make_weights("wide.safetensors", 32, SAC_SCORE_BILINEAR, 3);
    make_picture("stripes-10.png", 40, 30, 10);
    make_picture("stripes-9.png", 30, 40, 200);
    make_scene_picture("zz-scene.png", 5);
    write_text("a.txt", "no picture");
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* Opens with the weights "a". */
static sac_source open_with(sac_model_open_options options)
{
    const char *weights[] = {here("a.safetensors")};
    sac_source source;
    if (!options.weight_count) {
        options.weights = weights;
        options.weight_count = 1;
    }
    OK(sac_caption_open(&sac_captioner_class, &options, &source, &failure));
    return source;
}

static sac_source open_picture(const char *name)
{
    const char *picture = here(name);
    return open_with((sac_model_open_options){.pictures = &picture, .picture_count = 1});
}

static sac_result generate(sac_source *source, int model)
{
    sac_result caption;
    sac_result_request request = {.model = model};
    OK(sac_source_generate(source, &request, &caption, &failure));
    return caption;
}

static bool same_caption(const sac_result *a, const sac_result *b)
{
    size_t floats = (size_t)(a->count * a->grid_w * a->grid_h);
    return a->count == b->count && memcmp(a->weights, b->weights, floats * sizeof(float)) == 0;
}

/* ---------------------------------------------------------------- scenes */

TEST(a_scene_knows_its_sentence_and_where_its_objects_are)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        sac_scene scene;
        char sentence[256];
        sac_scene_make(SAC_STREAM_TEST, seed, &scene);
        sac_sentence(scene.word, scene.words, sentence, sizeof sentence);
        sac_source source = open_with((sac_model_open_options){.scene = seed});
        const sac_caption_truth *truth = &source.result.truth;
        assert_true(source.result.has_truth && source.picture.scenes);
        assert_string_equal(truth->caption, sentence);
        assert_int_equal(truth->objects, scene.count);
        for (int i = 0; i < scene.count; i++) {
            const sac_scene_object *object = &scene.objects[i];
            assert_string_equal(truth->object[i].words[0], object->large ? "large" : "small");
            assert_string_equal(truth->object[i].words[1],
                                sac_word_text(SAC_WORD_COLOUR + object->colour));
            assert_string_equal(truth->object[i].words[2],
                                sac_word_text(SAC_WORD_SHAPE + object->shape));
            assert_int_equal(truth->object[i].look.count, 1);
            assert_memory_equal(truth->object[i].look.box[0], object->box, sizeof object->box);
        }
        assert_memory_equal(truth->object_of_word, scene.object_of_word,
                            (size_t)truth->words * sizeof(int));
        sac_source_destroy(&source);
    }
}

TEST(past_the_last_scene_the_next_one_is_made)
{
    sac_source source = open_with((sac_model_open_options){.scene = 41});
    assert_string_equal(source.title, "scene 41");
    assert_int_equal(source.picture.count, 1);
    OK(sac_source_turn_to_example(&source, 1, NULL));
    assert_string_equal(source.title, "scene 42");
    assert_int_equal(source.picture.count, 2);
    OK(sac_source_turn_to_example(&source, 0, NULL));
    assert_string_equal(source.title, "scene 41");
    assert_int_equal(source.picture.count, 2);
    assert_int_equal(sac_source_turn_to_example(&source, -1, NULL), SAC_E_ARGUMENT);
    assert_string_equal(source.title, "scene 41");
    sac_source_destroy(&source);
}

/* ---------------------------------------------------------------- pictures */

TEST(a_folder_is_its_pictures_by_name_and_number)
{
    const char *path = folder, *titles[] = {"stripes-9.png", "stripes-10.png", "zz-scene.png"};
    sac_source source = open_with((sac_model_open_options){.pictures = &path, .picture_count = 1});
    assert_int_equal(source.picture.count, 3);
    assert_false(source.picture.scenes);
    for (int i = 0; i < 3; i++) {
        OK(sac_source_turn_to_example(&source, i, NULL));
        assert_string_equal(source.title, titles[i]);
        assert_string_equal(source.origin.file, here(titles[i]));
        assert_int_equal(source.picture.number, i);
        assert_int_equal(source.result.has_truth, i == 2);
    }
    assert_int_equal(sac_source_turn_to_example(&source, 3, NULL), SAC_E_ARGUMENT);
    assert_string_equal(source.title, titles[2]);
    sac_source_destroy(&source);
}

TEST(what_is_shown_is_a_square_around_the_picture)
{
    sac_source source = open_picture("stripes-10.png");
    assert_int_equal(source.picture.image->width, 40);
    assert_int_equal(source.picture.image->height, 40);
    sac_source_destroy(&source);
    make_picture("huge.png", 1200, 1000, 1);
    source = open_picture("huge.png");
    assert_int_equal(source.picture.image->width, 896);
    static const float between[4] = {0, 75.0f / 896, 1, 822.0f / 896};
    for (int k = 0; k < 4; k++)
        assert_float_equal(source.picture.file_box[k], between[k], 1.5 / 896);
    sac_source_destroy(&source);
    unlink(here("huge.png"));
}

TEST(a_picture_that_carries_its_truth_is_judged_by_it)
{
    sac_source file = open_picture("zz-scene.png");
    sac_source scene = open_with((sac_model_open_options){.scene = 5});
    assert_true(file.result.has_truth);
    assert_string_equal(file.result.truth.caption, scene.result.truth.caption);
    for (int i = 0; i < 4; i++) /* the file's are whole pixels' */
        assert_true(fabsf(file.result.truth.object[0].look.box[0][i] -
                          scene.result.truth.object[0].look.box[0][i]) < 1.1f / 96);
    sac_source_destroy(&file);
    sac_source_destroy(&scene);
}

TEST(json_of_something_else_beside_a_picture_is_no_error)
{
    write_text("stripes-10.json", "{\"camera\": \"none\"}");
    sac_source source = open_picture("stripes-10.png");
    unlink(here("stripes-10.json"));
    assert_false(source.result.has_truth);
    assert_non_null(strstr(source.note, "no truth"));
    sac_source_destroy(&source);
}

TEST(pixels_that_are_there_already_are_not_read_again)
{
    sac_image pixels;
    const char *picture = here("stripes-10.png");
    OK(sac_image_create(60, 60, &pixels, NULL));
    sac_source source = open_with(
        (sac_model_open_options){.pictures = &picture, .picture_count = 1, .first = &pixels});
    assert_int_equal(source.picture.image->width, 60);
    sac_image_free(&pixels);
    sac_result caption = generate(&source, 0); /* nothing of the pixels is still looked at */
    sac_result_free(&caption);
    sac_source_destroy(&source);
}

TEST(a_picture_that_cannot_be_read_leaves_the_one_that_is_shown)
{
    const char *pictures[] = {here("stripes-9.png"), here("a.txt")};
    sac_source source =
        open_with((sac_model_open_options){.pictures = pictures, .picture_count = 2});
    sac_result before = generate(&source, 0);
    assert_int_equal(sac_source_turn_to_example(&source, 1, &failure), SAC_E_FORMAT);
    assert_string_equal(failure.where, pictures[1]);
    assert_string_equal(source.title, "stripes-9.png");
    assert_int_equal(source.picture.number, 0);
    sac_result after = generate(&source, 0);
    assert_true(same_caption(&before, &after));
    sac_result_free(&before);
    sac_result_free(&after);
    sac_source_destroy(&source);
}

TEST(a_folder_without_pictures_is_refused)
{
    char empty[] = "/tmp/saccade-empty-XXXXXX";
    const char *path = mkdtemp(empty), *weights[] = {here("a.safetensors")};
    sac_model_open_options options = {
        .pictures = &path, .picture_count = 1, .weights = weights, .weight_count = 1};
    sac_source source;
    assert_int_equal(sac_caption_open(&sac_captioner_class, &options, &source, NULL), SAC_E_FILE);
    assert_null(source.self);
    rmdir(empty);
}

/* ---------------------------------------------------------------- generation */

TEST(each_picture_is_captioned_and_not_the_one_before)
{
    const char *path = folder;
    sac_source source = open_with((sac_model_open_options){.pictures = &path, .picture_count = 1});
    sac_result first = generate(&source, 0);
    OK(sac_source_turn_to_example(&source, 1, NULL));
    sac_result second = generate(&source, 0);
    OK(sac_source_turn_to_example(&source, 0, NULL));
    sac_result again = generate(&source, 0);
    assert_false(same_caption(&first, &second));
    assert_true(same_caption(&first, &again));
    sac_result_free(&first);
    sac_result_free(&second);
    sac_result_free(&again);
    sac_source_destroy(&source);
}

/* An untrained model is sure of nothing, and ends no sentence. */
TEST(only_a_picture_without_truth_is_called_a_guess)
{
    const char *path = folder;
    sac_source source = open_with((sac_model_open_options){.pictures = &path, .picture_count = 1});
    for (int i = 0; i < 3; i++) {
        OK(sac_source_turn_to_example(&source, i, NULL));
        sac_result caption = generate(&source, 0);
        bool guess = caption.note[0] && strncmp(caption.note, "cut at ", 7) != 0;
        assert_true(guess != source.result.has_truth);
        sac_result_free(&caption);
    }
    sac_source_destroy(&source);
}

/* ---------------------------------------------------------------- models */

TEST(a_model_is_loaded_when_it_is_first_asked)
{
    make_weights("late.safetensors", 28, SAC_SCORE_SCALED_DOT, 4);
    const char *weights[] = {here("a.safetensors"), here("late.safetensors")};
    sac_source source = open_with((sac_model_open_options){.weights = weights, .weight_count = 2});
    assert_int_equal(source.result.models, 2);
    assert_string_equal(source.result.model[0], "additive");
    assert_string_equal(source.result.model[1], "scaled-dot");
    unlink(weights[1]);
    sac_result caption = generate(&source, 0);
    sac_result_free(&caption);
    sac_result_request second = {.model = 1}, third = {.model = 2};
    assert_int_equal(sac_source_generate(&source, &second, &caption, &failure), SAC_E_FILE);
    assert_string_equal(failure.where, weights[1]);
    assert_int_equal(sac_source_generate(&source, &third, &caption, NULL), SAC_E_ARGUMENT);
    sac_source_destroy(&source);
}

TEST(models_are_compared_on_the_same_picture)
{
    const char *weights[] = {here("a.safetensors"), here("b.safetensors"), here("a.safetensors")};
    sac_source source = open_with((sac_model_open_options){.weights = weights, .weight_count = 3});
    assert_string_equal(source.result.model[2], "additive 2");
    OK(sac_source_turn_to_example(&source, 1, NULL));
    sac_result captions[3];
    for (int i = 0; i < 3; i++)
        captions[i] = generate(&source, i);
    assert_true(same_caption(&captions[0], &captions[2]));
    assert_false(same_caption(&captions[0], &captions[1]));
    for (int i = 0; i < 3; i++)
        sac_result_free(&captions[i]);
    sac_source_destroy(&source);
}

TEST(models_of_different_grids_are_not_compared)
{
    const char *weights[] = {here("a.safetensors"), here("wide.safetensors")};
    sac_model_open_options options = {.weights = weights, .weight_count = 2};
    sac_source source;
    assert_int_equal(sac_caption_open(&sac_captioner_class, &options, &source, &failure),
                     SAC_E_ARGUMENT);
    assert_string_equal(failure.where, weights[1]);
    assert_non_null(strstr(failure.what, "8 × 8"));
}

/* ---------------------------------------------------------------- a weight taken apart */

/* Weights of float32 below 1; scores of these models are below 10, or 20 at half the temperature: beside a
 * threshold a weight is as exact as its score, whose last digit is 2e-6 there. */
static void expect_parts_of(sac_source *source, const sac_result_request *request, size_t word)
{
    sac_explanation e;
    sac_result caption = {0};
    sac_explanation_request which = {.step = word, .position = 30, .caption = request};
    OK(sac_source_explain(source, &which, &e, &failure));
    OK(sac_source_generate(source, request, &caption, NULL));
    const float *shown = caption.weights + word * e.keys;
    for (size_t i = 0; i < e.keys; i++)
        if (shown[i] != e.weights[i] ||
            !(fabs(e.shares[i] - (double)shown[i]) <= (request->normalizer ? 4e-6 : 1e-6)))
            fail_msg("cell %zu has %.9g, its parts give %.9g", i, (double)shown[i], e.shares[i]);
    assert_true(e.gate == (double)caption.outputs[word].gate);
    assert_true(e.value && e.result[0] != 0);
    sac_result_free(&caption);
    sac_explanation_free(&e);
}

TEST(the_parts_of_a_words_weight_give_it)
{
    static const char *const names[] = {"additive", "scaled-dot", "bilinear"};
    uint8_t hidden[196] = {[3] = 1, [30] = 0, [77] = 1};
    for (int i = 0; i < 3; i++) {
        char path[512];
        const char *weights[] = {path};
        snprintf(path, sizeof path, ASSETS "/captioner/%s.safetensors", names[i]);
        sac_source source =
            open_with((sac_model_open_options){.weights = weights, .weight_count = 1, .scene = 91});
        sac_result_request asked = {.temperature = 1, .beam = 3};
        expect_parts_of(&source, &asked, 0);
        asked.temperature = 0.5f;
        asked.hidden = hidden;
        expect_parts_of(&source, &asked, 4);
        for (int n = 0; n < SAC_NORMALIZER_COUNT; n++) {
            asked.normalizer = 1 + n;
            expect_parts_of(&source, &asked, 1);
        }
        sac_source_destroy(&source);
    }
}

/* Trained weights, whose attention is by another normaliser from here on. */
TEST(the_parts_of_a_weight_that_may_be_0_give_it)
{
    const char *weights[] = {here("sparse.safetensors")};
    sac_device *opened;
    sac_captioner *captioner;
    OK(sac_device_open(NULL, &opened, &failure));
    OK(sac_captioner_load(opened, ASSETS "/captioner/additive.safetensors", &captioner, &failure));
    captioner->shape.normalizer = SAC_NORMALIZER_ENTMAX15;
    OK(sac_checkpoint_save(&captioner->base, weights[0], 0, 0, NULL, &failure));
    sac_captioner_destroy(captioner);
    sac_device_close(opened);
    sac_source source =
        open_with((sac_model_open_options){.weights = weights, .weight_count = 1, .scene = 91});
    assert_string_equal(source.result.model[0], "additive, entmax15");
    expect_parts_of(&source, &(sac_result_request){.temperature = 1, .beam = 3}, 0);
    expect_parts_of(&source, &(sac_result_request){.temperature = 0.5f, .beam = 3}, 4);
    sac_source_destroy(&source);
}

/* The queries of the caption are no longer those of the decoder then. */
TEST(a_word_is_explained_after_others_were_generated_in_its_place)
{
    char path[512];
    const char *weights[] = {path};
    snprintf(path, sizeof path, ASSETS "/captioner/additive.safetensors");
    sac_source source =
        open_with((sac_model_open_options){.weights = weights, .weight_count = 1, .scene = 91});
    const sac_result_request asked = {.temperature = 1, .beam = 3};
    sac_sampling other = {.count = 8};
    sac_result generated;
    expect_parts_of(&source, &asked, 4);
    assert_true(sac_sampling_change(&other, 1, 5));
    OK(sac_source_generate(&source, &(sac_result_request){.sampling = &other}, &generated,
                           &failure));
    expect_parts_of(&source, &asked, 4);
    sac_result_free(&generated);
    sac_source_destroy(&source);
}

TEST(a_word_that_is_not_generated_has_no_weight)
{
    sac_source source = open_with((sac_model_open_options){0});
    sac_explanation e;
    sac_explanation_request which = {.step = SAC_CAPTIONER_WORDS,
                                     .caption = &(sac_result_request){0}};
    assert_int_equal(sac_source_explain(&source, &which, &e, &failure), SAC_E_ARGUMENT);
    assert_null(e.weights);
    sac_source_destroy(&source);
}

TEST_MAIN(make_files, remove_files)
