/* PDF by Cairo, its text by Pango: shaped, in the order in which it is read, and with the characters
 * that a reader searches. */
#include <cairo-pdf.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/output.h"
#include "canvas/shaping.h"
#include "export/vector.h"

#define POINTS 0.75 /* to a logical unit: 72 to the inch, where those are 96 */

static void set_color(cairo_t *cr, viz_color c)
{
    cairo_set_source_rgba(cr, c.r / 255.0, c.g / 255.0, c.b / 255.0, c.a / 255.0);
}

/* ---------------------------------------------------------------- shapes */

static void box_path(cairo_t *cr, double x, double y, double w, double h, double radius)
{
    if (radius <= 0) {
        cairo_rectangle(cr, x, y, w, h);
        return;
    }
    cairo_new_sub_path(cr);
    cairo_arc(cr, x + w - radius, y + radius, radius, -M_PI / 2, 0);
    cairo_arc(cr, x + w - radius, y + h - radius, radius, 0, M_PI / 2);
    cairo_arc(cr, x + radius, y + h - radius, radius, M_PI / 2, M_PI);
    cairo_arc(cr, x + radius, y + radius, radius, M_PI, 1.5 * M_PI);
    cairo_close_path(cr);
}

/* A frame is a stroke along the middle of its thickness. */
static void draw_box(cairo_t *cr, const viz_shape *s)
{
    bool frame = s->kind == VIZ_SHAPE_FRAME;
    double in = frame ? s->thickness / 2 : 0;
    box_path(cr, s->box.x0 + in, s->box.y0 + in, s->box.x1 - s->box.x0 - 2 * in,
             s->box.y1 - s->box.y0 - 2 * in, s->radius - in);
    if (!frame) {
        cairo_fill(cr);
        return;
    }
    cairo_set_line_width(cr, s->thickness);
    cairo_stroke(cr);
}

static void draw_hatch(cairo_t *cr, const viz_shape *s)
{
    viz_point from, to;
    for (int i = 0; viz_shape_stroke(s, i, &from, &to); i++) {
        cairo_move_to(cr, from.x, from.y);
        cairo_line_to(cr, to.x, to.y);
    }
    cairo_set_line_width(cr, 1);
    cairo_stroke(cr);
}

static void draw_cells(cairo_t *cr, const viz_page *page, const viz_shape *s)
{
    viz_pixels box;
    for (int row = 0; row < s->image.height; row++)
        for (int column = 0; column < s->image.width; column++) {
            if (!viz_page_cell(page, s, row, column, &box))
                continue;
            set_color(cr, viz_shape_cell_color(s, row, column));
            cairo_rectangle(cr, box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0);
            cairo_fill(cr);
        }
}

/* Cairo's pixels are words of ARGB, their colours multiplied by alpha. */
static cairo_surface_t *image_surface(const sac_image *image)
{
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, image->width, image->height);
    uint8_t *bytes = cairo_image_surface_get_data(surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(surface);
    for (int y = 0; bytes && y < image->height; y++)
        for (int x = 0; x < image->width; x++) {
            const uint8_t *p = image->rgba + 4 * ((size_t)y * (size_t)image->width + (size_t)x);
            uint32_t a = p[3], word = a << 24 | (p[0] * a + 127) / 255 << 16 |
                                      (p[1] * a + 127) / 255 << 8 | (p[2] * a + 127) / 255;
            memcpy(bytes + (size_t)y * stride + 4 * (size_t)x, &word, 4);
        }
    cairo_surface_mark_dirty(surface);
    return surface;
}

static void draw_image(cairo_t *cr, const viz_shape *s)
{
    cairo_surface_t *surface = image_surface(&s->image);
    cairo_translate(cr, s->box.x0, s->box.y0);
    cairo_scale(cr, (double)(s->box.x1 - s->box.x0) / s->image.width,
                (double)(s->box.y1 - s->box.y0) / s->image.height);
    cairo_set_source_surface(cr, surface, 0, 0);
    cairo_paint(cr);
    cairo_surface_destroy(surface);
}

/* ---------------------------------------------------------------- text */

/* Pango orders, shapes and sets the text, and Cairo keeps its characters beside the glyphs. The line
 * is as wide as the canvas set it. An emoji is a picture of as many pixels as its letters have points:
 * Cairo makes it no finer. */
static void draw_text(cairo_t *cr, PangoLayout *layout, const viz_shape *s)
{
    PangoLayoutLine *line = viz_layout_set(layout, s->face, s->size, s->text);
    PangoRectangle extents;
    pango_layout_line_get_extents(line, NULL, &extents);
    cairo_translate(cr, s->points[0].x, s->points[0].y);
    if (s->upwards)
        cairo_rotate(cr, -M_PI / 2);
    if (extents.width > 0 && s->advance > 0)
        cairo_scale(cr, (double)s->advance * PANGO_SCALE / extents.width, 1);
    cairo_move_to(cr, 0, 0);
    pango_cairo_show_layout_line(cr, line);
}

/* ---------------------------------------------------------------- the file */

static void draw_shape(cairo_t *cr, PangoLayout *layout, const viz_page *page, const viz_shape *s)
{
    cairo_save(cr);
    if (viz_shape_is_cut(s)) {
        cairo_rectangle(cr, s->clip.x0, s->clip.y0, s->clip.x1 - s->clip.x0,
                        s->clip.y1 - s->clip.y0);
        cairo_clip(cr);
    }
    set_color(cr, s->color);
    switch (s->kind) {
    case VIZ_SHAPE_FILL:
    case VIZ_SHAPE_FRAME:
        draw_box(cr, s);
        break;
    case VIZ_SHAPE_LINE:
        cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
        cairo_set_line_width(cr, s->thickness);
        cairo_move_to(cr, s->points[0].x, s->points[0].y);
        cairo_line_to(cr, s->points[1].x, s->points[1].y);
        cairo_stroke(cr);
        break;
    case VIZ_SHAPE_POLYGON:
        for (size_t i = 0; i < s->point_count; i++)
            cairo_line_to(cr, s->points[i].x, s->points[i].y);
        cairo_fill(cr);
        break;
    case VIZ_SHAPE_HATCH:
        draw_hatch(cr, s);
        break;
    case VIZ_SHAPE_TEXT:
        draw_text(cr, layout, s);
        break;
    case VIZ_SHAPE_IMAGE:
        draw_image(cr, s);
        break;
    case VIZ_SHAPE_CELLS:
        draw_cells(cr, page, s);
    }
    cairo_restore(cr);
}

/* The destination of the bytes, and the errno of a failed write, which Cairo does not report. */
typedef struct sink {
    FILE *file;
    int code;
} sink;

static cairo_status_t write_bytes(void *user, const unsigned char *bytes, unsigned count)
{
    sink *to = user;
    errno = 0;
    if (fwrite(bytes, 1, count, to->file) == count)
        return CAIRO_STATUS_SUCCESS;
    to->code = errno ? errno : EIO;
    return CAIRO_STATUS_WRITE_ERROR;
}

/* The notes are one line of keywords. */
static void set_notes(cairo_surface_t *surface, const viz_page *page)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    for (size_t i = 0; memory && i < page->note_count; i++)
        fprintf(memory, "%s%s: %s", i ? "; " : "", page->notes[i].key, page->notes[i].value);
    if (!memory || fclose(memory) != 0)
        viz_drawing_lacks_memory();
    else
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_KEYWORDS, text);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "Saccade " SAC_VERSION);
    free(text);
}

static sac_status check_cairo(cairo_status_t status, const char *path, sac_error *error)
{
    if (status == CAIRO_STATUS_SUCCESS)
        return viz_drawing_check(error);
    return sac_fail(error, status == CAIRO_STATUS_NO_MEMORY ? SAC_E_MEMORY : SAC_E_FILE, path, NULL,
                    "cannot be written as a PDF: %s", cairo_status_to_string(status));
}

static sac_status draw_pages(const viz_page *pages, int count, const sac_output *output,
                             sac_error *error)
{
    sink to = {.file = output->file};
    double scale = POINTS / pages->density;
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(
        write_bytes, &to, pages->width * scale, pages->height * scale);
    cairo_t *cr = cairo_create(surface);
    cairo_scale(cr, scale, scale);
    PangoLayout *layout = viz_layout_create(CAIRO_HINT_STYLE_NONE);
    set_notes(surface, pages);
    /* The time at which the page was made. It is left out, so that the same command writes the same
     * bytes, unless the environment sets it (reproducible-builds.org, SOURCE_DATE_EPOCH: seconds since
     * 1970). */
    const char *given = getenv("SOURCE_DATE_EPOCH");
    char *end = NULL, text[32];
    errno = 0;
    long long seconds = given ? strtoll(given, &end, 10) : -1;
    time_t at = (time_t)seconds;
    struct tm date;
    bool valid = given && end != given && !*end && !errno && seconds >= 0 && gmtime_r(&at, &date) &&
                 strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &date);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, valid ? text : NULL);
    for (int p = 0; p < count; p++) {
        for (size_t i = 0; i < pages[p].recording->count; i++)
            draw_shape(cr, layout, &pages[p], &pages[p].recording->shapes[i]);
        cairo_show_page(cr);
    }
    cairo_status_t drawn = cairo_status(cr);
    g_object_unref(layout);
    cairo_destroy(cr);
    cairo_surface_finish(surface);
    cairo_status_t written = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (to.code)
        return sac_output_fail(output, to.code, error);
    return check_cairo(drawn != CAIRO_STATUS_SUCCESS ? drawn : written, output->path, error);
}

sac_status viz_pdf_save(const viz_page *pages, int count, const char *path, sac_error *error)
{
    sac_output output = {0};
    sac_status status = sac_output_open(&output, path, error);
    if (status == SAC_OK)
        status = draw_pages(pages, count, &output, error);
    if (status == SAC_OK)
        status = sac_output_commit(&output, error);
    sac_output_discard(&output);
    return status;
}
