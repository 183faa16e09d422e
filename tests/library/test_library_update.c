/* New numbers in an attention that stays: as if it had been created with them. */
#include <float.h>

#include "status.h"
#include "trial.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const recipe recipes[] = {
    {.queries = 9, .keys = 21, .spec = {.heads = 2}, .mask = MASK_EVERYTHING},
    {.queries = 40, .keys = 33, .spec = {.score = SAC_SCORE_ADDITIVE}, .mask = MASK_BOOL_MATRIX},
    {.queries = 5, .keys = 70, .spec = {.score = SAC_SCORE_BILINEAR, .heads = 3}, .query_dim = 7},
    {.queries = 17,
     .keys = 17,
     .spec = {.score = SAC_SCORE_GAUSSIAN, .heads = 2, .split = SAC_SPLIT_VIEW, .dropout = 0.25f}},
    {.queries = 12, .keys = 12, .spec = {.heads = 2}, .project = true, .norm = true},
    {.queries = 12, .keys = 30, .rank = 4, .spec = {.heads = 4, .storage = SAC_STORAGE_F16}},
};

/* Output, log-sum-exp and weights, one after the other, and a tile of the weights. */
typedef struct everything {
    size_t count;
    float *numbers;
} everything;

static everything compute(sac_attention *attention)
{
    const sac_attention_shape *s = sac_attention_get_shape(attention);
    size_t rows = s->batch * s->heads * s->queries, cells = rows * s->keys, outputs = 1;
    for (int i = 0; i < s->output_rank; i++)
        outputs *= s->output_shape[i];
    everything e = {outputs + rows + cells + 4, calloc(outputs + rows + cells + 4, sizeof(float))};
    assert_non_null(e.numbers);
    sac_tile tile = {.row = 1, .rows = 2, .col = 1, .cols = 2};
    float *at = e.numbers;
    OK(sac_attention_tile(attention, &tile, at, NULL));
    sac_attention_output output = {at + 4, at + 4 + outputs, at + 4 + outputs + rows};
    OK(sac_attention_run(attention, &output, NULL, NULL));
    return e;
}

static sac_attention *created(const sac_attention_spec *spec, const sac_attention_input *input)
{
    sac_attention *attention;
    OK(sac_attention_create(test_device(), spec, input, &attention, &failure));
    return attention;
}

/* `attention` gives, to the bit, what one that is created with `input` does. */
static void assert_same(sac_attention *attention, const sac_attention_spec *spec,
                        const sac_attention_input *input)
{
    sac_attention *other = created(spec, input);
    everything a = compute(attention), b = compute(other);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.numbers, b.numbers, a.count * sizeof(float));
    sac_attention_destroy(other);
    free(a.numbers);
    free(b.numbers);
}

/* Takes the arrays of `next` that `which` names, a bit each. */
static void take(sac_attention_input *into, const sac_attention_input *next, unsigned which)
{
    if (which & 1)
        into->query = next->query;
    if (which & 2)
        into->key = next->key;
    if (which & 4)
        into->value = next->value;
    if (which & 8)
        into->key_padding_mask = next->key_padding_mask;
    if (which & 16)
        into->attn_mask = next->attn_mask;
}

TEST(an_update_is_as_good_as_a_creation)
{
    static const unsigned choices[] = {7, 1, 2, 4, 24, 31};
    size_t step = is_oclgrind() ? 4 : 1; /* the simulator is shown numbers and masks */
    int count;
    const sac_variant *variants = test_variants(&count);
    for (size_t i = 0; i < COUNT(recipes); i++)
        for (int v = 0; v < count; v++) {
            trial first, second;
            if (device_is_slow() && (i + (size_t)v) % 4)
                continue;
            trial_make(&first, &recipes[i], i);
            trial_make(&second, &recipes[i], i + 100);
            sac_attention_input now = first.input;
            first.spec.variant = variants[v];
            sac_attention *attention = created(&first.spec, &now);
            for (size_t c = 0; c < COUNT(choices); c += step) {
                const sac_attention_input *next = c % 2 ? &first.input : &second.input;
                sac_attention_input given = {0};
                take(&given, next, choices[c]);
                take(&now, next, choices[c]);
                OK(sac_attention_update(attention, &given, NULL));
                assert_same(attention, &first.spec, &now);
            }
            sac_attention_destroy(attention);
            trial_free(&first);
            trial_free(&second);
        }
}

/* With an error and without. */
static void assert_refused(sac_attention *attention, const sac_attention_input *input,
                           sac_status status, const char *wanted)
{
    char line[1200];
    assert_int_equal(sac_attention_update(attention, input, &failure), status);
    assert_string_equal(sac_error_line(&failure, line, sizeof line), wanted);
    assert_int_equal(sac_attention_update(attention, input, NULL), status);
}

/* Each mistake is reported, and changes nothing. */
TEST(a_failed_update_leaves_everything_as_it_was)
{
    trial t;
    trial_make(&t, &recipes[0], 1);
    sac_attention *attention = created(&t.spec, &t.input);
    sac_array longer = *t.input.key, flat = *t.input.query, huge = *t.input.query;
    sac_array bytes = *t.input.key_padding_mask, whole = *t.input.attn_mask;
    size_t count = sac_array_count(&huge);
    float *numbers = malloc(count * sizeof *numbers);
    assert_non_null(numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = 3e38f;
    huge.data = numbers;
    longer.shape[1]--;
    flat.rank = 99;
    bytes.dtype = SAC_F32;
    whole.dtype = SAC_BOOL;
    const struct {
        sac_attention_input input;
        sac_status status;
        const char *line;
    } mistakes[] = {
        {{.key = &longer},
         SAC_E_SHAPE,
         "key: shape [1,20,8] does not fit the one before [1,21,8]: only numbers can change; "
         "create "
         "another attention"},
        {{.query = &flat}, SAC_E_SHAPE, "query: rank 99 is not between 0 and 8"},
        {{.value = &huge},
         SAC_E_SHAPE,
         "value: shape [1,9,8] does not fit the one before [1,21,8]: only numbers can change; "
         "create "
         "another attention"},
        {{.query = &huge},
         SAC_E_VALUE,
         "query: scores of row [0,0,0] are beyond float32; scale query and key down, or give a "
         "smaller scale"},
        {{.key_padding_mask = &bytes},
         SAC_E_ARGUMENT,
         "key_padding_mask: is float32, and was bool; give it as before"},
        {{.attn_mask = &whole},
         SAC_E_ARGUMENT,
         "attn_mask: is bool, and was float32; give it as before"},
    };
    for (size_t i = 0; i < COUNT(mistakes); i++) {
        assert_refused(attention, &mistakes[i].input, mistakes[i].status, mistakes[i].line);
        if (!is_oclgrind() || i + 1 == COUNT(mistakes))
            assert_same(attention, &t.spec, &t.input);
    }
    assert_int_equal(sac_attention_update(attention, NULL, NULL), SAC_E_ARGUMENT);
    assert_int_equal(sac_attention_update(NULL, &t.input, NULL), SAC_E_ARGUMENT);
    sac_attention_destroy(attention);
    free(numbers);
    trial_free(&t);
}

/* Nothing takes the place of what never was. */
TEST(what_was_not_there_cannot_be_updated)
{
    trial t;
    recipe r = {.no_value = true};
    trial_make(&t, &r, 1);
    sac_attention *attention = created(&t.spec, &t.input);
    sac_attention_input value = {.value = t.input.key};
    REFUSES(SAC_E_ARGUMENT, "value: was not there when the attention was created…",
            sac_attention_update(attention, &value, &failure));
    sac_attention_destroy(attention);
    trial_free(&t);
}

TEST_MAIN(NULL, close_device)
