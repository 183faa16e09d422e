/* Other names of tensors. */
#ifndef SAC_PRETRAINED_FILES_NAMES_H
#define SAC_PRETRAINED_FILES_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* What else a tensor may be called: transformers 5 has other names in memory than in the files of
 * save_pretrained for the layers of ViT, DeiT and DINOv2, and torch.save(model.state_dict()) writes
 * those. Writes way number `way` (from 0) into `other`; false: there are no more. */
bool sac_tensor_other_name(const char *name, int way, char *other, size_t size);

#endif
