/* How objects look: sizes, angles, forms and fills, from one table for each style. */
#include <string.h>

#include "colours.h"
#include "look.h"
#include "outline.h"

typedef struct range {
    float from, to;
} range;

static float between(sac_rng *rng, range r)
{
    return sac_rng_between(rng, r.from, r.to);
}

/* An index into shares in per cent, which sum to 100. */
static int pick_share(sac_rng *rng, const uint8_t *percent)
{
    int left = sac_rng_pick(rng, 100), index = 0;
    while (left >= percent[index])
        left -= percent[index++];
    return index;
}

bool sac_look_is_varied(sac_rng *rng, sac_stream stream)
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

static void pick_plain(sac_rng *rng, sac_scene_object *object)
{
    static const range small = {0.16f, 0.215f}, large = {0.3f, 0.41f};
    bool named = object->shape != SAC_UNNAMED;
    float most = named ? most_turned[object->shape] : 3.1415f;
    sac_colour_pick(rng, object->colour, false, object->rgb);
    object->fill = SAC_FILL_SOLID;
    object->size = between(rng, object->large ? large : small);
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
    return pick_share(rng, percent);
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
static void pick_varied(sac_rng *rng, sac_fill fill, sac_scene_object *object)
{
    sac_colour_pick(rng, object->colour, true, object->rgb);
    object->form = object->shape == SAC_UNNAMED ? 0 : between(rng, forms[object->shape]);
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
    float line = between(rng, sac_rng_pick(rng, 2) ? thin : thick);
    object->line = line < 0.17f * object->size ? line : 0.17f * object->size;
    object->stroke = sac_rng_between(rng, 0.018f, 0.05f);
    object->slant = sac_rng_between(rng, -3.1415f, 3.1415f);
    if (object->fill == SAC_FILL_HATCHED && sac_rng_pick(rng, 2))
        object->line = 0;
    if (object->stroke > 0.2f * object->size)
        object->stroke = 0.2f * object->size;
    static const uint8_t percent[] = {50, 22, 28};
    int kind = pick_share(rng, percent);
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

/* Most scenes have one kind of fill, small objects of one kind of smallness, and one hand, as
 * drawings have. */
void sac_look_pick(sac_rng *rng, bool varied, sac_scene *scene)
{
    static const uint8_t fills[] = {46, 10, 0, 12, 18, 14}; /* in the order of sac_fill */
    if (!varied) {
        for (int i = 0; i < scene->count; i++)
            pick_plain(rng, &scene->objects[i]);
        return;
    }
    sac_fill fill = (sac_fill)pick_share(rng, fills);
    int smallness = pick_smallness(rng);
    bool mixed = sac_rng_pick(rng, 4) == 0, wobbly = sac_rng_pick(rng, 100) < 22;
    float wobble = wobbly ? sac_rng_between(rng, 0.005f, 0.045f) : 0;
    for (int i = 0; i < scene->count; i++) {
        sac_scene_object *object = &scene->objects[i];
        fill = mixed ? (sac_fill)pick_share(rng, fills) : fill;
        smallness = mixed ? pick_smallness(rng) : smallness;
        static const range smalls[] = {{0.045f, 0.1f}, {0.1f, 0.16f}, {0.14f, 0.22f}};
        object->size =
            between(rng, object->large ? (range){0.29f, largest[scene->count]} : smalls[smallness]);
        object->wobble = wobble;
        pick_varied(rng, fill, object);
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

void sac_lens_pick(sac_rng *rng, sac_scene *scene)
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
static double distance_from(const sac_scene_object *object, const uint8_t tone[3])
{
    double first = sac_colour_distance(object->rgb, tone), second = first;
    if (object->fill == SAC_FILL_STRIPED)
        second = sac_colour_distance(object->second_rgb, tone);
    return first < second ? first : second;
}

static bool stands_out_from(const sac_scene *scene, double wanted, const uint8_t tone[3])
{
    double least = is_white(tone) && wanted > contrast_white ? contrast_white : wanted;
    for (int i = 0; i < scene->count; i++)
        if (distance_from(&scene->objects[i], tone) < least)
            return false;
    return true;
}

/* True where the tones between the two are seen as well. */
static bool is_graded(const sac_scene *scene)
{
    return scene->ground == SAC_GROUND_GRADED || scene->ground == SAC_GROUND_RADIAL;
}

/* Every object stands out by `wanted` from every tone of the ground; thin lines do not matter. */
static bool stands_out(const sac_scene *scene, double wanted)
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
        if (!stands_out_from(scene, wanted, tone))
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------- tones */

/* A tone that is a little lighter or darker than the first. */
static void take_weak(sac_rng *rng, uint8_t tones[2][3])
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
static void take_other(sac_rng *rng, bool far, uint8_t tones[2][3])
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

bool sac_ground_pick(sac_rng *rng, bool varied, sac_scene *scene)
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
            take_weak(rng, tones);
        else if (scene->ground >= SAC_GROUND_RULED)
            take_other(rng, pattern == STRONG, tones);
        if (stands_out(scene, pattern == STRONG ? contrast_strong : contrast))
            return true;
    }
    return false;
}
