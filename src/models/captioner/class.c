/* The captioner as a row of the table of models. */
#include "captioner/class.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "captioner/captioner.h"
#include "captioner/evaluate.h"
#include "captioner/learn.h"
#include "captioner/model.h"
#include "captioner/scene_batches.h"
#include "captioner/source.h"
#include "models/checkpoint.h"
#include "models/description.h"
#include "models/model_class.h"

/* ---------------------------------------------------------------- held-out scenes that the monitor shows while it trains */

enum { SCENES = 64, SHOWN = 6, SHOWN_SIDE = 224 };
/* Far from the seeds that `saccade evaluate` counts from. */
static const uint64_t first_scene = UINT64_C(1) << 62;

typedef struct watched_scenes {
    const sac_dataset *dataset;
    sac_image image[SCENES]; /* at the model's side */
    void *scenes;            /* [SCENES] of the dataset's kind */
    int *word;               /* [longest] of one */
} watched_scenes;

static void *scene_at(const watched_scenes *w, int index)
{
    return (char *)w->scenes + (size_t)index * w->dataset->scene_size;
}

static sac_status show(void *self, int index, sac_image *picture, char *truth, size_t size,
                       sac_error *error)
{
    const watched_scenes *w = self;
    int words = w->dataset->sentence(scene_at(w, index), w->word);
    sac_sentence_of(w->dataset->word_text, w->word, words, truth, size);
    return w->dataset->image(scene_at(w, index), SHOWN_SIDE, picture, error);
}

static sac_status encode(void *self, sac_model *model, int index, sac_error *error)
{
    const watched_scenes *w = self;
    return sac_captioner_encode_square((sac_captioner *)model, &w->image[index], error);
}

static bool is_exact(void *self, int index, const sac_caption *caption)
{
    const watched_scenes *w = self;
    int words = w->dataset->sentence(scene_at(w, index), w->word);
    bool exact = caption->finished && caption->count == words - 1;
    for (int i = 0; exact && i < caption->count; i++)
        exact = caption->words[i].word == w->word[i];
    return exact;
}

static void destroy_watched(void *self)
{
    watched_scenes *w = self;
    if (!w)
        return;
    for (int i = 0; i < SCENES; i++)
        sac_image_free(&w->image[i]);
    free(w->scenes);
    free(w->word);
    free(w);
}

static sac_status make_scenes(watched_scenes *w, int side, sac_error *error)
{
    sac_status status = SAC_OK;
    for (int i = 0; status == SAC_OK && i < SCENES; i++) {
        w->dataset->make(SAC_STREAM_TEST, first_scene + (uint64_t)i, scene_at(w, i));
        status = w->dataset->image(scene_at(w, i), side, &w->image[i], error);
    }
    return status;
}

static sac_status sac_watched_scenes(const sac_captioner_shape *shape, sac_watched *watched,
                                     sac_error *error)
{
    watched_scenes *w = calloc(1, sizeof *w);
    if (w) {
        w->dataset = sac_captioner_dataset(shape);
        w->scenes = calloc(SCENES, w->dataset->scene_size);
        w->word = calloc((size_t)w->dataset->longest, sizeof *w->word);
    }
    sac_status status = w && w->scenes && w->word ? make_scenes(w, shape->side, error)
                                                  : sac_no_memory(error, "training");
    if (status == SAC_OK)
        *watched = (sac_watched){w, SCENES, SHOWN, show, encode, is_exact, destroy_watched};
    else
        destroy_watched(w);
    return status;
}

/* ---------------------------------------------------------------- class */

/* ---------------------------------------------------------------- options */

static const char *const scores[] = {"additive", "scaled-dot", "bilinear", NULL};
static const sac_score score_of[] = {SAC_SCORE_ADDITIVE, SAC_SCORE_SCALED_DOT, SAC_SCORE_BILINEAR};

static const char *const datasets[] = {"shapes", "book", NULL}; /* as sac_dataset_at numbers them */

enum { SCORE, SUPERVISION, DOUBLY_STOCHASTIC, DATASET, ALL_PAIRS };
static const sac_model_option options[] = {
    [SCORE] = {.name = "score",
               .value_name = "S",
               .help = "additive (default), scaled-dot or bilinear",
               .choices = scores,
               .sizes = true},
    [SUPERVISION] = {.name = "attention-supervision",
                     .earlier = "gaze-loss",
                     .value_name = "X",
                     .help = "weight of the loss that makes words attend to the objects they name; "
                             "0: none (default 0.3)",
                     .todo = "give the weight of that loss; 0: none",
                     .initial = 0.3f},
    [DOUBLY_STOCHASTIC] = {.name = "doubly-stochastic",
                           .earlier = "coverage-loss",
                           .value_name = "X",
                           .help = "weight of the loss that makes a sentence attend everywhere "
                                   "once; 0: none (default 0)",
                           .todo = "give the weight of that loss; 0: none",
                           .initial = 0},
    [DATASET] = {.name = "dataset",
                 .earlier = "world",
                 .value_name = "D",
                 .help = "shapes (flat shapes, default) or book (picture book)",
                 .choices = datasets,
                 .sizes = true},
    [ALL_PAIRS] = {.name = "all-pairs",
                   .help =
                       "train on all pairs of words, with none held back for `saccade evaluate`",
                   .sizes = true},
    {0},
};

static const sac_bundled bundled[] = {
    {"additive", "captioner/book.safetensors", .dataset = "book"},
    {"additive", "captioner/additive.safetensors", .dataset = "shapes",
     .judged = "captioner/additive-held-pairs.safetensors"},
    {"scaled-dot", "captioner/scaled-dot.safetensors", .dataset = "shapes"},
    {"bilinear", "captioner/bilinear.safetensors", .dataset = "shapes"},
    {0},
};

/* ---------------------------------------------------------------- making and keeping */

static sac_captioner *captioner_of(sac_model *model)
{
    return (sac_captioner *)model;
}

static const sac_captioner_shape *shape_of(const sac_model *model)
{
    return &((const sac_captioner *)model)->shape;
}

static sac_status create(sac_device *device, const sac_model_values *values, uint32_t seed,
                         sac_model **model, sac_error *error)
{
    sac_captioner *captioner;
    sac_captioner_shape shape = sac_captioner_default_shape(
        sac_dataset_at((int)values->value[DATASET]), score_of[(int)values->value[SCORE]]);
    shape.all_pairs = values->value[ALL_PAIRS] > 0;
    sac_status status = sac_captioner_create(device, &shape, seed, &captioner, error);
    *model = captioner ? &captioner->base : NULL;
    return status;
}

static sac_status create_like(sac_device *device, const sac_arrays *file, const char *path,
                              bool training, uint32_t seed, sac_model **model, sac_error *error)
{
    sac_captioner *captioner = NULL;
    sac_captioner_shape shape;
    sac_status status = sac_captioner_read_shape(file, path, &shape, error);
    if (status == SAC_OK)
        status = sac_captioner_make(&sac_captioner_class, device, &shape, training, seed,
                                    &captioner, error);
    *model = captioner ? &captioner->base : NULL;
    return status;
}

static sac_status check(const sac_model *model, const sac_arrays *file, const char *path,
                        sac_error *error)
{
    sac_captioner_shape shape;
    sac_status status = sac_captioner_read_shape(file, path, &shape, error);
    return status == SAC_OK
               ? sac_description_compare(model, sac_captioner_describe(&shape), path, error)
               : status;
}

static char *describe(const sac_model *model)
{
    return sac_captioner_describe(shape_of(model));
}

static void describe_short(const sac_model *model, char *text, size_t size)
{
    snprintf(text, size, "%s", sac_score_name(shape_of(model)->score));
}

static void destroy(sac_model *model)
{
    sac_captioner_destroy(captioner_of(model));
}

sac_status sac_captioner_create(sac_device *device, const sac_captioner_shape *shape, uint32_t seed,
                                sac_captioner **captioner, sac_error *error)
{
    return sac_captioner_make(&sac_captioner_class, device, shape, true, seed, captioner, error);
}

sac_status sac_captioner_load(sac_device *device, const char *path, sac_captioner **captioner,
                              sac_error *error)
{
    sac_model *model;
    sac_status status = sac_checkpoint_load(&sac_captioner_class, device, path, &model, error);
    *captioner = model ? captioner_of(model) : NULL;
    return status;
}

/* ---------------------------------------------------------------- learning */

static sac_schedule training_of(const sac_model *model)
{
    return sac_captioner_schedule(sac_captioner_dataset(shape_of(model)));
}

static sac_status batches(const sac_model *model, const sac_model_values *values, size_t size,
                          uint32_t seed, sac_batch_maker *maker, sac_error *error)
{
    (void)values;
    const sac_captioner_shape *shape = shape_of(model);
    sac_stream stream = shape->all_pairs ? SAC_STREAM_ALL_PAIRS : SAC_STREAM_TRAINING;
    return sac_scene_batches(shape, stream, size, seed, maker, error);
}

/* The parts are the mean cross-entropy of a word, −log of the attention mass in the box, and the
 * doubly stochastic term. */
static sac_status learn(sac_model *model, const void *batch, const sac_model_values *values,
                        sac_losses *losses, sac_error *error)
{
    float gaze = values->value[SUPERVISION], coverage = values->value[DOUBLY_STOCHASTIC],
          all[3] = {0};
    sac_status status = sac_captioner_learn(captioner_of(model), batch, gaze, coverage, all, error);
    losses->total = all[0] + all[1] + all[2];
    losses->part[0] = all[0];
    losses->part[1] = gaze > 0 ? all[2] / gaze : NAN;
    losses->part[2] = coverage > 0 ? all[1] / coverage : NAN;
    return status;
}

static const char *token_text(const void *self, int token)
{
    return sac_captioner_dataset(shape_of(self))->word_text(token);
}

static const sac_decoder decoder = {.name = "captioner",
                                    .start = sac_captioner_start,
                                    .token = token_text,
                                    .step = sac_captioner_decode_step};

static sac_status watch(const sac_model *model, sac_watched *watched, sac_error *error)
{
    return sac_watched_scenes(shape_of(model), watched, error);
}

static sac_status evaluate(sac_model *model, const sac_evaluation_options *how,
                           const sac_progress *progress, sac_evaluation_report *report,
                           sac_error *error)
{
    sac_evaluation evaluation;
    sac_status status =
        sac_captioner_evaluate(captioner_of(model), how, progress, &evaluation, error);
    if (status == SAC_OK)
        sac_evaluation_fill_report(&evaluation, report);
    return status;
}

static sac_status open_trace(const sac_model_open_options *how, sac_source *source,
                             sac_error *error)
{
    return sac_caption_open(&sac_captioner_class, how, source, error);
}

const sac_model_class sac_captioner_class = {
    .name = "captioner",
    .samples = "scenes",
    .sample = "picture",
    .losses = {"words", "gaze", "coverage"},
    .options = options,
    .bundled = bundled,
    .mark = "\"layers\":",
    .training = {.steps = 8000, .batch = 32, .rate = 2e-3f},
    .training_of = training_of,
    .create = create,
    .create_like = create_like,
    .check = check,
    .describe = describe,
    .describe_short = describe_short,
    .destroy = destroy,
    .batches = batches,
    .learn = learn,
    .decoder = &decoder,
    .watch = watch,
    .evaluate = evaluate,
    .open = open_trace,
};
