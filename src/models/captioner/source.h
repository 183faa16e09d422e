/* Pictures, a folder of them, or scenes, with the bundled models behind them, as a viewer's source.
 */
#ifndef SAC_CAPTIONER_SOURCE_H
#define SAC_CAPTIONER_SOURCE_H

#include "trace/caption.h"

typedef struct sac_caption_open_options {
    const char *const *pictures; /* files; none: scenes */
    int picture_count;
    uint64_t scene; /* the first scene's seed, of the test stream; only without pictures */
    const char *const *weights; /* files; the first is the default model */
    int weight_count;
    const char *device;
} sac_caption_open_options;

/* Strings are copied. Errors: a picture's (only the first one is loaded now), the weights', the
 * device's. A picture that does not look like a scene (decided by how sure the model is of its
 * words) gets the note that this model knows only scenes of flat shapes. Models after the first are
 * loaded when they are first asked for. */
sac_status sac_caption_open(const sac_caption_open_options *options, sac_caption_source *source,
                            sac_error *error);

#endif
