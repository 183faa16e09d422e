/* A lesson on dot product, cosine and Gaussian as similarities: they give the same order on unit
 * vectors only. */
#include <math.h>

#include "lessons/ideas/lessons.h"

static const sac_lesson_parameter parameters[] = {
    {"unit", N_("unit vectors"), 0, 1, 0, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("dot"),
     .sentence = N_("The dot product grows with the cosine of the angle and with both lengths."),
     .formula = "q·k = |q| |k| cos φ",
     .notice = N_("The long key 1 wins, although key 0 has a smaller angle to the query; of "
                  "unit vectors key 0 wins."),
     .code = "dot = query @ key.T",
     .questions = {{SAC_ASK_LARGEST, 2, N_("A long key can win by its length alone.")}}},
    {.name = N_("cosine"),
     .sentence =
         N_("The cosine is the dot product divided by both lengths, so only the direction counts."),
     .formula = "cos φ = q·k / (|q| |k|)",
     .notice = N_("Key 0 wins, whatever the lengths."),
     .code = "cosine = F.normalize(query, dim=-1) @ F.normalize(key, dim=-1).T",
     .questions = {{SAC_ASK_LARGEST, 2, N_("The direction alone decides.")}}},
    {.name = N_("gaussian"),
     .sentence = N_("The Gaussian score is minus half the squared distance of the two end points."),
     .formula = "−½ |q − k|² = q·k − ½|q|² − ½|k|²",
     .notice = N_("For unit vectors it is q·k − 1, so its softmax gives the same weights "
                  "as the dot product."),
     .code = "gaussian = -((query[:, None] - key[None]) ** 2).sum(-1) / 2",
     .questions = {{SAC_ASK_VALUE, 2, N_("Half the squared distance, with a minus.")}}},
};

/* Rows divided by their lengths. */
static sac_node unit_rows(sac_graph *g, const char *length, const char *name, sac_node a)
{
    return sac_binary(g, SAC_OP_DIVIDE, name, a, sac_unary(g, SAC_OP_LENGTH, length, a));
}

typedef struct arrays {
    sac_node query, key, q, k, q1, k1, by_dot, by_cosine, by_gaussian;
} arrays;

/* The vectors in the plane, and what each score makes of them: the shares of the keys beside it. */
static void add_drawings(sac_lesson *l, const arrays *a)
{
    enum { CIRCLE = 121 };
    static const char *const queries[] = {"q"};
    static const char *const keys[] = {"k0", "k1", "k2", "k3", "k4",  "k5",
                                       "k6", "k7", "k8", "k9", "k10", "k11"};
    sac_graph *g = &l->graph;
    float x[CIRCLE], y[CIRCLE];
    if (sac_node_size(g, a->query, 0) != 1 || sac_node_size(g, a->query, 1) != 2)
        return; /* a person's own vectors that lie in no plane */
    for (int i = 0; i < CIRCLE; i++) {
        x[i] = (float)cos(2 * acos(-1) * i / (CIRCLE - 1));
        y[i] = (float)sin(2 * acos(-1) * i / (CIRCLE - 1));
    }
    sac_node circle_x = sac_given(g, "circle.x", SAC_MATRIX(1, CIRCLE), x);
    sac_node circle_y = sac_given(g, "circle.y", SAC_MATRIX(1, CIRCLE), y);
    sac_lesson_drawing drawing = {
        .across = true,
        .panel_count = 2,
        .panels = {{.plane = true,
                    .x_low = -1.6f,
                    .x_high = 2.1f,
                    .y_low = -1.1f,
                    .y_high = 3.3f,
                    .share = 1.5f},
                   {.y = N_("weight"),
                    .x = N_("key"),
                    .categories = a->by_dot,
                    .x_low = -0.6f,
                    .x_high = 2.6f,
                    .y_low = 0,
                    .y_high = 1.15f}},
        .mark_count = 8,
        .marks = {{SAC_MARK_LINE, 0, .since = 1, .before = 2, .x = circle_x, .y = circle_y,
                   .ink = SAC_INK_FAINT},
                  {SAC_MARK_ARROWS, 0, .y = a->k, .ink = SAC_INK_BLUE, .labels = keys},
                  {SAC_MARK_ARROWS, 0, .y = a->q, .ink = SAC_INK_ACCENT, .labels = queries},
                  {SAC_MARK_ARROWS, 0, .since = 1, .before = 2, .y = a->k1, .ink = SAC_INK_GREEN},
                  {SAC_MARK_ARROWS, 0, .since = 1, .before = 2, .y = a->q1, .ink = SAC_INK_GREEN,
                   .name = N_("of length 1")},
                  {SAC_MARK_BARS, 1, .y = a->by_dot, .ink = SAC_INK_ACCENT, .name = N_("dot")},
                  {SAC_MARK_BARS, 1, .since = 1, .y = a->by_cosine, .ink = SAC_INK_GREEN,
                   .name = N_("cosine")},
                  {SAC_MARK_BARS, 1, .since = 2, .y = a->by_gaussian, .ink = SAC_INK_BLUE,
                   .name = N_("Gaussian")}},
        .handle_count = 1,
        .handles = {{.x = {a->q, 0},
                     .y = {a->q, 1},
                     .sets_x = {.number = {a->query, 0}},
                     .sets_y = {.number = {a->query, 1}},
                     .does = N_("Drag the query, or move it by the arrow keys.")}}};
    size_t count = sac_node_size(g, a->key, 0);
    drawing.panels[1].x_high = (float)count - 0.4f;
    for (size_t i = 0; i < count && drawing.handle_count < SAC_DRAWING_HANDLES; i++)
        drawing.handles[drawing.handle_count++] =
            (sac_drawing_handle){.x = {a->k, 2 * i},
                                 .y = {a->k, 2 * i + 1},
                                 .sets_x = {.number = {a->key, 2 * i}},
                                 .sets_y = {.number = {a->key, 2 * i + 1}},
                                 .quiet = true,
                                 .does = N_("Drag this key, or move it by the arrow keys.")};
    sac_lesson_add_drawing(l, &drawing, 0, 2);
}

static void build(sac_lesson *l)
{
    static const float queries[] = {1, 0.6f}, keys[] = {1.3f, 0.3f, 1.2f, 3, -1, 0.5f};
    sac_graph *g = &l->graph;
    sac_node query = sac_lesson_given(l, "query", SAC_MATRIX(1, 2), queries);
    sac_node key = sac_lesson_given(l, "key", SAC_MATRIX(3, 2), keys);
    sac_node q1 = unit_rows(g, "query.length", "query.unit", query);
    sac_node k1 = unit_rows(g, "key.length", "key.unit", key);
    bool unit = sac_lesson_value(l, "unit") != 0;
    sac_node q = unit ? q1 : query, k = unit ? k1 : key;
    sac_node dot = sac_matmul_t(g, "score.dot", q, k);
    sac_node cosine = sac_matmul_t(g, "score.cosine", q1, k1);
    sac_node gaussian = sac_apply(g, SAC_OP_GAUSSIAN, "score.gaussian", q, k, 0, 1, 0);
    sac_node by_dot = sac_softmax(g, "weights.dot", dot);
    sac_node by_cosine = sac_softmax(g, "weights.cosine", cosine);
    sac_node by_gaussian = sac_softmax(g, "weights.gaussian", gaussian);
    SAC_LESSON_STEP(l, steps[0], q, k, dot, by_dot);
    SAC_LESSON_STEP(l, steps[1], q1, k1, cosine, by_cosine);
    SAC_LESSON_STEP(l, steps[2], q, k, gaussian, by_gaussian);
    add_drawings(l, &(arrays){query, key, q, k, q1, k1, by_dot, by_cosine, by_gaussian});
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("All vectors are brought to length 1. What happens to the weight of the "
                "second key under the dot product?"),
     .cell = "weights.dot,0,1",
     .after = "unit=1",
     .why = N_("It won by its length, and that is gone.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("When do dot product, cosine and Gaussian give the same order of keys?"),
     .cell = "weights.dot,0,0",
     .reasons = {{N_("when all vectors have length 1")},
                 {N_("always")},
                 {N_("when no number is negative")}},
     .why = N_("For length 1 the dot product is the cosine, and −½|q − k|² is q·k − 1.")},
    {0},
};

const sac_lesson_class sac_lesson_similarity = {
    .name = "similarity",
    .title = N_("Score means similarity"),
    .summary = N_("dot, cosine and Gaussian: equal on unit vectors only"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
