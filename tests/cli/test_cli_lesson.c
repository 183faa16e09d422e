/* saccade lesson. */
#include "json.h"

TEST(lessons_are_listed_in_teaching_order)
{
    DONE("lesson");
    const char *first = strstr(ran.out, "kernel-regression "),
               *later = strstr(ran.out, "multi-head ");
    assert_non_null(first);
    assert_non_null(later);
    assert_true(first < later);
}

TEST(a_step_is_told_with_its_numbers)
{
    DONE("lesson", "step-by-step", "--step", "4");
    assert_non_null(strstr(ran.out, "weights [3,3]"));
    assert_non_null(strstr(ran.out, "0.330 0.670     0"));
    assert_null(strstr(ran.out, "query [3,2]"));
}

TEST(a_cell_tells_its_arithmetic)
{
    DONE("lesson", "step-by-step", "--cell", "weights,1,1");
    assert_string_equal(ran.out, "weights,1,1 = exp(0.707) / (exp(0) + exp(0.707)) = 0.670\n");
}

TEST(json_of_a_cell_has_its_operands)
{
    cJSON *json = JSON_OF("lesson", "step-by-step", "--cell", "output,1,0", "--json");
    const cJSON *operands = get(json, "operands"), *operand;
    double sum = 0, weight = 0;
    int index = 0;
    cJSON_ArrayForEach(operand, operands)
    {
        double value = number_of(operand, "value");
        if (index++ % 2 == 0)
            weight = value;
        else
            sum += weight * value;
    }
    assert_int_equal(index, 6);
    assert_float_equal(sum, number_of(json, "value"), 1e-6);
    cJSON_Delete(json);
}

TEST(a_person_s_own_arrays_take_the_lesson_s_place)
{
    const char *own = here("own.npz");
    DONE("lesson", "step-by-step", "--set", "query,0,0=3", "--npz", own);
    DONE("lesson", "step-by-step", "--from", own, "--cell", "query,0,0");
    assert_string_equal(ran.out, "query,0,0 = 3 = 3\n");
}

TEST(arrays_that_do_not_fit_are_named)
{
    const char *other = here("other.npz");
    DONE("lesson", "self-attention", "--npz", other);
    FAILS(1, "mask: shape [2,5,5] does not fit scores [2,4,4] …; give arrays …", "lesson", "masks",
          "--from", other);
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
    assert_non_null(get(json, "question"));
    assert_non_null(get(json, "answer"));
    cJSON_Delete(json);
}

TEST(mistakes_are_told_in_one_line)
{
    REFUSED("lesson",
            {2, "self-atention: unknown lesson; did you mean self-attention?", {"self-atention"}},
            {2, "--language: unknown language; give en or zh", {"masks", "--language", "fr"}},
            {2, "--step: masks has steps 1 to 5", {"masks", "--step", "9"}},
            {2, "--step: masks has steps 1 to 5", {"masks", "--step", "9", "--png", "masks.png"}},
            {2, "--cell: \"weights\" is not the name of …; give…", {"masks", "--cell", "weights"}},
            {2, "--cell: the lesson has no …; `saccade lesson…", {"masks", "--cell", "heat,0,0"}},
            {2, "--cell: weights …[2,5,5]; give one index…", {"masks", "--cell", "weights,0,0"}},
            {2, "causal: 2 is not a valid …; …from 0 to 1", {"masks", "--set", "causal=2"}},
            {1, "missing.npz: …", {"masks", "--from", "missing.npz"}},
            {2, "--text: step-by-step has no words; take…", {"step-by-step", "--text", "a cat"}},
            {2,
             "--text: has more than 12 words; give fewer",
             {"masks", "--text", "a b c d e f g h i j k l m"}},
            {2, "--text: has no words; give one to 12", {"masks", "--text", " "}},
            {2, "--from: is a picture, …; take…", {"masks", "--from", PICTURES "/harbour.png"}});
}

TEST_MAIN(make_folder, remove_folder)
