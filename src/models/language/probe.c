/* Where all heads look in a text that stays the same: tokens that are drawn from what is learnt, and the same ones
 * again in their order. Of the second time an induction head looks at what followed the first time (Olsson et al. 2022,
 * "In-context Learning and Induction Heads"). */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random/random.h"
#include "base/text/utf8.h"
#include "language/language.h"
#include "models/stack.h"

enum { ONCE = 32 /* tokens, at most */, TRIES = 4096, SEED = 62 };

typedef struct sac_gpt_probing {
    sac_arena arena;
    sac_gpt_tensors t;
    int tokens[2 * ONCE];
    size_t count; /* of them, twice what was drawn */
} probing;

void sac_gpt_probing_destroy(probing *p)
{
    if (!p)
        return;
    sac_arena_release(&p->arena);
    free(p);
}

/* Each token once, as often as it occurs: the model has learnt what they are. */
static size_t draw_tokens(const sac_gpt *l, int *tokens)
{
    const size_t most = l->sizes.context / 2 < ONCE ? (size_t)l->sizes.context / 2 : ONCE;
    size_t drawn = 0;
    for (uint32_t i = 0; i < TRIES && drawn < most; i++) {
        const int token = l->text[sac_philox(i, 0, SEED) % l->learnt];
        bool is_new = true;
        for (size_t k = 0; k < drawn; k++)
            is_new = is_new && tokens[k] != token;
        if (is_new)
            tokens[drawn++] = token;
    }
    return drawn;
}

static sac_status create_probing(sac_gpt *l, sac_error *error)
{
    probing *p = l->probing = calloc(1, sizeof *p);
    if (!p)
        return sac_no_memory(error, "heads");
    const size_t drawn = draw_tokens(l, p->tokens);
    memcpy(p->tokens + drawn, p->tokens, drawn * sizeof *p->tokens);
    p->count = 2 * drawn;
    if (drawn < 2) /* too few to differ */
        return SAC_OK;
    sac_gpt_shape(l, &p->arena, 1, p->count, &p->t);
    sac_gpt_place(l, &p->t, 0);
    sac_pass_write_ints(&l->base.pass, p->t.words, p->tokens);
    return sac_pass_end(&l->base.pass, error);
}

/* As the tokenizer shows them; of two that look alike the second has its number, too: they are not the same. */
static sac_status name_tokens(const sac_gpt *l, sac_labels *labels, sac_error *error)
{
    const probing *p = l->probing;
    char names[2 * ONCE][64];
    const char *text[2 * ONCE];
    for (size_t i = 0; i < p->count; i++) {
        char *shown = sac_tokenizer_show(l->tokenizer, p->tokens[i]);
        if (!shown)
            return sac_no_memory(error, "heads");
        const size_t size = strlen(shown), most = sizeof *names / 2;
        snprintf(names[i], sizeof *names, "%.*s",
                 (int)sac_utf8_valid_size(shown, size < most ? size : most), shown);
        free(shown);
        for (size_t k = 0; k < i; k++)
            if (p->tokens[k] != p->tokens[i] && strcmp(names[k], names[i]) == 0) {
                const size_t used = strlen(names[i]);
                snprintf(names[i] + used, sizeof *names - used, " (%d)", p->tokens[i]);
            }
        text[i] = names[i];
    }
    const sac_array array = sac_array_view(SAC_TEXT, 1, &p->count, text);
    return sac_labels_from_array(&array, labels, error);
}

sac_status sac_gpt_attend(sac_gpt *l, sac_attention_kind *a, sac_error *error)
{
    sac_status status = l->probing ? SAC_OK : create_probing(l, error);
    *a = (sac_attention_kind){0};
    if (status != SAC_OK || l->probing->count < 4)
        return status;
    const probing *p = l->probing;
    const size_t T = p->count, heads = (size_t)l->sizes.heads;
    *a = (sac_attention_kind){
        .layers = (size_t)l->sizes.layers, .heads = heads, .steps = T, .positions = T};
    if (!(a->weights = calloc(a->layers * heads * T * T, sizeof *a->weights)))
        return sac_no_memory(error, "heads");
    sac_gpt_forward(l, 0, 0, &p->t);
    const sac_head_view view = {.queries = T,
                                .keys = T,
                                .width = (size_t)l->sizes.width,
                                .heads = heads,
                                .key_heads = (size_t)l->sizes.key_heads,
                                .causal = true};
    for (size_t i = 0; i < a->layers; i++)
        sac_heads_read(&l->base.pass, &p->t.layer[i].attention[SAC_PART_SELF], &view,
                       a->weights + i * heads * T * T);
    status = sac_pass_end(&l->base.pass, error);
    return status == SAC_OK ? name_tokens(l, &a->position_labels, error) : status;
}
