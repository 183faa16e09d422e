/* A document of what goes through the model of a folder. */
#include <stdlib.h>
#include <strings.h>

#include "app/ask_model.h"
#include "app/document_parts.h"
#include "base/error.h"

static sac_status make_trace(const app_open_request *request, sac_trace **trace, sac_error *error)
{
    *trace = calloc(1, sizeof **trace);
    return *trace ? SAC_OK
                  : sac_fail(error, SAC_E_MEMORY, request->files[0], NULL, "no memory to open it");
}

static sac_status open_weights(app_document *document, const app_open_request *request,
                               sac_error *error)
{
    sac_status status = make_trace(request, &document->weights, error);
    if (status == SAC_OK)
        status = app_ask_model(request, document->weights, NULL, error);
    return status == SAC_OK ? app_check_map(request, document->weights, error) : status;
}

/* What the model says of pictures; and where there is a window, or another tab is wanted, the heads
 * of that part of it which sees, of one of them. */
static sac_status open_captions(app_document *document, app_open_request *request, sac_error *error)
{
    bool captions = !request->tab || strcasecmp(request->tab, "caption") == 0;
    sac_status status = make_trace(request, &document->caption, error);
    if (status == SAC_OK)
        status = app_ask_captioner(request, request->model, document->caption, error);
    if (status == SAC_OK && captions)
        status = app_check_map(request, document->caption, error);
    bool is_all = (request->windowless && captions) || !sac_family_has_heads(request->model);
    if (status != SAC_OK || is_all)
        return status;
    request->files[1] = document->caption->image_file;
    request->file_count = 2;
    return open_weights(document, request, error);
}

/* The sentence, its translation, and the heads of both halves; where just another tab is wanted,
 * the encoder by itself, of which queries and keys can be looked at too. */
static sac_status open_sentence(app_document *document, const app_open_request *request,
                                sac_error *error)
{
    if (request->tab && strcasecmp(request->tab, "translation") != 0 && !request->array)
        return open_weights(document, request, error);
    sac_status status = make_trace(request, &document->translation, error);
    if (status == SAC_OK)
        status = app_ask_translator(request, request->model, document->translation, error);
    return status == SAC_OK ? app_open_sentence_weights(document, request, error) : status;
}

sac_status app_open_model(app_document *document, const app_open_request *request, sac_error *error)
{
    app_open_request own = *request;
    snprintf(document->file, sizeof document->file, "%s", request->files[0]);
    sac_status status = app_find_model(request, &own.model, error);
    if (status != SAC_OK)
        return status;
    bool speaks = sac_family_speaks(own.model);
    if (request->boxes && !speaks)
        status =
            sac_fail(error, SAC_E_ARGUMENT, "--boxes", "leave it out",
                     "are for words that look at a picture, and %s says none", request->files[0]);
    else if (sac_family_translates(own.model))
        status = open_sentence(document, &own, error);
    else
        status =
            speaks ? open_captions(document, &own, error) : open_weights(document, &own, error);
    sac_family_close(own.model);
    if (status == SAC_OK)
        status = app_open_views(document, NULL, error);
    bool translates = document->translation && !request->array;
    viz_shell_show(&document->shell, speaks ? "caption" : translates ? "translation" : "heads");
    return status;
}
