/* Padding mask and causal mask, joined by or; a row that is wholly blocked; the leak test. Word
 * numbers are those of the notes' example: 0 is padding, and 1 in a mask blocks. */
#include <math.h>
#include <stdlib.h>

#include "lessons/engine/own_data.h"
#include "lessons/ideas/lessons.h"

enum { BATCH = 3, WORDS = 5 };

static const sac_lesson_parameter parameters[] = {
    {"padding", SAC_TEXT_IN("padding mask", "填充掩码"), 0, 1, 1, true},
    {"causal", SAC_TEXT_IN("causal mask", "因果掩码"), 0, 1, 1, true},
    {"nan", SAC_TEXT_IN("a wholly blocked row is NaN", "整行被屏蔽时为 NaN"), 0, 1, 0, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = SAC_TEXT_IN("padding", "填充"),
     .sentence = SAC_TEXT_IN("The sentences of a batch are filled up with the word number 0, "
                             "behind their words or before them.",
                             "一批句子用词号 0 补齐：补在词后，或补在词前。"),
     .formula = "is_padding = (ids = 0)",
     .notice = SAC_TEXT_IN("A 1 marks what is blocked, as in nn.MultiheadAttention.",
                           "1 表示屏蔽，与 nn.MultiheadAttention 相同。"),
     .code = "is_padding = ids_k == 0"},
    {.name = SAC_TEXT_IN("padding mask", "填充掩码"),
     .sentence =
         SAC_TEXT_IN("No query may see padding among the keys.", "任何查询都看不到键中的填充。"),
     .formula = "pad_mask[b,i,j] = is_padding[b,j]",
     .notice = SAC_TEXT_IN("Only columns are blocked, so the rows of padded queries still have "
                           "weights; they are not used.",
                           "只屏蔽列，所以填充查询的行仍有权重，只是没有人使用。"),
     .code = "pad_mask = is_padding.unsqueeze(1).expand(-1, ids_q.size(1), -1)",
     .questions = {{SAC_ASK_COUNT, 2,
                    SAC_TEXT_IN("As many as there are zeros among the words.",
                                "与词中 0 的个数相同。")}}},
    {.name = SAC_TEXT_IN("causal mask", "因果掩码"),
     .sentence = SAC_TEXT_IN("A word may not see the words after it, which are not written yet.",
                             "一个词看不到它后面的词：它们还没有写出来。"),
     .formula = "sequence_mask[i,j] = j > i",
     .notice = SAC_TEXT_IN("10 of the 25 cells are blocked: the triangle above the diagonal.",
                           "25 格中屏蔽 10 格：对角线以上的三角。"),
     .code = "sequence_mask = torch.triu(torch.ones(5, 5), diagonal=1).bool()",
     .questions = {{SAC_ASK_COUNT, 0,
                    SAC_TEXT_IN("Row i blocks all keys after i.",
                                "第 i 行屏蔽 i 之后的所有键。")}}},
    {.name = SAC_TEXT_IN("joined", "合并"),
     .sentence = SAC_TEXT_IN("A cell is blocked where either mask blocks it.",
                             "任一掩码屏蔽的格子都被屏蔽。"),
     .formula = "mask = pad_mask ∨ sequence_mask",
     .notice =
         SAC_TEXT_IN("12 cells stay open in the first sentence, 5 in the second; two rows of the "
                     "third have none.",
                     "两种掩码都用时，第一句剩 12 格，第二句剩 5 格；第三句有两行什么都不剩。"),
     .code = "mask = pad_mask | sequence_mask"},
    {.name = SAC_TEXT_IN("weights", "权重"),
     .sentence = SAC_TEXT_IN("A blocked score is set to −∞, so its weight is exactly 0.",
                             "被屏蔽的分数设为 −∞，权重恰好为 0。"),
     .formula = "P = softmax(S),  S[mask] = −∞",
     .notice = SAC_TEXT_IN("A row with nothing left is 0/0: NaN in PyTorch, and 0 here.",
                           "什么都不剩的行是 0/0：PyTorch 给出 NaN，这里给 0。"),
     .code =
         "weights = scores.masked_fill(mask, -math.inf).softmax(-1)   # NaN where nothing is left\n"
         "weights = weights.nan_to_num(0)",
     .questions = {{SAC_ASK_VALUE, 3,
                    SAC_TEXT_IN("Equal scores share what is open equally.",
                                "分数相等时，开放的格子平分。")}}},
};

/* [B,T] → [B,T,T]: a mask over keys is the same for every query. */
static sac_node for_every_query(sac_graph *g, const char *name, sac_node keys, size_t queries)
{
    size_t batch = sac_node_size(g, keys, 0), count = sac_node_size(g, keys, 1);
    int *index = malloc((batch * queries * count + 1) * sizeof *index);
    for (size_t i = 0; index && i < batch * queries * count; i++)
        index[i] = (int)(i / count / queries * count + i % count);
    sac_node node = index ? sac_gather(g, name, keys, SAC_STACK(batch, queries, count), index) : 0;
    free(index);
    return node;
}

typedef struct arrays {
    sac_node ids_q, ids_k, is_padding, pad_mask, sequence_mask, mask, scores, masked, weights;
} arrays;

/* First the words and the padding; then a matrix for each sentence, with a curtain over what it may not
 * see. What a hand covers is padding, or blocked in the causal mask, which is one for all sentences. */
static void draw(sac_lesson *l, const arrays *a)
{
    sac_graph *g = &l->graph;
    static const sac_text titles[BATCH] = {SAC_TEXT_IN("sentence 0", "第 0 句"),
                                           SAC_TEXT_IN("sentence 1", "第 1 句"),
                                           SAC_TEXT_IN("sentence 2", "第 2 句")};
    enum { WORDS_OF_ALL = BATCH, ALL, PANELS }; /* panels of all sentences */
    sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_MATRIX,
        .part = 0.42f,
        .panel_count = PANELS,
        .panels[WORDS_OF_ALL] = {.title = SAC_TEXT_IN("words and padding", "词与填充"),
                                 .y = SAC_TEXT_IN("sentence", "句子")},
        .panels[ALL] = {.title = SAC_TEXT_IN("every sentence", "每一句"),
                        .y = SAC_TEXT_IN("query", "查询"),
                        .x = SAC_TEXT_IN("key", "键")},
        .mark_count = 2,
        .marks = {{SAC_MARK_CELLS, WORDS_OF_ALL, .before = 1, .y = a->ids_k,
                   .weights = a->is_padding, .sets = {a->ids_k, 0}, .open = 9},
                  {SAC_MARK_CELLS, ALL, .since = 2, .before = 3, .y = a->sequence_mask,
                   .weights = a->sequence_mask, .sets = {a->sequence_mask, 0}, .covered = 1}}};
    size_t batch = sac_node_size(g, a->weights, 0), keys = sac_node_size(g, a->weights, 2);
    for (size_t b = 0; b < batch && b < BATCH; b++) {
        const struct {
            sac_node node;
            const char *name;
        } of[] = {{a->pad_mask, "pad"}, {a->mask, "joined"}, {a->weights, "shares"}};
        sac_node parts[3];
        for (int i = 0; i < 3; i++) {
            char name[32];
            snprintf(name, sizeof name, "%s.%zu", of[i].name, b);
            parts[i] = sac_sliced(g, name, of[i].node, b, 1);
            sac_lesson_label_words(l, parts[i], true, true);
        }
        const sac_drawing_mark marks[] = {
            {SAC_MARK_CELLS, (int)b, .since = 1, .before = 2, .y = parts[0], .weights = parts[0],
             .sets = {a->ids_k, b * keys}, .by_column = true, .open = 9},
            {SAC_MARK_CELLS, (int)b, .since = 3, .before = 4, .y = parts[1], .weights = parts[1],
             .sets = {a->sequence_mask, 0}, .covered = 1},
            {SAC_MARK_CELLS, (int)b, .since = 4, .y = parts[2], .weights = parts[1],
             .sets = {a->sequence_mask, 0}, .covered = 1}};
        drawing.panels[b] = (sac_drawing_panel){
            .title = titles[b], .y = SAC_TEXT_IN("query", "查询"), .x = SAC_TEXT_IN("key", "键")};
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
            drawing.marks[drawing.mark_count++] = marks[i];
    }
    sac_lesson_draw(l, &drawing, 0, 4);
}

static void build(sac_lesson *l)
{
    arrays a;
    static const float ids[] = {5, 7, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 4, 9, 6};
    static const float zeros[SAC_LESSON_ROWS * SAC_LESSON_ROWS * SAC_LESSON_COLUMNS];
    sac_graph *g = &l->graph;
    float typed[SAC_LESSON_ROWS];
    size_t words = sac_lesson_word_count(l);
    for (size_t i = 0; i < words; i++)
        typed[i] = (float)(sac_lesson_first_place(l, i) + 1);
    sac_small_shape shape = words ? SAC_MATRIX(1, words) : SAC_MATRIX(BATCH, WORDS);
    a.ids_q = sac_lesson_given(l, "ids_q", shape, words ? typed : ids);
    a.ids_k = sac_lesson_given(l, "ids_k", shape, words ? typed : ids);
    size_t batch = sac_node_size(g, a.ids_q, 0), queries = sac_node_size(g, a.ids_q, 1);
    size_t keys = sac_node_size(g, a.ids_k, 1);
    a.is_padding = sac_apply(g, SAC_OP_EQUALS, "is_padding", a.ids_k, 0, 0, 0, 0);
    a.pad_mask = for_every_query(g, "pad_mask", a.is_padding, queries);
    a.sequence_mask = sac_lesson_blocked(l, "sequence_mask", queries, keys, true);
    sac_node padding = sac_times(g, "padding_used", a.pad_mask, sac_lesson_value(l, "padding"));
    sac_node causal = sac_times(g, "causal_used", a.sequence_mask, sac_lesson_value(l, "causal"));
    a.mask = sac_apply(g, SAC_OP_OR, "mask", padding, causal, 0, 0, 0);
    a.scores = sac_lesson_given(l, "scores", SAC_STACK(batch, queries, keys), zeros);
    a.masked = sac_masked(g, "masked", a.scores, a.mask);
    a.weights =
        sac_apply(g, SAC_OP_SOFTMAX, "weights", a.masked, 0, 0, sac_lesson_value(l, "nan"), 0);
    const sac_node squares[] = {a.pad_mask, a.sequence_mask, a.mask, a.scores, a.masked, a.weights};
    const sac_node rows[] = {a.ids_q, a.ids_k, a.is_padding};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        sac_lesson_label_words(l, rows[i], false, true);
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++)
        sac_lesson_label_words(l, squares[i], true, true);
    SAC_LESSON_STEP(l, steps[0], a.ids_k, a.is_padding);
    SAC_LESSON_STEP(l, steps[1], a.ids_q, a.is_padding, a.pad_mask);
    SAC_LESSON_STEP(l, steps[2], a.sequence_mask);
    SAC_LESSON_STEP(l, steps[3], a.pad_mask, a.sequence_mask, a.mask);
    SAC_LESSON_STEP(l, steps[4], a.scores, a.mask, a.masked, a.weights);
    if (a.weights)
        draw(l, &a);
}

const sac_lesson_class sac_lesson_masks = {
    .name = "masks",
    .title = SAC_TEXT_IN("Masks: what may not be seen", "掩码：看不到的部分"),
    .summary = SAC_TEXT_IN("padding, causal and both; rows with nothing left",
                           "填充、因果、两者合并；什么都不剩的行"),
    .parameters = parameters,
    .asks = sac_asks_masks,
    .build = build,
};
