/* Positions that no file has to hold: sines in the first half of the columns and cosines in the
 * second, as Marian has them. */
#include <math.h>
#include <stdlib.h>

#include "architectures/architecture.h"
#include "base/error.h"

static void fill(float *table, size_t count, size_t width)
{
    size_t sines = (width + 1) / 2;
    for (size_t n = 0; n < count; n++)
        for (size_t k = 0; k < width; k++) {
            size_t column = k < sines ? k : k - sines;
            double angle = (double)n / pow(10000, 2 * (double)column / (double)width);
            table[n * width + k] = (float)(k < sines ? sin(angle) : cos(angle));
        }
}

static sac_status give(void *context, const sac_parameter *parameter,
                       sac_parameter_numbers *numbers, sac_error *error)
{
    float **table = context;
    free(*table);
    *table = malloc(parameter->count * sizeof **table);
    numbers->data = *table;
    if (!*table)
        return sac_no_memory(error, parameter->name);
    fill(*table, parameter->shape[0], parameter->shape[1]);
    return SAC_OK;
}

enum { FIRST_ROWS = 1024 }; /* more than a sentence that is generated has; a text may want more */

void sac_architecture_declare_sinusoids(sac_pretrained_model *m)
{
    size_t rows = m->places < FIRST_ROWS ? m->places : FIRST_ROWS;
    m->positions = sac_parameter_matrix(&m->made, "sinusoids", rows, m->width);
}

sac_status sac_architecture_make_sinusoids(sac_pretrained_model *m, sac_error *error)
{
    float *table = NULL;
    sac_status status = sac_parameters_take(&m->made, m->device, give, &table, error);
    free(table);
    return status;
}

sac_status sac_architecture_reach(sac_pretrained_model *m, size_t places, sac_error *error)
{
    if (!m->made.count || places <= m->positions->shape[0])
        return SAC_OK;
    sac_parameters_destroy(&m->made);
    m->positions = sac_parameter_matrix(&m->made, "sinusoids", places, m->width);
    if (m->decoder)
        m->decoder->positions = m->positions;
    return sac_architecture_make_sinusoids(m, error);
}
