/* The bundled picture of a harbour. */

#include <math.h>
#include <stddef.h>

#include "scenes.h"

#define ASPECT 1.5f
#define SHORE 0.565f /* where the quay meets the water */
#define SUN_X 1.13f
#define SUN_Y 0.435f

/* ---------------------------------------------------------------- sky and hills */

static paint sky(const void *unused, float x, float y)
{
    (void)unused;
    static const unsigned colors[] = {0x32466b, 0x55648c, 0x8d809c, 0xc9959a, 0xeab48f, 0xf6d09c};
    float away = hypotf(x - SUN_X, y - SUN_Y);
    paint p = ramp(colors, 6, powf(y / 0.52f, 1.15f));
    p = mix(p, hex(0xffd9a0), 0.75f * expf(-away * away * 22));
    p = mix(p, hex(0xf0a98a), 0.30f * expf(-away * away * 3));
    /* Thin clouds in long streaks, lit from below. */
    float streak = clouds(x * 2.2f + 3, y * 17 + 0.6f * clouds(x * 3, y * 3, 3, 5), 5, 11);
    float cloud = smooth(0.47f, 0.70f, streak) * smooth(0.02f, 0.16f, y) * smooth(0.50f, 0.30f, y);
    p = mix(p, mix(hex(0x77708f), hex(0xf7bd9f), smooth(0.10f, 0.40f, y)), 0.62f * cloud);
    if (away < 0.044f)
        p = hex(0xfff2cf);
    return p;
}

typedef struct ridge {
    float height, rough, scale;
    unsigned top, foot; /* colours; the foot fades into haze */
    int seed;
} ridge;

static float ridge_line(const ridge *r, float x)
{
    return r->height - r->rough * (clouds(x * r->scale, 0.5f, 6, r->seed) - 0.5f);
}

static paint hill(const void *shape, float x, float y)
{
    const ridge *r = shape;
    float line = ridge_line(r, x);
    line -= 0.006f * clouds(x * 60, 0.5f, 2, r->seed + 20); /* treetops */
    if (y < line)
        return (paint){0};
    float leaves = clouds(x * 55, y * 75, 4, r->seed + 9);
    paint p = mix(hex(r->top), hex(r->foot), (y - line) / 0.16f);
    return shade(p, 0.80f + 0.42f * leaves);
}

/* ---------------------------------------------------------------- houses */

typedef struct house {
    float x, w, top; /* left, width, eaves; it stands on SHORE − 0.035 */
    float roof;      /* height of the roof */
    int kind;        /* 0: gable to the water, 1: eaves to the water */
    unsigned wall, tiles;
    int floors, windows, seed;
} house;

#define GROUND (SHORE - 0.030f)

static paint window_paint(const house *h, int floor, int column, float u, float v)
{
    float lit = chance(floor, column, h->seed);
    paint glass = hex(0x2b3448);
    if (lit > 0.42f)
        glass = mix(hex(0xffc56b), hex(0xffe7b0), smooth(1, 0, hypotf(u - 0.5f, v - 0.6f) * 1.4f));
    bool bar = fabsf(u - 0.5f) < 0.05f || fabsf(v - 0.45f) < 0.035f;
    bool frame = u < 0.10f || u > 0.90f || v < 0.06f || v > 0.94f;
    return frame || bar ? hex(0xd9cdbb) : glass;
}

static paint wall(const house *h, float u, float v, float x, float y)
{
    float grain = clouds(x * 140, y * 220, 3, h->seed);
    paint p = shade(hex(h->wall), (0.84f + 0.30f * grain) * (1.06f - 0.22f * v));
    float fx = u * (float)h->windows, fy = v * (float)h->floors;
    int column = (int)fx, floor = (int)fy;
    float wu = (fx - (float)column - 0.24f) / 0.52f, wv = (fy - (float)floor - 0.20f) / 0.56f;
    bool door = floor == h->floors - 1 && column == h->seed % h->windows;
    if (door && wu > 0 && wu < 1 && wv > -0.1f)
        return wu < 0.1f || wu > 0.9f || wv < 0 ? hex(0xcbbfae)
                                                : shade(hex(0x4f3b3a), 0.9f + 0.2f * grain);
    if (wu > 0 && wu < 1 && wv > 0 && wv < 1)
        return window_paint(h, floor, column, wu, wv);
    return p;
}

static paint house_paint(const void *shape, float x, float y)
{
    const house *h = shape;
    float u = (x - h->x) / h->w, v = (y - h->top) / (GROUND - h->top);
    float chimney = h->x + h->w * (0.22f + 0.5f * chance(h->seed, 3, 1));
    if (u >= 0 && u < 1 && v >= 0 && v < 1)
        return wall(h, u, v, x, y);
    float rise = (h->top - y) / h->roof; /* 0 at the eaves, 1 at the ridge */
    float inset = h->kind == 0 ? 0.5f * rise : 0.10f * rise;
    bool roof = rise >= 0 && rise < 1 && u > inset - 0.03f && u < 1 - inset + 0.03f;
    if (roof && h->kind == 0 && u > inset + 0.05f && u < 0.95f - inset) { /* the gable's wall */
        float round = hypotf((u - 0.5f) * h->w, y - (h->top - 0.3f * h->roof));
        if (round < 0.0085f)
            return round > 0.0062f ? hex(0xd9cdbb) : hex(0xffcf80);
        return shade(hex(h->wall), 0.92f + 0.2f * clouds(x * 140, y * 220, 3, h->seed));
    }
    if (roof) {
        float row = sinf((h->top - y) * 900) * 0.08f,
              tile = clouds(x * 190, y * 150, 2, h->seed + 2);
        return shade(hex(h->tiles), 0.82f + row + 0.34f * tile);
    }
    bool stack =
        fabsf(x - chimney) < 0.008f && rise > 0.3f && rise < (h->kind == 0 ? 1.05f : 1.35f);
    return stack ? shade(hex(0x7d4f46), 0.8f + 0.4f * noise(x * 400, y * 300, 4)) : (paint){0};
}

static void draw_houses(sheet *s)
{
    static const unsigned walls[] = {0xb98a5e, 0xa86a55, 0x8f9a86, 0xcdb592, 0x76849a, 0xb87f6c};
    static const unsigned tiles[] = {0x6e4340, 0x5a4a52, 0x7a4c3e};
    float x = 0.035f;
    for (int i = 0; x < 0.86f; i++) {
        house h = {.x = x, .seed = 31 + i};
        h.windows = 2 + (chance(i, 1, 9) > 0.45f);
        h.floors = 2 + (chance(i, 2, 9) > 0.35f);
        h.w = 0.034f * (float)h.windows + 0.012f * chance(i, 3, 9);
        h.top = GROUND - 0.050f * (float)h.floors - 0.010f * chance(i, 4, 9);
        h.kind = chance(i, 5, 9) > 0.5f;
        h.roof = h.kind == 0 ? 0.052f : 0.034f;
        h.wall = walls[i % 6];
        h.tiles = tiles[i % 3];
        sheet_paint(s, (box){h.x - 0.01f, h.top - 0.09f, h.x + h.w + 0.01f, GROUND}, house_paint,
                    &h);
        x += h.w + (chance(i, 6, 9) > 0.72f ? 0.016f : 0.0f);
    }
}

static paint quay(const void *unused, float x, float y)
{
    (void)unused;
    float end = 0.93f;
    if (x > end || y < GROUND)
        return (paint){0};
    float v = (y - GROUND) / (SHORE - GROUND);
    if (v < 0.16f)
        return shade(hex(0xb5a390), 0.85f + 0.3f * clouds(x * 60, y * 60, 3, 3));
    int row = (int)(v * 3.2f);
    float fx = x * 42 + 0.5f * (float)(row % 2), fy = v * 3.2f - (float)row;
    int column = (int)fx;
    bool joint = fx - (float)column < 0.07f || fy < 0.12f;
    paint stone = shade(hex(0x77707a), 0.70f + 0.45f * chance(row, column, 8));
    return shade(joint ? hex(0x4c4853) : stone, 0.88f + 0.24f * clouds(x * 130, y * 130, 3, 6));
}

/* ---------------------------------------------------------------- lighthouse, boats, birds */

static paint lighthouse(const void *unused, float x, float y)
{
    (void)unused;
    float cx = 1.365f, top = 0.285f, foot = SHORE - 0.006f;
    float rock = SHORE - 0.045f * smooth(0.13f, 0.02f, fabsf(x - cx)) *
                             (0.6f + 0.8f * clouds(x * 30, 1, 4, 6));
    if (y > rock && y < SHORE)
        return shade(hex(0x4a4552), 0.55f + 0.8f * clouds(x * 60, y * 80, 4, 14));
    float t = (y - top) / (foot - top), half = 0.012f + 0.014f * t;
    float lamp = hypotf(x - cx, y - (top - 0.014f));
    if (lamp < 0.0105f)
        return hex(0xfff0c0);
    bool cap = y < top - 0.022f && y > top - 0.040f && fabsf(x - cx) < (y - top + 0.040f) * 0.8f;
    bool gallery = fabsf(y - top) < 0.005f && fabsf(x - cx) < 0.021f;
    if (cap || gallery)
        return hex(0x4a3b46);
    if (t > 0 && t < 1 && fabsf(x - cx) < half) {
        float round = (x - cx) / half; /* lit by the sun, which stands to its left */
        paint band = (int)(t * 5) % 2 ? hex(0xb05c4e) : hex(0xe9dcc8);
        return shade(band, 0.98f - 0.34f * round - 0.16f * round * round);
    }
    return with_alpha(hex(0xffe2a6), 0.55f * expf(-lamp * lamp * 1400));
}

typedef struct boat {
    float x, y, size; /* where its mast meets the deck; length of the hull */
    unsigned hull, sail;
} boat;

static paint boat_paint(const void *shape, float x, float y)
{
    const boat *b = shape;
    float u = (x - b->x) / b->size, v = (y - b->y) / b->size; /* hull: u −0.5 … 0.5, v 0 … 0.16 */
    float bow = 0.50f - 0.9f * (0.16f - v) * (v - 0.0f) - 0.35f * v;
    if (v > 0 && v < 0.16f && u > -0.5f + 0.5f * v && u < bow + 0.10f * (1 - v / 0.16f))
        return v < 0.035f ? hex(0xe6d5ba) : shade(hex(b->hull), 1.12f - 2.2f * v);
    if (fabsf(u + 0.02f) < 0.010f && v > -1.25f && v <= 0)
        return hex(0x5b463d);
    float main_edge = 0.012f + 0.40f * smooth(-1.2f, -0.05f, v) + 0.06f * sinf(3.0f * (v + 1.2f));
    if (v > -1.2f && v < -0.09f && u > 0.0f && u < main_edge)
        return shade(hex(b->sail), 1.05f - 0.5f * u + 0.03f * sinf(v * 60));
    float jib_edge = -0.035f - 0.36f * smooth(-1.0f, -0.08f, v);
    if (v > -1.0f && v < -0.10f && u < -0.035f && u > jib_edge)
        return shade(hex(b->sail), 0.82f + 0.3f * (u + 0.4f));
    return (paint){0};
}

typedef struct bird {
    float x, y, span, lift;
} bird;

static paint bird_paint(const void *shape, float x, float y)
{
    const bird *b = shape;
    float u = fabsf(x - b->x) / b->span, arch = -b->lift * sinf(2.6f * u) * b->span;
    float thick = 0.085f * b->span * (1 - u);
    return u < 1 && fabsf(y - b->y - arch) < thick ? hex(0x3a3a50) : (paint){0};
}

static void draw_birds(sheet *s)
{
    static const bird birds[] = {{0.50f, 0.120f, 0.026f, 0.55f}, {0.57f, 0.150f, 0.021f, 0.40f},
                                 {0.61f, 0.105f, 0.023f, 0.60f}, {0.67f, 0.165f, 0.018f, 0.50f},
                                 {0.73f, 0.130f, 0.021f, 0.35f}, {1.33f, 0.185f, 0.019f, 0.55f},
                                 {1.28f, 0.160f, 0.016f, 0.40f}};
    for (int i = 0; i < 7; i++) {
        const bird *b = &birds[i];
        box where = {b->x - b->span, b->y - b->span, b->x + b->span, b->y + b->span};
        sheet_paint(s, where, bird_paint, b);
    }
}

/* ---------------------------------------------------------------- water */

/* Waves: negative in the troughs, positive on the crests; finer far away. */
static float wave(float x, float y)
{
    float depth = (y - SHORE) / (1 - SHORE), far = 1 / (0.10f + depth);
    float w = clouds(x * 9 * sqrtf(far), y * 55 * far, 4, 40) - 0.5f;
    return w + 0.55f * (noise(x * 30 * sqrtf(far), y * 150 * far, 45) - 0.5f);
}

/* All that stands above the shore is mirrored, broken by waves that grow towards us. */
static paint water(const void *shape, float x, float y)
{
    const sheet *above = shape;
    if (y < SHORE)
        return (paint){0};
    float depth = (y - SHORE) / (1 - SHORE), w = wave(x, y);
    float up = SHORE - (y - SHORE) * 1.12f + w * 0.10f * (0.15f + depth);
    paint p = sheet_at(above, x + w * 0.018f, up > SHORE - 0.002f ? SHORE - 0.002f : up);
    p = mix(p, hex(0x27405c), 0.26f + 0.34f * depth); /* deep water */
    p = shade(p, 0.94f + 0.55f * w);
    /* The sun's path: glitter on the crests, wider towards us. */
    float wide = 0.030f + 0.12f * depth, off = (x - SUN_X) / wide;
    float glitter = expf(-off * off) * smooth(0.02f, 0.20f, w + 0.09f);
    return mix(p, hex(0xffdca4), 0.85f * glitter * (1 - 0.45f * depth));
}

static paint boat_mirror(const void *shape, float x, float y)
{
    const boat *b = shape;
    float line = b->y + 0.15f * b->size, down = (y - line) / (1.1f * b->size), w = wave(x, y);
    if (down < 0)
        return (paint){0};
    paint p = boat_paint(b, x + w * 0.022f, line - (y - line) * 1.1f + w * 0.02f);
    return with_alpha(mix(p, hex(0x27405c), 0.35f), p.a * 0.72f * (1 - down));
}

static void draw_boats(sheet *s, bool near)
{
    static const boat boats[] = {
        {0.985f, SHORE - 0.022f, 0.075f, 0x6d3f3d, 0xe9d9bd},
        {1.185f, SHORE - 0.016f, 0.058f, 0x39506b, 0xe9d9bd},
        {0.300f, 0.735f, 0.135f, 0x6d3f3d, 0xd9875f},
        {0.700f, 0.700f, 0.105f, 0x39506b, 0xe9d9bd},
        {1.330f, 0.800f, 0.165f, 0x6d3f3d, 0xd9875f},
    };
    for (int i = near ? 2 : 0; i < (near ? 5 : 2); i++) {
        const boat *b = &boats[i];
        box where = {b->x - b->size, b->y - 1.3f * b->size, b->x + b->size, b->y + 0.17f * b->size};
        box mirrored = {where.x0, b->y, where.x1, b->y + 1.3f * b->size};
        if (near)
            sheet_paint(s, mirrored, boat_mirror, b);
        sheet_paint(s, where, boat_paint, b);
    }
}

static paint vignette(const void *unused, float x, float y)
{
    (void)unused;
    float d = hypotf((x - 0.78f) / 1.05f, (y - 0.48f) / 0.78f);
    return with_alpha(hex(0x141a2a), 0.42f * smooth(0.55f, 1.15f, d));
}

void draw_harbour(sheet *s)
{
    const box all = {0, 0, ASPECT, 1}, above = {0, 0, ASPECT, SHORE};
    static const ridge ridges[] = {{0.455f, 0.16f, 2.1f, 0x8c86a4, 0xc79f9f, 3},
                                   {0.480f, 0.20f, 3.3f, 0x646a86, 0x9a8590, 17},
                                   {0.525f, 0.13f, 5.0f, 0x47546a, 0x6b6a74, 29}};
    sheet_paint(s, all, sky, NULL);
    for (int i = 0; i < 3; i++)
        sheet_paint(s, above, hill, &ridges[i]);
    sheet_paint(s, above, lighthouse, NULL);
    draw_houses(s);
    sheet_paint(s, above, quay, NULL);
    draw_boats(s, false);
    sheet_paint(s, (box){0, SHORE, ASPECT, 1}, water, s);
    draw_boats(s, true);
    draw_birds(s);
    sheet_paint(s, all, vignette, NULL);
}
