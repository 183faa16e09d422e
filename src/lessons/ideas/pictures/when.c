/* The closing lesson: when to use attention, and where this program shows each case. */
#include <math.h>

#include "lessons/ideas/lessons.h"
#include "lessons/shared/captioned.h"
#include "lessons/shared/layers.h"

enum { CASES = 4, QUESTIONS = 4, WORDS = SAC_CAPTIONED_WORDS };

#define DOOR(name) &sac_lesson_doors[SAC_DOOR_##name]

#define LESSON(name, title)                                                                        \
    {                                                                                              \
        title, name, NULL, NULL, "saccade lesson " name                                            \
    }

const sac_lesson_door sac_lesson_doors[SAC_DOORS] = {
    [SAC_DOOR_TRANSLATION] = {N_("Translation"), .tab = "translation",
                              .command = "saccade translate --view"},
    [SAC_DOOR_CAPTION] = {N_("Caption"), .tab = "caption", .command = "saccade --tab caption"},
    [SAC_DOOR_PICTURE] = {N_("Picture"), .tab = "picture", .command = "saccade --tab picture"},
    [SAC_DOOR_HEADS] = {N_("Heads"), .tab = "heads", .text = "we are in the garden .",
                        .command = "saccade view --text \"we are in the garden .\" --tab heads"},
    [SAC_DOOR_MASKS] = LESSON("masks", N_("Masks")),
    [SAC_DOOR_SEQ2SEQ] = LESSON("seq2seq", N_("One sentence into another")),
    [SAC_DOOR_ALIGNMENT] = LESSON("alignment", NC_("in short", "Reading an alignment")),
    [SAC_DOOR_CAPTION_STEP] = LESSON("caption-step", N_("One word of a caption")),
    [SAC_DOOR_EYE] = LESSON("saccade", N_("The eye")),
    [SAC_DOOR_IMAGE_AS_SET] = LESSON("image-as-set", N_("A picture as a set")),
    [SAC_DOOR_PERMUTATION] = LESSON("permutation", N_("Another order")),
};

static const sac_lesson_step steps[] = {
    {.name = N_("when"),
     .sentence = N_("Attention helps where one kind of data becomes another step by step: "
                    "each step looks at what it needs."),
     .formula = "output[t] ← Σ a[t,i] input[i]",
     .code = "output = a @ inputs",
     .notice = N_("A 1 means yes: in self-attention a sequence or a set looks at itself."),
     .doors = {DOOR(TRANSLATION), DOOR(CAPTION), DOOR(PICTURE), DOOR(MASKS)}},
    {.name = N_("words to words"),
     .sentence = N_("In translation each French word looks at English words."),
     .formula = "a [14,13], words seen = 2^H",
     .notice = N_("For most words the effective number of words seen, 2^H, is near 1."),
     .code = "words_seen = 2 ** -(a * a.log2()).sum(-1)   # saccade translate --view",
     .cell = "words_seen,0,8",
     .doors = {DOOR(TRANSLATION), DOOR(SEQ2SEQ), DOOR(ALIGNMENT)}},
    {.name = N_("picture to words"),
     .sentence = N_("In a caption each word looks at the cells of a grid of 14 × 14."),
     .formula = "cells seen = 2^H of 196",
     .notice = N_("The effective number of cells, 2^H, is between 1 and 5 of 196."),
     .code = "cells_seen = 2 ** bits   # saccade caption --dataset shapes --scene 91",
     .questions = {{SAC_ASK_VALUE, 1, N_("2 to the power of its bits.")}},
     .doors = {DOOR(CAPTION), DOOR(CAPTION_STEP), DOOR(EYE)}},
    {.name = N_("a set to itself"),
     .sentence = N_(
         "In self-attention each element looks at the whole set: here the words of a sentence, in "
         "a trained head."),
     .formula = "P = softmax(S)",
     .notice = N_("\"The\" and \"red\" look at \"cat\", the noun that they belong to."),
     .code = "P = S.softmax(-1)   # saccade view photo.jpg does it with a picture",
     .cell = "P,0,2",
     .doors = {DOOR(PICTURE), DOOR(IMAGE_AS_SET), DOOR(PERMUTATION), DOOR(HEADS)}},
};

/* Bits of the captioner's attention at each word: `saccade caption --dataset shapes
 * --scene 91 --npz`, "entropy". */
static const float caption_bits[WORDS] = {1.71f, 1.82f, 2.12f, 1.43f, 1.26f, 0.75f, 0.17f, 0.18f,
                                          0.32f, 0.47f, 1.41f, 0.62f, 0.52f, 1.01f, 1.27f};

static void build(sac_lesson *l)
{
    sac_graph *g = &l->graph;
    static const char *const cases[] = {NC_("a case", "translation"), NC_("a case", "caption"),
                                        N_("picture"), N_("language model")};
    static const char *const questions[] = {N_("into another type"), N_("step by step"),
                                            N_("order matters"), N_("looks at itself")};
    static const float yes[CASES * QUESTIONS] = {1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1};
    sac_node table = sac_given(g, "cases", SAC_MATRIX(CASES, QUESTIONS), yes);
    sac_lesson_label(l, table, cases, CASES, questions, QUESTIONS);
    sac_lesson_label_terms(l, table, true, true);
    sac_node a = sac_softmax(g, "a", sac_translated_scores(l, "e"));
    sac_translated_label(l, a, 0, 0);
    sac_node bits = sac_transposed(g, "bits_a_word", sac_unary(g, SAC_OP_ENTROPY, "a.bits", a));
    sac_node seen = sac_unary(g, SAC_OP_POWER_OF_2, "words_seen", bits);
    sac_lesson_label(l, seen, NULL, 0, sac_translated_words, SAC_TRANSLATED_WORDS);
    sac_node caption_words = sac_given(g, "bits", SAC_MATRIX(WORDS, 1), caption_bits);
    sac_node cells = sac_unary(g, SAC_OP_POWER_OF_2, "cells_seen", caption_words);
    sac_lesson_label(l, caption_words, sac_captioned_words, WORDS, NULL, 0);
    sac_lesson_label(l, cells, sac_captioned_words, WORDS, NULL, 0);
    sac_node scores, heads = sac_trained_heads(l, &scores);
    sac_node p = sac_trained_first_head(l, "P", heads);
    SAC_LESSON_STEP(l, steps[0], table);
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
    sac_lesson_add_drawing(l, &words, 1, 1);
    sac_lesson_add_drawing(l, &set, 3, 3);

    sac_node by_word = sac_transposed(g, "cells.by_word", cells);
    sac_lesson_label(l, by_word, NULL, 0, sac_captioned_words, WORDS);
    const sac_lesson_drawing seen_cells = {
        .panel_count = 1,
        .panels = {{.title = N_("Cells seen, of 196"), .categories = by_word}},
        .mark_count = 1,
        .marks = {{SAC_MARK_BARS, .y = by_word, .ink = SAC_INK_ACCENT}}};
    sac_lesson_add_drawing(l, &seen_cells, 2, 2);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Why is attention expensive for very long inputs?"),
     .reasons = {{N_("there is a score for each pair, so that their number grows with the square")},
                 {N_("it has a weight matrix for each position")},
                 {N_("it has to read the input from left to right")}},
     .why = N_("Twice as many words have four times as many pairs.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("A caption's word has an entropy of 0 bits. At how many cells of the grid does it "
                "look?"),
     .cell = "cells_seen,6,0",
     .reasons = {{N_("at one: 2⁰ = 1"), "cells_seen,6,0", '<', "1.5"},
                 {N_("at none: 0 bits are no cells"), "cells_seen,6,0", '<', "0.5"},
                 {N_("at all 196 alike"), "cells_seen,6,0", '>', "100"}},
     .why = N_("Entropy is 0 where one cell has all the weight.")},
    {0},
};

const sac_lesson_class sac_lesson_when = {
    .name = "when",
    .title = N_("When to use attention"),
    .summary = N_("one type of data into another, step by step; where to go from here"),
    .asks = asks,
    .build = build,
};
