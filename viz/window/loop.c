/* What all parts of the window do to its loop. */

#include "window/loop.h"

#include <string.h>

#include "base/error.h"
#include "canvas/colormap.h"
#include "parts/playback/pace.h"
#include "view/settings.h"

void viz_loop_name(viz_loop *loop, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(loop->name, sizeof loop->name, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(loop->name, '.');
    if (dot && dot != loop->name)
        *dot = '\0';
    if (!loop->name[0])
        snprintf(loop->name, sizeof loop->name, "view");
}

void viz_loop_error(viz_loop *loop, const sac_error *error)
{
    char line[sizeof loop->shell->message];
    viz_shell_problem(loop->shell, sac_error_line(error, line, sizeof line));
}

/* ---------------------------------------------------------------- settings of all views */

/* Those that a person finds again in the next window, and what they are at first. */
static const struct {
    const char *key, *first;
} shared[VIZ_KEPT] = {{"map", "inferno"}, {"pace", "usual"}};

typedef struct notice {
    const char *key;
    char *value;
} notice;

static void report_shared(void *user, const char *key, const char *value)
{
    const notice *t = user;
    if (strcmp(key, t->key) == 0)
        snprintf(t->value, VIZ_KEPT_NAME, "%s", value);
}

void viz_loop_shared(const viz_view *view, viz_kept_values values)
{
    for (int k = 0; k < VIZ_KEPT; k++) {
        values[k][0] = '\0';
        if (view)
            viz_view_describe(view, report_shared, &(notice){shared[k].key, values[k]});
    }
}

void viz_loop_share(viz_loop *loop, bool all)
{
    const viz_shell *shell = loop->shell;
    for (int i = 0; i < shell->count; i++) {
        viz_view *view = shell->tabs[i].view;
        viz_kept_values values;
        viz_loop_shared(view, values);
        for (int k = 0; k < VIZ_KEPT; k++) {
            const char *kept = loop->settings.shared[k];
            if (k == VIZ_KEPT_PACE && !kept[0] && loop->settings.calm)
                kept = viz_pace_names[VIZ_PACE_STILL];
            if (kept[0] && values[k][0] && (all || strcmp(values[k], shared[k].first) == 0))
                viz_view_restore(view, shared[k].key, kept);
        }
    }
}
