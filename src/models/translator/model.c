/* The translator's mathematics: its parameters, where they are used, and the forward pass of
 * encoder and decoder. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "translation/translation.h"
#include "translator/decode.h"
#include "translator/learn.h"
#include "translator/translator.h"

/* ---------------------------------------------------------------- parameters */

sac_status sac_translator_default_shape(sac_score score, bool attends, sac_translator_shape *shape,
                                        sac_error *error)
{
    *shape = (sac_translator_shape){
        .attends = attends,
        .score = score,
        .attention = 128,
        .hidden = 192,
        .embedding = 96,
        .source_words = sac_translation_word_count(NULL, SAC_SOURCE_SIDE),
        .target_words = sac_translation_word_count(NULL, SAC_TARGET_SIDE),
    };
    return shape->source_words && shape->target_words ? SAC_OK : sac_no_memory(error, "translator");
}

/* Names, sizes and first values are those of torch.nn.GRU. */
static void declare_gru(const char *ending, size_t in, size_t hidden, sac_parameters *p,
                        sac_gru_layer *layer)
{
    char name[48];
    sac_init gru = sac_init_uniform(1 / sqrtf((float)hidden));
    snprintf(name, sizeof name, "encoder.weight_ih_l0%s", ending);
    layer->w = sac_parameter_add(p, name, gru, 2, 3 * hidden, in);
    snprintf(name, sizeof name, "encoder.weight_hh_l0%s", ending);
    layer->u = sac_parameter_add(p, name, gru, 2, 3 * hidden, hidden);
    snprintf(name, sizeof name, "encoder.bias_ih_l0%s", ending);
    layer->b = sac_parameter_vector(p, name, 3 * hidden);
    snprintf(name, sizeof name, "encoder.bias_hh_l0%s", ending);
    layer->c = sac_parameter_vector(p, name, 3 * hidden);
}

static void declare_attention(const sac_translator_shape *shape, sac_parameters *p,
                              sac_translator_weights *w)
{
    size_t hidden = (size_t)shape->hidden, keys = sac_translator_key_width(shape);
    if (!shape->attends)
        return;
    if (shape->score != SAC_SCORE_BILINEAR) {
        w->key = sac_parameter_matrix(p, "attention.key.weight", keys, 2 * hidden);
        w->key_bias = sac_parameter_vector(p, "attention.key.bias", keys);
    }
    w->query = sac_parameter_matrix(p, "attention.query.weight", keys, hidden);
    if (shape->score == SAC_SCORE_ADDITIVE)
        w->v = sac_parameter_add(p, "attention.v", sac_init_uniform_std(1 / sqrtf((float)keys)), 1,
                                 keys);
}

static void declare_decoder(const sac_translator_shape *shape, sac_parameters *p,
                            sac_translator_weights *w)
{
    size_t hidden = (size_t)shape->hidden, embedding = (size_t)shape->embedding;
    size_t words = (size_t)shape->target_words;
    sac_init gru = sac_init_uniform(1 / sqrtf((float)hidden));
    w->target =
        sac_parameter_add(p, "target.embedding", sac_init_uniform_std(1 / sqrtf((float)embedding)),
                          2, words, embedding);
    w->from_word = sac_parameter_add(p, "decoder.word.weight", gru, 2, 3 * hidden, embedding);
    w->from_context =
        sac_parameter_add(p, "decoder.context.weight", gru, 2, 3 * hidden, 2 * hidden);
    w->word_bias = sac_parameter_vector(p, "decoder.bias", 3 * hidden);
    w->from_state = sac_parameter_add(p, "decoder.state.weight", gru, 2, 3 * hidden, hidden);
    w->state_bias = sac_parameter_vector(p, "decoder.state.bias", 3 * hidden);
    w->output = sac_deep_output_declare(p, "target", embedding, hidden, 2 * hidden, words);
}

void sac_translator_declare(const sac_translator_shape *shape, sac_parameters *p,
                            sac_translator_weights *w)
{
    size_t hidden = (size_t)shape->hidden, embedding = (size_t)shape->embedding;
    w->source =
        sac_parameter_add(p, "source.embedding", sac_init_uniform_std(1 / sqrtf((float)embedding)),
                          2, (size_t)shape->source_words, embedding);
    declare_gru("", embedding, hidden, p, &w->there);
    declare_gru("_reverse", embedding, hidden, p, &w->back);
    w->start = sac_parameter_matrix(p, "start.weight", hidden, 2 * hidden);
    w->start_bias = sac_parameter_vector(p, "start.bias", hidden);
    declare_attention(shape, p, w);
    declare_decoder(shape, p, w);
}

/* ---------------------------------------------------------------- description */

enum { FORMAT = 1 /* of the description */ };

/* ---------------------------------------------------------------- writing */

char *sac_translator_describe(const sac_translator_shape *shape)
{
    cJSON *model = cJSON_CreateObject();
    bool whole = cJSON_AddNumberToObject(model, "format", FORMAT) &&
                 cJSON_AddBoolToObject(model, "attends", shape->attends) &&
                 cJSON_AddStringToObject(model, "score", sac_score_name(shape->score)) &&
                 sac_description_add_normalizer(model, shape->normalizer) &&
                 cJSON_AddNumberToObject(model, "attention", shape->attention) &&
                 cJSON_AddNumberToObject(model, "hidden", shape->hidden) &&
                 cJSON_AddNumberToObject(model, "embedding", shape->embedding) &&
                 sac_translation_add_vocabularies(model, shape->languages);
    return sac_description_print_and_free(model, whole);
}

/* ---------------------------------------------------------------- reading */

sac_status sac_translator_read_shape(const sac_arrays *file, const char *path,
                                     sac_translator_shape *shape, sac_error *error)
{
    sac_description d = sac_description_open(file, "translator", error);
    *shape = (sac_translator_shape){0};
    sac_description_size(&d, "format", FORMAT, FORMAT);
    shape->attends = sac_description_flag(&d, "attends");
    shape->score = sac_description_score(&d);
    shape->normalizer = sac_description_normalizer(&d);
    shape->attention = sac_description_size(&d, "attention", 1, 4096);
    shape->hidden = sac_description_size(&d, "hidden", 1, 4096);
    shape->embedding = sac_description_size(&d, "embedding", 1, 4096);
    sac_translation_read_vocabularies(&d, &shape->languages, &shape->source_words,
                                      &shape->target_words);
    if (d.status == SAC_OK) {
        /* The limits on the sizes keep these sums far below what a size_t holds. */
        sac_parameters parameters = {0};
        sac_translator_weights weights = {0};
        sac_translator_declare(shape, &parameters, &weights);
        sac_description_check_number_count(&d, &parameters);
        sac_parameters_destroy(&parameters);
    }
    sac_status status = sac_description_close(&d, path);
    if (status != SAC_OK) {
        sac_language_pair_release(shape->languages);
        shape->languages = NULL;
    }
    return status;
}

/* ---------------------------------------------------------------- forward: parameters */

size_t sac_translator_key_width(const sac_translator_shape *shape)
{
    if (!shape->attends)
        return 0;
    return (size_t)(shape->score == SAC_SCORE_BILINEAR ? 2 * shape->hidden : shape->attention);
}

/* ---------------------------------------------------------------- encoder */

static void shape_direction(sac_translator *t, sac_arena *arena, size_t batch, size_t steps,
                            sac_gru_sequence *s)
{
    sac_pass *pass = &t->base.pass;
    size_t rows = batch * steps, hidden = (size_t)t->shape.hidden;
    sac_arena_shape(arena, pass, &s->x, rows, (size_t)t->shape.embedding);
    sac_arena_shape(arena, pass, &s->h, rows + batch, hidden);
    sac_arena_shape(arena, pass, &s->gates, rows, 3 * hidden);
    sac_arena_shape(arena, pass, &s->recurrent, rows, 3 * hidden);
}

void sac_translator_shape_source(sac_translator *t, sac_arena *arena, size_t batch, size_t steps,
                                 sac_translator_source *s)
{
    sac_pass *pass = &t->base.pass;
    size_t rows = batch * steps, depth = sac_translator_depth(t);
    sac_arena_shape_ints(arena, pass, &s->words, rows);
    sac_arena_shape_ints(arena, pass, &s->reversed, rows);
    sac_arena_shape_ints(arena, pass, &s->lengths, batch);
    sac_arena_shape_bytes(arena, pass, &s->padding, rows);
    shape_direction(t, arena, batch, steps, &s->there);
    shape_direction(t, arena, batch, steps, &s->back);
    sac_arena_shape(arena, pass, &s->features, rows, depth);
    sac_arena_shape(arena, pass, &s->last, batch, depth);
    if (t->weights.key)
        sac_arena_shape(arena, pass, &s->keys, rows, sac_translator_key_width(&t->shape));
    else
        s->keys = s->features;
}

static void apply_dropout(sac_pass *pass, const sac_dropout *dropout, sac_tensor x)
{
    if (dropout->p > 0)
        sac_dropout_run(pass, dropout, x, x);
}

void sac_translator_encode(sac_translator *t, const sac_source_words *words,
                           const sac_translator_source *s, sac_tensor first_state)
{
    const sac_translator_weights *w = &t->weights;
    sac_pass *pass = &t->base.pass;
    sac_sequence_lengths lengths = {words->steps, words->batch, words->lengths};
    sac_pass_write_ints(pass, s->words, words->words);
    sac_pass_write_ints(pass, s->reversed, words->reversed);
    sac_pass_write_ints(pass, s->lengths, words->lengths);
    sac_pass_write_bytes(pass, s->padding, words->padding);
    sac_pass_fill(pass, sac_tensor_rows(s->there.h, 0, words->batch), 0);
    sac_pass_fill(pass, sac_tensor_rows(s->back.h, 0, words->batch), 0);
    sac_embedding_forward(pass, s->there.x, w->source, s->words); /* [S,B,E] */
    sac_embedding_forward(pass, s->back.x, w->source, s->reversed);
    apply_dropout(pass, &s->dropout[0], s->there.x);
    apply_dropout(pass, &s->dropout[1], s->back.x);
    sac_gru_sequence_forward(pass, &w->there, &lengths, &s->there); /* [S+1,B,H] */
    sac_gru_sequence_forward(pass, &w->back, &lengths, &s->back);
    sac_join_directions_forward(pass, s->features, s->last, s->there.h, s->back.h, s->lengths);
    apply_dropout(pass, &s->dropout[2], s->features);
    if (w->key)
        sac_linear_forward(pass, s->keys, s->features, w->key, w->key_bias); /* [B,S,A] */
    sac_linear_forward(pass, first_state, s->last, w->start, w->start_bias); /* [B,H] */
    sac_tanh_forward(pass, first_state);
}

/* ---------------------------------------------------------------- decoder */

/* The score's own scale. */
static float scale_of(const sac_translator *t)
{
    if (t->shape.score == SAC_SCORE_ADDITIVE)
        return 1;
    if (t->shape.score == SAC_SCORE_BILINEAR)
        return 1 / sqrtf(sqrtf((float)sac_translator_depth(t) * (float)t->shape.hidden));
    return 1 / sqrtf((float)sac_translator_key_width(&t->shape));
}

sac_attention_layer sac_translator_attention(const sac_translator *t, size_t batch,
                                             float temperature)
{
    return (sac_attention_layer){
        .spec = {.score = t->shape.score,
                 .normalizer = t->shape.normalizer,
                 .use_scale = true,
                 .scale = scale_of(t) / (temperature == 0 ? 1 : temperature)},
        .batch = batch,
        .w_v = t->weights.v,
    };
}

void sac_translator_decoder_step_forward(sac_translator *t, const sac_translator_step *step)
{
    const sac_translator_weights *w = &t->weights;
    sac_pass *pass = &t->base.pass;
    if (w->query) {
        sac_linear_forward(pass, step->query, step->state, w->query, NULL); /* [B,A] */
        /* The attention of the decoder, which has no gate: the weights, and the context. */
        sac_attention_layer layer =
            sac_translator_attention(t, step->state.rows, step->temperature);
        if (step->normalizer)
            layer.spec.normalizer = (sac_normalizer)(step->normalizer - 1);
        layer.shared = step->shared;
        layer.padding = step->padding;
        sac_attention_tensors tensors = {
            .query = step->query,
            .key = step->keys,
            .value = step->features,
            .output = step->context,
            .weights = step->weights,
            .scores = step->scores,
        };
        sac_attention_layer_forward(&t->base.pass, &layer, &tensors); /* z [B,2H] */
    }
    if (step->embedded.buffer)
        sac_linear_forward(pass, step->gates, step->embedded, w->from_word, w->word_bias);
    sac_linear_add(pass, step->gates, step->context, w->from_context); /* [B,3H] */
    sac_linear_forward(pass, step->recurrent, step->state, w->from_state, w->state_bias);
    sac_gru_forward(pass, step->next_state, step->gates, step->recurrent, step->state);
}
