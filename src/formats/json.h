/* A JSON file that holds an object. */
#ifndef SAC_FORMATS_JSON_H
#define SAC_FORMATS_JSON_H

#include "saccade.h"

struct cJSON;

/* Fails as sac_bytes_read does, and with SAC_E_FORMAT where it is something else; *json is NULL
 * then. cJSON_Delete() it. */
sac_status sac_json_load(const char *path, struct cJSON **json, sac_error *error);

#endif
