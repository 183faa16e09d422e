/* The window, for the commands that open one. */
#ifndef SAC_CLI_COMMANDS_VIEW_H
#define SAC_CLI_COMMANDS_VIEW_H

#include "app/document.h"
#include "cli/drawing.h"

/* Opens a window on the request, of the drawing's size, density and theme, until it is closed;
 * returns the exit status. */
int cli_view_window(const app_request *request, const cli_drawing *drawing);
/* The same, of a document that may have a training of the command's already, which then goes on behind the window;
 * `interrupted`: asked each frame; true closes it. */
sac_status cli_show_window(app_document *document, const app_request *request,
                           const cli_drawing *drawing, bool presents, bool (*interrupted)(void),
                           sac_error *error);

#endif
