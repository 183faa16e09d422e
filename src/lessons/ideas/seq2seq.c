/* Translating with one vector for the whole sentence, and with attention over all its words: the
 * lecture's "estamos comiendo pan", then what both do to a trained translator. */
#include <math.h>

#include "lessons/ideas/lessons.h"
#include "lessons/shared/translated.h"

enum { SOURCE = 4, TARGET = 3, DEPTH = 3, BANDS = 5 };

static const sac_lesson_parameter parameters[] = {
    {"attention", SAC_TEXT_IN("attention (0: the last state alone)", "注意力（0：只用最后的状态）"),
     0, 1, 1, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = SAC_TEXT_IN("one vector", "一个向量"),
     .sentence =
         SAC_TEXT_IN("An encoder makes a state h of each word; without attention the decoder gets "
                     "only the last one as c.",
                     "编码器给每个词一个状态 h；没有注意力时，解码器只得到最后一个作为 c。"),
     .formula = "c = h_T",
     .notice = SAC_TEXT_IN("c has as many numbers as one h, however long the sentence is.",
                           "无论句子多长，c 的维数都与一个 h 相同。"),
     .code = "c = h[-1]"},
    {.name = SAC_TEXT_IN("scores", "分数"),
     .sentence = SAC_TEXT_IN("With attention the decoder compares its state with every h, anew for "
                             "each word it writes.",
                             "有注意力时，每写一个词，解码器的状态都与每个 h 重新比较。"),
     .formula = "e[t,i] = f_att(s[t−1], h[i])",
     .notice = SAC_TEXT_IN(
         "\"Estamos\" means \"we are\": both words get the same score, and the others 0.",
         "“estamos” 就是 “we are”：两个词分数相同，其余为 0。"),
     .code = "e = f_att(s, h)   # any network"},
    {.name = SAC_TEXT_IN("weights", "权重"),
     .sentence = SAC_TEXT_IN("The softmax turns the scores into attention weights.",
                             "softmax 把分数变成注意力权重。"),
     .formula = "a[t,:] = softmax(e[t,:])",
     .notice = SAC_TEXT_IN("\"We\" and \"are\" get 0.45 each: attention need not choose one word.",
                           "“we” 与 “are” 各得 0.45：注意力不必二选一。"),
     .code = "a = e.softmax(-1)",
     .questions = {{SAC_ASK_LARGEST, 1,
                    SAC_TEXT_IN("The word with the largest score; of equal ones the first.",
                                "分数最大的词；相等时取第一个。")},
                   {SAC_ASK_VALUE, 1,
                    SAC_TEXT_IN("exp of its score, by the sum of the row.",
                                "它的分数取 exp，除以该行之和。")}}},
    {.name = SAC_TEXT_IN("context", "上下文"),
     .sentence =
         SAC_TEXT_IN("The context c is the mean of the states h, weighted by the row of the word.",
                     "上下文 c 是状态 h 按该词一行权重的平均。"),
     .formula = "c[t] = Σ a[t,i] h[i]",
     .notice = SAC_TEXT_IN("Without attention all rows are equal.", "没有注意力时各行都相等。"),
     .code = "c = a @ h",
     .questions = {{SAC_ASK_VALUE, 2,
                    SAC_TEXT_IN("Each state by its weight, added up.",
                                "每个状态乘以权重，再相加。")}}},
    {.name = SAC_TEXT_IN("a translator", "翻译模型"),
     .sentence = SAC_TEXT_IN("The same weights in a trained translator from English to French.",
                             "训练好的英法翻译模型中的权重。"),
     .formula = "a = softmax(e)",
     .notice = SAC_TEXT_IN("Each French word looks mostly at its English word, though only the "
                           "next word was trained.",
                           "每个法语词主要看对应的英语词，尽管训练时只要求预测下一个词。"),
     .code = "a = e.softmax(-1)   # saccade translate \"the agreement on …\"",
     .questions = {{SAC_ASK_LARGEST, 0,
                    SAC_TEXT_IN("What the French word stands for.", "法语词所对应的英语词。")}}},
    {.name = SAC_TEXT_IN("by length", "按长度"),
     .sentence =
         SAC_TEXT_IN("The fraction of sentences translated exactly, with attention and with "
                     "one vector, by length.",
                     "按句子词数分组的完全正确率：有注意力，和只有一个向量。"),
     .formula = "gap = exact[attention] − exact[one vector]",
     .notice =
         SAC_TEXT_IN("Attention stays near 1, while one vector falls to 0 for long sentences.",
                     "有注意力时一直接近 1；只有一个向量时，长句降到 0。"),
     .code = "gap = exact[0] - exact[1]   # saccade evaluate translator --by-length",
     .questions = {{SAC_ASK_LARGEST, 0,
                    SAC_TEXT_IN("The shortest sentences lose least; of equal ones the first.",
                                "短句损失最少；相等时取第一个。")}}},
};

typedef struct arrays {
    sac_node h, last, e, a, c, bits, exact, gap;
    sac_node bottleneck; /* all weight on the last state, as without attention */
} arrays;

static void add_toy(sac_lesson *l, arrays *a)
{
    static const float states[SOURCE * DEPTH] = {1,    0, 0.2f, 0.8f, 0.4f, 0,
                                                 0.1f, 1, 0.3f, 0,    0.2f, 1};
    const float nine = logf(9), most = logf(27);
    const float given[TARGET * SOURCE] = {nine, nine, 0, 0, 0, 0, most, 0, 0, 0, 0, most};
    sac_graph *g = &l->graph;
    a->h = sac_lesson_given(l, "h", SAC_MATRIX(SOURCE, DEPTH), states);
    a->e = sac_lesson_given(l, "e", SAC_MATRIX(TARGET, SOURCE), given);
    size_t words = sac_node_size(g, a->h, 0);
    a->last = sac_sliced(g, "last", a->h, words ? words - 1 : 0, 1);
    a->a = sac_softmax(g, "a", a->e);
    float all_on_last[SAC_LESSON_ROWS * SAC_LESSON_COLUMNS] = {0};
    size_t rows = sac_node_size(g, a->e, 0), columns = sac_node_size(g, a->e, 1);
    for (size_t t = 0; t < rows; t++)
        all_on_last[t * columns + columns - 1] = 1;
    a->bottleneck = sac_given(g, "a.one_vector", SAC_MATRIX(rows, columns), all_on_last);
    a->bits = sac_apply(g, SAC_OP_ENTROPY, "bits", a->a, 0, 0, 0, 0);
    if (sac_lesson_value(l, "attention") != 0) {
        a->c = sac_matmul(g, "c", a->a, a->h);
        return;
    }
    sac_node none = sac_times(g, "zeros", sac_matmul(g, "c.attended", a->a, a->h), 0);
    a->c = sac_sum(g, "c", none, a->last);
}

static void build(sac_lesson *l)
{
    arrays a = {0};
    add_toy(l, &a);
    /* Shares of 400 and 800 held-out sentences, by the bundled weights. */
    static const float exact[2 * BANDS] = {1, 1, 1, 0.99f, 0.99f, 0.99f, 0.80f, 0.28f, 0.04f, 0};
    sac_graph *g = &l->graph;
    a.exact = sac_given(g, "exact", SAC_MATRIX(2, BANDS), exact);
    a.gap = sac_difference(g, "gap", sac_sliced(g, "exact.attention", a.exact, 0, 1),
                           sac_sliced(g, "exact.one_vector", a.exact, 1, 1));
    static const char *const english[] = {"we", "are", "eating", "bread"};
    static const char *const spanish[] = {"estamos", "comiendo", "pan"};
    static const char *const lengths[] = {"≤ 7", "8–13", "14–17", "18–21", "≥ 22"};
    static const char *const kinds[] = {"attention", "one vector"};
    sac_lesson_label(l, a.h, english, SOURCE, NULL, 0);
    sac_lesson_label(l, a.e, spanish, TARGET, english, SOURCE);
    sac_lesson_label(l, a.a, spanish, TARGET, english, SOURCE);
    sac_lesson_label(l, a.bottleneck, spanish, TARGET, english, SOURCE);
    sac_lesson_label(l, a.c, spanish, TARGET, NULL, 0);
    sac_lesson_label(l, a.bits, spanish, TARGET, NULL, 0);
    static const char *const kinds_zh[] = {"注意力", "一个向量"};
    sac_lesson_label(l, a.exact, kinds, 2, lengths, BANDS);
    sac_lesson_label(l, a.gap, NULL, 0, lengths, BANDS);
    sac_lesson_label_terms(l, a.exact, kinds_zh, NULL);
    sac_node found =
        sac_softmax(&l->graph, "translator.a", sac_translated_scores(l, "translator.e"));
    sac_translated_label(l, found, 0, 0);
    SAC_LESSON_STEP(l, steps[0], a.h, a.last);
    SAC_LESSON_STEP(l, steps[1], a.h, a.e);
    SAC_LESSON_STEP(l, steps[2], a.e, a.a, a.bits);
    SAC_LESSON_STEP(l, steps[3], a.a, a.h, a.c);
    SAC_LESSON_STEP(l, steps[4], found);
    SAC_LESSON_STEP(l, steps[5], a.exact, a.gap);
    /* Words look at words; then how many sentences come out right, by their length. */
    bool attends = sac_lesson_value(l, "attention") != 0;
    const sac_text gets = SAC_TEXT_IN("what the decoder gets", "解码器得到什么");
    const sac_lesson_drawing bands = {
        .kind = SAC_DRAWS_BANDS,
        .panel_count = 1,
        .mark_count = 4,
        .marks = {{SAC_MARK_BANDS, .before = 1, .y = a.bottleneck, .name = gets},
                  {SAC_MARK_BANDS, .since = 2, .before = 3, .y = a.a},
                  {SAC_MARK_BANDS, .since = 3, .before = 4, .y = attends ? a.a : a.bottleneck,
                   .name = attends ? (sac_text){{NULL}} : gets},
                  {SAC_MARK_BANDS, .since = 4, .y = found}}};
    sac_lesson_draw(l, &bands, 0, 0);
    sac_lesson_draw(l, &bands, 2, 4);
    sac_node with = sac_graph_find(g, "exact.attention"),
             without = sac_graph_find(g, "exact.one_vector");
    sac_lesson_label(l, with, NULL, 0, lengths, BANDS);
    const sac_lesson_drawing lines = {
        .panel_count = 1,
        .panels = {{.y = SAC_TEXT_IN("translated exactly", "完全译对"),
                    .x = SAC_TEXT_IN("words", "词数"),
                    .categories = with,
                    .x_low = -0.6f,
                    .x_high = BANDS - 0.4f,
                    .y_low = 0,
                    .y_high = 1.15f}},
        .mark_count = 2,
        .marks = {{SAC_MARK_BARS, 0, .y = with, .ink = SAC_INK_ACCENT,
                   .name = SAC_TEXT_IN("attention", "注意力")},
                  {SAC_MARK_BARS, 0, .y = without, .ink = SAC_INK_BLUE,
                   .name = SAC_TEXT_IN("one vector", "一个向量")}}};
    sac_lesson_draw(l, &lines, 5, 5);
}

const sac_lesson_class sac_lesson_seq2seq = {
    .name = "seq2seq",
    .title = SAC_TEXT_IN("From sequence to sequence", "从序列到序列"),
    .summary = SAC_TEXT_IN("one vector for a sentence, or attention over all its words",
                           "整句一个向量，或对所有词的注意力"),
    .parameters = parameters,
    .asks = sac_asks_seq2seq,
    .build = build,
};
