/* Options of what is to be opened, for the commands that fill a request: each is declared once. */
#ifndef SAC_CLI_REQUEST_OPTIONS_H
#define SAC_CLI_REQUEST_OPTIONS_H

#include "app/document.h"
#include "cli/cli.h"

/* A request, and what was given of it as text. */
typedef struct cli_request {
    app_request open;
    const char *grid, *causal, *pair_text; /* pair_text: the second of a pair … */
    char *pair;                            /* … and both as one text; owned */
    int window;
    bool difference;  /* of two files; or between states that are pinned */
    cli_list ignored; /* keys of a GGUF */
    cli_list chat;    /* turns of a conversation, and files of them */
    const char *settings[APP_MAX_VIEW_OPTIONS]; /* for the rules of that number */
    char help[APP_MAX_VIEW_OPTIONS + 1][200];   /* of these options, and of --tab */
} cli_request;

enum { CLI_REQUEST_OPTIONS = 48 + APP_MAX_VIEW_OPTIONS };
/* Fills `options` with those of `names` (ends with NULL), or with all; returns how many, up to
 * CLI_REQUEST_OPTIONS. */
int cli_request_options(cli_request *r, const char *const *names, cli_option *options);
/* What the options of arrays, of datasets and of settings take: checked, and put into r->open. */
int cli_request_check_and_fill(cli_request *r);

#endif
