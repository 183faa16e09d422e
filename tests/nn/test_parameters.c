/* Parameters begin by their seed, come back from a file as they went, and follow Adam. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "nn/parameters.h"
#include "reference.h"
#include "saccade_arrays.h"
#include "status.h"
#include "test.h"

static const struct {
    const char *name;
    int rank;
    size_t shape[3];
    sac_init init;
} model[] = {
    {"encoder.weight", 3, {2, 3, 5}, {.bound = 0.5f}},
    {"encoder.bias", 1, {67}, {.constant = 0.25f}},
    {"word", 2, {130, 3}, {.bound = 2}},
};
enum { COUNT = sizeof model / sizeof *model };

static sac_parameters create(bool training, uint32_t seed)
{
    sac_parameters p = {0};
    for (int i = 0; i < COUNT; i++)
        sac_parameter_add(&p, model[i].name, model[i].init, model[i].rank, model[i].shape[0],
                          model[i].shape[1], model[i].shape[2]);
    OK(sac_parameters_create(&p, reference_device(), training, seed, &failure));
    return p;
}

/* All floats of a span: free() them. */
static float *read_span(const sac_parameters *p, sac_span span)
{
    float *x = calloc(p->floats, sizeof *x);
    assert_non_null(x);
    OK(sac_span_read(p->device, span, p->floats, x, &failure));
    return x;
}

static void write_span(const sac_parameters *p, sac_span span, const float *x)
{
    OK(sac_span_write(p->device, span, p->floats, x, &failure));
}

/* Uniform in ±spread where there are parameters, 0 between them: free() it. */
static float *noise(const sac_parameters *p, unsigned seed, float spread)
{
    double *numbers = calloc(p->floats, sizeof *numbers);
    float *x = calloc(p->floats, sizeof *x);
    assert_true(numbers && x);
    reference_fill(numbers, p->floats, seed);
    for (int i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->list[i]->count; k++)
            x[p->list[i]->at + k] = (float)numbers[p->list[i]->at + k] * spread;
    free(numbers);
    return x;
}

static void assert_span(const sac_parameters *p, sac_span span, const float *expected)
{
    float *x = read_span(p, span);
    assert_memory_equal(x, expected, p->floats * sizeof *x);
    free(x);
}

/* ---------------------------------------------------------------- beginning */

TEST(parameters_are_laid_out_one_after_the_other)
{
    sac_parameters p = create(true, 1);
    assert_int_equal(p.list[0]->count, 30);
    assert_int_equal(p.list[1]->at, 64);
    assert_int_equal(p.list[2]->at, 192);
    assert_int_equal(p.floats, 640);
    sac_tensor word = p.list[2]->gradient, bias = p.list[1]->value;
    assert_ptr_equal(word.buffer, p.gradients.buffer);
    assert_true(word.at == 192 && word.rows == 130 && word.width == 3);
    assert_ptr_equal(bias.buffer, p.values.buffer);
    assert_true(bias.at == 64 && bias.rows == 1 && bias.width == 67);
    assert_true(p.list[0]->value.rows == 2 && p.list[0]->value.width == 15);
    sac_parameters_destroy(&p);
    sac_parameters_destroy(&p);
}

TEST(they_begin_within_their_spread_or_constant)
{
    sac_parameters p = create(true, 3);
    float *x = read_span(&p, p.values), highest = 0;
    double sum = 0;
    for (size_t i = 0; i < 67; i++)
        assert_true(x[64 + i] == 0.25f);
    for (size_t i = 0; i < 390; i++) {
        highest = fmaxf(highest, fabsf(x[192 + i]));
        sum += x[192 + i];
    }
    assert_true(highest <= 2 && highest > 1.95f);
    assert_true(fabs(sum / 390) < 0.25); /* its deviation is 2/√3/√390 = 0.06 */
    free(x);
    sac_parameters_destroy(&p);
}

TEST(the_same_seed_gives_the_same_numbers)
{
    sac_parameters a = create(true, 7), b = create(true, 7), c = create(true, 8);
    float *x = read_span(&a, a.values), *y = read_span(&c, c.values);
    assert_span(&b, b.values, x);
    assert_true(memcmp(x, y, a.floats * sizeof *x) != 0);
    /* The first of them, on any machine. */
    assert_true(x[0] == 0x1.b2436p-4f);
    free(x);
    free(y);
    sac_parameters_destroy(&a);
    sac_parameters_destroy(&b);
    sac_parameters_destroy(&c);
}

TEST(those_to_be_loaded_are_not_drawn)
{
    sac_parameters p = create(false, 3);
    float *zeros = calloc(p.floats, sizeof *zeros);
    assert_null(p.gradients.buffer);
    assert_span(&p, p.values, zeros);
    free(zeros);
    sac_parameters_destroy(&p);
}

/* ---------------------------------------------------------------- taken */

/* Numbers [130,3] that stay, and others that are written over for each parameter. */
typedef struct elsewhere {
    float stays[390], passes[67];
} elsewhere;

static sac_status lend(void *context, const sac_parameter *parameter,
                       sac_parameter_numbers *numbers, sac_error *error)
{
    elsewhere *e = context;
    if (strcmp(parameter->name, "missing") == 0)
        return sac_fail(error, SAC_E_FORMAT, "file", NULL, "has no %s", parameter->name);
    numbers->stay = parameter->count == 390;
    for (size_t i = 0; i < 67; i++)
        e->passes[i] = (float)(parameter->count + i);
    numbers->data = numbers->stay ? e->stays : e->passes;
    return SAC_OK;
}

static sac_parameters declare_long(void)
{
    sac_parameters p = {0};
    sac_parameter_vector(&p, "a.name.of.sixty.letters.and.more.as.encoder.layers.have.them.bias",
                         67);
    sac_parameter_matrix(&p, "words", 130, 3);
    sac_parameter_vector(&p, "other.bias", 2);
    return p;
}

/* Reading at places checks the numbers, and a layer that what stays can be read by kernels. */
TEST(numbers_of_others_are_taken_where_they_lie)
{
    static elsewhere e;
    sac_parameters p = declare_long();
    for (int i = 0; i < 390; i++)
        e.stays[i] = (float)i / 4;
    OK(sac_parameters_take(&p, reference_device(), lend, &e, &failure));
    assert_int_equal(strlen(p.list[0]->name), 65);
    double bias[67], other[] = {2, 3}, word[] = {7.5, 7.75, 8};
    for (int i = 0; i < 67; i++)
        bias[i] = 67 + i;
    sac_span y = reference_span(NULL, 3), first = reference_span(NULL, 67);
    sac_span last = reference_span(NULL, 2);
    sac_pass *pass = reference_pass();
    sac_pass_copy(pass, reference_tensor(first, 1, 67), p.list[0]->value);
    sac_pass_copy(pass, reference_tensor(last, 1, 2), p.list[2]->value);
    sac_pass_copy(pass, reference_tensor(y, 1, 3), sac_tensor_rows(p.list[1]->value, 10, 1));
    reference_end();
    reference_check(first, bias, 67, 0, "what passes, first");
    reference_check(last, other, 2, 0, "what passes, last");
    reference_check(y, word, 3, 0, "what stays");
    sac_span *spans[] = {&y, &first, &last};
    for (int i = 0; i < 3; i++)
        sac_span_release(spans[i]);
    sac_parameters_destroy(&p);
}

TEST(parameters_take_names_the_missing_one)
{
    static elsewhere e;
    sac_parameters p = declare_long();
    sac_parameter_vector(&p, "missing", 3);
    REFUSES(SAC_E_FORMAT, "…has no missing…",
            sac_parameters_take(&p, reference_device(), lend, &e, &failure));
    sac_parameters_destroy(&p);
}

/* ---------------------------------------------------------------- Adam */

/* The same in double; `gradient` is clipped in place, and the first `decaying` values decay. */
static double step_in_double(const sac_adam *adam, int step, size_t count, size_t decaying,
                             double *gradient, double *value, double *first, double *second)
{
    double norm = sqrt(reference_dot(gradient, gradient, count));
    double clip = adam->clip > 0 && norm > adam->clip ? adam->clip / norm : 1;
    for (size_t i = 0; i < count; i++) {
        double g = gradient[i] * clip;
        first[i] = adam->beta1 * first[i] + (1 - adam->beta1) * g;
        second[i] = adam->beta2 * second[i] + (1 - adam->beta2) * g * g;
        double m = first[i] / (1 - pow(adam->beta1, step));
        double v = second[i] / (1 - pow(adam->beta2, step));
        value[i] *= i < decaying ? 1 - adam->rate * adam->decay : 1;
        value[i] -= adam->rate * m / (sqrt(v) + adam->epsilon);
    }
    return norm;
}

static void check_adam(const sac_adam *adam)
{
    enum { FLOATS = 640 };
    sac_parameters p = create(true, 9);
    double value[FLOATS], first[FLOATS] = {0}, second[FLOATS] = {0}, gradient[FLOATS];
    float *x = read_span(&p, p.values), zeroes[FLOATS] = {0};
    for (size_t i = 0; i < FLOATS; i++)
        value[i] = x[i];
    p.decaying = adam->decay > 0 ? 1 : 0;
    const size_t decaying = p.list[p.decaying]->at;
    for (int step = 1; step <= 5; step++) {
        float norm, *noisy = noise(&p, (unsigned)step, 0.05f * (float)step);
        for (size_t i = 0; i < FLOATS; i++)
            gradient[i] = noisy[i];
        write_span(&p, p.gradients, noisy);
        OK(sac_adam_step(&p, adam, (size_t)step, &norm, &failure));
        double wanted =
            step_in_double(adam, step, FLOATS, decaying, gradient, value, first, second);
        assert_true(fabs(norm - wanted) < 1e-5 * wanted);
        assert_span(&p, p.gradients, zeroes);
        free(noisy);
    }
    free(x);
    x = read_span(&p, p.values);
    for (size_t i = 0; i < FLOATS; i++) /* of 5 steps of 0.01 */
        if (!(fabs(x[i] - value[i]) < 1e-6))
            fail_msg("value %zu is %.9g, and should be %.9g", i, (double)x[i], value[i]);
    free(x);
    sac_parameters_destroy(&p);
}

TEST(five_steps_of_adam_are_those_in_double)
{
    check_adam(&(sac_adam){.rate = 0.01f, .beta1 = 0.9f, .beta2 = 0.999f, .epsilon = 1e-8f});
}

/* The norm is 0.6 at the first step and 3 at the last: some steps are clipped and some are not. A
 * large epsilon, for else the scale of a gradient has no influence. */
TEST(long_gradients_are_clipped)
{
    check_adam(
        &(sac_adam){.rate = 0.01f, .beta1 = 0.9f, .beta2 = 0.95f, .epsilon = 0.1f, .clip = 1.5f});
}

TEST(the_first_parameters_decay)
{
    check_adam(&(sac_adam){
        .rate = 0.01f, .beta1 = 0.9f, .beta2 = 0.95f, .epsilon = 1e-8f, .clip = 1, .decay = 2});
}

TEST(a_gradient_that_is_not_finite_changes_nothing)
{
    sac_parameters p = create(true, 9);
    sac_adam adam = {0.01f, 0.9f, 0.999f, 1e-8f, 1};
    float *before = read_span(&p, p.values), *gradient = noise(&p, 4, 1);
    gradient[70] = NAN;
    write_span(&p, p.gradients, gradient);
    REFUSES(SAC_E_VALUE, "…the gradient of step 12 is not finite…",
            sac_adam_step(&p, &adam, 12, NULL, &failure));
    assert_span(&p, p.values, before);
    OK(sac_parameters_zero_gradients(&p, &failure));
    float *zeroes = calloc(p.floats, sizeof *zeroes);
    assert_non_null(zeroes);
    assert_span(&p, p.gradients, zeroes);
    free(zeroes);
    free(before);
    free(gradient);
    sac_parameters_destroy(&p);
}

/* ---------------------------------------------------------------- files */

typedef struct folder {
    char name[64], path[96];
} folder;

static int make_folder(void **state)
{
    folder *f = calloc(1, sizeof *f);
    assert_non_null(f);
    strcpy(f->name, "/tmp/saccade-parameters-XXXXXX");
    assert_non_null(mkdtemp(f->name));
    snprintf(f->path, sizeof f->path, "%s/model", f->name);
    *state = f;
    return 0;
}

static int remove_folder(void **state)
{
    folder *f = *state;
    unlink(f->path);
    int status = rmdir(f->name);
    free(f);
    return status;
}

static sac_status load(sac_parameters *p, const char *path, sac_error *error)
{
    sac_arrays *file = NULL;
    OK(sac_arrays_open(path, &file, &failure));
    sac_status status = sac_parameters_load(p, file, "model", error);
    sac_arrays_close(file);
    return status;
}

TEST_WITH(parameters_survive_save_and_load, make_folder, remove_folder)
{
    folder *f = *state;
    sac_parameters from = create(true, 11), to = create(true, 12), plain = create(false, 13);
    float *first = noise(&from, 5, 1), *second = noise(&from, 6, 1);
    for (size_t i = 0; i < from.floats; i++)
        second[i] = fabsf(second[i]);
    write_span(&from, from.first, first);
    write_span(&from, from.second, second);
    float *values = read_span(&from, from.values);
    const char *metadata[] = {"step", "17", NULL};
    OK(sac_parameters_save(&from, f->path, true, metadata, &failure));
    OK(load(&to, f->path, &failure));
    assert_span(&to, to.values, values);
    assert_span(&to, to.first, first);
    assert_span(&to, to.second, second);
    OK(load(&plain, f->path, &failure));
    assert_span(&plain, plain.values, values);

    sac_arrays *file = NULL;
    OK(sac_arrays_open(f->path, &file, &failure));
    assert_string_equal(sac_arrays_metadata(file, "step"), "17");
    sac_arrays_close(file);
    free(first);
    free(second);
    free(values);
    sac_parameters_destroy(&from);
    sac_parameters_destroy(&to);
    sac_parameters_destroy(&plain);
}

/* The average goes along with the moments, and is the values where a file has none. */
TEST_WITH(an_average_follows_the_values_and_survives, make_folder, remove_folder)
{
    folder *f = *state;
    sac_parameters p = create(true, 11), other = create(true, 12);
    float *begun = read_span(&p, p.values), *moved = noise(&p, 5, 1);
    OK(sac_parameters_average(&p, &failure));
    OK(sac_parameters_average(&other, &failure));
    write_span(&p, p.values, moved);
    OK(sac_parameters_average_step(&p, 0.75f, &failure));
    float *average = read_span(&p, p.average);
    for (size_t i = 0; i < p.floats; i++)
        assert_float_equal(average[i], 0.75f * begun[i] + 0.25f * moved[i], 1e-6);

    OK(sac_parameters_save(&p, f->path, true, NULL, &failure));
    OK(load(&other, f->path, &failure));
    assert_span(&other, other.values, moved);
    assert_span(&other, other.average, average);

    size_t changes = p.changes;
    sac_parameters_swap_average(&p);
    assert_true(p.changes != changes && p.list[0]->value.buffer == p.values.buffer);
    OK(sac_parameters_save(&p, f->path, false, NULL, &failure)); /* of the average alone */
    OK(load(&other, f->path, &failure));
    assert_span(&other, other.values, average);
    assert_span(&other, other.average, average);
    free(begun);
    free(moved);
    free(average);
    sac_parameters_destroy(&p);
    sac_parameters_destroy(&other);
}

static size_t size_of(const char *path)
{
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    return (size_t)facts.st_size;
}

/* Each weight is the nearest float16; an array that has a larger number than there is stays as it is,
 * as a checkpoint does. */
TEST_WITH(weights_may_be_saved_as_float16, make_folder, remove_folder)
{
    folder *f = *state;
    sac_parameters p = create(true, 11), other = create(true, 12);
    float *values = read_span(&p, p.values);
    OK(sac_parameters_save(&p, f->path, false, NULL, &failure));
    size_t whole = size_of(f->path);
    p.halves = true;
    OK(sac_parameters_save(&p, f->path, false, NULL, &failure));
    size_t half = size_of(f->path);
    assert_true(2 * half > whole && 2 * half < whole + 4096);
    OK(load(&other, f->path, &failure));
    float *found = read_span(&other, other.values);
    for (size_t i = 0; i < p.floats; i++)
        assert_true(found[i] == sac_half_to_float(sac_float_to_half(values[i])));
    const sac_parameter *large = p.list[2];
    values[large->at] = 1e5f;
    write_span(&p, p.values, values);
    OK(sac_parameters_save(&p, f->path, false, NULL, &failure));
    assert_true(size_of(f->path) > half + large->count);
    OK(load(&other, f->path, &failure));
    free(found);
    found = read_span(&other, other.values);
    assert_memory_equal(found + large->at, values + large->at, large->count * sizeof *found);
    OK(sac_parameters_save(&p, f->path, true, NULL, &failure));
    OK(load(&other, f->path, &failure));
    assert_span(&other, other.values, values);
    free(found);
    free(values);
    sac_parameters_destroy(&p);
    sac_parameters_destroy(&other);
}

/* Parameters that stay as they are stand in the same file, and are missed where they do not. */
TEST_WITH(others_stand_in_the_same_file, make_folder, remove_folder)
{
    folder *f = *state;
    sac_parameters frozen = {0}, again = {0}, p = create(true, 11), q = create(true, 12);
    const sac_parameter *still = sac_parameter_vector(&frozen, "still", 3);
    const sac_parameter *there = sac_parameter_vector(&again, "still", 3);
    float numbers[3] = {1, 2, 3}, found[3];
    OK(sac_parameters_create(&frozen, reference_device(), false, 0, &failure));
    OK(sac_parameters_create(&again, reference_device(), false, 0, &failure));
    OK(sac_span_write(reference_device(), sac_tensor_span(still->value), 3, numbers, &failure));
    p.others = &frozen;
    q.others = &again;
    OK(sac_parameters_save(&p, f->path, true, NULL, &failure));
    OK(load(&q, f->path, &failure));
    OK(sac_span_read(reference_device(), sac_tensor_span(there->value), 3, found, &failure));
    assert_memory_equal(found, numbers, sizeof found);
    p.others = NULL;
    assert_int_equal(load(&p, f->path, &failure), SAC_E_FORMAT); /* "still" is nothing to it */
    OK(sac_parameters_save(&p, f->path, true, NULL, &failure));
    assert_int_equal(load(&q, f->path, &failure), SAC_E_FORMAT); /* it is not in the file */
    sac_parameters_destroy(&frozen);
    sac_parameters_destroy(&again);
    sac_parameters_destroy(&p);
    sac_parameters_destroy(&q);
}

TEST_WITH(without_moments_they_begin_anew, make_folder, remove_folder)
{
    folder *f = *state;
    sac_parameters p = create(true, 11);
    float *moments = noise(&p, 5, 1), *zeroes = calloc(p.floats, sizeof *zeroes);
    assert_non_null(zeroes);
    OK(sac_parameters_save(&p, f->path, false, NULL, &failure));
    write_span(&p, p.first, moments);
    OK(load(&p, f->path, &failure));
    assert_span(&p, p.first, zeroes);
    free(moments);
    free(zeroes);
    sac_parameters_destroy(&p);
}

/* A file of the model as it should be, whose array `spoiled` is another. */
typedef struct damage {
    const char *array; /* "": none of the model's */
    const char *name;  /* NULL: the array is left out */
    sac_dtype dtype;
    int rank;
    size_t shape[4];
    float number; /* of all elements, where the type is float32 */
    sac_status status;
    const char *line;
} damage;

static const damage damages[] = {
    {"word", NULL, .status = SAC_E_FORMAT, .line = "model: word: is not in the file"},
    {"word",
     "words",
     SAC_F32,
     2,
     {130, 3},
     1,
     SAC_E_FORMAT,
     "model: words: is nothing that this model knows"},
    {"", "more", SAC_F32, 1, {2}, 1, SAC_E_FORMAT, "model: more: is nothing that this model knows"},
    {"word",
     "word",
     SAC_F32,
     2,
     {3, 130},
     1,
     SAC_E_SHAPE,
     "model: word: shape [3,130], not [130,3]"},
    {"word", "word", SAC_F32, 1, {390}, 1, SAC_E_SHAPE, "model: word: shape [390], not [130,3]"},
    {"encoder.bias",
     "encoder.bias",
     SAC_F32,
     1,
     {67},
     NAN,
     SAC_E_VALUE,
     "model: encoder.bias: number 0 is nan"},
    {"encoder.bias",
     "encoder.bias",
     SAC_F32,
     1,
     {67},
     INFINITY,
     SAC_E_VALUE,
     "model: encoder.bias: number 0 is inf"},
    {"encoder.bias",
     "encoder.bias",
     SAC_BF16,
     1,
     {67},
     0,
     SAC_E_FORMAT,
     "model: encoder.bias: is bfloat16, not float32"},
    {"",
     "adam.first.word",
     SAC_F32,
     2,
     {130, 3},
     1,
     SAC_E_FORMAT,
     "model: adam.first.encoder.weight: is not in the file"},
    {"",
     "adam.first.encoder.weight",
     SAC_F16,
     2,
     {5, 130},
     1,
     SAC_E_FORMAT,
     "model: adam.first.encoder.weight: is float16, not float32"},
};

static void save_damaged(const damage *d, const char *path)
{
    sac_array arrays[COUNT + 1] = {0};
    sac_named_array named[COUNT + 1];
    size_t count = 0;
    for (int i = 0; i <= COUNT; i++) {
        bool spoiled = strcmp(i < COUNT ? model[i].name : "", d->array) == 0;
        const char *name = spoiled ? d->name : i < COUNT ? model[i].name : NULL;
        if (!name)
            continue;
        OK(sac_array_create(spoiled ? d->dtype : SAC_F32, spoiled ? d->rank : model[i].rank,
                            spoiled ? d->shape : model[i].shape, &arrays[count], &failure));
        for (size_t k = 0; spoiled && d->dtype == SAC_F32 && k < sac_array_count(&arrays[count]);
             k++)
            ((float *)arrays[count].data)[k] = d->number;
        named[count] = (sac_named_array){name, &arrays[count]};
        count++;
    }
    OK(sac_safetensors_save(path, named, count, NULL, &failure));
    for (size_t i = 0; i < count; i++)
        sac_array_free(&arrays[i]);
}

TEST_WITH(a_damaged_file_is_refused_by_name_and_changes_nothing, make_folder, remove_folder)
{
    folder *f = *state;
    sac_parameters p = create(true, 14);
    float *before = read_span(&p, p.values);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        sac_error error = {0};
        char line[1200];
        save_damaged(&damages[i], f->path);
        assert_int_equal(load(&p, f->path, &error), damages[i].status);
        sac_error_line(&error, line, sizeof line);
        char *remedy = strchr(line, ';');
        if (remedy)
            *remedy = '\0';
        assert_string_equal(line, damages[i].line);
        assert_span(&p, p.values, before);
        assert_int_equal(load(&p, f->path, NULL), damages[i].status);
    }
    free(before);
    sac_parameters_destroy(&p);
}

TEST_WITH(a_second_moment_below_zero_is_refused, make_folder, remove_folder)
{
    folder *f = *state;
    sac_parameters p = create(true, 15);
    float *second = noise(&p, 5, 1);
    second[0] = -0.5f;
    write_span(&p, p.second, second);
    OK(sac_parameters_save(&p, f->path, true, NULL, &failure));
    REFUSES(SAC_E_VALUE, "model: adam.second.encoder.weight: …", load(&p, f->path, &failure));
    free(second);
    sac_parameters_destroy(&p);
}

TEST(a_model_that_is_too_large_is_refused)
{
    sac_parameters p = {0};
    sac_parameter_add(&p, "huge", sac_init_constant(0), 3, SIZE_MAX / 4, (size_t)5, (size_t)7);
    assert_int_equal(sac_parameters_create(&p, reference_device(), false, 1, &failure),
                     SAC_E_SHAPE);
    sac_parameters_destroy(&p);
    assert_string_equal(failure.where, "huge");
}

TEST_MAIN(NULL, reference_close)
