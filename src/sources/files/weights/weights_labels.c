/* Labels of the rows and columns of weights: which arrays of the file hold them, and whose. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "saccade_arrays.h"
#include "sources/files/names.h"
#include "sources/files/weights/weights_file_parts.h"

/* ---------------------------------------------------------------- arrays that may be labels */

/* Whole numbers are labels where the name is one of tokens, and not what kind, or where,
 * or whose these are. */
static bool may_be_ids(const char *name)
{
    return sac_name_ends(SAC_NAMES_IDS_END, name) || sac_name_is(SAC_NAMES_IDS, name);
}

static bool may_be_labels(const char *name, const sac_array *array)
{
    return array->rank > 0 && sac_array_count(array) > 0 &&
           (array->dtype == SAC_TEXT || (sac_label_lists_accept_dtype(array) && may_be_ids(name)));
}

static size_t labels_per_list(const sac_array *array)
{
    return array->shape[array->rank - 1];
}

static size_t label_list_count(const sac_array *array)
{
    return sac_array_count(array) / labels_per_list(array);
}

/* The last token that a model generated has no row: it was not read again. */
static bool fits_count(const sac_weights_file *f, size_t labels, size_t count)
{
    bool generated = f->stored.pieces || f->stored.beams;
    return labels == count || (generated && labels == count + 1);
}

size_t sac_weights_label_list_count(const sac_weights_file *f, size_t queries, size_t keys)
{
    size_t most = f->given_rows.count;
    for (size_t i = 0; i < sac_arrays_size(f->arrays); i++) {
        const sac_array *array = sac_arrays_at(f->arrays, i);
        const char *name = sac_arrays_name(f->arrays, i);
        bool describes =
            array->rank > 0 && sac_array_count(array) > 0 &&
            (may_be_labels(name, array) || (array->rank == 2 && strstr(name, "attention_mask")));
        if (describes && (labels_per_list(array) == queries || labels_per_list(array) == keys) &&
            label_list_count(array) > most)
            most = label_list_count(array);
    }
    return most;
}

/* ---------------------------------------------------------------- one side */

/* What is looked for: labels of `count` rows or columns. */
typedef struct side {
    sac_weights_file *f;
    size_t count, items;
    sac_label_lists *lists;
    const char *from; /* the array that they were taken of; NULL: none yet */
} side;

static sac_status try_array_as_labels(side *s, const char *name, bool ids, sac_error *error)
{
    const sac_array *array = sac_arrays_find(s->f->arrays, name);
    if (s->from || !array || !may_be_labels(name, array) || (array->dtype != SAC_TEXT) != ids)
        return SAC_OK;
    bool fits = fits_count(s->f, labels_per_list(array), s->count) &&
                sac_weights_lists_fit(s->f, label_list_count(array), s->items);
    if (!fits)
        return SAC_OK;
    s->from = name;
    sac_array_use_mark(s->f, array);
    return sac_error_within(error, sac_label_lists_from_array(array, s->lists, error), name);
}

static sac_status try_names_as_labels(side *s, const char *const names[], size_t most, bool ids,
                                      sac_error *error)
{
    sac_status status = SAC_OK;
    for (size_t i = 0; i < most && names[i] && status == SAC_OK; i++)
        status = try_array_as_labels(s, names[i], ids, error);
    return status;
}

/* Labels of the one attention that was taken, "encoder_row_labels", come before those of all; and
 * both sides of an encoder's own attention are the source's, of a decoder's the target's. */
static sac_status find_side_labels(side *s, bool of_rows, const char *taken, sac_error *error)
{
    enum { OWN = 2 }; /* names that are of this side whatever the attention is */
    const char *const *own = of_rows ? sac_row_label_names : sac_column_label_names;
    bool encodes = strcasestr(taken, "encoder"), decodes = strcasestr(taken, "decoder");
    bool one = encodes != decodes && !strcasestr(taken, "cross");
    const char *const *first = !one ? own : encodes ? sac_column_label_names : sac_row_label_names;
    char name[160];
    snprintf(name, sizeof name, "%.120s_%s_labels", taken, of_rows ? "row" : "column");
    sac_status status = try_array_as_labels(s, name, false, error);
    for (int ids = 0; ids < 2 && status == SAC_OK; ids++) {
        status = try_names_as_labels(s, own, OWN, ids, error);
        if (status == SAC_OK)
            status = try_names_as_labels(s, first, SIZE_MAX, ids, error);
        if (status == SAC_OK)
            status = try_names_as_labels(s, own, SIZE_MAX, ids, error);
        if (status == SAC_OK && !ids) {
            /* Text under any name of tokens, words or labels. */
            for (size_t i = 0; i < sac_arrays_size(s->f->arrays) && status == SAC_OK; i++)
                if (sac_name_ends(SAC_NAMES_TEXTS_END, sac_arrays_name(s->f->arrays, i)))
                    status = try_array_as_labels(s, sac_arrays_name(s->f->arrays, i), false, error);
        }
    }
    return status;
}

/* ---------------------------------------------------------------- why others are not used */

static void explain_unused(sac_weights_file *f, const sac_weights_file_options *options,
                           const sac_source *source)
{
    for (size_t i = 0; i < sac_arrays_size(f->arrays); i++) {
        const sac_array *array = sac_arrays_at(f->arrays, i);
        if (f->uses[i].used || !may_be_labels(sac_arrays_name(f->arrays, i), array))
            continue;
        size_t each = labels_per_list(array), lists = label_list_count(array);
        bool fits = fits_count(f, each, source->weights.steps) ||
                    fits_count(f, each, source->weights.positions);
        if (options->labels)
            sac_array_use_explain(f, array, "--labels is given");
        else if (fits && !sac_weights_lists_fit(f, lists, source->weights.batch))
            sac_array_use_explain(f, array, "labels of %zu items for %zu", lists,
                                  source->weights.batch);
        else if (fits)
            sac_array_use_explain(f, array, "other labels come before them");
        else if (source->weights.steps == source->weights.positions)
            sac_array_use_explain(f, array, "%zu label%s for %zu rows and columns", each,
                                  each == 1 ? "" : "s", source->weights.steps);
        else
            sac_array_use_explain(f, array, "%zu label%s for %zu rows and %zu columns", each,
                                  each == 1 ? "" : "s", source->weights.steps,
                                  source->weights.positions);
    }
}

/* ---------------------------------------------------------------- a file of labels */

sac_status sac_weights_labels_load(sac_weights_file *f, const sac_weights_file_options *options,
                                   sac_error *error)
{
    return options->labels
               ? sac_labels_load(options->labels, &f->given_rows, &f->given_columns, error)
               : SAC_OK;
}

static bool lists_fit(const sac_weights_file *f, const sac_label_lists *lists, size_t count,
                      size_t items)
{
    bool fits = sac_weights_lists_fit(f, lists->count, items);
    for (size_t i = 0; i < lists->count; i++)
        fits = fits && fits_count(f, lists->list[i].count, count);
    return fits && lists->count > 0;
}

static sac_status use_given_labels(sac_weights_file *f, const char *path, const sac_source *source,
                                   sac_error *error)
{
    sac_label_lists *rows = &f->given_rows, *columns = &f->given_columns;
    bool row_fits = lists_fit(f, rows, source->weights.steps, source->weights.batch);
    bool column_fits = lists_fit(f, columns, source->weights.positions, source->weights.batch);
    size_t given = rows->count ? rows->list[0].count : 0, lists = rows->count;
    if (row_fits) {
        f->rows = *rows;
        *rows = (sac_label_lists){0};
    }
    if (column_fits) {
        f->columns = *columns;
        *columns = (sac_label_lists){0};
    }
    if (row_fits || column_fits)
        return SAC_OK;
    if (lists > 1)
        return sac_fail(error, SAC_E_SHAPE, path, "give one label a row or one a column",
                        "%zu lists of labels, the first of %zu, do not fit %zu × %zu weights of "
                        "%zu items",
                        lists, given, source->weights.steps, source->weights.positions,
                        source->weights.batch);
    return sac_fail(error, SAC_E_SHAPE, path, "give one label a row or one a column",
                    "%zu labels do not fit %zu × %zu weights", given, source->weights.steps,
                    source->weights.positions);
}

/* ---------------------------------------------------------------- both sides */

static sac_status copy_lists(const sac_label_lists *from, sac_label_lists *to, sac_error *error)
{
    to->list = calloc(from->count, sizeof *to->list);
    if (!to->list)
        return sac_no_memory(error, "labels");
    to->count = from->count;
    sac_status status = SAC_OK;
    for (size_t i = 0; i < from->count && status == SAC_OK; i++)
        status = sac_labels_copy(&from->list[i], &to->list[i], error);
    return status;
}

/* A square map is of one sentence with itself, as an encoder's, which has the source's tokens. */
static sac_status copy_labels_to_other_side(sac_weights_file *f, const sac_source *source,
                                            sac_error *error)
{
    sac_label_lists *rows = &f->rows, *columns = &f->columns;
    if (f->stored.map_w || source->weights.steps != source->weights.positions ||
        !rows->count == !columns->count)
        return SAC_OK;
    return rows->count ? copy_lists(rows, columns, error) : copy_lists(columns, rows, error);
}

static sac_status make_readable(sac_label_lists *lists, sac_error *error)
{
    sac_status status = SAC_OK;
    for (size_t i = 0; i < lists->count && status == SAC_OK; i++)
        status = sac_labels_make_readable(&lists->list[i], false, error);
    return status;
}

sac_status sac_weights_labels_read(sac_weights_file *f, const sac_weights_file_options *options,
                                   sac_source *source, sac_error *error)
{
    const char *taken = f->stored.count ? f->stored.layers[0].name : "";
    side rows = {f, source->weights.steps, source->weights.batch, &f->rows, NULL};
    side columns = {f, source->weights.positions, source->weights.batch, &f->columns, NULL};
    sac_status status;
    if (options->labels) {
        status = use_given_labels(f, options->labels, source, error);
    } else {
        status = find_side_labels(&rows, true, taken, error);
        if (status == SAC_OK && !f->stored.map_w) /* cells have no words */
            status = find_side_labels(&columns, false, taken, error);
        status = sac_error_within(error, status, options->path);
    }
    const char *from = rows.from ? rows.from : columns.from;
    const sac_array *array = from ? sac_arrays_find(f->arrays, from) : NULL;
    if (array && array->dtype != SAC_TEXT)
        sac_source_add_note(source, SAC_NOTE_SHOWN, "labels are the ids of tokens, from %.60s",
                            from);
    if (status == SAC_OK)
        status = copy_labels_to_other_side(f, source, error);
    if (status == SAC_OK)
        status = make_readable(&f->rows, error);
    if (status == SAC_OK)
        status = make_readable(&f->columns, error);
    if (status == SAC_OK)
        explain_unused(f, options, source);
    return status;
}

/* ---------------------------------------------------------------- what the source gets */

/* The labels of an item at the places that are kept, or of the first `count`. */
static sac_status pick_item_labels(const sac_label_lists *lists, size_t items, size_t item,
                                   const size_t *kept, size_t count, sac_labels *labels,
                                   sac_error *error)
{
    if (!lists->count)
        return SAC_OK;
    const sac_labels *from = &lists->list[sac_weights_list_of_item(lists->count, items, item)];
    char **texts = calloc(count ? count : 1, sizeof *texts);
    if (!texts)
        return sac_no_memory(error, "labels");
    for (size_t i = 0; i < count; i++)
        texts[i] = from->text[kept ? kept[i] : i];
    sac_status status = sac_labels_copy(&(sac_labels){count, texts}, labels, error);
    free(texts);
    return status;
}

sac_status sac_weights_labels_give(sac_weights_file *f, sac_source *source, sac_error *error)
{
    const sac_kept *kept = f->kept;
    const size_t batch = source->weights.batch;
    sac_status status;
    if (!kept && f->rows.count <= 1 && f->columns.count <= 1 && f->cell_lists <= 1) {
        status = pick_item_labels(&f->rows, batch, 0, NULL, source->weights.steps,
                                  &source->weights.step_labels, error);
        return status == SAC_OK
                   ? pick_item_labels(&f->columns, batch, 0, NULL, source->weights.positions,
                                      &source->weights.position_labels, error)
                   : status;
    }
    size_t steps = source->weights.steps, positions = source->weights.positions;
    source->weights.items = calloc(source->weights.batch, sizeof *source->weights.items);
    if (!source->weights.items)
        return sac_fail(error, SAC_E_MEMORY, "labels", NULL, "out of memory for %zu items",
                        source->weights.batch);
    source->weights.steps = source->weights.positions = 0;
    status = SAC_OK;
    for (size_t b = 0; b < source->weights.batch && status == SAC_OK; b++) {
        sac_source_item *item = &source->weights.items[b];
        const size_t *rows = kept ? kept[b].rows : NULL, *columns = kept ? kept[b].columns : NULL;
        item->steps = rows ? kept[b].row_count : steps;
        item->positions = columns ? kept[b].column_count : positions;
        source->weights.steps =
            item->steps > source->weights.steps ? item->steps : source->weights.steps;
        source->weights.positions = item->positions > source->weights.positions
                                        ? item->positions
                                        : source->weights.positions;
        status = pick_item_labels(&f->rows, batch, b, rows, item->steps, &item->step_labels, error);
        if (status == SAC_OK)
            status = pick_item_labels(&f->columns, batch, b, columns, item->positions,
                                      &item->position_labels, error);
    }
    return status;
}
