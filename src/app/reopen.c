#include "app/reopen.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "app/view_options.h"
#include "formats/hash.h"
#include "formats/png_write.h"

char *app_saved_text(const char *png, const char *key)
{
    char *value = NULL;
    return sac_png_text_load(png, key, &value, NULL) == SAC_OK ? value : NULL;
}

/* ---------------------------------------------------------------- what it was made of */

/* What came out of a file must not steer a terminal. */
static void make_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = '?';
}

static bool find_file(const char *png, char *file, app_saved *saved)
{
    char hash[32] = "", *saved_hash = app_saved_text(png, "hash");
    bool there = access(file, R_OK) == 0;
    bool same = there && saved_hash && sac_file_hash(file, hash, sizeof hash, NULL) == SAC_OK &&
                strcmp(hash, saved_hash) == 0;
    snprintf(saved->note, sizeof saved->note, "made from %.300s%s", file,
             !there ? ", which is not there now: this is the picture itself"
             : same ? ""
                    : ", which has changed since");
    make_printable(saved->note);
    free(saved_hash);
    if (there)
        saved->file = file;
    else
        free(file);
    return there;
}

/* A view that turned from scene to scene tells how far it went from the first. */
static bool find_scene(const char *png, app_saved *saved)
{
    char *title = app_saved_text(png, "title"), *picture = app_saved_text(png, "picture");
    unsigned long long scene;
    int end = 0;
    saved->is_scene = title && sscanf(title, "scene %llu%n", &scene, &end) == 1 && !title[end];
    if (saved->is_scene) {
        saved->picture = picture ? atoi(picture) : 0;
        saved->scene = scene - (uint64_t)saved->picture;
        snprintf(saved->note, sizeof saved->note, "made from scene %llu", scene);
    }
    free(title);
    free(picture);
    return saved->is_scene;
}

bool app_saved_find(const char *png, app_saved *saved)
{
    char *software = app_saved_text(png, "Software");
    bool ours = software && strncmp(software, "Saccade ", 8) == 0;
    *saved = (app_saved){0};
    free(software);
    if (!ours)
        return false;
    char *file = app_saved_text(png, "file");
    return file ? find_file(png, file, saved) : find_scene(png, saved);
}

void app_saved_free(app_saved *saved)
{
    free(saved->file);
    *saved = (app_saved){0};
}

/* ---------------------------------------------------------------- how it was shown */

/* What a view would write about itself, as the saved picture has it. */
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

void app_saved_restore(viz_shell *shell, const char *png)
{
    enum { CAPTION, PICTURE };
    char *name = app_saved_text(png, "view");
    for (int tab = 0; name && tab < VIZ_MAX_TABS; tab++) {
        viz_view *view = shell->views[tab];
        bool its_own = view && strcasecmp(view->class->tab, name) == 0;
        if (view && (its_own || tab > PICTURE))
            restore_view(view, png);
        if (its_own)
            shell->current = tab;
    }
    free(name);
}
