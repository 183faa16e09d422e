/* Words that look where a person holds them: the picture's tokens have the mean of the spot for a value (nn/attention/held.h),
 * in the prompt, behind which words follow, or in the memory beside them; and what the rows of such words are. */
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "base/error.h"

typedef sac_pretrained_captioner captioner;

void sac_captioner_let_go(captioner *c)
{
    free(c->share);
    free(c->held);
    c->share = NULL;
    c->held = NULL;
    c->gaze = (sac_gaze){0};
}

/* What was encoded is the picture alone, and all heads look at it; or it stands in one text with the words. */
static sac_status check_model(const captioner *c, const sac_gaze *gaze, sac_error *error)
{
    const sac_text_decoder *d = &c->decoder->text_decoder;
    const bool in_text = d->joins || sac_captioner_reads_picture_in_prompt(c);
    if (d->question == SAC_ASKED_OF_ENCODER)
        return sac_fail(error, SAC_E_ARGUMENT, "gaze", "choose a model that looks at cells",
                        "%s looks at what an encoder made of picture and question together",
                        c->model->name);
    if (gaze->heads[0] && !in_text)
        return sac_fail(error, SAC_E_ARGUMENT, "gaze", "leave the heads out",
                        "the words of %s look at the picture beside the text: all heads are held",
                        c->model->name);
    return SAC_OK;
}

/* share [S], with a sum of 1 over the picture's tokens. */
static void find_shares(const captioner *c, const float *spot, float *share)
{
    const int token = c->decoder->text_decoder.connector.token;
    const bool has_prompt = sac_captioner_reads_picture_in_prompt(c);
    const bool has_tokens = has_prompt || sac_captioner_has_queries(c);
    const size_t end = has_prompt ? c->seen : sac_captioner_picture_token_count(c);
    double sum = 0;
    for (size_t i = 0, seen = 0; i < c->seen; i++) {
        if (has_prompt ? c->ids[i] != token : i >= end)
            share[i] = -1;
        else if (c->hides && c->hidden[i])
            share[i] = 0;
        else if (has_tokens)
            share[i] = sac_captioner_covers(c, seen, spot);
        else /* the class token lies nowhere */
            share[i] = i < c->prefix ? 0 : spot[i - c->prefix];
        seen += share[i] >= 0;
        sum += share[i] > 0 ? (double)share[i] : 0;
    }
    for (size_t i = 0; i < c->seen && sum > 0; i++)
        share[i] = share[i] > 0 ? (float)((double)share[i] / sum) : share[i];
}

static sac_status find_held_heads(captioner *c, sac_error *error)
{
    const sac_pretrained_model *d = c->decoder;
    const size_t L = (size_t)d->layers, H = (size_t)d->run.heads;
    sac_status status = sac_gaze_find_heads(&c->gaze, L, H, c->held, error);
    for (size_t i = 0; i < L && status == SAC_OK; i++) {
        c->holds[i] = (sac_held){c->share, c->held + i * H, H};
        if (d->run.key_heads && !sac_held_is_whole(&c->holds[i], (size_t)d->run.key_heads))
            status = sac_fail(error, SAC_E_ARGUMENT, "gaze",
                              "name those that follow each other together",
                              "%zu heads of layer %zu share values, and are held together",
                              H / (size_t)d->run.key_heads, i);
    }
    return status;
}

sac_status sac_captioner_hold(captioner *c, const sac_result_request *request, sac_error *error)
{
    sac_pretrained_model *d = c->decoder;
    const size_t heads = (size_t)d->layers * (size_t)d->run.heads;
    sac_captioner_let_go(c);
    if (c->is_overwritten) {
        sac_device_lock(d->device);
        sac_captioner_project_memory(c);
        sac_status status = sac_model_end_pass(d, NULL, error);
        if (status != SAC_OK)
            return status;
    }
    if (!sac_gaze_is_held(&request->gaze))
        return SAC_OK;
    sac_status status = check_model(c, &request->gaze, error);
    if (status != SAC_OK)
        return status;
    float *spot = malloc((size_t)c->grid_w * (size_t)c->grid_h * sizeof *spot);
    c->share = malloc(c->seen * sizeof *c->share);
    c->held = calloc(heads + 1, 1);
    if (!spot || !c->share || !c->held)
        status = sac_no_memory(error, d->name);
    if (status == SAC_OK) {
        c->gaze = request->gaze;
        sac_gaze_spot(&c->gaze, request->hidden, c->grid_w, c->grid_h, spot);
        find_shares(c, spot, c->share);
        status = find_held_heads(c, error);
    }
    free(spot);
    if (status != SAC_OK)
        sac_captioner_let_go(c);
    return status;
}

/* ---------------------------------------------------------------- rows */

/* row [S] += by · (what it is with the head held, less what it is by itself): `of` is the head's own. */
static void hold_row(const captioner *c, const float *of, float by, float *row)
{
    double sum = 0;
    for (size_t i = 0; i < c->seen; i++)
        sum += c->share[i] >= 0 ? (double)of[i] : 0;
    for (size_t i = 0; i < c->seen; i++)
        if (c->share[i] >= 0)
            row[i] += by * ((float)sum * c->share[i] - of[i]);
}

sac_status sac_captioner_hold_rows(const captioner *c, int layer, int head, int count, float *rows,
                                   sac_error *error)
{
    const int L = c->decoder->layers, H = c->decoder->run.heads;
    const float by = 1 / (float)((layer ? 1 : L) * (head ? 1 : H));
    const size_t S = c->seen;
    sac_status status = SAC_OK;
    if (!sac_gaze_is_held(&c->gaze))
        return SAC_OK;
    if (!c->gaze.heads[0]) {
        for (int t = c->gaze.from; t < count; t++)
            hold_row(c, rows + (size_t)t * S, 1, rows + (size_t)t * S);
        return SAC_OK;
    }
    const sac_context_rows r = sac_captioner_context_rows(c, count);
    float *own = malloc((size_t)count * S * sizeof *own);
    if (!own)
        return sac_no_memory(error, c->decoder->name);
    for (int i = 0; i < L * H && status == SAC_OK; i++) {
        const int l = i / H + 1, h = i % H + 1;
        if (!c->held[i] || (layer && l != layer) || (head && h != head))
            continue;
        status = sac_context_rows_mean(&r, l, h, S, S, own, error);
        for (int t = c->gaze.from; t < count && status == SAC_OK; t++)
            hold_row(c, own + (size_t)t * S, by, rows + (size_t)t * S);
    }
    free(own);
    return status;
}

/* ---------------------------------------------------------------- an LSTM */

sac_tensor sac_captioner_held_memory(captioner *c, int step)
{
    sac_pass *pass = &c->decoder->pass;
    const sac_held all = {.share = c->share, .count = 1};
    if (!sac_gaze_is_held(&c->gaze) || step < c->gaze.from)
        return c->memory;
    if (step == c->gaze.from) {
        sac_arena_shape(&c->arena, pass, &c->held_memory, c->memory.rows, c->memory.width);
        sac_pass_copy(pass, c->held_memory, c->memory);
        sac_held_values(pass, &all, c->held_memory, 1);
    }
    return c->held_memory;
}

void sac_captioner_hold_weights(const captioner *c, int step, size_t rows, float *weights)
{
    for (size_t r = 0; r < rows && sac_gaze_is_held(&c->gaze) && step >= c->gaze.from; r++)
        memcpy(weights + r * c->seen, c->share, c->seen * sizeof *weights);
}
