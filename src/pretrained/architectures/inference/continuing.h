/* A text that goes on token by token. The keys and values of earlier tokens stay on the device, so
 * that a step runs one row through all layers. All of it under the lock of the device. */
#ifndef SAC_ARCHITECTURES_INFERENCE_CONTINUING_H
#define SAC_ARCHITECTURES_INFERENCE_CONTINUING_H

#include "architectures/architecture.h"
#include "attention/on_operands.h"
#include "generate/beam.h"
#include "nn/attention/beam_cache.h"

typedef struct sac_continuing {
    sac_pretrained_model *m;
    sac_arena arena;
    sac_tensor key[SAC_ARCHITECTURE_LAYERS], value[SAC_ARCHITECTURE_LAYERS]; /* [most,D or Hk·d] */
    sac_tensor
        query[SAC_ARCHITECTURE_LAYERS]; /* [most − begun,H·d]: of the text's last token and of
                                                  those that followed; empty: they are not kept */
    sac_laid_out *laid_out[SAC_ARCHITECTURE_LAYERS]; /* both, as attention reads them */
    size_t begun, count, most; /* tokens at first, now, and as many as there is room for */
    size_t shared;             /* places fewer than tokens, as a picture's tokens share them */
    bool keeps_queries;
    sac_byte_tensor hidden; /* [most], 1: a key that is not seen; empty: all are */
    sac_ints id, place;
    sac_tensor x, normed, logits; /* [1,D], [1,D], [1,V] */
    sac_tensor left;              /* [1,D]: what left the last layer, normed, in the last step */
    sac_tensor narrow;            /* [1,E] */
    sac_position_ids placing;     /* of the token */
    sac_transformer_tensors tensors;
} sac_continuing;

/* Allocates the cache, and fills it with the keys and values of the text. `m`, `most`, and what is
 * kept are set. Called again, it goes back to the text. */
void sac_continuing_begin(sac_continuing *continuing, const sac_inference *text);
/* Computes the logits [V] after token `id`; NULL: they are not wanted. */
void sac_continuing_step(sac_continuing *continuing, int id, float *logits);
void sac_continuing_end(sac_continuing *continuing); /* takes zeroed ones */

/* Texts that begin with one, the rows of a beam. The first three are set. */
typedef struct sac_text_beams {
    const sac_inference *text;
    size_t longest;       /* tokens behind it, at most */
    const uint8_t *hides; /* [text->count], 1: a key that is not seen; NULL: all are */
    sac_arena arena;
    sac_beam_cache cache;
    sac_ints tokens, places;              /* [R] */
    sac_byte_tensor hidden;               /* [R·(text + tokens behind it)] */
    sac_position_ids placing;             /* of a step */
    sac_tensor x, normed, narrow, logits; /* [R,D], [R,D], [R,E], [R,V] */
    sac_transformer_tensors own;
} sac_text_beams;

/* The logits [R,V] after the last token of each row. */
void sac_text_beams_step(sac_text_beams *beams, const sac_beam *beam, float *logits);
void sac_text_beams_end(sac_text_beams *beams); /* takes zeroed ones */

#endif
