#include "cli/captioner.h"

#include "app/weights.h"
#include "architectures/captioning/pretrained_captioner.h"
#include "base/error.h"
#include "table/models.h"

static sac_status open_pretrained(const cli_captioner *c, sac_source *source, sac_error *error)
{
    sac_pretrained_model *model;
    if (c->scene_given)
        return sac_fail(error, SAC_E_ARGUMENT, "--scene", "give a picture",
                        "does not work with a pretrained model");
    sac_status status = sac_pretrained_model_open(c->weights, c->device, &model, error);
    if (status != SAC_OK)
        return status;
    status = sac_pretrained_caption_open(model, c->pictures, c->picture_count, 0, c->boxes, source,
                                         error);
    sac_pretrained_model_close(model);
    return status;
}

static sac_status open_own(cli_captioner *c, sac_source *source, sac_error *error)
{
    app_weights bundled;
    const char *weights[] = {c->weights ? c->weights : c->opened};
    sac_status status = SAC_OK;
    if (!c->weights)
        status =
            app_find_weights(sac_model_find("captioner"), c->dataset, c->score, &bundled, error);
    if (status != SAC_OK)
        return status;
    if (!c->weights)
        snprintf(c->opened, sizeof c->opened, "%s", bundled.paths[0]);
    sac_model_open_options options = {
        .pictures = c->pictures,
        .picture_count = c->picture_count,
        .picture = -1,
        .scene = c->scene,
        .weights = weights,
        .weight_count = 1,
        .device = c->device,
    };
    return sac_model_open(&options, source, error);
}

sac_status cli_captioner_open(cli_captioner *c, sac_source *source, sac_error *error)
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
    return open_own(c, source, error);
}
