/* src/app/document_loader: what a model of a folder sees turns from picture to picture, and the
 * heads of a captioner turn with its caption. */
#include <sys/stat.h>

#include "app/document_loader.h"
#include "architectures/architectures.h"
#include "canvas/text.h"
#include "captioner/captioner.h"
#include "device/device.h"
#include "home.h"
#include "models/checkpoint.h"
#include "view/settings.h"

/* A folder of three pictures, the second of which is cut. */
static int make_pictures(void **state)
{
    if (make_home(state) || viz_text_open(NULL) != SAC_OK)
        return 1;
    FILE *cut = fopen(in("b.png"), "wb");
    if (!cut || fwrite("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 1, 16, cut) != 16 || fclose(cut) != 0)
        return 1;
    return symlink(PICTURES "/garden.png", in("a.png")) ||
           symlink(PICTURES "/harbour.png", in("c.png"));
}

static int remove_pictures(void **state)
{
    viz_text_close();
    return remove_home(state);
}

/* What the window does with an opening; takes it over. */
static sac_status run(viz_opening *opening, sac_error *error)
{
    assert_non_null(opening);
    sac_status status = opening->open(opening, error);
    if (status == SAC_OK)
        opening->take(opening);
    opening->destroy(opening);
    return status;
}

static void run_well(viz_opening *opening)
{
    OK(run(opening, &failure));
}

static void open_pictures(app_document *document, const char *model, const char *tab)
{
    app_request request = {
        .files = (const char *const[]){model, home}, .file_count = 2, .device = "cpu", .tab = tab};
    run_well(app_load_first(document, &request, &failure));
}

static bool press(app_document *document, int key, bool shift)
{
    viz_view *view = viz_shell_tab_view(&document->shell);
    return view->class->event(view, &(viz_event){.kind = VIZ_KEY, .key = key, .shift = shift});
}

/* Turns as the window does. */
static sac_status turn(app_document *document, int key, bool shift, sac_error *error)
{
    assert_true(press(document, key, shift));
    viz_view *view = viz_shell_tab_view(&document->shell);
    int chosen = view->class->choose(view);
    assert_true(chosen >= 0 && view->class->choose(view) < 0);
    return run(app_load_reading(document, chosen, error), error);
}

static void assert_shows(const app_document *document, const char *picture, int number)
{
    char status[512], place[32];
    const sac_source *source = document->weights;
    const viz_view *view = viz_shell_tab_view(&document->shell);
    assert_non_null(strstr(source->weights.opened.image_file, picture));
    assert_int_equal(source->picture.number, number);
    assert_int_equal(source->picture.count, 3);
    assert_string_equal(view->class->name, "heads");
    view->class->status(view, status, sizeof status);
    snprintf(place, sizeof place, "%d of 3", number + 1);
    assert_non_null(strstr(status, place));
}

static void put_layer_and_key(void *user, const char *key, const char *value)
{
    char(*found)[16] = user;
    if (strcmp(key, "layer") == 0)
        snprintf(found[0], sizeof *found, "%s", value);
    if (strcmp(key, "key") == 0)
        snprintf(found[1], sizeof *found, "%s", value);
}

TEST(the_heads_of_a_model_that_sees_turn_to_other_pictures)
{
    app_document document = {0};
    char found[2][16] = {"", ""};
    open_pictures(&document, REFERENCES "/vit", NULL);
    assert_shows(&document, "garden.png", 0);
    press(&document, VIZ_KEY_DOWN, false);
    const sac_pretrained_model *model = document.model;
    REFUSES(SAC_E_FORMAT, "…b.png…", turn(&document, 'n', false, &failure));
    assert_shows(&document, "garden.png", 0); /* the next turn goes past the damaged one */
    OK(turn(&document, 'n', false, &failure));
    assert_shows(&document, "harbour.png", 2);
    assert_ptr_equal(document.model, model); /* it was not read again */
    viz_view *view = viz_shell_tab_view(&document.shell);
    viz_view_describe(view, put_layer_and_key, found);
    assert_string_equal(found[0], "1");
    assert_string_equal(found[1], "largest");
    OK(turn(&document, 'n', false, &failure));
    assert_shows(&document, "garden.png", 0);
    OK(turn(&document, 'n', true, &failure));
    assert_shows(&document, "harbour.png", 2);
    app_document_close(&document);
}

static void put_layer_and_head(void *user, const char *key, const char *value)
{
    char(*found)[16] = user;
    if (strcmp(key, "layer") == 0)
        snprintf(found[0], sizeof *found, "%s", value);
    if (strcmp(key, "head") == 0)
        snprintf(found[1], sizeof *found, "%s", value);
}

/* A model that finds what phrases name in a picture of 60 x 60 patches, whose heads are shown one at a time. */
TEST(what_was_found_in_many_patches_shows_all_heads_of_the_last_layer)
{
    static const char *const same[] = {"config.json", "model.safetensors", "vocab.json",
                                       "merges.txt", "tokenizer_config.json"};
    app_document document = {0};
    char found[2][16] = {"", ""}, to[PATH_MAX + 64], folder[PATH_MAX + 8];
    snprintf(folder, sizeof folder, "%s/owl", home);
    assert_int_equal(mkdir(folder, 0700), 0);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        char from[512];
        snprintf(from, sizeof from, "%s/owlv2/%s", REFERENCES, same[i]);
        snprintf(to, sizeof to, "%s/%s", folder, same[i]);
        assert_int_equal(symlink(from, to), 0);
    }
    snprintf(to, sizeof to, "%s/preprocessor_config.json", folder);
    FILE *rules = fopen(to, "w");
    assert_non_null(rules);
    fputs("{\"image_processor_type\": \"Owlv2ImageProcessor\", \"size\": {\"height\": 240, "
          "\"width\": 240}}",
          rules);
    assert_int_equal(fclose(rules), 0);
    app_request request = {.files = (const char *const[]){folder, PICTURES "/garden.png"},
                           .file_count = 2,
                           .device = "cpu",
                           .windowless = true};
    run_well(app_load_first(&document, &request, &failure));
    viz_view *view = viz_shell_tab_view(&document.shell);
    assert_string_equal(view->class->name, "found");
    viz_view_settle(view, NULL);
    viz_view_describe(view, put_layer_and_head, found);
    assert_string_equal(found[0], "2");
    assert_string_equal(found[1], "mean");
    app_document_close(&document);
}

TEST(the_heads_of_a_captioner_turn_with_what_it_shows)
{
    app_document document = {0};
    open_pictures(&document, REFERENCES "/blip", NULL);
    assert_null(app_load_requested_in_views(&document, &failure));
    assert_int_equal(sac_source_turn_to_example(document.caption, 2, &failure), SAC_OK);
    assert_null(
        app_load_requested_in_views(&document, &failure)); /* the captions themselves have turned */
    assert_true(viz_shell_show(&document.shell, "heads"));
    run_well(app_load_requested_in_views(&document, &failure));
    assert_shows(&document, "harbour.png", 2);
    assert_null(app_load_requested_in_views(&document, &failure));
    OK(turn(&document, 'n', false, &failure));
    assert_shows(&document, "garden.png", 0);
    assert_int_equal(document.caption->picture.number, 0);
    app_document_close(&document);
}

TEST(a_picture_alone_has_no_next_one)
{
    app_document document = {0};
    app_request request = {.files =
                               (const char *const[]){REFERENCES "/vit", PICTURES "/garden.png"},
                           .file_count = 2,
                           .device = "cpu"};
    run_well(app_load_first(&document, &request, &failure));
    assert_false(press(&document, 'n', false));
    assert_false(press(&document, 'p', false));
    app_document_close(&document);
}

/* A captioner of photographs whose decoder has layers, of random weights. */
static void save_captioner(const char *name)
{
    static const char *const words[] = {"a", "cat", "dog"};
    sac_device *device;
    sac_captioner *captioner;
    sac_caption_vocabulary table;
    OK(sac_caption_vocabulary_create(words, 3, &table, &failure));
    sac_captioner_words *list = sac_captioner_words_create(&table);
    sac_captioner_shape shape = sac_captioner_layered_shape("lite0", list);
    sac_captioner_words_free(list);
    shape.side = 64;
    shape.network.features = 12;
    shape.stack.layers = 2;
    shape.stack.heads = 3;
    shape.stack.hidden = 16;
    shape.no_repeat = 0;
    OK(sac_device_open("cpu", &device, &failure));
    OK(sac_captioner_create(device, &shape, 3, &captioner, &failure));
    OK(sac_checkpoint_save((sac_model *)captioner, in(name), 0, 3, NULL, &failure));
    sac_captioner_destroy(captioner);
    sac_captioner_shape_free(&shape);
    sac_device_close(device);
}

/* Heads of words that look at the picture, and at each other. */
TEST(the_heads_of_a_decoder_of_layers_turn_with_what_it_shows)
{
    char weights[PATH_MAX + 32];
    const char *files[] = {PICTURES "/garden.png", PICTURES "/harbour.png"};
    app_document document = {0};
    save_captioner("layers.safetensors");
    snprintf(weights, sizeof weights, "%s/layers.safetensors", home);
    app_request request = {.files = files, .file_count = 2, .device = "cpu", .weights = weights};
    run_well(app_load_first(&document, &request, &failure));
    const sac_source *heads = document.weights;
    assert_non_null(heads);
    assert_string_equal(viz_shell_tab_view(&document.shell)->class->name, "caption");
    assert_int_equal(heads->weights.layers, 2);
    assert_int_equal(heads->weights.heads, 3);
    assert_int_equal(heads->weights.positions, 4);
    assert_non_null(heads->picture.image);
    assert_int_equal(sac_source_turn_to_example(document.caption, 1, &failure), SAC_OK);
    assert_null(
        app_load_requested_in_views(&document, &failure)); /* the captions themselves have turned */
    assert_true(viz_shell_show(&document.shell, "heads"));
    run_well(app_load_requested_in_views(&document, &failure));
    assert_int_equal(document.weights->picture.number, 1);
    assert_string_equal(viz_shell_tab_view(&document.shell)->class->name, "heads");

    /* The other attention, out of the list. */
    assert_true(viz_shell_show(&document.shell, "contents"));
    run_well(app_load_reading(&document, 0, &failure));
    assert_string_equal(viz_shell_tab_view(&document.shell)->class->name, "heads");
    assert_null(document.weights->picture.image);
    assert_string_equal(document.weights->weights.made.mask, "causal");
    assert_int_equal(document.caption->picture.number, 1);
    app_document_close(&document);
    unlink(weights);
}

/* With a captioner the caption is opened. */
TEST(a_picture_with_a_captioner_of_ones_own_opens_on_its_caption)
{
    char weights[PATH_MAX + 32];
    const char *files[] = {PICTURES "/garden.png"};
    app_document document = {0};
    save_captioner("own.safetensors");
    snprintf(weights, sizeof weights, "%s/own.safetensors", home);
    app_request request = {.files = files, .file_count = 1, .device = "cpu", .weights = weights};
    run_well(app_load_first(&document, &request, &failure));
    assert_string_equal(viz_shell_tab_view(&document.shell)->class->name, "caption");
    app_document_close(&document);
    request.tab = "picture";
    run_well(app_load_first(&document, &request, &failure));
    assert_string_equal(viz_shell_tab_view(&document.shell)->class->name, "picture");
    app_document_close(&document);
    unlink(weights);
}

static void assert_captions(const app_document *document, const char *topic, const char *generated)
{
    char text[512];
    sac_result caption = {0};
    const sac_result_request plain = {0};
    assert_string_equal(document->caption->result.topic, topic);
    OK(sac_source_generate(document->caption, &plain, &caption, &failure));
    assert_string_equal(sac_result_text(&caption, text, sizeof text), generated);
    sac_result_free(&caption);
}

/* Where no model is chosen, each picture is captioned by that of its kind. */
TEST(a_picture_of_another_kind_is_opened_with_the_model_of_its_kind)
{
    static const char kite[] = "a child flies a purple kite on the beach and the sun shines";
    const char *files[] = {PICTURES "/../samples/kite.png", PICTURES "/../samples/shapes.png"};
    app_document document = {0};
    app_request request = {.files = files, .file_count = 2, .device = "cpu"};
    run_well(app_load_first(&document, &request, &failure));
    assert_captions(&document, "book", kite);
    OK(sac_source_turn_to_example(document.caption, 0, &failure));
    assert_false(document.caption->picture.elsewhere);
    REFUSES(SAC_E_ARGUMENT, "shapes.png: needs another model than that of book; …",
            sac_source_turn_to_example(document.caption, 1, &failure));
    assert_true(document.caption->picture.elsewhere);
    assert_int_equal(document.caption->picture.number, 0);
    run_well(app_load_reading(&document, 1, &failure));
    assert_captions(&document, "shapes",
                    "a large green star left of a small purple triangle and a small black circle");
    assert_string_equal(viz_shell_tab_view(&document.shell)->class->name, "caption");
    run_well(app_load_reading(&document, 0, &failure));
    assert_captions(&document, "book", kite);
    app_document_close(&document);

    request.dataset = "book"; /* a person's choice holds for all */
    run_well(app_load_first(&document, &request, &failure));
    OK(sac_source_turn_to_example(document.caption, 1, &failure));
    app_document_close(&document);
}

/* The piece of the sound whose heads are shown, which is captioned too, and how many are known. */
static void assert_piece(const app_document *document, int number, int count)
{
    const sac_source *heads = document->weights, *sound = document->caption;
    const sac_image *shown = heads->picture.image, *input = sound->picture.image;
    const size_t pixels = (size_t)input->width * (size_t)input->height;
    sac_result caption;
    assert_int_equal(heads->picture.number, number);
    assert_int_equal(heads->picture.count, count);
    assert_int_equal(sound->picture.number, number);
    assert_int_equal(shown->width, input->width);
    assert_memory_equal(shown->rgba, input->rgba, 4 * pixels);
    OK(sac_source_generate(document->caption, &(sac_result_request){0}, &caption, &failure));
    assert_float_equal(caption.from, 0.22 * number, 1e-4); /* as make_whisper_long.py has them */
    sac_result_free(&caption);
}

TEST(the_heads_of_a_long_sound_turn_to_its_pieces)
{
    app_document document = {0};
    const app_request request = {
        .files =
            (const char *const[]){REFERENCES "/whisper_long", REFERENCES "/whisper_long/sound.wav"},
        .file_count = 2,
        .device = "cpu",
        .tab = "heads",
        .array = "cross",
        .language = "en"};
    run_well(app_load_first(&document, &request, &failure));
    assert_piece(&document, 0, 2);
    for (int piece = 1; piece < 4; piece++) {
        OK(turn(&document, 'n', false, &failure));
        assert_piece(&document, piece, piece + 2);
    }
    OK(turn(&document, 'p', false, &failure));
    assert_piece(&document, 2, 5);
    OK(sac_source_turn_to_example(document.caption, 4,
                                  &failure)); /* as in the Caption tab: the heads follow */
    run_well(app_load_requested_in_views(&document, &failure));
    assert_piece(&document, 4, 6);
    app_document_close(&document);
}

TEST_MAIN(make_pictures, remove_pictures)
