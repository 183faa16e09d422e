/* Weights of a model that was trained elsewhere, for its parameters. */
#ifndef SAC_ARCHITECTURES_LOAD_TENSORS_H
#define SAC_ARCHITECTURES_LOAD_TENSORS_H

#include <stdbool.h>

#include "nn/parameters.h"
#include "pretrained/files/pretrained.h"

/* Where a parameter's numbers lie in the tensor of its name, if that is not of its shape. */
typedef struct sac_tensor_place {
    const sac_parameter *parameter;
    bool transposed;   /* a matrix lies as [in,all], and the parameter is … */
    size_t first, all; /* … its columns from `first` on; else rows of [all,in], or a part of the
                          vector [all] */
    size_t run, step;  /* those rows are runs of so many, each so many after the one before; run 0:
                         they are one */
    size_t slices,
        slice;    /* all of that lies in a tensor [slices,…], in this slice; 0: it does not */
    bool is_made; /* no file has it: all its numbers are `added` */
    float added;  /* to each number */
    bool is_unit; /* … but for a 1 in number i of row i of each `depth` rows */
    size_t paired,
        depth; /* of each `depth` of those rows, a head, the first `paired` lie in pairs, row i
                             beside row i + paired/2 of the parameter; 0: not so */
    bool
        by_axes; /* of each `depth` of those rows the quarters are the first and second half of one axis and of another, and of
                     the parameter the first halves of the other and the one, and then the second halves */
    size_t
        moved; /* of each `depth` of those rows the first so many (paired as above) lie behind the others … */
    bool is_blank;   /* … or are zeros, and the tensor has only the others */
    size_t frames;   /* the tensor is [out,in,frames,height,width], and the parameter its sum over
                          frames; 0: not so */
    bool turns_taps; /* the tensor is [out,in,taps], and the parameter [out,taps,in] … */
    const char *
        gains; /* … whose taps have the length that the tensor of this name [1,1,taps] gives each, as of torch's
                          weight_norm over dim 2; NULL: they lie as they are; lent */
} sac_tensor_place;
typedef struct sac_tensor_places {
    sac_tensor_place *list; /* [count], owned: free it */
    size_t count, room;
} sac_tensor_places;
/* False: out of memory. */
bool sac_tensor_places_add(sac_tensor_places *places, const sac_tensor_place *place);

/* Reads each parameter from the tensor of its name. */
sac_status sac_pretrained_load_parameters(const sac_pretrained *files,
                                          const sac_tensor_places *places,
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
