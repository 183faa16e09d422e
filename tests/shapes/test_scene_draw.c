/* src/datasets/shapes: the pictures. */

#include "shapes/outline.h"
#include "shapes/scene.h"
#include "status.h"
#include "test.h"

static uint8_t *draw(const sac_scene *scene, int side)
{
    uint8_t *rgb = malloc((size_t)side * (size_t)side * 3);
    assert_non_null(rgb);
    sac_scene_draw(scene, side, rgb);
    return rgb;
}

/* The scene's object `index` alone, white on plain black. */
static sac_scene alone(const sac_scene *scene, int index)
{
    sac_scene one = {.count = 1, .ground = SAC_GROUND_PLAIN};
    one.objects[0] = scene->objects[index];
    memset(one.objects[0].rgb, 255, 3);
    memset(one.objects[0].second_rgb, 255, 3);
    return one;
}

typedef void check_object(const sac_scene_object *, int side, const uint8_t *rgb);

/* `check` on objects of many scenes, each drawn alone at `side`. */
static void for_objects(sac_stream stream, int side, check_object *check)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        sac_scene scene;
        sac_scene_make(stream, seed, &scene);
        for (int i = 0; i < scene.count; i++) {
            sac_scene one = alone(&scene, i);
            uint8_t *rgb = draw(&one, side);
            check(&one.objects[0], side, rgb);
            free(rgb);
        }
    }
}

/* ---------------------------------------------------------------- the same everywhere */

static uint64_t hash(const uint8_t *bytes, size_t size)
{
    uint64_t value = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        value = (value ^ bytes[i]) * 0x100000001b3u;
    return value;
}

/* Whatever the compiler, its options and the machine: a trained model and its figures stand on
 * these very pixels. Where the drawing is changed on purpose, both change. */
TEST(pictures_are_the_same_on_every_machine)
{
    static const struct {
        sac_stream stream;
        uint64_t seed;
        int side;
        uint64_t hash;
    } known[] = {
        {SAC_STREAM_TEST, 0u, 112, 0xc29784429c09d56fu},
        {SAC_STREAM_TEST, 1u, 448, 0x90a612fa5749ec1cu},
        {SAC_STREAM_TEST, 2u, 100, 0x706ff037eb8ae108u},
        {SAC_STREAM_TRAINING, 3u, 112, 0x837e3ce71e2961a3u},
        {SAC_STREAM_TRAINING, 4u, 112, 0x72b0e3c7df2620aeu},
        {SAC_STREAM_TRAINING, 5u, 112, 0x1fc45736eed157c0u},
        {SAC_STREAM_TRAINING, 18446744073709551615u, 225, 0x56027682451ff605u},
        {SAC_STREAM_TEST, 7u, 112, 0x40475a400c42d9a3u},
        {SAC_STREAM_ALL_PAIRS, 3u, 112, 0x754b994eda5fa7a8u},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        sac_scene scene;
        sac_scene_make(known[i].stream, known[i].seed, &scene);
        uint8_t *rgb = draw(&scene, known[i].side);
        uint64_t is = hash(rgb, (size_t)(known[i].side * known[i].side) * 3);
        free(rgb);
        if (is != known[i].hash)
            fail_msg("seed %llu at %d: %016llx", (unsigned long long)known[i].seed, known[i].side,
                     (unsigned long long)is);
    }
}

/* One number for every fill, ground and camera that 60 varied scenes have. */
TEST(varied_pictures_are_the_same_on_every_machine)
{
    uint64_t all = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        sac_scene scene;
        sac_scene_make(SAC_STREAM_VARIED, seed, &scene);
        uint8_t *rgb = draw(&scene, 112);
        all = all * 31 + hash(rgb, (size_t)112 * 112 * 3);
        free(rgb);
    }
    if (all != 0xccb1484e580a2240u)
        fail_msg("%016llx", (unsigned long long)all);
}

/* 448 pixels averaged by 4×4 are nearly the 112 drawn at once: the mean difference of all values,
 * and how many are further apart than 20, a scene of 37632. */
static void compare_sides(sac_stream stream, double *mean, double *far)
{
    const int scenes = 24;
    *mean = *far = 0;
    for (int seed = 0; seed < scenes; seed++) {
        sac_scene scene;
        sac_scene_make(stream, (uint64_t)seed, &scene);
        uint8_t *large = draw(&scene, 448), *small = draw(&scene, 112);
        for (int i = 0; i < 112 * 112 * 3; i++) {
            int x = i / 3 % 112, y = i / 3 / 112, sum = 8;
            for (int k = 0; k < 16; k++)
                sum += large[((4 * y + k / 4) * 448 + 4 * x + k % 4) * 3 + i % 3];
            int apart = abs(sum / 16 - small[i]);
            *mean += (double)apart / (112 * 112 * 3) / scenes;
            *far += (double)(apart > 20) / scenes;
        }
        free(large);
        free(small);
    }
}

TEST(a_scene_is_the_same_picture_at_any_side)
{
    double mean, far;
    compare_sides(SAC_STREAM_TEST, &mean, &far);
    assert_true(mean < 0.3 && far < 10); /* the points of stars, where a distance is no area */
    compare_sides(SAC_STREAM_VARIED, &mean, &far);
    assert_true(mean < 0.6 && far < 40); /* and thin lines */
}

TEST(any_side_is_drawn_and_nothing_beside_it)
{
    const int sides[] = {1, 2, 7, 63, 100, 223, 225, 300};
    for (uint64_t seed = 0; seed < 12; seed++)
        for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
            sac_scene scene;
            size_t size = (size_t)(sides[i] * sides[i]) * 3;
            uint8_t *rgb = malloc(size + 64);
            assert_non_null(rgb);
            memset(rgb + size, 0xa5, 64);
            sac_scene_make(SAC_STREAM_VARIED, seed, &scene);
            sac_scene_draw(&scene, sides[i], rgb);
            for (int k = 0; k < 64; k++)
                assert_int_equal(rgb[size + (size_t)k], 0xa5);
            free(rgb);
        }
}

TEST(an_image_is_the_picture_opaque)
{
    sac_scene scene;
    sac_image image;
    sac_scene_make(SAC_STREAM_TEST, 5, &scene);
    OK(sac_scene_image(&scene, 50, &image, NULL));
    uint8_t *rgb = draw(&scene, 50);
    assert_int_equal(image.width, 50);
    assert_int_equal(image.height, 50);
    for (int i = 0; i < 50 * 50; i++) {
        assert_memory_equal(image.rgba + 4 * i, rgb + 3 * i, 3);
        assert_int_equal(image.rgba[4 * i + 3], 255);
    }
    free(rgb);
    sac_image_free(&image);
}

/* ---------------------------------------------------------------- objects */

/* The smallest box of pixels that are not black. */
static void find_box(const uint8_t *rgb, int side, int box[4])
{
    box[0] = box[1] = side;
    box[2] = box[3] = 0;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            if (rgb[(y * side + x) * 3]) {
                box[0] = x < box[0] ? x : box[0];
                box[1] = y < box[1] ? y : box[1];
                box[2] = x + 1 > box[2] ? x + 1 : box[2];
                box[3] = y + 1 > box[3] ? y + 1 : box[3];
            }
}

static void check_box(const sac_scene_object *object, int side, const uint8_t *rgb)
{
    int box[4];
    find_box(rgb, side, box);
    for (int k = 0; k < 4; k++) {
        float edge = object->box[k] * (float)side; /* the pixel that holds it, or its neighbour */
        if (fabsf((float)box[k] - edge) > 1.01f)
            fail_msg("%s: edge %d at %d, not %.2f", sac_word_text(SAC_WORD_SHAPE + object->shape),
                     k, box[k], (double)edge);
    }
    assert_true(box[0] >= (int)(object->box[0] * (float)side)); /* nothing lies outside */
    assert_true(box[1] >= (int)(object->box[1] * (float)side));
    assert_true(box[2] <= (int)ceilf(object->box[2] * (float)side));
    assert_true(box[3] <= (int)ceilf(object->box[3] * (float)side));
}

TEST(boxes_fit_the_drawn_pixels)
{
    for_objects(SAC_STREAM_TEST, 448, check_box);
    for_objects(SAC_STREAM_TEST, 112, check_box);
}

/* A wobbly hand's line, a hollow and a hatched shape fill the box of the whole shape. */
static void check_inside(const sac_scene_object *object, int side, const uint8_t *rgb)
{
    int box[4];
    find_box(rgb, side, box);
    assert_true(box[0] < box[2]); /* something is drawn */
    for (int k = 0; k < 2; k++) {
        assert_true(box[k] >= (int)(object->box[k] * (float)side));
        assert_true(box[2 + k] <= (int)ceilf(object->box[2 + k] * (float)side));
    }
    if (object->fill != SAC_FILL_HATCHED) /* strokes may end before a point does */
        check_box(object, side, rgb);
}

TEST(boxes_hold_turned_hollow_and_hatched_shapes)
{
    for_objects(SAC_STREAM_VARIED, 448, check_inside);
    for_objects(SAC_STREAM_VARIED, 112, check_inside);
}

/* Area of the outline in pixels: the shoelace formula. */
static double outline_area(const sac_scene_object *object, int side)
{
    sac_outline o;
    double sum = 0;
    sac_outline_of(object, &o);
    for (int i = 0; i < o.count; i++) {
        const float *a = o.corner[i], *b = o.corner[(i + 1) % o.count];
        sum += (double)a[0] * (double)b[1] - (double)b[0] * (double)a[1];
    }
    double shares =
        o.count ? fabs(sum) / 2 : 3.14159265358979 * (double)o.radius * (double)o.radius;
    return shares * side * side;
}

/* Grey at the edges stands for the share of a pixel that is covered. */
static void check_area(const sac_scene_object *object, int side, const uint8_t *rgb)
{
    double sum = 0, area = outline_area(object, side);
    int grey = 0;
    for (int i = 0; i < side * side; i++) {
        sum += rgb[3 * i] / 255.0;
        grey += rgb[3 * i] > 0 && rgb[3 * i] < 255;
    }
    if (fabs(sum - area) > 0.01 * area)
        fail_msg("%s: %.1f pixels, not %.1f", sac_word_text(SAC_WORD_SHAPE + object->shape), sum,
                 area);
    /* upright bars may fall on pixels' edges; none here do all along */
    assert_true(grey > (int)(object->size * (float)side));
}

TEST(edges_are_antialiased_by_the_area_that_is_covered)
{
    for_objects(SAC_STREAM_TEST, 112, check_area);
    for_objects(SAC_STREAM_TEST, 448, check_area);
}

/* Corners of each shape at no angle, as one knows them. */
TEST(shapes_look_like_their_names)
{
    static const struct {
        int shape, corners;
        const char *dots; /* 5 × 5 over the box: # inside, . outside, near an edge not compared */
    } known[] = {
        {SAC_CIRCLE, 0, ". # .   ### # # ### . # ."},
        {SAC_SQUARE, 4, "#########################"},
        {SAC_TRIANGLE, 3, ".. ... # .  #  .### #####"},
        {SAC_STAR, 10, ".. ... # .  #   ### . . ."},
        {SAC_CROSS, 12, "..#....#..#####..#....#.."},
        {SAC_DIAMOND, 4, "..#...###.#####.###...#.."},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        sac_scene one = {.count = 1, .objects = {{.shape = known[i].shape}}};
        sac_outline outline;
        one.objects[0] = (sac_scene_object){.shape = known[i].shape,
                                            .x = 0.5f,
                                            .y = 0.5f,
                                            .size = 0.8f,
                                            .box = {0.1f, 0.1f, 0.9f, 0.9f},
                                            .rgb = {255, 255, 255}};
        sac_outline_of(&one.objects[0], &outline);
        assert_int_equal(outline.count, known[i].corners);
        uint8_t *rgb = draw(&one, 100);
        for (int k = 0; k < 25; k++) {
            int x = 10 + 16 * (k % 5) + 8, y = 10 + 16 * (k / 5) + 8;
            uint8_t is = rgb[(y * 100 + x) * 3];
            if ((known[i].dots[k] == '#' && is != 255) || (known[i].dots[k] == '.' && is != 0))
                fail_msg("%s at %d, %d: %d", sac_word_text(SAC_WORD_SHAPE + known[i].shape), k % 5,
                         k / 5, is);
        }
        free(rgb);
    }
}

/* Colours show which object is seen where; edges, which belong to none, are left out. */
TEST(visible_pixels_are_those_that_others_leave)
{
    int hidden = 0;
    for (uint64_t seed = 0; seed < 80; seed++) {
        sac_scene scene;
        sac_scene_make(SAC_STREAM_TEST, seed, &scene);
        scene.ground = SAC_GROUND_PLAIN;
        memset(scene.ground_rgb, 0, sizeof scene.ground_rgb);
        for (int i = 0; i < scene.count; i++) {
            memset(scene.objects[i].rgb, 0, 3);
            scene.objects[i].rgb[i] = 255;
        }
        uint8_t *rgb = draw(&scene, 224);
        for (int i = 0; i < scene.count; i++) {
            int least = 0, most = 0;
            for (int k = 0; k < 224 * 224; k++) {
                least += rgb[3 * k + i] >= 129;
                most += rgb[3 * k + i] >= 126;
            }
            sac_scene one = alone(&scene, i);
            int seen = (int)sac_scene_visible_pixels(&scene, 224, i);
            int whole = (int)sac_scene_visible_pixels(&one, 224, 0);
            assert_true(seen <= whole);
            assert_true(fabs(whole - outline_area(&one.objects[0], 224)) < 0.02 * whole + 8);
            assert_in_range(seen, least - 6, most + 6); /* where two edges meet in a pixel */
            hidden += seen < whole;
        }
        free(rgb);
    }
    assert_true(hidden > 4);
}

/* ---------------------------------------------------------------- fills */

/* The sum of light, in pixels, of a white object on black with this fill. */
static double light_of(sac_scene_object object, int side)
{
    sac_scene one = {.count = 1, .objects = {object}};
    sac_outline outline;
    double sum = 0;
    sac_outline_of(&one.objects[0], &outline);
    const float box[] = {object.x - outline.width / 2, object.y - outline.height / 2,
                         object.x + outline.width / 2, object.y + outline.height / 2};
    memcpy(one.objects[0].box, box, sizeof box);
    uint8_t *rgb = draw(&one, side);
    for (int i = 0; i < side * side; i++)
        sum += rgb[3 * i] / 255.0;
    free(rgb);
    return sum;
}

static sac_scene_object a_square(sac_fill fill)
{
    return (sac_scene_object){.shape = 1,
                              .x = 0.5f,
                              .y = 0.5f,
                              .size = 0.5f,
                              .fill = fill,
                              .rgb = {255, 255, 255},
                              .line = 0.05f};
}

/* A square of 100 pixels, with a line of 10. */
TEST(a_hollow_shape_is_its_line_and_a_border_lies_inside)
{
    assert_true(fabs(light_of(a_square(SAC_FILL_SOLID), 200) - 10000) < 1);
    assert_true(fabs(light_of(a_square(SAC_FILL_HOLLOW), 200) - 3600) < 1);
    assert_true(fabs(light_of(a_square(SAC_FILL_BORDERED), 200) - 6400) < 1); /* a black border */
}

/* The middles of strokes are as far apart as the parameter, whichever way they run. */
TEST(hatching_covers_half_and_leaves_gaps)
{
    for (uint32_t hand = 0; hand < 12; hand++) {
        sac_scene_object object = a_square(SAC_FILL_HATCHED);
        object.line = 0;
        object.stroke = 0.04f;
        object.slant = (float)hand / 2 - 3;
        object.hand = hand;
        double light = light_of(object, 200);
        assert_true(light > 0.3 * 10000 && light < 0.7 * 10000);
    }
}

/* The share of the object's pixels that its first colour has, where it is drawn in white and black
 * on grey. */
static double first_share(const sac_scene_object *object)
{
    enum { SIDE = 224 };
    sac_scene one = {.count = 1, .ground = SAC_GROUND_PLAIN};
    one.objects[0] = *object;
    memset(one.ground_rgb, 128, sizeof one.ground_rgb);
    memset(one.objects[0].rgb, 255, 3);
    memset(one.objects[0].second_rgb, 0, 3);
    uint8_t *rgb = draw(&one, SIDE);
    int first = 0, second = 0;
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        first += rgb[3 * i] > 200;
        second += rgb[3 * i] < 56;
    }
    free(rgb);
    return (double)first / (first + second);
}

/* Else a star with red and blue stripes might be a red star, a pair that is held back. */
TEST(stripes_have_both_colours)
{
    int striped = 0, uneven = 0;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        sac_scene scene;
        sac_scene_make_unnamed(SAC_STREAM_TRAINING, seed, &scene);
        for (int i = 0; i < scene.count; i++) {
            const sac_scene_object *object = &scene.objects[i];
            if (object->fill != SAC_FILL_STRIPED)
                continue;
            double share = first_share(object);
            assert_true(object->colour == SAC_UNNAMED && share > 0.05 && share < 0.95);
            uneven += share < 0.2 || share > 0.8;
            striped++;
        }
    }
    assert_in_range(striped, 600, 1400);
    assert_true(uneven * 20 < striped);
}

/* A leaning tip leaves a triangle its base and height, so its area; a wobble changes little. */
TEST(forms_and_hands_keep_the_area)
{
    sac_scene_object triangle = a_square(SAC_FILL_SOLID);
    triangle.shape = 2;
    double upright = light_of(triangle, 200);
    triangle.lean = 1;
    assert_true(fabs(light_of(triangle, 200) / upright - 1) < 0.01);
    for (int shape = 0; shape < SAC_SHAPES; shape++) {
        sac_scene_object object = a_square(SAC_FILL_SOLID);
        object.shape = shape;
        object.hand = 5;
        double steady = light_of(object, 200);
        object.wobble = 0.02f;
        assert_true(fabs(light_of(object, 200) / steady - 1) < 0.2);
        assert_true(light_of(object, 200) != steady);
    }
}

/* ---------------------------------------------------------------- grounds */

static sac_scene empty(sac_ground ground)
{
    return (sac_scene){
        .seed = 7, .ground = ground, .ground_rgb = {{100, 120, 140}, {200, 20, 140}}, .noise = 10};
}

TEST(a_graded_ground_goes_from_corner_to_corner)
{
    sac_scene scene = empty(SAC_GROUND_GRADED);
    scene.ground_angle = 0.785398f; /* to the right and down */
    uint8_t *rgb = draw(&scene, 101);
    const uint8_t *middle = rgb + (50 * 101 + 50) * 3, *end = rgb + (101 * 101 - 1) * 3;
    assert_true(abs(rgb[0] - 100) <= 1 && abs(rgb[1] - 120) <= 1 && rgb[2] == 140);
    assert_true(abs(middle[0] - 150) <= 1 && abs(middle[1] - 70) <= 1);
    assert_true(abs(end[0] - 200) <= 1 && abs(end[1] - 20) <= 1);
    free(rgb);
}

/* Of grains; and of their means, which vary less by the root of their number. */
TEST(noise_has_the_scenes_deviation)
{
    const struct {
        int side;
        double deviation;
    } expected[] = {{224, 10}, {448, 10}, {112, 5}, {56, 2.5}};
    sac_scene scene = empty(SAC_GROUND_NOISY);
    for (size_t i = 0; i < 4; i++) {
        int count = expected[i].side * expected[i].side;
        double sum = 0, squares = 0;
        uint8_t *rgb = draw(&scene, expected[i].side);
        for (int k = 0; k < count; k++) {
            double away = rgb[3 * k + 1] - 120.0;
            sum += away;
            squares += away * away;
            assert_int_equal(rgb[3 * k + 2] - rgb[3 * k + 1], 20); /* grey */
        }
        free(rgb);
        assert_true(fabs(sum / count) < 0.2);
        assert_true(fabs(sqrt(squares / count) / expected[i].deviation - 1) < 0.03);
    }
}

/* Half of the checks are of either tone; the lines of ruled paper cover their share. */
TEST(checks_are_halves_and_lines_are_thin)
{
    const struct {
        sac_ground ground;
        double share; /* of the second tone */
    } known[] = {{SAC_GROUND_CHECKED, 0.5}, {SAC_GROUND_STRIPED, 0.5}, {SAC_GROUND_RULED, 0.1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        sac_scene scene = {.ground = known[i].ground,
                           .step = 0.1f,
                           .line = 0.01f,
                           .ground_angle = 1e-6f,
                           .ground_rgb = {{0, 0, 0}, {255, 255, 255}}};
        double sum = 0;
        uint8_t *rgb = draw(&scene, 200);
        for (int k = 0; k < 200 * 200; k++)
            sum += rgb[3 * k] / 255.0;
        free(rgb);
        assert_true(fabs(sum / (200 * 200) - known[i].share) < 0.01);
    }
}

TEST(blotches_are_grey_and_soft_and_as_strong_as_it_shows)
{
    double squares = 0;
    int steepest = 0, scenes = 40;
    for (int seed = 0; seed < scenes; seed++) {
        sac_scene scene = {.seed = (uint64_t)seed,
                           .ground_rgb = {{120, 130, 140}},
                           .blotches = 12,
                           .blotch_cells = 5};
        uint8_t *rgb = draw(&scene, 100);
        for (int k = 1; k < 100 * 100; k++) {
            int step = abs(rgb[3 * k] - rgb[3 * k - 3]);
            squares += (rgb[3 * k] - 120.0) * (rgb[3 * k] - 120.0);
            steepest = k % 100 && step > steepest ? step : steepest;
            assert_int_equal(rgb[3 * k + 1] - rgb[3 * k], 10);
        }
        free(rgb);
    }
    assert_true(fabs(sqrt(squares / (1e4 * scenes)) / 12 - 1) < 0.15);
    assert_in_range(steepest, 2, 12);
}

/* ---------------------------------------------------------------- camera */

/* A white half beside a black one: one deviation from the edge (1 − t²)³ has nearly the 0.84 of the
 * normal curve. */
TEST(blur_has_the_scenes_deviation)
{
    sac_scene scene = {.ground = SAC_GROUND_STRIPED,
                       .step = 0.5f,
                       .ground_angle = 1e-6f,
                       .ground_rgb = {{255, 255, 255}, {0, 0, 0}},
                       .blur = 0.04f};
    uint8_t *rgb = draw(&scene, 200);
    const uint8_t *row = rgb + 100 * 200 * 3; /* the edge lies at 100, a deviation is 8 pixels */
    assert_true(abs(row[3 * 99] + row[3 * 100] - 255) <= 2);
    double at_one = (row[3 * 107] + row[3 * 108]) / 510.0, expected = 0.827;
    at_one = at_one < 0.5 ? 1 - at_one : at_one;
    assert_true(fabs(at_one - expected) < 0.01);
    free(rgb);
}

/* It falls where the scene puts it, on the ground alone. */
TEST(a_shadow_darkens_the_ground_beside_its_object)
{
    sac_scene scene = {.count = 1,
                       .ground_rgb = {{200, 200, 200}},
                       .shadow = 0.5f,
                       .shadow_x = 0.1f,
                       .shadow_y = 0.1f,
                       .shadow_edge = 0.02f};
    scene.objects[0] = a_square(SAC_FILL_SOLID);
    memcpy(scene.objects[0].box, (float[]){0.25f, 0.25f, 0.75f, 0.75f}, 4 * sizeof(float));
    uint8_t *rgb = draw(&scene, 100);
    assert_int_equal(rgb[(80 * 100 + 80) * 3], 100);
    assert_int_equal(rgb[(50 * 100 + 50) * 3], 255);
    assert_int_equal(rgb[(20 * 100 + 20) * 3], 200);
    free(rgb);
}

TEST(sine_and_cosine_are_right)
{
    for (double angle = -3.1416; angle < 3.1416; angle += 0.01) {
        double c, s;
        sac_cosine_and_sine(angle, &c, &s);
        assert_true(fabs(c - cos(angle)) < 1e-12 && fabs(s - sin(angle)) < 1e-12);
    }
}

TEST_MAIN(NULL, NULL)
