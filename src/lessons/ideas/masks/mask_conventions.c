/* A lesson on three ways to write the same mask: true = blocked, true = kept, and a number that is
 * added. */
#include <math.h>

#include "lessons/ideas/lessons.h"

static const sac_lesson_parameter parameters[] = {
    {"wrong", N_("take one for the other"), 0, 1, 0, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("true blocks"),
     .sentence = N_("In nn.MultiheadAttention and in this program, true means blocked."),
     .formula = "S[i,j] = −∞, blocked[i,j] = 1",
     .notice = N_("Blocked cells get the score −∞ and the weight 0."),
     .code = "weights = scores.masked_fill(blocked, -math.inf).softmax(-1)   # True: blocked",
     .questions = {{SAC_ASK_COUNT, 2, N_("As many as the row may see.")}}},
    {.name = N_("true is kept"),
     .sentence =
         N_("In scaled_dot_product_attention and in the Annotated Transformer, true means kept."),
     .formula = "kept = ¬blocked",
     .notice = N_("If the two are confused, every word sees only later words, and the "
                  "last row has nothing left."),
     .code = "output = F.scaled_dot_product_attention(q, k, v, attn_mask=~blocked)",
     .cell = "weights.confused,0,1",
     .questions = {{SAC_ASK_COUNT, 1, N_("A row sees itself and what is before it.")}}},
    {.name = N_("added"),
     .sentence = N_("A mask of floats is added to the scores: 0 keeps a score, and −∞ blocks it."),
     .formula = "softmax(S + M)",
     .notice = N_("The weights are the same as in the first step."),
     .code = "float_mask = torch.zeros(4, 4).masked_fill(blocked, -math.inf)\n"
             "output = F.scaled_dot_product_attention(q, k, v, attn_mask=float_mask)",
     .questions = {{SAC_ASK_VALUE, 2,
                    N_("exp of each sum, divided by the row's total; exp of −∞ is 0.")}}},
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
    sac_node confused =
        sac_softmax(g, "weights.confused", sac_masked(g, "masked.confused", scores, kept));
    sac_node nothing = sac_times(g, "zeros", scores, 0);
    sac_node added = sac_masked(g, "float_mask", nothing, blocked);
    sac_node sums = sac_sum(g, "scores_plus_mask", scores, added);
    sac_node by_float = sac_softmax(g, "weights.float", sums);
    SAC_LESSON_STEP(l, steps[0], blocked, masked, weights);
    SAC_LESSON_STEP(l, steps[1], blocked, kept, confused);
    SAC_LESSON_STEP(l, steps[2], added, sums, by_float);
    const sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_MATRIX,
        .panel_count = 2,
        .panels = {{.title = N_("the mask"), .y = N_("query"), .x = N_("key")},
                   {.title = N_("weights"), .y = N_("query"), .x = N_("key")}},
        .mark_count = 3,
        .marks = {{SAC_MARK_CELLS, 0, .y = blocked, .weights = blocked, .sets = {blocked, 0},
                   .covered = 1},
                  {SAC_MARK_CELLS, 1, .before = 1, .y = weights, .weights = read_as_blocked},
                  {SAC_MARK_CELLS, 1, .since = 2, .y = by_float, .weights = blocked}}};
    sac_lesson_add_drawing(l, &drawing, 0, 2);
    /* Both masks, and the weights where one is taken for the other. */
    const sac_lesson_drawing both = {
        .kind = SAC_DRAWS_MATRIX,
        .panel_count = 3,
        .panels = {{.title = N_("blocked"), .y = N_("query")},
                   {.title = N_("kept"), .y = N_("query")},
                   {.title = N_("confused"), .y = N_("query")}},
        .mark_count = 3,
        .marks = {{SAC_MARK_CELLS, 0, .y = blocked, .sets = {blocked, 0}, .covered = 1},
                  {SAC_MARK_CELLS, 1, .y = kept},
                  {SAC_MARK_CELLS, 2, .y = confused, .weights = kept}}};
    sac_lesson_add_drawing(l, &both, 1, 1);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("A mask of one convention is read by the other. What happens to the "
                "weight of the last key in the first row?"),
     .cell = "weights,0,3",
     .after = "wrong=1",
     .why = N_("What was to be hidden is shown, and what was to be seen is hidden.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("A mask is 1 where a key is visible. Which mask does masked_fill(mask, −∞) need?"),
     .cell = "masked,0,1",
     .reasons = {{N_("its opposite: 1 where a key is blocked"), "blocked,0,1", '=', "1"},
                 {N_("the mask as it is"), "kept,0,1", '=', "1"},
                 {N_("the mask times −∞")}},
     .why = N_("masked_fill writes −∞ where the mask is true; and 0 · −∞ is NaN.")},
    {0},
};

const sac_lesson_class sac_lesson_mask_conventions = {
    .name = "mask-conventions",
    .title = N_("Three conventions for masks"),
    .summary = N_("true blocks, true is kept, or a number is added"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
