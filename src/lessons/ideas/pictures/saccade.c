/* A lesson on the saccade, the eye movement that the program is named after. The eye sees sharply
 * only where it looks, so it jumps. What it sees is attention with the Gaussian score, wide where
 * acuity is low. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lessons/engine/lesson.h"
#include "lessons/ideas/lessons.h"
#include "lessons/shared/captioned.h"

enum { SIDE = 7, CELLS = SIDE * SIDE, ANGLES = 5, WORDS = SAC_CAPTIONED_WORDS };

/* Degrees at which acuity is half of the fovea's. */
#define HALF 2.3f

static const sac_lesson_parameter parameters[] = {
    {"row", N_("fixation, row"), 0, SIDE - 1, 2, true},
    {"column", N_("fixation, column"), 0, SIDE - 1, 2, true},
    {"degrees", N_("degrees a cell"), 0.1f, 10, 2.5f, false},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("acuity"),
     .sentence =
         N_("Acuity is how sharply the eye sees at an angle E from its fixation: half at 2.3°, a "
            "tenth at 20°."),
     .formula = "acuity = 1 / (1 + E / 2.3°)",
     .notice = N_("It falls with distance from the fixation."),
     .code = "acuity = 1 / (1 + E / 2.3)",
     .questions = {{SAC_ASK_VALUE, 1, N_("One, divided by one more than E in units of 2.3°.")}}},
    {.name = N_("fixation"),
     .sentence =
         N_("For each cell of a picture: its angle from the fixation, and the acuity there."),
     .formula = "E[p] = degrees · |p − fixation|",
     .notice = N_("Acuity is largest in the cell of the fixation."),
     .code = "E = degrees * (cells - fixation).norm(dim=-1)",
     .questions = {{SAC_ASK_LARGEST, 2, N_("Sharpest in the column nearest to the fixation."),
                    true}}},
    {.name = N_("seen"),
     .sentence = N_("Each cell becomes a mean of those around it, wider where acuity is low: "
                    "attention with a Gaussian score."),
     .formula = "softmax(−½ |p − p'|² / σ[p]²), σ = 0.3 / acuity",
     .notice = N_("The stripes stay apart near the fixation and blur far from it."),
     .code = "sigma = 0.3 * (1 + E / 2.3)\n"
             "dist2 = ((cells[:, None] - cells) ** 2).sum(-1)\n"
             "seen = (-dist2 / (2 * sigma[:, None] ** 2)).softmax(-1) @ picture.flatten()"},
    {.name = N_("saccades"),
     .sentence = N_("The gaze of the captioner on a scene: the centre of its attention at "
                    "each word, and how far it jumps."),
     .formula = "jump[t] = |centre[t+1] − centre[t]|",
     .notice = N_("It stays on the star for four words, then jumps to the triangle and later to "
                  "the circle."),
     .code = "jump = (centre[1:] - centre[:-1]).norm(dim=-1) # saccade caption --dataset shapes "
             "--scene 91",
     .questions = {{SAC_ASK_VALUE, 1,
                    N_("The distance between two centres, in cells of 14 × 14.")}}},
};

/* Columns and rows of the centres of attention, in cells of 14 × 14: `saccade caption --dataset
 * shapes --scene 91 --npz` writes them as "centre". */
static const float centres[WORDS * 2] = {
    5.2578f,  9.3616f,  5.0056f,  9.4695f,  4.7586f,  9.5479f,  5.1593f,  9.5228f,
    9.6003f,  7.7041f,  9.6674f,  7.5814f,  9.5243f,  7.5172f,  9.5243f,  7.5086f,
    9.5522f,  7.5058f,  9.5894f,  7.5037f,  11.4408f, 11.3412f, 11.5049f, 11.4751f,
    11.5299f, 11.5271f, 11.5685f, 11.5664f, 11.6748f, 11.5505f};

typedef struct arrays {
    sac_node angles, acuity, picture, seen, gaze, jumps;
    sac_node cells, at_cells;         /* [49,2], and acuity there [49,1] */
    sac_node eccentricity, sharpness; /* [7,7] */
} arrays;

/* 1 / (1 + E / 2.3°). `names`: of ones, of 1 + E / 2.3°, of the acuity. */
static sac_node add_acuity(sac_graph *g, const char *const names[3], sac_node angles)
{
    sac_node ones = sac_apply(g, SAC_OP_AFFINE, names[0], angles, 0, 0, 0, 1);
    sac_node below = sac_apply(g, SAC_OP_AFFINE, names[1], angles, 0, 0, 1 / HALF, 1);
    return sac_binary(g, SAC_OP_DIVIDE, names[2], ones, below);
}

/* A column of a number a cell, as the picture's grid. */
static sac_node as_grid(sac_graph *g, const char *name, sac_node column)
{
    return sac_reshaped(g, name, column, SAC_MATRIX(SIDE, SIDE));
}

static void add_fixation_acuity(sac_lesson *l, arrays *a)
{
    static const char *const names[] = {"ones.cells", "below.cells", "acuity.cells"};
    float at[CELLS * 2];
    const float fixation[] = {sac_lesson_value(l, "row"), sac_lesson_value(l, "column")};
    sac_graph *g = &l->graph;
    for (int i = 0; i < CELLS; i++) {
        at[2 * i] = (float)(i / SIDE);
        at[2 * i + 1] = (float)(i % SIDE);
    }
    a->cells = sac_given(g, "cells", SAC_MATRIX(CELLS, 2), at);
    sac_node eye = sac_given(g, "fixation", SAC_MATRIX(1, 2), fixation);
    sac_node away = sac_difference(g, "away", a->cells, eye);
    sac_node distance = sac_unary(g, SAC_OP_LENGTH, "distance", away);
    sac_node angles = sac_times(g, "angles", distance, sac_lesson_value(l, "degrees"));
    a->at_cells = add_acuity(g, names, angles);
    a->eccentricity = as_grid(g, "eccentricity", angles);
    a->sharpness = as_grid(g, "sharpness", a->at_cells);
}

/* ---- the drawing: a picture as sharp as the eye sees it, and acuity as a curve */

enum { HIGH = 96, WIDE = 144, LEVELS = 8, CURVE = 126 };

/* Means of neighbours by their nearness, for each of the levels, from sharp to blurred: [LEVELS,count,count]. */
static sac_node add_blur_matrices(sac_lesson *l, const char *name, size_t count,
                                  sac_node narrowness)
{
    sac_graph *g = &l->graph;
    char names[4][40];
    static const char *const parts[] = {"places", "nearness", "levels", "scores"};
    int *repeated = malloc(LEVELS * count * count * sizeof *repeated);
    for (int i = 0; i < 4; i++)
        snprintf(names[i], sizeof names[i], "%s.%s", name, parts[i]);
    sac_node places = sac_lesson_axis(l, names[0], 0, (float)count - 1, count);
    sac_node near = sac_apply(g, SAC_OP_GAUSSIAN, names[1], places, places, 0, 1, 0);
    for (size_t i = 0; repeated && i < LEVELS * count * count; i++)
        repeated[i] = (int)(i % (count * count));
    sac_node all =
        repeated ? sac_gather(g, names[2], near, SAC_STACK(LEVELS, count, count), repeated) : 0;
    free(repeated);
    return sac_softmax(g, name, sac_binary(g, SAC_OP_MULTIPLY, names[3], all, narrowness));
}

/* How much of each level every pixel shows, [LEVELS,1,HIGH·WIDE]: of that whose blur is nearest to
 * 1 / acuity there. */
static sac_node add_blur_level_shares(sac_lesson *l, sac_node eye)
{
    static const float times[LEVELS] = {1, 2.5f, 4, 6, 8.5f, 11, 14.5f, 18};
    sac_graph *g = &l->graph;
    float *at = malloc(2 * HIGH * WIDE * sizeof *at);
    for (size_t i = 0; at && i < HIGH * WIDE; i++) {
        at[2 * i] = ((float)(i / WIDE) + 0.5f) * SIDE / HIGH - 0.5f;
        at[2 * i + 1] = ((float)(i % WIDE) + 0.5f) * SIDE / WIDE - 0.5f;
    }
    sac_node pixels = at ? sac_given(g, "pixels", SAC_MATRIX(HIGH * WIDE, 2), at) : 0;
    free(at);
    sac_node distance = sac_unary(g, SAC_OP_LENGTH, "pixels.distance",
                                  sac_difference(g, "pixels.away", pixels, eye));
    sac_node below = sac_apply(g, SAC_OP_AFFINE, "pixels.below", distance, 0, 0,
                               sac_lesson_value(l, "degrees") / HALF, 1);
    sac_node levels = sac_given(g, "levels", SAC_MATRIX(LEVELS, 1), times);
    sac_node shares = sac_softmax(
        g, "pixels.shares", sac_apply(g, SAC_OP_GAUSSIAN, "pixels.scores", below, levels, 0, 2, 0));
    return sac_transposed(g, "level.shares", shares);
}

/* A channel of the picture as the eye sees it, [1,HIGH,WIDE] into `seen`. */
static sac_node add_blurred_channel(sac_graph *g, sac_node picture, size_t c, sac_node rows,
                                    sac_node columns, sac_node shares)
{
    char names[7][40];
    static const char *const parts[] = {"channel", "high",   "blurred", "flat",
                                        "shared",  "turned", "sum"};
    for (int i = 0; i < 7; i++)
        snprintf(names[i], sizeof names[i], "sight.%s.%zu", parts[i], c);
    sac_node channel = sac_sliced(g, names[0], picture, c, 1);
    sac_node high = sac_matmul(g, names[1], rows, channel);
    sac_node blurred = sac_matmul_t(g, names[2], high, columns);
    sac_node flat = sac_reshaped(g, names[3], blurred, SAC_MATRIX(LEVELS, HIGH * WIDE));
    sac_node shared = sac_binary(g, SAC_OP_MULTIPLY, names[4], flat, shares);
    return sac_unary(g, SAC_OP_SUM, names[6], sac_transposed(g, names[5], shared));
}

static void draw_acuity(sac_lesson *l, const arrays *a)
{
    static const char *const names[] = {"ones.curve", "below.curve", "acuity.curve"};
    sac_node at = sac_lesson_axis(l, "E.curve", 0, 25, CURVE);
    sac_lesson_drawing drawing = {
        .panel_count = 1,
        .panels =
            {{.y = N_("acuity"), .x = N_("E, degrees"), .x_high = 25, .y_low = 0, .y_high = 1.1f}},
        .mark_count = 2,
        .marks = {
            {SAC_MARK_LINE, 0, .x = at, .y = add_acuity(&l->graph, names, at), .ink = SAC_INK_BLUE},
            {SAC_MARK_POINTS, 0, .x = a->angles, .y = a->acuity, .ink = SAC_INK_ACCENT}}};
    for (size_t i = 0; i < sac_node_size(&l->graph, a->angles, 1) && i < SAC_DRAWING_HANDLES; i++)
        drawing.handles[drawing.handle_count++] =
            (sac_drawing_handle){.quiet = true,
                                 .x = {a->angles, i},
                                 .y = {a->acuity, i},
                                 .sets_x = {.number = {a->angles, i}},
                                 .does = N_("Drag this angle along the curve.")};
    sac_lesson_add_drawing(l, &drawing, 0, 0);
}

/* The fixation is dragged over the picture; a level's deviation is 0.45 pixels for each time that acuity
 * is lower than 1. */
static void draw_foveated_photo(sac_lesson *l)
{
    static const float sharp[LEVELS] = {1e6f,    2.19f,   0.549f,  0.198f,
                                        0.0878f, 0.0494f, 0.0271f, 0.0171f};
    sac_graph *g = &l->graph;
    sac_node picture = sac_lesson_photo_colors(l, "sight", HIGH, WIDE);
    sac_node eye = sac_graph_find(g, "fixation");
    if (!picture || !eye)
        return;
    sac_node narrowness = sac_given(g, "narrowness", SAC_STACK(LEVELS, 1, 1), sharp);
    sac_node rows = add_blur_matrices(l, "blur.rows", HIGH, narrowness),
             columns = add_blur_matrices(l, "blur.columns", WIDE, narrowness);
    sac_node shares = add_blur_level_shares(l, eye);
    sac_node parts[3];
    for (size_t c = 0; c < 3; c++)
        parts[c] = add_blurred_channel(g, picture, c, rows, columns, shares);
    /* The channels side by side are one array: red, green and blue as columns, turned to planes. */
    static const float unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    sac_node sum = 0;
    for (size_t c = 0; c < 3; c++) {
        char name[32], place[32], all[32];
        snprintf(name, sizeof name, "sight.plane.%zu", c);
        snprintf(place, sizeof place, "sight.place.%zu", c);
        snprintf(all, sizeof all, "sight.planes.%zu", c);
        sac_node plane =
            sac_matmul(g, name, parts[c], sac_given(g, place, SAC_MATRIX(1, 3), unit[c]));
        sum = sum ? sac_sum(g, all, sum, plane) : plane;
    }
    sac_node seen = sac_reshaped(g, "sight.seen", sac_transposed(g, "sight.planes", sum),
                                 SAC_STACK(3, HIGH, WIDE));
    const sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_PICTURES,
        .panel_count = 1,
        .panels = {{.x_low = -0.5f, .x_high = SIDE - 0.5f, .y_low = -0.5f, .y_high = SIDE - 0.5f}},
        .mark_count = 1,
        .marks = {{SAC_MARK_PICTURE, 0, .y = seen, .credit = sac_lesson_sight_credit(l),
                   .name = N_("as the eye sees it")}},
        .handle_count = 1,
        .handles = {{.x = {eye, 1},
                     .y = {eye, 0},
                     .sets_x = {.parameter = "column"},
                     .sets_y = {.parameter = "row"},
                     .does = N_("Drag the fixation, or move it by the arrow keys.")}}};
    sac_lesson_add_drawing(l, &drawing, 1, 1);
}

/* The lesson's own numbers as pictures: the stripes, and what is left of them. */
static void draw_stripes(sac_lesson *l, const arrays *a)
{
    const sac_drawing_panel panel = {
        .x_low = -0.5f, .x_high = SIDE - 0.5f, .y_low = -0.5f, .y_high = SIDE - 0.5f};
    sac_node eye = sac_graph_find(&l->graph, "fixation");
    const sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_PICTURES,
        .panel_count = 2,
        .panels = {panel, panel},
        .mark_count = 2,
        .marks = {{SAC_MARK_PICTURE, 0, .y = a->picture, .name = N_("picture")},
                  {SAC_MARK_PICTURE, 1, .y = a->seen, .name = N_("as the eye sees it")}},
        .handle_count = 1,
        .handles = {{.panel = 1,
                     .x = {eye, 1},
                     .y = {eye, 0},
                     .sets_x = {.parameter = "column"},
                     .sets_y = {.parameter = "row"},
                     .does = N_("Drag the fixation, or move it by the arrow keys.")}}};
    sac_lesson_add_drawing(l, &drawing, 2, 2);
}

static void build(sac_lesson *l)
{
    static const float angles[ANGLES] = {0, HALF, 5, 10, 20};
    static const char *const names[] = {"ones", "below", "acuity"};
    sac_graph *g = &l->graph;
    arrays a = {0};
    a.angles = sac_lesson_given(l, "E", SAC_MATRIX(1, ANGLES), angles);
    a.acuity = add_acuity(g, names, a.angles);
    /* Stripes on the left, a chequerboard on the right. */
    float picture[CELLS];
    for (int i = 0; i < CELLS; i++)
        picture[i] = (float)(i / SIDE % 2 ^ (i % SIDE > 4 ? i % SIDE % 2 : 0));
    a.picture = sac_lesson_picture_luminance(l, "picture", SAC_MATRIX(SIDE, SIDE), picture);
    add_fixation_acuity(l, &a);
    /* Attention of cells to cells by −½ |p − p'|² (acuity / 0.3)². */
    sac_node by_distance = sac_apply(g, SAC_OP_GAUSSIAN, "nearness", a.cells, a.cells, 0, 1, 0);
    sac_node inverse = sac_times(g, "inverse_width", a.at_cells, 1 / 0.3f);
    sac_node squared = sac_binary(g, SAC_OP_MULTIPLY, "width^-2", inverse, inverse);
    sac_node scores = sac_binary(g, SAC_OP_MULTIPLY, "scores", by_distance, squared);
    sac_node weights = sac_softmax(g, "weights", scores);
    sac_node column = sac_reshaped(g, "picture.column", a.picture, SAC_MATRIX(CELLS, 1));
    a.seen = as_grid(g, "seen", sac_matmul(g, "seen.column", weights, column));
    a.gaze = sac_given(g, "centre", SAC_MATRIX(WORDS, 2), centres);
    sac_node from = sac_sliced(g, "from", a.gaze, 0, WORDS - 1);
    sac_node moved = sac_difference(g, "moved", sac_sliced(g, "to", a.gaze, 1, WORDS - 1), from);
    a.jumps = sac_unary(g, SAC_OP_LENGTH, "jump", moved);
    sac_lesson_label(l, a.gaze, sac_captioned_words, WORDS, NULL, 0);
    sac_lesson_label(l, a.jumps, sac_captioned_words + 1, WORDS - 1, NULL, 0);
    SAC_LESSON_STEP(l, steps[0], a.angles, a.acuity);
    SAC_LESSON_STEP(l, steps[1], a.picture, a.eccentricity, a.sharpness);
    SAC_LESSON_STEP(l, steps[2], a.picture, a.sharpness, a.seen);
    SAC_LESSON_STEP(l, steps[3], a.gaze, a.jumps);
    draw_acuity(l, &a);
    draw_foveated_photo(l);
    draw_stripes(l, &a);
    const sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_PICTURES,
        .panel_count = 1,
        .panels = {{.x_high = SAC_CAPTIONED_SIDE, .y_high = SAC_CAPTIONED_SIDE}},
        .mark_count = 2,
        .marks = {{SAC_MARK_PICTURE, 0, .y = sac_captioned_scene(&l->graph, "scene"),
                   .name = N_("the path of the gaze")},
                  {SAC_MARK_LINE, 0, .y = a.gaze}}};
    sac_lesson_add_drawing(l, &drawing, 3, 3);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Why does the eye jump?"),
     .reasons = {{N_("it sees sharply only where it looks")},
                 {N_("it forgets what it saw")},
                 {N_("the picture moves")}},
     .why = N_("Each jump is a saccade; attention chooses where the next one goes.")},
    {.kind = SAC_ASK_WAY,
     .text = N_("A cell takes 5 degrees instead of 2.5. What happens to the acuity two "
                "cells right of the fixation?"),
     .cell = "sharpness,2,4",
     .after = "degrees=5",
     .why = N_("The same cell is at twice the angle.")},
    {.kind = SAC_ASK_WAY,
     .text = N_("A cell takes 5 degrees instead of 2.5. What happens to the acuity at the "
                "fixation?"),
     .cell = "sharpness,2,2",
     .after = "degrees=5",
     .why = N_("Its angle is 0, however large a cell is.")},
    {.kind = SAC_ASK_WAY,
     .text = N_("The fixation moves to row 6, column 6. What happens to the number that is "
                "seen in row 2, column 2, which is 0 in the picture?"),
     .cell = "seen,2,2",
     .after = "row=6 column=6",
     .why = N_("Far from the fixation it is mixed with the stripes of 1 beside it.")},
    {0},
};

const sac_lesson_class sac_lesson_saccade = {
    .name = "saccade",
    .title = N_("The eye"),
    .summary = N_("sharp at the fixation, blurred around it, so the eye jumps"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
