/* Lessons in depth: similarity, permutation, kernel regression, and what attention costs. */
#include <math.h>
#include <stdlib.h>

#include "base/random/rng.h"
#include "lessons/ideas/lessons.h"
#include "lessons/shared/layers.h"

/* ---------------------------------------------------------------- similarity: A lesson on dot product, cosine and
 * Gaussian as similarities: they give the same order on unit vectors only */

static const sac_lesson_parameter similarity_parameters[] = {
    {"unit", N_("unit vectors"), 0, 1, 0, true},
    {0},
};

static const sac_lesson_step similarity_steps[] = {
    {.name = N_("dot"),
     .sentence = N_("The dot product grows with the cosine of the angle and with both lengths."),
     .formula = "q·k = |q| |k| cos φ",
     .notice = N_("The long key 1 wins, although key 0 has a smaller angle to the query; of "
                  "unit vectors key 0 wins."),
     .code = "dot = query @ key.T",
     .questions = {{SAC_ASK_LARGEST, 2, N_("A long key can win by its length alone.")}}},
    {.name = N_("cosine"),
     .sentence =
         N_("The cosine is the dot product divided by both lengths, so only the direction counts."),
     .formula = "cos φ = q·k / (|q| |k|)",
     .notice = N_("Key 0 wins, whatever the lengths."),
     .code = "cosine = F.normalize(query, dim=-1) @ F.normalize(key, dim=-1).T",
     .questions = {{SAC_ASK_LARGEST, 2, N_("The direction alone decides.")}}},
    {.name = N_("gaussian"),
     .sentence = N_("The Gaussian score is minus half the squared distance of the two end points."),
     .formula = "−½ |q − k|² = q·k − ½|q|² − ½|k|²",
     .notice = N_("For unit vectors it is q·k − 1, so its softmax gives the same weights "
                  "as the dot product."),
     .code = "gaussian = -((query[:, None] - key[None]) ** 2).sum(-1) / 2",
     .questions = {{SAC_ASK_VALUE, 2, N_("Half the squared distance, with a minus.")}}},
};

/* Rows divided by their lengths. */
static sac_node unit_rows(sac_graph *g, const char *length, const char *name, sac_node a)
{
    return sac_binary(g, SAC_OP_DIVIDE, name, a, sac_unary(g, SAC_OP_LENGTH, length, a));
}

typedef struct similarity_arrays {
    sac_node query, key, q, k, q1, k1, by_dot, by_cosine, by_gaussian;
} similarity_arrays;

/* The vectors in the plane, and what each score makes of them: the shares of the keys beside it. */
static void draw_similarity(sac_lesson *l, const similarity_arrays *a)
{
    enum { CIRCLE = 121 };
    static const char *const queries[] = {"q"};
    static const char *const keys[] = {"k0", "k1", "k2", "k3", "k4",  "k5",
                                       "k6", "k7", "k8", "k9", "k10", "k11"};
    sac_graph *g = &l->graph;
    float x[CIRCLE], y[CIRCLE];
    if (sac_node_size(g, a->query, 0) != 1 || sac_node_size(g, a->query, 1) != 2)
        return; /* a person's own vectors that lie in no plane */
    for (int i = 0; i < CIRCLE; i++) {
        x[i] = (float)cos(2 * acos(-1) * i / (CIRCLE - 1));
        y[i] = (float)sin(2 * acos(-1) * i / (CIRCLE - 1));
    }
    sac_node circle_x = sac_given(g, "circle.x", SAC_MATRIX(1, CIRCLE), x);
    sac_node circle_y = sac_given(g, "circle.y", SAC_MATRIX(1, CIRCLE), y);
    sac_lesson_drawing drawing = {
        .across = true,
        .panel_count = 2,
        .panels = {{.plane = true,
                    .x_low = -1.8f,
                    .x_high = 3.8f,
                    .y_low = -1.2f,
                    .y_high = 3.4f,
                    .share = 1.5f},
                   {.y = N_("weight"),
                    .x = N_("key"),
                    .categories = a->by_dot,
                    .x_low = -0.6f,
                    .x_high = 2.6f,
                    .y_low = 0,
                    .y_high = 1.15f}},
        .mark_count = 8,
        .marks = {{SAC_MARK_LINE, 0, .since = 1, .before = 2, .x = circle_x, .y = circle_y,
                   .ink = SAC_INK_FAINT},
                  {SAC_MARK_ARROWS, 0, .y = a->k, .ink = SAC_INK_BLUE, .labels = keys},
                  {SAC_MARK_ARROWS, 0, .y = a->q, .ink = SAC_INK_ACCENT, .labels = queries},
                  {SAC_MARK_ARROWS, 0, .since = 1, .before = 2, .y = a->k1, .ink = SAC_INK_GREEN},
                  {SAC_MARK_ARROWS, 0, .since = 1, .before = 2, .y = a->q1, .ink = SAC_INK_GREEN,
                   .name = N_("of length 1")},
                  {SAC_MARK_BARS, 1, .y = a->by_dot, .ink = SAC_INK_ACCENT, .name = N_("dot")},
                  {SAC_MARK_BARS, 1, .since = 1, .y = a->by_cosine, .ink = SAC_INK_GREEN,
                   .name = N_("cosine")},
                  {SAC_MARK_BARS, 1, .since = 2, .y = a->by_gaussian, .ink = SAC_INK_BLUE,
                   .name = N_("Gaussian")}},
        .handle_count = 1,
        .handles = {{.x = {a->q, 0},
                     .y = {a->q, 1},
                     .sets_x = {.number = {a->query, 0}},
                     .sets_y = {.number = {a->query, 1}},
                     .does = N_("Drag the query, or move it by the arrow keys.")}}};
    size_t count = sac_node_size(g, a->key, 0);
    drawing.panels[1].x_high = (float)count - 0.4f;
    for (size_t i = 0; i < count && drawing.handle_count < SAC_DRAWING_HANDLES; i++)
        drawing.handles[drawing.handle_count++] =
            (sac_drawing_handle){.x = {a->k, 2 * i},
                                 .y = {a->k, 2 * i + 1},
                                 .sets_x = {.number = {a->key, 2 * i}},
                                 .sets_y = {.number = {a->key, 2 * i + 1}},
                                 .quiet = true,
                                 .does = N_("Drag this key, or move it by the arrow keys.")};
    sac_lesson_draw(l, &drawing, 0, 2);
}

static void build_similarity(sac_lesson *l)
{
    static const float queries[] = {1, 0.5f}, keys[] = {1, 0.4f, 3, 3, -1, 0.5f};
    sac_graph *g = &l->graph;
    sac_node query = sac_lesson_given(l, "query", SAC_MATRIX(1, 2), queries);
    sac_node key = sac_lesson_given(l, "key", SAC_MATRIX(3, 2), keys);
    sac_node q1 = unit_rows(g, "query.length", "query.unit", query);
    sac_node k1 = unit_rows(g, "key.length", "key.unit", key);
    bool unit = sac_lesson_value(l, "unit") != 0;
    sac_node q = unit ? q1 : query, k = unit ? k1 : key;
    sac_node dot = sac_matmul_t(g, "score.dot", q, k);
    sac_node cosine = sac_matmul_t(g, "score.cosine", q1, k1);
    sac_node gaussian = sac_apply(g, SAC_OP_GAUSSIAN, "score.gaussian", q, k, 0, 1, 0);
    sac_node by_dot = sac_softmax(g, "weights.dot", dot);
    sac_node by_cosine = sac_softmax(g, "weights.cosine", cosine);
    sac_node by_gaussian = sac_softmax(g, "weights.gaussian", gaussian);
    SAC_LESSON_STEP(l, similarity_steps[0], q, k, dot, by_dot);
    SAC_LESSON_STEP(l, similarity_steps[1], q1, k1, cosine, by_cosine);
    SAC_LESSON_STEP(l, similarity_steps[2], q, k, gaussian, by_gaussian);
    draw_similarity(l,
                    &(similarity_arrays){query, key, q, k, q1, k1, by_dot, by_cosine, by_gaussian});
}

static const sac_lesson_ask similarity_asks[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("All vectors are brought to length 1. What happens to the weight of the "
                "second key under the dot product?"),
     .cell = "weights.dot,0,1",
     .after = "unit=1",
     .why = N_("It won by its length, and that is gone.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("When do dot product, cosine and Gaussian give the same order of keys?"),
     .cell = "weights.dot,0,0",
     .reasons = {{N_("when all vectors have length 1")},
                 {N_("always")},
                 {N_("when no number is negative")}},
     .why = N_("For length 1 the dot product is the cosine, and −½|q − k|² is q·k − 1.")},
    {0},
};

const sac_lesson_class sac_lesson_similarity = {
    .name = "similarity",
    .title = N_("Score means similarity"),
    .summary = N_("dot, cosine and Gaussian: equal on unit vectors only"),
    .parameters = similarity_parameters,
    .asks = similarity_asks,
    .build = build_similarity,
};

/* ---------------------------------------------------------------- permutation: A lesson on the order of words:
 * self-attention permutes with it, attention from outside does not change, and with positional encodings neither
 * holds */

static const sac_lesson_parameter permutation_parameters[] = {
    {"positions", N_("add positions"), 0, 1, 0, true},
    {0},
};

static const sac_lesson_step permutation_steps[] = {
    {.name = N_("order"),
     .sentence = N_("The words of a sentence are put in another order: 2, 0, 3, 1."),
     .formula = "PX",
     .notice = N_("Each row of the permutation P has a single 1, which picks a word."),
     .code = "PX = X[[2, 0, 3, 1]]",
     .questions = {{SAC_ASK_LARGEST, 0, N_("The word that comes to this place.")}}},
    {.name = N_("self-attention"),
     .sentence =
         N_("Self-attention of the reordered words gives the reordered output: it is equivariant."),
     .formula = "f(PX) − P f(X)",
     .notice = N_("Without positions the difference is 0; with positions it is not."),
     .code = "difference = model(PX) - model(X)[[2, 0, 3, 1]]"},
    {.name = N_("from outside"),
     .sentence = N_("A query from outside, as in a decoder, gets the same context c for any "
                    "order: c is invariant."),
     .formula = "c(PX) − c(X)",
     .notice = N_("Keys and values move together, so the weighted sum stays the same "
                  "unless positions are added."),
     .code = "change = attend(query, PX) - attend(query, X)",
     .questions = {{SAC_ASK_VALUE, 0, N_("A mean of the words by their weights.")}}},
};

enum { WORDS = SAC_NOTEBOOK_WORDS, PERMUTATION_DEPTH = SAC_NOTEBOOK_DEPTH };

typedef struct permutation_arrays {
    sac_node sentence, permutation, x, px, output, output_of_px, turned, difference;
    sac_node query, found, found_in_px, change, plain;
} permutation_arrays;

/* [T,d] as a batch of one. */
static sac_node as_batch(sac_graph *g, const char *name, sac_node x)
{
    return sac_reshaped(g, name, x, SAC_STACK(1, sac_node_size(g, x, 0), sac_node_size(g, x, 1)));
}

/* One query from outside over the words as keys and values. */
static sac_node attend_from_outside(sac_graph *g, const char *const names[3], sac_node query,
                                    sac_node x)
{
    sac_node weights = sac_softmax(g, names[1], sac_matmul_t(g, names[0], query, x));
    return sac_matmul(g, names[2], weights, x);
}

/* Words, then words in the new order and what attention makes of them; below them the other way round.
 * The rows of PX are dragged. */
static void draw_permutation(sac_lesson *l, const permutation_arrays *a)
{
    sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_ROWS,
        .panel_count = 2,
        .mark_count = 6,
        .marks = {{SAC_MARK_CELLS, 0, .y = a->sentence, .name = N_("X")},
                  {SAC_MARK_CELLS, 0, .y = a->px, .weights = a->permutation, .name = N_("PX")},
                  {SAC_MARK_CELLS, 0, .since = 1, .before = 2, .y = a->output_of_px,
                   .name = N_("f(PX)")},
                  {SAC_MARK_CELLS, 1, .since = 1, .before = 2, .y = a->sentence, .name = N_("X")},
                  {SAC_MARK_CELLS, 1, .since = 1, .before = 2, .y = a->plain, .name = N_("f(X)")},
                  {SAC_MARK_CELLS, 1, .since = 1, .before = 2, .y = a->turned,
                   .weights = a->permutation, .name = N_("P f(X)")}},
        .handle_count = WORDS};
    for (size_t i = 0; i < WORDS; i++)
        drawing.handles[i] = (sac_drawing_handle){
            .quiet = true,
            .x = {a->permutation, 0},
            .sets_y = {.number = {a->permutation, 0}},
            .does = N_("Drag this row, or move it by ↑ and ↓: two rows change places.")};
    sac_lesson_draw(l, &drawing, 0, 2);
}

static void build_permutation(sac_lesson *l)
{
    permutation_arrays a;
    static const char *const here[] = {"outside.scores", "outside.weights", "c"};
    static const char *const there[] = {"outside.PX.scores", "outside.PX.weights", "c_of_PX"};
    static const float order[WORDS * WORDS] = {0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0};
    sac_graph *g = &l->graph;
    sac_node draws, sents = sac_notebook_sentences(l, &draws);
    sac_node first = sac_sliced(g, "first_sentence", sents, 0, 1);
    bool positions = sac_lesson_value(l, "positions") != 0;
    a.sentence =
        sac_reshaped(g, positions ? "words" : "X", first, SAC_MATRIX(WORDS, PERMUTATION_DEPTH));
    a.permutation = sac_lesson_given(l, "P", SAC_MATRIX(WORDS, WORDS), order);
    sac_node turned = sac_matmul(g, positions ? "Pwords" : "PX", a.permutation, a.sentence);
    sac_node places = positions ? sac_positions(g, "positions", WORDS, PERMUTATION_DEPTH) : 0;
    a.x = positions ? sac_sum(g, "X", a.sentence, places) : a.sentence;
    a.px = positions ? sac_sum(g, "PX", turned, places) : turned;
    sac_heads layer = sac_notebook_layer(l, 1);
    sac_heads_arrays plain = sac_heads_attend(g, "", &layer, as_batch(g, "X.batch", a.x));
    sac_heads_arrays of_px = sac_heads_attend(g, "PX.", &layer, as_batch(g, "PX.batch", a.px));
    a.output = plain.output;
    a.output_of_px =
        sac_reshaped(g, "output_of_PX", of_px.output, SAC_MATRIX(WORDS, PERMUTATION_DEPTH));
    a.plain = sac_reshaped(g, "output.rows", plain.output, SAC_MATRIX(WORDS, PERMUTATION_DEPTH));
    a.turned = sac_matmul(g, "P_output", a.permutation, a.plain);
    a.difference = sac_difference(g, "difference", a.output_of_px, a.turned);
    a.query = sac_sliced(g, "outside", sents, 1, 1);
    a.query = sac_sliced(
        g, "query", sac_reshaped(g, "outside.rows", a.query, SAC_MATRIX(WORDS, PERMUTATION_DEPTH)),
        0, 1);
    a.found = attend_from_outside(g, here, a.query, a.x);
    a.found_in_px = attend_from_outside(g, there, a.query, a.px);
    a.change = sac_difference(g, "c_change", a.found_in_px, a.found);
    SAC_LESSON_STEP(l, permutation_steps[0], a.permutation, a.sentence, a.px);
    SAC_LESSON_STEP(l, permutation_steps[1], a.output_of_px, a.turned, a.difference);
    SAC_LESSON_STEP(l, permutation_steps[2], a.found, a.found_in_px, a.change);
    draw_permutation(l, &a);
}

static const sac_lesson_ask permutation_asks[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Why does a query from outside not notice the order of the words?"),
     .reasons = {{N_("keys and values change places in pairs, and their sum stays")},
                 {N_("its weights are all equal")},
                 {N_("the softmax sorts them")}},
     .why = N_("That is why positions are added: attention sees a set.")},
    {0},
};

const sac_lesson_class sac_lesson_permutation = {
    .name = "permutation",
    .title = N_("Attention sees a set"),
    .summary = N_(
        "self-attention is equivariant, cross-attention invariant; with positions neither holds"),
    .parameters = permutation_parameters,
    .asks = permutation_asks,
    .build = build_permutation,
};

/* ---------------------------------------------------------------- kernel-regression: Nadaraya–Watson kernel
 * regression: points are keys and values, and an estimate is attention with the Gaussian score. The curve is 2 sin x
 * + x^0.8 at 0, 1, 2, 3 and 4 */

enum { REGRESSION_POINTS = 5, CURVE = 161 };

static const sac_lesson_parameter regression_parameters[] = {
    {"query", N_("query: where to estimate"), -1, 5, 2.5f, false},
    {"w", N_("w, an inverse width"), 0.01f, 20, 1, false},
    {0},
};

static const sac_lesson_step regression_steps[] = {
    {.name = N_("points"),
     .sentence =
         N_("Each data point has a key x and a value y; the query is the place where y is wanted."),
     .formula = "y = 2 sin x + x^0.8",
     .code = "y = 2 * x.sin() + x ** 0.8",
     .notice = N_("Nothing is trained: the data points are the model.")},
    {.name = N_("scores"),
     .sentence = N_("The nearer a key is to the query, the higher its score; at the query "
                    "itself the score is 0."),
     .formula = "a(q,x) = −½ ((q − x) w)²",
     .notice = N_("w is an inverse width: a larger w makes the score fall faster."),
     .code = "scores = -((query - x.T) * w) ** 2 / 2"},
    {.name = N_("weights"),
     .sentence = N_("The softmax turns the scores into attention weights that add up to 1."),
     .formula = "α = softmax(a)",
     .notice = N_("For w near 0 all weights are equal; for a large w the nearest point "
                  "has nearly all of the weight."),
     .code = "weights = scores.softmax(-1)",
     .questions = {{SAC_ASK_LARGEST, 1, N_("The nearest point has the largest weight.")}}},
    {.name = N_("estimate"),
     .sentence = N_("The estimate is the mean of the values, weighted by the attention weights."),
     .formula = "ŷ = Σ α(q,xᵢ) yᵢ",
     .notice = N_("This is attention; other kinds of attention change only the score."),
     .code = "estimate = weights @ y",
     .questions = {{SAC_ASK_VALUE, 2, N_("Each y times its weight, added up.")}}},
};

typedef struct regression_arrays {
    sac_node x, y, query, width, scores, weights, estimate;
} regression_arrays;

/* The points and the curve of all estimates above, the weights below; the query, the width and the
 * points are moved. */
static void draw_regression(sac_lesson *l, const regression_arrays *a, float w)
{
    sac_graph *g = &l->graph;
    float truths[CURVE];
    for (int i = 0; i < CURVE; i++) {
        double at = 5.0 * i / (CURVE - 1);
        truths[i] = (float)(2 * sin(at) + pow(at, 0.8));
    }
    sac_node truth_x = sac_lesson_axis(l, "truth.x", 0, 5, CURVE);
    sac_node truth = sac_given(g, "truth", SAC_MATRIX(CURVE, 1), truths);
    sac_node at = sac_lesson_axis(l, "curve.query", -1, 5, CURVE);
    sac_node curve =
        sac_matmul(g, "curve",
                   sac_softmax(g, "curve.weights",
                               sac_apply(g, SAC_OP_GAUSSIAN, "curve.scores", at, a->x, 0, w, 0)),
                   a->y);
    sac_node near =
        sac_unary(g, SAC_OP_EXP, "nearness",
                  sac_apply(g, SAC_OP_GAUSSIAN, "nearness.scores", a->query, at, 0, w, 0));
    sac_node edge = sac_sum(g, "edge", a->query, a->width);
    sac_node edge_near =
        sac_unary(g, SAC_OP_EXP, "edge.nearness",
                  sac_apply(g, SAC_OP_GAUSSIAN, "edge.scores", a->query, edge, 0, w, 0));
    sac_lesson_drawing drawing = {
        .panel_count = 2,
        .panels = {{.x = N_("x"), .y = N_("y"), .x_low = -1, .x_high = 5, .y_low = -1, .y_high = 5},
                   {.since = 1,
                    .share = 0.6f,
                    .x = N_("key x"),
                    .x_low = -1,
                    .x_high = 5,
                    .y_low = 0,
                    .y_high = 1.15f}},
        .mark_count = 9,
        .marks = {{SAC_MARK_LINE, 0, .x = truth_x, .y = truth, .ink = SAC_INK_FAINT,
                   .name = N_("the function")},
                  {SAC_MARK_RULE, 0, .x = a->query, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_LINE, 0, .since = 3, .x = at, .y = curve, .ink = SAC_INK_ACCENT,
                   .name = N_("estimate ŷ")},
                  {SAC_MARK_POINTS, 0, .before = 2, .x = a->x, .y = a->y, .ink = SAC_INK_BLUE,
                   .name = N_("data")},
                  {SAC_MARK_POINTS, 0, .since = 2, .x = a->x, .y = a->y, .weights = a->weights,
                   .ink = SAC_INK_BLUE, .name = N_("data, by weight")},
                  {SAC_MARK_POINTS, 0, .since = 3, .x = a->query, .y = a->estimate,
                   .ink = SAC_INK_ACCENT},
                  {SAC_MARK_AREA, 1, .x = at, .y = near, .ink = SAC_INK_ACCENT,
                   .name = N_("exp(score)")},
                  {SAC_MARK_RULE, 1, .x = a->query, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_BARS, 1, .since = 2, .x = a->x, .y = a->weights, .ink = SAC_INK_BLUE,
                   .name = N_("weights")}},
        .handle_count = 2,
        .handles = {{.x = {a->query, 0},
                     .sets_x = {.parameter = "query"},
                     .does = N_("Drag the query, or move it by ← and →.")},
                    {.panel = 1,
                     .since = 1,
                     .x = {edge, 0},
                     .y = {edge_near, 0},
                     .sets_x = {.parameter = "w", .origin = {a->query, 0}, .power = -1},
                     .does = N_("Drag the width, 1/w, or change it by ← and →.")}}};
    for (size_t i = 0; i < sac_node_size(g, a->y, 0) && i + 2 < SAC_DRAWING_HANDLES; i++)
        drawing.handles[drawing.handle_count++] =
            (sac_drawing_handle){.quiet = true,
                                 .x = {a->x, i},
                                 .y = {a->y, i},
                                 .sets_y = {.number = {a->y, i}},
                                 .does = N_("Drag this point up or down: the estimates follow.")};
    sac_lesson_draw(l, &drawing, 0, 3);
}

static void build_regression(sac_lesson *l)
{
    sac_graph *g = &l->graph;
    float xs[REGRESSION_POINTS], ys[REGRESSION_POINTS], w = sac_lesson_value(l, "w"),
                                                        at = sac_lesson_value(l, "query");
    for (int i = 0; i < REGRESSION_POINTS; i++) {
        xs[i] = (float)i;
        ys[i] = (float)(2 * sin(i) + pow(i, 0.8));
    }
    sac_node x = sac_lesson_given(l, "x", SAC_MATRIX(REGRESSION_POINTS, 1), xs);
    sac_node y = sac_lesson_given(l, "y", SAC_MATRIX(REGRESSION_POINTS, 1), ys);
    sac_node query = sac_given(g, "query", SAC_MATRIX(1, 1), &at);
    sac_node width = sac_given(g, "width", SAC_VECTOR(1), &(float){1 / w});
    sac_node scores = sac_apply(g, SAC_OP_GAUSSIAN, "scores", query, x, 0, w, 0);
    sac_node weights = sac_softmax(g, "weights", scores);
    sac_node estimate = sac_matmul(g, "estimate", weights, y);
    SAC_LESSON_STEP(l, regression_steps[0], x, y, query);
    SAC_LESSON_STEP(l, regression_steps[1], query, x, width, scores);
    SAC_LESSON_STEP(l, regression_steps[2], scores, weights);
    SAC_LESSON_STEP(l, regression_steps[3], weights, y, estimate);
    draw_regression(l, &(regression_arrays){x, y, query, width, scores, weights, estimate}, w);
}

static const sac_lesson_ask regression_asks[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("w falls from 1 to 0.01. What happens to the weight of the point x = 2?"),
     .cell = "weights,0,2",
     .after = "w=0.01",
     .why = N_("A small w is a wide kernel: all points get about the same weight.")},
    {.kind = SAC_ASK_GAINS,
     .text = N_("The query moves from 2.5 to 3.5. Which column of weights gains most?"),
     .cell = "weights,0,0",
     .after = "query=3.5",
     .why = N_("The point that was far and is near now.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("What is the estimate for a very large w?"),
     .reasons = {{N_("the value of the nearest point")}, {N_("the mean of all values")}, {N_("0")}},
     .why = N_("With a narrow kernel only the nearest point keeps a weight.")},
    {0},
};

const sac_lesson_class sac_lesson_kernel_regression = {
    .name = "kernel-regression",
    .title = N_("Kernel regression: attention before it had the name"),
    .summary = N_("keys are points, the score is nearness, the estimate a weighted mean"),
    .parameters = regression_parameters,
    .asks = regression_asks,
    .build = build_regression,
};

/* ---------------------------------------------------------------- cost: what a score costs: parameters, numbers that
 * are alive in the plain form, and time, measured here with the lessons' own kernels */

enum { COST_DEPTH = 32, TRIALS = 3, FEATURES = 5 };

static const sac_lesson_parameter cost_parameters[] = {
    {"h", N_("hidden numbers of the additive score, h"), 1, 256, 8, true},
    {"q", N_("numbers of a query"), 1, 1024, 20, true},
    {"k", N_("numbers of a key"), 1, 1024, 2, true},
    {"tokens", N_("queries, and as many keys"), 1, 8192, 1024, true},
    {"timed", N_("queries and keys that are timed"), 1, 256, 32, true},
    {0},
};

static const sac_lesson_step cost_steps[] = {
    {.name = N_("parameters"),
     .sentence = N_("The number of parameters of each score, from the sizes q and k of "
                    "query and key and the hidden size h."),
     .formula = "0, 0, h (1 + q + k), q·k, 1",
     .notice = N_("The dot products have no parameters, and the Gaussian has one."),
     .code = "parameters = sum(p.numel() for p in score.parameters())",
     .questions = {{SAC_ASK_VALUE, 2, N_("The row times the sizes.")}}},
    {.name = N_("memory"),
     .sentence = N_("Numbers that must be stored for each pair of query and key, and the "
                    "megabytes for all pairs."),
     .formula = "n · n · (1, 1, h, 1, q) · 4 bytes",
     .notice = N_("The additive score stores h numbers a pair, the Gaussian q, unless a "
                  "kernel adds them at once."),
     .code = "features = queries.unsqueeze(2) + keys.unsqueeze(1)   # [B, n, n, h]\n"
             "megabytes = 4 * features.numel() / 2 ** 20",
     .questions = {{SAC_ASK_VALUE, 1, N_("Pairs times numbers a pair, 4 bytes each.")}}},
    {.name = N_("time"),
     .sentence = N_("The time of all scores on this device: the best of three runs with "
                    "vectors of 32 numbers."),
     .formula = "t(score), t(score) / t(dot)",
     .notice = N_("The additive score needs a tanh for each hidden number of each pair."),
     .code = "# saccade bench attention"},
};

/* The scores in the lesson's order. */
enum { DOT, SCALED, ADDITIVE, BILINEAR, GAUSSIAN, SCORES };
static const char *const names[SCORES] = {N_("dot"), N_("scaled dot"), N_("additive"),
                                          N_("bilinear"), N_("gaussian")};

/* ---------------------------------------------------------------- time */

static sac_node draw_cost(sac_graph *g, const char *name, size_t rows, sac_rng *rng)
{
    float *numbers = malloc((rows * COST_DEPTH + 1) * sizeof *numbers);
    for (size_t i = 0; numbers && i < rows * COST_DEPTH; i++)
        numbers[i] = sac_rng_between(rng, -1, 1);
    sac_node node = numbers ? sac_given(g, name, SAC_MATRIX(rows, COST_DEPTH), numbers) : 0;
    free(numbers);
    return node;
}

static void measure(sac_lesson *l, float best[SCORES])
{
    sac_graph *g = calloc(1, sizeof *g);
    sac_node ends[SCORES];
    sac_status status = g ? SAC_OK : SAC_E_MEMORY;
    for (int s = 0; s < SCORES; s++)
        best[s] = 1e30f;
    if (g) {
        /* All scores of n queries and n keys. The operations that belong to score i end with ends[i]. */
        size_t n = (size_t)sac_lesson_value(l, "timed");
        sac_rng rng = {.seed = 1};
        sac_node q = draw_cost(g, "q", n, &rng), k = draw_cost(g, "k", n, &rng),
                 v = draw_cost(g, "w_v", 1, &rng);
        sac_node from_q = draw_cost(g, "W_q", COST_DEPTH, &rng),
                 from_k = draw_cost(g, "W_k", COST_DEPTH, &rng);
        sac_matmul_t(g, "first", q, k); /* brings the buffer to the device, and is not counted */
        ends[DOT] = sac_matmul_t(g, "dot", q, k);
        ends[SCALED] = sac_times(g, "scaled", sac_matmul_t(g, "products", q, k), 0.177f);
        sac_node mapped = sac_matmul_t(g, "W_q q", q, from_q);
        ends[ADDITIVE] = sac_apply(g, SAC_OP_ADDITIVE, "additive", mapped,
                                   sac_matmul_t(g, "W_k k", k, from_k), v, 0, 0);
        sac_node turned = sac_matmul(g, "q W", q, from_q);
        ends[BILINEAR] = sac_times(g, "bilinear", sac_matmul_t(g, "q W k", turned, k), 0.177f);
        ends[GAUSSIAN] = sac_apply(g, SAC_OP_GAUSSIAN, "gaussian", q, k, 0, 1, 0);
    }
    for (int i = 0; i < TRIALS && status == SAC_OK; i++) {
        g->timed = true;
        status = sac_graph_compute(g, l->device, &l->graph.error);
        /* Milliseconds of each score, where that is less than what `best` holds. */
        int next = ends[DOT] - 1;
        for (int s = 0; s < SCORES; s++) {
            double seconds = 0;
            for (; next < ends[s]; next++)
                seconds += g->arrays[next].seconds;
            best[s] = 1000 * seconds < (double)best[s] ? (float)(1000 * seconds) : best[s];
        }
    }
    if (status != SAC_OK)
        l->graph.status = status;
    if (g)
        sac_graph_clear(g);
    free(g);
}

/* ---------------------------------------------------------------- the lesson */

/* Parameters over the hidden size, and megabytes over the tokens: who stores several numbers a pair
 * leaves the others behind. `sizes` are h, h·q, h·k, q·k, 1. */
static void add_drawings(sac_lesson *l, const float sizes[FEATURES], const float pair[SCORES],
                         sac_node learned, sac_node memory, sac_node time)
{
    enum { POINTS = 65, MOST_HIDDEN = 256, MOST_TOKENS = 8192 };
    sac_graph *g = &l->graph;
    float h = sizes[0], n = sac_lesson_value(l, "tokens"), each = sizes[0] + sizes[1] + sizes[2];
    sac_node hidden = sac_lesson_axis(l, "hidden.axis", 1, MOST_HIDDEN, MOST_HIDDEN);
    sac_node additive = sac_times(g, "parameters.additive", hidden, each / h);
    sac_node flat = sac_apply(g, SAC_OP_AFFINE, "parameters.bilinear", hidden, 0, 0, 0, sizes[3]);
    sac_node now = sac_given(g, "hidden.now", SAC_MATRIX(1, 1), &h);
    const sac_lesson_drawing parameters_over = {
        .panel_count = 1,
        .panels = {{.title = N_("Parameters"),
                    .x = N_("hidden size, h"),
                    .x_low = 1,
                    .x_high = MOST_HIDDEN,
                    .x_by_ratio = true,
                    .y_by_ratio = true}},
        .mark_count = 3,
        .marks = {{SAC_MARK_LINE, .x = hidden, .y = flat, .ink = SAC_INK_BLUE,
                   .name = N_("bilinear")},
                  {SAC_MARK_RULE, .x = now, .ink = SAC_INK_FAINT},
                  {SAC_MARK_LINE, .x = hidden, .y = additive, .ink = SAC_INK_ACCENT,
                   .name = N_("additive")}},
        .handle_count = 1,
        .handles = {{.x = {now, 0},
                     .y = {learned, ADDITIVE},
                     .sets_x = {.parameter = "h"},
                     .does = N_("Drag the hidden size: the additive score learns h (1 + q "
                                "+ k) numbers, the bilinear one always q·k.")}}};
    sac_lesson_draw(l, &parameters_over, 0, 0);

    sac_node tokens = sac_lesson_axis(l, "tokens.axis", 0, MOST_TOKENS, POINTS);
    sac_node pairs = sac_binary(g, SAC_OP_MULTIPLY, "pairs", tokens, tokens);
    sac_node one = sac_times(g, "megabytes.dot", pairs, 4.0f / (1 << 20));
    sac_node many = sac_times(g, "megabytes.additive", one, pair[ADDITIVE]);
    sac_node apart = sac_times(g, "megabytes.gaussian", one, pair[GAUSSIAN]);
    sac_node here = sac_given(g, "tokens.now", SAC_MATRIX(1, 1), &n);
    const sac_lesson_drawing megabytes_over = {
        .panel_count = 1,
        .panels =
            {{.title = N_("Megabytes"), .x = N_("tokens"), .x_low = 0, .x_high = MOST_TOKENS}},
        .mark_count = 4,
        .marks = {{SAC_MARK_RULE, .x = here, .ink = SAC_INK_FAINT},
                  {SAC_MARK_LINE, .x = tokens, .y = apart, .ink = SAC_INK_GREEN,
                   .name = N_("gaussian")},
                  {SAC_MARK_LINE, .x = tokens, .y = many, .ink = SAC_INK_ACCENT,
                   .name = N_("additive")},
                  {SAC_MARK_LINE, .x = tokens, .y = one, .ink = SAC_INK_BLUE,
                   .name = N_("dot, scaled dot, bilinear")}},
        .handle_count = 1,
        .handles = {{.x = {here, 0},
                     .y = {memory, ADDITIVE},
                     .sets_x = {.parameter = "tokens"},
                     .does = N_("Drag the tokens: twice as many take four times the "
                                "memory.")}}};
    sac_lesson_draw(l, &megabytes_over, 1, 1);

    sac_node bars = sac_transposed(g, "milliseconds.bars", time);
    sac_lesson_label(l, bars, NULL, 0, names, SCORES);
    sac_lesson_label_terms(l, bars, false, true);
    const sac_lesson_drawing times = {.panel_count = 1,
                                      .panels = {{.title = N_("Milliseconds"), .categories = bars}},
                                      .mark_count = 1,
                                      .marks = {{SAC_MARK_BARS, .y = bars, .ink = SAC_INK_ACCENT}}};
    sac_lesson_draw(l, &times, 2, 2);
}

static void build_cost(sac_lesson *l)
{
    static const char *const kinds[FEATURES] = {"h", "h·q", "h·k", "q·k", "1"};
    static const float counts[SCORES * FEATURES] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1,
                                                    0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1};
    sac_graph *g = &l->graph;
    float h = sac_lesson_value(l, "h"), q = sac_lesson_value(l, "q"), k = sac_lesson_value(l, "k");
    float n = sac_lesson_value(l, "tokens"), best[SCORES];
    const float products[FEATURES] = {h, h * q, h * k, q * k, 1}, alive[SCORES] = {1, 1, h, 1, q};
    sac_node table = sac_given(g, "counts", SAC_MATRIX(SCORES, FEATURES), counts);
    sac_node sizes = sac_given(g, "sizes", SAC_MATRIX(FEATURES, 1), products);
    sac_node learned = sac_matmul(g, "parameters", table, sizes);
    sac_node pair = sac_given(g, "numbers_a_pair", SAC_MATRIX(SCORES, 1), alive);
    sac_node memory = sac_times(g, "megabytes", pair, n * n * 4 / (1 << 20));
    measure(l, best);
    sac_node time = sac_given(g, "milliseconds", SAC_MATRIX(SCORES, 1), best);
    sac_node ratio = sac_binary(g, SAC_OP_DIVIDE, "times_the_dot", time,
                                sac_sliced(g, "of_the_dot", time, 0, 1));
    const sac_node rows[] = {table, learned, pair, memory, time, ratio};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sac_lesson_label(l, rows[i], names, SCORES, i ? NULL : kinds, FEATURES);
        sac_lesson_label_terms(l, rows[i], true, false);
    }
    sac_lesson_label(l, sizes, kinds, FEATURES, NULL, 0);
    SAC_LESSON_STEP(l, cost_steps[0], table, sizes, learned);
    SAC_LESSON_STEP(l, cost_steps[1], pair, memory);
    SAC_LESSON_STEP(l, cost_steps[2], time, ratio);
    add_drawings(l, products, alive, learned, memory, time);
}

static const sac_lesson_ask cost_asks[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("There are 2048 queries and keys in place of 1024. What happens to the "
                "memory of the dot product's scores?"),
     .cell = "megabytes,0,0",
     .after = "tokens=2048",
     .why = N_("A number for each pair: four times as much.")},
    {.kind = SAC_ASK_WAY,
     .text = N_("There are 2048 queries and keys in place of 1024. What happens to the "
                "parameters of the additive score?"),
     .cell = "parameters,2,0",
     .after = "tokens=2048",
     .why = N_("Parameters depend on the sizes of queries and keys, not on how many there are.")},
    {0},
};

const sac_lesson_class sac_lesson_cost = {
    .name = "cost",
    .title = N_("What a score costs"),
    .summary = N_("parameters, memory, and time measured on this device"),
    .parameters = cost_parameters,
    .asks = cost_asks,
    .build = build_cost,
};
