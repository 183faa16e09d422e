/* What a parameter changes: which steps show something else when it is moved. */
#ifndef SAC_LESSONS_ENGINE_REACH_H
#define SAC_LESSONS_ENGINE_REACH_H

#include "lessons/engine/lesson.h"

/* For each parameter a bit for each step, the lowest for the first, that is set where nothing of the
 * step changes with it. The lesson is built again with other values of the parameter, and what the
 * steps are computed of is compared; nothing is computed. The lesson is computed. */
void sac_lesson_idle(const sac_lesson *lesson, unsigned idle[SAC_LESSON_PARAMETERS]);

#endif
