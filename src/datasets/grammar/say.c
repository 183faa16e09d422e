/* Writes a tree in English and in French at once, with the English words that each French word
 * stands for. Both languages put the parts of a clause in the same order; they differ within noun
 * phrases and verbs. */
#include <stdio.h>
#include <string.h>

#include "grammar/lexicon.h"
#include "grammar/sentence.h"

enum { MOST = 48 }; /* words of a side while it is written: refused later if too many */

typedef struct french_word {
    char text[SAC_SENTENCE_WORD_SIZE];
    uint64_t links;
} french_word;

/* Both sides so far. */
typedef struct speech {
    const sac_tree *tree;
    char english[MOST][SAC_SENTENCE_WORD_SIZE];
    french_word french[MOST];
    int english_count, french_count;
    bool too_long, has_unseen_pair;
} speech;

/* The link to the English word being written. */
static uint64_t say_english(speech *s, const char *word)
{
    if (s->english_count == MOST) {
        s->too_long = true;
        return 0;
    }
    snprintf(s->english[s->english_count], sizeof *s->english, "%s", word);
    return (uint64_t)1 << s->english_count++;
}

static void say_french(speech *s, const char *word, uint64_t links)
{
    if (s->french_count == MOST) {
        s->too_long = true;
        return;
    }
    snprintf(s->french[s->french_count].text, sizeof s->french->text, "%s", word);
    s->french[s->french_count++].links = links;
}

/* Each word of `text`, which blanks part, with the same links. */
static void say_french_words(speech *s, const char *text, uint64_t links)
{
    char word[SAC_SENTENCE_WORD_SIZE];
    for (int used; sscanf(text, "%23s%n", word, &used) == 1; text += used)
        say_french(s, word, links);
}

static void say_pair(speech *s, const sac_word_pair *pair)
{
    say_french_words(s, pair->french, say_english(s, pair->english));
}

/* ---------------------------------------------------------------- agreement */

/* The number and gender that verbs, adjectives and participles agree with. */
typedef struct agreement {
    sac_person person;
    bool feminine, plural, third_singular;
    const char *be, *was, *does; /* English "to be", "to do" */
} agreement;

static agreement agreement_of(const sac_noun_phrase *phrase)
{
    if (phrase->pronoun >= 0) {
        const sac_pronoun *p = &sac_pronouns[phrase->pronoun];
        return (agreement){p->person, p->feminine, p->plural, p->person == SAC_IL,
                           p->be,     p->was,      p->has};
    }
    bool plural = phrase->plural;
    return (agreement){plural ? SAC_ILS : SAC_IL,
                       sac_nouns[phrase->noun].feminine,
                       plural,
                       !plural,
                       plural ? "are" : "is",
                       plural ? "were" : "was",
                       plural ? "do" : "does"};
}

static bool begins_with_vowel(const char *word)
{
    static const char *const vowels[] = {"a", "e", "i", "o", "u", "y", "h",
                                         "â", "é", "è", "ê", "î", "ô", "œ"};
    for (size_t i = 0; i < sizeof vowels / sizeof *vowels; i++)
        if (strncmp(word, vowels[i], strlen(vowels[i])) == 0)
            return true;
    return false;
}

static const char *adjective_form(const sac_adjective *a, const agreement *with, const char *next)
{
    if (with->plural)
        return with->feminine ? a->feminine_plural : a->masculine_plural;
    if (with->feminine)
        return a->feminine;
    return a->before_vowel && next && begins_with_vowel(next) ? a->before_vowel : a->masculine;
}

static void say_participle(speech *s, const sac_verb *verb, const agreement *with, uint64_t links)
{
    char word[SAC_SENTENCE_WORD_SIZE];
    size_t length = strlen(verb->participle);
    bool has_s = verb->participle[length - 1] == 's' && !with->feminine;
    snprintf(word, sizeof word, "%s%s%s", verb->participle, with->feminine ? "e" : "",
             with->plural && !has_s ? "s" : "");
    say_french(s, word, links);
}

/* ---------------------------------------------------------------- noun phrases */

static void say_clause(speech *s, const sac_clause *clause, bool with_subject);
static void say_phrase(speech *s, int index);

static const char *determiner_form(const sac_noun_phrase *phrase, const agreement *with)
{
    const sac_determiner *d = &sac_determiners[phrase->determiner];
    return with->plural ? d->plural : with->feminine ? d->feminine : d->masculine;
}

/* The determiner, adjectives and noun, English then French: an adjective that does not precede its
 * noun follows it, the nearest first. "des" is "de" before an adjective. */
static void say_noun(speech *s, const sac_noun_phrase *phrase)
{
    const sac_lexicon_noun *noun = &sac_nouns[phrase->noun];
    agreement with = agreement_of(phrase);
    uint64_t links[SAC_TREE_ADJECTIVES];
    uint64_t determiner = say_english(s, sac_determiners[phrase->determiner].english);
    for (int i = 0; i < phrase->adjective_count; i++) {
        links[i] = say_english(s, sac_adjectives[phrase->adjectives[i]].english);
        s->has_unseen_pair |= sac_text_pair_is_held_out(phrase->noun, phrase->adjectives[i]);
    }
    uint64_t own = say_english(s, phrase->plural ? noun->english_plural : noun->english);
    const char *french = phrase->plural ? noun->french_plural : noun->french;
    bool preceded =
        phrase->adjective_count > 0 && sac_adjectives[phrase->adjectives[0]].order == SAC_SIZE;
    say_french(s,
               phrase->determiner == SAC_SOME && preceded ? "de" : determiner_form(phrase, &with),
               determiner);
    if (preceded)
        say_french(s, adjective_form(&sac_adjectives[phrase->adjectives[0]], &with, french),
                   links[0]);
    say_french(s, french, own);
    for (int i = phrase->adjective_count - 1; i >= (preceded ? 1 : 0); i--)
        say_french(s, adjective_form(&sac_adjectives[phrase->adjectives[i]], &with, NULL),
                   links[i]);
}

static void say_phrase(speech *s, int index)
{
    const sac_noun_phrase *phrase = &s->tree->phrases[index];
    if (phrase->pronoun >= 0) {
        const sac_pronoun *p = &sac_pronouns[phrase->pronoun];
        say_french(s, p->french, say_english(s, p->english));
        return;
    }
    say_noun(s, phrase);
    if (phrase->complement >= 0) {
        say_pair(s, &sac_prepositions[phrase->preposition]);
        say_phrase(s, phrase->complement);
    }
    if (phrase->relative >= 0) {
        bool person = sac_nouns[phrase->noun].kind == SAC_PERSON;
        say_french(s, "qui", say_english(s, person ? "who" : "that"));
        say_clause(s, &s->tree->clauses[phrase->relative], false);
    }
}

/* ---------------------------------------------------------------- verbs */

static const char *const avoir[] = {"ai", "a", "avons", "avez", "ont"};
static const char *const etre[] = {"suis", "est", "sommes", "êtes", "sont"};
static const char *const etait[] = {"étais", "était", "étions", "étiez", "étaient"};

/* "ne" before and "pas" after the verb that carries the person; "not" is what both stand for. */
static void say_negated(speech *s, const char *finite, uint64_t links, uint64_t negation)
{
    if (negation)
        say_french(s, "ne", negation);
    say_french(s, finite, links);
    if (negation)
        say_french(s, "pas", negation);
}

/* "often signs", "did not sign"; "signe souvent", "n'a pas signé". */
static void say_active(speech *s, const sac_clause *clause, const agreement *with)
{
    const sac_verb *verb = &sac_verbs[clause->verb];
    const sac_word_pair *adverb = clause->adverb >= 0 ? &sac_adverbs[clause->adverb] : NULL;
    uint64_t auxiliary = 0, negation = 0, often = 0;
    if (clause->negated) {
        auxiliary = say_english(s, clause->past ? "did" : with->does);
        negation = say_english(s, "not");
    }
    if (adverb)
        often = say_english(s, adverb->english);
    uint64_t own = say_english(s, clause->negated        ? verb->english
                                  : clause->past         ? verb->english_past
                                  : with->third_singular ? verb->english_third
                                                         : verb->english);
    const agreement plain = {0};
    if (!clause->past)
        say_negated(s, verb->french[with->person], own | auxiliary, negation);
    else
        say_negated(s, (verb->with_etre ? etre : avoir)[with->person], auxiliary ? auxiliary : own,
                    negation);
    if (adverb)
        say_french(s, adverb->french, often);
    if (clause->past)
        say_participle(s, verb, verb->with_etre ? with : &plain, own);
}

/* "was signed", "a été signé"; "is not signed", "n'est pas signé". */
static void say_passive(speech *s, const sac_clause *clause, const agreement *with)
{
    const sac_verb *verb = &sac_verbs[clause->verb];
    uint64_t be = say_english(s, clause->past ? with->was : with->be);
    uint64_t negation = clause->negated ? say_english(s, "not") : 0;
    uint64_t own = say_english(s, verb->english_participle);
    say_negated(s, (clause->past ? avoir : etre)[with->person], be, negation);
    if (clause->past)
        say_french(s, "été", be);
    say_participle(s, verb, with, own);
}

static void say_copula(speech *s, const sac_clause *clause, const agreement *with)
{
    const sac_adjective *adjective = &sac_adjectives[clause->adjective];
    uint64_t be = say_english(s, clause->past ? with->was : with->be);
    uint64_t negation = clause->negated ? say_english(s, "not") : 0;
    uint64_t own = say_english(s, adjective->english);
    say_negated(s, (clause->past ? etait : etre)[with->person], be, negation);
    say_french(s, adjective_form(adjective, with, NULL), own);
}

/* ---------------------------------------------------------------- clauses */

static void say_time(speech *s, const sac_clause *clause)
{
    uint64_t on;
    switch (clause->time_kind) {
    case SAC_NO_TIME:
        return;
    case SAC_MONTH_YEAR:
        say_french(s, "en", say_english(s, "in"));
        say_pair(s, &sac_months[clause->month]);
        say_pair(s, &sac_years[clause->year]);
        return;
    case SAC_YEAR:
        say_pair(s, &sac_year_words[clause->time_word]);
        say_pair(s, &sac_years[clause->year]);
        return;
    case SAC_DATE:
        on = say_english(s, "on");
        say_french(s, "le", on);
        say_pair(s, &sac_days[clause->day]);
        say_pair(s, &sac_months[clause->month]);
        say_pair(s, &sac_years[clause->year]);
        return;
    case SAC_WEEKDAY: /* "lundi" alone: no French word stands for "on" */
        say_english(s, "on");
        say_pair(s, &sac_weekdays[clause->day]);
        return;
    case SAC_YESTERDAY:
        say_french(s, "hier", say_english(s, "yesterday"));
        return;
    }
}

static void say_clause(speech *s, const sac_clause *clause, bool with_subject)
{
    agreement with = agreement_of(&s->tree->phrases[clause->subject]);
    if (with_subject)
        say_phrase(s, clause->subject);
    if (clause->kind == SAC_COPULA)
        say_copula(s, clause, &with);
    else if (clause->kind == SAC_PASSIVE)
        say_passive(s, clause, &with);
    else
        say_active(s, clause, &with);
    if (clause->object >= 0) {
        if (clause->kind == SAC_PASSIVE)
            say_french(s, "par", say_english(s, "by"));
        say_phrase(s, clause->object);
    }
    if (clause->place_kind == SAC_AT_PHRASE) {
        say_pair(s, &sac_prepositions[clause->place_preposition]);
        say_phrase(s, clause->place);
    } else if (clause->place_kind == SAC_AT_NAME) {
        const sac_named_place *place = &sac_named_places[clause->place];
        uint64_t in = say_english(s, "in"), own = say_english(s, place->english);
        say_french(s, place->preposition, in);
        say_french(s, place->french, own);
    }
    say_time(s, clause);
}

/* ---------------------------------------------------------------- what neighbours do to words */

static bool is(const char *word, const char *other)
{
    return strcmp(word, other) == 0;
}

/* le, la, de, ne, que, je lose their vowel before another; ce, sa, ma change their form. */
static void elide(char *word, const char *next)
{
    static const struct {
        const char *full, *elided;
    } forms[] = {{"le", "l'"}, {"la", "l'"},  {"de", "d'"},  {"ne", "n'"}, {"que", "qu'"},
                 {"je", "j'"}, {"ce", "cet"}, {"sa", "son"}, {"ma", "mon"}};
    for (size_t i = 0; begins_with_vowel(next) && i < sizeof forms / sizeof *forms; i++)
        if (is(word, forms[i].full)) {
            strcpy(word, forms[i].elided);
            return;
        }
}

/* The word that "de" or "à" and the article after it become; NULL where both stay. "de des" is
 * "de". */
static const char *contraction(const char *first, const char *second)
{
    if (is(first, "de"))
        return is(second, "le")                        ? "du"
               : is(second, "les")                     ? "des"
               : is(second, "des") || is(second, "de") ? "de"
                                                       : NULL;
    if (is(first, "à"))
        return is(second, "le") ? "au" : is(second, "les") ? "aux" : NULL;
    return NULL;
}

static void contract(speech *s)
{
    int kept = 0;
    for (int i = 0; i < s->french_count; i++) {
        french_word word = s->french[i];
        const char *both =
            i + 1 < s->french_count ? contraction(word.text, s->french[i + 1].text) : NULL;
        if (both) {
            strcpy(word.text, both);
            word.links |= s->french[++i].links;
        }
        s->french[kept++] = word;
    }
    s->french_count = kept;
}

/* ---------------------------------------------------------------- sentences */

bool sac_sentence_say(const sac_tree *tree, sac_sentence_pair *pair)
{
    speech s = {.tree = tree};
    say_clause(&s, &tree->clauses[tree->main], true);
    if (tree->second >= 0) {
        say_pair(&s, &sac_conjunctions[tree->conjunction]);
        say_clause(&s, &tree->clauses[tree->second], true);
    }
    say_french(&s, ".", say_english(&s, "."));
    /* "an" before a vowel sound. */
    for (int i = 0; i + 1 < s.english_count; i++) {
        const char *next = s.english[i + 1];
        bool heard =
            strchr("aeiou", next[0]) && strncmp(next, "eu", 2) != 0 && strncmp(next, "uni", 3) != 0;
        if (is(s.english[i], "a") && heard)
            strcpy(s.english[i], "an");
    }
    /* Elision first, since "de l'" is not contracted, and again for the "de" that contraction
     * leaves. */
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i + 1 < s.french_count; i++)
            elide(s.french[i].text, s.french[i + 1].text);
        if (pass == 0)
            contract(&s);
    }
    if (s.too_long || s.english_count > SAC_SENTENCE_MOST ||
        s.french_count > SAC_SENTENCE_TARGET_MOST)
        return false;
    *pair = (sac_sentence_pair){.source_count = s.english_count,
                                .target_count = s.french_count,
                                .has_unseen_pair = s.has_unseen_pair};
    memcpy(pair->source, s.english, (size_t)s.english_count * sizeof *s.english);
    for (int t = 0; t < s.french_count; t++) {
        memcpy(pair->target[t], s.french[t].text, sizeof pair->target[t]);
        pair->links[t] = (uint32_t)s.french[t].links;
    }
    return true;
}

char *sac_sentence_join(const char (*words)[SAC_SENTENCE_WORD_SIZE], int count, char *text,
                        size_t size)
{
    size_t used = 0;
    if (size)
        text[0] = '\0';
    for (int i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", words[i]);
    return text;
}
