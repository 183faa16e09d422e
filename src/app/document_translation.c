/* Opens sentences to be translated, and the attention of all layers and heads to one of them. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/document_parts.h"
#include "app/weights.h"
#include "base/error.h"
#include "sources/files/model_weights.h"
#include "table/models.h"

bool app_wants_translation(const app_request *request)
{
    return request->text || (request->tab && strcasecmp(request->tab, "translation") == 0);
}

sac_status app_open_translation(app_document *document, const app_request *request,
                                sac_error *error)
{
    app_weights models = {.paths = {request->weights}, .count = 1};
    sac_status status = request->weights ? SAC_OK : app_find_translators(&models, error);
    if (status != SAC_OK)
        return status;
    document->translation = calloc(1, sizeof *document->translation);
    if (!document->translation)
        return sac_fail(error, SAC_E_MEMORY, "translation", NULL, "no memory to open it");
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
    snprintf(document->file, sizeof document->file, "translation");
    return status;
}

/* ---------------------------------------------------------------- layers and heads */

/* Takes what the model says, unless that is nothing. */
static sac_status find_attentions(const sac_source *source, sac_attentions *attentions,
                                  sac_error *error)
{
    sac_caption said = {0};
    sac_caption_request request = {.model = source->speaker.layered};
    *attentions = (sac_attentions){0};
    sac_status status = source->speaker.speak(source->self, &request, &said, error);
    if (status == SAC_OK && said.count > 0)
        status = source->speaker.attentions(source->self, source->speaker.layered, &said,
                                            attentions, error);
    sac_caption_free(&said);
    return status;
}

static void name_weights(const sac_source *translation, sac_source *weights)
{
    weights->origin = translation->origin;
    memcpy(weights->speaker.text, translation->speaker.text, sizeof weights->speaker.text);
    snprintf(weights->weights.opened.array, sizeof weights->weights.opened.array, "%s",
             weights->weights.opened.readings[weights->weights.opened.reading].take);
}

sac_status app_open_sentence_weights(app_document *document, const app_request *request,
                                     sac_error *error)
{
    const sac_source *translation = document->translation;
    bool asked = !request->windowless || request->array ||
                 (request->tab && strcasecmp(request->tab, "translation") != 0);
    if (!translation->speaker.attentions || !asked)
        return SAC_OK;
    sac_attentions attentions;
    memcpy(document->sentence, translation->speaker.text, sizeof document->sentence);
    sac_status status = find_attentions(translation, &attentions, error);
    if (status != SAC_OK || !attentions.kind[0].weights)
        return status;
    document->weights = calloc(1, sizeof *document->weights);
    if (!document->weights) {
        sac_attentions_free(&attentions);
        return sac_fail(error, SAC_E_MEMORY, "attention", NULL, "no memory to open it");
    }
    status = sac_model_weights_open(&attentions, request->array, document->weights, error);
    if (status == SAC_OK)
        name_weights(translation, document->weights);
    return status;
}
