/* A file as torch.save writes a state dict, of the tensors of a file of arrays. */
#ifndef TESTS_PRETRAINED_TORCH_FILE_H
#define TESTS_PRETRAINED_TORCH_FILE_H

#include <zip.h>

#include "saccade_arrays.h"
#include "scratch.h"

typedef struct pickle {
    uint8_t bytes[1 << 18];
    size_t size;
} pickle;

static inline void put(pickle *p, const void *bytes, size_t size)
{
    assert_true(size <= sizeof p->bytes - p->size);
    memcpy(p->bytes + p->size, bytes, size);
    p->size += size;
}

static inline void put_code(pickle *p, const char *code)
{
    put(p, code, strlen(code));
}

static inline void put_text(pickle *p, const char *text)
{
    const uint32_t size = (uint32_t)strlen(text);
    put(p, "X", 1);
    put(p, &size, sizeof size);
    put(p, text, size);
}

static inline void put_size(pickle *p, size_t number)
{
    const uint32_t small = (uint32_t)number;
    put(p, "J", 1);
    put(p, &small, sizeof small);
}

/* name: _rebuild_tensor_v2(storage, 0, shape, stride, False, OrderedDict()) */
static inline void put_tensor(pickle *p, const char *name, const sac_array *array, const char *key)
{
    static const char *const storages[SAC_TEXT] = {
        [SAC_F32] = "FloatStorage", [SAC_F16] = "HalfStorage", [SAC_BF16] = "BFloat16Storage",
        [SAC_I64] = "LongStorage",  [SAC_U8] = "ByteStorage",  [SAC_BOOL] = "BoolStorage"};
    assert_non_null(storages[array->dtype]);
    put_text(p, name);
    put_code(p, "ctorch._utils\n_rebuild_tensor_v2\n((");
    put_text(p, "storage");
    put_code(p, "ctorch\n");
    put_code(p, storages[array->dtype]);
    put_code(p, "\n");
    put_text(p, key);
    put_text(p, "cpu");
    put_size(p, sac_array_count(array));
    put_code(p, "tQ");
    put_size(p, 0);
    put_code(p, "(");
    size_t stride = sac_array_count(array);
    for (int i = 0; i < array->rank; i++)
        put_size(p, array->shape[i]);
    put_code(p, "t(");
    for (int i = 0; i < array->rank; i++)
        put_size(p, stride /= array->shape[i]);
    put_code(p, "t\x89"
                "ccollections\nOrderedDict\n)RtR");
}

static inline void add_member(zip_t *zip, const char *name, const void *bytes, size_t size)
{
    zip_int64_t at = zip_file_add(zip, name, zip_source_buffer(zip, bytes, size, 0), 0);
    assert_true(at >= 0);
    assert_int_equal(zip_set_file_compression(zip, (zip_uint64_t)at, ZIP_CM_STORE, 0), 0);
}

/* Writes arrays number `first`, `first` + `step`, … */
static inline void torch_file_write(const char *path, const sac_arrays *arrays, size_t first,
                                    size_t step)
{
    char name[64], key[24];
    pickle *p = calloc(1, sizeof *p);
    zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);
    assert_true(p && zip);
    put_code(p, "\x80\x02"
                "ccollections\nOrderedDict\n)R(");
    for (size_t i = first; i < sac_arrays_size(arrays); i += step) {
        const sac_array *array = sac_arrays_at(arrays, i);
        snprintf(key, sizeof key, "%zu", i);
        snprintf(name, sizeof name, "archive/data/%zu", i);
        put_tensor(p, sac_arrays_name(arrays, i), array, key);
        add_member(zip, name, array->data, sac_array_count(array) * sac_dtype_size(array->dtype));
    }
    put_code(p, "u.");
    add_member(zip, "archive/data.pkl", p->bytes, p->size);
    add_member(zip, "archive/version", "3\n", 2);
    assert_int_equal(zip_close(zip), 0);
    free(p);
}

#endif
