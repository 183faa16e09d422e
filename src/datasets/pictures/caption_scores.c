#include "pictures/caption_scores.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "pictures/meteor.h"
#include "pictures/words.h"

enum { LONGEST = SAC_BLEU_GRAMS }; /* words of an n-gram */

/* The n-grams of all sentences by number: "a dog" is a piece of a plain caption. */
typedef struct corpus {
    sac_text_table grams;
    struct {
        size_t pictures, last; /* whose references contain it; one more than the last of them */
    } * seen;                  /* [capacity] */
    int capacity;
    double log_pictures;
} corpus;

typedef struct sentence {
    int length;          /* words */
    int *words;          /* [length] numbers in their order; owned */
    int *grams[LONGEST]; /* [length − n], sorted, of n + 1 words each; in the same memory */
} sentence;

/* ---------------------------------------------------------------- n-grams */

static int ascending(const void *a, const void *b)
{
    int one = *(const int *)a, other = *(const int *)b;
    return (one > other) - (one < other);
}

static int gram_count(const sentence *s, int n)
{
    return s->length > n ? s->length - n : 0;
}

static int add_gram(corpus *c, const char *text, size_t size)
{
    int number = sac_text_table_add(&c->grams, text, size);
    if (c->grams.capacity > c->capacity) {
        void *more = realloc(c->seen, (size_t)c->grams.capacity * sizeof *c->seen);
        if (!more)
            return -1;
        c->seen = more;
        memset(c->seen + c->capacity, 0,
               (size_t)(c->grams.capacity - c->capacity) * sizeof *c->seen);
        c->capacity = c->grams.capacity;
    }
    return number;
}

/* The number of n-gram `size` bytes long at starts[i]; one that the corpus does not know has a number
 * beyond all of it, that of the word at which it first stands in this sentence. */
static int find_gram(const corpus *c, const char *const *starts, int i, size_t size)
{
    int number = sac_text_table_find(&c->grams, starts[i], size), first = 0;
    while (strncmp(starts[first], starts[i], size) != 0 ||
           (starts[first][size] && starts[first][size] != ' '))
        first++;
    return number >= 0 ? number : c->grams.count + first;
}

/* Into the corpus where it `grows`. False: no memory. Free its words in any case. */
static bool read_sentence(corpus *c, const char *plain, bool grows, sentence *s)
{
    size_t size, length = 0;
    const char *word = plain;
    for (*s = (sentence){0}; (word = sac_caption_next_word(word, &size)); word += size)
        length++;
    const char **starts = calloc(length + 1, sizeof *starts);
    s->words = calloc((LONGEST + 1) * length + 1, sizeof *s->words);
    bool read = s->words && starts;
    s->length = read ? (int)length : 0;
    for (int n = 0; n < LONGEST && read; n++)
        s->grams[n] = s->words + (size_t)(n + 1) * length;
    word = plain;
    for (int i = 0; i < s->length; i++, word += size)
        starts[i] = word = sac_caption_next_word(word, &size);
    for (int i = 0; i < s->length && read; i++) {
        for (int n = 0; n < LONGEST && i + n < s->length && read; n++) {
            const char *last = starts[i + n];
            size = (size_t)(last - starts[i]) + strcspn(last, " ");
            s->grams[n][i] = grows ? add_gram(c, starts[i], size) : find_gram(c, starts, i, size);
            read = s->grams[n][i] >= 0;
        }
        s->words[i] = s->grams[0][i];
    }
    for (int n = 0; n < LONGEST && read; n++)
        qsort(s->grams[n], (size_t)gram_count(s, n), sizeof(int), ascending);
    free(starts);
    return read;
}

/* How often the n-gram at `at` stands there; `at` goes on behind it. */
static int count_next_run(const sentence *s, int n, int *at)
{
    int from = *at;
    while (*at < gram_count(s, n) && s->grams[n][*at] == s->grams[n][from])
        ++*at;
    return *at - from;
}

/* How often n-gram `gram` stands in a sentence; `at` goes on to it, for n-grams that ascend. */
static int count_gram_from(const sentence *s, int n, int gram, int *at)
{
    while (*at < gram_count(s, n) && s->grams[n][*at] < gram)
        ++*at;
    return *at < gram_count(s, n) && s->grams[n][*at] == gram ? count_next_run(s, n, at) : 0;
}

static void count_reference_grams(corpus *c, const sentence *s, size_t picture)
{
    for (int n = 0; n < LONGEST; n++)
        for (int i = 0; i < gram_count(s, n); i++) {
            int gram = s->grams[n][i];
            c->seen[gram].pictures += c->seen[gram].last != picture + 1;
            c->seen[gram].last = picture + 1;
        }
}

/* ---------------------------------------------------------------- the scores */

static sac_status add_bleu(sac_bleu_counts *sums, const sentence *candidate,
                           const sentence *references, int count, sac_error *error)
{
    /* in the n-grams of each, which ascend as ours do */
    int *at = malloc((size_t)count * sizeof *at);
    sac_status status = at ? SAC_OK : sac_no_memory(error, "scores");
    int closest = references[0].length;
    for (int r = 1; r < count; r++) {
        int length = references[r].length, off = abs(length - candidate->length);
        int best = abs(closest - candidate->length);
        if (off < best || (off == best && length < closest))
            closest = length;
    }
    sums->length += candidate->length;
    sums->reference_length += closest;
    for (int n = 0; n < LONGEST && status == SAC_OK; n++) {
        sums->guessed[n] += gram_count(candidate, n);
        memset(at, 0, (size_t)count * sizeof *at);
        for (int i = 0; i < gram_count(candidate, n) && status == SAC_OK;) {
            int gram = candidate->grams[n][i], most = 0, times = count_next_run(candidate, n, &i);
            for (int r = 0; r < count; r++) {
                int there = count_gram_from(&references[r], n, gram, &at[r]);
                most = there > most ? there : most;
            }
            sums->right[n] += times < most ? times : most;
            status = sac_cancel_check("scores", error);
        }
    }
    free(at);
    return status;
}

/* The longest common subsequence's words into *longest. */
static sac_status longest_common_subsequence(const sentence *a, const sentence *b, int *longest,
                                             sac_error *error)
{
    int *row = calloc((size_t)b->length + 1, sizeof *row);
    sac_status status = row ? SAC_OK : sac_no_memory(error, "scores");
    for (int i = 0; i < a->length && status == SAC_OK; i++) {
        for (int k = 0, diagonal = 0; k < b->length; k++) {
            int above = row[k + 1];
            if (a->words[i] == b->words[k])
                row[k + 1] = diagonal + 1;
            else if (row[k] > above)
                row[k + 1] = row[k];
            diagonal = above;
        }
        status = sac_cancel_check("scores", error);
    }
    *longest = status == SAC_OK ? row[b->length] : 0;
    free(row);
    return status;
}

static sac_status rouge_l(const sentence *candidate, const sentence *references, int count,
                          double *score, sac_error *error)
{
    const double beta = 1.2;
    double precision = 0, recall = 0;
    for (int r = 0; r < count; r++) {
        int common;
        sac_status status = longest_common_subsequence(candidate, &references[r], &common, error);
        if (status != SAC_OK)
            return status;
        if (common) {
            precision = fmax(precision, (double)common / candidate->length);
            recall = fmax(recall, (double)common / references[r].length);
        }
    }
    *score = precision > 0
                 ? (1 + beta * beta) * precision * recall / (recall + beta * beta * precision)
                 : 0;
    return SAC_OK;
}

static double tf_idf_weight(const corpus *c, int gram, int times)
{
    double pictures = gram < c->grams.count ? (double)c->seen[gram].pictures : 0;
    return times * (c->log_pictures - log(fmax(1, pictures)));
}

static double tf_idf_norm(const corpus *c, const sentence *s, int n)
{
    double sum = 0;
    for (int i = 0; i < gram_count(s, n);) {
        int gram = s->grams[n][i];
        double weight = tf_idf_weight(c, gram, count_next_run(s, n, &i));
        sum += weight * weight;
    }
    return sqrt(sum);
}

/* The length that counts is that in pairs of words, as there. */
static sac_status cider_d(const corpus *c, const sentence *candidate, const sentence *references,
                          int count, double *score, sac_error *error)
{
    const double sigma = 6;
    double sum = 0;
    sac_status status = SAC_OK;
    for (int n = 0; n < LONGEST; n++) {
        const double own = tf_idf_norm(c, candidate, n);
        for (int r = 0; r < count && status == SAC_OK; r++) {
            const sentence *reference = &references[r];
            double product = 0, norms = own * tf_idf_norm(c, reference, n);
            double off = gram_count(candidate, 1) - gram_count(reference, 1);
            for (int i = 0, at = 0; i < gram_count(candidate, n);) {
                int gram = candidate->grams[n][i];
                double here = tf_idf_weight(c, gram, count_next_run(candidate, n, &i));
                double there = tf_idf_weight(c, gram, count_gram_from(reference, n, gram, &at));
                product += fmin(here, there) * there;
            }
            if (norms > 0)
                sum += product / norms * exp(-off * off / (2 * sigma * sigma));
            status = sac_cancel_check("scores", error);
        }
    }
    *score = 10 * sum / LONGEST / count;
    return status;
}

/* ---------------------------------------------------------------- the corpus */

/* Marks the words of a candidate; how many were not marked before. */
static size_t mark_words(const sentence *candidate, bool *is_present)
{
    size_t words = 0;
    for (int i = 0; i < candidate->length; i++) {
        words += !is_present[candidate->words[i]];
        is_present[candidate->words[i]] = true;
    }
    return words;
}

/* Picture i has the sentences from begins[i] on, the candidate first. */
static sac_status read_all(corpus *c, const sac_scored_caption *captions, size_t count,
                           sentence *sentences, const size_t *begins, sac_error *error)
{
    sac_status status = SAC_OK;
    for (size_t i = 0; i < count && status == SAC_OK; i++) {
        sentence *s = sentences + begins[i];
        bool done = read_sentence(c, captions[i].candidate, true, s);
        for (int r = 0; r < captions[i].reference_count && done; r++) {
            done = read_sentence(c, captions[i].references[r], true, ++s);
            if (done)
                count_reference_grams(c, s, i);
        }
        status = done ? sac_cancel_check("scores", error) : sac_no_memory(error, "scores");
    }
    return status;
}

static sac_status score_all(const corpus *c, const sac_scored_caption *captions, size_t count,
                            const sentence *sentences, const size_t *begins, bool *is_present,
                            sac_caption_scores *scores, sac_error *error)
{
    sac_bleu_counts sums = {0};
    sac_status status = SAC_OK;
    *scores = (sac_caption_scores){0};
    for (size_t i = 0; i < count && status == SAC_OK; i++) {
        const sentence *candidate = sentences + begins[i], *references = candidate + 1;
        int most = captions[i].reference_count;
        double rouge = 0, cider = 0, meteor = 0;
        status = rouge_l(candidate, references, most, &rouge, error);
        if (status == SAC_OK)
            status = add_bleu(&sums, candidate, references, most, error);
        if (status == SAC_OK)
            status = cider_d(c, candidate, references, most, &cider, error);
        scores->rouge_l += rouge / (double)count;
        if (status == SAC_OK)
            status =
                sac_meteor(captions[i].candidate, captions[i].references, most, &meteor, error);
        scores->cider_d += cider / (double)count;
        scores->meteor += meteor / (double)count;
        scores->words += mark_words(candidate, is_present);
    }
    /* The small numbers are those of pycocoevalcap. */
    const double small = 1e-9, tiny = 1e-15;
    double product = 1, ratio = (sums.length + tiny) / (sums.reference_length + small);
    for (int n = 0; n < LONGEST; n++) {
        product *= (sums.right[n] + tiny) / (sums.guessed[n] + small);
        scores->bleu[n] = pow(product, 1.0 / (n + 1)) * (ratio < 1 ? exp(1 - 1 / ratio) : 1);
    }
    scores->counts = sums;
    return status;
}

sac_status sac_caption_score(const sac_scored_caption *captions, size_t count,
                             sac_caption_scores *scores, sac_error *error)
{
    corpus c = {.log_pictures = log((double)count)};
    size_t total = 0;
    sentence *sentences = NULL;
    bool *is_present = NULL;
    *scores = (sac_caption_scores){
        .bleu = {NAN, NAN, NAN, NAN}, .rouge_l = NAN, .meteor = NAN, .cider_d = NAN};
    if (!count)
        return SAC_OK;
    size_t *begins = calloc(count, sizeof *begins);
    for (size_t i = 0; begins && i < count; i++) {
        begins[i] = total;
        total += 1 + (size_t)captions[i].reference_count;
    }
    if (begins)
        sentences = calloc(total, sizeof *sentences);
    sac_status status = sentences ? read_all(&c, captions, count, sentences, begins, error)
                                  : sac_no_memory(error, "scores");
    if (status == SAC_OK && !(is_present = calloc((size_t)c.grams.count + 1, sizeof *is_present)))
        status = sac_no_memory(error, "scores");
    if (status == SAC_OK)
        status = score_all(&c, captions, count, sentences, begins, is_present, scores, error);
    for (size_t i = 0; sentences && i < total; i++)
        free(sentences[i].words);
    free(sentences);
    free(begins);
    free(is_present);
    free(c.seen);
    sac_text_table_free(&c.grams);
    return status;
}

sac_status sac_pictures_score(const sac_pictures *p, char *const *candidate, int skipped,
                              sac_caption_scores *scores, size_t *scored, sac_error *error)
{
    sac_scored_caption *captions = calloc(p->count + 1, sizeof *captions);
    const char **references = calloc(p->captions + 1, sizeof *references), **next = references;
    sac_status status = captions && references ? SAC_OK : sac_no_memory(error, "scores");
    *scored = 0;
    for (size_t i = 0; status == SAC_OK && i < p->count; i++) {
        const sac_captioned_picture *item = &p->items[i];
        if (!candidate[i])
            continue;
        captions[(*scored)++] =
            (sac_scored_caption){candidate[i], next, item->caption_count - skipped};
        for (int k = skipped; k < item->caption_count; k++)
            *next++ = item->captions[k].plain;
    }
    if (status == SAC_OK)
        status = sac_caption_score(captions, *scored, scores, error);
    free(captions);
    free(references);
    return status;
}

/* ---------------------------------------------------------------- a reward */

struct sac_cider {
    corpus c;
    sentence *references; /* of picture i those from begins[i] to begins[i + 1]; none of others */
    size_t *begins;       /* [pictures + 1] */
};

void sac_cider_destroy(sac_cider *cider)
{
    if (!cider)
        return;
    for (size_t i = 0; cider->references && cider->references[i].words; i++)
        free(cider->references[i].words);
    free(cider->references);
    free(cider->begins);
    free(cider->c.seen);
    sac_text_table_free(&cider->c.grams);
    free(cider);
}

/* A sentence with its end, which is a word that no caption has. */
static bool read_sentence_with_end(corpus *c, const char *plain, bool ended, bool grows,
                                   sentence *s)
{
    size_t size = strlen(plain) + 3;
    char *text = malloc(size);
    *s = (sentence){0};
    if (!text)
        return false;
    snprintf(text, size, "%s%s", plain, ended ? " ." : "");
    bool read = read_sentence(c, text, grows, s);
    free(text);
    return read;
}

sac_status sac_cider_create(const sac_pictures *p, sac_pictures_split split, sac_cider **made,
                            sac_error *error)
{
    sac_cider *cider = calloc(1, sizeof *cider);
    *made = NULL;
    if (cider) {
        cider->c.log_pictures = log((double)p->of_split[split]);
        cider->references = calloc(p->captions + 1, sizeof *cider->references);
        cider->begins = calloc(p->count + 1, sizeof *cider->begins);
    }
    bool read = cider && cider->references && cider->begins;
    sac_status status = SAC_OK;
    for (size_t i = 0, count = 0; i < p->count && read && status == SAC_OK; i++) {
        const sac_captioned_picture *item = &p->items[i];
        for (int k = 0; k < item->caption_count && item->split == split && read; k++) {
            sentence *s = &cider->references[count];
            read = read_sentence_with_end(&cider->c, item->captions[k].plain, true, true, s);
            if (read)
                count_reference_grams(&cider->c, s, i);
            count++;
        }
        cider->begins[i + 1] = count;
        status = sac_cancel_check("scores", error);
    }
    if (!read)
        status = sac_no_memory(error, "scores");
    if (status == SAC_OK)
        *made = cider;
    else
        sac_cider_destroy(cider);
    return status;
}

sac_status sac_cider_score(const sac_cider *cider, size_t picture, const char *plain, bool ended,
                           double *score, sac_error *error)
{
    size_t first = cider->begins[picture];
    sentence candidate;
    corpus c = cider->c; /* as it is */
    sac_status status = read_sentence_with_end(&c, plain, ended, false, &candidate)
                            ? cider_d(&c, &candidate, cider->references + first,
                                      (int)(cider->begins[picture + 1] - first), score, error)
                            : sac_no_memory(error, "scores");
    free(candidate.words);
    return status;
}
