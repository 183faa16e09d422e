/* Checks of one array of an input, and the error for two that do not fit each other. */
#ifndef SAC_ATTENTION_SPEC_CHECK_H
#define SAC_ATTENTION_SPEC_CHECK_H

#include "saccade.h"

#define SAC_SHAPE_TEXT 192 /* space for any shape as text */

/* An array under the name that files give it: "query", "score.W_q", … */
typedef struct sac_named_part {
    const char *name;
    const sac_array *array;
} sac_named_part;

/* SAC_E_SHAPE: "NAME: shape [2,3,9] does not fit OTHER [2,8,16]: WHY; TODO". */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
sac_status
sac_fail_misfit(sac_error *error, sac_named_part a, sac_named_part other, const char *remedy,
                const char *why_format, ...);

/* Checks for `least` to `most` dimensions, none of them empty, of a size that can be addressed; its
 * data may be NULL. `forms` ("[T,D] or [B,T,D]"): the valid shapes, for the error. */
sac_status sac_check_rank(sac_named_part a, int least, int most, const char *forms,
                          sac_error *error);
/* SAC_E_VALUE: row `row` of [B,H,Tq] has scores that float32 does not hold. */
sac_status sac_fail_score_overflow(const sac_attention_shape *shape, size_t row, sac_error *error);

/* Finite values of a float mask beyond ±this count as ±this. */
#define SAC_MOST_BIAS 1e38

/* A boolean mask: bool, or uint8 that may hold 0 and 1 alone, which sac_check_bools sees to. */
bool sac_is_boolean(const sac_array *mask);
/* SAC_E_ARGUMENT, with `remedy`, where bytes are neither 0 nor 1. */
sac_status sac_check_bools(sac_named_part a, const char *remedy, sac_error *error);
/* NaN and infinities are refused, but for −inf where a mask may block with it. */
sac_status sac_check_finite(sac_named_part a, bool allow_minus_infinity, sac_error *error);
/* sac_check_rank without an error text. The values are not read. */
sac_status sac_check_numbers(sac_named_part a, int least, int most, const char *forms,
                             sac_error *error);

#endif
