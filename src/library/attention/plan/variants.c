/* The specialisations of the kernels: -D options, and the list that the check of kernels reads. */

#include "attention/plan/variants.h"

#include <stdio.h>
#include <string.h>

#include "base/round.h"

sac_specialisation sac_specialise_cpu(const sac_tiling *tiling)
{
    return (sac_specialisation){.source = "attend_cpu",
                                .tiling = *tiling,
                                .squares = tiling->pairs >= SAC_SQUARES ? 3 : 0,
                                .by_loops = tiling->pairs == SAC_PAIRS_BY_LOOPS ||
                                            tiling->pairs == SAC_SQUARES_BY_LOOPS};
}

sac_specialisation sac_specialise_gpu(const sac_tiling *tiling, unsigned columns)
{
    return (sac_specialisation){.source = "attend_gpu", .tiling = *tiling, .columns = columns};
}

/* Heads of 32, 64, 96 and 128 with 16 work-items across. */
static const unsigned column_choices[] = {2, 4, 6, 8};
/* The widest heads of the backward pass's specialisations. */
static const size_t backward_widths[] = {32, 64, SAC_BACKWARD_GPU_WIDEST};
enum {
    COLUMN_CHOICES = sizeof column_choices / sizeof *column_choices,
    BACKWARD_WIDTHS = sizeof backward_widths / sizeof *backward_widths
};

unsigned sac_gpu_rounded_columns(size_t columns)
{
    size_t i = 0;
    while (i < COLUMN_CHOICES - 1 && column_choices[i] < columns)
        i++;
    return column_choices[i];
}

/* No fewer than one: there may be no values. */
static unsigned matrix_step_count(size_t numbers, sac_matrix matrix)
{
    return numbers ? (unsigned)sac_ceil_div(numbers, sac_matrix_step(matrix)) : 1;
}

sac_specialisation sac_specialise_matrix(const sac_tiling *tiling, size_t dim, size_t value_dim,
                                         bool by_loops)
{
    return (sac_specialisation){.source = "attend_matrix",
                                .tiling = *tiling,
                                .dim_steps = matrix_step_count(dim, tiling->matrix),
                                .column_steps = matrix_step_count(value_dim, tiling->matrix),
                                .by_loops = by_loops};
}

sac_specialisation sac_specialise_naive(void)
{
    return (sac_specialisation){.source = "attend_naive"};
}

sac_specialisation sac_specialise_overflow(sac_score form)
{
    return (sac_specialisation){.source = "overflow", .form = form};
}

sac_specialisation sac_specialise_backward(void)
{
    return (sac_specialisation){.source = "attend_backward_naive"};
}

sac_specialisation sac_specialise_backward_cpu(const sac_tiling *tiling)
{
    sac_specialisation s = sac_specialise_cpu(tiling);
    s.source = "attend_backward_cpu";
    s.tiling = sac_tiling_for_backward(tiling);
    return s;
}

sac_specialisation sac_specialise_backward_gpu(const sac_tiling *tiling, size_t dim)
{
    size_t width = 0, across = sac_tiling_items_across(tiling);
    while (backward_widths[width] < dim && width < BACKWARD_WIDTHS - 1)
        width++;
    return (sac_specialisation){.source = "attend_backward_gpu",
                                .tiling = *tiling,
                                .columns = (unsigned)(backward_widths[width] / across)};
}

char *sac_specialisation_options(const sac_specialisation *specialisation, char *options,
                                 size_t size)
{
    const sac_specialisation *s = specialisation;
    const sac_tiling *t = &s->tiling;
    unsigned width = t->rows_each ? 4 : t->width ? t->width : 1;
    size_t used = (size_t)snprintf(
        options, size, "-DSCORE=%d -DSOFTCAP=%d -DNORMALIZER=%d -DFAST_FMA=%d -DWIDTH=%u",
        (int)s->form, s->softcap, (int)s->normalizer, s->fast_fma, width);
    if (t->tile_rows)
        used += (size_t)snprintf(options + used, size - used, " -DTILE_ROWS=%u -DBLOCK_KEYS=%u",
                                 t->tile_rows, t->block_keys);
    if (t->micro_rows)
        used += (size_t)snprintf(
            options + used, size - used,
            " -DMICRO_ROWS=%u -DTILE_FLOATS=%u -DWEIGHT_ROWS=%u -DPAIRS=%d -DSQUARES=%d",
            t->micro_rows, t->tile_floats, t->weight_rows, s->pairs, s->squares > 0);
    if (s->squares)
        used += (size_t)snprintf(options + used, size - used, " -DA_PARTS=%u -DB_PARTS=%u",
                                 s->squares, s->squares);
    if (s->pairs || s->squares)
        snprintf(options + used, size - used, " -DBY_LOOPS=%d", s->by_loops);
    if (t->matrix)
        snprintf(options + used, size - used,
                 " -DMATRIX=%d -DBY_LOOPS=%d -DBLOCKS=%u -DDIM_STEPS=%u -DCOLUMN_STEPS=%u",
                 (int)t->matrix, s->by_loops, t->blocks, s->dim_steps, s->column_steps);
    bool is_intel = t->matrix == SAC_MATRIX_DPAS_8 || t->matrix == SAC_MATRIX_DPAS_16;
    if (is_intel && !s->by_loops) /* with half of them much is spilled */
        strncat(options, " -cl-intel-256-GRF-per-thread", size - strlen(options) - 1);
    if (t->rows_each)
        snprintf(options + used, size - used,
                 " -DROWS_EACH=%u -DKEYS_EACH=%u -DDEPTH=%u -DCOLUMNS=%u -DON_GPU=%d "
                 "-DHALVES=%d",
                 t->rows_each, t->keys_each, t->depth, s->columns, s->on_gpu, s->halves);
    return options;
}

/* True where an earlier row of the table has the same tiling. */
static bool is_repeated(size_t row, const sac_tiling *tiling)
{
    sac_variant variant;
    sac_tiling other;
    for (size_t i = 0; i < row && sac_tiling_table_entry(i, &variant, &other); i++)
        if (memcmp(&other, tiling, sizeof other) == 0)
            return true;
    return false;
}

/* The specialisations for each number of columns, for many queries, then for few. */
static sac_specialisation gpu_specialisation(const sac_tiling *tiling, size_t index)
{
    sac_tiling few = sac_tiling_for_few(tiling);
    return sac_specialise_gpu(index < COLUMN_CHOICES ? tiling : &few,
                              column_choices[index % COLUMN_CHOICES]);
}

/* The specialisations with the instruction and by loops, for wide heads and for usual ones. */
static sac_specialisation matrix_specialisation(const sac_tiling *tiling, size_t index)
{
    sac_tiling narrow = sac_tiling_narrow(tiling);
    return index / 2 ? sac_specialise_matrix(&narrow, 16, sac_matrix_widest_head(tiling->matrix),
                                             index % 2)
                     : sac_specialise_matrix(tiling, 64, 64, index % 2);
}

static sac_specialisation variant_specialisation(sac_variant variant, const sac_tiling *tiling,
                                                 size_t index)
{
    return variant == SAC_VARIANT_GPU      ? gpu_specialisation(tiling, index)
           : variant == SAC_VARIANT_MATRIX ? matrix_specialisation(tiling, index)
           : index == 0                    ? sac_specialise_cpu(tiling)
                                           : sac_specialise_backward_cpu(tiling);
}

/* Shape `index` of all: of the different rows of the tilings' table, of a GPU's backward ones, naive,
 * and backward, each to be had for every form of score; false past the last. */
static bool find_specialisation(size_t index, sac_specialisation *shape)
{
    sac_variant variant;
    sac_tiling tiling;
    for (size_t row = 0; sac_tiling_table_entry(row, &variant, &tiling); row++) {
        /* The number of specialisations that come of a tiling, and one of them. */
        size_t choices = variant == SAC_VARIANT_GPU      ? 2 * COLUMN_CHOICES
                         : variant == SAC_VARIANT_MATRIX ? 4
                                                         : 2;
        if (is_repeated(row, &tiling))
            continue;
        if (index < choices) {
            *shape = variant_specialisation(variant, &tiling, index);
            return true;
        }
        index -= choices;
    }
    const sac_tiling *backward = sac_tiling_backward_gpu_entry(index / BACKWARD_WIDTHS);
    if (backward) {
        *shape = sac_specialise_backward_gpu(backward, backward_widths[index % BACKWARD_WIDTHS]);
        return true;
    }
    for (size_t row = 0; sac_tiling_backward_gpu_entry(row); row++)
        index -= BACKWARD_WIDTHS;
    *shape = index == 0   ? sac_specialise_naive()
             : index == 1 ? sac_specialise_backward()
                          : sac_specialise_overflow(SAC_SCORE_DOT);
    return index < 3;
}

size_t sac_specialisation_count(void)
{
    sac_specialisation shape;
    sac_score forms[SAC_SCORE_COUNT];
    size_t shapes = 0;
    while (find_specialisation(shapes, &shape))
        shapes++;
    return shapes * sac_score_forms(forms) * 2; /* fast_fma or not */
}

void sac_specialisation_get(size_t index, const char **source, char *options, size_t size)
{
    sac_score forms[SAC_SCORE_COUNT];
    size_t count = sac_score_forms(forms);
    sac_specialisation specialisation;
    find_specialisation(index / 2 / count, &specialisation);
    specialisation.form = forms[index / 2 % count];
    specialisation.fast_fma = index & 1;
    /* These options touch different lines of the source, so one specialisation checks all. */
    specialisation.on_gpu = specialisation.fast_fma;
    specialisation.softcap = !specialisation.fast_fma;
    if (!specialisation.fast_fma)
        specialisation.normalizer = specialisation.form == SAC_SCORE_DOT ? SAC_NORMALIZER_ENTMAX15
                                                                         : SAC_NORMALIZER_SPARSEMAX;
    specialisation.halves = specialisation.fast_fma == (specialisation.form == SAC_SCORE_DOT);
    *source = specialisation.source;
    sac_specialisation_options(&specialisation, options, size);
}
