/* Sampling settings as text. */
#include "sources/generation.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void sac_generation_free(sac_generation *generation)
{
    sac_labels_free(&generation->tokens);
    free(generation->rows);
    free(generation->cells);
    free(generation->turns);
    free(generation->text);
    *generation = (sac_generation){0};
}

void sac_generation_turn_shares(const sac_generation *generation, size_t step, float *shares)
{
    const float *row = generation->rows + step * generation->count;
    const size_t turns = generation->turn_count, read = generation->count - generation->generated;
    memset(shares, 0, (turns + 2) * sizeof *shares);
    for (size_t i = 0, turn = 0; i < generation->count; i++) {
        while (turn < turns && i >= generation->turns[turn].from + generation->turns[turn].count)
            turn++;
        const bool is_of_turn = turn < turns && i >= generation->turns[turn].from;
        shares[i >= read ? turns + 1 : is_of_turn ? turn : turns] += row[i];
    }
}

/* Of a row [count], into [count − pictured + 1]. */
static void fold_picture_columns(const sac_generation *generation, const float *row, float *folded)
{
    size_t end = generation->picture + generation->pictured;
    float sum = 0;
    for (size_t i = generation->picture; i < end; i++)
        sum += row[i];
    memcpy(folded, row, generation->picture * sizeof *row);
    folded[generation->picture] = sum;
    memcpy(folded + generation->picture + 1, row + end, (generation->count - end) * sizeof *row);
}

sac_status sac_generation_fold_picture(sac_generation *generation, const char *name,
                                       sac_error *error)
{
    sac_labels *tokens = &generation->tokens;
    size_t end = generation->picture + generation->pictured,
           count = generation->count - generation->pictured + 1;
    if (!generation->pictured)
        return SAC_OK;
    float *rows = malloc((generation->generated * count + 1) * sizeof *rows);
    char *one = strdup(name);
    if (!rows || !one) {
        free(rows);
        free(one);
        return sac_no_memory(error, name);
    }
    for (size_t s = 0; s < generation->generated; s++)
        fold_picture_columns(generation, generation->rows + s * generation->count,
                             rows + s * count);
    free(generation->rows);
    generation->rows = rows;
    for (size_t i = generation->picture; i < end; i++)
        free(tokens->text[i]);
    tokens->text[generation->picture] = one;
    memmove(tokens->text + generation->picture + 1, tokens->text + end,
            (generation->count - end) * sizeof *tokens->text);
    if (generation->apart)
        generation->apart -= generation->pictured - 1;
    tokens->count = generation->count = count;
    generation->pictured = 1;
    return SAC_OK;
}

char *sac_sampling_text(const sac_sampling *how, char *text, size_t size)
{
    int used = snprintf(text, size, "%.9g %d %.9g %" PRIu64 " %d", (double)how->draw.temperature,
                        how->draw.top_k, (double)how->draw.top_p, how->draw.seed, how->count);
    if (how->beam > 1 && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, " beam %d", how->beam);
    if (how->beam > 1 && how->penalty.given && used > 0 && (size_t)used < size)
        used +=
            snprintf(text + used, size - (size_t)used, " penalty %.9g", (double)how->penalty.value);
    for (int i = 0; i < how->changes && used > 0 && (size_t)used < size; i++)
        used += snprintf(text + used, size - (size_t)used, " %d=%d", how->change[i].step,
                         how->change[i].id);
    return text;
}

bool sac_sampling_read(const char *text, sac_sampling *how)
{
    sac_sampling read = {0};
    int used = 0, part;
    if (sscanf(text, "%f %9d %f %" SCNu64 " %9d%n", &read.draw.temperature, &read.draw.top_k,
               &read.draw.top_p, &read.draw.seed, &read.count, &used) != 5 ||
        !(read.draw.temperature >= 0 && read.draw.temperature <= 100) || read.draw.top_k < 0 ||
        !(read.draw.top_p >= 0 && read.draw.top_p <= 1) || read.count < 1 ||
        read.count > SAC_GENERATION_MOST)
        return false;
    const char *at = text + used;
    used = 0;
    if (sscanf(at, " beam %9d%n", &read.beam, &used) == 1 &&
        (read.beam < 2 || read.beam > SAC_SAMPLING_BEAM))
        return false;
    at += used;
    used = 0;
    if (read.beam && sscanf(at, " penalty %f%n", &read.penalty.value, &used) == 1) {
        read.penalty.given = true;
        if (!(fabsf(read.penalty.value) <= SAC_LENGTH_PENALTY))
            return false;
    }
    for (at += used; *at; at += part) {
        int step, id, last = read.changes ? read.change[read.changes - 1].step : -1;
        part = 0;
        if (sscanf(at, " %9d=%9d%n", &step, &id, &part) != 2 || !part || step <= last || id < 0 ||
            step >= read.count || !sac_sampling_change(&read, step, id))
            return false;
    }
    *how = read;
    return true;
}

bool sac_sampling_change(sac_sampling *how, int step, int id)
{
    int kept = 0;
    while (kept < how->changes && how->change[kept].step < step)
        kept++;
    if (kept == SAC_SAMPLING_CHANGES)
        return false;
    how->change[kept].step = step;
    how->change[kept].id = id;
    how->changes = kept + 1;
    return true;
}
