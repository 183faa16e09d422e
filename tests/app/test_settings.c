/* src/app/kept/settings: what a person chose is found again, and nothing else in that file does harm. */
#include <sys/stat.h>

#include "app/settings.h"
#include "home.h"

static char file[PATH_MAX + 32];

static int begin(void **state)
{
    int failed = make_home(state);
    snprintf(file, sizeof file, "%s/saccade/settings", home);
    return failed;
}

static void write_text(const char *text)
{
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

TEST(what_is_saved_is_loaded)
{
    const viz_window_settings chosen = {
        .light = true, .text = 1.21f, .shared = {"viridis", "still"}, .hinted = true};
    viz_window_settings found;
    char problem[1200];
    app_settings_load(&found, problem, sizeof problem);
    assert_true(!found.light && found.text == 1 && !found.shared[0][0] && !found.hinted &&
                !problem[0]);
    OK(app_settings_save(&chosen, NULL)); /* makes the folder */
    app_settings_load(&found, problem, sizeof problem);
    assert_string_equal(problem, "");
    assert_true(found.light && found.text == 1.21f && found.hinted);
    assert_string_equal(found.shared[VIZ_KEPT_MAP], "viridis");
    assert_string_equal(found.shared[VIZ_KEPT_PACE], "still");
}

/* The folder of all settings has that of other programs beside ours. */
TEST(nothing_moves_where_the_desktop_asks_for_that)
{
    char problem[1200];
    const char *folder = in("gtk-3.0"), *path = in("gtk-3.0/settings.ini");
    viz_window_settings found;
    assert_int_equal(mkdir(folder, 0700), 0);
    for (int calm = 0; calm < 2; calm++) {
        FILE *out = fopen(path, "w");
        fprintf(out, "[Settings]\ngtk-enable-animations = %d\n", !calm);
        fclose(out);
        app_settings_load(&found, problem, sizeof problem);
        assert_int_equal(found.calm, calm);
    }
    unlink(path);
    rmdir(folder);
}

TEST(what_makes_no_sense_is_left_out_with_a_line)
{
    static const char *const texts[] = {"text 1e9\n",    "text nan\n",    "theme\n",
                                        "theme green\n", "map ../../\n",  "pace 9\n",
                                        "\x01\x02\n",    "text 1.2 or\n", "exec rm\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        viz_window_settings found;
        char problem[1200];
        write_text(texts[i]);
        app_settings_load(&found, problem, sizeof problem);
        assert_true(!found.light && found.text == 1 && !found.shared[0][0]);
        assert_non_null(strstr(problem, file));
        assert_null(strchr(problem, '\n'));
    }
}

TEST(good_lines_beside_bad_ones_hold)
{
    viz_window_settings found;
    char problem[1200];
    write_text("theme light\nsize huge\nmap cividis\n");
    app_settings_load(&found, problem, sizeof problem);
    assert_true(found.light && problem[0]);
    assert_string_equal(found.shared[VIZ_KEPT_MAP], "cividis");
}

TEST(a_huge_file_or_a_pipe_is_not_read)
{
    viz_window_settings found;
    char problem[1200];
    FILE *out = fopen(file, "w");
    for (int i = 0; i < 100000; i++)
        fputs("theme light\n", out);
    fclose(out);
    app_settings_load(&found, problem, sizeof problem);
    assert_true(!found.light && problem[0]);
    unlink(file);
    assert_int_equal(mkfifo(file, 0600), 0);
    app_settings_load(&found, problem, sizeof problem); /* and does not wait for a writer */
    assert_true(!found.light && problem[0]);
    unlink(file);
}

TEST(without_a_home_it_reports_it)
{
    char *home_before = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("HOME");
    viz_window_settings found;
    char problem[1200];
    app_settings_load(&found, problem, sizeof problem);
    assert_true(found.text == 1 && !problem[0]);
    assert_int_equal(app_settings_save(&found, &failure), SAC_E_FILE);
    setenv("XDG_CONFIG_HOME", home, 1);
    if (home_before)
        setenv("HOME", home_before, 1);
    free(home_before);
}

TEST_MAIN(begin, remove_home)
