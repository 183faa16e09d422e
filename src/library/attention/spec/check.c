/* Checks of arrays that callers give, with errors that name the array. */

#include "attention/spec/check.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "attention/spec/device_array.h"
#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"

const char sac_on_device = 0;

sac_status sac_fail_misfit(sac_error *error, sac_named_part a, sac_named_part other,
                           const char *remedy, const char *why_format, ...)
{
    char shape[SAC_SHAPE_TEXT], other_shape[SAC_SHAPE_TEXT], why[160];
    va_list arguments;
    va_start(arguments, why_format);
    vsnprintf(why, sizeof why, why_format, arguments);
    va_end(arguments);
    return sac_fail(error, SAC_E_SHAPE, a.name, remedy, "shape %s does not fit %s %s: %s",
                    sac_array_shape_text(a.array, shape, sizeof shape), other.name,
                    sac_array_shape_text(other.array, other_shape, sizeof other_shape), why);
}

/* SAC_E_ARGUMENT where the array is its shape alone. */
static sac_status check_data(sac_named_part a, sac_error *error)
{
    sac_status status = sac_array_check(a.array, error);
    return status == SAC_OK ? SAC_OK : sac_error_within(error, status, a.name);
}

sac_status sac_check_rank(sac_named_part a, int least, int most, const char *forms,
                          sac_error *error)
{
    char remedy[96], shape[SAC_SHAPE_TEXT];
    sac_status status = sac_array_check_form(a.array, error);
    if (status != SAC_OK)
        return sac_error_within(error, status, a.name);
    snprintf(remedy, sizeof remedy, "give %s", forms);
    sac_array_shape_text(a.array, shape, sizeof shape);
    if (a.array->rank < least || a.array->rank > most)
        return sac_fail(error, SAC_E_SHAPE, a.name, remedy, "shape %s has %d dimension%s", shape,
                        a.array->rank, a.array->rank == 1 ? "" : "s");
    for (int i = 0; i < a.array->rank; i++)
        if (a.array->shape[i] == 0)
            return sac_fail(error, SAC_E_SHAPE, a.name, "give at least one of everything",
                            "shape %s is empty", shape);
    size_t bytes;
    if (!sac_checked_mul_shape(a.array->shape, a.array->rank, sizeof(double), &bytes))
        return sac_fail(error, SAC_E_SHAPE, a.name, NULL, "shape %s overflows the address space",
                        shape);
    return SAC_OK;
}

sac_status sac_fail_score_overflow(const sac_attention_shape *shape, size_t row, sac_error *error)
{
    size_t matrix = row / shape->queries;
    return sac_fail(error, SAC_E_VALUE, "query",
                    "scale query and key down, or give a smaller scale",
                    "scores of row [%zu,%zu,%zu] are beyond float32", matrix / shape->heads,
                    matrix % shape->heads, row % shape->queries);
}

bool sac_is_boolean(const sac_array *mask)
{
    return mask->dtype == SAC_BOOL || mask->dtype == SAC_U8;
}

sac_status sac_check_bools(sac_named_part a, const char *remedy, sac_error *error)
{
    const uint8_t *bytes = a.array->data;
    sac_status status = check_data(a, error);
    size_t count = status == SAC_OK && a.array->dtype == SAC_U8 ? sac_array_count(a.array) : 0;
    for (size_t i = 0; i < count; i++)
        if (bytes[i] > 1)
            return sac_fail(error, SAC_E_ARGUMENT, a.name, remedy,
                            "is %s, and not of 0 and 1 alone", sac_dtype_name(a.array->dtype));
    return status;
}

/* "[0,3,5]": the place of the element that is `flat` steps from the first. */
static char *index_text(const sac_array *array, size_t flat, char *text, size_t size)
{
    sac_array index = *array;
    for (int i = array->rank - 1; i >= 0; i--) {
        index.shape[i] = flat % array->shape[i];
        flat /= array->shape[i];
    }
    return sac_array_shape_text(&index, text, size);
}

static sac_status fail_not_finite(sac_named_part a, size_t flat, float value, sac_error *error)
{
    char index[SAC_SHAPE_TEXT];
    index_text(a.array, flat, index, sizeof index);
    double wide = NAN;
    if (a.array->dtype == SAC_F64)
        memcpy(&wide, (const char *)a.array->data + flat * sizeof wide, sizeof wide);
    if (isfinite(wide))
        return sac_fail(error, SAC_E_VALUE, a.name, "scale the numbers down",
                        "%g at %s is too large for float32", wide, index);
    const char *kind = isnan(value) ? "NaN" : value > 0 ? "infinity" : "-infinity";
    return sac_fail(error, SAC_E_VALUE, a.name, "replace it by a number", "%s at %s", kind, index);
}

/* Checks the values as float32, as the device will see them, in portions, so that no copy of the
 * whole is made. */
sac_status sac_check_finite(sac_named_part a, bool allow_minus_infinity, sac_error *error)
{
    if (sac_is_on_device(a.array))
        return SAC_OK;
    enum { SOME = 1024 };
    float values[SOME];
    sac_status status = check_data(a, error);
    size_t count = status == SAC_OK ? sac_array_count(a.array) : 0;
    size_t size = sac_dtype_size(a.array->dtype);
    for (size_t start = 0; start < count; start += SOME) {
        size_t n = count - start < SOME ? count - start : SOME;
        const char *data = (const char *)a.array->data + start * size;
        sac_array part = sac_array_view(a.array->dtype, 1, &n, data);
        sac_array_to_f32(&part, values, NULL); /* fails for text alone, which was refused */
        for (size_t i = 0; i < n; i++)
            if (!isfinite(values[i]) && !(allow_minus_infinity && values[i] == -INFINITY))
                return fail_not_finite(a, start + i, values[i], error);
    }
    return status;
}

sac_status sac_check_numbers(sac_named_part a, int least, int most, const char *forms,
                             sac_error *error)
{
    if (a.array->dtype == SAC_TEXT)
        return sac_fail(error, SAC_E_ARGUMENT, a.name, "give an array of numbers",
                        "holds text, not numbers");
    return sac_check_rank(a, least, most, forms, error);
}
