/* The dict literal of a .npy header, e.g.
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } */
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/numpy/npy.h"
#include "base/checked.h"
#include "base/error.h"

typedef struct cursor {
    const char *start, *at, *end;
    sac_error *error;
} cursor;

typedef struct slice {
    const char *text;
    size_t size;
} slice;

static sac_status damaged(const cursor *c, const char *expected)
{
    return sac_fail(c->error, SAC_E_FORMAT, NULL, "save the array again",
                    "the header is damaged: expected %s at byte %zu of it", expected,
                    (size_t)(c->at - c->start));
}

static void skip_space(cursor *c)
{
    while (c->at < c->end && strchr(" \t\n\r", *c->at) && *c->at)
        c->at++;
}

/* Takes `token` if it comes next. */
static bool accept(cursor *c, const char *token)
{
    skip_space(c);
    size_t size = strlen(token);
    if ((size_t)(c->end - c->at) < size || memcmp(c->at, token, size) != 0)
        return false;
    c->at += size;
    return true;
}

/* A quoted string without escapes: neither keys nor dtypes need any. */
static sac_status take_string(cursor *c, slice *string)
{
    skip_space(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return damaged(c, "a quoted string");
    char quote = *c->at++;
    string->text = c->at;
    while (c->at < c->end && *c->at != quote && *c->at != '\\')
        c->at++;
    if (c->at == c->end || *c->at != quote)
        return damaged(c, "the end of a string");
    string->size = (size_t)(c->at++ - string->text);
    return SAC_OK;
}

static sac_status take_bool(cursor *c, bool *value)
{
    *value = accept(c, "True");
    return *value || accept(c, "False") ? SAC_OK : damaged(c, "True or False");
}

static sac_status take_size(cursor *c, size_t *value)
{
    skip_space(c);
    if (c->at < c->end && *c->at == '-')
        return sac_fail(c->error, SAC_E_SHAPE, NULL, "save the array again",
                        "the header gives a negative dimension");
    if (c->at == c->end || *c->at < '0' || *c->at > '9')
        return damaged(c, "a dimension");
    *value = 0;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
        if (!sac_checked_mul(*value, 10, value) ||
            !sac_checked_add(*value, (size_t)(*c->at - '0'), value))
            return sac_fail(c->error, SAC_E_SHAPE, NULL, "save the array again",
                            "the header gives a dimension that overflows");
    accept(c, "L"); /* as Python 2 wrote long integers */
    return SAC_OK;
}

/* (), (3,), (3, 4) or (3, 4,) */
static sac_status take_shape(cursor *c, sac_npy_header *header)
{
    if (!accept(c, "("))
        return damaged(c, "'('");
    bool more = true;
    while (!accept(c, ")")) {
        if (!more)
            return damaged(c, "',' or ')'");
        size_t value = 0;
        sac_status status = take_size(c, &value);
        if (status != SAC_OK)
            return status;
        if (header->rank == SAC_MAX_RANK)
            return sac_fail(c->error, SAC_E_SHAPE, NULL, "reshape it before saving",
                            "has more than %d dimensions", SAC_MAX_RANK);
        header->shape[header->rank++] = value;
        more = accept(c, ",");
        if (!more && header->rank == 1)
            return damaged(c, "',' (the shape is a tuple)");
    }
    return SAC_OK;
}

static const struct {
    char name[3];
    sac_dtype dtype;
} dtypes[] = {
    {"f2", SAC_F16}, {"f4", SAC_F32}, {"f8", SAC_F64}, {"b1", SAC_BOOL},
    {"i1", SAC_I8},  {"i2", SAC_I16}, {"i4", SAC_I32}, {"i8", SAC_I64},
    {"u1", SAC_U8},  {"u2", SAC_U16}, {"u4", SAC_U32}, {"u8", SAC_U64},
};

/* "<U12" or "|S7": text of a fixed width. */
static bool find_text_type(slice name, sac_npy_header *header)
{
    size_t width = 0;
    if (name.size < 2 || name.size > 10 || (name.text[0] != 'U' && name.text[0] != 'S'))
        return false;
    for (size_t i = 1; i < name.size; i++) {
        if (name.text[i] < '0' || name.text[i] > '9')
            return false;
        width = 10 * width + (size_t)(name.text[i] - '0');
    }
    bool unicode = name.text[0] == 'U';
    header->kind = unicode ? SAC_NPY_UNICODE : SAC_NPY_BYTES;
    header->dtype = SAC_TEXT;
    header->item_bytes = unicode ? 4 * width : width;
    return width > 0;
}

static bool find_dtype(slice name, sac_npy_header *header)
{
    if (name.size < 2 || !strchr("<>|=", name.text[0]) || !name.text[0])
        return false;
    bool native = name.text[0] == '=' || name.text[0] == '|';
    header->big_endian = native ? __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ : name.text[0] == '>';
    name.text++;
    name.size--;
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (name.size == 2 && memcmp(name.text, dtypes[i].name, 2) == 0) {
            header->dtype = dtypes[i].dtype;
            header->item_bytes = sac_dtype_size(header->dtype);
            return true;
        }
    return find_text_type(name, header);
}

/* "|O", or "|O8" as dtypes themselves are pickled: objects, which are a pickle. */
static bool find_objects(slice name, sac_npy_header *header)
{
    bool is_one = name.size >= 2 && name.size <= 3 && name.text[1] == 'O' &&
                  (name.size == 2 || name.text[2] == '8' || name.text[2] == '4');
    if (is_one) {
        header->kind = SAC_NPY_OBJECTS;
        header->dtype = SAC_TEXT;
        header->item_bytes = 1;
    }
    return is_one;
}

sac_status sac_npy_dtype(const char *code, size_t size, sac_npy_header *header, sac_error *error)
{
    slice name = {code, size};
    if (find_dtype(name, header) || find_objects(name, header))
        return SAC_OK;
    return sac_fail(error, SAC_E_FORMAT, NULL, "convert it to float32 before saving",
                    "has dtype '%.*s', which is not read", size < 40 ? (int)size : 40, code);
}

static sac_status take_dtype(cursor *c, sac_npy_header *header)
{
    if (accept(c, "["))
        return sac_fail(c->error, SAC_E_FORMAT, NULL, "save each field as an array of its own",
                        "holds records (a structured dtype), which are not read");
    slice name;
    sac_status status = take_string(c, &name);
    return status == SAC_OK ? sac_npy_dtype(name.text, name.size, header, c->error) : status;
}

/* One key and its value; `seen` has a bit for each key that came before. */
static sac_status take_item(cursor *c, sac_npy_header *header, unsigned *seen)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    slice key;
    const char *before = c->at;
    sac_status status = take_string(c, &key);
    if (status != SAC_OK)
        return status;
    unsigned k = 0;
    while (k < 3 && (strlen(keys[k]) != key.size || memcmp(keys[k], key.text, key.size) != 0))
        k++;
    if (k == 3 || (*seen & 1u << k)) {
        c->at = before;
        return damaged(c, "one each of 'descr', 'fortran_order' and 'shape'");
    }
    *seen |= 1u << k;
    if (!accept(c, ":"))
        return damaged(c, "':'");
    return k == 0   ? take_dtype(c, header)
           : k == 1 ? take_bool(c, &header->fortran)
                    : take_shape(c, header);
}

static sac_status take_dict(cursor *c, sac_npy_header *header)
{
    unsigned seen = 0;
    bool more = true;
    if (!accept(c, "{"))
        return damaged(c, "'{'");
    while (!accept(c, "}")) {
        if (!more)
            return damaged(c, "',' or '}'");
        sac_status status = take_item(c, header, &seen);
        if (status != SAC_OK)
            return status;
        more = accept(c, ",");
    }
    if (seen != 7)
        return damaged(c, "'descr', 'fortran_order' and 'shape' before it ends");
    skip_space(c);
    return c->at == c->end ? SAC_OK : damaged(c, "nothing after '}'");
}

/* A size of 0 makes the product 0, yet the others must not overflow among themselves. */
static bool measure(sac_npy_header *header)
{
    size_t whole = header->item_bytes;
    bool empty = false;
    for (int i = 0; i < header->rank; i++) {
        empty |= header->shape[i] == 0;
        if (!sac_checked_mul(whole, header->shape[i] ? header->shape[i] : 1, &whole))
            return false;
    }
    header->bytes = empty ? 0 : whole;
    header->count = header->bytes / header->item_bytes;
    return true;
}

sac_status sac_npy_parse(const char *text, size_t size, sac_npy_header *header, sac_error *error)
{
    *header = (sac_npy_header){0};
    cursor c = {.start = text, .at = text, .end = text + size, .error = error};
    sac_status status = take_dict(&c, header);
    return status == SAC_OK ? sac_npy_measure(header, error) : status;
}

sac_status sac_npy_measure(sac_npy_header *header, sac_error *error)
{
    sac_array shape = sac_array_view(header->dtype, header->rank, header->shape, NULL);
    char shape_text[200];
    sac_array_shape_text(&shape, shape_text, sizeof shape_text);
    if (!measure(header))
        return sac_fail(error, SAC_E_SHAPE, NULL, "save the array again",
                        "shape %s overflows the address space", shape_text);
    if (header->dtype == SAC_TEXT && header->count > SAC_NPY_TEXTS_MAX)
        return sac_fail(error, SAC_E_SHAPE, NULL, "save fewer",
                        "shape %s holds more than %d strings", shape_text, SAC_NPY_TEXTS_MAX);
    return SAC_OK;
}

bool sac_npy_is(const uint8_t *bytes, size_t size)
{
    return size >= SAC_NPY_MAGIC_SIZE && memcmp(bytes, SAC_NPY_MAGIC, SAC_NPY_MAGIC_SIZE) == 0;
}

sac_status sac_npy_preamble(const uint8_t *bytes, size_t size, size_t *text_start,
                            size_t *text_size, sac_error *error)
{
    if (size < 10 || !sac_npy_is(bytes, size))
        return sac_fail(error, SAC_E_FORMAT, NULL, "give arrays saved by NumPy",
                        "is not a .npy array");
    if (bytes[6] < 1 || bytes[6] > 3)
        return sac_fail(error, SAC_E_FORMAT, NULL, "save it as version 1, 2 or 3",
                        "is of .npy version %d.%d, which is not read", bytes[6], bytes[7]);
    *text_start = bytes[6] == 1 ? 10 : 12;
    *text_size = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] > 1 && size >= 12)
        *text_size |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (bytes[6] > 1 && size < 12)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get it again", "is cut within its header");
    return SAC_OK;
}
