/* What architectures that see pictures share: vision transformers under the names that each gives
 * its tensors. */
#ifndef SAC_ARCHITECTURES_VISION_VISION_TRANSFORMER_H
#define SAC_ARCHITECTURES_VISION_VISION_TRANSFORMER_H

#include "architectures/architecture.h"

typedef struct sac_vision_names {
    const char *prefix[3];                         /* of all tensors */
    const char *class_token, *positions, *patches; /* the last without .weight and .bias */
    const char *layer;                             /* of the tensors of layer %d */
    const char *query, *key, *value, *out;
    const char *norm[2], *scale[2]; /* of attention and feed-forward network */
    const char *up, *gated_up, *down, *gated_down;
    const char *last;      /* the norm at the end */
    const char *processor; /* the class of its picture rules, where a folder names none */
    int side;              /* where config.json does not say: pixels of a picture, … */
    float epsilon;         /* … and that of the norms */
} sac_vision_names;
extern const sac_vision_names sac_vision_of_vit;

/* `has_second`: beside the class token another one, as DeiT has it. */
void sac_vision_declare(sac_pretrained_model *model, sac_config *config,
                        const sac_vision_names *names, bool has_second);

#endif
