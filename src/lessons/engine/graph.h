/* A graph of small named arrays, which a lesson shows. Each array is given, or is computed by the
 * device from earlier ones; the arithmetic of any cell can be shown. Like a pass (nn/pass.h) a
 * graph keeps the first failure: after it every constructor returns no array, so that a lesson
 * reads as its mathematics, and sac_graph_compute returns the failure. */
#ifndef SAC_LESSONS_ENGINE_GRAPH_H
#define SAC_LESSONS_ENGINE_GRAPH_H

#include "sources/lesson.h"

enum {
    SAC_GRAPH_RANK = SAC_SHOWN_RANK,
    SAC_GRAPH_ARRAYS = SAC_LESSON_ARRAYS,
    SAC_GRAPH_INPUTS = SAC_ARRAY_INPUTS
};

typedef struct sac_small_shape {
    int rank; /* 1 to SAC_GRAPH_RANK */
    size_t n[SAC_GRAPH_RANK];
} sac_small_shape;
#define SAC_VECTOR(n0) ((sac_small_shape){1, {n0}})
#define SAC_MATRIX(n0, n1) ((sac_small_shape){2, {n0, n1}})
#define SAC_STACK(n0, n1, n2) ((sac_small_shape){3, {n0, n1, n2}})

size_t sac_small_count(sac_small_shape shape);
/* "[2,4,10]" into `text`. */
char *sac_small_shape_text(sac_small_shape shape, char *text, size_t size);

/* Operations. A cell is at (batch, row, column): all dimensions but the last two are the batch, an
 * array of one dimension is one row. An input whose batch, rows or columns are 1 is the same for
 * all of them. */
typedef enum sac_operation {
    SAC_OP_GIVEN = 0,
    SAC_OP_MATMUL,      /* Σ_k a[r,k] b[k,c] */
    SAC_OP_MATMUL_T,    /* Σ_k a[r,k] b[c,k] */
    SAC_OP_ADD,         /* a + f b */
    SAC_OP_MULTIPLY,    /* a b */
    SAC_OP_DIVIDE,      /* a / b */
    SAC_OP_AFFINE,      /* f a + g */
    SAC_OP_MASK,        /* −∞ where b, else a */
    SAC_OP_OR,          /* 1 where a or b is not 0 */
    SAC_OP_EQUALS,      /* 1 where a is f, else 0 */
    SAC_OP_SOFTMAX,     /* exp(a[r,c]) / Σ_k exp(a[r,k]); 0 where all are −∞, or NaN where f */
    SAC_OP_SOFTMAX_0,   /* over the rows: exp(a[r,c]) / Σ_k exp(a[k,c]) */
    SAC_OP_GATHER,      /* a at a cell whose position is known without computing: transposed, split,
                           joined, repeated */
    SAC_OP_ADDITIVE,    /* Σ_h c[h] tanh(a[r,h] + b[c,h]) */
    SAC_OP_GAUSSIAN,    /* −½ Σ_k ((a[r,k] − b[c,k]) f)² */
    SAC_OP_STANDARDISE, /* (a − b) / √(c + f): layer norm, of the row's mean and variance */
    SAC_OP_SUM,         /* Σ_k a[r,k], one column */
    SAC_OP_MEAN,        /* Σ_k a[r,k] / n */
    SAC_OP_LARGEST,     /* max_k a[r,k] */
    SAC_OP_VARIANCE,    /* Σ_k (a[r,k] − b[r])² / n */
    SAC_OP_LENGTH,      /* √Σ_k a[r,k]² */
    SAC_OP_ENTROPY,     /* −Σ_k a[r,k] log2 a[r,k] */
    SAC_OP_RELU,        /* max(0, a) */
    SAC_OP_TANH,
    SAC_OP_EXP,
    SAC_OP_POWER_OF_2, /* 2^a */
    SAC_OP_POSITION,   /* sin(r / 10000^(c/d)) in even columns, cos(r / 10000^((c−1)/d)) in odd */
    SAC_OP_SORTED, /* of each row, the largest first; which cell that was is known once computed */
    SAC_OP_RUNNING_SUM, /* Σ_{k≤c} a[r,k] */
    SAC_OP_THRESHOLD, /* τ, where Σ_k max(0, a[r,k] − τ)^f = 1, f 1 or 2; ∞ where all are −∞ */
    SAC_OP_ABOVE,  /* max(0, a − b)^f; f = 0: 1 where a > b */
    SAC_OP_SLOPES, /* a[r] (1 − b[c]) where r = c, else −a[r] b[c]: how a normaliser's weight c
                         changes with score r */
    SAC_OP_COUNT
} sac_operation;

typedef struct sac_small_array {
    char name[32]; /* "scores" */
    sac_small_shape shape;
    float *numbers; /* [count], once computed; of given ones always */
    sac_operation operation;
    sac_node inputs[SAC_GRAPH_INPUTS];
    float f, g;     /* numbers of the operation */
    int *index;     /* SAC_OP_GATHER and, once computed, SAC_OP_SORTED: where each cell comes
                       from, [count] */
    bool settable;  /* a person may change its numbers */
    double seconds; /* that a timed graph's operation took */
    bool shares;    /* drawn from 0 to the largest, as weights are */
    bool hidden;    /* no step shows it: arithmetic for people goes through it */
    float noise;    /* once computed: numbers below it are what rounding left of 0 */
    sac_node like;  /* both are coloured on one scale; 0: it has its own */
    const char *const *row_labels, *const *column_labels; /* lent; NULL: numbers */
    bool row_terms,
        column_terms; /* and these are terms, which are translated, and no words of a sentence */
} sac_small_array;

typedef struct sac_graph {
    int count;
    sac_small_array arrays[SAC_GRAPH_ARRAYS]; /* array n is arrays[n − 1] */
    bool timed;                               /* each operation by itself */
    sac_status status;                        /* of the first failure */
    sac_error error;
} sac_graph;

/* Begins zeroed; frees what it holds and zeroes it again. */
void sac_graph_clear(sac_graph *graph);
/* The first failure, if there is none yet. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void sac_graph_fail(sac_graph *graph, const char *where, const char *remedy, const char *what, ...);
/* NULL: none of that name, or `node` is 0. */
sac_small_array *sac_graph_array(sac_graph *graph, sac_node node);
sac_node sac_graph_find(const sac_graph *graph, const char *name);
sac_small_shape sac_node_shape(const sac_graph *graph, sac_node node); /* rank 0: there is none */
/* The dimension `d`; negative ones count from the last, −1. 0 where there is none. */
size_t sac_node_size(const sac_graph *graph, sac_node node, int d);

sac_node sac_given(sac_graph *graph, const char *name, sac_small_shape shape, const float *numbers);
sac_node sac_apply(sac_graph *graph, sac_operation operation, const char *name, sac_node a,
                   sac_node b, sac_node c, float f, float g);
/* Of one array, or of two. */
static inline sac_node sac_unary(sac_graph *g, sac_operation operation, const char *name,
                                 sac_node a)
{
    return sac_apply(g, operation, name, a, 0, 0, 0, 0);
}
static inline sac_node sac_binary(sac_graph *g, sac_operation operation, const char *name,
                                  sac_node a, sac_node b)
{
    return sac_apply(g, operation, name, a, b, 0, 0, 0);
}
/* The cell i of the result is the cell index[i] of `a`. */
sac_node sac_gather(sac_graph *graph, const char *name, sac_node a, sac_small_shape shape,
                    const int *index);
sac_node sac_positions(sac_graph *graph, const char *name, size_t count, size_t depth);

static inline sac_node sac_matmul(sac_graph *g, const char *name, sac_node a, sac_node b)
{
    return sac_apply(g, SAC_OP_MATMUL, name, a, b, 0, 0, 0);
}
static inline sac_node sac_matmul_t(sac_graph *g, const char *name, sac_node a, sac_node b)
{
    return sac_apply(g, SAC_OP_MATMUL_T, name, a, b, 0, 0, 0);
}
static inline sac_node sac_sum(sac_graph *g, const char *name, sac_node a, sac_node b)
{
    return sac_apply(g, SAC_OP_ADD, name, a, b, 0, 1, 0);
}
static inline sac_node sac_difference(sac_graph *g, const char *name, sac_node a, sac_node b)
{
    return sac_apply(g, SAC_OP_ADD, name, a, b, 0, -1, 0);
}
static inline sac_node sac_times(sac_graph *g, const char *name, sac_node a, float factor)
{
    return sac_apply(g, SAC_OP_AFFINE, name, a, 0, 0, factor, 0);
}
static inline sac_node sac_masked(sac_graph *g, const char *name, sac_node a, sac_node blocked)
{
    return sac_binary(g, SAC_OP_MASK, name, a, blocked);
}
static inline sac_node sac_softmax(sac_graph *g, const char *name, sac_node a)
{
    return sac_unary(g, SAC_OP_SOFTMAX, name, a);
}
/* x Wᵀ + b in two arrays, `product` and `name`; b may be 0, then `product` is not there. */
sac_node sac_linear_map(sac_graph *graph, const char *product, const char *name, sac_node x,
                        sac_node w, sac_node b);
/* [d0,…,r,c] with the last two dimensions changed. */
sac_node sac_transposed(sac_graph *graph, const char *name, sac_node a);
/* The same numbers in another shape: NumPy's reshape, PyTorch's view. */
sac_node sac_reshaped(sac_graph *graph, const char *name, sac_node a, sac_small_shape shape);
/* The rows first … first + count − 1 of dimension 0. */
sac_node sac_sliced(sac_graph *graph, const char *name, sac_node a, size_t first, size_t count);

/* Both are coloured on one scale, so that they can be compared. */
void sac_graph_share_colors(sac_graph *graph, sac_node a, sac_node b);

/* ---- the run */

/* Computes every array on the device and reads it back. Returns the first failure. */
sac_status sac_graph_compute(sac_graph *graph, sac_device *device, sac_error *error);

/* ---- the arithmetic of a cell: its operands and the expression over them */

/* For people "exp(0.707) / (exp(0) + exp(0.707))": with the fewest digits by which the result can be
 * reckoned, or with the relation "≈"; what no step shows is written by what it is made of. For
 * programs all nine digits, as Python reads them after `from math import *`; what is given has its
 * value as expression. The graph is computed. Free it in any case. */
typedef enum sac_written_for { SAC_FOR_PEOPLE = 0, SAC_FOR_PROGRAMS } sac_written_for;
sac_status sac_arithmetic_of(const sac_graph *graph, sac_node node, size_t cell,
                             sac_written_for reader, sac_arithmetic *arithmetic, sac_error *error);

const char *sac_operation_name(sac_operation operation); /* "matmul" */
sac_making sac_operation_making(sac_operation operation);
/* Of cl/lesson.cl; NULL: nothing is computed. */
const char *sac_operation_kernel(sac_operation operation);

/* A shape as the kernels see it. */
typedef struct sac_extent {
    size_t batch, rows, columns;
} sac_extent;
sac_extent sac_small_extent(sac_small_shape shape);

#endif
