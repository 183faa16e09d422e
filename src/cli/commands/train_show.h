/* A training watched: the window on it, and the same picture as a file. */
#ifndef SAC_CLI_COMMANDS_TRAIN_SHOW_H
#define SAC_CLI_COMMANDS_TRAIN_SHOW_H

#include "cli/drawing.h"
#include "sources/source.h"

typedef struct cli_training_show {
    sac_source *source;         /* lent */
    const cli_drawing *drawing; /* lent */
    const char *name;           /* the weights' file: for the title and saved pictures; lent */
    /* Trains; on a thread of its own while the window is open. */
    sac_status (*train)(void *user, sac_error *error);
    void (*closed)(void *user); /* the person closed the window; the training goes on */
    void *user;
} cli_training_show;

/* Opens the window and, once it is there, begins to train. Returns when the training has ended and
 * the window is closed; a training that fails closes it, one that is done does not. SAC_E_DISPLAY
 * where there is no window: then nothing was trained. */
sac_status cli_training_window(const cli_training_show *show, sac_error *error);
/* Draws what the source shows now into the files that were asked for. */
sac_status cli_training_write(const cli_training_show *show, sac_error *error);

#endif
