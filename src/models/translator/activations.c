/* The tensors of a batch, reserved for the largest batch so far. */

#include "translator/activations.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/round.h"

typedef sac_translator_training activations;

static void shape_direction(sac_translator *t, activations *a, const sac_gru_sequence *s,
                            sac_gru_sequence_gradients *d)
{
    sac_pass *pass = &t->base.pass;
    sac_arena_shape(&a->arena, pass, &d->dh, s->h.rows, s->h.width);
    sac_arena_shape(&a->arena, pass, &d->dgates, s->gates.rows, s->gates.width);
    sac_arena_shape(&a->arena, pass, &d->drecurrent, s->gates.rows, s->gates.width);
    sac_arena_shape(&a->arena, pass, &d->dx, s->x.rows, s->x.width);
}

static void shape_source(sac_translator *t, activations *a, size_t batch, size_t steps)
{
    sac_pass *pass = &t->base.pass;
    sac_translator_shape_source(t, &a->arena, batch, steps, &a->source);
    shape_direction(t, a, &a->source.there, &a->dthere);
    shape_direction(t, a, &a->source.back, &a->dback);
    sac_arena_shape(&a->arena, pass, &a->dfeatures, batch * steps, sac_translator_depth(t));
    sac_arena_shape(&a->arena, pass, &a->dkeys, batch * steps, a->source.keys.width);
    sac_arena_shape(&a->arena, pass, &a->dlast, batch, sac_translator_depth(t));
}

static void shape_words(sac_translator *t, activations *a, size_t batch, size_t source_steps,
                        size_t steps)
{
    sac_pass *pass = &t->base.pass;
    sac_arena_shape_ints(&a->arena, pass, &a->inputs, steps * batch);
    sac_arena_shape_ints(&a->arena, pass, &a->targets, steps * batch);
    sac_arena_shape_ints(&a->arena, pass, &a->linked, steps * batch);
    sac_arena_shape_ints(&a->arena, pass, &a->lengths, batch);
    sac_arena_shape(&a->arena, pass, &a->links, batch * steps, source_steps);
}

/* Pairs of a value and its gradient, which have one shape. */
static void shape_decoder(sac_translator *t, activations *a, size_t batch, size_t source_steps,
                          size_t steps)
{
    size_t rows = steps * batch, hidden = (size_t)t->shape.hidden, depth = 2 * hidden;
    size_t keys = sac_translator_keys(&t->shape), embedding = (size_t)t->shape.embedding;
    const struct {
        sac_tensor *value, *gradient;
        size_t rows, width;
    } all[] = {
        {&a->states, &a->dstates, rows + batch, hidden},
        {&a->embedded, &a->dembedded, rows, embedding},
        {&a->mixed, NULL, rows, embedding},
        {&a->query, &a->dquery, rows, keys ? keys : 1},
        {&a->weights, &a->dweights, rows, source_steps},
        {&a->context, &a->dcontext, rows, depth},
        {&a->gates, &a->dgates, rows, 3 * hidden},
        {&a->recurrent, &a->drecurrent, rows, 3 * hidden},
        {&a->logits, NULL, rows, (size_t)t->shape.target_words},
        {&a->word_loss, NULL, rows, 1},
        {&a->alignment_loss, NULL, 2, batch},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        sac_arena_shape(&a->arena, &t->base.pass, all[i].value, all[i].rows, all[i].width);
        if (all[i].gradient)
            sac_arena_shape(&a->arena, &t->base.pass, all[i].gradient, all[i].rows, all[i].width);
    }
}

static void shape_all(sac_translator *t, activations *a, size_t batch, size_t source_steps,
                      size_t steps)
{
    shape_source(t, a, batch, source_steps);
    shape_words(t, a, batch, source_steps, steps);
    shape_decoder(t, a, batch, source_steps, steps);
}

static sac_status create(sac_translator *t, size_t batch, size_t source_steps, size_t steps,
                         sac_error *error)
{
    activations *a = calloc(1, sizeof *a);
    t->training = a;
    if (a) {
        *a = (activations){.batch = batch, .source_steps = source_steps, .steps = steps};
        a->losses = malloc((batch * steps + 2 * batch) * sizeof *a->losses);
    }
    if (!a || !a->losses)
        return sac_fail(error, SAC_E_MEMORY, "training", NULL, "no memory for a batch");
    shape_all(t, a, batch, source_steps, steps);
    return sac_pass_end(&t->base.pass, error);
}

sac_status sac_translator_training_prepare(sac_translator *t, const sac_sentence_batch *batch,
                                           sac_error *error)
{
    activations *a = t->training;
    size_t size = batch->source.batch, source_steps = batch->source.steps, steps = batch->steps;
    sac_status status = SAC_OK;
    if (!a || a->batch < size || a->source_steps < source_steps || a->steps < steps) {
        size_t most = sac_larger(size, a ? a->batch : 0);
        size_t longest_source = sac_larger(source_steps, a ? a->source_steps : 0);
        size_t longest = sac_larger(steps, a ? a->steps : 0);
        sac_translator_training_destroy(a);
        status = create(t, most, longest_source, longest, error);
    }
    if (status == SAC_OK) {
        shape_all(t, t->training, size, source_steps, steps);
    } else {
        sac_translator_training_destroy(t->training);
        t->training = NULL;
    }
    return status;
}

void sac_translator_training_destroy(activations *a)
{
    if (!a)
        return;
    sac_arena_release(&a->arena);
    free(a->losses);
    free(a);
}
