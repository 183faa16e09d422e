/* The description of a model in its file: JSON, read with checks, and written. */

#include "models/description.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/json.h"
#include "base/error.h"
#include "models/checkpoint.h"
#include "saccade_arrays.h"

/* ---------------------------------------------------------------- writing */

bool sac_description_add_words(cJSON *model, const char *name,
                               const sac_description_vocabulary *vocabulary, int count)
{
    cJSON *list = cJSON_AddArrayToObject(model, name);
    bool done = list != NULL;
    for (int i = 0; i < count && done; i++)
        done =
            cJSON_AddItemToArray(list, cJSON_CreateString(vocabulary->word(vocabulary->self, i)));
    return done;
}

bool sac_description_add_normalizer(cJSON *model, sac_normalizer normalizer)
{
    return normalizer == SAC_NORMALIZER_SOFTMAX ||
           cJSON_AddStringToObject(model, "normalizer", sac_normalizer_name(normalizer));
}

char *sac_description_print_and_free(cJSON *model, bool whole)
{
    char *text = whole ? cJSON_PrintUnformatted(model) : NULL;
    cJSON_Delete(model);
    return text;
}

/* ---------------------------------------------------------------- the file */

sac_description sac_description_open(const sac_arrays *file, const char *model, sac_error *error)
{
    sac_description d = {.file = file, .error = error};
    const char *text = sac_arrays_metadata(file, "model");
    snprintf(d.remedy, sizeof d.remedy, "give weights that `saccade train %s` wrote", model);
    if (!text) {
        d.status = sac_fail(error, SAC_E_FORMAT, NULL, d.remedy,
                            "does not describe the model that its weights belong to");
        return d;
    }
    if (sac_json_parse(text, strlen(text), &d.json, NULL) != SAC_OK || !cJSON_IsObject(d.json))
        sac_description_refuse(&d, "is not JSON");
    return d;
}

sac_status sac_description_close(sac_description *d, const char *path)
{
    cJSON_Delete(d->json);
    d->json = NULL;
    return sac_error_within(d->error, d->status, path);
}

void sac_description_refuse(sac_description *d, const char *what_format, ...)
{
    char what[sizeof d->error->what];
    va_list arguments;
    if (d->status != SAC_OK)
        return;
    va_start(arguments, what_format);
    vsnprintf(what, sizeof what, what_format, arguments);
    va_end(arguments);
    d->status = sac_fail(d->error, SAC_E_FORMAT, "model", d->remedy, "%s", what);
}

/* ---------------------------------------------------------------- its text */

static const cJSON *item_of(const sac_description *d, const char *name)
{
    return d->status == SAC_OK ? cJSON_GetObjectItemCaseSensitive(d->json, name) : NULL;
}

int sac_description_check(sac_description *d, double value, const char *what, int low, int high)
{
    if (!(value >= low && value <= high) || value != floor(value))
        sac_description_refuse(d, "%s is %g; it is a whole number from %d to %d", what, value, low,
                               high);
    return d->status == SAC_OK ? (int)value : low;
}

int sac_description_size(sac_description *d, const char *name, int low, int high)
{
    const cJSON *item = item_of(d, name);
    if (!cJSON_IsNumber(item)) {
        sac_description_refuse(d, "has no number \"%s\"", name);
        return low;
    }
    return sac_description_check(d, item->valuedouble, name, low, high);
}

float sac_description_number_or(sac_description *d, const char *name, float otherwise, float low,
                                float high)
{
    const cJSON *item = item_of(d, name);
    if (!item)
        return otherwise;
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= (double)low) ||
        !(item->valuedouble <= (double)high)) {
        sac_description_refuse(d, "\"%s\" is not a number from %g to %g", name, (double)low,
                               (double)high);
        return otherwise;
    }
    return (float)item->valuedouble;
}

bool sac_description_flag(sac_description *d, const char *name)
{
    const cJSON *item = item_of(d, name);
    if (!cJSON_IsBool(item))
        sac_description_refuse(d, "\"%s\" is not true or false", name);
    return cJSON_IsTrue(item);
}

const char *sac_description_text_or(sac_description *d, const char *name, const char *otherwise)
{
    const cJSON *item = item_of(d, name);
    if (item && !cJSON_IsString(item))
        sac_description_refuse(d, "\"%s\" is not a text", name);
    return cJSON_IsString(item) ? item->valuestring : otherwise;
}

sac_score sac_description_score(sac_description *d)
{
    sac_score score = SAC_SCORE_ADDITIVE;
    const cJSON *item = item_of(d, "score");
    const char *name = cJSON_IsString(item) ? item->valuestring : "";
    if (!sac_score_from_name(name, &score) ||
        (score != SAC_SCORE_ADDITIVE && score != SAC_SCORE_SCALED_DOT &&
         score != SAC_SCORE_BILINEAR))
        sac_description_refuse(d, "score is \"%.40s\", not additive, scaled-dot or bilinear", name);
    return score;
}

sac_normalizer sac_description_normalizer(sac_description *d)
{
    sac_normalizer normalizer = SAC_NORMALIZER_SOFTMAX;
    const char *name = sac_description_text_or(d, "normalizer", "softmax");
    if (!sac_normalizer_from_name(name, &normalizer))
        sac_description_refuse(d, "has the normalizer \"%.40s\", which this version does not have",
                               name);
    return normalizer;
}

const cJSON *sac_description_list(sac_description *d, const char *name)
{
    const cJSON *list = item_of(d, name);
    if (!cJSON_IsArray(list))
        sac_description_refuse(d, "has no list \"%s\"", name);
    return d->status == SAC_OK ? list : NULL;
}

int sac_description_check_words(sac_description *d, const char *name,
                                const sac_description_vocabulary *vocabulary, int least, int most)
{
    const cJSON *list = sac_description_list(d, name), *item;
    int i = 0, size = cJSON_GetArraySize(list);
    int count = sac_description_check(d, size, "the number of words", least, most);
    if (d->status != SAC_OK)
        return least;
    cJSON_ArrayForEach(item, list)
    {
        const char *expected = vocabulary->word(vocabulary->self, i);
        const char *text = cJSON_IsString(item) ? item->valuestring : "";
        if (strcmp(text, expected) != 0)
            sac_description_refuse(d, "word %d is \"%.40s\"; this program's is \"%s\"", i, text,
                                   expected);
        i++;
    }
    return count;
}

/* ---------------------------------------------------------------- what it asks for */

/* The count of the file's numbers without those of a training. */
static size_t count_numbers(const sac_arrays *file)
{
    size_t count = 0;
    for (size_t i = 0; i < sac_arrays_size(file); i++)
        if (!sac_parameters_is_of_training(sac_arrays_name(file, i)))
            count += sac_array_count(sac_arrays_at(file, i));
    return count;
}

void sac_description_check_number_count(sac_description *d, const sac_parameters *parameters)
{
    size_t asked = 0, there = count_numbers(d->file);
    for (const sac_parameters *p = parameters; p; p = p->others)
        asked += sac_parameters_numbers(p);
    if (asked > there)
        sac_description_refuse(d, "asks for %zu numbers; the file holds %zu", asked, there);
}

sac_status sac_description_take_normalizer(const sac_model *model, const sac_arrays *file,
                                           const char *path, sac_normalizer own,
                                           sac_normalizer *its, sac_error *error)
{
    if (!model->attention_chosen || *its == own)
        return SAC_OK;
    if (sac_checkpoint_has_moments(file))
        return sac_fail(error, SAC_E_ARGUMENT, path, "leave it out, or give finished weights",
                        "was begun with --attention %s, not %s", sac_normalizer_name(*its),
                        sac_normalizer_name(own));
    *its = own;
    return SAC_OK;
}

sac_status sac_description_compare(const sac_model *model, char *description, const char *path,
                                   sac_error *error)
{
    char *own = model->class->describe(model);
    sac_status status = SAC_OK;
    if (!own || !description)
        status = sac_no_memory(error, path);
    else if (strcmp(own, description) != 0)
        status = sac_fail(error, SAC_E_SHAPE, path,
                          "train it with the score and --attention it was begun with",
                          "holds a model of other sizes, another score or another attention");
    free(own);
    free(description);
    return status;
}
