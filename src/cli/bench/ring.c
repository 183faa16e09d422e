/* Attention that several processes share: what each computes, and how much of the exchange of keys and
 * values it hides. */
#include "sharing/attention/ring.h"
#include "attention/spec/resolve.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random/random.h"
#include "base/text/printable.h"
#include "cli/bench/bench.h"
#include "device/device.h"
#include "sharing/ranks/ranks.h"

#include <math.h>
#include <stdlib.h>

enum { HEADS = 8, DIM = 64, ROUNDS = 3 };

typedef struct ring_case {
    size_t tokens;
    bool causal;
} ring_case;
static const ring_case cases[] = {{2048, false}, {8192, false}, {8192, true}, {16384, true}};
enum { CASES = sizeof cases / sizeof *cases };

/* Of the slowest process, in seconds. */
typedef struct ring_figures {
    double all, waited, exchange;
    double sent; /* bytes, by all */
} ring_figures;

static sac_status largest(double *value, sac_error *error)
{
    double *all = calloc((size_t)sac_ranks_count(), sizeof *all);
    sac_status status =
        all ? sac_ranks_share(value, all, sizeof *value, error) : sac_no_memory(error, "bench");
    for (int i = 0; status == SAC_OK && i < sac_ranks_count(); i++)
        *value = fmax(*value, all[i]);
    free(all);
    return status;
}

/* The blocks go round without computation. */
static sac_status exchange_alone(size_t bytes, double *seconds, sac_error *error)
{
    int me = sac_ranks_me(), count = sac_ranks_count();
    char *blocks = calloc(2, bytes + 1);
    sac_status status = sac_ranks_agree(blocks ? SAC_OK : sac_no_memory(error, "bench"), error);
    double start = sac_now();
    for (int turn = 0; turn + 1 < count && status == SAC_OK; turn++) {
        sac_ranks_transfer transfer;
        status = sac_ranks_begin(&transfer, (me + 1) % count, blocks, bytes,
                                 (me - 1 + count) % count, blocks + bytes, bytes, error);
        if (status == SAC_OK)
            status = sac_ranks_end(&transfer, error);
    }
    *seconds = sac_now() - start;
    free(blocks);
    return status;
}

static sac_status measure(sac_device *device, const ring_case *c, ring_figures *f, sac_error *error)
{
    sac_array arrays[3] = {{0}};
    sac_attention_spec spec = {.causal = c->causal};
    sac_attention_input input = {&arrays[0], &arrays[1], &arrays[2]};
    sac_attention_shape shape;
    sac_status status = SAC_OK;
    *f = (ring_figures){.all = INFINITY};
    for (int i = 0; i < 3 && status == SAC_OK; i++) {
        status =
            sac_array_create(SAC_F32, 4, (size_t[]){1, HEADS, c->tokens, DIM}, &arrays[i], error);
        for (size_t k = 0; status == SAC_OK && k < sac_array_count(&arrays[i]); k++)
            ((float *)arrays[i].data)[k] = sac_philox_uniform((uint32_t)k, (uint32_t)i, 1) - 0.5f;
    }
    if (status == SAC_OK)
        status = sac_attention_check_sizes(&spec, &input, &shape, error);
    status = sac_ranks_agree(status, error);
    for (int round = 0; round <= ROUNDS && status == SAC_OK; round++) { /* the first compiles */
        sac_ring ring;
        status = sac_ring_run(device, &spec, &input, &shape, &ring, NULL, error);
        status = sac_ranks_agree(status, error);
        double all = ring.computed_s + ring.waited_s, waited = ring.waited_s, exchange = 0;
        if (status == SAC_OK)
            status = exchange_alone((size_t)(ring.sent / fmax(1, sac_ranks_count() - 1)), &exchange,
                                    error);
        if (status == SAC_OK)
            status = largest(&all, error);
        if (status == SAC_OK)
            status = largest(&waited, error);
        if (status == SAC_OK)
            status = largest(&exchange, error);
        if (round > 0 && all < f->all)
            *f = (ring_figures){all, waited, exchange, ring.sent * sac_ranks_count()};
        sac_ring_free(&ring);
    }
    for (int i = 0; i < 3; i++)
        sac_array_free(&arrays[i]);
    return status;
}

static const bench_column columns[] = {{"tokens", "tokens", 8},
                                       {"causal", .is_bool = true},
                                       {NULL, "", -7},
                                       {"ms", "ms", 10, 1},
                                       {"gflops", "GFLOP/s", 10, 0},
                                       {"waited_ms", "waited ms", 10, 2},
                                       {"exchange_ms", "exchange ms", 12, 2},
                                       {"bytes"},
                                       {NULL, "MB", 8, 1},
                                       {NULL, "hidden", 8, 2},
                                       {0}};

static void print(const ring_case *c, const ring_figures *f, cJSON *list)
{
    double pairs = (double)c->tokens * (double)c->tokens / (c->causal ? 2 : 1);
    double hidden = sac_ranks_count() > 1 ? fmax(0, 1 - f->waited / f->exchange) : NAN;
    bench_row(list, columns,
              (bench_cell[]){{NULL, (double)c->tokens},
                             {NULL, c->causal},
                             {c->causal ? "causal" : ""},
                             {NULL, 1e3 * f->all},
                             {NULL, 1e-9 * 4 * pairs * HEADS * DIM / f->all},
                             {NULL, 1e3 * f->waited},
                             {NULL, 1e3 * f->exchange},
                             {NULL, f->sent},
                             {NULL, 1e-6 * f->sent},
                             {NULL, hidden}});
}

sac_status bench_ring(sac_device *device, cJSON *json, sac_error *error)
{
    char name[160];
    sac_status status = SAC_OK;
    sac_device_short_name(sac_device_get_info(device), name, sizeof name);
    if (json) {
        cJSON_AddNumberToObject(json, "processes", sac_ranks_count());
        cJSON_AddStringToObject(json, "device", name);
    } else {
        sac_print(
            stdout,
            "attention by %d processes, %d heads of %d, float32; each on %s; the best of %d\n\n",
            sac_ranks_count(), HEADS, DIM, name, ROUNDS);
        bench_head(columns);
    }
    cJSON *rows = json ? cJSON_AddArrayToObject(json, "cases") : NULL;
    for (int i = 0; i < CASES && status == SAC_OK; i++) {
        ring_figures figures;
        status = measure(device, &cases[i], &figures, error);
        if (status == SAC_OK)
            print(&cases[i], &figures, rows);
        if (status == SAC_OK && cli_interrupted())
            status = sac_fail(error, SAC_E_CANCELLED, "bench", NULL, "interrupted");
    }
    return status;
}
