/* Checkpoints as their authors gave them out: one file of arrays, whose names distinguish it, and no config.json. The sizes are
 * those of the arrays.
 *
 *   DINOv2, DeiT and others under timm's names   blocks.0.attn.qkv.weight, patch_embed.proj.weight, pos_embed
 *   CLIP, by OpenAI or open_clip                 visual.conv1.weight, visual.transformer.resblocks.0.attn.in_proj_weight */
#ifndef SAC_PRETRAINED_FILES_ORIGINAL_H
#define SAC_PRETRAINED_FILES_ORIGINAL_H

#include "saccade_arrays.h"

struct cJSON;

/* True of a file with an ending of weights that is one of these. */
bool sac_original_is(const char *path);
/* Into *config what a config.json would have; NULL: it is none of these. cJSON_Delete() it. SAC_E_MEMORY; SAC_E_FORMAT where an
 * array has no size that such a model can have. */
sac_status sac_original_config(const sac_arrays *arrays, struct cJSON **config, sac_error *error);

#endif
