/* Which arrays of a file hold attention weights, and what their axes are. */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "sources/stored_weights.h"

typedef struct candidate {
    const char *name;
    const sac_array *array;
    unsigned long layer;
} candidate;

/* "attention [6,8,24,24], lse [6,8,24]" for errors; ends in "…" where there are too many. */
static char *list_arrays(const sac_arrays *arrays, char *text, size_t size)
{
    size_t used = 0;
    *text = 0;
    for (size_t i = 0; i < sac_arrays_size(arrays); i++) {
        char shape[160];
        const char *name = sac_arrays_name(arrays, i);
        sac_array_shape_text(sac_arrays_at(arrays, i), shape, sizeof shape);
        if (used + strlen(name) + strlen(shape) + 8 > size) {
            snprintf(text + used, size - used, ", …");
            break;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s %s", i ? ", " : "", name, shape);
    }
    return text;
}

static bool can_hold_weights(const sac_array *array)
{
    return array->dtype != SAC_TEXT && array->rank >= 2 && array->rank <= SAC_AXES &&
           sac_array_count(array) > 0;
}

/* The last part of a name that is not a number, without digits at its end: "layer.0.attn_1" and
 * "attn.1" both give "attn". `before` is what comes before it. */
static void last_word(const char *name, char *word, size_t size, size_t *before)
{
    size_t end = strlen(name);
    while (end && (isdigit((unsigned char)name[end - 1]) || strchr("./:_", name[end - 1])))
        end--;
    size_t start = end;
    while (start && !strchr("./:", name[start - 1]))
        start--;
    snprintf(word, size, "%.*s", (int)(end - start), name + start);
    for (char *c = word; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    *before = start;
}

static bool is_weights_name(const char *name)
{
    static const char *const words[] = {"attention",         "attentions",      "attn",
                                        "attention_weights", "attn_weights",    "attention_probs",
                                        "attn_probs",        "attention_scores"};
    char word[64];
    size_t before;
    last_word(name, word, sizeof word, &before);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return before == 0 && strcmp(word, "weights") == 0;
}

/* Collects what fits `wanted` (NULL: the names that weights usually have). */
static size_t collect(const sac_arrays *arrays, const char *wanted, candidate *found)
{
    size_t count = 0;
    const sac_array *exact = wanted ? sac_arrays_find(arrays, wanted) : NULL;
    if (exact) {
        found[0] = (candidate){wanted, exact, 0};
        return 1;
    }
    for (size_t i = 0; i < sac_arrays_size(arrays); i++) {
        const char *name = sac_arrays_name(arrays, i);
        const sac_array *array = sac_arrays_at(arrays, i);
        bool fits = wanted ? fnmatch(wanted, name, FNM_NOESCAPE) == 0 : is_weights_name(name);
        if (fits && can_hold_weights(array))
            found[count++] = (candidate){name, array, 0};
    }
    return count;
}

/* True where the names differ in the number at `at` of the first and in nothing else; fills in the
 * numbers as layers. */
static bool differ_in_number(candidate *found, size_t count, size_t at)
{
    const char *tail = found[0].name + at + strspn(found[0].name + at, "0123456789");
    for (size_t i = 0; i < count; i++) {
        char *end;
        if (strncmp(found[i].name, found[0].name, at) != 0 ||
            !isdigit((unsigned char)found[i].name[at]))
            return false;
        found[i].layer = strtoul(found[i].name + at, &end, 10);
        if (strcmp(end, tail) != 0)
            return false;
    }
    return true;
}

static int by_layer(const void *a, const void *b)
{
    unsigned long x = ((const candidate *)a)->layer, y = ((const candidate *)b)->layer;
    return (x > y) - (x < y);
}

/* Sorts candidates that are one array a layer; false where they are not that. */
static bool sort_layers(candidate *found, size_t count)
{
    const char *name = found[0].name;
    for (size_t at = 0; name[at]; at++)
        if (isdigit((unsigned char)name[at]) && (!at || !isdigit((unsigned char)name[at - 1])) &&
            differ_in_number(found, count, at)) {
            qsort(found, count, sizeof *found, by_layer);
            return true;
        }
    return false;
}

static sac_status check_layers(const candidate *found, size_t count, sac_error *error)
{
    for (size_t i = 1; i < count; i++) {
        const sac_array *a = found[0].array, *b = found[i].array;
        char shape[2][160];
        if (a->dtype == b->dtype && a->rank == b->rank &&
            memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape) == 0)
            continue;
        return sac_fail(error, SAC_E_SHAPE, found[i].name, "choose one with --array NAME",
                        "%s %s does not fit %s, which is %s %s", sac_dtype_name(b->dtype),
                        sac_array_shape_text(b, shape[1], sizeof shape[1]), found[0].name,
                        sac_dtype_name(a->dtype),
                        sac_array_shape_text(a, shape[0], sizeof shape[0]));
    }
    return SAC_OK;
}

/* Fills axis, size and stride from letters ("LBHQK" in the array's order). */
static sac_status set_axes(sac_stored_weights *stored, const char *letters, sac_error *error)
{
    static const char known[] = "LBHQK";
    const sac_array *array = stored->arrays[0];
    size_t length = strlen(letters);
    for (int axis = 0; axis < SAC_AXES; axis++) {
        stored->axis[axis] = -1;
        stored->size[axis] = 1;
        stored->stride[axis] = 0;
    }
    bool good = length == (size_t)array->rank && strcmp(letters + length - 2, "QK") == 0;
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
    char shape[160];
    return good ? SAC_OK
                : sac_fail(error, SAC_E_SHAPE, stored->names[0],
                           "name each axis once, of L B H Q K, with QK last",
                           "axes \"%s\" do not fit shape %s", letters,
                           sac_array_shape_text(array, shape, sizeof shape));
}

static sac_status take(sac_stored_weights *stored, const candidate *found, size_t count,
                       const char *axes, sac_error *error)
{
    static const char *const by_rank[] = {"", "", "QK", "HQK", "BHQK", "LBHQK"};
    const sac_array *array = found[0].array;
    char shape[160];
    if (!can_hold_weights(array) || (count > 1 && array->rank == SAC_AXES))
        return sac_fail(error, SAC_E_SHAPE, found[0].name,
                        "give numbers of shape [Tq,Tk] up to [L,B,H,Tq,Tk]",
                        "%s %s holds no attention weights", sac_dtype_name(array->dtype),
                        sac_array_shape_text(array, shape, sizeof shape));
    stored->arrays = calloc(count, sizeof *stored->arrays);
    stored->names = calloc(count, sizeof *stored->names);
    stored->count = count;
    if (!stored->arrays || !stored->names)
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "no memory for %zu layers", count);
    for (size_t i = 0; i < count; i++) {
        stored->arrays[i] = found[i].array;
        stored->names[i] = found[i].name;
    }
    return set_axes(stored, axes && strlen(axes) >= 2 ? axes : by_rank[array->rank], error);
}

static sac_status not_clear(const sac_arrays *arrays, const char *wanted, size_t count,
                            sac_error *error)
{
    char list[400];
    list_arrays(arrays, list, sizeof list);
    if (wanted)
        return sac_fail(
            error, SAC_E_ARGUMENT, wanted, "choose one with --array NAME", "%s; the file holds %s",
            count ? "these arrays are not the layers of one model" : "no such array", list);
    return sac_fail(
        error, SAC_E_FORMAT, NULL, "choose with --array NAME (a * stands for layers)",
        "%s among %s",
        count ? "more than one array may be attention" : "no attention, nor query and key,", list);
}

sac_status sac_stored_weights_find(const sac_arrays *arrays, const char *wanted, const char *axes,
                                   sac_stored_weights *stored, sac_error *error)
{
    *stored = (sac_stored_weights){0};
    size_t total = sac_arrays_size(arrays);
    candidate *found = calloc(total + 1, sizeof *found);
    if (!found)
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "no memory for %zu arrays", total);
    sac_status status = SAC_OK;
    size_t count = collect(arrays, wanted, found);
    bool computed = sac_arrays_find(arrays, "query") && sac_arrays_find(arrays, "key");
    if (count == 0 && !wanted && computed)
        goto cleanup;
    if (count == 0 && !wanted) /* nothing has the name: is there only one that has the shape? */
        count = collect(arrays, "*", found);
    if (count == 1 || (count > 1 && sort_layers(found, count))) {
        status = check_layers(found, count, error);
        if (status == SAC_OK)
            status = take(stored, found, count, axes, error);
    } else {
        status = not_clear(arrays, wanted, count, error);
    }
    if (status != SAC_OK)
        sac_stored_weights_free(stored);
cleanup:
    free(found);
    return status;
}
