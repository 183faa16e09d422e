/* Several heads: split, attend, join, map, residual, norm. The notes' layer for 8 numbers and 2
 * heads, on four positions. */
#include <math.h>

#include "lessons/ideas/lessons.h"
#include "lessons/shared/notes_layer.h"

enum { WORDS = 4, DEPTH = 8, HEADS = 2 };

static const sac_lesson_parameter parameters[] = {
    {"prenorm", SAC_TEXT_IN("layer norm before (pre-norm)", "先做层归一化（pre-norm）"), 0, 1, 0,
     true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = SAC_TEXT_IN("maps", "映射"),
     .sentence =
         SAC_TEXT_IN("Query, key and value are mapped once for all heads: 8 numbers to 8 numbers.",
                     "查询、键、值为所有头一起映射一次：8 个数到 8 个数。"),
     .formula = "Q = x W_qᵀ + b_q, …",
     .notice =
         SAC_TEXT_IN("The rows of W are the heads': the first four make head 0, the others head 1.",
                     "W 的行属于各个头：前四行是头 0，其余是头 1。"),
     .code = "q, k, v = linear_q(x), linear_k(x), linear_v(x)"},
    {.name = SAC_TEXT_IN("split", "拆分"),
     .sentence =
         SAC_TEXT_IN("Every row is cut into two: each head gets four numbers of every word.",
                     "每一行切成两半：每个头得到每个词的四个数。"),
     .formula = "[B,T,D] → [B,T,H,D/H] → [B,H,T,D/H]",
     .notice = SAC_TEXT_IN("A view and a transpose. Without the transpose the heads would "
                           "get words, not slices of words.",
                           "先 view 再转置。没有转置，各头得到的就是词，而不是词的切片。"),
     .code = "q, k, v = (t.view(B, T, H, D // H).transpose(1, 2) for t in (q, k, v))"},
    {.name = SAC_TEXT_IN("attend", "注意"),
     .sentence = SAC_TEXT_IN("Each head attends for itself, scaled by √(D/H).",
                             "每个头各自注意，除以 √(D/H)。"),
     .formula = "P_h = softmax(Q_h K_hᵀ / √(D/H))",
     .notice = SAC_TEXT_IN("Two heads, two sets of weights: each looks for something else.",
                           "两个头，两组权重：各找各的。"),
     .code = "weights = (q @ k.transpose(-2, -1) / math.sqrt(D // H)).softmax(-1)\n"
             "heads = weights @ v",
     .questions = {{SAC_ASK_LARGEST, 1,
                    SAC_TEXT_IN("The largest score has the largest share.",
                                "分数最大者份额最大。")}}},
    {.name = SAC_TEXT_IN("join", "合并"),
     .sentence = SAC_TEXT_IN("The heads' outputs stand side by side again, and one map mixes them.",
                             "各头的输出重新并排，再由一个映射混合。"),
     .formula = "concat(heads) Wᵀ + b = Σ_h head_h W_hᵀ + b",
     .notice = SAC_TEXT_IN("The map of the joined heads is a sum with a part of W for each head.",
                           "对合并结果的映射，等于每个头乘以 W 的一部分再相加。"),
     .code = "output = linear_final(heads.transpose(1, 2).reshape(B, T, D))"},
    {.name = SAC_TEXT_IN("add & norm", "残差与归一化"),
     .sentence = SAC_TEXT_IN(
         "The layer's input is added, and each row is brought to mean 0 and variance 1.",
         "加上该层的输入，再把每行变成均值 0、方差 1。"),
     .formula = "LayerNorm(x + attention(x))",
     .notice = SAC_TEXT_IN("The input goes past the attention, so that nothing is lost. "
                           "With pre-norm the norm comes first.",
                           "输入绕过注意力，什么都不会丢。pre-norm 时归一化在前。"),
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
    SAC_LESSON_STEP(l, steps[0], x, a.q, a.k, a.v);
    SAC_LESSON_STEP(l, steps[1], a.q, a.q_heads);
    SAC_LESSON_STEP(l, steps[2], a.scaled, a.weights, a.v_heads, a.head_outputs);
    SAC_LESSON_STEP(l, steps[3], a.head_outputs, a.joined, a.output);
    SAC_LESSON_STEP(l, steps[4], x, a.output, residual, norm);
}

const sac_lesson_class sac_lesson_multi_head = {
    .name = "multi-head",
    .title = SAC_TEXT_IN("Several heads", "多头"),
    .summary = SAC_TEXT_IN("split, attend, join, map, residual and norm",
                           "拆分、注意、合并、映射、残差、归一化"),
    .parameters = parameters,
    .seed = 0,
    .build = build,
};
