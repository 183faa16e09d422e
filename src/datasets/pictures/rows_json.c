/* Reads captions from JSON: COCO's format, Karpathy's, lists of objects, and tables as pandas writes them. */
#include "pictures/rows.h"

#include <cjson/cJSON.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/json.h"
#include "base/cancel.h"
#include "base/error.h"
#include "images/folder.h"

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

/* A caption in JSON: a text; an object with one, or with tokens; or a list of these. False: no memory. */
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

/* ---------------------------------------------------------------- tables as pandas writes them */

/* pandas' to_json: orient columns, its default, is {"image": {"0": "a.jpg"}, "caption": {"0": "a dog"}}; split
 * {"columns": ["image", "caption"], "index": [0], "data": [["a.jpg", "a dog"]]}. Its to_dict("list") is
 * {"image": ["a.jpg"], "caption": ["a dog"]}. Records, index and table are rows, which are read below. */

/* Zeroed: there are none. */
typedef struct json_columns {
    cJSON
        *cells; /* an object of columns that are known, each an object or a list of cells; owned */
    cJSON *names, *index,
        *data; /* of rows that are lists, with the names of their columns; owned */
} json_columns;

static void json_columns_free(json_columns *c)
{
    cJSON_Delete(c->cells);
    cJSON_Delete(c->names);
    cJSON_Delete(c->index);
    cJSON_Delete(c->data);
    *c = (json_columns){0};
}

static bool is_cell(const cJSON *item)
{
    return cJSON_IsString(item) || cJSON_IsNumber(item) || cJSON_IsNull(item) || cJSON_IsRaw(item);
}

/* A column by its index: none of its keys is one that an object of a picture has. */
static bool is_column(const cJSON *part)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, part)
    {
        if (sac_caption_field_of(item->string) != SAC_FIELD_OTHER ||
            (!is_cell(item) && !cJSON_IsArray(item)))
            return false;
    }
    return part->child != NULL;
}

static bool append_copy(cJSON **list, const cJSON *item)
{
    *list = *list ? *list : cJSON_CreateArray();
    cJSON *copy = *list ? cJSON_Duplicate(item, true) : NULL;
    return copy && cJSON_AddItemToArray(*list, copy);
}

/* A cell of the list that is the column `key`. */
static bool add_cell(json_columns *c, const char *key, const cJSON *part)
{
    c->cells = c->cells ? c->cells : cJSON_CreateObject();
    cJSON *column = cJSON_GetObjectItemCaseSensitive(c->cells, key);
    if (!column)
        column = cJSON_AddArrayToObject(c->cells, key);
    return cJSON_IsArray(column) && append_copy(&column, part);
}

/* Keeps a part of an outer object that is of such a table, of a key that it has or whose list it is in. False: it is
 * none, or *status is SAC_E_MEMORY. */
static bool json_columns_keep_part(json_columns *c, const char *key, const cJSON *part,
                                   sac_status *status, sac_error *error)
{
    const bool is_known = key[0] && sac_caption_field_of(key) != SAC_FIELD_OTHER;
    bool done;
    if (strcmp(key, "data") == 0 && cJSON_IsArray(part))
        done = append_copy(&c->data, part);
    else if (strcmp(key, "columns") == 0 && cJSON_IsString(part))
        done = append_copy(&c->names, part);
    else if (strcmp(key, "index") == 0 && is_cell(part))
        done = append_copy(&c->index, part);
    else if (is_known && cJSON_IsObject(part) && is_column(part)) {
        cJSON *copy = cJSON_Duplicate(part, true);
        c->cells = c->cells ? c->cells : cJSON_CreateObject();
        done = copy && c->cells && cJSON_AddItemToObject(c->cells, key, copy);
    } else if (is_known && (is_cell(part) || cJSON_IsArray(part)))
        done = add_cell(c, key, part);
    else
        return false;
    if (!done)
        *status = sac_no_memory(error, NULL);
    return done;
}

enum { MOST_COLUMNS = 64 };

/* A row of a table: a cell of each column that is known; NULL: it has none there. */
typedef struct table_row {
    const cJSON *cell[MOST_COLUMNS];
    const char *index; /* what the row is called; NULL: nothing */
} table_row;

/* The columns that are known, by their kinds. */
typedef struct table {
    int count, name, id, split; /* −1: there is none */
    bool is_caption[MOST_COLUMNS], has_captions;
    size_t rows; /* so far */
} table;

static void add_column(table *t, const char *name)
{
    const sac_caption_field field = sac_caption_field_of(name);
    const int i = t->count++;
    t->is_caption[i] = field == SAC_FIELD_CAPTION;
    t->has_captions = t->has_captions || t->is_caption[i];
    if (field == SAC_FIELD_NAME && t->name < 0)
        t->name = i;
    if (field == SAC_FIELD_ID && t->id < 0)
        t->id = i;
    if (field == SAC_FIELD_SPLIT)
        t->split = i;
}

static const char *cell_text(const cJSON *cell, char number[32])
{
    if (cJSON_IsString(cell))
        return cell->valuestring;
    if (!cJSON_IsNumber(cell))
        return NULL;
    snprintf(number, 32, "%.17g", cell->valuedouble);
    return number;
}

static bool is_picture(const char *text)
{
    return text && sac_is_picture_name(text, strlen(text));
}

/* False: no memory. */
static bool add_row(table *t, const table_row *r, bool names, sac_caption_rows *rows)
{
    char number[32];
    const bool by_id = t->name < 0 && t->id >= 0;
    const int at = by_id ? t->id : t->name;
    const char *name = at >= 0                ? cell_text(r->cell[at], number)
                       : is_picture(r->index) ? r->index
                                              : NULL;
    const cJSON *word = t->split >= 0 ? r->cell[t->split] : NULL;
    sac_pictures_split named;
    const int split = cJSON_IsString(word) && sac_pictures_split_find(word->valuestring, &named)
                          ? (int)named
                          : -1;
    const size_t first = rows->count;
    bool done = true;
    t->rows++;
    for (int i = 0; i < t->count && name && name[0] && done; i++)
        if (t->is_caption[i] && (cJSON_IsString(r->cell[i]) || cJSON_IsArray(r->cell[i])))
            done = add_captions(rows, name, r->cell[i], split, 0);
    for (size_t i = first; i < rows->count; i++)
        rows->rows[i].is_id = by_id;
    if (done && rows->count == first && names && name && !t->has_captions)
        done = sac_caption_rows_add(rows, name, NULL, split);
    else if (done && rows->count == first)
        done = sac_caption_rows_add_bad(rows, "row", t->rows);
    return done;
}

static sac_status fail_with_column_names(const char *what, const cJSON *columns, sac_error *error)
{
    char names[120] = "";
    size_t used = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, columns)
    {
        const char *name = item->string ? item->string : item->valuestring;
        if (name && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.30s", used ? ", " : "",
                                     name);
    }
    return sac_fail(error, SAC_E_FORMAT, NULL, "name the columns image and caption", "%s: %s", what,
                    names);
}

/* Where the names of pictures are not columns, they may be the index. */
static bool has_captions_and_names(const table *t, const char *index)
{
    return t->has_captions && (t->name >= 0 || t->id >= 0 || is_picture(index));
}

static sac_status refuse_table(const table *t, const cJSON *columns, sac_error *error)
{
    return fail_with_column_names(t->has_captions ? "has columns, but none of pictures"
                                                  : "has columns, but none of captions",
                                  columns, error);
}

/* {"photo": ["a dog"], "x": ["a cat"]} has names that are those of columns. */
static bool copy_cells_to_rows(const json_columns *c, sac_caption_rows *by_key)
{
    bool done = true;
    for (const cJSON *column = c->cells->child; column; column = column->next)
        for (const cJSON *cell = cJSON_IsArray(column) ? column->child : NULL; cell && done;
             cell = cell->next)
            done = !cJSON_IsString(cell) ||
                   sac_caption_rows_add(by_key, column->string, cell->valuestring, -1);
    return done;
}

/* Side by side, by their order or by the keys of an index, which are the same in each column as pandas writes them. The
 * captions of one picture may be a list: {"image": "a.jpg", "captions": ["a dog", "a brown dog"]}. */
static sac_status add_rows_from_columns(const json_columns *c, bool names, sac_caption_rows *by_key,
                                        sac_caption_rows *rows, sac_error *error)
{
    const cJSON *at[MOST_COLUMNS] = {NULL}, *column;
    table t = {.name = -1, .id = -1, .split = -1};
    int longest = 0, shortest = -1;
    cJSON_ArrayForEach(column, c->cells)
    {
        if (t.count == MOST_COLUMNS)
            break;
        const int size = cJSON_GetArraySize(column);
        longest = size > longest ? size : longest;
        shortest = shortest < 0 || size < shortest ? size : shortest;
        at[t.count] = column->child;
        add_column(&t, column->string);
    }
    const char *index = at[0] ? at[0]->string : NULL;
    const cJSON *called = t.name >= 0 ? at[t.name] : NULL;
    const bool is_named = names && t.name >= 0; /* pictures alone are enough */
    if (!has_captions_and_names(&t, index) && !is_named) {
        if (by_key->count && !(cJSON_IsString(called) && is_picture(called->valuestring)))
            return copy_cells_to_rows(c, by_key) ? SAC_OK : sac_no_memory(error, NULL);
        return refuse_table(&t, c->cells, error);
    }
    const bool is_one = !index && called && !called->next;
    if (longest != shortest && !is_one)
        return sac_fail(error, SAC_E_FORMAT, NULL, "give as many of each",
                        "has columns of %d and of %d rows", shortest, longest);
    for (int i = 0; i < longest; i++) {
        table_row r = {.index = at[0] ? at[0]->string : NULL};
        const sac_status status = i % 4096 ? SAC_OK : sac_cancel_check("captions", error);
        if (status != SAC_OK)
            return status;
        for (int k = 0; k < t.count; k++) {
            r.cell[k] = at[k];
            if (r.index && (!at[k]->string || strcmp(at[k]->string, r.index) != 0))
                return sac_fail(error, SAC_E_FORMAT, NULL,
                                "write it with one index for all columns",
                                "has columns that are indexed differently, in row %d", i + 1);
            at[k] = at[k] && (!is_one || t.is_caption[k]) ? at[k]->next : at[k];
        }
        if (!add_row(&t, &r, names, rows))
            return sac_no_memory(error, NULL);
    }
    return SAC_OK;
}

/* The columns of rows without names for them: one has names of pictures, and one texts. */
static void guess_columns(const cJSON *first, table *t, int *place)
{
    int pictures = 0, captions = 0, at = 0;
    const cJSON *cell;
    cJSON_ArrayForEach(cell, first)
    {
        const bool is_name = cJSON_IsString(cell) && is_picture(cell->valuestring);
        const bool is_text = !is_name && (cJSON_IsString(cell) || cJSON_IsArray(cell));
        if ((is_name || is_text) && t->count < MOST_COLUMNS) {
            place[t->count] = at;
            add_column(t, is_name ? "image" : "caption");
        }
        pictures += is_name;
        captions += is_text;
        at++;
    }
    t->has_captions = pictures == 1 && captions == 1;
}

/* Rows that are lists, as long as the names of the columns. */
static sac_status add_rows_from_lists(const json_columns *c, bool names, sac_caption_rows *rows,
                                      sac_error *error)
{
    int place[MOST_COLUMNS], count = 0; /* of each column that is taken */
    table t = {.name = -1, .id = -1, .split = -1};
    const cJSON *item, *index = c->index ? c->index->child : NULL;
    cJSON_ArrayForEach(item, c->names)
    {
        if (t.count < MOST_COLUMNS && sac_caption_field_of(item->valuestring) != SAC_FIELD_OTHER) {
            place[t.count] = count;
            add_column(&t, item->valuestring);
        }
        count++;
    }
    if (!c->names)
        guess_columns(c->data->child, &t, place);
    if (!has_captions_and_names(&t, cJSON_IsString(index) ? index->valuestring : NULL) &&
        !(names && t.name >= 0))
        return c->names
                   ? refuse_table(&t, c->names, error)
                   : sac_fail(error, SAC_E_FORMAT, NULL,
                              "give rows with names, as of pandas' to_json(orient=\"records\")",
                              "has rows without names, of which not one column has pictures and "
                              "one captions");
    cJSON_ArrayForEach(item, c->data)
    {
        table_row r = {.index = cJSON_IsString(index) ? index->valuestring : NULL};
        const cJSON *cell = item->child;
        for (int i = 0, k = 0; cell && k < t.count; i++, cell = cell->next)
            if (i == place[k])
                r.cell[k++] = cell;
        if (!add_row(&t, &r, names, rows))
            return sac_no_memory(error, NULL);
        index = index ? index->next : NULL;
    }
    return SAC_OK;
}

/* Adds what was kept as rows: of columns that have names and captions, or captions by names in their index; with `names`
 * also names alone. Columns that are rather names of pictures go to `by_key`. SAC_E_FORMAT where it is a table of
 * something else, SAC_E_MEMORY. */
static sac_status json_columns_add_rows(const json_columns *c, bool names, sac_caption_rows *by_key,
                                        sac_caption_rows *rows, sac_error *error)
{
    sac_status status = c->cells ? add_rows_from_columns(c, names, by_key, rows, error) : SAC_OK;
    return status == SAC_OK && c->data ? add_rows_from_lists(c, names, rows, error) : status;
}

/* ---------------------------------------------------------------- files */

/* COCO gives captions and names by the picture's number, in lists of any order. */
typedef struct reader {
    sac_caption_rows *rows;
    sac_caption_rows by_id;  /* captions whose name is an id */
    sac_caption_rows by_key; /* captions whose name, or id, is a key of the outer object */
    size_t objects;          /* of a list that has no key */
    json_columns columns;
} reader;

/* *name becomes the picture's, to be freed; NULL: there is none. Karpathy's files have the folder
 * by itself: "filepath": "val2014", "filename": "…". False: no memory. */
static bool copy_picture_name(const cJSON *object, char **name)
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
static const cJSON *conversation_turns(const cJSON *object)
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
static bool add_picture_id(sac_caption_rows *rows, const cJSON *object, const char *name)
{
    static const char *const keys[] = {"cocoid", "image_id", "imgid"};
    char number[32];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *id = sac_json_id(object, keys[i], number);
        if (id)
            return sac_caption_rows_set_name(rows, id, name);
    }
    return true;
}

static bool is_number(const char *text)
{
    return text[0] && !text[strspn(text, "0123456789")];
}

static bool read_picture_object(reader *r, const char *key, const cJSON *object)
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
    bool done = copy_picture_name(object, &name);
    const cJSON *answers = caption ? NULL : conversation_turns(object);
    r->objects += key[0] == '\0';
    if (!done)
        return false;
    if (name && (caption || answers))
        done = (caption ? add_captions(r->rows, name, caption, split, 0)
                        : add_answers(r->rows, name, answers, split)) &&
               add_picture_id(r->rows, object, name);
    else if (caption && id)
        done = add_captions(&r->by_id, id, caption, split, 0);
    else if (caption && key[0]) /* {"a.jpg": [{"caption": "a dog"}, …]} */
        done = add_captions(is_number(key) ? &r->by_id : &r->by_key, key, caption, split, 0);
    else if (name && (id = sac_json_id(object, "id", number)))
        done = sac_caption_rows_set_name(r->rows, id, name);
    else if (name)
        done = sac_caption_rows_add(r->rows, name, NULL, split);
    else if (key[0] == '\0')
        done = sac_caption_rows_add_bad(r->rows, "object", r->objects);
    free(name);
    return done;
}

static sac_status read_json_part(void *user, const char *key, const cJSON *part, sac_error *error)
{
    reader *r = user;
    bool done = true;
    sac_status status = SAC_OK;
    if (json_columns_keep_part(&r->columns, key, part, &status, error) || status != SAC_OK)
        return status;
    if (cJSON_IsArray(part) && key[0] == '\0') { /* of a list of lists */
        json_columns_keep_part(&r->columns, "data", part, &status, error);
        return status;
    }
    if (cJSON_IsObject(part))
        done = read_picture_object(r, key, part);
    else if (cJSON_IsString(part) && sac_is_picture_name(key, strlen(key)))
        done = add_captions(r->rows, key, part, -1, 0); /* {"a.jpg": ["a dog", …]} */
    else if (cJSON_IsString(part) && key[0])
        done = add_captions(is_number(key) ? &r->by_id : &r->by_key, key, part, -1, 0);
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
static bool merge_pending_rows(reader *r)
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
    sac_status status = sac_json_each(text, size, read_json_part, &r, error);
    const bool is_other = rows->count || r.by_id.count || rows->ids.count;
    if (status == SAC_OK && !is_other) /* else its description and the like */
        status = json_columns_add_rows(&r.columns, names, &r.by_key, rows, error);
    if (status == SAC_OK && !merge_pending_rows(&r))
        status = sac_no_memory(error, NULL);
    json_columns_free(&r.columns);
    sac_caption_rows_free(&r.by_id);
    sac_caption_rows_free(&r.by_key);
    return status;
}
