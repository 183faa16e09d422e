#include "app/kept/finished.h"

#include <string.h>

#include "app/kept/settings.h"

enum { MOST_BYTES = 4096 };

/* All of the file; empty where there is none. */
static char *load(char text[MOST_BYTES])
{
    char path[1000];
    bool is_there = app_settings_path("lessons", path, sizeof path) &&
                    app_settings_read(path, text, MOST_BYTES);
    if (!is_there)
        text[0] = '\0';
    return text;
}

static bool has_line(const char *text, const char *line)
{
    size_t length = strlen(line);
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        if (strcspn(text, "\n") == length && memcmp(text, line, length) == 0)
            return true;
    return false;
}

bool app_lesson_is_finished(const char *lesson)
{
    char text[MOST_BYTES];
    return has_line(load(text), lesson);
}

void app_lesson_finish(const char *lesson)
{
    char text[MOST_BYTES];
    sac_output out = {0};
    if (has_line(load(text), lesson) || app_settings_open("lessons", &out, NULL) != SAC_OK)
        return;
    size_t used = strlen(text);
    fprintf(out.file, "%s%s%s\n", text, used && text[used - 1] != '\n' ? "\n" : "", lesson);
    sac_output_commit(&out, NULL);
}
