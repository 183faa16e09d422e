/* Token activation maps (Li et al. 2025, arXiv 2506.23270): what the tokens of a picture would say,
 * without the share of the words before. */
#ifndef SAC_ARCHITECTURES_CAPTIONING_PROMPTS_ACTIVATION_H
#define SAC_ARCHITECTURES_CAPTIONING_PROMPTS_ACTIVATION_H

#include <stddef.h>

/* The logits above 0 of a picture's tokens and of earlier places of the text, for each of the
 * tokens of the text that can be earlier or is explained. */
typedef struct sac_activations {
    size_t seen,
        text_tokens;     /* tokens of the picture; tokens of the text: of the question, and said */
    const int *ids;      /* [told] */
    const float *scores; /* [seen + told,told]: the logit that a place gives a token, at least 0. A
                            place of the question is that of the token itself, and of what is said
                            the one that says it */
} sac_activations;

/* map [seen] of token `which`: its activation less that which earlier, other tokens explain: their
 * activations, weighted by how much their places tell it, by least squares. At least 0. */
void sac_activation_map(const sac_activations *a, size_t which, float *map);

/* The rank Gaussian filter over cells [high,wide], 3 × 3, mirrored at the edges: the sorted values
 * of a window are weighted by a Gaussian around their median, as wide as their deviation over their
 * mean. `filtered` lies elsewhere. A window of equal values stays as it is. */
void sac_rank_gaussian(const float *cells, int wide, int high, float *filtered);

#endif
