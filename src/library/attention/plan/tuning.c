/* The tuned shape of a device, in memory and in the cache. */

#include "attention/plan/tuning.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "device/cache/cache.h"

#define KIND "tuning"

/* The tuned shape, as an open device keeps it. */
struct sac_tuning {
    sac_variant variant; /* automatic: nothing was tuned */
    sac_tiling tiling;
};

/* ---------------------------------------------------------------- on disk: one line of text */

#define FORMAT                                                                                     \
    "%15s tile_rows %u block_keys %u width %u micro_rows %u tile_floats %u weight_rows %u "        \
    "rows_each %u keys_each %u depth %u%n"

static sac_variant variant_of_name(const char *name)
{
    for (int v = SAC_VARIANT_CPU; v < SAC_VARIANT_COUNT; v++)
        if (strcmp(name, sac_variant_name((sac_variant)v)) == 0)
            return (sac_variant)v;
    return SAC_VARIANT_AUTO;
}

/* Leaves *tuning empty if the text has nothing usable on this device. */
static void parse(const sac_device_info *info, const char *text, struct sac_tuning *tuning)
{
    char name[16];
    int used = 0;
    sac_tiling t = {0};
    int count = sscanf(text, FORMAT, name, &t.tile_rows, &t.block_keys, &t.width, &t.micro_rows,
                       &t.tile_floats, &t.weight_rows, &t.rows_each, &t.keys_each, &t.depth, &used);
    if (count != 10 || strcmp(text + used, "\n") != 0)
        return;
    sac_variant variant = variant_of_name(name);
    if (sac_tiling_fits(info, variant, &t))
        *tuning = (struct sac_tuning){variant, t};
}

/* The tuning of an open device; NULL where there is no memory for it. */
static struct sac_tuning *load_device_tuning(sac_device *device)
{
    char key[1024], *text;
    size_t size;
    if (device->tuning)
        return device->tuning;
    device->tuning = calloc(1, sizeof *device->tuning);
    sac_device_kernels_key(&device->info, key, sizeof key);
    if (device->tuning && sac_cache_load(KIND, key, &text, &size)) {
        parse(&device->info, text, device->tuning);
        free(text);
    }
    return device->tuning;
}

const sac_tiling *sac_tuning_get(sac_device *device, sac_variant *variant)
{
    const struct sac_tuning *tuning = load_device_tuning(device);
    if (!tuning || tuning->variant == SAC_VARIANT_AUTO)
        return NULL;
    *variant = tuning->variant;
    return &tuning->tiling;
}

void sac_tuning_set(sac_device *device, sac_variant variant, const sac_tiling *tiling)
{
    char key[1024], text[256] = "";
    struct sac_tuning *tuning = load_device_tuning(device);
    if (tuning && tiling)
        *tuning = (struct sac_tuning){variant, *tiling};
    else if (tuning)
        *tuning = (struct sac_tuning){0};
    if (tiling)
        snprintf(text, sizeof text,
                 "%s tile_rows %u block_keys %u width %u micro_rows %u tile_floats %u "
                 "weight_rows %u rows_each %u keys_each %u depth %u\n",
                 sac_variant_name(variant), tiling->tile_rows, tiling->block_keys, tiling->width,
                 tiling->micro_rows, tiling->tile_floats, tiling->weight_rows, tiling->rows_each,
                 tiling->keys_each, tiling->depth);
    sac_device_kernels_key(&device->info, key, sizeof key);
    sac_cache_store(KIND, key, text, strlen(text));
}

/* ---------------------------------------------------------------- candidates */

/* A number of a shape and the values worth trying. */
typedef struct sac_choice {
    size_t member; /* its offset in sac_tiling */
    unsigned values[SAC_TUNING_VALUES];
} sac_choice;

static const sac_choice cpu_choices[] = {
    {offsetof(sac_tiling, weight_rows), {16, 32, 48}},
    {offsetof(sac_tiling, micro_rows), {4, 6, 8, 12}},
    {offsetof(sac_tiling, block_keys), {128, 256, 512, 1024}},
    {offsetof(sac_tiling, tile_rows), {64, 96, 128, 192, 256}},
    {offsetof(sac_tiling, width), {4, 8, 16}},
};
static const sac_choice gpu_choices[] = {
    {offsetof(sac_tiling, rows_each), {2, 4, 8}},
    {offsetof(sac_tiling, keys_each), {2, 4, 8}},
    {offsetof(sac_tiling, tile_rows), {32, 64, 128}},
    {offsetof(sac_tiling, block_keys), {32, 64, 128}},
    {offsetof(sac_tiling, depth), {8, 16, 32}},
};

static unsigned common_multiple(unsigned a, unsigned b)
{
    unsigned multiple = a;
    while (multiple % b)
        multiple += a;
    return multiple;
}

/* `from` with one number set; strips then are whole register tiles and whole vectors, and so are
 * tiles, which do not grow by it; wide heads still fit. */
static sac_tiling tiling_with_number(const sac_tiling *from, size_t member, unsigned value)
{
    sac_tiling tiling = *from;
    memcpy((char *)&tiling + member, &value, sizeof value);
    if (tiling.micro_rows) {
        unsigned step = common_multiple(tiling.micro_rows, tiling.width);
        tiling.tile_rows -= tiling.tile_rows % step;
        tiling.weight_rows = sac_round_up(tiling.weight_rows, step);
        unsigned floats = tiling.weight_rows * SAC_CPU_WIDEST;
        tiling.tile_floats = floats > 32768 ? floats : 32768;
    }
    return tiling;
}

size_t sac_tuning_number_count(sac_variant variant)
{
    return variant == SAC_VARIANT_CPU ? sizeof cpu_choices / sizeof *cpu_choices
                                      : sizeof gpu_choices / sizeof *gpu_choices;
}

/* Far from a CPU's own vectors nothing is gained. */
static bool is_plausible(const sac_device_info *info, sac_variant variant, const sac_tiling *tiling)
{
    unsigned own = sac_tiling_shipped(info, variant)->width;
    return 2 * tiling->width >= own && tiling->width <= 2 * own;
}

size_t sac_tuning_candidates(const sac_device_info *info, sac_variant variant, size_t which,
                             const sac_tiling *from, sac_tiling *list)
{
    const sac_choice *choice =
        variant == SAC_VARIANT_CPU ? &cpu_choices[which] : &gpu_choices[which];
    size_t count = 0;
    for (int i = 0; i < SAC_TUNING_VALUES && choice->values[i]; i++) {
        sac_tiling tiling = tiling_with_number(from, choice->member, choice->values[i]);
        if (memcmp(&tiling, from, sizeof tiling) != 0 && is_plausible(info, variant, &tiling) &&
            sac_tiling_fits(info, variant, &tiling))
            list[count++] = tiling;
    }
    return count;
}
