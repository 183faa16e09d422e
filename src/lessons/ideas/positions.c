/* A lesson on sinusoidal positions (Vaswani et al., 2017, section 3.5): what they are, and how
 * their dot products depend on distance. */
#include <math.h>
#include <stdlib.h>

#include "lessons/engine/own_data.h"
#include "lessons/ideas/lessons.h"

enum { LONGEST = 128 };

static const sac_lesson_parameter parameters[] = {
    {"d", SAC_TEXT_IN("numbers a position, d", "每个位置的维数 d"), 1, 512, 8, true},
    {"length", SAC_TEXT_IN("positions", "位置数"), 1, LONGEST, 12, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = SAC_TEXT_IN("waves", "波"),
     .sentence =
         SAC_TEXT_IN("Every position gets a row of sines and cosines, slower from pair to pair.",
                     "每个位置得到一行正弦与余弦，逐对变慢。"),
     .formula = "PE[p,2i] = sin(p / 10000^(2i/d)), PE[p,2i+1] = cos(…)",
     .notice =
         SAC_TEXT_IN("Position 0 is 0 1 0 1 …; the first columns turn fast, the last hardly move.",
                     "位置 0 是 0 1 0 1 …；前几列转得快，最后几列几乎不动。"),
     .code = "p, i = torch.arange(12).unsqueeze(1), torch.arange(0, d, 2)\n"
             "PE[:, 0::2] = torch.sin(p / 10000 ** (i / d))\n"
             "PE[:, 1::2] = torch.cos(p / 10000 ** (i / d))",
     .questions = {{SAC_ASK_VALUE, 0,
                    SAC_TEXT_IN("A sine in even columns, a cosine in odd ones.",
                                "偶数列是正弦，奇数列是余弦。")}}},
    {.name = SAC_TEXT_IN("wavelengths", "波长"),
     .sentence =
         SAC_TEXT_IN("The lengths of the waves are a geometric series.", "波长构成等比数列。"),
     .formula = "2π · 10000^(2i/d)",
     .code = "wavelengths = 2 * math.pi * 10000 ** (i / d)",
     .notice = SAC_TEXT_IN(
         "The last one is 2π·10000^((d−2)/d), a little less than the 10000·2π of the paper.",
         "最后一个是 2π·10000^((d−2)/d)，略小于论文所说的 10000·2π。")},
    {.name = SAC_TEXT_IN("distance", "距离"),
     .sentence = SAC_TEXT_IN("The dot product of two positions depends on their distance alone.",
                             "两个位置的点积只取决于它们的距离。"),
     .formula = "PE[p]·PE[p+k] = Σ cos(k ωᵢ)",
     .notice = SAC_TEXT_IN(
         "With itself it is d/2 for every position (d even), and it falls as they part.",
         "与自身的点积总是 d/2（d 为偶数），离得越远越小。"),
     .code = "products = PE @ PE.T",
     .questions = {{SAC_ASK_LARGEST, 1,
                    SAC_TEXT_IN("No position is more like it than itself.",
                                "没有哪个位置比自己更像自己。")}}},
};

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
}

const sac_lesson_class sac_lesson_positions = {
    .name = "positions",
    .title = SAC_TEXT_IN("Where a word stands", "词的位置"),
    .summary = SAC_TEXT_IN("sines and cosines whose dot product tells the distance",
                           "正弦与余弦：点积给出距离"),
    .parameters = parameters,
    .build = build,
};
