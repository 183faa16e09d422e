/* safetensors: the header's length (u64, little-endian), the header (JSON), the tensors, back to
 * back. Format: https://github.com/huggingface/safetensors#format */
#ifndef SAC_ARRAYS_SAFETENSORS_SAFETENSORS_H
#define SAC_ARRAYS_SAFETENSORS_SAFETENSORS_H

#include "saccade.h"

#define SAC_SAFETENSORS_HEADER_MAX 100000000 /* bytes; as in the reference implementation */

#endif
