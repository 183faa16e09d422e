/* Tensors in the pickles of PyTorch: what torch.save writes of them, without the numbers. */
#ifndef SAC_ARRAYS_TORCH_TORCH_TENSOR_H
#define SAC_ARRAYS_TORCH_TORCH_TENSOR_H

#include "arrays/torch/pickle.h"

/* A storage is a run of numbers beside the pickle. */
typedef struct sac_torch_storage {
    const char *key; /* lent, not terminated */
    size_t key_size;
    size_t item; /* bytes of an element; 1 where the storage has no type */
    size_t count;
} sac_torch_storage;

typedef struct sac_torch_tensor {
    sac_torch_storage storage;
    sac_dtype dtype;
    int rank;
    size_t offset, shape[SAC_MAX_RANK], stride[SAC_MAX_RANK]; /* elements */
    size_t count;                                             /* elements of the tensor */
    size_t last;       /* the last element that it takes of the storage, where count > 0 */
    bool is_row_major; /* without gaps */
} sac_torch_tensor;

/* True of a tensor or a parameter, of a kind that is read or not. */
bool sac_torch_is_tensor(const sac_pickled *value);
/* SAC_E_FORMAT and SAC_E_SHAPE: it is not supported, and why. */
sac_status sac_torch_tensor_read(const sac_pickled *value, sac_torch_tensor *tensor,
                                 sac_error *error);
/* The storage that a SAC_PICKLED_KEPT names. SAC_E_FORMAT where its type is not known. */
sac_status sac_torch_storage_read(const sac_pickled *kept, sac_torch_storage *storage,
                                  sac_error *error);

#endif
