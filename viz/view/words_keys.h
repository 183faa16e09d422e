/* The third table of words: what keys and the pointer do. */
#ifndef VIZ_VIEW_WORDS_KEYS_H
#define VIZ_VIEW_WORDS_KEYS_H

#include "sources/lesson.h"

extern const char *const viz_words_keys[][SAC_LESSON_LANGUAGES]; /* ends with a zeroed one */

#endif
