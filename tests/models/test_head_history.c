/* The history of heads: what is kept of it where there is no room for all, and what it gives back. */
#include "models/head_history.h"
#include "models/stack.h"
#include "status.h"
#include "test.h"

enum { LAYERS = 2, HEADS = 2, T = 4, MAPS = LAYERS * HEADS };

/* A point after `step`, whose maps are all of that number. */
static void add(sac_head_history *h, size_t step)
{
    static const char *const names[T] = {"a", "b", "a", "b"};
    const size_t count = T;
    const sac_array text = sac_array_view(SAC_TEXT, 1, &count, names);
    float scores[MAPS * SAC_TRAINING_KINDS];
    char sample[32];
    sac_attention_kind a = {.layers = LAYERS,
                            .heads = HEADS,
                            .steps = T,
                            .positions = T,
                            .weights = calloc(MAPS * T * T, sizeof *a.weights)};
    OK(sac_labels_from_array(&text, &a.position_labels, &failure));
    for (int i = 0; i < MAPS * T * T; i++)
        a.weights[i] = (float)step;
    for (int i = 0; i < MAPS * SAC_TRAINING_KINDS; i++)
        scores[i] = (float)step + (float)i;
    snprintf(sample, sizeof sample, "written at %zu", step);
    OK(sac_head_history_add(h, step, scores, &a, sample, &failure));
    assert_null(a.weights);
    sac_labels_free(&a.position_labels);
}

static size_t count_kept(const sac_head_history *h)
{
    size_t kept = 0;
    for (size_t i = 0; i < h->heads.points; i++)
        kept += h->heads.kept[i];
    return kept;
}

TEST(scores_of_all_points_are_kept_and_maps_of_many_that_lie_evenly)
{
    sac_head_history h = {0};
    for (size_t i = 1; i <= 1000; i++) {
        add(&h, 10 * i);
        assert_true(count_kept(&h) <= 128 && h.heads.kept[i - 1] && h.heads.kept[0]);
    }
    assert_int_equal(h.heads.points, 1000);
    assert_true(count_kept(&h) >= 63);
    for (size_t i = 0, last = 0; i < 1000; i++) {
        assert_int_equal(h.heads.at[i], 10 * (i + 1));
        assert_float_equal(sac_training_head_score(&h.heads, i, 3, 2),
                           (double)(10 * (i + 1)) + 3 * SAC_TRAINING_KINDS + 2, 0);
        if (h.heads.kept[i]) {
            assert_true(i - last <= 16);
            last = i;
        }
    }
    assert_int_equal(sac_training_best_head(&h.heads, 7, 1), 3);
    sac_head_history_free(&h);
}

TEST(a_step_is_given_back_as_weights_of_the_nearest_one_that_is_kept)
{
    sac_head_history h = {0};
    sac_training_moment moment;
    float map[T * T];
    uint8_t masked[T * T];
    assert_int_equal(sac_head_history_moment(&h, 5, &moment, &failure), SAC_E_ARGUMENT);
    for (size_t i = 1; i <= 300; i++)
        add(&h, i);
    OK(sac_head_history_moment(&h, SIZE_MAX, &moment, &failure));
    assert_int_equal(moment.step, 300);
    sac_training_moment_free(&moment);
    OK(sac_head_history_moment(&h, 100, &moment, &failure));
    assert_true(moment.step >= 97 && moment.step <= 103);
    char sample[32];
    snprintf(sample, sizeof sample, "written at %zu", moment.step);
    assert_string_equal(moment.sample, sample);
    const sac_weights_source *w = &moment.heads->weights;
    const sac_tile tile = {.head = 1, .row = 1, .rows = 2, .col = 0, .cols = 3};
    assert_true(w->layers == LAYERS && w->heads == HEADS && w->steps == T && w->positions == T);
    assert_string_equal(w->position_labels.text[1], "b");
    OK(w->tile(moment.heads->self, 1, &tile, map, &failure));
    for (int i = 0; i < 6; i++)
        assert_true(map[i] == (float)moment.step);
    OK(w->masked(moment.heads->self, 1, &tile, masked, &failure));
    assert_true(!masked[0] && !masked[1] && masked[2] && !masked[5]);
    OK(w->pool(moment.heads->self, 0, &(sac_tile){.rows = T, .cols = T}, SAC_POOL_MEAN, 1, 1, map,
               &failure));
    assert_true(map[0] == (float)moment.step);
    sac_training_moment_free(&moment);
    sac_head_history_free(&h);
}

/* Of a training that goes on the maps of before are not there, and those of now are. */
TEST(a_history_goes_on)
{
    sac_head_history h = {0};
    sac_training_moment moment;
    const size_t at[] = {10, 20};
    float scores[2 * MAPS * SAC_TRAINING_KINDS];
    for (size_t i = 0; i < 2 * MAPS * SAC_TRAINING_KINDS; i++)
        scores[i] = (float)i;
    OK(sac_head_history_restore(&h, LAYERS, HEADS, 2, at, scores, &failure));
    assert_int_equal(sac_head_history_moment(&h, 10, &moment, &failure), SAC_E_ARGUMENT);
    add(&h, 30);
    assert_int_equal(h.heads.points, 3);
    assert_memory_equal(h.heads.score, scores, sizeof scores);
    OK(sac_head_history_moment(&h, 10, &moment, &failure));
    assert_int_equal(moment.step, 30);
    sac_training_moment_free(&moment);
    sac_head_history_free(&h);
}

/* Two heads of one key each, and the same with a key for each of them. */
TEST(heads_that_share_keys_look_at_them)
{
    enum { ROWS = 3, DEPTH = 4 };
    float query[ROWS * 2 * DEPTH], shared[ROWS * DEPTH], own[ROWS * 2 * DEPTH];
    float by_shared[ROWS * ROWS], by_own[ROWS * ROWS];
    for (int i = 0; i < ROWS * 2 * DEPTH; i++)
        query[i] = sinf(1.7f * (float)i);
    for (int i = 0; i < ROWS * DEPTH; i++)
        shared[i] = own[i / DEPTH * 2 * DEPTH + i % DEPTH] =
            own[i / DEPTH * 2 * DEPTH + DEPTH + i % DEPTH] = cosf(2.3f * (float)i);
    const sac_head_view view = {.query = query,
                                .key = own,
                                .queries = ROWS,
                                .keys = ROWS,
                                .width = 2 * DEPTH,
                                .heads = 2,
                                .causal = true};
    sac_head_view of_shared = view;
    of_shared.key = shared;
    of_shared.key_heads = 1;
    for (size_t head = 0; head < 2; head++) {
        sac_head_weights(&view, head, by_own);
        sac_head_weights(&of_shared, head, by_shared);
        assert_memory_equal(by_own, by_shared, sizeof by_own);
        assert_true(by_own[3] > 0 && by_own[3] < 1 && by_own[1] == 0);
    }
}

int main(void)
{
    return test_run(NULL, NULL);
}
