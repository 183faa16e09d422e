/* A lesson on generating a text: probabilities of the next word by a table for the last one, the most probable word
 * each time, a beam of three, and what the length of a text does to its probability. */
#include <math.h>
#include <stdio.h>

#include "lessons/ideas/lessons.h"

#define NEVER (-INFINITY) /* the score of a word that cannot come */

enum { WORDS = 7, LAST = WORDS + 1, BEAM = 3, LENGTH = 4, END = WORDS - 1, START = WORDS };

static const sac_lesson_parameter parameters[] = {
    {"temperature", N_("temperature"), 0.25f, 4, 1, false},
    {"t", N_("word that is chosen"), 2, LENGTH, 2, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("next word"),
     .sentence = N_("A model scores each word as the next one, here by the last word alone; the "
                    "softmax makes probabilities of the scores."),
     .formula = "p(next | last) = softmax(logits / T)",
     .code = "p = (logits / T).softmax(-1)",
     .notice = N_("A low temperature leaves the best word alone, a high one makes all alike."),
     .cell = "p,7,0",
     .questions = {{SAC_ASK_LARGEST, 1, N_("The word with the largest score in its row.")}}},
    {.name = N_("greedy"),
     .sentence = N_("The most probable word is taken each time, until the full stop; the product "
                    "is the probability of the text."),
     .formula = "w_t = argmax p(w | w_{t−1})",
     .code = "last, greedy_p = START, []\n"
             "for t in range(4):\n"
             "    greedy_p.append(p[last].max())\n"
             "    last = p[last].argmax()\n"
             "greedy_total = torch.stack(greedy_p).prod()",
     .notice = N_("A first word that is good may lead to words that are not.")},
    {.name = N_("beam"),
     .sentence = N_("The three most probable beginnings are kept, each is multiplied by the "
                    "probabilities of its next words, and of all these the best three stay."),
     .formula = "P(w_1 … w_t) = P(w_1 … w_{t−1}) p(w_t | w_{t−1})",
     .code = "so_far, last = p[START].topk(3)\n"
             "candidates = so_far[:, None] * p[last]",
     .notice = N_("Those under the curtain are dropped."),
     .questions = {{SAC_ASK_VALUE, 2, N_("The beginning times its next word.")}}},
    {.name = N_("found"),
     .sentence = N_("The text that greedy search found, and the best one of the beam."),
     .formula = "P = Π p",
     .code = "best_total = torch.stack([p[START, 1], p[1, 3], p[3, 4], p[4, 6]]).prod()",
     .notice = N_("The beam's begins with a word that is less probable, and is more probable as a "
                  "whole."),
     .cell = "best.total,0,0"},
    {.name = N_("length"),
     .sentence = N_("A text and a longer one, in bits: −log₂ of the probability."),
     .formula = "bits = −Σ log₂ p,  bits / n",
     .code = "short, long = p[[START, 0, 2], [0, 2, 6]], p[[START, 0, 2, 5], [0, 2, 5, 6]]\n"
             "short_bits, long_bits = -short.log2().sum(), -long.log2().sum()\n"
             "short_per_word, long_per_word = short_bits / 3, long_bits / 4",
     .notice =
         N_("Each word adds bits, so that search prefers short texts; divided by the number of "
            "words, the longer one is better."),
     .cell = "long.per_word,0,0"},
};

static const char *const words[LAST] = {"a",     "the",    "cat", "bird",
                                        "sings", "sleeps", ".",   "<start>"};

/* Where the search is after each word: the words that were last, and the cell of the candidates that each was. */
typedef struct beam {
    int last[BEAM], cell[BEAM], from[BEAM], count;
} beam;

typedef struct arrays {
    sac_node logits, p;
    sac_node greedy, greedy_p, greedy_total;
    sac_node so_far[LENGTH], next[LENGTH], candidates[LENGTH], dropped[LENGTH];
    sac_node best_p, best_total;
    sac_node short_p, long_p, short_bits, long_bits, short_per_word, long_per_word;
} arrays;

/* The same probabilities as the device's, by which the search decides before anything is computed. */
static void find_probabilities(const float *logits, float temperature, double p[LAST][WORDS])
{
    for (int r = 0; r < LAST; r++) {
        double most = -INFINITY, sum = 0;
        for (int c = 0; c < WORDS; c++)
            most = fmax(most, (double)logits[r * WORDS + c]);
        for (int c = 0; c < WORDS; c++)
            sum += p[r][c] = exp(((double)logits[r * WORDS + c] - most) / (double)temperature);
        for (int c = 0; c < WORDS; c++)
            p[r][c] /= sum;
    }
}

/* Cells of p [LAST,WORDS] along these words, [1,LENGTH]. */
static sac_node follow(sac_lesson *l, const char *name, sac_node p, const int path[LENGTH])
{
    const char **labels = sac_lesson_own_labels(l, LENGTH);
    int index[LENGTH], last = START;
    for (int t = 0; t < LENGTH; t++) {
        index[t] = last * WORDS + path[t];
        last = path[t];
        if (labels)
            labels[t] = words[path[t]];
    }
    sac_node node = sac_gather(&l->graph, name, p, SAC_MATRIX(1, LENGTH), index);
    sac_lesson_label(l, node, NULL, 0, labels, LENGTH);
    return node;
}

/* The product of the numbers of a row, one after the other. */
static sac_node multiply_all(sac_graph *g, const char *name, sac_node row)
{
    char part[32];
    sac_node product = 0;
    for (int i = 0; i < LENGTH; i++) {
        snprintf(part, sizeof part, "%s.p%d", name, i);
        sac_node factor = sac_gather(g, part, row, SAC_MATRIX(1, 1), &i);
        snprintf(part, sizeof part, "%s.to%d", name, i);
        product =
            i == 0 ? factor
                   : sac_binary(g, SAC_OP_MULTIPLY, i + 1 < LENGTH ? part : name, product, factor);
    }
    return product;
}

/* −Σ log2 p of a row: the entropy of each number alone is −p log2 p. */
static sac_node count_bits(sac_graph *g, const char *name, sac_node row)
{
    char part[4][32];
    static const char *const parts[] = {"column", "shares", "each", "row"};
    for (int i = 0; i < 4; i++)
        snprintf(part[i], sizeof part[i], "%s.%s", name, parts[i]);
    sac_node column = sac_transposed(g, part[0], row);
    sac_node shares = sac_unary(g, SAC_OP_ENTROPY, part[1], column);
    sac_node each = sac_binary(g, SAC_OP_DIVIDE, part[2], shares, column);
    return sac_unary(g, SAC_OP_SUM, name, sac_transposed(g, part[3], each));
}

/* ---------------------------------------------------------------- the search */

static void take_best(const double *candidates, int rows, beam *next)
{
    next->count = 0;
    for (int n = 0; n < BEAM; n++) {
        int best = -1;
        for (int i = 0; i < rows * WORDS; i++) {
            bool taken = false;
            for (int k = 0; k < n; k++)
                taken |= next->cell[k] == i;
            if (!taken && (best < 0 || candidates[i] > candidates[best]))
                best = i;
        }
        next->cell[next->count] = best;
        next->from[next->count] = best / WORDS;
        next->last[next->count++] = best % WORDS;
    }
}

/* The words of the best text of all, and those of the most probable word each time. */
static void search(double p[LAST][WORDS], beam beams[LENGTH], int best[LENGTH], int greedy[LENGTH])
{
    double total[BEAM] = {1}, candidates[BEAM * WORDS];
    int last = START, at = 0;
    for (int t = 0; t < LENGTH; t++) {
        int rows = t ? BEAM : 1, most = 0;
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < WORDS; c++)
                candidates[r * WORDS + c] = total[r] * p[t ? beams[t - 1].last[r] : START][c];
        take_best(candidates, rows, &beams[t]);
        for (int r = 0; r < BEAM; r++)
            total[r] = candidates[beams[t].cell[r]];
        for (int c = 1; c < WORDS; c++)
            most = p[last][c] > p[last][most] ? c : most;
        last = greedy[t] = most;
    }
    for (int t = LENGTH - 1; t >= 0; t--) {
        best[t] = beams[t].last[at];
        at = beams[t].from[at];
    }
}

/* The candidates of word t, from the three beginnings that are kept before it; 1 in `dropped` where one is not among
 * the best three. */
static void add_candidates(sac_lesson *l, arrays *a, const beam beams[LENGTH], int t)
{
    sac_graph *g = &l->graph;
    const beam *before = &beams[t - 1];
    const char **labels = sac_lesson_own_labels(l, BEAM);
    char name[32];
    int rows[BEAM * WORDS], from[BEAM];
    float dropped[BEAM * WORDS];
    for (int r = 0; r < BEAM; r++) {
        from[r] = t == 1 ? START * WORDS + before->cell[r] : before->cell[r];
        if (labels)
            labels[r] = words[before->last[r]];
        for (int c = 0; c < WORDS; c++) {
            rows[r * WORDS + c] = before->last[r] * WORDS + c;
            dropped[r * WORDS + c] = 1;
        }
    }
    for (int r = 0; r < BEAM; r++)
        dropped[beams[t].cell[r]] = 0;
    snprintf(name, sizeof name, "so_far.%d", t);
    a->so_far[t] =
        sac_gather(g, name, t == 1 ? a->p : a->candidates[t - 1], SAC_MATRIX(BEAM, 1), from);
    snprintf(name, sizeof name, "next.%d", t);
    a->next[t] = sac_gather(g, name, a->p, SAC_MATRIX(BEAM, WORDS), rows);
    snprintf(name, sizeof name, "candidates.%d", t);
    a->candidates[t] = sac_binary(g, SAC_OP_MULTIPLY, name, a->next[t], a->so_far[t]);
    snprintf(name, sizeof name, "dropped.%d", t);
    a->dropped[t] = sac_given(g, name, SAC_MATRIX(BEAM, WORDS), dropped);
    sac_lesson_label(l, a->so_far[t], labels, BEAM, NULL, 0);
    sac_lesson_label(l, a->next[t], labels, BEAM, words, WORDS);
    sac_lesson_label(l, a->candidates[t], labels, BEAM, words, WORDS);
}

static void add_arrays(sac_lesson *l, arrays *a)
{
    static const float scores[LAST * WORDS] = {
        /* clang-format off */
        -1, -1, 2, 1.9f, -1, -1, -1,          /* a: cat, bird */
        -1, -1, 1, 3.5f, -1, -1, -1,          /* the: bird */
        -1, -1, -1, -1, 1.3f, 1.5f, 1.6f,     /* cat: sings, sleeps, or the end */
        -1, -1, -1, -1, 3.5f, 0.5f, 0.5f,     /* bird: sings */
        -1, -1, -1, -1, -1, -1, 4,            /* sings: the end */
        -1, -1, -1, -1, -1, -1, 4,            /* sleeps: the end */
        NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, 4, /* behind the end nothing else comes */
        3, 2.6f, -1.5f, -2, -2, -2, -2,       /* the beginning: a, the */
        /* clang-format on */
    };
    static const int cat[LENGTH] = {0, 2, END, END}, cat_sleeps[LENGTH] = {0, 2, 5, END};
    sac_graph *g = &l->graph;
    float temperature = sac_lesson_value(l, "temperature");
    double p[LAST][WORDS];
    beam beams[LENGTH];
    int best[LENGTH], greedy[LENGTH], rows[LENGTH * WORDS];
    a->logits = sac_lesson_given(l, "logits", SAC_MATRIX(LAST, WORDS), scores);
    if (!a->logits)
        return;
    find_probabilities(sac_graph_array(g, a->logits)->numbers, temperature, p);
    search(p, beams, best, greedy);
    a->p = sac_softmax(g, "p", sac_times(g, "logits/T", a->logits, 1 / temperature));
    for (int i = 0; i < LENGTH * WORDS; i++)
        rows[i] = (i / WORDS ? greedy[i / WORDS - 1] : START) * WORDS + i % WORDS;
    const char **labels = sac_lesson_own_labels(l, LENGTH);
    for (int t = 0; labels && t < LENGTH; t++)
        labels[t] = words[t ? greedy[t - 1] : START];
    a->greedy = sac_gather(g, "rows", a->p, SAC_MATRIX(LENGTH, WORDS), rows);
    a->greedy_p = follow(l, "greedy.p", a->p, greedy);
    a->greedy_total = multiply_all(g, "greedy.total", a->greedy_p);
    for (int t = 1; t < LENGTH; t++)
        add_candidates(l, a, beams, t);
    a->best_p = follow(l, "best.p", a->p, best);
    a->best_total = multiply_all(g, "best.total", a->best_p);
    a->short_p = follow(l, "short.p", a->p, cat);
    a->long_p = follow(l, "long.p", a->p, cat_sleeps);
    a->short_bits = count_bits(g, "short.bits", a->short_p);
    a->long_bits = count_bits(g, "long.bits", a->long_p);
    a->short_per_word = sac_times(g, "short.per_word", a->short_bits, 1 / 3.0f);
    a->long_per_word = sac_times(g, "long.per_word", a->long_bits, 1 / 4.0f);
    sac_lesson_label(l, a->logits, words, LAST, words, WORDS);
    sac_lesson_label(l, a->p, words, LAST, words, WORDS);
    sac_lesson_label(l, a->greedy, labels, LENGTH, words, WORDS);
}

/* Which word follows which; then the candidates of a beam, those that are dropped under a curtain. */
static void add_drawings(sac_lesson *l, const arrays *a, int t)
{
    const sac_lesson_drawing bands = {
        .kind = SAC_DRAWS_BANDS,
        .panel_count = 1,
        .mark_count = 1,
        .marks = {{SAC_MARK_BANDS, .y = a->p, .name = N_("which word comes next")}}};
    sac_lesson_add_drawing(l, &bands, 0, 0);
    const sac_lesson_drawing kept = {
        .kind = SAC_DRAWS_MATRIX,
        .part = 0.42f,
        .panel_count = 1,
        .panels = {{.title = N_("the three that stay"),
                    .y = N_("last word"),
                    .x = N_("next word")}},
        .mark_count = 1,
        .marks = {{SAC_MARK_CELLS, 0, .y = a->candidates[t], .weights = a->dropped[t]}}};
    sac_lesson_add_drawing(l, &kept, 2, 2);
    const struct {
        const char *title, *first_name, *second_name;
        sac_node first, second;
    } rows[] = {
        {N_("The probability of each word"), N_("greedy"), N_("beam"), a->greedy_p, a->best_p},
        {N_("The bits of each word"), N_("short"), N_("long"),
         sac_graph_find(&l->graph, "short.bits.row"), sac_graph_find(&l->graph, "long.bits.row")}};
    for (int i = 0; i < 2; i++) {
        const sac_lesson_drawing bars = {
            .panel_count = 1,
            .panels = {{.title = rows[i].title,
                        .x = N_("word"),
                        .x_low = -0.6f,
                        .x_high = LENGTH - 0.4f}},
            .mark_count = 2,
            .marks = {{SAC_MARK_BARS, .y = rows[i].first, .ink = SAC_INK_BLUE,
                       .name = rows[i].first_name},
                      {SAC_MARK_BARS, .y = rows[i].second, .ink = SAC_INK_ACCENT,
                       .name = rows[i].second_name}}};
        sac_lesson_add_drawing(l, &bars, 3 + i, 3 + i);
    }
}

static void build(sac_lesson *l)
{
    arrays a = {0};
    int t = (int)sac_lesson_value(l, "t") - 1;
    add_arrays(l, &a);
    SAC_LESSON_STEP(l, steps[0], a.logits, a.p);
    SAC_LESSON_STEP(l, steps[1], a.greedy, a.greedy_p, a.greedy_total);
    SAC_LESSON_STEP(l, steps[2], a.so_far[t], a.next[t], a.candidates[t]);
    SAC_LESSON_STEP(l, steps[3], a.greedy_p, a.greedy_total, a.best_p, a.best_total);
    SAC_LESSON_STEP(l, steps[4], a.short_p, a.short_bits, a.short_per_word, a.long_p, a.long_bits,
                    a.long_per_word);
    if (a.p)
        add_drawings(l, &a, t);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Why does the beam find a text that greedy search does not?"),
     .cell = "best.total,0,0",
     .reasons = {{N_("it keeps a beginning that is less probable, whose next words are more so"),
                  "best.total,0,0", '>', "greedy.total,0,0"},
                 {N_("it takes the least probable word first")},
                 {N_("it looks at all texts there are")}},
     .why = N_("Greedy search cannot go back to a beginning that it did not take.")},
    {.kind = SAC_ASK_WAY,
     .text =
         N_("The temperature falls from 1 to 0.5. What happens to the probability of “a” as the "
            "first word?"),
     .cell = "p,7,0",
     .after = "temperature=0.5",
     .why = N_("Its score is the largest, and a low temperature gives the largest more.")},
    {0},
};

const sac_lesson_class sac_lesson_generating = {
    .name = "generating",
    .title = N_("Generating a text"),
    .summary = N_("the most probable word each time, a beam of three, and long texts"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
