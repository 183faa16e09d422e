/* One word of a caption: attention over a grid of 3 × 3 cells, beside a decoder that gets the same
 * vector at every word. */
#include "lessons/engine/lesson.h"
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
    {"sharpness", N_("sharpness of the scores"), 0, 10, 2, false},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("grid"),
     .sentence = N_(
         "A network turns the picture into a grid of 3 × 3 cells, each a vector h of 4 numbers."),
     .formula = "h[i,j], i, j = 1 … 3",
     .code = "h = features.reshape(9, 4)   # a grid of 3 × 3 vectors",
     .notice = N_("Without attention the decoder gets only their mean v.")},
    {.name = N_("scores"),
     .sentence = N_("A small network compares the decoder's state s with each cell."),
     .formula = "e[t,i,j] = f_att(s[t−1], h[i,j])",
     .notice = N_("Each score e is one number."),
     .code = "e = sharpness * w_v @ torch.tanh(s @ W_s.T + h @ W_h.T).T"},
    {.name = N_("weights"),
     .sentence = N_("The softmax turns the nine scores into attention weights."),
     .formula = "a[t,:,:] = softmax(e[t,:,:])",
     .notice = N_("Laid over the picture, they are the heat map of one word."),
     .code = "a = e.softmax(-1)",
     .questions = {{SAC_ASK_LARGEST, 1, N_("The cell with the largest score.")}}},
    {.name = N_("context"),
     .sentence = N_("The context c is the mean of the cells, weighted by the attention "
                    "weights, and goes into the next state."),
     .formula = "c[t] = Σ a[t,i,j] h[i,j]",
     .notice = N_("c changes with each word, while v does not."),
     .code = "c = a @ h",
     .questions = {{SAC_ASK_VALUE, 2, N_("Each cell's number by its weight.")}}},
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
    sac_node mean = sac_transposed(g, "v", sac_unary(g, SAC_OP_MEAN, "h.mean", columns));
    bool square = sac_node_size(g, a, 1) == CELLS;
    sac_node grid = square ? sac_reshaped(g, "a.grid", a, SAC_MATRIX(SIDE, SIDE)) : a;
    sac_graph_share_colors(g, c, mean);
    SAC_LESSON_STEP(l, steps[0], h, mean);
    SAC_LESSON_STEP(l, steps[1], s, q, k, e);
    SAC_LESSON_STEP(l, steps[2], e, a, grid);
    SAC_LESSON_STEP(l, steps[3], a, h, c, mean);
    sac_node picture = square ? sac_lesson_photo_colors(l, "sight", 192, 288) : 0;
    const char *credit = sac_lesson_sight_credit(l);
    const sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_PICTURES,
        .panel_count = 1,
        .mark_count = 2,
        .marks = {{SAC_MARK_PICTURE, 0, .before = 2, .y = picture, .credit = credit,
                   .cut_rows = SIDE, .cut_columns = SIDE, .name = N_("each cell: a row of h")},
                  {SAC_MARK_PICTURE, 0, .since = 2, .y = picture, .weights = grid, .credit = credit,
                   .name = N_("where this word looks")}}};
    if (picture)
        sac_lesson_add_drawing(l, &drawing, 0, 3);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("What changes from one word of a caption to the next?"),
     .reasons = {{N_("the decoder's state, and with it scores and weights")},
                 {N_("the features of the cells")},
                 {N_("the number of cells")}},
     .why = N_("The picture is encoded once; each word asks it anew.")},
    {0},
};

const sac_lesson_class sac_lesson_caption_step = {
    .name = "caption-step",
    .title = N_("One word of a caption"),
    .summary = N_("e, a and c over a grid of 3 × 3, beside one vector for all words"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
