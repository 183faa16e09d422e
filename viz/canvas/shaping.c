#include "canvas/shaping.h"

#include <string.h>

#include "base/text/utf8.h"
#include "canvas/canvas.h"

/* The families of a face, the one that is wanted first; fontconfig's own choice follows. */
static const char *const families[VIZ_FACE_COUNT] = {
    [VIZ_SANS] = "Inter,DejaVu Sans,sans-serif",
    [VIZ_SANS_BOLD] = "Inter,DejaVu Sans,sans-serif",
    [VIZ_MONO] = "JetBrains Mono,DejaVu Sans Mono,monospace",
};

PangoLayout *viz_layout_create(cairo_hint_style_t hinting)
{
    PangoContext *context = pango_font_map_create_context(pango_cairo_font_map_get_default());
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, hinting);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    pango_cairo_context_set_font_options(context, options);
    cairo_font_options_destroy(options);
    pango_context_set_round_glyph_positions(context, FALSE);
    pango_context_set_base_dir(context, PANGO_DIRECTION_LTR);
    PangoLayout *layout = pango_layout_new(context);
    pango_layout_set_auto_dir(layout, FALSE);
    pango_layout_set_single_paragraph_mode(layout, TRUE);
    g_object_unref(context);
    return layout;
}

PangoLayoutLine *viz_layout_set(PangoLayout *layout, viz_face face, double size, const char *utf8)
{
    PangoFontDescription *font = pango_font_description_new();
    pango_font_description_set_family_static(font, families[face]);
    pango_font_description_set_weight(font, face == VIZ_SANS_BOLD ? PANGO_WEIGHT_SEMIBOLD
                                                                  : PANGO_WEIGHT_NORMAL);
    pango_font_description_set_absolute_size(font, size * PANGO_SCALE);
    pango_layout_set_font_description(layout, font);
    pango_font_description_free(font);
    pango_layout_set_text(layout, utf8, -1);
    return pango_layout_get_line_readonly(layout, 0);
}

/* ---------------------------------------------------------------- what can be drawn */

#define ANY_SIZE 12.0

/* The next character; control characters give a space, and U+FFFE and the like, which a PDF and XML
 * must not hold, U+FFFD. */
static uint32_t next_code(const char **utf8)
{
    uint32_t code = sac_utf8_next(utf8);
    bool none = (code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef);
    bool control = (code > 0 && code < 0x20) || (code >= 0x7f && code < 0xa0);
    return none ? 0xfffd : control ? ' ' : code;
}

static bool has_glyphs_for_text(PangoLayout *layout, viz_face face, const char *utf8)
{
    viz_layout_set(layout, face, ANY_SIZE, utf8);
    return pango_layout_get_unknown_glyphs_count(layout) == 0;
}

size_t viz_readable_next(PangoLayout *layout, viz_face face, const char **utf8, char out[16])
{
    uint32_t code = next_code(utf8);
    size_t length = code ? sac_utf8_encode(code, out) : 0;
    out[length] = 0;
    if (code < 0x80 || has_glyphs_for_text(layout, face, out))
        return length;
    return (size_t)snprintf(out, 16, "U+%04X", (unsigned)code);
}

char *viz_readable_copy(PangoLayout *layout, viz_face face, const char *utf8)
{
    char *clean = viz_allocate(8 * strlen(utf8) + 16, 1), *to = clean;
    if (!clean)
        return NULL;
    uint32_t code;
    for (const char *at = utf8; (code = next_code(&at));)
        to += sac_utf8_encode(code, to);
    if (has_glyphs_for_text(layout, face, clean))
        return clean;
    to = clean;
    for (const char *at = utf8; *at;)
        to += viz_readable_next(layout, face, &at, to);
    return clean;
}
