/* The translator's shape in its weights' file. */
#include "models/description.h"
#include "language/words.h"
#include "translator/model.h"

enum { FORMAT = 1 /* of the description */ };

static const char *word(const void *self, int number)
{
    const sac_word_list *list = self;
    return list->words[number];
}

/* ---------------------------------------------------------------- writing */

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

char *sac_translator_describe(const sac_translator_shape *shape)
{
    cJSON *model = cJSON_CreateObject();
    bool whole = cJSON_AddNumberToObject(model, "format", FORMAT) &&
                 cJSON_AddBoolToObject(model, "attends", shape->attends) &&
                 cJSON_AddStringToObject(model, "score", sac_score_name(shape->score)) &&
                 cJSON_AddNumberToObject(model, "attention", shape->attention) &&
                 cJSON_AddNumberToObject(model, "hidden", shape->hidden) &&
                 cJSON_AddNumberToObject(model, "embedding", shape->embedding) &&
                 add_words(model, "english", SAC_ENGLISH) && add_words(model, "french", SAC_FRENCH);
    return sac_description_text(model, whole);
}

/* ---------------------------------------------------------------- reading */

static int read_words(sac_description *d, const char *name, sac_language language)
{
    sac_word_list list;
    if (!sac_description_reads(d))
        return 0;
    d->status = sac_word_list_create(language, &list, d->error);
    if (!sac_description_reads(d))
        return 0;
    int count = (int)list.count;
    sac_description_vocabulary words = {&list, word};
    sac_description_words(d, name, &words, count, count);
    sac_word_list_free(&list);
    return count;
}

/* The limits on the sizes keep these sums far below what a size_t holds. */
static void check_fits(sac_description *d, const sac_translator_shape *shape)
{
    sac_parameters parameters = {0};
    sac_translator_weights weights = {0};
    sac_translator_declare(shape, &parameters, &weights);
    sac_description_fits(d, &parameters);
    sac_parameters_destroy(&parameters);
}

sac_status sac_translator_read_shape(const sac_arrays *file, const char *path,
                                     sac_translator_shape *shape, sac_error *error)
{
    sac_description d = sac_description_open(file, "translator", error);
    *shape = (sac_translator_shape){0};
    sac_description_size(&d, "format", FORMAT, FORMAT);
    shape->attends = sac_description_flag(&d, "attends");
    shape->score = sac_description_score(&d);
    shape->attention = sac_description_size(&d, "attention", 1, 4096);
    shape->hidden = sac_description_size(&d, "hidden", 1, 4096);
    shape->embedding = sac_description_size(&d, "embedding", 1, 4096);
    shape->source_words = read_words(&d, "english", SAC_ENGLISH);
    shape->target_words = read_words(&d, "french", SAC_FRENCH);
    if (sac_description_reads(&d))
        check_fits(&d, shape);
    return sac_description_close(&d, path);
}
