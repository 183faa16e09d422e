/* A JSON file in memory. */
#include "formats/json.h"

#include <cjson/cJSON.h>

#include "base/error.h"
#include "formats/bytes.h"

sac_status sac_json_load(const char *path, cJSON **json, sac_error *error)
{
    sac_bytes bytes;
    *json = NULL;
    sac_status status = sac_bytes_read(path, &bytes, error);
    if (status != SAC_OK)
        return status;
    cJSON *read = cJSON_ParseWithLength((const char *)bytes.data, bytes.size);
    sac_bytes_free(&bytes);
    if (cJSON_IsObject(read)) {
        *json = read;
        return SAC_OK;
    }
    cJSON_Delete(read);
    return sac_fail(error, SAC_E_FORMAT, path, NULL, "is not an object in JSON");
}

bool sac_json_box(const cJSON *json, double width, double height, float box[4])
{
    const double size[4] = {width, height, width, height};
    double pixels[4];
    if (!cJSON_IsArray(json) || cJSON_GetArraySize(json) != 4)
        return false;
    for (int k = 0; k < 4; k++) {
        const cJSON *number = cJSON_GetArrayItem(json, k);
        if (!cJSON_IsNumber(number))
            return false;
        pixels[k] = number->valuedouble;
        box[k] = (float)(pixels[k] / size[k]);
    }
    return pixels[0] >= 0 && pixels[1] >= 0 && pixels[0] < pixels[2] && pixels[1] < pixels[3] &&
           pixels[2] <= width && pixels[3] <= height;
}

bool sac_json_look(const cJSON *json, double width, double height, sac_look *look)
{
    const cJSON *box;
    *look = (sac_look){0};
    if (!cJSON_IsArray(json) || cJSON_GetArraySize(json) > SAC_LOOK_BOXES)
        return false;
    cJSON_ArrayForEach(box, json)
    {
        if (!sac_json_box(box, width, height, look->box[look->count++]))
            return false;
    }
    return true;
}
