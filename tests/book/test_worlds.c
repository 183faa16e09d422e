/* The table of worlds: what each promises, asked through the table alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "book/scene.h"
#include "worlds/world.h"

enum { SCENES = 1500, MOST_WORDS = 32 };

/* Calls `check` on many scenes of each world and stream. */
static void for_scenes(void (*check)(const sac_world *, sac_stream, uint32_t, const void *))
{
    const sac_world *world;
    for (int i = 0; (world = sac_world_at(i)) != NULL; i++) {
        void *scene = malloc(world->scene_size);
        assert_non_null(scene);
        assert_ptr_equal(sac_world_find(world->name), world);
        assert_true(world->longest <= MOST_WORDS);
        for (uint32_t seed = 0; seed < SCENES; seed++)
            for (int stream = 0; stream < 2; stream++) {
                world->make((sac_stream)stream, (uint64_t)seed << 63 | seed, scene);
                check(world, (sac_stream)stream, seed, scene);
            }
        free(scene);
    }
}

static bool is_nowhere(const char *word)
{
    return strcmp(word, "and") == 0 || strcmp(word, "of") == 0 || strcmp(word, "nothing") == 0;
}

static void words_have_text_and_a_place(const sac_world *world, sac_stream stream, uint32_t seed,
                                        const void *scene)
{
    (void)stream;
    (void)seed;
    int word[MOST_WORDS], count = world->sentence(scene, word);
    assert_in_range(count, 2, world->longest);
    assert_int_equal(word[count - 1], 2);
    for (int t = 0; t < count - 1; t++) {
        sac_look look;
        world->look(scene, t, &look);
        assert_true(word[t] == 0 || (word[t] > 2 && word[t] < world->vocabulary));
        assert_true(*world->word_text(word[t]));
        assert_true(look.count > 0 || is_nowhere(world->word_text(word[t])));
    }
}

static void every_word_is_in_the_vocabulary_and_all_but_three_have_a_place(void **state)
{
    (void)state;
    for_scenes(words_have_text_and_a_place);
}

static void heard_words_make_no_unseen_pair(const sac_world *world, sac_stream stream,
                                            uint32_t seed, const void *scene)
{
    if (stream == SAC_STREAM_TEST || strcmp(world->name, "book") != 0)
        return;
    sac_book_scene heard = *(const sac_book_scene *)scene;
    assert_false(world->has_unseen_pair(scene));
    for (int t = 0; t < heard.words - 1; t++) {
        int said = heard.word[t], word = world->hear(scene, t, sac_philox(seed, (uint32_t)t, 9));
        bool is_colour = said >= SAC_SAY_COLOUR && said < SAC_SAY_COLOUR + SAC_BOOK_COLOURS;
        assert_true(is_colour || word == said);
        for (int k = 0; is_colour && k < SAC_BOOK_GROUPS; k++)
            if (heard.word[t + 1] == SAC_SAY_NOUN + (int)heard.tale.group[k].noun ||
                heard.word[t + 1] == SAC_SAY_NOUNS + (int)heard.tale.group[k].noun)
                heard.tale.group[k].colour = word - SAC_SAY_COLOUR;
    }
    assert_false(sac_book_has_unseen_pair(&heard));
}

static void what_the_decoder_hears_in_training_is_no_pair_that_is_held_back(void **state)
{
    (void)state;
    for_scenes(heard_words_make_no_unseen_pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_is_in_the_vocabulary_and_all_but_three_have_a_place),
        cmocka_unit_test(what_the_decoder_hears_in_training_is_no_pair_that_is_held_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
