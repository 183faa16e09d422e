/* The class of a model: all that the training loop, the checkpoints, the monitor and the commands
 * ask of it. These know no model: they read sac_models[] (models in the folder table).
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
 *   its decoding    encodes what it is given, whatever that is, in a function of its own; then
 *                   sac_model_decode generates by its `decoder` (generate/decoder.h)
 *   its options     a table: the command line, its help and checkpoints read it
 *
 * tests/models/line.c is the smallest class there can be. */
#ifndef SAC_MODELS_MODEL_CLASS_H
#define SAC_MODELS_MODEL_CLASS_H

#include "generate/generate.h"
#include "generate/token_run.h"
#include "models/batches.h"
#include "nn/parameters.h"
#include "nn/pass.h"
#include "saccade_arrays.h"
#include "sources/source.h"

typedef struct sac_model_class sac_model_class;

/* The part that every model has; the struct of a class begins with it. */
typedef struct sac_model {
    const sac_model_class *class;
    sac_device *device;
    sac_parameters parameters; /* that learn */
    sac_parameters frozen;     /* that stay as they are, in the same file; none in most models */
    sac_pass pass;
    sac_batch_share share;   /* of each batch, which it learns from */
    bool attention_chosen;   /* by --attention, whatever the weights that it begins with had */
    sac_search *generation;  /* NULL until the model first generates */
    sac_token_run token_run; /* its last generation word by word */
} sac_model;
/* Gives back all of that: what a class's `destroy` begins with, before it frees its own. */
void sac_model_release(sac_model *model);
const sac_decoder *sac_model_decoder(const sac_model *model); /* the class's, for this model */
/* Generates by the class's decoder from what the model encoded last: sac_generate. */
sac_status sac_model_decode(sac_model *model, const sac_result_request *request,
                            sac_result *caption, sac_error *error);

/* ---- options: one table, which the command line, its help and a checkpoint's metadata read */

enum { SAC_MODEL_OPTIONS = 32, SAC_LOSS_PARTS = 6, SAC_MODEL_SETS = 8 };

typedef struct sac_model_option {
    const char *name;       /* "score": --score */
    const char *stored;     /* its name in checkpoints, where that is another; else NULL */
    const char *value_name; /* "X"; NULL: the option is a flag, 1 where it is given */
    bool is_text;           /* it names a file or a folder, which no checkpoint keeps */
    bool of_set; /* a text of each set of data: given once more, it begins the next one */
    const char *help;
    const char *const *choices; /* names by value, NULL after the last; NULL: a number of at least
                                   0, which `remedy` explains */
    const char *remedy;         /* "give the factor of that loss; 0: none" */
    float initial;
    bool sizes; /* it decides the parameters and their sizes, which a checkpoint knows */
    /* The model's description knows it, and a training that begins with weights may change it. */
    bool of_model;
    unsigned
        of; /* a bit for each of the class's `trainings` that it counts in; it is refused in the
                    others. Where the class names none it counts in all. */
    const char *otherwise; /* what to do there; NULL: "leave it out" */
} sac_model_option;
/* --attention: the normaliser of a decoder's attention over what was encoded. */
extern const char *const sac_attention_choices[]; /* by sac_normalizer */
#define SAC_ATTENTION_OPTION(trainings)                                                            \
    {                                                                                              \
        .name = "attention", .value_name = "N",                                                    \
        .help = "weights of the attention over what was encoded: softmax (default), entmax15 or "  \
                "sparsemax, of which many are exactly 0; with --resume weights may change it",     \
        .choices = sac_attention_choices, .of_model = true, .of = trainings                        \
    }

/* The values of a model's options, by the option's place in its table. */
typedef struct sac_model_values {
    float value[SAC_MODEL_OPTIONS];
    const char *text[SAC_MODEL_SETS][SAC_MODEL_OPTIONS]; /* lent; NULL: not given; those that are
                                                            not of a set stand in the first */
    bool given[SAC_MODEL_OPTIONS]; /* or else a default, in whose place a checkpoint puts its own */
} sac_model_values;
sac_model_values sac_model_defaults(const sac_model_class *class);
/* The normaliser of a model that is made like a file's, whose is `its`: --attention, option number `option` of
 * `values` (NULL: it will not be trained), or else that one. Another one is announced. */
sac_normalizer sac_model_choose_normalizer(const sac_model_values *values, int option,
                                           sac_normalizer its, const char *path);
/* "additive", or with another normaliser than the softmax "additive, entmax15". */
void sac_model_kind(const char *kind, sac_normalizer normalizer, char *text, size_t size);
/* The place of an option in its table; −1: it has none of that name. */
int sac_model_option_find(const sac_model_class *class, const char *name);

/* ---- what goes through a model */

typedef struct sac_losses {
    float total;
    float part[SAC_LOSS_PARTS]; /* as class->losses names them; NaN: not requested */
} sac_losses;

/* Held-out samples that are shown while a model trains. */
typedef struct sac_watched {
    void *self;
    int count, shown; /* the first `shown` of them are shown, at most 6 */
    /* The picture of sample `index`, and the true sentence of it. The picture stays empty where the
     * model sees none. */
    sac_status (*show)(void *self, int index, sac_image *picture, char *truth, size_t size,
                       sac_error *error);
    /* Encodes it, for sac_model_decode. */
    sac_status (*encode)(void *self, sac_model *model, int index, sac_error *error);
    /* True where the caption is the ground truth. */
    bool (*is_exact)(void *self, int index, const sac_result *caption);
    void (*destroy)(void *self); /* takes NULL */
    /* True where one of a picture's several true sentences has the word. NULL: there is one alone, and
     * words are held to their places in it. */
    bool (*has_word)(void *self, int index, int word);
    /* In place of samples, of which there are none then: what the model writes by itself, which changes with its
     * weights alone. */
    sac_status (*write)(void *self, sac_model *model, char *text, size_t size, sac_error *error);
    /* With it: where all heads look in a text that stays the same, in which tokens come twice; the caller frees it.
     * SAC_OK and no weights: it has no such text. NULL: they are not watched. */
    sac_status (*attend)(void *self, sac_model *model, sac_attention_kind *attention,
                         sac_error *error);
} sac_watched;

typedef struct sac_evaluation_options {
    size_t count;  /* samples; 0: 1000 */
    uint64_t seed; /* of the samples: sample i is number seed · 2^20 + i of the test stream */
    int beam;      /* 0: 3 */
    sac_length_penalty penalty;
    bool causal; /* of captioners: do words depend on where they looked? */
    bool varied; /* of flat shapes: samples of the varied stream in place of the test stream */
    /* Of a translator that was trained on pairs: one or two files of pairs, and the split of them that is
     * translated, "val", "train" or "all" (NULL: "val", what was held out). */
    const char *pairs[2], *split;
    /* Of a language model: the files, or folders, of the text that it is to predict. */
    const char *const *texts;
    int text_count;
} sac_evaluation_options;

enum { SAC_FIGURES = 24, SAC_LENGTHS = 64, SAC_REPORT_HEADS = 128 };
/* The number of samples of each length, and of those in which all was right. */
typedef struct sac_length_figures {
    const char *unit; /* "words of the sentence"; NULL: the model's samples have no length */
    int trained_most; /* longer ones were never trained on */
    struct {
        size_t count, exact;
    } of[SAC_LENGTHS]; /* by length */
} sac_length_figures;
/* A model's evaluation, as figures for programs and as a table. */
typedef struct sac_evaluation_report {
    struct {
        const char *key; /* "baselines.uniform.pointing": an object in an object */
        double value;    /* NaN: there is none */
    } figure[SAC_FIGURES];
    int count;
    struct {
        size_t layer, head;
        double alignment; /* share of words whose heaviest source word is one they translate */
    } head[SAC_REPORT_HEADS];
    size_t head_count;   /* 0: the model has no layers of heads */
    double milliseconds; /* median per sample */
    sac_length_figures lengths;
    char table[2048];
} sac_evaluation_report;

/* ---- a model in a view */

/* Weights that come along. */
typedef struct sac_bundled {
    const char *name;    /* "additive": its name on the command line */
    const char *file;    /* in the assets: "captioner/additive.safetensors" */
    const char *dataset; /* what it captions, where a class has models of several datasets; NULL */
    const char *get;     /* what to do where the file is not there; NULL: as for all: train one */
    const char *judged;  /* the file that `evaluate` takes in its place: trained alike, but without
                            what the test asks for; NULL: the same */
    bool is_baseline;    /* the baseline that `evaluate` sets beside the default */
} sac_bundled;

typedef struct sac_model_open_options {
    const char *const *pictures; /* files and folders; none: scenes */
    int picture_count;
    const sac_image
        *first;       /* the pixels of the picture to begin with, where they are there already;
                               NULL */
    const char *text; /* what a model that reads is given; NULL: the sentence of number `scene` */
    /* The one to begin with, of those found; past the last: the last. −1: none yet, and `turn` is
     * called before anything else. */
    int picture;
    uint64_t scene; /* the first sample's seed, of the test stream; only without pictures */
    const char *const *weights; /* files; the first is the default model */
    int weight_count;
    const struct sac_model_class *(*class_of)(const sac_arrays *file); /* NULL: all are of one */
    /* True where the models, which were trained on `topic`, suit a picture that is turned to; NULL:
     * they suit all of them. */
    bool (*suits)(const char *path, const sac_image *picture, const char *topic);
    const char *advice; /* a remedy for an unreliable caption of a photograph; NULL: none */
    const char *device;
} sac_model_open_options;

/* ---- the class */

/* Defaults of a training. */
typedef struct sac_schedule {
    size_t steps, batch;
    float rate;     /* the highest */
    size_t warm_up; /* steps in which the rate rises to it; 0: 3 per cent */
    float clip;     /* most of the gradient's norm; 0: 1 */
    float decay;    /* of the parameters that have one (nn/parameters.h); 0: none */
    float average;  /* decay of a running average of the weights, which is what is judged and saved;
                       0: there is none */
    size_t judge_every;  /* steps from one judgement to the next; 0: it is not judged … */
    int patience;        /* … and how many may pass without a better one; 0: any */
    const char *samples; /* NULL: as the class calls them */
} sac_schedule;

struct sac_model_class {
    const char *name;                       /* "captioner" */
    const char *samples, *sample;           /* "scenes", "picture" */
    const char *losses[SAC_LOSS_PARTS + 1]; /* "words", "gaze"; NULL after the last */
    int reward; /* of a class that learns by one: the first of three of them, the reward of samples,
                   its baseline, and how many of 100 differ; 0: none */
    const sac_model_option *options; /* ends with a zeroed one */
    /* Its trainings, where options count in some of them alone: "a training on scenes"; NULL after the
     * last. `training_kind` is the number of the one that these values ask for, of weights (`model`)
     * or of a new model (NULL); `measures`: weights are measured, and nothing is trained. NULL: there
     * is one training. */
    const char *const *trainings;
    int (*training_kind)(const sac_model *model, const sac_model_values *values, bool measures);
    const sac_bundled *bundled; /* the default first, a zeroed one after the last; NULL: none */
    const char
        *mark; /* stands in the "model" of its files and of no other class's: "\"layers\":" */
    sac_schedule training;
    /* That of this model, where it depends on its sizes; NULL: as above. */
    sac_schedule (*training_of)(const sac_model *model);

    /* New weights from `seed`, for training. */
    sac_status (*create)(sac_device *device, const sac_model_values *values, uint32_t seed,
                         sac_model **model, sac_error *error);
    /* The same of the sizes that a weights' file describes; the weights are not read yet.
     * `training`: how it will be trained; NULL: it will not, and has no memory for gradients and
     * moments. */
    sac_status (*create_like)(sac_device *device, const sac_arrays *file, const char *path,
                              const sac_model_values *training, uint32_t seed, sac_model **model,
                              sac_error *error);
    /* SAC_E_SHAPE where a weights' file describes another model. */
    sac_status (*check)(const sac_model *model, const sac_arrays *file, const char *path,
                        sac_error *error);
    /* The model's sizes as JSON, for "model" in the metadata of its file; free() it. NULL: no
     * memory. */
    char *(*describe)(const sac_model *model);
    /* Its weights are a folder, of which one file has the numbers: writes the others. NULL: they are a file. */
    sac_status (*save_beside)(const sac_model *model, const char *folder, sac_error *error);
    /* What that file is called: SAC_WEIGHTS_FILE, or of an adapter SAC_ADAPTER_FILE (models/checkpoint.h). */
    const char *(*name_weights)(const sac_model *model);
    /* Opens such a folder, of any program, as a model that is not trained. NULL: there are none. */
    sac_status (*open_folder)(sac_device *device, const char *folder, sac_model **model,
                              sac_error *error);
    void (*describe_short)(const sac_model *model, char *text, size_t size); /* "additive" */
    void (*destroy)(sac_model *model);

    /* The learning rate of the parameters from `slow` on (nn/parameters.h), at its highest. NULL:
     * there are none. */
    float (*slow_rate)(const sac_model_values *values);
    /* Puts this model's own defaults where an option was not given. NULL: they are those of the
     * table. */
    void (*defaults)(const sac_model *model, sac_model_values *values);
    /* Opens what it learns from, once, which may take long; SAC_E_CANCELLED. NULL: samples are made.
     */
    sac_status (*prepare)(sac_model *model, const sac_model_values *values, sac_error *error);
    /* Batches of `size` samples out of `seed`, by the options, or the model's share of each; it is
     * prepared. */
    sac_status (*batches)(const sac_model *model, const sac_model_values *values, size_t size,
                          uint32_t seed, sac_batch_maker *maker, sac_error *error);
    /* Forward and backward through one of them: adds to the gradients. Blocks until done. */
    sac_status (*learn)(sac_model *model, const void *batch, const sac_model_values *values,
                        sac_losses *losses, sac_error *error);

    /* How good it is at what it was not trained on, and what that figure is called: more is better, and
     * it is written times 100. NaN: nothing is held out. NULL: it is not judged. */
    const char *figure;
    bool figure_is_loss; /* less is better, and it is written as it is */
    sac_status (*judge)(sac_model *model, const sac_model_values *values, double *score,
                        sac_error *error);

    /* What it knows of its own limits, measured once it is trained, on what it learnt from: it stands
     * in the file of its weights. NULL: nothing. */
    sac_status (*measure)(sac_model *model, sac_error *error);

    /* How it generates from what it encoded last. NULL for a class without samples to watch, whose
     * `evaluate` and `open` do not decode. */
    const sac_decoder *decoder;
    const sac_decoder *(*decoder_of)(
        const sac_model *model); /* of this model, where it depends on its sizes; NULL: that one */

    /* Has the model encode a sentence of 1 to 40 words, as numbers of its vocabulary. NULL: it does
     * not read. */
    sac_status (*read)(sac_model *model, const int *words, int count, sac_error *error);
    /* The languages of a model that reads (translation/translation.h); lent. NULL: it does not read. */
    struct sac_translating *(*translating)(sac_model *model);
    /* The attention of all its layers and heads to the encoded sentence, where it generates `words`:
     * free it. NULL: it has no such heads. SAC_E_ARGUMENT: none, or more than a sentence may have. */
    sac_status (*attentions)(sac_model *model, const int *words, int count,
                             sac_attentions *attentions, sac_error *error);

    sac_status (*watch)(const sac_model *model, sac_watched *watched, sac_error *error);
    /* SAC_E_CANCELLED where `progress` (may be NULL) asks to stop. NULL: there are no figures. */
    sac_status (*evaluate)(sac_model *model, const sac_evaluation_options *options,
                           const sac_progress *progress, sac_evaluation_report *report,
                           sac_error *error);
    /* Opens the model as a source for the views. NULL: the model has no view. */
    sac_status (*open)(const sac_model_open_options *options, sac_source *source, sac_error *error);
};

void sac_model_destroy(sac_model *model); /* takes NULL */

/* An evaluation's figures as the report of every model holds them: for programs, and as a table for
 * people. */
void sac_report_figure(sac_evaluation_report *report, const char *key, double value);
/* Adds to the table; what does not fit is left out whole. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void sac_report_print(sac_evaluation_report *report, const char *format, ...);

/* An option whose value is a size: a whole number from 1 to `most`. */
sac_status sac_model_size_option(const sac_model_class *class, const sac_model_values *values,
                                 int option, int most, int *size, sac_error *error);

/* The median of at least one value; sorts them. */
double sac_median(double *values, size_t count);

#endif
