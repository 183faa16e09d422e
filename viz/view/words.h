/* The language of what stands around the views: names of places, buttons, keys and what they do. */
#ifndef VIZ_VIEW_WORDS_H
#define VIZ_VIEW_WORDS_H

#include "sources/lesson.h"

/* The language of the whole program, set before its first view; English until then. */
void viz_set_language(sac_locale language);
sac_locale viz_language(void);
/* Opens the fonts, before anything is drawn. Where none has the signs of the current language, English is used from
 * then on, with a notice. Fails as viz_text_open does. */
sac_status viz_words_open(sac_error *error);
/* The same in that language, with the same conversions; what has no translation, such as a name, is
 * returned as it is. */
__attribute__((format_arg(1))) const char *viz_word(const char *english);

#endif
