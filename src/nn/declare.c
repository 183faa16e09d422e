/* Names of parameters. */
#include "nn/declare.h"

#include <stdio.h>

typedef char parameter_name[sizeof((sac_parameter *)0)->name];

static char *join(const char *layer, const char *name, const char *kind, parameter_name full)
{
    snprintf(full, sizeof(parameter_name), "%s%s%s.%s", layer, layer[0] ? "." : "", name, kind);
    return full;
}

sac_dense sac_dense_declare(sac_parameters *p, const char *layer, const char *name, size_t out,
                            size_t in, bool has_bias)
{
    parameter_name full;
    sac_dense dense = {0};
    dense.w = sac_parameter_weight(p, join(layer, name, "weight", full), out, in);
    if (has_bias)
        dense.b = sac_parameter_vector(p, join(layer, name, "bias", full), out);
    return dense;
}

sac_layer_norm sac_layer_norm_declare(sac_parameters *p, const char *layer, const char *name,
                                      size_t width)
{
    parameter_name full;
    sac_layer_norm norm = sac_rms_norm_declare(p, layer, name, width, 0);
    norm.bias = sac_parameter_vector(p, join(layer, name, "bias", full), width);
    return norm;
}

sac_layer_norm sac_rms_norm_declare(sac_parameters *p, const char *layer, const char *name,
                                    size_t width, float epsilon)
{
    parameter_name full;
    sac_layer_norm norm = {.epsilon = epsilon};
    join(layer, name, "weight", full);
    norm.gain = sac_parameter_add(p, full, sac_init_constant(1), 1, width);
    return norm;
}
