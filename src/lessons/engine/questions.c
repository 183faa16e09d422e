/* A lesson's questions, whose answers come from its arrays. */
#include <stdio.h>
#include <string.h>

#include "base/random/rng.h"
#include "lessons/engine/lesson.h"
#include "lessons/engine/operations.h"

bool sac_lesson_question(const sac_lesson *lesson, uint64_t seed, sac_asked *asked)
{
    sac_rng rng = {.seed = seed};
    if (lesson->question_count == 0)
        return false;
    *asked =
        (sac_asked){.question = &lesson->questions[sac_rng_pick(&rng, lesson->question_count)]};
    const sac_small_array *array = &lesson->graph.arrays[asked->question->array - 1];
    sac_extent e = sac_small_extent(array->shape);
    asked->row = (size_t)sac_rng_pick(&rng, (int)(e.batch * e.rows));
    asked->column = (size_t)sac_rng_pick(&rng, (int)e.columns);
    const float *row = array->numbers + asked->row * e.columns;
    switch (asked->question->kind) {
    case SAC_ASK_LARGEST:
        asked->column = 0;
        for (size_t c = 1; c < e.columns; c++)
            if (row[c] > row[asked->column])
                asked->column = c;
        asked->answer = (float)asked->column;
        break;
    case SAC_ASK_VALUE:
        asked->answer = row[asked->column];
        break;
    case SAC_ASK_COUNT:
        for (size_t c = 0; c < e.columns; c++)
            asked->answer += row[c] != 0;
        break;
    }
    return true;
}

char *sac_asked_text(const sac_lesson *lesson, const sac_asked *asked, sac_lesson_language language,
                     char *text, size_t size)
{
    static const sac_text forms[] = {
        [SAC_ASK_LARGEST] = SAC_TEXT_IN("Which column of row %zu of %s holds the largest number?",
                                        "%2$s 的第 %1$zu 行中，哪一列的数最大？"),
        [SAC_ASK_VALUE] = SAC_TEXT_IN("What is in row %zu of %s, column %zu?",
                                      "%2$s 的第 %1$zu 行第 %3$zu 列是多少？"),
        [SAC_ASK_COUNT] = SAC_TEXT_IN("How many numbers of row %zu of %s are not 0?",
                                      "%2$s 的第 %1$zu 行中，有几个数不为 0？"),
    };
    const sac_small_array *array = &lesson->graph.arrays[asked->question->array - 1];
    sac_small_shape shape = array->shape;
    size_t rows = sac_small_extent(shape).rows, matrix = asked->row / rows;
    char name[128], index[SAC_GRAPH_RANK][24] = {""};
    int used = snprintf(name, sizeof name, "%s", array->name);
    /* "pad_mask[1]": which of an array's matrices has the row. */
    for (int d = shape.rank - 2; d-- > 0; matrix /= shape.n[d])
        snprintf(index[d], sizeof index[d], "%s%zu%s", d ? "," : "[", matrix % shape.n[d],
                 d == shape.rank - 3 ? "]" : "");
    for (int d = 0; d < shape.rank - 2 && used > 0 && (size_t)used < sizeof name; d++)
        used += snprintf(name + used, sizeof name - (size_t)used, "%s", index[d]);
    snprintf(text, size, forms[asked->question->kind].in[language], asked->row % rows, name,
             asked->column);
    return text;
}
