/* The languages of a model: the grammar's, or a person's own, in the description of its file. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/printable.h"
#include "saccade_arrays.h"
#include "translation/translation.h"

/* ---------------------------------------------------------------- words */

sac_status sac_translating_open(sac_translating *t, sac_language_pair *languages, sac_error *error)
{
    *t = (sac_translating){.languages = sac_language_pair_retain(languages)};
    if (languages)
        return SAC_OK;
    sac_status status = sac_word_list_create(SAC_ENGLISH, &t->english, error);
    return status == SAC_OK ? sac_word_list_create(SAC_FRENCH, &t->french, error) : status;
}

void sac_translating_close(sac_translating *t)
{
    if (t->pairs)
        sac_pairs_free(t->pairs);
    free(t->pairs);
    sac_language_pair_release(t->languages);
    sac_word_list_free(&t->english);
    sac_word_list_free(&t->french);
    *t = (sac_translating){0};
}

const char *sac_translating_word(const sac_translating *t, int side, int number)
{
    return t->languages ? sac_language_pair_word(t->languages, side, number)
                        : (side == SAC_SOURCE_SIDE ? &t->english : &t->french)->words[number];
}

int sac_translation_word_count(const sac_language_pair *languages, int side)
{
    sac_word_list list;
    if (languages)
        return languages->words[side].count;
    if (sac_word_list_create(side == SAC_SOURCE_SIDE ? SAC_ENGLISH : SAC_FRENCH, &list, NULL) !=
        SAC_OK)
        return 0;
    int count = (int)list.count;
    sac_word_list_free(&list);
    return count;
}

const sac_language_pair *sac_translation_languages(const sac_model *model)
{
    return model->class->translating((sac_model *)model)->languages;
}

/* ---------------------------------------------------------------- writing a description */

static const char *grammar_word(const void *self, int number)
{
    const sac_word_list *list = self;
    return list->words[number];
}

static bool add_grammar(cJSON *model, const char *name, sac_language language)
{
    sac_word_list list;
    if (sac_word_list_create(language, &list, NULL) != SAC_OK)
        return false;
    sac_description_vocabulary words = {&list, grammar_word};
    bool done = sac_description_add_words(model, name, &words, (int)list.count);
    sac_word_list_free(&list);
    return done;
}

static const char *const sides[SAC_SIDES] = {"source", "target"};
/* The words of the target that join, by SAC_JOINS_LEFT …, in the order of its bits. */
static const char *const joins[] = {"joins_left", "joins_right", "joins_in_turns"};
enum { JOINS = sizeof joins / sizeof *joins };

static bool add_text(cJSON *list, const char *text)
{
    return list && cJSON_AddItemToArray(list, cJSON_CreateString(text));
}

static bool add_words(cJSON *model, const sac_language_pair *l)
{
    bool done = true;
    for (int side = 0; side < SAC_SIDES; side++) {
        cJSON *list = cJSON_AddArrayToObject(model, sides[side]);
        for (int i = SAC_PAIR_MARKS; i < l->words[side].count && done; i++)
            done = add_text(list, l->words[side].texts[i]);
    }
    for (int kind = 0; kind < JOINS; kind++) {
        cJSON *list = cJSON_AddArrayToObject(model, joins[kind]);
        const sac_text_table *words = &l->words[SAC_TARGET_SIDE];
        for (int i = SAC_PAIR_MARKS; i < words->count && done; i++)
            if (l->joins[i] >> kind & 1)
                done = add_text(list, words->texts[i]);
    }
    return done;
}

static bool add_examples(cJSON *model, const sac_language_pair *l)
{
    cJSON *list = cJSON_AddArrayToObject(model, "examples");
    bool done = list != NULL;
    for (int i = 0; i < l->example_count && done; i++)
        done = cJSON_AddItemToArray(
            list, cJSON_CreateStringArray((const char *const *)l->examples[i], SAC_SIDES));
    return done;
}

bool sac_translation_add_vocabularies(cJSON *model, const sac_language_pair *l)
{
    if (!l)
        return add_grammar(model, "english", SAC_ENGLISH) &&
               add_grammar(model, "french", SAC_FRENCH);
    const char *const names[] = {l->name[0], l->name[1]};
    return cJSON_AddItemToObject(model, "languages", cJSON_CreateStringArray(names, SAC_SIDES)) &&
           cJSON_AddNumberToObject(model, "held_out_by", l->seed) &&
           cJSON_AddBoolToObject(model, "capital", l->capital) &&
           cJSON_AddStringToObject(model, "stop", l->stop) && add_words(model, l) &&
           add_examples(model, l);
}

/* ---------------------------------------------------------------- reading it */

enum { MOST = 100000 /* words of a language */ };

static int check_grammar_words(sac_description *d, const char *name, sac_language language)
{
    sac_word_list list;
    if (d->status != SAC_OK)
        return 0;
    d->status = sac_word_list_create(language, &list, d->error);
    if (d->status != SAC_OK)
        return 0;
    int count = (int)list.count;
    sac_description_vocabulary words = {&list, grammar_word};
    sac_description_check_words(d, name, &words, count, count);
    sac_word_list_free(&list);
    return count;
}

/* The texts of a list of that name, one after the other; NULL: there are no more, or it is something else. */
static const char *checked_text(sac_description *d, const char *name, const cJSON *item)
{
    const char *text = cJSON_IsString(item) ? item->valuestring : NULL;
    if (item && (!text || sac_has_control(text)))
        sac_description_refuse(d, "\"%s\" is not a list of texts", name);
    return d->status == SAC_OK ? text : NULL;
}

static void read_names(sac_description *d, sac_language_pair *l)
{
    const cJSON *list = sac_description_list(d, "languages"), *item = list ? list->child : NULL;
    for (int side = 0; side < SAC_SIDES && d->status == SAC_OK; side++) {
        const char *name = item ? checked_text(d, "languages", item) : NULL;
        if (!name || strlen(name) >= SAC_LANGUAGE_NAME)
            sac_description_refuse(d, "\"languages\" is not a list of two names");
        else
            strcpy(l->name[side], name);
        item = item ? item->next : NULL;
    }
}

static void read_words(sac_description *d, sac_language_pair *l, int side)
{
    const cJSON *list = sac_description_list(d, sides[side]), *item = list ? list->child : NULL;
    sac_description_check(d, cJSON_GetArraySize(list), "the number of words", 1, MOST);
    for (const char *word; d->status == SAC_OK && (word = checked_text(d, sides[side], item));
         item = item->next)
        d->status = sac_language_pair_add_word(l, side, word, d->error);
}

static void read_joins(sac_description *d, sac_language_pair *l)
{
    l->joins = calloc((size_t)l->words[SAC_TARGET_SIDE].count, sizeof *l->joins);
    if (!l->joins && d->status == SAC_OK)
        d->status = sac_no_memory(d->error, "words");
    for (int kind = 0; kind < JOINS && d->status == SAC_OK; kind++) {
        const cJSON *list = sac_description_list(d, joins[kind]), *item = list ? list->child : NULL;
        for (const char *word; (word = checked_text(d, joins[kind], item)); item = item->next) {
            int number = sac_language_pair_find(l, SAC_TARGET_SIDE, word, strlen(word));
            if (number == SAC_PAIR_UNKNOWN)
                sac_description_refuse(d, "\"%s\" has a word that the target has not", joins[kind]);
            l->joins[number] |= (uint8_t)(1 << kind);
        }
    }
}

static void read_examples(sac_description *d, sac_language_pair *l)
{
    const cJSON *list = sac_description_list(d, "examples"), *item;
    cJSON_ArrayForEach(item, list)
    {
        const char *source = checked_text(d, "examples", cJSON_GetArrayItem(item, 0));
        const char *target = checked_text(d, "examples", cJSON_GetArrayItem(item, 1));
        if (!source || !target)
            sac_description_refuse(d, "an example is not a pair of texts");
        else if (!sac_language_pair_add_example(l, source, target))
            d->status = sac_no_memory(d->error, "examples");
    }
    if (d->status == SAC_OK && l->example_count == 0)
        sac_description_refuse(d, "has no examples");
}

static sac_language_pair *read_language_pair(sac_description *d)
{
    sac_language_pair *l = sac_language_pair_create();
    if (!l) {
        d->status = sac_no_memory(d->error, "words");
        return NULL;
    }
    read_names(d, l);
    const cJSON *seed = cJSON_GetObjectItemCaseSensitive(d->json, "held_out_by");
    if (!cJSON_IsNumber(seed) || !(seed->valuedouble >= 0 && seed->valuedouble <= UINT32_MAX))
        sac_description_refuse(d, "\"held_out_by\" is not a seed");
    else
        l->seed = (uint32_t)seed->valuedouble;
    l->capital = sac_description_flag(d, "capital");
    const char *stop = sac_description_text_or(d, "stop", "");
    if (strlen(stop) >= sizeof l->stop || sac_has_control(stop))
        sac_description_refuse(d, "\"stop\" is not a mark");
    else
        strcpy(l->stop, stop);
    for (int side = 0; side < SAC_SIDES; side++)
        read_words(d, l, side);
    read_joins(d, l);
    read_examples(d, l);
    if (d->status == SAC_OK)
        return l;
    sac_language_pair_release(l);
    return NULL;
}

void sac_translation_read_vocabularies(sac_description *d, sac_language_pair **languages,
                                       int *source, int *target)
{
    *languages = NULL;
    *source = *target = 1;
    if (d->status != SAC_OK)
        return;
    if (cJSON_GetObjectItemCaseSensitive(d->json, "languages")) {
        *languages = read_language_pair(d);
        if (!*languages)
            return;
        *source = (*languages)->words[SAC_SOURCE_SIDE].count;
        *target = (*languages)->words[SAC_TARGET_SIDE].count;
    } else {
        *source = check_grammar_words(d, "english", SAC_ENGLISH);
        *target = check_grammar_words(d, "french", SAC_FRENCH);
    }
}

sac_status sac_language_pair_of_file(const char *path, sac_language_pair **languages,
                                     sac_error *error)
{
    sac_arrays *file = NULL;
    *languages = NULL;
    sac_status status = sac_arrays_open(path, &file, error);
    if (status != SAC_OK)
        return status;
    sac_description d = sac_description_open(file, "translator", error);
    if (d.status == SAC_OK && cJSON_GetObjectItemCaseSensitive(d.json, "languages"))
        *languages = read_language_pair(&d);
    status = sac_description_close(&d, path);
    sac_arrays_close(file);
    return status;
}
