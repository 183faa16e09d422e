/* The shapes of the attention kernels' tiles: one table of what ships, a row per class of device.
 */
#ifndef SAC_ATTENTION_PLAN_TILING_H
#define SAC_ATTENTION_PLAN_TILING_H

#include <stdbool.h>
#include <stddef.h>

#include "saccade.h"

/* The shape of a tile; a number is 0 where a kernel does not use it. A GPU's work-group has
 * (tile_rows / rows_each) · (block_keys / keys_each) work-items; a matrix kernel's, a sub-group for
 * every blocks fragments of queries. */
typedef struct sac_tiling {
    unsigned tile_rows;   /* most queries per tile, whole register tiles */
    unsigned block_keys;  /* keys per pass of the online softmax; GPU: a panel */
    unsigned width;       /* CPU: floats per vector; a panel of keys is two vectors */
    unsigned micro_rows;  /* CPU: queries of a register tile, which is two vectors of keys wide */
    unsigned tile_floats; /* CPU: most floats of a tile of queries, and of one of outputs */
    unsigned weight_rows; /* CPU: queries of a strip, and per unit of kernel `weights` */
    unsigned rows_each;   /* GPU: queries per work-item … */
    unsigned keys_each;   /* … and keys: its register tile */
    unsigned depth;       /* GPU: coordinates staged in local memory at a time */
    sac_matrix matrix;    /* matrix: in the form of whose instruction */
    unsigned pairs;  /* CPU: 0: bfloat16 by pairs where there is the instruction; SAC_PAIRS_… */
    unsigned blocks; /* matrix: how often a sub-group has its instruction's queries */
} sac_tiling;

/* By loops in place of the instruction, for tests; or never, where the self-test refuses them. */
enum { SAC_PAIRS_BY_LOOPS = 1, SAC_PAIRS_NEVER, SAC_SQUARES, SAC_SQUARES_BY_LOOPS };
/* Tiles of a CPU that are multiplied by instructions for matrices. */
void sac_tiling_of_squares(const sac_device_info *info, sac_tiling *tiling);

/* The most value columns of a work-item of the GPU kernel. */
#define SAC_GPU_MOST_COLUMNS 8
/* The widest head that every tiling of the CPU kernel takes. */
#define SAC_CPU_WIDEST 2048

/* The shipped shape for this device and variant (not SAC_VARIANT_NAIVE; the GPU and matrix kernels
 * run on CPUs too); of the matrix kernels, which have another for float32, that for float16. */
const sac_tiling *sac_tiling_shipped(const sac_device_info *info, sac_variant variant);
const sac_tiling *sac_tiling_shipped_for(const sac_device_info *info, sac_variant variant,
                                         sac_storage storage);
/* The device's instruction for numbers that are stored so; SAC_MATRIX_NONE. */
sac_matrix sac_matrix_for_storage(const sac_device_info *info, sac_storage storage);
/* How these are stored, the numbers of a row that it multiplies at a time, and the most numbers of a
 * query or a value that the kernels take. */
sac_storage sac_matrix_storage(sac_matrix matrix);
size_t sac_matrix_step(sac_matrix matrix);
size_t sac_matrix_widest_head(sac_matrix matrix);
/* The rows of that table, one after the other; false past the last. */
bool sac_tiling_table_entry(size_t index, sac_variant *variant, sac_tiling *tiling);

/* True where the kernels are written for such a shape, and it fits the device. */
bool sac_tiling_fits(const sac_device_info *info, sac_variant variant, const sac_tiling *tiling);

/* Half as many rows of a tile, in whole register tiles. */
size_t sac_tiling_half(size_t rows, size_t micro_rows);

/* The same for at most SAC_GPU_FEW_ROWS queries: a tile no taller, so that the time goes into
 * reading keys and not into queries that are not there. The shape stays as it is where it has fewer
 * rows, or would have too few work-items. */
#define SAC_GPU_FEW_ROWS 8
sac_tiling sac_tiling_for_few(const sac_tiling *tiling);

/* The shape of a CPU's backward kernels: strips of queries and tiles of keys, in the same register
 * tiles. */
sac_tiling sac_tiling_for_backward(const sac_tiling *tiling);
/* That of a GPU's: tiles of a group's own side, and of the other. And all of them, one after the
 * other; NULL past the last. */
const sac_tiling *sac_tiling_backward_gpu(const sac_device_info *info);
const sac_tiling *sac_tiling_backward_gpu_entry(size_t index);
/* Its local memory, where a work-item has so many columns of a gradient. */
size_t sac_tiling_backward_local_bytes(const sac_tiling *tiling, size_t columns);

/* A shape of the matrix kernels for wide heads, or for few queries: one fragment of queries for a
 * sub-group, and a tile that is smaller by the same factor. Of float32, which is for wide heads alone,
 * half as many keys of a panel, and twice as many queries of a tile. */
sac_tiling sac_tiling_narrow(const sac_tiling *tiling);

/* The GPU kernel's work-items across the keys (and the value columns) of a tile, and the local
 * memory that a group takes. */
size_t sac_tiling_items_across(const sac_tiling *tiling);
size_t sac_tiling_local_bytes(const sac_tiling *tiling);
/* The local memory that operands take where loops stand in for a matrix instruction. */
size_t sac_tiling_operand_bytes(const sac_tiling *tiling);
/* Work-items of a group of the GPU or the matrix kernels. */
size_t sac_tiling_group_items(const sac_tiling *tiling);

#endif
