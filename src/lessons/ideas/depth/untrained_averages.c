/* Why the rows of the notebook's output all look alike: untrained attention is an average. The same
 * layer is trained, and its rows part. */
#include <math.h>
#include <string.h>

#include "lessons/ideas/lessons.h"
#include "lessons/shared/layers.h"

/* ---------------------------------------------------------------- the trained layer */

/* The notebook's layer of one head, trained: gradient descent by Adam on the host, in float64, so
 * that a lesson shows the same weights on every device. */

enum {
    SAC_TRAINED_MAP = SAC_NOTEBOOK_DEPTH * SAC_NOTEBOOK_DEPTH + SAC_NOTEBOOK_DEPTH,
    SAC_TRAINED_WEIGHTS = 3 * SAC_TRAINED_MAP, /* of query, key, value: weight, then bias */
};

enum {
    SENTENCES = SAC_NOTEBOOK_SENTENCES,
    T = SAC_NOTEBOOK_WORDS,
    D = SAC_NOTEBOOK_DEPTH,
    MAP = SAC_TRAINED_MAP,
    ALL = SAC_TRAINED_WEIGHTS,
};

/* A sentence on its way through the layer. */
typedef struct pass {
    double x[T][D];
    double mapped[3][T][D]; /* Q, K, V */
    double p[T][T], y[T][D];
} pass;

static void map_forward(const double *map, double x[T][D], double y[T][D])
{
    for (int t = 0; t < T; t++)
        for (int o = 0; o < D; o++) {
            y[t][o] = map[D * D + o];
            for (int i = 0; i < D; i++)
                y[t][o] += map[o * D + i] * x[t][i];
        }
}

/* Adds the gradients of a map. */
static void map_backward(double dy[T][D], double x[T][D], double *gradient)
{
    for (int t = 0; t < T; t++)
        for (int o = 0; o < D; o++) {
            gradient[D * D + o] += dy[t][o];
            for (int i = 0; i < D; i++)
                gradient[o * D + i] += dy[t][o] * x[t][i];
        }
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < D; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The sum of squares of one sentence; adds to the gradient of the mean over all sentences. */
static double sentence_loss_and_gradient(const double *weights, const float *x, const float *target,
                                         double *gradient)
{
    pass s;
    double dy[T][D], mapped[3][T][D], loss = 0;
    for (int i = 0; i < T * D; i++)
        s.x[i / D][i % D] = (double)x[i];
    for (int m = 0; m < 3; m++)
        map_forward(weights + m * MAP, s.x, s.mapped[m]);
    /* P = softmax(Q Kᵀ), Y = P V. */
    for (int t = 0; t < T; t++) {
        double sum = 0;
        for (int j = 0; j < T; j++)
            sum += s.p[t][j] = exp(dot(s.mapped[0][t], s.mapped[1][j]));
        for (int j = 0; j < T; j++)
            s.p[t][j] /= sum;
        for (int i = 0; i < D; i++) {
            s.y[t][i] = 0;
            for (int j = 0; j < T; j++)
                s.y[t][i] += s.p[t][j] * s.mapped[2][j][i];
        }
    }
    for (int i = 0; i < T * D; i++) {
        double apart = s.y[i / D][i % D] - (double)target[i];
        dy[i / D][i % D] = 2 * apart / (SENTENCES * T * D);
        loss += apart * apart;
    }
    /* Of dY the gradients of Q, K and V: dS = P (dP − Σ P dP), dP = dY Vᵀ. */
    memset(mapped, 0, 3 * sizeof mapped[0]);
    for (int t = 0; t < T; t++) {
        double dp[T], mean = 0;
        for (int j = 0; j < T; j++) {
            dp[j] = dot(dy[t], s.mapped[2][j]);
            mean += s.p[t][j] * dp[j];
        }
        for (int j = 0; j < T; j++) {
            double ds = s.p[t][j] * (dp[j] - mean);
            for (int i = 0; i < D; i++) {
                mapped[0][t][i] += ds * s.mapped[1][j][i];
                mapped[1][j][i] += ds * s.mapped[0][t][i];
                mapped[2][j][i] += s.p[t][j] * dy[t][i];
            }
        }
    }
    for (int m = 0; m < 3; m++)
        map_backward(mapped[m], s.x, gradient + m * MAP);
    return loss;
}

static double mean_loss_and_gradient(const double *weights, const float *x, const float *target,
                                     double *gradient)
{
    double loss = 0;
    memset(gradient, 0, ALL * sizeof *gradient);
    for (int i = 0; i < SENTENCES; i++)
        loss += sentence_loss_and_gradient(weights, x + i * T * D, target + i * T * D, gradient);
    return loss / (SENTENCES * T * D);
}

/* `steps` steps towards the least mean of (output − target)². x and target [2,4,10]; losses
 * [steps + 1], before each step and after the last. */
static void train_layer(float weights[SAC_TRAINED_WEIGHTS], const float *x, const float *target,
                        int steps, float *losses)
{
    double now[ALL], gradient[ALL], mean[ALL] = {0}, square[ALL] = {0};
    for (int i = 0; i < ALL; i++)
        now[i] = (double)weights[i];
    for (int n = 1; n <= steps; n++) {
        losses[n - 1] = (float)mean_loss_and_gradient(now, x, target, gradient);
        /* Step `n`, from 1 on, of torch.optim.Adam(lr=0.05). */
        for (int i = 0; i < ALL; i++) {
            mean[i] = 0.9 * mean[i] + 0.1 * gradient[i];
            square[i] = 0.999 * square[i] + 0.001 * gradient[i] * gradient[i];
            double m = mean[i] / (1 - pow(0.9, n)), v = square[i] / (1 - pow(0.999, n));
            now[i] -= 0.05 * m / (sqrt(v) + 1e-8);
        }
    }
    losses[steps] = (float)mean_loss_and_gradient(now, x, target, gradient);
    for (int i = 0; i < ALL; i++)
        weights[i] = (float)now[i];
}

/* ---------------------------------------------------------------- untrained averages */

enum {
    WORDS = SAC_NOTEBOOK_WORDS,
    DEPTH = SAC_NOTEBOOK_DEPTH,
    COUNT = SAC_NOTEBOOK_SENTENCES * WORDS * DEPTH,
    MOST_STEPS = 400,
    CURVE = 81, /* points of the loss */
};

static const sac_lesson_parameter parameters[] = {
    {"steps", N_("steps of training"), 0, MOST_STEPS, 200, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("untrained"),
     .sentence = N_("An untrained layer reads two sentences of four words."),
     .formula = "Y = softmax(Q Kᵀ) V",
     .notice =
         N_("All weights are near 1/4, so each output is nearly the plain mean of the values."),
     .code = "torch.manual_seed(0)\n"
             "model = SelfAttention(10)\n"
             "output = model(sents)",
     .questions = {{SAC_ASK_VALUE, 1, N_("Nearly 1/4, as all are."), true}}},
    {.name = N_("spread"),
     .sentence = N_("The spread is how far the words of a sentence differ, in the column "
                    "where they differ most."),
     .formula = "max_c (max_t Y[t,c] − min_t Y[t,c])",
     .notice = N_("The inputs differ about a hundred times more than the outputs."),
     .code = "spread = (output.amax(1) - output.amin(1)).amax(1)",
     .questions = {{SAC_ASK_LARGEST, 3, N_("The column whose rows differ most.")}}},
    {.name = N_("a task"),
     .sentence = N_("The layer must now learn a task: the output of each word is the next word, "
                    "and of the last word the first."),
     .formula = "loss = mean (Y[t] − x[t+1])²",
     .notice = N_("A mean of all words is wrong for every one of them."),
     .code = "loss = F.mse_loss(output, sents.roll(-1, dims=1))",
     .questions = {{SAC_ASK_VALUE, 1, N_("The number of the next word.")}}},
    {.name = N_("trained"),
     .sentence = N_("The same layer after training on these two sentences with Adam."),
     .formula = "θ ← θ − 0.05 · Adam(∂loss/∂θ)",
     .notice = N_("After enough steps each output is nearly the next word."),
     .code = "optimizer = torch.optim.Adam(model.parameters(), lr=0.05)\n"
             "for step in range(200):\n"
             "    optimizer.zero_grad()\n"
             "    F.mse_loss(model(sents), sents.roll(-1, dims=1)).backward()\n"
             "    optimizer.step()"},
    {.name = N_("apart"),
     .sentence =
         N_("The spread before and after training, and the loss after each tenth of the steps."),
     .formula = "spread = max_c (max_t Y[t,c] − min_t Y[t,c])",
     .code = "trained = model(sents)\n"
             "spread = (trained.amax(1) - trained.amin(1)).amax(1)",
     .notice = N_("The loss falls while the rows move apart: try fewer steps.")},
};

typedef struct arrays {
    sac_node draws, x, output, trained_output;
    sac_node x_spread, spread, trained_spread, ranges, losses;
    sac_node steps, falling; /* the loss after as many, more finely */
} arrays;

/* Largest less smallest of each column, a row a sentence [2,1,10]. `names`: of the columns, their
 * largest, the negated columns, theirs, the ranges as rows, and as a column. */
static sac_node add_ranges(sac_graph *g, const char *const names[6], sac_node y)
{
    sac_node columns = sac_transposed(g, names[0], y);
    sac_node high = sac_unary(g, SAC_OP_LARGEST, names[1], columns);
    sac_node negated = sac_times(g, names[2], columns, -1);
    sac_node low = sac_unary(g, SAC_OP_LARGEST, names[3], negated);
    return sac_transposed(g, names[4], sac_sum(g, names[5], high, low));
}

static sac_node add_largest_range(sac_graph *g, const char *name, sac_node ranges)
{
    return sac_unary(g, SAC_OP_LARGEST, name, ranges);
}

/* Where cell i of the sentences comes from when their words move up by one. */
static int next_word_cell(int i)
{
    int row = i / DEPTH, sentence = row / WORDS;
    return (sentence * WORDS + (row + 1) % WORDS) * DEPTH + i % DEPTH;
}

/* The mean of all squares [1,1]. `names`: difference, squares, their row, loss. */
static sac_node add_loss(sac_graph *g, const char *const names[4], sac_node y, sac_node target)
{
    sac_node apart = sac_difference(g, names[0], y, target);
    sac_node squares = sac_binary(g, SAC_OP_MULTIPLY, names[1], apart, apart);
    sac_node row = sac_reshaped(g, names[2], squares, SAC_MATRIX(1, COUNT));
    return sac_unary(g, SAC_OP_MEAN, names[3], row);
}

/* ---------------------------------------------------------------- the training */

/* The training is of the notebook's sizes; arrays of a person's own of other ones are refused. */
static bool check_notebook_size(sac_graph *g, sac_node draws, const sac_heads *layer)
{
    const sac_lesson_linear maps[] = {layer->query, layer->key, layer->value};
    bool fits = sac_small_count(sac_node_shape(g, draws)) == COUNT;
    for (int m = 0; m < 3; m++)
        fits = fits && sac_small_count(sac_node_shape(g, maps[m].weight)) == DEPTH * DEPTH &&
               sac_small_count(sac_node_shape(g, maps[m].bias)) == DEPTH;
    if (!fits)
        sac_graph_fail(g, "draws", "give arrays of the lesson's sizes",
                       "are trained as [2,4,10], with maps of 10 numbers to 10");
    return fits;
}

static sac_lesson_linear add_trained_linear(sac_graph *g, const char *weight, const char *bias,
                                            const float *numbers)
{
    return (sac_lesson_linear){sac_given(g, weight, SAC_MATRIX(DEPTH, DEPTH), numbers),
                               sac_given(g, bias, SAC_VECTOR(DEPTH), numbers + DEPTH * DEPTH)};
}

/* The layer after `steps` steps; the loss before, after and at each tenth between is "losses". */
static sac_heads train(sac_lesson *l, const sac_heads *layer, arrays *a)
{
    float weights[SAC_TRAINED_WEIGHTS], x[COUNT], target[COUNT], losses[MOST_STEPS + 1], tenths[11];
    float at[CURVE], falling[CURVE];
    int steps_taken = (int)sac_lesson_value(l, "steps");
    sac_graph *g = &l->graph;
    sac_heads trained = {.heads = 1, .scale = 1};
    if (!check_notebook_size(g, a->draws, layer))
        return trained;
    const sac_lesson_linear maps[] = {layer->query, layer->key, layer->value};
    for (int m = 0; m < 3; m++) {
        const sac_small_array *w = sac_graph_array(g, maps[m].weight);
        const sac_small_array *b = sac_graph_array(g, maps[m].bias);
        memcpy(weights + m * SAC_TRAINED_MAP, w->numbers, DEPTH * DEPTH * sizeof *weights);
        memcpy(weights + m * SAC_TRAINED_MAP + DEPTH * DEPTH, b->numbers, DEPTH * sizeof *weights);
    }
    sac_notebook_normalize_rows(sac_graph_array(g, a->draws)->numbers, x);
    for (int i = 0; i < COUNT; i++)
        target[i] = x[next_word_cell(i)];
    train_layer(weights, x, target, steps_taken, losses);
    for (int i = 0; i <= 10; i++)
        tenths[i] = losses[steps_taken * i / 10];
    a->losses = sac_given(g, "losses", SAC_MATRIX(1, 11), tenths);
    for (int i = 0; i < CURVE; i++) {
        int step = steps_taken * i / (CURVE - 1);
        at[i] = (float)step;
        falling[i] = losses[step];
    }
    a->steps = sac_given(g, "losses.steps", SAC_MATRIX(1, CURVE), at);
    a->falling = sac_given(g, "losses.curve", SAC_MATRIX(1, CURVE), falling);
    trained.query = add_trained_linear(g, "W_q.trained", "b_q.trained", weights);
    trained.key = add_trained_linear(g, "W_k.trained", "b_k.trained", weights + SAC_TRAINED_MAP);
    trained.value =
        add_trained_linear(g, "W_v.trained", "b_v.trained", weights + 2 * SAC_TRAINED_MAP);
    return trained;
}

/* The range of each number over the words of the first sentence, [1,10]. */
static sac_node first_ranges(sac_graph *g, const char *const names[2], sac_node ranges)
{
    return sac_reshaped(g, names[1], sac_sliced(g, names[0], ranges, 0, 1), SAC_MATRIX(1, DEPTH));
}

/* What the first word looks at, before and after training, beside the quarter that an average is; how
 * far the words lie apart; and the loss, along which the training is dragged. */
static void add_drawing(sac_lesson *l, const arrays *a, sac_node weights, sac_node trained)
{
    static const float evenly = 1.0f / WORDS;
    sac_graph *g = &l->graph;
    sac_node before = sac_reshaped(g, "first.weights", sac_sliced(g, "first", weights, 0, 1),
                                   SAC_MATRIX(WORDS, WORDS));
    sac_node after = sac_reshaped(g, "first.trained", sac_sliced(g, "trained.first", trained, 0, 1),
                                  SAC_MATRIX(WORDS, WORDS));
    before = sac_sliced(g, "word.weights", before, 0, 1);
    after = sac_sliced(g, "word.trained", after, 0, 1);
    sac_node quarter = sac_given(g, "quarter", SAC_MATRIX(1, 1), &evenly);
    sac_lesson_drawing drawing = {
        .panel_count = 2,
        .panels =
            {{.title = N_("Weights of word 0"),
              .categories = before,
              .x = N_("word"),
              .y_low = 0,
              .y_high = 1.12f},
             {.title = N_("Loss"), .x = N_("steps"), .x_low = 0, .x_high = MOST_STEPS, .since = 3}},
        .mark_count = 4,
        .marks = {{SAC_MARK_BARS, 0, .y = before, .ink = SAC_INK_BLUE, .name = N_("untrained")},
                  {SAC_MARK_BARS, 0, .since = 3, .y = after, .ink = SAC_INK_ACCENT,
                   .name = N_("trained")},
                  {SAC_MARK_RULE, 0, .y = quarter, .name = N_("1/4")},
                  {SAC_MARK_LINE, 1, .since = 3, .x = a->steps, .y = a->falling,
                   .ink = SAC_INK_ACCENT}},
        .handle_count = 1,
        .handles = {{.panel = 1,
                     .since = 3,
                     .x = {a->steps, CURVE - 1},
                     .y = {a->falling, CURVE - 1},
                     .sets_x = {.parameter = "steps"},
                     .does = N_("Drag the steps: with more of them word 0 looks at one "
                                "word.")}}};
    sac_lesson_add_drawing(l, &drawing, 0, 0);
    sac_lesson_add_drawing(l, &drawing, 3, 3);

    static const char *const of[3][2] = {{"first.x.ranges", "x.ranges.row"},
                                         {"first.ranges", "ranges.row"},
                                         {"first.trained.ranges", "trained.ranges.row"}};
    sac_node words = first_ranges(g, of[0], sac_graph_find(g, "x.ranges"));
    drawing.panels[0] = (sac_drawing_panel){
        .title = N_("Range over the words of sentence 0"), .x = N_("number"), .categories = words};
    drawing.panels[1].since = drawing.marks[3].since = drawing.handles[0].since = 4;
    drawing.marks[0] = (sac_drawing_mark){SAC_MARK_BARS, 0, .y = words, .ink = SAC_INK_PLAIN,
                                          .name = N_("the words")};
    drawing.marks[1] = (sac_drawing_mark){SAC_MARK_BARS, 0, .y = first_ranges(g, of[1], a->ranges),
                                          .ink = SAC_INK_BLUE, .name = N_("output, untrained")};
    drawing.marks[2] =
        (sac_drawing_mark){SAC_MARK_BARS,
                           0,
                           .since = 4,
                           .y = first_ranges(g, of[2], sac_graph_find(g, "trained.ranges")),
                           .ink = SAC_INK_ACCENT,
                           .name = N_("trained")};
    sac_lesson_add_drawing(l, &drawing, 1, 1);
    sac_lesson_add_drawing(l, &drawing, 4, 4);

    float next[WORDS * WORDS] = {0};
    for (int i = 0; i < WORDS; i++)
        next[i * WORDS + (i + 1) % WORDS] = 1;
    const sac_lesson_drawing task = {
        .kind = SAC_DRAWS_BANDS,
        .panel_count = 1,
        .mark_count = 1,
        .marks = {{SAC_MARK_BANDS, .y = sac_given(g, "next_word", SAC_MATRIX(WORDS, WORDS), next),
                   .name = N_("what its output is to be")}}};
    sac_lesson_add_drawing(l, &task, 2, 2);
}

static void build(sac_lesson *l)
{
    static const char *const before[] = {"apart", "squares", "squares.row", "loss"};
    static const char *const after[] = {"trained.apart", "trained.squares", "trained.squares.row",
                                        "loss.trained"};
    sac_graph *g = &l->graph;
    arrays a = {0};
    a.x = sac_notebook_sentences(l, &a.draws);
    sac_heads layer = sac_notebook_layer(l, 1), trained = train(l, &layer, &a);
    if (l->graph.status != SAC_OK)
        return;
    sac_heads_arrays drawn = sac_heads_attend(g, "", &layer, a.x);
    sac_heads_arrays learned = sac_heads_attend(g, "trained.", &trained, a.x);
    a.output = drawn.output;
    a.trained_output = learned.output;
    int index[COUNT];
    for (int i = 0; i < COUNT; i++)
        index[i] = next_word_cell(i);
    sac_node next = sac_gather(g, "target", a.x, sac_node_shape(g, a.x), index);
    static const char *const names[][6] = {
        {"x^T", "x.high", "x.negated", "x.low", "x.ranges", "x.range"},
        {"y^T", "y.high", "y.negated", "y.low", "ranges", "y.range"},
        {"z^T", "z.high", "z.negated", "z.low", "trained.ranges", "z.range"},
    };
    a.ranges = add_ranges(g, names[1], a.output);
    a.x_spread = add_largest_range(g, "spread.sents", add_ranges(g, names[0], a.x));
    a.spread = add_largest_range(g, "spread", a.ranges);
    a.trained_spread =
        add_largest_range(g, "spread.trained", add_ranges(g, names[2], a.trained_output));
    sac_graph_share_colors(g, a.x_spread, a.spread);
    sac_graph_share_colors(g, a.spread, a.trained_spread);
    sac_node loss = add_loss(g, before, a.output, next);
    sac_node trained_loss = add_loss(g, after, a.trained_output, next);
    SAC_LESSON_STEP(l, steps[0], a.x, drawn.weights, a.output);
    SAC_LESSON_STEP(l, steps[1], a.output, a.x_spread, a.spread, a.ranges);
    SAC_LESSON_STEP(l, steps[2], a.x, next, loss);
    SAC_LESSON_STEP(l, steps[3], learned.weights, a.trained_output, next, trained_loss);
    SAC_LESSON_STEP(l, steps[4], a.spread, a.trained_spread, a.losses);
    add_drawing(l, &a, drawn.weights, learned.weights);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Why do all rows of weights look alike before training?"),
     .reasons =
         {{N_("the scores are small and close to each other, so that each key gets about 1/N")},
          {N_("all words are equal")},
          {N_("the softmax is not computed before training")}},
     .why = N_("The maps are random: no query fits one key better than the others.")},
    {0},
};

const sac_lesson_class sac_lesson_untrained_averages = {
    .name = "untrained-averages",
    .title = N_("Untrained attention is an average"),
    .summary = N_("why all rows look alike, and how training moves them apart"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
