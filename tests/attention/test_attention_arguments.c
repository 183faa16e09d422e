/* The error for input that does not fit names the array, what is wrong, and a remedy. */

#include "status.h"
#include "trial.h"

/* ---------------------------------------------------------------- spoiling a sound problem */

/* Query [2,8,16], key [2,12,16], value [2,12,10]. */
static const recipe sound = {
    .batch = 2, .queries = 8, .keys = 12, .query_dim = 16, .value_dim = 10};

static float one;
static const sac_array text = {.dtype = SAC_TEXT, .rank = 2, .shape = {2, 2}};
static const sac_array endless = {
    .rank = 3, .shape = {2, (size_t)1 << 40, (size_t)1 << 40}, .data = &one};

/* Where an array is lent from: never 0. */
#define AT(array) (1 + offsetof(sac_attention_input, array))

/* The error for a change of a valid problem, and the changes, in this order. */
typedef struct mistake {
    sac_status status;
    const char *line;
    sac_attention_spec spec;
    const sac_array *query;
    size_t without;
    struct {
        size_t at;
        sac_dtype dtype;
        int rank;
        size_t shape[5];
    } give[3];
    struct {
        size_t at, index;
        double number;
    } plant;
} mistake;

static const mistake mistakes[] = {
    {SAC_E_ARGUMENT, "query: is missing; give both query and key", .without = AT(query)},
    {SAC_E_ARGUMENT, "key: is missing; give both query and key", .without = AT(key)},
    {SAC_E_SHAPE, "query: shape [3] has 1 dimension; give [T,D], [B,T,D] or [B,H,T,d]",
     .give = {{AT(query), SAC_F32, 1, {3}}}},
    {SAC_E_SHAPE, "query: shape [1,1,1,2,3] has 5 dimensions; give [T,D], [B,T,D] or [B,H,T,d]",
     .give = {{AT(query), SAC_F32, 5, {1, 1, 1, 2, 3}}}},
    {SAC_E_SHAPE, "query: shape [2,0,16] is empty; give at least one of everything",
     .give = {{AT(query), SAC_F32, 3, {2, 0, 16}}}},
    {SAC_E_SHAPE, "query: shape [2,1099511627776,1099511627776] overflows the address space",
     .query = &endless},
    {SAC_E_ARGUMENT, "query: holds text, not numbers; give an array of numbers", .query = &text},
    {SAC_E_SHAPE, "key: shape [12,16] does not fit query [2,8,16]: 2 and…; give both as [T,D]…",
     .give = {{AT(key), SAC_F32, 2, {12, 16}}}},
    {SAC_E_SHAPE, "key: shape [3,12,16] does not fit query [2,8,16]: batch…; make the first…",
     .give = {{AT(key), SAC_F32, 3, {3, 12, 16}}}},
    {SAC_E_SHAPE, "key: shape [2,3,8,16] does not fit query [2,4,8,16]…; give as many, or a…",
     .give = {{AT(query), SAC_F32, 4, {2, 4, 8, 16}}, {AT(key), SAC_F32, 4, {2, 3, 8, 16}}}},
    {SAC_E_SHAPE, "key heads: 3 heads of keys cannot be shared by 4; choose a number…",
     .spec = {.heads = 4, .key_heads = 3}},
    {SAC_E_ARGUMENT, "softcap: -3 caps no scores; give a number from 1e-30 to 1e30, or 0",
     .spec = {.softcap = -3}},
    {SAC_E_ARGUMENT, "alignment: 7 is no alignment", .spec = {.alignment = (sac_alignment)7}},
    {SAC_E_ARGUMENT,
     "offset: 1073741825 is beyond what kernels count; give a number from -2^30 to 2^30",
     .spec = {.offset = ((int64_t)1 << 30) + 1}},
    {SAC_E_SHAPE, "sinks: shape [3] does not fit 1 heads; give a number for each head",
     .give = {{AT(sinks), SAC_F32, 1, {3}}}},
    {SAC_E_ARGUMENT, "key heads: -2 is negative; give 1 or more", .spec = {.key_heads = -2}},
    {SAC_E_SHAPE, "value: shape [2,4,12,16] does not fit key [2,2,12,16]…; make the second…",
     .give = {{AT(query), SAC_F32, 4, {2, 4, 8, 16}},
              {AT(key), SAC_F32, 4, {2, 2, 12, 16}},
              {AT(value), SAC_F32, 4, {2, 4, 12, 16}}}},
    {SAC_E_SHAPE, "key: shape [2,3,9] does not fit query [2,8,16]: last…; make them equal, or…",
     .without = AT(value), .give = {{AT(key), SAC_F32, 3, {2, 3, 9}}}},
    {SAC_E_SHAPE, "value: shape [2,11,10] does not fit key [2,12,16]…; give one value per key",
     .give = {{AT(value), SAC_F32, 3, {2, 11, 10}}}},
    {SAC_E_VALUE, "query: NaN at [0,3,5]; replace it by a number",
     .plant = {AT(query), 3 * 16 + 5, NAN}},
    {SAC_E_VALUE, "key: infinity at [1,11,15]; replace it by a number",
     .plant = {AT(key), (12 + 11) * 16 + 15, INFINITY}},
    {SAC_E_VALUE, "value: -infinity at [0,0,0]; replace it by a number",
     .plant = {AT(value), 0, -INFINITY}},
    {SAC_E_VALUE, "query: -1e+300 at [0,1,1] is too large for float32; scale the numbers down",
     .give = {{AT(query), SAC_F64, 3, {2, 8, 16}}}, .plant = {AT(query), 17, -1e300}},
    {SAC_E_SHAPE, "heads: 5 heads do not divide the 16 features of query; choose a number of…",
     .spec = {.heads = 5}},
    {SAC_E_ARGUMENT, "heads: -1 is negative; give 1 or more", .spec = {.heads = -1}},
    {SAC_E_SHAPE, "heads: it is 8, but query has 4 heads; leave it out: the arrays define it",
     .without = AT(value), .spec = {.heads = 8},
     .give = {{AT(query), SAC_F32, 4, {2, 4, 8, 16}}, {AT(key), SAC_F32, 4, {2, 4, 8, 16}}}},
    {SAC_E_ARGUMENT, "score: 5 is no score", .spec = {.score = SAC_SCORE_COUNT}},
    {SAC_E_ARGUMENT, "variant: 17 is no variant", .spec = {.variant = (sac_variant)17}},
    {SAC_E_ARGUMENT, "head split: 2 is no way to split heads",
     .spec = {.split = (sac_head_split)2}},
    {SAC_E_ARGUMENT, "dropout: 1 is not the probability of dropping a…; give 0 or more and…",
     .spec = {.dropout = 1}},
    {SAC_E_ARGUMENT, "dropout: nan is not the probability of dropping a…; give 0 or more and…",
     .spec = {.dropout = NAN}},
    {SAC_E_ARGUMENT, "scale: is inf; give a finite number",
     .spec = {.use_scale = true, .scale = INFINITY}},
    {SAC_E_ARGUMENT, "bandwidth: is -2; give a number above 0", .spec = {.bandwidth = -2}},
    {SAC_E_ARGUMENT, "score.W_q: is missing, and the additive score needs it; give [h,dq]",
     .spec = {.score = SAC_SCORE_ADDITIVE}},
    {SAC_E_SHAPE, "score.W_q: shape [5,15] is for a query of 15…; make the sizes equal",
     .spec = {.score = SAC_SCORE_ADDITIVE},
     .give = {{AT(score_W_q), SAC_F32, 2, {5, 15}},
              {AT(score_W_k), SAC_F32, 2, {5, 16}},
              {AT(score_w_v), SAC_F32, 1, {5}}}},
    {SAC_E_SHAPE, "score.W_k: shape [5,15] is for a key of 15 features…; make the sizes equal",
     .spec = {.score = SAC_SCORE_ADDITIVE},
     .give = {{AT(score_W_q), SAC_F32, 2, {5, 16}},
              {AT(score_W_k), SAC_F32, 2, {5, 15}},
              {AT(score_w_v), SAC_F32, 1, {5}}}},
    {SAC_E_SHAPE, "score.W_k: shape [4,16] does not fit score.W_q [5,16]…; make them equal",
     .spec = {.score = SAC_SCORE_ADDITIVE},
     .give = {{AT(score_W_q), SAC_F32, 2, {5, 16}},
              {AT(score_W_k), SAC_F32, 2, {4, 16}},
              {AT(score_w_v), SAC_F32, 1, {5}}}},
    {SAC_E_SHAPE, "score.w_v: shape [6] does not fit score.W_q [5,16]: first…; make them equal",
     .spec = {.score = SAC_SCORE_ADDITIVE},
     .give = {{AT(score_W_q), SAC_F32, 2, {5, 16}},
              {AT(score_W_k), SAC_F32, 2, {5, 16}},
              {AT(score_w_v), SAC_F32, 1, {6}}}},
    {SAC_E_ARGUMENT, "score.W_qk: is missing, and the bilinear score needs it; give [dq,dk]",
     .spec = {.score = SAC_SCORE_BILINEAR}},
    {SAC_E_SHAPE, "score.W_qk: shape [9,16] is for a query of 9…; make the sizes equal",
     .spec = {.score = SAC_SCORE_BILINEAR},
     .give = {{AT(key), SAC_F32, 3, {2, 12, 9}}, {AT(score_W_qk), SAC_F32, 2, {9, 16}}}},
    {SAC_E_VALUE, "score.W_qk: NaN at [1,0]; replace it by a number",
     .spec = {.score = SAC_SCORE_BILINEAR}, .give = {{AT(score_W_qk), SAC_F32, 2, {16, 16}}},
     .plant = {AT(score_W_qk), 16, NAN}},
    {SAC_E_ARGUMENT, "attn_mask: is int64; give bool (true =…",
     .give = {{AT(attn_mask), SAC_I64, 2, {8, 12}}}},
    {SAC_E_SHAPE, "attn_mask: shape [12,8] does not fit the weights…; give [Tq,Tk]…",
     .give = {{AT(attn_mask), SAC_BOOL, 2, {12, 8}}}},
    {SAC_E_SHAPE, "attn_mask: shape [4,8,12] does not fit the weights…; give [Tq,Tk]…",
     .without = AT(value), .spec = {.heads = 4},
     .give = {{AT(attn_mask), SAC_BOOL, 3, {4, 8, 12}}}},
    {SAC_E_VALUE, "attn_mask: NaN at [1,1]; replace it by a number",
     .give = {{AT(attn_mask), SAC_F32, 2, {8, 12}}}, .plant = {AT(attn_mask), 13, NAN}},
    {SAC_E_VALUE, "attn_mask: infinity at [7,11]; replace it by a number",
     .give = {{AT(attn_mask), SAC_F32, 2, {8, 12}}}, .plant = {AT(attn_mask), 95, INFINITY}},
    {SAC_E_ARGUMENT, "key_padding_mask: is float32; give bool, true = ignore this key",
     .give = {{AT(key_padding_mask), SAC_F32, 2, {2, 12}}}},
    {SAC_E_ARGUMENT, "attn_mask: is uint8, and not of 0 and 1 alone; give bool (true =…",
     .give = {{AT(attn_mask), SAC_U8, 2, {8, 12}}}, .plant = {AT(attn_mask), 95, 2}},
    {SAC_E_ARGUMENT, "key_padding_mask: is uint8, and not of 0 and 1 alone; give bool, true =…",
     .give = {{AT(key_padding_mask), SAC_U8, 2, {2, 12}}}, .plant = {AT(key_padding_mask), 3, 255}},
    {SAC_E_SHAPE, "key_padding_mask: shape [2,8] does not fit batch size 2 and…; give [B,Tk]",
     .give = {{AT(key_padding_mask), SAC_BOOL, 2, {2, 8}}}},
    {SAC_E_SHAPE, "key_padding_mask: shape [12] has 1 dimension; give [B,Tk]",
     .give = {{AT(key_padding_mask), SAC_BOOL, 1, {12}}}},
    {SAC_E_SHAPE, "q_proj.weight: shape [16,10] takes vectors of 10, but…; give [out,in], as…",
     .give = {{AT(q_proj_weight), SAC_F32, 2, {16, 10}}}},
    {SAC_E_SHAPE, "key: shape [2,12,16] does not fit query [2,8,16]…; make them equal, or…",
     .give = {{AT(k_proj_weight), SAC_F32, 2, {24, 16}}}},
    {SAC_E_SHAPE, "v_proj.bias: shape [11] does not fit v_proj.weight…; give one bias per…",
     .give = {{AT(v_proj_weight), SAC_F32, 2, {12, 10}}, {AT(v_proj_bias), SAC_F32, 1, {11}}}},
    {SAC_E_ARGUMENT, "out_proj.bias: is given without out_proj.weight; give both or neither",
     .give = {{AT(out_proj_bias), SAC_F32, 1, {10}}}},
    {SAC_E_SHAPE, "out_proj.weight: shape [10,16] takes vectors of 16, but…; give [out,in], as…",
     .give = {{AT(out_proj_weight), SAC_F32, 2, {10, 16}}}},
    {SAC_E_SHAPE, "q_proj.weight: cannot be used with a query…; give query, key and…",
     .without = AT(value),
     .give = {{AT(query), SAC_F32, 4, {2, 4, 8, 16}},
              {AT(key), SAC_F32, 4, {2, 4, 8, 16}},
              {AT(q_proj_weight), SAC_F32, 2, {16, 16}}}},
    {SAC_E_SHAPE, "norm.weight: norm adds the query to the output, but…; choose an out_proj…",
     .give = {{AT(norm_weight), SAC_F32, 1, {10}}}},
    {SAC_E_SHAPE, "norm.weight: shape [10] does not fit an output of 16…; give one number per…",
     .give = {{AT(value), SAC_F32, 3, {2, 12, 16}}, {AT(norm_weight), SAC_F32, 1, {10}}}},
    {SAC_E_ARGUMENT, "norm.bias: is given without norm.weight; give both or neither",
     .give = {{AT(norm_bias), SAC_F32, 1, {16}}}},
};

static const mistake nan_in_query = {.plant = {AT(query), 3 * 16 + 5, NAN}};
static const mistake nan_in_W_qk = {.give = {{AT(score_W_qk), SAC_F32, 2, {16, 16}}},
                                    .plant = {AT(score_W_qk), 16, NAN}};

static const sac_array **array_at(trial *t, size_t at)
{
    return (const sac_array **)(void *)((char *)&t->input + at - 1);
}

static void plant(const sac_array *array, size_t index, double number)
{
    if (array->dtype == SAC_F64)
        ((double *)array->data)[index] = number;
    else if (array->dtype == SAC_U8)
        ((uint8_t *)array->data)[index] = (uint8_t)number;
    else
        ((float *)array->data)[index] = (float)number;
}

static void make_mistake(trial *t, const mistake *m)
{
    trial_make(t, &sound, 1);
    t->spec = m->spec;
    if (m->query)
        t->input.query = m->query;
    if (m->without)
        *array_at(t, m->without) = NULL;
    for (size_t i = 0; i < 3 && m->give[i].at; i++)
        *array_at(t, m->give[i].at) =
            trial_array(t, m->give[i].dtype, m->give[i].rank, m->give[i].shape);
    if (m->plant.at)
        plant(*array_at(t, m->plant.at), m->plant.index, m->plant.number);
}

TEST(every_mistake_is_named)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        trial t;
        sac_attention_shape shape;
        make_mistake(&t, &mistakes[i]);
        REFUSES(mistakes[i].status, mistakes[i].line,
                sac_attention_resolve(&t.spec, &t.input, &shape, &failure));
        assert_int_equal(failure.status, mistakes[i].status);
        assert_int_equal(sac_attention_resolve(&t.spec, &t.input, &shape, NULL),
                         mistakes[i].status);
        trial_free(&t);
    }
}

/* As a sequence mask comes out of arithmetic on bools. */
TEST(bytes_of_0_and_1_mask_as_bools_do)
{
    static const trial_mask masks[] = {MASK_PADDING, MASK_BOOL_MATRIX};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        recipe r = sound;
        trial t;
        results bools = {0}, bytes = {0}, reference = {0};
        r.mask = masks[i];
        trial_make(&t, &r, i);
        OK(compute_device(test_device(), SAC_VARIANT_AUTO, &t, true, &bools, NULL));
        const sac_array *mask = i ? t.input.attn_mask : t.input.key_padding_mask;
        ((sac_array *)mask)->dtype = SAC_U8;
        OK(compute_device(test_device(), SAC_VARIANT_AUTO, &t, true, &bytes, NULL));
        compute_reference(&t, &reference);
        assert_memory_equal(bools.weights, bytes.weights, bools.cells * sizeof(double));
        assert_true(relative_error(bytes.weights, reference.weights, bytes.cells) < 2e-6);
        results_free(&bools);
        results_free(&bytes);
        results_free(&reference);
        trial_free(&t);
    }
}

/* Arrays that the score does not use may be there, and hold anything. */
TEST(what_is_not_used_is_not_checked)
{
    trial t;
    sac_attention_shape shape;
    make_mistake(&t, &nan_in_W_qk);
    t.spec.score = SAC_SCORE_DOT;
    OK(sac_attention_resolve(&t.spec, &t.input, &shape, NULL));
    trial_free(&t);
}

/* ---------------------------------------------------------------- calls that need a device */

static sac_attention *prepared(trial *t, const recipe *r)
{
    sac_attention *attention;
    trial_make(t, r, 1);
    OK(sac_attention_create(test_device(), &t->spec, &t->input, &attention, NULL));
    return attention;
}

TEST(creating_reports_the_same_mistakes)
{
    trial t;
    sac_attention *attention = (sac_attention *)&t;
    char line[1200];
    make_mistake(&t, &nan_in_query);
    assert_int_equal(sac_attention_create(test_device(), &t.spec, &t.input, &attention, &failure),
                     SAC_E_VALUE);
    assert_null(attention);
    assert_string_equal(sac_error_line(&failure, line, sizeof line),
                        "query: NaN at [0,3,5]; replace it by a number");
    trial_free(&t);
}

TEST(a_tile_outside_the_matrix_is_refused)
{
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

TEST(there_is_no_output_without_values)
{
    recipe r = sound;
    r.no_value = true;
    trial t;
    sac_attention *attention = prepared(&t, &r);
    float output[2 * 8 * 16];
    double reference[2 * 8 * 16];
    sac_attention_output wanted = {.output = output};
    REFUSES(SAC_E_ARGUMENT, "value:…", sac_attention_run(attention, &wanted, NULL, &failure));
    REFUSES(SAC_E_ARGUMENT, "value:…",
            sac_attention_reference(&t.spec, &t.input, reference, NULL, NULL, &failure));
    sac_attention_destroy(attention);
    trial_free(&t);
}

TEST(scores_and_variants_are_known_by_their_names)
{
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

TEST_MAIN(NULL, close_device)
