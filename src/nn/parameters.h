/* The trained numbers of a model: named, in one buffer, with their gradients and the two moments of
 * Adam in buffers of the same layout. */
#ifndef SAC_NN_PARAMETERS_H
#define SAC_NN_PARAMETERS_H

#include "nn/tensor.h"
#include "saccade_arrays.h"

#define SAC_PARAMETER_FLOATS 64 /* parameters begin at multiples of this; the gaps hold 0 */
#define SAC_CURVES                                                                                 \
    "curve." /* in files, arrays that are no parameters but the course of a training */
#define SAC_NORM_SUMS 1024 /* the gradient's norm is first summed in so many parts */

/* The initial values of a parameter: uniform in ±bound, or where that is 0 all `constant`. */
typedef struct sac_init {
    float bound, constant;
} sac_init;
sac_init sac_init_constant(float value);
sac_init sac_init_uniform(float bound);
sac_init sac_init_uniform_std(float deviation); /* uniform with this standard deviation */
sac_init sac_init_he(size_t in); /* He et al. 2015: keeps the variance through layers of ReLU */

/* An adapter of low rank (Hu et al. 2021, "LoRA"): layers multiply by W + scale · B A, of which A [r,in] and
 * B [out,r] learn while W [out,in] stays as it is. */
typedef struct sac_low_rank {
    const struct sac_parameter *a, *b;
    float scale;
} sac_low_rank;

/* Bounds of what a linear layer takes and of what it gives: each the lower one and the higher one. */
typedef struct sac_clip {
    float in[2], out[2];
} sac_clip;

typedef struct sac_parameter {
    char name[96]; /* "encoder.0.weight" */
    int rank;
    size_t shape[4];
    sac_init init;
    bool may_be_narrow; /* sac_parameter_weight's */
    bool transposed; /* a matrix that files have as its transpose, as GPT-2's have all but tables */
    const sac_low_rank *low; /* what changes it; lent; NULL: nothing does */
    sac_clip *clip; /* of sac_linear_forward by a weight that is not trained; lent; NULL: none */
    /* Filled by sac_parameters_create: */
    size_t count, at;           /* floats, and where they begin in every buffer */
    sac_tensor value, gradient; /* first dimension × the others; a vector is one row; the gradient
                                   is empty where nothing is trained */
} sac_parameter;

/* Arrays of the same file that are not read here: each name begins with `prefix`. */
typedef struct sac_guest_arrays {
    const char *prefix;    /* NULL: there are none */
    sac_named_array *list; /* [count], lent */
    size_t count;
} sac_guest_arrays;

typedef struct sac_parameters {
    sac_device *device;
    int count;
    sac_parameter **list; /* [count], owned */
    bool no_memory;       /* for one that was declared */
    bool halves;          /* weights alone are saved as float16, half as long */
    const char *retired;  /* a name that files of earlier versions may have: ignored; NULL: none */
    sac_guest_arrays guests;
    sac_guest_arrays
        curves; /* the same of files with moments, which are read by others; the prefix is
                                SAC_CURVES, whether there are any or not */
    struct sac_parameters *others; /* that stand in the same file; lent; NULL: none */
    int slow;       /* those from this number on learn at a rate of their own; 0: none do */
    int decaying;   /* the first so many shrink by sac_adam's decay */
    size_t floats;  /* of all of them, gaps included */
    size_t changes; /* of the values so far: who keeps copies of them makes new ones */
    sac_span values, gradients, first, second; /* the last three empty: not for training; the first
                                                  too: each parameter has its own memory */
    sac_span average;                          /* running, of the values; empty: there is none */
    sac_span norms;                            /* scratch of the gradient's norm */
} sac_parameters;

/* Declares a parameter of `rank` sizes (each a size_t) and lends it. The order of declarations
 * decides its initial values. NULL if memory runs out: then sac_parameters_create fails. Begin with
 * a zeroed sac_parameters. */
const sac_parameter *sac_parameter_add(sac_parameters *parameters, const char *name, sac_init init,
                                       int rank, ...);
/* The same for W [out,in], glorot, and for a vector of zeros. */
const sac_parameter *sac_parameter_matrix(sac_parameters *parameters, const char *name, size_t out,
                                          size_t in);
/* The same W, which nothing but sac_linear_… and sac_embedding_… reads: that of a model that was
 * trained elsewhere stays on the device in the few bits that its file has. All other parameters are
 * float32 there. */
const sac_parameter *sac_parameter_weight(sac_parameters *parameters, const char *name, size_t out,
                                          size_t in);
const sac_parameter *sac_parameter_vector(sac_parameters *parameters, const char *name,
                                          size_t count);
/* Numbers of all that was declared; they must fit a size_t. */
size_t sac_parameters_numbers(const sac_parameters *parameters);
/* Memory on the device for what was declared. For training: initial values by Philox from `seed`,
 * the same on every device; else zeros, as a file will be loaded into them. */
sac_status sac_parameters_create(sac_parameters *parameters, sac_device *device, bool training,
                                 uint32_t seed, sac_error *error);
/* Whether its numbers may be stored so on the device: float32 always. */
bool sac_parameter_takes(const sac_parameter *parameter, sac_device *device, sac_stored stored);
/* The numbers of a parameter [count], of a type that it takes. */
typedef struct sac_parameter_numbers {
    const void *data;
    sac_stored stored;
    bool stay; /* for as long as the parameters are there; else until the next one is requested */
} sac_parameter_numbers;
/* Lends them; `numbers` comes zeroed. */
typedef sac_status sac_parameter_source(void *context, const sac_parameter *parameter,
                                        sac_parameter_numbers *numbers, sac_error *error);
/* Instead of sac_parameters_create, for a model that was trained elsewhere: it is neither trained
 * nor saved. What stays is not copied where the device is the host's own processor. */
sac_status sac_parameters_take(sac_parameters *parameters, sac_device *device,
                               sac_parameter_source *source, void *context, sac_error *error);
void sac_parameters_destroy(sac_parameters *parameters); /* takes zeroed ones */
sac_status sac_parameters_zero_gradients(sac_parameters *parameters, sac_error *error);

/* Every parameter, those of `others` too, must be there under its name, float32 or as a weight
 * float16, in its very shape, and finite: else SAC_E_FORMAT, SAC_E_SHAPE or SAC_E_VALUE with the name, and nothing changes.
 * Where this was created for training and the file has moments, they are held to the same, second
 * moments also to be at least 0; where it has none, they become 0. The same holds for the running
 * average, which becomes the values. Unknown names are SAC_E_FORMAT, unless they begin
 * with "adam." or SAC_CURVES. `path` is for the errors. */
bool sac_parameters_is_of_training(const char *name); /* it begins so */
sac_status sac_parameters_load(sac_parameters *parameters, const sac_arrays *file, const char *path,
                               sac_error *error);
/* values += share · (the file's − values), of all and those of `others`: after a load, files mixed in
 * with the shares 1/2, 1/3, … make the mean of them all. The file is held to the same, and its guests
 * are to be those of the model, to the bit. */
sac_status sac_parameters_mix(sac_parameters *parameters, const sac_arrays *file, const char *path,
                              float share, sac_error *error);
/* Values (float16 where `halves`, but for an array with a number that has none), and with `moments`,
 * all float32, also "adam.first.NAME" and "adam.second.NAME", and "adam.average.NAME"
 * where there is an average. Atomic. metadata as in sac_safetensors_save. */
sac_status sac_parameters_save(const sac_parameters *parameters, const char *path, bool moments,
                               const char *const *metadata, sac_error *error);

/* Adam (Kingma and Ba 2015), the gradient first brought to a norm of at most `clip` (0: as it is).
 * Zeroes the gradients afterwards. `step` counts from 1. Blocks once to read the norm, into *norm
 * (may be NULL). A norm that is not finite is SAC_E_VALUE and changes nothing. */
typedef struct sac_adam {
    float rate, beta1, beta2, epsilon, clip;
    float slow_rate; /* of the parameters from `slow` on */
    float decay; /* values that are `decaying` lose this × rate of themselves first (Loshchilov and
                        Hutter 2019, AdamW) */
} sac_adam;
sac_status sac_adam_step(sac_parameters *parameters, const sac_adam *adam, size_t step, float *norm,
                         sac_error *error);

/* A running average of the values (Polyak and Juditsky 1992), which begins as they are now. */
sac_status sac_parameters_average(sac_parameters *parameters, sac_error *error);
/* average += (1 − decay) (values − average) */
sac_status sac_parameters_average_step(sac_parameters *parameters, float decay, sac_error *error);
/* Values and average change places. */
void sac_parameters_swap_average(sac_parameters *parameters);

#endif
