/* The weights of one source less those of another, as a source: two files, one file on two devices, two
 * layers or heads. */
#ifndef SAC_SOURCES_DIFFERENCE_H
#define SAC_SOURCES_DIFFERENCE_H

#include "sources/source.h"

/* All of a source, one layer of it, or one head. */
typedef struct sac_difference_part {
    bool one_layer, one_head;
    size_t layer, head;
} sac_difference_part;
/* "3,4": two layers; "3.5,4.1": two heads. SAC_E_ARGUMENT where the text is neither. */
sac_status sac_difference_parts_read(const char *text, sac_difference_part parts[2],
                                     sac_error *error);

/* What is called so of each side, in the difference's `weights.side_names`. */
typedef struct sac_difference_sides {
    sac_source *first, *second;   /* from malloc, taken over in any case; second NULL: the first */
    const char *names[2];         /* copied; NULL: the source's title */
    sac_difference_part parts[2]; /* zeroed: all of them */
} sac_difference_sides;

/* Weights of the second less those of the first: `difference`, zeroed, has one of each for each layer,
 * item, head, query and key. SAC_E_SHAPE where sizes differ, SAC_E_VALUE where the tokens do. Free with
 * sac_source_destroy. */
sac_status sac_difference_open(const sac_difference_sides *sides, sac_source *difference,
                               sac_error *error);
/* Side 0 or 1 of one; lent. Its words are the difference's. */
const sac_source *sac_difference_side(const sac_source *difference, int side);
/* The same demands on two sources that are compared as wholes. */
sac_status sac_difference_check(const sac_source *first, const sac_source *second,
                                sac_error *error);

#endif
