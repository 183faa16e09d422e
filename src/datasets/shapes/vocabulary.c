/* The words of the captioner's vocabulary, as text. */

#include "shapes/vocabulary.h"

#include <string.h>

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
