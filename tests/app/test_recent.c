/* src/app/kept/recent, visits and the loader: documents that were opened before are offered again, and
 * the one before the current one is opened as it was left. */
#include <sys/stat.h>

#include "app/document_loader.h"
#include "app/user_folders.h"
#include "canvas/text.h"
#include "classes/views.h"
#include "home.h"
#include "lesson/lesson_view.h"
#include "view/settings.h"

/* Weights [1,1,1,4,4] in an .npy of float32: nothing about them needs a device. */
static void make_weights(const char *name)
{
    char header[129] = "\x93NUMPY\x01";
    float weights[16];
    for (int i = 0; i < 16; i++)
        weights[i] = 0.25f;
    memset(header + 10, ' ', 118);
    memcpy(header + 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 4, 4), }", 69);
    header[8] = 118;
    header[78] = ' ';
    header[127] = '\n';
    FILE *file = fopen(in(name), "wb");
    assert_non_null(file);
    fwrite(header, 1, 128, file);
    fwrite(weights, sizeof *weights, 16, file);
    fclose(file);
}

static int make_files(void **state)
{
    if (make_home(state))
        return 1;
    make_weights("one.npy");
    make_weights("two.npy");
    FILE *labels = fopen(in("labels.txt"), "w");
    fputs("a\nb\nc\nd\n", labels);
    fclose(labels);
    return 0;
}

/* What the window does with an opening; takes it over. */
static void run(viz_opening *opening)
{
    assert_non_null(opening);
    OK(opening->open(opening, &failure));
    opening->take(opening);
    opening->destroy(opening);
}

static void open_names(app_document *document, const char *name, const char *beside)
{
    char first[PATH_MAX + 256], second[PATH_MAX + 256] = "";
    strcpy(first, in(name));
    if (beside)
        strcpy(second, in(beside));
    const char *const paths[] = {first, second};
    run(app_load_files(document, paths, beside ? 2 : 1, NULL));
}

static void assert_recent(app_document *document, int place, const char *name, const char *beside)
{
    viz_opens opens = {0};
    app_list_openable(document, &opens);
    assert_true(opens.recent_count > place && opens.recent_count <= VIZ_RECENT_MOST);
    assert_string_equal(opens.recent[place].path, in(name));
    assert_string_equal(opens.recent[place].beside, beside ? in(beside) : "");
    assert_string_equal(opens.folder, home);
}

TEST(what_was_opened_is_offered_again_the_newest_first)
{
    app_document document = {0};
    open_names(&document, "one.npy", "labels.txt");
    open_names(&document, "two.npy", NULL);
    assert_recent(&document, 0, "one.npy", "labels.txt");
    open_names(&document, "one.npy", NULL);
    assert_recent(&document, 0, "two.npy", NULL);
    assert_recent(&document, 1, "one.npy", "labels.txt");
    app_document_close(&document);
}

/* A driver may compile for half a minute, and other places can be gone to meanwhile. */
TEST(the_bar_has_its_places_while_the_first_document_opens)
{
    app_document document = {0};
    const char *const files[] = {in("one.npy")};
    const app_request request = {.files = files, .file_count = 1};
    viz_opening *opening = app_load_first(&document, &request, NULL);
    assert_ptr_equal(document.shell.places, viz_views);
    run(opening);
    app_document_close(&document);
}

TEST(what_is_gone_is_not_offered)
{
    app_document document = {0};
    open_names(&document, "two.npy", NULL);
    open_names(&document, "one.npy", NULL);
    assert_recent(&document, 0, "two.npy", NULL);
    remove(in("two.npy"));
    viz_opens opens = {0};
    app_list_openable(&document, &opens);
    for (int i = 0; i < opens.recent_count; i++)
        assert_null(strstr(opens.recent[i].path, "two.npy"));
    make_weights("two.npy");
    app_document_close(&document);
}

TEST(samples_stand_beside_what_was_opened_with_title_and_credit)
{
    app_document document = {0};
    viz_opens opens = {0};
    char about[VIZ_ABOUT_SIZE];
    open_names(&document, "one.npy", NULL);
    app_list_openable(&document, &opens);
    assert_true(opens.sample_count >= 3);
    for (int i = 0; i < opens.sample_count; i++) {
        assert_true(opens.samples[i].title[0] && opens.samples[i].about[0]);
        assert_int_equal(opens.look(opens.samples[i].path, about),
                         opens.samples[i].is_picture ? VIZ_OPENS_AS_PICTURE : VIZ_OPENS);
    }
    app_document_close(&document);
}

/* By the rule by which it is opened. */
TEST(what_a_path_is_reported_to_be_is_what_opens)
{
    char about[VIZ_ABOUT_SIZE];
    viz_opens opens = {0};
    app_document document = {0};
    app_list_openable(&document, &opens);
    assert_int_equal(opens.look(in("one.npy"), about), VIZ_OPENS);
    assert_string_equal(about, "arrays");
    assert_int_equal(opens.look(in("labels.txt"), about), VIZ_OPENS_NOT);
    assert_true(about[0]);
    assert_int_equal(opens.look(in("nothing.png"), about), VIZ_OPENS_NOT);
    assert_int_equal(opens.look(home, about), VIZ_OPENS);
}

/* What comes with the program is no place to look for one's own files. */
TEST(after_a_sample_the_dialog_begins_where_files_of_ones_own_were)
{
    app_document document = {0};
    viz_opens opens = {0};
    open_names(&document, "one.npy", NULL);
    app_list_openable(&document, &opens);
    const char *sample = NULL;
    for (int i = 0; i < opens.sample_count; i++)
        sample = opens.samples[i].is_picture ? sample : opens.samples[i].path;
    assert_non_null(sample);
    run(app_load_files(&document, &sample, 1, NULL));
    app_list_openable(&document, &opens);
    assert_string_equal(opens.folder, home);
    assert_int_equal(remove(in("saccade/recent")), 0);
    app_list_openable(&document, &opens);
    assert_string_equal(opens.folder, ".");
    app_document_close(&document);
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(in(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

TEST(folders_of_the_person_are_those_that_the_desktop_names)
{
    static viz_folder folders[VIZ_FOLDERS_MOST];
    setenv("HOME", home, 1);
    assert_int_equal(app_find_user_folders(folders), 1);
    assert_string_equal(folders[0].path, home);
    assert_int_equal(
        mkdir(in("Downloads"), 0777) | mkdir(in("Desktop"), 0777) | mkdir(in("Bilder"), 0777), 0);
    write_text("user-dirs.dirs", "# mine\n"
                                 "XDG_DESKTOP_DIR=\"$HOME/\"\n" /* there is none */
                                 "XDG_PICTURES_DIR=\"$HOME/Bilder\"\n"
                                 "XDG_MUSIC_DIR=\"$HOME/no quote\n");
    assert_int_equal(app_find_user_folders(folders), 3);
    assert_string_equal(folders[1].title, "Pictures");
    assert_string_equal(folders[1].path, in("Bilder"));
    assert_string_equal(folders[2].path, in("Downloads")); /* not named: as it is called usually */
    write_text("user-dirs.dirs", "XDG_PICTURES_DIR=\"/tmp\"\nXDG_DOWNLOAD_DIR=\"relative\"\n");
    assert_int_equal(app_find_user_folders(folders), 4);
    assert_string_equal(folders[1].path, in("Desktop"));
    assert_string_equal(folders[2].path, "/tmp");
    assert_string_equal(folders[3].path, in("Downloads"));
}

static void read_map(void *user, const char *key, const char *value)
{
    if (strcmp(key, "map") == 0)
        snprintf(user, 32, "%s", value);
}

TEST(back_opens_what_was_open_before_as_it_was_left)
{
    app_document document = {0};
    char map[32] = "";
    open_names(&document, "one.npy", "labels.txt");
    viz_view *view = viz_shell_tab_view(&document.shell);
    viz_view_restore(view, "map", "cividis");
    open_names(&document, "two.npy", NULL);
    assert_string_equal(document.shell.before, "one.npy");
    run(app_load_before(&document, NULL));
    assert_int_equal(document.weights->weights.step_labels.count, 4);
    view = viz_shell_tab_view(&document.shell);
    viz_view_describe(view, read_map, map);
    assert_string_equal(map, "cividis");
    assert_string_equal(document.shell.before, "");
    assert_null(app_load_before(&document, &failure));
    assert_string_equal(failure.what, "no document was opened before this one");
    app_document_close(&document);
}

/* A place that nothing open has: of what was open before the newest that has it, as it was left, which
 * is no longer before then; else what the program opens there by itself. */
TEST(a_place_is_what_was_open_there_or_a_sample)
{
    app_document document = {0};
    char map[32] = "";
    open_names(&document, "one.npy", NULL);
    viz_view_restore(viz_shell_find(&document.shell, "heads"), "map", "cividis");
    run(app_load_document_for_view(&document, &viz_lesson_class, NULL));
    assert_string_equal(viz_shell_tab_view(&document.shell)->class->name, "lesson");
    assert_ptr_equal(document.shell.places, viz_views);
    assert_string_equal(document.shell.before, "one.npy");
    run(app_load_document_for_view(&document, &viz_heads_class, NULL));
    assert_string_equal(viz_shell_tab_view(&document.shell)->class->name, "heads");
    assert_non_null(strstr(document.file, "one.npy"));
    viz_view_describe(viz_shell_tab_view(&document.shell), read_map, map);
    assert_string_equal(map, "cividis");
    assert_string_equal(document.shell.before, "lessons");
    run(app_load_before(&document, NULL));
    assert_ptr_equal(viz_shell_tab_view(&document.shell)->class, &viz_lesson_class);
    assert_string_equal(document.shell.before, "");
    run(app_load_document_for_view(&document, &viz_heads_class, NULL));
    assert_non_null(strstr(document.file, "language/shakespeare"));
    app_document_close(&document);
}

/* Dropped on the arrays that they name; there is nothing to go back to, as it is still that file.
 */
TEST(labels_alone_are_those_of_the_arrays_that_are_open)
{
    app_document document = {0};
    open_names(&document, "one.npy", NULL);
    assert_int_equal(document.weights->weights.step_labels.count, 0);
    open_names(&document, "labels.txt", NULL);
    assert_int_equal(document.weights->weights.step_labels.count, 4);
    assert_string_equal(document.weights->weights.step_labels.text[2], "c");
    assert_string_equal(document.shell.before, "");
    app_document_close(&document);
}

int main(void)
{
    int failed = test_run(make_files, remove_home);
    viz_text_close();
    return failed;
}
