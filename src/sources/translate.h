/* The languages of the program. Its texts are English in the code; the others are catalogues of gettext,
 * assets/translations/LANGUAGE.po, which the build compiles into the program. */
#ifndef SAC_SOURCES_TRANSLATE_H
#define SAC_SOURCES_TRANSLATE_H

#include <stdbool.h>

typedef enum sac_locale { SAC_IN_ENGLISH = 0, SAC_IN_CHINESE, SAC_LOCALES } sac_locale;

/* "en", "zh" */
extern const char *const sac_locale_names[SAC_LOCALES];
bool sac_locale_from_name(const char *name, sac_locale *language);
/* What LC_ALL, else LC_MESSAGES, else LANG ask for, if there is a catalogue; else English. */
sac_locale sac_locale_of_environment(void);

/* Marks a text of a table for xgettext, as elsewhere; the second with a context, where one English text has two
 * translations. */
#define N_(text) text
#define NC_(context, text) context "\004" text

/* A text in that language, with the same conversions; without a translation, as names are, the text itself. NULL: NULL. */
__attribute__((format_arg(2))) const char *sac_translate(sac_locale language, const char *text);

#endif
