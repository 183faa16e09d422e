/* Arrays inside the library: what saccade.h does not show of them. */
#ifndef SAC_BASE_ARRAY_H
#define SAC_BASE_ARRAY_H

#include "saccade.h"

/* Checks that an array can be read: a known dtype, a rank of 0 to SAC_MAX_RANK, sizes whose product
 * can be addressed, and data unless it is empty. Fails with SAC_E_ARGUMENT or SAC_E_SHAPE. */
sac_status sac_array_check(const sac_array *array, sac_error *error);

/* The same of an array whose data may be NULL: its shape alone. */
sac_status sac_array_check_form(const sac_array *array, sac_error *error);

float sac_half_to_float(uint16_t half);     /* IEEE 754 binary16 */
uint16_t sac_float_to_half(float value);    /* the nearest, of two the even one */
float sac_bfloat_to_float(uint16_t bfloat); /* bfloat16 */
uint16_t sac_float_to_bfloat(float value);  /* as that to a half */

#endif
