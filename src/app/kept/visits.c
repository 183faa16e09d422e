#include "app/kept/visits.h"

#include <stdlib.h>
#include <string.h>

app_history_entry *app_visit_create(app_document *document)
{
    const char *slash = strrchr(document->file, '/');
    app_history_entry *visit = document->shell.count ? calloc(1, sizeof *visit) : NULL;
    if (!visit)
        return NULL;
    visit->request = document->request;
    if (document->caption || document->picture)
        visit->request.picture =
            document->caption ? document->caption->picture.number : document->picture_shown;
    visit->paths = document->paths;
    document->paths = NULL;
    visit->before = document->before;
    document->before = NULL;
    if (document->translation && !document->caption) /* else one tab of several */
        snprintf(visit->text, sizeof visit->text, "%s", document->translation->speaker.text);
    else if (app_document_typed(document))
        snprintf(visit->text, sizeof visit->text, "%s", app_document_typed(document)->speaker.text);
    memcpy(visit->take, document->take, sizeof visit->take);
    memcpy(visit->axes, document->axes, sizeof visit->axes);
    snprintf(visit->name, sizeof visit->name, "%.199s", slash ? slash + 1 : document->file);
    app_keep(&visit->kept, &document->shell);
    return visit;
}

void app_visit_free(app_history_entry *visit)
{
    if (!visit)
        return;
    for (char **path = visit->paths; path && *path; path++)
        free(*path);
    free(visit->paths);
    app_kept_free(&visit->kept);
    free(visit);
}
