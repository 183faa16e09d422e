/* A sentence and its translation by the program's models; and the weights of all layers and heads by which a
 * model generated a sentence or a caption. */
#include <string.h>

#include "app/open/open_parts.h"
#include "app/open/weights.h"
#include "base/error.h"
#include "images/folder.h"
#include "sources/files/weights/model_weights.h"
#include "table/models.h"

sac_status app_open_translation(app_document *document, const app_request *request,
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
    if (status == SAC_OK && !document->translation->speaker.read)
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
static sac_status find_attentions(sac_source *source, sac_result *caption,
                                  sac_attentions *attentions, sac_error *error)
{
    sac_result_request request = {.model = source->speaker.layered};
    *attentions = (sac_attentions){0};
    sac_status status = sac_source_generate(source, &request, caption, error);
    return status == SAC_OK && caption->count + caption->special_count > 0
               ? sac_source_attentions(source, source->speaker.layered, caption, attentions, error)
               : status;
}

static void name_weights(const sac_source *speaker, sac_source *weights)
{
    weights->origin = speaker->origin;
    memcpy(weights->picture.file_box, speaker->picture.file_box, sizeof weights->picture.file_box);
    memcpy(weights->speaker.text, speaker->speaker.text, sizeof weights->speaker.text);
    snprintf(weights->weights.opened.array, sizeof weights->weights.opened.array, "%s",
             weights->weights.opened.readings[weights->weights.opened.reading].take);
}

sac_status app_open_generated_weights(app_document *document, sac_source *speaker,
                                      const app_request *request, sac_error *error)
{
    sac_attentions attentions;
    sac_result caption = {0};
    if (!speaker->speaker.attentions)
        return SAC_OK;
    sac_status status = find_attentions(speaker, &caption, &attentions, error);
    bool is_there = status == SAC_OK && attentions.kind[SAC_CROSS_ATTENTION].weights;
    if (is_there)
        status = app_make_source(&document->weights, "attention", error);
    if (status == SAC_OK && is_there)
        status = sac_model_weights_open(&attentions, request->array, document->weights, error);
    else
        sac_attentions_free(&attentions);
    if (status == SAC_OK && is_there) {
        name_weights(speaker, document->weights);
        sac_model_weights_let_scale(document->weights, speaker, &caption);
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
    if (!translation->speaker.attentions || !asked)
        return SAC_OK;
    memcpy(document->sentence, translation->speaker.text, sizeof document->sentence);
    return app_open_generated_weights(document, translation, request, error);
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
    sac_status status = app_open_translation(document, request, error);
    return status == SAC_OK ? app_open_sentence_weights(document, request, error) : status;
}
