/* saccade view and the opening of files: what is drawn without a display, and what bad input gets.
 */
#include "extent.h"
#include "run.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrays/bytes.h"
#include "base/text/utf8.h"
#include "images/png_write.h"
#include "pdf_text.h"
#include "png_texts.h"
#include "saccade_arrays.h"
#include "sources/origin.h"

/* Where the size of the picture does not matter. */
#define SMALL "--size", "480x320"

/* Weights [2,1,3,12,12]; `odd` stands at [1,0,2,3,4]. */
static void make_weights(const char *name, float odd)
{
    enum { ROWS = 2 * 3 * 12, COLUMNS = 12 };
    float weights[ROWS][COLUMNS];
    for (int row = 0; row < ROWS; row++)
        for (int key = 0; key < COLUMNS; key++)
            weights[row][key] = key == row % COLUMNS ? 0.45f : 0.05f;
    weights[(1 * 3 + 2) * 12 + 3][4] = odd;
    sac_array array = sac_array_view(SAC_F32, 5, (size_t[]){2, 1, 3, 12, 12}, weights);
    sac_named_array named = {"attentions", &array};
    assert_int_equal(sac_npz_save(here(name), &named, 1, NULL), SAC_OK);
}

/* queries [2,keys_like], keys [3,4] */
static void make_pair(const char *name, size_t query_size)
{
    float numbers[12] = {1, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1};
    sac_array query = sac_array_view(SAC_F32, 2, (size_t[]){2, query_size}, numbers);
    sac_array key = sac_array_view(SAC_F32, 2, (size_t[]){3, 4}, numbers);
    sac_named_array named[] = {{"query", &query}, {"key", &key}};
    assert_int_equal(sac_npz_save(here(name), named, 2, NULL), SAC_OK);
}

static void make_picture(const char *name)
{
    sac_image image;
    assert_int_equal(sac_image_create(96, 64, &image, NULL), SAC_OK);
    for (int i = 0; i < 96 * 64; i++) {
        image.rgba[4 * i] = (uint8_t)(i % 96 * 2);
        image.rgba[4 * i + 1] = (uint8_t)(i / 96 * 3);
        image.rgba[4 * i + 2] = (uint8_t)(i * 7 % 251); /* so that it does not shrink to nothing */
        image.rgba[4 * i + 3] = 255;
    }
    assert_int_equal(sac_png_save(here(name), &image, NULL, 0, NULL), SAC_OK);
    sac_image_free(&image);
}

static void make_npy(const char *name, const char *header, size_t data_size)
{
    uint8_t bytes[256] = "\x93NUMPY\x01";
    memset(bytes + 10, ' ', 118);
    memcpy(bytes + 10, header, strlen(header));
    bytes[8] = 118;
    bytes[127] = '\n';
    file_write(here(name), bytes, 128 + data_size);
}

/* With a part of its head, of which nothing can be shown. */
static void make_cut(const char *name, const char *from)
{
    size_t size;
    char *data = file_read(here(from), &size);
    file_write(here(name), data, size < 40 ? size : 40);
    free(data);
}

static int make_files(void **state)
{
    make_folder(state);
    make_weights("weights.npz", 0.05f);
    make_weights("nan.npz", NAN);
    make_pair("pair.npz", 4);
    make_pair("misfit.npz", 6);
    make_picture("picture.png");
    make_cut("cut.png", "picture.png");
    make_cut("cut.npz", "weights.npz");
    file_write(here("cut.jpg"), "\xff\xd8\xff\xe0\0\x10JFIF", 10);
    file_write(here("empty.png"), "", 0);
    file_write(here("letter.txt"), "Dear reader,\n", 13);
    make_npy("short.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (40, 40), }", 64);
    make_npy("huge.npy",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 64);
    make_npy("complex.npy", "{'descr': '<c8', 'fortran_order': False, 'shape': (2, 2), }", 32);
    return 0;
}

TEST(a_file_that_cannot_be_read_is_named)
{
    REFUSED(
        "--png out.png",
        {1, "nothing.png: cannot be opened: No such file …; check the name", {"nothing.png"}},
        {1, ATTENTION_DATA ": there is no picture (…; give a folder…", {ATTENTION_DATA}},
        {1, "empty.png: is empty; check how it was made", {"empty.png"}},
        {1, "letter.txt: is neither a picture (…); convert it to one of these", {"letter.txt"}});
}

TEST(a_cut_file_is_reported_to_be_cut)
{
    REFUSED("--png out.png",
            {1, "cut.png: is a cut or damaged PNG; get the file again", {"cut.png"}},
            {1, "cut.jpg: is a damaged JPEG: …; get the file again", {"cut.jpg"}},
            {1, "cut.npz: is cut or damaged: …; get the file again", {"cut.npz"}},
            {1, "short.npy: the header promises 6400 bytes of …64; get it again", {"short.npy"}},
            {1, "huge.npy: shape [4294967296,4294967296] …; save the array again", {"huge.npy"}});
}

TEST(arrays_that_cannot_be_weights_are_reported_why)
{
    REFUSED(
        "--png out.png",
        {1, "nan.npz: attentions: the weight at [1,0,2,3,4] is nan; …--allow-nan", {"nan.npz"}},
        {1, "complex.npy: has dtype '<c8', which is not read; convert it to…", {"complex.npy"}},
        {1, "misfit.npz: key: shape [3,4] does not fit query …; …bilinear score", {"misfit.npz"}},
        {2,
         "weights.npz: nine: …attentions [2,1,3,12,12]; …--take…",
         {"weights.npz", "--take", "nine"}},
        {1,
         "grid: 5 × 5 cells and 0 leading tokens …; …--cells…",
         {"weights.npz", "picture.png", "--grid", "5x5"}});
}

TEST(what_is_not_in_the_file_cannot_be_chosen)
{
    REFUSED(
        "--png out.png", {2, "--layer: 2 …; …from 0 to 1…", {"weights.npz", "--layer", "2"}},
        {2,
         "--tab: \"alignment\" is not available …; there is: matrix, heads",
         {"weights.npz", "--tab", "alignment"}},
        {2, "--cells: needs the size of a grid; give --grid WxH", {"weights.npz", "--cells", "3"}},
        {2, "--head: 7 …; …from 0 to 2…", {"weights.npz", "--head", "7"}},
        {2, "--query: 0,12 …0 to 11, rows from…", {"weights.npz", "--query", "0,12"}},
        {2,
         "--query: 12,0 …; columns go from 0 to 11, rows from 0 to 7",
         {"picture.png", "--query", "12,0", "--cells", "12"}},
        {2,
         "--tab: \"heads\" is not available here; there is: caption, picture, next",
         {"picture.png", "--tab", "heads"}},
        {2,
         "--temperature: is a setting of …Picture…, and weights.npz opens as …Heads…; leave it out",
         {"weights.npz", "--temperature", "2"}},
        {2,
         "--score: is a setting of Picture, and weights.npz opens as …Heads…; leave it out",
         {"weights.npz", "--score", "dot"}},
        {1,
         "pair.npz: weights […] are not of the first file's sizes […]; compare weights of one "
         "size",
         {"weights.npz", "pair.npz"}},
        {2,
         "weights.npz: is a third file of …pair.npz; open two at a time at most",
         {"weights.npz", "pair.npz", "weights.npz"}},
        {2,
         "picture.png: is a picture, which a difference is not shown over; leave it out",
         {"picture.png", "weights.npz", "weights.npz", "--difference"}},
        {2,
         "--between: needs weights that can be compared; give files of weights, or of queries "
         "and keys",
         {"picture.png", "--between", "0,1"}},
        {2,
         "weights.npz: there is nothing to compare …; give a second file, …",
         {"weights.npz", "--difference"}},
        {2,
         "weights.npz: cannot be shown over several pictures; give one picture with it",
         {"picture.png", "weights.npz", "picture.png"}});
}

TEST(a_value_that_an_option_cannot_take_is_refused)
{
    REFUSED("--png out.png",
            {2, "--size: is not a size …; give WxH, 160 to…", {"picture.png", "--size", "banana"}},
            {2, "--size: is not a size …; give WxH, 160 to…", {"picture.png", "--size=0x800"}},
            {2,
             "--size: is not a size that can be drawn; give WxH, 160 to…",
             {"picture.png", "--size", "1280x99999999999"}},
            {2, "--density: …; give…from 0.5 to 8", {"picture.png", "--density", "-1"}},
            {2, "--density: \"x\" is not a …; give a number,…", {"picture.png", "--density", "x"}},
            {2, "--theme: unknown theme; give dark or light", {"picture.png", "--theme", "blue"}},
            {2, "--cells: \"7\" is not a valid …; give a whole…", {"picture.png", "--cells", "7"}},
            {2, "--score: \"cosine\" is not …; give dot,…", {"picture.png", "--score", "cosine"}},
            {2,
             "--normalizer: \"softmin\" is not …; give softmax,…",
             {"picture.png", "--normalizer", "softmin"}},
            {2, "--query: \"1;2\" is not a …; give two whole…", {"picture.png", "--query", "1;2"}},
            {2, "--opacity: \"nan\" is …; give a number…", {"picture.png", "--opacity", "nan"}},
            {2, "--prefix: must be at least 0; …", {"weights.npz", "--prefix", "-1"}},
            {2, "--prefix: \"1.5\" is not a …; give a whole…", {"weights.npz", "--prefix", "1.5"}},
            {2, "--grid: is not a grid; give WxH in…", {"weights.npz", "--grid", "0x0"}},
            {2, "--device: needs a value; write --device S", {"picture.png", "--device"}});
}

TEST(the_nearest_name_is_suggested)
{
    REFUSED("--png out.png",
            {2,
             "--overlya: unknown option; did you mean --overlay?",
             {"picture.png", "--overlya", "heat"}},
            {2, "--zzzzzzzzz: unknown option; …--help`", {"picture.png", "--zzzzzzzzz"}});
    FAILS(2, "atend: unknown command, and no such file; did you mean `saccade attend`?", "atend");
    FAILS(2, "frobnicate: unknown command, and no such file; see `saccade --help`", "frobnicate");
}

TEST(what_cannot_be_written_is_reported_and_nothing_is_left)
{
    int before = folder_count(folder);
    REFUSED("weights.npz",
            {1, "nowhere/out.png: cannot be …; choose a folder…", {"--png", "nowhere/out.png"}},
            {1, "/dev/full: cannot be written: …; free some space or…", {"--png", "/dev/full"}},
            {1, "/dev/full: cannot be written: …; free some space or…", {"--pdf", "/dev/full"}},
            {1, "picture.png: cannot make the …; give a folder …", {"--frames", "picture.png"}});
    program_run run = {.folder = folder, .file_limit = 4096};
    run_saccade(&run, "weights.npz", "--png", "out.png", NULL);
    assert_fails_with(&run, 1, "out.png: cannot be written: File too large");
    run_saccade(&run, "weights.npz", "--apng", "out.png", NULL);
    assert_fails_with(&run, 1, "out.png: cannot be written: File too large");
    run_saccade(&run, "weights.npz", "--pdf", "out.pdf", NULL);
    assert_fails_with(&run, 1, "out.pdf: cannot be written: File too large");
    assert_int_equal(folder_count(folder), before);
}

TEST(without_a_display_the_window_reports_how_to_get_a_picture)
{
    program_run run = {.folder = folder,
                       .environment = {"DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"}};
    run_saccade(&run, "weights.npz", NULL);
    assert_fails(&run, 1, "display: no window can be opened: there is none here; …--out…");
    run.environment[0] = "DISPLAY=:4242";
    run_saccade(&run, "weights.npz", NULL);
    assert_fails_with(&run, 1, "display: no window can be opened: ");
}

TEST(an_unknown_device_is_refused_with_status_3)
{
    FAILS_WITH(3, "no device is called \"abacus\"", "picture.png", "--device", "abacus", "--png",
               "out.png");
    assert_int_not_equal(access(here("out.png"), F_OK), 0);
}

/* Every file of the folder is a PNG that can be read to its end. */
static void assert_all_whole(const char *path)
{
    DIR *frames = opendir(path);
    assert_non_null(frames);
    for (struct dirent *entry; (entry = readdir(frames));) {
        sac_image image;
        if (entry->d_name[0] == '.')
            continue;
        assert_int_equal(sac_image_load(in_folder(path, entry->d_name), &image, NULL), SAC_OK);
        sac_image_free(&image);
    }
    closedir(frames);
}

/* Thousands of pixels on a side, so that there is something left to interrupt. */
TEST(ctrl_c_leaves_nothing_half_written)
{
    int before = folder_count(folder);
    program_run run = {.folder = folder, .interrupt_after_ms = 300};
    run_saccade(&run, "picture.png", "--apng", "out.png", "--size", "3840x2160", NULL);
    assert_fails(&run, 1, "animation: stopped on request");
    assert_int_equal(folder_count(folder), before);
    run_saccade(&run, "picture.png", "--frames", "frames", "--size", "3840x2160", NULL);
    assert_fails(&run, 1, "animation: stopped on request");
    if (access(here("frames"), F_OK) == 0) {
        assert_all_whole(here("frames"));
        folder_remove(here("frames"));
    }
}

TEST(a_saved_png_opens_the_view_it_was_made_from)
{
    DONE("weights.npz", "--tab", "matrix", "--layer", "1", "--head", "2", "--query", "3,4", "--map",
         "viridis", "--scale", "fixed", "--first", "masked", "--png", "a.png");
    DONE("a.png", "--png", "b.png");
    assert_ptr_equal(strstr(ran.out, "a.png: made from weights.npz\n"), ran.out);
    assert_same_pixels(here("a.png"), here("b.png"));
    RUN("a.png", "--layer", "0", "--png", "c.png"); /* and options still count */
    assert_done(&ran);
    assert_false(are_same_pixels(here("a.png"), here("c.png")));
}

/* The colour at the upper left corner. */
static uint32_t ground_of(const char *png, int *width, int *height)
{
    sac_image image;
    OK(sac_image_load(here(png), &image, NULL));
    uint32_t ground = (uint32_t)image.rgba[0] << 16 | image.rgba[1] << 8 | image.rgba[2];
    *width = image.width;
    *height = image.height;
    sac_image_free(&image);
    return ground;
}

/* Millimetres are on paper, which is white, unless a theme is chosen. */
TEST(a_picture_is_the_figure_and_the_window_where_that_is_asked_for)
{
    static const struct {
        const char *option, *value, *further, *second;
        bool figure, white;
        int width, height; /* 0: as high as it needs */
    } cases[] = {{"--tab", "matrix", NULL, NULL, true, false, 1280, 0},
                 {"--layout", "window", NULL, NULL, false, false, 1280, 800},
                 {"--layout", "figure", "--size", "900x500", true, false, 900, 500},
                 {"--width", "90mm", NULL, NULL, true, true, 1063, 0},
                 {"--width", "90mm", "--theme", "dark", true, false, 1063, 0},
                 {"--width", "800px", NULL, NULL, true, false, 800, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int width, height;
        if (cases[i].further)
            DONE("weights.npz", "--png", "f.png", cases[i].option, cases[i].value, cases[i].further,
                 cases[i].second);
        else
            DONE("weights.npz", "--png", "f.png", cases[i].option, cases[i].value);
        char *layout = png_text(here("f.png"), "layout");
        assert_true((layout && strcmp(layout, "figure") == 0) == cases[i].figure);
        free(layout);
        assert_true((ground_of("f.png", &width, &height) == 0xffffff) == cases[i].white);
        assert_int_equal(width, cases[i].width);
        assert_true(cases[i].height ? height == cases[i].height : height != 800);
    }
    REFUSED(
        "weights.npz",
        {2, "--layout: unknown layout; give figure or window", {"--layout", "paper", "--png=f"}},
        {2, "--layout: needs a picture to draw; …", {"--layout", "window", "--json"}},
        {2,
         "--layout: is window beside --width or --paper…",
         {"--layout", "window", "--width", "90mm", "--png=f"}});
}

TEST(panels_are_one_figure)
{
    DONE("weights.npz", "--tab", "matrix", "--pin", "head 0; head 1", "--width", "180mm", "--out",
         "two.pdf", "--out", "two.svg");
    size_t size;
    char *svg = file_read(here("two.svg"), &size);
    assert_non_null(strstr(svg, "(a)  head 0"));
    assert_non_null(strstr(svg, "(b)  head 1"));
    free(svg);
}

TEST(without_its_origin_a_png_names_nothing_of_its_source)
{
    DONE("weights.npz", "--no-origin", "--png", "bare.png");
    assert_null(png_text(here("bare.png"), "file"));
    char *software = png_text(here("bare.png"), "Software");
    assert_non_null(software);
    free(software);
}

/* The number in row `row` and column `column` of a table, both from 0, names not counted. */
static float number_at(const char *text, char between, int row, int column)
{
    for (int i = 0; i <= row && text; i++)
        text = strchr(text, '\n') + 1;
    for (int i = 0; i <= column; i++)
        text = strchr(text, between) + 1;
    return strtof(text, NULL);
}

TEST(a_table_holds_the_numbers_of_the_file)
{
    static const struct {
        const char *option, *name;
        char between;
    } kinds[] = {{"--tsv", "a.tsv", '\t'}, {"--csv", "a.csv", ','}};
    make_weights("odd.npz", 0.06f);
    for (int kind = 0; kind < 2; kind++) {
        PASSES("odd.npz", "--tab", "matrix", "--layer", "1", "--head", "2", kinds[kind].option,
               kinds[kind].name); /* it reports that not all rows sum to 1 */
        size_t size;
        char *text = file_read(here(kinds[kind].name), &size);
        text[size] = '\0';
        for (int row = 0; row < 12; row++)
            for (int key = 0; key < 12; key++) {
                bool odd = row == 3 && key == 4;
                float known = odd ? 0.06f : key == row ? 0.45f : 0.05f;
                assert_true(number_at(text, kinds[kind].between, row, key) == known);
            }
        PASSES(kinds[kind].name, "--out", "again.tsv"); /* it opens as the matrix that it is */
        char *again = file_read(here("again.tsv"), &size);
        again[size] = '\0';
        for (int row = 0; row < 12; row++)
            for (int key = 0; key < 12; key++)
                assert_true(number_at(again, '\t', row, key) ==
                            number_at(text, kinds[kind].between, row, key));
        free(again);
        unlink(here("again.tsv"));
        free(text);
        unlink(here(kinds[kind].name));
    }
}

TEST(a_row_of_a_table_that_is_too_short_is_named)
{
    static const char text[] = "key\tthe\tcat\nsat\t0.5\t0.5\non\t1\n";
    file_write(here("ragged.tsv"), text, sizeof text - 1);
    FAILS(1, "ragged.tsv: line 3 has 2 fields, line 1 has 3; give all rows as many", "ragged.tsv",
          "--png", "a.png");
    unlink(here("ragged.tsv"));
}

TEST(text_beside_arrays_is_their_labels)
{
    static const char names[] = "zero\none\ntwo\nthree\nfour\nfive\nsix\n7\n8\n9\n10\n11\n";
    file_write(here("names.txt"), names, sizeof names - 1);
    PASSES("names.txt", "weights.npz", "--tab", "matrix", "--tsv", "a.tsv");
    size_t size;
    char *text = file_read(here("a.tsv"), &size);
    text[size] = '\0';
    assert_non_null(strstr(text, "\nthree\t"));
    free(text);
    FAILS(2, "names.txt: is given beside --labels names.txt; give one file of labels", "names.txt",
          "weights.npz", "--labels", "names.txt", "--png", "a.png");
    unlink(here("names.txt"));
}

TEST(a_view_without_numbers_writes_no_table)
{
    FAILS(2, "Picture: shows no table of numbers; choose the matrix,…", "picture.png", "--tab",
          "picture", "--tsv", "none.tsv");
    assert_int_not_equal(access(here("none.tsv"), F_OK), 0);
}

TEST(a_saved_png_reports_when_its_source_changed_or_went)
{
    make_weights("other.npz", 0.05f);
    DONE("other.npz", "--png", "a.png");
    make_weights("other.npz", 0.06f);
    DONE("a.png", "--png", "b.png", SMALL);
    assert_non_null(strstr(
        ran.out, "made from other.npz, which has changed since: this is the picture itself\n"));
    unlink(here("other.npz"));
    DONE("a.png", "--png", "b.png", SMALL);
    assert_non_null(strstr(
        ran.out, "made from other.npz, which is not available: this is the picture itself\n"));
}

static void assert_text(const char *png, const char *key, const char *end)
{
    char *text = png_text(here(png), key);
    assert_true(text && strlen(text) >= strlen(end));
    assert_string_equal(text + strlen(text) - strlen(end), end);
    free(text);
}

/* A picture whose origin is `file`; `hash` may be NULL. */
static void make_saved(const char *path, const char *file, const char *hash)
{
    sac_image image;
    const sac_png_text texts[] = {
        {"Software", "Saccade 0.1.0"}, {"view", "picture"}, {"file", file}, {"hash", hash}};
    assert_int_equal(sac_image_load(here("picture.png"), &image, NULL), SAC_OK);
    assert_int_equal(sac_png_save(path, &image, texts, hash ? 4 : 3, NULL), SAC_OK);
    sac_image_free(&image);
}

TEST(a_png_that_names_what_is_no_file_of_ours_is_shown_itself)
{
    assert_int_equal(mkfifo(here("pipe"), 0600), 0);
    const struct {
        const char *file, *hash, *note;
        bool follow;
    } cases[] = {
        {"/dev/zero", "fnv1a64:0", "is not available", true},
        {"/dev/zero", NULL, "is not available", true},
        {"/dev/random", "fnv1a64:0", "is not available", false},
        {"pipe", "fnv1a64:0", "is not available", true},
        {here("pipe"), NULL, "is not available", true},
        {"/etc", NULL, "is not available", true},
        {"/proc/self/environ", NULL, "not in the picture's folder", false},
        {"letter.txt", "fnv1a64:0", "changed since", false},
        {"letter.txt", "sha256:00", "changed since", true},
        {"letter.txt", "md5:00", "changed since", true},
        {"letter.txt", NULL, "stores no hash of", false},
        {"letter.txt", NULL, "cannot be opened (is neither a picture", true},
        {"cut.npz", NULL, "cannot be opened (is cut or damaged", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += test_is_thorough() ? 1 : 4) {
        make_saved(here("a.png"), cases[i].file, cases[i].hash);
        DONE("a.png", "--png", "b.png", SMALL, cases[i].follow ? "--follow" : NULL);
        assert_non_null(strstr(ran.out, cases[i].note));
        assert_non_null(strstr(ran.out, ": this is the picture itself"));
        assert_ptr_equal(strchr(ran.out, '\n') + 1, ran.out + strlen(ran.out));
        bool asks = strstr(cases[i].note, "folder") || strstr(cases[i].note, "no hash");
        assert_true(asks ==
                    (strstr(ran.out, "; --follow opens every file it refers to\n") != NULL));
    }
}

/* What the tests below do not want to see in a picture. */
#define SECRET "-----SECRET-----"

static bool is_in_file(const char *name, const char *text)
{
    size_t size;
    char *bytes = file_read(here(name), &size);
    bool found = memmem(bytes, size, text, strlen(text)) != NULL;
    free(bytes);
    return found;
}

/* Twelve lines, as many as the weights have tokens. */
static void make_secret(const char *path)
{
    char text[16 * 12 + 1] = "";
    for (int i = 0; i < 12; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "" : SECRET, "x\n");
    file_write(path, text, strlen(text));
}

/* Weights with labels that the picture names, with a hash of both, or another of the labels. */
static void make_named(const char *png, const char *labels, const char *hash)
{
    sac_image image;
    char weights[SAC_ORIGIN_HASH];
    assert_int_equal(sac_origin_hash(here("weights.npz"), weights, NULL), SAC_OK);
    const sac_png_text texts[] = {{"Software", "Saccade 0.1.0"},
                                  {"view", "matrix"},
                                  {"file", "weights.npz"},
                                  {"hash", weights},
                                  {"labels", labels},
                                  {"labels hash", hash}};
    assert_int_equal(sac_image_load(here("picture.png"), &image, NULL), SAC_OK);
    assert_int_equal(sac_png_save(here(png), &image, texts, hash ? 6 : 5, NULL), SAC_OK);
    sac_image_free(&image);
}

/* A picture may be untrusted, and made to have another file shown, and published. */
TEST(a_png_shows_no_file_that_its_maker_may_not_have_had)
{
    char outside[64], absolute[96], upwards[96], hash[SAC_ORIGIN_HASH];
    folder_create(outside);
    snprintf(absolute, sizeof absolute, "%s", in_folder(outside, "secret.txt"));
    snprintf(upwards, sizeof upwards, "../%s/secret.txt", strrchr(outside, '/') + 1);
    make_secret(absolute);
    make_secret(here("beside.txt"));
    assert_int_equal(symlink(absolute, here("link.txt")), 0);
    assert_int_equal(symlink(outside, here("linked")), 0);
    assert_int_equal(sac_origin_hash(absolute, hash, NULL), SAC_OK);
    const struct {
        const char *labels, *hash;
        bool shown, followed;
    } cases[] = {
        {absolute, NULL, false, true},
        {absolute, hash, false, true},
        {upwards, hash, false, true},
        {"link.txt", hash, false, true},
        {"linked/secret.txt", hash, false, true},
        {"beside.txt", NULL, false, true},
        {"beside.txt", "", false, true},
        {"beside.txt", "sha256:0", false, false},
        {"beside.txt", hash, true, true},
        {"./beside.txt", hash, true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += test_is_thorough() ? 1 : 4) {
        make_named("a.png", cases[i].labels, cases[i].hash);
        PASSES("a.png", "--svg", "b.svg");
        assert_non_null(strstr(ran.out, "made from weights.npz"));
        assert_true(is_in_file("b.svg", SECRET) == cases[i].shown);
        assert_true(!cases[i].shown == (strstr(ran.out, "left out: labels ") != NULL));
        RUN("a.png", "--follow", "--svg", "b.svg");
        assert_true(is_in_file("b.svg", SECRET) == cases[i].followed);
    }
    folder_remove(outside);
}

/* Neither settings nor cells that a lesson does not have, nor a command of the picture's own. */
TEST(a_png_of_a_lesson_opens_as_what_the_lesson_can_be)
{
    static const struct {
        const char *key, *value, *note;
    } cases[] = {
        {"step", "2", "made by the lesson masks\n"},
        {"cell", "a;touch x;#", "(the lesson has no such cell): this is the picture itself\n"},
        {"settings", "a=1;touch${IFS}x", "(is no name with a number): this is the picture"},
        {"settings", "none=1", "(sets nothing: masks has no such name): this is the picture"},
        {"seed", "7;touch x", "unknown lesson or setting: this is the picture itself\n"},
        {"lesson", "x\033;touch x", "unknown lesson or setting: this is the picture"},
        {"from", "x'$(touch x)'.npz", "which is not available: this is the picture itself\n"},
    };
    sac_image image;
    assert_int_equal(sac_image_load(here("picture.png"), &image, NULL), SAC_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool other = strcmp(cases[i].key, "lesson") == 0;
        const sac_png_text texts[] = {
            {"Software", "Saccade 0.1.0"},
            {"view", "lesson"},
            {"command", "saccade lesson masks; touch x"},
            {"lesson", other ? cases[i].value : "masks"},
            {other ? "step" : cases[i].key, other ? "1" : cases[i].value}};
        assert_int_equal(sac_png_save(here("a.png"), &image, texts, 5, NULL), SAC_OK);
        DONE("a.png", "--png", "b.png", SMALL);
        if (!strstr(ran.out, cases[i].note))
            fail_msg("%s", ran.out);
        assert_null(strstr(ran.out, "touch x;"));
    }
    sac_image_free(&image);
}

/* Labels come back too, as they were; and where they changed, not. */
TEST(a_png_keeps_the_hash_of_every_file_that_it_names)
{
    make_secret(here("names.txt"));
    PASSES("weights.npz", "--labels", "names.txt", "--tab", "matrix", "--png", "a.png");
    RUN("a.png", "--svg", "b.svg");
    assert_string_equal(ran.out, "a.png: made from weights.npz\n");
    assert_true(is_in_file("b.svg", SECRET));
    file_write(here("names.txt"), "a\nb\n", 4);
    RUN("a.png", "--svg", "b.svg");
    assert_string_equal(ran.out, "a.png: made from weights.npz; left out: labels names.txt, which "
                                 "has changed since\n");
    assert_false(is_in_file("b.svg", SECRET));
    unlink(here("names.txt"));
}

/* They have the hash of what they show alone, of an earlier kind. */
TEST(a_png_of_an_earlier_version_opens_what_lies_beside_it)
{
    char hash[32];
    assert_int_equal(sac_file_hash(here("weights.npz"), hash, sizeof hash, NULL), SAC_OK);
    make_saved(here("a.png"), "weights.npz", hash);
    DONE("a.png", "--png", "b.png", SMALL);
    assert_string_equal(ran.out, "a.png: made from weights.npz\n");
}

/* Linux has such names, from the days of other encodings; PNG and XML hold no such text. */
TEST(a_file_whose_name_is_not_utf8_is_saved_in_every_format_and_opens_again)
{
    static const char name[] = "d\xe9j\xe0.npz";
    static const char *const options[][2] = {
        {"--png", "a.png"}, {"--apng", "a.apng"}, {"--pdf", "a.pdf"}, {"--svg", "a.svg"}};
    make_weights(name, 0.05f);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        size_t size;
        DONE(name, options[i][0], options[i][1], SMALL);
        char *bytes = file_read(here(options[i][1]), &size);
        assert_true(i < 3 || sac_utf8_valid(bytes, size));
        free(bytes);
    }
    assert_text("a.png", "file", "percent-encoded:d%E9j%E0.npz");
    RUN("a.png", "--png", "b.png", SMALL);
    assert_string_equal(ran.out, "a.png: made from d\uFFFDj\uFFFD.npz\n");
    assert_same_pixels(here("a.png"), here("b.png"));
    unlink(here(name));
}

static void assert_same_files(const char *a, const char *b)
{
    size_t sizes[2];
    char *bytes[] = {file_read(here(a), &sizes[0]), file_read(here(b), &sizes[1])};
    if (sizes[0] != sizes[1] || memcmp(bytes[0], bytes[1], sizes[0]) != 0)
        fail_msg("%s is not %s", a, b);
    free(bytes[0]);
    free(bytes[1]);
}

/* Neither how long it took nor when it was is in them. */
TEST(the_same_command_writes_the_same_bytes)
{
    THOROUGH_ONLY;
    static const char *const commands[][4] = {
        {"picture.png", "--tab=picture"}, {"weights.npz", "--tab=matrix"},
        {"weights.npz", "--tab=heads"},   {"pair.npz", "--tab=matrix"},
        {"picture.png", "--tab=caption"}, {"--text=a red house", "--tab=translation"},
        {"lesson", "masks", "--step=1"},
    };
    static const char *const names[][2] = {
        {"a.png", "b.png"}, {"a.svg", "b.svg"}, {"a.pdf", "b.pdf"}, {"a.gif", "b.gif"}};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const char *const *c = commands[i];
        for (int again = 0; again < 2; again++) {
            PASSES(c[0], c[1], "--size=480x320", "--png", names[0][again], "--svg", names[1][again],
                   "--pdf", names[2][again], c[2]);
        }
        for (int kind = 0; kind < 3; kind++)
            assert_same_files(names[kind][0], names[kind][1]);
    }
    for (int again = 0; again < 2; again++) {
        DONE("weights.npz", "--tab", "matrix", SMALL, "--gif", names[3][again], "--fps", "1");
    }
    assert_same_files("a.gif", "b.gif");
}

TEST(a_pdf_has_the_date_that_is_given_or_none)
{
    static char text[1 << 21];
    static const struct {
        const char *given;
        bool dated;
    } cases[] = {{"1000000000", true}, {"", false}, {"-1", false}, {"1e9", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("SOURCE_DATE_EPOCH", cases[i].given, 1);
        RUN("weights.npz", "--tab", "matrix", SMALL, "--pdf", "a.pdf");
        unsetenv("SOURCE_DATE_EPOCH");
        assert_done(&ran);
        assert_true(pdf_text(here("a.pdf"), text, sizeof text));
        assert_true(!!strstr(text, "CreationDate") == cases[i].dated);
        assert_true(!!strstr(text, "20010909014640") == cases[i].dated);
    }
}

/* Names of rows and columns are untrusted, and a spreadsheet runs what begins so. */
TEST(no_name_in_a_table_is_a_formula_or_steers_a_terminal)
{
    static const char labels[] =
        "=1+2\n+cmd\n-0.5\n@x\n-\n-x\n+7\n＝1+1\n=\n\uFEFF=9\n\u202ex\n\xc2\x9b"
        "2J\n";
    static const char *const kept[] = {"'=1+2", "'+cmd",     "-0.5",    "'@x",
                                       "-",     "'-x",       "+7",      "'＝1+1",
                                       "=",     "'\uFEFF=9", "\uFFFDx", "\uFFFD2J"};
    static const char *const options[] = {"--tsv", "--csv"};
    file_write(here("names.txt"), labels, sizeof labels - 1);
    for (int csv = 0; csv < 2; csv++) {
        size_t size;
        char expected[32];
        PASSES("weights.npz", "--labels", "names.txt", "--tab", "matrix", options[csv], "a.txt");
        char *text = file_read(here("a.txt"), &size);
        text = realloc(text, size + 1);
        text[size] = '\0';
        for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
            snprintf(expected, sizeof expected, "\n%s%c", kept[i], csv ? ',' : '\t');
            assert_non_null(strstr(text, expected));
        }
        free(text);
    }
    unlink(here("names.txt"));
}

TEST(a_png_that_counts_its_pictures_wrong_opens_its_scene)
{
    static const char *const numbers[] = {"-3", "-2147483648", "99999999999999999999", "nine"};
    sac_image image;
    assert_int_equal(sac_image_load(here("picture.png"), &image, NULL), SAC_OK);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const sac_png_text texts[] = {{"Software", "Saccade 0.1.0"},
                                      {"view", "caption"},
                                      {"title", "scene 5"},
                                      {"picture", numbers[i]}};
        assert_int_equal(sac_png_save(here("a.png"), &image, texts, 4, NULL), SAC_OK);
        DONE("a.png", "--png", "b.png", SMALL);
        assert_string_equal(ran.out, "a.png: made from scene 5\n");
        assert_text("b.png", "title", "scene 5");
    }
    sac_image_free(&image);
}

/* Where a person allows it, also in the working folder. */
TEST(a_png_finds_its_source_beside_itself_before_the_working_folder)
{
    char other[64];
    folder_create(other);
    make_saved(in_folder(other, "a.png"), "source.npz", NULL);
    make_weights("source.npz", 0.05f);
    DONE(in_folder(other, "a.png"), "--png", "b.png");
    assert_non_null(strstr(ran.out, "source.npz, which is not in the picture's folder: "));
    DONE(in_folder(other, "a.png"), "--follow", "--png", "b.png");
    assert_text("b.png", "file", "source.npz");
    assert_int_equal(rename(here("source.npz"), in_folder(other, "source.npz")), 0);
    make_weights("source.npz", 0.9f);
    DONE(in_folder(other, "a.png"), "--follow", "--png", "c.png");
    assert_same_pixels(here("b.png"), here("c.png"));
    unlink(here("source.npz"));
    folder_remove(other);
}

/* Data in a folder, a picture of it in another beside it; both folders lie in one that is moved. */
TEST(a_png_opens_again_after_it_was_moved_with_its_source)
{
    char before[64], after[80];
    program_run run = {0};
    folder_create(before);
    snprintf(after, sizeof after, "%s-moved", before);
    assert_int_equal(mkdir(in_folder(before, "figures"), 0700), 0);
    make_weights("source.npz", 0.05f);
    assert_int_equal(rename(here("source.npz"), in_folder(before, "source.npz")), 0);
    run.folder = before;
    run_saccade(&run, "source.npz", "--png", "a.png", NULL);
    assert_done(&run);
    run_saccade(&run, "source.npz", "--png", "figures/a.png", NULL);
    assert_done(&run);
    assert_int_equal(rename(before, after), 0);
    const char *const pictures[] = {"a.png", "figures/a.png"};
    for (int i = 0; i < 2; i++) {
        run.folder = folder;
        run_saccade(&run, in_folder(after, pictures[i]), "--png", "b.png", SMALL,
                    i ? "--follow" : NULL, NULL);
        assert_done(&run);
        assert_non_null(
            strstr(run.out, i ? "made from ../source.npz\n" : "made from source.npz\n"));
    }
    assert_int_equal(unlink(in_folder(after, "figures/a.png")), 0);
    assert_int_equal(rmdir(in_folder(after, "figures")), 0);
    folder_remove(after);
}

/* As `saccade caption` goes on past it. */
TEST(of_several_pictures_a_damaged_first_one_is_left_out_and_named)
{
    PASSES("cut.png", "picture.png", "--tab", "picture", "--png", "out.png", SMALL);
    assert_non_null(strstr(ran.err, "saccade: left out cut.png: is a cut or damaged PNG"));
    assert_text("out.png", "file", "picture.png");
    FAILS(1, "cut.jpg: is a damaged JPEG: …; get the file again", "cut.png", "cut.jpg", "--png",
          "none.png");
}

/* A scene, where the captioner's weights are there; the Picture tab has a picture in any case. */
TEST(without_a_file_what_comes_with_the_program_is_shown)
{
    bool weights = access(CAPTIONER_WEIGHTS "/additive.safetensors", R_OK) == 0;
    DONE("--png", "a.png", SMALL);
    assert_text("a.png", "view", weights ? "caption" : "picture");
    assert_true(weights == !strstr(ran.out, "no captions"));
    DONE("--png", "a.png", SMALL, "--tab", "picture");
    bool book = access(CAPTIONER_WEIGHTS "/book.safetensors", R_OK) == 0;
    assert_text("a.png", "title", book ? "book scene 159" : "scene 91");
    DONE("--png", "a.png", SMALL, "--dataset", "shapes");
    assert_text("a.png", "title", "scene 91");
}

TEST(help_names_every_command_and_option)
{
    static program_run all;
    run_saccade(&all, "--help", NULL);
    assert_done(&all);
    const char *commands[] = {"view",     "attend",  "caption",  "scene", "train",
                              "evaluate", "devices", "selftest", "bench", "example"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        assert_non_null(strstr(all.out, commands[i]));
        DONE(commands[i], "--help");
        assert_ptr_equal(strstr(ran.out, "usage: saccade "), ran.out);
        DONE("help", commands[i]);
        assert_ptr_equal(strstr(ran.out, "usage: saccade "), ran.out);
    }
    DONE("help");
    assert_string_equal(ran.out, all.out);
    DONE("--version");
    assert_string_equal(ran.out, "saccade " SAC_VERSION "\n");
}

TEST_MAIN(make_files, remove_folder)
