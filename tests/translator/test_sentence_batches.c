/* Batches of sentences hold what the grammar made, cut and sorted, and depend on their number
 * alone. */

#include "grammar/words.h"
#include "test.h"
#include "translation/sentence_batches.h"

enum { SIZE = 16, BATCHES = 24 };

static sac_word_list english, french;
static sac_batch_maker maker;

static const sac_sentence_batch *batch_of(size_t number)
{
    return maker.make(maker.self, number, (int)(number % SAC_BATCH_SLOTS), NULL);
}

TEST(sentences_come_longest_first_with_padding_behind)
{
    for (size_t i = 0; i < BATCHES; i++) {
        const sac_source_words *s = &batch_of(i)->source;
        assert_int_equal(s->batch, SIZE);
        assert_int_equal(s->lengths[0], s->steps);
        for (size_t b = 0; b < SIZE; b++) {
            assert_true(s->lengths[b] >= 1 && (b == 0 || s->lengths[b] <= s->lengths[b - 1]));
            for (size_t n = 0; n < s->steps; n++) {
                bool inside = (int)n < s->lengths[b];
                int word = s->words[n * SIZE + b];
                assert_true(inside ? word >= SAC_TOKENS_SPECIAL : word == SAC_TOKEN_PAD);
                assert_true(s->padding[b * s->steps + n] == (inside ? 0 : 1));
                if (inside)
                    assert_int_equal(s->reversed[((size_t)s->lengths[b] - 1 - n) * SIZE + b], word);
            }
        }
    }
}

TEST(each_word_is_given_after_it_was_asked_for)
{
    for (size_t i = 0; i < BATCHES; i++) {
        const sac_sentence_batch *batch = batch_of(i);
        for (size_t b = 0; b < SIZE; b++) {
            int length = batch->lengths[b];
            assert_int_equal(batch->inputs[b], SAC_TOKEN_START);
            assert_int_equal(batch->targets[(size_t)(length - 1) * SIZE + b], SAC_TOKEN_END);
            for (int t = 1; t < length; t++)
                assert_int_equal(batch->inputs[(size_t)t * SIZE + b],
                                 batch->targets[(size_t)(t - 1) * SIZE + b]);
            for (size_t t = (size_t)length; t < batch->steps; t++)
                assert_int_equal(batch->targets[t * SIZE + b], -1);
        }
    }
}

/* The whole sentences of a batch, put together again, are what the grammar aligns: every linked
 * word has a link, inside its sentence. */
TEST(links_lie_inside_their_sentences)
{
    size_t linked = 0;
    for (size_t i = 0; i < BATCHES; i++) {
        const sac_sentence_batch *batch = batch_of(i);
        for (size_t at = 0; at < batch->steps * SIZE; at++) {
            size_t b = at % SIZE, t = at / SIZE, links = 0;
            for (size_t n = 0; n < batch->source.steps; n++) {
                bool link = batch->links[(b * batch->steps + t) * batch->source.steps + n] != 0;
                links += link;
                assert_false(link && (int)n >= batch->source.lengths[b]);
            }
            assert_int_equal(batch->linked[at], links ? (int)t : -1);
            linked += links > 0;
        }
    }
    assert_true(linked > BATCHES * SIZE);
}

TEST(some_samples_lack_the_full_stop_and_most_do_not)
{
    int stop = sac_word_list_find(&english, "."), ended = 0, all = 0;
    for (size_t i = 0; i < BATCHES; i++) {
        const sac_source_words *s = &batch_of(i)->source;
        for (size_t b = 0; b < SIZE; b++, all++)
            ended += s->words[((size_t)s->lengths[b] - 1) * SIZE + b] == stop;
    }
    assert_in_range(ended, all * 7 / 10, all * 9 / 10);
}

TEST(a_batch_depends_on_its_number_alone)
{
    int first[64 * SIZE], count;
    const sac_sentence_batch *batch = batch_of(5);
    count = (int)(batch->steps * SIZE);
    memcpy(first, batch->targets, (size_t)count * sizeof *first);
    batch_of(40);
    batch = batch_of(5);
    assert_int_equal(batch->steps * SIZE, count);
    assert_memory_equal(batch->targets, first, (size_t)count * sizeof *first);
}

/* ---------------------------------------------------------------- parts */

static void assert_cut(int first, int last, const char *source, const char *target)
{
    char text[512];
    sac_sentence_pair pair;
    sac_sentence_make_for_figure(&pair);
    assert_true(sac_sentence_cut(&pair, first, last));
    assert_string_equal(sac_sentence_join(pair.source, pair.source_count, text, sizeof text),
                        source);
    assert_string_equal(sac_sentence_join(pair.target, pair.target_count, text, sizeof text),
                        target);
    for (int t = 0; t < pair.target_count; t++)
        assert_true(pair.links[t] && !(pair.links[t] >> pair.source_count));
}

/* the agreement on the european economic area was signed in august 1992 . */
TEST(a_part_is_cut_with_its_own_translation)
{
    assert_cut(3, 6, "the european economic area", "la zone économique européenne");
    assert_cut(7, 8, "was signed", "a été signé");
    assert_cut(9, 11, "in august 1992", "en août 1992");
}

TEST(a_part_whose_translation_is_broken_is_not_cut)
{
    sac_sentence_pair pair, before;
    sac_sentence_make_for_figure(&pair);
    before = pair;
    assert_false(sac_sentence_cut(&pair, 3, 4)); /* "the european": zone stands between */
    assert_false(sac_sentence_cut(&pair, 0, 0)); /* "l'" asks for what follows */
    assert_memory_equal(&pair, &before, sizeof pair);
}

static int open_batches(void **state)
{
    (void)state;
    bool opened = sac_word_list_create(SAC_ENGLISH, &english, NULL) == SAC_OK &&
                  sac_word_list_create(SAC_FRENCH, &french, NULL) == SAC_OK &&
                  sac_sentence_batches(SIZE, (sac_batch_share){0}, 9, &maker, NULL) == SAC_OK;
    return opened ? 0 : -1;
}

static int close_batches(void **state)
{
    (void)state;
    maker.destroy(maker.self);
    sac_word_list_free(&english);
    sac_word_list_free(&french);
    return 0;
}

TEST_MAIN(open_batches, close_batches)
