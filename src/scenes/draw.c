/* Drawing: the ground, then each object over it, antialiased by its distance from the outline. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "outline.h"
#include "scenes/rng_places.h"
#include "scenes/scene.h"

enum { GRAINS = 224, SPAN = 64, CORNERS = 12 };

static uint8_t byte_of(float value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5f);
}

/* ---------------------------------------------------------------- ground */

static void draw_graded(const sac_scene *scene, int side, uint8_t *rgb)
{
    double c, s;
    sac_turn(scene->ground_angle, &c, &s);
    double reach = (c < 0 ? -c : c) + (s < 0 ? -s : s); /* from corner to corner */
    const uint8_t *from = scene->ground_rgb[0], *to = scene->ground_rgb[1];
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++, rgb += 3) {
            double along = c * ((x + 0.5) / side - 0.5) + s * ((y + 0.5) / side - 0.5);
            float share = (float)(0.5 + along / reach);
            for (int k = 0; k < 3; k++)
                rgb[k] = byte_of((float)from[k] + share * ((float)to[k] - (float)from[k]));
        }
}

/* One row of grains: sums of four numbers of 4 bits, nearly normal around 30. */
static void draw_grains(const sac_rng *rng, int row, float *grains)
{
    for (int i = 0; i < GRAINS / 2; i++) {
        uint32_t bits = sac_rng_bits(rng, SAC_RNG_PLACE_NOISE + (uint32_t)(row * GRAINS / 2 + i));
        for (int half = 0; half < 2; half++, bits >>= 16)
            grains[2 * i + half] = (float)((int)(bits & 15) + (int)(bits >> 4 & 15) +
                                           (int)(bits >> 8 & 15) + (int)(bits >> 12 & 15) - 30);
    }
}

/* Share of grain `grain` in pixel `pixel` of `side`; all shares of a pixel sum to 1. */
static float grain_share(int pixel, int grain, int side)
{
    int low = pixel * GRAINS, high = low + GRAINS; /* of the pixel, where a grain is `side` wide */
    int from = grain * side > low ? grain * side : low;
    int to = (grain + 1) * side < high ? (grain + 1) * side : high;
    return (float)(to - from) / GRAINS;
}

/* sums [GRAINS]: the mean of the grains that row y of pixels covers. */
static void average_rows(const sac_rng *rng, int y, int side, float *sums)
{
    float grains[GRAINS];
    memset(sums, 0, GRAINS * sizeof *sums);
    for (int row = y * GRAINS / side; row * side < (y + 1) * GRAINS; row++) {
        float share = grain_share(y, row, side);
        draw_grains(rng, row, grains);
        for (int i = 0; i < GRAINS; i++)
            sums[i] += share * grains[i];
    }
}

/* Grains of grey on one tone. A pixel is the mean of the grains it covers. */
static void draw_noisy(const sac_scene *scene, int side, uint8_t *rgb)
{
    const sac_rng rng = {.seed = scene->seed, .stream = scene->stream};
    const float strength = scene->noise / 9.2195f; /* deviation of a grain: √85 */
    for (int y = 0; y < side; y++) {
        float sums[GRAINS];
        average_rows(&rng, y, side, sums);
        for (int x = 0; x < side; x++, rgb += 3) {
            float noise = 0;
            for (int i = x * GRAINS / side; i * side < (x + 1) * GRAINS; i++)
                noise += grain_share(x, i, side) * sums[i];
            for (int k = 0; k < 3; k++)
                rgb[k] = byte_of((float)scene->ground_rgb[0][k] + strength * noise);
        }
    }
}

static void draw_plain(const sac_scene *scene, int side, uint8_t *rgb)
{
    size_t pixels = (size_t)side * (size_t)side;
    for (size_t i = 0; i < pixels; i++)
        memcpy(rgb + 3 * i, scene->ground_rgb[0], 3);
}

/* ---------------------------------------------------------------- objects */

/* An object in pixels of a picture of `side`. */
typedef struct figure {
    int count; /* corners; 0: a circle */
    float x, y, radius;
    float corner[CORNERS][2]; /* from x, y */
    float edge[CORNERS][2];   /* from a corner to the next */
    float inverse[CORNERS];   /* of the edge's squared length */
    int box[4];               /* pixels that it may touch: x0, y0, x1, y1 */
} figure;

static int within(float value, int side)
{
    return value < 0 ? 0 : value > (float)side ? side : (int)value;
}

static void figure_of(const sac_scene_object *object, int side, figure *f)
{
    sac_outline outline;
    sac_outline_of(object, &outline);
    float scale = (float)side;
    *f = (figure){outline.count, object->x * scale, object->y * scale, outline.radius * scale,
                  .box = {within(object->box[0] * scale - 1, side),
                          within(object->box[1] * scale - 1, side),
                          within(object->box[2] * scale + 2, side),
                          within(object->box[3] * scale + 2, side)}};
    for (int i = 0; i < f->count; i++)
        for (int k = 0; k < 2; k++)
            f->corner[i][k] = outline.corner[i][k] * scale;
    for (int i = 0; i < f->count; i++) {
        const float *from = f->corner[i], *to = f->corner[(i + 1) % f->count];
        f->edge[i][0] = to[0] - from[0];
        f->edge[i][1] = to[1] - from[1];
        f->inverse[i] = 1 / (f->edge[i][0] * f->edge[i][0] + f->edge[i][1] * f->edge[i][1]);
    }
}

/* Goes over SPAN pixels from (x0, y): takes edge `i` into the squared distance to the outline, and
 * turns the sign (1: outside) where the edge crosses the ray to the right of a pixel. */
static void pass_edge(const figure *f, int i, float x0, float y, float *squared, float *sign)
{
    float ex = f->edge[i][0], ey = f->edge[i][1], inverse = f->inverse[i];
    float py = y - f->corner[i][1];
    bool crosses = (py < 0) != (py - ey < 0);
    float crossing = crosses ? f->corner[i][0] + py / ey * ex : -INFINITY;
    for (int x = 0; x < SPAN; x++) {
        float px = x0 + (float)x - f->corner[i][0];
        float along = (px * ex + py * ey) * inverse;
        along = along < 0 ? 0 : along > 1 ? 1 : along;
        float dx = px - along * ex, dy = py - along * ey;
        float distance = dx * dx + dy * dy;
        squared[x] = distance < squared[x] ? distance : squared[x];
        sign[x] = x0 + (float)x < crossing ? -sign[x] : sign[x];
    }
}

/* Signed distances, in pixels, of SPAN pixels' centres from the outline; below 0 inside. */
static void measure_span(const figure *f, int left, int row, float *distance)
{
    float x0 = (float)left + 0.5f - f->x, y = (float)row + 0.5f - f->y;
    float squared[SPAN], sign[SPAN];
    for (int x = 0; x < SPAN; x++) {
        float px = x0 + (float)x;
        squared[x] = f->count ? INFINITY : px * px + y * y;
        sign[x] = 1;
    }
    for (int i = 0; i < f->count; i++)
        pass_edge(f, i, x0, y, squared, sign);
    for (int x = 0; x < SPAN; x++)
        distance[x] = sign[x] * sqrtf(squared[x]) - f->radius * (f->count == 0);
}

static void draw_object(const sac_scene_object *object, int side, uint8_t *rgb)
{
    figure f;
    float distance[SPAN];
    figure_of(object, side, &f);
    for (int y = f.box[1]; y < f.box[3]; y++)
        for (int left = f.box[0]; left < f.box[2]; left += SPAN) {
            measure_span(&f, left, y, distance);
            uint8_t *pixel = rgb + ((size_t)y * (size_t)side + (size_t)left) * 3;
            for (int x = 0; x < SPAN && left + x < f.box[2]; x++, pixel += 3) {
                float cover = 0.5f - distance[x];
                cover = cover < 0 ? 0 : cover > 1 ? 1 : cover;
                for (int k = 0; k < 3; k++)
                    pixel[k] = byte_of((float)pixel[k] +
                                       cover * ((float)object->rgb[k] - (float)pixel[k]));
            }
        }
}

void sac_scene_draw(const sac_scene *scene, int side, uint8_t *rgb)
{
    static void (*const grounds[])(const sac_scene *, int, uint8_t *) = {
        [SAC_GROUND_PLAIN] = draw_plain,
        [SAC_GROUND_GRADED] = draw_graded,
        [SAC_GROUND_NOISY] = draw_noisy,
    };
    grounds[scene->ground](scene, side, rgb);
    for (int i = 0; i < scene->count; i++)
        draw_object(&scene->objects[scene->behind[i]], side, rgb);
}

sac_status sac_scene_image(const sac_scene *scene, int side, sac_image *image, sac_error *error)
{
    size_t pixels = (size_t)side * (size_t)side;
    *image = (sac_image){0};
    uint8_t *rgb = malloc(pixels * 3);
    if (!rgb)
        return sac_fail(error, SAC_E_MEMORY, "scene", "draw it smaller",
                        "no memory for %d × %d pixels", side, side);
    sac_status status = sac_image_create(side, side, image, error);
    if (status == SAC_OK) {
        sac_scene_draw(scene, side, rgb);
        for (size_t i = 0; i < pixels; i++) {
            memcpy(image->rgba + 4 * i, rgb + 3 * i, 3);
            image->rgba[4 * i + 3] = 255;
        }
    }
    free(rgb);
    return status;
}

/* ---------------------------------------------------------------- what is seen */

/* True where the pixel's centre lies in the object. */
static bool covers(const figure *f, int x, int y)
{
    float distance[SPAN];
    if (x < f->box[0] || x >= f->box[2] || y < f->box[1] || y >= f->box[3])
        return false;
    measure_span(f, x, y, distance);
    return distance[0] <= 0;
}

size_t sac_scene_visible_pixels(const sac_scene *scene, int side, int index)
{
    figure figures[SAC_SCENE_OBJECTS]; /* from the hindmost to the foremost */
    int depth = 0;
    size_t seen = 0;
    for (int i = 0; i < scene->count; i++) {
        figure_of(&scene->objects[scene->behind[i]], side, &figures[i]);
        depth = scene->behind[i] == index ? i : depth;
    }
    const figure *f = &figures[depth];
    for (int y = f->box[1]; y < f->box[3]; y++)
        for (int x = f->box[0]; x < f->box[2]; x++) {
            bool is_seen = covers(f, x, y);
            for (int i = depth + 1; is_seen && i < scene->count; i++)
                is_seen = !covers(&figures[i], x, y);
            seen += is_seen;
        }
    return seen;
}
