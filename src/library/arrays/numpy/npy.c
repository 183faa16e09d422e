/* Elements of .npy files into arrays, a whole .npy file, and headers for writing. */

#include "arrays/numpy/npy.h"

#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/torch/pickled_arrays.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "saccade_arrays.h"

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
        sac_elements_tidy(SAC_U32, raw, header->bytes / 4, header->big_endian);
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
    sac_elements_tidy(header->dtype, raw, header->count, header->big_endian);
    *array = sac_array_view(header->dtype, header->rank, header->shape, raw);
    array->owns_data = true;
    return SAC_OK;
}

/* ---------------------------------------------------------------- a single .npy file */

/* Objects are added to `arrays`, others are given in *array. */
static sac_status read_array(sac_arrays *arrays, sac_array *array, sac_error *error)
{
    const sac_bytes *file = &arrays->file;
    size_t start = 0, size = 0;
    sac_npy_header header;
    sac_status status = sac_npy_preamble(file->data, file->size, &start, &size, error);
    if (status != SAC_OK)
        return status;
    if (size > file->size - start)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get it again", "is cut within its header");
    status = sac_npy_parse((const char *)file->data + start, size, &header, error);
    if (status != SAC_OK)
        return status;
    const uint8_t *elements = file->data + start + size;
    size_t left = file->size - start - size;
    if (header.kind == SAC_NPY_OBJECTS)
        return sac_objects_add(arrays, "", &header, elements, left, error);
    if (left != header.bytes)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get it again",
                        "the header promises %zu bytes of elements, the file holds %zu",
                        header.bytes, left);
    if (header.dtype != SAC_TEXT && !(header.fortran && header.rank > 1))
        return sac_array_from_bytes(header.dtype, header.rank, header.shape, elements,
                                    header.big_endian, array, error);
    void *copy = NULL;
    status = sac_npy_take_room(&header, &arrays->room, error);
    if (status == SAC_OK)
        status = sac_allocate(header.bytes, &copy, error);
    if (status != SAC_OK)
        return status;
    memcpy(copy, elements, header.bytes);
    return sac_npy_decode(&header, copy, array, error);
}

sac_status sac_npy_open(sac_arrays *arrays, sac_error *error)
{
    sac_array array = {0};
    sac_status status = read_array(arrays, &array, error);
    if (status != SAC_OK || !array.data)
        return status;
    return sac_arrays_add(arrays, "array", 5, &array, error);
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

sac_status sac_npy_describe(const sac_array *array, size_t width, char **bytes, size_t *size,
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
