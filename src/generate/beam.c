/* The hypotheses of a beam. */

#include "generate/beam.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

sac_status sac_beam_begin(sac_beam *beam, const sac_beam_options *options, sac_error *error)
{
    assert(options->width >= 1 && options->width <= SAC_BEAM_WIDTH && options->length >= 1);
    if (!beam->row || !beam->tokens || beam->options.length < options->length) {
        free(beam->row);
        free(beam->tokens);
        beam->row = calloc((size_t)options->length + 1, sizeof *beam->row);
        beam->tokens = calloc((size_t)options->length + 1, sizeof *beam->tokens);
    }
    beam->options = *options;
    if (!beam->row || !beam->tokens)
        return sac_no_memory(error, "beam");
    beam->step = 0;
    beam->rows = 1;
    beam->row[0][0] = (sac_beam_row){.parent = -1, .word = options->start};
    beam->ended_step = beam->ended_row = -1;
    beam->ended_score = 0;
    beam->ended_count = 0;
    beam->worth_count = 0;
    beam->is_cut = false;
    return SAC_OK;
}

void sac_beam_free(sac_beam *beam)
{
    free(beam->row);
    free(beam->tokens);
    *beam = (sac_beam){0};
}

/* Sorts `row` into the `count` best ones; returns how many there are then. */
static int keep_best(sac_beam_row *best, int count, int width, sac_beam_row row)
{
    int place = count;
    while (place > 0 && best[place - 1].score < row.score)
        place--;
    if (place == width)
        return count;
    count = count < width ? count + 1 : width;
    for (int i = count - 1; i > place; i--)
        best[i] = best[i - 1];
    best[place] = row;
    return count;
}

static bool may_generate_any_token(const sac_beam_options *o)
{
    return o->as_generated || o->narrows;
}

static bool list_has_word(const int *list, int count, int word)
{
    for (int i = 0; i < count; i++)
        if (list[i] == word)
            return true;
    return false;
}

bool sac_beam_is_end(const sac_beam_options *o, int word)
{
    return word == o->end || (o->rules && list_has_word(o->rules->ends, o->rules->end_count, word));
}

/* Without the rules of the place: the end is among them. */
static bool may_be_generated(const sac_beam_options *o, int word)
{
    if (may_generate_any_token(o))
        return true;
    return word != o->pad && word != o->start;
}

/* Forbidden wherever it stands. */
static bool is_forbidden(const sac_beam_options *o, int word)
{
    const sac_token_rules *r = o->rules;
    if (!r)
        return false;
    for (int i = 0; i < r->banned_count; i += 1 + r->banned[i])
        if (r->banned[i] == 1 && r->banned[i + 1] == word)
            return true;
    return list_has_word(r->never, r->never_count, word);
}

bool sac_beam_may_hold(const sac_beam_options *o, int word)
{
    return word >= 0 && word < o->vocabulary && !sac_beam_is_end(o, word) &&
           may_be_generated(o, word) && !is_forbidden(o, word);
}

/* The `most` best ones, best first. */
static int find_best(const sac_beam *beam, const float *log_probability, int given, int most,
                     sac_beam_row *best)
{
    const sac_beam_options *o = &beam->options;
    int count = 0, vocabulary = o->vocabulary;
    const bool ends = o->ends_at_length && beam->step + 1 == o->length && given < 0;
    const bool may_end = beam->step > 0 || may_generate_any_token(o);
    for (int r = 0; r < beam->rows; r++)
        for (int w = 0; w < vocabulary; w++) {
            double own = ends ? 0 : (double)log_probability[r * vocabulary + w];
            double score = beam->row[beam->step][r].score + own;
            if (given < 0 && o->as_generated && !(score > -INFINITY))
                continue; /* a rule forbids it */
            if (ends         ? w == o->end
                : given >= 0 ? w == given
                             : may_be_generated(o, w) && (may_end || !sac_beam_is_end(o, w)))
                count = keep_best(best, count, most, (sac_beam_row){r, w, score});
        }
    return count;
}

/* Of a sentence of `length` tokens. */
static double penalized_score(const sac_beam *beam, double score, int length)
{
    return score / pow(length, beam->options.length_penalty);
}

/* Of the best one that goes on, where it ended now, or at last; there is one. Our own search goes on as
 * long as that could be better. */
static double best_possible_score(const sac_beam *beam)
{
    const sac_beam_options *o = &beam->options;
    bool is_patient = !o->as_generated || o->patience == SAC_BEAM_TO_THE_END;
    bool hopes = is_patient && o->length_penalty > 0;
    return penalized_score(beam, beam->row[beam->step][0].score, hopes ? o->length : beam->step);
}

/* ---------------------------------------------------------------- as `generate` does it */

/* A sentence that ends with the next word, where it is among the best that ended. */
static void end_sentence(sac_beam *beam, const sac_beam_row *row)
{
    double worth = penalized_score(beam, row->score, beam->step + 1);
    int place = beam->worth_count;
    while (place > 0 && beam->worth[place - 1] < worth)
        place--;
    if (place == beam->options.width)
        return;
    if (beam->worth_count < beam->options.width)
        beam->worth_count++;
    for (int i = beam->worth_count - 1; i > place; i--)
        beam->worth[i] = beam->worth[i - 1];
    beam->worth[place] = worth;
    if (place > 0)
        return;
    beam->ended_step = beam->step;
    beam->ended_row = row->parent;
    beam->ended_score = worth;
}

/* True where a sentence that goes on is worth following. */
static bool may_improve(const sac_beam *beam)
{
    const sac_beam_options *o = &beam->options;
    bool full = beam->worth_count == o->width;
    if (beam->rows == 0 || (full && o->patience == SAC_BEAM_UNTIL_FULL))
        return false;
    return !full || best_possible_score(beam) > beam->worth[o->width - 1];
}

/* Twice as many are looked at as go on, so that enough go on where some end; only those among the
 * first `width` can end, and in the last step be cut. One alone ends with its first end: that is
 * the greedy search. */
static bool step_as_generated(sac_beam *beam, const float *log_probability, int given)
{
    sac_beam_row best[2 * SAC_BEAM_WIDTH];
    const sac_beam_options *o = &beam->options;
    int count = find_best(beam, log_probability, given, 2 * o->width, best), rows = 0;
    bool is_last = beam->step + 1 == o->length, ended = false;
    for (int i = 0; i < count; i++) {
        bool ends = sac_beam_is_end(o, best[i].word);
        if (ends && i < o->width)
            end_sentence(beam, &best[i]);
        ended = ended || (ends && o->width == 1 && i == 0);
        if (!ends && rows < o->width && !(is_last && i >= o->width))
            beam->row[beam->step + 1][rows++] = best[i];
    }
    beam->step++;
    beam->rows = ended ? 0 : rows;
    beam->is_cut = is_last && beam->rows > 0 &&
                   (beam->worth_count == 0 || penalized_score(beam, beam->row[beam->step][0].score,
                                                              beam->step) > beam->ended_score);
    return !is_last && may_improve(beam);
}

/* ---------------------------------------------------------------- which tokens may follow */

bool sac_beam_has_restrictions(const sac_beam_options *o)
{
    const sac_token_rules *r = o->rules;
    bool by_rules = r && (r->banned_count || r->never_count || r->not_first_count ||
                          r->first_alone || r->forced || r->renormalizes || r->once || r->times);
    return o->shortest > 1 || o->no_repeat > 0 || (o->repetition > 0 && o->repetition != 1) ||
           by_rules;
}

/* Of those before the start, and then of `tokens`. */
static int token_at(const sac_beam_options *o, const int *tokens, int i)
{
    return i < o->before_count ? o->before[i] : tokens[i - o->before_count];
}

/* Each token of the list, once; one of a picture may be outside the vocabulary. */
static void penalize_repetition(const sac_beam_options *o, const int *tokens, int count,
                                float *scores)
{
    for (int i = 0; i < count; i++) {
        int word = token_at(o, tokens, i);
        bool is_again = list_has_word(o->before, i < o->before_count ? i : o->before_count, word) ||
                        list_has_word(tokens, i - o->before_count, word);
        if (word < 0 || word >= o->vocabulary || is_again)
            continue;
        float *score = &scores[word];
        *score = (float)(*score < 0 ? *score * o->repetition : *score / o->repetition);
    }
}

static void forbid(const sac_beam_options *o, float *scores, int word)
{
    if (word >= 0 && word < o->vocabulary)
        scores[word] = -INFINITY;
}

/* The tokens that would end a run of `length` ones for the second time. */
static void forbid_repeated_runs(const sac_beam_options *o, const int *tokens, int count,
                                 float *scores)
{
    const int length = o->no_repeat, last = count - (length - 1);
    for (int i = 0; i + length <= count; i++) {
        bool is_run = true; /* the tokens from `i` on are the last ones */
        for (int k = 0; k < length - 1 && is_run; k++)
            is_run = token_at(o, tokens, i + k) == token_at(o, tokens, last + k);
        if (is_run)
            forbid(o, scores, token_at(o, tokens, i + length - 1));
    }
}

static void forbid_all(const sac_beam_options *o, float *scores, const int *words, int count)
{
    for (int i = 0; i < count; i++)
        forbid(o, scores, words[i]);
}

/* The last tokens of runs that are banned, where the others of a run stand last. The end alone
 * is never banned so. */
static void forbid_banned(const sac_beam_options *o, const int *tokens, int count, float *scores)
{
    const int *list = o->rules->banned, *end = list + o->rules->banned_count;
    for (; list < end; list += 1 + *list) {
        int before = list[0] - 1, last = list[list[0]];
        bool fits = before <= count;
        for (int k = 0; k < before && fits; k++)
            fits = token_at(o, tokens, count - before + k) == list[1 + k];
        if (fits && (before > 0 || !sac_beam_is_end(o, last)))
            forbid(o, scores, last);
    }
}

/* The probabilities of what is left have the sum 1. */
static void renormalize(float *scores, int count)
{
    double highest = -INFINITY, sum = 0;
    for (int i = 0; i < count; i++)
        highest = fmax(highest, scores[i]);
    for (int i = 0; i < count; i++)
        sum += exp(scores[i] - highest);
    for (int i = 0; i < count && sum > 0; i++)
        scores[i] = (float)(scores[i] - highest - log(sum));
}

static void forbid_between(float *scores, int from, int end)
{
    for (int w = from; w < end; w++)
        scores[w] = -INFINITY;
}

/* Where the times together are more probable than the best other token, one of them comes. */
static void prefer_times(const sac_beam_options *o, float *scores)
{
    const int times = o->rules->times;
    double best_text = -INFINITY, best_time = -INFINITY, sum = 0;
    for (int w = 0; w < o->vocabulary; w++)
        if (w < times)
            best_text = fmax(best_text, scores[w]);
        else
            best_time = fmax(best_time, scores[w]);
    for (int w = times; w < o->vocabulary && best_time > -INFINITY; w++)
        sum += exp(scores[w] - best_time);
    if (best_time > -INFINITY && best_time + log(sum) > best_text)
        forbid_between(scores, 0, times);
}

/* As Whisper was trained to: times come in pairs, but before the end, never decrease, and a sentence begins
 * with one. `tokens` [count] have the start before them. */
static void apply_timestamp_rules(const sac_beam_options *o, const int *tokens, int count,
                                  float *scores)
{
    const sac_token_rules *r = o->rules;
    const int first = r->times, end = o->vocabulary;
    const bool last = count > 1 && tokens[count - 1] >= first;
    const bool last_but_one = count <= 2 || tokens[count - 2] >= first;
    int least = first;
    forbid(o, scores, first - 1);
    if (last && last_but_one)
        forbid_between(scores, first, end);
    else if (last)
        forbid_between(scores, 0, o->end < end ? o->end : end);
    for (int i = 1; i < count; i++)
        if (tokens[i] >= first)
            least = tokens[i] + !(last && !last_but_one);
    forbid_between(scores, first, least < end ? least : end);
    if (count == 1) {
        forbid_between(scores, 0, first);
        if (r->latest_first)
            forbid_between(scores, first + r->latest_first, end);
    }
    prefer_times(o, scores);
}

/* In the order in which `generate` of transformers does it. */
static void apply_token_rules(const sac_beam_options *o, const int *tokens, int count,
                              float *scores)
{
    const sac_token_rules *r = o->rules;
    if (r->forced && count == 1)
        for (int w = 0; w < o->vocabulary; w++)
            scores[w] = w == r->forced - 1 ? 0 : -INFINITY;
    forbid_all(o, scores, r->never, r->never_count);
    if (count == r->first_at)
        forbid_all(o, scores, r->not_first, r->not_first_count);
    if (r->first_alone && count > r->first_at)
        forbid(o, scores, r->first_alone - 1);
    if (r->times && r->times < o->vocabulary)
        apply_timestamp_rules(o, tokens, count, scores);
    if (r->renormalizes)
        renormalize(scores, o->vocabulary);
}

void sac_restrain(const sac_beam_options *o, const int *tokens, int count, float *scores)
{
    count += o->before_count;
    if (o->repetition > 0)
        penalize_repetition(o, tokens, count, scores);
    if (o->no_repeat > 0 && count >= o->no_repeat - 1)
        forbid_repeated_runs(o, tokens, count, scores);
    if (o->rules)
        forbid_banned(o, tokens, count, scores);
    for (int i = 0; i < count && o->rules && o->rules->once; i++) {
        int word = token_at(o, tokens, i);
        if (word >= 0 && word < o->vocabulary && o->rules->once[word])
            forbid(o, scores, word);
    }
    if (count < o->shortest) {
        forbid(o, scores, o->end);
        if (o->rules)
            forbid_all(o, scores, o->rules->ends, o->rules->end_count);
    }
    if (o->rules)
        apply_token_rules(o, tokens, count, scores);
}

void sac_beam_restrain(const sac_beam *beam, int row, float *scores)
{
    const int count = beam->step + 1; /* of the row's tokens, from the start on */
    for (int t = beam->step, r = row; t >= 0; r = beam->row[t--][r].parent)
        beam->tokens[t] = beam->row[t][r].word;
    sac_restrain(&beam->options, beam->tokens, count, scores);
}

/* ---------------------------------------------------------------- the search */

bool sac_beam_step(sac_beam *beam, const float *log_probability, int given)
{
    sac_beam_row best[SAC_BEAM_WIDTH];
    if (beam->options.as_generated)
        return step_as_generated(beam, log_probability, given);
    int width = beam->options.width - beam->ended_count, rows = 0;
    int count = find_best(beam, log_probability, given, width, best);
    for (int i = 0; i < count; i++) {
        bool ends = sac_beam_is_end(&beam->options, best[i].word);
        beam->ended_count += ends && beam->options.narrows;
        if (!ends)
            beam->row[beam->step + 1][rows++] = best[i];
        else {
            double worth = penalized_score(beam, best[i].score, beam->step + 1);
            if (beam->ended_step >= 0 && worth <= beam->ended_score)
                continue;
            beam->ended_step = beam->step;
            beam->ended_row = best[i].parent;
            beam->ended_score = worth;
        }
    }
    beam->step++;
    beam->rows = rows;
    return !sac_beam_has_ended(beam) && beam->step < beam->options.length;
}

void sac_beam_last_words(const sac_beam *beam, int words[SAC_BEAM_WIDTH],
                         int parents[SAC_BEAM_WIDTH])
{
    for (int i = 0; i < SAC_BEAM_WIDTH; i++) {
        const sac_beam_row *row = i < beam->rows ? &beam->row[beam->step][i] : NULL;
        words[i] = row ? row->word : 0;
        parents[i] = row && beam->step > 0 ? row->parent : 0;
    }
}

bool sac_beam_has_ended(const sac_beam *beam)
{
    if (beam->ended_step < 0)
        return false;
    if (beam->options.as_generated)
        return !beam->is_cut;
    if ((beam->options.narrows || beam->options.length_penalty > 0) &&
        beam->step == beam->options.length)
        return true; /* what was cut is as long as can be, and would win by that */
    return beam->rows == 0 || beam->ended_score >= best_possible_score(beam);
}

int sac_beam_path(const sac_beam *beam, int *words, int *rows)
{
    bool ended = sac_beam_has_ended(beam);
    int count = ended ? beam->ended_step : beam->step, row = ended ? beam->ended_row : 0;
    for (int t = count; t > 0; t--) {
        words[t - 1] = beam->row[t][row].word;
        rows[t - 1] = row = beam->row[t][row].parent;
    }
    return count;
}

sac_status sac_beam_search(sac_beam *beam, const sac_beam_options *options,
                           const sac_beam_scorer *scorer, const int *prefix, int prefix_count,
                           sac_error *error)
{
    const float *log_probability = NULL;
    sac_status status = sac_beam_begin(beam, options, error);
    for (bool more = true; more && status == SAC_OK;) {
        int given = beam->step < prefix_count ? prefix[beam->step] : -1;
        status = scorer->step(scorer->self, beam, &log_probability, error);
        if (status == SAC_OK)
            more = sac_beam_step(beam, log_probability, given);
    }
    return status;
}
