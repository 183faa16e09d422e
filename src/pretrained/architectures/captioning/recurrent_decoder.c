/* An LSTM that looks once a word: the weights of each step come along with it. */
#include "architectures/captioning/text_decoder.h"
#include "nn/attention/one_query.h"
#include "nn/recurrent.h"

typedef sac_pretrained_captioner captioner;

/* ---------------------------------------------------------------- layers */

void sac_recurrent_declare(sac_recurrent *l, sac_parameters *p, size_t seen, size_t scored,
                           size_t embedded, size_t hidden, size_t vocabulary)
{
    static const char layer[] = "decoder";
    l->encoder_att = sac_dense_declare(p, layer, "attention.encoder_att", scored, seen, true);
    l->decoder_att = sac_dense_declare(p, layer, "attention.decoder_att", scored, hidden, true);
    l->full_att = sac_parameter_matrix(p, "decoder.attention.full_att.weight", 1, scored);
    l->init_h = sac_dense_declare(p, layer, "init_h", hidden, seen, true);
    l->init_c = sac_dense_declare(p, layer, "init_c", hidden, seen, true);
    l->f_beta = sac_dense_declare(p, layer, "f_beta", seen, hidden, true);
    l->fc = sac_dense_declare(p, layer, "fc", vocabulary, hidden, true);
    l->embedding = sac_parameter_matrix(p, "decoder.embedding.weight", vocabulary, embedded);
    l->from_input.w =
        sac_parameter_matrix(p, "decoder.decode_step.weight_ih", 4 * hidden, embedded + seen);
    l->from_input.b = sac_parameter_vector(p, "decoder.decode_step.bias_ih", 4 * hidden);
    l->from_state.w = sac_parameter_matrix(p, "decoder.decode_step.weight_hh", 4 * hidden, hidden);
    l->from_state.b = sac_parameter_vector(p, "decoder.decode_step.bias_hh", 4 * hidden);
}

void sac_recurrent_shape(const sac_recurrent *l, sac_pass *pass, sac_arena *arena, size_t cells,
                         size_t rows, sac_recurrent_tensors *t)
{
    size_t D = l->f_beta.w->shape[0], A = l->decoder_att.w->shape[0], H = l->init_h.w->shape[0];
    size_t M = l->embedding->shape[1];
    sac_arena_shape(arena, pass, &t->key, cells, A);
    sac_arena_shape(arena, pass, &t->mean, 1, D);
    for (int i = 0; i < 2; i++) {
        sac_arena_shape(arena, pass, &t->first[i], 1, H);
        sac_arena_shape(arena, pass, &t->before[i], rows, H);
        sac_arena_shape(arena, pass, &t->after[i], rows, H);
    }
    sac_arena_shape_ints(arena, pass, &t->words, rows);
    sac_arena_shape_ints(arena, pass, &t->parents, rows);
    sac_arena_shape(arena, pass, &t->query, rows, A);
    sac_arena_shape(arena, pass, &t->gate, rows, D);
    sac_arena_shape(arena, pass, &t->word, rows, M);
    sac_arena_shape(arena, pass, &t->weights, rows, cells);
    sac_arena_shape(arena, pass, &t->joined, rows, M + D);
    sac_arena_shape(arena, pass, &t->open, rows, 1);
    sac_arena_shape(arena, pass, &t->sums, rows, 4 * H);
}

static void apply(sac_pass *pass, sac_tensor y, sac_tensor x, const sac_dense *layer)
{
    sac_linear_forward(pass, y, x, layer->w, layer->b);
}

void sac_recurrent_begin(const sac_recurrent *l, sac_pass *pass, sac_tensor seen,
                         const sac_recurrent_tensors *t)
{
    apply(pass, t->key, seen, &l->encoder_att);
    sac_mean_cells_forward(pass, t->mean, seen);
    apply(pass, t->first[0], t->mean, &l->init_h);
    apply(pass, t->first[1], t->mean, &l->init_c);
}

static void attend_to_cells(const sac_recurrent *l, sac_pass *pass, const sac_recurrent_step *step,
                            sac_tensor seen, sac_recurrent_tensors *t)
{
    const sac_relu_attention attention = {
        .w = l->full_att,
        .scale = step->temperature > 0 ? 1 / step->temperature : 1,
        .padding = step->hidden,
        .key = t->key,
        .value = seen,
        .query = t->query,
        .gate = t->gate,
        .word = t->word,
        .weights = t->weights,
        .joined = t->joined,
        .open = t->open,
    };
    sac_relu_attention_forward(pass, &attention);
}

void sac_recurrent_decode_step(const sac_recurrent *l, sac_pass *pass,
                               const sac_recurrent_step *step, sac_tensor seen, sac_tensor logits,
                               sac_recurrent_tensors *t)
{
    /* Each sentence starts from the state of its parent. */
    sac_pass_write_ints(pass, t->words, step->words);
    sac_pass_write_ints(pass, t->parents, step->parents);
    for (int i = 0; i < 2; i++)
        sac_gather_rows(pass, t->before[i], step->is_first ? t->first[i] : t->after[i], t->parents);
    sac_embedding_forward(pass, t->word, l->embedding, t->words);
    apply(pass, t->query, t->before[0], &l->decoder_att);
    apply(pass, t->gate, t->before[0], &l->f_beta);
    attend_to_cells(l, pass, step, seen, t);
    apply(pass, t->sums, t->joined, &l->from_input);
    sac_linear_add(pass, t->sums, t->before[0], l->from_state.w);
    sac_add_rows(pass, t->sums, l->from_state.b->value);
    sac_lstm_forward(pass, t->after[0], t->after[1], t->sums, t->before[1]);
    apply(pass, logits, t->after[0], &l->fc);
}

/* ---------------------------------------------------------------- the decoder */

void sac_captioner_shape_recurrent(captioner *c, size_t rows)
{
    sac_pretrained_model *d = c->decoder;
    sac_arena_shape(&c->arena, &d->pass, &c->logits, rows, d->vocabulary);
    sac_recurrent_shape(d->text_decoder.recurrent, &d->pass, &c->arena, c->seen, rows,
                        &c->recurrent);
}

void sac_captioner_step_recurrent(captioner *c, const sac_beam *beam, const sac_step_result *result)
{
    sac_pretrained_model *d = c->decoder;
    int words[SAC_BEAM_WIDTH], parents[SAC_BEAM_WIDTH];
    sac_beam_last_words(beam, words, parents);
    sac_captioner_shape_recurrent(c, (size_t)beam->rows);
    const sac_recurrent_step step = {.is_first = beam->step == 0,
                                     .words = words,
                                     .parents = parents,
                                     .temperature = c->temperature,
                                     .hidden = c->hides ? c->mask.buffer : NULL};
    sac_recurrent_decode_step(d->text_decoder.recurrent, &d->pass, &step,
                              sac_captioner_held_memory(c, beam->step), c->logits, &c->recurrent);
    sac_pass_read(&d->pass, c->logits, result->logits);
    sac_pass_read(&d->pass, c->recurrent.weights, result->weights);
    sac_captioner_hold_weights(c, beam->step, (size_t)beam->rows, result->weights);
    sac_pass_read(&d->pass, c->recurrent.open, result->gate);
}
