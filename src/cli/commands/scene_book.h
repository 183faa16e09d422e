/* saccade scene --dataset book. */
#ifndef SAC_CLI_COMMANDS_SCENE_BOOK_H
#define SAC_CLI_COMMANDS_SCENE_BOOK_H

#include "book/scene.h"

typedef struct cli_book_request {
    sac_stream stream;
    uint64_t seed;
    int side;
    const char *png;   /* NULL: no picture */
    const char *sheet; /* "CxR": columns and rows of scenes from the seed on; NULL: one scene */
    bool json;
} cli_book_request;

/* Draws one scene of the picture book, or a sheet of them, and prints its truth. */
int cli_scene_book(const cli_book_request *request);

#endif
