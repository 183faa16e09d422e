/* The trained numbers of a model: named, in one buffer, with their gradients and the two moments of
 * Adam in buffers of the same layout. */
#ifndef SAC_NN_PARAMETERS_H
#define SAC_NN_PARAMETERS_H

#include "device/span.h"

#define SAC_PARAMETER_FLOATS 64 /* parameters begin at multiples of this; 0 lies between them */
#define SAC_NORM_SUMS 1024      /* the gradient's norm is first summed in so many parts */

typedef struct sac_parameter {
    char name[48]; /* "encoder.0.weight" */
    int rank;
    size_t shape[4];
    float spread; /* begins uniform in ±spread; 0: begins as `constant` */
    float constant;
    /* Filled by sac_parameters_create: */
    size_t count, at; /* floats, and where they begin in every buffer */
} sac_parameter;

typedef struct sac_parameters {
    sac_device *device;
    int count;
    sac_parameter *list;
    size_t floats;                             /* of all of them, with what lies between */
    sac_span values, gradients, first, second; /* the last three empty: not for training */
    sac_span norms;                            /* scratch of the gradient's norm */
} sac_parameters;

/* Copies `list`. Initial values by Philox from `seed`, the same on every device. */
sac_status sac_parameters_create(sac_device *device, const sac_parameter *list, int count,
                                 bool training, uint32_t seed, sac_parameters *parameters,
                                 sac_error *error);
void sac_parameters_destroy(sac_parameters *parameters); /* takes zeroed ones */
/* By name; assert()s that it is there: names are the program's, not the file's. */
sac_span sac_parameter_value(const sac_parameters *parameters, const char *name);
sac_span sac_parameter_gradient(const sac_parameters *parameters, const char *name);
sac_status sac_parameters_zero_gradients(sac_parameters *parameters, sac_error *error);

/* Every parameter must be there under its name, float32, in its very shape, and finite: else
 * SAC_E_FORMAT, SAC_E_SHAPE or SAC_E_VALUE with the name, and nothing changes. Where this was
 * created for training and the file has moments, they are held to the same, second moments also to
 * be at least 0; where it has none, they become 0. Names that nobody asks for are SAC_E_FORMAT,
 * unless they begin with "adam.". `path` is for the errors. */
sac_status sac_parameters_load(sac_parameters *parameters, const sac_arrays *file, const char *path,
                               sac_error *error);
/* Values, and with `moments` also "adam.first.NAME" and "adam.second.NAME". Atomic. metadata as in
 * sac_safetensors_save. */
sac_status sac_parameters_save(const sac_parameters *parameters, const char *path, bool moments,
                               const char *const *metadata, sac_error *error);

/* Adam (Kingma and Ba 2015), the gradient first brought to a norm of at most `clip` (0: as it is).
 * Zeroes the gradients afterwards. `step` counts from 1. Blocks once to read the norm, into *norm
 * (may be NULL). A norm that is not finite is SAC_E_VALUE and changes nothing. */
typedef struct sac_adam {
    float rate, beta1, beta2, epsilon, clip;
} sac_adam;
sac_status sac_adam_step(sac_parameters *parameters, const sac_adam *adam, size_t step, float *norm,
                         sac_error *error);

#endif
