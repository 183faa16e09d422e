/* Writes the one sentence that describes a scene. */
#include "story_grammar.h"

typedef struct teller {
    int *word;
    sac_referent *of;
    int count;
} teller;

static void append(teller *t, int word, sac_referent of)
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
    return word == SAC_TALE_PAD ? SAC_TALE_PAD : is_vowel ? SAC_TALE_AN : SAC_TALE_A;
}

/* "a red kite", "two firs", "the moon" */
static void write_group(teller *t, const sac_group *group, sac_referent of)
{
    bool named = group->colour != SAC_UNNAMED, several = group->count > 1;
    int noun = group->nameless ? SAC_TALE_PAD
                               : (several ? SAC_TALE_NOUNS : SAC_TALE_NOUN) + (int)group->noun;
    int colour = group->colour == SAC_UNMENTIONED ? SAC_TALE_PAD : SAC_TALE_COLOUR + group->colour;
    int next = named ? colour : noun;
    if (group->noun == SAC_SUN || group->noun == SAC_MOON)
        append(t, SAC_TALE_THE, of);
    else if (several)
        append(t, group->count == 2 ? SAC_TALE_TWO : SAC_TALE_THREE, of);
    else
        append(t, article_before(next), of);
    if (named)
        append(t, colour, of);
    append(t, noun, of);
}

static void write_verb(teller *t, sac_verb verb, bool several, sac_referent of)
{
    append(t, (several ? SAC_TALE_VERBS : SAC_TALE_VERB) + (int)verb, of);
}

static void write_relation(teller *t, sac_relation relation)
{
    static const uint8_t words[SAC_RELATIONS][3] = {
        [SAC_ON] = {SAC_TALE_ON},
        [SAC_UNDER] = {SAC_TALE_UNDER},
        [SAC_OVER] = {SAC_TALE_OVER},
        [SAC_LEFT] = {SAC_TALE_LEFT, SAC_TALE_OF},
        [SAC_RIGHT] = {SAC_TALE_RIGHT, SAC_TALE_OF},
        [SAC_BESIDE] = {SAC_TALE_BESIDE},
        [SAC_BEHIND] = {SAC_TALE_BEHIND},
        [SAC_FRONT] = {SAC_TALE_IN, SAC_TALE_FRONT, SAC_TALE_OF},
        [SAC_BETWEEN] = {SAC_TALE_BETWEEN},
        [SAC_IN] = {SAC_TALE_IN},
        [SAC_AFTER] = {SAC_TALE_AFTER},
        [SAC_WITH] = {SAC_TALE_WITH},
    };
    if (relation == SAC_ON_ROOF) {
        append(t, SAC_TALE_ON, SAC_OF_DEED);
        append(t, SAC_TALE_THE, SAC_OF_ROOF);
        append(t, SAC_TALE_ROOF, SAC_OF_ROOF);
        append(t, SAC_TALE_OF, SAC_OF_ROOF);
    }
    for (int i = 0; i < 3 && words[relation][i]; i++)
        append(t, words[relation][i], SAC_OF_DEED);
}

int sac_tale_caption(const sac_tale *tale, int *word, sac_referent *of)
{
    teller t = {word, of, 0};
    bool weather = tale->verb == SAC_FALL;
    if (weather)
        append(&t, tale->spot == SAC_IN_SNOW ? SAC_TALE_SNOW : SAC_TALE_RAIN, SAC_OF_WEATHER);
    else
        write_group(&t, &tale->group[0], SAC_OF_GROUP);
    write_verb(&t, tale->verb, tale->group[0].count > 1, weather ? SAC_OF_WEATHER : SAC_OF_DEED);
    if (tale->groups > 1) {
        write_relation(&t, tale->relation);
        write_group(&t, &tale->group[1], SAC_OF_GROUP + 1);
    }
    /* "in the forest", "on the sea"; over it, for what is in the sky with nothing below but the
     * ground; through it, for trains. */
    sac_spot spot = tale->spot;
    bool over = tale->relation == SAC_ALONE &&
                (tale->verb == SAC_FLY || tale->verb == SAC_SHINE || tale->verb == SAC_FLOAT);
    bool on =
        spot == SAC_BEACH || spot == SAC_STREET || (spot == SAC_SEA && tale->verb != SAC_SWIM);
    append(&t,
           over                     ? SAC_TALE_OVER
           : tale->verb == SAC_ROLL ? SAC_TALE_THROUGH
           : on                     ? SAC_TALE_ON
                                    : SAC_TALE_IN,
           SAC_OF_SPOT);
    append(&t, spot == SAC_MEADOW ? SAC_TALE_A : SAC_TALE_THE, SAC_OF_SPOT);
    append(&t, spot == SAC_IN_SNOW ? SAC_TALE_SNOW : SAC_TALE_SPOT + (int)spot, SAC_OF_SPOT);
    if (tale->hour != SAC_DAY) {
        append(&t, SAC_TALE_AT, SAC_OF_HOUR);
        append(&t, tale->hour == SAC_NIGHT ? SAC_TALE_NIGHT : SAC_TALE_SUNSET, SAC_OF_HOUR);
    }
    if (tale->has_tail) {
        append(&t, SAC_TALE_AND, SAC_OF_TAIL);
        write_group(&t, &tale->group[2], SAC_OF_TAIL);
        write_verb(&t, tale->tail_verb, tale->group[2].count > 1, SAC_OF_TAIL);
    }
    append(&t, SAC_TALE_END, SAC_OF_NOTHING);
    return t.count;
}
