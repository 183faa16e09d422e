#include "sources/lesson.h"

#include <stdlib.h>

void sac_arithmetic_free(sac_arithmetic *arithmetic)
{
    free(arithmetic->operands);
    free(arithmetic->expression);
    *arithmetic = (sac_arithmetic){0};
}

void sac_shown_lesson_free(sac_shown_lesson *lesson)
{
    if (lesson->destroy)
        lesson->destroy(lesson->self);
    *lesson = (sac_shown_lesson){0};
}
