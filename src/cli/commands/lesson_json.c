#include "cli/commands/lesson_json.h"

#include <math.h>

#include "cli/json.h"
#include "lessons/engine/operations.h"

/* JSON has no ∞ and no NaN: they are texts. */
static cJSON *number_json(float value)
{
    if (isfinite(value))
        return cli_json_real(value);
    return cJSON_CreateString(isnan(value) ? "NaN" : value < 0 ? "-inf" : "inf");
}

/* The array's numbers as nested lists of its shape, from dimension d on. */
static cJSON *numbers_json(const sac_small_array *array, int d, const float **next)
{
    if (d == SAC_GRAPH_RANK || d == array->shape.rank)
        return number_json(*(*next)++);
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < array->shape.n[d]; i++)
        cJSON_AddItemToArray(list, numbers_json(array, d + 1, next));
    return list;
}

static cJSON *step_json(const sac_lesson *lesson, int index, sac_lesson_language language)
{
    const sac_lesson_step *step = &lesson->steps[index];
    cJSON *json = cJSON_CreateObject(), *arrays = cJSON_AddObjectToObject(json, "arrays");
    cJSON_AddNumberToObject(json, "step", index + 1);
    cJSON_AddStringToObject(json, "name", step->name.in[language]);
    cJSON_AddStringToObject(json, "sentence", step->sentence.in[language]);
    cJSON_AddStringToObject(json, "formula", step->formula ? step->formula : "");
    if (step->notice.in[language])
        cJSON_AddStringToObject(json, "notice", step->notice.in[language]);
    if (step->code)
        cJSON_AddStringToObject(json, "code", step->code);
    for (int i = 0; i < SAC_STEP_ARRAYS && step->arrays[i]; i++) {
        const sac_small_array *array = &lesson->graph.arrays[step->arrays[i] - 1];
        const float *next = array->numbers;
        cJSON_AddItemToObject(arrays, array->name, numbers_json(array, 0, &next));
    }
    return json;
}

cJSON *cli_lesson_json(const sac_lesson *lesson, int only, sac_lesson_language language)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "lesson", lesson->class->name);
    cJSON_AddStringToObject(json, "title", lesson->class->title.in[language]);
    cJSON *parameters = cJSON_AddObjectToObject(json, "parameters");
    const sac_lesson_parameter *p = lesson->class->parameters;
    for (int i = 0; p && p[i].name; i++)
        cJSON_AddItemToObject(parameters, p[i].name, cli_json_real(lesson->values[i]));
    cJSON *steps = cJSON_AddArrayToObject(json, "steps");
    for (int i = 0; i < lesson->step_count; i++)
        if (!only || only == i + 1)
            cJSON_AddItemToArray(steps, step_json(lesson, i, language));
    return json;
}

static cJSON *index_json(sac_small_shape shape, size_t cell)
{
    cJSON *index = cJSON_CreateArray();
    size_t at[SAC_GRAPH_RANK] = {0};
    for (int d = shape.rank; d-- > 0; cell /= shape.n[d])
        at[d] = cell % shape.n[d];
    for (int d = 0; d < shape.rank; d++)
        cJSON_AddItemToArray(index, cJSON_CreateNumber((double)at[d]));
    return index;
}

cJSON *cli_lesson_cell_json(const sac_lesson *lesson, sac_node node, size_t cell,
                            const sac_arithmetic *arithmetic)
{
    const sac_small_array *array = &lesson->graph.arrays[node - 1];
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "array", array->name);
    cJSON_AddItemToObject(json, "index", index_json(array->shape, cell));
    cJSON_AddItemToObject(json, "value", number_json(arithmetic->value));
    cJSON_AddStringToObject(json, "operation", sac_operation_name(array->operation));
    cJSON_AddStringToObject(json, "expression", arithmetic->expression);
    cJSON *operands = cJSON_AddArrayToObject(json, "operands");
    for (size_t i = 0; i < arithmetic->count; i++) {
        const sac_small_array *from = &lesson->graph.arrays[arithmetic->operands[i].array - 1];
        cJSON *operand = cJSON_CreateObject();
        cJSON_AddStringToObject(operand, "array", from->name);
        cJSON_AddItemToObject(operand, "index",
                              index_json(from->shape, arithmetic->operands[i].cell));
        cJSON_AddItemToObject(operand, "value",
                              number_json(from->numbers[arithmetic->operands[i].cell]));
        cJSON_AddItemToArray(operands, operand);
    }
    return json;
}

cJSON *cli_lesson_question_json(const sac_lesson *lesson, const sac_asked *asked,
                                sac_lesson_language language)
{
    char text[256];
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "lesson", lesson->class->name);
    cJSON_AddNumberToObject(json, "step", asked->question->step + 1);
    cJSON_AddStringToObject(json, "question",
                            sac_asked_text(lesson, asked, language, text, sizeof text));
    cJSON_AddStringToObject(json, "array", lesson->graph.arrays[asked->question->array - 1].name);
    cJSON_AddItemToObject(json, "answer", number_json(asked->answer));
    cJSON_AddStringToObject(json, "why", asked->question->why.in[language]);
    return json;
}
