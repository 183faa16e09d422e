/* Translating with one vector for the whole sentence, and with attention over all its words: the
 * lecture's "estamos comiendo pan", then what both do to a trained translator. */
#include <math.h>

#include "lessons/ideas/lessons.h"
#include "lessons/shared/layers.h"

enum { SOURCE = 4, TARGET = 3, DEPTH = 3, BANDS = 5 };

static const sac_lesson_parameter parameters[] = {
    {"attention", N_("attention (0: the last state alone)"), 0, 1, 1, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("one vector"),
     .sentence = N_("An encoder makes a state h of each word; without attention the decoder gets "
                    "only the last one as c."),
     .formula = "c = h_T",
     .notice = N_("c has as many numbers as one h, however long the sentence is."),
     .code = "c = h[-1]"},
    {.name = N_("scores"),
     .sentence = N_("With attention the decoder compares its state with every h, anew for "
                    "each word it writes."),
     .formula = "e[t,i] = f_att(s[t−1], h[i])",
     .notice = N_("\"Estamos\" means \"we are\": both words get the same score, and the others 0."),
     .code = "e = f_att(s, h)   # any network",
     .cell = "e,0,1"},
    {.name = N_("weights"),
     .sentence = N_("The softmax turns the scores into attention weights."),
     .formula = "a[t,:] = softmax(e[t,:])",
     .notice = N_("\"We\" and \"are\" get 0.45 each: attention need not choose one word."),
     .code = "a = e.softmax(-1)",
     .cell = "a,0,0",
     .questions = {{SAC_ASK_LARGEST, 1, N_("The word with the largest score.")},
                   {SAC_ASK_VALUE, 1, N_("exp of its score, by the sum of the row.")}}},
    {.name = N_("context"),
     .sentence = N_("The context c is the mean of the states h, weighted by the row of the word."),
     .formula = "c[t] = Σ a[t,i] h[i]",
     .notice = N_("Without attention all rows are equal."),
     .code = "c = a @ h",
     .questions = {{SAC_ASK_VALUE, 2, N_("Each state by its weight, added up.")}}},
    {.name = N_("a translator"),
     .sentence = N_("The same weights in a trained translator from English to French."),
     .formula = "a = softmax(e)",
     .notice = N_("Each French word looks mostly at its English word, though only the "
                  "next word was trained."),
     .code = "a = e.softmax(-1)   # saccade translate \"the agreement on …\"",
     .cell = "translator.a,0,0"},
    {.name = N_("by length"),
     .sentence = N_("The fraction of sentences translated exactly, with attention and with "
                    "one vector, by length."),
     .formula = "gap = exact[attention] − exact[one vector]",
     .notice = N_("Attention stays near 1, while one vector falls to 0 for long sentences."),
     .code = "gap = exact[0] - exact[1]   # saccade evaluate translator --by-length",
     .questions = {{SAC_ASK_LARGEST, 1, N_("Long sentences lose most without attention.")}}},
};

typedef struct arrays {
    sac_node h, last, e, a, c, bits, exact, gap;
    sac_node bottleneck; /* all weight on the last state, as without attention */
} arrays;

static void add_toy_attention(sac_lesson *l, arrays *a)
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
    a->bits = sac_unary(g, SAC_OP_ENTROPY, "bits", a->a);
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
    add_toy_attention(l, &a);
    /* Shares of 400 and 800 held-out sentences, by the bundled weights. */
    static const float exact[2 * BANDS] = {1, 1, 1, 0.99f, 0.99f, 0.99f, 0.80f, 0.28f, 0.04f, 0};
    sac_graph *g = &l->graph;
    a.exact = sac_given(g, "exact", SAC_MATRIX(2, BANDS), exact);
    a.gap = sac_difference(g, "gap", sac_sliced(g, "exact.attention", a.exact, 0, 1),
                           sac_sliced(g, "exact.one_vector", a.exact, 1, 1));
    static const char *const english[] = {"we", "are", "eating", "bread"};
    static const char *const spanish[] = {"estamos", "comiendo", "pan"};
    static const char *const lengths[] = {"≤ 7", "8–13", "14–17", "18–21", "≥ 22"};
    static const char *const kinds[] = {N_("attention"), N_("one vector")};
    sac_lesson_label(l, a.h, english, SOURCE, NULL, 0);
    sac_lesson_label(l, a.e, spanish, TARGET, english, SOURCE);
    sac_lesson_label(l, a.a, spanish, TARGET, english, SOURCE);
    sac_lesson_label(l, a.bottleneck, spanish, TARGET, english, SOURCE);
    sac_lesson_label(l, a.c, spanish, TARGET, NULL, 0);
    sac_lesson_label(l, a.bits, spanish, TARGET, NULL, 0);
    sac_lesson_label(l, a.exact, kinds, 2, lengths, BANDS);
    sac_lesson_label(l, a.gap, NULL, 0, lengths, BANDS);
    sac_lesson_label_terms(l, a.exact, true, false);
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
    const sac_lesson_drawing bands = {.kind = SAC_DRAWS_BANDS,
                                      .panel_count = 1,
                                      .mark_count = 3,
                                      .marks = {{SAC_MARK_BANDS, .before = 1, .y = a.bottleneck,
                                                 .name = N_("what the decoder gets")},
                                                {SAC_MARK_BANDS, .since = 2, .before = 3, .y = a.a},
                                                {SAC_MARK_BANDS, .since = 4, .y = found}}};
    sac_lesson_add_drawing(l, &bands, 0, 0);
    sac_lesson_add_drawing(l, &bands, 2, 2);
    sac_lesson_add_drawing(l, &bands, 4, 4);
    /* What each Spanish word gets, beside the last state that all get without attention. */
    static const sac_mark_ink inks[TARGET] = {SAC_INK_ACCENT, SAC_INK_BLUE, SAC_INK_GREEN};
    static const char *const parts[TARGET] = {"c[0]", "c[1]", "c[2]"};
    sac_lesson_drawing contexts = {
        .panel_count = 1,
        .panels = {
            {.title = N_("The context c of each word"), .x = N_("number"), .categories = a.last}}};
    for (size_t t = 0; t < TARGET && t < sac_node_size(g, a.c, 0); t++)
        contexts.marks[contexts.mark_count++] =
            (sac_drawing_mark){SAC_MARK_BARS, 0, .y = sac_sliced(g, parts[t], a.c, t, 1),
                               .ink = inks[t], .name = spanish[t]};
    sac_lesson_add_drawing(l, &contexts, 3, 3);
    sac_node with = sac_graph_find(g, "exact.attention"),
             without = sac_graph_find(g, "exact.one_vector");
    sac_lesson_label(l, with, NULL, 0, lengths, BANDS);
    const sac_lesson_drawing lines = {
        .panel_count = 1,
        .panels = {{.y = N_("translated exactly"),
                    .x = N_("words"),
                    .categories = with,
                    .x_low = -0.6f,
                    .x_high = BANDS - 0.4f,
                    .y_low = 0,
                    .y_high = 1.15f}},
        .mark_count = 2,
        .marks = {{SAC_MARK_BARS, 0, .y = with, .ink = SAC_INK_ACCENT, .name = N_("attention")},
                  {SAC_MARK_BARS, 0, .y = without, .ink = SAC_INK_BLUE, .name = N_("one vector")}}};
    sac_lesson_add_drawing(l, &lines, 5, 5);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Why does one vector for a whole sentence fail for long ones?"),
     .cell = "h,0,0",
     .reasons = {{N_("it has as many numbers for forty words as for four")},
                 {N_("the decoder cannot read a vector")},
                 {N_("long sentences have a larger softmax")}},
     .why = N_(
         "With attention the decoder looks at the state of every word, however many there are.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("What is the context c of a word?"),
     .cell = "c,0,0",
     .reasons = {{N_("the mean of the encoder's states, weighted by the attention")},
                 {N_("the state with the largest weight"), "c,0,0", '=', "h,0,0"},
                 {N_("the sum of all states")}},
     .why = N_("A mean by weights: it may lie between two states, as for “we” and “are”.")},
    {0},
};

const sac_lesson_class sac_lesson_seq2seq = {
    .name = "seq2seq",
    .title = N_("From sequence to sequence"),
    .summary = N_("one vector for a sentence, or attention over all its words"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
