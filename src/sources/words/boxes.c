/* Boxes out of JSON. */
#include "sources/words/boxes.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "arrays/json.h"
#include "base/error.h"

static const cJSON *field(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static sac_status refuse_boxes_file(sac_error *error, const char *path, const char *what, int index)
{
    return sac_fail(error, SAC_E_FORMAT, path,
                    "give {\"objects\":[{\"words\":[\"dog\"],\"boxes\":[[x0,y0,x1,y1]]}]}, in "
                    "pixels of the picture",
                    what, index);
}

/* The number of things in a list of 1 to `most`; 0: it is none. */
static int list_size_or_zero(const cJSON *list, int most)
{
    int count = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    return count <= most ? count : 0;
}

static bool read_words(const cJSON *list, char words[3][24])
{
    int count = list_size_or_zero(list, 3);
    for (int i = 0; i < count; i++) {
        const char *text = cJSON_GetStringValue(cJSON_GetArrayItem(list, i));
        if (!text || !text[0] || strlen(text) >= sizeof words[i])
            return false;
        strcpy(words[i], text);
    }
    return count > 0;
}

static sac_status read_objects(const cJSON *root, const char *path, int width, int height,
                               sac_caption_truth *truth, sac_error *error)
{
    const cJSON *objects = field(root, "objects");
    truth->objects = list_size_or_zero(objects, SAC_CAPTION_OBJECTS);
    if (!truth->objects)
        return refuse_boxes_file(error, path, "\"objects\" is not a list of 1 to %d",
                                 SAC_CAPTION_OBJECTS);
    for (int i = 0; i < truth->objects; i++) {
        const cJSON *object = cJSON_GetArrayItem(objects, i);
        if (!read_words(field(object, "words"), truth->object[i].words))
            return refuse_boxes_file(error, path,
                                     "object %d has no \"words\", 1 to 3 of up to 23 letters", i);
        sac_look *look = &truth->object[i].look;
        if (!sac_json_look(field(object, "boxes"), width, height, look) || !look->count)
            return refuse_boxes_file(
                error, path, "object %d has no \"boxes\" of four numbers in the picture", i);
    }
    return SAC_OK;
}

sac_status sac_boxes_load(const char *path, int width, int height, sac_caption_truth *truth,
                          sac_error *error)
{
    cJSON *root;
    *truth = (sac_caption_truth){.by_word = true, .by_name = true};
    sac_status status = sac_json_load(path, &root, error);
    if (status == SAC_OK)
        status = read_objects(root, path, width, height, truth, error);
    cJSON_Delete(root);
    return status;
}
