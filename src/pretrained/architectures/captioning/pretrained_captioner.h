/* A model that generates the caption of a photograph, token by token, and where each token attends:
 * BLIP, ViT-GPT2. Or the translation of a text: Marian.
 *
 *     sac_pretrained_captioner *captioner;
 *     sac_pretrained_captioner_create(model, &captioner, error);
 *     sac_pretrained_captioner_encode_picture(captioner, &photograph, error);
 *     sac_pretrained_captioner_generate(captioner, &(sac_result_request){0}, &caption, error);
 */
#ifndef SAC_ARCHITECTURES_CAPTIONING_PRETRAINED_CAPTIONER_H
#define SAC_ARCHITECTURES_CAPTIONING_PRETRAINED_CAPTIONER_H

#include "architectures/architectures.h"

typedef struct sac_pretrained_captioner sac_pretrained_captioner;

/* Keeps the model. SAC_E_ARGUMENT where it generates neither. */
sac_status sac_pretrained_captioner_create(sac_pretrained_model *model,
                                           sac_pretrained_captioner **captioner, sac_error *error);
void sac_pretrained_captioner_destroy(sac_pretrained_captioner *captioner); /* takes NULL */

/* Encodes a picture by preprocessor_config.json. `shown` (may be NULL) becomes what the cells
 * lie over: the picture in its own aspect, or where a part of it is cut out that part. */
sac_status sac_pretrained_captioner_encode_picture(sac_pretrained_captioner *captioner,
                                                   const sac_image *picture, sac_image *shown,
                                                   sac_error *error);
/* The same of several pictures for one question, in their order; `shown` has them beside each other.
 * SAC_E_ARGUMENT where the model's prompt has no places for them. */
sac_status sac_pretrained_captioner_encode_pictures(sac_pretrained_captioner *captioner,
                                                    const sac_image *pictures, int count,
                                                    sac_image *shown, sac_error *error);
/* Encodes a sound of SAC_MEL_RATE, of which the first seconds are taken; `shown` becomes its
 * spectrogram, whose columns the cells lie over. */
sac_status sac_pretrained_captioner_read_audio(sac_pretrained_captioner *captioner,
                                               const sac_sound *sound, sac_image *shown,
                                               sac_error *error);
/* A sound that is longer is taken in pieces: the first by that, the others, from frame `at` on, by this. */
sac_status sac_pretrained_captioner_read_piece(sac_pretrained_captioner *captioner, size_t at,
                                               sac_image *shown, sac_error *error);
/* The frame at which the piece behind the one that was captioned last begins; 0: there is none. */
size_t sac_pretrained_captioner_next_piece(const sac_pretrained_captioner *captioner);
/* Sounds are transcribed in this language, "de", from the next one on; NULL: in the one of the folder, or else in
 * the one that is found in each; and "transcribe" or "translate", NULL: the folder's.
 * SAC_E_ARGUMENT where the model knows no such. */
sac_status sac_pretrained_captioner_set_audio_task(sac_pretrained_captioner *captioner,
                                                   const char *language, const char *task,
                                                   sac_error *error);
/* The same of `pixels` [3,height,width], as the model takes them. */
sac_status sac_pretrained_captioner_encode_pixels(sac_pretrained_captioner *captioner,
                                                  const float *pixels, int width, int height,
                                                  sac_error *error);
/* Reads a text in place of a picture, where the model translates: its cells are the tokens, in one
 * row. SAC_E_ARGUMENT where they are more than SAC_MAX_TOKENS. */
sac_status sac_pretrained_captioner_read_tokens(sac_pretrained_captioner *captioner, const int *ids,
                                                size_t count, sac_error *error);
/* SAC_E_ARGUMENT where a text of so many tokens is too long for it. */
sac_status sac_pretrained_captioner_check_tokens(const sac_pretrained_captioner *captioner,
                                                 size_t count, sac_error *error);
/* The output begins with the token of this language; −1: the folder's. */
void sac_pretrained_captioner_set_language(sac_pretrained_captioner *captioner, int language);
/* What it is asked from now on of what it sees. SAC_E_ARGUMENT where the question has no words, or is too long. */
sac_status sac_pretrained_captioner_ask(sac_pretrained_captioner *captioner, const char *question,
                                        sac_error *error);
/* The kinds of map that its words have, as sac_result_source has them. */
unsigned sac_pretrained_captioner_attribution_bits(const sac_pretrained_captioner *captioner);
/* Generates from what was encoded; request->model is not used here. Each token is a word, … */
sac_status sac_pretrained_captioner_generate(sac_pretrained_captioner *captioner,
                                             const sac_result_request *request, sac_result *caption,
                                             sac_error *error);
/* … until those that are no text are set apart: special tokens and times, but for tokens of regions. */
void sac_pretrained_captioner_separate_specials(const sac_pretrained_captioner *captioner,
                                                sac_result *caption);
/* Generates from what was encoded word by word, by the sampling `how`, in place of a search; and the
 * candidates of a step of that. See sources/generation.h. */
sac_status sac_pretrained_captioner_step(sac_pretrained_captioner *captioner,
                                         const sac_sampling *how, sac_generation *generation,
                                         sac_error *error);
sac_status sac_pretrained_captioner_candidates(sac_pretrained_captioner *captioner, size_t step,
                                               const sac_sampling *how, sac_candidate *candidates,
                                               int *count, int *kept, sac_error *error);

/* Layers and heads of one of sac_attention_kind_names; false: it has none that could be scaled. */
bool sac_pretrained_captioner_head_counts(const sac_pretrained_captioner *captioner, int kind,
                                          size_t *layers, size_t *heads);
/* Multiplies what the heads of that kind give by `scale` [layers,heads], NULL: by 1. What it encoded
 * is to be given to it again. SAC_E_ARGUMENT where it has no such heads. */
sac_status sac_pretrained_captioner_scale(sac_pretrained_captioner *captioner, int kind,
                                          const float *scale, sac_error *error);
/* The attention of each layer and head of its decoder where it generates these tokens of what was encoded, its
 * encoder's among them where it read a text. SAC_E_ARGUMENT where it has no layers. */
sac_status sac_pretrained_captioner_attentions(sac_pretrained_captioner *captioner,
                                               const int *generation, size_t count,
                                               sac_attentions *attentions, sac_error *error);

/* Where the heads of a layer of its decoder look at the picture's cells, maps [heads,count,grid_h,grid_w], as the first `count`
 * tokens of the sentence that was generated last are: what a row has there, the rest being on other tokens. */
sac_status sac_pretrained_captioner_head_maps(sac_pretrained_captioner *captioner, int layer,
                                              int count, float *maps, sac_error *error);

/* Adds, as parts, those of what encoded a picture or a sound:
 *   encoder, vision   [L,H,S,S] of an encoder of layers, or [L,tiles,H,S,S]; "vision" sees where "encoder" reads a text
 *                     with what it saw
 *   …_stage_1         [L,windows,H,cells,cells], and …_cells: of one in stages; …_stage_1_channels [L,groups,C,C]
 *   queries, queries_cross   [L,H,Q,Q] and [looks,H,Q,S] of a Q-Former */
sac_status sac_pretrained_captioner_encoders(sac_pretrained_captioner *captioner,
                                             sac_attentions *attentions, sac_error *error);

/* Of a source of sac_pretrained_caption_open the attention of each head where it generates its caption, with the
 * picture; *prefix tokens stand before its cells. */
sac_status sac_pretrained_caption_maps(sac_source *source, sac_attentions *attentions, int *prefix,
                                       sac_error *error);

/* What was computed on the way to the sentence that was generated last, for comparison: the
 * weights of word `word` [S], the tokens before the cells among them, by one
 * head of one layer. */
sac_status sac_pretrained_captioner_weights(sac_pretrained_captioner *captioner, int word,
                                            int layer, int head, float *weights, sac_error *error);

/* What a person asks of pictures. */
typedef struct sac_pictures_request {
    const char *const *pictures; /* files and folders of them */
    int count;
    int picture;                   /* of those found, or of the pieces, to begin with */
    const sac_sound_piece *pieces; /* [piece_count] of sounds, that are known already, lent; … */
    int piece_count;               /* … 0: none are */
    bool together;                 /* they are one example, of one question about all of them */
    const char *boxes;    /* a file with the places of things in the only one (sources/boxes.h) */
    const char *question; /* NULL: a description */
    const char *language,
        *task; /* of sounds; NULL: as in sac_pretrained_captioner_set_audio_task */
} sac_pictures_request;
/* Pictures as a source that generates captions, or answers. SAC_E_ARGUMENT where there is a question,
 * and the model answers none. */
sac_status sac_pretrained_caption_open(sac_pretrained_model *model,
                                       const sac_pictures_request *request, sac_source *source,
                                       sac_error *error);
/* A sentence as a source that generates its translation: words are the tokenizer's tokens, "dog",
 * "##s" for one that goes on the word before it, and their weights the mean of all heads and
 * layers. Keeps the model. SAC_E_ARGUMENT where it does not translate, or the text has no tokens,
 * or more than SAC_MAX_TOKENS. */
/* True where a sentence may name the language that it is put into: a translator between many
 * (tokenizer.h), or a Marian that knows ">>to<<". */
bool sac_pretrained_translates_to(const sac_pretrained_model *model, const char *to);
sac_status sac_pretrained_translation_open(sac_pretrained_model *model, const char *text,
                                           sac_source *source, sac_error *error);

#endif
