/* Reading of GGUF: a header, keys with values, descriptions of tensors, and their numbers. */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "base/cancel.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/order.h"
#include "base/text/utf8.h"
#include "pretrained/files/gguf/gguf.h"

/* ---------------------------------------------------------------- forms */

static const struct {
    const char *name;
    sac_dtype dtype;
} as_they_are[] = {[0] = {"F32", SAC_F32},  [1] = {"F16", SAC_F16},   [24] = {"I8", SAC_I8},
                   [25] = {"I16", SAC_I16}, [26] = {"I32", SAC_I32},  [27] = {"I64", SAC_I64},
                   [28] = {"F64", SAC_F64}, [30] = {"BF16", SAC_BF16}};

enum { MXFP4_IN_PAIRS = 4 };

/* SAC_STORED_F32: no blocks. */
static const sac_stored in_blocks[] = {
    [2] = SAC_STORED_Q4_0,    [3] = SAC_STORED_Q4_1,  [MXFP4_IN_PAIRS] = SAC_STORED_MXFP4,
    [6] = SAC_STORED_Q5_0,    [7] = SAC_STORED_Q5_1,  [8] = SAC_STORED_Q8_0,
    [10] = SAC_STORED_Q2_K,   [11] = SAC_STORED_Q3_K, [12] = SAC_STORED_Q4_K,
    [13] = SAC_STORED_Q5_K,   [14] = SAC_STORED_Q6_K, [20] = SAC_STORED_IQ4_NL,
    [23] = SAC_STORED_IQ4_XS, [39] = SAC_STORED_MXFP4};

sac_gguf_form sac_gguf_form_of(unsigned kind)
{
    if (kind < sizeof as_they_are / sizeof *as_they_are && as_they_are[kind].name) {
        sac_dtype dtype = as_they_are[kind].dtype;
        return (sac_gguf_form){as_they_are[kind].name, 1, sac_dtype_size(dtype), dtype};
    }
    if (kind < sizeof in_blocks / sizeof *in_blocks && in_blocks[kind]) {
        const sac_stored_form *form = sac_stored_form_of(in_blocks[kind]);
        return (sac_gguf_form){form->name, form->numbers,   form->bytes,
                               SAC_F32,    in_blocks[kind], kind == MXFP4_IN_PAIRS};
    }
    return (sac_gguf_form){0};
}

/* The name of one that is not read; “of an unknown form” where it has none. */
static const char *gguf_refused_name(unsigned kind)
{
    static const char *const names[] = {
        [9] = "Q8_1",     [15] = "Q8_K",  [16] = "IQ2_XXS", [17] = "IQ2_XS",
        [18] = "IQ3_XXS", [19] = "IQ1_S", [21] = "IQ3_S",   [22] = "IQ2_S",
        [29] = "IQ1_M",   [34] = "TQ1_0", [35] = "TQ2_0",   [40] = "NVFP4"};
    return kind < sizeof names / sizeof *names && names[kind] ? names[kind] : "of an unknown form";
}

/* ---------------------------------------------------------------- the file */

/* Values of all keys, at most: the largest tokenizers have a quarter of it. 256 MB of cJSON's. */
#define MOST_VALUES ((size_t)1 << 22)
enum {
    MOST_KEYS = 1 << 16,
    MOST_TENSORS = 1 << 16,
    DEEPEST = 4,
    USUAL_ALIGNMENT = 32,
    ALIGNMENT_MOST = 1 << 16
};

bool sac_gguf_is(const uint8_t *bytes, size_t size)
{
    return size > 4 && memcmp(bytes, "GGUF", 4) == 0;
}

/* ---------------------------------------------------------------- bytes */

typedef struct cursor {
    const uint8_t *data;
    size_t size, at, values;
    const char *wrong; /* the first thing that is; nothing is read after it */
} cursor;

static const char cut_short[] = "ends before its header does";

/* An unsigned number of so many bytes; 0 after a failure. */
static uint64_t read_unsigned_number(cursor *c, size_t bytes)
{
    uint64_t number = 0;
    if (!c->wrong && c->size - c->at < bytes)
        c->wrong = cut_short;
    for (size_t i = 0; i < bytes && !c->wrong; i++)
        number |= (uint64_t)c->data[c->at++] << 8 * i;
    return number;
}

/* A count of things of at least so many bytes, all of which are in the file. */
static size_t take_count(cursor *c, size_t each)
{
    uint64_t count = read_unsigned_number(c, 8);
    if (!c->wrong && count > (c->size - c->at) / each)
        c->wrong = cut_short;
    return c->wrong ? 0 : (size_t)count;
}

/* free() it; NULL after a failure. */
static char *take_text(cursor *c)
{
    size_t size = take_count(c, 1);
    const char *text = (const char *)c->data + c->at;
    if (!c->wrong && (memchr(text, 0, size) || !sac_utf8_valid(text, size)))
        c->wrong = "has a text that is not UTF-8";
    char *copy = c->wrong ? NULL : malloc(size + 1);
    if (!c->wrong && !copy)
        c->wrong = "has more texts than there is memory for";
    if (copy) {
        memcpy(copy, text, size);
        copy[size] = '\0';
        c->at += size;
    }
    return copy;
}

/* ---------------------------------------------------------------- keys */

enum { FLOAT = 6, TRUTH = 7, TEXT = 8, LIST = 9, DOUBLE = 12, KINDS = 13 };

/* Bytes of a number of that kind; of whole ones that may be below zero the sign counts as well. */
static const struct {
    uint8_t bytes;
    bool is_signed;
} kinds[KINDS] = {{1, false}, {1, true},  {2, false}, {2, true},  {4, false},
                  {4, true},  {4, false}, {1, false}, {8, false}, {12, false},
                  {8, false}, {8, true},  {8, false}};

static double take_number(cursor *c, unsigned kind)
{
    size_t bytes = kinds[kind].bytes;
    uint64_t bits = read_unsigned_number(c, bytes), sign = (uint64_t)1 << (8 * bytes - 1);
    if (kind == FLOAT) {
        uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    if (kind == DOUBLE) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    bool below = kinds[kind].is_signed && bits & sign;
    return below ? (double)(bits - sign) - (double)sign : (double)bits;
}

static cJSON *take_value(cursor *c, unsigned kind, int depth);

static cJSON *take_list(cursor *c, int depth)
{
    unsigned kind = (unsigned)read_unsigned_number(c, 4);
    if (!c->wrong && (kind >= KINDS || depth == DEEPEST))
        c->wrong = "has a list of values that are not known here";
    size_t count = take_count(c, c->wrong ? 1 : kinds[kind].bytes);
    cJSON *list = c->wrong ? NULL : cJSON_CreateArray();
    for (size_t i = 0; i < count && !c->wrong; i++) {
        cJSON *value = take_value(c, kind, depth + 1);
        if (value)
            cJSON_AddItemToArray(list, value);
    }
    return list;
}

/* NULL after a failure. */
static cJSON *take_value(cursor *c, unsigned kind, int depth)
{
    cJSON *value = NULL;
    if (!c->wrong && kind >= KINDS)
        c->wrong = "has a value of a kind that is not known here";
    if (!c->wrong && ++c->values > MOST_VALUES)
        c->wrong = "has more values than any model has";
    if (!c->wrong && c->values % 4096 == 0 && sac_cancel_asked())
        c->wrong = "was not read to its end";
    if (c->wrong)
        return NULL;
    if (kind == TEXT) {
        char *text = take_text(c);
        value = text ? cJSON_CreateString(text) : NULL;
        free(text);
    } else if (kind == LIST) {
        value = take_list(c, depth);
    } else {
        double number = take_number(c, kind);
        value = kind == TRUTH ? cJSON_CreateBool(number != 0) : cJSON_CreateNumber(number);
    }
    if (!value && !c->wrong)
        c->wrong = "has more values than there is memory for";
    return value;
}

/* cJSON finds a name by looking at all. */
static void refuse_duplicate_keys(cursor *c, size_t count, const cJSON *keys)
{
    const cJSON *key;
    size_t i = 0;
    const char **names = malloc((count + 1) * sizeof *names);
    if (!names) {
        c->wrong = "has more keys than there is memory for";
        return;
    }
    cJSON_ArrayForEach(key, keys) names[i++] = key->string;
    qsort(names, i, sizeof *names, sac_compare_texts);
    for (; i > 1 && !c->wrong; i--)
        if (strcmp(names[i - 1], names[i - 2]) == 0)
            c->wrong = "has a key twice";
    free(names);
}

static void take_keys(cursor *c, size_t count, cJSON *keys)
{
    if (!c->wrong && count > MOST_KEYS)
        c->wrong = "has more keys than any model has";
    for (size_t i = 0; i < count && !c->wrong; i++) {
        char *name = take_text(c);
        cJSON *value = take_value(c, (unsigned)read_unsigned_number(c, 4), 0);
        if (c->wrong || !cJSON_AddItemToObject(keys, name, value))
            cJSON_Delete(value);
        free(name);
    }
    if (!c->wrong)
        refuse_duplicate_keys(c, count, keys);
}

/* ---------------------------------------------------------------- tensors */

/* Its place is noted as `data`, relative to where the numbers begin. */
static void take_tensor(cursor *c, sac_gguf_tensor *t, uint64_t *place)
{
    t->name = take_text(c);
    uint64_t rank = read_unsigned_number(c, 4);
    if (!c->wrong && rank > SAC_MAX_RANK)
        c->wrong = "has a tensor of too many dimensions";
    t->rank = c->wrong ? 0 : (int)rank;
    for (int i = t->rank; i-- > 0;) /* the file has the last one first */
        t->shape[i] = (size_t)read_unsigned_number(c, 8);
    t->kind = (unsigned)read_unsigned_number(c, 4);
    t->form = sac_gguf_form_of(t->kind);
    *place = read_unsigned_number(c, 8);
}

/* Whole blocks in each row, and all of them in the file. */
static sac_status locate_tensor_data(const sac_gguf *g, size_t begin, uint64_t place,
                                     sac_gguf_tensor *t, sac_error *error)
{
    size_t bytes, count = 1;
    bool fits = place <= g->file.size - begin;
    for (int i = 0; i < t->rank; i++)
        fits = fits && sac_checked_mul(count, t->shape[i], &count);
    if (fits && t->form.name) {
        size_t row = t->rank ? t->shape[t->rank - 1] : 1;
        if (row % t->form.numbers)
            return sac_fail(error, SAC_E_FORMAT, t->name, "get the file again",
                            "has rows of %zu numbers, which are no blocks of %zu", row,
                            t->form.numbers);
        fits = sac_checked_mul(count / t->form.numbers, t->form.bytes, &bytes) &&
               bytes <= g->file.size - begin - place;
    }
    if (!fits)
        return sac_fail(error, SAC_E_FORMAT, t->name, "get the file again",
                        "its numbers are not all in the file");
    t->data = g->file.data + begin + place;
    return SAC_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const sac_gguf_tensor *)a)->name, ((const sac_gguf_tensor *)b)->name);
}

static sac_status sort_tensors(sac_gguf *g, sac_error *error)
{
    qsort(g->tensors, g->count, sizeof *g->tensors, by_name);
    for (size_t i = 1; i < g->count; i++)
        if (by_name(&g->tensors[i - 1], &g->tensors[i]) == 0)
            return sac_fail(error, SAC_E_FORMAT, g->tensors[i].name, "get the file again",
                            "two tensors have this name");
    return SAC_OK;
}

/* Behind the descriptions, at a multiple of the alignment, the numbers begin. */
static sac_status locate_all_tensor_data(sac_gguf *g, size_t end, const uint64_t *places,
                                         sac_error *error)
{
    const cJSON *key = cJSON_GetObjectItemCaseSensitive(g->keys, "general.alignment");
    double align = cJSON_IsNumber(key) ? key->valuedouble : USUAL_ALIGNMENT;
    if (!(align >= 1 && align <= ALIGNMENT_MOST) || align != (double)(size_t)align)
        return sac_fail(error, SAC_E_FORMAT, "general.alignment", "get the file again",
                        "is not a number of bytes");
    size_t begin = (end + (size_t)align - 1) / (size_t)align * (size_t)align;
    if (begin > g->file.size)
        begin = g->file.size;
    for (size_t i = 0; i < g->count; i++) {
        sac_status status = locate_tensor_data(g, begin, places[i], &g->tensors[i], error);
        if (status != SAC_OK)
            return status;
    }
    return sort_tensors(g, error);
}

/* ---------------------------------------------------------------- the file */

static sac_status read_header(sac_gguf *g, sac_error *error)
{
    enum { LEAST_TENSOR = 8 + 4 + 4 + 8, LEAST_KEY = 8 + 4 + 1 };
    cursor c = {.data = g->file.data, .size = g->file.size, .at = 4};
    uint64_t version = read_unsigned_number(&c, 4);
    if (!c.wrong && version != 2 && version != 3)
        return sac_fail(error, SAC_E_FORMAT, NULL, "convert the model again with today's llama.cpp",
                        version & 0xffff ? "is a GGUF of version %u, and 2 and 3 are read"
                                         : "is a GGUF of a big-endian machine",
                        (unsigned)version);
    size_t count = take_count(&c, LEAST_TENSOR), keys = take_count(&c, LEAST_KEY);
    if (!c.wrong && count > MOST_TENSORS)
        c.wrong = "has more tensors than any model has";
    g->keys = cJSON_CreateObject();
    g->tensors = calloc(count + 1, sizeof *g->tensors);
    uint64_t *places = calloc(count + 1, sizeof *places);
    sac_status status = g->keys && g->tensors && places ? SAC_OK : sac_no_memory(error, NULL);
    if (status == SAC_OK)
        take_keys(&c, keys, g->keys);
    for (size_t i = 0; i < count && status == SAC_OK && !c.wrong; i++)
        take_tensor(&c, &g->tensors[g->count++], &places[i]);
    if (status == SAC_OK && c.wrong)
        status = sac_cancel_check("GGUF", error);
    if (status == SAC_OK && c.wrong)
        status = sac_fail(error, SAC_E_FORMAT, NULL, "get the file again", "%s", c.wrong);
    if (status == SAC_OK)
        status = locate_all_tensor_data(g, c.at, places, error);
    free(places);
    return status;
}

sac_status sac_gguf_open(sac_bytes *file, sac_gguf **gguf, sac_error *error)
{
    sac_gguf *g = calloc(1, sizeof *g);
    *gguf = NULL;
    if (!g) {
        sac_bytes_free(file);
        return sac_no_memory(error, NULL);
    }
    g->file = *file;
    *file = (sac_bytes){0};
    sac_status status = read_header(g, error);
    if (status == SAC_OK)
        *gguf = g;
    else
        sac_gguf_close(g);
    return status;
}

/* ---------------------------------------------------------------- several files */

enum { PARTS = 1024 };

static size_t read_split_number(const sac_gguf *g, const char *name)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(g->keys, name);
    bool fits = cJSON_IsNumber(value) && value->valuedouble >= 0 && value->valuedouble <= 1e9;
    return fits ? (size_t)value->valuedouble : 0;
}

/* "-00001-of-00003.gguf", into `ending`. */
static size_t part_ending(size_t number, size_t count, char ending[64])
{
    return (size_t)snprintf(ending, 64, "-%05zu-of-%05zu.gguf", number + 1, count);
}

/* Takes over the tensors and the file of `part`. */
static sac_status move_part_tensors(sac_gguf *g, sac_gguf *part, sac_error *error)
{
    sac_gguf_tensor *all = realloc(g->tensors, (g->count + part->count + 1) * sizeof *all);
    if (!all)
        return sac_no_memory(error, NULL);
    g->tensors = all;
    memcpy(all + g->count, part->tensors, part->count * sizeof *all);
    g->count += part->count;
    part->count = 0;
    g->parts[g->part_count++] = part->file;
    part->file = (sac_bytes){0};
    return SAC_OK;
}

static sac_status open_part(sac_gguf *g, const char *path, size_t number, size_t count,
                            sac_error *error)
{
    sac_bytes file;
    sac_gguf *part = NULL;
    sac_status status = sac_bytes_map_regular(path, &file, error);
    if (status == SAC_OK)
        status = sac_gguf_open(&file, &part, error);
    if (status == SAC_OK && (read_split_number(part, "split.count") != count ||
                             read_split_number(part, "split.no") != number))
        status = sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                          "is not part %zu of %zu, as in its name", number + 1, count);
    if (status == SAC_OK && g->count + part->count > MOST_TENSORS)
        status = sac_fail(error, SAC_E_FORMAT, NULL, NULL, "has more tensors than any model has");
    if (status == SAC_OK)
        status = move_part_tensors(g, part, error);
    sac_gguf_close(part);
    return sac_error_within(error, status, path);
}

sac_status sac_gguf_join(sac_gguf *g, const char *path, sac_error *error)
{
    const size_t count = read_split_number(g, "split.count"),
                 number = read_split_number(g, "split.no");
    char ending[64];
    if (count < 2)
        return SAC_OK;
    size_t tail = part_ending(number, count, ending), length = path ? strlen(path) : 0;
    bool is_named = length > tail && strcmp(path + length - tail, ending) == 0;
    part_ending(0, count, ending);
    if (count > PARTS || number || !is_named)
        return sac_fail(
            error, SAC_E_FORMAT, "split.count",
            is_named ? "open the first of them, beside which the others lie"
                     : "keep the names that llama.cpp gives them, as “…-00001-of-00003.gguf”",
            "is one file of %zu", count);
    char *other = malloc(length + 1);
    g->parts = calloc(count, sizeof *g->parts);
    sac_status status = other && g->parts ? SAC_OK : sac_no_memory(error, NULL);
    for (size_t i = 1; i < count && status == SAC_OK; i++) {
        part_ending(i, count, ending);
        memcpy(other, path, length - tail);
        memcpy(other + length - tail, ending, tail + 1);
        status = open_part(g, other, i, count, error);
    }
    free(other);
    return status == SAC_OK ? sort_tensors(g, error) : status;
}

/* ---------------------------------------------------------------- experts */

static const char of_all[] = "_exps.";

/* Where "_exps." stands in the name; NULL: the tensor is not one of all experts. */
static const char *find_experts_mark(const sac_gguf_tensor *t)
{
    return t->rank >= 2 ? strstr(t->name, of_all) : NULL;
}

/* That of expert `k`, of `t`, of all. */
static sac_status make_expert_tensor(const sac_gguf_tensor *t, size_t k, sac_gguf_tensor *part,
                                     sac_error *error)
{
    const char *mark = find_experts_mark(t);
    size_t count = 1, room = strlen(t->name) + 24;
    *part = *t;
    part->rank--;
    memmove(part->shape, t->shape + 1, (size_t)part->rank * sizeof *part->shape);
    for (int i = 0; i < part->rank; i++)
        count *= part->shape[i];
    if (t->form.name)
        part->data += k * (count / t->form.numbers * t->form.bytes);
    if (!(part->name = malloc(room)))
        return sac_no_memory(error, t->name);
    snprintf(part->name, room, "%.*s.%zu.%s", (int)(mark - t->name), t->name, k,
             mark + strlen(of_all));
    return SAC_OK;
}

sac_status sac_gguf_split_experts(sac_gguf *g, sac_error *error)
{
    size_t count = 0, made = 0;
    bool has_some = false;
    sac_status status = SAC_OK;
    for (size_t i = 0; i < g->count && count <= MOST_TENSORS; i++) {
        const sac_gguf_tensor *t = &g->tensors[i];
        size_t most = t->shape[0] < MOST_TENSORS ? t->shape[0] : MOST_TENSORS;
        has_some = has_some || find_experts_mark(t);
        count += find_experts_mark(t) ? most : 1;
    }
    if (!has_some)
        return SAC_OK;
    if (count > MOST_TENSORS)
        return sac_fail(error, SAC_E_FORMAT, NULL, NULL, "has more experts than any model has");
    sac_gguf_tensor *all = calloc(count + 1, sizeof *all);
    if (!all)
        return sac_no_memory(error, NULL);
    for (size_t i = 0; i < g->count; i++) {
        sac_gguf_tensor *t = &g->tensors[i];
        if (!find_experts_mark(t)) {
            all[made++] = *t;
            continue;
        }
        for (size_t k = 0; k < t->shape[0] && status == SAC_OK; k++)
            status = make_expert_tensor(t, k, &all[made++], error);
        free(t->name);
    }
    free(g->tensors);
    g->tensors = all;
    g->count = made;
    return status == SAC_OK ? sort_tensors(g, error) : status;
}

/* The number in a name that begins so, and where it ends; −1: there is none below `most`. */
static int find_number(const char *name, const char *prefix, int most, char **digits, char **end)
{
    const size_t before = strlen(prefix);
    if (strncmp(name, prefix, before) != 0 || !isdigit((uint8_t)name[before]))
        return -1;
    *digits = (char *)name + before;
    const long number = strtol(*digits, end, 10);
    return number < most && **end == '.' ? (int)number : -1;
}

int sac_gguf_number_anew(sac_gguf *g, const char *prefix, int *numbers, int most)
{
    char *digits, *end;
    int count = 0, *places = calloc((size_t)most, sizeof *places), number;
    if (!places)
        return 0;
    for (size_t i = 0; i < g->count; i++)
        if ((number = find_number(g->tensors[i].name, prefix, most, &digits, &end)) >= 0)
            places[number] = 1;
    for (int i = 0; i < most; i++)
        if (places[i]) {
            numbers[count] = i;
            places[i] = count++;
        }
    for (size_t i = 0; i < g->count; i++)
        if ((number = find_number(g->tensors[i].name, prefix, most, &digits, &end)) >= 0) {
            char shorter[16];
            const int length = snprintf(shorter, sizeof shorter, "%d", places[number]);
            memmove(digits + length, end, strlen(end) + 1);
            memcpy(digits, shorter, (size_t)length);
        }
    free(places);
    qsort(g->tensors, g->count, sizeof *g->tensors, by_name);
    return count;
}

void sac_gguf_close(sac_gguf *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->part_count; i++)
        sac_bytes_free(&g->parts[i]);
    free(g->parts);
    for (size_t i = 0; i < g->count; i++)
        free(g->tensors[i].name);
    free(g->tensors);
    cJSON_Delete(g->keys);
    sac_bytes_free(&g->file);
    free(g);
}

const sac_gguf_tensor *sac_gguf_find(const sac_gguf *g, const char *name)
{
    const sac_gguf_tensor wanted = {.name = (char *)name};
    return bsearch(&wanted, g->tensors, g->count, sizeof *g->tensors, by_name);
}

sac_status sac_gguf_numbers(const sac_gguf_tensor *t, sac_array *numbers, sac_error *error)
{
    *numbers = (sac_array){0};
    if (!t->form.name)
        return sac_fail(error, SAC_E_FORMAT, t->name,
                        "take the model as F16, BF16, Q8_0, or Q6_K to Q2_K",
                        "its numbers are %s, ggml's type %u, which is not read",
                        gguf_refused_name(t->kind), t->kind);
    void (*read)(const uint8_t *, float *) = sac_stored_form_of(t->form.stored)->read;
    if (!read)
        return sac_array_from_bytes(t->form.dtype, t->rank, t->shape, t->data, false, numbers,
                                    error);
    sac_status status = sac_array_create(SAC_F32, t->rank, t->shape, numbers, error);
    size_t blocks = status == SAC_OK ? sac_array_count(numbers) / t->form.numbers : 0;
    for (size_t i = 0; i < blocks; i++) {
        const uint8_t *block = t->data + i * t->form.bytes;
        uint8_t joined[17]; /* of MXFP4 */
        if (t->form.in_pairs) {
            sac_mxfp4_join(block + 1, block, 1, joined);
            block = joined;
        }
        read(block, (float *)numbers->data + i * t->form.numbers);
    }
    return status;
}
