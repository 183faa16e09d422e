/* saccade scene. */
#include "json.h"

#include "images/png_write.h"
#include "png_texts.h"

static char picture[80]; /* a.png in the folder */

static int enter(void **state)
{
    make_folder(state);
    snprintf(picture, sizeof picture, "%s", here("a.png"));
    return 0;
}

/* The JSON of one scene; cJSON_Delete it. */
static cJSON *scene_json(const char *seed, const char *stream)
{
    cJSON *json =
        JSON_OF("scene", "--dataset", "shapes", "--json", "--seed", seed, "--stream", stream);
    return json;
}

static const cJSON *list_of(const cJSON *json, const char *name)
{
    const cJSON *item = get(json, name);
    assert_true(cJSON_IsArray(item));
    return item;
}

/* ---------------------------------------------------------------- output */

TEST(the_sentence_and_one_line_an_object_are_printed)
{
    DONE("scene", "--dataset", "shapes", "--seed", "1");
    assert_string_equal(
        ran.out,
        "a large red diamond below a small red star and a small blue diamond\n"
        "  large red diamond   x   92.4 to  270.4  y  196.9 to  374.9    15970 pixels seen\n"
        "  small red star      x  212.0 to  290.0  y   67.6 to  146.5     2245 pixels seen\n"
        "  small blue diamond  x  324.6 to  401.5  y  344.5 to  421.4     2990 pixels seen\n");
}

/* Its words are those of the caption, and each belongs to what it names. */
static void check_words(const cJSON *json)
{
    char generated[256] = "";
    const cJSON *word, *objects = list_of(json, "objects");
    cJSON_ArrayForEach(word, list_of(json, "words"))
    {
        const char *text = text_of(word, "word");
        const cJSON *about = get(word, "object");
        snprintf(generated + strlen(generated), sizeof generated - strlen(generated), "%s%s",
                 generated[0] ? " " : "", text);
        const char *const between[] = {"left", "right", "of", "above", "below", "and"};
        bool is_between = false;
        for (int i = 0; i < 6; i++)
            is_between = is_between || strcmp(text, between[i]) == 0;
        assert_int_equal(cJSON_IsNull(about), is_between);
        if (is_between)
            continue;
        const cJSON *object = cJSON_GetArrayItem(objects, (int)number_of(word, "object"));
        assert_non_null(object);
        assert_true(strcmp(text, "a") == 0 || strcmp(text, text_of(object, "size")) == 0 ||
                    strcmp(text, text_of(object, "colour")) == 0 ||
                    strcmp(text, text_of(object, "shape")) == 0);
    }
    assert_string_equal(generated, text_of(json, "caption"));
}

TEST(json_has_all_there_is_to_know)
{
    for (int seed = 0; seed < 6; seed++) {
        char text[16];
        snprintf(text, sizeof text, "%d", seed);
        cJSON *json = scene_json(text, "test");
        assert_true(number_of(json, "seed") == seed);
        assert_true(number_of(json, "side") == 448);
        assert_string_equal(text_of(json, "stream"), "test");
        assert_non_null(strstr("plain graded noisy", text_of(json, "ground")));
        assert_true(cJSON_IsBool(get(json, "unseen_pair")));
        check_words(json);
        const cJSON *object;
        cJSON_ArrayForEach(object, list_of(json, "objects"))
        {
            assert_int_equal(cJSON_GetArraySize(list_of(object, "box")), 4);
            assert_true(number_of(object, "pixels") > 400);
        }
        cJSON_Delete(json);
    }
}

TEST(streams_are_not_the_same)
{
    static const char *const names[] = {"test", "training", "varied", "all-pairs"};
    cJSON *scenes[4];
    for (int i = 0; i < 4; i++) {
        scenes[i] = scene_json("9", names[i]);
        assert_string_equal(text_of(scenes[i], "stream"), names[i]);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(text_of(scenes[i], "caption"), text_of(scenes[k], "caption"));
    }
    for (int i = 0; i < 4; i++)
        cJSON_Delete(scenes[i]);
}

/* ---------------------------------------------------------------- pictures */

TEST_WITH(the_same_seed_gives_the_same_bytes, enter, remove_folder)
{
    char *bytes[2], *out[2];
    size_t sizes[2];
    for (int i = 0; i < 2; i++) {
        DONE("scene", "--dataset", "shapes", "--seed", "77", "--png", picture);
        bytes[i] = file_read(picture, &sizes[i]);
        out[i] = strdup(ran.out);
    }
    assert_string_equal(out[0], out[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    for (int i = 0; i < 2; i++) {
        free(bytes[i]);
        free(out[i]);
    }
}

TEST_WITH(a_picture_holds_its_own_truth, enter, remove_folder)
{
    sac_image image;
    DONE("scene", "--dataset", "shapes", "--seed=5", "--side=100", "--json", "--png", picture);
    ran.out[strlen(ran.out) - 1] = '\0'; /* the line's end */
    assert_png_text(picture, "scene", ran.out);
    assert_png_text(picture, "Software", "Saccade " SAC_VERSION);
    assert_int_equal(sac_image_load(picture, &image, NULL), SAC_OK);
    assert_int_equal(image.width, 100);
    assert_int_equal(image.height, 100);
    sac_image_free(&image);
}

/* Pixels of a plain ground are those of the corner. drawn[4]: box of all others. */
static void find_drawn(const sac_image *image, int drawn[4])
{
    int side = image->width;
    drawn[0] = drawn[1] = side;
    drawn[2] = drawn[3] = 0;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            if (memcmp(image->rgba, image->rgba + 4 * (y * side + x), 4) != 0) {
                drawn[0] = x < drawn[0] ? x : drawn[0];
                drawn[1] = y < drawn[1] ? y : drawn[1];
                drawn[2] = x + 1 > drawn[2] ? x + 1 : drawn[2];
                drawn[3] = y + 1 > drawn[3] ? y + 1 : drawn[3];
            }
}

/* The box that holds all objects of the JSON. */
static void join_boxes(const cJSON *json, double joined[4])
{
    const cJSON *object;
    bool first = true;
    cJSON_ArrayForEach(object, list_of(json, "objects"))
    {
        for (int k = 0; k < 4; k++) {
            double edge = cJSON_GetArrayItem(list_of(object, "box"), k)->valuedouble;
            bool further = k < 2 ? edge < joined[k] : edge > joined[k];
            joined[k] = first || further ? edge : joined[k];
        }
        first = false;
    }
}

TEST_WITH(boxes_are_where_the_objects_are_drawn, enter, remove_folder)
{
    int plain = 0;
    for (int seed = 0; plain < 5; seed++) {
        char text[16];
        int drawn[4];
        double joined[4];
        snprintf(text, sizeof text, "%d", seed);
        cJSON *json =
            JSON_OF("scene", "--dataset", "shapes", "--seed", text, "--json", "--png", picture);
        if (strcmp(text_of(json, "ground"), "plain") == 0) {
            sac_image image;
            assert_int_equal(sac_image_load(picture, &image, NULL), SAC_OK);
            find_drawn(&image, drawn);
            join_boxes(json, joined);
            for (int k = 0; k < 4; k++) /* the pixel in which the edge lies */
                assert_true(fabs(drawn[k] - joined[k]) <= 1.01);
            sac_image_free(&image);
            plain++;
        }
        cJSON_Delete(json);
    }
}

/* ---------------------------------------------------------------- the picture book */

TEST_WITH(a_page_of_the_picture_book_is_reported_word_by_word, enter, remove_folder)
{
    program_run reported = {0}, json = {0};
    run_saccade(&reported, "scene", "--dataset", "book", "--seed", "202", "--stream", "training",
                NULL);
    assert_int_equal(reported.status, 0);
    run_saccade(&json, "scene", "--dataset", "book", "--seed", "202", "--stream", "training",
                "--json", "--png", picture, NULL);
    assert_int_equal(json.status, 0);
    cJSON *root = cJSON_Parse(json.out);
    const cJSON *words = get(root, "words"), *word;
    const char *line = strchr(reported.out, '\n');
    assert_memory_equal(reported.out, text_of(root, "caption"), (size_t)(line - reported.out));
    cJSON_ArrayForEach(word, words)
    {
        const char *text = text_of(word, "word");
        assert_memory_equal(line + 3, text, strlen(text));
        assert_true(cJSON_GetArraySize(get(word, "boxes")) > 0);
        line = strchr(line + 1, '\n');
    }
    cJSON_Delete(root);
}

TEST_WITH(a_sheet_of_the_picture_book_holds_its_scenes_in_rows, enter, remove_folder)
{
    sac_image sheet;
    PASSES("scene", "--dataset", "book", "--sheet", "3x2", "--side", "31", "--png", picture);
    assert_int_equal(sac_image_load(picture, &sheet, NULL), SAC_OK);
    assert_int_equal(sheet.width, 3 * 32 + 1);
    assert_int_equal(sheet.height, 2 * 32 + 1);
    sac_image_free(&sheet);
}

/* ---------------------------------------------------------------- mistakes */

TEST_WITH(mistakes_are_answered_in_one_line, enter, remove_folder)
{
    REFUSED("scene",
            {2, "--seed: \"-1\" is not a valid number; give a whole number…", {"--seed", "-1"}},
            {2, "--dataset: unknown dataset \"moon\"; give shapes or book", {"--dataset", "moon"}},
            {2, "--stream: unknown stream \"train\"; give test, training,…", {"--stream", "train"}},
            {2, "--side: 7 pixels are out of range; give 8 to 8192", {"--side", "7"}},
            {2, "--side: 8193 pixels are out of range; give 8 to 8192", {"--side", "8193"}},
            {2, "--jsn: unknown option; did you mean --json?", {"--jsn"}},
            {2, "7: unexpected argument; usage: saccade scene …", {"7"}},
            {2,
             "--sheet: works with the picture book only; add --dataset book",
             {"--dataset", "shapes", "--sheet", "2x2"}},
            {2,
             "--sheet: needs a picture to write; add --out FILE.png",
             {"--dataset", "book", "--sheet", "3x2"}},
            {2,
             "--stream: the picture book has no varied stream; add --dataset shapes",
             {"--dataset", "book", "--stream", "varied"}});
}

TEST_WITH(a_picture_that_cannot_be_written_is_reported_and_nothing_is_left, enter, remove_folder)
{
    FAILS_WITH(1, "/nonexistent/a.png: cannot be written: No such file", "scene", "--dataset",
               "shapes", "--json", "--png", "/nonexistent/a.png");
    program_run full = {.file_limit = 2000};
    run_saccade(&full, "scene", "--dataset", "shapes", "--png", picture, NULL);
    assert_fails_with(&full, 1, "a.png: cannot be written");
    assert_int_equal(folder_count(folder), 0);
}

/* The type follows the ending, whatever its case; JSON goes into its file and not to stdout. */
TEST_WITH(out_writes_the_format_of_the_ending, enter, remove_folder)
{
    static program_run reported, run;
    size_t size, alias_size;
    run_saccade(&reported, "scene", "--dataset", "shapes", "--json", "--png", here("alias"), NULL);
    run_saccade(&run, "scene", "--dataset", "shapes", "--out", here("a.PNG"), "--out",
                here("b.json"), NULL);
    assert_done(&run);
    assert_string_equal(run.out, "");
    char *json = file_read(here("b.json"), &size);
    assert_int_equal(size, strlen(reported.out));
    assert_memory_equal(json, reported.out, size);
    char *png = file_read(here("a.PNG"), &size);
    char *alias = file_read(here("alias"), &alias_size);
    assert_int_equal(size, alias_size);
    assert_memory_equal(png, alias, size);
    free(json);
    free(png);
    free(alias);
    run_saccade(&run, "scene", "--out", here("a.bmp"), NULL);
    assert_fails_with(&run, 2, ".png or .json");
    assert_int_equal(folder_count(folder), 3);
}

TEST_MAIN(NULL, NULL)
