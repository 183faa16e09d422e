/* src/datasets/shapes: a scene's truth, out as JSON and in again. */
#include <unistd.h>

#include "images/png_write.h"
#include "shapes/truth.h"
#include "status.h"
#include "test.h"

/* ---------------------------------------------------------------- out and in */

static void assert_same(const sac_truth *a, const sac_truth *b)
{
    assert_int_equal(a->words, b->words);
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < SAC_SCENE_WORDS; i++) {
        assert_string_equal(a->word[i], b->word[i]);
        assert_int_equal(a->object_of_word[i], b->object_of_word[i]);
    }
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < 4; k++) /* written to a hundredth of a pixel of 100 */
            assert_true(fabsf(a->boxes[i][k] - b->boxes[i][k]) < 0.6e-4f);
}

TEST(truth_parse_inverts_truth_json)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        sac_scene scene;
        sac_truth from_scene, from_json;
        sac_scene_make((sac_stream)(seed % 4), seed, &scene);
        sac_truth_of_scene(&scene, &from_scene);
        char *json = sac_scene_json(&scene, 100);
        assert_non_null(json);
        OK(sac_truth_parse(json, "scene", &from_json, &failure));
        assert_same(&from_scene, &from_json);
        free(json);
    }
}

TEST(a_truth_has_the_sentence_without_its_end)
{
    sac_scene scene;
    sac_truth truth;
    sac_scene_make(SAC_STREAM_TEST, 11, &scene);
    sac_truth_of_scene(&scene, &truth);
    assert_int_equal(truth.words, scene.words - 1);
    for (int i = 0; i < truth.words; i++) {
        assert_string_equal(truth.word[i], sac_word_text(scene.word[i]));
        assert_int_equal(truth.object_of_word[i], scene.object_of_word[i]);
    }
    assert_int_equal(truth.object_of_word[truth.words], -1);
    assert_string_equal(truth.word[truth.words], "");
    assert_memory_equal(truth.boxes[0], scene.objects[0].box, sizeof truth.boxes[0]);
}

/* All fills occur, stripes only on what training leaves without a name. */
TEST(truth_names_each_fill)
{
    static const char *const names[] = {
        [SAC_FILL_SOLID] = "solid",     [SAC_FILL_GRADED] = "graded",
        [SAC_FILL_STRIPED] = "striped", [SAC_FILL_BORDERED] = "bordered",
        [SAC_FILL_HOLLOW] = "hollow",   [SAC_FILL_HATCHED] = "hatched"};
    bool reported[SAC_FILL_HATCHED + 1] = {false};
    for (uint64_t seed = 0; seed < 200; seed++) {
        sac_scene scene;
        sac_scene_make_unnamed(SAC_STREAM_TRAINING, seed, &scene);
        char *json = sac_scene_json(&scene, 100), *at = json;
        for (int i = 0; i < scene.count; i++) {
            const char *name = names[scene.objects[i].fill];
            at = strstr(at, "\"fill\":");
            assert_non_null(at);
            at += strlen("\"fill\":\t\"");
            assert_memory_equal(at, name, strlen(name));
            reported[scene.objects[i].fill] = true;
        }
        free(json);
    }
    for (int fill = 0; fill <= SAC_FILL_HATCHED; fill++)
        assert_true(reported[fill]);
}

TEST(a_seed_keeps_all_its_digits)
{
    sac_scene scene;
    sac_scene_make(SAC_STREAM_TRAINING, 18446744073709551615u, &scene);
    char *json = sac_scene_json(&scene, 448);
    assert_non_null(strstr(json, "\"seed\":\t18446744073709551615,"));
    assert_non_null(strstr(json, "\"stream\":\t\"training\""));
    free(json);
}

/* ---------------------------------------------------------------- damage */

/* What another program might write: nothing but what is needed. */
#define WORDS "\"words\":[{\"word\":\"a\",\"object\":0},{\"word\":\"by\",\"object\":null}]"
#define OBJECTS "\"objects\":[{\"box\":[1,2,30,40]}]"

TEST(the_needed_fields_are_enough)
{
    sac_truth truth;
    const char *json = "{\"side\":100," WORDS "," OBJECTS "}\n";
    OK(sac_truth_parse(json, "a", &truth, NULL));
    assert_int_equal(truth.words, 2);
    assert_int_equal(truth.count, 1);
    assert_string_equal(truth.word[1], "by");
    assert_int_equal(truth.object_of_word[0], 0);
    assert_int_equal(truth.object_of_word[1], -1);
    assert_true(truth.boxes[0][0] == 0.01f && truth.boxes[0][1] == 0.02f);
    assert_true(truth.boxes[0][2] == 0.3f && truth.boxes[0][3] == 0.4f);
}

/* Each of `texts`, the last of which NULL follows, is refused for the one reason. */
static void assert_refused(const char *const *texts, const char *reason)
{
    for (; *texts; texts++) {
        sac_truth truth;
        sac_error error = {0};
        if (sac_truth_parse(*texts, "x.json", &truth, &error) != SAC_E_FORMAT)
            fail_msg("taken: %s", *texts);
        assert_string_equal(error.what, reason);
        assert_string_equal(error.where, "x.json");
        assert_int_equal(truth.words, 0);
        assert_int_equal(truth.count, 0);
    }
}
#define ASSERT_REFUSED(reason, ...) assert_refused((const char *const[]){__VA_ARGS__, NULL}, reason)

#define SIDE_IS(side) "{\"side\":" side "," WORDS "," OBJECTS "}"
#define OBJECTS_ARE(list) "{\"side\":100," WORDS ",\"objects\":" list "}"
#define BOX_IS(box) OBJECTS_ARE("[{\"box\":" box "}]")
#define WORDS_ARE(list) "{\"side\":100,\"words\":" list "," OBJECTS "}"
#define WORD_IS(word) WORDS_ARE("[{\"word\":" word "}]")

TEST(only_a_json_object_is_taken)
{
    ASSERT_REFUSED("is not valid JSON", "", "{\"side\":100", SIDE_IS("100") " more");
    ASSERT_REFUSED("is JSON, but no object", "[1]");
}

TEST(the_side_is_a_number_that_a_picture_can_have)
{
    ASSERT_REFUSED("\"side\" is not a number of 1 to 1000000", "{}", SIDE_IS("\"100\""),
                   SIDE_IS("0"), SIDE_IS("1e99"));
}

TEST(objects_are_a_list_of_up_to_5)
{
    ASSERT_REFUSED("\"objects\" is not a list of up to 5", "{\"side\":100," WORDS "}",
                   OBJECTS_ARE("[1,2,3,4,5,6]"), OBJECTS_ARE("{\"box\":[1,2,3,4]}"));
    ASSERT_REFUSED("word 0 names an \"object\" that is not there", OBJECTS_ARE("[]"));
}

TEST(a_box_is_four_numbers_in_the_picture)
{
    ASSERT_REFUSED("object 0 has no \"box\" of four numbers in the picture", OBJECTS_ARE("[7]"),
                   BOX_IS("[1,2,3]"), BOX_IS("[1,2,\"3\",4]"), BOX_IS("[3,2,1,4]"),
                   BOX_IS("[-1,2,3,4]"));
    ASSERT_REFUSED("object 1 has no \"box\" of four numbers in the picture",
                   OBJECTS_ARE("[{\"box\":[1,2,3,4]},{\"box\":[1,2,101,4]}]"));
}

TEST(words_are_a_list_of_1_to_25)
{
    ASSERT_REFUSED("\"words\" is not a list of 1 to 25", "{\"side\":100," OBJECTS "}",
                   WORDS_ARE("[]"), WORDS_ARE("\"a cat\""),
                   WORDS_ARE("[1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6]"));
}

TEST(a_word_has_1_to_15_letters)
{
    ASSERT_REFUSED("word 0 has no \"word\" of 1 to 15 letters", WORDS_ARE("[\"a\"]"),
                   WORD_IS("\"\",\"object\":0"), WORD_IS("\"a\\u001b[1m\",\"object\":0"),
                   WORD_IS("\"abcdefghijklmnop\",\"object\":0"));
}

TEST(a_word_names_an_object_that_is_there)
{
    ASSERT_REFUSED("word 0 names an \"object\" that is not there", WORD_IS("\"a\""),
                   WORD_IS("\"a\",\"object\":1"), WORD_IS("\"a\",\"object\":-1"),
                   WORD_IS("\"a\",\"object\":0.5"));
}

/* Numbers that do not depend on the C library's rand. */
static unsigned roll(uint64_t *chain, unsigned sides)
{
    *chain = *chain * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*chain >> 33) % sides;
}

/* Cuts, exchanges, takes out or doubles a piece of `text`, whose room is twice its size. */
static void damage(char *text, size_t size, uint64_t *chain)
{
    static const char spice[] = "{}[]\",:0123456789-+.eE \\untflas\x01\x80\xff";
    size_t at = roll(chain, (unsigned)size), length = strlen(text);
    at = at < length ? at : 0;
    size_t piece = 1 + roll(chain, 24);
    piece = at + piece <= length ? piece : length - at;
    switch (roll(chain, 4)) {
    case 0:
        text[at] = '\0';
        break;
    case 1:
        text[at] = spice[roll(chain, sizeof spice - 1)];
        break;
    case 2:
        memmove(text + at, text + at + piece, length - at - piece + 1);
        break;
    default:
        memmove(text + at + piece, text + at, length - at + 1);
    }
}

/* Whatever is read is whole: a viewer indexes by it. */
static void assert_usable(const sac_truth *truth)
{
    assert_in_range(truth->words, 1, SAC_SCENE_WORDS - 1);
    assert_in_range(truth->count, 0, SAC_SCENE_OBJECTS);
    for (int i = 0; i < truth->words; i++) {
        assert_in_range(strlen(truth->word[i]), 1, 15);
        assert_true(truth->object_of_word[i] >= -1 && truth->object_of_word[i] < truth->count);
    }
    for (int i = 0; i < truth->count; i++)
        for (int k = 0; k < 4; k++)
            assert_true(truth->boxes[i][k] >= 0 && truth->boxes[i][k] <= 1);
}

TEST(damaged_json_is_refused_or_still_whole)
{
    uint64_t chain = 1;
    int taken = 0, refused = 0;
    sac_scene scene;
    sac_scene_make(SAC_STREAM_TEST, 0, &scene);
    char *json = sac_scene_json(&scene, 448);
    size_t size = strlen(json) + 1;
    char *text = malloc(2 * size);
    assert_non_null(text);
    for (int i = 0; i < 5000; i++) {
        sac_truth truth;
        sac_error error = {0};
        memcpy(text, json, size);
        for (unsigned times = 1 + roll(&chain, 3); times > 0; times--)
            damage(text, size, &chain);
        sac_status status = sac_truth_parse(text, "x", &truth, &error);
        if (status == SAC_OK) {
            taken++;
            assert_usable(&truth);
        } else {
            refused++;
            assert_int_equal(status, SAC_E_FORMAT);
            assert_true(error.what[0] && truth.words == 0);
        }
    }
    free(text);
    free(json);
    assert_true(taken > 50 && refused > 1000);
}

/* ---------------------------------------------------------------- files */

typedef struct room {
    char folder[64], picture[128], json[128];
} room;

static int enter(void **state)
{
    room *r = calloc(1, sizeof *r);
    if (!r)
        return -1;
    strcpy(r->folder, "/tmp/saccade-truth-XXXXXX");
    if (!mkdtemp(r->folder))
        return -1;
    snprintf(r->picture, sizeof r->picture, "%s/a.b.png", r->folder);
    snprintf(r->json, sizeof r->json, "%s/a.b.json", r->folder);
    *state = r;
    return 0;
}

static int leave(void **state)
{
    room *r = *state;
    unlink(r->picture);
    unlink(r->json);
    int status = rmdir(r->folder);
    free(r);
    return status;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* The scene's picture, with `text` in it where there is any. */
static void write_picture(const room *r, const sac_scene *scene, const char *text)
{
    sac_image image;
    sac_png_text note = {"scene", text};
    OK(sac_scene_image(scene, 32, &image, NULL));
    OK(sac_png_save(r->picture, &image, &note, text != NULL, NULL));
    sac_image_free(&image);
}

TEST_WITH(the_picture_itself_or_a_file_beside_it_shows, enter, leave)
{
    room *r = *state;
    sac_scene scene;
    sac_truth truth, expected;
    bool found;
    sac_scene_make(SAC_STREAM_TEST, 3, &scene);
    sac_truth_of_scene(&scene, &expected);
    char *json = sac_scene_json(&scene, 448);
    write_picture(r, &scene, NULL);
    OK(sac_truth_load(r->picture, &truth, &found, NULL));
    assert_false(found);
    write_text(r->json, json);
    OK(sac_truth_load(r->picture, &truth, &found, NULL));
    assert_true(found);
    assert_same(&truth, &expected);
    write_text(r->json, "damaged"); /* the picture's own text goes first */
    write_picture(r, &scene, json);
    OK(sac_truth_load(r->picture, &truth, &found, NULL));
    assert_true(found);
    assert_same(&truth, &expected);
    free(json);
}

TEST_WITH(damage_in_files_is_an_error, enter, leave)
{
    room *r = *state;
    sac_scene scene;
    sac_truth truth;
    bool found;
    sac_scene_make(SAC_STREAM_TEST, 3, &scene);
    write_picture(r, &scene, "{\"side\":1}");
    assert_int_equal(sac_truth_load(r->picture, &truth, &found, &failure), SAC_E_FORMAT);
    assert_false(found);
    assert_string_equal(failure.where, r->picture);
    write_picture(r, &scene, NULL);
    write_text(r->json, "{");
    assert_int_equal(sac_truth_load(r->picture, &truth, &found, &failure), SAC_E_FORMAT);
    assert_false(found);
    assert_string_equal(failure.where, r->json);
    assert_int_equal(sac_truth_load("/nonexistent.png", &truth, &found, &failure), SAC_E_FILE);
}

TEST_MAIN(NULL, NULL)
