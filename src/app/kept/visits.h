/* Documents that were open before the one that is: what opens them again as they were left. */
#ifndef SAC_APP_VISITS_H
#define SAC_APP_VISITS_H

#include "app/document.h"
#include "app/kept/kept_settings.h"

struct app_history_entry {
    app_history_entry *before; /* what was open before it; owned */
    app_request request;
    char **paths;             /* that `request` asks for; owned */
    char text[SAC_TEXT_SIZE]; /* the sentence, where it is no longer the one asked for */
    char take[128], axes[8];  /* the reading that was chosen */
    char name[200];
    app_kept kept;
};

/* Of a document that is about to be closed: takes its paths and its own visits. NULL where it has
 * no views, or no memory. */
app_history_entry *app_visit_create(app_document *document);
void app_visit_free(app_history_entry *visit); /* without those before it; takes NULL */

#endif
