/* A caption, its words and their maps as JSON. */

#include "cli/commands/caption_json.h"

#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/pretrained_captioner.h"
#include "base/error.h"
#include "base/text/printable.h"
#include "cli/arrays_file.h"
#include "cli/json.h"
#include "saccade_arrays.h"

/* ---------------------------------------------------------------- JSON */

static cJSON *pair(int x, int y)
{
    return cJSON_CreateIntArray((int[]){x, y}, 2);
}

static void add_mark(cJSON *json, const sac_caption_mark *mark)
{
    if (mark->object < 0) {
        cJSON_AddNullToObject(json, "object");
        return;
    }
    cJSON_AddNumberToObject(json, "object", mark->object);
    cJSON_AddBoolToObject(json, "inside", mark->localization.inside);
    cJSON_AddItemToObject(json, "mass", cli_json_real(mark->localization.mass));
    cJSON_AddItemToObject(json, "box_share", cli_json_real(mark->localization.box_share));
}

const char *cli_model_name(const sac_source *source, int model)
{
    return source->speaker.name[0] ? source->speaker.name : source->speaker.model[model];
}

sac_status cli_save_subtitles(const sac_subtitles *subtitles, cli_file_type type, const char *path,
                              sac_error *error)
{
    return sac_subtitles_save(subtitles, type == CLI_SRT ? SAC_SUBTITLES_SRT : SAC_SUBTITLES_VTT,
                              path, error);
}

void cli_add_word(cJSON *json, const sac_result *caption, int i)
{
    const char *share = sac_result_share(caption, i), *text = caption->outputs[i].text;
    cJSON_AddStringToObject(json, "word", share);
    if (!*share && *text)
        cJSON_AddStringToObject(json, "token", text);
}

static cJSON *word_json(const sac_result *caption, int i)
{
    const sac_result_output *word = &caption->outputs[i];
    size_t cells = (size_t)caption->grid_w * (size_t)caption->grid_h;
    cJSON *json = cJSON_CreateObject();
    cli_add_word(json, caption, i);
    cJSON_AddItemToObject(json, "probability", cli_json_real(word->probability));
    if (word->is_timed) {
        cJSON_AddItemToObject(json, "begin", cli_json_real(word->begin));
        cJSON_AddItemToObject(json, "end", cli_json_real(word->end));
    }
    cJSON_AddBoolToObject(json, "unsure", word->unsure);
    cJSON_AddItemToObject(json, "entropy", cli_json_real(word->entropy));
    cJSON_AddItemToObject(json, "peak", pair(word->peak_x, word->peak_y));
    cJSON_AddItemToObject(json, "weights",
                          cli_json_reals(caption->weights + (size_t)i * cells, cells));
    cJSON_AddItemToObject(json, "gate", cli_json_real(word->gate));
    if (caption->has_row_ends)
        cJSON_AddItemToObject(json, "row_ends", cli_json_real(word->row_ends));
    if (caption->has_on_picture)
        cJSON_AddItemToObject(json, "on_picture", cli_json_real(word->on_picture));
    cJSON_AddItemToObject(json, "centre",
                          cli_json_reals((float[]){word->centre_x, word->centre_y}, 2));
    return json;
}

static cJSON *words_json(const sac_source *source, const sac_result *caption)
{
    sac_caption_mark marks[SAC_MAX_TOKENS];
    cJSON *words = cJSON_CreateArray();
    if (source->speaker.has_truth)
        sac_caption_judge(caption, &source->speaker.truth, marks);
    for (int i = 0; i < caption->count; i++) {
        cJSON *json = word_json(caption, i);
        if (source->speaker.has_truth)
            add_mark(json, &marks[i]);
        cJSON_AddItemToArray(words, json);
    }
    return words;
}

void cli_add_object_words(cJSON *json, const sac_caption_truth *truth, int object)
{
    cJSON *words = cJSON_AddArrayToObject(json, "words");
    for (int i = 0; i < 3; i++)
        if (truth->object[object].words[i][0])
            cJSON_AddItemToArray(words, cJSON_CreateString(truth->object[object].words[i]));
}

static cJSON *object_json(const sac_caption_truth *truth, int object)
{
    cJSON *json = cJSON_CreateObject();
    cli_add_object_words(json, truth, object);
    const sac_look *look = &truth->object[object].look;
    if (!truth->by_word) {
        cJSON_AddItemToObject(json, "box", cli_json_reals(look->box[0], 4));
        return json;
    }
    cJSON *boxes = cJSON_AddArrayToObject(json, "boxes");
    for (int i = 0; i < look->count; i++)
        cJSON_AddItemToArray(boxes, cli_json_reals(look->box[i], 4));
    return json;
}

static cJSON *truth_json(const sac_caption_truth *truth, const char *caption)
{
    cJSON *json = cJSON_CreateObject();
    if (!truth->by_name) {
        cJSON_AddStringToObject(json, "caption", truth->caption);
        cJSON_AddBoolToObject(json, "exact", strcmp(truth->caption, caption) == 0);
    }
    cJSON *objects = cJSON_AddArrayToObject(json, "objects");
    for (int i = 0; i < truth->objects; i++)
        cJSON_AddItemToArray(objects, object_json(truth, i));
    return json;
}

static cJSON *pixels_json(const sac_regions *all, const sac_region *r)
{
    int numbers[2 * SAC_REGION_POINTS];
    for (int k = 0; k < r->points; k++)
        for (int axis = 0; axis < 2; axis++)
            numbers[2 * k + axis] = sac_region_pixel(all, r, k, axis);
    return cJSON_CreateIntArray(numbers, 2 * r->points);
}

/* In pixels of the picture; several outlines of one thing stand together. */
static cJSON *regions_json(const sac_regions *all)
{
    cJSON *list = cJSON_CreateArray(), *outlines = NULL;
    for (int i = 0; i < all->count; i++) {
        const sac_region *r = &all->region[i];
        bool quad = all->form == SAC_REGIONS_QUADS && !r->asked;
        if (i > 0 && outlines && all->region[i - 1].thing == r->thing) {
            cJSON_AddItemToArray(outlines, pixels_json(all, r));
            continue;
        }
        cJSON *json = cJSON_CreateObject();
        outlines = NULL;
        if (r->asked)
            cJSON_AddTrueToObject(json, "asked");
        else
            cJSON_AddStringToObject(json, "label", sac_region_label(all, r));
        if (r->is_box || quad) {
            cJSON_AddItemToObject(json, quad ? "quad" : "box", pixels_json(all, r));
        } else {
            outlines = cJSON_AddArrayToObject(json, "polygons");
            cJSON_AddItemToArray(outlines, pixels_json(all, r));
        }
        if (!r->asked)
            cJSON_AddItemToObject(json, "words", pair(r->first, r->end - 1));
        cJSON_AddItemToArray(list, json);
    }
    return list;
}

char *cli_caption_json(const sac_source *source, int model, const sac_result *caption)
{
    char *text = sac_result_line(caption);
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "caption", text ? text : "");
    if (source->speaker.typed)
        cJSON_AddStringToObject(root, "question", source->speaker.text);
    cJSON_AddStringToObject(root, "device", source->origin.device);
    if (caption->from > 0 || caption->goes_on) {
        cJSON_AddItemToObject(root, "from", cli_json_real(caption->from));
        cJSON_AddBoolToObject(root, "goes_on", caption->goes_on);
    }
    cJSON_AddItemToObject(root, "ms", cli_json_real((float)caption->milliseconds));
    cJSON_AddItemToObject(root, "grid", pair(caption->grid_w, caption->grid_h));
    cJSON_AddItemToObject(root, "words", words_json(source, caption));
    if (caption->regions.form || caption->regions.count)
        cJSON_AddItemToObject(root, "regions", regions_json(&caption->regions));
    cJSON_AddBoolToObject(root, "finished", caption->finished);
    cJSON_AddStringToObject(root, "model", cli_model_name(source, model));
    cJSON_AddStringToObject(root, "title", source->title);
    if (source->origin.file[0])
        cJSON_AddStringToObject(root, "file", source->origin.file);
    if (caption->language[0])
        cJSON_AddStringToObject(root, "language", caption->language);
    if (caption->language_probability > 0)
        cJSON_AddItemToObject(root, "language_probability",
                              cli_json_real(caption->language_probability));
    if (source->speaker.attributions)
        cJSON_AddStringToObject(root, "attribution", sac_attribution_names[caption->attribution]);
    if (caption->sinks)
        cJSON_AddNumberToObject(root, "sinks", caption->sinks);
    char note[CLI_NOTE];
    if (sac_source_whole_note(source, caption, note, sizeof note)[0])
        cJSON_AddStringToObject(root, "note", note);
    if (source->speaker.has_truth)
        cJSON_AddItemToObject(root, "truth", truth_json(&source->speaker.truth, text ? text : ""));
    char *line = text ? cJSON_PrintUnformatted(root) : NULL;
    cJSON_Delete(root);
    free(text);
    return line;
}

/* ---------------------------------------------------------------- arrays */

/* The words' numbers, one array for each, [T] or [T,2]. */
typedef struct columns {
    const char *text[SAC_MAX_TOKENS];
    float probability[SAC_MAX_TOKENS], entropy[SAC_MAX_TOKENS], gate[SAC_MAX_TOKENS];
    float row_ends[SAC_MAX_TOKENS], on_picture[SAC_MAX_TOKENS], centre[SAC_MAX_TOKENS][2];
    int32_t peak[SAC_MAX_TOKENS][2];
} columns;

static void fill_columns(const sac_result *caption, columns *c)
{
    for (int i = 0; i < caption->count; i++) {
        const sac_result_output *word = &caption->outputs[i];
        c->text[i] = sac_result_share(caption, i);
        c->probability[i] = word->probability;
        c->entropy[i] = word->entropy;
        c->gate[i] = word->gate;
        c->row_ends[i] = word->row_ends;
        c->on_picture[i] = word->on_picture;
        c->centre[i][0] = word->centre_x;
        c->centre[i][1] = word->centre_y;
        c->peak[i][0] = word->peak_x;
        c->peak[i][1] = word->peak_y;
    }
}

sac_status cli_find_attentions(sac_source *source, const sac_result *caption,
                               sac_attentions *attentions, sac_error *error)
{
    if (source->speaker.attentions && source->speaker.layered == 0 && caption->count)
        return sac_source_attentions(source, 0, caption, attentions, error);
    return sac_pretrained_caption_attentions(source, caption, attentions, error);
}

void cli_print_left_out(const char *path, const sac_attentions *attentions)
{
    if (attentions->left_out[0])
        sac_print(stderr, "saccade: %s: without %s, as no array has more than %d GiB\n", path,
                  attentions->left_out, SAC_ATTENTION_MOST);
}

/* [height,width,3] without alpha; free() it. */
static uint8_t *pixels(const sac_image *image)
{
    size_t count = (size_t)image->width * (size_t)image->height;
    uint8_t *rgb = malloc(count * 3);
    for (size_t i = 0; rgb && i < count; i++)
        memcpy(rgb + 3 * i, image->rgba + 4 * i, 3);
    return rgb;
}

sac_status cli_caption_save(const char *path, const sac_source *source, const sac_result *caption,
                            const sac_attentions *attentions, const sac_attention_kind *reduced,
                            sac_error *error)
{
    columns c;
    const sac_image *image = source->picture.image;
    uint8_t *rgb = pixels(image);
    if (!rgb)
        return sac_no_memory(error, path);
    fill_columns(caption, &c);
    size_t maps[] = {(size_t)caption->count, (size_t)caption->grid_h, (size_t)caption->grid_w};
    size_t pairs[] = {maps[0], 2};
    size_t square[] = {(size_t)image->height, (size_t)image->width, 3};
    cli_arrays_file f = {0};
    cli_arrays_file_add(&f, sac_array_view(SAC_F32, 3, maps, caption->weights), "weights");
    cli_arrays_file_add(&f, sac_array_view(SAC_TEXT, 1, maps, c.text), "words");
    cli_arrays_file_add(&f, sac_array_view(SAC_F32, 1, maps, c.probability), "probability");
    cli_arrays_file_add(&f, sac_array_view(SAC_F32, 1, maps, c.entropy), "entropy");
    cli_arrays_file_add(&f, sac_array_view(SAC_F32, 1, maps, c.gate), "gate");
    if (caption->has_row_ends)
        cli_arrays_file_add(&f, sac_array_view(SAC_F32, 1, maps, c.row_ends), "row_ends");
    if (caption->has_on_picture)
        cli_arrays_file_add(&f, sac_array_view(SAC_F32, 1, maps, c.on_picture), "on_picture");
    cli_arrays_file_add(&f, sac_array_view(SAC_I32, 2, pairs, c.peak), "peak");
    cli_arrays_file_add(&f, sac_array_view(SAC_F32, 2, pairs, c.centre), "centre");
    cli_arrays_file_add(&f, sac_array_view(SAC_U8, 3, square, rgb), "image");
    cli_arrays_file_add_attentions(&f, attentions);
    if (reduced->weights)
        cli_arrays_file_add_kind(&f, reduced);
    sac_status status = sac_npz_save(path, f.named, f.count, error);
    free(rgb);
    return status;
}

/* The labels have the names that `saccade view` looks for. */
sac_status cli_translation_save(const char *path, const sac_result *c, const sac_attentions *a,
                                const sac_attention_kind *reduced, sac_error *error)
{
    cli_arrays_file f = {0};
    const char *rows[SAC_MAX_TOKENS], *read[SAC_MAX_TOKENS];
    float probability[SAC_MAX_TOKENS];
    const size_t shape[] = {(size_t)c->count, (size_t)c->grid_w};
    for (int i = 0; i < c->count; i++) {
        rows[i] = *sac_result_share(c, i) ? sac_result_share(c, i) : c->outputs[i].text;
        probability[i] = c->outputs[i].probability;
    }
    for (int i = 0; i < c->grid_w; i++)
        read[i] = c->positions[i];
    cli_arrays_file_add(&f, sac_array_view(SAC_F32, 2, shape, c->weights), "weights");
    cli_arrays_file_add_labels(&f, "", shape[0], rows, shape[1], read);
    cli_arrays_file_add(&f, sac_array_view(SAC_F32, 1, shape, probability), "probability");
    cli_arrays_file_add_attentions(&f, a);
    if (reduced->weights)
        cli_arrays_file_add_kind(&f, reduced);
    return sac_npz_save(path, f.named, f.count, error);
}
