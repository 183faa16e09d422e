/* Writes a tree in English and in French at once, with the English words that each French word
 * stands for. Both languages put the parts of a clause in the same order; they differ within noun
 * phrases and verbs. */
#include <stdio.h>
#include <string.h>

#include "base/random/random.h"
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
static uint64_t write_english(speech *s, const char *word)
{
    if (s->english_count == MOST) {
        s->too_long = true;
        return 0;
    }
    snprintf(s->english[s->english_count], sizeof *s->english, "%s", word);
    return (uint64_t)1 << s->english_count++;
}

static void write_french(speech *s, const char *word, uint64_t links)
{
    if (s->french_count == MOST) {
        s->too_long = true;
        return;
    }
    snprintf(s->french[s->french_count].text, sizeof s->french->text, "%s", word);
    s->french[s->french_count++].links = links;
}

/* Each word of `text`, which blanks part, with the same links. */
static void write_french_words(speech *s, const char *text, uint64_t links)
{
    char word[SAC_SENTENCE_WORD_SIZE];
    for (int used; sscanf(text, "%23s%n", word, &used) == 1; text += used)
        write_french(s, word, links);
}

static void write_word_pair(speech *s, const sac_word_pair *pair)
{
    write_french_words(s, pair->french, write_english(s, pair->english));
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

static void write_participle(speech *s, const sac_verb *verb, const agreement *with, uint64_t links)
{
    char word[SAC_SENTENCE_WORD_SIZE];
    size_t length = strlen(verb->participle);
    bool has_s = verb->participle[length - 1] == 's' && !with->feminine;
    snprintf(word, sizeof word, "%s%s%s", verb->participle, with->feminine ? "e" : "",
             with->plural && !has_s ? "s" : "");
    write_french(s, word, links);
}

/* ---------------------------------------------------------------- noun phrases */

static void write_clause(speech *s, const sac_clause *clause, bool with_subject);
static void write_phrase(speech *s, int index);

static const char *determiner_form(const sac_noun_phrase *phrase, const agreement *with)
{
    const sac_determiner *d = &sac_determiners[phrase->determiner];
    return with->plural ? d->plural : with->feminine ? d->feminine : d->masculine;
}

/* The determiner, adjectives and noun, English then French: an adjective that does not precede its
 * noun follows it, the nearest first. "des" is "de" before an adjective. */
static void write_noun(speech *s, const sac_noun_phrase *phrase)
{
    const sac_lexicon_noun *noun = &sac_nouns[phrase->noun];
    agreement with = agreement_of(phrase);
    uint64_t links[SAC_TREE_ADJECTIVES];
    uint64_t determiner = write_english(s, sac_determiners[phrase->determiner].english);
    for (int i = 0; i < phrase->adjective_count; i++) {
        links[i] = write_english(s, sac_adjectives[phrase->adjectives[i]].english);
        s->has_unseen_pair |= sac_text_pair_is_held_out(phrase->noun, phrase->adjectives[i]);
    }
    uint64_t own = write_english(s, phrase->plural ? noun->english_plural : noun->english);
    const char *french = phrase->plural ? noun->french_plural : noun->french;
    bool preceded =
        phrase->adjective_count > 0 && sac_adjectives[phrase->adjectives[0]].order == SAC_SIZE;
    write_french(s,
                 phrase->determiner == SAC_SOME && preceded ? "de" : determiner_form(phrase, &with),
                 determiner);
    if (preceded)
        write_french(s, adjective_form(&sac_adjectives[phrase->adjectives[0]], &with, french),
                     links[0]);
    write_french(s, french, own);
    for (int i = phrase->adjective_count - 1; i >= (preceded ? 1 : 0); i--)
        write_french(s, adjective_form(&sac_adjectives[phrase->adjectives[i]], &with, NULL),
                     links[i]);
}

static void write_phrase(speech *s, int index)
{
    const sac_noun_phrase *phrase = &s->tree->phrases[index];
    if (phrase->pronoun >= 0) {
        const sac_pronoun *p = &sac_pronouns[phrase->pronoun];
        write_french(s, p->french, write_english(s, p->english));
        return;
    }
    write_noun(s, phrase);
    if (phrase->complement >= 0) {
        write_word_pair(s, &sac_prepositions[phrase->preposition]);
        write_phrase(s, phrase->complement);
    }
    if (phrase->relative >= 0) {
        bool person = sac_nouns[phrase->noun].kind == SAC_PERSON;
        write_french(s, "qui", write_english(s, person ? "who" : "that"));
        write_clause(s, &s->tree->clauses[phrase->relative], false);
    }
}

/* ---------------------------------------------------------------- verbs */

static const char *const avoir[] = {"ai", "a", "avons", "avez", "ont"};
static const char *const etre[] = {"suis", "est", "sommes", "êtes", "sont"};
static const char *const etait[] = {"étais", "était", "étions", "étiez", "étaient"};

/* "ne" before and "pas" after the verb that carries the person; "not" is what both stand for. */
static void write_negated(speech *s, const char *finite, uint64_t links, uint64_t negation)
{
    if (negation)
        write_french(s, "ne", negation);
    write_french(s, finite, links);
    if (negation)
        write_french(s, "pas", negation);
}

/* "often signs", "did not sign"; "signe souvent", "n'a pas signé". */
static void write_active(speech *s, const sac_clause *clause, const agreement *with)
{
    const sac_verb *verb = &sac_verbs[clause->verb];
    const sac_word_pair *adverb = clause->adverb >= 0 ? &sac_adverbs[clause->adverb] : NULL;
    uint64_t auxiliary = 0, negation = 0, often = 0;
    if (clause->negated) {
        auxiliary = write_english(s, clause->past ? "did" : with->does);
        negation = write_english(s, "not");
    }
    if (adverb)
        often = write_english(s, adverb->english);
    uint64_t own = write_english(s, clause->negated        ? verb->english
                                    : clause->past         ? verb->english_past
                                    : with->third_singular ? verb->english_third
                                                           : verb->english);
    const agreement plain = {0};
    if (!clause->past)
        write_negated(s, verb->french[with->person], own | auxiliary, negation);
    else
        write_negated(s, (verb->with_etre ? etre : avoir)[with->person],
                      auxiliary ? auxiliary : own, negation);
    if (adverb)
        write_french(s, adverb->french, often);
    if (clause->past)
        write_participle(s, verb, verb->with_etre ? with : &plain, own);
}

/* "was signed", "a été signé"; "is not signed", "n'est pas signé". */
static void write_passive(speech *s, const sac_clause *clause, const agreement *with)
{
    const sac_verb *verb = &sac_verbs[clause->verb];
    uint64_t be = write_english(s, clause->past ? with->was : with->be);
    uint64_t negation = clause->negated ? write_english(s, "not") : 0;
    uint64_t own = write_english(s, verb->english_participle);
    write_negated(s, (clause->past ? avoir : etre)[with->person], be, negation);
    if (clause->past)
        write_french(s, "été", be);
    write_participle(s, verb, with, own);
}

static void write_copula(speech *s, const sac_clause *clause, const agreement *with)
{
    const sac_adjective *adjective = &sac_adjectives[clause->adjective];
    uint64_t be = write_english(s, clause->past ? with->was : with->be);
    uint64_t negation = clause->negated ? write_english(s, "not") : 0;
    uint64_t own = write_english(s, adjective->english);
    write_negated(s, (clause->past ? etait : etre)[with->person], be, negation);
    write_french(s, adjective_form(adjective, with, NULL), own);
}

/* ---------------------------------------------------------------- clauses */

static void write_time_phrase(speech *s, const sac_clause *clause)
{
    uint64_t on;
    switch (clause->time_kind) {
    case SAC_NO_TIME:
        return;
    case SAC_MONTH_YEAR:
        write_french(s, "en", write_english(s, "in"));
        write_word_pair(s, &sac_months[clause->month]);
        write_word_pair(s, &sac_years[clause->year]);
        return;
    case SAC_YEAR:
        write_word_pair(s, &sac_year_words[clause->time_word]);
        write_word_pair(s, &sac_years[clause->year]);
        return;
    case SAC_DATE:
        on = write_english(s, "on");
        write_french(s, "le", on);
        write_word_pair(s, &sac_days[clause->day]);
        write_word_pair(s, &sac_months[clause->month]);
        write_word_pair(s, &sac_years[clause->year]);
        return;
    case SAC_WEEKDAY: /* "lundi" alone: no French word stands for "on" */
        write_english(s, "on");
        write_word_pair(s, &sac_weekdays[clause->day]);
        return;
    case SAC_YESTERDAY:
        write_french(s, "hier", write_english(s, "yesterday"));
        return;
    }
}

static void write_clause(speech *s, const sac_clause *clause, bool with_subject)
{
    agreement with = agreement_of(&s->tree->phrases[clause->subject]);
    if (with_subject)
        write_phrase(s, clause->subject);
    if (clause->kind == SAC_COPULA)
        write_copula(s, clause, &with);
    else if (clause->kind == SAC_PASSIVE)
        write_passive(s, clause, &with);
    else
        write_active(s, clause, &with);
    if (clause->object >= 0) {
        if (clause->kind == SAC_PASSIVE)
            write_french(s, "par", write_english(s, "by"));
        write_phrase(s, clause->object);
    }
    if (clause->place_kind == SAC_AT_PHRASE) {
        write_word_pair(s, &sac_prepositions[clause->place_preposition]);
        write_phrase(s, clause->place);
    } else if (clause->place_kind == SAC_AT_NAME) {
        const sac_named_place *place = &sac_named_places[clause->place];
        uint64_t in = write_english(s, "in"), own = write_english(s, place->english);
        write_french(s, place->preposition, in);
        write_french(s, place->french, own);
    }
    write_time_phrase(s, clause);
}

/* ---------------------------------------------------------------- what neighbours do to words */

static bool words_are_equal(const char *word, const char *other)
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
        if (words_are_equal(word, forms[i].full)) {
            strcpy(word, forms[i].elided);
            return;
        }
}

/* The word that "de" or "à" and the article after it become; NULL where both stay. "de des" is
 * "de". */
static const char *contraction(const char *first, const char *second)
{
    if (words_are_equal(first, "de"))
        return words_are_equal(second, "le")                                     ? "du"
               : words_are_equal(second, "les")                                  ? "des"
               : words_are_equal(second, "des") || words_are_equal(second, "de") ? "de"
                                                                                 : NULL;
    if (words_are_equal(first, "à"))
        return words_are_equal(second, "le") ? "au" : words_are_equal(second, "les") ? "aux" : NULL;
    return NULL;
}

static void contract_french_words(speech *s)
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

bool sac_sentence_write(const sac_tree *tree, sac_sentence_pair *pair)
{
    speech s = {.tree = tree};
    write_clause(&s, &tree->clauses[tree->main], true);
    if (tree->second >= 0) {
        write_word_pair(&s, &sac_conjunctions[tree->conjunction]);
        write_clause(&s, &tree->clauses[tree->second], true);
    }
    write_french(&s, ".", write_english(&s, "."));
    /* "an" before a vowel sound. */
    for (int i = 0; i + 1 < s.english_count; i++) {
        const char *next = s.english[i + 1];
        bool audio =
            strchr("aeiou", next[0]) && strncmp(next, "eu", 2) != 0 && strncmp(next, "uni", 3) != 0;
        if (words_are_equal(s.english[i], "a") && audio)
            strcpy(s.english[i], "an");
    }
    /* Elision first, since "de l'" is not contracted, and again for the "de" that contraction
     * leaves. */
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i + 1 < s.french_count; i++)
            elide(s.french[i].text, s.french[i + 1].text);
        if (pass == 0)
            contract_french_words(&s);
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

bool sac_text_pair_is_held_out(int noun, int adjective)
{
    return sac_philox((uint32_t)noun, (uint32_t)adjective, 0x70616972u) % 10 == 0;
}
