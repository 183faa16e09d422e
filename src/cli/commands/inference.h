/* What a model of others made of a text, or says of a picture, for programs. */
#ifndef SAC_CLI_COMMANDS_INFERENCE_H
#define SAC_CLI_COMMANDS_INFERENCE_H

#include "app/document.h"

/* The request is of a folder with such a model. Reads its text, or looks at its picture; prints it as JSON or what was said after it,
 * and writes `npz` (NULL: nothing). */
sac_status cli_passage(const app_request *request, bool json, const char *npz, sac_error *error);

#endif
