/* Photographs and a captioner of others as a source that speaks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/pretrained_captioner.h"
#include "architectures/captioning/text_decoder.h"
#include "base/error.h"
#include "generate/cached_caption.h"
#include "sources/boxes.h"

typedef struct captions {
    sac_pretrained_captioner *captioner;
    sac_pretrained_model *model; /* lent by the captioner */
    char **paths;                /* [count] */
    int count;
    char *boxes;         /* the file of where things are in the only picture; NULL: nobody knows */
    int picture, looked; /* the one that is shown; the one that the captioner sees; −1: none */
    sac_image shown;
    sac_caption_cache cache; /* of what was said of the picture that it sees */
    sac_caption_truth truth; /* with boxes */
} captions;

/* ---------------------------------------------------------------- turning */

static void name_picture(const captions *c, const char *path, sac_source *source)
{
    const char *slash = strrchr(path, '/');
    char *absolute = realpath(path, NULL);
    snprintf(source->title, sizeof source->title, "%.60s, %.60s", c->model->name,
             slash ? slash + 1 : path);
    snprintf(source->weights.opened.image_file, sizeof source->weights.opened.image_file, "%s",
             absolute ? absolute : path);
    free(absolute);
}

/* All pictures have one grid, that of the first. */
static sac_status check_grid(const captions *c, const char *path, sac_source *source,
                             sac_error *error)
{
    int grid_w, grid_h;
    sac_pretrained_captioner_grid(c->captioner, &grid_w, &grid_h);
    if (!source->picture.grid_w) {
        source->picture.grid_w = grid_w;
        source->picture.grid_h = grid_h;
    }
    if (grid_w == source->picture.grid_w && grid_h == source->picture.grid_h)
        return SAC_OK;
    return sac_fail(error, SAC_E_SHAPE, path, "open it by itself",
                    "gives the model %d x %d cells, and the first picture %d x %d", grid_w, grid_h,
                    source->picture.grid_w, source->picture.grid_h);
}

/* Boxes are of all of the picture; a model that cuts its middle out sees something else. */
static sac_status read_boxes(captions *c, const sac_image *whole, const sac_image *seen,
                             sac_error *error)
{
    double stretch = (double)seen->width * whole->height / ((double)seen->height * whole->width);
    if (fabs(stretch - 1) > 0.02)
        return sac_fail(error, SAC_E_ARGUMENT, "--boxes", "cut the picture to a square first",
                        "%s sees only the middle of %s", c->model->name, c->paths[0]);
    return sac_boxes_load(c->boxes, whole->width, whole->height, &c->truth, error);
}

/* The captioner looks at a picture; `shown` (may be NULL) is what it lies over. */
static sac_status look(captions *c, int picture, sac_image *shown, sac_error *error)
{
    sac_image image = {0};
    c->looked = -1;
    sac_caption_cache_forget(&c->cache);
    sac_status status = sac_image_load(c->paths[picture], &image, error);
    if (status == SAC_OK)
        status = sac_pretrained_captioner_look(c->captioner, &image, shown, error);
    if (status == SAC_OK && shown && c->boxes)
        status = read_boxes(c, &image, shown, error);
    sac_image_free(&image);
    if (status == SAC_OK)
        c->looked = picture;
    return status;
}

/* Nothing changes where it fails but that the captioner has to look at the old picture anew. */
static sac_status turn(sac_source *source, int picture, sac_error *error)
{
    captions *c = source->self;
    sac_image shown = {0};
    if (picture < 0 || picture >= c->count)
        return sac_fail(error, SAC_E_ARGUMENT, "picture", NULL, "there is no picture %d of %d",
                        picture + 1, c->count);
    sac_status status = look(c, picture, &shown, error);
    if (status == SAC_OK)
        status = check_grid(c, c->paths[picture], source, error);
    if (status != SAC_OK) {
        sac_image_free(&shown);
        return status;
    }
    sac_image_free(&c->shown);
    c->shown = shown;
    c->picture = picture;
    name_picture(c, c->paths[picture], source);
    source->picture.image = &c->shown;
    source->picture.number = picture;
    source->speaker.has_truth = c->boxes != NULL;
    source->speaker.truth = c->truth;
    return SAC_OK;
}

static sac_status speak(void *self, const sac_caption_request *request, sac_caption *caption,
                        sac_error *error)
{
    captions *c = self;
    *caption = (sac_caption){0};
    sac_status status = c->looked == c->picture ? SAC_OK : look(c, c->picture, NULL, error);
    int beam = c->model->decoder->text_decoder.search.width;
    if (status != SAC_OK || sac_caption_cache_find(&c->cache, request, beam, caption))
        return status;
    status = sac_pretrained_captioner_speak(c->captioner, request, caption, error);
    if (status == SAC_OK)
        sac_caption_cache_keep(&c->cache, request, caption);
    return status;
}

/* ---------------------------------------------------------------- opening */

static void destroy(void *self)
{
    captions *c = self;
    sac_caption_cache_forget(&c->cache);
    sac_pretrained_captioner_destroy(c->captioner);
    sac_image_free(&c->shown);
    for (int i = 0; c->paths && i < c->count; i++)
        free(c->paths[i]);
    free(c->paths);
    free(c->boxes);
    free(c);
}

static bool copy_paths(captions *c, const char *const *pictures, int count, const char *boxes)
{
    c->paths = calloc((size_t)count, sizeof *c->paths);
    if (boxes && !(c->boxes = strdup(boxes)))
        return false;
    for (; c->paths && c->count < count; c->count++)
        if (!(c->paths[c->count] = strdup(pictures[c->count])))
            return false;
    return c->paths;
}

static bool may_say(const void *self, int word)
{
    const captions *c = self;
    return sac_beam_may_hold(&c->model->decoder->text_decoder.search, word);
}

static void fill(captions *c, sac_source *source)
{
    const sac_pretrained_model *m = c->model;
    const sac_text_decoder_class *text_decoder = m->decoder->text_decoder.class;
    const char *score =
        text_decoder->score ? text_decoder->score : sac_score_name(SAC_SCORE_SCALED_DOT);
    source->self = c;
    source->picture.count = c->count;
    source->weights.layers = text_decoder->looks_once ? 0 : (size_t)m->decoder->layers;
    source->weights.heads = text_decoder->looks_once ? 0 : (size_t)m->decoder->run.heads;
    source->speaker.may_say = may_say;
    source->speaker.speak = speak;
    source->picture.turn = turn;
    source->destroy = destroy;
    source->speaker.vocabulary =
        sac_pretrained_captioner_words(c->captioner, &source->speaker.vocabulary_count);
    source->speaker.beam = m->decoder->text_decoder.search.width;
    sac_source_add_model(source, score);
    snprintf(source->weights.made.score, sizeof source->weights.made.score, "%s", score);
    snprintf(source->origin.file, sizeof source->origin.file, "%s", m->folder);
    sac_device_short_name(sac_device_get_info(m->device), source->origin.device,
                          sizeof source->origin.device);
}

sac_status sac_pretrained_caption_open(sac_pretrained_model *model, const char *const *pictures,
                                       int count, int picture, const char *boxes,
                                       sac_source *source, sac_error *error)
{
    *source = (sac_source){0};
    if (count < 1)
        return sac_fail(error, SAC_E_ARGUMENT, model->folder, "give the folder and pictures",
                        "is a model that says what it sees");
    if (boxes && count > 1)
        return sac_fail(error, SAC_E_ARGUMENT, "--boxes", "give one picture",
                        "works with one picture, but %d are given", count);
    captions *c = calloc(1, sizeof *c);
    if (!c || !copy_paths(c, pictures, count, boxes)) {
        if (c)
            destroy(c);
        return sac_no_memory(error, model->name);
    }
    sac_status status = sac_pretrained_captioner_create(model, &c->captioner, error);
    if (status != SAC_OK) {
        destroy(c);
        return status;
    }
    c->model = model;
    fill(c, source);
    status = turn(source, picture < count ? picture : count - 1, error);
    if (status != SAC_OK)
        sac_source_destroy(source);
    return status;
}
