/* Models that others trained, out of a folder as Hugging Face's libraries write it, run here: a
 * text, or a picture, goes through all layers, and what each head looks at is there to see.
 *
 *     sac_family_model *model;
 *     sac_passage *passage;
 *     sac_family_open("all-MiniLM-L6-v2", NULL, &model, error);
 *     sac_passage_read(model, "the bank of the river", &passage, error);
 *     sac_passage_trace(passage, &trace, error);
 */
#ifndef SAC_FAMILIES_FAMILIES_H
#define SAC_FAMILIES_FAMILIES_H

#include "pretrained/pretrained.h"
#include "trace/trace.h"

typedef struct sac_family sac_family;
typedef struct sac_family_model sac_family_model;

/* "bert, distilbert, gpt2 …": the model_type of each that is known. */
char *sac_family_names(char *text, size_t size);
/* Opens the folder's model on a device. Weights are mapped, and stay so on a CPU. SAC_E_FORMAT
 * where its family is not known, or a tensor is missing, which is named; SAC_E_SHAPE where one has
 * another shape than config.json says. */
sac_status sac_family_open(const char *folder, const char *device, sac_family_model **model,
                           sac_error *error);
sac_family_model *sac_family_keep(sac_family_model *model); /* one more user, to be closed too */
void sac_family_close(sac_family_model *model);             /* takes NULL */
bool sac_family_is_of(const sac_family_model *model, const char *folder);
/* What is assumed, or left aside, of the folder, in a line; "": nothing. */
const char *sac_family_told(const sac_family_model *model);
/* True where the model says what comes next. */
bool sac_family_continues(const sac_family_model *model);
/* True where it sees pictures, and reads no text. */
bool sac_family_sees(const sac_family_model *model);
/* True where it has layers of heads, and a passage a trace. */
bool sac_family_has_heads(const sac_family_model *model);
/* True where it also says what it sees (captioner.h). */
bool sac_family_speaks(const sac_family_model *model);
/* True where it translates what it reads (translator.h). */
bool sac_family_translates(const sac_family_model *model);

/* ---- a text that was read, or a picture that was seen */

typedef struct sac_passage {
    sac_family_model *model; /* one user of it */
    int *ids;                /* [count] */
    size_t count;
    bool cut;      /* the text has more tokens than the model has places */
    size_t second; /* of BERT's kind: where a second text begins, after "[SEP]"; 0: no */
    int grid_w, grid_h, prefix; /* of a picture: its patches, and the tokens before them */
    sac_image image;            /* what they lie over; owned */
    float *entered;             /* [count,D]: what enters the first layer … */
    float *left; /* … and what leaves the last; of GPT-2's kind that is normed, as `transformers`
                    gives it */
    struct sac_passage_layer *layer; /* [layers], on the device */
    float *next; /* [V] logits of what comes next; NULL: the model does not say */
    double milliseconds;
} sac_passage;

/* SAC_E_ARGUMENT where the text has no tokens, SAC_E_VALUE where the weights give no numbers. A
 * text with "[SEP]" in it is a pair where a model knows two kinds of text. */
sac_status sac_passage_read(sac_family_model *model, const char *text, sac_passage **passage,
                            sac_error *error);
sac_status sac_passage_read_tokens(sac_family_model *model, const int *ids, size_t count,
                                   sac_passage **passage, sac_error *error);

/* What of a picture a model is shown. */
typedef enum sac_picture_fit {
    SAC_FIT_WHOLE = 0, /* all of it in its own aspect, the shorter side as long as the rules say */
    SAC_FIT_TRAINED,   /* just what the model's picture rules say, the middle or out of shape */
    SAC_FIT_SHOWN,     /* the same; what is out of shape is shown in its own aspect */
} sac_picture_fit;
/* SAC_E_SHAPE where its patches are too many. */
sac_status sac_passage_see(sac_family_model *model, const sac_image *picture, sac_picture_fit fit,
                           sac_passage **passage, sac_error *error);
/* The same of `pixels` [3,height,width] as the model takes them; the passage has no image. What is
 * left of a side behind the last whole patch is not seen. SAC_E_SHAPE where there is none. */
sac_status sac_passage_see_pixels(sac_family_model *model, const float *pixels, int width,
                                  int height, sac_passage **passage, sac_error *error);
/* Goes through the layers again → states [layers + 1,count,D]: what enters each, and what leaves
 * the last: as transformers gives it, of a picture before the norm at the end, of a text after it.
 * Few ask for them, and all at once are as large as a model. */
sac_status sac_passage_states(const sac_passage *passage, float *states, sac_error *error);
void sac_passage_free(sac_passage *passage);               /* takes NULL */
size_t sac_passage_width(const sac_passage *passage);      /* D */
size_t sac_passage_vocabulary(const sac_passage *passage); /* V */
/* The tokens as people read them: "[CLS]", "·the"; of a picture those before its patches. Free the
 * labels. */
sac_status sac_passage_labels(const sac_passage *passage, sac_labels *labels, sac_error *error);

/* A trace of the weights of all layers and heads. Takes the passage, also where it fails. */
sac_status sac_passage_trace(sac_passage *passage, sac_trace *trace, sac_error *error);
/* The model behind such a trace; lent. */
sac_family_model *sac_passage_trace_model(const sac_trace *trace);
/* The passage behind it; lent. */
const sac_passage *sac_passage_of_trace(const sac_trace *trace);

/* ---- what comes next */

typedef struct sac_next_token {
    int id;
    float probability;
} sac_next_token;
/* The `count` most probable, the first first, at a temperature of 1. False: the model does not say.
 */
bool sac_passage_next(const sac_passage *passage, sac_next_token *tokens, size_t count);

typedef struct sac_continue_options {
    int count;         /* most tokens that are said */
    float temperature; /* of the draw; 0: the most probable token each time */
    uint64_t seed;     /* of the draw: the same one says the same */
} sac_continue_options;
/* What the model says after the text, until that is `count` tokens, the token that ends a text, or
 * all that it has places for; that token is not in `said` [options->count]. SAC_E_ARGUMENT where
 * the model does not say what comes next. */
sac_status sac_passage_continue(const sac_passage *passage, const sac_continue_options *options,
                                int *said, int *count, sac_error *error);
/* The text of tokens: free() it; NULL: no memory. */
char *sac_passage_text(const sac_passage *passage, const int *ids, size_t count);

#endif
