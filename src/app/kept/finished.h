/* The lessons that a person went through to their end. Kept beside the settings, in
 * $XDG_CONFIG_HOME/saccade/lessons: a name a line. Read and written by windows alone. */
#ifndef SAC_APP_FINISHED_H
#define SAC_APP_FINISHED_H

#include <stdbool.h>

bool app_lesson_is_finished(const char *lesson);
void app_lesson_finish(const char *lesson);

#endif
