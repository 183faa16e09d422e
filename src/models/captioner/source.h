/* Pictures, a folder of them, or scenes, with the bundled models behind them, as a viewer's source.
 */
#ifndef SAC_CAPTIONER_SOURCE_H
#define SAC_CAPTIONER_SOURCE_H

#include "trace/trace.h"

typedef struct sac_caption_open_options {
    const char *const *pictures; /* files and folders; none: scenes */
    int picture_count;
    const sac_image *first; /* the first picture's pixels, where they are there already; NULL */
    /* The one to begin with, of those found; past the last: the last. −1: none yet, and `turn` is
     * called before anything else. */
    int picture;
    uint64_t scene; /* the first scene's seed, of the test stream; only without pictures */
    const char *const *weights; /* files; the first is the default model */
    int weight_count;
    const char *device;
} sac_caption_open_options;

/* Strings are copied. Errors: a picture's (only the one that is begun with is loaded now), the
 * weights' (their headers are read now, they themselves when a model is first asked to speak), the
 * device's. SAC_E_ARGUMENT where the models' grids differ. Captions of a picture without truth that
 * the model is not sure of get the note that it knows only scenes of flat shapes. */
sac_status sac_caption_open(const sac_caption_open_options *options, sac_trace *trace,
                            sac_error *error);

#endif
