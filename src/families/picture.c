/* A picture as patches that a model takes: in its size, its colours, and with its positions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "families/family.h"
#include "pretrained/picture_rules.h"

enum { PATCHES = 1 << 14 }; /* of a picture: larger ones would take minutes */

/* ---------------------------------------------------------------- tokens and positions */

/* A parameter's numbers, on the host: free() them. */
static float *read_parameter(sac_family_model *m, const sac_parameter *parameter)
{
    float *numbers = calloc(sac_tensor_count(parameter->value), sizeof *numbers);
    if (numbers)
        sac_pass_read(&m->pass, parameter->value, numbers);
    return numbers;
}

/* The class and DeiT's other token are added to the first positions; registers have none. */
static bool place_tokens(sac_family_model *m, const float *positions, float *table)
{
    size_t placed = (size_t)m->sight.placed * m->width, at = 0;
    for (int i = 0; i < 3; i++) {
        const sac_parameter *parameter = m->sight.tokens[i];
        size_t count = parameter ? sac_tensor_count(parameter->value) : 0;
        float *tokens = parameter ? read_parameter(m, parameter) : NULL;
        if (parameter && !tokens)
            return false;
        for (size_t k = 0; k < count; k++, at++)
            table[at] = tokens[k] + (at < placed ? positions[at] : 0);
        free(tokens);
    }
    return true;
}

static sac_status fill_table(sac_family_model *m, sac_patch_grid grid, sac_patch_rows *patches,
                             sac_error *error)
{
    const sac_sight *s = &m->sight;
    size_t D = m->width, placed = (size_t)s->placed * D;
    float *rows = patches->table + (size_t)s->prefix * D;
    sac_device_lock(m->device);
    float *positions = read_parameter(m, m->positions), *bias = read_parameter(m, s->bias);
    sac_status status = SAC_OK;
    if (!positions || !bias || !place_tokens(m, positions, patches->table))
        status = sac_fail(error, SAC_E_MEMORY, m->name, NULL, "no memory for its positions");
    if (status == SAC_OK)
        status = sac_pass_end(&m->pass, error);
    sac_device_unlock(m->device);
    if (status == SAC_OK)
        status =
            sac_patch_positions(positions + placed, s->trained, grid, D, s->is_smooth, rows, error);
    for (size_t i = 0; status == SAC_OK && i < patches->count * D; i++)
        rows[i] += bias[i % D];
    free(positions);
    free(bias);
    return status;
}

/* ---------------------------------------------------------------- pixels */

/* Row n is patch n in the order of the weights: colours, lines, pixels. */
static void unfold(const float *pixels, sac_patch_grid grid, size_t patch, float *rows)
{
    size_t across = (size_t)grid.width, width = across * patch;
    size_t height = (size_t)grid.height * patch;
    for (size_t n = 0; n < across * (size_t)grid.height; n++)
        for (size_t line = 0; line < 3 * patch; line++, rows += patch) {
            size_t y = line / patch * height + n / across * patch + line % patch;
            memcpy(rows, pixels + y * width + n % across * patch, patch * sizeof *rows);
        }
}

static sac_status check_sides(const sac_family_model *m, int width, int height, sac_error *error)
{
    int patch = m->sight.patch;
    if (width < patch || height < patch || width % patch || height % patch)
        return sac_fail(error, SAC_E_SHAPE, "picture", NULL,
                        "%d x %d pixels are no multiples of the patch of %s, %d", width, height,
                        m->name, patch);
    if ((int64_t)(width / patch) * (height / patch) > PATCHES)
        return sac_fail(error, SAC_E_SHAPE, "picture", "give a part of it",
                        "has over %d patches of %d pixels", PATCHES, patch);
    return SAC_OK;
}

static sac_status see(sac_family_model *m, const float *pixels, sac_patch_grid grid,
                      sac_patch_rows *patches, sac_passage *p, sac_error *error)
{
    size_t patch = (size_t)m->sight.patch;
    patches->pixels = calloc(patches->count * 3 * patch * patch, sizeof *patches->pixels);
    patches->table = calloc(p->count * m->width, sizeof *patches->table);
    if (!patches->pixels || !patches->table)
        return sac_fail(error, SAC_E_MEMORY, "picture", NULL, "no memory for %zu patches",
                        patches->count);
    unfold(pixels, grid, patch, patches->pixels);
    sac_status status = fill_table(m, grid, patches, error);
    return status == SAC_OK ? sac_passage_compute(p, patches, error) : status;
}

/* By a residual network. */
static sac_status see_cells(sac_family_model *m, const float *pixels, int width, int height,
                            sac_passage **passage, sac_error *error)
{
    size_t cells = (size_t)m->sight.cells;
    sac_passage *p;
    double begin = sac_now();
    sac_status status = sac_passage_create(m, cells * cells, &p, error);
    if (status != SAC_OK)
        return status;
    p->grid_w = p->grid_h = (int)cells;
    sac_device_lock(m->device);
    status = sac_resnet_see(m->sight.net, &m->pass, pixels, (size_t)height, (size_t)width, cells,
                            p->left, error);
    sac_device_unlock(m->device);
    p->milliseconds = (sac_now() - begin) * 1e3;
    if (status == SAC_OK)
        *passage = p;
    else
        sac_passage_free(p);
    return status;
}

sac_status sac_passage_see_pixels(sac_family_model *m, const float *pixels, int width, int height,
                                  sac_passage **passage, sac_error *error)
{
    *passage = NULL;
    if (m->sight.cells)
        return see_cells(m, pixels, width, height, passage, error);
    sac_status status = check_sides(m, width, height, error);
    if (status != SAC_OK)
        return status;
    sac_patch_grid grid = {width / m->sight.patch, height / m->sight.patch};
    sac_patch_rows patches = {.count = (size_t)grid.width * (size_t)grid.height};
    status = sac_passage_create(m, (size_t)m->sight.prefix + patches.count, passage, error);
    if (status != SAC_OK)
        return status;
    (*passage)->grid_w = grid.width;
    (*passage)->grid_h = grid.height;
    (*passage)->prefix = m->sight.prefix;
    status = see(m, pixels, grid, &patches, *passage, error);
    free(patches.pixels);
    free(patches.table);
    if (status != SAC_OK) {
        sac_passage_free(*passage);
        *passage = NULL;
    }
    return status;
}

/* ---------------------------------------------------------------- pictures */

/* A side in pixels that patches fill, at least one of them. */
static int whole_patches(double side, int patch)
{
    int count = (int)lround(side / patch);
    return (count > 0 ? count : 1) * patch;
}

/* The rules for the whole picture: no cut, its own aspect, sides that patches fill. */
static void keep_aspect(sac_picture_rules *rules, const sac_image *picture, int patch)
{
    int width = rules->crops ? rules->crop_width : rules->width;
    int height = rules->crops ? rules->crop_height : rules->height;
    double shorter = width && height ? fmin(width, height) : rules->shortest;
    double scale = shorter / fmin(picture->width, picture->height);
    if (!rules->resizes && !rules->crops)
        scale = 1;
    rules->resizes = true;
    rules->crops = false;
    rules->width = whole_patches(scale * picture->width, patch);
    rules->height = whole_patches(scale * picture->height, patch);
    rules->shortest = 0;
}

/* [3,height,width] */
static float *colours_of(const sac_picture_rules *rules, const sac_image *image)
{
    size_t count = (size_t)image->width * (size_t)image->height;
    float *pixels = calloc(3 * count, sizeof *pixels);
    for (size_t i = 0; pixels && i < 3 * count; i++)
        pixels[i] = sac_picture_rules_light(rules, (int)(i / count),
                                            image->rgba[4 * (i % count) + i / count]);
    return pixels;
}

static sac_status see_image(sac_family_model *m, const sac_picture_rules *rules,
                            const sac_image *image, sac_passage **passage, sac_error *error)
{
    float *pixels = colours_of(rules, image);
    if (!pixels)
        return sac_fail(error, SAC_E_MEMORY, "picture", NULL, "no memory for its pixels");
    sac_status status =
        sac_passage_see_pixels(m, pixels, image->width, image->height, passage, error);
    free(pixels);
    return status;
}

static sac_status copy_image(const sac_image *from, sac_image *to, sac_error *error)
{
    sac_status status = sac_image_create(from->width, from->height, to, error);
    if (status == SAC_OK)
        memcpy(to->rgba, from->rgba, 4 * (size_t)from->width * (size_t)from->height);
    return status;
}

sac_status sac_passage_see(sac_family_model *m, const sac_image *picture, sac_picture_fit fit,
                           sac_passage **passage, sac_error *error)
{
    sac_picture_rules rules = m->sight.rules;
    sac_image shown = {0};
    sac_status status = SAC_OK;
    bool takes_any_side = fit == SAC_FIT_WHOLE && m->sight.patch;
    *passage = NULL;
    if (m->sight.patch)
        status = sac_picture_rules_read(m->folder, &rules, error);
    if (status != SAC_OK)
        return status;
    if (takes_any_side) {
        keep_aspect(&rules, picture, m->sight.patch);
        status = check_sides(m, rules.width, rules.height, error);
    }
    if (status == SAC_OK)
        status = sac_picture_rules_apply(&rules, picture, &shown, error);
    if (status == SAC_OK)
        status = see_image(m, &rules, &shown, passage, error);
    bool own_aspect = fit == SAC_FIT_WHOLE || (fit == SAC_FIT_SHOWN && !rules.crops);
    if (status == SAC_OK)
        status = copy_image(own_aspect ? picture : &shown, &(*passage)->image, error);
    if (status != SAC_OK && *passage) {
        sac_passage_free(*passage);
        *passage = NULL;
    }
    sac_image_free(&shown);
    return status;
}
