/* The source: all that a viewer needs to know of attention, and nothing of how it is computed. It
 * is the contract between the sources, which fill a source, and the views, which read it. A source
 * is attention weights of steps (queries, words, rows of a matrix) over positions (keys, cells of a
 * picture, words), for each head of each layer, and functions that compute more of them. */
#ifndef SAC_SOURCES_SOURCE_H
#define SAC_SOURCES_SOURCE_H

#include "arrays/labels.h"
#include "images/image.h"
#include "saccade.h"
#include "sources/alignment.h"
#include "sources/attentions.h"
#include "sources/caption.h"
#include "sources/explanation.h"
#include "sources/lesson.h"
#include "sources/origin.h"
#include "sources/picture.h"
#include "sources/reading.h"
#include "sources/training.h"

/* The origin of a view's numbers, which goes into PNG text chunks and back. */
typedef struct sac_origin {
    char file[1024];            /* absolute path; empty: nothing on disk */
    char hash[SAC_ORIGIN_HASH]; /* of it (source/origin.h); empty: there is none */
    char device[160];           /* "PoCL, AMD EPYC, 2 cores"; empty: computed elsewhere */
} sac_origin;

typedef struct sac_source sac_source;

/* What one item of a batch has of its own: its words, and its size without its padding. */
typedef struct sac_source_item {
    size_t steps, positions;
    sac_labels step_labels, position_labels; /* count 0: none */
    size_t *cells; /* as those of the source, which are not this item's; NULL: the source's are */
} sac_source_item;

/* Zero is "none" in every field. Its functions are called on a worker thread, one call at a time;
 * it owns the device behind it. Functions that a source does not have are NULL, and from them
 * follow the views that it opens in. */
struct sac_source {
    void *self;
    sac_origin origin;
    char title[128]; /* "attentions.npz", "scene 42" */
    char note[768];  /* what a person should know before trusting what is shown; empty: nothing */

    /* ---- the weights [layers,batch,heads,steps,positions]; 0 where a request decides how many */
    size_t layers, batch, heads, steps, positions;
    sac_labels step_labels, position_labels; /* count 0: none; owned */
    sac_source_item *items; /* [batch], where items have words or sizes of their own: steps and
                              positions are then the most of any item; owned; NULL: all are alike */
    const size_t
        *layer_numbers; /* [layers] what the layers are called; lent by self; NULL: 0, 1, … */
    bool turned; /* the weights are turned: steps are the keys, and positions the queries that look
                    at them, so that rows do not sum to 1 */
    const sac_image *image; /* what the positions lie over; NULL: nothing; lent by self, and changed
                               by `turn` */
    const float *head_alignment; /* [layers,heads]: the share of words that look most at a word that
                                    they stand for; lent by self; NULL: not known */
    int grid_w, grid_h;          /* of the positions (after `prefix` of them) over the image */
    int prefix;                  /* leading tokens (CLS, registers, a text) that are not cells; more
                                    may follow the cells */
    const size_t *cells; /* [grid_h,grid_w] the position of each cell; lent by self; NULL: they
                            follow each other behind the prefix */

    sac_source *beside; /* what is seen at its side: another picture by the same model, or this one
                          by another; owned; NULL: nothing */

    /* ---- where the weights came from */
    char dtype[16];   /* "float16" */
    char score[32];   /* computed here: the score's name; else empty */
    char mask[128];   /* computed here: "causal", "causal, key padding" …; empty: none */
    size_t key_heads; /* computed here: heads of the keys, which `heads` share; else 0 */
    int heads_asked, key_heads_asked; /* computed here: into how many heads [B,T,D] was split; 0:
                                         none */
    bool softmax, allow_nan, padding; /* asked of weights in the file: they are scores; NaN is
                                         shown; padding is, too */
    char array[128], axes[8];         /* which array of the file, where a person chose it … */
    sac_reading *readings;            /* what else of the file could be shown; owned */
    int reading_count, reading;       /* which one is; −1: none is yet */
    char labels_file[1024], image_file[1024]; /* … and what was opened beside it; empty: nothing */

    /* ---- a model that speaks of pictures */
    int models;
    char model[SAC_CAPTION_MODELS][32]; /* "additive", "scaled-dot" … */
    const char *const *vocabulary;      /* words by number; lent */
    int vocabulary_count;
    bool has_truth; /* boxes are known of what a model without words sees, too */
    sac_caption_truth truth;
    int pictures, picture; /* how many there are to turn to, and which one this is, from 0 */
    bool scenes;           /* turning past the last makes a new scene */

    /* ---- a model that speaks of sentences: of these `has_truth` says whether `alignment` is known
     */
    char text[SAC_TEXT_SIZE]; /* the sentence, in words that the model knows */
    bool typed; /* without `read`: the text may be typed anew, and then all of this is opened again
                 */
    sac_alignment_truth alignment;
    int beam; /* sentences that the models follow at once where nobody asks for another number; 0: 3
               */
    int layered; /* with `attentions`: the first model that it knows the layers and heads of */

    /* ---- lessons, in teaching order */
    const sac_lesson_entry *lessons; /* lent by self */
    int lesson_count;
    sac_lesson_request lesson;    /* that is shown first; its name empty: none is */
    const sac_lesson_door *doors; /* of all steps' doors; static */
    int door_count;

    /* Weights [rows,cols] of the tile of layer `layer` into `weights`. */
    sac_status (*tile)(void *self, size_t layer, const sac_tile *tile, float *weights,
                       sac_error *error);
    /* The same, shrunk to [out_rows,out_cols]; see sac_attention_pool. With every `tile`. */
    sac_status (*pool)(void *self, size_t layer, const sac_tile *tile, sac_pool pool,
                       size_t out_rows, size_t out_cols, float *pooled, sac_error *error);
    /* Tells which weights of the tile a mask keeps at 0, which cannot be seen from the weights:
     * those are 1 in `masked` [rows,cols]. NULL: not known, or none is. */
    sac_status (*masked)(void *self, size_t layer, const sac_tile *tile, uint8_t *masked,
                         sac_error *error);
    /* The attention of one cell of the picture over all others. */
    sac_status (*attend)(void *self, const sac_picture_request *request, sac_picture_result *result,
                         sac_error *error);
    /* True for a word of the vocabulary that a sentence may have before its end. NULL: each. */
    bool (*may_say)(const void *self, int word);
    /* A sentence and where each of its words looks. Not cancelled: it takes milliseconds. */
    sac_status (*speak)(void *self, const sac_caption_request *request, sac_caption *caption,
                        sac_error *error);
    /* The attention of each layer and head of model `model`, where it says what `said` says of the
     * sentence that is open. Free it. NULL: no model has layers. SAC_E_ARGUMENT: this one has not.
     */
    sac_status (*attentions)(void *self, int model, const sac_caption *said,
                             sac_attentions *attentions, sac_error *error);
    /* Takes one weight apart: what it is computed from, and the steps to it. It holds the weights
     * alone where nothing else is known. Free the explanation. */
    sac_status (*explain)(void *self, const sac_explanation_request *request,
                          sac_explanation *explanation, sac_error *error);
    /* Turns to another picture, or sentence: image or text, title, truth, note and picture of this
     * struct change. Not
     * while `speak` runs. */
    sac_status (*turn)(sac_source *source, int picture, sac_error *error);
    /* Takes another sentence, as a person types it: text, title, truth and note change. Not while
     * `speak` runs, whose requests' hidden cells are the words of this sentence from then on.
     * SAC_E_ARGUMENT: a word is not known, or there is none; and nothing changed. */
    sac_status (*read)(sac_source *source, const char *text, sac_error *error);
    /* A copy of a training's newest state; *changed false (and nothing copied) where it is the one
     * of `step`. Any thread. */
    sac_status (*look)(void *self, size_t step, sac_training_snapshot *snapshot, bool *changed,
                       sac_error *error);
    bool (*ended)(void *self); /* the training has; with every `look` */
    /* Computes a lesson. SAC_E_ARGUMENT where a setting makes no sense. Free what it gives. */
    sac_status (*teach)(void *self, const sac_lesson_request *request, sac_shown_lesson *lesson,
                        sac_error *error);
    void (*destroy)(void *self);
};
/* Adds a sentence to the source's note, as far as there is room. */
__attribute__((format(printf, 2, 3))) void sac_source_add_note(sac_source *source,
                                                               const char *format, ...);
/* Adds a model's name to the source's, with a number where that name is there already. */
void sac_source_add_model(sac_source *source, const char *name);
/* True for a word that a person may put into a sentence. */
bool sac_source_may_say(const sac_source *source, int word);
/* The beam of its models where nobody asks for another, and the widest that a person chooses. */
int sac_source_beam(const sac_source *source);
int sac_source_widest_beam(const sac_source *source);
/* Steps, positions and words of an item of the batch. */
size_t sac_source_steps(const sac_source *source, size_t item);
size_t sac_source_positions(const sac_source *source, size_t item);
const sac_labels *sac_source_step_labels(const sac_source *source, size_t item);
const sac_labels *sac_source_position_labels(const sac_source *source, size_t item);
/* The position of cell `cell` of the grid, and the cell that a position is; false: it is none. */
size_t sac_source_cell_position(const sac_source *source, size_t item, size_t cell);
bool sac_source_find_cell(const sac_source *source, size_t item, size_t position, size_t *cell);
/* What a layer is called, and the layer that is called so; false: none is. */
size_t sac_source_layer_number(const sac_source *source, size_t layer);
bool sac_source_find_layer(const sac_source *source, size_t number, size_t *layer);
void sac_source_items_free(sac_source *source); /* all items are alike then */
void sac_source_destroy(sac_source *source); /* frees labels and self; takes NULL and zeroed ones */

/* What `masked` of a source does, for a mask that is known by a rule: whether a head's key is
 * hidden from a query. */
typedef bool sac_hides(size_t head, size_t query, size_t key);
sac_status sac_mask_tile(const sac_tile *tile, sac_hides *hides, uint8_t *masked);
/* `masked` of a source whose tokens do not see those after them. */
sac_status sac_mask_later(void *self, size_t layer, const sac_tile *tile, uint8_t *masked,
                          sac_error *error);

/* Shannon entropy in bits of `count` weights, brought to sum 1; zeros count nothing, nothing but
 * zeros gives 0. */
float sac_entropy(const float *weights, size_t count);
/* The first of the largest of `count` weights. */
int sac_heaviest(const float *weights, int count);

#endif
