/* The model's description in its weights' file. A description is believed only within limits, and
 * only as far as the numbers that it asks for are in the file: nothing is allocated before. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/error.h"
#include "language/words.h"
#include "translator/model.h"

enum { FORMAT = 1 /* of the description */ };
#define OTHER_FILE "give weights that `saccade train translator` wrote"

/* ---------------------------------------------------------------- writing */

static bool add_words(cJSON *model, const char *name, sac_language language)
{
    sac_word_list list;
    cJSON *words = cJSON_AddArrayToObject(model, name);
    bool done = words && sac_word_list_create(language, &list, NULL) == SAC_OK;
    for (size_t i = 0; done && i < list.count; i++)
        done = cJSON_AddItemToArray(words, cJSON_CreateString(list.words[i]));
    if (words)
        sac_word_list_free(&list);
    return done;
}

char *sac_translator_describe(const sac_translator_shape *shape)
{
    cJSON *model = cJSON_CreateObject();
    bool done = cJSON_AddNumberToObject(model, "format", FORMAT) &&
                cJSON_AddBoolToObject(model, "attends", shape->attends) &&
                cJSON_AddStringToObject(model, "score", sac_score_name(shape->score)) &&
                cJSON_AddNumberToObject(model, "attention", shape->attention) &&
                cJSON_AddNumberToObject(model, "hidden", shape->hidden) &&
                cJSON_AddNumberToObject(model, "embedding", shape->embedding) &&
                add_words(model, "english", SAC_ENGLISH) && add_words(model, "french", SAC_FRENCH);
    char *text = done ? cJSON_PrintUnformatted(model) : NULL;
    cJSON_Delete(model);
    return text;
}

/* ---------------------------------------------------------------- reading the description */

static sac_status read_size(const cJSON *model, const char *name, int low, int high, int *size,
                            sac_error *error)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(model, name);
    double value = cJSON_IsNumber(item) ? item->valuedouble : NAN;
    if (!(value >= low && value <= high) || value != floor(value))
        return sac_fail(error, SAC_E_FORMAT, "model", OTHER_FILE,
                        "\"%s\" is no whole number from %d to %d", name, low, high);
    *size = (int)value;
    return SAC_OK;
}

static sac_status read_score(const cJSON *model, sac_translator_shape *shape, sac_error *error)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(model, "score");
    const char *name = cJSON_IsString(item) ? item->valuestring : "";
    const cJSON *attends = cJSON_GetObjectItemCaseSensitive(model, "attends");
    shape->attends = cJSON_IsTrue(attends);
    if (!cJSON_IsBool(attends))
        return sac_fail(error, SAC_E_FORMAT, "model", OTHER_FILE,
                        "\"attends\" is not true or false");
    if (sac_score_from_name(name, &shape->score) &&
        (shape->score == SAC_SCORE_ADDITIVE || shape->score == SAC_SCORE_SCALED_DOT ||
         shape->score == SAC_SCORE_BILINEAR))
        return SAC_OK;
    return sac_fail(error, SAC_E_FORMAT, "model", OTHER_FILE,
                    "score is \"%.40s\", not additive, scaled-dot or bilinear", name);
}

/* The words in their order are what the numbers mean: any other order is another model. */
static sac_status compare_words(const cJSON *words, const sac_word_list *list, const char *name,
                                sac_error *error)
{
    size_t i = 0;
    const cJSON *word;
    if (!cJSON_IsArray(words) || (size_t)cJSON_GetArraySize(words) != list->count)
        return sac_fail(error, SAC_E_FORMAT, "model", OTHER_FILE, "\"%s\" is no list of %zu words",
                        name, list->count);
    cJSON_ArrayForEach(word, words)
    {
        const char *text = cJSON_IsString(word) ? word->valuestring : "";
        if (strcmp(text, list->words[i]) != 0)
            return sac_fail(error, SAC_E_FORMAT, "model", OTHER_FILE,
                            "word %zu of \"%s\" is \"%.40s\"; this program's is \"%s\"", i, name,
                            text, list->words[i]);
        i++;
    }
    return SAC_OK;
}

static sac_status read_words(const cJSON *model, const char *name, sac_language language,
                             int *count, sac_error *error)
{
    sac_word_list list;
    sac_status status = sac_word_list_create(language, &list, error);
    if (status != SAC_OK)
        return status;
    *count = (int)list.count;
    status = compare_words(cJSON_GetObjectItemCaseSensitive(model, name), &list, name, error);
    sac_word_list_free(&list);
    return status;
}

static sac_status read_description(const cJSON *model, sac_translator_shape *shape,
                                   sac_error *error)
{
    int format;
    sac_status status = read_size(model, "format", FORMAT, FORMAT, &format, error);
    if (status == SAC_OK)
        status = read_score(model, shape, error);
    if (status == SAC_OK)
        status = read_size(model, "attention", 1, 4096, &shape->attention, error);
    if (status == SAC_OK)
        status = read_size(model, "hidden", 1, 4096, &shape->hidden, error);
    if (status == SAC_OK)
        status = read_size(model, "embedding", 1, 4096, &shape->embedding, error);
    if (status == SAC_OK)
        status = read_words(model, "english", SAC_ENGLISH, &shape->source_words, error);
    if (status == SAC_OK)
        status = read_words(model, "french", SAC_FRENCH, &shape->target_words, error);
    return status;
}

/* ---------------------------------------------------------------- believing it */

/* Numbers of the file that are no moments of the training. */
static size_t count_numbers(const sac_arrays *file)
{
    size_t count = 0;
    for (size_t i = 0; i < sac_arrays_size(file); i++)
        if (strncmp(sac_arrays_name(file, i), "adam.", 5) != 0)
            count += sac_array_count(sac_arrays_at(file, i));
    return count;
}

/* The limits on the sizes keep these sums far below what a size_t holds. */
static sac_status check_fits(const sac_arrays *file, const sac_translator_shape *shape,
                             sac_error *error)
{
    sac_parameters parameters = {0};
    sac_translator_weights weights = {0};
    size_t there = count_numbers(file);
    sac_translator_declare(shape, &parameters, &weights);
    size_t asked = sac_parameters_numbers(&parameters);
    sac_parameters_destroy(&parameters);
    if (asked > there)
        return sac_fail(error, SAC_E_FORMAT, "model", OTHER_FILE,
                        "asks for %zu numbers; the file holds %zu", asked, there);
    return SAC_OK;
}

static sac_status read_model(const sac_arrays *file, sac_translator_shape *shape, sac_error *error)
{
    const char *text = sac_arrays_metadata(file, "model");
    if (!text)
        return sac_fail(error, SAC_E_FORMAT, NULL, OTHER_FILE,
                        "does not describe the model that its weights belong to");
    cJSON *model = cJSON_Parse(text);
    sac_status status = cJSON_IsObject(model)
                            ? read_description(model, shape, error)
                            : sac_fail(error, SAC_E_FORMAT, "model", OTHER_FILE, "is not JSON");
    cJSON_Delete(model);
    return status == SAC_OK ? check_fits(file, shape, error) : status;
}

sac_status sac_translator_read_shape(const sac_arrays *file, const char *path,
                                     sac_translator_shape *shape, sac_error *error)
{
    *shape = (sac_translator_shape){0};
    sac_status status = read_model(file, shape, error);
    return status == SAC_OK ? status : sac_error_within(error, status, path);
}
