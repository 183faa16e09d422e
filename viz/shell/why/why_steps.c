/* The steps by which a weight is computed, as sentences, formulas and arrays. */

#include "shell/why/why_steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/numbers.h"
#include "scores/scores.h"
#include "view/words.h"

#define FIRST_TERMS 4 /* of a long sum, as its formula shows it */
#define NAME 80

/* Arrays that are shown beside the explanation's own. */
typedef struct arrays {
    double *query, *key, *w_v, *inner; /* [dim]: inner: of the score */
    double *raw, *bias, *weights;      /* [keys] */
    double *halves;                    /* [keys]: of the scores, which 1.5-entmax takes */
    double *value, *part, *result;     /* [value_dim] */
    size_t *terms_first, *keys_first, *values_first;
} arrays;

typedef struct maker {
    const sac_explanation *e;
    const sac_score_class *score;
    const viz_why_names *names;
    viz_why_steps *out;
    arrays a;
    char key[NAME];
} maker;

bool viz_why_is_of_keys(viz_why_kind kind)
{
    return kind >= VIZ_WHY_SCALE && kind <= VIZ_WHY_SHARE;
}

static char *number(double value, char text[32])
{
    return sac_number_text(value, text, 32);
}

/* ---------------------------------------------------------------- which columns come first */

typedef struct ranked {
    double rank;
    size_t place;
} ranked;

static int by_rank(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? 1 : -1;
    return x->place < y->place ? -1 : 1;
}

/* Places by falling rank, `first` before all (SIZE_MAX: none); magnitudes where `by_size`. */
static bool order_by_rank(const double *numbers, size_t count, bool by_size, size_t first,
                          size_t *places)
{
    ranked *all = calloc(count + 1, sizeof *all);
    if (!all)
        return false;
    for (size_t i = 0; i < count; i++)
        all[i] = (ranked){i == first ? INFINITY : by_size ? fabs(numbers[i]) : numbers[i], i};
    qsort(all, count, sizeof *all, by_rank);
    for (size_t i = 0; i < count; i++)
        places[i] = all[i].place;
    free(all);
    return true;
}

/* ---------------------------------------------------------------- arrays */

static bool allocate_arrays(maker *m)
{
    const sac_explanation *e = m->e;
    size_t dim = e->dim, keys = e->keys, dv = e->value_dim;
    double *d = m->out->numbers = calloc(4 * dim + 4 * keys + 3 * dv + 1, sizeof *d);
    size_t *p = m->out->places = calloc(dim + keys + dv + 1, sizeof *p);
    if (!d || !p)
        return false;
    m->a = (arrays){.query = d,
                    .key = d + dim,
                    .w_v = d + 2 * dim,
                    .inner = d + 3 * dim,
                    .raw = d + 4 * dim,
                    .bias = d + 4 * dim + keys,
                    .weights = d + 4 * dim + 2 * keys,
                    .halves = d + 4 * dim + 3 * keys,
                    .value = d + 4 * dim + 4 * keys,
                    .part = d + 4 * dim + 4 * keys + dv,
                    .result = d + 4 * dim + 4 * keys + 2 * dv,
                    .terms_first = p,
                    .keys_first = p + dim,
                    .values_first = p + dim + keys};
    return true;
}

static void fill_vectors(maker *m)
{
    const sac_explanation *e = m->e;
    const float *key = e->key + e->position * e->dim;
    for (size_t c = 0; c < e->dim; c++) {
        double q = m->a.query[c] = (double)e->query[c], k = m->a.key[c] = (double)key[c];
        m->a.w_v[c] = e->w_v ? (double)e->w_v[c] : 0;
        if (m->score->inner)
            m->a.inner[c] =
                m->score->inner(q, k, &(sac_score_terms){&m->a.w_v[c], e->inverse_width});
    }
}

static void fill_rows(maker *m)
{
    const sac_explanation *e = m->e;
    for (size_t j = 0; j < e->keys; j++) {
        m->a.weights[j] = (double)e->weights[j];
        m->a.bias[j] = e->bias ? (double)e->bias[j] : 0;
        m->a.halves[j] = e->masked ? e->masked[j] / 2 : 0;
        if (e->scaled)
            m->a.raw[j] = e->scale != 0 ? e->scaled[j] * e->temperature / e->scale : 0;
    }
    for (size_t c = 0; c < e->value_dim; c++) {
        m->a.value[c] = (double)e->value[e->position * e->value_dim + c];
        m->a.part[c] = e->shares[e->position] * m->a.value[c];
        m->a.result[c] = e->result[c];
    }
}

/* ---------------------------------------------------------------- steps */

static viz_step *add(maker *m, viz_why_kind kind, const char *name)
{
    viz_step *step = &m->out->steps[m->out->count];
    m->out->kind[m->out->count++] = kind;
    *step = (viz_step){0};
    snprintf(step->name, sizeof step->name, "%s", viz_word(name));
    step->table.current = SIZE_MAX;
    return step;
}

static void add_row(viz_step *step, const char *name, const double *numbers, viz_step_colors colors,
                    bool sums)
{
    viz_step_row *row = &step->table.row[step->table.rows++];
    *row = (viz_step_row){.numbers = numbers, .colors = colors, .sums = sums};
    snprintf(row->name, sizeof row->name, "%s", viz_word(name));
}

char *viz_why_coordinate(const sac_explanation *e, size_t c, char *text, size_t size)
{
    if (e->features)
        snprintf(text, size, "%s", e->features[c]);
    else
        snprintf(text, size, "%zu", c);
    return text;
}

static char *feature_label(const void *user, size_t column, char *text, size_t size)
{
    const char *const *features = user;
    snprintf(text, size, "%s", features[column]);
    return text;
}

static void set_coordinate_columns(const maker *m, viz_step *step)
{
    if (m->e->features) {
        step->table.label = feature_label;
        step->table.user = m->e->features;
    }
    step->table.columns = m->e->dim;
    step->table.order = m->a.terms_first;
    snprintf(step->table.name, sizeof step->table.name, viz_word("%zu numbers each"), m->e->dim);
}

bool viz_why_parse_cell(const char *name, size_t *x, size_t *y)
{
    return sscanf(name, viz_word("cell (%zu, %zu)"), x, y) == 2;
}

/* Columns are narrow, and the text above them explains that (3, 4) is a cell. */
static char *column_label(const void *user, size_t column, char *text, size_t size)
{
    const viz_why_names *names = user;
    size_t x, y;
    names->key(names->user, column, text, size);
    const char *place = viz_why_parse_cell(text, &x, &y) ? strchr(text, '(') : NULL;
    if (place)
        memmove(text, place, strlen(place) + 1);
    return text;
}

static void set_key_columns(const maker *m, viz_step *step)
{
    step->table.columns = m->e->keys;
    step->table.order = m->a.keys_first;
    step->table.current = m->e->position;
    step->table.label = column_label;
    step->table.user = m->names;
    snprintf(step->table.name, sizeof step->table.name, viz_word("%s and each of the %zu keys"),
             m->names->query, m->e->keys);
}

static void add_vectors_step(maker *m)
{
    const sac_explanation *e = m->e;
    const sac_score_words *words = &m->score->words;
    viz_step *s = add(m, VIZ_WHY_VECTORS, N_("query, key"));
    set_coordinate_columns(m, s);
    add_row(s, words->query, m->a.query, VIZ_STEP_SIGNED, false);
    add_row(s, words->key, m->a.key, VIZ_STEP_SIGNED, false);
    snprintf(s->sentence, sizeof s->sentence,
             viz_word(e->dim == 1 ? "The query of %s meets the key of %s: %zu number each."
                                  : "The query of %s meets the key of %s: %zu numbers each."),
             m->names->query, m->key, e->dim);
    snprintf(s->notice, sizeof s->notice, "%s",
             viz_word(words->vectors
                          ? words->vectors
                          : "A query is what is looked for, a key what there is. Strong colours "
                            "are large numbers, of either sign."));
}

/* What {name} stands for: "0.3", or "− 0.3" with a sign before it. */
static void format_term_number(const maker *m, const char *name, char *text, size_t size)
{
    size_t c = m->a.terms_first[0];
    double key = m->a.key[c];
    const struct {
        const char *name, *sign;
        double value;
    } numbers[] = {{"q", "", m->a.query[c]},
                   {"k", "", key},
                   {"+k", key < 0 ? "− " : "+ ", fabs(key)},
                   {"-k", key < 0 ? "+ " : "− ", fabs(key)},
                   {"w", "", m->a.w_v[c]},
                   {"1/width", "", m->e->inverse_width}};
    char digits[32];
    snprintf(text, size, "%zu", m->e->dim);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(numbers[i].name, name) == 0)
            snprintf(text, size, "%s%s", numbers[i].sign, number(numbers[i].value, digits));
}

/* The words of a score with numbers in place of {q}, {k} … (see sac_term_words). */
static void format_score_words(const maker *m, const char *words, char *text, size_t size)
{
    size_t used = 0;
    while (*words && used + 1 < size) {
        char name[16];
        int length = 0;
        if (sscanf(words, "{%15[^}]}%n", name, &length) == 1 && length > 0) {
            format_term_number(m, name, text + used, size - used);
            used += strlen(text + used);
            words += length;
        } else
            text[used++] = *words++;
    }
    text[used] = '\0';
}

static void add_terms_step(maker *m)
{
    char result[32];
    const sac_score_words *words = &m->score->words;
    const sac_term_words *terms = words->terms;
    viz_step *s = add(m, VIZ_WHY_TERMS, terms->name);
    set_coordinate_columns(m, s);
    add_row(s, words->query, m->a.query, VIZ_STEP_SIGNED, false);
    add_row(s, words->key, m->a.key, VIZ_STEP_SIGNED, false);
    if (m->score->inner)
        add_row(s, terms->inner, m->a.inner, VIZ_STEP_SIGNED, false);
    if (m->e->w_v)
        add_row(s, "w", m->a.w_v, VIZ_STEP_SIGNED, false);
    add_row(s, terms->term, m->e->terms, VIZ_STEP_SIGNED, true);
    snprintf(s->sentence, sizeof s->sentence, "%s", viz_word(terms->sentence));
    format_score_words(m, terms->numbers, s->formula, sizeof s->formula);
    strncat(s->formula, " =", sizeof s->formula - strlen(s->formula) - 1);
    snprintf(s->result, sizeof s->result, "%s", number(m->e->terms[m->a.terms_first[0]], result));
    format_score_words(m, viz_word(terms->notice), s->notice, sizeof s->notice);
}

/* "0.57 + 0.31 − 0.12 + … =" of numbers in that order. */
static void sum_text(const double *numbers, const size_t *places, size_t count, char *text,
                     size_t size)
{
    char digits[32];
    size_t used = 0;
    for (size_t i = 0; i < count && i < FIRST_TERMS && used < size; i++) {
        double x = numbers[places[i]];
        const char *sign = i == 0 ? (x < 0 ? "−" : "") : x < 0 ? " − " : " + ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", sign, number(fabs(x), digits));
    }
    if (used < size)
        snprintf(text + used, size - used, "%s =", count > FIRST_TERMS ? " + …" : "");
}

static void add_raw_score_step(maker *m)
{
    char sum[32];
    viz_step *s = add(m, VIZ_WHY_RAW, N_("sum"));
    set_coordinate_columns(m, s);
    add_row(s, N_("terms"), m->e->terms, VIZ_STEP_SIGNED, true);
    snprintf(s->sentence, sizeof s->sentence,
             viz_word("All %zu are added up: one number for how well query and key fit."),
             m->e->dim);
    sum_text(m->e->terms, m->a.terms_first, m->e->dim, s->formula, sizeof s->formula);
    snprintf(s->result, sizeof s->result, "%s", number(m->e->raw, sum));
    snprintf(
        s->notice, sizeof s->notice,
        viz_word(
            "A few large terms may decide it. The same is done for each of the %zu keys, by the "
            "same query."),
        m->e->keys);
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-5 * fabs(b);
}

/* True where the scale is the score's own, and the score has words for it. */
static bool scale_is_named(const maker *m)
{
    return m->score->words.scale && is_near(m->e->scale, m->score->scale(m->e->dim, m->e->dim));
}

static void add_scale_step(maker *m)
{
    const sac_explanation *e = m->e;
    char raw[32], scaled[32], by[80];
    viz_step *s = add(m, VIZ_WHY_SCALE,
                      e->temperature == 1 ? NC_("to divide", "scale") : N_("scale, temperature"));
    bool same = e->scale == 1 && e->temperature == 1;
    /* " / √64", " × 0.125", and the temperature. */
    char *text = by;
    size_t size = sizeof by;
    char scale[32], temperature[32];
    *text = '\0';
    if (scale_is_named(m))
        format_score_words(m, m->score->words.scale, text, size);
    else if (m->e->scale != 1)
        snprintf(text, size, " × %s", number(m->e->scale, scale));
    size_t used = strlen(text);
    if (m->e->temperature != 1)
        snprintf(text + used, size - used, " / %s", number(m->e->temperature, temperature));
    set_key_columns(m, s);
    add_row(s, m->score->words.sum, m->a.raw, VIZ_STEP_SIGNED, false);
    add_row(s, NC_("a number", "score"), e->scaled, VIZ_STEP_SIGNED, false);
    snprintf(s->sentence, sizeof s->sentence, "%s",
             viz_word(same ? "This score has a scale of 1: it stays as it is."
                      : e->temperature == 1
                          ? "The sum is multiplied by the scale: that is the score."
                          : "The sum is multiplied by the scale and divided by the "
                            "temperature: that is the score."));
    snprintf(s->formula, sizeof s->formula, "%s%s =", number(e->raw, raw), same ? " × 1" : by);
    snprintf(s->result, sizeof s->result, "%s", number(e->scaled[e->position], scaled));
    snprintf(
        s->notice, sizeof s->notice, "%s",
        viz_word(e->temperature > 1
                     ? "A temperature above 1 brings scores together, and evens the shares out."
                 : e->temperature < 1
                     ? "A temperature below 1 drives scores apart: the largest takes more."
                 : scale_is_named(m) ? m->score->words.scale_notice
                                     : ""));
}

/* "0.91", or of a capped score "50 tanh(0.91 / 50)". */
static void cap_text(const sac_explanation *e, char *text, size_t size)
{
    char score[32], cap[32];
    number(e->scaled[e->position], score);
    number(e->softcap, cap);
    if (e->softcap > 0)
        snprintf(text, size, "%s tanh(%s / %s)", cap, score, cap);
    else
        snprintf(text, size, "%s", score);
}

static void add_mask_step(maker *m)
{
    const sac_explanation *e = m->e;
    char score[112], bias[32], masked[32];
    viz_step *s = add(m, VIZ_WHY_MASK, e->softcap > 0 ? N_("cap, mask") : N_("mask"));
    size_t hidden = 0;
    bool adds = false;
    for (size_t j = 0; j < e->keys; j++) {
        hidden += m->a.bias[j] == -INFINITY;
        adds |= isfinite(m->a.bias[j]) && m->a.bias[j] != 0;
    }
    set_key_columns(m, s);
    add_row(s, NC_("a number", "score"), e->scaled, VIZ_STEP_SIGNED, false);
    add_row(s, N_("mask"), m->a.bias, VIZ_STEP_SIGNED, false);
    add_row(s, N_("sum"), e->masked, VIZ_STEP_SIGNED, false);
    snprintf(s->sentence, sizeof s->sentence,
             viz_word(hidden ? "Hidden from %s: %zu of %zu keys, by adding −∞ to their scores."
                      : adds ? "A bias is added to each score of %s."
                             : "Nothing is hidden from %s: every score stays."),
             m->names->query, hidden, e->keys);
    cap_text(e, score, sizeof score);
    snprintf(s->formula, sizeof s->formula, "%s + %s =", score,
             number(m->a.bias[e->position], bias));
    snprintf(s->result, sizeof s->result, "%s", number(e->masked[e->position], masked));
    snprintf(
        s->notice, sizeof s->notice, "%s",
        viz_word(
            hidden
                ? "The mask comes before exp, so that a hidden key gets exactly 0, and the others "
                  "share out all there is."
            : e->softcap > 0 ? "The cap leaves small scores as they are, and lets none beyond it."
                             : ""));
}

static void add_exp_step(maker *m)
{
    const sac_explanation *e = m->e;
    char power[32], score[32], shift[32], text[128];
    viz_step *s = add(m, VIZ_WHY_EXP, N_("exp"));
    set_key_columns(m, s);
    add_row(s, NC_("a number", "score"), e->masked, VIZ_STEP_SIGNED, false);
    add_row(s, "exp", e->powers, VIZ_STEP_SHARES, false);
    snprintf(s->sentence, sizeof s->sentence,
             viz_word("Every score becomes a positive number: e to its power."));
    /* "exp(31.2 − 33.1)", or "exp(0.91)" where nothing is subtracted. */
    number(e->masked[e->position], score);
    if (e->shift == 0)
        snprintf(text, sizeof text, "exp(%s)", score);
    else
        snprintf(text, sizeof text, "exp(%s %s %s)", score, e->shift < 0 ? "+" : "−",
                 number(fabs(e->shift), shift));
    snprintf(s->formula, sizeof s->formula, "%s =", text);
    snprintf(s->result, sizeof s->result, "%s", number(e->powers[e->position], power));
    if (e->shift == 0)
        snprintf(
            s->notice, sizeof s->notice,
            viz_word(
                "Only differences count: a score that is higher by 1 gives 2.718 times as much, "
                "wherever the two lie."));
    else
        snprintf(s->notice, sizeof s->notice,
                 viz_word("The largest score, %s, is taken from all first: the shares stay what "
                          "they are, and "
                          "no number becomes too large."),
                 number(e->shift, shift));
}

static void add_sum_step(maker *m)
{
    const sac_explanation *e = m->e;
    char sum[32];
    viz_step *s = add(m, VIZ_WHY_SUM, N_("row's sum"));
    set_key_columns(m, s);
    add_row(s, "exp", e->powers, VIZ_STEP_SHARES, true);
    snprintf(s->sentence, sizeof s->sentence,
             viz_word("The row of %s is added up: this is the whole that is shared out."),
             m->names->query);
    sum_text(e->powers, m->a.keys_first, e->keys, s->formula, sizeof s->formula);
    snprintf(s->result, sizeof s->result, "%s", number(e->sum, sum));
    if (e->sum == 0)
        snprintf(s->notice, sizeof s->notice,
                 viz_word("Every key is hidden: there is nothing to share out."));
    else if (e->has_sink)
        snprintf(s->notice, sizeof s->notice,
                 viz_word("The head's sink is part of it, %s: that share goes to no key."),
                 number(exp(e->sink - e->shift), sum));
}

/* The share is the result, beside the weight that the view has. */
static void set_share_result(const sac_explanation *e, viz_step *s)
{
    snprintf(s->result, sizeof s->result, "%.6g", e->shares[e->position]);
    snprintf(
        s->notice, sizeof s->notice,
        viz_word(e->sum > 0
                     ? "The shares of a row add up to 1. Computed for the view: %.6g."
                     : "Every key is hidden, so every share is 0. Computed for the view: %.6g."),
        (double)e->weights[e->position]);
}

static void add_share_step(maker *m)
{
    const sac_explanation *e = m->e;
    char power[32], sum[32];
    viz_step *s = add(m, VIZ_WHY_SHARE, N_("share"));
    set_key_columns(m, s);
    add_row(s, "exp", e->powers, VIZ_STEP_SHARES, true);
    add_row(s, N_("share"), e->shares, VIZ_STEP_SHARES, true);
    snprintf(s->sentence, sizeof s->sentence,
             viz_word("The part of %s in the sum is its share: the weight."), m->key);
    snprintf(s->formula, sizeof s->formula, "%s / %s =", number(e->powers[e->position], power),
             number(e->sum, sum));
    set_share_result(e, s);
}

/* ---------------------------------------------------------------- the steps of 1.5-entmax and sparsemax */

static bool is_entmax15(const maker *m)
{
    return m->e->normalizer == SAC_NORMALIZER_ENTMAX15;
}

static void add_score_rows(const maker *m, viz_step *s)
{
    add_row(s, NC_("a number", "score"), m->e->masked, VIZ_STEP_SIGNED, false);
    if (is_entmax15(m))
        add_row(s, N_("half"), m->a.halves, VIZ_STEP_SIGNED, false);
}

/* What lies above the threshold: scores or their halves, with the sink's. */
typedef struct kept {
    size_t count;
    double sum, mean, apart; /* squared distances from the mean, added up */
} kept;

static kept find_kept(const maker *m)
{
    const sac_explanation *e = m->e;
    const double *x = is_entmax15(m) ? m->a.halves : e->masked;
    kept k = {0};
    for (int round = 0; round < 2; round++)
        for (size_t j = 0; j <= e->keys; j++) {
            double one = j < e->keys   ? x[j]
                         : e->has_sink ? e->sink / (is_entmax15(m) ? 2 : 1)
                                       : -INFINITY;
            if (!(one > e->threshold))
                continue;
            k.count += round == 0;
            k.sum += round == 0 ? one : 0;
            k.mean = k.sum / (double)k.count;
            k.apart += round == 1 ? (one - k.mean) * (one - k.mean) : 0;
        }
    return k;
}

/* "(1.2 + 0.8 + … − 1) / 7 =", the largest first. */
static void threshold_text(const maker *m, const kept *k, char *text, size_t size)
{
    const sac_explanation *e = m->e;
    char digits[32];
    size_t used = (size_t)snprintf(text, size, "("), terms = 0;
    size_t *places = calloc(e->keys + 1, sizeof *places);
    if (!places || !order_by_rank(e->masked, e->keys, false, SIZE_MAX, places)) {
        free(places);
        return;
    }
    for (; terms < e->keys && terms < FIRST_TERMS && used < size; terms++) {
        double x = e->masked[places[terms]];
        if (!(x > e->threshold))
            break;
        const char *sign = terms == 0 ? (x < 0 ? "−" : "") : x < 0 ? " − " : " + ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", sign, number(fabs(x), digits));
    }
    if (used < size)
        snprintf(text + used, size - used, "%s − 1) / %zu =", terms < k->count ? " + …" : "",
                 k->count);
    free(places);
}

static void add_threshold_step(maker *m)
{
    const sac_explanation *e = m->e;
    char tau[32], mean[32], apart[32];
    viz_step *s = add(m, VIZ_WHY_EXP, N_("threshold"));
    kept k = find_kept(m);
    set_key_columns(m, s);
    add_score_rows(m, s);
    snprintf(s->sentence, sizeof s->sentence, "%s",
             viz_word(is_entmax15(m)
                          ? "The squares of what half of each score has above the threshold τ add "
                            "up to 1."
                          : "What the scores have above the threshold τ adds up to 1."));
    snprintf(s->result, sizeof s->result, "%s", number(e->threshold, tau));
    if (k.count == 0) {
        snprintf(s->formula, sizeof s->formula, "τ =");
        snprintf(s->notice, sizeof s->notice, "%s",
                 viz_word("Every key is hidden: there is nothing to share out."));
        return;
    }
    if (!is_entmax15(m)) {
        threshold_text(m, &k, s->formula, sizeof s->formula);
        snprintf(s->notice, sizeof s->notice,
                 viz_word("Of %zu keys %zu lie above it; the others get exactly 0."), e->keys,
                 k.count - (e->has_sink && e->sink > e->threshold));
        return;
    }
    snprintf(s->formula, sizeof s->formula, "%s − √((1 − %s) / %zu) =", number(k.mean, mean),
             number(k.apart, apart), k.count);
    snprintf(s->notice, sizeof s->notice,
             viz_word("Of %zu keys %zu lie above it, by the halves of their scores: %s is their "
                      "mean, and %s what their squared distances from it add up to."),
             e->keys, k.count - (e->has_sink && e->sink / 2 > e->threshold), mean, apart);
}

/* "max(0, 1.2 − 0.5) =", of a half "max(0, 1.2 / 2 + 0.181) =". */
static void above_text(const maker *m, char *text, size_t size)
{
    const sac_explanation *e = m->e;
    char score[32], tau[32];
    snprintf(text, size, "max(0, %s%s %s %s) =", number(e->masked[e->position], score),
             is_entmax15(m) ? " / 2" : "", e->threshold < 0 ? "+" : "−",
             number(fabs(e->threshold), tau));
}

static void add_above_step(maker *m)
{
    const sac_explanation *e = m->e;
    char above[32];
    viz_step *s = add(m, VIZ_WHY_SUM, N_("above it"));
    set_key_columns(m, s);
    add_score_rows(m, s);
    add_row(s, N_("above it"), e->powers, VIZ_STEP_SHARES, false);
    snprintf(s->sentence, sizeof s->sentence,
             viz_word("What half of the score of %s has above the threshold; below it 0."), m->key);
    above_text(m, s->formula, sizeof s->formula);
    snprintf(s->result, sizeof s->result, "%s", number(e->powers[e->position], above));
}

static void add_sparse_share_step(maker *m)
{
    const sac_explanation *e = m->e;
    char above[32];
    viz_step *s = add(m, VIZ_WHY_SHARE, N_("share"));
    set_key_columns(m, s);
    if (is_entmax15(m))
        add_row(s, N_("above it"), e->powers, VIZ_STEP_SHARES, false);
    else
        add_score_rows(m, s);
    add_row(s, N_("share"), e->shares, VIZ_STEP_SHARES, true);
    snprintf(s->sentence, sizeof s->sentence,
             viz_word(is_entmax15(m) ? "The square of that is the share of %s: the weight."
                                     : "What the score of %s has above the threshold is its share: "
                                       "the weight."),
             m->key);
    if (is_entmax15(m))
        snprintf(s->formula, sizeof s->formula, "%s² =", number(e->powers[e->position], above));
    else
        above_text(m, s->formula, sizeof s->formula);
    set_share_result(e, s);
}

static void add_value_step(maker *m)
{
    const sac_explanation *e = m->e;
    char share[32], value[32], part[32], gate[32];
    viz_step *s = add(m, VIZ_WHY_VALUE, N_("value"));
    size_t c = m->a.values_first[0];
    s->table.columns = e->value_dim;
    s->table.order = m->a.values_first;
    snprintf(s->table.name, sizeof s->table.name, viz_word("%zu numbers each"), e->value_dim);
    add_row(s, "v", m->a.value, VIZ_STEP_SIGNED, false);
    add_row(s, N_("share × v"), m->a.part, VIZ_STEP_SIGNED, false);
    add_row(s, e->gate == 1 ? N_("Σ all keys") : N_("β Σ all keys"), m->a.result, VIZ_STEP_SIGNED,
            false);
    snprintf(s->sentence, sizeof s->sentence,
             viz_word("So much of the value of %s goes into what %s gets; all keys together give "
                      "the last row."),
             m->key, m->names->query);
    snprintf(s->formula, sizeof s->formula, "%s × %s =", number(e->shares[e->position], share),
             number(m->a.value[c], value));
    snprintf(s->result, sizeof s->result, "%s", number(m->a.part[c], part));
    if (e->gate != 1)
        snprintf(s->notice, sizeof s->notice,
                 viz_word("Before the decoder sees it, a gate lets β = %s of it in."),
                 number(e->gate, gate));
    else
        snprintf(
            s->notice, sizeof s->notice,
            viz_word(
                "The result is a weighted mean: it lies between the values, nearest to those with "
                "the largest shares."));
}

/* ---------------------------------------------------------------- weights alone */

static const char weights_alone[] = "Only weights are known here, not the queries and keys that "
                                    "gave them: there is no more to show.";

static void add_row_sum_step(maker *m)
{
    char sum_of_row[32];
    double sum = 0;
    viz_step *s = add(m, VIZ_WHY_SUM, N_("row's sum"));
    for (size_t j = 0; j < m->e->keys; j++)
        sum += m->a.weights[j];
    set_key_columns(m, s);
    add_row(s, N_("weight"), m->a.weights, VIZ_STEP_SHARES, true);
    snprintf(s->sentence, sizeof s->sentence, viz_word("The weights of %s, added up."),
             m->names->query);
    sum_text(m->a.weights, m->a.keys_first, m->e->keys, s->formula, sizeof s->formula);
    snprintf(s->result, sizeof s->result, "%s", number(sum, sum_of_row));
    snprintf(s->notice, sizeof s->notice, "%s", viz_word(weights_alone));
    s = add(m, VIZ_WHY_SHARE, N_("share"));
    set_key_columns(m, s);
    add_row(s, N_("weight"), m->a.weights, VIZ_STEP_SHARES, true);
    snprintf(s->sentence, sizeof s->sentence, viz_word("The part of %s in the row."), m->key);
    snprintf(s->formula, sizeof s->formula, "%.6g / %s =", m->a.weights[m->e->position],
             sum_of_row);
    snprintf(s->result, sizeof s->result, "%.6g", sum > 0 ? m->a.weights[m->e->position] / sum : 0);
    snprintf(s->notice, sizeof s->notice, "%s", viz_word(weights_alone));
}

/* ---------------------------------------------------------------- all of them */

static bool order_all(maker *m)
{
    const sac_explanation *e = m->e;
    const double *rank = e->dim ? e->masked : m->a.weights;
    return order_by_rank(e->terms, e->dim, true, SIZE_MAX, m->a.terms_first) &&
           order_by_rank(rank, e->keys, false, e->position, m->a.keys_first) &&
           order_by_rank(m->a.value, e->value_dim, true, SIZE_MAX, m->a.values_first);
}

bool viz_why_steps_make(const sac_explanation *e, const viz_why_names *names, viz_why_steps *out)
{
    maker m = {.e = e, .score = sac_score_class_of(e->score), .names = names, .out = out};
    *out = (viz_why_steps){0};
    if (!allocate_arrays(&m)) {
        viz_why_steps_free(out);
        return false;
    }
    names->key(names->user, e->position, m.key, sizeof m.key);
    if (e->dim)
        fill_vectors(&m);
    fill_rows(&m);
    if (!order_all(&m)) {
        viz_why_steps_free(out);
        return false;
    }
    if (!e->dim) {
        add_row_sum_step(&m);
        return true;
    }
    static void (*const write[])(maker *) = {add_vectors_step, add_terms_step, add_raw_score_step,
                                             add_scale_step, add_mask_step};
    static void (*const normalize[SAC_NORMALIZER_COUNT][3])(maker *) = {
        [SAC_NORMALIZER_SOFTMAX] = {add_exp_step, add_sum_step, add_share_step},
        [SAC_NORMALIZER_ENTMAX15] = {add_threshold_step, add_above_step, add_sparse_share_step},
        [SAC_NORMALIZER_SPARSEMAX] = {add_threshold_step, add_sparse_share_step},
    };
    for (size_t i = 0; i < sizeof write / sizeof *write; i++)
        write[i](&m);
    for (size_t i = 0; i < 3 && normalize[e->normalizer][i]; i++)
        normalize[e->normalizer][i](&m);
    if (e->value_dim)
        add_value_step(&m);
    return true;
}

void viz_why_steps_free(viz_why_steps *steps)
{
    free(steps->numbers);
    free(steps->places);
    *steps = (viz_why_steps){0};
}
