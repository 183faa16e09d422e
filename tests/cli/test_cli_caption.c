/* saccade caption, and the Caption tab without a window. The model is tiny and untrained, so that
 * its captions have no meaning but are always the same; the shipped weights are tested at the
 * end, where they are. */
#include "json.h"

#include <sys/stat.h>
#include <unistd.h>

#include "images/png_write.h"
#include "png_texts.h"
#include "saccade_arrays.h"
#include "tiny.h"

enum { GRID = 7, CELLS = GRID * GRID };

static void make_picture(const char *name, uint8_t red)
{
    sac_image image;
    assert_int_equal(sac_image_create(96, 64, &image, NULL), SAC_OK);
    for (int i = 0; i < 96 * 64; i++) {
        image.rgba[4 * i] = red;
        image.rgba[4 * i + 1] = (uint8_t)(i / 96 * 3);
        image.rgba[4 * i + 2] = (uint8_t)(i * 7 % 251); /* so that it does not shrink to nothing */
        image.rgba[4 * i + 3] = 255;
    }
    assert_int_equal(sac_png_save(here(name), &image, NULL, 0, NULL), SAC_OK);
    sac_image_free(&image);
}

/* A folder that the program made, with so many files in it. */
static void remove_inner(const char *name, int least, int most)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int count = folder_count(path);
    folder_remove(path);
    assert_true(count >= least && count <= most);
}

#define CAPTION "caption", "--weights", "tiny.safetensors"

/* ---------------------------------------------------------------- JSON */

/* Of the one line that is printed; cJSON_Delete it. */
#define JSON(...) (PASSES(CAPTION, "--json", __VA_ARGS__), parse_json(ran.out))

/* The tiny model's output for scene 7, and of the picture of it, whose arrays are in out.npz. */
static cJSON *of_scene, *of_picture;

static int make_files(void **state)
{
    make_folder(state);
    mkdir(here("book"), 0777); /* beside the others, which are captioned as a folder */
    tiny_captioner_save(here("tiny.safetensors"), NULL, 8 * GRID, 3, SAC_SCORE_ADDITIVE, 3);
    tiny_captioner_save(here("book/tiny.safetensors"), sac_dataset_find("book"), 8 * GRID, 3,
                        SAC_SCORE_ADDITIVE, 3);
    make_picture("picture-10.png", 250);
    make_picture("picture-9.png", 20);
    size_t size;
    char *data = file_read(here("picture-9.png"), &size);
    file_write(here("cut.png"), data, 40); /* of its head alone */
    file_write(here("book/half.png"), data, size / 2);
    free(data);
    file_write(here("letter.txt"), "Dear reader,\n", 13);
    RUN("scene", "--dataset", "shapes", "--seed", "7", "--png", "scene.png");
    if (ran.status == 0)
        RUN("scene", "--dataset", "book", "--seed", "7", "--png", "book/page.png");
    of_scene = JSON("--scene", "7");
    of_picture = JSON("scene.png", "--npz", "out.npz");
    return ran.status;
}

static int remove_files(void **state)
{
    cJSON_Delete(of_scene);
    cJSON_Delete(of_picture);
    return remove_folder(state);
}

/* The weights of a word; returns their sum. */
static double read_weights(const cJSON *word, double weights[CELLS])
{
    double sum = 0;
    const cJSON *array = get(word, "weights");
    assert_int_equal(cJSON_GetArraySize(array), CELLS);
    for (int i = 0; i < CELLS; i++)
        sum += weights[i] = cJSON_GetArrayItem(array, i)->valuedouble;
    return sum;
}

static void assert_pair(const cJSON *json, const char *key, int x, int y)
{
    const cJSON *pair = get(json, key);
    assert_int_equal(cJSON_GetArraySize(pair), 2);
    assert_int_equal(cJSON_GetArrayItem(pair, 0)->valueint, x);
    assert_int_equal(cJSON_GetArrayItem(pair, 1)->valueint, y);
}

static void assert_word(const cJSON *word)
{
    double weights[CELLS], entropy = 0, probability = number_of(word, "probability");
    int peak = 0;
    assert_true(fabs(read_weights(word, weights) - 1) < 1e-5);
    for (int i = 0; i < CELLS; i++) {
        entropy -= weights[i] > 0 ? weights[i] * log2(weights[i]) : 0;
        peak = weights[i] > weights[peak] ? i : peak;
    }
    assert_true(fabs(entropy - number_of(word, "entropy")) < 1e-3);
    assert_pair(word, "peak", peak % GRID, peak / GRID);
    assert_true(probability > 0 && probability <= 1);
}

TEST(json_names_each_word_and_where_it_looked)
{
    cJSON *json = JSON("picture-9.png"), *word;
    char caption[1024] = "";
    assert_pair(json, "grid", GRID, GRID);
    assert_true(number_of(json, "ms") > 0);
    assert_true(text_of(json, "device")[0] && text_of(json, "note")[0]);
    assert_string_equal(text_of(json, "model"), "additive");
    cJSON_ArrayForEach(word, get(json, "words"))
    {
        assert_word(word);
        snprintf(caption + strlen(caption), sizeof caption - strlen(caption), "%s%s",
                 caption[0] ? " " : "", text_of(word, "word"));
    }
    assert_string_equal(text_of(json, "caption"), caption);
    cJSON_Delete(json);
}

TEST(of_a_scene_it_also_names_the_truth)
{
    RUN("scene", "--dataset", "shapes", "--seed", "7", "--json");
    cJSON *truly = cJSON_Parse(ran.out);
    const cJSON *truth = get(of_scene, "truth");
    const cJSON *object = cJSON_GetArrayItem(get(truth, "objects"), 0);
    const cJSON *true_object = cJSON_GetArrayItem(get(truly, "objects"), 0);
    assert_string_equal(text_of(of_scene, "title"), "scene 7");
    assert_string_equal(text_of(truth, "caption"), text_of(truly, "caption"));
    for (int i = 0; i < 4; i++)
        assert_true(fabs(448 * cJSON_GetArrayItem(get(object, "box"), i)->valuedouble -
                         cJSON_GetArrayItem(get(true_object, "box"), i)->valuedouble) < 1);
    const cJSON *word = cJSON_GetArrayItem(get(of_scene, "words"), 0);
    assert_true(cJSON_HasObjectItem(word, "object"));
    cJSON_Delete(truly);
}

/* The picture that `saccade scene` wrote, its own pixels and truth, and the scene itself. */
TEST(a_scene_and_its_picture_are_captioned_alike)
{
    double a[CELLS], b[CELLS];
    assert_string_equal(text_of(of_scene, "caption"), text_of(of_picture, "caption"));
    assert_string_equal(text_of(get(of_scene, "truth"), "caption"),
                        text_of(get(of_picture, "truth"), "caption"));
    read_weights(cJSON_GetArrayItem(get(of_scene, "words"), 0), a);
    read_weights(cJSON_GetArrayItem(get(of_picture, "words"), 0), b);
    assert_memory_equal(a, b, sizeof a);
}

/* A page of the picture book knows where each word is to be seen, and only its own model is sure of
 * it. */
TEST(a_page_of_the_picture_book_is_judged_word_by_word)
{
    PASSES("caption", "--weights", "book/tiny.safetensors", "--json", "book/page.png");
    cJSON *json = parse_json(ran.out);
    const cJSON *truth = get(json, "truth");
    const cJSON *object = cJSON_GetArrayItem(get(truth, "objects"), 0);
    assert_true(cJSON_GetArraySize(get(object, "boxes")) > 0);
    /* it is no guess; the model, which learned for a moment, ends no sentence */
    assert_int_equal(strncmp(get(json, "note")->valuestring, "cut at ", 7), 0);
    cJSON_Delete(json);
    RUN(CAPTION, "--json", "book/page.png");
    json = parse_json(ran.out);
    assert_non_null(get(json, "note"));
    cJSON_Delete(json);
}

/* ---------------------------------------------------------------- what is asked of the model */

TEST(hidden_cells_are_not_looked_at)
{
    cJSON *json = JSON("scene.png", "--hide", "0,0,6,2 5,5,6,6"), *word;
    cJSON_ArrayForEach(word, get(json, "words"))
    {
        double weights[CELLS];
        assert_true(fabs(read_weights(word, weights) - 1) < 1e-5);
        for (int i = 0; i < CELLS; i++) {
            bool hidden = i / GRID <= 2 || (i / GRID >= 5 && i % GRID >= 5);
            assert_true(hidden ? weights[i] == 0 : weights[i] > 0);
        }
    }
    cJSON_Delete(json);
}

/* From the third word on: those before are as they were. */
TEST(words_look_where_they_are_held)
{
    cJSON *json = JSON("scene.png", "--gaze", "2,3.5,0.5", "--from-word", "3"), *word;
    cJSON *own = JSON("scene.png");
    const cJSON *gaze = get(json, "gaze");
    assert_float_equal(get(gaze, "x")->valuedouble, 2, 1e-6);
    assert_float_equal(get(gaze, "y")->valuedouble, 3.5, 1e-6);
    assert_float_equal(get(gaze, "radius")->valuedouble, 0.5, 1e-6);
    assert_int_equal(get(gaze, "from_word")->valueint, 3);
    assert_string_equal(text_of(gaze, "heads"), "all");
    assert_string_equal(text_of(gaze, "before"), text_of(own, "caption"));
    assert_null(cJSON_GetObjectItem(own, "gaze"));
    int t = 0;
    cJSON_ArrayForEach(word, get(json, "words"))
    {
        double weights[CELLS], before[CELLS];
        read_weights(word, weights);
        if (t < 2)
            read_weights(cJSON_GetArrayItem(get(own, "words"), t), before);
        for (int i = 0; i < CELLS && t < 2; i++)
            assert_float_equal(weights[i], before[i], 1e-5);
        if (t++ >= 2) /* between two cells, of the same weight */
            assert_true(weights[3 * GRID + 2] > 0.38 && weights[4 * GRID + 2] > 0.38);
    }
    assert_true(t > 2);
    cJSON_Delete(json);
    cJSON_Delete(own);
    PASSES(CAPTION, "scene.png", "--gaze", "2,3");
    assert_non_null(strstr(ran.out, "\nwithout the gaze: "));
    PASSES(CAPTION, "scene.png", "--gaze", "2,3", "--from-word", "2", "--png", "held.png", "--size",
           "640x400");
    assert_png_text(here("held.png"), "gaze", "2,3,1 from 2");
    DONE("held.png", "--weights", "tiny.safetensors", "--png", "again.png", "--size", "640x400");
    assert_same_pixels(here("held.png"), here("again.png"));
    PASSES(CAPTION, "scene.png", "--gaze", "2,3", "--out", "held.html");
    size_t size;
    char *page = file_read(here("held.html"), &size);
    assert_non_null(strstr(page, "From word 1 on it looks where it is held, at cell (2.00, 3.00)"));
    free(page);
    unlink(here("held.png")); /* the folder is captioned, too */
    unlink(here("again.png"));
    unlink(here("held.html"));
}

TEST(the_sentence_begins_with_the_words_that_are_given)
{
    cJSON *json = JSON("scene.png", "--words", " a  purple cross ");
    assert_int_equal(strncmp(text_of(json, "caption"), "a purple cross", 14), 0);
    cJSON_Delete(json);
}

TEST(a_lower_temperature_looks_more_sharply)
{
    cJSON *sharp = JSON("scene.png", "--temperature", "0.25"),
          *blunt = JSON("scene.png", "--temperature", "4");
    const char *key = "words";
    double low = number_of(cJSON_GetArrayItem(get(sharp, key), 0), "entropy");
    double high = number_of(cJSON_GetArrayItem(get(blunt, key), 0), "entropy");
    assert_true(low < high);
    cJSON_Delete(sharp);
    cJSON_Delete(blunt);
}

/* ---------------------------------------------------------------- what is printed */

TEST(one_picture_gets_its_sentence_and_several_their_names)
{
    char expected[2048];
    program_run one = {.folder = folder}, two = {.folder = folder};
    run_saccade(&one, CAPTION, "--scene", "7", NULL);
    assert_int_equal(one.status, 0);
    run_saccade(&two, CAPTION, "scene.png", "scene.png", NULL);
    assert_int_equal(two.status, 0);
    snprintf(expected, sizeof expected, "scene.png: %.900sscene.png: %.900s", one.out, one.out);
    assert_string_equal(two.out, expected);
}

TEST(pictures_of_two_worlds_are_each_captioned_by_their_own_model)
{
    char expected[2048], page[512];
    DONE("caption", "--scene", "7");
    snprintf(page, sizeof page, "%.400s", ran.out);
    DONE("caption", "--dataset", "shapes", "--scene", "7");
    snprintf(expected, sizeof expected, "scene.png: %.400sbook/page.png: %.400sscene.png: %.400s",
             ran.out, page, ran.out);
    DONE("caption", "scene.png", "book/page.png", "scene.png");
    assert_string_equal(ran.out, expected);
}

static bool captions_photographs(void)
{
    return access(CAPTIONER_WEIGHTS "/photograph.safetensors", R_OK) == 0;
}

#define A_GUESS(picture)                                                                           \
    "saccade: " picture                                                                            \
    ": trained on scenes of flat shapes only; captions of photographs are unreliable"

TEST(a_guess_is_called_one)
{
    PASSES(CAPTION, "picture-9.png");
    assert_string_equal(ran.err, A_GUESS("picture-9.png") "; cut at 26 words\n");
    assert_int_equal(strncmp(ran.out, "perhaps: ", 9), 0);
    cJSON *json = JSON("picture-9.png");
    assert_true(cJSON_IsTrue(get(json, "unlike")));
    assert_true(strncmp(text_of(json, "caption"), "perhaps", 7) != 0);
    assert_true(cJSON_IsFalse(get(of_picture, "unlike")));
    cJSON_Delete(json);
}

/* Outputs of pictures of one name have the endings or the folders by which these differ; a note has one of them. */
TEST(pictures_of_one_name_have_outputs_of_their_own)
{
    static const char *const made[] = {"both/a-x.npz", "both/b-x.npz", "both/y.png.npz",
                                       "both/y.webp.npz", "both/scene.npz"};
    char command[600];
    snprintf(command, sizeof command,
             "cd %s && mkdir -p p/a p/b && cp scene.png p/a/x.png && cp scene.png p/b/x.png && cp "
             "scene.png p/a/y.png && cp scene.png p/a/y.webp",
             folder);
    assert_int_equal(system(command), 0);
    PASSES(CAPTION, "p/a/x.png", "p/b/x.png", "p/a/y.png", "p/a/y.webp", "scene.png", "--npz",
           "both");
    assert_non_null(strstr(ran.err,
                           "4 pictures have the names of others: their outputs have folders "
                           "or endings in their names, such as a-x of p/a/x.png\n"));
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        assert_int_equal(access(here(made[i]), R_OK), 0);
    FAILS(2, "p/a-x.png: has an output a-x, as another input has; give it another name", CAPTION,
          "p/a/x.png", "p/b/x.png", "p/a-x.png", "--npz", "both");
    snprintf(command, sizeof command, "cd %s && rm -r p both", folder);
    assert_int_equal(system(command), 0);
}

/* It is read once: what comes through a pipe does not come again. */
TEST(a_picture_may_come_through_a_pipe)
{
    char command[1000];
    snprintf(command, sizeof command, "cd %s && mkfifo pipe && cat scene.png > pipe &", folder);
    DONE("caption", "scene.png");
    char *caption = strdup(ran.out);
    assert_int_equal(system(command), 0);
    while (access(here("pipe"), F_OK) != 0)
        usleep(1000);
    DONE("caption", "pipe");
    assert_string_equal(ran.out, caption);
    free(caption);
}

TEST(a_folder_is_captioned_in_the_order_of_names_and_past_bad_pictures)
{
    RUN(CAPTION, "--npz", "arrays", ".");
    assert_int_equal(ran.status, 1);
    assert_non_null(strstr(ran.err, "saccade: ./cut.png: is a cut or damaged PNG"));
    const char *nine = strstr(ran.out, "./picture-9.png: "), *ten = strstr(ran.out, "/picture-10");
    assert_true(nine && ten && nine < ten && strstr(ten, "./scene.png: "));
    assert_null(strstr(ran.out, "cut.png"));
    remove_inner("arrays", 3, 3);
}

/* Whatever is called a picture and is none is named, once; a folder without an ending has pictures. */
TEST(a_folder_of_pictures_is_written_into_a_folder_and_what_is_none_is_named)
{
    static const char *const none[] = {"mixed/b.jpg", "mixed/c.bmp", "mixed/d.tiff"};
    char command[600];
    snprintf(command, sizeof command,
             "cd %s && mkdir mixed && cp scene.png mixed/a.png && cp scene.png mixed/e.png && : > "
             "mixed/b.jpg && echo text > mixed/c.bmp && echo text > mixed/d.tiff && echo text > "
             "mixed/notes.txt",
             folder);
    assert_int_equal(system(command), 0);
    RUN(CAPTION, "mixed", "--out", "maps");
    assert_int_equal(ran.status, 1);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        const char *first = strstr(ran.err, none[i]);
        if (!first || strstr(first + 1, none[i]))
            fail_msg("%s in\n%s", none[i], ran.err);
    }
    assert_null(strstr(ran.err, "notes.txt"));
    assert_non_null(strstr(ran.out, "mixed/a.png: "));
    assert_non_null(strstr(ran.out, "mixed/e.png: "));
    assert_int_equal(access(here("maps/a.png"), R_OK), 0);
    assert_int_equal(access(here("maps/e.png"), R_OK), 0);
    remove_inner("maps", 2, 2);
    RUN("view", "mixed", "--weights", "tiny.safetensors", "--png", "maps.png");
    assert_int_equal(ran.status, 0);
    assert_non_null(strstr(ran.err,
                           "left out: 3 files that cannot be read as pictures: mixed/b.jpg, "
                           "mixed/c.bmp, mixed/d.tiff\n"));
    remove(here("maps.png"));
    /* Of one picture the file needs an ending. */
    FAILS(2, "maps: unknown type of file; let the name end in .png,…", CAPTION, "scene.png",
          "--out", "maps");
    snprintf(command, sizeof command, "rm %s/mixed/[ae].png", folder);
    assert_int_equal(system(command), 0);
    FAILS_WITH(1, "in this folder, and none can be read, such as mixed/b.jpg", CAPTION, "mixed");
    remove_inner("mixed", 4, 4);
}

TEST(verbose_names_the_words_one_by_one)
{
    PASSES(CAPTION, "--scene", "7", "--verbose");
    assert_non_null(strstr(ran.out, "probability"));
    assert_non_null(strstr(ran.out, " ms on "));
}

/* ---------------------------------------------------------------- what is written */

TEST(the_arrays_are_those_of_the_json)
{
    sac_arrays *file;
    double weights[CELLS];
    const cJSON *words = get(of_picture, "words");
    size_t count = (size_t)cJSON_GetArraySize(words);
    assert_int_equal(sac_arrays_open(here("out.npz"), &file, NULL), SAC_OK);
    const sac_array *maps = sac_arrays_find(file, "weights"),
                    *texts = sac_arrays_find(file, "words"), *peaks = sac_arrays_find(file, "peak"),
                    *image = sac_arrays_find(file, "image");
    assert_true(maps && texts && peaks && image && sac_arrays_find(file, "probability") &&
                sac_arrays_find(file, "entropy") && sac_arrays_find(file, "gate") &&
                sac_arrays_find(file, "centre"));
    assert_true(maps->dtype == SAC_F32 && maps->rank == 3 && maps->shape[0] == count &&
                maps->shape[1] == GRID && maps->shape[2] == GRID);
    assert_true(image->dtype == SAC_U8 && image->shape[0] == 448 && image->shape[2] == 3);
    assert_true(texts->dtype == SAC_TEXT && texts->shape[0] == count);
    for (size_t t = 0; t < count; t++) {
        const cJSON *word = cJSON_GetArrayItem(words, (int)t);
        const int32_t *peak = (int32_t *)peaks->data + 2 * t;
        assert_string_equal(((char **)texts->data)[t], text_of(word, "word"));
        assert_pair(word, "peak", peak[0], peak[1]);
        read_weights(word, weights);
        for (size_t i = 0; i < CELLS; i++)
            assert_true(((float *)maps->data)[t * CELLS + i] == (float)weights[i]);
    }
    sac_arrays_close(file);
}

/* Each map's sum is 1, or 0 where there is nothing; all outputs name what it is made of. */
TEST(maps_of_another_kind_are_named_in_all_outputs)
{
    static const char *const kinds[] = {"relevance", "gradient", "contrast"};
    for (int i = 0; i < 3; i++) {
        sac_arrays *file;
        PASSES(CAPTION, "--scene", "12", "--attribution", kinds[i], "--json", "--npz", "map.npz",
               "--png", "map.png");
        cJSON *json = cJSON_Parse(ran.out);
        assert_string_equal(text_of(json, "attribution"), kinds[i]);
        assert_png_text(here("map.png"), "attribution", kinds[i]);
        assert_int_equal(sac_arrays_open(here("map.npz"), &file, NULL), SAC_OK);
        const sac_array *maps = sac_arrays_find(file, "weights"),
                        *kind = sac_arrays_find(file, "attribution");
        assert_string_equal(((char **)kind->data)[0], kinds[i]);
        for (size_t t = 0; t < maps->shape[0]; t++) {
            double sum = 0;
            for (size_t k = 0; k < CELLS; k++)
                sum += ((float *)maps->data)[t * CELLS + k];
            assert_true(sum == 0 || fabs(sum - 1) < 1e-5);
        }
        sac_arrays_close(file);
        cJSON_Delete(json);
    }
    DONE("scene.png", "--weights", "tiny.safetensors", "--attribution", "gradient", "--png",
         "map.png", "--size", "640x400");
    assert_png_text(here("map.png"), "attribution", "gradient");
}

/* The figure shows no time that another run would not repeat. */
TEST(the_figure_opens_again_as_it_was_made)
{
    static const char *const of[][2] = {{"--scene", "12"}, {"picture-9.png", "--verbose"}};
    for (int i = 0; i < 2; i++) {
        PASSES(CAPTION, of[i][0], of[i][1], "--hide", "0,0,1,1", "--temperature", "2", "--beam",
               "2", "--length-penalty", i ? "0.5" : "0", "--words", "a red", "--png", "figure.png",
               "--size", "640x400");
        assert_png_text(here("figure.png"), "layout", "figure");
        assert_png_text(here("figure.png"), "hidden", "7x7: 0-1 7-8");
        if (i) /* another than the model's */
            assert_png_text(here("figure.png"), "length penalty", "0.5");
        DONE("figure.png", "--weights", "tiny.safetensors", "--png", "again.png", "--size",
             "640x400");
        assert_non_null(strstr(ran.out, i ? "made from picture-9.png" : "made from scene 12"));
        assert_same_pixels(here("figure.png"), here("again.png"));
    }
}

/* Never by the program's own captioner, whose sentence is another. */
TEST(the_figure_opens_by_the_weights_that_made_it)
{
    size_t size;
    char *weights = file_read(here("tiny.safetensors"), &size);
    file_write(here("mine.safetensors"), weights, size);
    PASSES("caption", "mine.safetensors", "picture-9.png", "--png", "figure.png", "--size",
           "640x400");
    assert_png_text(here("figure.png"), "weights", "mine.safetensors");
    DONE("figure.png", "--png", "again.png", "--size", "640x400");
    assert_non_null(strstr(ran.out, "made from picture-9.png"));
    assert_same_pixels(here("figure.png"), here("again.png"));
    file_write(here("mine.safetensors"), weights, size - 1);
    REFUSED("--png again.png",
            {1,
             "figure.png: was captioned by the weights mine.safetensors, which have changed since; "
             "put them there again, or give --weights FILE",
             {"figure.png"}});
    unlink(here("mine.safetensors"));
    REFUSED("--png again.png",
            {1,
             "figure.png: was captioned by the weights mine.safetensors, which are not there …",
             {"figure.png"}});
    DONE("figure.png", "--weights", "tiny.safetensors", "--png", "again.png", "--size", "640x400");
    assert_same_pixels(here("figure.png"), here("again.png"));
    free(weights);
}

TEST(an_animation_of_it_can_be_written)
{
    PASSES(CAPTION, "--scene", "7", "--frames", "frames", "--size", "320x200", "--fps", "2",
           "--words", "a red");
    remove_inner("frames", 8, 200); /* seconds, not minutes */
}

/* The limit leaves room for the files of OpenCL's own cache. */
TEST(what_cannot_be_written_whole_is_not_there)
{
    int before = folder_count(folder);
    static const char *const options[][2] = {{"--npz", "whole.npz"}, {"--png", "whole.png"}};
    for (int i = 0; i < 2; i++) {
        program_run run = {.folder = folder, .file_limit = 150 << 10};
        run_saccade(&run, CAPTION, "--scene", "7", "--size", "2400x1600", options[i][0],
                    options[i][1], NULL);
        assert_fails_with(&run, 1, options[i][1]);
        assert_int_equal(folder_count(folder), before);
    }
}

/* ---------------------------------------------------------------- what is refused */

TEST(bad_options_are_refused_with_what_to_do)
{
    REFUSED(
        "caption --weights tiny.safetensors",
        {2, "--hide: \"0,0,7,1\" …7 × 7…; give…", {"scene.png", "--hide", "0,0,7,1"}},
        {2, "--hide: \" 3\" …7 × 7…; give…", {"scene.png", "--hide", "1,1,2,2 3"}},
        {2, "gaze: \"2\" is no place …; give X,Y…", {"scene.png", "--gaze", "2"}},
        {2, "gaze: (2, 7) is none of its 7 × 7 …", {"scene.png", "--gaze", "2,7"}},
        {2, "gaze: the radius 0.1 is out of…", {"scene.png", "--gaze", "2,2,0.1"}},
        {2, "--gaze: …without blanks", {"scene.png", "--gaze", "2,2 from 2"}},
        {2, "gaze: 0.1: …no heads…", {"scene.png", "--gaze", "2,2", "--gaze-heads", "0.1"}},
        {2, "gaze: there is no word 99…", {"scene.png", "--gaze", "2,2", "--from-word", "99"}},
        {2, "--from-word: …without --gaze;…", {"scene.png", "--from-word", "2"}},
        {2, "--gaze-heads all: …without --gaze;…", {"scene.png", "--gaze-heads", "all"}},
        {2, "heads: …has no heads that look at cells …", {"scene.png", "--gaze-heads", "0.1"}},
        {2,
         "heads: …has no heads that look at cells …",
         {"scene.png", "--gaze", "2,2", "--gaze-heads", "auto"}},
        {2, "--from-word: is out of range…", {"scene.png", "--gaze", "2,2", "--from-word", "0"}},
        {2,
         "gaze: the map \"gradient\" …; leave one of both out",
         {"scene.png", "--gaze", "2,2", "--attribution", "gradient"}},
        {2, "--words: \"rde\" is not …; did you mean red?", {"scene.png", "--words", "a rde"}},
        {2, "--words: \"<end>\" is …; give words of a…", {"scene.png", "--words", "<end>"}},
        {2,
         "--temperature: is out of range; give a number from 0.25 to 4",
         {"scene.png", "--temperature", "0"}},
        {2, "--beam: …; give a…from 1 to 5", {"scene.png", "--beam", "6"}},
        {2,
         "--length-penalty: is out of range; give a number from -10 to 10, such as 0.7",
         {"scene.png", "--length-penalty", "11"}},
        {2,
         "--length-penalty: does not count in a greedy search; leave it out,…",
         {"scene.png", "--beam", "1", "--length-penalty", "1"}},
        {2, "--score: …--weights; give one…", {"scene.png", "--score", "additive"}},
        {2,
         "attribution: scene.png has no map \"encoder\": …; give one that it has: raw, "
         "relevance, gradient, contrast",
         {"scene.png", "--attribution", "encoder"}},
        {2, "--scene: is given beside a …; give one of the…", {"scene.png", "--scene", "7"}},
        {2, "caption: needs a picture; give one, or --scene N", {"--json"}},
        {2,
         "--theme: unknown theme; give dark or light",
         {"--scene", "7", "--png", "out.png", "--theme=blue"}});
}

TEST(caption_takes_a_picture_that_breaks_off_with_a_notice)
{
    PASSES(CAPTION, "book/half.png");
    assert_non_null(strstr(ran.err, "saccade: book/half.png: ends early, and is shown as far as it "
                                    "goes, about "));
}

TEST(bad_files_are_refused_by_name)
{
    REFUSED("caption --weights tiny.safetensors",
            {1, "nothing.png: cannot be opened: No such file …; check the name", {"nothing.png"}},
            {1, "cut.png: is a cut or damaged PNG; get the file again", {"cut.png"}},
            {1,
             "nowhere/out.npz: cannot be written: No such file or directory; choose a folder that…",
             {"scene.png", "--npz", "nowhere/out.npz"}});
    RUN(CAPTION, "scene.png", "scene.png", "--npz", "letter.txt");
    assert_int_equal(ran.status, 1); /* once for each picture */
    assert_non_null(strstr(ran.err, "letter.txt: cannot make the folder: "));
}

TEST(weights_of_something_else_are_refused)
{
    FAILS_WITH(1, "mha_self.in.npz: ", "caption", "scene.png", "--weights",
               ATTENTION_DATA "/mha_self.in.npz");
    FAILS_WITH(1, "nothing.safetensors: ", "caption", "scene.png", "--weights",
               "nothing.safetensors");
    FAILS(2, "--score: no captioner …\"aditive\"; did you mean additive?", "caption", "scene.png",
          "--score", "aditive");
    FAILS(2,
          "--score: no captioner of the dataset photographs …\"bilinear\"; give additive, or add "
          "--dataset shapes, which is there",
          "caption", "scene.png", "--dataset", "photographs", "--score", "bilinear");
}

TEST(weights_of_a_translator_are_refused)
{
    static const char weights[] = CAPTIONER_WEIGHTS "/../translator/additive.safetensors";
    if (access(weights, R_OK) != 0)
        skip();
    FAILS_WITH(2, "is a translator", "caption", "scene.png", "--weights", weights);
    FAILS_WITH(2, "is a translator", "caption", "--scene", "3", "--weights", weights);
}

/* ---------------------------------------------------------------- the Caption tab */

#define VIEW "--weights", "tiny.safetensors", "--size", "480x320", "--png", "view.png"

TEST(what_is_a_scene_opens_on_captions_and_a_photograph_does_not)
{
    static const char *const shown[][3] = {{"scene.png", "--word=0", "caption"},
                                           {"--scene", "3", "caption"},
                                           {"picture-9.png", "picture-10.png", "caption"},
                                           {"picture-9.png", "--tab=caption", "caption"},
                                           {"picture-9.png", "--cells=16", "picture"},
                                           {"scene.png", "--tab=picture", "picture"}};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        DONE(VIEW, shown[i][0], shown[i][1]);
        assert_png_text(here("view.png"), "view", shown[i][2]);
    }
}

TEST(the_tab_takes_its_settings_and_refuses_others)
{
    DONE(VIEW, "--scene", "7", "--temperature", "2", "--beam", "1", "--word", "0", "--truth", "on",
         "--layout", "figure");
    assert_png_text(here("view.png"), "temperature", "2");
    assert_png_text(here("view.png"), "beam", "1");
    assert_png_text(here("view.png"), "word", "0");
    assert_png_text(here("view.png"), "truth", "on");
    assert_png_text(here("view.png"), "layout", "figure");
    RUN(VIEW, "--scene", "7", "--model", "bilinear");
    assert_fails(&ran, 2, "--model: …\"bilinear\"; there is: additive");
    RUN(VIEW, "--scene", "7", "scene.png");
    assert_fails(&ran, 2, "--scene: is given beside a file; give one of the two");
    RUN(VIEW, "--scene", "7", "--truth", "maybe");
    assert_fails(&ran, 2, "--truth: \"maybe\" is not a valid value; give on or off");
}

TEST(without_weights_pictures_still_open)
{
    FAILS_WITH(1, "gone.npz: ", "scene.png", "--png", "view.png", "--tab", "caption", "--weights",
               "gone.npz");
    DONE("picture-9.png", "--png", "view.png", "--weights", "gone.npz"); /* no caption is needed */
    assert_png_text(here("view.png"), "view", "picture");
}

/* ---------------------------------------------------------------- the shipped weights */

static void skip_without_weights(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, CAPTIONER_WEIGHTS "/%s.safetensors", name);
    if (access(path, R_OK) != 0)
        skip();
}

/* The model's captions are right for at least that share of the first 32 test scenes of its dataset as they
 * are that have no pair which training never has. */
static void assert_right(const char *name, double least)
{
    char path[512];
    skip_without_weights(name);
    snprintf(path, sizeof path, CAPTIONER_WEIGHTS "/%s.safetensors", name);
    cJSON *json = JSON_OF("evaluate", "captioner", "--weights", path, "--count", "32", "--json");
    assert_true(number_of(json, "exact") >= least);
    cJSON_Delete(json);
}

/* Held to ≥ 0.97 of 1000 scenes; of 32 that leaves room for two. */
TEST(the_shipped_model_names_what_is_there)
{
    assert_right("additive", 30.0 / 32);
}

/* Held to 0.90 of the scenes; those without such a pair are about 16, which leaves room for three.
 */
TEST(the_shipped_model_of_the_book_names_what_is_there)
{
    assert_right("book", 13.0 / 16);
}

/* The shipped model's output for a picture. */
static cJSON *ask_shipped(const char *picture)
{
    PASSES("caption", picture, "--json");
    return parse_json(ran.out);
}

/* Is asked once, and lent. */
static const cJSON *of_the_drawing(void)
{
    static cJSON *json;
    if (!json)
        json = ask_shipped("scene.png");
    return json;
}

/* A drawing is one of flat shapes, and a page of the book one of the book, whichever the default.
 */
TEST(a_picture_is_captioned_by_the_model_of_its_world)
{
    skip_without_weights("additive");
    assert_pair(of_the_drawing(), "grid", 14, 14);
    skip_without_weights("book");
    cJSON *json = ask_shipped("book/page.png");
    assert_pair(json, "grid", 20, 20);
    cJSON_Delete(json);
}

/* The rows of both, which begin with the pictures' names, are the words of each alone. */
static void assert_rows_are(const char *table, const char *name, const cJSON *alone)
{
    char row[256];
    const cJSON *word;
    cJSON_ArrayForEach(word, get(alone, "words"))
    {
        snprintf(row, sizeof row, "\n%s: %s\t", name, text_of(word, "word"));
        table = strstr(table, row);
        assert_non_null(table++);
    }
}

TEST(two_drawings_stand_side_by_side_and_open_again)
{
    skip_without_weights("additive");
    DONE("scene", "--dataset", "shapes", "--seed", "8", "--png", "other.png");
    PASSES("scene.png", "other.png", "--tab", "pair", "--png", "two.png", "--tsv", "two.tsv",
           "--size", "640x400");
    assert_png_text(here("two.png"), "view", "caption");
    PASSES("two.png", "--png", "again.png", "--tsv", "again.tsv", "--size", "640x400");
    size_t size, again_size;
    char *table = file_read(here("two.tsv"), &size);
    char *again = file_read(here("again.tsv"), &again_size);
    assert_int_equal(size, again_size);
    assert_memory_equal(table, again, size);
    free(again);
    table = realloc(table, size + 1);
    table[size] = '\0';
    cJSON *of_the_other = ask_shipped("other.png");
    assert_rows_are(table, "scene.png", of_the_drawing());
    assert_rows_are(table, "other.png", of_the_other);
    cJSON_Delete(of_the_other);
    free(table);
    FAILS(2, "--tab pair: …two pictures…1; give two", "scene.png", "--tab", "pair", "--png",
          "no.png");
}

TEST(the_shipped_model_knows_that_a_photograph_is_none_of_its_scenes)
{
    skip_without_weights("additive");
    PASSES("caption", "--dataset", "shapes", PICTURES "/harbour.png");
    assert_string_equal(ran.err, A_GUESS(PICTURES "/harbour.png") "\n");
}

/* Drawings and scenes are not: they keep the models of theirs. */
TEST(a_photograph_is_captioned_by_the_model_of_photographs)
{
    skip_without_weights("additive");
    const char *photograph = PICTURES "/harbour.png";
    if (!captions_photographs()) {
        PASSES("caption", photograph);
        assert_string_equal(
            ran.err,
            A_GUESS(PICTURES
                    "/harbour.png") ": the package "
                                    "saccade-photographs has a captioner of photographs\n");
        FAILS(1,
              "captioner/photograph.safetensors: is part of the program…; install the package "
              "saccade-photographs…",
              "caption", photograph, "--dataset", "photographs");
        skip();
    }
    cJSON *chosen = JSON_OF("caption", "--json", photograph, "--dataset", "photographs");
    cJSON *json = JSON_OF("caption", "--json", photograph);
    assert_string_equal(get(json, "caption")->valuestring, get(chosen, "caption")->valuestring);
    assert_null(strstr(get(json, "caption")->valuestring, "large red"));
    /* What it is unsure of was measured: not every word is. */
    int unsure = 0, count = 0;
    const cJSON *word;
    cJSON_ArrayForEach(word, get(json, "words"))
    {
        unsure += cJSON_IsTrue(get(word, "unsure"));
        count++;
    }
    assert_true(unsure < count);
    cJSON_Delete(json);
    cJSON_Delete(chosen);
    DONE("caption", "scene.png", "--json");
    assert_non_null(strstr(ran.out, "\"grid\":[14,14]"));
}

TEST(photographs_are_no_scenes)
{
    FAILS(2, "--dataset: unknown dataset \"photographs\"; give shapes or book", "scene",
          "--dataset", "photographs", "--json");
    FAILS(2, "--dataset: unknown dataset \"photos\"; give shapes, book or photographs", "caption",
          "--dataset", "photos", "picture-9.png");
}

TEST_MAIN(make_files, remove_files)
