/* Regular expressions, as files of tokenizers write them: Oniguruma's, in the syntax of Ruby. PCRE2
 * matches them, by the characters of Unicode. */
#ifndef SAC_TOKENIZERS_TEXT_PATTERN_H
#define SAC_TOKENIZERS_TEXT_PATTERN_H

#include "saccade.h"

typedef struct sac_pattern sac_pattern;

/* Characters, for an expression's brackets. */
#define SAC_CHARS_SPACE "\\t-\\r\\x{85}\\p{Z}"               /* White_Space */
#define SAC_CHARS_WORD "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}" /* \w, but for a few */
#define SAC_ONE_PUNCTUATION                                                                        \
    "(?![\\x{61d}\\x{9fd}\\x{a76}\\x{c77}\\x{c84}\\x{1b4e}\\x{1b4f}\\x{1b7d}-\\x{1b7f}\\x{2e43}-"  \
    "\\x{2e4f}\\x{2e52}-"                                                                          \
    "\\x{2e5d}\\x{10d6e}\\x{10ead}-\\x{10fff}\\x{113d4}-\\x{113d8}\\x{1144b}-\\x{1145d}\\x{11660}" \
    "-\\x{116b9}\\x{1183b}"                                                                        \
    "\\x{11944}-\\x{119e2}\\x{11a3f}-\\x{11aa2}\\x{11b00}-\\x{11ef8}\\x{11f43}-\\x{11fff}"         \
    "\\x{12ff1}\\x{12ff2}\\x{16d6d}-\\x{16d6f}\\x{16e97}-\\x{16e9a}\\x{16fe2}\\x{1e5ff}"           \
    "\\x{1e95e}\\x{1e95f}])[\\p{P}$+<=>^`|~\\x{166d}\\x{111c9}]" /* of `tokenizers`: as in Unicode 8  \
                                                                    , and ASCII's signs */

/* SAC_E_FORMAT where the expression is none, or of a kind that is not known here. `literal`: it is
 * the text itself. */
sac_status sac_pattern_compile(const char *expression, bool literal, sac_pattern **pattern,
                               sac_error *error);
void sac_pattern_free(sac_pattern *pattern);

/* The steps that all patterns together may take for a text of `size` bytes. */
size_t sac_pattern_step_limit(size_t size);

/* A search through one text after another. */
typedef struct sac_matcher {
    const sac_pattern *pattern;
    void *data, *limits;
    size_t *steps; /* that are left; lent */
    const char *text;
    size_t size, at;   /* the search continues here */
    size_t begin, end; /* of what was found */
    bool gave_up;      /* no steps are left, it takes too much memory, or work should stop */
} sac_matcher;

/* False: out of memory; end it in any case. */
bool sac_matcher_begin(sac_matcher *matcher, const sac_pattern *pattern, size_t *steps);
/* `size` bytes of UTF-8. */
void sac_matcher_set_text(sac_matcher *matcher, const char *text, size_t size);
bool sac_matcher_next(sac_matcher *matcher);
void sac_matcher_end(sac_matcher *matcher);

#endif
