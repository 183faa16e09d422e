/* Declares the parameters of a layer under the names that PyTorch gives them: LAYER.NAME.weight and
 * LAYER.NAME.bias, without LAYER and its dot where that is "". */
#ifndef SAC_NN_DECLARE_H
#define SAC_NN_DECLARE_H

#include "nn/transformer.h"

sac_dense sac_dense_declare(sac_parameters *parameters, const char *layer, const char *name,
                            size_t out, size_t in, bool has_bias);
/* It begins as a norm that changes nothing else. */
sac_layer_norm sac_layer_norm_declare(sac_parameters *parameters, const char *layer,
                                      const char *name, size_t width);
/* One without a bias, RMSNorm. */
sac_layer_norm sac_rms_norm_declare(sac_parameters *parameters, const char *layer, const char *name,
                                    size_t width, float epsilon);

#endif
