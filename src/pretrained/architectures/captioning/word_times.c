/* When each word of a sound is: the weights of heads that follow speech are made comparable and
 * smooth, and dynamic time warping finds the way through words and times along the largest of them
 * (Radford et al. 2022; Giorgino 2009). */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "base/error.h"
#include "base/order.h"

typedef sac_pretrained_captioner captioner;

enum { WIDEST = 99 };

/* Brings each time's weights [words,times] to a mean of 0 and a deviation of 1 over the words. */
static void standardise(float *map, size_t words, size_t times)
{
    for (size_t t = 0; t < times; t++) {
        double mean = 0, square = 0;
        for (size_t w = 0; w < words; w++)
            mean += (double)map[w * times + t] / (double)words;
        for (size_t w = 0; w < words; w++) {
            double off = (double)map[w * times + t] - mean;
            square += off * off / (double)words;
        }
        for (size_t w = 0; w < words; w++) {
            float *one = &map[w * times + t];
            *one = square > 0 ? (float)(((double)*one - mean) / sqrt(square)) : 0;
        }
    }
}

/* Adds to sum[times] the median of each window of `row`, which is mirrored at its ends. */
static void add_median(const float *row, size_t times, size_t width, float *sum)
{
    size_t half = width / 2;
    float window[WIDEST];
    for (size_t t = 0; t < times; t++) {
        if (times <= half) {
            sum[t] += row[t];
            continue;
        }
        for (size_t k = 0; k < width; k++) {
            ptrdiff_t at = (ptrdiff_t)(t + k) - (ptrdiff_t)half;
            at = at < 0 ? -at : at;
            at = at >= (ptrdiff_t)times ? 2 * (ptrdiff_t)times - 2 - at : at;
            window[k] = row[at];
        }
        qsort(window, width, sizeof *window, sac_compare_floats);
        sum[t] += window[half];
    }
}

/* From where a step of the way comes: the word and the time before, the word before, the time
 * before. */
enum { BOTH, WORD, TIME };

/* The time at which each word begins, begin[words]. False: out of memory. */
static bool find_begins(const float *sum, size_t words, size_t times, size_t *begin)
{
    const size_t across = times + 1;
    float *cost = malloc((words + 1) * across * sizeof *cost);
    uint8_t *from = malloc((words + 1) * across);
    bool made = cost && from;
    for (size_t i = 0; made && i < (words + 1) * across; i++) {
        cost[i] = i ? INFINITY : 0;
        from[i] = i < across ? TIME : WORD; /* along the edges */
    }
    for (size_t t = 1; made && t <= times; t++)
        for (size_t w = 1; w <= words; w++) {
            float both = cost[(w - 1) * across + t - 1], word = cost[(w - 1) * across + t];
            float time = cost[w * across + t - 1];
            int way = both < word && both < time ? BOTH : word < both && word < time ? WORD : TIME;
            float before = way == BOTH ? both : way == WORD ? word : time;
            cost[w * across + t] = before - sum[(w - 1) * times + t - 1];
            from[w * across + t] = (uint8_t)way;
        }
    for (size_t w = words, t = times; made && (w > 0 || t > 0);) {
        if (w > 0)
            begin[w - 1] = t > 0 ? t - 1 : 0; /* the earliest remains */
        int way = from[w * across + t];
        w -= way != TIME;
        t -= way != WORD;
    }
    free(cost);
    free(from);
    return made;
}

/* ---------------------------------------------------------------- of a generation */

/* The frames, two a cell, at which the first `count` tokens of a text end: each is the input of the step behind its own,
 * and what that step looks at comes after it. */
static sac_status find_ends(const captioner *c, const sac_inference *text, size_t count,
                            size_t *end, sac_error *error)
{
    const sac_audio_encoder *h = &c->model->audio;
    const size_t cells = sac_sound_cells(c), median = (size_t)h->median;
    const size_t width = median > WIDEST ? WIDEST : median | 1;
    float *map = malloc((count * cells + 1) * sizeof *map);
    float *sums = malloc((count * c->seen + 1) * sizeof *sums);
    float *sum = calloc(count * cells + 1, sizeof *sum);
    sac_status status = map && sums && sum ? SAC_OK : sac_no_memory(error, c->decoder->name);
    for (int i = 0; i < h->aligned && status == SAC_OK; i++) {
        memset(sums, 0, count * c->seen * sizeof *sums);
        status = sac_inference_add_heads(text, h->aligned_layer[i], h->aligned_head[i] + 1,
                                         SAC_PART_CROSS, text->count - count, count, 1, c->seen,
                                         sums, error);
        for (size_t w = 0; w < count && status == SAC_OK; w++)
            memcpy(map + w * cells, sums + w * c->seen, cells * sizeof *map);
        if (status == SAC_OK)
            standardise(map, count, cells);
        for (size_t w = 0; w < count && status == SAC_OK; w++)
            add_median(map + w * cells, cells, width, sum + w * cells);
    }
    if (status == SAC_OK && !find_begins(sum, count, cells, end))
        status = sac_no_memory(error, c->decoder->name);
    free(map);
    free(sums);
    free(sum);
    return status;
}

/* As transformers has them: a token begins where the one before it ends. Of a sentence that was cut no step has
 * the last token as input; it ends with the one before it. */
sac_status sac_captioner_find_times(captioner *c, sac_result *caption, sac_error *error)
{
    const int count = caption->count;
    const int known = sac_generated_end_row(c->generation) < 0 ? count - 1 : count;
    size_t end[SAC_MAX_TOKENS] = {0};
    int ids[SAC_MAX_TOKENS];
    sac_attended memory;
    sac_inference *text = NULL;
    sac_result_tokens(caption, ids);
    sac_status status = SAC_OK;
    if (known > 0)
        status = sac_captioner_reread(c, ids, (size_t)known + 1, &memory, &text, error);
    if (status == SAC_OK && known > 0)
        status = find_ends(c, text, (size_t)known, end, error);
    sac_inference_free(text);
    if (known < count && known > 0)
        end[known] = end[known - 1];
    for (int w = 0; w < count && status == SAC_OK; w++) {
        sac_result_output *word = &caption->outputs[w];
        word->is_timed = true;
        word->begin = w ? caption->outputs[w - 1].end : 0;
        word->end = (float)(end[w] * c->model->audio.cell) / SAC_MEL_RATE;
    }
    return status;
}
