/* What families that read text share. */
#ifndef SAC_ARCHITECTURES_TEXT_H
#define SAC_ARCHITECTURES_TEXT_H

#include "architectures/architecture.h"

/* Width, layers, heads (NULL: not here) and vocabulary, under the names that the family's
 * config.json has for them. */
void sac_architecture_text_sizes(sac_pretrained_model *model, sac_config *config, const char *width,
                                 const char *layers, const char *heads);
/* The tokens that end a text, `eos_token_id` of generation_config.json or else of config.json. */
void sac_architecture_read_ends(sac_pretrained_model *model, sac_config *config);

/* Declares the embeddings and layers of a BERT that looks at what another model saw. The model's
 * sizes and `text_decoder.memory` are known; names are those of a BERT without its prefix. */
void sac_bert_declare_decoder(sac_pretrained_model *model, float epsilon);
/* The same of GPT-2, whose sizes and tokens are read; and where its tensors lie. */
void sac_gpt2_declare_decoder(sac_pretrained_model *model, sac_config *config);
void sac_gpt2_locate(const sac_pretrained_model *model, const sac_parameter *parameter,
                     sac_tensor_place *place);

#endif
