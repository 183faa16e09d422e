/* What a person finds again in the next window: settings, and the lessons that are done. */
#include "app/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/output.h"
#include "canvas/colormap.h"
#include "parts/playback/pace.h"

enum {
    MOST_BYTES = 4096, /* a longer file is none of ours */
    DESKTOP_BYTES = 1 << 16,
};

/* The folder into `path`; false where the person has no home. */
static bool find_folder(char *path, size_t size)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int length = -1;
    if (config && config[0] == '/')
        length = snprintf(path, size, "%s/saccade", config);
    else if (home && home[0] == '/')
        length = snprintf(path, size, "%s/.config/saccade", home);
    return length > 0 && (size_t)length < size;
}

bool app_settings_path(const char *name, char *path, size_t size)
{
    char folder[900];
    int length =
        find_folder(folder, sizeof folder) ? snprintf(path, size, "%s/%s", folder, name) : -1;
    return length > 0 && (size_t)length < size;
}

static bool set_shared_setting(viz_window_settings *s, int which, const char *value)
{
    snprintf(s->shared[which], sizeof s->shared[which], "%s", value);
    return true;
}

static bool parse_setting(viz_window_settings *s, const char *key, const char *value)
{
    viz_colormap map;
    viz_pace pace;
    char *end;
    if (strcmp(key, "theme") == 0) {
        s->light = strcmp(value, "light") == 0;
        return s->light || strcmp(value, "dark") == 0;
    }
    if (strcmp(key, "text") == 0) {
        float text = strtof(value, &end);
        bool is_size = end != value && !*end && text >= VIZ_LEAST_TEXT && text <= VIZ_MOST_TEXT;
        s->text = is_size ? text : s->text;
        return is_size;
    }
    if (strcmp(key, "hints") == 0)
        return s->hinted = strcmp(value, "seen") == 0;
    if (strcmp(key, "map") == 0 && viz_colormap_from_name(value, &map))
        return set_shared_setting(s, VIZ_KEPT_MAP, value);
    if (strcmp(key, "pace") == 0 && viz_pace_from_name(value, &pace))
        return set_shared_setting(s, VIZ_KEPT_PACE, value);
    return false;
}

/* False where a line is none of ours. */
static bool parse_settings(viz_window_settings *s, char *text)
{
    char *rest = NULL;
    bool all = true;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *value = strchr(line, ' ');
        if (value)
            *value++ = '\0';
        all &= value && parse_setting(s, line, value);
    }
    return all;
}

/* A pipe or a device under that name is not waited for. */
bool app_settings_read(const char *path, char *text, size_t size)
{
    struct stat is;
    if (stat(path, &is) != 0 || !S_ISREG(is.st_mode) || is.st_size >= (off_t)size)
        return false;
    FILE *file = fopen(path, "re");
    size_t used = file ? fread(text, 1, size - 1, file) : 0;
    text[used] = '\0';
    bool whole = file && !ferror(file) && strlen(text) == used;
    if (file)
        fclose(file);
    return whole;
}

/* "key = value" or "key=value" stands in a line of a file in the folder of all settings. */
static bool desktop_setting_matches(const char *name, const char *key, const char *const values[2])
{
    char folder[900], path[1100], text[DESKTOP_BYTES];
    if (!find_folder(folder, sizeof folder))
        return false;
    *strrchr(folder, '/') = '\0';
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const char *at = app_settings_read(path, text, sizeof text) ? strstr(text, key) : NULL;
    if (!at || (at > text && at[-1] != '\n'))
        return false;
    at += strlen(key);
    at += strspn(at, " =");
    return !strncmp(at, values[0], strlen(values[0])) || !strncmp(at, values[1], strlen(values[1]));
}

/* As GTK and Plasma keep it. */
static bool desktop_is_calm(void)
{
    static const char *const off[] = {"0", "false"};
    static const char *const zero[] = {"0\n", "0.0"};
    return desktop_setting_matches("gtk-4.0/settings.ini", "gtk-enable-animations", off) ||
           desktop_setting_matches("gtk-3.0/settings.ini", "gtk-enable-animations", off) ||
           desktop_setting_matches("kdeglobals", "AnimationDurationFactor", zero);
}

void app_settings_load(viz_window_settings *settings, char *problem, size_t size)
{
    char path[1000], text[MOST_BYTES];
    struct stat is;
    *settings = (viz_window_settings){.text = 1, .calm = desktop_is_calm()};
    problem[0] = '\0';
    if (!app_settings_path("settings", path, sizeof path))
        return;
    if (lstat(path, &is) != 0 && errno == ENOENT)
        return;
    if (!app_settings_read(path, text, sizeof text) || !parse_settings(settings, text))
        snprintf(problem, size, "%s: contains lines that are not settings; they are ignored", path);
}

static sac_status make_folder(const char *folder, sac_error *error)
{
    char path[900];
    snprintf(path, sizeof path, "%s", folder);
    for (char *slash = path + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0777);
    }
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return sac_fail(error, SAC_E_FILE, path, "XDG_CONFIG_HOME names another place",
                        "cannot be made: %s", strerror(errno));
    return SAC_OK;
}

sac_status app_settings_open(const char *name, sac_output *out, sac_error *error)
{
    char folder[900], path[1000];
    if (!find_folder(folder, sizeof folder) || !app_settings_path(name, path, sizeof path))
        return sac_fail(error, SAC_E_FILE, name, "set XDG_CONFIG_HOME",
                        "there is no home folder to store them in");
    sac_status status = make_folder(folder, error);
    return status == SAC_OK ? sac_output_open(out, path, error) : status;
}

sac_status app_settings_save(const viz_window_settings *s, sac_error *error)
{
    sac_output out = {0};
    sac_status status = app_settings_open("settings", &out, error);
    if (status != SAC_OK)
        return status;
    fprintf(out.file, "theme %s\ntext %.3g\n", s->light ? "light" : "dark", (double)s->text);
    if (s->shared[VIZ_KEPT_MAP][0])
        fprintf(out.file, "map %s\n", s->shared[VIZ_KEPT_MAP]);
    if (s->shared[VIZ_KEPT_PACE][0])
        fprintf(out.file, "pace %s\n", s->shared[VIZ_KEPT_PACE]);
    if (s->hinted)
        fprintf(out.file, "hints seen\n");
    return sac_output_commit(&out, error);
}

/* ---------------------------------------------------------------- lessons */

/* Reads all of the file, which is empty where there is none; true where it has the line. */
static bool read_lessons_and_find(char text[MOST_BYTES], const char *line)
{
    char path[1000];
    size_t length = strlen(line);
    if (!app_settings_path("lessons", path, sizeof path) ||
        !app_settings_read(path, text, MOST_BYTES))
        text[0] = '\0';
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        if (strcspn(text, "\n") == length && memcmp(text, line, length) == 0)
            return true;
    return false;
}

bool app_lesson_is_finished(const char *lesson)
{
    char text[MOST_BYTES];
    return read_lessons_and_find(text, lesson);
}

void app_lesson_finish(const char *lesson)
{
    char text[MOST_BYTES];
    sac_output out = {0};
    if (read_lessons_and_find(text, lesson) || app_settings_open("lessons", &out, NULL) != SAC_OK)
        return;
    size_t used = strlen(text);
    fprintf(out.file, "%s%s%s\n", text, used && text[used - 1] != '\n' ? "\n" : "", lesson);
    sac_output_commit(&out, NULL);
}
