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
     .sentence = SAC_TEXT_IN("Every query is compared with every key: their numbers are "
                             "multiplied in pairs and added.",
                             "每个查询与每个键逐一比较：对应的数相乘，再相加。"),
     .formula = "S = Q Kᵀ",
     .notice = SAC_TEXT_IN("A key that points where the query points scores high.",
                           "键与查询方向越一致，分数越高。"),
     .code = "scores = query @ key.transpose(-2, -1)"},
    {.name = SAC_TEXT_IN("scale", "缩放"),
     .sentence = SAC_TEXT_IN(
         "The scores are divided by √d, the square root of how many numbers a query has.",
         "分数除以 √d，d 是查询的维数。"),
     .formula = "S / √d",
     .notice = SAC_TEXT_IN("Sums of more products are larger; the division takes that back.",
                           "相加的乘积越多，和就越大；除以 √d 正好抵消。"),
     .code = "scaled = scores / math.sqrt(query.shape[-1])"},
    {.name = SAC_TEXT_IN("mask", "掩码"),
     .sentence = SAC_TEXT_IN(
         "What a query may not see gets the score −∞: here every key that comes after it.",
         "查询不可见的键，分数设为 −∞：这里是排在它之后的所有键。"),
     .formula = "S[i,j] = −∞, j > i",
     .notice = SAC_TEXT_IN("−∞ and not 0: a score of 0 is a score like any other.",
                           "是 −∞ 而不是 0：0 也是一个普通的分数。"),
     .code = "masked = scaled.masked_fill(blocked, -math.inf)"},
    {.name = SAC_TEXT_IN("softmax", "softmax"),
     .sentence = SAC_TEXT_IN(
         "Each row becomes a set of shares: exp of every score, divided by the row's sum.",
         "每一行变成一组份额：对每个分数取 exp，再除以该行之和。"),
     .formula = "P[i,j] = exp(S[i,j]) / Σ exp(S[i,k])",
     .notice = SAC_TEXT_IN(
         "Every share is positive, each row adds up to 1, and what was −∞ is exactly 0.",
         "所有份额为正，每行之和为 1，原来的 −∞ 恰好变成 0。"),
     .code = "weights = masked.softmax(-1)",
     .questions =
         {{SAC_ASK_LARGEST, 1,
           SAC_TEXT_IN("The largest score gets the largest share.", "分数最大者，份额最大。")},
          {SAC_ASK_COUNT, 1,
           SAC_TEXT_IN("A masked score of −∞ gives the share 0.", "被掩住的 −∞ 得到份额 0。")}}},
    {.name = SAC_TEXT_IN("output", "输出"),
     .sentence = SAC_TEXT_IN("The output is a mean of the values, each as heavy as its share.",
                             "输出是各个值按份额加权的平均。"),
     .formula = "Y = P V",
     .notice =
         SAC_TEXT_IN("An output never leaves the range of the values: it is a mixture of them.",
                     "输出不会超出值的范围：它是这些值的混合。"),
     .code = "output = weights @ value",
     .questions = {{SAC_ASK_VALUE, 2,
                    SAC_TEXT_IN("Each value times its share, added up.",
                                "每个值乘以份额，再相加。")}}},
};

typedef struct arrays {
    sac_node query, key, value, scores, scaled, blocked, masked, weights, kept, dropped, output;
} arrays;

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
}

const sac_lesson_class sac_lesson_step_by_step = {
    .name = "step-by-step",
    .title = SAC_TEXT_IN("One attention, step by step", "一步一步看注意力"),
    .summary = SAC_TEXT_IN("scores, scale, mask, softmax and the weighted sum, on paper's scale",
                           "分数、缩放、掩码、softmax、加权和：小到能用纸算"),
    .parameters = parameters,
    .build = build,
};
