/* src/app/kept/finished: lessons that a person came to the end of are known in the next window. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/kept/settings.h"
#include "test.h"

TEST(what_was_finished_is_kept_once_and_by_its_whole_name)
{
    char home[] = "/tmp/saccade-finished-XXXXXX", path[96];
    assert_non_null(mkdtemp(home));
    setenv("XDG_CONFIG_HOME", home, 1);
    assert_false(app_lesson_is_finished("masks"));
    app_lesson_finish("mask-conventions");
    assert_false(app_lesson_is_finished("masks"));
    app_lesson_finish("masks");
    app_lesson_finish("mask-conventions");
    assert_true(app_lesson_is_finished("masks"));
    assert_true(app_lesson_is_finished("mask-conventions"));
    snprintf(path, sizeof path, "%s/saccade/lessons", home);
    char text[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, "mask-conventions\nmasks\n");
    remove(path);
    snprintf(path, sizeof path, "%s/saccade", home);
    rmdir(path);
    rmdir(home);
}

TEST_MAIN(NULL, NULL)
