/* .npy: its header, its elements as arrays, and headers for writing. */
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/numpy/npy.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "saccade_arrays.h"

/* ---------------------------------------------------------------- headers */

typedef struct cursor {
    const char *start, *at, *end;
    sac_error *error;
} cursor;

typedef struct slice {
    const char *text;
    size_t size;
} slice;

static sac_status fail_damaged_header(const cursor *c, const char *expected)
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
        return fail_damaged_header(c, "a quoted string");
    char quote = *c->at++;
    string->text = c->at;
    while (c->at < c->end && *c->at != quote && *c->at != '\\')
        c->at++;
    if (c->at == c->end || *c->at != quote)
        return fail_damaged_header(c, "the end of a string");
    string->size = (size_t)(c->at++ - string->text);
    return SAC_OK;
}

static sac_status take_bool(cursor *c, bool *value)
{
    *value = accept(c, "True");
    return *value || accept(c, "False") ? SAC_OK : fail_damaged_header(c, "True or False");
}

static sac_status take_size(cursor *c, size_t *value)
{
    skip_space(c);
    if (c->at < c->end && *c->at == '-')
        return sac_fail(c->error, SAC_E_SHAPE, NULL, "save the array again",
                        "the header gives a negative dimension");
    if (c->at == c->end || *c->at < '0' || *c->at > '9')
        return fail_damaged_header(c, "a dimension");
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
        return fail_damaged_header(c, "'('");
    bool more = true;
    while (!accept(c, ")")) {
        if (!more)
            return fail_damaged_header(c, "',' or ')'");
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
            return fail_damaged_header(c, "',' (the shape is a tuple)");
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
static bool parse_text_dtype(slice name, sac_npy_header *header)
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

static bool parse_dtype(slice name, sac_npy_header *header)
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
    return parse_text_dtype(name, header);
}

/* "|O", or "|O8" as dtypes themselves are pickled: objects, which are a pickle. */
static bool parse_objects_dtype(slice name, sac_npy_header *header)
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

sac_status sac_npy_parse_dtype(const char *code, size_t size, sac_npy_header *header,
                               sac_error *error)
{
    slice name = {code, size};
    if (parse_dtype(name, header) || parse_objects_dtype(name, header))
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
    return status == SAC_OK ? sac_npy_parse_dtype(name.text, name.size, header, c->error) : status;
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
        return fail_damaged_header(c, "one each of 'descr', 'fortran_order' and 'shape'");
    }
    *seen |= 1u << k;
    if (!accept(c, ":"))
        return fail_damaged_header(c, "':'");
    return k == 0   ? take_dtype(c, header)
           : k == 1 ? take_bool(c, &header->fortran)
                    : take_shape(c, header);
}

static sac_status take_dict(cursor *c, sac_npy_header *header)
{
    unsigned seen = 0;
    bool more = true;
    if (!accept(c, "{"))
        return fail_damaged_header(c, "'{'");
    while (!accept(c, "}")) {
        if (!more)
            return fail_damaged_header(c, "',' or '}'");
        sac_status status = take_item(c, header, &seen);
        if (status != SAC_OK)
            return status;
        more = accept(c, ",");
    }
    if (seen != 7)
        return fail_damaged_header(c, "'descr', 'fortran_order' and 'shape' before it ends");
    skip_space(c);
    return c->at == c->end ? SAC_OK : fail_damaged_header(c, "nothing after '}'");
}

/* A size of 0 makes the product 0, yet the others must not overflow among themselves. */
static bool compute_byte_count(sac_npy_header *header)
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
    if (!compute_byte_count(header))
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

sac_status sac_npy_parse_preamble(const uint8_t *bytes, size_t size, size_t *text_start,
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

/* ---------------------------------------------------------------- elements */

/* Column-major `in` to row-major `out`, element by element, by counting through the indices. */
static void transpose(const sac_npy_header *header, const uint8_t *in, uint8_t *out)
{
    size_t size = header->item_bytes, index[SAC_MAX_RANK] = {0}, stride[SAC_MAX_RANK];
    size_t step = size, from = 0;
    for (int i = 0; i < header->rank; i++) {
        stride[i] = step;
        step *= header->shape[i];
    }
    for (size_t done = 0; done < header->count; done++, out += size) {
        memcpy(out, in + from, size);
        for (int i = header->rank - 1; i >= 0; i--) {
            from += stride[i];
            if (++index[i] < header->shape[i])
                break;
            from -= stride[i] * header->shape[i];
            index[i] = 0;
        }
    }
}

/* Fixed-width code points, padded with zeros, to UTF-8. NULL in *text where one is no character
 * or follows a zero. */
static sac_status text_from_unicode(const uint32_t *codes, size_t width, char **text,
                                    sac_error *error)
{
    char *out;
    sac_status status = sac_allocate(4 * width + 1, (void **)&out, error);
    if (status != SAC_OK)
        return status;
    size_t used = 0;
    bool valid = true;
    while (width > 0 && codes[width - 1] == 0)
        width--;
    for (size_t i = 0; valid && i < width; i++) {
        size_t length = codes[i] ? sac_utf8_encode(codes[i], out + used) : 0;
        valid = length > 0;
        used += length;
    }
    out[used] = '\0';
    if (valid) {
        char *fitted = realloc(out, used + 1);
        *text = fitted ? fitted : out;
        return SAC_OK;
    }
    free(out);
    return SAC_OK;
}

static sac_status text_from_bytes(const char *bytes, size_t width, char **text, sac_error *error)
{
    while (width > 0 && bytes[width - 1] == '\0')
        width--;
    if (memchr(bytes, '\0', width) || !sac_utf8_valid(bytes, width))
        return SAC_OK;
    sac_status status = sac_allocate(width + 1, (void **)text, error);
    if (status == SAC_OK) {
        memcpy(*text, bytes, width);
        (*text)[width] = '\0';
    }
    return status;
}

/* `raw` holds the elements row-major; code points in the file's byte order. */
static sac_status decode_texts(const sac_npy_header *header, uint8_t *raw, sac_array *array,
                               sac_error *error)
{
    sac_status status = sac_array_create(SAC_TEXT, header->rank, header->shape, array, error);
    if (status != SAC_OK)
        return status;
    char **texts = array->data;
    if (header->kind == SAC_NPY_UNICODE)
        sac_elements_to_native(SAC_U32, raw, header->bytes / 4, header->big_endian);
    for (size_t i = 0; i < header->count; i++) {
        uint8_t *item = raw + i * header->item_bytes;
        if (header->kind == SAC_NPY_UNICODE)
            status = text_from_unicode((uint32_t *)item, header->item_bytes / 4, &texts[i], error);
        else
            status = text_from_bytes((char *)item, header->item_bytes, &texts[i], error);
        if (status == SAC_OK && !texts[i])
            status = sac_fail(error, SAC_E_FORMAT, NULL, "save it as Unicode text",
                              "string %zu is not valid text", i);
        if (status != SAC_OK) {
            sac_array_free(array);
            return status;
        }
    }
    return SAC_OK;
}

sac_status sac_npy_take_room(const sac_npy_header *header, size_t *room, sac_error *error)
{
    bool turned = header->fortran && header->rank > 1;
    sac_status status = turned ? sac_take_room(room, header->bytes, error) : SAC_OK;
    if (status == SAC_OK && header->dtype == SAC_TEXT)
        status = sac_take_room(room, SAC_TEXT_ROOM * header->count, error);
    return status == SAC_OK && header->dtype == SAC_TEXT
               ? sac_take_room(room, 2 * header->bytes, error)
               : status;
}

sac_status sac_npy_decode(const sac_npy_header *header, void *raw, sac_array *array,
                          sac_error *error)
{
    *array = (sac_array){0};
    if (header->fortran && header->rank > 1) {
        void *rows;
        sac_status status = sac_allocate(header->bytes, &rows, error);
        if (status == SAC_OK)
            transpose(header, raw, rows);
        free(raw);
        if (status != SAC_OK)
            return status;
        raw = rows;
    }
    if (header->dtype == SAC_TEXT) {
        sac_status status = decode_texts(header, raw, array, error);
        free(raw);
        return status;
    }
    sac_elements_to_native(header->dtype, raw, header->count, header->big_endian);
    *array = sac_array_view(header->dtype, header->rank, header->shape, raw);
    array->owns_data = true;
    return SAC_OK;
}

/* ---------------------------------------------------------------- writing */

static const char *dtype_code(sac_dtype dtype)
{
    static const char *const codes[] = {
        [SAC_F32] = "f4", [SAC_F64] = "f8", [SAC_F16] = "f2", [SAC_BOOL] = "b1", [SAC_I8] = "i1",
        [SAC_I16] = "i2", [SAC_I32] = "i4", [SAC_I64] = "i8", [SAC_U8] = "u1",   [SAC_U16] = "u2",
        [SAC_U32] = "u4", [SAC_U64] = "u8", [SAC_BF16] = "",  [SAC_TEXT] = "U",
    };
    return codes[dtype];
}

sac_status sac_npy_create_header(const sac_array *array, size_t width, char **bytes, size_t *size,
                                 sac_error *error)
{
    enum { START = 10, ROOM = 384 }; /* eight dimensions of 20 digits fit */
    char order = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? '>' : '<';
    char width_text[24] = "", shape[224] = "";
    size_t used = 0;
    if (array->dtype == SAC_TEXT)
        snprintf(width_text, sizeof width_text, "%zu", width);
    if (sac_dtype_size(array->dtype) == 1)
        order = '|';
    for (int i = 0; i < array->rank; i++)
        used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%zu,", i ? " " : "",
                                 array->shape[i]);
    sac_status status = sac_allocate(START + ROOM, (void **)bytes, error);
    if (status != SAC_OK)
        return status;
    memcpy(*bytes, SAC_NPY_MAGIC "\1\0", 8);
    char *text = *bytes + START;
    size_t length =
        (size_t)snprintf(text, ROOM, "{'descr': '%c%s%s', 'fortran_order': False, 'shape': (%s), }",
                         order, dtype_code(array->dtype), width_text, shape);
    size_t padded = (START + length + 1 + 63) / 64 * 64 - START;
    memset(text + length, ' ', padded - length);
    text[padded - 1] = '\n';
    (*bytes)[8] = (char)(padded & 0xff);
    (*bytes)[9] = (char)(padded >> 8);
    *size = START + padded;
    return SAC_OK;
}
