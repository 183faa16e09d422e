/* Opens a file as a source: weights that it holds, or that are computed from its queries and keys,
 * with labels and a picture. */

#include "sources/files/weights/weights_file.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "base/checked.h"
#include "base/error.h"
#include "device/device.h"
#include "saccade_arrays.h"
#include "sources/files/explain_row.h"
#include "sources/files/weights/readings.h"
#include "sources/files/weights/weights_file_parts.h"
#include "sources/heads/reduce.h"
#include "sources/translate.h"

static void destroy(void *self)
{
    sac_weights_file *f = self;
    sac_stored_weights_free(&f->stored);
    sac_computed_weights_free(&f->computed);
    for (size_t b = 0; f->kept && b < f->kept_count; b++) {
        free(f->kept[b].rows);
        free(f->kept[b].columns);
    }
    free(f->kept);
    sac_image_free(&f->image);
    sac_label_lists_free(&f->rows);
    sac_label_lists_free(&f->columns);
    sac_label_lists_free(&f->given_rows);
    sac_label_lists_free(&f->given_columns);
    free(f->alignment);
    free(f->cells);
    free(f->layer_numbers);
    free(f->sequence_steps);
    free(f->uses);
    sac_arrays_close(f->arrays);
    free(f);
}

/* ---------------------------------------------------------------- used arrays */

static sac_status stored_tile(void *self, size_t layer, const sac_tile *tile, float *weights,
                              sac_error *error)
{
    return sac_stored_weights_tile(&((sac_weights_file *)self)->stored, layer, tile, weights,
                                   error);
}

static sac_status stored_pool(void *self, size_t layer, const sac_tile *tile, sac_pool pool,
                              size_t out_rows, size_t out_cols, float *pooled, sac_error *error)
{
    return sac_stored_weights_pool(&((sac_weights_file *)self)->stored, layer, tile, pool, out_rows,
                                   out_cols, pooled, error);
}

static sac_status stored_masked(void *self, size_t layer, const sac_tile *tile, uint8_t *masked,
                                sac_error *error)
{
    return sac_stored_weights_masked(&((sac_weights_file *)self)->stored, layer, tile, masked,
                                     error);
}

static sac_status computed_tile(void *self, size_t layer, const sac_tile *tile, float *weights,
                                sac_error *error)
{
    return sac_computed_weights_tile(&((sac_weights_file *)self)->computed, layer, tile, weights,
                                     error);
}

static sac_status computed_pool(void *self, size_t layer, const sac_tile *tile, sac_pool pool,
                                size_t out_rows, size_t out_cols, float *pooled, sac_error *error)
{
    return sac_computed_weights_pool(&((sac_weights_file *)self)->computed, layer, tile, pool,
                                     out_rows, out_cols, pooled, error);
}

static sac_status computed_masked(void *self, size_t layer, const sac_tile *tile, uint8_t *masked,
                                  sac_error *error)
{
    return sac_computed_weights_masked(&((sac_weights_file *)self)->computed, layer, tile, masked,
                                       error);
}

static sac_status computed_explain(void *self, const sac_explanation_request *request,
                                   sac_explanation *explanation, sac_error *error)
{
    return sac_computed_weights_explain(&((sac_weights_file *)self)->computed, request, explanation,
                                        error);
}

static sac_status stored_explain(void *self, const sac_explanation_request *request,
                                 sac_explanation *e, sac_error *error)
{
    return sac_stored_weights_explain(&((sac_weights_file *)self)->stored, request, e, error);
}

/* ---------------------------------------------------------------- transposed weights */

/* Reads the transpose column by column: a column here is a row of the arrays. */
static sac_status read_transposed_tile(void *self, size_t layer, const sac_tile *tile,
                                       float *weights, sac_error *error)
{
    sac_weights_file *f = self;
    float *line = malloc(tile->rows * sizeof *line);
    if (!line)
        return sac_no_memory(error, "weights");
    sac_status status = SAC_OK;
    for (size_t c = 0; c < tile->cols && status == SAC_OK; c++) {
        sac_tile from = {tile->batch, tile->head, tile->col + c, 1, tile->row, tile->rows};
        status = (f->stored.count ? stored_tile : computed_tile)(f, layer, &from, line, error);
        for (size_t r = 0; r < tile->rows && status == SAC_OK; r++)
            weights[r * tile->cols + c] = line[r];
    }
    free(line);
    return status;
}

static sac_status pool_transposed_tile(void *self, size_t layer, const sac_tile *tile,
                                       sac_pool pool, size_t out_rows, size_t out_cols,
                                       float *pooled, sac_error *error)
{
    size_t count, bytes;
    bool small = sac_checked_mul(tile->rows, tile->cols, &count) &&
                 sac_checked_mul(count, sizeof(float), &bytes);
    float *whole = small ? malloc(bytes) : NULL;
    if (!whole)
        return sac_fail(error, SAC_E_MEMORY, "weights", NULL, "out of memory to pool %zu × %zu",
                        tile->rows, tile->cols);
    sac_status status = read_transposed_tile(self, layer, tile, whole, error);
    if (status == SAC_OK)
        sac_weights_pool(whole, tile->rows, tile->cols, pool, out_rows, out_cols, pooled);
    free(whole);
    return status;
}

static sac_status read_transposed_mask(void *self, size_t layer, const sac_tile *tile,
                                       uint8_t *masked, sac_error *error)
{
    sac_weights_file *f = self;
    uint8_t *line = malloc(tile->rows);
    if (!line)
        return sac_no_memory(error, "weights");
    sac_status status = SAC_OK;
    for (size_t c = 0; c < tile->cols && status == SAC_OK; c++) {
        sac_tile from = {tile->batch, tile->head, tile->col + c, 1, tile->row, tile->rows};
        status = (f->stored.count ? stored_masked : computed_masked)(f, layer, &from, line, error);
        for (size_t r = 0; r < tile->rows && status == SAC_OK; r++)
            masked[r * tile->cols + c] = line[r];
    }
    free(line);
    return status;
}

/* Transposes the weights: keys become the steps, each with a map over the queries that attend to it.
 */
static void transpose_weights(sac_source *source)
{
    const size_t steps = source->weights.steps;
    const sac_labels labels = source->weights.step_labels;
    source->weights.steps = source->weights.positions;
    source->weights.step_labels = source->weights.position_labels;
    source->weights.positions = steps;
    source->weights.position_labels = labels;
    for (size_t b = 0; source->weights.items && b < source->weights.batch; b++) {
        sac_source_item *item = &source->weights.items[b], was = *item;
        item->steps = was.positions;
        item->step_labels = was.position_labels;
        item->positions = was.steps;
        item->position_labels = was.step_labels;
    }
    source->weights.tile = read_transposed_tile;
    source->weights.pool = pool_transposed_tile;
    source->weights.explain = NULL; /* it explains one query, not one key */
    if (source->weights.masked)
        source->weights.masked = read_transposed_mask;
}

/* ---------------------------------------------------------------- the weights */

/* Layers take the numbers in their names, if these are not 0, 1, 2 … */
static sac_status number_layers(sac_weights_file *f, const sac_array_group *group,
                                sac_source *source, sac_error *error)
{
    bool own = false;
    for (size_t i = 0; group->count > 1 && group->numbers && i < group->count; i++)
        own |= group->numbers[i] != i;
    if (!own)
        return SAC_OK;
    f->layer_numbers = malloc(group->count * sizeof *f->layer_numbers);
    if (!f->layer_numbers)
        return sac_no_memory(error, group->name);
    memcpy(f->layer_numbers, group->numbers, group->count * sizeof *f->layer_numbers);
    source->weights.layer_numbers = f->layer_numbers;
    return SAC_OK;
}

static sac_status use_computed(sac_weights_file *f, const sac_array_group *queries,
                               const sac_weights_file_options *options, sac_source *source,
                               sac_error *error)
{
    sac_attention_request request = {
        .axes = options->axes, .leave_out = options->leave_out, .spec = options->spec};
    if (options->softmax)
        return sac_fail(error, SAC_E_ARGUMENT, "--softmax", "leave it out",
                        "queries and keys are computed with theirs");
    sac_status status = sac_computed_weights_open(f->arrays, queries, &request, options->device,
                                                  &f->computed, error);
    if (status != SAC_OK)
        return status;
    const sac_attention_shape *shape = &f->computed.shape;
    source->weights.layers = f->computed.count;
    source->weights.batch = shape->batch;
    source->weights.heads = shape->heads;
    source->weights.made.key_heads = shape->key_heads;
    source->weights.steps = shape->queries;
    source->weights.positions = shape->keys;
    source->weights.tile = computed_tile;
    source->weights.pool = computed_pool;
    source->weights.explain = computed_explain;
    if (f->computed.masks[0])
        source->weights.masked = computed_masked;
    snprintf(source->weights.made.dtype, sizeof source->weights.made.dtype, "float32");
    snprintf(source->weights.made.score, sizeof source->weights.made.score, "%s",
             sac_score_name(options->spec.score));
    snprintf(source->weights.made.mask, sizeof source->weights.made.mask, "%s", f->computed.masks);
    if (f->computed.note[0])
        sac_source_add_note(source, SAC_NOTE_SHOWN, "%s", f->computed.note);
    source->weights.has_sinks = f->computed.has_sinks;
    source->weights.made.heads_asked = options->spec.heads;
    source->weights.made.key_heads_asked = options->spec.key_heads;
    source->weights.made.bandwidth = options->spec.bandwidth;
    source->weights.made.softcap = options->spec.softcap;
    source->weights.made.normalizer = options->spec.normalizer;
    sac_device_set_name(&f->computed.devices, source->origin.device, sizeof source->origin.device);
    return number_layers(f, queries, source, error);
}

/* Reads how well each head aligns, "cross_alignment" [L,H], if the file has it for these weights. */
static sac_status read_alignment(sac_weights_file *f, sac_source *source, sac_error *error)
{
    char name[160];
    snprintf(name, sizeof name, "%.120s_alignment",
             f->stored.count == 1 ? f->stored.layers[0].name : "");
    const sac_array *array = sac_arrays_find(f->arrays, name);
    if (!array || array->rank != 2 || array->dtype == SAC_TEXT ||
        array->shape[0] != source->weights.layers || array->shape[1] != source->weights.heads)
        return SAC_OK;
    f->alignment = malloc(sac_array_count(array) * sizeof *f->alignment);
    if (!f->alignment)
        return sac_no_memory(error, name);
    sac_array_use_mark(f, array);
    source->weights.head_alignment = f->alignment;
    return sac_array_to_f32(array, f->alignment, error);
}

/* ---------------------------------------------------------------- opening */

/* The absolute path of `path`, which any working folder finds; "" for NULL. */
static void find_absolute(const char *path, char *absolute, size_t size)
{
    char *found = path ? realpath(path, NULL) : NULL;
    snprintf(absolute, size, "%s", found ? found : path ? path : "");
    free(found);
}

/* Marks the arrays that the shown weights are made of. */
static sac_status mark_used(sac_weights_file *f, sac_error *error)
{
    size_t total = sac_arrays_size(f->arrays);
    const sac_stored_weights *stored = &f->stored;
    bool *used = calloc(total + 1, sizeof *used);
    if (!used)
        return sac_no_memory(error, NULL);
    for (size_t i = 0; i < stored->count; i++)
        sac_array_use_mark(f, stored->layers[i].array);
    for (size_t i = 0; stored->pieces && i < stored->count * stored->piece_count; i++)
        sac_array_use_mark(f, stored->pieces[i].array);
    for (size_t i = 0; i < f->computed.count; i++) {
        sac_attention_request request = f->computed.request;
        request.query = f->computed.layers[i].name;
        sac_attention_file_mark(f->arrays, &request, used);
    }
    for (size_t i = 0; i < total; i++)
        f->uses[i].used |= used[i];
    free(used);
    return SAC_OK;
}

/* True if the names are equal but for their numbers. */
static bool is_same_but_numbers(const char *a, const char *b)
{
    static const char digits[] = "0123456789";
    for (; *a && *b; a++, b++) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            a += strspn(a, digits) - 1;
            b += strspn(b, digits) - 1;
        } else if (*a != *b) {
            return false;
        }
    }
    return !*a && !*b;
}

/* Counts the unused arrays without a stated reason whose names equal that of `first` but for
 * numbers, itself included; 0 if an earlier array has been counted with them. */
static size_t count_unused_similar(const sac_weights_file *f, size_t first)
{
    size_t count = 0;
    const char *name = sac_arrays_name(f->arrays, first);
    for (size_t i = 0; i < sac_arrays_size(f->arrays); i++) {
        bool alike = !f->uses[i].used && !f->uses[i].why[0] &&
                     is_same_but_numbers(name, sac_arrays_name(f->arrays, i));
        if (alike && i < first)
            return 0;
        count += alike;
    }
    return count;
}

/* Writes an item of the list of unused arrays: one array, or `alike` of them. */
static size_t write_unused_item(const sac_weights_file *f, size_t i, size_t alike, char *text,
                                size_t size)
{
    char shape[160], many[40] = "";
    const char *why = f->uses[i].why;
    if (alike > 1)
        snprintf(many, sizeof many, " and %zu more like it", alike - 1);
    return (size_t)snprintf(text, size, "%.120s %s%s%s%s%s", sac_arrays_name(f->arrays, i),
                            sac_array_shape_text(sac_arrays_at(f->arrays, i), shape, sizeof shape),
                            many, why[0] ? " (" : "", why, why[0] ? ")" : "");
}

/* Adds the unused arrays, with their reasons, to the note of the source. */
static sac_status note_unused(sac_weights_file *f, sac_source *source, sac_error *error)
{
    enum { TAIL = 60 }; /* room for "not used: " and ", … and 12345 more" */
    char text[sizeof source->note], item[400];
    size_t total = sac_arrays_size(f->arrays), left = 0, used = 0, noted = strlen(source->note);
    sac_status status = mark_used(f, error);
    for (size_t i = 0; i < total && status == SAC_OK; i++)
        left += !f->uses[i].used;
    size_t room = sizeof text > noted + TAIL ? sizeof text - noted - TAIL : 0, listed = 0;
    for (size_t i = 0; i < total && status == SAC_OK && listed < left; i++) {
        size_t alike = f->uses[i].used ? 0 : f->uses[i].why[0] ? 1 : count_unused_similar(f, i);
        size_t length = alike ? write_unused_item(f, i, alike, item, sizeof item) : 0;
        if (!alike)
            continue;
        if (used + length + 2 >= room) {
            snprintf(text + used, sizeof text - used, "%s… and %zu more", listed ? ", " : "",
                     left - listed);
            break;
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", listed ? ", " : "", item);
        listed += alike;
    }
    if (!left)
        text[0] = '\0';
    sac_arrays_unread_text(f->arrays, text, room ? room : 1);
    if (status == SAC_OK && text[0])
        sac_source_add_note(source, SAC_NOTE_REPORTED, "not used: %s", text);
    return status;
}

/* True of "attentions.3.0", which names a step and a layer: its first axis is that of items. */
static bool has_two_numbers(const char *name)
{
    static const char digits[] = "0123456789";
    name += strcspn(name, digits);
    name += strspn(name, digits);
    return name[strcspn(name, digits)];
}

/* True where maps of one name grow by a row and a column each, as generate() without a cache returns a map
 * of all tokens for each step. */
static bool are_uncached_steps(const sac_array_groups *groups)
{
    static const char digits[] = "0123456789";
    for (size_t i = 1; i < groups->count; i++) {
        const sac_array_group *before = &groups->group[i - 1], *group = &groups->group[i];
        const sac_array *one = before->layers[0].array, *next = group->layers[0].array;
        const size_t prefix = strcspn(group->name, digits);
        if (!has_two_numbers(group->layers[0].name) || one->rank != next->rank || one->rank < 2 ||
            strncmp(before->name, group->name, prefix) != 0)
            continue;
        const size_t *a = one->shape + one->rank - 2, *b = next->shape + next->rank - 2;
        if (a[0] == a[1] && b[0] == b[1] && b[0] == a[0] + 1)
            return true;
    }
    return false;
}

/* Three quarters of the names and more are those of a model's weights. Arrays of it that have the shape of an
 * attention are none. */
static bool holds_model_weights(const sac_arrays *arrays)
{
    enum { LEAST = 4 };
    static const char *const endings[] = {".weight", ".bias"};
    size_t all = sac_arrays_size(arrays), found = 0;
    for (size_t i = 0; i < all; i++)
        for (size_t e = 0; e < sizeof endings / sizeof *endings; e++) {
            const char *name = sac_arrays_name(arrays, i);
            const size_t length = strlen(name), end = strlen(endings[e]);
            found += length > end && strcmp(name + length - end, endings[e]) == 0;
        }
    return all >= LEAST && 4 * found >= 3 * all;
}

/* The error if no array fits, or several do. */
static sac_status refuse_unclear_choice(const sac_weights_file *f,
                                        const sac_weights_file_options *options,
                                        const sac_array_groups *groups, sac_error *error)
{
    char list[400];
    if (groups->count) {
        sac_array_groups_text(groups, list, sizeof list);
        const char *remedy =
            are_uncached_steps(groups)
                ? "these are steps of generate() without a cache: save one pass over "
                  "out.sequences, with output_attentions=True, or choose one with "
                  "--take NAME"
                : "choose one with --take NAME";
        return sac_fail(error, options->array ? SAC_E_ARGUMENT : SAC_E_FORMAT, options->array,
                        remedy, "more than one attention fits: %s", list);
    }
    const char *unread = options->array ? sac_unread_find(f->arrays, options->array) : NULL;
    if (unread)
        return sac_fail(error, SAC_E_FORMAT, unread, NULL, "%s",
                        sac_arrays_unread_reason(f->arrays, unread));
    if (!sac_arrays_size(f->arrays))
        return sac_fail(error, SAC_E_FORMAT, NULL, "check how it was made", "%s",
                        sac_arrays_unread(f->arrays, 0) ? "holds no arrays"
                                                        : "holds no arrays: it is empty");
    if (!options->array && holds_model_weights(f->arrays))
        return sac_fail(error, SAC_E_FORMAT, NULL,
                        "give the folder of the model, with its config.json, or choose an array "
                        "with --take NAME",
                        "holds the weights of a model, and no attention: which model?");
    sac_arrays_text(f->arrays, list, sizeof list);
    if (options->array)
        return sac_fail(error, SAC_E_ARGUMENT, options->array, "choose one with --take NAME",
                        "no such array; the file holds %s", list);
    return sac_fail(error, SAC_E_FORMAT, NULL, "choose with --take NAME (a * stands for layers)",
                    "no attention, nor query and key, among %s", list);
}

/* Looks for arrays that are named as weights, then for queries and keys, then for any array that has
 * the shape of weights. */
static sac_status find_groups(const sac_weights_file *f, const char *wanted,
                              sac_array_groups *weights, sac_array_groups *queries,
                              sac_error *error)
{
    sac_status status = sac_queries_find(f->arrays, wanted, queries, error);
    if (status == SAC_OK && !(wanted && queries->count))
        status = sac_weights_find(f->arrays, wanted, false, weights, error);
    if (status == SAC_OK && !wanted && !queries->count && !weights->count &&
        !holds_model_weights(f->arrays)) {
        const char *unread = sac_weights_unread(f->arrays);
        if (unread) /* the named weights were meant, not another array of their shape */
            return sac_fail(error, SAC_E_FORMAT, unread, NULL, "%s",
                            sac_arrays_unread_reason(f->arrays, unread));
        sac_array_groups_free(weights);
        status = sac_weights_find(f->arrays, NULL, true, weights, error);
    }
    return status;
}

/* Lists all readings that the file offers, whichever was requested. */
static sac_status list_readings(const sac_weights_file *f, const char *taken, const char *axes,
                                sac_source *source, sac_error *error)
{
    sac_array_groups weights = {0}, queries = {0};
    sac_status status = sac_queries_find(f->arrays, NULL, &queries, error);
    if (status == SAC_OK)
        status = sac_weights_find(f->arrays, NULL, !queries.count, &weights, error);
    if (status == SAC_OK)
        status = sac_readings_make(&weights, &queries, &source->weights.opened.readings,
                                   &source->weights.opened.reading_count, error);
    source->weights.opened.reading = -1;
    if (taken)
        source->weights.opened.reading = sac_readings_find(
            source->weights.opened.readings, source->weights.opened.reading_count, taken, axes);
    if (taken &&
        source->weights.opened.reading < 0) /* whose axes are the only ones that are offered */
        source->weights.opened.reading = sac_readings_find(
            source->weights.opened.readings, source->weights.opened.reading_count, taken, NULL);
    sac_array_groups_free(&weights);
    sac_array_groups_free(&queries);
    return status;
}

/* The axes if the options do not give them: the default of the rank, unless labels or a picture
 * show that they are others. One list of tokens for all of [N,H,T,T] means layers, which read the
 * same text; items would have a list each. */
static const char *choose_axes(const sac_weights_file *f, const sac_array_group *group,
                               const sac_weights_file_options *options)
{
    const sac_array *array = group->layers[0].array;
    const char *usual = sac_axes_of(&group->layers[0]);
    int rank = array->rank;
    size_t queries, keys;
    if (rank < 2 || array->shape[0] == 1 || strcmp(usual, sac_axes_by_rank[rank]) != 0)
        return usual;
    sac_array_group_sizes(group, &queries, &keys);
    size_t lists = sac_weights_label_list_count(f, queries, keys);
    const sac_array *image = sac_arrays_find(f->arrays, "image");
    bool picture = options->image || (image && image->dtype == SAC_U8 && image->rank <= 3);
    if (rank == 2 && lists > 1 && lists == queries && queries != keys)
        return "BK"; /* one row per item */
    if (rank == 3 && lists > 1 && lists == array->shape[0])
        return "BQK";
    bool stepped = group->pieces && has_two_numbers(group->layers[0].name);
    if (rank == 4 && group->count == 1 && !stepped && (lists == 1 || (lists == 0 && picture)))
        return "LHQK";
    return usual;
}

/* Notes why these axes were chosen, and which option gives the others. */
static void note_axes(const sac_array_group *group, const char *axes, size_t lists,
                      sac_source *source)
{
    const size_t *shape = group->layers[0].array->shape;
    if (strcmp(axes, sac_axes_of(&group->layers[0])) == 0)
        return;
    if (strcmp(axes, "BK") == 0)
        sac_source_add_note(source, SAC_NOTE_SHOWN,
                            "read as a row for each of %zu items, because each has its own tokens "
                            "(--axes QK reads one map)",
                            shape[0]);
    else if (strcmp(axes, "BQK") == 0)
        sac_source_add_note(source, SAC_NOTE_SHOWN,
                            "read as %zu items, because each has its own tokens (--axes HQK reads "
                            "heads)",
                            shape[0]);
    else
        sac_source_add_note(
            source, SAC_NOTE_SHOWN,
            "read as %zu layers × %zu heads, because one %s serves all (--axes BHQK "
            "reads items)",
            shape[0], shape[1], lists ? "list of tokens" : "picture");
}

/* Notes that the steps of a generation are joined to one map. */
static void note_steps(const sac_array_group *group, size_t queries, size_t keys,
                       sac_source *source)
{
    const sac_array *first = group->layers[0].array;
    if (!group->pieces)
        return;
    size_t prompt = first->shape[first->rank - 2], before = first->shape[first->rank - 1];
    if (keys == before)
        sac_source_add_note(source, SAC_NOTE_SHOWN,
                            "%zu steps of a generation are joined to one map, %zu × %zu",
                            group->piece_count, queries, keys);
    else
        sac_source_add_note(source, SAC_NOTE_SHOWN,
                            "%zu steps of a generation are joined to one map, %zu × %zu: %zu "
                            "token%s of the prompt, then %zu generated",
                            group->piece_count, queries, keys, prompt, prompt == 1 ? "" : "s",
                            queries - prompt);
}

/* Attributions have either sign; attention and its scores do not, but by mistake. */
static sac_status decide_signedness(sac_weights_file *f, const sac_weights_file_options *options,
                                    sac_source *source, sac_error *error)
{
    const char *name = f->stored.layers[0].name;
    size_t length = strlen(name);
    sac_weights_survey survey = {0};
    bool scores = (length >= 6 && strcasecmp(name + length - 6, "scores") == 0) ||
                  (length >= 6 && strcasecmp(name + length - 6, "logits") == 0);
    bool weights = strcmp(name, "weights") == 0 && !f->stored.map_w;
    if (options->softmax || scores || weights || sac_weights_are_attention(name))
        return SAC_OK;
    sac_status status = sac_stored_weights_survey(&f->stored, &survey, error);
    f->stored.is_signed = source->weights.is_signed = survey.negative;
    if (survey.negative)
        sac_source_add_note(source, SAC_NOTE_SHOWN,
                            N_("numbers of either sign: zero is in the middle of the colours"));
    return status;
}

static sac_status use_stored_weights(sac_weights_file *f, const sac_array_group *group,
                                     const sac_weights_file_options *options, const char **axes,
                                     sac_source *source, sac_error *error)
{
    size_t queries, keys;
    bool asked = options->axes && options->axes[0];
    sac_array_group_sizes(group, &queries, &keys);
    *axes = asked ? options->axes : NULL;
    sac_status status = SAC_OK;
    if (!asked)
        status = sac_weights_map_axes_find(f, group, options, axes, error);
    bool maps = !asked && *axes;
    if (!*axes)
        *axes = choose_axes(f, group, options);
    for (size_t i = 0; i < group->count; i++) /* maps are read by views of them */
        sac_array_use_mark(f, group->layers[i].array);
    if (status == SAC_OK)
        status = sac_stored_weights_take(&f->stored, group, *axes, error);
    if (status == SAC_OK)
        status = sac_weights_beams_read(f, group, source, error);
    if (status != SAC_OK)
        return status;
    queries = f->stored.size[SAC_AXIS_Q];
    keys = f->stored.size[SAC_AXIS_K];
    if (maps)
        sac_source_add_note(source, SAC_NOTE_SHOWN,
                            "read as %zu map%s of %zu × %zu cells over a picture (--axes %s reads "
                            "queries × keys)",
                            queries, queries == 1 ? "" : "s", f->stored.map_w, f->stored.map_h,
                            sac_axes_of(&group->layers[0]));
    else if (!asked)
        note_axes(group, *axes, sac_weights_label_list_count(f, queries, keys), source);
    note_steps(group, queries, keys, source);
    f->stored.softmax = source->weights.opened.softmax = options->softmax;
    f->stored.allow_nan = source->weights.opened.allow_nan = options->allow_nan;
    source->weights.opened.padding = options->padding;
    status = decide_signedness(f, options, source, error);
    if (status != SAC_OK)
        return status;
    const size_t *size = f->stored.size;
    source->weights.layers = size[SAC_AXIS_L];
    source->weights.batch = size[SAC_AXIS_B];
    source->weights.heads = size[SAC_AXIS_H];
    source->weights.steps = size[SAC_AXIS_Q];
    source->weights.positions = size[SAC_AXIS_K];
    source->weights.tile = stored_tile;
    source->weights.pool = stored_pool;
    source->weights.explain = stored_explain;
    if (options->softmax || options->allow_nan || f->stored.pieces)
        source->weights.masked = stored_masked;
    snprintf(source->weights.made.dtype, sizeof source->weights.made.dtype, "%s%s",
             sac_dtype_name(f->stored.layers[0].array->dtype), options->softmax ? " scores" : "");
    return number_layers(f, group, source, error);
}

/* The map of the highest resolution, if all groups are maps of the same words over one picture, as
 * the blocks of a diffusion model have; otherwise SIZE_MAX. Self-attention of the picture is
 * skipped. */
static size_t find_finest(const sac_weights_file *f, const sac_array_groups *groups,
                          const sac_weights_file_options *options)
{
    size_t finest = SIZE_MAX, most = 0, least = SIZE_MAX, words = 0;
    for (size_t i = 0; i < groups->count; i++) {
        size_t queries, keys;
        sac_array_group_sizes(&groups->group[i], &queries, &keys);
        if (queries == keys)
            continue;
        if ((words && keys != words) || sac_square_side(queries) == 0)
            return SIZE_MAX;
        words = keys;
        least = queries < least ? queries : least;
        if (queries > most) {
            most = queries;
            finest = i;
        }
    }
    bool picture = options->image || sac_arrays_find(f->arrays, "image");
    if (!picture && !(words && sac_weights_label_list_count(f, words, words)))
        return SIZE_MAX;
    return most > least ? finest : SIZE_MAX;
}

/* The map of each word of a caption, among the heads that it is made of (cli_result_save); otherwise
 * SIZE_MAX. */
static size_t find_words_maps(const sac_weights_file *f, const sac_array_groups *groups)
{
    const sac_array *words = sac_arrays_find(f->arrays, "words");
    for (size_t i = 0; i < groups->count && words && words->dtype == SAC_TEXT; i++)
        if (strcmp(groups->group[i].name, "weights") == 0 &&
            groups->group[i].layers[0].array->rank == 3)
            return i;
    return SIZE_MAX;
}

static sac_status use_finest_map(sac_weights_file *f, const sac_array_groups *groups, size_t finest,
                                 const sac_weights_file_options *options, const char **axes,
                                 sac_source *source, sac_error *error)
{
    char list[300];
    sac_array_groups_text(groups, list, sizeof list);
    sac_source_add_note(source, SAC_NOTE_SHOWN,
                        "the %s of several maps is shown, %s; --take NAME shows another: %s",
                        sac_arrays_find(f->arrays, "words") ? "mean" : "finest",
                        groups->group[finest].name, list);
    for (size_t i = 0; i < groups->count; i++)
        for (size_t l = 0; l < groups->group[i].count && i != finest; l++)
            sac_array_use_mark(f, groups->group[i].layers[l].array); /* it is named already */
    return use_stored_weights(f, &groups->group[finest], options, axes, source, error);
}

static sac_status open_arrays(sac_weights_file *f, const sac_weights_file_options *options,
                              sac_source *source, sac_error *error)
{
    char taken[sizeof((sac_reading *)0)->take] = "";
    const char *axes = options->axes;
    sac_array_groups weights = {0}, queries = {0};
    sac_status status = find_groups(f, options->array, &weights, &queries, error);
    const sac_array_groups *groups = weights.count ? &weights : &queries;
    size_t finest =
        status == SAC_OK && weights.count > 1 ? find_finest(f, &weights, options) : SIZE_MAX;
    if (finest == SIZE_MAX && status == SAC_OK && weights.count > 1 && !options->ask)
        finest = find_words_maps(f, &weights);
    if (groups->count == 1 || finest != SIZE_MAX)
        snprintf(taken, sizeof taken, "%s", groups->group[finest == SIZE_MAX ? 0 : finest].name);
    if (status == SAC_OK && weights.count == 1)
        status = use_stored_weights(f, &weights.group[0], options, &axes, source, error);
    else if (status == SAC_OK && finest != SIZE_MAX)
        status = use_finest_map(f, &weights, finest, options, &axes, source, error);
    else if (status == SAC_OK && !weights.count && queries.count == 1)
        status = use_computed(f, &queries.group[0], options, source, error);
    else if (status == SAC_OK && !(options->ask && groups->count))
        status = refuse_unclear_choice(f, options, groups, error);
    sac_array_groups_free(&weights);
    sac_array_groups_free(&queries);
    if (status == SAC_OK)
        status = list_readings(f, taken[0] ? taken : NULL, axes, source, error);
    return status;
}

/* Finds labels, picture and padding by the sizes of the weights, and gives them to the source
 * without the padding. */
static sac_status add_labels_and_picture(sac_weights_file *f, sac_weights_file_options *options,
                                         sac_source *source, sac_error *error)
{
    char odd[300] = "";
    sac_status status = sac_weights_labels_read(f, options, source, error);
    if (status == SAC_OK)
        status = sac_error_within(error, sac_weights_beams_check(f, options, error), options->path);
    if (status == SAC_OK)
        status = sac_error_within(error, read_alignment(f, source, error), options->path);
    if (status == SAC_OK)
        status = sac_weights_picture_read(f, options, source, error);
    if (status == SAC_OK)
        status = sac_weights_padding_read(f, options, source, error);
    if (status == SAC_OK && f->stored.count)
        status = sac_error_within(
            error, sac_stored_weights_check(&f->stored, odd, sizeof odd, error), options->path);
    if (odd[0])
        sac_source_add_note(source, SAC_NOTE_SHOWN, "%s", odd);
    if (status == SAC_OK)
        status = sac_weights_labels_give(f, source, error);
    if (status == SAC_OK && source->weights.turned)
        transpose_weights(source);
    if (status == SAC_OK)
        status = sac_weights_picture_give(f, source, error);
    return status == SAC_OK ? note_unused(f, source, error) : status;
}

sac_status sac_weights_file_open(const sac_weights_file_options *asked, sac_source *source,
                                 sac_error *error)
{
    sac_weights_file_options with_file = *asked, *options = &with_file;
    *source = (sac_source){0};
    sac_weights_file *f = calloc(1, sizeof *f);
    if (!f)
        return sac_no_memory(error, options->path);
    source->self = f;
    source->destroy = destroy;
    sac_status status = sac_arrays_open(options->path, &f->arrays, error);
    if (status == SAC_OK)
        status = sac_weights_labels_load(f, options, error);
    if (status == SAC_OK) {
        f->uses = calloc(sac_arrays_size(f->arrays) + 1, sizeof *f->uses);
        status = f->uses ? open_arrays(f, options, source, error) : sac_no_memory(error, NULL);
        status = sac_error_within(error, status, options->path);
    }
    if (status == SAC_OK && source->weights.tile)
        status = add_labels_and_picture(f, options, source, error);
    /* Sets the title, and the options that open the same source again. */
    const char *slash = strrchr(options->path, '/');
    snprintf(source->title, sizeof source->title, "%s", slash ? slash + 1 : options->path);
    find_absolute(options->path, source->origin.file, sizeof source->origin.file);
    find_absolute(options->labels, source->weights.opened.labels_file,
                  sizeof source->weights.opened.labels_file);
    find_absolute(options->image, source->weights.opened.image_file,
                  sizeof source->weights.opened.image_file);
    snprintf(source->weights.opened.array, sizeof source->weights.opened.array, "%s",
             options->array ? options->array : "");
    snprintf(source->weights.opened.axes, sizeof source->weights.opened.axes, "%s",
             options->axes ? options->axes : "");
    if (status == SAC_OK)
        status = sac_origin_hash(options->path, source->origin.hash, error);
    if (status != SAC_OK)
        sac_source_destroy(source);
    return status;
}
