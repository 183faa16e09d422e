/* saccade scene: draws a scene and tells its truth. */
#include <stdlib.h>
#include <string.h>

#include "app/datasets.h"
#include "base/error.h"
#include "base/text/printable.h"
#include "cli/commands/scene_book.h"
#include "cli/drawing.h"
#include "cli/json.h"
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
    char what[64], todo[64];
    if (side >= LEAST_SIDE && side <= MOST_SIDE)
        return CLI_DONE;
    snprintf(what, sizeof what, "%d pixels are out of range", side);
    snprintf(todo, sizeof todo, "give %d to %d", LEAST_SIDE, MOST_SIDE);
    return cli_usage("--side", what, todo);
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
        {"--world", CLI_RENAMED, NULL, NULL, "--dataset", NULL},
        {"--stream", CLI_TEXT, &stream, NULL, "S",
         "test (default), training, varied or all-pairs; the streams share no scene"},
        {"--side", CLI_WHOLE, &r->side, NULL, "N",
         "width and height of the picture in pixels, 8 to 8192 (default 448)"},
        {"--sheet", CLI_TEXT, &r->sheet, NULL, "CxR",
         "of the picture book: C columns and R rows of scenes, from N on, in one picture"},
        {"--json", CLI_FLAG, &r->json, NULL, NULL, "print the ground truth as JSON"},
    };
    cli_option options[CLI_DRAWING_OPTIONS + sizeof own / sizeof *own + 1] = {{0}};
    int drawn = cli_drawing_options(&drawing, options);
    memcpy(options + drawn, own, sizeof own);
    r->side = SAC_SCENE_SIDE;
    int status = cli_parse_drawing(args, options, &drawing, NULL, 0, &files);
    r->png = cli_drawing_path(&drawing, CLI_PNG);
    if (status == CLI_DONE && stream && !sac_stream_find(stream, &r->stream)) {
        char what[128];
        snprintf(what, sizeof what, "unknown stream \"%.60s\"", stream);
        status = cli_usage("--stream", what, "give test, training, varied or all-pairs");
    }
    if (status == CLI_DONE)
        status = cli_dataset_check(dataset, NULL);
    r->book =
        strcmp(dataset && status == CLI_DONE ? dataset : app_default_world()->name, "book") == 0;
    if (status == CLI_DONE && r->book && r->stream == SAC_STREAM_VARIED)
        status =
            cli_usage("--stream", "the picture book has no varied stream", "add --dataset shapes");
    return status == CLI_DONE ? check_side(r->side) : status;
}

/* ---------------------------------------------------------------- what is told */

/* "large red circle" */
static char *name_object(const sac_scene_object *object, char *name, size_t size)
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
        int length = (int)strlen(name_object(&scene->objects[i], text, sizeof text));
        width = length > width ? length : width;
    }
    for (int i = 0; i < scene->count; i++) {
        const sac_scene_object *object = &scene->objects[i];
        double side = r->side;
        sac_print(stdout, "  %-*s  x %6.1f to %6.1f  y %6.1f to %6.1f  %7zu pixels seen\n", width,
                  name_object(object, text, sizeof text), side * (double)object->box[0],
                  side * (double)object->box[2], side * (double)object->box[1],
                  side * (double)object->box[3], sac_scene_visible_pixels(scene, r->side, i));
    }
}

static sac_status write_png(const request *r, const sac_scene *scene, const char *json,
                            sac_error *error)
{
    char caption[256];
    sac_image image = {0};
    const sac_png_text texts[] = {
        {"Software", "Saccade " SAC_VERSION},
        {"Title", sac_sentence(scene->word, scene->words, caption, sizeof caption)},
        {"scene", json},
    };
    sac_status status = sac_scene_image(scene, r->side, &image, error);
    if (status == SAC_OK)
        status = sac_png_save(r->png, &image, texts, sizeof texts / sizeof *texts, error);
    sac_image_free(&image);
    return status;
}

static sac_status tell(const request *r, const sac_scene *scene, sac_error *error)
{
    char *json = sac_scene_json(scene, r->side);
    if (!json || cli_json_has_gap()) {
        free(json);
        return sac_no_memory(error, "scene");
    }
    sac_status status = r->png ? write_png(r, scene, json, error) : SAC_OK;
    if (status == SAC_OK && r->json)
        cli_print_json_text(json);
    else if (status == SAC_OK)
        print_scene(r, scene);
    free(json);
    return status;
}

int cli_scene(cli_args args)
{
    request r = {0};
    sac_scene scene;
    sac_error error = {0};
    int status = read_request(args, &r);
    if (status != CLI_DONE)
        return status < 0 ? CLI_DONE : status;
    if (r.book)
        return cli_scene_book(
            &(cli_book_request){r.stream, r.seed, r.side, r.png, r.sheet, r.json});
    if (r.sheet)
        return cli_usage("--sheet", "works with the picture book only", "add --dataset book");
    sac_scene_make(r.stream, r.seed, &scene);
    return tell(&r, &scene, &error) == SAC_OK ? CLI_DONE : cli_report(&error);
}
