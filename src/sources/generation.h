/* Token-by-token generation of a model after a text, or for a picture, a sound or a sentence to
 * translate: the attention of each token, and the other candidates. */
#ifndef SAC_SOURCES_GENERATION_H
#define SAC_SOURCES_GENERATION_H

#include "arrays/labels.h"
#include "saccade.h"

enum {
    SAC_GENERATION_TOKENS = 12,
    SAC_GENERATION_MOST = 1024,
    SAC_SAMPLING_CHANGES = 32,
    SAC_GENERATION_CANDIDATES = 12,
    SAC_SAMPLING_BEAM = 16,
    SAC_LENGTH_PENALTY = 10 /* either way, at most */
};

/* A token that replaces the model's own. */
typedef struct sac_token_change {
    int step, id;
} sac_token_change;

/* How a token is drawn of its probabilities, as transformers does it. */
typedef struct sac_draw {
    float temperature; /* 0: the most probable token each time */
    uint64_t seed;     /* the same one gives the same tokens */
    int top_k;         /* only so many of the most probable tokens are drawn from; 0: any */
    float
        top_p; /* and of these only the most probable that have so much together; 0: all of them */
} sac_draw;

/* Of a beam search: a sentence of n tokens, its end among them, is worth its log probability / n^value.
 * Not given: that of the model. */
typedef struct sac_length_penalty {
    bool given;
    float value; /* 0: sentences are compared by their probabilities, which favours short ones */
} sac_length_penalty;

/* How tokens are chosen. */
typedef struct sac_sampling {
    int count; /* most tokens to generate */
    sac_draw draw;
    int beam; /* width of a beam search, where no token is drawn; 0, 1: none … */
    sac_length_penalty penalty; /* … and how its texts are compared */
    int changes;                /* tokens that are taken whatever is drawn, the earliest first: */
    sac_token_change change[SAC_SAMPLING_CHANGES];
} sac_sampling;

/* One turn of a conversation: so many tokens of the text, from `from` on. */
typedef struct sac_turn {
    char role[24];
    size_t from, count;
} sac_turn;

/* Of a result that was generated token by token. */
typedef struct sac_generation {
    sac_labels tokens;       /* [count] of the text, and of the generation after it */
    size_t count, generated; /* the last so many were generated */
    char *text;              /* of those, as the tokenizer decodes them; owned */
    size_t picture,
        pictured;  /* so many of the text, from `picture` on, are of a picture or a sound … */
    bool is_audio; /* … which it is */
    float seconds; /* is_audio: how long all cells are */
    bool is_plain; /* there is one attention, and no layers and heads to take a mean of */
    size_t apart;  /* so many, the first, are looked at by attention of their own: they, and those
                     behind them, each sum to 1 in a row; 0: all together do */
    float *
        rows; /* [generated,count] the attention of the token before each, which generated it: the mean of all
                    layers and heads; owned */
    sac_turn *turns; /* [turn_count] of a conversation, in their order; owned; NULL: it is none */
    size_t turn_count;
    int grid_w, grid_h;
    float *
        cells; /* [generated,grid_h,grid_w] what of it lies on cells of the picture, each with a sum of
                     1; owned; NULL: there are none */
    double milliseconds;
} sac_generation;
void sac_generation_free(sac_generation *generation); /* takes a zeroed one */
/* What of the attention that generated token `step` lies on each turn of the conversation, shares[turn_count + 2]: behind
 * the turns what lies on the rest of the text, which is the template's, and on what was generated before it. Their
 * sum is that of the row. */
void sac_generation_turn_shares(const sac_generation *generation, size_t step, float *shares);
/* The same with one column, called `name`, in place of all those of a picture: their sum. */
sac_status sac_generation_fold_picture(sac_generation *generation, const char *name,
                                       sac_error *error);

/* A token that might have come, or may come next. */
typedef struct sac_candidate {
    int id;
    char text[48];
    float probability,
        left;    /* before the sampling, and what temperature, top-k and top-p leave; or with
                                all heads, and with those that are not switched off */
    bool stands; /* it is the one that was generated, or stands there in the text */
} sac_candidate;

/* "0.8 40 0.95 3 12 5=464 7=11": temperature, top-k, top-p, seed, tokens, and the changes, before which a
 * beam of 4 stands as "beam 4", and with a length penalty " penalty 0.7"; into `text`, which is returned. */
char *sac_sampling_text(const sac_sampling *how, char *text, size_t size);
/* Reads it. False, and nothing is written, where it is malformed. */
bool sac_sampling_read(const char *text, sac_sampling *how);
/* Sets token `id` at step `step`; changes after it are forgotten. False: there are too many changes. */
bool sac_sampling_change(sac_sampling *how, int step, int id);

#endif
