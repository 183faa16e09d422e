#include "app/open/captioner.h"

#include <string.h>

#include "app/open/datasets.h"
#include "app/open/weights.h"
#include "architectures/captioning/pretrained_captioner.h"
#include "base/error.h"
#include "table/models.h"

static sac_status open_pretrained(const app_captioner *c, sac_source *source, sac_error *error)
{
    sac_pretrained_model *model;
    if (c->scene_given)
        return sac_fail(error, SAC_E_ARGUMENT, "--scene", "give a picture",
                        "does not work with a pretrained model");
    sac_status status =
        sac_pretrained_model_open_stored(c->weights, c->device, c->storage, &model, error);
    if (status != SAC_OK)
        return status;
    const sac_pictures_request asked = {.pictures = c->pictures,
                                        .count = c->picture_count,
                                        .picture = c->picture > 0 ? c->picture : 0,
                                        .boxes = c->boxes,
                                        .question = c->question,
                                        .language = c->language,
                                        .task = c->task};
    status = sac_pretrained_caption_open(model, &asked, source, error);
    sac_pretrained_model_close(model);
    return status;
}

static bool is_of_dataset(const char *path, const sac_image *picture, const char *topic)
{
    return strcmp(app_dataset_of_picture(path, picture), topic) == 0;
}

static sac_status open_own(app_captioner *c, sac_source *source, sac_error *error)
{
    app_weights models = {.paths = {c->weights}, .count = 1}, photographs;
    sac_status status = c->weights ? SAC_OK
                                   : app_find_weights(sac_model_find("captioner"), c->dataset,
                                                      c->score, &models, error);
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
        .device = c->device,
    };
    if (!c->chosen && app_find_weights(sac_model_find("captioner"), APP_PHOTOGRAPHS, NULL,
                                       &photographs, NULL) != SAC_OK)
        options.advice = "the package saccade-photographs has a captioner of photographs";
    status = sac_model_open(&options, source, error);
    if (status != SAC_OK || !source->speaker.read)
        return status;
    sac_source_destroy(source);
    return sac_fail(error, SAC_E_ARGUMENT, c->opened, "ask it with `saccade translate`",
                    "is a translator, not a captioner");
}

sac_status app_captioner_open(app_captioner *c, sac_source *source, sac_error *error)
{
    snprintf(c->opened, sizeof c->opened, "%s", c->weights ? c->weights : "");
    if (c->weights && sac_is_pretrained(c->weights))
        return open_pretrained(c, source, error);
    if (c->boxes)
        return sac_fail(
            error, SAC_E_ARGUMENT, "--boxes",
            "give --weights FOLDER, or put JSON as of `saccade scene --json` next to the "
            "picture, under its name with .json",
            "needs a pretrained captioner");
    if (c->storage != SAC_STORAGE_F32)
        return sac_fail(error, SAC_E_ARGUMENT, "--storage",
                        "leave it out, or give --weights FOLDER", "needs a pretrained captioner");
    return open_own(c, source, error);
}
