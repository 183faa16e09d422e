/* A lesson on sinusoidal positions (Vaswani et al., 2017, section 3.5): what they are, and how
 * their dot products depend on distance. */
#include <math.h>
#include <stdlib.h>

#include "lessons/engine/own_data.h"
#include "lessons/ideas/lessons.h"

enum { LONGEST = 128, WAVE = 241, WAVES = 4 /* that are drawn */ };

static const sac_lesson_parameter parameters[] = {
    {"d", SAC_TEXT_IN("numbers a position, d", "每个位置的维数 d"), 1, 512, 8, true},
    {"length", SAC_TEXT_IN("positions", "位置数"), 1, LONGEST, 12, true},
    {"p", SAC_TEXT_IN("position p in the drawing", "图中的位置 p"), 0, LONGEST - 1, 3, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = SAC_TEXT_IN("waves", "波"),
     .sentence = SAC_TEXT_IN("Each position gets a row of sines and cosines.",
                             "每个位置得到一行正弦与余弦。"),
     .formula = "PE[p,2i] = sin(p / 10000^(2i/d)), PE[p,2i+1] = cos(…)",
     .notice = SAC_TEXT_IN(
         "The first pair of columns turns fastest, and each pair after it turns more slowly.",
         "第一对列转得最快，后面每一对都更慢。"),
     .code = "p, i = torch.arange(12).unsqueeze(1), torch.arange(0, d, 2)\n"
             "PE[:, 0::2] = torch.sin(p / 10000 ** (i / d))\n"
             "PE[:, 1::2] = torch.cos(p / 10000 ** (i / d))",
     .questions = {{SAC_ASK_VALUE, 0,
                    SAC_TEXT_IN("A sine in even columns, a cosine in odd ones.",
                                "偶数列是正弦，奇数列是余弦。")}}},
    {.name = SAC_TEXT_IN("wavelengths", "波长"),
     .sentence = SAC_TEXT_IN("The wavelengths form a geometric series.", "波长构成等比数列。"),
     .formula = "2π · 10000^(2i/d)",
     .code = "wavelengths = 2 * math.pi * 10000 ** (i / d)",
     .notice = SAC_TEXT_IN("The longest is 2π·10000^((d−2)/d), a little less than 10000·2π.",
                           "最长的是 2π·10000^((d−2)/d)，略小于 10000·2π。")},
    {.name = SAC_TEXT_IN("distance", "距离"),
     .sentence = SAC_TEXT_IN("The dot product of two positions is a sum of waves cos(k ω), so it "
                             "depends only on their distance k.",
                             "两个位置的点积是各个波 cos(k ω) 之和，所以只取决于距离 k。"),
     .formula = "PE[p]·PE[p+k] = Σ cos(k ωᵢ)",
     .notice = SAC_TEXT_IN(
         "It falls, but rises near k = 6 if d is small: the fastest wave has made a full turn; "
         "slower "
         "waves fall on.",
         "它先下降；d 较小时，到 k = 6 附近又上升，因为最快的波转完了一圈，而较慢的波仍在下降。"),
     .code = "products = PE @ PE.T",
     .questions = {{SAC_ASK_LARGEST, 1,
                    SAC_TEXT_IN("No position is more like it than itself.",
                                "没有哪个位置比自己更像自己。")}}},
};

typedef struct arrays {
    sac_node encoding, by_distance;
} arrays;

/* The cosines of the pairs as waves between the positions, [WAVE,pairs], and their sum: the dot
 * product with position 0. */
static sac_node add_waves(sac_lesson *l, size_t d, size_t pairs, float end)
{
    float *waves = malloc((WAVE * pairs + 1) * sizeof *waves);
    for (size_t i = 0; waves && i < WAVE * pairs; i++) {
        double at = (double)end * (double)(i / pairs) / (WAVE - 1);
        waves[i] = (float)cos(at / pow(10000, 2.0 * (double)(i % pairs) / (double)d));
    }
    sac_node node = waves ? sac_given(&l->graph, "waves.all", SAC_MATRIX(WAVE, pairs), waves) : 0;
    free(waves);
    return node;
}

/* Waves above and, where products are shown, their sum below; the position is dragged. */
static void draw(sac_lesson *l, const arrays *a)
{
    sac_graph *g = &l->graph;
    size_t d = sac_node_size(g, a->encoding, 1), count = sac_node_size(g, a->encoding, 0),
           pairs = d / 2, shown = pairs < WAVES ? pairs : WAVES;
    float end = (float)(count > 1 ? count - 1 : 1), p = fminf(sac_lesson_value(l, "p"), end);
    int cells[WAVES], same[WAVES] = {0}, place = (int)p;
    if (!a->encoding || pairs == 0 || count < 2)
        return;
    for (size_t i = 0; i < shown; i++)
        cells[i] = (int)((size_t)p * d + 2 * i + 1);
    sac_node at = sac_lesson_axis(l, "waves.p", 0, end, WAVE);
    sac_node all = add_waves(l, d, pairs, end);
    sac_node waves = sac_sliced(g, "waves", sac_transposed(g, "waves.rows", all), 0, shown);
    sac_node sum = sac_apply(g, SAC_OP_SUM, "waves.sum", all, 0, 0, 0, 0);
    sac_node position = sac_given(g, "p", SAC_MATRIX(1, 1), &p);
    sac_node on_waves = sac_gather(g, "encoding[p]", a->encoding, SAC_MATRIX(1, shown), cells);
    sac_node places = sac_gather(g, "p.places", position, SAC_MATRIX(1, shown), same);
    sac_node product = sac_gather(g, "dot[p]", a->by_distance, SAC_MATRIX(1, 1), &place);
    sac_lesson_drawing drawing = {
        .panel_count = 2,
        .panels = {{.title = SAC_TEXT_IN("Columns 1, 3, 5 …: slower and slower",
                                         "第 1、3、5… 列：余弦，逐对变慢"),
                    .x = SAC_TEXT_IN("position p", "位置 p"),
                    .y_low = -1.15f,
                    .y_high = 1.15f,
                    .x_high = end},
                   {.title = SAC_TEXT_IN("Their sum, PE[0]·PE[p]", "它们的和 PE[0]·PE[p]"),
                    .x = SAC_TEXT_IN("position p", "位置 p"),
                    .since = 2,
                    .x_high = end}},
        .mark_count = 7,
        .marks = {{SAC_MARK_RULE, 0, .x = position, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_LINE, 0, .x = at, .y = waves},
                  {SAC_MARK_POINTS, 0, .x = places, .y = on_waves, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_RULE, 1, .x = position, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_LINE, 1, .x = at, .y = sum, .ink = SAC_INK_BLUE},
                  {SAC_MARK_POINTS, 1, .y = a->by_distance, .ink = SAC_INK_BLUE},
                  {SAC_MARK_POINTS, 1, .x = position, .y = product, .ink = SAC_INK_ACCENT}},
        .handle_count = 1,
        .handles = {{.x = {position, 0},
                     .sets_x = {.parameter = "p"},
                     .does = SAC_TEXT_IN("Drag the position p, or move it by ← and →.",
                                         "拖动位置 p，或用 ← → 移动。")}}};
    sac_lesson_draw(l, &drawing, 0, 2);
}

static void build(sac_lesson *l)
{
    sac_graph *g = &l->graph;
    size_t d = (size_t)sac_lesson_value(l, "d"), count = (size_t)sac_lesson_value(l, "length"),
           words = sac_lesson_word_count(l);
    count = words ? words : count;
    sac_node encoding = sac_positions(g, "encoding", count, d);
    /* 2π 10000^(2i/d) of each pair. */
    float lengths[512];
    size_t pairs = (d + 1) / 2;
    for (size_t i = 0; i < pairs; i++)
        lengths[i] = (float)(2 * acos(-1) * pow(10000, 2.0 * (double)i / (double)d));
    sac_node wavelengths = sac_given(&l->graph, "wavelengths", SAC_VECTOR(pairs), lengths);
    sac_node first = sac_sliced(g, "first", encoding, 0, 1);
    sac_node by_distance = sac_matmul_t(g, "dot_by_distance", first, encoding);
    sac_node products = sac_matmul_t(g, "products", encoding, encoding);
    sac_lesson_label_words(l, encoding, true, false);
    sac_lesson_label_words(l, products, true, true);
    SAC_LESSON_STEP(l, steps[0], encoding);
    SAC_LESSON_STEP(l, steps[1], wavelengths);
    SAC_LESSON_STEP(l, steps[2], by_distance, products);
    draw(l, &(arrays){encoding, by_distance});
}

const sac_lesson_class sac_lesson_positions = {
    .name = "positions",
    .title = SAC_TEXT_IN("Where a word stands", "词的位置"),
    .summary = SAC_TEXT_IN("sines and cosines whose dot product depends on the distance",
                           "正弦与余弦：点积给出距离"),
    .parameters = parameters,
    .asks = sac_asks_positions,
    .build = build,
};
