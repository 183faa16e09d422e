/* Lessons on pictures: as a set, one word of a caption, and an eye; and which lesson is for what. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lessons/engine/lesson.h"
#include "lessons/ideas/lessons.h"
#include "lessons/shared/layers.h"

/* ---------------------------------------------------------------- image-as-set: A picture of 9 × 9 as a set of 27
 * rows of 3 numbers, and the lecture's three generalisations of attention on it. As in the lecture, each column is a
 * query: scores [27,9], the softmax goes over the rows */

enum {
    IMAGE_SIDE = 9,
    IMAGE_DEPTH = 3,
    IMAGE_CELLS = IMAGE_SIDE * IMAGE_SIDE / IMAGE_DEPTH,
    QUERIES = 9
};

static const sac_lesson_parameter image_parameters[] = {
    {"keys", N_("keys by W_K"), 0, 1, 0, true},
    {"values", N_("values by W_V"), 0, 1, 0, true},
    {"self", N_("queries by W_Q of the picture"), 0, 1, 0, true},
    {0},
};

static const sac_lesson_step image_steps[] = {
    {.name = N_("a set"),
     .sentence = N_("The picture is cut into 27 cells of 3 numbers each."),
     .formula = "9 × 9 → X [27,3]",
     .notice = N_("Attention treats them as a set: their order does not matter."),
     .code = "X = picture.reshape(27, 3)"},
    {.name = N_("queries"),
     .sentence = N_("Nine queries of 3 numbers stand side by side, one per column."),
     .formula = "Q [3,9]",
     .code = "Q = queries.T   # nine of three numbers, each a column",
     .notice = N_("Other lessons write queries as rows; this is the transpose.")},
    {.name = N_("scores"),
     .sentence = N_("Each cell is compared with each query, and the product is divided by √3."),
     .formula = "E = K Q / √D",
     .notice = N_("In this even ramp the query (1, 0, −1) gets the same score from all cells."),
     .code = "K = X\n"
             "E = K @ Q / math.sqrt(3)"},
    {.name = N_("softmax"),
     .sentence = N_("The softmax runs down each column, over all cells."),
     .formula = "A = softmax(E, dim=0)",
     .notice =
         N_("Each column adds up to 1; with dim=1 each row would, which is a common mistake."),
     .code = "A = E.softmax(dim=0)",
     .questions = {{SAC_ASK_LARGEST, 1, N_("A large query makes its column sharp.")}}},
    {.name = N_("output"),
     .sentence = N_("Each query gets a mean of the cells, weighted by its column."),
     .formula = "Y = Vᵀ A",
     .notice = N_("The query (0, 0, 0) gets the plain mean, because its weights are equal."),
     .code = "V = X\n"
             "Y = V.T @ A",
     .questions = {{SAC_ASK_VALUE, 2, N_("A mean of the cells' numbers.")}}},
};

static const float given_queries[IMAGE_DEPTH][QUERIES] = {
    {0, 1, 10, -10, 1, 1, 0, 0, -1},
    {0, 1, 10, -10, 0, 0, 1, 0, 0},
    {0, 1, 10, -10, -1, 0, 0, 1, 1},
};

/* W_K, W_V or W_Q: the identity until a person changes it. */
static sac_node square_matrix(sac_lesson *l, const char *name)
{
    static const float identity[IMAGE_DEPTH * IMAGE_DEPTH] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    return sac_lesson_given(l, name, SAC_MATRIX(IMAGE_DEPTH, IMAGE_DEPTH), identity);
}

static sac_node add_queries(sac_lesson *l, sac_node x)
{
    sac_graph *g = &l->graph;
    if (sac_lesson_value(l, "self") == 0)
        return sac_lesson_given(l, "Q", SAC_MATRIX(IMAGE_DEPTH, QUERIES), given_queries[0]);
    sac_node all = sac_matmul(g, "XW_Q", x, square_matrix(l, "W_Q"));
    return sac_transposed(g, "Q", sac_sliced(g, "queries", all, 0, QUERIES));
}

/* Scores of cells and queries, and the softmax over the cells. */
static sac_node add_weights(sac_lesson *l, const char *const names[3], sac_node keys, sac_node q)
{
    sac_graph *g = &l->graph;
    sac_node e = sac_times(g, names[1], sac_matmul(g, names[0], keys, q), 1 / sqrtf(IMAGE_DEPTH));
    return sac_unary(g, SAC_OP_SOFTMAX_0, names[2], e);
}

/* ---- the drawing: a picture, and over it the weights of the query whose column is looked at */

/* [queries,rows,cells a row]; 0 where a person's own arrays are no grid. */
static sac_node as_maps(sac_graph *g, const char *turned, const char *name, sac_node weights)
{
    size_t queries = sac_node_size(g, weights, 1);
    return sac_node_size(g, weights, 0) == IMAGE_CELLS
               ? sac_reshaped(g, name, sac_transposed(g, turned, weights),
                              SAC_STACK(queries, IMAGE_SIDE, IMAGE_CELLS / IMAGE_SIDE))
               : 0;
}

/* A photograph that is cut in the same way, and asked by the same queries: their keys are its brightness,
 * as where a person gives it as the lesson's picture. */
static sac_node draw_sight_image(sac_lesson *l, sac_node q)
{
    enum { HIGH = 192, WIDE = 288 };
    static const char *const names[] = {"sight.KQ", "sight.E", "sight.A"};
    static const float luminance[3] = {0.2126f, 0.7152f, 0.0722f};
    sac_graph *g = &l->graph;
    sac_node sight = sac_lesson_sight(l, "sight", HIGH, WIDE);
    sac_node cells = sac_lesson_sight(l, "sight.cells", IMAGE_SIDE, IMAGE_SIDE);
    if (!sight || !cells || sac_node_size(g, q, 0) != IMAGE_DEPTH)
        return 0;
    sac_node flat = sac_reshaped(g, "sight.flat", cells, SAC_MATRIX(3, IMAGE_SIDE * IMAGE_SIDE));
    sac_node bright =
        sac_matmul(g, "sight.bright", sac_given(g, "luminance", SAC_MATRIX(1, 3), luminance), flat);
    sac_node keys = sac_reshaped(g, "sight.X", bright, SAC_MATRIX(IMAGE_CELLS, IMAGE_DEPTH));
    if (sac_lesson_value(l, "keys") != 0)
        keys = sac_matmul(g, "sight.K", keys, sac_graph_find(g, "W_K"));
    sac_node maps = as_maps(g, "sight.A^T", "sight.maps", add_weights(l, names, keys, q));
    const char *credit = sac_lesson_sight_credit(l);
    const sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_PICTURES,
        .panel_count = 1,
        .mark_count = 2,
        .marks = {
            {SAC_MARK_PICTURE, 0, .before = 3, .y = sight, .credit = credit, .cut_rows = IMAGE_SIDE,
             .cut_columns = IMAGE_CELLS / IMAGE_SIDE,
             .name = l->picture ? N_("27 cells of 3 numbers") : N_("a photo, cut alike")},
            {SAC_MARK_PICTURE, 0, .since = 3, .y = sight, .weights = maps, .credit = credit,
             .name = l->picture ? N_("where this query looks") : N_("this query on a photo")}}};
    sac_lesson_draw(l, &drawing, 0, 4);
    return sight;
}

static void build_image(sac_lesson *l)
{
    static const char *const names[] = {"KQ", "E", "A"};
    sac_graph *g = &l->graph;
    float picture[IMAGE_SIDE * IMAGE_SIDE];
    for (int i = 0; i < IMAGE_SIDE * IMAGE_SIDE; i++)
        picture[i] = (float)i / (IMAGE_SIDE * IMAGE_SIDE - 1);
    sac_node image = sac_lesson_picture(l, "picture", SAC_MATRIX(IMAGE_SIDE, IMAGE_SIDE), picture);
    sac_node x = sac_reshaped(g, "X", image, SAC_MATRIX(IMAGE_CELLS, IMAGE_DEPTH));
    sac_node q = add_queries(l, x);
    bool keys = sac_lesson_value(l, "keys") != 0, values = sac_lesson_value(l, "values") != 0;
    sac_node k = keys ? sac_matmul(g, "K", x, square_matrix(l, "W_K")) : x;
    sac_node v = values ? sac_matmul(g, "V", x, square_matrix(l, "W_V")) : x;
    sac_node a = add_weights(l, names, k, q), e = sac_graph_find(g, "E");
    sac_node y = sac_matmul(g, "Y", sac_transposed(g, "V^T", v), a);
    SAC_LESSON_STEP(l, image_steps[0], image, x);
    SAC_LESSON_STEP(l, image_steps[1], q);
    SAC_LESSON_STEP(l, image_steps[2], k, q, e);
    SAC_LESSON_STEP(l, image_steps[3], e, a);
    SAC_LESSON_STEP(l, image_steps[4], v, a, y);
    sac_node sight = draw_sight_image(l, q);
    if (!sight) {
        /* The numbers themselves, where there is no photograph. */
        sac_node maps = as_maps(&l->graph, "A^T", "A.maps", a);
        const sac_lesson_drawing drawing = {
            .kind = SAC_DRAWS_PICTURES,
            .panel_count = 1,
            .mark_count = 2,
            .marks = {
                {SAC_MARK_PICTURE, 0, .before = 3, .y = image, .name = N_("27 cells of 3 numbers")},
                {SAC_MARK_PICTURE, 0, .since = 3, .y = image, .weights = maps,
                 .name = N_("where this query looks")}}};
        if (maps && sac_node_size(&l->graph, image, 1) == IMAGE_SIDE)
            sac_lesson_draw(l, &drawing, 0, 4);
    }
}

static const sac_lesson_ask image_asks[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Why can a picture be a set of cells, without an order?"),
     .reasons = {{N_("attention is a sum over all cells, and a sum has no order")},
                 {N_("all cells of a picture are equal")},
                 {N_("cells far away have no weight")}},
     .why = N_("The place of a cell has to be added to it, as a position.")},
    {0},
};

const sac_lesson_class sac_lesson_image_as_set = {
    .name = "image-as-set",
    .title = N_("A picture as a set"),
    .summary = N_("a picture of 9 × 9 as 27 cells, nine queries, and their softmax over the cells"),
    .parameters = image_parameters,
    .asks = image_asks,
    .build = build_image,
};

/* ---------------------------------------------------------------- caption-step: one word of a caption: attention
 * over a grid of 3 × 3 cells, beside a decoder that gets the same vector at every word */

enum {
    CAPTION_SIDE = 3,
    CAPTION_CELLS = CAPTION_SIDE * CAPTION_SIDE,
    CAPTION_DEPTH = 4,
    HIDDEN = 3,
    ATTENTION = 2
};

static const float caption_cells[CAPTION_CELLS * CAPTION_DEPTH] = {
    0.1f, 0,    0.2f, 0,    0.2f, 0.1f, 0,    0,    0,    0.1f, 0.1f, 0,
    0,    0.9f, 0.1f, 0.2f, 0.1f, 1.2f, 0.1f, 0.3f, 0.2f, 0.1f, 0,    1.1f,
    0.8f, 0,    0.1f, 0,    0.9f, 0.1f, 0,    0.1f, 1,    0,    0,    0.2f,
};
static const float state[HIDDEN] = {0.5f, -1, 0.2f};
static const float w_state[ATTENTION * HIDDEN] = {0.4f, -0.8f, 0.1f, 0.3f, 0.2f, -0.5f};
static const float w_cell[ATTENTION * CAPTION_DEPTH] = {-0.6f, 1.4f, 0.2f, -0.3f,
                                                        0.2f,  0.5f, 0.1f, 0.9f};
static const float v_given[ATTENTION] = {2, 0.5f};

static const sac_lesson_parameter caption_parameters[] = {
    {"sharpness", N_("sharpness of the scores"), 0, 10, 2, false},
    {0},
};

static const sac_lesson_step caption_steps[] = {
    {.name = N_("grid"),
     .sentence = N_("A network turns the picture into a grid of 3 × 3 cells, each a vector "
                    "h of 4 numbers."),
     .formula = "h[i,j], i, j = 1 … 3",
     .code = "h = features.reshape(9, 4)   # a grid of 3 × 3 vectors",
     .notice = N_("Without attention the decoder gets only their mean v.")},
    {.name = N_("scores"),
     .sentence = N_("A small network compares the decoder's state s with each cell."),
     .formula = "e[t,i,j] = f_att(s[t−1], h[i,j])",
     .notice = N_("Each score e is one number."),
     .code = "e = sharpness * w_v @ torch.tanh(s @ W_s.T + h @ W_h.T).T"},
    {.name = N_("weights"),
     .sentence = N_("The softmax turns the nine scores into attention weights."),
     .formula = "a[t,:,:] = softmax(e[t,:,:])",
     .notice = N_("Laid over the picture, they are the heat map of one word."),
     .code = "a = e.softmax(-1)",
     .questions = {{SAC_ASK_LARGEST, 1, N_("The cell with the largest score.")}}},
    {.name = N_("context"),
     .sentence = N_("The context c is the mean of the cells, weighted by the attention "
                    "weights, and goes into the next state."),
     .formula = "c[t] = Σ a[t,i,j] h[i,j]",
     .notice = N_("c changes with each word, while v does not."),
     .code = "c = a @ h",
     .questions = {{SAC_ASK_VALUE, 2, N_("Each cell's number by its weight.")}}},
};

static void build_caption(sac_lesson *l)
{
    sac_graph *g = &l->graph;
    sac_node h = sac_lesson_given(l, "h", SAC_MATRIX(CAPTION_CELLS, CAPTION_DEPTH), caption_cells);
    sac_node s = sac_lesson_given(l, "s", SAC_MATRIX(1, HIDDEN), state);
    sac_node from_s = sac_lesson_given(l, "W_s", SAC_MATRIX(ATTENTION, HIDDEN), w_state);
    sac_node from_h = sac_lesson_given(l, "W_h", SAC_MATRIX(ATTENTION, CAPTION_DEPTH), w_cell);
    sac_node v = sac_lesson_given(l, "w_v", SAC_MATRIX(1, ATTENTION), v_given);
    sac_node q = sac_matmul_t(g, "query", s, from_s), k = sac_matmul_t(g, "keys", h, from_h);
    sac_node raw = sac_apply(g, SAC_OP_ADDITIVE, "f_att", q, k, v, 0, 0);
    sac_node e = sac_times(g, "e", raw, sac_lesson_value(l, "sharpness"));
    sac_node a = sac_softmax(g, "a", e);
    sac_node c = sac_matmul(g, "c", a, h);
    sac_node columns = sac_transposed(g, "h^T", h);
    sac_node mean = sac_transposed(g, "v", sac_unary(g, SAC_OP_MEAN, "h.mean", columns));
    bool square = sac_node_size(g, a, 1) == CAPTION_CELLS;
    sac_node grid =
        square ? sac_reshaped(g, "a.grid", a, SAC_MATRIX(CAPTION_SIDE, CAPTION_SIDE)) : a;
    sac_coloured_alike(g, c, mean);
    SAC_LESSON_STEP(l, caption_steps[0], h, mean);
    SAC_LESSON_STEP(l, caption_steps[1], s, q, k, e);
    SAC_LESSON_STEP(l, caption_steps[2], e, a, grid);
    SAC_LESSON_STEP(l, caption_steps[3], a, h, c, mean);
    sac_node picture = square ? sac_lesson_sight(l, "sight", 192, 288) : 0;
    const char *credit = sac_lesson_sight_credit(l);
    const sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_PICTURES,
        .panel_count = 1,
        .mark_count = 2,
        .marks = {{SAC_MARK_PICTURE, 0, .before = 2, .y = picture, .credit = credit,
                   .cut_rows = CAPTION_SIDE, .cut_columns = CAPTION_SIDE,
                   .name = N_("each cell: a row of h")},
                  {SAC_MARK_PICTURE, 0, .since = 2, .y = picture, .weights = grid, .credit = credit,
                   .name = N_("where this word looks")}}};
    if (picture)
        sac_lesson_draw(l, &drawing, 0, 3);
}

static const sac_lesson_ask caption_asks[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("What changes from one word of a caption to the next?"),
     .reasons = {{N_("the decoder's state, and with it scores and weights")},
                 {N_("the features of the cells")},
                 {N_("the number of cells")}},
     .why = N_("The picture is encoded once; each word asks it anew.")},
    {0},
};

const sac_lesson_class sac_lesson_caption_step = {
    .name = "caption-step",
    .title = N_("One word of a caption"),
    .summary = N_("e, a and c over a grid of 3 × 3, beside one vector for all words"),
    .parameters = caption_parameters,
    .asks = caption_asks,
    .build = build_caption,
};

/* ---------------------------------------------------------------- saccade: A lesson on the saccade, the eye movement
 * that the program is named after. The eye sees sharply only where it looks, so it jumps. What it sees is attention
 * with the Gaussian score, wide where acuity is low */

enum { EYE_SIDE = 7, EYE_CELLS = EYE_SIDE * EYE_SIDE, ANGLES = 5, EYE_WORDS = SAC_CAPTIONED_WORDS };

/* Degrees at which acuity is half of the fovea's. */
#define HALF 2.3f

static const sac_lesson_parameter eye_parameters[] = {
    {"row", N_("fixation, row"), 0, EYE_SIDE - 1, 2, true},
    {"column", N_("fixation, column"), 0, EYE_SIDE - 1, 2, true},
    {"degrees", N_("degrees a cell"), 0.1f, 10, 2.5f, false},
    {0},
};

static const sac_lesson_step eye_steps[] = {
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
         N_("For each cell of the picture: its angle from the fixation, and the acuity there."),
     .formula = "E[p] = degrees · |p − fixation|",
     .notice = N_("Acuity is largest in the cell of the fixation."),
     .code = "E = degrees * (cells - fixation).norm(dim=-1)",
     .questions = {{SAC_ASK_LARGEST, 2, N_("Sharpest in the column nearest to the fixation.")}}},
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
static const float centres[EYE_WORDS * 2] = {
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
    return sac_reshaped(g, name, column, SAC_MATRIX(EYE_SIDE, EYE_SIDE));
}

static void add_eye(sac_lesson *l, arrays *a)
{
    static const char *const names[] = {"ones.cells", "below.cells", "acuity.cells"};
    float at[EYE_CELLS * 2];
    const float fixation[] = {sac_lesson_value(l, "row"), sac_lesson_value(l, "column")};
    sac_graph *g = &l->graph;
    for (int i = 0; i < EYE_CELLS; i++) {
        at[2 * i] = (float)(i / EYE_SIDE);
        at[2 * i + 1] = (float)(i % EYE_SIDE);
    }
    a->cells = sac_given(g, "cells", SAC_MATRIX(EYE_CELLS, 2), at);
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
static sac_node add_blurs(sac_lesson *l, const char *name, size_t count, sac_node narrowness)
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
static sac_node add_levels(sac_lesson *l, sac_node eye)
{
    static const float times[LEVELS] = {1, 2.5f, 4, 6, 8.5f, 11, 14.5f, 18};
    sac_graph *g = &l->graph;
    float *at = malloc(2 * HIGH * WIDE * sizeof *at);
    for (size_t i = 0; at && i < HIGH * WIDE; i++) {
        at[2 * i] = ((float)(i / WIDE) + 0.5f) * EYE_SIDE / HIGH - 0.5f;
        at[2 * i + 1] = ((float)(i % WIDE) + 0.5f) * EYE_SIDE / WIDE - 0.5f;
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
static sac_node add_channel(sac_graph *g, sac_node picture, size_t c, sac_node rows,
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
    sac_lesson_draw(l, &drawing, 0, 0);
}

/* The fixation is dragged over the picture; a level's deviation is 0.45 pixels for each time that acuity
 * is lower than 1. */
static void draw_sight_eye(sac_lesson *l)
{
    static const float sharp[LEVELS] = {1e6f,    2.19f,   0.549f,  0.198f,
                                        0.0878f, 0.0494f, 0.0271f, 0.0171f};
    sac_graph *g = &l->graph;
    sac_node picture = sac_lesson_sight(l, "sight", HIGH, WIDE);
    sac_node eye = sac_graph_find(g, "fixation");
    if (!picture || !eye)
        return;
    sac_node narrowness = sac_given(g, "narrowness", SAC_STACK(LEVELS, 1, 1), sharp);
    sac_node rows = add_blurs(l, "blur.rows", HIGH, narrowness),
             columns = add_blurs(l, "blur.columns", WIDE, narrowness);
    sac_node shares = add_levels(l, eye);
    sac_node parts[3];
    for (size_t c = 0; c < 3; c++)
        parts[c] = add_channel(g, picture, c, rows, columns, shares);
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
        .panels = {{.x_low = -0.5f,
                    .x_high = EYE_SIDE - 0.5f,
                    .y_low = -0.5f,
                    .y_high = EYE_SIDE - 0.5f}},
        .mark_count = 1,
        .marks = {{SAC_MARK_PICTURE, 0, .y = seen, .credit = sac_lesson_sight_credit(l),
                   .name = N_("as the eye sees it")}},
        .handle_count = 1,
        .handles = {{.x = {eye, 1},
                     .y = {eye, 0},
                     .sets_x = {.parameter = "column"},
                     .sets_y = {.parameter = "row"},
                     .does = N_("Drag the fixation, or move it by the arrow keys.")}}};
    sac_lesson_draw(l, &drawing, 1, 2);
}

/* ---- the drawing of the last step: the scene, and the path of the gaze over it */

enum { GRID = 14, FINE = 6, SCENE = GRID * FINE };

typedef struct place {
    float x, y; /* in cells */
} place;

static bool is_within(const place *corners, int count, float x, float y)
{
    bool within = false;
    for (int i = 0, k = count - 1; i < count; k = i++) {
        place a = corners[i], b = corners[k];
        if ((a.y > y) != (b.y > y) && x < (b.x - a.x) * (y - a.y) / (b.y - a.y) + a.x)
            within = !within;
    }
    return within;
}

/* The colour of scene 91 at a place: a star, a triangle and a circle. */
static const float *scene_at(float x, float y, float ground[3])
{
    static const float green[3] = {0.14f, 0.77f, 0.24f}, purple[3] = {0.57f, 0.11f, 0.9f},
                       black[3] = {0.02f, 0.02f, 0.02f};
    static const place triangle[3] = {{9.8f, 5.9f}, {8.6f, 8.55f}, {11.4f, 8.25f}};
    static const place star = {5.25f, 9.4f}, circle = {11.85f, 11.8f};
    place tips[10];
    for (int i = 0; i < 10; i++) {
        float angle = 0.6283185f * (float)i - 1.66f, reach = i % 2 ? 0.95f : 2.15f;
        tips[i] = (place){star.x + reach * cosf(angle), star.y + reach * sinf(angle)};
    }
    if (hypotf(x - circle.x, y - circle.y) < 1.2f)
        return black;
    if (is_within(tips, 10, x, y))
        return green;
    if (is_within(triangle, 3, x, y))
        return purple;
    float warm = 0.5f + 0.5f * (x - y) / GRID;
    ground[0] = 0.67f + 0.32f * warm;
    ground[1] = 0.92f + 0.05f * warm;
    ground[2] = 0.94f - 0.1f * warm;
    return ground;
}

/* Red, green and blue, [3,SCENE,SCENE], smooth at the edges. */
static sac_node add_scene(sac_graph *g)
{
    enum { PARTS = 3 };
    float *numbers = calloc(3 * SCENE * SCENE, sizeof *numbers), ground[3];
    for (int i = 0; numbers && i < SCENE * SCENE * PARTS * PARTS; i++) {
        int pixel = i / (PARTS * PARTS), part = i % (PARTS * PARTS);
        float x = (float)(pixel % SCENE) + ((float)(part % PARTS) + 0.5f) / PARTS,
              y = (float)(pixel / SCENE) + ((float)(part / PARTS) + 0.5f) / PARTS;
        const float *color = scene_at(x / FINE, y / FINE, ground);
        for (int c = 0; c < 3; c++)
            numbers[c * SCENE * SCENE + pixel] += color[c] / (PARTS * PARTS);
    }
    sac_node node = numbers ? sac_given(g, "scene", SAC_STACK(3, SCENE, SCENE), numbers) : 0;
    free(numbers);
    return node;
}

static void build_eye(sac_lesson *l)
{
    static const float angles[ANGLES] = {0, HALF, 5, 10, 20};
    static const char *const names[] = {"ones", "below", "acuity"};
    sac_graph *g = &l->graph;
    arrays a = {0};
    a.angles = sac_lesson_given(l, "E", SAC_MATRIX(1, ANGLES), angles);
    a.acuity = add_acuity(g, names, a.angles);
    /* Stripes on the left, a chequerboard on the right. */
    float picture[EYE_CELLS];
    for (int i = 0; i < EYE_CELLS; i++)
        picture[i] = (float)(i / EYE_SIDE % 2 ^ (i % EYE_SIDE > 4 ? i % EYE_SIDE % 2 : 0));
    a.picture = sac_lesson_picture(l, "picture", SAC_MATRIX(EYE_SIDE, EYE_SIDE), picture);
    add_eye(l, &a);
    /* Attention of cells to cells by −½ |p − p'|² (acuity / 0.3)². */
    sac_node by_distance = sac_apply(g, SAC_OP_GAUSSIAN, "nearness", a.cells, a.cells, 0, 1, 0);
    sac_node inverse = sac_times(g, "inverse_width", a.at_cells, 1 / 0.3f);
    sac_node squared = sac_binary(g, SAC_OP_MULTIPLY, "width^-2", inverse, inverse);
    sac_node scores = sac_binary(g, SAC_OP_MULTIPLY, "scores", by_distance, squared);
    sac_node weights = sac_softmax(g, "weights", scores);
    sac_node column = sac_reshaped(g, "picture.column", a.picture, SAC_MATRIX(EYE_CELLS, 1));
    a.seen = as_grid(g, "seen", sac_matmul(g, "seen.column", weights, column));
    a.gaze = sac_given(g, "centre", SAC_MATRIX(EYE_WORDS, 2), centres);
    sac_node from = sac_sliced(g, "from", a.gaze, 0, EYE_WORDS - 1);
    sac_node moved =
        sac_difference(g, "moved", sac_sliced(g, "to", a.gaze, 1, EYE_WORDS - 1), from);
    a.jumps = sac_unary(g, SAC_OP_LENGTH, "jump", moved);
    sac_lesson_label(l, a.gaze, sac_captioned_words, EYE_WORDS, NULL, 0);
    sac_lesson_label(l, a.jumps, sac_captioned_words + 1, EYE_WORDS - 1, NULL, 0);
    SAC_LESSON_STEP(l, eye_steps[0], a.angles, a.acuity);
    SAC_LESSON_STEP(l, eye_steps[1], a.picture, a.eccentricity, a.sharpness);
    SAC_LESSON_STEP(l, eye_steps[2], a.picture, a.sharpness, a.seen);
    SAC_LESSON_STEP(l, eye_steps[3], a.gaze, a.jumps);
    draw_acuity(l, &a);
    draw_sight_eye(l);
    const sac_lesson_drawing drawing = {.kind = SAC_DRAWS_PICTURES,
                                        .panel_count = 1,
                                        .panels = {{.x_high = GRID, .y_high = GRID}},
                                        .mark_count = 2,
                                        .marks = {{SAC_MARK_PICTURE, 0, .y = add_scene(&l->graph),
                                                   .name = N_("the path of the gaze")},
                                                  {SAC_MARK_LINE, 0, .y = a.gaze}}};
    sac_lesson_draw(l, &drawing, 3, 3);
}

static const sac_lesson_ask eye_asks[] = {
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
    .parameters = eye_parameters,
    .asks = eye_asks,
    .build = build_eye,
};

/* ---------------------------------------------------------------- when: the closing lesson: when to use attention,
 * and where this program shows each case */

enum { CASES = 4, QUESTIONS = 4, WHEN_WORDS = SAC_CAPTIONED_WORDS };

#define DOOR(name) &sac_lesson_doors[SAC_DOOR_##name]

#define LESSON(name, title)                                                                        \
    {                                                                                              \
        title, name, NULL, NULL, "saccade lesson " name                                            \
    }

const sac_lesson_door sac_lesson_doors[SAC_DOORS] = {
    [SAC_DOOR_TRANSLATION] = {N_("Translation"), .tab = "translation",
                              .command = "saccade translate --view"},
    [SAC_DOOR_CAPTION] = {N_("Caption"), .tab = "caption", .command = "saccade --tab caption"},
    [SAC_DOOR_PICTURE] = {N_("Picture"), .tab = "picture", .command = "saccade --tab picture"},
    [SAC_DOOR_HEADS] = {N_("Heads"), .tab = "heads", .text = "we are in the garden .",
                        .command = "saccade view --text \"we are in the garden .\" --tab heads"},
    [SAC_DOOR_MASKS] = LESSON("masks", N_("Masks")),
    [SAC_DOOR_SEQ2SEQ] = LESSON("seq2seq", N_("One sentence into another")),
    [SAC_DOOR_ALIGNMENT] = LESSON("alignment", NC_("in short", "Reading an alignment")),
    [SAC_DOOR_CAPTION_STEP] = LESSON("caption-step", N_("One word of a caption")),
    [SAC_DOOR_EYE] = LESSON("saccade", N_("The eye")),
    [SAC_DOOR_IMAGE_AS_SET] = LESSON("image-as-set", N_("A picture as a set")),
    [SAC_DOOR_PERMUTATION] = LESSON("permutation", N_("Another order")),
};

static const sac_lesson_step when_steps[] = {
    {.name = N_("when"),
     .sentence = N_("Attention helps where one kind of data becomes another step by step: "
                    "each step looks at what it needs."),
     .formula = "output[t] ← Σ a[t,i] input[i]",
     .code = "output = a @ inputs",
     .notice = N_("A 1 means yes; each case has at least one."),
     .questions = {{SAC_ASK_COUNT, 0, N_("What holds for this case.")}},
     .doors = {DOOR(TRANSLATION), DOOR(CAPTION), DOOR(PICTURE), DOOR(MASKS)}},
    {.name = N_("words to words"),
     .sentence = N_("In translation each French word looks at English words."),
     .formula = "a [14,13], words seen = 2^H",
     .notice = N_("For most words the effective number of words seen, 2^H, is near 1."),
     .code = "words_seen = 2 ** -(a * a.log2()).sum(-1)   # saccade translate --view",
     .questions = {{SAC_ASK_LARGEST, 0, N_("The word that it stands for.")}},
     .doors = {DOOR(TRANSLATION), DOOR(SEQ2SEQ), DOOR(ALIGNMENT)}},
    {.name = N_("picture to words"),
     .sentence = N_("In a caption each word looks at the cells of a grid of 14 × 14."),
     .formula = "cells seen = 2^H of 196",
     .notice = N_("The effective number of cells, 2^H, is between 1 and 5 of 196."),
     .code = "cells_seen = 2 ** bits   # saccade caption --dataset shapes --scene 91",
     .questions = {{SAC_ASK_VALUE, 1, N_("2 to the power of its bits.")}},
     .doors = {DOOR(CAPTION), DOOR(CAPTION_STEP), DOOR(EYE)}},
    {.name = N_("a set to itself"),
     .sentence = N_(
         "In self-attention each element looks at the whole set: here the words of a sentence, in "
         "a trained head."),
     .formula = "P = softmax(S)",
     .notice = N_("\"The\" and \"red\" look at \"cat\", the noun that they belong to."),
     .code = "P = S.softmax(-1)   # saccade view photo.jpg does it with a picture",
     .questions = {{SAC_ASK_LARGEST, 0, N_("The main word of its phrase.")}},
     .doors = {DOOR(PICTURE), DOOR(IMAGE_AS_SET), DOOR(PERMUTATION), DOOR(HEADS)}},
};

/* Bits of the captioner's attention at each word: `saccade caption --dataset shapes
 * --scene 91 --npz`, "entropy". */
static const float caption_bits[WHEN_WORDS] = {1.71f, 1.82f, 2.12f, 1.43f, 1.26f,
                                               0.75f, 0.17f, 0.18f, 0.32f, 0.47f,
                                               1.41f, 0.62f, 0.52f, 1.01f, 1.27f};

static void build_when(sac_lesson *l)
{
    sac_graph *g = &l->graph;
    static const char *const cases[] = {NC_("a case", "translation"), NC_("a case", "caption"),
                                        N_("picture"), N_("language model")};
    static const char *const questions[] = {N_("new type"), N_("in steps"), N_("in order"),
                                            N_("of itself")};
    static const float yes[CASES * QUESTIONS] = {1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1};
    sac_node table = sac_given(g, "cases", SAC_MATRIX(CASES, QUESTIONS), yes);
    sac_lesson_label(l, table, cases, CASES, questions, QUESTIONS);
    sac_lesson_label_terms(l, table, true, true);
    sac_node a = sac_softmax(g, "a", sac_translated_scores(l, "e"));
    sac_translated_label(l, a, 0, 0);
    sac_node bits = sac_transposed(g, "bits_a_word", sac_unary(g, SAC_OP_ENTROPY, "a.bits", a));
    sac_node seen = sac_unary(g, SAC_OP_POWER_OF_2, "words_seen", bits);
    sac_lesson_label(l, seen, NULL, 0, sac_translated_words, SAC_TRANSLATED_WORDS);
    sac_node caption_words = sac_given(g, "bits", SAC_MATRIX(WHEN_WORDS, 1), caption_bits);
    sac_node cells = sac_unary(g, SAC_OP_POWER_OF_2, "cells_seen", caption_words);
    sac_lesson_label(l, caption_words, sac_captioned_words, WHEN_WORDS, NULL, 0);
    sac_lesson_label(l, cells, sac_captioned_words, WHEN_WORDS, NULL, 0);
    sac_node scores, heads = sac_trained_heads(l, &scores);
    sac_node p = sac_trained_head(l, "P", heads);
    SAC_LESSON_STEP(l, when_steps[0], table);
    SAC_LESSON_STEP(l, when_steps[1], a, seen);
    SAC_LESSON_STEP(l, when_steps[2], caption_words, cells);
    SAC_LESSON_STEP(l, when_steps[3], p);
    const sac_lesson_drawing words = {.kind = SAC_DRAWS_BANDS,
                                      .part = 0.42f,
                                      .panel_count = 1,
                                      .mark_count = 1,
                                      .marks = {{SAC_MARK_BANDS, .y = a}}};
    sac_lesson_drawing set = words;
    set.marks[0].y = p;
    sac_lesson_draw(l, &words, 1, 1);
    sac_lesson_draw(l, &set, 3, 3);

    sac_node by_word = sac_transposed(g, "cells.by_word", cells);
    sac_lesson_label(l, by_word, NULL, 0, sac_captioned_words, WHEN_WORDS);
    const sac_lesson_drawing seen_cells = {
        .panel_count = 1,
        .panels = {{.title = N_("Cells seen, of 196"), .categories = by_word}},
        .mark_count = 1,
        .marks = {{SAC_MARK_BARS, .y = by_word, .ink = SAC_INK_ACCENT}}};
    sac_lesson_draw(l, &seen_cells, 2, 2);
}

static const sac_lesson_ask when_asks[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Why is attention expensive for very long inputs?"),
     .reasons = {{N_("there is a score for each pair, so that their number grows with the square")},
                 {N_("it has a weight matrix for each position")},
                 {N_("it has to read the input from left to right")}},
     .why = N_("Twice as many words have four times as many pairs.")},
    {0},
};

const sac_lesson_class sac_lesson_when = {
    .name = "when",
    .title = N_("When to use attention"),
    .summary = N_("one type of data into another, step by step; where to go from here"),
    .asks = when_asks,
    .build = build_when,
};
