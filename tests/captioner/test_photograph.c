/* src/models/captioner/photograph: a photograph is told from flat shapes, and shown as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "captioner/photograph.h"
#include "scenes/scene.h"

static bool is_photograph(const sac_image *image)
{
    bool photograph = false;
    assert_int_equal(sac_is_photograph(image, &photograph, NULL), SAC_OK);
    return photograph;
}

static void of_a_thousand_scenes_fewer_than_ten_look_like_photographs(void **state)
{
    (void)state;
    int mistaken = 0;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        sac_scene scene;
        sac_image image;
        sac_scene_make(SAC_STREAM_TEST, seed, &scene);
        assert_int_equal(sac_scene_image(&scene, 224, &image, NULL), SAC_OK);
        mistaken += is_photograph(&image);
        sac_image_free(&image);
    }
    assert_true(mistaken < 10);
}

static void pictures_with_detail_everywhere_are_photographs(void **state)
{
    (void)state;
    static const char *const files[] = {PICTURES "/harbour.png", PICTURES "/garden.png"};
    for (int i = 0; i < 2; i++) {
        sac_image image;
        assert_int_equal(sac_image_load(files[i], &image, NULL), SAC_OK);
        assert_true(is_photograph(&image));
        sac_image_free(&image);
    }
}

/* A wide picture of one colour: all beside it in its square is padding. */
static void what_lies_outside_of_a_picture_is_veiled_and_nothing_else(void **state)
{
    (void)state;
    enum { SIDE = 90 };
    static const uint8_t red[4] = {200, 10, 20, 255};
    sac_image picture, square;
    assert_int_equal(sac_image_create(60, 20, &picture, NULL), SAC_OK);
    assert_int_equal(sac_image_create(SIDE, SIDE, &square, NULL), SAC_OK);
    for (int i = 0; i < SIDE * SIDE; i++)
        memcpy(square.rgba + 4 * i, red, 4);
    sac_veil_outside(&picture, &square);
    for (int i = 0; i < SIDE * SIDE; i++) {
        bool inside = i / SIDE >= 30 && i / SIDE < 60;
        assert_int_equal(memcmp(square.rgba + 4 * i, red, 4) == 0, inside);
    }
    sac_image_free(&picture);
    sac_image_free(&square);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_thousand_scenes_fewer_than_ten_look_like_photographs),
        cmocka_unit_test(pictures_with_detail_everywhere_are_photographs),
        cmocka_unit_test(what_lies_outside_of_a_picture_is_veiled_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
