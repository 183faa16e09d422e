/* What goes through the model of a folder: a text, or a picture. */
#include "app/ask_model.h"

#include <stdlib.h>
#include <string.h>

#include "app/document_parts.h"
#include "architectures/captioner.h"
#include "architectures/translator.h"
#include "base/error.h"
#include "images/folder.h"
#include "images/picture_files.h"
#include "pretrained/files/pretrained.h"
#include "sources/boxes.h"

/* Where nothing is typed yet: "it" has two nouns to look back at. */
static const char first_text[] = "The animal did not cross the street because it was too tired.";

sac_status app_find_model(const app_request *request, sac_pretrained_model **model,
                          sac_error *error)
{
    sac_status status = SAC_OK;
    *model = request->model;
    if (!*model || !sac_architecture_is_of(*model, request->files[0]))
        status = sac_pretrained_model_open(request->files[0], request->device, model, error);
    else
        sac_architecture_keep(*model);
    if (status != SAC_OK || request->continuation == 0 || !sac_architecture_sees(*model))
        return status;
    sac_pretrained_model_close(*model);
    *model = NULL;
    return sac_fail(error, SAC_E_ARGUMENT, "--continue", "leave it out",
                    "needs a text model, but %s is a vision model", request->files[0]);
}

bool app_split_request(const app_request *request, app_two *two)
{
    const char *const *files = request->files;
    bool models = request->file_count == 3 && sac_is_pretrained(files[1]);
    bool pictures =
        request->file_count == 3 && !sac_is_folder(files[1]) && !sac_is_folder(files[2]);
    if (two && (models || pictures)) {
        two->files[0][0] = files[0];
        two->files[0][1] = files[models ? 2 : 1];
        two->files[1][0] = files[models ? 1 : 0];
        two->files[1][1] = files[2];
        for (int i = 0; i < 2; i++) {
            two->side[i] = *request;
            two->side[i].files = two->files[i];
            two->side[i].file_count = 2;
        }
    }
    return models || pictures;
}

/* In the place of the passage comes one that has what the model says after it. */
static sac_status extend(const app_request *request, sac_inference **inference, sac_error *error)
{
    sac_inference *p = *inference, *longer = NULL;
    const char *temperature = app_find_setting(request, "temperature");
    sac_continue_options options = {.count = request->continuation,
                                    .temperature = temperature ? strtof(temperature, NULL) : 0,
                                    .seed = request->seed};
    size_t most = p->count + (size_t)options.count;
    int *ids = calloc(most, sizeof *ids), said = 0;
    if (!ids)
        return sac_fail(error, SAC_E_MEMORY, "--continue", NULL, "no memory for %zu tokens", most);
    memcpy(ids, p->ids, p->count * sizeof *ids);
    sac_status status = sac_inference_continue(p, &options, ids + p->count, &said, error);
    if (status == SAC_OK)
        status = sac_inference_read_tokens(p->model, ids, p->count + (size_t)said, &longer, error);
    free(ids);
    if (status != SAC_OK)
        return status;
    longer->cut = p->cut;
    sac_inference_free(p);
    *inference = longer;
    return SAC_OK;
}

/* What goes in: a text and what the model says after it, … */
static sac_status read_text(const app_request *request, sac_pretrained_model *model,
                            const char *text, app_asked *asked, sac_inference **inference,
                            sac_error *error)
{
    if (request->file_count > 1)
        return sac_fail(error, SAC_E_ARGUMENT, request->files[1], "give the folder and --text",
                        "is given, but the model reads text");
    sac_status status = sac_inference_read(model, text, inference, error);
    if (status == SAC_OK)
        asked->read = (*inference)->count;
    return status == SAC_OK && request->continuation > 0 ? extend(request, inference, error)
                                                         : status;
}

/* … or a picture. */
static sac_status see_picture(const app_request *request, sac_pretrained_model *model,
                              const char *path, sac_inference **inference, sac_error *error)
{
    sac_image image = {0};
    sac_picture_fit fit = request->as_trained ? SAC_FIT_TRAINED : SAC_FIT_WHOLE;
    sac_status status = sac_image_load(path, &image, error);
    if (status == SAC_OK)
        status = sac_inference_see(model, &image, fit, inference, error);
    sac_image_free(&image);
    return status;
}

/* "dinov2-small, cat.png". What a model was shown a part of is no picture of that file. */
static void name_picture(const app_request *request, const char *path, sac_source *source)
{
    char model[sizeof source->title];
    const char *slash = strrchr(path, '/');
    char *absolute = request->as_trained ? NULL : realpath(path, NULL);
    memcpy(model, source->title, sizeof model);
    snprintf(source->title, sizeof source->title, "%.60s, %.60s", model, slash ? slash + 1 : path);
    snprintf(source->weights.opened.image_file, sizeof source->weights.opened.image_file, "%s",
             absolute ? absolute : "");
    free(absolute);
}

sac_status app_check_boxes(const app_request *request, const sac_pretrained_model *model,
                           int pictures, sac_error *error)
{
    if (!request->boxes)
        return SAC_OK;
    if (!sac_architecture_sees(model))
        return sac_fail(error, SAC_E_ARGUMENT, "--boxes", "leave it out",
                        "needs a picture, but %s is a text model", request->files[0]);
    if (request->as_trained)
        return sac_fail(error, SAC_E_ARGUMENT, "--boxes", "leave out --as-trained",
                        "refers to the whole picture");
    if (pictures > 1)
        return sac_fail(error, SAC_E_ARGUMENT, "--boxes", "give one picture",
                        "works with one picture, but %d are given", pictures);
    return SAC_OK;
}

/* Where things are in the picture that the source lies over. */
static sac_status load_boxes(const app_request *request, sac_source *source, sac_error *error)
{
    const sac_image *image = source->picture.image;
    source->speaker.has_truth = request->boxes != NULL;
    return source->speaker.has_truth ? sac_boxes_load(request->boxes, image->width, image->height,
                                                      &source->speaker.truth, error)
                                     : SAC_OK;
}

/* The picture of several that the request begins with. */
static sac_status trace_picture(const app_request *request, sac_pretrained_model *model,
                                const sac_picture_files *pictures, sac_source *source,
                                app_asked *asked, sac_error *error)
{
    int last = pictures->count - 1, picture = request->picture < last ? request->picture : last;
    sac_inference *inference = NULL;
    sac_status status = app_check_boxes(request, model, pictures->count, error);
    if (status == SAC_OK)
        status = see_picture(request, model, pictures->paths[picture], &inference, error);
    if (status == SAC_OK)
        status = sac_inference_trace(inference, source, error);
    if (status != SAC_OK)
        return status;
    *asked = (app_asked){inference, source->weights.steps};
    name_picture(request, pictures->paths[picture], source);
    source->picture.number = picture;
    source->picture.count = pictures->count;
    return load_boxes(request, source, error);
}

static sac_status trace_pictures(const app_request *request, sac_pretrained_model *model,
                                 app_asked *asked, sac_source *source, sac_error *error)
{
    sac_picture_files pictures;
    if (request->file_count < 2 || request->text)
        return sac_fail(error, SAC_E_ARGUMENT, request->files[0], "give the folder and a picture",
                        "is a vision model and needs a picture");
    sac_status status =
        sac_picture_files_find(request->files + 1, request->file_count - 1, &pictures, error);
    if (status == SAC_OK)
        status = trace_picture(request, model, &pictures, source, asked, error);
    sac_picture_files_free(&pictures);
    return status;
}

static sac_status trace_text(const app_request *request, sac_pretrained_model *model,
                             app_asked *asked, sac_source *source, sac_error *error)
{
    const char *text = request->text ? request->text : first_text;
    sac_inference *inference = NULL;
    sac_status status = read_text(request, model, text, asked, &inference, error);
    if (status != SAC_OK) {
        sac_inference_free(inference);
        return status;
    }
    status = sac_inference_trace(inference, source, error);
    if (status != SAC_OK)
        return status;
    asked->inference = inference;
    source->speaker.typed = true;
    snprintf(source->speaker.text, sizeof source->speaker.text, "%s", text);
    return SAC_OK;
}

sac_status app_ask_model(const app_request *request, sac_source *source, app_asked *asked,
                         sac_error *error)
{
    sac_pretrained_model *model;
    app_asked unused;
    asked = asked ? asked : &unused;
    *source = (sac_source){0};
    sac_status status = app_find_model(request, &model, error);
    if (status != SAC_OK)
        return status;
    if (sac_architecture_sees(model))
        status = trace_pictures(request, model, asked, source, error);
    else
        status = trace_text(request, model, asked, source, error);
    sac_pretrained_model_close(model);
    if (status != SAC_OK)
        sac_source_destroy(source);
    return status;
}

sac_status app_ask_captioner(const app_request *request, sac_pretrained_model *model,
                             sac_source *source, sac_error *error)
{
    sac_picture_files pictures;
    *source = (sac_source){0};
    sac_status status =
        sac_picture_files_find(request->files + 1, request->file_count - 1, &pictures, error);
    if (status == SAC_OK)
        status =
            sac_pretrained_caption_open(model, (const char *const *)pictures.paths, pictures.count,
                                        request->picture, request->boxes, source, error);
    sac_picture_files_free(&pictures);
    return status;
}

sac_status app_ask_translator(const app_request *request, sac_pretrained_model *model,
                              sac_source *source, sac_error *error)
{
    *source = (sac_source){0};
    if (request->file_count > 1)
        return sac_fail(error, SAC_E_ARGUMENT, request->files[1], "give the folder and --text",
                        "is given, but the model is a translator");
    return sac_pretrained_translation_open(model, request->text ? request->text : first_text,
                                           source, error);
}
