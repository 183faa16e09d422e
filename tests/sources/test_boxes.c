/* src/source/boxes: where things are in a picture of one's own, and which words are held to it. */
#include <unistd.h>

#include "sources/words/boxes.h"
#include "status.h"
#include "test.h"

#define DOG "{\"words\":[\"dog\",\"dogs\"],\"boxes\":[[0,0,100,50],[150,0,200,100]]}"

/* Of a picture of 200 × 100. */
static sac_status load(const char *json, sac_caption_truth *truth, sac_error *error)
{
    char path[] = "/tmp/saccade-boxes-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, json, strlen(json)), strlen(json));
    close(file);
    sac_status status = sac_boxes_load(path, 200, 100, truth, error);
    unlink(path);
    return status;
}

TEST(boxes_become_shares_of_the_picture)
{
    sac_caption_truth truth;
    OK(load("{\"objects\":[" DOG "]}", &truth, &failure));
    assert_int_equal(truth.objects, 1);
    assert_string_equal(truth.object[0].words[1], "dogs");
    assert_int_equal(truth.object[0].look.count, 2);
    assert_float_equal(truth.object[0].look.box[0][2], 0.5, 0);
    assert_float_equal(truth.object[0].look.box[0][3], 0.5, 0);
    assert_float_equal(truth.object[0].look.box[1][0], 0.75, 0);
}

/* "two Dogs chase an umbrella", of six tokens, on a grid of 4 × 2; each word has a quarter of its heat in cell
 * (0, 0), and the rest in (3, 1). */
TEST(words_are_held_to_the_object_of_their_name)
{
    static const size_t ends[] = {3, 8, 14, 17, 20, 26};
    static const bool keeps[6] = {false};
    static const int objects[] = {-1, 0, -1, -1, 1, 1};
    float weights[6 * 8] = {0};
    sac_result caption = {.grid_w = 4, .grid_h = 2, .count = 6, .weights = weights};
    sac_caption_mark marks[SAC_MAX_TOKENS];
    sac_caption_truth truth;
    assert_true(sac_result_take_line(&caption, strdup("two Dogs chase an umbrella"), ends, keeps));
    for (int i = 0; i < 6; i++) {
        caption.outputs[i].peak_x = 3;
        caption.outputs[i].peak_y = 1;
        weights[8 * i] = 0.25f;
        weights[8 * i + 7] = 0.75f;
    }
    OK(load("{\"objects\":[" DOG ",{\"words\":[\"umbrella\"],\"boxes\":"
            "[[0,50,100,100]]}]}",
            &truth, &failure));
    sac_caption_judge(&caption, &truth, marks);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(marks[i].object, objects[i]);
        assert_int_equal(marks[i].names, objects[i] >= 0);
        assert_true(marks[i].right);
    }
    assert_true(marks[1].localization.inside);
    assert_float_equal(marks[1].localization.mass, 1, 1e-6);
    assert_float_equal(marks[1].localization.box_share, 0.5, 1e-6);
    assert_false(marks[5].localization.inside);
    assert_float_equal(marks[5].localization.mass, 0, 1e-6);
    caption.weights = NULL;
    sac_result_free(&caption);
}

TEST(what_is_wrong_is_reported)
{
    static const char *const wrong[][2] = {
        {"[]", "is not an object in JSON"},
        {"{}", "\"objects\" is not a list of 1 to 12"},
        {"{\"objects\":[]}", "\"objects\" is not a list of 1 to 12"},
        {"{\"objects\":[3]}", "object 0 has no \"words\""},
        {"{\"objects\":[{\"words\":[\"\"],\"boxes\":[[0,0,1,1]]}]}", "object 0 has no \"words\""},
        {"{\"objects\":[{\"words\":[\"a name of more than 23 letters\"]}]}", "no \"words\""},
        {"{\"objects\":[" DOG ",{\"words\":[\"cat\"],\"boxes\":[]}]}", "object 1 has no \"boxes\""},
        {"{\"objects\":[{\"words\":[\"cat\"],\"boxes\":[[0,0,201,1]]}]}", "no \"boxes\""},
        {"{\"objects\":[{\"words\":[\"cat\"],\"boxes\":[[5,0,5,1]]}]}", "no \"boxes\""},
        {"{\"objects\":[{\"words\":[\"cat\"],\"boxes\":[[0,0,null,1]]}]}", "no \"boxes\""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sac_caption_truth truth;
        sac_error error = {0};
        assert_int_equal(load(wrong[i][0], &truth, &error), SAC_E_FORMAT);
        if (!strstr(error.what, wrong[i][1]))
            fail_msg("\"%s\" gives \"%s\"", wrong[i][0], error.what);
    }
}

TEST_MAIN(NULL, NULL)
