/* Attention weights of steps (queries, words, rows of a matrix) over positions (keys, cells of a
 * picture, words), for each head of each layer, and functions that compute any part of them. */
#ifndef SAC_SOURCES_WEIGHTS_H
#define SAC_SOURCES_WEIGHTS_H

#include "arrays/labels.h"
#include "saccade.h"
#include "sources/explanation.h"
#include "sources/heads/head_scales.h"

typedef struct sac_source sac_source;

/* What one item of a batch has of its own: its words, and its size without its padding. */
typedef struct sac_source_item {
    size_t steps, positions;
    sac_labels step_labels, position_labels; /* count 0: none */
    size_t *cells; /* as those of the picture, which are not this item's; NULL: the picture's are */
} sac_source_item;

/* How the weights were computed. Zero is "not known". */
typedef struct sac_weights_made {
    char dtype[16];   /* "float16" */
    char score[32];   /* computed here: the score's name; else empty */
    char mask[128];   /* computed here: "causal", "causal, key padding" …; empty: none */
    size_t key_heads; /* computed here: heads of the keys, which `heads` share; else 0 */
    int heads_asked, key_heads_asked; /* computed here: into how many heads [B,T,D] was split; 0:
                                         none */
    float bandwidth, softcap;         /* of the score, as they were given; 0: none */
    sac_normalizer normalizer;        /* computed here: what made weights of scores */
} sac_weights_made;

/* One way to read a file of arrays that holds more than one attention. */
typedef struct sac_reading {
    char take[128], axes[8]; /* what to ask for to get it, as --take and --axes */
    char array[200];         /* "attentions [12,12,24,24] float32" */
    char meaning[120];       /* "12 items × 12 heads of 24 × 24 weights" */
} sac_reading;

/* How a file of arrays was opened, and how else it could be. */
typedef struct sac_weights_opened {
    bool softmax, allow_nan, padding; /* asked of weights in the file: they are scores; NaN is
                                         shown; padding is, too */
    char array[128], axes[8];         /* which array of the file, where a person chose it … */
    sac_reading *readings;            /* what else of the file could be shown; owned */
    int reading_count, reading;       /* which one is; −1: none is yet */
    char labels_file[1024], image_file[1024]; /* … and what was opened beside it; empty: nothing */
} sac_weights_opened;

/* What a model read, beside the attention of its heads: lent until heads are scaled. */
typedef struct sac_read_input {
    const int *ids;    /* [positions] numbers of the tokens; NULL: it is a picture */
    bool cut;          /* it has more tokens than the model has places */
    const float *next; /* [vocabulary] logits of the token behind them; NULL: none are predicted */
    size_t vocabulary;
    const float *classes;    /* [class_count] logits of classes with names; NULL: there are none */
    const char *class_names; /* [class_count], each in so many bytes with its end: */
    size_t class_count, class_name_size;
    size_t width;     /* numbers of a state */
    const char *note; /* of the model: what was assumed of its folder; "": nothing */
    double milliseconds;
} sac_read_input;

typedef struct sac_weights_source {
    /* [layers,batch,heads,steps,positions]; 0 where a request decides how many */
    size_t layers, batch, heads, steps, positions;
    sac_labels step_labels, position_labels; /* count 0: none; owned */
    sac_source_item *items; /* [batch], where items have words or sizes of their own: steps and
                              positions are then the most of any item; owned; NULL: all are alike */
    size_t second; /* queries and keys are the tokens of a pair of texts: where B begins, behind A;
                      0: they are not */
    const uint8_t *special; /* [positions] 1: a token that stands for no text, such as [CLS] or
                               padding; lent by self; NULL: none is known */
    const size_t
        *layer_numbers; /* [layers] what the layers are called; lent by self; NULL: 0, 1, … */
    bool turned; /* the weights are turned: steps are the keys, and positions the queries that look
                    at them, so that rows do not sum to 1 */
    bool
        has_sinks; /* each head has a sink: a part of a row's weights goes to no key, so that rows sum to
                       less than 1 */
    bool is_signed; /* the numbers have either sign, as attributions have: zero is in the middle of
                       their scale */
    const char *side_names[2]; /* of a difference: what the first and the second are called; lent by
                                  self */
    const float *head_alignment; /* [layers,heads]: the share of words that look most at a word that
                                    they stand for; lent by self; NULL: not known */
    sac_weights_made made;
    sac_weights_opened opened;

    /* Weights [rows,cols] of the tile of layer `layer` into `weights`. */
    sac_status (*tile)(void *self, size_t layer, const sac_tile *tile, float *weights,
                       sac_error *error);
    /* The same, shrunk to [out_rows,out_cols]; see sac_attention_pool. With every `tile`. */
    sac_status (*pool)(void *self, size_t layer, const sac_tile *tile, sac_pool pool,
                       size_t out_rows, size_t out_cols, float *pooled, sac_error *error);
    /* The weights are those of a second side less those of a first (sources/difference.h), and have
     * either sign: both, [rows,cols] each, of the tile. NULL: they are no difference. */
    sac_status (*sides)(void *self, size_t layer, const sac_tile *tile, float *first, float *second,
                        sac_error *error);
    /* Finds which weights of the tile a mask keeps at 0, which cannot be seen from the weights:
     * those are 1 in `masked` [rows,cols]. NULL: not known, or none is. */
    sac_status (*masked)(void *self, size_t layer, const sac_tile *tile, uint8_t *masked,
                         sac_error *error);
    /* Takes one weight apart: what it is computed from, and the steps to it. It holds the weights
     * alone where nothing else is known. Free the explanation. A picture that is attended to and a
     * generator offer it, too. */
    sac_status (*explain)(void *self, const sac_explanation_request *request,
                          sac_explanation *explanation, sac_error *error);
    /* Multiplies what each head gives by `scale` [layers,heads], of all that is computed from then on,
     * and fills a zeroed `effect` (may be NULL) with the changes. The same scales once more cost
     * nothing. After a failure nothing has changed. NULL: these heads are not at work here. */
    sac_status (*scale_heads)(void *self, const float *scale, sac_heads_effect *effect,
                              sac_error *error);
    /* With heads as they are scaled. NULL: nothing was read, the weights were given. */
    void (*input)(const void *self, sac_read_input *input);
    /* states [layers + 1,positions,width]: what enters each layer, and what leaves the last. With every
     * `input`. */
    sac_status (*states)(const void *self, float *states, sac_error *error);
    /* Another source that generates from what these heads encode: as those of one of
     * sac_attention_kind_names; lent. NULL: there is none. */
    sac_source *generator;
    int generator_kind;
    /* The most probable tokens behind step `step` of the text, with all heads and as they are scaled,
     * into `next` [SAC_EFFECT_NEXT]. NULL: the model predicts none. */
    sac_status (*next_after)(void *self, size_t step, sac_candidate *next, int *count,
                             sac_error *error);
    /* The text up to step `step`, token `id` in place of the next one, and the model's generation behind
     * it: free it. With every `next_after`. */
    sac_status (*generate_instead)(void *self, size_t step, int id, char **text, sac_error *error);
    /* Between layers tokens are mixed by others than attention, too: by convolutions, or by a state. There is no
     * rollout then. */
    bool mixed_otherwise;
    /* map [steps,steps] of layer `layer`: the mean over its heads of attention times the gradient of
     * one logit, above 0; `of` [64] names it. NULL: no gradient is known. */
    sac_status (*relevance)(void *self, size_t layer, float *map, char *of, sac_error *error);
    /* map [layers,steps,steps]: how probable it is that two of them touch, which the model predicts from all heads
     * up to each layer; of sources with `relevance`. NULL: it does not. */
    sac_status (*contacts)(void *self, float *map, sac_error *error);
} sac_weights_source;

/* What `masked` does, for a mask that is known by a rule: whether a head's key is hidden from a
 * query. */
typedef bool sac_hides(size_t head, size_t query, size_t key);
sac_status sac_mask_tile(const sac_tile *tile, sac_hides *hides, uint8_t *masked);
/* `masked` of weights whose tokens do not see those after them. */
sac_status sac_mask_later(void *self, size_t layer, const sac_tile *tile, uint8_t *masked,
                          sac_error *error);

/* Shannon entropy in bits of `count` weights, brought to sum 1; zeros count nothing, nothing but
 * zeros gives 0. */
float sac_entropy(const float *weights, size_t count);
/* The first of the largest of `count` weights. */
int sac_heaviest(const float *weights, int count);

#endif
