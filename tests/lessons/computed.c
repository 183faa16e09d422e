#include "computed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sac_lesson *computed(asked a)
{
    sac_error error = {0};
    sac_lesson *lesson = calloc(1, sizeof *lesson);
    char settings[128];
    assert_non_null(lesson);
    assert_non_null(sac_lesson_find(a.lesson));
    sac_lesson_begin(lesson, sac_lesson_find(a.lesson));
    if (a.seed >= 0)
        lesson->seed = (uint64_t)a.seed;
    snprintf(settings, sizeof settings, "%s", a.settings);
    for (char *rest, *word = strtok_r(settings, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest))
        ok(sac_lesson_set(lesson, word, &error), &error);
    ok(sac_lesson_compute(lesson, device, &error), &error);
    return lesson;
}

void release(sac_lesson *lesson)
{
    sac_lesson_clear(lesson);
    free(lesson);
}
