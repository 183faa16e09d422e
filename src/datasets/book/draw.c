/* Drawing: the ground, then things from the hindmost to the foremost, then the weather. */

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "grounds.h"

/* The string of a kite hangs a little. */
static void paint_string(const sac_book_scene *scene, const sac_light *light, sac_canvas *canvas)
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
        sac_path_point(&path, (from[0] + t * (to[0] - from[0])) * side,
                       (from[1] + t * (to[1] - from[1]) + sag) * side);
    }
    sac_path_end(&path, false);
    sac_path_stroke(&path, 0.0055f * side, &stroke);
    sac_light_colour(light, twine, 0, paint.from);
    sac_canvas_fill(canvas, &stroke, &paint);
}

/* order [count]: things from the hindmost. */
static void sort_by_depth(const sac_book_scene *scene, int *order)
{
    for (int i = 0; i < scene->count; i++) {
        int at = i;
        for (; at > 0 && scene->thing[order[at - 1]].depth > scene->thing[i].depth; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static void paint(const sac_book_scene *scene, sac_canvas *canvas)
{
    const sac_light *light = sac_hour_light(scene->tale.hour, scene->tale.spot == SAC_IN_SNOW);
    int order[SAC_BOOK_THINGS];
    sort_by_depth(scene, order);
    sac_ground_paint(scene, canvas);
    if (scene->has_string)
        paint_string(scene, light, canvas);
    for (int i = 0; i < scene->count; i++) {
        const sac_thing *thing = &scene->thing[order[i]];
        sac_figure on_ground = thing->figure;
        on_ground.y = thing->shadow;
        if (thing->shadow >= 0)
            sac_figure_shadow(&on_ground, light, canvas);
        sac_figure_paint(&thing->figure, light, canvas);
    }
    sac_weather_paint(scene, canvas);
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
                        "no memory for %d × %d pixels", side, side);
    sac_status status = sac_book_draw(scene, side, rgb, error);
    if (status == SAC_OK)
        status = sac_image_from_rgb(rgb, side, side, image, error);
    free(rgb);
    return status;
}
