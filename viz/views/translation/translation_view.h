/* A sentence that is translated while it is typed, and where each word of the translation looks:
 * the sentence above, the translation below, a band for each weight between them, and the matrix of
 * the weights; of one model, or of two beside each other. */
#ifndef VIZ_TRANSLATION_TRANSLATION_VIEW_H
#define VIZ_TRANSLATION_TRANSLATION_VIEW_H

#include "view/view.h"

extern const viz_view_class viz_translation_class;

/* `source` is lent and must outlive the view; it has `generate` and `read`. SAC_E_MEMORY. */
sac_status viz_translation_view_create(sac_source *source, viz_view *beside, viz_view **view,
                                       sac_error *error);

/* What the weights are made of. */
void viz_translation_view_ask(viz_view *view, sac_attribution attribution);

#endif
