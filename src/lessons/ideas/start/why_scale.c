/* A lesson on why scores are divided by √d: large differences saturate the softmax, and its
 * gradient vanishes. */
#include <math.h>
#include <stdlib.h>

#include "base/random/rng.h"
#include "lessons/ideas/lessons.h"

enum { KEYS = 8, DRAWS = 4000 };

static const sac_lesson_parameter parameters[] = {
    {"d", N_("numbers of a query, d"), 1, 1024, 64, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("two scores"),
     .sentence = N_("20 and 40 have the same ratio as 2 and 4, but the softmax depends on "
                    "the difference of the scores."),
     .formula = "softmax(20, 40), softmax(2, 4)",
     .notice = N_("A difference of 20 is a factor of e²⁰ = 485 million between the "
                  "weights; a difference of 2 is a factor of 7.4."),
     .code = "far = torch.tensor([20., 40.]).softmax(-1)\n"
             "near = torch.tensor([2., 4.]).softmax(-1)",
     .questions = {{SAC_ASK_VALUE, 3, N_("exp(2) and exp(4), each by their sum.")}}},
    {.name = N_("gradient"),
     .sentence = N_("A weight p changes with its own score at the rate p (1 − p), where 1 − p is "
                    "the weight of the other key."),
     .formula = "∂p/∂e = p (1 − p)",
     .code = "gradient = near * (1 - near)",
     .notice = N_("Both keys have the same gradient; for the far scores it is 50 million "
                  "times smaller: too little to learn."),
     .questions = {{SAC_ASK_VALUE, 3, N_("p (1 − p): the product of both weights.")}}},
    {.name = N_("variance"),
     .sentence = N_("If queries and keys have d normal numbers, the difference of two "
                    "scores has the variance 2d."),
     .formula = "Var(e_i − e_j) = 2d;  ÷ √d: 2",
     .code = "q, k = torch.randn(4000, 1, d), torch.randn(4000, 8, d)\n"
             "scores = (q * k).sum(-1)\n"
             "variance = (scores[:, 0::2] - scores[:, 1::2]).var()",
     .notice = N_("Divided by √d it is about 2 for every d.")},
    {.name = N_("8 keys"),
     .sentence = N_("The largest of eight weights and the gradient p (1 − p), each as a "
                    "mean over 4000 random draws."),
     .formula = "mean max P, mean p (1 − p)",
     .code = "weights = scores.softmax(-1)\n"
             "scaled_weights = (scores / math.sqrt(d)).softmax(-1)\n"
             "weights.amax(-1).mean(), scaled_weights.amax(-1).mean()",
     .notice = N_("As d grows, the largest weight goes to 1 and the gradient to 0; with "
                  "the scale both hardly change from d = 4 on.")},
};

static double random_normal(sac_rng *rng)
{
    double u = 1 - (double)sac_rng_between(rng, 0, 1), v = (double)sac_rng_between(rng, 0, 1);
    return sqrt(-2 * log(u)) * cos(2 * acos(-1) * v);
}

/* The sum of d squares of normal numbers, by Marsaglia and Tsang, "A simple method for generating
 * gamma variables" (2000). */
static double chi_square(sac_rng *rng, double d)
{
    double shape = d / 2 + (d < 2), a = shape - 1.0 / 3, c = 1 / sqrt(9 * a), v, x;
    do {
        x = random_normal(rng);
        v = (1 + c * x) * (1 + c * x) * (1 + c * x);
    } while (v <= 0 || log(1 - (double)sac_rng_between(rng, 0, 1)) >
                           x * x / 2 + a - a * v + a * log(v > 0 ? v : 1));
    double boost = d < 2 ? pow(1 - (double)sac_rng_between(rng, 0, 1), 2 / d) : 1;
    return 2 * a * v * boost;
}

typedef struct arrays {
    sac_node far, near, far_shares, near_shares, far_gradient, near_gradient;
    sac_node d, scores, scaled, weights, scaled_weights, largest, scaled_largest;
    sac_node variance, scaled_variance, gradient, scaled_gradient;
} arrays;

/* p (1 − p): the softmax's derivative of a weight by its own score. 1 − p is the sum of the other
 * weights: near 1, the difference would lose it to rounding. `names`: matrix, rest, gradient. */
static sac_node add_gradient(sac_graph *g, const char *const names[3], sac_node p)
{
    float others[KEYS * KEYS];
    for (int i = 0; i < KEYS * KEYS; i++)
        others[i] = i / KEYS != i % KEYS;
    sac_node rest =
        sac_matmul(g, names[1], p, sac_given(g, names[0], SAC_MATRIX(KEYS, KEYS), others));
    return sac_binary(g, SAC_OP_MULTIPLY, names[2], p, rest);
}

/* The same of two weights, each of which is the other's 1 − p. */
static sac_node add_two_weight_gradient(sac_graph *g, const char *rest, const char *name,
                                        sac_node p)
{
    static const int other[] = {1, 0};
    return sac_binary(g, SAC_OP_MULTIPLY, name, p, sac_gather(g, rest, p, SAC_MATRIX(1, 2), other));
}

/* The mean of all cells [1,1]. */
static sac_node mean_of_all(sac_graph *g, const char *flat, const char *name, sac_node a)
{
    size_t count = sac_small_count(sac_node_shape(g, a));
    return sac_unary(g, SAC_OP_MEAN, name, sac_reshaped(g, flat, a, SAC_MATRIX(1, count)));
}

/* Every second key of the draws, from `first` on, in one row. */
static sac_node every_second_key(sac_graph *g, const char *name, sac_node scores, int first)
{
    int index[DRAWS * KEYS / 2];
    for (int i = 0; i < DRAWS * KEYS / 2; i++)
        index[i] = 2 * i + first;
    return sac_gather(g, name, scores, SAC_MATRIX(1, DRAWS * KEYS / 2), index);
}

/* Var(e_i − e_j) over pairs of neighbouring keys. `names`: of the keys' two halves, of their
 * difference and its mean, and of the variance. */
static sac_node add_variance(sac_graph *g, const char *const names[5], sac_node scores)
{
    sac_node first = every_second_key(g, names[0], scores, 0);
    sac_node apart = sac_difference(g, names[2], first, every_second_key(g, names[1], scores, 1));
    sac_node mean = sac_unary(g, SAC_OP_MEAN, names[3], apart);
    return sac_binary(g, SAC_OP_VARIANCE, names[4], apart, mean);
}

static void add_random_scores(sac_lesson *l, arrays *a)
{
    sac_graph *g = &l->graph;
    float d = sac_lesson_value(l, "d"), *scores = malloc(DRAWS * KEYS * sizeof *scores);
    if (!scores)
        return;
    /* Scores of a query against KEYS keys, all of them of d normal numbers. For a given query the
     * scores are normal with its length as deviation, so that d numbers a key need not be drawn. */
    sac_rng rng = {.seed = (uint64_t)d};
    for (int i = 0; i < DRAWS; i++) {
        double length = sqrt(chi_square(&rng, (double)d));
        for (int k = 0; k < KEYS; k++)
            scores[i * KEYS + k] = (float)(length * random_normal(&rng));
    }
    a->d = sac_given(g, "d", SAC_VECTOR(1), &d);
    a->scores = sac_given(g, "scores", SAC_MATRIX(DRAWS, KEYS), scores);
    free(scores);
    a->scaled = sac_times(g, "scaled", a->scores, 1 / sqrtf(d));
    a->weights = sac_softmax(g, "weights", a->scores);
    a->scaled_weights = sac_softmax(g, "scaled_weights", a->scaled);
    static const char *const plain[] = {"even", "odd", "apart", "apart.mean", "variance"};
    static const char *const small[] = {"scaled.even", "scaled.odd", "scaled.apart",
                                        "scaled.apart.mean", "scaled_variance"};
    a->variance = add_variance(g, plain, a->scores);
    a->scaled_variance = add_variance(g, small, a->scaled);
    sac_node top = sac_unary(g, SAC_OP_LARGEST, "top", a->weights);
    sac_node scaled_top = sac_unary(g, SAC_OP_LARGEST, "scaled_top", a->scaled_weights);
    a->largest = mean_of_all(g, "top.all", "largest", top);
    a->scaled_largest = mean_of_all(g, "scaled_top.all", "scaled_largest", scaled_top);
    static const char *const slope[] = {"others", "rest", "slopes"};
    static const char *const scaled_slope[] = {"scaled_others", "scaled_rest", "scaled_slopes"};
    sac_node slopes = add_gradient(g, slope, a->weights);
    sac_node scaled_slopes = add_gradient(g, scaled_slope, a->scaled_weights);
    sac_graph_share_colors(g, a->largest, a->scaled_largest);
    a->gradient = mean_of_all(g, "slopes.all", "gradient", slopes);
    a->scaled_gradient = mean_of_all(g, "scaled_slopes.all", "scaled_gradient", scaled_slopes);
    sac_graph_share_colors(g, a->gradient, a->scaled_gradient);
}

/* ---- drawings */

enum { CURVE = 121, SIZES = 6, SAMPLES = 256 };

/* The differences from 0 to 25, and the share of the smaller of two scores that are so far apart. */
static void draw_two_score_softmax(sac_lesson *l, const arrays *a)
{
    sac_graph *g = &l->graph;
    float pairs[2 * CURVE];
    for (int i = 0; i < CURVE; i++) {
        pairs[2 * i] = 0;
        pairs[2 * i + 1] = 25.0f * (float)i / (CURVE - 1);
    }
    sac_node apart = sac_lesson_axis(l, "two.apart", 0, 25, CURVE);
    sac_node curve =
        sac_softmax(g, "two.weights", sac_given(g, "two.scores", SAC_MATRIX(CURVE, 2), pairs));
    static const float toward[] = {-1, 1};
    sac_node difference = sac_given(g, "two.toward", SAC_MATRIX(2, 1), toward);
    sac_node far_apart = sac_matmul(g, "far.apart", a->far, difference);
    sac_node near_apart = sac_matmul(g, "near.apart", a->near, difference);
    int columns[2][CURVE];
    for (int i = 0; i < CURVE; i++) {
        columns[0][i] = 2 * i;
        columns[1][i] = 2 * i + 1;
    }
    const int first = 0;
    sac_node small = sac_gather(g, "two.smaller", curve, SAC_MATRIX(1, CURVE), columns[0]);
    sac_node large = sac_gather(g, "two.larger", curve, SAC_MATRIX(1, CURVE), columns[1]);
    sac_node gradient = sac_binary(g, SAC_OP_MULTIPLY, "two.gradient", small, large);
    sac_node far_small = sac_gather(g, "far.smaller", a->far_shares, SAC_MATRIX(1, 1), &first);
    sac_node near_small = sac_gather(g, "near.smaller", a->near_shares, SAC_MATRIX(1, 1), &first);
    sac_node far_slope = sac_gather(g, "far.slope", a->far_gradient, SAC_MATRIX(1, 1), &first);
    sac_node near_slope = sac_gather(g, "near.slope", a->near_gradient, SAC_MATRIX(1, 1), &first);
    sac_node below_far = sac_times(
        g, "far.first.minus", sac_gather(g, "far.first", a->far, SAC_MATRIX(1, 1), &first), -1);
    sac_node below_near = sac_times(
        g, "near.first.minus", sac_gather(g, "near.first", a->near, SAC_MATRIX(1, 1), &first), -1);
    const sac_drawing_panel apart_panel = {
        .x = N_("difference of the two scores"), .x_high = 25, .y_low = -0.02f, .y_high = 1.05f};
    sac_lesson_drawing drawing = {
        .panel_count = 2,
        .panels = {apart_panel, apart_panel},
        .mark_count = 7,
        .marks = {{SAC_MARK_LINE, 0, .x = apart, .y = small, .ink = SAC_INK_BLUE,
                   .name = N_("weight of the smaller")},
                  {SAC_MARK_LINE, 0, .x = apart, .y = large, .ink = SAC_INK_GREEN,
                   .name = N_("of the larger")},
                  {SAC_MARK_POINTS, 0, .x = far_apart, .y = far_small, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_POINTS, 0, .x = near_apart, .y = near_small, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_LINE, 1, .x = apart, .y = gradient, .ink = SAC_INK_BLUE},
                  {SAC_MARK_POINTS, 1, .x = far_apart, .y = far_slope, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_POINTS, 1, .x = near_apart, .y = near_slope, .ink = SAC_INK_ACCENT}},
        .handle_count = 2,
        .handles = {{.x = {near_apart, 0},
                     .sets_x = {.number = {a->near, 1}, .origin = {below_near, 0}},
                     .does = N_("Drag the larger of the two near scores.")},
                    {.x = {far_apart, 0},
                     .sets_x = {.number = {a->far, 1}, .origin = {below_far, 0}},
                     .does = N_("Drag the larger of the two far scores.")}}};
    drawing.panels[1].since = 1;
    drawing.panels[1].title = N_("Gradient p (1 − p), by powers of ten");
    drawing.panels[1].y_by_ratio = true;
    drawing.panels[1].y_low = 1e-11f;
    drawing.panels[1].y_high = 1;
    sac_lesson_add_drawing(l, &drawing, 0, 1);
}

/* Scores of SAMPLES queries against KEYS keys for each size, [SIZES,SAMPLES,KEYS]. */
static sac_node add_sampled_scores(sac_lesson *l, const float *sizes)
{
    float *numbers = malloc(SIZES * SAMPLES * KEYS * sizeof *numbers);
    for (size_t i = 0; numbers && i < SIZES; i++) {
        sac_rng rng = {.seed = 1000 + i};
        for (size_t s = 0; s < SAMPLES; s++) {
            double length = sqrt(chi_square(&rng, (double)sizes[i]));
            for (size_t k = 0; k < KEYS; k++)
                numbers[(i * SAMPLES + s) * KEYS + k] = (float)(length * random_normal(&rng));
        }
    }
    sac_node node =
        numbers ? sac_given(&l->graph, "sizes.scores", SAC_STACK(SIZES, SAMPLES, KEYS), numbers)
                : 0;
    free(numbers);
    return node;
}

/* How dense the scores lie along an axis [points,1], as high as 1: the mean of bells round them. */
static sac_node add_density(sac_graph *g, const char *name, sac_node axis, sac_node scores,
                            float narrow)
{
    static const char *const parts[] = {"apart", "bells", "mean", "row", "peak"};
    char names[5][32];
    for (int i = 0; i < 5; i++)
        snprintf(names[i], sizeof names[i], "%s.%s", name, parts[i]);
    sac_node apart = sac_apply(g, SAC_OP_GAUSSIAN, names[0], axis, scores, 0, narrow, 0);
    sac_node bells = sac_unary(g, SAC_OP_EXP, names[1], apart);
    sac_node row = sac_transposed(g, names[3], sac_unary(g, SAC_OP_MEAN, names[2], bells));
    return sac_binary(g, SAC_OP_DIVIDE, name, row, sac_unary(g, SAC_OP_LARGEST, names[4], row));
}

/* The differences of two scores, of three sizes and of the lesson's own, as they come and divided by √d. */
static void draw_spread(sac_lesson *l, const arrays *a, const float *sizes, sac_node all)
{
    enum { SHOWN = 4 };
    static const int of[SHOWN - 1] = {1, 3, 5};
    static const sac_mark_ink inks[SHOWN] = {SAC_INK_BLUE, SAC_INK_GREEN, SAC_INK_PLAIN,
                                             SAC_INK_ACCENT};
    sac_graph *g = &l->graph;
    float d = sac_lesson_value(l, "d"), deviation = sqrtf(d), height = expf(-0.25f);
    sac_node wide = sac_lesson_axis(l, "spread.axis", -120, 120, 2 * CURVE - 1);
    sac_node narrow = sac_lesson_axis(l, "spread.scaled.axis", -5, 5, CURVE);
    /* Of a difference the deviation is √(2d); the handle stands at √d, on its bell. */
    sac_node edge = sac_given(g, "deviation", SAC_MATRIX(1, 1), &deviation);
    sac_node edge_height = sac_given(g, "deviation.height", SAC_MATRIX(1, 1), &height);
    sac_lesson_drawing drawing = {
        .panel_count = 2,
        .panels =
            {{.title = N_("e_i − e_j"), .x_low = -120, .x_high = 120, .y_low = 0, .y_high = 1.1f},
             {.title = N_("(e_i − e_j) / √d: all alike"),
              .x_low = -5,
              .x_high = 5,
              .y_low = 0,
              .y_high = 1.1f}},
        .handle_count = 1,
        .handles = {{.x = {edge, 0},
                     .y = {edge_height, 0},
                     .sets_x = {.parameter = "d", .power = 2},
                     .does = N_("Drag √d: the differences spread as d grows.")}}};
    static const char *const names[SHOWN] = {N_("d = 4"), N_("d = 64"), N_("d = 1024"),
                                             N_("d as set")};
    for (int i = 0; i < SHOWN; i++) {
        int first[SAMPLES], second[SAMPLES];
        char name[32], scaled[32], from[32], to[32], apart[32], divided[32];
        float size = i < SHOWN - 1 ? sizes[of[i]] : d;
        for (int s = 0; s < SAMPLES; s++) {
            first[s] = ((i < SHOWN - 1 ? of[i] * SAMPLES : 0) + s) * KEYS;
            second[s] = first[s] + 1;
        }
        snprintf(name, sizeof name, "spread.%d", i);
        snprintf(scaled, sizeof scaled, "spread.scaled.%d", i);
        snprintf(from, sizeof from, "spread.first.%d", i);
        snprintf(to, sizeof to, "spread.second.%d", i);
        snprintf(apart, sizeof apart, "spread.apart.%d", i);
        snprintf(divided, sizeof divided, "spread.divided.%d", i);
        sac_node scores = i < SHOWN - 1 ? all : a->scores;
        sac_node differences =
            sac_difference(g, apart, sac_gather(g, from, scores, SAC_MATRIX(SAMPLES, 1), first),
                           sac_gather(g, to, scores, SAC_MATRIX(SAMPLES, 1), second));
        sac_node small = sac_times(g, divided, differences, 1 / sqrtf(size));
        drawing.marks[drawing.mark_count++] = (sac_drawing_mark){
            SAC_MARK_LINE,  0,
            .x = wide,      .y = add_density(g, name, wide, differences, 2 / sqrtf(size)),
            .ink = inks[i], .name = names[i]};
        drawing.marks[drawing.mark_count++] =
            (sac_drawing_mark){SAC_MARK_LINE, 1, .x = narrow,
                               .y = add_density(g, scaled, narrow, small, 2), .ink = inks[i]};
    }
    sac_lesson_add_drawing(l, &drawing, 2, 2);
}

/* The mean of all numbers of each size, [1,SIZES]. */
static sac_node mean_per_size(sac_graph *g, const char *name, sac_node a)
{
    char flat[32], mean[32];
    size_t count = sac_small_count(sac_node_shape(g, a)) / SIZES;
    snprintf(flat, sizeof flat, "%s.all", name);
    snprintf(mean, sizeof mean, "%s.mean", name);
    return sac_transposed(
        g, name,
        sac_unary(g, SAC_OP_MEAN, mean, sac_reshaped(g, flat, a, SAC_MATRIX(SIZES, count))));
}

/* The largest of eight weights and the gradient over d, which is dragged. */
static void draw_sizes(sac_lesson *l, const arrays *a, const float *sizes, sac_node scores)
{
    static const char *const slopes[] = {"sizes.others", "sizes.rest", "sizes.slopes"};
    static const char *const scaled_slopes[] = {"sizes.scaled_others", "sizes.scaled_rest",
                                                "sizes.scaled_slopes"};
    sac_graph *g = &l->graph;
    float factors[SIZES];
    for (int i = 0; i < SIZES; i++)
        factors[i] = 1 / sqrtf(sizes[i]);
    sac_node at = sac_given(g, "sizes", SAC_MATRIX(1, SIZES), sizes);
    sac_node by = sac_given(g, "sizes.factor", SAC_STACK(SIZES, 1, 1), factors);
    sac_node scaled = sac_binary(g, SAC_OP_MULTIPLY, "sizes.scaled", scores, by);
    sac_node raw_shares = sac_softmax(g, "sizes.weights", scores),
             shares = sac_softmax(g, "sizes.scaled_weights", scaled);
    sac_node raw_top =
        mean_per_size(g, "sizes.largest", sac_unary(g, SAC_OP_LARGEST, "sizes.top", raw_shares));
    sac_node top = mean_per_size(g, "sizes.scaled_largest",
                                 sac_unary(g, SAC_OP_LARGEST, "sizes.scaled_top", shares));
    sac_node raw_slope = mean_per_size(g, "sizes.gradient", add_gradient(g, slopes, raw_shares));
    sac_node slope =
        mean_per_size(g, "sizes.scaled_gradient", add_gradient(g, scaled_slopes, shares));
    const sac_drawing_panel panel = {
        .x = N_("d"), .x_low = 0.9f, .x_high = 1200, .x_by_ratio = true};
    sac_lesson_drawing drawing = {
        .panel_count = 2,
        .panels = {panel, panel},
        .mark_count = 10,
        .marks = {{SAC_MARK_RULE, 0, .x = a->d, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_LINE, 0, .x = at, .y = raw_top, .ink = SAC_INK_BLUE,
                   .name = N_("as they come")},
                  {SAC_MARK_LINE, 0, .x = at, .y = top, .ink = SAC_INK_GREEN, .name = N_("÷ √d")},
                  {SAC_MARK_POINTS, 0, .x = a->d, .y = a->largest, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_POINTS, 0, .x = a->d, .y = a->scaled_largest, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_RULE, 1, .x = a->d, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_LINE, 1, .x = at, .y = raw_slope, .ink = SAC_INK_BLUE},
                  {SAC_MARK_LINE, 1, .x = at, .y = slope, .ink = SAC_INK_GREEN},
                  {SAC_MARK_POINTS, 1, .x = a->d, .y = a->gradient, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_POINTS, 1, .x = a->d, .y = a->scaled_gradient, .ink = SAC_INK_ACCENT}},
        .handle_count = 2};
    drawing.panels[0].title = N_("Largest of 8 weights");
    drawing.panels[0].y_high = 1.05f;
    drawing.panels[1].title = N_("Gradient p (1 − p)");
    drawing.panels[1].y_high = 0.12f;
    for (int i = 0; i < 2; i++)
        drawing.handles[i] = (sac_drawing_handle){.panel = i,
                                                  .x = {a->d, 0},
                                                  .sets_x = {.parameter = "d"},
                                                  .does = N_("Drag d, or move it by ← and →.")};
    sac_lesson_add_drawing(l, &drawing, 3, 3);
}

static void build(sac_lesson *l)
{
    static const float far[] = {20, 40}, near[] = {2, 4};
    sac_graph *g = &l->graph;
    arrays a = {0};
    a.far = sac_lesson_given(l, "far", SAC_MATRIX(1, 2), far);
    a.near = sac_lesson_given(l, "near", SAC_MATRIX(1, 2), near);
    a.far_shares = sac_softmax(g, "far.weights", a.far);
    a.near_shares = sac_softmax(g, "near.weights", a.near);
    a.far_gradient = add_two_weight_gradient(g, "far.rest", "far.gradient", a.far_shares);
    a.near_gradient = add_two_weight_gradient(g, "near.rest", "near.gradient", a.near_shares);
    sac_graph_share_colors(g, a.far_gradient, a.near_gradient);
    sac_graph_share_colors(g, a.far_shares, a.near_shares);
    add_random_scores(l, &a);
    SAC_LESSON_STEP(l, steps[0], a.far, a.far_shares, a.near, a.near_shares);
    SAC_LESSON_STEP(l, steps[1], a.far_shares, a.far_gradient, a.near_shares, a.near_gradient);
    SAC_LESSON_STEP(l, steps[2], a.d, a.variance, a.scaled_variance);
    SAC_LESSON_STEP(l, steps[3], a.largest, a.scaled_largest, a.gradient, a.scaled_gradient);
    static const float sizes[SIZES] = {1, 4, 16, 64, 256, 1024};
    sac_node scores = add_sampled_scores(l, sizes);
    draw_two_score_softmax(l, &a);
    draw_spread(l, &a, sizes, scores);
    draw_sizes(l, &a, sizes, scores);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("Queries and keys get 1024 numbers in place of 64. What happens to the "
                "variance of the difference of two scores?"),
     .cell = "variance,0,0",
     .after = "d=1024",
     .why = N_("Each product that is added brings its own variance: the difference has 2d.")},
    {.kind = SAC_ASK_WAY,
     .text = N_("Queries and keys get 1024 numbers in place of 64, and scores are not "
                "scaled. What happens to the largest of eight weights?"),
     .cell = "largest,0,0",
     .after = "d=1024",
     .why = N_("The scores lie farther apart, and one key takes nearly all.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("Why does learning stop where scores lie far apart?"),
     .cell = "far.gradient,0,0",
     .reasons = {{N_("the weights are close to 0 and 1, where p (1 − p) is almost 0"),
                  "far.gradient,0,0", '<', "0.001"},
                 {N_("all weights are equal, and so are their gradients"), "far.weights,0,0", '=',
                  "far.weights,0,1"},
                 {N_("the weights no longer add up to 1")}},
     .why = N_("The gradient of the softmax is p (1 − p), which is largest at p = ½.")},
    {0},
};

const sac_lesson_class sac_lesson_why_scale = {
    .name = "why-scale",
    .title = N_("Why divide by √d"),
    .summary = N_("large differences saturate the softmax, and its gradient vanishes"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
