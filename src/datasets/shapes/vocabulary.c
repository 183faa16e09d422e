/* The words of the captioner's vocabulary, as text. */
#include <string.h>

#include "shapes/scene.h"
#include "shapes/vocabulary.h"

static const char *const words[SAC_WORDS] = {
    "<pad>", "<start>", "<end>",  "a",      "and",      "left",   "right", "of",      "above",
    "below", "small",   "large",  "red",    "orange",   "yellow", "green", "blue",    "purple",
    "white", "black",   "circle", "square", "triangle", "star",   "cross", "diamond", "nothing",
};

const char *sac_word_text(int word)
{
    return word >= 0 && word < SAC_WORDS ? words[word] : "";
}

int sac_word_find(const char *text)
{
    for (int word = 0; word < SAC_WORDS; word++)
        if (strcmp(words[word], text) == 0)
            return word;
    return -1;
}

/* ---------------------------------------------------------------- sentences */

/* A sentence that is read from left to right. */
typedef struct reading {
    const int *word;
    int count, at;
} reading;

static bool accept_word(reading *r, int first, int last)
{
    bool fits = r->at < r->count && r->word[r->at] >= first && r->word[r->at] <= last;
    r->at += fits;
    return fits;
}

/* "a large red circle" */
static bool accept_object(reading *r)
{
    return accept_word(r, SAC_WORD_A, SAC_WORD_A) &&
           accept_word(r, SAC_WORD_SMALL, SAC_WORD_LARGE) &&
           accept_word(r, SAC_WORD_COLOUR, SAC_WORD_SHAPE - 1) &&
           accept_word(r, SAC_WORD_SHAPE, SAC_WORD_SHAPE + SAC_SHAPES - 1);
}

static bool accept_relation(reading *r)
{
    if (accept_word(r, SAC_WORD_LEFT, SAC_WORD_RIGHT))
        return accept_word(r, SAC_WORD_OF, SAC_WORD_OF);
    return accept_word(r, SAC_WORD_ABOVE, SAC_WORD_BELOW);
}

/* "nothing", or objects, the second after a relation, those that follow after "and". */
bool sac_scene_sentence_is_valid(const int *word, int count)
{
    reading r = {word, count, 0};
    if (count == 1 && word[0] == SAC_WORD_NOTHING)
        return true;
    bool fits = accept_object(&r);
    for (int object = 1; fits && r.at < count; object++)
        fits = object < SAC_SCENE_OBJECTS &&
               (object == 1 ? accept_relation(&r) : accept_word(&r, SAC_WORD_AND, SAC_WORD_AND)) &&
               accept_object(&r);
    return fits;
}
