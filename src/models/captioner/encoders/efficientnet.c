/* EfficientNet-Lite, whose last parts may learn. What is kept of a picture is what comes into the
 * first part that does, or into its head. */
#include "captioner/encoders/encoder.h"
#include "captioner/learn/activations.h"

/* The first part of the network that learns; past the last: none does. */
static int first_learning_part(const sac_captioner_shape *shape,
                               const sac_efficientnet_shape *network)
{
    int parts = sac_efficientnet_parts(network), head = parts - 1;
    int from = head - shape->network.learning;
    return shape->network.learning == 0 ? parts : from < 0 ? 0 : from;
}

static int grid(const sac_captioner_shape *shape)
{
    sac_efficientnet_shape network;
    return sac_captioner_network(shape, &network, NULL) == SAC_OK
               ? (int)sac_efficientnet_grid(&network)
               : 0;
}

static void declare(const sac_captioner_shape *shape, sac_parameters *p, sac_parameters *frozen,
                    sac_captioner_weights *w)
{
    if (sac_captioner_network(shape, &w->network.shape, NULL) != SAC_OK)
        return;
    sac_efficientnet_declare(&w->network, frozen, "network.", 0,
                             first_learning_part(shape, &w->network.shape));
    sac_encoder_declare_cells(shape, w->network.shape.head, p, frozen, w);
}

static void declare_slow(const sac_captioner_shape *shape, sac_parameters *p,
                         sac_captioner_weights *w)
{
    if (!shape->network.learning)
        return;
    p->slow = p->count;
    sac_efficientnet_declare(&w->network, p, "network.",
                             first_learning_part(shape, &w->network.shape),
                             sac_efficientnet_parts(&w->network.shape));
}

static int first_computed_part(const sac_captioner *c)
{
    const sac_efficientnet_shape *network = &c->weights.network.shape;
    int from = first_learning_part(&c->shape, network), head = sac_efficientnet_parts(network) - 1;
    return from < head ? from : head;
}

static size_t input_size_of_part(const sac_captioner *c, int part)
{
    return sac_efficientnet_input_size(&c->weights.network.shape, part);
}

/* Of what comes into the head. */
static size_t domain_feature_width(const sac_captioner_shape *shape)
{
    sac_efficientnet_shape network;
    return sac_captioner_network(shape, &network, NULL) == SAC_OK
               ? network.block[network.blocks - 1].out
               : 0;
}

static sac_tensor domain_features(const sac_captioner *c, const sac_captioner_features *f)
{
    return f->run.part[sac_efficientnet_parts(&c->weights.network.shape) - 1].x;
}

static void convert_pixels(const sac_captioner_shape *shape, const uint8_t *rgba, size_t count,
                           float *pixels)
{
    (void)shape;
    sac_efficientnet_pixels(rgba, count, pixels);
}

static void reserve(sac_captioner *c, sac_arena *arena, size_t batch, sac_captioner_features *f)
{
    f->run.first = f->first;
    sac_efficientnet_prepare(&c->weights.network, &c->base.pass, &f->run, batch);
    sac_encoder_reserve_cells(c, arena, batch, f);
}

static void write(sac_captioner *c, sac_captioner_features *f, const float *in)
{
    f->run.first = f->first;
    sac_efficientnet_write(&c->weights.network, &c->base.pass, &f->run, in);
}

static void forward(sac_captioner *c, sac_captioner_features *f)
{
    sac_efficientnet_forward(&c->weights.network, &c->base.pass, &f->run);
    sac_encoder_cells_forward(c, f, f->run.cells);
}

static void backward(sac_captioner *c, struct sac_captioner_training *a)
{
    const sac_captioner_weights *w = &c->weights;
    sac_pass *pass = &c->base.pass;
    sac_efficientnet_run *run = &a->f.run;
    sac_encoder_cells_backward(c, a);
    if (!c->shape.network.learning)
        return;
    sac_linear_backward_input(pass, run->dcells, a->df_features, w->project.weight);
    sac_layer_norm_backward(pass, &w->cells, run->dcells, run->cells);
    sac_efficientnet_backward(&w->network, pass, run);
}

static sac_status compute_kept_features(sac_captioner *c, sac_captioner_features *f,
                                        const float *pixels, size_t count, float *kept,
                                        sac_error *error)
{
    const sac_efficientnet *network = &c->weights.network;
    sac_pass *pass = &c->base.pass;
    sac_efficientnet_prepare(network, pass, &f->run, count);
    sac_efficientnet_write(network, pass, &f->run, pixels);
    sac_efficientnet_forward_to(network, pass, &f->run, c->first);
    sac_pass_read(pass, f->run.part[c->first].x, kept);
    return sac_pass_end(pass, error);
}

const sac_encoder sac_encoder_efficientnet = {.grid = grid,
                                              .declare = declare,
                                              .declare_slow = declare_slow,
                                              .first = first_computed_part,
                                              .numbers = input_size_of_part,
                                              .known_width = domain_feature_width,
                                              .known = domain_features,
                                              .light = convert_pixels,
                                              .reserve = reserve,
                                              .write = write,
                                              .forward = forward,
                                              .backward = backward,
                                              .keep = compute_kept_features};
