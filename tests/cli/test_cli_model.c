/* A folder with a model of others on the command line: the tiny ones of tests/reference. */
#include "run.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "images/png_write.h"
#include "png_says.h"
#include "saccade.h"

/* A folder within a folder: a picture names what is beside its own folder by "../", as the project
 * may be. */
static char made[64], folder[80];

static const char *here(const char *name)
{
    return in_folder(folder, name);
}

/* The JSON of a run that wrote NAME.png and NAME.npz too; cJSON_Delete it. */
static cJSON *read_all(const program_run *run, const char *png, const char *npz)
{
    assert_int_equal(run->status, 0);
    if (run->err[0] && !strstr(run->err, ": next: ")) /* is told there beside a picture */
        fail_msg("said beside what was written: %s", run->err);
    assert_int_equal(access(here(png), R_OK) | access(here(npz), R_OK), 0);
    cJSON *json = cJSON_Parse(run->out);
    assert_non_null(json);
    return json;
}

/* All that can be had of a model at once, where no window could be opened. */
#define WRITE_ALL(name, ...)                                                                       \
    ({                                                                                             \
        program_run run_ = {.environment = {"DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"}};     \
        run_saccade(&run_, "--json", "--png", here(name ".png"), "--npz", here(name ".npz"),       \
                    "--size", "640x400", "--device", "cpu", __VA_ARGS__, NULL);                    \
        read_all(&run_, name ".png", name ".npz");                                                 \
    })

/* saw.png is what a model saw in a photograph. */
static int make_files(void **state)
{
    (void)state;
    folder_create(made);
    snprintf(folder, sizeof folder, "%s/run", made);
    assert_int_equal(mkdir(folder, 0700), 0);
    cJSON_Delete(WRITE_ALL("saw", REFERENCES "/vit", PICTURES "/garden.png", "--layer", "2",
                           "--query", "3,1"));
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    folder_remove(folder);
    folder_remove(made);
    return 0;
}

static cJSON *parse(const program_run *run)
{
    assert_done(run);
    cJSON *json = cJSON_Parse(run->out);
    assert_non_null(json);
    return json;
}

static void assert_texts(const cJSON *list, const char *const *expected)
{
    int count = 0;
    for (; expected[count]; count++)
        assert_string_equal(cJSON_GetStringValue(cJSON_GetArrayItem(list, count)), expected[count]);
    assert_int_equal(cJSON_GetArraySize(list), count);
}

static void assert_weights(const char *npz, size_t layers, size_t heads, size_t tokens)
{
    sac_arrays *arrays;
    assert_int_equal(sac_arrays_open(npz, &arrays, NULL), SAC_OK);
    const sac_array *weights = sac_arrays_find(arrays, "attentions");
    const sac_array *words = sac_arrays_find(arrays, "tokens");
    assert_true(weights && words && sac_arrays_find(arrays, "hidden_states"));
    assert_int_equal(sac_array_count(weights), layers * heads * tokens * tokens);
    for (size_t row = 0; row < layers * heads * tokens; row++) {
        double sum = 0;
        for (size_t key = 0; key < tokens; key++)
            sum += ((const float *)weights->data)[row * tokens + key];
        assert_float_equal(sum, 1, 1e-5);
    }
    assert_string_equal(((char **)words->data)[5], "river");
    sac_arrays_close(arrays);
}

TEST(a_text_is_told_in_tokens_and_in_arrays_that_open_again)
{
    program_run run = {0};
    cJSON *json = WRITE_ALL("text", REFERENCES "/bert", "--text", "The bank of the rivers");
    assert_texts(
        cJSON_GetObjectItem(json, "tokens"),
        (const char *const[]){"[CLS]", "the", "bank", "of", "the", "river", "s", "[SEP]", NULL});
    assert_int_equal(cJSON_GetNumberValue(cJSON_GetObjectItem(json, "layers")), 3);
    assert_null(cJSON_GetObjectItem(json, "next"));
    cJSON_Delete(json);
    assert_weights(here("text.npz"), 3, 3, 8);
    run_saccade(&run, here("text.npz"), "--png", here("again.png"), "--size", "640x400", NULL);
    assert_int_equal(run.status, 0);
}

/* What it says is held against transformers in the families' own test. */
TEST(what_comes_next_is_told_and_said)
{
    cJSON *json = WRITE_ALL("next", REFERENCES "/gpt2", "--text", "the bank of", "--continue", "3");
    const cJSON *next = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "next"), 0);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(json, "continuation")),
                        ". the the");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(next, "token")), " the");
    cJSON_Delete(json);
}

TEST(the_same_seed_draws_the_same)
{
    program_run a = {0}, b = {0};
    run_saccade(&a, REFERENCES "/gpt2", "--text", "the", "--continue", "20", "--temperature", "2",
                "--seed", "7", "--json", "--device", "cpu", NULL);
    run_saccade(&b, REFERENCES "/gpt2", "--text", "the", "--continue", "20", "--temperature", "2",
                "--seed", "7", "--json", "--device", "cpu", NULL);
    cJSON *one = parse(&a), *other = parse(&b);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(one, "continuation")),
                        cJSON_GetStringValue(cJSON_GetObjectItem(other, "continuation")));
    cJSON_Delete(one);
    cJSON_Delete(other);
}

/* ---------------------------------------------------------------- pictures */

static int number_at(const cJSON *list, int index)
{
    return (int)cJSON_GetNumberValue(cJSON_GetArrayItem(list, index));
}

static void check_grid(const char *option, int across, int down)
{
    program_run run = {0};
    run_saccade(&run, REFERENCES "/dinov2_with_registers", PICTURES "/harbour.png", "--json",
                "--device", "cpu", option, NULL);
    cJSON *json = parse(&run);
    const cJSON *grid = cJSON_GetObjectItem(json, "grid");
    assert_int_equal(number_at(grid, 0), across);
    assert_int_equal(number_at(grid, 1), down);
    assert_texts(cJSON_GetObjectItem(json, "tokens"),
                 (const char *const[]){"class", "register 1", "register 2", "register 3",
                                       "register 4", NULL});
    cJSON_Delete(json);
}

TEST(a_picture_is_seen_whole_or_as_the_model_was_trained)
{
    check_grid(NULL, 8, 5); /* 960 × 640 */
    check_grid("--as-trained", 5, 5);
}

TEST(arrays_of_a_picture_open_over_it)
{
    program_run run = {0};
    run_saccade(&run, REFERENCES "/vit", PICTURES "/garden.png", "--npz", here("seen.npz"),
                "--device", "cpu", NULL);
    assert_done(&run);
    run_saccade(&run, here("seen.npz"), "--png", here("seen.png"), "--size", "640x400", NULL);
    assert_int_equal(run.status, 0);
}

/* Writes into `again` what the program shows of the picture `png` that it made. */
static void open_again(const char *png, const char *again)
{
    program_run run = {0};
    run_saccade(&run, png, "--follow", "--png", again, "--size", "640x400", "--device", "cpu",
                NULL);
    assert_done(&run);
}

/* The folder and the picture are in the PNG. */
TEST(a_picture_of_what_a_model_saw_opens_as_that)
{
    open_again(here("saw.png"), here("again.png"));
    for (int i = 0; i < 6; i++) {
        static const char *const keys[] = {"view", "file", "image", "layer", "query", "grid"};
        char *was = png_text(here("saw.png"), keys[i]);
        assert_true(was && was[0]);
        assert_png_says(here("again.png"), keys[i], was);
        free(was);
    }
}

/* Beside a folder it is a picture like others. */
TEST(a_model_sees_a_picture_that_was_saved_as_it_is)
{
    program_run run = {0};
    char saved[96], seen[96];
    snprintf(saved, sizeof saved, "%s", here("saw.png"));
    snprintf(seen, sizeof seen, "%s", here("seen.png"));
    run_saccade(&run, REFERENCES "/dinov2", saved, "--png", seen, "--size", "640x400", "--device",
                "cpu", NULL);
    assert_done(&run);
    assert_png_says(seen, "file", REFERENCES "/dinov2");
    assert_png_says(seen, "image", "saw.png"); /* beside it */
    run_saccade(&run, REFERENCES "/dinov2", PICTURES "/garden.png", saved, "--png", seen, "--size",
                "640x400", "--device", "cpu", NULL);
    assert_done(&run);
    assert_png_says(seen, "second image", "saw.png");
}

TEST(a_mistake_with_a_picture_is_one_line)
{
    program_run run = {0};
    run_saccade(&run, REFERENCES "/vit", "--json", NULL);
    assert_fails_saying(&run, 2,
                        "is a vision model and needs a picture; give the folder and a picture");
    run_saccade(&run, REFERENCES "/vit", REFERENCES "/vit/config.json", "--json", NULL);
    assert_fails_saying(&run, 1, "config.json");
}

/* The left and the right half of garden.png, of 870 × 580 pixels, and all of it. */
#define HALVES                                                                                     \
    "{\"objects\":[{\"words\":[\"left\"],\"boxes\":[[0,0,435,580]]},"                              \
    "{\"words\":[\"right\"],\"boxes\":[[435,0,870,580]]},"                                         \
    "{\"words\":[\"all\"],\"boxes\":[[0,0,870,580]]}]}"

static double of_head(const cJSON *object, const char *name, int layer, int head)
{
    const cJSON *heads = cJSON_GetArrayItem(cJSON_GetObjectItem(object, name), layer);
    const cJSON *item = cJSON_GetArrayItem(heads, head);
    assert_non_null(item);
    return cJSON_IsBool(item) ? cJSON_IsTrue(item) : cJSON_GetNumberValue(item);
}

TEST(each_head_s_gaze_at_a_picture_is_held_to_boxes)
{
    program_run run = {0};
    file_write(here("halves.json"), HALVES, strlen(HALVES));
    run_saccade(&run, REFERENCES "/vit", PICTURES "/garden.png", "--boxes", here("halves.json"),
                "--json", "--device", "cpu", NULL);
    cJSON *json = parse(&run), *objects = cJSON_GetObjectItem(json, "objects");
    const cJSON *left = cJSON_GetArrayItem(objects, 0), *right = cJSON_GetArrayItem(objects, 1);
    const cJSON *all = cJSON_GetArrayItem(objects, 2);
    assert_int_equal(cJSON_GetArraySize(objects), 3);
    assert_float_equal(cJSON_GetNumberValue(cJSON_GetObjectItem(left, "box_share")), 0.5, 1e-6);
    for (int i = 0; i < 9; i++) {
        int layer = i / 3, head = i % 3;
        double mass = of_head(left, "mass", layer, head);
        assert_true(mass > 0 && mass < 1);
        assert_float_equal(mass + of_head(right, "mass", layer, head), 1, 1e-5);
        assert_float_equal(of_head(all, "mass", layer, head), 1, 1e-5);
        assert_true(of_head(all, "inside", layer, head) == 1);
        assert_true(of_head(left, "inside", layer, head) + of_head(right, "inside", layer, head) ==
                    1);
    }
    cJSON_Delete(json);
}

/* Of one model, and of two side by side. */
TEST(boxes_are_shown_in_pictures_of_what_only_sees)
{
    program_run run = {0};
    char png[96], boxes[96];
    snprintf(png, sizeof png, "%s", here("boxed.png"));
    snprintf(boxes, sizeof boxes, "%s", here("halves.json"));
    file_write(boxes, HALVES, strlen(HALVES));
    run_saccade(&run, REFERENCES "/vit", PICTURES "/garden.png", "--boxes", boxes, "--png", png,
                "--device", "cpu", NULL);
    assert_done(&run);
    assert_png_says(png, "truth", "on");
    run_saccade(&run, REFERENCES "/vit", REFERENCES "/dinov2", PICTURES "/garden.png", "--boxes",
                boxes, "--png", png, "--device", "cpu", NULL);
    assert_done(&run);
    assert_png_says(png, "view", "heads");
    assert_png_says(png, "truth", "on");
}

TEST(pictures_are_told_one_after_the_other)
{
    program_run run = {0};
    run_saccade(&run, REFERENCES "/vit", PICTURES, "--json", "--device", "cpu", NULL);
    assert_done(&run);
    const char *first = strstr(run.out, "vit, garden.png"), *next = strstr(run.out, "\n}\n{\n");
    assert_true(first && next && first < next && strstr(next, "vit, harbour.png"));
}

TEST(a_mistake_with_boxes_is_one_line)
{
    program_run run = {0};
    file_write(here("halves.json"), HALVES, strlen(HALVES));
    run_saccade(&run, REFERENCES "/bert", "--boxes", here("halves.json"), "--json", NULL);
    assert_fails_saying(&run, 2, "--boxes: needs a picture, but ");
    run_saccade(&run, REFERENCES "/vit", PICTURES "/garden.png", "--as-trained", "--boxes",
                here("halves.json"), "--json", NULL);
    assert_fails(&run, 2, "--boxes: refers to the whole picture; leave out --as-trained");
    run_saccade(&run, REFERENCES "/vit", PICTURES, "--boxes", here("halves.json"), "--json", NULL);
    assert_fails_saying(&run, 2, "--boxes: works with one picture, but ");
    run_saccade(&run, REFERENCES "/vit", PICTURES "/garden.png", "--boxes", PICTURES "/garden.png",
                "--json", NULL);
    assert_int_equal(run.status, 1);
}

TEST(a_mistake_is_one_line)
{
    program_run run = {0};
    run_saccade(&run, REFERENCES "/bert", "--text", "a", "--continue", "3", "--json", NULL);
    assert_fails(&run, 2, "bert: has no language-model head; leave out --continue");
    run_saccade(&run, REFERENCES "/bert", PICTURES "/garden.png", "--json", NULL);
    assert_fails_saying(&run, 2, "is given, but the model reads text");
    run_saccade(&run, REFERENCES "/bert", "--layer", "3", "--png", here("no.png"), NULL);
    assert_fails(&run, 2, "--layer: 3 …; layer goes from 0 to 2 in bert");
    run_saccade(&run, PICTURES "/garden.png", "--json", NULL);
    assert_fails(&run, 2, "--json: needs a pretrained model; give a folder with config.json");
}

/* ---------------------------------------------------------------- side by side */

static void check_pair(const char *files[3], const char *second_file, const char *second_image)
{
    program_run run = {0};
    char first[96], again[96];
    snprintf(first, sizeof first, "%s", here("first.png"));
    snprintf(again, sizeof again, "%s", here("again.png"));
    run_saccade(&run, files[0], files[1], files[2], "--layer", "2", "--head", "1", "--query", "3,1",
                "--png", first, "--size", "800x500", "--device", "cpu", NULL);
    assert_done(&run);
    assert_png_says(first, "view", "heads");
    assert_png_says(first, "second layer", "2");
    assert_png_says(first, "second head", "1");
    assert_png_says(first, "second file", second_file);
    assert_png_says(first, "second image", second_image);
    run_saccade(&run, first, "--follow", "--png", again, "--size", "800x500", "--device", "cpu",
                NULL);
    assert_int_equal(run.status, 0);
    assert_same_pixels(first, again);
}

TEST(two_photographs_stand_side_by_side_and_open_again)
{
    const char *files[3] = {REFERENCES "/vit", PICTURES "/garden.png", PICTURES "/harbour.png"};
    check_pair(files, REFERENCES "/vit", PICTURES "/harbour.png");
}

TEST(two_models_stand_side_by_side_and_open_again)
{
    const char *files[3] = {REFERENCES "/vit", REFERENCES "/dinov2", PICTURES "/garden.png"};
    check_pair(files, REFERENCES "/dinov2", PICTURES "/garden.png");
}

/* Else it says what is in each, as below. */
TEST(a_captioner_s_pictures_stand_so_where_that_is_asked_for)
{
    program_run run = {0};
    char png[96];
    snprintf(png, sizeof png, "%s", here("eyes.png"));
    run_saccade(&run, REFERENCES "/blip", PICTURES "/garden.png", PICTURES "/harbour.png", "--tab",
                "pair", "--png", png, "--size", "640x400", "--device", "cpu", NULL);
    assert_done(&run);
    assert_png_says(png, "view", "heads");
}

/* ---------------------------------------------------------------- two captions */

/* The sentence of a run's line of JSON. */
static void take_sentence(const char *line, char *text, size_t size)
{
    cJSON *json = cJSON_Parse(line);
    assert_non_null(json);
    snprintf(text, size, "%s", cJSON_GetStringValue(cJSON_GetObjectItem(json, "caption")));
    cJSON_Delete(json);
}

/* What a model says of a picture alone; each is asked once. */
static const char *alone(const char *model, const char *picture)
{
    static struct {
        const char *model, *picture;
        char said[512];
    } asked[8];
    program_run run = {0};
    size_t i = 0;
    for (; i < sizeof asked / sizeof *asked && asked[i].model; i++)
        if (strcmp(asked[i].model, model) == 0 && strcmp(asked[i].picture, picture) == 0)
            return asked[i].said;
    assert_true(i < sizeof asked / sizeof *asked);
    run_saccade(&run, model, picture, "--json", "--device", "cpu", NULL);
    assert_done(&run);
    take_sentence(run.out, asked[i].said, sizeof asked[i].said);
    asked[i].model = model;
    asked[i].picture = picture;
    return asked[i].said;
}

static void assert_same_bytes(const char *path, const char *other)
{
    char command[256];
    snprintf(command, sizeof command, "cmp '%s' '%s'", path, other);
    assert_int_equal(system(command), 0);
}

/* Each line of JSON says what its model says of its picture alone. */
static void assert_sentences(const char *lines, const char *files[3], const char *second_file)
{
    bool models = second_file != files[0];
    const char *expected[] = {alone(files[0], files[models ? 2 : 1]), alone(second_file, files[2])};
    for (int i = 0; i < 2; i++, lines = strchr(lines, '\n') + 1) {
        char together[512];
        take_sentence(lines, together, sizeof together);
        assert_string_equal(together, expected[i]);
    }
}

/* What two say is what each says alone, in JSON and in the rows of the table that is shown; and the
 * picture of it opens as that. */
static void check_two_captions(const char *files[3], const char *second_file)
{
    program_run run = {0};
    char first[96], again[96], tables[2][96];
    snprintf(first, sizeof first, "%s", here("two.png"));
    snprintf(again, sizeof again, "%s", here("two again.png"));
    for (int i = 0; i < 2; i++)
        snprintf(tables[i], sizeof tables[i], "%s", here(i ? "b.tsv" : "a.tsv"));
    run_saccade(&run, files[0], files[1], files[2], "--json", "--layer", "1", "--head", "2",
                "--png", first, "--tsv", tables[0], "--size", "640x400", "--device", "cpu", NULL);
    assert_done(&run);
    assert_sentences(run.out, files, second_file);
    assert_png_says(first, "view", "caption");
    assert_png_says(first, "second file", second_file);
    assert_png_says(first, "second image", files[2]);
    run_saccade(&run, first, "--follow", "--png", again, "--tsv", tables[1], "--size", "640x400",
                "--device", "cpu", NULL);
    assert_int_equal(run.status, 0);
    assert_png_says(again, "layer", "1");
    assert_png_says(again, "second file", second_file);
    assert_same_bytes(tables[0], tables[1]);
}

TEST(two_photographs_captions_stand_side_by_side_and_open_again)
{
    const char *files[3] = {REFERENCES "/blip", PICTURES "/garden.png", PICTURES "/harbour.png"};
    check_two_captions(files, files[0]);
}

TEST(two_captioners_stand_side_by_side_and_open_again)
{
    const char *of_layers[3] = {REFERENCES "/blip", REFERENCES "/vit_gpt2",
                                PICTURES "/harbour.png"};
    check_two_captions(of_layers, of_layers[1]);
    const char *without[3] = {REFERENCES "/blip", REFERENCES "/show_attend_tell",
                              PICTURES "/harbour.png"};
    check_two_captions(without, without[1]);
}

/* The frames of the longer sentence. */
TEST(two_captions_are_played_as_one)
{
    program_run run = {0};
    char apng[96];
    snprintf(apng, sizeof apng, "%s", here("two.apng"));
    run_saccade(&run, REFERENCES "/blip", REFERENCES "/vit_gpt2", PICTURES "/harbour.png", "--apng",
                apng, "--size", "320x200", "--fps", "5", "--device", "cpu", NULL);
    assert_done(&run);
    assert_png_says(apng, "view", "caption");
}

TEST(what_cannot_be_said_side_by_side_is_one_line)
{
    static const struct {
        const char *files[3], *options[3], *line;
    } tried[] = {
        {{REFERENCES "/vit", REFERENCES "/blip", PICTURES "/garden.png"},
         {"--tab", "caption"},
         "--tab: \"caption\" is not available here; there is: matrix, heads"},
        {{REFERENCES "/show_attend_tell", REFERENCES "/vit", PICTURES "/garden.png"},
         {NULL},
         REFERENCES "/show_attend_tell: …cannot be compared with " REFERENCES
                    "/vit; give two vision models"},
        {{REFERENCES "/blip", PICTURES "/garden.png", PICTURES "/harbour.png"},
         {"--boxes", "boxes.json"},
         "--boxes: works with one picture, but two are given; leave it out"},
        {{REFERENCES "/blip", REFERENCES "/vit_gpt2", PICTURES "/garden.png"},
         {"--npz", "no.npz"},
         "--npz: works with one model and one picture; give one folder and one picture"},
        {{REFERENCES "/blip", PICTURES "/garden.png", PICTURES "/harbour.png"},
         {"--layer", "7"},
         "--layer: 7 …; layer goes from 0 to 1 in blip, garden.png"},
    };
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        program_run run = {0};
        const char *const *f = tried[i].files, *const *o = tried[i].options;
        run_saccade(&run, "--png", here("no.png"), "--device", "cpu", f[0], f[1], f[2], o[0], o[1],
                    NULL);
        assert_fails(&run, 2, tried[i].line);
    }
}

TEST(what_cannot_stand_side_by_side_is_one_line)
{
    static const struct {
        const char *files[6], *line;
    } tried[] = {
        {{REFERENCES "/vit", REFERENCES "/bert", PICTURES "/garden.png"},
         REFERENCES "/bert: …cannot be compared with " REFERENCES "/vit; give two vision models"},
        {{REFERENCES "/marian", REFERENCES "/vit", PICTURES "/garden.png"},
         REFERENCES "/marian: …cannot be compared with " REFERENCES "/vit; give two vision models"},
        {{REFERENCES "/vit", REFERENCES "/dinov2"},
         REFERENCES "/dinov2: cannot be compared (models: 2, pictures: 0); "
                    "give a folder and two pictures, or two folders and a picture"},
        {{REFERENCES "/vit", PICTURES "/garden.png", PICTURES "/garden.png", PICTURES "/garden.png",
          "--tab", "pair"},
         REFERENCES "/vit: cannot be compared (models: 1, pictures: 3); "
                    "give a folder and two pictures, or two folders and a picture"},
        {{REFERENCES "/vit", PICTURES "/garden.png", "none.png"},
         "none.png: cannot be opened: No such file or directory; check the name"},
    };
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        program_run run = {0};
        const char *const *f = tried[i].files;
        run_saccade(&run, "--png", here("no.png"), "--device", "cpu", f[0], f[1], f[2], f[3], f[4],
                    f[5], NULL);
        assert_fails(&run, i < 4 ? 2 : 1, tried[i].line);
    }
}

/* What it says is held against transformers in the families' own test. */
TEST(a_captioner_says_what_is_in_a_photograph_and_where_it_looked)
{
    program_run run = {0};
    sac_arrays *arrays;
    sac_error error = {0};
    char npz[96];
    snprintf(npz, sizeof npz, "%s", here("said.npz"));
    run_saccade(&run, "caption", "--weights", REFERENCES "/blip", PICTURES "/harbour.png", "--json",
                "--npz", npz, "--layer", "1", "--head", "0", "--device", "cpu", NULL);
    cJSON *json = parse(&run);
    int count = cJSON_GetArraySize(cJSON_GetObjectItem(json, "words"));
    assert_true(count > 0);
    assert_int_equal(sac_arrays_open(npz, &arrays, &error), SAC_OK);
    const sac_array *weights = sac_arrays_find(arrays, "weights");
    assert_int_equal(sac_array_count(weights), count * 5 * 5);
    cJSON *same = WRITE_ALL("said too", REFERENCES "/blip", PICTURES "/harbour.png");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(same, "caption")),
                        cJSON_GetStringValue(cJSON_GetObjectItem(json, "caption")));
    sac_arrays_close(arrays);
    cJSON_Delete(json);
    cJSON_Delete(same);
}

TEST(a_picture_of_a_caption_opens_as_that)
{
    program_run run = {0};
    char first[96], again[96];
    snprintf(first, sizeof first, "%s", here("caption.png"));
    snprintf(again, sizeof again, "%s", here("again.png"));
    run_saccade(&run, "caption", "--weights", REFERENCES "/vit_gpt2", PICTURES "/harbour.png",
                "--layer", "1", "--png", first, "--size", "640x400", "--device", "cpu", NULL);
    assert_done(&run);
    open_again(first, again);
    assert_png_says(again, "view", "caption");
    assert_png_says(again, "layer", "1");
}

/* Asks the folder `name` once more, with `beams` sentences in its generation_config.json. */
static const char *with_beams(const char *name, int beams)
{
    char command[512];
    snprintf(command, sizeof command,
             "cp -r %s/%s %s/%s && sed -i 's/\"num_beams\": [0-9]*/\"num_beams\": %d/' "
             "%s/%s/generation_config.json",
             REFERENCES, name, folder, name, beams, folder, name);
    assert_int_equal(system(command), 0);
    return here(name);
}

/* A window that searched with another beam than the command line would say another sentence. */
TEST(a_view_searches_as_the_folder_says)
{
    program_run run = {0};
    char model[96], png[96];
    snprintf(model, sizeof model, "%s", with_beams("vit_gpt2", 7));
    snprintf(png, sizeof png, "%s", here("wide.png"));
    run_saccade(&run, model, PICTURES "/harbour.png", "--png", png, "--size", "640x400", "--device",
                "cpu", NULL);
    assert_done(&run);
    assert_png_says(png, "beam", "7");
    run_saccade(&run, model, PICTURES "/harbour.png", "--png", png, "--size", "640x400", "--beam",
                "2", "--device", "cpu", NULL);
    assert_done(&run);
    assert_png_says(png, "beam", "2");
    folder_remove(model);
}

TEST(a_picture_of_a_translation_opens_with_its_folder)
{
    cJSON_Delete(WRITE_ALL("translated", REFERENCES "/marian", "--text", "the cat sees"));
    assert_png_says(here("translated.png"), "beam", "4"); /* its generation_config.json's */
    open_again(here("translated.png"), here("again.png"));
    assert_png_says(here("again.png"), "view", "translation");
    assert_png_says(here("again.png"), "model", "marian");
    assert_png_says(here("again.png"), "sentence", "the cat sees");
}

TEST(the_halves_of_a_translator_are_there_head_by_head)
{
    program_run run = {0};
    char png[96], again[96];
    snprintf(png, sizeof png, "%s", here("decoder.png"));
    snprintf(again, sizeof again, "%s", here("decoder again.png"));
    run_saccade(&run, REFERENCES "/marian", "--text", "the cat sees", "--take", "decoder", "--head",
                "2", "--png", png, "--size", "640x400", "--device", "cpu", NULL);
    assert_done(&run);
    run_saccade(&run, png, "--follow", "--png", again, "--size", "640x400", "--device", "cpu",
                NULL);
    assert_int_equal(run.status, 0);
    assert_png_says(again, "view", "heads");
    assert_png_says(again, "array", "decoder");
    assert_png_says(again, "head", "2");
}

static void write_boxes(const char *path, const char *word)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "{\"objects\":[{\"words\":[\"%s\"],\"boxes\":[[0,0,40,40]]}]}", word);
    assert_int_equal(fclose(file), 0);
}

/* The first word that it says is held to a box of the picture's upper left. */
TEST(its_gaze_is_held_to_boxes)
{
    program_run run = {0};
    char boxes[96], word[512];
    snprintf(boxes, sizeof boxes, "%s", here("boxes.json"));
    snprintf(word, sizeof word, "%s", alone(REFERENCES "/blip", PICTURES "/harbour.png"));
    word[strcspn(word, " ")] = '\0';
    write_boxes(boxes, word);
    run_saccade(&run, "caption", "--weights", REFERENCES "/blip", PICTURES "/harbour.png", "--json",
                "--boxes", boxes, "--device", "cpu", NULL);
    cJSON *json = parse(&run);
    const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "words"), 0);
    double mass = cJSON_GetNumberValue(cJSON_GetObjectItem(first, "mass"));
    assert_true(mass > 0 && mass < 1);
    assert_null(cJSON_GetObjectItem(cJSON_GetObjectItem(json, "truth"), "exact"));
    cJSON_Delete(json);
    run_saccade(&run, REFERENCES "/blip", PICTURES "/harbour.png", "--boxes", boxes, "--truth",
                "on", "--png", here("boxes.png"), "--device", "cpu", NULL);
    assert_done(&run);
}

TEST(a_mistake_with_a_captioner_is_one_line)
{
    program_run run = {0};
    run_saccade(&run, "caption", PICTURES "/harbour.png", "--boxes", "none.json", NULL);
    assert_fails_saying(&run, 2, "--boxes: needs a pretrained captioner");
    run_saccade(&run, PICTURES "/harbour.png", "--boxes", "none.json", "--png", here("no.png"),
                NULL);
    assert_fails_saying(&run, 2, "--boxes: needs a pretrained model and a picture");
    run_saccade(&run, REFERENCES "/blip", PICTURES "/harbour.png", "--continue", "3", "--json",
                "--device", "cpu", NULL);
    assert_fails_saying(&run, 2, "--continue: needs a text model");
    run_saccade(&run, "caption", "--weights", REFERENCES "/blip", PICTURES "/harbour.png",
                "--boxes", "none.json", "--device", "cpu", NULL);
    assert_fails_saying(&run, 1, "none.json");
    run_saccade(&run, "caption", "--weights", REFERENCES "/blip", PICTURES "/harbour.png",
                "--layer", "2", "--device", "cpu", NULL);
    assert_fails_saying(&run, 2, "layer: 2 is out of range; layer goes from 0 to 1");
    run_saccade(&run, "caption", "--weights", REFERENCES "/vit", PICTURES "/harbour.png",
                "--device", "cpu", NULL);
    assert_fails_saying(&run, 2, "is not a captioner");
}

TEST_MAIN(make_files, remove_folder)
