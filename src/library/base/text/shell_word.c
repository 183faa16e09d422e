/* Words quoted for a POSIX shell. */

#include "base/text/shell_word.h"

#include <stdio.h>
#include <string.h>

#include "base/text/printable.h"

static void give_up(sac_command_line *line)
{
    line->whole = false;
    line->used = 0;
    if (line->size)
        line->text[0] = '\0';
}

static void add(sac_command_line *line, const char *text, size_t length)
{
    if (!line->whole)
        return;
    if (length >= line->size - line->used) {
        give_up(line);
        return;
    }
    memcpy(line->text + line->used, text, length);
    line->used += length;
    line->text[line->used] = '\0';
}

sac_command_line sac_command_begin(char *text, size_t size, const char *command)
{
    sac_command_line line = {.text = text, .size = size, .whole = size > 0};
    add(&line, command, strlen(command));
    return line;
}

/* ~ and = begin what a shell replaces; behind a first letter both are plain. */
static bool is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./=:@%+,-";
    return word[0] && word[0] != '=' && !word[strspn(word, plain)];
}

void sac_command_add(sac_command_line *line, const char *word)
{
    if (sac_has_control(word)) {
        give_up(line);
        return;
    }
    bool plain = is_plain(word);
    add(line, plain ? " " : " '", plain ? 1 : 2);
    for (const char *rest = word; *rest;) {
        size_t length = plain ? strlen(rest) : strcspn(rest, "'");
        add(line, rest, length);
        rest += length;
        if (*rest == '\'') { /* closes the quotes, is escaped, and opens them again */
            add(line, "'\\''", 4);
            rest++;
        }
    }
    if (!plain)
        add(line, "'", 1);
}

void sac_command_option(sac_command_line *line, const char *option, const char *word)
{
    add(line, " ", 1);
    add(line, option, strlen(option));
    if (word[0])
        sac_command_add(line, word);
}
