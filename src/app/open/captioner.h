/* The dataset that is meant, and a captioner opened on pictures or scenes: by a document, and by the commands that
 * caption. */
#ifndef SAC_APP_CAPTIONER_H
#define SAC_APP_CAPTIONER_H

#include "app/document.h"
#include "architectures/captioning/pretrained_captioner.h"
#include "datasets/dataset.h"
#include "images/image.h"

/* The name of the captioner of photographs; others have that of their dataset. */
#define APP_PHOTOGRAPHS "photographs"

/* That of the first of the captioner's weights that are there and caption scenes: the picture book;
 * else flat shapes. */
const sac_dataset *app_default_dataset(void);
/* The name of that of a picture, with its pixels: a scene names it itself. Of all others the flat
 * drawings are taken for flat shapes, and the rest for photographs; for flat shapes too where the
 * captioner of photographs is not installed. */
const char *app_dataset_of_picture(const char *path, const sac_image *picture);
/* That which the weights in a file were trained on; NULL: photographs. Flat shapes where they are no
 * captioner's: the error comes when they are opened. */
const sac_dataset *app_dataset_of_weights(const char *path);

typedef struct app_captioner {
    /* Its weights (a file or a pretrained model's folder; NULL: the program's), device and storage; of a
     * pretrained model the question, boxes, language and task. */
    const app_request *request;
    /* Of the program's: of scenes of this dataset, or of photographs; with that score. NULL: the
     * first. */
    const char *dataset, *score;
    bool chosen; /* by a person, who needs no advice to take another one of photographs */
    bool mixed;  /* pictures of other datasets are not turned to (source->picture.elsewhere) */
    bool all;    /* of the program's, all of the dataset, in place of the first */
    const char *const *pictures; /* [picture_count]; none: scenes */
    int picture_count;
    const sac_image
        *first; /* the pixels of the one to begin with, where they are there already; NULL */
    /* The one to begin with. −1: none yet, so that a damaged one is reported when it is turned to;
     * the source has to be turned before it is asked. */
    int picture;
    uint64_t scene;
    char opened[1024]; /* the file or folder, once it is open */
} app_captioner;

/* What the request asks a pretrained model about pictures, which the caller fills in. */
sac_pictures_request app_pictures_request(const app_request *request);
sac_status app_captioner_open(app_captioner *captioner, sac_source *source, sac_error *error);

#endif
