/* The state of the shell: what is open, the current view, the current message, and undo over all of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "shell/shell.h"
#include "shell/split/split.h"
#include "view/settings.h"
#include "view/words.h"

#define MESSAGE_SECONDS 3.0
#define LETTERS_A_SECOND 15.0

viz_view *viz_shell_tab_view(const viz_shell *shell)
{
    return shell->current < shell->count ? shell->tabs[shell->current].view : NULL;
}

viz_view *viz_shell_view(const viz_shell *shell)
{
    return shell->chooses ? shell->chooser : shell->asks ? shell->why : viz_shell_tab_view(shell);
}

bool viz_shell_typing(const viz_shell *shell)
{
    const viz_view *view = viz_shell_view(shell);
    return shell->typed.typing || (view && view->class->typing && view->class->typing(view));
}

bool viz_shell_undoes_message(const viz_shell *shell)
{
    return shell->message_undone && shell->message[0];
}

void viz_shell_show_message(viz_shell *shell, const char *text)
{
    strncpy(shell->message, viz_word(text), sizeof shell->message - 1);
    shell->message[sizeof shell->message - 1] = 0;
    shell->message_undone = false;
    double reading = (double)strlen(shell->message) / LETTERS_A_SECOND;
    shell->message_until = shell->now + fmax(MESSAGE_SECONDS, 1 + reading);
}

void viz_shell_set_name(viz_shell *shell, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(shell->name, sizeof shell->name, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(shell->name, '.');
    if (dot && dot != shell->name)
        *dot = '\0';
}

/* ---------------------------------------------------------------- tabs */

sac_status viz_shell_add(viz_shell *shell, viz_view *view, sac_error *error)
{
    const viz_view_class *class = view->class;
    viz_tab *more = realloc(shell->tabs, ((size_t)shell->count + 1) * sizeof *more);
    if (!more) {
        viz_view_destroy(view);
        return sac_no_memory(error, class->name);
    }
    shell->tabs = more;
    shell->tabs[shell->count++] = (viz_tab){.class = class, .view = view};
    return SAC_OK;
}

static int find_tab(const viz_shell *shell, const char *name)
{
    if (strcasecmp(name, "pair") == 0) { /* what two beside each other were called */
        int tab = find_tab(shell, "caption");
        tab = tab >= 0 ? tab : find_tab(shell, "heads");
        return tab >= 0 && viz_is_split(shell->tabs[tab].view) ? tab : -1;
    }
    for (int i = 0; i < shell->count; i++)
        if (strcasecmp(shell->tabs[i].class->name, name) == 0 ||
            strcasecmp(shell->tabs[i].class->tab, name) == 0)
            return i;
    return -1;
}

viz_view *viz_shell_find(const viz_shell *shell, const char *name)
{
    int tab = find_tab(shell, name);
    return tab >= 0 ? shell->tabs[tab].view : NULL;
}

/* Its layers are places among other maps: those of a decoder, or of what was found. */
static bool has_layers_of_its_own(const viz_view *view)
{
    const viz_setting *layer = viz_view_setting(view->class, "layer");
    return layer && layer->kind == VIZ_PLACE;
}

static void restore_selected_head(void *user, const char *key, const char *value)
{
    viz_view *to = user;
    if (strcmp(key, "layer") == 0 || strcmp(key, "head") == 0 || strcmp(key, "batch") == 0)
        viz_view_restore(to, key, value);
}

static bool show_tab(viz_shell *shell, int tab)
{
    if (tab < 0 || tab >= shell->count || !shell->tabs[tab].view)
        return false;
    /* A head selected in one view of a source stays selected in the next. */
    const viz_view *from = viz_shell_tab_view(shell);
    viz_view *to = shell->tabs[tab].view;
    if (from && from != to && from->source == to->source && !has_layers_of_its_own(from) &&
        !has_layers_of_its_own(to))
        viz_view_describe(from, restore_selected_head, to);
    shell->current = tab;
    shell->asks = shell->chooses = false;
    return true;
}

bool viz_shell_show(viz_shell *shell, const char *name)
{
    return show_tab(shell, find_tab(shell, name));
}

bool viz_shell_next(viz_shell *shell, int step)
{
    int count = shell->count;
    for (int i = 1; i <= count; i++)
        if (show_tab(shell, (shell->current + step * i + count * i) % count))
            return true;
    return false;
}

void viz_shell_free(viz_shell *shell)
{
    if (!shell)
        return;
    viz_history_free(shell->history);
    for (int i = 0; i < shell->count; i++)
        viz_view_destroy(shell->tabs[i].view);
    viz_view_destroy(shell->why);
    viz_view_destroy(shell->chooser);
    free(shell->tabs);
    *shell = (viz_shell){0};
}

/* ---------------------------------------------------------------- undo */

/* Over all that is open, and the way back to the view as it began. A setting is named after its owner:
 * "caption hidden", "shell tab", "window theme". */
#define SHELL_TAB "shell tab"
#define OUTSIDE "window"

typedef struct put_request {
    const char *name; /* of what has the settings */
    viz_put *put;
    void *user;
} put_request;

static void put_prefixed_setting(void *user, const char *key, const char *value)
{
    const put_request *t = user;
    char name[160];
    snprintf(name, sizeof name, "%s %s", t->name, key);
    t->put(t->user, name, value);
}

/* What is open in it stands before its settings. */
static void put_subject_setting(void *user, const char *key, const char *value)
{
    if (viz_history_is_subject(key))
        put_prefixed_setting(user, key, value);
}

static void describe(const void *of, viz_put *put, void *user)
{
    const viz_shell *shell = of;
    if (shell->current < shell->count)
        put(user, SHELL_TAB, shell->tabs[shell->current].class->name);
    if (shell->outside)
        shell->outside->describe(shell->outside->user, put_prefixed_setting,
                                 &(put_request){OUTSIDE, put, user});
    for (int i = 0; i < shell->count; i++) {
        const viz_view *view = shell->tabs[i].view;
        put_request t = {shell->tabs[i].class->name, put, user};
        if (!view)
            continue;
        viz_view_describe(view, put_subject_setting, &t);
        viz_view_describe_undoable(view, put_prefixed_setting, &t);
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

static void restore_first_setting(void *user, const char *key, const char *value)
{
    reset *r = user;
    const char *name = r->shell->tabs[r->shell->current].class->name;
    size_t length = strlen(name);
    if (strncmp(key, name, length) == 0 && key[length] == ' ' &&
        !viz_history_is_subject(key + length + 1))
        r->any |= restore(r->shell, key, value);
}

bool viz_shell_undo_event(viz_shell *shell, const viz_event *event)
{
    if (event->kind != VIZ_KEY || shell->chooses)
        return false;
    if (event->key == '0' && !event->ctrl) {
        viz_view *view = viz_shell_tab_view(shell);
        reset r = {.shell = shell};
        if (view && viz_is_split(view) && viz_split_count(view) > 1) {
            viz_view_restore(view, VIZ_SPLIT_SIDES, "1");
            r.any = true;
        }
        if (view)
            viz_history_changes(viz_shell_history(shell), restore_first_setting, &r);
        viz_shell_show_message(shell, r.any ? "the view as it began: ctrl Z goes back"
                                            : "the view is as it began");
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
