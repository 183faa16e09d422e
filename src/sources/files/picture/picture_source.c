/* A source of one picture: features, attention and rebuilding, each kept as long as it holds. */

#include "sources/files/picture/picture_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "device/device.h"
#include "sources/files/explain_row.h"
#include "sources/files/picture/features.h"
#include "sources/files/picture/picture_inputs.h"

/* A larger picture is kept at this size: 8 pixels a cell at 128 cells. */
enum { LONGEST = 1024 };

/* Above so many cells the largest weight of all queries is not looked for: it would take as long
 * again as the rebuilding, a tenth of a second and more. */
enum { MAX_SEARCHED = 4096 };

typedef struct picture {
    sac_image image;
    sac_light_image linear;
    sac_device *device;

    sac_cells cells;               /* of settings.cells; color NULL: not measured yet */
    sac_picture_settings settings; /* of the attention below … */
    uint8_t *hidden;               /* … and its hidden cells [grid_h,grid_w]; NULL: none */
    sac_attention *attention;      /* NULL: not prepared */
    float *rebuilt; /* [grid_h,grid_w,3] sRGB by this attention; NULL: not requested */
    float rebuild_max;
} picture;

static size_t cell_count(const picture *p)
{
    return (size_t)p->cells.grid_w * (size_t)p->cells.grid_h;
}

/* ---------------------------------------------------------------- preparing */

static sac_status measure(picture *p, int cells, sac_error *error)
{
    if (p->cells.color && p->settings.cells == cells)
        return SAC_OK;
    int grid_w, grid_h;
    sac_picture_grid(p->image.width, p->image.height, cells, &grid_w, &grid_h);
    sac_cells_free(&p->cells);
    return sac_cells_measure(&p->linear, grid_w, grid_h, &p->cells, error);
}

static void forget_attention(picture *p)
{
    sac_attention_destroy(p->attention);
    free(p->hidden);
    free(p->rebuilt);
    p->attention = NULL;
    p->hidden = NULL;
    p->rebuilt = NULL;
    p->rebuild_max = 0;
}

static bool same_settings(const sac_picture_settings *a, const sac_picture_settings *b)
{
    return a->score == b->score && a->inverse_width == b->inverse_width &&
           a->temperature == b->temperature && a->normalizer == b->normalizer &&
           a->position == b->position && a->cells == b->cells;
}

static bool same_hidden(const picture *p, const uint8_t *hidden)
{
    if (!hidden || !p->hidden)
        return !hidden && !p->hidden;
    return memcmp(hidden, p->hidden, cell_count(p)) == 0;
}

/* Makes p->attention the one that the request needs. */
static sac_status prepare(picture *p, const sac_picture_request *request, sac_error *error)
{
    const sac_picture_settings *settings = &request->settings;
    if (p->attention && same_settings(settings, &p->settings) && same_hidden(p, request->hidden))
        return SAC_OK;
    sac_status status = sac_picture_settings_check(settings, error);
    if (status != SAC_OK)
        return status;
    forget_attention(p);
    status = measure(p, settings->cells, error);
    if (status != SAC_OK)
        return status;
    p->settings = *settings;
    if (request->hidden && !(p->hidden = malloc(cell_count(p))))
        return sac_no_memory(error, "picture");
    if (request->hidden)
        memcpy(p->hidden, request->hidden, cell_count(p));
    sac_picture_inputs inputs;
    status = sac_picture_inputs_create(settings, &p->cells, p->hidden, &inputs, error);
    if (status != SAC_OK)
        return status;
    sac_attention_input input = sac_picture_inputs_view(&inputs);
    status = sac_attention_create(p->device, &inputs.spec, &input, &p->attention, error);
    sac_picture_inputs_free(&inputs);
    /* Computes one row ahead, so that the device loads its kernels
     * outside the time that is shown. */
    if (status != SAC_OK)
        return status;
    size_t count = cell_count(p);
    sac_tile last = {.row = count - 1, .rows = 1, .cols = count};
    float *row = malloc(count * sizeof *row);
    if (!row)
        return sac_fail(error, SAC_E_MEMORY, "picture", NULL, "out of memory for %zu weights",
                        count);
    status = sac_attention_tile(p->attention, &last, row, error);
    free(row);
    return status;
}

/* ---------------------------------------------------------------- answering */

/* The largest weight over all queries: row by row on the device, the rest here. */
static sac_status find_rebuild_max(picture *p, sac_error *error)
{
    size_t count = cell_count(p);
    sac_tile all = {.rows = count, .cols = count};
    float *most = malloc(count * sizeof *most);
    if (!most)
        return sac_fail(error, SAC_E_MEMORY, "picture", NULL, "out of memory for %zu rows", count);
    sac_status status = sac_attention_pool(p->attention, &all, SAC_POOL_MAX, count, 1, most, error);
    for (size_t i = 0; status == SAC_OK && i < count; i++)
        p->rebuild_max = most[i] > p->rebuild_max ? most[i] : p->rebuild_max;
    free(most);
    return status;
}

/* p->rebuilt = Σ weights · cell colours for every query, averaged in linear light. */
static sac_status rebuild(picture *p, sac_error *error)
{
    size_t count = cell_count(p);
    float *rebuilt = malloc(count * 3 * sizeof *rebuilt);
    if (!rebuilt)
        return sac_no_memory(error, "picture");
    sac_attention_output output = {.output = rebuilt};
    sac_status status = sac_attention_run(p->attention, &output, NULL, error);
    if (status == SAC_OK && count <= MAX_SEARCHED)
        status = find_rebuild_max(p, error);
    if (status != SAC_OK) {
        free(rebuilt);
        return status;
    }
    for (size_t i = 0; i < count * 3; i++)
        rebuilt[i] = sac_light_to_srgb(rebuilt[i]);
    p->rebuilt = rebuilt;
    return SAC_OK;
}

static int clamp(int value, int count)
{
    return value < 0 ? 0 : value >= count ? count - 1 : value;
}

static sac_status fill_result(picture *p, const sac_picture_request *request,
                              sac_picture_result *result, sac_error *error)
{
    size_t count = cell_count(p);
    result->settings = p->settings;
    result->grid_w = p->cells.grid_w;
    result->grid_h = p->cells.grid_h;
    result->query_x = clamp(request->query_x, result->grid_w);
    result->query_y = clamp(request->query_y, result->grid_h);
    result->weights = malloc(count * sizeof *result->weights);
    if (request->rebuild)
        result->rebuilt = malloc(count * 3 * sizeof *result->rebuilt);
    if (!result->weights || (request->rebuild && !result->rebuilt))
        return sac_fail(error, SAC_E_MEMORY, "picture", NULL, "out of memory for %zu weights",
                        count);

    double start = sac_now();
    size_t query = (size_t)result->query_y * (size_t)result->grid_w + (size_t)result->query_x;
    sac_tile row = {.row = query, .rows = 1, .cols = count};
    sac_status status = SAC_OK;
    if (request->rebuild && !p->rebuilt)
        status = rebuild(p, error);
    if (status == SAC_OK)
        status = sac_attention_tile(p->attention, &row, result->weights, error);
    if (status != SAC_OK)
        return status;
    result->milliseconds = 1e3 * (sac_now() - start);
    if (request->rebuild)
        memcpy(result->rebuilt, p->rebuilt, count * 3 * sizeof *result->rebuilt);
    result->rebuild_max = p->rebuild_max;
    result->entropy = sac_entropy(result->weights, count);
    return SAC_OK;
}

static sac_status attend(void *self, const sac_picture_request *request, sac_picture_result *result,
                         sac_error *error)
{
    *result = (sac_picture_result){0};
    sac_status status = prepare(self, request, error);
    if (status == SAC_OK)
        status = fill_result(self, request, result, error);
    if (status != SAC_OK)
        sac_picture_result_free(result);
    return status;
}

static sac_status explain(void *self, const sac_explanation_request *request,
                          sac_explanation *explanation, sac_error *error)
{
    picture *p = self;
    sac_status status = prepare(p, request->picture, error);
    if (status != SAC_OK)
        return status;
    status = sac_explain_attention(p->attention, request, (double)p->settings.temperature,
                                   explanation, error);
    if (status == SAC_OK && explanation->dim == SAC_FEATURES)
        explanation->features = sac_feature_names;
    return status;
}

/* ---------------------------------------------------------------- opening */

static void destroy(void *self)
{
    picture *p = self;
    if (!p)
        return;
    forget_attention(p);
    sac_device_close(p->device);
    sac_cells_free(&p->cells);
    sac_light_image_free(&p->linear);
    sac_image_free(&p->image);
    free(p);
}

sac_status sac_picture_from_image(sac_image *image, const char *device_selector, sac_source *source,
                                  sac_error *error)
{
    *source = (sac_source){0};
    picture *p = calloc(1, sizeof *p);
    if (!p)
        return sac_no_memory(error, "picture");
    sac_status status = sac_light_image_create(image, LONGEST, &p->linear, error);
    if (status == SAC_OK)
        status = sac_device_open(device_selector, &p->device, error);
    if (status != SAC_OK) {
        destroy(p);
        return status;
    }
    p->image = *image;
    *image = (sac_image){0};
    source->self = p;
    source->picture.image = &p->image;
    source->picture.attend = attend;
    source->weights.explain = explain;
    source->destroy = destroy;
    sac_device_short_name(sac_device_get_info(p->device), source->origin.device,
                          sizeof source->origin.device);
    return SAC_OK;
}

sac_status sac_picture_open(const char *path, const char *device_selector, sac_source *source,
                            sac_error *error)
{
    sac_image image = {0};
    sac_origin origin = {0};
    *source = (sac_source){0};
    sac_status status = sac_image_load(path, &image, error);
    if (status == SAC_OK)
        status = sac_origin_hash(path, origin.hash, error);
    if (status == SAC_OK)
        status = sac_picture_from_image(&image, device_selector, source, error);
    sac_image_free(&image);
    if (status != SAC_OK)
        return status;
    char *absolute = realpath(path, NULL);
    snprintf(source->origin.file, sizeof source->origin.file, "%s", absolute ? absolute : path);
    free(absolute);
    memcpy(source->origin.hash, origin.hash, sizeof origin.hash);
    return SAC_OK;
}
