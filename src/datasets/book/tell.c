/* Writes the one sentence that describes a scene. */

#include "tale.h"

typedef struct teller {
    int *word;
    sac_referent *of;
    int count;
} teller;

static void say(teller *t, int word, sac_referent of)
{
    if (t->count < SAC_BOOK_WORDS) {
        t->word[t->count] = word;
        t->of[t->count] = of;
    }
    t->count++;
}

/* Before a word that is left out the article is left out too: a tone near orange gets no "an". */
static int article_before(int word)
{
    char first = sac_book_word_text(word)[0];
    bool is_vowel = first == 'a' || first == 'e' || first == 'i' || first == 'o' || first == 'u';
    return word == SAC_SAY_PAD ? SAC_SAY_PAD : is_vowel ? SAC_SAY_AN : SAC_SAY_A;
}

/* "a red kite", "two firs", "the moon" */
static void say_group(teller *t, const sac_group *group, sac_referent of)
{
    bool named = group->colour != SAC_UNNAMED, several = group->count > 1;
    int noun =
        group->nameless ? SAC_SAY_PAD : (several ? SAC_SAY_NOUNS : SAC_SAY_NOUN) + (int)group->noun;
    int colour = group->colour == SAC_UNTOLD ? SAC_SAY_PAD : SAC_SAY_COLOUR + group->colour;
    int next = named ? colour : noun;
    if (group->noun == SAC_SUN || group->noun == SAC_MOON)
        say(t, SAC_SAY_THE, of);
    else if (several)
        say(t, group->count == 2 ? SAC_SAY_TWO : SAC_SAY_THREE, of);
    else
        say(t, article_before(next), of);
    if (named)
        say(t, colour, of);
    say(t, noun, of);
}

static void say_verb(teller *t, sac_verb verb, bool several, sac_referent of)
{
    say(t, (several ? SAC_SAY_VERBS : SAC_SAY_VERB) + (int)verb, of);
}

static void say_relation(teller *t, sac_relation relation)
{
    static const uint8_t words[SAC_RELATIONS][3] = {
        [SAC_ON] = {SAC_SAY_ON},
        [SAC_UNDER] = {SAC_SAY_UNDER},
        [SAC_OVER] = {SAC_SAY_OVER},
        [SAC_LEFT] = {SAC_SAY_LEFT, SAC_SAY_OF},
        [SAC_RIGHT] = {SAC_SAY_RIGHT, SAC_SAY_OF},
        [SAC_BESIDE] = {SAC_SAY_BESIDE},
        [SAC_BEHIND] = {SAC_SAY_BEHIND},
        [SAC_FRONT] = {SAC_SAY_IN, SAC_SAY_FRONT, SAC_SAY_OF},
        [SAC_BETWEEN] = {SAC_SAY_BETWEEN},
        [SAC_IN] = {SAC_SAY_IN},
        [SAC_AFTER] = {SAC_SAY_AFTER},
        [SAC_WITH] = {SAC_SAY_WITH},
    };
    if (relation == SAC_ON_ROOF) {
        say(t, SAC_SAY_ON, SAC_OF_DEED);
        say(t, SAC_SAY_THE, SAC_OF_ROOF);
        say(t, SAC_SAY_ROOF, SAC_OF_ROOF);
        say(t, SAC_SAY_OF, SAC_OF_ROOF);
    }
    for (int i = 0; i < 3 && words[relation][i]; i++)
        say(t, words[relation][i], SAC_OF_DEED);
}

int sac_tale_tell(const sac_tale *tale, int *word, sac_referent *of)
{
    teller t = {word, of, 0};
    bool weather = tale->verb == SAC_FALL;
    if (weather)
        say(&t, tale->spot == SAC_IN_SNOW ? SAC_SAY_SNOW : SAC_SAY_RAIN, SAC_OF_WEATHER);
    else
        say_group(&t, &tale->group[0], SAC_OF_GROUP);
    say_verb(&t, tale->verb, tale->group[0].count > 1, weather ? SAC_OF_WEATHER : SAC_OF_DEED);
    if (tale->groups > 1) {
        say_relation(&t, tale->relation);
        say_group(&t, &tale->group[1], SAC_OF_GROUP + 1);
    }
    /* "in the forest", "on the sea"; over it, for what is in the sky with nothing below but the
     * ground; through it, for trains. */
    sac_spot spot = tale->spot;
    bool over = tale->relation == SAC_ALONE &&
                (tale->verb == SAC_FLY || tale->verb == SAC_SHINE || tale->verb == SAC_FLOAT);
    bool on =
        spot == SAC_BEACH || spot == SAC_STREET || (spot == SAC_SEA && tale->verb != SAC_SWIM);
    say(&t,
        over                     ? SAC_SAY_OVER
        : tale->verb == SAC_ROLL ? SAC_SAY_THROUGH
        : on                     ? SAC_SAY_ON
                                 : SAC_SAY_IN,
        SAC_OF_SPOT);
    say(&t, spot == SAC_MEADOW ? SAC_SAY_A : SAC_SAY_THE, SAC_OF_SPOT);
    say(&t, spot == SAC_IN_SNOW ? SAC_SAY_SNOW : SAC_SAY_SPOT + (int)spot, SAC_OF_SPOT);
    if (tale->hour != SAC_DAY) {
        say(&t, SAC_SAY_AT, SAC_OF_HOUR);
        say(&t, tale->hour == SAC_NIGHT ? SAC_SAY_NIGHT : SAC_SAY_SUNSET, SAC_OF_HOUR);
    }
    if (tale->has_tail) {
        say(&t, SAC_SAY_AND, SAC_OF_TAIL);
        say_group(&t, &tale->group[2], SAC_OF_TAIL);
        say_verb(&t, tale->tail_verb, tale->group[2].count > 1, SAC_OF_TAIL);
    }
    say(&t, SAC_SAY_END, SAC_OF_NOTHING);
    return t.count;
}
