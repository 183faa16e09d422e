/* Tones of objects and grounds in CIELAB, and the colour words that cover them. */

#include "colours.h"

#include <math.h>
#include <pthread.h>

/* ---------------------------------------------------------------- words */

enum { ANCHORS = 10, PLAIN_ANCHORS = 4 };

/* Each word covers the colours between these anchors and none of another word's. The first four are
 * those of plain scenes. */
static const uint8_t anchors[SAC_COLOURS][ANCHORS][3] = {
    {{255, 0, 0},
     {176, 16, 32},
     {224, 36, 36},
     {200, 0, 0},
     {244, 67, 54},
     {214, 39, 40}, /* red */
     {192, 0, 0},
     {201, 26, 9},
     {229, 57, 53},
     {220, 20, 60}},
    {{255, 165, 0},
     {240, 128, 32},
     {255, 140, 0},
     {245, 150, 40},
     {255, 127, 14}, /* orange */
     {255, 152, 0},
     {237, 125, 49},
     {254, 138, 24},
     {214, 121, 35},
     {245, 124, 0}},
    {{255, 255, 0},
     {232, 200, 32},
     {255, 230, 0},
     {245, 225, 60},
     {255, 235, 59}, /* yellow */
     {255, 192, 0},
     {242, 205, 55},
     {250, 200, 10},
     {255, 215, 0},
     {253, 216, 53}},
    {{0, 128, 0},
     {0, 192, 0},
     {48, 160, 80},
     {10, 235, 10},
     {76, 175, 80},
     {44, 160, 44}, /* green */
     {112, 173, 71},
     {0, 255, 0},
     {35, 120, 65},
     {0, 176, 80}},
    {{0, 0, 255},
     {32, 64, 160},
     {48, 112, 224},
     {24, 24, 176},
     {33, 150, 243},
     {31, 119, 180}, /* blue */
     {0, 112, 192},
     {68, 114, 196},
     {0, 85, 191},
     {0, 32, 96}},
    {{128, 0, 128},
     {144, 48, 192},
     {160, 32, 240},
     {112, 16, 144},
     {156, 39, 176}, /* purple */
     {148, 103, 189},
     {112, 48, 160},
     {129, 0, 123},
     {103, 58, 183},
     {68, 26, 145}},
    {{255, 255, 255},
     {239, 239, 239},
     {250, 250, 250},
     {246, 246, 246},
     {244, 244, 244}, /* white */
     {242, 243, 242},
     {255, 255, 255},
     {236, 240, 241},
     {248, 249, 250},
     {255, 253, 248}},
    {{0, 0, 0},
     {31, 31, 31},
     {10, 10, 10},
     {20, 20, 20},
     {33, 33, 33},
     {5, 19, 29}, /* black */
     {0, 0, 0},
     {24, 36, 46},
     {26, 26, 26},
     {36, 36, 36}},
};

static uint8_t byte_of(float value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5f);
}

/* A channel's part in a hue of 0 … 6, from 0 to 1: a trapezoid around the channel's own hue. */
static float hue_channel_share(float hue, int channel)
{
    float away = hue - (float)(2 * channel);
    away = away < 0 ? -away : away;
    away = away > 3 ? 6 - away : away;
    return away < 1 ? 1 : away > 2 ? 0 : 2 - away;
}

static void rgb_from_hsv(float hue, float saturation, float value, uint8_t rgb[3])
{
    for (int k = 0; k < 3; k++)
        rgb[k] = byte_of(255 * value * (1 - saturation * (1 - hue_channel_share(hue, k))));
}

/* Lime, cyan, pink, grey, pale and brown. */
static void pick_unnamed(sac_rng *rng, uint8_t rgb[3])
{
    static const float kinds[][6] = {
        /* hue (red 0, green 2, blue 4), saturation, value: from and to */
        {1.2f, 1.57f, 0.5f, 1, 0.4f, 1}, {2.6f, 3.4f, 0.4f, 1, 0.4f, 1},
        {5.3f, 5.75f, 0.4f, 1, 0.4f, 1}, {0, 0, 0, 0, 0.25f, 0.8f},
        {0, 6, 0.1f, 0.4f, 0.35f, 0.9f}, {0.08f, 0.75f, 0.5f, 0.9f, 0.25f, 0.55f},
    };
    const float *kind = kinds[sac_rng_pick(rng, (int)(sizeof kinds / sizeof *kinds))];
    float hue = sac_rng_between(rng, kind[0], kind[1]);
    float saturation = sac_rng_between(rng, kind[2], kind[3]);
    rgb_from_hsv(hue, saturation, sac_rng_between(rng, kind[4], kind[5]), rgb);
}

/* ---------------------------------------------------------------- tones */

sac_tone sac_tone_pick(sac_rng *rng)
{
    static const uint8_t percent[] = {12, 8, 16, 36, 18, 10}; /* in the order of sac_tone */
    int left = sac_rng_pick(rng, 100), tone = 0;
    while (left >= percent[tone])
        left -= percent[tone++];
    return (sac_tone)tone;
}

void sac_tone_colour(sac_rng *rng, sac_tone tone, uint8_t rgb[3])
{
    static const float ranges[][4] = {
        /* saturation and value, from and to */
        [SAC_TONE_WHITE] = {0, 0.01f, 0.96f, 1},
        [SAC_TONE_BLACK] = {0, 0.2f, 0, 0.09f},
        [SAC_TONE_GREY] = {0, 0.06f, 0.25f, 0.9f},
        [SAC_TONE_PASTEL] = {0.08f, 0.32f, 0.82f, 1},
        [SAC_TONE_DARK] = {0.25f, 0.65f, 0.15f, 0.38f},
        [SAC_TONE_SATURATED] = {0.45f, 0.95f, 0.45f, 0.95f},
    };
    const float *range = ranges[tone];
    float hue = sac_rng_between(rng, 0, 6);
    float saturation = sac_rng_between(rng, range[0], range[1]);
    float value = sac_rng_between(rng, range[2], range[3]);
    if (tone == SAC_TONE_WHITE && sac_rng_pick(rng, 2))
        value = 1, saturation = 0; /* paper, as in most programs */
    rgb_from_hsv(hue, saturation, value, rgb);
}

/* ---------------------------------------------------------------- distance */

/* sRGB's transfer curve to about 0.002, by a polynomial. */
static double srgb_to_linear(uint8_t byte)
{
    double c = byte / 255.0;
    return c * (c * (c * 0.305306011 + 0.682171111) + 0.012522878);
}

/* Cube root of 0 … 1 by Halley's method. */
static double cube_root(double x)
{
    double y = 0.25 + 0.75 * x;
    for (int i = 0; i < 9; i++) {
        double cube = y * y * y;
        y = y * (cube + 2 * x) / (2 * cube + x + 1e-12);
    }
    return y;
}

/* OKLab's lightness with the toe of Ottosson's "Okhsv" (2021), without which two darks seem further
 * apart than they look. */
static double lightness(double l)
{
    const double k1 = 0.206, k2 = 0.03, k3 = (1 + k1) / (1 + k2);
    double raised = k3 * l - k1;
    return 0.5 * (raised + sqrt(raised * raised + 4 * k2 * k3 * l));
}

static void lab_of(const uint8_t rgb[3], double lab[3])
{
    double r = srgb_to_linear(rgb[0]), g = srgb_to_linear(rgb[1]), b = srgb_to_linear(rgb[2]);
    double l = cube_root(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    double m = cube_root(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    double s = cube_root(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    lab[0] = lightness(0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s);
    lab[1] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
    lab[2] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
}

static double distance_of(const double a[3], const double b[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

double sac_colour_distance(const uint8_t a[3], const uint8_t b[3])
{
    double first[3], second[3];
    lab_of(a, first);
    lab_of(b, second);
    return distance_of(first, second);
}

/* ---------------------------------------------------------------- picking */

/* What each word covers, in OKLab: its anchors, and the middles from each to the next. Computed
 * once: where it was for each colour, it took a third of the time in which a scene is made. */
static double covered[SAC_COLOURS][2 * ANCHORS][3];

static void fill_word_colours(void)
{
    for (int colour = 0; colour < SAC_COLOURS; colour++)
        for (int i = 0; i < 2 * ANCHORS; i++) {
            const uint8_t *a = anchors[colour][i / 2], *b = anchors[colour][(i + 1) / 2 % ANCHORS];
            uint8_t middle[3];
            for (int k = 0; k < 3; k++)
                middle[k] = (uint8_t)((a[k] + b[k]) / 2);
            lab_of(middle, covered[colour][i]);
        }
}

static double distance_to_word(const double lab[3], int colour)
{
    double least = 10;
    for (int i = 0; i < 2 * ANCHORS; i++) {
        double distance = distance_of(lab, covered[colour][i]);
        least = distance < least ? distance : least;
    }
    return least;
}

static int nearest_colour_word(const uint8_t rgb[3], double *distance)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    double lab[3];
    int nearest = 0;
    pthread_once(&once, fill_word_colours);
    *distance = 10;
    lab_of(rgb, lab);
    for (int colour = 0; colour < SAC_COLOURS; colour++) {
        double to = distance_to_word(lab, colour);
        nearest = to < *distance ? colour : nearest;
        *distance = to < *distance ? to : *distance;
    }
    return nearest;
}

static void pick_named(sac_rng *rng, int colour, bool wide, uint8_t rgb[3])
{
    int count = wide ? ANCHORS : PLAIN_ANCHORS;
    const uint8_t *a = anchors[colour][sac_rng_pick(rng, count)];
    const uint8_t *b = anchors[colour][sac_rng_pick(rng, count)];
    float share = sac_rng_between(rng, 0, 1);
    bool pure = sac_rng_pick(rng, 5) == 0; /* as other programs draw: #ff0000 and its like */
    for (int k = 0; k < 3; k++) {
        float jitter = sac_rng_between(rng, -4, 4);
        float mixed = (float)a[k] + share * ((float)b[k] - (float)a[k]) + jitter;
        const uint8_t *known = wide ? a : anchors[colour][0];
        rgb[k] = pure ? known[k] : byte_of(mixed);
    }
}

/* Near a colour that has a word: what is nearly orange shows that an orange diamond is a diamond.
 */
static void pick_near_named(sac_rng *rng, uint8_t rgb[3])
{
    pick_named(rng, sac_rng_pick(rng, SAC_COLOURS), true, rgb);
    for (int k = 0; k < 3; k++)
        rgb[k] = byte_of((float)rgb[k] + sac_rng_between(rng, -64, 64));
}

void sac_colour_pick(sac_rng *rng, int colour, bool wide, uint8_t rgb[3])
{
    const double least = 0.09; /* what lies between anchors is nearly always less far away */
    double distance;
    if (colour != SAC_UNNAMED) {
        pick_named(rng, colour, wide, rgb);
        return;
    }
    bool is_near = sac_rng_pick(rng, 3) > 0;
    do {
        if (is_near)
            pick_near_named(rng, rgb);
        else
            pick_unnamed(rng, rgb);
        nearest_colour_word(rgb, &distance);
    } while (distance < least); /* an unnamed red star would be a pair that is held back */
}
