/* Replaces a lesson's own data with the user's: a sentence, a picture, arrays. */
#include "lessons/engine/own_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/utf8.h"
#include "images/folder.h"
#include "saccade_arrays.h"

/* ---------------------------------------------------------------- files */

sac_status sac_own_file_open(const char *path, sac_own_file *file, sac_error *error)
{
    *file = (sac_own_file){0};
    if (sac_file_kind_of(path) == SAC_FILE_PICTURE)
        return sac_image_load(path, &file->picture, error);
    return sac_arrays_open(path, &file->arrays, error);
}

void sac_own_file_close(sac_own_file *file)
{
    sac_image_free(&file->picture);
    sac_arrays_close(file->arrays);
    *file = (sac_own_file){0};
}

/* The mean, 0 to 1, of red, green and blue in the pixels of a cell. */
static void mean_color(const sac_image *image, size_t row, size_t rows, size_t column,
                       size_t columns, double color[3])
{
    size_t w = (size_t)image->width, h = (size_t)image->height;
    size_t y0 = row * h / rows, y1 = (row + 1) * h / rows, x0 = column * w / columns,
           x1 = (column + 1) * w / columns;
    y1 += y1 == y0; /* of a picture that is smaller than the grid */
    x1 += x1 == x0;
    double sum[3] = {0};
    for (size_t y = y0; y < y1; y++)
        for (size_t x = x0; x < x1; x++)
            for (int c = 0; c < 3; c++)
                sum[c] += image->rgba[4 * (y * w + x) + (size_t)c];
    for (int c = 0; c < 3; c++)
        color[c] = sum[c] / (255 * (double)((y1 - y0) * (x1 - x0)));
}

sac_node sac_lesson_sight(sac_lesson *lesson, const char *name, size_t rows, size_t columns)
{
    const sac_image *image = lesson->picture ? lesson->picture : lesson->sight;
    size_t cells = rows * columns;
    float *numbers = image ? malloc(3 * cells * sizeof *numbers) : NULL;
    lesson->uses_picture = true;
    for (size_t i = 0; numbers && i < cells; i++) {
        double color[3];
        mean_color(image, i / columns, rows, i % columns, columns, color);
        for (size_t c = 0; c < 3; c++)
            numbers[c * cells + i] = (float)color[c];
    }
    sac_node node =
        numbers ? sac_given(&lesson->graph, name, SAC_STACK(3, rows, columns), numbers) : 0;
    free(numbers);
    return node;
}

const char *sac_lesson_sight_credit(const sac_lesson *lesson)
{
    return lesson->picture || !lesson->sight_credit[0] ? NULL : lesson->sight_credit;
}

sac_node sac_lesson_picture(sac_lesson *lesson, const char *name, sac_small_shape shape,
                            float *numbers)
{
    lesson->uses_picture = true;
    for (size_t i = 0; lesson->picture && i < sac_small_count(shape); i++) {
        double color[3];
        mean_color(lesson->picture, i / shape.n[1], shape.n[0], i % shape.n[1], shape.n[1], color);
        numbers[i] = (float)(0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2]);
    }
    return sac_lesson_given(lesson, name, shape, numbers);
}

/* ---------------------------------------------------------------- sentences */

sac_status sac_lesson_read(sac_lesson *lesson, const char *text, sac_error *error)
{
    char *rest = NULL;
    lesson->word_count = 0;
    if (strlen(text) >= sizeof lesson->sentence || !sac_utf8_valid(text, strlen(text)))
        return sac_fail(error, SAC_E_ARGUMENT, "--text", "give a short sentence",
                        "is no text of less than %zu bytes", sizeof lesson->sentence);
    strcpy(lesson->sentence, text);
    for (char *word = strtok_r(lesson->sentence, " \t\n", &rest); word;
         word = strtok_r(NULL, " \t\n", &rest)) {
        if (lesson->word_count == SAC_LESSON_ROWS)
            return sac_fail(error, SAC_E_ARGUMENT, "--text", "give fewer", "has more than %d words",
                            SAC_LESSON_ROWS);
        lesson->words[lesson->word_count++] = word;
    }
    return lesson->word_count
               ? SAC_OK
               : sac_fail(error, SAC_E_ARGUMENT, "--text", "give one to 12", "has no words");
}

size_t sac_lesson_word_count(sac_lesson *lesson)
{
    lesson->uses_words = true;
    return (size_t)lesson->word_count;
}

size_t sac_lesson_first_place(const sac_lesson *lesson, size_t word)
{
    size_t first = 0;
    while (strcmp(lesson->words[first], lesson->words[word]) != 0)
        first++;
    return first;
}

void sac_lesson_label_words(sac_lesson *lesson, sac_node node, bool rows, bool columns)
{
    size_t count = (size_t)lesson->word_count;
    if (count)
        sac_lesson_label(lesson, node, rows ? lesson->words : NULL, rows ? count : 0,
                         columns ? lesson->words : NULL, columns ? count : 0);
}
