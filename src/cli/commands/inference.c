/* What a model of others made of a text: tokens, what comes next, and the arrays of all layers. */
#include "cli/commands/inference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architectures.h"
#include "base/error.h"
#include "base/text/printable.h"
#include "cli/commands/generation.h"
#include "cli/commands/result_output.h"
#include "cli/drawing.h"
#include "cli/json.h"
#include "parts/figures/table.h"
#include "saccade_arrays.h"
#include "sources/heads/ask.h"
#include "sources/words/peak.h"

enum { NEXT = 10 };

/* As the command line has them; NULL: nothing is asked. */
typedef struct asked_of_heads {
    const char *without;            /* heads that are scaled */
    const char *pair;               /* or a pattern, by which all heads are ranked */
    const char *segments, *special; /* which of the maps are written, and how much they have */
} asked_of_heads;

/* The map of a head for the request. */
static sac_head_choice head_choice_of_request(const asked_of_heads *asked, size_t layer,
                                              size_t head)
{
    sac_head_choice choice;
    memset(&choice, 0, sizeof choice);
    choice.layer = layer;
    choice.head = head;
    for (int i = 0; asked->segments && i < SAC_SEGMENTS_COUNT; i++)
        if (strcmp(asked->segments, sac_segments_names[i]) == 0)
            choice.segments = (sac_segments)i;
    for (int i = 0; asked->special && i < SAC_SPECIAL_COUNT; i++)
        if (strcmp(asked->special, sac_special_names[i]) == 0)
            choice.special = (sac_special)i;
    return choice;
}

/* ---------------------------------------------------------------- JSON */

static sac_status add_next_tokens_json(cJSON *root, sac_source *source, size_t step,
                                       sac_error *error)
{
    const sac_sampling plain = {.draw.temperature = 1};
    sac_candidate next[SAC_GENERATION_CANDIDATES];
    int count, kept;
    sac_status status =
        source->result.candidates(source->self, step, &plain, next, &count, &kept, error);
    cJSON *list = status == SAC_OK ? cJSON_AddArrayToObject(root, "next") : NULL;
    for (int i = 0; list && i < NEXT && i < count; i++)
        cJSON_AddItemToArray(list, cli_token_json(next[i].id, next[i].text, next[i].probability));
    return status;
}

/* The most probable classes of those that have names, first. */
static void add_classes_json(cJSON *root, const sac_read_input *read)
{
    double highest = -INFINITY, sum = 0;
    bool *is_listed = calloc(read->class_count + 1, sizeof *is_listed);
    cJSON *list = is_listed ? cJSON_AddArrayToObject(root, "classes") : NULL;
    for (size_t i = 0; i < read->class_count; i++)
        highest = fmax(highest, (double)read->classes[i]);
    for (size_t i = 0; i < read->class_count; i++)
        sum += exp((double)read->classes[i] - highest);
    for (size_t n = 0; list && n < NEXT && n < read->class_count; n++) {
        size_t best = read->class_count;
        for (size_t i = 0; i < read->class_count; i++)
            if (!is_listed[i] &&
                (best == read->class_count || read->classes[i] > read->classes[best]))
                best = i;
        is_listed[best] = true;
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "label", read->class_names + best * read->class_name_size);
        cJSON_AddItemToObject(
            json, "probability",
            cli_json_real((float)(exp((double)read->classes[best] - highest) / sum)));
        cJSON_AddItemToObject(json, "logit", cli_json_real(read->classes[best]));
        cJSON_AddItemToArray(list, json);
    }
    free(is_listed);
}

/* All heads, the one first that has most of what is requested. */
static sac_status add_ranked_heads_json(cJSON *root, const sac_source *source, const char *text,
                                        sac_error *error)
{
    size_t heads = source->weights.heads, count = source->weights.layers * heads;
    sac_ask ask;
    float *scores = calloc(count + 1, sizeof *scores);
    size_t *places = calloc(count + 1, sizeof *places);
    sac_status status = scores && places ? sac_ask_read(source, 0, text, &ask, error)
                                         : sac_no_memory(error, "--ask");
    if (status == SAC_OK)
        status = sac_ask_scores(source, 0, &ask, scores, error);
    if (status == SAC_OK) {
        cJSON *asked = cJSON_AddObjectToObject(root, "asked"), *list;
        sac_ask_rank(scores, count, places);
        if (ask.of_kind)
            cJSON_AddStringToObject(asked, "pattern", sac_ask_pattern(ask.kind));
        else
            cJSON_AddItemToObject(
                asked, "pair", cJSON_CreateIntArray((int[]){(int)ask.step, (int)ask.position}, 2));
        list = cJSON_AddArrayToObject(asked, "heads");
        for (size_t i = 0; i < count; i++) {
            cJSON *json = cJSON_CreateObject();
            cJSON_AddNumberToObject(json, "layer", (double)(places[i] / heads));
            cJSON_AddNumberToObject(json, "head", (double)(places[i] % heads));
            cJSON_AddItemToObject(json, ask.of_kind ? "score" : "weight",
                                  cli_json_real(scores[places[i]]));
            cJSON_AddItemToArray(list, json);
        }
    }
    free(scores);
    free(places);
    return status;
}

/* The effect of scaled heads: the model's output with them, and with all heads. */
static void add_effect(cJSON *root, const char *without, const sac_heads_effect *effect)
{
    cJSON *changes = cJSON_CreateArray();
    cJSON_AddStringToObject(root, "without", without);
    for (size_t i = 0; i < effect->count; i++)
        cJSON_AddItemToArray(changes, cli_json_real(effect->changes[i]));
    cJSON_AddItemToObject(root, "change", cli_json_real(effect->change));
    cJSON_AddItemToObject(root, "changes", changes);
    if (!effect->next_count)
        return;
    cJSON *all = cJSON_AddObjectToObject(root, "with_all_heads");
    cJSON *next = cJSON_AddArrayToObject(all, "next");
    for (int i = 0; i < effect->next_count; i++) {
        cJSON *json =
            cli_token_json(effect->next[i].id, effect->next[i].text, effect->next[i].probability);
        cJSON_AddItemToObject(json, "without", cli_json_real(effect->next[i].left));
        cJSON_AddItemToArray(next, json);
    }
    if (effect->before)
        cJSON_AddStringToObject(all, "output", effect->before);
    if (effect->now)
        cJSON_AddStringToObject(root, "output", effect->now);
}

/* The tokens as views label them, which shows those that stand for no text. Those of a picture have
 * no names but the first. */
static void add_tokens(cJSON *root, const sac_source *source, const sac_read_input *read)
{
    const int grid[] = {source->picture.grid_w, source->picture.grid_h};
    cJSON *tokens = cJSON_AddArrayToObject(root, "tokens");
    for (size_t i = 0; i < source->weights.step_labels.count; i++)
        cJSON_AddItemToArray(tokens, cJSON_CreateString(source->weights.step_labels.text[i]));
    if (read->ids)
        cJSON_AddItemToObject(root, "ids",
                              cJSON_CreateIntArray(read->ids, (int)source->weights.steps));
    else
        cJSON_AddItemToObject(root, "grid", cJSON_CreateIntArray(grid, 2));
}

/* Of a pair the texts' numbers, token by token; and how much of each query's weight, in the mean, each
 * head has where it was asked for a part: {"segments", "special_tokens", "weight": [L][H]}. */
static sac_status add_text_parts_json(cJSON *root, const sac_source *source,
                                      const asked_of_heads *asked, sac_error *error)
{
    const sac_weights_source *weights = &source->weights;
    cJSON *types = weights->second ? cJSON_AddArrayToObject(root, "token_type_ids") : NULL;
    for (size_t i = 0; types && i < weights->positions; i++)
        cJSON_AddItemToArray(types, cJSON_CreateNumber(i >= weights->second));
    if (!asked->segments && !asked->special)
        return SAC_OK;
    cJSON *part = cJSON_AddObjectToObject(root, "part"), *layers, *heads = NULL;
    if (asked->segments)
        cJSON_AddStringToObject(part, "segments", asked->segments);
    if (asked->special)
        cJSON_AddStringToObject(part, "special_tokens", asked->special);
    layers = cJSON_AddArrayToObject(part, "weight");
    sac_reader reader = {.source = source};
    sac_status status = SAC_OK;
    for (size_t i = 0; i < weights->layers * weights->heads && status == SAC_OK; i++) {
        const sac_head_choice choice =
            head_choice_of_request(asked, i / weights->heads, i % weights->heads);
        sac_weights_scan scan;
        if (i % weights->heads == 0)
            cJSON_AddItemToArray(layers, heads = cJSON_CreateArray());
        status = sac_head_choice_scan_begin(source, &choice, 1, &scan, error);
        while (status == SAC_OK && scan.next_row < scan.stats.rows)
            status = sac_head_choice_scan(&reader, &choice, (size_t)1 << 20, &scan, error);
        if (status == SAC_OK)
            cJSON_AddItemToArray(heads, cli_json_real(sac_weights_scan_mean_share(&scan)));
        sac_weights_scan_free(&scan);
    }
    sac_reader_free(&reader);
    return status;
}

/* heat [layers,heads,cells]: where each head's first token looks, or the mean of all. */
static sac_status read_heat(const sac_source *source, float *heat, sac_error *error)
{
    const size_t cells = (size_t)(source->picture.grid_w * source->picture.grid_h);
    const size_t prefix = (size_t)source->picture.prefix;
    const size_t rows = prefix ? 1 : source->weights.steps;
    float *weights = calloc(rows * source->weights.positions, sizeof *weights);
    if (!weights)
        return sac_no_memory(error, "--boxes");
    sac_status status = SAC_OK;
    for (size_t i = 0; i < source->weights.layers * source->weights.heads && status == SAC_OK;
         i++) {
        sac_tile tile = {
            .head = i % source->weights.heads, .rows = rows, .cols = source->weights.positions};
        status =
            source->weights.tile(source->self, i / source->weights.heads, &tile, weights, error);
        for (size_t k = 0; k < rows * cells && status == SAC_OK; k++)
            heat[i * cells + k % cells] +=
                weights[k / cells * source->weights.positions + prefix + k % cells];
    }
    free(weights);
    return status;
}

static void add_head_localizations(cJSON *json, const sac_source *source, const sac_look *look,
                                   const float *heat)
{
    const int w = source->picture.grid_w, h = source->picture.grid_h, cells = w * h;
    sac_localization localization = {0};
    cJSON *inside = cJSON_AddArrayToObject(json, "inside");
    cJSON *mass = cJSON_AddArrayToObject(json, "mass");
    for (size_t layer = 0; layer < source->weights.layers; layer++) {
        cJSON *insides = cJSON_CreateArray(), *masses = cJSON_CreateArray();
        for (size_t head = 0; head < source->weights.heads; head++, heat += cells) {
            localization = sac_look_localize(look, heat, w, h, sac_map_peak(heat, w, h));
            cJSON_AddItemToArray(insides, cJSON_CreateBool(localization.inside));
            cJSON_AddItemToArray(masses, cli_json_real(localization.mass));
        }
        cJSON_AddItemToArray(inside, insides);
        cJSON_AddItemToArray(mass, masses);
    }
    cJSON_AddItemToObject(json, "box_share", cli_json_real(localization.box_share));
}

/* Pointing and mass in box of the heads, for each object of the truth. */
static sac_status add_truth_localizations(cJSON *root, const sac_source *source, sac_error *error)
{
    size_t numbers = source->weights.layers * source->weights.heads *
                     (size_t)(source->picture.grid_w * source->picture.grid_h);
    float *heat = calloc(numbers, sizeof *heat);
    if (!heat)
        return sac_fail(error, SAC_E_MEMORY, "--boxes", NULL, "out of memory for %zu weights",
                        numbers);
    sac_status status = read_heat(source, heat, error);
    cJSON *objects = status == SAC_OK ? cJSON_AddArrayToObject(root, "objects") : NULL;
    const sac_caption_truth *truth = &source->result.truth;
    for (int i = 0; i < truth->objects && status == SAC_OK; i++) {
        cJSON *json = cJSON_CreateObject();
        cli_add_object_words(json, truth, i);
        add_head_localizations(json, source, &truth->object[i].look, heat);
        cJSON_AddItemToArray(objects, json);
    }
    free(heat);
    return status;
}

/* Pages by how well a query fits them. */
typedef struct ranked_pages {
    struct page {
        cJSON *json;
        float score;
    } * list;
    int count;
} ranked_pages;

static int compare_pages(const void *a, const void *b)
{
    const float x = ((const struct page *)a)->score, y = ((const struct page *)b)->score;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* The best first; of all of them the JSON is freed. */
static void print_ranked_pages(ranked_pages *pages, bool prints)
{
    if (pages->count)
        qsort(pages->list, (size_t)pages->count, sizeof *pages->list, compare_pages);
    for (int i = 0; i < pages->count; i++) {
        if (pages->count > 1)
            cJSON_AddNumberToObject(pages->list[i].json, "rank", i + 1);
        if (prints)
            cli_print_json(pages->list[i].json);
        else
            cJSON_Delete(pages->list[i].json);
    }
    free(pages->list);
}

/* `result` has the outputs of a picture, or what a text was continued with, if the model gives any. */
static sac_status print_json(sac_source *source, const sac_read_input *read,
                             const asked_of_heads *asked, const sac_heads_effect *effect,
                             const sac_result *result, ranked_pages *pages, sac_error *error)
{
    const sac_generation *generation = &result->generation;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "model", source->title);
    if (read->ids)
        cJSON_AddStringToObject(root, "text", source->result.text);
    cJSON_AddStringToObject(root, "device", source->origin.device);
    cJSON_AddItemToObject(root, "ms", cli_json_real((float)read->milliseconds));
    cJSON_AddNumberToObject(root, "layers", (double)source->weights.layers);
    cJSON_AddNumberToObject(root, "heads", (double)source->weights.heads);
    add_tokens(root, source, read);
    if (read->class_count)
        add_classes_json(root, read);
    sac_status status = SAC_OK;
    if (generation->generated)
        status = cli_add_generation(root, source, generation, &source->result.sampling, error);
    if (status == SAC_OK && source->result.candidates)
        status = add_next_tokens_json(root, source, generation->generated, error);
    if (asked->without)
        add_effect(root, asked->without, effect);
    if (status == SAC_OK && result->count)
        status = cli_add_outputs(root, source, result, error);
    if (read->cut || source->weights.second || read->note[0])
        cJSON_AddStringToObject(root, "note", source->note);
    if (status == SAC_OK && source->result.has_truth)
        status = add_truth_localizations(root, source, error);
    if (status == SAC_OK && asked->pair)
        status = add_ranked_heads_json(root, source, asked->pair, error);
    if (status == SAC_OK)
        status = add_text_parts_json(root, source, asked, error);
    if (status == SAC_OK && pages && result->has_score)
        pages->list[pages->count++] = (struct page){root, result->score};
    else if (status == SAC_OK)
        cli_print_json(root);
    else
        cJSON_Delete(root);
    return status;
}

/* ---------------------------------------------------------------- arrays */

static sac_status read_weights(const sac_source *source, const asked_of_heads *asked,
                               float *weights, sac_error *error)
{
    sac_reader reader = {.source = source};
    sac_status status = SAC_OK;
    for (size_t i = 0; i < source->weights.layers * source->weights.heads && status == SAC_OK;
         i++) {
        const sac_head_choice choice =
            head_choice_of_request(asked, i / source->weights.heads, i % source->weights.heads);
        sac_rect all = {0};
        sac_head_choice_size(source, &choice, &all.rows, &all.cols);
        status = sac_head_choice_read(&reader, &choice, &all, SAC_POOL_MEAN, all.rows, all.cols,
                                      weights + i * all.rows * all.cols, error);
    }
    sac_reader_free(&reader);
    return status;
}

/* The rows of attention by which each token was generated, the mean of all layers and heads: of the
 * token before it, over all of the text [generated,T]. */
static void average_generated_rows(const sac_source *source, size_t generated, const float *weights,
                                   float *rows)
{
    size_t maps = source->weights.layers * source->weights.heads, T = source->weights.steps;
    for (size_t s = 0; s < generated; s++)
        for (size_t map = 0; map < maps; map++)
            for (size_t j = 0; j < T; j++)
                rows[s * T + j] += weights[(map * T + T - generated + s - 1) * T + j] / (float)maps;
}

/* Which text each token is of and which stand for none, as they are asked for; of a part of a pair the
 * tokens of both sides. `marks` [2,T] is lent as all that is added. */
static void add_parts_arrays(cli_arrays_file *f, const sac_source *source,
                             const asked_of_heads *asked, int *marks)
{
    const sac_weights_source *weights = &source->weights;
    const sac_head_choice choice = head_choice_of_request(asked, 0, 0);
    size_t T = weights->positions, row, column, rows, columns;
    sac_head_choice_corner(source, &choice, &row, &column);
    sac_head_choice_size(source, &choice, &rows, &columns);
    for (size_t i = 0; i < T; i++) {
        marks[i] = i >= weights->second;
        marks[T + i] = weights->special && weights->special[i];
    }
    if (weights->second)
        cli_arrays_file_add(f, sac_array_view(SAC_I32, 1, &T, marks), "token_type_ids");
    if (asked->special)
        cli_arrays_file_add(f, sac_array_view(SAC_I32, 1, &T, marks + T), "special_tokens_mask");
    if (choice.segments == SAC_SEGMENTS_ALL)
        return;
    cli_arrays_file_add(f, sac_array_view(SAC_TEXT, 1, &rows, weights->step_labels.text + row),
                        "attentions_row_labels");
    cli_arrays_file_add(
        f, sac_array_view(SAC_TEXT, 1, &columns, weights->position_labels.text + column),
        "attentions_column_labels");
}

/* Names that `saccade view` finds again: attentions [L,1,H,T,T], tokens [T], grid, prefix, image. */
static sac_status save_arrays(const char *path, const sac_source *source,
                              const sac_read_input *read, const asked_of_heads *asked,
                              const sac_result *result, const sac_attention_kind *reduced,
                              sac_error *error)
{
    const sac_head_choice choice = head_choice_of_request(asked, 0, 0);
    const sac_image *image = source->picture.image;
    size_t rows_kept, columns_kept;
    cli_result_columns columns;
    const size_t L = source->weights.layers, H = source->weights.heads, T = source->weights.steps;
    sac_head_choice_size(source, &choice, &rows_kept, &columns_kept);
    const size_t maps[] = {L, 1, H, rows_kept, columns_kept}, layers[] = {L + 1, T, read->width};
    const size_t numbers = L * H * T * T, generated[] = {result->generation.generated, T}, two = 2;
    const int grid[] = {source->picture.grid_h, source->picture.grid_w};
    cli_arrays_file f = {0};
    int *marks = calloc(2 * T + 1, sizeof *marks);
    float *weights =
        calloc(numbers + layers[0] * T * layers[2] + generated[0] * T, sizeof *weights);
    if (!weights || !marks) {
        free(weights);
        free(marks);
        return sac_fail(error, SAC_E_MEMORY, path, "give a shorter text",
                        "out of memory for %zu weights", numbers);
    }
    float *states = weights + numbers, *rows = states + layers[0] * T * layers[2];
    cli_arrays_file_add(&f, sac_array_view(SAC_F32, 5, maps, weights), "attentions");
    cli_arrays_file_add(&f, sac_array_view(SAC_F32, 3, layers, states), "hidden_states");
    if (read->ids) {
        cli_arrays_file_add(&f, sac_array_view(SAC_TEXT, 1, &T, source->weights.step_labels.text),
                            "tokens");
        cli_arrays_file_add(&f, sac_array_view(SAC_I32, 1, &T, read->ids), "input_ids");
    } else {
        cli_arrays_file_add(&f, sac_array_view(SAC_I32, 1, &two, grid), "grid");
        cli_arrays_file_add(&f, sac_array_view(SAC_I32, 0, NULL, &source->picture.prefix),
                            "prefix");
    }
    if (image) {
        const size_t size[] = {(size_t)image->height, (size_t)image->width, 4};
        cli_arrays_file_add(&f, sac_array_view(SAC_U8, 3, size, image->rgba), "image");
    }
    if (read->ids && read->next)
        cli_arrays_file_add(&f, sac_array_view(SAC_F32, 1, &read->vocabulary, read->next),
                            "next_logits");
    add_parts_arrays(&f, source, asked, marks);
    if (result->count)
        cli_arrays_file_add_outputs(&f, source, result, &columns);
    if (generated[0])
        cli_arrays_file_add(&f, sac_array_view(SAC_F32, 2, generated, rows), "generated_rows");
    if (reduced->weights)
        cli_arrays_file_add_kind(&f, reduced);
    sac_status status = source->weights.states(source->self, states, error);
    if (status == SAC_OK)
        status = read_weights(source, asked, weights, error);
    if (status == SAC_OK)
        average_generated_rows(source, generated[0], weights, rows);
    if (status == SAC_OK)
        status = sac_npz_save(path, f.named, f.count, error);
    free(marks);
    free(weights);
    return status;
}

/* ---------------------------------------------------------------- one map of all heads */

/* The names of rows or columns of a view's table. */
static sac_status copy_table_labels(const viz_view *view, bool of_row, size_t count,
                                    sac_labels *labels, sac_error *error)
{
    char name[256];
    labels->text = calloc(count + 1, sizeof *labels->text);
    labels->count = labels->text ? count : 0;
    for (size_t i = 0; i < labels->count; i++)
        if (!(labels->text[i] =
                  strdup(view->class->table_name(view, of_row, i, name, sizeof name))))
            return sac_no_memory(error, "--reduce");
    return labels->text ? SAC_OK : sac_no_memory(error, "--reduce");
}

static void free_reduced(sac_attention_kind *reduced)
{
    free(reduced->weights);
    sac_labels_free(&reduced->step_labels);
    sac_labels_free(&reduced->position_labels);
}

/* What --reduce makes of all heads, as the view shows it; without it, and where another view is shown,
 * no weights. Free it in any case. */
static sac_status compute_reduced_weights(const app_document *document, sac_attention_kind *reduced,
                                          sac_error *error)
{
    viz_view *view = viz_shell_tab_view(&document->shell);
    viz_table table;
    *reduced = (sac_attention_kind){.name = "reduced", .layers = 1, .heads = 1};
    if (!app_find_setting(&document->opened, "reduce") ||
        viz_table_find(view, &table, NULL) != SAC_OK)
        return SAC_OK;
    reduced->steps = table.rows;
    reduced->positions = table.columns;
    reduced->weights = calloc(table.rows * table.columns, sizeof *reduced->weights);
    sac_status status = reduced->weights ? SAC_OK : sac_no_memory(error, "--reduce");
    if (status == SAC_OK)
        status = copy_table_labels(view, true, table.rows, &reduced->step_labels, error);
    if (status == SAC_OK)
        status = copy_table_labels(view, false, table.columns, &reduced->position_labels, error);
    for (size_t i = 0; i < table.rows && status == SAC_OK; i++)
        status = view->class->table_row(view, i, reduced->weights + i * table.columns, error);
    return status;
}

/* ---------------------------------------------------------------- captions and translations */

static bool is_decoder_attention(const char *array)
{
    return array && (strcmp(array, sac_attention_kind_names[SAC_CROSS_ATTENTION]) == 0 ||
                     strcmp(array, sac_attention_kind_names[SAC_DECODER_ATTENTION]) == 0);
}

/* The heads over a picture that are shown: of all of it, where captions may see less; "attentions". */
static sac_status add_shown_heads(const sac_source *source, sac_attentions *a, sac_error *error)
{
    const sac_weights_source *w = &source->weights;
    const sac_attention_kind form = {.name = "attentions",
                                     .layers = w->layers,
                                     .heads = w->heads,
                                     .steps = w->steps,
                                     .positions = w->positions};
    sac_attention_kind *k;
    sac_status status = sac_attentions_add_part(a, &form, &k, error);
    return status == SAC_OK && k ? read_weights(source, &(asked_of_heads){0}, k->weights, error)
                                 : status;
}

/* The attentions of a caption that was generated with all heads, now without those that are scaled. */
static sac_status compute_attentions(const app_document *document, sac_source *source,
                                     const sac_result *caption, const float *scale,
                                     sac_attentions *a, sac_error *error)
{
    sac_source *weights = document->weights;
    bool scales = scale && weights->weights.generator == source;
    int kind = scales ? weights->weights.generator_kind : 0;
    sac_heads_effect effect = {0};
    *a = (sac_attentions){0};
    if (source->result.attentions)
        return scales ? sac_source_attentions_without(source, kind, scale, caption, a, error)
                      : sac_source_attentions(source, 0, caption, a, error);
    sac_status status = scales ? sac_source_scale_kind(source, kind, scale, error) : SAC_OK;
    if (status == SAC_OK)
        status = sac_source_all_attentions(source, caption, a, error);
    if (status == SAC_OK && scales)
        status = sac_source_scale_kind(source, kind, NULL, error);
    if (status == SAC_OK && scale)
        status = weights->weights.scale_heads(weights->self, scale, &effect, error);
    if (status == SAC_OK && weights && !is_decoder_attention(document->opened.array))
        status = add_shown_heads(weights, a, error);
    sac_heads_effect_free(&effect);
    return status;
}

/* Factors [L,H] of the source's heads; NULL where none are scaled. free() it. */
static sac_status parse_head_scales(const sac_source *source, const char *without, float **scale,
                                    sac_error *error)
{
    *scale = NULL;
    if (!without || !source || !source->weights.scale_heads)
        return SAC_OK;
    *scale = calloc(source->weights.layers * source->weights.heads + 1, sizeof **scale);
    return *scale ? sac_head_scales_read(without, source->weights.layers, source->weights.heads,
                                         *scale, error)
                  : sac_no_memory(error, "--without");
}

/* `shown` has the view whose map of all heads it is. */
static sac_status save_caption(const app_document *document, const app_document *shown,
                               sac_source *source, const sac_result *caption, const char *npz,
                               sac_error *error)
{
    sac_attentions attentions = {0};
    sac_attention_kind reduced = {0};
    float *scale;
    const char *without = app_find_setting(&document->opened, "without");
    sac_status status = parse_head_scales(document->weights, without, &scale, error);
    if (status == SAC_OK)
        status = compute_attentions(document, source, caption, scale, &attentions, error);
    if (status == SAC_OK)
        status = compute_reduced_weights(shown, &reduced, error);
    if (status == SAC_OK)
        cli_print_left_out(npz, &attentions);
    if (status == SAC_OK)
        status = cli_result_save(npz, source, caption, &attentions, &reduced, error);
    free_reduced(&reduced);
    sac_attentions_free(&attentions);
    free(scale);
    return status;
}

static sac_status print_caption(const app_document *document, const app_document *shown,
                                sac_source *source, bool json, const char *npz, sac_error *error)
{
    sac_result caption = {0};
    sac_status status = sac_source_generate(source, &(sac_result_request){0}, &caption, error);
    if (status == SAC_OK && npz)
        status = save_caption(document, shown, source, &caption, npz, error);
    if (status == SAC_OK && json)
        status = cli_print_json_line(cli_result_json(source, 0, &caption), "caption", error);
    sac_result_free(&caption);
    return status;
}

/* ---------------------------------------------------------------- all of it */

/* Everything is computed with the heads scaled as asked. */
static sac_status print_inference(const app_document *document, sac_source *source,
                                  const asked_of_heads *asked, bool json, const char *npz,
                                  ranked_pages *pages, sac_error *error)
{
    const sac_result_source *outputs = &source->result;
    sac_result result = {0};
    sac_attention_kind reduced = {0};
    sac_heads_effect effect = {0};
    float *scale = NULL;
    if (source->result.has_truth && !json)
        return sac_fail(error, SAC_E_ARGUMENT, "--boxes", "give --json",
                        "needs --json with a model that gives no caption");
    sac_status status = parse_head_scales(source, asked->without, &scale, error);
    if (status == SAC_OK && scale)
        status = source->weights.scale_heads(source->self, scale, &effect, error);
    sac_read_input read;
    source->weights.input(source->self, &read); /* with these heads */
    const char *note = read.next ? read.note : source->note;
    if (status == SAC_OK && !json && note[0])
        sac_print(stderr, "saccade: %s: %s\n", source->title, note);
    if (status == SAC_OK && !json && read.next && read.cut)
        sac_print(stderr, "saccade: %s: only the first %zu tokens are read\n", source->title,
                  source->weights.steps);
    if (status == SAC_OK && npz)
        status = compute_reduced_weights(document, &reduced, error);
    if (status == SAC_OK && outputs->generate &&
        ((outputs->outputs != SAC_OUTPUT_PHRASES && !outputs->finds_phrases) ||
         outputs->phrases[0]))
        status = sac_source_generate(source,
                                     &(sac_result_request){.phrases = outputs->phrases,
                                                           .way = outputs->way,
                                                           .layer = (int)source->weights.layers},
                                     &result, error);
    if (status == SAC_OK && npz)
        status = save_arrays(npz, source, &read, asked, &result, &reduced, error);
    if (status == SAC_OK && json)
        status = print_json(source, &read, asked, &effect, &result, pages, error);
    else if (status == SAC_OK && result.generation.generated) {
        sac_print_text(stdout, result.line);
        putchar('\n');
    }
    free_reduced(&reduced);
    sac_result_free(&result);
    sac_heads_effect_free(&effect);
    free(scale);
    return status;
}

static asked_of_heads asked_head_settings(const app_document *document)
{
    const app_request *opened = &document->opened;
    return (asked_of_heads){app_find_setting(opened, "without"), app_find_setting(opened, "ask"),
                            app_find_setting(opened, "segments"),
                            app_find_setting(opened, "special tokens")};
}

/* What the document shows first, of both where two stand side by side. */
static sac_status print_document(const app_document *document, bool json, const char *npz,
                                 ranked_pages *pages, sac_error *error)
{
    const asked_of_heads asked = asked_head_settings(document);
    sac_status status = SAC_OK;
    if (document->caption)
        for (sac_source *s = document->caption; s && status == SAC_OK; s = s->beside)
            status = print_caption(document, document, s, json, npz, error);
    else
        for (sac_source *s = document->weights; s && status == SAC_OK; s = s->beside)
            status = print_inference(document, s, &asked, json, npz, pages, error);
    return status;
}

/* As JSON the states of another picture of the document; or of its sentence, by its translator's encoder. */
static sac_status print_states(const app_document *document, int picture, ranked_pages *pages,
                               sac_error *error)
{
    app_request request = document->opened;
    sac_source source = {0};
    const asked_of_heads asked = asked_head_settings(document);
    request.model = document->model;
    request.picture = picture;
    if (document->translation) { /* with its languages */
        request.text = document->translation->result.text;
        request.array = NULL;
    }
    sac_status status = app_open_states(&request, &source, error);
    if (status == SAC_OK)
        status = print_inference(document, &source, &asked, true, NULL, pages, error);
    sac_source_destroy(&source);
    return status;
}

/* The arrays of a translator of which the encoder alone is shown: those of the whole. */
static sac_status save_whole_translator(const app_document *document, const char *npz,
                                        sac_error *error)
{
    app_document other = {0};
    app_request request = document->opened;
    const char *without = app_find_setting(&document->opened, "without");
    request.model = document->model;
    request.tab = "heads";
    request.array = sac_attention_kind_names[SAC_ENCODER_ATTENTION];
    request.setting_count =
        0; /* those of the view that is shown, which may be of the encoder alone */
    if (without)
        request.settings[request.setting_count++] = (app_view_option){"without", without};
    sac_status status = app_open(&other, &request, error);
    if (status == SAC_OK)
        status = print_caption(&other, document, other.translation, false, npz, error);
    app_document_close(&other);
    return status;
}

sac_status cli_print_inference(const app_document *document, bool json, const char *npz,
                               sac_error *error)
{
    if (!document->model && !document->opened.continuation)
        return sac_fail(error, SAC_E_ARGUMENT, json ? "--json" : "--npz",
                        "give a folder with config.json, or --continue N",
                        "needs a pretrained model");
    const sac_source *first = document->caption ? document->caption : document->weights;
    const char *without = app_find_setting(&document->opened, "without");
    sac_source *generator = document->caption ? document->caption : document->translation;
    const char *tab = document->opened.tab; /* of its encoder alone, or its output */
    bool generates = (!tab && !document->opened.array) ||
                     (tab && (strcmp(tab, "caption") == 0 || strcmp(tab, "translation") == 0 ||
                              strcmp(tab, "next") == 0));
    if (generator && generator->result.candidates && generates &&
        (document->opened.continuation || without))
        return cli_generate_and_print(generator, &generator->result.sampling, without, json, npz,
                                      error);
    if (document->translation) { /* as JSON its encoder */
        sac_status status =
            npz ? print_caption(document, document, generator, false, npz, error) : SAC_OK;
        return status == SAC_OK && json ? print_states(document, 0, NULL, error) : status;
    }
    if (npz && first->beside)
        return sac_fail(error, SAC_E_ARGUMENT, "--npz", "give one folder and one picture",
                        "works with one model and one picture");
    const char *special = app_find_setting(&document->opened, "special tokens");
    bool is_chosen = special && strcmp(special, "shown") != 0; /* of the encoder's tokens alone */
    if (npz && document->model && !generator && !is_chosen &&
        sac_architecture_translates(document->model)) {
        sac_status status = save_whole_translator(document, npz, error);
        return status == SAC_OK && json ? print_document(document, true, NULL, NULL, error)
                                        : status;
    }
    int pictures = document->caption || first->beside ? 1 : first->picture.count;
    if (npz && pictures > 1)
        return sac_fail(error, SAC_E_ARGUMENT, "--npz", "give one picture",
                        "works with one picture, but %d are given", pictures);
    ranked_pages pages = {.list =
                              calloc((size_t)pictures + 1, sizeof *pages.list)}; /* or two beside */
    sac_status status = pages.list ? SAC_OK : sac_no_memory(error, "pages");
    if (status == SAC_OK && pictures <= 1)
        status = print_document(document, json, npz, &pages, error);
    for (int i = 0; i < pictures && pictures > 1 && status == SAC_OK; i++)
        status = i == first->picture.number ? print_document(document, json, NULL, &pages, error)
                                            : print_states(document, i, &pages, error);
    print_ranked_pages(&pages, status == SAC_OK);
    return status;
}
