/* The table of lessons: a class of each file. */
#ifndef SAC_LESSONS_IDEAS_LESSONS_H
#define SAC_LESSONS_IDEAS_LESSONS_H

#include "lessons/engine/lesson.h"

extern const sac_lesson_class sac_lesson_alignment, sac_lesson_caption_step,
    sac_lesson_copying_head, sac_lesson_cost, sac_lesson_dropout, sac_lesson_five_bugs,
    sac_lesson_generating, sac_lesson_image_as_set, sac_lesson_kept_keys,
    sac_lesson_kernel_regression, sac_lesson_mask_conventions, sac_lesson_masks,
    sac_lesson_multi_head, sac_lesson_path_length, sac_lesson_permutation, sac_lesson_positions,
    sac_lesson_reshape, sac_lesson_saccade, sac_lesson_scores, sac_lesson_self_attention,
    sac_lesson_seq2seq, sac_lesson_sharper, sac_lesson_similarity, sac_lesson_step_by_step,
    sac_lesson_transformer_block, sac_lesson_untrained_averages, sac_lesson_when,
    sac_lesson_why_scale;

/* All lessons in teaching order; ends with a NULL. */
extern const sac_lesson_class *const sac_lessons[];
const sac_lesson_class *sac_lesson_find(const char *name); /* NULL: there is none of that name */

/* The name of the group that begins with the lesson; NULL: it belongs to the group before it. */
const char *sac_lesson_opened_group_name(const sac_lesson_class *lesson);

/* Links from lessons to other lessons and to views (when.c). */
enum {
    SAC_DOOR_TRANSLATION,
    SAC_DOOR_CAPTION,
    SAC_DOOR_PICTURE,
    SAC_DOOR_HEADS,
    SAC_DOOR_MASKS,
    SAC_DOOR_SEQ2SEQ,
    SAC_DOOR_ALIGNMENT,
    SAC_DOOR_CAPTION_STEP,
    SAC_DOOR_EYE,
    SAC_DOOR_IMAGE_AS_SET,
    SAC_DOOR_PERMUTATION,
    SAC_DOORS
};
extern const sac_lesson_door sac_lesson_doors[SAC_DOORS];

#endif
