/* Opens sentences to be translated. */
#include <stdlib.h>
#include <strings.h>

#include "app/document_parts.h"
#include "app/weights.h"
#include "base/error.h"
#include "table/models.h"

bool app_wants_translation(const app_open_request *request)
{
    return request->text || (request->tab && strcasecmp(request->tab, "translation") == 0);
}

sac_status app_open_translation(app_document *document, const app_open_request *request,
                                sac_error *error)
{
    app_weights models = {.paths = {request->weights}, .count = 1};
    sac_status status = request->weights
                            ? SAC_OK
                            : app_find_weights(sac_model_find("translator"), NULL, &models, error);
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
    if (status == SAC_OK && !document->translation->read)
        status = sac_fail(error, SAC_E_ARGUMENT, models.paths[0], "leave out --tab translation",
                          "is of a model that sees pictures and reads no sentences");
    if (status == SAC_OK)
        status = app_check_models(request, document->translation, error);
    snprintf(document->file, sizeof document->file, "translation");
    return status;
}
