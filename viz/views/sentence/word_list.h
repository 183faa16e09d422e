/* A list of words to take in place of one that was generated. It has the most probable ones; "more …"
 * adds the whole vocabulary. Letters that are typed leave the words that begin so, and letters with
 * accents are found without them. */
#ifndef VIZ_SENTENCE_WORD_LIST_H
#define VIZ_SENTENCE_WORD_LIST_H

#include "parts/controls/spots.h"

#define VIZ_WORD_LIST_MOST 1024
#define VIZ_WORD_LIST_ROW 24.0f
#define VIZ_WORD_LIST_WIDTH 190.0f
#define VIZ_WORD_LIST_HEAD 28.0f /* above the rows: what is typed */

typedef struct viz_word_list {
    bool open;
    const sac_source *source;          /* whose vocabulary it is; lent */
    const sac_result_output *chosen;   /* instead of this one; lent while the list is open */
    int word;                          /* its place in the sentence */
    char typed[24];                    /* only words that begin so */
    int count, selected, first, shown; /* items; the lit one; from the first shown on */
    bool more;                         /* the whole vocabulary is in it */
    struct {
        int word;          /* −1: "more …" */
        float probability; /* negative: not known */
    } item[VIZ_WORD_LIST_MOST];
    viz_rect rect, close; /* as drawn last; × closes it */
} viz_word_list;

/* Opens it on word `word` of a sentence; false where there is no such word. */
bool viz_word_list_open(viz_word_list *list, const sac_source *source, const sac_result *sentence,
                        int word);
/* While the list is open everything else waits: a press beside it closes it. *chosen is the word
 * of the vocabulary that was chosen, which closes it too; −1: none was. */
bool viz_word_list_event(viz_word_list *list, const viz_event *event, int *chosen);
/* Inside `area`, above or below the rectangle of the word, where there is more room. */
void viz_word_list_draw(viz_word_list *list, viz_canvas *canvas, viz_rect area, viz_rect word);
void viz_word_list_spots(const viz_word_list *list, viz_spots *spots);
/* `rows` are wanted; *shown of them fit. */
viz_rect viz_word_list_layout(viz_rect area, viz_rect word, int rows, int *shown);
/* The text of a word of the source's vocabulary; "" for none. */
const char *viz_vocabulary(const sac_source *source, int word);
/* −1: it has no such word, or it is not for people. */
int viz_vocabulary_find(const sac_source *source, const char *text);

#endif
