/* Finds arrays in the dicts and lists of a pickle. */
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/torch/pickled_arrays.h"
#include "base/cancel.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "saccade_arrays.h"

/* ---------------------------------------------------------------- arrays of NumPy, lists and texts: bytes */

/* Latin-1 written as UTF-8, which is how protocol 2 writes bytes. */
static bool latin1_bytes_from_utf8(const sac_pickled *text, uint8_t *out, size_t *size)
{
    const uint8_t *in = (const uint8_t *)text->text, *end = in + text->size;
    for (*size = 0; in < end; (*size)++) {
        bool two = (*in & 0xfe) == 0xc2 && end - in > 1 && (in[1] & 0xc0) == 0x80;
        if (!two && *in > 0x7f)
            return false;
        out[*size] = two ? (uint8_t)(in[0] << 6 | (in[1] & 0x3f)) : *in;
        in += two ? 2 : 1;
    }
    return true;
}

/* Copies the bytes of a value; NULL if it has none. */
static sac_status copy_bytes(const sac_pickled *value, size_t *room, uint8_t **bytes, size_t *size,
                             sac_error *error)
{
    bool encoded = sac_pickled_calls(value, "_codecs", "encode");
    const sac_pickled *from = encoded ? sac_pickled_at(value, 0) : value;
    *bytes = NULL;
    *size = 0;
    if (!from || from->kind != (encoded ? SAC_PICKLED_TEXT : SAC_PICKLED_BYTES))
        return SAC_OK;
    sac_status status = sac_take_room(room, from->size, error);
    if (status == SAC_OK)
        status = sac_allocate(from->size, (void **)bytes, error);
    if (status != SAC_OK)
        return status;
    *size = from->size;
    if (!encoded && from->size)
        memcpy(*bytes, from->text, from->size);
    if (encoded && !latin1_bytes_from_utf8(from, *bytes, size)) {
        free(*bytes);
        *bytes = NULL;
    }
    return SAC_OK;
}

/* ---------------------------------------------------------------- NumPy's arrays and numbers */

/* numpy.dtype("f4", …) with its state (3, "<", …). */
static sac_status read_dtype(const sac_pickled *dtype, sac_npy_header *header, sac_error *error)
{
    const sac_pickled *code = sac_pickled_at(dtype, 0), *order = sac_pickled_at(dtype->state, 1);
    char text[40] = "|";
    if (code && (code->kind == SAC_PICKLED_TEXT || code->kind == SAC_PICKLED_BYTES) &&
        code->size < sizeof text - 1)
        memcpy(text + 1, code->text, code->size);
    if (order && (order->kind == SAC_PICKLED_TEXT || order->kind == SAC_PICKLED_BYTES) &&
        order->size == 1)
        text[0] = order->text[0];
    sac_status status = sac_npy_parse_dtype(text, strlen(text), header, error);
    if (status == SAC_OK && header->kind == SAC_NPY_OBJECTS)
        status = sac_fail(error, SAC_E_FORMAT, NULL, "save numbers or text",
                          "holds Python objects, which are not read");
    return status;
}

static bool read_shape(const sac_pickled *shape, sac_npy_header *header)
{
    bool fits = shape && shape->kind == SAC_PICKLED_TUPLE && shape->count <= SAC_MAX_RANK;
    header->rank = fits ? (int)shape->count : 0;
    for (int i = 0; fits && i < header->rank; i++) {
        fits = shape->items[i]->kind == SAC_PICKLED_INT && shape->items[i]->whole >= 0;
        header->shape[i] = fits ? (size_t)shape->items[i]->whole : 0;
    }
    return fits;
}

static sac_status array_from_raw_bytes(const sac_npy_header *header, const sac_pickled *data,
                                       size_t *room, sac_array *array, sac_error *error)
{
    uint8_t *raw;
    size_t size;
    sac_status status = copy_bytes(data, room, &raw, &size, error);
    if (status == SAC_OK && raw && size == header->bytes) {
        status = sac_npy_take_room(header, room, error);
        if (status == SAC_OK)
            return sac_npy_decode(header, raw, array, error);
    }
    free(raw);
    return status == SAC_OK
               ? sac_fail(error, SAC_E_FORMAT, NULL, "save it again",
                          "its elements are not the %zu bytes of its shape", header->bytes)
               : status;
}

static sac_status array_from_value_list(int rank, const size_t *shape,
                                        const sac_pickled *const *values, size_t count,
                                        size_t *room, sac_array *array, sac_error *error);

static bool is_scalar(const sac_pickled *value)
{
    return sac_pickled_calls(value, "numpy._core.multiarray", "scalar");
}

static sac_status read_scalar(const sac_pickled *value, size_t *room, sac_array *array,
                              sac_error *error)
{
    sac_npy_header header = {0};
    const sac_pickled *dtype = sac_pickled_at(value, 0);
    if (!sac_pickled_calls(dtype, "numpy", "dtype"))
        return sac_fail(error, SAC_E_FORMAT, NULL, NULL, "is a number of a kind that is not read");
    sac_status status = read_dtype(dtype, &header, error);
    if (status == SAC_OK)
        status = sac_npy_measure(&header, error);
    if (status == SAC_OK)
        status = array_from_raw_bytes(&header, sac_pickled_at(value, 1), room, array, error);
    return status;
}

bool sac_pickled_is_numpy(const sac_pickled *value)
{
    return is_scalar(value) || sac_pickled_calls(value, "numpy._core.multiarray", "_reconstruct");
}

/* The state of an array: version, shape, dtype, column-major, elements. Texts of any length
 * (StringDType) have another dtype than numpy.dtype, and like objects a list of elements. */
static sac_status read_numpy(const sac_pickled *value, size_t *room, sac_array *array,
                             sac_error *error)
{
    sac_npy_header header = {0};
    *array = (sac_array){0};
    if (is_scalar(value))
        return read_scalar(value, room, array, error);
    const sac_pickled *dtype = sac_pickled_at(value->state, 2);
    const sac_pickled *fortran = sac_pickled_at(value->state, 3);
    const sac_pickled *data = sac_pickled_at(value->state, 4);
    if (!data || !fortran || !read_shape(sac_pickled_at(value->state, 1), &header))
        return sac_fail(error, SAC_E_FORMAT, NULL, "save it again",
                        "is an array of a kind that is not read");
    bool listed = data->kind == SAC_PICKLED_LIST;
    if (listed)
        return array_from_value_list(header.rank, header.shape, data->items, data->count, room,
                                     array, error);
    if (!sac_pickled_calls(dtype, "numpy", "dtype"))
        return sac_fail(error, SAC_E_FORMAT, NULL, "save it again",
                        "is an array of a dtype that is not read");
    header.fortran = fortran->kind == SAC_PICKLED_BOOL && fortran->whole;
    sac_status status = read_dtype(dtype, &header, error);
    if (status == SAC_OK)
        status = sac_npy_measure(&header, error);
    return status == SAC_OK ? array_from_raw_bytes(&header, data, room, array, error) : status;
}

/* ---------------------------------------------------------------- texts and numbers */

/* The text of a str, bytes or a text of NumPy, from malloc; NULL in *text where it is none, or not
 * UTF-8, or holds a zero. */
static sac_status read_string(const sac_pickled *value, char **text, sac_error *error)
{
    *text = NULL;
    if (is_scalar(value)) {
        sac_array array = {0};
        size_t room = SAC_PICKLE_MOST;
        sac_status status = read_scalar(value, &room, &array, NULL);
        if (status == SAC_OK && array.dtype == SAC_TEXT) {
            *text = ((char **)array.data)[0];
            ((char **)array.data)[0] = NULL;
        }
        sac_array_free(&array);
        return status == SAC_E_MEMORY ? sac_fail(error, status, NULL, NULL, "out of memory")
                                      : SAC_OK;
    }
    if ((value->kind != SAC_PICKLED_TEXT && value->kind != SAC_PICKLED_BYTES) ||
        memchr(value->text, '\0', value->size) || !sac_utf8_valid(value->text, value->size))
        return SAC_OK;
    sac_status status = sac_allocate(value->size + 1, (void **)text, error);
    if (status == SAC_OK) {
        memcpy(*text, value->text, value->size);
        (*text)[value->size] = '\0';
    }
    return status;
}

static bool is_string(const sac_pickled *value)
{
    return value->kind == SAC_PICKLED_TEXT || value->kind == SAC_PICKLED_BYTES || is_scalar(value);
}

static bool is_number(const sac_pickled *value)
{
    return value->kind == SAC_PICKLED_BOOL || value->kind == SAC_PICKLED_INT ||
           value->kind == SAC_PICKLED_FLOAT;
}

static sac_status fail_not_text(const sac_pickled *value, size_t index, sac_error *error)
{
    char kind[200];
    return sac_fail(error, SAC_E_FORMAT, NULL, "save numbers or text",
                    "holds Python objects, which are not read: element %zu is %s", index,
                    is_string(value) ? "no valid text"
                                     : sac_pickled_kind_text(value, kind, sizeof kind));
}

static sac_status fill_texts(const sac_pickled *const *values, size_t *room, sac_array *array,
                             sac_error *error)
{
    sac_status status = SAC_OK;
    char **texts = array->data;
    size_t count = sac_array_count(array);
    for (size_t i = 0; i < count && status == SAC_OK; i++) {
        if (is_string(values[i]) && !is_scalar(values[i])) /* before it is copied */
            status = sac_take_room(room, SAC_TEXT_ROOM + 2 * values[i]->size, error);
        if (status == SAC_OK && is_string(values[i]))
            status = read_string(values[i], &texts[i], error);
        if (status == SAC_OK && !texts[i])
            status = fail_not_text(values[i], i, error);
        if (status == SAC_OK && is_scalar(values[i]))
            status = sac_take_room(room, SAC_TEXT_ROOM + 2 * strlen(texts[i]), error);
    }
    return status;
}

static double number_of(const sac_pickled *value)
{
    return value->kind == SAC_PICKLED_FLOAT ? value->number : (double)value->whole;
}

static void fill_numbers(const sac_pickled *const *values, sac_array *array)
{
    size_t count = sac_array_count(array);
    for (size_t i = 0; i < count; i++)
        if (array->dtype == SAC_BOOL)
            ((uint8_t *)array->data)[i] = values[i]->whole != 0;
        else if (array->dtype == SAC_I64)
            ((int64_t *)array->data)[i] = values[i]->whole;
        else
            ((double *)array->data)[i] = number_of(values[i]);
}

/* What all values can be written as: truth values, whole numbers, numbers; else texts, or nothing.
 */
static sac_dtype common_dtype(const sac_pickled *const *values, size_t count)
{
    bool truth = true, whole = true;
    for (size_t i = 0; i < count; i++) {
        if (!is_number(values[i]))
            return SAC_TEXT;
        truth = truth && values[i]->kind == SAC_PICKLED_BOOL;
        whole = whole && values[i]->kind != SAC_PICKLED_FLOAT;
    }
    return count == 0 ? SAC_F64 : truth ? SAC_BOOL : whole ? SAC_I64 : SAC_F64;
}

/* Numbers or texts in row-major order. */
static sac_status array_from_value_list(int rank, const size_t *shape,
                                        const sac_pickled *const *values, size_t count,
                                        size_t *room, sac_array *array, sac_error *error)
{
    size_t expected = 1;
    *array = (sac_array){0};
    for (int i = 0; i < rank; i++)
        if (!sac_checked_mul(expected, shape[i], &expected))
            return sac_fail(error, SAC_E_SHAPE, NULL, "save it again", "its shape overflows");
    if (expected != count)
        return sac_fail(error, SAC_E_FORMAT, NULL, "save it again",
                        "its shape is of %zu objects, it holds %zu", expected, count);
    sac_dtype dtype = common_dtype(values, count);
    sac_status status = sac_take_room(room, count * sizeof(char *), error);
    if (status == SAC_OK)
        status = sac_array_create(dtype, rank, shape, array, error);
    if (status == SAC_OK && dtype == SAC_TEXT)
        status = fill_texts(values, room, array, error);
    else if (status == SAC_OK)
        fill_numbers(values, array);
    if (status != SAC_OK)
        sac_array_free(array);
    return status;
}

/* ---------------------------------------------------------------- an array of objects */

/* The elements of a .npy of objects, which are what a pickle gives: an array of texts, or of
 * numbers.
 */
static sac_status read_objects(const sac_npy_header *header, const sac_pickled *value, size_t *room,
                               sac_array *array, sac_error *error)
{
    *array = (sac_array){0};
    if (!sac_pickled_is_numpy(value))
        return fail_not_text(value, 0, error);
    sac_status status = read_numpy(value, room, array, error);
    if (status != SAC_OK || sac_array_count(array) == header->count)
        return status;
    status = sac_fail(error, SAC_E_FORMAT, NULL, "save it again",
                      "its header is of %zu objects, it holds %zu", header->count,
                      sac_array_count(array));
    sac_array_free(array);
    return status;
}

/* ---------------------------------------------------------------- plain lists */

static bool is_list(const sac_pickled *value)
{
    return value->kind == SAC_PICKLED_LIST || value->kind == SAC_PICKLED_TUPLE;
}

/* The shape of lists of lists, by the first of each; false where it is no array at a glance. */
static bool find_shape(const sac_pickled *value, int *rank, size_t *shape, size_t *count)
{
    *count = 1;
    for (*rank = 0; is_list(value); value = value->items[0]) {
        if (!value->count || *rank == SAC_MAX_RANK ||
            !sac_checked_mul(*count, value->count, count) || *count > SAC_PICKLE_VALUES)
            return false;
        shape[(*rank)++] = value->count;
    }
    return is_number(value) || value->kind == SAC_PICKLED_TEXT || value->kind == SAC_PICKLED_BYTES;
}

/* Writes the leaves in order; false where the lists differ in length or depth. */
static bool gather_leaves(const sac_pickled *value, int rank, const size_t *shape,
                          const sac_pickled ***next)
{
    if (rank == 0) {
        *(*next)++ = value;
        return !is_list(value);
    }
    bool fits = is_list(value) && value->count == shape[0];
    for (size_t i = 0; fits && i < shape[0]; i++)
        fits = gather_leaves(value->items[i], rank - 1, shape + 1, next);
    return fits;
}

static bool are_numbers_or_texts(const sac_pickled *const *values, size_t count)
{
    bool numbers = true, texts = true;
    for (size_t i = 0; i < count; i++) {
        numbers = numbers && is_number(values[i]);
        texts = texts && is_string(values[i]);
    }
    return numbers || texts;
}

/* A copy of the leaves, or NULL. */
static const sac_pickled **copy_leaves(const sac_pickled *value, int *rank, size_t *shape,
                                       size_t *count)
{
    if (!find_shape(value, rank, shape, count))
        return NULL;
    const sac_pickled **leaves = malloc(*count * sizeof *leaves), **next = leaves;
    if (leaves && gather_leaves(value, *rank, shape, &next) && are_numbers_or_texts(leaves, *count))
        return leaves;
    free(leaves);
    return NULL;
}

/* True of a number, a text, and a list of them, or of such lists of one length. What it looks at is
 * taken out of *left: a pickle can name one list a million times. */
static bool is_plain(const sac_pickled *value, size_t *left)
{
    int rank;
    size_t shape[SAC_MAX_RANK], count;
    if (!find_shape(value, &rank, shape, &count) || count > *left)
        return false;
    *left -= count;
    const sac_pickled **leaves = copy_leaves(value, &rank, shape, &count);
    free(leaves);
    return leaves != NULL;
}

static sac_status read_plain(const sac_pickled *value, size_t *room, sac_array *array,
                             sac_error *error)
{
    int rank;
    size_t shape[SAC_MAX_RANK], count;
    const sac_pickled **leaves = copy_leaves(value, &rank, shape, &count);
    *array = (sac_array){0};
    if (!leaves)
        return sac_fail(error, SAC_E_FORMAT, NULL, NULL, "is no list of numbers or texts");
    sac_status status = array_from_value_list(rank, shape, leaves, count, room, array, error);
    free(leaves);
    return status;
}

/* ---------------------------------------------------------------- all that a value holds */

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
        return read_string(&part, name, error);
    if (asprintf(name, "%lld", (long long)key->whole) >= 0)
        return SAC_OK;
    *name = NULL;
    return sac_no_memory(error, NULL);
}

sac_status sac_pickled_add_unread(sac_pickled_walk *walk, const char *name,
                                  const sac_pickled *value, const char *how, sac_error *error)
{
    char kind[200];
    sac_error why = {0};
    bool empty = (sac_pickled_is_list(value) || sac_pickled_is_dict(value)) && !value->count;
    sac_fail(&why, SAC_E_FORMAT, NULL, NULL, "is %s%s",
             sac_pickled_kind_text(value, kind, sizeof kind), empty ? " that is empty" : how);
    return sac_arrays_add_unread(walk->arrays, name, strlen(name), &why, error);
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
            ? sac_pickled_add_unread(walk, name, value, " under a name of over 4 KB", error)
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
            status = sac_pickled_add_unread(walk, name[0] ? name : "item", dict->items[i],
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

bool sac_pickled_is_tensor(const sac_pickled *value)
{
    static const char module[] = "torch._", rebuild[] = "_rebuild_";
    if (value->kind != SAC_PICKLED_CALL || value->called->kind != SAC_PICKLED_NAME)
        return false;
    const sac_pickled *called = value->called;
    return called->module_size >= sizeof module - 1 &&
           memcmp(called->module, module, sizeof module - 1) == 0 &&
           called->name_size >= sizeof rebuild - 1 &&
           memcmp(called->name, rebuild, sizeof rebuild - 1) == 0;
}

static bool is_tensor(const sac_pickled_walk *walk, const sac_pickled *value)
{
    return walk->read_tensor && sac_pickled_is_tensor(value);
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
        read_numpy(value, &walk->arrays->room, &array, &why);
    else
        read_plain(value, &walk->arrays->room, &array, &why);
    if (why.status == SAC_E_MEMORY)
        return sac_error_pass(error, &why, called);
    if (status == SAC_OK && why.status == SAC_OK)
        return sac_arrays_add(walk->arrays, called, strlen(called), &array, error);
    if (status == SAC_OK)
        return sac_arrays_add_unread(walk->arrays, called, strlen(called), &why, error);
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
    if (is_tensor(walk, value) || sac_pickled_is_numpy(value) || is_plain(value, &walk->left))
        return add_array(walk, name, value, error);
    if (sac_pickled_is_dict(value) && value->count)
        return add_items(walk, name, value, 0, depth + 1, error);
    if (sac_pickled_is_list(value) && value->count)
        return add_elements(walk, name, value, depth + 1, error);
    return sac_pickled_add_unread(walk, name[0] ? name : "it", value, "", error);
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
static const sac_pickled *find_object_list(const sac_npy_header *header, const sac_pickled *value)
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
        status = read_objects(header, sac_pickle_value(pickle), &arrays->room, &array, &why);
    if (status == SAC_OK)
        status = sac_arrays_add(arrays, called, strlen(called), &array, error);
    else if (status != SAC_E_MEMORY && pickle &&
             (parts = find_object_list(header, sac_pickle_value(pickle)))) {
        sac_pickled_walk walk = sac_pickled_walk_begin(arrays);
        status = sac_pickled_add(&walk, name, parts, error);
    } else if (status != SAC_E_MEMORY && name[0]) {
        status = sac_arrays_add_unread(arrays, name, strlen(name), &why, error);
    } else {
        status = sac_error_pass(error, &why, NULL);
    }
    sac_pickle_free(pickle);
    return status;
}
