/* A lesson that is computed on the tests' device. */
#ifndef TESTS_LESSONS_COMPUTED_H
#define TESTS_LESSONS_COMPUTED_H

#include "lessons/ideas/lessons.h"
#include "on_device.h"

/* A lesson with its settings, "a=1 b=2", and for lessons with weights a seed. */
typedef struct asked {
    const char *lesson, *settings;
    long seed; /* −1: the lesson's own */
} asked;

/* Lends it until close_lessons(): what is asked a second time is computed once. */
const sac_lesson *computed(asked a);
/* A lesson with its own numbers; what it measures, it measures on four tokens. */
const sac_lesson *computed_as_it_is(const char *name);
int close_lessons(void **state);  /* and the device */
bool is_oclgrind(void);           /* a simulator, on which a million operations take seconds */
void release(sac_lesson *lesson); /* one that was not computed here */

/* An array of the lesson's, which has that many numbers or more. */
const float *numbers_of(const sac_lesson *lesson, const char *array, size_t at_least);
/* `count` of its numbers from the cell `first` on are these, within `tolerance`. */
void compare(const sac_lesson *lesson, const char *array, size_t first, const float *want,
             size_t count, double tolerance);

#endif
