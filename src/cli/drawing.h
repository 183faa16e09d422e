/* The options of every command that draws: what is written, how large and in which theme. */
#ifndef SAC_CLI_DRAWING_H
#define SAC_CLI_DRAWING_H

#include "cli/cli.h"
#include "export/export.h"

enum { CLI_DRAWING_OPTIONS = 11, CLI_TABLE_OPTIONS = 2 };

typedef struct cli_drawing {
    const char *png, *svg, *pdf, *apng, *gif, *frames;
    const char *tsv, *csv;
    const char *size_text, *theme_name;
    viz_export_size size; /* cli_drawing_check fills it */
} cli_drawing;

/* Appends CLI_DRAWING_OPTIONS options to `options`. */
void cli_drawing_options(cli_drawing *drawing, cli_option *options);
/* The same with CLI_TABLE_OPTIONS, for a command whose view has numbers to write. */
void cli_table_options(cli_drawing *drawing, cli_option *options);
/* On a mistake prints one line and returns CLI_USAGE. */
int cli_drawing_check(cli_drawing *drawing);
bool cli_drawing_wanted(const cli_drawing *drawing);
/* Opens the fonts where something is drawn, and closes them after it. */
sac_status cli_drawing_open(const cli_drawing *drawing, sac_error *error);
void cli_drawing_close(const cli_drawing *drawing);
/* Writes the shell's current view in every way that was asked for. */
sac_status cli_drawing_write(const cli_drawing *drawing, viz_shell *shell, sac_error *error);

/* Pins these states of the shell's view, and shows them beside each other or as differences from
 * the first. SAC_E_ARGUMENT where one makes no sense. */
sac_status cli_pin_states(const cli_drawing *drawing, const char *states, bool difference,
                          viz_shell *shell, sac_error *error);

/* "1280x800" of sides from least to most. */
bool cli_read_sides(const char *text, int least, int most, int *width, int *height);

#endif
