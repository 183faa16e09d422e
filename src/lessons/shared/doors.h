/* Links from lessons to other lessons and to views. */
#ifndef SAC_LESSONS_SHARED_DOORS_H
#define SAC_LESSONS_SHARED_DOORS_H

#include "sources/lesson.h"

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
