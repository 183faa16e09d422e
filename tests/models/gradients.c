#include "gradients.h"
#include "status.h"

/* ---------------------------------------------------------------- numbers */

double rng(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 23) - 1;
}

void linear(const double *w, const double *b, const double *x, int in, int out, double *y)
{
    for (int o = 0; o < out; o++) {
        y[o] += b ? b[o] : 0;
        for (int i = 0; i < in; i++)
            y[o] += w[o * in + i] * x[i];
    }
}

double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

double surprise_of(const double *logits, int count, int wanted)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += exp(logits[i]);
    return log(sum) - logits[wanted];
}

/* ---------------------------------------------------------------- parameters */

void doubles_share(doubles *d, sac_model *model, unsigned seed)
{
    const sac_parameters *p = &model->parameters;
    assert_true(p->count <= PARAMETERS);
    d->count = p->count;
    d->list = p->list;
    for (int i = 0; i < p->count; i++) {
        size_t count = p->list[i]->count;
        sac_span span = sac_tensor_span(p->list[i]->value);
        float *floats = malloc(count * sizeof *floats);
        d->values[i] = malloc(count * sizeof(double));
        OK(sac_span_read(device, span, count, floats, &failure));
        for (size_t k = 0; k < count; k++)
            d->values[i][k] = floats[k] += (float)(0.2 * rng(&seed));
        OK(sac_span_write(device, span, count, floats, &failure));
        free(floats);
    }
}

void doubles_free(doubles *d)
{
    for (int i = 0; i < d->count; i++)
        free(d->values[i]);
}

const double *doubles_of(const doubles *d, const char *name)
{
    for (int i = 0; i < d->count; i++)
        if (strcmp(d->list[i]->name, name) == 0)
            return d->values[i];
    fail_msg("no parameter is called %s", name);
    return NULL;
}

/* ---------------------------------------------------------------- gradients */

static double *gradient_of(const sac_parameter *p)
{
    float *floats = malloc(p->count * sizeof *floats);
    double *gradient = malloc(p->count * sizeof *gradient);
    OK(sac_span_read(device, sac_tensor_span(p->gradient), p->count, floats, &failure));
    for (size_t k = 0; k < p->count; k++)
        gradient[k] = floats[k];
    free(floats);
    return gradient;
}

float *gradients_read(const sac_model *model)
{
    size_t count = model->parameters.floats;
    float *floats = malloc(count * sizeof *floats);
    OK(sac_span_read(device, model->parameters.gradients, count, floats, &failure));
    return floats;
}

typedef struct loss_function {
    double (*of)(const void *self);
    const void *self;
} loss_function;

/* Error and norm of one parameter's gradient; by differences, whose own error is about 1e-9. */
static void compare(double *values, size_t count, loss_function loss, const double *mine,
                    double *error, double *norm)
{
    const double step = 1e-6;
    *error = *norm = 0;
    for (size_t k = 0; k < count; k++) {
        double kept = values[k];
        values[k] = kept + step;
        double above = loss.of(loss.self);
        values[k] = kept - step;
        double slope = (above - loss.of(loss.self)) / (2 * step);
        values[k] = kept;
        *norm = hypot(*norm, slope);
        *error = hypot(*error, slope - mine[k]);
    }
}

void gradients_check(doubles *d, double (*loss)(const void *self), const void *self)
{
    const double tolerance = 2e-4, floor_of_error = 2e-6;
    for (int i = 0; i < d->count; i++) {
        double error, norm, *mine = gradient_of(d->list[i]);
        compare(d->values[i], d->list[i]->count, (loss_function){loss, self}, mine, &error, &norm);
        if (!(error <= tolerance * norm + floor_of_error))
            fail_msg("%s: error %.3g of a gradient of %.3g", d->list[i]->name, error, norm);
        free(mine);
    }
}

void check_nothing_is_left_behind(sac_model *model, model_learn *learn, const void *batch,
                                  const void *other)
{
    float losses[3] = {0}, again[3] = {0};
    learn(model, batch, losses);
    float *first = gradients_read(model);
    learn(model, other, again);
    OK(sac_parameters_zero_gradients(&model->parameters, &failure));
    learn(model, batch, again);
    float *second = gradients_read(model);
    assert_memory_equal(losses, again, sizeof losses);
    assert_memory_equal(first, second, model->parameters.floats * sizeof(float));
    free(first);
    free(second);
}
