/* One attention, step by step: scores, scale, mask, softmax, dropout, the weighted sum. Three
 * queries that are the keys too, small enough for paper. */
#include <math.h>

#include "lessons/ideas/lessons.h"

static const sac_lesson_parameter parameters[] = {
    {"causal", SAC_TEXT_IN("causal mask", "因果掩码"), 0, 1, 1, true},
    {"scaled", SAC_TEXT_IN("divide by √d", "除以 √d"), 0, 1, 1, true},
    {"temperature", SAC_TEXT_IN("temperature", "温度"), 0.05f, 20, 1, false},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = SAC_TEXT_IN("scores", "分数"),
     .sentence = SAC_TEXT_IN(
         "Each score is the dot product of a query and a key: multiply number by number, then add.",
         "每个分数是查询与键的点积：逐个相乘，再相加。"),
     .formula = "S = Q Kᵀ",
     .notice = SAC_TEXT_IN("A key that points in the direction of the query gets a high score.",
                           "与查询方向一致的键得分高。"),
     .code = "scores = query @ key.transpose(-2, -1)"},
    {.name = SAC_TEXT_IN("scale", "缩放"),
     .sentence =
         SAC_TEXT_IN("The scores are divided by √d, where d is the number of entries in a query.",
                     "分数除以 √d，d 是查询的维数。"),
     .formula = "S / √d",
     .notice = SAC_TEXT_IN("Otherwise scores would grow with d.", "否则分数会随 d 增大。"),
     .code = "scaled = scores / math.sqrt(query.shape[-1])"},
    {.name = SAC_TEXT_IN("mask", "掩码"),
     .sentence =
         SAC_TEXT_IN("A key that a query may not see gets the score −∞: here every later key.",
                     "查询不可见的键，分数设为 −∞：这里是排在后面的键。"),
     .formula = "S[i,j] = −∞, j > i",
     .notice = SAC_TEXT_IN("A score of 0 would not block it.", "分数为 0 并不能屏蔽。"),
     .code = "masked = scaled.masked_fill(blocked, -math.inf)"},
    {.name = SAC_TEXT_IN("softmax", "softmax"),
     .sentence = SAC_TEXT_IN("The softmax turns each row into attention weights: exp of each "
                             "score, divided by the sum of the row.",
                             "softmax 把每一行变成注意力权重：对每个分数取 exp，再除以该行之和。"),
     .formula = "P[i,j] = exp(S[i,j]) / Σ exp(S[i,k])",
     .notice = SAC_TEXT_IN("Each row adds up to 1, and a score of −∞ gives a weight of exactly 0.",
                           "每行之和为 1，分数 −∞ 得到的权重恰好为 0。"),
     .code = "weights = masked.softmax(-1)",
     .questions = {{SAC_ASK_LARGEST, 1,
                    SAC_TEXT_IN("The largest score gets the largest weight.",
                                "分数最大者，权重最大。")},
                   {SAC_ASK_COUNT, 1,
                    SAC_TEXT_IN("A masked score of −∞ gives the weight 0.",
                                "被屏蔽的分数 −∞ 得到权重 0。")}}},
    {.name = SAC_TEXT_IN("output", "输出"),
     .sentence = SAC_TEXT_IN("The output is the mean of the values, weighted by the row.",
                             "输出是按该行权重加权的平均值。"),
     .formula = "Y = P V",
     .notice = SAC_TEXT_IN("It never leaves the range of the values.", "它不会超出值的范围。"),
     .code = "output = weights @ value",
     .questions = {{SAC_ASK_VALUE, 2,
                    SAC_TEXT_IN("Each value times its weight, added up.",
                                "每个值乘以权重，再相加。")}}},
};

typedef struct arrays {
    sac_node query, key, value, scores, scaled, blocked, masked, weights, kept, dropped, output;
} arrays;

/* The scores of a row as bars before the mask and after it: of the row before the last, since a causal mask
 * takes nothing from the last. */
static void draw_mask(sac_lesson *l, const arrays *a)
{
    sac_graph *g = &l->graph;
    size_t rows = sac_node_size(g, a->scores, 0), row = rows > 1 ? rows - 2 : 0;
    sac_node scaled = sac_sliced(g, "row.scaled", a->scaled, row, 1);
    sac_node masked = sac_sliced(g, "row.masked", a->masked, row, 1);
    const sac_lesson_drawing drawing = {
        .panel_count = 1,
        .panels = {{.title = rows > 1 ? SAC_TEXT("The row before the last", "倒数第二行")
                                      : SAC_TEXT("The row", "这一行"),
                    .categories = scaled,
                    .x = SAC_TEXT_IN("key", "键")}},
        .mark_count = 2,
        .marks = {{SAC_MARK_BARS, 0, .y = scaled, .ink = SAC_INK_GREEN,
                   .name = SAC_TEXT_IN("scaled", "缩放后")},
                  {SAC_MARK_BARS, 0, .y = masked, .ink = SAC_INK_ACCENT,
                   .name = SAC_TEXT_IN("masked", "掩码后")}}};
    sac_lesson_draw(l, &drawing, 2, 2);
}

/* Scores of the last row as bars, and beside them what the softmax makes of them; then the shares over
 * the temperature, which is dragged. */
static void draw(sac_lesson *l, const arrays *a)
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
    size_t last = sac_node_size(g, a->scores, 0) - 1;
    sac_node scores = sac_sliced(g, "last.scores", a->scores, last, 1);
    sac_node scaled = sac_sliced(g, "last.scaled", a->scaled, last, 1);
    sac_node masked = sac_sliced(g, "last.masked", a->masked, last, 1);
    sac_node shares = sac_sliced(g, "last.weights", a->weights, last, 1);
    sac_node at = sac_given(g, "temperatures", SAC_MATRIX(1, TEMPERATURES), degrees);
    sac_node by = sac_given(g, "temperatures.factor", SAC_MATRIX(TEMPERATURES, 1), factors);
    sac_node cooled = sac_matmul(g, "scores.at", by, masked);
    sac_node curves = sac_transposed(g, "shares.over", sac_softmax(g, "shares.at", cooled));
    sac_node temperature = sac_given(g, "temperature", SAC_MATRIX(1, 1), &now);
    sac_lesson_drawing drawing = {
        .panel_count = 2,
        .panels = {{.title = SAC_TEXT_IN("The last row", "最后一行"),
                    .categories = scores,
                    .x = SAC_TEXT_IN("key", "键")},
                   {.title = SAC_TEXT_IN("Its weights at each temperature", "各温度下的权重"),
                    .x = SAC_TEXT_IN("temperature", "温度"),
                    .x_low = 0.05f,
                    .x_high = 20,
                    .x_by_ratio = true,
                    .y_low = 0,
                    .y_high = 1.05f,
                    .since = 3}},
        .mark_count = 5,
        .marks = {{SAC_MARK_BARS, 0, .before = 2, .y = scores, .ink = SAC_INK_BLUE,
                   .name = SAC_TEXT_IN("scores", "分数")},
                  {SAC_MARK_BARS, 0, .since = 1, .y = scaled, .ink = SAC_INK_GREEN,
                   .name = SAC_TEXT_IN("scaled", "缩放后")},
                  {SAC_MARK_BARS, 0, .since = 3, .y = shares, .ink = SAC_INK_ACCENT,
                   .name = SAC_TEXT_IN("weights", "权重")},
                  {SAC_MARK_RULE, 1, .x = temperature, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_LINE, 1, .x = at, .y = curves}},
        .handle_count = 1,
        .handles = {{.panel = 1,
                     .since = 3,
                     .x = {temperature, 0},
                     .sets_x = {.parameter = "temperature"},
                     .does = SAC_TEXT_IN(
                         "Drag the temperature: low, one key takes all; high, all are alike.",
                         "拖动温度：低时一个键独占，高时各键相同。")}}};
    sac_lesson_draw(l, &drawing, 0, 1);
    draw_mask(l, a);
    sac_lesson_draw(l, &drawing, 3, 4);
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
    draw(l, &a);
}

const sac_lesson_class sac_lesson_step_by_step = {
    .name = "step-by-step",
    .title = SAC_TEXT_IN("One attention, step by step", "一步一步看注意力"),
    .summary = SAC_TEXT_IN("scores, scale, mask, softmax and the weighted sum, on paper's scale",
                           "分数、缩放、掩码、softmax、加权和：小到能用纸算"),
    .parameters = parameters,
    .asks = sac_asks_step_by_step,
    .build = build,
};
