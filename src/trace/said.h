/* The sentence that was spoken last, kept for whoever asks for the same again: the views of one
 * document do, and a model takes a second for it. */
#ifndef SAC_TRACE_SAID_H
#define SAC_TRACE_SAID_H

#include "trace/caption.h"

typedef struct sac_said {
    bool known;
    sac_caption_request request; /* without what it lends */
    sac_caption caption;         /* owned */
} sac_said;

/* A copy of what is kept into a zeroed caption; false where it answers another request, or there is
 * no memory. `beam` is what a request without one means. */
bool sac_said_find(const sac_said *said, const sac_caption_request *request, int beam,
                   sac_caption *caption);
/* Keeps a copy; with cells that are hidden, or without memory, nothing. */
void sac_said_keep(sac_said *said, const sac_caption_request *request, const sac_caption *caption);
void sac_said_forget(sac_said *said); /* takes a zeroed one */

#endif
