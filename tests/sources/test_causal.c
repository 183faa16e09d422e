/* src/source/causal: a word is generated again without the cells that it looked at, and without as
 * many others. */

#include "sources/words/causal.h"
#include "status.h"
#include "test.h"

enum { SIDE = 3, CELLS = SIDE * SIDE };

/* Word 5 is generated where one of cells 2 and 4 can be seen, else word 7, or nothing. */
typedef struct oracle {
    int asked;
    int seen[CELLS]; /* how often each cell was hidden */
    bool ends;       /* in place of word 7 */
    bool prefers;    /* word 6, wherever it is not given another one */
} oracle;

static sac_status generate(void *self, const sac_result_request *request, sac_result *caption,
                           sac_error *error)
{
    (void)error;
    oracle *o = self;
    o->asked++;
    bool blind = request->hidden[2] && request->hidden[4], given = request->prefix_count == 2;
    *caption = (sac_result){.grid_w = SIDE, .grid_h = SIDE, .count = 2};
    for (int i = 0; i < CELLS; i++)
        o->seen[i] += request->hidden[i];
    assert_in_range(request->prefix_count, 1, 2);
    assert_int_equal(request->prefix[0], 3);
    assert_int_equal(request->prefix[1], 5);
    if (blind && !given)
        caption->count -= o->ends;
    const int likeliest = o->prefers ? 6 : blind ? 7 : 5;
    caption->outputs[1] =
        (sac_result_output){.word = given ? 5 : likeliest, .probability = blind ? 0.25f : 0.75f};
    return SAC_OK;
}

static sac_causal ask(oracle *o, const float *heat, const uint8_t *hidden)
{
    sac_causal c;
    float weights[2 * CELLS] = {0};
    sac_result caption = {.grid_w = SIDE, .grid_h = SIDE, .count = 2, .weights = weights};
    memcpy(weights + CELLS, heat, CELLS * sizeof *heat);
    caption.outputs[0].word = 3;
    caption.outputs[1] = (sac_result_output){.word = 5, .probability = 0.75f};
    *o = (oracle){.ends = o->ends, .prefers = o->prefers};
    sac_source source = {.self = o, .result.models = 1, .result.generate = generate};
    const sac_result_request request = {.hidden = hidden};
    OK(sac_causal_ask(&source, &request, &caption, 1, 9, &c, NULL));
    return c;
}

TEST(cells_with_most_of_the_heat_are_hidden_and_then_others)
{
    oracle o = {0};
    const float heat[CELLS] = {0.01f, 0, 0.4f, 0.02f, 0.55f, 0.01f, 0.01f, 0, 0};
    sac_causal c = ask(&o, heat, NULL);
    assert_int_equal(c.cells, 2);
    assert_int_equal(c.usual, SAC_CAUSAL_SAME);
    assert_int_equal(c.instead, 7);
    assert_float_equal(c.probability, 0.75f, 0);
    assert_float_equal(c.hidden, 0.25f, 0);
    assert_int_equal(c.draws, SAC_CAUSAL_DRAWS);
    assert_int_equal(c.changed, 0);
    assert_float_equal(c.elsewhere, 0.75f, 1e-6f);
    assert_int_equal(o.asked, 1 + 2 * (1 + SAC_CAUSAL_DRAWS));
    int others = 0;
    for (int i = 0; i < CELLS; i++)
        others += i == 2 || i == 4 ? 0 : o.seen[i];
    assert_int_equal(o.seen[2], 2);
    assert_int_equal(o.seen[4], 2);
    assert_int_equal(others, 2 * 2 * SAC_CAUSAL_DRAWS);
    o.ends = true;
    assert_int_equal(ask(&o, heat, NULL).instead, SAC_CAUSAL_END);
}

TEST(what_a_person_hid_stays_hidden)
{
    oracle o = {0};
    const float heat[CELLS] = {0, 0, 0, 0, 1, 0, 0, 0, 0};
    const uint8_t hidden[CELLS] = {0, 0, 1, 0, 0, 0, 0, 0, 0};
    sac_causal c = ask(&o, heat, hidden);
    assert_int_equal(c.cells, 1);
    assert_int_equal(c.instead, 7);
    assert_int_equal(o.seen[2], 1 + 2 * (1 + SAC_CAUSAL_DRAWS));
    assert_int_equal(o.seen[4], 2);
}

/* A search over sentences may have chosen a word that is not the likeliest one here: that alone is no change. */
TEST(a_change_is_one_from_the_likeliest_word_where_nothing_is_hidden)
{
    oracle o = {.prefers = true};
    const float heat[CELLS] = {0, 0, 0.5f, 0, 0.5f, 0, 0, 0, 0};
    sac_causal c = ask(&o, heat, NULL);
    assert_int_equal(c.usual, 6);
    assert_int_equal(c.instead, SAC_CAUSAL_SAME);
    assert_int_equal(c.changed, 0);
    assert_float_equal(c.hidden, 0.25f, 0);
}

TEST(where_too_few_cells_are_left_there_is_nothing_to_compare_with)
{
    oracle o = {0};
    float heat[CELLS];
    for (int i = 0; i < CELLS; i++)
        heat[i] = 1.0f / CELLS;
    assert_int_equal(ask(&o, heat, NULL).draws, 0);
    memset(heat, 0, sizeof heat);
    sac_causal c = ask(&o, heat, NULL); /* a word that looks nowhere */
    assert_int_equal(c.cells + c.draws + o.asked, 0);
}

TEST_MAIN(NULL, NULL)
