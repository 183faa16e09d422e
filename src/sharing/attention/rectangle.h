/* A rectangle of an attention: some of its queries with some of its keys, as an attention of its own.
 * What several rectangles of the same queries give is merged into what all their keys give. */
#ifndef SAC_SHARING_ATTENTION_RECTANGLE_H
#define SAC_SHARING_ATTENTION_RECTANGLE_H

#include "saccade.h"

/* Some neighbours along the axis of queries or keys. */
typedef struct sac_range {
    size_t first, count;
} sac_range;

/* The neighbours `span` along the axis −2 of an array, copied in its own type; a NULL array, or data
 * of NULL, gives a form without data. Free `cut`. */
sac_status sac_vectors_cut(const sac_array *array, sac_range span, sac_array *cut,
                           sac_error *error);

/* The same into memory that is there. */
void sac_vectors_copy(const sac_array *array, sac_range span, void *to);

typedef struct sac_rectangle {
    sac_attention_spec spec;
    sac_attention_input input; /* lends from what it was made of, and from `own` */
    sac_array own[2];          /* masks */
} sac_rectangle;

/* The rectangle of `queries` × `keys` of the attention that `spec`, `input` and `shape` describe.
 * `query`, `key` and `value` (NULL: weights alone) are the vectors of those spans, as sac_vectors_cut
 * gives them; masks are cut from the whole. Its keys count the sinks if `with_sinks`: once for each
 * query. Out projection and layer norm, which are of whole rows, are left out. The struct stays where
 * it is. Free it. */
sac_status sac_rectangle_make(const sac_attention_spec *spec, const sac_attention_input *input,
                              const sac_attention_shape *shape, sac_range queries, sac_range keys,
                              const sac_array *query, const sac_array *key, const sac_array *value,
                              bool with_sinks, sac_rectangle *rectangle, sac_error *error);
void sac_rectangle_free(sac_rectangle *rectangle);
/* True where causal mask or window hide every key of the rectangle from every query. */
bool sac_rectangle_is_hidden(const sac_attention_spec *spec, const sac_attention_shape *shape,
                             sac_range queries, sac_range keys);
/* Why an attention cannot be cut into rectangles: SAC_E_ARGUMENT, naming the part of it (dropout, heads
 * that are split by view, out projection, layer norm); SAC_OK: it can. */
sac_status sac_rectangles_check(const sac_attention_spec *spec, const sac_attention_input *input,
                                sac_error *error);

/* The results of some queries: output in the form of the attention's (NULL: none), lse [B,H,rows]. */
typedef struct sac_partial {
    float *output, *lse;
} sac_partial;
/* Adds what other keys gave to the same queries: with l the log-sum-exp of each,
 *   l = log(exp(l₁) + exp(l₂)),   output = exp(l₁ − l) · output₁ + exp(l₂ − l) · output₂.
 * `rows` queries of each head; `is_split`: outputs are [B,H,rows,d], else [B,rows,H·d]. */
void sac_partial_merge(const sac_attention_shape *shape, size_t rows, bool is_split,
                       sac_partial *into, const sac_partial *more);

#endif
