/* viz/canvas/tiles: drawn by parts, every shape has the pixels that it has in a canvas drawn whole, and no
 * more is drawn than what changed. */

#include <stdlib.h>
#include <string.h>

#include "base/random/random.h"
#include "canvas/heat.h"
#include "canvas/text.h"
#include "canvas/tiles.h"
#include "parts/figures/lines.h"
#include "parts/playback/player.h"
#include "status.h"
#include "test.h"

enum { WIDTH = 401, HEIGHT = 300, BYTES = 4 * WIDTH * HEIGHT, GRID = 7, CELLS = GRID * GRID };

typedef enum what {
    FILL,
    VEIL,
    ROUND,
    FRAME,
    FRAME_ROUND,
    LINE,
    DISC,
    HATCH,
    TEXT,
    TEXT_UP,
    IMAGE,
    LIGHT,
    HEAT,
    CONTOUR,
    CELLS_OF,
    BAND,
    BAND_DOWN,
    PLAY,
    KINDS
} what;

/* A shape of some kind; `number` identifies its contents. */
typedef struct thing {
    what kind;
    viz_rect rect, clip;
    bool clips;
    viz_color color;
    unsigned number;
    float weights[CELLS];
    viz_scaled kept[2]; /* for the canvas by parts, and for the whole one */
} thing;

static uint64_t at;

static float random_to(float most)
{
    return most * sac_philox_uniform((uint32_t)at++, 0, 5);
}

static viz_rect random_rect(void)
{
    return (viz_rect){random_to(300) - 20, random_to(220) - 20, 3 + random_to(150),
                      3 + random_to(150)};
}

/* One thing about it, as what is noted of one must not hide what is not noted of another. */
static void change(thing *t)
{
    switch ((int)random_to(6.99f)) {
    case 0:
        t->rect = random_rect();
        break;
    case 1:
        t->rect.x += random_to(4) - 2;
        break;
    case 2:
        t->clips = !t->clips;
        t->clip = random_rect();
        break;
    case 3:
        t->color = (viz_color){(uint8_t)random_to(255), (uint8_t)random_to(255),
                               (uint8_t)random_to(255), (uint8_t)random_to(255)};
        break;
    case 4:
        t->number = (unsigned)random_to(1000);
        break;
    default:
        for (int i = 0; i < CELLS; i++)
            t->weights[i] = random_to(9) < 1 ? random_to(1) : t->weights[i] * random_to(1.2f);
    }
}

static void draw_image(viz_canvas *canvas, thing *t, viz_scaled *kept)
{
    uint8_t rgba[4 * 9 * 7];
    for (size_t i = 0; i < sizeof rgba; i++)
        rgba[i] = i % 4 == 3 && t->number % 2 ? 255 : (uint8_t)(i * t->number);
    const sac_image image = {9, 7, rgba};
    viz_image_kept(canvas, kept, &image, t->number, t->rect, t->number % 3);
}

static void draw_weights(viz_canvas *canvas, thing *t, viz_scaled *kept)
{
    const viz_heat_style style = {.overlay = (viz_overlay)(t->kind - LIGHT),
                                  .scale = {VIZ_FIXED, 0, 1},
                                  .blocky = t->number % 4 == 0,
                                  VIZ_HEAT_DEFAULTS};
    draw_image(canvas, t, kept);
    viz_heat(canvas, kept, t->rect, t->weights, GRID, GRID, &style);
}

static void draw_thing(viz_canvas *canvas, thing *t, viz_scaled *kept)
{
    const viz_scale scale = {VIZ_FIXED, 0, 1};
    const viz_rect r = t->rect;
    char text[32];
    snprintf(text, sizeof text, "%u waves", t->number);
    if (t->clips)
        viz_clip(canvas, t->clip);
    switch (t->kind) {
    case FILL:
        viz_fill(canvas, r, viz_with_alpha(t->color, 1));
        break;
    case VEIL:
        viz_fill(canvas, r, t->color);
        break;
    case ROUND:
        viz_fill_round(canvas, r, 9, t->color);
        break;
    case FRAME:
        viz_frame_apart(canvas, r, 2);
        break;
    case FRAME_ROUND:
        viz_frame_round(canvas, r, 12, 2, t->color);
        break;
    case LINE:
        viz_line(canvas, r.x, r.y + r.h, r.x + r.w, r.y, 2, t->color);
        break;
    case DISC:
        viz_disc(canvas, r.x, r.y, 11, t->color);
        break;
    case HATCH:
        viz_hatch(canvas, r, NULL);
        break;
    case TEXT:
        viz_text(canvas, VIZ_SANS, 17, r.x, r.y, VIZ_CENTER, t->color, text);
        break;
    case TEXT_UP:
        viz_text_up(canvas, VIZ_MONO, 14, r.x, r.y + 90, t->color, text);
        break;
    case IMAGE:
        draw_image(canvas, t, kept);
        break;
    case LIGHT:
    case HEAT:
    case CONTOUR:
        draw_weights(canvas, t, kept);
        break;
    case CELLS_OF:
        viz_cells(canvas, r, t->weights, GRID, GRID, viz_colormap_table(VIZ_VIRIDIS), &scale);
        break;
    case BAND:
    case BAND_DOWN:
        viz_band_draw(canvas, r.x, r.y, r.x + r.w, r.y + r.h, 9, t->kind == BAND_DOWN, t->color);
        break;
    default:
        viz_timeline_draw_play(canvas, r, t->number % 2);
        break;
    }
    viz_clip_none(canvas);
}

static void draw_all(viz_canvas *canvas, thing *things, bool whole)
{
    viz_clip_none(canvas);
    viz_clear(canvas);
    for (int i = 0; i < KINDS; i++)
        draw_thing(canvas, &things[i], &things[i].kept[whole]);
}

static double draw_parts(viz_canvas *canvas, thing *things, viz_tiles *tiles)
{
    double share = 0;
    viz_tiles_begin_noting(tiles, canvas);
    draw_all(canvas, things, false);
    viz_tiles_compare(tiles, canvas);
    draw_all(canvas, things, false);
    viz_tiles_end(tiles, canvas);
    for (int i = 0; i < tiles->count; i++)
        share += (double)(tiles->parts[i].x1 - tiles->parts[i].x0) *
                 (tiles->parts[i].y1 - tiles->parts[i].y0) / WIDTH / HEIGHT;
    return share;
}

static void check_density(float density)
{
    thing *things = calloc(KINDS, sizeof *things);
    viz_canvas parts, whole;
    viz_tiles tiles = {0};
    double share = 0;
    enum { FRAMES = 1200 };
    OK(viz_canvas_create(WIDTH, HEIGHT, density, NULL, &parts, NULL));
    OK(viz_canvas_create(WIDTH, HEIGHT, density, NULL, &whole, NULL));
    for (int i = 0; i < KINDS; i++) {
        things[i].rect = random_rect();
        things[i].kind = (what)i;
        for (int k = 0; k < 20; k++)
            change(&things[i]);
    }
    for (int frame = 0; frame < FRAMES; frame++) {
        int changed = (int)random_to(KINDS - 0.01f), other = (int)random_to(KINDS - 0.01f);
        change(&things[changed]);
        thing moved = things[other];
        if (frame % 4 == 0) { /* another order is another picture */
            things[other] = things[changed];
            things[changed] = moved;
        }
        double drawn = draw_parts(&parts, things, &tiles);
        share += frame ? drawn / (FRAMES - 1) : 0;
        draw_all(&whole, things, true);
        if (memcmp(parts.rgba, whole.rgba, BYTES) != 0)
            fail_msg("density %g, frame %d: after kind %d changed, or its place with kind %d",
                     (double)density, frame, (int)things[changed].kind, (int)things[other].kind);
        assert_true(draw_parts(&parts, things, &tiles) == 0);
    }
    print_message("density %g: %.0f %% drawn\n", (double)density, 100 * share);
    assert_true(share > 0.01 && share < 0.6);
    for (int i = 0; i < KINDS; i++)
        for (int k = 0; k < 2; k++)
            viz_scaled_free(&things[i].kept[k]);
    viz_tiles_free(&tiles);
    viz_canvas_free(&parts);
    viz_canvas_free(&whole);
    free(things);
}

TEST(parts_have_the_pixels_of_the_whole)
{
    check_density(1);
    check_density(1.25f);
    check_density(3);
    viz_text_close();
}

TEST(a_canvas_of_another_size_is_drawn_whole)
{
    viz_canvas canvas;
    viz_tiles tiles = {0};
    thing *things = calloc(KINDS, sizeof *things);
    for (int i = 0; i < KINDS; i++)
        things[i].kind = FILL;
    OK(viz_canvas_create(WIDTH, HEIGHT, 1, NULL, &canvas, NULL));
    assert_true(draw_parts(&canvas, things, &tiles) == 1);
    assert_true(draw_parts(&canvas, things, &tiles) == 0);
    OK(viz_canvas_resize(&canvas, WIDTH, HEIGHT - 1, NULL));
    assert_true(draw_parts(&canvas, things, &tiles) > 0.99);
    assert_int_equal(tiles.count, 1);
    viz_tiles_free(&tiles);
    viz_canvas_free(&canvas);
    free(things);
}

/* What lacked memory or a font has a gap, which the next frame fills. */
TEST(after_a_drawing_with_a_gap_all_is_drawn)
{
    viz_canvas canvas;
    viz_tiles tiles = {0};
    OK(viz_canvas_create(WIDTH, HEIGHT, 1, NULL, &canvas, NULL));
    for (int frame = 0; frame < 2; frame++) {
        viz_tiles_begin_noting(&tiles, &canvas);
        viz_clear(&canvas);
        viz_tiles_compare(&tiles, &canvas);
        viz_drawing_lacks_memory();
        viz_tiles_end(&tiles, &canvas);
        assert_int_equal(tiles.count, 1);
    }
    viz_tiles_free(&tiles);
    viz_canvas_free(&canvas);
}

TEST_MAIN(NULL, NULL)
