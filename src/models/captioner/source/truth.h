/* The ground truth of a picture in the form of the source: sentence, boxes, and the words that name
 * each object. */
#ifndef SAC_CAPTIONER_TRUTH_H
#define SAC_CAPTIONER_TRUTH_H

#include "shapes/truth.h"
#include "sources/result.h"

void sac_captioner_truth(const sac_truth *from, sac_caption_truth *truth);

#endif
