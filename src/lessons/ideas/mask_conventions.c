/* A lesson on three ways to write the same mask: true = blocked, true = kept, and a number that is
 * added. */
#include <math.h>

#include "lessons/ideas/lessons.h"

static const sac_lesson_parameter parameters[] = {
    {"wrong", SAC_TEXT_IN("take one for the other", "误把一种当作另一种"), 0, 1, 0, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = SAC_TEXT_IN("true blocks", "真为屏蔽"),
     .sentence = SAC_TEXT_IN("In nn.MultiheadAttention and in this program, true means blocked.",
                             "在 nn.MultiheadAttention 和本程序中，真表示屏蔽。"),
     .formula = "S[i,j] = −∞, blocked[i,j] = 1",
     .notice = SAC_TEXT_IN("Blocked cells get the score −∞ and the weight 0.",
                           "被屏蔽的格子分数为 −∞，权重为 0。"),
     .code = "weights = scores.masked_fill(blocked, -math.inf).softmax(-1)   # True: blocked",
     .questions = {{SAC_ASK_COUNT, 2,
                    SAC_TEXT_IN("As many as the row may see.", "等于该行能看到的个数。")}}},
    {.name = SAC_TEXT_IN("true is kept", "真为保留"),
     .sentence = SAC_TEXT_IN(
         "In scaled_dot_product_attention and in the Annotated Transformer, true means kept.",
         "在 scaled_dot_product_attention 和 Annotated Transformer 中，真表示保留。"),
     .formula = "kept = ¬blocked",
     .notice = SAC_TEXT_IN("If the two are confused, every word sees only later words, and the "
                           "last row has nothing left.",
                           "若把两者弄混，每个词只看见后面的词，最后一行什么都不剩。"),
     .code = "output = F.scaled_dot_product_attention(q, k, v, attn_mask=~blocked)",
     .questions = {{SAC_ASK_COUNT, 1,
                    SAC_TEXT_IN("A row sees itself and what is before it.",
                                "一行看见自己和之前的。")}}},
    {.name = SAC_TEXT_IN("added", "相加"),
     .sentence =
         SAC_TEXT_IN("A mask of floats is added to the scores: 0 keeps a score, and −∞ blocks it.",
                     "浮点掩码与分数相加：0 保留，−∞ 屏蔽。"),
     .formula = "softmax(S + M)",
     .notice = SAC_TEXT_IN("The weights are the same as in the first step.", "权重与第一步相同。"),
     .code = "float_mask = torch.zeros(4, 4).masked_fill(blocked, -math.inf)\n"
             "output = F.scaled_dot_product_attention(q, k, v, attn_mask=float_mask)",
     .questions = {{SAC_ASK_VALUE, 2, SAC_TEXT_IN("exp of −∞ is 0.", "−∞ 的 exp 是 0。")}}},
};

static void build(sac_lesson *l)
{
    static const float numbers[] = {1, 2, 0, 1, 0.5f, 0, 1, 1, 2, 0, 1, 0, 0, 1, 2, 1};
    sac_graph *g = &l->graph;
    sac_node scores = sac_lesson_given(l, "scores", SAC_MATRIX(4, 4), numbers);
    sac_node blocked = sac_lesson_blocked(l, "blocked", sac_node_size(g, scores, 0),
                                          sac_node_size(g, scores, 1), true);
    bool wrong = sac_lesson_value(l, "wrong") != 0;
    sac_node kept = sac_apply(g, SAC_OP_AFFINE, "kept", blocked, 0, 0, -1, 1);
    sac_node read_as_blocked = wrong ? kept : blocked;
    sac_node masked = sac_masked(g, "masked", scores, read_as_blocked);
    sac_node weights = sac_softmax(g, "weights", masked);
    sac_node nothing = sac_times(g, "zeros", scores, 0);
    sac_node added = sac_masked(g, "float_mask", nothing, blocked);
    sac_node sums = sac_sum(g, "scores_plus_mask", scores, added);
    sac_node by_float = sac_softmax(g, "weights.float", sums);
    SAC_LESSON_STEP(l, steps[0], blocked, masked, weights);
    SAC_LESSON_STEP(l, steps[1], blocked, kept);
    SAC_LESSON_STEP(l, steps[2], added, sums, by_float);
    const sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_MATRIX,
        .panel_count = 2,
        .panels = {{.title = SAC_TEXT_IN("the mask", "掩码"),
                    .y = SAC_TEXT_IN("query", "查询"),
                    .x = SAC_TEXT_IN("key", "键")},
                   {.title = SAC_TEXT_IN("weights", "权重"),
                    .y = SAC_TEXT_IN("query", "查询"),
                    .x = SAC_TEXT_IN("key", "键")}},
        .mark_count = 3,
        .marks = {{SAC_MARK_CELLS, 0, .y = blocked, .weights = blocked, .sets = {blocked, 0},
                   .covered = 1},
                  {SAC_MARK_CELLS, 1, .y = weights, .weights = read_as_blocked},
                  {SAC_MARK_CELLS, 1, .since = 2, .y = by_float, .weights = blocked}}};
    sac_lesson_draw(l, &drawing, 0, 2);
}

const sac_lesson_class sac_lesson_mask_conventions = {
    .name = "mask-conventions",
    .title = SAC_TEXT_IN("Three conventions for masks", "掩码的三种约定"),
    .summary = SAC_TEXT_IN("true blocks, true is kept, or a number is added",
                           "真为屏蔽、真为保留，或加一个数"),
    .parameters = parameters,
    .asks = sac_asks_mask_conventions,
    .build = build,
};
