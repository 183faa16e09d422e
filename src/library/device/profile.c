/* The table of vendors, and the profile of a device made of its description. */

#include "device/profile.h"

#include <string.h>

#include "device/internal.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ARCH_REQ_XCOMP_PERM 0x1023
#define XFEATURE_XTILEDATA 18

/* AMX, whose registers Linux saves for a process that has asked it to. All threads have them then. */
static bool may_multiply_squares(void)
{
    unsigned a, b, c, d, tiles = 1u << 24 | 1u << 22; /* AMX-TILE, AMX-BF16 */
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & tiles) == tiles &&
           syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0;
}
#else
static bool may_multiply_squares(void)
{
    return false;
}
#endif

/* Vendors by a part of the name that their drivers give. */
static const struct {
    const char *part;
    sac_device_class class;
} vendors[] = {
    {"NVIDIA", SAC_CLASS_NVIDIA},
    {"AMD", SAC_CLASS_AMD},
    {"Advanced Micro Devices", SAC_CLASS_AMD},
    {"Intel", SAC_CLASS_INTEL},
};

static sac_device_class class_of(const sac_device_info *info)
{
    if (info->is_cpu)
        return SAC_CLASS_CPU;
    for (size_t i = 0; info->is_gpu && i < sizeof vendors / sizeof *vendors; i++)
        if (strstr(info->vendor, vendors[i].part))
            return vendors[i].class;
    return SAC_CLASS_OTHER;
}

static unsigned vector_width_of(const sac_device_info *info)
{
    if (!info->is_cpu)
        return 4;
    return info->float_width >= 16 ? 16 : info->float_width >= 8 ? 8 : 4;
}

/* PoCL compiles by clang, which has functions for a processor's instructions (cl/common/instructions.clh). */
static void find_instructions(const sac_device_info *info, sac_profile *profile)
{
#if defined(__x86_64__) || defined(__i386__)
    if (!info->is_cpu || !sac_device_is_pocl(info) || info->float_width < 16)
        return;
    profile->has_dots = __builtin_cpu_supports("avx512vnni") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    profile->has_pairs = __builtin_cpu_supports("avx512bf16");
    profile->has_squares = profile->has_pairs && may_multiply_squares();
#endif
}

sac_profile sac_profile_of(const sac_device_info *info)
{
    sac_profile profile = {
        .class = class_of(info),
        .is_cpu = info->is_cpu,
        .vector_width = vector_width_of(info),
        .has_long_loops = info->is_cpu && sac_device_is_pocl(info),
        /* That of the PoCL which all of this is tried with, 3.1, and of those before it. */
        .reads_long_header = sac_device_is_pocl(info) && atoi(info->driver) <= 3,
    };
    find_instructions(info, &profile);
    return profile;
}
