/* src/datasets/shapes: what is in a scene, and the one sentence that describes it. */

#include "shapes/colours.h"
#include "shapes/scene.h"
#include "test.h"

enum { SCENES = 4000, STREAMS = 4, VARIED_SCENES = 1000 };

static const sac_stream streams[STREAMS] = {SAC_STREAM_TEST, SAC_STREAM_TRAINING, SAC_STREAM_VARIED,
                                            SAC_STREAM_ALL_PAIRS};

/* `check` on many scenes of all streams. */
static void for_scenes(void (*check)(const sac_scene *))
{
    for (uint64_t seed = 0; seed < VARIED_SCENES; seed++)
        for (int i = 0; i < STREAMS; i++) {
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
    bool plain = scene->stream == SAC_STREAM_TEST;
    assert_in_range(scene->count, plain ? 1 : 0, plain ? 3 : SAC_SCENE_OBJECTS);
    if (scene->count == 0)
        read_word(&r, SAC_WORD_NOTHING, 1, -1);
    for (int i = 0; i < scene->count; i++) {
        if (i == 1)
            read_relation(&r);
        else if (i > 1)
            read_word(&r, SAC_WORD_AND, 1, -1);
        read_object(&r, i);
    }
    read_word(&r, SAC_WORD_END, 1, -1);
    assert_int_equal(scene->words, r.at);
    while (r.at < SAC_SCENE_WORDS)
        read_word(&r, SAC_WORD_PAD, 1, -1);
}

TEST(every_sentence_is_well_formed_and_true)
{
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

TEST(large_comes_first_then_left_and_never_by_a_hair)
{
    for_scenes(check_order);
}

TEST(a_sentence_fits_or_is_cut)
{
    const int word[] = {SAC_WORD_A, SAC_WORD_LARGE, SAC_WORD_COLOUR, SAC_WORD_SHAPE, SAC_WORD_END};
    char text[64];
    assert_string_equal(sac_sentence(word, 5, text, sizeof text), "a large red circle");
    assert_string_equal(sac_sentence(word, 2, text, sizeof text), "a large");
    assert_string_equal(sac_sentence(word, 5, text, 6), "a lar");
    assert_string_equal(sac_sentence(word, 0, text, sizeof text), "");
}

TEST(words_are_found_by_their_text)
{
    for (int word = 0; word < SAC_WORDS; word++)
        assert_int_equal(sac_word_find(sac_word_text(word)), word);
    assert_int_equal(sac_word_find("hexagon"), -1);
    assert_string_equal(sac_word_text(-1), "");
    assert_string_equal(sac_word_text(SAC_WORDS), "");
}

/* ---------------------------------------------------------------- streams */

TEST(a_seed_is_one_scene)
{
    sac_scene a, b;
    memset(&a, 1, sizeof a);
    memset(&b, 2, sizeof b);
    sac_scene_make(SAC_STREAM_TEST, 12345678901234567890u, &a);
    sac_scene_make(SAC_STREAM_TEST, 12345678901234567890u, &b);
    assert_memory_equal(a.objects, b.objects, (size_t)a.count * sizeof *a.objects);
    assert_memory_equal(a.word, b.word, sizeof a.word);
    assert_memory_equal(a.ground_rgb, b.ground_rgb, sizeof a.ground_rgb);
}

TEST(streams_have_names_that_find_them)
{
    for (int i = 0; i < STREAMS; i++) {
        sac_stream found;
        assert_true(sac_stream_find(sac_stream_name(streams[i]), &found));
        assert_int_equal(found, streams[i]);
    }
    sac_stream kept = SAC_STREAM_VARIED;
    assert_false(sac_stream_find("tests", &kept));
    assert_int_equal(kept, SAC_STREAM_VARIED);
}

static int compare_places(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(float));
}

/* Also of seeds that differ above bit 32 alone. */
TEST(no_scene_comes_twice_in_any_stream)
{
    enum { ALL = 2 * STREAMS * VARIED_SCENES };
    static float places[ALL][2];
    int filled = 0;
    for (int i = 0; i < ALL; i++) {
        sac_scene scene;
        uint64_t seed = (uint64_t)(i / STREAMS / 2) + ((uint64_t)(i / STREAMS & 1) << 41);
        sac_scene_make(streams[i % STREAMS], seed, &scene);
        if (scene.count == 0)
            continue;
        places[filled][0] = scene.objects[0].x;
        places[filled++][1] = scene.objects[0].y;
    }
    assert_in_range(filled, ALL * 9 / 10, ALL);
    qsort(places, (size_t)filled, sizeof *places, compare_places);
    for (int i = 1; i < filled; i++)
        assert_true(compare_places(places[i - 1], places[i]) != 0);
}

TEST(six_pairs_of_all_shapes_and_six_colours_are_held_out)
{
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

TEST(training_never_shows_a_pair_that_is_held_out)
{
    for (uint64_t seed = 0; seed < 8000; seed++) {
        sac_scene scene;
        sac_scene_make(SAC_STREAM_TRAINING, seed, &scene);
        assert_false(sac_scene_has_unseen_pair(&scene));
        for (int i = 0; i < scene.count; i++)
            assert_false(sac_pair_is_held_out(scene.objects[i].colour, scene.objects[i].shape));
    }
}

TEST(a_training_on_all_pairs_shows_every_pair)
{
    int shown[SAC_COLOURS][SAC_SHAPES] = {{0}};
    for (uint64_t seed = 0; seed < VARIED_SCENES; seed++) {
        sac_scene scene;
        sac_scene_make(SAC_STREAM_ALL_PAIRS, seed, &scene);
        for (int i = 0; i < scene.count; i++)
            shown[scene.objects[i].colour][scene.objects[i].shape]++;
    }
    for (int colour = 0; colour < SAC_COLOURS; colour++)
        for (int shape = 0; shape < SAC_SHAPES; shape++) /* 51 expected of each */
            assert_in_range(shown[colour][shape], 20, 95);
}

TEST(half_of_the_test_shows_one_and_every_one_comes)
{
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

TEST(unnamed_scenes_mention_all_but_the_unnamed)
{
    int colours = 0, shapes = 0, objects = 0;
    for (uint64_t seed = 0; seed < VARIED_SCENES; seed++) {
        sac_scene scene;
        sac_scene_make_unnamed(SAC_STREAM_TRAINING, seed, &scene);
        assert_false(sac_scene_has_unseen_pair(&scene));
        for (int i = 0; i < scene.words; i++) {
            if (scene.word[i] != SAC_WORD_PAD)
                continue;
            const sac_scene_object *object = &scene.objects[scene.object_of_word[i]];
            bool is_colour =
                scene.word[i - 1] == SAC_WORD_SMALL || scene.word[i - 1] == SAC_WORD_LARGE;
            assert_int_equal(is_colour ? object->colour : object->shape, SAC_UNNAMED);
            *(is_colour ? &colours : &shapes) += 1;
        }
        objects += scene.count;
    }
    assert_in_range(colours, objects * 37 / 100, objects * 43 / 100);
    assert_in_range(shapes, objects * 37 / 100, objects * 43 / 100);
}

/* Else an unnamed red star would show a pair that is held back. */
TEST(unnamed_colours_are_outside_all_named_ranges)
{
    enum { EACH = 100 };
    static uint8_t named[SAC_COLOURS][EACH][3];
    sac_rng rng = {.seed = 5};
    for (int word = 0; word < SAC_COLOURS; word++)
        for (int i = 0; i < EACH; i++)
            sac_colour_pick(&rng, word, true, named[word][i]);
    for (int i = 0; i < 1000; i++) {
        uint8_t rgb[3];
        sac_colour_pick(&rng, SAC_UNNAMED, true, rgb);
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

/* Small and large are far apart, and what is turned keeps its name. */
static void check_size(const sac_scene *scene, const sac_scene_object *object)
{
    if (scene->stream == SAC_STREAM_TEST) {
        assert_true(object->size >= (object->large ? 0.3f : 0.16f));
        assert_true(object->size <= (object->large ? 0.41f : 0.215f));
        assert_true(fabsf(object->angle) <= 0.2095f); /* 12 degrees */
        return;
    }
    bool wide = object->form > -0.22f; /* a diamond that looks like a square where it is turned */
    bool square = object->shape == 1 || (object->shape == 5 && wide);
    assert_true(object->size >= (object->large ? 0.29f : 0.045f));
    assert_true(object->size <= (object->large ? 0.95f : 0.22f));
    assert_true(!square || fabsf(object->angle) <= 0.351f); /* 20 degrees */
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
        check_size(scene, a);
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

TEST(objects_lie_inside_and_hide_little_of_one_another)
{
    for_scenes(check_places);
}

static void check_depths(const sac_scene *scene)
{
    int seen = 0;
    for (int i = 0; i < scene->count; i++)
        seen |= 1 << scene->behind[i];
    assert_int_equal(seen, (1 << scene->count) - 1);
}

TEST(every_object_has_its_depth)
{
    for_scenes(check_depths);
}

/* ---------------------------------------------------------------- colours */

/* Objects on checks and stripes may come nearer to one of the tones. */
static void check_contrast(const sac_scene *scene)
{
    double least = scene->ground < SAC_GROUND_RULED ? 0.2 : 0.11;
    for (int i = 0; i < scene->count; i++)
        for (int end = 0; end < (scene->ground == SAC_GROUND_RULED ? 1 : 2); end++) /* no lines */
            assert_true(sac_colour_distance(scene->objects[i].rgb, scene->ground_rgb[end]) >=
                        least);
}

TEST(objects_stand_out_from_their_ground)
{
    for_scenes(check_contrast);
}

TEST(the_distance_of_colours_is_that_of_oklab)
{
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
TEST(no_two_colours_could_bear_the_same_word)
{
    enum { EACH = 150 };
    static uint8_t colours[SAC_COLOURS][EACH][3];
    sac_rng rng = {.seed = 3};
    for (int word = 0; word < SAC_COLOURS; word++)
        for (int i = 0; i < EACH; i++)
            sac_colour_pick(&rng, word, true, colours[word][i]);
    for (int a = 0; a < SAC_COLOURS; a++)
        for (int b = 0; b < a; b++)
            for (int i = 0; i < EACH * EACH; i++) {
                double distance = sac_colour_distance(colours[a][i / EACH], colours[b][i % EACH]);
                if (distance < 0.05) /* twice what can just be distinguished */
                    fail_msg("%s and %s: %.3f", sac_word_text(SAC_WORD_COLOUR + a),
                             sac_word_text(SAC_WORD_COLOUR + b), distance);
            }
}

TEST(a_colour_word_covers_a_range)
{
    sac_rng rng = {.seed = 4};
    for (int word = 0; word < SAC_COLOURS; word++) {
        uint8_t low[3] = {255, 255, 255}, high[3] = {0};
        for (int i = 0; i < 200; i++) {
            uint8_t rgb[3];
            sac_colour_pick(&rng, word, true, rgb);
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
            assert_true(low[0] >= 232 && low[1] >= 232 && low[2] >= 232);
        if (word == 7)
            assert_true(high[0] <= 40 && high[1] <= 40 && high[2] <= 50);
    }
}

/* ---------------------------------------------------------------- how often */

typedef struct tally {
    int count[SAC_SCENE_OBJECTS + 1], colour[SAC_COLOURS], shape[SAC_SHAPES], large, objects;
    int ground[SAC_GROUND_STRIPED + 1], fill[SAC_FILL_HATCHED + 1], relation[SAC_WORDS];
    int relations, overlaps, tiny, huge, wobbly, blurred, noisy, shadowed, blotched;
} tally;

static void count_object(const sac_scene_object *object, tally *t)
{
    t->objects++;
    t->colour[object->colour]++;
    t->shape[object->shape]++;
    t->fill[object->fill]++;
    t->large += object->large;
    t->tiny += object->size < 0.1f;
    t->huge += object->size > 0.6f;
    t->wobbly += object->wobble > 0;
}

static void count_scene(const sac_scene *scene, tally *t)
{
    t->count[scene->count]++;
    t->ground[scene->ground]++;
    t->blurred += scene->blur > 0;
    t->noisy += scene->noise_over;
    t->shadowed += scene->shadow > 0;
    t->blotched += scene->blotches > 0;
    for (int i = 0; i < scene->count; i++) {
        count_object(&scene->objects[i], t);
        for (int k = 0; k < i; k++)
            t->overlaps += overlap(scene->objects[i].box, scene->objects[k].box) > 0;
    }
    for (int i = 0; i < scene->words; i++)
        t->relation[scene->word[i]]++;
    t->relations += scene->count > 1;
}

static tally count_stream(sac_stream stream)
{
    tally t = {0};
    for (uint64_t seed = 0; seed < SCENES; seed++) {
        sac_scene scene;
        sac_scene_make(stream, seed, &scene);
        count_scene(&scene, &t);
    }
    return t;
}

/* In per cent of `all`, with room for chance. */
static void assert_share(int part, int all, int from, int to)
{
    if (part * 100 < from * all || part * 100 > to * all)
        fail_msg("%d of %d is not %d to %d %%", part, all, from, to);
}

static void check_shares(const tally *t)
{
    const int relations[] = {SAC_WORD_LEFT, SAC_WORD_RIGHT, SAC_WORD_ABOVE, SAC_WORD_BELOW};
    for (int i = 0; i < SAC_COLOURS; i++)
        assert_share(t->colour[i], t->objects, 9, 16);
    for (int i = 0; i < SAC_SHAPES; i++)
        assert_share(t->shape[i], t->objects, 14, 19);
    for (int i = 0; i < 4; i++)
        assert_share(t->relation[relations[i]], t->relations, 8, 50);
    assert_share(t->overlaps, t->relations, 3, 60);
}

TEST(nothing_plain_is_rare)
{
    tally t = count_stream(SAC_STREAM_TEST);
    check_shares(&t);
    for (int i = 0; i < 3; i++) {
        assert_share(t.count[i + 1], SCENES, 31, 36);
        assert_share(t.ground[i], SCENES, 31, 36);
    }
    assert_share(t.large, t.objects, 47, 53);
    assert_int_equal(t.fill[SAC_FILL_SOLID], t.objects);
    assert_int_equal(t.wobbly + t.blurred + t.noisy + t.shadowed + t.blotched, 0);
}

TEST(nothing_varied_is_rare)
{
    tally t = count_stream(SAC_STREAM_VARIED);
    check_shares(&t);
    for (int i = 1; i <= SAC_SCENE_OBJECTS; i++)
        assert_share(t.count[i], SCENES, 5, 35);
    assert_share(t.count[0], SCENES, 2, 5);
    for (int i = 0; i <= SAC_GROUND_STRIPED; i++)
        assert_share(t.ground[i], SCENES, 4, 45);
    for (int i = 0; i <= SAC_FILL_HATCHED; i++)
        if (i != SAC_FILL_STRIPED) /* of objects without a colour word alone */
            assert_share(t.fill[i], t.objects, 6, 65);
    assert_int_equal(t.fill[SAC_FILL_STRIPED], 0);
    const int some[] = {t.wobbly, t.tiny, t.large};
    for (int i = 0; i < 3; i++)
        assert_share(some[i], t.objects, 5, 50);
    const int of_scenes[] = {t.huge, t.blurred, t.noisy, t.shadowed, t.blotched};
    for (int i = 0; i < 5; i++)
        assert_share(of_scenes[i], SCENES, 5, 25);
}

TEST_MAIN(NULL, NULL)
