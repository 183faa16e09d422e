/* The five scores side by side: the same query and keys in the plane, and each score prefers another
 * one. Or keys that are all the same, which make every answer independent of the weights: the plain
 * mean of what a mask leaves. */
#include <math.h>

#include "base/random/random.h"
#include "lessons/ideas/lessons.h"

enum { BATCH = 2, KEYS = 10, LONG = 20, SHORT = 2, VALUES = 4, HIDDEN = 8 };
enum { DIFFERENT = 0, EQUAL, EQUAL_AND_MASKED };

static const sac_lesson_parameter parameters[] = {
    {"equal", N_("equal keys: 0 no, 1 yes, 2 yes and masked"), DIFFERENT, EQUAL_AND_MASKED,
     DIFFERENT, true},
    {0},
};

#define QUESTIONS(why)                                                                             \
    {                                                                                              \
        {SAC_ASK_LARGEST, 3, why},                                                                 \
            {SAC_ASK_VALUE, 3, N_("exp of its score, divided by the sum of the row.")},            \
    }

enum { TAUGHT = SAC_SCORE_GAUSSIAN + 1 }; /* a score that comes later is no part of the lesson */

static const sac_score taught[TAUGHT] = {SAC_SCORE_DOT, SAC_SCORE_SCALED_DOT, SAC_SCORE_ADDITIVE,
                                         SAC_SCORE_BILINEAR, SAC_SCORE_GAUSSIAN};

static const sac_lesson_step steps[TAUGHT] = {
    [SAC_SCORE_DOT] =
        {.name = N_("dot"),
         .sentence =
             N_("Query and key are multiplied number by number, and the products are added."),
         .formula = "a(q,k) = q·k",
         .code = "scores = q @ key.transpose(-2, -1)   # q is a query of the key's size",
         .notice = N_("The long key wins; dot needs no parameters, but vectors of one size."),
         .questions = QUESTIONS(N_("Long keys have large dot products."))},
    [SAC_SCORE_SCALED_DOT] = {.name = N_("scaled dot"),
                              .sentence =
                                  N_("The dot product divided by the square root of the size d."),
                              .formula = "a(q,k) = q·k / √d",
                              .code = "scores = q @ key.transpose(-2, -1) / math.sqrt(q.shape[-1])",
                              .notice = N_("The same key wins with a smaller weight."),
                              .questions = QUESTIONS(N_("The order is that of the dot product."))},
    [SAC_SCORE_ADDITIVE] =
        {.name = N_("additive"),
         .sentence = N_("A small network with one hidden layer compares query and key, "
                        "whose sizes may differ."),
         .formula = "a(q,k) = w_vᵀ tanh(W_q q + W_k k)",
         .code = "features = torch.tanh(W_q(query).unsqueeze(-2) + W_k(key).unsqueeze(-3))\n"
                 "scores = w_v(features).squeeze(-1)",
         .notice =
             N_("With these weights the high key wins; W_k may have either sign, so the sum is "
                "a difference too."),
         .questions = QUESTIONS(N_("The network prefers keys that lie high and to the right."))},
    [SAC_SCORE_BILINEAR] =
        {.name = N_("bilinear"),
         .sentence = N_("A matrix W between query and key maps one to the size of the other."),
         .formula = "a(q,k) = qᵀ W k / ⁴√(d_q d_k)",
         .code = "d_q, d_k = query.shape[-1], key.shape[-1]\n"
                 "scores = query @ W_qk @ key.transpose(-2, -1) / (d_q * d_k) ** 0.25",
         .notice =
             N_("This W turns the query by 90°, so the key to its left wins; for W = I it is the "
                "scaled dot: ⁴√(d d) = √d."),
         .questions = QUESTIONS(N_("The key that lies to the left of the query."))},
    [SAC_SCORE_GAUSSIAN] =
        {.name = N_("gaussian"),
         .sentence = N_("The score falls with the squared distance of query and key."),
         .formula = "a(q,k) = −½ ‖(q − k) w‖²",
         .code = "scores = -((q.unsqueeze(-2) - key.unsqueeze(-3)) ** 2).sum(-1) / 2",
         .notice = N_("The nearest key wins; the only parameter is the inverse width w."),
         .questions = QUESTIONS(N_("The nearest key."))},
};

typedef struct arrays {
    sac_node query, short_query, key, value, mask;
    sac_node scores[TAUGHT], weights[TAUGHT], outputs[TAUGHT];
    sac_node w_q, w_k, w_v, w_qk, q, k, wk;
} arrays;

/* Numbers between 0 and 1, in [BATCH,1,width]. */
static sac_node add_query(sac_lesson *l, const char *name, size_t width, sac_torch_random *random)
{
    float numbers[BATCH * LONG];
    for (size_t i = 0; i < BATCH * width; i++)
        numbers[i] = sac_torch_rand(random);
    return sac_lesson_given(l, name, SAC_STACK(BATCH, 1, width), numbers);
}

/* The weight of torch.nn.Linear(in, out, bias=False). */
static sac_node add_weight(sac_lesson *l, const char *name, size_t in, size_t out,
                           sac_torch_random *random)
{
    float numbers[LONG * LONG];
    sac_torch_uniform(random, (float)(1 / sqrt((double)in)), numbers, in * out);
    return sac_lesson_given(l, name, SAC_MATRIX(out, in), numbers);
}

/* Keys that are all 1, queries of another size and drawn weights. */
static void add_equal_keys(sac_lesson *l, arrays *a, bool masked)
{
    static const int valid[BATCH] = {2, 6};
    float ones[BATCH * KEYS * SHORT], values[BATCH * KEYS * VALUES], blocked[BATCH * KEYS];
    sac_torch_random random;
    sac_torch_seed(&random, l->seed);
    for (int i = 0; i < BATCH * KEYS * SHORT; i++)
        ones[i] = 1;
    for (int i = 0; i < BATCH * KEYS * VALUES; i++)
        values[i] = (float)(i % (KEYS * VALUES));
    for (int i = 0; i < BATCH * KEYS; i++)
        blocked[i] = masked && i % KEYS >= valid[i / KEYS];
    a->query = add_query(l, "query", LONG, &random);
    a->short_query = add_query(l, "query.short", SHORT, &random);
    a->key = sac_lesson_given(l, "key", SAC_STACK(BATCH, KEYS, SHORT), ones);
    a->value = sac_lesson_given(l, "value", SAC_STACK(BATCH, KEYS, VALUES), values);
    a->mask = sac_lesson_given(l, "mask", SAC_STACK(BATCH, 1, KEYS), blocked);
    a->w_q = add_weight(l, "W_q", LONG, HIDDEN, &random);
    a->w_k = add_weight(l, "W_k", SHORT, HIDDEN, &random);
    a->w_v = add_weight(l, "w_v", HIDDEN, 1, &random);
    a->w_qk = add_weight(l, "W_qk", SHORT, LONG, &random); /* [LONG,SHORT] */
}

/* One query and five keys in the plane; each family of scores has another favourite. */
static void add_different_keys(sac_lesson *l, arrays *a)
{
    enum { COUNT = 5 };
    static const char *const names[] = {"near", "long", "left", "origin", "high"};
    static const float query[] = {1, 0.5f}, values[COUNT] = {10, 20, 30, 40, 50};
    static const float keys[] = {0.55f, 0.8f, 2.5f, 0.3f, -2, 1, 0, 0, 1, 2};
    /* Hidden numbers tanh(k₂ − q₁) and tanh(k₁); a turn by 90°. */
    static const float from_q[] = {-1, 0, 0, 0}, from_k[] = {0, 1, 1, 0}, sums[] = {2, 2};
    static const float turn[] = {0, 1, -1, 0};
    a->query = a->short_query = sac_lesson_given(l, "query", SAC_MATRIX(1, 2), query);
    a->key = sac_lesson_given(l, "key", SAC_MATRIX(COUNT, 2), keys);
    a->value = sac_lesson_given(l, "value", SAC_MATRIX(COUNT, 1), values);
    a->w_q = sac_lesson_given(l, "W_q", SAC_MATRIX(2, 2), from_q);
    a->w_k = sac_lesson_given(l, "W_k", SAC_MATRIX(2, 2), from_k);
    a->w_v = sac_lesson_given(l, "w_v", SAC_MATRIX(1, 2), sums);
    a->w_qk = sac_lesson_given(l, "W_qk", SAC_MATRIX(2, 2), turn);
    sac_lesson_label(l, a->key, names, COUNT, NULL, 0);
    sac_lesson_label(l, a->value, names, COUNT, NULL, 0);
}

/* The query and the keys in the plane, each key as thick as its weight by the step's score, and the
 * weights as bars. */
static void add_drawings(sac_lesson *l, const arrays *a)
{
    static const char *const query_names[] = {"q"}, *const turned_names[] = {"qW"};
    sac_graph *g = &l->graph;
    size_t count = sac_node_size(g, a->key, 0);
    if (sac_node_size(g, a->query, 0) != 1 || sac_node_size(g, a->query, 1) != 2 || !a->outputs[0])
        return;
    const char *const *names = sac_graph_array(g, a->key)->row_labels;
    sac_lesson_drawing drawing = {
        .across = true,
        .panel_count = 2,
        .panels = {{.plane = true,
                    .x_low = -2.4f,
                    .x_high = 3,
                    .y_low = -0.8f,
                    .y_high = 2.4f,
                    .share = 1.4f},
                   {.y = N_("weight"),
                    .categories = a->weights[0],
                    .x_low = -0.6f,
                    .x_high = (float)count - 0.4f,
                    .y_low = 0,
                    .y_high = 1.15f}},
        .handle_count = 1,
        .handles = {{.x = {a->query, 0},
                     .y = {a->query, 1},
                     .sets_x = {.number = {a->query, 0}},
                     .sets_y = {.number = {a->query, 1}},
                     .does = N_("Drag the query, or move it by the arrow keys.")}}};
    for (int i = 0; i < TAUGHT; i++)
        drawing.marks[drawing.mark_count++] =
            (sac_drawing_mark){SAC_MARK_ARROWS,     0,
                               .since = i,          .before = i + 1,
                               .y = a->key,         .weights = a->weights[taught[i]],
                               .ink = SAC_INK_BLUE, .labels = names};
    drawing.marks[drawing.mark_count++] = (sac_drawing_mark){SAC_MARK_ARROWS,
                                                             0,
                                                             .since = SAC_SCORE_BILINEAR,
                                                             .before = SAC_SCORE_BILINEAR + 1,
                                                             .y = a->wk,
                                                             .ink = SAC_INK_GREEN,
                                                             .labels = turned_names};
    drawing.marks[drawing.mark_count++] = (sac_drawing_mark){
        SAC_MARK_ARROWS, 0, .y = a->query, .ink = SAC_INK_ACCENT, .labels = query_names};
    for (int i = 0; i < TAUGHT; i++)
        drawing.marks[drawing.mark_count++] = (sac_drawing_mark){
            SAC_MARK_BARS,      1, .since = i, .before = i + 1, .y = a->weights[taught[i]],
            .ink = SAC_INK_BLUE};
    for (size_t i = 0; i < count && drawing.handle_count < SAC_DRAWING_HANDLES; i++)
        drawing.handles[drawing.handle_count++] =
            (sac_drawing_handle){.x = {a->key, 2 * i},
                                 .y = {a->key, 2 * i + 1},
                                 .sets_x = {.number = {a->key, 2 * i}},
                                 .sets_y = {.number = {a->key, 2 * i + 1}},
                                 .quiet = true,
                                 .does = N_("Drag this key, or move it by the arrow keys.")};
    sac_lesson_add_drawing(l, &drawing, 0, TAUGHT - 1);
}

static void build(sac_lesson *l)
{
    arrays a = {0};
    int equal = (int)sac_lesson_value(l, "equal");
    if (equal == DIFFERENT)
        add_different_keys(l, &a);
    else
        add_equal_keys(l, &a, equal == EQUAL_AND_MASKED);
    sac_graph *g = &l->graph;
    double both = (double)sac_node_size(g, a.query, -1) * (double)sac_node_size(g, a.key, -1);
    a.q = sac_matmul_t(g, "W_q q", a.query, a.w_q);
    a.k = sac_matmul_t(g, "W_k k", a.key, a.w_k);
    a.scores[SAC_SCORE_ADDITIVE] =
        sac_apply(g, SAC_OP_ADDITIVE, "score.additive", a.q, a.k, a.w_v, 0, 0);
    a.scores[SAC_SCORE_DOT] = sac_matmul_t(g, "score.dot", a.short_query, a.key);
    a.scores[SAC_SCORE_SCALED_DOT] = sac_times(g, "score.scaled-dot", a.scores[SAC_SCORE_DOT],
                                               1 / sqrtf((float)sac_node_size(g, a.key, -1)));
    a.wk = sac_matmul(g, "q W_qk", a.query, a.w_qk);
    sac_node products = sac_matmul_t(g, "q W_qk k", a.wk, a.key);
    a.scores[SAC_SCORE_BILINEAR] =
        sac_times(g, "score.bilinear", products, (float)(1 / sqrt(sqrt(both))));
    a.scores[SAC_SCORE_GAUSSIAN] =
        sac_apply(g, SAC_OP_GAUSSIAN, "score.gaussian", a.short_query, a.key, 0, 1, 0);
    for (int i = 0; i < TAUGHT; i++) {
        /* masked, weights and output of a score. */
        sac_score score = (sac_score)i;
        char masked[32], weights[32], output[32];
        const char *name = sac_score_name(score);
        snprintf(masked, sizeof masked, "masked.%s", name);
        snprintf(weights, sizeof weights, "weights.%s", name);
        snprintf(output, sizeof output, "output.%s", name);
        sac_node open =
            a.mask ? sac_masked(&l->graph, masked, a.scores[score], a.mask) : a.scores[score];
        a.weights[score] = sac_softmax(&l->graph, weights, open);
        a.outputs[score] = sac_matmul(&l->graph, output, a.weights[score], a.value);
    }
    const char *const *names = a.key ? l->graph.arrays[a.key - 1].row_labels : NULL;
    for (int i = 0; names && i < TAUGHT; i++) {
        size_t count = sac_node_size(&l->graph, a.key, 0);
        sac_lesson_label(l, a.scores[i], NULL, 0, names, count);
        sac_lesson_label(l, a.weights[i], NULL, 0, names, count);
    }
    for (int i = 0; i < TAUGHT; i++) {
        sac_score score = taught[i];
        sac_lesson_step step = steps[score];
        if (equal != DIFFERENT)
            step.notice = N_("Keys that are all equal get equal weights, whatever the score.");
        bool unequal = score == SAC_SCORE_ADDITIVE || score == SAC_SCORE_BILINEAR;
        SAC_LESSON_STEP(l, step, unequal ? a.query : a.short_query, a.key, a.scores[score],
                        a.weights[score], a.value, a.outputs[score]);
    }
    if (equal == DIFFERENT)
        add_drawings(l, &a);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Which scores can compare a query and a key of different sizes?"),
     .reasons = {{N_("additive and bilinear, which have matrices of their own")},
                 {N_("dot and scaled dot")},
                 {N_("the Gaussian")}},
     .why = N_("A dot product and a distance need vectors of one size.")},
    {0},
};

const sac_lesson_class sac_lesson_scores = {
    .name = "scores",
    .title = N_("Five scores side by side"),
    .summary =
        N_("dot, scaled dot, additive, bilinear, Gaussian: the same keys, four different winners"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
