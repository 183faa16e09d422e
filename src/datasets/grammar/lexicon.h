/* The words that sentences are made of: English and French, with what each needs to be inflected
 * and to be put where it makes sense. All words are lower case; the tables end with a zeroed row. The
 * words are in lexicon.txt, of which the build makes the tables (lexicon.awk). */
#ifndef SAC_GRAMMAR_LEXICON_H
#define SAC_GRAMMAR_LEXICON_H

#include <stdbool.h>

/* Kinds of things that a noun names, as bits: a verb has those that it takes, an adjective those that
 * it fits. */
enum {
    SAC_PERSON = 1,
    SAC_ANIMAL = 2,
    SAC_THING = 4,
    SAC_TEXT_WORK = 8, /* what is written: a letter, a law */
    SAC_BUILDING = 16,
    SAC_REGION = 32,
    SAC_GROUP = 64, /* people who act as one: a council */
    SAC_ANYTHING = 127,
    SAC_PLACE = SAC_BUILDING | SAC_REGION,
    SAC_ACTOR = SAC_PERSON | SAC_GROUP,
    SAC_LIVING = SAC_PERSON | SAC_ANIMAL
};

typedef struct sac_lexicon_noun {
    const char *english, *english_plural;
    const char *french, *french_plural;
    bool feminine;
    unsigned kind; /* one of the bits above */
} sac_lexicon_noun;

/* The order of English adjectives: "a big famous european economic area". Those of age and size
 * stand before the noun in French too, all others after it, the last first. No two of a kind. */
typedef enum sac_adjective_order {
    SAC_SIZE = 0,
    SAC_QUALITY,
    SAC_NATION,
    SAC_DOMAIN
} sac_adjective_order;

typedef struct sac_adjective {
    const char *english;
    const char *masculine, *feminine, *masculine_plural, *feminine_plural;
    const char *before_vowel; /* masculine singular before a vowel, "bel"; NULL: as masculine */
    sac_adjective_order order;
    unsigned fits;
} sac_adjective;

/* Whom a French verb agrees with: je, il or elle, nous, vous, ils or elles. */
typedef enum sac_person { SAC_JE = 0, SAC_IL, SAC_NOUS, SAC_VOUS, SAC_ILS, SAC_PERSONS } sac_person;

typedef struct sac_verb {
    const char *english, *english_third, *english_past, *english_participle;
    const char *french[SAC_PERSONS]; /* present */
    const char *participle;          /* masculine singular */
    bool with_etre;                  /* its passé composé is made with être */
    unsigned subjects, objects;      /* objects 0: it takes none */
} sac_verb;

/* An English word and the French one that stands for it whatever is around it. */
typedef struct sac_word_pair {
    const char *english, *french;
} sac_word_pair;

/* A determiner's French forms; NULL where it has no such number. */
typedef struct sac_determiner {
    const char *english; /* "a" becomes "an" before a vowel */
    const char *masculine, *feminine, *plural;
} sac_determiner;

typedef struct sac_pronoun {
    const char *english, *french;
    sac_person person;
    bool feminine, plural;      /* what a participle agrees with */
    const char *be, *was, *has; /* forms of "to be", and of "to do" in has: "do", "does" */
} sac_pronoun;

/* "in france" is "en france", "in japan" "au japon", "in paris" "à paris". */
typedef struct sac_named_place {
    const char *english, *preposition, *french;
} sac_named_place;

extern const sac_lexicon_noun sac_nouns[];
extern const sac_adjective sac_adjectives[];
extern const sac_verb sac_verbs[];
extern const sac_determiner sac_determiners[];
extern const sac_pronoun sac_pronouns[];
extern const sac_named_place sac_named_places[];
extern const sac_word_pair sac_prepositions[]; /* of place: "under", "sous" */
extern const sac_word_pair sac_months[], sac_weekdays[], sac_years[], sac_days[];
extern const sac_word_pair sac_adverbs[]; /* of frequency: before an English, after a French verb */
extern const sac_word_pair sac_year_words[]; /* "in", "since", "before", "after" a year */
extern const sac_word_pair sac_conjunctions[];

/* Indices into sac_determiners. */
enum { SAC_THE = 0, SAC_A, SAC_SOME };

/* Rows of each table before the zeroed one. */
extern const int sac_nouns_count, sac_adjectives_count, sac_verbs_count, sac_determiners_count,
    sac_pronouns_count, sac_named_places_count;
int sac_word_pairs_count(const sac_word_pair *pairs);

/* Index of the row whose English is `english` (a verb's, any of its forms); −1 where there is
 * none. */
int sac_noun_find(const char *english);
int sac_adjective_find(const char *english);
int sac_verb_find(const char *english);

#endif
