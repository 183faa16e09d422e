/* A mixture of experts: who goes where, and each expert over its tokens. */
#include "nn/experts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* The largest F. */
static size_t widest(const sac_experts *e)
{
    const size_t own = e->list[0].out.w->value.width;
    const size_t shared = e->has_shared ? e->list[e->count].out.w->value.width : 0;
    return own > shared ? own : shared;
}

/* `count` rows of the width of an expert in memory of the widest. */
static sac_tensor rows_of_expert(sac_tensor x, size_t count, const sac_expert *expert)
{
    x = sac_tensor_rows(x, 0, count);
    x.width = expert->out.w->value.width;
    return x;
}

void sac_experts_shape(sac_pass *pass, sac_arena *arena, const sac_experts *e, size_t rows,
                       sac_experts_tensors *t)
{
    const size_t D = e->list[0].out.w->value.rows, F = widest(e);
    const size_t parts = rows * (e->chosen + e->has_shared);
    sac_arena_shape(arena, pass, &t->logits, rows, e->count);
    if (e->shared_gate.w)
        sac_arena_shape(arena, pass, &t->shared, rows, 1);
    sac_arena_shape(arena, pass, &t->shares, parts, 1);
    sac_arena_shape_ints(arena, pass, &t->rows, parts);
    sac_arena_shape(arena, pass, &t->in, rows, D);
    sac_arena_shape(arena, pass, &t->gate, rows, F);
    sac_arena_shape(arena, pass, &t->up, rows, F);
    sac_arena_shape(arena, pass, &t->given, rows, D);
    sac_tensor *const normed[] = {&t->routed, &t->entered, &t->sum};
    for (int i = 0; i < 3 && e->exit_norm.gain; i++)
        sac_arena_shape(arena, pass, normed[i], rows, D);
}

/* ---------------------------------------------------------------- who goes where */

/* The tokens of each expert, one expert after the other. */
typedef struct routes {
    size_t *begin; /* [E + 1], and the end of the shared one */
    int *rows;     /* [T·k], and all tokens for the shared one */
    float *shares; /* the same */
} routes;

static float logistic(float x)
{
    return 1 / (1 + expf(-x));
}

/* The largest of `scores` [count] that is not taken; count: all are. */
static size_t find_best(const float *scores, const uint8_t *taken, size_t count)
{
    size_t best = count;
    for (size_t i = 0; i < count; i++)
        if (!taken[i] && (best == count || scores[i] > scores[best]))
            best = i;
    return best;
}

/* Takes the experts of all groups but the best: by the score of a group's best expert, or with a correction by the sum of
 * its best two. `sums` and `kept` have room for
 * a number of each group. */
static void take_other_groups(const sac_experts *e, const float *scores, float *sums, uint8_t *kept,
                              uint8_t *taken)
{
    const size_t each = e->count / e->groups;
    for (size_t g = 0; g < e->groups; g++) {
        const float *own = scores + g * each;
        const size_t best = find_best(own, taken + g * each, each);
        sums[g] = own[best];
        taken[g * each + best] = 1;
        const size_t second = find_best(own, taken + g * each, each);
        if (e->correction && second < each)
            sums[g] += own[second];
        taken[g * each + best] = 0;
        kept[g] = 0;
    }
    for (size_t k = 0; k < e->groups_chosen; k++)
        kept[find_best(sums, kept, e->groups)] = 1;
    for (size_t i = 0; i < e->count; i++)
        taken[i] = !kept[i / each];
}

/* What `choose` works in. */
typedef struct choice {
    float *scores, *correction, *sums, *each; /* [E] each */
    uint8_t *taken, *kept;                    /* the same */
} choice;

/* Notes the k experts of a token by its logits, and their shares. */
static void choose(const sac_experts *e, const float *logits, const choice *c, int *chosen,
                   float *shares)
{
    float sum = e->of_all && e->by_sigmoid ? 1 : 0;
    memset(c->taken, 0, e->count);
    for (size_t i = 0; i < e->count; i++)
        c->scores[i] = e->correction ? logistic(logits[i]) + c->correction[i] : logits[i];
    if (e->groups)
        take_other_groups(e, c->scores, c->sums, c->kept, c->taken);
    for (size_t k = 0; k < e->chosen; k++) {
        const size_t best = find_best(c->scores, c->taken, e->count);
        c->taken[best] = 1;
        chosen[k] = (int)best;
        shares[k] = e->by_sigmoid ? logistic(logits[best]) : expf(logits[best] - logits[chosen[0]]);
        sum += e->of_all ? 0 : shares[k];
    }
    for (size_t i = 0; i < e->count && e->of_all && !e->by_sigmoid; i++)
        sum += expf(logits[i] - logits[chosen[0]]);
    for (size_t k = 0; k < e->chosen; k++)
        shares[k] *= e->times / sum * (e->each ? c->each[chosen[k]] : 1);
}

/* `chosen` and `shares` are by token, [T,k]. */
static void sort_by_expert(const sac_experts *e, const int *chosen, const float *shares,
                           size_t count, routes *r)
{
    for (size_t i = 0; i < count; i++)
        r->begin[chosen[i] + 1]++;
    for (size_t i = 0; i < e->count; i++)
        r->begin[i + 1] += r->begin[i];
    for (size_t i = 0; i < count; i++) {
        size_t at = r->begin[chosen[i]]++;
        r->rows[at] = (int)(i / e->chosen);
        r->shares[at] = shares[i];
    }
    for (size_t i = e->count; i > 0; i--)
        r->begin[i] = r->begin[i - 1];
    r->begin[0] = 0;
}

/* All tokens, for the expert that they share, behind the others. */
static void add_shared_route(sac_pass *pass, const sac_experts *e, const sac_experts_tensors *t,
                             routes *r)
{
    const size_t tokens = t->logits.rows, first = tokens * e->chosen;
    if (e->shared_gate.w)
        sac_pass_read(pass, t->shared, r->shares + first);
    for (size_t i = 0; i < tokens && sac_pass_runs(pass); i++) {
        r->rows[first + i] = (int)i;
        r->shares[first + i] = e->shared_gate.w ? logistic(r->shares[first + i]) : 1;
    }
    r->begin[e->count + 1] = first + tokens;
}

/* Reads the logits, and writes rows and shares. */
static void route(sac_pass *pass, const sac_experts *e, const sac_experts_tensors *t, routes *r)
{
    size_t tokens = t->logits.rows, count = tokens * e->chosen, E = e->count;
    float *logits = malloc((tokens + 4) * E * sizeof *logits), *spare = logits + tokens * E;
    float *shares = malloc(count * sizeof *shares);
    int *chosen = malloc(count * sizeof *chosen);
    uint8_t *taken = malloc(2 * E);
    const choice c = {spare, spare + E, spare + 2 * E, spare + 3 * E, taken, taken + E};
    r->begin = calloc(E + 2, sizeof *r->begin);
    r->rows = malloc((count + tokens) * sizeof *r->rows);
    r->shares = malloc((count + tokens) * sizeof *r->shares);
    if (!logits || !shares || !chosen || !taken || !r->begin || !r->rows || !r->shares)
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, "experts"));
    if (sac_pass_runs(pass))
        sac_pass_read(pass, t->logits, logits);
    if (sac_pass_runs(pass) && e->correction)
        sac_pass_read(pass, e->correction->value, c.correction);
    if (sac_pass_runs(pass) && e->each)
        sac_pass_read(pass, e->each->value, c.each);
    for (size_t i = 0; i < tokens * E && e->exit_norm.gain && sac_pass_runs(pass); i++)
        logits[i] *= e->sharpness;
    for (size_t i = 0; i < tokens && sac_pass_runs(pass); i++)
        choose(e, logits + i * E, &c, chosen + i * e->chosen, shares + i * e->chosen);
    if (sac_pass_runs(pass)) {
        sort_by_expert(e, chosen, shares, count, r);
        if (e->has_shared)
            add_shared_route(pass, e, t, r);
        sac_pass_write_ints(pass, t->rows, r->rows);
        sac_pass_write(pass, t->shares, r->shares);
    }
    free(taken);
    free(chosen);
    free(shares);
    free(logits);
}

/* ---------------------------------------------------------------- forward */

/* gate ← the bounded activation of the gates and the values `up` (experts with a limit). */
static void gate_bounded(sac_pass *pass, const sac_experts *e, sac_tensor gate, sac_tensor up)
{
    cl_uint count = (cl_uint)sac_tensor_count(gate);
    float limit = e->limit, steepness = e->steepness;
    sac_arg args[] = {SAC_ARG(count), SAC_ARG(limit), SAC_ARG(steepness), SAC_SPAN_ARGS(up),
                      SAC_SPAN_ARGS(gate)};
    sac_pass_items(pass, "other_activations", "gate_bounded", args, 7, count);
}

/* y[rows[i],:] += shares[i] · x[i,:]; no row is there twice. */
static void add_weighted_rows(sac_pass *pass, sac_tensor y, sac_tensor x, sac_ints rows,
                              sac_tensor shares)
{
    cl_uint count = (cl_uint)x.rows, depth = (cl_uint)x.width;
    sac_arg args[] = {SAC_ARG(count),   SAC_ARG(depth),        SAC_ARG(rows.buffer),
                      SAC_ARG(rows.at), SAC_SPAN_ARGS(shares), SAC_SPAN_ARGS(x),
                      SAC_SPAN_ARGS(y)};
    sac_pass_strips(pass, "layers", "add_shares", args, 10, x.rows, x.width);
}

static void dense(sac_pass *pass, sac_tensor y, sac_tensor x, const sac_dense *d)
{
    sac_linear_forward(pass, y, x, d->w, d->b);
}

static void compute_logits(sac_pass *pass, const sac_experts *e, sac_tensor x,
                           const sac_experts_tensors *t)
{
    dense(pass, t->logits, x, &e->router);
    if (e->shared_gate.w)
        dense(pass, t->shared, x, &e->shared_gate);
}

/* What the expert gives of the tokens from `first` on, added to y. */
static void add_expert(sac_pass *pass, const sac_experts *e, const sac_expert *expert,
                       sac_activation activation, sac_tensor y, sac_tensor x, size_t first,
                       size_t count, const sac_experts_tensors *t)
{
    sac_tensor in = sac_tensor_rows(t->in, 0, count), gate = rows_of_expert(t->gate, count, expert);
    sac_tensor up = rows_of_expert(t->up, count, expert);
    sac_tensor given = sac_tensor_rows(t->given, 0, count);
    sac_ints rows = sac_ints_from(t->rows, first, count);
    sac_gather_rows(pass, in, x, rows);
    dense(pass, gate, in, &expert->gate);
    dense(pass, up, in, &expert->in);
    if (e->scales_input)
        sac_scale_rows(pass, gate, gate, sac_tensor_rows(t->shares, first, count));
    if (e->limit > 0)
        gate_bounded(pass, e, gate, up);
    else
        sac_gate(pass, gate, up, activation);
    dense(pass, given, gate, &expert->out);
    add_weighted_rows(pass, y, given, rows, sac_tensor_rows(t->shares, first, count));
}

/* `routed`: x as it enters the router. */
static void forward_routed(sac_pass *pass, const sac_experts *e, sac_activation activation,
                           sac_tensor y, sac_tensor x, sac_tensor routed,
                           const sac_experts_tensors *t)
{
    routes r = {0};
    compute_logits(pass, e, routed, t);
    route(pass, e, t, &r);
    sac_pass_fill(pass, y, 0);
    for (size_t i = 0; i < e->count + e->has_shared && sac_pass_runs(pass); i++)
        if (r.begin[i + 1] > r.begin[i])
            add_expert(pass, e, &e->list[i], activation, y, x, r.begin[i],
                       r.begin[i + 1] - r.begin[i], t);
    free(r.begin);
    free(r.rows);
    free(r.shares);
}

void sac_experts_forward(sac_pass *pass, const sac_experts *e, sac_activation activation,
                         sac_tensor y, sac_tensor x, const sac_experts_tensors *t)
{
    forward_routed(pass, e, activation, y, x, x, t);
}

void sac_experts_add_normed(sac_pass *pass, const sac_experts *e, sac_activation activation,
                            sac_tensor y, sac_tensor x, const sac_experts_tensors *t)
{
    sac_layer_norm_forward(pass, &e->router_norm, t->routed, x);
    sac_layer_norm_forward(pass, &e->entry_norm, t->entered, x);
    forward_routed(pass, e, activation, t->sum, t->entered, t->routed, t);
    sac_layer_norm_forward(pass, &e->exit_norm, t->sum, t->sum);
    sac_add(pass, y, t->sum);
}

/* ---------------------------------------------------------------- backward */

void sac_experts_shape_gradients(sac_pass *pass, sac_arena *arena, const sac_experts *e,
                                 size_t rows, sac_experts_gradients *s)
{
    const size_t D = e->list[0].out.w->value.rows, F = widest(e);
    sac_arena_shape(arena, pass, &s->dgiven, rows, D);
    sac_arena_shape(arena, pass, &s->din, rows, D);
    sac_arena_shape(arena, pass, &s->dhidden, rows, F);
    sac_arena_shape(arena, pass, &s->before, rows, F);
}

/* dhidden → the gradients of gates, in `gate`, and of values, in `up`. gate: what is gated. */
static void gate_backward(sac_pass *pass, const sac_experts *e, sac_activation activation,
                          sac_tensor dhidden, sac_tensor before, sac_tensor gate, sac_tensor up)
{
    if (e->limit > 0) {
        cl_uint count = (cl_uint)sac_tensor_count(gate);
        float limit = e->limit, steepness = e->steepness;
        sac_arg args[] = {SAC_ARG(count),         SAC_ARG(limit),        SAC_ARG(steepness),
                          SAC_SPAN_ARGS(dhidden), SAC_SPAN_ARGS(before), SAC_SPAN_ARGS(gate),
                          SAC_SPAN_ARGS(up)};
        sac_pass_items(pass, "slopes", "gate_bounded_backward", args, 11, count);
        return;
    }
    sac_pass_copy(pass, gate, dhidden);
    sac_multiply(pass, gate, up);
    sac_activate_backward(pass, gate, before, activation);
    sac_pass_copy(pass, up, before);
    sac_activate(pass, up, activation);
    sac_multiply(pass, up, dhidden);
}

/* dshares [count] += of each row what x and dx have in common; `both` has room for two of their size. */
static void add_row_products(sac_pass *pass, sac_tensor x, sac_tensor dx, float *both,
                             float *dshares)
{
    float *back = both + sac_tensor_count(x);
    sac_pass_read(pass, x, both);
    sac_pass_read(pass, dx, back);
    for (size_t i = 0; i < sac_tensor_count(x) && sac_pass_runs(pass); i++)
        dshares[i / x.width] += both[i] * back[i];
}

/* The expert's part of dx, and dshares [count] of its tokens. */
static void expert_backward(sac_pass *pass, const sac_experts *e, const sac_expert *expert,
                            sac_activation activation, sac_tensor dx, sac_tensor dy, sac_tensor x,
                            size_t first, size_t count, const sac_experts_tensors *t,
                            const sac_experts_gradients *s, float *dshares)
{
    const size_t D = dy.width;
    sac_tensor in = sac_tensor_rows(t->in, 0, count), gate = rows_of_expert(t->gate, count, expert);
    sac_tensor up = rows_of_expert(t->up, count, expert);
    sac_tensor given = sac_tensor_rows(t->given, 0, count);
    sac_tensor dgiven = sac_tensor_rows(s->dgiven, 0, count);
    sac_tensor din = sac_tensor_rows(s->din, 0, count);
    sac_tensor dhidden = rows_of_expert(s->dhidden, count, expert);
    sac_tensor before = rows_of_expert(s->before, count, expert);
    sac_ints rows = sac_ints_from(t->rows, first, count);
    const sac_tensor shares = sac_tensor_rows(t->shares, first, count);
    const size_t F = gate.width;
    float *both = malloc(2 * count * (D > F ? D : F) * sizeof *both);
    if (!both) {
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, "experts"));
        return;
    }
    sac_gather_rows(pass, in, x, rows);
    dense(pass, gate, in, &expert->gate);
    dense(pass, up, in, &expert->in);
    if (e->scales_input)
        sac_scale_rows(pass, gate, gate, shares);
    sac_pass_copy(pass, before, gate);
    if (e->limit > 0)
        gate_bounded(pass, e, gate, up);
    else
        sac_gate(pass, gate, up, activation);
    dense(pass, given, gate, &expert->out);
    sac_gather_rows(pass, dgiven, dy, rows);
    add_row_products(pass, given, dgiven, both, dshares);
    sac_linear_backward_input(pass, dhidden, dgiven, expert->out.w);
    gate_backward(pass, e, activation, dhidden, before, gate, up);
    if (e->scales_input) { /* of share · gate, of which dgiven's own share is still to come */
        add_row_products(pass, before, gate, both, dshares);
        sac_scale_rows(pass, gate, gate, shares);
    }
    sac_linear_backward_input(pass, din, gate, expert->gate.w);
    sac_linear_backward_add(pass, din, up, expert->in.w);
    add_weighted_rows(pass, dx, din, rows, shares);
    free(both);
}

/* dshares [T·k], by expert, → dlogits [T,E]. Of p = share / times it is share (dshare − Σ p · dshare), where the sum is over
 * those that make 1; of sigmoids that times 1 − σ. */
static void shares_backward(const sac_experts *e, size_t tokens, const routes *r,
                            const float *dshares, const float *logits, float *dlogits)
{
    const size_t E = e->count;
    float *sums = dlogits + tokens * E; /* [T] */
    for (size_t k = 0, i = 0; k < E; k++)
        for (; i < r->begin[k + 1]; i++)
            sums[r->rows[i]] += r->shares[i] * dshares[i];
    for (size_t at = 0; at < tokens && e->of_all && !e->by_sigmoid; at++) {
        const float *row = logits + at * E;
        float most = row[0], sum = 0;
        for (size_t k = 1; k < E; k++)
            most = fmaxf(most, row[k]);
        for (size_t k = 0; k < E; k++)
            sum += expf(row[k] - most);
        for (size_t k = 0; k < E; k++)
            dlogits[at * E + k] = -expf(row[k] - most) / sum * sums[at];
    }
    for (size_t k = 0, i = 0; k < E; k++)
        for (; i < r->begin[k + 1]; i++) {
            const size_t at = (size_t)r->rows[i] * E + k;
            const float own = dshares[i] - (e->of_all ? 0 : sums[r->rows[i]] / e->times);
            dlogits[at] += r->shares[i] * own * (e->by_sigmoid ? 1 - logistic(logits[at]) : 1);
        }
}

void sac_experts_backward(sac_pass *pass, const sac_experts *e, sac_activation activation,
                          sac_tensor dx, sac_tensor dy, sac_tensor x, const sac_experts_tensors *t,
                          const sac_experts_gradients *s)
{
    const size_t tokens = x.rows, E = e->count, first = tokens * e->chosen;
    routes r = {0};
    float *logits = malloc(tokens * E * sizeof *logits);
    float *dlogits = calloc(tokens * (E + 1), sizeof *dlogits);
    float *dshares = calloc(first + tokens, sizeof *dshares);
    if (!logits || !dlogits || !dshares)
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, "experts"));
    compute_logits(pass, e, x, t);
    route(pass, e, t, &r);
    if (sac_pass_runs(pass))
        sac_pass_read(pass, t->logits, logits);
    for (size_t i = 0; i < E + e->has_shared && sac_pass_runs(pass); i++)
        if (r.begin[i + 1] > r.begin[i])
            expert_backward(pass, e, &e->list[i], activation, dx, dy, x, r.begin[i],
                            r.begin[i + 1] - r.begin[i], t, s, dshares + r.begin[i]);
    if (sac_pass_runs(pass)) {
        shares_backward(e, tokens, &r, dshares, logits, dlogits);
        sac_pass_write(pass, t->logits, dlogits);
        sac_linear_backward_add(pass, dx, t->logits, e->router.w);
    }
    if (e->shared_gate.w && sac_pass_runs(pass)) {
        for (size_t i = first; i < first + tokens; i++)
            dshares[i] *= r.shares[i] * (1 - r.shares[i]);
        sac_pass_write(pass, t->shared, dshares + first);
        sac_linear_backward_add(pass, dx, t->shared, e->shared_gate.w);
    }
    free(logits);
    free(dlogits);
    free(dshares);
    free(r.begin);
    free(r.rows);
    free(r.shares);
}
