/* What tells layers where tokens stand, beside positions that are added to words: tables by which
 * queries and keys are turned, biases of scores; and what heads are scaled by. */
#include <math.h>
#include <stdlib.h>

#include "architectures/architecture.h"
#include "base/error.h"

#define PI 3.14159265358979323846

/* Heads of ALiBi (Press et al. 2022) fall by a geometric series of slopes: 2^(−8/n), … for n heads,
 * n a power of 2; of other numbers those of the power below, and between them those of twice it. */
float sac_architecture_bias(int heads, int head, size_t key)
{
    int power = 1;
    while (2 * power <= heads)
        power *= 2;
    double exponent =
        head < power ? -8.0 / power * (head + 1) : -4.0 / power * (2 * (head - power) + 1);
    return (float)pow(2, exponent) * (float)key;
}

static void write(sac_pretrained_model *m, sac_tensor table, float *numbers)
{
    if (numbers)
        sac_pass_write(&m->pass, table, numbers);
    else
        SAC_PASS_CALL(&m->pass, sac_no_memory(&m->pass.error, m->name));
    free(numbers);
}

/* The middle of a patch lies between −1 and 1 in each axis; the first half of the angles is of its
 * height. */
static void turn_patches(sac_pretrained_model *m, sac_tensor table, const sac_inference *p)
{
    size_t half = table.width / 2, quarter = half / 2, prefix = (size_t)p->prefix;
    float *numbers = malloc(table.rows * table.width * sizeof *numbers);
    for (size_t t = 0; numbers && t < table.rows; t++)
        for (size_t i = 0; i < half; i++) {
            size_t patch = t - prefix, across = (size_t)p->grid_w;
            double place = i < quarter ? ((double)(patch / across) + 0.5) / p->grid_h
                                       : ((double)(patch % across) + 0.5) / p->grid_w;
            double turns = pow(m->rope.base, -(double)(i % quarter) / (double)quarter);
            double angle = t < prefix ? 0 : 2 * PI * (2 * place - 1) * turns;
            numbers[t * table.width + i] = (float)cos(angle);
            numbers[t * table.width + half + i] = (float)sin(angle);
        }
    write(m, table, numbers);
}

static void bias(sac_pretrained_model *m, sac_tensor table)
{
    float *numbers = malloc(table.rows * table.width * sizeof *numbers);
    for (size_t i = 0; numbers && i < table.rows * table.width; i++)
        numbers[i] = sac_architecture_bias(m->run.heads, (int)(i / table.width), i % table.width);
    write(m, table, numbers);
}

static void turn(sac_pretrained_model *m, sac_arena *arena, const sac_rope *rope, sac_tensor *table,
                 size_t first, size_t count)
{
    if (!rope->rotary.depth)
        return;
    const sac_rotary rotary = sac_architecture_rotary(rope, first + count);
    sac_arena_shape(arena, &m->pass, table, count, rotary.depth);
    sac_rotary_place(&m->pass, &rotary, *table, first);
}

void sac_architecture_scale_heads(sac_pretrained_model *m, sac_arena *arena, sac_placing *placing,
                                  const float *scale)
{
    size_t layers = (size_t)m->layers, heads = (size_t)m->run.heads;
    if (!scale)
        return;
    size_t width = m->layer[0].attention[SAC_PART_SELF].out.w->value.width, depth = width / heads;
    float *numbers = malloc(layers * width * sizeof *numbers);
    for (size_t i = 0; numbers && i < layers * width; i++)
        numbers[i] = scale[i / depth];
    sac_arena_shape(arena, &m->pass, &placing->scales, layers, width);
    write(m, placing->scales, numbers);
}

void sac_architecture_place(sac_pretrained_model *m, sac_arena *arena, sac_placing *placing,
                            size_t first, size_t count, size_t most, const sac_inference *picture)
{
    if (m->turns_patches) {
        sac_arena_shape(arena, &m->pass, &placing->turns, count, m->rope.rotary.depth);
        turn_patches(m, placing->turns, picture);
        return;
    }
    turn(m, arena, &m->rope, &placing->turns, first, count);
    turn(m, arena, &m->local_rope, &placing->local, first, count);
    if (!m->has_biases)
        return;
    size_t heads = (size_t)m->run.heads;
    sac_arena_shape(arena, &m->pass, &placing->biases, heads, most);
    placing->biases.width = first + count;
    bias(m, placing->biases);
}
