/* Text to tokens and back, as a checkpoint's own tokenizer does it: WordPiece (Schuster and
 * Nakajima 2012; Devlin et al. 2019) and byte-pair encoding over bytes or characters (Sennrich et
 * al. 2016; Radford et al. 2019), and SentencePiece's unigrams (Kudo 2018). It is read from a
 * folder: `source.spm` with `vocab.json`, or `tokenizer.json`, or without one a model of
 * SentencePiece (`sentencepiece.bpe.model`, `tokenizer.model`, `spiece.model`, `spm.model`),
 * `vocab.txt`, or `vocab.json` with `merges.txt`. `tokenizer_config.json`, `special_tokens_map.json`
 * and `added_tokens.json` are applied as in `transformers` 5.
 *
 *     sac_tokenizer *t;
 *     sac_tokens tokens = {0};
 *     sac_tokenizer_open("gpt2", &t, error);
 *     sac_tokenizer_encode(t, "Attention is", true, &tokens, error);
 *
 * A tokenizer does not change once it is open: threads may share it. */
#ifndef SAC_TOKENIZERS_TOKENIZER_H
#define SAC_TOKENIZERS_TOKENIZER_H

#include "saccade.h"

typedef struct sac_tokenizer sac_tokenizer;

typedef struct sac_tokens {
    int *ids;
    size_t count, capacity;
} sac_tokens;

/* SAC_E_FILE where the folder has none of those files; SAC_E_FORMAT where one is damaged, or asks
 * for a part that is not known here, which is named. */
sac_status sac_tokenizer_open(const char *folder, sac_tokenizer **tokenizer, sac_error *error);
/* The same out of an object of cJSON that holds tokenizer.json, and others of those files in JSON, by their names; lent. */
struct cJSON;
sac_status sac_tokenizer_open_files(const struct cJSON *files, sac_tokenizer **tokenizer,
                                    sac_error *error);
/* The same out of the keys of a GGUF, an object of cJSON; lent. */
sac_status sac_tokenizer_open_gguf(const struct cJSON *keys, sac_tokenizer **tokenizer,
                                   sac_error *error);
void sac_tokenizer_destroy(sac_tokenizer *tokenizer);

/* What was assumed where a file leaves it open, and what it has that is not followed; NULL: nothing. */
const char *sac_tokenizer_note(const sac_tokenizer *tokenizer);

/* The target language's tokenizer, where a translator has a vocabulary for each language; else the
 * tokenizer itself. Lent. */
sac_tokenizer *sac_tokenizer_of_target(sac_tokenizer *tokenizer);

/* One more than the largest id. */
size_t sac_tokenizer_size(const sac_tokenizer *tokenizer);
/* The token as its file writes it ("##ing", "Ġthe"); NULL where no token has the id. */
const char *sac_tokenizer_token(const sac_tokenizer *tokenizer, int id);
/* −1 where there is none. */
int sac_tokenizer_find(const sac_tokenizer *tokenizer, const char *token);
/* The token with which texts are filled up, as its file writes it; "": none is named. Lent. */
const char *sac_tokenizer_padding(const sac_tokenizer *tokenizer);
/* True for [CLS], <|endoftext|> and their like, which stand for no text. */
bool sac_tokenizer_is_special(const sac_tokenizer *tokenizer, int id);
/* True for tokens that the file puts around texts, listed as special or not. */
bool sac_tokenizer_is_frame_token(const sac_tokenizer *tokenizer, int id);

/* Appends the tokens of a text, UTF-8; what is not counts as U+FFFD. With `framed`, the tokens that
 * the file puts around a text ([CLS] … [SEP]) are there too. SAC_E_MEMORY; `tokens` is to be freed
 * in any case. */
sac_status sac_tokenizer_encode(const sac_tokenizer *tokenizer, const char *text, bool framed,
                                sac_tokens *tokens, sac_error *error);
/* The same of two texts, framed as a pair: "[CLS] first [SEP] second [SEP]". *from: the place of the
 * second one's first token among `tokens`, behind what stands between both; 0: the tokenizer puts
 * nothing between texts, and this is not a pair. */
sac_status sac_tokenizer_encode_pair(const sac_tokenizer *tokenizer, const char *first,
                                     const char *second, sac_tokens *tokens, size_t *from,
                                     sac_error *error);
/* What stands between the texts of a pair, as it is written in one text: "[SEP]", "</s></s>". False: nothing
 * does, or it has no room. */
bool sac_tokenizer_separator(const sac_tokenizer *tokenizer, char *text, size_t size);
/* Cuts framed tokens to `most`, as truncation=True does in transformers: the tokens that the file puts
 * around and between texts stay, and of a pair (*from, which follows) the longer text is cut first,
 * then both. False: there is nothing to cut. */
bool sac_tokenizer_truncate(const sac_tokenizer *tokenizer, size_t most, sac_tokens *tokens,
                            size_t *from);
/* The text of tokens as decode(ids, skip_special_tokens=True) of `transformers` makes it: free() it; NULL: out
 * of memory. Bytes that are no UTF-8, such as the first half of a character, become U+FFFD. */
char *sac_tokenizer_decode(const sac_tokenizer *tokenizer, const int *ids, size_t count);
/* The same, and where in it each token's share ends, in bytes, into ends[count]: that of token i begins at
 * ends[i − 1], or 0. A character belongs to the token that it begins in. */
char *sac_tokenizer_decode_with_ends(const sac_tokenizer *tokenizer, const int *ids, size_t count,
                                     size_t *ends);
/* The text of one token, where bytes that are no letter by themselves are seen, "‹E4 B8›": free() it;
 * NULL: out of memory. */
char *sac_tokenizer_show(const sac_tokenizer *tokenizer, int id);
/* True where tokens are bytes, written as characters: GPT-2's "Ġthe". */
bool sac_tokenizer_has_byte_pieces(const sac_tokenizer *tokenizer);

/* ---- translators between many languages */

/* A text may begin with ">>fra_Latn<<", the language that it is to be put into, or with
 * ">>eng_Latn fra_Latn<<", its own and that one; the codes are those of the model's folder. */
bool sac_tokenizer_knows_languages(const sac_tokenizer *tokenizer);
/* Their codes, "af, am, ar …"; returns `text`. */
char *sac_tokenizer_languages(const sac_tokenizer *tokenizer, char *text, size_t size);
/* The token of the language that the text is to be put into; −1: neither the text nor the folder
 * names it. SAC_E_ARGUMENT where there is no such language. */
sac_status sac_tokenizer_target_language(const sac_tokenizer *tokenizer, const char *text,
                                         int *token, sac_error *error);
/* True where a translation begins with the token of its language, not with the usual first one. */
bool sac_tokenizer_begins_with_target(const sac_tokenizer *tokenizer);
/* How many tokens a framed text has around it. */
size_t sac_tokenizer_frame_size(const sac_tokenizer *tokenizer);

void sac_tokens_free(sac_tokens *tokens);

#endif
