/* A model that says a sentence, of a picture or of another sentence, and tells where each of its
 * words looks. */
#ifndef SAC_SOURCES_SPEAKER_H
#define SAC_SOURCES_SPEAKER_H

#include "sources/attentions.h"
#include "sources/caption.h"

typedef struct sac_source sac_source;

typedef struct sac_speaker_source {
    int models;
    char model[SAC_CAPTION_MODELS][32]; /* "additive", "scaled-dot" … */
    const char *const *vocabulary;      /* words by number; lent */
    int vocabulary_count;
    int beam; /* sentences that the models follow at once where nobody asks for another number; 0: 3
               */
    int layered; /* with `attentions`: the first model that it knows the layers and heads of */

    /* What is true of the picture, or of the sentence. */
    bool has_truth; /* `truth` is known, or of sentences `alignment`; boxes may be known of what a
                       model without words sees, too */
    sac_caption_truth truth;
    sac_alignment_truth alignment;

    /* Of sentences. */
    char text[SAC_TEXT_SIZE]; /* the sentence, in words that the model knows */
    bool typed; /* without `read`: the text may be typed anew, and then all of this is opened again
                 */

    /* A sentence and where each of its words looks. Not cancelled: it takes milliseconds. */
    sac_status (*speak)(void *self, const sac_caption_request *request, sac_caption *caption,
                        sac_error *error);
    /* True for a word of the vocabulary that a sentence may have before its end. NULL: each. */
    bool (*may_say)(const void *self, int word);
    /* The sentence as it is written, of pieces that only the model's tokenizer joins; free() it.
     * NULL: it is words between blanks. */
    char *(*join)(const void *self, const sac_caption *said);
    /* The attention of each layer and head of model `model`, where it says what `said` says of the
     * sentence that is open. Free it. NULL: no model has layers. SAC_E_ARGUMENT: this one has not.
     */
    sac_status (*attentions)(void *self, int model, const sac_caption *said,
                             sac_attentions *attentions, sac_error *error);
    /* Takes another sentence, as a person types it: text, truth, and the source's title and note
     * change. Not while `speak` runs, whose requests' hidden cells are the words of this sentence
     * from then on. SAC_E_ARGUMENT: a word is not known, or there is none; and nothing changed. */
    sac_status (*read)(sac_source *source, const char *text, sac_error *error);
} sac_speaker_source;

#endif
