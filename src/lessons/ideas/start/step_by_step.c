/* One attention, step by step: scores, scale, mask, softmax, dropout, the weighted sum. Three
 * queries that are the keys too, small enough for paper. */
#include <math.h>

#include "lessons/ideas/lessons.h"

static const sac_lesson_parameter parameters[] = {
    {"causal", N_("causal mask"), 0, 1, 1, true},
    {"scaled", N_("divide by √d"), 0, 1, 1, true},
    {"temperature", N_("temperature"), 0.05f, 20, 1, false},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("scores"),
     .sentence = N_("Each score is the dot product of a query and a key: multiply number by "
                    "number, then add."),
     .formula = "S = Q Kᵀ",
     .notice = N_("A key that points in the direction of the query gets a high score."),
     .code = "scores = query @ key.transpose(-2, -1)",
     .cell = "scores,1,1"},
    {.name = NC_("to divide", "scale"),
     .sentence = N_("The scores are divided by √d, where d is the number of entries in a query."),
     .formula = "S / √d",
     .notice =
         N_("Otherwise scores would grow with d; a fixed scale such as 64^−½ fits d = 64 alone."),
     .code = "scaled = scores / math.sqrt(query.shape[-1])   # `if scale:` takes 0 and None for no "
             "scale",
     .cell = "scaled,1,1"},
    {.name = N_("mask"),
     .sentence = N_("A key that a query may not see gets the score −∞: here every later key."),
     .formula = "S[i,j] = −∞, j > i",
     .notice = N_("A score of 0 would not block it."),
     .code = "masked = scaled.masked_fill(blocked, -math.inf)",
     .cell = "masked,1,2"},
    {.name = N_("softmax"),
     .sentence = N_("The softmax turns each row into attention weights: exp of each "
                    "score, divided by the sum of the row."),
     .formula = "P[i,j] = exp(S[i,j]) / Σ exp(S[i,k])",
     .notice = N_("Each row adds up to 1, and a score of −∞ gives a weight of exactly 0."),
     .code = "weights = masked.softmax(-1)",
     .cell = "weights,1,1",
     .questions = {{SAC_ASK_LARGEST, 1, N_("The largest score gets the largest weight.")},
                   {SAC_ASK_COUNT, 1, N_("A masked score of −∞ gives the weight 0.")}}},
    {.name = N_("output"),
     .sentence = N_("The output is the mean of the values, weighted by the row."),
     .formula = "Y = P V",
     .notice = N_("It never leaves the range of the values."),
     .code = "output = weights @ value",
     .cell = "output,1,0",
     .questions = {{SAC_ASK_VALUE, 2, N_("Each value times its weight, added up.")}}},
};

typedef struct arrays {
    sac_node query, key, value, scores, scaled, blocked, masked, weights, kept, dropped, output;
} arrays;

/* The scores of a row as bars, what the scale, the mask and the softmax make of them one after the other,
 * and the output as a mean of the values; then the weights over the temperature, which is dragged. It is the
 * row before the last, since a causal mask takes nothing from the last. */
static void add_drawings(sac_lesson *l, const arrays *a)
{
    enum { TEMPERATURES = 81 };
    sac_graph *g = &l->graph;
    float now = sac_lesson_value(l, "temperature"), degrees[TEMPERATURES], factors[TEMPERATURES];
    for (int i = 0; i < TEMPERATURES; i++) {
        degrees[i] = (float)(0.05 * pow(400, i / (TEMPERATURES - 1.0)));
        factors[i] = now / degrees[i]; /* `masked` is divided by the temperature already */
    }
    if (!a->weights)
        return;
    size_t rows = sac_node_size(g, a->scores, 0), row = rows > 1 ? rows - 2 : 0;
    sac_node scores = sac_sliced(g, "row.scores", a->scores, row, 1);
    sac_node scaled = sac_sliced(g, "row.scaled", a->scaled, row, 1);
    sac_node masked = sac_sliced(g, "row.masked", a->masked, row, 1);
    sac_node shares = sac_sliced(g, "row.weights", a->weights, row, 1);
    sac_node at = sac_given(g, "temperatures", SAC_MATRIX(1, TEMPERATURES), degrees);
    sac_node by = sac_given(g, "temperatures.factor", SAC_MATRIX(TEMPERATURES, 1), factors);
    sac_node cooled = sac_matmul(g, "scores.at", by, masked);
    sac_node curves = sac_transposed(g, "shares.over", sac_softmax(g, "shares.at", cooled));
    sac_node temperature = sac_given(g, "temperature", SAC_MATRIX(1, 1), &now);
    sac_lesson_drawing drawing = {
        .panel_count = 2,
        .panels = {{.title = rows > 1 ? N_("The row before the last") : N_("The row"),
                    .categories = scores,
                    .x = N_("key")},
                   {.title = N_("Its weights at each temperature"),
                    .x = N_("temperature"),
                    .x_low = 0.05f,
                    .x_high = 20,
                    .x_by_ratio = true,
                    .y_low = 0,
                    .y_high = 1.05f,
                    .since = 3}},
        .mark_count = 6,
        .marks = {{SAC_MARK_BARS, 0, .before = 2, .y = scores, .ink = SAC_INK_BLUE,
                   .name = N_("scores")},
                  {SAC_MARK_BARS, 0, .since = 1, .before = 3, .y = scaled, .ink = SAC_INK_GREEN,
                   .name = N_("scaled")},
                  {SAC_MARK_BARS, 0, .since = 2, .before = 4, .y = masked, .ink = SAC_INK_BLUE,
                   .name = NC_("the scores", "masked")},
                  {SAC_MARK_BARS, 0, .since = 3, .y = shares, .ink = SAC_INK_ACCENT,
                   .name = N_("weights")},
                  {SAC_MARK_RULE, 1, .x = temperature, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_LINE, 1, .x = at, .y = curves, .name = N_("key")}},
        .handle_count = 1,
        .handles = {
            {.panel = 1,
             .since = 3,
             .x = {temperature, 0},
             .sets_x = {.parameter = "temperature"},
             .does = N_("Drag the temperature: low, one key takes all; high, all are alike.")}}};
    sac_lesson_add_drawing(l, &drawing, 0, 3);
    /* The values, and where their mean by these weights lies. */
    drawing.panels[1] =
        (sac_drawing_panel){.title = N_("The values, and their mean by these weights"),
                            .x = N_("key"),
                            .categories = scores};
    drawing.mark_count = 6;
    drawing.handle_count = 0;
    drawing.marks[4] = (sac_drawing_mark){
        SAC_MARK_BARS, 1, .y = sac_transposed(g, "values.row", a->value), .ink = SAC_INK_BLUE};
    drawing.marks[5] =
        (sac_drawing_mark){SAC_MARK_RULE, 1, .y = sac_sliced(g, "row.output", a->output, row, 1),
                           .ink = SAC_INK_ACCENT, .name = N_("output")};
    sac_lesson_add_drawing(l, &drawing, 4, 4);
}

static void build(sac_lesson *l)
{
    arrays a;
    static const float vectors[] = {1, 0, 0, 1, 1, 1}, values[] = {1, 2, 3};
    sac_graph *g = &l->graph;
    a.query = sac_lesson_given(l, "query", SAC_MATRIX(3, 2), vectors);
    a.key = sac_lesson_given(l, "key", SAC_MATRIX(3, 2), vectors);
    a.value = sac_lesson_given(l, "value", SAC_MATRIX(3, 1), values);
    size_t rows = sac_node_size(g, a.query, 0), keys = sac_node_size(g, a.key, 0);
    size_t d = sac_node_size(g, a.query, 1);
    float scale = sac_lesson_value(l, "scaled") != 0 ? 1 / sqrtf((float)d) : 1;
    a.scores = sac_matmul_t(g, "scores", a.query, a.key);
    a.scaled = sac_times(g, "scaled", a.scores, scale / sac_lesson_value(l, "temperature"));
    a.blocked = sac_lesson_blocked(l, "blocked", rows, keys, sac_lesson_value(l, "causal") != 0);
    a.masked = sac_masked(g, "masked", a.scaled, a.blocked);
    a.weights = sac_softmax(g, "weights", a.masked);
    a.output = sac_matmul(g, "output", a.weights, a.value);
    SAC_LESSON_STEP(l, steps[0], a.query, a.key, a.scores);
    SAC_LESSON_STEP(l, steps[1], a.scores, a.scaled);
    SAC_LESSON_STEP(l, steps[2], a.scaled, a.blocked, a.masked);
    SAC_LESSON_STEP(l, steps[3], a.masked, a.weights);
    SAC_LESSON_STEP(l, steps[4], a.weights, a.value, a.output);
    add_drawings(l, &a);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_(
         "The temperature rises from 1 to 4. What happens to the largest weight of the last row?"),
     .cell = "weights,2,2",
     .after = "temperature=4",
     .why = N_("A high temperature brings the scores closer together, and the row gets flatter.")},
    {.kind = SAC_ASK_GAINS,
     .text = N_(
         "The scores are no longer divided by √d. Which column of the last row of weights gains?"),
     .cell = "weights,2,0",
     .after = "scaled=0",
     .why =
         N_("Without the division the scores lie farther apart, and the largest one takes more.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("Why does a blocked key get the score −∞ and not 0?"),
     .cell = "weights,0,1",
     .reasons = {{N_("exp(−∞) is 0, so that its weight is exactly 0"), "weights,0,1", '=', "0"},
                 {N_("a score of 0 would already give the weight 0"), "weights,1,0", '=', "0"},
                 {N_("the row of weights would no longer add up to 1")}},
     .why = N_("A score of 0 is a score like any other: exp(0) is 1.")},
    {0},
};

const sac_lesson_class sac_lesson_step_by_step = {
    .name = "step-by-step",
    .title = N_("One attention, step by step"),
    .summary = N_("scores, scale, mask, softmax and the weighted sum, on paper's scale"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
