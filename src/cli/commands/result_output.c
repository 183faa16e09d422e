#include "cli/commands/result_output.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/printable.h"
#include "cli/json.h"
#include "saccade_arrays.h"

#define FIGURES_END (sac_output_figures + SAC_OUTPUT_FIGURES)

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
    return source->result.name[0] ? source->result.name : source->result.model[model];
}

sac_status cli_save_subtitles(const sac_subtitles *subtitles, cli_file_type type, const char *path,
                              sac_error *error)
{
    return sac_subtitles_save(subtitles, type == CLI_SRT ? SAC_SUBTITLES_SRT : SAC_SUBTITLES_VTT,
                              path, error);
}

/* The word's share of the text; where it has none, as tokens of regions, its name as "token". Over words its
 * weights, or null where none is known; over cells all that is known of it. */
static cJSON *word_json(const sac_result *caption, int i)
{
    const sac_result_output *word = &caption->outputs[i];
    const char *share = sac_result_share(caption, i);
    size_t cells = (size_t)caption->grid_w * (size_t)caption->grid_h;
    const bool attends = !caption->positions || caption->max_weight > 0;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "word", share);
    if (!*share && *word->text)
        cJSON_AddStringToObject(json, "token", word->text);
    cJSON_AddItemToObject(json, "probability", cli_json_real(word->probability));
    cJSON_AddItemToObject(json, "weights",
                          attends ? cli_json_reals(caption->weights + (size_t)i * cells, cells)
                                  : cJSON_CreateNull());
    if (word->is_timed) {
        cJSON_AddItemToObject(json, "begin", cli_json_real(word->begin));
        cJSON_AddItemToObject(json, "end", cli_json_real(word->end));
    }
    if (!caption->positions)
        cJSON_AddBoolToObject(json, "unsure", word->unsure);
    if (sac_result_has_gaze_box(caption, i))
        cJSON_AddItemToObject(json, "box", cli_json_reals(word->box, 4));
    for (const sac_output_figure *f = sac_output_figures; f < FIGURES_END; f++) {
        float values[2];
        if (!sac_result_has_figure(caption, f))
            continue;
        sac_result_figure(caption, i, f, values);
        cJSON_AddItemToObject(json, f->name,
                              f->is_pair ? cli_json_reals(values, 2) : cli_json_real(values[0]));
    }
    return json;
}

/* Of pictures that were seen together: what of the word's map lies on each, and its map there. */
static void add_parts(cJSON *json, const sac_picture_source *picture, const sac_result *caption,
                      int word)
{
    const float *all =
        caption->weights + (size_t)word * (size_t)(caption->grid_w * caption->grid_h);
    cJSON *list = cJSON_AddArrayToObject(json, "pictures");
    for (int i = 0; i < picture->parts; i++) {
        const sac_picture_part *part = &picture->part[i];
        cJSON *one = cJSON_CreateObject(), *weights = cJSON_CreateArray();
        double share = 0;
        for (int k = 0; k < part->grid_w * part->grid_h; k++) {
            const float weight =
                all[(part->y + k / part->grid_w) * caption->grid_w + part->x + k % part->grid_w];
            share += (double)weight;
            cJSON_AddItemToArray(weights, cli_json_real(weight));
        }
        cJSON_AddItemToObject(one, "share", cli_json_real((float)share));
        cJSON_AddItemToObject(one, "weights", weights);
        cJSON_AddItemToArray(list, one);
    }
}

static cJSON *words_json(const sac_source *source, const sac_result *caption)
{
    sac_caption_mark marks[SAC_MAX_TOKENS];
    cJSON *words = cJSON_CreateArray();
    const bool is_judged = source->result.has_truth && !caption->positions;
    if (is_judged)
        sac_caption_judge(caption, &source->result.truth, marks);
    for (int i = 0; i < caption->count; i++) {
        cJSON *json = word_json(caption, i);
        if (is_judged)
            add_mark(json, &marks[i]);
        if (source->picture.parts)
            add_parts(json, &source->picture, caption, i);
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

/* Where the cells of each picture lie among those of all. */
static cJSON *parts_json(const sac_picture_source *picture)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < picture->parts; i++) {
        const sac_picture_part *part = &picture->part[i];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "file", picture->part_file[i]);
        cJSON_AddItemToObject(one, "grid", pair(part->grid_w, part->grid_h));
        cJSON_AddItemToObject(one, "first_cell", pair(part->x, part->y));
        cJSON_AddItemToArray(list, one);
    }
    return list;
}

/* What is known of a caption beside its words. */
static void add_caption_details(cJSON *root, const sac_source *source, const sac_result *caption,
                                const char *text)
{
    if (source->result.typed)
        cJSON_AddStringToObject(root, "question", source->result.text);
    if (caption->from > 0 || caption->goes_on) {
        cJSON_AddItemToObject(root, "from", cli_json_real(caption->from));
        cJSON_AddBoolToObject(root, "goes_on", caption->goes_on);
    }
    cJSON_AddItemToObject(root, "grid", pair(caption->grid_w, caption->grid_h));
    if (source->picture.parts)
        cJSON_AddItemToObject(root, "pictures", parts_json(&source->picture));
    if (caption->regions.form || caption->regions.count)
        cJSON_AddItemToObject(root, "regions", regions_json(&caption->regions));
    cJSON_AddStringToObject(root, "title", source->title);
    if (source->origin.file[0])
        cJSON_AddStringToObject(root, "file", source->origin.file);
    if (caption->language[0])
        cJSON_AddStringToObject(root, "language", caption->language);
    if (caption->language_probability > 0)
        cJSON_AddItemToObject(root, "language_probability",
                              cli_json_real(caption->language_probability));
    if (caption->sinks)
        cJSON_AddNumberToObject(root, "sinks", caption->sinks);
    if (source->result.has_truth)
        cJSON_AddItemToObject(root, "truth", truth_json(&source->result.truth, text));
}

/* Where it was held, in cells, and the sentence without that; and heads, those that look at what is described first. */
static void add_gaze(cJSON *root, const sac_result *result)
{
    const sac_gaze *gaze = &result->gaze;
    cJSON *json = cJSON_AddObjectToObject(root, "gaze");
    cJSON *heads = result->gaze_heads ? cJSON_AddArrayToObject(json, "ranked") : NULL;
    for (size_t i = 0; i < result->gaze_head_count; i++) {
        const sac_gaze_head *head = &result->gaze_heads[i];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToObject(one, "layer", cJSON_CreateNumber((double)head->layer));
        cJSON_AddItemToObject(one, "head", cJSON_CreateNumber((double)head->head));
        cJSON_AddItemToObject(one, "score", cli_json_real(head->score));
        cJSON_AddItemToObject(one, "spatial_entropy", cli_json_real(head->entropy));
        cJSON_AddItemToObject(one, "on_picture", cli_json_real(head->on_picture));
        cJSON_AddBoolToObject(one, "chosen", head->is_chosen);
        cJSON_AddItemToArray(heads, one);
    }
    if (!sac_gaze_is_held(gaze)) {
        cJSON_AddStringToObject(json, "heads", gaze->heads);
        return;
    }
    cJSON_AddItemToObject(json, "x", cli_json_real(gaze->x));
    cJSON_AddItemToObject(json, "y", cli_json_real(gaze->y));
    cJSON_AddItemToObject(json, "radius", cli_json_real(gaze->radius));
    cJSON_AddNumberToObject(json, "from_word", gaze->from + 1);
    cJSON_AddStringToObject(json, "heads", gaze->heads[0] ? gaze->heads : "all");
    cJSON_AddStringToObject(json, "before", result->before ? result->before : "");
}

char *cli_result_json(const sac_source *source, int model, const sac_result *result)
{
    const bool of_words = result->positions != NULL; /* a translation */
    char *text = sac_result_make_line(result), note[CLI_NOTE];
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, of_words ? "translation" : "caption", text ? text : "");
    cJSON_AddStringToObject(root, "model", cli_model_name(source, model));
    for (int side = 0; side < 2 && source->result.languages[side][0]; side++)
        cJSON_AddStringToObject(root, side ? "to" : "from", source->result.languages[side]);
    cJSON_AddStringToObject(root, "device", source->origin.device);
    cJSON_AddItemToObject(root, "ms", cli_json_real((float)result->milliseconds));
    cJSON *read = of_words ? cJSON_AddArrayToObject(root, "source") : NULL;
    for (int i = 0; read && i < result->grid_w; i++)
        cJSON_AddItemToArray(read, cJSON_CreateString(result->positions[i]));
    cJSON_AddItemToObject(root, "words", words_json(source, result));
    cJSON_AddBoolToObject(root, "finished", result->finished);
    if (!of_words)
        add_caption_details(root, source, result, text ? text : "");
    if (of_words ? result->attribution != SAC_ATTRIBUTION_RAW : source->result.attributions != 0)
        cJSON_AddStringToObject(root, "attribution", sac_attribution_names[result->attribution]);
    if (result->normalizer)
        cJSON_AddStringToObject(root, "normalizer",
                                sac_normalizer_name((sac_normalizer)(result->normalizer - 1)));
    if (sac_gaze_is_held(&result->gaze) || result->gaze.heads[0])
        add_gaze(root, result);
    if (result->knows_unlike)
        cJSON_AddBoolToObject(root, "unlike", result->is_unlike);
    if (sac_source_whole_note(source, result, note, sizeof note)[0])
        cJSON_AddStringToObject(root, "note", note);
    char *line = text ? cJSON_PrintUnformatted(root) : NULL;
    cJSON_Delete(root);
    free(text);
    return line;
}

/* A phrase, and how its words counted, if that is known. */
static cJSON *phrase_json(const sac_result *result, int i)
{
    const sac_result_output *phrase = &result->outputs[i];
    const sac_phrase_words *words = result->phrase_words ? &result->phrase_words[i] : NULL;
    const size_t patches = (size_t)result->grid_w * (size_t)result->grid_h;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "phrase", sac_result_share(result, i));
    cJSON_AddItemToObject(json, "cosine", cli_json_real(phrase->cosine));
    cJSON_AddItemToObject(json, "logit", cli_json_real(phrase->logit));
    cJSON_AddItemToObject(json, "probability", cli_json_real(phrase->probability));
    cJSON_AddItemToObject(json, "patches",
                          cli_json_reals(result->weights + (size_t)i * patches, patches));
    if (!words || !words->labels.count)
        return json;
    cJSON *tokens = cJSON_AddArrayToObject(json, "tokens");
    for (size_t k = 0; k < words->labels.count; k++)
        cJSON_AddItemToArray(tokens, cJSON_CreateString(words->labels.text[k]));
    cJSON_AddItemToObject(json, "relevance", cli_json_reals(words->relevance, words->labels.count));
    return json;
}

/* A word of a query, or a token of its prompt: its largest cosine with the page, and the patch that has it, or null where
 * a word of the page's prompt does. */
static cJSON *query_word_json(const sac_result *result, int i)
{
    const size_t patches = (size_t)result->grid_w * (size_t)result->grid_h;
    const float *row = result->weights + (size_t)i * patches;
    int x, y;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "word", sac_result_share(result, i));
    if (result->outputs[i].is_of_prompt)
        cJSON_AddTrueToObject(json, "prompt");
    cJSON_AddItemToObject(json, "score", cli_json_real(result->outputs[i].cosine));
    cJSON_AddItemToObject(
        json, "patch", sac_result_best_patch(result, i, &x, &y) ? pair(x, y) : cJSON_CreateNull());
    cJSON_AddItemToObject(json, "patches", cli_json_reals(row, patches));
    return json;
}

static void add_query(cJSON *root, const sac_source *source, const sac_result *result)
{
    cJSON_AddStringToObject(root, "query", source->result.phrases);
    cJSON_AddItemToObject(root, "score", cli_json_real(result->score));
    cJSON_AddItemToObject(root, "patch_grid", pair(result->grid_w, result->grid_h));
    cJSON *list = cJSON_AddArrayToObject(root, "words");
    for (int i = 0; i < result->count; i++)
        cJSON_AddItemToArray(list, query_word_json(result, i));
}

/* The box is x0, y0, x1, y1 in pixels of the picture; the attention, into row [cells], is the mean of the
 * heads of the last layer. */
static cJSON *detection_json(const sac_source *source, const sac_result *result, int i, float *row)
{
    const sac_image *image = source->picture.image;
    const sac_result_output *object = &result->outputs[i];
    const int last =
        result->attentions ? (int)result->attentions->kind[SAC_CROSS_ATTENTION].layers - 1 : 0;
    float box[4];
    cJSON *json = cJSON_CreateObject();
    for (int k = 0; k < 4; k++)
        box[k] = object->box[k] * (float)(k % 2 ? image->height : image->width);
    sac_result_row(result, i, last, -1, row);
    cJSON_AddStringToObject(json, "label", sac_result_share(result, i));
    cJSON_AddNumberToObject(json, "class", object->word);
    cJSON_AddItemToObject(json, "score", cli_json_real(object->probability));
    if (result->has_objectness)
        cJSON_AddItemToObject(json, "objectness", cli_json_real(object->objectness));
    cJSON_AddItemToObject(json, "box", cli_json_reals(box, 4));
    cJSON_AddNumberToObject(json, source->result.finds_phrases ? "patch" : "query",
                            (double)object->query);
    cJSON_AddItemToObject(json, "attention",
                          cli_json_reals(row, (size_t)result->grid_w * (size_t)result->grid_h));
    return json;
}

sac_status cli_add_outputs(cJSON *root, const sac_source *source, const sac_result *result,
                           sac_error *error)
{
    const sac_result_source *asked = &source->result;
    const bool are_phrases = asked->outputs == SAC_OUTPUT_PHRASES;
    const float threshold = asked->threshold > 0 ? asked->threshold : SAC_OBJECT_THRESHOLD;
    if (result->has_score) {
        add_query(root, source, result);
        return SAC_OK;
    }
    float *row = malloc(((size_t)result->grid_w * (size_t)result->grid_h + 1) * sizeof *row);
    if (!row)
        return sac_no_memory(error, "outputs");
    if (are_phrases)
        cJSON_AddStringToObject(root, "likeness", sac_likeness_way_names[asked->way]);
    else
        cJSON_AddItemToObject(root, "threshold", cli_json_real(threshold));
    cJSON *list = cJSON_AddArrayToObject(root, are_phrases ? "phrases" : "found");
    const int count = are_phrases ? result->count : sac_result_count_above(result, threshold);
    for (int i = 0; i < count; i++)
        cJSON_AddItemToArray(list, are_phrases ? phrase_json(result, i)
                                               : detection_json(source, result, i, row));
    free(row);
    return SAC_OK;
}

/* ---------------------------------------------------------------- arrays */

static void fill_columns(const sac_result *caption, cli_result_columns *c)
{
    for (int i = 0; i < caption->count; i++) {
        const sac_result_output *word = &caption->outputs[i];
        c->text[i] = sac_result_share(caption, i);
        c->probability[i] = word->probability;
        c->cosine[i] = word->cosine;
        c->logit[i] = word->logit;
    }
}

static void fill_figure(const sac_result *result, const sac_output_figure *figure,
                        cli_result_number *to)
{
    const int each = figure->is_pair ? 2 : 1;
    for (int n = 0; n < result->count * each; n++) {
        float values[2];
        sac_result_figure(result, n / each, figure, values);
        if (figure->is_whole)
            to[n].whole = (int32_t)values[n % each];
        else
            to[n].real = values[n % each];
    }
}

static void add_figures(cli_arrays_file *file, const sac_result *result, cli_result_columns *c)
{
    const size_t shape[] = {(size_t)result->count, 2};
    for (int k = 0; k < SAC_OUTPUT_FIGURES; k++) {
        const sac_output_figure *figure = &sac_output_figures[k];
        if (!sac_result_has_figure(result, figure))
            continue;
        fill_figure(result, figure, c->figure[k]);
        cli_arrays_file_add(file,
                            sac_array_view(figure->is_whole ? SAC_I32 : SAC_F32,
                                           figure->is_pair ? 2 : 1, shape, c->figure[k]),
                            "%s", figure->name);
    }
}

void cli_print_left_out(const char *path, const sac_attentions *attentions)
{
    if (attentions->left_out[0])
        sac_print(stderr, "saccade: %s: without %s, as no array has more than %d GiB\n", path,
                  attentions->left_out, SAC_ATTENTION_MOST);
}

/* [height,width,3] without alpha; free() it. */
static uint8_t *copy_rgb_pixels(const sac_image *image)
{
    size_t count = (size_t)image->width * (size_t)image->height;
    uint8_t *rgb = malloc(count * 3);
    for (size_t i = 0; rgb && i < count; i++)
        memcpy(rgb + 3 * i, image->rgba + 4 * i, 3);
    return rgb;
}

static void add_phrases(cli_arrays_file *f, const sac_result *result, cli_result_columns *c)
{
    const size_t shape[] = {(size_t)result->count, (size_t)result->grid_h, (size_t)result->grid_w};
    fill_columns(result, c);
    cli_arrays_file_add(f, sac_array_view(SAC_F32, 3, shape, result->weights), "likeness");
    if (result->has_score) {
        cli_arrays_file_add(f, sac_array_view(SAC_TEXT, 1, shape, c->text), "words");
        cli_arrays_file_add(f, sac_array_view(SAC_F32, 1, shape, c->cosine), "word_scores");
        cli_arrays_file_add(f, sac_array_view(SAC_F32, 0, NULL, &result->score), "score");
        return;
    }
    cli_arrays_file_add(f, sac_array_view(SAC_TEXT, 1, shape, c->text), "phrases");
    cli_arrays_file_add(f, sac_array_view(SAC_F32, 1, shape, c->cosine), "phrase_cosines");
    cli_arrays_file_add(f, sac_array_view(SAC_F32, 1, shape, c->logit), "phrase_logits");
    cli_arrays_file_add(f, sac_array_view(SAC_F32, 1, shape, c->probability),
                        "phrase_probabilities");
}

/* What each query of a detector finds, and looks at; boxes in pixels. */
static void add_objects(cli_arrays_file *f, const sac_image *image, const sac_result *result,
                        cli_result_columns *c)
{
    const size_t Q = (size_t)result->count;
    const size_t logits[] = {Q, result->classes}, corners[] = {Q, 4};
    for (int i = 0; i < result->count; i++) {
        const sac_result_output *object = &result->outputs[i];
        c->class[object->row] = object->word;
        c->patch[object->row] = (int32_t)object->query;
        c->probability[object->row] = object->probability;
        c->objectness[object->row] = object->objectness;
        for (size_t k = 0; k < 4; k++)
            c->box[object->row][k] = object->box[k] * (float)(k % 2 ? image->height : image->width);
    }
    cli_arrays_file_add(f, sac_array_view(SAC_F32, 2, corners, c->box), "boxes");
    cli_arrays_file_add(f, sac_array_view(SAC_F32, 1, &Q, c->probability), "scores");
    cli_arrays_file_add(f, sac_array_view(SAC_I32, 1, &Q, c->class), "classes");
    if (result->has_objectness)
        cli_arrays_file_add(f, sac_array_view(SAC_F32, 1, &Q, c->objectness), "objectness");
    cli_arrays_file_add(f, sac_array_view(SAC_F32, 2, logits, result->logits), "logits");
    if (!result->attentions) { /* the picture's own heads have the rows of these patches */
        cli_arrays_file_add(f, sac_array_view(SAC_I32, 1, &Q, c->patch), "patches");
        return;
    }
    const sac_attention_kind *cross = &result->attentions->kind[SAC_CROSS_ATTENTION];
    const sac_attention_kind *own = &result->attentions->kind[SAC_DECODER_ATTENTION];
    const size_t L = cross->layers, H = cross->heads;
    const size_t looks[] = {L, 1, H, Q, cross->positions}, others[] = {L, 1, H, Q, Q};
    cli_arrays_file_add(f, sac_array_view(SAC_F32, 5, looks, cross->weights), "cross_attentions");
    cli_arrays_file_add(f, sac_array_view(SAC_F32, 5, others, own->weights), "decoder_attentions");
}

void cli_arrays_file_add_outputs(cli_arrays_file *file, const sac_source *source,
                                 const sac_result *result, cli_result_columns *columns)
{
    if (source->result.outputs == SAC_OUTPUT_PHRASES)
        add_phrases(file, result, columns);
    else
        add_objects(file, source->picture.image, result, columns);
}

sac_status cli_result_save(const char *path, const sac_source *source, const sac_result *result,
                           const sac_attentions *attentions, const sac_attention_kind *reduced,
                           sac_error *error)
{
    cli_result_columns c;
    const sac_image *image = source->picture.image;
    const bool of_words = result->positions != NULL;
    const char *labels[SAC_MAX_TOKENS]; /* the names that `saccade view` looks for */
    uint8_t *rgb = of_words ? NULL : copy_rgb_pixels(image);
    if (!of_words && !rgb)
        return sac_no_memory(error, path);
    fill_columns(result, &c);
    const size_t count = (size_t)result->count, width = (size_t)result->grid_w;
    const size_t maps[] = {count, (size_t)result->grid_h, width}, rows[] = {count, width};
    const size_t one = 1;
    cli_arrays_file f = {0};
    cli_arrays_file_add(&f,
                        of_words ? sac_array_view(SAC_F32, 2, rows, result->weights)
                                 : sac_array_view(SAC_F32, 3, maps, result->weights),
                        "weights");
    cli_arrays_file_add(&f, sac_array_view(SAC_F32, 1, maps, c.probability), "probability");
    for (int i = 0; of_words && i < result->grid_w; i++)
        labels[i] = result->positions[i];
    for (int i = 0; of_words && i < result->count; i++)
        c.text[i] = *c.text[i] ? c.text[i] : result->outputs[i].text;
    if (of_words)
        cli_arrays_file_add_labels(&f, "", count, c.text, width, labels);
    else {
        const size_t square[] = {(size_t)image->height, (size_t)image->width, 3};
        cli_arrays_file_add(&f, sac_array_view(SAC_TEXT, 1, maps, c.text), "words");
        cli_arrays_file_add(&f, sac_array_view(SAC_U8, 3, square, rgb), "image");
    }
    add_figures(&f, result, &c);
    if (result->attribution) /* what the weights are, where they are not attention */
        cli_arrays_file_add(
            &f, sac_array_view(SAC_TEXT, 1, &one, &sac_attribution_names[result->attribution]),
            "attribution");
    cli_arrays_file_add_attentions(&f, attentions);
    if (reduced->weights)
        cli_arrays_file_add_kind(&f, reduced);
    sac_status status = sac_npz_save(path, f.named, f.count, error);
    free(rgb);
    return status;
}
