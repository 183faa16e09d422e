/* Tables in JSON whose texts are not in rows of names and values, as pandas writes them. */
#ifndef SAC_PICTURES_ROWS_COLUMNS_H
#define SAC_PICTURES_ROWS_COLUMNS_H

#include "pictures/rows.h"

/* Zeroed: there are none. */
typedef struct sac_json_columns {
    struct cJSON
        *cells; /* an object of columns that are known, each an object or a list of cells; owned */
    struct cJSON *names, *index,
        *data; /* of rows that are lists, with the names of their columns; owned */
} sac_json_columns;

/* Keeps a part of an outer object that is of such a table, of a key that it has or whose list it is in. False: it is
 * none, or *status is SAC_E_MEMORY. */
bool sac_json_columns_take(sac_json_columns *columns, const char *key, const struct cJSON *part,
                           sac_status *status, sac_error *error);
/* Adds what was kept as rows: of columns that have names and captions, or captions by names in their index; with `names`
 * also names alone. Columns that are rather names of pictures go to `by_key`. SAC_E_FORMAT where it is a table of
 * something else, SAC_E_MEMORY. */
sac_status sac_json_columns_join(const sac_json_columns *columns, bool names,
                                 sac_caption_rows *by_key, sac_caption_rows *rows,
                                 sac_error *error);
void sac_json_columns_free(sac_json_columns *columns);

/* A caption in JSON: a text; an object with one, or with tokens; or a list of these. False: no memory. */
bool sac_json_add_captions(sac_caption_rows *rows, const char *name, const struct cJSON *caption,
                           int split, int depth);

#endif
