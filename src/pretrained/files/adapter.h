/* An adapter of low rank (LoRA, Hu et al. 2021) as the library PEFT saves it: adapter_config.json and
 * adapter_model.safetensors, which hold of some matrices W of a base model two thin ones; with it they are
 * W + scale · B A. */
#ifndef SAC_PRETRAINED_FILES_ADAPTER_H
#define SAC_PRETRAINED_FILES_ADAPTER_H

#include "arrays/arrays.h"

typedef struct sac_adapter sac_adapter;

/* True for a folder with an adapter_config.json. */
bool sac_is_adapter(const char *folder);
/* What its base is called there: a path, or "OWNER/NAME". False: it has none. */
bool sac_adapter_base(const char *folder, char *base, size_t size);
/* The error for one whose base is not found. */
sac_status sac_adapter_fail_no_base(const char *folder, sac_error *error);

/* SAC_E_FORMAT where it has more than such pairs. */
sac_status sac_adapter_open(const char *folder, sac_adapter **adapter, sac_error *error);
void sac_adapter_close(sac_adapter *adapter); /* takes NULL */
/* Every pair must belong to a tensor that `has` knows: SAC_E_FORMAT names the one that does not. */
sac_status sac_adapter_check(const sac_adapter *adapter,
                             bool (*has)(const void *files, const char *tensor), const void *files,
                             sac_error *error);
/* Whether it changes the tensor of that name. */
bool sac_adapter_changes(const sac_adapter *adapter, const char *tensor);
/* The tensor that it makes of the base's, as float32; lent. */
sac_status sac_adapter_merge(sac_adapter *adapter, const char *tensor, const sac_array *base,
                             const sac_array **merged, sac_error *error);
bool sac_adapter_owns(const sac_adapter *adapter, const sac_array *merged);

#endif
