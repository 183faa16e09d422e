/* What the outputs of several inputs are called. */
#ifndef SAC_CLI_OUTPUT_NAMES_H
#define SAC_CLI_OUTPUT_NAMES_H

#include "saccade.h"

/* names [count] of the outputs of inputs, without an ending; free() each and the list. The output of "a/x.png" is "x". Inputs
 * that would share a name have their endings in it, "x.png" and "x.jpg", or else the last of their folders by which
 * they differ and those behind it, "a-x" and "b-x"; *renamed is their number. The same file twice has one name.
 * `pieces`: outputs of pieces are called "x-2", which no other input may be called then. SAC_E_ARGUMENT where that
 * makes no difference, SAC_E_MEMORY. */
sac_status cli_output_names(char *const *paths, int count, bool pieces, char ***names, int *renamed,
                            sac_error *error);

#endif
