/* A transformer learns: its gradient is the slope of its loss, and its loss falls. */

#include "models/train.h"
#include "status.h"
#include "test.h"
#include "tiny.h"
#include "transformer/learn.h"
#include "transformer/transformer.h"
#include "translation/sentence_batches.h"

enum { SENTENCES = 6, STEPS = 60 };

static const sac_transformer_lesson lesson = {.smoothing = 0.1f, .dropout = 0.2f, .shifts = true};

static sac_batch_maker maker;

static const sac_sentence_batch *batch_of(size_t number)
{
    return maker.make(maker.self, number, (int)(number % SAC_BATCH_SLOTS), &failure);
}

static int open_all(void **state)
{
    open_device(state);
    OK(sac_sentence_batches(SENTENCES, (sac_batch_share){0}, 5, &maker, &failure));
    return 0;
}

static int close_all(void **state)
{
    maker.destroy(maker.self);
    return close_device(state);
}

static float loss_of(sac_transformer *t, const sac_sentence_batch *batch)
{
    float loss = 0;
    OK(sac_transformer_learn(t, batch, &lesson, &loss, &failure));
    return loss;
}

static float *read_all(sac_transformer *t, sac_span span)
{
    size_t count = t->base.parameters.floats;
    float *x = calloc(count, sizeof *x);
    assert_non_null(x);
    OK(sac_span_read(device, span, count, x, &failure));
    return x;
}

/* The loss of weights that were moved by `step` along `direction`. */
static double moved_loss(sac_transformer *t, const float *values, const float *direction,
                         size_t first, size_t count, float step)
{
    size_t all = t->base.parameters.floats;
    float *moved = malloc(all * sizeof *moved);
    assert_non_null(moved);
    memcpy(moved, values, all * sizeof *moved);
    for (size_t i = first; i < first + count; i++)
        moved[i] += step * direction[i];
    OK(sac_span_write(device, t->base.parameters.values, all, moved, &failure));
    free(moved);
    return loss_of(t, batch_of(0));
}

/* Along its own gradient, brought to length 1, the loss of a parameter rises by the gradient's
 * length. The loss is rounded by 1e-6, and 3e-4 of the slope; where a ReLU turns on the way the
 * slope is off by a hundredth. */
static void check_parameter(sac_transformer *t, const sac_parameter *p, const float *values,
                            const float *gradient)
{
    double length = 0;
    float *direction = calloc(t->base.parameters.floats, sizeof *direction);
    assert_non_null(direction);
    for (size_t i = p->at; i < p->at + p->count; i++)
        length += (double)gradient[i] * gradient[i];
    length = sqrt(length);
    for (size_t i = p->at; i < p->at + p->count; i++)
        direction[i] = (float)(gradient[i] / fmax(length, 1e-30));
    float step = 0.003f;
    double rise = moved_loss(t, values, direction, p->at, p->count, step) -
                  moved_loss(t, values, direction, p->at, p->count, -step);
    free(direction);
    if (!(fabs(rise / (2 * step) - length) <= 0.02 * length + 6e-4))
        fail_msg("%s: the slope is %g, the gradient's length %g", p->name, rise / (2 * step),
                 length);
}

static void check_gradients(bool norm_first, sac_normalizer normalizer)
{
    sac_transformer *t = tiny_transformer_of(norm_first, normalizer);
    OK(sac_parameters_zero_gradients(&t->base.parameters, &failure));
    loss_of(t, batch_of(0));
    float *gradient = read_all(t, t->base.parameters.gradients);
    float *values = read_all(t, t->base.parameters.values);
    for (int i = 0; i < t->base.parameters.count; i++)
        check_parameter(t, t->base.parameters.list[i], values, gradient);
    free(gradient);
    free(values);
    sac_transformer_destroy(t);
}

TEST(gradients_are_the_slope_of_the_loss_with_dropout_smoothing_and_tied_words)
{
    check_gradients(false, SAC_NORMALIZER_SOFTMAX);
}

TEST(gradients_are_right_with_norms_first_too)
{
    check_gradients(true, SAC_NORMALIZER_SOFTMAX);
}

TEST(gradients_are_right_with_sparse_weights_over_the_sentence)
{
    check_gradients(false, SAC_NORMALIZER_ENTMAX15);
}

TEST(a_batch_that_is_seen_again_and_again_is_learnt_by_heart)
{
    sac_transformer *t = tiny_transformer(false);
    sac_model_values values = sac_model_defaults(&sac_transformer_class);
    sac_losses losses = {0};
    float first = 0;
    OK(sac_parameters_zero_gradients(&t->base.parameters, &failure));
    for (size_t step = 1; step <= STEPS; step++) {
        OK(sac_training_step(&t->base, batch_of(0), &values, 2e-2f, 2e-2f, step, &losses, NULL,
                             &failure));
        first = step == 1 ? losses.total : first;
    }
    assert_true(losses.total < first / 2);
    sac_transformer_destroy(t);
}

/* A longer batch takes more memory, and then the first again less of it. */
TEST(a_batch_leaves_nothing_behind)
{
    sac_transformer *t = tiny_transformer(false);
    float before = loss_of(t, batch_of(0));
    for (size_t i = 1; i < 8; i++)
        loss_of(t, batch_of(i));
    float after = loss_of(t, batch_of(0));
    assert_memory_equal(&before, &after, sizeof before);
    sac_transformer_destroy(t);
}

TEST_MAIN(open_all, close_all)
