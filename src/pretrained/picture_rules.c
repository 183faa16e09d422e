/* preprocessor_config.json, in the ways that its sizes are written. */
#include "pretrained/picture_rules.h"

#include <cjson/cJSON.h>

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "formats/bytes.h"
#include "formats/json.h"
#include "pretrained/config.h"

enum { SIDE_MOST = 4096 };

/* ---------------------------------------------------------------- reading */

typedef struct picture_size {
    int width, height, shortest; /* 0: not told */
} picture_size;

/* 224, {"height": 224, "width": 224} or {"shortest_edge": 224}. */
static void read_size(sac_config *c, const char *name, picture_size *size)
{
    sac_config inside = sac_config_inside(c, name);
    if (!sac_config_has(c, name))
        return;
    *size = (picture_size){0};
    if (cJSON_IsNumber(inside.json))
        size->width = size->height = sac_config_size(c, name, 1, SIDE_MOST);
    else if (sac_config_has(&inside, "shortest_edge"))
        size->shortest = sac_config_size(&inside, "shortest_edge", 1, SIDE_MOST);
    else {
        size->width = sac_config_size(&inside, "width", 1, SIDE_MOST);
        size->height = sac_config_size(&inside, "height", 1, SIDE_MOST);
    }
    if (c->status == SAC_OK)
        c->status = sac_error_within(c->error, inside.status, name);
}

static void read_colours(sac_config *c, sac_picture_rules *rules)
{
    bool scales = sac_config_flag_or(c, "do_rescale", true);
    rules->factor = scales ? sac_config_number_or(c, "rescale_factor", 1.0f / 255) : 1;
    if (sac_config_flag_or(c, "do_normalize", true)) {
        sac_config_numbers(c, "image_mean", rules->mean, 3);
        sac_config_numbers(c, "image_std", rules->deviation, 3);
    } else {
        memset(rules->mean, 0, sizeof rules->mean);
        for (int i = 0; i < 3; i++)
            rules->deviation[i] = 1;
    }
    for (int i = 0; i < 3; i++)
        if (!(rules->deviation[i] > 0))
            sac_config_refuse(c, "image_std", "has a number that is not above 0");
}

static void read_rules(sac_config *c, sac_picture_rules *rules)
{
    picture_size size = {224, 224, 0}, crop = {224, 224, 0};
    read_size(c, "size", &size);
    read_size(c, "crop_size", &crop);
    rules->resizes = sac_config_flag_or(c, "do_resize", true);
    rules->crops = sac_config_flag_or(c, "do_center_crop", false);
    rules->width = size.width;
    rules->height = size.height;
    rules->shortest = size.shortest;
    rules->crop_width = crop.shortest ? crop.shortest : crop.width;
    rules->crop_height = crop.shortest ? crop.shortest : crop.height;
    rules->resampling = (sac_resampling)sac_config_size_or(c, "resample", 0, SAC_RESAMPLINGS - 1,
                                                           SAC_RESAMPLE_BILINEAR);
    read_colours(c, rules);
}

sac_status sac_picture_rules_read(const char *folder, sac_picture_rules *rules, sac_error *error)
{
    char path[4096];
    cJSON *json = NULL;
    *rules = (sac_picture_rules){.mean = {0.5f, 0.5f, 0.5f}, .deviation = {0.5f, 0.5f, 0.5f}};
    snprintf(path, sizeof path, "%s/preprocessor_config.json", folder);
    sac_status status = sac_is_regular(path) ? sac_json_load_config(path, &json, error) : SAC_OK;
    if (status != SAC_OK)
        return status;
    sac_config config = sac_config_of(json, path, error);
    read_rules(&config, rules);
    cJSON_Delete(json);
    return sac_config_end(&config);
}

/* ---------------------------------------------------------------- applying */

static sac_status resize(const sac_picture_rules *rules, const sac_image *from, sac_image *to,
                         sac_error *error)
{
    int width = rules->width, height = rules->height, least = rules->shortest;
    if (!rules->resizes) {
        width = from->width;
        height = from->height;
    } else if (least) {
        bool upright = from->width < from->height;
        width = upright ? least : (int)((int64_t)least * from->width / from->height);
        height = upright ? (int)((int64_t)least * from->height / from->width) : least;
    }
    return sac_resample(from, width, height, rules->resampling, to, error);
}

/* Row y of the cut, whose middle is the picture's. */
static void cut_row(const sac_image *from, int y, sac_image *to)
{
    int left = (from->width - to->width) / 2, above = (from->height - to->height) / 2;
    uint8_t *out = to->rgba + 4 * (size_t)y * (size_t)to->width;
    for (int x = 0; x < to->width; x++, out += 4) {
        int u = x + left, v = y + above;
        bool inside = u >= 0 && u < from->width && v >= 0 && v < from->height;
        size_t at = inside ? 4 * ((size_t)v * (size_t)from->width + (size_t)u) : 0;
        memcpy(out, inside ? from->rgba + at : (const uint8_t[]){0, 0, 0, 255}, 4);
    }
}

sac_status sac_picture_rules_apply(const sac_picture_rules *rules, const sac_image *from,
                                   sac_image *to, sac_error *error)
{
    sac_image whole;
    *to = (sac_image){0};
    sac_status status = resize(rules, from, &whole, error);
    if (status != SAC_OK || !rules->crops) {
        *to = whole;
        return status;
    }
    status = sac_image_create(rules->crop_width, rules->crop_height, to, error);
    for (int y = 0; status == SAC_OK && y < to->height; y++)
        cut_row(&whole, y, to);
    sac_image_free(&whole);
    return status;
}
