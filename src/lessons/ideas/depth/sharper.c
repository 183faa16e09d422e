/* Normalisers beside the softmax: sparsemax (Martins and Astudillo 2016) and 1.5-entmax (Peters, Niculae
 * and Martins 2019), whose weights are exactly 0 below a threshold, and whose gradient is 0 there too. */
#include <math.h>

#include "lessons/ideas/lessons.h"

enum { KEYS = 5, SWEPT = 0 }; /* the key whose score is moved in the last drawing */
enum { NORMALIZERS = SAC_NORMALIZER_SPARSEMAX + 1 }; /* one that comes later is no part of this */

static const char *const names[NORMALIZERS] = {"softmax", "entmax15", "sparsemax"};
static const char *const titles[NORMALIZERS] = {N_("softmax"), N_("1.5-entmax"), N_("sparsemax")};
static const sac_mark_ink inks[NORMALIZERS] = {SAC_INK_BLUE, SAC_INK_GREEN, SAC_INK_ACCENT};

static const sac_lesson_parameter parameters[] = {
    {"temperature", N_("temperature"), 0.1f, 10, 1, false},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("softmax"),
     .sentence = N_("The softmax takes exp of each score and divides it by the sum of the row."),
     .formula = "P[j] = exp(S[j]) / Σ exp(S[k])",
     .notice = N_("exp is never 0: even the key with the smallest score keeps a weight."),
     .code = "softmax = scores.softmax(-1)"},
    {.name = N_("sort"),
     .sentence = N_("For sparsemax the scores are sorted, the largest first, and added up one "
                    "after the other."),
     .formula = "z₁ ≥ z₂ ≥ … ;  z₁ + … + z_k",
     .notice = N_("A key is kept only together with all keys of larger scores, so that it is "
                  "enough to know how many are kept."),
     .code = "ordered = scores.sort(-1, descending=True).values\n"
             "sums = ordered.cumsum(-1)"},
    {.name = N_("threshold"),
     .sentence = N_("If k keys were kept, what they have above the threshold (sum − 1) / k would "
                    "add up to 1; the largest of these thresholds is τ."),
     .formula = "τ(k) = (z₁ + … + z_k − 1) / k;  τ = max τ(k)",
     .notice = N_("It rises as long as the next score lies above it; then the next key is left "
                  "out, and all after it."),
     .code = "k = torch.arange(1, scores.shape[-1] + 1)\n"
             "thresholds = (sums - 1) / k\n"
             "tau = thresholds.amax(-1, keepdim=True)"},
    {.name = N_("sparsemax"),
     .sentence = N_("A weight is what its score has above the threshold, and exactly 0 below it."),
     .formula = "P[j] = max(0, S[j] − τ)",
     .notice = N_("The weights add up to 1 as before, but two keys share everything."),
     .code = "sparsemax = (scores - tau).clamp(min=0)",
     .questions = {{SAC_ASK_VALUE, 2, N_("What the score has above τ; below it 0.")},
                   {SAC_ASK_COUNT, 2, N_("As many as there are scores above τ.")}}},
    {.name = N_("1.5-entmax"),
     .sentence = N_("1.5-entmax lies between the two: half of a score, less a threshold of its "
                    "own, squared."),
     .formula = "P[j] = max(0, S[j]/2 − τ)²",
     .notice = N_("Its threshold is lower: a third key keeps a small weight, and the others have "
                  "exactly 0."),
     .code = "halves = scores / 2\n"
             "ordered = halves.sort(-1, descending=True).values\n"
             "mean = ordered.cumsum(-1) / k\n"
             "apart = (ordered ** 2).cumsum(-1) - k * mean ** 2\n"
             "taus = mean - ((1 - apart) / k).clamp(min=0).sqrt()\n"
             "kept = (taus < ordered).sum(-1, keepdim=True)\n"
             "entmax15 = (halves - taus.gather(-1, kept - 1)).clamp(min=0) ** 2",
     .questions = {{SAC_ASK_VALUE, 2, N_("The square of what half of the score has above τ.")}}},
    {.name = N_("side by side"),
     .sentence = N_("The same scores three times: the softmax keeps five keys, 1.5-entmax three, "
                    "sparsemax two."),
     .formula = "softmax(S), entmax15(S), sparsemax(S)",
     .notice = N_("The order of the keys is the same in all three, and the largest weight grows "
                  "from one to the next."),
     .code = "torch.cat([softmax, entmax15, sparsemax])",
     .questions = {{SAC_ASK_COUNT, 1, N_("exp of a score is never 0.")}}},
    {.name = N_("temperature"),
     .sentence = N_("A temperature T divides the scores before any of the three: the lower it is, "
                    "the fewer keys sparsemax and 1.5-entmax keep."),
     .formula = "S / T",
     .notice = N_("A low temperature makes the softmax sharper too, but its weights only come "
                  "near 0, while the others let the keys go one by one."),
     .code = "scaled = scores / T\n"
             "scaled.softmax(-1)"},
    {.name = N_("gradient"),
     .sentence = N_("Row i is how each weight changes with score i; s is P for the softmax, √P for "
                    "1.5-entmax, and for sparsemax 1 where P is not 0."),
     .formula = "∂P[j]/∂S[i] = s[i] (δ[i,j] − s[j] / Σ s[k])",
     .notice = N_("A key with the weight 0 has a row of exactly 0: its score learns nothing, until "
                  "the others' scores fall."),
     .code = "def slopes(s):\n"
             "    return torch.diag(s) - torch.outer(s, s) / s.sum()\n"
             "slopes(softmax[0]), slopes((sparsemax[0] > 0).float())"},
};

/* A row of weights, and what it is made of. */
typedef struct normalized {
    sac_node x; /* what lies above or below the threshold: scores, or their halves */
    sac_node tau, weights;
} normalized;

/* "entmax15.tau" */
static const char *join_name_parts(char text[32], const char *first, const char *then)
{
    snprintf(text, 32, "%.20s.%.10s", first, then);
    return text;
}

/* `tau` 0: the threshold is found, too. */
static normalized normalize(sac_graph *g, sac_normalizer kind, const char *name, sac_node scores,
                            sac_node tau)
{
    char text[32];
    normalized n = {.x = scores, .tau = tau};
    if (kind == SAC_NORMALIZER_SOFTMAX) {
        n.weights = sac_softmax(g, name, scores);
        return n;
    }
    float power = kind == SAC_NORMALIZER_ENTMAX15 ? 2 : 1;
    if (kind == SAC_NORMALIZER_ENTMAX15)
        n.x = sac_times(g, join_name_parts(text, name, "halves"), scores, 0.5f);
    if (!tau)
        n.tau =
            sac_apply(g, SAC_OP_THRESHOLD, join_name_parts(text, name, "tau"), n.x, 0, 0, power, 0);
    n.weights = sac_apply(g, SAC_OP_ABOVE, name, n.x, n.tau, 0, power, 0);
    return n;
}

/* s, of which the gradient is made: P, √P, or 1 where P > 0. */
static sac_node add_gradient_factor(sac_graph *g, sac_normalizer kind, const char *name,
                                    const normalized *n)
{
    if (kind == SAC_NORMALIZER_SOFTMAX)
        return n->weights;
    return sac_apply(g, SAC_OP_ABOVE, name, n->x, n->tau, 0,
                     kind == SAC_NORMALIZER_ENTMAX15 ? 1 : 0, 0);
}

/* s / Σ s of each row. */
static sac_node add_share(sac_graph *g, const char *name, sac_node s)
{
    char text[32];
    return sac_binary(g, SAC_OP_DIVIDE, join_name_parts(text, name, "share"), s,
                      sac_unary(g, SAC_OP_SUM, join_name_parts(text, name, "sum"), s));
}

/* [keys,keys]: how weight j changes with score i, of the first row. */
static sac_node add_slopes(sac_graph *g, sac_normalizer kind, const normalized *n)
{
    char name[32], text[32];
    join_name_parts(name, "slopes", names[kind]);
    sac_node all = add_gradient_factor(g, kind, join_name_parts(text, name, "s"), n);
    sac_node s = sac_sliced(g, join_name_parts(text, name, "first"), all, 0, 1);
    sac_node share = add_share(g, name, s);
    sac_node column = sac_transposed(g, join_name_parts(text, name, "column"), s);
    return sac_binary(g, SAC_OP_SLOPES, name, column, share);
}

typedef struct arrays {
    sac_node scores, sorted, sums, thresholds, tau, scaled;
    normalized of[NORMALIZERS];        /* of the scores … */
    normalized scaled_of[NORMALIZERS]; /* … and of the scaled ones */
    sac_node slopes[NORMALIZERS];
} arrays;

/* ---------------------------------------------------------------- drawings */

#define KEY_PANEL .categories = a->scores, .x = N_("key")

/* Handles at the ends of the scores' bars in the first panel. */
static void add_handles(sac_lesson_drawing *drawing, const arrays *a, sac_node places, size_t keys)
{
    for (size_t i = 0; i < keys && i < SAC_DRAWING_HANDLES; i++)
        drawing->handles[drawing->handle_count++] =
            (sac_drawing_handle){.quiet = true,
                                 .x = {places, i},
                                 .y = {a->scores, i},
                                 .sets_y = {.number = {a->scores, i}},
                                 .does = N_("Drag this score up or down: the weights follow.")};
}

/* Scores as bars with the threshold across them, and what they have above it below. */
static void draw_normalizer(sac_lesson *l, const arrays *a, sac_normalizer kind, sac_node places,
                            int step)
{
    const normalized *n = &a->of[kind];
    sac_lesson_drawing drawing = {
        .panel_count = 2,
        .panels = {{.title =
                        kind == SAC_NORMALIZER_ENTMAX15 ? N_("Half of the scores") : N_("Scores"),
                    KEY_PANEL},
                   {.title = N_("Weights"), KEY_PANEL, .y_low = 0, .y_high = 1.05f, .share = 0.8f}},
        .mark_count = 2,
        .marks = {{SAC_MARK_BARS, 0, .y = n->x, .ink = SAC_INK_BLUE},
                  {SAC_MARK_BARS, 1, .y = n->weights, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_RULE, 0, .y = n->tau, .ink = SAC_INK_ACCENT, .name = N_("τ")}}};
    drawing.mark_count += kind != SAC_NORMALIZER_SOFTMAX;
    if (kind != SAC_NORMALIZER_ENTMAX15)
        add_handles(&drawing, a, places, sac_node_size(&l->graph, a->scores, 1));
    sac_lesson_add_drawing(l, &drawing, step, step);
}

/* The sorted scores with their sums, then with the thresholds, whose largest is τ. */
static void draw_threshold_search(sac_lesson *l, const arrays *a)
{
    const sac_lesson_drawing drawing = {
        .panel_count = 1,
        .panels = {{.categories = a->sorted, .x = N_("place")}},
        .mark_count = 4,
        .marks = {
            {SAC_MARK_BARS, 0, .y = a->sorted, .ink = SAC_INK_BLUE, .name = N_("sorted scores")},
            {SAC_MARK_POINTS, 0, .before = 2, .y = a->sums, .ink = SAC_INK_GREEN,
             .name = N_("their sum so far")},
            {SAC_MARK_POINTS, 0, .since = 2, .y = a->thresholds, .ink = SAC_INK_GREEN,
             .name = N_("τ(k)")},
            {SAC_MARK_RULE, 0, .since = 2, .y = a->tau, .ink = SAC_INK_ACCENT, .name = N_("τ")}}};
    sac_lesson_add_drawing(l, &drawing, 1, 2);
}

static void draw_all_normalizers(sac_lesson *l, const arrays *a)
{
    sac_lesson_drawing drawing = {
        .panel_count = 1,
        .panels = {{KEY_PANEL, .y = N_("weight"), .y_low = 0, .y_high = 1.05f}},
        .mark_count = NORMALIZERS};
    for (int i = 0; i < NORMALIZERS; i++)
        drawing.marks[i] = (sac_drawing_mark){SAC_MARK_BARS, 0, .y = a->of[i].weights,
                                              .ink = inks[i], .name = titles[i]};
    sac_lesson_add_drawing(l, &drawing, 5, 5);
}

/* The weights of each over the temperature, which is dragged. */
static void draw_temperature(sac_lesson *l, const arrays *a)
{
    enum { TEMPERATURES = 81 };
    sac_graph *g = &l->graph;
    float now = sac_lesson_value(l, "temperature"), degrees[TEMPERATURES], factors[TEMPERATURES];
    for (int i = 0; i < TEMPERATURES; i++) {
        degrees[i] = (float)(0.1 * pow(100, i / (TEMPERATURES - 1.0)));
        factors[i] = 1 / degrees[i];
    }
    sac_node at = sac_given(g, "temperatures", SAC_MATRIX(1, TEMPERATURES), degrees);
    sac_node by = sac_given(g, "temperatures.factor", SAC_MATRIX(TEMPERATURES, 1), factors);
    sac_node cooled = sac_matmul(g, "scores.at", by, a->scores);
    sac_node temperature = sac_given(g, "temperature", SAC_MATRIX(1, 1), &now);
    float here[SAC_LESSON_COLUMNS];
    for (int k = 0; k < SAC_LESSON_COLUMNS; k++)
        here[k] = now;
    sac_node ends =
        sac_given(g, "temperature.here", SAC_MATRIX(1, sac_node_size(g, a->scores, 1)), here);
    sac_lesson_drawing drawing = {.across = true,
                                  .part = 0.6f,
                                  .panel_count = NORMALIZERS,
                                  .mark_count = 3 * NORMALIZERS,
                                  .handle_count = NORMALIZERS};
    for (int i = 0; i < NORMALIZERS; i++) {
        char name[32], curve[32];
        join_name_parts(name, names[i], "at");
        sac_node curves = sac_transposed(g, join_name_parts(curve, names[i], "over"),
                                         normalize(g, (sac_normalizer)i, name, cooled, 0).weights);
        drawing.panels[i] = (sac_drawing_panel){.title = titles[i],
                                                .x = N_("temperature"),
                                                .x_low = 0.1f,
                                                .x_high = 10,
                                                .x_by_ratio = true,
                                                .y_low = -0.02f,
                                                .y_high = 1.05f};
        drawing.marks[3 * i] =
            (sac_drawing_mark){SAC_MARK_RULE, i, .x = temperature, .ink = SAC_INK_ACCENT};
        drawing.marks[3 * i + 1] = (sac_drawing_mark){SAC_MARK_LINE, i, .x = at, .y = curves};
        drawing.marks[3 * i + 2] =
            (sac_drawing_mark){SAC_MARK_POINTS, i, .x = ends, .y = a->scaled_of[i].weights,
                               .labels = sac_graph_array(g, a->scores)->column_labels};
        drawing.handles[i] = (sac_drawing_handle){
            .panel = i,
            .x = {temperature, 0},
            .sets_x = {.parameter = "temperature"},
            .does = N_("Drag the temperature: low, one key takes all; high, all are alike.")};
    }
    sac_lesson_add_drawing(l, &drawing, 6, 6);
}

/* The weight of the first key, and its slope, while its score moves from one end to the other. */
static void draw_slopes(sac_lesson *l, const arrays *a)
{
    enum { POINTS = 161 };
    sac_graph *g = &l->graph;
    size_t keys = sac_node_size(g, a->scores, 1);
    float one[SAC_LESSON_COLUMNS] = {[SWEPT] = 1}, rest[SAC_LESSON_COLUMNS];
    int column[POINTS];
    for (size_t k = 0; k < keys; k++)
        rest[k] = 1 - one[k];
    for (int i = 0; i < POINTS; i++)
        column[i] = i * (int)keys + SWEPT;
    sac_node axis = sac_lesson_axis(l, "swept", -1.5f, 2.5f, POINTS);
    sac_node others = sac_binary(g, SAC_OP_MULTIPLY, "swept.others", a->scores,
                                 sac_given(g, "swept.rest", SAC_MATRIX(1, keys), rest));
    sac_node moved =
        sac_matmul(g, "swept.one", axis, sac_given(g, "swept.key", SAC_MATRIX(1, keys), one));
    sac_node scores = sac_sum(g, "swept.scores", moved, others);
    sac_lesson_drawing drawing = {
        .panel_count = 2,
        .panels = {{.title = N_("Weight of the first key"),
                    .x = N_("its score"),
                    .y_low = -0.02f,
                    .y_high = 1.05f},
                   {.title = N_("How it changes with its score"),
                    .x = N_("its score"),
                    .y_low = -0.02f,
                    .y_high = 0.7f}},
        .mark_count = 2,
        .marks = {{SAC_MARK_RULE, 0, .x = a->scores, .ink = SAC_INK_FAINT},
                  {SAC_MARK_RULE, 1, .x = a->scores, .ink = SAC_INK_FAINT}},
        .handle_count = 2};
    sac_node now = sac_gather(g, "swept.now", a->scores, SAC_MATRIX(1, 1), (const int[]){SWEPT});
    drawing.marks[0].x = drawing.marks[1].x = now;
    for (int i = 0; i < NORMALIZERS; i++) {
        char name[32], text[32];
        join_name_parts(name, "swept", names[i]);
        normalized n = normalize(g, (sac_normalizer)i, name, scores, 0);
        sac_node s =
            add_gradient_factor(g, (sac_normalizer)i, join_name_parts(text, name, "s"), &n);
        sac_node share = add_share(g, name, s);
        sac_node left =
            sac_apply(g, SAC_OP_AFFINE, join_name_parts(text, name, "left"), share, 0, 0, -1, 1);
        sac_node slope =
            sac_binary(g, SAC_OP_MULTIPLY, join_name_parts(text, name, "slope"), s, left);
        drawing.marks[drawing.mark_count++] =
            (sac_drawing_mark){SAC_MARK_LINE,
                               0,
                               .x = axis,
                               .y = sac_gather(g, join_name_parts(text, name, "weight"), n.weights,
                                               SAC_MATRIX(1, POINTS), column),
                               .ink = inks[i],
                               .name = titles[i]};
        drawing.marks[drawing.mark_count++] =
            (sac_drawing_mark){SAC_MARK_LINE, 1, .x = axis,
                               .y = sac_gather(g, join_name_parts(text, name, "rate"), slope,
                                               SAC_MATRIX(1, POINTS), column),
                               .ink = inks[i]};
    }
    for (int i = 0; i < 2; i++)
        drawing.handles[i] = (sac_drawing_handle){
            .panel = i,
            .x = {now, 0},
            .sets_x = {.number = {a->scores, SWEPT}},
            .does = N_("Drag the score: left of where its curve begins to rise the slope is 0.")};
    sac_lesson_add_drawing(l, &drawing, 7, 7);
}

static void add_drawings(sac_lesson *l, const arrays *a)
{
    sac_graph *g = &l->graph;
    size_t keys = sac_node_size(g, a->scores, 1);
    if (sac_node_size(g, a->scores, 0) != 1 || keys < 2)
        return;
    sac_node places = sac_lesson_axis(l, "places", 0, (float)(keys - 1), keys);
    draw_normalizer(l, a, SAC_NORMALIZER_SOFTMAX, places, 0);
    draw_threshold_search(l, a);
    draw_normalizer(l, a, SAC_NORMALIZER_SPARSEMAX, places, 3);
    draw_normalizer(l, a, SAC_NORMALIZER_ENTMAX15, places, 4);
    draw_all_normalizers(l, a);
    draw_temperature(l, a);
    draw_slopes(l, a);
}

static void build(sac_lesson *l)
{
    static const float numbers[KEYS] = {0.1f, 0.8f, 1.2f, -0.5f, -1};
    static const char *const words[KEYS] = {"the", "red", "cat", "sleeps", "."};
    sac_graph *g = &l->graph;
    arrays a = {0};
    a.scores = sac_lesson_given(l, "scores", SAC_MATRIX(1, KEYS), numbers);
    size_t keys = sac_node_size(g, a.scores, 1);
    float counts[SAC_LESSON_COLUMNS];
    for (size_t k = 0; k < keys && k < SAC_LESSON_COLUMNS; k++)
        counts[k] = (float)(k + 1);
    a.sorted = sac_unary(g, SAC_OP_SORTED, "sorted", a.scores);
    a.sums = sac_unary(g, SAC_OP_RUNNING_SUM, "sums", a.sorted);
    a.thresholds = sac_binary(g, SAC_OP_DIVIDE, "thresholds",
                              sac_apply(g, SAC_OP_AFFINE, "sums.less_1", a.sums, 0, 0, 1, -1),
                              sac_given(g, "k", SAC_MATRIX(1, keys), counts));
    a.tau = sac_unary(g, SAC_OP_LARGEST, "tau", a.thresholds);
    a.scaled = sac_times(g, "scaled", a.scores, 1 / sac_lesson_value(l, "temperature"));
    for (int i = 0; i < NORMALIZERS; i++) {
        char scaled[32];
        sac_normalizer kind = (sac_normalizer)i;
        a.of[i] =
            normalize(g, kind, names[i], a.scores, kind == SAC_NORMALIZER_SPARSEMAX ? a.tau : 0);
        a.scaled_of[i] =
            normalize(g, kind, join_name_parts(scaled, "scaled", names[i]), a.scaled, 0);
        a.slopes[i] = add_slopes(g, kind, &a.of[i]);
        sac_lesson_label(l, a.of[i].weights, NULL, 0, words, KEYS);
        sac_lesson_label(l, a.scaled_of[i].weights, NULL, 0, words, KEYS);
        sac_lesson_label(l, a.slopes[i], words, KEYS, words, KEYS);
    }
    sac_lesson_label(l, a.scores, NULL, 0, words, KEYS);
    sac_lesson_label(l, a.scaled, NULL, 0, words, KEYS);
    sac_lesson_label(l, a.of[SAC_NORMALIZER_ENTMAX15].x, NULL, 0, words, KEYS);
    sac_graph_share_colors(g, a.slopes[SAC_NORMALIZER_SOFTMAX], a.slopes[SAC_NORMALIZER_SPARSEMAX]);
    const normalized *of = a.of, *scaled_of = a.scaled_of;
    SAC_LESSON_STEP(l, steps[0], a.scores, of[SAC_NORMALIZER_SOFTMAX].weights);
    SAC_LESSON_STEP(l, steps[1], a.scores, a.sorted, a.sums);
    SAC_LESSON_STEP(l, steps[2], a.sorted, a.sums, a.thresholds, a.tau);
    SAC_LESSON_STEP(l, steps[3], a.scores, a.tau, of[SAC_NORMALIZER_SPARSEMAX].weights);
    SAC_LESSON_STEP(l, steps[4], of[SAC_NORMALIZER_ENTMAX15].x, of[SAC_NORMALIZER_ENTMAX15].tau,
                    of[SAC_NORMALIZER_ENTMAX15].weights);
    SAC_LESSON_STEP(l, steps[5], a.scores, of[SAC_NORMALIZER_SOFTMAX].weights,
                    of[SAC_NORMALIZER_ENTMAX15].weights, of[SAC_NORMALIZER_SPARSEMAX].weights);
    SAC_LESSON_STEP(l, steps[6], a.scaled, scaled_of[SAC_NORMALIZER_SOFTMAX].weights,
                    scaled_of[SAC_NORMALIZER_ENTMAX15].weights,
                    scaled_of[SAC_NORMALIZER_SPARSEMAX].weights);
    SAC_LESSON_STEP(l, steps[7], a.slopes[SAC_NORMALIZER_SOFTMAX],
                    a.slopes[SAC_NORMALIZER_SPARSEMAX]);
    add_drawings(l, &a);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("The temperature rises from 1 to 8. What happens to the weight of “.”, which is 0 "
                "with sparsemax?"),
     .cell = "scaled.sparsemax,0,4",
     .after = "temperature=8",
     .why = N_("The scores come so close together that all of them lie above the threshold.")},
    {.kind = SAC_ASK_WAY,
     .text = N_("The score of “the” falls from 0.1 to 0. What happens to its weight with "
                "sparsemax?"),
     .cell = "sparsemax,0,0",
     .after = "scores,0,0=0",
     .why = N_("It lies below the threshold before and after: the gradient is 0 there.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("Why does a key that sparsemax gives the weight 0 not learn from the gradient?"),
     .cell = "slopes.sparsemax,0,0",
     .reasons = {{N_("a small change of its score leaves it below the threshold, and no weight "
                     "changes"),
                  "slopes.sparsemax,0,0", '=', "0"},
                 {N_("the threshold rises by as much as its score"), "slopes.sparsemax,0,1", '<',
                  "0"},
                 {N_("its weight is small, but not 0"), "sparsemax,0,0", '>', "0"}},
     .why = N_("Where all weights stay as they are, the loss stays as it is.")},
    {0},
};

const sac_lesson_class sac_lesson_sharper = {
    .name = "sharper-than-softmax",
    .title = N_("Sharper than softmax"),
    .summary = N_("sparsemax and 1.5-entmax give weights of exactly 0, and no gradient there"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
