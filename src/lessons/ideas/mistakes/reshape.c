/* A view is not a transpose: heads that are split without it get words in place of slices of words,
 * and attention is cut into blocks. The notes' code, as it is printed. */
#include <math.h>

#include "lessons/ideas/lessons.h"
#include "lessons/shared/layers.h"

enum { MOST_WORDS = 12, MOST_HEADS = 8 };

static const sac_lesson_parameter parameters[] = {
    {"words", N_("words"), 2, MOST_WORDS, 4, true},
    {"heads", NC_("how many", "heads"), 1, MOST_HEADS, 2, true},
    {"wrong", N_("a view alone, without the transpose"), 0, 1, 1, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("split"),
     .sentence = N_(
         "A view alone cuts the numbers of all words, which lie in one row of memory, into heads."),
     .formula = "view(B·H, −1, D/H)",
     .notice = N_("Head 0 gets the first words whole, and the last head the last words."),
     .code = "q, k, v = (t.view(B * H, -1, D // H) for t in (q, k, v))   # wrong: no transpose",
     .questions = {{SAC_ASK_LARGEST, 2, N_("Row r of head h is a slice of word (hT + r) div H."),
                    true}}},
    {.name = N_("weights"),
     .sentence = N_("The weights look right: each row adds up to 1, and nothing crashes."),
     .formula = "P = softmax(Q_h K_hᵀ · scale)",
     .notice =
         N_("But a row no longer belongs to one word, and the scale (D/H // H)^−½ is wrong too."),
     .code = "scale = (D // H // H) ** -0.5   # wrong: one // H too many\n"
             "weights = (q @ k.transpose(1, 2) * scale).softmax(-1)",
     .questions = {{SAC_ASK_VALUE, 1, N_("A weight of a row of slices.")}}},
    {.name = N_("influence"),
     .sentence =
         N_("A 1 means that word j can change the output of word i, because they share a head."),
     .formula = "influence[i,j] = 1  ⇔  ∃ h: i ∈ h, j ∈ h",
     .code = "words = torch.arange(H * T).view(H, T) // H   # of each head's rows\n"
             "member = F.one_hot(words, T).amax(1)\n"
             "influence = member.T @ member > 0",
     .notice = N_("Transposed, every word reaches every word; with a view alone only the words "
                  "of one head do."),
     .questions = {{SAC_ASK_COUNT, 1, N_("As many words as share a head with it.")}}},
    {.name = N_("output"),
     .sentence = N_("A second view joins the heads and undoes the first one."),
     .formula = "LayerNorm(x + final(view(heads)))",
     .code = "output = layer_norm(x + linear_final((weights @ v).view(B, -1, D)))",
     .notice = N_("All shapes are right, so the mistake goes unnoticed.")},
};

static void build(sac_lesson *l)
{
    sac_graph *g = &l->graph;
    size_t words = (size_t)sac_lesson_value(l, "words"),
           heads = (size_t)sac_lesson_value(l, "heads");
    /* 8 numbers a word, or as many as the heads divide. */
    size_t depth = heads * (heads > 8 ? 1 : 8 / heads);
    bool wrong = sac_lesson_value(l, "wrong") != 0;
    float printed = sac_notes_printed_scale(depth, heads),
          right = 1 / sqrtf((float)(depth / heads));
    sac_node x = sac_reshaped(g, "x", sac_positions(g, "positions", words, depth),
                              SAC_STACK(1, words, depth));
    sac_heads layer =
        sac_notes_layer(l, depth, heads, wrong, wrong && printed > 0 ? printed : right);
    sac_heads_arrays a = sac_heads_attend(g, "", &layer, x);
    sac_node output = sac_rows_standardised(g, "norm", sac_sum(g, "residual", x, a.output));
    sac_node member = sac_notes_head_members(g, words, heads, wrong);
    sac_node influence = sac_notes_influence(g, member);
    sac_node pairs = sac_unary(g, SAC_OP_SUM, "influence.rows", influence);
    SAC_LESSON_STEP(l, steps[0], a.q, a.q_heads, member);
    SAC_LESSON_STEP(l, steps[1], a.scaled, a.weights);
    SAC_LESSON_STEP(l, steps[2], member, influence, pairs);
    SAC_LESSON_STEP(l, steps[3], a.joined, a.output, output);
    sac_node apart = sac_unary(g, SAC_OP_EQUALS, "unreached", influence);
    const sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_MATRIX,
        .panel_count = 1,
        .panels = {{.title = N_("Which word reaches which"), .y = N_("word")}},
        .mark_count = 1,
        .marks = {{SAC_MARK_CELLS, .y = apart, .weights = apart}}};
    sac_lesson_add_drawing(l, &drawing, 2, 2);
    sac_draw_heads(l, "Q.of_head", a.q, heads, wrong, 0);
    const sac_lesson_drawing bands = {.kind = SAC_DRAWS_BANDS,
                                      .part = 0.42f,
                                      .panel_count = 1,
                                      .mark_count = 1,
                                      .marks = {{SAC_MARK_BANDS, .y = a.weights}}};
    sac_lesson_add_drawing(l, &bands, 1, 1);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Heads are made by a reshape without a transpose. What does a head get?"),
     .reasons = {{N_("some whole words in place of a slice of every word")},
                 {N_("the same numbers in another order of heads")},
                 {N_("zeros")}},
     .why = N_("Words in different heads can no longer reach each other.")},
    {0},
};

const sac_lesson_class sac_lesson_reshape = {
    .name = "reshape-is-not-transpose",
    .title = N_("A reshape is not a transpose"),
    .summary = N_("heads without a transpose: which word still reaches which"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
