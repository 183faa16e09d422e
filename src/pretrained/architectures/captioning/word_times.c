/* When each word of a sound is: the weights of heads that follow speech are made comparable and
 * smooth, and dynamic time warping finds the way through words and times along the largest of them
 * (Radford et al. 2022; Giorgino 2009). */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/word_times.h"

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

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
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
        qsort(window, width, sizeof *window, compare_floats);
        sum[t] += window[half];
    }
}

void sac_word_times_add(float *map, size_t words, size_t times, size_t width, float *sum)
{
    width = width > WIDEST ? WIDEST : width | 1;
    standardise(map, words, times);
    for (size_t w = 0; w < words; w++)
        add_median(map + w * times, times, width, sum + w * times);
}

/* From where a step of the way comes: the word and the time before, the word before, the time
 * before. */
enum { BOTH, WORD, TIME };

bool sac_word_times_find(const float *sum, size_t words, size_t times, size_t *begin)
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
