/* The dataset that a captioner is asked about, where a person has not named one. */
#ifndef SAC_APP_DATASETS_H
#define SAC_APP_DATASETS_H

#include "datasets/dataset.h"

/* That of the first of the captioner's weights that are there: the picture book; else flat shapes.
 */
const sac_dataset *app_default_dataset(void);
/* That of a picture, which a scene tells itself; all others are taken for drawings of flat shapes.
 */
const sac_dataset *app_dataset_of_picture(const char *path);
/* That which the weights in a file were trained on; flat shapes where they are no captioner's: what is
 * wrong with them is told when they are opened. */
const sac_dataset *app_dataset_of_weights(const char *path);

#endif
