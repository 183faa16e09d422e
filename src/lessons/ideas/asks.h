/* Questions with choices, by lessons; each table ends with a zeroed one. */
#ifndef SAC_LESSONS_IDEAS_ASKS_H
#define SAC_LESSONS_IDEAS_ASKS_H

#include "lessons/engine/lesson.h"

extern const sac_lesson_ask sac_asks_alignment[], sac_asks_caption_step[], sac_asks_cost[],
    sac_asks_dropout[], sac_asks_five_bugs[], sac_asks_image_as_set[], sac_asks_kernel_regression[],
    sac_asks_mask_conventions[], sac_asks_masks[], sac_asks_multi_head[], sac_asks_permutation[],
    sac_asks_positions[], sac_asks_reshape[], sac_asks_saccade[], sac_asks_scores[],
    sac_asks_self_attention[], sac_asks_seq2seq[], sac_asks_similarity[], sac_asks_step_by_step[],
    sac_asks_transformer_block[], sac_asks_untrained_averages[], sac_asks_when[],
    sac_asks_why_scale[];

#endif
