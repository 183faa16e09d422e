#include "app/open/captioner.h"

#include <string.h>

#include "app/assets.h"
#include "architectures/architectures.h"
#include "base/error.h"
#include "captioner/model.h"
#include "captioner/source/photograph.h"
#include "saccade_arrays.h"
#include "table/models.h"

/* ---------------------------------------------------------------- choosing the dataset */

const sac_dataset *app_default_dataset(void)
{
    char path[1024];
    const sac_bundled *b = sac_model_find("captioner")->bundled;
    while (b->name && (!sac_dataset_find(b->dataset) ||
                       app_find_asset(b->file, NULL, path, sizeof path, NULL) != SAC_OK))
        b++;
    return sac_dataset_find(b->name ? b->dataset : "shapes");
}

const char *app_dataset_of_picture(const char *path, const sac_image *picture)
{
    sac_truth truth;
    bool found = false, photograph = false;
    app_weights weights;
    const sac_dataset *shapes = sac_dataset_find("shapes"), *dataset = NULL;
    if (sac_truth_load(path, &truth, &found, NULL) == SAC_OK && found)
        dataset = sac_dataset_find(truth.dataset);
    if (dataset)
        return dataset->name;
    if (sac_is_photograph(picture, shapes, &photograph, NULL) == SAC_OK && photograph &&
        app_find_weights(sac_model_find("captioner"), APP_PHOTOGRAPHS, NULL, &weights, NULL) ==
            SAC_OK)
        return APP_PHOTOGRAPHS;
    return shapes->name;
}

const sac_dataset *app_dataset_of_weights(const char *path)
{
    sac_arrays *file = NULL;
    sac_captioner_shape shape = {0};
    if (sac_arrays_open(path, &file, NULL) != SAC_OK ||
        sac_captioner_read_shape(file, path, &shape, NULL) != SAC_OK)
        shape = (sac_captioner_shape){0};
    sac_arrays_close(file);
    const sac_dataset *dataset = sac_captioner_dataset(&shape);
    sac_captioner_shape_free(&shape);
    return dataset;
}

/* ---------------------------------------------------------------- the captioner */

sac_pictures_request app_pictures_request(const app_request *request)
{
    return (sac_pictures_request){.boxes = request->boxes,
                                  .question = request->text,
                                  .together = request->together,
                                  .language = request->language,
                                  .task = request->task};
}

static sac_status open_pretrained(const app_captioner *c, sac_source *source, sac_error *error)
{
    const app_request *request = c->request;
    sac_pretrained_model *model;
    sac_pictures_request asked = app_pictures_request(request);
    if (request->scene_given)
        return sac_fail(error, SAC_E_ARGUMENT, "--scene", "give a picture",
                        "does not work with a pretrained model");
    sac_status status = sac_pretrained_model_open_stored(request->weights, request->device,
                                                         request->spec.storage, &model, error);
    if (status != SAC_OK)
        return status;
    asked.pictures = c->pictures;
    asked.count = c->picture_count;
    asked.picture = c->picture > 0 ? c->picture : 0;
    status = sac_pretrained_caption_open(model, &asked, source, error);
    sac_pretrained_model_close(model);
    return status;
}

static bool is_of_dataset(const char *path, const sac_image *picture, const char *topic)
{
    return strcmp(app_dataset_of_picture(path, picture), topic) == 0;
}

static sac_status open_captioner_weights(app_captioner *c, sac_source *source, sac_error *error)
{
    app_weights models = {.paths = {c->request->weights}, .count = 1}, photographs;
    sac_status status =
        c->request->weights
            ? SAC_OK
            : app_find_weights(sac_model_find("captioner"), c->dataset, c->score, &models, error);
    if (status != SAC_OK)
        return status;
    snprintf(c->opened, sizeof c->opened, "%s", models.paths[0]);
    sac_model_open_options options = {
        .pictures = c->pictures,
        .picture_count = c->picture_count,
        .first = c->first,
        .picture = c->picture,
        .scene = c->scene,
        .weights = models.paths,
        .weight_count = c->all ? models.count : 1,
        .suits = c->mixed ? is_of_dataset : NULL,
        .device = c->request->device,
    };
    if (!c->chosen && app_find_weights(sac_model_find("captioner"), APP_PHOTOGRAPHS, NULL,
                                       &photographs, NULL) != SAC_OK)
        options.advice = "the package saccade-photographs has a captioner of photographs";
    status = sac_model_open(&options, source, error);
    if (status != SAC_OK || !source->result.read)
        return status;
    sac_source_destroy(source);
    return sac_fail(error, SAC_E_ARGUMENT, c->opened, "ask it with `saccade translate`",
                    "is a translator, not a captioner");
}

/* By the weights of the request, or those that come with the program. */
static sac_status open_captioner(app_captioner *c, sac_source *source, sac_error *error)
{
    snprintf(c->opened, sizeof c->opened, "%s", c->request->weights ? c->request->weights : "");
    if (c->request->weights && sac_is_pretrained(c->request->weights))
        return open_pretrained(c, source, error);
    if (c->request->boxes)
        return sac_fail(
            error, SAC_E_ARGUMENT, "--boxes",
            "give --weights FOLDER, or put JSON as of `saccade scene --json` next to the "
            "picture, under its name with .json",
            "needs a pretrained captioner");
    if (c->request->spec.storage != SAC_STORAGE_F32)
        return sac_fail(error, SAC_E_ARGUMENT, "--storage",
                        "leave it out, or give --weights FOLDER", "needs a pretrained captioner");
    return open_captioner_weights(c, source, error);
}

sac_status app_captioner_open(app_captioner *c, sac_source *source, sac_error *error)
{
    const sac_status status = open_captioner(c, source, error);
    char *absolute =
        status == SAC_OK && c->request->weights ? realpath(c->request->weights, NULL) : NULL;
    if (absolute) /* a saved picture names them */
        snprintf(source->origin.weights, sizeof source->origin.weights, "%s", absolute);
    free(absolute);
    return status;
}
