/* The maps of all layers and heads of a model, by kind of attention. */
#include "sources/attentions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

const char *const sac_attention_kind_names[SAC_HEAD_KINDS] = {"encoder", "decoder", "cross",
                                                              "vision"};

sac_status sac_attentions_add(sac_attentions *attentions, int kind, size_t layers, size_t heads,
                              size_t steps, size_t positions, sac_error *error)
{
    sac_attention_kind *k = &attentions->kind[kind];
    *k = (sac_attention_kind){
        .layers = layers, .heads = heads, .steps = steps, .positions = positions};
    snprintf(k->name, sizeof k->name, "%s", sac_attention_kind_names[kind]);
    k->weights = calloc(layers * heads * steps * positions, sizeof *k->weights);
    return k->weights ? SAC_OK : sac_no_memory(error, "attention");
}

/* "encoder [24,16,577,577] (0.5 GiB)" */
static void note_left_out(sac_attentions *a, const sac_attention_kind *form, double bytes)
{
    size_t used = strlen(a->left_out);
    char items[24] = "";
    if (form->items)
        snprintf(items, sizeof items, "%zu,", form->items);
    snprintf(a->left_out + used, sizeof a->left_out - used, "%s%s [%zu,%s%zu,%zu,%zu] (%.1f GiB)",
             used ? ", " : "", form->name, form->layers, items, form->heads, form->steps,
             form->positions, bytes / (1 << 30));
}

sac_status sac_attentions_add_part(sac_attentions *a, const sac_attention_kind *form,
                                   sac_attention_kind **part, sac_error *error)
{
    const size_t items = form->items ? form->items : 1, maps = form->layers * items * form->heads;
    const double bytes = (double)maps * (double)form->steps * (double)form->positions * 4;
    *part = NULL;
    if (bytes > (double)SAC_ATTENTION_MOST * (1 << 30)) {
        note_left_out(a, form, bytes);
        return SAC_OK;
    }
    sac_attention_kind *more = realloc(a->part, (a->parts + 1) * sizeof *more);
    if (!more)
        return sac_no_memory(error, form->name);
    a->part = more;
    *part = &more[a->parts++];
    **part = *form;
    (*part)->weights = calloc(maps * form->steps * form->positions, sizeof *form->weights);
    return (*part)->weights ? SAC_OK : sac_no_memory(error, form->name);
}

static void free_kind(sac_attention_kind *kind)
{
    free(kind->weights);
    free(kind->cells);
    free(kind->alignment);
    sac_labels_free(&kind->step_labels);
    sac_labels_free(&kind->position_labels);
}

void sac_attentions_free(sac_attentions *attentions)
{
    for (int i = 0; i < SAC_ATTENTION_KINDS; i++)
        free_kind(&attentions->kind[i]);
    for (size_t i = 0; i < attentions->parts; i++)
        free_kind(&attentions->part[i]);
    free(attentions->part);
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
