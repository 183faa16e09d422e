/* A lesson on the order of words: self-attention permutes with it, attention from outside does not
 * change, and with positional encodings neither holds. */
#include "lessons/ideas/lessons.h"
#include "lessons/shared/notebook.h"

static const sac_lesson_parameter parameters[] = {
    {"positions", SAC_TEXT_IN("add positions", "加上位置"), 0, 1, 0, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = SAC_TEXT_IN("order", "顺序"),
     .sentence = SAC_TEXT_IN("The words of a sentence are put in another order: 2, 0, 3, 1.",
                             "把一句话的词换个顺序：2、0、3、1。"),
     .formula = "PX",
     .notice = SAC_TEXT_IN("Each row of the permutation P has a single 1, which picks a word.",
                           "置换矩阵 P 的每一行只有一个 1，它选出一个词。"),
     .code = "PX = X[[2, 0, 3, 1]]",
     .questions = {{SAC_ASK_LARGEST, 0,
                    SAC_TEXT_IN("The word that comes to this place.", "来到这个位置的词。")}}},
    {.name = SAC_TEXT_IN("self-attention", "自注意力"),
     .sentence = SAC_TEXT_IN(
         "Self-attention of the reordered words gives the reordered output: it is equivariant.",
         "对换序后的词做自注意力，得到的就是换序后的输出：它是等变的。"),
     .formula = "f(PX) − P f(X)",
     .notice = SAC_TEXT_IN("Without positions the difference is 0; with positions it is not.",
                           "没有位置时差为 0；加上位置就不为 0。"),
     .code = "difference = model(PX) - model(X)[[2, 0, 3, 1]]"},
    {.name = SAC_TEXT_IN("from outside", "外部查询"),
     .sentence =
         SAC_TEXT_IN("A query from outside, as in a decoder, gets the same context c for any "
                     "order: c is invariant.",
                     "句外的查询（例如解码器的）得到的上下文 c 与词序无关：它是不变的。"),
     .formula = "c(PX) − c(X)",
     .notice = SAC_TEXT_IN("Keys and values move together, so the weighted sum stays the same "
                           "unless positions are added.",
                           "键与值一起移动，所以加权和不变，除非加上位置。"),
     .code = "change = attend(query, PX) - attend(query, X)",
     .questions = {{SAC_ASK_VALUE, 0,
                    SAC_TEXT_IN("A mean of the words by their weights.", "各词按权重的平均。")}}},
};

enum { WORDS = SAC_NOTEBOOK_WORDS, DEPTH = SAC_NOTEBOOK_DEPTH };

typedef struct arrays {
    sac_node sentence, permutation, x, px, output, output_of_px, turned, difference;
    sac_node query, found, found_in_px, change, plain;
} arrays;

/* [T,d] as a batch of one. */
static sac_node as_batch(sac_graph *g, const char *name, sac_node x)
{
    return sac_reshaped(g, name, x, SAC_STACK(1, sac_node_size(g, x, 0), sac_node_size(g, x, 1)));
}

static void self_attention(sac_lesson *l, arrays *a)
{
    sac_graph *g = &l->graph;
    sac_heads layer = sac_notebook_layer(l, 1);
    sac_heads_arrays plain = sac_heads_attend(g, "", &layer, as_batch(g, "X.batch", a->x));
    sac_heads_arrays turned = sac_heads_attend(g, "PX.", &layer, as_batch(g, "PX.batch", a->px));
    a->output = plain.output;
    a->output_of_px = sac_reshaped(g, "output_of_PX", turned.output, SAC_MATRIX(WORDS, DEPTH));
    a->plain = sac_reshaped(g, "output.rows", plain.output, SAC_MATRIX(WORDS, DEPTH));
    a->turned = sac_matmul(g, "P_output", a->permutation, a->plain);
    a->difference = sac_difference(g, "difference", a->output_of_px, a->turned);
}

/* One query from outside over the words as keys and values. */
static sac_node attend_from_outside(sac_graph *g, const char *const names[3], sac_node query,
                                    sac_node x)
{
    sac_node weights = sac_softmax(g, names[1], sac_matmul_t(g, names[0], query, x));
    return sac_matmul(g, names[2], weights, x);
}

/* Words, then words in the new order and what attention makes of them; below them the other way round.
 * The rows of PX are dragged. */
static void draw(sac_lesson *l, const arrays *a)
{
    const sac_text px = SAC_TEXT_IN("PX", "PX");
    sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_ROWS,
        .panel_count = 2,
        .mark_count = 6,
        .marks = {{SAC_MARK_CELLS, 0, .y = a->sentence, .name = SAC_TEXT_IN("X", "X")},
                  {SAC_MARK_CELLS, 0, .y = a->px, .weights = a->permutation, .name = px},
                  {SAC_MARK_CELLS, 0, .since = 1, .before = 2, .y = a->output_of_px,
                   .name = SAC_TEXT_IN("f(PX)", "f(PX)")},
                  {SAC_MARK_CELLS, 1, .since = 1, .before = 2, .y = a->sentence,
                   .name = SAC_TEXT_IN("X", "X")},
                  {SAC_MARK_CELLS, 1, .since = 1, .before = 2, .y = a->plain,
                   .name = SAC_TEXT_IN("f(X)", "f(X)")},
                  {SAC_MARK_CELLS, 1, .since = 1, .before = 2, .y = a->turned,
                   .weights = a->permutation, .name = SAC_TEXT_IN("P f(X)", "P f(X)")}},
        .handle_count = WORDS};
    for (size_t i = 0; i < WORDS; i++)
        drawing.handles[i] = (sac_drawing_handle){
            .quiet = true,
            .x = {a->permutation, 0},
            .sets_y = {.number = {a->permutation, 0}},
            .does = SAC_TEXT_IN("Drag this row, or move it by ↑ and ↓: two rows change places.",
                                "拖动这一行，或用 ↑ ↓ 移动：两行交换位置。")};
    sac_lesson_draw(l, &drawing, 0, 2);
}

static void build(sac_lesson *l)
{
    arrays a;
    static const char *const here[] = {"outside.scores", "outside.weights", "c"};
    static const char *const there[] = {"outside.PX.scores", "outside.PX.weights", "c_of_PX"};
    static const float order[WORDS * WORDS] = {0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0};
    sac_graph *g = &l->graph;
    sac_node draws, sents = sac_notebook_sentences(l, &draws);
    sac_node first = sac_sliced(g, "first_sentence", sents, 0, 1);
    bool positions = sac_lesson_value(l, "positions") != 0;
    a.sentence = sac_reshaped(g, positions ? "words" : "X", first, SAC_MATRIX(WORDS, DEPTH));
    a.permutation = sac_lesson_given(l, "P", SAC_MATRIX(WORDS, WORDS), order);
    sac_node turned = sac_matmul(g, positions ? "Pwords" : "PX", a.permutation, a.sentence);
    sac_node places = positions ? sac_positions(g, "positions", WORDS, DEPTH) : 0;
    a.x = positions ? sac_sum(g, "X", a.sentence, places) : a.sentence;
    a.px = positions ? sac_sum(g, "PX", turned, places) : turned;
    self_attention(l, &a);
    a.query = sac_sliced(g, "outside", sents, 1, 1);
    a.query = sac_sliced(g, "query",
                         sac_reshaped(g, "outside.rows", a.query, SAC_MATRIX(WORDS, DEPTH)), 0, 1);
    a.found = attend_from_outside(g, here, a.query, a.x);
    a.found_in_px = attend_from_outside(g, there, a.query, a.px);
    a.change = sac_difference(g, "c_change", a.found_in_px, a.found);
    SAC_LESSON_STEP(l, steps[0], a.permutation, a.sentence, a.px);
    SAC_LESSON_STEP(l, steps[1], a.output_of_px, a.turned, a.difference);
    SAC_LESSON_STEP(l, steps[2], a.found, a.found_in_px, a.change);
    draw(l, &a);
}

const sac_lesson_class sac_lesson_permutation = {
    .name = "permutation",
    .title = SAC_TEXT_IN("Attention sees a set", "注意力看到的是集合"),
    .summary = SAC_TEXT_IN(
        "self-attention is equivariant, cross-attention invariant; with positions neither holds",
        "自注意力等变，交叉注意力不变；加上位置两者都不成立"),
    .parameters = parameters,
    .seed = 0,
    .asks = sac_asks_permutation,
    .build = build,
};
