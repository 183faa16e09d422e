/* PNGs that Saccade wrote: what they show, and how it was shown. */
#ifndef SAC_CLI_SAVED_H
#define SAC_CLI_SAVED_H

#include "view/shell.h"

/* What a saved picture was made of; free it with cli_saved_free. */
typedef struct cli_saved {
    char *file;     /* that is still there; NULL: none */
    bool is_scene;  /* it shows a scene of the test stream instead: … */
    uint64_t scene; /* … the first one, … */
    int picture;    /* … turned to so often */
    char note[512]; /* where the picture came from, for a person; empty: nothing is known */
} cli_saved;

/* True where `png` says what it was made of and that can be opened. The note is filled also where
 * it cannot. */
bool cli_saved_find(const char *png, cli_saved *saved);
void cli_saved_free(cli_saved *saved);

/* The text under `key` in the picture, NULL where there is none; free() it. */
char *cli_saved_text(const char *png, const char *key);
/* Gives the views what they would have written about themselves, as the picture has it, and shows
 * the tab that it shows. Caption and Picture take only what they wrote themselves, as both have a
 * temperature, and other words that mean other things to the other. */
void cli_saved_restore(viz_shell *shell, const char *png);

#endif
