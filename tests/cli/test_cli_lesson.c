/* saccade lesson. */
#include "run.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

TEST(lessons_are_listed_in_teaching_order)
{
    program_run run = {0};
    run_saccade(&run, "lesson", NULL);
    assert_done(&run);
    const char *first = strstr(run.out, "kernel-regression "),
               *later = strstr(run.out, "multi-head ");
    assert_non_null(first);
    assert_non_null(later);
    assert_true(first < later);
}

TEST(a_step_is_told_with_its_numbers)
{
    program_run run = {0};
    run_saccade(&run, "lesson", "step-by-step", "--step", "4", NULL);
    assert_done(&run);
    assert_non_null(strstr(run.out, "weights [3,3]"));
    assert_non_null(strstr(run.out, "0.330 0.670     0"));
    assert_null(strstr(run.out, "query [3,2]"));
}

TEST(a_cell_tells_its_arithmetic)
{
    program_run run = {0};
    run_saccade(&run, "lesson", "step-by-step", "--cell", "weights,1,1", NULL);
    assert_done(&run);
    assert_string_equal(run.out, "weights,1,1 = exp(0.707) / (exp(0) + exp(0.707)) = 0.670\n");
}

TEST(json_of_a_cell_has_its_operands)
{
    program_run run = {0};
    run_saccade(&run, "lesson", "step-by-step", "--cell", "output,1,0", "--json", NULL);
    assert_done(&run);
    cJSON *json = cJSON_Parse(run.out);
    const cJSON *operands = cJSON_GetObjectItemCaseSensitive(json, "operands"), *operand;
    double sum = 0, weight = 0;
    int index = 0;
    cJSON_ArrayForEach(operand, operands)
    {
        double value = cJSON_GetObjectItemCaseSensitive(operand, "value")->valuedouble;
        if (index++ % 2 == 0)
            weight = value;
        else
            sum += weight * value;
    }
    assert_int_equal(index, 6);
    assert_float_equal(sum, cJSON_GetObjectItemCaseSensitive(json, "value")->valuedouble, 1e-6);
    cJSON_Delete(json);
}

TEST(a_person_s_own_arrays_take_the_lesson_s_place)
{
    program_run run = {0};
    char folder[64];
    folder_create(folder);
    const char *own = in_folder(folder, "own.npz");
    run_saccade(&run, "lesson", "step-by-step", "--set", "query,0,0=3", "--npz", own, NULL);
    assert_done(&run);
    run_saccade(&run, "lesson", "step-by-step", "--from", own, "--cell", "query,0,0", NULL);
    folder_remove(folder);
    assert_done(&run);
    assert_string_equal(run.out, "query,0,0 = 3 = 3\n");
}

TEST(arrays_that_do_not_fit_are_named)
{
    program_run run = {0};
    char folder[64];
    folder_create(folder);
    const char *other = in_folder(folder, "other.npz");
    run_saccade(&run, "lesson", "self-attention", "--npz", other, NULL);
    assert_done(&run);
    run_saccade(&run, "lesson", "masks", "--from", other, NULL);
    folder_remove(folder);
    assert_fails(&run, 1,
                 "mask: shape [2,5,5] does not fit scores [2,4,4] (in masked); give arrays "
                 "whose shapes fit each other");
}

TEST(a_quiz_asks_and_answers_by_its_seed)
{
    program_run one = {0}, again = {0}, other = {0};
    run_saccade(&one, "lesson", "masks", "--quiz", "--seed", "1", "--json", NULL);
    run_saccade(&again, "lesson", "masks", "--quiz", "--seed", "1", "--json", NULL);
    run_saccade(&other, "lesson", "masks", "--quiz", "--seed", "3", "--json", NULL);
    assert_done(&one);
    assert_string_equal(one.out, again.out);
    assert_string_not_equal(one.out, other.out);
    cJSON *json = cJSON_Parse(one.out);
    assert_non_null(cJSON_GetObjectItemCaseSensitive(json, "question"));
    assert_non_null(cJSON_GetObjectItemCaseSensitive(json, "answer"));
    cJSON_Delete(json);
}

TEST(mistakes_are_told_in_one_line)
{
    static const struct {
        const char *arguments[5];
        int status;
        const char *line;
    } cases[] = {
        {{"self-atention"}, 2, "self-atention: unknown lesson; did you mean self-attention?"},
        {{"masks", "--language", "fr"}, 2, "--language: unknown language; give en or zh"},
        {{"masks", "--step", "9"}, 2, "--step: masks has steps 1 to 5"},
        {{"masks", "--step", "9", "--png", "masks.png"}, 2, "--step: masks has steps 1 to 5"},
        {{"masks", "--cell", "weights"},
         2,
         "--cell: \"weights\" is not the name of a cell; give NAME,ROW,COLUMN"},
        {{"masks", "--cell", "heat,0,0"},
         2,
         "--cell: the lesson has no array heat; `saccade lesson NAME` prints its arrays"},
        {{"masks", "--cell", "weights,0,0"},
         2,
         "--cell: weights …[2,5,5]; give one index per dimension, from 0"},
        {{"masks", "--set", "causal=2"},
         2,
         "causal: 2 is not a valid value; give a whole number from 0 to 1"},
        {{"masks", "--from", "missing.npz"}, 1, NULL},
        {{"step-by-step", "--text", "a cat"},
         2,
         "--text: step-by-step has no words; take self-attention, masks or positions"},
        {{"masks", "--text", "a b c d e f g h i j k l m"},
         2,
         "--text: has more than 12 words; give fewer"},
        {{"masks", "--text", "  "}, 2, "--text: has no words; give one to 12"},
        {{"masks", "--from", PICTURES "/harbour.png"},
         2,
         "--from: is a picture, and masks has none; take image-as-set or saccade"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        program_run run = {0};
        const char *const *a = cases[i].arguments;
        run_saccade(&run, "lesson", a[0], a[1], a[2], a[3], a[4], NULL);
        if (cases[i].line)
            assert_fails(&run, cases[i].status, cases[i].line);
        else
            assert_int_equal(run.status, cases[i].status);
    }
}

TEST_MAIN(NULL, NULL)
