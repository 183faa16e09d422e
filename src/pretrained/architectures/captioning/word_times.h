/* When each word of a sound is, by the weights of heads that follow speech.
 *
 *     sac_word_times_add(map, words, times, 7, sum);           for each head's weights; sum is 0 before
 *     sac_word_times_find(sum, words, times, begin);
 */
#ifndef SAC_ARCHITECTURES_CAPTIONING_WORD_TIMES_H
#define SAC_ARCHITECTURES_CAPTIONING_WORD_TIMES_H

#include <stdbool.h>
#include <stddef.h>

/* Adds the weights [words,times] of a head, standardised over the words and smoothed by a median over
 * `width` times; `map` is changed. */
void sac_word_times_add(float *map, size_t words, size_t times, size_t width, float *sum);
/* The time at which each word begins, begin[words]. False: out of memory. */
bool sac_word_times_find(const float *sum, size_t words, size_t times, size_t *begin);

#endif
