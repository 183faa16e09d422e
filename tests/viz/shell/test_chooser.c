/* viz/shell/chooser/chooser: what can be opened is listed, filtered, walked through and chosen by keys and
 * by the pointer. */
#include <sys/stat.h>
#include <unistd.h>

#include "canvas/recording.h"
#include "images/png_write.h"
#include "shell/shell.h"
#include "status.h"
#include "test.h"

/* A folder with pictures 2.png, 10.png and "Größe 1.png", arrays.npy, notes.txt, .hidden.png,
 * inner/cat.png and a model's folder. */
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

/* The listing recognises files by their first bytes. */
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

/* The kind of a file by its content, as in the program. */
static viz_what look(const char *path, char about[VIZ_ABOUT_SIZE])
{
    sac_file_kind kind = sac_file_kind_of(path);
    bool folder = sac_is_folder(path), model = folder && strstr(path, "model");
    strcpy(about, "neither picture nor arrays");
    return model                      ? VIZ_OPENS_AS_MODEL
           : folder                   ? VIZ_OPENS
           : kind == SAC_FILE_PICTURE ? VIZ_OPENS_AS_PICTURE
           : kind == SAC_FILE_ARRAYS  ? VIZ_OPENS
                                      : VIZ_OPENS_NOT;
}

static void choose(desk *d)
{
    viz_opens opens = {
        .recent = {{"/far/away/weights.npz", "/far/away/dog.png"}, {"/far/away/harbour.png", ""}},
        .recent_count = 2,
        .samples = {{"/far/away/kite.png", "A kite", "ours", false}},
        .sample_count = 1,
        .look = look};
    strcpy(opens.folder, d->folder);
    viz_shell_show_open_dialog(&d->shell, &opens);
    settle(d);
}

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
    assert_int_equal(mkdir(in(d, "model"), 0777), 0);
    write_bytes(d, "Größe 1.png", PNG_START);
    OK(viz_canvas_create(640, 440, 1, &viz_theme_dark, &d->canvas, NULL));
    choose(d);
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
    if (d->shell.chooses && !d->shell.saves)
        settle(d);
}

static void type(desk *d, const char *text)
{
    for (; *text; text++)
        key(d, *text);
}

static void click_tool(desk *d, const char *cap)
{
    const viz_caps *tools = &d->shell.bar.tools;
    for (int i = 0; i < tools->count; i++)
        if (strcmp(tools->keys[i].key, cap) == 0) {
            viz_event press = {.kind = VIZ_PRESS,
                               .x = tools->items[i].x + 2,
                               .y = tools->items[i].y + 8,
                               .button = 1};
            viz_shell_event(&d->shell, &press);
            return;
        }
    fail();
}

static void paste(desk *d, const char *text)
{
    viz_shell_event(&d->shell,
                    &(viz_event){.kind = VIZ_KEY, .key = 'v', .ctrl = true, .text = text});
    settle(d);
}

/* What Return opens now, below the folder; "" where it opens nothing. */
static const char *opened(desk *d)
{
    static viz_recent chosen;
    key(d, VIZ_KEY_RETURN);
    if (!viz_shell_take_choice(&d->shell, &chosen))
        return "";
    choose(d);
    size_t length = strlen(d->folder);
    return strncmp(chosen.path, d->folder, length) == 0 && chosen.path[length]
               ? chosen.path + length + 1
               : chosen.path;
}

#define AT_A_DESK(name) TEST_ON(desk, d, name, open_desk, close_desk)

/* The last row of the folder that there is room for is whole. */
AT_A_DESK(no_row_of_the_folder_is_cut_in_two)
{
    for (int height = 300; height < 330; height++) {
        viz_recording r = {0};
        OK(viz_canvas_resize(&d->canvas, 640, height, NULL));
        d->canvas.recording = &r;
        settle(d);
        d->canvas.recording = NULL;
        for (size_t i = 0; i < r.count; i++)
            if (r.shapes[i].kind == VIZ_SHAPE_TEXT && r.shapes[i].points[0].x < 320 &&
                viz_shape_is_cut(&r.shapes[i]))
                fail_msg("%d high: “%s” is cut", height, r.shapes[i].text);
        viz_recording_free(&r);
    }
}

AT_A_DESK(recent_documents_come_first_with_what_belongs_to_them)
{
    viz_recent chosen;
    key(d, VIZ_KEY_RETURN);
    assert_true(viz_shell_take_choice(&d->shell, &chosen));
    assert_string_equal(chosen.path, "/far/away/weights.npz");
    assert_string_equal(chosen.beside, "/far/away/dog.png");
    assert_false(viz_shell_take_choice(&d->shell, &chosen));
}

/* From the last row up: what opens stands in the order of its name. */
AT_A_DESK(a_folder_is_listed_and_what_cannot_be_opened_shows_why)
{
    static const char *const expected[] = {"", "arrays.npy", "Größe 1.png", "10.png", "2.png"};
    for (int up = 0; up < 5; up++) {
        choose(d);
        key(d, VIZ_KEY_LEFT);
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

AT_A_DESK(the_folder_of_a_model_is_opened_and_not_entered)
{
    type(d, "mod");
    assert_string_equal(opened(d), "model");
}

AT_A_DESK(samples_are_found_by_their_title)
{
    type(d, "kite");
    assert_string_equal(opened(d), "/far/away/kite.png");
}

AT_A_DESK(paths_are_typed_pasted_and_completed)
{
    char path[VIZ_PATH_SIZE + 16];
    type(d, "inn");
    key(d, VIZ_KEY_TAB);
    key(d, VIZ_KEY_TAB); /* the only one there */
    assert_string_equal(opened(d), "inner/cat.png");
    type(d, "G");
    key(d, VIZ_KEY_TAB);
    assert_string_equal(opened(d), "Größe 1.png");
    snprintf(path, sizeof path, "file://%s/inner/c%%61t.png\n", d->folder);
    paste(d, path);
    assert_string_equal(opened(d), "inner/cat.png");
    snprintf(path, sizeof path, "file://localhost%s/inner/cat.png\n", d->folder);
    paste(d, path);
    assert_string_equal(opened(d), "inner/cat.png");
    snprintf(path, sizeof path, "file://%s/inner/cat.png%%00.txt\n", d->folder);
    paste(d, path);
    assert_string_equal(opened(d), ""); /* and not what stands before the zero */
    snprintf(path, sizeof path, "file://elsewhere%s/inner/cat.png\n", d->folder);
    paste(d, path);
    assert_string_equal(opened(d), "");
    paste(d, in(d, ".hidden.png"));
    assert_string_equal(opened(d), ".hidden.png");
    setenv("HOME", d->folder, 1);
    type(d, "~/arr");
    key(d, VIZ_KEY_TAB);
    assert_string_equal(opened(d), "arrays.npy");
    type(d, "zzz");
    viz_shell_event(&d->shell, &(viz_event){.kind = VIZ_KEY, .key = 'a', .ctrl = true});
    type(d, "arr"); /* in place of all */
    assert_string_equal(opened(d), "arrays.npy");
    type(d, "~/inner/");
    assert_string_equal(opened(d), ""); /* is entered */
    type(d, "$HOME");
    assert_string_equal(opened(d), "");
}

/* It is reported in one line, and what was typed stays. */
AT_A_DESK(a_path_that_is_not_there_stays_to_be_mended)
{
    type(d, "inner/dog.png");
    key(d, VIZ_KEY_RETURN);
    assert_true(d->shell.chooses);
    for (int i = 0; i < 7; i++)
        key(d, VIZ_KEY_BACKSPACE);
    type(d, "cat");
    assert_string_equal(opened(d), "inner/cat.png");
}

AT_A_DESK(all_pictures_of_a_folder_are_one_choice)
{
    key(d, VIZ_KEY_LEFT);
    key(d, VIZ_KEY_HOME);
    key(d, VIZ_KEY_DOWN); /* past the folder above */
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
    choose(d);
    press.x = cross->rect.x + 5;
    press.y = cross->rect.y + 5;
    assert_true(viz_shell_event(&d->shell, &press));
    assert_false(d->shell.chooses);
}

AT_A_DESK(a_file_is_shown_in_its_folder_and_opened_from_there)
{
    viz_recent chosen;
    viz_opens opens = {.look = look};
    strcpy(opens.folder, in(d, "arrays.npy"));
    viz_shell_show_open_dialog(&d->shell, &opens);
    settle(d);
    key(d, VIZ_KEY_RETURN);
    assert_true(viz_shell_take_choice(&d->shell, &chosen));
    assert_string_equal(chosen.path, opens.folder);
}

AT_A_DESK(a_folder_that_cannot_be_read_reports_it_and_can_be_left)
{
    viz_recent chosen;
    bool any;
    viz_shell_show_open_dialog(&d->shell, &(viz_opens){.folder = "/proc/self/no-such-folder"});
    assert_int_not_equal(viz_view_compute(viz_shell_view(&d->shell), NULL, &any, NULL), SAC_OK);
    viz_shell_draw(&d->shell, &d->canvas);
    assert_false(viz_shell_take_choice(&d->shell, &chosen));
    viz_shell_event(&d->shell, &(viz_event){.kind = VIZ_KEY, .key = VIZ_KEY_ESCAPE});
    assert_false(d->shell.chooses);
}

/* Rows are drawn and looked at as they are seen. */
AT_A_DESK(a_folder_of_many_thousands_is_gone_through_bit_by_bit)
{
    enum { MANY = 5000 };
    char name[64];
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "model/%04d.png", i);
        assert_int_equal(symlink("../2.png", in(d, name)), 0);
    }
    viz_recent chosen;
    viz_event e = {.kind = VIZ_KEY, .key = VIZ_KEY_RETURN};
    bool any;
    for (const char *c = "model/"; *c; c++)
        viz_shell_event(&d->shell, &(viz_event){.kind = VIZ_KEY, .key = *c});
    for (int i = 0; i < 3; i++) { /* the names; what is seen of them; some more */
        viz_shell_draw(&d->shell, &d->canvas);
        OK(viz_view_compute(viz_shell_view(&d->shell), NULL, &any, NULL));
    }
    for (const char *c = "4999"; *c; c++)
        viz_shell_event(&d->shell, &(viz_event){.kind = VIZ_KEY, .key = *c});
    viz_shell_draw(&d->shell, &d->canvas);
    viz_shell_event(&d->shell, &e);
    assert_true(viz_shell_take_choice(&d->shell, &chosen));
    assert_non_null(strstr(chosen.path, "/model/4999.png"));
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "model/%04d.png", i);
        unlink(in(d, name));
    }
}

/* ---------------------------------------------------------------- for a purpose */

static void pick(desk *d, viz_wanted wanted, const char *from)
{
    viz_opens opens = {.look = look, .purpose = "the file of captions", .wanted = wanted};
    strcpy(opens.folder, from);
    viz_shell_show_open_dialog(&d->shell, &opens);
    settle(d);
}

/* What was chosen, or "": nothing. */
static const char *picked(desk *d)
{
    static viz_recent chosen;
    key(d, VIZ_KEY_RETURN);
    return viz_chooser_take(d->shell.chooser, &chosen) ? viz_path_leaf(chosen.path) : "";
}

/* The only one among pictures, arrays and folders, whether the dialog begins in its folder or at it. */
AT_A_DESK(a_text_is_chosen_among_texts)
{
    write_bytes(d, "bytes.bin", "a\0b", 3);
    pick(d, VIZ_WANTS_A_TEXT, d->folder);
    assert_string_equal(picked(d), "notes.txt");
    key(d, VIZ_KEY_END);
    assert_string_equal(picked(d), "notes.txt");
    pick(d, VIZ_WANTS_A_TEXT, in(d, "10.png"));
    assert_string_equal(picked(d), "notes.txt");
    pick(d, VIZ_WANTS_A_TEXT, in(d, "inner"));
    assert_string_equal(picked(d), ""); /* back to the folder above */
    settle(d);
    assert_string_equal(picked(d), "notes.txt");
    remove(in(d, "bytes.bin"));
}

AT_A_DESK(a_folder_is_chosen_as_it_is_shown_and_no_file_is)
{
    pick(d, VIZ_WANTS_A_FOLDER, d->folder);
    assert_string_equal(picked(d), viz_path_leaf(d->folder));
    pick(d, VIZ_WANTS_A_FOLDER, d->folder);
    key(d, VIZ_KEY_END);
    assert_string_equal(picked(d), "");
    type(d, "inn");
    assert_string_equal(picked(d), ""); /* is entered */
    assert_string_equal(picked(d), "inner");
}

/* ---------------------------------------------------------------- folders and pictures */

AT_A_DESK(a_folder_of_the_person_is_one_press_away)
{
    static viz_spots spots;
    viz_opens opens = {.look = look, .folders = {{"", "Pictures"}}, .folder_count = 1};
    strcpy(opens.folder, "/");
    strcpy(opens.folders[0].path, in(d, "inner"));
    viz_shell_show_open_dialog(&d->shell, &opens);
    settle(d);
    type(d, "zzz"); /* it goes */
    viz_shell_spots(&d->shell, &spots);
    const viz_spot *chip = spots.items;
    while (!chip->tip || !strstr(chip->tip, "is listed"))
        chip++;
    assert_true(viz_shell_event(&d->shell, &(viz_event){.kind = VIZ_PRESS,
                                                        .button = 1,
                                                        .x = chip->rect.x + 5,
                                                        .y = chip->rect.y + 5}));
    settle(d);
    type(d, "cat");
    assert_string_equal(opened(d), "inner/cat.png");
}

/* In its colour, in the row; the files of the desk that are none leave theirs empty. */
AT_A_DESK(a_picture_stands_small_before_its_name)
{
    sac_image red;
    size_t before = 0, after = 0;
    OK(sac_image_create(40, 30, &red, NULL));
    for (int i = 0; i < 40 * 30; i++)
        memcpy(red.rgba + 4 * i, "\xfe\x01\x02\xff", 4);
    for (int turn = 0; turn < 2; turn++) {
        if (turn)
            OK(sac_png_save(in(d, "2.png"), &red, NULL, 0, NULL));
        choose(d);
        const viz_canvas *c = &d->canvas;
        for (int i = 0; i < c->width * c->height; i++)
            *(turn ? &after : &before) += memcmp(c->rgba + 4 * i, red.rgba, 3) == 0;
    }
    assert_int_equal(before, 0);
    assert_true(after > 30 * 20);
    sac_image_free(&red);
}

/* ---------------------------------------------------------------- saving */

static void begin_saving(desk *d, const char *name)
{
    viz_saves saves = {.kinds = {{"PNG", ".png", "a picture", VIZ_SAVE_AS_IT_IS, true},
                                 {"PDF", ".pdf", "paper", VIZ_SAVE_AS_IT_IS, true},
                                 {"table", ".tsv", "numbers", VIZ_SAVE_AS_IT_IS},
                                 {"SVG", ".svg", "shapes", VIZ_SAVE_AS_FIGURE, true},
                                 {"PDF", ".pdf", "paper", VIZ_SAVE_AS_FIGURE, true, true},
                                 {"WebP", ".webp", "moves", VIZ_SAVE_AS_MOTION, true}},
                       .kind_count = 6};
    strcpy(saves.path, in(d, name));
    viz_shell_show_save_dialog(&d->shell, &saves);
    viz_shell_draw(&d->shell, &d->canvas);
}

AT_A_DESK(a_file_is_written_where_the_person_chooses)
{
    viz_saves saves;
    begin_saving(d, "free.png");
    assert_false(viz_shell_take_saves(&d->shell, &saves)); /* nothing by itself */
    begin_saving(d, "free.png");
    key(d, VIZ_KEY_DOWN);
    key(d, VIZ_KEY_RETURN);
    assert_true(viz_shell_take_saves(&d->shell, &saves));
    assert_string_equal(saves.path, in(d, "free.pdf"));
    assert_int_equal(saves.kind, 1);
    assert_false(saves.replaces);
    begin_saving(d, "free.png");
    for (int i = 0; i < 4; i++)
        key(d, VIZ_KEY_BACKSPACE);
    type(d, ".pdf"); /* the kind follows the name */
    key(d, VIZ_KEY_RETURN);
    assert_true(viz_shell_take_saves(&d->shell, &saves));
    assert_int_equal(saves.kind, 1);
}

static void click(desk *d, const char *text)
{
    viz_recording r = {0};
    d->canvas.recording = &r;
    viz_shell_draw(&d->shell, &d->canvas);
    d->canvas.recording = NULL;
    for (size_t i = 0; i < r.count; i++)
        if (r.shapes[i].kind == VIZ_SHAPE_TEXT && strcmp(r.shapes[i].text, text) == 0) {
            const viz_event e = {.kind = VIZ_PRESS,
                                 .button = 1,
                                 .x = r.shapes[i].points[0].x + 3,
                                 .y = r.shapes[i].points[0].y - 3};
            viz_recording_free(&r);
            assert_true(viz_shell_event(&d->shell, &e));
            return;
        }
    fail_msg("no “%s”", text);
}

/* What is saved, then the type, then width and ground; a picture of it is wanted each time. */
AT_A_DESK(a_figure_has_a_width_and_a_ground)
{
    viz_saves saves;
    begin_saving(d, "free.png");
    assert_true(viz_shell_wants_preview(&d->shell, &saves) && !saves.light);
    assert_false(viz_shell_wants_preview(&d->shell, &saves)); /* once */
    click(d, "figure");
    assert_true(viz_shell_wants_preview(&d->shell, &saves));
    assert_true(saves.kinds[saves.kind].form == VIZ_SAVE_AS_FIGURE && saves.light);
    click(d, "PDF");
    click(d, "on A4");
    assert_true(viz_shell_wants_preview(&d->shell, &saves));
    assert_string_equal(viz_save_widths[saves.width].paper, "a4");
    click(d, "dark");
    sac_image image = {2, 1, calloc(2, 4)};
    viz_chooser_take_preview(d->shell.chooser, &image);
    assert_null(image.rgba);
    viz_shell_draw(&d->shell, &d->canvas);
    key(d, VIZ_KEY_RETURN);
    assert_true(viz_shell_take_saves(&d->shell, &saves));
    assert_string_equal(saves.path, in(d, "free.pdf"));
    assert_true(saves.kind == 4 && !saves.light);
    begin_saving(d, "free.png");
    click(d, "figure");
    click(d, "PDF");
    click(d, "on Letter");
    click(d, "SVG"); /* which has no sheets */
    assert_true(viz_shell_wants_preview(&d->shell, &saves) && saves.width == 0);
    key(d, VIZ_KEY_PAGE_DOWN);
    assert_true(viz_shell_wants_preview(&d->shell, &saves) && saves.width == 1);
    click(d, "motion");
    assert_true(viz_shell_wants_preview(&d->shell, &saves) && saves.kind == 5 && !saves.light);
    click(d, "as it is");
    click(d, "table");
    assert_false(viz_shell_wants_preview(&d->shell, &saves)); /* it is no picture */
}

AT_A_DESK(a_file_that_is_there_is_replaced_after_a_second_return)
{
    viz_saves saves;
    begin_saving(d, "2.png");
    key(d, VIZ_KEY_RETURN);
    assert_false(viz_shell_take_saves(&d->shell, &saves));
    key(d, VIZ_KEY_RETURN);
    assert_true(viz_shell_take_saves(&d->shell, &saves));
    assert_true(saves.replaces);
    begin_saving(d, "no such folder/2.png");
    key(d, VIZ_KEY_RETURN);
    key(d, VIZ_KEY_RETURN);
    assert_false(viz_shell_take_saves(&d->shell, &saves));
}

/* They are no letters of the path. */
AT_A_DESK(tools_of_the_bar_that_are_letters_put_the_dialog_away)
{
    choose(d);
    viz_shell_draw(&d->shell, &d->canvas);
    click_tool(d, "?");
    assert_true(d->shell.show_keys && !d->shell.chooses);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
