/* Weights of a model that was trained elsewhere, for its parameters. */
#ifndef SAC_ARCHITECTURES_LOAD_TENSORS_H
#define SAC_ARCHITECTURES_LOAD_TENSORS_H

#include "nn/parameters.h"
#include "pretrained/files/pretrained.h"

/* Where a parameter's numbers lie, if that is no tensor of its own name and shape. */
typedef struct sac_tensor_place {
    char name[96];     /* without the prefix */
    bool transposed;   /* a matrix lies as [in,all], and the parameter is … */
    size_t first, all; /* … its columns from `first` on; else rows of [all,in], or a part of the
                          vector [all]; all 0: whole */
} sac_tensor_place;
/* Changes `place`, which begins as a tensor of the parameter's own name. */
typedef void sac_tensor_locate(void *context, const sac_parameter *parameter,
                               sac_tensor_place *place);
/* The same with another place for some. */
sac_status sac_pretrained_take_from(const sac_pretrained *files, const char *prefix,
                                    sac_tensor_locate *locate, void *context,
                                    sac_parameters *parameters, sac_device *device,
                                    sac_error *error);
/* The first of `prefixes` (ends with NULL) with which the files have `name`; the last of them where
 * none has. */
const char *sac_pretrained_prefix(const sac_pretrained *files, const char *const *prefixes,
                                  const char *name);
/* One tensor of that shape as floats, on the host: free() them. */
sac_status sac_pretrained_floats(const sac_pretrained *files, const char *prefix, const char *name,
                                 int rank, const size_t *shape, float **floats, sac_error *error);

#endif
