/* A picture of 9 × 9 as a set of 27 rows of 3 numbers, and the lecture's three generalisations of
 * attention on it. As in the lecture, each column is a query: scores [27,9], the softmax goes over the
 * rows. */
#include <math.h>

#include "lessons/engine/own_data.h"
#include "lessons/ideas/lessons.h"

enum { SIDE = 9, DEPTH = 3, CELLS = SIDE * SIDE / DEPTH, QUERIES = 9 };

static const sac_lesson_parameter parameters[] = {
    {"keys", SAC_TEXT_IN("keys by W_K", "键用 W_K"), 0, 1, 0, true},
    {"values", SAC_TEXT_IN("values by W_V", "值用 W_V"), 0, 1, 0, true},
    {"self", SAC_TEXT_IN("queries by W_Q of the picture", "查询由图像经 W_Q 得到"), 0, 1, 0, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = SAC_TEXT_IN("a set", "集合"),
     .sentence = SAC_TEXT_IN("The picture is cut into 27 cells of 3 numbers each.",
                             "图像切成 27 格，每格 3 个数。"),
     .formula = "9 × 9 → X [27,3]",
     .notice = SAC_TEXT_IN("Attention treats them as a set: their order does not matter.",
                           "注意力把它们看成集合：顺序无关紧要。"),
     .code = "X = picture.reshape(27, 3)"},
    {.name = SAC_TEXT_IN("queries", "查询"),
     .sentence = SAC_TEXT_IN("Nine queries of 3 numbers stand side by side, one per column.",
                             "九个查询并排，每列一个，各 3 个数。"),
     .formula = "Q [3,9]",
     .code = "Q = queries.T   # nine of three numbers, each a column",
     .notice = SAC_TEXT_IN("Other lessons write queries as rows; this is the transpose.",
                           "其他课程把查询写成行；这里是它的转置。")},
    {.name = SAC_TEXT_IN("scores", "分数"),
     .sentence =
         SAC_TEXT_IN("Each cell is compared with each query, and the product is divided by √3.",
                     "每个格子与每个查询比较，乘积再除以 √3。"),
     .formula = "E = K Q / √D",
     .notice =
         SAC_TEXT_IN("In this even ramp the query (1, 0, −1) gets the same score from all cells.",
                     "在这个均匀的渐变中，查询 (1, 0, −1) 从所有格子得到相同的分数。"),
     .code = "K = X\n"
             "E = K @ Q / math.sqrt(3)"},
    {.name = SAC_TEXT_IN("softmax", "softmax"),
     .sentence = SAC_TEXT_IN("The softmax runs down each column, over all cells.",
                             "softmax 沿每一列进行，即对所有格子。"),
     .formula = "A = softmax(E, dim=0)",
     .notice = SAC_TEXT_IN(
         "Each column adds up to 1; with dim=1 each row would, which is a common mistake.",
         "每列之和为 1；若用 dim=1 则是每行之和为 1，这是常见的错误。"),
     .code = "A = E.softmax(dim=0)",
     .questions = {{SAC_ASK_LARGEST, 1,
                    SAC_TEXT_IN("A large query makes its column sharp.",
                                "数值大的查询使它的一列变得尖锐。")}}},
    {.name = SAC_TEXT_IN("output", "输出"),
     .sentence = SAC_TEXT_IN("Each query gets a mean of the cells, weighted by its column.",
                             "每个查询得到按其列加权的格子平均。"),
     .formula = "Y = Vᵀ A",
     .notice =
         SAC_TEXT_IN("The query (0, 0, 0) gets the plain mean, because its weights are equal.",
                     "查询 (0, 0, 0) 得到简单平均，因为它的权重都相等。"),
     .code = "V = X\n"
             "Y = V.T @ A",
     .questions = {{SAC_ASK_VALUE, 2,
                    SAC_TEXT_IN("A mean of the cells' numbers.", "格子中数值的平均。")}}},
};

static const float given_queries[DEPTH][QUERIES] = {
    {0, 1, 10, -10, 1, 1, 0, 0, -1},
    {0, 1, 10, -10, 0, 0, 1, 0, 0},
    {0, 1, 10, -10, -1, 0, 0, 1, 1},
};

/* W_K, W_V or W_Q: the identity until a person changes it. */
static sac_node square_matrix(sac_lesson *l, const char *name)
{
    static const float identity[DEPTH * DEPTH] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    return sac_lesson_given(l, name, SAC_MATRIX(DEPTH, DEPTH), identity);
}

static sac_node add_queries(sac_lesson *l, sac_node x)
{
    sac_graph *g = &l->graph;
    if (sac_lesson_value(l, "self") == 0)
        return sac_lesson_given(l, "Q", SAC_MATRIX(DEPTH, QUERIES), given_queries[0]);
    sac_node all = sac_matmul(g, "XW_Q", x, square_matrix(l, "W_Q"));
    return sac_transposed(g, "Q", sac_sliced(g, "queries", all, 0, QUERIES));
}

/* Scores of cells and queries, and the softmax over the cells. */
static sac_node add_weights(sac_lesson *l, const char *const names[3], sac_node keys, sac_node q)
{
    sac_graph *g = &l->graph;
    sac_node e = sac_times(g, names[1], sac_matmul(g, names[0], keys, q), 1 / sqrtf(DEPTH));
    return sac_apply(g, SAC_OP_SOFTMAX_0, names[2], e, 0, 0, 0, 0);
}

/* ---- the drawing: a picture, and over it the weights of the query whose column is looked at */

/* [queries,rows,cells a row]; 0 where a person's own arrays are no grid. */
static sac_node as_maps(sac_graph *g, const char *turned, const char *name, sac_node weights)
{
    size_t queries = sac_node_size(g, weights, 1);
    return sac_node_size(g, weights, 0) == CELLS
               ? sac_reshaped(g, name, sac_transposed(g, turned, weights),
                              SAC_STACK(queries, SIDE, CELLS / SIDE))
               : 0;
}

/* The numbers themselves, where there is no photograph. */
static void draw_numbers(sac_lesson *l, sac_node image, sac_node weights)
{
    sac_node maps = as_maps(&l->graph, "A^T", "A.maps", weights);
    const sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_PICTURES,
        .panel_count = 1,
        .mark_count = 2,
        .marks = {{SAC_MARK_PICTURE, 0, .before = 3, .y = image,
                   .name = SAC_TEXT_IN("27 cells of 3 numbers", "27 格，每格 3 个数")},
                  {SAC_MARK_PICTURE, 0, .since = 3, .y = image, .weights = maps,
                   .name = SAC_TEXT_IN("where this query looks", "这个查询看哪里")}}};
    if (maps && sac_node_size(&l->graph, image, 1) == SIDE)
        sac_lesson_draw(l, &drawing, 0, 4);
}

/* A photograph that is cut in the same way, and asked by the same queries: their keys are its brightness,
 * as where a person gives it as the lesson's picture. */
static sac_node draw_sight(sac_lesson *l, sac_node q)
{
    enum { HIGH = 192, WIDE = 288 };
    static const char *const names[] = {"sight.KQ", "sight.E", "sight.A"};
    static const float luminance[3] = {0.2126f, 0.7152f, 0.0722f};
    sac_graph *g = &l->graph;
    sac_node sight = sac_lesson_sight(l, "sight", HIGH, WIDE);
    sac_node cells = sac_lesson_sight(l, "sight.cells", SIDE, SIDE);
    if (!sight || !cells || sac_node_size(g, q, 0) != DEPTH)
        return 0;
    sac_node flat = sac_reshaped(g, "sight.flat", cells, SAC_MATRIX(3, SIDE * SIDE));
    sac_node bright =
        sac_matmul(g, "sight.bright", sac_given(g, "luminance", SAC_MATRIX(1, 3), luminance), flat);
    sac_node keys = sac_reshaped(g, "sight.X", bright, SAC_MATRIX(CELLS, DEPTH));
    if (sac_lesson_value(l, "keys") != 0)
        keys = sac_matmul(g, "sight.K", keys, sac_graph_find(g, "W_K"));
    sac_node maps = as_maps(g, "sight.A^T", "sight.maps", add_weights(l, names, keys, q));
    const char *credit = sac_lesson_sight_credit(l);
    const sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_PICTURES,
        .panel_count = 1,
        .mark_count = 2,
        .marks = {{SAC_MARK_PICTURE, 0, .before = 3, .y = sight, .credit = credit, .cut_rows = SIDE,
                   .cut_columns = CELLS / SIDE,
                   .name = l->picture ? SAC_TEXT("27 cells of 3 numbers", "图像切成 27 格")
                                      : SAC_TEXT("a photo, cut alike", "同样切法的一张照片")},
                  {SAC_MARK_PICTURE, 0, .since = 3, .y = sight, .weights = maps, .credit = credit,
                   .name = l->picture ? SAC_TEXT("where this query looks", "这个查询看哪里")
                                      : SAC_TEXT("this query on a photo", "这个查询看照片")}}};
    sac_lesson_draw(l, &drawing, 0, 4);
    return sight;
}

static void build(sac_lesson *l)
{
    static const char *const names[] = {"KQ", "E", "A"};
    sac_graph *g = &l->graph;
    float picture[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        picture[i] = (float)i / (SIDE * SIDE - 1);
    sac_node image = sac_lesson_picture(l, "picture", SAC_MATRIX(SIDE, SIDE), picture);
    sac_node x = sac_reshaped(g, "X", image, SAC_MATRIX(CELLS, DEPTH));
    sac_node q = add_queries(l, x);
    bool keys = sac_lesson_value(l, "keys") != 0, values = sac_lesson_value(l, "values") != 0;
    sac_node k = keys ? sac_matmul(g, "K", x, square_matrix(l, "W_K")) : x;
    sac_node v = values ? sac_matmul(g, "V", x, square_matrix(l, "W_V")) : x;
    sac_node a = add_weights(l, names, k, q), e = sac_graph_find(g, "E");
    sac_node y = sac_matmul(g, "Y", sac_transposed(g, "V^T", v), a);
    SAC_LESSON_STEP(l, steps[0], image, x);
    SAC_LESSON_STEP(l, steps[1], q);
    SAC_LESSON_STEP(l, steps[2], k, q, e);
    SAC_LESSON_STEP(l, steps[3], e, a);
    SAC_LESSON_STEP(l, steps[4], v, a, y);
    sac_node sight = draw_sight(l, q);
    if (!sight)
        draw_numbers(l, image, a);
}

const sac_lesson_class sac_lesson_image_as_set = {
    .name = "image-as-set",
    .title = SAC_TEXT_IN("A picture as a set", "把图像看成集合"),
    .summary = SAC_TEXT_IN(
        "a picture of 9 × 9 as 27 cells, nine queries, and their softmax over the cells",
        "9 × 9 的图像是 27 个格子，九个查询对格子做 softmax"),
    .parameters = parameters,
    .asks = sac_asks_image_as_set,
    .build = build,
};
