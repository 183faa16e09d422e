/* Generates a text token by token, each sampled from the model's probabilities. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random/random.h"
#include "base/text/utf8.h"
#include "generate/token_run.h"
#include "language/language.h"

typedef struct sac_gpt_writing {
    sac_arena arena;
    sac_gpt_tensors step; /* of one token */
    sac_beam_cache cache;
    float *logits; /* host: [V] */
} writing;

void sac_gpt_writing_destroy(writing *w)
{
    if (!w)
        return;
    free(w->logits);
    sac_arena_release(&w->arena);
    free(w);
}

static sac_status create(sac_gpt *l, sac_error *error)
{
    writing *w = l->writing = calloc(1, sizeof *w);
    if (!w || !(w->logits = calloc((size_t)l->sizes.words, sizeof *w->logits)))
        return sac_no_memory(error, "writing");
    sac_gpt_shape(l, &w->arena, 1, 1, &w->step);
    sac_beam_cache_shape(&l->base.pass, &w->arena, &w->cache, l->weights.layer, l->sizes.layers, 1,
                         (size_t)l->sizes.context);
    return sac_pass_end(&l->base.pass, error);
}

/* Reads the token at `place` of the context, and the logits of what follows it where these are wanted. */
static void read_token(sac_gpt *l, int token, size_t place, bool wants_logits)
{
    writing *w = l->writing;
    sac_pass *pass = &l->base.pass;
    const int parent = 0;
    sac_tensor x = w->step.x;
    if (place == 0)
        sac_beam_cache_empty(&w->cache);
    sac_pass_write_ints(pass, w->step.words, &token);
    sac_gpt_place(l, &w->step, place);
    sac_beam_cache_step(pass, &w->cache, &parent, 1);
    sac_gpt_embed(l, &w->step);
    for (int i = 0; i < l->sizes.layers; i++) {
        sac_transformer_run run = sac_gpt_run(l, &w->step, 0, 0, i);
        run.causal = false; /* all keys are before it */
        x = sac_beam_cache_layer(pass, &w->cache, i, &run, x, &w->step.layer[i]);
    }
    if (!wants_logits)
        return;
    sac_gpt_logits(l, x, &w->step);
    sac_pass_read(pass, w->step.logits, w->logits);
}

sac_status sac_gpt_write(sac_gpt *l, const int *tokens, size_t count, size_t most,
                         const sac_draw *how, char *text, size_t size, sac_error *error)
{
    const size_t context = (size_t)l->sizes.context;
    const size_t seen = count < (context + 1) / 2 ? count : (context + 1) / 2;
    int *all = malloc((seen + most) * sizeof *all);
    sac_status status = all ? SAC_OK : sac_no_memory(error, "writing");
    if (status == SAC_OK && !l->writing)
        status = create(l, error);
    if (all)
        memcpy(all, tokens + (count - seen), seen * sizeof *all);
    size_t written = 0, begin = 0,
           read = 0; /* of all: where the context begins, and what is read of it */
    while (status == SAC_OK && written < most) {
        const size_t known = seen + written;
        if (known - begin > context) {
            begin = known - (context + 1) / 2;
            read = 0;
        }
        for (; begin + read < known; read++)
            read_token(l, all[begin + read], read, begin + read + 1 == known);
        status = sac_pass_end(&l->base.pass, error);
        const float uniform = sac_philox_uniform((uint32_t)written, 0, (uint32_t)how->seed);
        if (status == SAC_OK)
            all[seen + written++] =
                sac_draw_token(how, l->writing->logits, l->sizes.words, uniform, NULL);
    }
    char *decoded =
        status == SAC_OK ? sac_tokenizer_decode(l->tokenizer, all + seen, written) : NULL;
    if (status == SAC_OK && !decoded)
        status = sac_no_memory(error, "writing");
    if (decoded)
        sac_utf8_copy(text, size, decoded);
    free(decoded);
    free(all);
    return status;
}
