/* The sentence that was spoken last, kept for whoever asks for the same again: the views of one
 * document do, and a model takes a second for it. */
#ifndef SAC_GENERATE_CACHED_CAPTION_H
#define SAC_GENERATE_CACHED_CAPTION_H

#include "sources/caption.h"

typedef struct sac_cached_caption {
    bool known;
    sac_caption_request request; /* without what it lends */
    sac_caption caption;         /* owned */
} sac_cached_caption;

/* A copy of what is kept into a zeroed caption; false where it answers another request, or there is
 * no memory. `beam` is what a request without one means. */
bool sac_cached_caption_find(const sac_cached_caption *said, const sac_caption_request *request,
                             int beam, sac_caption *caption);
/* Keeps a copy; with cells that are hidden, or without memory, nothing. */
void sac_cached_caption_keep(sac_cached_caption *said, const sac_caption_request *request,
                             const sac_caption *caption);
void sac_cached_caption_forget(sac_cached_caption *said); /* takes a zeroed one */

#endif
