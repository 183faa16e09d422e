/* saccade scene --dataset book: draws a scene of the picture book and tells its truth. */

#include "cli/commands/scene_book.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/printable.h"
#include "book/scene.h"
#include "cli/cli.h"
#include "cli/drawing.h"
#include "cli/json.h"
#include "images/png_write.h"

/* The sentence, and where each of its words is to be seen. */
static void print_scene(const sac_book_scene *scene, int side)
{
    char text[256];
    sac_print(stdout, "%s\n", sac_book_sentence(scene->word, scene->words, text, sizeof text));
    for (int i = 0; i < scene->words - 1; i++) {
        sac_print(stdout, "  %-11s", sac_book_word_text(scene->word[i]));
        for (int k = 0; k < scene->look[i].count; k++) {
            const float *box = scene->look[i].box[k];
            sac_print(stdout, "  x %.0f to %.0f y %.0f to %.0f", (double)(box[0] * (float)side),
                      (double)(box[2] * (float)side), (double)(box[1] * (float)side),
                      (double)(box[3] * (float)side));
        }
        putchar('\n');
    }
}

static sac_status write_png(const sac_book_scene *scene, int side, const char *path,
                            const char *json, sac_error *error)
{
    char caption[256];
    sac_image image = {0};
    const sac_png_text texts[] = {
        {"Software", "Saccade " SAC_VERSION},
        {"Title", sac_book_sentence(scene->word, scene->words, caption, sizeof caption)},
        {"book", json},
    };
    sac_status status = sac_book_image(scene, side, &image, error);
    if (status == SAC_OK)
        status = sac_png_save(path, &image, texts, sizeof texts / sizeof *texts, error);
    sac_image_free(&image);
    return status;
}

static int tell_one(const cli_book_request *r)
{
    sac_error error = {0};
    sac_book_scene scene;
    sac_book_make(r->stream, r->seed, &scene);
    char *text = sac_book_json(&scene, r->side);
    sac_status status = SAC_OK;
    if (!text || cli_json_has_gap())
        status = sac_fail(&error, SAC_E_MEMORY, "scene", NULL, "out of memory for its JSON");
    else if (r->png)
        status = write_png(&scene, r->side, r->png, text, &error);
    if (status == SAC_OK && r->json)
        cli_print_json_text(text);
    else if (status == SAC_OK)
        print_scene(&scene, r->side);
    free(text);
    return status == SAC_OK ? CLI_DONE : cli_report(&error);
}

/* ---------------------------------------------------------------- sheets */

enum { MOST_ON_A_SIDE = 40 };

/* Draws the scene at (left, top) of the sheet, and prints its sentence. */
static sac_status add_to_sheet(const cli_book_request *r, uint64_t seed, int left, int top,
                               sac_image *sheet, sac_error *error)
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

static sac_status draw_sheet(const cli_book_request *r, int columns, int rows, sac_error *error)
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

static int tell_sheet(const cli_book_request *r)
{
    sac_error error = {0};
    int columns, rows;
    if (!cli_read_sides(r->sheet, 1, MOST_ON_A_SIDE, &columns, &rows))
        return cli_usage("--sheet", "is not a size of 1 to 40 columns and rows",
                         "give, for example, --sheet 4x3");
    if (!r->png)
        return cli_usage("--sheet", "needs a picture to write", "add --out FILE.png");
    return draw_sheet(r, columns, rows, &error) == SAC_OK ? CLI_DONE : cli_report(&error);
}

int cli_scene_book(const cli_book_request *r)
{
    return r->sheet ? tell_sheet(r) : tell_one(r);
}
