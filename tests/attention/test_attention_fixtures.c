/* The reference and every kernel variant against results that another program computed. */

#include "fixtures.h"
#include "trial.h"

/* A shape that a fixture gives, as the library sees it. */
static void assert_shape(const sac_array *array, int rank, const size_t *shape)
{
    assert_int_equal(array->rank, rank);
    for (int i = 0; i < rank; i++)
        assert_int_equal(array->shape[i], shape[i]);
}

/* Prints and counts results that are further than 2e-6 from the fixture's. */
static int check(const fixture *f, const char *by, const char *what, const double *mine,
                 const sac_array *ref)
{
    size_t count = sac_array_count(ref);
    double *wanted = malloc(count * sizeof *wanted);
    assert_non_null(wanted);
    assert_int_equal(ref->dtype, SAC_F32);
    for (size_t i = 0; i < count; i++)
        wanted[i] = ((const float *)ref->data)[i];
    double error = relative_error(mine, wanted, count);
    free(wanted);
    if (error <= 2e-6)
        return 0;
    print_error("%s by %s: %s is off by %.3g\n", f->name, by, what, error);
    return 1;
}

static int check_results(const fixture *f, const char *by, const results *r)
{
    return check(f, by, "output", r->output, f->output) + check(f, by, "lse", r->lse, f->lse) +
           check(f, by, "weights", r->weights, f->weights);
}

static void trial_of(const fixture *f, trial *t)
{
    *t = (trial){.spec = f->spec, .input = f->input};
    sac_error error = {0};
    if (sac_attention_resolve(&t->spec, &t->input, &t->shape, &error) != SAC_OK)
        fail_msg("%s: %s: %s", f->name, error.where, error.what);
    const sac_attention_shape *s = &t->shape;
    assert_shape(f->output, s->output_rank, s->output_shape);
    assert_shape(f->weights, 4, (size_t[]){s->batch, s->heads, s->queries, s->keys});
}

TEST(the_reference_agrees_with_another_program)
{
    int failures = 0;
    for (int i = 0; fixture_names[i]; i++) {
        fixture f;
        trial t;
        results r;
        fixture_open(&f, fixture_names[i]);
        trial_of(&f, &t);
        compute_reference(&t, &r);
        failures += check_results(&f, "the reference", &r);
        results_free(&r);
        fixture_close(&f);
    }
    assert_int_equal(failures, 0);
}

TEST(every_variant_agrees_with_another_program)
{
    int failures = 0, count;
    const sac_variant *variants = test_variants(&count);
    for (int i = 0; fixture_names[i]; i++)
        for (int v = 0; v < count; v++) {
            fixture f;
            trial t;
            results r;
            sac_error error = {0};
            fixture_open(&f, fixture_names[i]);
            trial_of(&f, &t);
            if (compute_device(test_device(), variants[v], &t, true, &r, &error) != SAC_OK)
                fail_msg("%s: %s: %s", f.name, error.where, error.what);
            failures += check_results(&f, sac_variant_name(variants[v]), &r);
            results_free(&r);
            fixture_close(&f);
        }
    assert_int_equal(failures, 0);
}

TEST_MAIN(NULL, close_device)
