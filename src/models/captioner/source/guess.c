/* A caption is a guess where its least probable word is unsure, or where no scene has such a
 * sentence. A mean over the words would hide one unsure word of a long sentence. */
#include "captioner/source/guess.h"

#include <stdio.h>
#include <string.h>

void sac_result_mark_unsure(sac_result *caption, int given, const sac_captioner_shape *shape)
{
    const bool *describes = shape->words ? shape->words->once : NULL;
    float sure = !shape->words ? SAC_SURE : shape->sure > 0 ? shape->sure : SAC_SURE_OF_PHOTOGRAPHS;
    for (int i = 0; i < caption->count; i++) {
        const sac_result_output *word = &caption->outputs[i];
        caption->outputs[i].unsure =
            i >= given && word->probability < sure && (!describes || describes[word->word]);
    }
}

void sac_caption_doubt(const sac_result *caption, const sac_dataset *dataset, char *note,
                       size_t size)
{
    const sac_result_output *least = NULL;
    int word[SAC_MAX_TOKENS];
    note[0] = '\0';
    for (int i = 0; i < caption->count; i++) {
        word[i] = caption->outputs[i].word;
        if (caption->outputs[i].unsure && caption->outputs[i].probability < SAC_DOUBTED &&
            (!least || caption->outputs[i].probability < least->probability))
            least = &caption->outputs[i];
    }
    if (!caption->finished || !dataset->has_sentence(word, caption->count))
        snprintf(note, size, "trained on %s only; this sentence does not occur there",
                 dataset->knows);
    else if (least)
        snprintf(note, size, "“%s” is unreliable (%.2f); trained on %s only", least->text,
                 (double)least->probability, dataset->knows);
}

void sac_caption_doubt_photograph(const sac_result *caption, char *note, size_t size)
{
    const sac_result_output *least = NULL;
    for (int i = 0; i < caption->count; i++)
        if (caption->outputs[i].unsure &&
            (!least || caption->outputs[i].probability < least->probability))
            least = &caption->outputs[i];
    size_t used = strlen(note);
    if (least)
        snprintf(note + used, size - used, "%sunsure of “%s” (%.2f)", used ? "; " : "", least->text,
                 (double)least->probability);
}
