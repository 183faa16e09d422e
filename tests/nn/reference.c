#include "reference.h"
#include "extent.h"
#include "test.h"

#include "base/random/random.h"
#include "status.h"

enum { GUARD = 40 }; /* floats before and after */
static const float SENTINEL = -7.25e30f, RUBBISH = 3.5e30f;

static sac_device *device;
static sac_pass pass;

sac_device *reference_device(void)
{
    if (!device)
        OK(sac_device_open(NULL, &device, &failure));
    return device;
}

int reference_close(void **state)
{
    (void)state;
    sac_pass_close(&pass);
    sac_device_close(device);
    device = NULL;
    return 0;
}

sac_pass *reference_pass(void)
{
    if (!pass.device)
        sac_pass_open(&pass, reference_device());
    return &pass;
}

void reference_end(void)
{
    OK(sac_pass_end(&pass, &failure));
}

bool reference_is_oclgrind(void)
{
    return strcasestr(reference_device()->info.platform, "oclgrind") != NULL;
}

const sac_stored reference_dots[REFERENCE_DOTS] = {
    SAC_STORED_Q8_0, SAC_STORED_Q4_0, SAC_STORED_Q4_1,   SAC_STORED_Q4_K,
    SAC_STORED_Q5_K, SAC_STORED_Q6_K, SAC_STORED_MXFP4,  SAC_STORED_Q5_0,
    SAC_STORED_Q5_1, SAC_STORED_Q3_K, SAC_STORED_IQ4_NL, SAC_STORED_IQ4_XS};

bool reference_tries(sac_stored stored)
{
    return test_is_thorough() || stored <= SAC_STORED_F16 || stored == SAC_STORED_Q8_0 ||
           stored == SAC_STORED_Q4_1 || stored == SAC_STORED_Q6_K || stored == SAC_STORED_MXFP4;
}

void reference_fill(double *x, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++)
        x[i] = 2 * sac_philox_uniform((uint32_t)i, 0, seed) - 1;
}

sac_span reference_span(const double *x, size_t count)
{
    sac_span span = {0};
    size_t whole = count + 2 * GUARD;
    float *data = malloc(whole * sizeof *data);
    assert_non_null(data);
    for (size_t i = 0; i < whole; i++)
        data[i] = SENTINEL;
    for (size_t i = 0; i < count; i++)
        data[GUARD + i] = x ? (float)x[i] : RUBBISH;
    OK(sac_span_create(reference_device(), whole, data, &span, &failure));
    free(data);
    span.at = GUARD;
    return span;
}

void reference_scratch(size_t floats)
{
    sac_span span = {0};
    float *data = malloc((floats + GUARD) * sizeof *data);
    assert_non_null(data);
    for (size_t i = 0; i < floats + GUARD; i++)
        data[i] = i < floats ? RUBBISH : SENTINEL;
    OK(sac_span_create(reference_device(), floats + GUARD, data, &span, &failure));
    free(data);
    sac_pass_close(&pass);
    sac_pass_open(&pass, reference_device());
    pass.scratch = span.buffer;
    pass.scratch_floats = floats;
}

void reference_check_scratch(void)
{
    float after[GUARD];
    sac_span span = {pass.scratch, (cl_uint)pass.scratch_floats};
    OK(sac_span_read(reference_device(), span, GUARD, after, &failure));
    for (int i = 0; i < GUARD; i++)
        if (after[i] != SENTINEL)
            fail_msg("the layer wrote beyond its scratch memory");
}

/* The floats of a span and its guards: free() it. */
static float *read_all(sac_span span, size_t count)
{
    size_t whole = count + 2 * GUARD;
    float *data = malloc(whole * sizeof *data);
    assert_non_null(data);
    sac_span from = {span.buffer, span.at - GUARD};
    OK(sac_span_read(reference_device(), from, whole, data, &failure));
    return data;
}

static void check_guards(const float *data, size_t count, const char *name)
{
    for (size_t i = 0; i < GUARD; i++) {
        if (data[i] != SENTINEL)
            fail_msg("%s: %zu floats before its first was written to", name, GUARD - i);
        if (data[GUARD + count + i] != SENTINEL)
            fail_msg("%s: %zu floats after its last was written to", name, i + 1);
    }
}

void reference_check_guards(sac_span span, size_t count, const char *name)
{
    float *data = read_all(span, count);
    check_guards(data, count, name);
    free(data);
}

void reference_check(sac_span span, const double *x, size_t count, double tolerance,
                     const char *name)
{
    float *data = read_all(span, count);
    check_guards(data, count, name);
    double largest = 1e-6;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(x[i]));
    for (size_t i = 0; i < count; i++)
        if (!(fabs(data[GUARD + i] - x[i]) <= tolerance * largest))
            fail_msg("%s[%zu] is %g, and should be %g within %g of %g", name, i, data[GUARD + i],
                     x[i], tolerance, largest);
    free(data);
}

void reference_differences(reference_loss loss, void *context, double *x, size_t count,
                           double *gradient)
{
    for (size_t i = 0; i < count; i++) {
        double here = x[i], step = 1e-5 * fmax(1, fabs(here));
        x[i] = here + step;
        double above = loss(context);
        x[i] = here - step;
        double below = loss(context);
        x[i] = here;
        gradient[i] = (above - below) / (2 * step);
    }
}

double reference_dot(const double *x, const double *y, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] * y[i];
    return sum;
}
