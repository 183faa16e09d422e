/* Views that are split: the keys that do it, and the settings that ask for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/shell.h"
#include "shell/split.h"
#include "view/settings.h"
#include "view/snapshot.h"

/* The view of a tab as a split, which may have one side; NULL: no memory. */
static viz_view *split_of_tab(viz_shell *shell, int tab)
{
    viz_tab *t = &shell->tabs[tab];
    viz_view *split = t->view;
    if (!split || viz_is_split(split))
        return split;
    if (viz_split_create(t->view, &split, NULL) != SAC_OK)
        return NULL;
    t->view = split;
    viz_history_lend(t->history, split);
    return split;
}

bool viz_shell_split(viz_shell *shell)
{
    viz_view *view = viz_shell_tab(shell);
    if (!view || !view->class->create || view->class->is_live || view->class->pages) {
        viz_shell_message(shell, "there is nothing here to set beside another");
        return false;
    }
    viz_view *split = split_of_tab(shell, shell->current);
    if (split && viz_split_add(split))
        return true;
    viz_shell_message(shell, split && viz_split_count(split) < VIZ_SPLIT_MOST
                                 ? "out of memory"
                                 : "four are side by side already: Backspace takes one away");
    return false;
}

/* The next model of the source beside the one that is shown. */
static void compare_models(viz_shell *shell)
{
    viz_view *view = viz_shell_tab(shell);
    const sac_source *source = view->source;
    int models = source->speaker.models, next = 0;
    char text[128];
    viz_snapshot settings = viz_snapshot_take(view, NULL);
    const char *name = viz_snapshot_find(&settings, "model");
    for (int i = 0; name && i < models; i++)
        if (strcmp(source->speaker.model[i], name) == 0)
            next = (i + 1) % models;
    viz_snapshot_free(&settings);
    if (models < 2) {
        snprintf(text, sizeof text, "there is only one model here: “%s”", source->speaker.model[0]);
        viz_shell_message(shell, text);
    } else if (viz_shell_split(shell)) {
        viz_view *split = viz_shell_tab(shell);
        viz_split_part(split, false);
        viz_view_restore(viz_split_side(split, 1), "model", source->speaker.model[next]);
        viz_split_focus(split, 0);
    }
}

/* The model of that name in a second side. */
static void restore_compared(viz_shell *shell, int tab, const char *model)
{
    viz_view *split = model[0] && shell->tabs[tab].class->speaks ? split_of_tab(shell, tab) : NULL;
    if (!split || (viz_split_count(split) < 2 && !viz_split_add(split)))
        return;
    viz_view_restore(viz_split_side(split, 1), "model", model);
    viz_split_focus(split, 0);
}

void viz_shell_restore(viz_shell *shell, int tab, const char *key, const char *value)
{
    if (strcmp(key, "compared with") == 0) {
        restore_compared(shell, tab, value);
        return;
    }
    bool sides = strcmp(key, VIZ_SPLIT_SIDES) == 0;
    if (sides && strlen(value) > 1)
        split_of_tab(shell, tab);
    viz_view *view = shell->tabs[tab].view;
    if (view)
        viz_view_restore(view, key, value);
    if (view && sides && viz_is_split(view)) /* each side's settings follow */
        viz_split_part(view, true);
}

/* ---------------------------------------------------------------- events */

static bool with_ctrl(viz_shell *shell, int key)
{
    viz_view *view = viz_shell_tab(shell);
    if (key == 'p') {
        if (viz_shell_split(shell)) {
            viz_split_part(viz_shell_tab(shell), true);
            viz_shell_message(shell, "side by side, each with settings of its own: ctrl G has "
                                     "them change together");
        }
        return true;
    }
    if (key != 'g' || !viz_is_split(view) || viz_split_count(view) < 2)
        return false;
    viz_split_part(view, !viz_split_is_parted(view));
    viz_shell_message(shell, viz_split_is_parted(view)
                                 ? "each side has settings of its own now"
                                 : "what is changed in one side changes in all now");
    return true;
}

bool viz_shell_split_event(viz_shell *shell, const viz_event *event)
{
    const viz_view *view = viz_shell_tab(shell);
    if (event->kind != VIZ_KEY || shell->asks || shell->chooses || !view)
        return false;
    if (event->ctrl)
        return with_ctrl(shell, event->key);
    bool one = !viz_is_split(view) || viz_split_count(view) == 1;
    if (event->key != 'c' || !one || !view->class->speaks || viz_shell_typing(shell))
        return false;
    compare_models(shell);
    return true;
}
