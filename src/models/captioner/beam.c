#include "captioner/beam.h"

#include <assert.h>

#include "scenes/vocabulary.h"

void sac_beam_begin(sac_beam *beam, int width, int vocabulary)
{
    assert(width >= 1 && width <= SAC_BEAM_WIDTH);
    beam->width = width;
    beam->vocabulary = vocabulary;
    beam->step = 0;
    beam->rows = 1;
    beam->row[0][0] = (sac_beam_row){.parent = -1, .word = SAC_WORD_START};
    beam->ended_step = beam->ended_row = -1;
    beam->ended_score = 0;
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

static bool may_say(const sac_beam *beam, int word, int given)
{
    if (given >= 0)
        return word == given;
    return word != SAC_WORD_PAD && word != SAC_WORD_START &&
           (word != SAC_WORD_END || beam->step > 0);
}

static int find_best(const sac_beam *beam, const float *log_probability, int given,
                     sac_beam_row *best)
{
    int count = 0;
    for (int r = 0; r < beam->rows; r++)
        for (int w = 0; w < beam->vocabulary; w++) {
            double score =
                beam->row[beam->step][r].score + log_probability[r * beam->vocabulary + w];
            if (may_say(beam, w, given))
                count = keep_best(best, count, beam->width, (sac_beam_row){r, w, score});
        }
    return count;
}

bool sac_beam_step(sac_beam *beam, const float *log_probability, int given)
{
    sac_beam_row best[SAC_BEAM_WIDTH];
    int count = find_best(beam, log_probability, given, best), rows = 0;
    for (int i = 0; i < count; i++) {
        bool ends = best[i].word == SAC_WORD_END;
        if (!ends)
            beam->row[beam->step + 1][rows++] = best[i];
        else if (beam->ended_step < 0 || best[i].score > beam->ended_score) {
            beam->ended_step = beam->step;
            beam->ended_row = best[i].parent;
            beam->ended_score = best[i].score;
        }
    }
    beam->step++;
    beam->rows = rows;
    return !sac_beam_has_ended(beam) && beam->step < SAC_CAPTION_WORDS;
}

bool sac_beam_has_ended(const sac_beam *beam)
{
    if (beam->ended_step < 0)
        return false;
    return beam->rows == 0 || beam->ended_score >= beam->row[beam->step][0].score;
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
