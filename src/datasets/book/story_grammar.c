/* The grammar: each row has who can do what, to whom, and where. */

#include "story_grammar.h"
#include <string.h>

#include <stddef.h>

#include "colours.h"

#define N(noun) (UINT64_C(1) << SAC_##noun)
#define R(relation) (1u << SAC_##relation)
#define AT(spot) (1u << SAC_##spot)

enum {
    FIELDS = AT(MEADOW) | AT(HILLS) | AT(MOUNTAINS),
    WOODS = FIELDS | AT(FOREST),
    LAND = WOODS | AT(BEACH) | AT(IN_SNOW),
    ANY_SPOT = (1 << SAC_SPOTS) - 1,
    DAY = 1 << SAC_DAY,
    NIGHT = 1 << SAC_NIGHT,
    ANY_HOUR = (1 << SAC_HOURS) - 1,
    LIGHT = ANY_HOUR & ~NIGHT
};

#define FURRY (N(CAT) | N(DOG) | N(RABBIT))
#define FARM (N(COW) | N(SHEEP) | N(PIG) | N(FOX))
#define LOW (N(PIG) | N(FOX))
#define TALL (N(HOUSE) | N(CASTLE) | N(TREE) | N(FIR) | N(TENT))
#define TREES (N(FIR) | N(TREE))

typedef struct event {
    sac_verb verb;
    sac_pose pose;
    uint64_t who;
    int most; /* of them */
    unsigned relations;
    uint64_t whom;
    unsigned spots, hours;
} event;

static const event events[] = {
    {SAC_SAIL, SAC_POSE_REST, N(BOAT), 3, R(ALONE), 0, AT(SEA), ANY_HOUR},
    {SAC_SAIL, SAC_POSE_REST, N(BOAT), 2, R(ALONE), 0, AT(SEA), ANY_HOUR},
    {SAC_FLY, SAC_POSE_FLY, N(BIRD), 3, R(ALONE) | R(OVER), TALL | N(BOAT) | N(FENCE) | N(COW),
     ANY_SPOT, ANY_HOUR},
    {SAC_FLY, SAC_POSE_FLY, N(BUTTERFLY), 3, R(OVER), N(FLOWER) | N(FENCE) | N(BENCH) | N(MUSHROOM),
     WOODS, DAY},
    {SAC_FLY, SAC_POSE_REST, N(PLANE) | N(ROCKET), 2, R(ALONE) | R(OVER),
     TALL | N(BOAT) | N(LIGHTHOUSE) | N(BUS), ANY_SPOT, ANY_HOUR},
    {SAC_FLY, SAC_POSE_HOLD, N(CHILD), 1, R(DIRECT), N(KITE), LAND & ~AT(FOREST), ANY_HOUR},
    {SAC_FLY, SAC_POSE_HOLD, N(CHILD), 1, R(DIRECT), N(KITE), LAND & ~AT(FOREST), LIGHT},
    {SAC_HOLD, SAC_POSE_HOLD, N(CHILD), 1, R(DIRECT), N(BALLOON) | N(UMBRELLA), LAND | AT(STREET),
     ANY_HOUR},
    {SAC_SIT, SAC_POSE_SIT, N(BIRD), 1, R(ON_ROOF), N(HOUSE), LAND | AT(STREET), ANY_HOUR},
    {SAC_SIT, SAC_POSE_SIT, N(BIRD) | N(CAT), 2, R(ON), N(FENCE) | N(BENCH), LAND | AT(STREET),
     ANY_HOUR},
    {SAC_SIT, SAC_POSE_SIT, FURRY, 2, R(UNDER) | R(FRONT) | R(BESIDE),
     TALL | N(FENCE) | N(SNOWMAN) | N(LAMP) | N(MUSHROOM), LAND | AT(STREET), ANY_HOUR},
    {SAC_SLEEP, SAC_POSE_SLEEP, N(CAT) | N(DOG), 1, R(UNDER) | R(FRONT) | R(BESIDE) | R(ON),
     TALL | N(FENCE) | N(BENCH), LAND | AT(STREET), ANY_HOUR},
    {SAC_RUN, SAC_POSE_RUN, N(DOG) | N(CHILD), 1, R(AFTER),
     N(BALL) | N(RABBIT) | N(CHILD) | N(DUCK) | N(DOG), LAND | AT(STREET), ANY_HOUR},
    {SAC_JUMP, SAC_POSE_RUN, N(RABBIT) | N(DOG) | N(CHILD), 1, R(OVER),
     N(FLOWER) | N(MUSHROOM) | N(BALL) | N(FENCE), LAND, ANY_HOUR},
    {SAC_JUMP, SAC_POSE_REST, FARM, 1, R(OVER), N(FLOWER) | N(MUSHROOM) | N(BALL) | N(FENCE),
     FIELDS | AT(FOREST) | AT(IN_SNOW), ANY_HOUR},
    {SAC_STAND, SAC_POSE_REST, FARM, 3, R(FRONT) | R(BESIDE) | R(BETWEEN) | R(BEHIND),
     TALL | N(FENCE) | N(BENCH), FIELDS | AT(FOREST) | AT(IN_SNOW), ANY_HOUR},
    {SAC_STAND, SAC_POSE_REST, N(CHILD) | N(SNOWMAN), 2,
     R(FRONT) | R(BESIDE) | R(BETWEEN) | R(BEHIND) | R(UNDER),
     TALL | N(FENCE) | N(BENCH) | N(SNOWMAN) | N(LAMP) | N(LIGHTHOUSE) | N(COW), LAND | AT(STREET),
     ANY_HOUR},
    {SAC_STAND, SAC_POSE_REST, N(HOUSE) | N(CASTLE) | N(TENT) | N(LIGHTHOUSE) | N(LAMP), 1,
     R(ALONE) | R(LEFT) | R(RIGHT) | R(BETWEEN), TREES | N(HOUSE) | N(CAR) | N(BUS),
     LAND | AT(STREET), ANY_HOUR},
    {SAC_STAND, SAC_POSE_REST, TREES, 3, R(ALONE), 0, WOODS | AT(STREET) | AT(IN_SNOW), ANY_HOUR},
    {SAC_DRIVE, SAC_POSE_REST, N(CAR) | N(BUS) | N(TRUCK), 2, R(ALONE) | R(FRONT),
     TREES | N(LAMP) | N(HOUSE), AT(STREET), ANY_HOUR},
    {SAC_DRIVE, SAC_POSE_REST, N(CAR) | N(BUS) | N(TRUCK), 2, R(ALONE) | R(FRONT), N(LAMP),
     AT(STREET), ANY_HOUR},
    {SAC_ROLL, SAC_POSE_REST, N(TRAIN), 1, R(ALONE), 0, WOODS | AT(IN_SNOW), ANY_HOUR},
    {SAC_SWIM, SAC_POSE_REST, N(FISH) | N(DUCK) | N(WHALE), 3, R(ALONE) | R(BESIDE) | R(UNDER),
     N(BOAT), AT(SEA), ANY_HOUR},
    {SAC_SHINE, SAC_POSE_REST, N(SUN), 1, R(ALONE) | R(OVER), TALL | N(BOAT) | N(LIGHTHOUSE),
     ANY_SPOT, DAY},
    {SAC_SHINE, SAC_POSE_REST, N(MOON) | N(STAR), 3, R(ALONE) | R(OVER),
     TALL | N(BOAT) | N(LIGHTHOUSE), ANY_SPOT, NIGHT},
    {SAC_GROW, SAC_POSE_REST, N(FLOWER) | N(MUSHROOM), 3,
     R(ALONE) | R(UNDER) | R(FRONT) | R(BESIDE), N(TREE) | N(HOUSE) | N(FENCE) | N(BENCH), WOODS,
     ANY_HOUR},
    {SAC_HANG, SAC_POSE_REST, N(APPLE), 3, R(IN), N(TREE), FIELDS | AT(FOREST) | AT(STREET),
     ANY_HOUR},
    {SAC_FLOAT, SAC_POSE_REST, N(BALLOON) | N(CLOUD), 3, R(ALONE) | R(OVER),
     TALL | N(LIGHTHOUSE) | N(BOAT) | N(BENCH), ANY_SPOT, ANY_HOUR},
    {SAC_FALL, SAC_POSE_REST, 0, 0, R(ON), TALL | N(CHILD) | N(COW) | N(BOAT) | N(CAR) | N(LAMP),
     ANY_SPOT, ANY_HOUR},
    {SAC_LIE, SAC_POSE_REST, N(BALL), 2, R(UNDER) | R(FRONT) | R(LEFT) | R(RIGHT),
     TALL | N(FENCE) | N(BENCH), LAND | AT(STREET), ANY_HOUR},
    {SAC_PLAY, SAC_POSE_REST, N(CHILD), 1, R(WITH), N(BALL) | N(DOG) | N(CAT), LAND | AT(STREET),
     ANY_HOUR},
    {SAC_WALK, SAC_POSE_RUN, N(DUCK), 3, R(ALONE) | R(BESIDE) | R(FRONT),
     N(CHILD) | N(HOUSE) | N(FENCE), FIELDS | AT(BEACH) | AT(STREET), ANY_HOUR},
};

/* Where each noun may be: what is not named here, on land and on the street; what flies, anywhere.
 */
static unsigned possible_spots_of_noun(sac_noun noun)
{
    static const uint8_t spots[SAC_NOUNS] = {
        [SAC_FIR] = WOODS | AT(STREET) | AT(IN_SNOW),
        [SAC_TREE] = WOODS | AT(STREET) | AT(IN_SNOW),
        [SAC_FLOWER] = WOODS,
        [SAC_MUSHROOM] = WOODS,
        [SAC_APPLE] = WOODS | AT(STREET),
        [SAC_HOUSE] = LAND | AT(STREET),
        [SAC_LIGHTHOUSE] = AT(BEACH) | AT(HILLS),
        [SAC_FENCE] = WOODS | AT(IN_SNOW),
        [SAC_CASTLE] = WOODS | AT(IN_SNOW),
        [SAC_TENT] = WOODS | AT(BEACH),
        [SAC_LAMP] = AT(STREET) | AT(IN_SNOW),
        [SAC_BENCH] = FIELDS | AT(STREET) | AT(BEACH) | AT(IN_SNOW),
        [SAC_CAR] = AT(STREET),
        [SAC_BUS] = AT(STREET),
        [SAC_TRUCK] = AT(STREET),
        [SAC_BOAT] = AT(SEA),
        [SAC_FISH] = AT(SEA),
        [SAC_WHALE] = AT(SEA),
        [SAC_DUCK] = ANY_SPOT,
        [SAC_COW] = FIELDS | AT(IN_SNOW),
        [SAC_SNOWMAN] = AT(IN_SNOW),
    };
    bool flies = noun <= SAC_BALLOON || noun == SAC_BIRD;
    return spots[noun] ? spots[noun] : flies ? ANY_SPOT : LAND | AT(STREET);
}

/* ---------------------------------------------------------------- held back */

static bool noun_colour_is_held_out(sac_noun noun, int colour)
{
    static const int8_t pairs[][2] = {
        {SAC_KITE, SAC_GREEN},    {SAC_BALLOON, SAC_BLUE}, {SAC_HOUSE, SAC_PINK},
        {SAC_CAR, SAC_YELLOW},    {SAC_BUS, SAC_PURPLE},   {SAC_BOAT, SAC_RED},
        {SAC_BIRD, SAC_ORANGE},   {SAC_CAT, SAC_GREY},     {SAC_DOG, SAC_BLACK},
        {SAC_FLOWER, SAC_PURPLE}, {SAC_BALL, SAC_YELLOW},  {SAC_UMBRELLA, SAC_RED},
        {SAC_PLANE, SAC_GREEN},   {SAC_RABBIT, SAC_BROWN}, {SAC_TENT, SAC_BLUE},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] == (int)noun && pairs[i][1] == colour)
            return true;
    return false;
}

/* The noun is seen in training doing something else in the same pose, and the verb done by others.
 */
static bool noun_verb_is_held_out(sac_noun noun, sac_verb verb)
{
    return noun == SAC_DOG && verb == SAC_JUMP;
}

static bool noun_spot_is_held_out(sac_noun noun, sac_spot spot)
{
    return (noun == SAC_COW && spot == SAC_IN_SNOW) || (noun == SAC_FOX && spot == SAC_FOREST) ||
           (noun == SAC_CHILD && spot == SAC_MOUNTAINS) ||
           (noun == SAC_TREE && spot == SAC_STREET) || (noun == SAC_TENT && spot == SAC_BEACH) ||
           (noun == SAC_TRAIN && spot == SAC_HILLS) || (noun == SAC_PLANE && spot == SAC_SEA) ||
           (noun == SAC_CAT && spot == SAC_FOREST);
}

static bool is_mentioned(const sac_tale *tale, int index)
{
    return index < 2 ? index < tale->groups && tale->group[index].count : tale->has_tail;
}

bool sac_tale_has_unseen_pair(const sac_tale *tale)
{
    for (int i = 0; i < SAC_BOOK_GROUPS; i++) {
        const sac_group *group = &tale->group[i];
        sac_verb verb = i < 2 ? tale->verb : tale->tail_verb;
        bool held_colour = !group->nameless && noun_colour_is_held_out(group->noun, group->colour);
        if (is_mentioned(tale, i) &&
            (held_colour || (i != 1 && noun_verb_is_held_out(group->noun, verb)) ||
             noun_spot_is_held_out(group->noun, tale->spot)))
            return true;
    }
    return false;
}

/* ---------------------------------------------------------------- choices */

/* One of the `count` bits that are set in `bits`; −1: none is. */
static int pick_bit(sac_rng *rng, uint64_t bits)
{
    int count = 0, left;
    for (uint64_t rest = bits; rest; rest &= rest - 1)
        count++;
    if (count == 0)
        return -1;
    left = sac_rng_pick(rng, count);
    for (int bit = 0;; bit++)
        if (bits >> bit & 1 && left-- == 0)
            return bit;
}

/* The nouns of `nouns` that may be at `spot`. */
static uint64_t nouns_possible_at_spot(uint64_t nouns, sac_spot spot)
{
    uint64_t found = 0;
    for (int noun = 0; noun < SAC_NOUNS; noun++)
        if (nouns >> noun & 1 && possible_spots_of_noun((sac_noun)noun) >> spot & 1)
            found |= UINT64_C(1) << noun;
    return found;
}

/* What makes sense with a relation, out of `whom`. */
static uint64_t nouns_fitting_relation(sac_relation relation, uint64_t whom, uint64_t who)
{
    const uint64_t broad = N(HOUSE) | N(CASTLE) | N(TENT) | N(FENCE) | N(LIGHTHOUSE) | N(TREE);
    switch (relation) {
    case SAC_UNDER:
        return whom & (N(TREE) | N(BOAT));
    case SAC_FRONT:
        return whom & (who & (N(CAR) | N(BUS) | N(TRUCK)) ? whom : broad & ~N(TREE));
    case SAC_BEHIND:
        return whom & (N(FENCE) | N(BENCH));
    case SAC_BETWEEN:
        return whom & TREES;
    case SAC_ON:
        return whom & ~(who ? TALL : 0);
    case SAC_BESIDE:
        return whom & ~(N(FENCE) | N(CASTLE));
    default:
        return whom;
    }
}

/* There is never more than one. */
static bool is_single(sac_noun noun)
{
    return noun == SAC_SUN || noun == SAC_MOON || noun == SAC_LIGHTHOUSE || noun == SAC_WHALE ||
           noun == SAC_ROCKET;
}

static void pick_group(sac_rng *rng, sac_noun noun, sac_pose pose, int most, sac_group *group)
{
    unsigned colours = sac_noun_colours(noun);
    *group = (sac_group){.noun = noun, .pose = pose, .count = 1};
    group->colour = colours ? sac_colour_pick_from_bits(rng, colours) : SAC_UNNAMED;
    if (most > 1 && sac_rng_pick(rng, 2))
        group->count = 2 + sac_rng_pick(rng, most - 1);
    if (is_single(noun))
        group->count = 1;
}

/* The pose of one that something is done to. */
static sac_pose pose_of_other(sac_relation relation, sac_noun noun)
{
    bool runs = relation == SAC_AFTER &&
                (noun == SAC_RABBIT || noun == SAC_CHILD || noun == SAC_DUCK || noun == SAC_DOG);
    if (runs)
        return SAC_POSE_RUN;
    return noun == SAC_DOG || noun == SAC_CAT ? SAC_POSE_SIT : SAC_POSE_REST;
}

/* Whom it may be done to; none behind what would hide all of who does it. */
static uint64_t possible_partner_nouns(const event *from, const sac_tale *tale)
{
    uint64_t whom = nouns_fitting_relation(tale->relation, from->whom, from->who);
    uint64_t own = tale->group[0].count ? UINT64_C(1) << tale->group[0].noun : 0;
    if (tale->relation == SAC_BEHIND && own & LOW)
        return 0;
    return nouns_possible_at_spot(whom & ~own, tale->spot);
}

static bool pick_other_group(sac_rng *rng, const event *from, sac_tale *tale)
{
    int noun = pick_bit(rng, possible_partner_nouns(from, tale));
    if (noun < 0)
        return false;
    pick_group(rng, (sac_noun)noun, pose_of_other(tale->relation, (sac_noun)noun), 1,
               &tale->group[1]);
    if (tale->relation == SAC_BETWEEN)
        tale->group[1].count = 2;
    tale->groups = 2;
    return true;
}

/* How many there may be of who does it. */
static int group_count_limit(const event *from, const sac_tale *tale)
{
    bool one = tale->relation == SAC_BEHIND || tale->relation == SAC_BETWEEN ||
               (tale->verb == SAC_DRIVE && tale->relation == SAC_FRONT);
    return one ? 1 : from->most;
}

static bool pick_event_tale(sac_rng *rng, const event *from, sac_tale *tale)
{
    int who = -1;
    *tale = (sac_tale){.verb = from->verb, .groups = 1};
    tale->spot = (sac_spot)pick_bit(rng, from->spots);
    int hour = sac_rng_pick(rng, 4); /* half of them by day */
    tale->hour = hour < 2 ? SAC_DAY : (sac_hour)(hour - 1);
    if (!(from->hours >> tale->hour & 1))
        return false;
    tale->relation = (sac_relation)pick_bit(rng, from->relations);
    if (from->who && (who = pick_bit(rng, nouns_possible_at_spot(from->who, tale->spot))) < 0)
        return false;
    if (from->who)
        pick_group(rng, (sac_noun)who, from->pose, group_count_limit(from, tale), &tale->group[0]);
    else
        tale->group[0].noun = SAC_NOUNS; /* snow or rain */
    return tale->relation == SAC_ALONE || pick_other_group(rng, from, tale);
}

/* What else is in the sky. */
static const struct tail {
    sac_verb verb;
    uint64_t who;
    sac_pose pose;
    int most;
    unsigned hours;
} tails[] = {
    {SAC_SHINE, N(SUN), SAC_POSE_REST, 1, DAY},    {SAC_SHINE, N(MOON), SAC_POSE_REST, 1, NIGHT},
    {SAC_SHINE, N(STAR), SAC_POSE_REST, 3, NIGHT}, {SAC_FLOAT, N(CLOUD), SAC_POSE_REST, 2, LIGHT},
    {SAC_FLY, N(BIRD), SAC_POSE_FLY, 2, LIGHT},    {SAC_FLY, N(PLANE), SAC_POSE_REST, 1, LIGHT},
};

/* What happens in the sky leaves it to no other. */
static bool has_free_sky(const sac_tale *tale)
{
    return tale->verb != SAC_SHINE && tale->verb != SAC_FLOAT && tale->verb != SAC_FALL;
}

static void pick_tail(sac_rng *rng, sac_tale *tale)
{
    int row = sac_rng_pick(rng, (int)(sizeof tails / sizeof *tails));
    if (!(tails[row].hours >> tale->hour & 1))
        return;
    pick_group(rng, (sac_noun)pick_bit(rng, tails[row].who), tails[row].pose, tails[row].most,
               &tale->group[2]);
    tale->tail_verb = tails[row].verb;
    tale->has_tail = tale->group[2].noun != tale->group[0].noun;
}

/* ---------------------------------------------------------------- what can be described */

static bool is_group_possible(const sac_group *group, uint64_t nouns, int most)
{
    bool named = group->colour != SAC_UNNAMED;
    return nouns >> group->noun & 1 && group->count <= (is_single(group->noun) ? 1 : most) &&
           named == (sac_noun_colours(group->noun) != 0);
}

static bool event_matches_tale(const event *from, const sac_tale *tale)
{
    const sac_group *who = &tale->group[0], *other = &tale->group[1];
    int others = tale->relation == SAC_BETWEEN ? 2 : 1;
    if (from->verb != tale->verb || !(from->spots >> tale->spot & 1) ||
        !(from->hours >> tale->hour & 1) || !(from->relations >> tale->relation & 1))
        return false;
    if (from->who ? who->noun == SAC_NOUNS ||
                        !is_group_possible(who, nouns_possible_at_spot(from->who, tale->spot),
                                           group_count_limit(from, tale))
                  : who->noun != SAC_NOUNS)
        return false;
    return tale->relation == SAC_ALONE ||
           (other->count == others &&
            is_group_possible(other, possible_partner_nouns(from, tale), others));
}

static bool is_tail_possible(const sac_tale *tale)
{
    const sac_group *group = &tale->group[2];
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++)
        if (tails[i].verb == tale->tail_verb && tails[i].hours >> tale->hour & 1 &&
            is_group_possible(group, tails[i].who, tails[i].most))
            return has_free_sky(tale) && group->noun != tale->group[0].noun;
    return false;
}

bool sac_tale_is_possible(const sac_tale *tale)
{
    if (tale->has_tail && !is_tail_possible(tale))
        return false;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (event_matches_tale(&events[i], tale))
            return true;
    return false;
}

/* ---------------------------------------------------------------- tales */

/* Returns the group at `index` if the caption mentions its colour and it is not clouds; else
 * NULL. */
static sac_group *coloured_group(sac_tale *tale, int index)
{
    sac_group *group = &tale->group[index];
    bool is_coloured = sac_noun_colours(group->noun) && group->noun != SAC_CLOUD;
    return is_mentioned(tale, index) && is_coloured ? group : NULL;
}

void sac_tale_recolour(sac_rng *rng, sac_tale *tale)
{
    for (int i = 0; i < SAC_BOOK_GROUPS; i++) {
        sac_group *group = coloured_group(tale, i);
        if (group)
            group->colour = sac_rng_pick(rng, SAC_BOOK_COLOURS);
    }
}

/* What holds or bears something has to be what it is. */
static bool may_be_nameless(const sac_tale *tale, int index)
{
    sac_relation relation = tale->relation;
    return index == 2 || (relation != SAC_DIRECT && relation != SAC_IN && relation != SAC_ON &&
                          relation != SAC_ON_ROOF);
}

static void leave_group_unmentioned(sac_rng *rng, sac_group *group, bool may_be_nameless)
{
    group->odd = sac_rng_pick(rng, 2);
    if (sac_rng_pick(rng, 5) < 3) {
        group->colour = SAC_UNMENTIONED;
    } else if (may_be_nameless && sac_rng_pick(rng, 3) == 0) {
        group->nameless = true;
        group->colour = sac_rng_pick(rng, SAC_BOOK_COLOURS);
    }
}

void sac_tale_unmention(sac_rng *rng, sac_tale *tale)
{
    for (int i = 0; i < SAC_BOOK_GROUPS; i++) {
        sac_group *group = coloured_group(tale, i);
        if (group)
            leave_group_unmentioned(rng, group, may_be_nameless(tale, i));
    }
    sac_group *other = &tale->group[1];
    if (tale->verb == SAC_PLAY && other->noun == SAC_DOG && sac_rng_pick(rng, 2))
        other->pose = SAC_POSE_RUN;
}

void sac_tale_pick(sac_rng *rng, sac_tale *tale)
{
    int word[SAC_BOOK_WORDS];
    sac_referent of[SAC_BOOK_WORDS];
    do {
        const event *from = &events[sac_rng_pick(rng, (int)(sizeof events / sizeof *events))];
        if (!pick_event_tale(rng, from, tale))
            continue;
        if (has_free_sky(tale) && sac_rng_pick(rng, 5) < 3)
            pick_tail(rng, tale);
        if (tale->has_tail && sac_tale_caption(tale, word, of) > SAC_BOOK_WORDS)
            tale->has_tail = false;
        if (sac_tale_caption(tale, word, of) <= SAC_BOOK_WORDS)
            return;
    } while (true);
}

/* ---------------------------------------------------------------- sentences, parsed */

/* The words are read back into a scene's content; they are a sentence if that content can be drawn and is
 * described by the same words. */

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

static bool tale_has_words(const sac_tale *tale, const int *word, int count)
{
    int words[SAC_BOOK_WORDS];
    sac_referent of[SAC_BOOK_WORDS];
    return sac_tale_caption(tale, words, of) == count + 1 && count < SAC_BOOK_WORDS &&
           memcmp(words, word, (size_t)count * sizeof *word) == 0;
}

bool sac_book_sentence_is_valid(const int *word, int count)
{
    sac_tale tale;
    if (!read_tale(word, count, &tale))
        return false;
    for (int i = 0; i < SAC_RELATIONS; i++) {
        tale.relation = (sac_relation)i;
        if ((tale.relation == SAC_ALONE) == (tale.groups == 1) &&
            tale_has_words(&tale, word, count) && sac_tale_is_possible(&tale))
            return true;
    }
    return false;
}
