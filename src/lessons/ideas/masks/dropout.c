/* A lesson on dropout of the weights: some become 0 and the others grow, so that the mean stays. */
#include <math.h>

#include "base/random/random.h"
#include "lessons/ideas/lessons.h"

enum { DRAWS = 64 };

static const sac_lesson_parameter parameters[] = {
    {"p", N_("probability p"), 0, 0.9f, 0.5f, false},
    {"draw", N_("which draw"), 0, DRAWS - 1, 0, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("before"),
     .sentence = N_("The softmax gives a row of weights, and the output is the mean of "
                    "the values weighted by it."),
     .formula = "Y = P V",
     .code = "output = weights @ value",
     .notice = N_("The row adds up to 1.")},
    {.name = NC_("by dropout", "dropped"),
     .sentence =
         N_("Each weight becomes 0 with probability p, and the others are divided by 1 − p."),
     .formula = "P' = P · kept / (1 − p)",
     .notice = N_("A single draw usually does not add up to 1; code keeps the row before dropout, "
                  "or this one, to show."),
     .code = "dropped = weights * kept / (1 - p)   # F.dropout(weights, p) draws `kept`",
     .questions = {{SAC_ASK_COUNT, 2, N_("What was not kept is 0.")}}},
    {.name = N_("output"),
     .sentence = N_("The values are added up with the weights that are left."),
     .formula = "Y' = P' V",
     .notice = N_("Dropout is used only in training; afterwards no weight is dropped."),
     .code = "output = dropped @ value",
     .questions = {{SAC_ASK_VALUE, 2, N_("Each value times what is left of its weight.")}}},
    {.name = N_("mean"),
     .sentence = N_("The mean output of 64 random draws, beside the output without dropout."),
     .formula = "mean Y' → Y",
     .code = "outputs = weights * kept_all / (1 - p) @ value\n"
             "mean_output = outputs.mean()",
     .notice = N_("They nearly agree, because of the division by 1 − p.")},
};

typedef struct arrays {
    sac_node weights, value, kept, raised, dropped, sum, output, outputs, mean_output, plain_output;
} arrays;

static void add_arrays(sac_lesson *l, arrays *a)
{
    static const float row[] = {0.5312f, 0.3526f, 0.1162f}, values[] = {1, 2, 3};
    sac_graph *g = &l->graph;
    float p = sac_lesson_value(l, "p"), factor = 1 / (1 - p);
    a->weights = sac_lesson_given(l, "weights", SAC_MATRIX(1, 3), row);
    a->value = sac_lesson_given(l, "value", SAC_MATRIX(3, 1), values);
    if (!a->weights)
        return;
    /* [DRAWS,keys]: 1 where a weight is kept. The first draw keeps the first and the
     * third. */
    size_t keys = sac_node_size(g, a->weights, 1);
    float kept[DRAWS * SAC_LESSON_COLUMNS];
    for (size_t i = 0; i < DRAWS * keys; i++)
        kept[i] = sac_philox_uniform((uint32_t)i, 0, 13) >= p;
    for (size_t k = 0; k < keys && p > 0; k++)
        kept[k] = k % 2 == 0;
    sac_node all = sac_given(&l->graph, "kept_all", SAC_MATRIX(DRAWS, keys), kept);
    a->kept = sac_sliced(g, "kept", all, (size_t)sac_lesson_value(l, "draw"), 1);
    a->raised = sac_times(g, "raised", a->weights, factor);
    a->dropped = sac_binary(g, SAC_OP_MULTIPLY, "dropped", a->raised, a->kept);
    a->sum = sac_unary(g, SAC_OP_SUM, "sum", a->dropped);
    a->output = sac_matmul(g, "output", a->dropped, a->value);
    a->plain_output = sac_matmul(g, "plain_output", a->weights, a->value);
    sac_node dropped_all = sac_binary(g, SAC_OP_MULTIPLY, "dropped_all", all, a->raised);
    sac_node outputs = sac_matmul(g, "output_all", dropped_all, a->value);
    a->outputs = sac_transposed(g, "outputs", outputs);
    a->mean_output = sac_unary(g, SAC_OP_MEAN, "mean_output", a->outputs);
}

/* The row before and after; then the output of every draw, of which one is dragged, and their mean. */
static void add_drawings(sac_lesson *l, const arrays *a)
{
    sac_graph *g = &l->graph;
    float number = sac_lesson_value(l, "draw"), most = 0;
    if (!a->outputs)
        return;
    for (size_t i = 0; i < sac_node_size(g, a->weights, 1); i++)
        most = fmaxf(most, sac_graph_array(g, a->weights)->numbers[i]);
    sac_node draw = sac_given(g, "draw", SAC_MATRIX(1, 1), &number);
    sac_lesson_drawing drawing = {
        .plays = "draw",
        .play_count = 8,
        .plays_since = 1,
        .panel_count = 2,
        .panels = {{.title = N_("The weights"),
                    .categories = a->weights,
                    .x = N_("key"),
                    .y_high = 1.25f * fmaxf(most / (1 - sac_lesson_value(l, "p")), 1)},
                   {.title = N_("The output of each draw"),
                    .x = N_("draw"),
                    .since = 2,
                    .x_low = -3,
                    .x_high = DRAWS}},
        .mark_count = 7,
        .marks = {{SAC_MARK_BARS, 0, .y = a->weights, .ink = SAC_INK_BLUE, .name = N_("before")},
                  {SAC_MARK_BARS, 0, .since = 1, .y = a->dropped, .ink = SAC_INK_ACCENT,
                   .name = N_("dropped or raised")},
                  {SAC_MARK_RULE, 1, .y = a->plain_output, .ink = SAC_INK_BLUE,
                   .name = N_("without dropout")},
                  {SAC_MARK_RULE, 1, .since = 3, .y = a->mean_output, .ink = SAC_INK_GREEN,
                   .name = N_("mean of all")},
                  {SAC_MARK_RULE, 1, .x = draw, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_POINTS, 1, .y = a->outputs, .ink = SAC_INK_PLAIN},
                  {SAC_MARK_POINTS, 1, .x = draw, .y = a->output, .ink = SAC_INK_ACCENT}},
        .handle_count = 1,
        .handles = {{.panel = 1,
                     .since = 2,
                     .x = {draw, 0},
                     .sets_x = {.parameter = "draw"},
                     .does = N_("Drag through the draws: each drops other weights.")}}};
    sac_lesson_add_drawing(l, &drawing, 0, 3);
}

static void build(sac_lesson *l)
{
    arrays a = {0};
    add_arrays(l, &a);
    sac_graph_share_colors(&l->graph, a.mean_output, a.plain_output);
    sac_graph_share_colors(&l->graph, a.weights, a.dropped);
    SAC_LESSON_STEP(l, steps[0], a.weights, a.value, a.plain_output);
    SAC_LESSON_STEP(l, steps[1], a.weights, a.kept, a.dropped, a.sum);
    SAC_LESSON_STEP(l, steps[2], a.dropped, a.value, a.output);
    SAC_LESSON_STEP(l, steps[3], a.mean_output, a.plain_output);
    add_drawings(l, &a);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Why are the weights that stay divided by 1 − p?"),
     .cell = "dropped,0,0",
     .reasons = {{N_("so that the mean of the output is what it is without dropout")},
                 {N_("so that each row adds up to 1 again"), "sum,0,0", '=', "1"},
                 {N_("so that no weight is larger than 1"), "dropped,0,0", '<', "1"}},
     .why = N_("A weight stays with probability 1 − p, and (1 − p) · 1 / (1 − p) = 1.")},
    {.kind = SAC_ASK_WAY,
     .text = N_(
         "p falls from 0.5 to 0, so that nothing is dropped. What happens to the sum of the row?"),
     .cell = "sum,0,0",
     .after = "p=0",
     .why = N_("Without dropout a row of weights adds up to 1; what it adds up to with "
               "dropout depends on the draw.")},
    {.kind = SAC_ASK_WAY,
     .text = N_("p rises from 0.5 to 0.8. What happens to the output when the network is "
                "used, and not trained?"),
     .cell = "plain_output,0,0",
     .after = "p=0.8",
     .why = N_("Dropout is for training alone: later all weights count.")},
    {0},
};

const sac_lesson_class sac_lesson_dropout = {
    .name = "dropout",
    .title = N_("Dropout on the weights"),
    .summary = N_("a row that no longer adds up to 1, and a mean that stays"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
