/* Exactness against the length of a sample, of a model and of the one without attention. */
#ifndef SAC_CLI_COMMANDS_EVALUATE_LENGTHS_H
#define SAC_CLI_COMMANDS_EVALUATE_LENGTHS_H

#include "cli/drawing.h"
#include "models/model_class.h"

/* One model's figures; its name is lent. */
typedef struct cli_lengths {
    const char *name;
    sac_length_figures figures;
} cli_lengths;

void cli_lengths_print(const cli_lengths *models, int count);
void cli_lengths_print_json(const cli_lengths *models, int count, uint64_t seed);
/* Writes the curves in every way that was asked for. */
sac_status cli_lengths_draw(const cli_drawing *drawing, const cli_lengths *models, int count,
                            sac_error *error);

#endif
