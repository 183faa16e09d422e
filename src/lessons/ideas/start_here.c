/* The lessons to start with: attention step by step, masks, self-attention, heads and positions. */
#include <math.h>
#include <stdlib.h>

#include "lessons/engine/lesson.h"
#include "lessons/ideas/lessons.h"
#include "lessons/shared/layers.h"

/* ---------------------------------------------------------------- step-by-step: one attention, step by step: scores,
 * scale, mask, softmax, dropout, the weighted sum. Three queries that are the keys too, small enough for paper */

static const sac_lesson_parameter stepwise_parameters[] = {
    {"causal", N_("causal mask"), 0, 1, 1, true},
    {"scaled", N_("divide by √d"), 0, 1, 1, true},
    {"temperature", N_("temperature"), 0.05f, 20, 1, false},
    {0},
};

static const sac_lesson_step stepwise_steps[] = {
    {.name = N_("scores"),
     .sentence = N_("Each score is the dot product of a query and a key: multiply number by "
                    "number, then add."),
     .formula = "S = Q Kᵀ",
     .notice = N_("A key that points in the direction of the query gets a high score."),
     .code = "scores = query @ key.transpose(-2, -1)"},
    {.name = NC_("to divide", "scale"),
     .sentence = N_("The scores are divided by √d, where d is the number of entries in a query."),
     .formula = "S / √d",
     .notice = N_("Otherwise scores would grow with d."),
     .code = "scaled = scores / math.sqrt(query.shape[-1])"},
    {.name = N_("mask"),
     .sentence = N_("A key that a query may not see gets the score −∞: here every later key."),
     .formula = "S[i,j] = −∞, j > i",
     .notice = N_("A score of 0 would not block it."),
     .code = "masked = scaled.masked_fill(blocked, -math.inf)"},
    {.name = N_("softmax"),
     .sentence = N_("The softmax turns each row into attention weights: exp of each "
                    "score, divided by the sum of the row."),
     .formula = "P[i,j] = exp(S[i,j]) / Σ exp(S[i,k])",
     .notice = N_("Each row adds up to 1, and a score of −∞ gives a weight of exactly 0."),
     .code = "weights = masked.softmax(-1)",
     .questions = {{SAC_ASK_LARGEST, 1, N_("The largest score gets the largest weight.")},
                   {SAC_ASK_COUNT, 1, N_("A masked score of −∞ gives the weight 0.")}}},
    {.name = N_("output"),
     .sentence = N_("The output is the mean of the values, weighted by the row."),
     .formula = "Y = P V",
     .notice = N_("It never leaves the range of the values."),
     .code = "output = weights @ value",
     .questions = {{SAC_ASK_VALUE, 2, N_("Each value times its weight, added up.")}}},
};

typedef struct stepwise_arrays {
    sac_node query, key, value, scores, scaled, blocked, masked, weights, kept, dropped, output;
} stepwise_arrays;

/* The scores of a row as bars before the mask and after it: of the row before the last, since a causal mask
 * takes nothing from the last. */
static void draw_mask(sac_lesson *l, const stepwise_arrays *a)
{
    sac_graph *g = &l->graph;
    size_t rows = sac_node_size(g, a->scores, 0), row = rows > 1 ? rows - 2 : 0;
    sac_node scaled = sac_sliced(g, "row.scaled", a->scaled, row, 1);
    sac_node masked = sac_sliced(g, "row.masked", a->masked, row, 1);
    const sac_lesson_drawing drawing = {
        .panel_count = 1,
        .panels = {{.title = rows > 1 ? N_("The row before the last") : N_("The row"),
                    .categories = scaled,
                    .x = N_("key")}},
        .mark_count = 2,
        .marks = {{SAC_MARK_BARS, 0, .y = scaled, .ink = SAC_INK_GREEN, .name = N_("scaled")},
                  {SAC_MARK_BARS, 0, .y = masked, .ink = SAC_INK_ACCENT,
                   .name = NC_("the scores", "masked")}}};
    sac_lesson_draw(l, &drawing, 2, 2);
}

/* Scores of the last row as bars, and beside them what the softmax makes of them; then the shares over
 * the temperature, which is dragged. */
static void draw_stepwise(sac_lesson *l, const stepwise_arrays *a)
{
    enum { TEMPERATURES = 81 };
    sac_graph *g = &l->graph;
    float now = sac_lesson_value(l, "temperature"), degrees[TEMPERATURES], factors[TEMPERATURES];
    for (int i = 0; i < TEMPERATURES; i++) {
        degrees[i] = (float)(0.05 * pow(400, i / (TEMPERATURES - 1.0)));
        factors[i] = now / degrees[i]; /* `masked` is divided by the temperature already */
    }
    if (!a->weights)
        return;
    size_t last = sac_node_size(g, a->scores, 0) - 1;
    sac_node scores = sac_sliced(g, "last.scores", a->scores, last, 1);
    sac_node scaled = sac_sliced(g, "last.scaled", a->scaled, last, 1);
    sac_node masked = sac_sliced(g, "last.masked", a->masked, last, 1);
    sac_node shares = sac_sliced(g, "last.weights", a->weights, last, 1);
    sac_node at = sac_given(g, "temperatures", SAC_MATRIX(1, TEMPERATURES), degrees);
    sac_node by = sac_given(g, "temperatures.factor", SAC_MATRIX(TEMPERATURES, 1), factors);
    sac_node cooled = sac_matmul(g, "scores.at", by, masked);
    sac_node curves = sac_transposed(g, "shares.over", sac_softmax(g, "shares.at", cooled));
    sac_node temperature = sac_given(g, "temperature", SAC_MATRIX(1, 1), &now);
    sac_lesson_drawing drawing = {
        .panel_count = 2,
        .panels = {{.title = N_("The last row"), .categories = scores, .x = N_("key")},
                   {.title = N_("Its weights at each temperature"),
                    .x = N_("temperature"),
                    .x_low = 0.05f,
                    .x_high = 20,
                    .x_by_ratio = true,
                    .y_low = 0,
                    .y_high = 1.05f,
                    .since = 3}},
        .mark_count = 5,
        .marks = {{SAC_MARK_BARS, 0, .before = 2, .y = scores, .ink = SAC_INK_BLUE,
                   .name = N_("scores")},
                  {SAC_MARK_BARS, 0, .since = 1, .y = scaled, .ink = SAC_INK_GREEN,
                   .name = N_("scaled")},
                  {SAC_MARK_BARS, 0, .since = 3, .y = shares, .ink = SAC_INK_ACCENT,
                   .name = N_("weights")},
                  {SAC_MARK_RULE, 1, .x = temperature, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_LINE, 1, .x = at, .y = curves}},
        .handle_count = 1,
        .handles = {
            {.panel = 1,
             .since = 3,
             .x = {temperature, 0},
             .sets_x = {.parameter = "temperature"},
             .does = N_("Drag the temperature: low, one key takes all; high, all are alike.")}}};
    sac_lesson_draw(l, &drawing, 0, 1);
    draw_mask(l, a);
    sac_lesson_draw(l, &drawing, 3, 4);
}

static void build_stepwise(sac_lesson *l)
{
    stepwise_arrays a;
    static const float vectors[] = {1, 0, 0, 1, 1, 1}, values[] = {1, 2, 3};
    sac_graph *g = &l->graph;
    a.query = sac_lesson_given(l, "query", SAC_MATRIX(3, 2), vectors);
    a.key = sac_lesson_given(l, "key", SAC_MATRIX(3, 2), vectors);
    a.value = sac_lesson_given(l, "value", SAC_MATRIX(3, 1), values);
    size_t rows = sac_node_size(g, a.query, 0), keys = sac_node_size(g, a.key, 0);
    size_t d = sac_node_size(g, a.query, 1);
    float scale = sac_lesson_value(l, "scaled") != 0 ? 1 / sqrtf((float)d) : 1;
    a.scores = sac_matmul_t(g, "scores", a.query, a.key);
    a.scaled = sac_times(g, "scaled", a.scores, scale / sac_lesson_value(l, "temperature"));
    a.blocked = sac_lesson_blocked(l, "blocked", rows, keys, sac_lesson_value(l, "causal") != 0);
    a.masked = sac_masked(g, "masked", a.scaled, a.blocked);
    a.weights = sac_softmax(g, "weights", a.masked);
    a.output = sac_matmul(g, "output", a.weights, a.value);
    SAC_LESSON_STEP(l, stepwise_steps[0], a.query, a.key, a.scores);
    SAC_LESSON_STEP(l, stepwise_steps[1], a.scores, a.scaled);
    SAC_LESSON_STEP(l, stepwise_steps[2], a.scaled, a.blocked, a.masked);
    SAC_LESSON_STEP(l, stepwise_steps[3], a.masked, a.weights);
    SAC_LESSON_STEP(l, stepwise_steps[4], a.weights, a.value, a.output);
    draw_stepwise(l, &a);
}

static const sac_lesson_ask stepwise_asks[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_(
         "The temperature rises from 1 to 4. What happens to the largest weight of the last row?"),
     .cell = "weights,2,2",
     .after = "temperature=4",
     .why = N_("A high temperature brings the scores closer together, and the row gets flatter.")},
    {.kind = SAC_ASK_GAINS,
     .text = N_(
         "The scores are no longer divided by √d. Which column of the last row of weights gains?"),
     .cell = "weights,2,0",
     .after = "scaled=0",
     .why =
         N_("Without the division the scores lie farther apart, and the largest one takes more.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("Why does a blocked key get the score −∞ and not 0?"),
     .cell = "weights,0,1",
     .reasons = {{N_("exp(−∞) is 0, so that its weight is exactly 0"), "weights,0,1", '=', "0"},
                 {N_("a score of 0 would already give the weight 0"), "weights,1,0", '=', "0"},
                 {N_("the row of weights would no longer add up to 1")}},
     .why = N_("A score of 0 is a score like any other: exp(0) is 1.")},
    {0},
};

const sac_lesson_class sac_lesson_step_by_step = {
    .name = "step-by-step",
    .title = N_("One attention, step by step"),
    .summary = N_("scores, scale, mask, softmax and the weighted sum, on paper's scale"),
    .parameters = stepwise_parameters,
    .asks = stepwise_asks,
    .build = build_stepwise,
};

/* ---------------------------------------------------------------- masks: padding mask and causal mask, joined by or;
 * a row that is wholly blocked; the leak test. Word numbers are those of the notes' example: 0 is padding, and 1 in a
 * mask blocks */

enum { BATCH = 3, MASKS_WORDS = 5 };

static const sac_lesson_parameter masks_parameters[] = {
    {"padding", N_("padding mask"), 0, 1, 1, true},
    {"causal", N_("causal mask"), 0, 1, 1, true},
    {"nan", N_("a wholly blocked row is NaN"), 0, 1, 0, true},
    {0},
};

static const sac_lesson_step masks_steps[] = {
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
     .questions = {{SAC_ASK_COUNT, 0, N_("Row i blocks all keys after i.")}}},
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

typedef struct masks_arrays {
    sac_node ids_q, ids_k, is_padding, pad_mask, sequence_mask, mask, scores, masked, weights;
} masks_arrays;

/* First the words and the padding; then a matrix for each sentence, with a curtain over what it may not
 * see. What a hand covers is padding, or blocked in the causal mask, which is one for all sentences. */
static void draw_masks(sac_lesson *l, const masks_arrays *a)
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
    sac_lesson_draw(l, &drawing, 0, 4);
}

static void build_masks(sac_lesson *l)
{
    masks_arrays a;
    static const float ids[] = {5, 7, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 4, 9, 6};
    static const float zeros[SAC_LESSON_ROWS * SAC_LESSON_ROWS * SAC_LESSON_COLUMNS];
    sac_graph *g = &l->graph;
    float typed[SAC_LESSON_ROWS];
    size_t words = sac_lesson_word_count(l);
    for (size_t i = 0; i < words; i++)
        typed[i] = (float)(sac_lesson_first_place(l, i) + 1);
    sac_small_shape shape = words ? SAC_MATRIX(1, words) : SAC_MATRIX(BATCH, MASKS_WORDS);
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
    SAC_LESSON_STEP(l, masks_steps[0], a.ids_k, a.is_padding);
    SAC_LESSON_STEP(l, masks_steps[1], a.ids_q, a.is_padding, a.pad_mask);
    SAC_LESSON_STEP(l, masks_steps[2], a.sequence_mask);
    SAC_LESSON_STEP(l, masks_steps[3], a.pad_mask, a.sequence_mask, a.mask);
    SAC_LESSON_STEP(l, masks_steps[4], a.scores, a.mask, a.masked, a.weights);
    if (a.weights)
        draw_masks(l, &a);
}

static const sac_lesson_ask masks_asks[] = {
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
    .parameters = masks_parameters,
    .asks = masks_asks,
    .build = build_masks,
};

/* ---------------------------------------------------------------- self-attention: self-attention as in the lecture's
 * notebook: two sentences of four words, one head without a scale, or three heads of full width. With its own seed
 * every number that it printed comes out */

static const sac_lesson_parameter self_parameters[] = {
    {"heads", N_("1: SelfAttention, 3: MultiHead"), 1, 3, 1, true},
    {"identity", N_("no maps: Q = K = V = x"), 0, 1, 0, true},
    {"scaled", N_("divide by √10 without maps"), 0, 1, 0, true},
    {0},
};

static const sac_lesson_step self_steps[] = {
    {.name = N_("sentences"),
     .sentence =
         N_("Two sentences of four words; each word is ten random numbers, scaled to length 1."),
     .formula = "sents = draws / |draws|",
     .notice = N_("For vectors of length 1 the dot product is the cosine of their angle."),
     .code = "sents = torch.rand(batch_size,seq_len,vec_size)\n"
             "sents = f.normalize(sents, p=2, dim=2)"},
    {.name = N_("maps"),
     .sentence =
         N_("Three linear maps (projections) turn each word into a query, a key and a value."),
     .formula = "Q = x W_qᵀ + b_q, K = x W_kᵀ + b_k, V = x W_vᵀ + b_v",
     .notice = N_("All three are made of one sentence, hence self-attention."),
     .code = "Q = self.QueryW(sents)\n"
             "K = self.KeyW(sents)\n"
             "V = self.ValueW(sents)"},
    {.name = N_("scores"),
     .sentence = N_("Each word is compared with each word of its own sentence."),
     .formula = "S = Q Kᵀ",
     .notice = N_("The two sentences of the batch are never compared."),
     .code = "Scores = torch.matmul(Q, K.transpose(1,2).contiguous())"},
    {.name = N_("weights"),
     .sentence = N_("The softmax turns each row into weights that add up to 1."),
     .formula = "P = softmax(S)",
     .notice = N_("The maps are random, so the weights of a row are nearly equal."),
     .code = "Scores = self.Score2Prob(Scores)",
     .questions = {{SAC_ASK_LARGEST, 1, N_("The largest score has the largest weight.")}}},
    {.name = N_("output"),
     .sentence = N_("The output of a word is the mean of all values, weighted by its row."),
     .formula = "Y = P V",
     .notice = N_("Weights that are nearly equal give nearly equal outputs within a sentence."),
     .code = "Out = torch.matmul(Scores,V)",
     .questions = {{SAC_ASK_VALUE, 2, N_("A mean of the column of V, by the row's weights.")}}},
    {.name = N_("trained"),
     .sentence = N_("The same computation in a head of a trained translator, with words."),
     .formula = "P = softmax(S)",
     .notice =
         N_("\"The\" and \"red\" look at \"cat\", \"in\" at \"sleeps\", and the second \"the\" at "
            "\"garden\": far from equal."),
     .code = "P = S.softmax(-1)   # saccade translate \"the red cat …\" --model transformer --npz",
     .questions = {{SAC_ASK_LARGEST, 1, N_("The main word of its phrase.")}}},
};

static void build_self(sac_lesson *l)
{
    sac_node draws = 0, sents = sac_notebook_words(l, &draws);
    sac_heads layer = {0};
    sac_heads_arrays a;
    sac_graph *g = &l->graph;
    if (sac_lesson_value(l, "identity") != 0) {
        /* Q, K and V are the sentences themselves. */
        a = (sac_heads_arrays){sents, sents, sents, sents, sents, sents};
        float scale = sac_lesson_value(l, "scaled") != 0 ? 1 / sqrtf(SAC_NOTEBOOK_DEPTH) : 1;
        a.scores = sac_matmul_t(g, "scores", sents, sents);
        a.scaled = sac_times(g, "scaled", a.scores, scale);
        a.weights = sac_softmax(g, "weights", a.scaled);
        a.output = sac_matmul(g, "output", a.weights, sents);
        a.head_outputs = a.joined = a.output;
    } else {
        layer = sac_notebook_layer(l, sac_lesson_value(l, "heads") > 1 ? 3 : 1);
        a = sac_heads_attend(g, "", &layer, sents);
    }
    const sac_node rows[] = {draws, sents, a.q, a.k, a.v, a.output};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        sac_lesson_label_words(l, rows[i], true, false);
    sac_lesson_label_words(l, a.scores, true, true);
    sac_lesson_label_words(l, a.scaled, true, true);
    sac_lesson_label_words(l, a.weights, true, true);
    SAC_LESSON_STEP(l, self_steps[0], draws, sents);
    SAC_LESSON_STEP(l, self_steps[1], layer.query.weight ? layer.query.weight : sents, a.q, a.k,
                    a.v);
    SAC_LESSON_STEP(l, self_steps[2], a.q_heads, a.k_heads, a.scores);
    SAC_LESSON_STEP(l, self_steps[3], a.scaled, a.weights);
    SAC_LESSON_STEP(l, self_steps[4], a.weights, a.v_heads, a.output);
    sac_node all, heads = sac_trained_heads(l, &all);
    sac_node one = sac_trained_head(l, "head.weights", heads);
    SAC_LESSON_STEP(l, self_steps[5], sac_trained_head(l, "head.scores", all), one);
    /* Bands of the first sentence, in each head, and of the sentence that the trained head reads. */
    sac_node first = sac_sliced(g, "weights.first", a.weights, 0, layer.heads ? layer.heads : 1);
    sac_lesson_label_words(l, first, true, true);
    const sac_lesson_drawing drawing = {.kind = SAC_DRAWS_BANDS,
                                        .part = 0.42f,
                                        .panel_count = 1,
                                        .mark_count = 2,
                                        .marks = {{SAC_MARK_BANDS, .before = 5, .y = first},
                                                  {SAC_MARK_BANDS, .since = 5, .y = one}}};
    sac_lesson_draw(l, &drawing, 3, 5);
}

static const sac_lesson_ask self_asks[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("The maps are left out: query, key and value are the words themselves. "
                "What happens to the weight of the first word on itself?"),
     .cell = "weights,0,0,0",
     .after = "identity=1",
     .why = N_("A vector of length 1 has its largest dot product with itself.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("What makes this attention a self-attention?"),
     .cell = "weights,0,0,1",
     .reasons = {{N_("queries, keys and values are made of the same sentence")},
                 {N_("each word attends to itself alone"), "weights,0,0,1", '=', "0"},
                 {N_("each sentence attends to the other one")}},
     .why =
         N_("In cross-attention keys and values come from another sentence, or from a picture.")},
    {0},
};

const sac_lesson_class sac_lesson_self_attention = {
    .name = "self-attention",
    .title = N_("Self-attention, number by number"),
    .summary = N_("sentences, maps, scores and weights with every number, then a trained head"),
    .parameters = self_parameters,
    .seed = SAC_NOTEBOOK_SEED,
    .asks = self_asks,
    .build = build_self,
};

/* ---------------------------------------------------------------- multi-head: several heads: split, attend, join,
 * map, residual, norm. The notes' layer for 8 numbers and 2 heads, on four positions */

enum { HEADS_WORDS = 4, DEPTH = 8, HEADS = 2 };

static const sac_lesson_parameter heads_parameters[] = {
    {"prenorm", N_("layer norm before (pre-norm)"), 0, 1, 0, true},
    {0},
};

static const sac_lesson_step heads_steps[] = {
    {.name = N_("maps"),
     .sentence = N_("One linear map (projection) each makes the queries, keys and values of all "
                    "heads: 8 numbers become 8."),
     .formula = "Q = x W_qᵀ + b_q, …",
     .notice = N_("The first four rows of each W belong to head 0, the others to head 1."),
     .code = "q, k, v = linear_q(x), linear_k(x), linear_v(x)"},
    {.name = N_("split"),
     .sentence = N_("Each row is cut in two, so each head gets four numbers of every word."),
     .formula = "[B,T,D] → [B,T,H,D/H] → [B,H,T,D/H]",
     .notice = N_("This takes a view and a transpose; a view alone would mix up the words."),
     .code = "q, k, v = (t.view(B, T, H, D // H).transpose(1, 2) for t in (q, k, v))"},
    {.name = N_("attend"),
     .sentence = N_("Each head attends on its own, with scores divided by √(D/H)."),
     .formula = "P_h = softmax(Q_h K_hᵀ / √(D/H))",
     .notice = N_("These maps are random, so both heads weight all words nearly alike."),
     .code = "weights = (q @ k.transpose(-2, -1) / math.sqrt(D // H)).softmax(-1)\n"
             "heads = weights @ v",
     .questions = {{SAC_ASK_LARGEST, 1, N_("The largest score has the largest weight.")}}},
    {.name = N_("trained heads"),
     .sentence = N_("Two heads of a trained translator read the same sentence."),
     .formula = "P_h = softmax(S_h)",
     .notice = N_("One looks at the main word of each phrase (cat, sleeps, garden), the other at "
                  "the ends."),
     .code = "trained = S_h.softmax(-1)   # saccade translate \"the red cat …\" --model "
             "transformer --npz",
     .questions = {{SAC_ASK_LARGEST, 0, N_("What this head looks for.")}}},
    {.name = N_("join"),
     .sentence = N_("The outputs of the heads are joined and mixed by one linear map."),
     .formula = "concat(heads) Wᵀ + b = Σ_h head_h W_hᵀ + b",
     .notice = N_("It is the sum of one map per head."),
     .code = "output = linear_final(heads.transpose(1, 2).reshape(B, T, D))"},
    {.name = N_("add & norm"),
     .sentence = N_("The input is added (residual connection), each row normalised to mean 0 "
                    "and variance 1 (layer norm)."),
     .formula = "LayerNorm(x + attention(x))",
     .notice = N_("With pre-norm the normalisation comes first."),
     .code = "output = layer_norm(x + output)",
     .questions = {{SAC_ASK_VALUE, 2, N_("Input and output of the layer, added.")}}},
};

static void build_heads(sac_lesson *l)
{
    sac_graph *g = &l->graph;
    bool before = sac_lesson_value(l, "prenorm") != 0;
    sac_node x = sac_reshaped(g, "x", sac_positions(g, "positions", HEADS_WORDS, DEPTH),
                              SAC_STACK(1, HEADS_WORDS, DEPTH));
    sac_node norm = before ? sac_rows_standardised(g, "norm", x) : 0;
    sac_heads layer = sac_notes_layer(l, DEPTH, HEADS, false, 1 / sqrtf(DEPTH / HEADS));
    sac_heads_arrays a = sac_heads_attend(g, "", &layer, before ? norm : x);
    sac_node residual = sac_sum(g, "residual", x, a.output);
    if (!before)
        norm = sac_rows_standardised(g, "norm", residual);
    sac_node scores, trained = sac_trained_heads(l, &scores);
    SAC_LESSON_STEP(l, heads_steps[0], x, a.q, a.k, a.v);
    SAC_LESSON_STEP(l, heads_steps[1], a.q, a.q_heads);
    SAC_LESSON_STEP(l, heads_steps[2], a.scaled, a.weights, a.v_heads, a.head_outputs);
    SAC_LESSON_STEP(l, heads_steps[3], trained);
    SAC_LESSON_STEP(l, heads_steps[4], a.head_outputs, a.joined, a.output);
    SAC_LESSON_STEP(l, heads_steps[5], x, a.output, residual, norm);
    const sac_lesson_drawing drawing = {.kind = SAC_DRAWS_BANDS,
                                        .part = 0.42f,
                                        .panel_count = 1,
                                        .mark_count = 2,
                                        .marks = {{SAC_MARK_BANDS, .before = 3, .y = a.weights},
                                                  {SAC_MARK_BANDS, .since = 3, .y = trained}}};
    sac_lesson_draw(l, &drawing, 2, 3);
}

static const sac_lesson_ask heads_asks[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("What do several heads have that one large head has not?"),
     .cell = "weights,0,0,0",
     .reasons = {{N_("weights of their own: a word can look at several places at once")},
                 {N_("more numbers in the maps of query, key and value")},
                 {N_("each head sees a part of the words only"), "weights,0,0,3", '=', "0"}},
     .why =
         N_("The maps are as large as those of one head; each head gets a slice of every word.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("Why is the input added to the output of the attention?"),
     .cell = "output,0,0,0",
     .reasons = {{N_("what the layer was given reaches the next one, whatever the attention does")},
                 {N_("so that each row of weights adds up to 1")},
                 {N_("so that the heads become equal")}},
     .why = N_("That is a residual connection: the attention learns only what has to change.")},
    {0},
};

const sac_lesson_class sac_lesson_multi_head = {
    .name = "multi-head",
    .title = N_("Several heads"),
    .summary = N_("split, attend, trained heads, join, residual and norm"),
    .parameters = heads_parameters,
    .asks = heads_asks,
    .build = build_heads,
};

/* ---------------------------------------------------------------- positions: A lesson on sinusoidal positions
 * (Vaswani et al., 2017, section 3.5): what they are, and how their dot products depend on distance */

enum { LONGEST = 128, WAVE = 241, WAVES = 4 /* that are drawn */ };

static const sac_lesson_parameter positions_parameters[] = {
    {"d", N_("numbers a position, d"), 1, 512, 8, true},
    {"length", N_("positions"), 1, LONGEST, 12, true},
    {"p", N_("position p in the drawing"), 0, LONGEST - 1, 3, true},
    {0},
};

static const sac_lesson_step positions_steps[] = {
    {.name = N_("waves"),
     .sentence = N_("Each position gets a row of sines and cosines."),
     .formula = "PE[p,2i] = sin(p / 10000^(2i/d)), PE[p,2i+1] = cos(…)",
     .notice =
         N_("The first pair of columns turns fastest, and each pair after it turns more slowly."),
     .code = "p, i = torch.arange(12).unsqueeze(1), torch.arange(0, d, 2)\n"
             "PE[:, 0::2] = torch.sin(p / 10000 ** (i / d))\n"
             "PE[:, 1::2] = torch.cos(p / 10000 ** (i / d))",
     .questions = {{SAC_ASK_VALUE, 0, N_("A sine in even columns, a cosine in odd ones.")}}},
    {.name = N_("wavelengths"),
     .sentence = N_("The wavelengths form a geometric series."),
     .formula = "2π · 10000^(2i/d)",
     .code = "wavelengths = 2 * math.pi * 10000 ** (i / d)",
     .notice = N_("The longest is 2π·10000^((d−2)/d), a little less than 10000·2π.")},
    {.name = N_("distance"),
     .sentence = N_("The dot product of two positions is a sum of waves cos(k ω), so it "
                    "depends only on their distance k."),
     .formula = "PE[p]·PE[p+k] = Σ cos(k ωᵢ)",
     .notice =
         N_("It falls, but rises near k = 6 if d is small: the fastest wave has made a full turn; "
            "slower "
            "waves fall on."),
     .code = "products = PE @ PE.T",
     .questions = {{SAC_ASK_LARGEST, 1, N_("No position is more like it than itself.")}}},
};

typedef struct positions_arrays {
    sac_node encoding, by_distance;
} positions_arrays;

/* Waves above and, where products are shown, their sum below; the position is dragged. */
static void draw_positions(sac_lesson *l, const positions_arrays *a)
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
    /* The cosines of the pairs as waves between the positions, [WAVE,pairs], and their sum: the dot
     * product with position 0. */
    float *cosines = malloc((WAVE * pairs + 1) * sizeof *cosines);
    for (size_t i = 0; cosines && i < WAVE * pairs; i++) {
        double along = (double)end * (double)(i / pairs) / (WAVE - 1);
        cosines[i] = (float)cos(along / pow(10000, 2.0 * (double)(i % pairs) / (double)d));
    }
    sac_node all = cosines ? sac_given(g, "waves.all", SAC_MATRIX(WAVE, pairs), cosines) : 0;
    free(cosines);
    sac_node waves = sac_sliced(g, "waves", sac_transposed(g, "waves.rows", all), 0, shown);
    sac_node sum = sac_unary(g, SAC_OP_SUM, "waves.sum", all);
    sac_node position = sac_given(g, "p", SAC_MATRIX(1, 1), &p);
    sac_node on_waves = sac_gather(g, "encoding[p]", a->encoding, SAC_MATRIX(1, shown), cells);
    sac_node places = sac_gather(g, "p.places", position, SAC_MATRIX(1, shown), same);
    sac_node product = sac_gather(g, "dot[p]", a->by_distance, SAC_MATRIX(1, 1), &place);
    sac_lesson_drawing drawing = {
        .panel_count = 2,
        .panels = {{.title = N_("Columns 1, 3, 5 …: slower and slower"),
                    .x = N_("position p"),
                    .y_low = -1.15f,
                    .y_high = 1.15f,
                    .x_high = end},
                   {.title = N_("Their sum, PE[0]·PE[p]"),
                    .x = N_("position p"),
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
                     .does = N_("Drag the position p, or move it by ← and →.")}}};
    sac_lesson_draw(l, &drawing, 0, 2);
}

static void build_positions(sac_lesson *l)
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
    SAC_LESSON_STEP(l, positions_steps[0], encoding);
    SAC_LESSON_STEP(l, positions_steps[1], wavelengths);
    SAC_LESSON_STEP(l, positions_steps[2], by_distance, products);
    draw_positions(l, &(positions_arrays){encoding, by_distance});
}

static const sac_lesson_ask positions_asks[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("The sentence gets 24 positions in place of 12. What happens to the dot "
                "product of positions 0 and 1?"),
     .cell = "products,0,1",
     .after = "length=24",
     .why = N_("A row depends on its position alone, not on how many there are.")},
    {.kind = SAC_ASK_WAY,
     .text = N_("Each position gets 16 numbers in place of 8. What happens to the dot "
                "product of position 0 with itself?"),
     .cell = "products,0,0",
     .after = "d=16",
     .why = N_("Each pair of sine and cosine adds sin² + cos² = 1: it is d/2.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("Why does the dot product of two positions depend on their distance alone?"),
     .cell = "products,0,1",
     .reasons = {{N_("sin a sin b + cos a cos b = cos(a − b), in each pair of columns"),
                  "products,0,1", '=', "products,3,4"},
                 {N_("because all rows are equal"), "encoding,0,0", '=', "encoding,1,0"},
                 {N_("because each column falls from row to row"), "encoding,0,0", '>',
                  "encoding,1,0"}},
     .why = N_("The difference a − b is the distance times the wave's frequency.")},
    {0},
};

const sac_lesson_class sac_lesson_positions = {
    .name = "positions",
    .title = N_("Where a word stands"),
    .summary = N_("sines and cosines whose dot product depends on the distance"),
    .parameters = positions_parameters,
    .asks = positions_asks,
    .build = build_positions,
};
