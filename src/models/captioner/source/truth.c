/* The ground truth of a scene in the form of the source. */

#include "captioner/source/truth.h"

#include <string.h>

#include "datasets/dataset.h"

/* The place of a word among size, colour and shape; −1: an article. */
static int place_of(const char *word)
{
    int number = sac_word_find(word);
    return number == SAC_WORD_SMALL || number == SAC_WORD_LARGE    ? 0
           : number >= SAC_WORD_SHAPE && number < SAC_WORD_NOTHING ? 2
           : number >= SAC_WORD_COLOUR                             ? 1
                                                                   : -1;
}

static void name_object(const char *word, int object, sac_caption_truth *truth)
{
    int place = place_of(word);
    if (object >= 0 && object < truth->objects && place >= 0)
        snprintf(truth->object[object].words[place], sizeof truth->object[object].words[place],
                 "%s", word);
}

/* Words of the same place mean one object. */
static int find_object(const sac_look *look, sac_caption_truth *truth)
{
    if (!look->count)
        return -1;
    for (int i = 0; i < truth->objects; i++)
        if (memcmp(&truth->object[i].look, look, sizeof *look) == 0)
            return i;
    if (truth->objects == SAC_CAPTION_OBJECTS)
        return -1;
    truth->object[truth->objects].look = *look;
    return truth->objects++;
}

static bool names(const sac_dataset *dataset, const char *word)
{
    for (int i = 0; dataset && i < dataset->vocabulary; i++)
        if (strcmp(dataset->word_text(i), word) == 0)
            return dataset->names(i);
    return false;
}

/* What names it: up to three of its words, in their order. */
static void name_place(const char *word, int object, sac_caption_truth *truth)
{
    for (int i = 0; object >= 0 && i < 3; i++)
        if (!truth->object[object].words[i][0]) {
            snprintf(truth->object[object].words[i], sizeof truth->object[object].words[i], "%s",
                     word);
            return;
        }
}

void sac_captioner_truth(const sac_truth *from, sac_caption_truth *truth)
{
    const sac_dataset *dataset = sac_dataset_find(from->dataset);
    size_t used = 0;
    *truth =
        (sac_caption_truth){.objects = from->count, .words = from->words, .by_word = from->by_word};
    for (int i = 0; i < from->count; i++) {
        truth->object[i].look.count = 1;
        memcpy(truth->object[i].look.box[0], from->boxes[i], sizeof from->boxes[i]);
    }
    for (int i = 0; i < from->words && used < sizeof truth->caption; i++) {
        const char *word = from->word[i];
        used += (size_t)snprintf(truth->caption + used, sizeof truth->caption - used, "%s%s",
                                 i ? " " : "", word);
        truth->names[i] = names(dataset, word);
        truth->object_of_word[i] =
            from->by_word ? find_object(&from->look[i], truth) : from->object_of_word[i];
        if (!from->by_word)
            name_object(word, truth->object_of_word[i], truth);
        else if (truth->names[i])
            name_place(word, truth->object_of_word[i], truth);
    }
}
