/* Colours that each colour word covers, tones of grounds, and distances between colours. */
#ifndef SAC_SHAPES_COLOURS_H
#define SAC_SHAPES_COLOURS_H

#include "shapes/rng_places.h"

/* Draws a colour that people would name with this word only: `colour` 0 … SAC_COLOURS − 1; for
 * SAC_UNNAMED one that is far from all of them. `wide`: also colours of other programs' palettes
 * (Material, tab10, X11, Lego, Excel). */
void sac_colour_pick(sac_rng *rng, int colour, bool wide, uint8_t rgb[3]);

typedef enum sac_tone {
    SAC_TONE_WHITE = 0,
    SAC_TONE_BLACK,
    SAC_TONE_GREY,
    SAC_TONE_PASTEL,
    SAC_TONE_DARK,
    SAC_TONE_SATURATED
} sac_tone;

/* A kind of tone, some oftener than others. */
sac_tone sac_tone_pick(sac_rng *rng);
/* A tone of that kind. */
void sac_tone_colour(sac_rng *rng, sac_tone tone, uint8_t rgb[3]);

/* Distance in OKLab (Ottosson 2020), its lightness as it looks: black to white is 1. Free of libm.
 */
double sac_colour_distance(const uint8_t a[3], const uint8_t b[3]);

#endif
