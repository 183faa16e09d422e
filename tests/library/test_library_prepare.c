/* What the first attention of a kind compiles and tests, ahead of it. */

#include "device/device.h"
#include "saccade_tools.h"
#include "status.h"
#include "trial.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* The calls of a progress function, and after how many it returns false (0: never). */
typedef struct reported {
    int calls, stop_at;
    double last;
    bool fell;
} reported;

static bool listen(void *user, double done)
{
    reported *t = user;
    t->calls++;
    t->fell = t->fell || done < t->last;
    t->last = done;
    return t->calls != t->stop_at;
}

static const recipe recipes[] = {
    {.queries = 300, .keys = 400, .spec = {.heads = 2}, .query_dim = 16, .value_dim = 16},
    {.queries = 2,
     .keys = 900,
     .spec = {.score = SAC_SCORE_ADDITIVE, .heads = 2},
     .query_dim = 16,
     .value_dim = 16,
     .hidden = 16},
    {.queries = 12, .keys = 12, .spec = {.heads = 2}, .project = true, .norm = true},
};

static sac_preparation preparation_of(const trial *t)
{
    return (sac_preparation){.queries = t->shape.queries,
                             .query_dim = t->shape.query_dim,
                             .key_dim = t->shape.key_dim,
                             .value_dim = t->shape.value_dim,
                             .hidden = (size_t)t->recipe.hidden,
                             .projections = t->recipe.project,
                             .backward = !t->recipe.norm};
}

static void run(const trial *t, sac_device *device)
{
    sac_attention *attention;
    float *numbers = calloc(1 << 20, sizeof *numbers);
    size_t outputs = t->shape.batch * t->shape.queries * 64;
    assert_non_null(numbers);
    OK(sac_attention_create(device, &t->recipe.spec, &t->input, &attention, NULL));
    OK(sac_attention_run(attention, &(sac_attention_output){.output = numbers}, NULL, NULL));
    sac_attention_destroy(attention);
    if (!t->recipe.norm)
        OK(sac_attend_backward(device, &t->recipe.spec, &t->input, numbers,
                               &(sac_attention_gradients){.query = numbers + outputs}, NULL, NULL));
    free(numbers);
}

TEST(what_was_prepared_builds_no_program_more)
{
    for (size_t i = 0; i < COUNT(recipes); i++) {
        trial t;
        sac_error error = {0};
        reported all = {0};
        trial_make(&t, &recipes[i], i);
        sac_preparation sizes = preparation_of(&t);
        if (sac_device_prepare(test_device(), &t.recipe.spec, &sizes, &(sac_progress){listen, &all},
                               &error) != SAC_OK)
            fail_msg("%zu: %s: %s", i, error.where, error.what);
        assert_false(all.fell);
        assert_true(all.last == 1 && all.calls >= 3);
        const struct sac_program *newest = test_device()->programs;
        run(&t, test_device());
        assert_ptr_equal(test_device()->programs, newest);
        trial_free(&t);
    }
}

TEST(a_preparation_that_is_stopped_leaves_the_device_as_it_was)
{
    sac_attention_spec spec = {.score = SAC_SCORE_GAUSSIAN, .bandwidth = 1};
    for (int calls = 1; calls <= 2; calls++) {
        reported some = {.stop_at = calls};
        sac_error error = {0};
        sac_progress stops = {listen, &some};
        assert_int_equal(sac_device_prepare(test_device(), &spec, NULL, &stops, &error),
                         SAC_E_CANCELLED);
        assert_int_equal(error.status, SAC_E_CANCELLED);
        assert_int_equal(some.calls, calls);
    }
    OK(sac_device_prepare(test_device(), &spec, NULL, NULL, NULL));
    assert_int_not_equal(sac_device_get_info(test_device())->verdict, SAC_REFUSED);
}

TEST(what_makes_no_sense_is_refused_before_anything_is_compiled)
{
    REFUSES(SAC_E_ARGUMENT, "device: …",
            sac_device_prepare(NULL, &(sac_attention_spec){0}, NULL, NULL, &failure));
    REFUSES(SAC_E_ARGUMENT, "spec: …",
            sac_device_prepare(test_device(), NULL, NULL, NULL, &failure));
    assert_int_equal(sac_device_prepare(test_device(), &(sac_attention_spec){.dropout = 2}, NULL,
                                        NULL, &failure),
                     SAC_E_ARGUMENT);
    assert_int_equal(sac_device_prepare(test_device(), &(sac_attention_spec){0},
                                        &(sac_preparation){.query_dim = SIZE_MAX}, NULL, &failure),
                     SAC_E_SHAPE);
}

TEST_MAIN(NULL, close_device)
