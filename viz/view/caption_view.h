/* A picture captioned: the words appear one by one, the heat glides over the picture from word to
 * word, and beside it stand one small map per word and the matrix words × cells. */
#ifndef VIZ_VIEW_CAPTION_VIEW_H
#define VIZ_VIEW_CAPTION_VIEW_H

#include "trace/caption.h"
#include "view/view.h"

/* `source` is lent and must outlive the view. SAC_E_MEMORY. */
sac_status viz_caption_view_create(sac_caption_source *source, viz_view **view, sac_error *error);
/* The figure of the paper: one panel per word, its heat over the picture, for slides. Draws the
 * view's caption into the whole canvas (viz_export calls it when the view's setting "layout" is
 * "figure"). */

#endif
