/* src/models/captioner/photograph: a photograph is distinguished from pictures of a dataset, and shown as it
 * is. */

#include "captioner/source/photograph.h"
#include "photographs.h"
#include "status.h"
#include "test.h"

static bool is_photograph(const sac_image *image, const char *dataset)
{
    bool photograph = false;
    OK(sac_is_photograph(image, sac_dataset_find(dataset), &photograph, NULL));
    return photograph;
}

static int count_mistaken(const char *name, int scenes, int side)
{
    int mistaken = 0;
    const sac_dataset *dataset = sac_dataset_find(name);
    void *scene = malloc(dataset->scene_size);
    assert_non_null(scene);
    for (int seed = 0; seed < scenes; seed++) {
        sac_image image;
        dataset->make(SAC_STREAM_TEST, (uint64_t)seed, scene);
        OK(dataset->image(scene, side, &image, NULL));
        mistaken += is_photograph(&image, name);
        sac_image_free(&image);
    }
    free(scene);
    return mistaken;
}

TEST(of_a_hundred_scenes_fewer_than_one_looks_like_a_photograph)
{
    assert_true(count_mistaken("shapes", 1000, 224) < 10);
    assert_true(count_mistaken("book", 200, 160) < 2);
}

TEST(what_has_detail_everywhere_is_a_photograph)
{
    static const char *const files[] = {ASSETS "/pictures/harbour.png",
                                        ASSETS "/pictures/garden.png"};
    for (int i = 0; i < 2; i++) {
        sac_image image;
        OK(sac_image_load(files[i], &image, NULL));
        assert_true(is_photograph(&image, "shapes"));
        sac_image_free(&image);
    }
}

/* The grain of number 2, of a night, is as faint as the shades of the book's own pages. */
TEST(sharp_and_soft_light_and_dark_photographs_are_captioned_in_both_worlds)
{
    for (int number = 0; number < PHOTOGRAPHS; number++) {
        sac_image image;
        OK(sac_image_create(350, 350, &image, NULL));
        make_photograph(number, &image);
        if (!is_photograph(&image, "shapes") || is_photograph(&image, "book") != (number != 2))
            fail_msg("photograph %d", number);
        sac_image_free(&image);
    }
}

/* A grey disc of faint shades, such as the moon's: at a small side few neighbours differ. */
TEST(faint_shades_are_a_photograph_and_a_plain_field_under_grain_is_none)
{
    enum { SIDE = 256 };
    float *plane = calloc((size_t)SIDE * SIDE, sizeof *plane);
    sac_image image;
    OK(sac_image_create(SIDE, SIDE, &image, NULL));
    assert_non_null(plane);
    for (int grain = 0; grain < 2; grain++) {
        random_state = 7;
        for (int i = 0; i < SIDE * SIDE; i++)
            plane[i] = (grain ? 80 + 25 * (float)((i % SIDE / 40 + i / SIDE / 40) % 3) : 118) +
                       (grain ? 30 : 12) * (random_share() - 0.5f);
        if (!grain)
            add_texture(plane, SIDE, 32, 14);
        for (int i = 0; i < SIDE * SIDE; i++) {
            uint8_t level = photograph_level(plane[i]);
            memcpy(image.rgba + 4 * i, (const uint8_t[4]){level, level, level, 255}, 4);
        }
        assert_true(is_photograph(&image, "shapes") == !grain);
    }
    free(plane);
    sac_image_free(&image);
}

/* A wide picture of one colour: all beside it in its square is padding. */
TEST(what_lies_outside_of_a_picture_is_veiled_and_nothing_else)
{
    enum { SIDE = 90 };
    static const uint8_t red[4] = {200, 10, 20, 255};
    sac_image picture, square;
    OK(sac_image_create(60, 20, &picture, NULL));
    OK(sac_image_create(SIDE, SIDE, &square, NULL));
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

/* An even picture of one tone, with so much noise and such a slope. */
static bool is_empty(int level, float noise, float slope)
{
    enum { SIDE = 90 };
    sac_image image;
    bool nothing = false;
    random_state = 7;
    OK(sac_image_create(SIDE, SIDE, &image, NULL));
    for (int i = 0; i < SIDE * SIDE; i++) {
        float value = (float)level + noise * (random_share() - 0.5f) + slope * (float)(i % SIDE);
        memset(image.rgba + 4 * i, photograph_level(value), 3);
        image.rgba[4 * i + 3] = 255;
    }
    OK(sac_shows_nothing(&image, &nothing, NULL));
    sac_image_free(&image);
    return nothing;
}

TEST(what_is_even_or_drawn_shows_nothing_and_photographs_do)
{
    static const uint8_t black[4] = {0, 0, 0, 255};
    sac_image image;
    bool nothing;
    assert_true(is_empty(0, 0, 0) && is_empty(255, 0, 0)); /* black and white */
    assert_true(is_empty(20, 12, 0)); /* a lens that was covered, with its noise */
    assert_true(is_empty(120, 1, 0.1f));
    assert_false(is_empty(60, 8, 1.5f));
    OK(sac_image_create(1, 1, &image, NULL));
    memcpy(image.rgba, black, 4);
    OK(sac_shows_nothing(&image, &nothing, NULL));
    assert_true(nothing);
    sac_image_free(&image);
    OK(sac_image_create(200, 200, &image, NULL)); /* a stick on white */
    memset(image.rgba, 255, 4 * 200 * 200);
    for (int i = 0; i < 5 * 120; i++)
        memcpy(image.rgba + 4 * ((40 + i / 5) * 200 + 98 + i % 5), black, 4);
    OK(sac_shows_nothing(&image, &nothing, NULL));
    assert_true(nothing);
    sac_image_free(&image);
    for (int number = 0; number < PHOTOGRAPHS; number++) {
        OK(sac_image_create(350, 350, &image, NULL));
        make_photograph(number, &image);
        OK(sac_shows_nothing(&image, &nothing, NULL));
        assert_false(nothing);
        sac_image_free(&image);
    }
}

TEST_MAIN(NULL, NULL)
