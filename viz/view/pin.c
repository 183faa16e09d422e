/* A pinned map: its numbers, its label, and its text. */

#include "view/pin.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t pixels_of(const sac_image *image)
{
    return (size_t)image->width * (size_t)image->height;
}

/* ---------------------------------------------------------------- making one */

bool viz_pin_size(viz_pin *pin, size_t rows, size_t columns)
{
    if (!rows || !columns || rows > VIZ_PIN_SIDE || columns > VIZ_PIN_SIDE)
        return false;
    pin->values = viz_allocate(rows * columns, sizeof *pin->values);
    pin->rows = (int)rows;
    pin->columns = (int)columns;
    return pin->values;
}

void viz_pin_say(viz_pin *pin, const char *format, ...)
{
    size_t used = strlen(pin->title);
    char part[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(part, sizeof part, format, arguments);
    va_end(arguments);
    if (part[0])
        snprintf(pin->title + used, sizeof pin->title - used, "%s%s", used ? VIZ_PIN_BETWEEN : "",
                 part);
}

void viz_pin_say_source(viz_pin *pin, const char *title, const sac_origin *origin)
{
    const char *slash = strrchr(origin->file, '/');
    viz_pin_say(pin, "%s", title[0] ? title : slash ? slash + 1 : origin->file);
}

void viz_pin_hide(viz_pin *pin, const uint8_t *hidden)
{
    int count = 0;
    for (int i = 0; hidden && i < pin->rows * pin->columns; i++)
        if (hidden[i]) {
            pin->values[i] = NAN;
            count++;
        }
    if (count)
        viz_pin_say(pin, "%d cell%s hidden", count, count == 1 ? "" : "s");
}

static bool copy_picture(const sac_image *from, sac_image *to)
{
    if (sac_image_create(from->width, from->height, to, NULL) != SAC_OK)
        return false;
    memcpy(to->rgba, from->rgba, 4 * pixels_of(from));
    return true;
}

bool viz_pin_lay_over(viz_pin *pin, const sac_image *image)
{
    int longer = image->width > image->height ? image->width : image->height;
    float shrink = longer > VIZ_PIN_PICTURE ? (float)VIZ_PIN_PICTURE / (float)longer : 1;
    int width = (int)fmaxf(shrink * (float)image->width + 0.5f, 1);
    int height = (int)fmaxf(shrink * (float)image->height + 0.5f, 1);
    if (viz_image_scale(image, width, height, true, &pin->image, NULL) == SAC_OK)
        return true;
    viz_drawing_lacks_memory();
    return false;
}

void viz_pin_free(viz_pin *pin)
{
    free(pin->values);
    sac_labels_free(&pin->row_labels);
    sac_labels_free(&pin->column_labels);
    sac_image_free(&pin->image);
    *pin = (viz_pin){0};
}

bool viz_pin_same_picture(const viz_pin *a, const viz_pin *b)
{
    return a->image.rgba && b->image.rgba && a->image.width == b->image.width &&
           a->image.height == b->image.height &&
           memcmp(a->image.rgba, b->image.rgba, 4 * pixels_of(&a->image)) == 0;
}

/* ---------------------------------------------------------------- to text */

static void write_line(FILE *file, const char *text)
{
    for (; *text; text++)
        fputc(*text == '\n' || *text == '\t' ? ' ' : *text, file);
}

static void write_labels(FILE *file, const sac_labels *labels)
{
    fprintf(file, "%zu", labels->count);
    for (size_t i = 0; i < labels->count; i++) {
        fputc('\t', file);
        write_line(file, labels->text[i]);
    }
    fputc('\n', file);
}

static void write_picture(FILE *file, const sac_image *image)
{
    fprintf(file, "%d %d ", image->width, image->height);
    for (size_t i = 0; i < pixels_of(image); i++) {
        const uint8_t *p = image->rgba + 4 * i;
        fprintf(file, "%02x%02x%02x", p[0], p[1], p[2]);
    }
}

/* Lines: title, rows and columns, values, labels of rows, of columns, and the picture: its size and
 * pixels, "same", or "none". */
char *viz_pin_write(const viz_pin *pin, const viz_pin *beside)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    write_line(file, pin->title);
    fprintf(file, "\n%d %d\n", pin->rows, pin->columns);
    for (int i = 0; i < pin->rows * pin->columns; i++)
        fprintf(file, "%s%.9g", i ? " " : "", (double)pin->values[i]);
    fputc('\n', file);
    write_labels(file, &pin->row_labels);
    write_labels(file, &pin->column_labels);
    if (!pin->image.rgba)
        fputs("none", file);
    else if (beside && viz_pin_same_picture(pin, beside))
        fputs("same", file);
    else
        write_picture(file, &pin->image);
    bool failed = ferror(file);
    if (fclose(file) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}

/* ---------------------------------------------------------------- and back */

/* The next line into *line, whose end it marks; false at the end of the text. */
static bool next_line(char **text, char **line)
{
    *line = *text;
    if (!**text)
        return false;
    char *end = *text + strcspn(*text, "\n");
    *text = end + (*end != 0);
    *end = 0;
    return true;
}

static bool read_values(viz_pin *pin, const char *text)
{
    char *end;
    for (int i = 0; i < pin->rows * pin->columns; i++, text = end) {
        pin->values[i] = strtof(text, &end);
        if (end == text)
            return false;
    }
    return true;
}

/* Reads as many labels as the side of the map has, or none. */
static bool read_labels(sac_labels *labels, char *text, int side)
{
    char *rest = NULL;
    size_t count = strtoul(text, NULL, 10);
    if (!count)
        return true;
    labels->text = count == (size_t)side ? calloc(count, sizeof *labels->text) : NULL;
    text += strcspn(text, "\t");
    for (; labels->text && labels->count < count && *text == '\t'; text = rest) {
        size_t length = strcspn(text + 1, "\t");
        rest = text + 1 + length;
        if (!(labels->text[labels->count] = strndup(text + 1, length)))
            return false;
        labels->count++;
    }
    return labels->count == count;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_pixels(sac_image *image, const char *hex)
{
    for (size_t i = 0; i < 4 * pixels_of(image); i++) {
        if (i % 4 == 3) {
            image->rgba[i] = 255;
            continue;
        }
        int high = hex_digit(hex[0]), low = high < 0 ? -1 : hex_digit(hex[1]);
        if (low < 0)
            return false;
        image->rgba[i] = (uint8_t)(16 * high + low);
        hex += 2;
    }
    return true;
}

static bool read_picture(viz_pin *pin, const char *text, const viz_pin *beside)
{
    sac_image *image = &pin->image;
    int width, height, used = 0;
    if (strcmp(text, "none") == 0)
        return true;
    if (strcmp(text, "same") == 0)
        return beside && beside->image.rgba && copy_picture(&beside->image, image);
    if (sscanf(text, "%d %d %n", &width, &height, &used) != 2 || !used || width < 1 || height < 1 ||
        width > VIZ_PIN_PICTURE || height > VIZ_PIN_PICTURE)
        return false;
    return sac_image_create(width, height, image, NULL) == SAC_OK &&
           read_pixels(image, text + used);
}

static bool read_lines(viz_pin *pin, char *text, const viz_pin *beside)
{
    char *title, *line;
    int rows, columns;
    if (!next_line(&text, &title) || !next_line(&text, &line) ||
        sscanf(line, "%d %d", &rows, &columns) != 2 || rows < 1 || columns < 1 ||
        !viz_pin_size(pin, (size_t)rows, (size_t)columns))
        return false;
    snprintf(pin->title, sizeof pin->title, "%s", title);
    return next_line(&text, &line) && read_values(pin, line) && next_line(&text, &line) &&
           read_labels(&pin->row_labels, line, rows) && next_line(&text, &line) &&
           read_labels(&pin->column_labels, line, columns) && next_line(&text, &line) &&
           read_picture(pin, line, beside);
}

bool viz_pin_read(viz_pin *pin, const char *text, const viz_pin *beside)
{
    char *copy = strdup(text);
    bool read = copy && read_lines(pin, copy, beside);
    free(copy);
    if (!read)
        viz_pin_free(pin);
    return read;
}
