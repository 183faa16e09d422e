#include <math.h>

#include "captioner/photographs/feature_cache.h"
#include "fuzz_folder.h"

enum { NUMBERS = 2, HEADER = 16, RECORD = 8 + 2 * NUMBERS };

/* The numbers are finite, or the failure reports that they are not. */
static void check_record(const sac_feature_cache *cache, uint64_t key)
{
    float numbers[NUMBERS];
    sac_error error = {0};
    if (!sac_feature_cache_has(cache, key))
        abort();
    sac_status status = sac_feature_cache_read(cache, key, numbers, &error);
    if (status != SAC_OK)
        fuzz_refused(status, &error);
    for (int i = 0; status == SAC_OK && i < NUMBERS; i++)
        if (!isfinite(numbers[i]))
            abort();
}

static sac_feature_cache *reopen(const char *path)
{
    sac_feature_cache *cache;
    if (sac_feature_cache_open(path, NUMBERS, &cache, NULL) != SAC_OK)
        abort();
    return cache;
}

/* The bytes as a file of features: each record is there, and so is one more after the file was
 * opened again. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"features", NULL};
    const float added[NUMBERS] = {0.5f, -2};
    float numbers[NUMBERS];
    uint64_t key, fresh = 0;
    sac_feature_cache *cache;
    sac_error error = {0};
    fuzz_open_folder(names);
    const char *path = fuzz_path("features");
    fuzz_write("features", data, size);
    sac_status status = sac_feature_cache_open(path, NUMBERS, &cache, &error);
    if (status != SAC_OK) {
        fuzz_refused(status, &error);
        return 0;
    }
    for (size_t at = HEADER; at + RECORD <= size; at += RECORD) {
        memcpy(&key, data + at, sizeof key);
        check_record(cache, key);
    }
    while (sac_feature_cache_has(cache, fresh))
        fresh++;
    uint64_t bytes = sac_feature_cache_bytes(cache, 1);
    if (sac_feature_cache_read(cache, fresh, numbers, NULL) != SAC_E_FILE ||
        sac_feature_cache_add(cache, fresh, added, NULL) != SAC_OK)
        abort();
    sac_feature_cache_close(cache);
    cache = reopen(path);
    if (sac_feature_cache_bytes(cache, 0) != bytes ||
        sac_feature_cache_read(cache, fresh, numbers, NULL) != SAC_OK ||
        memcmp(numbers, added, sizeof added) != 0)
        abort();
    sac_feature_cache_close(cache);
    return 0;
}
