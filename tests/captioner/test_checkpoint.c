/* src/models/captioner/checkpoint: weights come back as they were, and damaged files are refused
 * with one clear line. */
#include <unistd.h>

#include "captioner/captioner.h"
#include "captioner/model.h"
#include "damaged.h"
#include "models/checkpoint.h"
#include "saccade_arrays.h"
#include "shapes/vocabulary.h"
#include "status.h"
#include "test.h"

#define ANOTHER "; give weights that `saccade train captioner` wrote"

static const sac_captioner_shape tiny = {.side = 8,
                                         .layers = 2,
                                         .layer = {{4, 2}, {6, 1}},
                                         .score = SAC_SCORE_ADDITIVE,
                                         .attention = 5,
                                         .hidden = 7,
                                         .embedding = 4,
                                         .vocabulary = SAC_WORDS};

static char folder[] = "/tmp/saccade-keep-XXXXXX", path[64];

static int open_all(void **state)
{
    (void)state;
    if (!mkdtemp(folder) || sac_device_open(NULL, &device, &failure) != SAC_OK)
        return -1;
    snprintf(path, sizeof path, "%s/w", folder);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    sac_device_close(device);
    unlink(path);
    return rmdir(folder);
}

static float *read_values(const sac_captioner *c)
{
    float *values = malloc(c->base.parameters.floats * sizeof *values);
    OK(sac_span_read(device, c->base.parameters.values, c->base.parameters.floats, values,
                     &failure));
    return values;
}

/* ---------------------------------------------------------------- there and back */

static void weights_come_back(sac_captioner_shape shape)
{
    sac_captioner *one, *other;
    OK(sac_captioner_create(device, &shape, 7, &one, &failure));
    OK(sac_checkpoint_save(&one->base, path, 1200, 7, NULL, &failure));
    OK(sac_captioner_load(device, path, &other, &failure));
    assert_memory_equal(sac_captioner_get_shape(other), sac_captioner_get_shape(one), sizeof shape);
    float *a = read_values(one), *b = read_values(other);
    assert_memory_equal(a, b, one->base.parameters.floats * sizeof *a);
    assert_null(other->base.parameters.first.buffer); /* not for training */
    free(a);
    free(b);
    sac_captioner_destroy(one);
    sac_captioner_destroy(other);
}

TEST(weights_of_every_score_come_back_as_they_were)
{
    sac_captioner_shape shape = tiny;
    const sac_score scores[] = {SAC_SCORE_ADDITIVE, SAC_SCORE_SCALED_DOT, SAC_SCORE_BILINEAR};
    for (int i = 0; i < 3; i++) {
        shape.score = scores[i];
        shape.normalizer = (sac_normalizer)i; /* and of every normaliser */
        weights_come_back(shape);
    }
}

/* --attention beside --resume: weights go on by another normaliser, where that was asked for, and a checkpoint does not. */
TEST(weights_go_on_by_another_normaliser_where_it_is_given)
{
    sac_captioner *one;
    sac_model *model;
    sac_arrays *file;
    sac_model_values values = sac_model_defaults(&sac_captioner_class);
    int option = 0;
    while (strcmp(sac_captioner_class.options[option].name, "attention") != 0)
        option++;
    OK(sac_captioner_create(device, &tiny, 7, &one, &failure));
    for (int with_moments = 0; with_moments < 2; with_moments++) {
        OK(sac_checkpoint_save(&one->base, path, 3, 7, with_moments ? "steps 9" : NULL, &failure));
        OK(sac_arrays_open(path, &file, &failure));
        for (int given = 0; given < 2; given++) {
            values.given[option] = given;
            values.value[option] = SAC_NORMALIZER_ENTMAX15;
            OK(sac_captioner_class.create_like(device, file, path, &values, 1, &model, &failure));
            assert_int_equal(((sac_captioner *)model)->shape.normalizer,
                             given ? SAC_NORMALIZER_ENTMAX15 : SAC_NORMALIZER_SOFTMAX);
            assert_int_equal(sac_captioner_class.check(model, file, path, &failure),
                             given && with_moments ? SAC_E_ARGUMENT : SAC_OK);
            ((sac_captioner *)model)->shape.normalizer = SAC_NORMALIZER_SPARSEMAX;
            if (!given)
                assert_int_equal(sac_captioner_class.check(model, file, path, &failure),
                                 SAC_E_SHAPE);
            sac_model_destroy(model);
        }
        sac_arrays_close(file);
    }
    sac_captioner_destroy(one);
}

TEST(weights_of_the_picture_book_come_back)
{
    sac_captioner_shape shape = tiny;
    shape.dataset = sac_dataset_find("book");
    shape.vocabulary = shape.dataset->vocabulary;
    weights_come_back(shape);
}

/* Models of flat shapes had no word for an empty ground. */
TEST(weights_of_the_words_that_once_were_still_open)
{
    sac_captioner_shape shape = tiny;
    shape.vocabulary = SAC_WORDS - 1;
    weights_come_back(shape);
}

/* Scaled-dot models had a bias of the keys until it turned out that a softmax does not see it. */
TEST(weights_with_the_bias_that_once_was_still_open)
{
    sac_captioner *captioner;
    sac_parameters earlier = {0}, frozen = {0};
    sac_captioner_weights weights;
    sac_captioner_shape shape = tiny;
    shape.score = SAC_SCORE_SCALED_DOT;
    sac_captioner_declare(&shape, &earlier, &frozen, &weights);
    sac_parameter_vector(&earlier, "attention.key.bias", (size_t)shape.attention);
    OK(sac_parameters_create(&earlier, device, true, 7, &failure));
    char *model = sac_captioner_describe(&shape);
    const char *const metadata[] = {"model", model, NULL};
    OK(sac_parameters_save(&earlier, path, false, metadata, &failure));
    OK(sac_captioner_load(device, path, &captioner, &failure));
    size_t floats = captioner->base.parameters.floats;
    float *loaded = read_values(captioner), *saved = malloc(floats * sizeof *saved);
    OK(sac_span_read(device, earlier.values, floats, saved, &failure));
    assert_memory_equal(loaded, saved, floats * sizeof *saved);
    free(model);
    free(loaded);
    free(saved);
    sac_captioner_destroy(captioner);
    sac_parameters_destroy(&earlier);
}

TEST(as_many_layers_as_there_may_be_come_back)
{
    sac_captioner_shape shape = tiny;
    shape.layers = SAC_CAPTIONER_LAYERS;
    for (int i = 0; i < shape.layers; i++) {
        shape.layer[i].channels = i + 1;
        shape.layer[i].stride = 1;
    }
    weights_come_back(shape);
}

TEST(steps_and_seed_come_back_also_beside_moments)
{
    sac_captioner *captioner;
    sac_arrays *file;
    sac_captioner_shape shape;
    size_t steps;
    uint32_t seed;
    OK(sac_captioner_create(device, &tiny, 7, &captioner, &failure));
    OK(sac_checkpoint_save(&captioner->base, path, 123456, UINT32_MAX, "", &failure));
    OK(sac_arrays_open(path, &file, &failure));
    assert_string_equal(sac_arrays_metadata(file, "program"), "saccade " SAC_VERSION);
    OK(sac_captioner_read_shape(file, path, &shape, &failure));
    OK(sac_checkpoint_progress(&sac_captioner_class, file, path, &steps, &seed, &failure));
    assert_memory_equal(&shape, sac_captioner_get_shape(captioner), sizeof shape);
    sac_captioner_destroy(captioner);
    assert_int_equal(steps, 123456);
    assert_int_equal(seed, UINT32_MAX);
    sac_arrays_close(file);
    OK(sac_captioner_load(device, path, &captioner, &failure));
    sac_captioner_destroy(captioner);
}

/* ---------------------------------------------------------------- descriptions that lie */

static void refuse(const char *model, const char *line)
{
    refuse_description(&sac_captioner_class, path, model, line);
}

TEST(what_is_no_description_is_refused)
{
    refuse(NULL, "does not describe the model that its weights belong to" ANOTHER);
    refuse("", "model: is not JSON" ANOTHER);
    refuse("{", "model: is not JSON" ANOTHER);
    refuse("[1]", "model: is not JSON" ANOTHER);
    refuse("{}", "model: has no number \"format\"" ANOTHER);
    refuse("{\"format\":2}", "model: format is 2; it is a whole number from 1 to 1" ANOTHER);
}

#define SIZES "\"attention\":5,\"hidden\":7,\"embedding\":4"
#define WORDS                                                                                      \
    "[\"<pad>\",\"<start>\",\"<end>\",\"a\",\"and\",\"left\",\"right\",\"of\",\"above\","          \
    "\"below\",\"small\",\"large\"]"

TEST(sizes_beyond_all_reason_are_refused)
{
    refuse("{\"format\":1}", "model: has no number \"side\"" ANOTHER);
    refuse("{\"format\":1,\"side\":\"112\"}", "model: has no number \"side\"" ANOTHER);
    refuse("{\"format\":1,\"side\":1e300}",
           "model: side is 1e+300; it is a whole number from 8 to 512" ANOTHER);
    refuse("{\"format\":1,\"side\":-112}",
           "model: side is -112; it is a whole number from 8 to 512" ANOTHER);
    refuse("{\"format\":1,\"side\":112.5}",
           "model: side is 112.5; it is a whole number from 8 to 512" ANOTHER);
    refuse("{\"format\":1,\"side\":8,\"layers\":[[4,2]],\"score\":\"additive\",\"attention\":5,"
           "\"hidden\":1e9}",
           "model: hidden is 1e+09; it is a whole number from 1 to 4096" ANOTHER);
}

TEST(layers_are_lists_of_two_numbers)
{
    refuse("{\"format\":1,\"side\":8}", "model: has no list \"layers\"" ANOTHER);
    refuse("{\"format\":1,\"side\":8,\"layers\":[]}",
           "model: the number of layers is 0; it is a whole number from 1 to 8" ANOTHER);
    refuse("{\"format\":1,\"side\":8,\"layers\":[1,2,3,4,5,6,7,8,9]}",
           "model: the number of layers is 9; it is a whole number from 1 to 8" ANOTHER);
    refuse("{\"format\":1,\"side\":8,\"layers\":[[4,2],7]}",
           "model: layer 1 is not [channels, stride]" ANOTHER);
    refuse("{\"format\":1,\"side\":8,\"layers\":[[4]]}",
           "model: layer 0 is not [channels, stride]" ANOTHER);
    refuse("{\"format\":1,\"side\":8,\"layers\":[[4,0]]}",
           "model: a layer's stride is 0; it is a whole number from 1 to 4" ANOTHER);
    refuse("{\"format\":1,\"side\":8,\"layers\":[[1e9,1]]}",
           "model: a layer's channels is 1e+09; it is a whole number from 1 to 512" ANOTHER);
}

TEST(scores_and_words_are_those_of_this_program)
{
    refuse(
        "{\"format\":1,\"world\":\"dreams\",\"side\":8}",
        "model: was trained on the dataset \"dreams\", which this version does not have" ANOTHER);
    refuse("{\"format\":1,\"side\":8,\"layers\":[[4,2]]}",
           "model: score is \"\", not additive, scaled-dot or bilinear" ANOTHER);
    refuse("{\"format\":1,\"side\":8,\"layers\":[[4,2]],\"score\":\"gaussian\"}",
           "model: score is \"gaussian\", not additive, scaled-dot or bilinear" ANOTHER);
    refuse("{\"format\":1,\"side\":8,\"layers\":[[4,2]],\"score\":\"additive\"," SIZES "}",
           "model: has no list \"vocabulary\"" ANOTHER);
    refuse("{\"format\":1,\"side\":8,\"layers\":[[4,2]],\"score\":\"additive\"," SIZES
           ",\"vocabulary\":[\"<pad>\",\"<start>\",\"<end>\"]}",
           "model: the number of words is 3; it is a whole number from 4 to 27" ANOTHER);
    refuse("{\"format\":1,\"side\":8,\"layers\":[[4,2]],\"score\":\"additive\"," SIZES
           ",\"vocabulary\":[\"<pad>\",\"<start>\",\"<end>\",\"the\"]}",
           "model: word 3 is \"the\"; this program's is \"a\"" ANOTHER);
    refuse("{\"format\":1,\"side\":8,\"layers\":[[4,2]],\"score\":\"additive\"," SIZES
           ",\"vocabulary\":[\"<pad>\",\"<start>\",3,\"a\"]}",
           "model: word 2 is \"\"; this program's is \"<end>\"" ANOTHER);
}

TEST(no_more_is_believed_than_the_file_holds)
{
    char line[160];
    sac_parameters parameters = {0}, frozen = {0};
    sac_captioner_weights weights;
    sac_captioner_shape shape = {.side = 512,
                                 .layers = 2,
                                 .layer = {{512, 4}, {512, 2}},
                                 .score = SAC_SCORE_BILINEAR,
                                 .attention = 4096,
                                 .hidden = 4096,
                                 .embedding = 4096,
                                 .vocabulary = 12};
    sac_captioner_declare(&shape, &parameters, &frozen, &weights);
    size_t numbers = sac_parameters_numbers(&parameters);
    sac_parameters_destroy(&parameters);
    assert_true(numbers > 170000000);
    snprintf(line, sizeof line, "model: asks for %zu numbers; the file holds 1" ANOTHER, numbers);
    refuse("{\"format\":1,\"side\":512,\"layers\":[[512,4],[512,2]],\"score\":\"bilinear\","
           "\"attention\":4096,\"hidden\":4096,\"embedding\":4096,\"vocabulary\":" WORDS "}",
           line);
}

TEST(pictures_beyond_all_reason_are_refused)
{
    refuse(
        "{\"format\":1,\"side\":512,\"layers\":[[512,1],[512,2],[8,4]],\"score\":"
        "\"additive\"," SIZES ",\"vocabulary\":" WORDS "}",
        "model: looks at 512 × 512 pixels and 64 × 64 cells, more than this program takes" ANOTHER);
    refuse("{\"format\":1,\"side\":200,\"layers\":[[4,2]],\"score\":\"additive\"," SIZES
           ",\"vocabulary\":" WORDS "}",
           "model: looks at 200 × 200 pixels and 100 × 100 cells, more than this program "
           "takes" ANOTHER);
}

/* ---------------------------------------------------------------- weights that do not fit */

static damage damage_tiny(void)
{
    sac_captioner *captioner;
    OK(sac_captioner_create(device, &tiny, 7, &captioner, &failure));
    return begin_damage(&captioner->base, path);
}

TEST(cut_files_and_headers_that_lie_are_refused)
{
    sac_captioner *captioner;
    OK(sac_captioner_create(device, &tiny, 7, &captioner, &failure));
    refuse_cut(&captioner->base, path);
}

TEST(every_name_shape_and_number_is_checked)
{
    damage d = damage_tiny();
    refuse_damaged(&d, "start.state.weight", damage_sides, SAC_E_SHAPE,
                   "start.state.weight: shape [6,7], not [7,6]; give weights of this very model");
    d = damage_tiny();
    refuse_damaged(&d, "encoder.0.bias", damage_number, SAC_E_VALUE,
                   "encoder.0.bias: number 2 is nan; take a copy that is not damaged");
    d = damage_tiny();
    refuse_damaged(&d, "words.out.bias", damage_type, SAC_E_FORMAT,
                   "words.out.bias: is int32, not float32; give weights of this very model");
    d = damage_tiny();
    d.named[0].name = "no.such.name";
    refuse_damaged(&d, NULL, NULL, SAC_E_FORMAT,
                   "no.such.name: is nothing that this model knows; give weights of this very "
                   "model");
}

TEST(steps_and_seed_are_numbers)
{
    damage d = damage_tiny();
    d.steps = "-1";
    refuse_damaged(&d, NULL, NULL, SAC_E_FORMAT,
                   "steps: is \"-1\", not a number from 0 to 18446744073709551615" ANOTHER);
    d = damage_tiny();
    d.seed = "4294967296";
    refuse_damaged(&d, NULL, NULL, SAC_E_FORMAT,
                   "seed: is \"4294967296\", not a number from 0 to 4294967295" ANOTHER);
    d = damage_tiny();
    d.seed = "";
    refuse_damaged(&d, NULL, NULL, SAC_E_FORMAT,
                   "seed: is \"\", not a number from 0 to 4294967295" ANOTHER);
}

TEST(files_that_cannot_be_read_or_written_are_errors)
{
    sac_captioner *captioner;
    unlink(path);
    assert_int_equal(sac_captioner_load(device, path, &captioner, &failure), SAC_E_FILE);
    assert_null(captioner);
    OK(sac_captioner_create(device, &tiny, 7, &captioner, &failure));
    assert_int_equal(sac_checkpoint_save(&captioner->base, "/nowhere/w", 0, 0, NULL, &failure),
                     SAC_E_FILE);
    sac_captioner_destroy(captioner);
}

TEST_MAIN(open_all, close_all)
