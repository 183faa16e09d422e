/* A picture of 9 × 9 as a set of 27 rows of 3 numbers, and the lecture's three generalisations of
 * attention on it. As in the lecture, each column is a query: scores [27,9], the softmax goes over the
 * rows. */
#include <math.h>

#include "lessons/engine/lesson.h"
#include "lessons/ideas/lessons.h"

enum { SIDE = 9, DEPTH = 3, CELLS = SIDE * SIDE / DEPTH, QUERIES = 9 };

static const sac_lesson_parameter parameters[] = {
    {"keys", N_("keys by W_K"), 0, 1, 0, true},
    {"values", N_("values by W_V"), 0, 1, 0, true},
    {"self", N_("queries by W_Q of the picture"), 0, 1, 0, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("a set"),
     .sentence = N_("The picture is cut into 27 cells of 3 numbers each."),
     .formula = "9 × 9 → X [27,3]",
     .notice = N_("Attention treats them as a set: their order does not matter."),
     .code = "X = picture.reshape(27, 3)"},
    {.name = N_("queries"),
     .sentence = N_("Nine queries of 3 numbers stand side by side, one per column."),
     .formula = "Q [3,9]",
     .code = "Q = queries.T   # nine of three numbers, each a column",
     .notice = N_("Other lessons write queries as rows; this is the transpose.")},
    {.name = N_("scores"),
     .sentence = N_("Each cell is compared with each query, and the product is divided by √3."),
     .formula = "E = K Q / √D",
     .notice = N_("In this even ramp the query (1, 0, −1) gets the same score from all cells."),
     .cell = "E,0,4",
     .code = "K = X\n"
             "E = K @ Q / math.sqrt(3)"},
    {.name = N_("softmax"),
     .sentence = N_("The softmax runs down each column, over all cells."),
     .formula = "A = softmax(E, dim=0)",
     .notice = N_("Each column adds up to 1: every query has its weights over all cells."),
     .code = "A = E.softmax(dim=0)",
     .questions = {{SAC_ASK_LARGEST, 1,
                    N_("exp of each score, divided by the sum of its own column.")}}},
    {.name = N_("the other way"),
     .sentence = N_(
         "With dim=1 the softmax runs along each row: each cell is shared out among the queries."),
     .formula = "softmax(E, dim=0) ≠ softmax(E, dim=1)",
     .notice =
         N_("A common mistake: rows add up to 1, columns do not, and query 2 gets 23.5 of 27."),
     .code = "wrong = E.softmax(dim=1)\n"
             "sums, wrong_sums = A.sum(0), wrong.sum(0)",
     .cell = "sums.dim1,0,0"},
    {.name = N_("output"),
     .sentence = N_("Each query gets a mean of the cells, weighted by its column."),
     .formula = "Y = Vᵀ A",
     .notice = N_("The query (0, 0, 0) gets the plain mean, because its weights are equal."),
     .cell = "Y,0,0",
     .code = "V = X\n"
             "Y = V.T @ A",
     .questions = {{SAC_ASK_VALUE, 2, N_("A mean of the cells' numbers.")}}},
};

static const float given_queries[DEPTH][QUERIES] = {
    {0, 1, 10, -10, 1, 1, 0, 0, -1},
    {0, 1, 10, -10, 0, 0, 1, 0, 0},
    {0, 1, 10, -10, -1, 0, 0, 1, 1},
};

/* W_K, W_V or W_Q: the identity until a person changes it. */
static sac_node add_identity_matrix(sac_lesson *l, const char *name)
{
    static const float identity[DEPTH * DEPTH] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    return sac_lesson_given(l, name, SAC_MATRIX(DEPTH, DEPTH), identity);
}

static sac_node add_queries(sac_lesson *l, sac_node x)
{
    sac_graph *g = &l->graph;
    if (sac_lesson_value(l, "self") == 0)
        return sac_lesson_given(l, "Q", SAC_MATRIX(DEPTH, QUERIES), given_queries[0]);
    sac_node all = sac_matmul(g, "XW_Q", x, add_identity_matrix(l, "W_Q"));
    return sac_transposed(g, "Q", sac_sliced(g, "queries", all, 0, QUERIES));
}

/* Scores of cells and queries, and the softmax over the cells. */
static sac_node add_weights(sac_lesson *l, const char *const names[3], sac_node keys, sac_node q)
{
    sac_graph *g = &l->graph;
    sac_node e = sac_times(g, names[1], sac_matmul(g, names[0], keys, q), 1 / sqrtf(DEPTH));
    return sac_unary(g, SAC_OP_SOFTMAX_0, names[2], e);
}

/* ---- the drawing: a picture, and over it the weights of the query whose column is looked at */

/* [queries,rows,cells a row]; 0 where a person's own arrays are no grid. */
static sac_node weights_as_maps(sac_graph *g, const char *turned, const char *name,
                                sac_node weights)
{
    size_t queries = sac_node_size(g, weights, 1);
    return sac_node_size(g, weights, 0) == CELLS
               ? sac_reshaped(g, name, sac_transposed(g, turned, weights),
                              SAC_STACK(queries, SIDE, CELLS / SIDE))
               : 0;
}

/* The numbers as a picture, or a person's picture that they are of; what each query gets, as bars. */
static void add_drawings(sac_lesson *l, sac_node image, sac_node a, sac_node y)
{
    enum { HIGH = 192, WIDE = 288 };
    sac_graph *g = &l->graph;
    sac_node maps = weights_as_maps(g, "A^T", "A.maps", a);
    sac_node shown = l->picture ? sac_lesson_photo_colors(l, "sight", HIGH, WIDE) : image;
    sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_PICTURES,
        .panel_count = 1,
        .mark_count = 1,
        .marks = {{SAC_MARK_PICTURE, 0, .y = shown, .cut_rows = SIDE, .cut_columns = CELLS / SIDE,
                   .name = N_("27 cells of 3 numbers")}}};
    if (!maps || sac_node_size(g, image, 1) != SIDE)
        return;
    sac_lesson_add_drawing(l, &drawing, 0, 0);
    drawing.marks[0] = (sac_drawing_mark){SAC_MARK_PICTURE, 0, .y = shown, .weights = maps,
                                          .name = N_("where this query looks")};
    sac_lesson_add_drawing(l, &drawing, 3, 3);
    static const sac_mark_ink inks[DEPTH] = {SAC_INK_BLUE, SAC_INK_GREEN, SAC_INK_ACCENT};
    sac_lesson_drawing means = {
        .panel_count = 1,
        .panels = {
            {.title = N_("What each query gets: 3 numbers"), .x = N_("query"), .categories = a}}};
    for (size_t i = 0; i < DEPTH && i < sac_node_size(g, y, 0); i++) {
        static const char *const names[DEPTH] = {"Y[0]", "Y[1]", "Y[2]"};
        means.marks[means.mark_count++] = (sac_drawing_mark){
            SAC_MARK_BARS, 0, .y = sac_sliced(g, names[i], y, i, 1), .ink = inks[i]};
    }
    sac_lesson_add_drawing(l, &means, 5, 5);
}

static void build(sac_lesson *l)
{
    static const char *const names[] = {"KQ", "E", "A"};
    sac_graph *g = &l->graph;
    float picture[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        picture[i] = (float)i / (SIDE * SIDE - 1);
    sac_node image = sac_lesson_picture_luminance(l, "picture", SAC_MATRIX(SIDE, SIDE), picture);
    sac_node x = sac_reshaped(g, "X", image, SAC_MATRIX(CELLS, DEPTH));
    sac_node q = add_queries(l, x);
    bool keys = sac_lesson_value(l, "keys") != 0, values = sac_lesson_value(l, "values") != 0;
    sac_node k = keys ? sac_matmul(g, "K", x, add_identity_matrix(l, "W_K")) : x;
    sac_node v = values ? sac_matmul(g, "V", x, add_identity_matrix(l, "W_V")) : x;
    sac_node a = add_weights(l, names, k, q), e = sac_graph_find(g, "E");
    sac_node wrong = sac_softmax(g, "A.dim1", e), sums[2];
    static const char *const summed[2][3] = {{"A.turned", "A.turned.sums", "sums.dim0"},
                                             {"A.dim1.turned", "A.dim1.turned.sums", "sums.dim1"}};
    for (int i = 0; i < 2; i++)
        sums[i] = sac_transposed(
            g, summed[i][2],
            sac_unary(g, SAC_OP_SUM, summed[i][1], sac_transposed(g, summed[i][0], i ? wrong : a)));
    sac_node y = sac_matmul(g, "Y", sac_transposed(g, "V^T", v), a);
    SAC_LESSON_STEP(l, steps[0], image, x);
    SAC_LESSON_STEP(l, steps[1], q);
    SAC_LESSON_STEP(l, steps[2], k, q, e);
    SAC_LESSON_STEP(l, steps[3], e, a);
    SAC_LESSON_STEP(l, steps[4], a, wrong, sums[0], sums[1]);
    SAC_LESSON_STEP(l, steps[5], v, a, y);
    add_drawings(l, image, a, y);
    const sac_lesson_drawing both = {
        .panel_count = 1,
        .panels = {{.title = N_("What each query's weights add up to"),
                    .x = N_("query"),
                    .categories = sums[0]}},
        .mark_count = 2,
        .marks = {{SAC_MARK_BARS, 0, .y = sums[0], .ink = SAC_INK_BLUE, .name = "dim=0"},
                  {SAC_MARK_BARS, 0, .y = sums[1], .ink = SAC_INK_ACCENT, .name = "dim=1"}}};
    sac_lesson_add_drawing(l, &both, 4, 4);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Why can a picture be a set of cells, without an order?"),
     .reasons = {{N_("attention is a sum over all cells, and a sum has no order")},
                 {N_("all cells of a picture are equal")},
                 {N_("cells far away have no weight")}},
     .why = N_("The place of a cell has to be added to it, as a position.")},
    {.kind = SAC_ASK_WHY,
     .text =
         N_("E has a row for each cell and a column for each query. What would softmax(E, dim=1) "
            "do?"),
     .cell = "A,0,0",
     .reasons = {{N_("divide each cell's weight among the queries: rows add up to 1")},
                 {N_("divide each query's weight among the cells, as dim=0 does"), "A,0,2", '=',
                  "A,0,0"},
                 {N_("nothing else: a softmax is the same along both")}},
     .why = N_(
         "A query needs weights over the cells: dim=0 where queries are columns, dim=1 where they "
         "are rows.")},
    {0},
};

const sac_lesson_class sac_lesson_image_as_set = {
    .name = "image-as-set",
    .title = N_("A picture as a set"),
    .summary = N_("a picture of 9 × 9 as 27 cells, nine queries, and their softmax over the cells"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
