#include "fuzz.h"

#include <stdio.h>

#include "base/text/printable.h"
#include "base/text/utf8.h"
#include "sources/saved_name.h"

static void hold(bool promise)
{
    if (!promise)
        abort();
}

/* What a shell makes of one word: as sh does it, for the two ways in which words are written. */
static void check_word(const char *line, const char *word)
{
    char *made = calloc(strlen(line) + 1, 1), *end = made;
    bool quoted = false;
    for (const char *c = line; *c; c++)
        if (*c == '\'')
            quoted = !quoted;
        else if (!quoted && *c == '\\')
            *end++ = *++c;
        else
            *end++ = *c;
    hold(!quoted && strcmp(made, word) == 0);
    free(made);
}

/* An untrusted text, on its way to a terminal, a shell and a saved picture. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = calloc(size + 1, 1);
    if (size)
        memcpy(text, data, size);
    char *line = sac_printable_copy(text), *valid = sac_valid_utf8_copy(text), cut[16],
         printed[65536];
    hold(!sac_has_control(line) && sac_utf8_valid(line, strlen(line)));
    hold(sac_utf8_valid(valid, strlen(valid)));
    hold(sac_has_control(text) || (strcmp(line, text) == 0 && strcmp(valid, text) == 0));
    sac_printable(text, cut, sizeof cut);
    hold(strncmp(cut, line, strlen(cut)) == 0 && sac_utf8_valid(cut, strlen(cut)));

    printed[0] = '\0'; /* nothing printed leaves it as it is */
    FILE *file = fmemopen(printed, sizeof printed, "w");
    sac_print(file, "%s", text);
    fclose(file);
    hold(strlen(line) >= sizeof printed - 1 || strcmp(printed, line) == 0);

    char *written = sac_saved_name_encode(text), *read = sac_saved_name_decode(written);
    hold(sac_utf8_valid(written, strlen(written)) && read && strcmp(read, text) == 0);
    free(read);
    free(sac_saved_name_decode(text));
    free(written);

    size_t room = 4 * size + 16;
    char *command = malloc(room);
    sac_command_line words = sac_command_begin(command, room, "x");
    sac_command_add(&words, text);
    hold(words.whole == !sac_has_control(text));
    if (words.whole)
        check_word(command + 2, text);
    free(command);
    free(valid);
    free(line);
    free(text);
    return 0;
}
