/* Turns a picture into the patches of a model: resized, normalised, and with their positions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "base/clock.h"
#include "base/error.h"
#include "pretrained/files/picture_rules.h"

/* ---------------------------------------------------------------- tokens and positions */

/* The positions of a picture's tokens, of trained ones that lie as: class token, DeiT's second token, patches, tokens
 * that detect. Registers have none. */
static sac_status lay_positions(const sac_pretrained_model *m, const float *trained,
                                sac_patch_grid grid, float *table, sac_error *error)
{
    const sac_vision_encoder *s = &m->vision_encoder;
    const size_t D = m->width, before = (size_t)(s->placed - s->detections) * D;
    const size_t patches = (size_t)(s->trained.width * s->trained.height) * D;
    memcpy(table, trained, before * sizeof *table);
    memcpy(table + before, trained + before + patches, (size_t)s->detections * D * sizeof *table);
    return sac_patch_positions(trained + before, s->trained, grid, D, s->spread,
                               table + (size_t)s->prefix * D, error);
}

/* The same of positions of each axis. */
static void lay_axis_positions(sac_pretrained_model *m, sac_patch_grid grid, float *table)
{
    const size_t D = m->width, across = (size_t)grid.width, down = (size_t)grid.height,
                 places = m->vision_encoder.axis_places;
    const sac_tensor all = sac_tensor_shaped(m->positions->value, 2 * places, D);
    float *trained = NULL;
    if (across > places || down > places)
        m->pass.status =
            sac_fail(&m->pass.error, SAC_E_SHAPE, "picture", "give a smaller one",
                     "has %zu x %zu patches, and %s places for %zu", across, down, m->name, places);
    else if (!(trained = malloc((across + down) * D * sizeof *trained)))
        m->pass.status = sac_no_memory(&m->pass.error, m->name);
    if (sac_pass_runs(&m->pass)) {
        sac_pass_read(&m->pass, sac_tensor_rows(all, 0, across), trained);
        sac_pass_read(&m->pass, sac_tensor_rows(all, places, down), trained + across * D);
    }
    for (size_t i = 0; i < across * down * D && sac_pass_runs(&m->pass); i++)
        table[i] =
            trained[i / D % across * D + i % D] + trained[(across + i / D / across) * D + i % D];
    free(trained);
}

static void add_special_tokens(sac_pretrained_model *m, float *table)
{
    const sac_vision_encoder *s = &m->vision_encoder;
    for (size_t i = 0; i < sizeof s->tokens / sizeof *s->tokens; i++) {
        float *tokens = sac_model_read_parameter(m, s->tokens[i]);
        size_t count = tokens ? sac_tensor_count(s->tokens[i]->value) : 0;
        for (size_t k = 0; k < count; k++)
            *table++ += tokens[k];
        free(tokens);
    }
}

void sac_inference_add_positions_between(const sac_inference *p, int layer, sac_tensor x,
                                         sac_tensor spare)
{
    sac_pretrained_model *m = p->model;
    const sac_parameter *between = m->vision_encoder.between;
    if (!between || layer + 1 >= m->layers)
        return;
    const sac_tensor row = sac_tensor_rows(between->value, (size_t)layer, 1);
    float *trained = malloc(row.width * sizeof *trained);
    float *table = calloc(p->count * m->width, sizeof *table);
    if (!trained || !table)
        SAC_PASS_CALL(&m->pass, sac_no_memory(&m->pass.error, m->name));
    else {
        sac_pass_read(&m->pass, row, trained);
        SAC_PASS_CALL(&m->pass, lay_positions(m, trained, (sac_patch_grid){p->grid_w, p->grid_h},
                                              table, &m->pass.error));
        sac_pass_write(&m->pass, spare, table);
        sac_add(&m->pass, x, spare);
    }
    free(trained);
    free(table);
}

/* ---------------------------------------------------------------- pixels */

/* Row n is patch n in the order of the weights: channel, row, column; `by_pixel` row, column,
 * channel. Pixels after the last whole patch of a side are left out, as by a strided convolution. */
static void unfold(const float *pixels, size_t width, size_t height, sac_patch_grid grid,
                   size_t patch_w, size_t patch_h, bool by_pixel, float *rows)
{
    size_t across = (size_t)grid.width, part = patch_w * patch_h;
    if (by_pixel) {
        for (size_t n = 0; n < across * (size_t)grid.height; n++)
            for (size_t i = 0; i < 3 * part; i++) {
                size_t y = n / across * patch_h + i / 3 / patch_w;
                size_t x = n % across * patch_w + i / 3 % patch_w;
                *rows++ = pixels[(i % 3 * height + y) * width + x];
            }
        return;
    }
    for (size_t n = 0; n < across * (size_t)grid.height; n++)
        for (size_t line = 0; line < 3 * patch_h; line++, rows += patch_w) {
            size_t y = line / patch_h * height + n / across * patch_h + line % patch_h;
            memcpy(rows, pixels + y * width + n % across * patch_w, patch_w * sizeof *rows);
        }
}

static sac_status check_sides(const sac_pretrained_model *m, int width, int height,
                              sac_error *error)
{
    int patch_w = m->vision_encoder.patch_w, patch_h = m->vision_encoder.patch_h;
    if (width < patch_w || height < patch_h)
        return sac_fail(error, SAC_E_SHAPE, "picture", NULL,
                        "%d x %d pixels are less than a patch of %s, %d x %d", width, height,
                        m->name, patch_w, patch_h);
    if ((int64_t)(width / patch_w) * (height / patch_h) > SAC_PICTURE_PATCHES)
        return sac_fail(error, SAC_E_SHAPE, "picture", "give a part of it",
                        "has over %d patches of %d x %d pixels", SAC_PICTURE_PATCHES, patch_w,
                        patch_h);
    return SAC_OK;
}

static sac_status fill_patch_rows(sac_pretrained_model *m, const float *pixels, int width,
                                  int height, sac_patch_grid grid, sac_patch_rows *patches,
                                  sac_inference *p, sac_error *error)
{
    size_t patch_w = (size_t)m->vision_encoder.patch_w, patch_h = (size_t)m->vision_encoder.patch_h;
    patches->pixels = calloc(patches->count * 3 * patch_w * patch_h, sizeof *patches->pixels);
    patches->table = calloc(p->count * m->width, sizeof *patches->table);
    if (!patches->pixels || !patches->table)
        return sac_no_memory(error, "picture");
    unfold(pixels, (size_t)width, (size_t)height, grid, patch_w, patch_h,
           m->vision_encoder.by_pixel, patches->pixels);
    const sac_vision_encoder *s = &m->vision_encoder;
    size_t D = m->width;
    float *rows = patches->table + (size_t)s->prefix * D;
    sac_device_lock(m->device);
    float *positions = s->axis_places ? NULL : sac_model_read_parameter(m, m->positions);
    float *bias = sac_model_read_parameter(m, s->bias);
    if (positions)
        SAC_PASS_CALL(&m->pass, lay_positions(m, positions, grid, patches->table, &m->pass.error));
    if (s->axis_places && sac_pass_runs(&m->pass))
        lay_axis_positions(m, grid, rows);
    add_special_tokens(m, patches->table);
    sac_status status = sac_model_end_pass(m, NULL, error);
    for (size_t i = 0; status == SAC_OK && bias && i < patches->count * D; i++)
        rows[i] += bias[i % D];
    free(positions);
    free(bias);
    return status == SAC_OK ? sac_inference_compute(p, patches, NULL, NULL, error) : status;
}

/* Encodes the pixels with a residual network. */
static sac_status encode_by_resnet(sac_pretrained_model *m, const float *pixels, int width,
                                   int height, sac_inference **inference, sac_error *error)
{
    const sac_vision_encoder *s = &m->vision_encoder;
    size_t cells = s->cells ? (size_t)s->cells : sac_resnet_side(s->net, (size_t)height);
    sac_inference *p;
    double begin = sac_now();
    if (!s->cells && width != height)
        return sac_fail(error, SAC_E_SHAPE, "picture", "give a square one", "is of %d x %d pixels",
                        width, height);
    sac_status status = sac_inference_create(m, cells * cells, &p, error);
    if (status != SAC_OK)
        return status;
    p->grid_w = p->grid_h = (int)cells;
    sac_device_lock(m->device);
    status = sac_resnet_see(m->vision_encoder.net, &m->pass, pixels, (size_t)height, (size_t)width,
                            cells, p->left, error);
    sac_device_unlock(m->device);
    p->milliseconds = (sac_now() - begin) * 1e3;
    return sac_inference_return_or_free(p, status, inference);
}

/* The same where layers follow: what the network gives enters them cell by cell, by a linear layer. */
static sac_status encode_resnet_map(sac_pretrained_model *m, const float *pixels, int width,
                                    int height, sac_inference **inference, sac_error *error)
{
    const sac_vision_encoder *s = &m->vision_encoder;
    size_t across = sac_resnet_side(s->net, (size_t)width);
    size_t down = sac_resnet_side(s->net, (size_t)height), D = m->width;
    sac_inference *p = NULL;
    sac_patch_rows cells = {.count = across * down};
    double begin = sac_now();
    if (cells.count > SAC_PICTURE_PATCHES)
        return sac_fail(error, SAC_E_SHAPE, "picture", "give a part of it",
                        "has over %d cells of %s", SAC_PICTURE_PATCHES, m->name);
    sac_status status = sac_inference_create(m, cells.count, &p, error);
    if (status != SAC_OK)
        return status;
    p->grid_w = (int)across;
    p->grid_h = (int)down;
    cells.pixels = calloc(cells.count * sac_resnet_width(s->net), sizeof *cells.pixels);
    cells.table = calloc(cells.count * D, sizeof *cells.table);
    sac_device_lock(m->device);
    float *bias = sac_model_read_parameter(m, s->bias);
    status = sac_pass_end(&m->pass, error);
    if (!cells.pixels || !cells.table)
        status = sac_no_memory(error, m->name);
    if (status == SAC_OK)
        status = sac_resnet_see(s->net, &m->pass, pixels, (size_t)height, (size_t)width, 0,
                                cells.pixels, error);
    sac_device_unlock(m->device);
    for (size_t i = 0; status == SAC_OK && i < cells.count * D; i++)
        cells.table[i] = bias[i % D];
    if (status == SAC_OK)
        status = sac_inference_compute(p, &cells, NULL, NULL, error);
    free(bias);
    free(cells.pixels);
    free(cells.table);
    p->milliseconds = (sac_now() - begin) * 1e3;
    return sac_inference_return_or_free(p, status, inference);
}

/* The same of a network whose finer maps are kept for what is found. */
static sac_status encode_pyramid(sac_pretrained_model *m, const float *pixels, int width,
                                 int height, sac_inference **inference, sac_error *error)
{
    enum { SIDE = 32, LEVELS = SAC_PYRAMID_LEVELS };
    const sac_resnet *net = m->vision_encoder.net;
    const size_t across = (size_t)width / SIDE, down = (size_t)height / SIDE;
    const double begin = sac_now();
    float *maps[SAC_RESNET_STAGES] = {0}, *features;
    sac_inference *p = NULL;
    if (width % SIDE || height % SIDE || !across || !down)
        return sac_fail(error, SAC_E_SHAPE, "picture", "give whole multiples of 32",
                        "is brought to %d x %d pixels", width, height);
    sac_status status = sac_inference_create(m, across * down, &p, error);
    if (status != SAC_OK)
        return status;
    p->grid_w = (int)across;
    p->grid_h = (int)down;
    status = sac_inference_take_finer(p, NULL, (16 + 4) * across * down, error);
    for (int i = 0; i < LEVELS && status == SAC_OK; i++) {
        const size_t cells = (across << (LEVELS - 1 - i)) * (down << (LEVELS - 1 - i));
        maps[i + 1] = malloc(cells * sac_resnet_stage_width(net, i + 1) * sizeof *maps[i]);
        if (!maps[i + 1])
            status = sac_no_memory(error, m->name);
    }
    sac_device_lock(m->device);
    if (status == SAC_OK)
        status = sac_resnet_see_stages(net, &m->pass, pixels, (size_t)height, (size_t)width, maps,
                                       error);
    features = p->finer;
    for (int i = 0; i < LEVELS && status == SAC_OK; i++) {
        const size_t high = down << (LEVELS - 1 - i), wide = across << (LEVELS - 1 - i);
        sac_pyramid_enter(m->pyramid, &m->pass, i, maps[i + 1], high, wide,
                          i < LEVELS - 1 ? features : p->entered);
        features += high * wide * m->width;
    }
    if (status == SAC_OK)
        status = sac_pass_end(&m->pass, error);
    sac_device_unlock(m->device);
    for (int i = 0; i < SAC_RESNET_STAGES; i++)
        free(maps[i]);
    if (status == SAC_OK)
        status = sac_inference_compute(p, NULL, NULL, p, error);
    p->milliseconds = (sac_now() - begin) * 1e3;
    return sac_inference_return_or_free(p, status, inference);
}

sac_status sac_inference_see_pixels(sac_pretrained_model *m, const float *pixels, int width,
                                    int height, sac_inference **inference, sac_error *error)
{
    *inference = NULL;
    if (m->pyramid)
        return encode_pyramid(m, pixels, width, height, inference, error);
    if (m->vision_encoder.net && m->layers)
        return encode_resnet_map(m, pixels, width, height, inference, error);
    if (m->vision_encoder.net)
        return encode_by_resnet(m, pixels, width, height, inference, error);
    if (m->stage_count)
        return sac_stages_see(m, pixels, width, height, m->stage_count, false, NULL, inference,
                              error);
    sac_status status = check_sides(m, width, height, error);
    if (status != SAC_OK)
        return status;
    sac_patch_grid grid = {width / m->vision_encoder.patch_w, height / m->vision_encoder.patch_h};
    sac_patch_rows patches = {.count = (size_t)grid.width * (size_t)grid.height};
    status =
        sac_inference_create(m, (size_t)m->vision_encoder.prefix + patches.count, inference, error);
    if (status != SAC_OK)
        return status;
    (*inference)->grid_w = grid.width;
    (*inference)->grid_h = grid.height;
    (*inference)->prefix = m->vision_encoder.prefix;
    status = fill_patch_rows(m, pixels, width, height, grid, &patches, *inference, error);
    free(patches.pixels);
    free(patches.table);
    if (status != SAC_OK) {
        sac_inference_free(*inference);
        *inference = NULL;
    }
    return status;
}

/* ---------------------------------------------------------------- pictures */

/* The side in pixels of a whole number of patches, at least one. */
static int whole_patches(double side, int patch)
{
    int count = (int)lround(side / patch);
    return (count > 0 ? count : 1) * patch;
}

/* Rules for the whole picture: not cropped, in its aspect ratio, with sides of whole patches. The
 * shorter side is that of the pictures that the model was trained on. */
static void keep_aspect(sac_picture_rules *rules, const sac_image *picture, int patch_w,
                        int patch_h)
{
    int width, height;
    if (rules->most_patches || rules->most_pixels || rules->most_squares ||
        (rules->multiple && rules->shortest))
        /* they do so themselves */
        return;
    sac_picture_rules_sides(rules, picture->width, picture->height, &width, &height);
    double scale = fmin(width, height) / fmin(picture->width, picture->height);
    *rules = (sac_picture_rules){
        .resizes = true,
        .width = whole_patches(scale * picture->width, patch_w),
        .height = whole_patches(scale * picture->height, patch_h),
        .resampling = rules->resampling,
        .factor = rules->factor,
        .mean = {rules->mean[0], rules->mean[1], rules->mean[2]},
        .deviation = {rules->deviation[0], rules->deviation[1], rules->deviation[2]}};
}

/* `stage`: the one whose heads are looked at, of an encoder in stages; 0: what it gives at its end, its
 * heads scaled by `scale` (NULL: they are not). */
static sac_status encode_with_rules(sac_pretrained_model *m, const sac_picture_rules *rules,
                                    const sac_image *image, int stage, const float *scale,
                                    sac_inference **inference, sac_error *error)
{
    /* [3,height,width] */
    size_t count = (size_t)image->width * (size_t)image->height;
    float *pixels = calloc(3 * count, sizeof *pixels);
    for (size_t i = 0; pixels && i < 3 * count; i++)
        pixels[i] = sac_picture_rules_light(rules, (int)(i / count),
                                            image->rgba[4 * (i % count) + i / count]);
    if (!pixels)
        return sac_no_memory(error, "picture");
    sac_status status =
        stage || scale
            ? sac_stages_see(m, pixels, image->width, image->height, stage ? stage : m->stage_count,
                             stage > 0, scale, inference, error)
            : sac_inference_see_pixels(m, pixels, image->width, image->height, inference, error);
    free(pixels);
    return status;
}

sac_status sac_inference_see_by_rules(sac_pretrained_model *m, const sac_picture_rules *rules,
                                      const sac_image *image, sac_inference **inference,
                                      sac_error *error)
{
    return encode_with_rules(m, rules, image, 0, NULL, inference, error);
}

/* The part of `from` that the patches cover: covered_w / width and covered_h / height of its sides,
 * from the left and the top. What they cover beyond it is black. */
static sac_status copy_covered(const sac_image *from, int width, int height, int covered_w,
                               int covered_h, sac_image *to, sac_error *error)
{
    int across = (int)lround((double)from->width * covered_w / width);
    int down = (int)lround((double)from->height * covered_h / height);
    sac_status status = sac_image_create(across > 0 ? across : 1, down > 0 ? down : 1, to, error);
    int wide = to->width < from->width ? to->width : from->width;
    for (int y = 0; status == SAC_OK && y < to->height; y++) {
        uint8_t *row = to->rgba + 4 * (size_t)y * (size_t)to->width;
        for (int x = 0; x < to->width; x++)
            row[4 * x + 3] = 255;
        if (y < from->height)
            memcpy(row, from->rgba + 4 * (size_t)y * (size_t)from->width, 4 * (size_t)wide);
    }
    return status;
}

/* The pixels that the cells of a stage lie over: some may be beyond the picture. */
static void find_covered_pixels(const sac_pretrained_model *m, int stage, const sac_inference *p,
                                int *width, int *height)
{
    int side = 1;
    for (int i = 0; i < (stage ? stage : m->stage_count); i++)
        side *= m->stages[i]->stage.joining.step;
    *width = p->grid_w * side;
    *height = p->grid_h * side;
}

/* Pixels of a cell of the last grid along a side. */
static int coarsest_cell_side(const sac_pretrained_model *m)
{
    int side = m->stage_count ? 1 : m->vision_encoder.patch_w;
    for (int i = 0; i < m->stage_count; i++)
        side *= m->stages[i]->stage.joining.step;
    return side;
}

static sac_status see_picture(sac_pretrained_model *m, const sac_image *picture,
                              sac_picture_fit fit, int stage, const float *scale,
                              sac_inference **inference, sac_error *error)
{
    const sac_vision_encoder *s = &m->vision_encoder;
    sac_picture_rules rules = s->rules;
    sac_image seen = {0}, square = {0};
    sac_status status = rules.squares ? sac_picture_rules_square(picture, &square, error) : SAC_OK;
    picture = rules.squares ? &square : picture;
    *inference = NULL;
    if ((m->detector.shift.w || m->shared.late) && fit == SAC_FIT_WHOLE)
        /* resized as transformers does: boxes agree, and pages have their trained form */
        fit = SAC_FIT_SHOWN;
    if (status == SAC_OK && fit == SAC_FIT_WHOLE && s->patch_w) {
        int width, height;
        int side = coarsest_cell_side(m);
        keep_aspect(&rules, picture, side, m->stage_count ? side : s->patch_h);
        sac_picture_rules_sides(&rules, picture->width, picture->height, &width, &height);
        status = check_sides(m, width, height, error);
    }
    if (status == SAC_OK)
        status = sac_picture_rules_apply(&rules, picture, &seen, error);
    if (status == SAC_OK)
        status = encode_with_rules(m, &rules, &seen, stage, scale, inference, error);
    bool own_aspect =
        fit == SAC_FIT_WHOLE || (fit == SAC_FIT_SHOWN && !rules.crops && !rules.page_width);
    int covered_w = s->patch_w ? seen.width / s->patch_w * s->patch_w : seen.width;
    int covered_h = s->patch_h ? seen.height / s->patch_h * s->patch_h : seen.height;
    if (status == SAC_OK && m->stage_count)
        find_covered_pixels(m, stage, *inference, &covered_w, &covered_h);
    if (status == SAC_OK)
        status = copy_covered(own_aspect ? picture : &seen, seen.width, seen.height, covered_w,
                              covered_h, &(*inference)->image, error);
    if (status != SAC_OK && *inference) {
        sac_inference_free(*inference);
        *inference = NULL;
    }
    sac_image_free(&seen);
    sac_image_free(&square);
    return status;
}

/* The stage with most layers, the last of them, is what people look at. */
static int main_stage(const sac_pretrained_model *m)
{
    int found = 0;
    for (int i = 0; i < m->stage_count; i++)
        if (!found || m->stages[i]->layers >= m->stages[found - 1]->layers)
            found = i + 1;
    return found;
}

sac_status sac_inference_see(sac_pretrained_model *m, const sac_image *picture, sac_picture_fit fit,
                             sac_inference **inference, sac_error *error)
{
    return see_picture(m, picture, fit, 0, NULL, inference, error);
}

sac_status sac_inference_see_scaled(sac_pretrained_model *m, const sac_image *picture,
                                    sac_picture_fit fit, const float *scale,
                                    sac_inference **inference, sac_error *error)
{
    return see_picture(m, picture, fit, 0, scale, inference, error);
}

sac_status sac_inference_see_stage(sac_pretrained_model *m, const sac_image *picture,
                                   sac_picture_fit fit, const char *take, sac_inference **inference,
                                   sac_error *error)
{
    int stage = main_stage(m);
    bool channels = false;
    if (take && take[0]) {
        char name[40];
        for (stage = m->stage_count; stage > 0; stage--) {
            snprintf(name, sizeof name, "stage %d channels", stage);
            channels = m->stages[stage - 1]->stage.channels && strcmp(take, name) == 0;
            name[strlen(name) - strlen(" channels")] = '\0';
            if (channels || strcmp(take, name) == 0)
                break;
        }
        *inference = NULL;
        if (!stage && m->stage_count)
            return sac_fail(error, SAC_E_ARGUMENT, "--take", NULL,
                            "\"%.40s\" is no stage of %s; there are stage 1 to stage %d", take,
                            m->name, m->stage_count);
        if (!stage)
            return sac_fail(error, SAC_E_ARGUMENT, "--take", "leave it out",
                            "is given, and %s has no stages", m->name);
    }
    /* The heads of one that generates are shown over pages and squares as in generation. */
    if (m->stage_count && m->decoder && fit == SAC_FIT_WHOLE)
        fit = SAC_FIT_SHOWN;
    sac_status status = see_picture(m, picture, fit, stage, NULL, inference, error);
    if (status == SAC_OK)
        (*inference)->shows_channels = channels;
    return status;
}

/* ---------------------------------------------------------------- encoders of square pictures */

sac_status sac_architecture_square_encoding(const sac_pretrained_model *m, int side,
                                            sac_square_encoding *encoding, sac_error *error)
{
    const sac_vision_encoder *s = &m->vision_encoder;
    const char *what = m->stage_count                           ? "sees in stages"
                       : !sac_architecture_has_media_encoder(m) ? "reads text, and sees no pictures"
                       : sac_architecture_is_captioner(m)       ? "is a captioner of its own"
                       : s->patch_w != s->patch_h               ? "has patches that are not square"
                                                                : NULL;
    if (what)
        return sac_fail(error, SAC_E_ARGUMENT, m->folder,
                        "give the folder of a model that sees pictures and does nothing else", "%s",
                        what);
    if (!side) {
        int width, height, any = s->rules.shortest ? s->rules.shortest : 1;
        sac_picture_rules_sides(&s->rules, any, any, &width, &height);
        side = width < height ? width : height;
    }
    *encoding = (sac_square_encoding){.side = side,
                                      .grid = s->cells ? s->cells
                                              : s->net ? (int)sac_resnet_side(s->net, (size_t)side)
                                                       : side / s->patch_w,
                                      .width = m->width,
                                      .factor = s->rules.factor};
    memcpy(encoding->mean, s->rules.mean, sizeof encoding->mean);
    memcpy(encoding->deviation, s->rules.deviation, sizeof encoding->deviation);
    return encoding->grid ? SAC_OK
                          : sac_fail(error, SAC_E_SHAPE, m->folder, NULL,
                                     "takes pictures of %d pixels, less than a patch", side);
}
