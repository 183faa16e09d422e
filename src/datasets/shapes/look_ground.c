/* Random grounds that every object stands out from. */

#include <string.h>

#include "colours.h"
#include "look.h"

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
