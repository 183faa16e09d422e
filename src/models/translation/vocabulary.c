#include "translation/vocabulary.h"

#include "grammar/words.h"

static const char *word(const void *self, int number)
{
    const sac_word_list *list = self;
    return list->words[number];
}

static bool add_words(cJSON *model, const char *name, sac_language language)
{
    sac_word_list list;
    if (sac_word_list_create(language, &list, NULL) != SAC_OK)
        return false;
    sac_description_vocabulary words = {&list, word};
    bool done = sac_description_add_words(model, name, &words, (int)list.count);
    sac_word_list_free(&list);
    return done;
}

bool sac_translation_add_vocabularies(cJSON *model)
{
    return add_words(model, "english", SAC_ENGLISH) && add_words(model, "french", SAC_FRENCH);
}

static int read_words(sac_description *d, const char *name, sac_language language)
{
    sac_word_list list;
    if (!sac_description_has_text_encoder(d))
        return 0;
    d->status = sac_word_list_create(language, &list, d->error);
    if (!sac_description_has_text_encoder(d))
        return 0;
    int count = (int)list.count;
    sac_description_vocabulary words = {&list, word};
    sac_description_words(d, name, &words, count, count);
    sac_word_list_free(&list);
    return count;
}

void sac_translation_read_vocabularies(sac_description *d, int *english, int *french)
{
    *english = read_words(d, "english", SAC_ENGLISH);
    *french = read_words(d, "french", SAC_FRENCH);
}
