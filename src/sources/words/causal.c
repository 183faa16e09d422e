/* Words asked for again without cells. */

#include "sources/words/causal.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random/random.h"

/* One question, and its memory. */
typedef struct asking {
    sac_source *source;
    sac_result_request request; /* has every word up to the one in question */
    int step, cells;
    uint8_t *top, *hidden; /* [cells]: where the word looks most; what is hidden now */
} asking;

int sac_causal_mark(const float *weights, int cells, uint8_t *top)
{
    float all = 0, heat = 0;
    int count = 0;
    for (int i = 0; i < cells; i++)
        all += weights[i];
    while (all > 0 && heat < SAC_CAUSAL_HEAT * all && count < cells) {
        int best = -1;
        for (int i = 0; i < cells; i++)
            if (!top[i] && (best < 0 || weights[i] > weights[best]))
                best = i;
        top[best] = 1;
        heat += weights[best];
        count++;
    }
    return count;
}

/* Hides `count` more cells where the word does not look; false where there are too few. */
static bool hide_others(asking *a, int count, uint32_t draw, uint32_t seed)
{
    int open = 0;
    for (int i = 0; i < a->cells; i++)
        open += !a->hidden[i] && !a->top[i];
    if (open < count)
        return false;
    for (; count > 0; count--, open--) {
        float share = sac_philox_uniform((uint32_t)count, draw, seed);
        int pick = (int)(share * (float)open), i = 0;
        while (a->hidden[i] || a->top[i] || pick-- > 0)
            i++;
        a->hidden[i] = 1;
    }
    return true;
}

/* The likeliest word without the hidden cells. */
static sac_status ask_likeliest(asking *a, int *likeliest, sac_error *error)
{
    sac_result generated = {0};
    a->request.prefix_count = a->step;
    sac_status status = sac_source_generate(a->source, &a->request, &generated, error);
    if (status == SAC_OK) {
        int tokens[SAC_MAX_TOKENS], count = sac_result_tokens(&generated, tokens);
        *likeliest = count > a->step ? tokens[a->step] : SAC_CAUSAL_END;
    }
    sac_result_free(&generated);
    return status;
}

/* The word's probability without them; and *instead: the likeliest one, where it is not `usual`. */
static sac_status ask_probability(asking *a, int usual, float *probability, int *instead,
                                  sac_error *error)
{
    sac_result given = {0};
    int likeliest = usual;
    a->request.prefix_count = a->step + 1;
    sac_status status = sac_source_generate(a->source, &a->request, &given, error);
    if (status == SAC_OK)
        *probability = given.outputs[sac_result_word_at(&given, a->step)].probability;
    sac_result_free(&given);
    if (status == SAC_OK)
        status = ask_likeliest(a, &likeliest, error);
    *instead = likeliest == usual ? SAC_CAUSAL_SAME : likeliest;
    return status;
}

static void hide_asked(asking *a, const uint8_t *asked)
{
    for (int i = 0; i < a->cells; i++)
        a->hidden[i] = asked ? asked[i] : 0;
}

static sac_status measure_hidden_effect(asking *a, const uint8_t *asked, uint32_t seed,
                                        sac_causal *c, sac_error *error)
{
    int usual;
    hide_asked(a, asked);
    sac_status status = ask_likeliest(a, &usual, error);
    if (status != SAC_OK)
        return status;
    c->usual = usual == a->request.prefix[a->step] ? SAC_CAUSAL_SAME : usual;
    for (int i = 0; i < a->cells; i++)
        a->hidden[i] |= a->top[i];
    status = ask_probability(a, usual, &c->hidden, &c->instead, error);
    for (uint32_t draw = 0; status == SAC_OK && draw < SAC_CAUSAL_DRAWS; draw++) {
        float probability;
        int instead;
        hide_asked(a, asked);
        if (!hide_others(a, c->cells, draw, seed))
            break;
        status = ask_probability(a, usual, &probability, &instead, error);
        c->draws++;
        c->changed += instead != SAC_CAUSAL_SAME;
        c->elsewhere += (probability - c->elsewhere) / (float)c->draws;
    }
    return status;
}

sac_status sac_causal_ask(sac_source *source, const sac_result_request *request,
                          const sac_result *caption, int word, uint32_t seed, sac_causal *c,
                          sac_error *error)
{
    int cells = caption->grid_w * caption->grid_h;
    asking a = {.source = source, .request = *request, .cells = cells};
    *c = (sac_causal){.probability = caption->outputs[word].probability,
                      .usual = SAC_CAUSAL_SAME,
                      .instead = SAC_CAUSAL_SAME};
    uint8_t *memory = calloc(2, (size_t)cells);
    if (!memory)
        return sac_no_memory(error, "caption");
    a.top = memory;
    a.request.hidden = a.hidden = memory + cells;
    a.request.beam = 1;
    a.request.attribution = SAC_ATTRIBUTION_RAW; /* words alone are asked for */
    a.step = sac_result_step(caption, word);
    /* It is held behind the word, of which there is nothing; or not at all, and heads are of no matter. */
    if (!sac_gaze_is_held(&a.request.gaze) || a.request.gaze.from > a.step)
        a.request.gaze = (sac_gaze){0};
    else if (sac_gaze_is_auto(&a.request.gaze) &&
             caption->gaze_heads) /* the same as of the caption */
        sac_gaze_heads_write(caption->gaze_heads, caption->gaze_head_count, a.request.gaze.heads);
    sac_result_tokens(caption, a.request.prefix);
    c->cells = sac_causal_mark(caption->weights + (size_t)word * (size_t)cells, cells, a.top);
    sac_status status =
        c->cells ? measure_hidden_effect(&a, request->hidden, seed, c, error) : SAC_OK;
    free(memory);
    return status;
}
