/* Text is set by Pango and drawn by Cairo, once: its bitmap is kept, so that drawing the text again is a
 * copy. Beside SDL2_ttf, which reorders nothing and knows no colours, measured on the 177 texts of the
 * Heads view: a frame 0.22 ms with either, as nothing is set anew; a new text 54 µs (44), cutting them all
 * to fit 0.14 ms (0.85), the first frame 12 ms (6). Used from one thread. */
#include "canvas/text.h"

#include <fontconfig/fontconfig.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "canvas/canvas.h"
#include "canvas/recording.h"
#include "canvas/shaping.h"
#include "canvas/tiles.h"

static PangoLayout *layout; /* NULL: not open */

sac_status viz_text_open(sac_error *error)
{
    if (layout)
        return SAC_OK;
    const FcFontSet *fonts = FcInit() ? FcConfigGetFonts(NULL, FcSetSystem) : NULL;
    if (!fonts || !fonts->nfont)
        return sac_fail(error, SAC_E_FILE, "fonts", "install one, such as fonts-dejavu-core",
                        "fontconfig knows of none");
    layout = viz_layout_create(CAIRO_HINT_STYLE_SLIGHT);
    return SAC_OK;
}

/* ---------------------------------------------------------------- texts, kept */

typedef struct kept_text {
    struct kept_text *newer, *older, *chained;
    uint32_t hash;
    viz_face face;
    int pixels;
    char *text, *shown; /* as it was requested, and as it is drawn */
    int advance;        /* pixels */
    viz_pixels ink;     /* relative to where the baseline begins */
    uint8_t *coverage;  /* by letters, of the size of `ink`; NULL until it is drawn */
    uint8_t *paint;     /* RGBA of what has colours of its own, such as emoji; NULL: none has */
    float *ends; /* [bytes of text + 1]: how wide that many bytes are; NULL until asked for */
} kept_text;

#define BUCKETS 4096
#define MAX_KEPT 4096
#define MAX_KEPT_BYTES (32u << 20)

static struct {
    kept_text *buckets[BUCKETS];
    kept_text *newest, *oldest;
    size_t count, bytes;
} kept;

static void unlink_age(kept_text *t)
{
    *(t->newer ? &t->newer->older : &kept.newest) = t->older;
    *(t->older ? &t->older->newer : &kept.oldest) = t->newer;
}

static void link_newest(kept_text *t)
{
    t->newer = NULL;
    t->older = kept.newest;
    *(kept.newest ? &kept.newest->newer : &kept.oldest) = t;
    kept.newest = t;
}

static size_t ink_size(const kept_text *t)
{
    return (size_t)(t->ink.x1 - t->ink.x0) * (size_t)(t->ink.y1 - t->ink.y0);
}

static size_t kept_bytes(const kept_text *t)
{
    size_t length = strlen(t->text);
    return sizeof *t + length + strlen(t->shown) + (t->coverage ? ink_size(t) : 0) +
           (t->paint ? 4 * ink_size(t) : 0) + (t->ends ? (length + 1) * sizeof *t->ends : 0);
}

static void text_free(kept_text *t)
{
    if (!t)
        return;
    free(t->coverage);
    free(t->paint);
    free(t->ends);
    free(t->text);
    free(t->shown);
    free(t);
}

static void drop_oldest(void)
{
    kept_text *t = kept.oldest, **link = &kept.buckets[t->hash % BUCKETS];
    while (*link != t)
        link = &(*link)->chained;
    *link = t->chained;
    unlink_age(t);
    kept.count--;
    kept.bytes -= kept_bytes(t);
    text_free(t);
}

bool viz_text_has_fonts(const char *utf8)
{
    char *shown = viz_text_open(NULL) == SAC_OK ? viz_readable_copy(layout, VIZ_SANS, utf8) : NULL;
    bool same = shown && strcmp(shown, utf8) == 0;
    free(shown);
    return same;
}

void viz_text_close(void)
{
    while (kept.oldest)
        drop_oldest();
    if (layout)
        g_object_unref(layout); /* Pango keeps its fonts, and fontconfig with them */
    layout = NULL;
}

static kept_text *create_measured_text(viz_face face, int pixels, const char *text, uint32_t hash)
{
    kept_text *t = viz_allocate(1, sizeof *t);
    if (!t)
        return NULL;
    t->hash = hash;
    t->face = face;
    t->pixels = pixels;
    t->text = strdup(text);
    t->shown = viz_readable_copy(layout, face, text);
    if (!t->text || !t->shown) {
        text_free(t);
        viz_drawing_lacks_memory();
        return NULL;
    }
    PangoRectangle ink, line;
    pango_layout_line_get_extents(viz_layout_set(layout, face, pixels, t->shown), &ink, &line);
    t->advance = PANGO_PIXELS(line.width);
    if (ink.width > 0 && ink.height > 0) /* hinting may add a pixel */
        t->ink = (viz_pixels){PANGO_PIXELS_FLOOR(ink.x) - 1, PANGO_PIXELS_FLOOR(ink.y) - 1,
                              PANGO_PIXELS_CEIL(ink.x + ink.width) + 1,
                              PANGO_PIXELS_CEIL(ink.y + ink.height) + 1};
    return t;
}

static uint32_t hash_text(viz_face face, int pixels, const char *text)
{
    uint32_t hash = 2166136261u ^ (uint32_t)face ^ (uint32_t)pixels << 4; /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

static void keep_within_bounds(void)
{
    while (kept.oldest != kept.newest && (kept.count > MAX_KEPT || kept.bytes > MAX_KEPT_BYTES))
        drop_oldest();
}

/* A text, measured now or before; lent until the next call. NULL: no font, no memory. */
static kept_text *get_text(viz_face face, int pixels, const char *text)
{
    if (!layout && viz_text_open(NULL) != SAC_OK)
        return NULL;
    uint32_t hash = hash_text(face, pixels, text);
    kept_text *t = kept.buckets[hash % BUCKETS];
    while (t &&
           (t->hash != hash || t->face != face || t->pixels != pixels || strcmp(t->text, text)))
        t = t->chained;
    if (t) {
        unlink_age(t);
        link_newest(t);
        return t;
    }
    t = create_measured_text(face, pixels, text, hash);
    if (!t)
        return NULL;
    kept.count++;
    kept.bytes += kept_bytes(t);
    t->chained = kept.buckets[hash % BUCKETS];
    kept.buckets[hash % BUCKETS] = t;
    link_newest(t);
    keep_within_bounds();
    return t;
}

/* ---------------------------------------------------------------- bitmaps */

#define FINE 4    /* samples to a pixel along the line: letters stand between pixels */
#define PART 4096 /* pixels of a line that are drawn at once; Cairo has at most 32767 samples */

/* `width` pixels of the line from `x` on, drawn in grey of that level; NULL: no memory. */
static cairo_surface_t *draw_part(const kept_text *t, PangoLayoutLine *line, int x, int width,
                                  double level)
{
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, FINE * width, t->ink.y1 - t->ink.y0);
    cairo_t *cr = cairo_create(surface);
    cairo_scale(cr, FINE, 1);
    cairo_translate(cr, -t->ink.x0 - x, -t->ink.y0);
    cairo_set_source_rgb(cr, level, level, level);
    cairo_move_to(cr, 0, 0);
    pango_cairo_show_layout_line(cr, line);
    bool drawn = cairo_status(cr) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(cr);
    cairo_surface_flush(surface);
    if (drawn && cairo_image_surface_get_data(surface))
        return surface;
    cairo_surface_destroy(surface);
    return NULL;
}

typedef struct sample {
    int a, r, g, b; /* 0 … 255, the colours multiplied by a */
} sample;

static sample sample_at(cairo_surface_t *surface, int x, int y)
{
    const uint8_t *row = cairo_image_surface_get_data(surface) +
                         (size_t)y * (size_t)cairo_image_surface_get_stride(surface);
    sample sum = {FINE / 2, FINE / 2, FINE / 2, FINE / 2};
    for (int i = 0; i < FINE; i++) {
        uint32_t word;
        memcpy(&word, row + 4 * (size_t)(FINE * x + i), 4);
        sum.a += (int)(word >> 24);
        sum.r += (int)(word >> 16 & 255);
        sum.g += (int)(word >> 8 & 255);
        sum.b += (int)(word & 255);
    }
    return (sample){sum.a / FINE, sum.r / FINE, sum.g / FINE, sum.b / FINE};
}

/* What is drawn in white and black alike has its own colours; the rest takes the text's. */
static void put_sample(kept_text *t, size_t at, sample white, sample black)
{
    int own = black.a - (white.r - black.r);
    t->coverage[at] = (uint8_t)(white.r - black.r);
    if (own <= 0)
        return;
    const int colors[] = {black.r, black.g, black.b};
    for (int c = 0; c < 3; c++)
        t->paint[4 * at + (size_t)c] = (uint8_t)(colors[c] < own ? colors[c] * 255 / own : 255);
    t->paint[4 * at + 3] = (uint8_t)own;
}

/* False where the line has colours of its own, or memory is short. */
static bool put_plain_part(kept_text *t, cairo_surface_t *white, int x, int width)
{
    for (int y = 0; y < t->ink.y1 - t->ink.y0; y++)
        for (int i = 0; i < width; i++) {
            sample s = sample_at(white, i, y);
            if (s.r != s.a || s.g != s.a || s.b != s.a)
                return false;
            t->coverage[(size_t)y * (size_t)(t->ink.x1 - t->ink.x0) + (size_t)(x + i)] =
                (uint8_t)s.a;
        }
    return true;
}

static bool put_colored_part(kept_text *t, cairo_surface_t *white, cairo_surface_t *black, int x,
                             int width)
{
    if (!t->paint)
        t->paint = calloc(ink_size(t), 4);
    for (int y = 0; t->paint && y < t->ink.y1 - t->ink.y0; y++)
        for (int i = 0; i < width; i++)
            put_sample(t, (size_t)y * (size_t)(t->ink.x1 - t->ink.x0) + (size_t)(x + i),
                       sample_at(white, i, y), sample_at(black, i, y));
    return t->paint != NULL;
}

static bool render_part(kept_text *t, PangoLayoutLine *line, int x, int width)
{
    cairo_surface_t *white = draw_part(t, line, x, width, 1), *black = NULL;
    bool put = white && put_plain_part(t, white, x, width);
    if (white && !put) {
        black = draw_part(t, line, x, width, 0);
        put = black && put_colored_part(t, white, black, x, width);
    }
    cairo_surface_destroy(white);
    cairo_surface_destroy(black);
    return put;
}

/* Draws the bitmaps of a text, unless they are there. A text with a gap is not kept. */
static bool render(kept_text *t)
{
    int width = t->ink.x1 - t->ink.x0;
    if (t->coverage || width == 0)
        return true;
    kept.bytes -= kept_bytes(t);
    t->coverage = calloc(ink_size(t), 1);
    bool whole = t->coverage != NULL;
    PangoLayoutLine *line = viz_layout_set(layout, t->face, t->pixels, t->shown);
    for (int x = 0; whole && x < width; x += PART)
        whole = render_part(t, line, x, width - x < PART ? width - x : PART);
    if (!whole) {
        free(t->coverage);
        free(t->paint);
        t->coverage = t->paint = NULL;
        viz_drawing_lacks_memory();
    }
    kept.bytes += kept_bytes(t);
    keep_within_bounds();
    return whole;
}

/* ---------------------------------------------------------------- drawing */

static int pixel_size(const viz_canvas *canvas, float size)
{
    int pixels = (int)lroundf(size * canvas->density);
    return pixels < 1 ? 1 : pixels;
}

float viz_text_width(const viz_canvas *canvas, viz_face face, float size, const char *utf8)
{
    const kept_text *t = get_text(face, pixel_size(canvas, size), utf8);
    return t ? (float)t->advance / canvas->density : 0;
}

/* The open part of a text, in its own pixels: rows and columns as in `ink`. */
static viz_pixels part_of_ink(const viz_canvas *canvas, const kept_text *t, int x, int y,
                              bool upwards)
{
    const viz_pixels *p = &canvas->part;
    viz_pixels own = {p->x0 - x, p->y0 - y, p->x1 - x, p->y1 - y};
    if (upwards)
        own = (viz_pixels){y - p->y1, p->x0 - x, y - p->y0, p->x1 - x};
    return viz_common(t->ink, own);
}

/* Draws the text and records it; its baseline begins in pixel (x, y). */
static void draw_text(viz_canvas *canvas, kept_text *t, int x, int y, bool upwards, viz_color color)
{
    const viz_pixels *ink = &t->ink;
    viz_pixels box = {x + ink->x0, y + ink->y0, x + ink->x1, y + ink->y1};
    if (upwards)
        box = (viz_pixels){x + ink->y0, y - ink->x1, x + ink->y1, y - ink->x0};
    if (!render(t))
        return;
    if (viz_is_noting(canvas)) {
        const int key[] = {VIZ_SHAPE_TEXT, (int)t->face, t->pixels, upwards, box.x0, box.y0};
        uint64_t hash = viz_hash(VIZ_SHAPE_TEXT, key, sizeof key);
        hash = viz_hash(hash, &color, sizeof color);
        viz_note(canvas, box, viz_hash(hash, t->text, strlen(t->text)));
    }
    VIZ_EACH_PART(canvas, box)
    {
        viz_pixels part = part_of_ink(canvas, t, x, y, upwards);
        for (int row = part.y0; row < part.y1; row++)
            for (int column = part.x0; column < part.x1; column++) {
                size_t at = (size_t)(row - t->ink.y0) * (size_t)(t->ink.x1 - t->ink.x0) +
                            (size_t)(column - t->ink.x0);
                int to_x = upwards ? x + row : x + column,
                    to_y = upwards ? y - 1 - column : y + row;
                const uint8_t *own = t->paint ? t->paint + 4 * at : NULL;
                if (t->coverage[at])
                    viz_blend(canvas, to_x, to_y, color, (float)t->coverage[at] / 255);
                if (own && own[3])
                    viz_blend(canvas, to_x, to_y, (viz_color){own[0], own[1], own[2], color.a},
                              (float)own[3] / 255);
            }
    }
    viz_record(canvas, &(viz_shape){.kind = VIZ_SHAPE_TEXT,
                                    .points = &(viz_point){(float)x, (float)y},
                                    .point_count = 1,
                                    .text = t->shown,
                                    .face = t->face,
                                    .size = t->pixels,
                                    .advance = (float)t->advance,
                                    .upwards = upwards,
                                    .color = color});
}

float viz_text(viz_canvas *canvas, viz_face face, float size, float x, float y, viz_align align,
               viz_color color, const char *utf8)
{
    kept_text *t = get_text(face, pixel_size(canvas, size), utf8);
    if (!t)
        return 0;
    int shift = align == VIZ_LEFT ? 0 : align == VIZ_CENTER ? t->advance / 2 : t->advance;
    draw_text(canvas, t, (int)lroundf(x * canvas->density) - shift,
              (int)lroundf(y * canvas->density), false, color);
    return (float)t->advance / canvas->density;
}

void viz_text_up(viz_canvas *canvas, viz_face face, float size, float x, float y, viz_color color,
                 const char *utf8)
{
    kept_text *t = get_text(face, pixel_size(canvas, size), utf8);
    if (t)
        draw_text(canvas, t, (int)lroundf(x * canvas->density), (int)lroundf(y * canvas->density),
                  true, color);
}

/* ---------------------------------------------------------------- beginnings that fit */

/* ends[i]: how wide the first i bytes of what is shown are; a cluster of letters counts whole. */
static void measure_clusters(const kept_text *t, float *ends)
{
    size_t length = strlen(t->shown);
    viz_layout_set(layout, t->face, t->pixels, t->shown);
    PangoLayoutIter *cluster = pango_layout_get_iter(layout);
    do {
        PangoRectangle box;
        size_t begin = (size_t)pango_layout_iter_get_index(cluster);
        pango_layout_iter_get_cluster_extents(cluster, NULL, &box);
        if (begin < length)
            ends[begin + 1] += (float)box.width / PANGO_SCALE;
    } while (pango_layout_iter_next_cluster(cluster));
    pango_layout_iter_free(cluster);
    for (size_t i = 0; i < length; i++)
        ends[i + 1] += ends[i];
}

/* The ends of the beginnings of a text in its own bytes; NULL: no memory. */
static const float *get_prefix_widths(kept_text *t)
{
    if (t->ends)
        return t->ends;
    size_t used = 0;
    char letter[16];
    float *shown = viz_allocate(strlen(t->shown) + 1, sizeof *shown);
    float *ends = viz_allocate(strlen(t->text) + 1, sizeof *ends);
    if (shown && ends) {
        measure_clusters(t, shown);
        for (const char *at = t->text, *begin = at; *at; begin = at) {
            used += viz_readable_next(layout, t->face, &at, letter);
            for (const char *byte = begin; byte < at; byte++)
                ends[byte - t->text + 1] = shown[used];
        }
        kept.bytes -= kept_bytes(t);
        t->ends = ends;
        kept.bytes += kept_bytes(t);
    } else
        free(ends);
    free(shown);
    return t->ends;
}

/* The first `bytes` of the text (less, so that no character is cut), then "…". */
static char *cut_with_ellipsis(const char *utf8, size_t bytes, char *out, size_t out_size)
{
    bytes = bytes + 4 > out_size ? out_size - 4 : bytes;
    while (bytes > 0 && ((unsigned char)utf8[bytes] & 0xc0) == 0x80)
        bytes--;
    while (bytes > 0 && utf8[bytes - 1] == ' ')
        bytes--;
    memcpy(out, utf8, bytes);
    memcpy(out + bytes, "…", 4);
    return out;
}

char *viz_text_fit(const viz_canvas *canvas, viz_face face, float size, float width,
                   const char *utf8, char *out, size_t out_size)
{
    size_t length = strlen(utf8);
    int pixels = pixel_size(canvas, size);
    /* What was measured fits, however its width was divided and multiplied. */
    float room = floorf(width * canvas->density + 0.01f);
    float dots = viz_text_width(canvas, face, size, "…") * canvas->density;
    kept_text *t = get_text(face, pixels, utf8);
    if (t && length < out_size && (float)t->advance <= room)
        return memcpy(out, utf8, length + 1);
    const float *ends = t && out_size >= 4 ? get_prefix_widths(t) : NULL;
    if (!ends) {
        out[0] = 0;
        return out;
    }
    while (length > 0 && ends[length] + dots > room)
        length--;
    /* Letters at the cut may join otherwise than in the whole. */
    while (viz_text_width(canvas, face, size, cut_with_ellipsis(utf8, length, out, out_size)) *
                   canvas->density >
               room &&
           length > 0)
        length--;
    return out;
}

/* The code point that begins at `utf8`. */
static unsigned decode_letter(const char *utf8)
{
    const unsigned char *u = (const unsigned char *)utf8;
    int more = u[0] >= 0xf0 ? 3 : u[0] >= 0xe0 ? 2 : u[0] >= 0xc0 ? 1 : 0;
    unsigned code = more ? u[0] & (0x3fu >> more) : u[0];
    for (int i = 1; i <= more && u[i]; i++)
        code = code << 6 | (u[i] & 0x3f);
    return code;
}

/* Han, kana and their punctuation: lines may break between any two of them … */
static bool is_ideograph(unsigned code)
{
    return (code >= 0x2e80 && code < 0xa4d0) || (code >= 0xf900 && code < 0xfb00) ||
           (code >= 0xff00 && code < 0xfff0);
}

/* … but not before what closes, nor behind what opens. */
static bool is_closing_sign(unsigned code)
{
    const char *const signs = "，。、；：！？）」』】》〉”’,.;:!?)";
    for (const char *at = signs; *at; at++)
        if (((unsigned char)*at & 0xc0) != 0x80 && decode_letter(at) == code)
            return true;
    return false;
}

static bool is_opening_sign(unsigned code)
{
    const char *const signs = "（「『【《〈“‘(";
    for (const char *at = signs; *at; at++)
        if (((unsigned char)*at & 0xc0) != 0x80 && decode_letter(at) == code)
            return true;
    return false;
}

static bool is_between_ideographs(const char *utf8, size_t at)
{
    size_t before = at;
    while (before > 0 && ((unsigned char)utf8[--before] & 0xc0) == 0x80)
        ;
    unsigned last = decode_letter(utf8 + before), next = decode_letter(utf8 + at);
    return at > 0 && (is_ideograph(last) || is_ideograph(next)) && !is_closing_sign(next) &&
           !is_opening_sign(last);
}

static bool is_break(const char *utf8, size_t at)
{
    return !utf8[at] || utf8[at] == ' ' || (at > 0 && utf8[at - 1] == '/' && utf8[at] != '/') ||
           is_between_ideographs(utf8, at);
}

size_t viz_text_line_bytes(const viz_canvas *canvas, viz_face face, float size, float width,
                           const char *utf8)
{
    char part[1200];
    size_t length = strnlen(utf8, sizeof part - 1), between = 0, fits = 0;
    snprintf(part, sizeof part, "%.*s", (int)length, utf8);
    kept_text *t = get_text(face, pixel_size(canvas, size), part);
    const float *ends = t ? get_prefix_widths(t) : NULL;
    for (size_t at = 1; at <= length; at++) {
        if (((unsigned char)utf8[at] & 0xc0) == 0x80 || (!is_break(utf8, at) && between > 0))
            continue;
        if (fits > 0 && ends && roundf(ends[at]) > width * canvas->density)
            break;
        fits = at;
        if (is_break(utf8, at))
            between = at;
    }
    return between > 0 ? between : fits;
}
