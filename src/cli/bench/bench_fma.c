/* Chains of multiply-adds in plain C: what the processor does when no OpenCL compiler stands
 * between. */
#include <pthread.h>

#include "base/clock.h"
#include "cli/bench/bench_parts.h"

enum { CHAINS = 12, TIMINGS = 5, MOST_THREADS = 256 };

/* The vectors of one instruction set. As in cl/device/bench.cl: more chains than any processor has in
 * flight, few enough for 16 registers. x → x/2 + 1 stays near 2; the compiler fuses what stands in
 * one expression. */
#define DEFINE_CHAIN(NAME, BYTES, TARGET)                                                          \
    typedef float NAME##_lanes __attribute__((vector_size(BYTES)));                                \
    TARGET static float NAME(long rounds, float half)                                              \
    {                                                                                              \
        NAME##_lanes zero = {0}, m = zero + half, c = zero + 1.0f;                                 \
        NAME##_lanes x0 = m, x1 = x0 + c, x2 = x1 + c, x3 = x2 + c, x4 = x3 + c, x5 = x4 + c;      \
        NAME##_lanes x6 = x5 + c, x7 = x6 + c, x8 = x7 + c, x9 = x8 + c, x10 = x9 + c;             \
        NAME##_lanes x11 = x10 + c;                                                                \
        for (long i = 0; i < rounds; i++) {                                                        \
            x0 = x0 * m + c, x1 = x1 * m + c, x2 = x2 * m + c, x3 = x3 * m + c;                    \
            x4 = x4 * m + c, x5 = x5 * m + c, x6 = x6 * m + c, x7 = x7 * m + c;                    \
            x8 = x8 * m + c, x9 = x9 * m + c, x10 = x10 * m + c, x11 = x11 * m + c;                \
        }                                                                                          \
        x0 += x1 + x2 + x3 + x4 + x5 + x6 + x7 + x8 + x9 + x10 + x11;                              \
        return x0[0];                                                                              \
    }
#define AS_IT_IS

DEFINE_CHAIN(chain16, 16, AS_IT_IS)
#if defined(__x86_64__)
DEFINE_CHAIN(chain32, 32, __attribute__((target("avx2,fma"))))
DEFINE_CHAIN(chain64, 64, __attribute__((target("avx512f"))))
#endif

typedef struct chain {
    float (*run)(long rounds, float half);
    int lanes;
} chain;

static chain widest_chain(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return (chain){chain64, 16};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return (chain){chain32, 8};
#endif
    return (chain){chain16, 4};
}

typedef struct chain_thread {
    pthread_t id;
    chain chain;
    long rounds;
    float result; /* so that nothing can be left out */
} chain_thread;

static void *run_chain(void *user)
{
    chain_thread *thread = user;
    thread->result = thread->chain.run(thread->rounds, 0.5f);
    return NULL;
}

/* Seconds of `rounds` on every thread; *started of them ran. */
static double time_chains(unsigned threads, chain which, long rounds, unsigned *started)
{
    chain_thread all[MOST_THREADS];
    double start = sac_now();
    for (*started = 0; *started < threads; ++*started) {
        all[*started] = (chain_thread){.chain = which, .rounds = rounds};
        if (pthread_create(&all[*started].id, NULL, run_chain, &all[*started]) != 0)
            break;
    }
    for (unsigned i = 0; i < *started; i++)
        pthread_join(all[i].id, NULL);
    return sac_now() - start;
}

double bench_c_peak(unsigned threads)
{
    chain which = widest_chain();
    long rounds = 1 << 16;
    double seconds = 0, best = 0;
    unsigned started = 1;
    threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    for (; seconds < 0.03 && started > 0; rounds *= 2) /* beside which starting threads is little */
        seconds = time_chains(threads, which, rounds, &started);
    for (int i = 0; i < TIMINGS && started > 0; i++) {
        seconds = time_chains(threads, which, rounds, &started);
        double done = 2.0 * CHAINS * which.lanes * (double)rounds * started / seconds * 1e-9;
        best = done > best ? done : best;
    }
    return best;
}
