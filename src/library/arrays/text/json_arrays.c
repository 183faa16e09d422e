/* Arrays in JSON: a list of lists of numbers, named ones in an object, and the words with their weights that
 * this program writes (--json). */
#include <cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/json.h"
#include "arrays/labels.h"
#include "base/error.h"
#include "saccade_arrays.h"

/* ---------------------------------------------------------------- what a text begins with */

static bool is_json_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_json_blank(*at))
        at++;
    return at;
}

/* How many brackets open at `at`, before a number; 0: something else follows. */
static int depth_of_numbers(const char *at, const char *end)
{
    int depth = 0;
    for (at = skip_blanks(at, end); at < end && *at == '['; at = skip_blanks(at + 1, end))
        depth++;
    return at < end && (isdigit((unsigned char)*at) || *at == '-' || *at == 'N') ? depth : 0;
}

static bool is_label_name(const char *name, size_t size)
{
    const char *const *lists[] = {sac_row_label_names, sac_column_label_names};
    for (int side = 0; side < 2; side++)
        for (const char *const *n = lists[side]; *n; n++)
            if (strlen(*n) == size && memcmp(*n, name, size) == 0)
                return true;
    return false;
}

/* An object whose own keys lead to lists of lists of numbers, or that has words with "weights". */
static bool has_arrays(const char *at, const char *end)
{
    int depth = 0;
    for (; at < end; at++) {
        if (*at == '{' || *at == '[')
            depth++;
        else if (*at == '}' || *at == ']')
            depth--;
        if (*at != '"')
            continue;
        const char *name = ++at;
        while (at < end && *at != '"')
            at += 1 + (*at == '\\');
        if (at >= end)
            return false;
        const size_t size = (size_t)(at - name);
        const char *value = skip_blanks(at + 1, end);
        if (value >= end || *value != ':')
            continue;
        const int lists = depth_of_numbers(value + 1, end);
        if ((depth == 1 && lists > 1 && !is_label_name(name, size)) ||
            (depth == 3 && lists == 1 && size == 7 && memcmp(name, "weights", size) == 0))
            return true;
    }
    return false;
}

static const char *first_character(const uint8_t *bytes, size_t size)
{
    const size_t mark = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    return skip_blanks((const char *)bytes + mark, (const char *)bytes + size);
}

bool sac_json_arrays_is(const uint8_t *bytes, size_t size)
{
    const char *end = (const char *)bytes + size, *at = first_character(bytes, size);
    if (at == end || memchr(bytes, 0, size < 4096 ? size : 4096))
        return false;
    return *at == '{' ? has_arrays(at, end) : depth_of_numbers(at, end) > 1;
}

/* A list of lists of whole numbers alone: ids of tokens too. */
bool sac_json_arrays_may_be_labels(const uint8_t *bytes, size_t size)
{
    const char *end = (const char *)bytes + size, *at = first_character(bytes, size);
    if (at == end || *at != '[')
        return false;
    while (at < end && (isdigit((unsigned char)*at) || is_json_blank(*at) || strchr("[],-", *at)))
        at++;
    return at == end;
}

/* ---------------------------------------------------------------- lists as arrays */

typedef enum leaf { LEAF_NONE = 0, LEAF_NUMBER, LEAF_TRUTH, LEAF_TEXT } leaf;

static leaf leaf_of(const cJSON *json)
{
    return cJSON_IsNumber(json) || cJSON_IsNull(json) || cJSON_IsRaw(json) ? LEAF_NUMBER
           : cJSON_IsBool(json)                                            ? LEAF_TRUTH
           : cJSON_IsString(json)                                          ? LEAF_TEXT
                                                                           : LEAF_NONE;
}

static float number_of(const cJSON *json)
{
    if (cJSON_IsNumber(json))
        return (float)json->valuedouble;
    const char *raw =
        cJSON_IsRaw(json) ? json->valuestring : "NaN"; /* NaN, Infinity or -Infinity */
    return strcmp(raw, "Infinity") == 0    ? INFINITY
           : strcmp(raw, "-Infinity") == 0 ? -INFINITY
                                           : NAN;
}

/* A list as it is filled into an array. */
typedef struct filling {
    sac_array *array;
    leaf leaf;
    size_t index;               /* of the next element */
    size_t *room;               /* of texts */
    size_t place[SAC_MAX_RANK]; /* for errors */
} filling;

static sac_status fail_ragged(const filling *f, int axis, size_t has, sac_error *error)
{
    char place[96] = "";
    for (int i = 0; i < axis; i++)
        snprintf(place + strlen(place), sizeof place - strlen(place), "[%zu]", f->place[i]);
    return sac_fail(error, SAC_E_FORMAT, NULL, "give all rows as many",
                    "the list %s has %zu elements, the first one there has %zu", place, has,
                    f->array->shape[axis]);
}

/* `json` is at `axis` of the array: a list of shape[axis], or behind the last axis an element. */
static sac_status fill_list(filling *f, const cJSON *json, int axis, sac_error *error)
{
    sac_status status = SAC_OK;
    if (axis == f->array->rank) {
        if (leaf_of(json) != f->leaf)
            return sac_fail(error, SAC_E_FORMAT, NULL, "give numbers, or texts, alone",
                            "element %zu is of another kind than the first", f->index);
        if (f->leaf == LEAF_NUMBER)
            ((float *)f->array->data)[f->index++] = number_of(json);
        else if (f->leaf == LEAF_TRUTH)
            ((uint8_t *)f->array->data)[f->index++] = cJSON_IsTrue(json);
        else {
            status = sac_take_room(f->room, 2 * strlen(json->valuestring), error);
            char *text = status == SAC_OK ? strdup(json->valuestring) : NULL;
            ((char **)f->array->data)[f->index++] = text;
            return text || status != SAC_OK ? status : sac_no_memory(error, NULL);
        }
        return SAC_OK;
    }
    const size_t size = cJSON_IsArray(json) ? (size_t)cJSON_GetArraySize(json) : 0;
    if (size != f->array->shape[axis])
        return fail_ragged(f, axis, size, error);
    f->place[axis] = 0;
    for (const cJSON *item = json->child; item && status == SAC_OK; item = item->next) {
        status = fill_list(f, item, axis + 1, error);
        f->place[axis]++;
    }
    return status;
}

/* Ids of tokens stay whole numbers. */
static sac_status make_whole(sac_array *array, sac_error *error)
{
    sac_array whole;
    const float *from = array->data;
    const size_t count = sac_array_count(array);
    for (size_t i = 0; i < count; i++)
        if (from[i] != floorf(from[i]) || fabsf(from[i]) > 1 << 24)
            return SAC_OK;
    sac_status status = sac_array_create(SAC_I64, array->rank, array->shape, &whole, error);
    if (status != SAC_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        ((int64_t *)whole.data)[i] = (int64_t)from[i];
    sac_array_free(array);
    *array = whole;
    return SAC_OK;
}

/* Adds a list, or lists in lists, under its name; what holds something else is left out. */
static sac_status add_list(sac_arrays *arrays, const char *name, const cJSON *json,
                           sac_error *error)
{
    static const sac_dtype dtypes[] = {
        [LEAF_NUMBER] = SAC_F32, [LEAF_TRUTH] = SAC_BOOL, [LEAF_TEXT] = SAC_TEXT};
    size_t shape[SAC_MAX_RANK];
    int rank = 0;
    const cJSON *at = json;
    for (; cJSON_IsArray(at) && rank < SAC_MAX_RANK; at = at->child)
        shape[rank++] = (size_t)cJSON_GetArraySize(at);
    const leaf kind = leaf_of(at);
    if (kind == LEAF_NONE || (rank == 0 && kind != LEAF_NUMBER))
        return SAC_OK;
    sac_array array;
    size_t texts = 1;
    for (int i = 0; i < rank; i++)
        texts *= shape[i];
    sac_status status = sac_take_room(
        &arrays->room, kind == LEAF_TEXT ? SAC_TEXT_ROOM * texts : sizeof(float) * texts, error);
    if (status == SAC_OK)
        status = sac_array_create(dtypes[kind], rank, shape, &array, error);
    if (status != SAC_OK)
        return sac_error_within(error, status, name);
    filling f = {.array = &array, .leaf = kind, .room = &arrays->room};
    status = fill_list(&f, json, 0, error);
    if (status == SAC_OK && kind == LEAF_NUMBER && is_label_name(name, strlen(name)))
        status = make_whole(&array, error);
    if (status == SAC_OK)
        return sac_arrays_add(arrays, name, strlen(name), &array, error);
    sac_array_free(&array);
    return sac_error_within(error, status, name);
}

/* ---------------------------------------------------------------- the file */

/* The words of a caption or of a translation, as --json writes them: a row of weights each. The last word of a
 * caption may have none. */
static sac_status add_words(sac_arrays *arrays, const cJSON *words, sac_error *error)
{
    cJSON *weights = cJSON_CreateArray(), *names = cJSON_CreateArray();
    bool good = weights && names;
    for (const cJSON *word = words->child; word && good; word = word->next) {
        const cJSON *row = cJSON_GetObjectItemCaseSensitive(word, "weights");
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(word, "token");
        name = name ? name : cJSON_GetObjectItemCaseSensitive(word, "word");
        if (!cJSON_IsArray(row) || !cJSON_IsString(name))
            continue;
        good = cJSON_AddItemReferenceToArray(weights, (cJSON *)row) &&
               cJSON_AddItemReferenceToArray(names, (cJSON *)name);
    }
    sac_status status = good ? SAC_OK : sac_no_memory(error, "words");
    if (status == SAC_OK && weights->child)
        status = add_list(arrays, "weights", weights, error);
    if (status == SAC_OK && weights->child)
        status = add_list(arrays, "rows", names, error);
    cJSON_Delete(weights);
    cJSON_Delete(names);
    return status;
}

static sac_status add_object(sac_arrays *arrays, const char *prefix, const cJSON *object,
                             sac_error *error)
{
    const cJSON *words = cJSON_GetObjectItemCaseSensitive(object, "words");
    const bool are_own = cJSON_IsArray(words) && cJSON_IsObject(words->child);
    sac_status status = are_own ? add_words(arrays, words, error) : SAC_OK;
    for (const cJSON *item = object->child; item && status == SAC_OK; item = item->next) {
        char *name = NULL;
        if (asprintf(&name, "%s%s%s", prefix, prefix[0] ? "." : "", item->string) < 0)
            return sac_no_memory(error, item->string);
        if (cJSON_IsObject(item) && strlen(name) <= SAC_NAME_MOST) {
            status = add_object(arrays, name, item, error);
        } else if (are_own && strcmp(name, "grid") == 0 && cJSON_GetArraySize(item) == 2) {
            /* width, height in that JSON; in files of arrays rows, columns */
            const float sides[] = {number_of(item->child->next), number_of(item->child)};
            sac_array grid;
            status = sac_array_create(SAC_F32, 1, (size_t[]){2}, &grid, error);
            if (status == SAC_OK) {
                memcpy(grid.data, sides, sizeof sides);
                status = sac_arrays_add(arrays, name, strlen(name), &grid, error);
            }
        } else if (!(are_own && !cJSON_IsArray(item))) {
            status = add_list(arrays, name, item, error);
        }
        free(name);
    }
    return status;
}

sac_status sac_json_arrays_open(sac_arrays *arrays, sac_error *error)
{
    const char *text = first_character(arrays->file.data, arrays->file.size);
    const size_t size = (size_t)((const char *)arrays->file.data + arrays->file.size - text);
    cJSON *json;
    sac_status status =
        size <= SAC_JSON_MOST
            ? sac_json_parse(text, size, &json, error)
            : sac_fail(error, SAC_E_FORMAT, NULL, "save its arrays with numpy.savez",
                       "has more than the %zu MB that are read of JSON", SAC_JSON_MOST >> 20);
    if (status != SAC_OK)
        return status;
    status = cJSON_IsObject(json) ? add_object(arrays, "", json, error)
                                  : add_list(arrays, "array", json, error);
    cJSON_Delete(json);
    if (status == SAC_OK && !arrays->count)
        return sac_fail(error, SAC_E_FORMAT, NULL, "give lists of numbers under their names",
                        "holds no array of numbers");
    return status;
}
