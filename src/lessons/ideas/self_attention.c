/* Self-attention as in the lecture's notebook: two sentences of four words, one head without a scale, or
 * three heads of full width. With its own seed every number that it printed comes out. */
#include <math.h>

#include "lessons/engine/own_data.h"
#include "lessons/ideas/lessons.h"
#include "lessons/shared/notebook.h"
#include "lessons/shared/trained_heads.h"

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
         "Two sentences of four words; each word is ten random numbers, scaled to length 1.",
         "两个句子，各四个词；每个词是十个随机数，缩放到长度 1。"),
     .formula = "sents = draws / |draws|",
     .notice = SAC_TEXT_IN("For vectors of length 1 the dot product is the cosine of their angle.",
                           "长度为 1 时，点积就是夹角的余弦。"),
     .code = "sents = torch.rand(batch_size,seq_len,vec_size)\n"
             "sents = f.normalize(sents, p=2, dim=2)"},
    {.name = SAC_TEXT_IN("maps", "映射"),
     .sentence = SAC_TEXT_IN(
         "Three linear maps (projections) turn each word into a query, a key and a value.",
         "三个线性映射（投影）把每个词变成查询、键和值。"),
     .formula = "Q = x W_qᵀ + b_q, K = x W_kᵀ + b_k, V = x W_vᵀ + b_v",
     .notice = SAC_TEXT_IN("All three are made of one sentence, hence self-attention.",
                           "三者都来自同一个句子，所以叫自注意力。"),
     .code = "Q = self.QueryW(sents)\n"
             "K = self.KeyW(sents)\n"
             "V = self.ValueW(sents)"},
    {.name = SAC_TEXT_IN("scores", "分数"),
     .sentence = SAC_TEXT_IN("Each word is compared with each word of its own sentence.",
                             "每个词与本句的每个词比较。"),
     .formula = "S = Q Kᵀ",
     .notice = SAC_TEXT_IN("The two sentences of the batch are never compared.",
                           "一批中的两个句子之间不比较。"),
     .code = "Scores = torch.matmul(Q, K.transpose(1,2).contiguous())"},
    {.name = SAC_TEXT_IN("weights", "权重"),
     .sentence = SAC_TEXT_IN("The softmax turns each row into weights that add up to 1.",
                             "softmax 把每一行变成和为 1 的权重。"),
     .formula = "P = softmax(S)",
     .notice = SAC_TEXT_IN("The maps are random, so the weights of a row are nearly equal.",
                           "映射是随机的，所以一行的权重差不多相等。"),
     .code = "Scores = self.Score2Prob(Scores)",
     .questions = {{SAC_ASK_LARGEST, 1,
                    SAC_TEXT_IN("The largest score has the largest weight.",
                                "分数最大者权重最大。")}}},
    {.name = SAC_TEXT_IN("output", "输出"),
     .sentence = SAC_TEXT_IN("The output of a word is the mean of all values, weighted by its row.",
                             "一个词的输出是所有值按该行权重的平均。"),
     .formula = "Y = P V",
     .notice =
         SAC_TEXT_IN("Weights that are nearly equal give nearly equal outputs within a sentence.",
                     "权重差不多，同一句的各个输出也就差不多。"),
     .code = "Out = torch.matmul(Scores,V)",
     .questions = {{SAC_ASK_VALUE, 2,
                    SAC_TEXT_IN("A mean of the column of V, by the row's weights.",
                                "V 的该列按该行权重的平均。")}}},
    {.name = SAC_TEXT_IN("trained", "训练之后"),
     .sentence = SAC_TEXT_IN("The same computation in a head of a trained translator, with words.",
                             "同样的计算，在训练好的翻译模型的一个头中，并且是真实的词。"),
     .formula = "P = softmax(S)",
     .notice = SAC_TEXT_IN(
         "\"The\" and \"red\" look at \"cat\", \"in\" at \"sleeps\", and the second \"the\" at "
         "\"garden\": far from equal.",
         "“the” 和 “red” 看 “cat”，“in” 看 “sleeps”，第二个 “the” 看 “garden”：权重相差很大。"),
     .code = "P = S.softmax(-1)   # saccade translate \"the red cat …\" --model transformer --npz",
     .questions = {{SAC_ASK_LARGEST, 1,
                    SAC_TEXT_IN("The main word of its phrase.", "它所在短语的中心词。")}}},
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

/* Bands of the first sentence, in each head, and of the sentence that the trained head reads. */
static void draw(sac_lesson *l, size_t heads, sac_node weights, sac_node trained)
{
    sac_node first = sac_sliced(&l->graph, "weights.first", weights, 0, heads);
    sac_lesson_label_words(l, first, true, true);
    const sac_lesson_drawing drawing = {.kind = SAC_DRAWS_BANDS,
                                        .part = 0.42f,
                                        .panel_count = 1,
                                        .mark_count = 2,
                                        .marks = {{SAC_MARK_BANDS, .before = 5, .y = first},
                                                  {SAC_MARK_BANDS, .since = 5, .y = trained}}};
    sac_lesson_draw(l, &drawing, 3, 5);
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
    sac_node all, heads = sac_trained_heads(l, &all);
    sac_node one = sac_trained_head(l, "head.weights", heads);
    SAC_LESSON_STEP(l, steps[5], sac_trained_head(l, "head.scores", all), one);
    draw(l, layer.heads ? layer.heads : 1, a.weights, one);
}

const sac_lesson_class sac_lesson_self_attention = {
    .name = "self-attention",
    .title = SAC_TEXT_IN("Self-attention, number by number", "自注意力：逐个数字"),
    .summary =
        SAC_TEXT_IN("sentences, maps, scores and weights with every number, then a trained head",
                    "句子、映射、分数与权重的每个数字，以及一个训练好的头"),
    .parameters = parameters,
    .seed = SAC_NOTEBOOK_SEED,
    .asks = sac_asks_self_attention,
    .build = build,
};
