/* The folders of a person: lines XDG_PICTURES_DIR="$HOME/Bilder", as xdg-user-dirs writes them. */
#include "app/user_folders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/settings.h"
#include "images/folder.h"
#include "view/words.h"

enum { BYTES = 16384 }; /* a longer file is none of these */

/* The value of a key such as XDG_DESKTOP_DIR: an absolute path, or one below $HOME. False: the text has none. */
static bool parse_user_folder(const char *text, const char *key, const char *home, char *path)
{
    static const char below[] = "$HOME/";
    const char *line = text;
    size_t length = strlen(key);
    while (strncmp(line, key, length) != 0 || strncmp(line + length, "=\"", 2) != 0) {
        line = strchr(line, '\n');
        if (!line++)
            return false;
    }
    const char *value = line + length + 2, *end = strpbrk(value, "\"\n");
    bool at_home = strncmp(value, below, sizeof below - 1) == 0;
    if (!end || *end != '"' || (!at_home && value[0] != '/'))
        return false;
    value += at_home ? sizeof below - 1 : 0;
    int printed = snprintf(path, VIZ_PATH_SIZE, "%s%s%.*s", at_home ? home : "", at_home ? "/" : "",
                           (int)(end - value), value);
    return printed < VIZ_PATH_SIZE;
}

int app_find_user_folders(viz_folder folders[VIZ_FOLDERS_MOST])
{
    static const struct {
        const char *key, *name, *title;
    } known[] = {
        {"XDG_DESKTOP_DIR", "Desktop", N_("Desktop")},
        {"XDG_PICTURES_DIR", "Pictures", N_("Pictures")},
        {"XDG_DOWNLOAD_DIR", "Downloads", N_("Downloads")},
    };
    enum { KNOWN = sizeof known / sizeof *known };
    _Static_assert(KNOWN < VIZ_FOLDERS_MOST, "there is room for home");
    const char *home = getenv("HOME"), *config = getenv("XDG_CONFIG_HOME");
    char text[BYTES] = "", path[VIZ_PATH_SIZE];
    int count = 0;
    if (!home || home[0] != '/' || strlen(home) >= VIZ_PATH_SIZE || !sac_is_folder(home))
        return 0;
    folders[count].title = N_("Home");
    strcpy(folders[count++].path, home);
    bool own = config && config[0] == '/';
    int length = snprintf(path, sizeof path, "%s%s/user-dirs.dirs", own ? config : home,
                          own ? "" : "/.config");
    if (length >= VIZ_PATH_SIZE || !app_settings_read(path, text, sizeof text))
        text[0] = '\0';
    for (int i = 0; i < KNOWN; i++) {
        char *to = folders[count].path;
        bool named = parse_user_folder(text, known[i].key, home, to) ||
                     snprintf(to, VIZ_PATH_SIZE, "%s/%s", home, known[i].name) < VIZ_PATH_SIZE;
        /* One that is the home folder itself is how xdg-user-dirs writes that there is none. */
        size_t end = named ? strlen(to) : 0;
        while (end > 1 && to[end - 1] == '/')
            to[--end] = '\0';
        folders[count].title = known[i].title;
        count += named && strcmp(to, home) != 0 && sac_is_folder(to);
    }
    return count;
}
