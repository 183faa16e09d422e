/* A trial: one attention problem with numbers drawn from a seed, computed by the reference, by a
 * naive float32 loop and on a device, and the errors between them. */
#ifndef TESTS_ATTENTION_TRIAL_H
#define TESTS_ATTENTION_TRIAL_H

#include "attention/plan/tiling.h"
#include "extent.h"
#include "test.h"

typedef enum trial_mask {
    MASK_NONE,
    MASK_CAUSAL,
    MASK_PADDING,      /* [B,Tk] */
    MASK_BOOL_MATRIX,  /* [Tq,Tk] */
    MASK_BOOL_BATCH,   /* [B,Tq,Tk] */
    MASK_BOOL_HEADS,   /* [B,H,Tq,Tk] */
    MASK_FLOAT_MATRIX, /* [Tq,Tk], some −inf */
    MASK_FLOAT_SPREAD, /* [1,H,1,Tk] */
    MASK_BLOCKED_ROWS, /* [Tq,Tk] bool, every third query sees nothing */
    MASK_FLOAT_ROWS,   /* the same by −inf */
    MASK_LOWEST,       /* [Tq,Tk], some −FLT_MAX, as PyTorch code masks where it shuns −inf */
    MASK_EVERYTHING,   /* causal, padding and float at once */
    MASK_COUNT
} trial_mask;

/* What kind of problem to draw; zero is a small plain one. */
typedef struct recipe {
    sac_attention_spec spec;                                    /* heads: of any input form */
    size_t batch, queries, keys, query_dim, key_dim, value_dim; /* of one head; 0: 1, 5, 7, 4 … */
    size_t hidden;                                              /* of the additive score; 0: 6 */
    int rank;                                                   /* of query, key and value; 0: 3 */
    trial_mask mask;
    double spread; /* standard deviation of query and key; 0: 1 */
    double offset; /* added to query and key */
    double twins;  /* every second key is its neighbour but for this deviation; 0: none */
    bool project, norm;
    bool no_value;
    bool sinks; /* one of each head, the last −inf where there are more than two */
} recipe;

typedef struct trial {
    recipe recipe;
    sac_attention_spec spec;
    sac_attention_input input;
    sac_attention_shape shape;
    sac_array arrays[24]; /* owned; the input lends from them */
    int count;
    uint64_t random;
} trial;

void trial_make(trial *t, const recipe *wanted, uint64_t seed);
void trial_free(trial *t);
/* A zeroed array that the trial owns; `sizes` holds `rank`. */
sac_array *trial_array(trial *t, sac_dtype dtype, int rank, const size_t *sizes);
double trial_normal(trial *t);  /* mean 0, deviation 1 */
double trial_uniform(trial *t); /* [0,1) */
/* "scaled-dot, heads 2, Tq 5 …" for messages; lends a static text. */
const char *trial_text(const trial *t);

/* What an attention gives, as float64, by any kernel. */
typedef struct results {
    size_t outputs, rows, cells;    /* numbers of elements */
    double *output, *lse, *weights; /* NULL: not computed */
} results;
void results_free(results *r);

void compute_reference(const trial *t, results *r);
/* Plain float32: what anyone would write first. */
void compute_naive(const trial *t, results *r);
/* On a device, all three results, or without the weights. Fails the test where numbers around the
 * output buffers changed. */
sac_status compute_device(sac_device *device, sac_variant variant, const trial *t,
                          bool with_weights, results *r, sac_error *error);
/* The same with tiles of that shape; NULL: as usual. */
sac_status compute_tiled(sac_device *device, sac_variant variant, const sac_tiling *tiling,
                         const trial *t, bool with_weights, results *r, sac_error *error);

/* ‖a − ref‖ / ‖ref‖. Infinities have to agree exactly, and a NaN or a number beside a zero ‖ref‖
 * gives infinity. */
double relative_error(const double *a, const double *reference, size_t count);

/* What devices are held to. The naive loop is asked where one is not within 2e-6 of the reference:
 * elsewhere nothing depends on it. */
typedef struct yardstick {
    const trial *trial; /* lent */
    results reference, naive;
} yardstick;
void yardstick_make(yardstick *y, const trial *t);
void yardstick_free(yardstick *y);
/* The largest of the three errors, each over max(2e-6, twice the naive error): above 1 fails. */
double excess(const results *device, yardstick *y);

/* ---- devices */
sac_device *test_device(void);  /* opened once, by SACCADE_DEVICE */
int close_device(void **state); /* after the last test of a group */
/* Simulators and drivers that take seconds for what others do in milliseconds. */
bool is_oclgrind(void);
bool device_is_slow(void);
/* The output's bound where attention with that storage may be computed by the device's matrix
 * instructions, which round weights to float16 (by 2^-12 each at most, of either sign); 0: where it
 * is not, and the bound is that of float32. */
double matrix_bound(sac_storage storage);
/* The variants to test, by number of *count: those that the self-test lets run here. On a CPU only
 * a full test asks the GPU's, which no program uses there. */
const sac_variant *test_variants(int *count);

/* Holds every variant to the reference; prints each failure, and counts it. */
int trial_failures(const trial *t);
/* Holds one variant to it, with tiles of that shape. */
int tiled_failures(const trial *t, sac_variant variant, const sac_tiling *tiling);
/* Draws the recipe, computes, counts failures. */
int recipe_failures(const recipe *wanted, uint64_t seed);

#endif
