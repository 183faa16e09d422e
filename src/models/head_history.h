/* The heads of a model that learns, over a text that stays the same: their scores at every so many steps, and the
 * weights of some of these. */
#ifndef SAC_MODELS_HEAD_HISTORY_H
#define SAC_MODELS_HEAD_HISTORY_H

#include "sources/attentions.h"
#include "sources/source.h"

/* What is kept of a point. */
typedef struct sac_kept_heads {
    float *maps;  /* [layers,heads,T,T]; NULL: they are not kept */
    char *sample; /* with them: what the model had written last */
} sac_kept_heads;

typedef struct sac_head_history {
    sac_training_heads heads;
    sac_kept_heads *kept; /* [heads.points] */
    size_t room;          /* points that there is memory for */
    size_t stride;        /* maps of every stride-th point are kept, and of the last */
    sac_labels labels;    /* [T] */
} sac_head_history;

/* Of every head its scores into `scores` [layers,heads,SAC_TRAINING_KINDS]. */
sac_status sac_heads_measure(const sac_attention_kind *attention, float *scores, sac_error *error);
/* One point more: those scores, and the weights and labels that `attention` owns, which are taken out of it.
 * SAC_E_SHAPE where heads are not those of the points before. */
sac_status sac_head_history_add(sac_head_history *history, size_t step, const float *scores,
                                sac_attention_kind *attention, const char *sample,
                                sac_error *error);
/* As of sac_training_source. */
sac_status sac_head_history_moment(const sac_head_history *history, size_t step,
                                   sac_training_moment *moment, sac_error *error);
/* Makes the points that another one had, without maps: of a training that goes on. */
sac_status sac_head_history_restore(sac_head_history *history, size_t layers, size_t heads,
                                    size_t points, const size_t *at, const float *score,
                                    sac_error *error);
void sac_head_history_free(sac_head_history *history); /* takes a zeroed one */

#endif
