/* The OpenCL sources of cl/, embedded by CMake with their #include lines already replaced. */
#ifndef SAC_DEVICE_SOURCES_H
#define SAC_DEVICE_SOURCES_H

typedef struct sac_kernel_source {
    const char *name; /* "attend_cpu" for cl/attention/cpu/attend_cpu.cl */
    const char *text;
} sac_kernel_source;

extern const sac_kernel_source sac_kernel_sources[]; /* ends with a zeroed one */

/* Lends; NULL where there is no such file. */
const char *sac_kernel_source_find(const char *name);

#endif
