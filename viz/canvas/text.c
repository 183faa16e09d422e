/* A text is split into runs that one font can draw and one script shapes; each run is rendered by
 * SDL2_ttf (shaped by HarfBuzz where SDL2_ttf has it) and set side by side into one bitmap of
 * coverage, which is kept. Runs stand in the order of the text: mixed directions within one label
 * are not reordered. Used from one thread. */
#include "canvas/text.h"

#include <SDL2/SDL_ttf.h>
#include <errno.h>
#include <fontconfig/fontconfig.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "canvas/font_file.h"
#include "canvas/recording.h"

/* ---------------------------------------------------------------- fonts */

typedef struct open_font {
    const FcPattern *pattern;
    int pixels;
    TTF_Font *font;
} open_font;

#define MAX_OPEN 96

static struct {
    bool ready;
    FcFontSet *sorted[VIZ_FACE_COUNT]; /* the house face first, then whatever adds characters */
    open_font open[MAX_OPEN];
    int open_count;
} fonts;

/* Families in the order they are wanted; fontconfig's own choice follows. */
static const char *const families[VIZ_FACE_COUNT][3] = {
    [VIZ_SANS] = {"Inter", "DejaVu Sans", "sans-serif"},
    [VIZ_SANS_BOLD] = {"Inter", "DejaVu Sans", "sans-serif"},
    [VIZ_MONO] = {"JetBrains Mono", "DejaVu Sans Mono", "monospace"},
};

const char *viz_face_families(viz_face face)
{
    static const char *const lists[VIZ_FACE_COUNT] = {
        [VIZ_SANS] = "Inter,DejaVu Sans,sans-serif",
        [VIZ_SANS_BOLD] = "Inter,DejaVu Sans,sans-serif",
        [VIZ_MONO] = "JetBrains Mono,DejaVu Sans Mono,monospace"};
    return lists[face];
}

static FcFontSet *sort_fonts(viz_face face)
{
    FcPattern *pattern = FcPatternCreate();
    FcResult result;
    if (!pattern)
        return NULL;
    for (int i = 0; i < 3; i++)
        FcPatternAddString(pattern, FC_FAMILY, (const FcChar8 *)families[face][i]);
    FcPatternAddInteger(pattern, FC_WEIGHT,
                        face == VIZ_SANS_BOLD ? FC_WEIGHT_DEMIBOLD : FC_WEIGHT_REGULAR);
    FcPatternAddInteger(pattern, FC_SLANT, FC_SLANT_ROMAN);
    FcPatternAddBool(pattern, FC_SCALABLE, FcTrue);
    FcConfigSubstitute(NULL, pattern, FcMatchPattern);
    FcDefaultSubstitute(pattern);
    FcFontSet *set = FcFontSort(NULL, pattern, FcTrue, NULL, &result);
    FcPatternDestroy(pattern);
    return set;
}

sac_status viz_text_open(sac_error *error)
{
    if (fonts.ready)
        return SAC_OK;
    if (TTF_Init() != 0)
        return sac_fail(error, SAC_E_FILE, "fonts", NULL, "SDL_ttf did not start: %s",
                        TTF_GetError());
    fonts.ready = true;
    for (int i = 0; i < VIZ_FACE_COUNT; i++) {
        fonts.sorted[i] = FcInit() ? sort_fonts((viz_face)i) : NULL;
        if (!fonts.sorted[i] || !fonts.sorted[i]->nfont) {
            viz_text_close();
            return sac_fail(error, SAC_E_FILE, "fonts", "install one, such as fonts-dejavu-core",
                            "fontconfig knows of none");
        }
    }
    return SAC_OK;
}

static void close_fonts(void)
{
    for (int i = 0; i < fonts.open_count; i++)
        TTF_CloseFont(fonts.open[i].font);
    fonts.open_count = 0;
}

static bool text_failed; /* since it was last set to false */

/* After a call that failed with errno at 0 before: was it the machine, and not a damaged font? */
static void note_failure(void)
{
    if (errno != ENOMEM && errno != EMFILE && errno != ENFILE && errno != EIO)
        return;
    text_failed = true;
    viz_drawing_fails(errno);
}

static TTF_Font *load_font(const FcPattern *pattern, int pixels)
{
    FcChar8 *file;
    int index = 0;
    if (FcPatternGetString(pattern, FC_FILE, 0, &file) != FcResultMatch)
        return NULL;
    FcPatternGetInteger(pattern, FC_INDEX, 0, &index);
    size_t size = 0;
    errno = 0;
    const void *bytes = viz_font_file_map((const char *)file, &size);
    SDL_RWops *stream = bytes && size <= INT_MAX ? SDL_RWFromConstMem(bytes, (int)size) : NULL;
    TTF_Font *font = stream ? TTF_OpenFontIndexRW(stream, SDL_TRUE, pixels, index) : NULL;
    if (font)
        TTF_SetFontHinting(font, TTF_HINTING_LIGHT_SUBPIXEL);
    else
        note_failure();
    return font;
}

/* The font at that size; lent. */
static TTF_Font *get_font(const FcPattern *pattern, int pixels)
{
    for (int i = 0; i < fonts.open_count; i++)
        if (fonts.open[i].pattern == pattern && fonts.open[i].pixels == pixels)
            return fonts.open[i].font;
    TTF_Font *font = load_font(pattern, pixels);
    if (!font)
        return NULL;
    if (fonts.open_count == MAX_OPEN) /* many sizes were shown; start over */
        close_fonts();
    fonts.open[fonts.open_count++] = (open_font){pattern, pixels, font};
    return font;
}

static bool has_glyph(const FcPattern *pattern, uint32_t code)
{
    FcCharSet *set;
    return FcPatternGetCharSet(pattern, FC_CHARSET, 0, &set) == FcResultMatch &&
           FcCharSetHasChar(set, code);
}

/* The first font of the face that can draw `code`; NULL: none can. */
static const FcPattern *find_font(viz_face face, uint32_t code)
{
    const FcFontSet *set = fonts.sorted[face];
    for (int i = 0; i < set->nfont; i++)
        if (has_glyph(set->fonts[i], code))
            return set->fonts[i];
    return NULL;
}

/* The same, and the house face where none can. */
static const FcPattern *font_for(viz_face face, uint32_t code)
{
    const FcPattern *font = find_font(face, code);
    return font ? font : fonts.sorted[face]->fonts[0];
}

/* ---------------------------------------------------------------- UTF-8 and scripts */

/* U+FFFE and the like, which a PDF and XML must not hold. */
static bool is_noncharacter(uint32_t code)
{
    return (code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef);
}

/* The next character of *text, which moves on; broken bytes give U+FFFD, control characters a
 * space. 0 at the end. */
static uint32_t next_code(const char **text)
{
    const unsigned char *s = (const unsigned char *)*text;
    int more = s[0] < 0x80 ? 0 : s[0] >= 0xf0 && s[0] < 0xf5 ? 3 : s[0] >= 0xe0 ? 2 : 1;
    uint32_t code = more == 0 ? s[0] : s[0] & (0x3fu >> more);
    if (!s[0])
        return 0;
    bool broken = s[0] >= 0x80 && (s[0] < 0xc2 || s[0] >= 0xf5);
    for (int i = 1; i <= more && !broken; i++) {
        broken = (s[i] & 0xc0) != 0x80;
        code = code << 6 | (s[i] & 0x3f);
    }
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    broken = broken || code < least[more] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff;
    *text += broken ? 1 : more + 1;
    if (broken || is_noncharacter(code))
        return 0xfffd;
    return code < 0x20 || (code >= 0x7f && code < 0xa0) ? ' ' : code;
}

static size_t put_code(uint32_t code, char *out)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned lead[] = {0, 0xc0, 0xe0, 0xf0};
    out[0] = (char)(lead[more] | code >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        out[i] = (char)(0x80 | (code >> 6 * (more - i) & 0x3f));
    return more + 1;
}

typedef struct text_script {
    uint32_t first, last;
    const char *tag; /* ISO 15924, as HarfBuzz takes it */
    bool right_to_left;
} text_script;

/* Only scripts whose letters are reshaped or run to the left; the rest need no shaper. */
static const text_script scripts[] = {
    {0x0590, 0x05ff, "Hebr", true},  {0x0600, 0x08ff, "Arab", true},
    {0x0900, 0x097f, "Deva", false}, {0x0980, 0x09ff, "Beng", false},
    {0x0a00, 0x0a7f, "Guru", false}, {0x0a80, 0x0aff, "Gujr", false},
    {0x0b80, 0x0bff, "Taml", false}, {0x0c00, 0x0c7f, "Telu", false},
    {0x0e00, 0x0e7f, "Thai", false}, {0xfb1d, 0xfb4f, "Hebr", true},
    {0xfb50, 0xfdff, "Arab", true},  {0xfe70, 0xfefe, "Arab", true},
};
static const text_script plain_script = {0, 0, "Latn", false};

static const text_script *script_of(uint32_t code)
{
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (code >= scripts[i].first && code <= scripts[i].last)
            return &scripts[i];
    return &plain_script;
}

/* Spaces, joiners, combining marks and variation selectors go with what stands before them. */
static bool follows(uint32_t code)
{
    return code == ' ' || code == 0xa0 || (code >= 0x0300 && code <= 0x036f) ||
           (code >= 0x200b && code <= 0x200f) || (code >= 0x20d0 && code <= 0x20ff) ||
           (code >= 0xfe00 && code <= 0xfe0f);
}

/* The text as it is drawn, recorded and written: no control characters, and in place of what no
 * font has, such as an emoji, its number, "U+1F642". NULL: no memory. */
static char *readable(viz_face face, const char *text)
{
    size_t used = 0;
    char *clean = viz_allocate(3 * strlen(text) + 1, 1);
    while (clean && *text) {
        uint32_t code = next_code(&text);
        bool known = code < 0x80 || code == 0xfffd || follows(code) || find_font(face, code);
        used += known ? put_code(code, clean + used)
                      : (size_t)sprintf(clean + used, "U+%04X", (unsigned)code);
    }
    return clean;
}

/* ---------------------------------------------------------------- runs */

#define MAX_RUN 1024 /* bytes; a longer run is cut into several */

typedef struct text_run {
    TTF_Font *font;
    const FcPattern *pattern;
    const text_script *script;
    char text[MAX_RUN + 8];
} text_run;

/* Cuts the next run off *text; false at the end, or where no font opens. */
static bool next_run(viz_face face, int pixels, const char **text, text_run *run)
{
    const FcPattern *pattern = NULL;
    const text_script *run_script = NULL;
    size_t used = 0;
    for (const char *at = *text; used < MAX_RUN; *text = at) {
        uint32_t code = next_code(&at);
        if (!code)
            break;
        bool stays = pattern && (follows(code) && (code == ' ' || has_glyph(pattern, code)));
        if (!stays) {
            const FcPattern *wanted = font_for(face, code);
            const text_script *script = script_of(code);
            if (pattern && (wanted != pattern || strcmp(script->tag, run_script->tag)))
                break;
            pattern = wanted;
            run_script = script;
        }
        used += put_code(code, run->text + used);
    }
    run->text[used] = 0;
    run->pattern = pattern;
    run->script = run_script;
    run->font = pattern ? get_font(pattern, pixels) : NULL;
    if (!run->font)
        return false;
    TTF_SetFontDirection(run->font,
                         run_script->right_to_left ? TTF_DIRECTION_RTL : TTF_DIRECTION_LTR);
    TTF_SetFontScriptName(run->font, run_script->tag);
    return true;
}

static int run_width(const text_run *run)
{
    int width = 0;
    errno = 0;
    if (TTF_SizeUTF8(run->font, run->text, &width, NULL) == 0)
        return width;
    note_failure();
    return 0;
}

static int measure(viz_face face, int pixels, const char *text)
{
    text_run run;
    int sum = 0;
    char *clean = readable(face, text);
    for (const char *at = clean; at && next_run(face, pixels, &at, &run);)
        sum += run_width(&run);
    free(clean);
    return sum;
}

/* ---------------------------------------------------------------- rendered texts, kept */

typedef struct rendered {
    struct rendered *newer, *older, *chained;
    uint32_t hash;
    viz_face face;
    int pixels;
    char *text, *shown;        /* as it was asked for, and as it is drawn */
    int width, height, ascent; /* pixels; ascent: rows above the baseline */
    uint8_t *coverage;         /* [height,width] */
} rendered;

#define BUCKETS 4096
#define MAX_KEPT 4096
#define MAX_KEPT_BYTES (32u << 20)

static struct {
    rendered *buckets[BUCKETS];
    rendered *newest, *oldest;
    size_t count, bytes;
} kept;

static void unlink_age(rendered *r)
{
    *(r->newer ? &r->newer->older : &kept.newest) = r->older;
    *(r->older ? &r->older->newer : &kept.oldest) = r->newer;
}

static void link_newest(rendered *r)
{
    r->newer = NULL;
    r->older = kept.newest;
    *(kept.newest ? &kept.newest->newer : &kept.oldest) = r;
    kept.newest = r;
}

static size_t rendered_bytes(const rendered *r)
{
    return (size_t)r->width * (size_t)r->height + strlen(r->text) + strlen(r->shown) + sizeof *r;
}

static void rendered_free(rendered *r)
{
    if (!r)
        return;
    free(r->coverage);
    free(r->text);
    free(r->shown);
    free(r);
}

static void drop_oldest(void)
{
    rendered *r = kept.oldest, **link = &kept.buckets[r->hash % BUCKETS];
    while (*link != r)
        link = &(*link)->chained;
    *link = r->chained;
    unlink_age(r);
    kept.count--;
    kept.bytes -= rendered_bytes(r);
    rendered_free(r);
}

void viz_text_close(void)
{
    while (kept.oldest)
        drop_oldest();
    close_fonts();
    viz_font_files_close();
    for (int i = 0; i < VIZ_FACE_COUNT; i++) {
        if (fonts.sorted[i])
            FcFontSetDestroy(fonts.sorted[i]);
        fonts.sorted[i] = NULL;
    }
    if (fonts.ready)
        TTF_Quit(); /* fontconfig stays: Pango and Cairo keep fonts of it */
    fonts.ready = false;
}

/* Sets a run's coverage at column x of the bitmap, its baseline on the bitmap's. */
static void set_run(rendered *r, const SDL_Surface *surface, int x, int ascent)
{
    for (int row = 0; row < surface->h; row++) {
        int y = r->ascent - ascent + row;
        if (y < 0 || y >= r->height)
            continue;
        const uint32_t *from =
            (const uint32_t *)((const uint8_t *)surface->pixels + row * surface->pitch);
        uint8_t *to = r->coverage + (size_t)y * (size_t)r->width;
        for (int i = 0; i < surface->w && x + i < r->width; i++)
            to[x + i] = (uint8_t)(from[i] >> 24); /* ARGB8888 */
    }
}

static void measure_runs(rendered *r)
{
    text_run run;
    int descent = 0;
    const char *text = r->shown;
    while (next_run(r->face, r->pixels, &text, &run)) {
        int up = TTF_FontAscent(run.font), down = -TTF_FontDescent(run.font);
        r->width += run_width(&run);
        r->ascent = up > r->ascent ? up : r->ascent;
        descent = down > descent ? down : descent;
    }
    r->height = r->ascent + descent + 1;
}

static void render_runs(rendered *r)
{
    text_run run;
    int x = 0;
    const char *text = r->shown;
    while (next_run(r->face, r->pixels, &text, &run)) {
        errno = 0;
        SDL_Surface *surface =
            TTF_RenderUTF8_Blended(run.font, run.text, (SDL_Color){255, 255, 255, 255});
        if (surface)
            set_run(r, surface, x, TTF_FontAscent(run.font));
        else
            note_failure();
        SDL_FreeSurface(surface);
        x += run_width(&run);
    }
}

static rendered *render(viz_face face, int pixels, const char *text, uint32_t hash)
{
    rendered *r = viz_allocate(1, sizeof *r);
    if (!r)
        return NULL;
    r->hash = hash;
    r->face = face;
    r->pixels = pixels;
    r->text = strdup(text);
    r->shown = readable(face, text);
    if (!r->text || !r->shown)
        goto fail;
    text_failed = false;
    measure_runs(r);
    r->coverage = calloc((size_t)r->width + 1, (size_t)r->height);
    if (!r->coverage)
        goto fail;
    render_runs(r);
    if (text_failed) /* a text with a gap is not kept */
        goto fail;
    return r;
fail:
    rendered_free(r);
    viz_drawing_lacks_memory();
    return NULL;
}

static uint32_t hash_text(viz_face face, int pixels, const char *text)
{
    uint32_t hash = 2166136261u ^ (uint32_t)face ^ (uint32_t)pixels << 4; /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

/* The bitmap of a text, rendered now or before; lent until the next call. NULL: no font, no
 * memory. */
static const rendered *get_rendered(viz_face face, int pixels, const char *text)
{
    if (!fonts.ready && viz_text_open(NULL) != SAC_OK)
        return NULL;
    uint32_t hash = hash_text(face, pixels, text);
    rendered *r = kept.buckets[hash % BUCKETS];
    while (r &&
           (r->hash != hash || r->face != face || r->pixels != pixels || strcmp(r->text, text)))
        r = r->chained;
    if (r) {
        unlink_age(r);
        link_newest(r);
        return r;
    }
    r = render(face, pixels, text, hash);
    if (!r)
        return NULL;
    kept.count++;
    kept.bytes += rendered_bytes(r);
    r->chained = kept.buckets[hash % BUCKETS];
    kept.buckets[hash % BUCKETS] = r;
    link_newest(r);
    while (kept.oldest != r && (kept.count > MAX_KEPT || kept.bytes > MAX_KEPT_BYTES))
        drop_oldest();
    return r;
}

/* ---------------------------------------------------------------- the public calls */

static int pixel_size(const viz_canvas *canvas, float size)
{
    int pixels = (int)lroundf(size * canvas->density);
    return pixels < 1 ? 1 : pixels;
}

float viz_text_width(const viz_canvas *canvas, viz_face face, float size, const char *utf8)
{
    const rendered *r = get_rendered(face, pixel_size(canvas, size), utf8);
    return r ? (float)r->width / canvas->density : 0;
}

/* `x`, `y`: where the baseline begins, in pixels. */
static void record_text(viz_canvas *canvas, const rendered *r, int x, int y, bool upwards,
                        viz_color color)
{
    viz_record(canvas, &(viz_shape){.kind = VIZ_SHAPE_TEXT,
                                    .points = &(viz_point){(float)x, (float)y},
                                    .point_count = 1,
                                    .text = r->shown,
                                    .face = r->face,
                                    .size = r->pixels,
                                    .advance = (float)r->width,
                                    .upwards = upwards,
                                    .color = color});
}

float viz_text(viz_canvas *canvas, viz_face face, float size, float x, float y, viz_align align,
               viz_color color, const char *utf8)
{
    const rendered *r = get_rendered(face, pixel_size(canvas, size), utf8);
    if (!r)
        return 0;
    int shift = align == VIZ_LEFT ? 0 : align == VIZ_CENTER ? r->width / 2 : r->width;
    int left = (int)lroundf(x * canvas->density) - shift;
    int top = (int)lroundf(y * canvas->density) - r->ascent;
    for (int row = 0; row < r->height; row++)
        for (int col = 0; col < r->width; col++) {
            uint8_t coverage = r->coverage[(size_t)row * (size_t)r->width + (size_t)col];
            if (coverage)
                viz_blend(canvas, left + col, top + row, color, (float)coverage / 255);
        }
    record_text(canvas, r, left, top + r->ascent, false, color);
    return (float)r->width / canvas->density;
}

void viz_text_up(viz_canvas *canvas, viz_face face, float size, float x, float y, viz_color color,
                 const char *utf8)
{
    const rendered *r = get_rendered(face, pixel_size(canvas, size), utf8);
    if (!r)
        return;
    int left = (int)lroundf(x * canvas->density) - r->ascent;
    int bottom = (int)lroundf(y * canvas->density) - 1;
    for (int row = 0; row < r->height; row++)
        for (int col = 0; col < r->width; col++) {
            uint8_t coverage = r->coverage[(size_t)row * (size_t)r->width + (size_t)col];
            if (coverage)
                viz_blend(canvas, left + row, bottom - col, color, (float)coverage / 255);
        }
    record_text(canvas, r, left + r->ascent, bottom + 1, true, color);
}

/* The first `bytes` of the text (less, so that no character is cut), then "…". */
static char *cut(const char *utf8, size_t bytes, char *out, size_t out_size)
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
    size_t length = strlen(utf8), low = 0, high = length;
    int pixels = pixel_size(canvas, size), room = (int)floorf(width * canvas->density);
    if (length < out_size && viz_text_width(canvas, face, size, utf8) * canvas->density <= room)
        return memcpy(out, utf8, length + 1);
    if (out_size < 4 || !fonts.ready) {
        out[0] = 0;
        return out;
    }
    while (low < high) { /* the longest beginning that fits */
        size_t middle = (low + high + 1) / 2;
        if (measure(face, pixels, cut(utf8, middle, out, out_size)) <= room)
            low = middle;
        else
            high = middle - 1;
    }
    return cut(utf8, low, out, out_size);
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
static bool closes(unsigned code)
{
    const char *const signs = "，。、；：！？）」』】》〉”’,.;:!?)";
    for (const char *at = signs; *at; at++)
        if (((unsigned char)*at & 0xc0) != 0x80 && decode_letter(at) == code)
            return true;
    return false;
}

static bool opens(unsigned code)
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
    return at > 0 && (is_ideograph(last) || is_ideograph(next)) && !closes(next) && !opens(last);
}

static bool is_break(const char *utf8, size_t at)
{
    return !utf8[at] || utf8[at] == ' ' || (at > 0 && utf8[at - 1] == '/' && utf8[at] != '/') ||
           is_between_ideographs(utf8, at);
}

static bool is_inside_letter(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

size_t viz_text_line(const viz_canvas *canvas, viz_face face, float size, float width,
                     const char *utf8)
{
    char part[1200];
    size_t length = strnlen(utf8, sizeof part - 1), between = 0, fits = 0;
    for (size_t at = 1; at <= length; at++) {
        if (is_inside_letter(utf8[at]) || (!is_break(utf8, at) && between > 0))
            continue;
        snprintf(part, sizeof part, "%.*s", (int)at, utf8);
        if (fits > 0 && viz_text_width(canvas, face, size, part) > width)
            break;
        fits = at;
        if (is_break(utf8, at))
            between = at;
    }
    return between > 0 ? between : fits;
}
