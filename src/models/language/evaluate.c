/* How well a model knows a text: the loss of each token of it by those before it in its context. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "language/language.h"
#include "language/text.h"

enum { TIMED = 256 }; /* contexts whose times are kept */

/* Contexts one after the other, of which the last may be shorter: every token but the first is predicted once. Sum of
 * the losses. */
static sac_status sum_losses(sac_gpt *l, const sac_tokens *tokens, const sac_progress *progress,
                             double *sum, double *milliseconds, sac_error *error)
{
    const size_t T = (size_t)l->sizes.context, predicted = tokens->count - 1;
    int *words = calloc(2 * T, sizeof *words), *targets = words ? words + T : NULL;
    double times[TIMED], some;
    size_t timed = 0;
    sac_status status = words ? SAC_OK : sac_no_memory(error, "evaluation");
    *sum = 0;
    for (size_t at = 0; at < predicted && status == SAC_OK; at += T) {
        const size_t count = predicted - at < T ? predicted - at : T;
        const double begun_at = sac_now();
        for (size_t i = 0; i < T; i++) {
            words[i] = i < count ? tokens->ids[at + i] : 0;
            targets[i] = i < count ? tokens->ids[at + i + 1] : -1;
        }
        status = sac_gpt_loss(l, words, targets, 1, &some, error);
        *sum += some;
        if (timed < TIMED)
            times[timed++] = 1e3 * (sac_now() - begun_at);
        if (status == SAC_OK && progress &&
            !progress->step(progress->user, (double)(at + count) / (double)predicted))
            status = sac_fail(error, SAC_E_CANCELLED, "evaluate", NULL, "stopped on request");
    }
    *milliseconds = timed ? sac_median(times, timed) : 0;
    free(words);
    return status;
}

/* Bytes of the text that the first token does not stand for. */
static size_t count_predicted_bytes(const sac_gpt *l, const sac_text *text, int first)
{
    char *alone = sac_tokenizer_decode(l->tokenizer, &first, 1);
    const size_t size = alone ? strlen(alone) : 0;
    free(alone);
    return size < text->size ? text->size - size : text->size;
}

sac_status sac_gpt_evaluate(sac_model *model, const sac_evaluation_options *options,
                            const sac_progress *progress, sac_evaluation_report *r,
                            sac_error *error)
{
    sac_gpt *l = (sac_gpt *)model;
    sac_text text;
    sac_tokens tokens = {0};
    double sum;
    sac_status status = sac_text_read(options->texts, options->text_count, &text, error);
    if (status != SAC_OK)
        return status;
    status = sac_gpt_encode(l, text.text, &tokens, error);
    if (status == SAC_OK && tokens.count < 2)
        status = sac_fail(error, SAC_E_ARGUMENT, "--text", "give a longer one",
                          "is one token, and none follows it");
    if (status == SAC_OK)
        status = sum_losses(l, &tokens, progress, &sum, &r->milliseconds, error);
    if (status == SAC_OK) {
        const double predicted = (double)tokens.count - 1, loss = sum / predicted;
        const size_t bytes = count_predicted_bytes(l, &text, tokens.ids[0]);
        const double bits = sum / M_LN2 / (double)bytes;
        sac_report_figure(r, "tokens", predicted);
        sac_report_figure(r, "bytes", (double)bytes);
        sac_report_figure(r, "context", l->sizes.context);
        sac_report_figure(r, "loss", loss);
        sac_report_figure(r, "perplexity", exp(loss));
        sac_report_figure(r, "bits_per_byte", bits);
        sac_report_print(r, "loss of a token   %8.4f   in contexts of %d\n", loss,
                         l->sizes.context);
        sac_report_print(r, "perplexity        %8.2f   of %d tokens\n", exp(loss), l->sizes.words);
        sac_report_print(r, "bits of a byte    %8.4f   of %zu bytes\n", bits, bytes);
    }
    sac_tokens_free(&tokens);
    free(text.text);
    return status;
}
