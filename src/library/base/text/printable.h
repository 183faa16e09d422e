/* Text of others (file names, what files hold, options, the environment) as it may be printed: it
 * must not steer a terminal. */
#ifndef SAC_BASE_TEXT_PRINTABLE_H
#define SAC_BASE_TEXT_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What stands for a character that is not printed: U+FFFD. */
#define SAC_REPLACEMENT "\xef\xbf\xbd"

/* True for what a terminal, a viewer or a shell obeys and no one sees: C0 and DEL, C1 (U+0080 to
 * U+009F), and what turns the direction of text (U+202A to U+202E, U+2066 to U+2069). The marks
 * U+200E, U+200F and U+061C are not among them: right-to-left text uses them, and they turn nothing
 * but signs beside them. */
bool sac_is_control(uint32_t code);
/* True where the text has one, or is not valid UTF-8. */
bool sac_has_control(const char *text);

/* `text` as one line into `line`, cut between two characters where `size` bytes with the end do not
 * hold it: a line break or a tab becomes a space, every other control character and every byte that
 * is not UTF-8 U+FFFD. Returns `line`. */
char *sac_printable(const char *text, char *line, size_t size);
/* The same text, whole; free() it. NULL: no memory. */
char *sac_printable_copy(const char *text);

/* The same text with U+FFFD in place of what is not UTF-8, and nothing else changed; free() it. */
char *sac_valid_utf8_copy(const char *text);

/* Prints as fprintf does, but each text of a %s is made printable by sac_printable; `format` itself is
 * the program's own and stays. A width counts characters, a precision bytes of the text, which ends
 * with NUL. Takes d i u x c f g e s with flags and the lengths l, ll and z. All output for a person
 * is printed by it: the test `structure` checks that. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void sac_print(FILE *file, const char *format, ...);
/* A text of several lines, which stay lines; tabs stay too. */
void sac_print_text(FILE *file, const char *text);
/* JSON and a newline. What would steer a terminal is in its strings alone, and becomes \u009b and
 * the like there, which every reader of JSON takes for the same character; a byte that is not UTF-8
 * becomes \ufffd. */
void sac_print_json(FILE *file, const char *json);
/* `utf8` as a string of JSON that may stand in a script element of a page: it has no '<', '>' or '&', no
 * control character, and nothing that turns the direction of text; those are written as \u…. */
void sac_write_json_text(FILE *file, const char *utf8);

/* A command that a person may paste into a shell. It grows word by word, in the caller's text. */
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
void sac_command_add_option(sac_command_line *line, const char *option, const char *word);

#endif
