/* Reads captions from JSON: COCO's format, Karpathy's, and lists of objects. */
#include "pictures/rows.h"

#include <cjson/cJSON.h>

#include <stdlib.h>
#include <string.h>

#include "arrays/json.h"
#include "base/error.h"
#include "images/folder.h"

/* COCO gives captions and names by the picture's number, in lists of any order. */
typedef struct reader {
    sac_caption_rows *rows;
    sac_text_table ids; /* of pictures */
    char **names;       /* [capacity], by the id's number; owned */
    int capacity;
    sac_caption_rows by_id; /* captions whose name is an id */
    size_t objects;         /* of a list that has no key */
} reader;

static const char *text_of(const cJSON *object, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

const char *sac_json_id(const cJSON *object, const char *key, char number[32])
{
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(object, key);
    if (cJSON_IsString(id))
        return id->valuestring;
    if (!cJSON_IsNumber(id))
        return NULL;
    snprintf(number, 32, "%.17g", id->valuedouble);
    return number;
}

/* A caption: a text; an object with one, or with tokens; or a list of these. False: no memory. */
static bool add_captions(sac_caption_rows *rows, const char *name, const cJSON *caption, int split,
                         int depth)
{
    bool done = true;
    const cJSON *item;
    if (cJSON_IsString(caption))
        return sac_caption_rows_add(rows, name, caption->valuestring, split);
    if (cJSON_IsArray(caption) && depth < 2) {
        cJSON_ArrayForEach(item, caption) done =
            done && add_captions(rows, name, item, split, depth + 1);
        return done;
    }
    const cJSON *tokens = cJSON_GetObjectItemCaseSensitive(caption, "tokens"), *text = NULL;
    cJSON_ArrayForEach(item, caption)
    {
        if (cJSON_IsString(item) && sac_caption_field_of(item->string) == SAC_FIELD_CAPTION)
            text = item;
    }
    if (text || !cJSON_IsArray(tokens))
        return sac_caption_rows_add(rows, name, text ? text->valuestring : "", split);
    size_t size = 1;
    cJSON_ArrayForEach(item, tokens) size +=
        cJSON_IsString(item) ? strlen(item->valuestring) + 1 : 0;
    char *joined = calloc(size, 1), *to = joined;
    if (!joined)
        return false;
    cJSON_ArrayForEach(item, tokens) if (cJSON_IsString(item)) to +=
        sprintf(to, "%s ", item->valuestring);
    done = sac_caption_rows_add(rows, name, joined, split);
    free(joined);
    return done;
}

static bool keep_name(reader *r, const char *id, const char *name)
{
    int number = sac_text_table_add(&r->ids, id, strlen(id));
    if (number >= r->capacity) {
        int capacity = r->ids.capacity;
        char **names = realloc(r->names, (size_t)capacity * sizeof *names);
        if (!names)
            return false;
        memset(names + r->capacity, 0, (size_t)(capacity - r->capacity) * sizeof *names);
        r->names = names;
        r->capacity = capacity;
    }
    if (number < 0 || r->names[number])
        return number >= 0; /* the first name counts */
    return (r->names[number] = strdup(name)) != NULL;
}

/* *name becomes the picture's, to be freed; NULL: there is none. Karpathy's files have the folder
 * by itself: "filepath": "val2014", "filename": "…". False: no memory. */
static bool find_name(const cJSON *object, char **name)
{
    const char *folder = text_of(object, "filepath"), *file = text_of(object, "filename");
    const cJSON *item;
    *name = NULL;
    if (folder && file)
        return (*name = sac_path_join(folder, file)) != NULL;
    cJSON_ArrayForEach(item, object)
    {
        if (cJSON_IsString(item) && sac_caption_field_of(item->string) == SAC_FIELD_NAME)
            return (*name = strdup(item->valuestring)) != NULL;
    }
    return true;
}

static bool take_object(reader *r, const char *key, const cJSON *object)
{
    char number[32];
    const cJSON *item, *caption = NULL;
    cJSON_ArrayForEach(item, object)
    {
        if (!caption && sac_caption_field_of(item->string) == SAC_FIELD_CAPTION)
            caption = item;
    }
    const char *id = sac_json_id(object, "image_id", number),
               *split_name = text_of(object, "split");
    sac_pictures_split named;
    int split = split_name && sac_pictures_split_find(split_name, &named) ? (int)named : -1;
    char *name;
    bool done = find_name(object, &name);
    r->objects += key[0] == '\0';
    if (!done)
        return false;
    if (name && caption)
        done = add_captions(r->rows, name, caption, split, 0);
    else if (caption && id)
        done = add_captions(&r->by_id, id, caption, split, 0);
    else if (name && (id = sac_json_id(object, "id", number)))
        done = keep_name(r, id, name);
    else if (name)
        done = sac_caption_rows_add(r->rows, name, NULL, split);
    else if (key[0] == '\0')
        done = sac_caption_rows_add_bad(r->rows, "object", r->objects);
    free(name);
    return done;
}

static sac_status take_part(void *user, const char *key, const cJSON *part, sac_error *error)
{
    reader *r = user;
    bool done = true;
    if (cJSON_IsObject(part))
        done = take_object(r, key, part);
    else if (cJSON_IsString(part) && sac_is_picture_name(key, strlen(key)))
        done = add_captions(r->rows, key, part, -1, 0); /* {"a.jpg": ["a dog", …]} */
    else if (cJSON_IsString(part) && key[0] == '\0')
        done = sac_caption_rows_add(r->rows, part->valuestring, NULL, -1);
    return done ? SAC_OK : sac_no_memory(error, NULL);
}

/* Stores the captions that are given by a picture's number under the picture's name. */
static bool join(reader *r)
{
    bool done = true;
    for (size_t i = 0; i < r->by_id.count && done; i++) {
        const sac_caption_row *row = &r->by_id.rows[i];
        int number = sac_text_table_find(&r->ids, row->name, strlen(row->name));
        const char *name = number >= 0 ? r->names[number] : row->name; /* files may be named so */
        done = sac_caption_rows_add(r->rows, name, row->caption, row->split);
    }
    for (int i = 0; i < r->ids.count && done && !r->by_id.count; i++) /* a list of pictures alone */
        done = sac_caption_rows_add(r->rows, r->names[i], NULL, -1);
    return done;
}

sac_status sac_caption_rows_read_json(const char *text, size_t size, sac_caption_rows *rows,
                                      sac_error *error)
{
    reader r = {.rows = rows};
    sac_status status = sac_json_each(text, size, take_part, &r, error);
    if (status == SAC_OK && !join(&r))
        status = sac_no_memory(error, NULL);
    for (int i = 0; i < r.capacity; i++)
        free(r.names[i]);
    free(r.names);
    sac_text_table_free(&r.ids);
    sac_caption_rows_free(&r.by_id);
    return status;
}
