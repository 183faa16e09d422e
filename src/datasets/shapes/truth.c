/* Makes the ground truth of a scene, and writes and reads it as JSON. */

#include "shapes/truth.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrays/bytes.h"
#include "arrays/json.h"
#include "base/error.h"
#include "images/png_write.h"

/* ---------------------------------------------------------------- from a scene */

void sac_truth_of_scene(const sac_scene *scene, sac_truth *truth)
{
    *truth = (sac_truth){.dataset = "shapes", .words = scene->words - 1, .count = scene->count};
    for (int i = 0; i < SAC_SCENE_WORDS; i++) {
        bool is_present = i < truth->words;
        snprintf(truth->word[i], sizeof truth->word[i], "%s",
                 is_present ? sac_word_text(scene->word[i]) : "");
        truth->object_of_word[i] = is_present ? scene->object_of_word[i] : -1;
    }
    for (int i = 0; i < scene->count; i++)
        memcpy(truth->boxes[i], scene->objects[i].box, sizeof truth->boxes[i]);
}

static cJSON *words_json(const sac_scene *scene)
{
    cJSON *words = cJSON_CreateArray();
    for (int i = 0; i < scene->words - 1; i++) {
        cJSON *word = cJSON_CreateObject();
        cJSON_AddStringToObject(word, "word", sac_word_text(scene->word[i]));
        if (scene->object_of_word[i] < 0)
            cJSON_AddNullToObject(word, "object");
        else
            cJSON_AddNumberToObject(word, "object", scene->object_of_word[i]);
        cJSON_AddItemToArray(words, word);
    }
    return words;
}

static cJSON *objects_json(const sac_scene *scene, int side)
{
    static const char *const fills[] = {
        [SAC_FILL_SOLID] = "solid",     [SAC_FILL_GRADED] = "graded",
        [SAC_FILL_STRIPED] = "striped", [SAC_FILL_BORDERED] = "bordered",
        [SAC_FILL_HOLLOW] = "hollow",   [SAC_FILL_HATCHED] = "hatched",
    };
    cJSON *objects = cJSON_CreateArray();
    for (int i = 0; i < scene->count; i++) {
        const sac_scene_object *from = &scene->objects[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "colour", sac_word_text(SAC_WORD_COLOUR + from->colour));
        cJSON_AddStringToObject(object, "shape", sac_word_text(SAC_WORD_SHAPE + from->shape));
        cJSON_AddStringToObject(object, "size", from->large ? "large" : "small");
        cJSON_AddStringToObject(object, "fill", fills[from->fill]);
        cJSON *box = cJSON_AddArrayToObject(object, "box");
        for (int k = 0; k < 4; k++) { /* to a hundredth of a pixel */
            long hundredths = (long)((double)from->box[k] * side * 100 + 0.5);
            cJSON_AddItemToArray(box, cJSON_CreateNumber((double)hundredths / 100));
        }
        cJSON_AddNumberToObject(object, "pixels", (double)sac_scene_visible_pixels(scene, side, i));
        cJSON_AddItemToArray(objects, object);
    }
    return objects;
}

char *sac_scene_json(const sac_scene *scene, int side)
{
    static const char *const grounds[] = {"plain", "graded",  "noisy",  "radial",
                                          "ruled", "checked", "striped"};
    char seed[32], caption[256];
    cJSON *root = cJSON_CreateObject();
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)scene->seed);
    cJSON_AddRawToObject(root, "seed", seed); /* as a number it would lose digits */
    cJSON_AddStringToObject(root, "stream", sac_stream_name(scene->stream));
    cJSON_AddNumberToObject(root, "side", side);
    cJSON_AddStringToObject(root, "caption",
                            sac_sentence(scene->word, scene->words, caption, sizeof caption));
    cJSON_AddItemToObject(root, "words", words_json(scene));
    cJSON_AddItemToObject(root, "objects", objects_json(scene, side));
    cJSON_AddStringToObject(root, "ground", grounds[scene->ground]);
    cJSON_AddBoolToObject(root, "unseen_pair", sac_scene_has_unseen_pair(scene));
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    return text;
}

/* ---------------------------------------------------------------- from JSON */

static const cJSON *json_field(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static sac_status fail_format(sac_error *error, const char *where, const char *what, int index)
{
    return sac_fail(error, SAC_E_FORMAT, where,
                    "`saccade scene --json` shows what a scene's JSON holds", what, index);
}

/* *index: a whole number of 0 … count − 1, or −1 for null. */
static bool read_object_index(const cJSON *item, int count, int *index)
{
    *index = -1;
    if (cJSON_IsNull(item))
        return true;
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble < count))
        return false;
    *index = (int)item->valuedouble;
    return item->valuedouble == *index;
}

/* A word of printable ASCII without spaces, which fits. */
static bool read_word(const cJSON *item, char *word, size_t size)
{
    const char *text = cJSON_GetStringValue(item);
    size_t length = text ? strlen(text) : 0;
    if (length < 1 || length >= size)
        return false;
    for (size_t i = 0; i < length; i++)
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    memcpy(word, text, length + 1);
    return true;
}

static sac_status read_objects(const cJSON *root, double side, const char *where, sac_truth *truth,
                               sac_error *error)
{
    const cJSON *objects = json_field(root, "objects"), *object;
    int count = cJSON_IsArray(objects) ? cJSON_GetArraySize(objects) : 0;
    if (!cJSON_IsArray(objects) || count > SAC_SCENE_OBJECTS)
        return fail_format(error, where, "\"objects\" is not a list of up to %d",
                           SAC_SCENE_OBJECTS);
    cJSON_ArrayForEach(object, objects)
    {
        int i = truth->count++;
        if (!sac_json_box(json_field(object, "box"), side, side, truth->boxes[i]))
            return fail_format(error, where,
                               "object %d has no \"box\" of four numbers in the picture", i);
    }
    return SAC_OK;
}

static sac_status read_words(const cJSON *root, double side, const char *where, sac_truth *truth,
                             sac_error *error)
{
    const cJSON *words = json_field(root, "words"), *word;
    int count = cJSON_IsArray(words) ? cJSON_GetArraySize(words) : 0;
    if (count < 1 || count >= SAC_SCENE_WORDS)
        return fail_format(error, where, "\"words\" is not a list of 1 to %d", SAC_SCENE_WORDS - 1);
    cJSON_ArrayForEach(word, words)
    {
        int i = truth->words++;
        if (!read_word(json_field(word, "word"), truth->word[i], sizeof truth->word[i]))
            return fail_format(error, where, "word %d has no \"word\" of 1 to 15 letters", i);
        if (truth->by_word &&
            !sac_json_look(json_field(word, "boxes"), side, side, &truth->look[i]))
            return fail_format(error, where,
                               "word %d has no \"boxes\" of four numbers in the picture", i);
        if (!truth->by_word &&
            !read_object_index(json_field(word, "object"), truth->count, &truth->object_of_word[i]))
            return fail_format(error, where, "word %d names an \"object\" that is not there", i);
    }
    return SAC_OK;
}

static sac_status read_truth(const cJSON *root, const char *where, sac_truth *truth,
                             sac_error *error)
{
    const cJSON *side = json_field(root, "side"), *dataset = json_field(root, "world");
    sac_status status = SAC_OK;
    if (!cJSON_IsNumber(side) || !(side->valuedouble >= 1 && side->valuedouble <= 1e6))
        return fail_format(error, where, "\"side\" is not a number of 1 to %d", 1000000);
    snprintf(truth->dataset, sizeof truth->dataset, "shapes");
    if (dataset && !read_word(dataset, truth->dataset, sizeof truth->dataset))
        return fail_format(error, where, "\"world\" is no name of 1 to %d letters",
                           (int)sizeof truth->dataset - 1);
    truth->by_word = strcmp(truth->dataset, "shapes") != 0;
    if (!truth->by_word)
        status = read_objects(root, side->valuedouble, where, truth, error);
    return status == SAC_OK ? read_words(root, side->valuedouble, where, truth, error) : status;
}

sac_status sac_truth_parse(const char *json, const char *where, sac_truth *truth, sac_error *error)
{
    *truth = (sac_truth){0};
    for (int i = 0; i < SAC_SCENE_WORDS; i++)
        truth->object_of_word[i] = -1;
    cJSON *root;
    sac_status status =
        sac_error_within(error, sac_json_parse(json, strlen(json), &root, error), where);
    if (status == SAC_OK && !cJSON_IsObject(root))
        status = sac_fail(error, SAC_E_FORMAT, where, "check it with a JSON tool",
                          "is JSON, but no object");
    else if (status == SAC_OK)
        status = read_truth(root, where, truth, error);
    cJSON_Delete(root);
    if (status != SAC_OK)
        *truth = (sac_truth){0};
    return status;
}

/* ---------------------------------------------------------------- from files */

/* The path with its ending exchanged for ".json". */
static bool json_path_beside(const char *picture, char *path, size_t size)
{
    const char *name = strrchr(picture, '/');
    const char *ending = strrchr(name ? name + 1 : picture, '.');
    size_t stem = ending ? (size_t)(ending - picture) : strlen(picture);
    int used = snprintf(path, size, "%.*s.json", (int)stem, picture);
    return used > 0 && (size_t)used < size && strcmp(path, picture) != 0;
}

static sac_status load_truth_json(const char *path, sac_truth *truth, sac_error *error)
{
    sac_bytes file;
    sac_status status = sac_bytes_read(path, &file, error);
    if (status != SAC_OK)
        return status;
    char *text = malloc(file.size + 1);
    if (!text) {
        status = sac_no_memory(error, path);
    } else {
        memcpy(text, file.data, file.size);
        text[file.size] = '\0';
        status = sac_truth_parse(text, path, truth, error);
    }
    free(text);
    sac_bytes_free(&file);
    return status;
}

sac_status sac_truth_load(const char *picture, sac_truth *truth, bool *found, sac_error *error)
{
    char path[4096];
    sac_png_texts texts;
    *truth = (sac_truth){0};
    *found = false;
    sac_status status = sac_png_texts_load(picture, &texts, error);
    if (status != SAC_OK)
        return status;
    const char *text = sac_png_texts_get(&texts, "scene");
    if (!text)
        text = sac_png_texts_get(&texts, "book");
    if (text) {
        status = sac_truth_parse(text, picture, truth, error);
        *found = status == SAC_OK;
    } else if (json_path_beside(picture, path, sizeof path) && access(path, F_OK) == 0) {
        status = load_truth_json(path, truth, error);
        *found = status == SAC_OK;
    }
    sac_png_texts_free(&texts);
    return status;
}
