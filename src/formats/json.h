/* A JSON file that holds an object. */
#ifndef SAC_FORMATS_JSON_H
#define SAC_FORMATS_JSON_H

#include "base/look.h"
#include "saccade.h"

struct cJSON;

/* Fails as sac_bytes_read does, and with SAC_E_FORMAT where it is something else; *json is NULL
 * then. cJSON_Delete() it. */
sac_status sac_json_load(const char *path, struct cJSON **json, sac_error *error);

/* [x0,y0,x1,y1], pixels of a picture of width × height → shares of it. False: it is something else,
 * or does not lie in the picture. */
bool sac_json_box(const struct cJSON *json, double width, double height, float box[4]);
/* A list of up to SAC_LOOK_BOXES of them. */
bool sac_json_look(const struct cJSON *json, double width, double height, sac_look *look);

#endif
