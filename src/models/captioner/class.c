/* The captioner as a row of the table of models. */
#include "captioner/captioner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "architectures/architectures.h"
#include "base/error.h"
#include "base/notice.h"
#include "captioner/decode/encode.h"
#include "captioner/encoders/encoder.h"
#include "captioner/learn/learn.h"
#include "captioner/model.h"
#include "captioner/photographs/album.h"
#include "captioner/photographs/domain.h"
#include "captioner/scenes/evaluate.h"
#include "captioner/scenes/scene_batches.h"
#include "captioner/source/source.h"
#include "models/checkpoint.h"
#include "models/description.h"
#include "models/model_class.h"
#include "saccade_arrays.h"

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

static sac_status render_watched_scene(void *self, int index, sac_image *picture, char *truth,
                                       size_t size, sac_error *error)
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

static bool is_exact(void *self, int index, const sac_result *caption)
{
    const watched_scenes *w = self;
    int words = w->dataset->sentence(scene_at(w, index), w->word);
    bool exact = caption->finished && caption->count == words - 1;
    for (int i = 0; exact && i < caption->count; i++)
        exact = caption->outputs[i].word == w->word[i];
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

static sac_status open_watched_scenes(const sac_captioner_shape *shape, sac_watched *watched,
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
        *watched = (sac_watched){w,      SCENES,   SHOWN,          render_watched_scene,
                                 encode, is_exact, destroy_watched};
    else
        destroy_watched(w);
    return status;
}

/* ---------------------------------------------------------------- options */

static const char *const scores[] = {"additive", "scaled-dot", "bilinear", NULL};
static const sac_score score_of[] = {SAC_SCORE_ADDITIVE, SAC_SCORE_SCALED_DOT, SAC_SCORE_BILINEAR};

static const char *const decoders[] = {"lstm", "transformer", NULL};
static const char *const datasets[] = {"shapes", "book", NULL}; /* as sac_dataset_at numbers them */

enum {
    SCORE,
    SUPERVISION,
    DOUBLY_STOCHASTIC,
    DATASET,
    ALL_PAIRS,
    PICTURES,
    CAPTIONS,
    VALIDATION,
    TEST,
    ENCODER,
    DECODER,
    CACHE,
    CACHE_LIMIT,
    VIEWS,
    FINE_TUNE,
    ENCODER_RATE,
    WORD_COUNT,
    SMOOTHING,
    DROPOUT,
    GRID_DROPOUT,
    ATTENTION,
    BOXES,
    REWARD,
    SAMPLES,
    SAMPLE_TEMPERATURE,
    BASELINE,
    PEOPLE,
};
static const char *const rewards[] = {"none", "cider", NULL};
static const char *const baselines[] = {"mean", "greedy", NULL};
static const char *const people[] = {"as-captioned", "general", NULL};
enum { GREEDY = 1, MOST_SAMPLES = 64 };

/* What it can be trained for, and on. */
enum {
    ON_SCENES,
    NEW_LSTM,
    NEW_LAYERS,
    RESUMED_LSTM,
    RESUMED_LAYERS,
    TUNED_LSTM,
    TUNED_LAYERS,
    BY_REWARD,
    MEASURED,
    MEASURED_SCENES,
};
static const char *const trainings[] = {
    [ON_SCENES] = "a training on scenes",
    [NEW_LSTM] = "the training of a new captioner of photographs",
    [NEW_LAYERS] = "the training of a new captioner of photographs with the decoder transformer",
    [RESUMED_LSTM] = "a training on photographs that goes on",
    [RESUMED_LAYERS] = "a training on photographs that goes on, of the decoder transformer",
    [TUNED_LSTM] = "the fine-tuning of the encoder",
    [TUNED_LAYERS] = "the fine-tuning of the encoder, with the decoder transformer",
    [BY_REWARD] = "a training by a reward",
    [MEASURED] = "--steps 0, which trains nothing",
    [MEASURED_SCENES] = "--steps 0 with weights of scenes, which trains nothing",
    NULL,
};
/* The trainings that an option is of. */
enum {
    OF_SCENES =
        1 << ON_SCENES | 1 << MEASURED_SCENES, /* of its sizes, which weights have to have */
    OF_NEW = 1 << NEW_LSTM | 1 << NEW_LAYERS,
    OF_RESUMED = 1 << RESUMED_LSTM | 1 << RESUMED_LAYERS,
    OF_TUNED = 1 << TUNED_LSTM | 1 << TUNED_LAYERS,
    OF_LSTM = 1 << NEW_LSTM | 1 << RESUMED_LSTM | 1 << TUNED_LSTM,
    OF_PHOTOGRAPHS = OF_NEW | OF_RESUMED | OF_TUNED,
    OF_REWARD = 1 << BY_REWARD,
    OF_ALBUM = OF_PHOTOGRAPHS | OF_REWARD | 1 << MEASURED,
};
static const sac_model_option options[] = {
    [SCORE] = {.name = "score",
               .of = OF_SCENES | 1 << NEW_LSTM,
               .otherwise =
                   "leave it out: weights have their score, and a transformer's is scaled dot",
               .value_name = "S",
               .help = "additive (default), scaled-dot or bilinear",
               .choices = scores,
               .sizes = true},
    [SUPERVISION] = {.name = "attention-supervision",
                     .of = 1 << ON_SCENES | OF_LSTM,
                     .stored = "gaze-loss",
                     .value_name = "X",
                     .help = "weight of the loss that makes words attend to the objects they name; "
                             "0: none (default 0.3; of photographs with --boxes)",
                     .remedy = "give the weight of that loss; 0: none",
                     .initial = 0.3f},
    [DOUBLY_STOCHASTIC] = {.name = "doubly-stochastic",
                           .of = 1 << ON_SCENES | OF_LSTM,
                           .stored = "coverage-loss",
                           .value_name = "X",
                           .help = "weight of the loss that makes a sentence attend everywhere "
                                   "once; 0: none (default 0; of photographs 0.25)",
                           .remedy = "give the weight of that loss; 0: none",
                           .initial = 0},
    [DATASET] = {.name = "dataset",
                 .of = OF_SCENES,
                 .otherwise = "leave it out, or --pictures",
                 .stored = "world",
                 .value_name = "D",
                 .help = "shapes (flat shapes, default) or book (picture book)",
                 .choices = datasets,
                 .sizes = true},
    [ALL_PAIRS] = {.name = "all-pairs",
                   .of = OF_SCENES,
                   .otherwise = "leave it out, or --pictures",
                   .help =
                       "train on all pairs of words, with none held back for `saccade evaluate`",
                   .sizes = true},
    [PICTURES] = {.name = "pictures",
                  .of = OF_ALBUM,
                  .value_name = "FOLDER",
                  .help = "train on the photographs of this folder, and on the words of "
                          "--captions; may be repeated, with --captions, --val and --test of each",
                  .is_text = true,
                  .of_set = true},
    [CAPTIONS] =
        {.name = "captions",
         .of = OF_ALBUM,
         .otherwise = "give --pictures for each set of pictures, and --captions, --val "
                      "and --test once for each",
         .value_name = "FILE",
         .help = "captions of the pictures: a table, JSON of COCO or Karpathy, "
                 "Flickr8k.token (default: captions.* in the folder, else NAME.txt beside each "
                 "picture)",
         .is_text = true,
         .of_set = true},
    [VALIDATION] = {.name = "val",
                    .of = OF_ALBUM,
                    .otherwise = "give --pictures for each set of pictures, and --captions, --val "
                                 "and --test once for each",
                    .value_name = "FILE",
                    .help = "names of pictures to choose the best weights by, or their captions "
                            "(default: the split of the captions, or a tenth)",
                    .is_text = true,
                    .of_set = true},
    [TEST] = {.name = "test",
              .of = OF_ALBUM,
              .otherwise = "give --pictures for each set of pictures, and --captions, --val and "
                           "--test once for each",
              .value_name = "FILE",
              .help = "names of pictures that are left out, to be scored in the end",
              .is_text = true,
              .of_set = true},
    [ENCODER] =
        {.name = "encoder",
         .of = OF_NEW,
         .otherwise = "leave it out: scenes have none, and weights have theirs",
         .value_name = "F",
         .help = "what sees photographs: published weights of EfficientNet-Lite (.pth or "
                 ".safetensors); the folder of a model that sees, such as ViT, DINOv2 or ResNet, "
                 "which stays as it is; or cnn, a small network that learns too",
         .is_text = true},
    [DECODER] = {.name = "decoder",
                 .of = OF_NEW,
                 .otherwise = "leave it out, or give --pictures and no --resume",
                 .value_name = "D",
                 .help = "lstm (default), or of photographs transformer",
                 .choices = decoders,
                 .sizes = true},
    [CACHE] = {.name = "cache",
               .of = OF_ALBUM,
               .value_name = "F",
               .help = "file of the pictures' features, which are computed once (default "
                       "captioner.features)",
               .is_text = true},
    [CACHE_LIMIT] = {.name = "cache-limit",
                     .of = OF_ALBUM,
                     .value_name = "GB",
                     .help = "most that this file may take (default 8)",
                     .remedy = "give its size in GB",
                     .initial = 8},
    [VIEWS] = {.name = "views",
               .of = OF_ALBUM,
               .value_name = "N",
               .help = "views of each picture whose features are kept: plain, mirrored, cut, cut "
                       "and mirrored …, 1 to 16; 0: another one each time (default 3; with "
                       "--fine-tune 0)",
               .remedy = "give 0 to 16",
               .initial = 3},
    [FINE_TUNE] =
        {.name = "fine-tune",
         .of = OF_RESUMED | OF_TUNED | OF_REWARD,
         .otherwise =
             "give --resume F, weights of a captioner of photographs that was trained without",
         .value_name = "N",
         .help = "train the last N blocks of the encoder too; 1000: all. --resume weights "
                 "of a captioner that was trained without (default 0)",
         .remedy = "give a number of blocks"},
    [ENCODER_RATE] = {.name = "encoder-rate",
                      .of = OF_TUNED | OF_REWARD,
                      .otherwise = "give --fine-tune N too, or leave it out",
                      .value_name = "X",
                      .help = "highest learning rate of these blocks (default 5e-05)",
                      .remedy = "give a learning rate, such as 5e-05",
                      .initial = 5e-5f},
    [WORD_COUNT] = {.name = "word-count",
                    .of = OF_NEW,
                    .otherwise = "leave it out: the words are those of the weights",
                    .value_name = "N",
                    .help =
                        "words that captions have less often are unknown (default 5, or less where "
                        "more than a twentieth of the text would be)",
                    .remedy = "give how often a word has to occur",
                    .sizes = true},
    [SMOOTHING] = {.name = "label-smoothing",
                   .of = 1 << ON_SCENES | OF_PHOTOGRAPHS,
                   .value_name = "E",
                   .help = "share of a word's probability that all words get (default 0; of "
                           "photographs 0.1)",
                   .remedy = "give a share below 1; 0: none"},
    [DROPOUT] = {.name = "word-dropout",
                 .of = OF_PHOTOGRAPHS,
                 .value_name = "X",
                 .help = "share of embedded words and of the output layer that is dropped, of "
                         "photographs; of a transformer also of what attention and each layer give "
                         "(default 0.5; transformer 0.25)",
                 .remedy = "give a share below 1; 0: none"},
    [GRID_DROPOUT] = {.name = "grid-dropout",
                      .of = OF_PHOTOGRAPHS | OF_REWARD,
                      .value_name = "X",
                      .help = "share of the cells' features that is dropped, of photographs "
                              "(default 0.2; transformer 0)",
                      .remedy = "give a share below 1; 0: none"},
    [ATTENTION] = SAC_ATTENTION_OPTION(1 << ON_SCENES | OF_PHOTOGRAPHS | OF_REWARD),
    [BOXES] =
        {.name = "boxes",
         .of = OF_LSTM,
         .value_name = "FILE",
         .help =
             "boxes of what photographs show, in COCO's format of instances: words that name such "
             "a thing learn to attend to it (--attention-supervision)",
         .is_text = true},
    [REWARD] = {.name = "reward",
                .of = OF_REWARD | 1 << RESUMED_LSTM | 1 << TUNED_LSTM,
                .otherwise = "give --resume F too, weights of a captioner of photographs with the "
                             "decoder lstm, or leave it out",
                .value_name = "R",
                .help = "cider: learn from captions that the model draws, by CIDEr-D against "
                        "people's, until that of held-out pictures falls; with --resume weights "
                        "(default none)",
                .choices = rewards},
    [SAMPLES] = {.name = "samples",
                 .of = OF_REWARD,
                 .otherwise = "give --reward cider too, or leave it out",
                 .value_name = "N",
                 .help = "captions that --reward draws for each picture, 1 to 64 (default 5)",
                 .remedy = "give 1 to 64",
                 .initial = 5},
    [SAMPLE_TEMPERATURE] = {.name = "sample-temperature",
                            .of = OF_REWARD,
                            .otherwise = "give --reward cider too, or leave it out",
                            .value_name = "X",
                            .help = "temperature at which --reward draws them (default 0.6)",
                            .remedy = "give a number above 0, such as 0.6",
                            .initial = 0.6f},
    [BASELINE] = {.name = "baseline",
                  .of = OF_REWARD,
                  .otherwise = "give --reward cider too, or leave it out",
                  .value_name = "B",
                  .help = "what --reward compares a caption with: mean (default), the picture's "
                          "other samples, or greedy, its most probable words",
                  .choices = baselines},
    [PEOPLE] = {.name = "people",
                .of = OF_PHOTOGRAPHS | OF_REWARD,
                .value_name = "P",
                .help = "words for people where the English captions of a picture disagree about "
                        "their sex or age: as-captioned (default), or general, such as person",
                .choices = people},
    {0},
};

static const sac_bundled bundled[] = {
    {"additive", "captioner/book.safetensors", .dataset = "book"},
    {"additive", "captioner/additive.safetensors", .dataset = "shapes",
     .judged = "captioner/additive-held-pairs.safetensors"},
    {"scaled-dot", "captioner/scaled-dot.safetensors", .dataset = "shapes"},
    {"bilinear", "captioner/bilinear.safetensors", .dataset = "shapes"},
    {"additive", "captioner/photograph.safetensors", .dataset = "photographs",
     .get = "install the package saccade-photographs, or train one (saccade train captioner "
            "--pictures FOLDER) and give it as --weights F"},
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

_Static_assert((int)SAC_MODEL_SETS == (int)SAC_PICTURE_SETS,
               "a set of options for each set of pictures");

static sac_status fill_picture_options(const sac_model_values *values, sac_pictures_options *asked,
                                       sac_error *error)
{
    *asked = (sac_pictures_options){.least = (int)values->value[WORD_COUNT],
                                    .general_people = values->value[PEOPLE] > 0};
    for (int i = 0; i < SAC_PICTURE_SETS; i++) {
        const char *const *text = values->text[i];
        asked->sets[i] = (sac_picture_set){.folder = text[PICTURES],
                                           .captions = text[CAPTIONS],
                                           .val = text[VALIDATION],
                                           .test = text[TEST]};
        const char *left = text[CAPTIONS]     ? text[CAPTIONS]
                           : text[VALIDATION] ? text[VALIDATION]
                                              : text[TEST];
        if (left && !text[PICTURES])
            return sac_fail(error, SAC_E_ARGUMENT, left,
                            "give --pictures for each set of pictures, and --captions, --val and "
                            "--test once for each",
                            "is of no --pictures");
    }
    return SAC_OK;
}

/* The words of the captions. */
static sac_status collect_caption_words(const sac_model_values *values, sac_captioner_words **words,
                                        sac_error *error)
{
    sac_pictures pictures = {0};
    sac_pictures_options asked;
    sac_status status = fill_picture_options(values, &asked, error);
    if (status == SAC_OK)
        status = sac_pictures_open(&asked, &pictures, error);
    if (status != SAC_OK)
        return status;
    *words = sac_captioner_words_create(&pictures.vocabulary);
    if (!*words)
        status = sac_no_memory(error, "captions");
    else if ((*words)->table.count <= SAC_VOCABULARY_MARKS)
        status = sac_fail(error, SAC_E_ARGUMENT, "captions",
                          "give more captions, or a smaller --word-count",
                          "no word occurs %d times", pictures.least);
    else
        (*words)->english = sac_captions_are_english(&pictures);
    sac_pictures_free(&pictures);
    return status;
}

/* The blocks to be trained: as given, or else those of a checkpoint (`file` may be NULL). */
static int trained_block_count(const sac_model_values *values, const sac_arrays *file)
{
    double blocks = (double)values->value[FINE_TUNE];
    if (file && !values->given[FINE_TUNE] &&
        !sac_checkpoint_number(file, options[FINE_TUNE].name, &blocks))
        blocks = 0;
    return (int)fmin(blocks, SAC_EFFICIENTNET_PARTS);
}

/* By the option, or else by that of a checkpoint. */
static bool learns_by_reward(const sac_model_values *values, const sac_arrays *file)
{
    double reward = 0;
    if (!values->given[REWARD] && sac_checkpoint_number(file, options[REWARD].name, &reward))
        return reward > 0;
    return values->value[REWARD] > 0;
}

/* Sentences that learnt by a reward are as long as they should be, and the search would shorten them: of
 * Flickr8k's development split 9.7 words greedily, 9.1 by a beam and 9.6 with this penalty, and CIDEr-D
 * of the beam rises by 1 with it. */
static const float rewarded_penalty = 0.7f;

/* What encodes photographs, by --encoder; all NULL: the layers of the captioner's own. */
typedef struct seeing {
    const char *path;
    sac_arrays *file; /* published weights of EfficientNet-Lite, of that variant … */
    sac_efficientnet_shape network;
    sac_pretrained_model *model; /* … or a model that others trained */
    sac_captioner_pretrained *pretrained;
} seeing;

static sac_status refuse(int option, const char *remedy, const char *why, sac_error *error)
{
    char name[32];
    snprintf(name, sizeof name, "--%s", options[option].name);
    return sac_fail(error, SAC_E_ARGUMENT, name, remedy, "%s", why);
}

/* `asked`: the loss that boxes are for. */
static sac_status require_boxes_option(const sac_model_values *values, bool asked, sac_error *error)
{
    return asked && values->value[SUPERVISION] > 0 && !values->text[0][BOXES]
               ? refuse(SUPERVISION, "give --boxes FILE too, or leave it out",
                        "is by boxes of what photographs show", error)
               : SAC_OK;
}

static sac_status refuse_fine_tuning(sac_error *error)
{
    return refuse(FINE_TUNE, "leave it out",
                  "trains blocks of EfficientNet-Lite, and of no other encoder", error);
}

static sac_status open_encoder(seeing *s, const sac_model_values *values, sac_device *device,
                               sac_error *error)
{
    static const char remedy[] =
        "give published weights of EfficientNet-Lite, the folder of a model "
        "that sees (config.json and its weights), or cnn";
    const char *path = s->path = values->text[0][ENCODER];
    struct stat facts;
    if (!path)
        return sac_fail(error, SAC_E_ARGUMENT, "--encoder", remedy,
                        "is missing: photographs are seen by a network that knows photographs");
    bool is_lite = strcmp(path, "cnn") != 0 && !sac_is_pretrained(path);
    if (sac_is_pretrained(path))
        return sac_encoder_open_folder(path, device, &s->model, &s->pretrained, error);
    if (!is_lite)
        return SAC_OK;
    if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
        return sac_fail(error, SAC_E_FORMAT, path, remedy, "is a folder without a config.json");
    sac_status status = sac_arrays_open(path, &s->file, error);
    return status == SAC_OK ? sac_efficientnet_recognise(s->file, path, 320, &s->network, error)
                            : status;
}

/* A captioner of photographs, in the words of the captions. */
static sac_status create_with_encoder(seeing *s, sac_device *device, const sac_model_values *values,
                                      uint32_t seed, sac_captioner **captioner, sac_error *error)
{
    sac_captioner_words *words = NULL;
    sac_status status = collect_caption_words(values, &words, error);
    if (status == SAC_OK) {
        const char *network = s->model ? "pretrained" : s->file ? s->network.name : "cnn";
        sac_captioner_shape shape = values->value[DECODER] > 0
                                        ? sac_captioner_layered_shape(network, words)
                                        : sac_captioner_photograph_shape(
                                              network, words, score_of[(int)values->value[SCORE]]);
        shape.network.learning = trained_block_count(values, NULL);
        shape.normalizer = (sac_normalizer)values->value[ATTENTION];
        if (!shape.once)
            sac_notice("captions: are not English, so a word may occur twice in one%s",
                       sac_caption_names_sides(&words->table)
                           ? ""
                           : ", and no picture is mirrored, as the words for left and right are "
                             "not known");
        if (s->pretrained) {
            shape.network.pretrained = s->pretrained;
            shape.side = s->pretrained->side;
            shape.network.detail = 0;
            s->pretrained = NULL;
        }
        status = sac_captioner_create(device, &shape, seed, captioner, error);
        sac_captioner_shape_free(&shape);
    }
    sac_captioner_words_free(words);
    const sac_parameter *gain = *captioner ? (*captioner)->weights.cells.gain : NULL;
    if (status == SAC_OK && gain)
        status = sac_span_fill(device, sac_tensor_span(gain->value), gain->count, 1, error);
    if (status == SAC_OK && s->file)
        status = sac_efficientnet_load(&(*captioner)->weights.network, s->file, s->path, error);
    if (status == SAC_OK && s->model) {
        status = sac_encoder_adopt_model(*captioner, s->model, error);
        s->model = NULL;
    }
    return status;
}

static sac_status create_of_photographs(sac_device *device, const sac_model_values *values,
                                        uint32_t seed, sac_model **model, sac_error *error)
{
    sac_captioner *captioner = NULL;
    seeing s = {0};
    *model = NULL;
    sac_status status = require_boxes_option(values, values->given[SUPERVISION], error);
    if (status == SAC_OK)
        status = open_encoder(&s, values, device, error);
    if (status == SAC_OK && s.model && sac_architecture_note(s.model)[0])
        sac_notice("%s: %s", s.path, sac_architecture_note(s.model));
    if (status == SAC_OK)
        status = create_with_encoder(&s, device, values, seed, &captioner, error);
    sac_arrays_close(s.file);
    sac_pretrained_model_close(s.model);
    sac_captioner_pretrained_free(s.pretrained);
    if (status == SAC_OK)
        *model = &captioner->base;
    else
        sac_captioner_destroy(captioner);
    return status;
}

static sac_status create_of_scenes(sac_device *device, const sac_model_values *values,
                                   uint32_t seed, sac_model **model, sac_error *error)
{
    sac_captioner *captioner;
    *model = NULL;
    if (values->text[0][PICTURES])
        return create_of_photographs(device, values, seed, model, error);
    sac_captioner_shape shape = sac_captioner_default_shape(
        sac_dataset_at((int)values->value[DATASET]), score_of[(int)values->value[SCORE]]);
    shape.all_pairs = values->value[ALL_PAIRS] > 0;
    shape.normalizer = (sac_normalizer)values->value[ATTENTION];
    sac_status status = sac_captioner_create(device, &shape, seed, &captioner, error);
    *model = captioner ? &captioner->base : NULL;
    return status;
}

static sac_status create(sac_device *device, const sac_model_values *values, uint32_t seed,
                         sac_model **model, sac_error *error)
{
    sac_status status = values->text[0][PICTURES]
                            ? create_of_photographs(device, values, seed, model, error)
                            : create_of_scenes(device, values, seed, model, error);
    if (*model)
        (*model)->attention_chosen = values->given[ATTENTION];
    return status;
}

static sac_status create_like(sac_device *device, const sac_arrays *file, const char *path,
                              const sac_model_values *training, uint32_t seed, sac_model **model,
                              sac_error *error)
{
    sac_captioner *captioner = NULL;
    sac_captioner_shape shape;
    sac_status status = sac_captioner_read_shape(file, path, &shape, error);
    if (status == SAC_OK)
        shape.normalizer = sac_model_choose_normalizer(training, ATTENTION, shape.normalizer, path);
    if (status == SAC_OK && training && sac_captioner_is_for_photographs(&shape))
        shape.network.learning = trained_block_count(training, file);
    if (status == SAC_OK && shape.network.learning && (shape.network.pretrained || shape.layers))
        status = refuse_fine_tuning(error);
    if (status == SAC_OK)
        status = sac_captioner_make(&sac_captioner_class, device, &shape, training != NULL, seed,
                                    &captioner, error);
    if (status == SAC_OK && training && learns_by_reward(training, file)) {
        captioner->by_reward = true;
        if (captioner->shape.length_penalty == 0)
            captioner->shape.length_penalty = rewarded_penalty;
    }
    if (status == SAC_OK && shape.network.pretrained) {
        sac_pretrained_model *pretrained;
        status = sac_encoder_open_inside(path, device, &shape, &pretrained, error);
        if (status == SAC_OK)
            status = sac_encoder_adopt_model(captioner, pretrained, error);
    }
    sac_captioner_shape_free(&shape);
    if (status != SAC_OK) {
        sac_captioner_destroy(captioner);
        captioner = NULL;
    }
    *model = captioner ? &captioner->base : NULL;
    if (captioner)
        captioner->base.attention_chosen = training && training->given[ATTENTION];
    return status;
}

static sac_status check(const sac_model *model, const sac_arrays *file, const char *path,
                        sac_error *error)
{
    sac_captioner_shape shape;
    sac_status status = sac_captioner_read_shape(file, path, &shape, error);
    if (status != SAC_OK)
        return status;
    const sac_captioner_shape *own = shape_of(model);
    const bool measured = shape.limit > 0, alike = measured == (own->limit > 0);
    shape.limit = own->limit; /* that was measured, and is not what the model is */
    shape.sure = own->sure;
    shape.least_log = own->least_log;
    shape.length_penalty = own->length_penalty; /* nor is the way in which it is searched */
    status = sac_description_take_normalizer(model, file, path, own->normalizer, &shape.normalizer,
                                             error);
    if (status == SAC_OK)
        status = sac_description_compare(model, sac_captioner_describe(&shape), path, error);
    if (status == SAC_OK && !alike)
        status = sac_fail(error, SAC_E_ARGUMENT, path,
                          "measure the one that was not: --steps 0 --resume F",
                          measured ? "was measured for what it is unsure of, and the other was not"
                                   : "was not measured for what it is unsure of, as the other was");
    sac_captioner_shape_free(&shape);
    return status;
}

static char *describe(const sac_model *model)
{
    return sac_captioner_describe(shape_of(model));
}

static void describe_short(const sac_model *model, char *text, size_t size)
{
    sac_model_kind(sac_captioner_kind(shape_of(model)), shape_of(model)->normalizer, text, size);
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

static sac_schedule training_schedule(const sac_model *model)
{
    /* Of Flickr8k's captions CIDEr-D on held-out pictures rises for some 400 steps, and then falls. */
    static const sac_schedule by_reward = {.steps = 600,
                                           .batch = 20,
                                           .rate = 1e-4f,
                                           .clip = 5,
                                           .average = 0.97f,
                                           .judge_every = 40,
                                           .patience = 3,
                                           .samples = "photographs"};
    return ((const sac_captioner *)model)->by_reward ? by_reward
                                                     : sac_captioner_schedule(shape_of(model));
}

static void set_default_options(const sac_model *model, sac_model_values *values)
{
    static const struct {
        int option;
        float lstm, layers;
    } of_photographs[] = {{SUPERVISION, 0, 0},
                          {DOUBLY_STOCHASTIC, 0.25f, 0},
                          {SMOOTHING, 0.1f, 0.1f},
                          {DROPOUT, 0.5f, 0.25f},
                          {GRID_DROPOUT, 0.2f, 0}};
    bool layers = sac_captioner_has_layers(shape_of(model));
    bool rewards_samples = values->value[REWARD] > 0;
    if (!sac_captioner_is_for_photographs(shape_of(model)))
        return;
    bool keeps = !shape_of(model)->network.learning && !shape_of(model)->layers;
    if ((!keeps || rewards_samples) && !values->given[VIEWS])
        values->value[VIEWS] = keeps; /* others than the plain one add nothing to samples */
    for (size_t i = values->text[0][BOXES] ? 1 : 0;
         i < sizeof of_photographs / sizeof *of_photographs; i++)
        if (!values->given[of_photographs[i].option])
            values->value[of_photographs[i].option] =
                rewards_samples && of_photographs[i].option != GRID_DROPOUT
                    ? 0
                    : (layers ? of_photographs[i].layers : of_photographs[i].lstm);
}

/* The numbers of a training by a reward. */
static sac_status check_reward(const sac_model_values *values, sac_error *error)
{
    const float samples = values->value[SAMPLES];
    if (values->value[REWARD] == 0)
        return SAC_OK;
    if (!(samples >= 1 && samples <= MOST_SAMPLES) || samples != floorf(samples))
        return refuse(SAMPLES, options[SAMPLES].remedy, "is out of range", error);
    if (samples == 1 && values->value[BASELINE] != GREEDY)
        return refuse(SAMPLES, "give 2 or more, or --baseline greedy",
                      "of 1 leaves no others to compare it with", error);
    if (!(values->value[SAMPLE_TEMPERATURE] >= 0.05f))
        return refuse(SAMPLE_TEMPERATURE, "give 0.05 or more, such as 0.6",
                      "is too low to draw anything but the most probable words", error);
    return SAC_OK;
}

static sac_status prepare_training(sac_model *model, const sac_model_values *values,
                                   sac_error *error)
{
    sac_album_options asked = {
        .rewards = values->value[REWARD] > 0,
        .cache = values->text[0][CACHE] ? values->text[0][CACHE] : "captioner.features",
        .cache_limit = 1e9 * (double)values->value[CACHE_LIMIT],
        .views = (int)values->value[VIEWS],
        .boxes = values->text[0][BOXES],
    };
    if (!sac_captioner_is_for_photographs(shape_of(model)))
        return SAC_OK;
    sac_status status = check_reward(values, error);
    if (status == SAC_OK)
        status = require_boxes_option(values, true, error);
    if (status != SAC_OK)
        return status;
    if (!values->text[0][PICTURES])
        return sac_fail(error, SAC_E_ARGUMENT, "--pictures",
                        "give the folder, and --captions, that it was trained on before",
                        "is missing");
    if (asked.views > 16)
        return sac_fail(error, SAC_E_ARGUMENT, "--views", "give 0 to 16", "is out of range");
    for (int i = CACHE; i <= CACHE_LIMIT; i++)
        if (!asked.views && values->given[i])
            return refuse(i, "give --views 1 to 16, or leave it out",
                          "is of views whose features are kept, and none are", error);
    if (asked.views && captioner_of(model)->encoder->first(captioner_of(model)) == 0)
        return sac_fail(error, SAC_E_ARGUMENT, "--views", "leave it out, or fine-tune fewer blocks",
                        "has no features to keep where all of the encoder learns");
    status = fill_picture_options(values, &asked.pictures, error);
    return status == SAC_OK ? sac_album_open(captioner_of(model), &asked, error) : status;
}

static int training_kind(const sac_model *model, const sac_model_values *values, bool measures)
{
    const sac_captioner_shape *shape = model ? shape_of(model) : NULL;
    if (shape ? !sac_captioner_is_for_photographs(shape) : !values->text[0][PICTURES])
        return measures ? MEASURED_SCENES : ON_SCENES;
    const bool layers = shape ? sac_captioner_has_layers(shape) : values->value[DECODER] > 0;
    const int kind = measures                                        ? MEASURED
                     : shape && !layers && values->value[REWARD] > 0 ? BY_REWARD
                     : !shape                                        ? NEW_LSTM
                     : shape->network.learning                       ? TUNED_LSTM
                                                                     : RESUMED_LSTM;
    return kind + (kind < BY_REWARD && layers); /* that of layers is the next one */
}

static sac_status measure_domain(sac_model *model, sac_error *error)
{
    return sac_captioner_is_for_photographs(shape_of(model))
               ? sac_domain_measure(captioner_of(model), error)
               : SAC_OK;
}

static float slow_rate(const sac_model_values *values)
{
    return values->value[ENCODER_RATE];
}

static sac_status score_held_out(sac_model *model, const sac_model_values *values, double *score,
                                 sac_error *error)
{
    (void)values;
    return sac_album_judge(captioner_of(model), score, error);
}

static sac_status fill_batch_maker(const sac_model *model, const sac_model_values *values,
                                   size_t size, uint32_t seed, sac_batch_maker *maker,
                                   sac_error *error)
{
    (void)values;
    const sac_captioner_shape *shape = shape_of(model);
    if (sac_captioner_is_for_photographs(shape))
        return sac_album_batches((const sac_captioner *)model, size, seed, maker, error);
    sac_stream stream = shape->all_pairs ? SAC_STREAM_ALL_PAIRS : SAC_STREAM_TRAINING;
    return sac_scene_batches(shape, stream, size, model->share, seed, maker, error);
}

/* The parts are the mean cross-entropy of a word, the supervision of attention, and the
 * doubly stochastic term; of a training by a reward its figures (sac_caption_reward). */
static sac_status learn(sac_model *model, const void *batch, const sac_model_values *values,
                        sac_losses *losses, sac_error *error)
{
    float gaze = values->value[SUPERVISION], coverage = values->value[DOUBLY_STOCHASTIC],
          all[3] = {0};
    sac_caption_lesson lesson = {
        .supervision = gaze, .doubly_stochastic = coverage, .smoothing = values->value[SMOOTHING]};
    if (sac_captioner_is_for_photographs(shape_of(model))) {
        lesson.dropout = values->value[DROPOUT];
        lesson.grid_dropout = values->value[GRID_DROPOUT];
    }
    for (int i = 0; i < SAC_LOSS_PARTS; i++)
        losses->part[i] = NAN;
    if (values->value[REWARD] > 0) {
        const sac_caption_reward_options how = {.samples = (int)values->value[SAMPLES],
                                                .temperature = values->value[SAMPLE_TEMPERATURE],
                                                .greedy = values->value[BASELINE] == GREEDY};
        sac_caption_reward of_batch = {0};
        sac_status learnt = sac_captioner_learn_reward(captioner_of(model), batch, &lesson, &how,
                                                       &losses->total, &of_batch, error);
        losses->part[3] = of_batch.reward;
        losses->part[4] = of_batch.baseline;
        losses->part[5] = of_batch.different;
        return learnt;
    }
    sac_status status = sac_captioner_learn(captioner_of(model), batch, &lesson, all, error);
    losses->total = all[0] + all[1] + all[2];
    losses->part[0] = all[0];
    losses->part[1] = gaze > 0 ? all[2] / gaze : NAN;
    losses->part[2] = coverage > 0 ? all[1] / coverage : NAN;
    return status;
}

static const char *token_text(const void *self, int token)
{
    return sac_captioner_word(shape_of(self), token);
}

static const sac_decoder decoder_of_layers = {.name = "captioner",
                                              .start = sac_captioner_start,
                                              .token = token_text,
                                              .step = sac_captioner_stack_step,
                                              .attention = sac_captioner_stack_attention};
static const sac_decoder decoder = {.name = "captioner",
                                    .start = sac_captioner_start,
                                    .token = token_text,
                                    .step = sac_captioner_decode_step};

static const sac_decoder *decoder_of(const sac_model *model)
{
    return sac_captioner_has_layers(shape_of(model)) ? &decoder_of_layers : &decoder;
}

static sac_status open_watched_examples(const sac_model *model, sac_watched *watched,
                                        sac_error *error)
{
    return sac_captioner_is_for_photographs(shape_of(model))
               ? sac_album_watch((const sac_captioner *)model, watched, error)
               : open_watched_scenes(shape_of(model), watched, error);
}

static sac_status evaluate(sac_model *model, const sac_evaluation_options *how,
                           const sac_progress *progress, sac_evaluation_report *report,
                           sac_error *error)
{
    sac_evaluation evaluation;
    if (sac_captioner_is_for_photographs(shape_of(model)))
        return sac_fail(error, SAC_E_ARGUMENT, "evaluate", "give --pictures and --captions",
                        "the model captions photographs, and not scenes");
    sac_status status =
        sac_captioner_evaluate(captioner_of(model), how, progress, &evaluation, error);
    if (status == SAC_OK)
        sac_evaluation_fill_report(&evaluation, report);
    return status;
}

static sac_status open_caption_source(const sac_model_open_options *how, sac_source *source,
                                      sac_error *error)
{
    return sac_caption_open(&sac_captioner_class, how, source, error);
}

const sac_model_class sac_captioner_class = {
    .name = "captioner",
    .samples = "scenes",
    .sample = "picture",
    .losses = {"words", "gaze", "coverage", "reward", "baseline", "different %"},
    .reward = 3,
    .options = options,
    .trainings = trainings,
    .training_kind = training_kind,
    .bundled = bundled,
    .mark = "\"layers\":",
    .training = {.steps = 8000, .batch = 32, .rate = 2e-3f},
    .training_of = training_schedule,
    .create = create,
    .create_like = create_like,
    .check = check,
    .describe = describe,
    .describe_short = describe_short,
    .destroy = destroy,
    .slow_rate = slow_rate,
    .defaults = set_default_options,
    .prepare = prepare_training,
    .figure = "CIDEr-D",
    .judge = score_held_out,
    .measure = measure_domain,
    .batches = fill_batch_maker,
    .learn = learn,
    .decoder = &decoder,
    .decoder_of = decoder_of,
    .watch = open_watched_examples,
    .evaluate = evaluate,
    .open = open_caption_source,
};
