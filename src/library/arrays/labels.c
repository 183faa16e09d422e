/* Reads labels from text, JSON and arrays of text. */

#include "arrays/labels.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/json.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "saccade_arrays.h"

/* Those of one side come before those of both, and words before their numbers. The last ones are
 * names that other programs give: BertViz, transformers, plotting libraries. */
const char *const sac_row_label_names[] = {"rows",
                                           "row_labels",
                                           "target",
                                           "target_tokens",
                                           "target_words",
                                           "query_tokens",
                                           "query_labels",
                                           "q_tokens",
                                           "decoder_tokens",
                                           "output_tokens",
                                           "tgt_tokens",
                                           "tgt",
                                           "y_tokens",
                                           "y_labels",
                                           "left_text",
                                           "tokens",
                                           "labels",
                                           "words",
                                           "text_tokens",
                                           "str_tokens",
                                           "input_tokens",
                                           "all_tokens",
                                           "decoder_input_ids",
                                           "target_ids",
                                           "input_ids",
                                           "token_ids",
                                           "sequences",
                                           NULL};
const char *const sac_column_label_names[] = {"columns",
                                              "column_labels",
                                              "source",
                                              "source_tokens",
                                              "source_words",
                                              "key_tokens",
                                              "key_labels",
                                              "k_tokens",
                                              "encoder_tokens",
                                              "context_tokens",
                                              "src_tokens",
                                              "src",
                                              "x_tokens",
                                              "x_labels",
                                              "right_text",
                                              "tokens",
                                              "labels",
                                              "words",
                                              "text_tokens",
                                              "str_tokens",
                                              "input_tokens",
                                              "all_tokens",
                                              "encoder_input_ids",
                                              "source_ids",
                                              "input_ids",
                                              "token_ids",
                                              "sequences",
                                              NULL};

/* ---------------------------------------------------------------- lists */

void sac_labels_free(sac_labels *labels)
{
    if (!labels)
        return;
    for (size_t i = 0; i < labels->count; i++)
        free(labels->text[i]);
    free(labels->text);
    *labels = (sac_labels){0};
}

static sac_status allocate_labels(sac_labels *labels, size_t count, sac_error *error)
{
    *labels = (sac_labels){0};
    labels->text = calloc(count ? count : 1, sizeof *labels->text);
    if (!labels->text)
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "out of memory for %zu labels", count);
    return SAC_OK;
}

/* `labels` has space for one more. */
static sac_status append(sac_labels *labels, const char *text, size_t size, sac_error *error)
{
    char *copy = malloc(size + 1);
    if (!copy)
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "out of memory for label %zu",
                        labels->count);
    memcpy(copy, text, size);
    copy[size] = '\0';
    labels->text[labels->count++] = copy;
    return SAC_OK;
}

static sac_status copy_texts(char *const *texts, size_t count, sac_labels *labels, sac_error *error)
{
    sac_status status = allocate_labels(labels, count, error);
    for (size_t i = 0; status == SAC_OK && i < count; i++)
        status = append(labels, texts[i], strlen(texts[i]), error);
    if (status != SAC_OK)
        sac_labels_free(labels);
    return status;
}

sac_status sac_labels_copy(const sac_labels *from, sac_labels *to, sac_error *error)
{
    return copy_texts(from->text, from->count, to, error);
}

sac_status sac_labels_append(sac_labels *labels, sac_labels *more, sac_error *error)
{
    const size_t count = labels->count + more->count;
    char **text = realloc(labels->text, (count + 1) * sizeof *text);
    if (text) {
        memcpy(text + labels->count, more->text, more->count * sizeof *text);
        *labels = (sac_labels){count, text};
        free(more->text);
        *more = (sac_labels){0};
        return SAC_OK;
    }
    sac_labels_free(more);
    return sac_no_memory(error, "labels");
}

sac_status sac_labels_from_array(const sac_array *array, sac_labels *labels, sac_error *error)
{
    *labels = (sac_labels){0};
    char shape[200];
    size_t count = sac_array_count(array);
    if (array->dtype != SAC_TEXT)
        return sac_fail(error, SAC_E_ARGUMENT, NULL, "give an array of strings",
                        "holds %s, not text", sac_dtype_name(array->dtype));
    if (array->rank > 1 && count != array->shape[array->rank - 1])
        return sac_fail(error, SAC_E_SHAPE, NULL, "give a list of strings",
                        "shape %s is not a list", sac_array_shape_text(array, shape, sizeof shape));
    return copy_texts(array->data, count, labels, error);
}

void sac_label_lists_free(sac_label_lists *lists)
{
    for (size_t i = 0; i < lists->count; i++)
        sac_labels_free(&lists->list[i]);
    free(lists->list);
    *lists = (sac_label_lists){0};
}

/* `count` empty ones. */
static sac_status create_lists(sac_label_lists *lists, size_t count, sac_error *error)
{
    *lists = (sac_label_lists){.list = calloc(count ? count : 1, sizeof *lists->list)};
    if (!lists->list)
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "out of memory for %zu lists of labels",
                        count);
    lists->count = count;
    return SAC_OK;
}

bool sac_label_lists_accept_dtype(const sac_array *array)
{
    return array->dtype == SAC_TEXT || (array->dtype >= SAC_I8 && array->dtype <= SAC_U64);
}

/* One whole number, in decimal digits. */
static void format_whole_number(sac_dtype dtype, const void *at, char *text, size_t size)
{
    long long value = 0;
    switch (dtype) {
    case SAC_I8:
        value = *(const int8_t *)at;
        break;
    case SAC_U8:
        value = *(const uint8_t *)at;
        break;
    case SAC_I16:
        value = *(const int16_t *)at;
        break;
    case SAC_U16:
        value = *(const uint16_t *)at;
        break;
    case SAC_I32:
        value = *(const int32_t *)at;
        break;
    case SAC_U32:
        value = *(const uint32_t *)at;
        break;
    case SAC_I64:
        value = *(const int64_t *)at;
        break;
    default: /* SAC_U64 */
        snprintf(text, size, "%llu", (unsigned long long)*(const uint64_t *)at);
        return;
    }
    snprintf(text, size, "%lld", value);
}

/* Numbers from `first` on. */
static sac_status add_number_labels(const sac_array *array, size_t first, size_t count,
                                    sac_labels *labels, sac_error *error)
{
    sac_status status = allocate_labels(labels, count, error);
    for (size_t i = 0; i < count && status == SAC_OK; i++) {
        const char *at = (const char *)array->data + (first + i) * sac_dtype_size(array->dtype);
        char text[24];
        format_whole_number(array->dtype, at, text, sizeof text);
        status = append(labels, text, strlen(text), error);
    }
    return status;
}

sac_status sac_label_lists_from_array(const sac_array *array, sac_label_lists *lists,
                                      sac_error *error)
{
    *lists = (sac_label_lists){0};
    if (!sac_label_lists_accept_dtype(array))
        return sac_fail(error, SAC_E_ARGUMENT, NULL, "give an array of strings",
                        "holds %s, not text", sac_dtype_name(array->dtype));
    size_t each = array->rank ? array->shape[array->rank - 1] : 1, total = sac_array_count(array);
    sac_status status = create_lists(lists, each ? total / each : 1, error);
    for (size_t i = 0; i < lists->count && status == SAC_OK; i++)
        status =
            array->dtype == SAC_TEXT
                ? copy_texts((char *const *)array->data + i * each, each, &lists->list[i], error)
                : add_number_labels(array, i * each, each, &lists->list[i], error);
    if (status != SAC_OK)
        sac_label_lists_free(lists);
    return status;
}

/* ---------------------------------------------------------------- text */

static size_t count_lines(const char *text, size_t size)
{
    size_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines + (size > 0 && text[size - 1] != '\n');
}

static sac_status from_text(const char *text, size_t size, sac_labels *labels, sac_error *error)
{
    sac_status status = allocate_labels(labels, count_lines(text, size), error);
    for (const char *end = text + size; status == SAC_OK && text < end;) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline ? newline : end;
        size_t length = (size_t)(stop - text);
        length -= length > 0 && text[length - 1] == '\r';
        if (!sac_utf8_valid(text, length) || memchr(text, '\0', length))
            status = sac_fail(error, SAC_E_FORMAT, NULL, "save the labels as UTF-8 text",
                              "line %zu is not valid UTF-8", labels->count + 1);
        else
            status = append(labels, text, length, error);
        text = newline ? newline + 1 : end;
    }
    return status;
}

/* ---------------------------------------------------------------- JSON */

static sac_status from_json_texts(const cJSON *list, sac_labels *labels, sac_error *error)
{
    sac_status status = allocate_labels(labels, (size_t)cJSON_GetArraySize(list), error);
    bool are_ids = cJSON_IsNumber(list->child);
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        char id[32];
        const char *text = cJSON_GetStringValue(item);
        if (are_ids && cJSON_IsNumber(item)) {
            snprintf(id, sizeof id, "%.0f", item->valuedouble);
            text = id;
        }
        if (status == SAC_OK && (!text || !sac_utf8_valid(text, strlen(text))))
            status = sac_fail(error, SAC_E_FORMAT, NULL, "give strings", "item %zu is not a string",
                              labels->count);
        if (status == SAC_OK)
            status = append(labels, text, strlen(text), error);
    }
    return status;
}

/* ["a", "b"], or a list of such lists, one an item. */
static sac_status from_json_list(const cJSON *list, sac_label_lists *lists, sac_error *error)
{
    size_t i = 0;
    if (!cJSON_IsArray(list))
        return sac_fail(error, SAC_E_FORMAT, NULL,
                        "give [\"a\", …] or {\"rows\": […], \"columns\": […]}",
                        "is not a list of strings");
    bool nested = cJSON_IsArray(list->child);
    sac_status status = create_lists(lists, nested ? (size_t)cJSON_GetArraySize(list) : 1, error);
    if (!nested)
        return status == SAC_OK ? from_json_texts(list, &lists->list[0], error) : status;
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        if (status == SAC_OK && !cJSON_IsArray(item))
            status = sac_fail(error, SAC_E_FORMAT, NULL, "give a list for each item",
                              "item %zu is not a list of strings", i);
        if (status == SAC_OK)
            status = from_json_texts(item, &lists->list[i++], error);
    }
    return status;
}

static const cJSON *find_list(const cJSON *json, const char *const names[], const char **name)
{
    const cJSON *list = NULL;
    for (; *names && !list; names++) {
        *name = *names;
        list = cJSON_GetObjectItemCaseSensitive(json, *names);
    }
    return list;
}

static sac_status from_json_object(const cJSON *json, sac_label_lists *rows,
                                   sac_label_lists *columns, sac_error *error)
{
    const char *row_name, *column_name;
    const cJSON *for_rows = find_list(json, sac_row_label_names, &row_name);
    const cJSON *for_columns = find_list(json, sac_column_label_names, &column_name);
    if (!for_rows && !for_columns)
        return sac_fail(error, SAC_E_FORMAT, NULL,
                        "give [\"a\", …] or {\"rows\": […], \"columns\": […]}",
                        "holds neither \"tokens\" nor \"rows\" nor \"columns\"");
    sac_status status = SAC_OK;
    if (for_rows)
        status = sac_error_within(error, from_json_list(for_rows, rows, error), row_name);
    if (status == SAC_OK && for_columns && for_columns != for_rows)
        status = sac_error_within(error, from_json_list(for_columns, columns, error), column_name);
    return status;
}

/* ---------------------------------------------------------------- arrays */

static sac_status read_named_array(const sac_arrays *arrays, const char *name,
                                   sac_label_lists *lists, sac_error *error)
{
    sac_status status = sac_label_lists_from_array(sac_arrays_find(arrays, name), lists, error);
    return sac_error_within(error, status, name);
}

static const char *find_name(const sac_arrays *arrays, const char *const names[])
{
    while (*names && !sac_arrays_find(arrays, *names))
        names++;
    return *names;
}

/* Arrays by their names, or the only array of text there is. */
static sac_status from_arrays(const sac_arrays *arrays, sac_label_lists *rows,
                              sac_label_lists *columns, sac_error *error)
{
    const char *only = NULL;
    size_t texts = 0;
    for (size_t i = 0; i < sac_arrays_size(arrays); i++)
        if (sac_arrays_at(arrays, i)->dtype == SAC_TEXT) {
            only = sac_arrays_name(arrays, i);
            texts++;
        }
    const char *for_rows = find_name(arrays, sac_row_label_names);
    const char *for_columns = find_name(arrays, sac_column_label_names);
    sac_status status = SAC_OK;
    if (for_rows)
        status = read_named_array(arrays, for_rows, rows, error);
    if (for_columns && status == SAC_OK && for_columns != for_rows)
        status = read_named_array(arrays, for_columns, columns, error);
    if (for_rows || for_columns)
        return status;
    if (texts == 1)
        return read_named_array(arrays, only, rows, error);
    return sac_fail(error, SAC_E_FORMAT, NULL, "name them \"rows\" and \"columns\", or \"tokens\"",
                    "holds %zu arrays of text", texts);
}

static sac_status load_arrays(const char *path, sac_label_lists *rows, sac_label_lists *columns,
                              sac_error *error)
{
    sac_arrays *arrays;
    sac_status status = sac_arrays_open(path, &arrays, error);
    if (status != SAC_OK)
        return status;
    status = sac_error_within(error, from_arrays(arrays, rows, columns, error), path);
    sac_arrays_close(arrays);
    return status;
}

/* ---------------------------------------------------------------- the file */

static bool is_named_json(const char *path)
{
    size_t size = strlen(path);
    return size > 5 && strcmp(path + size - 5, ".json") == 0;
}

/* A text file may start like JSON ("[CLS]" is a common first label), so it is taken for JSON only
 * where all of it parses, or where its name ends in .json. */
static sac_status from_content(const char *path, const sac_bytes *file, sac_label_lists *rows,
                               sac_label_lists *columns, sac_error *error)
{
    const char *text = (const char *)file->data;
    size_t size = file->size;
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
        text += 3;
        size -= 3;
    }
    cJSON *json = NULL;
    sac_error reason = {0};
    bool named = is_named_json(path);
    if (named || (size && (text[0] == '[' || text[0] == '{')))
        (void)sac_json_parse(text, size, &json, &reason);
    sac_status status;
    if (named && !json)
        status = sac_fail(error, SAC_E_FORMAT, NULL, reason.remedy, "%s", reason.what);
    else if (json)
        status = cJSON_IsObject(json) ? from_json_object(json, rows, columns, error)
                                      : from_json_list(json, rows, error);
    else
        status = create_lists(rows, 1, error);
    if (status == SAC_OK && !json)
        status = from_text(text, size, &rows->list[0], error);
    cJSON_Delete(json);
    return sac_error_within(error, status, path);
}

static sac_status copy_lists(const sac_label_lists *from, sac_label_lists *to, sac_error *error)
{
    sac_status status = create_lists(to, from->count, error);
    for (size_t i = 0; i < from->count && status == SAC_OK; i++)
        status = sac_labels_copy(&from->list[i], &to->list[i], error);
    return status;
}

sac_status sac_labels_load(const char *path, sac_label_lists *rows, sac_label_lists *columns,
                           sac_error *error)
{
    *rows = *columns = (sac_label_lists){0};
    sac_bytes file;
    sac_status status = sac_bytes_read(path, &file, error);
    if (status != SAC_OK)
        return status;
    if (sac_npy_is(file.data, file.size) || sac_npz_is(file.data, file.size))
        status = load_arrays(path, rows, columns, error);
    else
        status = from_content(path, &file, rows, columns, error);
    sac_bytes_free(&file);
    if (status == SAC_OK && !columns->list)
        status = copy_lists(rows, columns, error);
    else if (status == SAC_OK && !rows->list)
        status = copy_lists(columns, rows, error);
    if (status != SAC_OK) {
        sac_label_lists_free(rows);
        sac_label_lists_free(columns);
    }
    return status;
}
