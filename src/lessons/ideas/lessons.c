/* The lessons in the order in which they are taught, and the groups that they form. */
#include "lessons/ideas/lessons.h"

#include <string.h>

const sac_lesson_class *const sac_lessons[] = {
    &sac_lesson_step_by_step,
    &sac_lesson_why_scale,
    &sac_lesson_masks,
    &sac_lesson_self_attention,
    &sac_lesson_multi_head,
    &sac_lesson_positions,
    &sac_lesson_mask_conventions,
    &sac_lesson_dropout,
    &sac_lesson_seq2seq,
    &sac_lesson_alignment,
    &sac_lesson_transformer_block,
    &sac_lesson_copying_head,
    &sac_lesson_generating,
    &sac_lesson_kept_keys,
    &sac_lesson_image_as_set,
    &sac_lesson_caption_step,
    &sac_lesson_saccade,
    &sac_lesson_when,
    &sac_lesson_reshape,
    &sac_lesson_five_bugs,
    &sac_lesson_similarity,
    &sac_lesson_permutation,
    &sac_lesson_untrained_averages,
    &sac_lesson_scores,
    &sac_lesson_sharper,
    &sac_lesson_kernel_regression,
    &sac_lesson_path_length,
    &sac_lesson_cost,
    NULL,
};

/* Each group by the lesson that it begins with. */
static const struct {
    const sac_lesson_class *first;
    const char *name;
} groups[] = {
    {&sac_lesson_step_by_step, N_("start here")},    {&sac_lesson_mask_conventions, N_("masks")},
    {&sac_lesson_seq2seq, N_("language")},           {&sac_lesson_image_as_set, N_("pictures")},
    {&sac_lesson_reshape, N_("when it goes wrong")}, {&sac_lesson_similarity, N_("in depth")},
};

const char *sac_lesson_opened_group_name(const sac_lesson_class *lesson)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (groups[i].first == lesson)
            return groups[i].name;
    return NULL;
}

const sac_lesson_class *sac_lesson_find(const char *name)
{
    for (int i = 0; sac_lessons[i]; i++)
        if (strcmp(sac_lessons[i]->name, name) == 0)
            return sac_lessons[i];
    return NULL;
}
