/* A lesson on the saccade, the eye movement that the program is named after. The eye sees sharply
 * only where it looks, so it jumps. What it sees is attention with the Gaussian score, wide where
 * acuity is low. */
#include "lessons/engine/own_data.h"
#include "lessons/ideas/lessons.h"

enum { SIDE = 7, CELLS = SIDE * SIDE, ANGLES = 5, WORDS = 15 };

/* Degrees at which acuity is half of the fovea's. */
#define HALF 2.3f

static const sac_lesson_parameter parameters[] = {
    {"row", SAC_TEXT_IN("fixation, row", "注视点的行"), 0, SIDE - 1, 4, true},
    {"column", SAC_TEXT_IN("fixation, column", "注视点的列"), 0, SIDE - 1, 2, true},
    {"degrees", SAC_TEXT_IN("degrees a cell", "每格的度数"), 0.1f, 10, 2.5f, false},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = SAC_TEXT_IN("acuity", "视敏度"),
     .sentence = SAC_TEXT_IN(
         "Acuity is how sharply the eye sees at an angle E from its fixation: 1 in the centre, "
         "half at 2.3°, a tenth at 20°.",
         "视敏度是眼睛在离注视点 E 度处看得多清楚：中心为 1，2.3° 处一半，20° 处十分之一。"),
     .formula = "acuity = 1 / (1 + E / 2.3°)",
     .notice = SAC_TEXT_IN("It falls with distance from the fixation.", "离得越远，视敏度越低。"),
     .code = "acuity = 1 / (1 + E / 2.3)",
     .questions = {{SAC_ASK_VALUE, 1,
                    SAC_TEXT_IN("One, divided by one more than E in units of 2.3°.",
                                "1 除以（1 加上以 2.3° 为单位的 E）。")}}},
    {.name = SAC_TEXT_IN("fixation", "注视"),
     .sentence = SAC_TEXT_IN(
         "For each cell of the picture: its angle from the fixation, and the acuity there.",
         "图像的每一格：离注视点的角度，以及该处的视敏度。"),
     .formula = "E[p] = degrees · |p − fixation|",
     .notice =
         SAC_TEXT_IN("Acuity is largest in the cell of the fixation.", "注视的那一格视敏度最大。"),
     .code = "E = degrees * (cells - fixation).norm(dim=-1)",
     .questions = {{SAC_ASK_LARGEST, 2,
                    SAC_TEXT_IN("Sharpest in the column nearest to the fixation.",
                                "离注视点最近的一列最清楚。")}}},
    {.name = SAC_TEXT_IN("seen", "所见"),
     .sentence = SAC_TEXT_IN("Each cell becomes a mean of the cells around it, over a wider range "
                             "where acuity is low: attention with a Gaussian score.",
                             "每格变成周围各格的平均，视敏度越低范围越宽：高斯分数的注意力。"),
     .formula = "softmax(−½ |p − p'|² / σ[p]²), σ = 0.3 / acuity",
     .notice = SAC_TEXT_IN("The stripes stay apart near the fixation and blur far from it.",
                           "注视点附近条纹分明，远处模糊。"),
     .code = "sigma = 0.3 * (1 + E / 2.3)\n"
             "dist2 = ((cells[:, None] - cells) ** 2).sum(-1)\n"
             "seen = (-dist2 / (2 * sigma[:, None] ** 2)).softmax(-1) @ picture.flatten()"},
    {.name = SAC_TEXT_IN("saccades", "眼跳"),
     .sentence = SAC_TEXT_IN("The gaze of the captioner on a scene: the centre of its attention at "
                             "each word, and how far it jumps.",
                             "描述模型在一个场景上的视线：每个词时注意力的中心，以及跳了多远。"),
     .formula = "jump[t] = |centre[t+1] − centre[t]|",
     .notice = SAC_TEXT_IN(
         "It stays on the star for four words, then jumps to the triangle and later to the circle.",
         "它在星形上停四个词，跳到三角形，再跳到圆。"),
     .code = "jump = (centre[1:] - centre[:-1]).norm(dim=-1) # saccade caption --dataset shapes "
             "--scene 91",
     .questions = {{SAC_ASK_VALUE, 1,
                    SAC_TEXT_IN("The distance between two centres, in cells of 14 × 14.",
                                "两个中心之间的距离，以 14 × 14 的格为单位。")}}},
};

/* Rows and columns of the centres of attention, in cells of 14 × 14: `saccade caption --dataset
 * shapes --scene 91 --npz` writes them as "centre". */
static const float centres[WORDS * 2] = {
    5.2578f,  9.3616f,  5.0056f,  9.4695f,  4.7586f,  9.5479f,  5.1593f,  9.5228f,
    9.6003f,  7.7041f,  9.6674f,  7.5814f,  9.5243f,  7.5172f,  9.5243f,  7.5086f,
    9.5522f,  7.5058f,  9.5894f,  7.5037f,  11.4408f, 11.3412f, 11.5049f, 11.4751f,
    11.5299f, 11.5271f, 11.5685f, 11.5664f, 11.6748f, 11.5505f};
static const char *const words[WORDS] = {"a",   "large", "green", "star",   "left",
                                         "of",  "a",     "small", "purple", "triangle",
                                         "and", "a",     "small", "black",  "circle"};

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
    return sac_apply(g, SAC_OP_DIVIDE, names[2], ones, below, 0, 0, 0);
}

/* A column of a number a cell, as the picture's grid. */
static sac_node as_grid(sac_graph *g, const char *name, sac_node column)
{
    return sac_reshaped(g, name, column, SAC_MATRIX(SIDE, SIDE));
}

static void add_eye(sac_lesson *l, arrays *a)
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
    sac_node distance = sac_apply(g, SAC_OP_LENGTH, "distance", away, 0, 0, 0, 0);
    sac_node angles = sac_times(g, "angles", distance, sac_lesson_value(l, "degrees"));
    a->at_cells = add_acuity(g, names, angles);
    a->eccentricity = as_grid(g, "eccentricity", angles);
    a->sharpness = as_grid(g, "sharpness", a->at_cells);
}

/* Attention of cells to cells by −½ |p − p'|² (acuity / 0.3)². */
static void add_seen(sac_lesson *l, arrays *a)
{
    sac_graph *g = &l->graph;
    sac_node by_distance = sac_apply(g, SAC_OP_GAUSSIAN, "nearness", a->cells, a->cells, 0, 1, 0);
    sac_node inverse = sac_times(g, "inverse_width", a->at_cells, 1 / 0.3f);
    sac_node squared = sac_apply(g, SAC_OP_MULTIPLY, "width^-2", inverse, inverse, 0, 0, 0);
    sac_node scores = sac_apply(g, SAC_OP_MULTIPLY, "scores", by_distance, squared, 0, 0, 0);
    sac_node weights = sac_softmax(g, "weights", scores);
    sac_node column = sac_reshaped(g, "picture.column", a->picture, SAC_MATRIX(CELLS, 1));
    a->seen = as_grid(g, "seen", sac_matmul(g, "seen.column", weights, column));
}

static void add_gaze(sac_lesson *l, arrays *a)
{
    sac_graph *g = &l->graph;
    a->gaze = sac_given(g, "centre", SAC_MATRIX(WORDS, 2), centres);
    sac_node from = sac_sliced(g, "from", a->gaze, 0, WORDS - 1);
    sac_node moved = sac_difference(g, "moved", sac_sliced(g, "to", a->gaze, 1, WORDS - 1), from);
    a->jumps = sac_apply(g, SAC_OP_LENGTH, "jump", moved, 0, 0, 0, 0);
    sac_lesson_label(l, a->gaze, words, WORDS, NULL, 0);
    sac_lesson_label(l, a->jumps, words + 1, WORDS - 1, NULL, 0);
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
    a.picture = sac_lesson_picture(l, "picture", SAC_MATRIX(SIDE, SIDE), picture);
    add_eye(l, &a);
    add_seen(l, &a);
    add_gaze(l, &a);
    SAC_LESSON_STEP(l, steps[0], a.angles, a.acuity);
    SAC_LESSON_STEP(l, steps[1], a.picture, a.eccentricity, a.sharpness);
    SAC_LESSON_STEP(l, steps[2], a.picture, a.sharpness, a.seen);
    SAC_LESSON_STEP(l, steps[3], a.gaze, a.jumps);
}

const sac_lesson_class sac_lesson_saccade = {
    .name = "saccade",
    .title = SAC_TEXT_IN("The eye", "眼睛"),
    .summary = SAC_TEXT_IN("sharp at the fixation, blurred around it, so the eye jumps",
                           "注视处清晰，周围模糊，所以眼睛要跳动"),
    .parameters = parameters,
    .asks = sac_asks_saccade,
    .build = build,
};
