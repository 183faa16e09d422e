/* Parameters: declared once, laid out in one buffer, initialised, read, saved and loaded. */

#include "nn/parameters.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/random/random.h"
#include "base/round.h"
#include "gemm/storage.h"
#include "saccade_arrays.h"

/* The buffers that a file may hold, and what stands before the names in each. */
enum { VALUES, FIRST, SECOND, AVERAGE, KINDS };
static const char *const prefixes[KINDS] = {"", "adam.first.", "adam.second.", "adam.average."};

static sac_span span_of(const sac_parameters *parameters, int kind)
{
    const sac_span spans[KINDS] = {parameters->values, parameters->first, parameters->second,
                                   parameters->average};
    return spans[kind];
}

/* ---------------------------------------------------------------- declaring */

sac_init sac_init_constant(float value)
{
    return (sac_init){.constant = value};
}

sac_init sac_init_uniform(float bound)
{
    return (sac_init){.bound = bound};
}

sac_init sac_init_uniform_std(float deviation)
{
    return (sac_init){.bound = deviation * sqrtf(3)};
}

sac_init sac_init_he(size_t in)
{
    return (sac_init){.bound = sqrtf(6.0f / (float)in)};
}

const sac_parameter *sac_parameter_add(sac_parameters *parameters, const char *name, sac_init init,
                                       int rank, ...)
{
    va_list shape;
    sac_parameter **list =
        realloc(parameters->list, ((size_t)parameters->count + 1) * sizeof *list);
    parameters->list = list ? list : parameters->list;
    sac_parameter *parameter = calloc(1, sizeof *parameter);
    if (!list || !parameter) {
        free(parameter);
        parameters->no_memory = true;
        return NULL;
    }
    *parameter = (sac_parameter){.rank = rank, .init = init};
    snprintf(parameter->name, sizeof parameter->name, "%s", name);
    va_start(shape, rank);
    for (int i = 0; i < rank; i++)
        parameter->shape[i] = va_arg(shape, size_t);
    va_end(shape);
    list[parameters->count++] = parameter;
    return parameter;
}

const sac_parameter *sac_parameter_matrix(sac_parameters *parameters, const char *name, size_t out,
                                          size_t in)
{
    /* Glorot and Bengio 2010: keeps the variance through linear layers, forwards and backwards. */
    return sac_parameter_add(parameters, name, (sac_init){.bound = sqrtf(6.0f / (float)(in + out))},
                             2, out, in);
}

const sac_parameter *sac_parameter_weight(sac_parameters *parameters, const char *name, size_t out,
                                          size_t in)
{
    const sac_parameter *weight = sac_parameter_matrix(parameters, name, out, in);
    if (weight)
        parameters->list[parameters->count - 1]->may_be_narrow = true;
    return weight;
}

const sac_parameter *sac_parameter_vector(sac_parameters *parameters, const char *name,
                                          size_t count)
{
    return sac_parameter_add(parameters, name, sac_init_constant(0), 1, count);
}

size_t sac_parameters_numbers(const sac_parameters *parameters)
{
    size_t numbers = 0;
    for (int i = 0; i < parameters->count; i++) {
        size_t count = 1;
        for (int k = 0; k < parameters->list[i]->rank; k++)
            count *= parameters->list[i]->shape[k];
        numbers += count;
    }
    return numbers;
}

/* ---------------------------------------------------------------- creating */

/* Fills count and at of every parameter, and the floats of all. */
static sac_status lay_out(sac_parameters *parameters, sac_error *error)
{
    size_t at = 0;
    for (int i = 0; i < parameters->count; i++) {
        sac_parameter *parameter = parameters->list[i];
        parameter->at = at;
        if (!sac_checked_mul_shape(parameter->shape, parameter->rank, 1, &parameter->count) ||
            !sac_checked_add(at, parameter->count, &at) || at > UINT32_MAX - SAC_PARAMETER_FLOATS)
            return sac_fail(error, SAC_E_SHAPE, parameter->name, NULL,
                            "makes the model larger than 2^32 numbers");
        at = sac_round_up(at, SAC_PARAMETER_FLOATS);
    }
    parameters->floats = at;
    return SAC_OK;
}

/* Zeroed, and never of no length; free() it. NULL where memory runs out. */
static float *allocate_host_floats(const sac_parameters *parameters)
{
    return calloc(parameters->floats ? parameters->floats : 1, sizeof(float));
}

static sac_status create_buffers(sac_parameters *parameters, bool training, const float *values,
                                 sac_error *error)
{
    sac_device *device = parameters->device;
    size_t floats = parameters->floats;
    sac_status status = sac_span_create(device, floats, values, &parameters->values, error);
    sac_span *others[] = {&parameters->gradients, &parameters->first, &parameters->second};
    for (int i = 0; i < 3 && training && status == SAC_OK; i++)
        status = sac_span_create(device, floats, NULL, others[i], error);
    if (training && status == SAC_OK)
        status = sac_span_create(device, SAC_NORM_SUMS, NULL, &parameters->norms, error);
    return status;
}

static sac_tensor tensor_of(sac_span all, const sac_parameter *parameter)
{
    size_t rows = parameter->rank > 1 ? parameter->shape[0] : 1;
    sac_span span = sac_span_from(all, parameter->at);
    return (sac_tensor){span.buffer, span.at, rows, rows ? parameter->count / rows : 0,
                        SAC_STORED_F32};
}

/* Each parameter's tensors in the buffers of all. */
static void bind_tensors(sac_parameters *parameters)
{
    for (int i = 0; i < parameters->count; i++) {
        sac_parameter *parameter = parameters->list[i];
        parameter->value = tensor_of(parameters->values, parameter);
        if (parameters->gradients.buffer)
            parameter->gradient = tensor_of(parameters->gradients, parameter);
    }
}

sac_status sac_parameters_create(sac_parameters *parameters, sac_device *device, bool training,
                                 uint32_t seed, sac_error *error)
{
    float *values = NULL;
    parameters->device = device;
    sac_status status = lay_out(parameters, error);
    if (status == SAC_OK && (parameters->no_memory || !(values = allocate_host_floats(parameters))))
        status = sac_fail(error, SAC_E_MEMORY, NULL, NULL, "out of memory for %d parameters",
                          parameters->count);
    if (status == SAC_OK) {
        if (training) {
            /* The number at a place depends on seed, parameter and place alone. */
            for (int i = 0; i < parameters->count; i++) {
                const sac_parameter *parameter = parameters->list[i];
                const sac_init *init = &parameter->init;
                for (size_t k = 0; k < parameter->count; k++) {
                    float uniform = sac_philox_uniform((uint32_t)k, (uint32_t)i, seed);
                    values[parameter->at + k] =
                        init->bound != 0 ? init->bound * (2 * uniform - 1) : init->constant;
                }
            }
        }
        status = create_buffers(parameters, training, values, error);
    }
    free(values);
    if (status == SAC_OK)
        bind_tensors(parameters);
    return status;
}

bool sac_parameter_takes(const sac_parameter *parameter, sac_device *device, sac_stored stored)
{
    return stored == SAC_STORED_F32 ||
           (parameter->may_be_narrow && sac_storage_is_right(device, stored));
}

static sac_status load_from_source(sac_device *device, sac_parameter *parameter,
                                   sac_parameter_source *source, void *context, sac_error *error)
{
    sac_parameter_numbers numbers = {0};
    cl_mem buffer = NULL;
    size_t rows = parameter->rank > 1 ? parameter->shape[0] : 1;
    sac_status status = source(context, parameter, &numbers, error);
    size_t bytes = sac_stored_bytes(numbers.stored, parameter->count);
    if (status == SAC_OK && numbers.stay)
        buffer = sac_buffer_wrap_host_memory(device, bytes, numbers.data);
    if (status == SAC_OK && !buffer)
        status = sac_buffer_create(device, bytes, numbers.data, &buffer, error);
    parameter->value =
        (sac_tensor){buffer, 0, rows, rows ? parameter->count / rows : 0, numbers.stored};
    return status;
}

sac_status sac_parameters_take(sac_parameters *parameters, sac_device *device,
                               sac_parameter_source *source, void *context, sac_error *error)
{
    parameters->device = device;
    if (parameters->no_memory)
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "out of memory for %d parameters",
                        parameters->count);
    sac_status status = SAC_OK;
    for (int i = 0; i < parameters->count && status == SAC_OK; i++) {
        sac_parameter *parameter = parameters->list[i];
        if (!sac_checked_mul_shape(parameter->shape, parameter->rank, sizeof(float),
                                   &parameter->count) ||
            parameter->count / sizeof(float) > UINT32_MAX)
            status =
                sac_fail(error, SAC_E_SHAPE, parameter->name, NULL, "has more than 2^32 numbers");
        parameter->count /= sizeof(float);
        if (status == SAC_OK)
            status = load_from_source(device, parameter, source, context, error);
    }
    return status;
}

void sac_parameters_destroy(sac_parameters *parameters)
{
    for (int i = 0; i < parameters->count && !parameters->values.buffer; i++)
        sac_buffer_release(parameters->list[i]->value.buffer);
    sac_span_release(&parameters->values);
    sac_span_release(&parameters->gradients);
    sac_span_release(&parameters->first);
    sac_span_release(&parameters->second);
    sac_span_release(&parameters->average);
    sac_span_release(&parameters->norms);
    for (int i = 0; i < parameters->count; i++)
        free(parameters->list[i]);
    free(parameters->list);
    *parameters = (sac_parameters){0};
}

static bool is_known(const sac_parameters *parameters, const char *name)
{
    for (; parameters; parameters = parameters->others) {
        if (parameters->retired && strcmp(parameters->retired, name) == 0)
            return true;
        for (int i = 0; i < parameters->count; i++)
            if (strcmp(parameters->list[i]->name, name) == 0)
                return true;
    }
    return false;
}

sac_status sac_parameters_zero_gradients(sac_parameters *parameters, sac_error *error)
{
    return sac_span_fill(parameters->device, parameters->gradients, parameters->floats, 0, error);
}

/* ---------------------------------------------------------------- loading */

enum { NAME_SIZE = sizeof((sac_parameter *)0)->name + 16 };

static const char *full_name(const sac_parameter *parameter, int kind, char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, "%s%s", prefixes[kind], parameter->name);
    return name;
}

/* The shape in which files have it. */
static sac_array stored_view(const sac_parameter *parameter, sac_dtype dtype, const void *numbers)
{
    size_t shape[4];
    memcpy(shape, parameter->shape, sizeof shape);
    if (parameter->transposed) {
        shape[0] = parameter->shape[1];
        shape[1] = parameter->shape[0];
    }
    return sac_array_view(dtype, parameter->rank, shape, numbers);
}

/* numbers [rows,columns] become their transpose. */
static sac_status transpose(size_t rows, size_t columns, float *numbers, sac_error *error)
{
    float *copy = malloc(rows * columns * sizeof *copy);
    if (!copy)
        return sac_no_memory(error, "parameters");
    memcpy(copy, numbers, rows * columns * sizeof *copy);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < columns; k++)
            numbers[k * rows + i] = copy[i * columns + k];
    free(copy);
    return SAC_OK;
}

static sac_status check_numbers(const char *name, int kind, const float *numbers, size_t count,
                                sac_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i]) || (kind == SECOND && numbers[i] < 0))
            return sac_fail(error, SAC_E_VALUE, name, "take a copy that is not damaged",
                            "number %zu is %g", i, (double)numbers[i]);
    return SAC_OK;
}

/* One parameter of a file into its place among the host's `numbers`. */
static sac_status read_parameter(const sac_parameter *parameter, int kind, const sac_arrays *file,
                                 float *numbers, sac_error *error)
{
    char name[NAME_SIZE], found[128], wanted[128];
    const sac_array *array = sac_arrays_find(file, full_name(parameter, kind, name));
    if (!array)
        return sac_fail(error, SAC_E_FORMAT, name, "give weights of this very model",
                        "is not in the file");
    if (array->dtype != SAC_F32 && !(array->dtype == SAC_F16 && kind == VALUES))
        return sac_fail(error, SAC_E_FORMAT, name, "give weights of this very model",
                        "is %s, not %s", sac_dtype_name(array->dtype), sac_dtype_name(SAC_F32));
    sac_array shape = stored_view(parameter, SAC_F32, NULL);
    if (array->rank != parameter->rank ||
        memcmp(array->shape, shape.shape, (size_t)parameter->rank * sizeof(size_t)) != 0)
        return sac_fail(error, SAC_E_SHAPE, name, "give weights of this very model",
                        "shape %s, not %s", sac_array_shape_text(array, found, sizeof found),
                        sac_array_shape_text(&shape, wanted, sizeof wanted));
    numbers += parameter->at;
    sac_status status = sac_array_to_f32(array, numbers, error);
    if (status == SAC_OK && parameter->transposed)
        status = transpose(parameter->shape[1], parameter->shape[0], numbers, error);
    return status == SAC_OK ? check_numbers(name, kind, numbers, parameter->count, error) : status;
}

bool sac_parameters_is_of_training(const char *name)
{
    return strncmp(name, "adam.", 5) == 0 || strncmp(name, SAC_CURVES, strlen(SAC_CURVES)) == 0;
}

static sac_status check_names(const sac_parameters *parameters, const sac_arrays *file,
                              sac_error *error)
{
    for (size_t i = 0; i < sac_arrays_size(file); i++) {
        const char *name = sac_arrays_name(file, i);
        const char *guests = parameters->guests.prefix;
        if (guests && strncmp(name, guests, strlen(guests)) == 0)
            continue;
        if (!sac_parameters_is_of_training(name) && !is_known(parameters, name))
            return sac_fail(error, SAC_E_FORMAT, name, "give weights of this very model",
                            "is nothing that this model knows");
    }
    return SAC_OK;
}

static bool has_kind(const sac_arrays *file, int kind)
{
    for (size_t i = 0; i < sac_arrays_size(file); i++)
        if (strncmp(sac_arrays_name(file, i), prefixes[kind], strlen(prefixes[kind])) == 0)
            return true;
    return false;
}

/* Whether the file's numbers of that kind are requested. */
static bool is_kind_requested(const sac_parameters *parameters, const sac_arrays *file, int kind)
{
    bool moments = has_kind(file, FIRST) || has_kind(file, SECOND);
    return span_of(parameters, kind).buffer &&
           (kind == VALUES || (kind == AVERAGE ? has_kind(file, AVERAGE) : moments));
}

static sac_status read_all_parameters(const sac_parameters *parameters, const sac_arrays *file,
                                      float *const *numbers, sac_error *error)
{
    sac_status status = SAC_OK;
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < parameters->count && status == SAC_OK; i++)
            if (is_kind_requested(parameters, file, kind))
                status = read_parameter(parameters->list[i], kind, file, numbers[kind], error);
    if (status == SAC_OK && parameters->average.buffer &&
        !is_kind_requested(parameters, file, AVERAGE))
        memcpy(numbers[AVERAGE], numbers[VALUES], parameters->floats * sizeof(float));
    return status;
}

/* All is checked before anything is written. */
static sac_status load(sac_parameters *parameters, const sac_arrays *file, sac_error *error)
{
    float *numbers[KINDS] = {0};
    sac_status status = SAC_OK;
    for (int kind = 0; kind < KINDS && status == SAC_OK; kind++)
        if (span_of(parameters, kind).buffer && !(numbers[kind] = allocate_host_floats(parameters)))
            status = sac_no_memory(error, "parameters");
    if (status == SAC_OK)
        status = read_all_parameters(parameters, file, numbers, error);
    if (status == SAC_OK && parameters->others)
        status = load(parameters->others, file, error);
    for (int kind = 0; kind < KINDS && status == SAC_OK; kind++)
        if (numbers[kind])
            status = sac_span_write(parameters->device, span_of(parameters, kind),
                                    parameters->floats, numbers[kind], error);
    for (int kind = 0; kind < KINDS; kind++)
        free(numbers[kind]);
    parameters->changes++;
    return status;
}

sac_status sac_parameters_load(sac_parameters *parameters, const sac_arrays *file, const char *path,
                               sac_error *error)
{
    sac_status status = check_names(parameters, file, error);
    if (status == SAC_OK)
        status = load(parameters, file, error);
    return sac_error_within(error, status, path);
}

/* ---------------------------------------------------------------- the mean of several files */

static sac_status check_guests(const sac_parameters *parameters, const sac_arrays *file,
                               sac_error *error)
{
    for (size_t i = 0; i < parameters->guests.count; i++) {
        const sac_named_array *own = &parameters->guests.list[i];
        const sac_array *its = sac_arrays_find(file, own->name);
        size_t count = sac_array_count(own->array);
        if (!its || its->dtype != own->array->dtype || sac_array_count(its) != count ||
            memcmp(its->data, own->array->data, count * sac_dtype_size(its->dtype)) != 0)
            return sac_fail(error, SAC_E_VALUE, own->name, "give weights of this very model",
                            "is another one");
    }
    return SAC_OK;
}

/* All is checked before anything is written. */
static sac_status mix(sac_parameters *parameters, const sac_arrays *file, float share,
                      sac_error *error)
{
    float *own = allocate_host_floats(parameters), *its = allocate_host_floats(parameters);
    sac_status status = own && its ? SAC_OK : sac_no_memory(error, "parameters");
    for (int i = 0; i < parameters->count && status == SAC_OK; i++)
        status = read_parameter(parameters->list[i], VALUES, file, its, error);
    if (status == SAC_OK)
        status =
            sac_span_read(parameters->device, parameters->values, parameters->floats, own, error);
    if (status == SAC_OK && parameters->others)
        status = mix(parameters->others, file, share, error);
    for (size_t i = 0; i < parameters->floats && status == SAC_OK; i++)
        own[i] = (float)((double)own[i] + (double)share * ((double)its[i] - (double)own[i]));
    if (status == SAC_OK)
        status =
            sac_span_write(parameters->device, parameters->values, parameters->floats, own, error);
    if (status == SAC_OK && parameters->average.buffer)
        status =
            sac_span_write(parameters->device, parameters->average, parameters->floats, own, error);
    free(own);
    free(its);
    parameters->changes++;
    return status;
}

sac_status sac_parameters_mix(sac_parameters *parameters, const sac_arrays *file, const char *path,
                              float share, sac_error *error)
{
    sac_status status = check_names(parameters, file, error);
    if (status == SAC_OK)
        status = check_guests(parameters, file, error);
    if (status == SAC_OK)
        status = mix(parameters, file, share, error);
    return sac_error_within(error, status, path);
}

/* ---------------------------------------------------------------- saving */

/* A saving: the host's copies of the buffers, and what the file calls their parts. */
typedef struct contents {
    float **numbers; /* [buffers] */
    size_t buffers;
    char (*names)[NAME_SIZE];
    sac_array *arrays;
    sac_named_array *named;
    size_t count;
} contents;

/* Makes float16 of numbers where they stand, unless one of them has none. */
static sac_dtype to_halves(float *numbers, size_t count)
{
    static const float largest = 65504;
    unsigned char *halves = (unsigned char *)numbers;
    for (size_t i = 0; i < count; i++)
        if (!(fabsf(numbers[i]) <= largest))
            return SAC_F32;
    for (size_t i = 0; i < count; i++) {
        uint16_t half = sac_float_to_half(numbers[i]);
        memcpy(halves + i * sizeof half, &half, sizeof half);
    }
    return SAC_F16;
}

/* Adds a buffer, whose numbers the contents own from then on. */
static sac_status contents_add(const sac_parameters *parameters, int kind, bool halves, contents *c,
                               sac_error *error)
{
    float *numbers = c->numbers[c->buffers++] = allocate_host_floats(parameters);
    if (!numbers)
        return sac_no_memory(error, "parameters");
    sac_status status = sac_span_read(parameters->device, span_of(parameters, kind),
                                      parameters->floats, numbers, error);
    for (int i = 0; i < parameters->count && status == SAC_OK; i++, c->count++) {
        const sac_parameter *parameter = parameters->list[i];
        float *own = numbers + parameter->at;
        if (parameter->transposed)
            status = transpose(parameter->shape[0], parameter->shape[1], own, error);
        sac_dtype dtype = halves ? to_halves(own, parameter->count) : SAC_F32;
        c->arrays[c->count] = stored_view(parameter, dtype, own);
        c->named[c->count] =
            (sac_named_array){full_name(parameter, kind, c->names[c->count]), &c->arrays[c->count]};
    }
    return status;
}

static bool contents_allocate(const sac_parameters *parameters, contents *c)
{
    size_t buffers = 1, count = 1 + parameters->guests.count + parameters->curves.count;
    for (const sac_parameters *p = parameters; p; p = p->others) {
        buffers += KINDS;
        count += (size_t)p->count * KINDS;
    }
    c->numbers = calloc(buffers, sizeof *c->numbers);
    c->names = calloc(count, sizeof *c->names);
    c->arrays = calloc(count, sizeof *c->arrays);
    c->named = calloc(count, sizeof *c->named);
    return c->numbers && c->names && c->arrays && c->named;
}

sac_status sac_parameters_save(const sac_parameters *parameters, const char *path, bool moments,
                               const char *const *metadata, sac_error *error)
{
    contents c = {0};
    sac_status status =
        contents_allocate(parameters, &c) ? SAC_OK : sac_no_memory(error, "parameters");
    for (int kind = 0; kind < (moments ? KINDS : 1); kind++)
        for (const sac_parameters *p = parameters; p; p = p->others)
            if (status == SAC_OK && span_of(p, kind).buffer)
                status = contents_add(p, kind, parameters->halves && !moments, &c, error);
    for (size_t i = 0; i < parameters->guests.count && status == SAC_OK; i++)
        c.named[c.count++] = parameters->guests.list[i];
    for (size_t i = 0; i < parameters->curves.count && moments && status == SAC_OK; i++)
        c.named[c.count++] = parameters->curves.list[i];
    if (status == SAC_OK)
        status = sac_safetensors_save(path, c.named, c.count, metadata, error);
    for (size_t i = 0; i < c.buffers; i++)
        free(c.numbers[i]);
    free(c.numbers);
    free(c.names);
    free(c.arrays);
    free(c.named);
    return status;
}

/* ---------------------------------------------------------------- the running average */

sac_status sac_parameters_average(sac_parameters *parameters, sac_error *error)
{
    float *values = allocate_host_floats(parameters);
    sac_status status = values ? SAC_OK : sac_no_memory(error, "parameters");
    if (status == SAC_OK)
        status = sac_span_read(parameters->device, parameters->values, parameters->floats, values,
                               error);
    if (status == SAC_OK)
        status = sac_span_create(parameters->device, parameters->floats, values,
                                 &parameters->average, error);
    free(values);
    return status;
}

void sac_parameters_swap_average(sac_parameters *parameters)
{
    sac_span values = parameters->values;
    parameters->values = parameters->average;
    parameters->average = values;
    parameters->changes++;
    bind_tensors(parameters);
}
