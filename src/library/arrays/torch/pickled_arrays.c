/* Finds arrays in the dicts and lists of a pickle. */

#include "arrays/torch/pickled_arrays.h"

#include <stdlib.h>
#include <string.h>

#include "arrays/torch/objects.h"
#include "arrays/torch/torch_tensor.h"
#include "base/cancel.h"
#include "base/error.h"
#include "saccade_arrays.h"

enum { PARTS = 1 << 17 }; /* arrays, and what is left out */

sac_pickled_walk sac_pickled_walk_begin(sac_arrays *arrays)
{
    return (sac_pickled_walk){.arrays = arrays, .parts = PARTS, .left = SAC_PICKLE_VALUES};
}

/* Python 2 gave the items to the call, which is not read: that dict is not empty. */
bool sac_pickled_is_dict(const sac_pickled *value)
{
    bool is_ordered = sac_pickled_calls(value, "collections", "OrderedDict");
    return value->kind == SAC_PICKLED_DICT ||
           (value->kind == SAC_PICKLED_CALL &&
            (value->count || (is_ordered && !sac_pickled_at(value, 0)) ||
             sac_pickled_calls(value, "collections", "defaultdict")));
}

bool sac_pickled_is_list(const sac_pickled *value)
{
    return value->kind == SAC_PICKLED_LIST || value->kind == SAC_PICKLED_TUPLE;
}

sac_status sac_pickled_key(const sac_pickled *key, char **name, sac_error *error)
{
    bool text = key->kind == SAC_PICKLED_TEXT || key->kind == SAC_PICKLED_BYTES;
    sac_pickled part = *key;
    if (text && key->size > SAC_NAME_MOST + 1) {
        part.size = SAC_NAME_MOST + 1;
        while (part.size < key->size && ((uint8_t)key->text[part.size] & 0xc0) == 0x80)
            part.size++;
    }
    if (key->kind != SAC_PICKLED_INT)
        return sac_pickled_string(&part, name, error);
    if (asprintf(name, "%lld", (long long)key->whole) >= 0)
        return SAC_OK;
    *name = NULL;
    return sac_no_memory(error, NULL);
}

sac_status sac_pickled_leave(sac_pickled_walk *walk, const char *name, const sac_pickled *value,
                             const char *how, sac_error *error)
{
    char kind[200];
    sac_error why = {0};
    bool empty = (sac_pickled_is_list(value) || sac_pickled_is_dict(value)) && !value->count;
    sac_fail(&why, SAC_E_FORMAT, NULL, NULL, "is %s%s", sac_pickled_text(value, kind, sizeof kind),
             empty ? " that is empty" : how);
    return sac_arrays_leave(walk->arrays, name, strlen(name), &why, error);
}

static sac_status add_value(sac_pickled_walk *walk, const char *name, const sac_pickled *value,
                            int depth, sac_error *error);

static sac_status add_part(sac_pickled_walk *walk, const char *whole, const char *part,
                           const sac_pickled *value, int depth, sac_error *error)
{
    char *name = NULL;
    if (asprintf(&name, "%s%s%s", whole, whole[0] ? "." : "", part) < 0)
        return sac_no_memory(error, NULL);
    sac_status status =
        strlen(name) > SAC_NAME_MOST
            ? sac_pickled_leave(walk, name, value, " under a name of over 4 KB", error)
            : add_value(walk, name, value, depth, error);
    free(name);
    return status;
}

static sac_status add_items(sac_pickled_walk *walk, const char *name, const sac_pickled *dict,
                            size_t skip, int depth, sac_error *error)
{
    sac_status status = SAC_OK;
    for (size_t i = 0; i + 1 < dict->count && status == SAC_OK; i += 2) {
        char *key = NULL;
        status = sac_pickled_key(dict->items[i], &key, error);
        if (status == SAC_OK && key)
            status = add_part(walk, name, key + skip, dict->items[i + 1], depth, error);
        else if (status == SAC_OK)
            status = sac_pickled_leave(walk, name[0] ? name : "item", dict->items[i],
                                       " where a name is needed", error);
        free(key);
    }
    return status;
}

/* A list alone is called as numpy.savez calls arrays without names. */
static sac_status add_elements(sac_pickled_walk *walk, const char *name, const sac_pickled *list,
                               int depth, sac_error *error)
{
    sac_status status = SAC_OK;
    for (size_t i = 0; i < list->count && status == SAC_OK; i++) {
        char part[32];
        snprintf(part, sizeof part, "%s%zu", name[0] ? "" : "arr_", i);
        status = add_part(walk, name, part, list->items[i], depth, error);
    }
    return status;
}

static bool is_tensor(const sac_pickled_walk *walk, const sac_pickled *value)
{
    return walk->read_tensor && sac_torch_is_tensor(value);
}

/* An array, or why it is none. */
static sac_status add_array(sac_pickled_walk *walk, const char *name, const sac_pickled *value,
                            sac_error *error)
{
    sac_array array = {0};
    sac_error why = {0};
    sac_status status = SAC_OK;
    const char *called = name[0] ? name : "array"; /* as of a .npy */
    if (is_tensor(walk, value))
        status = walk->read_tensor(walk->context, value, &array, &why, error);
    else if (sac_pickled_is_numpy(value))
        sac_pickled_numpy(value, &walk->arrays->room, &array, &why);
    else
        sac_pickled_plain(value, &walk->arrays->room, &array, &why);
    if (why.status == SAC_E_MEMORY)
        return sac_error_pass(error, &why, called);
    if (status == SAC_OK && why.status == SAC_OK)
        return sac_arrays_add(walk->arrays, called, strlen(called), &array, error);
    if (status == SAC_OK)
        return sac_arrays_leave(walk->arrays, called, strlen(called), &why, error);
    return sac_error_within(error, status, called);
}

static sac_status add_value(sac_pickled_walk *walk, const char *name, const sac_pickled *value,
                            int depth, sac_error *error)
{
    enum { DEEP = 32 };
    if (walk->parts == 0 || depth > DEEP)
        return sac_fail(error, SAC_E_FORMAT, name, "save tensors and few other values",
                        depth > DEEP ? "is nested more than %d deep" : "holds more than %d values",
                        depth > DEEP ? DEEP : PARTS);
    walk->parts--;
    sac_status stopped = sac_cancel_check(name, error);
    if (stopped != SAC_OK)
        return stopped;
    if (sac_pickled_calls(value, "torch", "Size") && sac_pickled_at(value, 0))
        value = sac_pickled_at(value, 0);
    if (is_tensor(walk, value) || sac_pickled_is_numpy(value) ||
        sac_pickled_is_plain(value, &walk->left))
        return add_array(walk, name, value, error);
    if (sac_pickled_is_dict(value) && value->count)
        return add_items(walk, name, value, 0, depth + 1, error);
    if (sac_pickled_is_list(value) && value->count)
        return add_elements(walk, name, value, depth + 1, error);
    return sac_pickled_leave(walk, name[0] ? name : "it", value, "", error);
}

sac_status sac_pickled_add(sac_pickled_walk *walk, const char *name, const sac_pickled *value,
                           sac_error *error)
{
    return add_value(walk, name, value, 0, error);
}

sac_status sac_pickled_add_items(sac_pickled_walk *walk, const char *name, const sac_pickled *dict,
                                 size_t skip, sac_error *error)
{
    return add_items(walk, name, dict, skip, 0, error);
}

/* ---------------------------------------------------------------- an array of objects */

/* True if it contains arrays; *left: how many more values may be visited. */
static bool has_arrays(const sac_pickled *value, int depth, size_t *left)
{
    enum { DEEP = 4 };
    bool keyed = sac_pickled_is_dict(value);
    if (*left == 0 || depth == DEEP)
        return false;
    --*left;
    if (sac_pickled_calls(value, "numpy._core.multiarray", "_reconstruct"))
        return true;
    for (size_t i = keyed; (keyed || sac_pickled_is_list(value)) && i < value->count;
         i += 1 + keyed)
        if (has_arrays(value->items[i], depth + 1, left))
            return true;
    return false;
}

/* The one object of an array without dimensions, or the list of its elements; NULL: it has none, or
 * no arrays are among them. */
static const sac_pickled *find_parts(const sac_npy_header *header, const sac_pickled *value)
{
    size_t left = SAC_PICKLE_VALUES;
    const sac_pickled *list = sac_pickled_is_numpy(value) ? sac_pickled_at(value->state, 4) : value;
    if (list && header->rank == 0 && list != value)
        list = sac_pickled_at(list, 0);
    return list && has_arrays(list, 0, &left) ? list : NULL;
}

sac_status sac_objects_add(sac_arrays *arrays, const char *name, const sac_npy_header *header,
                           const uint8_t *bytes, size_t size, sac_error *error)
{
    size_t used;
    sac_array array;
    sac_error why = {0};
    sac_pickle *pickle = NULL;
    const sac_pickled *parts = NULL;
    const char *called = name[0] ? name : "array";
    sac_status status = sac_pickle_read(bytes, size, &arrays->room, &pickle, &used, &why);
    if (status == SAC_E_FORMAT)
        sac_fail(&why, status, NULL, "save numbers or text",
                 "holds Python objects, which are not read");
    if (status == SAC_OK)
        status = sac_objects_read(header, sac_pickle_value(pickle), &arrays->room, &array, &why);
    if (status == SAC_OK)
        status = sac_arrays_add(arrays, called, strlen(called), &array, error);
    else if (status != SAC_E_MEMORY && pickle &&
             (parts = find_parts(header, sac_pickle_value(pickle)))) {
        sac_pickled_walk walk = sac_pickled_walk_begin(arrays);
        status = sac_pickled_add(&walk, name, parts, error);
    } else if (status != SAC_E_MEMORY && name[0]) {
        status = sac_arrays_leave(arrays, name, strlen(name), &why, error);
    } else {
        status = sac_error_pass(error, &why, NULL);
    }
    sac_pickle_free(pickle);
    return status;
}
