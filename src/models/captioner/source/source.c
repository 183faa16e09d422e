/* Captioners and pictures as a source that generates captions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "captioner/model.h"
#include "captioner/photographs/domain.h"
#include "captioner/source/photograph.h"
#include "captioner/source/source.h"
#include "datasets/dataset.h"
#include "device/device.h"
#include "images/folder.h"
#include "images/resample.h"
#include "models/checkpoint.h"
#include "models/token_run.h"
#include "saccade_arrays.h"
#include "shapes/truth.h"
#include "sources/translate.h"

/* ---------------------------------------------------------------- how sure a class is */

void sac_result_mark_unsure(sac_result *caption, int given, const sac_captioner_shape *shape)
{
    const bool *describes = shape->words ? shape->words->once : NULL;
    float sure = !shape->words ? SAC_SURE : shape->sure > 0 ? shape->sure : SAC_SURE_OF_PHOTOGRAPHS;
    for (int i = 0; i < caption->count; i++) {
        const sac_result_output *word = &caption->outputs[i];
        caption->outputs[i].describes = describes && describes[word->word];
        caption->outputs[i].unsure =
            i >= given && word->probability < sure && (!describes || describes[word->word]);
    }
}

void sac_caption_doubt(const sac_result *caption, const sac_dataset *dataset, char *note,
                       size_t size)
{
    const sac_result_output *least = NULL;
    int word[SAC_MAX_TOKENS];
    note[0] = '\0';
    for (int i = 0; i < caption->count; i++) {
        word[i] = caption->outputs[i].word;
        if (caption->outputs[i].unsure && caption->outputs[i].probability < SAC_DOUBTED &&
            (!least || caption->outputs[i].probability < least->probability))
            least = &caption->outputs[i];
    }
    if (!caption->finished || !dataset->has_sentence(word, caption->count))
        snprintf(note, size, "trained on %s only; this sentence does not occur there",
                 dataset->knows);
    else if (least)
        snprintf(note, size, "“%s” is unreliable (%.2f); trained on %s only", least->text,
                 (double)least->probability, dataset->knows);
}

void sac_caption_doubt_photograph(const sac_result *caption, char *note, size_t size)
{
    const sac_result_output *least = NULL;
    for (int i = 0; i < caption->count; i++)
        if (caption->outputs[i].unsure &&
            (!least || caption->outputs[i].probability < least->probability))
            least = &caption->outputs[i];
    size_t used = strlen(note);
    if (least)
        snprintf(note + used, size - used, "%sunsure of “%s” (%.2f)", used ? "; " : "", least->text,
                 (double)least->probability);
}

float sac_caption_mean_log(const sac_result *caption, int given)
{
    double sum = 0;
    for (int i = given; i < caption->count; i++)
        sum += log(fmax((double)caption->outputs[i].probability, 1e-30));
    return caption->count > given ? (float)(sum / (caption->count - given)) : 0;
}

/* Two thirds of the words that describe, and more, are unsure. So are 22 in 100 captions of photographs of
 * Flickr8k that were held out: 44 in 100 of their describing words are in a person's caption, of the others' 57. */
static bool is_mostly_unsure(const sac_result *caption, const bool *describes)
{
    int unsure = 0, all = 0;
    for (int i = 0; i < caption->count; i++) {
        all += describes[caption->outputs[i].word];
        unsure += caption->outputs[i].unsure;
    }
    return unsure && 3 * unsure >= 2 * all;
}

void sac_caption_judge_photograph(sac_result *caption, int given, const char *doubt,
                                  const sac_captioner_shape *shape)
{
    const float least = shape->least_log < 0 ? shape->least_log : SAC_LEAST_LOG_OF_PHOTOGRAPHS;
    snprintf(caption->note, sizeof caption->note, "%s", doubt);
    if (!caption->note[0] && sac_caption_mean_log(caption, given) < least)
        snprintf(caption->note, sizeof caption->note,
                 N_("its words are as improbable as of what is unlike the photographs that it was "
                    "trained on"));
    caption->knows_unlike = true;
    caption->is_unlike = caption->note[0];
    caption->is_doubtful = caption->is_unlike || is_mostly_unsure(caption, shape->words->once);
    sac_caption_doubt_photograph(caption, caption->note, sizeof caption->note);
}

/* ---------------------------------------------------------------- truth */

/* The place of a word among size, colour and shape; −1: an article. */
static int phrase_slot_of_word(const char *word)
{
    int number = sac_word_find(word);
    return number == SAC_WORD_SMALL || number == SAC_WORD_LARGE    ? 0
           : number >= SAC_WORD_SHAPE && number < SAC_WORD_NOTHING ? 2
           : number >= SAC_WORD_COLOUR                             ? 1
                                                                   : -1;
}

/* Words of the same place mean one object. */
static int find_or_add_object(const sac_look *look, sac_caption_truth *truth)
{
    if (!look->count)
        return -1;
    for (int i = 0; i < truth->objects; i++)
        if (memcmp(&truth->object[i].look, look, sizeof *look) == 0)
            return i;
    if (truth->objects == SAC_CAPTION_OBJECTS)
        return -1;
    truth->object[truth->objects].look = *look;
    return truth->objects++;
}

static bool dataset_names_word(const sac_dataset *dataset, const char *word)
{
    for (int i = 0; dataset && i < dataset->vocabulary; i++)
        if (strcmp(dataset->word_text(i), word) == 0)
            return dataset->names(i);
    return false;
}

/* What names it: up to three of its words, in their order. */
static void add_object_word(const char *word, int object, sac_caption_truth *truth)
{
    for (int i = 0; object >= 0 && i < 3; i++)
        if (!truth->object[object].words[i][0]) {
            snprintf(truth->object[object].words[i], sizeof truth->object[object].words[i], "%s",
                     word);
            return;
        }
}

void sac_captioner_truth(const sac_truth *from, sac_caption_truth *truth)
{
    const sac_dataset *dataset = sac_dataset_find(from->dataset);
    size_t used = 0;
    *truth =
        (sac_caption_truth){.objects = from->count, .words = from->words, .by_word = from->by_word};
    for (int i = 0; i < from->count; i++) {
        truth->object[i].look.count = 1;
        memcpy(truth->object[i].look.box[0], from->boxes[i], sizeof from->boxes[i]);
    }
    for (int i = 0; i < from->words && used < sizeof truth->caption; i++) {
        const char *word = from->word[i];
        used += (size_t)snprintf(truth->caption + used, sizeof truth->caption - used, "%s%s",
                                 i ? " " : "", word);
        truth->names[i] = dataset_names_word(dataset, word);
        truth->object_of_word[i] =
            from->by_word ? find_or_add_object(&from->look[i], truth) : from->object_of_word[i];
        if (!from->by_word) {
            int place = phrase_slot_of_word(word);
            if (truth->object_of_word[i] >= 0 && truth->object_of_word[i] < truth->objects &&
                place >= 0)
                snprintf(truth->object[truth->object_of_word[i]].words[place],
                         sizeof truth->object[truth->object_of_word[i]].words[place], "%s", word);
        } else if (truth->names[i])
            add_object_word(word, truth->object_of_word[i], truth);
    }
}

/* ---------------------------------------------------------------- the source */

enum { LONGEST_SHOWN = 896 }; /* pixels of a picture's longer side, or square, as it is shown */

typedef struct model {
    char path[1024];
    sac_captioner_shape shape;
    sac_captioner *captioner; /* NULL: nothing was asked of it yet */
    sac_image square;         /* the picture at the model's side; empty: a model before it has one
                                 of that side */
    char doubt[256]; /* why its captions of the picture are a guess; empty: they are none */
} model;

/* The picture that is shown, and the models that attend to it. */
typedef struct captions {
    const sac_model_class *class; /* of all models */
    sac_picture_files files;      /* none: scenes */
    uint64_t scene;
    sac_device *device;
    model models[SAC_SOURCE_MODELS];
    int model_count;
    bool (*suits)(const char *path, const sac_image *picture, const char *topic); /* or NULL */
    bool own;        /* a scene of the models' dataset */
    bool photograph; /* where it is none: a photograph, and no drawing */
    bool nothing;    /* to a model of photographs: even or drawn */
    sac_image shown;
    char advice[128];           /* beside the doubt about a photograph; empty: none */
    const sac_dataset *dataset; /* of the models; NULL: photographs */
    const char **vocabulary;    /* its words */
} captions;

/* ---------------------------------------------------------------- generation */

static const sac_image *find_square(const captions *c, const model *m)
{
    for (const model *other = c->models; other < m; other++)
        if (other->shape.side == m->shape.side &&
            other->shape.network.detail == m->shape.network.detail)
            return &other->square;
    return &m->square;
}

static sac_status decode(const model *m, const sac_result_request *request, sac_result *caption,
                         sac_error *error)
{
    sac_status status = sac_captioner_generate(m->captioner, request, caption, error);
    if (status == SAC_OK)
        sac_result_mark_unsure(caption, request->prefix_count, &m->shape);
    return status;
}

/* A caption without an end has as many words as the model was trained to give. */
static void note_cut(sac_result *caption)
{
    size_t used = strlen(caption->note);
    if (!caption->finished)
        snprintf(caption->note + used, sizeof caption->note - used, "%scut at %d words",
                 used ? "; " : "", caption->count);
}

/* What is to be known of a caption, and whether it is a guess. */
static void judge_caption(const captions *c, const model *m, int given, sac_result *caption)
{
    if (sac_captioner_is_for_photographs(&m->shape)) {
        sac_caption_judge_photograph(caption, given, m->doubt, &m->shape);
        return;
    }
    snprintf(caption->note, sizeof caption->note, "%s", m->doubt);
    caption->knows_unlike = true;
    caption->is_unlike = !c->own && m->doubt[0];
    caption->is_doubtful = caption->is_unlike;
}

static sac_status attend(sac_model *own, const int *words, int count, sac_attentions *a,
                         sac_error *error)
{
    return sac_captioner_attentions((sac_captioner *)own, words, count, a, error);
}

static sac_status generate(void *self, const sac_result_request *request, sac_result *caption,
                           sac_error *error)
{
    const captions *c = self;
    const model *m = &c->models[request->model];
    if (request->sampling)
        return sac_model_generate_tokens((sac_model *)m->captioner,
                                         sac_captioner_has_layers(&m->shape) ? attend : NULL,
                                         request->sampling, &caption->generation, error);
    sac_status status = decode(m, request, caption, error);
    if (status != SAC_OK)
        return status;
    judge_caption(c, m, request->prefix_count, caption);
    note_cut(caption);
    return SAC_OK;
}

/* Of a picture that may show anything, the plain caption also decides whether all captions of it are
 * a guess. */
static sac_status encode(sac_source *source, int number, sac_error *error)
{
    captions *c = source->self;
    model *m = &c->models[number];
    sac_model *loaded = (sac_model *)m->captioner;
    sac_status status =
        loaded ? SAC_OK : sac_checkpoint_load(c->class, c->device, m->path, &loaded, error);
    m->captioner = (sac_captioner *)loaded;
    if (status == SAC_OK)
        status = sac_captioner_encode_square(m->captioner, find_square(c, m), error);
    m->doubt[0] = '\0';
    if (status != SAC_OK || c->own)
        return status;
    if (!c->dataset) {
        float distance;
        status = sac_domain_distance(m->captioner, &distance, error);
        const char *doubt =
            c->nothing ? N_("even or drawn, and unlike the photographs that it was trained on")
            : distance > m->shape.limit ? N_("unlike the photographs that it was trained on")
                                        : "";
        if (status == SAC_OK)
            snprintf(m->doubt, sizeof m->doubt, "%s", doubt);
        return status;
    }
    if (c->photograph) {
        snprintf(m->doubt, sizeof m->doubt,
                 "trained on %s only; captions of photographs are unreliable%s%s",
                 c->dataset->knows, c->advice[0] ? ": " : "", c->advice);
        return SAC_OK;
    }
    const sac_result_request plain = {.model = number};
    sac_result caption;
    status = decode(m, &plain, &caption, error);
    if (status != SAC_OK)
        return status;
    sac_caption_doubt(&caption, c->dataset, m->doubt, sizeof m->doubt);
    judge_caption(c, m, 0, &caption);
    note_cut(&caption);
    sac_source_keep(source, &plain, &caption);
    sac_result_free(&caption);
    return SAC_OK;
}

/* The queries of the caption that was decoded last are still there. */
static sac_status explain(void *self, const sac_explanation_request *request,
                          sac_explanation *explanation, sac_error *error)
{
    const captions *c = self;
    return sac_captioner_explain(c->models[request->caption->model].captioner, request, explanation,
                                 error);
}

static sac_status attentions(void *self, int number, const sac_result *caption, sac_attentions *a,
                             sac_error *error)
{
    const captions *c = self;
    int words[SAC_MAX_TOKENS];
    sac_status status = sac_captioner_attentions(c->models[number].captioner, words,
                                                 sac_result_tokens(caption, words), a, error);
    if (status == SAC_OK)
        status = sac_image_create(c->shown.width, c->shown.height, &a->picture, error);
    if (status == SAC_OK)
        memcpy(a->picture.rgba, c->shown.rgba,
               4 * (size_t)c->shown.width * (size_t)c->shown.height);
    else
        sac_attentions_free(a);
    return status;
}

static sac_status head_maps(void *self, const sac_result_request *request, int layer, int count,
                            float *maps, sac_error *error)
{
    const captions *c = self;
    return sac_captioner_head_maps(c->models[request->model].captioner, request, layer, count, maps,
                                   error);
}

static sac_status find_candidates(void *self, size_t step, const sac_sampling *how,
                                  sac_candidate *candidates, int *count, int *kept,
                                  sac_error *error)
{
    const captions *c = self;
    return sac_model_candidates((sac_model *)c->models[0].captioner, step, how, candidates, count,
                                kept, error);
}

static bool token_allowed(const void *self, int word)
{
    (void)self;
    return word > SAC_WORD_END;
}

/* ---------------------------------------------------------------- turning */

/* Another picture, which takes the place of the one that is shown once all of it is there. */
typedef struct fresh {
    sac_image picture; /* empty: lent by someone else */
    sac_image shown, square[SAC_SOURCE_MODELS];
    float file_box[4]; /* of sac_picture_source */
    bool known, photograph, nothing;
    sac_truth truth;
    sac_origin origin;
    char title[128], note[sizeof((sac_source *)0)->note];
} fresh;

static void fresh_free(fresh *f)
{
    sac_image_free(&f->picture);
    sac_image_free(&f->shown);
    for (int i = 0; i < SAC_SOURCE_MODELS; i++)
        sac_image_free(&f->square[i]);
}

/* A file that cannot be read as a truth may be something else beside a picture of that name. */
static void load_truth(const char *path, fresh *f)
{
    sac_error wrong = {0};
    if (sac_truth_load(path, &f->truth, &f->known, &wrong) == SAC_OK)
        return;
    f->known = false;
    snprintf(f->note, sizeof f->note, "no truth: %.100s %.120s", wrong.where, wrong.what);
}

static sac_status load_file(const char *path, bool pixels, fresh *f, sac_error *error)
{
    sac_status status = pixels ? sac_image_load(path, &f->picture, error) : SAC_OK;
    if (status == SAC_OK)
        status = sac_origin_hash(path, f->origin.hash, error);
    if (status == SAC_OK)
        load_truth(path, f);
    const char *slash = strrchr(path, '/');
    char *absolute = realpath(path, NULL);
    snprintf(f->origin.file, sizeof f->origin.file, "%s", absolute ? absolute : path);
    snprintf(f->title, sizeof f->title, "%s", slash ? slash + 1 : path);
    free(absolute);
    return status;
}

static sac_status make_scene(const sac_dataset *dataset, uint64_t seed, fresh *f, sac_error *error)
{
    void *scene = malloc(dataset->scene_size);
    if (!scene)
        return sac_no_memory(error, "scene");
    dataset->make(SAC_STREAM_TEST, seed, scene);
    dataset->truth(scene, &f->truth);
    f->known = true;
    snprintf(f->title, sizeof f->title, "%s %llu", dataset->title, (unsigned long long)seed);
    sac_status status = dataset->image(scene, SAC_SCENE_SIDE, &f->picture, error);
    free(scene);
    return status;
}

/* The picture as it is shown, and the squares that the models attend to. */
static sac_status make_squares(const captions *c, const sac_image *picture, fresh *f,
                               sac_error *error)
{
    int longer = picture->width > picture->height ? picture->width : picture->height;
    int shown = longer < LONGEST_SHOWN ? longer : LONGEST_SHOWN;
    /* Models of photographs see them squeezed to a square, and their cells are stretched back over
     * the picture as it is shown. */
    sac_square_part in = sac_picture_in_square(picture, shown);
    int width = in.x1 - in.x0, height = in.y1 - in.y0;
    sac_status status = c->dataset
                            ? sac_image_fit_in_square(picture, shown, &f->shown, error)
                            : sac_image_scale(picture, width, height, true, &f->shown, error);
    if (!c->dataset)
        in = (sac_square_part){0, 0, shown, shown};
    const int sides[4] = {in.x0, in.y0, in.x1, in.y1};
    for (int k = 0; k < 4; k++)
        f->file_box[k] = (float)sides[k] / (float)shown;
    if (status == SAC_OK && c->dataset)
        sac_veil_outside(picture, &f->shown);
    if (status == SAC_OK && !f->known && c->dataset)
        status = sac_is_photograph(picture, c->dataset, &f->photograph, error);
    if (status == SAC_OK && !c->dataset)
        status = sac_shows_nothing(picture, &f->nothing, error);
    for (int i = 0; status == SAC_OK && i < c->model_count; i++) {
        const model *m = &c->models[i];
        if (find_square(c, m) == &m->square)
            status = sac_captioner_square(&m->shape, picture, &f->square[i], error);
    }
    return status;
}

static void take_image(sac_image *from, sac_image *to)
{
    sac_image_free(to);
    *to = *from;
    *from = (sac_image){0};
}

static void show_fresh_picture(captions *c, fresh *f, int picture, sac_source *source)
{
    take_image(&f->shown, &c->shown);
    for (int i = 0; i < c->model_count; i++)
        take_image(&f->square[i], &c->models[i].square);
    c->own = f->known && c->dataset && strcmp(f->truth.dataset, c->dataset->name) == 0;
    c->photograph = f->photograph;
    c->nothing = f->nothing;
    memcpy(source->origin.file, f->origin.file, sizeof source->origin.file);
    memcpy(source->origin.hash, f->origin.hash, sizeof source->origin.hash);
    memcpy(source->title, f->title, sizeof source->title);
    sac_source_clear_note(source);
    if (f->note[0])
        sac_source_add_note(source, SAC_NOTE_SHOWN, "%s", f->note);
    source->picture.image = &c->shown;
    memcpy(source->picture.file_box, f->file_box, sizeof f->file_box);
    source->result.has_truth = f->known;
    source->result.truth = (sac_caption_truth){0};
    if (f->known)
        sac_captioner_truth(&f->truth, &source->result.truth);
    source->picture.number = picture;
    if (source->picture.count <= picture)
        source->picture.count = picture + 1;
}

/* Everything that can fail comes before anything changes. `pixels`: the picture's, or NULL. */
static sac_status load_and_show_picture(sac_source *source, int picture, const sac_image *pixels,
                                        sac_error *error)
{
    captions *c = source->self;
    fresh f = {0};
    source->picture.elsewhere = false;
    if (!c->files.count && !c->dataset)
        return sac_fail(error, SAC_E_ARGUMENT, "picture", "give a photograph",
                        "the model captions photographs, and not scenes");
    sac_status status = c->files.count
                            ? load_file(c->files.paths[picture], !pixels, &f, error)
                            : make_scene(c->dataset, c->scene + (uint64_t)picture, &f, error);
    const sac_image *opened = f.picture.rgba ? &f.picture : pixels;
    if (status == SAC_OK && c->files.count && c->suits &&
        !c->suits(c->files.paths[picture], opened, source->result.topic)) {
        source->picture.elsewhere = true;
        status = sac_fail(error, SAC_E_ARGUMENT, f.title, "open it by itself",
                          "needs another model than that of %s", source->result.topic);
    }
    if (status == SAC_OK)
        status = make_squares(c, opened, &f, error);
    if (status == SAC_OK)
        show_fresh_picture(c, &f, picture, source);
    fresh_free(&f);
    return status;
}

static sac_status turn(sac_source *source, int picture, sac_error *error)
{
    return load_and_show_picture(source, picture, source->picture.next, error);
}

/* ---------------------------------------------------------------- opening */

static void destroy(void *self)
{
    captions *c = self;
    for (int i = 0; i < c->model_count; i++)
        sac_captioner_destroy(c->models[i].captioner);
    for (int i = 0; i < SAC_SOURCE_MODELS; i++)
        sac_captioner_shape_free(&c->models[i].shape);
    for (int i = 0; i < c->model_count; i++)
        sac_image_free(&c->models[i].square);
    sac_device_close(c->device);
    sac_image_free(&c->shown);
    sac_picture_files_free(&c->files);
    free(c->vocabulary);
    free(c);
}

/* Reads what the weights are of; they themselves wait until they are needed. */
static sac_status read_model_shape(const char *path, model *m, sac_error *error)
{
    sac_arrays *file = NULL;
    snprintf(m->path, sizeof m->path, "%s", path);
    sac_status status = sac_arrays_open(path, &file, error);
    if (status == SAC_OK)
        status = sac_captioner_read_shape(file, path, &m->shape, error);
    sac_arrays_close(file);
    return status;
}

/* What the first model was trained on, and its words. */
static sac_status set_vocabulary(captions *c, const sac_captioner_shape *shape, sac_source *source,
                                 sac_error *error)
{
    c->dataset = sac_captioner_dataset(shape);
    snprintf(source->result.topic, sizeof source->result.topic, "%s",
             c->dataset ? c->dataset->name : "photographs");
    c->vocabulary = malloc((size_t)shape->vocabulary * sizeof *c->vocabulary);
    if (!c->vocabulary)
        return sac_no_memory(error, "captions");
    for (int i = 0; i < shape->vocabulary; i++)
        c->vocabulary[i] = sac_captioner_word(shape, i);
    source->result.vocabulary = c->vocabulary;
    source->result.vocabulary_count = shape->vocabulary;
    source->result.length_penalty = shape->length_penalty;
    return SAC_OK;
}

static const char *topic_of(const sac_captioner_shape *shape)
{
    return shape->dataset ? shape->dataset->name : "photographs, in words of its own";
}

static bool has_words_of(const sac_captioner_shape *shape, const sac_captioner_shape *other)
{
    bool same = shape->vocabulary == other->vocabulary;
    for (int i = 0; i < shape->vocabulary && same; i++)
        same = strcmp(sac_captioner_word(shape, i), sac_captioner_word(other, i)) == 0;
    return same;
}

static sac_status open_models(captions *c, const sac_model_open_options *options,
                              sac_source *source, sac_error *error)
{
    if (options->weight_count < 1 || options->weight_count > SAC_SOURCE_MODELS)
        return sac_fail(error, SAC_E_ARGUMENT, "weights", NULL, "1 to %d files can be compared",
                        SAC_SOURCE_MODELS);
    for (int i = 0; i < options->weight_count; i++) {
        model *m = &c->models[i];
        sac_status status = read_model_shape(options->weights[i], m, error);
        if (status == SAC_OK && i == 0)
            status = set_vocabulary(c, &m->shape, source, error);
        if (status != SAC_OK)
            return status;
        if (m->shape.dataset != c->dataset || !has_words_of(&m->shape, &c->models[0].shape))
            return sac_fail(error, SAC_E_ARGUMENT, options->weights[i], "compare others",
                            "captions %s, and %s captions %s", topic_of(&m->shape),
                            options->weights[0], topic_of(&c->models[0].shape));
        int grid = sac_captioner_grid(&m->shape);
        if (i && grid != source->picture.grid_w)
            return sac_fail(error, SAC_E_ARGUMENT, options->weights[i], "compare others",
                            "looks at a grid of %d × %d, and %s at one of %d × %d", grid, grid,
                            options->weights[0], source->picture.grid_w, source->picture.grid_w);
        source->picture.grid_w = source->picture.grid_h = grid;
        if (sac_captioner_has_layers(&m->shape) && !source->result.attentions) {
            source->result.layered = c->model_count;
            source->result.attentions = attentions;
        }
        c->model_count++;
        char name[sizeof *source->result.model];
        sac_model_kind(sac_captioner_kind(&m->shape), m->shape.normalizer, name, sizeof name);
        sac_source_add_model(source, name);
    }
    source->result.sampling.count = sac_captioner_longest(&c->models[0].shape);
    /* Compared models are seen by their means, for others have no such layers. */
    const sac_captioner_shape *shape = &c->models[0].shape;
    if (c->model_count == 1 && sac_captioner_has_layers(shape)) {
        source->weights.layers = (size_t)shape->stack.layers;
        source->weights.heads = (size_t)shape->stack.heads;
        source->result.head_maps = head_maps;
        snprintf(source->weights.made.score, sizeof source->weights.made.score, "%s",
                 sac_score_name(shape->score));
    }
    return SAC_OK;
}

static sac_status open_all(captions *c, const sac_model_open_options *options, sac_source *source,
                           sac_error *error)
{
    sac_status status =
        sac_picture_files_find(options->pictures, options->picture_count, &c->files, error);
    if (status != SAC_OK)
        return status;
    int last = c->files.count - 1, first = options->picture;
    if (c->files.count && first > last)
        first = last;
    source->picture.scenes = c->files.count == 0;
    source->picture.count = c->files.count;
    status = open_models(c, options, source, error);
    if (status == SAC_OK && first >= 0)
        status = load_and_show_picture(source, first, options->first, error);
    c->suits = options->suits; /* the caller chose the model for the first picture */
    if (status == SAC_OK)
        status = sac_device_open(options->device, &c->device, error);
    if (status == SAC_OK)
        sac_device_short_name(sac_device_get_info(c->device), source->origin.device,
                              sizeof source->origin.device);
    return status;
}

sac_status sac_caption_open(const sac_model_class *class, const sac_model_open_options *options,
                            sac_source *source, sac_error *error)
{
    captions *c = calloc(1, sizeof *c);
    *source = (sac_source){0};
    if (!c)
        return sac_no_memory(error, "captions");
    c->class = class;
    c->scene = options->scene;
    snprintf(c->advice, sizeof c->advice, "%s", options->advice ? options->advice : "");
    *source = (sac_source){.self = c,
                           .result.encode = encode,
                           .result.normalizes = true,
                           .result.holds_gaze = true,
                           .result.generate = generate,
                           .result.token_allowed = token_allowed,
                           .result.candidates = find_candidates,
                           .result.attributions = SAC_CAPTIONER_ATTRIBUTIONS,
                           .weights.explain = explain,
                           .picture.turn = turn,
                           .destroy = destroy};
    sac_status status = open_all(c, options, source, error);
    if (status != SAC_OK)
        sac_source_destroy(source);
    return status;
}
