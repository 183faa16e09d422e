/* The words that a sentence is told to begin with: up to the last one that a person put in the
 * place of another, after which the model goes on by itself. */
#ifndef VIZ_PARTS_PREFIX_H
#define VIZ_PARTS_PREFIX_H

#include "view/view.h"

typedef struct viz_prefix {
    int words[SAC_MAX_TOKENS], count;
    bool replaced[SAC_MAX_TOKENS]; /* those that a person chose */
} viz_prefix;

/* Says `word` of the vocabulary at place `at` of a sentence. False where it has no such place. */
bool viz_prefix_replace(viz_prefix *prefix, const sac_caption *sentence, int at, int word);
/* Takes back the words from place `at` on that a person chose; −1: the last one chosen. False:
 * there is none. */
bool viz_prefix_take_back(viz_prefix *prefix, int at);
/* Writes the words as settings: "prefix" is "a large blue", and "replaced", counted from 0, "1 2".
 */
void viz_prefix_describe(const viz_prefix *prefix, const sac_source *source, viz_put *put,
                         void *user);
/* True where `key` is one of them. A prefix ends before the first word that the source does not
 * know. */
bool viz_prefix_restore(viz_prefix *prefix, const sac_source *source, const char *key,
                        const char *value);
/* The words of a request. */
void viz_prefix_ask(const viz_prefix *prefix, sac_caption_request *request);

#endif
