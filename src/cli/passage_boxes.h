/* How the heads of a model that sees look into boxes of its picture, for programs. */
#ifndef SAC_CLI_PASSAGE_BOXES_H
#define SAC_CLI_PASSAGE_BOXES_H

#include <cjson/cJSON.h>

#include "families/families.h"

/* Adds "objects": for each that is known of the picture its words, "box_share", and "inside" and
 * "mass" [layers][heads] of the heat of the first token, the class; where the model has none, of
 * the mean of all patches. */
sac_status cli_passage_boxes(const sac_trace *trace, const sac_passage *passage, cJSON *root,
                             sac_error *error);

#endif
