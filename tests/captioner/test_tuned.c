/* The gradient of a caption's loss by all of the network that sees the photograph, against PyTorch
 * (tests/reference/make_tuned.py). */
#include <math.h>
#include <string.h>

#include "captioner/learn/learn.h"
#include "captioner/model.h"
#include "on_device.h"
#include "saccade_arrays.h"
#include "status.h"

enum { SIDE = 64, PICTURES = 2, SENTENCES = 3, STEPS = 6 };

/* The rule by which that program makes numbers: uniform in ±1. */
static float noise(const char *name, size_t index)
{
    uint32_t seed = 0;
    for (; *name; name++)
        seed = seed * 31 + (uint8_t)*name;
    uint32_t x = (uint32_t)index * 0x9E3779B1u + seed;
    x = (x ^ x >> 16) * 0x85EBCA6Bu;
    x = (x ^ x >> 13) * 0xC2B2AE35u;
    x ^= x >> 16;
    return (float)(x >> 8) / (1 << 23) - 1;
}

static void draw(const sac_parameter *p)
{
    float *numbers = malloc(p->count * sizeof *numbers);
    float inputs = p->rank == 3 ? 9 : (float)p->value.width;
    float bound = p->rank > 1 ? 2 / sqrtf(inputs) : 0.125f;
    for (size_t i = 0; i < p->count; i++) {
        numbers[i] = bound * noise(p->name, i);
        if (strcmp(p->name, "encoder.norm.weight") == 0)
            numbers[i] += 1;
    }
    OK(sac_span_write(device, sac_tensor_span(p->value), p->count, numbers, &failure));
    free(numbers);
}

static sac_captioner *create(int learning)
{
    static const char *const words[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    sac_captioner *captioner;
    sac_caption_vocabulary table;
    OK(sac_caption_vocabulary_create(words, sizeof words / sizeof *words, &table, &failure));
    sac_captioner_words *list = sac_captioner_words_create(&table);
    sac_captioner_shape shape = sac_captioner_photograph_shape("lite0", list, SAC_SCORE_ADDITIVE);
    sac_captioner_words_free(list);
    shape.side = SIDE;
    shape.network.features = 24;
    shape.network.learning = learning;
    shape.attention = 16;
    shape.hidden = shape.embedding = 32;
    OK(sac_captioner_create(device, &shape, 3, &captioner, &failure));
    sac_captioner_shape_free(&shape);
    const sac_parameters *frozen = &captioner->base.frozen, *own = &captioner->base.parameters;
    for (int i = 0; i < frozen->count; i++)
        draw(frozen->list[i]);
    for (int i = 0; i < own->count; i++)
        draw(own->list[i]);
    const sac_parameter *gain = captioner->weights.cells.gain,
                        *bias = captioner->weights.cells.bias;
    OK(sac_span_fill(device, sac_tensor_span(gain->value), gain->count, 1, &failure));
    OK(sac_span_fill(device, sac_tensor_span(bias->value), bias->count, 0, &failure));
    return captioner;
}

static void hold(const sac_parameter *p, const sac_array *wanted)
{
    const float *expected = wanted->data;
    float *found = malloc(p->count * sizeof *found);
    double scale = 0, off = 0;
    assert_int_equal(sac_array_count(wanted), p->count);
    OK(sac_span_read(device, sac_tensor_span(p->gradient), p->count, found, &failure));
    for (size_t i = 0; i < p->count; i++) {
        scale = fmax(scale, fabs((double)expected[i]));
        off = fmax(off, fabs((double)found[i] - (double)expected[i]));
    }
    if (!(off <= 2e-5 * scale))
        fail_msg("%s: off by %g of %g", p->name, off, scale);
    free(found);
}

/* What comes into the first part that runs: the pictures, or what a network that stays as it is makes
 * of them. */
static void fill(sac_captioner *c, sac_caption_batch *batch)
{
    static float pixels[PICTURES * SIDE * SIDE * 3];
    for (size_t i = 0; i < sizeof pixels / sizeof *pixels; i++)
        pixels[i] = noise("pixels", i);
    batch->grids = pixels;
    if (!c->first)
        return;
    sac_captioner *still = create(0);
    sac_pass *pass = &still->base.pass;
    sac_efficientnet_run run = {0};
    size_t count = PICTURES * sac_efficientnet_input_size(&c->weights.network.shape, c->first);
    float *grids = calloc(count, sizeof *grids);
    sac_efficientnet_prepare(&still->weights.network, pass, &run, PICTURES);
    sac_efficientnet_write(&still->weights.network, pass, &run, pixels);
    sac_efficientnet_forward_to(&still->weights.network, pass, &run, c->first);
    assert_int_equal(sac_tensor_count(run.part[c->first].x), count);
    sac_pass_read(pass, run.part[c->first].x, grids);
    OK(sac_pass_end(pass, &failure));
    batch->grids = grids;
    sac_efficientnet_release(&run);
    sac_captioner_destroy(still);
}

/* With `learning` blocks; what comes into the first of them is kept, or all of the network runs. */
static void check(int learning, bool kept, int expected)
{
    static const int words[SENTENCES][STEPS] = {
        {5, 7, 4, 9, 6, SAC_VOCABULARY_END}, {8, 4, 10, SAC_VOCABULARY_END}, {11, 5, 7, 2}};
    sac_arrays *reference;
    sac_captioner *c = create(learning);
    int targets[STEPS * SENTENCES], inputs[STEPS * SENTENCES], objects[STEPS * SENTENCES], held = 0;
    sac_caption_batch batch = {.size = SENTENCES,
                               .steps = STEPS,
                               .photographs = PICTURES,
                               .picture_of = (int[]){1, 0, 0},
                               .targets = targets,
                               .inputs = inputs,
                               .object_of_word = objects,
                               .lengths = (int[]){6, 4, 4}};
    float losses[3];
    for (int t = 0; t < STEPS; t++)
        for (int b = 0; b < SENTENCES; b++) {
            targets[t * SENTENCES + b] = words[b][t];
            inputs[t * SENTENCES + b] = t ? words[b][t - 1] : SAC_VOCABULARY_START;
            objects[t * SENTENCES + b] = -1;
        }
    c->first = kept ? c->first : 0;
    fill(c, &batch);
    OK(sac_parameters_zero_gradients(&c->base.parameters, &failure));
    OK(sac_captioner_learn(c, &batch, &(sac_caption_lesson){0}, losses, &failure));
    OK(sac_arrays_open(TESTS "/captioner/tuned.npz", &reference, &failure));
    const sac_array *loss = sac_arrays_find(reference, "loss");
    assert_float_equal(losses[0], *(const float *)loss->data, 1e-5f);
    for (int i = 0; i < c->base.parameters.count; i++) {
        const sac_parameter *p = c->base.parameters.list[i];
        const sac_array *wanted = sac_arrays_find(reference, p->name);
        if (wanted)
            hold(p, wanted);
        held += wanted != NULL;
    }
    assert_int_equal(held, expected);
    if (c->first)
        free(batch.grids);
    sac_arrays_close(reference);
    sac_captioner_destroy(c);
}

TEST(the_gradient_of_a_caption_reaches_the_first_convolution)
{
    check(1000, false, 9);
}

TEST(it_ends_where_the_network_stays_as_it_is)
{
    check(0, true, 2);
    check(1, true, 4);
    check(9, false, 5);
    check(9, true, 5);
}

TEST_MAIN(open_device, close_device)
