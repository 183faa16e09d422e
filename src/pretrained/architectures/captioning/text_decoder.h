/* The inside of a captioner, and the table of its decoders: a decoder of layers (layered_decoder.c)
 * or an LSTM that looks once a word (recurrent_decoder.c). A new kind is a file and its class. */
#ifndef SAC_ARCHITECTURES_CAPTIONING_TEXT_DECODER_H
#define SAC_ARCHITECTURES_CAPTIONING_TEXT_DECODER_H

#include "architectures/architecture.h"
#include "architectures/captioning/pretrained_captioner.h"
#include "architectures/captioning/token_texts.h"
#include "architectures/inference/decoding.h"
#include "generate/generate.h"
#include "generate/token_run.h"
#include "nn/attention/beam_cache.h"
#include "nn/layers.h"

enum { SAC_TEXT_DECODER_ROWS = SAC_BEAM_WIDTH };

/* What a decoder of layers keeps. */
typedef struct sac_layered_decoder {
    sac_tensor bridged; /* [S,memory] */
    sac_tensor key[SAC_ARCHITECTURE_LAYERS],
        value[SAC_ARCHITECTURE_LAYERS];                     /* [S,D], of what was encoded */
    struct sac_laid_out *laid_out[SAC_ARCHITECTURE_LAYERS]; /* both, as attention reads them */
    sac_decoding_memory memory;                             /* all of these */
    sac_inference
        *prefix; /* what was encoded, where the words stand behind it in one text; owned */
    sac_inference
        *text; /* all that was read where the words of the best sentence were generated; owned */
    sac_attended attended; /* its memory */
    int followed;          /* words of that sentence */
} sac_layered_decoder;

/* Where a token of a picture lies, in cells and parts of them; without a width nowhere. */
typedef struct sac_token_box {
    float x, y, width, height;
} sac_token_box;
/* The cells that it lies on, from *x and *y to those before *end_x and *end_y … */
void sac_token_box_cells(const sac_token_box *box, int *x, int *y, int *end_x, int *end_y);
/* … and how much of one it covers, from 0 to 1. */
float sac_token_box_covers(const sac_token_box *box, int x, int y);

/* Tiles whose tokens were joined to those of one picture: tokens of one tile, and tiles beside each
 * other; of all of them together, in tokens, what shows the picture. Width 0: they are not joined. */
typedef struct sac_joined_tiles {
    int across, down, wide;
    int left, above, width, height;
} sac_joined_tiles;

/* A picture as such a decoder reads it. The model keeps the last one, which captioners share: to
 * another question the same picture is not seen anew. */
typedef struct sac_image_tokens {
    atomic_int users;
    uint64_t hash;      /* of its pixels */
    char *text;         /* that stands for it in the prompt */
    float *tokens;      /* [count,D] … */
    sac_token_box *box; /* … and where each of them lies, … */
    float *looks; /* … or where it looked, [count,cells]; NULL: it is a part of the picture */
    size_t count;
    int grid_w, grid_h;
    sac_embedded_input entered; /* of each tile … */
    size_t tiles;               /* … whose tokens follow one another, but that … */
    sac_joined_tiles joined;    /* … all but the last, which is all of the picture, are joined */
} sac_image_tokens;

/* Joins the projected tokens of tiles of so many cells to those of one picture, without what was
 * filled up, and with the connector's row_end behind each row; all of the picture comes first
 * (packed_tiles.c). SAC_E_MEMORY. */
sac_status sac_pictured_pack(const sac_pretrained_model *decoder, const sac_picture_tiles *tiles,
                             int across, int down, sac_image_tokens *pictured, sac_error *error);
/* The other way, of weights: row [count] → seen [tiles,tokens of one], those of tiles before they were
 * joined. What lies on a row's end is left out. `box` is where each of these tokens lies. */
void sac_pictured_unpack(const sac_image_tokens *pictured, const float *row, float *seen);
void sac_pictured_place_unpacked(const sac_image_tokens *pictured, sac_token_box *box);
/* Features [count,width] → tokens, by the connector of what reads them. */
sac_status sac_pictured_project(sac_pretrained_model *decoder, const float *features, size_t width,
                                sac_image_tokens *pictured, sac_error *error);

/* What a decoder whose prompt has a picture in it keeps. */
typedef struct sac_prompt_decoder {
    char question[SAC_TEXT_SIZE];
    int longest; /* words of an answer, at most, where the model has places for them */
    sac_image_tokens *picture; /* one user of it; NULL: nothing was seen yet */
    sac_tokens ids;            /* of the prompt */
    float row_ends
        [SAC_MAX_TOKENS]; /* of each word: what lies on the ends of rows of a joined picture */
    float on_picture[SAC_MAX_TOKENS]; /* of each word: what of its relevance lies on the picture */
    int sinks;                        /* that were left out of the maps of the last answer */
    sac_inference *prompt;            /* … and all its layers; NULL: it is not read yet */
    sac_inference *neutral; /* the same with a question of no matter, for relative maps; NULL: it is
                               not read yet */
    float *states;          /* [longest,D]: what left the last layer where each word is generated */
    float *flow; /* [tiles,n,n] of their tokens, through the vision encoder; NULL: not found yet */
} sac_prompt_decoder;

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
/* How long the sound is that the cells are of; 0: a picture. */
float sac_captioner_seconds(const sac_pretrained_captioner *captioner);
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

/* A sound that is longer than what a model takes at once, which it takes in pieces (sound_pieces.c). */
typedef struct sac_sound_pieces {
    float *log_mel; /* [bins,frames], owned; NULL: it is one piece */
    size_t frames;
    size_t at, next; /* the frame at which this piece begins, and the one behind it */
} sac_sound_pieces;
sac_status sac_sound_pieces_make(sac_pretrained_captioner *c, const sac_sound *sound,
                                 sac_error *error);
bool sac_sound_pieces_known(const sac_pretrained_captioner *c); /* the model has tokens of times */
/* The second of a piece that a token stands for; −1: it is no time. */
float sac_sound_token_time(const sac_pretrained_captioner *c, int token);
size_t sac_sound_cells(const sac_pretrained_captioner *c); /* that are no silence behind the end */
void sac_sound_pieces_free(sac_pretrained_captioner *c);
/* Finds where the next piece begins, and takes away the words that are repeated there. */
/* Takes an encoded sound, which is freed, and its language. */
sac_status sac_captioner_take_audio(sac_pretrained_captioner *c, sac_inference *p, sac_image *shown,
                                    sac_error *error);
void sac_sound_pieces_settle(sac_pretrained_captioner *c, sac_result *caption);

struct sac_pretrained_captioner {
    sac_decoder generates;  /* of its text decoder, for … */
    sac_search *generation; /* … this */
    sac_pretrained_model *model, *decoder;
    sac_token_texts words;
    sac_beam_options search; /* the decoder's at first, with … */
    sac_token_rules rules;   /* … its own rules: prompts and languages change both */
    int *ids;                /* [S] of what was encoded, where it is a text, or has one in it */
    float *scale[SAC_HEAD_KINDS]; /* [L,H] by which what heads give is multiplied: those of its
                                     encoder, of its decoder, and of that one's attention to
                                     what was encoded; owned; NULL: they give all of it */
    sac_token_run token_run;      /* the last generation word by word */
    sac_generated_regions regions;
    int grid_w, grid_h;
    sac_embedded_input
        entered;   /* of the picture or the sound, by which its encoder's attention is had again */
    float *pixels; /* the same of an encoder in stages, [3,pixels_h,pixels_w]; owned */
    int pixels_w, pixels_h;
    double cut_seconds; /* seconds of a sound that is longer; else 0 */
    sac_listening listening;
    sac_sound_pieces pieces;
    size_t prefix, seen; /* tokens before the cells, and all of them: S; 0: nothing yet */
    sac_arena arena;
    sac_tensor memory;     /* [S,seen] */
    sac_decoding decoding; /* of a decoder with layers, … */
    bool is_searched; /* … of several sentences, of which the best does not stand there alone yet */
    sac_layered_decoder layered;     /* of the one kind, … */
    sac_tensor logits;               /* [R,V], of … */
    sac_recurrent_tensors recurrent; /* … of another … */
    sac_prompt_decoder prompted;     /* … and of the third */
    sac_byte_tensor mask;            /* [S], 1: hidden */
    uint8_t *hidden;                 /* the same on the host, of the last sentence … */
    bool hides;                      /* … where anything is */
    float temperature;               /* of it */
};

/* Takes what was encoded, as it goes out of the last layer: memory, and what the decoder keeps. */
sac_status sac_pretrained_captioner_take(sac_pretrained_captioner *captioner,
                                         const sac_inference *encoded, sac_error *error);
/* What stands behind the picture's tokens and the task, or the question, is read once more. */
sac_status sac_joint_read_again(sac_pretrained_captioner *captioner, sac_inference **read,
                                sac_error *error);
/* The parts of sac_text_decoder_of_both that are in joint_decoder.c. */
sac_status sac_joint_create(sac_pretrained_captioner *captioner, sac_error *error);
sac_status sac_joint_read(sac_pretrained_captioner *captioner, const sac_inference *seen,
                          sac_inference **read, sac_error *error);
sac_status sac_joint_ask(sac_pretrained_captioner *captioner, const char *task, sac_error *error);

/* Under the lock of the device, but for create, attention and weights. */
struct sac_text_decoder_class {
    unsigned attributions; /* the maps that its words can have: sources/attribution.h */
    const char
        *score; /* of its attention to what was encoded, as people write it; NULL: scaled dot */
    bool looks_once; /* a word: there are no layers and heads to choose from */
    /* In place of what the model itself does with a picture, of `shape` and `begin`, and
     * not under the lock; NULL: the usual. */
    sac_status (*look)(sac_pretrained_captioner *captioner, const sac_image *picture,
                       sac_image *shown, sac_error *error);
    /* Makes of what was seen what is attended to; not under the lock; NULL: that is it. */
    sac_status (*read)(sac_pretrained_captioner *captioner, const sac_inference *seen,
                       sac_inference **read, sac_error *error);
    /* Takes a question; NULL: it answers none. */
    sac_status (*ask)(sac_pretrained_captioner *captioner, const char *question, sac_error *error);
    /* Takes the hidden cells and the temperature for all steps; NULL: the usual. */
    sac_status (*request)(sac_pretrained_captioner *captioner, const sac_result_request *request,
                          sac_error *error);
    /* Reads the words, and makes what stays for all that is seen; `destroy` (may be NULL) frees
     * that. */
    sac_status (*create)(sac_pretrained_captioner *captioner, sac_error *error);
    void (*destroy)(sac_pretrained_captioner *captioner);
    /* Takes what is not there, too. */
    void (*forget)(sac_pretrained_captioner *captioner);
    /* Shapes of tensors for what is encoded; NULL: there are none. */
    void (*shape)(sac_pretrained_captioner *captioner);
    /* Takes what is the same for all sentences out of captioner->memory; and, not under the lock, makes what they stand
     * behind (NULL: nothing). */
    void (*begin)(sac_pretrained_captioner *captioner);
    sac_status (*prefix)(sac_pretrained_captioner *captioner, sac_error *error);
    /* One token further; weights and gates too where there is no `attention`. */
    void (*step)(sac_pretrained_captioner *captioner, const sac_beam *beam,
                 const sac_step_result *result);
    /* As of sac_decoder. */
    sac_status (*attention)(void *captioner, const sac_result_request *request, const int *words,
                            const int *rows, int count, float *weights, float *gates,
                            sac_error *error);
    /* Rows [count,generation->count] into generation->rows: where each word of the last generation looked,
     * in the mean of all layers and heads; and what of them lies on cells, into generation->cells. */
    sac_status (*rows)(sac_pretrained_captioner *captioner, const int *words, int count,
                       sac_generation *generation, sac_error *error);
    /* All heads of the decoder where it generates these tokens of what was encoded: the kinds of `attentions`, and
     * parts of what else goes through it; NULL: it has no heads. */
    sac_status (*attentions)(sac_pretrained_captioner *captioner, const int *words, size_t count,
                             sac_attentions *attentions, sac_error *error);
    /* When each word of a sound begins and ends; NULL: it takes none. */
    sac_status (*times)(sac_pretrained_captioner *captioner, sac_result *caption, sac_error *error);
    /* What sac_pretrained_captioner_weights gives. */
    sac_status (*weights)(sac_pretrained_captioner *captioner, int word, int layer, int head,
                          float *weights, sac_error *error);
};

/* The language of the encoded sound, with whose token the output begins. */
sac_status sac_captioner_choose_language(sac_pretrained_captioner *captioner, sac_error *error);
/* What each token of what was encoded is called: a cell by its place. */
sac_status sac_captioner_name_encoded(const sac_pretrained_captioner *captioner, sac_labels *labels,
                                      sac_error *error);
/* The rows of a decoder that attends to what was encoded beside its own words. */
sac_status sac_token_run_rows(sac_pretrained_captioner *captioner, const int *words, int count,
                              sac_generation *generation, sac_error *error);
/* Of such a decoder every head. */
sac_status sac_token_run_attentions(sac_pretrained_captioner *captioner, const int *words,
                                    size_t count, sac_attentions *attentions, sac_error *error);
/* Every head of a part of the layers of an inference, into item `item` of a kind of its form. */
sac_status sac_inference_fill_kind(const sac_inference *inference, int part, size_t item,
                                   sac_attention_kind *kind, sac_error *error);
/* What a decoder reads where it generates these words: tokens [*total], each but those that stand before predicts the one
 * behind it. free() them; NULL: no memory. */
int *sac_captioner_inputs(const sac_pretrained_captioner *captioner, const int *words, size_t count,
                          size_t *total);
/* What its layers attend to beside that; lent. */
sac_attended sac_captioner_attended(const sac_pretrained_captioner *captioner);
/* Runs its layers over all of that once more; `memory` is to outlive the text. */
sac_status sac_captioner_reread(sac_pretrained_captioner *captioner, const int *words, size_t count,
                                sac_attended *memory, sac_inference **text, sac_error *error);

/* Whose rows are asked for (prefix_rows.c): those of the last `count` tokens behind a prefix. */
typedef struct sac_prefix_rows {
    const sac_pretrained_model *model;
    const sac_decoding
        *decoding; /* of one row, which keeps its queries; NULL: the row is the last of … */
    const sac_inference *alone; /* … this prefix alone */
    size_t prefix, keys, count;
    const uint8_t *hidden; /* [prefix], 1: not looked at; NULL: all is */
    float temperature;
} sac_prefix_rows;
/* Those of the words; of the first it is of the prefix's last token, or of the start. */
sac_prefix_rows sac_captioner_rows(const sac_pretrained_captioner *captioner, int count);
/* The mean over the heads and layers that are asked for (0: all, else counted from 1), [count,keys]. */
sac_status sac_prefix_rows_mean(const sac_prefix_rows *rows, int layer, int head, float *mean,
                                sac_error *error);
/* The mean over all of them into tokens->rows. */
sac_status sac_prefix_rows_take(const sac_pretrained_captioner *captioner, int count,
                                sac_generation *tokens, sac_error *error);
/* After a search: the best sentence alone is read behind the prefix, as if it had been generated greedily. Not under the
 * lock of the device. */
sac_status sac_captioner_follow(sac_pretrained_captioner *captioner, const int *words, int count,
                                sac_error *error);
/* Keeps, for prompts, what left the last layer where word `word` is predicted. */
void sac_captioner_keep_state(sac_pretrained_captioner *captioner, size_t word);
/* Every head, of the words behind the prefix, and of that. */
sac_status sac_captioner_prefix_attentions(sac_pretrained_captioner *captioner, const int *words,
                                           size_t count, sac_attentions *attentions,
                                           sac_error *error);
/* By which the heads of an encoder in stages are scaled; NULL: they give all of it. */
const float *sac_captioner_scale_of_stages(const sac_pretrained_captioner *captioner);
/* Whether a token of the picture that was read is hidden: where most of what it covers, or looked at, is of
 * cells [grid_h,grid_w]. */
bool sac_captioner_hides(const sac_pretrained_captioner *captioner, size_t token,
                         const uint8_t *cells);
/* Of what was encoded how many tokens are the picture's: cells and those before them, or queries, which
 * looked at cells. */
size_t sac_captioner_pictured(const sac_pretrained_captioner *captioner);
bool sac_captioner_queries(const sac_pretrained_captioner *captioner);
/* The request's hidden cells and temperature, for all steps. */
sac_status sac_captioner_request(sac_pretrained_captioner *captioner,
                                 const sac_result_request *request, sac_error *error);
/* Sets the scales of the decoder's heads. */
void sac_captioner_scale_heads(const sac_pretrained_captioner *captioner, sac_arena *arena,
                               sac_position_ids *placing);
/* In place of what the encoder of pictures or sounds made of one comes what it makes of it with its heads
 * scaled, where they are; where that fails, it is freed. */
sac_status sac_captioner_scale_seen(const sac_pretrained_captioner *captioner, sac_inference **seen,
                                    sac_error *error);
/* Reads a text with the encoder, whose heads are scaled; in place of some tokens `prompt` has a
 * picture. */
sac_status sac_captioner_read(const sac_pretrained_captioner *captioner,
                              sac_pretrained_model *encoder, sac_prompt prompt,
                              sac_inference **read, sac_error *error);
/* The tokens before the output; *count of them. */
const int *sac_captioner_begins(const sac_pretrained_captioner *captioner, size_t *count);

/* Relevance of the words of a decoder with layers on what was encoded, [count,seen], or of a prompt on the tokens of its
 * picture; and what share of all that counted lies there, [count]; NULL: it is not wanted. */
sac_status sac_captioner_relevance(sac_pretrained_captioner *captioner, const int *words, int count,
                                   float *seen, float *shares, sac_error *error);
/* Carries rows [count,seen] over what was seen on through its encoder, in place. */
sac_status sac_captioner_carry(sac_pretrained_captioner *captioner, int count, float *rows,
                               sac_error *error);

#endif
