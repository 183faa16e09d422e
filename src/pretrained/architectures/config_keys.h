/* What is known of every key that a family's config.json has: each is read, harmless, or followed
 * with certain values alone (pretrained/config.h). The tables follow the configuration classes of
 * transformers 5.24, and what those of version 4 had besides. */
#ifndef SAC_ARCHITECTURES_CONFIG_KEYS_H
#define SAC_ARCHITECTURES_CONFIG_KEYS_H

#include "pretrained/files/config.h"

extern const sac_config_key sac_keys_of_bert[], sac_keys_of_distilbert[], sac_keys_of_roberta[],
    sac_keys_of_gpt2[], sac_keys_of_llama[], sac_keys_of_qwen2[], sac_keys_of_vit[],
    sac_keys_of_dinov2[], sac_keys_of_dinov2_with_registers[], sac_keys_of_blip[],
    sac_keys_of_blip_text[], sac_keys_of_blip_vision[], sac_keys_of_pair[], sac_keys_of_marian[];

#endif
