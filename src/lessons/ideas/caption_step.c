/* One word of a caption: attention over a grid of 3 × 3 cells, beside a decoder that gets the same
 * vector at every word. */
#include "lessons/engine/own_data.h"
#include "lessons/ideas/lessons.h"

enum { SIDE = 3, CELLS = SIDE * SIDE, DEPTH = 4, HIDDEN = 3, ATTENTION = 2 };

static const float cells[CELLS * DEPTH] = {
    0.1f, 0,    0.2f, 0,    0.2f, 0.1f, 0,    0,    0,    0.1f, 0.1f, 0,
    0,    0.9f, 0.1f, 0.2f, 0.1f, 1.2f, 0.1f, 0.3f, 0.2f, 0.1f, 0,    1.1f,
    0.8f, 0,    0.1f, 0,    0.9f, 0.1f, 0,    0.1f, 1,    0,    0,    0.2f,
};
static const float state[HIDDEN] = {0.5f, -1, 0.2f};
static const float w_state[ATTENTION * HIDDEN] = {0.4f, -0.8f, 0.1f, 0.3f, 0.2f, -0.5f};
static const float w_cell[ATTENTION * DEPTH] = {-0.6f, 1.4f, 0.2f, -0.3f, 0.2f, 0.5f, 0.1f, 0.9f};
static const float v_given[ATTENTION] = {2, 0.5f};

static const sac_lesson_parameter parameters[] = {
    {"sharpness", SAC_TEXT_IN("sharpness of the scores", "分数的尖锐程度"), 0, 10, 2, false},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = SAC_TEXT_IN("grid", "网格"),
     .sentence = SAC_TEXT_IN(
         "A network turns the picture into a grid of 3 × 3 cells, each a vector h of 4 numbers.",
         "网络把图像变成 3 × 3 的网格，每格是 4 个数的向量 h。"),
     .formula = "h[i,j], i, j = 1 … 3",
     .code = "h = features.reshape(9, 4)   # a grid of 3 × 3 vectors",
     .notice = SAC_TEXT_IN("Without attention the decoder gets only their mean v.",
                           "没有注意力时，解码器只得到它们的平均 v。")},
    {.name = SAC_TEXT_IN("scores", "分数"),
     .sentence = SAC_TEXT_IN("A small network compares the decoder's state s with each cell.",
                             "一个小网络把解码器的状态 s 与每个格子比较。"),
     .formula = "e[t,i,j] = f_att(s[t−1], h[i,j])",
     .notice = SAC_TEXT_IN("Each score e is one number.", "每个分数 e 是一个数。"),
     .code = "e = sharpness * w_v @ torch.tanh(s @ W_s.T + h @ W_h.T).T"},
    {.name = SAC_TEXT_IN("weights", "权重"),
     .sentence = SAC_TEXT_IN("The softmax turns the nine scores into attention weights.",
                             "softmax 把九个分数变成注意力权重。"),
     .formula = "a[t,:,:] = softmax(e[t,:,:])",
     .notice = SAC_TEXT_IN("Laid over the picture, they are the heat map of one word.",
                           "把它们铺在图上，就是一个词的热图。"),
     .code = "a = e.softmax(-1)",
     .questions = {{SAC_ASK_LARGEST, 1,
                    SAC_TEXT_IN("The cell with the largest score.", "分数最大的格子。")}}},
    {.name = SAC_TEXT_IN("context", "上下文"),
     .sentence = SAC_TEXT_IN("The context c is the mean of the cells, weighted by the attention "
                             "weights, and goes into the next state.",
                             "上下文 c 是按注意力权重加权的格子平均，它进入下一个状态。"),
     .formula = "c[t] = Σ a[t,i,j] h[i,j]",
     .notice =
         SAC_TEXT_IN("c changes with each word, while v does not.", "c 随每个词变化，v 不变。"),
     .code = "c = a @ h",
     .questions = {{SAC_ASK_VALUE, 2,
                    SAC_TEXT_IN("Each cell's number by its weight.", "每格的数乘以权重。")}}},
};

static void build(sac_lesson *l)
{
    sac_graph *g = &l->graph;
    sac_node h = sac_lesson_given(l, "h", SAC_MATRIX(CELLS, DEPTH), cells);
    sac_node s = sac_lesson_given(l, "s", SAC_MATRIX(1, HIDDEN), state);
    sac_node from_s = sac_lesson_given(l, "W_s", SAC_MATRIX(ATTENTION, HIDDEN), w_state);
    sac_node from_h = sac_lesson_given(l, "W_h", SAC_MATRIX(ATTENTION, DEPTH), w_cell);
    sac_node v = sac_lesson_given(l, "w_v", SAC_MATRIX(1, ATTENTION), v_given);
    sac_node q = sac_matmul_t(g, "query", s, from_s), k = sac_matmul_t(g, "keys", h, from_h);
    sac_node raw = sac_apply(g, SAC_OP_ADDITIVE, "f_att", q, k, v, 0, 0);
    sac_node e = sac_times(g, "e", raw, sac_lesson_value(l, "sharpness"));
    sac_node a = sac_softmax(g, "a", e);
    sac_node c = sac_matmul(g, "c", a, h);
    sac_node columns = sac_transposed(g, "h^T", h);
    sac_node mean =
        sac_transposed(g, "v", sac_apply(g, SAC_OP_MEAN, "h.mean", columns, 0, 0, 0, 0));
    bool square = sac_node_size(g, a, 1) == CELLS;
    sac_node grid = square ? sac_reshaped(g, "a.grid", a, SAC_MATRIX(SIDE, SIDE)) : a;
    sac_coloured_alike(g, c, mean);
    SAC_LESSON_STEP(l, steps[0], h, mean);
    SAC_LESSON_STEP(l, steps[1], s, q, k, e);
    SAC_LESSON_STEP(l, steps[2], e, a, grid);
    SAC_LESSON_STEP(l, steps[3], a, h, c, mean);
    sac_node picture = square ? sac_lesson_sight(l, "sight", 192, 288) : 0;
    const char *credit = sac_lesson_sight_credit(l);
    const sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_PICTURES,
        .panel_count = 1,
        .mark_count = 2,
        .marks = {{SAC_MARK_PICTURE, 0, .before = 2, .y = picture, .credit = credit,
                   .cut_rows = SIDE, .cut_columns = SIDE,
                   .name = SAC_TEXT_IN("each cell: a row of h", "每格对应 h 的一行")},
                  {SAC_MARK_PICTURE, 0, .since = 2, .y = picture, .weights = grid, .credit = credit,
                   .name = SAC_TEXT_IN("where this word looks", "这个词看哪里")}}};
    if (picture)
        sac_lesson_draw(l, &drawing, 0, 3);
}

const sac_lesson_class sac_lesson_caption_step = {
    .name = "caption-step",
    .title = SAC_TEXT_IN("One word of a caption", "描述中的一个词"),
    .summary = SAC_TEXT_IN("e, a and c over a grid of 3 × 3, beside one vector for all words",
                           "3 × 3 网格上的 e、a、c，与所有词共用一个向量相比"),
    .parameters = parameters,
    .asks = sac_asks_caption_step,
    .build = build,
};
