/* src/app/kept/finished: lessons that a person came to the end of are known in the next window. */
#include "app/settings.h"
#include "home.h"

TEST(what_was_finished_is_kept_once_and_by_its_whole_name)
{
    assert_false(app_lesson_is_finished("masks"));
    app_lesson_finish("mask-conventions");
    assert_false(app_lesson_is_finished("masks"));
    app_lesson_finish("masks");
    app_lesson_finish("mask-conventions");
    assert_true(app_lesson_is_finished("masks"));
    assert_true(app_lesson_is_finished("mask-conventions"));
    char text[64] = "";
    FILE *file = fopen(in("saccade/lessons"), "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, "mask-conventions\nmasks\n");
}

TEST_MAIN(make_home, remove_home)
