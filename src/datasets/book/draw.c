/* Drawing: the ground, then things from the hindmost to the foremost, then the weather. */
#include <stdlib.h>
#include <string.h>

#include "arrange.h"
#include "base/error.h"
#include "book/scene.h"

/* ---------------------------------------------------------------- grounds */

typedef struct ground {
    const sac_book_scene *scene;
    const sac_light *light;
    const sac_terrain *terrain;
    sac_canvas *canvas;
    sac_place place; /* hundredths of the side to pixels */
    sac_rng rng;
} ground;

static const sac_light *hour_light(sac_hour hour, bool snow)
{
    static const sac_light lights[SAC_HOURS][2] = {
        [SAC_DAY] = {{{1, 1, 1}, {0, 0, 0}, 0, false, false},
                     {{1, 1, 1}, {0, 0, 0}, 0, false, true}},
        [SAC_SUNSET] = {{{1, 0.90f, 0.85f}, {1, 0.66f, 0.42f}, 0.06f, false, false},
                        {{1, 0.90f, 0.85f}, {1, 0.66f, 0.42f}, 0.06f, false, true}},
        [SAC_NIGHT] = {{{0.86f, 0.83f, 0.92f}, {0.16f, 0.20f, 0.44f}, 0.07f, true, false},
                       {{0.86f, 0.83f, 0.92f}, {0.16f, 0.20f, 0.44f}, 0.07f, true, true}},
    };
    return &lights[hour][snow];
}

/* ---------------------------------------------------------------- pieces */

typedef struct tone {
    uint8_t rgb[3];
} tone;

/* A tone of the ground in the light of the hour. */
static void tone_in_light(const ground *g, tone from, float rgba[4], float opacity)
{
    static const float dim[3] = {0.46f, 0.53f, 0.78f}; /* the ground is darker than what captions
                                                          mention */
    float rgb[3];
    for (int k = 0; k < 3; k++)
        rgb[k] = (float)from.rgb[k] / 255 * (g->light->night ? dim[k] : 1);
    sac_light_colour(g->light, rgb, 0, rgba);
    rgba[3] = opacity;
}

static void tone_unlit(tone from, float rgba[4])
{
    for (int k = 0; k < 3; k++)
        rgba[k] = (float)from.rgb[k] / 255;
    rgba[3] = 1;
}

/* A path in hundredths of the side, graded from its top to its bottom. */
static void fill_graded_path(const ground *g, const char *text, tone top, tone bottom,
                             float opacity)
{
    sac_path path;
    sac_paint paint = {.kind = SAC_PAINT_LINEAR};
    float box[4];
    sac_path_start(&path);
    sac_path_add(&path, text, &g->place);
    sac_path_box(&path, box);
    tone_in_light(g, top, paint.from, opacity);
    tone_in_light(g, bottom, paint.to, opacity);
    paint.y0 = box[1];
    paint.y1 = box[3];
    sac_canvas_fill(g->canvas, &path, &paint);
}

/* The same path moved to (x, y) and scaled. */
static void fill_scaled_path(const ground *g, const char *text, float x, float y, float scale,
                             tone colour, float opacity)
{
    float side = (float)g->canvas->side;
    const sac_place place = {scale * side, 0, 0, scale * side, x * side, y * side};
    sac_path path;
    sac_paint paint = {.kind = SAC_PAINT_FLAT};
    sac_path_start(&path);
    sac_path_add(&path, text, &place);
    tone_in_light(g, colour, paint.from, opacity);
    sac_canvas_fill(g->canvas, &path, &paint);
}

/* A line along a path that is moved and scaled; `width` in shares of the side. */
static void draw_line(const ground *g, const char *text, float x, float y, float scale, float width,
                      tone colour, float opacity)
{
    float side = (float)g->canvas->side;
    const sac_place place = {scale * side, 0, 0, scale * side, x * side, y * side};
    sac_path path, stroke;
    sac_paint paint = {.kind = SAC_PAINT_FLAT};
    sac_path_start(&path);
    sac_path_add(&path, text, &place);
    sac_path_stroke(&path, width * side, &stroke);
    tone_in_light(g, colour, paint.from, opacity);
    sac_canvas_fill(g->canvas, &stroke, &paint);
}

/* A sine of period 1, by parabolas. */
static float wave(float t)
{
    float u = t - (float)(int)t;
    u = u < 0 ? u + 1 : u;
    return u < 0.5f ? 16 * u * (0.5f - u) : -16 * (u - 0.5f) * (1 - u);
}

/* Land from a wavy edge near `y` down to the picture's end. */
static void paint_land(ground *g, float y, float height, float waves, tone top, tone bottom)
{
    enum { STEPS = 40 };
    sac_path path;
    sac_paint paint = {.kind = SAC_PAINT_LINEAR};
    float side = (float)g->canvas->side, phase = sac_rng_between(&g->rng, 0, 1);
    float other = sac_rng_between(&g->rng, 0, 1);
    sac_path_start(&path);
    for (int i = 0; i <= STEPS; i++) {
        float x = (float)i / STEPS;
        float up = 0.7f * wave(x * waves + phase) + 0.3f * wave(x * waves * 1.7f + other);
        sac_path_add_point(&path, x * side, (y - height * up) * side);
    }
    sac_path_add_point(&path, side, side);
    sac_path_add_point(&path, 0, side);
    sac_path_end_contour(&path, true);
    tone_in_light(g, top, paint.from, 1);
    tone_in_light(g, bottom, paint.to, 1);
    paint.y0 = (y - height) * side;
    paint.y1 = side;
    sac_canvas_fill(g->canvas, &path, &paint);
}

/* ---------------------------------------------------------------- sky */

/* From y0 to y1, as wide as the picture; its gradient ends at `until`. */
static void paint_band(const ground *g, float y0, float y1, float until, tone top, tone bottom)
{
    float side = (float)g->canvas->side;
    const sac_place place = {side, 0, 0, (y1 - y0) * side, 0, y0 * side};
    sac_path path;
    sac_paint paint = {.kind = SAC_PAINT_LINEAR, .y0 = y0 * side, .y1 = until * side};
    sac_path_start(&path);
    sac_path_add(&path, "R0 0 1 1 0", &place);
    tone_unlit(top, paint.from);
    tone_unlit(bottom, paint.to);
    sac_canvas_fill(g->canvas, &path, &paint);
}

static void paint_stars(ground *g)
{
    for (int i = 0; i < 26; i++) {
        float x = sac_rng_between(&g->rng, 0, 1), y = sac_rng_between(&g->rng, 0, 0.5f);
        float size = sac_rng_between(&g->rng, 0.0022f, 0.0048f);
        float side = (float)g->canvas->side;
        const sac_place place = {size * side, 0, 0, size * side, x * side, y * side};
        sac_path path;
        sac_paint paint = {SAC_PAINT_FLAT, {1, 0.97f, 0.86f, 0.85f}};
        sac_path_start(&path);
        sac_path_add(&path, "E0 0 1 1", &place);
        sac_canvas_fill(g->canvas, &path, &paint);
    }
}

static void paint_sky(ground *g)
{
    float end = g->terrain->horizon + 0.06f; /* of the gradient; hills may begin below */
    switch (g->scene->tale.hour) {
    case SAC_NIGHT:
        paint_band(g, 0, 1, end, (tone){{26, 32, 78}}, (tone){{84, 98, 152}});
        paint_stars(g);
        break;
    case SAC_SUNSET:
        paint_band(g, 0, 1, end * 0.5f, (tone){{128, 108, 178}}, (tone){{244, 150, 134}});
        paint_band(g, end * 0.5f, 1, end, (tone){{244, 150, 134}}, (tone){{255, 216, 138}});
        break;
    default:
        paint_band(g, 0, 1, end, (tone){{126, 194, 238}}, (tone){{226, 243, 246}});
        break;
    }
    /* Pale wisps without an outline: captions do not mention them. */
    static const char *const wisp = "E0 0 10 2.2 E7 -1.8 6 2 E-5 -1.4 5 1.6";
    for (int i = 0; i < 3; i++) {
        float x = sac_rng_between(&g->rng, 0, 1), y = sac_rng_between(&g->rng, 0.06f, 0.36f);
        fill_scaled_path(g, wisp, x, y, 0.01f * sac_rng_between(&g->rng, 0.8f, 1.5f),
                         (tone){{255, 255, 255}}, g->light->night ? 0.06f : 0.34f);
    }
}

/* ---------------------------------------------------------------- what is far and small */

static const char *const far_fir = "M0 0 L-3.2 0 -1.2 -4 -2.4 -4 0 -10 2.4 -4 1.2 -4 3.2 0Z";
static const char *const far_tree =
    "M-0.4 0 L-0.3 -3 0.3 -3 0.4 0Z B0 -9 2.8 -8 3.6 -5 2 -2.6 -2 -2.6 "
    "-3.6 -5 -2.8 -8";

static void paint_row(ground *g, const char *text, float y, float size, int count, tone colour)
{
    for (int i = 0; i < count; i++) {
        float x = ((float)i + sac_rng_between(&g->rng, 0.1f, 0.9f)) / (float)count;
        float down = sac_rng_between(&g->rng, -0.008f, 0.012f);
        float scale = 0.01f * size * sac_rng_between(&g->rng, 0.75f, 1.3f);
        fill_scaled_path(g, text, x, y + down, scale, colour, 1);
    }
}

static void paint_grass(ground *g, tone colour, int count)
{
    for (int i = 0; i < count; i++) {
        float y = sac_rng_between(&g->rng, g->terrain->back, 0.98f);
        float x = sac_rng_between(&g->rng, 0, 1);
        draw_line(g, "M-1 0 L-1.6 -2 M0 0 L0 -2.8 M1 0 L1.7 -1.9", x, y, 0.0075f + 0.004f * y,
                  0.0034f, colour, 0.55f);
    }
}

static void paint_specks(ground *g, int count, tone colour)
{
    for (int i = 0; i < count; i++) {
        float x = sac_rng_between(&g->rng, 0, 1);
        float y = sac_rng_between(&g->rng, g->terrain->back, 0.99f);
        fill_scaled_path(g, "E0 0 1 0.8", x, y, 0.0045f, colour, 0.75f);
    }
}

/* ---------------------------------------------------------------- spots */

static void paint_meadow(ground *g)
{
    paint_land(g, 0.53f, 0.035f, 1.4f, (tone){{166, 208, 168}}, (tone){{166, 208, 168}});
    paint_row(g, far_tree, 0.555f, 0.7f, 9, (tone){{138, 190, 140}});
    paint_land(g, 0.58f, 0.02f, 1.1f, (tone){{164, 212, 122}}, (tone){{112, 176, 88}});
    paint_specks(g, 16, (tone){{250, 240, 190}});
    paint_grass(g, (tone){{84, 150, 74}}, 16);
}

static void paint_hills(ground *g)
{
    paint_land(g, 0.48f, 0.09f, 1.3f, (tone){{168, 206, 190}}, (tone){{150, 194, 170}});
    paint_land(g, 0.57f, 0.08f, 1.6f, (tone){{166, 210, 146}}, (tone){{132, 190, 118}});
    paint_row(g, far_fir, 0.60f, 0.45f, 5, (tone){{112, 172, 124}});
    paint_land(g, 0.66f, 0.05f, 1.0f, (tone){{156, 208, 112}}, (tone){{104, 170, 84}});
    paint_grass(g, (tone){{84, 150, 74}}, 14);
}

static void paint_waves(ground *g, float from, float to, int count)
{
    for (int i = 0; i < count; i++) {
        float y = from + (to - from) * ((float)i + sac_rng_between(&g->rng, 0, 1)) / (float)count;
        float size = 0.004f + 0.012f * (y - from);
        draw_line(g, "S-5 0 -2.5 -1.2 0 0 2.5 -1.2 5 0", sac_rng_between(&g->rng, 0, 1), y, size,
                  0.0036f, (tone){{255, 255, 255}}, 0.5f);
    }
}

static void paint_sea(ground *g)
{
    fill_graded_path(g, "R0 46 100 54 0", (tone){{120, 190, 214}}, (tone){{38, 112, 172}}, 1);
    fill_graded_path(g, "R0 46 100 1.4 0", (tone){{196, 230, 234}}, (tone){{150, 206, 222}}, 0.8f);
    paint_land(g, 0.66f, 0.012f, 4, (tone){{84, 162, 200}}, (tone){{52, 126, 182}});
    paint_land(g, 0.82f, 0.014f, 3, (tone){{66, 144, 192}}, (tone){{36, 104, 164}});
    paint_waves(g, 0.5f, 0.97f, 16);
}

static void paint_beach(ground *g)
{
    fill_graded_path(g, "R0 42 100 30 0", (tone){{128, 196, 216}}, (tone){{76, 158, 200}}, 1);
    paint_waves(g, 0.45f, 0.57f, 6);
    paint_land(g, 0.60f, 0.012f, 1.6f, (tone){{236, 248, 246}}, (tone){{236, 248, 246}});
    g->rng.next -= 2; /* the foam keeps the line of the sand */
    paint_land(g, 0.612f, 0.012f, 1.6f, (tone){{250, 230, 180}}, (tone){{238, 204, 146}});
    paint_specks(g, 22, (tone){{222, 186, 130}});
}

/* Pale house fronts. */
static void paint_building_fronts(ground *g)
{
    static const tone walls[] = {
        {{206, 214, 224}}, {{222, 212, 206}}, {{214, 220, 206}}, {{220, 208, 218}}};
    float x = -0.04f;
    for (int i = 0; x < 1; i++) {
        float width = sac_rng_between(&g->rng, 0.13f, 0.2f);
        float height = sac_rng_between(&g->rng, 0.2f, 0.34f), side = (float)g->canvas->side;
        tone wall = walls[sac_rng_pick(&g->rng, 4)];
        sac_path path;
        sac_paint paint = {.kind = SAC_PAINT_FLAT};
        const sac_place place = {width * side,  0,        0,
                                 height * side, x * side, (0.64f - height) * side};
        sac_path_start(&path);
        sac_path_add(&path, i % 2 ? "M0 1 L0 0 1 0 1 1Z" : "M0 1 L0 0.16 0.5 -0.1 1 0.16 1 1Z",
                     &place);
        tone_in_light(g, wall, paint.from, 1);
        sac_canvas_fill(g->canvas, &path, &paint);
        sac_path_start(&path);
        sac_path_add(
            &path,
            "R0.16 0.26 0.2 0.16 0.02 R0.62 0.26 0.2 0.16 0.02 R0.16 0.56 0.2 0.16 0.02 R0.62 "
            "0.56 0.2 0.16 0.02",
            &place);
        if (g->light->night)
            tone_unlit((tone){{214, 190, 138}}, paint.from);
        else
            tone_in_light(g, (tone){{238, 244, 248}}, paint.from, 1);
        sac_canvas_fill(g->canvas, &path, &paint);
        x += width;
    }
}

static void paint_street(ground *g)
{
    paint_building_fronts(g);
    fill_graded_path(g, "R0 62 100 38 0", (tone){{214, 208, 204}}, (tone){{202, 196, 194}}, 1);
    fill_graded_path(g, "R0 76.5 100 2 0", (tone){{236, 232, 226}}, (tone){{186, 180, 182}}, 1);
    fill_graded_path(g, "R0 78.5 100 21.5 0", (tone){{142, 140, 152}}, (tone){{122, 120, 134}}, 1);
    fill_graded_path(g, "R4 95 14 1.5 0.6 R30 95 14 1.5 0.6 R56 95 14 1.5 0.6 R82 95 14 1.5 0.6",
                     (tone){{244, 238, 216}}, (tone){{244, 238, 216}}, 0.9f);
}

static void paint_forest(ground *g)
{
    paint_land(g, 0.44f, 0.03f, 2, (tone){{150, 196, 170}}, (tone){{140, 188, 150}});
    paint_row(g, far_fir, 0.56f, 2.3f, 9, (tone){{134, 184, 158}});
    paint_row(g, far_fir, 0.60f, 2.6f, 8, (tone){{108, 166, 136}});
    paint_row(g, far_fir, 0.64f, 2.1f, 7, (tone){{88, 148, 116}});
    paint_land(g, 0.635f, 0.012f, 2, (tone){{122, 170, 96}}, (tone){{84, 136, 78}});
    paint_specks(g, 14, (tone){{176, 150, 96}});
    paint_grass(g, (tone){{62, 118, 66}}, 16);
}

static void paint_snow(ground *g)
{
    paint_land(g, 0.53f, 0.03f, 1.4f, (tone){{206, 222, 236}}, (tone){{216, 228, 240}});
    paint_row(g, far_fir, 0.565f, 0.9f, 8, (tone){{150, 182, 196}});
    paint_land(g, 0.59f, 0.022f, 1.1f, (tone){{244, 249, 254}}, (tone){{214, 226, 240}});
    paint_land(g, 0.80f, 0.02f, 0.9f, (tone){{248, 251, 255}}, (tone){{222, 232, 244}});
}

static void paint_mountains(ground *g)
{
    fill_graded_path(g, "M-10 62 L16 24 30 44 52 14 74 46 86 34 112 62Z", (tone){{150, 160, 192}},
                     (tone){{176, 192, 210}}, 1);
    fill_graded_path(
        g,
        "M16 24 L23 34 19 33 15.5 37 12.5 33.5 9.5 33.5Z M52 14 L61 27 57 26 52.5 31 48 25.5 43.3 "
        "26Z "
        "M86 34 L91 39 87.5 39 85 41.5 81.6 38.4Z",
        (tone){{250, 252, 255}}, (tone){{232, 240, 250}}, 1);
    paint_land(g, 0.60f, 0.03f, 1.3f, (tone){{142, 188, 150}}, (tone){{130, 184, 132}});
    paint_row(g, far_fir, 0.635f, 0.7f, 10, (tone){{100, 154, 124}});
    paint_land(g, 0.655f, 0.018f, 1.1f, (tone){{158, 206, 120}}, (tone){{104, 168, 88}});
    paint_specks(g, 10, (tone){{250, 240, 200}});
    paint_grass(g, (tone){{84, 146, 78}}, 14);
}

static void paint_ground(const sac_book_scene *scene, sac_canvas *canvas)
{
    static void (*const painters[SAC_SPOTS])(ground *) = {
        [SAC_MEADOW] = paint_meadow, [SAC_HILLS] = paint_hills,         [SAC_SEA] = paint_sea,
        [SAC_BEACH] = paint_beach,   [SAC_STREET] = paint_street,       [SAC_FOREST] = paint_forest,
        [SAC_IN_SNOW] = paint_snow,  [SAC_MOUNTAINS] = paint_mountains,
    };
    float unit = (float)canvas->side / 100;
    ground g = {scene,
                hour_light(scene->tale.hour, scene->tale.spot == SAC_IN_SNOW),
                sac_terrain_of(scene->tale.spot),
                canvas,
                {unit, 0, 0, unit, 0, 0},
                {.seed = scene->seed, .stream = (uint32_t)scene->stream, .next = 0x50000000u}};
    paint_sky(&g);
    painters[scene->tale.spot](&g);
    if (scene->tale.verb == SAC_ROLL) {
        /* A track for trains. */
        const sac_thing *train = &g.scene->thing[g.scene->tale.group[0].first];
        float y = train->figure.y;
        for (int i = 0; i < 26; i++)
            fill_scaled_path(&g, "M-1 0 L1 0 0.8 2.2 -1.2 2.2Z", (float)i / 25, y - 0.004f, 0.011f,
                             (tone){{150, 112, 84}}, 1);
        fill_scaled_path(&g, "R0 0 100 0.7 0", 0, y, 0.01f, (tone){{120, 122, 136}}, 1);
    }
}

/* ---------------------------------------------------------------- weather */

/* The string of a kite hangs a little. */
static void paint_kite_string(const sac_book_scene *scene, const sac_light *light,
                              sac_canvas *canvas)
{
    static const float twine[3] = {0.99f, 0.97f, 0.9f};
    enum { STEPS = 24 };
    float side = (float)canvas->side;
    const float *from = scene->string[0], *to = scene->string[1];
    sac_path path, stroke;
    sac_paint paint = {.kind = SAC_PAINT_FLAT, .from = {0, 0, 0, 0.95f}};
    sac_path_start(&path);
    for (int i = 0; i <= STEPS; i++) {
        float t = (float)i / STEPS, sag = 0.16f * t * (1 - t);
        sac_path_add_point(&path, (from[0] + t * (to[0] - from[0])) * side,
                           (from[1] + t * (to[1] - from[1]) + sag) * side);
    }
    sac_path_end_contour(&path, false);
    sac_path_stroke(&path, 0.0055f * side, &stroke);
    sac_light_colour(light, twine, 0, paint.from);
    sac_canvas_fill(canvas, &stroke, &paint);
}

static void paint(const sac_book_scene *scene, sac_canvas *canvas)
{
    const sac_light *light = hour_light(scene->tale.hour, scene->tale.spot == SAC_IN_SNOW);
    int order[SAC_BOOK_THINGS];
    /* order [count]: things from the hindmost. */
    for (int i = 0; i < scene->count; i++) {
        int at = i;
        for (; at > 0 && scene->thing[order[at - 1]].depth > scene->thing[i].depth; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    paint_ground(scene, canvas);
    if (scene->has_string)
        paint_kite_string(scene, light, canvas);
    for (int i = 0; i < scene->count; i++) {
        const sac_thing *thing = &scene->thing[order[i]];
        sac_figure on_ground = thing->figure;
        on_ground.y = thing->shadow;
        if (thing->shadow >= 0)
            sac_figure_paint_shadow(&on_ground, light, canvas);
        sac_figure_paint(&thing->figure, light, canvas);
    }
    /* Snow or rain that falls before everything. */
    bool snow = scene->tale.spot == SAC_IN_SNOW;
    ground g = {
        .scene = scene,
        .light = hour_light(SAC_DAY, snow),
        .canvas = canvas,
        .rng = {.seed = scene->seed, .stream = (uint32_t)scene->stream, .next = 0x60000000u}};
    if (scene->tale.verb != SAC_FALL)
        return;
    if (!snow) /* the light of a wet day */
        fill_scaled_path(&g, "R0 0 1 1 0", 0, 0, 1, (tone){{122, 138, 162}}, 0.3f);
    for (int i = 0; i < 110; i++) {
        float x = sac_rng_between(&g.rng, -0.02f, 1.02f), y = sac_rng_between(&g.rng, -0.02f, 1);
        float size = sac_rng_between(&g.rng, 0.6f, 1.3f);
        if (snow)
            fill_scaled_path(&g, "E0 0 1 1", x, y, 0.0068f * size, (tone){{255, 255, 255}}, 0.92f);
        else
            draw_line(&g, "M0 0 L-1.2 4.4", x, y, 0.012f * size, 0.0052f, (tone){{222, 238, 250}},
                      0.85f);
    }
}

sac_status sac_book_draw(const sac_book_scene *scene, int side, uint8_t *rgb, sac_error *error)
{
    sac_canvas canvas;
    sac_status status = sac_canvas_create(side, &canvas, error);
    if (status != SAC_OK)
        return status;
    paint(scene, &canvas);
    sac_canvas_read(&canvas, rgb);
    sac_canvas_free(&canvas);
    return SAC_OK;
}

sac_status sac_book_image(const sac_book_scene *scene, int side, sac_image *image, sac_error *error)
{
    size_t pixels = (size_t)side * (size_t)side;
    *image = (sac_image){0};
    uint8_t *rgb = malloc(pixels * 3);
    if (!rgb)
        return sac_fail(error, SAC_E_MEMORY, "scene", "draw it smaller",
                        "out of memory for %d × %d pixels", side, side);
    sac_status status = sac_book_draw(scene, side, rgb, error);
    if (status == SAC_OK)
        status = sac_image_from_rgb(rgb, side, side, image, error);
    free(rgb);
    return status;
}
