/* The captions that were generated last of one picture or sentence, kept for whoever asks for the
 * same again: the files that a command writes, and the views of one document. */
#ifndef SAC_GENERATE_CACHED_CAPTION_H
#define SAC_GENERATE_CACHED_CAPTION_H

#include "sources/caption.h"

enum { SAC_CACHED_CAPTIONS = 6 };

typedef struct sac_caption_cache {
    struct {
        bool known;
        sac_caption_request request; /* its hidden cells are owned */
        uint8_t *hidden;
        sac_caption caption; /* owned */
    } entry[SAC_CACHED_CAPTIONS];
    int latest; /* the entry that was kept last */
} sac_caption_cache;

/* A copy of a kept answer into a zeroed caption; false where there is none, or no memory. `beam` is
 * what a request without one means. */
bool sac_caption_cache_find(const sac_caption_cache *cache, const sac_caption_request *request,
                            int beam, sac_caption *caption);
/* True where the caption that was kept last answers this request. */
bool sac_caption_cache_is_latest(const sac_caption_cache *cache, const sac_caption_request *request,
                                 int beam);
/* Keeps a copy in the place of the oldest; without memory nothing. */
void sac_caption_cache_keep(sac_caption_cache *cache, const sac_caption_request *request,
                            const sac_caption *caption);
void sac_caption_cache_forget(sac_caption_cache *cache); /* all; takes a zeroed one */

#endif
