/* saccade evaluate captioner --pictures: captions of pictures against those of people. */
#ifndef SAC_CLI_COMMANDS_EVALUATE_PICTURES_H
#define SAC_CLI_COMMANDS_EVALUATE_PICTURES_H

#include "saccade.h"
#include "sources/generation.h"

typedef struct cli_pictures_request {
    const char *pictures, *captions, *val, *test;
    const char *split;     /* "train", "val", "test" or "all"; NULL: val */
    const char *sentences; /* captions to be scored, in place of a model's; NULL */
    const char *boxes;     /* NULL: none are known */
    const char *results;   /* a file for the captions, in the form of COCO's results; NULL */
    const char *weights, *dataset, *device;
    sac_storage storage; /* of a pretrained captioner */
    int count;           /* pictures, at most; 0: all of the split */
    int beam;            /* 0: 1 and the default */
    sac_length_penalty penalty;
    bool json;
} cli_pictures_request;

/* CLI_DONE, or CLI_USAGE after a line about options that do not go together. */
int cli_pictures_check(const cli_pictures_request *request);
/* Prints what was left out, and the scores. Returns the exit status. */
int cli_pictures_evaluate(const cli_pictures_request *request);

#endif
