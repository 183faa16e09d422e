/* What fuzz targets share. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A failure has a reason. Want of memory is no reason: what a file cannot back up is refused before
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

#endif
