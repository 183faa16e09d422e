/* Makes scenes from seeds. What is in a scene is chosen first and stays; places and ground are
 * drawn again until the caption is unambiguous. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "colours.h"
#include "outline.h"
#include "shapes/rng_places.h"
#include "shapes/scene.h"

/* ---------------------------------------------------------------- looks */

typedef struct range {
    float from, to;
} range;

static float random_in_range(sac_rng *rng, range r)
{
    return sac_rng_between(rng, r.from, r.to);
}

/* An index into shares in per cent, which sum to 100. */
static int pick_by_percent(sac_rng *rng, const uint8_t *percent)
{
    int left = sac_rng_pick(rng, 100), index = 0;
    while (left >= percent[index])
        left -= percent[index++];
    return index;
}

/* Which scenes are drawn in the varied manner: all, none, or some by chance. */
static bool look_is_varied(sac_rng *rng, sac_stream stream)
{
    return sac_stream_is_training(stream) ? sac_rng_pick(rng, 4) > 0 : stream == SAC_STREAM_VARIED;
}

/* ---------------------------------------------------------------- plain */

/* Radians either way: 12 degrees, but what is turned like that must not be square nor diamond. */
static const float most_turned[SAC_SHAPES] = {
    [SAC_SQUARE] = 0.12f, [SAC_DIAMOND] = 0.12f, [SAC_TRIANGLE] = 0.2094f,
    [SAC_STAR] = 0.2094f, [SAC_CROSS] = 0.2094f,
};

/* Two in five of the objects without a colour word have stripes of two colours that have one: a
 * star that is half red shows that a red star is a star, and is no red star. */
static void pick_stripes(sac_rng *rng, bool wide, sac_scene_object *object)
{
    if (object->colour != SAC_UNNAMED || sac_rng_pick(rng, 5) >= 2)
        return;
    int first = sac_rng_pick(rng, SAC_COLOURS), other = 1 + sac_rng_pick(rng, SAC_COLOURS - 1);
    sac_colour_pick(rng, first, wide, object->rgb);
    sac_colour_pick(rng, (first + other) % SAC_COLOURS, wide, object->second_rgb);
    object->fill = SAC_FILL_STRIPED;
    object->slant = sac_rng_between(rng, -3.1415f, 3.1415f);
    object->stroke = sac_rng_between(rng, 0.2f, 0.6f) * object->size;
}

static void pick_plain_look(sac_rng *rng, sac_scene_object *object)
{
    static const range small = {0.16f, 0.215f}, large = {0.3f, 0.41f};
    bool named = object->shape != SAC_UNNAMED;
    float most = named ? most_turned[object->shape] : 3.1415f;
    sac_colour_pick(rng, object->colour, false, object->rgb);
    object->fill = SAC_FILL_SOLID;
    object->size = random_in_range(rng, object->large ? large : small);
    object->angle = sac_rng_between(rng, -most, most);
    object->form = sac_rng_between(rng, 0, 1);
    object->hand = named ? 0 : sac_rng_bits(rng, rng->next++);
    pick_stripes(rng, false, object);
}

/* ---------------------------------------------------------------- sizes */

/* The largest large ones, by the number of objects. */
static const float largest[SAC_SCENE_OBJECTS + 1] = {0, 0.95f, 0.55f, 0.43f, 0.37f, 0.34f};

/* Of the small ones many are of the sizes that people draw, and some very small. */
static int pick_smallness(sac_rng *rng)
{
    static const uint8_t percent[] = {42, 24, 34}; /* tiny, little, small */
    return pick_by_percent(rng, percent);
}

/* ---------------------------------------------------------------- forms */

/* In the measure of plain scenes: a star's inner radius is 0.38 + 0.08 of it (0.3 … 0.55), a
 * cross's bar 0.3 + 0.08 (0.18 … 0.5), a triangle's height 0.86 + 0.14 (0.6 … 1.3), a narrow
 * diamond's width 1 + it (0.3 … 1). */
static const range forms[SAC_SHAPES] = {
    [SAC_STAR] = {-1, 2.1f},
    [SAC_CROSS] = {-1.5f, 2.5f},
    [SAC_TRIANGLE] = {-1.86f, 3.15f},
    [SAC_DIAMOND] = {-0.7f, 0.3f},
};

/* A third of the triangles have a right angle, a third lean somewhere, as do a few others. */
static float pick_lean(sac_rng *rng)
{
    int kind = sac_rng_pick(rng, 3);
    float lean = sac_rng_between(rng, -1, 1);
    return kind == 0 ? 0 : kind == 1 ? lean : lean < 0 ? -1 : 1;
}

/* ---------------------------------------------------------------- fills */

/* Once its size and fill are known. */
static void pick_varied_look(sac_rng *rng, sac_fill fill, sac_scene_object *object)
{
    sac_colour_pick(rng, object->colour, true, object->rgb);
    object->form = object->shape == SAC_UNNAMED ? 0 : random_in_range(rng, forms[object->shape]);
    object->lean = object->shape == SAC_TRIANGLE ? pick_lean(rng) : 0;
    /* Whatever has no other name turned is turned by any angle; squares and wide diamonds
     * by 20°, for at 45° one is the other. */
    const float any = 3.1415f, some = 0.35f;
    bool narrow = object->shape == SAC_DIAMOND && object->form < -0.22f;
    float most =
        (object->shape == SAC_SQUARE || object->shape == SAC_DIAMOND) && !narrow ? some : any;
    bool upright = sac_rng_pick(rng, 4) == 0;
    float angle = sac_rng_between(rng, -most, most);
    object->angle = upright ? angle / 20 : angle;
    /* What is too small for lines is filled. */
    static const float least[] = {
        [SAC_FILL_BORDERED] = 0.1f, [SAC_FILL_HOLLOW] = 0.1f, [SAC_FILL_HATCHED] = 0.13f};
    object->fill = fill >= SAC_FILL_BORDERED && object->size < least[fill] ? SAC_FILL_SOLID : fill;
    /* Lines that are thin for a pen and thick for it, but never fill a shape. */
    static const range thin = {0.007f, 0.016f}, thick = {0.014f, 0.055f};
    float line = random_in_range(rng, sac_rng_pick(rng, 2) ? thin : thick);
    object->line = line < 0.17f * object->size ? line : 0.17f * object->size;
    object->stroke = sac_rng_between(rng, 0.018f, 0.05f);
    object->slant = sac_rng_between(rng, -3.1415f, 3.1415f);
    if (object->fill == SAC_FILL_HATCHED && sac_rng_pick(rng, 2))
        object->line = 0;
    if (object->stroke > 0.2f * object->size)
        object->stroke = 0.2f * object->size;
    static const uint8_t percent[] = {50, 22, 28};
    int kind = pick_by_percent(rng, percent);
    for (int k = 0; k < 3; k++) {
        uint8_t darker = (uint8_t)(object->rgb[k] * 2 / 5);
        object->second_rgb[k] = kind == 0 ? 16 : kind == 1 ? 250 : darker;
    }
    if (object->fill == SAC_FILL_GRADED)
        sac_colour_pick(rng, object->colour, true, object->second_rgb);
    pick_stripes(rng, true, object);
    object->hand = sac_rng_bits(rng, rng->next++);
}

/* ---------------------------------------------------------------- scenes */

/* Colour, size, angle, form and fill of every object. Most scenes have one kind of fill, small objects of
 * one kind of smallness, and one hand, as drawings have. */
static void look_pick(sac_rng *rng, bool varied, sac_scene *scene)
{
    static const uint8_t fills[] = {46, 10, 0, 12, 18, 14}; /* in the order of sac_fill */
    if (!varied) {
        for (int i = 0; i < scene->count; i++)
            pick_plain_look(rng, &scene->objects[i]);
        return;
    }
    sac_fill fill = (sac_fill)pick_by_percent(rng, fills);
    int smallness = pick_smallness(rng);
    bool mixed = sac_rng_pick(rng, 4) == 0, wobbly = sac_rng_pick(rng, 100) < 22;
    float wobble = wobbly ? sac_rng_between(rng, 0.005f, 0.045f) : 0;
    for (int i = 0; i < scene->count; i++) {
        sac_scene_object *object = &scene->objects[i];
        fill = mixed ? (sac_fill)pick_by_percent(rng, fills) : fill;
        smallness = mixed ? pick_smallness(rng) : smallness;
        static const range smalls[] = {{0.045f, 0.1f}, {0.1f, 0.16f}, {0.14f, 0.22f}};
        object->size = random_in_range(rng, object->large ? (range){0.29f, largest[scene->count]}
                                                          : smalls[smallness]);
        object->wobble = wobble;
        pick_varied_look(rng, fill, object);
    }
}

/* Blur leaves what is thin or small to be seen. */
static float pick_blur(sac_rng *rng, const sac_scene *scene)
{
    float blur = sac_rng_between(rng, 0.008f, 0.024f);
    for (int i = 0; i < scene->count; i++) {
        const sac_scene_object *object = &scene->objects[i];
        bool lines = object->fill >= SAC_FILL_HOLLOW;
        float most = lines ? 0.04f * object->size : 0.12f * object->size;
        blur = blur < most ? blur : most;
    }
    return blur;
}

/* Shadow, blur and noise; the objects are known. */
static void pick_lens_effects(sac_rng *rng, sac_scene *scene)
{
    bool shadow = sac_rng_pick(rng, 100) < 12, blur = sac_rng_pick(rng, 100) < 24;
    bool noise = sac_rng_pick(rng, 100) < 12;
    for (int i = 0; i < scene->count; i++)
        shadow = shadow && scene->objects[i].fill < SAC_FILL_HOLLOW;
    if (shadow) {
        scene->shadow = sac_rng_between(rng, 0.15f, 0.6f);
        scene->shadow_x = sac_rng_between(rng, -0.03f, 0.03f);
        scene->shadow_y = sac_rng_between(rng, 0.005f, 0.035f);
        scene->shadow_edge = sac_rng_between(rng, 0, 0.05f);
    }
    if (blur)
        scene->blur = pick_blur(rng, scene);
    if (noise && scene->noise == 0) {
        scene->noise = sac_rng_between(rng, 4, 32);
        scene->noise_over = true;
    }
}

/* ---------------------------------------------------------------- grounds */

static const double contrast = 0.25;        /* OKLab distance of what touches */
static const double contrast_white = 0.2;   /* so that yellow may lie on white, as is usual */
static const double contrast_strong = 0.11; /* of strong patterns, whose one tone is often near */

/* ---------------------------------------------------------------- contrast */

static bool is_white(const uint8_t rgb[3])
{
    return rgb[0] >= 243 && rgb[1] >= 243 && rgb[2] >= 243;
}

/* Of the nearer of its colours, where it is striped. */
static double colour_distance_to_tone(const sac_scene_object *object, const uint8_t tone[3])
{
    double first = sac_colour_distance(object->rgb, tone), second = first;
    if (object->fill == SAC_FILL_STRIPED)
        second = sac_colour_distance(object->second_rgb, tone);
    return first < second ? first : second;
}

static bool all_stand_out_from_tone(const sac_scene *scene, double wanted, const uint8_t tone[3])
{
    double least = is_white(tone) && wanted > contrast_white ? contrast_white : wanted;
    for (int i = 0; i < scene->count; i++)
        if (colour_distance_to_tone(&scene->objects[i], tone) < least)
            return false;
    return true;
}

/* True where the tones between the two are seen as well. */
static bool is_graded(const sac_scene *scene)
{
    return scene->ground == SAC_GROUND_GRADED || scene->ground == SAC_GROUND_RADIAL;
}

/* Every object stands out by `wanted` from every tone of the ground; thin lines do not matter. */
static bool all_stand_out_from_ground(const sac_scene *scene, double wanted)
{
    enum { STEPS = 4 };
    const uint8_t(*tones)[3] = scene->ground_rgb;
    int last = scene->ground == SAC_GROUND_RULED ? 0 : STEPS;
    int stride = is_graded(scene) ? 1 : STEPS;
    if (memcmp(tones[0], tones[1], 3) == 0)
        last = 0;
    for (int step = 0; step <= last; step += stride) {
        uint8_t tone[3];
        for (int k = 0; k < 3; k++)
            tone[k] = (uint8_t)((tones[0][k] * (STEPS - step) + tones[1][k] * step) / STEPS);
        if (!all_stand_out_from_tone(scene, wanted, tone))
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------- tones */

/* A tone that is a little lighter or darker than the first. */
static void pick_slightly_other_tone(sac_rng *rng, uint8_t tones[2][3])
{
    float by = sac_rng_between(rng, 8, 36);
    int sum = tones[0][0] + tones[0][1] + tones[0][2];
    by = sum > 384 ? -by : by;
    for (int k = 0; k < 3; k++) {
        float level = (float)tones[0][k] + by;
        tones[1][k] = (uint8_t)(level < 0 ? 0 : level > 255 ? 255 : level);
    }
}

/* Any other tone, far from the first where `far`. */
static void pick_other_tone(sac_rng *rng, bool far, uint8_t tones[2][3])
{
    enum { TRIES = 20 };
    for (int i = 0; i < TRIES; i++) {
        sac_tone_colour(rng, sac_tone_pick(rng), tones[1]);
        if (!far || sac_colour_distance(tones[0], tones[1]) > contrast)
            return;
    }
}

/* How much the two tones of checks, stripes and lines differ. */
typedef enum strength {
    WEAK, /* a little */
    ANY,
    STRONG,
} strength;

/* Half of the patterns are strong: on those an object is lost most easily. */
static strength pick_strength(sac_rng *rng)
{
    int quarter = sac_rng_pick(rng, 4);
    return quarter < STRONG ? (strength)quarter : STRONG;
}

/* ---------------------------------------------------------------- kinds */

static sac_ground pick_kind(sac_rng *rng)
{
    static const uint8_t percent[] = {30, 10, 5, 8, 9, 32, 6}; /* in the order of sac_ground */
    int left = sac_rng_pick(rng, 100), kind = 0;
    while (left >= percent[kind])
        left -= percent[kind++];
    return (sac_ground)kind;
}

/* A ground that every object stands out from. False: none was found soon. */
static bool ground_pick(sac_rng *rng, bool varied, sac_scene *scene)
{
    enum { TRIES = 400 };
    strength pattern = ANY;
    scene->ground = varied ? pick_kind(rng) : (sac_ground)sac_rng_pick(rng, 3);
    scene->ground_angle = sac_rng_between(rng, -3.1415f, 3.1415f);
    scene->noise = scene->ground == SAC_GROUND_NOISY ? sac_rng_between(rng, 3, 12) : 0;
    if (varied) {
        /* Lines and checks lie straight more often than not. */
        bool straight = sac_rng_pick(rng, 3) > 0, squared = sac_rng_pick(rng, 2);
        float step = sac_rng_between(rng, 0.2f, 0.5f);
        scene->step = step * step; /* 0.04 … 0.25 */
        scene->line = sac_rng_between(rng, 0.002f, 0.008f);
        if (scene->ground >= SAC_GROUND_RULED && straight)
            scene->ground_angle = squared ? -1e-6f : 1e-6f;
        bool blotched = sac_rng_pick(rng, 4) == 0;
        float amount = sac_rng_between(rng, 3, 16);
        int cells = 2 + sac_rng_pick(rng, 9);
        if (blotched && scene->ground < SAC_GROUND_CHECKED) {
            scene->blotches = amount;
            scene->blotch_cells = cells;
        }
        pattern = scene->ground < SAC_GROUND_RULED ? ANY : pick_strength(rng);
    }
    for (int i = 0; i < TRIES; i++) {
        /* Half of the graded grounds stay within one kind of tone, which looks calmer. */
        uint8_t(*tones)[3] = scene->ground_rgb;
        sac_tone tone = sac_tone_pick(rng);
        sac_tone_colour(rng, tone, tones[0]);
        memcpy(tones[1], tones[0], 3);
        if (is_graded(scene))
            sac_tone_colour(rng, sac_rng_pick(rng, 2) ? tone : sac_tone_pick(rng), tones[1]);
        else if (scene->ground >= SAC_GROUND_RULED && pattern == WEAK)
            pick_slightly_other_tone(rng, tones);
        else if (scene->ground >= SAC_GROUND_RULED)
            pick_other_tone(rng, pattern == STRONG, tones);
        if (all_stand_out_from_ground(scene, pattern == STRONG ? contrast_strong : contrast))
            return true;
    }
    return false;
}

/* ---------------------------------------------------------------- the sentence */

/* True where `a` is mentioned before `b`: large before small, then from left to right. */
static bool is_mentioned_before(const sac_scene_object *a, const sac_scene_object *b)
{
    return a->large != b->large ? a->large : a->x < b->x;
}

static void append(sac_scene *scene, int word, int object)
{
    scene->word[scene->words] = word;
    scene->object_of_word[scene->words++] = object;
}

/* Adds the words for where the first object lies as seen from the second. */
static void write_relation(sac_scene *scene)
{
    float dx = scene->objects[0].x - scene->objects[1].x;
    float dy = scene->objects[0].y - scene->objects[1].y;
    if (fabsf(dx) > fabsf(dy)) {
        append(scene, dx < 0 ? SAC_WORD_LEFT : SAC_WORD_RIGHT, -1);
        append(scene, SAC_WORD_OF, -1);
    } else {
        append(scene, dy < 0 ? SAC_WORD_ABOVE : SAC_WORD_BELOW, -1);
    }
}

char *sac_sentence_of(const char *(*word_text)(int word), const int *word, int words, char *text,
                      size_t size)
{
    size_t used = 0;
    if (size)
        text[0] = '\0';
    for (int i = 0; i < words && word[i] != SAC_WORD_END && used < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", word_text(word[i]));
    return text;
}

char *sac_sentence(const int *word, int words, char *text, size_t size)
{
    return sac_sentence_of(sac_word_text, word, words, text, size);
}

/* ---------------------------------------------------------------- make */

/* Shares of the picture's side, but for the last. */
static const float margin = 0.02f;
static const float apart = 0.08f;     /* what a person still sees the difference of at once */
static const float near = 0.015f;     /* boxes so near one another count as touching */
static const float occlusion = 0.15f; /* of an object's box, by all others together */

/* ---------------------------------------------------------------- streams */

static const char *const streams[] = {
    [SAC_STREAM_TEST] = "test",
    [SAC_STREAM_TRAINING] = "training",
    [SAC_STREAM_VARIED] = "varied",
    [SAC_STREAM_ALL_PAIRS] = "all-pairs",
};

const char *sac_stream_name(sac_stream stream)
{
    return streams[stream];
}

bool sac_stream_find(const char *name, sac_stream *stream)
{
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
        if (strcmp(streams[i], name) == 0) {
            *stream = (sac_stream)i;
            return true;
        }
    return false;
}

/* ---------------------------------------------------------------- pairs */

bool sac_pair_is_held_out(int colour, int shape)
{
    static const int8_t held_out[SAC_SHAPES] = {
        4, /* circle: blue */
        5, /* square: purple */
        3, /* triangle: green */
        0, /* star: red */
        2, /* cross: yellow */
        1, /* diamond: orange */
    };
    return shape >= 0 && shape < SAC_SHAPES && held_out[shape] == colour;
}

bool sac_scene_has_unseen_pair(const sac_scene *scene)
{
    for (int i = 0; i < scene->count; i++)
        if (sac_pair_is_held_out(scene->objects[i].colour, scene->objects[i].shape))
            return true;
    return false;
}

enum { PLAIN_OBJECTS = 3, MOST_LARGE = 3 };

typedef enum pairs { PAIRS_SEEN, PAIRS_HELD_OUT, PAIRS_ANY } pairs;

/* True where the last of `count` objects would be called like one before it. */
static bool has_same_name_as_before(const sac_scene_object *objects, int count)
{
    const sac_scene_object *last = &objects[count - 1];
    for (int i = 0; i < count - 1; i++)
        if (objects[i].colour == last->colour && objects[i].shape == last->shape &&
            objects[i].large == last->large)
            return true;
    return false;
}

/* One to three; in the varied manner up to five, and sometimes nothing. */
static int pick_count(sac_rng *rng, bool varied)
{
    static const uint8_t percent[] = {3, 31, 26, 22, 11, 7};
    int left = varied ? sac_rng_pick(rng, 100) : 0, count = 0;
    if (!varied)
        return 1 + sac_rng_pick(rng, PLAIN_OBJECTS);
    while (left >= percent[count])
        left -= percent[count++];
    return count;
}

/* The pairs of object `index`: in half of the test scenes object `which` has one held back. */
static pairs allowed_pairs(sac_stream stream, bool unseen, bool is_which)
{
    if (stream == SAC_STREAM_ALL_PAIRS)
        return PAIRS_ANY;
    return !unseen ? PAIRS_SEEN : is_which ? PAIRS_HELD_OUT : PAIRS_ANY;
}

/* Draws the number of objects and their names: all that is random in the sentence but places. */
static void pick_names(sac_rng *rng, bool varied, sac_scene *scene)
{
    scene->count = pick_count(rng, varied);
    bool unseen = !sac_stream_is_training(scene->stream) && sac_rng_pick(rng, 2);
    int which = sac_rng_pick(rng, scene->count), large = 0;
    for (int i = 0; i < scene->count; i++) {
        pairs from = allowed_pairs(scene->stream, unseen, i == which);
        do {
            sac_scene_object *object = &scene->objects[i];
            bool held_out;
            do {
                object->colour = sac_rng_pick(rng, SAC_COLOURS);
                object->shape = sac_rng_pick(rng, SAC_SHAPES);
                held_out = sac_pair_is_held_out(object->colour, object->shape);
            } while ((from == PAIRS_SEEN && held_out) || (from == PAIRS_HELD_OUT && !held_out));
            scene->objects[i].large = sac_rng_pick(rng, 2) && large < MOST_LARGE;
        } while (has_same_name_as_before(scene->objects, i + 1));
        large += scene->objects[i].large;
    }
}

/* ---------------------------------------------------------------- places */

/* Length that [a0,a1] and [b0,b1] share; below zero: the gap between them. */
static float shared_length(float a0, float a1, float b0, float b1)
{
    return (a1 < b1 ? a1 : b1) - (a0 > b0 ? a0 : b0);
}

/* Area that the boxes share; −1 where they are not even near one another. */
static float overlap(const float *a, const float *b)
{
    float width = shared_length(a[0], a[2], b[0], b[2]),
          height = shared_length(a[1], a[3], b[1], b[3]);
    if (width < -near || height < -near)
        return -1;
    return width < 0 || height < 0 ? 0 : width * height;
}

static float area(const float *box)
{
    return (box[2] - box[0]) * (box[3] - box[1]);
}

/* Little is hidden, and what touches differs in colour. */
static bool are_objects_distinguishable(const sac_scene *scene)
{
    for (int i = 0; i < scene->count; i++) {
        const sac_scene_object *a = &scene->objects[i];
        float hidden = 0;
        for (int j = 0; j < scene->count; j++) {
            const sac_scene_object *b = &scene->objects[j];
            float both = i == j ? -1 : overlap(a->box, b->box);
            if (both >= 0 && sac_colour_distance(a->rgb, b->rgb) < contrast)
                return false;
            hidden += both > 0 ? both : 0;
        }
        if (hidden > occlusion * area(a->box))
            return false;
    }
    return true;
}

/* Sorts the objects into the order of mention. */
static void sort(sac_scene *scene)
{
    for (int i = 1; i < scene->count; i++)
        for (int j = i; j > 0 && is_mentioned_before(&scene->objects[j], &scene->objects[j - 1]);
             j--) {
            sac_scene_object swapped = scene->objects[j];
            scene->objects[j] = scene->objects[j - 1];
            scene->objects[j - 1] = swapped;
        }
}

/* Neither order nor relation could be disputed. The objects are sorted: neighbours of one size are
 * nearest in x. */
static bool is_sentence_unambiguous(const sac_scene *scene)
{
    const sac_scene_object *objects = scene->objects;
    for (int i = 1; i < scene->count; i++)
        if (objects[i].large == objects[i - 1].large && objects[i].x - objects[i - 1].x < apart)
            return false;
    float dx = fabsf(objects[0].x - objects[1].x), dy = fabsf(objects[0].y - objects[1].y);
    return scene->count < 2 || fabsf(dx - dy) >= apart;
}

static bool try_to_place_objects(sac_rng *rng, bool varied, sac_scene *scene)
{
    enum { TRIES = 500 }; /* until sizes and colours are drawn anew; most need fewer than 10 */
    look_pick(rng, varied, scene);
    for (int i = 0; i < TRIES; i++) {
        for (int k = 0; k < scene->count; k++) {
            sac_scene_object *object = &scene->objects[k];
            sac_outline outline;
            sac_outline_of(object, &outline);
            float half_width = outline.width / 2, half_height = outline.height / 2;
            object->x = sac_rng_between(rng, margin + half_width, 1 - margin - half_width);
            object->y = sac_rng_between(rng, margin + half_height, 1 - margin - half_height);
            const float box[4] = {object->x - half_width, object->y - half_height,
                                  object->x + half_width, object->y + half_height};
            memcpy(object->box, box, sizeof box);
        }
        sort(scene);
        if (is_sentence_unambiguous(scene) && are_objects_distinguishable(scene))
            return true;
    }
    return false;
}

/* ---------------------------------------------------------------- scenes */

/* Draws all that is random in the picture once its objects are known. */
static void pick_picture_and_write_words(sac_rng *rng, bool varied, sac_scene *scene)
{
    do {
        while (!try_to_place_objects(rng, varied, scene))
            continue;
        for (int i = 0; i < scene->count;
             i++) { /* each is put in somewhere among those before it */
            int at = sac_rng_pick(rng, i + 1);
            for (int k = i; k > at; k--)
                scene->behind[k] = scene->behind[k - 1];
            scene->behind[at] = i;
        }
    } while (!ground_pick(rng, varied, scene));
    if (varied)
        pick_lens_effects(rng, scene);
    /* Fills words, word and object_of_word from the objects, which are in the order of mention. */
    scene->words = 0;
    for (int i = 0; i < scene->count; i++) {
        if (i == 1)
            write_relation(scene);
        else if (i > 1)
            append(scene, SAC_WORD_AND, -1);
        /* "a large red circle" */
        const sac_scene_object *object = &scene->objects[i];
        append(scene, SAC_WORD_A, i);
        append(scene, object->large ? SAC_WORD_LARGE : SAC_WORD_SMALL, i);
        append(scene,
               object->colour == SAC_UNNAMED ? SAC_WORD_PAD : SAC_WORD_COLOUR + object->colour, i);
        append(scene, object->shape == SAC_UNNAMED ? SAC_WORD_PAD : SAC_WORD_SHAPE + object->shape,
               i);
    }
    if (scene->count == 0)
        append(scene, SAC_WORD_NOTHING, -1);
    append(scene, SAC_WORD_END, -1);
    for (int i = scene->words; i < SAC_SCENE_WORDS; i++) {
        scene->word[i] = SAC_WORD_PAD;
        scene->object_of_word[i] = -1;
    }
}

void sac_scene_make(sac_stream stream, uint64_t seed, sac_scene *scene)
{
    sac_rng rng = sac_scene_rng(stream, seed, 0);
    *scene = (sac_scene){.stream = stream, .seed = seed};
    bool varied = look_is_varied(&rng, stream);
    pick_names(&rng, varied, scene);
    pick_picture_and_write_words(&rng, varied, scene);
}

void sac_scene_make_unnamed(sac_stream stream, uint64_t seed, sac_scene *scene)
{
    sac_rng rng = sac_scene_rng(stream, seed, SAC_RNG_PLACE_UNNAMED);
    *scene = (sac_scene){.stream = stream, .seed = seed};
    bool varied = look_is_varied(&rng, stream);
    pick_names(&rng, varied, scene);
    /* Two in five lose the word of their colour, two that of their shape. */
    for (int i = 0; i < scene->count; i++) {
        int lost = sac_rng_pick(&rng, 5);
        if (lost < 2)
            scene->objects[i].colour = SAC_UNNAMED;
        else if (lost < 4)
            scene->objects[i].shape = SAC_UNNAMED;
    }
    pick_picture_and_write_words(&rng, varied, scene);
}
