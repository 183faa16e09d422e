/* Splits views: the keys for it, and the settings that request it. */
#include <stdio.h>
#include <string.h>

#include "shell/shell.h"
#include "shell/split/split.h"
#include "view/settings.h"

/* The view of a tab as a split, which may have one side; NULL: no memory. */
static viz_view *ensure_tab_is_split(viz_shell *shell, int tab)
{
    viz_tab *t = &shell->tabs[tab];
    viz_view *split = t->view;
    if (!split || viz_is_split(split))
        return split;
    if (viz_split_create(t->view, &split, NULL) != SAC_OK)
        return NULL;
    t->view = split;
    viz_history_refresh(shell->history);
    return split;
}

bool viz_shell_split(viz_shell *shell)
{
    viz_view *view = viz_shell_tab_view(shell);
    if (!view || !view->class->create || view->class->is_live || view->class->pages) {
        viz_shell_show_message(shell, "there is nothing here to set beside another");
        return false;
    }
    viz_view *split = ensure_tab_is_split(shell, shell->current);
    if (split && viz_split_add(split))
        return true;
    viz_shell_show_message(shell, split && viz_split_count(split) < VIZ_SPLIT_MOST
                                      ? "out of memory"
                                      : "four are side by side already: Backspace takes one away");
    return false;
}

/* The side that settings are given to (NULL: none), and how many they were. */
typedef struct other_side {
    viz_view *view;
    int settings;
    bool model; /* one of them was the model */
} other_side;

static void count_and_restore_setting(void *user, const char *key, const char *value)
{
    other_side *other = user;
    other->settings++;
    other->model |= strcmp(key, "model") == 0;
    if (other->view)
        viz_view_restore(other->view, key, value);
}

/* Adds a second side, whose settings follow the first one's. Maps are then shown as their
 * difference, models both. NULL: no memory. */
static viz_view *add_second_side(viz_shell *shell, int tab, bool model)
{
    viz_view *split = ensure_tab_is_split(shell, tab);
    if (!split || (viz_split_count(split) < 2 && !viz_split_add(split)))
        return NULL;
    viz_split_part(split, false);
    viz_split_subtract(split, !model);
    viz_split_focus(split, !model);
    return viz_split_side(split, 1);
}

/* Adds the view that the class calls the other: the next model, or the head before. */
static void compare_with_other_view(viz_shell *shell)
{
    const viz_view *view = viz_shell_tab_view(shell);
    const viz_view *first = viz_is_split(view) ? viz_split_side(view, 0) : view;
    other_side other = {0};
    char text[128];
    first->class->other(first, count_and_restore_setting, &other);
    if (!other.settings) {
        snprintf(text, sizeof text, "there is only one model here: “%s”",
                 view->source->result.model[0]);
        viz_shell_show_message(shell, text);
    } else if ((other.view = add_second_side(shell, shell->current, other.model))) {
        first->class->other(first, count_and_restore_setting, &other);
    }
}

void viz_shell_restore(viz_shell *shell, int tab, const char *key, const char *value)
{
    viz_view *view = shell->tabs[tab].view, *other;
    size_t layer, head;
    char text[32];
    /* Of pictures of before: the model in a second side, or the head "3.5" that is taken away. */
    bool model = strcmp(key, "compared with") == 0 && view && view->class->other && value[0];
    bool minus = strcmp(key, "minus") == 0 && view && view->class->other &&
                 sscanf(value, "%zu.%zu", &layer, &head) == 2 &&
                 sac_source_find_layer(view->source, layer, &(size_t){0}) &&
                 head < view->source->weights.heads;
    if ((model || minus) && (other = add_second_side(shell, tab, model))) {
        if (model)
            viz_view_restore(other, "model", value);
        for (int i = 0; i < 2 && minus; i++) {
            snprintf(text, sizeof text, "%zu", i ? head : layer);
            viz_view_restore(other, i ? "head" : "layer", text);
        }
        return;
    }
    bool sides = strcmp(key, VIZ_SPLIT_SIDES) == 0;
    if (sides && strlen(value) > 1)
        ensure_tab_is_split(shell, tab);
    view = shell->tabs[tab].view;
    if (view)
        viz_view_restore(view, key, value);
    if (view && sides && viz_is_split(view)) /* each side's settings follow */
        viz_split_part(view, true);
}

/* ---------------------------------------------------------------- events */

static bool handle_ctrl_key(viz_shell *shell, int key)
{
    viz_view *view = viz_shell_tab_view(shell);
    if (key == 'p') {
        if (viz_shell_split(shell)) {
            viz_split_part(viz_shell_tab_view(shell), true);
            if (view->class->pair_room) /* two maps and their difference */
                viz_split_subtract(viz_shell_tab_view(shell),
                                   viz_split_count(viz_shell_tab_view(shell)) == 2);
            viz_shell_show_message(shell, "side by side, each with settings of its own: ctrl G has "
                                          "them change together");
        }
        return true;
    }
    if (key != 'g' || !viz_is_split(view) || viz_split_count(view) < 2)
        return false;
    viz_split_part(view, !viz_split_is_parted(view));
    viz_shell_show_message(shell, viz_split_is_parted(view)
                                      ? "each side has settings of its own now"
                                      : "what is changed in one side changes in all now");
    return true;
}

bool viz_shell_split_event(viz_shell *shell, const viz_event *event)
{
    const viz_view *view = viz_shell_tab_view(shell);
    if (event->kind != VIZ_KEY || shell->asks || shell->chooses || !view)
        return false;
    if (event->ctrl)
        return handle_ctrl_key(shell, event->key);
    bool one = !viz_is_split(view) || viz_split_count(view) == 1;
    if (event->key != 'c' || !one || !view->class->other || viz_shell_typing(shell))
        return false;
    compare_with_other_view(shell);
    return true;
}
