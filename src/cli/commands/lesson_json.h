/* A lesson, a cell of it and a question about it, as JSON. */
#ifndef SAC_CLI_COMMANDS_LESSON_JSON_H
#define SAC_CLI_COMMANDS_LESSON_JSON_H

#include <cjson/cJSON.h>

#include "lessons/engine/arithmetic.h"
#include "lessons/engine/lesson.h"

/* All steps, or where `only` is not 0 that one, from 1 on. Delete what is returned. */
cJSON *cli_lesson_json(const sac_lesson *lesson, int only, sac_lesson_language language);
cJSON *cli_lesson_cell_json(const sac_lesson *lesson, sac_node node, size_t cell,
                            const sac_arithmetic *arithmetic);
cJSON *cli_lesson_question_json(const sac_lesson *lesson, const sac_asked *asked,
                                sac_lesson_language language);

#endif
