/* The origin and the settings in a saved picture's text chunks. */

#include "app/reopen.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/view_options.h"
#include "formats/bytes.h"
#include "formats/hash.h"
#include "formats/png_write.h"
#include "pretrained/pretrained.h"
#include "view/tray.h"
#include "worlds/world.h"

char *app_saved_text(const char *png, const char *key)
{
    char *value = NULL;
    return sac_png_text_load(png, key, &value, NULL) == SAC_OK ? value : NULL;
}

/* ---------------------------------------------------------------- what it was made of */

/* Text out of a file must not steer a terminal. */
static void make_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = '?';
}

/* FOLDER/NAME, where FOLDER is the one that `png` lies in; NULL where memory runs out. */
static char *beside(const char *png, const char *name)
{
    const char *slash = strrchr(png, '/');
    char *path = NULL;
    return asprintf(&path, "%.*s%s", slash ? (int)(slash + 1 - png) : 0, png, name) < 0 ? NULL
                                                                                        : path;
}

/* A file, or the folder of a model. */
static bool is_there(const char *path)
{
    return sac_is_regular(path) || sac_is_pretrained(path);
}

char *app_saved_path(const char *png, const char *name)
{
    char *path = name[0] == '/' ? NULL : beside(png, name);
    if (path && is_there(path))
        return path;
    free(path);
    return is_there(name) ? strdup(name) : NULL;
}

/* A picture without a hash, as that of a huge file, counts as unchanged. */
static bool is_unchanged(const char *png, const char *path)
{
    char hash[32] = "", *saved = app_saved_text(png, "hash");
    bool same = !saved || !saved[0] ||
                (sac_file_hash(path, hash, sizeof hash, NULL) == SAC_OK && !strcmp(hash, saved));
    free(saved);
    return same;
}

static bool find_file(const char *png, const char *file, app_saved *saved)
{
    saved->file = app_saved_path(png, file);
    bool there = saved->file != NULL, same = there && is_unchanged(png, saved->file);
    if (there && !same) {
        free(saved->file);
        saved->file = NULL;
    }
    if (same && sac_is_pretrained(saved->file)) /* what it read there */
        saved->text = app_saved_text(png, "sentence");
    snprintf(saved->note, sizeof saved->note, "made from %.300s%s", file,
             same    ? ""
             : there ? ", which has changed since: this is the picture itself"
                     : ", which is not there now: this is the picture itself");
    make_printable(saved->note);
    return same;
}

/* 0 for what is no number of a picture: the text may be anybody's. */
static int picture_number(const char *text)
{
    long number = text ? strtol(text, NULL, 10) : 0;
    return number >= 0 && number <= INT32_MAX / 2 ? (int)number : 0;
}

/* The world whose scene has that title; NULL: it is no scene's. */
static const sac_world *find_world(const char *title, unsigned long long *scene)
{
    const sac_world *world;
    for (int i = 0; (world = sac_world_at(i)); i++) {
        size_t length = strlen(world->title);
        int end = 0;
        if (strncmp(title, world->title, length) == 0 &&
            sscanf(title + length, " %llu%n", scene, &end) == 1 && !title[length + (size_t)end])
            return world;
    }
    return NULL;
}

/* A view that turned from scene to scene tells how far it went from the first. */
static bool find_scene(const char *png, app_saved *saved)
{
    char *title = app_saved_text(png, "title"), *picture = app_saved_text(png, "picture");
    unsigned long long scene;
    const sac_world *world = title ? find_world(title, &scene) : NULL;
    saved->is_scene = world != NULL;
    if (saved->is_scene) {
        saved->world = world->name;
        saved->picture = picture_number(picture);
        saved->scene = scene - (uint64_t)saved->picture;
        snprintf(saved->note, sizeof saved->note, "made from %s %llu", world->title, scene);
    }
    free(title);
    free(picture);
    return saved->is_scene;
}

/* With numbers of a person's own only where these are still there. */
static bool find_lesson(const char *png, app_saved *saved)
{
    char *from = app_saved_text(png, "from"), *command = app_saved_text(png, "command");
    saved->is_lesson = command && (!from || find_file(png, from, saved));
    if (saved->is_lesson)
        snprintf(saved->note, sizeof saved->note, "made by %.400s", command);
    make_printable(saved->note);
    free(command);
    free(from);
    return saved->is_lesson;
}

static bool find_sentence(const char *png, app_saved *saved)
{
    saved->text = app_saved_text(png, "sentence");
    if (saved->text && saved->text[0]) {
        snprintf(saved->note, sizeof saved->note, "made from the sentence “%.300s”", saved->text);
        make_printable(saved->note);
        return true;
    }
    free(saved->text);
    saved->text = NULL;
    return false;
}

bool app_saved_find(const char *png, app_saved *saved)
{
    char *software = app_saved_text(png, "Software");
    bool ours = software && strncmp(software, "Saccade ", 8) == 0;
    *saved = (app_saved){0};
    free(software);
    if (!ours)
        return false;
    char *file = app_saved_text(png, "file"), *view = app_saved_text(png, "view");
    bool is_lesson = view && strcmp(view, "lesson") == 0;
    bool found = is_lesson ? find_lesson(png, saved)
                 : file    ? find_file(png, file, saved)
                           : find_scene(png, saved) || find_sentence(png, saved);
    free(file);
    free(view);
    return found;
}

void app_saved_free(app_saved *saved)
{
    free(saved->file);
    free(saved->text);
    *saved = (app_saved){0};
}

/* ---------------------------------------------------------------- how it was shown */

/* The settings that a view would write, with the values that the saved picture has. */
typedef struct saved_settings {
    const char *png;
    struct {
        char key[80], *value;
    } found[APP_MAX_VIEW_OPTIONS];
    int count;
} saved_settings;

static void find_setting(void *user, const char *key, const char *value)
{
    (void)value;
    saved_settings *saved = user;
    char *text = saved->count < APP_MAX_VIEW_OPTIONS ? app_saved_text(saved->png, key) : NULL;
    if (!text)
        return;
    snprintf(saved->found[saved->count].key, sizeof saved->found->key, "%s", key);
    saved->found[saved->count++].value = text;
}

static void restore_view(viz_view *view, const char *png)
{
    saved_settings saved = {.png = png};
    if (view->class->describe && view->class->restore)
        view->class->describe(view, find_setting, &saved);
    for (int i = 0; i < saved.count; i++) {
        view->class->restore(view, saved.found[i].key, saved.found[i].value);
        free(saved.found[i].value);
    }
}

/* Pinned maps are in the picture itself. */
static void restore_tray(viz_shell *shell, const char *png)
{
    bool any = false;
    for (int i = 0; viz_tray_keys[i]; i++) {
        char *text = app_saved_text(png, viz_tray_keys[i]);
        any |= text != NULL;
        if (text)
            viz_shell_restore_tray(shell, viz_tray_keys[i], text);
        free(text);
    }
    if (any)
        viz_shell_show_tray(shell);
}

void app_saved_restore(viz_shell *shell, const char *png)
{
    char *name = app_saved_text(png, "view");
    const viz_view *shown = name ? viz_shell_find(shell, name) : NULL;
    for (int tab = 0; shown && tab < shell->count; tab++) {
        viz_view *view = shell->tabs[tab].view;
        if (view && view->trace == shown->trace)
            restore_view(view, png);
    }
    if (shown)
        viz_shell_show(shell, name);
    char *why = shown ? app_saved_text(png, "why") : NULL;
    if (why)
        viz_shell_restore_why(shell, why);
    free(why);
    restore_tray(shell, png);
    free(name);
}
