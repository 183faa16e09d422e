/* Sentences as tokens, and tokens as a sentence again. */
#ifndef SAC_PAIRS_TOKENS_H
#define SAC_PAIRS_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words, numbers ("3.14") and marks: of "L'eau, «bonne», don't" L' eau , « bonne » , don't. A word ends
 * behind its apostrophe, but for the endings of English. In scripts that set no words apart, such as
 * Chinese, each character is a token (base/text/script.h), and a run of katakana is one. */
typedef struct sac_sentence_tokens {
    char *text;   /* with a space between two tokens; in Unicode's composed form; owned */
    bool *joined; /* [count]: no blank stood before it; owned */
    int count;
} sac_sentence_tokens;

/* Cuts UTF-8. `lower`: in small letters. False: no memory. Free them in any case. */
bool sac_sentence_tokens_cut(const char *sentence, bool lower, sac_sentence_tokens *tokens);
void sac_sentence_tokens_free(sac_sentence_tokens *tokens);
/* The next of such a text at or after `text`, and its bytes; NULL: there are no more. The next call
 * begins at its end. */
const char *sac_sentence_tokens_next(const char *text, size_t *size);

/* True for one that is no word: it has no letter and no digit. */
bool sac_token_is_mark(const char *token, size_t size);
/* True for a mark at which a sentence ends: . ! ? … and those of other scripts. */
bool sac_token_ends_sentence(const char *token, size_t size);
/* True for a mark, and for a word that its apostrophe joins to the next, "l'", or to the one before. */
bool sac_token_may_join(const char *token, size_t size);

/* A token with its first letter small, or a capital, into `to`, which has room for two bytes more than it
 * has: of them how many are used. */
size_t sac_token_lowercase_first(const char *token, size_t size, char *to);
size_t sac_token_capitalize_first(const char *token, size_t size, char *to);

/* How marks stand in the texts of a language, as bits. */
enum {
    SAC_JOINS_LEFT = 1,  /* right behind the token before: "," */
    SAC_JOINS_RIGHT = 2, /* the next follows at once: "(", "l'" */
    SAC_JOINS_TURNS = 4  /* one opens and the next one closes: "\"" */
};

/* A sentence that grows token by token. */
typedef struct sac_joining {
    char before[64]; /* the last token */
    uint8_t joins;   /* its own, with TURNS resolved */
    bool open;       /* the last mark that turns has opened */
    bool begun;      /* a word stands since the last end of a sentence */
    size_t used;
} sac_joining;
/* Appends a token to text [size], behind a blank where its language has one; with `capital` the first word of a
 * sentence begins with a capital letter. What does not fit is left out. */
void sac_joining_add(sac_joining *joining, const char *token, uint8_t joins, bool capital,
                     char *text, size_t size);

#endif
