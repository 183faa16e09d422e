/* Launches of cl/layers/caption_step.cl. */

#include "captioner/decode/decode_step.h"

#include "captioner/decode/encode.h"
#include "efficientnet/efficientnet.h"
#include "gemm/gemm_in_place.h"
#include "gemm/gemm_tiled.h"
#include "gemm/launch.h"

/* The twin of cl/layers/caption_step.cl's `decoder`. */
typedef struct decoder {
    cl_uint embedding, hidden, keys, dim, depth, words;
    cl_uint table;
    cl_uint query, v, gate, gate_bias;
    cl_uint from_context, from_state;
    cl_uint out_state, out_context, out, out_bias;
    cl_uint start_state, state_bias, start_cell, cell_bias;
    cl_uint has_padding;
    cl_float scale;
    cl_uint padded;
    cl_uint rows;
    cl_uint pad, start, end;
    cl_uint masked, masked_count;
    cl_uint given;
    cl_uint first, steps;
} decoder;

static cl_uint place_of(const sac_parameter *parameter)
{
    return parameter ? parameter->value.at : 0;
}

/* In pairs of the kernel's vectors, of which the widest have 16 numbers. */
size_t sac_captioner_padded_keys(const sac_captioner *c)
{
    return ((size_t)c->keys + 31) / 32 * 32;
}

static decoder describe_layers(const sac_captioner *c)
{
    const sac_captioner_weights *w = &c->weights;
    return (decoder){
        .embedding = (cl_uint)c->shape.embedding,
        .hidden = (cl_uint)c->shape.hidden,
        .keys = (cl_uint)c->cells,
        .dim = (cl_uint)c->keys,
        .depth = (cl_uint)c->depth,
        .words = (cl_uint)c->shape.vocabulary,
        .table = place_of(w->embedding),
        .query = place_of(w->query),
        .v = place_of(w->v),
        .gate = place_of(w->gate),
        .gate_bias = place_of(w->gate_bias),
        .from_context = place_of(w->from_context),
        .from_state = place_of(w->from_state),
        .out_state = place_of(w->output.state),
        .out_context = place_of(w->output.context),
        .out = place_of(w->output.out),
        .out_bias = place_of(w->output.bias),
        .start_state = place_of(w->state.weight),
        .state_bias = place_of(w->state.bias),
        .start_cell = place_of(w->cell.weight),
        .cell_bias = place_of(w->cell.bias),
        .padded = (cl_uint)sac_captioner_padded_keys(c),
    };
}

/* All steps that are left, but one at a time where loops may not be long. */
static int steps_of(sac_captioner *c, const sac_beam *beam)
{
    size_t limit = 0;
    sac_pass *pass = &c->base.pass;
    SAC_PASS_CALL(pass, sac_quirk_loop_limit(pass->device, &limit, &pass->error));
    return limit ? 1 : beam->options.length - beam->step;
}

/* The words that are masked in the decoder's input. */
static void describe_masked(const sac_captioner *c, decoder *d)
{
    const sac_dataset *dataset = sac_captioner_dataset(&c->shape);
    if (!dataset)
        return;
    d->masked = (cl_uint)dataset->masked.first;
    d->masked_count = c->shape.masks_colours ? (cl_uint)dataset->masked.count : 0;
}

static decoder describe(sac_captioner *c, const sac_beam *beam, const sac_result_request *request)
{
    const sac_beam_options *o = &beam->options;
    decoder d = describe_layers(c);
    d.has_padding = request->hidden != NULL;
    d.scale = sac_captioner_attention(c, 1, request->temperature).spec.scale;
    d.rows = (cl_uint)o->width;
    d.pad = (cl_uint)o->pad;
    d.start = (cl_uint)o->start;
    d.end = (cl_uint)o->end;
    describe_masked(c, &d);
    d.given = (cl_uint)request->prefix_count;
    d.first = (cl_uint)beam->step;
    d.steps = (cl_uint)steps_of(c, beam);
    return d;
}

/* A search for one sentence, or for several: the kernel is compiled for either, since with both in
 * it a first caption takes 0.6 s longer. */
static const char *options_of(const sac_captioner *c, bool several)
{
    static const char *const options[2][2] = {
        {" -DADDITIVE=0 -DTOGETHER=1", " -DADDITIVE=0 -DTOGETHER=3"},
        {" -DADDITIVE=1 -DTOGETHER=1", " -DADDITIVE=1 -DTOGETHER=3"}};
    return options[c->shape.score == SAC_SCORE_ADDITIVE][several];
}

void sac_captioner_expect(const sac_captioner *c)
{
    sac_device *device = c->base.pass.device;
    sac_device_make_ahead(device);
    sac_launch_items_expect(device, "panels");
    sac_gemm_in_place_expect(device, SAC_STORED_F32);
    sac_tiled_expect(device);
    if (c->shape.network.name[0]) {
        sac_efficientnet_expect(device);
        sac_launch_items_expect(device, "layers");
    }
    sac_launch_groups_expect(device, "layer_norm", "", false);
    sac_launch_groups_expect(device, "caption_step", options_of(c, true), true);
}

int sac_captioner_launch_steps(sac_captioner *c, const sac_beam *beam,
                               const sac_result_request *request)
{
    struct sac_decode_buffers *s = c->decode;
    decoder d = describe(c, beam, request);
    sac_arg args[] = {SAC_ARG(d),
                      SAC_ARG(c->base.parameters.values.buffer),
                      SAC_ARG(s->encoder.gates_of_word.buffer),
                      SAC_ARG(s->f.features.buffer),
                      SAC_ARG(s->f.keys.buffer),
                      SAC_ARG(s->mask.buffer),
                      SAC_ARG(s->given.buffer),
                      SAC_ARG(s->states.buffer),
                      SAC_ARG(s->results.buffer),
                      SAC_ARG(s->work.buffer)};
    sac_pass_groups(&c->base.pass, "caption_step", options_of(c, beam->options.width > 1),
                    "mark_words", args, sizeof args / sizeof *args, 1);
    return (int)d.steps;
}
