/* Finds padding: rows and columns of an item that are not tokens. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "saccade_arrays.h"
#include "sources/files/weights/weights_file_parts.h"

/* Whose tokens a mask is for: those of the keys of cross attention, and of an encoder; those of
 * its queries, and of a decoder; or of either. */
typedef enum whose { OF_SOURCE, OF_TARGET, OF_EITHER } whose;

typedef struct mask_name {
    const char *name;
    whose whose;
    bool hides; /* true means padding; else true means a token */
} mask_name;

static const mask_name mask_names[] = {
    {"encoder_attention_mask", OF_SOURCE, false}, {"memory_key_padding_mask", OF_SOURCE, true},
    {"src_key_padding_mask", OF_SOURCE, true},    {"decoder_attention_mask", OF_TARGET, false},
    {"tgt_key_padding_mask", OF_TARGET, true},    {"attention_mask", OF_EITHER, false},
    {"key_padding_mask", OF_EITHER, true},        {"input_mask", OF_EITHER, false},
};
enum { MASKS = sizeof mask_names / sizeof *mask_names };

/* A mask that fits: its values for the keys, [lists,each], 1 where that is a token. */
typedef struct padding {
    const sac_array *array;
    const char *name;
    uint8_t *keeps;
    size_t lists, each;
} padding;

/* Reads zeros and ones, or numbers that are added to scores and are large and negative for padding.
 */
static sac_status read_mask(const mask_name *mask, padding *p, sac_error *error)
{
    size_t count = sac_array_count(p->array);
    float *numbers = malloc(count * sizeof *numbers);
    p->keeps = malloc(count);
    sac_status status = numbers && p->keeps ? sac_array_to_f32(p->array, numbers, error)
                                            : sac_no_memory(error, mask->name);
    bool added = false;
    for (size_t i = 0; i < count && status == SAC_OK; i++)
        added |= numbers[i] < 0;
    for (size_t i = 0; i < count && status == SAC_OK; i++)
        p->keeps[i] = added ? numbers[i] > -0.5f : (numbers[i] != 0) != mask->hides;
    free(numbers);
    return status;
}

/* The mask of `count` tokens of that kind. Steps of a generation follow a prompt that may be
 * padded: tokens beyond the mask are no padding. */
static sac_status find_mask(sac_weights_file *f, whose tokens, size_t count, size_t items,
                            padding *p, sac_error *error)
{
    for (int i = 0; i < MASKS && !p->array; i++) {
        const mask_name *mask = &mask_names[i];
        const sac_array *array = sac_arrays_find(f->arrays, mask->name);
        bool is_named = mask->whose == OF_EITHER || tokens == OF_EITHER || mask->whose == tokens;
        if (!is_named || !array || array->dtype == SAC_TEXT || array->rank < 1 ||
            !sac_array_count(array))
            continue;
        size_t each = array->shape[array->rank - 1], lists = sac_array_count(array) / each;
        bool fits = each == count || (f->stored.pieces && each < count);
        if (!fits)
            sac_array_use_explain(f, array, "it has %zu tokens, not %zu", each, count);
        else if (!sac_weights_lists_fit(f, lists, items))
            sac_array_use_explain(f, array, "it is of %zu items or queries, not of %zu", lists,
                                  items);
        else
            *p = (padding){array, mask->name, NULL, lists, each};
        if (p->array) {
            sac_array_use_mark(f, array);
            return read_mask(mask, p, error);
        }
    }
    return SAC_OK;
}

/* Cells ascend. */
static bool is_cell(const sac_weights_file *f, size_t item, size_t key)
{
    if (!f->cells)
        return false;
    const size_t *cells = f->cells + (f->cell_lists > 1 ? item * f->cell_count : 0);
    size_t low = 0, high = f->cell_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cells[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->cell_count && cells[low] == key;
}

/* The places of an item before its `end` that are kept; NULL: all of `count` are, or none is. Cells of
 * a picture are no padding. */
static sac_status list_kept(const sac_weights_file *f, const padding *p, size_t items, size_t item,
                            size_t end, size_t count, bool has_cells, size_t **places, size_t *kept,
                            sac_error *error)
{
    const uint8_t *keeps =
        p->keeps ? p->keeps + sac_weights_list_of_item(p->lists, items, item) * p->each : NULL;
    *kept = 0;
    *places = malloc(count * sizeof **places);
    if (!*places)
        return sac_no_memory(error, p->name);
    for (size_t i = 0; i < end; i++)
        if (!keeps || i >= p->each || keeps[i] || (has_cells && is_cell(f, item, i)))
            (*places)[(*kept)++] = i;
    for (; *kept == 0 && *kept < end; ++*kept) /* a mask of nothing has no use */
        (*places)[*kept] = *kept;
    if (*kept == count) {
        free(*places);
        *places = NULL;
    }
    return SAC_OK;
}

/* Where an item's rows and keys end: behind the last step of its sequence. */
static void find_ends(const sac_weights_file *f, const sac_source *source, size_t item,
                      size_t *rows, size_t *keys)
{
    const sac_stored_weights *stored = &f->stored;
    *rows = source->weights.steps;
    *keys = source->weights.positions;
    if (!f->sequence_steps || !stored->pieces)
        return;
    const sac_array *first = stored->pieces[0].array,
                    *last = stored->pieces[stored->piece_count - 1].array;
    bool own = first->shape[first->rank - 1] != last->shape[last->rank - 1] || *keys == *rows;
    size_t end = stored->piece_rows[f->sequence_steps[item]];
    if (own && !strcasestr(stored->layers[0].name, "cross"))
        *keys -= *rows - end;
    *rows = end;
}

static sac_status hide_padding(sac_weights_file *f, const padding *keys, const padding *queries,
                               sac_source *source, sac_error *error)
{
    size_t least = SIZE_MAX, most = 0;
    sac_stored_weights *stored = &f->stored;
    f->kept = calloc(source->weights.batch, sizeof *f->kept);
    f->kept_count = source->weights.batch;
    stored->whole = malloc(source->weights.positions * sizeof *stored->whole);
    if (!f->kept || !stored->whole)
        return sac_no_memory(error, keys->name);
    sac_status status = SAC_OK;
    bool any = false;
    for (size_t b = 0; b < source->weights.batch && status == SAC_OK; b++) {
        sac_kept *kept = &f->kept[b];
        size_t rows, columns;
        find_ends(f, source, b, &rows, &columns);
        status = list_kept(f, keys, source->weights.batch, b, columns, source->weights.positions,
                           !source->weights.turned, &kept->columns, &kept->column_count, error);
        if (status == SAC_OK)
            status = list_kept(f, queries, source->weights.batch, b, rows, source->weights.steps,
                               source->weights.turned || queries == keys, &kept->rows,
                               &kept->row_count, error);
        size_t hidden = keys->keeps ? columns - kept->column_count : rows - kept->row_count;
        least = hidden < least ? hidden : least;
        most = hidden > most ? hidden : most;
        any |= kept->columns || kept->rows;
    }
    if (most) {
        /* Of `count` tokens, how many are padding in the item that has least of it and most. */
        char many[48];
        if (least == most)
            snprintf(many, sizeof many, "%zu", most);
        else
            snprintf(many, sizeof many, "%zu to %zu", least, most);
        sac_source_add_note(
            source, SAC_NOTE_SHOWN, "padding is left out, %s of %zu %s by %s: --padding shows it",
            many, keys->keeps ? source->weights.positions : source->weights.steps,
            queries->keeps ? "tokens" : "keys", (keys->keeps ? keys : queries)->name);
    }
    if (!any) {
        free(f->kept);
        f->kept = NULL;
    }
    stored->kept = f->computed.kept = f->kept;
    return status;
}

sac_status sac_weights_padding_read(sac_weights_file *f, const sac_weights_file_options *options,
                                    sac_source *source, sac_error *error)
{
    padding keys = {0}, queries = {0};
    const char *taken = f->stored.count ? f->stored.layers[0].name : f->computed.layers[0].name;
    bool encodes = strcasestr(taken, "encoder"), decodes = strcasestr(taken, "decoder");
    bool square = source->weights.steps == source->weights.positions, one = encodes != decodes;
    whose of_keys = !square                              ? OF_SOURCE
                    : !one || strcasestr(taken, "cross") ? OF_EITHER
                    : encodes                            ? OF_SOURCE
                                                         : OF_TARGET;
    sac_status status = SAC_OK;
    if (f->stored.count || f->computed.masks[0])
        status =
            find_mask(f, of_keys, source->weights.positions, source->weights.batch, &keys, error);
    if (status == SAC_OK && !square)
        status =
            find_mask(f, OF_TARGET, source->weights.steps, source->weights.batch, &queries, error);
    uint8_t *masks[] = {keys.keeps, queries.keeps};
    if (options->padding)
        keys.keeps = queries.keeps = NULL;
    if (status == SAC_OK && (keys.keeps || queries.keeps || f->sequence_steps))
        status = hide_padding(f, &keys, square ? &keys : &queries, source, error);
    free(masks[0]);
    free(masks[1]);
    return sac_error_within(error, status, options->path);
}
