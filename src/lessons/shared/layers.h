/* Attention with heads, array by array, and the layers of the notebook and of the notes, as several
 * lessons use them. */
#ifndef SAC_LESSONS_SHARED_LAYERS_H
#define SAC_LESSONS_SHARED_LAYERS_H

#include "lessons/engine/lesson.h"

/* How [B,T,D] becomes [B·H,T,D/H]: by a view and a transpose, or by a view alone, which mixes the
 * tokens. */
sac_node sac_heads_split(sac_graph *graph, const char *name, sac_node x, size_t heads,
                         bool by_view);

/* Draws at that step which numbers of x [1,T,D] each head gets: x for each of the first heads, with a
 * curtain over what the others get. `name`: of the curtains. */
void sac_draw_heads(sac_lesson *lesson, const char *name, sac_node x, size_t heads, bool by_view,
                    int step);

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

/* ---- the layer MultiHeadAttention of the notes on "Attention Is All You Need": as they meant it, and
 * as they printed it */

/* MultiHeadAttention(depth, heads), drawn after torch.manual_seed(lesson->seed) in its order: key,
 * value, query, final. By a view alone, the scale is the one that the notes print,
 * (depth_of_head // heads)^−½. */
sac_heads sac_notes_layer(sac_lesson *lesson, size_t depth, size_t heads, bool by_view,
                          float scale);
/* (depth_of_head // heads)^−½; 0 where that divides by 0. */
float sac_notes_printed_scale(size_t depth, size_t heads);

/* Which word row r of head h is made of: "member" [H,T,T], a 1 in each row. */
sac_node sac_notes_head_members(sac_graph *graph, size_t words, size_t heads, bool by_view);
/* "influence" [T,T]: 1 where word j can change the output of word i, as they share a head. */
sac_node sac_notes_influence(sac_graph *graph, sac_node member);

/* Layer norm of x's rows with gain 1 and bias 0, by "mean", "variance" and `name`. */
sac_node sac_rows_standardised(sac_graph *graph, const char *name, sac_node x);

/* ---- the notebook on self-attention: its sentences and its layers, drawn as it drew them */

enum { SAC_NOTEBOOK_SENTENCES = 2, SAC_NOTEBOOK_WORDS = 4, SAC_NOTEBOOK_DEPTH = 10 };

/* The seed whose numbers the notebook printed: found from its sentences. */
#define SAC_NOTEBOOK_SEED 4199607231u

/* The sentences [2,4,10], rows of length 1. With `draws`, the array that they are made of. */
sac_node sac_notebook_sentences(sac_lesson *lesson, sac_node *draws);
/* The same, or a row of numbers for each word that a person typed [1,T,10]. */
sac_node sac_notebook_words(sac_lesson *lesson, sac_node *draws);
/* Rows of 10 draws brought to length 1, on the host. */
void sac_notebook_normalize_rows(const float *draws, float *rows);
/* Its layer SelfAttention(10), or MultiHead(10, 3) with three heads of 10 each, after
 * torch.manual_seed(lesson->seed); for its own seed at the place where the notebook drew them. */
sac_heads sac_notebook_layer(sac_lesson *lesson, size_t heads);

/* ---- what the bundled models computed: a sentence that the translator aligned */

enum { SAC_TRANSLATED_WORDS = 14, SAC_TRANSLATED_SOURCE = 13 };
extern const char *const sac_translated_words[SAC_TRANSLATED_WORDS];   /* French */
extern const char *const sac_translated_source[SAC_TRANSLATED_SOURCE]; /* English */

/* The translator's scores e [14,13], less each row's mean, in two decimals; their softmax is its
 * attention. `saccade translate --npz` writes the same weights. */
sac_node sac_translated_scores(sac_lesson *lesson, const char *name);
/* Rows are French words from `row` on, columns English words from `column` on. No labels where an
 * array of a person's own has another size. */
void sac_translated_label(sac_lesson *lesson, sac_node node, size_t row, size_t column);

/* ---- two heads of the transformer: what each word of a sentence looks at */

enum {
    SAC_TRAINED_HEADS = 2,
    SAC_TRAINED_WORDS = 8,
};

/* Scores "trained.scores" [2,8,8] of the heads 1.2 and 1.0 of its encoder for "the red cat sleeps in
 * the garden .", less each row's mean, in two decimals, and their softmax, "trained.weights".
 * `saccade translate --model transformer --npz` writes the same weights as "encoder". */
sac_node sac_trained_heads(sac_lesson *lesson, sac_node *scores);
/* Its rows and columns get the sentence's words. */
void sac_trained_label(sac_lesson *lesson, sac_node node);
/* Of both heads the first, which looks at the main words of phrases. */
sac_node sac_trained_first_head(sac_lesson *lesson, const char *name, sac_node both);

#endif
