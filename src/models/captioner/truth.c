/* The truth of a scene in the form of the trace. */

#include "captioner/truth.h"

#include <string.h>

/* The place of a word among size, colour and shape; −1: an article. */
static int place_of(const char *word)
{
    int number = sac_word_find(word);
    return number == SAC_WORD_SMALL || number == SAC_WORD_LARGE    ? 0
           : number >= SAC_WORD_SHAPE && number < SAC_WORD_NOTHING ? 2
           : number >= SAC_WORD_COLOUR                             ? 1
                                                                   : -1;
}

static void tell_word(const sac_truth *from, int i, sac_caption_truth *truth)
{
    size_t used = strlen(truth->caption);
    int object = from->object_of_word[i], place = place_of(from->word[i]);
    snprintf(truth->caption + used, sizeof truth->caption - used, "%s%s", i ? " " : "",
             from->word[i]);
    truth->object_of_word[i] = object;
    if (object >= 0 && object < truth->objects && place >= 0)
        snprintf(truth->object[object].words[place], sizeof truth->object[object].words[place],
                 "%s", from->word[i]);
}

void sac_captioner_truth(const sac_truth *from, sac_caption_truth *truth)
{
    *truth = (sac_caption_truth){.objects = from->count, .words = from->words};
    for (int i = 0; i < from->count; i++)
        memcpy(truth->object[i].box, from->boxes[i], sizeof truth->object[i].box);
    for (int i = 0; i < from->words; i++)
        tell_word(from, i, truth);
}
