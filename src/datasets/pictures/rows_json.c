/* Reads captions from JSON: COCO's format, Karpathy's, lists of objects, and tables as pandas writes them. */
#include "pictures/rows_columns.h"

#include <cjson/cJSON.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/json.h"
#include "base/error.h"
#include "images/folder.h"

/* COCO gives captions and names by the picture's number, in lists of any order. */
typedef struct reader {
    sac_caption_rows *rows;
    sac_caption_rows by_id;  /* captions whose name is an id */
    sac_caption_rows by_key; /* captions whose name, or id, is a key of the outer object */
    size_t objects;          /* of a list that has no key */
    sac_json_columns columns;
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
    if (!cJSON_IsNumber(id) || !isfinite(id->valuedouble))
        return NULL;
    snprintf(number, 32, "%.17g", id->valuedouble);
    return number;
}

bool sac_json_add_captions(sac_caption_rows *rows, const char *name, const cJSON *caption,
                           int split, int depth)
{
    bool done = true;
    const cJSON *item;
    if (cJSON_IsString(caption))
        return sac_caption_rows_add(rows, name, caption->valuestring, split);
    if (cJSON_IsArray(caption) && depth < 2) {
        cJSON_ArrayForEach(item, caption) done =
            done && sac_json_add_captions(rows, name, item, split, depth + 1);
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
    const char *index =
        text_of(object, "index"); /* pandas' orient table, by the names of pictures */
    if (index && sac_is_picture_name(index, strlen(index)))
        return (*name = strdup(index)) != NULL;
    return true;
}

/* What the model is to answer in a conversation of LLaVA's files: the captions of its picture. NULL: it
 * is none. */
static const cJSON *answers_of(const cJSON *object)
{
    const cJSON *turns = cJSON_GetObjectItemCaseSensitive(object, "conversations");
    return cJSON_IsArray(turns) ? turns : cJSON_GetObjectItemCaseSensitive(object, "messages");
}

static bool add_answers(sac_caption_rows *rows, const char *name, const cJSON *turns, int split)
{
    bool done = true;
    const cJSON *turn;
    cJSON_ArrayForEach(turn, turns)
    {
        const char *who = text_of(turn, "from") ? text_of(turn, "from") : text_of(turn, "role");
        const char *text =
            text_of(turn, "value") ? text_of(turn, "value") : text_of(turn, "content");
        if (done && who && text && (strcmp(who, "gpt") == 0 || strcmp(who, "assistant") == 0))
            done = sac_caption_rows_add(rows, name, text, split);
    }
    return done;
}

/* The id by which results of models call a picture that has a name here. */
static bool keep_ids(sac_caption_rows *rows, const cJSON *object, const char *name)
{
    static const char *const keys[] = {"cocoid", "image_id", "imgid"};
    char number[32];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *id = sac_json_id(object, keys[i], number);
        if (id)
            return sac_caption_rows_name(rows, id, name);
    }
    return true;
}

static bool is_number(const char *text)
{
    return text[0] && !text[strspn(text, "0123456789")];
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
    const cJSON *answers = caption ? NULL : answers_of(object);
    r->objects += key[0] == '\0';
    if (!done)
        return false;
    if (name && (caption || answers))
        done = (caption ? sac_json_add_captions(r->rows, name, caption, split, 0)
                        : add_answers(r->rows, name, answers, split)) &&
               keep_ids(r->rows, object, name);
    else if (caption && id)
        done = sac_json_add_captions(&r->by_id, id, caption, split, 0);
    else if (caption && key[0]) /* {"a.jpg": [{"caption": "a dog"}, …]} */
        done =
            sac_json_add_captions(is_number(key) ? &r->by_id : &r->by_key, key, caption, split, 0);
    else if (name && (id = sac_json_id(object, "id", number)))
        done = sac_caption_rows_name(r->rows, id, name);
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
    sac_status status = SAC_OK;
    if (sac_json_columns_take(&r->columns, key, part, &status, error) || status != SAC_OK)
        return status;
    if (cJSON_IsArray(part) && key[0] == '\0') { /* of a list of lists */
        sac_json_columns_take(&r->columns, "data", part, &status, error);
        return status;
    }
    if (cJSON_IsObject(part))
        done = take_object(r, key, part);
    else if (cJSON_IsString(part) && sac_is_picture_name(key, strlen(key)))
        done = sac_json_add_captions(r->rows, key, part, -1, 0); /* {"a.jpg": ["a dog", …]} */
    else if (cJSON_IsString(part) && key[0])
        done = sac_json_add_captions(is_number(key) ? &r->by_id : &r->by_key, key, part, -1, 0);
    else if (cJSON_IsString(part) && key[0] == '\0')
        done = sac_caption_rows_add(r->rows, part->valuestring, NULL, -1);
    return done ? SAC_OK : sac_no_memory(error, NULL);
}

static bool append(sac_caption_rows *rows, const sac_caption_row *row, const char *name, bool is_id)
{
    bool done = sac_caption_rows_add(rows, name, row->caption, row->split);
    if (done)
        rows->rows[rows->count - 1].is_id = is_id;
    return done;
}

/* Stores the captions that are given by a picture's number under the picture's name; and those that a key
 * names, where it is a picture's or the file has no others: an outer object also has its version. */
static bool join(reader *r)
{
    bool done = true, is_list = r->rows->count == 0 && r->by_id.count == 0;
    sac_caption_rows *rows = r->rows;
    for (size_t i = 0; i < r->by_id.count && done; i++) {
        const sac_caption_row *row = &r->by_id.rows[i];
        int number = sac_text_table_find(&rows->ids, row->name, strlen(row->name));
        done = append(rows, row, number >= 0 ? rows->names[number] : row->name, number < 0);
    }
    for (size_t i = 0; i < r->by_key.count && done; i++) {
        const sac_caption_row *row = &r->by_key.rows[i];
        if ((is_list && !rows->ids.count) || sac_is_picture_name(row->name, strlen(row->name)))
            done = append(rows, row, row->name, false);
    }
    for (int i = 0; i < rows->ids.count && done && is_list; i++) /* a list of pictures alone */
        done = sac_caption_rows_add(rows, rows->names[i], NULL, -1);
    return done;
}

sac_status sac_caption_rows_read_json(const char *text, size_t size, bool names,
                                      sac_caption_rows *rows, sac_error *error)
{
    reader r = {.rows = rows};
    sac_status status = sac_json_each(text, size, take_part, &r, error);
    const bool is_other = rows->count || r.by_id.count || rows->ids.count;
    if (status == SAC_OK && !is_other) /* else its description and the like */
        status = sac_json_columns_join(&r.columns, names, &r.by_key, rows, error);
    if (status == SAC_OK && !join(&r))
        status = sac_no_memory(error, NULL);
    sac_json_columns_free(&r.columns);
    sac_caption_rows_free(&r.by_id);
    sac_caption_rows_free(&r.by_key);
    return status;
}
