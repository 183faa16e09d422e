/* Opens lessons. */
#include <stdlib.h>

#include "app/document_parts.h"
#include "base/error.h"

sac_status app_open_lessons(app_document *document, const app_request *request, sac_error *error)
{
    sac_lessons_options options = *request->lesson;
    document->lessons = calloc(1, sizeof *document->lessons);
    if (!document->lessons)
        return sac_fail(error, SAC_E_MEMORY, "lessons", NULL, "no memory to open them");
    options.device = request->device;
    snprintf(document->file, sizeof document->file, "%s",
             options.lesson.name[0] ? options.lesson.name : "lessons");
    sac_status status = sac_lessons_open(&options, document->lessons, error);
    return status == SAC_OK ? app_open_views(document, NULL, error) : status;
}
