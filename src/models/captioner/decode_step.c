/* Launches of cl/caption_step.cl. */

#include "captioner/decode_step.h"

#include "captioner/decode_buffers.h"

/* The twin of cl/caption_step.cl's `decoder`. */
typedef struct decoder {
    cl_uint embedding, hidden, keys, dim, depth, words;
    cl_uint table;
    cl_uint query, v, gate, gate_bias;
    cl_uint from_word, from_context, from_state, lstm_bias;
    cl_uint out_state, out_context, out, out_bias;
    cl_uint start_state, state_bias, start_cell, cell_bias;
    cl_uint has_padding;
    cl_float scale;
    cl_uint bank;
    cl_uint word[SAC_BEAM_WIDTH], parent[SAC_BEAM_WIDTH];
} decoder;

static cl_uint place_of(const sac_parameter *parameter)
{
    return parameter ? parameter->value.at : 0;
}

static decoder describe(const sac_captioner *c, bool hidden, float temperature)
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
        .from_word = place_of(w->from_word),
        .from_context = place_of(w->from_context),
        .from_state = place_of(w->from_state),
        .lstm_bias = place_of(w->lstm_bias),
        .out_state = place_of(w->output.state),
        .out_context = place_of(w->output.context),
        .out = place_of(w->output.out),
        .out_bias = place_of(w->output.bias),
        .start_state = place_of(w->state.weight),
        .state_bias = place_of(w->state.bias),
        .start_cell = place_of(w->cell.weight),
        .cell_bias = place_of(w->cell.bias),
        .has_padding = hidden,
        .scale = sac_captioner_attention(c, 1, temperature).spec.scale,
    };
}

static void launch(sac_captioner *c, const char *kernel, const sac_arg *args, int count,
                   size_t groups)
{
    bool additive = c->shape.score == SAC_SCORE_ADDITIVE;
    sac_pass_groups(&c->base.pass, "caption_step", additive ? " -DADDITIVE=1" : " -DADDITIVE=0",
                    kernel, args, count, groups);
}

void sac_captioner_launch_begin(sac_captioner *c, bool hidden)
{
    struct sac_decode_buffers *s = c->decode;
    decoder d = describe(c, hidden, 1);
    sac_arg args[] = {SAC_ARG(d),
                      SAC_ARG(c->base.parameters.values.buffer),
                      SAC_ARG(s->f.features.buffer),
                      SAC_ARG(s->mask.buffer),
                      SAC_ARG(s->states.buffer),
                      SAC_ARG(s->work.buffer)};
    launch(c, "first_state", args, sizeof args / sizeof *args, 1);
}

void sac_captioner_launch_step(sac_captioner *c, const sac_beam *beam, bool hidden,
                               float temperature)
{
    struct sac_decode_buffers *s = c->decode;
    int words[SAC_BEAM_WIDTH], parents[SAC_BEAM_WIDTH];
    decoder d = describe(c, hidden, temperature);
    d.bank = beam->step % 2;
    sac_beam_last(beam, words, parents);
    for (int i = 0; i < beam->rows; i++) {
        d.word[i] = (cl_uint)words[i];
        d.parent[i] = (cl_uint)parents[i];
    }
    sac_arg args[] = {SAC_ARG(d),
                      SAC_ARG(c->base.parameters.values.buffer),
                      SAC_ARG(s->f.features.buffer),
                      SAC_ARG(s->f.keys.buffer),
                      SAC_ARG(s->mask.buffer),
                      SAC_ARG(s->states.buffer),
                      SAC_ARG(s->results.buffer),
                      SAC_ARG(s->work.buffer)};
    launch(c, "next_word", args, sizeof args / sizeof *args, (size_t)beam->rows);
}
