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

/* The arrays that have a gradient; a bias follows its weight. */
typedef enum sac_gradient {
    SAC_D_QUERY,
    SAC_D_KEY,
    SAC_D_VALUE,
    SAC_D_W_Q,
    SAC_D_W_K,
    SAC_D_W_V,
    SAC_D_W_QK,
    SAC_D_Q_PROJ,
    SAC_D_Q_BIAS,
    SAC_D_K_PROJ,
    SAC_D_K_BIAS,
    SAC_D_V_PROJ,
    SAC_D_V_BIAS,
    SAC_D_OUT_PROJ,
    SAC_D_OUT_BIAS,
    SAC_D_LOG_SCALE,
    SAC_D_SINKS,
    SAC_GRADIENT_COUNT
} sac_gradient;

/* What the numbers of an input are for. */
typedef enum sac_input_role {
    SAC_INPUT_VECTORS = 0,
    SAC_INPUT_HIDDEN,  /* weights of an additive score … */
    SAC_INPUT_BETWEEN, /* … and of one between queries and keys */
    SAC_INPUT_PROJECTION,
    SAC_INPUT_VALUES, /* layers of the value, … */
    SAC_INPUT_OUTPUT, /* … and behind the heads: used where there is an output alone */
    SAC_INPUT_SINKS
} sac_input_role;

/* The arrays of numbers of an input, by the names that files and errors give them: those that have a
 * gradient, in the order of sac_gradient, then the others. */
typedef struct sac_input_part {
    const char *name;
    sac_input_role role;
    size_t input, gradient; /* places in sac_attention_input, and in sac_attention_gradients */
} sac_input_part;
enum { SAC_INPUT_PARTS = SAC_GRADIENT_COUNT + 2 };
extern const sac_input_part sac_input_parts[SAC_INPUT_PARTS];

static inline const sac_array *sac_input_array(const sac_attention_input *input, int part)
{
    return *(const sac_array *const *)((const char *)input + sac_input_parts[part].input);
}

/* Inputs of [B,H,T,d] come split into heads; [T,D] and [B,T,D] are split here. */
bool sac_attention_is_split(const sac_attention_input *input);

/* The first half of sac_attention_resolve: checks sizes and types of spec and arrays, and fills
 * *shape. It reads no values and costs next to nothing. */
sac_status sac_attention_check_sizes(const sac_attention_spec *spec,
                                     const sac_attention_input *input, sac_attention_shape *shape,
                                     sac_error *error);
/* The numbers: every array that is used is read once. With `later`, query, key, value and masks
 * without data are skipped, as their numbers come later; no other array may be without. */
sac_status sac_attention_check_finite(const sac_attention_spec *spec,
                                      const sac_attention_input *input, bool later,
                                      sac_error *error);
/* The same where all are there. */
sac_status sac_attention_check_values(const sac_attention_spec *spec,
                                      const sac_attention_input *input, sac_error *error);

/* The first check of sac_attention_check_sizes: numbers of the spec that make no sense by
 * themselves, before there is an input. SAC_E_ARGUMENT, naming the field. */
sac_status sac_attention_check_spec(const sac_attention_spec *spec, sac_error *error);

#endif
