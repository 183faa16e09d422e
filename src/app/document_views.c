/* The views of a document: each class of the table with the first source that it accepts. */
#include <string.h>

#include "app/document_parts.h"
#include "classes/views.h"
#include "shell/split.h"

/* Two sources that stand beside each other are two sides of a view. */
static sac_status show_both(viz_view **view, sac_error *error)
{
    viz_view *split;
    sac_status status = viz_split_create(*view, &split, error);
    if (status == SAC_OK) {
        *view = split;
        viz_split_add(split);
        viz_split_focus(split, 0);
    }
    return status;
}

/* The view of one class, of the first source that it accepts; *view NULL: of none. */
static sac_status create_view(app_document *document, const viz_view_class *class, viz_view **view,
                              sac_error *error)
{
    sac_source *sources[] = {document->caption, document->picture, document->translation,
                             document->weights, document->lessons};
    const viz_shell *shell = &document->shell;
    viz_view *last = shell->count ? shell->tabs[shell->count - 1].view : NULL;
    *view = NULL;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (sources[i] && class->accepts(sources[i])) {
            viz_view *same = last && last->source == sources[i] ? last : NULL;
            const sac_source *beside = sources[i]->beside;
            sac_status status = class->create(sources[i], same, view, error);
            if (status == SAC_OK && beside && class->accepts(beside))
                status = show_both(view, error);
            return status;
        }
    return SAC_OK;
}

static bool is_in(const char *const names[], const char *name)
{
    for (int i = 0; names && names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

sac_status app_open_views(app_document *document, const char *const offered[], sac_error *error)
{
    sac_status status = SAC_OK;
    for (int i = 0; viz_views[i] && status == SAC_OK; i++) {
        viz_view *view;
        status = create_view(document, viz_views[i], &view, error);
        if (status == SAC_OK && view)
            status = viz_shell_add(&document->shell, view, error);
        else if (status == SAC_OK && is_in(offered, viz_views[i]->name))
            status = viz_shell_offer(&document->shell, viz_views[i], error);
    }
    return status;
}
