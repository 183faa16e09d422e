/* What a view shows as a page for a browser: one file, which needs no network, moves, and answers
 * to the pointer. The data are those of the source that the view reads, not its pixels. */
#ifndef VIZ_EXPORT_HTML_H
#define VIZ_EXPORT_HTML_H

#include "view/view.h"

/* Writes the page of a view that is settled: of weights with all layers and heads, of a generated
 * sentence with the attention of each word, of a picture with that of each cell. `light`: on a
 * light ground; else as the reader's system is set. Of lessons that one, or all where the view shows the
 * gallery; the page computes their numbers. `no_origin`: the device is not named.
 * SAC_E_ARGUMENT where the view has none of these. */
sac_status viz_html_save(viz_view *view, bool light, bool no_origin, const char *path,
                         const sac_progress *progress, sac_error *error);
/* The same into an open file; what was written is to be thrown away where it fails. */
sac_status viz_html_write(viz_view *view, bool light, bool no_origin, FILE *file,
                          const sac_progress *progress, sac_error *error);

#endif
