/* A caption that the bundled captioner wrote, as several lessons use it: `saccade caption --dataset
 * shapes --scene 91`. */
#ifndef SAC_LESSONS_SHARED_CAPTIONED_H
#define SAC_LESSONS_SHARED_CAPTIONED_H

enum { SAC_CAPTIONED_WORDS = 15 };
extern const char *const sac_captioned_words[SAC_CAPTIONED_WORDS];

#endif
