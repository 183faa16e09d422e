/* The profile of a device: which kernels suit it, and how wide they work. It is decided in this one
 * place from the device's description, and read wherever kernels, shapes of tiles or backends are
 * chosen. A new class of devices is a row of profile.c, and one of the table of tiles. */
#ifndef SAC_DEVICE_PROFILE_H
#define SAC_DEVICE_PROFILE_H

#include "saccade.h"

typedef enum sac_device_class {
    SAC_CLASS_CPU = 0,
    SAC_CLASS_NVIDIA,
    SAC_CLASS_AMD,
    SAC_CLASS_INTEL,
    SAC_CLASS_OTHER /* GPUs of other vendors, and accelerators */
} sac_device_class;

typedef struct sac_profile {
    sac_device_class class;
    /* A work-item of a CPU works by itself, with explicit vectors; the items of any other device
     * work side by side in groups, and share what is in local memory. */
    bool is_cpu;
    unsigned vector_width; /* floats of a CPU's vectors: 4, 8 or 16; elsewhere 4 */
    /* Kernels may have VNNI's instructions, of 256 bits (cl/gemm/dots.clh), those for pairs of
     * bfloat16, of 512 bits (cl/attention/cpu/pairs.clh), and AMX's for squares of them
     * (cl/gemm/gemm_matrix.cl). */
    bool has_dots, has_pairs, has_squares;
    /* A loop may be of any length: so it is where kernels are the processor's own code, by PoCL.
     * Elsewhere it is tried (gemm/launch.h). */
    bool has_long_loops;
    /* The driver's compiler reads a header of all of OpenCL C's functions with each program, and
     * can be kept from it (cl/device/builtins.cl). */
    bool reads_long_header;
} sac_profile;

sac_profile sac_profile_of(const sac_device_info *info);

#endif
