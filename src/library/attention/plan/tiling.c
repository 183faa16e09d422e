/* The table of shapes of tiles for each class of device, and the limits of each kernel. */

#include "attention/plan/tiling.h"

#include <string.h>

#include "base/round.h"
#include "device/device.h"

typedef enum table_row {
    CPU_16, /* by floats per vector */
    CPU_8,
    CPU_4,
    GPU_NVIDIA,
    GPU_AMD,
    GPU_INTEL,
    GPU_OTHER,
    MATRIX, /* and the others of sac_matrix, but for SAC_MATRIX_NONE */
    ROW_COUNT = MATRIX + SAC_MATRIX_COUNT - 1
} table_row;

/* CPUs: register tiles of 8 × 2 vectors where there are 32 vector registers (AVX-512, NEON), 4 × 2
 * where there are 16 (AVX). The scores of a strip are 16 KiB, in the first cache; a block of keys
 * and of values 128 KiB at d = 64, in the second. tile_floats: 128 rows of up to 256, 16 rows of up
 * to 2048. */
#define CPU(vector, rows)                                                                          \
    {                                                                                              \
        .width = vector, .micro_rows = rows, .tile_rows = 128, .block_keys = 256,                  \
        .tile_floats = 32768, .weight_rows = 16                                                    \
    }
#define GPU(rows, keys, each_rows, each_keys, coordinates)                                         \
    {                                                                                              \
        .tile_rows = rows, .block_keys = keys, .rows_each = each_rows, .keys_each = each_keys,     \
        .depth = coordinates                                                                       \
    }
/* Matrix instructions: `fragments` of queries use each key that is read from local memory; what
 * bounds them is the registers, which hold the queries, a panel's scores and the outputs. */
#define FRAGMENTS(kind, rows, keys, fragments)                                                     \
    [MATRIX + SAC_MATRIX_##kind - SAC_MATRIX_MMA] = {                                              \
        .tile_rows = rows, .block_keys = keys, .matrix = SAC_MATRIX_##kind, .blocks = fragments}
static const sac_tiling table[ROW_COUNT] = {
    [CPU_16] = CPU(16, 8),
    [CPU_8] = CPU(8, 4),
    [CPU_4] = CPU(4, 8),
    [GPU_NVIDIA] = GPU(64, 64, 4, 4, 16),
    [GPU_AMD] = GPU(64, 64, 8, 4, 16),
    [GPU_INTEL] = GPU(64, 64, 4, 4, 16),
    [GPU_OTHER] = GPU(64, 64, 4, 4, 16),
    FRAGMENTS(MMA, 128, 64, 2),
    FRAGMENTS(MFMA, 128, 64, 2),
    FRAGMENTS(WMMA_11, 64, 32, 1),
    FRAGMENTS(WMMA_12, 64, 64, 1),
    FRAGMENTS(DPAS_8, 64, 32, 1),
    FRAGMENTS(DPAS_16, 64, 32, 1),
    FRAGMENTS(MMA_TF32, 64, 64, 1),
};

/* The sizes of the matrix instructions: QUERIES and LANES of cl/attention/gpu/fragments/fragments.clh, the widest head that
 * compilers keep in registers, and A_ROWS and B_COLUMNS together. */
static const struct {
    unsigned queries, lanes, widest, lines;
} fragments[SAC_MATRIX_COUNT] = {
    [SAC_MATRIX_MMA] = {16, 32, 128, 24},      [SAC_MATRIX_MFMA] = {16, 64, 128, 32},
    [SAC_MATRIX_WMMA_11] = {16, 32, 128, 64},  [SAC_MATRIX_WMMA_12] = {16, 32, 128, 32},
    [SAC_MATRIX_DPAS_8] = {8, 8, 64, 16},      [SAC_MATRIX_DPAS_16] = {16, 16, 64, 24},
    [SAC_MATRIX_MMA_TF32] = {16, 32, 128, 24},
};

/* A GPU's for the backward pass. Two gradients of 32 × 128 numbers are 64 registers for each of 128
 * work-items. Intel's have 128 registers of 8 numbers, too few for these beside the products: there
 * 256 work-items have half of a gradient each, and slices half as deep. */
static const sac_tiling backward_gpu = GPU(32, 64, 4, 4, 16);
static const sac_tiling backward_intel = GPU(32, 128, 4, 4, 8);

static table_row shipped_table_row(const sac_device_info *info, sac_variant variant)
{
    static const table_row of_class[] = {
        [SAC_CLASS_CPU] = GPU_OTHER,   [SAC_CLASS_NVIDIA] = GPU_NVIDIA, [SAC_CLASS_AMD] = GPU_AMD,
        [SAC_CLASS_INTEL] = GPU_INTEL, [SAC_CLASS_OTHER] = GPU_OTHER,
    };
    sac_profile profile = sac_profile_of(info);
    if (variant == SAC_VARIANT_CPU)
        return profile.vector_width == 16 ? CPU_16 : profile.vector_width == 8 ? CPU_8 : CPU_4;
    if (variant == SAC_VARIANT_MATRIX)
        return MATRIX + (info->matrix ? info->matrix - SAC_MATRIX_MMA : 0);
    return of_class[profile.class];
}

const sac_tiling *sac_tiling_shipped(const sac_device_info *info, sac_variant variant)
{
    return &table[shipped_table_row(info, variant)];
}

void sac_tiling_of_squares(const sac_device_info *info, sac_tiling *tiling)
{
    *tiling = *sac_tiling_shipped(info, SAC_VARIANT_CPU);
    tiling->tile_rows *= 4;   /* what keys and values are cut into serves more queries */
    tiling->weight_rows = 32; /* two squares */
    tiling->pairs = SAC_SQUARES;
}

const sac_tiling *sac_tiling_shipped_for(const sac_device_info *info, sac_variant variant,
                                         sac_storage storage)
{
    bool is_float = variant == SAC_VARIANT_MATRIX && storage == SAC_STORAGE_F32;
    return is_float ? &table[MATRIX + SAC_MATRIX_MMA_TF32 - SAC_MATRIX_MMA]
                    : sac_tiling_shipped(info, variant);
}

sac_matrix sac_matrix_for_storage(const sac_device_info *info, sac_storage storage)
{
    if (storage == SAC_STORAGE_F16)
        return info->matrix;
    bool has = storage == SAC_STORAGE_F32 && info->matrix == SAC_MATRIX_MMA;
    return has ? SAC_MATRIX_MMA_TF32 : SAC_MATRIX_NONE;
}

sac_storage sac_matrix_storage(sac_matrix matrix)
{
    return matrix == SAC_MATRIX_MMA_TF32 ? SAC_STORAGE_F32 : SAC_STORAGE_F16;
}

size_t sac_matrix_step(sac_matrix matrix)
{
    return matrix == SAC_MATRIX_MMA_TF32 ? 8 : 16;
}

size_t sac_matrix_widest_head(sac_matrix matrix)
{
    return fragments[matrix].widest;
}

bool sac_tiling_table_entry(size_t index, sac_variant *variant, sac_tiling *tiling)
{
    if (index >= ROW_COUNT)
        return false;
    *variant = index < GPU_NVIDIA ? SAC_VARIANT_CPU
               : index < MATRIX   ? SAC_VARIANT_GPU
                                  : SAC_VARIANT_MATRIX;
    *tiling = table[index];
    return true;
}

/* `number` is one of `list`, which ends with 0. */
static bool is_one_of(unsigned number, const unsigned *list)
{
    while (*list && *list != number)
        list++;
    return *list != 0;
}

/* A positive multiple of `step`, at most `most`. */
static bool is_multiple(unsigned number, unsigned step, unsigned most)
{
    return number && step && number % step == 0 && number <= most;
}

/* Tiles and strips are whole register tiles, and whole vectors of rows. The bounds keep a
 * work-item's private memory under 1.5 MiB: drivers put it on a thread's stack. */
static bool fits_cpu(const sac_tiling *t)
{
    return is_one_of(t->width, (unsigned[]){4, 8, 16, 0}) &&
           is_one_of(t->micro_rows, (unsigned[]){4, 6, 8, 12, 0}) &&
           is_multiple(t->tile_rows, t->micro_rows, 512) && t->tile_rows % t->width == 0 &&
           is_multiple(t->block_keys, 2 * t->width, 1024) &&
           t->tile_rows * t->block_keys <= 131072 &&
           is_multiple(t->weight_rows, t->micro_rows, t->tile_rows) &&
           t->weight_rows % t->width == 0 && is_multiple(t->tile_floats, 16, 98304) &&
           t->tile_floats >= t->weight_rows * SAC_CPU_WIDEST && !t->rows_each && !t->keys_each &&
           !t->depth && !t->matrix && !t->blocks;
}

/* True for the shapes that cl/attention/gpu/attend_gpu.cl is written for: an even number of work-items down,
 * vectors of four across, 64 to 256 in all; a work-item's tiles of scores and of outputs, 8 columns
 * wide at most, 512 bytes at most. */
static bool fits_gpu(const sac_device_info *info, const sac_tiling *t)
{
    return is_one_of(t->rows_each, (unsigned[]){1, 2, 4, 8, 0}) &&
           is_one_of(t->keys_each, (unsigned[]){4, 8, 0}) &&
           is_one_of(t->depth, (unsigned[]){8, 16, 32, 0}) &&
           t->rows_each * (t->keys_each + SAC_GPU_MOST_COLUMNS) <= 128 &&
           is_multiple(t->tile_rows, 2 * t->rows_each, 128) &&
           is_multiple(t->block_keys, 4 * t->keys_each, 128) && t->block_keys % t->depth == 0 &&
           !t->width && !t->micro_rows && !t->tile_floats && !t->weight_rows && !t->matrix &&
           !t->blocks && sac_tiling_group_items(t) >= 64 && sac_tiling_group_items(t) <= 256 &&
           sac_tiling_group_items(t) <= info->max_work_group &&
           sac_tiling_local_bytes(t) <= info->local_bytes;
}

bool sac_tiling_fits(const sac_device_info *info, sac_variant variant, const sac_tiling *tiling)
{
    return variant == SAC_VARIANT_CPU ? fits_cpu(tiling)
                                      : variant == SAC_VARIANT_GPU && fits_gpu(info, tiling);
}

size_t sac_tiling_half(size_t rows, size_t micro_rows)
{
    size_t step = micro_rows ? micro_rows : 1;
    return sac_round_up(rows / 2, step);
}

sac_tiling sac_tiling_for_few(const sac_tiling *tiling)
{
    sac_tiling few = *tiling;
    few.tile_rows = SAC_GPU_FEW_ROWS;
    few.rows_each = 1;
    bool is_smaller = few.tile_rows < tiling->tile_rows && sac_tiling_group_items(&few) >= 64 &&
                      sac_tiling_group_items(&few) <= sac_tiling_group_items(tiling);
    return is_smaller ? few : *tiling;
}

sac_tiling sac_tiling_narrow(const sac_tiling *tiling)
{
    sac_tiling narrow = *tiling;
    narrow.tile_rows /= narrow.blocks;
    narrow.blocks = 1;
    if (sac_matrix_storage(narrow.matrix) == SAC_STORAGE_F32) { /* local memory; registers */
        narrow.block_keys /= 2;
        narrow.tile_rows *= 2;
    }
    return narrow;
}

size_t sac_tiling_items_across(const sac_tiling *tiling)
{
    return tiling->block_keys / tiling->keys_each;
}

size_t sac_tiling_group_items(const sac_tiling *tiling)
{
    const sac_tiling *t = tiling;
    if (t->matrix)
        return t->tile_rows / (t->blocks * fragments[t->matrix].queries) *
               fragments[t->matrix].lanes;
    return sac_tiling_items_across(t) * (t->tile_rows / t->rows_each);
}

size_t sac_tiling_operand_bytes(const sac_tiling *tiling)
{
    size_t subgroups = sac_tiling_group_items(tiling) / fragments[tiling->matrix].lanes;
    return subgroups * fragments[tiling->matrix].lines * 16 * sizeof(cl_half);
}

/* The weights of a panel [tile_rows][block_keys + 4], where two slices of queries and keys lie
 * before; two slices of values, with as many columns as there can be, or the rows' maxima [across]
 * [tile_rows + 2]; two numbers a row; and 1 KiB for what a driver takes of its own. */
size_t sac_tiling_local_bytes(const sac_tiling *tiling)
{
    size_t rows = tiling->tile_rows, keys = tiling->block_keys, depth = tiling->depth;
    size_t across = sac_tiling_items_across(tiling), pitch = depth < 32 ? depth : depth + 4;
    size_t columns = depth > 8 ? 6 : SAC_GPU_MOST_COLUMNS; /* more have slices half as deep */
    size_t floats = sac_larger(2 * (rows * pitch + depth * keys), rows * (keys + 4)) +
                    sac_larger(2 * depth * across * columns, across * (rows + 2)) + 2 * rows;
    return floats * sizeof(float) + 1024;
}

/* At d = 64 a tile of 256 keys with its values and both gradients is 370 KiB, in the second cache; of a
 * strip's weights and slopes, 36 KiB each, a product reads one. */
sac_tiling sac_tiling_for_backward(const sac_tiling *tiling)
{
    sac_tiling t = *tiling;
    t.tile_rows = t.weight_rows = 64;
    t.block_keys = 128;
    t.tile_floats = 32768;
    return t;
}

const sac_tiling *sac_tiling_backward_gpu(const sac_device_info *info)
{
    return sac_profile_of(info).class == SAC_CLASS_INTEL ? &backward_intel : &backward_gpu;
}

const sac_tiling *sac_tiling_backward_gpu_entry(size_t index)
{
    static const sac_tiling *const rows[] = {&backward_gpu, &backward_intel};
    return index < sizeof rows / sizeof *rows ? rows[index] : NULL;
}

/* The factors [tile_rows][block_keys + 4], and two slices: of both sides, the other with a vector more
 * than its rows, or of rows of `columns` numbers; and 1 KiB for what a driver takes of its own. */
size_t sac_tiling_backward_local_bytes(const sac_tiling *tiling, size_t columns)
{
    size_t depth = tiling->depth, across = sac_tiling_items_across(tiling);
    size_t slice = tiling->tile_rows * depth + depth * (tiling->block_keys + 4);
    size_t floats = tiling->tile_rows * (tiling->block_keys + 4) +
                    2 * sac_larger(slice, depth * across * columns);
    return floats * sizeof(float) + 1024;
}
