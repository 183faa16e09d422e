/* A transformer's encoder and decoder block on four and three words: embedding, positions, the
 * three kinds of attention, residual and norm, feed-forward. Post-norm, one head; maps as PyTorch
 * draws them. */
#include <math.h>
#include <stdio.h>

#include "base/random/random.h"
#include "lessons/ideas/lessons.h"

enum { VOCABULARY = 6, SOURCE = 4, TARGET = 3, DEPTH = 8, HIDDEN = 16 };

static const sac_lesson_parameter parameters[] = {
    {"positions", N_("add positions"), 0, 1, 1, true},
    {"causal", N_("the decoder's causal mask"), 0, 1, 1, true},
    {0},
};

static const sac_lesson_step steps[] = {
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
     .questions = {{SAC_ASK_LARGEST, 4, N_("The largest score.")}}},
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
     .questions = {{SAC_ASK_COUNT, 2, N_("What was negative is 0 after the ReLU.")}}},
    {.block = SAC_BLOCK_DECODER_ATTENTION,
     .name = N_("2: decoder"),
     .sentence = N_("The words written so far attend to themselves, under a causal mask."),
     .formula = "P = softmax(mask(Q Kᵀ / √d))",
     .notice = N_("The first row has a single weight, which is 1."),
     .code = "a, P = decoder_attn(y, y, y, attn_mask=causal)\n"
             "y = norm3(y + a)",
     .questions = {{SAC_ASK_COUNT, 4, N_("Itself and what is before it.")}}},
    {.block = SAC_BLOCK_CROSS_ATTENTION | SAC_BLOCK_MEMORY,
     .name = N_("3: across"),
     .sentence = N_("In cross-attention the queries come from the decoder, and the keys "
                    "and values from the memory."),
     .formula = "Q of y₁;  K, V of memory;  P [3,4]",
     .notice = N_("This matrix is the one that is read as an alignment."),
     .code = "a, P = cross_attn(y, memory, memory)\n"
             "y = norm4(y + a)",
     .questions = {{SAC_ASK_LARGEST, 4, N_("The largest score.")}}},
    {.block = SAC_BLOCK_DECODER_FORWARD | SAC_BLOCK_WORDS,
     .name = N_("next word"),
     .sentence = N_("Each row is compared with all rows of the word table; the softmax "
                    "gives probabilities of the next word."),
     .formula = "p = softmax(y₃ Eᵀ)",
     .notice = N_("The same table is used at both ends (tied embeddings)."),
     .code = "y = norm5(y + linear4(F.relu(linear3(y))))\n"
             "p = (y @ embedding.weight.T).softmax(-1)",
     .questions = {{SAC_ASK_LARGEST, 2, N_("The word it would write.")}}},
};

/* Names of a part's arrays begin with the part: "encoder.Q". */
typedef struct part {
    sac_lesson *lesson;
    sac_torch_random *random;
    const char *name;
} part;

static const char *prefixed_name(const part *p, const char *name)
{
    static _Thread_local char names[4][32];
    static _Thread_local int next;
    char *text = names[next++ % 4];
    snprintf(text, sizeof names[0], "%s.%s", p->name, name);
    return text;
}

static sac_node add_linear_map(const part *p, const char *name, sac_node x, size_t in, size_t out)
{
    char weight[16], bias[16], product[16];
    snprintf(weight, sizeof weight, "W_%s", name);
    snprintf(bias, sizeof bias, "b_%s", name);
    snprintf(product, sizeof product, "xW_%s", name);
    sac_lesson_linear linear = sac_lesson_random_linear(p->lesson, prefixed_name(p, weight),
                                                        prefixed_name(p, bias), in, out, p->random);
    return sac_linear_map(&p->lesson->graph, prefixed_name(p, product), prefixed_name(p, name), x,
                          linear.weight, linear.bias);
}

typedef struct attended {
    sac_node q, k, v, scores, weights, output;
} attended;

/* Queries of x, keys and values of `from`; `blocked` 0: nothing is. */
static attended add_attention(const part *p, sac_node x, sac_node from, sac_node blocked)
{
    sac_graph *g = &p->lesson->graph;
    attended a;
    a.q = add_linear_map(p, "Q", x, DEPTH, DEPTH);
    a.k = add_linear_map(p, "K", from, DEPTH, DEPTH);
    a.v = add_linear_map(p, "V", from, DEPTH, DEPTH);
    sac_node products = sac_matmul_t(g, prefixed_name(p, "products"), a.q, a.k);
    a.scores = sac_times(g, prefixed_name(p, "scores"), products, 1 / sqrtf(DEPTH));
    if (blocked)
        a.scores = sac_masked(g, prefixed_name(p, "masked"), a.scores, blocked);
    a.weights = sac_softmax(g, prefixed_name(p, "weights"), a.scores);
    a.output = add_linear_map(p, "out", sac_matmul(g, prefixed_name(p, "context"), a.weights, a.v),
                              DEPTH, DEPTH);
    return a;
}

/* LayerNorm(x + y), with gain 1 and bias 0. */
static sac_node add_and_norm(const part *p, sac_node x, sac_node y)
{
    sac_graph *g = &p->lesson->graph;
    sac_node sum = sac_sum(g, prefixed_name(p, "residual"), x, y);
    sac_node mean = sac_unary(g, SAC_OP_MEAN, prefixed_name(p, "mean"), sum);
    sac_node variance = sac_binary(g, SAC_OP_VARIANCE, prefixed_name(p, "variance"), sum, mean);
    return sac_apply(g, SAC_OP_STANDARDISE, prefixed_name(p, "norm"), sum, mean, variance, 1e-5f,
                     0);
}

static sac_node feed_forward(const part *p, sac_node x, sac_node *wide, sac_node *hidden)
{
    sac_graph *g = &p->lesson->graph;
    *wide = add_linear_map(p, "1", x, DEPTH, HIDDEN);
    *hidden = sac_unary(g, SAC_OP_RELU, prefixed_name(p, "hidden"), *wide);
    return add_and_norm(p, x, add_linear_map(p, "2", *hidden, HIDDEN, DEPTH));
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
    int index[SOURCE * DEPTH];
    for (size_t i = 0; i < count * DEPTH; i++)
        index[i] = ids[i / DEPTH] * DEPTH + (int)(i % DEPTH);
    e.rows = sac_gather(g, prefixed_name(p, "embedded"), table, SAC_MATRIX(count, DEPTH), index);
    sac_node large = sac_times(g, prefixed_name(p, "times_root_d"), e.rows, sqrtf(DEPTH));
    sac_node places = sac_positions(g, prefixed_name(p, "PE"), count, DEPTH);
    e.places = sac_times(g, prefixed_name(p, "positions"), places,
                         sac_lesson_value(p->lesson, "positions"));
    e.x = sac_sum(g, prefixed_name(p, "x"), large, e.places);
    return e;
}

typedef struct arrays {
    sac_node table, x1, wide, hidden, memory, y, logits, words;
    embedded source;
    attended encoder, decoder, across;
} arrays;

/* The decoder's rows begin with word 0, which stands for the beginning. */
static void add_decoder(sac_lesson *l, sac_torch_random *random, arrays *a)
{
    static const int ids[TARGET] = {0, 3, 1};
    const part words = {l, random, "target"}, attention = {l, random, "decoder"},
               across = {l, random, "cross"}, forward = {l, random, "decoder.ff"};
    sac_graph *g = &l->graph;
    sac_node y = embed(&words, a->table, ids, TARGET).x, wide, hidden;
    sac_node blocked =
        sac_lesson_blocked(l, "blocked", TARGET, TARGET, sac_lesson_value(l, "causal") != 0);
    a->decoder = add_attention(&attention, y, y, blocked);
    sac_node y1 = add_and_norm(&attention, y, a->decoder.output);
    a->across = add_attention(&across, y1, a->memory, 0);
    sac_node y2 = add_and_norm(&across, y1, a->across.output);
    a->y = feed_forward(&forward, y2, &wide, &hidden);
    a->logits = sac_matmul_t(g, "logits", a->y, a->table);
    a->words = sac_softmax(g, "words", a->logits);
}

static void build(sac_lesson *l)
{
    sac_torch_random random;
    arrays a = {0};
    sac_torch_seed(&random, l->seed);
    /* The embedding's numbers are normal in PyTorch with deviation 1; here, as in the
     * paper, uniform of deviation 1/√d, since the table is the last map as well. */
    float numbers[VOCABULARY * DEPTH];
    sac_torch_uniform(&random, sqrtf(3.0f / DEPTH), numbers, VOCABULARY * DEPTH);
    a.table = sac_given(&l->graph, "embedding", SAC_MATRIX(VOCABULARY, DEPTH), numbers);
    static const int ids[SOURCE] = {1, 4, 2, 5};
    const part words = {l, &random, "source"}, attention = {l, &random, "encoder"},
               forward = {l, &random, "encoder.ff"};
    a.source = embed(&words, a.table, ids, SOURCE);
    a.encoder = add_attention(&attention, a.source.x, a.source.x, 0);
    a.x1 = add_and_norm(&attention, a.source.x, a.encoder.output);
    a.memory = feed_forward(&forward, a.x1, &a.wide, &a.hidden);
    add_decoder(l, &random, &a);
    SAC_LESSON_STEP(l, steps[0], a.table, a.source.rows, a.source.places, a.source.x);
    SAC_LESSON_STEP(l, steps[1], a.encoder.q, a.encoder.k, a.encoder.v, a.encoder.scores,
                    a.encoder.weights, a.encoder.output);
    SAC_LESSON_STEP(l, steps[2], a.source.x, a.encoder.output, a.x1);
    SAC_LESSON_STEP(l, steps[3], a.x1, a.wide, a.hidden, a.memory);
    SAC_LESSON_STEP(l, steps[4], a.decoder.q, a.decoder.k, a.decoder.v, a.decoder.scores,
                    a.decoder.weights, a.decoder.output);
    SAC_LESSON_STEP(l, steps[5], a.across.q, a.across.k, a.across.v, a.across.scores,
                    a.across.weights, a.across.output);
    SAC_LESSON_STEP(l, steps[6], a.y, a.logits, a.words);
    sac_lesson_add_drawing(l, &(sac_lesson_drawing){.kind = SAC_DRAWS_BLOCK}, 0, 6);
}

static const sac_lesson_ask asks[] = {
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
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
