/* The arrays of a file that hold attention weights, and the meaning of their axes. */
#include <ctype.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "base/checked.h"
#include "base/error.h"
#include "saccade_arrays.h"
#include "sources/files/names.h"
#include "sources/files/weights/stored_weights.h"
#include "sources/files/weights/weights_file_parts.h"

const char *const sac_axes_by_rank[SAC_AXES + 1] = {"", "K", "QK", "HQK", "BHQK", "LBHQK"};

static bool is_named_by_attention_kind(const sac_named_array *named)
{
    bool is_one = false;
    for (int i = 0; i < SAC_HEAD_KINDS; i++)
        is_one = is_one || strcmp(named->name, sac_attention_kind_names[i]) == 0;
    return is_one && named->array->rank == 4;
}

const char *sac_axes_of(const sac_named_array *named)
{
    return is_named_by_attention_kind(named) ? "LHQK" : sac_axes_by_rank[named->array->rank];
}

static bool can_hold_weights(const sac_array *array)
{
    return array->dtype != SAC_TEXT && array->rank >= 1 && array->rank <= SAC_AXES &&
           sac_array_count(array) > 0;
}

/* Bytes of colours: what is a picture by its shape is no attention unless it is named so. */
static bool is_picture(const sac_array *array)
{
    size_t last = array->rank == 3 ? array->shape[2] : 0;
    return array->dtype == SAC_U8 && (last == 3 || last == 4);
}

/* True where a text array has a word for each number of the vector. */
static bool has_word_for_each_number(const sac_arrays *arrays, const sac_array *vector)
{
    bool found = false;
    for (size_t i = 0; i < sac_arrays_size(arrays) && !found; i++) {
        const sac_array *array = sac_arrays_at(arrays, i);
        found = array->dtype == SAC_TEXT && array->rank > 0 && vector->shape[0] > 1 &&
                sac_array_count(array) == vector->shape[0];
    }
    bool floats = vector->dtype == SAC_F16 || vector->dtype == SAC_BF16 ||
                  vector->dtype == SAC_F32 || vector->dtype == SAC_F64;
    return found && floats;
}

/* A vector is a row of weights where its name is one of weights, where each of its numbers has a word, or nothing
 * else is there and it sums to 1: others are sizes, losses, masks. */
static bool is_row_of_weights(const sac_arrays *arrays, const sac_named_array *named, bool named_so)
{
    const sac_array *array = named->array;
    double sum = 0;
    if (array->rank > 1 || named_so || sac_arrays_size(arrays) > 1)
        return array->rank > 1 || named_so || has_word_for_each_number(arrays, array);
    for (size_t i = 0; i < array->shape[0]; i++) {
        float value = -1;
        sac_array one = sac_array_view(
            array->dtype, 0, NULL, (const char *)array->data + i * sac_dtype_size(array->dtype));
        if (sac_array_to_f32(&one, &value, NULL) != SAC_OK || !(value >= 0))
            return false;
        sum += (double)value;
    }
    return sum > 0.99 && sum < 1.01;
}

/* The last part of a name that is not a number, nor counted by it, without digits at its end:
 * "layer.0.attn_1" and "attn.1" both give "attn". `before` is what comes before it. */
static void extract_last_word(const char *name, char *word, size_t size, size_t *before)
{
    size_t end = strlen(name), start;
    do {
        while (end && (isdigit((unsigned char)name[end - 1]) || strchr("./:_", name[end - 1])))
            end--;
        start = end;
        while (start && !strchr("./:", name[start - 1]))
            start--;
        snprintf(word, size, "%.*s", (int)(end - start), name + start);
        for (char *c = word; *c; c++)
            *c = (char)tolower((unsigned char)*c);
        end = start;
    } while (start && sac_name_is(SAC_NAMES_COUNTING, word));
    *before = start;
}

/* The word itself, or one that ends in it: "cross_attentions". */
static bool ends_in_kind(const char *word, const char *kind)
{
    size_t length = strlen(word), size = strlen(kind);
    return length >= size && strcmp(word + length - size, kind) == 0 &&
           (length == size || word[length - size - 1] == '_');
}

bool sac_weights_are_attention(const char *name)
{
    char word[64];
    size_t before;
    extract_last_word(name, word, sizeof word, &before);
    for (const char *const *kind = sac_names_of[SAC_NAMES_ATTENTION]; *kind; kind++)
        if (ends_in_kind(word, *kind))
            return true;
    return false;
}

static bool is_weights_name(const char *name)
{
    char word[64];
    size_t before;
    extract_last_word(name, word, sizeof word, &before);
    return sac_weights_are_attention(name) || (before == 0 && strcmp(word, "weights") == 0);
}

/* True for parameters of a model, which are no attention even where they are square, and for what
 * is read beside weights: tokens, masks, the picture. */
static bool is_no_attention(const char *name)
{
    char word[64];
    size_t before, length;
    extract_last_word(name, word, sizeof word, &before);
    length = strlen(word);
    return sac_name_is(SAC_NAMES_NO_ATTENTION, word) ||
           (length >= 4 && strcmp(word + length - 4, "mask") == 0);
}

sac_status sac_weights_find(const sac_arrays *arrays, const char *wanted, bool any,
                            sac_array_groups *groups, sac_error *error)
{
    size_t total = sac_arrays_size(arrays), count = 0;
    const sac_array *exact = wanted ? sac_arrays_find(arrays, wanted) : NULL;
    *groups = (sac_array_groups){0};
    sac_named_array *found = calloc(total + 1, sizeof *found);
    if (!found)
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "out of memory for %zu arrays", total);
    if (exact)
        found[count++] = (sac_named_array){wanted, exact};
    for (size_t i = 0; i < total && !exact; i++) {
        sac_named_array named = {sac_arrays_name(arrays, i), sac_arrays_at(arrays, i)};
        bool fits = wanted ? fnmatch(wanted, named.name, FNM_NOESCAPE) == 0
                    : any  ? !is_no_attention(named.name)
                           : is_weights_name(named.name) || is_named_by_attention_kind(&named);
        if (any && !wanted && is_picture(named.array))
            continue;
        if (fits && can_hold_weights(named.array) &&
            is_row_of_weights(arrays, &named, wanted || is_weights_name(named.name)))
            found[count++] = named;
    }
    groups->group = calloc(SAC_MAX_GROUPS, sizeof *groups->group);
    sac_status status = groups->group ? sac_step_groups_take(arrays, found, &count, groups, error)
                                      : sac_no_memory(error, NULL);
    if (status == SAC_OK)
        status = sac_array_groups_make(found, count, groups, error);
    else
        sac_array_groups_free(groups);
    free(found);
    return status;
}

const char *sac_weights_unread(const sac_arrays *arrays)
{
    const char *name = NULL;
    for (size_t i = 0; (name = sac_arrays_unread(arrays, i)) && !is_weights_name(name); i++)
        continue;
    return name;
}

/* Copies the steps, and counts the rows before each. */
static sac_status copy_step_pieces(sac_stored_weights *stored, const sac_array_group *group,
                                   sac_error *error)
{
    size_t total = group->count * group->piece_count;
    stored->pieces = calloc(total, sizeof *stored->pieces);
    stored->piece_rows = calloc(group->piece_count + 1, sizeof *stored->piece_rows);
    if (!stored->pieces || !stored->piece_rows)
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "out of memory for %zu steps", total);
    memcpy(stored->pieces, group->pieces, total * sizeof *stored->pieces);
    stored->piece_count = group->piece_count;
    stored->own_keys = group->own_keys;
    for (size_t i = 0; i < group->piece_count; i++) {
        const sac_array *array = group->pieces[i].array;
        stored->piece_rows[i + 1] = stored->piece_rows[i] + array->shape[array->rank - 2];
    }
    return SAC_OK;
}

/* Makes one axis of the lines and columns of maps. */
static sac_status flatten_map_axes(sac_stored_weights *stored, sac_error *error)
{
    stored->flat = calloc(stored->count, sizeof *stored->flat);
    if (!stored->flat)
        return sac_no_memory(error, stored->layers[0].name);
    for (size_t i = 0; i < stored->count; i++) {
        const sac_array *array = stored->layers[i].array;
        size_t shape[SAC_MAX_RANK];
        memcpy(shape, array->shape, sizeof shape);
        stored->map_h = shape[array->rank - 2];
        stored->map_w = shape[array->rank - 1];
        shape[array->rank - 2] *= shape[array->rank - 1];
        stored->flat[i] = sac_array_view(array->dtype, array->rank - 1, shape, array->data);
        stored->layers[i].array = &stored->flat[i];
    }
    return SAC_OK;
}

/* Fills axis, size and stride from letters ("LBHQK" in the array's order). */
static sac_status set_axes(sac_stored_weights *stored, const char *letters, const char *asked,
                           sac_error *error)
{
    static const char known[] = "LBHQK";
    const sac_array *array = stored->layers[0].array;
    size_t length = strlen(letters);
    for (int axis = 0; axis < SAC_AXES; axis++) {
        stored->axis[axis] = -1;
        stored->size[axis] = 1;
        stored->stride[axis] = 0;
    }
    /* Q may be left out: each map is one row then */
    bool good =
        length == (size_t)array->rank && length && letters[length - 1] == 'K' &&
        (!strchr(letters, 'Q') || stored->flat || (length > 1 && letters[length - 2] == 'Q'));
    for (size_t i = 0, stride = sac_array_count(array); i < length && good; i++) {
        const char *place = strchr(known, letters[i]);
        int axis = place ? (int)(place - known) : 0;
        good = place && stored->axis[axis] < 0 && (axis != SAC_AXIS_L || stored->count == 1);
        stride /= array->shape[i];
        stored->axis[axis] = (int)i;
        stored->size[axis] = array->shape[i];
        stored->stride[axis] = stride;
    }
    if (stored->count > 1)
        stored->size[SAC_AXIS_L] = stored->count;
    if (stored->pieces)
        stored->size[SAC_AXIS_Q] = stored->piece_rows[stored->piece_count];
    if (stored->pieces) {
        const sac_array *last = stored->pieces[stored->piece_count - 1].array;
        stored->size[SAC_AXIS_K] =
            stored->own_keys ? stored->size[SAC_AXIS_Q] : last->shape[last->rank - 1];
    }
    char shape[160];
    return good ? SAC_OK
                : sac_fail(error, SAC_E_SHAPE, stored->layers[0].name,
                           "name each axis once, of L B H Q K, with QK or K last, or YX of maps",
                           "axes \"%s\" do not fit shape %s", asked,
                           sac_array_shape_text(array, shape, sizeof shape));
}

sac_status sac_stored_weights_take(sac_stored_weights *stored, const sac_array_group *group,
                                   const char *axes, sac_error *error)
{
    const sac_array *array = group->layers[0].array;
    char shape[160];
    *stored = (sac_stored_weights){0};
    const char *letters = axes && axes[0]          ? axes
                          : array->rank > SAC_AXES ? ""
                                                   : sac_axes_of(&group->layers[0]);
    size_t length = strlen(letters);
    bool maps = length >= 2 && length < 16 && strcmp(letters + length - 2, "YX") == 0 &&
                length == (size_t)array->rank && !group->pieces && sac_array_count(array);
    int rank = array->rank - maps;
    if (!(maps ? array->dtype != SAC_TEXT && rank <= SAC_AXES : can_hold_weights(array)) ||
        (group->count > 1 && rank == SAC_AXES))
        return sac_fail(error, SAC_E_SHAPE, group->name,
                        "give numbers of shape [Tq,Tk] up to [L,B,H,Tq,Tk]",
                        "%s %s holds no attention weights", sac_dtype_name(array->dtype),
                        sac_array_shape_text(array, shape, sizeof shape));
    stored->layers = calloc(group->count, sizeof *stored->layers);
    stored->count = group->count;
    if (!stored->layers)
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "out of memory for %zu layers",
                        group->count);
    memcpy(stored->layers, group->layers, group->count * sizeof *group->layers);
    sac_status status = group->pieces ? copy_step_pieces(stored, group, error) : SAC_OK;
    char flat[16];
    snprintf(flat, sizeof flat, "%.*s%s", maps ? (int)length - 2 : 15, letters, maps ? "K" : "");
    if (status == SAC_OK && maps)
        status = flatten_map_axes(stored, error);
    if (status == SAC_OK)
        status = set_axes(stored, flat, letters, error);
    if (status != SAC_OK)
        sac_stored_weights_free(stored);
    return status;
}

/* ---------------------------------------------------------------- which arrays are used */

/* NULL: the array is not of this file. */
static sac_array_use *find_array_use(sac_weights_file *f, const sac_array *array)
{
    uintptr_t at = (uintptr_t)array, first = (uintptr_t)sac_arrays_at(f->arrays, 0);
    size_t index = array && at >= first ? (at - first) / sizeof(sac_entry) : SIZE_MAX;
    return index < sac_arrays_size(f->arrays) && sac_arrays_at(f->arrays, index) == array
               ? &f->uses[index]
               : NULL;
}

void sac_array_use_mark(sac_weights_file *f, const sac_array *array)
{
    sac_array_use *use = find_array_use(f, array);
    if (use)
        use->used = true;
}

void sac_array_use_explain(sac_weights_file *f, const sac_array *array, const char *format, ...)
{
    sac_array_use *use = find_array_use(f, array);
    va_list list;
    va_start(list, format);
    if (use && !use->why[0])
        vsnprintf(use->why, sizeof use->why, format, list);
    va_end(list);
}
