/* The tensors of a batch, reserved for the largest batch so far. */

#include "captioner/learn/activations.h"

#include <stdlib.h>

#include "base/error.h"

/* Shapes, and memory of `arena` where they have none; `inputs` and `padding` are the caller's. */
static void shape_stack(sac_captioner *c, sac_arena *arena, size_t photographs, size_t sentences,
                        size_t steps, sac_captioner_stack_training *s)
{
    sac_pass *pass = &c->base.pass;
    const sac_stack *stack = &c->weights.stack;
    size_t rows = sentences * steps, cells = (size_t)c->cells;
    sac_stack_shape(pass, arena, stack, sentences, steps, photographs, cells, &s->words);
    sac_stack_shape_gradients(pass, arena, stack, sentences, steps, photographs, cells,
                              &s->gradients);
    sac_arena_shape_ints(arena, pass, &s->targets, rows);
    sac_arena_shape(arena, pass, &s->logits, rows, (size_t)stack->sizes.words);
    sac_arena_shape(arena, pass, &s->losses, rows, 1);
    sac_arena_shape(arena, pass, &s->d, rows, (size_t)stack->sizes.width);
}

typedef sac_captioner_training activations;

static void shape_encoder(sac_captioner *c, activations *a, size_t batch, size_t pictures)
{
    sac_pass *pass = &c->base.pass;
    size_t depth = (size_t)c->depth, keys = (size_t)c->keys;
    size_t width = (size_t)c->cells * depth, key_width = (size_t)c->cells * keys;
    bool photographs = sac_captioner_is_for_photographs(&c->shape);
    a->f.first = c->first;
    sac_captioner_shape_features(c, &a->arena, pictures, &a->f);
    for (int i = 0; i < c->shape.layers; i++) {
        sac_convolution layer = sac_captioner_layer(&c->shape, i, pictures);
        sac_arena_shape(&a->arena, pass, &a->slopes[i], sac_convolution_slopes(&layer), layer.out);
    }
    sac_arena_shape(&a->arena, pass, &a->df_features, pictures * (size_t)c->cells, depth);
    if (sac_captioner_has_layers(&c->shape))
        return;
    sac_arena_shape(&a->arena, pass, &a->df_keys, pictures * (size_t)c->cells, keys);
    sac_arena_shape(&a->arena, pass, &a->mean, batch, depth);
    sac_arena_shape(&a->arena, pass, &a->dmean, batch, depth);
    if (!photographs) {
        a->features = a->f.features;
        a->keys = a->f.keys;
        a->dfeatures = a->df_features;
        a->dkeys = a->df_keys;
        return;
    }
    const struct {
        sac_tensor *x;
        size_t width;
    } copies[] = {{&a->features, width},
                  {&a->keys, key_width},
                  {&a->dfeatures, width},
                  {&a->dkeys, key_width}};
    sac_arena_shape_ints(&a->arena, pass, &a->picture_of, batch);
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        sac_arena_shape(&a->arena, pass, copies[i].x, batch, copies[i].width);
    a->features = sac_tensor_shaped(a->features, batch * (size_t)c->cells, depth);
    a->dfeatures = sac_tensor_shaped(a->dfeatures, batch * (size_t)c->cells, depth);
    a->keys = sac_tensor_shaped(a->keys, batch * (size_t)c->cells, keys);
    a->dkeys = sac_tensor_shaped(a->dkeys, batch * (size_t)c->cells, keys);
}

/* Pairs of a value and its gradient, which have one shape. */
static void shape_decoder(sac_captioner *c, activations *a, size_t batch, size_t steps)
{
    size_t rows = steps * batch, hidden = (size_t)c->shape.hidden;
    const struct {
        sac_tensor *value, *gradient;
        size_t rows, width;
    } all[] = {
        {&a->states, &a->dstates, rows + batch, hidden},
        {&a->cell_states, NULL, rows + batch, hidden},
        {NULL, &a->dcell, batch, hidden},
        {&a->embedded, &a->dembedded, rows, (size_t)c->shape.embedding},
        {&a->mixed, NULL, rows, (size_t)c->shape.embedding},
        {&a->query, &a->dquery, rows, (size_t)c->keys},
        {&a->beta, &a->dbeta, rows, 1},
        {&a->weights, &a->dweights, rows, (size_t)c->cells},
        {&a->scores, &a->dscores, rows, (size_t)c->cells},
        {&a->context, NULL, rows, (size_t)c->depth},
        {&a->z, &a->dz, rows, (size_t)c->depth},
        {&a->gates, &a->dgates, rows, 4 * hidden},
        {&a->logits, NULL, rows, (size_t)c->shape.vocabulary},
        {&a->factors, NULL, rows, 1},
        {&a->word_loss, NULL, rows, 1},
        {&a->attention_loss, NULL, 2, batch},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].value)
            sac_arena_shape(&a->arena, &c->base.pass, all[i].value, all[i].rows, all[i].width);
        if (all[i].gradient)
            sac_arena_shape(&a->arena, &c->base.pass, all[i].gradient, all[i].rows, all[i].width);
    }
}

static void shape_all(sac_captioner *c, activations *a, size_t batch, size_t steps, size_t pictures)
{
    sac_pass *pass = &c->base.pass;
    shape_encoder(c, a, batch, pictures);
    if (sac_captioner_has_layers(&c->shape)) {
        shape_stack(c, &a->arena, pictures, batch, steps, &a->stack);
        return;
    }
    sac_arena_shape_ints(&a->arena, pass, &a->inputs, steps * batch);
    sac_arena_shape_ints(&a->arena, pass, &a->targets, steps * batch);
    sac_arena_shape_ints(&a->arena, pass, &a->object_of_word, steps * batch);
    sac_arena_shape_ints(&a->arena, pass, &a->lengths, batch);
    sac_arena_shape(&a->arena, pass, &a->cover, batch * sac_captioner_place_count(c),
                    (size_t)c->cells);
    shape_decoder(c, a, batch, steps);
}

static sac_status create(sac_captioner *c, size_t batch, size_t steps, size_t pictures,
                         sac_error *error)
{
    size_t rows = batch * steps;
    activations *a = calloc(1, sizeof *a);
    if (a) {
        *a = (activations){.batch = batch, .steps = steps, .pictures = pictures};
        a->losses = malloc((rows + 2 * batch) * sizeof *a->losses);
        a->host_targets = malloc(rows * sizeof *a->host_targets);
        a->host_factors = malloc(rows * sizeof *a->host_factors);
        a->stack.inputs = malloc(rows * sizeof *a->stack.inputs);
        a->stack.padding = calloc(rows, sizeof *a->stack.padding);
    }
    c->training = a;
    if (!a || !a->losses || !a->host_targets || !a->host_factors || !a->stack.inputs ||
        !a->stack.padding)
        return sac_no_memory(error, "training");
    shape_all(c, a, batch, steps, pictures);
    return sac_pass_end(&c->base.pass, error);
}

sac_status sac_captioner_training_prepare(sac_captioner *c, size_t batch, size_t steps,
                                          size_t pictures, sac_error *error)
{
    activations *a = c->training;
    sac_status status = SAC_OK;
    if (!a || a->batch < batch || a->steps < steps || a->pictures < pictures) {
        size_t most = a && a->batch > batch ? a->batch : batch;
        size_t longest = a && a->steps > steps ? a->steps : steps;
        size_t photographs = a && a->pictures > pictures ? a->pictures : pictures;
        sac_captioner_training_destroy(a);
        status = create(c, most, longest, photographs, error);
    }
    if (status == SAC_OK) {
        shape_all(c, c->training, batch, steps, pictures);
    } else {
        sac_captioner_training_destroy(c->training);
        c->training = NULL;
    }
    return status;
}

void sac_captioner_training_destroy(activations *a)
{
    if (!a)
        return;
    sac_arena_release(&a->arena);
    sac_captioner_release_features(&a->f);
    free(a->losses);
    free(a->host_targets);
    free(a->host_factors);
    free(a->stack.inputs);
    free(a->stack.padding);
    free(a);
}
