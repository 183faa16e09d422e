/* How the heads of a model that sees look into boxes of its picture, for programs. */
#ifndef SAC_CLI_COMMANDS_INFERENCE_BOXES_H
#define SAC_CLI_COMMANDS_INFERENCE_BOXES_H

#include <cjson/cJSON.h>

#include "architectures/architectures.h"

/* Adds "objects": for each that is known of the picture its words, "box_share", and "inside" and
 * "mass" [layers][heads] of the heat of the first token, the class; where the model has none, of
 * the mean of all patches. */
sac_status cli_inference_boxes(const sac_source *source, const sac_inference *inference,
                               cJSON *root, sac_error *error);

#endif
