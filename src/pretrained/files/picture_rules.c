/* Reads the settings of image processors in all their forms, with the defaults of their classes. */
#include "pretrained/files/picture_rules.h"

#include <cjson/cJSON.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/bytes.h"
#include "arrays/json.h"
#include "base/error.h"
#include "pretrained/files/config.h"

enum { SIDE_MOST = 4096, SIDES_MOST = 16 * SIDE_MOST };

/* ---------------------------------------------------------------- classes of transformers */

#define HALF "[0.5, 0.5, 0.5]"
#define CLIP_MEAN "[0.48145466, 0.4578275, 0.40821073]"
#define CLIP_DEVIATION "[0.26862954, 0.26130258, 0.27577711]"
#define SQUARE_224 "{\"height\": 224, \"width\": 224}"

/* The keys that all of them have, and those of the base class that none of them uses. */
#define KEYS(size, square, resample, mean, deviation, crops, crop_size, crop_pct)                  \
    {                                                                                              \
        {"size", SAC_KEY_USED, size}, {"default_to_square", SAC_KEY_USED, square},                 \
            {"resample", SAC_KEY_USED, resample}, {"image_mean", SAC_KEY_USED, mean},              \
            {"image_std", SAC_KEY_USED, deviation}, {"do_center_crop", SAC_KEY_USED, crops},       \
            {"crop_size", SAC_KEY_USED, crop_size}, {"crop_pct", SAC_KEY_USED, crop_pct},          \
            {"do_resize", SAC_KEY_USED, "true"}, {"do_rescale", SAC_KEY_USED, "true"},             \
            {"rescale_factor", SAC_KEY_USED, "0.00392156862745098"},                               \
            {"do_normalize", SAC_KEY_USED, "true"}, {"pad_size", SAC_KEY_HARMLESS, NULL},          \
            {"do_convert_rgb", SAC_KEY_HARMLESS, NULL},                                            \
            {"return_tensors", SAC_KEY_HARMLESS, NULL}, {"data_format", SAC_KEY_HARMLESS, NULL},   \
            {"input_data_format", SAC_KEY_HARMLESS, NULL}, {"device", SAC_KEY_HARMLESS, NULL},     \
            {"disable_grouping", SAC_KEY_HARMLESS, NULL},                                          \
            {"image_seq_length", SAC_KEY_HARMLESS, NULL},                                          \
            {"do_flip_channel_order", SAC_KEY_ONLY, "false"},                                      \
        {                                                                                          \
            NULL, 0, NULL                                                                          \
        }                                                                                          \
    }
enum { KEY_COUNT = 23 };

static const sac_config_key keys_of_one_size[] = {
    {"do_pad", SAC_KEY_ONLY, "false"},
    {NULL, 0, NULL},
};
/* All tiles have one size, so nothing is filled up. */
static const sac_config_key keys_of_tiles[] = {
    {"do_pad", SAC_KEY_HARMLESS, NULL},
    {"do_image_splitting", SAC_KEY_USED, "true"},
    {"max_image_size", SAC_KEY_USED, "{\"longest_edge\": 364}"},
    {"return_row_col_info", SAC_KEY_HARMLESS, NULL},
    {NULL, 0, NULL},
};
/* Each picture is brought to a size of its own; what fills up those of one batch is masked. */
static const sac_config_key keys_of_quarters[] = {
    {"do_pad", SAC_KEY_HARMLESS, NULL},
    {"do_image_splitting", SAC_KEY_USED, "false"},
    {NULL, 0, NULL},
};
/* That it is cut is not the folder's: the processor of models with this class has it cut in any case. */
static const sac_config_key keys_of_nearest_tiles[] = {
    {"do_pad", SAC_KEY_HARMLESS, NULL},
    {"crop_to_patches", SAC_KEY_HARMLESS, NULL},
    {"min_patches", SAC_KEY_USED, "1"},
    {"max_patches", SAC_KEY_USED, "12"},
    {NULL, 0, NULL},
};
/* Whole patches of a picture in its own size, or a smaller one. */
static const sac_config_key keys_of_own_size[] = {
    {"do_pad", SAC_KEY_HARMLESS, NULL},
    {"patch_size", SAC_KEY_USED, "{\"height\": 16, \"width\": 16}"},
    {NULL, 0, NULL},
};
/* As many patches as the picture's aspect makes of it; rows of zeros behind them are masked. */
static const sac_config_key keys_of_patches[] = {
    {"do_pad", SAC_KEY_HARMLESS, NULL},
    {"patch_size", SAC_KEY_USED, "16"},
    {"max_num_patches", SAC_KEY_USED, "256"},
    {NULL, 0, NULL},
};
static const sac_config_key keys_of_pages[] = {
    {"do_pad", SAC_KEY_USED, "true"},
    {"do_thumbnail", SAC_KEY_USED, "true"},
    {"do_align_long_axis", SAC_KEY_USED, "false"},
    {"random_padding", SAC_KEY_ONLY, "false"},
    {NULL, 0, NULL},
};
/* A picture by itself is not filled up; boxes that were drawn by hand are not read. */
static const sac_config_key keys_of_boxes[] = {
    {"do_pad", SAC_KEY_HARMLESS, NULL},
    {"pad_and_return_pixel_mask", SAC_KEY_HARMLESS, NULL},
    {"max_size", SAC_KEY_USED, "1333"},
    {"format", SAC_KEY_HARMLESS, NULL},
    {"do_convert_annotations", SAC_KEY_HARMLESS, NULL},
    {NULL, 0, NULL},
};
/* The numbers stay between 0 and 1. */
static const sac_config_key keys_of_plain_boxes[] = {
    {"do_pad", SAC_KEY_ONLY, "false"},
    {"pad_and_return_pixel_mask", SAC_KEY_HARMLESS, NULL},
    {"format", SAC_KEY_HARMLESS, NULL},
    {"do_convert_annotations", SAC_KEY_HARMLESS, NULL},
    {NULL, 0, NULL},
};
/* "rescale" is what files of 2022 call do_rescale. */
static const sac_config_key keys_of_owlvit[] = {
    {"do_pad", SAC_KEY_ONLY, "false"},
    {"rescale", SAC_KEY_ONLY, "true"},
    {NULL, 0, NULL},
};
/* That the filter is there is the class's: no file has it. */
static const sac_config_key keys_of_owlv2[] = {
    {"do_pad", SAC_KEY_USED, "true"},
    {"rescale", SAC_KEY_ONLY, "true"},
    {"anti_aliasing", SAC_KEY_USED, "true"},
    {NULL, 0, NULL},
};
/* The same with whole patches: no file has their size, which is the class's. */
static const sac_config_key keys_of_boxes_in_patches[] = {
    {"do_pad", SAC_KEY_HARMLESS, NULL},
    {"pad_and_return_pixel_mask", SAC_KEY_HARMLESS, NULL},
    {"max_size", SAC_KEY_USED, "1333"},
    {"format", SAC_KEY_HARMLESS, NULL},
    {"do_convert_annotations", SAC_KEY_HARMLESS, NULL},
    {"mod_size", SAC_KEY_USED, "16"},
    {NULL, 0, NULL},
};
/* Both sides are whole multiples, of a size in the picture's own aspect or not. */
static const sac_config_key keys_of_multiples[] = {
    {"do_pad", SAC_KEY_ONLY, "[false, null]"},    {"keep_aspect_ratio", SAC_KEY_USED, "false"},
    {"ensure_multiple_of", SAC_KEY_USED, "1"},    {"size_divisor", SAC_KEY_HARMLESS, NULL},
    {"do_reduce_labels", SAC_KEY_HARMLESS, NULL}, {NULL, 0, NULL},
};
/* Crops beside the picture are not made: no folder has them made by itself. */
static const sac_config_key keys_of_gemma3[] = {
    {"do_pad", SAC_KEY_ONLY, "[false, null]"},
    {"do_pan_and_scan", SAC_KEY_ONLY, "[false, null]"},
    {"pan_and_scan_min_crop_size", SAC_KEY_HARMLESS, NULL},
    {"pan_and_scan_max_num_crops", SAC_KEY_HARMLESS, NULL},
    {"pan_and_scan_min_ratio_to_activate", SAC_KEY_HARMLESS, NULL},
    {NULL, 0, NULL},
};
/* Any size between two numbers of pixels, in whole squares of merge_size patches a side. */
static const sac_config_key keys_of_pixels[] = {
    {"do_pad", SAC_KEY_HARMLESS, NULL},
    {"min_pixels", SAC_KEY_USED, NULL},
    {"max_pixels", SAC_KEY_USED, NULL},
    {"patch_size", SAC_KEY_USED, "14"},
    {"merge_size", SAC_KEY_USED, "2"},
    {"temporal_patch_size", SAC_KEY_HARMLESS, NULL},
    {NULL, 0, NULL},
};
/* Any size of up to so many squares of pooling_kernel_size patches a side; rows of zeros behind them are masked. */
static const sac_config_key keys_of_squares[] = {
    {"do_pad", SAC_KEY_HARMLESS, NULL},
    {"patch_size", SAC_KEY_USED, "16"},
    {"max_soft_tokens", SAC_KEY_USED, "280"},
    {"pooling_kernel_size", SAC_KEY_USED, "3"},
    {NULL, 0, NULL},
};
/* All tiles have one size; sizes of the whole are [height, width]. */
#define A(height)                                                                                  \
    "[" height ",384],[" height ",768],[" height ",1152],[" height ",1536],[" height               \
    ",1920],[" height ",2304]"
static const sac_config_key keys_of_sizes[] = {
    {"do_pad", SAC_KEY_HARMLESS, NULL},
    {"image_grid_pinpoints", SAC_KEY_USED,
     "[" A("384") "," A("768") "," A("1152") "," A("1536") "," A("1920") "," A("2304") "]"},
    {NULL, 0, NULL},
};
#undef A
static const sac_config_key keys_of_few_sizes[] = {
    {"do_pad", SAC_KEY_HARMLESS, NULL},
    {"image_grid_pinpoints", SAC_KEY_USED, "[[336,672],[672,336],[672,672],[1008,336],[336,1008]]"},
    {NULL, 0, NULL},
};
#define TILES(name)                                                                                \
    {                                                                                              \
        name,                                                                                      \
            KEYS("{\"longest_edge\": 1456}", "true", "1", HALF, HALF, "false", SQUARE_224, NULL),  \
            keys_of_tiles                                                                          \
    }

/* Only classes that just resize, cut and scale. */
static const struct processor {
    const char *name; /* without "ImageProcessor" */
    sac_config_key keys[KEY_COUNT];
    const sac_config_key *more; /* NULL: keys_of_one_size */
} processors[] = {
    {"ViT", KEYS(SQUARE_224, "true", "2", HALF, HALF, "false", SQUARE_224, NULL)},
    {"DeiT",
     KEYS("{\"height\": 256, \"width\": 256}", "true", "3", HALF, HALF, "true", SQUARE_224, NULL)},
    {"Bit", KEYS("{\"shortest_edge\": 224}", "false", "3", CLIP_MEAN, CLIP_DEVIATION, "true",
                 SQUARE_224, NULL)},
    {"CLIP", KEYS("{\"shortest_edge\": 224}", "false", "3", CLIP_MEAN, CLIP_DEVIATION, "true",
                  SQUARE_224, NULL)},
    {"ChineseCLIP", KEYS("{\"shortest_edge\": 224}", "false", "3", CLIP_MEAN, CLIP_DEVIATION,
                         "true", SQUARE_224, NULL)},
    {"Blip", KEYS("{\"height\": 384, \"width\": 384}", "true", "3", CLIP_MEAN, CLIP_DEVIATION,
                  "false", SQUARE_224, NULL)},
    {"Siglip", KEYS(SQUARE_224, "false", "3", HALF, HALF, "false", SQUARE_224, NULL)},
    {"Gemma3", KEYS(SQUARE_224, "true", "2", HALF, HALF, "false", SQUARE_224, NULL),
     keys_of_gemma3},
    {"Gemma4", KEYS(NULL, "false", "3", "[0, 0, 0]", "[1, 1, 1]", "false", SQUARE_224, NULL),
     keys_of_squares},
    {"Siglip2", KEYS(NULL, "false", "2", HALF, HALF, "false", SQUARE_224, NULL), keys_of_patches},
    {"DINOv3ViT", KEYS(SQUARE_224, "true", "2", "[0.485, 0.456, 0.406]", "[0.229, 0.224, 0.225]",
                       "false", SQUARE_224, NULL)},
    {"Beit", KEYS(SQUARE_224, "true", "3", HALF, HALF, "false", SQUARE_224, NULL)},
    {"DPT", KEYS("{\"height\": 384, \"width\": 384}", "true", "3", HALF, HALF, "false", NULL, NULL),
     keys_of_multiples},
    {"MobileNetV1",
     KEYS("{\"shortest_edge\": 256}", "false", "2", HALF, HALF, "true", SQUARE_224, NULL)},
    {"Pvt", KEYS(SQUARE_224, "true", "3", "[0.485, 0.456, 0.406]", "[0.229, 0.224, 0.225]", "false",
                 SQUARE_224, NULL)},
    {"ConvNext",
     KEYS("{\"shortest_edge\": 384}", "false", "3", HALF, HALF, "false", SQUARE_224, "0.875")},
    {"Donut",
     KEYS("{\"height\": 2560, \"width\": 1920}", "true", "2", HALF, HALF, "false", SQUARE_224,
          NULL),
     keys_of_pages},
    {"Detr",
     KEYS("{\"shortest_edge\": 800, \"longest_edge\": 1333}", "false", "2", "[0.485, 0.456, 0.406]",
          "[0.229, 0.224, 0.225]", "false", SQUARE_224, NULL),
     keys_of_boxes},
    {"Yolos",
     KEYS("{\"shortest_edge\": 800, \"longest_edge\": 1333}", "false", "2", "[0.485, 0.456, 0.406]",
          "[0.229, 0.224, 0.225]", "false", SQUARE_224, NULL),
     keys_of_boxes_in_patches},
    {"RTDetr",
     KEYS("{\"height\": 640, \"width\": 640}", "true", "2", "[0, 0, 0]", "[1, 1, 1]", "false",
          SQUARE_224, NULL),
     keys_of_plain_boxes},
    {"OwlViT",
     KEYS("{\"height\": 768, \"width\": 768}", "true", "3", CLIP_MEAN, CLIP_DEVIATION, "false",
          "{\"height\": 768, \"width\": 768}", NULL),
     keys_of_owlvit},
    {"Owlv2",
     KEYS("{\"height\": 960, \"width\": 960}", "true", "2", CLIP_MEAN, CLIP_DEVIATION, "false",
          NULL, NULL),
     keys_of_owlv2},
    {"Qwen2VL",
     KEYS("{\"shortest_edge\": 3136, \"longest_edge\": 1003520}", "false", "3", CLIP_MEAN,
          CLIP_DEVIATION, "false", SQUARE_224, NULL),
     keys_of_pixels},
    {"LlavaNext",
     KEYS("{\"shortest_edge\": 224}", "false", "3", CLIP_MEAN, CLIP_DEVIATION, "true", SQUARE_224,
          NULL),
     keys_of_few_sizes},
    {"LlavaOnevision",
     KEYS("{\"height\": 384, \"width\": 384}", "false", "3", CLIP_MEAN, CLIP_DEVIATION, "false",
          NULL, NULL),
     keys_of_sizes},
    {"GotOcr2",
     KEYS("{\"height\": 384, \"width\": 384}", "true", "3", CLIP_MEAN, CLIP_DEVIATION, "false",
          NULL, NULL),
     keys_of_nearest_tiles},
    {"Pixtral",
     KEYS("{\"longest_edge\": 1024}", "true", "3", CLIP_MEAN, CLIP_DEVIATION, "false", SQUARE_224,
          NULL),
     keys_of_own_size},
    {"Idefics2",
     KEYS("{\"shortest_edge\": 378, \"longest_edge\": 980}", "false", "2", HALF, HALF, "false",
          SQUARE_224, NULL),
     keys_of_quarters},
    TILES("Idefics3"),
    TILES("SmolVLM"),
};
enum { PROCESSORS = sizeof processors / sizeof *processors };

/* Also "ViTFeatureExtractor", as in files of 2021, and "ViTImageProcessorFast". */
static const struct processor *find_processor(const char *class_name)
{
    static const char *const endings[] = {"ImageProcessor", "ImageProcessorFast",
                                          "ImageProcessorPil", "FeatureExtractor"};
    for (size_t i = 0; i < PROCESSORS; i++) {
        size_t length = strlen(processors[i].name);
        if (strncmp(class_name, processors[i].name, length) != 0)
            continue;
        for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
            if (strcmp(class_name + length, endings[k]) == 0)
                return &processors[i];
    }
    return NULL;
}

static const struct processor *read_class(sac_config *c, const char *guess)
{
    char all[200] = "";
    const char *key = sac_config_has(c, "image_processor_type") ? "image_processor_type"
                                                                : "feature_extractor_type";
    const char *name = sac_config_text(c, key);
    const struct processor *found = find_processor(name[0] ? name : guess);
    for (size_t i = 0; i < PROCESSORS; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "",
                 processors[i].name);
    if (!found)
        sac_config_refuse(c, key, "\"%.60s\" is not supported; there are those of %s", name, all);
    return found;
}

/* ---------------------------------------------------------------- sizes */

typedef struct picture_size {
    int width, height, shortest, longest, most_wide, most_high; /* 0: not given */
} picture_size;

/* 224, [224, 224] (height first), {"height": 224, "width": 224}, {"shortest_edge": 224}, also with
 * a longest_edge, {"longest_edge": 1024}, or {"max_height": 224, "max_width": 224}. A number is both sides, or the shorter
 * one where the class has no `square` pictures. */
static picture_size read_size(sac_config *c, const char *name, bool square)
{
    picture_size size = {0};
    sac_config inside = sac_config_inside(c, name);
    int sides[2];
    if (!cJSON_IsObject(inside.json)) {
        int count = sac_config_sizes(c, name, 1, SIDE_MOST, sides, 2);
        if (count == 0)
            return size;
        if (count == 2 || square)
            size = (picture_size){.width = sides[count - 1], .height = sides[0]};
        else
            size.shortest = sides[0];
        return size;
    }
    if (sac_config_has(&inside, "shortest_edge")) {
        size.shortest = sac_config_size(&inside, "shortest_edge", 1, SIDE_MOST);
        size.longest = sac_config_size_or(&inside, "longest_edge", 1, SIDE_MOST, 0);
    } else if (sac_config_has(&inside, "longest_edge")) {
        size.longest = sac_config_size(&inside, "longest_edge", 1, SIDE_MOST);
    } else if (sac_config_has(&inside, "max_height")) {
        size.most_high = sac_config_size(&inside, "max_height", 1, SIDE_MOST);
        size.most_wide = sac_config_size(&inside, "max_width", 1, SIDE_MOST);
    } else {
        size.width = sac_config_size(&inside, "width", 1, SIDE_MOST);
        size.height = sac_config_size(&inside, "height", 1, SIDE_MOST);
    }
    if (c->status == SAC_OK)
        c->status = sac_error_within(c->error, inside.status, name);
    return size;
}

/* ConvNeXt's: a small picture is cut out of one that is larger by 1 / crop_pct, a large one is
 * brought to a square. */
static void read_crop_share(sac_config *c, sac_picture_rules *rules)
{
    int side = rules->shortest;
    float part = sac_config_number_or(c, "crop_pct", 0);
    if (!(part > 0 && part <= 1) || !side)
        sac_config_refuse(c, "crop_pct", "is no part of a picture, with a shortest_edge of %d",
                          side);
    else if (rules->resizes && side < 384) {
        rules->shortest = (int)(side / (double)part);
        rules->crops = true;
        rules->crop_width = rules->crop_height = side;
    } else if (rules->resizes) {
        rules->width = rules->height = side;
        rules->shortest = 0;
    }
}

/* ---------------------------------------------------------------- reading */

/* Idefics 3's: the longer side is brought to one length, and then both to whole tiles, or where the
 * picture is not cut to one. */
static void read_idefics_tile_rules(sac_config *c, sac_picture_rules *rules)
{
    picture_size tile = read_size(c, "max_image_size", true);
    int side = tile.longest ? tile.longest : tile.width;
    if (!side || (rules->resizes && !rules->longest))
        sac_config_refuse(c, side ? "size" : "max_image_size", "has no longest_edge");
    rules->longer = rules->resizes ? rules->longest : 0;
    rules->longest = 0;
    rules->resizes = true;
    rules->width = rules->height = side;
    rules->is_tiled = sac_config_flag_or(c, "do_image_splitting", true);
}

/* InternVL's. */
static void read_tile_counts(sac_config *c, sac_picture_rules *rules)
{
    rules->least_tiles = sac_config_size(c, "min_patches", 1, SAC_PICTURE_TILES - 1);
    rules->most_tiles = sac_config_size(c, "max_patches", 1, SAC_PICTURE_TILES - 1);
    if (rules->most_tiles < rules->least_tiles)
        sac_config_refuse(c, "max_patches", "%d is less than min_patches, %d", rules->most_tiles,
                          rules->least_tiles);
    if (!rules->width || !rules->height)
        sac_config_refuse(c, "size", "is no height and width");
    rules->is_tiled = true;
}

/* LLaVA-NeXT's and LLaVA-OneVision's: sizes of whole tiles. Of a tile all is seen. */
static void read_tile_sizes(sac_config *c, sac_picture_rules *rules)
{
    static const char name[] = "image_grid_pinpoints";
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(c->json, name), *one;
    int side = rules->shortest ? rules->shortest : rules->width;
    if (side < 1 || (rules->shortest == 0 && rules->width != rules->height)) {
        sac_config_refuse(c, "size", "%d x %d is no square", rules->width, rules->height);
        return;
    }
    if (rules->crops && (rules->crop_width != side || rules->crop_height != side))
        sac_config_refuse(c, "crop_size", "%d x %d is not the size of tiles, %d", rules->crop_width,
                          rules->crop_height, side);
    rules->crops = false;
    rules->shortest = 0;
    rules->width = rules->height = side;
    rules->resizes = true;
    rules->sizes = 0;
    cJSON_ArrayForEach(one, all)
    {
        const cJSON *height = cJSON_GetArrayItem(one, 0), *width = cJSON_GetArrayItem(one, 1);
        bool fits =
            cJSON_IsNumber(height) && cJSON_IsNumber(width) && rules->sizes < SAC_PICTURE_SIZES;
        int w = fits ? width->valueint : 0, h = fits ? height->valueint : 0;
        if (w < side || h < side || w > SIDES_MOST || h > SIDES_MOST || w % side || h % side) {
            sac_config_refuse(c, name, "is no list of up to %d sizes of whole tiles of %d pixels",
                              SAC_PICTURE_SIZES, side);
            return;
        }
        rules->size[rules->sizes++] = (sac_picture_size){w, h};
    }
    if (!rules->sizes)
        sac_config_refuse(c, name, "has no sizes");
}

/* Donut's. A list has the width first. */
static void read_page_size(sac_config *c, sac_picture_rules *rules)
{
    bool is_list = cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(c->json, "size"));
    rules->page_width = is_list ? rules->height : rules->width;
    rules->page_height = is_list ? rules->width : rules->height;
    if (!rules->page_width || !rules->page_height)
        sac_config_refuse(c, "size", "is no height and width");
    rules->width = rules->height = 0;
    rules->shortest =
        rules->page_width < rules->page_height ? rules->page_width : rules->page_height;
    rules->aligns = sac_config_flag_or(c, "do_align_long_axis", false);
    rules->shrinks = sac_config_flag_or(c, "do_thumbnail", true);
    rules->fills = sac_config_flag_or(c, "do_pad", true);
    if (rules->fills && !rules->shrinks)
        sac_config_refuse(c, "do_thumbnail",
                          "is false, and do_pad true, for which the picture is to fit");
}

/* Qwen2-VL's: what others call edges are numbers of pixels; also under names of their own. */
static void read_pixel_limits(sac_config *c, sac_picture_rules *rules)
{
    enum { PIXELS_MOST = 1 << 30 };
    static const char *const names[][2] = {{"min_pixels", "shortest_edge"},
                                           {"max_pixels", "longest_edge"}};
    int patch = sac_config_size(c, "patch_size", 1, 256), found[2];
    sac_config size = sac_config_inside(c, "size");
    for (int i = 0; i < 2; i++) {
        bool is_named = sac_config_has(&size, names[i][1]);
        found[i] = sac_config_size_or(&size, names[i][!is_named ? 0 : 1], 1, PIXELS_MOST, 0);
        found[i] = sac_config_size_or(c, names[i][0], 1, PIXELS_MOST, found[i]);
    }
    if (c->status == SAC_OK)
        c->status = sac_error_within(c->error, size.status, "size");
    if (found[0] < 1 || found[1] < found[0])
        sac_config_refuse(c, "size", "leaves no pixels, from %d to %d", found[0], found[1]);
    rules->patch = patch * sac_config_size(c, "merge_size", 1, 16);
    rules->least_pixels = found[0];
    rules->most_pixels = found[1];
    if (rules->most_pixels / (patch * patch) <= SAC_PICTURE_PATCHES)
        return;
    rules->most_pixels = SAC_PICTURE_PATCHES * patch * patch;
    snprintf(rules->assumed, sizeof rules->assumed,
             "pictures are seen in up to %.1f million pixels, of %.1f that the folder allows",
             rules->most_pixels / 1e6, found[1] / 1e6);
}

/* Gemma 4's, whose pixels are brought from between 0 and 1 to between −1 and 1 by what sees. */
static void read_square_limits(sac_config *c, sac_picture_rules *rules)
{
    static const int known[] = {70, 140, 280, 560, 1120};
    const int most = sac_config_size(c, "max_soft_tokens", 1, SIDE_MOST);
    bool is_known = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        is_known = is_known || most == known[i];
    if (!is_known)
        sac_config_refuse(c, "max_soft_tokens", "%d is none of 70, 140, 280, 560 and 1120", most);
    rules->most_squares = most;
    rules->patch =
        sac_config_size(c, "patch_size", 1, 256) * sac_config_size(c, "pooling_kernel_size", 1, 16);
    for (int i = 0; i < 3; i++) {
        rules->mean[i] += rules->deviation[i] / 2;
        rules->deviation[i] /= 2;
    }
}

/* Of a class whose defaults are in `c` by now. */
static void read_rules(sac_config *c, sac_picture_rules *rules)
{
    bool square = sac_config_flag_or(c, "default_to_square", true);
    picture_size size = {0}, crop = read_size(c, "crop_size", true);
    if (sac_config_has(c, "max_num_patches")) {
        rules->most_patches = sac_config_size(c, "max_num_patches", 1, SIDE_MOST);
        rules->patch = sac_config_size(c, "patch_size", 1, SIDE_MOST);
    } else if (sac_config_has(c, "max_soft_tokens"))
        size = (picture_size){0};
    else if (sac_config_has(c, "merge_size"))
        read_pixel_limits(c, rules);
    else
        size = read_size(c, "size", square);
    rules->resizes = sac_config_flag_or(c, "do_resize", true);
    rules->crops = sac_config_flag_or(c, "do_center_crop", false);
    rules->width = size.width;
    rules->height = size.height;
    rules->shortest = size.shortest;
    rules->longest = size.longest;
    if (size.shortest && !size.longest) /* of files before 2023 it is next to the size */
        rules->longest = sac_config_size_or(c, "max_size", 1, SIDE_MOST, 0);
    rules->most_wide = size.most_wide;
    rules->most_high = size.most_high;
    rules->crop_width = crop.shortest ? crop.shortest : crop.width;
    rules->crop_height = crop.shortest ? crop.shortest : crop.height;
    rules->resampling = (sac_resampling)sac_config_size_or(c, "resample", 0, SAC_RESAMPLINGS - 1,
                                                           SAC_RESAMPLE_BILINEAR);
    if (sac_config_has(c, "crop_pct"))
        read_crop_share(c, rules);
    if (sac_config_has(c, "max_image_size"))
        read_idefics_tile_rules(c, rules);
    else if (sac_config_has(c, "do_image_splitting")) {
        rules->bounds = rules->shortest && rules->longest;
        rules->quarters = sac_config_flag_or(c, "do_image_splitting", false);
    }
    if (sac_config_has(c, "patch_size") && rules->longest && !rules->shortest)
        rules->patch = read_size(c, "patch_size", true).width;
    if (sac_config_has(c, "min_patches"))
        read_tile_counts(c, rules);
    if (sac_config_has(c, "image_grid_pinpoints"))
        read_tile_sizes(c, rules);
    if (sac_config_has(c, "do_thumbnail"))
        read_page_size(c, rules);
    if (sac_config_has(c, "ensure_multiple_of")) {
        rules->multiple = sac_config_size(c, "ensure_multiple_of", 1, SIDE_MOST);
        rules->keeps_aspect = sac_config_flag_or(c, "keep_aspect_ratio", false);
    }
    rules->smooths = sac_config_flag_or(c, "anti_aliasing", false);
    rules->squares = rules->smooths && sac_config_flag_or(c, "do_pad", true);
    if (sac_config_has(c, "mod_size"))
        rules->multiple = sac_config_size(c, "mod_size", 1, SIDE_MOST);
    bool scales = sac_config_flag_or(c, "do_rescale", true);
    rules->factor = scales ? sac_config_number_or(c, "rescale_factor", 1.0f / 255) : 1;
    for (int i = 0; i < 3; i++) {
        rules->mean[i] = 0;
        rules->deviation[i] = 1;
    }
    if (sac_config_flag_or(c, "do_normalize", true)) {
        sac_config_numbers(c, "image_mean", rules->mean, 3);
        sac_config_numbers(c, "image_std", rules->deviation, 3);
    }
    for (int i = 0; i < 3; i++)
        if (!(rules->deviation[i] > 0))
            sac_config_refuse(c, "image_std", "has a number that is not above 0");
    if (sac_config_has(c, "max_soft_tokens"))
        read_square_limits(c, rules);
}

/* No size is given: it is the model's own, with the class's crop share. */
static void assume_model_size(const sac_picture_guess *guess, sac_picture_rules *r)
{
    static const char *const names[SAC_RESAMPLINGS] = {"nearest", "Lanczos", "bilinear",
                                                       "bicubic", "box",     "Hamming"};
    if (r->most_patches) {
        snprintf(r->assumed, sizeof r->assumed,
                 "without preprocessor_config.json pictures are taken as %s does: up to %d patches "
                 "of %d pixels",
                 guess->processor, r->most_patches, r->patch);
        return;
    }
    if (r->most_squares) {
        snprintf(r->assumed, sizeof r->assumed,
                 "without preprocessor_config.json pictures are taken as %s does: up to %d squares "
                 "of %d pixels",
                 guess->processor, r->most_squares, r->patch);
        return;
    }
    if (r->page_width) {
        r->page_width = guess->width ? guess->width : r->page_width;
        r->page_height = guess->width ? guess->height : r->page_height;
        r->shortest = r->page_width < r->page_height ? r->page_width : r->page_height;
        snprintf(r->assumed, sizeof r->assumed,
                 "without preprocessor_config.json pictures are taken as %s does, on pages of %d x "
                 "%d pixels",
                 guess->processor, r->page_width, r->page_height);
        return;
    }
    if ((!guess->width || r->bounds) && r->shortest && !r->crops) {
        snprintf(r->assumed, sizeof r->assumed,
                 "without preprocessor_config.json pictures are taken as %s does: the shorter side "
                 "has %d pixels, the longer one up to %d",
                 guess->processor, r->shortest, r->longest);
        return;
    }
    if (r->longest && r->patch) {
        snprintf(r->assumed, sizeof r->assumed,
                 "without preprocessor_config.json pictures are taken as %s does: in their own "
                 "size, up to "
                 "%d pixels a side, in squares of %d x %d",
                 guess->processor, r->longest, r->patch, r->patch);
        return;
    }
    if (r->most_pixels) {
        snprintf(
            r->assumed, sizeof r->assumed,
            "without preprocessor_config.json pictures are taken as %s does: %d to %d pixels in "
            "squares of %d x %d",
            guess->processor, r->least_pixels, r->most_pixels, r->patch, r->patch);
        return;
    }
    if (guess->width) {
        int shorter = guess->width < guess->height ? guess->width : guess->height;
        double around = !r->crops     ? 1
                        : r->shortest ? (double)r->shortest / r->crop_width
                                      : (double)r->width / r->crop_width;
        r->crop_width = guess->width;
        r->crop_height = guess->height;
        r->width = r->shortest ? 0 : (int)lround(around * guess->width);
        r->height = r->shortest ? 0 : (int)lround(around * guess->height);
        r->shortest = r->shortest ? (int)lround(around * shorter) : 0;
    }
    snprintf(r->assumed, sizeof r->assumed,
             "without preprocessor_config.json pictures are taken as %s does: %d x %d pixels, %s, "
             "mean %.3g %.3g %.3g, deviation %.3g %.3g %.3g",
             guess->processor, r->crops || !r->width ? r->crop_width : r->width,
             r->crops || !r->width ? r->crop_height : r->height, names[r->resampling],
             (double)r->mean[0], (double)r->mean[1], (double)r->mean[2], (double)r->deviation[0],
             (double)r->deviation[1], (double)r->deviation[2]);
}

/* The file's object, or the object `inside` of it; NULL where there is none. */
static sac_status load(const char *path, const char *inside, cJSON **json, sac_error *error)
{
    cJSON *all = NULL;
    sac_status status = sac_is_regular(path) ? sac_json_load_config(path, &all, error) : SAC_OK;
    *json = inside ? cJSON_DetachItemFromObjectCaseSensitive(all, inside) : all;
    if (inside)
        cJSON_Delete(all);
    if (*json && !cJSON_IsObject(*json)) {
        cJSON_Delete(*json);
        *json = NULL;
    }
    return status;
}

sac_status sac_picture_rules_read(const char *folder, const sac_picture_guess *guess,
                                  sac_picture_rules *rules, sac_error *error)
{
    char path[4096];
    cJSON *json = NULL;
    *rules = (sac_picture_rules){0};
    snprintf(path, sizeof path, "%s/processor_config.json", folder);
    if (guess->file && !(json = cJSON_Duplicate(guess->file, true)))
        return sac_no_memory(error, path);
    sac_status status = json ? SAC_OK : load(path, "image_processor", &json, error);
    if (status == SAC_OK && !json) {
        snprintf(path, sizeof path, "%s/preprocessor_config.json", folder);
        status = load(path, NULL, &json, error);
    }
    if (status != SAC_OK)
        return status;
    bool is_mentioned = json != NULL;
    if (!json && !(json = cJSON_CreateObject()))
        return sac_no_memory(error, path);
    sac_config config = sac_config_of(json, path, error);
    const struct processor *processor = read_class(&config, guess->processor);
    sac_config_drop_nulls(&config); /* image processors put their class's value there */
    if (processor) {
        sac_config_apply_keys(&config, processor->keys);
        sac_config_apply_keys(&config, processor->more ? processor->more : keys_of_one_size);
    }
    if (config.status == SAC_OK)
        read_rules(&config, rules);
    if (rules->longest && rules->patch && guess->patch)
        rules->patch = guess->patch;
    if (config.status == SAC_OK && !is_mentioned)
        assume_model_size(guess, rules);
    cJSON_Delete(json);
    return sac_config_status(&config);
}

/* ---------------------------------------------------------------- applying */

/* As transformers rounds them: the other side is the whole part of what the aspect gives. */
static void fit_shortest(const sac_picture_rules *r, int from_width, int from_height, int *width,
                         int *height)
{
    int shorter = from_width < from_height ? from_width : from_height;
    int longer = from_width < from_height ? from_height : from_width;
    int side = r->shortest;
    double exact = side;
    if (r->longest && (double)longer / shorter * side > r->longest) {
        exact = (double)r->longest * shorter / longer;
        side = (int)lrint(exact);
    }
    int other =
        (int)((side == r->shortest ? (double)((int64_t)side * longer) : exact * longer) / shorter);
    bool upright = from_width < from_height;
    *width = upright ? side : other;
    *height = upright ? other : side;
    if (r->multiple) {
        *width -= *width % r->multiple;
        *height -= *height % r->multiple;
    }
}

/* Whole patches, at least one. */
static int patched_side(const sac_picture_rules *r, double scale, int side)
{
    double patches = ceil(side * scale / r->patch);
    return (patches > 1 ? (int)patches : 1) * r->patch;
}

/* So many of them are needed for a side. */
static int whole_tiles(int side, int tile)
{
    return (side + tile - 1) / tile;
}

/* The largest scale, found as transformers finds it, to the same last digit. */
static void fit_patches(const sac_picture_rules *r, int from_width, int from_height, int *width,
                        int *height)
{
    const double close = 1e-5;
    double low = close / 10, high = 100;
    while (high - low >= close) {
        double scale = (low + high) / 2;
        double across = patched_side(r, scale, from_width) / r->patch;
        double down = patched_side(r, scale, from_height) / r->patch;
        *(across * down <= r->most_patches ? &low : &high) = scale;
    }
    *width = patched_side(r, low, from_width);
    *height = patched_side(r, low, from_height);
}

/* As transformers rounds them: to the nearest whole patches, and where that is too many or too few
 * pixels to fewer, or more. */
static void fit_pixels(const sac_picture_rules *r, int from_width, int from_height, int *width,
                       int *height)
{
    double patch = r->patch, pixels = (double)from_width * from_height;
    double across = rint(from_width / patch), down = rint(from_height / patch);
    double all = across * down * patch * patch;
    if (all > r->most_pixels) {
        double by = sqrt(pixels / r->most_pixels);
        across = fmax(1, floor(from_width / by / patch));
        down = fmax(1, floor(from_height / by / patch));
    } else if (all < r->least_pixels) {
        double by = sqrt(r->least_pixels / pixels);
        across = ceil(from_width * by / patch);
        down = ceil(from_height * by / patch);
    }
    *width = (int)across * r->patch;
    *height = (int)down * r->patch;
}

/* Gemma 4's, as transformers rounds them: of a picture that is so long that a side has no square, one. */
static void fit_squares(const sac_picture_rules *r, int from_width, int from_height, int *width,
                        int *height)
{
    const double side = r->patch, most = (double)r->most_squares * side * side;
    const double by = sqrt(most / ((double)from_width * from_height));
    int across = (int)floor(by * from_width / side), down = (int)floor(by * from_height / side);
    if (!down) {
        const int form = from_width / from_height;
        down = 1;
        across = form < r->most_squares ? form : r->most_squares;
    } else if (!across) {
        const int form = from_height / from_width;
        across = 1;
        down = form < r->most_squares ? form : r->most_squares;
    }
    *width = across * r->patch;
    *height = down * r->patch;
}

/* Pixtral's: not made larger, and then filled up to whole patches. */
static void fit_longest(const sac_picture_rules *r, int from_width, int from_height, int *width,
                        int *height)
{
    const double by =
        fmax(1, fmax((double)from_height / r->longest, (double)from_width / r->longest));
    *width = whole_tiles((int)floor(from_width / by), r->patch) * r->patch;
    *height = whole_tiles((int)floor(from_height / by), r->patch) * r->patch;
}

/* Idefics 2's, as transformers rounds them. */
static void fit_bounds(const sac_picture_rules *r, int from_width, int from_height, int *width,
                       int *height)
{
    const double aspect = (double)from_width / from_height;
    *width = from_width;
    *height = from_height;
    if (from_width >= from_height && from_width > r->longest) {
        *width = r->longest;
        *height = (int)(r->longest / aspect);
    } else if (from_height > from_width && from_height > r->longest) {
        *height = r->longest;
        *width = (int)(r->longest * aspect);
    }
    *width = *width > r->shortest ? *width : r->shortest;
    *height = *height > r->shortest ? *height : r->shortest;
}

/* DPT's: in the own aspect by the side that is scaled least; then both to the nearest multiples. */
static void fit_multiples(const sac_picture_rules *r, int from_width, int from_height, int *width,
                          int *height)
{
    double across = (double)r->width / from_width, down = (double)r->height / from_height;
    if (r->keeps_aspect && fabs(1 - across) < fabs(1 - down))
        down = across;
    else if (r->keeps_aspect)
        across = down;
    *width = (int)rint(across * from_width / r->multiple) * r->multiple;
    *height = (int)rint(down * from_height / r->multiple) * r->multiple;
}

static void compute_resized_sides(const sac_picture_rules *r, int from_width, int from_height,
                                  int *width, int *height)
{
    *width = r->resizes ? r->width : from_width;
    *height = r->resizes ? r->height : from_height;
    if (r->resizes && r->bounds)
        fit_bounds(r, from_width, from_height, width, height);
    else if (r->resizes && r->shortest)
        fit_shortest(r, from_width, from_height, width, height);
    else if (r->resizes && r->most_patches)
        fit_patches(r, from_width, from_height, width, height);
    else if (r->resizes && r->most_squares)
        fit_squares(r, from_width, from_height, width, height);
    else if (r->resizes && r->longest && r->patch)
        fit_longest(r, from_width, from_height, width, height);
    else if (r->resizes && r->most_pixels)
        fit_pixels(r, from_width, from_height, width, height);
    else if (r->resizes && r->multiple)
        fit_multiples(r, from_width, from_height, width, height);
    else if (r->resizes && r->most_wide) {
        double scale = fmin((double)r->most_wide / from_width, (double)r->most_high / from_height);
        *width = (int)(from_width * scale);
        *height = (int)(from_height * scale);
    }
    *width = *width > 0 ? *width : 1;
    *height = *height > 0 ? *height : 1;
}

static bool is_turned(const sac_picture_rules *r, int from_width, int from_height)
{
    return r->aligns && (r->page_width < r->page_height
                             ? from_width > from_height
                             : r->page_width > r->page_height && from_width < from_height);
}

/* As transformers rounds them. */
static void shrink(const sac_picture_rules *r, int *width, int *height)
{
    int wide = *width < r->page_width ? *width : r->page_width;
    int high = *height < r->page_height ? *height : r->page_height;
    if (!r->shrinks || (wide == *width && high == *height))
        return;
    if (*height > *width)
        wide = (int)((int64_t)*width * high / *height);
    else if (*width > *height)
        high = (int)((int64_t)*height * wide / *width);
    *width = wide > 0 ? wide : 1;
    *height = high > 0 ? high : 1;
}

void sac_picture_rules_sides(const sac_picture_rules *r, int from_width, int from_height,
                             int *width, int *height)
{
    bool turned = is_turned(r, from_width, from_height);
    compute_resized_sides(r, turned ? from_height : from_width, turned ? from_width : from_height,
                          width, height);
    if (r->page_width)
        shrink(r, width, height);
    if (r->fills) {
        *width = r->page_width;
        *height = r->page_height;
    }
    *width = r->crops ? r->crop_width : *width;
    *height = r->crops ? r->crop_height : *height;
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

/* A quarter, as the hands of a clock turn. */
static sac_status rotate_quarter(const sac_image *from, sac_image *to, sac_error *error)
{
    sac_status status = sac_image_create(from->height, from->width, to, error);
    for (int y = 0; status == SAC_OK && y < to->height; y++)
        for (int x = 0; x < to->width; x++)
            memcpy(to->rgba + 4 * ((size_t)y * (size_t)to->width + (size_t)x),
                   from->rgba +
                       4 * ((size_t)(from->height - 1 - x) * (size_t)from->width + (size_t)y),
                   4);
    return status;
}

static sac_status put_on_page(const sac_picture_rules *r, const sac_image *from, sac_image *to,
                              sac_error *error)
{
    sac_image turned = {0}, resized = {0}, smaller = {0};
    int width, height;
    sac_status status =
        is_turned(r, from->width, from->height) ? rotate_quarter(from, &turned, error) : SAC_OK;
    const sac_image *image = turned.rgba ? &turned : from;
    compute_resized_sides(r, image->width, image->height, &width, &height);
    if (status == SAC_OK)
        status = sac_resample(image, width, height, r->resampling, &resized, error);
    shrink(r, &width, &height);
    if (status == SAC_OK)
        status = sac_resample(&resized, width, height, r->resampling, &smaller, error);
    if (status == SAC_OK && r->fills) {
        status = sac_image_create(r->page_width, r->page_height, to, error);
        int left = (r->page_width - width) / 2, above = (r->page_height - height) / 2;
        for (int i = 0; status == SAC_OK && i < to->width * to->height; i++)
            to->rgba[4 * (size_t)i + 3] = 255;
        for (int y = 0; status == SAC_OK && y < height; y++)
            memcpy(to->rgba + 4 * ((size_t)(above + y) * (size_t)to->width + (size_t)left),
                   smaller.rgba + 4 * (size_t)y * (size_t)width, 4 * (size_t)width);
    } else if (status == SAC_OK) {
        *to = smaller;
        smaller = (sac_image){0};
    }
    sac_image_free(&turned);
    sac_image_free(&resized);
    sac_image_free(&smaller);
    return status;
}

sac_status sac_picture_rules_square(const sac_image *from, sac_image *square, sac_error *error)
{
    const int side = from->width > from->height ? from->width : from->height;
    sac_status status = sac_image_create(side, side, square, error);
    for (size_t i = 0; status == SAC_OK && i < (size_t)side * (size_t)side; i++)
        square->rgba[4 * i + 3] = 255;
    for (int y = 0; status == SAC_OK && y < from->height; y++)
        memcpy(square->rgba + 4 * (size_t)y * (size_t)side,
               from->rgba + 4 * (size_t)y * (size_t)from->width, 4 * (size_t)from->width);
    return status;
}

sac_status sac_picture_rules_apply(const sac_picture_rules *rules, const sac_image *from,
                                   sac_image *to, sac_error *error)
{
    sac_image whole;
    int width, height;
    *to = (sac_image){0};
    if (rules->page_width)
        return put_on_page(rules, from, to, error);
    compute_resized_sides(rules, from->width, from->height, &width, &height);
    sac_status status = rules->smooths
                            ? sac_resample_smooth(from, width, height, &whole, error)
                            : sac_resample(from, width, height, rules->resampling, &whole, error);
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

/* ---------------------------------------------------------------- tiles */

enum { LONGEST_SIDE = 4096 };

/* As transformers does it: the shorter side is made even. */
static sac_status resize_longer_side(const sac_picture_rules *rules, const sac_image *from,
                                     sac_image *to, sac_error *error)
{
    bool wide = from->width >= from->height;
    double aspect = (double)from->width / from->height;
    int longer = rules->longer, shorter = (int)(wide ? longer / aspect : longer * aspect);
    shorter += shorter % 2;
    if (longer > LONGEST_SIDE) {
        aspect = wide ? (double)longer / shorter : (double)shorter / longer;
        longer = LONGEST_SIDE;
        shorter = (int)(wide ? longer / aspect : longer * aspect);
    }
    shorter = shorter > 0 ? shorter : 1;
    return sac_resample(from, wide ? longer : shorter, wide ? shorter : longer, rules->resampling,
                        to, error);
}

/* How many tiles a picture has: the longer side is filled up, and then the shorter one as the
 * aspect requires. */
static void count_tiles(const sac_picture_rules *r, const sac_image *image,
                        sac_picture_tiles *tiles)
{
    double aspect = (double)image->width / image->height;
    if (image->width >= image->height) {
        tiles->across = whole_tiles(image->width, r->width);
        tiles->down = whole_tiles((int)(tiles->across * r->width / aspect), r->height);
    } else {
        tiles->down = whole_tiles(image->height, r->height);
        tiles->across = whole_tiles((int)(tiles->down * r->height * aspect), r->width);
    }
}

/* The nearest to its form, and of those as near the one with more tiles, as long as the picture has pixels for over half of
 * them; as transformers goes through them. */
static void choose_tiles(const sac_picture_rules *r, const sac_image *image,
                         sac_picture_tiles *tiles)
{
    const double aspect = (double)image->width / image->height;
    const double area = (double)image->width * image->height, tile = (double)r->width * r->height;
    double nearest = INFINITY;
    tiles->across = tiles->down = 1;
    for (int count = r->least_tiles; count <= r->most_tiles; count++)
        for (int across = 1; across <= count; across++) {
            const int down = count / across;
            const double from = fabs(aspect - (double)across / down);
            if (count % across || from > nearest || (from == nearest && area <= 0.5 * tile * count))
                continue;
            nearest = from;
            tiles->across = across;
            tiles->down = down;
        }
}

/* Of tiles that overlap: as many as the picture has pixels for, or as many as there may be in its form, as Moondream's code
 * chooses them. */
static void choose_overlapping_tiles(const sac_picture_rules *r, const sac_image *image,
                                     sac_picture_tiles *tiles)
{
    const int step = r->width - 2 * r->margin, most = r->most_tiles;
    const int wide = image->width - 2 * r->margin, high = image->height - 2 * r->margin;
    int across = 1, down = 1;
    if (wide > step && high > step) {
        across = whole_tiles(wide, step);
        down = whole_tiles(high, step);
        if ((int64_t)across * down > most) {
            const double share = sqrt(most / ((double)across * down));
            across = (int)(across * share);
            down = (int)(down * share);
        } else {
            across = (int)fmax(sqrt((double)most * wide / high), across);
            down = (int)fmax(sqrt((double)most * high / wide), down);
            if (across * down > most && across > down)
                across = most / down;
            else if (across * down > most)
                down = most / across;
        }
    }
    tiles->across = across > 1 ? across : 1;
    tiles->down = down > 1 ? down : 1;
}

static sac_status cut_tile(const sac_image *whole, int left, int above, int width, int height,
                           sac_image *tile, sac_error *error)
{
    sac_status status = sac_image_create(width, height, tile, error);
    for (int y = 0; status == SAC_OK && y < height; y++)
        memcpy(tile->rgba + 4 * (size_t)y * (size_t)width,
               whole->rgba + 4 * ((size_t)(above + y) * (size_t)whole->width + (size_t)left),
               4 * (size_t)width);
    return status;
}

/* Of a picture with the sides of whole tiles; the last of all is all of it, of `all`. */
static sac_status cut_tiles(const sac_picture_rules *r, const sac_image *whole,
                            const sac_image *all, sac_picture_tiles *tiles, sac_error *error)
{
    const int step_x = r->width - 2 * r->margin, step_y = r->height - 2 * r->margin;
    sac_status status = SAC_OK;
    for (int i = 0; i < tiles->count - 1 && status == SAC_OK; i++)
        status = cut_tile(whole, i % tiles->across * step_x, i / tiles->across * step_y, r->width,
                          r->height, &tiles->image[i], error);
    return status == SAC_OK ? sac_resample(all, r->width, r->height, r->resampling,
                                           &tiles->image[tiles->count - 1], error)
                            : status;
}

/* As transformers chooses it: what has most of the picture's own pixels, and of those the least. */
static const sac_picture_size *best_size(const sac_picture_rules *r, const sac_image *image)
{
    const double own = (double)image->width * image->height;
    const sac_picture_size *best = NULL;
    double most = 0, least_lost = INFINITY;
    for (int i = 0; i < r->sizes; i++) {
        const sac_picture_size *size = &r->size[i];
        double scale =
            fmin((double)size->width / image->width, (double)size->height / image->height);
        double seen = fmin(floor(image->width * scale) * floor(image->height * scale), own);
        double lost = (double)size->width * size->height - seen;
        if (!best || seen > most || (seen == most && lost < least_lost)) {
            best = size;
            most = seen;
            least_lost = lost;
        }
    }
    return best;
}

/* The picture as large as fits into the size, in its middle; black around it. */
static sac_status fit_centered_in_size(const sac_picture_rules *r, const sac_image *image,
                                       const sac_picture_size *size, sac_image *filled,
                                       sac_error *error)
{
    sac_image fitted = {0};
    double across = (double)size->width / image->width, down = (double)size->height / image->height;
    int width = across < down ? size->width : (int)fmin(ceil(image->width * down), size->width);
    int height =
        across < down ? (int)fmin(ceil(image->height * across), size->height) : size->height;
    sac_status status = sac_resample(image, width, height, r->resampling, &fitted, error);
    if (status == SAC_OK)
        status = sac_image_create(size->width, size->height, filled, error);
    int left = (size->width - width) / 2, above = (size->height - height) / 2;
    for (int y = 0; status == SAC_OK && y < size->height; y++)
        for (int x = 0; x < size->width; x++) {
            int u = x - left, v = y - above;
            bool inside = u >= 0 && u < width && v >= 0 && v < height;
            memcpy(filled->rgba + 4 * ((size_t)y * (size_t)size->width + (size_t)x),
                   inside ? fitted.rgba + 4 * ((size_t)v * (size_t)width + (size_t)u)
                          : (const uint8_t[]){0, 0, 0, 255},
                   4);
        }
    sac_image_free(&fitted);
    return status;
}

/* Into tiles of the best size, and all of it stretched to one. */
static sac_status split_by_best_size(const sac_picture_rules *rules, const sac_image *image,
                                     sac_picture_tiles *tiles, sac_error *error)
{
    const sac_picture_size *size = best_size(rules, image);
    sac_image filled = {0};
    tiles->across = size->width / rules->width;
    tiles->down = size->height / rules->height;
    if ((int64_t)tiles->across * tiles->down >= SAC_PICTURE_TILES)
        return sac_fail(error, SAC_E_SHAPE, "picture", "give a smaller one",
                        "would be cut into %d x %d tiles; up to %d are seen", tiles->across,
                        tiles->down, SAC_PICTURE_TILES - 1);
    tiles->count = tiles->across * tiles->down + 1;
    tiles->image = calloc((size_t)tiles->count, sizeof *tiles->image);
    if (!tiles->image)
        return sac_no_memory(error, "picture");
    sac_status status = fit_centered_in_size(rules, image, size, &filled, error);
    for (int i = 0; i < tiles->count - 1 && status == SAC_OK; i++)
        status =
            cut_tile(&filled, i % tiles->across * rules->width, i / tiles->across * rules->height,
                     rules->width, rules->height, &tiles->image[i], error);
    if (status == SAC_OK)
        status = sac_resample(image, rules->width, rules->height, rules->resampling,
                              &tiles->image[tiles->count - 1], error);
    sac_image_free(&filled);
    return status;
}

static sac_status split_into_whole_tiles(const sac_picture_rules *rules, const sac_image *image,
                                         sac_picture_tiles *tiles, sac_error *error)
{
    const int around = 2 * rules->margin;
    sac_image whole = {0};
    (rules->margin       ? choose_overlapping_tiles
     : rules->most_tiles ? choose_tiles
                         : count_tiles)(rules, image, tiles);
    if ((int64_t)tiles->across * tiles->down >= SAC_PICTURE_TILES)
        return sac_fail(error, SAC_E_SHAPE, "picture", "give one that is nearer to a square",
                        "would be cut into %d x %d tiles; up to %d are seen", tiles->across,
                        tiles->down, SAC_PICTURE_TILES - 1);
    bool is_one = tiles->across * tiles->down == 1;
    tiles->count = is_one ? 1 : tiles->across * tiles->down + 1;
    tiles->image = calloc((size_t)tiles->count, sizeof *tiles->image);
    if (!tiles->image)
        return sac_no_memory(error, "picture");
    sac_status status = sac_resample(image, tiles->across * (rules->width - around) + around,
                                     tiles->down * (rules->height - around) + around,
                                     rules->resampling, is_one ? &tiles->image[0] : &whole, error);
    if (status == SAC_OK && !is_one)
        status = cut_tiles(rules, &whole, rules->most_tiles ? image : &whole, tiles, error);
    sac_image_free(&whole);
    if (is_one)
        tiles->across = tiles->down = 0;
    return status;
}

static sac_status split_into_quarters(const sac_picture_rules *rules, const sac_image *image,
                                      sac_picture_tiles *tiles, sac_error *error)
{
    const int x[] = {0, image->width / 2, image->width};
    const int y[] = {0, image->height / 2, image->height};
    if (!x[1] || !y[1])
        return sac_fail(error, SAC_E_SHAPE, "picture", "give a larger one",
                        "has no quarters, with %d x %d pixels", image->width, image->height);
    tiles->image = calloc(5, sizeof *tiles->image);
    if (!tiles->image)
        return sac_no_memory(error, "picture");
    tiles->across = tiles->down = 2;
    tiles->count = 5;
    sac_status status = sac_picture_rules_apply(rules, image, &tiles->image[4], error);
    for (int i = 0; i < 4 && status == SAC_OK; i++) {
        const int u = i % 2, v = i / 2;
        sac_image quarter = {0};
        status = cut_tile(image, x[u], y[v], x[u + 1] - x[u], y[v + 1] - y[v], &quarter, error);
        if (status == SAC_OK)
            status = sac_picture_rules_apply(rules, &quarter, &tiles->image[i], error);
        sac_image_free(&quarter);
    }
    return status;
}

sac_status sac_picture_rules_cut(const sac_picture_rules *rules, const sac_image *from,
                                 sac_picture_tiles *tiles, sac_error *error)
{
    sac_image longer = {0};
    *tiles = (sac_picture_tiles){.from = {from->width, from->height}};
    sac_status status = rules->longer ? resize_longer_side(rules, from, &longer, error) : SAC_OK;
    const sac_image *image = longer.rgba ? &longer : from;
    if (status == SAC_OK && rules->sizes)
        status = split_by_best_size(rules, image, tiles, error);
    else if (status == SAC_OK && rules->is_tiled)
        status = split_into_whole_tiles(rules, image, tiles, error);
    else if (status == SAC_OK && rules->quarters)
        status = split_into_quarters(rules, image, tiles, error);
    else if (status == SAC_OK) {
        tiles->image = calloc(1, sizeof *tiles->image);
        tiles->count = tiles->image ? 1 : 0;
        status = tiles->image ? sac_picture_rules_apply(rules, image, tiles->image, error)
                              : sac_no_memory(error, "picture");
    }
    sac_image_free(&longer);
    return status;
}

void sac_picture_tiles_free(sac_picture_tiles *tiles)
{
    for (int i = 0; i < tiles->count; i++)
        sac_image_free(&tiles->image[i]);
    free(tiles->image);
    *tiles = (sac_picture_tiles){0};
}
