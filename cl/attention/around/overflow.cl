/* Looks for scores beyond float32, where the largest numbers of queries and keys leave room for
 * one. That is rare, so it takes one work-item per query and nothing clever. */
#include "attention/problem.clh"
#include "common/vector.clh"
#include "common/philox.clh"
#include "attention/score.clh"
#include "attention/masks.clh"

#if WIDTH != 1
#error "overflow is written for WIDTH 1"
#endif

/* Element i of query or key. */
inline float number_at(__global const uchar *numbers, ulong i, uint halves)
{
    return halves ? vload_half(i, (__global const half *)numbers)
                  : ((__global const float *)numbers)[i];
}

/* q [M,Tq,dim], k [M,panels,dim,panel], w [dim], padding [B,Tk]. Of the queries from `first` on of
 * all matrices, *found becomes the number of the first with a score that is NaN or too large, or
 * with keys that it may see and none above FLOOR. */
__kernel void overflow(problem p, uint halves, __global const uchar *q, __global const uchar *k,
                       __global const float *w, __global const uchar *padding,
                       __global const uchar *mask, uint first, uint end, __global uint *found)
{
    uint query = first + (uint)get_global_id(0);
    if (query >= end)
        return;
    uint matrix = query / p.queries, row = query % p.queries;
    ulong keys = (ulong)key_matrix(&p, matrix) * p.panels * p.panel;
    float highest = FLOOR;
    bool sees = false, bad = false;
    for (uint col = 0; col < p.keys; col++) {
        float raw = 0.0f;
        ulong panel = (keys + col / p.panel * p.panel) * p.dim + col % p.panel;
        for (uint c = 0; c < p.dim; c++) {
            float number = number_at(q, (ulong)query * p.dim + c, halves);
            raw = score_step(raw, number, number_at(k, panel + c * p.panel, halves),
                             COORDINATE_WEIGHT(w, c));
            bad = bad || (IS_PRODUCT && isinf(number * p.scale)); /* some kernels begin so */
        }
        float logit = masked_logit(&p, padding, mask, matrix, row, col, CAPPED(&p, raw));
        bool blocked = logit == BLOCKED;
        sees = sees || !blocked;
        bad = bad || isnan(logit) || logit > -FLOOR;
        bad = bad || (!blocked && !isfinite(raw)); /* a cap would hide it */
        highest = blocked ? highest : fmax(highest, logit);
    }
    if (bad || (sees && !(highest > FLOOR)))
        atomic_min(found, query);
}
