/* saccade lecture: files as people write them, and hand-outs. */
#include <sys/stat.h>
#include <unistd.h>

#include "pdf_text.h"
#include "png_texts.h"
#include "run.h"
#include "saccade_arrays.h"
#include "sources/lecture.h"

#define LESSON                                                                                     \
    "{\"title\":\"Why divide\",\"note\":\"Ask first.\",\"shows\":"                                 \
    "{\"view\":\"lesson\",\"lesson\":\"why-scale\",\"step\":\"2\"}}"
#define GONE "{\"title\":\"A photograph\",\"shows\":{\"view\":\"caption\",\"file\":\"gone.png\"}}"
#define HEADS "{\"title\":\"Heads\",\"shows\":{\"view\":\"heads\",\"file\":\"weights.npz\"}}"

static void write_lecture(const char *name, const char *stops)
{
    char text[4096];
    int size = snprintf(text, sizeof text,
                        "{\"saccade lecture\":1,\"title\":\"A talk\",\"stops\":[%s]}", stops);
    file_write(here(name), text, (size_t)size);
}

static int make_lectures(void **state)
{
    float weights[2 * 2 * 3][3];
    make_folder(state);
    for (int row = 0; row < 2 * 2 * 3; row++)
        for (int key = 0; key < 3; key++)
            weights[row][key] = key == row % 3 ? 0.5f : 0.25f;
    sac_array array = sac_array_view(SAC_F32, 5, (size_t[]){2, 1, 2, 3, 3}, weights);
    sac_named_array named = {"attentions", &array};
    OK(sac_npz_save(here("weights.npz"), &named, 1, NULL));
    write_lecture("lesson.lecture", LESSON);
    write_lecture("talk.lecture", LESSON "," GONE "," HEADS);
    return 0;
}

TEST(the_list_names_stops_and_what_is_not_there)
{
    DONE("lecture", here("talk.lecture"), "--list");
    assert_non_null(strstr(ran.out, "A talk\n  1  lesson       Why divide\n"));
    assert_non_null(
        strstr(ran.out, "  2  caption      A photograph  ·  gone.png is not available\n"));
    assert_non_null(strstr(ran.out, "the lecture stores no hash of weights.npz\n"));
    DONE("lecture", here("talk.lecture"), "--list", "--follow");
    assert_non_null(strstr(ran.out, "  3  heads        Heads\n"));
}

TEST(a_handout_has_a_page_for_each_stop)
{
    static char text[4 << 20];
    size_t size;
    PASSES("lecture", here("talk.lecture"), "--follow", "--out", here("talk.pdf"), "--out",
           here("talk.html"));
    assert_non_null(strstr(ran.err, "talk.lecture: stop 2: gone.png is not available"));
    assert_true(pdf_text(here("talk.pdf"), text, sizeof text));
    assert_non_null(strstr(text, "/Count 3"));
    char *html = file_read(here("talk.html"), &size);
    assert_non_null(strstr(html, "\"title\":\"A talk\""));
    assert_non_null(strstr(html, "\"note\":\"Ask first.\""));
    assert_non_null(strstr(html, "\"page\":\"")); /* of the lesson and of the heads */
    assert_non_null(strstr(html, "\"absent\":\"stop 2: gone.png is not available\""));
    assert_null(strstr(html, "src=\"http"));
    free(html);
}

/* A view opens a stop as a saved picture of it opens. */
TEST(on_paper_each_stop_has_a_sheet_on_its_side)
{
    static char text[4 << 20];
    DONE("lecture", here("lesson.lecture"), "--paper", "a4", "--out", here("sheet.pdf"));
    assert_true(pdf_text(here("sheet.pdf"), text, sizeof text));
    assert_non_null(strstr(text, "/MediaBox [ 0 0 841.875 595.125 ]")); /* to half a unit */
}

TEST(a_picture_of_a_stop_is_the_lessons_picture)
{
    DONE("view", here("talk.lecture"), "--out", here("stop.png"), "--size", "900x600");
    DONE("lesson", "why-scale", "--step", "2", "--out", here("lesson.png"), "--size", "900x600");
    assert_png_text(here("stop.png"), "lesson", "why-scale");
    assert_png_text(here("stop.png"), "step", "2");
    assert_true(are_same_pixels(here("stop.png"), here("lesson.png")));
}

/* What a saved picture holds opens a stop without a question, from the lecture's folder alone. */
TEST(a_file_opens_by_itself_below_the_lecture_and_unchanged)
{
    sac_lecture lecture = {0};
    sac_png_texts texts;
    DONE("view", here("weights.npz"), "--out", here("heads.png"), "--head", "1");
    OK(sac_png_texts_load(here("heads.png"), &texts, NULL));
    assert_true(sac_lecture_insert(&lecture, 0, "Heads", texts.at, texts.count));
    OK(sac_lecture_save(here("heads.lecture"), &lecture, NULL));
    assert_int_equal(mkdir(here("other"), 0700), 0);
    OK(sac_lecture_save(here("other/heads.lecture"), &lecture, NULL));
    sac_lecture_free(&lecture);
    sac_png_texts_free(&texts);
    DONE("view", here("heads.lecture"), "--out", here("again.png"));
    assert_true(are_same_pixels(here("heads.png"), here("again.png")));
    assert_png_text(here("again.png"), "head", "1");

    ran.folder = folder; /* where the name is known too, which does not count */
    DONE("lecture", here("other/heads.lecture"), "--list");
    ran.folder = NULL;
    assert_non_null(strstr(ran.out, "weights.npz is not in the lecture's folder"));
    file_write(here("weights.npz"), "changed", 7);
    DONE("lecture", here("heads.lecture"), "--list", "--follow");
    assert_non_null(strstr(ran.out, "weights.npz has changed since"));
}

/* By the weights that captioned it, or not at all. */
TEST(a_caption_by_own_weights_is_not_shown_by_others)
{
    write_lecture(
        "own.lecture",
        "{\"shows\":{\"view\":\"caption\",\"title\":\"scene 3\",\"weights\":\"" CAPTIONER_WEIGHTS
        "/bilinear.safetensors\"}},{\"shows\":{\"view\":\"caption\",\"title\":\"scene "
        "3\",\"weights\":\"gone\"}}");
    DONE("view", here("own.lecture"), "--follow", "--out", here("own.png"));
    assert_png_text(here("own.png"), "model", "bilinear");
    DONE("lecture", here("own.lecture"), "--list");
    assert_non_null(strstr(ran.out, "bilinear.safetensors is not in the lecture's folder\n"));
    assert_non_null(strstr(ran.out, "gone is not available\n"));
}

/* It begins when a person begins it, and writes where the page proposes. */
TEST(a_stop_of_a_training_is_its_page)
{
    write_lecture(
        "train.lecture",
        "{\"shows\":{\"view\":\"training\",\"training\":\"translator\",\"own\":\"weights.npz\"}}");
    DONE("view", here("train.lecture"), "--out", here("train.png"));
    assert_png_text(here("train.png"), "view", "train");
    assert_png_text(here("train.png"), "training", "translator");
    assert_null(png_text(here("train.png"), "own"));
}

TEST(damaged_lectures_and_wrong_words_are_refused)
{
    write_lecture("none.lecture", "");
    write_lecture("number.lecture", "{\"shows\":{\"step\":2}}");
    write_lecture("empty.lecture", LESSON ",{\"title\":\"a\"}");
    write_lecture("title.lecture", "{\"title\":7,\"shows\":{\"view\":\"lesson\"}}");
    file_write(here("cut.lecture"), "{\"saccade lecture\":1,\"stops\":[{", 31);
    file_write(here("list.lecture"), "[1]", 3);
    file_write(here("version.lecture"), "{\"saccade lecture\":7,\"stops\":[]}", 32);
    file_write(here("text.txt"), "a text", 6);
    ran.folder = folder;
    REFUSED(
        "lecture", {2, "lecture: needs a file; give…talk.lecture", {NULL}},
        {1, "missing.lecture: cannot be opened…; check…", {"missing.lecture"}},
        {1, "none.lecture: has no stops; give 1 to 500…", {"none.lecture"}},
        {1, "number.lecture: stop 1 has a setting that is no text; put…", {"number.lecture"}},
        {1, "empty.lecture: stop 2 shows nothing; give…", {"empty.lecture"}},
        {1, "title.lecture: stop 1 has a title…; put…", {"title.lecture"}},
        {1, "cut.lecture: …", {"cut.lecture"}},
        {1, "list.lecture: is not a lecture; begin it…", {"list.lecture"}},
        {1, "version.lecture: is a lecture of another version, 7; open…", {"version.lecture"}},
        {1, "text.txt: is not a lecture; begin it…", {"text.txt"}},
        {2, "--stop: is no stop; count from 1", {"talk.lecture", "--stop", "-1"}},
        {2, "--stop: is given beside…; leave it out", {"talk.lecture", "--stop", "2", "--list"}},
        {2,
         "--width: is not for a lecture; leave it out",
         {"talk.lecture", "--out", "a.pdf", "--width", "90mm"}},
        {2,
         "--layout: is not for a lecture, whose stops …; leave it out",
         {"talk.lecture", "--out", "a.pdf", "--layout", "figure"}},
        {2,
         "talk.png: unknown type of file; let the name end in .pdf or .html",
         {"talk.lecture", "--out", "talk.png"}});
    REFUSED("view", {2,
                     "talk.lecture: is a lecture, given beside weights.npz; open it alone",
                     {"weights.npz", "talk.lecture", "--out", "a.png"}});
    ran.folder = NULL;
}

TEST_MAIN(make_lectures, remove_folder)
