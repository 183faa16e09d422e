/* The source: all that a viewer needs to know of attention, and nothing of how it is computed. It
 * is the contract between what computes, which fills a source, and the views, which read it. A
 * source offers some of six interfaces, each a header of its own: weights, a picture, results, a
 * lesson, a training, what can be trained. */
#ifndef SAC_SOURCES_SOURCE_H
#define SAC_SOURCES_SOURCE_H

#include "sources/lesson.h"
#include "sources/origin.h"
#include "sources/picture.h"
#include "sources/result_source.h"
#include "sources/trainer.h"
#include "sources/training.h"
#include "sources/weights.h"

/* The origin of a view's numbers, which goes into PNG text chunks and back. */
typedef struct sac_origin {
    char file[1024];            /* absolute path; empty: nothing on disk */
    char weights[1024];         /* of a person's own model, beside the file; empty: the program's */
    char hash[SAC_ORIGIN_HASH]; /* of it (source/origin.h); empty: there is none */
    char device[160];           /* "PoCL, AMD EPYC, 2 cores"; empty: computed elsewhere */
    /* Of a model's folder, how it was opened; empty: as it is. Of a sound its language and what is
     * done with it. */
    char storage[16], language[16], task[16];
    char ignored[300];   /* keys of a GGUF that were passed over, parted by commas */
    char continued[160]; /* how a text was continued (sac_sampling_text); empty: it was not */
    char fit[16];        /* "as trained", of a picture; empty: all of it */
} sac_origin;

/* Zero is "none" in every field of it and of its interfaces. Their functions are called with
 * `self`, on a worker thread, one call at a time; it owns the device behind it. Functions that a
 * source does not have are NULL, and from them follow the views that it opens in. */
struct sac_source {
    sac_origin origin;
    char title[128]; /* "attentions.npz", "scene 42" */
    char note[768]; /* what a person should know before trusting what is shown; empty: nothing … */
    size_t note_shown;  /* … and its first bytes, which pictures have too */
    sac_source *beside; /* what is seen at its side: another picture by the same model, or this one
                          by another; owned; NULL: nothing */

    sac_weights_source weights;
    sac_picture_source picture;
    sac_result_source result;
    sac_lesson_source lesson;
    sac_training_source training;
    sac_trainer_source trainer;

    void *self;
    void (*destroy)(void *self);
};
/* Who reads a note: each reaches the terminal and JSON, … */
typedef enum sac_note_place {
    SAC_NOTE_REPORTED,
    SAC_NOTE_SHOWN /* … and this one the picture, too, which is misread without it */
} sac_note_place;
/* Adds a sentence to the source's note, as far as there is room. */
__attribute__((format(printf, 3, 4))) void
sac_source_add_note(sac_source *source, sac_note_place place, const char *format, ...);
void sac_source_clear_note(sac_source *source);
/* What of it a picture has, into `text`, which is returned. */
char *sac_source_shown_note(const sac_source *source, char *text, size_t size);
/* All of it, and what is to be known of a caption. */
char *sac_source_whole_note(const sac_source *source, const sac_result *caption, char *text,
                            size_t size);
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

#endif
