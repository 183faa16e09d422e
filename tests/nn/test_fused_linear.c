/* Joint products of few rows, the attention of a token, and a layer of one in one launch: their self-tests, which hold them against float64, pass in
 * every form that a CPU takes; they leave to others what they do not know; and layers that are made of them give what
 * those of many rows give. */
#include <math.h>

#include "attention/token/token.h"
#include "gemm/fused_linear.h"
#include "gemm/gemm_backends.h"
#include "gemm/launch.h"
#include "nn/attention/positions.h"
#include "nn/transformer.h"
#include "reference.h"
#include "status.h"
#include "test.h"

/* Not on GPUs, and not where loops may not be long. */
static bool is_for_this_device(void)
{
    size_t limit = 0;
    sac_device *device = reference_device();
    OK(sac_quirk_loop_limit(device, &limit, &failure));
    return device->profile.is_cpu && !limit;
}

TEST(joint_products_are_right_in_every_form)
{
    sac_device *device = reference_device();
    for (sac_stored stored = SAC_STORED_F32; stored < SAC_STORED_COUNT; stored++)
        if (reference_tries(stored))
            assert_int_equal(
                sac_fused_takes(device, &(sac_fused){.rows = 1, .in = 256, .stored = stored}),
                is_for_this_device());
}

TEST(joint_products_by_floats_are_right_too)
{
    sac_device *device = reference_device();
    bool has_dots = device->profile.has_dots;
    device->profile.has_dots = false;
    for (size_t i = 0; i < REFERENCE_DOTS; i++) {
        const sac_stored stored = reference_dots[i];
        if (reference_tries(stored))
            assert_int_equal(
                sac_fused_takes(device, &(sac_fused){.rows = 1, .in = 256, .stored = stored}),
                is_for_this_device());
    }
    device->profile.has_dots = has_dots;
}

TEST(joint_products_leave_odd_rows_and_many_to_others)
{
    sac_device *device = reference_device();
    assert_false(sac_fused_takes(device, &(sac_fused){.rows = SAC_GEMM_FEW + 1, .in = 256}));
    assert_false(sac_fused_takes(device, &(sac_fused){.rows = 1, .in = 250}));
    assert_false(
        sac_fused_takes(device, &(sac_fused){.rows = 1, .in = 96, .stored = SAC_STORED_Q6_K}));
}

TEST(attention_of_a_token_is_right)
{
    sac_device *device = reference_device();
    for (size_t depth = 16; depth <= 256; depth *= 2)
        assert_int_equal(
            sac_token_attention_takes(
                device,
                &(sac_token_attention){.heads = 64, .key_heads = 64, .depth = depth, .keys = 100}),
            is_for_this_device() && device->profile.vector_width <= depth);
}

TEST(attention_of_a_token_leaves_other_heads_to_others)
{
    sac_token_attention odd = {.heads = 64, .key_heads = 64, .depth = 20, .keys = 100};
    sac_token_attention few = {.heads = 1, .key_heads = 1, .depth = 64, .keys = 100000};
    assert_false(sac_token_attention_takes(reference_device(), &odd));
    if (reference_device()->info.compute_units > 1)
        assert_false(sac_token_attention_takes(reference_device(), &few));
}

/* A layer that differs from what the self-test has in nothing but its sizes. */
static sac_token_layer plain_layer(sac_stored stored)
{
    const sac_fused product = {.rows = 1, .in = 256, .stored = stored, .count = 1};
    sac_token_layer layer = {product, {0}, product, product, product};
    layer.attention = (sac_token_attention){.heads = 64, .key_heads = 64, .depth = 64, .keys = 100};
    layer.project.count = 3;
    return layer;
}

TEST(layers_of_a_token_are_right_in_every_form)
{
    sac_device *device = reference_device();
    for (sac_stored stored = SAC_STORED_F32; stored < SAC_STORED_COUNT; stored++) {
        const sac_token_layer layer = plain_layer(stored);
        if (reference_tries(stored))
            assert_int_equal(sac_token_layer_takes(device, &layer), is_for_this_device());
    }
}

TEST(layers_of_a_token_of_other_forms_are_computed_in_parts)
{
    sac_token_layer mixed = plain_layer(SAC_STORED_F32), many = mixed, joined = mixed;
    mixed.down.stored = SAC_STORED_BF16;
    many.project.rows = many.out.rows = many.hidden.rows = many.down.rows = 2;
    joined.project.count = 1;
    assert_false(sac_token_layer_takes(reference_device(), &mixed));
    assert_false(sac_token_layer_takes(reference_device(), &many));
    assert_false(sac_token_layer_takes(reference_device(), &joined));
}

/* ---------------------------------------------------------------- a layer */

enum { WORDS = 5, WIDE = 64, HEADS = 4, KEY_HEADS = 2, DEPTH = 16, HIDDEN = 96 };

/* Declares a layer as in LLaMA, with SwiGLU's two matrices, or as in GPT-2. */
static sac_transformer_layer declare(sac_parameters *p, bool gated)
{
    sac_transformer_layer l = {0};
    sac_multihead *self = &l.attention[SAC_PART_SELF];
    self->query = sac_dense_declare(p, "", "q", HEADS * DEPTH, WIDE, !gated);
    self->key = sac_dense_declare(p, "", "k", KEY_HEADS * DEPTH, WIDE, !gated);
    self->value = sac_dense_declare(p, "", "v", KEY_HEADS * DEPTH, WIDE, !gated);
    self->out = sac_dense_declare(p, "", "o", WIDE, HEADS * DEPTH, !gated);
    l.in = sac_dense_declare(p, "", "up", HIDDEN, WIDE, !gated);
    l.out = sac_dense_declare(p, "", "down", WIDE, HIDDEN, !gated);
    if (gated)
        l.gate = sac_dense_declare(p, "", "gate", HIDDEN, WIDE, false);
    l.norm[SAC_PART_SELF] = gated ? sac_rms_norm_declare(p, "", "first", WIDE, 1e-5f)
                                  : sac_layer_norm_declare(p, "", "first", WIDE);
    l.norm[SAC_PART_FORWARD] = gated ? sac_rms_norm_declare(p, "", "second", WIDE, 1e-5f)
                                     : sac_layer_norm_declare(p, "", "second", WIDE);
    return l;
}

static void fill_tensor(sac_tensor x, unsigned seed)
{
    double drawn[HIDDEN * WIDE];
    float numbers[HIDDEN * WIDE];
    size_t count = sac_tensor_count(x);
    assert_true(count <= HIDDEN * WIDE);
    reference_fill(drawn, count, seed);
    for (size_t i = 0; i < count; i++)
        numbers[i] = (float)drawn[i];
    sac_pass_write(reference_pass(), x, numbers);
}

/* A word's row, part by part, or in one launch. */
static sac_tensor run_word(const sac_transformer_layer *layer, const sac_transformer_run *run,
                           sac_tensor row, const sac_transformer_tensors *own, bool at_once)
{
    sac_pass *pass = reference_pass();
    if (at_once) {
        assert_true(sac_transformer_token_layer(pass, layer, run, row, own));
        return own->sum[SAC_PART_FORWARD];
    }
    sac_transformer_part_project(pass, layer, run, row, own);
    sac_transformer_part_rotate(pass, layer, run, SAC_PART_SELF, own);
    row = sac_transformer_part_attended(pass, layer, run, SAC_PART_SELF, row, own);
    return sac_transformer_part_forwarded(pass, layer, run, row, row, own);
}

/* The last word's row after all words at once, and after word by word. */
static void check_layer(bool gated, bool turned, bool at_once)
{
    sac_pass *pass = reference_pass();
    sac_parameters parameters = {0};
    sac_arena arena = {0};
    sac_transformer_tensors whole = {0}, one = {0};
    sac_tensor x = {0}, keys = {0}, values = {0}, table = {0};
    float all[WORDS * WIDE], given[WIDE];
    sac_transformer_layer layer = declare(&parameters, gated);
    sac_transformer_run run = {.batch = 1,
                               .heads = HEADS,
                               .key_heads = KEY_HEADS,
                               .norm_first = true,
                               .causal = true,
                               .activation = gated ? SAC_SILU : SAC_GELU_TANH};
    OK(sac_parameters_create(&parameters, reference_device(), false, 0, &failure));
    for (int i = 0; i < parameters.count; i++)
        fill_tensor(parameters.list[i]->value, (unsigned)i + 1);
    sac_arena_shape(&arena, pass, &x, WORDS, WIDE);
    sac_arena_shape(&arena, pass, &keys, WORDS, KEY_HEADS * DEPTH);
    sac_arena_shape(&arena, pass, &values, WORDS, KEY_HEADS * DEPTH);
    sac_arena_shape(&arena, pass, &table, WORDS, DEPTH);
    fill_tensor(x, 50);
    sac_rotary rotary = sac_rotary_of(DEPTH, 100);
    sac_rotary_place(pass, &rotary, table, 0);
    if (turned)
        run.rotation = table;
    sac_transformer_layer_shape(pass, &arena, &layer, &run, WORDS, 0, &whole);
    sac_pass_read(
        pass, sac_transformer_layer_forward(pass, &layer, &run, x, (sac_tensor){0}, &whole), all);
    sac_transformer_layer_shape(pass, &arena, &layer, &run, 1, 0, &one);
    run.causal = false;
    for (size_t n = 0; n < WORDS; n++) {
        sac_transformer_tensors own = one;
        sac_multihead_tensors *t = &own.attention[SAC_PART_SELF];
        sac_tensor row = sac_tensor_rows(x, n, 1);
        if (turned)
            run.rotation = sac_tensor_rows(table, n, 1);
        assert_int_equal(sac_transformer_takes_token(pass, &layer, &run, n + 1),
                         is_for_this_device());
        t->token_keys = sac_tensor_rows(keys, 0, n + 1);
        t->token_values = sac_tensor_rows(values, 0, n + 1);
        t->value = sac_tensor_rows(values, n, 1);
        sac_pass_read(pass, run_word(&layer, &run, row, &own, at_once), given);
        reference_end();
        for (size_t i = 0; i < WIDE; i++)
            assert_true(fabsf(given[i] - all[n * WIDE + i]) < 1e-3f * (1 + fabsf(given[i])));
    }
    sac_arena_release(&arena);
    sac_parameters_destroy(&parameters);
}

TEST(a_layer_gives_word_by_word_what_it_gives_at_once)
{
    if (!is_for_this_device())
        skip();
    for (int at_once = 0; at_once < 2; at_once++) {
        check_layer(true, true, at_once);
        check_layer(true, false, at_once);
        check_layer(false, false, at_once);
    }
}

TEST_MAIN(NULL, reference_close)
