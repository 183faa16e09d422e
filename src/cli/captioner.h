/* A captioner opened on pictures, ours or a pretrained one, for the commands that caption. */
#ifndef SAC_CLI_CAPTIONER_H
#define SAC_CLI_CAPTIONER_H

#include "sources/source.h"

typedef struct cli_captioner {
    const char *weights;         /* a file or a pretrained model's folder; NULL: the program's */
    const char *dataset, *score; /* of the program's; NULL: the first */
    const char *boxes;           /* of the only picture, for a pretrained model; NULL */
    const char *const *pictures; /* [picture_count]; none: scenes */
    int picture_count;
    bool scene_given;
    uint64_t scene;
    const char *device;
    char opened[1024]; /* the file or folder, once it is open */
} cli_captioner;

/* The source has to be turned to a picture before it is asked. */
sac_status cli_captioner_open(cli_captioner *captioner, sac_source *source, sac_error *error);

#endif
