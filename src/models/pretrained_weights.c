/* Tensors of other people's files as parameters. */
#include "models/pretrained_weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/activity.h"
#include "base/cancel.h"
#include "base/error.h"
#include "formats/bytes.h"

enum { NAME = sizeof((sac_parameter *)0)->name + 32 };

typedef struct taking {
    const sac_pretrained *files;
    const char *prefix;
    sac_tensor_locate *locate; /* NULL: all lie under their own names */
    void *context;
    float *converted; /* of the last parameter that does not lie as it is used; owned */
} taking;

sac_status sac_pretrained_floats(const sac_pretrained *files, const char *prefix, const char *name,
                                 int rank, const size_t *shape, float **floats, sac_error *error)
{
    char full[NAME];
    const sac_array *tensor;
    *floats = NULL;
    snprintf(full, sizeof full, "%s%s", prefix, name);
    sac_status status = sac_pretrained_tensor(files, full, rank, shape, &tensor, error);
    if (status != SAC_OK)
        return status;
    *floats = malloc((sac_array_count(tensor) + 1) * sizeof **floats);
    if (!*floats)
        return sac_fail(error, SAC_E_MEMORY, full, NULL, "no memory for it");
    return sac_array_to_f32(tensor, *floats, error);
}

/* The parameter as it is used out of a tensor [in,all], or of one whose rows lie one behind the
 * other. */
static sac_status cut(const sac_tensor_place *place, const sac_parameter *parameter, float *all,
                      float **part, sac_error *error)
{
    size_t out = parameter->shape[0], in = parameter->count / out;
    *part = malloc((parameter->count + 1) * sizeof **part);
    if (!*part)
        return sac_fail(error, SAC_E_MEMORY, parameter->name, NULL, "no memory for it");
    if (!place->transposed)
        memcpy(*part, all + place->first * in, parameter->count * sizeof **part);
    for (size_t o = 0; place->transposed && o < out; o++)
        for (size_t i = 0; i < in; i++)
            (*part)[o * in + i] = all[i * place->all + place->first + o];
    return SAC_OK;
}

static sac_status convert(taking *t, const sac_tensor_place *place, const sac_parameter *parameter,
                          const size_t *shape, sac_error *error)
{
    float *floats = NULL;
    free(t->converted);
    t->converted = NULL;
    sac_status status = sac_pretrained_floats(t->files, t->prefix, place->name, parameter->rank,
                                              shape, &floats, error);
    if (status == SAC_OK && place->all) {
        status = cut(place, parameter, floats, &t->converted, error);
        free(floats);
    } else {
        t->converted = floats;
    }
    return status;
}

static sac_status give(void *context, const sac_parameter *parameter, const float **numbers,
                       bool *stays, sac_error *error)
{
    taking *t = context;
    char full[NAME];
    const sac_array *tensor;
    sac_tensor_place place = {.name = ""};
    memcpy(place.name, parameter->name, sizeof place.name);
    if (t->locate)
        t->locate(t->context, parameter, &place);
    size_t shape[4];
    memcpy(shape, parameter->shape, sizeof shape);
    if (place.transposed)
        shape[0] = shape[1];
    if (place.all)
        shape[place.transposed] = place.all;
    snprintf(full, sizeof full, "%s%s", t->prefix, place.name);
    sac_status status = sac_cancel_check(full, error);
    if (status == SAC_OK)
        status = sac_pretrained_tensor(t->files, full, parameter->rank, shape, &tensor, error);
    if (status != SAC_OK)
        return status;
    *stays = tensor->dtype == SAC_F32 && !place.all;
    if (!*stays)
        status = convert(t, &place, parameter, shape, error);
    if (!*stays)
        sac_bytes_forget(tensor->data, sac_array_count(tensor) * sac_dtype_size(tensor->dtype));
    *numbers = *stays ? tensor->data : t->converted;
    return status;
}

sac_status sac_pretrained_take_from(const sac_pretrained *files, const char *prefix,
                                    sac_tensor_locate *locate, void *context,
                                    sac_parameters *parameters, sac_device *device,
                                    sac_error *error)
{
    taking t = {files, prefix, locate, context, NULL};
    sac_activity_begin("loading %d tensors", parameters->count);
    sac_status status = sac_parameters_take(parameters, device, give, &t, error);
    sac_activity_end();
    free(t.converted);
    return status;
}

sac_status sac_pretrained_take(const sac_pretrained *files, const char *prefix,
                               sac_parameters *parameters, sac_device *device, sac_error *error)
{
    return sac_pretrained_take_from(files, prefix, NULL, NULL, parameters, device, error);
}

const char *sac_pretrained_prefix(const sac_pretrained *files, const char *const *prefixes,
                                  const char *name)
{
    char full[NAME];
    for (; prefixes[1]; prefixes++) {
        snprintf(full, sizeof full, "%s%s", prefixes[0], name);
        if (sac_pretrained_find(files, full))
            break;
    }
    return prefixes[0];
}
