/* pandas' to_json: orient columns, its default, is {"image": {"0": "a.jpg"}, "caption": {"0": "a dog"}}; split
 * {"columns": ["image", "caption"], "index": [0], "data": [["a.jpg", "a dog"]]}. Its to_dict("list") is
 * {"image": ["a.jpg"], "caption": ["a dog"]}. Records, index and table are rows, which rows_json.c reads. */
#include "pictures/rows_columns.h"

#include <cjson/cJSON.h>

#include <stdio.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"

void sac_json_columns_free(sac_json_columns *c)
{
    cJSON_Delete(c->cells);
    cJSON_Delete(c->names);
    cJSON_Delete(c->index);
    cJSON_Delete(c->data);
    *c = (sac_json_columns){0};
}

/* ---------------------------------------------------------------- keeping */

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

static bool append(cJSON **list, const cJSON *item)
{
    *list = *list ? *list : cJSON_CreateArray();
    cJSON *copy = *list ? cJSON_Duplicate(item, true) : NULL;
    return copy && cJSON_AddItemToArray(*list, copy);
}

/* A cell of the list that is the column `key`. */
static bool add_cell(sac_json_columns *c, const char *key, const cJSON *part)
{
    c->cells = c->cells ? c->cells : cJSON_CreateObject();
    cJSON *column = cJSON_GetObjectItemCaseSensitive(c->cells, key);
    if (!column)
        column = cJSON_AddArrayToObject(c->cells, key);
    return cJSON_IsArray(column) && append(&column, part);
}

bool sac_json_columns_take(sac_json_columns *c, const char *key, const cJSON *part,
                           sac_status *status, sac_error *error)
{
    const bool is_known = key[0] && sac_caption_field_of(key) != SAC_FIELD_OTHER;
    bool done;
    if (strcmp(key, "data") == 0 && cJSON_IsArray(part))
        done = append(&c->data, part);
    else if (strcmp(key, "columns") == 0 && cJSON_IsString(part))
        done = append(&c->names, part);
    else if (strcmp(key, "index") == 0 && is_cell(part))
        done = append(&c->index, part);
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

/* ---------------------------------------------------------------- rows */

enum { MOST_COLUMNS = 64 };

/* A row of a table: a cell of each column that is known; NULL: it has none there. */
typedef struct row {
    const cJSON *cell[MOST_COLUMNS];
    const char *index; /* what the row is called; NULL: nothing */
} row;

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

static const char *text_of(const cJSON *cell, char number[32])
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
static bool add_row(table *t, const row *r, bool names, sac_caption_rows *rows)
{
    char number[32];
    const bool by_id = t->name < 0 && t->id >= 0;
    const int at = by_id ? t->id : t->name;
    const char *name = at >= 0                ? text_of(r->cell[at], number)
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
            done = sac_json_add_captions(rows, name, r->cell[i], split, 0);
    for (size_t i = first; i < rows->count; i++)
        rows->rows[i].is_id = by_id;
    if (done && rows->count == first && names && name && !t->has_captions)
        done = sac_caption_rows_add(rows, name, NULL, split);
    else if (done && rows->count == first)
        done = sac_caption_rows_add_bad(rows, "row", t->rows);
    return done;
}

static sac_status refuse(const char *what, const cJSON *columns, sac_error *error)
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
static bool is_whole(const table *t, const char *index)
{
    return t->has_captions && (t->name >= 0 || t->id >= 0 || is_picture(index));
}

static sac_status refuse_table(const table *t, const cJSON *columns, sac_error *error)
{
    return refuse(t->has_captions ? "has columns, but none of pictures"
                                  : "has columns, but none of captions",
                  columns, error);
}

/* {"photo": ["a dog"], "x": ["a cat"]} has names that are those of columns. */
static bool give_back(const sac_json_columns *c, sac_caption_rows *by_key)
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
static sac_status join_columns(const sac_json_columns *c, bool names, sac_caption_rows *by_key,
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
    if (!is_whole(&t, index) && !is_named) {
        if (by_key->count && !(cJSON_IsString(called) && is_picture(called->valuestring)))
            return give_back(c, by_key) ? SAC_OK : sac_no_memory(error, NULL);
        return refuse_table(&t, c->cells, error);
    }
    const bool is_one = !index && called && !called->next;
    if (longest != shortest && !is_one)
        return sac_fail(error, SAC_E_FORMAT, NULL, "give as many of each",
                        "has columns of %d and of %d rows", shortest, longest);
    for (int i = 0; i < longest; i++) {
        row r = {.index = at[0] ? at[0]->string : NULL};
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
static sac_status join_lists(const sac_json_columns *c, bool names, sac_caption_rows *rows,
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
    if (!is_whole(&t, cJSON_IsString(index) ? index->valuestring : NULL) && !(names && t.name >= 0))
        return c->names
                   ? refuse_table(&t, c->names, error)
                   : sac_fail(error, SAC_E_FORMAT, NULL,
                              "give rows with names, as of pandas' to_json(orient=\"records\")",
                              "has rows without names, of which not one column has pictures and "
                              "one captions");
    cJSON_ArrayForEach(item, c->data)
    {
        row r = {.index = cJSON_IsString(index) ? index->valuestring : NULL};
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

sac_status sac_json_columns_join(const sac_json_columns *c, bool names, sac_caption_rows *by_key,
                                 sac_caption_rows *rows, sac_error *error)
{
    sac_status status = c->cells ? join_columns(c, names, by_key, rows, error) : SAC_OK;
    return status == SAC_OK && c->data ? join_lists(c, names, rows, error) : status;
}
