/* saccade lesson. */
#include "json.h"
#include "pdf_text.h"

#include <stdlib.h>
#include <sys/wait.h>

TEST(lessons_are_listed_in_teaching_order)
{
    DONE("lesson");
    const char *first = strstr(ran.out, "step-by-step "), *later = strstr(ran.out, "multi-head ");
    assert_non_null(first);
    assert_non_null(later);
    assert_true(first < later);
}

TEST(a_step_is_reported_with_its_numbers)
{
    DONE("lesson", "step-by-step", "--step", "4");
    assert_non_null(strstr(ran.out, "weights [3,3]"));
    assert_non_null(strstr(ran.out, "0.330 0.670     0"));
    assert_null(strstr(ran.out, "query [3,2]"));
}

TEST(a_cell_names_its_arithmetic)
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

TEST(a_page_has_the_recipe_of_the_lesson)
{
    size_t size;
    DONE("lesson", "masks", "--out", here("masks.html"), "--set", "causal=0", "--step", "2");
    char *text = file_read(here("masks.html"), &size);
    assert_non_null(strstr(text, "\"name\":\"masks\""));
    assert_non_null(strstr(text, "{\"name\":\"causal\",\"at\":0,"));
    assert_non_null(strstr(text, "\"step\":\"2\""));
    assert_null(strstr(text, "\"name\":\"dropout\""));
    assert_null(strstr(text, "src=\"http"));
    free(text);
}

TEST(a_person_s_own_arrays_take_the_lesson_s_place)
{
    const char *own = here("own.npz");
    DONE("lesson", "step-by-step", "--set", "query,0,0=3", "--npz", own);
    DONE("lesson", "step-by-step", "--from", own, "--cell", "query,0,0");
    assert_string_equal(ran.out, "query,0,0 = 3\n");
}

TEST(arrays_that_do_not_fit_are_named)
{
    const char *other = here("other.npz");
    DONE("lesson", "self-attention", "--npz", other);
    FAILS(1, "mask: shape [3,5,5] does not fit scores [2,4,4] …; give arrays …", "lesson", "masks",
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

static int times(const char *text, const char *part)
{
    int count = 0;
    while ((text = strstr(text, part)) && ++count)
        text += strlen(part);
    return count;
}

/* Asserts that the lesson with these options is a PDF of so many pages of that size. */
static void assert_pages(const char *lesson, int count, const char *box, const char *option,
                         const char *value)
{
    static char text[1 << 20];
    const char *path = here("sheet.pdf");
    DONE("lesson", lesson, "--pdf", path, option, value);
    assert_true(pdf_text(path, text, sizeof text));
    assert_int_equal(times(text, "/Type /Page") - times(text, "/Type /Pages"), count);
    assert_non_null(strstr(text, box));
}

/* A head, eight questions, and their answers on the last sheet. Steps are five, with drawings: of masks each is high. */
TEST(a_worksheet_is_sheets_of_paper)
{
    assert_pages("masks", 4, "/MediaBox [ 0 0 595.1", "--quiz", NULL);
    assert_pages("masks", 5, "/MediaBox [ 0 0 595.1", NULL, NULL);
    assert_pages("masks", 5, "/MediaBox [ 0 0 612 792 ]", "--paper", "letter");
    /* The fifth question would stand alone on a sheet, were they not drawn a little smaller. */
    assert_pages("why-scale", 2, "/MediaBox [ 0 0 595.1", "--quiz", NULL);
}

/* An array of several matrices: the row is one of a named matrix. */
TEST(a_question_names_the_matrix_of_its_row)
{
    bool found = false;
    for (int seed = 1; seed < 24; seed++) {
        char number[16];
        snprintf(number, sizeof number, "%d", seed);
        DONE("lesson", "masks", "--quiz", "--seed", number, "--json");
        cJSON *json = cJSON_Parse(ran.out);
        const char *question = cJSON_GetStringValue(get(json, "question"));
        const char *row = strstr(question, "row ");
        assert_true(!row || cJSON_GetObjectItem(json, "choices") ||
                    atoi(row + 4) < 5); /* of 2 × 5 × 5 numbers */
        found = found || strstr(question, "block 1 of pad_mask");
        cJSON_Delete(json);
    }
    assert_true(found);
}

/* The exit status of the lesson with its output there, where the display named does not exist: a window cannot
 * be opened, so that it fails where it would open one. */
static int status_with(const char *output)
{
    char command[1000];
    snprintf(
        command, sizeof command,
        "env -u WAYLAND_DISPLAY -u SDL_VIDEODRIVER DISPLAY=:4242 '%s' lesson masks --step 1 %s",
        SACCADE_PROGRAM, output);
    return WEXITSTATUS(system(command));
}

/* A launcher has no terminal, and gives a device, or one log for output and errors. */
TEST(a_launcher_opens_the_window_and_a_pipe_gets_text)
{
    char own[600], log[640];
    snprintf(own, sizeof own, ">'%s' 2>/dev/null", here("text"));
    snprintf(log, sizeof log, ">'%s' 2>&1", here("log"));
    assert_int_equal(status_with(own), 0);
    assert_int_equal(status_with("2>/dev/null | cat >/dev/null"), 0);
    assert_int_equal(status_with(">/dev/null 2>&1"), 1);
    assert_int_equal(status_with(log), 1);
}

TEST(mistakes_are_reported_in_one_line)
{
    REFUSED("lesson",
            {2, "self-atention: unknown lesson; did you mean self-attention?", {"self-atention"}},
            {2, "--quiz: asks about one lesson; name it, or add --out FILE.pdf …", {"--quiz"}},
            {2, "--language: unknown language; give en or zh", {"masks", "--language", "fr"}},
            {2, "--step: masks has steps 1 to 5", {"masks", "--step", "9"}},
            {2, "--step: masks has steps 1 to 5", {"masks", "--step", "9", "--png", "masks.png"}},
            {2, "--cell: \"weights\" is not the name of …; give…", {"masks", "--cell", "weights"}},
            {2, "--cell: the lesson has no …; `saccade lesson…", {"masks", "--cell", "heat,0,0"}},
            {2, "--cell: weights …[3,5,5]; give one index…", {"masks", "--cell", "weights,0,0"}},
            {2, "causal: 2 is not a valid …; …from 0 to 1", {"masks", "--set", "causal=2"}},
            {1, "missing.npz: …", {"masks", "--from", "missing.npz"}},
            {2, "--text: step-by-step has no words; take…", {"step-by-step", "--text", "a cat"}},
            {2,
             "--text: has more than 12 words; give fewer",
             {"masks", "--text", "a b c d e f g h i j k l m"}},
            {2,
             "--paper: is not a size of paper …; give a4 or letter",
             {"masks", "--pdf", "a.pdf", "--paper", "a5"}},
            {2,
             "--paper: needs a PDF; add --out FILE.pdf",
             {"masks", "--png", "a.png", "--paper", "a4"}},
            {2, "--text: has no words; give one to 12", {"masks", "--text", " "}},
            {2, "--from: is a picture, …; take…", {"masks", "--from", PICTURES "/harbour.png"}});
}

TEST(a_damaged_photograph_is_reported_and_another_picture_shown)
{
    char path[512];
    snprintf(path, sizeof path, "%s", here("chelsea.png"));
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("\x89PNG\r\n\x1a\n", file);
    fclose(file);
    *strrchr(path, '/') = '\0';
    setenv("SACCADE_PHOTOGRAPHS", path, 1);
    PASSES("lesson", "saccade", "--step", "3", "--png", here("eye.png"));
    unsetenv("SACCADE_PHOTOGRAPHS");
    assert_non_null(strstr(ran.err, "chelsea.png"));
    assert_non_null(strstr(ran.err, "lessons show another picture"));
}

TEST_MAIN(make_folder, remove_folder)
