#include "damaged.h"

#include <unistd.h>

#include "models/checkpoint.h"
#include "saccade_arrays.h"
#include "status.h"

char weights_path[64];
static char folder[] = "/tmp/saccade-keep-XXXXXX";

int open_weights(void **state)
{
    if (!mkdtemp(folder))
        return -1;
    snprintf(weights_path, sizeof weights_path, "%s/w", folder);
    return open_device(state);
}

int close_weights(void **state)
{
    unlink(weights_path);
    return rmdir(folder) || close_device(state);
}

static float *read_values(const sac_model *model)
{
    float *values = malloc(model->parameters.floats * sizeof *values);
    assert_non_null(values);
    OK(sac_span_read(device, model->parameters.values, model->parameters.floats, values, &failure));
    return values;
}

void refuse_nothing(sac_model *one, const char *path)
{
    sac_model *other;
    OK(sac_checkpoint_save(one, path, 12, 7, NULL, &failure));
    OK(sac_checkpoint_load(one->class, device, path, &other, &failure));
    float *a = read_values(one), *b = read_values(other);
    assert_int_equal(one->parameters.floats, other->parameters.floats);
    assert_memory_equal(a, b, one->parameters.floats * sizeof *a);
    free(a);
    free(b);
    sac_model_destroy(one);
    sac_model_destroy(other);
}

/* Loading the file gets the line. */
static void refuse(const sac_model_class *class, const char *path, sac_status expected,
                   const char *line)
{
    sac_model *model;
    char reported[1200], wanted[1200];
    sac_status status = sac_checkpoint_load(class, device, path, &model, &failure);
    snprintf(wanted, sizeof wanted, "%s: %s", path, line);
    assert_string_equal(sac_error_line(&failure, reported, sizeof reported), wanted);
    assert_int_equal(status, expected);
    assert_null(model);
}

void refuse_description(const sac_model_class *class, const char *path, const char *model,
                        const char *line)
{
    float one = 1;
    sac_array array = sac_array_view(SAC_F32, 0, NULL, &one);
    sac_named_array named = {"x", &array};
    const char *const metadata[] = {"model", model, NULL};
    OK(sac_safetensors_save(path, &named, 1, model ? metadata : NULL, &failure));
    refuse(class, path, SAC_E_FORMAT, line);
}

static void save(sac_model *model, const char *path)
{
    OK(sac_checkpoint_save(model, path, 0, 0, NULL, &failure));
    sac_model_destroy(model);
}

damage begin_damage(sac_model *model, const char *path)
{
    damage d = {.class = model->class, .path = path, .steps = "1", .seed = "2"};
    save(model, path);
    OK(sac_arrays_open(path, &d.file, &failure));
    for (; d.count < sac_arrays_size(d.file); d.count++)
        d.named[d.count].name = sac_arrays_name(d.file, d.count);
    return d;
}

void refuse_damaged(damage *d, const char *name, void (*change)(sac_array *array),
                    sac_status expected, const char *line)
{
    const char *const metadata[] = {
        "model", sac_arrays_metadata(d->file, "model"), "steps", d->steps, "seed", d->seed, NULL};
    for (size_t i = 0; i < d->count; i++) {
        d->arrays[i] = *sac_arrays_at(d->file, i);
        d->named[i].array = &d->arrays[i];
        if (name && change && strcmp(d->named[i].name, name) == 0)
            change(&d->arrays[i]);
    }
    OK(sac_safetensors_save(d->path, d->named, d->count, metadata, &failure));
    sac_arrays_close(d->file);
    refuse(d->class, d->path, expected, line);
}

void damage_sides(sac_array *array)
{
    size_t rows = array->shape[0];
    array->shape[0] = array->shape[1];
    array->shape[1] = rows;
}

void damage_number(sac_array *array)
{
    static float spoilt[4096];
    size_t count = array->rank ? array->shape[0] : 1;
    assert_true(array->rank == 1 && count <= 4096);
    memcpy(spoilt, array->data, count * sizeof *spoilt);
    spoilt[2] = NAN;
    array->data = spoilt;
}

void damage_type(sac_array *array)
{
    array->dtype = SAC_I32;
}

/* The first `size` bytes of `whole`, with the length of the header as given, are refused. */
static void refuse_bytes(const sac_model_class *class, const char *path, const uint8_t *whole,
                         size_t size, uint64_t header)
{
    sac_model *model;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    size_t first = size < sizeof header ? size : sizeof header;
    assert_int_equal(fwrite(&header, 1, first, file), first);
    assert_int_equal(fwrite(whole + first, 1, size - first, file), size - first);
    fclose(file);
    assert_int_equal(sac_checkpoint_load(class, device, path, &model, &failure), SAC_E_FORMAT);
    assert_non_null(strstr(failure.where, path));
    assert_true(failure.what[0] && !strchr(failure.what, '\n'));
    assert_null(model);
}

void refuse_cut(sac_model *model, const char *path)
{
    const sac_model_class *class = model->class;
    save(model, path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    uint8_t *whole = malloc(size);
    uint64_t header;
    rewind(file);
    assert_int_equal(fread(whole, 1, size, file), size);
    fclose(file);
    memcpy(&header, whole, sizeof header);
    const size_t cuts[] = {0, 7, 8, 8 + header / 2, 8 + header, (8 + header + size) / 2, size - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        refuse_bytes(class, path, whole, cuts[i], header);
    const uint64_t lies[] = {0, header - 1, size, UINT64_MAX};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
        refuse_bytes(class, path, whole, size, lies[i]);
    free(whole);
}
