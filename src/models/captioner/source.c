/* Captioners and pictures as a source that speaks. */

#include "captioner/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "captioner/guess.h"
#include "captioner/model.h"
#include "captioner/photograph.h"
#include "captioner/truth.h"
#include "device/device.h"
#include "generate/cached_caption.h"
#include "images/picture_files.h"
#include "images/resample.h"
#include "models/checkpoint.h"
#include "shapes/truth.h"

enum { LONGEST_SHOWN = 896 }; /* pixels of a picture's square as it is shown */
enum { DEFAULT_BEAM = 3 };

typedef struct model {
    char path[1024];
    sac_captioner_shape shape;
    sac_captioner *captioner; /* NULL: nothing was asked of it yet */
    sac_image square;         /* the picture at the model's side; empty: a model before it has one
                                 of that side */
    int looked_at;            /* the turn whose picture it sees; 0: none */
    char doubt[128];          /* why what it says of that picture is a guess; empty: it is none */
} model;

/* The picture that is shown, and the models that look at it. */
typedef struct captions {
    const sac_model_class *class; /* of all models */
    sac_picture_files files;      /* none: scenes */
    uint64_t scene;
    sac_device *device;
    model models[SAC_CAPTION_MODELS];
    int model_count;
    int turns; /* how often another picture came */
    bool own;  /* a scene of the models' dataset */
    bool photograph;
    sac_image shown;
    const sac_dataset *dataset; /* that the models speak of */
    const char **vocabulary;    /* its words */
    sac_caption_cache cache;    /* of what was generated of the picture */
} captions;

/* ---------------------------------------------------------------- speaking */

static sac_status load(captions *c, model *m, sac_error *error)
{
    sac_model *loaded = NULL;
    if (m->captioner)
        return SAC_OK;
    sac_status status = sac_checkpoint_load(c->class, c->device, m->path, &loaded, error);
    m->captioner = (sac_captioner *)loaded;
    return status;
}

static const sac_image *find_square(const captions *c, const model *m)
{
    for (const model *other = c->models; other < m; other++)
        if (other->shape.side == m->shape.side)
            return &other->square;
    return &m->square;
}

/* Of the picture that the model has encoded. */
static sac_status decode(captions *c, const sac_caption_request *request, sac_caption *caption,
                         sac_error *error)
{
    sac_status status =
        sac_captioner_speak(c->models[request->model].captioner, request, caption, error);
    if (status != SAC_OK) {
        sac_caption_cache_forget(&c->cache);
        return status;
    }
    sac_caption_mark_unsure(caption, request->prefix_count);
    sac_caption_cache_keep(&c->cache, request, caption);
    return SAC_OK;
}

/* The same; what was generated before is not decoded again. */
static sac_status generate(captions *c, const sac_caption_request *request, sac_caption *caption,
                           sac_error *error)
{
    *caption = (sac_caption){0};
    if (sac_caption_cache_find(&c->cache, request, DEFAULT_BEAM, caption))
        return SAC_OK;
    return decode(c, request, caption, error);
}

/* Encodes the picture once. Of a picture that may be anything the model's plain caption also says
 * whether it is a guess. */
static sac_status encode(captions *c, model *m, double *milliseconds, sac_error *error)
{
    sac_caption caption;
    double start = sac_now();
    if (m->looked_at == c->turns)
        return SAC_OK;
    sac_status status = sac_captioner_encode_square(m->captioner, find_square(c, m), error);
    *milliseconds = 1e3 * (sac_now() - start);
    if (status == SAC_OK && !c->own) {
        const sac_caption_request plain = {.model = (int)(m - c->models)};
        status = generate(c, &plain, &caption, error);
        if (status == SAC_OK) {
            sac_caption_doubt(&caption, c->dataset, m->doubt, sizeof m->doubt);
            sac_caption_free(&caption);
        }
    }
    if (status == SAC_OK)
        m->looked_at = c->turns;
    return status;
}

/* The model that was asked for, which has looked at the picture. */
static sac_status find_model(captions *c, int number, model **found, double *looking,
                             sac_error *error)
{
    if (number < 0 || number >= c->model_count)
        return sac_fail(error, SAC_E_ARGUMENT, "model", NULL, "%d is not there; there are %d",
                        number, c->model_count);
    *looking = 0;
    *found = &c->models[number];
    sac_status status = load(c, *found, error);
    return status == SAC_OK ? encode(c, *found, looking, error) : status;
}

static sac_status speak(void *self, const sac_caption_request *request, sac_caption *caption,
                        sac_error *error)
{
    captions *c = self;
    double looking;
    model *m = NULL;
    *caption = (sac_caption){0};
    sac_status status = find_model(c, request->model, &m, &looking, error);
    if (status == SAC_OK)
        status = generate(c, request, caption, error);
    if (status != SAC_OK)
        return status;
    caption->milliseconds += looking;
    if (!c->own && c->photograph)
        snprintf(caption->note, sizeof caption->note,
                 "trained on %s only; captions of photographs are unreliable", c->dataset->knows);
    else if (!c->own)
        snprintf(caption->note, sizeof caption->note, "%s", m->doubt);
    return SAC_OK;
}

/* The queries of the caption that was decoded last are still there. */
static sac_status explain(void *self, const sac_explanation_request *request,
                          sac_explanation *explanation, sac_error *error)
{
    captions *c = self;
    double looking;
    model *m = NULL;
    sac_caption caption = {0};
    *explanation = (sac_explanation){0};
    sac_status status = find_model(c, request->caption->model, &m, &looking, error);
    if (status == SAC_OK && !sac_caption_cache_is_latest(&c->cache, request->caption, DEFAULT_BEAM))
        status = decode(c, request->caption, &caption, error);
    sac_caption_free(&caption);
    return status == SAC_OK ? sac_captioner_explain(m->captioner, request, explanation, error)
                            : status;
}

/* ---------------------------------------------------------------- turning */

/* Another picture, which takes the place of the one that is shown once all of it is there. */
typedef struct fresh {
    sac_image picture; /* empty: lent by someone else */
    sac_image shown, square[SAC_CAPTION_MODELS];
    bool known, photograph;
    sac_truth truth;
    sac_origin origin;
    char title[128], note[sizeof((sac_source *)0)->note];
} fresh;

static void fresh_free(fresh *f)
{
    sac_image_free(&f->picture);
    sac_image_free(&f->shown);
    for (int i = 0; i < SAC_CAPTION_MODELS; i++)
        sac_image_free(&f->square[i]);
}

static void name_file(const char *path, fresh *f)
{
    const char *slash = strrchr(path, '/');
    char *absolute = realpath(path, NULL);
    snprintf(f->origin.file, sizeof f->origin.file, "%s", absolute ? absolute : path);
    snprintf(f->title, sizeof f->title, "%s", slash ? slash + 1 : path);
    free(absolute);
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
    name_file(path, f);
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

/* The squares of the picture: the one that is shown, and those that the models look at. */
static sac_status make_squares(const captions *c, const sac_image *picture, fresh *f,
                               sac_error *error)
{
    int longer = picture->width > picture->height ? picture->width : picture->height;
    int shown = longer < LONGEST_SHOWN ? longer : LONGEST_SHOWN;
    sac_status status = sac_image_square(picture, shown, &f->shown, error);
    if (status == SAC_OK)
        sac_veil_outside(picture, &f->shown);
    if (status == SAC_OK && !f->known)
        status = sac_is_photograph(picture, c->dataset, &f->photograph, error);
    for (int i = 0; status == SAC_OK && i < c->model_count; i++) {
        const model *m = &c->models[i];
        if (find_square(c, m) == &m->square)
            status = sac_image_square(picture, m->shape.side, &f->square[i], error);
    }
    return status;
}

/* Everything that can fail comes before anything changes. `pixels`: the picture's, or NULL. */
static sac_status find_fresh(const captions *c, int picture, const sac_image *pixels, fresh *f,
                             sac_error *error)
{
    *f = (fresh){0};
    sac_status status = c->files.count
                            ? load_file(c->files.paths[picture], !pixels, f, error)
                            : make_scene(c->dataset, c->scene + (uint64_t)picture, f, error);
    if (status == SAC_OK)
        status = make_squares(c, f->picture.rgba ? &f->picture : pixels, f, error);
    if (status != SAC_OK)
        fresh_free(f);
    sac_image_free(&f->picture);
    return status;
}

static void take_image(sac_image *from, sac_image *to)
{
    sac_image_free(to);
    *to = *from;
    *from = (sac_image){0};
}

static void show(captions *c, fresh *f, int picture, sac_source *source)
{
    take_image(&f->shown, &c->shown);
    for (int i = 0; i < c->model_count; i++)
        take_image(&f->square[i], &c->models[i].square);
    c->own = f->known && strcmp(f->truth.dataset, c->dataset->name) == 0;
    c->photograph = f->photograph;
    c->turns++;
    sac_caption_cache_forget(&c->cache);
    memcpy(source->origin.file, f->origin.file, sizeof source->origin.file);
    memcpy(source->origin.hash, f->origin.hash, sizeof source->origin.hash);
    memcpy(source->title, f->title, sizeof source->title);
    snprintf(source->note, sizeof source->note, "%s", f->note);
    source->picture.image = &c->shown;
    source->speaker.has_truth = f->known;
    source->speaker.truth = (sac_caption_truth){0};
    if (f->known)
        sac_captioner_truth(&f->truth, &source->speaker.truth);
    source->picture.number = picture;
    if (source->picture.count <= picture)
        source->picture.count = picture + 1;
}

static sac_status turn_to(sac_source *source, int picture, const sac_image *pixels,
                          sac_error *error)
{
    captions *c = source->self;
    fresh f;
    if (picture < 0 || (c->files.count && picture >= c->files.count))
        return sac_fail(error, SAC_E_ARGUMENT, "picture", NULL, "there is no picture %d of %d",
                        picture + 1, source->picture.count);
    sac_status status = find_fresh(c, picture, pixels, &f, error);
    if (status == SAC_OK)
        show(c, &f, picture, source);
    return status;
}

static sac_status turn(sac_source *source, int picture, sac_error *error)
{
    return turn_to(source, picture, NULL, error);
}

/* ---------------------------------------------------------------- opening */

static void destroy(void *self)
{
    captions *c = self;
    if (!c)
        return;
    sac_caption_cache_forget(&c->cache);
    for (int i = 0; i < c->model_count; i++)
        sac_captioner_destroy(c->models[i].captioner);
    for (int i = 0; i < c->model_count; i++)
        sac_image_free(&c->models[i].square);
    sac_device_close(c->device);
    sac_image_free(&c->shown);
    sac_picture_files_free(&c->files);
    free(c->vocabulary);
    free(c);
}

/* Reads what the weights are of; they themselves wait until they are needed. */
static sac_status open_model(const char *path, model *m, sac_error *error)
{
    sac_arrays *file = NULL;
    snprintf(m->path, sizeof m->path, "%s", path);
    sac_status status = sac_arrays_open(path, &file, error);
    if (status == SAC_OK)
        status = sac_captioner_read_shape(file, path, &m->shape, error);
    sac_arrays_close(file);
    return status;
}

/* The words of the dataset that the first model speaks of. */
static sac_status set_dataset(captions *c, const sac_dataset *dataset, sac_source *source,
                              sac_error *error)
{
    c->dataset = dataset;
    c->vocabulary = malloc((size_t)dataset->vocabulary * sizeof *c->vocabulary);
    if (!c->vocabulary)
        return sac_no_memory(error, "captions");
    for (int i = 0; i < dataset->vocabulary; i++)
        c->vocabulary[i] = dataset->word_text(i);
    source->speaker.vocabulary = c->vocabulary;
    source->speaker.vocabulary_count = dataset->vocabulary;
    return SAC_OK;
}

static sac_status open_models(captions *c, const sac_model_open_options *options,
                              sac_source *source, sac_error *error)
{
    if (options->weight_count < 1 || options->weight_count > SAC_CAPTION_MODELS)
        return sac_fail(error, SAC_E_ARGUMENT, "weights", NULL, "1 to %d files can be compared",
                        SAC_CAPTION_MODELS);
    for (int i = 0; i < options->weight_count; i++) {
        model *m = &c->models[i];
        sac_status status = open_model(options->weights[i], m, error);
        if (status == SAC_OK && i == 0)
            status = set_dataset(c, m->shape.dataset, source, error);
        if (status != SAC_OK)
            return status;
        if (m->shape.dataset != c->dataset)
            return sac_fail(error, SAC_E_ARGUMENT, options->weights[i], "compare others",
                            "speaks of the dataset %s, and %s of %s", m->shape.dataset->name,
                            options->weights[0], c->dataset->name);
        int grid = sac_captioner_grid(&m->shape);
        if (i && grid != source->picture.grid_w)
            return sac_fail(error, SAC_E_ARGUMENT, options->weights[i], "compare others",
                            "looks at a grid of %d × %d, and %s at one of %d × %d", grid, grid,
                            options->weights[0], source->picture.grid_w, source->picture.grid_w);
        source->picture.grid_w = source->picture.grid_h = grid;
        c->model_count++;
        sac_source_add_model(source, sac_score_name(m->shape.score));
    }
    return SAC_OK;
}

static bool may_say(const void *self, int word)
{
    (void)self;
    return word > SAC_WORD_END;
}

static void fill_source(captions *c, sac_source *source)
{
    source->self = c;
    source->picture.scenes = c->files.count == 0;
    source->picture.count = c->files.count;
    source->speaker.may_say = may_say;
    source->speaker.speak = speak;
    source->weights.explain = explain;
    source->picture.turn = turn;
    source->destroy = destroy;
}

static sac_status open_all(captions *c, const sac_model_open_options *options, sac_source *source,
                           sac_error *error)
{
    sac_status status =
        sac_picture_files_find(options->pictures, options->picture_count, &c->files, error);
    if (status != SAC_OK)
        return status;
    fill_source(c, source);
    int last = c->files.count - 1, first = options->picture;
    if (c->files.count && first > last)
        first = last;
    status = open_models(c, options, source, error);
    if (status == SAC_OK && first >= 0)
        status = turn_to(source, first, first == 0 ? options->first : NULL, error);
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
    *source = (sac_source){0};
    captions *c = calloc(1, sizeof *c);
    if (!c)
        return sac_no_memory(error, "captions");
    c->class = class;
    c->scene = options->scene;
    sac_status status = open_all(c, options, source, error);
    if (status != SAC_OK) {
        destroy(c);
        *source = (sac_source){0};
    }
    return status;
}
