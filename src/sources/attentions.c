/* Attention of a model's layers and heads. */

#include "sources/attentions.h"

#include <stdlib.h>

const char *const sac_attention_kind_names[SAC_ATTENTION_KINDS] = {"encoder", "decoder", "cross"};

void sac_attentions_free(sac_attentions *attentions)
{
    for (int i = 0; i < SAC_ATTENTION_KINDS; i++) {
        sac_attention_kind *kind = &attentions->kind[i];
        free(kind->weights);
        free(kind->alignment);
        sac_labels_free(&kind->step_labels);
        sac_labels_free(&kind->position_labels);
    }
    *attentions = (sac_attentions){0};
}

bool sac_best_head(const float *alignment, size_t layers, size_t heads, size_t *layer, size_t *head)
{
    size_t best = 0;
    for (size_t i = 1; alignment && i < layers * heads; i++)
        best = alignment[i] > alignment[best] ? i : best;
    *layer = alignment ? best / heads : 0;
    *head = alignment ? best % heads : 0;
    return alignment != NULL;
}
