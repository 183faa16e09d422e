/* Is a picture drawn? Wide parts of a drawing have one colour, to the last bit or, saved as JPEG,
 * nearly, as no photograph's have. */
#ifndef SAC_CAPTIONER_DRAWN_H
#define SAC_CAPTIONER_DRAWN_H

#include "images/image.h"

/* True of a picture that is flat nearly everywhere, or whose ground is checked in two colours, as
 * JPEG too. Other drawings may be neither. SAC_E_MEMORY, SAC_E_CANCELLED. */
sac_status sac_is_drawn(const sac_image *picture, bool *drawn, sac_error *error);

#endif
