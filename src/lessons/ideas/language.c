/* Lessons on language: an encoder and a decoder, an alignment, and the layers of a transformer. */
#include <math.h>
#include <stdio.h>

#include "base/random/random.h"
#include "lessons/ideas/lessons.h"
#include "lessons/shared/layers.h"

/* ---------------------------------------------------------------- seq2seq: translating with one vector for the whole
 * sentence, and with attention over all its words: the lecture's "estamos comiendo pan", then what both do to a
 * trained translator */

enum { SEQ2SEQ_SOURCE = 4, SEQ2SEQ_TARGET = 3, SEQ2SEQ_DEPTH = 3, BANDS = 5 };

static const sac_lesson_parameter seq2seq_parameters[] = {
    {"attention", N_("attention (0: the last state alone)"), 0, 1, 1, true},
    {0},
};

static const sac_lesson_step seq2seq_steps[] = {
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
     .code = "e = f_att(s, h)   # any network"},
    {.name = N_("weights"),
     .sentence = N_("The softmax turns the scores into attention weights."),
     .formula = "a[t,:] = softmax(e[t,:])",
     .notice = N_("\"We\" and \"are\" get 0.45 each: attention need not choose one word."),
     .code = "a = e.softmax(-1)",
     .questions = {{SAC_ASK_LARGEST, 1,
                    N_("The word with the largest score; of equal ones the first.")},
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
     .questions = {{SAC_ASK_LARGEST, 0, N_("What the French word stands for.")}}},
    {.name = N_("by length"),
     .sentence = N_("The fraction of sentences translated exactly, with attention and with "
                    "one vector, by length."),
     .formula = "gap = exact[attention] − exact[one vector]",
     .notice = N_("Attention stays near 1, while one vector falls to 0 for long sentences."),
     .code = "gap = exact[0] - exact[1]   # saccade evaluate translator --by-length",
     .questions = {{SAC_ASK_LARGEST, 0,
                    N_("The shortest sentences lose least; of equal ones the first.")}}},
};

typedef struct seq2seq_arrays {
    sac_node h, last, e, a, c, bits, exact, gap;
    sac_node bottleneck; /* all weight on the last state, as without attention */
} seq2seq_arrays;

static void add_toy(sac_lesson *l, seq2seq_arrays *a)
{
    static const float states[SEQ2SEQ_SOURCE * SEQ2SEQ_DEPTH] = {1,    0, 0.2f, 0.8f, 0.4f, 0,
                                                                 0.1f, 1, 0.3f, 0,    0.2f, 1};
    const float nine = logf(9), most = logf(27);
    const float given[SEQ2SEQ_TARGET * SEQ2SEQ_SOURCE] = {nine, nine, 0, 0, 0, 0,
                                                          most, 0,    0, 0, 0, most};
    sac_graph *g = &l->graph;
    a->h = sac_lesson_given(l, "h", SAC_MATRIX(SEQ2SEQ_SOURCE, SEQ2SEQ_DEPTH), states);
    a->e = sac_lesson_given(l, "e", SAC_MATRIX(SEQ2SEQ_TARGET, SEQ2SEQ_SOURCE), given);
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

static void build_seq2seq(sac_lesson *l)
{
    seq2seq_arrays a = {0};
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
    static const char *const kinds[] = {N_("attention"), N_("one vector")};
    sac_lesson_label(l, a.h, english, SEQ2SEQ_SOURCE, NULL, 0);
    sac_lesson_label(l, a.e, spanish, SEQ2SEQ_TARGET, english, SEQ2SEQ_SOURCE);
    sac_lesson_label(l, a.a, spanish, SEQ2SEQ_TARGET, english, SEQ2SEQ_SOURCE);
    sac_lesson_label(l, a.bottleneck, spanish, SEQ2SEQ_TARGET, english, SEQ2SEQ_SOURCE);
    sac_lesson_label(l, a.c, spanish, SEQ2SEQ_TARGET, NULL, 0);
    sac_lesson_label(l, a.bits, spanish, SEQ2SEQ_TARGET, NULL, 0);
    sac_lesson_label(l, a.exact, kinds, 2, lengths, BANDS);
    sac_lesson_label(l, a.gap, NULL, 0, lengths, BANDS);
    sac_lesson_label_terms(l, a.exact, true, false);
    sac_node found =
        sac_softmax(&l->graph, "translator.a", sac_translated_scores(l, "translator.e"));
    sac_translated_label(l, found, 0, 0);
    SAC_LESSON_STEP(l, seq2seq_steps[0], a.h, a.last);
    SAC_LESSON_STEP(l, seq2seq_steps[1], a.h, a.e);
    SAC_LESSON_STEP(l, seq2seq_steps[2], a.e, a.a, a.bits);
    SAC_LESSON_STEP(l, seq2seq_steps[3], a.a, a.h, a.c);
    SAC_LESSON_STEP(l, seq2seq_steps[4], found);
    SAC_LESSON_STEP(l, seq2seq_steps[5], a.exact, a.gap);
    /* Words look at words; then how many sentences come out right, by their length. */
    bool attends = sac_lesson_value(l, "attention") != 0;
    const sac_lesson_drawing bands = {
        .kind = SAC_DRAWS_BANDS,
        .panel_count = 1,
        .mark_count = 4,
        .marks = {
            {SAC_MARK_BANDS, .before = 1, .y = a.bottleneck, .name = N_("what the decoder gets")},
            {SAC_MARK_BANDS, .since = 2, .before = 3, .y = a.a},
            {SAC_MARK_BANDS, .since = 3, .before = 4, .y = attends ? a.a : a.bottleneck,
             .name = attends ? NULL : N_("what the decoder gets")},
            {SAC_MARK_BANDS, .since = 4, .y = found}}};
    sac_lesson_draw(l, &bands, 0, 0);
    sac_lesson_draw(l, &bands, 2, 4);
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
    sac_lesson_draw(l, &lines, 5, 5);
}

static const sac_lesson_ask seq2seq_asks[] = {
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
    .parameters = seq2seq_parameters,
    .asks = seq2seq_asks,
    .build = build_seq2seq,
};

/* ---------------------------------------------------------------- alignment: A lesson on reading an alignment
 * matrix: the diagonal, a reversed block, two words aligned to one */

static const sac_lesson_parameter alignment_parameters[] = {
    {"temperature", N_("temperature"), 0.1f, 10, 1, false},
    {0},
};

static const sac_lesson_step alignment_steps[] = {
    {.name = N_("matrix"),
     .sentence = N_("Each row is a French word; its weights show which English words the "
                    "translator looked at to write it."),
     .formula = "a[t,i] = softmax(e[t,:])[i]",
     .notice =
         N_("The scores come from a trained translator, which was never taught where to look."),
     .code = "a = e.softmax(-1)",
     .questions = {{SAC_ASK_LARGEST, 0, N_("The English word that this French word stands for.")}}},
    {.name = N_("diagonal"),
     .sentence = N_(
         "Where both languages have the same word order, the large weights lie on the diagonal."),
     .formula = "a[0:4, 0:4]",
     .code = "diagonal = a[0:4, 0:4]",
     .notice = N_("L' looks at the first \"the\" and la at the second: the word is the "
                  "same, but not its place."),
     .questions = {{SAC_ASK_LARGEST, 0, N_("One to one and in order.")}}},
    {.name = N_("reversed"),
     .sentence = N_("Zone économique européenne reverses European Economic Area, so the "
                    "block lies on the other diagonal."),
     .formula = "a[4:7, 4:7]",
     .code = "turned = a[4:7, 4:7]",
     .notice = N_("A decoder that read the source strictly from left to right would miss it."),
     .questions = {{SAC_ASK_LARGEST, 0, N_("The last of the three comes first.")}}},
    {.name = N_("two on one"),
     .sentence = N_("Both words of a été look most at \"was\", and partly at \"signed\"."),
     .formula = "a[7:10, 7:9]",
     .code = "two_on_one = a[7:10, 7:9]",
     .notice = N_("The tense is in both English words."),
     .questions = {{SAC_ASK_VALUE, 0, N_("A weight of one French word.")}}},
    {.name = N_("certainty"),
     .sentence = N_("The entropy H of a row is 0 bits if one word has all the weight, and "
                    "larger the more words share it."),
     .formula = "H[t] = −Σ a[t,i] log2 a[t,i]",
     .notice =
         N_("2^H is the effective number of words: about 2 for été, and near 1 for most words."),
     .code = "H = -(a * a.log2()).sum(-1)"},
};

/* The rows and columns of one part of the matrix. */
typedef struct block {
    const char *name;
    size_t row, rows, column, columns;
} block;

static sac_node add_block(sac_lesson *l, sac_node a, block b)
{
    int index[SAC_TRANSLATED_WORDS * SAC_TRANSLATED_SOURCE];
    size_t width = sac_node_size(&l->graph, a, 1);
    if (b.row + b.rows > sac_node_size(&l->graph, a, 0) || b.column + b.columns > width)
        return a; /* a person's own smaller matrix is shown whole */
    for (size_t i = 0; i < b.rows * b.columns; i++)
        index[i] = (int)((b.row + i / b.columns) * width + b.column + i % b.columns);
    sac_node part = sac_gather(&l->graph, b.name, a, SAC_MATRIX(b.rows, b.columns), index);
    sac_translated_label(l, part, b.row, b.column);
    return part;
}

static void build_alignment(sac_lesson *l)
{
    sac_graph *g = &l->graph;
    sac_node e = sac_translated_scores(l, "e");
    sac_node cooled = sac_times(g, "e.cooled", e, 1 / sac_lesson_value(l, "temperature"));
    sac_node a = sac_softmax(g, "a", cooled);
    sac_translated_label(l, cooled, 0, 0);
    sac_translated_label(l, a, 0, 0);
    sac_node bits = sac_unary(g, SAC_OP_ENTROPY, "bits", a);
    sac_node power = sac_unary(g, SAC_OP_POWER_OF_2, "words_seen", bits);
    sac_node diagonal = add_block(l, a, (block){"a.diagonal", 0, 4, 0, 4});
    sac_node turned = add_block(l, a, (block){"a.reversed", 4, 3, 4, 3});
    sac_node two = add_block(l, a, (block){"a.two_on_one", 7, 3, 7, 2});
    SAC_LESSON_STEP(l, alignment_steps[0], a);
    SAC_LESSON_STEP(l, alignment_steps[1], diagonal);
    SAC_LESSON_STEP(l, alignment_steps[2], turned);
    SAC_LESSON_STEP(l, alignment_steps[3], two);
    sac_lesson_label(l, bits, sac_translated_words, SAC_TRANSLATED_WORDS, NULL, 0);
    sac_lesson_label(l, power, sac_translated_words, SAC_TRANSLATED_WORDS, NULL, 0);
    SAC_LESSON_STEP(l, alignment_steps[4], bits, power);
    const sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_BANDS,
        .part = 0.42f,
        .panel_count = 1,
        .mark_count = 5,
        .marks = {{SAC_MARK_BANDS, .before = 1, .y = a},
                  {SAC_MARK_BANDS, .since = 1, .before = 2, .y = diagonal},
                  {SAC_MARK_BANDS, .since = 2, .before = 3, .y = turned},
                  {SAC_MARK_BANDS, .since = 3, .before = 4, .y = two},
                  {SAC_MARK_BANDS, .since = 4, .y = a}}};
    sac_lesson_draw(l, &drawing, 0, 4);
}

static const sac_lesson_ask alignment_asks[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("The temperature rises from 1 to 4. What happens to the entropy of the first row?"),
     .cell = "bits,0,0",
     .after = "temperature=4",
     .why = N_("A flatter row looks at more words: its entropy is larger.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("A row has an entropy of 1 bit. At about how many words does it look?"),
     .cell = "words_seen,8,0",
     .reasons = {{N_("at two")}, {N_("at one")}, {N_("at ten")}},
     .why = N_("2 to the power of the entropy: 2¹ = 2.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("What does a block with the other diagonal mean?"),
     .cell = "a.reversed,0,2",
     .reasons = {{N_("the words stand in the reverse order in the other language"),
                  "a.reversed,0,2", '>', "a.reversed,0,0"},
                 {N_("the words are not translated")},
                 {N_("the model is not sure")}},
     .why = N_("European Economic Area is Zone économique européenne.")},
    {0},
};

const sac_lesson_class sac_lesson_alignment = {
    .name = "alignment",
    .title = N_("Reading an alignment"),
    .summary = N_("the diagonal, a reversed block, two words on one"),
    .parameters = alignment_parameters,
    .asks = alignment_asks,
    .build = build_alignment,
};

/* ---------------------------------------------------------------- transformer-block: A transformer's encoder and
 * decoder block on four and three words: embedding, positions, the three kinds of attention, residual and norm,
 * feed-forward. Post-norm, one head; maps as PyTorch draws them */

enum { VOCABULARY = 6, BLOCK_SOURCE = 4, BLOCK_TARGET = 3, BLOCK_DEPTH = 8, HIDDEN = 16 };

static const sac_lesson_parameter block_parameters[] = {
    {"positions", N_("add positions"), 0, 1, 1, true},
    {"causal", N_("the decoder's causal mask"), 0, 1, 1, true},
    {0},
};

static const sac_lesson_step block_steps[] = {
    {.block = SAC_BLOCK_EMBEDDING,
     .name = N_("embedding"),
     .sentence = N_("Each word picks its row of a table, which is multiplied by √d and added to "
                    "its position."),
     .formula = "x = E[id] · √d + PE",
     .notice = N_("The factor √d gives embeddings and positions a similar size."),
     .code = "x = embedding(ids) * math.sqrt(d) + PE[:T]",
     .questions = {{SAC_ASK_VALUE, 3, N_("Embedding and position, added.")}}},
    {.block = SAC_BLOCK_ENCODER_ATTENTION,
     .name = N_("1: encoder"),
     .sentence =
         N_("The source attends to itself: each word looks at every word (self-attention)."),
     .formula = "Q, K, V of x;  P = softmax(Q Kᵀ / √d)",
     .notice = N_("Only padding would be masked, so no weight is 0 here."),
     .code = "a, P = self_attn(x, x, x)   # nn.MultiheadAttention(8, 1)",
     .questions = {{SAC_ASK_LARGEST, 1, N_("The largest score.")}}},
    {.block = SAC_BLOCK_ENCODER_NORM,
     .name = N_("add & norm"),
     .sentence = N_("The input is added (residual connection); layer norm brings each row "
                    "to mean 0 and variance 1."),
     .formula = "x₁ = LayerNorm(x + attention(x))",
     .notice = N_("This follows each part of the block (post-norm)."),
     .code = "x = norm1(x + a)"},
    {.block = SAC_BLOCK_ENCODER_FORWARD | SAC_BLOCK_MEMORY,
     .name = N_("feed-forward"),
     .sentence = N_("Two linear maps with a ReLU between them change each word on its "
                    "own: 8 numbers, 16, and 8 again."),
     .formula = "memory = LayerNorm(x₁ + W₂ max(0, W₁ x₁ + b₁) + b₂)",
     .notice = N_("The result of the encoder is called the memory."),
     .code = "memory = norm2(x + linear2(F.relu(linear1(x))))",
     .questions = {{SAC_ASK_COUNT, 1, N_("What was negative is 0 after the ReLU.")}}},
    {.block = SAC_BLOCK_DECODER_ATTENTION,
     .name = N_("2: decoder"),
     .sentence = N_("The words written so far attend to themselves, under a causal mask."),
     .formula = "P = softmax(mask(Q Kᵀ / √d))",
     .notice = N_("The first row has a single weight, which is 1."),
     .code = "a, P = decoder_attn(y, y, y, attn_mask=causal)\n"
             "y = norm3(y + a)",
     .questions = {{SAC_ASK_COUNT, 1, N_("Itself and what is before it.")}}},
    {.block = SAC_BLOCK_CROSS_ATTENTION | SAC_BLOCK_MEMORY,
     .name = N_("3: across"),
     .sentence = N_("In cross-attention the queries come from the decoder, and the keys "
                    "and values from the memory."),
     .formula = "Q of y₁;  K, V of memory;  P [3,4]",
     .notice = N_("This matrix is the one that is read as an alignment."),
     .code = "a, P = cross_attn(y, memory, memory)\n"
             "y = norm4(y + a)",
     .questions = {{SAC_ASK_LARGEST, 2, N_("The largest score.")}}},
    {.block = SAC_BLOCK_DECODER_FORWARD | SAC_BLOCK_WORDS,
     .name = N_("next word"),
     .sentence = N_("Each row is compared with all rows of the word table; the softmax "
                    "gives probabilities of the next word."),
     .formula = "p = softmax(y₃ Eᵀ)",
     .notice = N_("The same table is used at both ends (tied embeddings)."),
     .code = "y = norm5(y + linear4(F.relu(linear3(y))))\n"
             "p = (y @ embedding.weight.T).softmax(-1)",
     .questions = {{SAC_ASK_LARGEST, 1, N_("The word it would write.")}}},
};

/* Names of a part's arrays begin with the part: "encoder.Q". */
typedef struct part {
    sac_lesson *lesson;
    sac_torch_random *random;
    const char *name;
} part;

static const char *named(const part *p, const char *name)
{
    static _Thread_local char names[4][32];
    static _Thread_local int next;
    char *text = names[next++ % 4];
    snprintf(text, sizeof names[0], "%s.%s", p->name, name);
    return text;
}

static sac_node map(const part *p, const char *name, sac_node x, size_t in, size_t out)
{
    char weight[16], bias[16], product[16];
    snprintf(weight, sizeof weight, "W_%s", name);
    snprintf(bias, sizeof bias, "b_%s", name);
    snprintf(product, sizeof product, "xW_%s", name);
    sac_lesson_linear linear =
        sac_lesson_linear_drawn(p->lesson, named(p, weight), named(p, bias), in, out, p->random);
    return sac_linear_map(&p->lesson->graph, named(p, product), named(p, name), x, linear.weight,
                          linear.bias);
}

typedef struct attended {
    sac_node q, k, weights, output;
} attended;

/* Queries of x, keys and values of `from`; `blocked` 0: nothing is. */
static attended attend(const part *p, sac_node x, sac_node from, sac_node blocked)
{
    sac_graph *g = &p->lesson->graph;
    attended a;
    a.q = map(p, "Q", x, BLOCK_DEPTH, BLOCK_DEPTH);
    a.k = map(p, "K", from, BLOCK_DEPTH, BLOCK_DEPTH);
    sac_node v = map(p, "V", from, BLOCK_DEPTH, BLOCK_DEPTH);
    sac_node products = sac_matmul_t(g, named(p, "products"), a.q, a.k);
    sac_node scores = sac_times(g, named(p, "scores"), products, 1 / sqrtf(BLOCK_DEPTH));
    if (blocked)
        scores = sac_masked(g, named(p, "masked"), scores, blocked);
    a.weights = sac_softmax(g, named(p, "weights"), scores);
    a.output =
        map(p, "out", sac_matmul(g, named(p, "context"), a.weights, v), BLOCK_DEPTH, BLOCK_DEPTH);
    return a;
}

/* LayerNorm(x + y), with gain 1 and bias 0. */
static sac_node add_and_norm(const part *p, sac_node x, sac_node y)
{
    sac_graph *g = &p->lesson->graph;
    sac_node sum = sac_sum(g, named(p, "residual"), x, y);
    sac_node mean = sac_unary(g, SAC_OP_MEAN, named(p, "mean"), sum);
    sac_node variance = sac_binary(g, SAC_OP_VARIANCE, named(p, "variance"), sum, mean);
    return sac_apply(g, SAC_OP_STANDARDISE, named(p, "norm"), sum, mean, variance, 1e-5f, 0);
}

static sac_node feed_forward(const part *p, sac_node x, sac_node *hidden)
{
    sac_graph *g = &p->lesson->graph;
    sac_node wide = map(p, "1", x, BLOCK_DEPTH, HIDDEN);
    *hidden = sac_unary(g, SAC_OP_RELU, named(p, "hidden"), wide);
    return add_and_norm(p, x, map(p, "2", *hidden, HIDDEN, BLOCK_DEPTH));
}

/* ---------------------------------------------------------------- the model */

typedef struct embedded {
    sac_node rows, places, x;
} embedded;

/* Rows of the table by the words' numbers, times √d, and positions. */
static embedded embed(const part *p, sac_node table, const int *ids, size_t count)
{
    sac_graph *g = &p->lesson->graph;
    embedded e;
    int index[BLOCK_SOURCE * BLOCK_DEPTH];
    for (size_t i = 0; i < count * BLOCK_DEPTH; i++)
        index[i] = ids[i / BLOCK_DEPTH] * BLOCK_DEPTH + (int)(i % BLOCK_DEPTH);
    e.rows = sac_gather(g, named(p, "embedded"), table, SAC_MATRIX(count, BLOCK_DEPTH), index);
    sac_node large = sac_times(g, named(p, "times_root_d"), e.rows, sqrtf(BLOCK_DEPTH));
    sac_node places = sac_positions(g, named(p, "PE"), count, BLOCK_DEPTH);
    e.places =
        sac_times(g, named(p, "positions"), places, sac_lesson_value(p->lesson, "positions"));
    e.x = sac_sum(g, named(p, "x"), large, e.places);
    return e;
}

typedef struct block_arrays {
    sac_node table, x1, hidden, memory, y, words;
    embedded source;
    attended encoder, decoder, across;
} block_arrays;

/* The decoder's rows begin with word 0, which stands for the beginning. */
static void decode(sac_lesson *l, sac_torch_random *random, block_arrays *a)
{
    static const int ids[BLOCK_TARGET] = {0, 3, 1};
    const part words = {l, random, "target"}, attention = {l, random, "decoder"},
               across = {l, random, "cross"}, forward = {l, random, "decoder.ff"};
    sac_graph *g = &l->graph;
    sac_node y = embed(&words, a->table, ids, BLOCK_TARGET).x, hidden;
    sac_node blocked = sac_lesson_blocked(l, "blocked", BLOCK_TARGET, BLOCK_TARGET,
                                          sac_lesson_value(l, "causal") != 0);
    a->decoder = attend(&attention, y, y, blocked);
    sac_node y1 = add_and_norm(&attention, y, a->decoder.output);
    a->across = attend(&across, y1, a->memory, 0);
    sac_node y2 = add_and_norm(&across, y1, a->across.output);
    a->y = feed_forward(&forward, y2, &hidden);
    a->words = sac_softmax(g, "words", sac_matmul_t(g, "logits", a->y, a->table));
}

static void build_block(sac_lesson *l)
{
    sac_torch_random random;
    block_arrays a = {0};
    sac_torch_seed(&random, l->seed);
    /* The embedding's numbers are normal in PyTorch with deviation 1; here, as in the
     * paper, uniform of deviation 1/√d, since the table is the last map as well. */
    float numbers[VOCABULARY * BLOCK_DEPTH];
    sac_torch_uniform(&random, sqrtf(3.0f / BLOCK_DEPTH), numbers, VOCABULARY * BLOCK_DEPTH);
    a.table = sac_given(&l->graph, "embedding", SAC_MATRIX(VOCABULARY, BLOCK_DEPTH), numbers);
    static const int ids[BLOCK_SOURCE] = {1, 4, 2, 5};
    const part words = {l, &random, "source"}, attention = {l, &random, "encoder"},
               forward = {l, &random, "encoder.ff"};
    a.source = embed(&words, a.table, ids, BLOCK_SOURCE);
    a.encoder = attend(&attention, a.source.x, a.source.x, 0);
    a.x1 = add_and_norm(&attention, a.source.x, a.encoder.output);
    a.memory = feed_forward(&forward, a.x1, &a.hidden);
    decode(l, &random, &a);
    SAC_LESSON_STEP(l, block_steps[0], a.table, a.source.rows, a.source.places, a.source.x);
    SAC_LESSON_STEP(l, block_steps[1], a.source.x, a.encoder.weights, a.encoder.output);
    SAC_LESSON_STEP(l, block_steps[2], a.source.x, a.encoder.output, a.x1);
    SAC_LESSON_STEP(l, block_steps[3], a.x1, a.hidden, a.memory);
    SAC_LESSON_STEP(l, block_steps[4], a.decoder.q, a.decoder.weights, a.decoder.output);
    SAC_LESSON_STEP(l, block_steps[5], a.across.q, a.across.k, a.across.weights, a.across.output);
    SAC_LESSON_STEP(l, block_steps[6], a.y, a.words);
    sac_lesson_draw(l, &(sac_lesson_drawing){.kind = SAC_DRAWS_BLOCK}, 0, 6);
}

static const sac_lesson_ask block_asks[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("The decoder's causal mask is taken away. What happens to the weight of "
                "the first word on itself?"),
     .cell = "decoder.weights,0,0",
     .after = "causal=0",
     .why = N_("It was the only key that the first word could see.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("Where do the keys and values of the third attention come from?"),
     .cell = "cross.weights,0,0",
     .reasons = {{N_("from the encoder's result, the memory")},
                 {N_("from the words that were written so far")},
                 {N_("from the table of embeddings")}},
     .why = N_("Queries come from the decoder: that is cross-attention, the bridge between both "
               "halves.")},
    {0},
};

const sac_lesson_class sac_lesson_transformer_block = {
    .name = "transformer-block",
    .title = N_("A transformer's blocks"),
    .summary = N_("encoder and decoder with their three kinds of attention"),
    .parameters = block_parameters,
    .asks = block_asks,
    .build = build_block,
};
