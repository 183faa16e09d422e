/* The language of what stands around the views: names of places, buttons, keys and what they do. */
#ifndef VIZ_VIEW_WORDS_H
#define VIZ_VIEW_WORDS_H

#include "sources/lesson.h"
#include "view/words.h"

/* The whole program speaks one language, set before its first view; English until then. */
void viz_speak(sac_lesson_language language);
sac_lesson_language viz_spoken(void);
/* The same in that language, with the same conversions; what has no translation, such as a name, is
 * returned as it is. */
__attribute__((format_arg(1))) const char *viz_word(const char *english);

#endif
