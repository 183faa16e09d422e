/* The drawings of the picture book's nouns. */

#include "book/nouns/drawing.h"
#include "status.h"
#include "test.h"

static const sac_light day = {{1, 1, 1}, {0, 0, 0}, 0, false, false};

/* Calls `check` for every variant of every drawing. */
static void for_each_figure(void (*check)(const sac_figure *))
{
    for (int noun = 0; noun < SAC_NOUNS; noun++) {
        int drawings = 0;
        for (int pose = 0; pose <= SAC_POSE_HOLD; pose++) {
            const sac_drawing *drawing = sac_drawing_find((sac_noun)noun, (sac_pose)pose);
            for (int variant = 0; drawing && variant < sac_drawing_variants(drawing); variant++) {
                check(&(sac_figure){drawing,
                                    variant,
                                    noun % 2,
                                    0.5f,
                                    0.6f,
                                    0.3f,
                                    0.2f,
                                    {0.9f, 0.2f, 0.2f},
                                    {0.2f, 0.6f, 0.9f}});
                drawings++;
            }
        }
        assert_true(drawings > 0);
    }
}

static void parts_are_paths(const sac_figure *figure)
{
    for (int i = 0; i < figure->drawing->count; i++) {
        const sac_place large = {20, 0, 0, 20, 0, 0};
        const sac_part *part = &figure->drawing->parts[i];
        sac_path path, stroke;
        sac_path_start(&path);
        assert_true(sac_path_add(&path, part->path, &large));
        sac_path_stroke(&path, 20, &stroke);
        assert_false(stroke.full);
        assert_true(part->pigment < PIGMENTS && part->fill <= LINE);
        assert_true(part->fill != LINE || part->line > 0);
    }
}

TEST(every_part_of_every_noun_is_a_path_that_fits)
{
    for_each_figure(parts_are_paths);
}

/* box: the pixels that the figure changes on a canvas of `side`. */
static void measure(const sac_figure *figure, int side, float box[4])
{
    sac_canvas canvas;
    OK(sac_canvas_create(side, &canvas, NULL));
    for (int i = 0; i < 4 * side * side; i++)
        canvas.rgb[i] = -1;
    sac_figure_paint(figure, &day, &canvas);
    box[0] = box[1] = (float)side;
    box[2] = box[3] = 0;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            if (canvas.rgb[4 * (y * side + x)] > -0.8f) {
                box[0] = (float)x < box[0] ? (float)x : box[0];
                box[1] = (float)y < box[1] ? (float)y : box[1];
                box[2] = (float)(x + 1) > box[2] ? (float)(x + 1) : box[2];
                box[3] = (float)(y + 1) > box[3] ? (float)(y + 1) : box[3];
            }
    sac_canvas_free(&canvas);
}

static void box_is_of_its_pixels(const sac_figure *figure)
{
    enum { SIDE = 120 };
    float reported[4], seen[4];
    sac_noun noun = figure->drawing->noun;
    bool glows = noun == SAC_SUN || noun == SAC_MOON || noun == SAC_STAR || noun == SAC_ROCKET;
    sac_figure_box(figure, reported);
    measure(figure, SIDE, seen);
    for (int k = 0; k < 4 && !glows; k++) { /* within the pixel that a faint edge may lose or win */
        float beyond = (k < 2 ? reported[k] - seen[k] / SIDE : seen[k] / SIDE - reported[k]) * SIDE;
        assert_true(beyond <= 1.5f && beyond >= -2.5f);
    }
}

TEST(boxes_hold_the_pixels_of_their_thing_and_little_more)
{
    for_each_figure(box_is_of_its_pixels);
}

TEST_MAIN(NULL, NULL)
