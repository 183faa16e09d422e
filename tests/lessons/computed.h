/* A lesson that is computed on the tests' device. */
#ifndef TESTS_LESSONS_COMPUTED_H
#define TESTS_LESSONS_COMPUTED_H

#include "lessons/lesson.h"
#include "on_device.h"

/* A lesson with its settings, "a=1 b=2", and for lessons with weights a seed. */
typedef struct asked {
    const char *lesson, *settings;
    long seed; /* −1: the lesson's own */
} asked;

/* Owned; goes by release(). */
sac_lesson *computed(asked a);
void release(sac_lesson *lesson);

#endif
