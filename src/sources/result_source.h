/* A model that gives outputs: a sentence of a picture or of another sentence, the objects in a
 * picture, or its likeness to phrases; and where each output attends. */
#ifndef SAC_SOURCES_RESULT_SOURCE_H
#define SAC_SOURCES_RESULT_SOURCE_H

#include "sources/attentions.h"
#include "sources/explanation.h"
#include "sources/heads/head_scales.h"

typedef struct sac_source sac_source;

#define SAC_OBJECT_THRESHOLD 0.7f

typedef struct sac_result_source {
    sac_output_kind outputs; /* what they are, with `generate` */
    int models;
    char model[SAC_SOURCE_MODELS][32]; /* "additive", "scaled-dot" … */
    char name[64];                     /* of a model of a folder; empty: one of ours */
    const char *const *vocabulary;     /* words by number; lent */
    int vocabulary_count;
    const char *const *source_words; /* with `read`: the words that a sentence may have, where they
                                        are known; lent */
    int source_word_count;
    char topic[24];        /* the dataset that they were trained on: "book", "photographs"; empty:
                       unknown */
    bool normalizes;       /* a request may have another normalizer than the models' own */
    bool holds_gaze;       /* a request may hold where words look at a picture */
    int beam;              /* the beam width where a request has none; 0: SAC_DEFAULT_BEAM … */
    float length_penalty;  /* … and the length penalty */
    unsigned attributions; /* the kinds of map that words have, 1 << sac_attribution each; 0: their
                              attention alone */
    int queries; /* through which the words look at a picture (a Q-Former's); 0: they look at it
                    themselves */
    int layered; /* with `attentions`: the first model that has layers and heads */

    char languages[2][24]; /* of a translator, from and to: "German"; empty: English and French */

    /* What is true of the picture, or of the sentence. */
    bool has_truth; /* `truth` is known, or of sentences `alignment`; boxes may be known of what a
                       model without words sees, too */
    sac_caption_truth truth;
    sac_alignment_truth alignment;

    /* Of objects and phrases: what is requested to begin with. */
    bool finds_phrases;   /* objects are what phrases of the request name */
    bool reads_query;     /* phrases are one query, whose words are compared with a page */
    float threshold;      /* only what is more probable is shown; 0: SAC_OBJECT_THRESHOLD */
    char phrases[1024];   /* empty: none are given … */
    sac_likeness_way way; /* … and the way */

    /* Of sentences. */
    sac_sampling sampling;    /* with `candidates`: when it was opened; count 0: none was */
    char text[SAC_TEXT_SIZE]; /* the sentence, in words that the model knows */
    bool has_times;           /* of sounds: words have the second at which they begin */
    bool
        is_spelled; /* the words are read off the sound: none is searched for, and none can be replaced */
    bool typed; /* without `read`: the text may be typed anew, and then all of this is opened again
                 */

    /* What one kind of model does itself. Only the functions below call these; `self` is the
     * source's. Not cancelled: each takes milliseconds. */

    /* Has the model encode the picture or the sentence that is open. What is generated of it is
     * kept then. NULL: there is nothing to encode, and nothing is kept. */
    sac_status (*encode)(sac_source *source, int model, sac_error *error);
    /* Generates a sentence of what the request's model encoded last, or gives other outputs.
     * Of a text without sampling: as it was opened, its rows left out.
     * SAC_E_ARGUMENT where a request for phrases has none, too many, or one that is too long. */
    sac_status (*generate)(void *self, const sac_result_request *request, sac_result *caption,
                           sac_error *error);
    /* The most probable tokens [SAC_GENERATION_CANDIDATES] at step `step` of the last generation with
     * sampling, under the sampling `how`; *kept: so many of all tokens may be drawn. Nothing else is
     * computed anew. NULL: the model generates nothing token by token. */
    sac_status (*candidates)(void *self, size_t step, const sac_sampling *how,
                             sac_candidate *candidates, int *count, int *kept, sac_error *error);
    /* Opens another sentence: text, truth, and the source's title and note change. SAC_E_ARGUMENT:
     * a word is not known, or there is none; and nothing changed. NULL: it reads none. */
    sac_status (*read)(sac_source *source, const char *text, sac_error *error);
    /* The attention of each layer and head of a model, where it generates the words of `caption`
     * from what it has encoded. NULL: no model has layers. SAC_E_ARGUMENT: this one has not. */
    sac_status (*attentions)(void *self, int model, const sac_result *caption,
                             sac_attentions *attentions, sac_error *error);
    /* Where each head of a layer looks at the picture, maps [heads,count,grid_h,grid_w], where the model generates these
     * tokens: those that the request gave just now. They sum to less than 1 where a row has other keys. NULL: words have
     * no heads that look at cells. With `weights.layers` and `weights.heads`. */
    sac_status (*head_maps)(void *self, const sac_result_request *request, int layer, int count,
                            float *maps, sac_error *error);
    size_t
        heads_together; /* with it: so many heads that follow each other share values; 0: none do */
    /* `attentions` with those of the encoders and of the prompt. NULL: `attentions` gives all. */
    sac_status (*all_attentions)(void *self, const sac_result *caption, sac_attentions *attentions,
                                 sac_error *error);
    /* Multiplies what the heads of one of sac_attention_kind_names give by `scale` [layers,heads], NULL:
     * by 1, in all that is encoded and generated from then on. NULL: these heads cannot be scaled. */
    sac_status (*scale_heads)(void *self, int kind, const float *scale, sac_error *error);
    /* How many there are; false: none that can be scaled. With every `scale_heads`, and where layers of their own
     * find objects (SAC_CROSS_ATTENTION). */
    bool (*heads)(const void *self, int kind, size_t *layers, size_t *heads);
    /* True for a word of the vocabulary that a sentence may have before its end. NULL: each. */
    bool (*token_allowed)(const void *self, int word);
    char without
        [256]; /* the heads that are scaled since it was opened, as sac_source_scale_heads reads
                          them; empty: none */

    struct sac_kept_captions *kept; /* result_source.c's */
} sac_result_source;

/* What a source that has `generate` is asked. None is called while another one runs. */

/* A sentence and where each of its words attends: encoded and decoded where it was not
 * before. Free it. */
sac_status sac_source_generate(sac_source *source, const sac_result_request *request,
                               sac_result *caption, sac_error *error);
/* Keeps what a model generated on the way, for later calls. */
void sac_source_keep(sac_source *source, const sac_result_request *request,
                     const sac_result *caption);
/* Turns to picture or sentence `number`, from 0; or reads another sentence. Hidden positions of later requests are those of what is open then. */
sac_status sac_source_turn_to_example(sac_source *source, int number, sac_error *error);
sac_status sac_source_read(sac_source *source, const char *text, sac_error *error);
/* The attention of each layer and head of a model that generates `caption`: free it. None where no
 * model has layers. */
sac_status sac_source_attentions(sac_source *source, int model, const sac_result *caption,
                                 sac_attentions *attentions, sac_error *error);
/* All heads of what generated the caption by model 0: of a model without any none. Free them. */
sac_status sac_source_all_attentions(sac_source *source, const sac_result *caption,
                                     sac_attentions *attentions, sac_error *error);
/* Has a model encode what is open, unless it has. */
sac_status sac_source_encode(sac_source *source, int model, sac_error *error);
/* Scales heads by a text such as "encoder:3.2,cross:5.0=0.5,1.1": sac_head_scales_read's, where each of
 * sac_attention_kind_names stands before heads of it; those before any are the decoder's. All that are
 * not named give all of it. SAC_E_ARGUMENT, and nothing changes, where it is malformed. */
sac_status sac_source_scale_heads(sac_source *source, const char *text, sac_error *error);
/* The same of one kind, scale [layers,heads]; the others stay. NULL: all of it. */
sac_status sac_source_scale_kind(sac_source *source, int kind, const float *scale,
                                 sac_error *error);
/* What model 0 generates for what is open with all heads, and with those of a kind scaled, into effect->before
 * and effect->now; the heads are as they were then. */
sac_status sac_source_generate_without(sac_source *source, int kind, const float *scale,
                                       sac_heads_effect *effect, sac_error *error);
/* The attention of model 0 where it generates `caption` with heads of a kind scaled: free it. */
sac_status sac_source_attentions_without(sac_source *source, int kind, const float *scale,
                                         const sac_result *caption, sac_attentions *attentions,
                                         sac_error *error);
/* One weight taken apart, of any source that explains weights (source->weights.explain). Of a
 * caption: of the request's, which is decoded again where another one was decoded since. */
sac_status sac_source_explain(sac_source *source, const sac_explanation_request *request,
                              sac_explanation *explanation, sac_error *error);
/* True for a word that a person may put into a sentence. */
bool sac_source_allows_token(const sac_source *source, int word);
/* Adds a model's name to the source's, with a number where that name is there already. */
void sac_source_add_model(sac_source *source, const char *name);
/* The beam width where a request has none, and the widest that a person chooses. */
int sac_source_beam(const sac_source *source);
int sac_source_widest_beam(const sac_source *source);
void sac_source_forget(sac_source *source); /* all that was encoded and is kept */

#endif
