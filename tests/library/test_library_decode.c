/* A cache of keys and values that grows step by step: at every step as if the attention had been
 * created with all of them, and right by the float64 reference. */

#include "status.h"
#include "trial.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

enum { CAPACITY = 150 };

/* Queries: of each step; keys: of all steps. */
static const recipe recipes[] = {
    {.spec = {.causal = true}, .queries = 1, .keys = 140, .query_dim = 12},
    {.spec = {.heads = 4, .key_heads = 2, .causal = true, .window = 9},
     .batch = 2,
     .queries = 2,
     .keys = 140,
     .query_dim = 10,
     .value_dim = 6},
    {.spec = {.heads = 2, .score = SAC_SCORE_ADDITIVE}, .queries = 3, .keys = 70},
    {.spec = {.heads = 4, .key_heads = 1, .score = SAC_SCORE_GAUSSIAN, .causal = true},
     .rank = 4,
     .batch = 2,
     .queries = 2,
     .keys = 70},
    {.spec = {.heads = 2, .storage = SAC_STORAGE_F16, .window = 30, .causal = true},
     .queries = 1,
     .keys = 140,
     .query_dim = 16},
    {.spec = {.heads = 2, .score = SAC_SCORE_BILINEAR}, .queries = 4, .keys = 70, .project = true},
};

/* Vectors `first` … first + count − 1 of each matrix; owned by the caller. */
static sac_array slice(const sac_array *all, size_t first, size_t count)
{
    sac_array part = *all, made;
    size_t dim = all->shape[all->rank - 1], length = all->shape[all->rank - 2];
    size_t matrices = sac_array_count(all) / (dim * length);
    part.shape[all->rank - 2] = count;
    OK(sac_array_create(SAC_F32, part.rank, part.shape, &made, NULL));
    for (size_t m = 0; m < matrices; m++)
        memcpy((float *)made.data + m * count * dim,
               (const float *)all->data + (m * length + first) * dim, count * dim * sizeof(float));
    return made;
}

/* The problem as it is after the first `keys` keys. */
typedef struct step {
    sac_array key, value;
    sac_attention_input input;
} step;

static step step_at(const trial *t, size_t keys)
{
    step s = {slice(t->input.key, 0, keys), slice(t->input.value, 0, keys), t->input};
    return s;
}

static void step_free(step *s)
{
    sac_array_free(&s->key);
    sac_array_free(&s->value);
}

static void run(sac_attention *attention, results *r)
{
    const sac_attention_shape *s = sac_attention_get_shape(attention);
    *r = (results){.rows = s->batch * s->heads * s->queries};
    r->cells = r->rows * s->keys;
    r->outputs = 1;
    for (int i = 0; i < s->output_rank; i++)
        r->outputs *= s->output_shape[i];
    size_t count = r->outputs + r->rows + r->cells;
    float *numbers = calloc(count, sizeof *numbers);
    double **parts[] = {&r->output, &r->lse, &r->weights};
    size_t counts[] = {r->outputs, r->rows, r->cells};
    assert_non_null(numbers);
    sac_attention_output output = {numbers, numbers + r->outputs, numbers + r->outputs + r->rows};
    OK(sac_attention_run(attention, &output, NULL, NULL));
    float *at = numbers;
    for (int i = 0; i < 3; i++) {
        *parts[i] = malloc(counts[i] * sizeof(double));
        assert_non_null(*parts[i]);
        for (size_t k = 0; k < counts[i]; k++)
            (*parts[i])[k] = (double)*at++;
    }
    free(numbers);
}

/* The same numbers as an attention that is created with the step's keys, and near the reference. */
static void check_step(sac_attention *attention, const sac_attention_spec *spec, step *s)
{
    sac_attention *whole;
    results grown = {0}, made = {0}, reference = {0};
    s->input.key = &s->key;
    s->input.value = &s->value;
    OK(sac_attention_create(test_device(), spec, &s->input, &whole, &failure));
    run(attention, &grown);
    run(whole, &made);
    assert_int_equal(grown.cells, made.cells);
    assert_memory_equal(grown.output, made.output, made.outputs * sizeof(double));
    assert_memory_equal(grown.lse, made.lse, made.rows * sizeof(double));
    assert_memory_equal(grown.weights, made.weights, made.cells * sizeof(double));
    run(whole, &reference); /* for its room */
    OK(sac_attention_reference(spec, &s->input, reference.output, reference.lse, reference.weights,
                               NULL));
    assert_true(relative_error(grown.output, reference.output, grown.outputs) <
                fmax(5e-6, matrix_bound(spec->storage)));
    assert_true(relative_error(grown.lse, reference.lse, grown.rows) < 5e-6);
    assert_true(relative_error(grown.weights, reference.weights, grown.cells) < 5e-6);
    sac_attention_destroy(whole);
    results_free(&grown);
    results_free(&made);
    results_free(&reference);
}

/* From 5 keys on, by one, by some, and by more than a panel. */
static void grow(const trial *t, const sac_attention_spec *spec)
{
    static const size_t steps[] = {1, 1, 7, 1, 20, 30, 1, 70};
    size_t keys = 5;
    sac_attention *attention;
    step s = step_at(t, keys);
    s.input.key = &s.key;
    s.input.value = &s.value;
    OK(sac_attention_create(test_device(), spec, &s.input, &attention, NULL));
    check_step(attention, spec, &s);
    step_free(&s);
    for (size_t i = 0; i < COUNT(steps) && keys + steps[i] <= t->recipe.keys; i++) {
        sac_array key = slice(t->input.key, keys, steps[i]);
        sac_array value = slice(t->input.value, keys, steps[i]);
        OK(sac_attention_append(attention, &key, &value, NULL));
        keys += steps[i];
        assert_int_equal(sac_attention_get_shape(attention)->keys, keys);
        s = step_at(t, keys);
        check_step(attention, spec, &s);
        step_free(&s);
        sac_array_free(&key);
        sac_array_free(&value);
    }
    sac_attention_destroy(attention);
}

TEST(a_cache_that_grew_is_one_that_was_made_whole)
{
    int count;
    const sac_variant *variants = test_variants(&count);
    for (size_t i = 0; i < COUNT(recipes); i++)
        for (int v = 0; v < count; v++) {
            trial t;
            if (device_is_slow() && (i + (size_t)v) % 5)
                continue;
            trial_make(&t, &recipes[i], i);
            t.spec.capacity = CAPACITY;
            t.spec.variant = variants[v];
            grow(&t, &t.spec);
            trial_free(&t);
        }
}

TEST(what_has_no_room_is_reported_and_changes_nothing)
{
    trial t;
    recipe r = {.spec = {.causal = true, .capacity = 8}, .queries = 1, .keys = 7};
    sac_attention *attention;
    trial_make(&t, &r, 1);
    sac_array two = slice(t.input.key, 0, 2), one = slice(t.input.key, 0, 1);
    sac_array huge = slice(t.input.key, 0, 1);
    for (size_t c = 0; c < sac_array_count(&huge); c++)
        ((float *)huge.data)[c] = copysignf(3e38f, ((const float *)t.input.query->data)[c]);
    OK(sac_attention_create(test_device(), &t.spec, &t.input, &attention, NULL));
    step s = step_at(&t, 7);
    const struct {
        const sac_array *key, *value;
        sac_status status;
        const char *line;
    } mistakes[] = {
        {&two, &two, SAC_E_SHAPE,
         "capacity: 2 more keys have no room beside 7 of 8; create the attention with more"},
        {&one, &two, SAC_E_SHAPE,
         "value: shape [1,2,4] does not fit key [1,1,4]: 2 values for 1 keys; give one value per "
         "key"},
        {NULL, &one, SAC_E_ARGUMENT, "key: is missing; give key and value as the first ones were"},
        {&one, NULL, SAC_E_ARGUMENT,
         "value: is missing; give key and value as the first ones were"},
        {&huge, &one, SAC_E_VALUE,
         "query: scores of row [0,0,0] are beyond float32; scale query and key down, or give a "
         "smaller scale"},
        {&one, &huge, SAC_E_VALUE,
         "value: sums with numbers of magnitude 3e+38 are beyond float32; scale them down, or "
         "create "
         "another attention"},
    };
    for (size_t i = 0; i < COUNT(mistakes); i++) {
        sac_error error = {0};
        char line[1200];
        assert_int_equal(
            sac_attention_append(attention, mistakes[i].key, mistakes[i].value, &error),
            mistakes[i].status);
        assert_string_equal(sac_error_line(&error, line, sizeof line), mistakes[i].line);
        assert_int_equal(sac_attention_append(attention, mistakes[i].key, mistakes[i].value, NULL),
                         mistakes[i].status);
        check_step(attention, &t.spec, &s);
    }
    OK(sac_attention_append(attention, &one, &one, NULL));
    assert_int_equal(sac_attention_append(attention, &one, &one, NULL), SAC_E_SHAPE);
    sac_attention_destroy(attention);
    step_free(&s);
    sac_array_free(&one);
    sac_array_free(&two);
    sac_array_free(&huge);
    trial_free(&t);
}

TEST_MAIN(NULL, close_device)
