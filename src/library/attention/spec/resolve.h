/* The values that a spec leaves to its defaults, once sac_attention_resolve has accepted it. */
#ifndef SAC_ATTENTION_SPEC_RESOLVE_H
#define SAC_ATTENTION_SPEC_RESOLVE_H

#include "saccade.h"

/* The factor on the raw score: spec->scale where that is used, else the score's own: 1/sqrt(d) for
 * scaled-dot, 1/(dq·dk)^(1/4) for bilinear, 1 for the others. Sizes of one head. */
double sac_attention_scale(const sac_attention_spec *spec, size_t query_dim, size_t key_dim);

/* The factor between a kernel's raw score and the natural logit; the gaussian's raw is −‖q − k‖².
 */
double sac_raw_scale(const sac_attention_spec *spec, const sac_attention_shape *shape);

/* A scaled score, capped by spec->softcap unless that is 0, and the derivative of that. */
double sac_capped_score(const sac_attention_spec *spec, double score);
double sac_capped_derivative(const sac_attention_spec *spec, double score);

/* 1/h of the gaussian score, which multiplies the distance. */
double sac_attention_inverse_width(const sac_attention_spec *spec);

/* Where query 0 stands among the keys, for causal masks and windows: below 0 where it is before all
 * of them. */
ptrdiff_t sac_attention_offset(const sac_attention_spec *spec, size_t queries, size_t keys);

/* Inputs of [B,H,T,d] come split into heads; [T,D] and [B,T,D] are split here. */
bool sac_attention_is_split(const sac_attention_input *input);

/* The first half of sac_attention_resolve: checks sizes and types of spec and arrays, and fills
 * *shape. It reads no values and costs next to nothing. */
sac_status sac_attention_check_sizes(const sac_attention_spec *spec,
                                     const sac_attention_input *input, sac_attention_shape *shape,
                                     sac_error *error);
/* The numbers: every array that is used is read once. With `later`, query, key, value and masks
 * without data are skipped, as their numbers come later; no other array may be without. */
sac_status sac_attention_check_numbers(const sac_attention_spec *spec,
                                       const sac_attention_input *input, bool later,
                                       sac_error *error);
/* The same where all are there. */
sac_status sac_attention_check_values(const sac_attention_spec *spec,
                                      const sac_attention_input *input, sac_error *error);

/* The first check of sac_attention_check_sizes: numbers of the spec that make no sense by
 * themselves, before there is an input. SAC_E_ARGUMENT, naming the field. */
sac_status sac_attention_check_spec(const sac_attention_spec *spec, sac_error *error);

#endif
