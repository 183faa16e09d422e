/* A document of what goes through the model of a folder. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/ask_model.h"
#include "app/document_parts.h"
#include "base/error.h"

static sac_status make_trace(const app_request *request, sac_source **source, sac_error *error)
{
    *source = calloc(1, sizeof **source);
    return *source ? SAC_OK
                   : sac_fail(error, SAC_E_MEMORY, request->files[0], NULL, "no memory to open it");
}

static sac_status open_weights(app_document *document, const app_request *request, sac_error *error)
{
    sac_status status = make_trace(request, &document->weights, error);
    if (status == SAC_OK)
        status = app_ask_model(request, document->weights, NULL, error);
    return status == SAC_OK ? app_check_map(request, document->weights, error) : status;
}

static bool wants_captions(const app_request *request)
{
    return !request->tab || strcasecmp(request->tab, "caption") == 0;
}

/* Two pictures of one model, or one picture of two: both are seen side by side. More pictures, or a
 * folder of them, are turned to one after the other. */
static bool are_two(const app_request *request, int models)
{
    const sac_pretrained_model *model = request->model;
    bool asked = request->tab && strcasecmp(request->tab, "pair") == 0;
    return models > 1 || (request->file_count > 2 && sac_architecture_sees(model) &&
                          (asked || app_split_request(request, NULL)));
}

static sac_status check_count(const app_request *request, int models, sac_error *error)
{
    if (models > 2 || request->text || !app_split_request(request, NULL))
        return sac_fail(error, SAC_E_ARGUMENT, request->files[models - 1],
                        "give a folder and two pictures, or two folders and a picture",
                        "cannot be compared (models: %d, pictures: %d%s)", models,
                        request->file_count - models, request->text ? ", a text" : "");
    return SAC_OK;
}

static bool has_eyes(const app_request *request)
{
    return sac_architecture_sees(request->model) && sac_architecture_has_heads(request->model);
}

static sac_status check_sees(const app_request *request, const char *other, sac_error *error)
{
    if (!has_eyes(request))
        return sac_fail(error, SAC_E_ARGUMENT, request->files[0], "give two vision models",
                        "has no vision heads and cannot be compared with %s", other);
    return SAC_OK;
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

static void tell_apart(sac_source *source, const app_request *request)
{
    snprintf(source->title, sizeof source->title, "%.60s, %.60s", long_name(source->origin.file),
             long_name(request->files[1]));
}

/* Names that would be the same on both sides are told with the folders that they lie in. */
static void name_two(sac_source *source, const app_two *two)
{
    if (strcmp(source->title, source->beside->title) != 0)
        return;
    tell_apart(source, &two->side[0]);
    tell_apart(source->beside, &two->side[1]);
}

/* The heads that see, of both. */
static sac_status open_two_weights(app_document *document, const app_two *two, sac_error *error)
{
    sac_status status = check_sees(&two->side[0], two->files[1][0], error);
    if (status == SAC_OK)
        status = check_sees(&two->side[1], two->files[0][0], error);
    if (status == SAC_OK)
        status = open_weights(document, &two->side[0], error);
    if (status == SAC_OK)
        status = make_trace(&two->side[1], &document->weights->beside, error);
    if (status == SAC_OK)
        status = app_ask_model(&two->side[1], document->weights->beside, NULL, error);
    if (status == SAC_OK)
        name_two(document->weights, two);
    return status;
}

/* What both say. */
static sac_status open_two_captions(app_document *document, const app_two *two, sac_error *error)
{
    const app_request *first = &two->side[0], *second = &two->side[1];
    sac_status status = make_trace(first, &document->caption, error);
    if (status == SAC_OK)
        status = app_ask_captioner(first, first->model, document->caption, error);
    if (status == SAC_OK)
        status = make_trace(second, &document->caption->beside, error);
    if (status == SAC_OK)
        status = app_ask_captioner(second, second->model, document->caption->beside, error);
    if (status == SAC_OK)
        name_two(document->caption, two);
    return status;
}

/* What both say, where both speak; and the heads of what sees in them, as of one captioner. */
static sac_status open_both(app_document *document, const app_two *two, sac_error *error)
{
    const app_request *first = &two->side[0], *second = &two->side[1];
    bool captions = wants_captions(first), windowless = first->windowless;
    bool speak = sac_architecture_speaks(first->model) && sac_architecture_speaks(second->model);
    sac_status status = SAC_OK;
    if (speak && (captions || !windowless))
        status = open_two_captions(document, two, error);
    if (status == SAC_OK && document->caption && captions)
        status = app_check_map(first, document->caption, error);
    bool is_all =
        document->caption && ((windowless && captions) || !has_eyes(first) || !has_eyes(second));
    return status == SAC_OK && !is_all ? open_two_weights(document, two, error) : status;
}

static sac_status open_pair(app_document *document, const app_request *request, int models,
                            sac_error *error)
{
    app_two two;
    sac_status status = check_count(request, models, error);
    if (status != SAC_OK)
        return status;
    app_split_request(request, &two);
    status = app_find_model(&two.side[1], &two.side[1].model, error);
    if (status != SAC_OK)
        return status;
    status = open_both(document, &two, error);
    sac_pretrained_model_close(two.side[1].model);
    return status;
}

/* What the model says of pictures; and where there is a window, or another tab is wanted, the heads
 * of that part of it which sees, of one of them. */
static sac_status open_captions(app_document *document, const app_request *request,
                                sac_error *error)
{
    bool captions = wants_captions(request);
    sac_status status = make_trace(request, &document->caption, error);
    if (status == SAC_OK)
        status = app_ask_captioner(request, request->model, document->caption, error);
    if (status == SAC_OK && captions)
        status = app_check_map(request, document->caption, error);
    bool is_all = (request->windowless && captions) || !sac_architecture_has_heads(request->model);
    if (status != SAC_OK || is_all)
        return status;
    const char *files[] = {request->files[0], document->caption->weights.opened.image_file};
    app_request seen = *request;
    seen.files = files;
    seen.file_count = 2;
    status = open_weights(document, &seen, error);
    document->picture_shown = document->caption->picture.number;
    if (status == SAC_OK) { /* the heads turn with the caption */
        document->weights->picture.number = document->caption->picture.number;
        document->weights->picture.count = document->caption->picture.count;
    }
    return status;
}

/* The sentence, its translation, and the heads of both halves; where just another tab is wanted,
 * the encoder by itself, of which queries and keys can be looked at too. */
static sac_status open_sentence(app_document *document, const app_request *request,
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
static sac_status open_opened(app_document *document, const app_request *request, int models,
                              sac_error *error)
{
    bool speaks = sac_architecture_speaks(request->model);
    bool pair = are_two(request, models);
    if (request->boxes && pair && models == 1)
        return sac_fail(error, SAC_E_ARGUMENT, "--boxes", "leave it out",
                        "works with one picture, but two are given");
    if (request->boxes && !sac_architecture_sees(request->model))
        return app_check_boxes(request, request->model, 0, error);
    return pair ? open_pair(document, request, models, error)
           : sac_architecture_translates(request->model) ? open_sentence(document, request, error)
           : speaks                                      ? open_captions(document, request, error)
                                                         : open_weights(document, request, error);
}

/* The name of the view that is seen first. */
static const char *first_tab(const app_document *document, const app_request *request)
{
    bool translates = document->translation && !request->array;
    return document->caption ? "caption" : translates ? "translation" : "heads";
}

sac_status app_open_model(app_document *document, const app_request *request, int models,
                          sac_error *error)
{
    app_request own = *request;
    snprintf(document->file, sizeof document->file, "%s", request->files[0]);
    sac_status status = app_find_model(request, &own.model, error);
    if (status != SAC_OK)
        return status;
    document->model = own.model;
    status = open_opened(document, &own, models, error);
    if (status == SAC_OK)
        status = app_open_views(document, NULL, error);
    viz_shell_show(&document->shell, first_tab(document, request));
    return status;
}
