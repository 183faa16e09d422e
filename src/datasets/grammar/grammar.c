/* Random sentence trees. A verb accepts only nouns that fit it, and an adjective stands only where
 * it fits, so sentences are simple and make some sense. Trees are drawn until one has the wanted
 * length and belongs to its stream. */
#include <string.h>

#include "base/random/random.h"
#include "base/random/rng.h"
#include "grammar/lexicon.h"
#include "grammar/sentence.h"

/* ---------------------------------------------------------------- what is held out */

/* FNV-1a of the English words, over which sentences are shared out. */
static uint32_t hash_source(const sac_sentence_pair *pair)
{
    uint32_t hash = 2166136261u;
    for (int i = 0; i < pair->source_count; i++)
        for (const char *c = pair->source[i];; c++) {
            hash = (hash ^ (uint8_t)*c) * 16777619u;
            if (!*c)
                break;
        }
    return hash;
}

/* The reason for which a sentence is held out; SAC_HELD_NOT: it may be trained on. */
static sac_held_out held_out_reason(const sac_sentence_pair *pair)
{
    if (pair->has_unseen_pair)
        return SAC_HELD_PAIR;
    if (pair->source_count > SAC_SENTENCE_TRAINED_MOST)
        return SAC_HELD_LENGTH;
    return hash_source(pair) >> 16 & 7 ? SAC_HELD_NOT : SAC_HELD_SENTENCE;
}

/* ---------------------------------------------------------------- sentences */

enum { SENTENCE_PLACES = 0x60000000 }; /* no scene draws its numbers from here */

/* A tree that grows; `words` is about how many English words it may still take. */
typedef struct growth {
    sac_rng rng;
    sac_tree *tree;
    int words;
} growth;

static bool happens_with_percent(growth *g, int percent)
{
    return sac_rng_pick(&g->rng, 100) < percent;
}

/* More of what is optional where many words are left; now and then where few are, so that every
 * length can have everything. */
static bool wants_optional_words(growth *g, int words)
{
    return happens_with_percent(g, g->words >= 3 * words ? 75 : g->words >= words ? 40 : 8);
}

/* ---------------------------------------------------------------- choosing words */

static int pick_noun(growth *g, unsigned kinds)
{
    int noun;
    do
        noun = sac_rng_pick(&g->rng, sac_nouns_count);
    while (!(sac_nouns[noun].kind & kinds));
    return noun;
}

/* −1 where no adjective of this order fits. */
static int pick_adjective(growth *g, unsigned kind, sac_adjective_order order)
{
    int fitting = 0;
    for (int i = 0; i < sac_adjectives_count; i++)
        fitting += sac_adjectives[i].order == order && sac_adjectives[i].fits & kind;
    int wanted = fitting ? sac_rng_pick(&g->rng, fitting) : -1;
    for (int i = 0; wanted >= 0; i++)
        if (sac_adjectives[i].order == order && sac_adjectives[i].fits & kind && wanted-- == 0)
            return i;
    return -1;
}

/* A verb that such a subject may have, with an object or without. */
static int pick_verb(growth *g, unsigned subjects, bool with_object)
{
    int verb;
    do
        verb = sac_rng_pick(&g->rng, sac_verbs_count);
    while (!(sac_verbs[verb].subjects & subjects) || (sac_verbs[verb].objects != 0) != with_object);
    return verb;
}

/* ---------------------------------------------------------------- noun phrases */

static int add_clause(growth *g, int subject, unsigned subject_kind, int depth);

static int word_pair_row(const sac_word_pair *pairs, const char *english)
{
    int row = 0;
    while (strcmp(pairs[row].english, english) != 0)
        row++;
    return row;
}

/* Adds what may follow a noun: "of the king", after a text "on the city"; or "who sleeps". */
static void add_complement(growth *g, int index, int depth);

/* A noun of one of `kinds`, with what the words left allow; −1 where the tree is full. */
static int add_phrase(growth *g, unsigned kinds, int depth)
{
    if (g->tree->phrase_count == SAC_TREE_PHRASES)
        return -1;
    int index = g->tree->phrase_count++;
    sac_noun_phrase *phrase = &g->tree->phrases[index];
    *phrase = (sac_noun_phrase){.pronoun = -1, .complement = -1, .relative = -1};
    phrase->noun = pick_noun(g, kinds);
    const sac_determiner *d;
    do {
        phrase->determiner =
            happens_with_percent(g, 55) ? SAC_THE : sac_rng_pick(&g->rng, sac_determiners_count);
        phrase->plural = happens_with_percent(g, 35);
        d = &sac_determiners[phrase->determiner];
    } while (phrase->plural ? !d->plural : !d->masculine);
    g->words -= 2;
    /* None or one of each order, and three in all at most. */
    unsigned kind = sac_nouns[phrase->noun].kind;
    for (int order = SAC_SIZE; order <= SAC_DOMAIN && phrase->adjective_count < 3; order++) {
        int adjective =
            wants_optional_words(g, 3) ? pick_adjective(g, kind, (sac_adjective_order)order) : -1;
        if (adjective >= 0)
            phrase->adjectives[phrase->adjective_count++] = adjective;
    }
    g->words -= phrase->adjective_count;
    add_complement(g, index, depth);
    return index;
}

static void add_complement(growth *g, int index, int depth)
{
    sac_noun_phrase *phrase = &g->tree->phrases[index];
    unsigned kind = sac_nouns[phrase->noun].kind;
    if (phrase->determiner <= SAC_SOME && depth < 2 && wants_optional_words(g, 5)) {
        bool about = kind == SAC_TEXT_WORK && happens_with_percent(g, 50);
        g->words -= 1;
        phrase->preposition = word_pair_row(sac_prepositions, about ? "on" : "of");
        phrase->complement = add_phrase(
            g, about ? SAC_PLACE | SAC_ANIMAL | SAC_GROUP : SAC_ACTOR | SAC_PLACE, depth + 1);
    } else if (depth == 0 && kind & (SAC_LIVING | SAC_GROUP) && wants_optional_words(g, 6)) {
        g->words -= 1;
        phrase->relative = add_clause(g, index, kind, depth + 1);
    }
}

static int add_pronoun(growth *g)
{
    int index = g->tree->phrase_count++;
    g->tree->phrases[index] = (sac_noun_phrase){
        .pronoun = sac_rng_pick(&g->rng, sac_pronouns_count), .complement = -1, .relative = -1};
    g->words -= 1;
    return index;
}

/* ---------------------------------------------------------------- clauses */

static void add_place(growth *g, sac_clause *clause)
{
    if (!wants_optional_words(g, 3))
        return;
    if (clause->kind == SAC_PASSIVE || happens_with_percent(g, 35)) {
        clause->place_kind = SAC_AT_NAME;
        clause->place = sac_rng_pick(&g->rng, sac_named_places_count);
        g->words -= 2;
        return;
    }
    static const char *const where[] = {"in", "behind", "with", "without", "for", "towards"};
    int which = sac_rng_pick(&g->rng, 6);
    g->words -= 1;
    clause->place = add_phrase(g, which < 2 || which == 5 ? SAC_PLACE : SAC_LIVING, 1);
    clause->place_kind = clause->place >= 0 ? SAC_AT_PHRASE : SAC_NO_PLACE;
    clause->place_preposition = word_pair_row(sac_prepositions, where[which]);
}

static void add_time(growth *g, sac_clause *clause)
{
    if (!clause->past || !wants_optional_words(g, 2))
        return;
    clause->time_kind = (sac_time_kind)(1 + sac_rng_pick(&g->rng, SAC_YESTERDAY));
    clause->time_word = sac_rng_pick(&g->rng, 3); /* "since" asks for another tense */
    clause->month = sac_rng_pick(&g->rng, sac_word_pairs_count(sac_months));
    clause->year = sac_rng_pick(&g->rng, sac_word_pairs_count(sac_years));
    bool weekday = clause->time_kind == SAC_WEEKDAY;
    clause->day = sac_rng_pick(&g->rng, sac_word_pairs_count(weekday ? sac_weekdays : sac_days));
    g->words -= clause->time_kind == SAC_DATE ? 4 : 2;
}

/* "the king signs the law", "the king sleeps", "the king is happy". */
static void add_active(growth *g, sac_clause *clause, unsigned subject_kind, int depth)
{
    bool with_object =
        subject_kind & ~(unsigned)SAC_THING && g->words >= 4 && happens_with_percent(g, 65);
    clause->verb = pick_verb(g, subject_kind, with_object);
    g->words -= 2;
    clause->negated = wants_optional_words(g, 4) && happens_with_percent(g, 40);
    if (!clause->negated && wants_optional_words(g, 4) && happens_with_percent(g, 40))
        clause->adverb = sac_rng_pick(&g->rng, sac_word_pairs_count(sac_adverbs));
    g->words -= clause->negated ? 2 : clause->adverb >= 0;
    if (with_object)
        clause->object = add_phrase(g, sac_verbs[clause->verb].objects, depth);
}

/* A verb whose object such a subject can be. */
static void add_passive(growth *g, sac_clause *clause, unsigned subject_kind, int depth)
{
    do
        clause->verb = pick_verb(g, SAC_ACTOR | SAC_ANIMAL, true);
    while (!(sac_verbs[clause->verb].objects & subject_kind));
    g->words -= 2;
    if (wants_optional_words(g, 4))
        clause->object = add_phrase(g, sac_verbs[clause->verb].subjects, depth);
}

static void add_copula(growth *g, sac_clause *clause, unsigned subject_kind)
{
    clause->kind = SAC_COPULA;
    clause->adjective = -1;
    while (clause->adjective < 0) /* "economic" and the like do not describe people or things */
        clause->adjective =
            pick_adjective(g, subject_kind, (sac_adjective_order)sac_rng_pick(&g->rng, 3));
    g->words -= 2;
}

/* A clause about the phrase `subject`; −1 where the tree is full. A thing does little by itself. */
static int add_clause(growth *g, int subject, unsigned subject_kind, int depth)
{
    if (g->tree->clause_count == SAC_TREE_CLAUSES)
        return -1;
    int index = g->tree->clause_count++;
    sac_clause *clause = &g->tree->clauses[index];
    *clause = (sac_clause){
        .subject = subject, .object = -1, .adverb = -1, .past = happens_with_percent(g, 60)};
    bool acts = subject_kind & (SAC_LIVING | SAC_GROUP);
    bool is_pronoun = g->tree->phrases[subject].pronoun >= 0;
    if (happens_with_percent(g, 15)) {
        add_copula(g, clause, subject_kind);
    } else if (!acts || (!is_pronoun && happens_with_percent(g, 15))) {
        clause->kind = SAC_PASSIVE;
        add_passive(g, clause, subject_kind, depth);
    } else {
        add_active(g, clause, subject_kind, depth);
    }
    if (clause->kind != SAC_COPULA && depth == 0)
        add_place(g, clause);
    add_time(g, clause);
    return index;
}

/* ---------------------------------------------------------------- sentences */

static int add_subject_and_clause(growth *g)
{
    bool is_pronoun = happens_with_percent(g, 25);
    unsigned kinds = happens_with_percent(g, 60) ? SAC_LIVING | SAC_GROUP : SAC_ANYTHING;
    int subject = is_pronoun ? add_pronoun(g) : add_phrase(g, kinds, 0);
    if (subject < 0)
        return -1;
    unsigned kind = is_pronoun ? SAC_PERSON : sac_nouns[g->tree->phrases[subject].noun].kind;
    return add_clause(g, subject, kind, 0);
}

/* A tree of about `words` words; false where it came out larger than a tree can be. */
static bool grow_tree(growth *g, int words)
{
    sac_tree *tree = g->tree;
    *tree = (sac_tree){.second = -1};
    bool joined = words > 7 && happens_with_percent(g, words > 14 ? 60 : 30);
    g->words = joined ? words / 2 : words - 1;
    tree->main = add_subject_and_clause(g);
    if (joined) {
        g->words += words - words / 2 - 2;
        tree->conjunction = sac_rng_pick(&g->rng, sac_word_pairs_count(sac_conjunctions));
        tree->second = add_subject_and_clause(g);
    }
    return tree->main >= 0 && (!joined || tree->second >= 0);
}

/* A tree of exactly `words` words that is held out for this reason. */
static bool try_sentence(growth *g, int words, sac_held_out wanted, sac_sentence_pair *pair)
{
    if (!grow_tree(g, words) || !sac_sentence_write(g->tree, pair) || pair->source_count != words)
        return false;
    pair->held_out = held_out_reason(pair);
    return pair->held_out == wanted;
}

void sac_sentence_make(sac_text_stream stream, uint64_t seed, sac_sentence_pair *pair)
{
    static const sac_held_out reasons[] = {SAC_HELD_PAIR, SAC_HELD_LENGTH, SAC_HELD_SENTENCE};
    sac_tree tree;
    growth g = {{.seed = seed, .stream = (uint32_t)stream, .next = SENTENCE_PLACES}, &tree, 0};
    sac_held_out wanted = stream == SAC_TEXT_TRAINING ? SAC_HELD_NOT : reasons[seed % 3];
    int least = SAC_SENTENCE_LEAST, most = SAC_SENTENCE_TRAINED_MOST;
    if (wanted == SAC_HELD_LENGTH) {
        least = SAC_SENTENCE_TRAINED_MOST + 1;
        most = SAC_SENTENCE_MOST;
    } else if (wanted == SAC_HELD_PAIR) {
        least = 5; /* a noun, its article and adjective, a verb, the full stop */
    }
    int words = least + sac_rng_pick(&g.rng, most - least + 1);
    while (!try_sentence(&g, words, wanted, pair))
        ;
}

/* ---------------------------------------------------------------- the figure's sentence */

static sac_noun_phrase definite_noun_phrase(const char *noun)
{
    return (sac_noun_phrase){.pronoun = -1,
                             .determiner = SAC_THE,
                             .noun = sac_noun_find(noun),
                             .complement = -1,
                             .relative = -1};
}

void sac_sentence_make_for_figure(sac_sentence_pair *pair)
{
    sac_tree tree = {.phrase_count = 2, .clause_count = 1, .second = -1};
    tree.phrases[0] = definite_noun_phrase("agreement");
    tree.phrases[0].preposition = word_pair_row(sac_prepositions, "on");
    tree.phrases[0].complement = 1;
    tree.phrases[1] = definite_noun_phrase("area");
    tree.phrases[1].adjectives[0] = sac_adjective_find("european");
    tree.phrases[1].adjectives[1] = sac_adjective_find("economic");
    tree.phrases[1].adjective_count = 2;
    tree.clauses[0] = (sac_clause){.kind = SAC_PASSIVE,
                                   .object = -1,
                                   .verb = sac_verb_find("sign"),
                                   .adverb = -1,
                                   .past = true,
                                   .time_kind = SAC_MONTH_YEAR,
                                   .month = word_pair_row(sac_months, "august"),
                                   .year = word_pair_row(sac_years, "1992")};
    sac_sentence_write(&tree, pair);
    pair->held_out = held_out_reason(pair);
}
