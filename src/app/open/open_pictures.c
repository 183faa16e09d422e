/* A document of pictures or of a scene: the Picture tab, and captions where there is a captioner; and of a
 * sentence. */
#include <stdlib.h>
#include <string.h>

#include "app/assets.h"
#include "app/open/captioner.h"
#include "app/open/open_parts.h"
#include "base/error.h"
#include "images/folder.h"
#include "sources/files/picture/picture_source.h"
#include "sources/files/weights/model_weights.h"
#include "table/models.h"

/* ---------------------------------------------------------------- sentences */

/* By the program's models, with their translation; and the weights of all layers and heads by which a model
 * generated a sentence or a caption. */

/* With the person's own weights, or all that come with the program. */
static sac_status open_translation(app_document *document, const app_request *request,
                                   sac_error *error)
{
    app_weights models = {.paths = {request->weights}, .count = 1};
    sac_status status = request->weights ? SAC_OK : app_find_translators(&models, error);
    if (status != SAC_OK)
        return status;
    status = app_make_source(&document->translation, "translation", error);
    if (status != SAC_OK)
        return status;
    sac_model_open_options options = {.text = request->text,
                                      .weights = models.paths,
                                      .weight_count = models.count,
                                      .device = request->device};
    status = sac_model_open(&options, document->translation, error);
    if (status == SAC_OK && !document->translation->result.read)
        status = sac_fail(error, SAC_E_ARGUMENT, models.paths[0], "leave out --tab translation",
                          "is a vision model, not a translator");
    if (status == SAC_OK)
        status = app_check_models(request, document->translation, error);
    if (status == SAC_OK)
        status = app_apply_sampling(request, document->translation, error);
    snprintf(document->file, sizeof document->file, "translation");
    return status;
}

/* Of what the model generates, unless that is nothing. Free both. */
static sac_status generate_attentions(sac_source *source, sac_result *caption,
                                      sac_attentions *attentions, sac_error *error)
{
    sac_result_request request = {.model = source->result.layered};
    *attentions = (sac_attentions){0};
    sac_status status = sac_source_generate(source, &request, caption, error);
    return status == SAC_OK && caption->count + caption->special_count > 0
               ? sac_source_attentions(source, source->result.layered, caption, attentions, error)
               : status;
}

/* The weights of all layers and heads that a model of a translation or of captions has, where it generates
 * its sentence of what is open. None where no model has layers. */
static sac_status open_generated_weights(app_document *document, sac_source *generator,
                                         const app_request *request, sac_error *error)
{
    sac_attentions attentions;
    sac_result caption = {0};
    if (!generator->result.attentions)
        return SAC_OK;
    sac_status status = generate_attentions(generator, &caption, &attentions, error);
    bool is_there = status == SAC_OK && attentions.kind[SAC_CROSS_ATTENTION].weights;
    if (is_there)
        status = app_make_source(&document->weights, "attention", error);
    if (status == SAC_OK && is_there)
        status = sac_model_weights_open(&attentions, request->array, document->weights, error);
    else
        sac_attentions_free(&attentions);
    if (status == SAC_OK && is_there) {
        sac_source *weights = document->weights;
        weights->origin = generator->origin;
        memcpy(weights->picture.file_box, generator->picture.file_box,
               sizeof weights->picture.file_box);
        memcpy(weights->result.text, generator->result.text, sizeof weights->result.text);
        snprintf(weights->weights.opened.array, sizeof weights->weights.opened.array, "%s",
                 weights->weights.opened.readings[weights->weights.opened.reading].take);
        sac_model_weights_let_scale(document->weights, generator, &caption);
    }
    sac_result_free(&caption);
    return status;
}

sac_status app_open_sentence_weights(app_document *document, const app_request *request,
                                     sac_error *error)
{
    sac_source *translation = document->translation;
    bool asked =
        !request->windowless || request->array ||
        (request->tab && !app_wants_tab(request, "translation") && !app_wants_tab(request, "next"));
    if (!translation->result.attentions || !asked)
        return SAC_OK;
    memcpy(document->sentence, translation->result.text, sizeof document->sentence);
    return open_generated_weights(document, translation, request, error);
}

sac_status app_open_sentence(app_document *document, const app_request *request,
                             const app_files *files, sac_error *error)
{
    (void)files;
    if (request->file_count && sac_is_folder(request->files[0]))
        return sac_fail(error, SAC_E_ARGUMENT, request->files[0],
                        "give the folder of a model, or leave out one of the two",
                        "has no config.json, but a text is given");
    if (request->file_count)
        return sac_fail(error, SAC_E_ARGUMENT, request->files[0], "leave out one of the two",
                        "is given beside a sentence to translate");
    document->first = request->array ? "heads" : "translation";
    sac_status status = open_translation(document, request, error);
    return status == SAC_OK ? app_open_sentence_weights(document, request, error) : status;
}

enum { DEMO_EACH = 3 };
enum { LEAST_CELLS = 8, MOST_CELLS = 128 }; /* on the longer side of a picture */

/* What is opened, and the dataset that its first picture turned out to be of. */
typedef struct pictures {
    const app_request *request;
    sac_picture_files files; /* none: scenes */
    const char *dataset;     /* of the request, or found; NULL: neither */
    bool is_found;
    int first; /* the picture that is seen first: the one that was asked for, or the last */
    bool pair; /* two are captioned side by side, and not one after the other */
} pictures;

/* The dataset of the captions; NULL: photographs. */
static const sac_dataset *captions_dataset(const pictures *p)
{
    return p->request->weights ? app_dataset_of_weights(p->request->weights)
           : p->dataset        ? sac_dataset_find(p->dataset)
                               : app_default_dataset();
}

static uint64_t first_scene(const pictures *p, const sac_dataset *dataset)
{
    return p->request->scene_given || !dataset ? p->request->scene : dataset->first_seen;
}

/* The scene that the captions begin with. */
static sac_status open_scene(const pictures *p, sac_source *source, sac_error *error)
{
    const sac_dataset *dataset = captions_dataset(p);
    sac_image image = {0};
    if (!dataset)
        return sac_fail(error, SAC_E_ARGUMENT, "picture", "give a photograph",
                        "the model captions photographs, and not scenes");
    void *scene = malloc(dataset->scene_size);
    if (!scene)
        return sac_no_memory(error, "scene");
    uint64_t seed = first_scene(p, dataset) + (uint64_t)p->first;
    dataset->make(SAC_STREAM_TEST, seed, scene);
    sac_status status = dataset->image(scene, SAC_SCENE_SIDE, &image, error);
    if (status == SAC_OK)
        status = sac_picture_from_image(&image, p->request->device, source, error);
    sac_image_free(&image);
    free(scene);
    if (status == SAC_OK)
        snprintf(source->title, sizeof source->title, "%s %llu", dataset->title,
                 (unsigned long long)seed);
    return status;
}

/* The picture of the Picture tab: the one that is captioned first, or its scene. */
static sac_status open_picture(app_document *document, const pictures *p, sac_error *error)
{
    const app_request *request = p->request;
    const char *path = p->files.count ? p->files.paths[p->first] : NULL;
    document->picture_shown = p->first;
    sac_status status = app_make_source(&document->picture, path ? path : "scene", error);
    if (status == SAC_OK)
        status = path ? sac_picture_open(path, request->device, document->picture, error)
                      : open_scene(p, document->picture, error);
    if (status != SAC_OK)
        return status;
    int grid_w, grid_h, cells = sac_picture_defaults().cells;
    sac_picture_source *picture = &document->picture->picture;
    const char *wanted = app_find_setting(request, "cells");
    if (wanted && (atoi(wanted) < LEAST_CELLS || atoi(wanted) > MOST_CELLS))
        return sac_fail(error, SAC_E_ARGUMENT, "--cells", "give a whole number from 8 to 128",
                        "\"%.60s\" is not a valid value", wanted);
    sac_picture_grid(picture->image->width, picture->image->height, wanted ? atoi(wanted) : cells,
                     &grid_w, &grid_h);
    picture->number = p->first;
    picture->count = path ? p->files.count : p->first + 1;
    picture->scenes = !path;
    return app_check_query(request, (size_t)grid_w, (size_t)grid_h, error);
}

/* ---------------------------------------------------------------- captions */

/* Of `count` of the pictures from `from` on. `first` (may be NULL): the pixels of the one that is seen first. */
static sac_status open_captioner(const pictures *p, int from, int count, const sac_image *first,
                                 sac_source **source, sac_error *error)
{
    const app_request *request = p->request;
    const sac_dataset *dataset = captions_dataset(p);
    app_captioner captioner = {.request = request,
                               .dataset = dataset ? dataset->name : APP_PHOTOGRAPHS,
                               .chosen = request->weights || !p->is_found,
                               .all = true,
                               .mixed = p->is_found && !request->windowless,
                               .pictures = (const char *const *)p->files.paths + from,
                               .picture_count = count,
                               .first = first,
                               .picture = request->picture,
                               .scene = first_scene(p, dataset)};
    sac_status status = app_make_source(source, "captions", error);
    if (status == SAC_OK)
        status = app_captioner_open(&captioner, *source, error);
    if (status == SAC_OK)
        status = app_apply_sampling(request, *source, error);
    return status == SAC_OK ? app_check_models(request, *source, error) : status;
}

/* The picture that is seen first is decoded once; it decides which model captions all of them, where none
 * is chosen. */
static sac_status open_caption(app_document *document, pictures *p, sac_error *error)
{
    const app_request *request = p->request;
    const int count = p->files.count;
    const bool finds = count && !request->weights && (!p->dataset || p->is_found);
    sac_image decoded = {0};
    const sac_image *first = document->picture && count ? document->picture->picture.image : NULL;
    sac_status status = SAC_OK;
    if (finds && !first) {
        status = sac_image_load(p->files.paths[p->first], &decoded, error);
        first = &decoded;
    }
    if (status == SAC_OK && finds)
        p->dataset = app_dataset_of_picture(p->files.paths[p->first], first);
    p->is_found |= finds;
    if (status == SAC_OK)
        status = open_captioner(p, 0, p->pair ? 1 : count, p->pair && p->first ? NULL : first,
                                &document->caption, error);
    if (status == SAC_OK && p->pair)
        status = open_captioner(p, 1, 1, NULL, &document->caption->beside, error);
    sac_image_free(&decoded);
    return status;
}

/* The Caption tab comes first for a picture that is known to be a scene, and for several pictures,
 * as the Picture tab shows only one. */
static bool caption_comes_first(const pictures *p)
{
    sac_truth truth;
    bool scene = p->files.count == 0;
    if (p->request->tab || p->request->array)
        return !app_wants_tab(p->request, "picture");
    if (p->files.count == 1)
        sac_truth_load(p->files.paths[0], &truth, &scene, NULL);
    return scene || p->files.count > 1;
}

/* True where the first of several pictures is the reason of the failure: then the others are shown.
 */
static bool is_first_damaged(const sac_picture_files *files, sac_status status,
                             const sac_error *error)
{
    return files->count > 1 && (status == SAC_E_FORMAT || status == SAC_E_FILE) &&
           strncmp(error->where, files->paths[0], sizeof error->where - 1) == 0;
}

static void leave_out_first(app_document *document, pictures *p, int left_out,
                            const sac_error *error)
{
    char line[1200];
    char **paths = p->files.paths;
    sac_error_line(error, line, sizeof line);
    if (left_out == 1)
        snprintf(document->left_out, sizeof document->left_out, "left out %.480s", line);
    else
        snprintf(document->left_out, sizeof document->left_out,
                 "left out %d pictures, the last of them %.440s", left_out, line);
    app_drop_source(&document->picture);
    free(paths[0]);
    memmove(paths, paths + 1, (size_t)--p->files.count * sizeof *paths);
    p->first = p->first < p->files.count ? p->first : p->files.count - 1;
    p->pair = false;
}

/* Opens captions. A failure is only a note unless captions were asked for. */
static sac_status open_caption_if_possible(app_document *document, pictures *p, sac_error *error)
{
    const app_request *request = p->request;
    sac_error wrong = {0};
    char line[1200];
    bool asked = app_wants_tab(request, "caption") || app_wants_tab(request, "next") || p->pair ||
                 request->weights || request->scene_given || app_find_setting(request, "model") ||
                 app_find_setting(request, "compared with");
    sac_status status = open_caption(document, p, &wrong);
    if (status == SAC_OK)
        return SAC_OK;
    app_drop_source(&document->caption);
    if (asked || is_first_damaged(&p->files, status, &wrong)) {
        if (error)
            *error = wrong;
        return status;
    }
    snprintf(document->note, sizeof document->note, "no captions: %.480s",
             sac_error_line(&wrong, line, sizeof line));
    return SAC_OK;
}

/* ---------------------------------------------------------------- the document */

/* Nothing was requested: what there is to see is shown. */
static bool is_demo(const app_request *request)
{
    return !request->file_count && !request->scene_given && !request->weights;
}

static bool has_photograph_captioner(void)
{
    app_weights found;
    return app_find_weights(sac_model_find("captioner"), APP_PHOTOGRAPHS, NULL, &found, NULL) ==
           SAC_OK;
}

/* True where a tab of a decoder's layers is wanted. */
static bool wants_layers(const app_request *request)
{
    static const char *const tabs[] = {"heads", "matrix", "alignment", "contents"};
    bool wants = request->array != NULL;
    for (size_t i = 0; i < sizeof tabs / sizeof *tabs; i++)
        wants = wants || app_wants_tab(request, tabs[i]);
    return wants;
}

/* The heads of a captioner whose decoder has layers. */
static sac_status open_layers_if_wanted(app_document *document, const app_request *request,
                                        sac_error *error)
{
    bool asked = wants_layers(request),
         layered = document->caption && document->caption->weights.layers;
    sac_status status = SAC_OK;
    if (document->caption && (asked || !request->windowless))
        status = open_generated_weights(document, document->caption, request, error);
    if (document->weights) { /* they turn with the caption */
        document->weights->picture.number = document->caption->picture.number;
        document->weights->picture.count = document->caption->picture.count;
    }
    if (status == SAC_OK && (document->weights || layered))
        status = app_check_map_exists(
            request, document->weights ? document->weights : document->caption, error);
    if (status != SAC_OK || document->weights || !asked)
        return status;
    return sac_fail(error, SAC_E_ARGUMENT, request->tab ? "--tab" : "--array", NULL,
                    "\"%.60s\" is not available here; there is: caption, picture, next",
                    request->tab ? request->tab : request->array);
}

/* Opens what the tabs that are to be seen show. */
static sac_status open_tabs(app_document *document, pictures *p, bool caption_first,
                            sac_error *error)
{
    bool all = !p->request->windowless;
    sac_status status = SAC_OK;
    if (all || !caption_first)
        status = open_picture(document, p, error);
    if (status == SAC_OK && (all || caption_first))
        status = open_caption_if_possible(document, p, error);
    if (status == SAC_OK && !document->caption && !document->picture)
        status = open_picture(document, p, error);
    return status;
}

static sac_status check_tab(const pictures *p, sac_error *error)
{
    const app_request *request = p->request;
    const int count = p->files.count;
    if (!request->tab || app_wants_tab(request, "caption") || app_wants_tab(request, "picture") ||
        app_wants_tab(request, "next") || wants_layers(request) || p->pair)
        return SAC_OK;
    if (app_wants_tab(request, "pair"))
        return sac_fail(error, SAC_E_ARGUMENT, "--tab pair", "give two",
                        "needs two pictures, but there %s %d", count == 1 ? "is" : "are", count);
    return sac_fail(error, SAC_E_ARGUMENT, "--tab", NULL,
                    "\"%.60s\" is not available here; there is: caption, picture, next",
                    request->tab);
}

static sac_status open_found_pictures(app_document *document, pictures *p, sac_error *error)
{
    const app_request *request = p->request;
    sac_status status = check_tab(p, error);
    if (status != SAC_OK)
        return status;
    bool caption_first = caption_comes_first(p), demo = is_demo(request) && !request->windowless;
    status = open_tabs(document, p, caption_first, error);
    for (int left_out = 1; is_first_damaged(&p->files, status, error); left_out++) {
        leave_out_first(document, p, left_out, error);
        status = open_tabs(document, p, caption_first, error);
    }
    if (status == SAC_OK && document->caption && demo) {
        document->caption->picture.leads = p->files.count > 0;
        if (!p->files.count && !p->dataset && has_photograph_captioner())
            sac_source_add_note(document->caption, SAC_NOTE_SHOWN, "drop a photograph here");
    }
    if (status == SAC_OK)
        status = open_layers_if_wanted(document, request, error);
    if (status != SAC_OK)
        return status;
    /* The demonstration has a translation too. Its tab is missing where its weights are. */
    if (demo && open_translation(document, request, NULL) != SAC_OK)
        app_drop_source(&document->translation);
    /* In a window captions come first where a person gave a captioner, or there is that of photographs for a
     * photograph. */
    bool found = p->is_found && strcmp(p->dataset, APP_PHOTOGRAPHS) == 0;
    caption_first |=
        !request->windowless && !request->tab && !request->array && (request->weights || found);
    document->first = request->array                       ? "heads"
                      : caption_first && document->caption ? "caption"
                                                           : "picture";
    snprintf(document->file, sizeof document->file, "%s",
             p->files.count      ? p->files.paths[0]
             : document->caption ? document->caption->title
                                 : document->picture->title);
    for (char *c = document->file; !p->files.count && *c; c++)
        *c = *c == ' ' ? '-' : *c; /* "scene-7": what pictures saved of it are called */
    return SAC_OK;
}

/* The demonstration: pages of the book, of which the first shows itself, and photographs behind them, where there are
 * photographs and their captioner; else none, for a scene. Returns how many `paths` [2 * DEMO_EACH]. */
static int find_demo(const app_request *request, app_sample samples[APP_SAMPLES_MOST],
                     const char **paths)
{
    static const app_sample_kind kinds[] = {APP_SAMPLE_PAGE, APP_SAMPLE_PHOTOGRAPH};
    bool plain = is_demo(request) && !request->windowless && !request->dataset &&
                 (!request->tab || app_wants_tab(request, "caption"));
    int count = plain && has_photograph_captioner() ? app_samples(NULL, samples) : 0;
    int found = 0, of_kind = 0;
    for (int k = 0; k < 2; k++) {
        of_kind = 0;
        for (int i = 0; i < count && of_kind < DEMO_EACH; i++)
            if (samples[i].kind == kinds[k]) {
                paths[found++] = samples[i].path;
                of_kind++;
            }
    }
    return of_kind ? found : 0;
}

sac_status app_open_pictures(app_document *document, const app_request *request,
                             const app_files *files, sac_error *error)
{
    app_sample samples[APP_SAMPLES_MOST];
    const char *demo[2 * DEMO_EACH];
    pictures p = {
        .request = request, .dataset = request->dataset, .is_found = request->dataset_found};
    int shown = find_demo(request, samples, demo);
    (void)files;
    sac_status status = sac_picture_files_find(
        shown ? demo : request->files, shown ? shown : request->file_count, &p.files, error);
    sac_picture_files_notice(&p.files);
    p.first = request->picture > 0 ? request->picture : 0;
    p.first = p.files.count && p.first >= p.files.count ? p.files.count - 1 : p.first;
    p.pair = app_wants_tab(request, "pair") && p.files.count == 2;
    if (status == SAC_OK)
        status = open_found_pictures(document, &p, error);
    sac_picture_files_free(&p.files);
    return status;
}
