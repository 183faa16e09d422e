/* The inside of a captioner. It has one decoder (text_decoder.c) of layers that go on token by token. They attend to
 * what was encoded as a memory; or that is the context that words follow in one text: the picture itself, or a prompt
 * with the picture in it. An LSTM that looks once a word (recurrent_decoder.c) may stand in place of the layers. */
#ifndef SAC_ARCHITECTURES_CAPTIONING_TEXT_DECODER_H
#define SAC_ARCHITECTURES_CAPTIONING_TEXT_DECODER_H

#include "architectures/architecture.h"
#include "architectures/captioning/pretrained_captioner.h"
#include "architectures/captioning/recurrent_decoder.h"
#include "architectures/captioning/token_texts.h"
#include "architectures/inference/decoding.h"
#include "generate/token_run.h"
#include "nn/attention/beam_cache.h"
#include "nn/attention/held.h"
#include "nn/layers.h"

/* Where a token of a picture lies, in cells and parts of them; without a width nowhere. */
typedef struct sac_token_box {
    float x, y, width, height;
} sac_token_box;
/* The cells that it lies on, from *x and *y to those before *end_x and *end_y … */
void sac_token_box_cells(const sac_token_box *box, int *x, int *y, int *end_x, int *end_y);
/* … and how much of one it covers, from 0 to 1. */
float sac_token_box_cell_overlap(const sac_token_box *box, int x, int y);

/* Tiles whose tokens were joined to those of one picture: tokens of one tile, and tiles beside each
 * other; of all of them together, in tokens, what shows the picture. Width 0: they are not joined. */
typedef struct sac_joined_tiles {
    int across, down, wide;
    int left, above, width, height;
    bool overlaps; /* width and height are of patches, and tokens have means of them … */
    int margin;    /* … without so many on every side of a tile that has another there */
} sac_joined_tiles;

/* A picture as tokens of a text. The model keeps the last one of a prompt, which captioners share, so that another
 * question does not encode the same picture again. */
typedef struct sac_image_tokens {
    atomic_int users;
    uint64_t hash;      /* of its pixels */
    char *text;         /* that stands for it in the prompt */
    float *tokens;      /* [1 + levels,count,D] … */
    sac_token_box *box; /* … and where each of them lies, … */
    float *looks; /* … or where it looked, [count,cells]; NULL: it is a part of the picture */
    size_t count;
    int grid_w, grid_h;
    sac_embedded_input entered; /* of each tile … */
    size_t tiles;               /* … whose tokens follow one another, but that … */
    sac_joined_tiles joined;    /* … all but the last, which is all of the picture, are joined */
    /* Of several pictures, whose tokens follow one another (prompts/several_pictures.c): each, with a text and tiles of its
     * own, and its cells among all. */
    struct sac_image_tokens *part[SAC_PICTURE_PARTS]; /* one user of each */
    sac_picture_part place[SAC_PICTURE_PARTS];
    int parts; /* 0: it is one */
} sac_image_tokens;

/* The tokens of several pictures as those of one. SAC_E_MEMORY. */
sac_status sac_pictured_join(const sac_pretrained_model *decoder, sac_image_tokens *const *parts,
                             int count, sac_image_tokens **joined, sac_error *error);
/* The picture that its cells lie over, out of those of the parts. */
sac_status sac_pictured_show_parts(const sac_image_tokens *pictured, const sac_image *pictures,
                                   sac_image *shown, sac_error *error);

/* Joins the projected tokens of tiles of so many cells to those of one picture, without what was
 * filled up, and with the connector's row_end behind each row; all of the picture comes first
 * (packed_tiles.c). SAC_E_MEMORY. */
sac_status sac_pictured_pack(sac_pretrained_model *decoder, const sac_picture_tiles *tiles,
                             int across, int down, sac_image_tokens *pictured, sac_error *error);
/* The other way, of weights: row [count] → seen [tiles,tokens of one], those of tiles before they were
 * joined. What lies on a row's end is left out. `box` is where each of these tokens lies. */
void sac_pictured_unpack(const sac_image_tokens *pictured, const float *row, float *seen);
void sac_pictured_place_unpacked(const sac_image_tokens *pictured, sac_token_box *box);

/* Of features [tiles,tokens,D] of tiles that overlap and, the last, of all of the picture, those [tokens,2·D] of that and of what
 * the tiles have there (overlapping_tiles.c); *features is freed. SAC_E_MEMORY. */
sac_status sac_pictured_average(const sac_picture_tiles *tiles, int across, int down, int margin,
                                size_t width, float **features, sac_image_tokens *pictured,
                                sac_error *error);
/* The other way, as of sac_pictured_unpack: half of a token's weight is that of all of the picture. */
void sac_pictured_spread(const sac_image_tokens *pictured, const float *row, float *seen);
void sac_pictured_place_spread(const sac_image_tokens *pictured, sac_token_box *box);

/* How its sentences give regions of a picture (generated_regions.c). */
typedef struct sac_generated_regions {
    sac_regions_form form;
    bool asks;         /* the question may give some too */
    int width, height; /* of the picture that was seen */
    char **nothing;    /* phrases that name nothing, as the folder has them, then NULL; owned; NULL:
                          those that are known */
    double least_area;
} sac_generated_regions;
/* The rules of processor_config.json, where there is one. */
sac_status sac_generated_regions_read(const char *folder, sac_generated_regions *regions,
                                      sac_error *error);
void sac_generated_regions_free(sac_generated_regions *regions);
/* Reads those of a sentence, and of what was asked. */
sac_status sac_captioner_find_regions(const sac_pretrained_captioner *captioner,
                                      sac_result *caption, sac_error *error);

enum { SAC_LANGUAGE_CODE = 12 }; /* bytes of "de" */

/* The language of a sound (audio_language.c). */
typedef struct sac_listening {
    int prompt[4];                /* what stands before the output, as many as the decoder's */
    int language;                 /* that was requested; −1: it is found */
    bool is_asked;                /* which it is, of the start alone */
    char code[SAC_LANGUAGE_CODE]; /* of the last sound; empty: unknown */
    float probability;            /* of it among all; 0: it was given */
} sac_listening;

/* A sound that is longer than what a model takes at once, which it takes in pieces (sounds.c). */
typedef struct sac_sound_pieces {
    float *
        numbers; /* log_mel [bins,frames], or of a model that spells samples, owned; NULL: it is one piece */
    size_t count;    /* of them; … */
    size_t frames;   /* … of a model that spells these are cells */
    size_t at, next; /* the frame at which this piece begins, and the one behind it */
} sac_sound_pieces;
sac_status sac_sound_pieces_make(sac_pretrained_captioner *c, const sac_sound *sound,
                                 sac_error *error);
/* The second of a piece that a token stands for; −1: it is no time. */
float sac_sound_token_time(const sac_pretrained_captioner *c, int token);
size_t sac_sound_cells(const sac_pretrained_captioner *c); /* that are no silence behind the end */
void sac_sound_pieces_free(sac_pretrained_captioner *c);
/* Finds where the next piece begins, and takes away the words that are repeated there. */
void sac_sound_pieces_finish_piece(sac_pretrained_captioner *c, sac_result *caption);

/* The sound of a model that spells (ctc.c). */
typedef struct sac_spelling {
    int between; /* the token that parts words; −1: none */
    bool lowers; /* its letters become small ones */
    sac_inference *whole,
        *now; /* it, and what the last request made of it: the same, or another; owned */
} sac_spelling;

struct sac_pretrained_captioner {
    sac_decoder generates;  /* of its text decoder, for … */
    sac_search *generation; /* … this */
    sac_pretrained_model *model, *decoder;
    sac_token_texts words;
    sac_beam_options search;      /* the decoder's at first, with … */
    sac_token_rules rules;        /* … its own rules: prompts and languages change both */
    sac_token_run token_run;      /* the last generation word by word */
    float *scale[SAC_HEAD_KINDS]; /* [L,H] by which what heads give is multiplied: those of its
                                     encoder, of its decoder, and of that one's attention to
                                     what was encoded; owned; NULL: they give all of it */
    sac_generated_regions regions;
    sac_listening listening;
    sac_sound_pieces pieces;
    sac_spelling spelling;
    double cut_seconds; /* seconds of a sound that is longer; else 0 */
    /* What is asked. */
    char question[SAC_TEXT_SIZE];
    sac_tokens task; /* with whose tokens the output begins */
    int longest; /* words of an answer to a prompt, at most, where the model has places for them */
    /* What was encoded. */
    int grid_w, grid_h;
    size_t prefix, seen; /* tokens before the cells, and all of them: S; 0: nothing yet */
    int *ids;            /* [S], where it is a text, or has one in it, as a prompt has */
    sac_embedded_input
        entered;   /* of the picture or the sound, by which its encoder's attention is had again */
    float *pixels; /* the same of an encoder in stages, [3,pixels_h,pixels_w]; owned */
    int pixels_w, pixels_h;
    sac_image_tokens *picture; /* one user of it; NULL: none is a part of a text */
    float *flow
        [SAC_PICTURE_PARTS]; /* [tiles,n,n] of its tokens, or of each part's, through the vision encoder; NULL:
                                       not found yet */
    char *form;        /* the prompt of several pictures; owned; NULL: the decoder's, of one */
    uint8_t *hidden;   /* [S] 1: hidden, for the last sentence … */
    bool hides;        /* … where anything is */
    float temperature; /* of it */
    sac_gaze gaze;     /* where it was held … */
    float *share;      /* … and by what shares, [S] as sac_held has them; owned … */
    uint8_t *held;     /* … in which heads of which layers, [L,H]; owned … */
    sac_held holds[SAC_ARCHITECTURE_LAYERS]; /* … both, for each layer */
    /* What the decoder keeps of it. */
    sac_arena arena;
    sac_tensor memory;    /* [S,seen] */
    sac_byte_tensor mask; /* [S], `hidden` on the device */
    sac_tensor bridged;   /* [S,memory] */
    sac_tensor key[SAC_ARCHITECTURE_LAYERS], value[SAC_ARCHITECTURE_LAYERS]; /* [S,D] */
    struct sac_laid_out *laid_out[SAC_ARCHITECTURE_LAYERS]; /* both, as attention reads them */
    sac_decoding_memory keys;                               /* all of these */
    bool is_overwritten;                                    /* these values are held ones */
    /* That words follow in one text, NULL: none, or a prompt is not read yet; and a prompt with a question of no
     * matter, for relative maps, NULL: not read yet. Both owned. */
    sac_inference *context, *neutral;
    /* A generation. */
    sac_decoding decoding;
    bool is_searched;      /* of several sentences: the best is not there alone yet */
    sac_inference *text;   /* beside a memory: all that was read for the best sentence; owned */
    sac_attended attended; /* its memory */
    int followed;          /* words of that sentence */
    float
        *states; /* after a prompt, [longest,D]: what left the last layer and predicts each word */
    /* Of each word what lies on the ends of rows of a joined picture, and what of its relevance on the picture. */
    float row_ends[SAC_MAX_TOKENS], on_picture[SAC_MAX_TOKENS];
    int sinks; /* that were left out of the maps of the last answer */
    /* Of an LSTM. */
    sac_tensor logits; /* [R,V] */
    sac_recurrent_tensors recurrent;
    sac_tensor held_memory; /* [S,seen] */
};

/* ---- seeing and reading (pretrained_captioner.c) */

/* Takes what was encoded, as it goes out of the last layer: memory, and what the decoder keeps. */
sac_status sac_pretrained_captioner_store_encoding(sac_pretrained_captioner *captioner,
                                                   const sac_inference *encoded, sac_error *error);
/* Takes an encoded sound, which is freed, and its language. */
sac_status sac_captioner_store_encoded_audio(sac_pretrained_captioner *captioner, sac_inference *p,
                                             sac_image *shown, sac_error *error);
/* Forgets what was encoded, but for a picture's tokens. */
void sac_captioner_forget(sac_pretrained_captioner *captioner);
/* Of what was encoded how many tokens are the picture's: cells and those before them, or queries, which
 * looked at cells. */
size_t sac_captioner_picture_token_count(const sac_pretrained_captioner *captioner);
bool sac_captioner_has_queries(const sac_pretrained_captioner *captioner);
/* How long the sound is that the cells are of; 0: a picture. */
float sac_captioner_seconds(const sac_pretrained_captioner *captioner);
float sac_captioner_cell_seconds(const sac_pretrained_captioner *captioner);
/* By which the heads of an encoder in stages are scaled; NULL: they give all of it. */
const float *sac_captioner_scale_of_stages(const sac_pretrained_captioner *captioner);
/* In place of what the encoder of pictures or sounds made of one comes what it makes of it with its heads
 * scaled, where they are; where that fails, it is freed. */
sac_status sac_captioner_scale_encoder_heads(const sac_pretrained_captioner *captioner,
                                             sac_inference **seen, sac_error *error);
/* Reads a text with the encoder, whose heads are scaled; in place of some tokens `prompt` has a
 * picture. */
sac_status sac_captioner_encode_text(const sac_pretrained_captioner *captioner,
                                     sac_pretrained_model *encoder, sac_prompt prompt,
                                     sac_inference **read, sac_error *error);
/* ---- a model that spells (ctc.c) */

/* The folder's tokens. SAC_E_FORMAT where they are no letters. */
sac_status sac_captioner_read_letters(sac_pretrained_captioner *captioner, sac_error *error);
/* Takes what was encoded, which is its own from then on, where that does not fail. */
sac_status sac_captioner_keep_sound(sac_pretrained_captioner *captioner, sac_inference *sound,
                                    sac_error *error);
void sac_captioner_forget_sound(sac_pretrained_captioner *captioner);
/* The logits [cells,V] of its letters, as the last request had it. */
sac_status sac_captioner_spelling_logits(sac_pretrained_captioner *captioner, float *logits,
                                         sac_error *error);
/* The words that it spells, as of sac_pretrained_captioner_generate. */
sac_status sac_captioner_spell(sac_pretrained_captioner *captioner,
                               const sac_result_request *request, sac_result *result,
                               sac_error *error);

/* The language of the encoded sound, with whose token the output begins. */
sac_status sac_captioner_choose_language(sac_pretrained_captioner *captioner, sac_error *error);

/* ---- pictures as tokens of a text (prompts/image_tokens.c) */

/* What was seen becomes the tokens of a picture for an encoder of text: cells with their places behind their mean, or what
 * queries gathered, and where these looked. */
sac_status sac_captioner_make_picture_tokens(sac_pretrained_captioner *captioner,
                                             const sac_inference *seen, sac_error *error);
/* The tokens of pictures for a prompt; `shown` (may be NULL) becomes what the cells lie over. SAC_E_ARGUMENT where there
 * are several, and the model's prompt has a place for one alone. */
sac_status sac_captioner_encode_for_prompt(sac_pretrained_captioner *captioner,
                                           const sac_image *pictures, int count, sac_image *shown,
                                           sac_error *error);
void sac_captioner_forget_picture(sac_pretrained_captioner *captioner);
/* Whether a token of the picture that was read is hidden: where most of what it covers, or looked at, is of
 * cells [grid_h,grid_w]. */
bool sac_captioner_hides(const sac_pretrained_captioner *captioner, size_t token,
                         const uint8_t *cells);
/* How much of a spot over the cells [grid_h,grid_w] such a token covers, or looked at. */
float sac_captioner_covers(const sac_pretrained_captioner *captioner, size_t token,
                           const float *spot);

/* ---- questions (question.c) */

/* What is asked at first, how its answer gives regions, and memory for an answer to a prompt. */
sac_status sac_captioner_set_first_question(sac_pretrained_captioner *captioner, sac_error *error);
/* Reads the picture's tokens and the question with the encoder of text. */
sac_status sac_captioner_read_question(sac_pretrained_captioner *captioner, sac_inference **read,
                                       sac_error *error);
/* The form that it takes, of a model whose questions have such. */
const sac_asked_form *sac_captioner_form_of(const sac_pretrained_captioner *captioner,
                                            const char *question);
/* The tokens of the prompt with a question, where a picture was seen. */
sac_status sac_captioner_tokenize_question(const sac_pretrained_captioner *captioner,
                                           const char *question, sac_tokens *ids, sac_error *error);
/* Writes the question into the prompt, whose tokens become the context, all visible; the context before is forgotten. */
sac_status sac_captioner_build_prompt(sac_pretrained_captioner *captioner, sac_error *error);

/* ---- the decoder (text_decoder.c) */

bool sac_captioner_reads_picture_in_prompt(const sac_pretrained_captioner *captioner);
/* Forgets what words follow, and what was generated. */
void sac_captioner_forget_context(sac_pretrained_captioner *captioner);
/* Shapes of tensors for what is encoded. */
void sac_captioner_shape(sac_pretrained_captioner *captioner);
/* Takes what is the same for all sentences out of captioner->memory, under the lock of the device; and not under it makes
 * of it the context, where it stands in one text with the words. */
void sac_captioner_project_memory(sac_pretrained_captioner *captioner);
sac_status sac_captioner_make_context(sac_pretrained_captioner *captioner, sac_error *error);
/* Reads a prompt of these tokens with the picture; `hidden` [count]. */
sac_status sac_captioner_read_prompt(const sac_pretrained_captioner *captioner, const int *ids,
                                     size_t count, const uint8_t *hidden, sac_inference **read,
                                     sac_error *error);
/* The request's hidden cells and temperature, for all steps. A prompt is read anew where they are others. */
sac_status sac_captioner_apply_request(sac_pretrained_captioner *captioner,
                                       const sac_result_request *request, sac_error *error);
/* ---- where a person holds what it looks at (held_gaze.c) */

/* The request's, for all steps; what a request before held is let go. SAC_E_ARGUMENT where it cannot be held. */
sac_status sac_captioner_hold(sac_pretrained_captioner *captioner,
                              const sac_result_request *request, sac_error *error);
void sac_captioner_let_go(sac_pretrained_captioner *captioner);
/* In place of rows [count,S], the mean over the layers and heads that are asked for (0: all, else counted from 1), what they
 * are where some of these heads are held. */
sac_status sac_captioner_hold_rows(const sac_pretrained_captioner *captioner, int layer, int head,
                                   int count, float *rows, sac_error *error);
/* Of an LSTM: what it sees at a step, and weights [rows,S] of that. */
sac_tensor sac_captioner_held_memory(sac_pretrained_captioner *captioner, int step);
void sac_captioner_hold_weights(const sac_pretrained_captioner *captioner, int step, size_t rows,
                                float *weights);

/* For a sentence with the cells that are hidden now. */
void sac_captioner_set_decoding(sac_pretrained_captioner *captioner);
/* One token further, of all sentences of a beam; as of sac_decoder. */
sac_status sac_captioner_step(void *captioner, const sac_beam *beam,
                              const sac_result_request *request, const sac_step_result *result,
                              sac_error *error);
/* After a search: the best sentence alone is read after the context, as if it had been generated greedily; beside a memory all
 * of it is read once more. Not under the lock of the device. */
sac_status sac_captioner_replay_words(sac_pretrained_captioner *captioner, const int *words,
                                      int count, sac_error *error);
/* The tokens before the output; *count of them. */
const int *sac_captioner_start_tokens(const sac_pretrained_captioner *captioner, size_t *count);
/* What a decoder reads where it generates these words: tokens [*total], each but those that stand before predicts the one
 * behind it. free() them; NULL: no memory. */
int *sac_captioner_make_inputs(const sac_pretrained_captioner *captioner, const int *words,
                               size_t count, size_t *total);
/* What its layers attend to beside that; lent. */
sac_attended sac_captioner_attended(const sac_pretrained_captioner *captioner);
/* Runs its layers over all of that once more; `memory` is to outlive the text. */
sac_status sac_captioner_reread(sac_pretrained_captioner *captioner, const int *words, size_t count,
                                sac_attended *memory, sac_inference **text, sac_error *error);

/* Of an LSTM (recurrent_decoder.c) what they do. */
void sac_captioner_shape_recurrent(sac_pretrained_captioner *captioner, size_t rows);
void sac_captioner_step_recurrent(sac_pretrained_captioner *captioner, const sac_beam *beam,
                                  const sac_step_result *result);

/* ---- where words look (word_maps.c) */

/* Whose rows are asked for: those of the last `count` tokens after a context. */
typedef struct sac_context_rows {
    const sac_pretrained_model *model;
    const sac_decoding
        *decoding; /* of one row, which keeps its queries; NULL: the row is the last of … */
    const sac_inference *alone; /* … this context alone */
    size_t context, keys, count;
    const uint8_t *hidden; /* [context], 1: not looked at; NULL: all is */
    float temperature;
} sac_context_rows;
/* Those of the words; of the first it is of the context's last token, or of the start. */
sac_context_rows sac_captioner_context_rows(const sac_pretrained_captioner *captioner, int count);
/* The mean over the heads and layers that are asked for (0: all, else counted from 1), of the first `columns` keys, into
 * mean [count,stride]. */
sac_status sac_context_rows_mean(const sac_context_rows *rows, int layer, int head, size_t columns,
                                 size_t stride, float *mean, sac_error *error);
/* As of sac_decoder. */
sac_status sac_captioner_find_attention(void *captioner, const sac_result_request *request,
                                        const int *words, const int *rows, int count,
                                        float *weights, float *gates, sac_error *error);
/* Rows [count,generation->count] into generation->rows: where each word of the last generation looked,
 * in the mean of all layers and heads; and what of them lies on cells, into generation->cells. */
sac_status sac_captioner_fill_attention_rows(sac_pretrained_captioner *captioner, const int *words,
                                             int count, sac_generation *generation,
                                             sac_error *error);
/* Brings cells to a sum of 1, and returns what that was; where it is 0 they stay. */
double sac_cells_normalise(float *cells, size_t count);
/* The cells [count,grid] of rows over tokens that lie in those boxes, each brought to a sum of 1; `sums`
 * (NULL: not wanted) is what they had. */
void sac_tokens_weigh_cells(const sac_pretrained_captioner *captioner, const sac_token_box *box,
                            size_t tokens, const float *seen, int count, float *cells, float *sums);
/* The same of rows [count,picture's tokens], or where those looked at cells [count,cells], that are carried on through the
 * vision encoder, tile by tile (prompts/prompt_maps.c). */
sac_status sac_prompt_rollout(sac_pretrained_captioner *captioner, int count, const float *seen,
                              float *cells, sac_error *error);
/* Cells [count,grid] of the activations of the generated tokens. */
sac_status sac_prompt_activation_maps(sac_pretrained_captioner *captioner, const int *words,
                                      int count, float *cells, sac_error *error);
/* Relevance of the words of a decoder with layers on what was encoded, [count,seen], or of a prompt on the tokens of its
 * picture; and what share of all that counted lies there, [count]; NULL: it is not wanted. */
sac_status sac_captioner_relevance(sac_pretrained_captioner *captioner, const int *words, int count,
                                   float *seen, float *shares, sac_error *error);

/* When each word of a sound begins and ends, of which the encoder has heads that follow speech (word_times.c). */
sac_status sac_captioner_find_times(sac_pretrained_captioner *captioner, sac_result *caption,
                                    sac_error *error);

/* What each token of what was encoded is called: a cell by its place. */
sac_status sac_captioner_name_encoded(const sac_pretrained_captioner *captioner, sac_labels *labels,
                                      sac_error *error);

#endif
