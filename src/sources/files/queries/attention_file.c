/* One attention read out of a file, by the names of its arrays. */

#include "sources/files/queries/attention_file_parts.h"

#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "attention/spec/resolve.h"
#include "base/error.h"
#include "saccade_arrays.h"

typedef sac_file_finder reading;

/* ---------------------------------------------------------------- masks */

enum { BLOCKS, KEEPS, PADDING, BIAS, SLOPES, PARTS };

/* Finds the masks and biases of the file by their names. */
static void find_masks(const reading *r, sac_mask_part parts[PARTS])
{
    static const struct {
        sac_names names;
        sac_mask_kind kind;
    } masks[PARTS] = {
        [BLOCKS] = {SAC_NAMES_BLOCKING_MASK, SAC_MASK_BLOCKS},
        [KEEPS] = {SAC_NAMES_KEEPING_MASK, SAC_MASK_KEEPS},
        [PADDING] = {SAC_NAMES_PADDING_MASK, SAC_MASK_PADS},
        [BIAS] = {SAC_NAMES_BIAS, SAC_MASK_ADDS},
        [SLOPES] = {SAC_NAMES_SLOPES, SAC_MASK_SLOPES},
    };
    for (int i = 0; i < PARTS; i++) {
        parts[i] = (sac_mask_part){.kind = masks[i].kind};
        parts[i].array = sac_file_find_any(r, masks[i].names, &parts[i].name);
    }
}

static void add_mask_name(sac_attention_file *file, const char *name)
{
    size_t used = strlen(file->masks);
    snprintf(file->masks + used, sizeof file->masks - used, "%s%s", used ? ", " : "", name);
}

/* If the numbers of queries and keys differ, the name has the corner at which the mask is aligned. */
static const char *causal_name(const sac_attention_file *file)
{
    const sac_array *query = file->input.query, *key = file->input.key;
    if (!query || !key || query->rank < 2 || key->rank < 2)
        return "causal"; /* which is refused later */
    size_t queries = query->shape[query->rank - 2], keys = key->shape[key->rank - 2];
    if (queries == keys)
        return "causal";
    return sac_attention_offset(&file->spec, queries, keys) ? "causal (bottom-right)"
                                                            : "causal (top-left)";
}

static bool is_boolean(const sac_array *array)
{
    return array->dtype == SAC_BOOL || array->dtype == SAC_U8;
}

/* A mask that the attention accepts is passed on as it is, so that the attention checks it and
 * reports its errors. Others are merged into one mask. */
static sac_status merge_masks(const sac_mask_part found[PARTS], sac_attention_file *file,
                              sac_error *error)
{
    sac_mask_part parts[PARTS];
    sac_attention_input *input = &file->input;
    const sac_array *mask = found[BLOCKS].array, *padding = found[PADDING].array;
    memcpy(parts, found, sizeof parts);
    if (padding && is_boolean(padding) && padding->rank == 2) {
        input->key_padding_mask = padding;
        parts[PADDING].array = NULL;
    }
    bool more =
        parts[KEEPS].array || parts[PADDING].array || parts[BIAS].array || parts[SLOPES].array;
    if (!more && (!mask || mask->rank != 3)) {
        input->attn_mask = mask;
        return SAC_OK;
    }
    sac_array *own = &file->own[SAC_OWN_MASK];
    sac_status status = sac_attention_check_sizes(&file->spec, input, &file->shape, error);
    if (status == SAC_OK)
        status = sac_masks_merge(
            parts, PARTS, &file->shape,
            sac_attention_offset(&file->spec, file->shape.queries, file->shape.keys), own, error);
    if (status == SAC_OK)
        input->attn_mask = own;
    return status;
}

/* ---------------------------------------------------------------- all of it */

/* Replaces the names of the attention's inputs in an error by those in the file: the attention
 * reports `attn_mask` for a bias, and `query` for q. */
static void use_file_names_in_error(const reading *r, const sac_attention_file *file,
                                    sac_error *error)
{
    if (!error)
        return;
    if (strcmp(error->where, "attn_mask") == 0 && file->own[SAC_OWN_MASK].rank)
        snprintf(error->where, sizeof error->where, "%s", file->masks);
    else if (strcmp(error->where, "query") == 0)
        snprintf(error->where, sizeof error->where, "%s", r->request->query);
}

/* Reads queries, keys and values in one order of their axes, then masks, settings and layers. */
static sac_status read_with_axes_order(const reading *r, const sac_file_vectors *vectors,
                                       const char *order, sac_attention_file *file,
                                       sac_error *error)
{
    sac_mask_part masks[PARTS];
    *file = (sac_attention_file){.spec = r->request->spec};
    find_masks(r, masks);
    sac_status status = sac_file_settings_read(r, file, error);
    if (status == SAC_OK)
        status = sac_file_parameters_read(r, file, error);
    if (status == SAC_OK)
        status = sac_file_vectors_take(vectors, order, file, error);
    if (r->request->extent == SAC_EXTENT_WEIGHTS)
        file->input.value = NULL;
    char window[40];
    if (file->spec.causal)
        add_mask_name(file, causal_name(file));
    if (masks[PADDING].array)
        add_mask_name(file, "key padding");
    for (int i = 0; i < PARTS; i++)
        if (masks[i].array && i != PADDING)
            add_mask_name(file, masks[i].name);
    snprintf(window, sizeof window, "window %zu", file->spec.window);
    if (file->spec.window)
        add_mask_name(file, window);
    if (status == SAC_OK)
        status = merge_masks(masks, file, error);
    if (status == SAC_OK)
        status = sac_attention_check_sizes(&file->spec, &file->input, &file->shape, error);
    if (status == SAC_OK) {
        /* Notes which masks may have been meant in another way. */
        size_t batch = file->shape.batch, heads = file->shape.heads;
        for (int i = 0; i < PARTS; i++) {
            const sac_array *array = masks[i].array;
            bool blocks = i == BLOCKS || i == PADDING;
            if (blocks && sac_mask_looks_boolean(array))
                sac_file_note(
                    file,
                    "%s holds floats of 0 and 1 and is added to the score, as PyTorch does; "
                    "give bool to block",
                    masks[i].name);
            if (i == BLOCKS && sac_mask_blocks_a_row(array))
                sac_file_note(file,
                              "%s blocks all keys of a row; where true keeps, as in "
                              "scaled_dot_product_attention, call it attention_mask",
                              masks[i].name);
            if (array && array->rank == 3 && array->shape[0] == batch && batch == heads &&
                batch > 1)
                sac_file_note(file, "%s is read as one for each %s", masks[i].name,
                              i == BIAS || i == SLOPES || (i == BLOCKS && !is_boolean(array))
                                  ? "head"
                                  : "item");
        }
        /* Projections and packed arrays belong to a module, which usually has several heads. */
        bool is_module = vectors->packing != SAC_PACK_NONE || file->input.q_proj_weight;
        if (is_module && !strchr(file->axes, 'H') && !file->spec.heads)
            sac_file_note(file, "read as one head; --heads sets their number");
        return SAC_OK;
    }
    use_file_names_in_error(r, file, error);
    sac_attention_file_free(file);
    return status;
}

/* True if both orders give the same numbers: items of one head each, or heads of one item. */
static bool is_same_order(const char *a, const char *b)
{
    sac_vector_axes plain[2];
    for (int i = 0; i < 2; i++) {
        snprintf(plain[i], sizeof plain[i], "%s", i ? b : a);
        char *head = strchr(plain[i], 'H');
        if (head && !strchr(plain[i], 'B'))
            *head = 'B';
    }
    return strcmp(plain[0], plain[1]) == 0;
}

/* True if an order that fits as well as the chosen one gives another result. Beside the default
 * order only those count that have another axis packed. */
static bool is_competing_order(const sac_file_vectors *vectors, int chosen, int other)
{
    const char *first = vectors->order[chosen], *second = vectors->order[other];
    if (is_same_order(first, second))
        return false;
    return vectors->asked || chosen > 0 ||
           sac_vector_axes_packed_index(first) != sac_vector_axes_packed_index(second);
}

/* The first order from `first` on that fits; otherwise `count`. */
static int find_fitting_order(const reading *r, const sac_file_vectors *vectors, int first,
                              int chosen, sac_attention_file *file)
{
    for (int i = first; i < vectors->count; i++)
        if ((chosen < 0 || is_competing_order(vectors, chosen, i)) &&
            read_with_axes_order(r, vectors, vectors->order[i], file, NULL) == SAC_OK)
            return i;
    return vectors->count;
}

/* Reads in the default order, or in the only other one that fits, which is noted. */
static sac_status read_with_any_axes_order(const reading *r, const sac_file_vectors *vectors,
                                           sac_attention_file *file, sac_error *error)
{
    sac_attention_file other;
    char text[24], second_text[24];
    const char *usual = vectors->count ? vectors->order[0] : "";
    sac_status status = read_with_axes_order(r, vectors, usual, file, error);
    int chosen = 0;
    if (status != SAC_OK)
        chosen = find_fitting_order(r, vectors, 1, -1, file);
    if (chosen >= vectors->count) /* none fits, or there is none */
        return status;
    int second = find_fitting_order(r, vectors, chosen + 1, chosen, &other);
    if (second < vectors->count) {
        sac_attention_file_free(&other);
        sac_attention_file_free(file);
        return sac_fail(
            error, SAC_E_SHAPE, r->request->query, "give --axes", "its arrays fit as %s and as %s",
            sac_vector_axes_text(vectors->order[chosen], text, sizeof text),
            sac_vector_axes_text(vectors->order[second], second_text, sizeof second_text));
    }
    if (chosen > 0 && !vectors->asked)
        sac_file_note(file, "read as %s, which alone fits; --axes %s removes this note",
                      sac_vector_axes_text(file->axes, text, sizeof text), file->axes);
    int likelier = chosen ? -1 : sac_file_vectors_likelier(vectors, chosen);
    if (likelier >= 0 &&
        read_with_axes_order(r, vectors, vectors->order[likelier], &other, NULL) == SAC_OK) {
        sac_attention_file_free(&other);
        sac_file_vectors_note_doubt(vectors, chosen, likelier, file);
    }
    return SAC_OK;
}

/* Notes how queries are aligned to keys, if their numbers differ and a mask depends on it. */
static void note_alignment(sac_attention_file *file)
{
    size_t queries = file->shape.queries, keys = file->shape.keys;
    bool is_last = sac_attention_offset(&file->spec, queries, keys) != 0;
    const char *place =
        is_last ? "the last query is at the last key" : "the first query is at the first key";
    if (queries != keys && file->spec.causal)
        sac_file_note(file, "%s: %s; --causal %s", causal_name(file), place,
                      is_last ? "top-left begins at the first" : "bottom-right ends at the last");
    else if (queries != keys && file->spec.window)
        sac_file_note(file, "window: %s", place);
}

sac_status sac_attention_file_read(const sac_arrays *arrays, const sac_attention_request *request,
                                   sac_attention_file *file, sac_error *error)
{
    sac_file_vectors vectors;
    sac_error wrong = {0};
    bool *used = calloc(sac_arrays_size(arrays) + 1, sizeof *used);
    reading r = sac_file_finder_begin(arrays, request, used);
    const char *unread = sac_query_unread(arrays, request->query);
    r.unread = &unread;
    *file = (sac_attention_file){0};
    sac_status status = used ? sac_file_vectors_find(&r, &vectors, &wrong)
                             : sac_fail(&wrong, SAC_E_MEMORY, NULL, NULL, "out of memory");
    if (status == SAC_OK)
        status = read_with_any_axes_order(&r, &vectors, file, &wrong);
    if (status == SAC_OK && !request->values_later) {
        status = sac_attention_check_values(&file->spec, &file->input, &wrong);
        if (status != SAC_OK)
            use_file_names_in_error(&r, file, &wrong);
    }
    /* Refuses what would change the numbers and is not supported. */
    if (status == SAC_OK)
        status = sac_file_unsupported_check(&r, file, &wrong);
    if (status == SAC_OK)
        status = sac_file_unknown_check(&r, file, used, &wrong);
    if (unread)
        status = sac_fail(&wrong, SAC_E_FORMAT, unread, NULL, "%s",
                          sac_arrays_unread_reason(arrays, unread));
    file->used = used;
    if (status == SAC_OK) {
        note_alignment(file);
        return SAC_OK;
    }
    sac_attention_file_free(file);
    if (error)
        *error = wrong;
    return status;
}

void sac_attention_file_mark(const sac_arrays *arrays, const sac_attention_request *request,
                             bool *used)
{
    sac_mask_part masks[PARTS];
    sac_file_vectors vectors;
    sac_attention_file file = {.spec = request->spec};
    reading r = sac_file_finder_begin(arrays, request, used);
    sac_file_vectors_find(&r, &vectors, NULL);
    sac_file_settings_read(&r, &file, NULL);
    sac_file_parameters_read(&r, &file, NULL);
    find_masks(&r, masks);
    sac_file_unsupported_check(&r, &file, NULL);
}

void sac_attention_file_free(sac_attention_file *file)
{
    for (int i = 0; i < SAC_OWN_ARRAYS; i++)
        sac_array_free(&file->own[i]);
    free(file->used);
    *file = (sac_attention_file){0};
}
