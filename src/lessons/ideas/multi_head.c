/* Several heads: split, attend, join, map, residual, norm. The notes' layer for 8 numbers and 2
 * heads, on four positions. */
#include <math.h>

#include "lessons/ideas/lessons.h"
#include "lessons/shared/notes_layer.h"
#include "lessons/shared/trained_heads.h"

enum { WORDS = 4, DEPTH = 8, HEADS = 2 };

static const sac_lesson_parameter parameters[] = {
    {"prenorm", SAC_TEXT_IN("layer norm before (pre-norm)", "先做层归一化（pre-norm）"), 0, 1, 0,
     true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = SAC_TEXT_IN("maps", "映射"),
     .sentence =
         SAC_TEXT_IN("One linear map (projection) each makes the queries, keys and values of all "
                     "heads: 8 numbers become 8.",
                     "查询、键、值各用一个线性映射（投影），一次算出所有头：8 个数变成 8 个数。"),
     .formula = "Q = x W_qᵀ + b_q, …",
     .notice = SAC_TEXT_IN("The first four rows of each W belong to head 0, the others to head 1.",
                           "每个 W 的前四行属于头 0，其余属于头 1。"),
     .code = "q, k, v = linear_q(x), linear_k(x), linear_v(x)"},
    {.name = SAC_TEXT_IN("split", "拆分"),
     .sentence =
         SAC_TEXT_IN("Each row is cut in two, so each head gets four numbers of every word.",
                     "每一行切成两半，每个头得到每个词的四个数。"),
     .formula = "[B,T,D] → [B,T,H,D/H] → [B,H,T,D/H]",
     .notice =
         SAC_TEXT_IN("This takes a view and a transpose; a view alone would mix up the words.",
                     "这需要 view 再转置；只用 view 会把词弄混。"),
     .code = "q, k, v = (t.view(B, T, H, D // H).transpose(1, 2) for t in (q, k, v))"},
    {.name = SAC_TEXT_IN("attend", "注意"),
     .sentence = SAC_TEXT_IN("Each head attends on its own, with scores divided by √(D/H).",
                             "每个头各自做注意力，分数除以 √(D/H)。"),
     .formula = "P_h = softmax(Q_h K_hᵀ / √(D/H))",
     .notice = SAC_TEXT_IN("These maps are random, so both heads weight all words nearly alike.",
                           "这些映射是随机的，所以两个头给各词的权重都差不多。"),
     .code = "weights = (q @ k.transpose(-2, -1) / math.sqrt(D // H)).softmax(-1)\n"
             "heads = weights @ v",
     .questions = {{SAC_ASK_LARGEST, 1,
                    SAC_TEXT_IN("The largest score has the largest weight.",
                                "分数最大者权重最大。")}}},
    {.name = SAC_TEXT_IN("trained heads", "训练好的头"),
     .sentence = SAC_TEXT_IN("Two heads of a trained translator read the same sentence.",
                             "训练好的翻译模型的两个头读同一句话。"),
     .formula = "P_h = softmax(S_h)",
     .notice = SAC_TEXT_IN(
         "One looks at the main word of each phrase (cat, sleeps, garden), the other at "
         "the ends.",
         "第一个头看每个短语的中心词（cat、sleeps、garden），第二个头看句子的两端。"),
     .code = "trained = S_h.softmax(-1)   # saccade translate \"the red cat …\" --model "
             "transformer --npz",
     .questions = {{SAC_ASK_LARGEST, 0,
                    SAC_TEXT_IN("What this head looks for.", "这个头所找的词。")}}},
    {.name = SAC_TEXT_IN("join", "合并"),
     .sentence = SAC_TEXT_IN("The outputs of the heads are joined and mixed by one linear map.",
                             "各头的输出合并，再由一个线性映射混合。"),
     .formula = "concat(heads) Wᵀ + b = Σ_h head_h W_hᵀ + b",
     .notice =
         SAC_TEXT_IN("It is the sum of one map per head.", "这等于每个头一个小映射，再相加。"),
     .code = "output = linear_final(heads.transpose(1, 2).reshape(B, T, D))"},
    {.name = SAC_TEXT_IN("add & norm", "残差与归一化"),
     .sentence =
         SAC_TEXT_IN("The input is added (residual connection), each row normalised to mean 0 "
                     "and variance 1 (layer norm).",
                     "加上输入（残差连接），再把每行归一化为均值 0、方差 1（层归一化）。"),
     .formula = "LayerNorm(x + attention(x))",
     .notice =
         SAC_TEXT_IN("With pre-norm the normalisation comes first.", "pre-norm 时先做归一化。"),
     .code = "output = layer_norm(x + output)",
     .questions = {{SAC_ASK_VALUE, 2,
                    SAC_TEXT_IN("Input and output of the layer, added.",
                                "该层的输入与输出相加。")}}},
};

static void build(sac_lesson *l)
{
    sac_graph *g = &l->graph;
    bool before = sac_lesson_value(l, "prenorm") != 0;
    sac_node x = sac_reshaped(g, "x", sac_positions(g, "positions", WORDS, DEPTH),
                              SAC_STACK(1, WORDS, DEPTH));
    sac_node norm = before ? sac_rows_standardised(g, "norm", x) : 0;
    sac_heads layer = sac_notes_layer(l, DEPTH, HEADS, false, 1 / sqrtf(DEPTH / HEADS));
    sac_heads_arrays a = sac_heads_attend(g, "", &layer, before ? norm : x);
    sac_node residual = sac_sum(g, "residual", x, a.output);
    if (!before)
        norm = sac_rows_standardised(g, "norm", residual);
    sac_node scores, trained = sac_trained_heads(l, &scores);
    SAC_LESSON_STEP(l, steps[0], x, a.q, a.k, a.v);
    SAC_LESSON_STEP(l, steps[1], a.q, a.q_heads);
    SAC_LESSON_STEP(l, steps[2], a.scaled, a.weights, a.v_heads, a.head_outputs);
    SAC_LESSON_STEP(l, steps[3], trained);
    SAC_LESSON_STEP(l, steps[4], a.head_outputs, a.joined, a.output);
    SAC_LESSON_STEP(l, steps[5], x, a.output, residual, norm);
    const sac_lesson_drawing drawing = {.kind = SAC_DRAWS_BANDS,
                                        .part = 0.42f,
                                        .panel_count = 1,
                                        .mark_count = 2,
                                        .marks = {{SAC_MARK_BANDS, .before = 3, .y = a.weights},
                                                  {SAC_MARK_BANDS, .since = 3, .y = trained}}};
    sac_lesson_draw(l, &drawing, 2, 3);
}

const sac_lesson_class sac_lesson_multi_head = {
    .name = "multi-head",
    .title = SAC_TEXT_IN("Several heads", "多头"),
    .summary = SAC_TEXT_IN("split, attend, trained heads, join, residual and norm",
                           "拆分、注意、训练好的头、合并、残差、归一化"),
    .parameters = parameters,
    .seed = 0,
    .asks = sac_asks_multi_head,
    .build = build,
};
