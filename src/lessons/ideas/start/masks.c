/* Padding mask and causal mask, joined by or; a row that is wholly blocked; the leak test. Word
 * numbers are those of the notes' example: 0 is padding, and 1 in a mask blocks. */
#include <math.h>
#include <stdlib.h>

#include "lessons/engine/lesson.h"
#include "lessons/ideas/lessons.h"

enum { BATCH = 3, WORDS = 5 };

static const sac_lesson_parameter parameters[] = {
    {"padding", N_("padding mask"), 0, 1, 1, true},
    {"causal", N_("causal mask"), 0, 1, 1, true},
    {"nan", N_("a wholly blocked row is NaN"), 0, 1, 0, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("padding"),
     .sentence = N_("The sentences of a batch are filled up with the word number 0, "
                    "behind their words or before them."),
     .formula = "is_padding = (ids = 0)",
     .notice = N_("A 1 marks what is blocked, as in nn.MultiheadAttention."),
     .code = "is_padding = ids_k == 0"},
    {.name = N_("padding mask"),
     .sentence = N_("No query may see padding among the keys."),
     .formula = "pad_mask[b,i,j] = is_padding[b,j]",
     .notice = N_("Only columns are blocked, so the rows of padded queries still have "
                  "weights; they are not used."),
     .code = "pad_mask = is_padding.unsqueeze(1).expand(-1, ids_q.size(1), -1)",
     .questions = {{SAC_ASK_COUNT, 2, N_("As many as there are zeros among the words.")}}},
    {.name = N_("causal mask"),
     .sentence = N_("A word may not see the words after it, which are not written yet."),
     .formula = "sequence_mask[i,j] = j > i",
     .notice = N_("10 of the 25 cells are blocked: the triangle above the diagonal."),
     .code = "sequence_mask = torch.triu(torch.ones(5, 5), diagonal=1).bool()",
     .questions = {{SAC_ASK_COUNT, 0, N_("Row i blocks all keys after i."), true}}},
    {.name = N_("joined"),
     .sentence = N_("A cell is blocked where either mask blocks it."),
     .formula = "mask = pad_mask ∨ sequence_mask",
     .notice = N_("12 cells stay open in the first sentence, 5 in the second; two rows of the "
                  "third have none."),
     .code = "mask = pad_mask | sequence_mask"},
    {.name = N_("weights"),
     .sentence = N_("A blocked score is set to −∞, so its weight is exactly 0."),
     .formula = "P = softmax(S),  S[mask] = −∞",
     .notice = N_("A row with nothing left is 0/0: NaN in PyTorch, and 0 here."),
     .code =
         "weights = scores.masked_fill(mask, -math.inf).softmax(-1)   # NaN where nothing is left\n"
         "weights = weights.nan_to_num(0)",
     .questions = {{SAC_ASK_VALUE, 3, N_("Equal scores share what is open equally.")}}},
};

typedef struct arrays {
    sac_node ids_q, ids_k, is_padding, pad_mask, sequence_mask, mask, scores, masked, weights;
} arrays;

/* First the words and the padding; then a matrix for each sentence, with a curtain over what it may not
 * see. What a hand covers is padding, or blocked in the causal mask, which is one for all sentences. */
static void add_drawings(sac_lesson *l, const arrays *a)
{
    sac_graph *g = &l->graph;
    static const char *const titles[BATCH] = {N_("sentence 0"), N_("sentence 1"), N_("sentence 2")};
    enum { WORDS_OF_ALL = BATCH, ALL, PANELS }; /* panels of all sentences */
    sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_MATRIX,
        .part = 0.42f,
        .panel_count = PANELS,
        .panels[WORDS_OF_ALL] = {.title = N_("words and padding"), .y = N_("sentence")},
        .panels[ALL] = {.title = N_("every sentence"), .y = N_("query"), .x = N_("key")},
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
        drawing.panels[b] =
            (sac_drawing_panel){.title = titles[b], .y = N_("query"), .x = N_("key")};
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
            drawing.marks[drawing.mark_count++] = marks[i];
    }
    sac_lesson_add_drawing(l, &drawing, 0, 4);
}

static void build(sac_lesson *l)
{
    arrays a;
    static const float ids[] = {5, 7, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 4, 9, 6};
    static const float zeros[SAC_LESSON_ROWS * SAC_LESSON_ROWS * SAC_LESSON_COLUMNS];
    sac_graph *g = &l->graph;
    float typed[SAC_LESSON_ROWS];
    size_t words = sac_lesson_use_words(l);
    for (size_t i = 0; i < words; i++)
        typed[i] = (float)(sac_lesson_first_occurrence(l, i) + 1);
    sac_small_shape shape = words ? SAC_MATRIX(1, words) : SAC_MATRIX(BATCH, WORDS);
    a.ids_q = sac_lesson_given(l, "ids_q", shape, words ? typed : ids);
    a.ids_k = sac_lesson_given(l, "ids_k", shape, words ? typed : ids);
    size_t batch = sac_node_size(g, a.ids_q, 0), queries = sac_node_size(g, a.ids_q, 1);
    size_t keys = sac_node_size(g, a.ids_k, 1), count = batch * queries * keys;
    a.is_padding = sac_unary(g, SAC_OP_EQUALS, "is_padding", a.ids_k);
    /* [B,T] → [B,T,T]: a mask over keys is the same for every query. */
    int *index = malloc((count + 1) * sizeof *index);
    for (size_t i = 0; index && i < count; i++)
        index[i] = (int)(i / keys / queries * keys + i % keys);
    a.pad_mask =
        index ? sac_gather(g, "pad_mask", a.is_padding, SAC_STACK(batch, queries, keys), index) : 0;
    free(index);
    a.sequence_mask = sac_lesson_blocked(l, "sequence_mask", queries, keys, true);
    sac_node padding = sac_times(g, "padding_used", a.pad_mask, sac_lesson_value(l, "padding"));
    sac_node causal = sac_times(g, "causal_used", a.sequence_mask, sac_lesson_value(l, "causal"));
    a.mask = sac_binary(g, SAC_OP_OR, "mask", padding, causal);
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
        add_drawings(l, &a);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WAY,
     .text =
         N_("The causal mask is taken away. What happens to the first weight of the second row?"),
     .cell = "weights,0,1,0",
     .after = "causal=0",
     .why = N_("More keys are open, and the same sum of 1 is shared among more.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("Why does the causal mask block the words that come later?"),
     .cell = "sequence_mask,0,1",
     .reasons = {{N_("when a word is predicted, those after it are not known yet")},
                 {N_("later words are padding"), "is_padding,0,1", '>', "0"},
                 {N_("each word may look at one word only"), "sequence_mask,4,0", '>', "0"}},
     .why = N_("In training the whole sentence is there; the mask makes it as if it were not.")},
    {0},
};

const sac_lesson_class sac_lesson_masks = {
    .name = "masks",
    .title = N_("Masks: what may not be seen"),
    .summary = N_("padding, causal and both; rows with nothing left"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
