/* saccade example: the scripts that it prints. What they make is tried by try_examples.py. */
#include "run.h"

static const char *const names[] = {"hf", "vit", "vlm", "diffusers", "show-attend-tell", NULL};

static int count_lines(const char *text)
{
    int lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

TEST(each_script_is_short_and_names_the_file_it_makes)
{
    for (int i = 0; names[i]; i++) {
        char saved[64], opened[64];
        DONE("example", names[i]);
        bool is_folder = strcmp(names[i], "show-attend-tell") == 0;
        snprintf(saved, sizeof saved, is_folder ? "makedirs(\"%s\"" : "np.savez(\"%s.npz\", ",
                 names[i]);
        snprintf(opened, sizeof opened,
                 is_folder ? "# saccade %s photo.jpg\n" : "# saccade %s.npz\n", names[i]);
        assert_true(ran.out[0] == '#');
        assert_non_null(strstr(ran.out, saved));
        assert_string_equal(ran.out + strlen(ran.out) - strlen(opened), opened);
        assert_true(count_lines(ran.out) <= 30);
    }
}

TEST(each_script_is_python)
{
    if (system("python3 -c pass 2>/dev/null") != 0)
        skip();
    for (int i = 0; names[i]; i++) {
        char command[512];
        snprintf(command, sizeof command,
                 "'%s' example %s | python3 -c 'import ast, sys; ast.parse(sys.stdin.read())'",
                 SACCADE_PROGRAM, names[i]);
        assert_int_equal(system(command), 0);
    }
}

TEST(without_a_name_the_scripts_are_listed)
{
    DONE("example");
    for (int i = 0; names[i]; i++)
        assert_non_null(strstr(ran.out, names[i]));
}

TEST(another_name_is_refused)
{
    FAILS(2, "example: unknown example \"vits\"; did you mean vit?", "example", "vits");
}

TEST_MAIN(NULL, NULL)
