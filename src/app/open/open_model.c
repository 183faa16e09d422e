/* Opens what goes through the model of a folder: a text, or pictures. */
#include "app/open/open_parts.h"

#include <stdlib.h>
#include <string.h>

#include "architectures/architectures.h"
#include "architectures/captioning/pretrained_captioner.h"
#include "base/error.h"
#include "images/folder.h"
#include "images/picture_files.h"
#include "pretrained/files/pretrained.h"
#include "sources/files/weights/model_weights.h"
#include "sources/words/boxes.h"

/* Where nothing is typed yet: "it" has two nouns to look back at. */
static const char first_text[] = "The animal did not cross the street because it was too tired.";

/* The model of the request's folder: the one that is open already, where it is of that folder.
 * Close it. */
static sac_status find_model(const app_request *request, sac_pretrained_model **model,
                             sac_error *error)
{
    sac_status status = SAC_OK;
    *model = request->model;
    if (!*model || !sac_architecture_is_of(*model, request->files[0]))
        status = sac_pretrained_model_open_stored(request->files[0], request->device,
                                                  request->spec.storage, model, error);
    else
        sac_architecture_keep(*model);
    bool generates = status == SAC_OK &&
                     (!sac_architecture_has_vision(*model) || sac_architecture_generates(*model));
    if (status != SAC_OK || request->continuation == 0 || generates)
        return status;
    sac_pretrained_model_close(*model);
    *model = NULL;
    return sac_fail(error, SAC_E_ARGUMENT, "--continue", "leave it out",
                    "needs a text model, but %s is a vision model", request->files[0]);
}

/* Two to see side by side, each a folder and a picture. */
typedef struct two_requests {
    app_request side[2];
    const char *files[2][2]; /* of each; lent by the request that was split */
} two_requests;

/* True where the request is of two: a folder and two pictures, or two folders and a picture. Each
 * by itself goes into `two`, which is not to be moved then (NULL: neither does). */
static bool split_request(const app_request *request, two_requests *two)
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

/* In place of the inference comes one that has the continuation, too, as it is said without the heads
 * that are switched off. */
static sac_status extend(const app_request *request, sac_inference **inference, sac_error *error)
{
    sac_inference *p = *inference, *longer = NULL, *scaled = NULL;
    const sac_sampling how = app_sampling(request);
    size_t most = p->count + (size_t)how.count;
    int *ids = calloc(most, sizeof *ids), generated = 0;
    if (!ids)
        return sac_fail(error, SAC_E_MEMORY, "--continue", NULL, "out of memory for %zu tokens",
                        most);
    memcpy(ids, p->ids, p->count * sizeof *ids);
    const char *without = app_find_setting(request, "without");
    sac_status status = without ? sac_inference_without(p, without, &scaled, error) : SAC_OK;
    if (status == SAC_OK)
        status =
            sac_inference_continue(scaled ? scaled : p, &how, ids + p->count, &generated, error);
    sac_inference_free(scaled);
    if (status == SAC_OK)
        status =
            sac_inference_read_tokens(p->model, ids, p->count + (size_t)generated, &longer, error);
    free(ids);
    if (status != SAC_OK)
        return status;
    longer->cut = p->cut;
    longer->generated = (size_t)generated;
    longer->sampled_by = how;
    sac_inference_free(p);
    *inference = longer;
    return SAC_OK;
}

/* What goes in: a text and its continuation, … */
static sac_status read_text(const app_request *request, sac_pretrained_model *model,
                            const char *text, sac_inference **inference, sac_error *error)
{
    if (request->file_count > 1)
        return sac_fail(error, SAC_E_ARGUMENT, request->files[1], "give the folder and --text",
                        "is given, but the model reads text");
    sac_status status = sac_inference_read(model, text, inference, error);
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
        status = sac_inference_see_stage(model, &image, fit, request->array, inference, error);
    sac_image_free(&image);
    return status;
}

/* "dinov2-small, cat.png". A picture that a model is shown as in training is noted as that. */
static void name_picture(const app_request *request, const char *path, sac_source *source)
{
    char model[sizeof source->title];
    const char *slash = strrchr(path, '/');
    char *absolute = realpath(path, NULL);
    memcpy(model, source->title, sizeof model);
    snprintf(source->title, sizeof source->title, "%.60s, %.60s", model, slash ? slash + 1 : path);
    snprintf(source->weights.opened.image_file, sizeof source->weights.opened.image_file, "%s",
             absolute ? absolute : "");
    snprintf(source->origin.fit, sizeof source->origin.fit, "%s",
             request->as_trained ? "as trained" : "");
    free(absolute);
}

static sac_status check_boxes(const app_request *request, const sac_pretrained_model *model,
                              int pictures, sac_error *error)
{
    if (!request->boxes)
        return SAC_OK;
    if (!sac_architecture_has_vision(model))
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

/* What the picture is compared with, and how. */
static void take_phrases(const app_request *request, sac_source *source)
{
    const char *way = app_find_setting(request, "likeness");
    if (!source->likeness.compare)
        return;
    snprintf(source->likeness.text, sizeof source->likeness.text, "%s",
             request->text ? request->text : "");
    for (int i = 0; way && i < SAC_LIKENESS_WAYS; i++)
        if (strcmp(way, sac_likeness_way_names[i]) == 0)
            source->likeness.way = (sac_likeness_way)i;
    sac_inference_note_phrases(source);
}

/* The picture of several that the request begins with. */
static sac_status open_seen_picture(const app_request *request, sac_pretrained_model *model,
                                    const sac_picture_files *pictures, sac_source *source,
                                    sac_error *error)
{
    int last = pictures->count - 1, picture = request->picture < last ? request->picture : last;
    sac_inference *inference = NULL;
    sac_status status = check_boxes(request, model, pictures->count, error);
    if (status == SAC_OK)
        status = see_picture(request, model, pictures->paths[picture], &inference, error);
    if (status == SAC_OK)
        status = sac_inference_source(inference, source, error);
    if (status != SAC_OK)
        return status;
    name_picture(request, pictures->paths[picture], source);
    take_phrases(request, source);
    const char *threshold = app_find_setting(request, "threshold");
    source->found.threshold = threshold ? strtof(threshold, NULL) : 0;
    source->picture.number = picture;
    source->picture.count = pictures->count;
    return load_boxes(request, source, error);
}

static sac_status open_seen(const app_request *request, sac_pretrained_model *model,
                            sac_source *source, sac_error *error)
{
    sac_picture_files pictures;
    if (!sac_architecture_has_heads(model))
        return sac_fail(error, SAC_E_ARGUMENT, request->files[0],
                        "train a captioner that sees with it: saccade train captioner --encoder",
                        "has no attention that could be shown");
    if (request->file_count < 2)
        return sac_fail(error, SAC_E_ARGUMENT, request->files[0], "give the folder and a picture",
                        "is a vision model and needs a picture");
    if (request->text && !sac_architecture_has_text_encoder(model))
        return sac_fail(error, SAC_E_ARGUMENT, request->files[0], "leave out --text",
                        "is a vision model and reads no text");
    sac_status status =
        sac_picture_files_find(request->files + 1, request->file_count - 1, &pictures, error);
    if (status == SAC_OK)
        status = open_seen_picture(request, model, &pictures, source, error);
    sac_picture_files_free(&pictures);
    return status;
}

/* A pair with what this model has between its texts, where the request has "[SEP]"; other texts as they are. */
static const char *write_pair(const app_request *request, const sac_pretrained_model *model,
                              char *pair, size_t size)
{
    static const char between[] = "[SEP]";
    char separator[SAC_SEPARATOR];
    const char *text = request->text ? request->text : first_text;
    const char *at = request->is_pair ? strstr(text, between) : NULL;
    if (!at || !sac_architecture_separator(model, separator, sizeof separator))
        return text;
    int length =
        snprintf(pair, size, "%.*s%s%s", (int)(at - text), text, separator, at + strlen(between));
    return length > 0 && (size_t)length < size ? pair : text;
}

static sac_status open_read_text(const app_request *request, sac_pretrained_model *model,
                                 sac_source *source, sac_error *error)
{
    const bool asked = request->is_pair && request->text && strstr(request->text, "[SEP]");
    char pair[sizeof source->speaker.text];
    const char *text = write_pair(request, model, pair, sizeof pair);
    sac_inference *inference = NULL;
    sac_status status = read_text(request, model, text, &inference, error);
    if (status != SAC_OK) {
        sac_inference_free(inference);
        return status;
    }
    status = sac_inference_source(inference, source, error);
    if (status != SAC_OK)
        return status;
    if (asked && !source->weights.second)
        return sac_fail(error, SAC_E_ARGUMENT, "--text-pair", "leave it out",
                        "%s does not read two texts as a pair, or has no places for both",
                        request->files[0]);
    source->speaker.typed = true;
    snprintf(source->speaker.text, sizeof source->speaker.text, "%s", text);
    const char *without = app_find_setting(request, "without");
    if (request->continuation > 0 && without && strlen(without) < sizeof source->speaker.without)
        strcpy(source->speaker.without, without);
    if (request->continuation > 0)
        sac_sampling_text(&inference->sampled_by, source->origin.continued,
                          sizeof source->origin.continued);
    return SAC_OK;
}

/* The request's text and its continuation by the model, or the one of its pictures that it begins
 * with and where things are in it, as a source. */
static sac_status ask_model(const app_request *request, sac_source *source, sac_error *error)
{
    sac_pretrained_model *model;
    *source = (sac_source){0};
    sac_status status = find_model(request, &model, error);
    if (status != SAC_OK)
        return status;
    bool has_picture = request->file_count > 1;
    bool is_text = request->text && sac_architecture_has_text_encoder(model) && !has_picture;
    if (sac_architecture_has_vision(model) && !is_text)
        status = open_seen(request, model, source, error);
    else
        status = open_read_text(request, model, source, error);
    sac_pretrained_model_close(model);
    if (status != SAC_OK)
        sac_source_destroy(source);
    return status;
}

/* The heads that are switched off, where what it says is asked for, and not its encoder's maps. */
static sac_status scale_heads(const app_request *request, sac_source *source, sac_error *error)
{
    const char *without = app_find_setting(request, "without");
    if (!without)
        return SAC_OK;
    sac_status status = sac_source_scale_heads(source, without, error);
    if (status != SAC_OK)
        return status;
    sac_source_add_note(source, "without %s", without);
    if (strlen(without) < sizeof source->speaker.without)
        memcpy(source->speaker.without, without, strlen(without) + 1);
    return status;
}

static sac_status ask_captioner(const app_request *request, sac_pretrained_model *model,
                                sac_source *source, sac_error *error)
{
    const sac_pictures_request asked = {.pictures = request->files + 1,
                                        .count = request->file_count - 1,
                                        .picture = request->picture,
                                        .boxes = request->boxes,
                                        .question = request->text,
                                        .language = request->language,
                                        .task = request->task};
    sac_status status = sac_pretrained_caption_open(model, &asked, source, error);
    return status == SAC_OK ? app_apply_sampling(request, source, error) : status;
}

static sac_status ask_translator(const app_request *request, sac_pretrained_model *model,
                                 sac_source *source, sac_error *error)
{
    *source = (sac_source){0};
    if (request->file_count > 1)
        return sac_fail(error, SAC_E_ARGUMENT, request->files[1], "give the folder and --text",
                        "is given, but the model is a translator");
    const char *text = request->text ? request->text : first_text;
    const char *from = request->from ? request->from : "", *to = request->to ? request->to : "";
    if (!from[0] && !to[0])
        return sac_pretrained_translation_open(model, text, source, error);
    if (!sac_pretrained_translates_to(model, to))
        return sac_fail(error, SAC_E_ARGUMENT, to[0] ? "--to" : "--from", "leave it out",
                        "%.60s is not a translator of several languages, or not of this one",
                        request->files[0]);
    size_t size = strlen(from) + strlen(to) + strlen(text) + 8;
    char *message = malloc(size);
    if (!message)
        return sac_no_memory(error, request->files[0]);
    snprintf(message, size, ">>%s%s%s<< %s", from, from[0] ? " " : "", to, text);
    sac_status status = sac_pretrained_translation_open(model, message, source, error);
    free(message);
    return status;
}

/* ---------------------------------------------------------------- its document */

static sac_status open_weights(app_document *document, const app_request *request, sac_error *error)
{
    sac_status status = app_make_source(&document->weights, request->files[0], error);
    if (status == SAC_OK)
        status = ask_model(request, document->weights, error);
    return status == SAC_OK ? app_check_map(request, document->weights, error) : status;
}

static bool wants_captions(const app_request *request)
{
    return (!request->tab && !request->array) || app_wants_tab(request, "caption") ||
           app_wants_tab(request, "next");
}

/* Two pictures of one model, or one picture of two: both are seen side by side. More pictures, or a
 * folder of them, are turned to one after the other. */
static bool are_two(const app_request *request, int models)
{
    const sac_pretrained_model *model = request->model;
    return models > 1 || (request->file_count > 2 && sac_architecture_has_vision(model) &&
                          (app_wants_tab(request, "pair") || split_request(request, NULL)));
}

static sac_status check_count(const app_request *request, int models, sac_error *error)
{
    bool has_phrases = request->text && sac_architecture_has_vision(request->model) &&
                       sac_architecture_has_text_encoder(request->model);
    if (models > 2 || (request->text && !has_phrases) || !split_request(request, NULL))
        return sac_fail(error, SAC_E_ARGUMENT, request->files[models - 1],
                        "give a folder and two pictures, or two folders and a picture",
                        "cannot be compared (models: %d, pictures: %d%s)", models,
                        request->file_count - models, request->text ? ", a text" : "");
    return SAC_OK;
}

static bool has_vision_heads(const app_request *request)
{
    return sac_architecture_has_vision(request->model) &&
           sac_architecture_has_heads(request->model);
}

static sac_status check_has_vision(const app_request *request, const char *other, sac_error *error)
{
    if (!has_vision_heads(request))
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

static void distinguish(sac_source *source, const app_request *request)
{
    snprintf(source->title, sizeof source->title, "%.60s, %.60s", long_name(source->origin.file),
             long_name(request->files[1]));
}

/* Titles that would be the same on both sides have the folders of the files in them. */
static void name_two(sac_source *source, const two_requests *two)
{
    if (strcmp(source->title, source->beside->title) != 0)
        return;
    distinguish(source, &two->side[0]);
    distinguish(source->beside, &two->side[1]);
}

/* The heads that see, of both. */
static sac_status open_two_weights(app_document *document, const two_requests *two,
                                   sac_error *error)
{
    sac_status status = check_has_vision(&two->side[0], two->files[1][0], error);
    if (status == SAC_OK)
        status = check_has_vision(&two->side[1], two->files[0][0], error);
    if (status == SAC_OK)
        status = open_weights(document, &two->side[0], error);
    if (status == SAC_OK)
        status = app_make_source(&document->weights->beside, two->side[1].files[0], error);
    if (status == SAC_OK)
        status = ask_model(&two->side[1], document->weights->beside, error);
    if (status == SAC_OK)
        name_two(document->weights, two);
    return status;
}

/* The captions of both. */
static sac_status open_two_captions(app_document *document, const two_requests *two,
                                    sac_error *error)
{
    const app_request *first = &two->side[0], *second = &two->side[1];
    sac_status status = app_make_source(&document->caption, first->files[0], error);
    if (status == SAC_OK)
        status = ask_captioner(first, first->model, document->caption, error);
    if (status == SAC_OK)
        status = app_make_source(&document->caption->beside, second->files[0], error);
    if (status == SAC_OK)
        status = ask_captioner(second, second->model, document->caption->beside, error);
    if (status == SAC_OK)
        name_two(document->caption, two);
    return status;
}

/* The captions of both, where both are captioners; and their vision heads, as of one captioner. */
static sac_status open_both(app_document *document, const two_requests *two, sac_error *error)
{
    const app_request *first = &two->side[0], *second = &two->side[1];
    bool captions = wants_captions(first), windowless = first->windowless;
    bool are_captioners =
        sac_architecture_generates(first->model) && sac_architecture_generates(second->model);
    sac_status status = SAC_OK;
    if (are_captioners && (captions || !windowless))
        status = open_two_captions(document, two, error);
    if (status == SAC_OK && document->caption && captions)
        status = app_check_map(first, document->caption, error);
    bool is_all = document->caption && ((windowless && captions) || !has_vision_heads(first) ||
                                        !has_vision_heads(second));
    return status == SAC_OK && !is_all ? open_two_weights(document, two, error) : status;
}

static sac_status open_pair(app_document *document, const app_request *request, int models,
                            sac_error *error)
{
    two_requests two;
    sac_status status = check_count(request, models, error);
    if (status != SAC_OK)
        return status;
    split_request(request, &two);
    status = find_model(&two.side[1], &two.side[1].model, error);
    if (status != SAC_OK)
        return status;
    status = open_both(document, &two, error);
    sac_pretrained_model_close(two.side[1].model);
    return status;
}

/* What the heads of the encoder change of what is said of the picture is told with them. */
static void link_decoder(sac_source *speaker, sac_source *weights)
{
    size_t layers, heads;
    if (!speaker->speaker.heads(speaker->self, SAC_ENCODER_ATTENTION, &layers, &heads) ||
        layers != weights->weights.layers || heads != weights->weights.heads)
        return;
    weights->weights.speaker = speaker;
    weights->weights.speaker_kind = SAC_ENCODER_ATTENTION;
}

/* The heads of the decoder, in place of those of the vision encoder: how the words that it says look at
 * the picture, or at the words before them. */
static bool wants_decoder(const app_request *request)
{
    const int kinds[] = {SAC_CROSS_ATTENTION, SAC_DECODER_ATTENTION};
    bool wants = false;
    for (int i = 0; i < 2 && request->array; i++)
        wants = wants || strcmp(request->array, sac_attention_kind_names[kinds[i]]) == 0;
    return wants;
}

static sac_status open_decoder_heads(app_document *document, const app_request *request,
                                     sac_error *error)
{
    const sac_source *caption = document->caption;
    sac_attentions attentions;
    int prefix = 0;
    sac_status status = sac_pretrained_caption_maps(document->caption, &attentions, &prefix, error);
    if (status == SAC_OK)
        status = app_make_source(&document->weights, request->files[0], error);
    if (status != SAC_OK) {
        sac_attentions_free(&attentions);
        return status;
    }
    sac_source *source = document->weights;
    status = sac_model_weights_open(&attentions, request->array, source, error);
    if (status != SAC_OK)
        return status;
    sac_weights_opened *opened = &source->weights.opened;
    source->origin = caption->origin;
    snprintf(source->title, sizeof source->title, "%.100s, %s", caption->title, request->array);
    snprintf(opened->array, sizeof opened->array, "%s", request->array);
    memcpy(opened->image_file, caption->weights.opened.image_file, sizeof opened->image_file);
    if (source->picture.image) {
        source->picture.prefix = prefix;
        memcpy(source->picture.file_box, caption->picture.file_box,
               sizeof source->picture.file_box);
    }
    return sac_architecture_has_staged_vision(request->model)
               ? sac_architecture_list_stages(request->model, opened, error)
               : SAC_OK;
}

/* The captions of pictures; and where there is a window, or another tab is wanted, the heads of the
 * vision encoder, of one of them. */
static sac_status open_captions(app_document *document, const app_request *request,
                                sac_error *error)
{
    bool captions = wants_captions(request);
    sac_status status = app_make_source(&document->caption, request->files[0], error);
    if (status == SAC_OK)
        status = ask_captioner(request, request->model, document->caption, error);
    if (status == SAC_OK && captions)
        status = app_check_map(request, document->caption, error);
    if (status == SAC_OK && captions)
        status = scale_heads(request, document->caption, error);
    bool is_all = (request->windowless && captions) ||
                  (!sac_architecture_has_heads(request->model) && !wants_decoder(request));
    if (status != SAC_OK || is_all)
        return status;
    const char *files[] = {request->files[0], document->caption->weights.opened.image_file};
    app_request seen = *request;
    seen.files = files;
    seen.file_count = 2;
    seen.text = NULL; /* the question was asked of the decoder */
    status = wants_decoder(request) ? open_decoder_heads(document, request, error)
                                    : open_weights(document, &seen, error);
    document->picture_shown = document->caption->picture.number;
    if (status == SAC_OK && !wants_decoder(request))
        link_decoder(document->caption, document->weights);
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
    if (request->tab && !app_wants_tab(request, "translation") && !app_wants_tab(request, "next") &&
        !request->array)
        return open_weights(document, request, error);
    sac_status status = app_make_source(&document->translation, request->files[0], error);
    if (status == SAC_OK)
        status = ask_translator(request, request->model, document->translation, error);
    if (status == SAC_OK)
        status = app_apply_sampling(request, document->translation, error);
    if (status == SAC_OK && !request->array)
        status = scale_heads(request, document->translation, error);
    return status == SAC_OK ? app_open_sentence_weights(document, request, error) : status;
}

/* What there is of the model, by what it can do. */
static sac_status open_opened(app_document *document, const app_request *request, int models,
                              sac_error *error)
{
    bool generates = sac_architecture_generates(request->model);
    bool pair = are_two(request, models);
    if (request->boxes && pair && models == 1)
        return sac_fail(error, SAC_E_ARGUMENT, "--boxes", "leave it out",
                        "works with one picture, but two are given");
    if (request->boxes && !sac_architecture_has_vision(request->model))
        return check_boxes(request, request->model, 0, error);
    return pair ? open_pair(document, request, models, error)
           : sac_architecture_translates(request->model) ? open_sentence(document, request, error)
           : generates                                   ? open_captions(document, request, error)
                                                         : open_weights(document, request, error);
}

sac_status app_open_model(app_document *document, const app_request *request, int models,
                          sac_error *error)
{
    app_request own = *request;
    snprintf(document->file, sizeof document->file, "%s", request->files[0]);
    sac_status status = find_model(request, &own.model, error);
    if (status != SAC_OK)
        return status;
    document->model = own.model;
    const sac_pretrained_model *m = own.model;
    if (request->is_pair && (!sac_architecture_has_text_encoder(m) ||
                             sac_architecture_generates(m) || sac_architecture_translates(m)))
        return sac_fail(error, SAC_E_ARGUMENT, "--text-pair", "leave it out",
                        "needs a model that reads texts alone, which %s is not", request->files[0]);
    status = open_opened(document, &own, models, error);
    if (status == SAC_OK)
        status = app_open_views(document, error);
    bool translates = document->translation && !request->array;
    bool finds = document->weights && document->weights->found.find;
    bool has_phrases = document->weights && document->weights->likeness.text[0];
    viz_shell_show(&document->shell, document->caption ? "caption"
                                     : translates      ? "translation"
                                     : has_phrases     ? "likeness"
                                     : finds           ? "found"
                                                       : "heads");
    return status;
}
