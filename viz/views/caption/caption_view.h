/* A picture captioned: the words appear one by one, the heat glides over the picture from word to
 * word, and beside it stand one small map per word and the matrix words × cells. */
#ifndef VIZ_CAPTION_CAPTION_VIEW_H
#define VIZ_CAPTION_CAPTION_VIEW_H

#include "sources/source.h"
#include "view/view.h"

extern const viz_view_class viz_caption_class;

/* Makes the view. `source` is lent and must outlive it; what its `turn` changes is read on the
 * worker only. SAC_E_MEMORY. restore("layout", "figure") makes it the figure of the paper: the
 * picture alone, then one panel for each word with its heat, on the whole canvas; "window" is the
 * other layout. */
sac_status viz_caption_view_create(sac_source *source, viz_view *beside, viz_view **view,
                                   sac_error *error);
/* Its next caption is that of the request, except for the model; zeros leave the view's own. */
void viz_caption_view_ask(viz_view *view, const sac_result_request *request);

#endif
