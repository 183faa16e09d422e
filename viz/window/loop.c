/* What all parts of the window do to its loop. */

#include "window/loop.h"

#include <string.h>

#include "base/error.h"
#include "canvas/colormap.h"
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

/* ---------------------------------------------------------------- the colour map of all views */

static void tell_map(void *user, const char *key, const char *value)
{
    if (strcmp(key, "map") == 0)
        snprintf(user, VIZ_MAP_NAME, "%s", value);
}

void viz_loop_map(const viz_view *view, char map[VIZ_MAP_NAME])
{
    map[0] = '\0';
    if (view)
        viz_view_describe(view, tell_map, map);
}

void viz_loop_share_map(viz_loop *loop, bool all)
{
    const viz_shell *shell = loop->shell;
    for (int i = 0; i < shell->count && loop->settings.map[0]; i++) {
        viz_view *view = shell->tabs[i].view;
        char map[VIZ_MAP_NAME];
        viz_loop_map(view, map);
        if (map[0] && (all || strcmp(map, viz_colormap_name(VIZ_INFERNO)) == 0))
            viz_view_restore(view, "map", loop->settings.map);
    }
}
