/* What a captioner of photographs knows of its own limits. It is measured at the end of a training,
 * and stands in the file of its weights:
 *
 *     x = mean over the cells of what the encoder knows them by [C]: of EfficientNet what comes into
 *         its head, of a model of others what leaves it
 *     d² = |L⁻¹ (x − μ)|²                    μ, and L Lᵀ = (1 − ε) Σ + ε (tr Σ / C) I, of pictures
 *                                            that it was trained on; ε = C / (C + pictures)
 *
 * d is the distance of Mahalanobis, from a covariance shrunk towards a sphere. Of 100 pictures that
 * were held out 99 are within shape.limit: whatever is beyond is unlike what it was trained on. Below the probability
 * shape.sure its words are wrong more often than right. Of the captions of twenty that were held out one has a
 * lower mean log probability than shape.least_log: such a caption is a guess. */
#ifndef SAC_CAPTIONER_DOMAIN_H
#define SAC_CAPTIONER_DOMAIN_H

#include "captioner/model.h"

/* Declares μ [C] and L [C,C] in `domain`, where the shape has a limit. */
void sac_domain_declare(const sac_captioner_shape *shape, sac_parameters *domain);
/* Measures both on the album that is open. */
sac_status sac_domain_measure(sac_captioner *captioner, sac_error *error);
/* The distance of the picture that is encoded; 0 where nothing was measured. */
sac_status sac_domain_distance(sac_captioner *captioner, float *distance, sac_error *error);

#endif
