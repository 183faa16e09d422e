/* Self-attention as in the lecture's notebook: two sentences of four words, one head without a scale, or
 * three heads of full width. With its own seed every number that it printed comes out. */
#include <math.h>

#include "lessons/engine/lesson.h"
#include "lessons/ideas/lessons.h"
#include "lessons/shared/layers.h"

static const sac_lesson_parameter parameters[] = {
    {"heads", N_("1: SelfAttention, 3: MultiHead"), 1, 3, 1, true},
    {"identity", N_("no maps: Q = K = V = x"), 0, 1, 0, true},
    {"scaled", N_("divide by √10 without maps"), 0, 1, 0, true},
    {0},
};

static const sac_lesson_step steps[] = {
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
     .cell = "head.weights,0,2",
     .questions = {{SAC_ASK_LARGEST, 1, N_("The main word of its phrase.")}}},
};

static void build(sac_lesson *l)
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
    SAC_LESSON_STEP(l, steps[0], draws, sents);
    SAC_LESSON_STEP(l, steps[1], layer.query.weight ? layer.query.weight : sents, a.q, a.k, a.v);
    SAC_LESSON_STEP(l, steps[2], a.q_heads, a.k_heads, a.scores);
    SAC_LESSON_STEP(l, steps[3], a.scaled, a.weights);
    SAC_LESSON_STEP(l, steps[4], a.weights, a.v_heads, a.output);
    sac_node all;
    sac_trained_heads(l, &all);
    sac_node head = sac_trained_first_head(l, "head.scores", all);
    sac_node one = sac_softmax(g, "head.weights", head);
    sac_trained_label(l, one);
    SAC_LESSON_STEP(l, steps[5], head, one);
    /* Bands of the first sentence, in each head, and of the sentence that the trained head reads. */
    sac_node first = sac_sliced(g, "weights.first", a.weights, 0, layer.heads ? layer.heads : 1);
    sac_lesson_label_words(l, first, true, true);
    const sac_lesson_drawing drawing = {.kind = SAC_DRAWS_BANDS,
                                        .part = 0.42f,
                                        .panel_count = 1,
                                        .mark_count = 2,
                                        .marks = {{SAC_MARK_BANDS, .before = 5, .y = first},
                                                  {SAC_MARK_BANDS, .since = 5, .y = one}}};
    sac_lesson_add_drawing(l, &drawing, 3, 3);
    sac_lesson_add_drawing(l, &drawing, 5, 5);
    /* The words, their values and what comes out, a strip a word: the outputs look alike. */
    sac_node rows_of[3];
    const sac_node of[3] = {sents, a.v, a.output};
    static const char *const names[3][2] = {
        {"first.sents", "first.x"}, {"first.V", "first.values"}, {"first.Y", "first.output"}};
    for (int i = 0; i < 3; i++)
        rows_of[i] =
            sac_reshaped(g, names[i][1], sac_sliced(g, names[i][0], of[i], 0, 1),
                         SAC_MATRIX(sac_node_size(g, of[i], 1), sac_node_size(g, of[i], 2)));
    const sac_lesson_drawing strips = {
        .kind = SAC_DRAWS_ROWS,
        .panel_count = 1,
        .mark_count = 3,
        .marks = {{SAC_MARK_CELLS, 0, .y = rows_of[0], .name = N_("x")},
                  {SAC_MARK_CELLS, 0, .y = rows_of[1], .name = N_("V")},
                  {SAC_MARK_CELLS, 0, .y = rows_of[2], .name = N_("Y")}}};
    sac_lesson_add_drawing(l, &strips, 4, 4);
}

static const sac_lesson_ask asks[] = {
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
    .parameters = parameters,
    .seed = SAC_NOTEBOOK_SEED,
    .asks = asks,
    .build = build,
};
