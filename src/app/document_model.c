/* A document of what goes through the model of a folder. */
#include <stdlib.h>
#include <string.h>
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

/* Two pictures of one model, or one picture of two: both are seen side by side. What a captioner
 * says of several is told one after the other, unless the heads that see are asked for. */
static bool are_two(const app_open_request *request, int models)
{
    const sac_family_model *model = request->model;
    bool asked = request->tab && strcasecmp(request->tab, "pair") == 0;
    return models > 1 || (request->file_count > 2 && sac_family_sees(model) &&
                          (asked || !sac_family_speaks(model)));
}

static sac_status check_count(const app_open_request *request, int models, sac_error *error)
{
    if (models > 2 || request->file_count != 3 || request->text)
        return sac_fail(error, SAC_E_ARGUMENT, request->files[models - 1],
                        "give a folder and two pictures, or two folders and a picture",
                        "is not one of two to see side by side (models: %d, pictures: %d%s)",
                        models, request->file_count - models, request->text ? ", a text" : "");
    return SAC_OK;
}

static sac_status check_sees(const app_open_request *request, const char *other, sac_error *error)
{
    const sac_family_model *model = request->model;
    if (!sac_family_sees(model) || !sac_family_has_heads(model))
        return sac_fail(error, SAC_E_ARGUMENT, request->files[0],
                        "give two models that see pictures",
                        "has no heads that look at a picture, and cannot stand beside %s", other);
    return SAC_OK;
}

/* The second of the two, beside the first, which is open. */
static sac_status open_second(app_document *document, const app_open_request *request,
                              const char *first, sac_error *error)
{
    app_open_request second = *request;
    sac_status status = app_find_model(request, &second.model, error);
    if (status != SAC_OK)
        return status;
    status = check_sees(&second, first, error);
    if (status == SAC_OK)
        status = make_trace(&second, &document->weights->beside, error);
    if (status == SAC_OK)
        status = app_ask_model(&second, document->weights->beside, NULL, error);
    sac_family_close(second.model);
    return status;
}

/* The last two parts of a path. */
static const char *long_name(const char *path)
{
    const char *name = path + strlen(path);
    for (int slashes = 0; name > path; name--)
        if (name[-1] == '/' && ++slashes == 2)
            break;
    return name;
}

/* Names that would be the same on both sides are told with the folders that they lie in. */
static void tell_apart(sac_trace *trace, const app_open_request *request)
{
    snprintf(trace->title, sizeof trace->title, "%.60s, %.60s", long_name(trace->origin.file),
             long_name(request->files[1]));
}

static sac_status open_pair(app_document *document, const app_open_request *request, int models,
                            sac_error *error)
{
    app_open_request first = *request, second = *request;
    first.files[1] = request->files[models];
    second.files[0] = request->files[models - 1];
    second.files[1] = request->files[2];
    first.file_count = second.file_count = 2;
    sac_status status = check_count(request, models, error);
    if (status == SAC_OK)
        status = check_sees(request, request->files[1], error);
    if (status == SAC_OK)
        status = open_weights(document, &first, error);
    if (status == SAC_OK)
        status = open_second(document, &second, request->files[0], error);
    sac_trace *trace = document->weights;
    if (status == SAC_OK && strcmp(trace->title, trace->beside->title) == 0) {
        tell_apart(trace, &first);
        tell_apart(trace->beside, &second);
    }
    return status;
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

/* What there is of the model, by what it can do. */
static sac_status open_opened(app_document *document, app_open_request *request, int models,
                              sac_error *error)
{
    bool speaks = sac_family_speaks(request->model);
    bool pair = are_two(request, models);
    if (request->boxes && (pair || !speaks))
        return sac_fail(error, SAC_E_ARGUMENT, "--boxes", "leave it out",
                        "are for words that look at a picture, and %s says none here",
                        request->files[0]);
    return pair                                    ? open_pair(document, request, models, error)
           : sac_family_translates(request->model) ? open_sentence(document, request, error)
           : speaks                                ? open_captions(document, request, error)
                                                   : open_weights(document, request, error);
}

/* The name of the view that is seen first. */
static const char *first_tab(const app_document *document, const app_open_request *request)
{
    bool translates = document->translation && !request->array;
    return document->caption                                ? "caption"
           : translates                                     ? "translation"
           : document->weights && document->weights->beside ? "pair"
                                                            : "heads";
}

sac_status app_open_model(app_document *document, const app_open_request *request, int models,
                          sac_error *error)
{
    app_open_request own = *request;
    snprintf(document->file, sizeof document->file, "%s", request->files[0]);
    sac_status status = app_find_model(request, &own.model, error);
    if (status != SAC_OK)
        return status;
    status = open_opened(document, &own, models, error);
    sac_family_close(own.model);
    if (status == SAC_OK)
        status = app_open_views(document, NULL, error);
    viz_shell_show(&document->shell, first_tab(document, request));
    return status;
}
