/* Positions that no file has to hold: sines in the first half of the columns and cosines in the
 * second. */
#include <math.h>
#include <stdlib.h>

#include "architectures/architecture.h"
#include "base/error.h"

/* As the original code of each has them: Marian's sines go down by a column of two, and fairseq's
 * from the first column of their half to the last. */
static float value_of(const sac_pretrained_model *m, size_t place, size_t column, size_t width)
{
    bool is_marian = m->sinusoids == SAC_SINUSOIDS_OF_MARIAN;
    size_t sines = is_marian ? (width + 1) / 2 : width / 2;
    bool is_sine = column < sines;
    double at = (double)(is_sine ? column : column - sines);
    double angle = (double)place * (is_marian ? pow(10000, -2 * at / (double)width)
                                              : pow(10000, -at / (double)(sines - 1)));
    bool is_empty = !is_marian && (column >= 2 * sines || (int)place == m->padding);
    return is_empty ? 0 : (float)(is_sine ? sin(angle) : cos(angle));
}

typedef struct making {
    const sac_pretrained_model *m;
    float *table;
} making;

static sac_status give(void *context, const sac_parameter *parameter,
                       sac_parameter_numbers *numbers, sac_error *error)
{
    making *made = context;
    size_t width = parameter->shape[1];
    free(made->table);
    numbers->data = made->table = malloc(parameter->count * sizeof *made->table);
    if (!made->table)
        return sac_no_memory(error, parameter->name);
    for (size_t i = 0; i < parameter->count; i++)
        made->table[i] = value_of(made->m, i / width, i % width, width);
    return SAC_OK;
}

enum { FIRST_ROWS = 1024 }; /* more than a sentence that is generated has; a text may want more */

void sac_architecture_declare_sinusoids(sac_pretrained_model *m)
{
    size_t rows = m->max_positions < FIRST_ROWS ? m->max_positions : FIRST_ROWS;
    m->positions = sac_parameter_matrix(&m->made, "sinusoids", rows + m->first_place, m->width);
}

sac_status sac_architecture_make_sinusoids(sac_pretrained_model *m, sac_error *error)
{
    making made = {.m = m};
    sac_status status = sac_parameters_take(&m->made, m->device, give, &made, error);
    free(made.table);
    return status;
}

sac_status sac_architecture_extend_positions(sac_pretrained_model *m, size_t places,
                                             sac_error *error)
{
    places += m->first_place;
    if (!m->made.count || places <= m->positions->shape[0])
        return SAC_OK;
    sac_parameters_destroy(&m->made);
    m->positions = sac_parameter_matrix(&m->made, "sinusoids", places, m->width);
    if (m->decoder)
        m->decoder->positions = m->positions;
    return sac_architecture_make_sinusoids(m, error);
}
