#include "fuzz.h"
#include "saccade_arrays.h"

/* Opens the bytes as a file of arrays (npy, npz, safetensors, of torch.save, a table or JSON, recognised by its bytes)
 * and reads every element of every array there is. A failure must leave nothing and give a reason.
 * Pickles are read in full where they were written before 1.6, which put them in a zip, of which a
 * fuzzer seldom gets the checksums right: the corpus has both. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
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
