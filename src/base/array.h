/* What the library itself needs of arrays beyond saccade.h. */
#ifndef SAC_BASE_ARRAY_H
#define SAC_BASE_ARRAY_H

#include "saccade.h"

float sac_half_to_float(uint16_t half);     /* IEEE 754 binary16 */
float sac_bfloat_to_float(uint16_t bfloat); /* the upper half of a float32 */

#endif
