/* viz/shell/chooser: what can be opened is listed, filtered, walked through and chosen by keys and
 * by the pointer. */
#include <sys/stat.h>
#include <unistd.h>

#include "canvas/text.h"
#include "shell/shell.h"
#include "status.h"
#include "test.h"

/* A folder with pictures 2.png and 10.png, arrays.npy, notes.txt, .hidden.png, and inner/cat.png.
 */
typedef struct desk {
    char folder[64], path[256];
    viz_shell shell;
    viz_canvas canvas;
} desk;

static const char *in(desk *d, const char *name)
{
    snprintf(d->path, sizeof d->path, "%s/%s", d->folder, name);
    return d->path;
}

static void write_bytes(desk *d, const char *name, const char *bytes, size_t size)
{
    FILE *file = fopen(in(d, name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* The listing tells files by how they begin. */
#define PNG_START "\x89PNG\r\n\x1a\n", 8
#define NPY_START "\x93NUMPY\x01", 7

static void settle(desk *d)
{
    bool any = true;
    while (any) {
        viz_shell_draw(&d->shell, &d->canvas);
        OK(viz_view_compute(viz_shell_view(&d->shell), NULL, &any, NULL));
    }
}

static const viz_recent recent[2] = {{"/far/away/weights.npz", "/far/away/dog.png", NULL},
                                     {"/far/away/harbour.png", "", "a picture"}};

static int open_desk(void **state)
{
    desk *d = calloc(1, sizeof *d);
    strcpy(d->folder, "/tmp/saccade-chooser-XXXXXX");
    assert_non_null(mkdtemp(d->folder));
    write_bytes(d, "10.png", PNG_START);
    write_bytes(d, "2.png", PNG_START);
    write_bytes(d, ".hidden.png", PNG_START);
    write_bytes(d, "arrays.npy", NPY_START);
    write_bytes(d, "notes.txt", "notes", 5);
    assert_int_equal(mkdir(in(d, "inner"), 0777), 0);
    write_bytes(d, "inner/cat.png", PNG_START);
    OK(viz_canvas_create(640, 440, 1, &viz_theme_dark, &d->canvas, NULL));
    viz_shell_choose(&d->shell, d->folder, recent, 2);
    settle(d);
    *state = d;
    return 0;
}

static int close_desk(void **state)
{
    static const char *const names[] = {"10.png",    "2.png",         ".hidden.png", "arrays.npy",
                                        "notes.txt", "inner/cat.png", "inner",       "."};
    desk *d = *state;
    viz_shell_free(&d->shell);
    viz_canvas_free(&d->canvas);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(i + 1 < sizeof names / sizeof *names ? in(d, names[i]) : d->folder);
    free(d);
    return 0;
}

static void key(desk *d, int code)
{
    viz_shell_event(&d->shell, &(viz_event){.kind = VIZ_KEY, .key = code});
    if (d->shell.chooses)
        settle(d);
}

static void type(desk *d, const char *text)
{
    for (; *text; text++)
        key(d, *text);
}

/* What Return opens now, below the folder; "" where it opens nothing. */
static const char *opened(desk *d)
{
    static viz_recent chosen;
    key(d, VIZ_KEY_RETURN);
    if (!viz_shell_take_choice(&d->shell, &chosen))
        return "";
    viz_shell_choose(&d->shell, d->folder, recent, 2);
    settle(d);
    size_t length = strlen(d->folder);
    return strncmp(chosen.path, d->folder, length) == 0 && chosen.path[length]
               ? chosen.path + length + 1
               : chosen.path;
}

#define AT_A_DESK(name) TEST_ON(desk, d, name, open_desk, close_desk)

AT_A_DESK(recent_documents_come_first_with_what_belongs_to_them)
{
    viz_recent chosen;
    key(d, VIZ_KEY_RETURN);
    assert_true(viz_shell_take_choice(&d->shell, &chosen));
    assert_string_equal(chosen.path, "/far/away/weights.npz");
    assert_string_equal(chosen.beside, "/far/away/dog.png");
    assert_false(viz_shell_take_choice(&d->shell, &chosen));
}

/* From the last row up: what opens stands in the order of its name, and nothing else stands there.
 */
AT_A_DESK(folders_and_files_that_open_are_listed_and_no_others)
{
    static const char *const expected[] = {"arrays.npy", "10.png", "2.png"};
    for (int up = 0; up < 3; up++) {
        key(d, VIZ_KEY_END);
        for (int i = 0; i < up; i++)
            key(d, VIZ_KEY_UP);
        assert_string_equal(opened(d), expected[up]);
    }
}

AT_A_DESK(letters_filter_and_backspace_and_escape_take_them_back)
{
    type(d, "ARR");
    assert_string_equal(opened(d), "arrays.npy");
    type(d, "10x");
    assert_string_equal(opened(d), "");
    key(d, VIZ_KEY_BACKSPACE);
    assert_string_equal(opened(d), "10.png");
    type(d, "zzz");
    key(d, VIZ_KEY_ESCAPE);
    assert_string_equal(opened(d), "/far/away/weights.npz");
    key(d, VIZ_KEY_ESCAPE);
    assert_false(d->shell.chooses);
}

AT_A_DESK(return_enters_a_folder_and_backspace_leaves_it)
{
    type(d, "inner");
    key(d, VIZ_KEY_RETURN);
    type(d, "cat");
    assert_string_equal(opened(d), "inner/cat.png");
    type(d, "inner");
    key(d, VIZ_KEY_RETURN);
    key(d, VIZ_KEY_BACKSPACE);
    type(d, "arr");
    assert_string_equal(opened(d), "arrays.npy");
}

AT_A_DESK(all_pictures_of_a_folder_are_one_choice)
{
    for (int i = 0; i < 3; i++) /* past the recent ones and the folder above */
        key(d, VIZ_KEY_DOWN);
    assert_string_equal(opened(d), d->folder);
}

/* Each row that a spot shows is chosen by a press on it; × closes. */
AT_A_DESK(what_is_pressed_is_chosen)
{
    static viz_spots spots;
    viz_recent chosen;
    viz_shell_spots(&d->shell, &spots);
    const viz_spot *last = &spots.items[spots.count - 1], *cross = spots.items;
    while (!cross->tip || !strstr(cross->tip, "(Esc)"))
        cross++;
    viz_event press = {.kind = VIZ_PRESS, .button = 1, .x = last->rect.x + 30};
    press.y = last->rect.y + last->rect.h / 2;
    assert_true(viz_shell_event(&d->shell, &press));
    assert_true(viz_shell_take_choice(&d->shell, &chosen));
    viz_shell_choose(&d->shell, d->folder, recent, 2);
    settle(d);
    press.x = cross->rect.x + 5;
    press.y = cross->rect.y + 5;
    assert_true(viz_shell_event(&d->shell, &press));
    assert_false(d->shell.chooses);
}

AT_A_DESK(a_folder_that_cannot_be_read_says_so_and_can_be_left)
{
    viz_recent chosen;
    bool any;
    viz_shell_choose(&d->shell, "/proc/self/no-such-folder", NULL, 0);
    assert_int_not_equal(viz_view_compute(viz_shell_view(&d->shell), NULL, &any, NULL), SAC_OK);
    viz_shell_draw(&d->shell, &d->canvas);
    assert_false(viz_shell_take_choice(&d->shell, &chosen));
    viz_shell_event(&d->shell, &(viz_event){.kind = VIZ_KEY, .key = VIZ_KEY_ESCAPE});
    assert_false(d->shell.chooses);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
