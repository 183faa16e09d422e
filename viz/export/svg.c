/* Writes SVG 1.1 as text, so that a viewer sets the labels in its own fonts, and a person can edit and
 * search them. Cairo would write an SVG too, but of the labels the outlines alone. Each text has the
 * width that the canvas gave it, so that another font changes no alignment. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/output.h"
#include "base/text/printable.h"
#include "base/text/utf8.h"
#include "export/vector.h"

#define BELOW 1.0f /* how far, in logical units; no cell is smaller than VIZ_LEAST_CELL */

bool viz_page_cell(const viz_page *page, const viz_shape *shape, int row, int column,
                   viz_pixels *box)
{
    int below = (int)(BELOW * page->density);
    *box = viz_shape_cell(shape, row, column);
    if (box->x0 >= box->x1 || box->y0 >= box->y1)
        return false;
    if (column + 1 < shape->image.width)
        box->x1 = box->x1 + below < shape->clip.x1 ? box->x1 + below : shape->clip.x1;
    if (row + 1 < shape->image.height)
        box->y1 = box->y1 + below < shape->clip.y1 ? box->y1 + below : shape->clip.y1;
    return true;
}

typedef struct svg_writer {
    const viz_page *page;
    const char *path;
    FILE *file;
    int clips; /* that were defined: the last has this number */
    viz_pixels clip;
    sac_status status;
    sac_error *error;
} svg_writer;

/* ---------------------------------------------------------------- parts */

/* XML has no control characters of C0, not U+FFFE and U+FFFF, and nothing but UTF-8; others that
 * would steer a terminal which shows the file are left out with them. */
static void write_escaped(FILE *file, const char *utf8)
{
    uint32_t code;
    for (const char *at = utf8; *at;) {
        size_t length = sac_utf8_at(at, SIZE_MAX, &code);
        bool is_space = code == '\t' || code == '\n' || code == '\r';
        bool is_none = code == UINT32_MAX || code == 0xfffe || code == 0xffff;
        const char *name = code == '&'                       ? "&amp;"
                           : code == '<'                     ? "&lt;"
                           : code == '>'                     ? "&gt;"
                           : code == '"'                     ? "&quot;"
                           : is_space                        ? " "
                           : is_none || sac_is_control(code) ? SAC_REPLACEMENT
                                                             : NULL;
        if (name)
            fputs(name, file);
        else
            fwrite(at, 1, length, file);
        at += length;
    }
}

static void write_paint(FILE *file, const char *what, viz_color color)
{
    fprintf(file, " %s=\"#%02x%02x%02x\"", what, color.r, color.g, color.b);
    if (color.a < 255)
        fprintf(file, " %s-opacity=\"%.3g\"", what, (double)color.a / 255);
}

/* Refers to the clip of a shape that is cut, which is defined where it is a new one. */
static void write_clip(svg_writer *w, const viz_shape *s)
{
    if (viz_shape_is_cut(s))
        fprintf(w->file, " clip-path=\"url(#c%d)\"", w->clips);
}

static void define_clip(svg_writer *w, const viz_shape *s)
{
    viz_pixels c = s->clip;
    if (!viz_shape_is_cut(s) || (w->clips && memcmp(&c, &w->clip, sizeof c) == 0))
        return;
    w->clip = c;
    fprintf(w->file, "<clipPath id=\"c%d\"><path d=\"M%d %dH%dV%dH%dz\"/></clipPath>\n", ++w->clips,
            c.x0, c.y0, c.x1, c.y1, c.x0);
}

/* ---------------------------------------------------------------- shapes */

static void write_rect(FILE *file, float x, float y, float w, float h, float radius)
{
    fprintf(file, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"", (double)x, (double)y,
            (double)w, (double)h);
    if (radius > 0)
        fprintf(file, " rx=\"%g\"", (double)radius);
}

/* A frame is a stroke along the middle of its thickness. */
static void write_box(svg_writer *w, const viz_shape *s)
{
    bool frame = s->kind == VIZ_SHAPE_FRAME;
    float in = frame ? s->thickness / 2 : 0, width = (float)(s->box.x1 - s->box.x0);
    write_rect(w->file, (float)s->box.x0 + in, (float)s->box.y0 + in, width - 2 * in,
               (float)(s->box.y1 - s->box.y0) - 2 * in, s->radius - in);
    write_paint(w->file, frame ? "stroke" : "fill", s->color);
    if (frame)
        fprintf(w->file, " fill=\"none\" stroke-width=\"%g\"", (double)s->thickness);
    write_clip(w, s);
    fputs("/>\n", w->file);
}

static void write_line(svg_writer *w, const viz_shape *s)
{
    const viz_point *p = s->points;
    if (p[0].x == p[1].x && p[0].y == p[1].y) {
        fprintf(w->file, "<circle cx=\"%g\" cy=\"%g\" r=\"%g\"", (double)p[0].x, (double)p[0].y,
                (double)s->thickness / 2);
        write_paint(w->file, "fill", s->color);
    } else {
        fprintf(w->file, "<line x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\"", (double)p[0].x,
                (double)p[0].y, (double)p[1].x, (double)p[1].y);
        write_paint(w->file, "stroke", s->color);
        fprintf(w->file, " stroke-width=\"%g\" stroke-linecap=\"round\"", (double)s->thickness);
    }
    write_clip(w, s);
    fputs("/>\n", w->file);
}

static void write_polygon(svg_writer *w, const viz_shape *s)
{
    fputs("<polygon points=\"", w->file);
    for (size_t i = 0; i < s->point_count; i++)
        fprintf(w->file, "%s%g,%g", i ? " " : "", (double)s->points[i].x, (double)s->points[i].y);
    fputc('"', w->file);
    write_paint(w->file, "fill", s->color);
    write_clip(w, s);
    fputs("/>\n", w->file);
}

static void write_hatch(svg_writer *w, const viz_shape *s)
{
    viz_point from, to;
    fputs("<path d=\"", w->file);
    for (int i = 0; viz_shape_stroke(s, i, &from, &to); i++)
        fprintf(w->file, "M%g %gL%g %g", (double)from.x, (double)from.y, (double)to.x,
                (double)to.y);
    fputc('"', w->file);
    write_paint(w->file, "stroke", s->color);
    write_clip(w, s);
    fputs("/>\n", w->file);
}

static void write_text(svg_writer *w, const viz_shape *s)
{
    const viz_point *p = s->points;
    fprintf(w->file, "<text class=\"f%d\" x=\"%g\" y=\"%g\" font-size=\"%d\" textLength=\"%g\"",
            s->face, (double)p->x, (double)p->y, s->size, (double)s->advance);
    if (s->upwards)
        fprintf(w->file, " transform=\"rotate(-90 %g %g)\"", (double)p->x, (double)p->y);
    write_paint(w->file, "fill", s->color);
    write_clip(w, s);
    fputc('>', w->file);
    write_escaped(w->file, s->text);
    fputs("</text>\n", w->file);
}

static void write_image(svg_writer *w, const viz_shape *s)
{
    char *png = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&png, &size);
    sac_status status =
        memory ? sac_png_write(memory, w->path, &s->image, NULL, 0, w->error) : SAC_E_MEMORY;
    if (memory && fclose(memory) != 0)
        status = SAC_E_MEMORY;
    if (status == SAC_E_MEMORY)
        sac_fail(w->error, status, w->path, NULL, "out of memory for a picture in it");
    fprintf(w->file, "<image x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"", s->box.x0, s->box.y0,
            s->box.x1 - s->box.x0, s->box.y1 - s->box.y0);
    fputs(" preserveAspectRatio=\"none\"", w->file);
    write_clip(w, s);
    fputs(" xlink:href=\"data:image/png;base64,", w->file);
    if (status == SAC_OK)
        sac_base64_put(w->file, png, size);
    fputs("\"/>\n", w->file);
    free(png);
    w->status = status;
}

static void write_cells(svg_writer *w, const viz_shape *s)
{
    viz_pixels box;
    fputs("<g class=\"cells\">\n", w->file);
    for (int row = 0; row < s->image.height; row++)
        for (int column = 0; column < s->image.width; column++) {
            if (!viz_page_cell(w->page, s, row, column, &box))
                continue;
            write_rect(w->file, (float)box.x0, (float)box.y0, (float)(box.x1 - box.x0),
                       (float)(box.y1 - box.y0), 0);
            write_paint(w->file, "fill", viz_shape_cell_color(s, row, column));
            fputs("/>\n", w->file);
        }
    fputs("</g>\n", w->file);
}

static void write_shape(svg_writer *w, const viz_shape *s)
{
    if (s->kind != VIZ_SHAPE_CELLS) /* each of them is cut by itself */
        define_clip(w, s);
    switch (s->kind) {
    case VIZ_SHAPE_FILL:
    case VIZ_SHAPE_FRAME:
        write_box(w, s);
        break;
    case VIZ_SHAPE_LINE:
        write_line(w, s);
        break;
    case VIZ_SHAPE_POLYGON:
        write_polygon(w, s);
        break;
    case VIZ_SHAPE_HATCH:
        write_hatch(w, s);
        break;
    case VIZ_SHAPE_TEXT:
        write_text(w, s);
        break;
    case VIZ_SHAPE_IMAGE:
        write_image(w, s);
        break;
    case VIZ_SHAPE_CELLS:
        write_cells(w, s);
    }
}

/* ---------------------------------------------------------------- the file */

static void write_head(const svg_writer *w)
{
    const viz_page *page = w->page;
    fprintf(w->file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" "
            "xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
            "width=\"%g\" height=\"%g\" viewBox=\"0 0 %d %d\" xml:space=\"preserve\">\n",
            (double)((float)page->width / page->density),
            (double)((float)page->height / page->density), page->width, page->height);
    fputs("<metadata>\n", w->file);
    for (size_t i = 0; i < page->note_count; i++) {
        write_escaped(w->file, page->notes[i].key);
        fputs(": ", w->file);
        write_escaped(w->file, page->notes[i].value);
        fputc('\n', w->file);
    }
    fputs("</metadata>\n<style>\n"
          "text{font-family:Inter,\"DejaVu Sans\",sans-serif}\n"
          ".f1{font-weight:600}\n"
          ".f2{font-family:\"JetBrains Mono\",\"DejaVu Sans Mono\",monospace}\n"
          "</style>\n",
          w->file);
}

sac_status viz_svg_save(const viz_page *page, const char *path, sac_error *error)
{
    sac_output output = {0};
    svg_writer w = {.page = page, .path = path, .error = error};
    w.status = sac_output_open(&output, path, error);
    w.file = output.file;
    if (w.status == SAC_OK)
        write_head(&w);
    for (size_t i = 0; i < page->recording->count && w.status == SAC_OK; i++)
        write_shape(&w, &page->recording->shapes[i]);
    if (w.status == SAC_OK) {
        fputs("</svg>\n", w.file);
        w.status = sac_output_commit(&output, error);
    }
    sac_output_discard(&output);
    return w.status;
}
