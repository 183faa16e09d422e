/* The colours that the words of the picture book cover. */
#ifndef SAC_BOOK_COLOURS_H
#define SAC_BOOK_COLOURS_H

#include "base/random/rng.h"
#include "book/nouns/nouns.h"

/* Colours that sentences name with a noun, one bit each; 0: the colour is not mentioned. */
unsigned sac_noun_colours(sac_noun noun);
/* A colour of those bits. */
int sac_colour_pick_from_bits(sac_rng *rng, unsigned bits);
/* A tone that the word covers, 0 … 1. */
void sac_book_colour(sac_rng *rng, int colour, float rgb[3]);
/* A tone that none of the words covers, nor comes near. */
void sac_unnamed_colour(sac_rng *rng, float rgb[3]);
/* A tone of clothes and bows, which captions do not mention. */
void sac_accent_colour(sac_rng *rng, float rgb[3]);
/* The usual tone of a noun whose colour is not mentioned. */
void sac_natural_colour(sac_rng *rng, sac_noun noun, float rgb[3]);

#endif
