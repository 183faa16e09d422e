#include "lessons/shared/doors.h"

#define LESSON(name, title)                                                                        \
    {                                                                                              \
        title, name, NULL, NULL, "saccade lesson " name                                            \
    }

const sac_lesson_door sac_lesson_doors[SAC_DOORS] = {
    [SAC_DOOR_TRANSLATION] = {N_("Translation"), .tab = "translation",
                              .command = "saccade translate --view"},
    [SAC_DOOR_CAPTION] = {N_("Caption"), .tab = "caption", .command = "saccade --tab caption"},
    [SAC_DOOR_PICTURE] = {N_("Picture"), .tab = "picture", .command = "saccade --tab picture"},
    [SAC_DOOR_HEADS] = {N_("Heads"), .tab = "heads", .text = "we are in the garden .",
                        .command = "saccade view --text \"we are in the garden .\" --tab heads"},
    [SAC_DOOR_MASKS] = LESSON("masks", N_("Masks")),
    [SAC_DOOR_SEQ2SEQ] = LESSON("seq2seq", N_("One sentence into another")),
    [SAC_DOOR_ALIGNMENT] = LESSON("alignment", NC_("in short", "Reading an alignment")),
    [SAC_DOOR_CAPTION_STEP] = LESSON("caption-step", N_("One word of a caption")),
    [SAC_DOOR_EYE] = LESSON("saccade", N_("The eye")),
    [SAC_DOOR_IMAGE_AS_SET] = LESSON("image-as-set", N_("A picture as a set")),
    [SAC_DOOR_PERMUTATION] = LESSON("permutation", N_("Another order")),
};
