/* Undo over all that is open, and the way back to the view as it began. A setting is named after
 * its owner: "caption hidden", "shell tab", "window theme". */
#include <stdio.h>
#include <string.h>

#include "shell/shell.h"
#include "shell/split/split.h"
#include "view/settings.h"

#define SHELL_TAB "shell tab"
#define OUTSIDE "window"

typedef struct put_request {
    const char *name; /* of what has the settings */
    viz_put *put;
    void *user;
} put_request;

static void save_named(void *user, const char *key, const char *value)
{
    const put_request *t = user;
    char name[160];
    snprintf(name, sizeof name, "%s %s", t->name, key);
    t->put(t->user, name, value);
}

/* What is open in it stands before its settings. */
static void save_subject(void *user, const char *key, const char *value)
{
    if (viz_history_is_subject(key))
        save_named(user, key, value);
}

static void describe(const void *of, viz_put *put, void *user)
{
    const viz_shell *shell = of;
    if (shell->current < shell->count)
        put(user, SHELL_TAB, shell->tabs[shell->current].class->name);
    if (shell->outside)
        shell->outside->describe(shell->outside->user, save_named,
                                 &(put_request){OUTSIDE, put, user});
    for (int i = 0; i < shell->count; i++) {
        const viz_view *view = shell->tabs[i].view;
        put_request t = {shell->tabs[i].class->name, put, user};
        if (!view)
            continue;
        viz_view_describe(view, save_subject, &t);
        viz_view_describe_undone(view, save_named, &t);
    }
}

static bool restore(void *of, const char *key, const char *value)
{
    viz_shell *shell = of;
    if (strcmp(key, SHELL_TAB) == 0)
        return viz_shell_show(shell, value);
    const char *name = strchr(key, ' ') + 1;
    if (strncmp(key, OUTSIDE " ", strlen(OUTSIDE " ")) == 0)
        return shell->outside && shell->outside->restore(shell->outside->user, name, value);
    for (int i = 0; i < shell->count; i++) {
        size_t length = strlen(shell->tabs[i].class->name);
        if (strncmp(key, shell->tabs[i].class->name, length) != 0 || key[length] != ' ')
            continue;
        if (shell->tabs[i].view)
            viz_view_restore(shell->tabs[i].view, name, value);
        return shell->tabs[i].view;
    }
    return false;
}

viz_history *viz_shell_history(viz_shell *shell)
{
    if (!shell->history && shell->count)
        shell->history = viz_history_create((viz_undoable){describe, restore, shell});
    return shell->history;
}

/* ---------------------------------------------------------------- as it began */

typedef struct reset {
    viz_shell *shell;
    bool any;
} reset;

static void take_first(void *user, const char *key, const char *value)
{
    reset *r = user;
    const char *name = r->shell->tabs[r->shell->current].class->name;
    size_t length = strlen(name);
    if (strncmp(key, name, length) == 0 && key[length] == ' ' &&
        !viz_history_is_subject(key + length + 1))
        r->any |= restore(r->shell, key, value);
}

static void go_to_first(viz_shell *shell)
{
    viz_view *view = viz_shell_tab(shell);
    reset r = {.shell = shell};
    if (view && viz_is_split(view) && viz_split_count(view) > 1) {
        viz_view_restore(view, VIZ_SPLIT_SIDES, "1");
        r.any = true;
    }
    if (view)
        viz_history_changes(viz_shell_history(shell), take_first, &r);
    viz_shell_message(shell,
                      r.any ? "the view as it began: ctrl Z goes back" : "the view is as it began");
}

bool viz_shell_undo_event(viz_shell *shell, const viz_event *event)
{
    if (event->kind != VIZ_KEY || shell->chooses)
        return false;
    if (event->key == '0' && !event->ctrl) {
        go_to_first(shell);
        return true;
    }
    if (event->key == VIZ_KEY_ESCAPE && shell->whole) /* it leaves that */
        return false;
    if (event->key != VIZ_KEY_ESCAPE && !(event->ctrl && event->key == 'z'))
        return false;
    viz_history *history = viz_shell_history(shell);
    bool done = event->ctrl && event->shift ? viz_history_redo(history) : viz_history_undo(history);
    if (done) /* "overlay: heat" is no longer so */
        shell->message[0] = 0;
    return done;
}
