/* What the tests of layers share: spans with sentinels around them, the comparison with double
 * precision, central differences, and the layers themselves in double. */
#ifndef TESTS_NN_REFERENCE_H
#define TESTS_NN_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "device/device.h"
#include "nn/parameters.h"
#include "nn/pass.h"

/* Opened once a program; fails the test where it cannot be. */
sac_device *reference_device(void);
int reference_close(void **state); /* a group's teardown */
bool reference_is_oclgrind(void);  /* a thousand times slower than the rest: tiny sizes */

/* A pass on that device, whose end fails the test where one of its layers failed. */
sac_pass *reference_pass(void);
void reference_end(void);
/* Lends the pass scratch memory of just `floats`; the second one fails the test where a layer wrote
 * beyond it. */
void reference_scratch(size_t floats);
void reference_check_scratch(void);
/* A span as a tensor, and as a parameter with its gradient. */
static inline sac_tensor reference_tensor(sac_span span, size_t rows, size_t width)
{
    return (sac_tensor){span.buffer, span.at, rows, width};
}

static inline sac_parameter reference_parameter(sac_span value, sac_span gradient, size_t rows,
                                                size_t width)
{
    return (sac_parameter){.value = reference_tensor(value, rows, width),
                           .gradient = reference_tensor(gradient, rows, width)};
}

/* Every form in which weights are stored where all is tried; else one of each kind: floats, 16 bits, blocks of whole bytes,
 * of halves, with scales of scales, and of a table. Each is a program that PoCL compiles for a second. */
bool reference_tries(sac_stored stored);
/* The forms that products by dots of bytes know. */
enum { REFERENCE_DOTS = 12 };
extern const sac_stored reference_dots[REFERENCE_DOTS];

/* `count` uniform numbers in ±1 out of `seed`, each exactly a float. */
void reference_fill(double *x, size_t count, unsigned seed);

/* A span on the device with `x` as floats (NULL: rubbish, for results that are written), between
 * sentinels. Release with sac_span_release. */
sac_span reference_span(const double *x, size_t count);
/* Fails the test where a sentinel around a span of reference_span is gone. */
void reference_check_guards(sac_span span, size_t count, const char *name);
/* Fails the test unless the span's largest error is at most `tolerance` times the largest |x|,
 * its floor being 1e-6; checks the guards too. */
void reference_check(sac_span span, const double *x, size_t count, double tolerance,
                     const char *name);

/* gradient[i] = ∂loss/∂x[i] by central differences: each x[i] is moved and put back; loss reads x
 * through its context. With doubles the error is about 1e-9 of the loss. */
typedef double (*reference_loss)(void *context);
void reference_differences(reference_loss loss, void *context, double *x, size_t count,
                           double *gradient);
/* Σ x y: turns a layer's result into a loss whose gradient with respect to it is y. */
double reference_dot(const double *x, const double *y, size_t count);

#endif
