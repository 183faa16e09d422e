/* Names and words of two languages. */
#include "pairs/languages.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

/* ---------------------------------------------------------------- names */

/* Codes of ISO 639-1 and 639-3 and English names. */
static const struct {
    const char *two, *three, *name;
} known[] = {
    {"af", "afr", "Afrikaans"},  {"ar", "ara", "Arabic"},    {"be", "bel", "Belarusian"},
    {"bg", "bul", "Bulgarian"},  {"bn", "ben", "Bengali"},   {"ca", "cat", "Catalan"},
    {"cs", "ces", "Czech"},      {"cy", "cym", "Welsh"},     {"da", "dan", "Danish"},
    {"de", "deu", "German"},     {"el", "ell", "Greek"},     {"en", "eng", "English"},
    {"eo", "epo", "Esperanto"},  {"es", "spa", "Spanish"},   {"et", "est", "Estonian"},
    {"eu", "eus", "Basque"},     {"fa", "fas", "Persian"},   {"fi", "fin", "Finnish"},
    {"fr", "fra", "French"},     {"ga", "gle", "Irish"},     {"gl", "glg", "Galician"},
    {"he", "heb", "Hebrew"},     {"hi", "hin", "Hindi"},     {"hr", "hrv", "Croatian"},
    {"hu", "hun", "Hungarian"},  {"hy", "hye", "Armenian"},  {"id", "ind", "Indonesian"},
    {"is", "isl", "Icelandic"},  {"it", "ita", "Italian"},   {"ja", "jpn", "Japanese"},
    {"ka", "kat", "Georgian"},   {"ko", "kor", "Korean"},    {"la", "lat", "Latin"},
    {"lt", "lit", "Lithuanian"}, {"lv", "lav", "Latvian"},   {"mk", "mkd", "Macedonian"},
    {"mr", "mar", "Marathi"},    {"ms", "msa", "Malay"},     {"nl", "nld", "Dutch"},
    {"no", "nor", "Norwegian"},  {"nb", "nob", "Norwegian"}, {"pl", "pol", "Polish"},
    {"pt", "por", "Portuguese"}, {"ro", "ron", "Romanian"},  {"ru", "rus", "Russian"},
    {"sk", "slk", "Slovak"},     {"sl", "slv", "Slovenian"}, {"sq", "sqi", "Albanian"},
    {"sr", "srp", "Serbian"},    {"sv", "swe", "Swedish"},   {"sw", "swa", "Swahili"},
    {"ta", "tam", "Tamil"},      {"te", "tel", "Telugu"},    {"th", "tha", "Thai"},
    {"tr", "tur", "Turkish"},    {"uk", "ukr", "Ukrainian"}, {"ur", "urd", "Urdu"},
    {"vi", "vie", "Vietnamese"}, {"zh", "zho", "Chinese"},   {"zh", "cmn", "Chinese"},
};

static bool is_called(const char *name, size_t size, const char *other)
{
    return strlen(other) == size && strncasecmp(name, other, size) == 0;
}

const char *sac_language_full_name(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is_called(name, size, known[i].two) || is_called(name, size, known[i].three) ||
            is_called(name, size, known[i].name))
            return known[i].name;
    return NULL;
}

const char *sac_language_pair_name(const sac_language_pair *l, int side)
{
    const char *name = l->name[side], *is = sac_language_full_name(name, strlen(name));
    return is ? is : name[0] ? name : side == SAC_SOURCE_SIDE ? "source" : "target";
}

/* ---------------------------------------------------------------- making and ending */

sac_language_pair *sac_language_pair_create(void)
{
    static const char *const marks[SAC_PAIR_MARKS] = {"<pad>", "<start>", "<end>", "<unknown>"};
    sac_language_pair *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    atomic_store(&l->holders, 1);
    for (int side = 0; side < SAC_SIDES; side++)
        for (int i = 0; i < SAC_PAIR_MARKS; i++)
            if (sac_text_table_add(&l->words[side], marks[i], strlen(marks[i])) < 0) {
                sac_language_pair_release(l);
                return NULL;
            }
    return l;
}

sac_language_pair *sac_language_pair_retain(sac_language_pair *l)
{
    if (l)
        atomic_fetch_add(&l->holders, 1);
    return l;
}

void sac_language_pair_release(sac_language_pair *l)
{
    if (!l || atomic_fetch_sub(&l->holders, 1) > 1)
        return;
    for (int side = 0; side < SAC_SIDES; side++)
        sac_text_table_free(&l->words[side]);
    for (int i = 0; i < l->example_count; i++)
        for (int side = 0; side < SAC_SIDES; side++)
            free(l->examples[i][side]);
    free(l->joins);
    free(l);
}

sac_status sac_language_pair_add_word(sac_language_pair *l, int side, const char *word,
                                      sac_error *error)
{
    static const char remedy[] = "give the words that the training wrote";
    sac_text_table *words = &l->words[side];
    if (!word[0] || strpbrk(word, " \t\r\n"))
        return sac_fail(error, SAC_E_FORMAT, NULL, remedy, "\"%.40s\" is no word", word);
    int expected = words->count, number = sac_text_table_add(words, word, strlen(word));
    if (number < 0)
        return sac_no_memory(error, "words");
    return number == expected ? SAC_OK
                              : sac_fail(error, SAC_E_FORMAT, NULL, remedy,
                                         "the word \"%.40s\" stands there twice", word);
}

bool sac_language_pair_add_example(sac_language_pair *l, const char *source, const char *target)
{
    if (l->example_count == SAC_PAIR_EXAMPLES)
        return true;
    char **example = l->examples[l->example_count];
    example[SAC_SOURCE_SIDE] = strdup(source);
    example[SAC_TARGET_SIDE] = strdup(target);
    l->example_count++; /* also a half one is freed */
    return example[SAC_SOURCE_SIDE] && example[SAC_TARGET_SIDE];
}

/* ---------------------------------------------------------------- words */

int sac_language_pair_find(const sac_language_pair *l, int side, const char *word, size_t size)
{
    int number = sac_text_table_find(&l->words[side], word, size);
    return number >= SAC_PAIR_MARKS ? number : SAC_PAIR_UNKNOWN;
}

const char *sac_language_pair_word(const sac_language_pair *l, int side, int number)
{
    return number >= 0 && number < l->words[side].count ? l->words[side].texts[number] : "";
}

char *sac_language_pair_join_words(const sac_language_pair *l, const int *words, int count,
                                   char *text, size_t size, size_t *ends)
{
    sac_joining joining = {0};
    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        bool is_word = words[i] >= SAC_PAIR_UNKNOWN && words[i] < l->words[SAC_TARGET_SIDE].count;
        if (is_word)
            sac_joining_add(&joining, sac_language_pair_word(l, SAC_TARGET_SIDE, words[i]),
                            l->joins ? l->joins[words[i]] : 0, l->capital, text, size);
        if (ends)
            ends[i] = joining.used;
    }
    return text;
}
