/* Models of tests/reference against the output of `transformers`. */
#include "trial.h"
#include "saccade_arrays.h"
#include "status.h"

#include <unistd.h>

/* Of states and weights of about 1, which go through tens of sums. */
#define TOLERANCE 1e-4

static const sac_array *find(const trial *t, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "%s%s", t->prefix, name);
    return sac_arrays_find(t->expected, full);
}

const float *expect(const trial *t, const char *name, size_t count)
{
    const sac_array *array = find(t, name);
    if (!array)
        fail_msg("the reference has no %s%s", t->prefix, name);
    assert_int_equal(array->dtype, SAC_F32);
    assert_int_equal(sac_array_count(array), count);
    return array->data;
}

void compare(const float *x, const float *expected, size_t count, double tolerance,
             const char *name)
{
    double worst = 0;
    for (size_t i = 0; i < count; i++)
        worst = fmax(worst, fabs((double)x[i] - (double)expected[i]));
    if (!(worst <= tolerance))
        fail_msg("%s is up to %g away", name, worst);
}

static void open_stored(trial *t, const char *folder, const char *reference, const char *prefix,
                        sac_storage storage)
{
    *t = (trial){.prefix = prefix};
    OK(sac_pretrained_model_open_stored(folder, NULL, storage, &t->opened, &failure));
    t->model = sac_architecture_reads_prompts(t->opened) ? t->opened->decoder : t->opened;
    OK(sac_arrays_open(reference, &t->expected, &failure));
    const sac_array *ids = find(t, "input_ids"), *pixels = find(t, "pixel_values");
    assert_true(ids || pixels);
    if (ids)
        OK(sac_inference_read_tokens(t->model, ids->data, sac_array_count(ids), &t->inference,
                                     &failure));
    else
        OK(sac_inference_see_pixels(t->model, pixels->data, (int)pixels->shape[3],
                                    (int)pixels->shape[2], &t->inference, &failure));
}

void open_trial(trial *t, const char *folder, const char *reference, const char *prefix)
{
    open_stored(t, folder, reference, prefix, SAC_STORAGE_F32);
}

void open_named_stored(trial *t, const char *architecture, const char *prefix, sac_storage storage)
{
    char folder[512], reference[600];
    snprintf(folder, sizeof folder, "%s/%s", REFERENCES, architecture);
    snprintf(reference, sizeof reference, "%s/reference.safetensors", folder);
    open_stored(t, folder, reference, prefix, storage);
}

void open_named(trial *t, const char *architecture, const char *prefix)
{
    open_named_stored(t, architecture, prefix, SAC_STORAGE_F32);
}

void close_trial(trial *t)
{
    sac_inference_free(t->inference);
    sac_arrays_close(t->expected);
    sac_pretrained_model_close(t->opened);
}

void check_layers(const trial *t)
{
    const sac_inference *p = t->inference;
    const sac_pretrained_model *m = p->model;
    size_t numbers = p->count * m->width, last = (size_t)m->layers * numbers;
    float *states = calloc(last + numbers, sizeof *states);
    assert_non_null(states);
    OK(sac_inference_states(p, states, &failure));
    assert_memory_equal(states, p->entered, numbers * sizeof *states);
    if (!m->last_state_unnormed)
        assert_memory_equal(states + last, p->left, numbers * sizeof *states);
    for (int i = 0; i <= m->layers; i++) {
        char name[40];
        snprintf(name, sizeof name, "hidden_states.%d", i);
        compare(states + (size_t)i * numbers, expect(t, name, numbers), numbers, TOLERANCE, name);
    }
    free(states);
}

void check_states(const trial *t)
{
    size_t numbers = t->inference->count * t->inference->model->width;
    check_layers(t);
    compare(t->inference->left, expect(t, "last_hidden_state", numbers), numbers, TOLERANCE,
            "last state");
}

/* Through the source, as views ask for them. It takes the passage. */
void check_weights(trial *t)
{
    sac_source source;
    OK(sac_inference_open_source(t->inference, &source, &failure));
    t->inference = NULL;
    size_t T = source.weights.steps, map = T * T;
    float *weights = calloc(map, sizeof *weights);
    assert_non_null(weights);
    for (size_t layer = 0; layer < source.weights.layers; layer++) {
        char name[40];
        snprintf(name, sizeof name, "attentions.%zu", layer);
        const float *expected = expect(t, name, source.weights.heads * map);
        for (size_t head = 0; head < source.weights.heads; head++) {
            sac_tile tile = {.head = head, .rows = T, .cols = T};
            OK(source.weights.tile(source.self, layer, &tile, weights, &failure));
            compare(weights, expected + head * map, map, TOLERANCE, name);
        }
    }
    free(weights);
    sac_source_destroy(&source);
}

void check_logits(const trial *t)
{
    size_t V = t->model->vocabulary, T = t->inference->count;
    const float *logits = expect(t, "logits", T * V) + (T - 1) * V;
    compare(t->inference->next, logits, V, 1e-3, "logits");
}

void check_words(const trial *t)
{
    int generated[8], count;
    const sac_sampling greedy = {.count = 8};
    const sac_array *expected = find(t, "generated");
    assert_int_equal(sac_array_count(expected), t->inference->count + 8);
    OK(sac_inference_continue(t->inference, &greedy, generated, &count, &failure));
    assert_int_equal(count, 8);
    assert_memory_equal(generated, (const int *)expected->data + t->inference->count,
                        sizeof generated);
}

void check_family(const char *architecture, const char *prefix)
{
    trial t;
    open_named(&t, architecture, prefix);
    check_states(&t);
    check_weights(&t);
    close_trial(&t);
}

/* ---------------------------------------------------------------- folders */

static char folder[64];

static void write_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void make_folder(const char *config, const char *weights_of)
{
    char from[512], to[128];
    snprintf(folder, sizeof folder, "/tmp/saccade-familyXXXXXX");
    assert_non_null(mkdtemp(folder));
    write_file("config.json", config);
    write_file("vocab.txt", "[UNK]\n[CLS]\n[SEP]\na\n");
    snprintf(from, sizeof from, "%s/%s/model.safetensors", REFERENCES, weights_of);
    snprintf(to, sizeof to, "%s/model.safetensors", folder);
    assert_int_equal(symlink(from, to), 0);
}

static void remove_folder(void)
{
    static const char *const names[] = {"config.json", "vocab.txt", "model.safetensors"};
    char path[128];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

sac_status open_with_config(const char *architecture, const char *config,
                            sac_pretrained_model **model, sac_error *error)
{
    make_folder(config, architecture);
    sac_status status =
        sac_pretrained_model_open_stored(folder, NULL, SAC_STORAGE_F32, model, error);
    remove_folder();
    return status;
}

void check_folder_refused(const char *architecture, const char *config, sac_status status,
                          const char *what)
{
    sac_pretrained_model *model;
    char line[1200];
    assert_int_equal(open_with_config(architecture, config, &model, &failure), status);
    assert_null(model);
    if (!strstr(sac_error_line(&failure, line, sizeof line), what))
        fail_msg("“%s” does not contain “%s”", line, what);
}
