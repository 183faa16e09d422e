/* Finds values that exceed float32: in projections, in scores, and in sums of values. Each check
 * uses the largest magnitudes of query, key and value, so that the kernels need none. */
#include <math.h>
#include <string.h>

#include "attention/prepare/prepared.h"
#include "attention/spec/check.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/round.h"
#include "gemm/launch.h"
#include "scores/scores.h"

#define HALF_MOST 65504.0
#define SOME 64           /* numbers that a work-item of kernel `largest` takes */
#define SAFE_SCORE 1e36   /* as defined in cl/attention/problem.clh */
#define SAFE_SUM 1e38     /* of values times weights that are at most 1 */
#define SLICE_STEPS 200e6 /* coordinates that a launch of kernel `overflow` goes through */

sac_status sac_largest_magnitude(sac_attention *self, cl_mem x, size_t count, double *largest,
                                 sac_error *error)
{
    cl_uint bits = 0;
    cl_ulong numbers = count;
    cl_mem found = NULL;
    float magnitude;
    *largest = HALF_MOST;
    if (self->spec.storage == SAC_STORAGE_F16) /* which were rounded to it */
        return SAC_OK;
    sac_status status = sac_buffer_create(self->device, sizeof bits, &bits, &found, error);
    sac_arg args[] = {SAC_ARG(x), SAC_ARG(numbers), SAC_ARG(found)};
    if (status == SAC_OK)
        status = sac_launch_items(self->device, "pack", "largest", args, 3,
                                  sac_ceil_div(count, SOME), error);
    if (status == SAC_OK)
        status = sac_buffer_read(self->device, found, 0, sizeof bits, &bits, error);
    sac_buffer_release(found);
    memcpy(&magnitude, &bits, sizeof magnitude);
    *largest = (double)magnitude;
    if (status == SAC_OK && !isfinite(magnitude))
        return sac_fail(error, SAC_E_VALUE, NULL, "scale it or its weights down",
                        "numbers beyond float32 come out of its projection");
    return status;
}

/* ---------------------------------------------------------------- scores */

/* No score, nor any sum on the way to one, is larger in magnitude, in base 2. */
static double score_bound(const sac_attention *self)
{
    double scale = fabs((double)self->problem.scale);
    sac_score_sizes sizes = {self->problem.dim, self->largest_query, self->largest_key,
                             self->score_weights};
    double raw = sac_score_class_of(self->spec.score)->most(&sizes);
    return fmax(raw, fmax(raw, sizes.query) * scale);
}

/* The first row, of all matrices', with a score beyond float32; UINT32_MAX where there is none. */
static sac_status find_overflowing_row(sac_attention *self, cl_uint *row, sac_error *error)
{
    char options[64];
    cl_kernel kernel;
    cl_mem found = NULL;
    size_t all = self->matrices * self->shape.queries;
    double steps = (double)self->shape.keys * self->problem.dim;
    size_t slice = (size_t)fmax(SLICE_STEPS / steps, 1);
    sac_specialisation kernels = sac_specialise_overflow(sac_score_form(self->spec.score));
    kernels.softcap = self->spec.softcap > 0;
    sac_specialisation_options(&kernels, options, sizeof options);
    *row = UINT32_MAX;
    sac_status status =
        sac_kernel_get(self->device, kernels.source, options, "overflow", &kernel, error);
    if (status == SAC_OK)
        status = sac_buffer_create(self->device, sizeof *row, row, &found, error);
    for (size_t first = 0; first < all && status == SAC_OK; first += slice) {
        size_t rows = all - first < slice ? all - first : slice;
        cl_uint halves = self->plan.halves, begin = (cl_uint)first, end = (cl_uint)(first + rows);
        cl_mem weight = self->score_weight ? self->score_weight : self->nothing;
        cl_mem padding = self->padding ? self->padding : self->nothing;
        cl_mem mask = self->mask ? self->mask : self->nothing;
        sac_arg args[] = {SAC_ARG(self->problem), SAC_ARG(halves), SAC_ARG(self->query),
                          SAC_ARG(self->key),     SAC_ARG(weight), SAC_ARG(padding),
                          SAC_ARG(mask),          SAC_ARG(begin),  SAC_ARG(end),
                          SAC_ARG(found)};
        size_t local = 1;
        status = sac_kernel_launch(self->device, kernel, args, 10, 1, &rows, &local, error);
        if (status == SAC_OK)
            status = sac_device_finish(self->device, error);
        if (status == SAC_OK)
            status = sac_cancel_check("attention", error);
    }
    if (status == SAC_OK)
        status = sac_buffer_read(self->device, found, 0, sizeof *row, row, error);
    sac_buffer_release(found);
    return status;
}

sac_status sac_check_score_overflow(sac_attention *self, sac_error *error)
{
    cl_uint row;
    if (score_bound(self) < SAFE_SCORE)
        return SAC_OK;
    sac_status status = find_overflowing_row(self, &row, error);
    if (status == SAC_OK && row != UINT32_MAX)
        status = sac_fail_score_overflow(&self->shape, row, error);
    return status;
}

/* ---------------------------------------------------------------- values */

/* x [count] ← 2^exponent · x. */
static sac_status scale_by_power_of_two(sac_attention *self, cl_mem x, size_t count, int exponent,
                                        sac_error *error)
{
    cl_ulong numbers = count;
    cl_float factor = (cl_float)ldexp(1, exponent);
    sac_arg args[] = {SAC_ARG(x), SAC_ARG(numbers), SAC_ARG(factor)};
    return sac_launch_items(self->device, "pack", "multiply", args, 3, count, error);
}

int sac_value_exponent(const sac_attention *self, double largest)
{
    double sum = largest * (double)self->problem.key_room * (double)self->problem.keep;
    int exponent = 0;
    if (sum >= SAFE_SUM)
        frexp(sum / SAFE_SUM, &exponent);
    return exponent;
}

sac_status sac_scale_values_down(sac_attention *self, cl_mem x, size_t count, sac_error *error)
{
    return self->value_exponent
               ? scale_by_power_of_two(self, x, count, -self->value_exponent, error)
               : SAC_OK;
}

sac_status sac_scale_output_up(sac_attention *self, sac_error *error)
{
    if (!self->value_exponent)
        return SAC_OK;
    return scale_by_power_of_two(self, self->heads_output,
                                 self->matrices * self->shape.queries * self->shape.value_dim,
                                 self->value_exponent, error);
}
