/* The table of encoders, and what those that were trained elsewhere share. */
#include "captioner/encoders/encoder.h"

#include "captioner/learn/activations.h"

const sac_encoder *sac_encoder_of(const sac_captioner_shape *shape)
{
    return shape->layers               ? &sac_encoder_of_layers
           : shape->network.pretrained ? &sac_encoder_pretrained
                                       : &sac_encoder_efficientnet;
}

/* The linear layer can do what gain and bias of the cells' norm would. */
void sac_encoder_declare_cells(const sac_captioner_shape *shape, size_t width, sac_parameters *p,
                               sac_parameters *frozen, sac_captioner_weights *w)
{
    size_t depth = (size_t)shape->network.features;
    w->cells.gain =
        sac_parameter_add(frozen, "network.norm.weight", sac_init_constant(1), 1, width);
    w->cells.bias = sac_parameter_vector(frozen, "network.norm.bias", width);
    w->project.weight = sac_parameter_matrix(p, "encoder.project.weight", depth, width);
    w->project.bias = sac_parameter_vector(p, "encoder.project.bias", depth);
}

void sac_encoder_reserve_cells(sac_captioner *c, sac_arena *arena, size_t batch,
                               sac_captioner_features *f)
{
    size_t cells = batch * (size_t)c->cells;
    sac_arena_shape(arena, &c->base.pass, &f->normed, cells, c->weights.cells.gain->count);
    sac_arena_shape(arena, &c->base.pass, &f->projected, cells, (size_t)c->depth);
}

void sac_encoder_cells_forward(sac_captioner *c, sac_captioner_features *f, sac_tensor cells)
{
    const sac_captioner_weights *w = &c->weights;
    sac_pass *pass = &c->base.pass;
    sac_layer_norm_forward(pass, &w->cells, f->normed, cells); /* [B,N,C] */
    sac_linear_forward(pass, f->projected, f->normed, w->project.weight, w->project.bias);
    sac_layer_norm_forward(pass, &w->norm, f->features, f->projected); /* [B,N,D] */
    if (!sac_captioner_has_layers(&c->shape))
        sac_relu_forward(pass, f->features);
}

/* Dropped features are 0, as those are that ReLU holds back. */
void sac_encoder_cells_backward(sac_captioner *c, struct sac_captioner_training *a)
{
    const sac_captioner_weights *w = &c->weights;
    sac_pass *pass = &c->base.pass;
    if (!sac_captioner_has_layers(&c->shape))
        sac_relu_backward(pass, a->df_features, a->f.features);
    sac_layer_norm_backward(pass, &w->norm, a->df_features, a->f.projected);
    sac_linear_backward_weights(pass, a->df_features, a->f.normed, w->project.weight,
                                w->project.bias);
}
