/* What RT-DETR (Zhao et al. 2024) has between its residual network and its queries: maps of three stages, of which the coarsest
 * goes through a transformer, are joined from the coarsest to the finest and back, by convolutions (a feature pyramid
 * and a path aggregation network of CSP blocks, whose two ways are RepVGG's). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "base/error.h"
#include "nn/layers.h"

enum { LEVELS = SAC_PYRAMID_LEVELS, JOINTS = LEVELS - 1, BLOCKS = 3 };

/* A CSP block: activation(last(blocks(one(x)) + other(x))); no buffer of `last`: it is not there. */
typedef struct joint {
    sac_filter one, other, block[BLOCKS], last;
} joint;

struct sac_pyramid {
    sac_arena arena;
    sac_activation activation;
    size_t width; /* D */
    sac_filter entry[LEVELS], lateral[JOINTS], down[JOINTS], leave[LEVELS];
    joint rising[JOINTS], falling[JOINTS]; /* to finer levels, and back */
};

/* ---------------------------------------------------------------- loading */

static sac_status load_filter(const sac_filter_source *from, size_t in, size_t taps, size_t stride,
                              const char *form, int number, const char *layer, const char *norm,
                              sac_filter *f)
{
    char part[48], names[2][80];
    snprintf(part, sizeof part, form, number);
    snprintf(names[0], sizeof names[0], "%s.%s", part, layer);
    snprintf(names[1], sizeof names[1], "%s.%s", part, norm);
    *f = (sac_filter){.in = in, .taps = taps, .stride = stride};
    return sac_filter_load(from, names[0], names[1], f);
}

static sac_status load_joint(const sac_filter_source *from, size_t width, const char *form,
                             int number, joint *j)
{
    char part[32], name[4][80];
    snprintf(part, sizeof part, form, number);
    sac_status status =
        load_filter(from, 2 * width, 1, 1, form, number, "conv1.conv", "conv1.norm", &j->one);
    if (status == SAC_OK)
        status =
            load_filter(from, 2 * width, 1, 1, form, number, "conv2.conv", "conv2.norm", &j->other);
    for (int i = 0; i < BLOCKS && status == SAC_OK; i++) {
        for (int k = 0; k < 4; k++)
            snprintf(name[k], sizeof name[k], "%s.bottlenecks.%d.conv%d.%s", part, i, k % 2 + 1,
                     k < 2 ? "conv" : "norm");
        j->block[i] = (sac_filter){.in = j->one.out, .taps = 3, .stride = 1};
        status = sac_filter_load_sum(from, (const char *const[]){name[0], name[1]},
                                     (const char *const[]){name[2], name[3]}, &j->block[i]);
    }
    if (status == SAC_OK && j->one.out != width)
        status =
            load_filter(from, j->one.out, 1, 1, form, number, "conv3.conv", "conv3.norm", &j->last);
    return status;
}

sac_status sac_pyramid_create(const sac_pretrained *files, const char *prefix,
                              const sac_resnet *net, size_t width, sac_activation activation,
                              sac_pass *pass, sac_pyramid **made, sac_error *error)
{
    sac_pyramid *p = *made = calloc(1, sizeof *p);
    if (!p)
        return sac_no_memory(error, prefix);
    p->width = width;
    p->activation = activation;
    const sac_filter_source from = {files, prefix, NULL, pass, &p->arena, error};
    sac_status status = SAC_OK;
    for (int i = 0; i < LEVELS && status == SAC_OK; i++) {
        status = load_filter(&from, sac_resnet_stage_width(net, i + 1), 1, 1,
                             "encoder_input_proj.%d", i, "0", "1", &p->entry[i]);
        if (status == SAC_OK)
            status =
                load_filter(&from, width, 1, 1, "decoder_input_proj.%d", i, "0", "1", &p->leave[i]);
    }
    for (int i = 0; i < JOINTS && status == SAC_OK; i++) {
        status = load_filter(&from, width, 1, 1, "encoder.lateral_convs.%d", i, "conv", "norm",
                             &p->lateral[i]);
        if (status == SAC_OK)
            status = load_filter(&from, width, 3, 2, "encoder.downsample_convs.%d", i, "conv",
                                 "norm", &p->down[i]);
        if (status == SAC_OK)
            status = load_joint(&from, width, "encoder.fpn_blocks.%d", i, &p->rising[i]);
        if (status == SAC_OK)
            status = load_joint(&from, width, "encoder.pan_blocks.%d", i, &p->falling[i]);
    }
    if (status == SAC_OK)
        return SAC_OK;
    sac_pyramid_destroy(p);
    *made = NULL;
    return status;
}

void sac_pyramid_destroy(sac_pyramid *p)
{
    if (!p)
        return;
    sac_arena_release(&p->arena);
    free(p);
}

/* ---------------------------------------------------------------- forward */

typedef struct run {
    const sac_pyramid *p;
    sac_pass *pass;
    sac_arena arena;
} run;

/* A map of a level, [height·width,channels]. */
typedef struct map {
    sac_tensor x;
    size_t height, width;
} map;

static map convolve(run *r, const sac_filter *f, map from, bool bends)
{
    const sac_convolution layer = {1,      from.height, from.width,      f->in,
                                   f->out, f->stride,   .taps = f->taps, .linear = true};
    const sac_parameter bias = {.value = f->bias};
    map to = {.height = sac_convolution_out(from.height, f->stride),
              .width = sac_convolution_out(from.width, f->stride)};
    sac_arena_shape(&r->arena, r->pass, &to.x, to.height * to.width, f->out);
    sac_convolution_apply(r->pass, &layer, to.x, from.x, f->panels, &bias);
    if (bends)
        sac_activate(r->pass, to.x, r->p->activation);
    return to;
}

/* Channels of two maps beside each other; of a coarser `one` each cell stands for four. */
static map join(run *r, map one, map other)
{
    const size_t C = r->p->width, cells = other.height * other.width;
    const size_t step = other.width / one.width;
    map to = {.height = other.height, .width = other.width};
    float *both = malloc(2 * cells * C * sizeof *both);
    float *a = malloc(one.height * one.width * C * sizeof *a), *b = malloc(cells * C * sizeof *b);
    sac_arena_shape(&r->arena, r->pass, &to.x, cells, 2 * C);
    if (both && a && b) {
        sac_pass_read(r->pass, one.x, a);
        sac_pass_read(r->pass, other.x, b);
        for (size_t i = 0; i < cells; i++) {
            const size_t x = i % other.width / step, y = i / other.width / step;
            memcpy(both + 2 * i * C, a + (y * one.width + x) * C, C * sizeof *both);
            memcpy(both + (2 * i + 1) * C, b + i * C, C * sizeof *both);
        }
        sac_pass_write(r->pass, to.x, both);
    } else
        SAC_PASS_CALL(r->pass, sac_no_memory(&r->pass->error, "picture"));
    free(both);
    free(a);
    free(b);
    return to;
}

static map run_joint(run *r, const joint *j, map from)
{
    map x = convolve(r, &j->one, from, true);
    for (int i = 0; i < BLOCKS; i++)
        x = convolve(r, &j->block[i], x, true);
    sac_add(r->pass, x.x, convolve(r, &j->other, from, true).x);
    return j->last.panels.buffer ? convolve(r, &j->last, x, true) : x;
}

void sac_pyramid_enter(const sac_pyramid *p, sac_pass *pass, int level, const float *seen,
                       size_t height, size_t width, float *features)
{
    run r = {.p = p, .pass = pass};
    map from = {.height = height, .width = width};
    sac_arena_shape(&r.arena, pass, &from.x, height * width, p->entry[level].in);
    sac_pass_write(pass, from.x, seen);
    sac_pass_read(pass, convolve(&r, &p->entry[level], from, false).x, features);
    sac_arena_release(&r.arena);
}

void sac_pyramid_join(const sac_pyramid *p, sac_pass *pass, const float *finer,
                      const float *coarsest, size_t height, size_t width, float *memory)
{
    run r = {.p = p, .pass = pass};
    map level[LEVELS];
    for (int i = 0; i < LEVELS; i++) {
        level[i] = (map){.height = height << (LEVELS - 1 - i), .width = width << (LEVELS - 1 - i)};
        const size_t cells = level[i].height * level[i].width;
        sac_arena_shape(&r.arena, pass, &level[i].x, cells, p->width);
        sac_pass_write(pass, level[i].x, i < LEVELS - 1 ? finer : coarsest);
        finer += cells * p->width;
    }
    for (int i = 0, to = LEVELS - 2; i < JOINTS; i++, to--) {
        level[to + 1] = convolve(&r, &p->lateral[i], level[to + 1], true);
        level[to] = run_joint(&r, &p->rising[i], join(&r, level[to + 1], level[to]));
    }
    for (int i = 0; i < JOINTS; i++)
        level[i + 1] = run_joint(&r, &p->falling[i],
                                 join(&r, convolve(&r, &p->down[i], level[i], true), level[i + 1]));
    for (int i = 0; i < LEVELS; i++) {
        sac_pass_read(pass, convolve(&r, &p->leave[i], level[i], false).x, memory);
        memory += level[i].height * level[i].width * p->width;
    }
    sac_arena_release(&r.arena);
}
