/* Distinguishes photographs from pictures of a dataset, in which more neighbouring pixels are alike. */
#ifndef SAC_CAPTIONER_PHOTOGRAPH_H
#define SAC_CAPTIONER_PHOTOGRAPH_H

#include "datasets/dataset.h"
#include "images/image.h"

/* The part of a square of `side` that a picture takes, in the middle: [x0,x1) × [y0,y1). */
typedef struct sac_square_part {
    int x0, y0, x1, y1;
} sac_square_part;
sac_square_part sac_picture_in_square(const sac_image *picture, int side);

/* True of what has more detail than the pictures of the dataset, and is not drawn all the same
 * (below). SAC_E_MEMORY, SAC_E_CANCELLED. */
sac_status sac_is_photograph(const sac_image *picture, const sac_dataset *dataset, bool *photograph,
                             sac_error *error);
/* Fills what lies outside of the picture in its square with a pattern that is no picture's. */
void sac_veil_outside(const sac_image *picture, sac_image *square);

/* Wide parts of a drawing have one colour, to the last bit or, saved as JPEG, nearly, as no
 * photograph's have. True of a picture that is flat nearly everywhere, or whose ground is checked in two colours, as
 * JPEG too. Other drawings may be neither. SAC_E_MEMORY, SAC_E_CANCELLED. */
sac_status sac_is_drawn(const sac_image *picture, bool *drawn, sac_error *error);

/* True of what shows nothing: all of one tone or nearly, whether photographed or drawn, and of what is
 * drawn as above. SAC_E_MEMORY, SAC_E_CANCELLED. */
sac_status sac_shows_nothing(const sac_image *picture, bool *nothing, sac_error *error);

#endif
