/* What a score costs: parameters, numbers that are alive in the plain form, and time, measured here
 * with the lessons' own kernels. */
#include <math.h>
#include <stdlib.h>

#include "base/random/rng.h"
#include "lessons/ideas/lessons.h"

enum { DEPTH = 32, TRIALS = 3, FEATURES = 5 };

#define BYTES 4.0f /* of a number */
#define MEGABYTE 1e6f

static const sac_lesson_parameter parameters[] = {
    {"h", N_("hidden numbers of the additive score, h"), 1, 256, 8, true},
    {"q", N_("numbers of a query, d_q"), 1, 1024, 32, true},
    {"k", N_("numbers of a key, d_k"), 1, 1024, 32, true},
    {"tokens", N_("queries, and as many keys"), 1, 8192, 1024, true},
    {"timed", N_("queries and keys that are timed"), 1, 256, 32, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("parameters"),
     .sentence =
         N_("The number of parameters of each score, from the sizes d_q and d_k of query and "
            "key and the hidden size h."),
     .formula = "0, 0, h (1 + d_q + d_k), d_q·d_k, 1",
     .notice =
         N_("The dot products have no parameters and the Gaussian has one; all three need d_q = "
            "d_k, or they are NaN."),
     .cell = "parameters,2,0",
     .code = "parameters = sum(p.numel() for p in score.parameters())",
     .questions = {{SAC_ASK_VALUE, 2, N_("The row times the sizes.")}}},
    {.name = N_("memory"),
     .sentence = N_("Numbers that must be stored for each pair of query and key, and the "
                    "megabytes for all pairs."),
     .formula = "n · n · (1, 1, h, 1, 1) · 4 bytes",
     .notice =
         N_("The additive score stores h numbers a pair; the Gaussian is q·k − ½|q|² − ½|k|², "
            "a product of matrices like the others."),
     .cell = "megabytes,2,0",
     .code = "features = queries.unsqueeze(2) + keys.unsqueeze(1)   # [B, n, n, h]\n"
             "megabytes = 4 * features.numel() / 1e6",
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

static sac_node add_random_matrix(sac_graph *g, const char *name, size_t rows, sac_rng *rng)
{
    float *numbers = malloc((rows * DEPTH + 1) * sizeof *numbers);
    for (size_t i = 0; numbers && i < rows * DEPTH; i++)
        numbers[i] = sac_rng_between(rng, -1, 1);
    sac_node node = numbers ? sac_given(g, name, SAC_MATRIX(rows, DEPTH), numbers) : 0;
    free(numbers);
    return node;
}

/* Without a device nothing is measured: NaN. */
static void measure_score_times(sac_lesson *l, float best[SCORES])
{
    sac_graph *g = calloc(1, sizeof *g);
    sac_node ends[SCORES];
    sac_status status = g ? SAC_OK : SAC_E_MEMORY;
    for (int s = 0; s < SCORES; s++)
        best[s] = l->device ? 1e30f : NAN;
    if (g && l->device) {
        /* All scores of n queries and n keys. The operations that belong to score i end with ends[i]. */
        size_t n = (size_t)sac_lesson_value(l, "timed");
        sac_rng rng = {.seed = 1};
        sac_node q = add_random_matrix(g, "q", n, &rng), k = add_random_matrix(g, "k", n, &rng),
                 v = add_random_matrix(g, "w_v", 1, &rng);
        sac_node from_q = add_random_matrix(g, "W_q", DEPTH, &rng),
                 from_k = add_random_matrix(g, "W_k", DEPTH, &rng);
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
    for (int i = 0; i < TRIALS && l->device && status == SAC_OK; i++) {
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
 * leaves the others behind. `sizes` are h, h·d_q, h·d_k, d_q·d_k, 1. */
static void add_drawings(sac_lesson *l, const float sizes[FEATURES], sac_node learned,
                         sac_node memory, sac_node time)
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
                     .does = N_("Drag the hidden size: the additive score learns h (1 + d_q + d_k) "
                                "numbers, the bilinear one always d_q·d_k.")}}};
    sac_lesson_add_drawing(l, &parameters_over, 0, 0);

    sac_node tokens = sac_lesson_axis(l, "tokens.axis", 0, MOST_TOKENS, POINTS);
    sac_node pairs = sac_binary(g, SAC_OP_MULTIPLY, "pairs", tokens, tokens);
    sac_node one = sac_times(g, "megabytes.dot", pairs, BYTES / MEGABYTE);
    sac_node many = sac_times(g, "megabytes.additive", one, h);
    sac_node here = sac_given(g, "tokens.now", SAC_MATRIX(1, 1), &n);
    const sac_lesson_drawing megabytes_over = {
        .panel_count = 1,
        .panels =
            {{.title = N_("Megabytes"), .x = N_("tokens"), .x_low = 0, .x_high = MOST_TOKENS}},
        .mark_count = 3,
        .marks = {{SAC_MARK_RULE, .x = here, .ink = SAC_INK_FAINT},
                  {SAC_MARK_LINE, .x = tokens, .y = many, .ink = SAC_INK_ACCENT,
                   .name = N_("additive")},
                  {SAC_MARK_LINE, .x = tokens, .y = one, .ink = SAC_INK_BLUE,
                   .name = N_("all others")}},
        .handle_count = 1,
        .handles = {{.x = {here, 0},
                     .y = {memory, ADDITIVE},
                     .sets_x = {.parameter = "tokens"},
                     .does = N_("Drag the tokens: twice as many take four times the "
                                "memory.")}}};
    sac_lesson_add_drawing(l, &megabytes_over, 1, 1);

    sac_node bars = sac_transposed(g, "milliseconds.bars", time);
    sac_lesson_label(l, bars, NULL, 0, names, SCORES);
    sac_lesson_label_terms(l, bars, false, true);
    const sac_lesson_drawing times = {.panel_count = 1,
                                      .panels = {{.title = N_("Milliseconds"), .categories = bars}},
                                      .mark_count = 1,
                                      .marks = {{SAC_MARK_BARS, .y = bars, .ink = SAC_INK_ACCENT}}};
    sac_lesson_add_drawing(l, &times, 2, 2);
}

static void build(sac_lesson *l)
{
    static const char *const kinds[FEATURES] = {"h", "h·d_q", "h·d_k", "d_q·d_k", "1"};
    float counts[SCORES * FEATURES] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1,
                                       0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1};
    sac_graph *g = &l->graph;
    float h = sac_lesson_value(l, "h"), q = sac_lesson_value(l, "q"), k = sac_lesson_value(l, "k");
    float n = sac_lesson_value(l, "tokens"), best[SCORES];
    const float products[FEATURES] = {h, h * q, h * k, q * k, 1};
    float alive[SCORES] = {1, 1, h, 1, 1};
    for (int s = 0; s < SCORES && q != k; s++)
        if (s != ADDITIVE && s != BILINEAR) /* they need vectors of one size */
            alive[s] = counts[s * FEATURES + FEATURES - 1] = NAN;
    sac_node table = sac_given(g, "counts", SAC_MATRIX(SCORES, FEATURES), counts);
    sac_node sizes = sac_given(g, "sizes", SAC_MATRIX(FEATURES, 1), products);
    sac_node learned = sac_matmul(g, "parameters", table, sizes);
    sac_node pair = sac_given(g, "numbers_a_pair", SAC_MATRIX(SCORES, 1), alive);
    sac_node memory = sac_times(g, "megabytes", pair, n * n * BYTES / MEGABYTE);
    measure_score_times(l, best);
    sac_node time = sac_given(g, "milliseconds", SAC_MATRIX(SCORES, 1), best);
    sac_node ratio = sac_binary(g, SAC_OP_DIVIDE, "times_the_dot", time,
                                sac_sliced(g, "of_the_dot", time, 0, 1));
    const sac_node rows[] = {table, learned, pair, memory, time, ratio};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sac_lesson_label(l, rows[i], names, SCORES, i ? NULL : kinds, FEATURES);
        sac_lesson_label_terms(l, rows[i], true, false);
    }
    sac_lesson_label(l, sizes, kinds, FEATURES, NULL, 0);
    SAC_LESSON_STEP(l, steps[0], table, sizes, learned);
    SAC_LESSON_STEP(l, steps[1], pair, memory);
    SAC_LESSON_STEP(l, steps[2], time, ratio);
    add_drawings(l, products, learned, memory, time);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("There are 2048 queries and keys in place of 1024. What happens to the "
                "memory of the dot product's scores?"),
     .cell = "megabytes,0,0",
     .after = "tokens=2048",
     .why = N_("A number for each pair: four times as much.")},
    {.kind = SAC_ASK_WAY,
     .text = N_("There are 2048 queries and keys in place of 1024. What happens to the "
                "number of parameters of the additive score?"),
     .cell = "parameters,2,0",
     .after = "tokens=2048",
     .why = N_("Parameters depend on the sizes of queries and keys, not on how many there are.")},
    {0},
};

const sac_lesson_class sac_lesson_cost = {
    .name = "cost",
    .title = N_("What a score costs"),
    .summary = N_("parameters, memory, and time measured on this device"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
