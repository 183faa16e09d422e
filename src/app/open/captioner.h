/* A captioner opened on pictures or scenes: by a document, and by the commands that caption. */
#ifndef SAC_APP_CAPTIONER_H
#define SAC_APP_CAPTIONER_H

#include "sources/source.h"

typedef struct app_captioner {
    const char *weights; /* a file or a pretrained model's folder; NULL: the program's */
    /* Of the program's: of scenes of this dataset, or of photographs; with that score. NULL: the
     * first. */
    const char *dataset, *score;
    bool chosen; /* by a person, who needs no advice to take another one of photographs */
    bool mixed;  /* pictures of other datasets are not turned to (source->picture.elsewhere) */
    bool all;    /* of the program's, all of the dataset, in place of the first */
    const char *question;        /* for a pretrained model that answers; NULL: it describes */
    const char *language, *task; /* of sounds, for a pretrained model; NULL: as its folder has it */
    sac_storage storage;         /* of a pretrained model's weights and what they multiply */
    const char *boxes;           /* of the only picture, for a pretrained model; NULL */
    const char *const *pictures; /* [picture_count]; none: scenes */
    int picture_count;
    const sac_image
        *first; /* the pixels of the one to begin with, where they are there already; NULL */
    /* The one to begin with. −1: none yet, so that a damaged one is reported when it is turned to;
     * the source has to be turned before it is asked. */
    int picture;
    bool scene_given;
    uint64_t scene;
    const char *device;
    char opened[1024]; /* the file or folder, once it is open */
} app_captioner;

sac_status app_captioner_open(app_captioner *captioner, sac_source *source, sac_error *error);

#endif
