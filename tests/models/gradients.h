/* The gradients of a whole model against central differences of the same model, which a test writes
 * down once more in doubles and plain loops. */
#ifndef TESTS_MODELS_GRADIENTS_H
#define TESTS_MODELS_GRADIENTS_H

#include "models/model_class.h"
#include "on_device.h"

/* ---- numbers */

double rng(unsigned *state); /* uniform in ±1 */
/* y[out] += W [out,in] x[in] (+ b). */
void linear(const double *w, const double *b, const double *x, int in, int out, double *y);
double sigmoid(double x);
/* −log softmax(logits)[wanted]. */
double surprise_of(const double *logits, int count, int wanted);

/* ---- the model's parameters in doubles */

enum { PARAMETERS = 64 };
typedef struct doubles {
    sac_parameter *const *list;
    int count;
    double *values[PARAMETERS];
} doubles;

/* Weights as they begin, all of them moved a little (biases begin at zero), on the device and in
 * doubles. */
void doubles_share(doubles *d, sac_model *model, unsigned seed);
void doubles_free(doubles *d);
const double *doubles_of(const doubles *d, const char *name);

/* ---- gradients */

/* All parameters' gradients as the model holds them; free() them. */
float *gradients_read(const sac_model *model);
/* Single precision has 6e-8 a sum; sums of some thousand terms stay below 1e-4 of the gradient. The
 * floor is for what is zero by the formula: the softmax does not feel a scaled-dot key's bias. */
void gradients_check(doubles *d, double (*loss)(const void *self), const void *self);
/* `learn` on the first batch, another one, and the first again: losses and gradients are the same
 * to the bit. */
typedef void model_learn(sac_model *model, const void *batch, float losses[3]);
void check_nothing_is_left_behind(sac_model *model, model_learn *learn, const void *batch,
                                  const void *other);

#endif
