/* Files of captions, whatever their format, as rows: a picture's name, a caption, a split. */
#ifndef SAC_PICTURES_ROWS_H
#define SAC_PICTURES_ROWS_H

#include "pictures/pictures.h"
#include "pictures/text_table.h"

typedef struct sac_caption_row {
    char *name;    /* of the picture in the file; owned */
    char *caption; /* owned; NULL: the file names the picture alone */
    int split;     /* a sac_pictures_split; −1: the file has none */
    bool is_id;    /* `name` is the picture's id, and the file has no name for it */
} sac_caption_row;

typedef struct sac_caption_rows {
    sac_caption_row *rows; /* [count] */
    size_t count, capacity;
    sac_pictures_skipped bad; /* rows without a picture or a caption: "line 12" */
    char *note;               /* what a person should know of the file; NULL: nothing */
    sac_text_table ids;       /* of pictures, … */
    char **names;             /* [named], … and their names; owned */
    int named;
} sac_caption_rows;

/* Reads a file of captions, or with `names` also one that lists pictures alone. SAC_E_FILE,
 * SAC_E_FORMAT, SAC_E_MEMORY, SAC_E_CANCELLED. Free the rows in any case. */
sac_status sac_caption_rows_load(const char *path, bool names, sac_caption_rows *rows,
                                 sac_error *error);
/* Adds the lines of a text file next to picture `name`: each is a caption of it. */
sac_status sac_caption_rows_add_lines(const char *path, const char *name, sac_caption_rows *rows,
                                      sac_error *error);
void sac_caption_rows_free(sac_caption_rows *rows);

/* Notes something that was left out. False: no memory. */
bool sac_pictures_skip_add(sac_pictures_skipped *skipped, const char *name);
void sac_pictures_skip_free(sac_pictures_skipped *skipped);

/* ---- for the formats */

/* `name` without the blanks around it and the number behind it ("a.jpg#0"); `caption` may be NULL.
 * A caption that is a list in JSON is as many rows. False: no memory. */
bool sac_caption_rows_add(sac_caption_rows *rows, const char *name, const char *caption, int split);
/* The same of a caption that is never a list. False: no memory. */
bool sac_caption_rows_add_plain(sac_caption_rows *rows, const char *name, const char *caption,
                                int split);
/* Remembers the first name that an id has, or an id without a name yet. False: no memory. */
bool sac_caption_rows_set_name(sac_caption_rows *rows, const char *id, const char *name);
/* A row that has no picture or no caption: "line 12". False: no memory. */
bool sac_caption_rows_add_bad(sac_caption_rows *rows, const char *what, size_t number);

/* A number or a text that stands for a picture, as text; NULL: there is none. */
const char *sac_json_id(const struct cJSON *object, const char *key, char number[32]);

/* What the columns of a table and the keys of JSON are called. */
typedef enum sac_caption_field {
    SAC_FIELD_OTHER = 0,
    SAC_FIELD_NAME,    /* image, filename, … */
    SAC_FIELD_ID,      /* name, id, image_id: a name where there is no other */
    SAC_FIELD_CAPTION, /* caption, text, sentences, caption2, … */
    SAC_FIELD_SPLIT
} sac_caption_field;
sac_caption_field sac_caption_field_of(const char *name);

/* UTF-8 text of `size` bytes without a NUL; with `names` it may list pictures alone. */
sac_status sac_caption_rows_read_json(const char *text, size_t size, bool names,
                                      sac_caption_rows *rows, sac_error *error);

#endif
