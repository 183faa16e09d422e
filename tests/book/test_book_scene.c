/* Scenes of the picture book: their sentences read anew from text alone, and held against the
 * boxes. */

#include "book/scene.h"
#include "status.h"
#include "test.h"

enum { SCENES = 3000, PICTURES = 24 };

/* ---------------------------------------------------------------- reading a sentence */

/* A noun phrase: its words' places in the sentence. */
typedef struct phrase {
    int from, noun; /* the first word and the last */
    int count;
    const char *colour; /* NULL: none */
} phrase;

typedef struct reading {
    char word[SAC_BOOK_WORDS][16];
    int words, at;
    phrase who, whom, tail;
    const char *verb;
    char relation[32], place[16], hour[16];
    bool has_whom, has_tail, roof;
} reading;

static bool is_one_of(const char *word, const char *list)
{
    char padded[40];
    snprintf(padded, sizeof padded, " %s ", word);
    return strstr(list, padded) != NULL;
}

static bool next_is(reading *r, const char *text)
{
    bool is = r->at < r->words && strcmp(r->word[r->at], text) == 0;
    r->at += is;
    return is;
}

static const char *const colours =
    " red orange yellow green blue purple pink white black brown grey ";
static const char *const several =
    " stars clouds planes rockets kites balloons firs trees flowers mushrooms apples houses "
    "lighthouses "
    "fences castles tents lamps benches cars buses trucks trains boats birds fish cats dogs "
    "rabbits "
    "ducks cows sheep pigs foxes whales butterflies children snowmen balls umbrellas ";
static const char *const one = " sun moon star cloud plane rocket kite balloon fir tree flower "
                               "mushroom apple house lighthouse "
                               "fence castle tent lamp bench car bus truck train boat bird fish "
                               "cat dog rabbit duck cow sheep pig "
                               "fox whale butterfly child snowman ball umbrella rain snow ";

static void read_phrase(reading *r, phrase *p)
{
    *p = (phrase){.from = r->at, .count = 1};
    const char *first = r->word[r->at];
    if (is_one_of(first, " two three ")) {
        p->count = strcmp(first, "two") == 0 ? 2 : 3;
        r->at++;
    } else if (is_one_of(first, " a an ")) {
        r->at++;
        assert_int_equal(strcmp(first, "an") == 0, strchr("aeiou", r->word[r->at][0]) != NULL);
    } else if (!is_one_of(first, " rain snow ")) {
        assert_true(next_is(r, "the"));
        assert_true(is_one_of(r->word[r->at], " sun moon "));
    }
    if (is_one_of(r->word[r->at], colours))
        p->colour = r->word[r->at++];
    p->noun = r->at;
    assert_true(is_one_of(r->word[r->at++], p->count > 1 ? several : one));
}

static void read_verb(reading *r, const phrase *who, const char **verb)
{
    static const char *const verbs = " sail fly hold sit sleep run jump stand drive roll swim "
                                     "shine grow hang float fall lie play "
                                     "walk ";
    static const char *const singular = " sails flies holds sits sleeps runs jumps stands drives "
                                        "rolls swims shines grows hangs floats "
                                        "falls lies plays walks ";
    *verb = r->word[r->at++];
    assert_true(is_one_of(*verb, who->count > 1 ? verbs : singular));
}

static bool read_place(reading *r)
{
    static const char *const places = " meadow hills sea beach street forest snow mountains ";
    int from = r->at;
    if (is_one_of(r->word[r->at], " in on over through ") &&
        is_one_of(r->word[r->at + 1], " a the ") && is_one_of(r->word[r->at + 2], places)) {
        snprintf(r->place, sizeof r->place, "%s", r->word[r->at + 2]);
        r->at += 3;
        return true;
    }
    r->at = from;
    return false;
}

static void read_relation(reading *r)
{
    char *text = r->relation;
    if (next_is(r, "on")) {
        r->roof = next_is(r, "the") && next_is(r, "roof") && next_is(r, "of");
        strcpy(text, "on");
    } else if (next_is(r, "left") || next_is(r, "right")) {
        strcpy(text, r->word[r->at - 1]);
        assert_true(next_is(r, "of"));
    } else if (next_is(r, "in")) {
        strcpy(text, next_is(r, "front") ? "front" : "in");
        assert_true(strcmp(text, "in") == 0 || next_is(r, "of"));
    } else if (is_one_of(r->word[r->at], " under over beside behind between after with ")) {
        strcpy(text, r->word[r->at++]);
    }
}

/* Reads the sentence by the grammar; a test fails where it is none. */
static void read_sentence(const sac_book_scene *scene, reading *r)
{
    *r = (reading){.words = scene->words - 1};
    for (int i = 0; i < r->words; i++)
        snprintf(r->word[i], sizeof r->word[i], "%s", sac_book_word_text(scene->word[i]));
    read_phrase(r, &r->who);
    read_verb(r, &r->who, &r->verb);
    if (!read_place(r)) {
        read_relation(r);
        read_phrase(r, &r->whom);
        r->has_whom = true;
        assert_true(read_place(r));
    }
    if (next_is(r, "at")) {
        assert_true(is_one_of(r->word[r->at], " night sunset "));
        strcpy(r->hour, r->word[r->at++]);
    }
    if (next_is(r, "and")) {
        const char *verb;
        r->has_tail = true;
        read_phrase(r, &r->tail);
        read_verb(r, &r->tail, &verb);
    }
    assert_int_equal(r->at, r->words);
}

TEST(every_sentence_follows_the_grammar)
{
    for (int i = 0; i < SCENES; i++) {
        sac_book_scene scene;
        reading r;
        sac_book_make((sac_stream)(i % 2), (uint64_t)i, &scene);
        assert_in_range(scene.words, 5, SAC_BOOK_WORDS);
        assert_int_equal(scene.word[scene.words - 1], SAC_TALE_END);
        read_sentence(&scene, &r);
    }
}

/* ---------------------------------------------------------------- boxes */

static float x_of(const float *box)
{
    return (box[0] + box[2]) / 2;
}

static float y_of(const float *box)
{
    return (box[1] + box[3]) / 2;
}

/* Length in common, below 0: the gap. */
static float common(float a0, float a1, float b0, float b1)
{
    return (a1 < b1 ? a1 : b1) - (a0 > b0 ? a0 : b0);
}

/* True where the relation is true of boxes `a` and `b`; `c` is the other of two. */
static bool holds(const char *relation, const float *a, const float *b, const float *c)
{
    float wide = common(a[0], a[2], b[0], b[2]), high = common(a[1], a[3], b[1], b[3]);
    if (strcmp(relation, "over") == 0)
        return wide > 0 && a[3] <= b[1] + 0.05f;
    if (strcmp(relation, "under") == 0)
        return wide > 0 && y_of(a) > y_of(b);
    if (strcmp(relation, "left") == 0)
        return wide <= 0.01f && x_of(a) < x_of(b);
    if (strcmp(relation, "right") == 0)
        return wide <= 0.01f && x_of(a) > x_of(b);
    if (strcmp(relation, "beside") == 0)
        return wide <= 0.01f && high > 0;
    if (strcmp(relation, "behind") == 0)
        return wide > 0 && high > 0 && a[3] < b[3] && a[1] < b[1];
    if (strcmp(relation, "front") == 0)
        return wide > 0 && a[3] > b[3];
    if (strcmp(relation, "between") == 0)
        return (x_of(b) < x_of(a)) != (x_of(c) < x_of(a));
    if (strcmp(relation, "in") == 0)
        return a[0] >= b[0] && a[2] <= b[2] && a[1] >= b[1] && a[3] <= b[3];
    if (strcmp(relation, "on") == 0)
        return wide > 0 && a[3] > b[1] && a[3] < b[3] && a[1] < b[1] + 0.3f * (b[3] - b[1]);
    if (strcmp(relation, "after") == 0)
        return wide < 0 && high > 0;
    return true; /* with, and what is held: below */
}

static void check_relation(const sac_book_scene *scene, const reading *r)
{
    const sac_look *who = &scene->look[r->who.noun], *whom = &scene->look[r->whom.noun];
    assert_int_equal(who->count, r->who.count);
    assert_int_equal(whom->count, r->whom.count);
    bool whole_group = is_one_of(r->relation, " over under front ");
    bool any = false, all = true;
    for (int i = 0; i < who->count; i++) {
        bool one_holds = holds(r->relation, who->box[i], whom->box[0], whom->box[whom->count - 1]);
        any |= one_holds;
        all &= one_holds;
    }
    /* A row that is over, under or before something may reach beyond it. */
    bool beside = strcmp(r->relation, "beside") == 0;
    assert_true(whole_group || beside ? any || beside : all);
    for (int i = 0; beside && i < who->count; i++)
        assert_true(common(who->box[i][0], who->box[i][2], whom->box[0][0], whom->box[0][2]) <
                    0.01f);
}

/* What is held touches the one who holds it; a string leads from a child to its kite. */
static void check_held(const sac_book_scene *scene, const reading *r)
{
    const float *child = scene->look[r->who.noun].box[0];
    const float *held = scene->look[r->whom.noun].box[0];
    if (strcmp(r->verb, "flies") == 0) {
        const float *string = scene->look[r->who.noun + 1].box[0];
        assert_true(common(string[0], string[2], child[0], child[2]) >= -0.001f);
        assert_true(common(string[0], string[2], held[0], held[2]) >= -0.001f);
        assert_true(string[3] > child[1] && string[1] < held[3]);
        assert_true(held[3] < child[3]);
    } else {
        assert_true(common(child[0], child[2], held[0], held[2]) > -0.02f);
        assert_true(common(child[1], child[3], held[1], held[3]) > 0);
    }
}

/* What has to be in the air is there, and what stands has its feet on the ground. */
static void check_height(const sac_book_scene *scene, const reading *r)
{
    const float *ground = NULL;
    for (int i = 0; i < r->words; i++)
        if (strcmp(r->word[i], r->place) == 0)
            ground = scene->look[i].box[0];
    assert_non_null(ground);
    for (int i = 0; i < scene->look[r->who.noun].count; i++) {
        const float *box = scene->look[r->who.noun].box[i];
        if (is_one_of(r->verb, " shines shine ") ||
            (is_one_of(r->verb, " flies fly floats float ") && !r->has_whom))
            assert_true(y_of(box) < ground[1] + 0.05f);
        else if (!is_one_of(r->verb, " flies fly floats float jumps hangs hang "))
            assert_true(box[3] > ground[1] - 0.02f ||
                        (r->has_whom && strcmp(r->relation, "on") == 0));
    }
}

TEST(verbs_and_relations_are_true_of_the_boxes)
{
    for (int i = 0; i < SCENES; i++) {
        sac_book_scene scene;
        reading r;
        sac_book_make((sac_stream)(i % 2), (uint64_t)(i + 5000), &scene);
        read_sentence(&scene, &r);
        bool weather = is_one_of(r.verb, " falls ");
        if (!weather)
            check_height(&scene, &r);
        if (r.has_whom && !weather && *r.relation)
            check_relation(&scene, &r);
        if (r.has_whom && !weather && !*r.relation)
            check_held(&scene, &r);
    }
}

TEST(every_word_has_a_place_in_the_picture_to_look_at)
{
    for (int i = 0; i < SCENES; i++) {
        sac_book_scene scene;
        sac_book_make((sac_stream)(i % 2), (uint64_t)(i + 9000), &scene);
        for (int t = 0; t < SAC_BOOK_WORDS; t++) {
            assert_int_equal(scene.look[t].count > 0, t < scene.words - 1);
            for (int k = 0; k < scene.look[t].count; k++) {
                const float *box = scene.look[t].box[k];
                assert_true(box[0] >= 0 && box[1] >= 0 && box[2] <= 1 && box[3] <= 1);
                assert_true(box[0] < box[2] && box[1] < box[3]);
            }
        }
    }
}

/* ---------------------------------------------------------------- held back */

/* The pairs, written down once more. */
static bool is_unseen(const char *noun, const char *other)
{
    static const char *const pairs[][2] = {
        {"kite", "green"},  {"balloon", "blue"},  {"house", "pink"},      {"car", "yellow"},
        {"bus", "purple"},  {"boat", "red"},      {"bird", "orange"},     {"cat", "grey"},
        {"dog", "black"},   {"flower", "purple"}, {"ball", "yellow"},     {"umbrella", "red"},
        {"plane", "green"}, {"rabbit", "brown"},  {"tent", "blue"},       {"dog", "jump"},
        {"cow", "snow"},    {"fox", "forest"},    {"child", "mountains"}, {"tree", "street"},
        {"tent", "beach"},  {"train", "hills"},   {"plane", "sea"},       {"cat", "forest"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        size_t length = strlen(pairs[i][0]);
        bool noun_is = strncmp(noun, pairs[i][0], length) == 0 &&
                       (!noun[length] || is_one_of(noun + length, " s es ren "));
        if (noun_is && strncmp(other, pairs[i][1], strlen(pairs[i][1])) == 0)
            return true;
    }
    return false;
}

static bool has_unseen(const reading *r)
{
    const phrase *all[] = {&r->who, &r->whom, &r->tail};
    const bool is_there[] = {true, r->has_whom, r->has_tail};
    for (int i = 0; i < 3; i++) {
        const char *noun = r->word[all[i]->noun];
        if (!is_there[i])
            continue;
        if ((all[i]->colour && is_unseen(noun, all[i]->colour)) || is_unseen(noun, r->place) ||
            (i == 0 && is_unseen(noun, r->verb)) ||
            (i == 2 && is_unseen(noun, r->word[r->words - 1])))
            return true;
    }
    return false;
}

TEST(training_has_no_pair_that_is_held_back_and_half_of_the_test_has)
{
    int unseen = 0;
    for (int i = 0; i < SCENES; i++) {
        sac_book_scene scene;
        reading r;
        sac_book_make(SAC_STREAM_TRAINING, (uint64_t)(i + 20000), &scene);
        read_sentence(&scene, &r);
        assert_false(has_unseen(&r));
        assert_false(sac_book_has_unseen_pair(&scene));
        sac_book_make(SAC_STREAM_TEST, (uint64_t)i, &scene);
        read_sentence(&scene, &r);
        assert_int_equal(has_unseen(&r), sac_book_has_unseen_pair(&scene));
        unseen += has_unseen(&r);
    }
    assert_in_range(unseen, SCENES * 45 / 100, SCENES * 55 / 100);
}

/* ---------------------------------------------------------------- what training captions leave out */

typedef struct hidden {
    int unmentioned, nameless, odd, patched, leaping;
} hidden;

static bool group_is_mentioned(const sac_tale *tale, int index)
{
    return index < 2 ? index < tale->groups && tale->group[index].count : tale->has_tail;
}

/* Checks a group's things; returns the words that are left out: a colour that no word covers, with
 * its article, and the noun of what has none. */
static int check_hidden(const sac_book_scene *scene, int index, hidden *seen)
{
    const sac_group *group = &scene->tale.group[index];
    const sac_figure *figure = &scene->thing[group->first].figure;
    bool unmentioned = group->colour == SAC_UNMENTIONED;
    assert_int_equal(group->nameless, figure->drawing == sac_drawing_nameless());
    assert_int_equal(group->odd, figure->odd != 0);
    if (figure->patched) {
        assert_true(unmentioned && group->odd);
        assert_true(sac_figure_slot_count(figure) >= 3);
    }
    seen->unmentioned += unmentioned;
    seen->nameless += group->nameless;
    seen->odd += group->odd;
    seen->patched += figure->patched;
    seen->leaping += group->pose == SAC_POSE_RUN && scene->tale.verb != SAC_JUMP &&
                     scene->thing[group->first].shadow > figure->y + 0.02f;
    return unmentioned * (group->count == 1 ? 2 : 1) + group->nameless;
}

TEST(unnamed_scenes_show_no_held_out_pair)
{
    hidden seen = {0};
    for (int i = 0; i < SCENES; i++) {
        sac_book_scene scene;
        int silent = 0, expected = 0;
        sac_book_make_unnamed(SAC_STREAM_TRAINING, (uint64_t)i, &scene);
        assert_false(sac_book_has_unseen_pair(&scene));
        for (int k = 0; k < SAC_BOOK_GROUPS; k++)
            if (group_is_mentioned(&scene.tale, k))
                expected += check_hidden(&scene, k, &seen);
        for (int k = 0; k < scene.words; k++)
            silent += scene.word[k] == SAC_TALE_PAD;
        assert_int_equal(silent, expected);
    }
    const int counts[] = {seen.unmentioned, seen.nameless, seen.odd, seen.patched, seen.leaping};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        assert_true(counts[i] > SCENES / 100);
}

/* ---------------------------------------------------------------- pictures */

/* FNV-1a of scenes of both streams. */
TEST(pictures_are_the_same_bytes_on_every_machine)
{
    enum { SIDE = 64 };
    static uint8_t rgb[SIDE * SIDE * 3];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < PICTURES; i++) {
        sac_book_scene scene;
        sac_book_make((sac_stream)(i % 2), (uint64_t)i, &scene);
        OK(sac_book_draw(&scene, SIDE, rgb, NULL));
        for (size_t k = 0; k < sizeof rgb; k++)
            hash = (hash ^ rgb[k]) * UINT64_C(0x100000001b3);
    }
    if (getenv("SACCADE_PRINT_HASH"))
        printf("0x%016llx\n", (unsigned long long)hash);
    assert_true(hash == UINT64_C(0x88cfc82b519565f0));
}

/* The pixels that differ where a scene is drawn once more without its thing `index`. */
static int pixels_without(const sac_book_scene *scene, int index, int side, const uint8_t *whole)
{
    static uint8_t rgb[96 * 96 * 3];
    sac_book_scene less = *scene;
    int count = 0;
    less.count = scene->count - 1;
    for (int i = index; i < less.count; i++)
        less.thing[i] = less.thing[i + 1];
    OK(sac_book_draw(&less, side, rgb, NULL));
    for (int i = 0; i < side * side; i++)
        count += memcmp(rgb + 3 * i, whole + 3 * i, 3) != 0;
    return count;
}

TEST(everything_mentioned_is_visible)
{
    enum { SIDE = 96 };
    static uint8_t whole[SIDE * SIDE * 3];
    for (int i = 0; i < 150; i++) {
        sac_book_scene scene;
        sac_book_make((sac_stream)(i % 2), (uint64_t)(i + 700), &scene);
        OK(sac_book_draw(&scene, SIDE, whole, NULL));
        for (int k = 0; k < scene.count; k++) { /* the train's place is that of its rails */
            const float *box = scene.thing[k].box;
            float area = (box[2] - box[0]) * (box[3] - box[1]) * SIDE * SIDE;
            if (scene.tale.verb != SAC_ROLL)
                assert_true((float)pixels_without(&scene, k, SIDE, whole) > 0.2f * area);
        }
    }
}

TEST(any_seed_is_drawn_at_any_size)
{
    static uint8_t rgb[64 * 64 * 3 + 1];
    for (int i = 0; i < 400; i++) {
        sac_book_scene scene;
        int side = 1 + i % 64;
        uint64_t seed = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
        rgb[side * side * 3] = 77;
        sac_book_make((sac_stream)(i % 2), seed, &scene);
        OK(sac_book_draw(&scene, side, rgb, NULL));
        assert_int_equal(rgb[side * side * 3], 77);
    }
}

TEST_MAIN(NULL, NULL)
