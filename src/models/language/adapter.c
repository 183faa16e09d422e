/* An adapter of low rank beside weights that stay as they are, and the memory that a training takes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "language/language.h"

/* ---------------------------------------------------------------- an adapter */

/* Which matrices of a layer have one, in the place of their part. */
static const char *const modules[][SAC_GPT_PARTS] = {
    [SAC_GPT_2] = {"transformer.h.%d.attn.c_attn"},
    [SAC_GPT_LLAMA] = {"model.layers.%d.self_attn.q_proj", NULL,
                       "model.layers.%d.self_attn.v_proj"},
};

/* Numbers that the matrix gives. */
static size_t module_width(const sac_gpt_sizes *sizes, int part)
{
    return sizes->kind == SAC_GPT_2 ? 3 * (size_t)sizes->width
           : part == 0              ? (size_t)sizes->width
                                    : sac_gpt_key_width(sizes);
}

sac_status sac_gpt_declare_adapter(sac_gpt *l, int rank, sac_error *error)
{
    const size_t D = (size_t)l->sizes.width, R = (size_t)rank;
    sac_parameters *p = &l->base.parameters;
    sac_gpt_adapter *a = l->adapter = calloc(1, sizeof *a);
    if (!a)
        return sac_no_memory(error, "language");
    a->rank = rank;
    for (int i = 0; i < l->sizes.layers; i++)
        for (int part = 0; part < SAC_GPT_PARTS; part++) {
            const char *module = modules[l->sizes.kind][part];
            char name[64], full[96];
            if (!module)
                continue;
            snprintf(name, sizeof name, module, i);
            snprintf(full, sizeof full, "base_model.model.%s.lora_A.weight", name);
            a->a[i][part] =
                sac_parameter_add(p, full, sac_init_uniform(1 / sqrtf((float)D)), 2, R, D);
            snprintf(full, sizeof full, "base_model.model.%s.lora_B.weight", name);
            a->b[i][part] = sac_parameter_add(p, full, sac_init_constant(0), 2,
                                              module_width(&l->sizes, part), R);
        }
    return SAC_OK;
}

/* The matrix of a part: SAC_GPT_2's is a part of the fused one. */
static sac_parameter *find_matrix(sac_gpt *l, int layer, int part)
{
    const sac_multihead *self = &l->weights.layer[layer].attention[SAC_PART_SELF];
    const sac_parameter *wanted = part == 0 ? self->query.w : self->value.w;
    if (l->sizes.kind == SAC_GPT_2)
        return &l->weights.part[layer][part];
    for (int i = 0; i < l->frozen.count; i++)
        if (l->frozen.list[i] == wanted)
            return l->frozen.list[i];
    return NULL;
}

void sac_gpt_bind_adapter(sac_gpt *l)
{
    const size_t D = (size_t)l->sizes.width, R = (size_t)l->adapter->rank;
    sac_gpt_adapter *a = l->adapter;
    for (int i = 0; i < l->sizes.layers; i++)
        for (int part = 0; part < SAC_GPT_PARTS; part++) {
            sac_low_rank *low = &a->low[i][part];
            *low = (sac_low_rank){a->a[i][part], a->b[i][part], SAC_GPT_ADAPTER_SCALE};
            if (l->sizes.kind == SAC_GPT_2) {
                const sac_parameter *whole = a->b[i][0];
                sac_parameter *rows = &a->rows[i][part];
                *rows = *whole;
                rows->value = sac_gpt_cut(whole->value, (size_t)part * D * R, D, R);
                rows->gradient = sac_gpt_cut(whole->gradient, (size_t)part * D * R, D, R);
                *low = (sac_low_rank){a->a[i][0], rows, SAC_GPT_ADAPTER_SCALE};
            }
            if (low->a)
                find_matrix(l, i, part)->low = low;
        }
}

/* ---------------------------------------------------------------- memory */

double sac_gpt_training_bytes(const sac_gpt *l, size_t rows)
{
    const sac_gpt_sizes *s = &l->sizes;
    const double learnt = (double)sac_parameters_numbers(&l->base.parameters);
    const double D = s->width, K = (double)sac_gpt_key_width(s), F = s->hidden;
    /* nn/transformer.h: what a layer leaves for its way back, and what all share on it. */
    const double layer = 2 * D + 2 * K + 2 * s->heads + 2 * F + 4 * D;
    const double shared = 4 * D + 2 * K + 3 * F + 3 * D + s->words;
    double bytes = 4 * sizeof(float) * learnt; /* values, gradients and two moments */
    for (int i = 0; i < l->frozen.count; i++)
        bytes +=
            (double)sac_stored_bytes(l->frozen.list[i]->value.stored, l->frozen.list[i]->count);
    return bytes + sizeof(float) * (double)rows * (s->layers * layer + shared);
}

sac_status sac_gpt_check_memory(const sac_gpt *l, size_t rows, sac_error *error)
{
    const sac_device_info *info = sac_device_get_info(l->base.device);
    const double takes = sac_gpt_training_bytes(l, rows), has = (double)info->global_bytes;
    return has == 0 || takes <= has
               ? SAC_OK
               : sac_fail(error, SAC_E_MEMORY, "training",
                          rows ? "give a smaller --batch or a shorter --context"
                          : l->adapter
                              ? "give a smaller model"
                              : "give a smaller model, or train an adapter of it: --lora 8",
                          "takes %.1f GB of memory, and %.80s has %.1f GB", takes / 1e9, info->name,
                          has / 1e9);
}
