/* Colours of the picture book: soft tones that keep their names at night and at sunset. */

#include "colours.h"

#include <math.h>

/* Two ends of what each word covers. */
static const uint8_t tones[SAC_BOOK_COLOURS][2][3] = {
    [SAC_RED] = {{222, 64, 62}, {200, 44, 52}},
    [SAC_ORANGE] = {{243, 140, 52}, {234, 118, 36}},
    [SAC_YELLOW] = {{250, 214, 84}, {244, 200, 60}},
    [SAC_GREEN] = {{96, 172, 88}, {66, 148, 84}},
    [SAC_BLUE] = {{78, 132, 210}, {56, 104, 190}},
    [SAC_PURPLE] = {{142, 96, 184}, {118, 76, 164}},
    [SAC_PINK] = {{245, 146, 188}, {238, 118, 170}},
    [SAC_WHITE] = {{250, 249, 246}, {240, 240, 240}},
    [SAC_BLACK] = {{66, 62, 72}, {50, 46, 58}},
    [SAC_BROWN] = {{150, 102, 68}, {128, 84, 56}},
    [SAC_GREY] = {{164, 168, 176}, {142, 146, 156}},
};

#define BIT(colour) (1u << SAC_##colour)

enum {
    GAY = BIT(RED) | BIT(ORANGE) | BIT(YELLOW) | BIT(GREEN) | BIT(BLUE) | BIT(PURPLE) | BIT(PINK) |
          BIT(WHITE),
    FURS = BIT(WHITE) | BIT(BLACK) | BIT(BROWN) | BIT(GREY) | BIT(ORANGE)
};

static const uint16_t colours_of[SAC_NOUNS] = {
    [SAC_CLOUD] = BIT(WHITE) | BIT(GREY) | BIT(PINK),
    [SAC_PLANE] = GAY,
    [SAC_ROCKET] = GAY & ~(unsigned)BIT(WHITE),
    [SAC_KITE] = GAY & ~(unsigned)BIT(WHITE),
    [SAC_BALLOON] = GAY,
    [SAC_FLOWER] = GAY & ~(unsigned)BIT(GREEN),
    [SAC_MUSHROOM] = BIT(RED) | BIT(BROWN) | BIT(ORANGE) | BIT(PURPLE),
    [SAC_APPLE] = BIT(RED) | BIT(YELLOW) | BIT(ORANGE),
    [SAC_HOUSE] = GAY,
    [SAC_TENT] = GAY & ~(unsigned)BIT(WHITE),
    [SAC_CAR] = GAY | BIT(BLACK),
    [SAC_BUS] = GAY,
    [SAC_TRUCK] = GAY & ~(unsigned)BIT(WHITE),
    [SAC_TRAIN] = GAY & ~(unsigned)BIT(WHITE),
    [SAC_BOAT] = GAY,
    [SAC_BIRD] = GAY | BIT(BLACK) | BIT(BROWN),
    [SAC_FISH] = GAY & ~(unsigned)BIT(BLUE),
    [SAC_CAT] = FURS,
    [SAC_DOG] = FURS & ~(unsigned)BIT(ORANGE),
    [SAC_RABBIT] = FURS & ~(unsigned)(BIT(ORANGE) | BIT(BLACK)),
    [SAC_DUCK] = BIT(WHITE) | BIT(YELLOW) | BIT(BROWN) | BIT(GREY),
    [SAC_COW] = BIT(WHITE) | BIT(BROWN),
    [SAC_BUTTERFLY] = GAY & ~(unsigned)BIT(GREEN),
    [SAC_BALL] = GAY & ~(unsigned)BIT(WHITE),
    [SAC_UMBRELLA] = GAY & ~(unsigned)BIT(WHITE),
};

unsigned sac_noun_colours(sac_noun noun)
{
    return noun < SAC_NOUNS ? colours_of[noun] : 0; /* snow and rain */
}

int sac_colour_pick_from_bits(sac_rng *rng, unsigned bits)
{
    int colour;
    do
        colour = sac_rng_pick(rng, SAC_BOOK_COLOURS);
    while (!(bits >> colour & 1));
    return colour;
}

static void draw_mixed_colour(sac_rng *rng, const uint8_t a[3], const uint8_t b[3], float rgb[3])
{
    float share = sac_rng_between(rng, 0, 1);
    for (int k = 0; k < 3; k++)
        rgb[k] = ((float)a[k] + share * ((float)b[k] - (float)a[k])) / 255;
}

void sac_book_colour(sac_rng *rng, int colour, float rgb[3])
{
    draw_mixed_colour(rng, tones[colour][0], tones[colour][1], rgb);
}

/* The squared distance from `rgb` to the tones that a word covers, in sRGB. */
static float distance_to_word(const float rgb[3], int colour)
{
    float along = 0, length = 0, distance = 0;
    for (int k = 0; k < 3; k++) {
        float from = (float)tones[colour][0][k] / 255, to = (float)tones[colour][1][k] / 255;
        along += (rgb[k] - from) * (to - from);
        length += (to - from) * (to - from);
    }
    float share = along <= 0 ? 0 : along >= length ? 1 : along / length;
    for (int k = 0; k < 3; k++) {
        float from = (float)tones[colour][0][k] / 255, to = (float)tones[colour][1][k] / 255;
        float away = rgb[k] - (from + share * (to - from));
        distance += away * away;
    }
    return distance;
}

static bool is_named_by_a_word(const float rgb[3])
{
    const float apart = 0.14f;
    for (int colour = 0; colour < SAC_BOOK_COLOURS; colour++)
        if (distance_to_word(rgb, colour) < apart * apart)
            return true;
    return false;
}

/* Half of the tones are near those of words: what is nearly black is no black dog, and still shows
 * that a dark dog is a dog. */
void sac_unnamed_colour(sac_rng *rng, float rgb[3])
{
    bool is_near = sac_rng_pick(rng, 2);
    do {
        if (is_near)
            sac_book_colour(rng, sac_rng_pick(rng, SAC_BOOK_COLOURS), rgb);
        for (int k = 0; k < 3; k++)
            rgb[k] = is_near ? fminf(fmaxf(rgb[k] + sac_rng_between(rng, -0.25f, 0.25f), 0), 1)
                             : sac_rng_between(rng, 0.1f, 1);
    } while (is_named_by_a_word(rgb));
}

void sac_accent_colour(sac_rng *rng, float rgb[3])
{
    static const uint8_t clothes[][3] = {{92, 164, 178},  {236, 178, 92},  {206, 104, 104},
                                         {140, 178, 110}, {128, 126, 190}, {232, 152, 168}};
    int tone = sac_rng_pick(rng, (int)(sizeof clothes / sizeof *clothes));
    draw_mixed_colour(rng, clothes[tone], clothes[tone], rgb);
}

void sac_natural_colour(sac_rng *rng, sac_noun noun, float rgb[3])
{
    static const uint8_t pig[2][3] = {{248, 182, 184}, {242, 166, 172}};
    static const uint8_t whale[2][3] = {{104, 142, 186}, {88, 122, 168}};
    static const uint8_t fleece[2][3] = {{250, 246, 236}, {240, 234, 222}};
    const uint8_t(*tone)[3] = noun == SAC_PIG ? pig : noun == SAC_WHALE ? whale : fleece;
    draw_mixed_colour(rng, tone[0], tone[1], rgb);
}
