/* A sentence that a model generates, word by word, and the inputs of each word: of a picture the
 * cells that it looks at, of another sentence the words. */
#ifndef VIZ_SENTENCE_SENTENCE_VIEW_H
#define VIZ_SENTENCE_SENTENCE_VIEW_H

#include "sources/source.h"
#include "view/view.h"

/* A picture captioned: the heat glides over it from word to word, and beside it are one small map per
 * word and the matrix words × cells. The layout "figure" is that of a paper: the picture alone, then
 * one panel for each word with its heat. */
extern const viz_view_class viz_caption_class;
/* A sentence that is translated while it is typed: the sentence above, the translation below, a band
 * for each weight between them, and the matrix of the weights. */
extern const viz_view_class viz_translation_class;

/* The view's next sentence is that of the request, except for the model; zeros leave the view's own. */
void viz_sentence_view_apply_request(viz_view *view, const sac_result_request *request);

/* The number of a word in the source's vocabulary. −1: it has no such word, or it is not for people. */
int viz_vocabulary_find(const sac_source *source, const char *text);

#endif
