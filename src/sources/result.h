/* What a model gives out, and where each of its outputs attends: the words of a caption over the
 * cells of a picture or those of a translation over the words of its source, objects detected in a
 * picture with their boxes, or phrases that a picture is compared with. The contract between models
 * and viewer. */
#ifndef SAC_SOURCES_RESULT_H
#define SAC_SOURCES_RESULT_H

#include "base/look.h"
#include "images/image.h"
#include "saccade.h"
#include "sources/attentions.h"
#include "sources/generation.h"
#include "sources/words/attribution.h"
#include "sources/words/gaze.h"
#include "sources/words/gaze_heads.h"
#include "sources/words/phrases.h"
#include "sources/words/regions.h"

enum {
    SAC_MAX_TOKENS = 1024,    /* no sentence of any model has more here */
    SAC_TRUE_WORDS = 128,     /* of a true sentence, which has fewer bytes than twice that */
    SAC_MAX_TOKEN_TEXT = 24,  /* bytes of a word with its end */
    SAC_CAPTION_OBJECTS = 12, /* known objects of a picture */
    SAC_SOURCE_MODELS = 4     /* models that can be compared */
};

enum { SAC_DEFAULT_BEAM = 3 }; /* the default beam width */

/* What the outputs of a model are. */
typedef enum sac_output_kind {
    SAC_OUTPUT_WORDS = 0, /* of one text, one after the other */
    SAC_OUTPUT_BOXES,     /* objects detected in a picture, the most probable first */
    SAC_OUTPUT_PHRASES    /* of the request, which the picture is compared with */
} sac_output_kind;

/* What a person asks a model for. Zeroes mean: model 0, temperature 1, beam 3, nothing hidden. */
typedef struct sac_result_request {
    int model;         /* which of the source's models */
    float temperature; /* of the attention's scores; 0: 1 */
    int normalizer;    /* 1 + the sac_normalizer that makes weights of them; 0: the model's own */
    int beam;          /* 1: greedy; 0: that of the model's folder, or else 3 */
    sac_length_penalty penalty; /* of the search */
    const uint8_t *hidden;      /* [grid_h,grid_w], 1 = hidden from attention; NULL: none; lent */
    sac_gaze gaze;              /* where it is held; zeroed: nowhere */
    int prefix[SAC_MAX_TOKENS],
        prefix_count; /* words that are given; the model goes on from there */
    int layer, head;  /* of a model that has several: whose weights are given; 0: the mean of all,
                         else counted from 1 */
    bool no_sinks;    /* of an answer: tokens of the picture that draw attention at every word are
                      left out of the maps */
    sac_attribution attribution; /* of the maps; layer and head do not count for an activation */
    const char *phrases;  /* that a picture is compared with, as sac_phrases_read has them; lent */
    sac_likeness_way way; /* in which they are */
    const sac_sampling *sampling; /* token by token, with the attention of each to all before it, by
                                     the first model; NULL: by beam search alone; lent */
} sac_result_request;

/* That of a model whose own is `own`. */
static inline sac_normalizer sac_result_normalizer(const sac_result_request *request,
                                                   sac_normalizer own)
{
    return request->normalizer > 0 ? (sac_normalizer)(request->normalizer - 1) : own;
}

typedef struct sac_result_output {
    char text[SAC_MAX_TOKEN_TEXT]; /* as a label: without blanks around it, and cut if need be */
    size_t share;                  /* with `line`: where its share of it begins in `shares` */
    int word;                      /* its number in the vocabulary */
    float probability;             /* that the model gave it, here */
    bool unsure;                   /* the model chose it, and might well have chosen another */
    bool describes;     /* of photographs: it is none of the words that any sentence has, as "of" */
    float entropy;      /* of its weights, in bits */
    float gate;         /* β: how much of what it attends to it lets in, 0 to 1 */
    float row_ends;     /* what of its attention lies on tokens that end a row of the picture */
    float on_picture;   /* of relevance: what of it lies on the picture; the text has the rest */
    int peak_x, peak_y; /* the cell where its map is heaviest: sources/words/peak.h */
    float centre_x, centre_y; /* centre of the weights, in cells: 0 is the left edge of cell 0 */
    bool is_timed;
    float begin, end;   /* is_timed: of a sound, the seconds between which it is */
    int alternative[4]; /* the next most probable words here, most probable first; −1: no more */
    float alternative_probability[4];
    /* Of an object: x0, y0, x1, y1 in shares of the picture; may reach beyond it. Of a word with `gaze_heads`: where those
     * look, all 0 where that is nowhere. */
    float box[4];
    size_t query; /* of an object: which of the model's queries detected it, or which patch … */
    size_t row;   /* … and which row of `logits` and of the maps is its */
    float objectness; /* has_objectness: how probable it is a thing, whichever */
    float
        cosine; /* of a phrase: the cosine of the whole picture and it; of a word of a query its largest with anything of the page … */
    float logit;       /* … as the model scales it */
    bool is_of_prompt; /* of a query: it stands around the words */
} sac_result_output;

/* The tokens of a phrase and what counted of each for its likeness to the picture, with a sum of 1; but
 * those that frame it and fill it up. */
typedef struct sac_phrase_words {
    sac_labels labels;
    float *relevance; /* [labels.count]; owned */
} sac_phrase_words;

/* A token that is no text: a special one, or the time of a sound. */
typedef struct sac_special_token {
    int before; /* the word that it precedes; the number of words: it is behind all of them */
    int token;  /* its number in the vocabulary */
    bool is_time;
    float time; /* is_time: in seconds of the whole sound */
} sac_special_token;

enum { SAC_TEXT_SIZE = SAC_MAX_TOKENS * SAC_MAX_TOKEN_TEXT }; /* bytes of a sentence */

typedef struct sac_result {
    int grid_w, grid_h; /* of the positions: a picture's cells, or grid_w words in one row */
    char (
        *positions)[SAC_MAX_TOKEN_TEXT]; /* [grid_w]: those words; NULL: a picture's cells; owned */
    int count;                           /* words, without the end */
    sac_result_output outputs[SAC_MAX_TOKENS];
    int special_count; /* tokens that stand among the words, or around them, and are none … */
    sac_special_token specials[SAC_MAX_TOKENS]; /* … in their order */
    char *
        line; /* the text that the tokenizer decodes of all words; NULL: they are whole words; owned */
    char *shares; /* with it, and of objects and phrases: each output's text, one after the other,
                       each ended by NUL; owned */
    float
        *weights; /* [count,grid_h,grid_w], each map's sum 1 (0 where all is hidden); of phrases the
                       cosine of each patch and the phrase, or its relevance; owned; NULL: all are in
                       `attentions` */
    sac_attentions *attentions; /* of objects: of all layers and heads the queries to each other
                                   (decoder) and to the cells (cross); owned; NULL: of others */
    float *
        logits; /* of objects [count,classes]; the last class is that of nothing, or all are phrases; owned */
    size_t classes;
    sac_phrase_words *phrase_words; /* [count], by relevance; owned; NULL: not known */
    bool has_objectness;            /* of objects: they are known to be things, whichever */
    bool is_independent;            /* of phrases: each probability is its own, not one among all */
    bool
        has_score; /* the phrases are a query, the outputs its words, then what is around them, … */
    float score;   /* … and the sum of their cosines is how well the page fits */
    sac_generation generation;   /* of a request with sampling, in place of outputs */
    float max_weight;            /* over all words */
    bool has_row_ends;           /* a model's picture has such tokens, which lie on no cell */
    bool has_on_picture;         /* of maps of relevance to a picture and a text */
    int sinks;                   /* tokens that were left out by the request */
    sac_attribution attribution; /* of the maps */
    int normalizer;              /* that was requested */
    sac_gaze gaze;               /* where it was held … */
    char *before;                /* … and the sentence without that; owned; NULL: it was not */
    sac_gaze_head *
        gaze_heads; /* [gaze_head_count], all of them, the best first, where the request's gaze names
                                  heads; owned; NULL: it names none */
    size_t gaze_head_count;
    sac_regions regions;        /* of its words, or of the question */
    float seconds;              /* of a sound, how long all cells are; 0: of a picture */
    float from;                 /* of a piece of a longer sound, where it begins, in seconds … */
    bool goes_on;               /* … and there is another behind it */
    float until;                /* of a sound, where it, or the piece, ends, in seconds */
    char language[12];          /* of a sound, "de"; empty: unknown */
    float language_probability; /* probability of the detected language; 0: it was given */
    bool finished;              /* the model ended the sentence; else it was cut at its longest */
    double milliseconds;        /* of this result, encoding excluded unless it was needed */
    char note[320]; /* why these words should not be trusted; empty: nothing against them */
    /* Whether the input is unlike what the model was trained on, where that is known. */
    bool knows_unlike, is_unlike;
    /* A guess: the input is unlike, or the sentence as a whole is unsure. Where it is shown, "perhaps:" is
     * before it. */
    bool is_doubtful;
} sac_result;
void sac_result_free(sac_result *result); /* takes zeroed ones */
/* All that was generated, words and special tokens, into tokens[SAC_MAX_TOKENS]; returns how many. */
int sac_result_tokens(const sac_result *result, int *tokens);
/* Which of these tokens word `index` is, and which word token `step` is; −1: none. */
int sac_result_step(const sac_result *result, int index);
int sac_result_word_at(const sac_result *result, int step);
/* Entropy, peak and centre of each output's map, and the largest weight of all of them. */
void sac_result_measure(sac_result *result);
/* After other maps were written in place of attention: brings each to a sum of 1, where it has any, and measures it. */
void sac_result_finish_maps(sac_result *result, sac_attribution attribution);
/* In place of each word's attention what of it is above the mean of all its words. One word keeps its own. */
void sac_result_contrast(sac_result *result);
/* Makes special tokens of those words for which `special` [count] is true: they have no maps then. */
void sac_result_set_apart(sac_result *result, const bool *special);
/* "a large red circle" into `text`, which is returned: `line`, or the words, with blanks where their script has
 * them. */
char *sac_result_text(const sac_result *result, char *text, size_t size);
/* The same, whole; free() it. NULL: no memory. */
char *sac_result_make_line(const sac_result *result);
/* The same without the tokens of regions of the picture, where it has such. */
char *sac_result_make_placeless_line(const sac_result *result);
/* Takes the line, which is `free`d with the result, and where in it the share of each word ends, ends[count]; a word
 * without a share keeps its text where `keeps` [count] is true. False: no memory, and nothing is taken. */
bool sac_result_take_line(sac_result *result, char *line, const size_t *ends, const bool *keeps);
/* The word's share of the line, blanks among it: the shares one after the other are the line. Of whole words the
 * word; the name of an object, the phrase. Lent. */
const char *sac_result_share(const sac_result *result, int index);
/* Names output `index`, of which all before are named. False: no memory. */
bool sac_result_set_output_name(sac_result *result, int index, const char *name);
/* A number, or a pair of them, that each output has beside its probability. What prints or writes results goes through
 * the table: JSON, arrays, and the words that are printed one by one. */
typedef struct sac_output_figure {
    const char *name;    /* "entropy", in JSON and of its array */
    const char *heading; /* "entropy/bits", above its column; NULL: it has none */
    size_t offset;       /* in sac_result_output: float, or int of a whole one */
    bool is_pair, is_whole;
    bool of_cells; /* words over words do not have it */
    size_t has;    /* in sac_result: the bool without which there is none; 0: there always is */
} sac_output_figure;
enum { SAC_OUTPUT_FIGURES = 6 };
extern const sac_output_figure sac_output_figures[SAC_OUTPUT_FIGURES];
bool sac_result_has_figure(const sac_result *result, const sac_output_figure *figure);
/* Of output `index`; values[1] of a pair alone. */
void sac_result_figure(const sac_result *result, int index, const sac_output_figure *figure,
                       float values[2]);
/* How many outputs are more probable: of objects the first so many. */
int sac_result_count_above(const sac_result *result, float threshold);
/* row [grid_h,grid_w] ← where output `index` attends in a layer, and a head; −1: the mean of all.
 * Without `attentions` its map, whichever they are. */
void sac_result_row(const sac_result *result, int index, int layer, int head, float *row);
/* The word that looked most narrowly of those that describe, and of them of those that are sure where there are any;
 * −1: there is none. */
int sac_result_narrowest(const sac_result *result);
/* Of a query: the patch that word `index` has its largest cosine with; false: a word of the page's prompt has a larger one. */
bool sac_result_best_patch(const sac_result *result, int index, int *x, int *y);
/* True where word `index` has a box of where its gaze heads look. */
bool sac_result_has_gaze_box(const sac_result *result, int index);
/* True where a word stands in the line right behind the one before it. */
bool sac_result_joins(const sac_result *result, int index);
/* True where word `index` is such a token. */
bool sac_result_is_place(const sac_result *result, int index);
/* True where word `index` is a piece that goes on the one before it; and the word that a piece is of, all its pieces
 * together, into `word`, which is returned. */
bool sac_result_goes_on(const sac_result *result, int index);
const char *sac_result_word_of(const sac_result *result, int index, char *word, size_t size);

/* The true sentence of a picture, where it is known, and where its words are to be seen. */
typedef struct sac_caption_truth {
    char caption[256];
    int objects;
    struct {
        sac_look look;     /* a flat shape has one box; two boats, or a deed, have several */
        char words[3][24]; /* what names it: size, colour, shape */
    } object[SAC_CAPTION_OBJECTS];
    int words;
    int object_of_word[SAC_MAX_TOKENS]; /* object of each word of the true caption, or −1 */
    bool by_word;                       /* words are held to words, and not phrases to phrases */
    bool by_name; /* by words, of a picture without a sentence: a generated word that is one of an
                     object's belongs to it (boxes.h) */
    bool names[SAC_MAX_TOKENS]; /* by words: of the true caption, those that name */
} sac_caption_truth;

/* How much of a map lies in boxes. */
typedef struct sac_localization {
    bool inside;     /* the centre of the peak's cell lies in a box */
    float mass;      /* share of the heat in the boxes, cells counted by the share of them inside */
    float box_share; /* the boxes' share of the grid: what uniform heat would have there */
} sac_localization;
/* Of heat [grid_h,grid_w], whose peak is cell `peak`. */
sac_localization sac_look_localize(const sac_look *look, const float *heat, int grid_w, int grid_h,
                                   int peak);
/* Of the map of word `word`. */
sac_localization sac_caption_localize(const sac_result *caption, int word, const sac_look *look);

/* The measures of a word's map against the boxes of the object that it names. By phrases, generated
 * and true sentence are both cut into noun phrases (from an article to the word before the next
 * link or article); the words of the i-th generated phrase, its article included, belong to the object
 * of the i-th true one, whatever the words are. Links ("left of", "and" …), and phrases that the
 * truth does not have, belong to none. By words, a generated word belongs to what the true word does
 * in whose place it stands, where as few words as can be are exchanged, left out or put in. By
 * names, pieces of a word belong to what the whole word does, and no word is wrong. */
typedef struct sac_caption_mark {
    int object;                    /* −1: the word names none */
    bool right;                    /* the truth has the same word in this place */
    bool names;                    /* a colour or a thing */
    sac_localization localization; /* at the object */
} sac_caption_mark;
/* One mark for each word of the caption. */
void sac_caption_judge(const sac_result *caption, const sac_caption_truth *truth,
                       sac_caption_mark *marks);
/* cover[grid_h,grid_w]: the share of each cell that lies in the boxes, or in that of them which
 * holds most of it. */
void sac_look_cover(const sac_look *look, int grid_w, int grid_h, float *cover);
/* True for a place (in shares of width and height) in one of the boxes. */
bool sac_look_holds(const sac_look *look, double x, double y);

/* ---- the truth of a translation */

/* The true translation of a sentence, and which words of the sentence each of its words stands for.
 */
typedef struct sac_alignment_truth {
    int count;
    char words[SAC_MAX_TOKENS][SAC_MAX_TOKEN_TEXT];
    uint64_t links[SAC_MAX_TOKENS]; /* bit i of links[t]: word t stands for source word i */
} sac_alignment_truth;

/* True where word t of a translation stands for source word i. As long as the translation is true;
 * from the first word that differs on it is unknown, and false. */
bool sac_alignment_is_true(const sac_alignment_truth *truth, const sac_result *translation, int t,
                           int i);
/* True where the translation is the whole truth and nothing else. */
bool sac_alignment_is_exact(const sac_alignment_truth *truth, const sac_result *translation);

#endif
