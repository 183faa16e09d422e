#include "attention/variants.h"

#include <stdio.h>

char *sac_specialisation_options(const sac_specialisation *specialisation, char *options,
                                 size_t size)
{
    const sac_specialisation *s = specialisation;
    int used = snprintf(options, size, "-DSCORE=%d -DNEGATE=%d -DFAST_FMA=%d -DWIDTH=%u",
                        (int)s->form, s->negate, s->fast_fma, s->width);
    if (s->tile_rows)
        used += snprintf(options + used, size - used, " -DTILE_ROWS=%u -DBLOCK_KEYS=%u",
                         s->tile_rows, s->block_keys);
    if (s->micro_rows)
        used += snprintf(options + used, size - used,
                         " -DMICRO_ROWS=%u -DTILE_FLOATS=%u -DWEIGHT_ROWS=%u", s->micro_rows,
                         s->tile_floats, s->weight_rows);
    if (s->columns)
        snprintf(options + used, size - used, " -DCOLUMNS=%u", s->columns);
    return options;
}
