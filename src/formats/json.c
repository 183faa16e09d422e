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
