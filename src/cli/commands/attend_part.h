/* What saccade attend computes of weights that are not wanted whole: a part of them, or figures of their
 * rows. */
#ifndef SAC_CLI_COMMANDS_ATTEND_PART_H
#define SAC_CLI_COMMANDS_ATTEND_PART_H

#include <cjson/cJSON.h>

#include "saccade.h"

typedef struct cli_attend_part {
    const char *rows_text, *columns_text; /* "100:200"; NULL: all */
    bool figures;                         /* of rows, in place of weights */

    size_t row, rows, column, columns;
    sac_array arrays[10]; /* the results, owned; */
    const char *names[10];
    size_t count;
    struct cli_head_figures *heads; /* [batch·heads], of figures; owned */
    size_t head_count;
} cli_attend_part;

/* Something of it was requested. */
bool cli_attend_part_wanted(const cli_attend_part *part);
/* Finds rows and columns in a map of that size. SAC_E_ARGUMENT, naming the option. */
sac_status cli_attend_part_parse(cli_attend_part *part, const sac_attention_shape *shape,
                                 sac_error *error);
/* `offset`: query i stands where key i + offset does. */
sac_status cli_attend_part_compute(cli_attend_part *part, sac_attention *attention,
                                   ptrdiff_t offset, const sac_progress *progress,
                                   sac_error *error);
/* Rows, columns, and the heads, those that look at few keys first. */
void cli_attend_part_json(const cli_attend_part *part, cJSON *root);
/* The same heads as lines. */
void cli_attend_part_print(const cli_attend_part *part);
void cli_attend_part_free(cli_attend_part *part);

#endif
