/* Matrices that others have stored in few bits with their scales, by the quantization_config of
 * config.json: bitsandbytes (int8, nf4, fp4), GPTQ, AWQ, compressed-tensors (pack-quantized). When a model asks for NAME.weight [out,in], the
 * tensors that stand for it in the file are laid as blocks that a device keeps (base/stored.h), or else unpacked to float16. */
#ifndef SAC_PRETRAINED_FILES_QUANTISED_H
#define SAC_PRETRAINED_FILES_QUANTISED_H

#include "arrays/arrays.h"
#include "pretrained/files/config.h"
#include "pretrained/files/gguf/folder.h"

typedef struct sac_quantised sac_quantised;

/* Files of weights, as this reads them. */
typedef struct sac_quantised_files {
    const void *self;
    /* The tensor of that very name; NULL: there is none. */
    const sac_array *(*find)(const void *self, const char *name);
    /* The name of tensor `index`; NULL: there are no more. */
    const char *(*name)(const void *self, size_t index);
} sac_quantised_files;

/* True where the config has weights in one of those forms. */
bool sac_quantised_is_known(const sac_config *config);
/* Finds them; no number is read. SAC_E_FORMAT where parts of a matrix are missing or do not fit. */
sac_status sac_quantised_open(const sac_config *config, const sac_quantised_files *files,
                              sac_quantised **quantised, sac_error *error);
void sac_quantised_close(sac_quantised *quantised); /* takes NULL */
/* A matrix by its name, with its shape; its numbers may not be there yet. NULL: it is none of these. */
const sac_array *sac_quantised_find(const sac_quantised *quantised, const char *name);
/* The same with its numbers; lent. */
sac_status sac_quantised_unpack(sac_quantised *quantised, const char *name,
                                const sac_array **unpacked, sac_error *error);
/* The same as blocks, where some hold it: a group is of whole blocks of 32 inputs, and GPTQ's zeros of 8 bits are all
 * 128. Else `blocks` stays as it is. */
sac_status sac_quantised_blocks(sac_quantised *quantised, const char *name, sac_gguf_blocks *blocks,
                                sac_error *error);
bool sac_quantised_owns(const sac_quantised *quantised, const sac_array *array);

#endif
