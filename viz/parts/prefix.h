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
/* The words as a setting: "a large blue"; or which of them are `replaced`, from 0: "1 2". */
void viz_prefix_tell(const viz_prefix *prefix, const sac_source *source, bool replaced,
                     const char *key, viz_put *put, void *user);
/* And back. A prefix ends before the first word that the source does not know. */
void viz_prefix_take(viz_prefix *prefix, const sac_source *source, bool replaced,
                     const char *value);
/* The words of a request. */
void viz_prefix_ask(const viz_prefix *prefix, sac_caption_request *request);

#endif
