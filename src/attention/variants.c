#include "attention/variants.h"

#include <stdio.h>

/* Register tiles of 8 × 2 vectors where there are 32 vector registers (AVX-512, NEON), 4 × 2 where
 * there are 16 (AVX). */
sac_specialisation sac_specialise_cpu(unsigned width)
{
    return (sac_specialisation){
        .source = "attend_cpu",
        .width = width,
        .micro_rows = width == 8 ? 4 : 8,
        .tile_rows = SAC_CPU_TILE_ROWS,
        .block_keys = SAC_CPU_BLOCK_KEYS,
        .tile_floats = SAC_CPU_TILE_FLOATS,
        .weight_rows = SAC_CPU_WEIGHT_ROWS,
    };
}

sac_specialisation sac_specialise_gpu(unsigned columns)
{
    return (sac_specialisation){
        .source = "attend_gpu",
        .width = 1,
        .tile_rows = SAC_GPU_TILE_ROWS,
        .block_keys = SAC_GPU_BLOCK_KEYS,
        .columns = columns,
    };
}

sac_specialisation sac_specialise_naive(void)
{
    return (sac_specialisation){.source = "attend_naive", .width = 1};
}

char *sac_specialisation_options(const sac_specialisation *specialisation, char *options,
                                 size_t size)
{
    const sac_specialisation *s = specialisation;
    size_t used = (size_t)snprintf(options, size, "-DSCORE=%d -DNEGATE=%d -DFAST_FMA=%d -DWIDTH=%u",
                                   (int)s->form, s->negate, s->fast_fma, s->width);
    if (s->tile_rows)
        used += (size_t)snprintf(options + used, size - used, " -DTILE_ROWS=%u -DBLOCK_KEYS=%u",
                                 s->tile_rows, s->block_keys);
    if (s->micro_rows)
        used += (size_t)snprintf(options + used, size - used,
                                 " -DMICRO_ROWS=%u -DTILE_FLOATS=%u -DWEIGHT_ROWS=%u",
                                 s->micro_rows, s->tile_floats, s->weight_rows);
    if (s->columns)
        snprintf(options + used, size - used, " -DCOLUMNS=%u", s->columns);
    return options;
}

/* Sources that do not depend on the attention. */
static const struct {
    const char *source, *options;
} plain[] = {{"adam", "-DWIDTH=8 -DFAST_FMA=0"},
             {"bench", "-DFAST_FMA=0"},
             {"bench", "-DFAST_FMA=1"},
             {"border", ""},
             {"gaze", "-DWIDTH=1 -DFAST_FMA=1 -DGROUP=128 -DADDITIVE=0"},
             {"gaze", "-DWIDTH=1 -DFAST_FMA=1 -DGROUP=128 -DADDITIVE=1"},
             {"gaze", "-DWIDTH=4 -DFAST_FMA=0 -DGROUP=1 -DADDITIVE=0"},
             {"gaze", "-DWIDTH=4 -DFAST_FMA=0 -DGROUP=1 -DADDITIVE=1"},
             {"gaze", "-DWIDTH=8 -DFAST_FMA=1 -DGROUP=1 -DADDITIVE=0"},
             {"gaze", "-DWIDTH=8 -DFAST_FMA=1 -DGROUP=1 -DADDITIVE=1"},
             {"gaze", "-DWIDTH=16 -DFAST_FMA=1 -DGROUP=1 -DADDITIVE=0"},
             {"gaze", "-DWIDTH=16 -DFAST_FMA=1 -DGROUP=1 -DADDITIVE=1"},
             {"gaze_loss", "-DWIDTH=1 -DFAST_FMA=1 -DGROUP=128"},
             {"gaze_loss", "-DWIDTH=4 -DFAST_FMA=1 -DGROUP=1"},
             {"gaze_loss", "-DWIDTH=8 -DFAST_FMA=1 -DGROUP=1"},
             {"gaze_loss", "-DWIDTH=16 -DFAST_FMA=1 -DGROUP=1"},
             {"layer_norm", "-DWIDTH=1 -DFAST_FMA=1 -DGROUP=128"},
             {"layer_norm", "-DWIDTH=4 -DFAST_FMA=1 -DGROUP=1"},
             {"layer_norm", "-DWIDTH=8 -DFAST_FMA=1 -DGROUP=1"},
             {"layer_norm", "-DWIDTH=16 -DFAST_FMA=1 -DGROUP=1"},
             {"layers", ""},
             {"loops", ""},
             {"lstm", "-DWIDTH=1 -DFAST_FMA=0"},
             {"lstm", "-DWIDTH=1 -DFAST_FMA=1"},
             {"merge", ""},
             {"norm", ""},
             {"pack", ""},
             {"panels", ""},
             {"pool", ""},
             {"product_cpu", "-DWIDTH=16 -DFAST_FMA=1 -DMICRO_ROWS=8 -DTILES=4 -DCHUNK=64"},
             {"product_cpu", "-DWIDTH=8 -DFAST_FMA=1 -DMICRO_ROWS=4 -DTILES=4 -DCHUNK=64"},
             {"product_cpu", "-DWIDTH=4 -DFAST_FMA=0 -DMICRO_ROWS=8 -DTILES=1 -DCHUNK=16"},
             {"product_naive", ""},
             {"softmax", "-DWIDTH=1 -DFAST_FMA=0 -DGROUP=128"},
             {"softmax", "-DWIDTH=4 -DFAST_FMA=1 -DGROUP=1"},
             {"softmax", "-DWIDTH=8 -DFAST_FMA=1 -DGROUP=1"},
             {"softmax", "-DWIDTH=16 -DFAST_FMA=1 -DGROUP=1"},
             {"word_loss", "-DWIDTH=1 -DFAST_FMA=0"},
             {"word_loss", "-DWIDTH=1 -DFAST_FMA=1"}};
enum {
    PLAIN_COUNT = sizeof plain / sizeof *plain,
    SHAPE_COUNT = 3 + 4 + 1,               /* CPU, GPU, naive */
    SWITCH_COUNT = SAC_FORM_COUNT * 2 * 2, /* form, negate, fast_fma */
};

static sac_specialisation shape_at(size_t index)
{
    if (index < 3)
        return sac_specialise_cpu(4u << index);
    return index < 7 ? sac_specialise_gpu(1u << (index - 3)) : sac_specialise_naive();
}

size_t sac_specialisation_count(void)
{
    return PLAIN_COUNT + SHAPE_COUNT * SWITCH_COUNT;
}

void sac_specialisation_get(size_t index, const char **source, char *options, size_t size)
{
    if (index < PLAIN_COUNT) {
        *source = plain[index].source;
        snprintf(options, size, "%s", plain[index].options);
        return;
    }
    index -= PLAIN_COUNT;
    size_t switches = index % SWITCH_COUNT;
    sac_specialisation specialisation = shape_at(index / SWITCH_COUNT);
    specialisation.form = (sac_score_form)(switches / 4);
    specialisation.negate = switches & 1;
    specialisation.fast_fma = switches >> 1 & 1;
    *source = specialisation.source;
    sac_specialisation_options(&specialisation, options, size);
}
