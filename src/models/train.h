/* Training a model: the loop around its batches, with checkpoints. */
#ifndef SAC_MODELS_TRAIN_H
#define SAC_MODELS_TRAIN_H

#include "models/model_class.h"

typedef struct sac_training_options {
    size_t steps; /* 0: the class's default */
    size_t batch; /* 0: the class's default */
    uint32_t seed;
    bool seed_given; /* or else a checkpoint's own seed replaces `seed` */
    float rate;      /* highest learning rate; 0: the class's default */
    float warm_up; /* steps in which the rate rises to it; 0: the class's default, or 3 per cent */
    sac_model_values values; /* of the class's own options */
    const char *
        out; /* the weights' file, or folder; checkpoints go to OUT.checkpoint (removed at the end) */
    const char *resume; /* a checkpoint, or weights; NULL */
    const char *const
        *average; /* weights of which, with those of `resume`, the mean is begun with */
    size_t average_count;
    bool measures;             /* weights are measured, or are a mean, and nothing is trained */
    size_t checkpoint_every;   /* steps; 0: 500 … */
    double checkpoint_seconds; /* … and at least as often as these; 0: 300 */
    struct sac_training_outcome *outcome; /* NULL: it is not asked for; lent */
} sac_training_options;
/* What the weights that were written are worth, of a class that judges: the figure of the file itself. */
typedef struct sac_training_outcome {
    double figure; /* of class->figure; NaN: there is none */
    size_t step;   /* after which they were as they are */
} sac_training_outcome;
/* Makes the model that is to be trained: a new one, or of the sizes of `resume`, which is compared with
 * what the options ask of sizes when it is prepared. SAC_E_ARGUMENT for an option that does not count
 * in that training. */
sac_status sac_training_create(const sac_model_class *class, sac_device *device,
                               const sac_training_options *options, sac_model **model,
                               sac_error *error);
/* Puts the defaults where `options` has 0. */
void sac_training_resolve(const sac_model *model, sac_training_options *options);
/* Before sac_train or sac_training_measure: takes options that are not given from the checkpoint, then
 * the defaults; loads the first weights, and has the class prepare its data with them, such as
 * pictures. SAC_E_ARGUMENT where the checkpoint was made with something else. */
sac_status sac_training_prepare(sac_model *model, sac_training_options *options, sac_error *error);

typedef struct sac_training_report {
    size_t step, steps, batch;
    const char *samples;              /* "scenes" */
    float loss, part[SAC_LOSS_PARTS]; /* means over the last steps: all, and as class->losses names
                                         them, NaN where one is not requested */
    float last;                       /* all, of this step alone */
    float norm;                       /* of the gradient, before clipping */
    /* Of the steps that are left, with all that is done between them: at most so long, where it may
     * end earlier. NaN: not known yet. */
    double samples_per_second, seconds_left;
    bool may_end_earlier;      /* where no judgement is a better one */
    const char *figure;        /* what a judgement is (class->figure); NULL: it is not judged */
    bool figure_is_loss;       /* the class's */
    double judged, best;       /* the last judgement, and the best one; NaN: none yet … */
    size_t judged_at, best_at; /* … and their steps */
    bool saves;                /* a checkpoint, after this step */
} sac_training_report;
/* Called after every step; it may run the model. False: stop. */
typedef bool (*sac_training_listener)(void *user, sac_model *model,
                                      const sac_training_report *report);

/* One step, the `step`-th from 1, of which sac_train makes a training: forward and backward through
 * a batch, and Adam; `highest` of the rates is what the class's slow one goes with. *norm is the gradient's, before clipping. Gradients are zero before it, and
 * after. */
sac_status sac_training_step(sac_model *model, const void *batch, const sac_model_values *values,
                             float rate, float highest, size_t step, sac_losses *losses,
                             float *norm, sac_error *error);

/* Where the class evaluates (at the steps of its schedule), `out` holds the best weights so far, and the
 * training ends where none was better for as long as the schedule has patience.
 *
 * Trains until the steps are done or `report` (may be NULL) returns false (then a checkpoint is
 * saved and SAC_E_CANCELLED returned). The rate rises over the first steps and falls with a cosine,
 * so what is done depends on all options: a checkpoint keeps them and goes on exactly where it was.
 * An option that is not given is the checkpoint's; another one than the checkpoint's is
 * SAC_E_ARGUMENT, by name, but for the steps. One that keeps none, of an older program, takes those
 * that are given. Weights without Adam's moments begin a new training at step 1. A gradient that is
 * not finite is SAC_E_VALUE, naming the step; the last checkpoint stays. */
sac_status sac_train(sac_model *model, const sac_training_options *options,
                     sac_training_listener report, void *user, sac_error *error);

/* Where several processes share a training (sharing/ranks), each learns from its share of every batch,
 * their gradients are added, and the first process judges and writes. All call sac_train alike.
 *
 * The weights that a training begins with: those of `resume`, or the mean of them and of those of
 * `average`, which are to be weights of the same model. SAC_OK where there is no file. */
sac_status sac_training_load(sac_model *model, const sac_training_options *options,
                             sac_error *error);

/* Loads them, has the class measure what they know of their own limits, where it does, and writes
 * them with it to `out`; what they learnt from is prepared. sac_train ends with that. Without `resume`
 * they are those that the model was created with. */
sac_status sac_training_measure(sac_model *model, const sac_training_options *options,
                                sac_error *error);

#endif
