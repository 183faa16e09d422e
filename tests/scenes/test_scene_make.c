/* src/scenes: what is in a scene, and the one sentence that describes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/colours.h"
#include "scenes/scene.h"

enum { SCENES = 4000 };

static const sac_stream streams[] = {SAC_STREAM_TEST, SAC_STREAM_TRAINING};

/* `check` on many scenes of both streams. */
static void for_scenes(void (*check)(const sac_scene *))
{
    for (uint64_t seed = 0; seed < SCENES; seed++)
        for (int i = 0; i < 2; i++) {
            sac_scene scene;
            sac_scene_make(streams[i], seed, &scene);
            check(&scene);
        }
}

/* ---------------------------------------------------------------- sentences */

/* A reader of the grammar: `at` moves over what is well-formed. */
typedef struct reader {
    const sac_scene *scene;
    int at;
} reader;

static void read_word(reader *r, int from, int count, int about)
{
    int word = r->scene->word[r->at];
    if (word < from || word >= from + count)
        fail_msg("seed %llu: \"%s\" is wrong as word %d", (unsigned long long)r->scene->seed,
                 sac_word_text(word), r->at);
    assert_int_equal(r->scene->object_of_word[r->at], about);
    r->at++;
}

static void read_object(reader *r, int index)
{
    const sac_scene_object *object = &r->scene->objects[index];
    read_word(r, SAC_WORD_A, 1, index);
    read_word(r, object->large ? SAC_WORD_LARGE : SAC_WORD_SMALL, 1, index);
    read_word(r, SAC_WORD_COLOUR + object->colour, 1, index);
    read_word(r, SAC_WORD_SHAPE + object->shape, 1, index);
}

static void read_relation(reader *r)
{
    const sac_scene_object *a = &r->scene->objects[0], *b = &r->scene->objects[1];
    float dx = a->x - b->x, dy = a->y - b->y;
    int relation = fabsf(dx) > fabsf(dy) ? (dx < 0 ? SAC_WORD_LEFT : SAC_WORD_RIGHT)
                                         : (dy < 0 ? SAC_WORD_ABOVE : SAC_WORD_BELOW);
    read_word(r, relation, 1, -1);
    if (relation == SAC_WORD_LEFT || relation == SAC_WORD_RIGHT)
        read_word(r, SAC_WORD_OF, 1, -1);
}

static void check_sentence(const sac_scene *scene)
{
    reader r = {.scene = scene};
    assert_in_range(scene->count, 1, 3);
    read_object(&r, 0);
    if (scene->count > 1) {
        read_relation(&r);
        read_object(&r, 1);
    }
    if (scene->count > 2) {
        read_word(&r, SAC_WORD_AND, 1, -1);
        read_object(&r, 2);
    }
    read_word(&r, SAC_WORD_END, 1, -1);
    assert_int_equal(scene->words, r.at);
    while (r.at < SAC_SCENE_WORDS)
        read_word(&r, SAC_WORD_PAD, 1, -1);
}

static void every_sentence_is_well_formed_and_true(void **state)
{
    (void)state;
    for_scenes(check_sentence);
}

static void check_order(const sac_scene *scene)
{
    for (int i = 1; i < scene->count; i++) {
        const sac_scene_object *a = &scene->objects[i - 1], *b = &scene->objects[i];
        assert_true(a->large >= b->large);
        if (a->large == b->large)
            assert_true(b->x - a->x >= 0.08f);
        for (int k = 0; k < i; k++) /* no two are called the same */
            assert_false(scene->objects[k].large == b->large &&
                         scene->objects[k].colour == b->colour &&
                         scene->objects[k].shape == b->shape);
    }
    float dx = fabsf(scene->objects[0].x - scene->objects[1].x);
    float dy = fabsf(scene->objects[0].y - scene->objects[1].y);
    if (scene->count > 1)
        assert_true(fabsf(dx - dy) >= 0.08f);
}

static void large_comes_first_then_left_and_never_by_a_hair(void **state)
{
    (void)state;
    for_scenes(check_order);
}

static void a_sentence_fits_or_is_cut(void **state)
{
    (void)state;
    const int word[] = {SAC_WORD_A, SAC_WORD_LARGE, SAC_WORD_COLOUR, SAC_WORD_SHAPE, SAC_WORD_END};
    char text[64];
    assert_string_equal(sac_sentence(word, 5, text, sizeof text), "a large red circle");
    assert_string_equal(sac_sentence(word, 2, text, sizeof text), "a large");
    assert_string_equal(sac_sentence(word, 5, text, 6), "a lar");
    assert_string_equal(sac_sentence(word, 0, text, sizeof text), "");
}

static void words_are_found_by_their_text(void **state)
{
    (void)state;
    for (int word = 0; word < SAC_WORDS; word++)
        assert_int_equal(sac_word_find(sac_word_text(word)), word);
    assert_int_equal(sac_word_find("hexagon"), -1);
    assert_string_equal(sac_word_text(-1), "");
    assert_string_equal(sac_word_text(SAC_WORDS), "");
}

/* ---------------------------------------------------------------- streams */

static void a_seed_is_one_scene(void **state)
{
    (void)state;
    sac_scene a, b;
    memset(&a, 1, sizeof a);
    memset(&b, 2, sizeof b);
    sac_scene_make(SAC_STREAM_TEST, 12345678901234567890u, &a);
    sac_scene_make(SAC_STREAM_TEST, 12345678901234567890u, &b);
    assert_memory_equal(a.objects, b.objects, (size_t)a.count * sizeof *a.objects);
    assert_memory_equal(a.word, b.word, sizeof a.word);
    assert_memory_equal(a.ground_rgb, b.ground_rgb, sizeof a.ground_rgb);
}

static int compare_places(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(float));
}

/* Also of seeds that differ above bit 32 alone. */
static void no_scene_comes_twice_in_any_stream(void **state)
{
    (void)state;
    static float places[4 * SCENES][2];
    for (int i = 0; i < 4 * SCENES; i++) {
        sac_scene scene;
        uint64_t seed = (uint64_t)(i / 4) + ((uint64_t)(i & 2) << 40);
        sac_scene_make(streams[i & 1], seed, &scene);
        places[i][0] = scene.objects[0].x;
        places[i][1] = scene.objects[0].y;
    }
    qsort(places, 4 * SCENES, sizeof *places, compare_places);
    for (int i = 1; i < 4 * SCENES; i++)
        assert_true(compare_places(places[i - 1], places[i]) != 0);
}

static void six_pairs_of_all_shapes_and_six_colours_are_held_out(void **state)
{
    (void)state;
    int pairs = 0, of_shape[SAC_SHAPES] = {0}, of_colour[SAC_COLOURS] = {0};
    for (int colour = 0; colour < SAC_COLOURS; colour++)
        for (int shape = 0; shape < SAC_SHAPES; shape++)
            if (sac_pair_is_held_out(colour, shape)) {
                pairs++;
                assert_int_equal(++of_shape[shape], 1);
                assert_int_equal(++of_colour[colour], 1);
            }
    assert_int_equal(pairs, 6);
    assert_true(sac_pair_is_held_out(sac_word_find("blue") - SAC_WORD_COLOUR,
                                     sac_word_find("circle") - SAC_WORD_SHAPE));
    assert_true(sac_pair_is_held_out(sac_word_find("orange") - SAC_WORD_COLOUR,
                                     sac_word_find("diamond") - SAC_WORD_SHAPE));
    assert_false(sac_pair_is_held_out(0, -1));
    assert_false(sac_pair_is_held_out(0, SAC_SHAPES));
}

static void training_never_shows_a_pair_that_is_held_out(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20000; seed++) {
        sac_scene scene;
        sac_scene_make(SAC_STREAM_TRAINING, seed, &scene);
        assert_false(sac_scene_has_unseen_pair(&scene));
        for (int i = 0; i < scene.count; i++)
            assert_false(sac_pair_is_held_out(scene.objects[i].colour, scene.objects[i].shape));
    }
}

static void half_of_the_test_shows_one_and_every_one_comes(void **state)
{
    (void)state;
    int scenes = 0, shown[SAC_SHAPES] = {0};
    for (uint64_t seed = 0; seed < SCENES; seed++) {
        sac_scene scene;
        sac_scene_make(SAC_STREAM_TEST, seed, &scene);
        scenes += sac_scene_has_unseen_pair(&scene);
        for (int i = 0; i < scene.count; i++)
            shown[scene.objects[i].shape] +=
                sac_pair_is_held_out(scene.objects[i].colour, scene.objects[i].shape);
    }
    assert_in_range(scenes, SCENES * 47 / 100, SCENES * 53 / 100); /* 4 deviations: 3.2 % */
    for (int shape = 0; shape < SAC_SHAPES; shape++)
        assert_in_range(shown[shape], SCENES / 16, SCENES / 8); /* half of them, by six shapes */
}

/* ---------------------------------------------------------------- unnamed colours */

static void scenes_of_unnamed_colours_say_all_but_these(void **state)
{
    (void)state;
    int unnamed = 0, objects = 0;
    for (uint64_t seed = 0; seed < SCENES; seed++) {
        sac_scene scene;
        sac_scene_make_unnamed(seed, &scene);
        assert_false(sac_scene_has_unseen_pair(&scene));
        for (int i = 0; i < scene.words; i++) {
            if (scene.word[i] != SAC_WORD_PAD)
                continue;
            assert_int_equal(scene.objects[scene.object_of_word[i]].colour, SAC_UNNAMED);
            assert_in_range(scene.word[i - 1], SAC_WORD_SMALL, SAC_WORD_LARGE);
            assert_in_range(scene.word[i + 1], SAC_WORD_SHAPE, SAC_WORDS - 1);
            unnamed++;
        }
        objects += scene.count;
    }
    assert_in_range(unnamed, objects * 57 / 100, objects * 63 / 100);
}

/* Else an unnamed red star would show a pair that is held back. */
static void an_unnamed_colour_is_no_colour_that_has_a_word(void **state)
{
    (void)state;
    enum { EACH = 100 };
    static uint8_t named[SAC_COLOURS][EACH][3];
    sac_rng rng = {.seed = 5};
    for (int word = 0; word < SAC_COLOURS; word++)
        for (int i = 0; i < EACH; i++)
            sac_colour_pick(&rng, word, named[word][i]);
    for (int i = 0; i < 1000; i++) {
        uint8_t rgb[3];
        sac_colour_pick(&rng, SAC_UNNAMED, rgb);
        for (int k = 0; k < SAC_COLOURS * EACH; k++)
            if (sac_colour_distance(rgb, named[k / EACH][k % EACH]) < 0.05)
                fail_msg("#%02x%02x%02x is %s", rgb[0], rgb[1], rgb[2],
                         sac_word_text(SAC_WORD_COLOUR + k / EACH));
    }
}

/* ---------------------------------------------------------------- places */

static float area(const float *box)
{
    return (box[2] - box[0]) * (box[3] - box[1]);
}

static float overlap(const float *a, const float *b)
{
    float width = fminf(a[2], b[2]) - fmaxf(a[0], b[0]);
    float height = fminf(a[3], b[3]) - fmaxf(a[1], b[1]);
    return width > 0 && height > 0 ? width * height : 0;
}

static void check_places(const sac_scene *scene)
{
    for (int i = 0; i < scene->count; i++) {
        const sac_scene_object *a = &scene->objects[i];
        float hidden = 0, longer = fmaxf(a->box[2] - a->box[0], a->box[3] - a->box[1]);
        assert_true(a->box[0] > 0.019f && a->box[1] > 0.019f);
        assert_true(a->box[2] < 0.981f && a->box[3] < 0.981f);
        assert_true(fabsf(longer - a->size) < 1e-6f);
        assert_true(fabsf(a->box[0] + a->box[2] - 2 * a->x) < 1e-6f);
        assert_true(fabsf(a->box[1] + a->box[3] - 2 * a->y) < 1e-6f);
        assert_true(a->size >= (a->large ? 0.3f : 0.16f) && a->size <= (a->large ? 0.41f : 0.215f));
        assert_true(fabsf(a->angle) <= 0.2095f); /* 12 degrees */
        for (int k = 0; k < scene->count; k++) {
            const sac_scene_object *b = &scene->objects[k];
            float both = i == k ? 0 : overlap(a->box, b->box);
            hidden += both;
            if (both > 0)
                assert_true(sac_colour_distance(a->rgb, b->rgb) >= 0.25);
        }
        assert_true(hidden <= 0.1501f * area(a->box));
    }
}

static void objects_lie_inside_and_hide_little_of_one_another(void **state)
{
    (void)state;
    for_scenes(check_places);
}

static void check_depths(const sac_scene *scene)
{
    int seen = 0;
    for (int i = 0; i < scene->count; i++)
        seen |= 1 << scene->behind[i];
    assert_int_equal(seen, (1 << scene->count) - 1);
}

static void every_object_has_its_depth(void **state)
{
    (void)state;
    for_scenes(check_depths);
}

/* ---------------------------------------------------------------- colours */

static void check_contrast(const sac_scene *scene)
{
    for (int i = 0; i < scene->count; i++)
        for (int end = 0; end < 2; end++)
            assert_true(sac_colour_distance(scene->objects[i].rgb, scene->ground_rgb[end]) >= 0.2);
}

static void objects_stand_out_from_their_ground(void **state)
{
    (void)state;
    for_scenes(check_contrast);
}

static void the_distance_of_colours_is_that_of_oklab(void **state)
{
    (void)state;
    const uint8_t black[] = {0, 0, 0}, white[] = {255, 255, 255};
    const uint8_t red[] = {255, 0, 0}, green[] = {0, 255, 0}, grey[] = {119, 119, 119};
    assert_true(fabs(sac_colour_distance(black, white) - 1) < 0.002);
    assert_true(sac_colour_distance(red, red) == 0);
    assert_true(sac_colour_distance(red, green) == sac_colour_distance(green, red));
    /* Lr 0.568 and 0.844, a 0.2249 and −0.2339, b 0.1258 and 0.1795 */
    assert_true(fabs(sac_colour_distance(red, green) - 0.538) < 0.005);
    assert_true(fabs(sac_colour_distance(black, grey) - 0.5) < 0.01); /* CIE's L* 50 */
}

/* Whatever is called red is nearer to other reds than to anything that is called orange. */
static void no_two_colours_could_bear_the_same_word(void **state)
{
    (void)state;
    enum { EACH = 150 };
    static uint8_t colours[SAC_COLOURS][EACH][3];
    sac_rng rng = {.seed = 3};
    for (int word = 0; word < SAC_COLOURS; word++)
        for (int i = 0; i < EACH; i++)
            sac_colour_pick(&rng, word, colours[word][i]);
    for (int a = 0; a < SAC_COLOURS; a++)
        for (int b = 0; b < a; b++)
            for (int i = 0; i < EACH * EACH; i++) {
                double distance = sac_colour_distance(colours[a][i / EACH], colours[b][i % EACH]);
                if (distance < 0.07) /* three times what can just be told apart */
                    fail_msg("%s and %s: %.3f", sac_word_text(SAC_WORD_COLOUR + a),
                             sac_word_text(SAC_WORD_COLOUR + b), distance);
            }
}

static void a_colour_word_covers_a_range(void **state)
{
    (void)state;
    sac_rng rng = {.seed = 4};
    for (int word = 0; word < SAC_COLOURS; word++) {
        uint8_t low[3] = {255, 255, 255}, high[3] = {0};
        for (int i = 0; i < 200; i++) {
            uint8_t rgb[3];
            sac_colour_pick(&rng, word, rgb);
            for (int k = 0; k < 3; k++) {
                low[k] = rgb[k] < low[k] ? rgb[k] : low[k];
                high[k] = rgb[k] > high[k] ? rgb[k] : high[k];
            }
        }
        int widest = 0;
        for (int k = 0; k < 3; k++)
            widest = high[k] - low[k] > widest ? high[k] - low[k] : widest;
        assert_true(widest >= (word < 6 ? 24 : 15)); /* white and black are narrow */
        if (word == 6)
            assert_true(low[0] >= 235 && low[1] >= 235 && low[2] >= 235);
        if (word == 7)
            assert_true(high[0] <= 35 && high[1] <= 35 && high[2] <= 35);
    }
}

/* ---------------------------------------------------------------- how often */

typedef struct tally {
    int count[4], colour[SAC_COLOURS], shape[SAC_SHAPES], large, objects;
    int ground[3], relation[SAC_WORDS], relations, overlaps;
} tally;

static void count_scene(const sac_scene *scene, tally *t)
{
    t->count[scene->count]++;
    t->ground[scene->ground]++;
    for (int i = 0; i < scene->count; i++) {
        t->objects++;
        t->colour[scene->objects[i].colour]++;
        t->shape[scene->objects[i].shape]++;
        t->large += scene->objects[i].large;
        for (int k = 0; k < i; k++)
            t->overlaps += overlap(scene->objects[i].box, scene->objects[k].box) > 0;
    }
    for (int i = 0; i < scene->words; i++)
        t->relation[scene->word[i]]++;
    t->relations += scene->count > 1;
}

/* In per cent of `all`, with room for chance. */
static void assert_share(int part, int all, int from, int to)
{
    if (part * 100 < from * all || part * 100 > to * all)
        fail_msg("%d of %d is not %d to %d %%", part, all, from, to);
}

static void nothing_is_rare(void **state)
{
    (void)state;
    tally t = {0};
    for (uint64_t seed = 0; seed < SCENES; seed++) {
        sac_scene scene;
        sac_scene_make(SAC_STREAM_TRAINING, seed, &scene);
        count_scene(&scene, &t);
    }
    for (int i = 0; i < 3; i++) {
        assert_share(t.count[i + 1], SCENES, 31, 36);
        assert_share(t.ground[i], SCENES, 31, 36);
    }
    for (int i = 0; i < SAC_COLOURS; i++)
        assert_share(t.colour[i], t.objects, 10, 16);
    for (int i = 0; i < SAC_SHAPES; i++)
        assert_share(t.shape[i], t.objects, 14, 19);
    assert_share(t.large, t.objects, 47, 53);
    const int relations[] = {SAC_WORD_LEFT, SAC_WORD_RIGHT, SAC_WORD_ABOVE, SAC_WORD_BELOW};
    for (int i = 0; i < 4; i++)
        assert_share(t.relation[relations[i]], t.relations, 8, 50);
    assert_share(t.overlaps, t.relations, 3, 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sentence_is_well_formed_and_true),
        cmocka_unit_test(large_comes_first_then_left_and_never_by_a_hair),
        cmocka_unit_test(a_sentence_fits_or_is_cut),
        cmocka_unit_test(words_are_found_by_their_text),
        cmocka_unit_test(a_seed_is_one_scene),
        cmocka_unit_test(no_scene_comes_twice_in_any_stream),
        cmocka_unit_test(six_pairs_of_all_shapes_and_six_colours_are_held_out),
        cmocka_unit_test(training_never_shows_a_pair_that_is_held_out),
        cmocka_unit_test(half_of_the_test_shows_one_and_every_one_comes),
        cmocka_unit_test(scenes_of_unnamed_colours_say_all_but_these),
        cmocka_unit_test(an_unnamed_colour_is_no_colour_that_has_a_word),
        cmocka_unit_test(objects_lie_inside_and_hide_little_of_one_another),
        cmocka_unit_test(every_object_has_its_depth),
        cmocka_unit_test(objects_stand_out_from_their_ground),
        cmocka_unit_test(the_distance_of_colours_is_that_of_oklab),
        cmocka_unit_test(no_two_colours_could_bear_the_same_word),
        cmocka_unit_test(a_colour_word_covers_a_range),
        cmocka_unit_test(nothing_is_rare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
