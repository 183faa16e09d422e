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
    &sac_lesson_kernel_regression,
    &sac_lesson_cost,
    NULL,
};

/* Each group by the lesson that it begins with. */
static const struct {
    const sac_lesson_class *first;
    sac_text name;
} groups[] = {
    {&sac_lesson_step_by_step, SAC_TEXT_IN("start here", "从这里开始")},
    {&sac_lesson_mask_conventions, SAC_TEXT_IN("masks", "掩码")},
    {&sac_lesson_seq2seq, SAC_TEXT_IN("language", "语言")},
    {&sac_lesson_image_as_set, SAC_TEXT_IN("pictures", "图片")},
    {&sac_lesson_reshape, SAC_TEXT_IN("when it goes wrong", "出了什么错")},
    {&sac_lesson_similarity, SAC_TEXT_IN("in depth", "深入")},
};

const sac_text *sac_lesson_group_begins(const sac_lesson_class *lesson)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (groups[i].first == lesson)
            return &groups[i].name;
    return NULL;
}

const sac_lesson_class *sac_lesson_find(const char *name)
{
    for (int i = 0; sac_lessons[i]; i++)
        if (strcmp(sac_lessons[i]->name, name) == 0)
            return sac_lessons[i];
    return NULL;
}
