/* Heads that are switched off or scaled, against `transformers` with hooks (make_switched.py): what
 * leaves the last layer, what all heads look at, the next token and the generation. */
#include "saccade_arrays.h"
#include "status.h"
#include "trial.h"

typedef struct switched {
    trial t;
    char prefix[32]; /* of the family's names, lent to t */
    size_t layers, heads;
    const float *scale; /* [layers,heads] */
} switched;

static void open_switched(switched *s, const char *family)
{
    char folder[512];
    snprintf(folder, sizeof folder, "%s/%s", REFERENCES, family);
    snprintf(s->prefix, sizeof s->prefix, "%s.", family);
    open_trial(&s->t, folder, REFERENCES "/switched.safetensors", s->prefix);
    s->layers = (size_t)s->t.model->layers;
    s->heads = (size_t)s->t.model->run.heads;
    s->scale = expect(&s->t, "scale", s->layers * s->heads);
}

static void check_generation(const switched *s, const sac_inference *p)
{
    enum { GENERATED = 6 };
    const sac_array *expected = sac_arrays_find(
        s->t.expected, s->t.prefix[1] == 'p' ? "gpt2.generated" : "llama.generated");
    const sac_sampling options = {.count = GENERATED};
    int generated[GENERATED], count;
    OK(sac_inference_continue(p, &options, generated, &count, &failure));
    assert_int_equal(count, GENERATED);
    assert_memory_equal(generated, expected->data, sizeof generated);
}

static void check_switched(const char *family, bool generates)
{
    switched s;
    sac_inference *p;
    open_switched(&s, family);
    OK(sac_inference_scaled(s.t.inference, s.scale, &p, &failure));
    size_t T = p->count, numbers = T * s.t.model->width, map = T * T, V = s.t.model->vocabulary;
    compare(p->left, expect(&s.t, "left", numbers), numbers, 1e-4, "left");
    if (p->next && generates)
        compare(p->next, expect(&s.t, "logits", V), V, 1e-3, "logits");
    if (generates)
        check_generation(&s, p);
    /* Its states are those of heads that are scaled, too. */
    float *states = calloc((s.layers + 1) * numbers, sizeof *states);
    assert_non_null(states);
    OK(sac_inference_states(p, states, &failure));
    if (!s.t.model->last_state_unnormed)
        compare(states + s.layers * numbers, p->left, numbers, 1e-6, "last state");
    free(states);
    sac_inference_free(p);

    /* Through the source: all weights change, and with all heads they are as they were. */
    sac_source source;
    sac_heads_effect effect = {0};
    OK(sac_inference_open_source(s.t.inference, &source, &failure));
    s.t.inference = NULL;
    size_t count = s.layers * s.heads, last = (s.layers - 1) * s.heads;
    float *weights = calloc(2 * map, sizeof *weights), *ones = calloc(count, sizeof *ones);
    assert_true(weights && ones);
    const sac_tile tile = {.rows = T, .cols = T};
    OK(source.weights.tile(source.self, s.layers - 1, &tile, weights, &failure));
    OK(source.weights.scale_heads(source.self, s.scale, &effect, &failure));
    const float *expected = expect(&s.t, "attentions", count * map);
    for (size_t i = 0; i < count; i++) {
        sac_tile head = tile;
        head.head = i % s.heads;
        OK(source.weights.tile(source.self, i / s.heads, &head, weights + map, &failure));
        compare(weights + map, expected + i * map, map, 1e-4, "attentions");
    }
    assert_true(memcmp(weights, expected + last * map, map * sizeof *weights) != 0);
    assert_int_equal(effect.count, T);
    assert_true(effect.change > 0.01f && effect.changes[T - 1] > 0);
    sac_heads_effect_free(&effect);
    for (size_t i = 0; i < count; i++)
        ones[i] = 1;
    OK(source.weights.scale_heads(source.self, ones, &effect, &failure));
    OK(source.weights.tile(source.self, s.layers - 1, &tile, weights + map, &failure));
    assert_memory_equal(weights, weights + map, map * sizeof *weights);
    assert_true(effect.count == 0 && effect.change == 0 && !effect.now);
    sac_heads_effect_free(&effect);
    free(weights);
    free(ones);
    sac_source_destroy(&source);
    close_trial(&s.t);
}

TEST(decoders_without_heads_generate_what_transformers_does)
{
    check_switched("gpt2", true);
    check_switched("llama", true);
}

TEST(a_decoder_of_parallel_parts_without_heads_is_that_of_transformers)
{
    check_switched("gpt_neox", false);
}

TEST(an_encoder_of_text_without_heads_is_that_of_transformers)
{
    check_switched("bert", false);
}

TEST(an_encoder_of_pictures_without_heads_is_that_of_transformers)
{
    check_switched("vit", false);
}

/* Changes are reported: tokens with both probabilities, the larger of both first. */
TEST(what_heads_change_is_reported_by_both_probabilities)
{
    switched s;
    sac_source source;
    sac_heads_effect effect = {0};
    sac_inference *p;
    open_switched(&s, "llama");
    OK(sac_inference_scaled(s.t.inference, s.scale, &p, &failure));
    const sac_inference *whole = s.t.inference;
    OK(sac_inference_open_source(s.t.inference, &source, &failure));
    s.t.inference = NULL;
    OK(source.weights.scale_heads(source.self, s.scale, &effect, &failure));
    assert_int_equal(effect.next_count, SAC_EFFECT_NEXT);
    for (int i = 0; i < effect.next_count; i++) {
        const sac_candidate *token = &effect.next[i];
        float larger = fmaxf(token->probability, token->left);
        assert_float_equal(
            token->probability,
            sac_logits_probability(whole->next, sac_inference_vocabulary(whole), token->id), 1e-6);
        assert_float_equal(token->left,
                           sac_logits_probability(p->next, sac_inference_vocabulary(p), token->id),
                           1e-6);
        assert_true(i == 0 ||
                    larger <= fmaxf(effect.next[i - 1].probability, effect.next[i - 1].left));
    }
    sac_heads_effect_free(&effect);
    sac_inference_free(p);
    sac_source_destroy(&source);
    close_trial(&s.t);
}

/* A prompt that sees all of itself, and not some of its picture: read with scales, or scaled afterwards. */
TEST(a_scaled_copy_of_a_prompt_sees_what_the_prompt_sees)
{
    enum { COUNT = 9, SEEN = 4, PICTURE = 5 };
    const int ids[COUNT] = {PICTURE, PICTURE, PICTURE, PICTURE, 3, 9, 14, 1, 6};
    const uint8_t hidden[COUNT] = {0, 1, 0, 0, 0, 0, 0, 0, 0};
    sac_pretrained_model *model;
    sac_inference *whole, *direct, *scaled;
    OK(sac_pretrained_model_open_stored(REFERENCES "/gemma2", NULL, SAC_STORAGE_F32, &model,
                                        &failure));
    const size_t D = model->width, numbers = COUNT * D;
    float *pictured = malloc(SEEN * D * sizeof *pictured);
    float *states = malloc(((size_t)model->layers + 1) * numbers * sizeof *states);
    float scale[64];
    for (size_t i = 0; i < SEEN * D; i++)
        pictured[i] = sinf((float)i);
    for (size_t i = 0; i < 64; i++)
        scale[i] = i % 3 ? 1 : 0.25f;
    sac_prompt prompt = {.ids = ids,
                         .count = COUNT,
                         .picture = PICTURE,
                         .pictured = pictured,
                         .hidden = hidden,
                         .is_bidirectional = true};
    OK(sac_inference_read_prompt(model, &prompt, &whole, &failure));
    prompt.scale = scale;
    OK(sac_inference_read_prompt(model, &prompt, &direct, &failure));
    OK(sac_inference_scaled(whole, scale, &scaled, &failure));
    compare(scaled->left, direct->left, numbers, 1e-6, "left");
    OK(sac_inference_states(whole, states, &failure));
    compare(states + (size_t)model->layers * numbers, whole->left, numbers, 1e-6, "states");
    free(pictured);
    free(states);
    sac_inference_free(whole);
    sac_inference_free(direct);
    sac_inference_free(scaled);
    sac_pretrained_model_close(model);
}

TEST_MAIN(open_device, close_device)
