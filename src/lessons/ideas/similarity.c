/* A lesson on dot product, cosine and Gaussian as similarities: they give the same order on unit
 * vectors only. */
#include "lessons/ideas/lessons.h"

static const sac_lesson_parameter parameters[] = {
    {"unit", SAC_TEXT_IN("unit vectors", "单位向量"), 0, 1, 0, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = SAC_TEXT_IN("dot", "点积"),
     .sentence = SAC_TEXT_IN("The dot product grows with the angle's cosine and with both lengths.",
                             "点积既随夹角的余弦增大，也随两者的长度增大。"),
     .formula = "q·k = |q| |k| cos φ",
     .notice = SAC_TEXT_IN("The long second key wins, although the first one points more "
                           "nearly where the query points.",
                           "长的第二个键胜出，尽管第一个键方向更接近查询。"),
     .code = "dot = query @ key.T",
     .questions = {{SAC_ASK_LARGEST, 2,
                    SAC_TEXT_IN("A long key can win by its length alone.",
                                "长的键可以只凭长度取胜。")}}},
    {.name = SAC_TEXT_IN("cosine", "余弦"),
     .sentence = SAC_TEXT_IN("Divided by both lengths, only the direction counts.",
                             "除以两个长度之后，只剩方向。"),
     .formula = "cos φ = q·k / (|q| |k|)",
     .notice = SAC_TEXT_IN("Now the first key wins. The dot product is the cosine for "
                           "vectors of length 1 only.",
                           "现在第一个键胜出。只有长度为 1 时，点积才是余弦。"),
     .code = "cosine = F.normalize(query, dim=-1) @ F.normalize(key, dim=-1).T",
     .questions = {{SAC_ASK_LARGEST, 2,
                    SAC_TEXT_IN("The direction alone decides.", "只由方向决定。")}}},
    {.name = SAC_TEXT_IN("gaussian", "高斯"),
     .sentence = SAC_TEXT_IN("The Gaussian score asks how far apart the two ends are.",
                             "高斯分数看两个端点相距多远。"),
     .formula = "−½ |q − k|² = q·k − ½|q|² − ½|k|²",
     .notice = SAC_TEXT_IN("For unit vectors it is q·k − 1: the softmax then gives the same "
                           "shares as the dot product.",
                           "对单位向量，它等于 q·k − 1：softmax 之后与点积的份额相同。"),
     .code = "gaussian = -((query[:, None] - key[None]) ** 2).sum(-1) / 2",
     .questions = {{SAC_ASK_VALUE, 2,
                    SAC_TEXT_IN("Half the squared distance, with a minus.",
                                "距离平方的一半，取负。")}}},
};

/* Rows divided by their lengths. */
static sac_node unit_rows(sac_graph *g, const char *length, const char *name, sac_node a)
{
    return sac_apply(g, SAC_OP_DIVIDE, name, a, sac_apply(g, SAC_OP_LENGTH, length, a, 0, 0, 0, 0),
                     0, 0, 0);
}

static void build(sac_lesson *l)
{
    static const float queries[] = {1, 0.5f}, keys[] = {1, 0.4f, 3, 3, -1, 0.5f};
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
}

const sac_lesson_class sac_lesson_similarity = {
    .name = "similarity",
    .title = SAC_TEXT_IN("Score means similarity", "分数就是相似度"),
    .summary = SAC_TEXT_IN("dot, cosine and Gaussian: equal on unit vectors only",
                           "点积、余弦、高斯：只在单位向量上一致"),
    .parameters = parameters,
    .build = build,
};
