/* A captioner of photographs: it learns a few pictures by heart, its features are computed once,
 * and what is stopped goes on to the last bit. Its network has random weights. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "architectures/architectures.h"
#include "base/array.h"
#include "base/cancel.h"
#include "base/notice.h"
#include "base/random/random.h"
#include "captioner/captioner.h"
#include "captioner/decode/encode.h"
#include "captioner/learn/learn.h"
#include "captioner/photographs/album.h"
#include "captioner/photographs/domain.h"
#include "captioner/source/source.h"
#include "extent.h"
#include "images/png_write.h"
#include "models/checkpoint.h"
#include "models/monitor.h"
#include "models/train.h"
#include "random_network.h"

enum { PICTURES = 6, SIDE = 64, PICTURE_SIDE = 20 };

static const char *const captions[PICTURES] = {"a dog runs",       "two cats sleep on a bed",
                                               "a red boat",       "a man left of a tree",
                                               "the sea at night", "children play"};

static char folder[] = "/tmp/saccade-photographs-XXXXXX";

/* "FOLDER/NAME", in one of a few places in turn. */
static const char *in_folder(const char *name)
{
    static char paths[16][96];
    static int next;
    char *path = paths[next++ % 16];
    snprintf(path, sizeof *paths, "%s/%s", folder, name);
    return path;
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Colours in stripes, other ones in each. */
static void write_picture(int number)
{
    char name[16];
    sac_image image;
    OK(sac_image_create(PICTURE_SIDE, PICTURE_SIDE, &image, &failure));
    for (int i = 0; i < 4 * PICTURE_SIDE * PICTURE_SIDE; i++) {
        uint32_t stripe = (uint32_t)(i / 4 % PICTURE_SIDE / (number + 2));
        image.rgba[i] =
            i % 4 == 3 ? 255 : (uint8_t)sac_philox(stripe, (uint32_t)(i % 4), (uint32_t)number);
    }
    snprintf(name, sizeof name, "%d.png", number);
    OK(sac_png_save(in_folder(name), &image, NULL, 0, &failure));
    sac_image_free(&image);
}

/* Three times as wide as high, and white in its upper quarter. */
static void write_wide(const char *name)
{
    enum { WIDE = 120, HIGH = 40 };
    sac_image image;
    OK(sac_image_create(WIDE, HIGH, &image, &failure));
    for (int i = 0; i < 4 * WIDE * HIGH; i++)
        image.rgba[i] = i % 4 == 3 || i < WIDE * HIGH ? 255 : 0;
    OK(sac_png_save(in_folder(name), &image, NULL, 0, &failure));
    sac_image_free(&image);
}

static int open_all(void **state)
{
    char text[1024] = "image,caption\n";
    size_t used = strlen(text);
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < PICTURES; i++) {
        write_picture(i);
        used += (size_t)snprintf(text + used, sizeof text - used, "%d.png,%s\n%d.png,%s again\n", i,
                                 captions[i], i, captions[i]);
    }
    write_text("captions.csv", text);
    write_text("val.txt", "5.png\n");
    return open_device(state);
}

static int close_all(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return close_device(state) || system(command);
}

/* ---------------------------------------------------------------- a captioner and its options */

static int option(const char *name)
{
    for (int i = 0; sac_captioner_class.options[i].name; i++)
        if (strcmp(sac_captioner_class.options[i].name, name) == 0)
            return i;
    fail_msg("no option %s", name);
    return -1;
}

static void give(sac_model_values *values, const char *name, float value)
{
    values->value[option(name)] = value;
    values->given[option(name)] = true;
}

/* All that is random in learning is left out. */
static sac_model_values options(const char *cache)
{
    sac_model_values values = sac_model_defaults(&sac_captioner_class);
    values.text[0][option("pictures")] = folder;
    values.text[0][option("captions")] = in_folder("captions.csv");
    values.text[0][option("val")] = in_folder("val.txt");
    values.text[0][option("cache")] = in_folder(cache);
    give(&values, "word-count", 1);
    give(&values, "views", 1);
    give(&values, "attention-supervision", 0);
    give(&values, "word-dropout", 0);
    give(&values, "grid-dropout", 0);
    return values;
}

static sac_training_options training(size_t steps, const char *out, const char *cache)
{
    return (sac_training_options){
        .steps = steps, .batch = 3, .seed = 5, .rate = 0.02f, .values = options(cache), .out = out};
}

/* Its last `learning` blocks learn. */
static sac_captioner *create_with(bool layers, int learning)
{
    static const char *const words[] = {"a",     "again", "dog",      "runs", "two",  "cats",
                                        "sleep", "on",    "bed",      "red",  "boat", "man",
                                        "left",  "right", "of",       "tree", "the",  "sea",
                                        "at",    "night", "children", "play"};
    sac_captioner *captioner;
    sac_caption_vocabulary table;
    OK(sac_caption_vocabulary_create(words, sizeof words / sizeof *words, &table, &failure));
    sac_captioner_words *list = sac_captioner_words_create(&table);
    sac_captioner_shape shape =
        layers ? sac_captioner_layered_shape("lite0", list)
               : sac_captioner_photograph_shape("lite0", list, SAC_SCORE_ADDITIVE);
    sac_captioner_words_free(list);
    shape.side = SIDE;
    shape.network.detail = 32;
    shape.network.features = 24;
    if (layers) {
        shape.stack.layers = 2;
        shape.stack.heads = 3;
        shape.stack.hidden = 40;
    } else {
        shape.attention = 16;
        shape.hidden = shape.embedding = 32;
    }
    shape.network.learning = learning;
    OK(sac_captioner_create(device, &shape, 3, &captioner, &failure));
    sac_captioner_shape_free(&shape);
    network_at_random(captioner);
    return captioner;
}

static sac_captioner *create(void)
{
    return create_with(false, 0);
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void assert_same_file(const char *a, const char *b)
{
    size_t size, other_size;
    char *bytes = read_file(a, &size), *other = read_file(b, &other_size);
    assert_int_equal(size, other_size);
    assert_memory_equal(bytes, other, size);
    free(bytes);
    free(other);
}

static sac_captioner_shape shape_of_words(const char *const *list, int count, bool english)
{
    sac_caption_vocabulary table;
    OK(sac_caption_vocabulary_create(list, count, &table, &failure));
    sac_captioner_words *words = sac_captioner_words_create(&table);
    words->english = english;
    sac_captioner_shape shape = sac_captioner_photograph_shape("lite0", words, SAC_SCORE_ADDITIVE);
    sac_captioner_words_free(words);
    return shape;
}

/* English content words occur once; captions of characters are longer, and repeat more. */
TEST(rules_for_captions_are_those_of_the_language)
{
    static const char *const english[] = {"a", "dog", "the"};
    static const char *const german[] = {"ein", "hund", "auf", "der", "wiese"};
    static const char *const chinese[] = {"一", "只", "狗", "t"};
    sac_captioner_shape shape = shape_of_words(english, 3, true);
    assert_true(shape.once && shape.words->once[SAC_VOCABULARY_MARKS + 1]);
    assert_false(shape.words->once[SAC_VOCABULARY_MARKS + 2]);
    assert_int_equal(shape.longest, 20);
    char *text = sac_captioner_describe(&shape);
    assert_non_null(strstr(text, "\"once\":\"content\""));
    free(text);
    sac_captioner_shape_free(&shape);
    shape = shape_of_words(german, 5, false);
    assert_false(shape.once);
    assert_int_equal(shape.no_repeat, 3);
    sac_captioner_shape_free(&shape);
    shape = shape_of_words(chinese, 4, false);
    assert_false(shape.once);
    assert_int_equal(shape.no_repeat, 6);
    assert_int_equal(shape.longest, 40);
    sac_captioner_shape_free(&shape);
}

/* ---------------------------------------------------------------- boxes */

/* A black picture with a white rectangle, which is the box of a dog. */
static void write_boxed(void)
{
    enum { BOXED = 40, LEFT = 8, TOP = 20, WIDE = 14, HIGH = 18 };
    sac_image image;
    OK(sac_image_create(BOXED, BOXED, &image, &failure));
    for (int i = 0; i < BOXED * BOXED; i++) {
        int x = i % BOXED - LEFT, y = i / BOXED - TOP;
        bool inside = x >= 0 && x < WIDE && y >= 0 && y < HIGH;
        memset(image.rgba + 4 * (size_t)i, inside ? 255 : 0, 4);
        image.rgba[4 * i + 3] = 255;
    }
    mkdir(in_folder("boxed"), 0700);
    OK(sac_png_save(in_folder("boxed/dog.png"), &image, NULL, 0, &failure));
    sac_image_free(&image);
    write_text("boxed.csv", "image,caption,split\ndog.png,a dog runs,train\n");
    write_text(
        "boxed.json",
        "{\"images\": [{\"id\": 7, \"file_name\": \"dog.png\", \"width\": 40, \"height\": 40}],"
        "\"categories\": [{\"id\": 3, \"name\": \"dog\"}, {\"id\": 4, \"name\": \"boat\"}],"
        "\"annotations\": [{\"image_id\": 7, \"category_id\": 3, \"bbox\": [8, 20, 14, 18]}]}");
}

/* In the picture as it is, mirrored, cut, and both. */
TEST(boxes_lie_where_each_view_shows_the_thing)
{
    enum { GRID = 8, EACH = SIDE / GRID, VIEWS = 8 };
    write_boxed();
    sac_captioner *c = create();
    const sac_album_options asked = {
        .pictures.sets = {{.folder = in_folder("boxed"), .captions = in_folder("boxed.csv")}},
        .boxes = in_folder("boxed.json")};
    OK(sac_album_open(c, &asked, &failure));
    const int dog = sac_caption_vocabulary_find(&c->shape.words->table, "dog", 3);
    const int boat = sac_caption_vocabulary_find(&c->shape.words->table, "boat", 4);
    float *pixels = malloc(sac_album_grid_numbers(c) * sizeof *pixels), cover[GRID * GRID];
    assert_int_equal(sac_album_grid_numbers(c), SIDE * SIDE * 3);
    for (int view = 0; view < VIEWS; view++) {
        OK(sac_album_grid(c->album, 0, view, pixels, &failure));
        const float black = -1, white = 1; /* as EfficientNet-Lite takes them, nearly */
        assert_true(sac_album_cover(c->album, 0, view, dog, GRID, cover));
        for (int n = 0; n < GRID * GRID; n++) {
            float sum = 0;
            for (int i = 0; i < EACH * EACH; i++) {
                int x = n % GRID * EACH + i % EACH, y = n / GRID * EACH + i / EACH;
                sum += (pixels[3 * (y * SIDE + x)] - black) / (white - black);
            }
            assert_float_equal(cover[n], sum / (EACH * EACH), 0.1);
        }
        assert_false(sac_album_cover(c->album, 0, view, boat, GRID, cover));
    }
    free(pixels);
    sac_captioner_destroy(c);
}

/* The language is that of the captions, however few they are and whatever words the vocabulary keeps. */
TEST(captions_are_english_where_their_words_are)
{
    static const struct {
        bool english;
        const char *text;
    } all[] = {
        {true, "a dog runs"},
        {true, "two dogs play with a ball in the grass\nA man sits on a bench\nchildren laugh"},
        {true, "the boats are at sea by night"},
        {false, "un chien court dans l'herbe\nun homme a un chapeau\nla mer, la nuit"},
        {false, "ein Hund rennt in den Wald\nzwei Kinder am Meer, an einem Tag im Sommer"},
        {false, "een hond is op het gras\ntwee kinderen spelen in het water of over de bal"},
        {false, "um cachorro corre na grama\na menina e as flores\no menino a correr"},
        {false, "egy kutya fut a fűben\nkét gyerek labdázik a parton"},
        {false, "un perro corre por la hierba\na la playa van dos niños"},
        {false, "一只狗在草地上跑"},
        {false, "собака бежит по траве"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        sac_picture_caption list[4] = {0};
        sac_captioned_picture item = {.captions = list};
        const sac_pictures pictures = {.items = &item, .count = 1};
        char *text = strdup(all[i].text), *rest = NULL;
        for (char *t = strtok_r(text, "\n", &rest); t; t = strtok_r(NULL, "\n", &rest))
            list[item.caption_count++].plain = sac_caption_plain(t);
        if (sac_captions_are_english(&pictures) != all[i].english)
            fail_msg("%s", all[i].text);
        for (int k = 0; k < item.caption_count; k++)
            free(list[k].plain);
        free(text);
    }
}

/* ---------------------------------------------------------------- learning */

static void assert_message(sac_captioner *c, int number, const char *wanted)
{
    char name[16], text[256] = "";
    sac_image image, square;
    sac_result caption;
    snprintf(name, sizeof name, "%d.png", number);
    OK(sac_image_load(in_folder(name), &image, &failure));
    OK(sac_captioner_square(&c->shape, &image, &square, &failure));
    OK(sac_captioner_encode_square(c, &square, &failure));
    OK(sac_captioner_generate(c, &(sac_result_request){.beam = 3}, &caption, &failure));
    for (int i = 0; i < caption.count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
                 caption.outputs[i].text);
    if (strncmp(text, wanted, strlen(wanted)) != 0)
        fail_msg("%s: \"%s\", not \"%s\"", name, text, wanted);
    sac_result_free(&caption);
    sac_image_free(&image);
    sac_image_free(&square);
}

static void learn_by_heart(bool layers)
{
    sac_captioner *captioner = create_with(layers, 0), *loaded;
    sac_training_options how = training(150, in_folder("heart.safetensors"), "features");
    how.rate = layers ? 0.004f : 0.02f;
    give(&how.values, "label-smoothing", 0);
    OK(sac_train(&captioner->base, &how, NULL, NULL, &failure));
    sac_captioner_destroy(captioner);
    OK(sac_captioner_load(device, how.out, &loaded, &failure));
    assert_string_equal(sac_captioner_word(&loaded->shape, SAC_VOCABULARY_MARKS), "a");
    for (int i = 0; i < PICTURES - 1; i++)
        assert_message(loaded, i, captions[i]);
    sac_captioner_destroy(loaded);
}

/* Also of the file of its weights, which holds the network and the words. */
TEST(it_learns_a_few_pictures_by_heart)
{
    learn_by_heart(false);
}

TEST(layers_learn_a_few_pictures_by_heart)
{
    learn_by_heart(true);
}

/* Weights that may be 0 go to the box of what is named. No cell lies in it whole: the loss does not become 0. */
static bool note_gaze(void *user, sac_model *model, const sac_training_report *report)
{
    float *gaze = user;
    (void)model;
    gaze[report->step > 1] = report->part[1];
    return true;
}

TEST(words_learn_to_attend_to_what_they_name)
{
    float gaze[2] = {0};
    write_boxed();
    sac_captioner *captioner = create();
    captioner->shape.normalizer = SAC_NORMALIZER_ENTMAX15;
    sac_training_options how = training(120, in_folder("boxes.safetensors"), "boxes-features");
    how.batch = 1;
    how.values.text[0][option("pictures")] = in_folder("boxed");
    how.values.text[0][option("captions")] = in_folder("boxed.csv");
    how.values.text[0][option("val")] = NULL;
    how.values.text[0][option("boxes")] = in_folder("boxed.json");
    give(&how.values, "attention-supervision", 0.3f);
    OK(sac_train(&captioner->base, &how, note_gaze, gaze, &failure));
    if (!(gaze[0] > 0 && gaze[1] < 0.75f * gaze[0]))
        fail_msg("the loss went from %g to %g", gaze[0], gaze[1]);
    sac_captioner_destroy(captioner);

    captioner = create();
    how.values.text[0][option("boxes")] = NULL;
    assert_int_equal(sac_train(&captioner->base, &how, NULL, NULL, &failure), SAC_E_ARGUMENT);
    assert_string_equal(failure.where, "--attention-supervision");
    sac_captioner_destroy(captioner);
}

static bool stop_at_seven(void *user, sac_model *model, const sac_training_report *report)
{
    (void)user, (void)model;
    return report->step != 7;
}

/* After the fifth step the picture is gone. */
static bool lose_picture(void *user, sac_model *model, const sac_training_report *report)
{
    (void)model;
    if (report->step == 5)
        assert_int_equal(rename(in_folder(user), in_folder("lost")), 0);
    return true;
}

/* Twelve steps at once, and seven and five; or as many as there are until `picture`, which is lost,
 * is missed. */
static void stop_and_go_on(bool layers, int learning, float views, const char *picture)
{
    const char *cache = learning ? "tuned-features" : "features";
    sac_training_options how = training(12, in_folder("whole.safetensors"), cache);
    give(&how.values, "views", views);
    give(&how.values, "fine-tune", (float)learning);
    give(&how.values, "word-dropout", 0.5f);
    give(&how.values, "grid-dropout", 0.2f);
    sac_captioner *captioner = create_with(layers, learning);
    OK(sac_train(&captioner->base, &how, NULL, NULL, &failure));
    sac_captioner_destroy(captioner);

    sac_model *model;
    how.out = in_folder("parts.safetensors");
    captioner = create_with(layers, learning);
    const char *checkpoint = in_folder("parts.safetensors.checkpoint");
    if (picture) {
        char remedy[160];
        snprintf(remedy, sizeof remedy, "mend that, and resume from %s", checkpoint);
        assert_int_equal(sac_train(&captioner->base, &how, lose_picture, (void *)picture, &failure),
                         SAC_E_FILE);
        assert_string_equal(failure.where, in_folder(picture));
        assert_string_equal(failure.remedy, remedy);
        assert_int_equal(rename(in_folder("lost"), in_folder(picture)), 0);
    } else {
        assert_int_equal(sac_train(&captioner->base, &how, stop_at_seven, NULL, &failure),
                         SAC_E_CANCELLED);
    }
    sac_captioner_destroy(captioner);
    sac_training_options rest = {.values = options(cache), .out = how.out, .resume = checkpoint};
    for (int i = 0; sac_captioner_class.options[i].name; i++)
        rest.values.given[i] = false;
    OK(sac_checkpoint_create_like(&sac_captioner_class, device, checkpoint, &rest.values, 9, &model,
                                  &failure));
    assert_int_equal(((sac_captioner *)model)->shape.network.learning > 0, learning > 0);
    OK(sac_train(model, &rest, NULL, NULL, &failure));
    sac_model_destroy(model);
    assert_same_file(in_folder("whole.safetensors"), in_folder("parts.safetensors"));
}

TEST(a_training_that_was_stopped_goes_on_to_the_last_bit)
{
    static const struct {
        bool layers;
        int learning;
        float views;
    } cases[] = {{false, 0, 3},    {true, 2, 0},  {false, 2, 0},
                 {false, 1000, 0}, {false, 2, 3}, {true, 0, 3}};
    for (int i = 0; i < (test_is_thorough() ? 6 : 2); i++)
        stop_and_go_on(cases[i].layers, cases[i].learning, cases[i].views, NULL);
}

/* One that is trained on, and the one that is held out, which is seen in the end. */
TEST(a_training_that_lost_a_picture_names_it_and_goes_on_once_it_is_there)
{
    THOROUGH_ONLY;
    stop_and_go_on(false, 2, 0, "1.png");
    stop_and_go_on(false, 2, 0, "5.png");
}

/* ---------------------------------------------------------------- by a reward */

/* A captioner that goes on from weights, or from a checkpoint of a training by a reward. */
static sac_captioner *go_on(sac_training_options *how)
{
    sac_model *model;
    OK(sac_checkpoint_create_like(&sac_captioner_class, device, how->resume, &how->values, 9,
                                  &model, &failure));
    return (sac_captioner *)model;
}

static sac_training_options by_reward(size_t steps, const char *out)
{
    sac_training_options how = training(steps, out, "features");
    how.resume = in_folder("started.safetensors");
    how.batch = 5;
    how.rate = 3e-3f;
    give(&how.values, "reward", 1);
    return how;
}

/* Captions that are known a little, so that some samples are better than others. */
static void write_started_weights(void)
{
    sac_captioner *captioner = create();
    sac_training_options how = training(25, in_folder("started.safetensors"), "features");
    OK(sac_train(&captioner->base, &how, NULL, NULL, &failure));
    sac_captioner_destroy(captioner);
}

/* The report's means, which are over the last steps: after ten of them, and in the end. */
typedef struct rewards {
    float first, last, baseline, different;
    sac_monitor *monitor;
} rewards;

static bool note_reward(void *user, sac_model *model, const sac_training_report *report)
{
    rewards *r = user;
    const float *part = report->part + model->class->reward;
    if (report->step == 10)
        r->first = part[0];
    r->last = part[0];
    r->baseline = part[1];
    r->different = part[2];
    assert_true(isnan(report->part[0]));
    OK(sac_monitor_step(r->monitor, model, report, &failure));
    return true;
}

TEST(samples_are_worth_more_after_a_training_by_their_reward)
{
    write_started_weights();
    for (int greedy = 0; greedy < 2; greedy++) {
        sac_training_options how = by_reward(80, in_folder("rewarded.safetensors"));
        rewards r = {0};
        give(&how.values, "baseline", (float)greedy);
        sac_captioner *captioner = go_on(&how);
        OK(sac_training_prepare(&captioner->base, &how, &failure));
        OK(sac_monitor_create(&captioner->base, "a device", NULL, &r.monitor, &failure));
        OK(sac_train(&captioner->base, &how, note_reward, &r, &failure));
        assert_true(r.first > 0 && r.last > 1.2f * r.first);
        assert_true(r.different >= 20 && r.different <= 100);
        /* The mean of the others is on the whole that of all. */
        assert_true(greedy || fabsf(r.baseline - r.last) < 1e-3f * r.last);
        sac_training_snapshot view = {0};
        sac_source source = sac_monitor_source(r.monitor);
        bool changed;
        OK(source.training.look(source.self, 0, &view, &changed, &failure));
        assert_int_equal(view.points, 80);
        assert_true(view.reward[0][79] == r.last && view.reward[1][79] == r.baseline);
        assert_true(view.reward[2][79] == r.different && view.reward[0][9] == r.first);
        sac_training_snapshot_free(&view);
        sac_monitor_destroy(r.monitor);
        sac_captioner_destroy(captioner);
    }
}

/* With its samples, Adam's moments and what is dropped, on features and on pictures. */
TEST(a_training_by_a_reward_that_was_stopped_goes_on_to_the_last_bit)
{
    write_started_weights();
    for (int tunes = 0; tunes < (test_is_thorough() ? 2 : 1); tunes++) {
        sac_training_options how = by_reward(12, in_folder("whole.safetensors"));
        give(&how.values, "grid-dropout", 0.2f);
        if (tunes) {
            give(&how.values, "fine-tune", 2);
            give(&how.values, "views", 0);
            how.values.text[0][option("cache")] = in_folder("tuned-features");
        }
        sac_captioner *captioner = go_on(&how);
        OK(sac_train(&captioner->base, &how, NULL, NULL, &failure));
        sac_captioner_destroy(captioner);
        how.out = in_folder("parts.safetensors");
        captioner = go_on(&how);
        assert_int_equal(sac_train(&captioner->base, &how, stop_at_seven, NULL, &failure),
                         SAC_E_CANCELLED);
        sac_captioner_destroy(captioner);
        sac_training_options rest = {.values = how.values,
                                     .out = how.out,
                                     .resume = in_folder("parts.safetensors.checkpoint")};
        memset(rest.values.given, 0, sizeof rest.values.given);
        captioner = go_on(&rest);
        assert_true(captioner->by_reward);
        OK(sac_train(&captioner->base, &rest, NULL, NULL, &failure));
        sac_captioner_destroy(captioner);
        assert_same_file(in_folder("whole.safetensors"), in_folder("parts.safetensors"));
        OK(sac_captioner_load(device, how.out, &captioner, &failure)); /* as it is searched */
        assert_float_equal(captioner->shape.length_penalty, 0.7f, 0);
        sac_captioner_destroy(captioner);
    }
}

/* As the command does it. */
static sac_status train_as_asked(const sac_training_options *how, sac_error *error)
{
    sac_model *model;
    sac_status status = sac_training_create(&sac_captioner_class, device, how, &model, error);
    if (status == SAC_OK)
        status = sac_train(model, how, NULL, NULL, error);
    sac_model_destroy(model);
    return status;
}

TEST(options_that_do_not_belong_to_a_training_by_a_reward_are_refused)
{
    static const struct {
        const char *name;
        float value;
        bool rewards;
        const char *message;
    } cases[] = {{"samples", 4, false, "--samples: does not count in…"},
                 {"baseline", 1, false, "--baseline: does not count in…"},
                 {"label-smoothing", 0.1f, true, "--label-smoothing: does not count in…"},
                 {"samples", 1, true, "--samples: of 1 leaves no others…"},
                 {"samples", 65, true, "--samples: is out of range…"},
                 {"sample-temperature", 0, true, "--sample-temperature: is too low…"}};
    write_started_weights();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_training_options how = by_reward(2, in_folder("refused.safetensors"));
        memset(how.values.given, 0, sizeof how.values.given); /* words are those of the weights */
        give(&how.values, "reward", cases[i].rewards);
        give(&how.values, cases[i].name, cases[i].value);
        REFUSES(SAC_E_ARGUMENT, cases[i].message, train_as_asked(&how, &failure));
    }
    sac_training_options how = by_reward(2, in_folder("refused.safetensors"));
    memset(how.values.given, 0, sizeof how.values.given);
    give(&how.values, "reward", 1);
    how.resume = NULL;
    REFUSES(SAC_E_ARGUMENT, "--reward: does not count in…", train_as_asked(&how, &failure));
}

/* The weights of the network that a training has changed; all others are as they were, as float16. */
static void assert_learns(int learning, float views, const char *first, const char *before)
{
    sac_training_options how = training(3, in_folder("tuned.safetensors"), "tuned-features");
    sac_captioner *captioner = create_with(false, learning), *whole = create(), *loaded;
    unlink(in_folder("tuned-features"));
    give(&how.values, "views", views);
    give(&how.values, "fine-tune", (float)learning);
    give(&how.values, "encoder-rate", 1e-3f);
    how.warm_up = 1;
    OK(sac_train(&captioner->base, &how, NULL, NULL, &failure));
    sac_captioner_destroy(captioner);
    OK(sac_captioner_load(device, how.out, &loaded, &failure));
    const sac_parameters *network = &loaded->base.frozen;
    for (int i = 0; i < network->count; i++) {
        const sac_parameter *p = network->list[i], *old = whole->base.frozen.list[i];
        float *now = malloc(p->count * sizeof *now), *then = malloc(p->count * sizeof *then);
        OK(sac_span_read(device, sac_tensor_span(p->value), p->count, now, &failure));
        OK(sac_span_read(device, sac_tensor_span(old->value), p->count, then, &failure));
        double most = 0;
        for (size_t k = 0; k < p->count; k++)
            most = fmax(most, fabs(now[k] - sac_half_to_float(sac_float_to_half(then[k]))));
        if (strcmp(p->name, first) == 0 && !(most > 1e-4 && most < 4e-3)) /* of three steps */
            fail_msg("%s: %g", first, most);
        if (before && strcmp(p->name, before) == 0 && most > 0)
            fail_msg("%s: %g", before, most);
        free(now);
        free(then);
    }
    sac_captioner_destroy(whole);
    sac_captioner_destroy(loaded);
}

TEST(the_last_blocks_learn_at_a_rate_of_their_own)
{
    THOROUGH_ONLY;
    assert_learns(1, 0, "network.blocks.15.expand.weight", "network.blocks.14.project.weight");
    assert_learns(2, 3, "network.blocks.14.expand.weight", "network.blocks.13.project.weight");
    assert_learns(1000, 0, "network.stem.weight", NULL);
}

/* Another run of the same training sees the same views, and another step other ones. */
TEST(views_that_are_not_kept_are_new_each_time)
{
    sac_model_values values = options("none");
    sac_captioner *captioner = create_with(false, 2);
    sac_batch_maker maker;
    give(&values, "views", 0);
    OK(sac_captioner_class.prepare(&captioner->base, &values, &failure));
    OK(sac_album_batches(captioner, PICTURES - 1, 4, &maker, &failure));
    size_t count = sac_album_grid_numbers(captioner);
    assert_int_equal(count, SIDE * SIDE * 3);
    assert_int_not_equal(access(in_folder("none"), R_OK), 0);
    float *first = malloc(count * sizeof *first);
    const sac_caption_batch *batch = maker.make(maker.self, 0, 0, &failure);
    memcpy(first, batch->grids, count * sizeof *first);
    batch = maker.make(maker.self, 1, 1, &failure);
    for (size_t i = 0; i < PICTURES - 1; i++)
        assert_memory_not_equal(first, batch->grids + i * count, count * sizeof *first);
    batch = maker.make(maker.self, 0, 0, &failure);
    assert_memory_equal(first, batch->grids, count * sizeof *first);
    free(first);
    maker.destroy(maker.self);
    sac_captioner_destroy(captioner);
}

TEST(the_monitor_shows_pictures_that_are_held_out)
{
    sac_captioner *captioner = create();
    const sac_model_values values = options("features");
    sac_watched watched;
    sac_image picture = {0};
    char truth[64];
    OK(sac_captioner_class.prepare(&captioner->base, &values, &failure));
    OK(sac_captioner_class.watch(&captioner->base, &watched, &failure));
    assert_int_equal(watched.shown, 1);
    const sac_caption_vocabulary *words = &captioner->shape.words->table;
    assert_true(watched.has_word(watched.self, 0, sac_caption_vocabulary_find(words, "again", 5)));
    assert_false(watched.has_word(watched.self, 0, sac_caption_vocabulary_find(words, "dog", 3)));
    OK(watched.encode(watched.self, &captioner->base, 0, &failure));
    write_wide("5.png");
    OK(watched.show(watched.self, 0, &picture, truth, sizeof truth, &failure));
    assert_string_equal(truth, captions[5]);
    /* In its own proportions, not squeezed as the network sees it. */
    assert_int_equal((picture.width + 1) / 3, picture.height);
    assert_true(picture.rgba[4 * picture.width * (picture.height / 5)] > 200);
    assert_true(picture.rgba[4 * picture.width * (picture.height / 3)] < 50);
    sac_image_free(&picture);
    write_picture(5);
    watched.destroy(watched.self);
    sac_captioner_destroy(captioner);
}

/* ---------------------------------------------------------------- what it knows of its limits */

/* x of domain.h, of a picture's file. */
static void pool_file(sac_captioner *c, int number, double *x)
{
    char name[16];
    sac_image image, square;
    snprintf(name, sizeof name, "%d.png", number);
    OK(sac_image_load(in_folder(name), &image, &failure));
    OK(sac_captioner_square(&c->shape, &image, &square, &failure));
    OK(sac_captioner_encode_square(c, &square, &failure));
    int head = sac_efficientnet_parts(&c->weights.network.shape) - 1;
    sac_tensor cells = c->decode->f.run.part[head].x;
    float *numbers = malloc(sac_tensor_count(cells) * sizeof *numbers);
    sac_span span = sac_tensor_span(cells);
    OK(sac_span_read(device, span, sac_tensor_count(cells), numbers, &failure));
    for (size_t k = 0; k < cells.width; k++) {
        x[k] = 0;
        for (size_t i = 0; i < cells.rows; i++)
            x[k] += (double)numbers[i * cells.width + k] / (double)cells.rows;
    }
    free(numbers);
    sac_image_free(&image);
    sac_image_free(&square);
}

/* dᵀ A⁻¹ d by Gauss's elimination of A [n,n], which is written over. */
static double quadratic(double *a, const double *d, size_t n)
{
    double *y = malloc(n * sizeof *y), sum = 0;
    memcpy(y, d, n * sizeof *y);
    for (size_t i = 0; i < n; i++)
        for (size_t r = i + 1; r < n; r++) {
            double factor = a[r * n + i] / a[i * n + i];
            for (size_t k = i; k < n; k++)
                a[r * n + k] -= factor * a[i * n + k];
            y[r] -= factor * y[i];
        }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            y[i] -= a[i * n + k] * y[k];
        y[i] /= a[i * n + i];
        sum += y[i] * d[i];
    }
    free(y);
    return sum;
}

/* The distance of picture 5 from the others, in plain words of domain.h. */
static double expected_distance(sac_captioner *c, size_t n)
{
    enum { OTHERS = PICTURES - 1 };
    double *x = malloc(PICTURES * n * sizeof *x), *mean = calloc(n, sizeof *mean), trace = 0;
    double *a = calloc(n * n, sizeof *a), *d = malloc(n * sizeof *d);
    for (int i = 0; i < PICTURES; i++)
        pool_file(c, i, x + (size_t)i * n);
    for (size_t k = 0; k < OTHERS * n; k++)
        mean[k % n] += x[k] / OTHERS;
    for (size_t p = 0; p < OTHERS; p++)
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++)
                a[i * n + k] += (x[p * n + i] - mean[i]) * (x[p * n + k] - mean[k]) / OTHERS;
    double shrink = (double)n / (double)(n + OTHERS);
    for (size_t i = 0; i < n; i++)
        trace += a[i * n + i];
    for (size_t i = 0; i < n * n; i++)
        a[i] = (1 - shrink) * a[i] + (i % (n + 1) ? 0 : shrink * trace / (double)n);
    for (size_t i = 0; i < n; i++)
        d[i] = x[OTHERS * n + i] - mean[i];
    double distance = sqrt(quadratic(a, d, n));
    free(x);
    free(mean);
    free(a);
    free(d);
    return distance;
}

/* Of five pictures, and one that is held out; before that a file of weights knows nothing of it, and
 * opens as well. */
TEST(a_training_measures_how_unlike_its_pictures_one_is)
{
    sac_captioner *captioner = create(), *loaded;
    sac_training_options how = training(1, in_folder("measured.safetensors"), "features");
    float distance = -1;
    OK(sac_checkpoint_save(&captioner->base, in_folder("before.safetensors"), 0, 0, NULL,
                           &failure));
    OK(sac_train(&captioner->base, &how, NULL, NULL, &failure));
    sac_captioner_destroy(captioner);
    OK(sac_captioner_load(device, in_folder("before.safetensors"), &loaded, &failure));
    assert_true(loaded->shape.limit == 0);
    OK(sac_domain_distance(loaded, &distance, &failure));
    assert_true(distance == 0);
    sac_captioner_destroy(loaded);

    OK(sac_captioner_load(device, how.out, &loaded, &failure));
    double expected = expected_distance(loaded, loaded->domain.list[0]->count);
    OK(sac_domain_distance(loaded, &distance, &failure)); /* of picture 5, the last one */
    assert_true(expected > 1);
    assert_float_equal(distance, expected,
                       2e-2 * expected); /* features have 16 bits in their file */
    assert_float_equal(loaded->shape.limit, expected, 2e-2 * expected);
    assert_true(loaded->shape.sure == 0); /* there are too few words */
    /* Of the one picture that is held out, which is encoded still. */
    sac_result caption;
    OK(sac_captioner_generate(loaded, &(sac_result_request){0}, &caption, &failure));
    double mean_log = sac_caption_mean_log(&caption, 0);
    assert_true(mean_log < -0.1);
    assert_float_equal(loaded->shape.least_log, mean_log, -2e-2 * mean_log);
    sac_result_free(&caption);
    sac_captioner_destroy(loaded);
}

/* The network of the file has 16 bits, and so has what it computes anew. */
TEST(weights_are_measured_again)
{
    sac_model *model;
    const sac_model_values values = options("features");
    const char *from = in_folder("measured.safetensors"), *to = in_folder("again.safetensors");
    OK(sac_checkpoint_create_like(&sac_captioner_class, device, from, &values, 0, &model,
                                  &failure));
    const sac_training_options how = {.resume = from, .out = to};
    OK(sac_training_load(model, &how, &failure));
    OK(sac_captioner_class.prepare(model, &values, &failure));
    OK(sac_training_measure(model, &how, &failure));
    sac_model_destroy(model);
    sac_captioner *measured, *again;
    OK(sac_captioner_load(device, from, &measured, &failure));
    OK(sac_captioner_load(device, to, &again, &failure));
    assert_float_equal(again->shape.limit, measured->shape.limit, 2e-2 * measured->shape.limit);
    sac_captioner_destroy(measured);
    sac_captioner_destroy(again);
}

/* What was measured is no part of what the model is, and is measured anew. */
TEST(captioners_of_other_words_and_sizes_have_no_mean)
{
    const char *from = in_folder("measured.safetensors"), *layers = in_folder("layers.safetensors"),
               *unmeasured = in_folder("before.safetensors"), *others[1];
    sac_captioner *stack = create_with(true, 0), *captioner;
    sac_training_options how = {.resume = from, .average = others, .average_count = 1};
    OK(sac_checkpoint_save(&stack->base, layers, 0, 0, NULL, &failure));
    sac_captioner_destroy(stack);
    OK(sac_captioner_load(device, from, &captioner, &failure));
    others[0] = from;
    OK(sac_training_load(&captioner->base, &how, &failure));
    captioner->shape.limit *= 2;
    captioner->shape.sure = 0.5f;
    captioner->shape.least_log = -1.5f;
    OK(sac_training_load(&captioner->base, &how, &failure));
    others[0] = layers;
    REFUSES(
        SAC_E_SHAPE,
        "…layers.safetensors: is another model; give weights of the same network, sizes and words "
        "as …measured.safetensors",
        sac_training_load(&captioner->base, &how, &failure));
    others[0] = unmeasured;
    REFUSES(SAC_E_ARGUMENT,
            "…before.safetensors: was not measured for what it is unsure of, as the other was; "
            "measure the one that was not: --steps 0 --resume F",
            sac_training_load(&captioner->base, &how, &failure));
    sac_captioner_destroy(captioner);
}

/* A caption of so many words, all as probable; `unsure` of them are marked. */
static sac_result caption_of(int count, int unsure, float probability)
{
    sac_result caption = {.count = count, .finished = true};
    for (int i = 0; i < count; i++)
        caption.outputs[i] = (sac_result_output){.word = SAC_VOCABULARY_MARKS + 2,
                                                 .text = "dog",
                                                 .probability = probability,
                                                 .unsure = i < unsure};
    return caption;
}

/* By the photograph, or by how improbable the words are as a whole; many unsure words make it a guess too. */
TEST(a_caption_is_a_guess_where_it_is_unlike_or_mostly_unsure)
{
    static const char *const list[] = {"a", "the", "dog"};
    sac_captioner_shape shape = shape_of_words(list, 3, true);
    static const struct {
        const char *doubt;
        int unsure;
        float probability, least;
        bool unlike, doubtful;
        const char *note;
    } all[] = {
        {"", 0, 0.5f, -1, false, false, ""},
        {"", 1, 0.5f, -1, false, false, "unsure of “dog” (0.50)"},
        {"", 3, 0.5f, -1, false, false, "unsure of “dog” (0.50)"},
        {"", 4, 0.5f, -1, false, true, "unsure of “dog” (0.50)"},
        {"", 0, 0.3f, -1, true, true,
         "its words are as improbable as of what is unlike the photographs"},
        {"", 0, 0.3f, -1.3f, false, false, ""}, /* of its file */
        {"", 0, 0.3f, 0, false, false, ""},     /* the bundled model's, −1.256 */
        {"", 0, 0.25f, 0, true, true, "its words are as improbable as of"},
        {"unlike it", 0, 0.9f, -1, true, true, "unlike it"},
        {"unlike it", 1, 0.2f, -1, true, true, "unlike it; unsure of “dog” (0.20)"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        sac_result caption = caption_of(6, all[i].unsure, all[i].probability);
        shape.least_log = all[i].least;
        sac_caption_judge_photograph(&caption, 0, all[i].doubt, &shape);
        assert_true(caption.knows_unlike);
        assert_int_equal(caption.is_unlike, all[i].unlike);
        assert_int_equal(caption.is_doubtful, all[i].doubtful);
        if (!all[i].note[0] ? caption.note[0] : !strstr(caption.note, all[i].note))
            fail_msg("\"%s\", not \"%s\"", caption.note, all[i].note);
    }
    /* Words that are given are not the model's own. */
    sac_result caption = caption_of(6, 0, 0.5f);
    caption.outputs[0].probability = 1e-6f;
    assert_float_equal(sac_caption_mean_log(&caption, 1), logf(0.5f), 1e-6);
    assert_true(sac_caption_mean_log(&caption, 0) < -2);
    sac_captioner_shape_free(&shape);
}

/* ---------------------------------------------------------------- what is shown */

/* The picture keeps its proportions, and the cells lie over all of it. */
TEST(a_photograph_is_shown_as_it_is)
{
    enum { WIDTH = 60, HEIGHT = 30 };
    const char *weights = in_folder("measured.safetensors"), *path = in_folder("wide.png");
    sac_image image;
    sac_source source;
    OK(sac_image_create(WIDTH, HEIGHT, &image, &failure));
    for (int i = 0; i < 4 * WIDTH * HEIGHT; i++)
        image.rgba[i] = i % 4 == 3 ? 255 : (uint8_t)(i / 4 % WIDTH * 4);
    OK(sac_png_save(path, &image, NULL, 0, &failure));
    sac_model_open_options how = {.pictures = &path,
                                  .picture_count = 1,
                                  .weights = &weights,
                                  .weight_count = 1,
                                  .device = NULL};
    OK(sac_caption_open(&sac_captioner_class, &how, &source, &failure));
    assert_int_equal(source.picture.image->width, WIDTH);
    assert_int_equal(source.picture.image->height, HEIGHT);
    assert_memory_equal(source.picture.image->rgba, image.rgba, 4 * WIDTH * HEIGHT);
    for (int k = 0; k < 4; k++)
        assert_float_equal(source.picture.file_box[k], (float)(k / 2), 0);
    assert_int_equal(source.picture.grid_w, source.picture.grid_h);
    sac_result caption;
    OK(sac_source_generate(&source, &(sac_result_request){0}, &caption, &failure));
    if (!strstr(caption.note, "unlike the photographs that it was trained on"))
        fail_msg("\"%s\"", caption.note);
    assert_true(caption.knows_unlike && caption.is_unlike && caption.is_doubtful);
    sac_result_free(&caption);
    sac_source_destroy(&source);
    sac_image_free(&image);
}

/* ---------------------------------------------------------------- features */

/* The grid out of the file, and the picture through the whole network, encode to the same but for
 * the 16 bits of the file. */
TEST(a_grid_of_the_file_is_what_the_network_computes)
{
    sac_captioner *c = create();
    const sac_model_values values = options("features");
    sac_image image, square;
    OK(sac_captioner_class.prepare(&c->base, &values, &failure));
    size_t count = sac_album_grid_numbers(c);
    float *grid = malloc(count * sizeof *grid), features[24 * 4], whole[24 * 4];
    sac_span span;
    OK(sac_album_grid(c->album, 2, 0, grid, &failure));
    OK(sac_captioner_encode_grid(c, grid, &failure));
    span = sac_tensor_span(c->decode->f.features);
    OK(sac_span_read(device, span, 24 * 4, features, &failure));
    OK(sac_image_load(in_folder("2.png"), &image, &failure));
    OK(sac_captioner_square(&c->shape, &image, &square, &failure));
    OK(sac_captioner_encode_square(c, &square, &failure));
    OK(sac_span_read(device, span, 24 * 4, whole, &failure));
    double most = 0;
    for (int i = 0; i < 24 * 4; i++) {
        most = fmax(most, fabs(whole[i]));
        assert_float_equal(features[i], whole[i], 5e-3);
    }
    assert_true(most > 0.5);
    free(grid);
    sac_image_free(&image);
    sac_image_free(&square);
    sac_captioner_destroy(c);
}

static int asked, stop_after;
static bool stop_soon(void)
{
    return ++asked > stop_after;
}

/* However often it is stopped: what was computed is not computed again, and the file is that of a
 * run that was not stopped. */
TEST(features_that_were_stopped_go_on_where_they_were)
{
    sac_model_values values = options("stopped");
    give(&values, "views", 4);
    int runs = 0;
    for (sac_status status = SAC_E_CANCELLED; status != SAC_OK; runs++) {
        sac_captioner *captioner = create();
        asked = 0;
        stop_after = 20 * (runs + 1);
        sac_cancel_when(stop_soon);
        status = sac_captioner_class.prepare(&captioner->base, &values, &failure);
        sac_cancel_when(NULL);
        assert_true(status == SAC_OK || status == SAC_E_CANCELLED);
        sac_captioner_destroy(captioner);
        assert_true(runs < 1000);
    }
    assert_true(runs > 1);
    sac_captioner *captioner = create();
    values.text[0][option("cache")] = in_folder("at-once");
    OK(sac_captioner_class.prepare(&captioner->base, &values, &failure));
    sac_captioner_destroy(captioner);
    assert_same_file(in_folder("stopped"), in_folder("at-once"));
}

/* A record that was not written whole is computed again, and the others are not. */
TEST(a_file_of_features_that_was_cut_is_completed)
{
    sac_model_values values = options("cut");
    sac_captioner *captioner = create();
    size_t size, completed, record = sizeof(uint64_t) + 4 * 320 * sizeof(uint16_t);
    OK(sac_captioner_class.prepare(&captioner->base, &values, &failure));
    sac_captioner_destroy(captioner);
    char *whole = read_file(in_folder("cut"), &size), *again;
    assert_int_equal(truncate(in_folder("cut"), (off_t)size - 100), 0);
    captioner = create();
    OK(sac_captioner_class.prepare(&captioner->base, &values, &failure));
    sac_captioner_destroy(captioner);
    again = read_file(in_folder("cut"), &completed);
    assert_int_equal(completed, size);
    assert_memory_equal(whole, again, size - record + sizeof(uint64_t));
    free(whole);
    free(again);
}

static void refuse(const sac_model_values *values, sac_status status, const char *expected)
{
    sac_captioner *captioner = create();
    REFUSES(status, expected, sac_captioner_class.prepare(&captioner->base, values, &failure));
    sac_captioner_destroy(captioner);
}

TEST(what_is_no_file_of_features_is_refused_and_kept)
{
    sac_model_values values = options("foreign");
    size_t size;
    write_text("foreign", "something that a person needs");
    refuse(&values, SAC_E_FORMAT,
           "…foreign: does not hold features of this network; give another --cache, or remove the "
           "file");
    char *bytes = read_file(in_folder("foreign"), &size);
    assert_memory_equal(bytes, "something that a person needs", size);
    free(bytes);
}

TEST(a_file_that_would_become_too_large_is_refused_before_it_does)
{
    sac_model_values values = options("large");
    give(&values, "cache-limit", 1e-5f);
    refuse(&values, SAC_E_ARGUMENT,
           "…large: would take 0.00 GB; the limit is 0.00; give a higher --cache-limit, or fewer "
           "--views");
    give(&values, "views", 17);
    refuse(&values, SAC_E_ARGUMENT, "--views: is out of range; give 0 to 16");
    give(&values, "views", 0);
    values.text[0][option("pictures")] = NULL;
    refuse(&values, SAC_E_ARGUMENT, "--pictures: is missing; …");
}

/* One of another folder has the name and the size of "0.png". */
TEST(pictures_of_several_sets_are_distinguished)
{
    sac_model_values values = options("sets");
    sac_captioner *captioner = create();
    float numbers[2][4 * 320];
    char other[96], from[160];
    snprintf(other, sizeof other, "%s", in_folder("other"));
    assert_int_equal(mkdir(other, 0777), 0);
    write_picture(7);
    snprintf(from, sizeof from, "%s/0.png", other);
    assert_int_equal(rename(in_folder("7.png"), from), 0);
    const char *same_size[] = {from, in_folder("0.png")};
    for (int i = 0; i < 2; i++) /* what stands behind a picture does not matter */
        assert_int_equal(truncate(same_size[i], 4000), 0);
    write_text("other.csv", "image,caption\n0.png,the sea\n");
    values.text[1][option("pictures")] = other;
    values.text[1][option("captions")] = in_folder("other.csv");
    OK(sac_captioner_class.prepare(&captioner->base, &values, &failure));
    const sac_album *album = captioner->album;
    assert_int_equal(album->pictures.count, PICTURES + 1);
    assert_string_equal(album->pictures.items[PICTURES].path, from);
    assert_int_equal(album->pictures.items[PICTURES].set, 1);
    OK(sac_album_grid(album, 0, 0, numbers[0], &failure));
    OK(sac_album_grid(album, PICTURES, 0, numbers[1], &failure));
    assert_memory_not_equal(numbers[0], numbers[1], sizeof *numbers);
    sac_captioner_destroy(captioner);
    /* The other one alone, in the place of the first. */
    assert_int_equal(rename(from, in_folder("0.png")), 0);
    values.text[1][option("pictures")] = values.text[1][option("captions")] = NULL;
    captioner = create();
    OK(sac_captioner_class.prepare(&captioner->base, &values, &failure));
    OK(sac_album_grid(captioner->album, 0, 0, numbers[0], &failure));
    assert_memory_equal(numbers[0], numbers[1], sizeof *numbers);
    sac_captioner_destroy(captioner);
    write_picture(0);
}

/* In French, to a captioner that knows other words, and in words of which it knows two of three. */
TEST(captions_whose_words_the_vocabulary_does_not_have_are_refused)
{
    sac_model_values values = options("features");
    write_text("french.csv", "image,caption\n0.png,un chien court\n1.png,deux chats on bed\n");
    values.text[0][option("val")] = NULL;
    values.text[0][option("captions")] = in_folder("french.csv");
    refuse(&values, SAC_E_ARGUMENT,
           "captions: 71 % of their words are not in the vocabulary of 22 words, such as chats, "
           "chien, court; give captions in the language of the vocabulary, or train anew, without "
           "--resume and without --word-count");
    sac_captioner *captioner = create();
    write_text("french.csv", "image,caption\n0.png,a dog court\n1.png,two cats on bed\n");
    OK(sac_captioner_class.prepare(&captioner->base, &values, &failure));
    sac_captioner_destroy(captioner);
}

/* Of the share that is drawn: its place is taken by another picture, and all have their features. */
TEST(what_is_held_out_is_drawn_from_pictures_that_can_be_read)
{
    sac_model_values values = options("drawn");
    values.text[0][option("val")] = NULL;
    sac_captioner *captioner = create();
    OK(sac_captioner_class.prepare(&captioner->base, &values, &failure));
    const sac_album *album = captioner->album;
    size_t held = album->of_split[SAC_SPLIT_VAL][0];
    assert_int_equal(album->pictures.of_split[SAC_SPLIT_VAL], 1);
    sac_captioner_destroy(captioner);
    char name[16];
    snprintf(name, sizeof name, "%zu.png", held);
    write_text(name, "\x89PNG\r\n\x1a\n and no more");
    captioner = create();
    OK(sac_captioner_class.prepare(&captioner->base, &values, &failure));
    album = captioner->album;
    float *grid = malloc(sac_album_grid_numbers(captioner) * sizeof *grid);
    double score = NAN;
    assert_int_equal(album->pictures.of_split[SAC_SPLIT_VAL], 1);
    assert_int_equal(album->pictures.of_split[SAC_SPLIT_TRAIN], PICTURES - 2);
    assert_string_not_equal(album->pictures.items[album->of_split[SAC_SPLIT_VAL][0]].name, name);
    OK(sac_album_judge(captioner, &score, &failure));
    assert_true(score >= 0);
    free(grid);
    sac_captioner_destroy(captioner);
    write_picture((int)held);
}

TEST(what_is_of_no_set_of_pictures_is_refused)
{
    sac_model_values values = options("sets");
    values.text[1][option("captions")] = in_folder("other.csv");
    refuse(&values, SAC_E_ARGUMENT, "…other.csv: is of no --pictures; …");
}

/* It is left out, and the others keep their own features. */
TEST(a_picture_that_cannot_be_read_is_left_out)
{
    sac_model_values values = options("features");
    sac_captioner *captioner = create();
    float numbers[2][4 * 320];
    write_text("2.png", "\x89PNG\r\n\x1a\n and no more");
    assert_int_equal(sac_album_grid_numbers(captioner), 4 * 320);
    unlink(in_folder("broken"));
    values.text[0][option("cache")] = in_folder("broken");
    OK(sac_captioner_class.prepare(&captioner->base, &values, &failure));
    const sac_album *album = captioner->album;
    assert_int_equal(album->pictures.count, PICTURES - 1);
    assert_int_equal(album->pictures.sets[0].skipped[SAC_SKIP_BROKEN].count, 1);
    assert_string_equal(album->pictures.items[2].name, "3.png");
    OK(sac_album_grid(album, 2, 0, numbers[0], &failure));
    sac_captioner_destroy(captioner);
    write_picture(2);
    captioner = create();
    OK(sac_captioner_class.prepare(&captioner->base, &values, &failure));
    OK(sac_album_grid(captioner->album, 3, 0, numbers[1], &failure));
    assert_memory_equal(numbers[0], numbers[1], sizeof numbers[0]);
    sac_captioner_destroy(captioner);
}

/* ---------------------------------------------------------------- batches */

/* Every picture comes once an epoch, with all its captions, the longest first; in a mirrored one
 * left is right. */
TEST(batches_have_every_picture_once_an_epoch)
{
    sac_model_values values = options("features");
    sac_captioner *captioner = create();
    sac_batch_maker maker;
    int seen[PICTURES] = {0}, lefts = 0, rights = 0;
    give(&values, "views", 2);
    OK(sac_captioner_class.prepare(&captioner->base, &values, &failure));
    OK(sac_album_batches(captioner, 1, 4, &maker, &failure));
    const sac_caption_vocabulary *words = &captioner->shape.words->table;
    int left = sac_caption_vocabulary_find(words, "left", 4);
    int right = sac_caption_vocabulary_find(words, "right", 5);
    for (size_t number = 0; number < 40 * (PICTURES - 1); number++) {
        const sac_caption_batch *batch = maker.make(maker.self, number, (int)number % 2, &failure);
        assert_non_null(batch);
        assert_int_equal(batch->size, 2);
        assert_int_equal(batch->lengths[0], batch->lengths[1] + 1);
        assert_int_equal(batch->inputs[0], SAC_VOCABULARY_START);
        int end = batch->targets[(size_t)(batch->lengths[0] - 1) * 2];
        assert_int_equal(end, SAC_VOCABULARY_END);
        int first = batch->targets[0], second = batch->targets[2];
        for (int i = 0; i < PICTURES; i++) {
            int own[8];
            sac_caption_vocabulary_numbers(words, captions[i], own, 8);
            seen[i] += own[0] == first && own[1] == second;
        }
        for (size_t t = 0; t < batch->steps; t++) {
            lefts += batch->targets[2 * t] == left;
            rights += batch->targets[2 * t] == right;
        }
        if (number % (PICTURES - 1) == PICTURES - 2)
            for (int i = 0; i < PICTURES; i++)
                assert_int_equal(seen[i], i < 5 ? (int)(number / (PICTURES - 1)) + 1 : 0);
    }
    assert_int_equal(lefts + rights, 40);
    assert_true(lefts > 8 && rights > 8);
    maker.destroy(maker.self);
    sac_captioner_destroy(captioner);
}

static char noticed[512];

static void note_mirrors(void *user, const char *text)
{
    (void)user;
    if (strncmp(text, "captions:", 9) == 0)
        snprintf(noticed, sizeof noticed, "%s", text);
}

static sac_captioner *create_seeing(const char *encoder, const sac_model_values *values);

/* Where it is not known which words name a side: the label of a mirrored picture would be wrong. */
TEST(pictures_are_mirrored_only_where_left_and_right_are_known)
{
    static const struct {
        const char *captions[2];
        bool mirrors, english;
    } rows[] = {
        {{"a red ball on the left", "a blue ball on the right"}, true, true},
        {{"a dog runs on the grass", "the dog is in a house"}, true, true}, /* no sides */
        {{"ein roter Ball links", "ein blauer Ball rechts"}, false, false},
        {{"red ball left", "blue ball right"}, true, false},
        {{"\u7403\u5728\u5de6\u8fb9", "\u7403\u5728\u53f3\u8fb9"}, true, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512] = "image,caption\n";
        for (int k = 0; k < PICTURES; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%d.png,%s\n", k,
                     rows[i].captions[k % 2]);
        write_text("sides.csv", text);
        sac_model_values values = options("sides-features");
        values.text[0][option("captions")] = in_folder("sides.csv");
        give(&values, "views", 0);
        noticed[0] = '\0';
        sac_notice_listen(note_mirrors, NULL);
        sac_captioner *captioner = create_seeing("cnn", &values);
        OK(sac_captioner_class.prepare(&captioner->base, &values, &failure));
        sac_notice_listen(NULL, NULL);
        int mirrored[2] = {0};
        for (int views = 0; views <= 3; views += 3) { /* new ones, or three that are kept */
            const sac_album album = {.views = views, .mirrors = captioner->album->mirrors};
            for (int index = 0; index < 3; index++)
                mirrored[views > 0] += sac_view_is_mirrored(sac_album_view(&album, index));
        }
        if (mirrored[0] != rows[i].mirrors || mirrored[1] != rows[i].mirrors ||
            !noticed[0] != rows[i].english ||
            (strstr(noticed, "no picture is mirrored") == NULL) != rows[i].mirrors)
            fail_msg("%s: %d and %d are mirrored, “%s”", rows[i].captions[0], mirrored[0],
                     mirrored[1], noticed);
        sac_captioner_destroy(captioner);
    }
}

/* ---------------------------------------------------------------- models of others */

static sac_captioner *create_seeing(const char *encoder, const sac_model_values *values)
{
    sac_model *model;
    sac_model_values all = *values;
    all.text[0][option("encoder")] = encoder;
    OK(sac_captioner_class.create(device, &all, 3, &model, &failure));
    return (sac_captioner *)model;
}

/* What leaves the last layer of the folder's model, where it sees the picture. */
static void check_cells(const sac_captioner *c, const char *of, int picture)
{
    char name[16];
    sac_image image;
    sac_pretrained_model *model;
    sac_inference *seen;
    float *grid = malloc(sac_album_grid_numbers(c) * sizeof *grid);
    snprintf(name, sizeof name, "%d.png", picture);
    OK(sac_image_load(in_folder(name), &image, &failure));
    OK(sac_pretrained_model_open_on(of, device, &model, &failure));
    OK(sac_inference_see(model, &image, SAC_FIT_TRAINED, &seen, &failure));
    OK(sac_album_grid(c->album, (size_t)picture, 0, grid, &failure));
    size_t width = sac_inference_width(seen);
    assert_int_equal(seen->grid_w, c->grid);
    assert_int_equal((size_t)c->cells * width, sac_album_grid_numbers(c));
    for (size_t i = 0; i < (size_t)c->cells * width; i++) {
        float wanted = seen->left[(size_t)seen->prefix * width + i];
        assert_float_equal(grid[i], wanted, 1e-3 * (1 + fabs(wanted))); /* 16 bits */
    }
    sac_inference_free(seen);
    sac_pretrained_model_close(model);
    sac_image_free(&image);
    free(grid);
}

/* Features are those that the folder's own model gives; the file of the weights holds that model,
 * and is enough to caption a photograph. */
TEST(models_of_others_see_photographs)
{
    static const char *const folders[] = {
        "vit",    "../encoders/resnet",    "deit",
        "dinov2", "dinov2_with_registers", "../encoders/resnet_basic"};
    for (int i = 0; i < (test_is_thorough() ? 6 : 2); i++) {
        char path[512], cache[64];
        snprintf(path, sizeof path, REFERENCES "/%s", folders[i]);
        snprintf(cache, sizeof cache, "features-%d", i);
        sac_training_options how = training(4, in_folder("seeing.safetensors"), cache);
        give(&how.values, "views", 2);
        sac_captioner *captioner = create_seeing(path, &how.values), *loaded;
        OK(sac_train(&captioner->base, &how, NULL, NULL, &failure));
        check_cells(captioner, path, 2);
        OK(sac_checkpoint_save(&captioner->base, how.out, 4, 5, NULL, &failure));
        OK(sac_captioner_load(device, how.out, &loaded, &failure));
        sac_model_values again = how.values;
        unlink(in_folder("again"));
        again.text[0][option("cache")] = in_folder("again");
        OK(sac_captioner_class.prepare(&loaded->base, &again, &failure));
        assert_same_file(in_folder(cache), in_folder("again"));
        sac_image image, square;
        sac_result first, second;
        const sac_result_request greedy = {.beam = 1};
        OK(sac_image_load(in_folder("2.png"), &image, &failure));
        for (int k = 0; k < 2; k++) {
            sac_captioner *c = k ? loaded : captioner;
            OK(sac_captioner_square(&c->shape, &image, &square, &failure));
            OK(sac_captioner_encode_square(c, &square, &failure));
            OK(sac_captioner_generate(c, &greedy, k ? &second : &first, &failure));
            sac_image_free(&square);
        }
        assert_int_equal(first.count, second.count);
        for (int k = 0; k < first.count * loaded->cells; k++)
            assert_float_equal(first.weights[k], second.weights[k], 1e-6);
        sac_result_free(&first);
        sac_result_free(&second);
        sac_image_free(&image);
        sac_captioner_destroy(captioner);
        sac_captioner_destroy(loaded);
    }
}

/* Also without the folder: the checkpoint holds the model. */
TEST(a_training_on_a_model_of_others_goes_on_to_the_last_bit)
{
    THOROUGH_ONLY;
    sac_training_options how = training(12, in_folder("whole.safetensors"), "vit-features");
    const char *checkpoint = in_folder("parts.safetensors.checkpoint");
    give(&how.values, "views", 2);
    give(&how.values, "grid-dropout", 0.2f);
    sac_captioner *captioner = create_seeing(REFERENCES "/vit", &how.values);
    OK(sac_train(&captioner->base, &how, NULL, NULL, &failure));
    sac_captioner_destroy(captioner);
    how.out = in_folder("parts.safetensors");
    captioner = create_seeing(REFERENCES "/vit", &how.values);
    assert_int_equal(sac_train(&captioner->base, &how, stop_at_seven, NULL, &failure),
                     SAC_E_CANCELLED);
    sac_captioner_destroy(captioner);

    sac_model *model;
    sac_training_options rest = {
        .values = options("vit-features"), .out = how.out, .resume = checkpoint};
    for (int i = 0; sac_captioner_class.options[i].name; i++)
        rest.values.given[i] = false;
    OK(sac_checkpoint_create_like(&sac_captioner_class, device, checkpoint, &rest.values, 9, &model,
                                  &failure));
    OK(sac_train(model, &rest, NULL, NULL, &failure));
    sac_model_destroy(model);
    assert_same_file(in_folder("whole.safetensors"), in_folder("parts.safetensors"));
}

static void refuse_encoder(const char *encoder, sac_status status, const char *expected)
{
    sac_model *model;
    sac_model_values values = options("features");
    values.text[0][option("encoder")] = encoder;
    REFUSES(status, expected, sac_captioner_class.create(device, &values, 3, &model, &failure));
    assert_null(model);
}

TEST(what_does_not_see_is_no_encoder)
{
    refuse_encoder(REFERENCES "/bert", SAC_E_ARGUMENT,
                   "…/bert: reads text, and sees no pictures; give the folder of a model that sees "
                   "pictures and does nothing else");
    refuse_encoder(REFERENCES "/show_attend_tell", SAC_E_ARGUMENT,
                   "…/show_attend_tell: is a captioner of its own; …");
    refuse_encoder(folder, SAC_E_FORMAT,
                   "…: is a folder without a config.json; give published weights of "
                   "EfficientNet-Lite, the folder of a model that sees (config.json and its "
                   "weights), or cnn");
    refuse_encoder("/nowhere", SAC_E_FILE, "/nowhere: …");
    refuse_encoder(NULL, SAC_E_ARGUMENT, "--encoder: is missing: …");
}

TEST(a_file_without_the_model_that_it_saw_with_is_refused)
{
    const sac_model_values values = options("features");
    sac_captioner *captioner = create_seeing(REFERENCES "/vit", &values), *loaded;
    size_t count = captioner->base.parameters.guests.count;
    const char *path = in_folder("blind.safetensors");
    captioner->base.parameters.guests.count = 3;
    OK(sac_checkpoint_save(&captioner->base, path, 0, 0, NULL, &failure));
    captioner->base.parameters.guests.count = count;
    sac_captioner_destroy(captioner);
    REFUSES(SAC_E_FORMAT, "…blind.safetensors: …the tensor \"…\" is missing; give the whole model",
            sac_captioner_load(device, path, &loaded, &failure));
}

/* Layers of its own, which learn from the pictures themselves. */
static sac_captioner *create_small(sac_captioner_words *words)
{
    sac_captioner *captioner;
    sac_captioner_shape shape = sac_captioner_photograph_shape("cnn", words, SAC_SCORE_ADDITIVE);
    shape.side = 32;
    shape.layers = 3;
    for (int i = 0; i < 3; i++)
        shape.layer[i].channels = shape.network.features = 16;
    shape.attention = 16;
    shape.hidden = shape.embedding = 32;
    OK(sac_captioner_create(device, &shape, 3, &captioner, &failure));
    sac_captioner_shape_free(&shape);
    return captioner;
}

/* Of two pictures that are held out one is what all others are. */
TEST(captions_without_blanks_are_judged_by_their_characters)
{
    static const char *const list[] = {"一", "只", "狗"};
    sac_training_options how = training(40, in_folder("characters.safetensors"), "none");
    sac_captioner_shape shape = shape_of_words(list, 3, false);
    sac_captioner *captioner = create_small(shape.words);
    double score;
    sac_captioner_shape_free(&shape);
    write_text("characters.csv", "image,caption\n0.png,一只狗\n1.png,一只狗\n2.png,一只狗\n"
                                 "3.png,一只狗\n4.png,一只狗\n5.png,海边的船\n");
    write_text("characters.val", "4.png\n5.png\n");
    how.values.text[0][option("captions")] = in_folder("characters.csv");
    how.values.text[0][option("val")] = in_folder("characters.val");
    give(&how.values, "views", 0);
    OK(sac_train(&captioner->base, &how, NULL, NULL, &failure));
    assert_message(captioner, 4, "一 只 狗");
    OK(sac_album_judge(captioner, &score, &failure));
    assert_true(score > 1);
    sac_captioner_destroy(captioner);
}

TEST(small_layers_learn_a_few_pictures_by_heart)
{
    sac_training_options how = training(300, in_folder("layers.safetensors"), "none");
    give(&how.values, "label-smoothing", 0);
    give(&how.values, "views", 0);
    sac_captioner *whole = create(), *captioner = create_small(whole->shape.words), *loaded;
    sac_captioner_destroy(whole);
    OK(sac_train(&captioner->base, &how, NULL, NULL, &failure));
    assert_int_equal(access(in_folder("none"), F_OK), -1);
    sac_captioner_destroy(captioner);
    OK(sac_captioner_load(device, how.out, &loaded, &failure));
    for (int i = 0; i < PICTURES - 1; i++)
        assert_message(loaded, i, captions[i]);
    sac_captioner_destroy(loaded);
}

TEST_MAIN(open_all, close_all)
