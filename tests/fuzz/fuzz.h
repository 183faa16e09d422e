/* What a fuzz target is, and what those on arrays share. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A failure says why. Want of memory is no reason: what a file cannot back up is refused before
 * anything is allocated. */
static inline void fuzz_refused(sac_status status, const sac_error *error)
{
    if (error->status != status || !error->what[0] || status == SAC_E_MEMORY)
        abort();
}

/* So that reading is not optimised away. */
static volatile uint64_t fuzz_sum;

static inline void fuzz_touch(const void *bytes, size_t size)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += ((const uint8_t *)bytes)[i];
    fuzz_sum = fuzz_sum + sum;
}

static inline void fuzz_touch_array(const sac_array *array)
{
    size_t count = sac_array_count(array);
    if (array->dtype == SAC_TEXT)
        for (size_t i = 0; i < count; i++)
            fuzz_touch(((char **)array->data)[i], strlen(((char **)array->data)[i]));
    else
        fuzz_touch(array->data, count * sac_dtype_size(array->dtype));
}

/* Opens the bytes as a file of arrays and reads every element of every array there is. A failure
 * must leave nothing and say why. */
static inline int fuzz_arrays(const uint8_t *data, size_t size)
{
    sac_bytes file = {.data = malloc(size ? size : 1), .size = size};
    sac_arrays *arrays;
    sac_error error = {0};
    if (!file.data)
        return 0;
    if (size)
        memcpy(file.data, data, size);
    sac_status status = sac_arrays_from_bytes(&file, &arrays, &error);
    if (status != SAC_OK) {
        if (arrays)
            abort();
        fuzz_refused(status, &error);
        return 0;
    }
    for (size_t i = 0; i < sac_arrays_size(arrays); i++) {
        fuzz_touch_array(sac_arrays_at(arrays, i));
        if (!sac_arrays_find(arrays, sac_arrays_name(arrays, i)))
            abort();
    }
    sac_arrays_close(arrays);
    return 0;
}

#endif
