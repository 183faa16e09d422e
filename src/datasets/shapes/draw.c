/* Drawing: the ground, then each object over it with its shadow, then what a camera adds. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "figure.h"
#include "fill.h"
#include "ground.h"
#include "shapes/scene.h"

void sac_scene_draw(const sac_scene *scene, int side, uint8_t *rgb)
{
    sac_paint_ground(scene, side, rgb);
    if (scene->ground == SAC_GROUND_NOISY)
        sac_add_noise(scene, side, rgb);
    for (int i = 0; i < scene->count; i++) {
        const sac_scene_object *object = &scene->objects[scene->behind[i]];
        if (scene->shadow > 0)
            sac_paint_shadow(scene, object, side, rgb);
        sac_paint_object(object, side, rgb);
    }
    if (scene->blur > 0)
        sac_blur(scene, side, rgb);
    if (scene->noise_over)
        sac_add_noise(scene, side, rgb);
}

sac_status sac_scene_image(const sac_scene *scene, int side, sac_image *image, sac_error *error)
{
    size_t pixels = (size_t)side * (size_t)side;
    *image = (sac_image){0};
    uint8_t *rgb = malloc(pixels * 3);
    if (!rgb)
        return sac_fail(error, SAC_E_MEMORY, "scene", "draw it smaller",
                        "no memory for %d × %d pixels", side, side);
    sac_scene_draw(scene, side, rgb);
    sac_status status = sac_image_from_rgb(rgb, side, side, image, error);
    free(rgb);
    return status;
}

/* ---------------------------------------------------------------- what is seen */

/* True where the pixel's centre lies in the object. */
static bool covers(const sac_figure *f, int x, int y)
{
    float distance[SAC_SPAN];
    if (x < f->box[0] || x >= f->box[2] || y < f->box[1] || y >= f->box[3])
        return false;
    sac_figure_measure(f, x, y, 1, distance);
    return distance[0] <= 0;
}

size_t sac_scene_visible_pixels(const sac_scene *scene, int side, int index)
{
    sac_figure figures[SAC_SCENE_OBJECTS]; /* from the hindmost to the foremost */
    int depth = 0;
    size_t seen = 0;
    for (int i = 0; i < scene->count; i++) {
        sac_figure_of(&scene->objects[scene->behind[i]], side, 2, &figures[i]);
        depth = scene->behind[i] == index ? i : depth;
    }
    const sac_figure *f = &figures[depth];
    for (int y = f->box[1]; y < f->box[3]; y++)
        for (int x = f->box[0]; x < f->box[2]; x++) {
            bool is_seen = covers(f, x, y);
            for (int i = depth + 1; is_seen && i < scene->count; i++)
                is_seen = !covers(&figures[i], x, y);
            seen += is_seen;
        }
    return seen;
}
