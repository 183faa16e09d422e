/* Self-attention as the notebook has it: two sentences of four words, one head without a scale, or
 * three heads of full width. With its own seed every number that it printed comes out. */
#include <math.h>

#include "lessons/engine/own_data.h"
#include "lessons/ideas/lessons.h"
#include "lessons/shared/notebook.h"

static const sac_lesson_parameter parameters[] = {
    {"heads", SAC_TEXT_IN("1: SelfAttention, 3: MultiHead", "1：SelfAttention，3：MultiHead"), 1, 3,
     1, true},
    {"identity", SAC_TEXT_IN("no maps: Q = K = V = x", "不用映射：Q = K = V = x"), 0, 1, 0, true},
    {"scaled", SAC_TEXT_IN("divide by √10 without maps", "不用映射时除以 √10"), 0, 1, 0, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = SAC_TEXT_IN("sentences", "句子"),
     .sentence = SAC_TEXT_IN(
         "Two sentences of four words, each word ten random numbers, brought to length 1.",
         "两个句子，各四个词，每个词是十个随机数，归一到长度 1。"),
     .formula = "sents = draws / |draws|",
     .notice = SAC_TEXT_IN(
         "With length 1 a dot product is a cosine, so that the scores are easy to read.",
         "长度为 1 时点积就是余弦，分数因此容易读。"),
     .code = "sents = torch.rand(batch_size,seq_len,vec_size)\n"
             "sents = f.normalize(sents, p=2, dim=2)"},
    {.name = SAC_TEXT_IN("maps", "映射"),
     .sentence = SAC_TEXT_IN("Three maps make of each word what it asks, what it is found "
                             "by, and what it tells.",
                             "三个映射把每个词变成：它问什么、凭什么被找到、说什么。"),
     .formula = "Q = x W_qᵀ + b_q, K = x W_kᵀ + b_k, V = x W_vᵀ + b_v",
     .notice =
         SAC_TEXT_IN("All three are made of the same sentence: that is the self in self-attention.",
                     "三者都出自同一个句子：这就是自注意力的“自”。"),
     .code = "Q = self.QueryW(sents)\n"
             "K = self.KeyW(sents)\n"
             "V = self.ValueW(sents)"},
    {.name = SAC_TEXT_IN("scores", "分数"),
     .sentence = SAC_TEXT_IN("Every word is compared with every word of its sentence.",
                             "每个词与本句的每个词比较。"),
     .formula = "S = Q Kᵀ",
     .notice = SAC_TEXT_IN(
         "No word is compared with the other sentence: they lie in one batch, side by side.",
         "不会与另一句比较：它们只是并排放在一批里。"),
     .code = "Scores = torch.matmul(Q, K.transpose(1,2).contiguous())"},
    {.name = SAC_TEXT_IN("weights", "权重"),
     .sentence = SAC_TEXT_IN("The softmax makes shares of each row.", "softmax 把每一行变成份额。"),
     .formula = "P = softmax(S)",
     .notice = SAC_TEXT_IN(
         "The maps were drawn and not trained: all shares of a row are nearly the same.",
         "这些权重是随机的，没有训练：每个词分到的份额都差不多。"),
     .code = "Scores = self.Score2Prob(Scores)",
     .questions = {{SAC_ASK_LARGEST, 1,
                    SAC_TEXT_IN("The largest score has the largest share.",
                                "分数最大者份额最大。")}}},
    {.name = SAC_TEXT_IN("output", "输出"),
     .sentence =
         SAC_TEXT_IN("A new embedding of each word: the values of all words, by their shares.",
                     "每个词的新表示：所有词的值按份额混合。"),
     .formula = "Y = P V",
     .notice = SAC_TEXT_IN("Within a sentence all rows look alike: means with nearly equal "
                           "shares are nearly equal.",
                           "同一句的各行看起来都差不多：份额相近的平均，结果也相近。"),
     .code = "Out = torch.matmul(Scores,V)",
     .questions = {{SAC_ASK_VALUE, 2,
                    SAC_TEXT_IN("A mean of the column of V, by the row's shares.",
                                "V 的该列按该行份额的平均。")}}},
};

/* Q, K and V are the sentences themselves. */
static sac_heads_arrays attend_plainly(sac_lesson *l, sac_node x)
{
    sac_graph *g = &l->graph;
    sac_heads_arrays a = {.q = x, .k = x, .v = x, .q_heads = x, .k_heads = x, .v_heads = x};
    float scale = sac_lesson_value(l, "scaled") != 0 ? 1 / sqrtf(SAC_NOTEBOOK_DEPTH) : 1;
    a.scores = sac_matmul_t(g, "scores", x, x);
    a.scaled = sac_times(g, "scaled", a.scores, scale);
    a.weights = sac_softmax(g, "weights", a.scaled);
    a.output = sac_matmul(g, "output", a.weights, x);
    a.head_outputs = a.joined = a.output;
    return a;
}

static void build(sac_lesson *l)
{
    sac_node draws = 0, sents = sac_notebook_words(l, &draws);
    sac_heads layer = {0};
    sac_heads_arrays a;
    if (sac_lesson_value(l, "identity") != 0) {
        a = attend_plainly(l, sents);
    } else {
        layer = sac_notebook_layer(l, sac_lesson_value(l, "heads") > 1 ? 3 : 1);
        a = sac_heads_attend(&l->graph, "", &layer, sents);
    }
    const sac_node rows[] = {draws, sents, a.q, a.k, a.v, a.output};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        sac_lesson_label_words(l, rows[i], true, false);
    sac_lesson_label_words(l, a.scores, true, true);
    sac_lesson_label_words(l, a.scaled, true, true);
    sac_lesson_label_words(l, a.weights, true, true);
    SAC_LESSON_STEP(l, steps[0], draws, sents);
    SAC_LESSON_STEP(l, steps[1], layer.query.weight ? layer.query.weight : sents, a.q, a.k, a.v);
    SAC_LESSON_STEP(l, steps[2], a.q_heads, a.k_heads, a.scores);
    SAC_LESSON_STEP(l, steps[3], a.scaled, a.weights);
    SAC_LESSON_STEP(l, steps[4], a.weights, a.v_heads, a.output);
}

const sac_lesson_class sac_lesson_self_attention = {
    .name = "self-attention",
    .title = SAC_TEXT_IN("Self-attention, number by number", "自注意力：逐个数字"),
    .summary = SAC_TEXT_IN("a notebook's sentences, maps, scores and printed outputs",
                           "笔记本中的句子、映射、分数与打印的输出"),
    .parameters = parameters,
    .seed = SAC_NOTEBOOK_SEED,
    .build = build,
};
