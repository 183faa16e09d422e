/* Heads and layers brought to one map, and what is found out about a map. */

#include "sources/heads/reduce.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/utf8.h"
#include "sources/source.h"

const char *const sac_reduce_names[SAC_REDUCE_COUNT] = {"none",    "mean",      "max",     "min",
                                                        "rollout", "relevance", "contacts"};

const char *sac_reduce_name(sac_reduce reduce)
{
    return (unsigned)reduce < SAC_REDUCE_COUNT ? sac_reduce_names[reduce] : "?";
}

bool sac_reduce_from_name(const char *name, sac_reduce *reduce)
{
    for (int i = 0; i < SAC_REDUCE_COUNT; i++)
        if (strcmp(name, sac_reduce_names[i]) == 0) {
            *reduce = (sac_reduce)i;
            return true;
        }
    return false;
}

void sac_reduce_head(sac_reduce reduce, size_t index, size_t heads, const float *weights,
                     size_t count, float *total)
{
    float share = 1.0f / (float)heads;
    bool mean = reduce == SAC_REDUCE_MEAN || reduce == SAC_REDUCE_ROLLOUT;
    if (index == 0)
        for (size_t i = 0; i < count; i++)
            total[i] = mean ? weights[i] * share : weights[i];
    else if (mean)
        for (size_t i = 0; i < count; i++)
            total[i] += weights[i] * share;
    else if (reduce == SAC_REDUCE_MAX)
        for (size_t i = 0; i < count; i++)
            total[i] = weights[i] > total[i] ? weights[i] : total[i];
    else if (reduce == SAC_REDUCE_MIN)
        for (size_t i = 0; i < count; i++)
            total[i] = weights[i] < total[i] ? weights[i] : total[i];
}

/* next[i,:] += a · below[j,:] */
static void add_scaled(float *into, const float *row, float a, size_t n)
{
    for (size_t k = 0; k < n; k++)
        into[k] += a * row[k];
}

void sac_rollout_layer(const float *attention, const float *below, size_t n, float *next)
{
    memset(next, 0, n * n * sizeof *next);
    for (size_t i = 0; i < n; i++) {
        double sum = 1; /* the identity's */
        for (size_t j = 0; j < n; j++)
            sum += attention[i * n + j];
        for (size_t j = 0; j < n; j++) {
            float a = (float)((attention[i * n + j] + (i == j ? 1.0 : 0.0)) / sum);
            if (!below)
                next[i * n + j] = a;
            else if (a != 0)
                add_scaled(next + i * n, below + j * n, a, n);
        }
    }
}

void sac_relevance_layer(const float *relevance, const float *below, size_t n, float *next)
{
    for (size_t i = 0; i < n * n; i++)
        next[i] = relevance[i] + (below ? below[i] : 0);
    for (size_t i = 0; i < n * n && below; i++)
        if (relevance[i] != 0)
            add_scaled(next + i / n * n, below + i % n * n, relevance[i], n);
}

void sac_relevance_normalize(const float *relevance, size_t n, float *shown)
{
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += (double)relevance[i * n + j];
        for (size_t j = 0; j < n; j++)
            shown[i * n + j] = (float)((double)relevance[i * n + j] / (sum > 0 ? sum : 1));
    }
}

/* The larger by magnitude. */
static float larger_by_magnitude(float a, float b)
{
    return fabsf(b) > fabsf(a) ? b : a;
}

/* Rows 1 … rows−1 go into row 0: whole rows at a time, so that the compiler can use vectors. */
static void pool_rows(float *weights, size_t rows, size_t cols, sac_pool pool)
{
    for (size_t r = 1; r < rows; r++) {
        const float *row = weights + r * cols;
        if (pool == SAC_POOL_MEAN)
            for (size_t c = 0; c < cols; c++)
                weights[c] += row[c];
        else
            for (size_t c = 0; c < cols; c++)
                weights[c] = larger_by_magnitude(weights[c], row[c]);
    }
}

void sac_weights_pool(float *weights, size_t rows, size_t cols, sac_pool pool, size_t out_rows,
                      size_t out_cols, float *pooled)
{
    for (size_t r = 0; r < out_rows; r++) {
        size_t top = r * rows / out_rows, height = (r + 1) * rows / out_rows - top;
        float *band = weights + top * cols;
        pool_rows(band, height, cols, pool);
        for (size_t o = 0; o < out_cols; o++) {
            size_t from = o * cols / out_cols, to = (o + 1) * cols / out_cols;
            float total = band[from];
            for (size_t c = from + 1; c < to; c++)
                total =
                    pool == SAC_POOL_MEAN ? total + band[c] : larger_by_magnitude(total, band[c]);
            pooled[r * out_cols + o] =
                pool == SAC_POOL_MEAN ? total / (float)(height * (to - from)) : total;
        }
    }
}

void sac_weights_mask_prefix(float *weights, size_t rows, size_t cols, size_t prefix)
{
    prefix = prefix < cols ? prefix : cols;
    for (size_t r = 0; r < rows; r++, weights += cols) {
        double sum = 0;
        for (size_t c = prefix; c < cols; c++)
            sum += weights[c];
        memset(weights, 0, prefix * sizeof *weights);
        for (size_t c = prefix; c < cols; c++)
            weights[c] = sum > 0 ? (float)(weights[c] / sum) : 0.0f;
    }
}

/* ---------------------------------------------------------------- a map in a few figures */

/* A label and where it stands, for sorting. */
typedef struct placed_word {
    const char *word;
    size_t place;
} placed_word;

static int by_word(const void *a, const void *b)
{
    const placed_word *x = a, *y = b;
    int order = strcmp(x->word, y->word);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* The first column of the same word, for each. */
static size_t *index_same_words(const char *const *labels, size_t count)
{
    placed_word *sorted = calloc(count, sizeof *sorted);
    size_t *words = calloc(count, sizeof *words);
    if (!sorted || !words) {
        free(sorted);
        free(words);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        sorted[i] = (placed_word){labels[i], i};
    qsort(sorted, count, sizeof *sorted, by_word);
    for (size_t i = 0, first = 0; i < count; i++) {
        first = strcmp(sorted[i].word, sorted[first].word) == 0 ? first : i;
        words[sorted[i].place] = sorted[first].place;
    }
    free(sorted);
    return words;
}

bool sac_token_is_delimiter(const char *label)
{
    static const uint32_t marks[] = {0xab,   0xbb,   0x2013, 0x2014, 0x2018, 0x2019,
                                     0x201c, 0x201d, 0x2026, 0x3001, 0x3002, 0xff01,
                                     0xff0c, 0xff1a, 0xff1b, 0xff1f};
    static const char *const begins[] = {"·", "▁", "Ġ"};
    size_t length = strlen(label);
    if (length > 2 && ((label[0] == '[' && label[length - 1] == ']') ||
                       (label[0] == '<' && label[length - 1] == '>')))
        return true;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(label, begins[i], strlen(begins[i])) == 0)
            label += strlen(begins[i]);
    if (!*label || strncmp(label, "##", 2) == 0)
        return false;
    while (*label) {
        uint32_t code = sac_utf8_next(&label);
        bool is_mark = code < 128 && ispunct((int)code);
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
            is_mark = is_mark || code == marks[i];
        if (!is_mark)
            return false;
    }
    return true;
}

static bool *find_delimiters(const char *const *labels, size_t count)
{
    bool *found = calloc(count + 1, sizeof *found);
    for (size_t i = 1; i < count && found; i++) /* the first is a pattern by itself */
        found[i] = sac_token_is_delimiter(labels[i]);
    return found;
}

sac_status sac_weights_scan_begin(sac_weights_scan *scan, size_t rows, size_t columns,
                                  size_t row_step, const char *const *labels, sac_error *error)
{
    *scan = (sac_weights_scan){
        .stats = {.rows = rows,
                  .columns = columns,
                  .is_square = rows == columns,
                  .row_step = row_step ? row_step : 1,
                  .low = FLT_MAX,
                  .high = -FLT_MAX,
                  .near_keys = 2 * SAC_NEAR + 1},
        .column_low = malloc((columns + 1) * sizeof(float)),
        .column_high = malloc((columns + 1) * sizeof(float)),
        .row_sum = malloc((rows + 1) * sizeof(float)),
        .row_entropy = malloc((rows + 1) * sizeof(float)),
        .column_mean = calloc(columns + 1, sizeof(float)),
        .words = labels && rows == columns ? index_same_words(labels, columns) : NULL,
        .delimiters = labels && rows == columns ? find_delimiters(labels, columns) : NULL,
    };
    if (!scan->column_low || !scan->column_high || !scan->row_sum || !scan->row_entropy ||
        !scan->column_mean || (labels && rows == columns && !(scan->words && scan->delimiters))) {
        sac_weights_scan_free(scan);
        return sac_fail(error, SAC_E_MEMORY, "map", NULL, "out of memory for %zu columns", columns);
    }
    for (size_t r = 0; r < rows; r++)
        scan->row_sum[r] = scan->row_entropy[r] = NAN;
    return SAC_OK;
}

/* Of a square map words before a picture see nothing of it. */
static size_t first_gaze_row(const sac_weights_scan *scan)
{
    return scan->stats.is_square ? scan->grid_from + scan->grid_w * scan->grid_h : 0;
}

void sac_weights_scan_set_grid(sac_weights_scan *scan, size_t width, size_t height, size_t from)
{
    const sac_weights_stats *stats = &scan->stats;
    if (from > stats->columns || width * height > stats->columns - from)
        return;
    scan->grid_w = width;
    scan->grid_h = height;
    scan->grid_from = from;
    const size_t first = first_gaze_row(scan);
    if (first < stats->rows)
        sac_gaze_scan_begin(&scan->gaze, (stats->rows - first - 1) / stats->row_step + 1,
                            (int)width, (int)height, NULL);
    scan->stats.near_keys = (2 * SAC_NEAR_CELLS + 1) * (2 * SAC_NEAR_CELLS + 1);
}

/* What is of use only until all rows were read. */
static void free_scratch(sac_weights_scan *scan)
{
    free(scan->column_low);
    free(scan->column_high);
    free(scan->words);
    free(scan->delimiters);
    scan->delimiters = NULL;
    scan->column_low = scan->column_high = NULL;
    scan->words = NULL;
}

float sac_weights_scan_mean_share(const sac_weights_scan *scan)
{
    double share = 0;
    for (size_t c = 0; c < scan->stats.columns; c++)
        share += scan->column_mean[c];
    return (float)share;
}

void sac_weights_scan_free(sac_weights_scan *scan)
{
    free_scratch(scan);
    free(scan->row_sum);
    free(scan->row_entropy);
    free(scan->column_mean);
    sac_gaze_scan_free(&scan->gaze);
    scan->row_sum = scan->row_entropy = scan->column_mean = NULL;
}

static void scan_columns(sac_weights_scan *scan, const float *weights)
{
    size_t columns = scan->stats.columns;
    float *low = scan->column_low, *high = scan->column_high;
    if (scan->rows_read == 0) {
        memcpy(low, weights, columns * sizeof *low);
        memcpy(high, weights, columns * sizeof *high);
        return;
    }
    for (size_t c = 0; c < columns; c++) {
        low[c] = weights[c] < low[c] ? weights[c] : low[c];
        high[c] = weights[c] > high[c] ? weights[c] : high[c];
    }
}

/* NaN is no difference that could be the largest. */
static void scan_peak(sac_weights_scan *scan, const float *weights)
{
    sac_weights_stats *stats = &scan->stats;
    for (size_t c = 0; c < stats->columns; c++)
        if (fabsf(weights[c]) > fabsf(stats->peak)) {
            stats->peak = weights[c];
            stats->peak_row = scan->next_row;
            stats->peak_column = c;
        }
}

static void scan_finish(sac_weights_scan *scan)
{
    sac_weights_stats *stats = &scan->stats;
    double rows = (double)scan->rows_read;
    /* The first row has no key before it, the last none after. */
    double neighbours = rows > 1 ? rows - 1 : 1;
    stats->entropy = (float)(scan->entropy / rows);
    stats->distance = (float)(scan->distance / rows);
    stats->self = (float)(scan->self / rows);
    stats->previous = (float)(scan->previous / neighbours);
    stats->next = (float)(scan->next / neighbours);
    stats->first = (float)(scan->first / rows);
    for (size_t c = 0; c < stats->columns; c++) {
        float low = scan->column_low[c], high = scan->column_high[c];
        stats->low = low < stats->low ? low : stats->low;
        stats->high = high > stats->high ? high : stats->high;
        stats->spread = high - low > stats->spread ? high - low : stats->spread;
        scan->column_mean[c] /= (float)scan->rows_read;
        if (scan->column_mean[c] > stats->focus) {
            stats->focus = scan->column_mean[c];
            stats->focus_column = c;
        }
    }
    stats->possible = (float)(scan->possible / rows);
    /* Of one word in a hundred that comes again nothing is known. */
    bool alike = scan->alike_rows && 8 * scan->alike_rows >= scan->rows_read,
         repeats = scan->repeats_rows && 8 * scan->repeats_rows >= scan->rows_read;
    stats->alike = alike ? (float)(scan->alike / (double)scan->alike_rows) : 0;
    stats->repeats = repeats ? (float)(scan->repeats / (double)scan->repeats_rows) : 0;
    stats->near = (float)(scan->near / rows);
    sac_gaze_head head;
    sac_gaze_scan_finish(&scan->gaze, &head);
    sac_gaze_scan_free(&scan->gaze);
    stats->gaze = head.score;
    stats->gaze_entropy = head.entropy;
    stats->on_picture = head.on_picture;
    stats->delimiter = (float)(scan->delimiter / rows);
    double decided = sac_entropy(scan->column_mean, stats->columns) - scan->entropy / rows;
    stats->information = (float)(fmax(0, decided) * scan->free / rows);
    free_scratch(scan);
}

/* The weight of row i on other keys of the same word, and behind such keys. */
static void scan_words(sac_weights_scan *scan, const float *weights, size_t i)
{
    const size_t *words = scan->words;
    double alike = 0, repeats = 0;
    bool any = false, any_behind = false;
    for (size_t j = 0; j < scan->stats.columns; j++) {
        scan->delimiter += scan->delimiters[j] ? weights[j] : 0;
        bool behind = j > 0 && j - 1 != i && words[j - 1] == words[i] && j != i;
        if (weights[j] > 0 && j != i && words[j] == words[i]) {
            any = true;
            alike += weights[j];
        } else if (weights[j] > 0 && behind) {
            any_behind = true;
            repeats += weights[j];
        }
    }
    scan->alike += alike;
    scan->repeats += repeats;
    scan->alike_rows += any;
    scan->repeats_rows += any_behind;
}

/* What `information` and its row are made of. */
static void scan_information(sac_weights_scan *scan, const float *weights, double entropy)
{
    const sac_weights_stats *stats = &scan->stats;
    size_t i = scan->next_row, columns = stats->columns, open = 0;
    double fixed = weights[0];
    for (size_t j = 0; j < columns; j++)
        open += weights[j] > 0;
    for (size_t j = i > 1 ? i - 1 : 1; stats->is_square && j <= i + 1 && j < columns; j++)
        fixed += weights[j];
    double possible = open ? log2((double)open) : 0;
    double open_weight = fmin(fmax(0, 1 - fixed), 1);
    double information = fmax(0, possible - entropy) * open_weight;
    scan->possible += possible;
    scan->free += open_weight;
    if (information > scan->most_informative) {
        scan->most_informative = information;
        scan->stats.informative_row = i;
    }
}

/* Near keys and the distance along a line. */
static void scan_key_distances(sac_weights_scan *scan, const float *weights, size_t i)
{
    size_t columns = scan->stats.columns;
    double distance = 0;
    for (size_t j = 0; j < columns; j++)
        distance += weights[j] * fabs((double)i - (double)j);
    for (size_t j = i > SAC_NEAR ? i - SAC_NEAR : 0; j <= i + SAC_NEAR && j < columns; j++)
        scan->near += weights[j];
    scan->distance += distance;
}

/* The same over a grid; tokens that are no cells are nowhere. */
static void scan_grid_distances(sac_weights_scan *scan, const float *weights, size_t i)
{
    size_t w = scan->grid_w, h = scan->grid_h, from = scan->grid_from;
    if (i < from || i - from >= w * h)
        return;
    double y = (double)((i - from) / w), x = (double)((i - from) % w), distance = 0, near = 0;
    for (size_t cell = 0; cell < w * h; cell++) {
        double dy = fabs((double)(cell / w) - y), dx = fabs((double)(cell % w) - x);
        distance += weights[from + cell] * sqrt(dx * dx + dy * dy);
        near += dx <= SAC_NEAR_CELLS && dy <= SAC_NEAR_CELLS ? weights[from + cell] : 0;
    }
    scan->near += near;
    scan->distance += distance;
}

static void update_kind_maximum(sac_weights_scan *scan, sac_weights_kind kind, double weight)
{
    if (weight > scan->kind_most[kind]) {
        scan->kind_most[kind] = weight;
        scan->kind_row[kind] = scan->next_row;
    }
}

void sac_weights_scan_row(sac_weights_scan *scan, const float *weights)
{
    sac_weights_stats *stats = &scan->stats;
    const double alike = scan->alike, repeats = scan->repeats, delimiter = scan->delimiter,
                 near = scan->near;
    double entropy = sac_entropy(weights, stats->columns), sum = 0;
    scan_columns(scan, weights);
    if (scan->finds_peak)
        scan_peak(scan, weights);
    for (size_t c = 0; c < stats->columns; c++) {
        sum += weights[c];
        scan->column_mean[c] += weights[c];
    }
    scan->row_sum[scan->next_row] = (float)sum;
    scan->row_entropy[scan->next_row] = (float)entropy;
    scan->entropy += entropy;
    scan_information(scan, weights, entropy);
    if (scan->words)
        scan_words(scan, weights, scan->next_row);
    scan->first += weights[0];
    if (stats->is_square) {
        size_t i = scan->next_row, columns = scan->stats.columns;
        if (scan->grid_w)
            scan_grid_distances(scan, weights, i);
        else
            scan_key_distances(scan, weights, i);
        scan->self += weights[i];
        scan->previous += i > 0 ? weights[i - 1] : 0;
        scan->next += i + 1 < columns ? weights[i + 1] : 0;
        update_kind_maximum(scan, SAC_KIND_PREVIOUS, i > 1 ? weights[i - 1] : 0);
        update_kind_maximum(scan, SAC_KIND_SELF, i > 0 ? weights[i] : 0);
        update_kind_maximum(scan, SAC_KIND_NEXT, i + 1 < columns ? weights[i + 1] : 0);
        update_kind_maximum(scan, SAC_KIND_FIRST, i > 0 ? weights[0] : 0);
    }
    if (scan->gaze.work && scan->next_row >= first_gaze_row(scan))
        update_kind_maximum(scan, SAC_KIND_GAZE,
                            sac_gaze_scan_map(&scan->gaze, weights + scan->grid_from));
    update_kind_maximum(scan, SAC_KIND_ALIKE, scan->alike - alike);
    update_kind_maximum(scan, SAC_KIND_REPEATS, scan->repeats - repeats);
    update_kind_maximum(scan, SAC_KIND_DELIMITER, scan->delimiter - delimiter);
    update_kind_maximum(scan, SAC_KIND_NEAR, scan->near - near);
    scan->rows_read++;
    scan->next_row += stats->row_step;
    if (scan->next_row >= stats->rows) {
        scan->next_row = stats->rows;
        scan_finish(scan);
    }
}

bool sac_weights_are_constant(const sac_weights_stats *stats)
{
    return stats->rows > 1 && stats->spread < SAC_SAME_ROWS;
}

static const struct {
    const char *name, *brief;
} kind_names[SAC_KIND_COUNT] = {
    [SAC_KIND_PREVIOUS] = {"previous token", "prev"},
    [SAC_KIND_SELF] = {"itself", "self"},
    [SAC_KIND_NEXT] = {"next token", "next"},
    [SAC_KIND_FIRST] = {"first token", "first"},
    [SAC_KIND_ALIKE] = {"same word", "same"},
    [SAC_KIND_REPEATS] = {"what followed the same word", "follows"},
    [SAC_KIND_DELIMITER] = {"delimiter", "delim"},
    [SAC_KIND_ONE] = {"one token", "one"},
    [SAC_KIND_GAZE] = {"what is described", "gaze"},
    [SAC_KIND_NEAR] = {"near by", "near"},
    [SAC_KIND_BROAD] = {"broad", ""},
    [SAC_KIND_MIXED] = {"varies", ""},
};

const char *sac_weights_kind_name(sac_weights_kind kind)
{
    return kind_names[kind].name;
}

void sac_weights_stats_of(const sac_row_figures *figures, size_t rows, size_t columns,
                          ptrdiff_t offset, const double *received, sac_weights_stats *stats)
{
    double entropy = 0, distance = 0, previous = 0, self = 0, next = 0, first = 0, near = 0;
    double possible = 0, open = 0, most = 0, neighbours = rows > 1 ? (double)rows - 1 : 1;
    float *mean = malloc(columns * sizeof *mean);
    *stats = (sac_weights_stats){.rows = rows,
                                 .columns = columns,
                                 .row_step = 1,
                                 .near_keys = 2 * SAC_NEAR + 1,
                                 .spread = 1};
    for (size_t r = 0; r < rows; r++) {
        const sac_row_figures *f = &figures[r];
        ptrdiff_t place = (ptrdiff_t)r + offset;
        double fixed = f->first + (place > 0 ? f->diagonal : 0) + (place > 1 ? f->previous : 0) +
                       (place >= 0 ? f->next : 0);
        double left = fmin(fmax(0, 1 - fixed), 1), could = f->keys > 0 ? log2(f->keys) : 0;
        double information = fmax(0, could - f->entropy) * left;
        entropy += f->entropy;
        distance += f->distance;
        previous += f->previous;
        self += f->diagonal;
        next += f->next;
        first += f->first;
        near += f->near;
        possible += could;
        open += left;
        stats->high = f->peak > stats->high ? f->peak : stats->high;
        if (information > most) {
            most = information;
            stats->informative_row = r;
        }
    }
    for (size_t c = 0; c < columns; c++) {
        float share = (float)(received[c] / (double)rows);
        if (mean)
            mean[c] = share;
        if (share > stats->focus) {
            stats->focus = share;
            stats->focus_column = c;
        }
    }
    stats->entropy = (float)(entropy / (double)rows);
    stats->possible = (float)(possible / (double)rows);
    stats->first = (float)(first / (double)rows);
    stats->distance = (float)(distance / (double)rows);
    stats->self = (float)(self / (double)rows);
    stats->previous = (float)(previous / neighbours);
    stats->next = (float)(next / neighbours);
    stats->near = (float)(near / (double)rows);
    double decided = mean ? sac_entropy(mean, columns) - entropy / (double)rows : 0;
    stats->information = (float)(fmax(0, decided) * open / (double)rows);
    free(mean);
}

/* Nine tenths of the entropy that it could have: nearly everything alike. */
static bool is_broad(const sac_weights_stats *stats)
{
    return stats->possible >= 1 && stats->entropy >= 0.9f * stats->possible;
}

float sac_weights_score(const sac_weights_stats *stats, sac_weights_kind kind)
{
    const float scores[SAC_KIND_COUNT] = {
        [SAC_KIND_PREVIOUS] = stats->previous,
        [SAC_KIND_SELF] = stats->self,
        [SAC_KIND_NEXT] = stats->next,
        [SAC_KIND_FIRST] = stats->first,
        [SAC_KIND_ALIKE] = stats->alike,
        [SAC_KIND_REPEATS] = stats->repeats,
        [SAC_KIND_DELIMITER] = stats->delimiter,
        [SAC_KIND_ONE] = stats->focus_column > 0 ? stats->focus : 0,
        [SAC_KIND_GAZE] = stats->gaze,
        [SAC_KIND_NEAR] = stats->near,
        [SAC_KIND_BROAD] = stats->possible > 0 ? stats->entropy / stats->possible : 0,
        [SAC_KIND_MIXED] = stats->information};
    return scores[kind];
}

sac_weights_kind sac_weights_kind_of(const sac_weights_stats *stats, float *share)
{
    float weights[SAC_KIND_NEAR];
    int best = 0;
    for (int i = 0; i < SAC_KIND_NEAR; i++) {
        weights[i] = sac_weights_score(stats, (sac_weights_kind)i);
        best = weights[i] > weights[best] ? i : best;
    }
    /* A third of the weight on one place, and three times what chance gives it, is a habit. */
    bool habit = weights[best] >= 0.33f && weights[best] * (float)stats->columns >= 3;
    /* Twice what chance puts on those keys, and most of it. */
    bool near =
        stats->near >= 0.6f && stats->near * (float)stats->columns >= 2 * (float)stats->near_keys;
    if (share)
        *share = habit ? weights[best] : near ? stats->near : 0;
    return habit             ? (sac_weights_kind)best
           : near            ? SAC_KIND_NEAR
           : is_broad(stats) ? SAC_KIND_BROAD
                             : SAC_KIND_MIXED;
}

char *sac_weights_caption(const sac_weights_stats *stats, bool brief, char *text, size_t size)
{
    float share, possible = log2f((float)stats->columns);
    sac_weights_kind kind = sac_weights_kind_of(stats, &share);
    if (share > 0)
        snprintf(text, size, "%s %.2f", brief ? kind_names[kind].brief : kind_names[kind].name,
                 (double)share);
    else if (brief)
        snprintf(text, size, "%.1f bits", (double)stats->entropy);
    else
        snprintf(text, size, "%s %.1f of %.1f bits",
                 stats->entropy > 0.98f * possible ? "uniform," : "mean entropy",
                 (double)stats->entropy, (double)possible);
    return text;
}
