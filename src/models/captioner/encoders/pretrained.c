/* A model that others trained, out of a folder as Hugging Face's libraries write it. It stays as it
 * is, and the captioner's file holds it, so that one file is enough to caption a photograph. What is
 * kept of a picture is its cells: what leaves the model's last layer. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architectures.h"
#include "base/error.h"
#include "base/hash.h"
#include "captioner/encoders/encoder.h"
#include "captioner/learn/activations.h"

static const char prefix[] = "pretrained."; /* of its tensors in a captioner's file */

enum { SIDE_MOST = 1024 };

/* ---------------------------------------------------------------- opening */

/* config.json without the names of the classes of a classifier. */
static char *make_config_text(const sac_pretrained_model *model)
{
    sac_config config = sac_pretrained_config(sac_architecture_files(model), NULL);
    cJSON *copy = cJSON_Duplicate(config.json, true);
    cJSON_DeleteItemFromObject(copy, "id2label");
    cJSON_DeleteItemFromObject(copy, "label2id");
    char *text = cJSON_PrintUnformatted(copy);
    cJSON_Delete(copy);
    return text;
}

sac_status sac_encoder_open_folder(const char *folder, sac_device *device,
                                   sac_pretrained_model **model,
                                   sac_captioner_pretrained **pretrained, sac_error *error)
{
    sac_square_encoding e = {0};
    sac_captioner_pretrained *p = *pretrained = calloc(1, sizeof *p);
    *model = NULL;
    if (!p)
        return sac_no_memory(error, folder);
    sac_status status = sac_pretrained_model_open_on(folder, device, model, error);
    if (status == SAC_OK)
        status = sac_architecture_square_encoding(*model, 0, &e, error);
    if (status == SAC_OK &&
        (e.grid > SAC_CAPTIONER_GRID || e.side > SIDE_MOST || e.width > SAC_CAPTIONER_WIDTH))
        status = sac_fail(error, SAC_E_SHAPE, folder, "give a smaller model",
                          "looks at %d × %d pixels and %d × %d cells of %zu numbers, more than "
                          "this program takes",
                          e.side, e.side, e.grid, e.grid, e.width);
    if (status != SAC_OK)
        return status;
    *p = (sac_captioner_pretrained){.config = make_config_text(*model),
                                    .side = e.side,
                                    .grid = e.grid,
                                    .width = (int)e.width,
                                    .factor = e.factor,
                                    .owners = 1};
    memcpy(p->mean, e.mean, sizeof p->mean);
    memcpy(p->deviation, e.deviation, sizeof p->deviation);
    return p->config ? SAC_OK : sac_no_memory(error, folder);
}

sac_status sac_encoder_open_inside(const char *path, sac_device *device,
                                   const sac_captioner_shape *shape, sac_pretrained_model **model,
                                   sac_error *error)
{
    const sac_captioner_pretrained *p = shape->network.pretrained;
    const sac_pretrained_inside inside = {path, prefix, p->config};
    sac_square_encoding e = {0};
    sac_status status = sac_pretrained_model_open_inside(&inside, device, model, error);
    if (status == SAC_OK)
        status = sac_architecture_square_encoding(*model, shape->side, &e, error);
    if (status == SAC_OK && (e.grid != p->grid || e.width != (size_t)p->width))
        status = sac_fail(error, SAC_E_SHAPE, path, "take a copy that is not damaged",
                          "has an encoder of %d × %d cells of %zu numbers, not %d × %d of %d",
                          e.grid, e.grid, e.width, p->grid, p->grid, p->width);
    if (status != SAC_OK) {
        sac_pretrained_model_close(*model);
        *model = NULL;
    }
    return status;
}

sac_status sac_encoder_adopt_model(sac_captioner *c, sac_pretrained_model *model, sac_error *error)
{
    c->pretrained = model;
    sac_guest_arrays *guests = &c->base.parameters.guests;
    guests->prefix = prefix;
    return sac_pretrained_list(sac_architecture_files(model), prefix, &guests->list, &guests->count,
                               error);
}

void sac_encoder_release(sac_captioner *c)
{
    sac_guest_arrays *guests = &c->base.parameters.guests;
    sac_pretrained_list_free(guests->list, guests->count);
    *guests = (sac_guest_arrays){0};
    sac_pretrained_model_close(c->pretrained);
    c->pretrained = NULL;
}

uint64_t sac_encoder_hash(const sac_captioner *c, uint64_t hash)
{
    const sac_guest_arrays *guests = &c->base.parameters.guests;
    if (c->shape.network.pretrained)
        hash = sac_hash(hash, c->shape.network.pretrained->config,
                        strlen(c->shape.network.pretrained->config));
    for (size_t i = 0; i < guests->count; i++) {
        const sac_array *array = guests->list[i].array;
        hash = sac_hash(hash, guests->list[i].name, strlen(guests->list[i].name) + 1);
        hash = sac_hash(hash, array->data, sac_array_count(array) * sac_dtype_size(array->dtype));
    }
    return hash;
}

/* ---------------------------------------------------------------- seeing */

static int grid(const sac_captioner_shape *shape)
{
    return shape->network.pretrained->grid;
}

static void declare(const sac_captioner_shape *shape, sac_parameters *p, sac_parameters *frozen,
                    sac_captioner_weights *w)
{
    sac_encoder_declare_cells(shape, (size_t)shape->network.pretrained->width, p, frozen, w);
}

enum { PIXELS, CELLS }; /* what may come in */

static int first_computed_part(const sac_captioner *c)
{
    (void)c;
    return CELLS;
}

static size_t input_size_of_part(const sac_captioner *c, int part)
{
    size_t side = (size_t)c->shape.side;
    return part == PIXELS ? side * side * 3
                          : (size_t)c->cells * (size_t)c->shape.network.pretrained->width;
}

static size_t domain_feature_width(const sac_captioner_shape *shape)
{
    return (size_t)shape->network.pretrained->width;
}

static sac_tensor domain_features(const sac_captioner *c, const sac_captioner_features *f)
{
    (void)c;
    return f->cells;
}

static void convert_pixels(const sac_captioner_shape *shape, const uint8_t *rgba, size_t count,
                           float *pixels)
{
    const sac_captioner_pretrained *p = shape->network.pretrained;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++)
            pixels[3 * i + k] = ((float)rgba[4 * i + k] * p->factor - p->mean[k]) / p->deviation[k];
}

/* pixels [side,side,3] → cells [N,C] */
static sac_status compute_cells(sac_captioner *c, const float *pixels, float *cells,
                                sac_error *error)
{
    size_t side = (size_t)c->shape.side, count = side * side;
    float *planes = malloc(3 * count * sizeof *planes); /* [3,side,side] */
    sac_inference *seen = NULL;
    if (!planes)
        return sac_no_memory(error, "picture");
    for (size_t i = 0; i < 3 * count; i++)
        planes[i % 3 * count + i / 3] = pixels[i];
    sac_status status =
        sac_inference_see_pixels(c->pretrained, planes, c->shape.side, c->shape.side, &seen, error);
    if (status == SAC_OK)
        memcpy(cells, seen->left + (size_t)seen->prefix * sac_inference_width(seen),
               input_size_of_part(c, CELLS) * sizeof *cells);
    sac_inference_free(seen);
    free(planes);
    return status;
}

static sac_status compute_kept_features(sac_captioner *c, sac_captioner_features *f,
                                        const float *pixels, size_t count, float *kept,
                                        sac_error *error)
{
    sac_status status = SAC_OK;
    (void)f;
    for (size_t i = 0; i < count && status == SAC_OK; i++)
        status = compute_cells(c, pixels + i * input_size_of_part(c, PIXELS),
                               kept + i * input_size_of_part(c, CELLS), error);
    return status;
}

static void reserve(sac_captioner *c, sac_arena *arena, size_t batch, sac_captioner_features *f)
{
    sac_arena_shape(arena, &c->base.pass, &f->cells, batch * (size_t)c->cells,
                    (size_t)c->shape.network.pretrained->width);
    sac_encoder_reserve_cells(c, arena, batch, f);
}

static void write(sac_captioner *c, sac_captioner_features *f, const float *in)
{
    sac_pass *pass = &c->base.pass;
    if (f->first == CELLS) {
        sac_pass_write(pass, f->cells, in);
        return;
    }
    float *cells = malloc(sac_tensor_count(f->cells) * sizeof *cells);
    SAC_PASS_CALL(pass, cells ? compute_kept_features(c, f, in, f->mean.rows, cells, &pass->error)
                              : sac_no_memory(&pass->error, "picture"));
    sac_pass_write(pass, f->cells, cells);
    free(cells);
}

static void forward(sac_captioner *c, sac_captioner_features *f)
{
    sac_encoder_cells_forward(c, f, f->cells);
}

const sac_encoder sac_encoder_pretrained = {.grid = grid,
                                            .declare = declare,
                                            .first = first_computed_part,
                                            .numbers = input_size_of_part,
                                            .known_width = domain_feature_width,
                                            .known = domain_features,
                                            .light = convert_pixels,
                                            .reserve = reserve,
                                            .write = write,
                                            .forward = forward,
                                            .backward = sac_encoder_cells_backward,
                                            .keep = compute_kept_features};
