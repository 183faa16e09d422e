/* The bundled picture of a garden. */

#include <math.h>
#include <stddef.h>

#include "scenes.h"

#define ASPECT 1.5f
#define MEADOW 0.42f /* where the meadow begins */

/* ---------------------------------------------------------------- behind the meadow */

static paint sky(const void *unused, float x, float y)
{
    (void)unused;
    static const unsigned colors[] = {0x9fbfd0, 0xc3d3d3, 0xe9e2cd, 0xf3e3c0};
    paint p = ramp(colors, 4, y / 0.36f);
    float cloud =
        smooth(0.46f, 0.70f, clouds(x * 3.2f + 1, y * 8, 5, 23)) * smooth(0.30f, 0.12f, y);
    p = mix(p, hex(0xfaf3e4), 0.75f * cloud);
    float sun = hypotf(x - 0.16f, y - 0.05f);
    return mix(p, hex(0xfff3cf), 0.85f * expf(-sun * sun * 9));
}

typedef struct wood {
    float line, rough, scale;
    unsigned light, dark;
    int seed;
} wood;

/* Crowns: the top edge is a row of bumps, and light falls on each from the upper left. */
static paint wood_paint(const void *shape, float x, float y)
{
    const wood *w = shape;
    float edge = w->line - w->rough * (clouds(x * w->scale, 0.7f, 3, w->seed) - 0.3f);
    edge -= 0.018f * clouds(x * w->scale * 7, 0.2f, 3, w->seed + 5);
    if (y < edge)
        return (paint){0};
    float here = clouds(x * 17, y * 24, 5, w->seed + 8);
    float there = clouds((x - 0.010f) * 17, (y - 0.014f) * 24, 5, w->seed + 8);
    float light = clamp01(0.42f + 2.2f * (here - there) + 0.5f * smooth(0.05f, 0, y - edge));
    return shade(mix(hex(w->dark), hex(w->light), light), 0.90f + 0.2f * here);
}

static paint fence(const void *unused, float x, float y)
{
    (void)unused;
    float top = 0.345f, foot = MEADOW + 0.03f, cell = x / 0.034f, u = cell - floorf(cell) - 0.5f;
    float tip = top + 0.020f * fabsf(u) / 0.22f;
    bool rail = fabsf(y - 0.375f) < 0.0055f || fabsf(y - 0.415f) < 0.0055f;
    bool slat = fabsf(u) < 0.22f && y > tip;
    if (y > foot || !(slat || rail))
        return (paint){0};
    float grain = 0.90f + 0.16f * clouds(x * 260, y * 18, 3, 13);
    return shade(hex(slat ? 0xe6e0d0 : 0xc9c4b6),
                 grain * (slat ? 1.06f - 0.5f * (u + 0.22f) : 0.9f));
}

static paint meadow(const void *unused, float x, float y)
{
    (void)unused;
    if (y < MEADOW - 0.012f * clouds(x * 40, 1, 3, 4))
        return (paint){0};
    static const unsigned colors[] = {0xa9b273, 0x7f9757, 0x57774a, 0x375540, 0x27402f};
    float depth = (y - MEADOW) / (1 - MEADOW), near = 1 / (0.18f + depth);
    float blades = clouds((x - 0.75f) * 80 * near, y * 14 * near, 4, 50);
    paint p = ramp(colors, 5, depth + 0.35f * (clouds(x * 4, y * 8, 3, 51) - 0.5f));
    return shade(p, 0.62f + 0.76f * blades);
}

/* ---------------------------------------------------------------- flowers */

typedef enum kind { DAISY, POPPY, CORNFLOWER, TULIP, KINDS } kind;

typedef struct flower {
    kind kind;
    float x, y, size;   /* the head's centre and radius */
    float foot_x, foot; /* where the stem leaves the ground */
    float haze, turn;   /* 0 near … 1 far; radians */
} flower;

static paint daisy(float r, float angle)
{
    float petal = fabsf(cosf(6.5f * angle)), reach = 0.62f + 0.38f * sqrtf(petal);
    if (r < 0.30f)
        return shade(hex(0xe3b23c), 1.15f - 1.4f * r);
    return r < reach ? shade(hex(0xf4efe2), 0.74f + 0.26f * petal * smooth(0.2f, 0.8f, r))
                     : (paint){0};
}

static paint poppy(float r, float angle)
{
    float petal = fabsf(cosf(2 * angle)), reach = 0.84f + 0.14f * petal + 0.03f * sinf(17 * angle);
    if (r < 0.22f)
        return mix(hex(0x2c2430), hex(0x6d7a4a), smooth(0.12f, 0.06f, r));
    float crease = 0.86f + 0.10f * petal + 0.06f * sinf(31 * angle);
    paint p = mix(hex(0x9c2f2b), hex(0xdf6246), smooth(0.2f, 0.75f, r));
    return r < reach ? shade(p, crease) : (paint){0};
}

static paint cornflower(float r, float angle)
{
    float petal = fabsf(cosf(4.5f * angle)), fringe = 0.12f * sinf(27 * angle);
    float reach = 0.40f + 0.56f * powf(petal, 0.7f) + fringe * petal;
    if (r < 0.26f)
        return shade(hex(0x5a3f86), 0.8f + 1.0f * r);
    return r < reach ? shade(mix(hex(0x3a4f9c), hex(0x7f9bd8), r), 0.8f + 0.3f * petal)
                     : (paint){0};
}

/* Seen from the side: a cup with three tips. */
static paint tulip(float u, float v)
{
    float side = 0.68f * sqrtf(clamp01((1.0f - v) / 0.9f)) *
                 (0.86f + 0.16f * v + 0.14f * smooth(-0.9f, 0.2f, v));
    float tips = -0.92f + 0.42f * fabsf(sinf(4.6f * u));
    if (fabsf(u) > side || v < tips || v > 1)
        return (paint){0};
    bool middle = fabsf(u) < 0.36f * sqrtf(clamp01((1.0f - v) / 1.6f));
    paint p = mix(hex(0xd9a0b4), hex(0xa9587f), smooth(-0.7f, 0.9f, v));
    return shade(p, (middle ? 1.08f : 0.86f) - 0.22f * u);
}

static paint head(const flower *f, float x, float y)
{
    float u = (x - f->x) / f->size, v = (y - f->y) / f->size;
    if (f->kind == TULIP)
        return tulip(u * cosf(f->turn * 0.15f), v);
    v /= 0.84f; /* tilted towards us */
    float r = hypotf(u, v), angle = atan2f(v, u) + f->turn;
    return f->kind == DAISY   ? daisy(r, angle)
           : f->kind == POPPY ? poppy(r, angle)
                              : cornflower(r, angle);
}

static paint green(const flower *f, float x, float y)
{
    float t = (y - f->y) / (f->foot - f->y), s = f->size;
    float middle = f->x + (f->foot_x - f->x) * t * t;
    if (t > 0 && t < 1 && fabsf(x - middle) < 0.085f * s)
        return shade(hex(0x587a45), 1.1f - 4 * (x - middle) / s);
    for (int side = -1; side <= 1; side += 2) { /* two leaves */
        float rise = (f->foot - y) / (2.6f * s),
              bend = (float)side * s * (0.15f + 1.1f * rise * rise);
        if (rise > 0 && rise < 1 &&
            fabsf(x - f->foot_x - bend) < 0.17f * s * (1 - rise) * (0.3f + rise))
            return shade(hex(side < 0 ? 0x6f9155 : 0x4d7146), 0.8f + 0.4f * rise);
    }
    return (paint){0};
}

static paint flower_paint(const void *shape, float x, float y)
{
    const flower *f = shape;
    paint p = head(f, x, y);
    if (p.a == 0)
        p = green(f, x, y);
    /* Light from the upper left; distance is paler. */
    p = shade(p, 1.04f - 0.16f * ((x - f->x) + (y - f->y)) / f->size * 0.5f);
    return with_alpha(mix(p, with_alpha(hex(0xc5c795), p.a), 0.55f * f->haze), p.a);
}

/* Flowers of a kind grow in drifts. */
static kind kind_at(float x, float depth, float any)
{
    float drift = noise(x * 3.1f + 7, depth * 4.5f, 61) * 1.5f - 0.25f + 0.28f * (any - 0.5f);
    return (kind)(clamp01(drift) * 3.999f);
}

static void draw_row(sheet *s, int row, float depth)
{
    float size = 0.0085f + 0.047f * powf(depth, 1.35f), step = size * (1.9f + 0.5f * depth);
    float ground = MEADOW + 0.035f + 0.62f * powf(depth, 1.25f);
    for (int i = -1; (float)i * step < ASPECT + step; i++) {
        float any = chance(row, i, 70);
        if (chance(row, i, 71) > 0.72f)
            continue;
        flower f = {.size = size * (0.82f + 0.36f * chance(row, i, 72)), .haze = 1 - depth};
        f.foot_x = step * ((float)i + 0.5f * (float)(row % 2) + 0.8f * (chance(row, i, 73) - 0.5f));
        f.foot = ground + size * 1.2f * (chance(row, i, 74) - 0.5f) + size;
        f.x = f.foot_x + size * 1.4f * (chance(row, i, 75) - 0.5f);
        f.y = f.foot - size * (2.6f + 1.8f * chance(row, i, 76));
        f.kind = kind_at(f.foot_x, depth, any);
        f.size *= f.kind == TULIP ? 0.95f : f.kind == DAISY ? 0.85f : 1;
        f.turn = 6.28f * any;
        float wide = 1.8f * size;
        box where = {fminf(f.x, f.foot_x) - wide, f.y - 1.2f * size, fmaxf(f.x, f.foot_x) + wide,
                     f.foot};
        sheet_paint(s, where, flower_paint, &f);
    }
}

static paint sunlight(const void *unused, float x, float y)
{
    (void)unused;
    return with_alpha(hex(0xffe9b8), 0.17f * smooth(1.2f, 0.0f, x * 0.55f + y));
}

static paint vignette(const void *unused, float x, float y)
{
    (void)unused;
    float d = hypotf((x - 0.66f) / 1.1f, (y - 0.50f) / 0.8f);
    return with_alpha(hex(0x14251e), 0.42f * smooth(0.60f, 1.20f, d) * smooth(0.1f, 0.9f, y));
}

void draw_garden(sheet *s)
{
    enum { ROWS = 15 };
    const box all = {0, 0, ASPECT, 1};
    static const wood woods[] = {{0.27f, 0.16f, 1.7f, 0xb4bd98, 0x7d9485, 3},
                                 {0.33f, 0.13f, 2.9f, 0x9aa866, 0x4d6a52, 33}};
    sheet_paint(s, all, sky, NULL);
    for (int i = 0; i < 2; i++)
        sheet_paint(s, (box){0, 0, ASPECT, 0.5f}, wood_paint, &woods[i]);
    sheet_paint(s, all, fence, NULL);
    sheet_paint(s, all, meadow, NULL);
    for (int row = 0; row < ROWS; row++)
        draw_row(s, row, (float)row / (ROWS - 1));
    sheet_paint(s, all, sunlight, NULL);
    sheet_paint(s, all, vignette, NULL);
}
