/* src/sources/files/explain.h on a device: what a weight comes from gives that weight. */
#include "trial.h"

#include "sources/files/explain_row.h"
#include "status.h"

/* Weights of float32 are rounded to 6e-8, and their scores, below 10 here, to less than 1e-6. */
#define WEIGHT_BOUND 1e-6
/* Sums of values of magnitude 4 with such weights. */
#define OUTPUT_BOUND 2e-5

enum { QUERIES = 19, KEYS = 41 };

static const recipe plain = {
    .batch = 2, .queries = QUERIES, .keys = KEYS, .query_dim = 8, .value_dim = 6, .spread = 0.7};

static sac_attention *create(trial *t, sac_variant variant)
{
    sac_attention *attention;
    t->spec.variant = variant;
    if (sac_attention_create(test_device(), &t->spec, &t->input, &attention, &failure) != SAC_OK)
        fail_msg("%s: %s: %s", trial_text(t), failure.where, failure.what);
    return attention;
}

static void expect_weights(const trial *t, const sac_explanation *e, size_t row)
{
    for (size_t j = 0; j < e->keys; j++)
        if (!(fabs(e->shares[j] - (double)e->weights[j]) <= WEIGHT_BOUND))
            fail_msg("%s, %s: weight [%zu,%zu] is %.9g, its parts give %.9g", trial_text(t),
                     sac_variant_name(t->spec.variant), row, j, (double)e->weights[j],
                     e->shares[j]);
    assert_true(fabs(e->raw * e->scale / e->temperature - e->scaled[e->position]) < 1e-12);
}

/* `expected` [dv] of that row, where the output is that of the heads. */
static void expect_output(const trial *t, const sac_explanation *e, const double *expected)
{
    for (size_t c = 0; c < e->value_dim; c++)
        if (!(fabs(e->result[c] - expected[c]) <= OUTPUT_BOUND))
            fail_msg("%s: output %zu is %.9g, its parts give %.9g", trial_text(t), c, expected[c],
                     e->result[c]);
}

static void explain_rows(trial *t, sac_variant variant, const results *reference)
{
    sac_attention *attention = create(t, variant);
    const sac_attention_shape *shape = sac_attention_get_shape(attention);
    for (size_t row = 0; row < shape->queries; row += 3) {
        sac_explanation e;
        sac_error error = {0};
        sac_explanation_request request = {
            .batch = row % shape->batch, .head = row % shape->heads, .step = row, .position = 2};
        size_t place = (request.batch * shape->heads + request.head) * shape->queries + row;
        if (sac_explain_attention(attention, &request, 1, &e, &error) != SAC_OK)
            fail_msg("%s: %s: %s", trial_text(t), error.where, error.what);
        assert_int_equal(e.keys, shape->keys);
        expect_weights(t, &e, row);
        if (e.value && shape->output_rank == 4)
            expect_output(t, &e, reference->output + place * e.value_dim);
        sac_explanation_free(&e);
    }
    sac_attention_destroy(attention);
}

static void explain_trial(const recipe *wanted)
{
    int count;
    const sac_variant *variants = test_variants(&count);
    trial t;
    results reference;
    trial_make(&t, wanted, 7);
    compute_reference(&t, &reference);
    for (int i = 0; i < count; i++)
        explain_rows(&t, variants[i], &reference);
    results_free(&reference);
    trial_free(&t);
}

/* ---------------------------------------------------------------- promises */

/* A slow device takes a third of the pairs, in which every score and every mask occur. */
TEST(the_parts_of_a_weight_give_it_for_every_score_and_mask)
{
    for (int score = 0; score < SAC_SCORE_COUNT; score++)
        for (int mask = 0; mask < MASK_COUNT; mask++) {
            if (device_is_slow() && (score + mask) % 3 != 0)
                continue;
            recipe r = plain;
            r.spec.score = (sac_score)score;
            r.mask = (trial_mask)mask;
            r.rank = mask % 2 ? 4 : 3;
            r.spec.heads = 2;
            explain_trial(&r);
        }
}

TEST(heads_that_share_keys_and_a_window_are_distinguished)
{
    recipe r = plain;
    r.rank = 4;
    r.spec.heads = 4;
    r.spec.key_heads = 2;
    explain_trial(&r);
    r.spec.window = 5;
    r.spec.causal = true;
    explain_trial(&r);
    r.rank = 3;
    r.project = true;
    explain_trial(&r);
}

TEST(a_scale_of_its_own_and_halves_are_followed)
{
    recipe r = plain;
    r.spec.use_scale = true;
    r.spec.scale = -0.3f;
    explain_trial(&r);
    r.spec.scale = 0.4f;
    r.spec.storage = SAC_STORAGE_F16;
    explain_trial(&r);
    r.no_value = true;
    explain_trial(&r);
}

TEST(a_row_that_sees_nothing_has_shares_of_zero)
{
    recipe r = plain;
    r.mask = MASK_BLOCKED_ROWS;
    trial t;
    trial_make(&t, &r, 3);
    sac_attention *attention = create(&t, SAC_VARIANT_AUTO);
    sac_explanation e;
    sac_explanation_request request = {.step = 0, .position = 1};
    OK(sac_explain_attention(attention, &request, 1, &e, NULL));
    assert_true(e.masked[1] == -INFINITY && e.sum == 0 && e.shares[1] == 0);
    assert_true(e.weights[1] == 0);
    sac_explanation_free(&e);
    sac_attention_destroy(attention);
    trial_free(&t);
}

TEST(a_weight_that_is_not_there_is_refused)
{
    trial t;
    trial_make(&t, &plain, 3);
    sac_attention *attention = create(&t, SAC_VARIANT_AUTO);
    const sac_explanation_request wrong[] = {
        {.batch = 2}, {.head = 1}, {.step = QUERIES}, {.position = KEYS}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sac_explanation e;
        sac_error error = {0};
        assert_int_equal(sac_explain_attention(attention, &wrong[i], 1, &e, &error),
                         SAC_E_ARGUMENT);
        assert_true(error.what[0] && !e.weights && !e.query);
    }
    sac_attention_destroy(attention);
    trial_free(&t);
}

TEST_MAIN(NULL, close_device)
