/* What a model's image processor does to a picture: another size, the middle cut out, and each
 * colour brought to the range that the model was trained on. */
#ifndef SAC_PRETRAINED_FILES_PICTURE_RULES_H
#define SAC_PRETRAINED_FILES_PICTURE_RULES_H

#include "images/resample.h"

/* A size in pixels. */
typedef struct sac_picture_size {
    int width, height;
} sac_picture_size;
enum { SAC_PICTURE_SIZES = 64 };

typedef struct sac_picture_rules {
    bool resizes, crops;
    int width, height; /* that it is brought to; 0: so that its shorter side is … */
    int multiple; /* both sides of that size, or of one in its own aspect, are multiples (of `shortest` those below);
                     0: … */
    bool keeps_aspect;
    int shortest, longest; /* … shortest, and the longer one at most longest (0: any); 0: … */
    bool
        bounds; /* … or it is made smaller to `longest`, where it is larger, and then each side not smaller than `shortest` */
    int most_wide, most_high; /* … so that it is as large as fits into these; 0: … */
    int most_patches, patch; /* … as large as so many patches of so many pixels a side allow, whole
                                 ones in each direction; 0: … */
    int most_squares; /* … as large as so many squares of `patch` pixels a side allow in its own aspect, whole ones in each direction; 0: … */
    int least_pixels,
        most_pixels; /* … of so many pixels, in whole patches. Of `longest` and `patch` alone: not larger than it
                                      is, nor than `longest`, and filled up to whole patches */
    sac_resampling resampling;
    int crop_width, crop_height;
    int longer; /* before all that its longer side is brought to so many pixels; 0: it is not */
    /* Donut's: before it is resized the picture is turned (`aligns`) where its longer side lies across
     * that of this page, then made smaller until it fits into the page (`shrinks`), and put in its
     * middle, on black (`fills`). */
    int page_width, page_height;
    bool aligns, shrinks, fills;
    bool squares; /* before all it becomes a square, with black at the right or below … */
    bool smooths; /* … and is resized by lines behind a Gaussian filter (sac_resample_smooth) */
    bool is_tiled; /* it is cut into tiles of width × height, and all of it is seen beside them … */
    bool
        quarters; /* its four quarters are encoded besides the whole of it, each resized by itself */
    int least_tiles,
        most_tiles; /* … of so many that their form is nearest to its own; 0: by its size */
    int margin; /* … or up to most_tiles, of which each has so many pixels on every side in common with those beside it */
    /* Or into such tiles of the size among these that loses least of it, in the middle of which it is
     * as large as fits, in its own aspect; 0: not so. */
    int sizes;
    sac_picture_size size[SAC_PICTURE_SIZES];
    float factor, mean[3], deviation[3]; /* (byte · factor − mean) / deviation */
    char assumed[240]; /* what is assumed where the folder has no rules, in a line; "": nothing */
} sac_picture_rules;

enum { SAC_PICTURE_PATCHES = 1 << 14 }; /* of a picture: larger ones would take minutes */

/* What is assumed where a folder lacks it. */
typedef struct sac_picture_guess {
    const char *processor; /* the class of transformers, of a folder whose rules name none */
    int width, height; /* of config.json's image_size, of a folder without rules; 0: the class's */
    int patch;         /* pixels of whole patches, whatever the rules have; 0: theirs */
    const struct cJSON *file; /* in place of the folder's, which has none; NULL: it may have one */
} sac_picture_guess;

/* The rules lie under image_processor in processor_config.json, as transformers 5 writes them, or
 * else in preprocessor_config.json. Those that a file leaves out are its class's. SAC_E_FORMAT
 * where the class, or what is requested, is not known here. */
sac_status sac_picture_rules_read(const char *folder, const sac_picture_guess *guess,
                                  sac_picture_rules *rules, sac_error *error);

/* The sides of a picture that has gone through the rules. */
void sac_picture_rules_sides(const sac_picture_rules *rules, int from_width, int from_height,
                             int *width, int *height);
/* A picture that `squares`. */
sac_status sac_picture_rules_square(const sac_image *from, sac_image *square, sac_error *error);
/* The picture as the model sees it, in bytes, of one that is a square already where it has to be. What a cut takes beyond the picture is black. */
sac_status sac_picture_rules_apply(const sac_picture_rules *rules, const sac_image *from,
                                   sac_image *to, sac_error *error);
/* A picture in the pieces that the model sees, each by itself: tiles, row by row, and after them all
 * of it in the size of one. Of a picture that is not cut: across and down are 0, and there is one. */
typedef struct sac_picture_tiles {
    int across, down, count;
    sac_image *image;      /* [count], owned */
    sac_picture_size from; /* of the picture */
} sac_picture_tiles;
enum { SAC_PICTURE_TILES = 256 };
/* Free them in any case. SAC_E_SHAPE where there would be more than SAC_PICTURE_TILES. */
sac_status sac_picture_rules_cut(const sac_picture_rules *rules, const sac_image *from,
                                 sac_picture_tiles *tiles, sac_error *error);
void sac_picture_tiles_free(sac_picture_tiles *tiles);
/* The model's input for a byte of channel 0 to 2. */
static inline float sac_picture_rules_light(const sac_picture_rules *rules, int channel,
                                            uint8_t byte)
{
    return ((float)byte * rules->factor - rules->mean[channel]) / rules->deviation[channel];
}

#endif
