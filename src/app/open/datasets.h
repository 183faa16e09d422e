/* The dataset that a captioner is asked about, where a person has not named one. */
#ifndef SAC_APP_DATASETS_H
#define SAC_APP_DATASETS_H

#include "datasets/dataset.h"
#include "images/image.h"

/* The captioner of photographs goes by this name, as others by that of their dataset. */
#define APP_PHOTOGRAPHS "photographs"

/* That of the first of the captioner's weights that are there and speak of scenes: the picture book;
 * else flat shapes. */
const sac_dataset *app_default_dataset(void);
/* The name of that of a picture, with its pixels: a scene tells it itself. Of all others the flat
 * drawings are taken for flat shapes, and the rest for photographs; for flat shapes too where the
 * captioner of photographs is not installed. */
const char *app_dataset_of_picture(const char *path, const sac_image *picture);
/* That which the weights in a file were trained on; NULL: photographs. Flat shapes where they are no
 * captioner's: what is wrong with them is told when they are opened. */
const sac_dataset *app_dataset_of_weights(const char *path);

#endif
