/* What a pretrained model computes of a text or a picture, for programs. */
#ifndef SAC_CLI_COMMANDS_INFERENCE_H
#define SAC_CLI_COMMANDS_INFERENCE_H

#include "app/document.h"

/* The request names the folder of such a model. Reads its text, or encodes its picture; prints the
 * result as JSON, or the continuation of the text, and writes `npz` (NULL: nothing). */
sac_status cli_inference(const app_request *request, bool json, const char *npz, sac_error *error);

#endif
