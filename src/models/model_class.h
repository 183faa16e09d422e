/* What every kind of model gives to the training loop, the checkpoints, the monitor and the
 * commands. These know no model: they read sac_models[] (models in the folder table).
 *
 * A new model is a folder of its own beside captioner/, with a box in CMakeLists.txt, a
 * sac_model_class in class.c and one line in table/models.c:
 *
 *   its struct      begins with a sac_model, declares its parameters with sac_parameter_add, in
 *                   the order of the file, and keeps them by what they are
 *   its forward     lines of mathematics in a sac_pass, out of the layers of nn/
 *   its batches     of any kind: whatever its sac_batch_maker makes goes to its `learn` alone,
 *                   sentences of varying length, longest first or padded, as well as pictures
 *   its `learn`     forward, losses and backward of one batch; sac_arena_shape gives tensors
 *                   the shape of each batch in the memory of the largest
 *   its decoding    a sac_decoder (beam.h), with its own tokens and length
 *   its options     a table: the command line, its help and checkpoints read it
 *
 * tests/models/line.c is the smallest class there can be. */
#ifndef SAC_MODELS_MODEL_CLASS_H
#define SAC_MODELS_MODEL_CLASS_H

#include "models/batches.h"
#include "nn/parameters.h"
#include "nn/pass.h"
#include "trace/trace.h"

typedef struct sac_model_class sac_model_class;

/* What every model has; the struct of a class begins with it. */
typedef struct sac_model {
    const sac_model_class *class;
    sac_device *device;
    sac_parameters parameters;
    sac_pass pass;
} sac_model;

/* ---- options: one table, which the command line, its help and a checkpoint's metadata read */

enum { SAC_MODEL_OPTIONS = 8, SAC_LOSS_PARTS = 4 };

typedef struct sac_model_option {
    const char *name;       /* "gaze-loss": --gaze-loss */
    const char *value_name; /* "X" */
    const char *help;
    const char *const *choices; /* names by value, NULL after the last; NULL: a number of at least
                                   0, which `todo` explains */
    const char *todo;           /* "give the factor of that loss; 0: none" */
    float initial;
    bool sizes; /* it decides the parameters and their sizes, which a checkpoint knows */
} sac_model_option;

/* By the option's place in its table. */
typedef struct sac_model_values {
    float value[SAC_MODEL_OPTIONS];
    bool given[SAC_MODEL_OPTIONS]; /* or else a default, in whose place a checkpoint puts its own */
} sac_model_values;
sac_model_values sac_model_defaults(const sac_model_class *class);

/* ---- what goes through a model */

typedef struct sac_losses {
    float total;
    float part[SAC_LOSS_PARTS]; /* as class->losses names them; NaN: not asked for */
} sac_losses;

/* Samples that a model is watched on while it trains, and never learns from. */
typedef struct sac_watched {
    void *self;
    int count, shown; /* the first `shown` of them are shown, at most 6 */
    /* What sample `index` shows, and what is true of it. */
    sac_status (*show)(void *self, int index, sac_image *picture, char *truth, size_t size,
                       sac_error *error);
    /* Lets the model speak of it; *exact: what it said is the truth. */
    sac_status (*speak)(void *self, sac_model *model, int index, sac_caption *caption, bool *exact,
                        sac_error *error);
    void (*destroy)(void *self); /* takes NULL */
} sac_watched;

typedef struct sac_evaluation_options {
    size_t count;  /* samples; 0: 1000 */
    uint64_t seed; /* of the samples: sample i is number seed · 2^20 + i of the test stream */
    int beam;      /* 0: 3 */
} sac_evaluation_options;

enum { SAC_FIGURES = 24 };
/* The figures that a model is held to, for programs and for people. */
typedef struct sac_evaluation_report {
    struct {
        const char *key; /* "baselines.uniform.pointing": an object in an object */
        double value;    /* NaN: there is none */
    } figure[SAC_FIGURES];
    int count;
    double milliseconds; /* median per sample */
    char table[2048];
} sac_evaluation_report;

/* ---- a model that is looked at */

typedef struct sac_model_open_options {
    const char *const *pictures; /* files and folders; none: scenes */
    int picture_count;
    const sac_image *first; /* the first picture's pixels, where they are there already; NULL */
    /* The one to begin with, of those found; past the last: the last. −1: none yet, and `turn` is
     * called before anything else. */
    int picture;
    uint64_t scene; /* the first scene's seed, of the test stream; only without pictures */
    const char *const *weights; /* files; the first is the default model */
    int weight_count;
    const char *device;
} sac_model_open_options;

/* ---- the class */

struct sac_model_class {
    const char *name;                       /* "captioner" */
    const char *samples, *sample;           /* "scenes", "picture" */
    const char *losses[SAC_LOSS_PARTS + 1]; /* "words", "gaze"; NULL after the last */
    const sac_model_option *options;        /* ends with a zeroed one */
    const char *bundled;                    /* the weights that come along, in the assets */
    const char *mark; /* stands in the "model" of its files and of no other class's: "\"layers\"" */
    struct {
        size_t steps, batch; /* what a training does that is not told otherwise */
        float rate;
    } training;

    /* New weights from `seed`, for training. */
    sac_status (*create)(sac_device *device, const sac_model_values *values, uint32_t seed,
                         sac_model **model, sac_error *error);
    /* The same of the sizes that a weights' file describes; the weights are not read yet. Without
     * `training` there is no memory for gradients and moments. */
    sac_status (*create_like)(sac_device *device, const sac_arrays *file, const char *path,
                              bool training, uint32_t seed, sac_model **model, sac_error *error);
    /* SAC_E_SHAPE where a weights' file describes another model. */
    sac_status (*check)(const sac_model *model, const sac_arrays *file, const char *path,
                        sac_error *error);
    /* The model's sizes as JSON, for "model" in the metadata of its file; free() it. NULL: no
     * memory. */
    char *(*describe)(const sac_model *model);
    void (*describe_short)(const sac_model *model, char *text, size_t size); /* "additive" */
    void (*destroy)(sac_model *model);

    /* Batches of `size` samples out of `seed`. */
    sac_status (*batches)(const sac_model *model, size_t size, uint32_t seed,
                          sac_batch_maker *maker, sac_error *error);
    /* Forward and backward through one of them: adds to the gradients. Blocks until done. */
    sac_status (*learn)(sac_model *model, const void *batch, const sac_model_values *values,
                        sac_losses *losses, sac_error *error);
    sac_status (*watch)(const sac_model *model, sac_watched *watched, sac_error *error);
    /* SAC_E_CANCELLED where `progress` (may be NULL) asks to stop. */
    sac_status (*evaluate)(sac_model *model, const sac_evaluation_options *options,
                           const sac_progress *progress, sac_evaluation_report *report,
                           sac_error *error);
    /* The model at work, for the views. */
    sac_status (*open)(const sac_model_open_options *options, sac_trace *trace, sac_error *error);
};

void sac_model_destroy(sac_model *model); /* takes NULL */

#endif
