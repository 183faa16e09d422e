/* The five scores side by side. Keys that are all the same make every answer independent of the
 * weights that were drawn: the plain mean of what a mask leaves. */
#include <math.h>
#include <stdlib.h>

#include "base/random/torch_random.h"
#include "lessons/ideas/lessons.h"

enum { BATCH = 2, KEYS = 10, LONG = 20, SHORT = 2, VALUES = 4, HIDDEN = 8 };

static const sac_lesson_parameter parameters[] = {
    {"masked", SAC_TEXT_IN("valid lengths 2 and 6", "有效长度 2 和 6"), 0, 1, 1, true},
    {0},
};

/* Equal keys make the answer to every question the same. */
#define QUESTION                                                                                   \
    {                                                                                              \
        {                                                                                          \
            SAC_ASK_VALUE, 4,                                                                      \
                SAC_TEXT_IN("Equal keys give equal shares: the plain mean of the open values.",    \
                            "键都相同，份额就相同：开放的值的平均。")                              \
        }                                                                                          \
    }

enum { TAUGHT = SAC_SCORE_GAUSSIAN + 1 }; /* a score that comes later is no part of the lesson */

static const sac_score taught[TAUGHT] = {SAC_SCORE_DOT, SAC_SCORE_SCALED_DOT, SAC_SCORE_ADDITIVE,
                                         SAC_SCORE_BILINEAR, SAC_SCORE_GAUSSIAN};

static const sac_lesson_step steps[TAUGHT] = {
    [SAC_SCORE_DOT] = {.name = SAC_TEXT_IN("dot", "点积"),
                       .sentence = SAC_TEXT_IN(
                           "The numbers of query and key are multiplied in pairs and added.",
                           "查询与键的数成对相乘再相加。"),
                       .formula = "a(q,k) = q·k",
                       .code =
                           "scores = q @ key.transpose(1, 2)   # q is a query of the key's size",
                       .notice = SAC_TEXT_IN("No parameters; query and key must be of one size.",
                                             "没有参数；查询与键的维数必须相同。"),
                       .questions = QUESTION},
    [SAC_SCORE_SCALED_DOT] = {.name = SAC_TEXT_IN("scaled dot", "缩放点积"),
                              .sentence =
                                  SAC_TEXT_IN("The same, divided by the square root of the size.",
                                              "同上，再除以维数的平方根。"),
                              .formula = "a(q,k) = q·k / √d",
                              .code = "scores = q @ key.transpose(1, 2) / math.sqrt(q.shape[-1])",
                              .notice = SAC_TEXT_IN("No parameters; one size for both.",
                                                    "没有参数；两者维数相同。"),
                              .questions = QUESTION},
    [SAC_SCORE_ADDITIVE] =
        {.name = SAC_TEXT_IN("additive", "加性"),
         .sentence = SAC_TEXT_IN("A small network with one hidden layer compares them.",
                                 "用一个隐藏层的小网络来比较。"),
         .formula = "a(q,k) = w_vᵀ tanh(W_q q + W_k k)",
         .code = "features = torch.tanh(W_q(query).unsqueeze(2) + W_k(key).unsqueeze(1))\n"
                 "scores = w_v(features).squeeze(-1)",
         .notice =
             SAC_TEXT_IN("h (1 + q + k) parameters, here 8·(1 + 20 + 2) = 184; sizes may differ.",
                         "h (1 + q + k) 个参数，这里是 8·(1 + 20 + 2) = 184；维数可以不同。"),
         .questions = QUESTION},
    [SAC_SCORE_BILINEAR] =
        {.name = SAC_TEXT_IN("bilinear", "双线性"),
         .sentence = SAC_TEXT_IN("A matrix stands between the two, so that their sizes may differ.",
                                 "中间放一个矩阵，维数就可以不同。"),
         .formula = "a(q,k) = qᵀ W k / ⁴√(d_q d_k)",
         .code = "scores = query @ W_qk @ key.transpose(1, 2) / math.sqrt(math.sqrt(20 * 2))",
         .notice =
             SAC_TEXT_IN("q·k parameters. With W = I and one size it is the scaled dot product.",
                         "q·k 个参数。W = I 且维数相同时，就是缩放点积。"),
         .questions = QUESTION},
    [SAC_SCORE_GAUSSIAN] = {.name = SAC_TEXT_IN("gaussian", "高斯"),
                            .sentence = SAC_TEXT_IN("The score falls with the squared distance.",
                                                    "分数随距离的平方下降。"),
                            .formula = "a(q,k) = −½ ‖(q − k) w‖²",
                            .code =
                                "scores = -((q.unsqueeze(2) - key.unsqueeze(1)) ** 2).sum(-1) / 2",
                            .notice = SAC_TEXT_IN(
                                "One parameter, the inverse width w; one size for both.",
                                "一个参数：宽度的倒数 w；两者维数相同。"),
                            .questions = QUESTION},
};

typedef struct arrays {
    sac_node query, short_query, key, value, mask;
    sac_node scores[TAUGHT], weights[TAUGHT], outputs[TAUGHT];
    sac_node w_q, w_k, w_v, w_qk, q, k, wk;
} arrays;

/* Numbers between 0 and 1, in [BATCH,1,width]. */
static sac_node add_query(sac_lesson *l, const char *name, size_t width, sac_torch_random *random)
{
    float numbers[BATCH * LONG];
    for (size_t i = 0; i < BATCH * width; i++)
        numbers[i] = sac_torch_rand(random);
    return sac_lesson_given(l, name, SAC_STACK(BATCH, 1, width), numbers);
}

/* The weight of torch.nn.Linear(in, out, bias=False). */
static sac_node add_weight(sac_lesson *l, const char *name, size_t in, size_t out,
                           sac_torch_random *random)
{
    float numbers[LONG * LONG];
    sac_torch_uniform(random, (float)(1 / sqrt((double)in)), numbers, in * out);
    return sac_lesson_given(l, name, SAC_MATRIX(out, in), numbers);
}

/* masked, weights and output of a score. */
static void finish(sac_lesson *l, arrays *a, sac_score score)
{
    char masked[32], weights[32], output[32];
    const char *name = sac_score_name(score);
    snprintf(masked, sizeof masked, "masked.%s", name);
    snprintf(weights, sizeof weights, "weights.%s", name);
    snprintf(output, sizeof output, "output.%s", name);
    sac_node open = sac_masked(&l->graph, masked, a->scores[score], a->mask);
    a->weights[score] = sac_softmax(&l->graph, weights, open);
    a->outputs[score] = sac_matmul(&l->graph, output, a->weights[score], a->value);
}

static void build(sac_lesson *l)
{
    arrays a;
    sac_torch_random random;
    float ones[BATCH * KEYS * SHORT], values[BATCH * KEYS * VALUES], blocked[BATCH * KEYS];
    static const int valid[BATCH] = {2, 6};
    bool masked = sac_lesson_value(l, "masked") != 0;
    sac_torch_seed(&random, l->seed);
    for (int i = 0; i < BATCH * KEYS * SHORT; i++)
        ones[i] = 1;
    for (int i = 0; i < BATCH * KEYS * VALUES; i++)
        values[i] = (float)(i % (KEYS * VALUES));
    for (int i = 0; i < BATCH * KEYS; i++)
        blocked[i] = masked && i % KEYS >= valid[i / KEYS];
    a.query = add_query(l, "query", LONG, &random);
    a.short_query = add_query(l, "query.short", SHORT, &random);
    a.key = sac_lesson_given(l, "key", SAC_STACK(BATCH, KEYS, SHORT), ones);
    a.value = sac_lesson_given(l, "value", SAC_STACK(BATCH, KEYS, VALUES), values);
    a.mask = sac_lesson_given(l, "mask", SAC_STACK(BATCH, 1, KEYS), blocked);
    a.w_q = add_weight(l, "W_q", LONG, HIDDEN, &random);
    a.w_k = add_weight(l, "W_k", SHORT, HIDDEN, &random);
    a.w_v = add_weight(l, "w_v", HIDDEN, 1, &random);
    a.w_qk = add_weight(l, "W_qk", SHORT, LONG, &random); /* [LONG,SHORT] */
    sac_graph *g = &l->graph;
    double both = (double)sac_node_size(g, a.query, 2) * (double)sac_node_size(g, a.key, 2);
    a.q = sac_matmul_t(g, "W_q q", a.query, a.w_q);
    a.k = sac_matmul_t(g, "W_k k", a.key, a.w_k);
    a.scores[SAC_SCORE_ADDITIVE] =
        sac_apply(g, SAC_OP_ADDITIVE, "score.additive", a.q, a.k, a.w_v, 0, 0);
    a.scores[SAC_SCORE_DOT] = sac_matmul_t(g, "score.dot", a.short_query, a.key);
    a.scores[SAC_SCORE_SCALED_DOT] = sac_times(g, "score.scaled-dot", a.scores[SAC_SCORE_DOT],
                                               1 / sqrtf((float)sac_node_size(g, a.key, 2)));
    a.wk = sac_matmul(g, "q W_qk", a.query, a.w_qk);
    sac_node products = sac_matmul_t(g, "q W_qk k", a.wk, a.key);
    a.scores[SAC_SCORE_BILINEAR] =
        sac_times(g, "score.bilinear", products, (float)(1 / sqrt(sqrt(both))));
    a.scores[SAC_SCORE_GAUSSIAN] =
        sac_apply(g, SAC_OP_GAUSSIAN, "score.gaussian", a.short_query, a.key, 0, 1, 0);
    for (int i = 0; i < TAUGHT; i++)
        finish(l, &a, (sac_score)i);
    for (int i = 0; i < TAUGHT; i++) {
        sac_score score = taught[i];
        bool unequal = score == SAC_SCORE_ADDITIVE || score == SAC_SCORE_BILINEAR;
        SAC_LESSON_STEP(l, steps[score], unequal ? a.query : a.short_query, a.key, a.scores[score],
                        a.weights[score], a.outputs[score]);
    }
}

const sac_lesson_class sac_lesson_scores = {
    .name = "scores",
    .title = SAC_TEXT_IN("Five scores side by side", "五种分数并排"),
    .summary = SAC_TEXT_IN("dot, scaled dot, additive, bilinear, Gaussian on the same keys",
                           "点积、缩放点积、加性、双线性、高斯，用同样的键"),
    .parameters = parameters,
    .seed = 0,
    .build = build,
};
