/* A document of pictures or of a scene: the Picture tab, and captions where there is a captioner.
 */
#include "app/open/open_parts.h"

#include <stdlib.h>
#include <string.h>

#include "app/open/captioner.h"
#include "app/open/datasets.h"
#include "app/open/weights.h"
#include "app/samples.h"
#include "base/error.h"
#include "images/picture_files.h"
#include "sources/files/picture/picture_source.h"
#include "table/models.h"

enum { DEMO_PAIRS = 3 };
enum { LEAST_CELLS = 8, MOST_CELLS = 128 }; /* on the longer side of a picture */

/* The dataset of the captions; NULL: photographs. */
static const sac_dataset *dataset_of(const app_request *request)
{
    return request->weights   ? app_dataset_of_weights(request->weights)
           : request->dataset ? sac_dataset_find(request->dataset)
                              : app_default_dataset();
}

/* The picture that is seen first: the one that was asked for, or the last. */
static int first_of(const app_request *request, const sac_picture_files *files)
{
    int last = files->count - 1, picture = request->picture > 0 ? request->picture : 0;
    return files->count && picture > last ? last : picture;
}

/* True where nobody said which model captions the pictures. */
static bool finds_dataset(const app_request *request, const sac_picture_files *files)
{
    return files->count && !request->weights && (!request->dataset || request->dataset_found);
}

static uint64_t first_scene(const app_request *request, const sac_dataset *dataset)
{
    return request->scene_given || !dataset ? request->scene : dataset->first_seen;
}

/* The scene that the captions begin with. */
static sac_status open_scene(const app_request *request, sac_source *source, sac_error *error)
{
    const sac_dataset *dataset = dataset_of(request);
    sac_image image = {0};
    if (!dataset)
        return sac_fail(error, SAC_E_ARGUMENT, "picture", "give a photograph",
                        "the model speaks of photographs, and not of scenes");
    void *scene = malloc(dataset->scene_size);
    if (!scene)
        return sac_no_memory(error, "scene");
    uint64_t seed =
        first_scene(request, dataset) + (uint64_t)(request->picture > 0 ? request->picture : 0);
    dataset->make(SAC_STREAM_TEST, seed, scene);
    sac_status status = dataset->image(scene, SAC_SCENE_SIDE, &image, error);
    if (status == SAC_OK)
        status = sac_picture_from_image(&image, request->device, source, error);
    sac_image_free(&image);
    free(scene);
    if (status == SAC_OK)
        snprintf(source->title, sizeof source->title, "%s %llu", dataset->title,
                 (unsigned long long)seed);
    return status;
}

/* `path` NULL: the scene. */
static sac_status open_picture(app_document *document, const app_request *request, const char *path,
                               sac_error *error)
{
    sac_status status = app_make_source(&document->picture, path ? path : "scene", error);
    if (status == SAC_OK)
        status = path ? sac_picture_open(path, request->device, document->picture, error)
                      : open_scene(request, document->picture, error);
    if (status != SAC_OK)
        return status;
    int grid_w, grid_h, cells = sac_picture_defaults().cells;
    const sac_image *image = document->picture->picture.image;
    const char *wanted = app_find_setting(request, "cells");
    if (wanted && (atoi(wanted) < LEAST_CELLS || atoi(wanted) > MOST_CELLS))
        return sac_fail(error, SAC_E_ARGUMENT, "--cells", "give a whole number from 8 to 128",
                        "\"%.60s\" is not a valid value", wanted);
    sac_picture_grid(image->width, image->height, wanted ? atoi(wanted) : cells, &grid_w, &grid_h);
    return app_check_query(request, (size_t)grid_w, (size_t)grid_h, error);
}

/* ---------------------------------------------------------------- captions */

/* Two pictures are captioned one after the other, or where that is asked for side by side. */
static bool are_two(const app_request *request, const sac_picture_files *files)
{
    return app_wants_tab(request, "pair") && files->count == 2;
}

/* `first` (may be NULL): the pixels of the picture that is seen first. */
static sac_status open_source(const app_request *request, const sac_picture_files *files,
                              const sac_image *first, sac_source **source, sac_error *error)
{
    const sac_dataset *dataset = dataset_of(request);
    app_captioner captioner = {.weights = request->weights,
                               .dataset = dataset ? dataset->name : APP_PHOTOGRAPHS,
                               .chosen = request->weights || !request->dataset_found,
                               .all = true,
                               .mixed = request->dataset_found && !request->windowless,
                               .pictures = (const char *const *)files->paths,
                               .picture_count = files->count,
                               .first = first,
                               .picture = request->picture,
                               .storage = request->spec.storage,
                               .scene = first_scene(request, dataset),
                               .device = request->device};
    sac_status status = app_make_source(source, "captions", error);
    if (status == SAC_OK)
        status = app_captioner_open(&captioner, *source, error);
    if (status == SAC_OK)
        status = app_apply_sampling(request, *source, error);
    return status == SAC_OK ? app_check_models(request, *source, error) : status;
}

/* `files`: none for scenes. The picture that is seen first is decoded once; it decides which model
 * captions all of them, where nobody said which. */
static sac_status open_caption(app_document *document, app_request *request,
                               const sac_picture_files *files, sac_error *error)
{
    const sac_picture_files left = {.paths = files->paths, .count = 1};
    const sac_picture_files right = {.paths = files->paths + 1, .count = 1};
    int number = first_of(request, files);
    bool finds = finds_dataset(request, files), two = are_two(request, files);
    sac_image decoded = {0};
    const sac_image *first =
        document->picture && files->count ? document->picture->picture.image : NULL;
    sac_status status = SAC_OK;
    if (finds && !first) {
        status = sac_image_load(files->paths[number], &decoded, error);
        first = &decoded;
    }
    if (status == SAC_OK && finds)
        request->dataset = app_dataset_of_picture(files->paths[number], first);
    request->dataset_found |= finds;
    if (status == SAC_OK)
        status = open_source(request, two ? &left : files, two && number ? NULL : first,
                             &document->caption, error);
    if (status == SAC_OK && two)
        status = open_source(request, &right, NULL, &document->caption->beside, error);
    sac_image_free(&decoded);
    return status;
}

/* The Caption tab comes first for a picture that is known to be a scene, and for several pictures,
 * as the Picture tab shows only one. */
static bool caption_comes_first(const app_request *request, const sac_picture_files *files)
{
    sac_truth truth;
    bool scene = files->count == 0;
    if (request->tab || request->array)
        return !app_wants_tab(request, "picture");
    if (!scene && files->count == 1)
        sac_truth_load(files->paths[0], &truth, &scene, NULL);
    return scene || files->count > 1;
}

/* And in a window where a person gave a captioner, or there is that of photographs for a photograph. */
static bool is_to_be_captioned(const app_request *request)
{
    bool found = request->dataset_found && strcmp(request->dataset, APP_PHOTOGRAPHS) == 0;
    return !request->windowless && !request->tab && !request->array && (request->weights || found);
}

/* True where the first of several pictures is the reason of the failure: then the others are shown.
 */
static bool is_first_damaged(const sac_picture_files *files, sac_status status,
                             const sac_error *error)
{
    return files->count > 1 && (status == SAC_E_FORMAT || status == SAC_E_FILE) &&
           strncmp(error->where, files->paths[0], sizeof error->where - 1) == 0;
}

static void leave_out_first(app_document *document, sac_picture_files *files, int left_out,
                            const sac_error *error)
{
    char line[1200];
    sac_error_line(error, line, sizeof line);
    if (left_out == 1)
        snprintf(document->left_out, sizeof document->left_out, "left out %.480s", line);
    else
        snprintf(document->left_out, sizeof document->left_out,
                 "left out %d pictures, the last of them %.440s", left_out, line);
    free(files->paths[0]);
    memmove(files->paths, files->paths + 1, (size_t)--files->count * sizeof *files->paths);
}

/* Opens captions. A failure is only a note unless captions were asked for. */
static sac_status offer_caption(app_document *document, app_request *request,
                                const sac_picture_files *files, sac_error *error)
{
    sac_error wrong = {0};
    char line[1200];
    bool asked = app_wants_tab(request, "caption") || app_wants_tab(request, "next") ||
                 are_two(request, files) || request->weights || request->scene_given ||
                 app_find_setting(request, "model") || app_find_setting(request, "compared with");
    sac_status status = open_caption(document, request, files, &wrong);
    if (status == SAC_OK)
        return SAC_OK;
    app_drop_source(&document->caption);
    if (asked || is_first_damaged(files, status, &wrong)) {
        if (error)
            *error = wrong;
        return status;
    }
    snprintf(document->note, sizeof document->note, "no captions: %.480s",
             sac_error_line(&wrong, line, sizeof line));
    return SAC_OK;
}

/* The picture of the Picture tab: the one that is captioned first, or its scene. */
static sac_status open_first(app_document *document, const app_request *request,
                             const sac_picture_files *files, sac_error *error)
{
    int picture = first_of(request, files);
    document->picture_shown = picture;
    sac_status status =
        open_picture(document, request, files->count ? files->paths[picture] : NULL, error);
    if (status != SAC_OK)
        return status;
    document->picture->picture.number = picture;
    document->picture->picture.count = files->count ? files->count : picture + 1;
    document->picture->picture.scenes = !files->count;
    return SAC_OK;
}

static void name_document(app_document *document, const sac_picture_files *files)
{
    if (files->count)
        snprintf(document->file, sizeof document->file, "%s", files->paths[0]);
    else if (document->caption)
        snprintf(document->file, sizeof document->file, "%s", document->caption->title);
    else
        snprintf(document->file, sizeof document->file, "%s", document->picture->title);
    for (char *c = document->file; !files->count && *c; c++)
        *c = *c == ' ' ? '-' : *c; /* "scene-7": what pictures saved of it are called */
}

/* Nothing was asked for: what there is to see is shown. */
static bool is_demo(const app_request *request)
{
    return !request->file_count && !request->scene_given && !request->weights;
}

static bool has_photographs(void)
{
    app_weights found;
    return app_find_weights(sac_model_find("captioner"), APP_PHOTOGRAPHS, NULL, &found, NULL) ==
           SAC_OK;
}

/* The demonstration has a translation too. Its tab is missing where its weights are. */
static void offer_translation(app_document *document, const app_request *request)
{
    if (!request->windowless && is_demo(request) &&
        app_open_translation(document, request, NULL) != SAC_OK)
        app_drop_source(&document->translation);
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
static sac_status offer_layers(app_document *document, const app_request *request, sac_error *error)
{
    bool asked = wants_layers(request),
         layered = document->caption && document->caption->weights.layers;
    sac_status status = SAC_OK;
    if (document->caption && (asked || !request->windowless))
        status = app_open_generated_weights(document, document->caption, request, error);
    if (document->weights) { /* they turn with the caption */
        document->weights->picture.number = document->caption->picture.number;
        document->weights->picture.count = document->caption->picture.count;
    }
    if (status == SAC_OK && (document->weights || layered))
        status = app_check_map(request, document->weights ? document->weights : document->caption,
                               error);
    if (status != SAC_OK || document->weights || !asked)
        return status;
    return sac_fail(error, SAC_E_ARGUMENT, request->tab ? "--tab" : "--array", NULL,
                    "\"%.60s\" is not available here; there is: caption, picture, next",
                    request->tab ? request->tab : request->array);
}

/* Opens the tabs that are to be seen. */
static sac_status open_tabs(app_document *document, app_request *request,
                            const sac_picture_files *files, bool caption_first, sac_error *error)
{
    bool all = !request->windowless;
    sac_status status = SAC_OK;
    if (all || !caption_first)
        status = open_first(document, request, files, error);
    if (status == SAC_OK && (all || caption_first))
        status = offer_caption(document, request, files, error);
    if (status == SAC_OK && !document->caption && !document->picture)
        status = open_first(document, request, files, error);
    return status;
}

static sac_status check_tab(const app_request *request, const sac_picture_files *files,
                            sac_error *error)
{
    if (!request->tab || app_wants_tab(request, "caption") || app_wants_tab(request, "picture") ||
        app_wants_tab(request, "next") || wants_layers(request) || are_two(request, files))
        return SAC_OK;
    if (app_wants_tab(request, "pair"))
        return sac_fail(error, SAC_E_ARGUMENT, "--tab pair", "give two",
                        "needs two pictures, but there %s %d", files->count == 1 ? "is" : "are",
                        files->count);
    return sac_fail(error, SAC_E_ARGUMENT, "--tab", NULL,
                    "\"%.60s\" is not available here; there is: caption, picture, next",
                    request->tab);
}

static sac_status open_found(app_document *document, const app_request *asked,
                             sac_picture_files *files, sac_error *error)
{
    app_request found = *asked, *request = &found;
    sac_status checked = check_tab(request, files, error);
    if (checked != SAC_OK)
        return checked;
    bool caption_first = caption_comes_first(request, files);
    sac_status status = open_tabs(document, request, files, caption_first, error);
    for (int left_out = 1; is_first_damaged(files, status, error); left_out++) {
        app_drop_source(&document->picture);
        leave_out_first(document, files, left_out, error);
        status = open_tabs(document, request, files, caption_first, error);
    }
    if (status == SAC_OK && document->caption && is_demo(request) && !request->windowless) {
        document->caption->picture.leads = files->count > 0;
        if (!files->count && !request->dataset && has_photographs())
            sac_source_add_note(document->caption, "drop a photograph here");
    }
    if (status == SAC_OK)
        status = offer_layers(document, request, error);
    if (status == SAC_OK) {
        offer_translation(document, request);
        status = app_open_views(document, error);
    }
    if (status != SAC_OK)
        return status;
    caption_first |= is_to_be_captioned(request);
    viz_shell_show(&document->shell, request->array                       ? "heads"
                                     : caption_first && document->caption ? "caption"
                                                                          : "picture");
    name_document(document, files);
    return SAC_OK;
}

/* The demonstration: pages of the book and photographs by turns, where there are photographs and
 * their captioner; else none, for a scene. Returns how many `paths` [2 * DEMO_PAIRS]. */
static int find_demo(const app_request *request, app_sample samples[APP_SAMPLES_MOST],
                     const char **paths)
{
    int pages = 0, photographs = 0;
    bool plain = is_demo(request) && !request->windowless && !request->dataset &&
                 (!request->tab || app_wants_tab(request, "caption"));
    int count = plain && has_photographs() ? app_samples(NULL, samples) : 0;
    for (int i = 0; i < count; i++)
        if (samples[i].kind == APP_SAMPLE_PAGE && pages < DEMO_PAIRS)
            paths[2 * pages++] = samples[i].path;
        else if (samples[i].kind == APP_SAMPLE_PHOTOGRAPH && photographs < DEMO_PAIRS)
            paths[2 * photographs++ + 1] = samples[i].path;
    return 2 * (pages < photographs ? pages : photographs);
}

sac_status app_open_pictures(app_document *document, const app_request *request, sac_error *error)
{
    app_sample samples[APP_SAMPLES_MOST];
    const char *demo[2 * DEMO_PAIRS];
    sac_picture_files files;
    int shown = find_demo(request, samples, demo);
    sac_status status = sac_picture_files_find(shown ? demo : request->files,
                                               shown ? shown : request->file_count, &files, error);
    if (status == SAC_OK)
        status = open_found(document, request, &files, error);
    sac_picture_files_free(&files);
    return status;
}
