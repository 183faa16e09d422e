/* What a pretrained model computes of a text or a picture, for programs. */
#ifndef SAC_CLI_COMMANDS_INFERENCE_H
#define SAC_CLI_COMMANDS_INFERENCE_H

#include "app/document.h"

/* The document is of the folder of such a model. Prints what it holds as JSON, or the continuation
 * of its text, and writes `npz` (NULL: nothing); of several pictures, each after the other. */
sac_status cli_print_inference(const app_document *document, bool json, const char *npz,
                               sac_error *error);

#endif
