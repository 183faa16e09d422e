/* Parses a row of words as a sentence of the picture book. The words are read back into a scene's
 * content; they are a sentence if that content can be drawn and is described by the same words. */

#include <string.h>

#include "story_grammar.h"

static bool is_between(int word, int first, int end)
{
    return word >= first && word < end;
}

/* Reads the group whose noun is word[at] backwards: "a red kite", "two firs". */
static void read_group(const int *word, int at, sac_group *group)
{
    bool several = word[at] >= SAC_TALE_NOUNS;
    *group = (sac_group){.noun = (sac_noun)(word[at] - (several ? SAC_TALE_NOUNS : SAC_TALE_NOUN)),
                         .colour = SAC_UNNAMED,
                         .count = 1};
    if (at > 0 && is_between(word[at - 1], SAC_TALE_COLOUR, SAC_TALE_VERB))
        group->colour = word[--at] - SAC_TALE_COLOUR;
    if (several)
        group->count = at > 0 && word[at - 1] == SAC_TALE_THREE ? 3 : 2;
}

/* The verb at word[at] into *verb. */
static bool read_verb(const int *word, int count, int at, sac_verb *verb)
{
    if (at >= count || !is_between(word[at], SAC_TALE_VERB, SAC_TALE_NOUN))
        return false;
    *verb = (sac_verb)((word[at] - SAC_TALE_VERB) % SAC_VERBS);
    return true;
}

static int find_noun(const int *word, int count, int from)
{
    while (from < count && !is_between(word[from], SAC_TALE_NOUN, SAC_TALE_VOCABULARY))
        from++;
    return from;
}

/* All of a tale but how who and to whom belong together. */
static bool read_tale(const int *word, int count, sac_tale *tale)
{
    int end = 0, verb = 1;
    *tale = (sac_tale){.groups = 1, .spot = SAC_MEADOW};
    if (count < 1)
        return false;
    if (word[0] == SAC_TALE_SNOW || word[0] == SAC_TALE_RAIN) {
        tale->group[0].noun = SAC_NOUNS;
    } else {
        int who = find_noun(word, count, 0);
        if (who == count)
            return false;
        read_group(word, who, &tale->group[0]);
        verb = who + 1;
    }
    if (!read_verb(word, count, verb, &tale->verb))
        return false;
    while (end < count && word[end] != SAC_TALE_AND)
        end++;
    /* What follows the verb: to whom, where and when. */
    int from = verb + 1;
    int whom = find_noun(word, end, from);
    if (whom < end) {
        read_group(word, whom, &tale->group[1]);
        tale->groups = 2;
    }
    for (int i = from; i < end; i++) {
        if (word[i] == SAC_TALE_SNOW)
            tale->spot = SAC_IN_SNOW;
        else if (is_between(word[i], SAC_TALE_SPOT, SAC_TALE_SPOT + SAC_SPOTS))
            tale->spot = (sac_spot)(word[i] - SAC_TALE_SPOT);
        else if (word[i] == SAC_TALE_NIGHT || word[i] == SAC_TALE_SUNSET)
            tale->hour = word[i] == SAC_TALE_NIGHT ? SAC_NIGHT : SAC_SUNSET;
    }
    int tail = find_noun(word, count, end);
    tale->has_tail = tail < count;
    if (tale->has_tail)
        read_group(word, tail, &tale->group[2]);
    return !tale->has_tail || read_verb(word, count, tail + 1, &tale->tail_verb);
}

static bool has_that_form(const sac_tale *tale, const int *word, int count)
{
    int words[SAC_BOOK_WORDS];
    sac_referent of[SAC_BOOK_WORDS];
    return sac_tale_caption(tale, words, of) == count + 1 && count < SAC_BOOK_WORDS &&
           memcmp(words, word, (size_t)count * sizeof *word) == 0;
}

bool sac_book_has_sentence(const int *word, int count)
{
    sac_tale tale;
    if (!read_tale(word, count, &tale))
        return false;
    for (int i = 0; i < SAC_RELATIONS; i++) {
        tale.relation = (sac_relation)i;
        if ((tale.relation == SAC_ALONE) == (tale.groups == 1) &&
            has_that_form(&tale, word, count) && sac_tale_is_possible(&tale))
            return true;
    }
    return false;
}
