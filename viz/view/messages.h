/* The second table of words: sentences. */
#ifndef VIZ_VIEW_MESSAGES_H
#define VIZ_VIEW_MESSAGES_H

#include "sources/lesson.h"

extern const char *const viz_messages[][SAC_LESSON_LANGUAGES]; /* ends with a zeroed one */

#endif
