#include "lessons/shared/doors.h"

#define LESSON(name, english, chinese)                                                             \
    {                                                                                              \
        SAC_TEXT_IN(english, chinese), name, NULL, NULL, "saccade lesson " name                    \
    }

const sac_lesson_door sac_lesson_doors[SAC_DOORS] = {
    [SAC_DOOR_TRANSLATION] = {SAC_TEXT_IN("Translation", "翻译"), .tab = "translation",
                              .command = "saccade translate --view"},
    [SAC_DOOR_CAPTION] = {SAC_TEXT_IN("Caption", "看图说话"), .tab = "caption",
                          .command = "saccade --tab caption"},
    [SAC_DOOR_PICTURE] = {SAC_TEXT_IN("Picture", "图片"), .tab = "picture",
                          .command = "saccade --tab picture"},
    [SAC_DOOR_HEADS] = {SAC_TEXT_IN("Heads", "注意力头"), .tab = "heads",
                        .text = "we are in the garden .",
                        .command = "saccade view --text \"we are in the garden .\" --tab heads"},
    [SAC_DOOR_MASKS] = LESSON("masks", "Masks", "掩码"),
    [SAC_DOOR_SEQ2SEQ] = LESSON("seq2seq", "One sentence into another", "从句到句"),
    [SAC_DOOR_ALIGNMENT] = LESSON("alignment", "Reading an alignment", "读懂对齐"),
    [SAC_DOOR_CAPTION_STEP] = LESSON("caption-step", "One word of a caption", "描述中的一个词"),
    [SAC_DOOR_EYE] = LESSON("saccade", "The eye", "眼睛"),
    [SAC_DOOR_IMAGE_AS_SET] = LESSON("image-as-set", "A picture as a set", "把图像看成集合"),
    [SAC_DOOR_PERMUTATION] = LESSON("permutation", "Another order", "换个顺序"),
};
