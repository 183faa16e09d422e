/* A picture cut into a grid of cells, and what each cell looks like in numbers that can be
 * compared: the tokens that the picture view attends over. Plain C, no device. */
#ifndef SAC_SOURCES_FILES_PICTURE_FEATURES_H
#define SAC_SOURCES_FILES_PICTURE_FEATURES_H

#include "images/image.h"

/* A picture in linear light, red, green, blue 0 … 1. Transparent parts show a mid grey. */
typedef struct sac_light_image {
    int width, height;
    float *rgb; /* [height,width,3], owned */
} sac_light_image;

/* The picture averaged down (never up) to at most `longest` pixels on its longer side, in one pass.
 * SAC_E_SHAPE where the image has no pixels. Free with sac_light_image_free. */
sac_status sac_light_image_create(const sac_image *image, int longest, sac_light_image *linear,
                                  sac_error *error);
void sac_light_image_free(sac_light_image *linear);

/* The features that cells are compared by. One unit is a difference that is plain to see (10 ΔE of
 * CIELAB), so that to a Gaussian of width 1 cells are alike that differ by less than that. */
typedef enum sac_feature {
    SAC_LIGHTNESS = 0, /* L* of the mean colour */
    SAC_GREEN_RED,     /* a* and b*, counted more than lightness: */
    SAC_BLUE_YELLOW,   /*   shading changes a thing's lightness before its hue */
    SAC_CONTRAST,      /* how much lightness changes within the cell and around it … */
    SAC_UPRIGHT,       /* … and along which way: edges upright (+) or level (−) … */
    SAC_SLANTED,       /* … rising to the right (+) or to the left (−) */
    SAC_PLACE_X,       /* the cell's centre; the picture's longer side is SAC_PLACE_SPAN … */
    SAC_PLACE_Y,       /* … units long at a position weight of 1 */
    SAC_CONSTANT,      /* 1: lets a linear map add a bias; changes no difference and no ranking */
    SAC_FEATURES
} sac_feature;
extern const char *const sac_feature_names[SAC_FEATURES]; /* "lightness" */
#define SAC_PLACE_SPAN 6.0f

typedef struct sac_cells {
    int grid_w, grid_h;
    float *color; /* [grid_h,grid_w,3] mean in linear light, owned */
    float *look;  /* [grid_h,grid_w,SAC_PLACE_X]: the features that do not depend on place, owned */
} sac_cells;

/* Measures every cell; pictures of fewer pixels than cells are sampled by area like any other. */
sac_status sac_cells_measure(const sac_light_image *linear, int grid_w, int grid_h,
                             sac_cells *cells, sac_error *error);
void sac_cells_free(sac_cells *cells);

/* tokens [grid_h·grid_w, SAC_FEATURES], place weighted by `position`, every feature but the
 * constant centred on its mean over the picture: dot products then distinguish alike from unlike, where
 * otherwise everything would point at what is brightest. */
void sac_cells_tokens(const sac_cells *cells, float position, float *tokens);

/* 0 … 1, clamped. */
float sac_light_to_srgb(float linear);

#endif
