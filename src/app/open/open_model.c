/* Opens what goes through the model of a folder: a text, or pictures. */
#include <stdlib.h>
#include <string.h>

#include "app/open/captioner.h"
#include "app/open/open_parts.h"
#include "architectures/architectures.h"
#include "base/error.h"
#include "images/folder.h"
#include "pretrained/files/pretrained.h"
#include "sources/files/weights/model_weights.h"
#include "sources/heads/ask.h"
#include "sources/words/boxes.h"
#include "tokenizers/chat/conversation.h"

/* Where nothing is typed yet: "it" has two nouns to look back at. */
static const char first_text[] = "The animal did not cross the street because it was too tired.";

/* What comes out of a model: the states of a text or of a picture alone, captions of pictures (or texts of
 * sounds), or translations. */
typedef enum model_kind { TEXT_STATES, PICTURE_STATES, CAPTIONS, TRANSLATIONS } model_kind;

/* A model, what it can do, and what goes into it. */
typedef struct model_input {
    sac_pretrained_model *model; /* close it */
    model_kind kind;
    bool has_vision, has_heads, has_text_encoder;
    const char *folder;
    const char *const *pictures; /* and folders of them */
    int picture_count;
    const char *text; /* NULL: none */
} model_input;

/* Of the request's first file and the others. The model is the one that is open already, where it is of that
 * folder. */
static sac_status open_requested_model(const app_request *request, model_input *input,
                                       sac_error *error)
{
    sac_status status = SAC_OK;
    if (!input->folder)
        *input = (model_input){.folder = request->files[0],
                               .pictures = request->files + 1,
                               .picture_count = request->file_count - 1,
                               .text = request->text};
    if (request->model && sac_architecture_is_of(request->model, input->folder))
        sac_architecture_retain(input->model = request->model);
    else
        status = sac_pretrained_model_open_stored(input->folder, request->device,
                                                  request->spec.storage, &input->model, error);
    if (status != SAC_OK)
        return status;
    const sac_pretrained_model *m = input->model;
    input->has_vision = sac_architecture_has_media_encoder(m);
    input->has_heads = sac_architecture_has_heads(m);
    input->has_text_encoder = sac_architecture_has_text_encoder(m);
    if (input->text && !input->picture_count && sac_architecture_reads_prompts(m)) {
        input->kind = TEXT_STATES;
        input->has_vision = false;
        input->has_heads = input->has_text_encoder = true;
        return SAC_OK;
    }
    input->kind = sac_architecture_translates(m)     ? TRANSLATIONS
                  : sac_architecture_is_captioner(m) ? CAPTIONS
                  : input->has_vision                ? PICTURE_STATES
                                                     : TEXT_STATES;
    if (request->continuation == 0 || input->kind != PICTURE_STATES)
        return SAC_OK;
    const char *kind = sac_architecture_has_audio(m) ? "an audio" : "a vision";
    sac_pretrained_model_close(input->model);
    input->model = NULL;
    return sac_fail(error, SAC_E_ARGUMENT, "--continue", "leave it out",
                    "needs a text model, but %s is %s model", input->folder, kind);
}

/* ---------------------------------------------------------------- states of a text */

/* Replaces the inference by one with the continuation, too, generated without the heads that are
 * switched off. */
static sac_status extend(const app_request *request, sac_inference **inference, sac_error *error)
{
    sac_inference *p = *inference, *longer, *scaled = NULL;
    const sac_sampling how = app_sampling(request);
    const char *without = app_find_setting(request, "without");
    sac_status status = without ? sac_inference_without_heads(p, without, &scaled, error) : SAC_OK;
    if (status == SAC_OK)
        status = sac_inference_extend(p, scaled ? scaled : p, &how, NULL, &longer, error);
    sac_inference_free(scaled);
    if (status != SAC_OK)
        return status;
    sac_inference_free(p);
    *inference = longer;
    return SAC_OK;
}

/* A pair with what this model has between its texts, where the request has "[SEP]"; other texts as they are. */
static const char *insert_pair_separator(const app_request *request, const model_input *input,
                                         char *pair, size_t size)
{
    static const char between[] = "[SEP]";
    char separator[SAC_SEPARATOR];
    const char *text = input->text ? input->text : first_text;
    const char *at = request->is_pair ? strstr(text, between) : NULL;
    if (!at || !sac_architecture_separator(input->model, separator, sizeof separator))
        return text;
    int length =
        snprintf(pair, size, "%.*s%s%s", (int)(at - text), text, separator, at + strlen(between));
    return length > 0 && (size_t)length < size ? pair : text;
}

/* The turns that the request has, by the template of the folder. */
static sac_status read_conversation(const app_request *request, const model_input *input,
                                    sac_conversation *conversation, sac_error *error)
{
    struct cJSON *messages;
    sac_status status =
        sac_messages_read(request->chat, (size_t)request->chat_count, &messages, error);
    if (status == SAC_OK)
        status = sac_conversation_render(
            input->folder, sac_pretrained_gguf_keys(sac_architecture_files(input->model)), messages,
            conversation, error);
    sac_messages_free(messages);
    if (status == SAC_OK && strlen(conversation->text) >= sizeof((sac_source *)0)->result.text)
        status = sac_fail(error, SAC_E_ARGUMENT, "--chat", "leave out earlier turns",
                          "makes a text of more than %zu bytes",
                          sizeof((sac_source *)0)->result.text - 1);
    if (status != SAC_OK)
        sac_conversation_free(conversation);
    return status;
}

static sac_status open_text(const app_request *request, const model_input *input,
                            sac_source *source, sac_error *error)
{
    char pair[sizeof source->result.text];
    const char *text = insert_pair_separator(request, input, pair, sizeof pair);
    const char *without = app_find_setting(request, "without");
    sac_inference *inference = NULL;
    if (input->picture_count)
        return sac_fail(error, SAC_E_ARGUMENT, input->pictures[0], "give the folder and --text",
                        "is given, but the model reads text");
    sac_conversation conversation = {0};
    const bool is_chat = request->chat_count && !input->text;
    sac_status status = is_chat ? read_conversation(request, input, &conversation, error) : SAC_OK;
    if (status == SAC_OK)
        status = is_chat ? sac_inference_read_conversation(input->model, &conversation, &inference,
                                                           error)
                         : sac_inference_read(input->model, text, &inference, error);
    if (status == SAC_OK && request->continuation > 0)
        status = extend(request, &inference, error);
    if (status == SAC_OK)
        status = sac_inference_open_source(inference, source, error);
    else
        sac_inference_free(inference);
    if (status == SAC_OK)
        snprintf(source->result.text, sizeof source->result.text, "%s",
                 is_chat ? conversation.text : text);
    sac_conversation_free(&conversation);
    if (status != SAC_OK)
        return status;
    if (request->is_pair && input->text && strstr(input->text, "[SEP]") && !source->weights.second)
        return sac_fail(error, SAC_E_ARGUMENT, "--text-pair", "leave it out",
                        "%s does not read two texts as a pair, or has no places for both",
                        input->folder);
    source->result.typed = true;
    if (request->continuation == 0)
        return SAC_OK;
    if (without && strlen(without) < sizeof source->result.without)
        strcpy(source->result.without, without);
    sac_sampling_text(&inference->sampled_by, source->origin.continued,
                      sizeof source->origin.continued);
    return SAC_OK;
}

/* ---------------------------------------------------------------- states of a picture */

/* "dinov2-small, cat.png". A picture that a model is shown as in training is noted as that. */
static void add_picture_to_title(const app_request *request, const char *path, sac_source *source)
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

static sac_status check_boxes(const app_request *request, const model_input *input, int pictures,
                              sac_error *error)
{
    if (!request->boxes)
        return SAC_OK;
    if (!input->has_vision)
        return sac_fail(error, SAC_E_ARGUMENT, "--boxes", "leave it out",
                        "needs a picture, but %s is a text model", input->folder);
    if (request->as_trained)
        return sac_fail(error, SAC_E_ARGUMENT, "--boxes", "leave out --as-trained",
                        "refers to the whole picture");
    if (pictures > 1)
        return sac_fail(error, SAC_E_ARGUMENT, "--boxes", "give one picture",
                        "works with one picture, but %d are given", pictures);
    return SAC_OK;
}

/* What the picture is compared with, and how. */
static void set_result_phrases(const app_request *request, const model_input *input,
                               sac_source *source)
{
    const char *way = app_find_setting(request, "likeness");
    if (source->result.outputs != SAC_OUTPUT_PHRASES && !source->result.finds_phrases)
        return;
    snprintf(source->result.phrases, sizeof source->result.phrases, "%s",
             input->text                    ? input->text
             : source->result.finds_phrases ? SAC_FIRST_PHRASES
                                            : "");
    for (int i = 0; way && i < SAC_LIKENESS_WAYS; i++)
        if (strcmp(way, sac_likeness_way_names[i]) == 0)
            source->result.way = (sac_likeness_way)i;
    sac_architecture_note_cut_phrases(input->model, source);
}

/* The picture of several that the request begins with. */
static sac_status open_one_picture(const app_request *request, const model_input *input,
                                   const sac_picture_files *pictures, sac_source *source,
                                   sac_error *error)
{
    const int last = pictures->count - 1;
    const int picture = request->picture < last ? request->picture : last;
    const sac_picture_fit fit = request->as_trained ? SAC_FIT_TRAINED : SAC_FIT_WHOLE;
    sac_image image = {0};
    sac_inference *inference = NULL;
    const bool is_sound = sac_architecture_has_audio(input->model);
    sac_status status = check_boxes(request, input, pictures->count, error);
    if (status == SAC_OK && is_sound)
        status =
            sac_inference_load_audio(input->model, pictures->paths[picture], &inference, error);
    else if (status == SAC_OK)
        status = sac_image_load(pictures->paths[picture], &image, error);
    if (status == SAC_OK && !is_sound)
        status =
            sac_inference_see_stage(input->model, &image, fit, request->array, &inference, error);
    sac_image_free(&image);
    if (status == SAC_OK)
        status = sac_inference_open_source(inference, source, error);
    if (status != SAC_OK)
        return status;
    add_picture_to_title(request, pictures->paths[picture], source);
    set_result_phrases(request, input, source);
    const char *threshold = app_find_setting(request, "threshold");
    if (threshold)
        source->result.threshold = strtof(threshold, NULL);
    source->picture.number = picture;
    source->picture.count = pictures->count;
    source->result.has_truth = request->boxes != NULL;
    const sac_image *seen = source->picture.image;
    return source->result.has_truth ? sac_boxes_load(request->boxes, seen->width, seen->height,
                                                     &source->result.truth, error)
                                    : SAC_OK;
}

static sac_status open_picture(const app_request *request, const model_input *input,
                               sac_source *source, sac_error *error)
{
    sac_picture_files pictures;
    if (!input->has_heads)
        return sac_fail(error, SAC_E_ARGUMENT, input->folder,
                        "train a captioner that sees with it: saccade train captioner --encoder",
                        "has no attention that could be shown");
    const bool is_sound = sac_architecture_has_audio(input->model);
    if (!input->picture_count)
        return sac_fail(error, SAC_E_ARGUMENT, input->folder,
                        is_sound ? "give the folder and a sound" : "give the folder and a picture",
                        is_sound ? "is an audio model and needs a sound"
                                 : "is a vision model and needs a picture");
    if (input->text && !input->has_text_encoder)
        return sac_fail(error, SAC_E_ARGUMENT, input->folder, "leave out --text",
                        "is %s model and reads no text", is_sound ? "an audio" : "a vision");
    if (request->as_trained && is_sound)
        return sac_fail(error, SAC_E_ARGUMENT, "--as-trained", "leave it out",
                        "is of pictures, and %s takes sounds", input->folder);
    sac_status status =
        sac_picture_files_find(input->pictures, input->picture_count, &pictures, error);
    sac_picture_files_notice(&pictures);
    if (status == SAC_OK)
        status = open_one_picture(request, input, &pictures, source, error);
    sac_picture_files_free(&pictures);
    return status;
}

/* The text and its continuation, or the one of the pictures that the request begins with and where things
 * are in it, as a zeroed source. */
static sac_status open_states(const app_request *request, const model_input *input,
                              sac_source *source, sac_error *error)
{
    bool is_text = input->text && input->has_text_encoder && !input->picture_count;
    sac_status status = input->has_vision && !is_text ? open_picture(request, input, source, error)
                                                      : open_text(request, input, source, error);
    if (status != SAC_OK)
        sac_source_destroy(source);
    return status;
}

sac_status app_open_states(const app_request *request, sac_source *source, sac_error *error)
{
    model_input input = {0};
    sac_status status = open_requested_model(request, &input, error);
    if (status == SAC_OK)
        status = open_states(request, &input, source, error);
    sac_pretrained_model_close(input.model);
    return status;
}

/* ---------------------------------------------------------------- captions and translations */

/* Switches heads off, where the generated text is requested, and not the encoder's maps. */
static sac_status scale_heads(const app_request *request, sac_source *source, sac_error *error)
{
    const char *without = app_find_setting(request, "without");
    if (!without)
        return SAC_OK;
    sac_status status = sac_source_scale_heads(source, without, error);
    if (status != SAC_OK)
        return status;
    sac_source_add_note(source, SAC_NOTE_SHOWN, "without %s", without);
    if (strlen(without) < sizeof source->result.without)
        memcpy(source->result.without, without, strlen(without) + 1);
    return status;
}

static sac_status open_captioner_source(const app_request *request, const model_input *input,
                                        sac_source **place, sac_error *error)
{
    sac_pictures_request asked = app_pictures_request(request);
    asked.pictures = input->pictures;
    asked.count = input->picture_count;
    asked.picture = request->picture;
    asked.pieces = request->pieces;
    asked.piece_count = request->piece_count;
    asked.question = input->text;
    sac_status status = app_make_source(place, input->folder, error);
    if (status == SAC_OK)
        status = sac_pretrained_caption_open(input->model, &asked, *place, error);
    return status == SAC_OK ? app_apply_sampling(request, *place, error) : status;
}

static sac_status open_translator_source(const app_request *request, const model_input *input,
                                         sac_source *source, sac_error *error)
{
    if (input->picture_count)
        return sac_fail(error, SAC_E_ARGUMENT, input->pictures[0], "give the folder and --text",
                        "is given, but the model is a translator");
    const char *text = input->text ? input->text : first_text;
    const char *from = request->from ? request->from : "", *to = request->to ? request->to : "";
    if (!from[0] && !to[0])
        return sac_pretrained_translation_open(input->model, text, source, error);
    if (!sac_pretrained_translates_to(input->model, to))
        return sac_fail(error, SAC_E_ARGUMENT, to[0] ? "--to" : "--from", "leave it out",
                        "%.60s is not a translator of several languages, or not of this one",
                        input->folder);
    size_t size = strlen(from) + strlen(to) + strlen(text) + 8;
    char *message = malloc(size);
    if (!message)
        return sac_no_memory(error, input->folder);
    snprintf(message, size, ">>%s%s%s<< %s", from, from[0] ? " " : "", to, text);
    sac_status status = sac_pretrained_translation_open(input->model, message, source, error);
    free(message);
    return status;
}

static bool wants_captions(const app_request *request)
{
    return (!request->tab && !request->array) || app_wants_tab(request, "caption") ||
           app_wants_tab(request, "next");
}

/* ---------------------------------------------------------------- two side by side */

/* A folder and two pictures, or two folders and a picture. */
static bool compares_two(const app_request *request)
{
    const char *const *files = request->files;
    return request->file_count == 3 &&
           (sac_is_pretrained(files[1]) || (!sac_is_folder(files[1]) && !sac_is_folder(files[2])));
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

/* Titles that would be the same on both sides have the folders of the files in them. */
static void make_titles_distinct(sac_source *source, const model_input two[2])
{
    if (strcmp(source->title, source->beside->title) != 0)
        return;
    for (int i = 0; i < 2; i++, source = source->beside)
        snprintf(source->title, sizeof source->title, "%.60s, %.60s",
                 long_name(source->origin.file), long_name(two[i].pictures[0]));
}

/* The vision heads of both. */
static sac_status open_two_states(app_document *document, const app_request *request,
                                  const model_input two[2], sac_error *error)
{
    for (int i = 0; i < 2; i++)
        if (!two[i].has_vision || !two[i].has_heads)
            return sac_fail(error, SAC_E_ARGUMENT, two[i].folder, "give two vision models",
                            "has no vision heads and cannot be compared with %s", two[!i].folder);
    sac_status status = app_make_source(&document->weights, two[0].folder, error);
    if (status == SAC_OK)
        status = open_states(request, &two[0], document->weights, error);
    if (status == SAC_OK)
        status = app_check_map_exists(request, document->weights, error);
    if (status == SAC_OK)
        status = app_make_source(&document->weights->beside, two[1].folder, error);
    if (status == SAC_OK)
        status = open_states(request, &two[1], document->weights->beside, error);
    if (status == SAC_OK)
        make_titles_distinct(document->weights, two);
    return status;
}

/* The captions of both, where both are captioners; and their vision heads, as of one captioner. */
static sac_status open_two_compared(app_document *document, const app_request *request,
                                    const model_input two[2], sac_error *error)
{
    bool captions = wants_captions(request), windowless = request->windowless;
    sac_status status = SAC_OK;
    if (sac_architecture_is_captioner(two[0].model) &&
        sac_architecture_is_captioner(two[1].model) && (captions || !windowless)) {
        status = open_captioner_source(request, &two[0], &document->caption, error);
        if (status == SAC_OK)
            status = open_captioner_source(request, &two[1], &document->caption->beside, error);
        if (status == SAC_OK)
            make_titles_distinct(document->caption, two);
    }
    if (status == SAC_OK && document->caption && captions)
        status = app_check_map_exists(request, document->caption, error);
    bool is_all =
        document->caption && ((windowless && captions) || !two[0].has_vision || !two[0].has_heads ||
                              !two[1].has_vision || !two[1].has_heads);
    return status == SAC_OK && !is_all ? open_two_states(document, request, two, error) : status;
}

static sac_status open_pair(app_document *document, const app_request *request,
                            const model_input *input, int models, sac_error *error)
{
    bool has_phrases = input->text && input->has_vision && input->has_text_encoder;
    if (models > 2 || (input->text && !has_phrases) || !compares_two(request))
        return sac_fail(error, SAC_E_ARGUMENT, request->files[models - 1],
                        "give a folder and two pictures, or two folders and a picture",
                        "cannot be compared (models: %d, pictures: %d%s)", models,
                        request->file_count - models, input->text ? ", a text" : "");
    bool two_models = sac_is_pretrained(request->files[1]);
    model_input two[2] = {*input, *input};
    two[0].pictures = request->files + (two_models ? 2 : 1);
    two[1].pictures = request->files + 2;
    two[1].folder = request->files[two_models];
    two[0].picture_count = two[1].picture_count = 1;
    two[1].model = NULL;
    sac_status status = open_requested_model(request, &two[1], error);
    if (status == SAC_OK)
        status = open_two_compared(document, request, two, error);
    if (two[1].model)
        sac_pretrained_model_close(two[1].model);
    return status;
}

/* ---------------------------------------------------------------- one */

static sac_status open_weights(app_document *document, const app_request *request,
                               const model_input *input, sac_error *error)
{
    sac_status status = app_make_source(&document->weights, input->folder, error);
    if (status == SAC_OK)
        status = open_states(request, input, document->weights, error);
    return status == SAC_OK ? app_check_map_exists(request, document->weights, error) : status;
}

/* What the heads of the encoder change of what is generated of the picture is shown with them. */
static void link_decoder(sac_source *generator, sac_source *weights)
{
    size_t layers, heads;
    if (!generator->result.heads(generator->self, SAC_ENCODER_ATTENTION, &layers, &heads) ||
        layers != weights->weights.layers || heads != weights->weights.heads)
        return;
    weights->weights.generator = generator;
    weights->weights.generator_kind = SAC_ENCODER_ATTENTION;
}

/* The heads of the decoder, in place of those of the vision encoder: how the words that it generates look at
 * the picture, or at the words before them. NULL: they are not wanted. */
static const char *find_decoder_array(const app_request *request, const sac_source *caption)
{
    const char *array = request->array, *asked = app_find_setting(request, "ask");
    const char *const *names = sac_attention_kind_names;
    size_t layers, heads;
    if (array)
        return strcmp(array, names[SAC_CROSS_ATTENTION]) == 0 ||
                       strcmp(array, names[SAC_DECODER_ATTENTION]) == 0
                   ? array
                   : NULL;
    if (!asked || strcmp(asked, sac_ask_pattern(SAC_KIND_GAZE)) != 0)
        return NULL;
    return caption->result.heads(caption->self, SAC_CROSS_ATTENTION, &layers, &heads)
               ? names[SAC_CROSS_ATTENTION]
               : names[SAC_DECODER_ATTENTION];
}

static sac_status open_decoder_heads(app_document *document, const char *array,
                                     const model_input *input, sac_error *error)
{
    const sac_source *caption = document->caption;
    sac_attentions attentions;
    int prefix = 0;
    sac_status status = sac_pretrained_caption_maps(document->caption, &attentions, &prefix, error);
    if (status == SAC_OK)
        status = app_make_source(&document->weights, input->folder, error);
    if (status != SAC_OK) {
        sac_attentions_free(&attentions);
        return status;
    }
    sac_source *source = document->weights;
    status = sac_model_weights_open(&attentions, array, source, error);
    if (status != SAC_OK)
        return status;
    sac_weights_opened *opened = &source->weights.opened;
    source->origin = caption->origin;
    snprintf(source->title, sizeof source->title, "%.100s, %s", caption->title, array);
    snprintf(opened->array, sizeof opened->array, "%s", array);
    memcpy(opened->image_file, caption->weights.opened.image_file, sizeof opened->image_file);
    if (source->picture.image) {
        source->picture.prefix = prefix;
        memcpy(source->picture.file_box, caption->picture.file_box,
               sizeof source->picture.file_box);
    }
    return sac_architecture_has_staged_vision(input->model)
               ? sac_architecture_list_stages(input->model, opened, error)
               : SAC_OK;
}

/* The captions of pictures; and where there is a window, or another tab is wanted, the heads of the
 * vision encoder, of one of them. */
static sac_status open_captions(app_document *document, const app_request *request,
                                const model_input *input, sac_error *error)
{
    const bool captions = wants_captions(request);
    sac_status status = open_captioner_source(request, input, &document->caption, error);
    const char *array = status == SAC_OK ? find_decoder_array(request, document->caption) : NULL;
    if (status == SAC_OK && captions)
        status = app_check_map_exists(request, document->caption, error);
    if (status == SAC_OK && captions)
        status = scale_heads(request, document->caption, error);
    if (status != SAC_OK || (request->windowless && captions) || (!input->has_heads && !array))
        return status;
    const char *const seen[] = {document->caption->weights.opened.image_file};
    model_input one = *input;
    one.pictures = seen;
    one.picture_count = 1;
    one.text = NULL; /* the question was asked of the decoder */
    status = array ? open_decoder_heads(document, array, input, error)
                   : open_weights(document, request, &one, error);
    if (status == SAC_OK && array)
        status = app_check_map_exists(request, document->weights, error);
    const sac_picture_source *picture = &document->caption->picture;
    document->picture_shown = picture->number;
    if (status == SAC_OK && !array && !picture->parts)
        link_decoder(document->caption, document->weights);
    if (status == SAC_OK) { /* the heads turn with the caption */
        document->weights->picture.number = picture->number;
        document->weights->picture.count = picture->count;
    }
    return status;
}

/* The sentence, its translation, and the heads of both halves; where just another tab is wanted,
 * the encoder by itself, of which queries and keys can be looked at too. */
static sac_status open_translation(app_document *document, const app_request *request,
                                   const model_input *input, sac_error *error)
{
    if (request->tab && !app_wants_tab(request, "translation") && !app_wants_tab(request, "next") &&
        !request->array)
        return open_weights(document, request, input, error);
    sac_status status = app_make_source(&document->translation, input->folder, error);
    if (status == SAC_OK)
        status = open_translator_source(request, input, document->translation, error);
    if (status == SAC_OK)
        status = app_apply_sampling(request, document->translation, error);
    if (status == SAC_OK && !request->array)
        status = scale_heads(request, document->translation, error);
    return status == SAC_OK ? app_open_sentence_weights(document, request, error) : status;
}

sac_status app_open_model(app_document *document, const app_request *request,
                          const app_files *files, sac_error *error)
{
    model_input input = {0};
    snprintf(document->file, sizeof document->file, "%s", request->files[0]);
    sac_status status = open_requested_model(request, &input, error);
    if (status != SAC_OK)
        return status;
    document->model = input.model;
    if (request->is_pair && (!input.has_text_encoder || input.kind >= CAPTIONS))
        return sac_fail(error, SAC_E_ARGUMENT, "--text-pair", "leave it out",
                        "needs a model that reads texts alone, which %s is not", input.folder);
    if (request->chat_count && input.kind != TEXT_STATES)
        return sac_fail(error, SAC_E_ARGUMENT, "--chat", "give the question with --text",
                        "needs a model that continues texts, which %s is not", input.folder);
    /* Two pictures of one model, or one picture of two, are seen side by side. More pictures, or a folder of
     * them, are turned to one after the other. */
    bool pair =
        files->models > 1 || (input.picture_count > 1 && input.has_vision && !request->together &&
                              (app_wants_tab(request, "pair") || compares_two(request)));
    if (request->together && (pair || input.kind != CAPTIONS))
        return sac_fail(error, SAC_E_ARGUMENT, "--together", "leave it out",
                        "needs one model that answers questions about pictures%s%.60s%s",
                        pair ? "" : ", which ", pair ? "" : input.folder, pair ? "" : " is not");
    if (request->boxes && pair && files->models == 1)
        return sac_fail(error, SAC_E_ARGUMENT, "--boxes", "leave it out",
                        "works with one picture, but two are given");
    if (request->boxes && !input.has_vision)
        return check_boxes(request, &input, 0, error);
    status = pair ? open_pair(document, request, &input, files->models, error)
             : input.kind == TRANSLATIONS ? open_translation(document, request, &input, error)
             : input.kind == CAPTIONS     ? open_captions(document, request, &input, error)
                                          : open_weights(document, request, &input, error);
    const sac_source *weights = document->weights;
    document->first = document->caption                                        ? "caption"
                      : document->translation && !request->array               ? "translation"
                      : weights && weights->result.outputs == SAC_OUTPUT_BOXES ? "found"
                      : weights && weights->result.phrases[0]                  ? "likeness"
                                                                               : "heads";
    return status;
}
