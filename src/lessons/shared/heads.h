/* Attention with heads, array by array, as several lessons use it. */
#ifndef SAC_LESSONS_SHARED_HEADS_H
#define SAC_LESSONS_SHARED_HEADS_H

#include "lessons/engine/lesson.h"

/* How [B,T,D] becomes [B·H,T,D/H]: by a view and a transpose, or by a view alone, which mixes the
 * tokens. */
sac_node sac_heads_split(sac_graph *graph, const char *name, sac_node x, size_t heads,
                         bool by_view);
/* Back to [B,T,D], the same way. */
sac_node sac_heads_joined(sac_graph *graph, const char *name, sac_node x, size_t batch,
                          bool by_view);

/* The token whose slice is row r of head h, where a view alone has split T tokens. */
size_t sac_heads_owner(size_t tokens, size_t heads, size_t h, size_t r);

/* Query, key and value maps, heads and attention of one layer. A bias that is 0 is none. */
typedef struct sac_heads {
    sac_lesson_linear query, key, value, out; /* out.weight 0: heads are not joined by a map */
    size_t heads;
    float scale;
    bool by_view;
} sac_heads;
typedef struct sac_heads_arrays {
    sac_node q, k, v;                   /* [B,T,D] */
    sac_node q_heads, k_heads, v_heads; /* [B·H,T,D/H]; with one head q, k and v */
    sac_node scores, scaled, weights;   /* [B·H,T,T] */
    sac_node head_outputs, joined;      /* [B·H,T,D/H], [B,T,D] */
    sac_node output;                    /* [B,T,D of out] */
} sac_heads_arrays;
/* x [B,T,d]. Names of arrays: "Q", "K", "V", "scores", "scaled", "weights", "heads", "joined",
 * "output", behind `prefix`. */
sac_heads_arrays sac_heads_attend(sac_graph *graph, const char *prefix, const sac_heads *layer,
                                  sac_node x);

#endif
