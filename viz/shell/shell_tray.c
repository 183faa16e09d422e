/* The tray of pinned maps in its room: the keys that fill it and show it. */
#include <stdio.h>

#include "shell/shell.h"
#include "shell/tray.h"
#include "view/settings.h"

/* Over whatever tab is the current one. */
static void show(viz_shell *shell, bool shown)
{
    shell->shows_tray = shown && viz_tray_count(shell->tray) > 0;
    shell->chooses = false;
    if (shell->shows_tray)
        viz_tray_lie_over(shell->tray, viz_shell_tab(shell));
}

static bool make_tray(viz_shell *shell)
{
    return shell->tray || viz_tray_create(&shell->tray, NULL) == SAC_OK;
}

bool viz_shell_pin(viz_shell *shell)
{
    viz_pin pin = {0};
    char text[160];
    const viz_view *view = viz_shell_tab(shell);
    if (!view || !view->class->pin || !view->class->pin(view, &pin)) {
        viz_pin_free(&pin);
        viz_shell_message(shell, "this view has no map to pin");
        return false;
    }
    if (!make_tray(shell) || !viz_tray_add(shell->tray, &pin)) {
        viz_pin_free(&pin);
        return false;
    }
    shell->pins_since_step++;
    shell->pins_undone = 0;
    snprintf(text, sizeof text, "pinned, %d of %d: Tab shows them", viz_tray_count(shell->tray),
             VIZ_TRAY_MOST);
    viz_shell_message(shell, text);
    return true;
}

bool viz_shell_show_tray(viz_shell *shell)
{
    show(shell, true);
    if (!shell->shows_tray)
        viz_shell_message(shell, "nothing is pinned yet: ctrl P pins the map that is shown");
    return shell->shows_tray;
}

void viz_shell_restore_tray(viz_shell *shell, const char *key, const char *value)
{
    if (make_tray(shell))
        viz_view_restore(shell->tray, key, value);
}

void viz_shell_hand_tray(viz_shell *from, viz_shell *to)
{
    if (viz_tray_count(to->tray) > 0) /* what is opened brings its own */
        return;
    viz_view_destroy(to->tray);
    to->tray = from->tray;
    from->tray = NULL;
    from->shows_tray = false;
}

/* ---------------------------------------------------------------- events */

/* In the tray every step is one of the tray's; elsewhere those that came after the view's last. */
static bool undo(viz_shell *shell)
{
    bool mine = shell->tray && (shell->shows_tray || shell->pins_since_step > 0);
    bool done = mine && viz_tray_undo(shell->tray);
    if (done) {
        shell->pins_since_step -= shell->pins_since_step > 0;
        shell->pins_undone++;
        viz_shell_message(shell, "the pin is taken back");
        show(shell, shell->shows_tray);
    }
    return done || shell->shows_tray;
}

static bool redo(viz_shell *shell)
{
    bool mine = shell->tray && (shell->shows_tray || shell->pins_undone > 0);
    bool done = mine && viz_tray_redo(shell->tray);
    if (done) {
        shell->pins_undone -= shell->pins_undone > 0;
        shell->pins_since_step++;
    }
    return done || shell->shows_tray;
}

static bool with_ctrl(viz_shell *shell, const viz_event *event)
{
    if (event->key == 'z')
        return event->shift ? redo(shell) : undo(shell);
    if (event->key != 'p')
        return false;
    if (!shell->shows_tray)
        viz_shell_pin(shell);
    return true;
}

static bool press_tab(viz_shell *shell, const viz_event *event)
{
    if (event->button != 1 || !viz_inside(shell->tray_rect, event->x, event->y))
        return false;
    show(shell, true);
    return true;
}

bool viz_shell_tray_event(viz_shell *shell, const viz_event *event)
{
    if (event->kind == VIZ_PRESS)
        return press_tab(shell, event);
    if (event->kind != VIZ_KEY || shell->asks)
        return false;
    if (event->ctrl)
        return with_ctrl(shell, event);
    if (event->key == VIZ_KEY_TAB && !shell->shows_tray)
        viz_shell_show_tray(shell);
    else if (shell->shows_tray && (event->key == VIZ_KEY_TAB || event->key == VIZ_KEY_ESCAPE))
        show(shell, false);
    else
        return shell->shows_tray && event->key == 'i';
    return true;
}
