/* The internals of a tokenizer, filled in by its readers. */
#ifndef SAC_TOKENIZERS_INSIDE_H
#define SAC_TOKENIZERS_INSIDE_H

#include "tokenizers/models/token_ids.h"
#include "tokenizers/models/unigram.h"
#include "tokenizers/text/charsmap.h"
#include "tokenizers/text/pattern.h"
#include "tokenizers/text/text_buffer.h"
#include "tokenizers/tokenizer.h"

/* ---- pieces of a text */

/* A text cut into pieces, between which no token reaches: words, signs, runs of blanks. */

typedef enum sac_split_kind {
    SAC_SPLIT_PATTERN,     /* around what a pattern finds */
    SAC_SPLIT_SPACE_FIRST, /* no cut: a space before a text that begins with none */
    SAC_SPLIT_MARKS,       /* no cut: ▁ for each space */
    SAC_SPLIT_MARK_EACH,   /* no cut: ▁ before a piece that begins with none … */
    SAC_SPLIT_MARK_FIRST,  /* … or before the first of a text alone */
    SAC_SPLIT_BYTES, /* no cut: each byte as the character that a byte-level token has for it */
} sac_split_kind;

/* What is done with a match of the pattern. */
typedef enum sac_split_behavior {
    SAC_SPLIT_ISOLATED, /* a piece of its own */
    SAC_SPLIT_REMOVED,
    SAC_SPLIT_MERGED_WITH_PREVIOUS, /* the end of the piece before it */
    SAC_SPLIT_MERGED_WITH_NEXT,     /* the beginning of the piece after it */
    SAC_SPLIT_CONTIGUOUS,           /* one piece with others that follow at once */
} sac_split_behavior;

typedef struct sac_split_step {
    sac_split_kind kind;
    sac_split_behavior behavior;
    bool inverted;        /* it is the rest that counts as found */
    sac_pattern *pattern; /* owned */
} sac_split_step;

typedef struct sac_splitter {
    sac_split_step *steps;
    size_t count, capacity;
} sac_splitter;

/* Piece i is text.bytes from ends[i − 1], or 0, to ends[i]. */
typedef struct sac_pieces {
    sac_text_buffer text; /* its limit is that of every step */
    size_t *ends, count, capacity;
    bool begins; /* the first piece is the beginning of a text */
} sac_pieces;

/* Owns the pattern, also where it fails. False: out of memory. */
bool sac_splitter_add(sac_splitter *splitter, sac_split_step step);
void sac_splitter_free(sac_splitter *splitter);

/* Cuts `size` bytes of UTF-8; `pieces` has none before, and is to be freed after it. False: it
 * failed, and pieces->text.why has the reason. */
bool sac_split(const sac_splitter *splitter, const char *text, size_t size, sac_pieces *pieces);
void sac_pieces_free(sac_pieces *pieces);

/* ---- normalizers */

/* What a tokenizer does to a text before it looks for words. */

typedef enum sac_text_normalizer_kind {
    SAC_NORMALIZE_CLEAN,      /* control characters go, every blank becomes a space */
    SAC_NORMALIZE_IDEOGRAPHS, /* a space before and after each */
    SAC_NORMALIZE_NFC,
    SAC_NORMALIZE_NFD,
    SAC_NORMALIZE_NFKC,
    SAC_NORMALIZE_NFKD,
    SAC_NORMALIZE_STRIP_MARKS,     /* accents go; after NFD */
    SAC_NORMALIZE_STRIP_ALL_MARKS, /* and signs that take room beside a letter */
    SAC_NORMALIZE_LOWERCASE,
    SAC_NORMALIZE_REPLACE, /* what the pattern finds by `to` */
    SAC_NORMALIZE_PREPEND, /* `to`, where there is a text */
    SAC_NORMALIZE_BYTES,   /* each byte as the character that a byte-level token has for it */
    SAC_NORMALIZE_STRIP_LEFT,
    SAC_NORMALIZE_STRIP_RIGHT,
    SAC_NORMALIZE_NMT,      /* control characters go, some others become spaces */
    SAC_NORMALIZE_CHARSMAP, /* by the table, as `tokenizers` does it … */
    SAC_NORMALIZE_LONGEST,  /* … and as SentencePiece does it */
} sac_text_normalizer_kind;

typedef struct sac_text_normalizer_step {
    sac_text_normalizer_kind kind;
    char *to;             /* owned; NULL: none */
    sac_pattern *pattern; /* owned; NULL: none */
} sac_text_normalizer_step;

typedef struct sac_text_normalizer {
    sac_text_normalizer_step *steps;
    size_t count, capacity;
    sac_charsmap charsmap; /* owned */
} sac_text_normalizer;

/* Owns what the step owns, also where it fails. False: out of memory. */
bool sac_text_normalizer_add(sac_text_normalizer *normalizer, sac_text_normalizer_step step);
/* Frees the steps and the table, and leaves none. */
void sac_text_normalizer_free(sac_text_normalizer *normalizer);

/* Appends a text of `size` bytes, normalized, to `out`, whose flag marks a failure: no step may
 * make more than `out` may hold. False where its first character was removed. */
bool sac_text_normalize(const sac_text_normalizer *normalizer, const char *text, size_t size,
                        sac_text_buffer *out);

typedef enum sac_tokenizer_model {
    SAC_WORDPIECE,
    SAC_BPE,
    SAC_WORDLEVEL, /* each piece is a token */
    SAC_UNIGRAM,
    SAC_MARIAN, /* unigrams of a whole text, which is not normalized by the steps below; or as: */
    SAC_MAPPED, /* the pieces that another tokenizer cuts a text into */
} sac_tokenizer_model;

/* How tokens are joined to a text. */
typedef enum sac_joining {
    SAC_JOIN_BY_MODEL, /* the file names no decoder: the model's default */
    SAC_JOIN_BYTES,    /* their characters are bytes */
    SAC_JOIN_WORDPIECES,
    SAC_JOIN_MARKS,   /* ▁ is a space, <0x0A> a byte */
    SAC_JOIN_ENDINGS, /* a space behind those that end a word */
    SAC_JOIN_PLAIN,   /* nothing between them; <0x0A> a byte */
} sac_joining;

/* SAC_JOIN_MARKS: which spaces at the beginning of a text are none. */
typedef enum sac_first_blank {
    SAC_FIRST_ALL,   /* all of them */
    SAC_FIRST_TOKEN, /* those of the first token */
    SAC_FIRST_ONE,
    SAC_FIRST_NONE
} sac_first_blank;

/* A pair of tokens that byte-pair encoding makes one of; of two pairs the lower rank goes first. */
typedef struct sac_merge {
    int left, right, rank, merged; /* ids; merged −1: a free slot */
} sac_merge;

/* A token that is found in a text as it stands, before the text is cut. */
typedef struct sac_added_token {
    int id;
    bool special;                   /* stands for no text */
    bool normalized;                /* looked for in the normalized text */
    bool strips_left, strips_right; /* takes the blanks beside it */
    bool is_word;                   /* not beside letters and numbers */
    char *text;                     /* as it is looked for; owned */
    size_t size;
} sac_added_token;

/* The languages of a translator between many: each is a token. */
typedef struct sac_languages {
    int *tokens; /* owned */
    size_t count;
    int from, to; /* what a text is in, and is put into, by default; −1: unknown */
    bool behind;  /* the token of `from` is the last of a text, and not the first */
    bool begins;  /* the output begins with the token of `to`, in place of another start */
} sac_languages;

enum { SAC_FRAME = 8 }; /* special tokens before a text, and after it, at most */

struct sac_tokenizer {
    sac_status status; /* while it is read: of what was read; nothing is added after a failure */
    sac_error *error;  /* … its text; lent */
    char note[400]; /* what was assumed, and what its file has that is not followed; "": nothing */
    sac_text_normalizer normalizer;
    sac_splitter splitter;
    sac_vocabulary vocabulary;
    sac_tokenizer_model model;
    int unknown;      /* the unknown token; −1: unknown pieces are left out */
    char padding[64]; /* what pad_token names; "": nothing */
    char prefix[8];   /* WordPiece, BPE: before a piece inside a word */
    char suffix[8];   /* BPE: after the last piece of a word */
    size_t word_most; /* WordPiece: characters; a longer word is unknown */
    bool byte_level;  /* tokens are bytes, written as characters */
    bool byte_fallback, fuses_unknown, ignores_merges;
    bool begins_anyway; /* a text begins with its first piece, whatever was removed before it */
    sac_merge *merges;  /* a hash table by (left, right), open addressing */
    size_t merge_slots, merge_count;
    sac_text_buffer both; /* while merges are read: two tokens in one */
    sac_unigram unigram;  /* of SAC_UNIGRAM */
    sac_joining joining;  /* tokens to text */
    sac_first_blank first_blank;
    bool keeps_gaps; /* SAC_JOIN_WORDPIECES: a space before signs, too */
    bool has_decoder,
        joins_bytes;  /* the file has a decoder, and it makes one text of bytes <0x…> */
    bool fused;       /* while it is read: its steps so far made one text of all tokens */
    bool cleans;      /* clean_up_tokenization_spaces, where the class follows it */
    bool drops_times; /* Whisper's: <|1.20|> is no text */
    struct sac_sentencepiece *sentencepiece; /* of SAC_MARIAN; owned */
    sac_tokenizer *target;                   /* of SAC_MARIAN with two vocabularies; owned */
    sac_tokenizer *pieces;                   /* of SAC_MAPPED, SAC_MARIAN; owned; NULL: none */
    sac_languages languages;                 /* none: count 0 */
    sac_added_token *added;
    size_t added_count, added_capacity;
    int *added_at; /* by id: its place among them; −1: none */
    size_t added_at_count;
    bool begins_added[256];                  /* whether the byte is the first of an added token */
    int before[SAC_FRAME], after[SAC_FRAME]; /* a framed text's first and last tokens */
    size_t before_count, after_count;
    int between[SAC_FRAME]; /* between the two texts of a pair; none: as after a text */
    size_t between_count;
    bool no_pairs; /* its file frames a pair otherwise: a text is always one */
};

/* False: out of memory. */
bool sac_tokens_append(sac_tokens *tokens, int id);
/* In place of an added token of the same id. False: out of memory. */
bool sac_tokenizer_add(sac_tokenizer *tokenizer, sac_added_token added);
/* An empty tokenizer that is to be read; SAC_E_MEMORY. */
sac_status sac_tokenizer_begin(sac_tokenizer **tokenizer, sac_error *error);
/* Gives one that was read, whose status is returned; destroys it where it failed. */
sac_status sac_tokenizer_end(sac_tokenizer *read, sac_tokenizer **tokenizer);
/* Once all is read: added tokens are looked for as the normalizer writes them. */
void sac_tokenizer_finish(sac_tokenizer *tokenizer);

/* The tokens of one piece. False: out of memory. */
bool sac_wordpiece(const sac_tokenizer *tokenizer, const char *word, size_t size,
                   sac_tokens *tokens);
bool sac_wordlevel(const sac_tokenizer *tokenizer, const char *word, size_t size,
                   sac_tokens *tokens);
bool sac_bpe(const sac_tokenizer *tokenizer, const char *word, size_t size, sac_tokens *tokens);
/* The tokens of the pieces that the model cuts a text into. */
bool sac_unigram_tokens(const sac_tokenizer *tokenizer, const sac_unigram *unigram,
                        const char *text, size_t size, sac_tokens *tokens);
/* The token <0x0A> of a byte; −1: there is none. */
int sac_tokenizer_byte(const sac_tokenizer *tokenizer, uint8_t byte);
/* The tokens of a whole text, which is normalized and cut by the model of SAC_MARIAN. */
bool sac_marian_encode(const sac_tokenizer *tokenizer, const char *text, size_t size,
                       sac_tokens *tokens);

/* The tokens of a part of a text, without a frame. */
bool sac_tokenizer_encode_part(const sac_tokenizer *tokenizer, const char *text, size_t size,
                               sac_tokens *tokens);
/* The tokens of a whole text by those that t->pieces cuts it into. */
bool sac_mapped_encode(const sac_tokenizer *tokenizer, const char *text, size_t size,
                       sac_tokens *tokens);
/* The languages of a text, which begins behind those that it names. SAC_E_ARGUMENT for one that is
 * not known. */
sac_status sac_languages_read_prefix(const sac_tokenizer *tokenizer, const char **text, int *from,
                                     int *to, sac_error *error);

#define SAC_MARK "\xe2\x96\x81" /* ▁ */

/* What BERT's normalizer does. */
typedef struct sac_bert_rules {
    bool cleans, spaces_ideographs, strips_accents, lowers;
} sac_bert_rules;

/* Which pieces get a ▁ before them: none, the first of a text, all. */
typedef enum sac_mark_scheme { SAC_MARK_NEVER, SAC_MARK_FIRST, SAC_MARK_ALWAYS } sac_mark_scheme;

/* While a tokenizer is read: makes the call where nothing failed before, and keeps its status. */
#define SAC_TRY(tokenizer, call)                                                                   \
    do {                                                                                           \
        if ((tokenizer)->status == SAC_OK)                                                         \
            (tokenizer)->status = (call);                                                          \
    } while (0)

/* Each adds a step, or several, behind those that there are. The pattern is owned, also where it
 * fails. SAC_E_MEMORY; SAC_E_FORMAT for an expression that is none. */
void sac_tokenizer_add_normalizer(sac_tokenizer *tokenizer, sac_text_normalizer_kind kind,
                                  const char *to, sac_pattern *pattern);
void sac_tokenizer_add_replacement(sac_tokenizer *tokenizer, const char *expression,
                                   const char *to);
void sac_tokenizer_add_bert_normalizers(sac_tokenizer *tokenizer, sac_bert_rules rules);
void sac_tokenizer_add_split(sac_tokenizer *tokenizer, const char *expression,
                             sac_split_behavior behavior, bool inverted);
/* At blanks, which go; and around each punctuation mark; into GPT-2's words and bytes; by ▁. */
void sac_tokenizer_add_blank_split(sac_tokenizer *tokenizer);
void sac_tokenizer_add_bert_splits(sac_tokenizer *tokenizer);
void sac_tokenizer_add_byte_splits(sac_tokenizer *tokenizer, bool space_first, bool words);
void sac_tokenizer_add_mark_splits(sac_tokenizer *tokenizer, sac_mark_scheme scheme, bool cuts);

/* Makes room for `count` merges, then adds them one by one. */
bool sac_bpe_allocate_merges(sac_tokenizer *tokenizer, size_t count);
/* False where a token, or both in one, is not in the vocabulary, or no room is left. */
bool sac_bpe_add_merge(sac_tokenizer *tokenizer, const char *left, size_t left_size,
                       const char *right, size_t right_size, int rank);
/* The same of "LEFT RIGHT"; a token may begin with a space. */
bool sac_bpe_add_line(sac_tokenizer *tokenizer, const char *line, int rank);

/* Each fills in an empty tokenizer, whose status and error are the outcome; what was read before a
 * failure is freed with the tokenizer. From the text of a tokenizer.json; from what that text holds; from the file; from
 * source.spm and vocab.json; from vocab.txt, or vocab.json and merges.txt; from a SentencePiece model
 * alone, whose data are moved. */
struct sac_settings;
struct cJSON;
void sac_tokenizer_parse(sac_tokenizer *tokenizer, const char *text, size_t size);
void sac_tokenizer_read_value(sac_tokenizer *tokenizer, const struct cJSON *json);
void sac_tokenizer_read_json(sac_tokenizer *tokenizer, const char *path);
void sac_tokenizer_read_marian(sac_tokenizer *tokenizer, const char *folder,
                               const struct sac_settings *settings);
/* M2M-100's: sentencepiece.bpe.model and vocab.json. */
void sac_tokenizer_read_mapped(sac_tokenizer *tokenizer, const char *folder,
                               const struct sac_settings *settings);
void sac_tokenizer_read_lists(sac_tokenizer *tokenizer, const char *folder,
                              struct sac_settings *settings);
void sac_tokenizer_use_pieces(sac_tokenizer *tokenizer, struct sac_sentencepiece *model,
                              const struct sac_settings *settings);
void sac_tokenizer_read_pieces(sac_tokenizer *tokenizer, const char *path,
                               const struct sac_settings *settings);
/* A list of tiktoken, which may have the name of a model of SentencePiece; and SAC_E_FORMAT for it. */
bool sac_tokenizer_is_tiktoken(const char *path);
sac_status sac_tokenizer_refuse_tiktoken(const char *path, sac_error *error);

/* `first` before each text and `last` after it; NULL: none. SAC_E_FORMAT where there is no such
 * token. */
void sac_tokenizer_set_frame(sac_tokenizer *tokenizer, const char *first, const char *last);
/* Between the two texts of a pair, what is after a text stands twice, as in fairseq. */
void sac_tokenizer_separate_twice(sac_tokenizer *tokenizer);
/* All of a vocab.json. */
void sac_tokenizer_read_vocabulary(sac_tokenizer *tokenizer, const char *path);
/* A token that stands for no text, where it is in the vocabulary. */
void sac_tokenizer_mark_special(sac_tokenizer *tokenizer, const char *token);

#endif
