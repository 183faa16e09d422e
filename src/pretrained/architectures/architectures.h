/* Models that others trained, out of a folder as Hugging Face's libraries write it, run here: a
 * text, or a picture, goes through all layers, and the attention of each head can be read.
 *
 *     sac_pretrained_model *model;
 *     sac_inference *inference;
 *     sac_pretrained_model_open_stored("all-MiniLM-L6-v2", NULL, SAC_STORAGE_F32, &model, error);
 *     sac_inference_read(model, "the bank of the river", &inference, error);
 *     sac_inference_open_source(inference, &source, error);
 */
#ifndef SAC_ARCHITECTURES_ARCHITECTURES_H
#define SAC_ARCHITECTURES_ARCHITECTURES_H

#include "pretrained/files/pretrained.h"
#include "sounds/sound.h"
#include "sources/source.h"

typedef struct sac_architecture sac_architecture;
typedef struct sac_pretrained_model sac_pretrained_model;

/* Opens the folder's model on a device. Weights are mapped, and stay so on a CPU. SAC_E_FORMAT
 * where its architecture is not known, or a tensor is missing, which is named; SAC_E_SHAPE where
 * one has another shape than in config.json. SAC_STORAGE_BF16 rounds weights to bfloat16 as they are read, and where the
 * processor multiplies pairs of those, what is multiplied by them, and queries, keys and values; sums and all else
 * stay float32. SAC_STORAGE_F32: weights as the file has them. */
sac_status sac_pretrained_model_open_stored(const char *folder, const char *device,
                                            sac_storage storage, sac_pretrained_model **model,
                                            sac_error *error);
extern const char *const sac_model_storage_names[2];                 /* "float32", "bfloat16" */
bool sac_model_storage_find(const char *name, sac_storage *storage); /* false: there is none */
/* The same on a device that is open, and of a model inside another file. */
sac_status sac_pretrained_model_open_on(const char *folder, sac_device *device,
                                        sac_pretrained_model **model, sac_error *error);
sac_status sac_pretrained_model_open_inside(const sac_pretrained_inside *inside, sac_device *device,
                                            sac_pretrained_model **model, sac_error *error);
/* What a model is, by its config and the names of its tensors: no weight is read, and no device opened. */
typedef struct sac_model_facts {
    const char *type;  /* "llama"; static */
    int layers, heads; /* 0: it has none */
    size_t width;
} sac_model_facts;
/* Fails as opening it does, so far. */
sac_status sac_pretrained_model_read_facts(const char *path, sac_model_facts *facts,
                                           sac_error *error);
sac_pretrained_model *
sac_architecture_retain(sac_pretrained_model *model);         /* one more user, to be closed too */
void sac_pretrained_model_close(sac_pretrained_model *model); /* takes NULL */
bool sac_architecture_is_of(const sac_pretrained_model *model, const char *folder);
/* Its folder, its device, and how it was opened. */
void sac_architecture_origin(const sac_pretrained_model *model, sac_origin *origin);
/* Each model_type that is known, in turn; NULL: there are no more. */
const char *sac_architecture_type(size_t number);
/* What is assumed, or left aside, of the folder, in a line; "": nothing. */
const char *sac_architecture_note(const sac_pretrained_model *model);
/* True where the model predicts the next token. */
bool sac_architecture_continues(const sac_pretrained_model *model);
/* True where it sees pictures; and where it reads text, as CLIP does both. */
bool sac_architecture_has_media_encoder(const sac_pretrained_model *model);
bool sac_architecture_has_text_encoder(const sac_pretrained_model *model);
/* True where it answers about a picture in a prompt, so that it reads texts alone, too. */
bool sac_architecture_reads_prompts(const sac_pretrained_model *model);
/* True where what it sees are sounds, by their spectrograms. */
bool sac_architecture_has_audio(const sac_pretrained_model *model);
/* True where it has layers of heads, and an inference a source. */
bool sac_architecture_has_heads(const sac_pretrained_model *model);
/* What there is to be looked at of an encoder in stages, and of a decoder of what it encodes, into
 * `opened`; opened->array names what of it is. SAC_E_MEMORY. */
sac_status sac_architecture_list_stages(const sac_pretrained_model *model,
                                        sac_weights_opened *opened, sac_error *error);
bool sac_architecture_has_staged_vision(const sac_pretrained_model *model);
/* True where it also captions a picture (captioner.h). */
bool sac_architecture_is_captioner(const sac_pretrained_model *model);
/* True where it translates what it reads (translator.h). */
bool sac_architecture_translates(const sac_pretrained_model *model);

/* Its files; lent. */
const sac_pretrained *sac_architecture_files(const sac_pretrained_model *model);

/* What an encoder makes of square pictures of `side` pixels; 0: of the size that its folder's rules
 * of pictures bring them to. */
typedef struct sac_square_encoding {
    int side;                            /* in pixels, as it was trained on */
    int grid;                            /* cells on a side */
    size_t width;                        /* numbers of a cell */
    float factor, mean[3], deviation[3]; /* of sac_picture_rules_light */
} sac_square_encoding;
/* SAC_E_ARGUMENT where the model sees no pictures, also generates, or has no square grid. */
sac_status sac_architecture_square_encoding(const sac_pretrained_model *model, int side,
                                            sac_square_encoding *encoding, sac_error *error);

/* ---- a text that was read, or a picture that was seen */

/* Tokens of this number that stand side by side all look at each other; 0: none do. */
typedef struct sac_block {
    int token;
    bool has_start; /* so do those that stand before the first of them */
    bool is_near;   /* in layers with a window alone */
} sac_block;

typedef struct sac_inference {
    sac_pretrained_model *model; /* one user of it */
    int *ids;                    /* [count] */
    size_t count, generated;     /* the model itself generated the last so many … */
    sac_sampling sampled_by;     /* … in this way */
    bool cut;                    /* the text has more tokens than the model has places */
    size_t second; /* of a pair: where the second text begins, after the separator; 0: one text */
    int *
        places; /* [count,3] of a text with a picture: time, row, column; NULL: one after the other */
    size_t next_place;     /* behind them */
    uint8_t *hidden;       /* [count], 1: no token looks at it; NULL: at all */
    bool is_bidirectional; /* each token looks at all others, and not at those before it alone */
    sac_block block;
    const uint8_t
        *unseen; /* [count,count], 1: a token does not see another; lent; NULL: by the order … */
    size_t
        joined; /* … and so many tokens at the beginning see one another beyond a layer's window, too */
    const struct sac_attended
        *memory;                /* that it attends to beside its own tokens; lent; NULL: nothing */
    int grid_w, grid_h, prefix; /* of a picture: its patches, and the tokens before them */
    struct sac_windows
        *windows; /* [2], of a stage (vision/stages.h): of even and of odd layers; owned … */
    bool keeps;   /* … which keeps what its heads are computed from */
    bool shows_channels; /* of a stage: its source shows how channels look at channels */
    sac_image image;     /* what they lie over; owned */
    float *
        pixels; /* [3,pixels_h,pixels_w], of an encoder in stages: what its stages are seen again by; owned */
    int pixels_w, pixels_h;
    float *
        unplaced; /* [count,D] of a sound, before it has positions by a convolution; owned; NULL: of another */
    float *finer; /* [finer_count,D] of a pyramid: the levels below; owned; NULL: none */
    size_t finer_count;
    float *entered; /* [count,D]: what enters the first layer … */
    float *left; /* … and what leaves the last; of GPT-2's kind that is normed, as `transformers`
                    gives it */
    /* Of a picture, [levels,count,D]: what leaves the vision encoder's levels. Of a text with a picture, [level_count,n,D]:
     * what is added where tokens `picture` of the first level_tokens leave the first layers. Owned; NULL: nothing. */
    float *levels;
    int level_count, picture;
    size_t level_tokens;
    struct sac_inference_layer *layer; /* [layers], on the device */
    struct sac_state_memory
        *kept; /* of each layer that keeps a state, the same behind the text; owned */
    float *
        gates; /* [layers,H,count] by which what scores have of distances was multiplied; owned; NULL: it was not */
    float *next;  /* [V] logits of what comes next; NULL: the model predicts none */
    float *scale; /* [layers,H] what each head gives was multiplied by; NULL: no head is scaled */
    float temperature; /* that the scores to the memory were divided by, or else all; 0: 1 */
    double milliseconds;
    sac_turn *turns; /* [turn_count] of a conversation; owned; NULL: it is none */
    size_t turn_count;
    struct sac_compared *compared; /* likeness.c's */
} sac_inference;

/* What stands between two texts that the model reads as a pair, by its tokenizer: "[SEP]",
 * "</s></s>". False: it reads no pairs. */
enum { SAC_SEPARATOR = 96 };
bool sac_architecture_separator(const sac_pretrained_model *model, char *text, size_t size);
/* SAC_E_ARGUMENT where the text has no tokens, SAC_E_VALUE where the weights give no numbers. A
 * text with one such separator inside is a pair, framed as its tokenizer frames one. */
sac_status sac_inference_read(sac_pretrained_model *model, const char *text,
                              sac_inference **inference, sac_error *error);
struct sac_conversation;
/* The same of a conversation, whose text has all special tokens already. */
sac_status sac_inference_read_conversation(sac_pretrained_model *model,
                                           const struct sac_conversation *conversation,
                                           sac_inference **inference, sac_error *error);
sac_status sac_inference_read_tokens(sac_pretrained_model *model, const int *ids, size_t count,
                                     sac_inference **inference, sac_error *error);

/* The same text or picture, without its image, through the layers of its model where what head h of
 * layer l gives, before the heads are joined, is multiplied by scale[l·H + h]: 0 switches it off. */
sac_status sac_inference_scaled(const sac_inference *whole, const float *scale,
                                sac_inference **scaled, sac_error *error);

/* The same with scales as text (sources/head_scales.h). */
sac_status sac_inference_without_heads(const sac_inference *whole, const char *text,
                                       sac_inference **scaled, sac_error *error);

/* What of a picture a model is shown. */
typedef enum sac_picture_fit {
    SAC_FIT_WHOLE = 0, /* all of it in its own aspect, the shorter side as long as in the rules */
    SAC_FIT_TRAINED,   /* just by the model's picture rules, the middle or out of shape */
    SAC_FIT_SHOWN,     /* the same; what is out of shape is shown in its own aspect */
} sac_picture_fit;
/* SAC_E_SHAPE where its patches are too many. */
sac_status sac_inference_see(sac_pretrained_model *model, const sac_image *picture,
                             sac_picture_fit fit, sac_inference **inference, sac_error *error);
/* The same by an encoder in stages, whose heads are scaled as in sac_stages_see; NULL: they are not. */
sac_status sac_inference_see_scaled(sac_pretrained_model *model, const sac_image *picture,
                                    sac_picture_fit fit, const float *scale,
                                    sac_inference **inference, sac_error *error);
/* Of an encoder in stages, which has grids, layers and heads of its own in each, what went through
 * the stage `take`: "stage 1", … NULL or empty: that with most layers, as sac_inference_see
 * takes it. SAC_E_ARGUMENT where the model has no such stage. */
sac_status sac_inference_see_stage(sac_pretrained_model *model, const sac_image *picture,
                                   sac_picture_fit fit, const char *take, sac_inference **inference,
                                   sac_error *error);
/* The same of `pixels` [3,height,width] as the model takes them; the inference has no image. What
 * is left of a side behind the last whole patch is not seen. SAC_E_SHAPE where there is none. */
sac_status sac_inference_see_pixels(sac_pretrained_model *model, const float *pixels, int width,
                                    int height, sac_inference **inference, sac_error *error);
/* The first seconds of a sound of SAC_MEL_RATE, as many as the model takes at once; the image is its
 * spectrogram, the patches are times. SAC_E_ARGUMENT where it is too short. */
sac_status sac_inference_read_audio(sac_pretrained_model *model, const sac_sound *sound,
                                    sac_inference **inference, sac_error *error);
/* The same of a file. */
sac_status sac_inference_load_audio(sac_pretrained_model *model, const char *path,
                                    sac_inference **inference, sac_error *error);
/* The same sound, without its image, at another temperature of all layers, with cells [count] that are hidden (NULL: none
 * are), and with the heads scaled as they are of the whole. */
sac_status sac_inference_reencode_sound(const sac_inference *whole, float temperature,
                                        const uint8_t *hidden, sac_inference **again,
                                        sac_error *error);
/* The number whose gradient relevance is made of: the logit of the most probable next token behind
 * the text, or of the most probable class of a text or a picture; where the model predicts neither, half the
 * squared length of the mean of all last states, which is what models of sentences make of a text. */
typedef enum sac_logit_kind { SAC_LOGIT_NEXT = 0, SAC_LOGIT_CLASS, SAC_LOGIT_MEAN } sac_logit_kind;
typedef struct sac_logit {
    sac_logit_kind kind;
    int id;    /* of the token, or of the class */
    size_t at; /* the token whose last state predicts it */
    float logit;
} sac_logit;
/* maps [layers,count,count]: the mean over a layer's heads of attention times its gradient, above 0
 * (Chefer et al. 2021). SAC_E_ARGUMENT where no gradient is known of such a model. */
sac_status sac_inference_relevance(const sac_inference *inference, sac_logit *logit, float *maps,
                                   sac_error *error);
bool sac_inference_has_relevance(const sac_inference *inference);
/* Goes through the layers again → states [layers + 1,count,D]: what enters each, and what leaves
 * the last: as transformers gives it, of a picture and by CLIP before the norm at the end, of other
 * texts after it.
 * Few ask for them, and all at once are as large as a model. */
sac_status sac_inference_states(const sac_inference *inference, float *states, sac_error *error);
void sac_inference_free(sac_inference *inference);               /* takes NULL */
size_t sac_inference_width(const sac_inference *inference);      /* D */
size_t sac_inference_vocabulary(const sac_inference *inference); /* V */
/* The tokens as people read them: "[CLS]", "·the"; of a picture those before its patches. Free the
 * labels. */
sac_status sac_inference_labels(const sac_inference *inference, sac_labels *labels,
                                sac_error *error);

/* A source of the weights of all layers and heads. It owns the inference from then on; where this
 * fails, the inference is freed. */
sac_status sac_inference_open_source(sac_inference *inference, sac_source *source,
                                     sac_error *error);

/* ---- a picture and phrases */

/* True where the model of a picture that was seen compares it with phrases. */
bool sac_inference_compares(const sac_inference *inference);
/* Notes which of the source's phrases are longer than what the model reads. */
void sac_architecture_note_cut_phrases(const sac_pretrained_model *model, sac_source *source);
/* The request's phrases over the patches. What was computed of picture and phrases is kept for the
 * next time. */
sac_status sac_inference_compare(sac_inference *inference, const sac_result_request *request,
                                 sac_result *result, sac_error *error);

/* ---- a picture and what is in it */

/* True where the model of a picture that was seen detects objects in it (DETR). */
bool sac_inference_finds(const sac_inference *inference);
/* An object of each query, over the cells. */
sac_status sac_inference_find_objects(const sac_inference *inference, sac_result *result,
                                      sac_error *error);

/* True where it finds what phrases name (OWL-ViT). */
bool sac_inference_finds_phrases(const sac_inference *inference);
/* The objects that are most like the request's phrases, each of a patch, over the cells; of the request's layer and head. */
sac_status sac_inference_find_phrases(sac_inference *inference, const sac_result_request *request,
                                      sac_result *result, sac_error *error);

/* ---- what comes next */

typedef struct sac_next_token {
    int id;
    float probability;
} sac_next_token;
/* The `count` most probable, the first first, at a temperature of 1. False: the model predicts none.
 */
bool sac_inference_next(const sac_inference *inference, sac_next_token *tokens, size_t count);
/* The logits [V] of the token behind token `at` of the text, whichever stands there. SAC_E_ARGUMENT
 * where the model predicts no next token. */
sac_status sac_inference_logits(const sac_inference *inference, size_t at, float *logits,
                                sac_error *error);
/* The same of any logits [vocabulary], and the probability of one of them. */
void sac_logits_next(const float *logits, size_t vocabulary, sac_next_token *tokens, size_t count);
float sac_logits_probability(const float *logits, size_t vocabulary, int id);

/* The generation after the text, until that is `count` tokens, the token that ends a text, or
 * all that it has places for; that token is not in `generated` [how->count]. SAC_E_ARGUMENT where
 * the model predicts no next token. */
sac_status sac_inference_continue(const sac_inference *inference, const sac_sampling *how,
                                  int *generated, int *count, sac_error *error);
/* What `whole` read, and what is generated after it with heads scaled as those of `now` are, as one text, which is read with
 * heads scaled by `scale` (NULL: they are not). */
sac_status sac_inference_extend(const sac_inference *whole, const sac_inference *now,
                                const sac_sampling *how, const float *scale, sac_inference **longer,
                                sac_error *error);
/* The text of tokens: free() it; NULL: out of memory. */
char *sac_inference_text(const sac_inference *inference, const int *ids, size_t count);

#endif
