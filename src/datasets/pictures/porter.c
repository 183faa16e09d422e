/* Porter's stemmer, step by step as in the paper: a word is [C](VC)^m[V], and an ending goes where what is left
 * has the measure m that its rule asks for. */
#include <stdbool.h>
#include <string.h>

#include "pictures/meteor.h"

/* y is a vowel behind a consonant. */
static bool is_consonant(const char *word, size_t at)
{
    switch (word[at]) {
    case 'a':
    case 'e':
    case 'i':
    case 'o':
    case 'u':
        return false;
    case 'y':
        return at == 0 || !is_consonant(word, at - 1);
    default:
        return true;
    }
}

/* How often a consonant follows a vowel: the m of the first `size` letters. */
static int measure(const char *word, size_t size)
{
    int m = 0;
    for (size_t i = 1; i < size; i++)
        m += is_consonant(word, i) && !is_consonant(word, i - 1);
    return m;
}

static bool has_vowel(const char *word, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!is_consonant(word, i))
            return true;
    return false;
}

static bool ends_in_double_consonant(const char *word, size_t size)
{
    return size > 1 && word[size - 1] == word[size - 2] && is_consonant(word, size - 1);
}

/* Consonant, vowel, consonant, and the last is not w, x or y: *o. */
static bool ends_short(const char *word, size_t size)
{
    return size > 2 && is_consonant(word, size - 1) && !is_consonant(word, size - 2) &&
           is_consonant(word, size - 3) && !strchr("wxy", word[size - 1]);
}

static bool ends_in(const char *word, size_t size, const char *ending)
{
    const size_t length = strlen(ending);
    return size >= length && memcmp(word + size - length, ending, length) == 0;
}

/* Endings, the longest first where one ends in another, and what becomes of them. */
typedef struct rule {
    const char *ending, *instead;
} rule;

/* The first rule whose ending is there counts, where m of what stands before it is above `least`. */
static size_t apply(char *word, size_t size, const rule *rules, int least)
{
    for (; rules->ending; rules++)
        if (ends_in(word, size, rules->ending)) {
            const size_t left = size - strlen(rules->ending), more = strlen(rules->instead);
            if (measure(word, left) <= least)
                return size;
            memcpy(word + left, rules->instead, more);
            return left + more;
        }
    return size;
}

/* Plurals. */
static size_t step_1a(char *word, size_t size)
{
    if (ends_in(word, size, "sses") || ends_in(word, size, "ies"))
        return size - 2;
    return size - (ends_in(word, size, "s") && !ends_in(word, size, "ss"));
}

/* -ed and -ing. */
static size_t step_1b(char *word, size_t size)
{
    if (ends_in(word, size, "eed"))
        return size - (measure(word, size - 3) > 0);
    const size_t ending = ends_in(word, size, "ed") ? 2 : ends_in(word, size, "ing") ? 3 : 0;
    if (!ending || !has_vowel(word, size - ending))
        return size;
    size -= ending;
    if (ends_in(word, size, "at") || ends_in(word, size, "bl") || ends_in(word, size, "iz") ||
        (!ends_in_double_consonant(word, size) && measure(word, size) == 1 &&
         ends_short(word, size))) {
        word[size] = 'e';
        return size + 1;
    }
    return size - (ends_in_double_consonant(word, size) && !strchr("lsz", word[size - 1]));
}

static size_t step_4(char *word, size_t size)
{
    static const rule rules[] = {{"al", ""},    {"ance", ""}, {"ence", ""}, {"er", ""},
                                 {"ic", ""},    {"able", ""}, {"ible", ""}, {"ant", ""},
                                 {"ement", ""}, {"ment", ""}, {"ent", ""},  {"ou", ""},
                                 {"ism", ""},   {"ate", ""},  {"iti", ""},  {"ous", ""},
                                 {"ive", ""},   {"ize", ""},  {NULL, NULL}};
    if (!ends_in(word, size, "ion"))
        return apply(word, size, rules, 1);
    const size_t left = size - 3;
    return left && strchr("st", word[left - 1]) && measure(word, left) > 1 ? left : size;
}

static size_t step_5(char *word, size_t size)
{
    if (ends_in(word, size, "e")) {
        const int m = measure(word, size - 1);
        size -= m > 1 || (m == 1 && !ends_short(word, size - 1));
    }
    return size - (ends_in(word, size, "ll") && measure(word, size) > 1);
}

void sac_porter_stem(const char *word, size_t size, char *stem)
{
    static const rule step_2[] = {{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"},
                                  {"anci", "ance"},   {"izer", "ize"},    {"abli", "able"},
                                  {"alli", "al"},     {"entli", "ent"},   {"eli", "e"},
                                  {"ousli", "ous"},   {"ization", "ize"}, {"ation", "ate"},
                                  {"ator", "ate"},    {"alism", "al"},    {"iveness", "ive"},
                                  {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},
                                  {"iviti", "ive"},   {"biliti", "ble"},  {NULL, NULL}};
    static const rule step_3[] = {{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"},
                                  {"ical", "ic"},  {"ful", ""},   {"ness", ""},    {NULL, NULL}};
    bool are_letters = size > 2;
    for (size_t i = 0; i < size && are_letters; i++)
        are_letters = word[i] >= 'a' && word[i] <= 'z';
    memcpy(stem, word, size);
    if (are_letters) {
        size = step_1b(stem, step_1a(stem, size));
        if (ends_in(stem, size, "y") && has_vowel(stem, size - 1))
            stem[size - 1] = 'i';
        size = apply(stem, size, step_2, 0);
        size = apply(stem, size, step_3, 0);
        size = step_5(stem, step_4(stem, size));
    }
    stem[size] = '\0';
}
