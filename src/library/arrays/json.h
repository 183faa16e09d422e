/* JSON that comes from outside. */
#ifndef SAC_ARRAYS_JSON_H
#define SAC_ARRAYS_JSON_H

#include "base/look.h"
#include "saccade.h"

struct cJSON;

#define SAC_JSON_MOST ((size_t)64 << 20)       /* bytes of a file */
#define SAC_JSON_CONFIG_MOST ((size_t)1 << 20) /* … for JSON that holds only settings */

/* Parses a whole text, which may end with blanks. SAC_E_FORMAT if it is not JSON, not UTF-8 (the
 * error names the line), or has more values than memory is given for; *json is NULL then.
 * cJSON_Delete() it: all its texts are UTF-8, and U+FDD0 stands for \u0000 in them. NaN, Infinity and
 * -Infinity, as Python's json writes them, are cJSON_Raw: no number, no text. All JSON that
 * comes from outside is parsed here. */
sac_status sac_json_parse(const char *text, size_t size, struct cJSON **json, sac_error *error);

/* One part of a large text, and the key that the outer object has for it, or for the list that it is
 * in; "" where there is no outer object. */
typedef sac_status sac_json_take(void *user, const char *key, const struct cJSON *part,
                                 sac_error *error);
/* Gives `take` one part after the other, of which one alone is in memory: of an outer object each
 * element of its lists and each other value; the elements of an outer list; or, of JSON Lines, each
 * value. Fails as sac_json_parse does, with the line of the part, and as `take` does. */
sac_status sac_json_each(const char *text, size_t size, sac_json_take *take, void *user,
                         sac_error *error);

/* A file that holds an object. Fails as sac_bytes_read and sac_json_parse do, and with SAC_E_FORMAT
 * where it is larger than above or something else. */
sac_status sac_json_load(const char *path, struct cJSON **json, sac_error *error);
/* config.json and its like. */
sac_status sac_json_load_config(const char *path, struct cJSON **json, sac_error *error);

/* [x0,y0,x1,y1], pixels of a picture of width × height → shares of it. False: it is something else,
 * or does not lie in the picture. */
bool sac_json_box(const struct cJSON *json, double width, double height, float box[4]);
/* A list of up to SAC_LOOK_BOXES of them. */
bool sac_json_look(const struct cJSON *json, double width, double height, sac_look *look);

#endif
