/* Words that attend to words, one step after the other: the alignment of a translation, a sentence
 * that attends to itself. All heads of a layer are bands in colours of their own, which can be
 * switched; long texts are scrolled. */
#ifndef VIZ_ALIGNMENT_ALIGNMENT_VIEW_H
#define VIZ_ALIGNMENT_ALIGNMENT_VIEW_H

#include "view/view.h"

#define VIZ_ALIGNMENT_MOST 16384 /* steps, and positions */

extern const viz_view_class viz_alignment_class;

#endif
