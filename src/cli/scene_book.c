/* saccade scene --world book: draws a scene of the picture book and tells its truth. */

#include "cli/scene_book.h"

#include <stdlib.h>

#include "base/error.h"
#include "book/scene.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "formats/png_write.h"

/* The sentence, and where each of its words is to be seen. */
static void print_scene(const sac_book_scene *scene, int side)
{
    char text[256];
    puts(sac_book_sentence(scene->word, scene->words, text, sizeof text));
    for (int i = 0; i < scene->words - 1; i++) {
        printf("  %-11s", sac_book_word_text(scene->word[i]));
        for (int k = 0; k < scene->look[i].count; k++) {
            const float *box = scene->look[i].box[k];
            printf("  x %.0f to %.0f y %.0f to %.0f", (double)(box[0] * (float)side),
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

int cli_scene_book(bool training, uint64_t seed, int side, const char *png, bool json)
{
    sac_error error = {0};
    sac_book_scene scene;
    sac_book_make(training ? SAC_STREAM_TRAINING : SAC_STREAM_TEST, seed, &scene);
    char *text = sac_book_json(&scene, side);
    sac_status status = SAC_OK;
    if (!text || cli_json_has_gap())
        status = sac_fail(&error, SAC_E_MEMORY, "scene", NULL, "no memory for its JSON");
    else if (png)
        status = write_png(&scene, side, png, text, &error);
    if (status == SAC_OK && json)
        puts(text);
    else if (status == SAC_OK)
        print_scene(&scene, side);
    free(text);
    return status == SAC_OK ? CLI_DONE : cli_report(&error);
}
