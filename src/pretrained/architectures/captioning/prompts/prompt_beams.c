/* Several sentences of a beam behind one prompt: each has keys and values of its own, which begin
 * with those of the prompt. */
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "base/error.h"
#include "nn/positions.h"

typedef sac_pretrained_captioner captioner;

/* Memory for a beam of so many sentences, and the prompt's keys and values in it. */
static void begin(captioner *c, size_t rows)
{
    sac_pretrained_model *d = c->decoder;
    sac_pass *pass = &d->pass;
    sac_prompt_beams *b = &c->prompted.beams;
    const size_t prompt = c->prompted.ids.count;
    b->most = prompt + (size_t)c->search.length;
    sac_beam_cache_shape(pass, &b->arena, &b->cache, d->layers, rows, b->most,
                         sac_architecture_part_width(d, 1));
    sac_arena_shape_ints(&b->arena, pass, &b->said, rows);
    sac_arena_shape_ints(&b->arena, pass, &b->places, rows);
    sac_arena_shape_bytes(&b->arena, pass, &b->hidden, rows * (b->most + 1));
    sac_arena_shape(&b->arena, pass, &b->logits, rows, d->vocabulary);
    b->placing.temperature = c->temperature;
    sac_captioner_scale_heads(c, &b->arena, &b->placing);
    sac_beam_cache_begin_behind(&b->cache, prompt);
    for (int i = 0; i < d->layers; i++) {
        sac_pass_copy(pass, sac_tensor_rows(b->cache.key[i][0], 0, prompt),
                      sac_inference_part(c->prompted.prompt, i, 1));
        sac_pass_copy(pass, sac_tensor_rows(b->cache.value[i][0], 0, prompt),
                      sac_inference_part(c->prompted.prompt, i, 2));
    }
}

/* What is hidden of the prompt is so for each sentence. */
static void hide(captioner *c, size_t rows)
{
    sac_prompt_beams *b = &c->prompted.beams;
    size_t each = b->cache.gathered.count / rows;
    uint8_t *hidden = calloc(rows, each);
    for (size_t r = 0; hidden && r < rows; r++)
        memcpy(hidden + r * each, c->hidden, c->prompted.ids.count);
    b->hidden.count = rows * each;
    if (hidden)
        sac_pass_write_bytes(&c->decoder->pass, b->hidden, hidden);
    else
        SAC_PASS_CALL(&c->decoder->pass, sac_no_memory(&c->decoder->pass.error, c->decoder->name));
    free(hidden);
}

static sac_tensor embed(captioner *c, const int *words, size_t rows, size_t place)
{
    sac_pretrained_model *d = c->decoder;
    sac_prompt_beams *b = &c->prompted.beams;
    sac_arena_shape(&b->arena, &d->pass, &b->x, rows, d->width);
    sac_arena_shape(&b->arena, &d->pass, &b->normed, rows, d->width);
    b->said.count = b->places.count = rows;
    sac_pass_write_ints(&d->pass, b->said, words);
    if (d->positions)
        sac_positions_place(&d->pass, b->places, d->positions->value, 1, d->first_place + place,
                            NULL);
    sac_architecture_embed(d, &b->arena, &b->narrow, b->x, b->said, b->places, rows);
    return b->x;
}

static sac_tensor run_layers(captioner *c, sac_tensor x, size_t rows, size_t place)
{
    sac_pretrained_model *d = c->decoder;
    sac_pass *pass = &d->pass;
    sac_prompt_beams *b = &c->prompted.beams;
    sac_transformer_run shaped = d->run;
    shaped.batch = rows;
    sac_architecture_place(d, &b->arena, &b->placing, place, 1, b->most, NULL);
    sac_transformer_layer_shape(pass, &b->arena, &d->layer[0], &shaped, 1, 0, &b->own);
    for (int i = 0; i < d->layers && sac_pass_runs(pass); i++) {
        sac_transformer_run run = sac_pretrained_model_run(d, i, &b->placing);
        run.batch = rows;
        run.causal = false; /* of one query, the last, all keys are before it */
        run.padding = c->hides ? b->hidden.buffer : NULL;
        x = sac_beam_cache_layer(pass, &b->cache, i, &d->layer[i], &run, x, &b->own);
    }
    if (!d->last_norm.gain)
        return x;
    sac_layer_norm_forward(pass, &d->last_norm, b->normed, x);
    return b->normed;
}

void sac_prompt_beams_step(captioner *c, const sac_beam *beam, float *logits)
{
    sac_pretrained_model *d = c->decoder;
    sac_prompt_beams *b = &c->prompted.beams;
    int words[SAC_BEAM_WIDTH], parents[SAC_BEAM_WIDTH];
    if (beam->step == 0) {
        begin(c, (size_t)beam->options.width);
        memcpy(logits, c->prompted.prompt->next, d->vocabulary * sizeof *logits);
        return;
    }
    const size_t rows = (size_t)beam->rows;
    const size_t place = sac_architecture_next_place(c->prompted.prompt) + (size_t)beam->step - 1;
    sac_beam_last(beam, words, parents);
    sac_beam_cache_step(&d->pass, &b->cache, parents, beam->rows);
    if (c->hides)
        hide(c, rows);
    sac_tensor x = run_layers(c, embed(c, words, rows, place), rows, place);
    for (size_t r = 0; r < rows; r++)
        sac_architecture_logits(d, sac_tensor_rows(b->logits, r, 1), sac_tensor_rows(x, r, 1));
    sac_pass_read(&d->pass, sac_tensor_rows(b->logits, 0, rows), logits);
}

sac_status sac_prompt_beams_follow(captioner *c, const int *words, int count, sac_error *error)
{
    sac_pretrained_model *d = c->decoder;
    sac_prompt_decoder *p = &c->prompted;
    sac_device_lock(d->device);
    sac_arena_release(&p->beams.arena);
    p->beams = (sac_prompt_beams){0};
    sac_continuing_begin(&p->cache, p->prompt);
    memcpy(p->states, p->prompt->left + (p->ids.count - 1) * d->width,
           d->width * sizeof *p->states);
    for (int t = 1; t < count; t++) {
        sac_continuing_step(&p->cache, words[t - 1], NULL);
        sac_pass_read(&d->pass, p->cache.left, p->states + (size_t)t * d->width);
    }
    sac_status status = sac_pass_end(&d->pass, error);
    sac_device_unlock(d->device);
    return status;
}
