/* Commands that a person may paste into a shell. */
#ifndef SAC_BASE_TEXT_SHELL_WORD_H
#define SAC_BASE_TEXT_SHELL_WORD_H

#include <stdbool.h>
#include <stddef.h>

/* A command that grows word by word, in the caller's text. */
typedef struct sac_command_line {
    char *text;
    size_t size, used;
    bool whole; /* false: a word did not fit, or no shell takes it; then the text is empty */
} sac_command_line;

/* Begins with `command`, words of the program's own. */
sac_command_line sac_command_begin(char *text, size_t size, const char *command);
/* Adds a space and `word` as a shell takes it for that word: as it is, or between quotes. One that
 * has control characters or is not valid UTF-8 (base/text/printable.h) is refused: a terminal would obey
 * it as it is pasted. */
void sac_command_add(sac_command_line *line, const char *word);
/* `option` and, where it is not empty, `word`. */
void sac_command_option(sac_command_line *line, const char *option, const char *word);

#endif
