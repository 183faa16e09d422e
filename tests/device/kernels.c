/* Kernels of the test's own stand in for those of cl/: the linker takes these names from here. */
#include <string.h>

#include "device/sources.h"

const sac_kernel_source sac_kernel_sources[] = {
    {"good", "#ifndef FACTOR\n"
             "#error \"FACTOR is missing\"\n"
             "#endif\n"
             "__kernel void multiply(__global float *x, const float y)\n"
             "{\n"
             "    const size_t i = get_global_id(0);\n"
             "    x[i] = x[i] * FACTOR + y;\n"
             "}\n"},
    {"bad", "__kernel void broken(__global float *x)\n"
            "{\n"
            "    x[0] = not_declared_anywhere;\n"
            "}\n"},
    {0, 0},
};

const char *sac_kernel_source_find(const char *name)
{
    for (const sac_kernel_source *source = sac_kernel_sources; source->name; source++)
        if (strcmp(source->name, name) == 0)
            return source->text;
    return 0;
}
