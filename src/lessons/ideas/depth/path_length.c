/* A lesson on recurrence, convolution and attention: how many steps lie between two words, how many
 * multiplications a layer takes, and how many steps must follow each other. */
#include <math.h>
#include <stdlib.h>

#include "lessons/ideas/lessons.h"

enum { WORDS = 8, CAT = 4, KINDS = 3, MOST_WORDS = 8192, POINTS = 65 };
enum { RECURRENCE, CONVOLUTION, ATTENTION };

static const sac_lesson_parameter parameters[] = {
    {"r", N_("neighbours on each side, r"), 1, WORDS - 1, 2, true},
    {"n", N_("words of the text, n"), 2, MOST_WORDS, 128, true},
    {"d", N_("numbers of a word, d"), 16, 1024, 512, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("one step"),
     .sentence = N_("What each word gets in one step: by recurrence from the word before, by "
                    "convolution from r neighbours on each side, by attention from all."),
     .formula = "A[i,j] = 1: j → i",
     .code = "i = torch.arange(8)\n"
             "apart, r = i[:, None] - i, 2\n"
             "recurrence = ((apart == 0) | (apart == 1)).float()\n"
             "convolution = (apart.abs() <= r).float()\n"
             "attention = torch.ones(8, 8)",
     .notice = N_("Row: the word that gets something; column: the word from which it comes."),
     .cell = "convolution,4,2",
     .questions = {{SAC_ASK_COUNT, 1,
                    N_("Itself, and r words on each side, where there are so many."), true}}},
    {.name = N_("path"),
     .sentence = N_("Counted: the steps from each word to the last one."),
     .formula = "Σ_s [distance > s · reach]",
     .code = "def path(A):\n"
             "    return sum((torch.matrix_power(A, s)[-1:] == 0).float() for s in range(8))\n"
             "paths = [path(A) for A in (recurrence, convolution, attention)]",
     .notice = N_("What a word learns from another one passes through all steps between them, "
                  "forward and, as a gradient, back."),
     .cell = "path.recurrence,0,0",
     .questions = {{SAC_ASK_VALUE, 1,
                    N_("The distance to the last word, divided by r and rounded up."), true}}},
    {.name = N_("operations"),
     .sentence =
         N_("Millions of multiplications for n words of d numbers; a convolution has 2r + 1 "
            "matrices, attention scores and means."),
     .formula = "n d²,  (2r + 1) n d²,  2 n² d",
     .code = "n, d = 128.0, 512.0\n"
             "millions = [n * d**2 / 1e6, (2 * r + 1) * n * d**2 / 1e6, 2 * n**2 * d / 1e6]",
     .notice = N_("Attention takes fewer than recurrence while 2n < d, and grows with the square "
                  "of n."),
     .cell = "millions.attention,0,0",
     .questions = {{SAC_ASK_VALUE, 1, N_("A matrix of d × d for each word.")}}},
    {.name = N_("waiting"),
     .sentence = N_("Steps that must follow each other in a layer, and the longest path between "
                    "two of n words."),
     .formula = "n, 1, 1;  n − 1, ⌈(n − 1) / r⌉, 1",
     .code = "sequential = [n, 1.0, 1.0]\n"
             "longest = [n - 1, math.ceil((n - 1) / r), 1.0]",
     .notice = N_("Recurrence waits for each word; a convolution computes all words at once and "
                  "needs more layers, attention one."),
     .cell = "longest,0,0"},
};

static const char *const kinds[KINDS] = {N_("recurrence"), N_("convolution"), N_("attention")};

static const char *const text[WORDS] = {"we", "see", "a", "red", "cat", "in", "the", "sun"};

typedef struct arrays {
    sac_node gets[KINDS], path[KINDS], n, millions[KINDS], sequential, longest;
} arrays;

/* Who gets something from whom in one step, and by it how many steps lie before the last word. */
static void add_paths(sac_lesson *l, arrays *a)
{
    static const char *const names[KINDS][5] = {
        {"recurrence", "recurrence.reach", "recurrence.before", "recurrence.counted",
         "path.recurrence"},
        {"convolution", "convolution.reach", "convolution.before", "convolution.counted",
         "path.convolution"},
        {"attention", "attention.reach", "attention.before", "attention.counted",
         "path.attention"}};
    sac_graph *g = &l->graph;
    const int reach[KINDS] = {1, (int)sac_lesson_value(l, "r"), WORDS};
    float distance[WORDS * WORDS], ways[WORDS * WORDS], ways_far[WORDS];
    for (int w = 0; w < WORDS * WORDS; w++)
        distance[w] = (float)(WORDS - 1 - w / WORDS);
    sac_node apart = sac_given(g, "distance", SAC_MATRIX(WORDS, WORDS), distance);
    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = 0; i < WORDS * WORDS; i++) {
            int before = i / WORDS - i % WORDS;
            ways[i] = kind == RECURRENCE ? before == 0 || before == 1 : abs(before) <= reach[kind];
        }
        for (int s = 0; s < WORDS; s++)
            ways_far[s] = (float)(s * reach[kind]);
        a->gets[kind] = sac_given(g, names[kind][0], SAC_MATRIX(WORDS, WORDS), ways);
        sac_node far = sac_given(g, names[kind][1], SAC_MATRIX(1, WORDS), ways_far);
        sac_node before = sac_binary(g, SAC_OP_ABOVE, names[kind][2], apart, far);
        sac_node counted = sac_unary(g, SAC_OP_SUM, names[kind][3], before);
        a->path[kind] = sac_transposed(g, names[kind][4], counted);
        sac_lesson_label(l, a->gets[kind], text, WORDS, text, WORDS);
        sac_lesson_label(l, a->path[kind], NULL, 0, text, WORDS);
    }
}

/* In steps, between two of n words. */
static void find_longest_paths(float n, float r, float paths[KINDS])
{
    paths[RECURRENCE] = n - 1;
    paths[CONVOLUTION] = ceilf((n - 1) / r);
    paths[ATTENTION] = 1;
}

static void add_costs(sac_lesson *l, arrays *a)
{
    sac_graph *g = &l->graph;
    const float n = sac_lesson_value(l, "n"), d = sac_lesson_value(l, "d"),
                r = sac_lesson_value(l, "r");
    const float follow[KINDS] = {n, 1, 1};
    float far[KINDS];
    find_longest_paths(n, r, far);
    a->n = sac_given(g, "n", SAC_MATRIX(1, 1), &n);
    a->millions[RECURRENCE] = sac_times(g, "millions.recurrence", a->n, d * d / 1e6f);
    a->millions[CONVOLUTION] =
        sac_times(g, "millions.convolution", a->millions[RECURRENCE], 2 * r + 1);
    sac_node pairs = sac_binary(g, SAC_OP_MULTIPLY, "n.n", a->n, a->n);
    a->millions[ATTENTION] = sac_times(g, "millions.attention", pairs, 2 * d / 1e6f);
    a->sequential = sac_given(g, "sequential", SAC_MATRIX(KINDS, 1), follow);
    a->longest = sac_given(g, "longest", SAC_MATRIX(KINDS, 1), far);
    const sac_node rows[] = {a->sequential, a->longest};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sac_lesson_label(l, rows[i], kinds, KINDS, NULL, 0);
        sac_lesson_label_terms(l, rows[i], true, false);
    }
}

static const sac_mark_ink inks[KINDS] = {SAC_INK_BLUE, SAC_INK_GREEN, SAC_INK_ACCENT};

static void draw_paths(sac_lesson *l, const arrays *a)
{
    sac_lesson_drawing ways = {.kind = SAC_DRAWS_MATRIX, .part = 0.6f};
    sac_lesson_drawing bars = {.panel_count = 1,
                               .panels = {{.title = N_("Steps to the last word"),
                                           .x = NC_("words", "from"),
                                           .categories = a->path[RECURRENCE]}}};
    static const char *const names[KINDS] = {"recurrence.cat", "convolution.cat", "attention.cat"};
    for (int kind = 0; kind < KINDS; kind++) {
        sac_node gets = sac_sliced(&l->graph, names[kind], a->gets[kind], CAT, 1);
        sac_lesson_label(l, gets, text + CAT, 1, text, WORDS);
        ways.panels[ways.panel_count++] = (sac_drawing_panel){
            .title = kinds[kind], .y = NC_("words", "to"), .x = NC_("words", "from")};
        ways.marks[ways.mark_count++] = (sac_drawing_mark){SAC_MARK_CELLS, kind, .y = gets};
        bars.marks[bars.mark_count++] = (sac_drawing_mark){SAC_MARK_BARS, 0, .y = a->path[kind],
                                                           .ink = inks[kind], .name = kinds[kind]};
    }
    sac_lesson_add_drawing(l, &ways, 0, 0);
    sac_lesson_add_drawing(l, &bars, 1, 1);
}

/* Multiplications, and the longest path, over the number of words. */
static void draw_curves(sac_lesson *l, const arrays *a)
{
    sac_graph *g = &l->graph;
    float words[POINTS], paths_at[KINDS], far[KINDS][POINTS];
    const float d = sac_lesson_value(l, "d"), r = sac_lesson_value(l, "r");
    for (int i = 0; i < POINTS; i++) {
        words[i] = roundf(2 * powf(MOST_WORDS / 2.0f, (float)i / (POINTS - 1)));
        find_longest_paths(words[i], r, paths_at);
        for (int kind = 0; kind < KINDS; kind++)
            far[kind][i] = paths_at[kind];
    }
    sac_node over = sac_given(g, "words.axis", SAC_MATRIX(1, POINTS), words);
    sac_node pairs = sac_binary(g, SAC_OP_MULTIPLY, "words.pairs", over, over);
    const sac_node millions[KINDS] = {
        sac_times(g, "words.recurrence", over, d * d / 1e6f),
        sac_times(g, "words.convolution", over, (2 * r + 1) * d * d / 1e6f),
        sac_times(g, "words.attention", pairs, 2 * d / 1e6f)};
    static const char *const names[KINDS] = {"path.over.recurrence", "path.over.convolution",
                                             "path.over.attention"};
    sac_lesson_drawing work = {
        .panel_count = 1,
        .panels = {{.title = N_("Millions of multiplications"),
                    .x = N_("words"),
                    .x_low = 2,
                    .x_high = MOST_WORDS,
                    .x_by_ratio = true,
                    .y_by_ratio = true}},
        .mark_count = 1,
        .marks = {{SAC_MARK_RULE, .x = a->n, .ink = SAC_INK_FAINT}},
        .handle_count = 1,
        .handles = {{.x = {a->n, 0},
                     .y = {a->millions[ATTENTION], 0},
                     .sets_x = {.parameter = "n"},
                     .does = N_("Drag the words: twice as many take four times the "
                                "multiplications of attention.")}}};
    sac_lesson_drawing paths = work;
    paths.panels[0].title = N_("The longest path, in steps");
    paths.handles[0].y = (sac_operand){a->longest, RECURRENCE};
    paths.handles[0].does =
        N_("Drag the words: only the path of attention does not grow with them.");
    for (int kind = 0; kind < KINDS; kind++) {
        sac_drawing_mark line = {SAC_MARK_LINE, .x = over, .y = millions[kind], .ink = inks[kind],
                                 .name = kinds[kind]};
        work.marks[work.mark_count++] = line;
        line.y = sac_given(g, names[kind], SAC_MATRIX(1, POINTS), far[kind]);
        paths.marks[paths.mark_count++] = line;
    }
    sac_lesson_add_drawing(l, &work, 2, 2);
    sac_lesson_add_drawing(l, &paths, 3, 3);
}

static void build(sac_lesson *l)
{
    arrays a = {0};
    add_paths(l, &a);
    add_costs(l, &a);
    SAC_LESSON_STEP(l, steps[0], a.gets[RECURRENCE], a.gets[CONVOLUTION], a.gets[ATTENTION]);
    SAC_LESSON_STEP(l, steps[1], a.path[RECURRENCE], a.path[CONVOLUTION], a.path[ATTENTION]);
    SAC_LESSON_STEP(l, steps[2], a.n, a.millions[RECURRENCE], a.millions[CONVOLUTION],
                    a.millions[ATTENTION]);
    SAC_LESSON_STEP(l, steps[3], a.sequential, a.longest);
    draw_paths(l, &a);
    draw_curves(l, &a);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("The convolution sees 4 neighbours on each side in place of 2. What happens to "
                "its longest path?"),
     .cell = "longest,1,0",
     .after = "r=4",
     .why = N_("Each step reaches twice as far, and takes more multiplications for it.")},
    {.kind = SAC_ASK_WAY,
     .text = N_("The text is twice as long. What happens to the longest path of attention?"),
     .cell = "longest,2,0",
     .after = "n=256",
     .why = N_("Every word sees every other one in one step, however long the text is.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("Why can a recurrent layer not compute all words at once?"),
     .cell = "sequential,0,0",
     .reasons = {{N_("each word needs the state that the word before has left")},
                 {N_("it takes more multiplications than all others"), "millions.recurrence,0,0",
                  '>', "millions.convolution,0,0"},
                 {N_("its path is the shortest"), "longest,0,0", '<', "longest,2,0"}},
     .why =
         N_("In training that costs more time than the multiplications: a device waits n times.")},
    {0},
};

const sac_lesson_class sac_lesson_path_length = {
    .name = "path-length",
    .title = N_("Recurrence, convolution, attention"),
    .summary = N_("steps between two words, multiplications, and what must wait"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
