/* The vocabularies of both languages: every word form that the grammar can produce, sorted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "grammar/lexicon.h"
#include "grammar/sentence.h"
#include "grammar/words.h"

/* ---------------------------------------------------------------- the words of lexicon.txt */

int sac_word_pairs_count(const sac_word_pair *pairs)
{
    int count = 0;
    while (pairs[count].english)
        count++;
    return count;
}

int sac_noun_find(const char *english)
{
    for (int i = 0; sac_nouns[i].english; i++)
        if (strcmp(sac_nouns[i].english, english) == 0 ||
            strcmp(sac_nouns[i].english_plural, english) == 0)
            return i;
    return -1;
}

int sac_adjective_find(const char *english)
{
    for (int i = 0; sac_adjectives[i].english; i++)
        if (strcmp(sac_adjectives[i].english, english) == 0)
            return i;
    return -1;
}

int sac_verb_find(const char *english)
{
    for (int i = 0; sac_verbs[i].english; i++) {
        const sac_verb *v = &sac_verbs[i];
        if (strcmp(v->english, english) == 0 || strcmp(v->english_third, english) == 0 ||
            strcmp(v->english_past, english) == 0 || strcmp(v->english_participle, english) == 0)
            return i;
    }
    return -1;
}

/* ---------------------------------------------------------------- vocabularies */

_Static_assert(sizeof *((sac_word_list *)0)->words == SAC_SENTENCE_WORD_SIZE, "one size of words");

static bool grow(sac_word_list *list)
{
    size_t capacity = list->capacity ? 2 * list->capacity : 256;
    void *words = realloc(list->words, capacity * sizeof *list->words);
    if (!words)
        return false;
    list->words = words;
    list->capacity = capacity;
    return true;
}

/* Each of the words of `text`, which blanks part, once. False where memory runs out. */
static bool add_words_of_text(sac_word_list *list, const char *text)
{
    char word[SAC_SENTENCE_WORD_SIZE];
    for (int used; text && sscanf(text, "%23s%n", word, &used) == 1; text += used) {
        if (sac_word_list_find(list, word) >= 0)
            continue;
        if (list->count == list->capacity && !grow(list))
            return false;
        strcpy(list->words[list->count++], word);
    }
    return true;
}

static bool add_all(sac_word_list *list, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!add_words_of_text(list, texts[i]))
            return false;
    return true;
}

static bool add_pairs(sac_word_list *list, sac_language language)
{
    static const sac_word_pair *const tables[] = {sac_prepositions, sac_months,      sac_weekdays,
                                                  sac_years,        sac_days,        sac_adverbs,
                                                  sac_year_words,   sac_conjunctions};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const sac_word_pair *pair = tables[t]; pair->english; pair++)
            if (!add_words_of_text(list, language == SAC_ENGLISH ? pair->english : pair->french))
                return false;
    return true;
}

static bool add_english(sac_word_list *list)
{
    static const char *const others[] = {".",    "an",  "who", "that", "am",
                                         "is",   "are", "was", "were", "do",
                                         "does", "did", "not", "by",   "yesterday"};
    bool fits = add_all(list, others, sizeof others / sizeof *others);
    for (const sac_determiner *d = sac_determiners; fits && d->english; d++)
        fits = add_words_of_text(list, d->english);
    for (const sac_pronoun *p = sac_pronouns; fits && p->english; p++)
        fits = add_words_of_text(list, p->english);
    for (const sac_lexicon_noun *n = sac_nouns; fits && n->english; n++)
        fits = add_words_of_text(list, n->english) && add_words_of_text(list, n->english_plural);
    for (const sac_adjective *a = sac_adjectives; fits && a->english; a++)
        fits = add_words_of_text(list, a->english);
    for (const sac_verb *v = sac_verbs; fits && v->english; v++)
        fits = add_words_of_text(list, v->english) && add_words_of_text(list, v->english_third) &&
               add_words_of_text(list, v->english_past) &&
               (!v->objects || add_words_of_text(list, v->english_participle));
    for (const sac_named_place *p = sac_named_places; fits && p->english; p++)
        fits = add_words_of_text(list, p->english);
    return fits;
}

/* A participle as it agrees: with "être" and in the passive; else its plain form alone. */
static bool add_participle(sac_word_list *list, const sac_verb *verb)
{
    static const char *const endings[] = {"", "e", "s", "es"};
    bool agrees = verb->with_etre || verb->objects;
    bool has_s = verb->participle[strlen(verb->participle) - 1] == 's';
    for (int i = 0; i < (agrees ? 4 : 1); i++) {
        char word[SAC_SENTENCE_WORD_SIZE];
        snprintf(word, sizeof word, "%s%s", verb->participle, endings[i]);
        if (!(i == 2 && has_s) && !add_words_of_text(list, word))
            return false;
    }
    return true;
}

static bool add_french(sac_word_list *list)
{
    static const char *const others[] = {
        ".",      "l'",   "d'",   "n'",    "qu'",   "j'",     "cet",   "du",
        "au",     "aux",  "ne",   "pas",   "qui",   "en",     "par",   "hier",
        "été",    "ai",   "a",    "avons", "avez",  "ont",    "suis",  "est",
        "sommes", "êtes", "sont", "étais", "était", "étions", "étiez", "étaient"};
    bool fits = add_all(list, others, sizeof others / sizeof *others);
    for (const sac_determiner *d = sac_determiners; fits && d->english; d++)
        fits = add_words_of_text(list, d->masculine) && add_words_of_text(list, d->feminine) &&
               add_words_of_text(list, d->plural);
    for (const sac_pronoun *p = sac_pronouns; fits && p->english; p++)
        fits = add_words_of_text(list, p->french);
    for (const sac_lexicon_noun *n = sac_nouns; fits && n->english; n++)
        fits = add_words_of_text(list, n->french) && add_words_of_text(list, n->french_plural);
    for (const sac_adjective *a = sac_adjectives; fits && a->english; a++)
        fits = add_words_of_text(list, a->masculine) && add_words_of_text(list, a->feminine) &&
               add_words_of_text(list, a->masculine_plural) &&
               add_words_of_text(list, a->feminine_plural) &&
               add_words_of_text(list, a->before_vowel);
    for (const sac_verb *v = sac_verbs; fits && v->english; v++)
        fits = add_all(list, v->french, SAC_PERSONS) && add_participle(list, v);
    for (const sac_named_place *p = sac_named_places; fits && p->english; p++)
        fits = add_words_of_text(list, p->preposition) && add_words_of_text(list, p->french);
    return fits;
}

sac_status sac_word_list_create(sac_language language, sac_word_list *list, sac_error *error)
{
    static const char *const special[] = {"<pad>", "<start>", "<end>"};
    *list = (sac_word_list){0};
    if (add_all(list, special, SAC_TOKENS_SPECIAL) &&
        (language == SAC_ENGLISH ? add_english : add_french)(list) && add_pairs(list, language))
        return SAC_OK;
    sac_word_list_free(list);
    return sac_no_memory(error, "words");
}

void sac_word_list_free(sac_word_list *list)
{
    free(list->words);
    *list = (sac_word_list){0};
}

int sac_word_list_find(const sac_word_list *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->words[i], word) == 0)
            return (int)i;
    return -1;
}
