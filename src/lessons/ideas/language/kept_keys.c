/* A lesson on keys and values that are kept while a text is generated: a new word brings one row of each,
 * its one row of weights is the last row of the causal matrix, and memory takes the place of work. */
#include <math.h>

#include "lessons/ideas/lessons.h"

#define MEGABYTES_A_HEAD                                                                           \
    (2 * 32 * 128 * 2 / 1e6f) /* of a word: keys and values, 32 layers, float16 */

enum { WORDS = 5, DEPTH = 2, MOST_WORDS = 8192, POINTS = 65 };

static const sac_lesson_parameter parameters[] = {
    {"t", N_("words, with the new one"), 2, WORDS, WORDS, true},
    {"causal", N_("causal mask"), 0, 1, 1, true},
    {"n", N_("words of the text, n"), 1, MOST_WORDS, 4096, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("all again"),
     .sentence = N_("To find the next word, attention over all words so far is computed, though "
                    "only its last row is needed."),
     .formula = "P = softmax(Q Kᵀ / √d + mask)",
     .code = "scores = (Q @ K.T / math.sqrt(2)).masked_fill(blocked, -math.inf)\n"
             "weights = scores.softmax(-1)",
     .notice =
         N_("Done anew for each word, a text of n words takes n (n + 1) (2n + 1) / 6 scores."),
     .cell = "weights,4,2"},
    {.name = N_("one row"),
     .sentence = N_("Keys and values of earlier words are kept: the new word brings one of each, "
                    "and its query meets all keys."),
     .formula = "p = softmax(q Kᵀ / √d), y = p V",
     .code = "q, k, v = Q[-1:], K[-1:], V[-1:]\n"
             "kept_K, kept_V = torch.cat([K[:-1], k]), torch.cat([V[:-1], v])\n"
             "p = (q @ kept_K.T / math.sqrt(2)).softmax(-1)\n"
             "y = p @ kept_V",
     .notice = N_("No mask is needed: every key that is kept is of an earlier word, or its own."),
     .questions = {{SAC_ASK_LARGEST, 4, N_("The key with the largest product with the query.")}}},
    {.name = N_("the same"),
     .sentence = N_("The row and its output, beside the last row of all words again."),
     .formula = "p = P[t]",
     .code = "gap = p - weights[-1:]",
     .notice = N_("They are equal: the query and the keys are the same numbers."),
     .cell = "gap,0,0"},
    {.name = N_("why it may"),
     .sentence = N_("The outputs of the earlier words, without the new word and with it: the next "
                    "layer makes its keys of them."),
     .formula = "Y[1 … t−1]",
     .code = "earlier_scores = scores[:-1, :-1]\n"
             "before = earlier_scores.softmax(-1) @ V[:-1]\n"
             "after = weights[:-1] @ V\n"
             "change = after - before",
     .notice = N_("With the causal mask nothing changes, so that the next layer's keys may be kept "
                  "too; without it they change with each word."),
     .cell = "change,3,0"},
    {.name = N_("work"),
     .sentence = N_("Rows of keys that are computed for a text of n words: all again, and kept."),
     .formula = "1 + 2 + … + n = n (n + 1) / 2,  n",
     .code = "n = 4096.0\n"
             "again, kept = n * (n + 1) / 2, n",
     .notice = N_("Kept keys save a factor of (n + 1) / 2."),
     .questions = {{SAC_ASK_VALUE, 2, N_("Half of n + 1.")}}},
    {.name = N_("memory"),
     .sentence =
         N_("Megabytes of keys and values of a model of 32 layers and 32 heads of 128 numbers, "
            "in float16, where heads share their keys."),
     .formula = "2 · layers · key heads · d · n · 2 bytes",
     .code = "megabytes = [2 * 32 * heads * 128 * n * 2 / 1e6 for heads in (32, 8, 1)]",
     .notice = N_("Grouped heads (8 for 32) need a quarter, one head for all a thirty-second."),
     .questions = {{SAC_ASK_VALUE, 1, N_("Two arrays, of each layer and key head.")}}},
};

typedef struct arrays {
    sac_node query, key, value, blocked, scores, weights, output;
    sac_node new_query, new_weights, new_output, last_weights, last_output, gap;
    sac_node before, after, change;
    sac_node earlier; /* 1 for each row that was computed for an earlier word */
    sac_node words, again, ratio, heads, megabytes;
} arrays;

static const char *const kinds[] = {N_("own keys"), N_("8 groups"), N_("one for all")};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void add_attention(sac_lesson *l, arrays *a)
{
    static const char *const text[WORDS] = {"the", "red", "cat", "sleeps", "now"};
    static const float queries[WORDS * DEPTH] = {1, 0, 0, 1, 1, 1, 2, 0, 1, 2},
                                       keys[WORDS * DEPTH] = {0, 1, 1, 0, 2, 1, -1, 3, 1, 1},
                                       values[WORDS * DEPTH] = {1, 0, 0, 1, 2, 2, -1, 1, 0, -2};
    sac_graph *g = &l->graph;
    size_t t = (size_t)sac_lesson_value(l, "t"), before = t - 1;
    float scale = 1 / sqrtf(DEPTH), computed[WORDS * WORDS];
    a->query = sac_lesson_given(l, "Q", SAC_MATRIX(t, DEPTH), queries);
    a->key = sac_lesson_given(l, "K", SAC_MATRIX(t, DEPTH), keys);
    a->value = sac_lesson_given(l, "V", SAC_MATRIX(t, DEPTH), values);
    a->blocked = sac_lesson_blocked(l, "blocked", t, t, sac_lesson_value(l, "causal") != 0);
    sac_node scaled = sac_times(g, "scaled", sac_matmul_t(g, "QK", a->query, a->key), scale);
    a->scores = sac_masked(g, "scores", scaled, a->blocked);
    a->weights = sac_softmax(g, "weights", a->scores);
    a->output = sac_matmul(g, "output", a->weights, a->value);

    a->new_query = sac_sliced(g, "q", a->query, before, 1);
    sac_node row = sac_times(g, "qK.scaled", sac_matmul_t(g, "qK", a->new_query, a->key), scale);
    a->new_weights = sac_softmax(g, "p", row);
    a->new_output = sac_matmul(g, "y", a->new_weights, a->value);
    a->last_weights = sac_sliced(g, "P.last", a->weights, before, 1);
    a->last_output = sac_sliced(g, "Y.last", a->output, before, 1);
    a->gap = sac_difference(g, "gap", a->new_weights, a->last_weights);

    sac_node fewer_keys = sac_sliced(g, "K.before", a->key, 0, before),
             fewer_queries = sac_sliced(g, "Q.before", a->query, 0, before);
    sac_node fewer_blocked =
        sac_lesson_blocked(l, "blocked.before", before, before, sac_lesson_value(l, "causal") != 0);
    sac_node fewer = sac_times(g, "scaled.before",
                               sac_matmul_t(g, "QK.before", fewer_queries, fewer_keys), scale);
    sac_node shares =
        sac_softmax(g, "weights.before", sac_masked(g, "scores.before", fewer, fewer_blocked));
    a->before = sac_matmul(g, "before", shares, sac_sliced(g, "V.before", a->value, 0, before));
    a->after = sac_sliced(g, "after", a->output, 0, before);
    a->change = sac_difference(g, "change", a->after, a->before);

    for (size_t i = 0; i < t * t; i++)
        computed[i] = i / t < before;
    a->earlier = sac_given(g, "earlier", SAC_MATRIX(t, t), computed);
    const sac_node squares[] = {a->blocked, scaled, a->scores, a->weights};
    const sac_node rows[] = {a->query, a->key, a->value, a->output, a->before, a->after, a->change};
    const sac_node lines[] = {row, a->new_weights, a->last_weights, a->gap};
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++)
        sac_lesson_label(l, squares[i], text, t, text, t);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        sac_lesson_label(l, rows[i], text, sac_node_size(g, rows[i], 0), NULL, 0);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        sac_lesson_label(l, lines[i], text + before, 1, text, t);
    sac_graph_share_colors(g, a->before, a->after);
    sac_graph_share_colors(g, a->new_weights, a->last_weights);
}

static void add_costs(sac_lesson *l, arrays *a)
{
    static const float shared[KINDS] = {32, 8, 1};
    sac_graph *g = &l->graph;
    const float n = sac_lesson_value(l, "n");
    a->words = sac_given(g, "n", SAC_MATRIX(1, 1), &n);
    sac_node pairs = sac_binary(g, SAC_OP_MULTIPLY, "n.n", a->words, a->words);
    a->again = sac_times(g, "again", sac_sum(g, "n.n+n", pairs, a->words), 0.5f);
    a->ratio = sac_binary(g, SAC_OP_DIVIDE, "saved", a->again, a->words);
    a->heads = sac_given(g, "key_heads", SAC_MATRIX(KINDS, 1), shared);
    a->megabytes = sac_times(g, "megabytes", a->heads, MEGABYTES_A_HEAD * n);
    sac_lesson_label(l, a->heads, kinds, KINDS, NULL, 0);
    sac_lesson_label(l, a->megabytes, kinds, KINDS, NULL, 0);
    sac_lesson_label_terms(l, a->heads, true, false);
    sac_lesson_label_terms(l, a->megabytes, true, false);
}

/* What is computed for the new word, under a curtain what it need not: all rows, then one. */
static void add_matrices(sac_lesson *l, const arrays *a)
{
    enum { ALL, ROW, LAST, BEFORE, AFTER };
    const sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_MATRIX,
        .part = 0.42f,
        .panel_count = 5,
        .panels =
            {[ALL] = {.title = N_("computed for the new word"), .y = N_("query"), .x = N_("key")},
             [ROW] = {.title = N_("one row"), .y = N_("query"), .x = N_("key"), .since = 2},
             [LAST] =
                 {.title = N_("the last row of all"), .y = N_("query"), .x = N_("key"), .since = 2},
             [BEFORE] = {.title = N_("outputs without the new word"), .y = N_("query"), .since = 3},
             [AFTER] = {.title = N_("outputs with it"), .y = N_("query"), .since = 3}},
        .mark_count = 6,
        .marks = {
            {SAC_MARK_CELLS, ALL, .before = 1, .y = a->weights, .weights = a->blocked},
            {SAC_MARK_CELLS, ALL, .since = 1, .before = 2, .y = a->weights, .weights = a->earlier},
            {SAC_MARK_CELLS, ROW, .since = 2, .before = 3, .y = a->new_weights},
            {SAC_MARK_CELLS, LAST, .since = 2, .before = 3, .y = a->last_weights},
            {SAC_MARK_CELLS, BEFORE, .since = 3, .y = a->before},
            {SAC_MARK_CELLS, AFTER, .since = 3, .y = a->after}}};
    sac_lesson_add_drawing(l, &drawing, 0, 3);
}

static void add_curves(sac_lesson *l, const arrays *a)
{
    sac_graph *g = &l->graph;
    sac_node words = sac_lesson_axis(l, "words.axis", 1, MOST_WORDS, POINTS);
    sac_node pairs = sac_binary(g, SAC_OP_MULTIPLY, "words.pairs", words, words);
    sac_node again = sac_times(g, "rows.again", sac_sum(g, "rows.both", pairs, words), 0.5f);
    const sac_lesson_drawing work = {
        .panel_count = 1,
        .panels = {{.title = N_("Rows of keys"),
                    .x = N_("words"),
                    .x_low = 1,
                    .x_high = MOST_WORDS,
                    .x_by_ratio = true,
                    .y_by_ratio = true}},
        .mark_count = 3,
        .marks = {{SAC_MARK_RULE, .x = a->words, .ink = SAC_INK_FAINT},
                  {SAC_MARK_LINE, .x = words, .y = again, .ink = SAC_INK_ACCENT,
                   .name = N_("all again")},
                  {SAC_MARK_LINE, .x = words, .y = words, .ink = SAC_INK_BLUE, .name = N_("kept")}},
        .handle_count = 1,
        .handles = {
            {.x = {a->words, 0},
             .y = {a->again, 0},
             .sets_x = {.parameter = "n"},
             .does = N_("Drag the words: the work of a longer text grows with their square, "
                        "that of kept keys does not.")}}};
    sac_lesson_add_drawing(l, &work, 4, 4);

    sac_node own = sac_times(g, "megabytes.own", words, MEGABYTES_A_HEAD * 32);
    sac_node grouped = sac_times(g, "megabytes.grouped", own, 0.25f),
             single = sac_times(g, "megabytes.single", own, 1 / 32.0f);
    const sac_lesson_drawing memory = {
        .panel_count = 1,
        .panels = {{.title = N_("Megabytes"), .x = N_("words"), .x_low = 0, .x_high = MOST_WORDS}},
        .mark_count = 4,
        .marks = {{SAC_MARK_RULE, .x = a->words, .ink = SAC_INK_FAINT},
                  {SAC_MARK_LINE, .x = words, .y = own, .ink = SAC_INK_ACCENT,
                   .name = N_("own keys")},
                  {SAC_MARK_LINE, .x = words, .y = grouped, .ink = SAC_INK_BLUE,
                   .name = N_("8 groups")},
                  {SAC_MARK_LINE, .x = words, .y = single, .ink = SAC_INK_GREEN,
                   .name = N_("one for all")}},
        .handle_count = 1,
        .handles = {{.x = {a->words, 0},
                     .y = {a->megabytes, 0},
                     .sets_x = {.parameter = "n"},
                     .does = N_("Drag the words: memory grows with each of them.")}}};
    sac_lesson_add_drawing(l, &memory, 5, 5);
}

static void build(sac_lesson *l)
{
    arrays a = {0};
    add_attention(l, &a);
    add_costs(l, &a);
    SAC_LESSON_STEP(l, steps[0], a.query, a.key, a.blocked, a.weights);
    SAC_LESSON_STEP(l, steps[1], a.new_query, a.key, a.new_weights, a.value, a.new_output);
    SAC_LESSON_STEP(l, steps[2], a.new_weights, a.last_weights, a.gap, a.new_output, a.last_output);
    SAC_LESSON_STEP(l, steps[3], a.before, a.after, a.change);
    SAC_LESSON_STEP(l, steps[4], a.words, a.again, a.ratio);
    SAC_LESSON_STEP(l, steps[5], a.heads, a.megabytes);
    add_matrices(l, &a);
    add_curves(l, &a);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Why may the keys of the second layer be kept, too?"),
     .cell = "change,0,0",
     .reasons = {{N_("with a causal mask the outputs of earlier words do not change"), "change,0,0",
                  '=', "0"},
                 {N_("all keys are equal"), "K,0,0", '=', "K,1,0"},
                 {N_("only the first layer has keys")}},
     .why = N_("They are made of the outputs of earlier words, which cannot see the new one.")},
    {.kind = SAC_ASK_WAY,
     .text = N_("The text is twice as long. What happens to the memory of keys and values?"),
     .cell = "megabytes,0,0",
     .after = "n=8192",
     .why = N_("Each word has a key and a value of each layer and head.")},
    {.kind = SAC_ASK_WAY,
     .text =
         N_("The causal mask is taken away. What happens to the gap between the new row and the "
            "last row of all words?"),
     .cell = "gap,0,0",
     .after = "causal=0",
     .why = N_("The last row sees all words with the mask and without it.")},
    {0},
};

const sac_lesson_class sac_lesson_kept_keys = {
    .name = "kept-keys",
    .title = N_("Keys and values that are kept"),
    .summary = N_("one new row a word, the same numbers; memory in place of work"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
