#include "attention/variants.h"

#include <stdio.h>

char *sac_specialisation_options(const sac_specialisation *specialisation, char *options,
                                 size_t size)
{
    snprintf(options, size,
             "-DSCORE=%d -DNEGATE=%d -DFAST_FMA=%d -DWIDTH=%u -DMICRO_ROWS=%u -DBLOCK_KEYS=%u "
             "-DTILE_ROWS=%u -DTILE_FLOATS=%u -DCOLUMNS=%u",
             (int)specialisation->form, specialisation->negate, specialisation->fast_fma,
             specialisation->width, specialisation->micro_rows, specialisation->block_keys,
             specialisation->tile_rows, specialisation->tile_floats, specialisation->columns);
    return options;
}
