/* saccade scene --world book. */
#ifndef SAC_CLI_SCENE_BOOK_H
#define SAC_CLI_SCENE_BOOK_H

#include <stdbool.h>
#include <stdint.h>

/* Draws a scene of the picture book into `png`, where that is not NULL, and prints its truth. */
int cli_scene_book(bool training, uint64_t seed, int side, const char *png, bool json);

#endif
