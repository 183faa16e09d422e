/* Several heads: split, attend, join, map, residual, norm. The notes' layer for 8 numbers and 2
 * heads, on four positions. */
#include <math.h>
#include <stdio.h>

#include "lessons/ideas/lessons.h"
#include "lessons/shared/layers.h"

enum { WORDS = 4, DEPTH = 8, HEADS = 2 };

static const sac_lesson_parameter parameters[] = {
    {"prenorm", N_("layer norm before (pre-norm)"), 0, 1, 0, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("maps"),
     .sentence = N_("One linear map (projection) each makes the queries, keys and values of all "
                    "heads: 8 numbers become 8."),
     .formula = "Q = x W_qᵀ + b_q, …",
     .notice = N_("The first four rows of each W belong to head 0, the others to head 1."),
     .code = "q, k, v = linear_q(x), linear_k(x), linear_v(x)"},
    {.name = N_("split"),
     .sentence = N_("Each row is cut in two, so each head gets four numbers of every word."),
     .formula = "[B,T,D] → [B,T,H,D/H] → [B,H,T,D/H]",
     .notice = N_("This takes a view and a transpose; a view alone would mix up the words."),
     .code = "q, k, v = (t.view(B, T, H, D // H).transpose(1, 2) for t in (q, k, v))"},
    {.name = N_("attend"),
     .sentence = N_("Each head attends on its own, with scores divided by √(D/H)."),
     .formula = "P_h = softmax(Q_h K_hᵀ / √(D/H))",
     .notice = N_("These maps are random, so both heads weight all words nearly alike."),
     .code = "weights = (q @ k.transpose(-2, -1) / math.sqrt(D // H)).softmax(-1)\n"
             "heads = weights @ v",
     .questions = {{SAC_ASK_LARGEST, 1, N_("The largest score has the largest weight.")}}},
    {.name = N_("trained heads"),
     .sentence = N_("Two heads of a trained translator read the same sentence."),
     .formula = "P_h = softmax(S_h)",
     .notice = N_("One looks at the main word of each phrase (cat, sleeps, garden), the other at "
                  "the ends."),
     .code = "trained = S_h.softmax(-1)   # saccade translate \"the red cat …\" --model "
             "transformer --npz",
     .cell = "trained.weights,0,0,2"},
    {.name = N_("join"),
     .sentence = N_("The outputs of the heads are joined and mixed by one linear map."),
     .formula = "concat(heads) Wᵀ + b = Σ_h head_h W_hᵀ + b",
     .notice = N_("It is the sum of one map per head."),
     .code = "output = linear_final(heads.transpose(1, 2).reshape(B, T, D))"},
    {.name = N_("add & norm"),
     .sentence = N_("The input is added (residual connection), each row normalised to mean 0 "
                    "and variance 1 (layer norm)."),
     .formula = "LayerNorm(x + attention(x))",
     .notice = N_(
         "A second dropout may stand before the sum; with pre-norm the normalisation comes first."),
     .code = "output = layer_norm(x + output)",
     .questions = {{SAC_ASK_VALUE, 2, N_("Input and output of the layer, added.")}}},
};

/* All numbers of the words, `whole` [1,T,D], and those of each head [H,T,D/H]: cut apart, or joined. */
static void draw_split(sac_lesson *l, const char *name, sac_node whole, sac_node heads, bool apart,
                       int step)
{
    static const char *const of_heads[HEADS] = {N_("head 0"), N_("head 1")};
    char names[2][32];
    sac_graph *g = &l->graph;
    snprintf(names[0], sizeof names[0], "%s.all", name);
    sac_node all = sac_reshaped(g, names[0], whole, SAC_MATRIX(WORDS, DEPTH));
    sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_MATRIX, .part = 0.55f, .panel_count = HEADS + 1, .mark_count = HEADS + 1};
    for (int h = 0; h <= HEADS; h++) {
        bool is_whole = h == (apart ? 0 : HEADS);
        int head = apart ? h - 1 : h;
        snprintf(names[0], sizeof names[0], "%s.cut.%d", name, head);
        snprintf(names[1], sizeof names[1], "%s.of_head.%d", name, head);
        drawing.panels[h] =
            (sac_drawing_panel){.title = is_whole ? N_("8 numbers a word") : of_heads[head],
                                .y = N_("word"),
                                .share = is_whole ? HEADS : 1};
        sac_node part = all;
        if (!is_whole) {
            part = sac_reshaped(g, names[1], sac_sliced(g, names[0], heads, (size_t)head, 1),
                                SAC_MATRIX(WORDS, DEPTH / HEADS));
            sac_graph_share_colors(g, part, all);
        }
        drawing.marks[h] = (sac_drawing_mark){SAC_MARK_CELLS, h, .y = part};
    }
    sac_lesson_add_drawing(l, &drawing, step, step);
}

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
    sac_lesson_add_drawing(l, &drawing, 2, 3);
    draw_split(l, "Q", a.q, a.q_heads, true, 1);
    draw_split(l, "joined", a.joined, a.head_outputs, false, 4);
    /* A word as it comes, with the attention added, and what the norm makes of the sum. */
    sac_node word[3];
    const sac_node of[3] = {x, residual, norm};
    static const char *const names[3][2] = {
        {"word.rows", "word.x"}, {"word.sums", "word.residual"}, {"word.norms", "word.norm"}};
    for (int i = 0; i < 3; i++)
        word[i] = sac_sliced(g, names[i][1],
                             sac_reshaped(g, names[i][0], of[i], SAC_MATRIX(WORDS, DEPTH)), 0, 1);
    const sac_lesson_drawing sums = {
        .panel_count = 1,
        .panels = {{.title = N_("Word 0"), .x = N_("number"), .categories = word[0]}},
        .mark_count = 3,
        .marks = {{SAC_MARK_BARS, 0, .y = word[0], .ink = SAC_INK_BLUE, .name = N_("x")},
                  {SAC_MARK_BARS, 0, .y = word[1], .ink = SAC_INK_GREEN, .name = N_("x + output")},
                  {SAC_MARK_BARS, 0, .y = word[2], .ink = SAC_INK_ACCENT, .name = N_("norm")}}};
    sac_lesson_add_drawing(l, &sums, 5, 5);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("What do several heads have that one large head has not?"),
     .cell = "weights,0,0,0",
     .reasons = {{N_("weights of their own: a word can look at several places at once")},
                 {N_("more numbers in the maps of query, key and value")},
                 {N_("each head sees a part of the words only"), "weights,0,0,3", '=', "0"}},
     .why =
         N_("The maps are as large as those of one head; each head gets a slice of every word.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("Why is the input added to the output of the attention?"),
     .cell = "output,0,0,0",
     .reasons = {{N_("what the layer was given reaches the next one, whatever the attention does")},
                 {N_("so that each row of weights adds up to 1")},
                 {N_("so that the heads become equal")}},
     .why = N_("That is a residual connection: the attention learns only what has to change.")},
    {0},
};

const sac_lesson_class sac_lesson_multi_head = {
    .name = "multi-head",
    .title = N_("Several heads"),
    .summary = N_("split, attend, trained heads, join, residual and norm"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
