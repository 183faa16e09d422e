/* The model's description in its weights' file. A description is believed only within limits,
 * and only as far as the numbers that it asks for are in the file: nothing is allocated before. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/error.h"
#include "captioner/model.h"
#include "scenes/vocabulary.h"

enum {
    FORMAT = 1,             /* of the description */
    MOST_SCRATCH = 1 << 26, /* floats of scratch that encoding one picture takes */
};
#define OTHER_FILE "give weights that `saccade train captioner` wrote"

/* ---------------------------------------------------------------- writing */

static bool add_layers(cJSON *model, const sac_captioner_shape *shape)
{
    cJSON *layers = cJSON_AddArrayToObject(model, "layers");
    bool done = layers != NULL;
    for (int i = 0; i < shape->layers && done; i++) {
        const int layer[] = {shape->layer[i].channels, shape->layer[i].stride};
        done = cJSON_AddItemToArray(layers, cJSON_CreateIntArray(layer, 2));
    }
    return done;
}

static bool add_vocabulary(cJSON *model, const sac_captioner_shape *shape)
{
    cJSON *words = cJSON_AddArrayToObject(model, "vocabulary");
    bool done = words != NULL;
    for (int i = 0; i < shape->vocabulary && done; i++)
        done = cJSON_AddItemToArray(words, cJSON_CreateString(sac_word_text(i)));
    return done;
}

char *sac_captioner_describe(const sac_captioner_shape *shape)
{
    cJSON *model = cJSON_CreateObject();
    bool done = cJSON_AddNumberToObject(model, "format", FORMAT) &&
                cJSON_AddNumberToObject(model, "side", shape->side) && add_layers(model, shape) &&
                cJSON_AddStringToObject(model, "score", sac_score_name(shape->score)) &&
                cJSON_AddNumberToObject(model, "attention", shape->attention) &&
                cJSON_AddNumberToObject(model, "hidden", shape->hidden) &&
                cJSON_AddNumberToObject(model, "embedding", shape->embedding) &&
                add_vocabulary(model, shape);
    char *text = done ? cJSON_PrintUnformatted(model) : NULL;
    cJSON_Delete(model);
    return text;
}

/* ---------------------------------------------------------------- reading the description */

static sac_status check_size(double value, const char *what, int low, int high, int *size,
                             sac_error *error)
{
    if (!(value >= low && value <= high) || value != floor(value))
        return sac_fail(error, SAC_E_FORMAT, "model", OTHER_FILE,
                        "%s is %g; it is a whole number from %d to %d", what, value, low, high);
    *size = (int)value;
    return SAC_OK;
}

static sac_status read_size(const cJSON *model, const char *name, int low, int high, int *size,
                            sac_error *error)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(model, name);
    if (!cJSON_IsNumber(item))
        return sac_fail(error, SAC_E_FORMAT, "model", OTHER_FILE, "has no number \"%s\"", name);
    return check_size(item->valuedouble, name, low, high, size, error);
}

static sac_status read_layers(const cJSON *model, sac_captioner_shape *shape, sac_error *error)
{
    const cJSON *layers = cJSON_GetObjectItemCaseSensitive(model, "layers"), *layer;
    if (!cJSON_IsArray(layers))
        return sac_fail(error, SAC_E_FORMAT, "model", OTHER_FILE, "has no list \"layers\"");
    sac_status status = check_size(cJSON_GetArraySize(layers), "the number of layers", 1,
                                   SAC_CAPTIONER_LAYERS, &shape->layers, error);
    int i = 0;
    cJSON_ArrayForEach(layer, layers)
    {
        const cJSON *channels = cJSON_GetArrayItem(layer, 0),
                    *stride = cJSON_GetArrayItem(layer, 1);
        if (status != SAC_OK)
            break;
        if (!cJSON_IsNumber(channels) || !cJSON_IsNumber(stride))
            return sac_fail(error, SAC_E_FORMAT, "model", OTHER_FILE,
                            "layer %d is not [channels, stride]", i);
        status = check_size(channels->valuedouble, "a layer's channels", 1, 512,
                            &shape->layer[i].channels, error);
        if (status == SAC_OK)
            status = check_size(stride->valuedouble, "a layer's stride", 1, 4,
                                &shape->layer[i].stride, error);
        i++;
    }
    return status;
}

static sac_status read_score(const cJSON *model, sac_captioner_shape *shape, sac_error *error)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(model, "score");
    const char *name = cJSON_IsString(item) ? item->valuestring : "";
    if (sac_score_from_name(name, &shape->score) &&
        (shape->score == SAC_SCORE_ADDITIVE || shape->score == SAC_SCORE_SCALED_DOT ||
         shape->score == SAC_SCORE_BILINEAR))
        return SAC_OK;
    return sac_fail(error, SAC_E_FORMAT, "model", OTHER_FILE,
                    "score is \"%.40s\", not additive, scaled-dot or bilinear", name);
}

/* The words in their order are what the numbers mean: any other order is another model. */
static sac_status read_vocabulary(const cJSON *model, sac_captioner_shape *shape, sac_error *error)
{
    const cJSON *words = cJSON_GetObjectItemCaseSensitive(model, "vocabulary"), *word;
    if (!cJSON_IsArray(words))
        return sac_fail(error, SAC_E_FORMAT, "model", OTHER_FILE, "has no list \"vocabulary\"");
    sac_status status = check_size(cJSON_GetArraySize(words), "the number of words",
                                   SAC_WORD_END + 2, SAC_WORDS, &shape->vocabulary, error);
    int i = 0;
    cJSON_ArrayForEach(word, words)
    {
        const char *text = cJSON_IsString(word) ? word->valuestring : "";
        if (status != SAC_OK)
            break;
        if (strcmp(text, sac_word_text(i)) != 0)
            return sac_fail(error, SAC_E_FORMAT, "model", OTHER_FILE,
                            "word %d is \"%.40s\"; this program's is \"%s\"", i, text,
                            sac_word_text(i));
        i++;
    }
    return status;
}

static sac_status read_description(const cJSON *model, sac_captioner_shape *shape, sac_error *error)
{
    int format;
    sac_status status = read_size(model, "format", FORMAT, FORMAT, &format, error);
    if (status == SAC_OK)
        status = read_size(model, "side", 8, 512, &shape->side, error);
    if (status == SAC_OK)
        status = read_layers(model, shape, error);
    if (status == SAC_OK)
        status = read_score(model, shape, error);
    if (status == SAC_OK)
        status = read_size(model, "attention", 1, 4096, &shape->attention, error);
    if (status == SAC_OK)
        status = read_size(model, "hidden", 1, 4096, &shape->hidden, error);
    if (status == SAC_OK)
        status = read_size(model, "embedding", 1, 4096, &shape->embedding, error);
    if (status == SAC_OK)
        status = read_vocabulary(model, shape, error);
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
static sac_status check_fits(const sac_arrays *file, const sac_captioner_shape *shape,
                             sac_error *error)
{
    sac_parameters parameters = {0};
    sac_captioner_weights weights;
    size_t there = count_numbers(file);
    int grid = sac_captioner_grid(shape);
    if (grid > SAC_CAPTIONER_GRID || sac_captioner_scratch(shape, 1) > MOST_SCRATCH)
        return sac_fail(error, SAC_E_FORMAT, "model", OTHER_FILE,
                        "looks at %d × %d pixels and %d × %d cells, more than this program takes",
                        shape->side, shape->side, grid, grid);
    sac_captioner_declare(shape, &parameters, &weights);
    size_t asked = sac_parameters_numbers(&parameters);
    sac_parameters_destroy(&parameters);
    if (asked > there)
        return sac_fail(error, SAC_E_FORMAT, "model", OTHER_FILE,
                        "asks for %zu numbers; the file holds %zu", asked, there);
    return SAC_OK;
}

/* ---------------------------------------------------------------- loading */

static sac_status read_model(const sac_arrays *file, sac_captioner_shape *shape, sac_error *error)
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

sac_status sac_captioner_read_shape(const sac_arrays *file, const char *path,
                                    sac_captioner_shape *shape, sac_error *error)
{
    *shape = (sac_captioner_shape){0};
    sac_status status = read_model(file, shape, error);
    return status == SAC_OK ? status : sac_error_within(error, status, path);
}
