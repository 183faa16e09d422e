/* Whoever gives something that does not fit reads which array is wrong, how, and what to do. */
#include <math.h>
#include <string.h>

#include "trial.h"

/* ---------------------------------------------------------------- spoiling a sound problem */

/* Query [2,8,16], key [2,12,16], value [2,12,10]. */
static const recipe sound = {
    .batch = 2, .queries = 8, .keys = 12, .query_dim = 16, .value_dim = 10};

static sac_array *array(trial *t, sac_dtype dtype, int rank, size_t a, size_t b, size_t c, size_t d)
{
    return trial_array(t, dtype, rank, (size_t[]){a, b, c, d});
}

static void no_query(trial *t)
{
    t->input.query = NULL;
}

static void no_key(trial *t)
{
    t->input.key = NULL;
}

static void query_of_one_dimension(trial *t)
{
    t->input.query = array(t, SAC_F32, 1, 3, 0, 0, 0);
}

static void query_of_five_dimensions(trial *t)
{
    t->input.query = trial_array(t, SAC_F32, 5, (size_t[]){1, 1, 1, 2, 3});
}

static void empty_query(trial *t)
{
    t->input.query = array(t, SAC_F32, 3, 2, 0, 16, 0);
}

static void text_query(trial *t)
{
    static sac_array text = {.dtype = SAC_TEXT, .rank = 2, .shape = {2, 2}};
    t->input.query = &text;
}

static void key_of_other_rank(trial *t)
{
    t->input.key = array(t, SAC_F32, 2, 12, 16, 0, 0);
}

static void key_of_other_batch(trial *t)
{
    t->input.key = array(t, SAC_F32, 3, 3, 12, 16, 0);
}

static void key_of_other_size(trial *t)
{
    t->input.key = array(t, SAC_F32, 3, 2, 3, 9, 0);
    t->input.value = NULL;
}

static void key_of_other_heads(trial *t)
{
    t->input.query = array(t, SAC_F32, 4, 2, 4, 8, 16);
    t->input.key = array(t, SAC_F32, 4, 2, 3, 8, 16);
}

static void value_of_other_length(trial *t)
{
    t->input.value = array(t, SAC_F32, 3, 2, 11, 10, 0);
}

static void nan_in_query(trial *t)
{
    ((float *)t->input.query->data)[3 * 16 + 5] = NAN;
}

static void infinity_in_key(trial *t)
{
    ((float *)t->input.key->data)[(12 + 11) * 16 + 15] = INFINITY;
}

static void minus_infinity_in_value(trial *t)
{
    ((float *)t->input.value->data)[0] = -INFINITY;
}

static void beyond_float32(trial *t)
{
    sac_array *query = array(t, SAC_F64, 3, 2, 8, 16, 0);
    ((double *)query->data)[17] = -1e300;
    t->input.query = query;
}

static void five_heads(trial *t)
{
    t->spec.heads = 5;
}

static void negative_heads(trial *t)
{
    t->spec.heads = -1;
}

static void heads_beside_split_arrays(trial *t)
{
    t->input.query = t->input.key = array(t, SAC_F32, 4, 2, 4, 8, 16);
    t->input.value = NULL;
    t->spec.heads = 8;
}

static void unknown_score(trial *t)
{
    t->spec.score = SAC_SCORE_COUNT;
}

static void unknown_variant(trial *t)
{
    t->spec.variant = (sac_variant)17;
}

static void unknown_split(trial *t)
{
    t->spec.split = (sac_head_split)2;
}

static void dropout_of_1(trial *t)
{
    t->spec.dropout = 1;
}

static void dropout_that_is_nan(trial *t)
{
    t->spec.dropout = NAN;
}

static void infinite_scale(trial *t)
{
    t->spec.use_scale = true;
    t->spec.scale = INFINITY;
}

static void negative_inverse_width(trial *t)
{
    t->spec.inverse_width = -2;
}

static void additive_without_weights(trial *t)
{
    t->spec.score = SAC_SCORE_ADDITIVE;
}

static void additive(trial *t, size_t q, size_t k, size_t h, size_t h2)
{
    t->spec.score = SAC_SCORE_ADDITIVE;
    t->input.score_W_q = array(t, SAC_F32, 2, 5, q, 0, 0);
    t->input.score_W_k = array(t, SAC_F32, 2, h, k, 0, 0);
    t->input.score_w_v = array(t, SAC_F32, 1, h2, 0, 0, 0);
}

static void additive_for_another_query(trial *t)
{
    additive(t, 15, 16, 5, 5);
}

static void additive_for_another_key(trial *t)
{
    additive(t, 16, 15, 5, 5);
}

static void additive_that_disagrees(trial *t)
{
    additive(t, 16, 16, 4, 5);
}

static void additive_with_a_long_w_v(trial *t)
{
    additive(t, 16, 16, 5, 6);
}

static void bilinear_without_weights(trial *t)
{
    t->spec.score = SAC_SCORE_BILINEAR;
}

static void bilinear_the_wrong_way_round(trial *t)
{
    t->spec.score = SAC_SCORE_BILINEAR;
    t->input.key = array(t, SAC_F32, 3, 2, 12, 9, 0);
    t->input.score_W_qk = array(t, SAC_F32, 2, 9, 16, 0, 0);
}

static void bilinear_with_nan(trial *t)
{
    t->spec.score = SAC_SCORE_BILINEAR;
    sac_array *W = array(t, SAC_F32, 2, 16, 16, 0, 0);
    ((float *)W->data)[16] = NAN;
    t->input.score_W_qk = W;
}

static void integer_mask(trial *t)
{
    t->input.attn_mask = array(t, SAC_I64, 2, 8, 12, 0, 0);
}

static void mask_of_other_size(trial *t)
{
    t->input.attn_mask = array(t, SAC_BOOL, 2, 12, 8, 0, 0);
}

static void mask_of_heads_without_batch(trial *t)
{
    t->spec.heads = 4;
    t->input.value = NULL;
    t->input.attn_mask = array(t, SAC_BOOL, 3, 4, 8, 12, 0);
}

static void mask_with_nan(trial *t)
{
    sac_array *mask = array(t, SAC_F32, 2, 8, 12, 0, 0);
    ((float *)mask->data)[12] = -INFINITY;
    ((float *)mask->data)[13] = NAN;
    t->input.attn_mask = mask;
}

static void mask_with_infinity(trial *t)
{
    sac_array *mask = array(t, SAC_F32, 2, 8, 12, 0, 0);
    ((float *)mask->data)[95] = INFINITY;
    t->input.attn_mask = mask;
}

static void padding_of_floats(trial *t)
{
    t->input.key_padding_mask = array(t, SAC_F32, 2, 2, 12, 0, 0);
}

static void padding_of_queries(trial *t)
{
    t->input.key_padding_mask = array(t, SAC_BOOL, 2, 2, 8, 0, 0);
}

static void padding_of_one_dimension(trial *t)
{
    t->input.key_padding_mask = array(t, SAC_BOOL, 1, 12, 0, 0, 0);
}

static void projection_of_other_size(trial *t)
{
    t->input.q_proj_weight = array(t, SAC_F32, 2, 16, 10, 0, 0);
}

static void projections_that_part(trial *t)
{
    t->input.k_proj_weight = array(t, SAC_F32, 2, 24, 16, 0, 0);
}

static void bias_of_other_size(trial *t)
{
    t->input.v_proj_weight = array(t, SAC_F32, 2, 12, 10, 0, 0);
    t->input.v_proj_bias = array(t, SAC_F32, 1, 11, 0, 0, 0);
}

static void bias_alone(trial *t)
{
    t->input.out_proj_bias = array(t, SAC_F32, 1, 10, 0, 0, 0);
}

static void out_projection_of_other_size(trial *t)
{
    t->input.out_proj_weight = array(t, SAC_F32, 2, 10, 16, 0, 0);
}

static void projection_of_split_arrays(trial *t)
{
    heads_beside_split_arrays(t);
    t->spec.heads = 0;
    t->input.q_proj_weight = array(t, SAC_F32, 2, 16, 16, 0, 0);
}

static void norm_of_other_features(trial *t)
{
    t->input.norm_weight = array(t, SAC_F32, 1, 10, 0, 0, 0);
}

static void norm_of_other_size(trial *t)
{
    t->input.value = t->input.key;
    t->input.norm_weight = array(t, SAC_F32, 1, 10, 0, 0, 0);
}

static void norm_bias_alone(trial *t)
{
    t->input.norm_bias = array(t, SAC_F32, 1, 16, 0, 0, 0);
}

static void size_that_overflows(trial *t)
{
    static float one;
    static sac_array query = {
        .rank = 3, .shape = {2, (size_t)1 << 40, (size_t)1 << 40}, .data = &one};
    t->input.query = &query;
}

static const struct {
    void (*spoil)(trial *);
    sac_status status;
    const char *line;
} mistakes[] = {
    {no_query, SAC_E_ARGUMENT, "query: is missing; give both query and key"},
    {no_key, SAC_E_ARGUMENT, "key: is missing; give both query and key"},
    {query_of_one_dimension, SAC_E_SHAPE,
     "query: shape [3] has 1 dimension; give [T,D], [B,T,D] or [B,H,T,d]"},
    {query_of_five_dimensions, SAC_E_SHAPE,
     "query: shape [1,1,1,2,3] has 5 dimensions; give [T,D], [B,T,D] or [B,H,T,d]"},
    {empty_query, SAC_E_SHAPE, "query: shape [2,0,16] is empty; give at least one of everything"},
    {size_that_overflows, SAC_E_SHAPE,
     "query: shape [2,1099511627776,1099511627776] overflows the address space"},
    {text_query, SAC_E_ARGUMENT, "query: holds text, not numbers; give an array of numbers"},
    {key_of_other_rank, SAC_E_SHAPE,
     "key: shape [12,16] does not fit query [2,8,16]: 2 and 3 dimensions; give both as [T,D], "
     "[B,T,D] or [B,H,T,d]"},
    {key_of_other_batch, SAC_E_SHAPE,
     "key: shape [3,12,16] does not fit query [2,8,16]: batch sizes 3 and 2 differ; make the "
     "first sizes equal"},
    {key_of_other_heads, SAC_E_SHAPE,
     "key: shape [2,3,8,16] does not fit query [2,4,8,16]: numbers of heads 3 and 4 differ; make "
     "the second sizes equal"},
    {key_of_other_size, SAC_E_SHAPE,
     "key: shape [2,3,9] does not fit query [2,8,16]: last sizes 9 and 16 differ; make them "
     "equal, or use the additive or bilinear score"},
    {value_of_other_length, SAC_E_SHAPE,
     "value: shape [2,11,10] does not fit key [2,12,16]: 11 values for 12 keys; give one value "
     "per key"},
    {nan_in_query, SAC_E_VALUE, "query: NaN at [0,3,5]; replace it by a number"},
    {infinity_in_key, SAC_E_VALUE, "key: infinity at [1,11,15]; replace it by a number"},
    {minus_infinity_in_value, SAC_E_VALUE, "value: -infinity at [0,0,0]; replace it by a number"},
    {beyond_float32, SAC_E_VALUE,
     "query: -1e+300 at [0,1,1] is too large for float32; scale the numbers down"},
    {five_heads, SAC_E_SHAPE,
     "heads: 5 heads do not divide the 16 features of query; choose a number of heads that "
     "divides it"},
    {negative_heads, SAC_E_ARGUMENT, "heads: -1 is negative; give 1 or more"},
    {heads_beside_split_arrays, SAC_E_SHAPE,
     "heads: 8 is asked for, but query has 4 heads; leave it out: the arrays say it"},
    {unknown_score, SAC_E_ARGUMENT, "score: 5 is no score"},
    {unknown_variant, SAC_E_ARGUMENT, "variant: 17 is no variant"},
    {unknown_split, SAC_E_ARGUMENT, "head split: 2 is no way to split heads"},
    {dropout_of_1, SAC_E_ARGUMENT,
     "dropout: 1 is not the probability of dropping a weight; give 0 or more and less than 1"},
    {dropout_that_is_nan, SAC_E_ARGUMENT,
     "dropout: nan is not the probability of dropping a weight; give 0 or more and less than 1"},
    {infinite_scale, SAC_E_ARGUMENT, "scale: is inf; give a finite number"},
    {negative_inverse_width, SAC_E_ARGUMENT, "inverse width: is -2; give a number above 0"},
    {additive_without_weights, SAC_E_ARGUMENT,
     "score.W_q: is missing, and the additive score needs it; give [h,dq]"},
    {additive_for_another_query, SAC_E_SHAPE,
     "score.W_q: shape [5,15] is for a query of 15 features, which has 16 in each head; make the "
     "sizes equal"},
    {additive_for_another_key, SAC_E_SHAPE,
     "score.W_k: shape [5,15] is for a key of 15 features, which has 16 in each head; make the "
     "sizes equal"},
    {additive_that_disagrees, SAC_E_SHAPE,
     "score.W_k: shape [4,16] does not fit score.W_q [5,16]: first sizes 4 and 5 differ; make "
     "them equal"},
    {additive_with_a_long_w_v, SAC_E_SHAPE,
     "score.w_v: shape [6] does not fit score.W_q [5,16]: first sizes 6 and 5 differ; make them "
     "equal"},
    {bilinear_without_weights, SAC_E_ARGUMENT,
     "score.W_qk: is missing, and the bilinear score needs it; give [dq,dk]"},
    {bilinear_the_wrong_way_round, SAC_E_SHAPE,
     "score.W_qk: shape [9,16] is for a query of 9 features, which has 16 in each head; make the "
     "sizes equal"},
    {bilinear_with_nan, SAC_E_VALUE, "score.W_qk: NaN at [1,0]; replace it by a number"},
    {integer_mask, SAC_E_ARGUMENT,
     "attn_mask: is int64; give bool (true = blocked) or float (added to the score)"},
    {mask_of_other_size, SAC_E_SHAPE,
     "attn_mask: shape [12,8] does not fit the weights [2,1,8,12]: some size is neither 1 nor "
     "theirs; give [Tq,Tk], [B,Tq,Tk] or [B,H,Tq,Tk]; a size of 1 stands for all"},
    {mask_of_heads_without_batch, SAC_E_SHAPE,
     "attn_mask: shape [4,8,12] does not fit the weights [2,4,8,12]: some size is neither 1 nor "
     "theirs; give [Tq,Tk], [B,Tq,Tk] or [B,H,Tq,Tk]; a size of 1 stands for all"},
    {mask_with_nan, SAC_E_VALUE, "attn_mask: NaN at [1,1]; replace it by a number"},
    {mask_with_infinity, SAC_E_VALUE, "attn_mask: infinity at [7,11]; replace it by a number"},
    {padding_of_floats, SAC_E_ARGUMENT,
     "key_padding_mask: is float32; give bool, true = ignore this key"},
    {padding_of_queries, SAC_E_SHAPE,
     "key_padding_mask: shape [2,8] does not fit batch size 2 and 12 keys; give [B,Tk]"},
    {padding_of_one_dimension, SAC_E_SHAPE,
     "key_padding_mask: shape [12] has 1 dimension; give [B,Tk]"},
    {projection_of_other_size, SAC_E_SHAPE,
     "q_proj.weight: shape [16,10] takes vectors of 10, but query has 16 features; give [out,in] "
     "as PyTorch's Linear has it"},
    {projections_that_part, SAC_E_SHAPE,
     "key: shape [2,12,16] does not fit query [2,8,16]: after projection heads of 24 and 16 "
     "differ; make them equal, or use the additive or bilinear score"},
    {bias_of_other_size, SAC_E_SHAPE,
     "v_proj.bias: shape [11] does not fit v_proj.weight [12,10]: 11 biases for 12 outputs; give "
     "one bias per row of the weight"},
    {bias_alone, SAC_E_ARGUMENT,
     "out_proj.bias: is given without out_proj.weight; give both or neither"},
    {out_projection_of_other_size, SAC_E_SHAPE,
     "out_proj.weight: shape [10,16] takes vectors of 16, but what the heads give has 10 "
     "features; give [out,in] as PyTorch's Linear has it"},
    {projection_of_split_arrays, SAC_E_SHAPE,
     "q_proj.weight: cannot be used with a query [2,4,8,16] that is split into heads already; "
     "give query, key and value as [T,D] or [B,T,D]"},
    {norm_of_other_features, SAC_E_SHAPE,
     "norm.weight: norm adds the query to the output, but they have 16 and 10 features; choose "
     "an out_proj that makes them equal"},
    {norm_of_other_size, SAC_E_SHAPE,
     "norm.weight: shape [10] does not fit an output of 16 features; give one number per feature "
     "of the output"},
    {norm_bias_alone, SAC_E_ARGUMENT,
     "norm.bias: is given without norm.weight; give both or neither"},
};

static void every_mistake_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        trial t;
        sac_error error = {0};
        sac_attention_shape shape;
        char line[1200];
        trial_make(&t, &sound, i);
        mistakes[i].spoil(&t);
        sac_status status = sac_attention_resolve(&t.spec, &t.input, &shape, &error);
        assert_string_equal(sac_error_line(&error, line, sizeof line), mistakes[i].line);
        assert_int_equal(status, mistakes[i].status);
        assert_int_equal(error.status, status);
        assert_int_equal(sac_attention_resolve(&t.spec, &t.input, &shape, NULL), status);
        trial_free(&t);
    }
}

/* Arrays that the score does not use may be there, and hold anything. */
static void what_is_not_used_is_not_checked(void **state)
{
    (void)state;
    trial t;
    sac_attention_shape shape;
    trial_make(&t, &sound, 1);
    bilinear_with_nan(&t);
    t.spec.score = SAC_SCORE_DOT;
    assert_int_equal(sac_attention_resolve(&t.spec, &t.input, &shape, NULL), SAC_OK);
    trial_free(&t);
}

/* ---------------------------------------------------------------- calls that need a device */

static sac_attention *prepared(trial *t, const recipe *r)
{
    sac_attention *attention;
    trial_make(t, r, 1);
    assert_int_equal(sac_attention_create(test_device(), &t->spec, &t->input, &attention, NULL),
                     SAC_OK);
    return attention;
}

static void creating_tells_the_same_mistakes(void **state)
{
    (void)state;
    trial t;
    sac_error error = {0};
    sac_attention *attention = (sac_attention *)&t;
    char line[1200];
    trial_make(&t, &sound, 1);
    nan_in_query(&t);
    assert_int_equal(sac_attention_create(test_device(), &t.spec, &t.input, &attention, &error),
                     SAC_E_VALUE);
    assert_null(attention);
    assert_string_equal(sac_error_line(&error, line, sizeof line),
                        "query: NaN at [0,3,5]; replace it by a number");
    trial_free(&t);
}

static void a_tile_outside_the_matrix_is_refused(void **state)
{
    (void)state;
    static const sac_tile outside[] = {
        {2, 0, 0, 1, 0, 1}, {0, 1, 0, 1, 0, 1},  {0, 0, 7, 2, 0, 1},        {0, 0, 0, 1, 11, 2},
        {0, 0, 0, 9, 0, 1}, {0, 0, 0, 1, 0, 13}, {0, 0, SIZE_MAX, 2, 0, 1}, {0, 0, 0, 0, 0, 1}};
    trial t;
    sac_attention *attention = prepared(&t, &sound);
    float weights[200];
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        sac_error error = {0};
        assert_int_equal(sac_attention_tile(attention, &outside[i], weights, &error),
                         SAC_E_ARGUMENT);
        assert_true(error.what[0]);
        assert_int_equal(
            sac_attention_pool(attention, &outside[i], SAC_POOL_MEAN, 1, 1, weights, &error),
            SAC_E_ARGUMENT);
    }
    sac_tile whole = {0, 0, 0, 8, 0, 12};
    assert_int_equal(sac_attention_pool(attention, &whole, SAC_POOL_MEAN, 9, 1, weights, NULL),
                     SAC_E_ARGUMENT);
    assert_int_equal(sac_attention_pool(attention, &whole, SAC_POOL_MEAN, 1, 0, weights, NULL),
                     SAC_E_ARGUMENT);
    sac_attention_destroy(attention);
    trial_free(&t);
}

static void there_is_no_output_without_values(void **state)
{
    (void)state;
    recipe r = sound;
    r.no_value = true;
    trial t;
    sac_attention *attention = prepared(&t, &r);
    float output[2 * 8 * 16];
    double reference[2 * 8 * 16];
    sac_error error = {0};
    sac_attention_output wanted = {.output = output};
    assert_int_equal(sac_attention_run(attention, &wanted, NULL, &error), SAC_E_ARGUMENT);
    assert_string_equal(error.where, "value");
    assert_int_equal(sac_attention_reference(&t.spec, &t.input, reference, NULL, NULL, &error),
                     SAC_E_ARGUMENT);
    assert_string_equal(error.where, "value");
    sac_attention_destroy(attention);
    trial_free(&t);
}

static void scores_and_variants_are_known_by_their_names(void **state)
{
    (void)state;
    for (int i = 0; i < SAC_SCORE_COUNT; i++) {
        sac_score score;
        assert_true(sac_score_from_name(sac_score_name((sac_score)i), &score));
        assert_int_equal(score, i);
    }
    sac_score untouched = SAC_SCORE_GAUSSIAN;
    assert_false(sac_score_from_name("gauss", &untouched));
    assert_int_equal(untouched, SAC_SCORE_GAUSSIAN);
    assert_string_equal(sac_variant_name(SAC_VARIANT_NAIVE), "naive");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_is_named),
        cmocka_unit_test(what_is_not_used_is_not_checked),
        cmocka_unit_test(creating_tells_the_same_mistakes),
        cmocka_unit_test(a_tile_outside_the_matrix_is_refused),
        cmocka_unit_test(there_is_no_output_without_values),
        cmocka_unit_test(scores_and_variants_are_known_by_their_names),
    };
    return cmocka_run_group_tests_name("attention_arguments", tests, NULL, close_device);
}
