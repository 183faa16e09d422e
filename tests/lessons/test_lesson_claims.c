/* What the sentences of a lesson claim, computed: each claim is checked against the arrays it is about,
 * and a step whose text claims something must have its claim here. */
#include "computed.h"
#include "status.h"

typedef enum kind {
    FALLS,        /* from cell to cell, over `count` cells of `a` from `first` on */
    RISES,        /* the same */
    EQUAL,        /* as many cells of `a` and of `b` differ by at most `by` of a's largest number */
    ALIKE,        /* the same of these cells of `a` among themselves, … */
    COLUMN_ALIKE, /* … or of column `first` of `count`, by at most `by` */
    DIFFERENT,    /* some cell of `a` and of `b` differs by more than `by` */
    WITHIN,       /* all are between `by` and `to` */
    SUMS,         /* of rows of `count` cells are `by` */
    SUMS_DOWN,    /* the same of columns, `first` their number */
    ZEROS,        /* there are `by` cells that are exactly 0 */
    LARGEST,      /* of `count` cells from `first` on the one at `by` */
    LARGER,       /* each cell of `a` is larger than `by` times that of `b` */
} kind;

/* count 0: all cells. */
static const struct claim {
    const char *lesson, *settings, *step;
    kind kind;
    const char *a, *b;
    size_t first, count;
    double by, to;
} claims[] = {
    /* clang-format off */
{"positions", "", "waves", LARGER, "wavelengths", NULL, 0, 1, 0, 0},
{"positions", "", "distance", FALLS, "dot_by_distance", NULL, 0, 4, 0, 0},
{"positions", "", "distance", RISES, "dot_by_distance", NULL, 3, 4, 0, 0},
{"positions", "", "distance", FALLS, "dot_by_distance", NULL, 6, 4, 0, 0},
{"positions", "", "distance", LARGEST, "dot_by_distance", NULL, 0, 12, 0, 0},
{"positions", "d=512 length=11", "distance", FALLS, "dot_by_distance", NULL, 0, 8, 0, 0},
{"why-scale", "", "two scores", WITHIN, "near.weights", NULL, 1, 1, 0.88, 0.89},
{"why-scale", "", "gradient", WITHIN, "far.gradient", NULL, 0, 2, 2.06e-9, 2.062e-9},
{"why-scale", "", "gradient", ALIKE, "far.gradient", NULL, 0, 2, 1e-6, 0},
{"why-scale", "", "gradient", ALIKE, "near.gradient", NULL, 0, 2, 1e-6, 0},
{"why-scale", "", "gradient", LARGER, "near.gradient", "far.gradient", 0, 2, 5e7, 0},
{"why-scale", "", "variance", WITHIN, "scaled_variance", NULL, 0, 1, 1.9, 2.1},
{"why-scale", "d=512", "variance", WITHIN, "scaled_variance", NULL, 0, 1, 1.9, 2.1},
{"why-scale", "d=512", "8 keys", WITHIN, "largest", NULL, 0, 1, 0.9, 1},
{"why-scale", "", "8 keys", LARGER, "scaled_gradient", "gradient", 0, 1, 4, 0},
{"why-scale", "d=512", "8 keys", WITHIN, "scaled_largest", NULL, 0, 1, 0.35, 0.37},
{"why-scale", "d=1024", "8 keys", WITHIN, "gradient", NULL, 0, 1, 0, 0.008},
{"why-scale", "", "8 keys", WITHIN, "scaled_largest", NULL, 0, 1, 0.35, 0.37},
{"scores", "", "dot", LARGEST, "weights.dot", NULL, 0, 5, 1, 0},
{"scores", "", "scaled dot", LARGEST, "weights.scaled-dot", NULL, 0, 5, 1, 0},
{"scores", "", "scaled dot", LARGER, "weights.dot", "weights.scaled-dot", 1, 1, 1.1, 0},
{"scores", "", "additive", LARGEST, "weights.additive", NULL, 0, 5, 4, 0},
{"scores", "", "bilinear", LARGEST, "weights.bilinear", NULL, 0, 5, 2, 0},
{"scores", "", "gaussian", LARGEST, "weights.gaussian", NULL, 0, 5, 0, 0},
{"scores", "equal=1", "dot", WITHIN, "weights.dot", NULL, 0, 0, 0.0999, 0.1001},
{"permutation", "", "self-attention", EQUAL, "output_of_PX", "P_output", 0, 0, 1e-6, 0},
{"permutation", "positions=1", "self-attention", DIFFERENT, "output_of_PX", "P_output", 0, 0, 0.01, 0},
{"permutation", "", "from outside", EQUAL, "c", "c_of_PX", 0, 0, 1e-6, 0},
{"permutation", "positions=1", "from outside", DIFFERENT, "c", "c_of_PX", 0, 0, 0.01, 0},
{"masks", "", "causal mask", ZEROS, "sequence_mask", NULL, 0, 25, 15, 0},
{"masks", "", "joined", ZEROS, "mask", NULL, 0, 25, 12, 0},
{"masks", "", "joined", ZEROS, "mask", NULL, 25, 25, 5, 0},
{"masks", "", "joined", ZEROS, "mask", NULL, 50, 10, 0, 0},
{"masks", "", "joined", ZEROS, "mask", NULL, 50, 25, 6, 0},
{"masks", "", "weights", ZEROS, "weights", NULL, 50, 10, 10, 0},
{"masks", "", "weights", ZEROS, "weights", NULL, 0, 25, 13, 0},
{"mask-conventions", "", "true blocks", ZEROS, "weights", NULL, 0, 16, 6, 0},
{"mask-conventions", "wrong=1", "true is kept", ZEROS, "weights", NULL, 12, 4, 4, 0},
{"mask-conventions", "", "added", EQUAL, "weights.float", "weights", 0, 0, 0, 0},
{"alignment", "", "diagonal", LARGEST, "a.diagonal", NULL, 0, 4, 0, 0},
{"alignment", "", "diagonal", LARGEST, "a.diagonal", NULL, 12, 4, 3, 0},
{"alignment", "", "reversed", LARGEST, "a.reversed", NULL, 0, 3, 2, 0},
{"alignment", "", "two on one", LARGER, "a.two_on_one", NULL, 0, 1, 0, 0},
{"alignment", "", "certainty", WITHIN, "words_seen", NULL, 8, 1, 1.8, 2.2},
{"alignment", "", "certainty", WITHIN, "words_seen", NULL, 0, 3, 1, 1.2},
{"self-attention", "", "weights", WITHIN, "weights", NULL, 0, 0, 0.15, 0.35},
{"self-attention", "", "weights", SUMS, "weights", NULL, 0, 4, 1, 0},
{"self-attention", "", "output", WITHIN, "output", NULL, 0, 0, -1, 1},
{"self-attention", "", "trained", LARGEST, "head.weights", NULL, 0, 8, 2, 0},
{"self-attention", "", "trained", LARGEST, "head.weights", NULL, 8, 8, 2, 0},
{"self-attention", "", "trained", LARGEST, "head.weights", NULL, 32, 8, 3, 0},
{"self-attention", "", "trained", LARGEST, "head.weights", NULL, 40, 8, 6, 0},
{"multi-head", "", "attend", WITHIN, "weights", NULL, 0, 0, 0.18, 0.32},
{"multi-head", "", "trained heads", LARGEST, "trained.weights", NULL, 0, 8, 2, 0},
{"multi-head", "", "trained heads", LARGEST, "trained.weights", NULL, 32, 8, 3, 0},
{"multi-head", "", "trained heads", LARGEST, "trained.weights", NULL, 40, 8, 6, 0},
{"multi-head", "", "trained heads", LARGEST, "trained.weights", NULL, 64, 8, 0, 0},
{"multi-head", "", "trained heads", LARGEST, "trained.weights", NULL, 112, 8, 7, 0},
{"sharper-than-softmax", "", "softmax", ZEROS, "softmax", NULL, 0, 5, 0, 0},
{"sharper-than-softmax", "", "sort", FALLS, "sorted", NULL, 0, 5, 0, 0},
{"sharper-than-softmax", "", "threshold", RISES, "thresholds", NULL, 0, 2, 0, 0},
{"sharper-than-softmax", "", "threshold", LARGEST, "thresholds", NULL, 0, 5, 1, 0},
{"sharper-than-softmax", "", "threshold", FALLS, "thresholds", NULL, 1, 4, 0, 0},
{"sharper-than-softmax", "", "threshold", LARGER, "sorted", "thresholds", 0, 2, 1, 0},
{"sharper-than-softmax", "", "threshold", LARGER, "thresholds", "sorted", 2, 3, 1, 0},
{"sharper-than-softmax", "", "sparsemax", SUMS, "sparsemax", NULL, 0, 5, 1, 0},
{"sharper-than-softmax", "", "sparsemax", ZEROS, "sparsemax", NULL, 0, 5, 3, 0},
{"sharper-than-softmax", "", "1.5-entmax", SUMS, "entmax15", NULL, 0, 5, 1, 0},
{"sharper-than-softmax", "", "1.5-entmax", ZEROS, "entmax15", NULL, 0, 5, 2, 0},
{"sharper-than-softmax", "", "1.5-entmax", WITHIN, "entmax15", NULL, 0, 1, 0.01, 0.1},
{"sharper-than-softmax", "", "1.5-entmax", LARGER, "tau", "entmax15.tau", 0, 1, 1, 0},
{"sharper-than-softmax", "", "side by side", LARGEST, "softmax", NULL, 0, 5, 2, 0},
{"sharper-than-softmax", "", "side by side", LARGER, "entmax15", "softmax", 2, 1, 1, 0},
{"sharper-than-softmax", "", "side by side", LARGER, "sparsemax", "entmax15", 2, 1, 1, 0},
{"sharper-than-softmax", "temperature=0.3", "temperature", LARGER, "scaled.softmax", "softmax", 2, 1, 1.5, 0},
{"sharper-than-softmax", "temperature=0.3", "temperature", ZEROS, "scaled.softmax", NULL, 0, 5, 0, 0},
{"sharper-than-softmax", "temperature=0.3", "temperature", ZEROS, "scaled.entmax15", NULL, 0, 5, 3, 0},
{"sharper-than-softmax", "temperature=0.3", "temperature", ZEROS, "scaled.sparsemax", NULL, 0, 5, 4, 0},
{"sharper-than-softmax", "temperature=8", "temperature", ZEROS, "scaled.sparsemax", NULL, 0, 5, 0, 0},
{"sharper-than-softmax", "", "gradient", ZEROS, "slopes.softmax", NULL, 0, 25, 0, 0},
{"sharper-than-softmax", "", "gradient", ZEROS, "slopes.sparsemax", NULL, 0, 25, 21, 0},
{"sharper-than-softmax", "", "gradient", ZEROS, "slopes.sparsemax", NULL, 15, 10, 10, 0},
{"kernel-regression", "", "scores", LARGEST, "scores", NULL, 0, 5, 2, 0},
{"kernel-regression", "query=2", "scores", WITHIN, "scores", NULL, 2, 1, 0, 0},
{"kernel-regression", "query=2", "scores", RISES, "scores", NULL, 0, 3, 0, 0},
{"kernel-regression", "query=2", "scores", FALLS, "scores", NULL, 2, 3, 0, 0},
{"kernel-regression", "", "weights", SUMS, "weights", NULL, 0, 5, 1, 0},
{"kernel-regression", "w=0.01", "weights", WITHIN, "weights", NULL, 0, 5, 0.1999, 0.2001},
{"kernel-regression", "query=1.2 w=10", "weights", WITHIN, "weights", NULL, 1, 1, 0.99, 1},
{"similarity", "", "dot", LARGEST, "weights.dot", NULL, 0, 3, 1, 0},
{"similarity", "unit=1", "dot", LARGEST, "weights.dot", NULL, 0, 3, 0, 0},
{"similarity", "", "cosine", LARGEST, "score.cosine", NULL, 0, 3, 0, 0},
{"similarity", "", "dot", LARGEST, "score.cosine", NULL, 0, 3, 0, 0},
{"similarity", "unit=1", "gaussian", EQUAL, "weights.gaussian", "weights.dot", 0, 3, 1e-6, 0},
{"generating", "", "next word", LARGEST, "p", NULL, 49, 7, 0, 0},
{"generating", "", "beam", LARGEST, "candidates.1", NULL, 0, 21, 10, 0},
{"generating", "", "found", LARGER, "best.total", "greedy.total", 0, 0, 2, 0},
{"generating", "", "found", LARGER, "greedy.p", "best.p", 0, 1, 1, 0},
{"generating", "", "length", LARGER, "long.bits", "short.bits", 0, 0, 1, 0},
{"generating", "", "length", LARGER, "short.per_word", "long.per_word", 0, 0, 1, 0},
{"path-length", "", "one step", ZEROS, "recurrence", NULL, 0, 64, 49, 0},
{"path-length", "", "one step", ZEROS, "convolution", NULL, 0, 64, 30, 0},
{"path-length", "", "one step", ZEROS, "attention", NULL, 0, 64, 0, 0},
{"path-length", "", "path", WITHIN, "path.attention", NULL, 0, 7, 1, 1},
{"path-length", "", "path", WITHIN, "path.recurrence", NULL, 0, 1, 7, 7},
{"path-length", "", "operations", LARGER, "millions.recurrence", "millions.attention", 0, 0, 1, 0},
{"path-length", "n=257", "operations", LARGER, "millions.attention", "millions.recurrence", 0, 0, 1, 0},
{"path-length", "", "waiting", WITHIN, "sequential", NULL, 1, 2, 1, 1},
{"kept-keys", "", "one row", LARGEST, "p", NULL, 0, 5, 3, 0},
{"kept-keys", "", "the same", EQUAL, "p", "P.last", 0, 0, 0, 0},
{"kept-keys", "t=3", "the same", EQUAL, "y", "Y.last", 0, 0, 0, 0},
{"kept-keys", "", "why it may", EQUAL, "before", "after", 0, 0, 0, 0},
{"kept-keys", "causal=0", "why it may", DIFFERENT, "before", "after", 0, 0, 0.1, 0},
{"kept-keys", "", "work", WITHIN, "saved", NULL, 0, 1, 2048.5, 2048.5},
{"kept-keys", "", "memory", LARGER, "megabytes", NULL, 0, 0, 0, 0},
{"cost", "timed=4", "parameters", ZEROS, "parameters", NULL, 0, 2, 2, 0},
{"cost", "timed=4", "parameters", WITHIN, "parameters", NULL, 4, 1, 1, 1},
{"cost", "timed=4", "memory", WITHIN, "numbers_a_pair", NULL, 2, 1, 8, 8},
{"cost", "timed=4", "memory", WITHIN, "numbers_a_pair", NULL, 4, 1, 1, 1},
{"mask-conventions", "", "true is kept", ZEROS, "weights.confused", NULL, 0, 16, 10, 0},
{"step-by-step", "", "scores", LARGEST, "scores", NULL, 6, 3, 2, 0},
{"step-by-step", "", "scale", LARGER, "scores", "scaled", 8, 1, 1.4, 0},
{"step-by-step", "", "mask", ZEROS, "blocked", NULL, 0, 9, 6, 0},
{"step-by-step", "", "softmax", SUMS, "weights", NULL, 0, 3, 1, 0},
{"step-by-step", "", "softmax", ZEROS, "weights", NULL, 0, 9, 3, 0},
{"step-by-step", "", "output", WITHIN, "output", NULL, 0, 3, 1, 3},
{"image-as-set", "", "scores", COLUMN_ALIKE, "E", NULL, 4, 9, 1e-5, 0},
{"image-as-set", "", "softmax", SUMS_DOWN, "A", NULL, 9, 0, 1, 0},
{"image-as-set", "", "the other way", SUMS, "A.dim1", NULL, 0, 9, 1, 0},
{"image-as-set", "", "the other way", WITHIN, "sums.dim0", NULL, 0, 9, 0.9999, 1.0001},
{"image-as-set", "", "the other way", WITHIN, "sums.dim1", NULL, 2, 1, 23.45, 23.55},
{"image-as-set", "", "the other way", WITHIN, "sums.dim1", NULL, 3, 1, 0, 0.5},
{"image-as-set", "", "output", COLUMN_ALIKE, "A", NULL, 0, 9, 1e-6, 0},
{"image-as-set", "", "output", WITHIN, "Y", NULL, 9, 1, 0.49999, 0.50001},
{"caption-step", "", "grid", LARGEST, "h", NULL, 131 * 3, 3, 0, 0},
{"caption-step", "", "grid", WITHIN, "v", NULL, 0, 3, -0.1, 0.1},
{"caption-step", "word=9", "scores", LARGEST, "e", NULL, 14 * 7, 14, 9, 0},
{"caption-step", "", "weights", SUMS, "a.row", NULL, 0, 196, 1, 0},
{"caption-step", "", "context", LARGEST, "c", NULL, 0, 3, 0, 0},
{"caption-step", "word=9", "context", LARGEST, "c", NULL, 0, 3, 1, 0},
{"caption-step", "word=14", "context", LARGEST, "c", NULL, 0, 3, 2, 0},
{"caption-step", "", "next word", WITHIN, "p.next", NULL, 0, 1, 0.99, 1},
{"caption-step", "", "next word", WITHIN, "p.next", NULL, 6, 6, 0, 0.3},
{"caption-step", "", "one vector", WITHIN, "p.right^T", NULL, 0, 15, 0.99, 1},
{"caption-step", "", "one vector", WITHIN, "p.right^T", NULL, 15 + 5, 2, 0.99, 1},
{"caption-step", "", "one vector", WITHIN, "p.right^T", NULL, 15 + 2, 2, 0, 0.15},
{"seq2seq", "", "scores", ALIKE, "e", NULL, 0, 2, 0, 0},
{"seq2seq", "", "scores", ZEROS, "e", NULL, 0, 4, 2, 0},
{"seq2seq", "", "weights", WITHIN, "a", NULL, 0, 2, 0.4499, 0.4501},
{"seq2seq", "attention=0", "context", EQUAL, "c", "c", 0, 0, 0, 0},
{"seq2seq", "attention=0", "context", COLUMN_ALIKE, "c", NULL, 0, 3, 0, 0},
{"seq2seq", "", "a translator", LARGEST, "translator.a", NULL, 13, 13, 1, 0},
{"seq2seq", "", "by length", WITHIN, "exact", NULL, 0, 5, 0.98, 1},
{"seq2seq", "", "by length", FALLS, "exact", NULL, 5, 5, 0, 0},
{"seq2seq", "", "by length", WITHIN, "exact", NULL, 9, 1, 0, 0},
{"untrained-averages", "", "untrained", WITHIN, "weights", NULL, 0, 0, 0.2, 0.3},
{"untrained-averages", "", "spread", LARGER, "spread.sents", "spread", 0, 2, 90, 0},
{"untrained-averages", "", "trained", EQUAL, "trained.output", "target", 0, 0, 0.1, 0},
{"untrained-averages", "", "apart", LARGER, "spread.trained", "spread", 0, 2, 90, 0},
{"untrained-averages", "", "apart", FALLS, "losses", NULL, 0, 4, 0, 0},
{"dropout", "", "before", SUMS, "weights", NULL, 0, 3, 1, 0},
{"dropout", "", "dropped", WITHIN, "sum", NULL, 0, 1, 1.2, 1.4},
{"dropout", "", "mean", EQUAL, "mean_output", "plain_output", 0, 1, 0.15, 0},
{"reshape-is-not-transpose", "", "weights", SUMS, "weights", NULL, 0, 4, 1, 0},
{"reshape-is-not-transpose", "", "influence", ZEROS, "influence", NULL, 0, 16, 8, 0},
{"reshape-is-not-transpose", "wrong=0", "influence", ZEROS, "influence", NULL, 0, 16, 0, 0},
{"five-bugs", "", "if attn_mask:", ZEROS, "weights.right", NULL, 0, 16, 6, 0},
{"five-bugs", "", "if attn_mask:", ZEROS, "weights.unmasked", NULL, 0, 64, 0, 0},
{"five-bugs", "", "uint8", WITHIN, "mask.inverted", NULL, 0, 64, 254, 255},
{"five-bugs", "", "uint8", ZEROS, "weights.inverted", NULL, 0, 64, 64, 0},
{"five-bugs", "", "view", ZEROS, "influence", NULL, 0, 16, 8, 0},
{"five-bugs", "", "repeat", WITHIN, "weights.repeat", NULL, 47, 1, 0.01, 1},
{"five-bugs", "", "// heads", LARGER, "bits.right", "bits.scale", 2, 2, 1, 0},
{"transformer-block", "", "1: encoder", ZEROS, "encoder.weights", NULL, 0, 16, 0, 0},
{"transformer-block", "", "2: decoder", WITHIN, "decoder.weights", NULL, 0, 1, 1, 1},
{"transformer-block", "", "1: encoder", LARGEST, "encoder.weights", NULL, 0, 4, 2, 0},
{"transformer-block", "", "1: encoder", LARGEST, "encoder.weights", NULL, 4, 4, 2, 0},
{"transformer-block", "", "2: decoder", ZEROS, "decoder.weights", NULL, 0, 16, 6, 0},
{"transformer-block", "", "3: across", LARGEST, "cross.weights", NULL, 4, 4, 2, 0},
{"transformer-block", "", "next word", LARGEST, "words", NULL, 6, 6, 2, 0},
{"copying-head", "", "letters", COLUMN_ALIKE, "E", NULL, 3, 32, 0, 0},
{"copying-head", "", "places", LARGEST, "before.masked", NULL, 8, 8, 0, 0},
{"copying-head", "", "places", LARGEST, "before.masked", NULL, 24, 8, 2, 0},
{"copying-head", "", "places", LARGEST, "before.masked", NULL, 56, 8, 6, 0},
{"copying-head", "", "one before", WITHIN, "before.weights", NULL, 0, 1, 1, 1},
{"copying-head", "", "one before", WITHIN, "before.weights", NULL, 26, 1, 0.9, 1},
{"copying-head", "", "one before", WITHIN, "before.weights", NULL, 62, 1, 0.9, 1},
{"copying-head", "", "a match", LARGEST, "after.masked", NULL, 32, 8, 1, 0},
{"copying-head", "", "one after", WITHIN, "after.weights", NULL, 24, 1, 0.9, 1},
{"copying-head", "", "one after", WITHIN, "after.weights", NULL, 33, 1, 0.9, 1},
{"copying-head", "", "one after", LARGEST, "after.weights", NULL, 40, 8, 2, 0},
{"copying-head", "", "one after", LARGEST, "after.weights", NULL, 48, 8, 3, 0},
{"copying-head", "", "one after", LARGEST, "after.weights", NULL, 56, 8, 4, 0},
{"copying-head", "", "a copy", WITHIN, "after.V", NULL, 0, 16, -0.7, 0.7},
{"copying-head", "", "next letter", LARGEST, "p", NULL, 16, 4, 1, 0},
{"copying-head", "", "next letter", WITHIN, "p.right", NULL, 0, 4, 0, 0.15},
{"copying-head", "", "next letter", WITHIN, "p.right", NULL, 4, 3, 0.98, 1},
{"copying-head", "first=0", "next letter", WITHIN, "p.right", NULL, 0, 7, 0, 0.15},
{"saccade", "", "acuity", FALLS, "acuity", NULL, 0, 5, 0, 0},
{"saccade", "", "acuity", WITHIN, "acuity", NULL, 4, 1, 0.09, 0.11},
{"saccade", "", "fixation", LARGEST, "sharpness", NULL, 0, 49, 16, 0},
{"saccade", "", "saccades", WITHIN, "jump", NULL, 0, 3, 0, 1},
{"saccade", "", "saccades", WITHIN, "jump", NULL, 3, 1, 4, 6},
{"when", "", "words to words", WITHIN, "words_seen", NULL, 0, 3, 1, 1.2},
{"when", "", "picture to words", WITHIN, "cells_seen", NULL, 0, 15, 1, 5},
{"when", "", "a set to itself", LARGEST, "P", NULL, 0, 8, 2, 0},
{"when", "", "a set to itself", LARGEST, "P", NULL, 8, 8, 2, 0},
    /* clang-format on */
};
enum { CLAIMS = sizeof claims / sizeof *claims };

static const sac_small_array *array_named(const sac_lesson *lesson, const char *name)
{
    sac_node node = sac_graph_find(&lesson->graph, name);
    if (!node)
        fail_msg("%s: no array %s", lesson->class->name, name);
    return &lesson->graph.arrays[node - 1];
}

static double largest_of(const sac_small_array *array)
{
    double most = 0;
    for (size_t i = 0; i < sac_small_count(array->shape); i++)
        if (isfinite(array->numbers[i]))
            most = fmax(most, fabs((double)array->numbers[i]));
    return most;
}

static bool sums_hold(const struct claim *c, const float *a, size_t count)
{
    bool down = c->kind == SUMS_DOWN;
    size_t columns = down ? c->first : c->count, rows = count / columns;
    for (size_t i = 0; i < (down ? columns : rows); i++) {
        double sum = 0;
        for (size_t k = 0; k < (down ? rows : columns); k++)
            sum += (double)a[down ? k * columns + i : i * columns + k];
        if (fabs(sum - c->by) > 1e-5)
            return false;
    }
    return true;
}

static bool is_alike(const float *a, size_t count, size_t step, double by)
{
    for (size_t i = 0; i < count; i += step)
        if (fabs((double)a[i] - (double)a[0]) > by)
            return false;
    return true;
}

static bool holds(const struct claim *c, const sac_lesson *lesson)
{
    const sac_small_array *array = array_named(lesson, c->a);
    const sac_small_array *other = c->b ? array_named(lesson, c->b) : array;
    size_t all = sac_small_count(array->shape), count = c->count ? c->count : all - c->first;
    const float *a = array->numbers + c->first, *b = other->numbers + c->first;
    size_t zeros = 0, largest = 0;
    double apart = 0;
    if (c->kind == SUMS || c->kind == SUMS_DOWN)
        return sums_hold(c, array->numbers, all);
    if (c->kind == COLUMN_ALIKE)
        return is_alike(a, all - c->first, c->count, c->by);
    if (c->kind == ALIKE)
        return is_alike(a, count, 1, c->by * largest_of(array));
    assert_true(c->first + count <= all && c->first + count <= sac_small_count(other->shape));
    for (size_t i = 0; i < count; i++) {
        if ((c->kind == FALLS && i && a[i] >= a[i - 1]) ||
            (c->kind == RISES && i && a[i] <= a[i - 1]) ||
            (c->kind == WITHIN && !((double)a[i] >= c->by && (double)a[i] <= c->to)) ||
            (c->kind == LARGER && (double)a[i] <= c->by * (double)b[i]))
            return false;
        zeros += a[i] == 0;
        largest = a[i] > a[largest] ? i : largest;
        apart = fmax(apart, a[i] == b[i] ? 0 : fabs((double)a[i] - (double)b[i]));
    }
    return c->kind == EQUAL       ? apart <= c->by * largest_of(array)
           : c->kind == DIFFERENT ? apart > c->by
           : c->kind == ZEROS     ? (double)zeros == c->by
           : c->kind == LARGEST   ? (double)largest == c->by
                                  : true;
}

static const sac_lesson_step *step_named(const sac_lesson *lesson, const char *name)
{
    for (int s = 0; s < lesson->step_count; s++)
        if (strcmp(sac_translate(SAC_IN_ENGLISH, lesson->steps[s].name), name) == 0)
            return &lesson->steps[s];
    fail_msg("%s has no step %s", lesson->class->name, name);
    return NULL;
}

static bool is_left_out(const char *lesson)
{
    return is_oclgrind() && strcmp(lesson, "why-scale") == 0; /* thousands of draws */
}

TEST(what_sentences_claim_is_so)
{
    for (size_t i = 0; i < CLAIMS; i++) {
        const struct claim *c = &claims[i];
        if (is_left_out(c->lesson))
            continue;
        const sac_lesson *lesson = c->settings[0] ? computed((asked){c->lesson, c->settings, -1})
                                                  : computed_as_it_is(c->lesson);
        step_named(lesson, c->step);
        if (!holds(c, lesson))
            fail_msg("%s, %s: claim %zu of %s does not hold", c->lesson, c->step, i, c->a);
    }
}

/* Words by which a sentence claims something about numbers. */
static bool claims_something(const char *text)
{
    static const char *const words[] = {
        " fall",    " rise",   " equal",  "the same", " larger",   " smaller", " more ", " fewer",
        " nothing", "exactly", " add up", " adds up", " times",    "sharp",    " wins",  " largest",
        " near 1",  " nearly", " is 0",   " are 0",   " smallest", "at most",  "not 0",  "zero",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

static bool has_claim(const char *lesson, const char *step)
{
    for (size_t i = 0; i < CLAIMS; i++)
        if (strcmp(claims[i].lesson, lesson) == 0 && strcmp(claims[i].step, step) == 0)
            return true;
    return false;
}

TEST(a_step_that_claims_something_has_its_claim)
{
    int missing = 0;
    for (int i = 0; sac_lessons[i]; i++) {
        const sac_lesson *lesson = computed_as_it_is(sac_lessons[i]->name);
        for (int s = 0; s < lesson->step_count; s++) {
            const sac_lesson_step *step = &lesson->steps[s];
            const char *name = sac_translate(SAC_IN_ENGLISH, step->name);
            const char *sentence = step->sentence;
            const char *notice = step->notice;
            if ((claims_something(sentence) || claims_something(notice)) &&
                !has_claim(lesson->class->name, name)) {
                print_error("%s, %s: \"%s %s\"\n", lesson->class->name, name, sentence, notice);
                missing++;
            }
        }
    }
    assert_int_equal(missing, 0);
}

/* ---------------------------------------------------------------- how much there is to read */

static int sentences_in(const char *text, sac_locale language)
{
    static const char *const ends[] = {"。", "！", "？"};
    int count = 0;
    if (language == SAC_IN_CHINESE) {
        for (size_t i = 0; i < 3; i++)
            for (const char *at = text; (at = strstr(at, ends[i])) != NULL; at++)
                count++;
        return count;
    }
    for (const char *at = text; *at; at++)
        count += strchr(".!?", *at) && (at[1] == ' ' || at[1] == '\0');
    return count;
}

TEST(a_step_has_two_sentences_at_most)
{
    int missing = 0;
    for (int i = 0; sac_lessons[i]; i++) {
        const sac_lesson *lesson = computed_as_it_is(sac_lessons[i]->name);
        for (int s = 0; s < lesson->step_count; s++)
            for (sac_locale language = 0; language < SAC_LOCALES; language++) {
                const sac_lesson_step *step = &lesson->steps[s];
                const char *sentence = sac_translate(language, step->sentence),
                           *notice = sac_translate(language, step->notice);
                int count = sentences_in(sentence, language) + sentences_in(notice, language);
                if (count > 2 || count == 0) {
                    print_error("%s, step %d has %d sentences: %s %s\n", lesson->class->name, s + 1,
                                count, sentence, notice);
                    missing++;
                }
            }
    }
    assert_int_equal(missing, 0);
}

/* ---------------------------------------------------------------- drawn queries and keys: differences grow with d unless they are
 * divided by √d, and then nothing depends on d */

/* Means over 4000 draws of 8 keys: Var(e_i − e_j), the largest weight, and p (1 − p). The figures
 * were computed in plain Python of other draws. */
static const struct draws {
    const char *d;
    float variance, largest, scaled_largest, gradient, scaled_gradient;
} draws[] = {
    {"d=1", 2, .304f, .304f, .0983f, .0983f},     {"d=4", 8, .529f, .345f, .0753f, .0965f},
    {"d=16", 32, .748f, .356f, .0435f, .0961f},   {"d=64", 128, .878f, .360f, .0217f, .0961f},
    {"d=256", 512, .937f, .361f, .0114f, .0959f}, {"d=512", 1024, .953f, .358f, .0085f, .0962f},
};

TEST(scores_over_root_d_do_not_depend_on_d)
{
    if (is_oclgrind()) /* thousands of draws */
        skip();
    for (size_t i = 0; i < sizeof draws / sizeof *draws; i++) {
        const struct draws *r = &draws[i];
        const sac_lesson *lesson = computed((asked){"why-scale", r->d, -1});
        compare(lesson, "variance", 0, &r->variance, 1, .05 * (double)r->variance);
        compare(lesson, "scaled_variance", 0, &(float){2}, 1, .1);
        compare(lesson, "largest", 0, &r->largest, 1, .01);
        compare(lesson, "scaled_largest", 0, &r->scaled_largest, 1, .01);
        compare(lesson, "gradient", 0, &r->gradient, 1, .001);
        compare(lesson, "scaled_gradient", 0, &r->scaled_gradient, 1, .001);
    }
}

TEST_MAIN(open_device, close_lessons)
