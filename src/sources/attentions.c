/* The maps of all layers and heads of a model, by kind of attention. */
#include "sources/attentions.h"

#include <stdlib.h>

#include "base/error.h"

const char *const sac_attention_kind_names[SAC_HEAD_KINDS] = {"encoder", "decoder", "cross",
                                                              "vision"};

sac_status sac_attentions_add(sac_attentions *attentions, int kind, size_t layers, size_t heads,
                              size_t steps, size_t positions, sac_error *error)
{
    sac_attention_kind *k = &attentions->kind[kind];
    *k = (sac_attention_kind){.name = sac_attention_kind_names[kind],
                              .layers = layers,
                              .heads = heads,
                              .steps = steps,
                              .positions = positions};
    k->weights = calloc(layers * heads * steps * positions, sizeof *k->weights);
    return k->weights ? SAC_OK : sac_no_memory(error, "attention");
}

void sac_attentions_free(sac_attentions *attentions)
{
    for (int i = 0; i < SAC_ATTENTION_KINDS; i++) {
        sac_attention_kind *kind = &attentions->kind[i];
        free(kind->weights);
        free(kind->alignment);
        sac_labels_free(&kind->step_labels);
        sac_labels_free(&kind->position_labels);
    }
    sac_image_free(&attentions->picture);
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
