/* The second table of words: sentences. */
#ifndef VIZ_VIEW_WORDS_TOLD_H
#define VIZ_VIEW_WORDS_TOLD_H

#include "sources/lesson.h"

extern const char *const viz_words_told[][SAC_LESSON_LANGUAGES]; /* ends with a zeroed one */

#endif
