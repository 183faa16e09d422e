/* Counting and finding the words of lexicon.txt. */

#include "grammar/lexicon.h"

#include <string.h>

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
