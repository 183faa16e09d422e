/* The attention of every layer and head of a model that reads one sentence and generates another, or
 * captions a picture. */
#ifndef SAC_SOURCES_ATTENTIONS_H
#define SAC_SOURCES_ATTENTIONS_H

#include "arrays/labels.h"
#include "images/image.h"

/* One kind of attention: which words attend to which. */
typedef struct sac_attention_kind {
    char name[32]; /* "encoder" */
    size_t layers;
    size_t
        items; /* tiles of a picture, or windows of a grid, each with maps of its own; 0: there is one */
    size_t heads, steps, positions;
    float *
        weights; /* [layers,heads,steps,positions] or [layers,items,heads,steps,positions]; owned */
    int *
        cells; /* [layers,items,steps]: of windows, the cell of the grid that each row and column is;
                          −1: none, the window reaches beyond the grid; owned; NULL: there are no windows */
    sac_labels step_labels, position_labels;
    float *alignment; /* [layers,heads]: share of words that look most at a word that they stand
                         for, on sentences whose truth is known; owned; NULL: not known */
} sac_attention_kind;

enum {
    SAC_ENCODER_ATTENTION,
    SAC_DECODER_ATTENTION,
    SAC_CROSS_ATTENTION,
    SAC_ATTENTION_KINDS,
    /* Of a model that sees, and whose encoder then reads: heads that can be scaled, without maps here. */
    SAC_VISION_ATTENTION = SAC_ATTENTION_KINDS,
    SAC_HEAD_KINDS
};
extern const char *const sac_attention_kind_names[SAC_HEAD_KINDS];

/* S words were read, T generated. Row t of decoder and cross is the step that generates word t.
 *   encoder [L,H,S,S]   the words that are read attend to each other
 *   decoder [L,H,T,T]   a word attends to those before it: column 0 is the start, column j word j−1
 *   cross   [L,H,T,S]   a word attends to the words that were read, or to the cells of a picture
 * Of a model whose prompt and words are one text, columns of decoder are that whole text before each word.
 * A kind without weights is not there: a picture has no words that attend to each other. */
typedef struct sac_attentions {
    sac_attention_kind kind[SAC_ATTENTION_KINDS];
    sac_image picture; /* what S cells lie over; owned; empty: words were read */
    int grid_w, grid_h;
    /* What no view shows beside these: of the encoder of a picture or a sound, and of the prompt. */
    sac_attention_kind *part; /* [parts]; owned */
    size_t parts;
    char left_out
        [480]; /* parts that are larger than SAC_ATTENTION_MOST, with their sizes; "": none is */
} sac_attentions;
enum { SAC_ATTENTION_MOST = 2 }; /* GiB of a part */
/* Names a kind and gives it memory for weights, all 0; SAC_E_MEMORY. */
sac_status sac_attentions_add(sac_attentions *attentions, int kind, size_t layers, size_t heads,
                              size_t steps, size_t positions, sac_error *error);
/* Makes room for another part, all 0; items 0: one. *part NULL: it is too large, and is named in left_out. */
sac_status sac_attentions_add_part(sac_attentions *attentions, const sac_attention_kind *form,
                                   sac_attention_kind **part, sac_error *error);
void sac_attentions_free(sac_attentions *attentions); /* takes zeroed ones */

/* The head that aligns best; false: no alignment is known. */
bool sac_best_head(const float *alignment, size_t layers, size_t heads, size_t *layer,
                   size_t *head);

#endif
