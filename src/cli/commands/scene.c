/* saccade scene: draws a scene and prints its truth; saccade sentence: the same of a sentence. */
#include <stdlib.h>
#include <string.h>

#include "app/open/captioner.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/text/printable.h"
#include "base/text/utf8.h"
#include "book/scene.h"
#include "cli/cli.h"
#include "cli/drawing.h"
#include "cli/json.h"
#include "grammar/sentence.h"
#include "images/png_write.h"
#include "shapes/truth.h"

enum { LEAST_SIDE = 8, MOST_SIDE = 8192 };

/* The options, as they were given. */
typedef struct request {
    uint64_t seed;
    sac_stream stream;
    int side;
    const char *png, *sheet;
    bool json, book;
} request;

static int check_side(int side)
{
    char what[64], remedy[64];
    if (side >= LEAST_SIDE && side <= MOST_SIDE)
        return CLI_DONE;
    snprintf(what, sizeof what, "%d pixels are out of range", side);
    snprintf(remedy, sizeof remedy, "give %d to %d", LEAST_SIDE, MOST_SIDE);
    return cli_usage("--side", what, remedy);
}

static int read_request(cli_args args, request *r)
{
    const char *stream = NULL, *dataset = NULL;
    int files;
    cli_drawing drawing = {.types = CLI_BIT(CLI_PNG),
                           .what = "the picture, which holds its ground truth, or what --json "
                                   "prints",
                           .json = &r->json};
    const cli_option own[] = {
        {"--seed", CLI_SEED, &r->seed, NULL, "N", "number of the scene in the stream (default 0)"},
        {"--dataset", CLI_TEXT, &dataset, NULL, "D",
         CLI_DATASET_HELP "; the default is book where its captioner is installed"},
        {"--stream", CLI_TEXT, &stream, NULL, "S",
         "test (default), training, varied or all-pairs; the streams share no scene"},
        {"--side", CLI_WHOLE, &r->side, NULL, "N",
         "width and height of the picture in pixels, 8 to 8192 (default 448)"},
        {"--sheet", CLI_TEXT, &r->sheet, NULL, "CxR",
         "of the picture book: C columns and R rows of scenes, from N on, in one picture"},
        {"--json", CLI_FLAG, &r->json, NULL, NULL, "print the ground truth as JSON"},
        {NULL},
    };
    r->side = SAC_SCENE_SIDE;
    int status = cli_parse_drawing(args, own, &drawing, NULL, 0, &files);
    r->png = cli_drawing_path(&drawing, CLI_PNG);
    if (status == CLI_DONE && stream && !sac_stream_find(stream, &r->stream)) {
        char what[128];
        snprintf(what, sizeof what, "unknown stream \"%.60s\"", stream);
        status = cli_usage("--stream", what, "give test, training, varied or all-pairs");
    }
    if (status == CLI_DONE)
        status = cli_dataset_check(dataset);
    r->book =
        strcmp(dataset && status == CLI_DONE ? dataset : app_default_dataset()->name, "book") == 0;
    if (status == CLI_DONE && r->book && r->stream == SAC_STREAM_VARIED)
        status =
            cli_usage("--stream", "the picture book has no varied stream", "add --dataset shapes");
    return status == CLI_DONE ? check_side(r->side) : status;
}

/* ---------------------------------------------------------------- output */

/* "large red circle" */
static char *format_object_name(const sac_scene_object *object, char *name, size_t size)
{
    snprintf(name, size, "%s %s %s", object->large ? "large" : "small",
             sac_word_text(SAC_WORD_COLOUR + object->colour),
             sac_word_text(SAC_WORD_SHAPE + object->shape));
    return name;
}

static void print_scene(const request *r, const sac_scene *scene)
{
    char text[256];
    int width = 0;
    sac_print(stdout, "%s\n", sac_sentence(scene->word, scene->words, text, sizeof text));
    for (int i = 0; i < scene->count; i++) {
        int length = (int)strlen(format_object_name(&scene->objects[i], text, sizeof text));
        width = length > width ? length : width;
    }
    for (int i = 0; i < scene->count; i++) {
        const sac_scene_object *object = &scene->objects[i];
        double side = r->side;
        sac_print(stdout, "  %-*s  x %6.1f to %6.1f  y %6.1f to %6.1f  %7zu pixels seen\n", width,
                  format_object_name(object, text, sizeof text), side * (double)object->box[0],
                  side * (double)object->box[2], side * (double)object->box[1],
                  side * (double)object->box[3], sac_scene_visible_pixels(scene, r->side, i));
    }
}

/* Draws the scene, and prints its truth. */
static sac_status draw_and_print_scene(const request *r, sac_error *error)
{
    sac_scene scene;
    sac_book_scene page;
    sac_image image = {0};
    char caption[256], *json;
    if (r->book) {
        sac_book_make(r->stream, r->seed, &page);
        sac_book_sentence(page.word, page.words, caption, sizeof caption);
        json = sac_book_json(&page, r->side);
    } else {
        sac_scene_make(r->stream, r->seed, &scene);
        sac_sentence(scene.word, scene.words, caption, sizeof caption);
        json = sac_scene_json(&scene, r->side);
    }
    sac_status status =
        json && !cli_json_is_out_of_memory() ? SAC_OK : sac_no_memory(error, "scene");
    if (status == SAC_OK && r->png)
        status = r->book ? sac_book_image(&page, r->side, &image, error)
                         : sac_scene_image(&scene, r->side, &image, error);
    if (status == SAC_OK && r->png) {
        const sac_png_text texts[] = {{"Software", "Saccade " SAC_VERSION},
                                      {"Title", caption},
                                      {r->book ? "book" : "scene", json}};
        status = sac_png_save(r->png, &image, texts, sizeof texts / sizeof *texts, error);
    }
    if (status == SAC_OK && r->json)
        cli_print_json_text(json);
    else if (status == SAC_OK && r->book) {
        /* The sentence, and where each of its words is to be seen. */
        char text[256];
        sac_print(stdout, "%s\n", sac_book_sentence(page.word, page.words, text, sizeof text));
        for (int i = 0; i < page.words - 1; i++) {
            sac_print(stdout, "  %-11s", sac_book_word_text(page.word[i]));
            for (int k = 0; k < page.look[i].count; k++) {
                const float *box = page.look[i].box[k];
                sac_print(stdout, "  x %.0f to %.0f y %.0f to %.0f",
                          (double)(box[0] * (float)r->side), (double)(box[2] * (float)r->side),
                          (double)(box[1] * (float)r->side), (double)(box[3] * (float)r->side));
            }
            putchar('\n');
        }
    } else if (status == SAC_OK)
        print_scene(r, &scene);
    sac_image_free(&image);
    free(json);
    return status;
}

/* ---------------------------------------------------------------- sheets */

enum { MOST_ON_A_SIDE = 40 };

/* Draws the scene at (left, top) of the sheet, and prints its sentence. */
static sac_status add_to_sheet(const request *r, uint64_t seed, int left, int top, sac_image *sheet,
                               sac_error *error)
{
    char caption[256];
    sac_image image = {0};
    sac_book_scene scene;
    sac_book_make(r->stream, seed, &scene);
    sac_status status = sac_book_image(&scene, r->side, &image, error);
    if (status != SAC_OK)
        return status;
    size_t row = (size_t)r->side * 4;
    for (int y = 0; y < r->side; y++)
        memcpy(sheet->rgba + ((size_t)(top + y) * (size_t)sheet->width + (size_t)left) * 4,
               image.rgba + (size_t)y * row, row);
    sac_image_free(&image);
    sac_print(stdout, "%s\n", sac_book_sentence(scene.word, scene.words, caption, sizeof caption));
    return SAC_OK;
}

static sac_status draw_sheet(const request *r, int columns, int rows, sac_error *error)
{
    const sac_png_text texts[] = {{"Software", "Saccade " SAC_VERSION}};
    int gap = r->side / 32 + 1, pitch = r->side + gap;
    sac_image sheet = {0};
    sac_status status = sac_image_create(columns * pitch + gap, rows * pitch + gap, &sheet, error);
    if (status != SAC_OK)
        return status;
    memset(sheet.rgba, 255, (size_t)sheet.width * (size_t)sheet.height * 4);
    for (int i = 0; status == SAC_OK && i < columns * rows; i++)
        status = add_to_sheet(r, r->seed + (uint64_t)i, gap + i % columns * pitch,
                              gap + i / columns * pitch, &sheet, error);
    if (status == SAC_OK)
        status = sac_png_save(r->png, &sheet, texts, 1, error);
    sac_image_free(&sheet);
    return status;
}

static int run_scene(cli_args args)
{
    request r = {0};
    sac_error error = {0};
    int status = read_request(args, &r);
    if (status != CLI_DONE)
        return status < 0 ? CLI_DONE : status;
    if (r.sheet && !r.book)
        return cli_usage("--sheet", "works with the picture book only", "add --dataset book");
    if (r.sheet) {
        int columns, rows;
        if (!cli_read_sides(r.sheet, 1, MOST_ON_A_SIDE, &columns, &rows))
            return cli_usage("--sheet", "is not a size of 1 to 40 columns and rows",
                             "give, for example, --sheet 4x3");
        if (!r.png)
            return cli_usage("--sheet", "needs a picture to write", "add --out FILE.png");
        return draw_sheet(&r, columns, rows, &error) == SAC_OK ? CLI_DONE : cli_report(&error);
    }
    return draw_and_print_scene(&r, &error) == SAC_OK ? CLI_DONE : cli_report(&error);
}

const cli_command cli_scene = {"scene", "[--seed N] [OPTIONS]",
                               "render a synthetic scene with its ground truth", run_scene};

/* ---------------------------------------------------------------- saccade sentence: an English sentence, its French
 * translation, and which word stands for which */

enum { MOST_SENTENCES = 1000000 };

typedef struct sentence_request {
    uint64_t seed;
    sac_text_stream stream;
    int count;
    bool figure, json;
} sentence_request;

/* ---------------------------------------------------------------- output */

static cJSON *words_json(const char (*words)[SAC_SENTENCE_WORD_SIZE], int count)
{
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < count; i++)
        cJSON_AddItemToArray(array, cJSON_CreateString(words[i]));
    return array;
}

static sac_status print_pair(const sentence_request *r, const sac_sentence_pair *pair,
                             sac_error *error)
{
    if (!r->json) {
        char text[2048];
        int width = 0;
        sac_print(stdout, "%s\n",
                  sac_sentence_join(pair->source, pair->source_count, text, sizeof text));
        sac_print(stdout, "%s\n",
                  sac_sentence_join(pair->target, pair->target_count, text, sizeof text));
        for (int t = 0; t < pair->target_count; t++) {
            int columns = (int)sac_utf8_length(pair->target[t]);
            width = columns > width ? columns : width;
        }
        for (int t = 0; t < pair->target_count; t++) {
            /* "du          of the": a French word and the English ones that it stands for. */
            const char *word = pair->target[t];
            sac_print(stdout, "  %s%*s", word, width - (int)sac_utf8_length(word), "");
            for (int i = 0; i < pair->source_count; i++)
                if (pair->links[t] >> i & 1)
                    sac_print(stdout, "  %s", pair->source[i]);
            putchar('\n');
        }
        return SAC_OK;
    }
    static const char *const reasons[] = {NULL, "pair", "length", "sentence"};
    cJSON *json = cJSON_CreateObject();
    cJSON_AddItemToObject(json, "source", words_json(pair->source, pair->source_count));
    cJSON_AddItemToObject(json, "target", words_json(pair->target, pair->target_count));
    cJSON *alignment = cJSON_AddArrayToObject(json, "alignment");
    for (int t = 0; t < pair->target_count; t++) { /* the words that it stands for, from 0 */
        cJSON *links = cJSON_CreateArray();
        for (int i = 0; i < pair->source_count; i++)
            if (pair->links[t] >> i & 1)
                cJSON_AddItemToArray(links, cJSON_CreateNumber(i));
        cJSON_AddItemToArray(alignment, links);
    }
    if (reasons[pair->held_out])
        cJSON_AddStringToObject(json, "held_out", reasons[pair->held_out]);
    else
        cJSON_AddNullToObject(json, "held_out");
    sac_status status = cli_print_json_line(cJSON_PrintUnformatted(json), "sentence", error);
    cJSON_Delete(json);
    return status;
}

static int run_sentence(cli_args args)
{
    sentence_request r = {0};
    sac_error error = {0};
    sac_sentence_pair pair;
    const char *stream = NULL;
    bool is_training = false;
    int files;
    const cli_option options[] = {
        {"--seed", CLI_SEED, &r.seed, NULL, "N",
         "number of the sentence in the stream (default 0)"},
        {"--stream", CLI_TEXT, &stream, NULL, "S",
         "test (default) or training; the streams share no sentence"},
        {"--count", CLI_WHOLE, &r.count, NULL, "N",
         "number of sentences, 1 to 1000000, of consecutive seeds (default 1)"},
        {"--figure", CLI_FLAG, &r.figure, NULL, NULL,
         "the sentence of figure 3 of Bahdanau et al. (2015) instead"},
        {"--json", CLI_FLAG, &r.json, NULL, NULL, "print one JSON object per line"},
        {0},
    };
    r.count = 1;
    int parsed = cli_parse(args, options, NULL, 0, &files);
    if (parsed == CLI_DONE)
        parsed = cli_read_stream(stream, &is_training);
    r.stream = is_training ? SAC_TEXT_TRAINING : SAC_TEXT_TEST;
    if (parsed == CLI_DONE && (r.count < 1 || r.count > MOST_SENTENCES))
        parsed = cli_usage("--count", "is out of range", "give a whole number from 1 to 1000000");
    if (parsed != CLI_DONE)
        return parsed < 0 ? CLI_DONE : parsed;
    sac_status status = SAC_OK;
    for (int i = 0; i < r.count && status == SAC_OK; i++) {
        if (r.figure)
            sac_sentence_make_for_figure(&pair);
        else
            sac_sentence_make(r.stream, r.seed + (uint64_t)i, &pair);
        status = sac_cancel_check("sentence", &error);
        if (status == SAC_OK)
            status = print_pair(&r, &pair, &error);
    }
    return status == SAC_OK ? CLI_DONE : cli_report(&error);
}

const cli_command cli_sentence = {
    "sentence", "[--seed N] [OPTIONS]",
    "generate an English sentence, its French translation and their word alignment", run_sentence};
