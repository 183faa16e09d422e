/* Nadaraya–Watson kernel regression: points are keys and values, and an estimate is attention with
 * the Gaussian score. The curve is 2 sin x + x^0.8 at 0, 1, 2, 3 and 4. */
#include <math.h>

#include "lessons/ideas/lessons.h"

enum { POINTS = 5, CURVE = 161 };

static const sac_lesson_parameter parameters[] = {
    {"query", N_("query: where to estimate"), -1, 5, 2.5f, false},
    {"w", N_("w, an inverse width"), 0.01f, 20, 1, false},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("points"),
     .sentence =
         N_("Each data point has a key x and a value y; the query is the place where y is wanted."),
     .formula = "y = 2 sin x + x^0.8",
     .code = "y = 2 * x.sin() + x ** 0.8",
     .notice = N_("Nothing is trained: the data points are the model.")},
    {.name = N_("scores"),
     .sentence = N_("The nearer a key is to the query, the higher its score; at the query "
                    "itself the score is 0."),
     .formula = "a(q,x) = −½ ((q − x) w)²",
     .notice = N_("w is an inverse width: a larger w makes the score fall faster."),
     .code = "scores = -((query - x.T) * w) ** 2 / 2"},
    {.name = N_("weights"),
     .sentence = N_("The softmax turns the scores into attention weights that add up to 1."),
     .formula = "α = softmax(a)",
     .notice = N_("For w near 0 all weights are equal; for a large w the nearest point "
                  "has nearly all of the weight."),
     .code = "weights = scores.softmax(-1)",
     .questions = {{SAC_ASK_VALUE, 1, N_("exp of its score, divided by the sum of the row.")}}},
    {.name = N_("estimate"),
     .sentence = N_("The estimate is the mean of the values, weighted by the attention weights."),
     .formula = "ŷ = Σ α(q,xᵢ) yᵢ",
     .notice = N_("This is attention; other kinds of attention change only the score."),
     .code = "estimate = weights @ y",
     .questions = {{SAC_ASK_VALUE, 2, N_("Each y times its weight, added up.")}}},
};

typedef struct arrays {
    sac_node x, y, query, width, scores, weights, estimate;
} arrays;

/* The points and the curve of all estimates above, the weights below; the query, the width and the
 * points are moved. */
static void add_drawings(sac_lesson *l, const arrays *a, float w)
{
    sac_graph *g = &l->graph;
    float truths[CURVE];
    for (int i = 0; i < CURVE; i++) {
        double at = 5.0 * i / (CURVE - 1);
        truths[i] = (float)(2 * sin(at) + pow(at, 0.8));
    }
    sac_node truth_x = sac_lesson_axis(l, "truth.x", 0, 5, CURVE);
    sac_node truth = sac_given(g, "truth", SAC_MATRIX(CURVE, 1), truths);
    sac_node at = sac_lesson_axis(l, "curve.query", -1, 5, CURVE);
    sac_node curve =
        sac_matmul(g, "curve",
                   sac_softmax(g, "curve.weights",
                               sac_apply(g, SAC_OP_GAUSSIAN, "curve.scores", at, a->x, 0, w, 0)),
                   a->y);
    sac_node near =
        sac_unary(g, SAC_OP_EXP, "nearness",
                  sac_apply(g, SAC_OP_GAUSSIAN, "nearness.scores", a->query, at, 0, w, 0));
    sac_node edge = sac_sum(g, "edge", a->query, a->width);
    sac_node edge_near =
        sac_unary(g, SAC_OP_EXP, "edge.nearness",
                  sac_apply(g, SAC_OP_GAUSSIAN, "edge.scores", a->query, edge, 0, w, 0));
    sac_lesson_drawing drawing = {
        .panel_count = 2,
        .panels = {{.x = N_("x"), .y = N_("y"), .x_low = -1, .x_high = 5, .y_low = -1, .y_high = 5},
                   {.since = 1,
                    .share = 0.6f,
                    .x = N_("key x"),
                    .x_low = -1,
                    .x_high = 5,
                    .y_low = 0,
                    .y_high = 1.15f}},
        .mark_count = 9,
        .marks = {{SAC_MARK_LINE, 0, .x = truth_x, .y = truth, .ink = SAC_INK_FAINT,
                   .name = N_("the function")},
                  {SAC_MARK_RULE, 0, .x = a->query, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_LINE, 0, .since = 3, .x = at, .y = curve, .ink = SAC_INK_ACCENT,
                   .name = N_("estimate ŷ")},
                  {SAC_MARK_POINTS, 0, .before = 2, .x = a->x, .y = a->y, .ink = SAC_INK_BLUE,
                   .name = N_("data")},
                  {SAC_MARK_POINTS, 0, .since = 2, .x = a->x, .y = a->y, .weights = a->weights,
                   .ink = SAC_INK_BLUE, .name = N_("data, by weight")},
                  {SAC_MARK_POINTS, 0, .since = 3, .x = a->query, .y = a->estimate,
                   .ink = SAC_INK_ACCENT},
                  {SAC_MARK_AREA, 1, .x = at, .y = near, .ink = SAC_INK_ACCENT,
                   .name = N_("exp(score)")},
                  {SAC_MARK_RULE, 1, .x = a->query, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_BARS, 1, .since = 2, .x = a->x, .y = a->weights, .ink = SAC_INK_BLUE,
                   .name = N_("weights")}},
        .handle_count = 2,
        .handles = {{.x = {a->query, 0},
                     .sets_x = {.parameter = "query"},
                     .does = N_("Drag the query, or move it by ← and →.")},
                    {.panel = 1,
                     .since = 1,
                     .x = {edge, 0},
                     .y = {edge_near, 0},
                     .sets_x = {.parameter = "w", .origin = {a->query, 0}, .power = -1},
                     .does = N_("Drag the width, 1/w, or change it by ← and →.")}}};
    for (size_t i = 0; i < sac_node_size(g, a->y, 0) && i + 2 < SAC_DRAWING_HANDLES; i++)
        drawing.handles[drawing.handle_count++] =
            (sac_drawing_handle){.quiet = true,
                                 .x = {a->x, i},
                                 .y = {a->y, i},
                                 .sets_y = {.number = {a->y, i}},
                                 .does = N_("Drag this point up or down: the estimates follow.")};
    sac_lesson_add_drawing(l, &drawing, 0, 3);
}

static void build(sac_lesson *l)
{
    sac_graph *g = &l->graph;
    float xs[POINTS], ys[POINTS], w = sac_lesson_value(l, "w"), at = sac_lesson_value(l, "query");
    for (int i = 0; i < POINTS; i++) {
        xs[i] = (float)i;
        ys[i] = (float)(2 * sin(i) + pow(i, 0.8));
    }
    sac_node x = sac_lesson_given(l, "x", SAC_MATRIX(POINTS, 1), xs);
    sac_node y = sac_lesson_given(l, "y", SAC_MATRIX(POINTS, 1), ys);
    sac_node query = sac_given(g, "query", SAC_MATRIX(1, 1), &at);
    sac_node width = sac_given(g, "width", SAC_VECTOR(1), &(float){1 / w});
    sac_node scores = sac_apply(g, SAC_OP_GAUSSIAN, "scores", query, x, 0, w, 0);
    sac_node weights = sac_softmax(g, "weights", scores);
    sac_node estimate = sac_matmul(g, "estimate", weights, y);
    SAC_LESSON_STEP(l, steps[0], x, y, query);
    SAC_LESSON_STEP(l, steps[1], query, x, width, scores);
    SAC_LESSON_STEP(l, steps[2], scores, weights);
    SAC_LESSON_STEP(l, steps[3], weights, y, estimate);
    add_drawings(l, &(arrays){x, y, query, width, scores, weights, estimate}, w);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("w falls from 1 to 0.01. What happens to the weight of the point x = 2?"),
     .cell = "weights,0,2",
     .after = "w=0.01",
     .why = N_("A small w is a wide kernel: all points get about the same weight.")},
    {.kind = SAC_ASK_GAINS,
     .text = N_("The query moves from 2.5 to 3.5. Which column of weights gains most?"),
     .cell = "weights,0,0",
     .after = "query=3.5",
     .why = N_("The point that was far and is near now.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("What is the estimate for a very large w?"),
     .reasons = {{N_("the value of the nearest point")}, {N_("the mean of all values")}, {N_("0")}},
     .why = N_("With a narrow kernel only the nearest point keeps a weight.")},
    {0},
};

const sac_lesson_class sac_lesson_kernel_regression = {
    .name = "kernel-regression",
    .title = N_("Kernel regression: attention before it had the name"),
    .summary = N_("keys are points, the score is nearness, the estimate a weighted mean"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
