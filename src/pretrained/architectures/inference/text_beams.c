/* The hypotheses of a beam search that continues a text. Each has its own cached keys and values, which
 * begin with those of the text. */
#include <stdlib.h>
#include <string.h>

#include "architectures/inference/continuing.h"
#include "base/error.h"
#include "nn/attention/positions.h"

/* Memory for a beam of so many texts, and the first one's keys and values in it. */
static void begin(sac_text_beams *b, size_t rows)
{
    sac_pretrained_model *d = b->text->model;
    sac_pass *pass = &d->pass;
    const size_t count = b->text->count, most = count + b->longest;
    sac_arena_release(&b->arena); /* another beam may be wider */
    *b = (sac_text_beams){.text = b->text, .longest = b->longest, .hides = b->hides};
    sac_beam_cache_shape(pass, &b->arena, &b->cache, d->layers, rows, most,
                         sac_architecture_part_width(d, 1));
    sac_arena_shape_ints(&b->arena, pass, &b->tokens, rows);
    sac_arena_shape_ints(&b->arena, pass, &b->places, rows);
    sac_arena_shape_bytes(&b->arena, pass, &b->hidden, rows * (most + 1));
    sac_arena_shape(&b->arena, pass, &b->logits, rows, d->vocabulary);
    b->placing.temperature = b->text->temperature;
    sac_architecture_scale_heads(d, &b->arena, &b->placing, SAC_PART_SELF, b->text->scale);
    sac_beam_cache_begin_behind(pass, &b->cache, count);
    for (int i = 0; i < d->layers; i++) {
        sac_pass_copy(pass, sac_tensor_rows(b->cache.key[i][0], 0, count),
                      sac_inference_part(b->text, i, 1));
        sac_pass_copy(pass, sac_tensor_rows(b->cache.value[i][0], 0, count),
                      sac_inference_part(b->text, i, 2));
    }
}

/* What is hidden of the first text is so for each. */
static void hide(sac_text_beams *b, size_t rows)
{
    sac_pass *pass = &b->text->model->pass;
    size_t each = b->cache.gathered.count / rows;
    uint8_t *hidden = calloc(rows, each);
    for (size_t r = 0; hidden && r < rows; r++)
        memcpy(hidden + r * each, b->hides, b->text->count);
    b->hidden.count = rows * each;
    if (hidden)
        sac_pass_write_bytes(pass, b->hidden, hidden);
    else
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, b->text->model->name));
    free(hidden);
}

static sac_tensor embed(sac_text_beams *b, const int *words, size_t rows, size_t place)
{
    sac_pretrained_model *d = b->text->model;
    sac_arena_shape(&b->arena, &d->pass, &b->x, rows, d->width);
    sac_arena_shape(&b->arena, &d->pass, &b->normed, rows, d->width);
    b->tokens.count = b->places.count = rows;
    sac_pass_write_ints(&d->pass, b->tokens, words);
    if (d->positions)
        sac_positions_place(&d->pass, b->places, d->positions->value, 1, d->first_place + place,
                            NULL);
    sac_architecture_embed(d, &b->arena, &b->narrow, b->x, b->tokens, b->places, rows);
    return b->x;
}

static sac_tensor run_layers(sac_text_beams *b, sac_tensor x, size_t rows, size_t place)
{
    sac_pretrained_model *d = b->text->model;
    sac_pass *pass = &d->pass;
    sac_transformer_run shaped = d->run;
    shaped.batch = rows;
    sac_architecture_place(d, &b->arena, &b->placing, place, 1, b->text->count + b->longest, NULL);
    sac_transformer_layer_shape(pass, &b->arena, &d->layer[0], &shaped, 1, 0, &b->own);
    for (int i = 0; i < d->layers && sac_pass_runs(pass); i++) {
        sac_transformer_run run = sac_pretrained_model_run(d, i, &b->placing);
        run.batch = rows;
        run.causal = false; /* of one query, the last, all keys are before it */
        run.padding = b->hides ? b->hidden.buffer : NULL;
        x = sac_beam_cache_layer(pass, &b->cache, i, &d->layer[i], &run, x, &b->own);
    }
    if (!d->last_norm.gain)
        return x;
    sac_layer_norm_forward(pass, &d->last_norm, b->normed, x);
    return b->normed;
}

void sac_text_beams_step(sac_text_beams *b, const sac_beam *beam, float *logits)
{
    const sac_inference *text = b->text;
    sac_pretrained_model *d = text->model;
    int words[SAC_BEAM_WIDTH], parents[SAC_BEAM_WIDTH];
    if (beam->step == 0) {
        begin(b, (size_t)beam->options.width);
        memcpy(logits, text->next, d->vocabulary * sizeof *logits);
        return;
    }
    const size_t rows = (size_t)beam->rows;
    const size_t place = sac_architecture_next_place(text) + (size_t)beam->step - 1;
    sac_beam_last(beam, words, parents);
    sac_beam_cache_step(&d->pass, &b->cache, parents, beam->rows);
    if (b->hides)
        hide(b, rows);
    sac_tensor x = run_layers(b, embed(b, words, rows, place), rows, place);
    for (size_t r = 0; r < rows; r++)
        sac_architecture_logits(d, sac_tensor_rows(b->logits, r, 1), sac_tensor_rows(x, r, 1));
    sac_pass_read(&d->pass, sac_tensor_rows(b->logits, 0, rows), logits);
}

void sac_text_beams_end(sac_text_beams *b)
{
    sac_arena_release(&b->arena);
    *b = (sac_text_beams){0};
}
