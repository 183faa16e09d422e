/* The closing lesson: when to use attention, and where this program shows each case. */
#include <math.h>

#include "lessons/ideas/lessons.h"
#include "lessons/shared/captioned.h"
#include "lessons/shared/doors.h"
#include "lessons/shared/trained_heads.h"
#include "lessons/shared/translated.h"

enum { CASES = 4, QUESTIONS = 4, WORDS = SAC_CAPTIONED_WORDS };

#define DOOR(name) &sac_lesson_doors[SAC_DOOR_##name]

static const sac_lesson_step steps[] = {
    {.name = SAC_TEXT_IN("when", "何时"),
     .sentence = SAC_TEXT_IN("Attention helps where one kind of data becomes another step by step: "
                             "each step looks at what it needs.",
                             "一种数据逐步变成另一种时，注意力很有用：每一步看它需要的部分。"),
     .formula = "output[t] ← Σ a[t,i] input[i]",
     .code = "output = a @ inputs",
     .notice = SAC_TEXT_IN("A 1 means yes; each case has at least one.",
                           "1 表示是；每种情形至少有一个。"),
     .questions = {{SAC_ASK_COUNT, 0,
                    SAC_TEXT_IN("What holds for this case.", "这种情形成立的条数。")}},
     .doors = {DOOR(TRANSLATION), DOOR(CAPTION), DOOR(PICTURE), DOOR(MASKS)}},
    {.name = SAC_TEXT_IN("words to words", "词到词"),
     .sentence = SAC_TEXT_IN("In translation each French word looks at English words.",
                             "翻译时，每个法语词看英语词。"),
     .formula = "a [14,13], words seen = 2^H",
     .notice = SAC_TEXT_IN("For most words the effective number of words seen, 2^H, is near 1.",
                           "对多数词，所看的有效词数 2^H 接近 1。"),
     .code = "words_seen = 2 ** -(a * a.log2()).sum(-1)   # saccade translate --view",
     .questions = {{SAC_ASK_LARGEST, 0,
                    SAC_TEXT_IN("The word that it stands for.", "它所对应的词。")}},
     .doors = {DOOR(TRANSLATION), DOOR(SEQ2SEQ), DOOR(ALIGNMENT)}},
    {.name = SAC_TEXT_IN("picture to words", "图到词"),
     .sentence = SAC_TEXT_IN("In a caption each word looks at the cells of a grid of 14 × 14.",
                             "图像描述中，每个词看 14 × 14 网格中的格子。"),
     .formula = "cells seen = 2^H of 196",
     .notice = SAC_TEXT_IN("The effective number of cells, 2^H, is between 1 and 5 of 196.",
                           "有效格数 2^H 在 1 到 5 之间，总共 196 格。"),
     .code = "cells_seen = 2 ** bits   # saccade caption --dataset shapes --scene 91",
     .questions = {{SAC_ASK_VALUE, 1,
                    SAC_TEXT_IN("2 to the power of its bits.", "2 的比特数次方。")}},
     .doors = {DOOR(CAPTION), DOOR(CAPTION_STEP), DOOR(EYE)}},
    {.name = SAC_TEXT_IN("a set to itself", "集合到自身"),
     .sentence = SAC_TEXT_IN(
         "In self-attention each element looks at the whole set: here the words of a sentence, in "
         "a trained head.",
         "自注意力中，集合的每个元素看所有元素：这里是一句话中的词，在训练好的一个头里。"),
     .formula = "P = softmax(S)",
     .notice = SAC_TEXT_IN("\"The\" and \"red\" look at \"cat\", the noun that they belong to.",
                           "“the” 和 “red” 看它们所属的名词 “cat”。"),
     .code = "P = S.softmax(-1)   # saccade view photo.jpg does it with a picture",
     .questions = {{SAC_ASK_LARGEST, 0,
                    SAC_TEXT_IN("The main word of its phrase.", "它所在短语的中心词。")}},
     .doors = {DOOR(PICTURE), DOOR(IMAGE_AS_SET), DOOR(PERMUTATION), DOOR(HEADS)}},
};

/* Bits of the captioner's attention at each word: `saccade caption --dataset shapes
 * --scene 91 --npz`, "entropy". */
static const float caption_bits[WORDS] = {1.71f, 1.82f, 2.12f, 1.43f, 1.26f, 0.75f, 0.17f, 0.18f,
                                          0.32f, 0.47f, 1.41f, 0.62f, 0.52f, 1.01f, 1.27f};

static sac_node add_cases(sac_lesson *l)
{
    static const char *const cases[] = {"translation", "caption", "picture", "language model"};
    static const char *const questions[] = {"new type", "in steps", "in order", "of itself"};
    static const char *const cases_zh[] = {"翻译", "看图说话", "图片", "语言模型"};
    static const char *const questions_zh[] = {"换类型", "分步骤", "有次序", "看自身"};
    static const float yes[CASES * QUESTIONS] = {1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1};
    sac_node node = sac_given(&l->graph, "cases", SAC_MATRIX(CASES, QUESTIONS), yes);
    sac_lesson_label(l, node, cases, CASES, questions, QUESTIONS);
    sac_lesson_label_terms(l, node, cases_zh, questions_zh);
    return node;
}

static void build(sac_lesson *l)
{
    sac_graph *g = &l->graph;
    sac_node cases = add_cases(l);
    sac_node a = sac_softmax(g, "a", sac_translated_scores(l, "e"));
    sac_translated_label(l, a, 0, 0);
    sac_node bits =
        sac_transposed(g, "bits_a_word", sac_apply(g, SAC_OP_ENTROPY, "a.bits", a, 0, 0, 0, 0));
    sac_node seen = sac_apply(g, SAC_OP_POWER_OF_2, "words_seen", bits, 0, 0, 0, 0);
    sac_lesson_label(l, seen, NULL, 0, sac_translated_words, SAC_TRANSLATED_WORDS);
    sac_node caption_words = sac_given(g, "bits", SAC_MATRIX(WORDS, 1), caption_bits);
    sac_node cells = sac_apply(g, SAC_OP_POWER_OF_2, "cells_seen", caption_words, 0, 0, 0, 0);
    sac_lesson_label(l, caption_words, sac_captioned_words, WORDS, NULL, 0);
    sac_lesson_label(l, cells, sac_captioned_words, WORDS, NULL, 0);
    sac_node scores, heads = sac_trained_heads(l, &scores);
    sac_node p = sac_trained_head(l, "P", heads);
    SAC_LESSON_STEP(l, steps[0], cases);
    SAC_LESSON_STEP(l, steps[1], a, seen);
    SAC_LESSON_STEP(l, steps[2], caption_words, cells);
    SAC_LESSON_STEP(l, steps[3], p);
    const sac_lesson_drawing words = {.kind = SAC_DRAWS_BANDS,
                                      .part = 0.42f,
                                      .panel_count = 1,
                                      .mark_count = 1,
                                      .marks = {{SAC_MARK_BANDS, .y = a}}};
    sac_lesson_drawing set = words;
    set.marks[0].y = p;
    sac_lesson_draw(l, &words, 1, 1);
    sac_lesson_draw(l, &set, 3, 3);

    sac_node by_word = sac_transposed(g, "cells.by_word", cells);
    sac_lesson_label(l, by_word, NULL, 0, sac_captioned_words, WORDS);
    const sac_lesson_drawing seen_cells = {
        .panel_count = 1,
        .panels = {{.title = SAC_TEXT_IN("Cells seen, of 196", "所看的格数，共 196 格"),
                    .categories = by_word}},
        .mark_count = 1,
        .marks = {{SAC_MARK_BARS, .y = by_word, .ink = SAC_INK_ACCENT}}};
    sac_lesson_draw(l, &seen_cells, 2, 2);
}

const sac_lesson_class sac_lesson_when = {
    .name = "when",
    .title = SAC_TEXT_IN("When to use attention", "何时使用注意力"),
    .summary = SAC_TEXT_IN("one type of data into another, step by step; where to go from here",
                           "一步一步把一种数据变成另一种；接下来看什么"),
    .asks = sac_asks_when,
    .build = build,
};
