/* A hand-out: the stops of a lecture on paper, or as one page for a browser. */
#ifndef VIZ_EXPORT_HANDOUT_H
#define VIZ_EXPORT_HANDOUT_H

#include "export/export.h"

typedef struct viz_handout viz_handout;

/* Begins one of `count` stops: shapes are kept for a PDF where `pdf`, pages and pictures for HTML where `html`. */
sac_status viz_handout_create(const viz_export_size *size, int count, bool pdf, bool html,
                              viz_handout **handout, sac_error *error);
/* The next stop: the view of the shell, or in its place why there is none, as one page below its title and above
 * its note (NULL: none). In HTML it is the view's own page where it has one, else a picture. */
sac_status viz_handout_add(viz_handout *handout, viz_shell *shell, const char *title,
                           const char *note, const sac_progress *progress, sac_error *error);
sac_status viz_handout_save_pdf(const viz_handout *handout, const char *path, sac_error *error);
sac_status viz_handout_save_html(const viz_handout *handout, const char *title, const char *path,
                                 sac_error *error);
void viz_handout_destroy(viz_handout *handout); /* takes NULL */

#endif
