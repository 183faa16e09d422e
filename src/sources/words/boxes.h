/* The places of things in a picture of one's own: what the attention of any captioner is held to.
 *
 *     {"objects": [{"words": ["dog", "dogs"], "boxes": [[x0,y0,x1,y1], …]}, …]}
 *
 * in pixels of the picture. A generated word that is one of an object's words, in capitals or not, is
 * to look into its boxes. */
#ifndef SAC_SOURCES_BOXES_H
#define SAC_SOURCES_BOXES_H

#include "sources/result.h"

/* Of a picture of width × height: up to SAC_CAPTION_OBJECTS objects with 1 to 3 words of up to 23
 * bytes and 1 to SAC_LOOK_BOXES boxes each. SAC_E_FORMAT names the object that is wrong. */
sac_status sac_boxes_load(const char *path, int width, int height, sac_caption_truth *truth,
                          sac_error *error);

#endif
